"""What all rules of evaluation share: sets in view, actions on them, relations around them.

A plan is evaluated over a `View`: the part of the graph that is in sight. The rules are in the
subclasses, one file for each kind of plan, each building on the one before: classes, hops,
amounts, stretches, verdicts, and `evaluate.Evaluator` at the end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, Protocol

from kgqa_core.facts import relations
from kgqa_core.facts.completeness import Missing, missing
from kgqa_core.facts.terms import TIMES, Direction, Entity, Literal, RelationUse, Value
from kgqa_core.reader import plan as p
from kgqa_core.reader.lexicon import Lexicon
from kgqa_core.reader.plan import Plan
from kgqa_core.reader.resolve import Resolver, called
from kgqa_core.reader.wording import step
from kgqa_core.text import asks_for_a_kind, fold, singular, speaks_of_the_past

PAST_STATE = "historical country"
PARTS = ("has part(s)",)
CLASS, SUBCLASS = relations.labels("class"), relations.labels("subclass")
SEX = relations.labels("sex")
BORN, DIED = relations.row("date of birth").labels, relations.row("date of death").labels
_DEGREES: tuple[Missing, ...] = ("", "several", "class", "set", "now", "source")
_WITNESSED = frozenset({"any", "same", "none"})  # one statement is enough for these


@dataclass(frozen=True)
class Found:
    """A set in view. `certain` False: part of the way to it was a guess."""

    name: str
    members: tuple[Value, ...] = field(repr=False)
    size: int
    uses: tuple[RelationUse, ...] = field(default=(), repr=False)
    certain: bool = True
    problem: str = ""
    via: str = ""  # the relation that led here
    back: bool = False  # along it from its object, so what is missing may just not be recorded
    missing: Missing = ""  # what may be missing from it, as the graph gives only a part

    def doubted(self, *doubts: bool) -> Found:
        return replace(self, certain=self.certain and not any(doubts))

    def out(self, *labels: str) -> RelationUse | None:
        """The first of these relations that leads from it."""
        return find_use(self.uses, labels, "out")

    def into(self, *labels: str) -> RelationUse | None:
        """The first of these relations that leads to it."""
        return find_use(self.uses, labels, "in")

    @property
    def things(self) -> list[Entity]:
        return [m for m in self.members if isinstance(m, Entity)]

    @property
    def literals(self) -> list[Literal]:
        return [m for m in self.members if isinstance(m, Literal)]

    @property
    def times(self) -> list[Literal]:
        return [m for m in self.literals if m.datatype in TIMES]


class View(Protocol):
    """The part of a graph that is in sight, and how to act in it.

    `may_look`: whether names that were not looked up yet are worth a look. `in_part`: whether it is
    of some facts alone, so that of things at their ends nothing need be stated.
    """

    may_look: bool
    in_part: bool

    def anchor(self, text: str, noun: str) -> Found | None:
        """The set of a name of the question; None when the graph does not have it."""
        ...

    def act(self, thought: str, **action: Any) -> Found:
        """The result of an action on sets. Raises Need when it has not been taken yet."""
        ...


class Acting:
    """Actions on sets in view, and what the question says as a whole."""

    def __init__(self, view: View, lex: Lexicon, resolver: Resolver, question: str) -> None:
        self.view = view
        self.lex = lex
        self.resolver = resolver
        tokens = re.findall(r"\w+", fold(question))
        self.who = "who" in tokens[:2]
        self.owned = {b for a, b in pairwise(tokens) if a in {"my", "our"}}
        self.any = asks_for_a_kind(question)
        self.past = speaks_of_the_past(question)
        self.when_is = tokens[:2] in (["when", "is"], ["when", "s"], ["when", "are"])
        self.now = "current" in question.casefold() or bool(
            {"now", "today", "currently", "incumbent", "present"} & set(tokens)
        )
        self.reasons: list[str] = []

    def values(self, plan: Plan) -> Iterator[Found]:
        """The plan's possible results, the most likely first; empty sets are left out."""
        method = getattr(self, "_" + type(plan).__name__.lower())
        for found in method(plan):
            if found.size:
                yield found

    def _follow(self, source: Found, use: RelationUse, thought: str = "", **more: str) -> Found:
        thought = thought or step(use, self._name_of(source, p.Hole()))
        found = taken(self.view, "follow", source, use, thought, **more)
        # one statement among others is told from them by its value, one office by its time
        told = bool(
            more.get("value") or more.get("qualifier") or (more.get("at") and found.size == 1)
        )
        several = found.size > source.size
        own: Missing = "" if told else missing(use.relation, use.direction, several=several)
        if use.count < source.size:
            own = "source"
        described = source.size == 1 and source.missing != "now"  # the one that was meant
        before = [] if described else [source]
        return lacking(found, own, *before).doubted(not source.certain)

    def _keep(self, source: Found, use: RelationUse, test: str, value: str, thought: str) -> Found:
        found = taken(self.view, "keep", source, use, thought, test=test, value=value)
        own: Missing = "set" if use.count < source.size else ""
        return lacking(found, own, source).doubted(not source.certain)

    def _whether(self, source: Found, use: RelationUse, value: str, thought: str) -> Found:
        """Whether a relation has a value: that there is one, or that it has others."""
        kept = self._keep(source, use, "is", value, thought)
        if kept.size:
            return self._compute("any", kept, None, "So it is.")
        said = self._follow(source, use, "What is it, then?")
        return self._compute("same", said, kept, "It is not.")

    def _rank(self, source: Found, use: RelationUse | None, plan: p.Nth) -> Found:
        which = "" if plan.position == 1 else f"number {plan.position} by "
        what = f"{use.relation.name}" if use else "time"
        if use and plan.order in {"average", "sum"}:
            return taken(self.view, "compute", source, use, f"{plan.order} of the {what}",
                         operation=plan.order).doubted(not source.certain)  # fmt: skip
        found = self.view.act(
            f"Which has the {which}{plan.order} {what}?" if use else "In the order of time.",
            tool="rank", of=source.name, relation=use.relation.id if use else "",
            direction=use.direction if use else "out", order=plan.order, position=plan.position,
        )  # fmt: skip
        counted = use is not None and self.resolver.kind_of(use) not in {"number", "time"}
        own = missing(use.relation, use.direction) if use and counted else ""  # the most awards
        return lacking(found, own, source).doubted(not source.certain)

    def _compute(
        self, operation: str, a: Found, b: Found | None, thought: str, **more: str
    ) -> Found:
        found = self.view.act(
            thought, tool="compute", of=a.name, with_set=b.name if b else "",
            operation=operation, **more,
        )  # fmt: skip
        if operation not in _WITNESSED:
            found = lacking(found, "", a, *([b] if b else []))
        return found.doubted(not a.certain, b is not None and not b.certain)

    def _numeric(self, found: Found) -> bool:
        return all(
            isinstance(m, Literal)
            and m.datatype not in TIMES
            and m.value.lstrip("+-").replace(".", "", 1).isdigit()
            for m in found.members
        )

    def _suits(self, found: Found, want: str) -> bool:
        if want == "time":
            return bool(found.literals)
        return want not in {"person", "place"} or bool(found.things) or not found.uses

    def _as_many(self, every: Found, whole: Found, noun: str) -> Found:
        """A set of which nothing is missing, where it has as many as its whole is said to have."""
        number = self._stated_number(whole, noun) if every.missing in {"class", "set"} else None
        is_whole = number is not None and {m.value for m in number.literals} == {str(every.size)}
        return replace(every, missing="", certain=whole.certain) if is_whole else every

    def _stated_number(self, thing: Found, noun: str, *, seen: bool = False) -> Found | None:
        """How many parts of a kind a thing has, where that is said: a spider's legs, eight.

        `seen`: only where such a part is among those that a list of relations names.
        """
        use = thing.out(*PARTS) if thing.size == 1 else None
        kind = fold(singular(noun)).split()[-1:]
        shown = [fold(e).split()[-1:] for e in use.examples] if use is not None else []
        if use is None or (kind not in shown and (seen or use.count <= len(shown))):
            return None
        asked = {fold(noun), fold(singular(noun))}
        things = self._follow(thing, use).things
        of = [m for m in things if asked & {fold(n) for n in (m.label, *m.aliases)}]
        of = of or [m for m in things if kind == fold(m.label).split()[-1:]]  # a federal state
        return self._follow(thing, use, value=ids_of(of), qualifier="quantity") if of else None

    def _lack(self, what: str, subject: str = "What was read") -> None:
        """Notes why a plan leads nowhere, as a sentence, once."""
        if (reason := f"{subject} {what}.") not in self.reasons:
            self.reasons.append(reason)

    def _name_of(self, found: Found, plan: Plan) -> str:
        if found.size == 1 and found.members:
            return found.members[0].name
        if isinstance(plan, p.Hop) and plan.form == "role":
            return f"the {plan.phrase}"
        return "them"


