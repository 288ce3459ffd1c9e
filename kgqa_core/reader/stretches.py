"""Stretches of time, ages, rates, how long something held, and who came next."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta

from kgqa_core.facts.terms import PERIODS, YEAR, Entity, Literal, Value
from kgqa_core.facts.timeline import year
from kgqa_core.reader import plan as p
from kgqa_core.reader.acting import BORN, DIED, Found, changes, ids_of
from kgqa_core.reader.amounts import Amounts
from kgqa_core.reader.hops import TRIES
from kgqa_core.reader.plan import Plan
from kgqa_core.reader.words import Span
from kgqa_core.text import fold, stems

_RULING = ("monarch", "king", "queen", "emperor", "tsar", "pope", "president", "prime minister",
           "chancellor")  # fmt: skip
_GOING_ON = frozenset(stems("happen occur take took place go going on was were be is in during"))
_RATES = {"population density": ("population", "area")}  # one divided by the other


class Stretches(Amounts):
    """Stretches of time: between two dates, ages, how long something held, and who came next."""

    def _between(self, plan: p.Between) -> Iterator[Found]:
        operation = {"years": "years_between", "days": "days_between", "number": "difference"}[
            plan.unit
        ]
        for left in self.values(plan.left):
            if isinstance(plan.right, p.Now):
                yield self._until(operation, left, None)
                continue
            for right in self.values(plan.right):
                if isinstance(plan.left, p.Measure) and left.via != right.via:
                    continue  # one is high by its height, the other by where it lies
                if plan.unit == "years" and left.via == right.via == "publication date":
                    left, right = (self._year_of(x) for x in (left, right))
                yield self._compute(
                    operation, left, right, f"The {plan.unit} between the two."
                ).doubted(left.size > 1, right.size > 1)

    def _under_way(self, source: Found, plan: p.Against) -> Found | None:
        """Whether what begins and ends was going on in a year: “did the war happen in 1916”."""
        vague = set(stems(plan.by)) <= _GOING_ON and plan.span.test == "during"
        if not vague or (there := self._there_at(source, plan.span)) is None:
            return None
        kept, use = there
        if kept.size:
            return self._compute("any", kept, None, "It was going on then.")
        said = self._follow(source, use, f"I look up the {use.relation.name}.")
        return self._compute("same", said, kept, "It was not going on then.")

    def _year_of(self, dates: Found) -> Found:
        """The year of the earliest: years between releases are counted by the calendar."""
        if dates.size > 1:
            dates = self._compute("lowest", dates, None, "The first date counts.")
        return self._compute("year_of", dates, None, "Its year.")

    def _hop(self, plan: p.Hop) -> Iterator[Found]:
        """Rates are reckoned where the graph does not state them itself."""
        parts = _RATES.get(plan.phrase, ()) if plan.form == "role" else ()
        for source in self.values(plan.source) if parts else ():
            found = (source.out(label) for label in parts)
            uses = [use for use in found if use is not None]
            if source.out(plan.phrase) or len(uses) < len(parts):
                continue
            one, other = (
                self._follow(source, use, at="now" if changes(use) else "") for use in uses
            )
            yield self._compute("quotient", one, other, "The one divided by the other.")
        yield from super()._hop(plan)

    def _beginning(self, plan: Plan) -> Iterator[tuple[Found, Found, bool]]:
        """What a plan leads to, when it was born or began, and whether it is a life that began."""
        for one in self.values(plan):
            name = self._name_of(one, plan)
            use = one.out(*BORN, "inception", "publication date")
            if use is None:
                self._lack(f"has no date of birth of {name}")
                continue
            birth = self._follow(one, use, f"When was {name} born?")
            yield one, birth, fold(use.relation.name) in BORN

    def _age(self, plan: p.Age) -> Iterator[Found]:
        for one, birth, lived in self._beginning(plan.source):
            if one.size > 1 < birth.size:
                self._lack("are reckoned one at a time: ask for each", "Ages")
                continue  # the age of the first would be told as that of all
            told = False
            for then in self.values(plan.event) if plan.event is not None else ():
                if _earlier(then, birth):
                    continue  # a film of that name is not meant
                told = True
                yield self._compute(
                    "years_between", birth, then, "The years between the two dates."
                ).doubted(birth.size > 1, then.size > 1, _rough(birth, then, lived))
            if told:
                return
            if plan.event is not None:
                continue
            died = one.out(*DIED)
            death = self._follow(one, died, "When did they die?") if died else None
            yield self._until("years_between", birth, death).doubted(death is not None)
            return

    def _until(self, unit: str, start: Found, end: Found | None) -> Found:
        """From a date to another one, or to today where there is none."""
        if end is not None and end.size:
            return self._compute(unit, start, end, "The time between the two.")
        return self._compute(unit, start, None, "The time until today.", value="now")

    def _turning(self, plan: p.Turning) -> Iterator[Found]:
        for _, birth, _ in self._beginning(plan.source):
            yield self._compute(
                "years_later", birth, None, f"{plan.years} years later.", value=str(plan.years)
            ).doubted(birth.size > 1)

    def _office(self, plan: p.Office) -> Iterator[Found]:
        for holder in self.values(plan.source):
            use = holder.out("position held")
            if use is None:
                self._lack(f"names no office of {self._name_of(holder, plan.source)}")
                continue
            held = self._follow(holder, use, "Which offices did they hold?").members
            titles = (fold(plan.title),) if plan.title else _RULING
            near = [m for m in held if _is_called(m, titles)]
            if near:
                yield self._follow(holder, use, value=ids_of(near))

    def _neighbour(self, plan: p.Neighbour) -> Iterator[Found]:
        """By the dates of the other's own statement: who held the same a day before, or after."""
        hop = plan.hop
        if not isinstance(hop, p.Hop):
            return
        if plan.side == "when":
            for event in self.values(plan.other):
                if event.size == 1 and isinstance(then := event.members[0], Literal):
                    held = replace(hop, when=Span("during", then.value))
                    yield from (found.doubted(not event.certain) for found in self.values(held))
            return
        limit = "start time" if plan.side == "before" else "end time"
        for source in self.values(hop.source):
            for candidate in self._candidates(source, hop)[:TRIES]:
                use = candidate.use
                for value, doubt in self._second(source, use, plan.other):
                    dates = self._follow(source, use, value=value, qualifier=limit)
                    times = _beside(dates, plan.side)
                    if not times:
                        self._lack(f"does not say when that was, so not who was {plan.side}")
                        continue
                    for at in times:
                        found = self._follow(source, use, f"Who was it {plan.side} that?", at=at)
                        if found.size:
                            break
                    if found.size == 1 and ids_of(found.members) != value:
                        yield found.doubted(doubt, dates.size > 1)
                    return

    def _lasting(self, plan: p.Lasting) -> Iterator[Found]:
        unit = "days_between" if plan.unit == "days" else "years_between"
        for source in self.values(plan.source):
            for candidate in self.resolver.candidates(
                plan.phrase, "agent", source.uses, prep=plan.prep
            )[:TRIES]:
                use = candidate.use
                value, guess = "", False
                if plan.other is not None:
                    value, guess = next(self._second(source, use, plan.other), ("", False))
                    if not value:
                        continue
                start, end = (
                    self._follow(source, use, f"When did it {what}?", value=value, qualifier=label)
                    for what, label in (("begin", "start time"), ("end", "end time"))
                )
                if start.size and (start.size == 1 or plan.other is not None):
                    # of several times none is said to be meant
                    stay = self._until(unit, start, end)
                    yield stay.doubted(end.size > 0 and (start.size > 1 or end.size > 1 or guess))
            began, ended = source.out("start time"), source.out("end time")
            if plan.other is None and began and ended:
                start = self._follow(source, began, "When did it begin?")
                end = self._follow(source, ended, "When did it end?")
                yield self._until(unit, start, end)


