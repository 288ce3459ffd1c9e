"""Many visitors at once: each gets what was asked for, and the server stays within bounds."""

from __future__ import annotations

from tests.faults.cells import Cell
from tests.speed.load import measured, told

SESSIONS, SECONDS = 25, 300.0
BROWSERS = 6  # of them, in the part of that name
_MOST_MB = 1_200.0


def cells(sessions: int = SESSIONS, seconds: float = SECONDS, browsers: int = 0) -> list[Cell]:
    """How fast it is hangs on the machine, and is told beside the table.

    `browsers` of the sessions are real ones, whose every complaint is a loss.
    """
    found = measured(sessions, seconds, browsers)
    print("\n".join(f"  {line}" for line in told(found)), flush=True)
    seen, lost = found.seen, iter(found.seen.lost)
    real = f", {browsers} of them browsers" if browsers else ""
    row = f"{sessions} sessions{real}, {seconds:.0f} s"
    missed = seen.asked - seen.ended
    return [
        *(Cell(row, f"session {n + 1}", next(lost, "")) for n in range(sessions)),
        *(Cell(row, "more", wrong) for wrong in lost),
        Cell(row, "runs", f"{missed} of {seen.asked} not seen to their end" if missed else ""),
        Cell(row, "memory", f"{found.end_mb:.0f} MB" if found.end_mb > _MOST_MB else ""),
    ]
