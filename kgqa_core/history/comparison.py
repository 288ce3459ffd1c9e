"""What runs have in common and where they part: pure functions over their headers and records."""

from __future__ import annotations

import json
from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from difflib import SequenceMatcher
from typing import Any
from typing import Literal as OneOf

from kgqa_core.ask import events
from kgqa_core.ask.events import Answer, Record, Status, Support, status_of
from kgqa_core.ask.header import Edits, Header
from kgqa_core.ask.outcome import answer_of
from kgqa_core.facts import verbalise
from kgqa_core.facts.terms import NUMBERS, Entity, Passage, Value
from kgqa_core.methods import METHODS
from kgqa_core.text import enumerated, listed

MOST_SIDES = 6
MOST_REPEATS = 5
MOST_RUNS = MOST_SIDES * MOST_REPEATS  # looked at together: all methods, or a few repeated

Key = Hashable
Reach = OneOf["used", "retrieved"]


# -- who is compared ------------------------------------------------------------------------


def sides(headers: Sequence[Header]) -> list[list[int]]:
    """Positions of the runs, those that repeat one another together, in order of appearance."""
    found: dict[tuple[str, ...], list[int]] = {}
    for i, h in enumerate(headers):
        params = json.dumps(h.params, sort_keys=True)
        edits = h.edits.model_dump_json() if h.edits else ""  # a fork repeats nothing
        key = (" ".join(h.question.split()), h.method, params, h.graph, h.model, edits)
        found.setdefault(key, []).append(i)
    return list(found.values())


def names(headers: Sequence[Header]) -> list[str]:
    """A short name for each side, unique: the method, and what sets it apart from its like."""
    titles = [METHODS[h.method].title if h.method in METHODS else h.method for h in headers]
    found = []
    for header, title in zip(headers, titles, strict=True):
        alike = [h for h, t in zip(headers, titles, strict=True) if t == title]
        differing = [f"{field} {value}" for field, value in _traits(header, alike)]
        if header.edits is not None and any(h.edits != header.edits for h in alike):
            differing.insert(0, _fork(header.edits))
        found.append(f"{title} ({', '.join(differing)})" if differing else title)
    seen: dict[str, int] = {}
    for i, name in enumerate(found):
        seen[name] = seen.get(name, 0) + 1
        if seen[name] > 1:
            found[i] = f"{name} #{seen[name]}"
    return found


def _fork(edits: Edits) -> str:
    if edits.without:
        return f"without “{verbalise.statement(edits.without[-1])[:60]}”"
    return "fork"


def _traits(header: Header, alike: Sequence[Header]) -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for field in header.params:
        if any(h.params.get(field) != header.params[field] for h in alike):
            found.append((field.replace("_", " "), header.params[field]))
    for field in ("graph", "model"):
        value = getattr(header, field)
        if any(getattr(h, field) != value for h in alike):
            found.append((field, value))
    return found


# -- answers --------------------------------------------------------------------------------


class Values:
    """Tells values from strings: a name an entity of any answer goes by stands for that entity.

    `1912` as a year and as a number are one value, and so are `8849` and `8849.0`.
    """

    def __init__(self, answers: Iterable[Answer]) -> None:
        self._entities: dict[str, str] = {}
        self.labels: dict[Key, str] = {}
        answers = list(answers)
        for answer in answers:
            for value in answer.values:
                if isinstance(value, Entity):
                    for name in (value.name, *value.aliases):
                        self._entities.setdefault(_folded(name), value.id)
        for answer in answers:
            for value in answer.values:
                key = self.key(value)
                if isinstance(value, Entity) or key not in self.labels:
                    self.labels[key] = verbalise.value(value)

    def key(self, value: Value) -> Key:
        if isinstance(value, Entity):
            return ("entity", value.id)
        if value.datatype in NUMBERS:
            try:
                unit = value.unit.id if value.unit else ""
                return ("number", Decimal(value.value.replace(",", "")).normalize(), unit)
            except InvalidOperation:
                pass
        name = _folded(value.value)
        if name in self._entities:
            return ("entity", self._entities[name])
        return ("text", name)

    def of(self, answer: Answer) -> frozenset[Key]:
        """What an answer says; its text where it names no value; empty: it says nothing."""
        if answer.values:
            return frozenset(self.key(v) for v in answer.values)
        return frozenset([("text", _folded(answer.text))]) if answer.sentences else frozenset()


