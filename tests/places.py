"""Where tests find what they read: the checkout, their own files, and the data beside it."""

from __future__ import annotations

from pathlib import Path

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent
APP = ROOT / "app.py"
DATA = ROOT.parent / "shared" / "data"  # no part of the repository: what needs it skips without
