"""Where somebody or something is from, asked by an adjective: was Kant German, an American band."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from kgqa_core.facts import relations
from kgqa_core.reader import plan as p
from kgqa_core.reader.acting import PAST_STATE, Found, denied, kinds_of
from kgqa_core.reader.classes import ORIGINS
from kgqa_core.reader.stretches import Stretches
from kgqa_core.text import fold

_LEVELS = 3  # of places around a place: its district, its country, its continent
_CONTAINERS = relations.labels("place within")
_BIRTHPLACE = relations.row("place of birth").labels


class Origins(Stretches):
    """Whether somebody or something comes from a country."""

    def _comes_from(self, plan: p.IsA) -> Iterator[Found]:
        """An American band: whether it is a band, and from there."""
        alone = not plan.noun  # is X Austrian
        is_one = None if alone else next(self.values(replace(plan, adjective="")), None)
        if is_one is not None and denied(is_one):
            yield is_one
            return
        names = (*self.lex.demonyms.get(plan.adjective, ()), plan.adjective)
        places = " | ".join(names)
        for source in self.values(plan.source):
            name = self._name_of(source, plan.source)
            known = [u for o in ORIGINS if (u := source.out(o))]
            thought = f"Is {name} {plan.adjective}?"
            for use in known:
                kept = self._keep(source, use, "is", places, thought)
                if kept.size and (alone or is_one is not None):
                    doubt = is_one is not None and not is_one.certain
                    yield self._compute("any", kept, None, "So it is.").doubted(doubt)
                if kept.size:
                    return
            for use in known[:1]:
                states = self._follow(source, use)
                if alone and PAST_STATE in kinds_of(states):
                    yield from self._of_the_past(source, states, names)
                else:
                    yield self._whether(source, use, places, thought).doubted(True)
                return
            self._lack(f"does not say where {name} is from")

    def _of_the_past(self, person: Found, states: Found, names: Sequence[str]) -> Iterator[Found]:
        """A citizen of a state that is no more is told by its name, or by the place of birth."""
        *_, adjective = names
        if so := [m for m in states.members if _called_after(m.name, names)]:
            yield self._compute("any", states, None, f"{so[0].name} was {adjective}.").doubted(True)
            return
        wanted = {fold(n) for n in names}
        born = person.out(*_BIRTHPLACE)
        at = self._follow(person, born) if born else None
        around = [at, *self._around(at)] if at is not None else []
        for place in around:
            if any(fold(m.name) in wanted for m in place.members):
                yield self._compute("any", place, None, "It lies there.").doubted(True)
                return
        state = states.members[0].name if states.members else ""
        self._lack(f"says {state}, a state of the past, which need not mean “no”")

    def _seats(self, place: Found) -> Iterator[Found]:
        """Of what a place is the capital: it lies there."""
        over = place.into("capital")
        if use := over or place.out("capital of"):
            yield self._follow(place, use, "Of what is that the capital?")

    def _around(self, place: Found) -> Iterator[Found]:
        """In what a place lies, level by level."""
        for _ in range(_LEVELS):
            wider: Found | None = None
            for label in _CONTAINERS:
                if use := place.out(label):
                    around = self._follow(place, use, "In what does that place lie?")
                    if around.size:
                        yield around
                        wider = wider or around
            if wider is None:
                return
            place = wider


def _called_after(state: str, names: Sequence[str]) -> bool:
    """Whether a state has the name of a country: Kingdom of Poland, Russian Empire."""
    *places, adjective = (re.escape(fold(n)) for n in names)
    ended = rf"(?:\bof (?:the )?|\bancient )(?:{'|'.join(places)})$"
    begun = rf"^{adjective} (?:empire|kingdom|republic|confederation)"
    return re.search(f"{ended}|{begun}", fold(state)) is not None
