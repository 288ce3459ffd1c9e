"""What facts make of a premise: satisfied, violated or open, and the statements that decide it.

Numbers, dates and intervals are computed (R3, equations 2–3).

Absence: a relation of which an entity has some values is taken to have no others; one without any
value is open, unless the premise is `closed`, when nothing found counts as nothing there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal

from kgqa_core.facts import compute, relations, timeline, units, verbalise
from kgqa_core.facts.lifetimes import (
    BIRTH,
    DAYS,
    DEATH,
    Interval,
    dates_of,
    held_during,
    in_words,
    interval_of,
    may_live,
    over_before,
    time_in,
)
from kgqa_core.facts.premises import (
    Computation,
    Facts,
    Hop,
    Judgement,
    Premise,
    State,
    Term,
    alike,
    contains,
    is_relation,
    named_relations,
    names_of,
    number_of,
    words_of,
)
from kgqa_core.facts.sentences import clause, ended
from kgqa_core.facts.terms import (
    DATE,
    NUMBERS,
    STRING,
    TIMES,
    Entity,
    Literal,
    Statement,
    Value,
)
from kgqa_core.text import counted, listed

_CITED = 12  # statements that a judgement names
_NEAR = 3  # statements that show an entity was read, where nothing was found


@dataclass
class Reached:
    """Where a term's path leads: values with the statements under them, and what is not known."""

    values: dict[Value, tuple[Statement, ...]] = field(default_factory=dict)
    last: list[Statement] = field(default_factory=list)  # the statements of the final hop
    unread: list[Entity] = field(default_factory=list)  # their facts were not looked at yet
    lacks: list[str] = field(default_factory=list)
    partial: list[Entity] = field(default_factory=list)  # unread, but facts of others name them
    at: list[Entity] = field(default_factory=list)  # where a hop found nothing
    constant: bool = False

    @property
    def because(self) -> tuple[Statement, ...]:
        return tuple(dict.fromkeys(s for support in self.values.values() for s in support))


def evaluate(premise: Premise, facts: Facts) -> Judgement:
    """The premise by these facts. One without terms is open: it takes a reader."""
    if premise.given is not None:
        condition = Premise(text="", left=premise.given.left, right=premise.given.right)
        given = evaluate(condition, facts)
        if given.state != "satisfied":
            why = "What it is about does not apply here."
            return Judgement(
                premise=premise,
                state="satisfied",
                why=why,
                because=given.because,
                by_names=given.by_names,
            )
        plain = evaluate(premise.model_copy(update={"given": None}), facts)
        because = tuple(dict.fromkeys((*given.because, *plain.because)))
        why = f"{given.why} {plain.why}" if plain.state == "violated" else plain.why
        return plain.model_copy(update={"premise": premise, "because": because, "why": why})
    if premise.left is None:
        return Judgement(premise=premise, state="open", lacks=(premise.text,))
    if premise.left == premise.right:  # whatever it is, it is so of anything
        return Judgement(premise=premise, state="open", lacks=("something to compare it with",))
    left = reach(premise.left, facts)
    right = reach(premise.right, facts) if premise.right else Reached(constant=True)
    missing = False
    for term, side in ((premise.left, left), (premise.right, right)):
        counts = term is not None and term.function == "count" and premise.closed
        if counts and not side.values and side.at and not side.unread:
            side.values[compute.number(0)] = ()
            missing = True
    if premise.operator in {"exists", "absent"}:
        return _existence(premise, left, facts)
    lacking = [side for side in (left, right) if not side.values]
    if lacking:
        return _lacking(premise, lacking, facts)
    judged = _judge_of(premise)(premise, left, right, facts).model_copy(update={"missing": missing})
    return _complete(judged, left, right)


def _complete(judged: Judgement, *sides: Reached) -> Judgement:
    """What rests on having all values is open as long as an entity was not read itself."""
    premise, unread = judged.premise, [e for side in sides for e in side.partial]
    counts = any(t and t.function == "count" for t in (premise.left, premise.right))
    found = premise.operator == ("=" if judged.state == "satisfied" else "≠")
    if judged.state == "open" or not unread or (found and not counts):
        return judged
    if not counts and premise.operator not in {"=", "≠"}:
        return judged
    lacks = [f"all that the graph says of {e.name}" for e in unread]
    return _open(premise, [Reached(lacks=lacks, unread=unread)])


