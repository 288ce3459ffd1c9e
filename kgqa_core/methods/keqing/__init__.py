"""Keqing (Wang et al. 2024): the algorithm, its recall, its skills and its templates."""
