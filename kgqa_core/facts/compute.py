"""Set operations, comparison and date arithmetic: exact, and a marked extension.

Half of QALD-10 needs one of these and none of the published traversal methods has them, so
the methods that use them say so in their docstring.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from decimal import Context, Decimal
from typing import Literal as OneOf
from typing import get_args

from kgqa_core.errors import KGQAError
from kgqa_core.facts import periods, timeline, units, verbalise
from kgqa_core.facts.terms import (
    AGE,
    BOOLEAN,
    DATE,
    DATETIME,
    DECIMAL,
    NUMBERS,
    PERIODS,
    TIMES,
    YEAR,
    Entity,
    Literal,
    Value,
)
from kgqa_core.text import counted, singular

Operation = OneOf[
    "count",
    "sum",
    "average",
    "highest",
    "lowest",
    "union",
    "intersection",
    "minus",
    "same",
    "any",
    "none",
    "more",
    "fewer",
    "earlier",
    "later",
    "equal",
    "difference",
    "quotient",
    "product",
    "years_between",
    "days_between",
    "years_later",
    "year_of",
]


class NotComputable(KGQAError):
    """The values do not suit the operation; the message says why."""


OPERATIONS: tuple[str, ...] = get_args(Operation)

MEANINGS: dict[Operation, str] = {
    "count": "of one",
    "sum": "of one",
    "average": "of one",
    "highest": "of one",
    "lowest": "of one",
    "union": "of two",
    "intersection": "of two",
    "minus": "of two",
    "difference": "of two",
    "quotient": "of two",
    "product": "of two",
    "same": "whether they share any",
    "any": "whether it has members",
    "none": "whether it is empty",
    "more": "whether the first is",
    "fewer": "whether the first is",
    "equal": "whether the first is",
    "earlier": "whether the first is",
    "later": "whether the first is",
    "years_between": "of dates, in full",
    "days_between": "of dates, in full",
    "years_later": "the year so many later",
    "year_of": "years of dates",
}


_WORDS = {  # where “count of A and B” is no English
    "minus": "{} minus {}",
    "same": "whether {} and {} have anything in common",
    "any": "whether anything was found: {}",
    "none": "whether nothing was found: {}",
    "more": "whether {} is more than {}",
    "fewer": "whether {} is less than {}",
    "earlier": "whether {} is earlier than {}",
    "later": "whether {} is later than {}",
    "equal": "whether {} equals {}",
    "difference": "difference between {} and {}",
    "quotient": "{} divided by {}",
    "product": "{} times {}",
    "years_between": "full years between {} and {}",
    "days_between": "full days between {} and {}",
    "years_later": "{1} years after {0}",
    "year_of": "year of {}",
    "at the same time as": "whether {} and {} overlap in time",
}


_DEEDS = {
    "count": "Count {}",
    "sum": "Add up {}",
    "average": "Take the average of {}",
    "highest": "Take the highest of {}",
    "lowest": "Take the lowest of {}",
    "union": "Put {} and {} together",
    "intersection": "Take what {} and {} have in common",
    "minus": "Leave {1} out of {0}",
    "difference": "Take the difference between {} and {}",
    "quotient": "Divide {} by {}",
    "product": "Multiply {} by {}",
    "years_between": "Count the full years between {} and {}",
    "days_between": "Count the full days between {} and {}",
    "years_later": "Go {1} years on from {0}",
    "year_of": "Take the year of {}",
}


OF_SETS = {"count", "sum", "average", "highest", "lowest", "union", "intersection", "minus"}

_SCALES = {"thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}


def boolean(truth: bool) -> Literal:
    return Literal("true" if truth else "false", BOOLEAN)


_BEYOND = Decimal("1e300")  # no such number is meant; written out, some fill the memory


def number(amount: Decimal | int, unit: Entity | None = None) -> Literal:
    text = format(Decimal(amount), "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return Literal(text, DECIMAL, unit)


def amount(v: Value) -> Decimal:
    """A number, or a point in time as days, to be compared. Raises NotComputable for other values.

    A year counts as its first day, so 1912 is before 15 April 1912. Lengths, areas, masses and
    durations are brought to one unit.
    """
    if isinstance(v, Literal):
        try:
            if v.datatype in TIMES and timeline.states(v):
                return timeline.days(v)
            if v.datatype in NUMBERS - TIMES and abs(number := Decimal(v.value)) < _BEYOND:
                return units.base(number, v.unit.label) if v.unit else number
        except (ArithmeticError, LookupError, ValueError):
            pass
    raise NotComputable(f"“{verbalise.value(v)}” is neither a number nor a date.")


def parse_amount(text: str, like: Value) -> tuple[Decimal, Decimal] | None:
    """A limit as written, as the (lowest, highest) amount it can mean, in base units.

    For a date `like` means a date (1990: its first to its last day), else a number
    (`3 million`, `1,500`, `1000 km`; in the unit of `like` when it names none). None when the
    text is neither.
    """
    if isinstance(like, Literal) and like.datatype in TIMES:
        when = timeline.parse_time(text)
        return timeline.span(when) if when else None
    own = like.unit.label if isinstance(like, Literal) and like.unit else ""
    told = stated(text)
    if told is None:
        return None
    number, unit = told
    exact = number * units.size(unit or own)
    return (exact, exact) if abs(exact) < _BEYOND else None


def stated(text: str) -> tuple[Decimal, str] | None:
    """A number as it is written, and the unit behind it: `3 million`, `1,500`, `1000 km`."""
    number, *rest = text.replace(",", "").casefold().split() or [""]
    scale = _SCALES.get(rest[0].rstrip("s"), 0) if rest else 0
    try:
        exact = Decimal(number) * (scale or 1)
    except ArithmeticError:
        return None
    unit = " ".join(rest[1:] if scale else rest)
    return (exact, unit) if exact.is_finite() and abs(exact) < _BEYOND else None


def in_unit_of(text: str, relation: str) -> str:
    """An amount as it is written, in the unit that a relation is called by: “weight in grams”."""
    told, own = stated(text), units.behind(relation)
    if not own or told is None or not told[1]:
        return text
    number, unit = told
    alike = units.of(unit) != units.of(own) and singular(unit) in map(singular, own.split())
    same_one = units.unit(unit) == units.unit(own) or alike  # 20 pounds, of pounds sterling
    exact = number if same_one else units.converted(number, unit, own)
    return text if exact is None else f"{exact.normalize():f}"


def days_from(day: str) -> Callable[[Value], Decimal]:
    """How many days dates are from a day of any year (MM-DD), the shorter way around.

    Raises NotComputable for a day that no year has; what it gives, for values without a day.
    """
    goal = _in_leap_year(day)

    def distance(v: Value) -> Decimal:
        if not isinstance(v, Literal) or v.datatype not in (DATE, DATETIME):
            raise NotComputable(f"“{verbalise.value(v)}” is not known to the day.")
        apart = abs(_in_leap_year(v.value.lstrip("+-").split("T")[0].partition("-")[2]) - goal)
        return Decimal(min(apart, 366 - apart))

    return distance


def _in_leap_year(day: str) -> int:
    try:
        return date.fromisoformat(f"2000-{day}").toordinal()
    except ValueError as error:
        raise NotComputable(f"“{day}” is not a day of the year: write MM-DD.") from error


def comparable(v: Value) -> bool:
    try:
        amount(v)
    except NotComputable:
        return False
    return True


def apply(operation: Operation, *sets: Sequence[Value]) -> list[Value]:
    """The result as a list of values. Raises NotComputable when the values do not suit."""
    wanted = ARITY[operation]
    if len(sets) != wanted:
        raise NotComputable(f"“{operation}” takes {counted(wanted, 'set')}, not {len(sets)}.")
    return _FUNCTIONS[operation](*sets)


def words(operation: str, arguments: Sequence[str]) -> str:
    """`difference between 1879 and 1955`: an operation and what it is of, for people."""
    if operation == "same" and len(arguments) == 2:
        single, *others = sorted(arguments, key=_several)
        if not _several(single):
            pattern = "{} is among {}" if _several(*others) else "{} and {} are the same"
            return f"whether {pattern.format(single, *others)}"
    pattern = _WORDS.get(operation, "")
    if pattern and pattern.count("{") == len(arguments):
        return pattern.format(*arguments)
    if operation not in ARITY and len(arguments) == 2:  # an operator of a premise
        return f"whether {arguments[0]} is {operation} {arguments[1]}"
    return f"{operation.replace('_', ' ')} of {' and '.join(arguments)}"


def deed(operation: str, arguments: Sequence[str]) -> str:
    """`Take the difference between 1879 and 1955`: what is about to be done, as a title."""
    pattern = _DEEDS.get(operation, "")
    if operation in OF_SETS and pattern.count("{") == 1:
        return pattern.format(" and ".join(arguments))
    if pattern and pattern.count("{") == len(arguments):
        return pattern.format(*arguments)
    said = words(operation, arguments)
    return f"{'Check' if said.startswith('whether') else 'Compute'} {said}"


def _several(described: str) -> bool:
    return ", " in described or described == "nothing"


def describe(values: Sequence[Value], most: int = 5) -> str:
    """`Huron, Ontario, … (5)`: for the trace."""
    shown = ", ".join(verbalise.value(v) for v in values[:most])
    return f"{shown}, … ({len(values)})" if len(values) > most else shown or "nothing"


def _one(values: Sequence[Value]) -> Value:
    if not values:
        raise NotComputable("There is no value to compute with.")
    return values[0]


def _unit(values: Sequence[Value]) -> Entity | None:
    """The unit the values share. Raises NotComputable when they have several."""
    units = {v.unit for v in values if isinstance(v, Literal)}
    if len(units) > 1:
        names = ", ".join(sorted(u.name if u else "none" for u in units))
        raise NotComputable(f"The values have different units ({names}).")
    return next(iter(units), None)


def _extreme(pick: Callable[..., Decimal | None]) -> Callable[[Sequence[Value]], list[Value]]:
    def extreme(values: Sequence[Value]) -> list[Value]:
        known = [v for v in values if comparable(v)]
        best = pick((amount(v) for v in known), default=None)
        return [v for v in known if amount(v) == best][:1]

    return extreme


def _years(a: Value, b: Value) -> int | None:
    """Full years from the earlier to the later date; None when a precision leaves it open."""
    if not (isinstance(a, Literal) and isinstance(b, Literal)):
        raise NotComputable("Years can only be counted between two dates.")
    first, last = sorted((a, b), key=amount)
    y1, y2 = _year(first), _year(last)
    if AGE in (first.datatype, last.datatype):  # of 4.54 billion years nobody knows the last two
        ages = [year for v, year in ((first, y1), (last, y2)) if v.datatype == AGE]
        return round(y2 - y1, -max(map(periods.rounding, ages)))
    if YEAR in (first.datatype, last.datatype):
        return y2 - y1
    tail1, tail2 = (v.value.lstrip("-").split("T")[0].split("-")[1:] for v in (first, last))
    return y2 - y1 - (tail2 < tail1)


def _year_of(v: Value) -> Value:
    """The year of a date; of a period there is none more exact than itself."""
    if isinstance(v, Literal) and v.datatype in PERIODS:
        return v
    return Literal(f"{_year(v):04d}", YEAR)


def _year(v: Value) -> int:
    if not isinstance(v, Literal) or v.datatype not in TIMES:
        raise NotComputable(f"“{verbalise.value(v)}” is not a date.")
    if v.datatype in PERIODS and v.datatype != AGE:
        raise NotComputable(f"“{verbalise.value(v)}” is no single year, so none can be counted.")
    return timeline.year(v)


def _merge(a: Sequence[Value], b: Sequence[Value]) -> list[Value]:
    return list(dict.fromkeys((*a, *b)))


def _sum(values: Sequence[Value]) -> list[Value]:
    return [number(_total(values), _unit(values))]


def _average(values: Sequence[Value]) -> list[Value]:
    """To one decimal more than the most exact of them has, and to two at least."""
    exact = max((-int(amount(v).as_tuple().exponent) for v in values), default=0)
    mean = _total(values) / max(1, len(values))
    return [number(round(mean, max(2, exact + 1)), _unit(values))]


def _total(values: Sequence[Value]) -> Decimal:
    """In the unit they share, where they have one."""
    if _unit(values) is None:
        return sum((amount(v) for v in values), Decimal(0))
    return sum((Decimal(_numeric(v).value) for v in values), Decimal(0))


def _difference(a: Sequence[Value], b: Sequence[Value]) -> list[Value]:
    """In the first value's unit; two dates differ by days."""
    one, other = _one(a), _one(b)
    unit = one.unit if isinstance(one, Literal) else None
    scale = units.size(unit.label) if unit else Decimal(1)
    return [number(abs(amount(one) - amount(other)) / scale, unit)]