def _judge_of(premise: Premise) -> Callable[[Premise, Reached, Reached, Facts], Judgement]:
    assert premise.left is not None
    functions = {premise.left.function, premise.right.function if premise.right else "values"}
    if "lifetime" in functions:
        return _by_interval
    if "age" in functions:
        return _by_age
    if functions & {"latitude", "longitude"}:
        return _by_place
    if premise.operator in {"=", "≠"} and "count" not in functions:
        return _by_name
    return _by_amount


def reach(term: Term, facts: Facts) -> Reached:
    """Follows the term's path over the facts."""
    if term.constants and not term.entity:
        found = Reached(constant=True)
        found.values = {constant(text): () for text in term.constants}
        return found
    start = facts.called(term.entity)
    if start is None:
        return Reached(lacks=[f"an entity called “{term.entity}”"])
    found = Reached(values={start: ()})
    if start not in facts.read and not facts.about(start):
        found.unread.append(start)
    for hop in term.path:
        found = _hop(hop, found, facts)
    if not term.path and term.function == "values":
        found.last = facts.about(start)
    return found


def _hop(hop: Hop, source: Reached, facts: Facts) -> Reached:
    found = Reached(unread=list(source.unread), partial=list(source.partial))
    name = " or ".join(n.rpartition(" P")[0] or n for n in hop.relation.split("|")[:2])
    if hop.qualifier:
        name = f"{hop.qualifier.rpartition(' P')[0] or hop.qualifier} of the {name}"
    for value, support in source.values.items():
        if not isinstance(value, Entity):
            continue
        taken = (facts.into if hop.inverse else facts.out)(value, hop.relation)
        taken = [s for s in taken if not hop.only or _mentions(s, hop.only)]
        led = False
        steps = [(s, end) for s in taken for end in _ends(s, hop)]
        if not taken and not (hop.inverse or hop.only or hop.qualifier):
            steps = [(s, s.subject) for s in _mirrored(value, hop.relation, facts)]
        for s, end in steps:
            found.values.setdefault(end, (*support, s))
            led = True
        found.last += taken or [s for s, _ in steps]
        if not led:
            found.at.append(value)
            found.lacks.append(f"the {name} of {value.name}")
            if value not in facts.read:
                found.unread.append(value)
        elif value not in facts.read:
            found.partial.append(value)
    if not source.values:
        found.lacks += source.lacks
        found.at += source.at
    return found


_PARENTS = {"father": "female", "mother": "male"}  # who is not that one


def _mirrored(entity: Entity, names: str, facts: Facts) -> list[Statement]:
    """Kinship that is stated of the other one alone: the father of a child is whose child it is."""
    wanted = named_relations(names)
    kin = [row for row in relations.in_group("kinship") if wanted & set(row.names)]
    backs = "|".join(back.spelled for row in kin for back in relations.inverse(row.label))
    others = [_PARENTS[row.label] for row in kin if row.label in _PARENTS]
    found = facts.into(entity, backs) if backs else []
    if len(others) != 1:
        return found
    return [s for s in found if not _has_gender(s.subject, others[0], facts)]


def _has_gender(entity: Entity, gender: str, facts: Facts) -> bool:
    stated = facts.out(entity, relations.either("sex"))
    return any(words_of(gender) == words_of(n) for s in stated for n in names_of(s.object))


def _ends(s: Statement, hop: Hop) -> Iterator[Value]:
    if hop.qualifier:
        for q in s.qualifiers:
            if is_relation(q.relation, hop.qualifier):
                yield q.value
        return
    yield s.subject if hop.inverse else s.object


def _mentions(s: Statement, only: str) -> bool:
    ends: tuple[Value, ...] = (s.object, *(q.value for q in s.qualifiers))
    return any(
        contains(name, sought)
        for end in ends
        for name in names_of(end)
        for sought in only.split("|")
    )


