"""Fixtures every test may use."""

from tests.browser import browser, serve, visit
from tests.pages import app

__all__ = ["app", "browser", "serve", "visit"]
