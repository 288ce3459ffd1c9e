"""Along relations: what a phrase leads to from a set; offices, second participants."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Literal as OneOf

from kgqa_core.facts import relations
from kgqa_core.facts.compute import in_unit_of
from kgqa_core.facts.terms import Entity, RelationUse, Value
from kgqa_core.reader import plan as p
from kgqa_core.reader.acting import (
    BORN,
    CLASS,
    DIED,
    PAST_STATE,
    SUBCLASS,
    Found,
    changes,
    ids_of,
    kinds_of,
)
from kgqa_core.reader.classes import LINKING
from kgqa_core.reader.grammar import AUX, GENERAL, PREPOSITIONS, WH, is_office_of
from kgqa_core.reader.kinship import Kinship
from kgqa_core.reader.plan import Form, Plan
from kgqa_core.reader.resolve import CLEAR, Candidate
from kgqa_core.reader.words import Span
from kgqa_core.text import fold, singular, stem, stems

TRIES = 4  # relations tried for one phrase
VAGUE_VERBS = frozenset(stem(w) for w in GENERAL | PREPOSITIONS | {"make"})
_SMALL = PREPOSITIONS | AUX | WH
_BEGIN = frozenset(stem(w) for w in "join become marry win receive move begin found".split())
_BUILDING = frozenset(stem(w) for w in ("build", "construct", "erect"))  # drawn is not built
_PRINTED = frozenset(stem(w) for w in ("publish", "print"))
_SEATED = frozenset(stem(w) for w in "base headquarter seat bury born".split())
_BESIDE_IN_OFFICE: dict[str, OneOf["before", "after"]] = {
    "successor": "after", "predecessor": "before",
}  # fmt: skip
_LIFE = frozenset((*BORN, *DIED))
PLAYING = frozenset(stem(w) for w in "play portray voice".split())
_KILLING = frozenset(stem(w) for w in "kill shoot assassinate murder attack stab".split())
_HURTING = frozenset(stem(w) for w in "shoot attack stab wound injure".split())


class Times(Kinship):
    """What holds now or held at a time, by the dates of statements and of things."""

    def _going_on(self, source: Found, use: RelationUse) -> Iterator[Found]:
        """Whom somebody plays for or works for: of what has no dates, it may be so no more."""
        if use.direction != "out" or not relations.belongs(use.relation, "timed"):
            return
        now = self._follow(source, use, "", at="now")
        if now.size:
            since = self._follow(source, use, "Since when?", qualifier="start time")
            yield now if since.size >= now.size else replace(now, missing="now")

    def _may_be_over(self, source: Found, use: RelationUse, now: Found) -> bool:
        """Whether an office is held by somebody of whom nothing says since when."""
        if not relations.belongs(use.relation, "office") or use.direction != "out":
            return False
        if now.size != 1 or source.size != 1 or use.count > 1:
            return False  # among several, dates or ranks have told who holds it now
        return not self._follow(source, use, "Since when?", qualifier="start time").size

    def _last_in_office(self, holders: Found) -> Found:
        """An office whose holders' terms have no end: the last who took it, as a guess."""
        if holders.size == 1:
            return holders
        latest = self.view.act(
            "Who took office last?", tool="rank", of=holders.name, order="highest"
        )
        return (latest if latest.size else holders).doubted(True)

    def _lasted(self, source: Found, span: Span) -> bool:
        """Whether a thing was there at a time, as far as it is known: the Olympics of another year
        were not."""
        there = self._there_at(source, span)
        return there is None or there[0].size > 0

    def _there_at(self, source: Found, span: Span) -> tuple[Found, RelationUse] | None:
        """The thing if it was there at a time, and by which end that is decided; None where its
        beginning and end are not known."""
        ended, began = (source.out(f"{x} time") for x in ("end", "start"))
        if source.size > 1 or ended is None or began is None or not span.value[:1].isdigit():
            return None
        then = "Was it there at that time?"
        left = self._keep(source, ended, "after", _shift(span.value, -1), then)
        if not left.size:
            return left, ended
        return self._keep(left, began, "before", _shift(span.value, 1), then), began

    def first_dates(self, deed: bool) -> tuple[str, ...]:
        """Relations that date whatever there is; the year of a deed is nobody's year of birth."""
        dates = self.lex.adjectives["first"].relations
        return tuple(x for x in dates if not deed or x != "date of birth")

    def _within(self, found: Found, use: RelationUse, span: Span) -> Found:
        thought = f"Only those whose {use.relation.name} fits the question."
        span = replace(span, value=in_unit_of(span.value, use.relation.name))
        if not span.until:
            return self._keep(found, use, span.test, span.value, thought)
        after = self._keep(found, use, "after", _shift(span.value, -1), thought)
        if not after.size:
            return after
        return self._keep(after, use, "before", _shift(span.until, 1), thought)