def constant(text: str) -> Value:
    """A number, a date or a name as a premise writes it."""
    stated = text.strip()
    if re.fullmatch(r"[-+]?\d[\d,]*(\.\d+)?", stated) and not re.fullmatch(r"\d{4}", stated):
        return compute.number(Decimal(stated.replace(",", "")))
    return timeline.parse_time(stated) or Literal(stated, STRING)


# -- one judge for each kind of clause -------------------------------------------------------


def _existence(premise: Premise, found: Reached, facts: Facts) -> Judgement:
    wanted = premise.operator == "exists"
    if found.values and (found.last or not premise.left or not premise.left.path):
        because = found.because[:_CITED] or tuple(found.last[:_NEAR])
        return Judgement(
            premise=premise,
            state="satisfied" if wanted else "violated",
            because=because,
            why=_listed(because),
        )
    if found.unread or not found.at or not (premise.closed or not wanted):
        return _open(premise, [found])
    return _nothing(premise, found, facts, "violated" if wanted else "satisfied")


def _lacking(premise: Premise, lacking: list[Reached], facts: Facts) -> Judgement:
    for side in lacking:
        if premise.closed and side.at and not side.unread:
            state: State = "satisfied" if premise.operator == "≠" else "violated"
            return _nothing(premise, side, facts, state)
    return _open(premise, lacking)


def _open(premise: Premise, sides: list[Reached]) -> Judgement:
    lacks = tuple(dict.fromkeys(text for side in sides for text in side.lacks))
    about = tuple(dict.fromkeys(e for side in sides for e in (*side.unread, *side.at)))
    why = f"The facts do not give {' or '.join(lacks[:2])}." if lacks else ""
    return Judgement(premise=premise, state="open", lacks=lacks, about=about, why=why)


def _nothing(premise: Premise, side: Reached, facts: Facts, state: State) -> Judgement:
    """The graph was read and has nothing: the facts it has instead show that it was."""
    instead = [s for entity in side.at for s in facts.about(entity)[:_NEAR]]
    if not instead:
        return _open(premise, [side])
    why = f"Among what the graph says of it there is nothing about {' or '.join(side.lacks[:2])}"
    because = tuple(instead[:_NEAR])
    return Judgement(premise=premise, state=state, because=because, why=f"{why}.", missing=True)


WIDER = "|".join(relations.row(name).spelled for name in ("subclass of", "part of"))
LEVELS = 3  # of them that are climbed


def wider(value: Value, facts: Facts, levels: int = LEVELS) -> dict[Entity, tuple[Statement, ...]]:
    """Kinds and wholes that a value belongs to, as far as the facts say, nearest first, each with
    the statements that lead to it."""
    found: dict[Entity, tuple[Statement, ...]] = {}
    edge: dict[Entity, tuple[Statement, ...]] = {value: ()} if isinstance(value, Entity) else {}
    for _ in range(levels):
        edge = {
            s.object: (*way, s)
            for thing, way in edge.items()
            for s in facts.out(thing, WIDER)
            if isinstance(s.object, Entity) and s.object not in found and s.object != value
        }
        found |= edge
    return found


def _by_name(premise: Premise, left: Reached, right: Reached, facts: Facts) -> Judgement:
    pairs = [(a, b) for a in left.values for b in right.values if alike(a, b)]
    climbed = [
        (a, b, way)
        for a in (() if pairs else left.values)
        for above, way in wider(a, facts).items()
        for b in right.values
        if alike(above, b)
    ]
    same = bool(pairs or climbed)
    if pairs:
        because = [s for a, b in pairs for s in (*left.values[a], *right.values[b])]
    elif climbed:
        a, b, way = min(climbed, key=lambda one: len(one[2]))
        because = [*left.values[a], *way, *right.values[b]]
    else:
        because = [*left.because, *right.because]
    if not same and left.unread and not left.because:
        return _open(premise, [left])
    if not because:  # an entity as it stands: what is known of it shows that it is there
        because = [s for side in (left, right) for s in side.last[:1]]
    why = _listed(because)
    if not same and premise.operator == "≠":
        sought = ", ".join(verbalise.value(v) for v in list(right.values)[:4])
        count, end = len(left.values), " …" if len(right.values) > 4 else "."
        one_relation = len({s.relation for s in left.last}) == 1
        subject = left.last[0].subject.name if left.last else ""
        of = _what(Term(), left).removeprefix("the ") if one_relation else subject
        why = f"Of {counted(count, 'value')}{' of ' * bool(of)}{of} none is {sought}{end}"
    return Judgement(
        premise=premise,
        state="satisfied" if same == (premise.operator == "=") else "violated",
        because=tuple(dict.fromkeys(because))[:_CITED],
        why=why,
        by_names=not same and _are_names(left.values, right.values),
    )


