"""Families of the rule base that take code: people, places, times, amounts, sameness, choices."""