@dataclass(frozen=True)
class Group:
    """Runs that gave the same answer; no values: they gave none."""

    values: frozenset[Key]
    says: str
    members: tuple[int, ...]


def agreement(runs: Sequence[Sequence[Record]]) -> list[Group]:
    """Ended runs by what they answered, the largest group first, those without answer last."""
    answers = [answer_of(records) for records in runs]
    values = Values(answers)
    found: dict[frozenset[Key], list[int]] = {}
    for i, (records, answer) in enumerate(zip(runs, answers, strict=True)):
        if status_of(list(records)) != "running":
            found.setdefault(values.of(answer), []).append(i)
    groups = [
        Group(said, _says(said, values, answers[members[0]]), tuple(members))
        for said, members in found.items()
    ]
    return sorted(groups, key=lambda g: (not g.values, -len(g.members), g.members[0]))


def _says(said: frozenset[Key], values: Values, answer: Answer) -> str:
    if not said:
        return "no answer"
    return ", ".join(sorted(values.labels[k] for k in said if k in values.labels)) or answer.text


def value_table(runs: Sequence[Sequence[Record]]) -> list[tuple[str, tuple[bool, ...]]]:
    """Each value any run answered, and which runs did; those of most runs first."""
    answers = [answer_of(records) for records in runs]
    values = Values(answers)
    said = [values.of(answer) for answer in answers]
    keys = dict.fromkeys(values.key(v) for answer in answers for v in answer.values)
    rows = [(values.labels[key], tuple(key in one for one in said)) for key in keys]
    return sorted(rows, key=lambda row: -sum(row[1]))


@dataclass(frozen=True)
class Stability:
    """How alike the repetitions of one side are. `share` is that of the commonest answer."""

    ended: int
    distinct: int
    share: float
    commonest: str
    calls: tuple[int, int]  # fewest and most
    seconds: tuple[float, float]


def stability(runs: Sequence[Sequence[Record]]) -> Stability | None:
    """None while none of the repetitions has ended."""
    ended = [records for records in runs if status_of(list(records)) != "running"]
    if not ended:
        return None
    groups = sorted(agreement(ended), key=lambda g: -len(g.members))
    calls = [sum(r.cost.llm_calls for r in records) for records in ended]
    seconds = [records[-1].at_s for records in ended]
    return Stability(
        len(ended),
        len(groups),
        len(groups[0].members) / len(ended),
        groups[0].says,
        (min(calls), max(calls)),
        (min(seconds), max(seconds)),
    )


# -- facts ----------------------------------------------------------------------------------


def used(records: Iterable[Record]) -> list[Support]:
    """What a run rests on: facts it went along, computed with or cites, each once."""
    found: dict[Support, None] = {}
    for record in records:
        match record.event:
            case events.Chosen() as e:
                found.update(dict.fromkeys(e.statements))
            case events.Computed() as e:
                found.update(dict.fromkeys(e.because))
            case events.Corrected() as e if e.found is not None:
                found[e.found] = None
            case events.Answered() | events.Abstained() as e:
                found.update(dict.fromkeys(e.answer.citations))
    return list(found)


Region = tuple[int, ...]


def regions(sets: Sequence[Collection[Support]]) -> dict[Region, list[Support]]:
    """Each fact once, by exactly which sets hold it; regions of most sets first."""
    held: dict[Support, list[int]] = {}
    for i, facts in enumerate(sets):
        for fact in facts:
            held.setdefault(fact, []).append(i)
    found: dict[Region, list[Support]] = {}
    for fact, where in held.items():
        found.setdefault(tuple(sorted(set(where))), []).append(fact)
    return dict(sorted(found.items(), key=lambda item: (-len(item[0]), item[0])))


def region_name(region: Region, sides: Sequence[str]) -> str:
    """“all found”, “only R3”, “ReAct and R3”."""
    if len(region) == len(sides) and len(sides) > 1:
        return "all found"
    only = "only " if len(region) == 1 else ""
    return only + enumerated([sides[i] for i in region])


# -- steps ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Move:
    """Something a method did to the graph, comparable across methods by its key."""

    key: Key
    text: str


def moves(records: Iterable[Record], values: Values) -> list[Move]:
    """The walk without what was merely thought; a move that repeats the one before is left out."""
    found: list[Move] = []
    for record in records:
        move = _move(record.event, values)
        if move is not None and (not found or found[-1].key != move.key):
            found.append(move)
    return found