def _quotient(a: Sequence[Value], b: Sequence[Value]) -> list[Value]:
    """Lengths, areas, masses and durations divide to a plain number; other units stay: per km²."""
    one, other = _numeric(_one(a)), _numeric(_one(b))
    top, bottom = one.unit, other.unit
    parts = Decimal(one.value), Decimal(other.value)
    alike = (
        top and bottom and (units.of(top.label) or top.id) == (units.of(bottom.label) or bottom.id)
    )
    if alike:
        parts, top, bottom = (amount(one), amount(other)), None, None
    if not parts[1]:
        raise NotComputable("Nothing can be divided by zero.")
    unit = top
    if bottom is not None:
        over, named = (top.id, top.label) if top else ("", "")
        unit = Entity(
            f"{over}{units.PER}{bottom.id}".lstrip(), f"{named}{units.PER}{bottom.label}".lstrip()
        )
    return [number(_rounded(parts[0] / parts[1]), unit)]


def _product(a: Sequence[Value], b: Sequence[Value]) -> list[Value]:
    """In the unit that one of them has; `per km²` and `km²` cancel out."""
    one, other = _numeric(_one(a)), _numeric(_one(b))
    exact = Decimal(one.value) * Decimal(other.value)
    if one.unit is None or other.unit is None:
        return [number(_rounded(exact), one.unit or other.unit)]
    for rate, by in ((one.unit, other.unit), (other.unit, one.unit)):
        (top, _, bottom), (label, _, _) = (
            f" {text}".rpartition(units.PER) for text in (rate.id, rate.label)
        )
        if bottom == by.id:
            unit = Entity(top.strip(), label.strip()) if top.strip() else None
            return [number(_rounded(exact), unit)]
    raise NotComputable(f"{one.name} times {other.name} has no unit: leave one of them out.")


