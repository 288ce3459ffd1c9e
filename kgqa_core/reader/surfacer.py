"""A question read for commonsense: whom it is about, and the rules of `assets/axioms` it meets.

Every rule looks for its words in the question and fills its open slots from it. What comes out
is a general rule about the entities of the question, with premises over graph terms; whether
they hold is not asked here. Rules whose relations the facts at hand contain come first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from kgqa_core.facts import relations, verbalise
from kgqa_core.facts.common import EVERYDAY, SOURCE, common
from kgqa_core.facts.decide import evaluate
from kgqa_core.facts.lifetimes import interval_of
from kgqa_core.facts.premises import (
    Facts,
    Function,
    Hop,
    Premise,
    Term,
    contains,
    folded,
    named_relations,
    names_of,
)
from kgqa_core.facts.terms import Entity
from kgqa_core.methods.r3.skills import StatedAxiom, ToSurface
from kgqa_core.places import rows
from kgqa_core.reader.commonsense import Commonsense, Country, Topic, Want, said
from kgqa_core.reader.families import within
from kgqa_core.reader.grammar import AUX, CONTENTLESS, FILLER
from kgqa_core.reader.lexicon import READER, lexicon
from kgqa_core.text import stems

_USUAL = tuple(relations.row(name).spelled for name in ("instance of", "occupation"))
_PERSON = relations.either("person")
_MADE = relations.either("maker")  # what has a beginning, known or not
_LEAD_TO_PEOPLE = f"{relations.either('kinship')}|{relations.row('position held').spelled}"


class Surfacer:
    """One question, as the families of rules (`interpret.py`) read it."""

    def __init__(self, given: ToSurface, rules: Commonsense) -> None:
        self.given, self.rules = given, rules
        self.question = given.question.replace("’", "'")
        self.plain = folded(self.question)
        self.stems = stems(self.question)
        self.words = set(re.findall(r"[\w'-]+", folded(self.question)))
        self.facts = Facts(given.facts)
        anchors = [e for name in given.anchors if (e := self.facts.called(name)) is not None]
        self.facts.add([], anchors)
        self.anchors = anchors
        self.negative = negative(said("harmless").sub(" ", folded(self.question)))
        subjects = [self._subject(entity) for entity in anchors]
        whole = [s for s in subjects if not any(_is_part(s, other) for other in subjects)]
        self.subjects = sorted(whole, key=lambda s: (s.common, s.place))

    # -- whom it is about ----------------------------------------------------------------

    def _subject(self, entity: Entity) -> Subject:
        names = (entity.name, *entity.aliases, common().several(entity.name))
        land = self.rules.countries.get(folded(entity.name))
        people = [many for n in (land.people if land else ()) for many in (f"{n}s", n)]
        called = (n for n in (*names, *people) if n and _at(self.question, n) is not None)
        mention = next(called, entity.name)
        at = _at(self.question, mention)
        if at is None:
            return Subject(entity, entity.name, (), self.question, 10_000)
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
        asked = " ".join(f"{self.question[:start]} … {self.question[end:]}".split())
        typed = self.question[1:] == self.question[1:].lower()  # in small letters throughout
        small = start > 0 and (entity.name if typed else self.question[at[0] :])[:1].islower()
        return Subject(entity, words, tuple(path), asked, start, small)

    def _path(self, noun: str) -> tuple[Hop, ...] | None:
        return self.rules.paths.get(stems(noun))

    def _others(self, entity: Entity) -> str:
        """What the graph says the other anchors are, things that is: people say nothing of it."""
        said = []
        for other in self.anchors:
            if other == entity or folded(other.name) in self.rules.countries:
                continue
            if any(s.source == SOURCE for s in self.facts.out_all(other)):
                continue  # what everybody knows of it brings nothing up
            if not self.facts.out(other, _PERSON):
                kinds = self.facts.out(other, self.rules.relations("kind"))
                said += [name for s in kinds for name in names_of(s.object)[:1]]
        return " ; ".join(said)

    def unnamed(self, text: str, *, things: bool = False) -> str:
        """A text without the names of people: Oscar Wilde is about no Oscar.

        `things`: nor those of things, Salt Harbour is about no harbour. Names that a rule itself
        has stay: what the Talmud is to somebody, a rule says.
        """
        for subject in self.subjects:
            person = self.is_person(subject)
            if subject.common or subject.path or not (person or things):
                continue
            if person and subject.entity.id.startswith(EVERYDAY):
                continue  # a Christian is nobody's name
            named = stems(subject.words.removesuffix(" Jr.")) in self.rules.cues
            if named and (not person or said("minded").search(self.plain)):
                continue
            if (person or " " in subject.words) and (at := _at(text, subject.words)) is not None:
                text = f"{text[: at[0]]}…{text[at[1] :]}"
        return text

    def unsaid(self, subjects: Iterable[Subject], used: set[str]) -> set[str]:
        """The content words of the question, but for these subjects and what a rule uses."""
        named = {*_EMPTY, *used}
        for one in subjects:
            named.update(stems(_PARTED.sub(" ", f"{one.words} {one.entity.name}")))
        return {word for word in stems(_PARTED.sub(" ", self.question)) if word not in named}

    def is_person(self, subject: Subject) -> bool:
        if subject.path:
            last = named_relations(subject.path[-1].relation)
            return bool(last & named_relations(_LEAD_TO_PEOPLE))
        kinds = self.facts.out(subject.entity, relations.either("class"))
        if not kinds:  # of a common thing what it is a kind of
            kinds = self.facts.out(subject.entity, relations.either("subclass"))
        if kinds:
            names = [verbalise.value(s.object) for s in kinds]  # of a language, “human” is an alias
            return any(contains(name, kind) for name in names for kind in _HUMAN)
        return bool(self.facts.out(subject.entity, _PERSON))

    def may_say(self, subject: Subject, relations: str) -> bool:
        """Whether the facts at hand may say it: of an entity further on that is not known yet."""
        return bool(subject.path) or bool(self.facts.out(subject.entity, relations))

    def is_common(self, subject: Subject) -> bool:
        """Whether it is a thing of which everybody knows what is usual."""
        return any(s.source == SOURCE for s in self.facts.out_all(subject.entity))

    def usual(self, subject: Subject, relation: str) -> Hop | None:
        """The step to what X is, of which everybody knows it: a human, a carpenter."""
        for step in _USUAL if not subject.path else ():
            kinds = (s.object for s in self.facts.out(subject.entity, step))
            said = (s for k in kinds if isinstance(k, Entity) for s in self.facts.out(k, relation))
            if any(s.source == SOURCE for s in said):
                return Hop(relation=step)
        return None

    # -- times ---------------------------------------------------------------------------

    def datable(self, subject: Subject) -> bool:
        """Whether the facts date it, or it is something that takes place in time at all."""
        kinds = self.facts.out(subject.entity, relations.either("class"))
        if any(contains(name, "fictional") for s in kinds for name in names_of(s.object)[:1]):
            return False  # who was made up has the dates of a book
        if subject.common and stems(subject.words) in self.rules.eras:
            return False  # when there were films, a table tells
        if folded(subject.entity.name) in self.rules.countries and not said("of states").search(
            self.plain
        ):
            return False  # there was a Germany to travel in before there was this state
        rest = self.question[subject.place + len(subject.words) :]
        if rest.startswith("'s ") or (subject.words.endswith("s") and rest.startswith("' ")):
            return False  # what somebody made or left outlives them
        if interval_of(subject.entity, self.facts).known:
            return True
        made = self.is_person(subject) or bool(self.facts.out(subject.entity, _MADE))
        return made and said("in those days").search(self.plain) is not None

    def when(self, subject: Subject) -> Term | None:
        """When somebody lived, or was in office where the question is about that."""
        if subject.path or not self.datable(subject):
            return None
        return subject.term(function="lifetime")

    # -- places --------------------------------------------------------------------------

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

    def lands(self, column: str, *cells: str) -> tuple[str, ...]:
        """The names of all countries that have one of these in a column of the table."""
        found = [c for c in self.rules.lands if not set(c.cells(column)).isdisjoint(cells)]
        return tuple(name for c in found for name in self.rules.called(c))

    def already(self, subject: Subject, group: str) -> Term | None:
        """What stands for its own value of a group: where a path has led, a country of itself.

        The way to a continent or to a homeland differs with what is known of the subject.
        """
        ends = {self.rules.relations(g) for g in ((group, "job") if group == "work" else (group,))}
        if subject.path and subject.path[-1].relation in ends:
            return subject.term()
        itself = not subject.path and folded(subject.entity.name) in self.rules.countries
        four = ("birthplace", "country", "residence", "capital")
        placed = bool(subject.path) and subject.path[-1].relation in map(self.rules.relations, four)
        if group in {*_PLACES, "homeland"} and (placed or itself):
            return subject.term()
        if group == "continent":
            own = self.facts.out(subject.entity, self.rules.relations("continent"))
            return self._along(subject, *(() if own else ("country",)), "continent")
        return self._homeland(subject) if group == "homeland" else None

    def _homeland(self, subject: Subject) -> Term | None:
        """The country of a place; the citizenship of somebody, the birthplace if that is asked."""
        if subject.path:
            return self._along(subject, "home")
        groups: tuple[str, ...] = ("country", "location")
        if self.is_person(subject):
            born = said("born").search(folded(self.unnamed(subject.asked)))
            groups = ("birthplace",) if born else ("origin", "birthplace")
        for group in groups:
            found = self.facts.out(subject.entity, self.rules.relations(group))
            if any(self._is_land(name) for s in found for name in names_of(s.object)):
                return self._along(subject, group)
        return None

    def _is_land(self, name: str) -> bool:
        lands = self.rules.countries
        return folded(name) in lands or any(
            contains(name, capital) for c in lands.values() for capital in c.capitals
        )

    def _along(self, subject: Subject, *groups: str) -> Term:
        return subject.term(*(Hop(relation=self.rules.relations(group)) for group in groups))

    def described(self, subject: Subject, term: Term, values: Sequence[str]) -> Term:
        """With the description, where that tells of one of these: it is silent on others."""
        if not term.path or not self._says(subject, (True, "described", tuple(values))):
            return term
        both = f"{term.path[-1].relation}|{self.rules.relations('described')}"
        return term.model_copy(update={"path": (*term.path[:-1], Hop(relation=both))})

    def _wanted(self, subject: Subject, want: Want) -> Term:
        """A subject's values of a group; a description tells of a profession, if it does."""
        _, group, values = want
        term = self.already(subject, group)
        if term is None:
            term = self._along(subject, group)
            return self.described(subject, term, values) if group == "work" else term
        return term

    # -- topics --------------------------------------------------------------------------

    def topics(self) -> Iterator[Candidate]:
        for order, subject in enumerate(self.subjects[:3]):
            asked = self.unnamed(re.sub(r"\bsame [\w-]+", "same", subject.asked), things=True)
            own = stems(asked.replace("'", " '"))
            whole = stems(f"{asked} {self._others(subject.entity)}")
            for topic in self.rules.topics:
                if any(within(own, phrase) for phrase in topic.unless):
                    continue
                cues = [p for p in topic.about if within(own, p)]
                more = [p for p in topic.about if p not in cues and within(whole, p)]
                if not (cues or more) or _leaves_unsaid(self, subject, cues or more):
                    continue
                score = 6.0 - 0.6 * order + 0.1 * min(3, len(cues))
                score += 0.35 * max(map(len, cues or more)) - (0.5 if not cues else 0)
                score -= _BROAD * topic.broad
                axiom = self._topic_axiom(topic, subject)
                if axiom is None:
                    continue
                bears = self._bears(axiom)
                if not cues and not bears:
                    continue  # that somebody has to do with a novel makes them no writer
                if subject.common and not bears:
                    continue  # that a month is no film is not what was asked
                if order and not bears and self._is_place(subject):
                    continue
                if bears and self._is_object(subject):
                    continue  # that a book can be read says nothing of who has read it
                of_people = any(group in _OF_PEOPLE for _, group, _ in topic.wants)
                if order and not bears and of_people and self.is_person(self.subjects[0]):
                    continue  # that a place does no sport says nothing of who was there
                if bears or not said("likes").search(said("loved").sub(" ", folded(self.question))):
                    yield Candidate(score + bears, axiom)

    def _is_object(self, subject: Subject) -> bool:
        """Whether it is a thing of which the question asks what somebody else did with it."""
        first = self.subjects[0]
        return first != subject and self.is_person(first) and not self.is_person(subject)

    def _is_place(self, subject: Subject) -> bool:
        """Whether it is a place or a language, which a question names in passing."""
        kinds = self.facts.out(subject.entity, relations.either("class"))
        return bool(self.facts.out(subject.entity, relations.either("place"))) or any(
            contains(verbalise.value(s.object), "language") for s in kinds
        )

    def _bears(self, axiom: StatedAxiom) -> float:
        """A rule that a fact speaks to goes before one whose words merely occur."""
        states = [evaluate(p, self.facts).state for p in axiom.premises]
        positive = all(p.operator == "=" for p in axiom.premises)
        wanted = "satisfied" if positive else "violated"
        return _BEARS if wanted in states else 0.0

    def _topic_axiom(self, topic: Topic, subject: Subject) -> StatedAxiom | None:
        wants = [want for want in topic.wants if self._applies(want[1], want[2], subject)]
        wants = [want for want in wants if want not in topic.hints or self._says(subject, want)]
        if not wants:
            return None
        premises = []
        for positive, group, values in wants:
            few = " or ".join(values[:3]) + " or the like" * (len(values) > 3)
            premises.append(
                Premise(
                    text=f"The {GROUP_WORDS.get(group, group)} of {subject.words} is "
                    f"{'' if positive else 'not '}{few}",
                    left=self._wanted(subject, (positive, group, values)),
                    operator="=" if positive else "≠",
                    right=Term(constants=values),
                )
            )
        rule = topic.rule.replace("{X}", subject.words)
        any_of = len(wants) > 1 and all(positive for positive, _, _ in wants)
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

    def _applies(self, group: str, values: Sequence[str], subject: Subject) -> bool:
        """Whether the group says anything of such a subject, as far as the facts go."""
        if subject.path and subject.path[-1].relation == self.rules.relations(group):
            return True
        person = self.is_person(subject)
        itself = folded(subject.entity.name) in self.rules.countries
        if (group == "ingredient" and person) or (group in _OF_PEOPLE and not person):
            return False
        other = person and {"human", "musician"}.isdisjoint(values)
        if group == "kind" and (other or (itself and not subject.path)):
            return self._says(subject, (True, group, tuple(values)))
        if subject.path:
            return True
        own = self.facts.out(subject.entity, self.rules.relations(group))
        if group == "work" and not own:
            return self._says(subject, (True, "described", tuple(values)))
        return bool(own) or (itself and group in _PLACES)

    # -- what is left --------------------------------------------------------------------

    def linked(self) -> Iterator[Candidate]:
        """A fact between two subjects of the question that says all of what is asked."""
        named = [s for s in self.subjects if not self.is_common(s)]  # to be human is no link
        for a, b in combinations(sorted(named, key=lambda s: s.place), 2):
            for s in self.facts.about(a.entity):
                known = lexicon().says(s.relation.name) | set(stems(s.relation.name))
                if b.entity in (s.subject, s.object) and not self.unsaid([a, b], known):
                    hop = Hop(relation=s.relation.name, inverse=s.subject == b.entity)
                    premise = Premise(
                        text=f"{a.words} and {b.words} are linked by {s.relation.name}",
                        left=Term(entity=a.entity.name, path=(hop,)),
                        right=Term(entity=b.entity.name),
                    )
                    rule = f"The graph must link {a.words} and {b.words}."
                    axiom = StatedAxiom(rule=rule, premises=[premise], strict=False)
                    yield Candidate(_LINKED, axiom)

    def counts_anew(self, subject: Subject, group: str) -> bool:
        """Whether what is counted is said beside whom it is of: the wives of somebody's husband."""
        asked = set(re.findall(r"[\w'-]+", folded(subject.asked)))
        return any(group == own and not asked.isdisjoint(nouns)
                   for nouns, own in self.rules.countables)  # fmt: skip

    def base(self, subject: Subject, relations: str) -> Subject:
        """The subject before a last step along these relations: whose they are, not they."""
        if subject.path and subject.path[-1].relation == relations:
            return replace(subject, words=subject.entity.name, path=subject.path[:-1], common=False)
        return subject