def _are_names(left: Iterable[Value], right: Iterable[Value]) -> bool:
    """Whether two sets of values hold more than numbers and dates, of which each is itself."""

    def exact(value: Value) -> bool:
        timed = isinstance(value, Literal) and value.datatype in TIMES
        return timed or number_of(value) is not None

    return not (all(map(exact, left)) and all(map(exact, right)))


_TESTS: dict[str, tuple[str, Callable[[Decimal, Decimal], bool]]] = {
    "=": ("equal", lambda a, b: a == b),
    "≠": ("not equal", lambda a, b: a != b),
    "<": ("fewer", lambda a, b: a < b),
    "≤": ("at most", lambda a, b: a <= b),
    ">": ("more", lambda a, b: a > b),
    "≥": ("at least", lambda a, b: a >= b),
}


def _by_amount(premise: Premise, left: Reached, right: Reached, facts: Facts) -> Judgement:
    assert premise.left is not None
    sides = []
    for term, found in ((premise.left, left), (premise.right or Term(), right)):
        amount = _count(found) if term.function == "count" else _amount(found)
        if amount is None and found.constant:  # told by what it is held against: “5 m”
            amount = next((v for v in found.values if isinstance(v, Literal)), None)
        if amount is None:
            return _open(premise, [Reached(lacks=[f"an amount for “{premise.text}”"])])
        sides.append((amount, found))
    (a, of_a), (b, of_b) = sides
    first, second = _in_kind(premise.left, left, a, b), _in_kind(premise.right, right, b, a)
    if not (first and second and (first.datatype in TIMES) == (second.datatype in TIMES)):
        return _open(premise, [Reached(lacks=[f"amounts of one kind for “{premise.text}”"])])
    a, b = first, second
    name, test = _TESTS[premise.operator if premise.operator in _TESTS else "="]
    holds = test(_exact(a), _exact(b))
    words = tuple(verbalise.value(v) for v in (a, b))
    because = tuple(dict.fromkeys((*left.because, *right.because)))
    return Judgement(
        premise=premise,
        state="satisfied" if holds else "violated",
        because=because[:60],  # a count rests on everything it counts
        why=_compared(premise, (a, of_a), (b, of_b), holds),
        computed=(Computation(operation=name, arguments=words, result=(compute.boolean(holds),)),),
    )


def _in_kind(term: Term | None, found: Reached, own: Literal, other: Literal) -> Literal | None:
    """A constant as what it is held against tells it: “5000” metres are no year, “900” is one.

    None where it cannot be such a thing.
    """
    if term is None or not found.constant or len(term.constants) != 1:
        return own
    text = term.constants[0].strip()
    number, named = compute.stated(text) or (None, "")
    unit = units.unit(named) if named else None
    if other.datatype in TIMES:
        if number is not None and unit:
            return None
        return own if own.datatype in TIMES else timeline.parse_time(text)
    if number is None:
        return None
    like = units.unit(other.unit.label) if other.unit else None
    if named and not (unit and like and unit.of == like.of):
        return None
    return compute.number(number, Entity(unit.id, unit.name) if unit else other.unit)


