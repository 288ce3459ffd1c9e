"""Where the files lie that come with the program: the folder `assets`."""

from __future__ import annotations

from pathlib import Path

ASSETS = Path(__file__).resolve().parents[1] / "assets"