def _is_part(one: Subject, other: Subject) -> bool:
    """Whether the words of one are a part of what names the other: Queen Ann, a peanut allergy."""
    if one.place + len(one.words) + 1 == other.place:
        return one.entity.name[:1].isupper() and not other.common
    return 0 <= one.place - other.place <= len(other.words) - len(one.words) != 0


def negative(text: str) -> bool:
    """Whether a sentence denies; of two clauses joined by “and”, the first that says anything."""
    clauses = [len(said("negative").findall(clause)) for clause in re.split(r"\band\b|;", text)]
    return next((n for n in clauses if n), 0) % 2 == 1


def denials(text: str) -> set[str]:
    """The stems of the words by which a sentence denies."""
    return {word for found in said("negative").finditer(text) for word in stems(found[0])}


def _leaves_unsaid(read: Surfacer, subject: Subject, cues: Iterable[Sequence[str]]) -> bool:
    """Whether the question has a content word that no cue or fact uses, of a named thing some."""
    if subject.path or read.is_person(subject):
        return False  # what people do goes by many words
    noun = subject.common or subject.entity.name[:1].islower()  # a plural stands nowhere as it is
    own = read.facts.out_all(subject.entity)
    told = " ".join(f"{s.relation.name} {verbalise.value(s.object)}" for s in own)
    used = {*stems(told), *(word for cue in cues for word in cue)}
    return len(read.unsaid(read.subjects, used)) > (0 if noun else 2 * BESIDES)


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


