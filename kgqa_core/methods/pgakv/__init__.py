"""PG&AKV (Liu et al. 2024): the algorithm, its claims, its skills, and Cypher."""
