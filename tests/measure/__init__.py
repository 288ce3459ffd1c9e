"""What is measured by hand, not by the suite: scores, ablations, pictures."""