def _is_called(office: Value, titles: tuple[str, ...]) -> bool:
    """Whether an office has one of these titles: the pope, a king (also a monarch) of somewhere."""
    names = [office.name, *office.aliases] if isinstance(office, Entity) else []
    of = tuple(f"{t} of " for t in titles)
    return any(fold(n) in titles or fold(n).startswith(of) for n in names)


def _beside(dates: Found, side: str) -> list[str]:
    """A day before the first date or after the last, and the month beside it: a seat stands empty
    for weeks. A year, where only years are known."""
    known = sorted(m.value for m in dates.literals)
    if not known:
        return []
    text = known[0] if side == "before" else known[-1]
    step = -1 if side == "before" else 1
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return [f"{int(text[:4]) + step:04}"] if text[:4].isdigit() else []
    months = 12 * day.year + day.month - 1 + step
    return [str(day + timedelta(days=step)), f"{months // 12:04}-{months % 12 + 1:02}"]


def _earlier(one: Found, other: Found) -> bool:
    """Whether all of some dates are from a year before that of the others."""
    years = [[year(m) for m in found.times] for found in (one, other)]
    return all(years) and max(years[0]) < min(years[1])


def _rough(birth: Found, then: Found, lived: bool) -> bool:
    """Whether one date is a year only and the other is not, or either of a life: the age may be
    one less.
    """
    years = [
        isinstance(m, Literal) and m.datatype in {YEAR, *PERIODS}
        for one in (birth, then)
        for m in one.members
    ]
    return any(years) if lived else len(set(years)) > 1
