"""Plan + graph → values.

A plan is evaluated over a `View`: the part of the graph that is in sight. Every node yields
its possible results, most likely first, and whoever uses it takes the next one when the first
leads nowhere: that is all the backtracking there is. A view that would have to look further
raises `Need`, and its action becomes the next step of the walk.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from kgqa_core.reader import plan as p
from kgqa_core.reader.grammar import GENERAL, PREPOSITIONS
from kgqa_core.reader.lexicon import Kin, Lexicon
from kgqa_core.reader.plan import Form, Plan
from kgqa_core.reader.resolve import CLEAR, Candidate, Resolver, names
from kgqa_core.reader.wording import step
from kgqa_core.reader.words import Span, fold, singular, stem, stems
from kgqa_core.terms import TIMES, Entity, Literal, RelationUse, Value

_CLASS = ("instance of", "type", "rdf type", "is a")
_SUBCLASS = ("subclass of",)
_REGIONS = 80  # countries whose things are gone through one level down
_KINDS = 2  # levels of subclasses that count as the thing itself
_TRIES = 4  # relations tried for one phrase
_PEOPLE = frozenset({"person", "human", "people", "individual", "figure", "celebrity", "one"})
_LINKING = frozenset(stem(w) for w in "the a an of for in at and to".split())
_MAKE = frozenset(stem(w) for w in "make do create work produce".split())
_BEGIN = frozenset(stem(w) for w in "join become marry win receive move begin found".split())
_SEATED = frozenset(stem(w) for w in "base headquarter seat bury born".split())
_BIRTHS = frozenset({"place of birth", "birth place", "place of death", "place of burial"})
_VAGUE = frozenset(stem(w) for w in "big large great small little biggest largest".split())
_EXTENT = frozenset("area,diameter,height,length,maximum capacity,capacity".split(","))
_PEAKS = frozenset({"mountain", "peak", "summit"})
_SHOWN = 30  # members of a set that are in view
_SORTS = (
    "has genre", "genre", "movement", "sport", "industry", "religion or worldview",
    "field of work", "instrument",
)  # fmt: skip
_STATES = frozenset({"country", "state", "nation", "member state", "member country"})
_PAST = frozenset("was were did had ever been".split())


class NoWay(Exception):
    """The plan cannot be carried out over this graph; the message says what it lacks."""


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

    def doubted(self, *doubts: bool) -> Found:
        return replace(self, certain=self.certain and not any(doubts))


class View(Protocol):
    """The part of a graph that is in sight, and how to act in it.

    `may_look`: whether names that were not looked up yet are worth a look.
    """

    may_look: bool

    def anchor(self, text: str, noun: str) -> Found | None:
        """The set of a name of the question; None when the graph does not have it."""
        ...

    def act(self, thought: str, **action: Any) -> Found:
        """The result of an action on sets. Raises Need when it has not been taken yet."""
        ...


class Evaluator:
    def __init__(self, view: View, lex: Lexicon, resolver: Resolver, question: str) -> None:
        self.view = view
        self.lex = lex
        self.resolver = resolver
        tokens = fold(question).split()
        self.past = bool(_PAST & set(tokens))
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

    # -- names and classes ---------------------------------------------------------------

    def _anchor(self, plan: p.Anchor) -> Iterator[Found]:
        found = self.view.anchor(plan.text, plan.noun)
        known = self.lex.class_of(plan.noun) if plan.noun else None
        if known is not None and known.what == "thing" and not _among(found, known.labels):
            for name in (f"{plan.text} {plan.noun}", f"{plan.noun} of {plan.text}"):
                other = self.view.anchor(name.title(), "class")
                if _among(other, known.labels) and other is not None:
                    yield other
                    return
        if found is None:
            names_ = self.lex.demonyms.get(plan.text.casefold(), ())
            for name in (*names_, *self.lex.renamed(plan.text)):
                found = self.view.anchor(name, "" if name in names_ else "class")
                if found:
                    break
        if found is None:
            self._lack(f"The graph has no entity called “{plan.text}”.")
            return
        yield found
        for name in self.lex.renamed(plan.text) if found.certain else ():
            other = self.view.anchor(name, "class")  # Princeton, the university
            if other is not None and set(other.members) != set(found.members):
                yield other.doubted(True)

    def _kind(self, plan: p.Kind) -> Iterator[Found]:
        noun = singular(plan.noun)
        thought = f"I need everything that is a {noun}."
        for cls in self._classes(noun):
            above = _use(cls.uses, _SUBCLASS, "in")
            if above and _use(cls.uses, _CLASS, "in"):
                below = self._follow(cls, above, f"Which kinds of {noun} are there?")
                if below.size:
                    cls = self._compute("union", cls, below, f"All kinds of {noun} count.")
            for labels in (_CLASS, ("occupation",), ("sport",)):
                if use := _use(cls.uses, labels, "in"):
                    yield self._follow(cls, use, thought)
        group = self.view.anchor(plan.noun, "class")  # the Great Lakes: what they consist of
        if group is not None and (use := _use(group.uses, ("has part(s)",), "out")):
            yield self._follow(group, use, thought)
        if self.view.anchor(noun, "") is None:
            self._lack(f"The graph has no entity called “{noun}”.")
        self._lack(f"The graph does not say what is a {noun}.")

    def _classes(self, noun: str) -> Iterator[Found]:
        """The class a noun names; a class with several names in the graph as one set."""
        known = self.lex.class_of(noun)
        one: Found | None = None
        for label in dict.fromkeys((noun, *(known.labels[:2] if known else ()))):
            cls = self.view.anchor(label, "class")
            if cls is None or not cls.size:
                continue
            if known is None or known.what not in {"thing", "work"}:
                yield cls
            elif one is None:
                one = cls
            elif set(cls.members) - set(one.members):
                one = self._compute("union", one, cls, f"Another word for a {noun}.")
        if one is not None:
            yield one

    def _of(self, plan: p.Of) -> Iterator[Found]:
        source = plan.source
        if isinstance(source, p.Hop):
            known = self.lex.class_of(singular(plan.noun))
            source = replace(source, noun=singular(plan.noun))
            suits = known is not None and known.what in {"person", "place"}
            if known and suits and not source.want and not self._says_thing(plan.noun):
                source = replace(source, want=known.what)
        implied = _implied(source, plan.noun)
        first: Found | None = None
        asked_beside = isinstance(source, p.Hop) and source.beside is not None
        for found in self.values(source):
            first = first or found
            if asked_beside and self.lex.qualifiers_of(plan.noun):
                yield found  # what subject, for which film: said by the statement
                continue
            kept = False
            for members in self._of_class(found, plan.noun, implied):
                kept = True
                yield members
            if not kept:
                yield from self._leads_to(found, plan.noun)
                if self._says_class(found, plan.noun):
                    yield found.doubted(True)
        if first is not None and self._may_ignore(first, plan.noun):
            yield first.doubted(True)

    def _leads_to(self, found: Found, noun: str) -> Iterator[Found]:
        """The country of a city, when a country is asked for; or the relation says it all."""
        if set(stems(noun)) & set(stems(found.via)):
            yield found.doubted(found.back)
            return
        if self.lex.is_noun(noun) or self.lex.class_of(noun):
            for candidate in self.resolver.candidates(singular(noun), "role", found.uses)[:1]:
                if candidate.score >= CLEAR and candidate.uses[0].direction == "out":
                    thought = f"I need the {singular(noun)} of {self._name_of(found, p.Hole())}."
                    led = self._follow(found, candidate.uses[0], thought)
                    yield led.doubted(led.size > max(1, found.size))

    def _says_class(self, found: Found, noun: str) -> bool:
        """Whether the relation that led here tells what they are: who directs, directs a film."""
        return any(
            e.kind == "noun" and any(found.via in way for way in e.relations)
            for e in self.lex.find(stems(singular(noun)), "noun")
        )

    def _says_thing(self, noun: str) -> bool:
        """Whether a noun first of all names a relation to things: a church, to faiths."""
        first = self.lex.find(stems(singular(noun)), "noun")[:1]
        return any(e.kind == "noun" and self.lex.kinds.get(e.relations[0][0]) == "thing"
                   for e in first)  # fmt: skip

    def _may_ignore(self, found: Found, noun: str) -> bool:
        """A class nobody in the set has may be another word for it, unless it is well known."""
        known = self.lex.class_of(singular(noun))
        return known is None or not _use(found.uses, _CLASS, "out")

    def _of_class(self, found: Found, noun: str, implied: bool = False) -> Iterator[Found]:
        noun = singular(noun)
        known = self.lex.class_of(noun)
        labels = list(dict.fromkeys((noun, *(known.labels if known else ()))))
        if not any(isinstance(m, Entity) for m in found.members):
            yield found
            return
        first, _, last = noun.rpartition(" ")
        if known is None and first and self.lex.class_of(last) is not None:
            yield from self._of_sort(found, first, last)
            if not self.view.anchor(noun, "class"):
                return
        instance = _use(found.uses, _CLASS, "out")
        person = known is not None and known.what == "person"
        if person or (known is None and _use(found.uses, ("occupation",), "out")):
            sex = {
                "man": "male",
                "actor": "",
                "woman": "female",
                "lady": "female",
                "actress": "female",
                "guy": "male",
            }.get(noun)
            gender = _use(found.uses, ("sex or gender", "gender"), "out")
            if sex and gender:
                yield self._keep(
                    found, gender, "is", sex, f"Only the {_plural(noun)} are asked for."
                )
                return
            if noun in _PEOPLE or implied or sex:
                if (
                    instance
                    and not _all_are(instance, ["human", "person", *labels])
                    and not implied
                ):
                    kept = self._keep(
                        found, instance, "is", "human | person", "Only people are asked for."
                    )
                    yield kept if kept.size else found
                    return
                yield found
                return
            for name in ("occupation", "position held", "sport"):
                if use := _use(found.uses, (name,), "out"):
                    kept = self._keep(
                        found, use, "is", " | ".join(labels), f"Which of them are {_plural(noun)}?"
                    )
                    if kept.size:
                        yield kept
                        return
            if _use(found.uses, ("occupation",), "out"):
                return
        if instance is None and self.lex.is_noun(noun) and known is None:
            return  # a genre, a type: what leads there is asked for
        if instance is None or _all_are(instance, labels):
            yield found.doubted(instance is None and not self._says_class(found, noun))
        else:
            kept = self._keep(
                found, instance, "is", " | ".join(labels), f"Which of them are {_plural(noun)}?"
            )
            if noun in _STATES and kept.size > 1 and not self.past:
                kept = self._standing(kept)
            if kept.size and kept.size < found.size <= _SHOWN:
                left = [m for m in found.members if m not in kept.members]
                called = [m for m in left if set(stems(noun)) <= set(stems(m.name))]
                if called and len(called) == len(left):
                    yield found  # the University of X is one, whatever its class is called
                    return
                kept = kept.doubted(bool(called))
            if kept.size:
                yield kept

    def _standing(self, states: Found) -> Found:
        """Asked in the present, countries of the past are not meant."""
        instance = _use(states.uses, _CLASS, "out")
        if instance is None:
            return states
        thought = "Only countries of today are meant."
        kept = self._keep(states, instance, "is not", "historical country", thought)
        return kept if kept.size else states

    def _of_sort(self, found: Found, sort: str, noun: str) -> Iterator[Found]:
        """Hard rock bands: the bands whose genre is hard rock; both are tested."""
        for members in self._of_class(found, noun):
            for label in _SORTS:
                if use := _use(members.uses, (label,), "out"):
                    thought = f"Which of the {_plural(noun)} are {sort}?"
                    kept = self._keep(members, use, "is", sort, thought)
                    if kept.size:
                        yield kept
                        return

    def _from(self, plan: p.From) -> Iterator[Found]:
        adjective = plan.adjective
        if adjective == "current":
            self.now = True
            yield from self.values(plan.source)
            return
        places = list(self.lex.demonyms.get(adjective, ()))
        if isinstance(plan.source, p.Kind):  # start from the place: the class may be large
            for place in places:
                found = self.view.anchor(place, "")
                if found:
                    hop = p.Where(plan.source, "from", "patient", p.Anchor(place), "from")
                    yield from self.values(hop)
                    return
        for found in self.values(plan.source):
            for name in ("country of citizenship", "nationality", "country of origin", "country",
                         "continent", "original language of film or TV show",
                         "in language"):  # fmt: skip
                if use := _use(found.uses, (name,), "out"):
                    value = " | ".join([*places, adjective])
                    kept = self._keep(
                        found, use, "is", value, f"Which of them are {adjective.title()}?"
                    )
                    if kept.size:
                        yield kept
                        break

    # -- hops ----------------------------------------------------------------------------

    def _hop(self, plan: p.Hop) -> Iterator[Found]:
        kin = self.lex.kin.get(stems(plan.phrase)) if plan.form == "role" else None
        for source in self.values(plan.source):
            if kin:
                yield from self._kin(source, kin, plan)
                continue
            if plan.beside is not None:
                yield from self._beside(source, plan)
                continue
            yield from self._along(source, plan)

    def _along(self, source: Found, plan: p.Hop) -> Iterator[Found]:
        """Each relation the phrase may mean, then the phrase as a class of things."""
        candidates = self._candidates(source, plan)
        if self._plural(plan):  # all who held an office: where the graph has most of them
            candidates.sort(key=lambda c: -sum(u.count for u in c.uses))
        clear = bool(candidates) and candidates[0].score >= CLEAR
        as_class = plan.form == "role" and not clear
        belongs = _use(source.uses, ("member of",), "in")
        if plan.form == "role" and belongs and singular(plan.phrase) in _STATES:
            members = self._follow(source, belongs, "Which are its members?", at="now")
            if members.size > 1:
                yield from self._of_class(members, "country")
                return
        if as_class:
            yield from self._things(source, plan)
        for rank, candidate in enumerate(candidates[:_TRIES]):
            doubt = candidate.score < CLEAR or as_class
            if plan.want == "place" and not plan.noun and set(stems(plan.phrase)) & _SEATED:
                doubt = doubt or fold(candidate.uses[0].relation.name) in {"country", "continent"}
            kind = self.resolver.kind_of(candidate.uses[0])
            doubt = doubt or (plan.form in {"agent", "patient"} and not self._verbal(plan.phrase))
            if plan.want == "place" and plan.form == "patient":
                doubt = doubt or candidate.uses[0].direction == "in"
            if plan.form == "agent" and candidate.uses[0].direction == "out":
                doubt = doubt or (plan.want == "place" and not plan.noun and kind != "place")
                doubt = doubt or (plan.want == "person" and kind not in {"person", ""})
            for found in self._take(source, candidate, plan):
                if self._suits(found, plan.want):
                    first = candidate.uses[0]
                    found = replace(
                        found, via=fold(first.relation.name), back=first.direction == "in"
                    )
                    yield found.doubted(
                        doubt, rank > 0 and candidate.score < candidates[0].score - 0.2
                    )
        if not candidates and plan.form == "patient":  # the Nobel Prize: each of them
            for labels in (_SUBCLASS, _CLASS):
                if use := _use(source.uses, labels, "in"):
                    kinds = self._follow(source, use, "Which kinds of it are there?")
                    for candidate in self._candidates(kinds, plan)[:1]:
                        yield from self._take(kinds, candidate, plan)
                        return
        if plan.want == "time" and not candidates:
            yield from self._when(source, plan)
        if plan.want == "place" and not candidates and plan.form == "agent":
            # "where X plays" says little more than where X is
            other = replace(plan, phrase="locate")
            if plan.noun and self.lex.is_noun(plan.noun):
                other = replace(plan, phrase=plan.noun, form="role")
            for candidate in self._candidates(source, other)[:1]:
                for found in self._take(source, candidate, other):
                    yield replace(found, via=fold(candidate.uses[0].relation.name)).doubted(True)
        if plan.form == "patient" and clear and candidates[0].uses[0].direction == "in":
            yield from self._within_country(source, candidates[0], plan)
        known = self.lex.class_of(plan.phrase)
        if plan.form == "role" and clear and known is not None and known.what != "person":
            yield from self._things(source, plan)
        general = plan.form == "agent" and set(plan.phrase.split()) <= GENERAL | PREPOSITIONS
        named = general and bool(plan.noun) and self.lex.is_noun(plan.noun)
        if not candidates and named and plan.want != "place":  # the league a team plays in
            other = replace(plan, phrase=plan.noun, form="role", prep="")
            for candidate in self._candidates(source, other)[:1]:
                for found in self._take(source, candidate, other):
                    via = fold(candidate.uses[0].relation.name)
                    yield replace(found, via=via).doubted(candidate.score < CLEAR)
        if not candidates:
            whose = self._name_of(source, plan.source)
            self._lack(f"The graph says nothing about “{plan.phrase}” of {whose}.")

    def _verbal(self, phrase: str) -> bool:
        """Whether a phrase read as a verb has one, or is a preposition."""
        return any(
            self.lex.is_verb(w) or w in PREPOSITIONS or w.endswith(("ed", "ing", "en"))
            for w in phrase.split()
        )

    def _within_country(self, source: Found, candidate: Candidate, plan: p.Hop) -> Iterator[Found]:
        """Who was born in a country: in one of its places."""
        use = candidate.uses[0]
        lies = _use(source.uses, ("country",), "in")
        if lies is None or fold(use.relation.name) not in _BIRTHS:
            return
        places = self._follow(source, lies, "Which places lie there?")
        for candidate in self._candidates(places, plan)[:1]:
            people = self._united(places, candidate.uses, plan)
            if people.size and use in source.uses:
                people = self._compute(
                    "union", self._follow(source, use), people, "Both belong to the answer."
                )
            yield people

    def _when(self, source: Found, plan: p.Hop) -> Iterator[Found]:
        """The time of the statements the phrase is about: when somebody married or joined."""
        for candidate in self.resolver.candidates(plan.phrase, plan.form, source.uses)[:2]:
            for qualifier in self._qualifiers(plan):
                found = self._follow(source, candidate.uses[0], qualifier=qualifier)
                if found.size:
                    yield found.doubted(candidate.score < CLEAR, found.size > 1)
                    break

    def _candidates(self, source: Found, plan: p.Hop) -> list[Candidate]:
        if plan.phrase == "description":
            for label in ("occupation", *_CLASS, "position held", "subclass of"):
                if use := _use(source.uses, (label,), "out"):
                    return [Candidate((use,), 1.0)]
            return []
        found = self.resolver.candidates(
            plan.phrase, plan.form, source.uses, want=plan.want, prep=plan.prep, noun=plan.noun
        )
        role = plan.source
        if isinstance(role, p.Hop) and role.form == "role" and stem(plan.phrase) in _MAKE:
            # what a director makes are first of all the films they direct
            same = self.resolver.candidates(role.phrase, "holder", source.uses)
            found = [*same, *(c for c in found if c not in same)]
        return found

    def _things(self, source: Found, plan: p.Hop) -> Iterator[Found]:
        """ "mountains in Asia", "films by Sirk": things of a class that the place or person has"""
        if self.lex.class_of(plan.phrase) is None and not plan.prep:
            return
        prep = plan.prep or "of"
        for candidate in self.resolver.candidates(prep, "patient", source.uses)[:_TRIES]:
            if all(u.direction == "in" for u in candidate.uses):
                for found in self._take(source, candidate, replace(plan, form="patient")):
                    yield from self._of_class(found, plan.phrase)
                    if prep == "in" and found.size <= _REGIONS:
                        yield from self._inside(found, plan.phrase)

    def _inside(self, regions: Found, noun: str) -> Iterator[Found]:
        """Things in the countries of a continent, where only the countries name it."""
        use = _use(regions.uses, ("country",), "in")
        if use is not None and self.lex.class_of(noun) is not None:
            thought = f"The {_plural(singular(noun))} may be filed under the countries."
            yield from self._of_class(self._follow(regions, use, thought), noun)

    def _take(self, source: Found, candidate: Candidate, plan: p.Hop) -> Iterator[Found]:
        """Follows a candidate; several relations that belong together are united."""
        if plan.when is not None:
            yield from self._dated(source, candidate, plan)
            return
        stateful = any(self._changes(u) for u in candidate.uses)
        if (
            (self.now or not self.past)
            and stateful
            and len(candidate.uses) == 1
            and not self._plural(plan)
        ):
            now = self._follow(source, candidate.uses[0], "", at="now")
            if plan.phrase == "officeholder" and now.size:
                yield self._last_in_office(now)
                return
            one = plan.form != "role" or singular(plan.phrase) == plan.phrase
            people = self.lex.kinds.get(fold(candidate.uses[0].relation.name)) == "person"
            yield now.doubted(one and people and source.size == 1 and now.size > 1)
        yield self._united(source, candidate.uses, plan)

    def _last_in_office(self, holders: Found) -> Found:
        """An office whose holders' terms have no end: the last who took it, as a guess."""
        if holders.size == 1:
            return holders
        latest = self.view.act(
            "Who took office last?", tool="rank", of=holders.name, order="highest"
        )
        return (latest if latest.size else holders).doubted(True)

    def _plural(self, plan: p.Hop) -> bool:
        """Whether all who ever held an office are meant: "US presidents"."""
        return plan.phrase == "officeholder" and plan.noun == "all" and not self.now

    def _changes(self, use: RelationUse) -> bool:
        """Whether the present value is meant when the question speaks in the present."""
        name = fold(use.relation.name)
        if use.direction == "in":
            return name in {"member of", "position held", "owned by"}
        return name in {
            "head of state", "head of government", "chief executive officer", "chairperson",
            "capital", "population", "head coach", "officeholder", "director / manager", "currency",
            "country", "owned by", "number of employees", "employees", "member of political party",
            "religious leader", "total revenue", "residence", "headquarters location", "members",
            "nominal gdp", "official language", "net worth",
        }  # fmt: skip

    def _united(self, source: Found, uses: Sequence[RelationUse], plan: p.Hop) -> Found:
        thought = ""
        found = self._follow(source, uses[0], thought)
        for use in uses[1:]:
            more = self._follow(source, use, thought)
            if not found.size:
                found = more
            elif more.size:
                found = self._compute("union", found, more, "Both belong together.")
        return found

    def _dated(self, source: Found, candidate: Candidate, plan: p.Hop) -> Iterator[Found]:
        """With a time: what held then, or what is itself dated within it."""
        span = plan.when
        assert span is not None
        labels = self.lex.dated_by(plan.phrase)
        thought = ""
        use = candidate.uses[0]
        if not labels and span.test == "during":
            begins = bool(set(stems(f"{plan.phrase} {plan.heard}")) & _BEGIN) and not span.until
            at = f"from {_point(span)}" if begins and span.value != "now" else _point(span)
            found = self._follow(source, use, thought, at=at)
            if found.size:
                one = plan.form == "role" and singular(plan.phrase) == plan.phrase
                if plan.phrase == "officeholder":
                    found = self._last_in_office(found)
                yield found.doubted(one and found.size > 1)
                return
        found = self._united(source, candidate.uses, plan)
        for label in (*labels, *self.lex.adjectives["first"].relations):
            if dated := _use(found.uses, (label,), "out"):
                yield self._within(found, dated, span)
                return
        if span.test == "during" and labels:
            yield self._follow(source, use, thought, at=_point(span))

    def _within(self, found: Found, use: RelationUse, span: Span) -> Found:
        thought = f"Only those whose {use.relation.name} fits the question."
        if not span.until:
            return self._keep(found, use, span.test, span.value, thought)
        after = self._keep(found, use, "after", _shift(span.value, -1), thought)
        return (
            self._keep(after, use, "before", _shift(span.until, 1), thought)
            if after.size
            else after
        )

    def _beside(self, source: Found, plan: p.Hop) -> Iterator[Found]:
        """Statements in which a second thing of the question takes part."""
        assert plan.beside is not None
        candidates = self.resolver.candidates(
            plan.phrase, plan.form, source.uses, prep=plan.prep
        ) or self.resolver.candidates(plan.phrase, plan.form, source.uses)
        dated = plan.want == "time"
        for candidate in candidates[:_TRIES]:
            use = candidate.uses[0]
            for value, doubt in self._second(source, use, plan.beside):
                doubt = doubt or candidate.score < CLEAR
                far = self._follow(source, use, value=value)
                new = not {_ids([m]) for m in far.members} & set(value.split(" | "))
                if new and not plan.want and not plan.noun:
                    yield far.doubted(doubt)  # who played Batman in X
                    return
                for qualifier in self._qualifiers(plan):
                    found = self._follow(source, use, value=value, qualifier=qualifier)
                    if plan.want == "time" and found.size > 1 and not plan.heard:
                        found = self._compute("lowest", found, None, "The first time counts.")
                        doubt = True
                    doubt = doubt or (plan.noun == "end" and found.size > 1)
                    if found.size:
                        yield found.doubted(doubt)
                        break
                else:
                    dates = self._dates_of(source, use, plan, value, doubt)
                    for found in dates:
                        dated = dated and not found.size
                        yield found
        if dated and plan.form == "agent":
            yield from self._itself_dated(plan)

    def _itself_dated(self, plan: p.Hop) -> Iterator[Found]:
        """When A did something to B, if the graph says only when that happened to B."""
        assert plan.beside is not None
        if self.lex.dated_by(plan.phrase) and plan.noun != "end":
            done = p.Hop(plan.beside, plan.phrase, "agent", "time")
            for found in self.values(done):
                yield found.doubted(True)

    def _qualifiers(self, plan: p.Hop) -> tuple[str, ...]:
        """Which part of a statement is asked for."""
        if plan.want == "time":
            return ("end time",) if plan.noun == "end" else ("point in time", "start time")
        if plan.want == "place":
            return ("location", "place of marriage")
        known = self.lex.qualifiers_of(plan.noun) if plan.noun else ()
        if known or plan.want == "number":
            return known
        return ("for work",) if plan.prep == "for" else ("character role",)

    def _dates_of(
        self, source: Found, use: RelationUse, plan: p.Hop, value: str, doubt: bool
    ) -> Iterator[Found]:
        """What the statement itself does not say: the date of the thing, or the thing."""
        if plan.want not in {"time", "place", "number"} and not (
            plan.noun and self.lex.qualifiers_of(plan.noun)
        ):
            yield self._follow(source, use, value=value).doubted(True)
        labels = self.lex.dated_by(plan.phrase) if plan.want == "time" else ()
        if labels:
            things = self._follow(source, use, value=value)
            for label in labels:
                if dated := _use(things.uses, (label,), "out"):
                    yield self._follow(things, dated).doubted(doubt)
                    return

    def _second(self, source: Found, use: RelationUse, plan: Plan) -> Iterator[tuple[str, bool]]:
        """The second thing of a statement as a test for it; and whether that is a guess.

        A name may be a part of one that stands there ("Linda" for Linda McCartney).
        """
        near: list[Value] | None = None
        if not isinstance(plan, p.Kind):
            for other in self.values(plan):
                if other.size > 5:
                    break
                value = _ids(other.members)
                if self._follow(source, use, value=value).size:
                    yield value, not other.certain
                    return
        if isinstance(plan, p.Anchor | p.Kind):
            text = plan.text if isinstance(plan, p.Anchor) else plan.noun
            near = [m for m in self._follow(source, use).members if self._part_of_name(text, m)]
            office = [m for m in near if fold(m.name).startswith(f"{fold(text)} of ")]
            near = office or near  # a president of …, no president-elect of it
        if near:
            yield _ids(near), False

    def _part_of_name(self, text: str, value: Value) -> bool:
        """Whether all words of a text are in one name of a value; "Oscar" for its full name."""
        if not isinstance(value, Entity):
            return False
        for other in (text, *self.lex.renamed(text)):
            asked = {w for w in stems(other) if w not in _LINKING}
            for name in (value.label, *value.aliases):
                if asked and asked <= set(stems(name)):
                    return True
        return False

    def _kin(self, source: Found, path: Sequence[Kin], plan: p.Hop) -> Iterator[Found]:
        found = source
        for kin in path:
            found = self._kin_step(found, kin, plan)
            if not found.size:
                whose = self._name_of(source, plan.source)
                self._lack(f"The graph records no {plan.phrase} of {whose}.")
                return
        yield found

    def _kin_step(self, source: Found, step: Kin, plan: p.Hop) -> Found:
        out = {
            n: _use(source.uses, (n,), "out")
            for n in ("father", "mother", "parent", "child", "sibling", "spouse")
        }
        into = {
            n: _use(source.uses, (n,), "in")
            for n in ("father", "mother", "parent", "child", "sibling", "spouse")
        }
        options: list[tuple[RelationUse | None, ...]]
        match step.relation:
            case "parent":
                options = [(out["father"], out["mother"]), (out["parent"],), (into["child"],)]
            case "child":
                options = [(out["child"],), (into["father"], into["mother"]), (into["parent"],)]
            case "father" | "mother":
                options = [(out[step.relation],)]
            case "sibling":
                options = [(out["sibling"],), (into["sibling"],)]
            case _:
                options = [(out["spouse"],), (into["spouse"],)]
        empty = Found("", (), 0)
        for option in options:
            uses = [u for u in option if u is not None]
            if not uses:
                continue
            found = self._united(source, uses, replace(plan, phrase=step.relation))
            if step.sex and found.size:
                gender = _use(found.uses, ("sex or gender", "gender"), "out")
                if gender is None:
                    return found.doubted(True)
                if gender.count < found.size or not _all_are(gender, [step.sex]):
                    word = {"male": "men", "female": "women"}[step.sex]
                    found = self._keep(
                        found, gender, "is", step.sex, f"Only the {word} among them."
                    )
            if found.size:
                return found
        return empty

    # -- restrictions --------------------------------------------------------------------

    def _where(self, plan: p.Where) -> Iterator[Found]:
        hop = p.Hop(
            plan.other, plan.phrase, plan.form, prep="" if plan.prep == plan.phrase else plan.prep
        )
        if isinstance(plan.source, p.Kind):
            for found in self.values(hop):
                yield from self._of_class(found, plan.source.noun)
                if plan.phrase == "in" and found.size <= _REGIONS:
                    yield from self._inside(found, plan.source.noun)
            return
        back: dict[Form, Form] = {
            "patient": "agent",
            "agent": "patient",
            "role": "holder",
            "holder": "role",
        }
        for base in self.values(plan.source):
            others = list(self.values(plan.other))[:1]
            for other in others:
                value = " | ".join(
                    m.id if isinstance(m, Entity) else m.value for m in other.members
                )
                candidates = self.resolver.candidates(plan.phrase, back[plan.form], base.uses)
                for candidate in candidates[:_TRIES]:
                    if other.size > 20:
                        break
                    use = candidate.uses[0]
                    kept = self._keep(
                        base,
                        use,
                        "is",
                        value,
                        f"Which of them fit “{plan.phrase} {self._name_of(other, plan.other)}”?",
                    )
                    if kept.size:
                        yield kept.doubted(candidate.score < CLEAR)
                        break
                else:
                    for also in self.values(hop):
                        both = self._compute("intersection", base, also, "Both must hold.")
                        if both.size:
                            yield both
                            break

    def _limit(self, plan: p.Limit) -> Iterator[Found]:
        span = plan.span
        for base in self.values(plan.source):
            for use, score in self._scales(base, plan.phrase, span):
                kept = self._within(base, use, span)
                if kept.size:
                    yield kept.doubted(score < CLEAR, use.count < base.size)
                    break
            else:
                self._lack(
                    f"The graph does not give the “{plan.phrase}” these could be compared by."
                )

    def _scales(self, base: Found, phrase: str, span: Span) -> Iterator[tuple[RelationUse, float]]:
        """Relations with numbers or dates that the phrase may be about."""
        dates = bool(span.value[:1].isdigit()) and span.test in {"during", "before", "after"}
        if dates:
            for label in (*self.lex.dated_by(phrase), *self.lex.adjectives["first"].relations):
                if use := _use(base.uses, (label,), "out"):
                    yield use, 1.0
                    return
        for word in phrase.split():
            if measure := self.lex.adjectives.get(word):
                for label in measure.relations:
                    if use := _use(base.uses, (label,), "out"):
                        yield use, 1.0
        want = "time" if dates else "number"
        for candidate in self.resolver.candidates(phrase, "role", base.uses, want=want)[:2]:
            yield candidate.uses[0], candidate.score

    def _nth(self, plan: p.Nth) -> Iterator[Found]:
        if plan.by == "lifespan":
            yield from self._longer_lived(plan)
            return
        if plan.by.endswith("iest") and plan.by not in self.lex.adjectives:
            self._lack(f"The graph has nothing to tell which is “{plan.by}”.")
            return
        yield from self._recorded(plan)
        for base in self.values(plan.source):
            if base.size == 1 and plan.position == 1 and not isinstance(plan.source, p.Join):
                yield base.doubted(True)
                continue
            ordinal = plan.by.split()[0] == "first"
            done = False
            own_date = bool(self.lex.dated_by(plan.by.partition(" ")[2]))  # was born last
            if ordinal and not own_date and _reached_by_office(plan.source, self.lex):
                yield self._rank(base, None, plan)
                continue
            for use, score in self._measures(base, plan.by):
                found = self._rank(base, use, plan)
                if found.size:
                    done = True
                    yield found.doubted(score < CLEAR, use.count < base.size)
            if ordinal and not done:
                yield self._rank(base, None, plan)
            if not done and not ordinal:
                self._lack(f"The graph has nothing to tell which is “{plan.by}”.")

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
                        if candidate.score >= CLEAR:
                            yield self._follow(source, candidate.uses[0], f"I need the {phrase}.")

    def _measures(self, base: Found, by: str) -> Iterator[tuple[RelationUse, float]]:
        """What an adjective, or "most N", is measured by around a set."""
        head, _, verb = by.partition(" ")
        seen: set[str] = set()
        labels: list[str] = []
        if head == "first" and verb:
            labels += self.lex.dated_by(verb)
        if measure := self.lex.adjectives.get(head):
            labels += measure.relations
        for label in labels:
            use = _use(base.uses, (label,), "out")
            if use and use.relation.id not in seen:
                seen.add(use.relation.id)
                vague = stem(head) in _VAGUE and label not in _EXTENT
                yield use, 0.7 if vague else 1.0
        if labels:
            return
        for want in ("number", ""):
            for form in ("role", "agent"):
                for candidate in self.resolver.candidates(by, form, base.uses, want=want)[:2]:
                    use = candidate.uses[0]
                    if use.relation.id not in seen:
                        seen.add(use.relation.id)
                        yield use, candidate.score

    # -- sets and numbers ----------------------------------------------------------------

    def _count(self, plan: p.Count) -> Iterator[Found]:
        source = plan.source
        if isinstance(source, p.Hop) and source.form == "role":  # "number of episodes"
            for base in self.values(source.source):
                for candidate in (
                    self.resolver.candidates(
                        f"number of {source.phrase}", "role", base.uses, want="number"
                    )[:1]
                    + self.resolver.candidates(source.phrase, "role", base.uses, want="number")[:1]
                ):
                    use = candidate.uses[0]
                    listed = [
                        c
                        for c in self.resolver.candidates(source.phrase, "role", base.uses)
                        if self.resolver.kind_of(c.uses[0]) not in {"number", "time"}
                        and c.score >= CLEAR
                    ]
                    if candidate.score >= CLEAR - 0.1 and not (listed and candidate.score < 0.95):
                        for found in self._take(base, Candidate((use,), candidate.score), source):
                            if found.size:
                                yield found
                                return
                break
        for found in self.values(source):
            if found.members and self._numeric(found) and found.size == 1:
                yield found
                continue
            if isinstance(source, p.Anchor):  # the Great Lakes: what they consist of
                made_of = _use(found.uses, ("has part(s)",), "out")
                if made_of is None:
                    continue
                found = self._follow(found, made_of, "What does it consist of?")
            yield self._compute("count", found, None, "Now I count them.")

    def _named(self, plan: p.Named) -> Iterator[Found]:
        source = plan.source
        if not isinstance(source, p.Hop):
            return
        for base in self.values(source.source):
            for candidate in self._candidates(base, source)[:2]:
                use = candidate.uses[0]
                near = [
                    m for m in self._follow(base, use).members if self._part_of_name(plan.text, m)
                ]
                if not near:
                    continue
                found = self._follow(base, use, value=_ids(near))
                for qualifier in ("for work", "point in time"):  # won twice counts twice
                    times = self._follow(base, use, value=_ids(near), qualifier=qualifier)
                    if times.size > found.size:
                        found = times
                yield found.doubted(candidate.score < CLEAR)
                return

    def _numeric(self, found: Found) -> bool:
        return all(
            isinstance(m, Literal)
            and m.datatype not in TIMES
            and m.value.lstrip("+-").replace(".", "", 1).isdigit()
            for m in found.members
        )

    def _total(self, plan: p.Total) -> Iterator[Found]:
        for found in self.values(plan.source):
            yield self._compute(plan.how, found, None, f"The {plan.how} of these numbers.")

    def _join(self, plan: p.Join) -> Iterator[Found]:
        for left in self.values(plan.left):
            for right in self.values(plan.right):
                thought = {
                    "union": "Both belong to the answer.",
                    "intersection": "Both must hold.",
                    "minus": f"Without {self._name_of(right, plan.right)}, which is known already.",
                }[plan.how]
                if (
                    plan.how == "minus"
                    and left.size <= 30
                    and not set(left.members) & set(right.members)
                ):
                    yield left
                    break
                found = self._compute(plan.how, left, right, thought)
                if found.size:
                    yield found
                    break
            else:
                if plan.how == "minus":
                    yield left.doubted(True)

    def _measure(self, plan: p.Measure) -> Iterator[Found]:
        for base in self.values(plan.source):
            done = False
            for use, score in self._measures(base, plan.by):
                kind = self.resolver.kind_of(use)
                if kind not in {"number", "time"}:
                    continue
                at = "now" if self._changes(use) and not self.past else ""
                found = self._follow(base, use, f"I look up its {use.relation.name}.", at=at)
                if found.size:
                    done = True
                    yield found.doubted(score < CLEAR)
            if not done:
                self._lack(
                    f"The graph does not say how {plan.by} {self._name_of(base, plan.source)} is."
                )

    def _between(self, plan: p.Between) -> Iterator[Found]:
        operation = {"years": "years_between", "days": "days_between", "number": "difference"}[
            plan.unit
        ]
        for left in self.values(plan.left):
            if isinstance(plan.right, p.Now):
                yield self._compute(operation, left, None, "The time until today.", value="now")
                continue
            for right in self.values(plan.right):
                if plan.unit == "years" and left.via == right.via == "publication date":
                    left, right = (self._year_of(x) for x in (left, right))
                yield self._compute(
                    operation, left, right, f"The {plan.unit} between the two."
                ).doubted(left.size > 1, right.size > 1)

    def _year_of(self, dates: Found) -> Found:
        """The year of the earliest: years between releases are counted by the calendar."""
        if dates.size > 1:
            dates = self._compute("lowest", dates, None, "The first date counts.")
        return self._compute("year_of", dates, None, "Its year.")

    def _gap(self, plan: p.Gap) -> Iterator[Found]:
        for a in self.values(plan.left):
            for b in self.values(plan.right):
                for use, score in self._measures(a, plan.by):
                    twin = _twin(b.uses, use)
                    if twin is None:
                        continue
                    one, other = self._amount(a, use), self._amount(b, twin)
                    if not (one.size and other.size):
                        continue
                    time = self.resolver.kind_of(use) == "time"
                    operation = {"days": "days_between"}.get(plan.unit, "years_between")
                    yield self._compute(
                        operation if time else "difference", one, other, "The difference."
                    ).doubted(score < CLEAR, one.size > 1, other.size > 1)
                    return
                self._lack(f"The graph does not give “{plan.by}” for both.")

    def _lifespan(self, person: Found) -> Found:
        """How many days somebody lived; years when the dates are no finer."""
        born = _use(person.uses, ("date of birth", "birth date"), "out")
        died = _use(person.uses, ("date of death", "death date"), "out")
        if born is None or died is None:
            self._lack("The graph does not have both dates of birth and of death.")
            return Found("", (), 0)
        birth, death = self._follow(person, born), self._follow(person, died)
        days = self._compute("days_between", birth, death, "So many days they lived.")
        if days.size:
            return days
        return self._compute("years_between", birth, death, "So many years they lived.").doubted(
            True
        )

    def _longer_lived(self, plan: p.Nth) -> Iterator[Found]:
        if not isinstance(plan.source, p.Join):
            return
        for a in self.values(plan.source.left):
            for b in self.values(plan.source.right):
                one, other = self._lifespan(a), self._lifespan(b)
                if one.size and other.size:
                    operation = "more" if plan.order == "highest" else "fewer"
                    verdict = self._compute(operation, one, other, "Now I compare the two.")
                    winner = b if _denied(verdict) else a
                    died = _use(winner.uses, ("date of death", "death date"), "out")
                    assert died is not None
                    yield self._keep(winner, died, "has", "", "This one.").doubted(
                        not verdict.certain
                    )
                    return

    def _age(self, plan: p.Age) -> Iterator[Found]:
        for person in self.values(plan.source):
            born = next(
                (
                    u
                    for n in ("date of birth", "birth date", "inception", "publication date")
                    if (u := _use(person.uses, (n,), "out"))
                ),
                None,
            )
            if born is None:
                self._lack(
                    f"The graph has no date of birth of {self._name_of(person, plan.source)}."
                )
                continue
            birth = self._follow(
                person, born, f"When was {self._name_of(person, plan.source)} born?"
            )
            if plan.event is not None:
                for then in self.values(plan.event):
                    yield self._compute(
                        "years_between", birth, then, "The years between the two dates."
                    ).doubted(birth.size > 1, then.size > 1, _rough(birth, then))
                return
            if died := _use(person.uses, ("date of death", "death date"), "out"):
                death = self._follow(person, died, "When did they die?")
                yield self._compute(
                    "years_between", birth, death, "The years until the death."
                ).doubted(True)
                return
            yield self._compute("years_between", birth, None, "The years until today.", value="now")

    def _lasting(self, plan: p.Lasting) -> Iterator[Found]:
        for source in self.values(plan.source):
            value = ""
            if plan.other is not None:
                other = next(self.values(plan.other), None)
                if other is None:
                    continue
                value = " | ".join(
                    m.id if isinstance(m, Entity) else m.value for m in other.members[:5]
                )
            for candidate in self.resolver.candidates(
                plan.phrase, "agent", source.uses, prep=plan.prep
            )[:_TRIES]:
                use = candidate.uses[0]
                start = self._follow(
                    source, use, "When did it begin?", value=value, qualifier="start time"
                )
                if not start.size or (start.size > 1 and plan.other is None):
                    continue  # several times, and none of them is said to be meant
                end = self._follow(
                    source, use, "When did it end?", value=value, qualifier="end time"
                )
                unit = "days_between" if plan.unit == "days" else "years_between"
                if end.size:
                    yield self._compute(unit, start, end, "The years between.").doubted(
                        start.size > 1 or end.size > 1
                    )
                else:
                    yield self._compute(unit, start, None, "It has not ended.", value="now")
            span = [_use(source.uses, (n,), "out") for n in ("start time", "end time")]
            if plan.other is None and span[0] and span[1]:
                start = self._follow(source, span[0], "When did it begin?")
                end = self._follow(source, span[1], "When did it end?")
                unit = "days_between" if plan.unit == "days" else "years_between"
                yield self._compute(unit, start, end, "The time between.")

    # -- yes or no -----------------------------------------------------------------------

    def _is(self, plan: p.Is) -> Iterator[Found]:
        if isinstance(plan.right, p.Anchor) and isinstance(plan.left, p.Hop):
            known = self.view.anchor(plan.right.text, plan.right.noun)
            if known is None and plan.left.form == "agent" and plan.left.when is None:
                for near in self._named(p.Named(plan.left, plan.right.text)):
                    yield self._compute("any", near, None, "There is one of that name.")
                    return
        verdict: tuple[Found, Found] | None = None
        for tries, left in enumerate(self.values(plan.left)):
            for right in self.values(plan.right):
                if verdict is None or (verdict[0].back and not left.back):
                    verdict = (left, right)
                if set(left.members) & set(right.members) or left.size > 30:
                    yield self._compute("same", left, right, "Are they the same?")
                    return
            if tries >= 2:
                break
        if verdict is not None and not verdict[0].back:
            left, right = verdict
            below = self._below(right)
            if below is not None and set(left.members) & set(below.members):
                yield self._compute("same", left, below, "It is a kind of it.")
                return
        if verdict is not None and self.lex.kinds.get(verdict[0].via) == "place":
            left, right = verdict
            if left.via not in {"capital", "capital of", "shares border with", "highest point"}:
                for label in ("country", "located in the administrative territorial entity",
                              "continent"):  # fmt: skip
                    if use := _use(left.uses, (label,), "out"):
                        around = self._follow(left, use, "In what does that place lie?")
                        if set(around.members) & set(right.members):
                            yield self._compute("same", around, right, "Is it the same place?")
                            return
        if verdict is not None:
            left, right = verdict
            alike = {m.name.casefold() for m in left.members} & {
                m.name.casefold() for m in right.members
            }
            yield self._compute("same", left, right, "Are they the same?").doubted(
                bool(alike), left.back, not _comparable(left, right)
            )

    def _below(self, thing: Found) -> Found | None:
        """What is a kind of a thing: power metal of heavy metal of rock music."""
        whole: Found | None = None
        for _ in range(_KINDS):
            use = _use((whole or thing).uses, _SUBCLASS, "in")
            if use is None:
                return whole
            more = self._follow(whole or thing, use, "Which kinds of it are there?")
            if not more.size:
                return whole
            whole = self._compute("union", whole, more, "All of them.") if whole else more
        return whole

    def _isa(self, plan: p.IsA) -> Iterator[Found]:
        noun = singular(plan.noun)
        known = self.lex.class_of(noun)
        labels = " | ".join(dict.fromkeys((noun, *(known.labels if known else ()))))
        for source in self.values(plan.source):
            kinds = []
            for name in (
                "occupation",
                "position held",
                *_CLASS,
                "sex or gender",
                "has genre",
                "genre",
                "basic form of government",
                "religion or worldview",
                "member of political party",
                "position played on team / speciality",
            ):
                use = _use(source.uses, (name,), "out")
                if use is None:
                    continue
                kept = self._keep(
                    source, use, "is", labels, f"Is {self._name_of(source, plan.source)} a {noun}?"
                )
                if kept.size:
                    yield self._compute("any", kept, None, "It is.")
                    return
                kinds.append((use, kept))
            for use, kept in kinds:
                if known is None and not self._is_value(noun, use):
                    continue
                found = self._follow(source, use, "What is it, then?")
                if found.size:
                    yield self._compute("same", found, kept, "It is not.").doubted(known is None)
                    return
            self._lack(f"The graph does not say what {self._name_of(source, plan.source)} is.")

    def _is_value(self, noun: str, use: RelationUse) -> bool:
        """Whether a relation leads to what a noun names: so who is not there is none."""
        named = self.view.anchor(noun, "class")
        return named is not None and any(
            u.relation == use.relation and u.direction == "in" for u in named.uses
        )

    def _some(self, plan: p.Some) -> Iterator[Found]:
        for found in self.values(plan.source):
            yield self._compute("any", found, None, "There is at least one.")

    def _alive(self, plan: p.Alive) -> Iterator[Found]:
        for person in self.values(plan.source):
            if died := _use(person.uses, ("date of death", "death date"), "out"):
                death = self._follow(person, died, "Is there a date of death?")
                yield self._compute("none", death, None, "There is a date of death.")
            else:
                self._lack(
                    f"The graph has no date of death of {self._name_of(person, plan.source)}, "
                    "which does not prove that they live."
                )

    def _compare(self, plan: p.Compare) -> Iterator[Found]:
        for a in self.values(plan.left):
            for b in self.values(plan.right):
                timed = [_dates(a), _dates(b)]
                if all(timed) or (self._numeric(a) and self._numeric(b)):
                    operation = "more" if plan.order == "highest" else "fewer"
                    yield self._compute(operation, a, b, "Now I compare the two.")
                    return
                if plan.by == "lifespan":
                    one, other = self._lifespan(a), self._lifespan(b)
                    if one.size and other.size:
                        operation = "more" if plan.order == "highest" else "fewer"
                        yield self._compute(operation, one, other, "Now I compare the two.")
                        return
                known = False  # of one of them at least
                for use, score in self._measures(a, plan.by):
                    twin = _twin(b.uses, use)
                    if twin is None:
                        known = known or self.resolver.kind_of(use) in {"number", "time"}
                        continue
                    one = self._amount(a, use)
                    other = self._amount(b, twin)
                    if one.size and other.size:
                        operation = "more" if plan.order == "highest" else "fewer"
                        yield self._compute(
                            operation, one, other, "Now I compare the two."
                        ).doubted(score < CLEAR, known)
                        return
                self._lack(f"The graph does not give “{plan.by}” for both.")

    def _amount(self, found: Found, use: RelationUse) -> Found:
        """The number or date to compare by; of a relation to things, how many there are."""
        at = "now" if self._changes(use) else ""
        values = self._follow(found, use, f"I look up the {use.relation.name}.", at=at)
        if self.resolver.kind_of(use) in {"number", "time"} or not values.size:
            return values
        return self._compute("count", values, None, "How many are there?")

    def _against(self, plan: p.Against) -> Iterator[Found]:
        span = plan.span
        for source in self.values(plan.source):
            done = False
            for use, score in self._scales(source, plan.by, span):
                values = self._follow(source, use, f"I look up the {use.relation.name}.")
                kept = self._within(source, use, span)
                if kept.size:
                    yield self._compute("any", kept, None, "It is within the limit.").doubted(
                        score < CLEAR
                    )
                    return
                if values.size:
                    yield self._compute(
                        "same", values, kept, "It is not within the limit."
                    ).doubted(score < CLEAR)
                    return
            if span.test in {"more than", "less than", "is"}:
                for things in self.values(p.Hop(plan.source, plan.by, "role")):
                    count = self._compute("count", things, None, "How many are there?")
                    operation = {"more than": "more", "less than": "fewer", "is": "equal"}[
                        span.test
                    ]
                    yield self._compute(
                        operation, count, None, "Is that within the limit?", value=span.value
                    )
                    done = True
                    break
            if not done:
                self._lack(
                    f"The graph does not give the “{plan.by}” of "
                    f"{self._name_of(source, plan.source)}."
                )

    # -- actions -------------------------------------------------------------------------

    def _follow(self, source: Found, use: RelationUse, thought: str = "", **more: str) -> Found:
        thought = thought or step(use, self._name_of(source, p.Hole()))
        given = {k: v for k, v in more.items() if v}
        found = self.view.act(
            thought, tool="follow", of=source.name, relation=use.relation.id,
            direction=use.direction, **given,
        )  # fmt: skip
        return found.doubted(not source.certain)

    def _keep(self, source: Found, use: RelationUse, test: str, value: str, thought: str) -> Found:
        found = self.view.act(
            thought, tool="keep", of=source.name, relation=use.relation.id,
            direction=use.direction, test=test, value=value,
        )  # fmt: skip
        return found.doubted(not source.certain)

    def _rank(self, source: Found, use: RelationUse | None, plan: p.Nth) -> Found:
        which = "" if plan.position == 1 else f"number {plan.position} by "
        what = f"{use.relation.name}" if use else "time"
        found = self.view.act(
            f"Which has the {which}{plan.order} {what}?" if use else "In the order of time.",
            tool="rank", of=source.name, relation=use.relation.id if use else "",
            direction=use.direction if use else "out", order=plan.order, position=plan.position,
        )  # fmt: skip
        return found.doubted(not source.certain)

    def _compute(
        self, operation: str, a: Found, b: Found | None, thought: str, **more: str
    ) -> Found:
        found = self.view.act(
            thought, tool="compute", of=a.name, with_set=b.name if b else "",
            operation=operation, **more,
        )  # fmt: skip
        return found.doubted(not a.certain, b is not None and not b.certain)

    # -- small things --------------------------------------------------------------------

    def _suits(self, found: Found, want: str) -> bool:
        if want == "time":
            return any(isinstance(m, Literal) for m in found.members)
        if want in {"person", "place"}:
            return any(isinstance(m, Entity) for m in found.members) or not found.uses
        return True

    def _lack(self, reason: str) -> None:
        if reason not in self.reasons:
            self.reasons.append(reason)

    def _name_of(self, found: Found, plan: Plan) -> str:
        if found.size == 1 and found.members:
            return found.members[0].name
        if isinstance(plan, p.Hop) and plan.form == "role":
            return f"the {plan.phrase}"
        return "them"


