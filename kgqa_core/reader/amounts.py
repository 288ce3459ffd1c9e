"""Numbers and dates: measures, limits, ranks, counts, sums, differences, ages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from kgqa_core.facts import relations, units
from kgqa_core.facts.completeness import Missing, missing
from kgqa_core.facts.periods import ordinal
from kgqa_core.facts.terms import Entity, RelationUse, Value
from kgqa_core.reader import plan as p
from kgqa_core.reader.acting import (
    BORN,
    CLASS,
    DIED,
    Found,
    all_are,
    changes,
    denied,
    ids_of,
    kinds_of,
    lacking,
    taken,
    turned,
    twin,
)
from kgqa_core.reader.hops import VAGUE_VERBS
from kgqa_core.reader.lexicon import Lexicon
from kgqa_core.reader.plan import Plan
from kgqa_core.reader.resolve import CLEAR, Candidate, in_own_words
from kgqa_core.reader.ticks import Ticks
from kgqa_core.reader.words import NONE, ORDINALS, Span
from kgqa_core.text import fold, singular, stem, stems

_VAGUE = frozenset(stem(w) for w in "big large great small little biggest largest".split())
_UNNAMED = 0.6  # how sure it is that a relation of another name is meant
_TELLING = 4  # a superlative over so few of a set says nothing: less than one in four
_SETTLED = frozenset("city town village metropolis".split())
LIFESPAN = "lifespan"  # how long somebody lived
_PEAKS = frozenset({"mountain", "peak", "summit"})


class Limits(Ticks):
    """Members by a measure, a word, or how many values they have: three children, no moon."""

    def _limit(self, plan: p.Limit) -> Iterator[Found]:
        span = plan.span
        if span.test == "is" and not span.value.lstrip("-")[:1].isdigit():
            yield from self._with_value(plan)
            return
        measured = scaled = False
        for base in self.values(plan.source):
            if span == NONE and (use := self._ticking(base, plan.phrase)):  # “has bar: no”
                yield self._keep(base, use, "is", "no | false", f"Which have no {plan.phrase}?")
                return
            for use, score in self._scales(base, plan.phrase, span):
                bare = replace(span, value=span.value.split()[0]) if score == _UNNAMED else span
                kept = self._within(base, use, bare)
                scaled = scaled or (score >= CLEAR and self.resolver.kind_of(use) == "number")
                if kept.size:
                    measured = True
                    yield kept.doubted(score < CLEAR, use.count < base.size)
                    break
            else:
                self._lack(f"gives no date or number for “{plan.phrase}”")
        if not measured and not scaled and span.value.isdigit():  # none so cheap has one price
            for base in self.values(plan.source):
                yield from self._with_so_many(base, plan)

    def _with_value(self, plan: p.Limit) -> Iterator[Found]:
        """Members of which a relation says a word: the element with the symbol Hg."""
        for base in self.values(plan.source):
            if plan.span.value == p.TICKED[0]:
                yield from self._said(base, plan.phrase)
                continue
            for candidate in self.resolver.candidates(plan.phrase, "role", base.uses)[:1]:
                thought = f"Which has the {plan.phrase} {plan.span.value}?"
                kept = self._keep(base, candidate.use, "is", plan.span.value, thought)
                if kept.size:
                    yield replace(kept, missing="").doubted(candidate.guess)

    def _scales(
        self, base: Found, phrase: str, span: Span, *, claimed: bool = False
    ) -> Iterator[tuple[RelationUse, float]]:
        """Relations with numbers or dates that the phrase may be about."""
        dates = bool(span.value[:1].isdigit()) and span.test in {"during", "before", "after"}
        if dates:
            told = self.resolver.candidates(phrase, "agent", base.uses, want="time")[:1]
            said = [c.use.relation.name for c in told if not c.guess]  # it broke up
            vague = set(stems(phrase)) <= VAGUE_VERBS  # it is from that year
            verb = self.lex.is_verb(phrase.partition(" ")[0]) and not vague
            first = self.first_dates(verb) if vague or not claimed else ()
            if use := base.out(*self.lex.dated_by(phrase), *said, *first):
                yield use, 1.0
                return
        for word in phrase.split():
            if measure := self.lex.adjectives.get(word):
                if not dates and (age := _age(base, list(measure.relations))):
                    yield age, 1.0
                for label in measure.relations:
                    if use := base.out(label):
                        yield use, 1.0
        want = "time" if dates else "number"
        for candidate in self.resolver.candidates(phrase, "role", base.uses, want=want)[:2]:
            yield candidate.use, candidate.score
        yield from self._in_unit(base, phrase, span)

    def _in_unit(self, base: Found, phrase: str, span: Span) -> Iterator[tuple[RelationUse, float]]:
        """Relations that are called by the unit, too: “minutes”, “length in km”."""
        written = span.value.partition(" ")[2]
        unit = units.unit(written)
        of = [m for word in phrase.split() if (m := self.lex.adjectives.get(word))]
        near = [use for m in of for use, _ in self._own(base, list(m.relations))]
        for use in near if of else base.uses:
            number = self.resolver.kind_of(use) == "number"
            words = use.relation.name.replace("(", " ").replace(")", " ").split()
            named = written in words or (unit and any(units.unit(word) == unit for word in words))
            if written and number and named:
                yield use, _UNNAMED

    def _own(self, base: Found, labels: list[str]) -> Iterator[tuple[RelationUse, float]]:
        """What a graph of another vocabulary measures by: its only date, its “price in euros”."""
        out = [u for u in base.uses if u.direction == "out"]
        dates = [u for u in out if self.resolver.kind_of(u) == "time"]
        if age := _age(base, labels):
            yield age, CLEAR
            return
        if any(self.lex.kinds.get(label) == "time" for label in labels):
            yield from ((use, _UNNAMED) for use in dates if len(dates) == 1)
            return
        for use in out:
            called = set(stems(use.relation.name))
            if self.resolver.kind_of(use) == "number" and any(
                called.issuperset(stems(label)) for label in labels
            ):
                yield use, _UNNAMED

    def _with_so_many(self, base: Found, plan: p.Limit) -> Iterator[Found]:
        number, test = int(plan.span.value), plan.span.test
        least = number + (test == "more than") if test != "less than" else 0
        most = {"is": number, "less than": number - 1}.get(test)
        for form in ("role", "agent"):
            for candidate in self.resolver.candidates(plan.phrase, form, base.uses)[:1]:
                use = candidate.use
                if not least and 2 * use.count < base.size:
                    self._lack(f"states a {use.relation.name} of a few only")
                    return  # where it is mostly missing, it says nothing of the others
                kept = self._at_least(base, use, least) if least else base
                if kept.size and most is not None:
                    beyond = self._at_least(base, use, most + 1)
                    if beyond.size:
                        thought = f"Without those that have more than {most}."
                        kept = self._compute("minus", kept, beyond, thought)
                own = missing(use.relation, use.direction)
                yield lacking(kept, own, base).doubted(candidate.guess, most is not None)
                return

    def _at_least(self, base: Found, use: RelationUse, least: int) -> Found:
        """Members with so many values of a relation: seen from there, of as many the value."""
        if least == 1:
            return self._keep(base, use, "has", "", f"Which have a {use.relation.name}?")
        far = self._follow(base, use)
        back = twin(far.uses, turned(use))
        if back is None:
            return Found("", (), 0)
        thought = f"Which {back.relation.name} do at least {least} of them share?"
        many = taken(self.view, "group", far, back, thought, value=str(least))
        many = many.doubted(not far.certain)
        if not many.size:
            return many
        return self._compute("intersection", many, base, "Of those in question.")


class Amounts(Limits):
    """Numbers and dates."""

    def _nth(self, plan: p.Nth) -> Iterator[Found]:
        if plan.by == LIFESPAN:
            yield from self._longer_lived(plan)
            return
        if isinstance(plan.source, p.Join) and plan.by == "first":
            yield from self._did_first(plan, plan.source)
        if plan.by.endswith("iest") and plan.by not in self.lex.adjectives:
            self._lack(f"has nothing to tell which is “{plan.by}”")
            return
        yield from self._recorded(plan)
        if plan.by.startswith("won ") and (won := [*self._most_won(plan)]):
            yield from won
            return
        ordinal = plan.by.split()[0] == "first"
        self.past = self.past or ordinal  # who was first need not be there now
        for base in self.values(plan.source):
            if base.size == 1 and plan.position == 1 and not isinstance(plan.source, p.Join):
                if ordinal and plan.order == "lowest" and relations.belongs(base.via, "head"):
                    self._lack(f"names one {base.via} only, who need not be the first")
                elif not isinstance(plan.source, p.Kind) or [*self._measures(base, plan.by)]:
                    yield base.doubted(True)
                continue
            done = False
            own_date = bool(self.lex.dated_by(plan.by.partition(" ")[2]))  # was born last
            if ordinal and not own_date and _reached_by_office(plan.source, self.lex):
                yield from self._numbered(plan)
                yield self._rank(base, None, plan)
                continue
            for use, score in self._measures(base, plan.by, _noun_of(plan.source)):
                joined, measure = isinstance(plan.source, p.Join), use.relation.name
                if use.count * (1 if joined else _TELLING) < base.size:
                    some = f"the {measure} of {use.count} of {base.size} only"
                    some = f"gives {some}, so it cannot tell which is “{plan.by}”"
                    self._lack(f"does not give the {measure} of all of them" if joined else some)
                    done = True
                    continue
                aged = use == _age(base, list(self.lex.scale(plan.by)))  # the oldest has the most
                turned = plan
                if aged and plan.order not in {"average", "sum"}:
                    turned = replace(plan, order="highest" if plan.order == "lowest" else "lowest")
                found = self._rank(base, use, turned)
                if 1 < found.size == use.count and in_own_words(use):
                    continue  # each has one, “3h 00”, that is no number: none has the most
                if found.size:
                    done = True
                    if self._said_to_be(plan, found):
                        found = replace(found, missing="", certain=base.certain)
                    elif base.certain and not found.certain:  # some of them have no value
                        found = replace(found, missing="source", certain=True)
                    goes_on = plan.order == "highest" and isinstance(plan.source, p.Named)
                    yield found.doubted(score < CLEAR or (ordinal and goes_on))
            if ordinal and not done:
                yield self._rank(base, None, plan)
            if not done and not ordinal:
                self._lack(f"has nothing to tell which is “{plan.by}”")

    def _most_won(self, plan: p.Nth) -> Iterator[Found]:
        """Who won most of what was held under a name: the team that has won the most Super Bowls"""
        contest = self.view.anchor(plan.by.partition(" ")[2], "")
        use = contest and contest.into("sports season of league or competition")
        if contest and use and (won := (held := self._follow(contest, use)).out("winner")):
            most = self.view.act(
                "Who won most of them?", tool="group", of=held.name, relation=won.relation.id,
                order={"highest": "most"}.get(plan.order, "fewest"), position=plan.position,
            ).doubted(True)  # fmt: skip # the last may be missing
            noun = _noun_of(plan.source)
            yield from self._of_class(most, noun) if self.lex.class_of(noun) else [most]

    def _recorded(self, plan: p.Nth) -> Iterator[Found]:
        """The graph may name the winner itself: `highest point` for the highest mountain."""
        noun, place = "", None
        if isinstance(plan.source, p.Hop) and plan.source.form == "role":
            noun, place = plan.source.phrase, plan.source.source
        elif isinstance(plan.source, p.Where) and isinstance(plan.source.source, p.Kind):
            noun, place = plan.source.source.noun, plan.source.other
        if place is None or plan.position != 1:
            return
        for phrase in (f"{plan.by} {noun}", f"{plan.by} point" if noun in _PEAKS else ""):
            if phrase and self.lex.is_noun(phrase):
                for source in self.values(place):
                    for candidate in self.resolver.candidates(phrase, "role", source.uses)[:1]:
                        if not candidate.guess:
                            yield self._follow(source, candidate.use, f"I need the {phrase}.")

    def _said_to_be(self, plan: p.Nth, found: Found) -> bool:
        """Whether the description of the winner says that it is the highest of all there are."""
        winner = found.members[0] if found.size == 1 else None
        scale = self.lex.adjectives.get(plan.by)
        if not isinstance(winner, Entity) or scale is None:
            return False
        same = {
            w for w in self.lex.superlatives
            if (m := self.lex.adjectives[w]).order == scale.order
            and m.relations[0] in scale.relations
        }  # fmt: skip
        said = fold(winner.description)
        claim = re.search(rf"(?:(\w+)[ -])?\b(?:{'|'.join(sorted(same))})\b", said)
        where = [fold(a.text) for a in p.anchors(plan)] or ["world", "earth"]
        position = ORDINALS.get(claim[1] or "", 1) if claim else 0
        return position == plan.position and any(place in said for place in where)

    def _numbered(self, plan: p.Nth) -> Iterator[Found]:
        """The first, second … holder of an office: by number, not by whose dates are known."""
        hop: Plan = plan.source
        while isinstance(hop, p.Of | p.From):
            hop = hop.source
        if plan.order != "lowest" or not isinstance(hop, p.Hop):
            return
        for office in self.values(hop.source):
            for candidate in self._candidates(office, hop)[:1]:
                use = candidate.use
                title = fold(self._name_of(office, hop.source)).split(" of ")[0]
                number = rf"\b(?:{_ordinal(plan.position)})\b(?: [\w-]+)? {re.escape(title)}\b"
                holders = self._follow(office, use)
                told = [m.id for m in holders.things if re.search(number, fold(m.description))]
                values = [str(plan.position), *(told if len(told) == 1 else [])]
                for value in values:
                    found = self._follow(office, use, value=value)
                    if found.size == 1:
                        yield found
                        return

    def _measures(
        self, base: Found, by: str, noun: str = ""
    ) -> Iterator[tuple[RelationUse, float]]:
        """What an adjective, or "most N", is measured by around a set of what a noun says."""
        head, _, verb = by.partition(" ")
        seen: set[str] = set()
        labels: list[str] = []
        if head == "first" and verb:
            labels += self.lex.dated_by(verb)
        labels += self.lex.scale(by)
        if stem(head) in _VAGUE and noun in _SETTLED:
            labels = ["population"]  # how many live in a city says how large it is
        for label in labels:
            use = base.out(label)
            if use and use.relation.id not in seen:
                seen.add(use.relation.id)
                vague = stem(head) in _VAGUE and not relations.belongs(label, "extent")
                yield use, 0.7 if vague else 1.0
        if labels:
            own = [] if seen else list(self._own(base, labels))
            if not own and not seen and stem(head) in _VAGUE:  # the largest, by the one number
                one = [u for u in base.uses if self.resolver.kind_of(u) == "number"]
                own = [(u, _UNNAMED) for u in one if len(one) == 1 and in_own_words(u)]
            yield from own
            return
        for want in ("number", ""):
            for form in () if seen else ("role", "agent"):  # numbers say it, or what is counted
                for candidate in self.resolver.candidates(by, form, base.uses, want=want)[:2]:
                    use = candidate.use
                    if use.relation.id not in seen:
                        seen.add(use.relation.id)
                        yield use, candidate.score
        for use in base.uses if not seen and base.size > 1 else ():  # whatever leads from paintings
            things = self._follow(base, use) if use.direction == "in" else Found("", (), 0)
            if (kinds := things.out(*CLASS)) and all_are(kinds, [singular(by)]):
                yield use, CLEAR

    def _amount(self, found: Found, use: RelationUse) -> Found:
        """The number or date to compare by; of a relation to things, how many there are."""
        at = "now" if changes(use) else ""
        values = self._follow(found, use, f"I look up the {use.relation.name}.", at=at)
        if self.resolver.kind_of(use) in {"number", "time"} or not values.size:
            return values
        return self._compute("count", values, None, "How many are there?")

    def _count(self, plan: p.Count) -> Iterator[Found]:
        source = plan.source
        if isinstance(source, p.Anchor) and source.text.islower() and not source.noun:
            known = self.view.anchor(source.text, "class")
            if known and known.certain:
                ways = [(u.direction, in_own_words(u)) for u in known.uses]
                if known.into(*CLASS) or ways == [("in", True)]:
                    source = p.Kind(singular(source.text))  # how many pens, though one pens books
        stated = list(self._parts(source))
        yield from stated
        if stated:
            return
        if isinstance(source, p.Hop) and source.form == "role":  # "number of episodes"
            for base in self.values(source.source):
                listed = any(
                    self.resolver.kind_of(c.use) not in {"number", "time"} and not c.guess
                    for c in self.resolver.candidates(source.phrase, "role", base.uses)
                )
                least = 0.95 if listed else CLEAR - 0.1
                for said in (f"number of {source.phrase}", source.phrase):
                    for c in self.resolver.candidates(said, "role", base.uses, want="number")[:1]:
                        one = Candidate(c.uses[:1], c.score)
                        for found in self._take(base, one, source) if c.score >= least else ():
                            if found.size:
                                yield found
                                return
                break
        if isinstance(source, p.Hop) and source.want == "time" and not source.heard:
            source = replace(source, heard="each")  # in how many years: no first one counts
        for found in self.values(source):
            if found.members and self._numeric(found) and found.size == 1:
                yield found
                continue
            noun = self.lex.class_of(singular(source.noun)) if isinstance(source, p.Of) else None
            if noun is not None and noun.what != "time" and not found.things:
                continue  # the dates of songs are no songs
            if set(found.members) & self._named_in(source):
                continue  # a country is none of its states
            if isinstance(source, p.Anchor):  # the Great Lakes: what they consist of
                made_of = found.out("has part(s)")
                if made_of is None:
                    continue
                found = self._follow(found, made_of, "What does it consist of?")
                found = replace(found, missing="")
            number = self._compute("count", found, None, "Now I count them.")
            number = number.doubted(self._lies_in_two(found, source))
            yield replace(number, via=found.via) if isinstance(source, p.Named | p.Of) else number

    def _lies_in_two(self, found: Found, source: Plan) -> bool:
        """Whether places of a continent are meant, and some lie in another one, too: Turkey."""
        lies = found.out("continent")
        if lies is None or lies.count <= found.size:
            return False
        named = (self.view.anchor(a.text, a.noun) for a in p.anchors(source))
        return any("continent" in kinds_of(one) for one in named if one is not None)

    def _parts(self, plan: Plan) -> Iterator[Found]:
        """The number that stands at a part of a thing: the legs of a spider, all eight."""
        hop = plan.source if isinstance(plan, p.Of) else plan
        match hop:
            case p.Hop(phrase=part, source=whole, form="role", when=None, beside=None):
                pass
            case p.Where(source=p.Kind(noun=part), phrase="in" | "on", other=whole):
                pass
            case _:
                return
        for thing in self.values(whole):
            if (number := self._stated_number(thing, part)) is not None:
                yield number

    def _named_in(self, plan: Plan) -> set[Value]:
        """What a phrase names itself: of them it asks for something else."""
        if not isinstance(plan, p.Hop | p.Of):
            return set()
        if isinstance(plan, p.Hop) and isinstance(plan.source, p.Anchor):
            named = self.view.anchor(plan.source.text, plan.source.noun)
            return set(named.members) if named is not None else set()
        return self._named_in(plan.source)

    def _named(self, plan: p.Named) -> Iterator[Found]:
        source = plan.source
        if not isinstance(source, p.Hop) or source.when is not None:
            return
        for base in self.values(source.source):
            for candidate in self._candidates(base, source)[:2]:
                use = candidate.use
                if plan.dated and use.direction == "out":
                    continue  # an award, whose own date says nothing of who has it
                near = [
                    m for m in self._follow(base, use).members
                    if self._part_of_name(plan.text, m)
                    and not (plan.dated and fold(m.name) == fold(plan.text))
                ]  # fmt: skip
                if not near:
                    continue
                found = self._follow(base, use, value=ids_of(near))
                for qualifier in ("for work", "point in time"):  # won twice counts twice
                    times = self._follow(base, use, value=ids_of(near), qualifier=qualifier)
                    if times.size > found.size:
                        found = times
                # of two awards of a kind there may be a third; one of one kind was won, or was not
                own: Missing = missing(use.relation, use.direction) if len(near) > 1 else ""
                found = replace(found, missing=own, via=fold(use.relation.name))
                yield found.doubted(candidate.guess)
                return

    def _measure(self, plan: p.Measure) -> Iterator[Found]:
        for base in self.values(plan.source):
            if plan.by == LIFESPAN:
                yield from self._lifespan(base)
                continue
            done = False
            for use, score in self._measures(base, plan.by):
                kind = self.resolver.kind_of(use)
                if kind not in {"number", "time"}:
                    continue
                at = "now" if changes(use) and not self.past else ""
                found = self._follow(base, use, f"I look up its {use.relation.name}.", at=at)
                if found.size:
                    done = True
                    via = fold(use.relation.name)
                    yield replace(found, via=via).doubted(score < CLEAR)
            if not done:
                self._lack(f"does not say how {plan.by} {self._name_of(base, plan.source)} is")

    def _lifespan(self, person: Found) -> Iterator[Found]:
        """How many days somebody lived; years, and no more certain, by dates that are no finer."""
        born, died = (person.out(*date) for date in (BORN, DIED))
        if born is None or died is None:
            self._lack("does not have both dates of birth and of death")
            return
        birth, death = self._follow(person, born), self._follow(person, died)
        for unit in ("days", "years"):
            lived = self._compute(f"{unit}_between", birth, death, f"So many {unit} they lived.")
            yield replace(lived, via=unit).doubted(unit == "years")

    def _did_first(self, plan: p.Nth, both: p.Join) -> Iterator[Found]:
        """Which of two did something first: joined a union, became president."""
        one, other = both.left, both.right
        if not (isinstance(one, p.Hop) and isinstance(other, p.Hop) and one.beside == other.beside):
            return
        if one.beside is not None and one.want == other.want == "time":
            for verdict in self.values(p.Compare(one, other, "first", plan.order)):
                for winner in self.values((one, other)[denied(verdict)].source):
                    yield winner.doubted(not verdict.certain)
                    return

    def _longer_lived(self, plan: p.Nth) -> Iterator[Found]:
        if not isinstance(plan.source, p.Join):
            return
        ends = plan.source.left, plan.source.right
        for verdict in self.values(p.Compare(*ends, plan.by, plan.order)):
            for winner in self.values(ends[denied(verdict)]):
                died = winner.out(*DIED)
                if died is not None:
                    kept = self._keep(winner, died, "has", "", "This one.")
                    yield kept.doubted(not verdict.certain)
                    return


def _age(base: Found, labels: list[str]) -> RelationUse | None:
    """The age that is stated itself, where one is older by a date of birth."""
    return base.out("age") if set(BORN) & set(labels) else None


def _ordinal(position: int) -> str:
    """How texts write a position: "1st" or "first"."""
    return "|".join([ordinal(position), *(w for w, n in ORDINALS.items() if n == position)])


def _reached_by_office(plan: Plan, lex: Lexicon) -> bool:
    """Whether the members were reached by statements that have times: offices, marriages."""
    if isinstance(plan, p.Of | p.From | p.Limit):
        return _reached_by_office(plan.source, lex)
    return (
        isinstance(plan, p.Hop)
        and not lex.dated_by(plan.phrase)
        and stem(plan.phrase) not in {"child", "son", "daughter"}
    )


def _noun_of(plan: Plan) -> str:
    """The last word of what the members of a set are called, in the singular."""
    match plan:
        case p.Kind() | p.Of():
            return singular(plan.noun).split()[-1]
        case p.Hop() if plan.form == "role":
            return singular(plan.phrase).split()[-1]
        case p.Where() | p.From() | p.Limit():
            return _noun_of(plan.source)
    return ""
