"""What a question asks for: a small expression tree over phrases, not over ids.

Every node stands for a set of values. `Hole` is the set a restriction is about to be put on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any
from typing import Literal as OneOf

from kgqa_core.reader.words import Span

# role:    wanted is the PHRASE of source         "the director of X"
# holder:  source is the PHRASE of wanted         "whose director is X"
# agent:   source PHRASEs wanted                  "what X directed"
# patient: wanted PHRASEs source                  "who directed X"
Form = OneOf["role", "holder", "agent", "patient"]

MODERN_NAME = "modern name"  # what is asked for is the thing itself, as it is called now
NAMING = frozenset((MODERN_NAME, "called"))  # the thing itself, by another of its names
RECORD = "record holder"  # the phrase of a hop to whoever holds a record


@dataclass(frozen=True)
class Plan:
    """Any node of the tree."""


@dataclass(frozen=True)
class Hole(Plan):
    pass


@dataclass(frozen=True)
class Anchor(Plan):
    """A name of the question. `noun` is what the question calls it ("the film Titanic")."""

    text: str
    noun: str = ""
    heard: str = field(default="", compare=False)  # the pronoun that stands for it


@dataclass(frozen=True)
class Kind(Plan):
    """All things of a class."""

    noun: str


@dataclass(frozen=True)
class Hop(Plan):
    """Along the relation a phrase means. `want` is a kind of value: person, place, time, number.

    `beside` takes part in the same statement ("who played *Gus Fring* in Breaking Bad").
    """

    source: Plan
    phrase: str
    form: Form
    want: str = ""
    prep: str = ""
    when: Span | None = None
    beside: Plan | None = None
    noun: str = ""  # what the question calls the values
    heard: str = ""  # further words of the question it stands for


@dataclass(frozen=True)
class Of(Plan):
    """Members that are of a class."""

    source: Plan
    noun: str


@dataclass(frozen=True)
class From(Plan):
    """Members of a country or continent, given by its adjective."""

    source: Plan
    adjective: str


@dataclass(frozen=True)
class Where(Plan):
    """Members from which the phrase leads to `other` ("that were born in Vienna")."""

    source: Plan
    phrase: str
    form: Form  # of the hop from `other` to the members
    other: Plan
    prep: str = ""


@dataclass(frozen=True)
class Limit(Plan):
    """Members whose phrase is within a span ("more than 3 million inhabitants")."""

    source: Plan
    phrase: str
    span: Span
    noun: str = ""  # what the question calls what is counted


@dataclass(frozen=True)
class Nth(Plan):
    """The member at one end of a scale; `by` an adjective or what is counted or measured."""

    source: Plan
    by: str
    order: OneOf["highest", "lowest", "average", "sum"]
    position: int = 1


@dataclass(frozen=True)
class Count(Plan):
    source: Plan


@dataclass(frozen=True)
class Join(Plan):
    left: Plan
    right: Plan
    how: OneOf["union", "intersection", "minus"]


@dataclass(frozen=True)
class Measure(Plan):
    """The value an adjective or noun measures ("how tall is X")."""

    source: Plan
    by: str


@dataclass(frozen=True)
class Is(Plan):
    """Whether two sets share a member."""

    left: Plan
    right: Plan
    negated: bool = False


@dataclass(frozen=True)
class IsA(Plan):
    """Whether a thing is of a class ("Is Berlin a city?"), and from where `adjective` says."""

    source: Plan
    noun: str
    adjective: str = ""


@dataclass(frozen=True)
class Both(Plan):
    """Whether two claims are true together ("are A and B both capitals")."""

    left: Plan
    right: Plan


@dataclass(frozen=True)
class Some(Plan):
    """Whether a set has any member."""

    source: Plan
    negated: bool = False


@dataclass(frozen=True)
class Compare(Plan):
    """Whether the left measures more (highest) or less (lowest) than the right."""

    left: Plan
    right: Plan
    by: str
    order: OneOf["highest", "lowest", "average", "sum"]


@dataclass(frozen=True)
class Against(Plan):
    """Whether a measure of the source is within a span ("over 1000 km long")."""

    source: Plan
    by: str
    span: Span


@dataclass(frozen=True)
class Between(Plan):
    """Difference of two dates in years (or days), or of two numbers ("how many years older")."""

    left: Plan
    right: Plan
    unit: OneOf["years", "days", "number"]


@dataclass(frozen=True)
class Named(Plan):
    """Members that bear a name, or a part of one, that the question gives ("Oscars for …").

    What is `dated` is one of several, as the 1930 World Cup is: not what bears the very name.
    """

    source: Plan
    text: str
    dated: bool = False


@dataclass(frozen=True)
class Now(Plan):
    """Today, as a date."""


@dataclass(frozen=True)
class Age(Plan):
    """Years from a birth to an event; to today, or to the death, without one."""

    source: Plan
    event: Plan | None


@dataclass(frozen=True)
class Turning(Plan):
    """The year in which somebody, or something, became so many years old."""

    source: Plan
    years: int
    heard: str = ""


@dataclass(frozen=True)
class Office(Plan):
    """The office of a title that somebody held; without a title, one that rules."""

    source: Plan
    title: str


@dataclass(frozen=True)
class Neighbour(Plan):
    """Who came right before or after `other` in what a hop leads to: in an office, as a coach.

    With `when`, `other` is an event, and they held it when that was.
    """

    hop: Plan
    other: Plan
    side: OneOf["before", "after", "when"]


@dataclass(frozen=True)
class Lasting(Plan):
    """How long something held between source and other ("how long was X married to Y")."""

    source: Plan
    phrase: str
    other: Plan | None
    prep: str = ""
    unit: str = "years"


@dataclass(frozen=True)
class Alive(Plan):
    """Whether somebody lives; with a time or an event, whether they lived then."""

    source: Plan
    event: Plan | None = None
    span: Span | None = None


@dataclass(frozen=True)
class Reading:
    """One way to understand the question; a higher cost is a worse one."""

    cost: float
    plan: Plan


def parts(plan: Plan) -> Iterator[Plan]:
    """The plan and all plans inside it, outermost first."""
    yield plan
    for name in _fields(type(plan)):
        value = getattr(plan, name)
        if isinstance(value, Plan):
            yield from parts(value)


def _fields(kind: type[Plan]) -> tuple[str, ...]:
    if kind not in _FIELDS:
        _FIELDS[kind] = tuple(f.name for f in fields(kind))
    return _FIELDS[kind]


_FIELDS: dict[type, tuple[str, ...]] = {}  # looked up once a kind: plans are taken apart often


TICKED = ("yes", "true")  # how columns say that something is so
ENDS = ("source", "left", "right", "other")  # what a plan is about, not what is beside it


def united(plan: Plan) -> list[Plan]:
    """What a list consists of; a plan that is none is alone."""
    if isinstance(plan, Join) and plan.how == "union":
        return [*united(plan.left), *united(plan.right)]
    return [plan]


def anchors(plan: Plan) -> list[Anchor]:
    return [p for p in parts(plan) if isinstance(p, Anchor)]


def has_hole(plan: Plan) -> bool:
    return any(isinstance(p, Hole) for p in parts(plan))


def fill(plan: Plan, base: Plan) -> Plan:
    """The plan with `base` in place of its hole."""
    return base if isinstance(plan, Hole) else mapped(plan, lambda part: fill(part, base))


def mapped(plan: Plan, change: Callable[[Plan], Plan], ends: Sequence[str] = ()) -> Plan:
    """The plan with what `change` makes of each plan right in it; `ends`: of these fields alone."""
    changes: dict[str, Any] = {}
    for name in _fields(type(plan)):
        value = getattr(plan, name)
        if isinstance(value, Plan) and not (ends and name not in ends):
            changed = change(value)
            if changed is not value:
                changes[name] = changed
    return replace(plan, **changes) if changes else plan
