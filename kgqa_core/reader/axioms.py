"""How the built-in reader surfaces axioms: a question met with the rules of `assets/axioms`.

Every rule looks for its words in the question and fills its open slots from it. What comes out
is a general rule about the entities of the question, with premises over graph terms; whether
they hold is not asked here. Rules whose relations the facts at hand contain come first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from kgqa_core import timeline, verbalise
from kgqa_core.decide import COORDINATES, evaluate, reach
from kgqa_core.lifetimes import interval_of
from kgqa_core.methods.r3_skills import OPTION, StatedAxiom, ToSurface
from kgqa_core.premises import (
    Condition,
    Facts,
    Function,
    Hop,
    Operator,
    Premise,
    Term,
    contains,
    folded,
    is_relation,
    names_of,
    words_of,
)
from kgqa_core.reader import homeland
from kgqa_core.reader import rules as families
from kgqa_core.reader.commonsense import Commonsense, Country, Era, Topic, Want, said, within
from kgqa_core.reader.words import NUMBER_WORDS, stems
from kgqa_core.terms import Entity, Statement

_NEGATIVE = re.compile(
    r"\b(?:not|never|no|cannot|can't|n't|unable|impossible|unlikely|avoid\w*|refus\w+|abstain\w*|"
    r"refrain\w*|without|oppos\w+|disagree\w*|dislike\w*|hate\w*|reject\w*|against|offend\w*|"
    r"forbidden|prohibited|ceases?|stopped|nobody|none|neither|lack\w*|uncomfortable|nothing|"
    r"disapprov\w+|(?:difficult|hard|rare) to|difficult(?:y|ies)|rest assured|odd|strange|"
    r"weird|absurd|awkward|\w+phobes?|condemn\w*|fail\w*|unfamiliar|"
    r"unaware|ignorant|(?:stay|keep|shy|steer|turn)\w* (?:away|clear)|skip\w*|declin\w+|"
    r"doubt\w*|skeptic\w*|sceptic\w*|abhor\w*|despis\w+|detest\w*|shun\w*|frown\w*|"
    r"struggl\w+|off.?limits|unthinkable|surpris\w+|unusual|uncommon|out of place|denounc\w+|"
    r"protest(?:ed|s|ing)? (?:the|against)|resist\w*|incapable|exempt|excluded?|cease[ds]?)\b|"
    r"\w+n['’]t\b"
)
_HARMLESS = re.compile(  # negative in form only
    r"\bwithout (?:breaking|violating|offending|compromising|sinning|betraying|going against)\b|"
    r"\bwithout (?:an? )?(?:microscope|telescope|magnif\w+|help|equipment|gear)\b|"
    r"\bno (?:doubt|wonder|surprise|problem)\b|\bnot only\b|\bwhether or not\b"
)
_PERSON = (
    "occupation P106|sex or gender P21|date of birth P569|date of death P570|spouse P26|child P40|"
    "religion or worldview P140|country of citizenship P27|member of sports team P54|"
    "medical condition P1050|place of birth P19|position held P39|cause of death P509|"
    "languages spoken, written or signed P1412|member of political party P102|lifestyle P1576|"
    "father P22|mother P25|sibling P3373|place of death P20|native language P103|employer P108|"
    "instrument P1303|educated at P69|hair color P1884|work period (start) P2031|"
    "work period (end) P2032|manner of death P1196|number of children P1971|military rank P410"
)


@dataclass(frozen=True)
class Subject:
    """Whom a question is about: an anchor and the relations its words lead along.

    `words`: how the question says it. `topic`: the rest of the question, with what the graph
    says the other anchors are.
    """

    entity: Entity
    words: str
    path: tuple[Hop, ...]
    topic: str
    asked: str  # the rest of the question alone
    place: int  # of the mention in the question
    common: bool = False  # named by a common noun: `people`, `a writer`

    def term(self, *more: Hop, function: Function = "values") -> Term:
        return Term(entity=self.entity.name, path=(*self.path, *more), function=function)


@dataclass(order=True)
class Candidate:
    score: float
    axiom: StatedAxiom = field(compare=False)


class Surfacer:
    """Axioms for one question, best first."""

    def __init__(self, given: ToSurface, rules: Commonsense) -> None:
        self.given, self.rules = given, rules
        self.question = given.question.replace("’", "'")
        self.stems = stems(self.question)
        self.words = set(re.findall(r"[\w'-]+", folded(self.question)))
        self.facts = Facts(given.facts)
        anchors = [e for name in given.anchors if (e := self.facts.called(name)) is not None]
        self.facts.add([], anchors)
        self.anchors = anchors
        said = _HARMLESS.sub(" ", folded(self.question))
        self.negative = _negative(said)
        subjects = (self._subject(entity) for entity in anchors)
        self.subjects = sorted(subjects, key=lambda s: (s.common, s.place))

    def axioms(self) -> list[StatedAxiom]:
        if self.given.task == "preference":
            return [self._preference()] if self.given.options else []
        if _LIVED.search(folded(self.question)) and (lives := [*self._dated(), *self._together()]):
            lives.sort(key=lambda c: -c.score)
            return list({c.axiom.rule: c.axiom for c in lives}.values())
        found = [
            *self._counted(),
            *self._measured(),
            *self._placed(),
            *self._reached(),
            *self._same(),
            *self._over(),
            *self._dated(),
            *self._together(),
            *self._wedded(),
            *self._of_genre(),
            *(found for family in _FAMILIES for found in family(self)),
            *self._topics(),
            *self._linked(),
            *(self._near() if self.given.guess else ()),
        ]
        found.sort(key=lambda c: -c.score)
        return list({c.axiom.rule: c.axiom for c in found}.values())

    # -- whom it is about ----------------------------------------------------------------

    def _subject(self, entity: Entity) -> Subject:
        mention = next(
            (n for n in (entity.name, *entity.aliases) if _at(self.question, n) is not None),
            entity.name,
        )
        at = _at(self.question, mention)
        if at is None:
            return Subject(entity, entity.name, (), self._others(entity), self.question, 10_000)
        start, end = at
        path: list[Hop] = []
        words = mention
        while match := _POSSESSED.match(self.question[end:]):
            said = match[1].split()
            lengths = range(len(said), 0, -1)
            noun, length = next(
                ((p, n) for n in lengths if (p := self._path(" ".join(said[:n])))), (None, 0)
            )
            if noun is None:
                break
            end += match.start(1) + len(" ".join(said[:length]))
            path += noun
            words = self.question[start:end]
        before = re.search(
            r"([\w-]+(?:\s+(?:of|party|condition))?)\s+(?:of|in which|where)\s+(?:the\s+)?$",
            self.question[:start],
        )
        if before and not path and (noun := self._path(before[1])) is not None:
            path += noun
            start = before.start(1)
            words = self.question[start:end]
        wed = re.match(r"\s+(?:is |was |got |has )?married (?:to )?(?=an? )", self.question[end:])
        if wed and not path:  # what follows is said of the spouse
            path += self._path("spouse") or ()
            words = f"{words}'s spouse"
            end += wed.end()
        if not path:
            for around, hops in _CLAUSES.items():
                clause = re.search(
                    around.replace("X", re.escape(self.question[start:end])), self.question
                )
                if clause:
                    path += self._path(hops) or ()
                    start, end = clause.span()
                    words = self.question[start:end]
                    break
        rest = f"{self.question[:start]} … {self.question[end:]}"
        asked = " ".join(rest.split())
        topic = f"{asked} {self._others(entity)}"
        common = start > 0 and self.question[at[0]].islower()
        return Subject(entity, words, tuple(path), topic, asked, start, common)

    def _path(self, noun: str) -> tuple[Hop, ...] | None:
        return self.rules.paths.get(stems(noun))

    def _others(self, entity: Entity) -> str:
        """What the graph says the other anchors are, things that is: people say nothing of it."""
        said = []
        for other in self.anchors:
            if other == entity or folded(other.name) in self.rules.countries:
                continue
            if not self.facts.out(other, _PERSON):
                kinds = self.facts.out(other, self.rules.relations("kind"))
                said += [name for s in kinds for name in names_of(s.object)[:1]]
        return " ; ".join(said)

    def unnamed(self, text: str) -> str:
        """A text without the names of people: Oscar Wilde is about no Oscar."""
        for subject in self.subjects:
            if subject.path or not self.is_person(subject):
                continue
            named = stems(subject.words.removesuffix(" Jr.")) in self.rules.cues
            if named and _MINDED.search(folded(self.question)):
                continue  # somebody whom a rule itself names
            if (at := _at(text, subject.words)) is not None:
                text = f"{text[: at[0]]}…{text[at[1] :]}"
        return text

    def is_person(self, subject: Subject) -> bool:
        if subject.path:
            nouns = "spouse P26|mother P25|father P22|child P40|sibling P3373|position held P39"
            return is_relation_of(subject.path[-1], nouns)
        kinds = self.facts.out(subject.entity, "instance of P31")
        if kinds:
            names = [verbalise.value(s.object) for s in kinds]  # of a language, “human” is an alias
            return any(contains(name, kind) for name in names for kind in _HUMAN)
        return bool(self.facts.out(subject.entity, _PERSON))

    def may_say(self, subject: Subject, relations: str) -> bool:
        """Whether the facts at hand may say it: of an entity further on that is not known yet."""
        return bool(subject.path) or bool(self.facts.out(subject.entity, relations))

    def _has_relation(self, subject: Subject, group: str) -> bool:
        return self.may_say(subject, self.rules.relations(group))

    # -- counts and measures -------------------------------------------------------------

    def _counted(self) -> Iterator[Candidate]:
        """So many children for a team; more clubs than somebody else; at least a dozen."""
        yield from self._more_of_one()
        limit = self._limit()
        for group, nouns in _COUNTABLE.items():
            named = [n for n in nouns.split("|") if _plural(n) & self.words or self._than_one(n)]
            times = re.search(r"\b(?:times|once|twice|thrice)\b", folded(self.question))
            if not named or (named == ["married"] and not times):
                continue
            relations = self.rules.relations(group)
            hop = Hop(relation=relations)
            bases = [self._whose(s, group, nouns) for s in self.subjects]
            known = [s for s in bases if self.may_say(s, relations)]
            if len(bases) == 2 and known:  # who has none of them has fewer
                known = bases
            if len(known) >= 2 and (way := _COMPARES.search(folded(self.question))):
                a, b = known[0], known[1]
                operator: Operator = "<" if way[1] in {"fewer", "less", "smaller"} else ">"
                yield self.one(
                    9.5,
                    f"{a.words} must have {_WORDS_OF[operator]} than {b.words} in number of "
                    f"{nouns.split('|')[0]}.",
                    Premise(
                        text=f"{a.words} has {_WORDS_OF[operator]} of them than {b.words}",
                        left=a.term(hop, function="count"),
                        operator=operator,
                        right=b.term(hop, function="count"),
                        closed=True,
                    ),
                )
            if limit is None:
                continue
            phrase, number, operator = limit
            for counted in known[:1]:
                premise = Premise(
                    text=f"The number of {nouns.split('|')[0]} of {counted.words} is "
                    f"{operator} {number}",
                    left=counted.term(hop, function="count"),
                    operator=operator,
                    right=Term(constants=(str(number),)),
                )
                yield self.one(9, f"{phrase.capitalize()} takes {number}: {premise.text}.", premise)

    def _than_one(self, noun: str) -> bool:
        return f"more than one {noun}" in folded(self.question)

    def _more_of_one(self) -> Iterator[Candidate]:
        """More wives than children: two counts of the same."""
        found = re.search(r"\b(more|fewer|less) ([\w-]+) than ([\w-]+)", folded(self.question))
        if found is None:
            return
        groups = [
            next(
                (g for g, ns in _COUNTABLE.items() for n in ns.split("|") if word in _plural(n)), ""
            )
            for word in found.groups()[1:]
        ]
        operator: Operator = ">" if found[1] == "more" else "<"
        for subject in self.subjects[:1]:
            if not all(groups) or groups[0] == groups[1]:
                return
            one, other = (
                subject.term(Hop(relation=self.rules.relations(g)), function="count")
                for g in groups
            )
            rule = f"{subject.words} must have {found[0]}."
            premise = Premise(
                text=rule.rstrip("."), left=one, operator=operator, right=other, closed=True
            )
            yield self.one(9.6, rule, premise)

    def _whose(self, subject: Subject, group: str, nouns: str) -> Subject:
        """Whose things are counted: of “X's children play” it is X, of “X's wife has dogs” she."""
        if any(within(stems(subject.asked), stems(noun)) for noun in nouns.split("|")):
            return subject
        return self._base(subject, self.rules.relations(group))

    def _limit(self) -> tuple[str, int, Operator] | None:
        """The number a question compares with, said as such or as a thing that has so many."""
        text = folded(self.question)
        operator: Operator = "≥"
        if re.search(r"\b(?:more than|exceeds?|over|surpass)\b", text):
            operator = ">"
        elif re.search(r"\b(?:fewer than|less than|under|below)\b", text):
            operator = "<"
        elif re.search(r"\bexactly\b", text):
            operator = "="
        things = [
            (len(phrase), name, number)
            for phrase, (name, number) in self.rules.counts.items()
            if within(self.stems, phrase)
        ]
        if things and "more than" in max(things)[1]:  # “more than once” is at least twice
            operator = "≥"
        if things and _ENOUGH.search(text):
            _, name, number = max(things)
            return f"a {name}", number, operator
        asked = " ".join(folded(s.asked) for s in self.subjects[:1])
        for stated in re.findall(r"\b\d[\d,]*\b", asked):
            number = int(stated.replace(",", ""))
            if "," in stated or not 1000 <= number <= 2100:  # else a year
                return "the question", number, operator
        if re.search(r"\b(?:more than (?:one|once)|several|multiple)\b", asked):
            return "the question", 2, "≥"
        for word, number in (NUMBER_WORDS | {"twice": 2, "thrice": 3}).items():
            if number > 1 and re.search(
                rf"\b(?:least|than|exactly|over|to) (?:a )?{word}\b", asked
            ):
                return "the question", number, operator
        return None

    def _measured(self) -> Iterator[Candidate]:
        """Taller, deeper, more people; what it made against what it cost; hours of episodes."""
        text = folded(self.question)
        if re.search(r"\b(?:submerge|sink|sunk|under ?water|visible if|bottom of|drown)", text):
            for a, b in self._pairs("height", "depth"):
                yield self.one(
                    9.4,
                    f"The top of {a.words} shows in {b.words} if it is higher than that is deep.",
                    self._compare(a, "height", ">", b, "depth"),
                    answer=not re.search(r"\b(?:completely|fully|entirely|cover)\b", text),
                )
        if re.search(
            r"\b(?:profit\w*|solvent|break even|lose money|lost money|flop|recoup|earn back|loss|"
            r"box office)\b",
            text,
        ):
            for s in self.subjects:
                if self._has_relation(s, "income") and self._has_relation(s, "cost"):
                    loses = bool(re.search(r"\b(?:los[et]\w*|flop|loss)\b", text))
                    yield self.one(
                        9.4,
                        f"{s.words} made a profit if it brought in more than it cost.",
                        self._compare(s, "income", ">", s, "cost"),
                        answer=not loses,
                    )
        if hours := _hours(text):
            for s in self.subjects:
                if self._has_relation(s, "episodes"):
                    premise = Premise(
                        text=f"{s.words} has at most {hours:,} episodes, an hour each",
                        left=s.term(Hop(relation=self.rules.relations("episodes"))),
                        operator="≤",
                        right=Term(constants=(str(hours),)),
                    )
                    yield self.one(
                        9.4,
                        f"All of {s.words} can be watched if its episodes fit the time.",
                        premise,
                    )
        yield from self._limited()
        for phrase, more, groups in self.rules.measures:
            if not within(self.stems, phrase):
                continue
            for group in groups:
                for a, b in self._pairs(group, group):
                    operator: Operator = ">" if more else "<"
                    yield self.one(
                        9.2 + 0.01 * len(phrase),
                        f"{a.words} must have {_WORDS_OF[operator]} {group} than {b.words}.",
                        self._compare(a, group, operator, b, group),
                    )
        if re.search(r"\b(?:reach|before|grow|residents|inhabitants|occupants)\b", text):
            for a, b in self._pairs("population", "population"):
                yield self.one(
                    9.1,
                    f"With equal growth, {a.words} gets there first if it has more people.",
                    self._compare(a, "population", ">", b, "population"),
                )

    def _limited(self) -> Iterator[Candidate]:
        """Too deep to dive, large enough for a metropolis: an amount against a known limit."""
        for phrase, group, operator, number, ending in self.rules.limits:
            if not within(self.stems, phrase):
                continue
            for subject in self.subjects[:2]:
                if self.facts.out(subject.entity, self.rules.relations(group)):
                    premise = Premise(
                        text=f"The {group} of {subject.words} is {operator} {number}",
                        left=subject.term(Hop(relation=self.rules.relations(group))),
                        operator=operator,
                        right=Term(constants=(number,)),
                    )
                    rule = f"{subject.words} {ending}."
                    yield self.one(9.1, rule, premise, answer=not self._denied())

    def _denied(self) -> bool:
        """Whether the question denies what a limit says; who dives without gear denies nothing."""
        return self.negative and "without" not in self.words

    def _pairs(self, first: str, second: str) -> Iterator[tuple[Subject, Subject]]:
        a = [s for s in self.subjects if self._has_relation(s, first)]
        b = [s for s in self.subjects if self._has_relation(s, second)]
        for one in a:
            for other in b:
                if other.entity != one.entity and (first != second or one.place < other.place):
                    yield one, other

    def _compare(
        self, a: Subject, group: str, operator: Operator, b: Subject, other: str
    ) -> Premise:
        return Premise(
            text=f"The {group} of {a.words} is {operator} the {other} of {b.words}",
            left=a.term(Hop(relation=self.rules.relations(group))),
            operator=operator,
            right=b.term(Hop(relation=self.rules.relations(other))),
        )

    # -- places --------------------------------------------------------------------------

    def _placed(self) -> Iterator[Candidate]:
        """North, south, east or west of: by coordinates, else by where the countries lie."""
        way = re.search(r"\b(north|south|east|west)(?:ern|wards?)?\b", folded(self.question))
        placed = [s for s in self.subjects if not self.is_person(s)]
        if way is None or len(placed) < 2:
            return
        a, b = placed[0], placed[1]
        function: Function = "latitude" if way[1] in {"north", "south"} else "longitude"
        operator: Operator = ">" if way[1] in {"north", "east"} else "<"
        rule = f"{a.words} must lie further {way[1]} than {b.words}."
        if all(self.may_say(s, COORDINATES) for s in (a, b)):
            premise = Premise(
                text=f"The {function} of {a.words} is {operator} that of {b.words}",
                left=a.term(function=function),
                operator=operator,
                right=b.term(function=function),
            )
            yield self.one(9.3, rule, premise)
            return
        here, there = self.country(a), self.country(b)
        if here is None or there is None:
            return
        (one, first), (other, second) = here, there
        sizes = [c.north if function == "latitude" else c.east for c in (one, other)]
        holds = sizes[0] > sizes[1] if operator == ">" else sizes[0] < sizes[1]
        hop = Hop(relation=self.rules.relations("country"))
        known = [
            Premise(
                text=f"{s.words} is in {land.name}, about {abs(size):g}° {_side(function, size)}",
                left=s.term(hop) if not is_country else s.term(),
                right=Term(constants=(land.name,)),
            )
            for s, land, size, is_country in zip(
                (a, b), (one, other), sizes, (first, second), strict=True
            )
        ]
        yield self.one(9.3, rule, *known, answer=holds)

    def country(self, subject: Subject) -> tuple[Country, bool] | None:
        """The country a place is in, as the table has it, and whether the place is that itself."""
        own = self.rules.countries.get(folded(subject.entity.name))
        if own is not None:
            return own, True
        for s in self.facts.out(subject.entity, self.rules.relations("country")):
            for name in names_of(s.object):
                if (land := self.rules.countries.get(folded(name))) is not None:
                    return land, False
        return None

    def _reached(self) -> Iterator[Candidate]:
        """On foot or by taxi within a country, by car within a continent."""
        text = folded(self.question)
        near = re.search(
            r"\b(?:taxi|walk\w*|bike|bicycle|bus|subway|metro|on foot|swim|jog|tram|scooter|uber|"
            r"hike|canoe|paddle|crawl|skateboard|cab)\b",
            text,
        )
        far = re.search(
            r"\b(?:driv\w+|drove|by car|road trip|by road|by land|overland|train|car trip)\b", text
        )
        places = [s for s in self.subjects if not self.is_person(s)]
        if not (near or far) or len(places) < 2:
            return
        a, b = places[0], places[1]
        if near:
            rule = f"{a.words} and {b.words} must be in one country for such a short way."
            premise = self._equal(a, "place", b, "place")
        else:
            rule = f"{a.words} and {b.words} must be on one continent to be joined by road."
            premise = self._one_continent(a, b)
        yield self.one(8.8, rule, premise)

    def _one_continent(self, a: Subject, b: Subject) -> Premise:
        return Premise(
            text=f"The continents of {a.words} and of {b.words} are the same",
            left=a.term(*self._to_continent(a)),
            right=b.term(*self._to_continent(b)),
        )

    def _to_continent(self, subject: Subject) -> tuple[Hop, ...]:
        continent = Hop(relation=self.rules.relations("continent"))
        if self.facts.out(subject.entity, continent.relation):
            return (continent,)
        return (Hop(relation=self.rules.relations("country")), continent)

    # -- sameness ------------------------------------------------------------------------

    def _same(self) -> Iterator[Candidate]:
        """The same profession, country, faith, office …; voters and those they vote for."""
        if len(self.subjects) < 2:
            return
        text = _SHARED.sub("same ", folded(self.question))
        a, b = self.subjects[0], self.subjects[1]
        for words, one, other in self.rules.sameness:
            if not words.search(text):
                continue
            known = self._has_relation(a, one) and self._has_relation(b, other)
            if not known and one != "continent":
                continue
            if one == other == "continent":
                premise = self._one_continent(a, b)
                yield self.one(8.0, premise.text + ".", premise, answer=not self._differs(text))
                continue
            if one == "office":
                yield from self._same_office(a, b)
                continue
            if one == "religion" and not self._differs(text):
                strictly = re.search(r"\bsame (?:church|house)\b", text) is not None
                yield from families.same_faith(self, a, b, strictly=strictly)
            rule = f"{a.words} and {b.words} must agree in {_GROUP_WORDS.get(one, one)}."
            premises = [self._equal(a, one, b, other)]
            if other == "voted" and (self._datable(a) or self._datable(b)):
                premises.append(
                    Premise(
                        text=f"{a.words} and {b.words} were there at the same time",
                        left=a.term(function="lifetime"),
                        operator="overlaps",
                        right=b.term(function="lifetime"),
                    )
                )
            yield self.one(8.0, rule, *premises, answer=not self._differs(text))

    def _same_office(self, a: Subject, b: Subject) -> Iterator[Candidate]:
        """Prime Minister of one country and of another hold the same office."""
        relations = self.rules.relations("office")
        heads = tuple(
            dict.fromkeys(
                re.split(r" (?:of|in|for) ", names_of(s.object)[0])[0]
                for s in self.facts.out(b.entity, relations)
            )
        )
        if heads:
            hop = Hop(relation=relations)
            premises = [
                Premise(
                    text=f"{s.words} held the office of {heads[0]}",
                    left=s.term(hop),
                    right=Term(constants=heads),
                )
                for s in (a, b)
            ]
            yield self.one(8.0, f"{a.words} and {b.words} must have held one office.", *premises)

    def _differs(self, text: str) -> bool:
        return bool(
            re.search(r"\b(?:different|differ|not|never|unlike|n't|interpreter|translator)\b", text)
        ) and not (re.search(r"\bsame\b.*\bdifferent\b", text))

    def _equal(self, a: Subject, one: str, b: Subject, other: str) -> Premise:
        return Premise(
            text=f"{a.words} and {b.words} have the same {_GROUP_WORDS.get(one, one)}",
            left=self.grouped(a, one),
            right=self.grouped(b, other),
        )

    def grouped(self, subject: Subject, group: str) -> Term:
        """A subject's values of a group; what a path has reached already stands for itself."""
        ends = {self.rules.relations(g) for g in ((group, "job") if group == "work" else (group,))}
        if subject.path and subject.path[-1].relation in ends:
            return subject.term()
        if subject.path and group in _PLACES and self._leads_to_place(subject):
            return subject.term()
        if group in _PLACES and folded(subject.entity.name) in self.rules.countries:
            return subject.term()
        return subject.term(Hop(relation=self.rules.relations(group)))

    def worked(self, subject: Subject, values: Sequence[str]) -> Term:
        return self._wanted(subject, (True, "work", tuple(values)))

    def _wanted(self, subject: Subject, want: Want) -> Term:
        """As `grouped`; a description tells of a profession, but is silent on others."""
        _, group, values = want
        if group == "work" and self._says(subject, (True, "described", values)):
            both = f"{self.rules.relations('work')}|{self.rules.relations('described')}"
            return subject.term(Hop(relation=both))
        return self.grouped(subject, group)

    def _leads_to_place(self, subject: Subject) -> bool:
        return any(
            subject.path[-1].relation == self.rules.relations(group)
            for group in ("birthplace", "country", "residence", "capital")
        )

    # -- time ----------------------------------------------------------------------------

    def _over(self) -> Iterator[Candidate]:
        """What has ended or never was: bachelors, the childless, the dead, what is no more."""
        text = folded(self.question)
        for words, group, exists, rule in self.rules.endings:
            if not words.search(text):
                continue
            operator: Operator = "exists" if exists else "absent"
            for subject in self.subjects[:1]:
                known = bool(self.facts.about(subject.entity)) or subject.path
                if not known:
                    continue
                relations = self.rules.relations(group)
                hop = Hop(relation=relations)
                if group == "divorce":
                    others = [s.entity.name for s in self.subjects[1:2]]
                    hop = Hop(
                        relation=self.rules.relations("spouse"),
                        only="|".join(others),
                        qualifier="end time P582",
                    )
                if group == "death" and not self.is_person(subject):
                    continue
                base = self._base(subject, relations)
                sentence = rule.replace("{X}", base.words)
                premise = Premise(
                    text=sentence.rstrip("."), left=base.term(hop), operator=operator, closed=True
                )
                if sentence.startswith("Who still"):  # to be alive is only the beginning of it
                    dead = evaluate(premise, self.facts).state == "violated"
                    yield self.one(8.4 if dead else 2.2, sentence, premise, strict=dead)
                else:
                    yield self.one(8.4, sentence, premise)
        if len(self.subjects) >= 1 and re.search(
            r"\b(?:(?<!in the )(?<!at the )(?<!from the )same (?:thing|place|person)|another name|"
            r"also known as|also called)\b",
            text,
        ):
            yield from self._renamed()

    def _renamed(self) -> Iterator[Candidate]:
        subject = self.subjects[0]
        named = re.search(r"(?:^|\band )([A-Z][\w' -]+?)(?: are| is|$|\?)", subject.asked)
        others = [s.entity.name for s in self.subjects[1:]] + ([named[1]] if named else [])
        if others:
            rule = f"{subject.words} must have {others[0]} as another of its names."
            left = subject.term(Hop(relation=self.rules.relations("also called")))
            right = Term(constants=tuple(others))
            premise = Premise(text=rule.rstrip("."), left=left, right=right, closed=True)
            yield self.one(8.4, rule, premise)

    def _dated(self) -> Iterator[Candidate]:
        """Somebody must have lived, something existed, when there was what the question names."""
        if _WOULD_LIKE.search(folded(self.question)):
            return  # what somebody could not know, they might still have liked
        eras = [*self._named_times(), *self._inventions()]
        for era, exact in eras:
            for subject in self.subjects[:2]:
                if subject.path or not self._datable(subject):
                    continue
                if within(stems(subject.entity.name), stems(era.name)):
                    continue  # the thing itself
                what, dates = self._turn(subject) if exact else ("have lived", "")
                left = subject.term(function="lifetime")
                if dates:
                    left = subject.term(Hop(relation=dates), function="lifetime")
                ends = (era.since, era.until) if era.until else (era.since,)
                operator: Operator = "overlaps" if era.until else "≥"
                span = f"{era.since}–{era.until}" if era.until else f"since {era.since}"
                if not dates and era.until and _SAW_END.search(folded(subject.asked)):
                    ends, operator, span = (era.until,), "≥", f"until {era.until}"
                rule = f"{subject.words} must {what} at the time of {era.name} ({span})."
                premise = Premise(
                    text=rule.rstrip("."),
                    left=left,
                    operator=operator,
                    right=Term(constants=ends, function="lifetime"),
                )
                found = self._timed(rule, premise, sure=bool(dates))
                if exact or found.score > _WEAK or not _OF_MIND.search(folded(self.question)):
                    yield found  # that there was chocolate says nothing of who likes it
                break

    def _turn(self, subject: Subject) -> tuple[str, str]:
        """What is said to have happened to it at a time, and the relations that date it."""
        asked, person = folded(subject.asked), self.is_person(subject)
        for words, of_person, what, group in self.rules.turns:
            relations = self.rules.relations(group)
            if of_person == person and words.search(asked) and self.may_say(subject, relations):
                return what, relations
        return "have lived", ""

    def _named_times(self) -> Iterator[tuple[Era, bool]]:
        """Years, decades and centuries as the question writes them."""
        text = folded(self.question)
        if found := re.search(r"\b(\w+) decade of the (\d{1,2})(?:st|nd|rd|th) century", text):
            decade = _ORDINALS.get(found[1], 0)
            first = 100 * (int(found[2]) - 1) + 10 * (decade - 1)
            if decade:
                yield Era(found[0], f"{first:04d}", f"{first + 10:04d}"), True
                return
        if found := re.search(r"\b(\d{1,2})(?:st|nd|rd|th)[- ]century", text):
            first = 100 * (int(found[1]) - 1)
            yield Era(found[0], f"{first + 1:04d}", f"{first + 100:04d}"), True
        if found := re.search(r"\b(\d{3})0s\b", text):
            yield Era(found[0], f"{found[1]}0", f"{found[1]}9"), True
        outside = " ".join(folded(s.asked) for s in self.subjects[:1]) or text
        names = " ".join(folded(s.entity.name) for s in self.subjects)
        for found in re.finditer(r"\b(1[0-9]{3}|20[0-9]{2})\b", outside):
            if found[1] not in names:
                before = re.search(rf"\bbefore {found[1]}", outside)
                after = re.search(rf"\b(?:after|since) {found[1]}", outside)
                since, until = found[1], found[1]
                if before:
                    since = "0001"
                if after:
                    until = ""
                yield Era(found[1], since, until), True

    def _inventions(self) -> Iterator[tuple[Era, bool]]:
        found = [
            (len(phrase), era)
            for phrase, era in self.rules.eras.items()
            if within(stems(self.unnamed(self.question)), phrase)
        ]
        text = folded(self.question)
        for _, era in sorted(found, key=lambda pair: -pair[0])[:2]:
            name = re.escape(folded(era.name))
            if re.search(rf"\b(?:before|prior to|ahead of) (?:the )?{name}", text):
                yield Era(f"before {era.name}", "0001", era.since), True
            elif era.until and re.search(rf"\b(?:after|since|following) (?:the )?{name}", text):
                yield Era(f"after {era.name}", era.until, ""), True
            else:
                yield era, False

    def _timed(self, rule: str, premise: Premise, *, sure: bool) -> Candidate:
        """A time that does not fit decides; one that fits is only the beginning of a reason."""
        state = evaluate(premise, self.facts).state
        possible = re.search(r"\b(?:could|can|may|might|possible|ever)\b", folded(self.question))
        score = 8.6 if state == "violated" or sure else 4.6 if possible else _WEAK
        gone = _GONE.search(folded(self.question)) is not None
        denied = len(_DENIED.findall(folded(self.question))) % 2 == 1
        found = self.one(score, rule, premise, answer=denied == gone)
        if state == "satisfied" and self.vague(premise):
            return Candidate(score, found.axiom.model_copy(update={"strict": False}))
        if score > _WEAK or _LIVED.search(folded(self.question)):
            return found
        return Candidate(score, found.axiom.model_copy(update={"strict": False}))

    def vague(self, premise: Premise) -> bool:
        """Whether one of the dates is not known: then nothing shows that it was the time."""
        entity = self.facts.called(premise.left.entity) if premise.left else None
        return entity is not None and bool(interval_of(entity, self.facts).lacks)

    def _together(self) -> Iterator[Candidate]:
        """Who acts on something, or with somebody, must live when it is there."""
        dated = [s for s in self.subjects if not s.path and self._datable(s)]
        if len(dated) < 2:
            return
        a, b = dated[0], dated[1]
        text = folded(self.question)
        if _WOULD_LIKE.search(text) or (_ALIKE.search(text) and not _AT_ONCE.search(text)):
            return
        if re.search(r"\bsame (?!time|era|age|period|century|years?)", folded(self.question)):
            return  # who shares something need not have been there together
        two = self.is_person(a) and self.is_person(b)
        at_once = re.search(r"\b(?:during|while)\b", text)
        later = not at_once and (_HEARD if two else _LATER).search(text)
        operator: Operator = "≥" if later else "overlaps"
        rule = (
            f"{a.words} must not be over before {b.words} begins."
            if later
            else f"{a.words} and {b.words} must have been there at the same time."
        )
        premise = Premise(
            text=rule.rstrip("."),
            left=self._when(a),
            operator=operator,
            right=self._when(b),
        )
        held = self._in_office(a) and self._in_office(b)
        found = self._timed(rule, premise, sure=held)
        if two and not held and self._brief(a, b):
            axiom = found.axiom.model_copy(update={"strict": False})
            found = Candidate(found.score, axiom)
        yield found

    def _brief(self, a: Subject, b: Subject) -> bool:
        """Whether two lived at the same time for a few years only, one of them as a child."""
        one, other = (interval_of(s.entity, self.facts) for s in (a, b))
        if None in (one.first, one.last, other.first, other.last):
            return False
        first = max(i.first for i in (one, other) if i.first is not None)
        last = min(i.last for i in (one, other) if i.last is not None)
        return 0 <= last - first < _CHILDHOOD

    def _datable(self, subject: Subject) -> bool:
        if self._in_office(subject) or interval_of(subject.entity, self.facts).known:
            return True
        if _LIVED.search(folded(self.question)) is None:
            return False
        return self.is_person(subject) or bool(self.facts.out(subject.entity, _MADE))

    def _when(self, subject: Subject) -> Term:
        """When somebody lived, or was in office where the question is about that."""
        hop = Hop(relation=self.rules.relations("office"))
        path = (hop,) if self._in_office(subject) else ()
        return subject.term(*path, function="lifetime")

    def _in_office(self, subject: Subject) -> bool:
        """Whether the question is about offices, and the facts date one of this person."""
        held = self.facts.out(subject.entity, self.rules.relations("office"))
        dated = any(timeline.qualifier(s, timeline.START | timeline.END) for s in held)
        return dated and _OFFICE.search(folded(self.question)) is not None

    def _wedded(self) -> Iterator[Candidate]:
        """An anniversary takes a marriage that lasts so many years."""
        found = re.search(r"\b(\w+)(?: wedding)? anniversary\b", folded(self.question))
        years = self.rules.anniversaries.get(found[1]) if found else None
        if years is None or not self.subjects:
            return
        subject = self.subjects[0]
        relations = self.rules.relations("spouse")
        others = {s.entity for s in self.subjects[1:]}
        for s in self.facts.out(subject.entity, relations):
            begun = timeline.qualifier(s, timeline.START)
            if begun is None or (others and s.object not in others):
                continue
            due = f"{timeline.year(begun) + years:04d}"
            rule = f"{subject.words} must have been married {years} years, until {due}."
            path = Hop(relation=relations, only=names_of(s.object)[0])
            premise = Premise(
                text=rule.rstrip("."),
                left=subject.term(path, function="lifetime"),
                operator="≥",
                right=Term(constants=(due,), function="lifetime"),
            )
            yield self.one(9.0, rule, premise)

    def _of_genre(self) -> Iterator[Candidate]:
        """A genre that the question names."""
        found = re.search(r"\b(?:in|of) the ([\w-]+(?: [\w-]+)?) genre\b", folded(self.question))
        if found is None:
            return
        for subject in self.subjects[:1]:
            if self.may_say(subject, "genre P136"):
                rule = f"{subject.words} must belong to the genre {found[1]}."
                premise = Premise(
                    text=rule.rstrip("."),
                    left=subject.term(Hop(relation="genre P136")),
                    right=Term(constants=(found[1],)),
                )
                yield self.one(8.2, rule, premise)

    # -- topics --------------------------------------------------------------------------

    def _topics(self) -> Iterator[Candidate]:
        for order, subject in enumerate(self.subjects[:3]):
            asked = self.unnamed(re.sub(r"\bsame [\w-]+", "same", subject.asked))
            own = stems(asked.replace("'", " '"))
            whole = stems(f"{asked} {self._others(subject.entity)}")
            for topic in self.rules.topics:
                if any(within(own, phrase) for phrase in topic.unless):
                    continue
                cues = [p for p in topic.about if within(own, p)]
                more = [p for p in topic.about if p not in cues and within(whole, p)]
                if not cues and not more:
                    continue
                score = 6.0 - 0.6 * order + 0.1 * min(3, len(cues))
                score += 0.35 * max(map(len, cues or more)) - (0.5 if not cues else 0)
                score -= _BROAD * topic.broad
                axiom = self._topic_axiom(topic, subject)
                if axiom is None:
                    continue
                bears = self._bears(axiom)
                if subject.common and not bears:
                    continue  # that a month is no film is not what was asked
                of_people = any(group in _OF_PEOPLE for _, group, _ in topic.wants)
                if order and not bears and of_people and self.is_person(self.subjects[0]):
                    continue  # that a place does no sport says nothing of who was there
                if bears or not _LIKES.search(_LOVED.sub(" ", folded(self.question))):
                    yield Candidate(score + bears, axiom)

    def _bears(self, axiom: StatedAxiom) -> float:
        """A rule that a fact speaks to goes before one whose words merely occur."""
        states = [evaluate(p, self.facts).state for p in axiom.premises]
        spoken = {"all": "violated", "any": "satisfied"}
        positive = all(p.operator == "=" for p in axiom.premises)
        wanted = "satisfied" if positive else spoken["all"]
        return _BEARS if wanted in states else 0.0

    def _topic_axiom(self, topic: Topic, subject: Subject) -> StatedAxiom | None:
        wants = [want for want in topic.wants if self._applies(want[1], want[2], subject)]
        wants = [want for want in wants if want not in topic.hints or self._says(subject, want)]
        if not wants:
            return None
        premises = []
        for positive, group, values in wants:
            premises.append(
                Premise(
                    text=f"The {_GROUP_WORDS.get(group, group)} of {subject.words} is "
                    f"{'' if positive else 'not '}{_named(topic, values)}",
                    left=self._wanted(subject, (positive, group, values)),
                    operator="=" if positive else "≠",
                    right=Term(constants=values),
                )
            )
        rule = topic.rule.replace("{X}", subject.words)
        if both := self._also(subject):
            premises += [
                p.model_copy(
                    update={
                        "text": p.text.replace(subject.words, both.words),
                        "left": self.grouped(both, group),
                    }
                )
                for p, (_, group, _) in zip(premises, wants, strict=True)
            ]
            rule = rule.replace(subject.words, f"{subject.words} and {both.words}")
        any_of = len(wants) > 1 and all(positive for positive, _, _ in wants) and not both
        return StatedAxiom(
            rule=rule,
            premises=premises,
            connective="any" if any_of else "all",
            answer=not self.negative,
            strict=False,
        )

    def _says(self, subject: Subject, want: Want) -> bool:
        """Whether the facts at hand say what would only be a hint."""
        _, group, values = want
        own = self.facts.out(subject.entity, self.rules.relations(group))
        return any(contains(n, v) for s in own for n in names_of(s.object) for v in values)

    def _also(self, subject: Subject) -> Subject | None:
        """The other one, where a question is about both."""
        if not re.search(r"\bboth\b", folded(self.question)) or len(self.subjects) != 2:
            return None
        other = self.subjects[1]
        return other if other.entity != subject.entity else None

    def _applies(self, group: str, values: Sequence[str], subject: Subject) -> bool:
        """Whether the group says anything of such a subject, as far as the facts go."""
        if subject.path and subject.path[-1].relation == self.rules.relations(group):
            return True
        person = self.is_person(subject)
        itself = folded(subject.entity.name) in self.rules.countries
        if group == "ingredient" and person:
            return False
        if group == "kind" and person and "human" not in values and "musician" not in values:
            return self._says(subject, (True, group, tuple(values)))
        if group == "kind" and not subject.path and itself:
            return self._says(subject, (True, group, tuple(values)))
        if group in _OF_PEOPLE and not person:
            return False
        if subject.path:
            return True
        own = self.facts.out(subject.entity, self.rules.relations(group))
        if group in _PLACES and folded(subject.entity.name) in self.rules.countries:
            return True
        if group == "work" and not own:
            return self._says(subject, (True, "described", tuple(values)))
        return bool(own)

    # -- what is left --------------------------------------------------------------------

    def _linked(self) -> Iterator[Candidate]:
        """Somebody's country and the country of what they take part in; a fact between the two."""
        for a in self.subjects:
            for b in self.subjects:
                if a.entity == b.entity:
                    continue
                if a.path and self._leads_to_place(a) and self._has_relation(b, "country"):
                    rule = f"{b.words} must belong to {a.words}."
                    yield self.one(6.6, rule, self._equal(a, "place", b, "place"))
                elif (
                    _TAKES_PART.search(folded(self.question))
                    and self.is_person(a)
                    and not self.is_person(b)
                    and self._has_relation(a, "citizenship")
                    and self._has_relation(b, "country")
                ):
                    rule = f"{a.words} must come from the country of {b.words}."
                    yield self.one(6.4, rule, self._equal(a, "home", b, "place"))
                for s in self.facts.about(a.entity):
                    if a.place < b.place and b.entity in (s.subject, s.object):
                        rule = f"The graph must link {a.words} and {b.words}."
                        inverse = s.subject == b.entity
                        hop = Hop(relation=s.relation.name, inverse=inverse)
                        premise = Premise(
                            text=f"{b.words} is the {s.relation.name} of {a.words}"
                            if not inverse
                            else f"{a.words} is the {s.relation.name} of {b.words}",
                            left=Term(entity=a.entity.name, path=(hop,)),
                            right=Term(entity=b.entity.name),
                        )
                        yield self.one(4.0, rule, premise, strict=False)

    def _near(self) -> Iterator[Candidate]:
        """Nothing more special is known: what is said must come near to a fact."""
        for order, subject in enumerate(self.subjects):
            if not self.facts.about(subject.entity):
                continue
            said = subject.asked.strip(" ?.")
            ends = [v.name for v in reach(subject.term(), self.facts).values]
            of = ends[0] if ends else subject.words
            rule = f"What the graph says of {of} must come down to “{said}”."
            yield self.one(1.0 - 0.1 * order, rule, Premise(text=rule.rstrip(".")))

    def _preference(self) -> StatedAxiom:
        """What is chosen fits the query and has nothing that the person must not have."""
        user = self.given.user
        premises = [Premise(text=f"{OPTION} fits the query “{self.question.strip(' ?.')}”")]
        person = self.facts.called(user)
        facts = [s for s in self.facts.about(person) if s.subject == person] if person else []
        seen = set()
        for s in facts:
            for group, forbidden in self._restrictions(s):
                if forbidden in seen:
                    continue
                seen.add(forbidden)
                value = names_of(s.object)[0]
                premises.append(
                    Premise(
                        text=f"{OPTION} has nothing that does not suit {user}: "
                        f"{s.relation.name} {value}",
                        left=Term(
                            entity=OPTION,
                            path=(Hop(relation=self.rules.relations("ingredient")),),
                        ),
                        operator="≠",
                        right=Term(constants=forbidden),
                        given=Condition(
                            left=Term(entity=user, path=(Hop(relation=group),)),
                            right=Term(constants=(value,)),
                        ),
                    )
                )
        rule = f"What {user} gets must fit the query and have nothing {user} must not have."
        return StatedAxiom(rule=rule, premises=premises)

    def _restrictions(self, s: Statement) -> Iterator[tuple[str, tuple[str, ...]]]:
        """What somebody with this fact leaves out: by faith and diet, by allergy or illness."""
        relation = s.relation.name
        value = names_of(s.object)[0]
        for customs, ingredients in self.rules.customs:
            if any(contains(value, word) for word in customs):
                yield relation, ingredients
        if _DISLIKES.search(folded(relation)):
            yield relation, tuple(_food_names(value))
            return
        if is_relation(s.relation, self.rules.relations("allergy")) or contains(
            relation, "allergy"
        ):
            words = [w for w in stems(value) if w not in _NO_FOOD]
            named = [
                part
                for phrase, parts in self.rules.allergens.items()
                if within(tuple(stems(value)), phrase)
                for part in parts
            ]
            illness = is_relation(s.relation, "medical condition P1050")
            own = [] if illness or not words else _food_names(value)
            forbidden = tuple(dict.fromkeys((*named, *own)))
            if forbidden:
                yield relation, forbidden
            return
        if is_relation(s.relation, self.rules.relations("faith")) or contains(relation, "diet"):
            for topic in self.rules.topics:
                for positive, group, values in topic.wants:
                    if positive or group != "diet" or topic.name not in self.rules.forbidden:
                        continue
                    if any(contains(value, v) for v in values):
                        yield relation, self.rules.forbidden[topic.name]

    # -- building ------------------------------------------------------------------------

    def one(
        self,
        score: float,
        rule: str,
        *premises: Premise,
        answer: bool = True,
        strict: bool = True,
    ) -> Candidate:
        if premises and premises[0].left is None:
            answer = not self.negative
        return Candidate(
            score,
            StatedAxiom(rule=rule, premises=list(premises), answer=answer, strict=strict),
        )

    def _base(self, subject: Subject, relations: str) -> Subject:
        """The subject before a last step along these relations: whose they are, not they."""
        if subject.path and subject.path[-1].relation == relations:
            return Subject(
                subject.entity,
                subject.entity.name,
                subject.path[:-1],
                subject.topic,
                subject.asked,
                subject.place,
            )
        return subject