def taken(
    view: View, tool: str, source: Found, use: RelationUse, thought: str, **more: str
) -> Found:
    """What an action along a relation of a set comes to; what is empty in `more` is left out."""
    given = {key: value for key, value in more.items() if value}
    return view.act(
        thought, tool=tool, of=source.name, relation=use.relation.id, direction=use.direction,
        **given,
    )  # fmt: skip


def lacking(found: Found, own: Missing, *sources: Found) -> Found:
    """A set with what may be missing from it, or from those it was made of."""
    gaps = {own, *(source.missing for source in sources)}
    return replace(found, missing=max(gaps, key=_DEGREES.index))


def denied(found: Found) -> bool:
    """Whether the result is a no."""
    return any(m.value == "false" for m in found.literals)


def changes(use: RelationUse) -> bool:
    """Whether the present value is meant when the question speaks in the present."""
    return relations.belongs(use.relation, "changes hands" if use.direction == "in" else "changes")


def twin(uses: Sequence[RelationUse], use: RelationUse) -> RelationUse | None:
    same = (u for u in uses if (u.relation, u.direction) == (use.relation, use.direction))
    return next(same, None)


def turned(use: RelationUse) -> RelationUse:
    """The relation as it is seen from its other end."""
    return replace(use, direction="in" if use.direction == "out" else "out")


def ids_of(members: Sequence[Value]) -> str:
    return " | ".join(m.id if isinstance(m, Entity) else m.value for m in members)


def find_use(
    uses: Sequence[RelationUse], labels: Sequence[str], direction: Direction
) -> RelationUse | None:
    """The first of the labels that is among the relations, in this direction."""
    known = (called(label.casefold(), direction, uses) for label in labels)
    return next(filter(None, known), None)


def kinds_of(found: Found) -> list[str]:
    """What things are said to be, by the examples that are shown."""
    use = found.out(*CLASS)
    return [fold(example) for example in use.examples] if use else []


def all_are(use: RelationUse, labels: Sequence[str]) -> bool:
    """Whether all examples, if they show every value, are one of the labels."""
    wanted = {label.casefold() for label in labels}
    return 0 < len(use.examples) < 3 and all(e.casefold() in wanted for e in use.examples)