def _move(event: events.Event, values: Values) -> Move | None:
    key: Key
    match event:
        case events.Anchored():
            return Move(("anchor", event.entity.id), f"Start at {event.entity.name}")
        case events.Expanded():
            around = frozenset(e.id for e in event.entities)
            by = f"Look up “{event.relation.name}” of" if event.relation else "Look around"
            key = ("look", around, event.relation.id if event.relation else "")
            return Move(key, f"{by} {listed(dict.fromkeys(e.name for e in event.entities), 3)}")
        case events.Retrieved():
            return Move(("search", _folded(event.query)), f"Search for “{event.query}”")
        case events.Queried():
            return Move(("query", " ".join(event.sparql.split())), "Query with SPARQL")
        case events.Chosen():
            far = frozenset(e.id for e in event.entities)
            return Move(("go", frozenset(event.statements), far), event.line)
        case events.Computed():
            key = ("compute", event.operation, frozenset(values.key(v) for v in event.result))
            return Move(key, event.line)
        case events.Proposed():
            return Move(("propose", frozenset(event.statements)), event.line)
        case events.Corrected():
            return Move(("correct", event.claimed, event.found), event.line)
        case events.Axiom():
            return Move(("axiom", _folded(event.text)), event.line)
        case events.DeadEnd():
            stuck = frozenset(e.id for e in event.entities)
            names = listed(dict.fromkeys(e.name for e in event.entities), 3)
            return Move(("dead end", stuck), f"Dead end at {names}")
        case events.Answered():
            said = ", ".join(verbalise.value(v) for v in event.answer.values[:5])
            return Move(("answer", values.of(event.answer)), f"Answer: {said or event.answer.text}")
        case events.Abstained():
            return Move(("no answer",), "No answer")
        case events.Failed():
            return Move(("failed", event.message), f"Failed: {event.message}")
        case events.Cancelled():
            return Move(("stopped",), "Stopped")
    return None


Row = tuple[Move | None, ...]


def align(walks: Sequence[Sequence[Move]]) -> list[Row]:
    """Walks in columns, equal moves in one row; what stands in the same place shares a row."""
    if not walks:
        return []
    rows: list[list[Move | None]] = [[move] for move in walks[0]]
    for n, walk in enumerate(walks[1:], start=1):
        shared = [_first(row).key for row in rows]
        matcher = SequenceMatcher(None, shared, [m.key for m in walk], autojunk=False)
        merged: list[list[Move | None]] = []
        for _, a, b, c, d in matcher.get_opcodes():
            above, beside = rows[a:b], list(walk[c:d])
            for i in range(max(len(above), len(beside))):
                row = above[i] if i < len(above) else [None] * n
                merged.append([*row, beside[i] if i < len(beside) else None])
        rows = merged
    return [tuple(row) for row in rows]


def _first(row: Sequence[Move | None]) -> Move:
    return next(move for move in row if move is not None)


def together(row: Row) -> bool:
    """Whether all did the same here."""
    return all(move is not None and move.key == _first(row).key for move in row)


def parting(rows: Sequence[Row]) -> int | None:
    """The first row that is not the same for all; None: they never part."""
    return next((i for i, row in enumerate(rows) if not together(row)), None)


# -- numbers --------------------------------------------------------------------------------


def numbers(records: Sequence[Record]) -> dict[str, Any]:
    """One run as a row: how it ended, what it said, what it took."""
    answer = answer_of(records)
    status: Status = status_of(list(records))
    told = (verbalise.led_to(v, answer.citations) for v in answer.values)
    said = ", ".join(told) or answer.text
    return {
        "status": status,
        "grounding": answer.grounding if status in ("answered", "abstained") else "",
        "answer": said,
        "facts cited": len(answer.citations),
        "facts used": len(used(records)),
        "model calls": sum(r.cost.llm_calls for r in records),
        "tokens": sum(r.cost.prompt_tokens + r.cost.completion_tokens for r in records),
        "graph requests": sum(r.cost.kg_requests for r in records),
        "seconds": round(records[-1].at_s, 3) if records else 0.0,
    }


def fact_cells(fact: Support) -> dict[str, str]:
    if isinstance(fact, Passage):
        return {"subject": fact.title, "relation": "text", "object": fact.text}
    return {
        "subject": fact.subject.name,
        "relation": fact.relation.name,
        "object": verbalise.value(fact.object, fact.relation) + verbalise.qualified(fact),
    }


def _folded(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".")