def _negative(said: str) -> bool:
    """Whether a sentence denies; of two clauses joined by “and”, the first that says anything."""
    clauses = [len(_NEGATIVE.findall(clause)) for clause in re.split(r"\band\b|;", said)]
    return next((n for n in clauses if n), 0) % 2 == 1


def is_relation_of(hop: Hop, names: str) -> bool:
    return bool(set(hop.relation.split("|")) & set(names.split("|")))


def _at(question: str, name: str) -> tuple[int, int] | None:
    """Where a name stands in the question, whatever case and accents."""
    plain, sought = _same_length(question), _same_length(name)
    if not sought:
        return None
    found = re.search(rf"(?<!\w){re.escape(sought)}(?!\w)", plain)
    return found.span() if found else None


def _same_length(text: str) -> str:
    """Folded letter by letter, so that places in the text stay the same."""
    return "".join((folded(c) or c)[:1] if not c.isspace() else " " for c in text)


def _named(topic: Topic, values: Sequence[str]) -> str:
    """A few of the values, for the card."""
    return " or ".join(values[:3]) + (" or the like" if len(values) > 3 else "")


def _plural(noun: str) -> set[str]:
    """The last word of a noun as it is written of several, with `family` as it is."""
    word = noun.split()[-1]
    odd = {
        "child": "children",
        "wife": "wives",
        "family": "family",
        "polygamy": "polygamy",
        "married": "married",
        "remarry": "remarry",
        "polymath": "polymath",
    }
    return {odd.get(word, f"{word}s" if not word.endswith("y") else f"{word[:-1]}ies")}


