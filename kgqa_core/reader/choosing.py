"""Which entity a name of a question means: by name, by what is said of it, by its relations."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz

from kgqa_core.ask.skills import Candidate, EntityChoice, WhichEntity
from kgqa_core.facts import relations
from kgqa_core.facts.terms import Entity, Value
from kgqa_core.reader import plan as p
from kgqa_core.reader.grammar import is_office_of
from kgqa_core.reader.hops import PLAYING
from kgqa_core.reader.lexicon import Lexicon
from kgqa_core.reader.plan import Plan, Reading, parts
from kgqa_core.reader.resolve import Resolver
from kgqa_core.reader.rewording import core
from kgqa_core.text import fold, is_last_name, singular, stem

_SPELT = 85  # of 100: a surname in another spelling
_WRITING = frozenset(stem(w) for w in "write author publish writer".split())
_BOOKS = frozenset({"novel", "play", "literary work", "book", "written work", "novella", "poem"})
_FIT = 0.6  # of an entity's score: that its relations could answer
_MEASURED = 0.9  # how well one fits that has what is compared
_YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d\b")
_WHO = re.compile(r"who\b", re.IGNORECASE)
_BEINGS = frozenset({"human", "fictional human", "person", "deity", "group of humans"})


@dataclass
class _Said:
    """What the readings of a question say of one of its names."""

    hops: list[tuple[float, p.Hop]]  # along phrases; what their reading costs more
    scales: set[str]  # relations it is compared by
    nouns: set[str]  # what the question calls it
    plays: bool = False  # somebody plays it
    who: bool = False  # it is asked who it is
    titled: bool = False  # with an article before a single word, as of an office


def _said_of(mention: str, question: str, readings: Sequence[Reading], lex: Lexicon) -> _Said:
    def named(plan: Plan | None) -> bool:
        return isinstance(plan, p.Anchor) and fold(plan.text) == fold(mention)

    titled = " " not in mention and f" the {fold(mention)}" in fold(question)
    said = _Said([], set(), set(), titled=titled and is_office_of(mention))
    base = min((r.cost for r in readings), default=0.0)
    for n, r in enumerate(readings[:6]):
        for part in parts(r.plan):
            hops: list[p.Hop] = []
            match part:
                case p.Anchor() if part.noun and named(part):
                    said.nouns.add(part.noun)
                case p.IsA() if n == 0 and named(part.source):  # is turkey a bird
                    said.nouns.add(part.noun)
                case p.Hop():
                    own = any(map(named, _listed(part.source)))
                    if stem(part.phrase) in PLAYING:
                        said.plays |= named(part.beside) or (own and part.form == "patient")
                    hops = [part] if own else []
                case p.Office() if named(part.source):
                    hops = [p.Hop(part.source, "position", "role")]
                case p.Against() if named(part.source):
                    hops = [p.Hop(part.source, singular(part.by), "role")]
                case p.Where() if named(part.other):
                    hops = [p.Hop(part.other, part.phrase, part.form)]
                    if isinstance(part.source, p.Kind):
                        hops.append(p.Hop(part.other, part.source.noun, "role"))
                case p.Nth() | p.Compare() | p.Measure() if n < 3:
                    if any(map(named, p.anchors(part))):
                        said.scales.update(_scale(part.by, lex))
            said.hops.extend((r.cost - base, hop) for hop in hops)
    described = any(hop.phrase == "description" for _, hop in said.hops)
    said.who = described and _WHO.match(core(question)) is not None
    return said


def _scale(by: str, lex: Lexicon) -> tuple[str, ...]:
    """Relations that a comparison by these words would look up."""
    rest = by.partition(" ")[2]
    measured = lex.scale(by) if not rest or rest.startswith(("to ", "from ")) else ()
    return (*lex.dated_by(rest), *measured)


def chosen(given: WhichEntity, readings: Sequence[Reading], resolver: Resolver) -> EntityChoice:
    """The candidate that fits best; none where nothing bears such a name."""
    said = _said_of(given.mention, given.question, readings, resolver.lex)
    years = _YEAR.findall(given.question)
    scored = []
    for n, one in enumerate(given.candidates):
        fits = _score(given.mention, one, said, resolver) + _of_year(one, years)
        scored.append((fits - 0.02 * n, one.hit.score, -n))
    if not scored:
        return EntityChoice(index=-1, why="nothing bears this name")
    best = max(scored)
    if best[0] < 0:
        return EntityChoice(index=-1, why=f"nothing is called “{given.mention}”")
    entity = given.candidates[-best[2]].hit.entity
    why = "its name and relations fit the question best"
    if len(scored) == 1:
        why = "the only entity with such a name"
    elif entity.description:
        why = f"{entity.description}: this fits the question best"
    return EntityChoice(index=-best[2], why=why)


def _of_year(candidate: Candidate, years: Sequence[str]) -> float:
    """What speaks for a thing that is from a year of the question: the film of 1997."""
    dated = (e for u in candidate.relations if u.direction == "out" for e in u.examples)
    return 0.3 * any(y in t for y in years for t in (candidate.hit.entity.description, *dated))


def _score(mention: str, candidate: Candidate, said: _Said, resolver: Resolver) -> float:
    entity, uses = candidate.hit.entity, candidate.relations
    score = candidate.hit.score
    if _plain(entity.label) == _plain(mention):
        score += 0.05
    fit = 0.0
    own = [(fold(u.relation.name), u) for u in uses if u.direction == "out"]
    made_of = {singular(fold(e)) for name, u in own if name == "has part(s)" for e in u.examples}
    for cost, hop in said.hops:
        if hop.form == "role" and singular(fold(hop.phrase)) in made_of:
            fit = max(fit, 1.0 - 0.3 * cost)
        found = resolver.candidates(hop.phrase, hop.form, uses, want=hop.want, prep=hop.prep)
        if found:
            fit = max(fit, found[0].score - 0.3 * cost)
    if said.scales & {fold(u.relation.name) for u in uses}:
        fit = max(fit, _MEASURED)
    score += _FIT * fit
    about = fold(f"{entity.description} {entity.label}")
    kinds = {
        fold(e)
        for name, u in own
        if name == "occupation" or relations.belongs(u.relation, "class")
        for e in u.examples
    }
    for noun in said.nouns:
        known = resolver.lex.class_of(noun)
        labels = {fold(x) for x in (noun, *(known.labels if known else ()))}
        if labels & kinds or fold(noun) in about:
            score += 0.4
    written = any(stem(hop.phrase) in _WRITING for _, hop in said.hops)
    there = any(hop.phrase in {"in", "locate"} and hop.form == "agent" for _, hop in said.hops)
    landed = any(name == "country" for name, _ in own)
    being = any(k in _BEINGS or k.endswith(("character", "deity")) for k in kinds)
    invented = any("character" in k or "fictional" in k for k in kinds)
    weighed = (
        (written and bool(kinds & _BOOKS), 0.2),  # the book, not the film that was made of it
        (said.who and being, 0.5),  # who is X: somebody, rather than the film about them
        (said.titled and "human" in kinds, -1.0),  # the pope, nobody whose last name that is
        (there and landed, 0.3),  # is X in Y: the town, not the film
        (said.plays and invented, 0.8),  # who played X: a role, not the cast of a film called so
        (not likely(mention, entity), -10),
        (not uses, -0.5),  # nothing is known of it
    )
    score += min(0.08, sum(u.count for u in uses) / 2000)
    return score + sum(weight for so, weight in weighed if so)


def _listed(plan: Plan) -> list[p.Anchor]:
    """The names a phrase is said of, alone or as a list: the births of A and B."""
    if isinstance(plan, p.Join):
        return [*_listed(plan.left), *_listed(plan.right)]
    return [plan] if isinstance(plan, p.Anchor) else []


def likely(mention: str, entity: Entity) -> bool:
    """Whether a name may stand for the entity: the same, mistyped, or a part that is enough.

    Part of a longer name ("Einstein") counts for capitalised mentions or people only.
    """
    asked, named = _plain(mention), not entity.label[:1].islower()
    for name in (entity.label, *entity.aliases):
        known = _plain(name)
        if asked == known or singular(asked) == singular(known):
            return True
        if name != entity.label:
            continue
        if len(asked) >= 5 and fuzz.ratio(asked, known) >= 84 and not _other_word(asked, known):
            return True
        words_, whole = asked.split(), known.split()
        surname = is_last_name(asked, known) and len(whole) <= 3
        if len(words_) == 1 and 1 < len(whole) <= 3 and min(len(asked), len(whole[-1])) >= 6:
            surname = surname or fuzz.ratio(asked, whole[-1]) >= _SPELT  # Trotzky
            if surname and named:
                return True
        if set(words_) < set(whole) and named and (len(words_) > 1 or surname):
            return True
    return False


def bearing(value: Value) -> tuple[str, ...]:
    """The names of an entity; none of a literal."""
    return (value.label, *value.aliases) if isinstance(value, Entity) else ()


def _plain(name: str) -> str:
    """A name without article, the dots of initials and what sets its parts off."""
    bare = re.sub(r"[:,–—]\s|\s[–—]", " ", fold(name)).removeprefix("the ")
    return " ".join(bare.replace(". ", " ").rstrip(".").split())


def _other_word(asked: str, known: str) -> bool:
    """Short words that differ are other words, not typing errors."""
    a, b = asked.split(), known.split()
    if len(a) != len(b):
        return False
    limits = (75 if min(len(x), len(y)) > 4 else 85 for x, y in zip(a, b, strict=True))
    return any(fuzz.ratio(x, y) < least for x, y, least in zip(a, b, limits, strict=True))
