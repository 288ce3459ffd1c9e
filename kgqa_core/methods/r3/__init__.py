"""R3 (Toroghi et al. 2024): the algorithm, its queries, its judging and its skills."""