class Hops(Times):
    """Hops along relations, and restrictions by them."""

    def _hop(self, plan: p.Hop) -> Iterator[Found]:
        kin = self.lex.kin.get(stems(plan.phrase)) if plan.form == "role" else None
        for source in self.values(plan.source):
            if kin:
                related = False
                for found in self._kin(source, kin, plan):
                    related = related or found.size > 0
                    yield found
                if related or not self.lex.entries.get(stems(plan.phrase)):
                    continue  # else a parent may be a company's
            if plan.beside is not None:
                yield from self._beside(source, plan)
                continue
            if plan.phrase == "description" and _paraphrased(source, plan.source):
                yield source  # the third planet from the Sun: its own name tells what it is
                return
            named = plan.phrase in p.NAMING and _goes_by(source, plan.source)
            if named and fold(source.members[0].name) != fold(p.anchors(plan)[0].text):
                yield source  # what Ulma is called now
                continue
            if plan.phrase == "description" and (
                not self._bears_noun(source, plan.source)
                # who the king is, not what; a forest is no club called Forest
                or (self.who and is_office_of(getattr(plan.source, "text", "")))
                or (self.any and not _goes_by(source, plan.source, str))
            ):
                continue
            if plan.phrase == p.RECORD and not _goes_by(source, plan.source):
                continue
            played = plan.form == "patient" and stem(plan.phrase) in PLAYING
            if played and self._shown_on_screen(source):  # a part is; in a film, all of its cast
                self._lack(f"has no role called “{self._name_of(source, plan)}”", "The graph")
                continue
            yield from self._along(source, plan)

    def _bears_noun(self, source: Found, plan: Plan) -> bool:
        """Whether a thing is what the question calls it: Ganymede is no “planet of Ganymede”."""
        if not isinstance(plan, p.Anchor):
            return True
        if self.owned & set(fold(plan.text).split()):  # my dog is none that a graph has
            return False
        known = self.lex.class_of(plan.noun) is not None
        return not known or any(f.size for f in self._of_class(source, plan.noun))

    def _along(self, source: Found, plan: p.Hop) -> Iterator[Found]:
        """Each relation the phrase may mean, then the phrase as a class of things."""
        candidates = self._candidates(source, plan)
        if self._plural(plan):  # all who held an office: where the graph has most of them
            candidates.sort(key=lambda c: -sum(u.count for u in c.uses))
        clear = bool(candidates) and candidates[0].score >= CLEAR
        as_class = plan.form == "role" and not clear
        if as_class:
            yield from self._things(source, plan)
        for rank, candidate in enumerate(candidates[:TRIES]):
            name = fold(candidate.use.relation.name)
            if plan.phrase == "date" and isinstance(plan.source, p.Hop) and name in _LIFE:
                continue  # when something was made is not when its maker was born
            doubt = as_class or self._doubtful(source, candidate, plan)
            for found in self._take(source, candidate, plan):
                if self._suits(found, plan.want):
                    found = replace(found, via=name, back=candidate.use.direction == "in")
                    headed = plan.form == "role" and relations.belongs(name, "head")
                    titled = self._titled(found, plan.phrase, source) if headed else True
                    if titled is False:
                        whose = self._name_of(source, plan.source)
                        self._lack(f"names no {plan.phrase} of {whose}")
                        continue
                    found = found.doubted(
                        doubt,
                        titled is None,
                        # what a citizen of a state that is no more is called today: not told
                        plan.phrase.startswith("national") and PAST_STATE in kinds_of(found),
                        rank > 0 and candidate.score < candidates[0].score - 0.2,
                    )
                    yield from self._so_called(found, candidate.uses, plan)
        known = self.lex.class_of(plan.phrase)
        if plan.form == "role" and clear and known is not None and known.what != "person":
            yield from self._things(source, plan)
        if not candidates:
            yield from self._otherwise(source, plan)
            whose = self._name_of(source, plan.source)
            small = set(plan.phrase.split()) <= _SMALL  # “at” of a room tells nobody anything
            about = "of {} that answers this" if small else f"about “{plan.phrase}” of {{}}"
            self._lack(f"says nothing {about.format(whose)}")

    def _doubtful(self, source: Found, candidate: Candidate, plan: p.Hop) -> bool:
        """Whether a relation may not be what the phrase means here."""
        use = candidate.use
        kind, name = self.resolver.kind_of(use), fold(use.relation.name)
        placed = plan.want == "place" and not plan.noun
        seated = placed and bool(set(stems(plan.phrase)) & _SEATED)
        onward = plan.form == "agent" and use.direction == "out"
        said = plan.phrase.split() or [""]  # as a verb, which it is, or a preposition
        verbs = [self.lex.is_verb(w) or w.endswith(("ed", "ing", "en")) for w in said]
        verbal = any(verbs) or not PREPOSITIONS.isdisjoint(said)
        return any(
            (
                candidate.guess,
                bool(set(stems(plan.phrase)) & (_KILLING if placed else _HURTING)),  # not yet dead
                plan.phrase == "date"  # of a feast that comes every year, or of a film called so?
                and self.when_is
                and name != "day in year",
                "state" in {plan.noun, plan.phrase}  # a state of it?
                and name == "country",
                stem(plan.phrase) in _BUILDING and name == "architect",
                stem(plan.phrase) in _PRINTED and self._shown_on_screen(source),  # not the book?
                seated and name in {"country", "continent"},
                plan.form in {"agent", "patient"} and not verbal,
                plan.phrase == "date"  # of what has a beginning and an end: which of them?
                and all(source.out(x) for x in ("start time", "end time")),
                plan.want == "place" and plan.form == "patient" and use.direction == "in",
                onward and placed and kind != "place",
                onward and plan.want == "person" and kind not in {"person", ""},
                plan.phrase == "description" and self.who and self._work_or_place(source),
            )
        )

    def _otherwise(self, source: Found, plan: p.Hop) -> Iterator[Found]:
        """Where no relation is called so: kinds of the thing, times, what a verb says vaguely."""
        if plan.form == "patient":  # the Nobel Prize: each of them
            for labels in (SUBCLASS, CLASS):
                if use := source.into(*labels):
                    kinds = self._follow(source, use, "Which kinds of it are there?")
                    for candidate in self._candidates(kinds, plan)[:1]:
                        yield from self._take(kinds, candidate, plan)
                        return
        of = plan.form == "role" and plan.prep in {"", "of"}
        if plan.form == "role":
            yield from self._in_the_role(source, plan.phrase)
            yield from self._of_the_series(source, plan.phrase)
        if plan.form == "role" and plan.phrase in _BESIDE_IN_OFFICE:
            held = p.Hop(p.Office(plan.source, ""), "officeholder", "role")
            side = _BESIDE_IN_OFFICE[plan.phrase]
            yield from self.values(p.Neighbour(held, plan.source, side))
        if of and self.lex.class_of(plan.phrase):  # the island of Hispaniola
            yield from (own.doubted(True) for own in self._of_class(source, plan.phrase))
        if plan.want == "time":
            yield from self._when(source, plan)
        if plan.form != "agent":
            return
        named = bool(plan.noun) and self.lex.is_noun(plan.noun)
        if plan.want == "place" and set(stems(plan.phrase)) <= VAGUE_VERBS:
            other = replace(plan, phrase="locate")  # where X plays, X is
        elif plan.want != "place" and set(plan.phrase.split()) <= GENERAL | PREPOSITIONS and named:
            other = plan  # the league a team plays in
        else:
            return
        if named:
            other = replace(plan, phrase=plan.noun, form="role", prep="")
        for candidate in self._candidates(source, other)[:1]:
            for found in self._take(source, candidate, other):
                via = fold(candidate.use.relation.name)
                yield replace(found, via=via).doubted(not named or candidate.guess)

    def _in_the_role(self, group: Found, role: str) -> Iterator[Found]:
        """The drummer of a band: those of its members who are drummers."""
        use = group.out("has part(s)")
        known = self.lex.class_of(role.split()[-1])
        if use is None or known is None or known.what != "person":
            return
        if any(kind.endswith(("group", "band", "ensemble", "duo")) for kind in kinds_of(group)):
            members = self._follow(group, use, "Who belongs to it?")
            yield from (m.doubted(True) for m in self._of_class(members, role.split()[-1]))

    def _of_the_series(self, series: Found, noun: str) -> Iterator[Found]:
        """The novels of a series: those of its parts that are novels."""
        known = self.lex.class_of(noun)
        if known is None or known.what != "work":
            return
        for use in (series.out("has part(s)"), series.into("part of the series")):
            if use:
                parts_ = self._follow(series, use, "What belongs to it?")
                yield from (m.doubted(True) for m in self._of_class(parts_, noun))

    def _when(self, source: Found, plan: p.Hop) -> Iterator[Found]:
        """The time of the statements the phrase is about: when somebody married or joined."""
        for candidate in self.resolver.candidates(plan.phrase, plan.form, source.uses)[:2]:
            for qualifier in self._qualifiers(plan):
                found = self._follow(source, candidate.use, qualifier=qualifier)
                if found.size:
                    yield found.doubted(candidate.guess, found.size > 1)
                    break

    def _candidates(self, source: Found, plan: p.Hop) -> list[Candidate]:
        if plan.phrase == "description":
            use = source.out("occupation", *CLASS, "position held", "subclass of")
            return [Candidate((use,), 1.0)] if use else []
        return self.resolver.candidates(
            plan.phrase, plan.form, source.uses, want=plan.want, prep=plan.prep, noun=plan.noun
        )

    def _things(self, source: Found, plan: p.Hop) -> Iterator[Found]:
        """ "mountains in Asia", "films by Sirk": things of a class that the place or person has"""
        known = self.lex.class_of(plan.phrase)
        called = known is not None or plan.prep != ""
        if not called and self._stated_number(source, plan.phrase, seen=True) is None:
            return
        prep = plan.prep or "of"
        for candidate in self.resolver.candidates(prep, "patient", source.uses)[:TRIES]:
            if all(u.direction == "in" for u in candidate.uses):
                for found in self._take(source, candidate, replace(plan, form="patient")):
                    people = found.out(*CLASS, "occupation")
                    if known is not None and known.what == "person" and not people:
                        continue  # a war in England is no king of it
                    each = self._of_class(found, plan.phrase)
                    every = (self._as_many(one, source, plan.phrase) for one in each)
                    yield from (one for one in every if called or not one.missing)

    def _take(self, source: Found, candidate: Candidate, plan: p.Hop) -> Iterator[Found]:
        """Follows a candidate; several relations that belong together are united."""
        if plan.when is not None:
            yield from self._dated(source, candidate, plan)
            return
        stateful = any(changes(u) for u in candidate.uses)
        present, alone = self.now or not self.past, len(candidate.uses) == 1
        if present and stateful and alone and not self._plural(plan):
            now = self._follow(source, candidate.use, "", at="now")
            if plan.phrase == "officeholder" and now.size:
                yield self._last_in_office(now)
                return
            one = plan.form != "role" or singular(plan.phrase) == plan.phrase
            people = self.lex.kinds.get(fold(candidate.use.relation.name)) == "person"
            over = self._may_be_over(source, candidate.use, now)
            now = replace(now, missing="now" if over else now.missing)
            yield now.doubted(one and people and source.size == 1 and now.size > 1)
            ever = self._united(source, candidate.uses)
            yield ever.doubted(one and 0 < now.size < ever.size)  # the president, not a former one
            return
        if not self.past and not stateful and alone:
            yield from self._going_on(source, candidate.use)
        yield self._united(source, candidate.uses)

    def _plural(self, plan: p.Hop) -> bool:
        """Whether all who ever held an office are meant: "US presidents"."""
        return plan.phrase == "officeholder" and plan.noun == "all" and not self.now

    def _dated(self, source: Found, candidate: Candidate, plan: p.Hop) -> Iterator[Found]:
        """With a time: what held then, or what is itself dated within it."""
        span = plan.when
        assert span is not None
        labels = self.lex.dated_by(plan.phrase)
        thought = ""
        use = candidate.use
        if not labels and span.test == "during" and not self._lasted(source, span):
            self._lack("was at another time", self._name_of(source, plan.source))
            return
        if not labels and span.test == "during":
            begins = bool(set(stems(f"{plan.phrase} {plan.heard}")) & _BEGIN) and not span.until
            at = f"from {_point(span)}" if begins and span.value != "now" else _point(span)
            found = self._follow(source, use, thought, at=at)
            for end in (span.value, span.until) if span.until else ():  # those of a decade
                found = self._plus(found, self._follow(source, use, thought, at=end))
            if found.size:
                one = plan.form == "role" and singular(plan.phrase) == plan.phrase
                person = self.lex.kinds.get(fold(use.relation.name)) == "person"
                several = found.size > 1 or (person and span.value != "now")
                if several and changes(use) and not self._is_dated(found, source, use, span):
                    self._lack(f"does not say when each was {plan.phrase}")
                    return
                if plan.phrase == "officeholder" and not span.until:
                    found = self._last_in_office(found)
                yield found.doubted(one and found.size > 1, bool(span.until))
                return
        found = self._united(source, candidate.uses)
        own = source.out(*labels) if plan.form == "patient" else None
        if own:  # what was discovered: when that was
            if self._within(source, own, span).size:
                yield found
            return
        dated = found.out(*labels, *self.first_dates(plan.form != "role" or bool(labels)))
        if dated:
            yield self._within(found, dated, span)
            return
        if span.test == "during" and labels:
            yield self._follow(source, use, thought, at=_point(span))

    def _is_dated(self, found: Found, source: Found, use: RelationUse, span: Span) -> bool:
        """Whether what was found at a time has dates; what is asked of another day than today is
        doubtful where nothing has, so nobody need be asked again."""
        if span.value != "now" and source.certain and source.size == 1:
            return found.certain
        details = ("start time", "end time", "point in time")
        return any(self._follow(source, use, "Since when?", qualifier=d).size for d in details)

    def _beside(self, source: Found, plan: p.Hop) -> Iterator[Found]:
        """Statements in which a second thing of the question takes part."""
        assert plan.beside is not None
        candidates = self.resolver.candidates(
            plan.phrase, plan.form, source.uses, prep=plan.prep
        ) or self.resolver.candidates(plan.phrase, plan.form, source.uses)
        for candidate in candidates[:TRIES]:
            use = candidate.use
            for value, doubt in self._second(source, use, plan.beside):
                doubt = doubt or candidate.guess
                far = self._follow(source, use, value=value)
                new = not {ids_of([m]) for m in far.members} & set(value.split(" | "))
                known = self.lex.class_of(singular(plan.noun)) if plan.noun else None
                people = known.what in {"person", "work"} if known else not plan.noun
                if new and not plan.want and people:
                    yield far.doubted(doubt)  # who, or which actor, played Batman in X
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

    def _second(self, source: Found, use: RelationUse, plan: Plan) -> Iterator[tuple[str, bool]]:
        """The second thing of a statement as a test for it; and whether that is a guess.

        A name may be a part of one that stands there ("Linda" for Linda McCartney).
        """
        near: list[Value] | None = None
        value = ""
        if not isinstance(plan, p.Kind):
            for other in self.values(plan):
                if other.size > 5:
                    break
                value = ids_of(other.members)
                if self._follow(source, use, value=value).size:
                    yield value, not other.certain
                    break
        if isinstance(plan, p.Anchor | p.Kind):
            text = plan.text if isinstance(plan, p.Anchor) else plan.noun
            near = [m for m in self._follow(source, use).members if self._part_of_name(text, m)]
            office = [m for m in near if fold(m.name).startswith(f"{fold(text)} of ")]
            near = office or near  # a president of …, no president-elect of it
            if not near or ids_of(near) == value:  # Jack, for the role of Jack Dawson
                roles = self._follow(source, use, qualifier="character role").members
                near = [m for m in roles if self._part_of_name(text, m)]
        if near:
            yield ids_of(near), False

    def _where(self, plan: p.Where) -> Iterator[Found]:
        hop = p.Hop(
            plan.other, plan.phrase, plan.form, prep="" if plan.prep == plan.phrase else plan.prep
        )
        if isinstance(plan.source, p.Kind):
            for found in self.values(hop):
                yield from self._of_class(found, plan.source.noun)
            return
        back: dict[Form, Form] = {
            "patient": "agent", "agent": "patient", "role": "holder", "holder": "role",
        }  # fmt: skip
        for base in self.values(plan.source):
            others = list(self.values(plan.other))[:1]
            for other in others:
                value = ids_of(other.members)
                candidates = self.resolver.candidates(plan.phrase, back[plan.form], base.uses)
                for candidate in candidates[:TRIES]:
                    if other.size > 20:
                        break
                    use = candidate.use
                    called = self._name_of(other, plan.other)
                    thought = f"Which of them fit “{plan.phrase} {called}”?"
                    kept = self._keep(base, use, "is", value, thought)
                    if kept.size:
                        yield kept.doubted(candidate.guess)
                        break
                else:
                    for also in self.values(hop):
                        both = self._compute("intersection", base, also, "Both must hold.")
                        if both.size:
                            yield both
                            break


