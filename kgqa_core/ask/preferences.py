"""Choosing for somebody: their facts and the options as a graph, and what came of each option.

The page `pages/preferences.py` asks R3 over a personal graph laid upon another (paper §5.1,
preference matching).
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from kgqa_core.ask import events
from kgqa_core.ask.events import Record
from kgqa_core.errors import SettingsError
from kgqa_core.facts.premises import Judgement, folded
from kgqa_core.kg.base import KnowledgeGraph
from kgqa_core.kg.union import UnionGraph, from_rows, overlay

Row = tuple[str, str, str]

COLUMNS = ("subject", "relation", "value")
MOST_ROWS = 1000
PERSONAL = "personal"  # the name of such a graph
MOST_OPTIONS = 20
_LONGEST = 300  # characters of a cell


@dataclass
class OptionView:
    """An option as far as the run has come: chosen, refused, or not decided."""

    name: str
    verdict: str = ""  # chosen, refused, perhaps, or empty
    judgements: tuple[Judgement, ...] = ()

    @property
    def deciding(self) -> list[Judgement]:
        """What spoke against it, or for it."""
        against = [j for j in self.judgements if j.state == "violated"]
        return against or [j for j in self.judgements if j.because]


@dataclass
class Choice:
    """What a run came to: the options in the order they were tried."""

    rule: str = ""
    options: list[OptionView] = field(default_factory=list)

    @property
    def chosen(self) -> OptionView | None:
        return next((o for o in self.options if o.verdict in {"chosen", "perhaps"}), None)


def parse(text: str) -> list[Row]:
    """Facts of a file, one a line: `subject | relation | value`, or with tabs or commas.

    Raises SettingsError for a line that is no fact, naming it, and for too many of them.
    """
    rows: list[Row] = []
    for number, cells in _cells(text.removeprefix("\ufeff")):
        cells = [cell.strip() for cell in cells]
        if len(cells) != 3 or not all(cells):
            raise SettingsError(f"Line {number} is not a fact: write subject | relation | value.")
        if any(len(cell) > _LONGEST for cell in cells):
            raise SettingsError(f"Line {number} is too long: write {_LONGEST} characters at most.")
        rows.append((cells[0], cells[1], cells[2]))
        if len(rows) > MOST_ROWS:
            raise SettingsError(f"A personal graph has at most {MOST_ROWS:,} facts.")
    return rows


def _cells(text: str) -> Iterator[tuple[int, list[str]]]:
    """The cells of each fact with the number of its line.

    A heading says what stands between the cells of all that follows, as `as_csv` writes it:
    their text may then hold anything, also ends of lines.
    """
    if separator := _heading(text):
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
        next(reader)
        yield from _numbered(reader, 0)
        return
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            between = next((s for s in ("\t", "|") if s in line), ",")
            yield from _numbered(csv.reader([line.rstrip("\r")], delimiter=between), number - 1)


def _heading(text: str) -> str:
    first = text.partition("\n")[0]
    for separator in ("\t", "|", ","):
        if tuple(cell.strip().casefold() for cell in first.split(separator)) == COLUMNS:
            return separator
    return ""


def _numbered(reader: Any, before: int) -> Iterator[tuple[int, list[str]]]:
    try:
        for cells in reader:
            if cells:
                yield before + reader.line_num, cells
    except csv.Error as error:
        raise SettingsError(
            f"Line {before + reader.line_num} is not a fact: write subject | relation | value."
        ) from error


def as_csv(rows: Iterable[Row]) -> str:
    """The facts as a file that `parse` reads."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")  # so that either in a cell is quoted
    writer.writerow(COLUMNS)
    writer.writerows(rows)
    return text.getvalue()


def question_of(query: str, options: Sequence[str]) -> str:
    """The query with its options as R3 reads them."""
    listed = "; ".join(f"({n}) {_plain(option)}" for n, option in enumerate(options, 1))
    said = " ".join(query.split())
    return f"{said}{'' if said[-1:] in '.!?…' else '.'} Choose one of: {listed}"


def _plain(option: str) -> str:
    """An option without what would look like the number of another."""
    return " ".join(re.sub(r"\((\d+)\)", r"\1", option).split())


def problem(query: str, options: Sequence[str]) -> str:
    """What keeps the choice from being made, in one sentence; empty when nothing does."""
    if not query.strip():
        return "Say what is wanted."
    if len(options) < 2:
        return "Give at least two options, one a line."
    if len(options) > MOST_OPTIONS:
        return f"At most {MOST_OPTIONS} options can be compared."
    twice = [o for o in options if [folded(x) for x in options].count(folded(o)) > 1]
    if twice:
        return f"“{twice[0]}” is there twice: make the options differ."
    return ""


def graph_of(rows: Iterable[Row], base: KnowledgeGraph) -> UnionGraph:
    """The facts on top of another graph; names that the other knows mean the same thing.

    Raises SettingsError for a fact that is too long and SourceRejected for one that is none.
    """
    kept = list(rows)
    for number, row in enumerate(kept, 1):
        if any(len(cell) > _LONGEST for cell in row):
            raise SettingsError(f"Fact {number} is too long: write {_LONGEST} characters at most.")
    return overlay(from_rows(kept, base, PERSONAL), base)


def choice_of(records: Sequence[Record]) -> Choice:
    """The choice of a run, from its events."""
    choice = Choice()
    views: dict[str, OptionView] = {}
    for record in records:
        match record.event:
            case events.Axiom(text=text):
                choice.rule = text
            case events.Judged(option=name, judgements=judgements) if name:
                views.setdefault(name, OptionView(name)).judgements = judgements
            case events.Verdict(option=name, verdict=verdict) if name in views:
                said = {"true": "chosen", "false": "refused", "undetermined": "perhaps"}
                views[name].verdict = said[verdict]
    choice.options = list(views.values())
    return choice