def _compared(
    premise: Premise, one: tuple[Literal, Reached], other: tuple[Literal, Reached], holds: bool
) -> str:
    """“The height of A, 49, is more than 11, the height of B.”"""
    assert premise.left is not None
    (a, of_a), (b, of_b) = one, other
    first, second = _what(premise.left, of_a), _what(premise.right or Term(), of_b)
    times = a.datatype in TIMES and b.datatype in TIMES
    said_so = holds or premise.operator in _STRICT
    operator = premise.operator if holds else _STRICT.get(premise.operator, premise.operator)
    said = (_ORDERED if times else _SAID)[operator]
    text = f"{first}, {verbalise.value(a)}," if first else verbalise.value(a)
    text += f" is {'' if said_so else 'not '}{said} {verbalise.value(b)}"
    text += f", {second}" if second else ""
    return f"{text[:1].upper()}{text[1:]}."


def _what(term: Term, found: Reached) -> str:
    """What an amount is of, as its statements say; of constants nothing."""
    if not found.last:
        return ""
    s = found.last[0]
    of = (
        s.object.name
        if term.path[-1:] and term.path[-1].inverse and isinstance(s.object, Entity)
        else s.subject.name
    )
    counted = "number of values of " if term.function == "count" else ""
    return f"the {counted}{s.relation.name} of {of}"


_SAID: dict[str, str] = {
    "=": "the same as",
    "≠": "other than",
    "<": "less than",
    "≤": "at most",
    ">": "more than",
    "≥": "at least",
    "overlaps": "at the same time as",
    "exists": "there",
    "absent": "absent",
}
_ORDERED = _SAID | {
    "<": "before",
    ">": "after",
    "≤": "no later than",
    "≥": "no earlier than",
}
_STRICT = {"≤": ">", "≥": "<"}  # what is so where that is not: no “not no later than”

_TIMED = _SAID | {  # of intervals
    "=": "at the same time as",
    "≠": "at another time than",
    "<": "earlier than",
    "≥": "no earlier than",
    ">": "later than",
    "≤": "no later than",
}


def _count(found: Reached) -> Literal:
    """How many values; where the graph states a number of them, the larger of the two."""
    stated = [n for v in found.values if (n := number_of(v)) is not None]
    things = [v for v in found.values if number_of(v) is None]
    if found.constant and stated:
        return compute.number(max(stated))
    return compute.number(max([Decimal(len(things)), *stated]))


def _amount(found: Reached) -> Literal | None:
    """The number or date that holds now, where there are several."""
    current = timeline.current(found.last) or found.last
    values = [s.object for s in _whole(current)] if found.last else list(found.values)
    for value in values or found.values:
        if isinstance(value, Literal):
            if value.datatype in TIMES or number_of(value) is not None:
                return value
            if (when := time_in(value.value)) is not None:
                return when
    return None


def _whole(statements: Sequence[Statement]) -> list[Statement]:
    """Those that hold without restriction to a part; of parts alone the largest first."""
    parts = [
        s for s in statements if any(relations.belongs(q.relation, "in part") for q in s.qualifiers)
    ]
    whole = [s for s in statements if s not in parts]
    return whole or sorted(parts, key=lambda s: -(number_of(s.object) or Decimal(0)))


def _exact(v: Literal) -> Decimal:
    if v.datatype in TIMES:
        return timeline.days(v)
    return compute.amount(v) if v.datatype in NUMBERS else number_of(v) or Decimal(0)


# -- time -----------------------------------------------------------------------------------