def _numeric(v: Value) -> Literal:
    """A number that is no date. Raises NotComputable for other values."""
    if isinstance(v, Literal) and v.datatype not in TIMES and comparable(v):
        return v
    raise NotComputable(f"“{verbalise.value(v)}” is not a number.")


def _rounded(exact: Decimal) -> Decimal:
    """Six digits, or two behind the point if that is more."""
    return Context(prec=max(6, exact.adjusted() + 3)).plus(exact)


def _compare(test: Callable[[Decimal, Decimal], bool]) -> Callable[..., list[Value]]:
    def compare(a: Sequence[Value], b: Sequence[Value]) -> list[Value]:
        one, other = _one(a), _one(b)
        return [boolean(test(amount(one), amount(other)))]

    return compare


def _day(v: Value) -> Value:
    if isinstance(v, Literal) and v.datatype not in (DATE, DATETIME):
        raise NotComputable(f"“{verbalise.value(v)}” is not known to the day.")
    return v


_FUNCTIONS: dict[str, Callable[..., list[Value]]] = {
    "count": lambda a: [number(len(set(a)))],
    "sum": _sum,
    "average": _average,
    "highest": _extreme(max),
    "lowest": _extreme(min),
    "union": _merge,
    "intersection": lambda a, b: [v for v in dict.fromkeys(a) if v in set(b)],
    "minus": lambda a, b: [v for v in dict.fromkeys(a) if v not in set(b)],
    "same": lambda a, b: [boolean(bool(set(a) & set(b)))],
    "any": lambda a: [boolean(bool(a))],
    "none": lambda a: [boolean(not a)],
    "more": _compare(lambda a, b: a > b),
    "fewer": _compare(lambda a, b: a < b),
    "earlier": _compare(lambda a, b: a < b),
    "later": _compare(lambda a, b: a > b),
    "equal": _compare(lambda a, b: a == b),
    "difference": _difference,
    "quotient": _quotient,
    "product": _product,
    "years_between": lambda a, b: [number(_years(_one(a), _one(b)) or 0)],
    "days_between": lambda a, b: [
        number(abs(int(amount(_day(_one(a)))) - int(amount(_day(_one(b))))))
    ],
    "years_later": lambda a, b: [Literal(f"{_year(_one(a)) + int(amount(_one(b))):04d}", YEAR)],
    "year_of": lambda a: [_year_of(v) for v in a],
}
ARITY = {
    name: 2
    if name
    in {
        "union",
        "intersection",
        "minus",
        "same",
        "more",
        "fewer",
        "earlier",
        "later",
        "equal",
        "difference",
        "quotient",
        "product",
        "years_between",
        "days_between",
        "years_later",
    }
    else 1
    for name in OPERATIONS
}
