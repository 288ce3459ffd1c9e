"""What others do wrong, against all of ours: `python -m tests.faults` prints the table."""
