"""The Knowledge graphs page."""