def _point(span: Span) -> str:
    """A stretch as the point `at` takes: its middle year."""
    if not span.until:
        return span.value
    return f"{(int(span.value[:4]) + int(span.until[:4])) // 2:04}"


def _shift(year: str, by: int) -> str:
    head = year[:4]
    return f"{int(head) + by:04}" if head.isdigit() else year


def _goes_by(source: Found, plan: Plan, plain: Callable[[str], str] = fold) -> bool:
    """Whether a thing has exactly the name it was asked for by: a record has no other."""
    asked = plain(plan.text).removeprefix("the ") if isinstance(plan, p.Anchor) else ""
    named = source.members[0] if source.size == 1 and source.members else None
    return isinstance(named, Entity) and asked in {
        plain(n).removeprefix("the ") for n in (named.label, *named.aliases)
    }


def _paraphrased(source: Found, plan: Plan) -> bool:
    """Whether a thing was asked for by words that describe it, and share none with its name."""
    asked = set(stems(plan.text)) if isinstance(plan, p.Anchor) else set()
    named = source.members[0] if source.size == 1 and source.members else None
    if not isinstance(named, Entity) or len(asked) < 2:  # the Big Apple; NYC is a name
        return False
    return not (asked - LINKING) & set(stems(named.label)) and _goes_by(source, plan)