def _side(function: Function, size: float) -> str:
    north, south = ("north", "south") if function == "latitude" else ("east", "west")
    return north if size >= 0 else south


def _hours(text: str) -> int | None:
    """A stretch of time in hours: `six months`, `a week`."""
    found = re.search(r"\b(\w+) (hour|day|week|month|year)s?\b", text)
    if found is None:
        return None
    word = found[1]
    count = int(word) if word.isdigit() else NUMBER_WORDS.get(word, 1 if word in _ONE else 0)
    unit = {"hour": 1, "day": 24, "week": 168, "month": 730, "year": 8766}[found[2]]
    return count * unit or None


def _food_names(value: str) -> list[str]:
    """What a food is of: `onion rings` of onion, without words for how it is served."""
    return [w for w in words_of(value) if w not in _SERVED and not w.isdigit()]


_FAMILIES = (
    families.aged, families.impaired, families.employed, families.awarded, families.related,
    families.seasonal, families.called, homeland.belongs, homeland.in_capital,
    homeland.speaks, homeland.in_office_of, homeland.took_part, homeland.sided, homeland.typed,
)  # fmt: skip
_POSSESSED = re.compile(
    r"(?:'s|')\s+(?:(?:former|late|older|younger|elder|eldest|youngest|first|second|third|last|only|"
    r"own|little|big|twin|current|biological|paternal|maternal)\s+)?([\w-]+(?: \w+){0,2})",
    re.IGNORECASE,
)
_HUMAN = ("human", "person", "people", "twins", "duo", "siblings")
_CHILDHOOD = 3653  # days
_WEAK = 2.4  # score of a time that fits, where more than time is asked
_BROAD = 0.6  # what a broad topic scores less
_BEARS = 0.3  # score of a rule that a fact at hand speaks to
_CLAUSES = {  # "the city where X was born": the place, not X
    r"(?:[Tt]he )?(?:city|town|place|country|village|state|region) (?:where|in which|that) "
    r"X (?:was|is|were) (?:born|from)(?: in)?": "birthplace",
    r"(?:[Tt]he )?(?:country|nation) (?:where|that|of which) X (?:is|was|comes?) "
    r"(?:from|a citizen of)": "country",
    r"(?:[Tt]he )?(?:man|woman|person) (?:that |who(?:m)? )?X (?:is|was) married to": "wife",
    r"(?:[Tt]he )?(?:team|club) (?:that |which )?X (?:plays|played) for": "team",
}
_ENOUGH = said("enough")
_ONE = frozenset("a an one".split())
_ORDINALS = {
    word: n
    for n, word in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth".split(), 1
    )
} | {"last": 10, "final": 10}
_NO_FOOD = frozenset(
    stems("allergy hypersensitivity intolerance tolerance low broken severe leg arm")
)
_SERVED = frozenset(
    "bar brand seed fresh raw sauce ring juice smoothie pie salsa gravy soup cake pudding jam "
    "jelly salad oil powder cream dip stew roll bread chip cookie candy drink tea shake "
    "ice milk butter hot cold sweet green red white black brown big small the a of "
    "and with on cob jif paste spread sorben sorbet snack dish mix fried baked flavored "
    "flavoured instant".split()
)
_DISLIKES = re.compile(r"\b(?:dislike\w*|hates?|avoids?|not like|n't like|never eats?)\b")
_WORDS_OF = {">": "more", "<": "less", "≥": "at least as much", "=": "as much"}
_COMPARES = re.compile(
    r"\b(more|fewer|less|bigger|larger|smaller|greater)\b.*\bthan\b|"
    r"\b(?:outshine|outnumber|surpass|exceed|outdo|beat|top)(?:s|ed|es)?\b"
)
_COUNTABLE = {
    "family": "family",
    "child": "child|kid|son|daughter|offspring",
    "spouse": "wife|husband|spouse|marriage|married|polygamy|polygamist|bigamy|remarry",
    "sibling": "sibling|brother|sister",
    "team": "club|team|sports team",
    "award": "award|prize|trophy",
    "pseudonym": "pseudonym|pen name|alias|stage name|nickname",
    "language": "language",
    "job": "occupation|profession|job|career|polymath",
    "product": "product",
    "candidate": "candidate|contender",
    "education": "university|school|college",
    "instrument": "instrument",
    "office": "position|office",
}
_SHARED = re.compile(
    r"\b(?:shar\w+ (?:an?|the|their|one|some)?\s*(?:common )?|one and the same |the identical |"
    r"identical |a common |had? in common (?:an?|the|their) )(?!same)"
)
_GROUP_WORDS = {
    "work": "profession", "job": "profession", "faith": "religion or way of life",
    "diet": "religion or diet", "kind": "kind", "gender": "gender", "health": "medical condition",
    "home": "country", "place": "country", "voted": "country", "citizenship": "citizenship",
    "office": "office", "ideology": "party or ideology", "hair": "hair colour",
    "burial": "place of burial", "religion": "religion", "death cause": "cause of death",
    "birthplace": "place of birth", "pet": "pet", "team": "team", "party": "party",
    "origin": "country", "mother tongue": "native language", "sport": "sport", "award": "award",
}  # fmt: skip
_PLACES = frozenset({"home", "place", "birthplace", "citizenship", "country", "voted", "residence"})
_OF_PEOPLE = frozenset(
    {"work", "job", "faith", "diet", "gender", "health", "hair", "death cause",
     "religion", "birthplace", "office", "party", "team"}
)  # fmt: skip
_OFFICE = said("office")
_LATER = said("later")
_LIVED = re.compile(
    r"\b(?:could|can|might|may)\b.*\bhave (?:ever |personally )?(?:met|known|seen|heard|read|used|"
    r"watched|attended|flown|listened|visited|corresponded|spoken|talked|driven|taught|"
    r"interviewed|photographed|danced|shaken|travelled|traveled|sent|written to|tuned|bought|owned|"
    r"operated|ridden|streamed|posted|typed|phoned|tweeted|been (?:a guest|vaccinated))\b|"
    r"\bcontemporar\w+|\b(?:live|lived|alive)\b.*\b(?:same time|during|when|while)\b|"
    r"\b(?:lifetimes?|lives) overlap"
)
_MINDED = said("minded")  # what somebody has in mind, not whom they meet
_OF_MIND = said("of mind")
_SAW_END = re.compile(
    r"\b(?:see|saw|witness\w*|until|till|through|survive[ds]?|outlive[ds]?|at|after) (?:all of )?"
    r"(?:the )?(?:end|conclusion|outcome|close) of\b"
)
_GONE = re.compile(
    r"\b(?:dead|gone|buried|in (?:his|her|their) grave|(?:already|have|had) died)\b.*"
    r"\b(?:by|before|when|at the time|during)\b"
)
_DENIED = re.compile(
    r"\b(?:could|did|was|were|would|can|had|has|is|does|do|may|might) ?"
    r"(?:not|n't|never)\b|\bcannot\b|\bnever\b|\bimpossible\b|\bunable to\b|\bunlikely\b"
)
_MADE = (  # what has a beginning, known or not
    "author P50|director P57|performer P175|composer P86|creator P170|publisher P123|"
    "cast member P161|discoverer or inventor P61|founded by P112"
)
_WOULD_LIKE = re.compile(  # counterfactual: of likes and opinions
    r"\bprefers?\b|\bwould\b.*\b(?:enjoy\w*|lik(?:e|ed)|lov(?:e|ed)|appreciat\w+|prefer\w*|hat(?:e|ed)|"
    r"approv\w+|agree\w*|admir\w+|support\w*|be (?:happy|pleased|proud|fond|fan)\w*)\b"
)
_ALIKE = said("alike")  # what two share at whatever time
_LIKES = re.compile(  # what people like or can do has more reasons than their work
    r"\b(?:enjoy\w*|likes?|liked|loves?|loved|fond|hobb(?:y|ies)|good at|bad at|afraid|favou?rite|"
    r"prefers?|preferred)\b"
)
_LOVED = re.compile(r"\b(?:loves?|loved|likes?|liked) (?:him|her|them|it)\b")  # by others
_AT_ONCE = re.compile(r"\b(?:met|meet|during|while|when|at the same time|together)\b")
_HEARD = said("heard")  # of somebody who may be long dead
_TAKES_PART = said("takes part")
