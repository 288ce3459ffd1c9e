"""The whole table, as `SECURITY.md` quotes it; `python -m tests.faults files` prints one part.

Only by its name: `browsers`, the sessions with real browsers among them.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.faults import files, graphs, kills, models, sessions, strings, values
from tests.faults.cells import Cell, table
from tests.screens.browser import launched


def _strings(folder: Path) -> list[Cell]:
    with launched() as browser:
        return strings.cells(folder, browser)


def _files(folder: Path) -> list[Cell]:
    return [*files.cells(folder), *files.large(folder / "large")]


PARTS: dict[str, Callable[[Path], list[Cell]]] = {
    "models": models.cells,
    "graphs": lambda _: graphs.cells(),
    "values": values.cells,
    "strings": _strings,
    "files": _files,
    "sessions": lambda _: sessions.cells(),
    "kills": kills.cells,
}
MORE: dict[str, Callable[[Path], list[Cell]]] = {
    "browsers": lambda _: sessions.cells(browsers=sessions.BROWSERS)
}


def main(chosen: list[str]) -> int:
    """Prints the parts that are named, or all; returns how many cells did not hold."""
    every = PARTS | MORE
    if unknown := set(chosen) - every.keys():
        print(f"There is no part {', '.join(unknown)}: there are {', '.join(every)}.")
        return 2
    began, losses = time.monotonic(), 0
    for name in chosen or PARTS:
        started = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            found = every[name](Path(folder))
        print(table(name.capitalize(), found), flush=True)
        print(f"  {time.monotonic() - started:.0f} s", flush=True)
        losses += sum(bool(cell.wrong) for cell in found)
    print(f"All: {time.monotonic() - began:.0f} s\nlosses: {losses}")
    return min(losses, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