def _among(found: Found | None, labels: Sequence[str]) -> bool:
    """Whether a thing's classes, as far as they are shown, are among the labels."""
    use = _use(found.uses, _CLASS, "out") if found is not None else None
    wanted = {fold(label) for label in labels}
    last = {label.split()[-1] for label in wanted}
    return use is not None and any(
        fold(e) in wanted or fold(e).split()[-1] in last for e in use.examples
    )


def _rough(birth: Found, then: Found) -> bool:
    """Whether one date is a year only and the other is not: the age may be one less."""
    years = [isinstance(m, Literal) and "-" not in m.value.lstrip("-")
             for one in (birth, then) for m in one.members]  # fmt: skip
    return len(set(years)) > 1


def _comparable(left: Found, right: Found) -> bool:
    """Whether the right could have been among the left, so that its absence is a "no".

    It is a value of the same relation elsewhere, or of the same class: a person who is no
    profession of X does not disprove that X worked with them.
    """
    if not any(isinstance(m, Entity) for m in (*left.members, *right.members)):
        return True
    far = "out" if left.back else "in"
    if any(fold(u.relation.name) == left.via and u.direction == far for u in right.uses):
        return True
    classes = [_use(x.uses, _CLASS, "out") for x in (left, right)]
    kinds = [{fold(e) for e in use.examples} if use else set() for use in classes]
    return bool(kinds[0] & kinds[1])


