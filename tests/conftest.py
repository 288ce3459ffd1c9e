"""Fixtures every test may use."""

from tests.browser import browser, serve, visit

__all__ = ["browser", "serve", "visit"]