def _intervals(term: Term, found: Reached, facts: Facts) -> Interval:
    """Of constants: the time they name. Of a path: when its statements held, else its ends."""
    if found.constant:
        spans = [
            timeline.span(v) for v in found.values if isinstance(v, Literal) and v.datatype in TIMES
        ]
        words = " to ".join(verbalise.value(v) for v in found.values)
        if not spans:
            return Interval(None, None, words)
        return Interval(min(a for a, _ in spans), max(b for _, b in spans), words)
    held = [s for s in found.last if term.path]
    dated = [s for s in held if held_during(s).known]
    if dated:
        spans_held = [held_during(s) for s in dated]
        firsts = [i.first for i in spans_held if i.first is not None]
        lasts = [i.last for i in spans_held]
        return Interval(
            min(firsts, default=None),
            None if None in lasts else max(last for last in lasts if last is not None),
            "; ".join(f"“{clause(s)}”" for s in dated),
            tuple(dict.fromkeys((*found.because, *dated))),
        )
    for value, support in found.values.items():
        if isinstance(value, Entity):
            own = interval_of(value, facts)
            if own.known:
                return replace(own, because=(*support, *own.because))
        elif isinstance(value, Literal):
            when = value if value.datatype in TIMES else time_in(value.value)
            if when is not None:
                return Interval(*timeline.span(when), verbalise.value(when), support)
    return Interval(None, None, "")


def _by_interval(premise: Premise, left: Reached, right: Reached, facts: Facts) -> Judgement:
    """Interval comparison: `a < b` a is over before b begins, `a ≥ b` it is not.

    `a > b` a begins after b is over, `a ≤ b` it does not; `overlaps` neither is over before
    the other begins.
    """
    assert premise.left is not None
    a = _intervals(premise.left, left, facts)
    b = _intervals(premise.right or Term(), right, facts)
    unknown = [
        (side, term, found)
        for side, term, found in ((a, premise.left, left), (b, premise.right, right))
        if not side.known
    ]
    if unknown:
        entities = [v for _, _, found in unknown for v in found.values if isinstance(v, Entity)]
        lacks = tuple(f"the dates of {v.name}" for v in entities) or ("a date",)
        unread = tuple(e for e in entities if e not in facts.read)
        return Judgement(
            premise=premise,
            state="open",
            lacks=lacks,
            about=unread,
            why=f"The facts do not give {' or '.join(lacks)}.",
        )
    over, late = over_before(a, b), over_before(b, a)
    apart = True if over or late else None if None in (over, late) else False
    claimed, negated = {
        "overlaps": (apart, True),
        "=": (apart, True),
        "≠": (apart, False),
        "<": (over, False),
        "≥": (over, True),
        ">": (late, False),
        "≤": (late, True),
    }[premise.operator]
    if claimed is None:
        lacks = tuple(i.lacks for i in (a, b) if i.lacks)
        return Judgement(
            premise=premise,
            state="open",
            lacks=lacks,
            why=f"The facts do not say {' or '.join(lacks)}.",
        )
    holds = claimed != negated
    was = "lived" if _of_a_life(a) else "was"
    order = f"{was} before" if over else f"{was} after" if late else ""
    return Judgement(
        premise=premise,
        state="satisfied" if holds else "violated",
        because=tuple(dict.fromkeys((*a.because, *b.because)))[:_CITED],
        why=f"{a.words} {order} {b.words}." if order else _together(a, b, left, right),
        computed=(
            Computation(
                operation=_TIMED[premise.operator],
                arguments=(a.words, b.words),
                result=(compute.boolean(holds),),
            ),
        ),
    )


_DATE = re.compile(
    r"(?:\d{1,2} )?(?:[A-Z]\w+ )?(?:AD )?\d{1,4}(?: BC)?"
)  # as `verbalise` writes it


def _of_a_life(interval: Interval) -> bool:
    return "(born " in interval.words or "(died " in interval.words


def _together(a: Interval, b: Interval, left: Reached, right: Reached) -> str:
    """“Ann (born 1900, died 1950) was alive in 1920.”, “… lived at the same time as …”."""
    dated = [bool(_DATE.fullmatch(one.words)) for one in (a, b)]
    if dated[0] or (left.constant and not right.constant and not dated[1]):
        a, b, right, dated = b, a, left, dated[::-1]
    person = _of_a_life(a)
    if not (dated[1] or right.constant):
        was = "lived" if person else "held" if a.words.startswith("“") else "was there"
        return f"{a.words} {was} at the same time as {b.words}."
    was = "was alive" if person else "held" if a.words.startswith("“") else "was there"
    at = "during" if " to " in b.words else "on" if re.match(r"\d{1,2} ", b.words) else "in"
    return f"{a.words} {was} {at} {b.words}."


