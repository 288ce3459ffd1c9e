"""Rows: a question about a table, or another graph of one's own, read by what its words name.

A word names a cell, a column, what the rows are, an amount or a time, an operation, or nothing.
Cells, ticks (columns of yes and no) and limits narrow the rows; a superlative orders them; the
column that is asked for is followed, counted or summed. The order of words hardly counts: who
keeps a table asks of it as he speaks (`table_words.py`). Words that name nothing stand against a
reading, and a name or a number that does refuses it. What is read so is never certain.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from kgqa_core.ask import people
from kgqa_core.errors import SettingsError
from kgqa_core.facts import units
from kgqa_core.facts.terms import Entity, RelationUse
from kgqa_core.facts.units import Unit
from kgqa_core.kg import headers
from kgqa_core.reader import evidence
from kgqa_core.reader.acting import CLASS, SUBCLASS, Found, View, taken
from kgqa_core.reader.grammar import FILLER
from kgqa_core.reader.lexicon import Lexicon, word_list
from kgqa_core.reader.meaning import Meaning
from kgqa_core.reader.paths import Hop, words
from kgqa_core.reader.plan import TICKED
from kgqa_core.reader.resolve import Resolver, in_own_words, names
from kgqa_core.reader.views import NotebookView
from kgqa_core.text import fold, singular, stem, stems

ROW = headers.ROW
_LITTLE = word_list("words of rows that say little")
SAYING_LITTLE = frozenset(map(stem, _LITTLE | evidence.LITTLE | FILLER))
_TICKS = dict(zip(TICKED, ("no", "false"), strict=True))  # each with what says the contrary
_NEITHER = frozenset({"n/a", "na", "-", "?", "none", "unknown", "tbc"})
_A_NAME = re.compile(r"(?:[A-Z][\w'’.-]*|&|and|of|the)(?: (?:[A-Z][\w'’.-]*|&|and|of|the))+")
_AGENTS = re.compile(r"\w{2,}(?:er|or|ee|ist|ant|ian|man|woman)")
_PEOPLE = frozenset(stem(w) for w in (*people.ANYBODY, *people.KINDS))
_CALLING = ("name", "label", "title")
_MANY = 4  # kinds, of which a word names none
_WITH_PEOPLE = frozenset(map(stem, "by with name person who owner client staff".split()))


@dataclass(frozen=True)
class Column:
    """A relation of the rows, from them or to them."""

    use: RelationUse
    kind: str = ""  # person, place, time, number or ""

    @property
    def name(self) -> str:
        return fold(self.use.relation.name)

    @cached_property
    def called(self) -> frozenset[str]:
        """What it may be called, with short words in full, without its unit."""
        bare = self.name.split(" in ")[0]
        full = " ".join(headers.MEANT.get(w, w) for w in bare.split())
        return names(self.use.relation) | {bare, full}

    @cached_property
    def says(self) -> frozenset[str]:
        """Stems of its name that say something."""
        found = stems(self.name.split(" in ")[0])
        return frozenset(w for w in found if w not in SAYING_LITTLE) or frozenset(found)

    def may_be_in(self, unit: Unit | None) -> bool:
        """Whether its numbers may be in a unit: its name says none, or this one."""
        own = [u for word in re.findall(r"\w+", self.name) if (u := units.unit(word))]
        return unit is None or not own or unit in own

    @property
    def ticks(self) -> str:
        """The word for “yes” below it, where there is nothing but yes and no, or that none fits."""
        told = {fold(e) for e in self.use.examples} - _NEITHER
        return next((yes for yes, no in _TICKS.items() if told and told <= {yes, no}), "")

    @property
    def has_people(self) -> bool:
        """Whether people stand in it: by its name, and names of several words in its cells."""
        told = any(_A_NAME.fullmatch(e) for e in self.use.examples)
        named = any(_AGENTS.fullmatch(w) for w in self.name.split())
        beside = told and not _WITH_PEOPLE.isdisjoint(stems(self.name))
        return self.kind == "person" or named or beside


@dataclass(frozen=True)
class Test:
    column: Column
    test: str  # of `walk.Test`, or “has not”
    value: str
    said: str  # in the question

    def told(self) -> str:
        said = self.value if self.column.ticks else self.said
        others = {"has not": "is not there", "has": "is there", "but": "is not"}
        return f"{self.column.name} {others.get(self.test, self.test)} {said}".strip()


@dataclass
class Asked:
    """What a question about rows asks for, as far as it was read."""

    rows: list[Found] = field(default_factory=list)  # that are named
    tests: list[Test] = field(default_factory=list)
    order: str = ""
    by: Column | None = None
    position: int = 1
    via: Column | None = None  # which leads to what the target is of
    target: Column | None = None
    operation: str = ""  # any, count, sum, average
    whether: bool = False  # the first of two rows is the one
    unsaid: list[str] = field(default_factory=list)

    def text(self) -> str:
        """How it was understood, for people."""
        what = self.target.name if self.target else "the rows"
        named = ", ".join(m.name for f in self.rows for m in f.members[:3])
        text = {"count": "number of ", "sum": "sum of ", "average": "average of ",
                "any": "whether there are "}.get(self.operation, "") + what  # fmt: skip
        text += f" of the {self.via.name}" if self.via else ""
        text += f" of {named}" if named else ""
        text += f" where {', '.join(t.told() for t in self.tests)}" if self.tests else ""
        return text + (f", the {self.order} {self.by.name}" if self.by else "")


@dataclass(frozen=True)
class Table:
    """All rows in view, their columns, and what they are called."""

    every: Found
    columns: tuple[Column, ...]
    kinds: frozenset[str]  # stems
    of_people: bool
    mixed: bool = False  # of several kinds


class Rows:
    """Reads questions about rows; `meaning` says which column is near where no word names one."""

    def __init__(self, lex: Lexicon, resolver: Resolver, meaning: Meaning | None) -> None:
        self.lex = lex
        self.resolver = resolver
        self.meaning = meaning

    def tables(self, question: str, view: NotebookView) -> Iterator[Table]:
        """The rows that a question may be about: those of kinds it names, people, all there are.

        Raises Need for a step that the walk has not taken yet.
        """
        ways = [use for v in view.sets if v.by is None for use in v.relations]
        if ways and not any(map(in_own_words, ways)):
            return  # a graph of a wide vocabulary is no table
        first = view.anchor(ROW, "class")
        if first is None or not first.members:
            return
        kinds = [k for k in view.entries(ROW) if self._holds(k)]
        said = re.findall(r"\w+", fold(question))
        asked = {s for w in said for s in (*stems(w), *stems(singular(w)))}
        meant = [k for k in kinds if self._called(k) & asked]
        somebody = [k for k in kinds if self._called(k) & _PEOPLE] if "who" in said[:3] else []
        for some in (meant, somebody, kinds):
            if some and (some is kinds or len(some) < len(kinds)):
                yield self._table(some, view, alone=len(kinds) == 1)

    def _table(self, kinds: Sequence[Found], view: View, *, alone: bool) -> Table:
        source = kinds[0]
        if len(kinds) > 1:
            source = replace(source, name="|".join(k.name for k in kinds), size=len(kinds))
        use = kinds[0].into(*CLASS)
        assert use is not None
        every = taken(view, "follow", source, use, "I look at what there is.")
        columns = tuple(
            Column(u, self._kind(u))
            for u in every.uses
            if fold(u.relation.name) not in (*CLASS, *SUBCLASS, *_CALLING)
            and (u.direction == "out" or not alone)
        )
        called = [self._called(kind) for kind in kinds]
        own = frozenset.union(*called) if alone or len(kinds) < _MANY else frozenset()
        of_people = all(names_ & _PEOPLE for names_ in called)
        return Table(every, columns, own, of_people, mixed=len(kinds) > 1)

    def _kind(self, use: RelationUse) -> str:
        kind = self.resolver.kind_of(use)
        told = any(e[:1].isdigit() or any(c.isdigit() for c in e) for e in use.examples)
        return kind if told or kind not in {"time", "number"} else ""  # “growing this year”: leeks

    def _holds(self, kind: Found) -> bool:
        use = kind.into(*CLASS)
        return use is not None and in_own_words(use)

    def _called(self, kind: Found) -> frozenset[str]:
        one = kind.members[0]
        own = (one.name, *one.aliases) if isinstance(one, Entity) else ()
        more = (x for name in own[:1] if (k := self.lex.class_of(name)) for x in k.labels)
        return frozenset(s for name in (*own, *more) for s in stems(name)) - {stem(ROW)}

    def near(self, asked: str, columns: Sequence[Column]) -> list[float]:
        """Cosines of the question with each column; -1 where the weights are not there."""
        if self.meaning is None or not columns:
            return [-1.0] * len(columns)
        ways = [words([Hop(c.use.relation.name, c.use.direction)]) for c in columns]
        try:
            return self.meaning.cosines(asked, ways)
        except SettingsError:
            return [-1.0] * len(columns)


def carried_out(asked: Asked, every: Found, view: View) -> Found:
    """Raises Need for a step that the walk has not taken yet."""
    found = every
    if asked.rows:
        found = _all(asked.rows, view)
    for t in asked.tests:
        found = _kept(t, found, view)
        if not found.size:
            break
    if asked.operation == "any" and not asked.whether:
        if not found.size and asked.rows and not _is_told(asked):
            return found  # a cell that is empty says neither yes nor no
        return view.act("Are there any?", tool="compute", of=found.name, operation="any")
    if not found.size:
        return found
    if asked.by is not None:
        best = view.act(
            f"Which has the {asked.order} {asked.by.name}?", tool="rank", of=found.name,
            relation=asked.by.use.relation.id, direction=asked.by.use.direction,
            order=asked.order, position=asked.position,
        )  # fmt: skip
        if asked.whether:
            return view.act("Is it the first?", tool="compute", of=best.name,
                            with_set=asked.rows[0].name, operation="same")  # fmt: skip
        found = best
    if asked.operation in {"sum", "average"} and asked.target is not None:
        if all(u.relation != asked.target.use.relation for u in found.uses):
            return replace(found, size=0)  # no number is there to be added
        what = f"{asked.operation} of the {asked.target.name}"
        found = taken(view, "compute", found, asked.target.use, what, operation=asked.operation)
        return found if found.certain else replace(found, size=0)  # some rows alone were read
    if asked.via is not None:
        found = taken(view, "follow", found, asked.via.use, f"Their {asked.via.name}.")
    if asked.target is not None and found.size:
        found = taken(view, "follow", found, asked.target.use, f"Their {asked.target.name}.")
    if asked.operation == "count":
        return view.act("How many are they?", tool="compute", of=found.name, operation="count")
    return found


def _is_told(asked: Asked) -> bool:
    own = {u.relation for row in asked.rows for u in row.uses}
    return all(t.column.use.relation in own or t.test == "has" for t in asked.tests)


def _all(rows: Sequence[Found], view: View) -> Found:
    found = rows[0] if rows else Found("", (), 0)
    for other in rows[1:]:
        found = view.act("These together.", tool="compute", of=found.name, with_set=other.name,
                         operation="union")  # fmt: skip
    return found


def _kept(t: Test, found: Found, view: View) -> Found:
    def keep(test: str, value: str) -> Found:
        more = {"value": value} if value else {}
        return taken(
            view, "keep", found, t.column.use, f"Those whose {t.told()}.", test=test, **more
        )

    if t.test == "during":  # in May of each year
        return _all(
            [kept for day in t.value.split(" | ") if (kept := keep("during", day)).size], view
        )
    if t.test not in {"but", "has not"}:
        return keep(t.test, t.value)
    those = keep("is", t.value) if t.test == "but" else keep("has", "")
    return view.act("And the others.", tool="compute", of=found.name, with_set=those.name,
                    operation="minus")  # fmt: skip