def _implied(plan: Plan, noun: str) -> bool:
    """Whether the verb says what they are: players play."""
    if isinstance(plan, p.Join):
        return plan.how == "intersection" and any(
            _implied(x, noun) for x in (plan.left, plan.right)
        )
    return isinstance(plan, p.Hop) and bool(set(stems(noun)) & set(stems(plan.phrase)))


def _twin(uses: Sequence[RelationUse], use: RelationUse) -> RelationUse | None:
    same = (u for u in uses if (u.relation, u.direction) == (use.relation, use.direction))
    return next(same, None)


def _dates(found: Found) -> bool:
    return all(isinstance(m, Literal) and m.datatype in TIMES for m in found.members)


def _denied(found: Found) -> bool:
    return any(isinstance(m, Literal) and m.value == "false" for m in found.members)


def _ids(members: Sequence[Value]) -> str:
    return " | ".join(m.id if isinstance(m, Entity) else m.value for m in members)


def _use(uses: Sequence[RelationUse], labels: Sequence[str], direction: str) -> RelationUse | None:
    """The first of the labels that is among the relations, in this direction."""
    for label in labels:
        exact = [
            u
            for u in uses
            if u.direction == direction and fold(u.relation.name) == label.casefold()
        ]
        found = exact or [
            u for u in uses if u.direction == direction and label.casefold() in names(u.relation)
        ]
        if found:
            return found[0]
    return None


def _all_are(use: RelationUse, labels: Sequence[str]) -> bool:
    """Whether all examples, if they show every value, are one of the labels."""
    wanted = {label.casefold() for label in labels}
    return 0 < len(use.examples) < 3 and all(e.casefold() in wanted for e in use.examples)


def _reached_by_office(plan: Plan, lex: Lexicon) -> bool:
    """Whether the members were reached by statements that have times: offices, marriages."""
    if isinstance(plan, p.Of | p.From | p.Limit):
        return _reached_by_office(plan.source, lex)
    return (
        isinstance(plan, p.Hop)
        and not lex.dated_by(plan.phrase)
        and stem(plan.phrase) not in {"child", "son", "daughter"}
    )


def _plural(noun: str) -> str:
    special = {"person": "people", "man": "men", "woman": "women", "child": "children"}
    if noun in special:
        return special[noun]
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("s", "x", "ch", "sh")) else "s")


def _point(span: Span) -> str:
    """A stretch as the point `at` takes: its middle year."""
    if not span.until:
        return span.value
    return f"{(int(span.value[:4]) + int(span.until[:4])) // 2:04}"


def _shift(year: str, by: int) -> str:
    head = year[:4]
    return f"{int(head) + by:04}" if head.isdigit() else year
