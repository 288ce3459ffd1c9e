"""Where the files lie that come with the program: app, pages and the folder `assets`.

In a checkout they stand beside the package; in a wheel they lie inside, in `program`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_PACKED = _PACKAGE / "program"

PROGRAM = _PACKED if _PACKED.is_dir() else _PACKAGE.parent
ASSETS = PROGRAM / "assets"


def rows(path: Path) -> Iterator[list[str]]:
    """The cells of a table, a list a line; lines that begin with “#” are comments."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            yield [cell.strip() for cell in line.split("\t")]