@dataclass(frozen=True)
class _Size:
    """How old somebody was, or a number to compare that with, in days at least and at most."""

    least: Decimal
    most: Decimal
    years: tuple[Decimal, ...]  # whole ones
    words: str
    because: tuple[Statement, ...] = ()
    told: str = ""  # of a person: the dates, and how old that is
    dead: str = ""  # by then


def _by_age(premise: Premise, left: Reached, right: Reached, facts: Facts) -> Judgement:
    """Years somebody has lived, compared with a number or with somebody else's.

    Open where the dates are too coarse.
    """
    assert premise.left is not None
    sides = ((premise.left, left), (premise.right or Term(), right))
    a, b = (next(_sizes(term, found, facts), None) for term, found in sides)
    found = (v for term, side in sides if term.function == "age" for v in side.values)
    people = [v for v in found if isinstance(v, Entity)]
    if a is None or b is None:
        lacks = [f"when {p.name} was born and died" for p in people]
        unread = [p for p in people if p not in facts.read]
        return _open(premise, [Reached(lacks=lacks, unread=unread)])
    because = tuple(dict.fromkeys((*a.because, *b.because)))
    if why := a.dead or b.dead:
        return Judgement(premise=premise, state="violated", because=because, why=why)
    name, test = _TESTS[premise.operator if premise.operator in _TESTS else "="]
    if a.told and b.told and name not in {"equal", "not equal"}:
        holds = {test(a.least, b.most), test(a.most, b.least)}
    else:
        holds = {test(one, other) for one in a.years for other in b.years}
    if len(holds) > 1:
        lacks = [f"how old {p.name} was to the year" for p in people]
        return _open(premise, [Reached(lacks=lacks)])
    return Judgement(
        premise=premise,
        state="satisfied" if holds == {True} else "violated",
        because=because,
        why=f"{'; '.join(one.told for one in (a, b) if one.told)}.",
        computed=(
            Computation(
                operation=name,
                arguments=(a.words, b.words),
                result=(compute.boolean(holds == {True}),),
            ),
        ),
    )


def _sizes(term: Term, found: Reached, facts: Facts) -> Iterator[_Size]:
    """The ages of the people that a term leads to, as far as dates tell, or its numbers."""
    year = next((timeline.parse_time(c) for c in term.constants), None) if term.entity else None
    for value, support in found.values.items():
        if isinstance(value, Entity):
            if term.function == "age" and (size := _aged(value, year, support, facts)):
                yield size
        elif (n := number_of(value)) is not None:
            yield _Size(n * DAYS, n * DAYS, (n,), verbalise.value(value), support)


def _aged(
    person: Entity, year: Literal | None, support: tuple[Statement, ...], facts: Facts
) -> _Size | None:
    born, died = dates_of(person, BIRTH, facts), dates_of(person, DEATH, facts)
    today = Literal(date.today().isoformat(), DATE)
    alive = bool(born) and not died and may_live(timeline.span(born[0][0])[0])
    end = year or (died[0][0] if died else today if alive else None)
    if not born or end is None:
        return None
    (first, latest), (soonest, last) = timeline.span(born[0][0]), timeline.span(end)
    least, most = soonest - latest, last - first
    years = tuple(dict.fromkeys(Decimal(int(days / DAYS)) for days in (least, most)))
    words = " or ".join(dict.fromkeys(str(max(0, n)) for n in years))
    ended = f"in {year.value}" if year else "at the end" if died else "today"
    lived = in_words(person, born, [] if year else died, "born", "died")
    because = (*support, born[0][1], *(() if year else (s for _, s in died)))
    size = _Size(least, most, years, words, because, f"{lived} was {words} years old {ended}")
    if year is None or not died or timeline.span(died[0][0])[1] >= soonest:
        return size
    gone = f"{person.name} (died {verbalise.value(died[0][0])}) was dead in {year.value}."
    return replace(size, because=(*support, born[0][1], died[0][1]), dead=gone)


# -- place -----------------------------------------------------------------------------------