_POSSESSED = re.compile(
    r"(?:'s|')\s+(?:(?:former|late|older|younger|elder|eldest|youngest|first|second|third|last|only|"
    r"own|little|big|twin|current|biological|paternal|maternal)\s+)?([\w-]+(?: \w+){0,2})",
    re.IGNORECASE,
)
_PARTED = re.compile(r"'s\b|'(?!\w)")  # what says whose something is
_EMPTY = frozenset(stems(" ".join((CONTENTLESS | FILLER | AUX) - {"born", "alive", "living"})))
_HUMAN = ("human", "person", "people", "twins", "duo", "siblings")
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
GROUP_WORDS = {cells[0]: cells[1] for cells in rows(READER / "groups.tsv")}
_PLACES = frozenset({"home", "place", "birthplace", "citizenship", "country", "voted", "residence"})
_OF_PEOPLE = frozenset(
    {"work", "job", "faith", "diet", "gender", "health", "hair", "death cause",
     "religion", "birthplace", "office", "party", "team"}
)  # fmt: skip
_LINKED = 4.0  # score of a fact that merely links two names
BESIDES = 2  # words that a question may say besides what a rule of named things uses


@dataclass(frozen=True)
class Subject:
    """Whom a question is about: an anchor and the relations its words lead along.

    `words`: how the question says it; `asked`: the rest of the question.
    """

    entity: Entity
    words: str
    path: tuple[Hop, ...]
    asked: str
    place: int  # of the mention in the question
    common: bool = False  # named by a common noun: `people`, `a writer`

    def term(self, *more: Hop, function: Function = "values") -> Term:
        return Term(entity=self.entity.name, path=(*self.path, *more), function=function)


@dataclass(order=True)
class Candidate:
    score: float
    axiom: StatedAxiom = field(compare=False)
