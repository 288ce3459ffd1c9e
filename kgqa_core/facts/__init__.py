"""Values, and what can be reckoned from them without asking anybody: the ground floor."""