COORDINATES = relations.row("coordinate location").spelled
_LONGEST_PLACE = 200  # characters; what is longer is a text, and would take long to look through
_SIZE = r"([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,2})?)"
_WKT = re.compile(rf"Point\(\s*{_SIZE}\s+{_SIZE}\s*\)", re.IGNORECASE | re.ASCII)
_DEGREES = re.compile(
    r"(\d+(?:\.\d+)?)\s*°\s*(?:(\d+(?:\.\d+)?)\s*['′])?\s*(?:(\d+(?:\.\d+)?)\s*)?[\"″\\']*\s*([NSEW])"
)


def coordinates(v: Value) -> tuple[float, float] | None:
    """Degrees north and east of a coordinate: WKT (`Point(13.4 52.5)`) or `52°31'N, 13°24'E`.

    None for what is on no globe.
    """
    if not isinstance(v, Literal) or len(v.value) > _LONGEST_PLACE:
        return None
    if wkt := _WKT.search(v.value):
        return _on_globe(float(wkt[2]), float(wkt[1]))
    degrees: dict[str, float] = {}
    for whole, minutes, seconds, side in _DEGREES.findall(v.value):
        size = float(whole) + float(minutes or 0) / 60 + float(seconds or 0) / 3600
        degrees["NS" if side in "NS" else "EW"] = size if side in "NE" else -size
    return _on_globe(degrees["NS"], degrees["EW"]) if len(degrees) == 2 else None


def _on_globe(north: float, east: float) -> tuple[float, float] | None:
    return (north, east) if abs(north) <= 90 and abs(east) <= 360 else None


_FURTHER: dict[tuple[str, str], str] = {
    (function, operator): f"further {way} than"
    for function, ways in (("latitude", ("north", "south")), ("longitude", ("east", "west")))
    for operators, way in zip((">≥", "<≤"), ways, strict=True)
    for operator in operators
}


def _by_place(premise: Premise, left: Reached, right: Reached, facts: Facts) -> Judgement:
    assert premise.left is not None
    sides: list[tuple[float, str, tuple[Statement, ...]]] = []
    for term, found in ((premise.left, left), (premise.right or Term(), right)):
        place = _degree(term, found, facts)
        if place is None:
            lacks = [f"the coordinates of {v.name}" for v in found.values if isinstance(v, Entity)]
            return _open(
                premise,
                [Reached(lacks=lacks, at=[v for v in found.values if isinstance(v, Entity)])],
            )
        sides.append(place)
    (a, a_words, a_why), (b, b_words, b_why) = sides
    further = _FURTHER.get((premise.left.function, premise.operator), _SAID[premise.operator])
    holds = _TESTS[premise.operator][1](Decimal(str(a)), Decimal(str(b)))
    return Judgement(
        premise=premise,
        state="satisfied" if holds else "violated",
        because=tuple(dict.fromkeys((*a_why, *b_why))),
        why=f"{a_words} lies {'' if holds else 'not '}{further} {b_words}.",
        computed=(
            Computation(
                operation=_TESTS[premise.operator][0],
                arguments=(a_words, b_words),
                result=(compute.boolean(holds),),
            ),
        ),
    )


def _degree(
    term: Term, found: Reached, facts: Facts
) -> tuple[float, str, tuple[Statement, ...]] | None:
    which = 0 if term.function == "latitude" else 1
    sign = ("° north", "° south") if which == 0 else ("° east", "° west")
    for value, support in found.values.items():
        if found.constant and (size := number_of(value)) is not None:
            return float(size), f"{abs(float(size)):g}{sign[size < 0]}", ()
        if not isinstance(value, Entity):
            continue
        for s in facts.out(value, COORDINATES):
            point = coordinates(s.object)
            if point is not None:
                degree = point[which]
                words = f"{value.name} ({abs(degree):.2f}{sign[degree < 0]})"
                return degree, words, (*support, s)
    return None


def _listed(statements: Iterable[Statement]) -> str:
    told = listed(map(clause, dict.fromkeys(statements)), 3, between="; ")
    return ended(told) if told else ""
