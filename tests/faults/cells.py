"""One cell of the table: a run with something wrong in it, and whether it ended as it should."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from kgqa_core.ask.events import Abstained, Answered, Cancelled, Failed, Record
from kgqa_core.ask.run import run
from kgqa_core.ask.setup import Setup

SECRET = "sk-hush-0123456789abcdef"
_MOST_MESSAGE = 600  # characters of one clear sentence, with what an endpoint said in it
_MOST_TOLD = 60  # cells that did not hold, each in a line
_SLACK_S = 120.0  # a busy machine's, beyond the run's own budget: what hangs takes longer


@dataclass(frozen=True)
class Cell:
    """`wrong`: what did not hold, in words; empty when all did."""

    row: str
    column: str
    wrong: str
    ended: str = ""
    seconds: float = 0.0


def judged(row: str, column: str, question: str, setup: Setup) -> Cell:
    """Runs the question; one terminal state, within budget, one sentence, no secret."""
    began = time.monotonic()
    records = list(run(question, setup.solve, setup.toolkit(), setup.params))
    seconds = time.monotonic() - began
    ended = records[-1].event.kind if records else "nothing"
    return Cell(row, column, _wrong(records, seconds, setup), ended, seconds)


def _wrong(records: list[Record], seconds: float, setup: Setup) -> str:
    terminal = [record.event for record in records if record.event.terminal]
    if len(terminal) != 1 or not records[-1].event.terminal:
        return f"{len(terminal)} terminal states"
    if seconds > setup.budget.seconds + _SLACK_S:
        return f"took {seconds:.0f} s"
    if any(SECRET in record.model_dump_json() for record in records):
        return "the key is in the record"
    last = terminal[0]
    if isinstance(last, Failed):
        return sentence_wrong(last.message)
    if isinstance(last, Abstained) and not last.answer.reason:
        return "abstained without a reason"
    if isinstance(last, Answered | Abstained | Cancelled):
        return ""
    return f"ended as {last.kind}"


def sentence_wrong(message: str) -> str:
    """Why a message is not one that a person can do something with; empty when it is."""
    if "defect" in message or "Traceback" in message:
        return f"told as ours: {message[:300]}"
    if "\n" in message or not message.strip():
        return f"not one sentence: {message[:80]!r}"
    if len(message) > _MOST_MESSAGE:
        return f"{len(message)} characters"
    if not message.rstrip().endswith((".", "?", "!", ")", "”", "…")):
        return f"no sentence: {message[-80:]!r}"
    return ""


def carried_out(jobs: Iterable[Callable[[], Cell]], at_once: int = 16) -> list[Cell]:
    """All of them, several at once, for most of the time is waiting."""
    with ThreadPoolExecutor(at_once) as pool:
        return [done.result() for done in [pool.submit(job) for job in jobs]]


def table(title: str, cells: list[Cell]) -> str:
    """How many held, by row, and each that did not."""
    held, all_ = Counter[str](), Counter[str]()
    for cell in cells:
        all_[cell.row] += 1
        held[cell.row] += not cell.wrong
    slowest = max((cell.seconds for cell in cells), default=0.0)
    total = f"{sum(held.values()):,} of {len(cells):,}"
    lines = [f"{title}: {total}, the slowest {slowest:.1f} s"]
    lines += [f"  {row:28} {held[row]:>4} of {all_[row]}" for row in all_]
    wrong = [f"  {c.row} × {c.column}: {c.wrong}" for c in cells if c.wrong]
    lines += wrong[:_MOST_TOLD]
    if len(wrong) > _MOST_TOLD:
        lines.append(f"  and {len(wrong) - _MOST_TOLD:,} more")
    return "\n".join(lines)
