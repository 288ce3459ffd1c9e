"""Where the files lie that come with the program: app, pages and the folder `assets`.

In a checkout they stand beside the package; in a wheel they lie inside, in `program`.
"""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_PACKED = _PACKAGE / "program"

PROGRAM = _PACKED if _PACKED.is_dir() else _PACKAGE.parent
ASSETS = PROGRAM / "assets"
