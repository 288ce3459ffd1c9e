"""What the built-in reader does for PG&AKV: it drafts which facts are needed, not what they say.

Its pseudo-graph has the shape of the question: the things it names, the relations its words
mean, and open ends where a language model would put what it believes. So there is nothing to
refute, but everything to fill in: verification fills it with the gold triples that fit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from pydantic import BaseModel

from kgqa_core.ask.skills import CitedSentence, FactAnswer, FromFacts
from kgqa_core.facts import relations, verbalise
from kgqa_core.facts.sentences import ended, stated
from kgqa_core.facts.terms import Relation, Statement, Value, is_open
from kgqa_core.methods.pgakv.claims import agrees, alike
from kgqa_core.methods.pgakv.cypher.mend import quoted
from kgqa_core.methods.pgakv.skills import (
    ANSWER,
    DRAFT,
    DRAFT_TRIPLES,
    VERIFY,
    ClaimVerdict,
    Draft,
    FromFixed,
    ToDraft,
    ToVerify,
    TripleDraft,
    Verified,
)
from kgqa_core.reader import plan as p
from kgqa_core.reader.doubts import beyond
from kgqa_core.reader.grammar import is_office_of
from kgqa_core.reader.pattern import HAS_PART, PART_OF, Pattern
from kgqa_core.reader.reader import Reader
from kgqa_core.reader.resolve import names
from kgqa_core.reader.views import FactsView
from kgqa_core.reader.wording import bare, reading
from kgqa_core.text import fold, listed, singular, stems

NOTE = (
    "The built-in reader has no beliefs of its own to correct: its pseudo-graph says which facts "
    "the question needs and leaves open what they are."
)
_CLOSE = 0.3  # cost above the best reading up to which a reading is drafted too
_DRAFTED = 2  # readings drafted
_NAMED = 3  # things whose names stand in a reading
_OVERVIEW = re.compile(
    r"^(?:please )?(?:(?:can|could) you )?(?:tell (?:me|us) (?:more |something |all )?about"
    r"|describe|introduce|summari[sz]e"
    r"|(?:give|write) (?:me |us )?(?:an? )?(?:short |brief )?"
    r"(?:overview|summary|introduction|portrait|profile|description) (?:of|to|about)"
    r"|what (?:do you|can you|does the graph) (?:know|say|tell me|tell) (?:about|of)"
    r"|what is known (?:about|on|of))\b",
    re.IGNORECASE,
)
_WHO = re.compile(r"^(?P<who>who|what) (?:is|was|are|were) (?:the )?(?P<name>[^?]+?)\s*\??$", re.I)
_FURTHER = re.compile(
    r"(?:, (?:and )?| and )(?=(?:(?:to|of|in|on|for|from|by|with|through) )?"
    r"(?:what|who|whom|when|where|which|how)\b)",
    re.IGNORECASE,
)
_POSSESSIVE = re.compile(r"\b(?:its|their|his|her)\b(?= \w)", re.IGNORECASE)
_IN_NAMES = frozenset("of the and de la le van von der den da di du el al bin ibn y".split())
_PRONOUN = re.compile(r"\b(?:it|they|them|he|him|she|her)\b", re.IGNORECASE)
# What one asks about a thing of which nothing is known but its name and perhaps its kind.
_TOLD: dict[str, relations.Group] = {
    "person": "told of a person", "place": "told of a place", "work": "told of a work",
}  # fmt: skip
_FRAMES = {
    kind: tuple(known.label for known in relations.in_group(group)) for kind, group in _TOLD.items()
}
_ALWAYS = ("instance of", PART_OF, HAS_PART)


def handlers(reader: Reader) -> dict[str, Callable[[Any], BaseModel]]:
    """The skills of PG&AKV, answered by this reader."""
    own = Drafting(reader)
    return {
        DRAFT.name: own.draft,
        DRAFT_TRIPLES.name: own.draft_triples,
        VERIFY.name: own.verify,
        ANSWER.name: own.answer,
    }


@dataclass(frozen=True)
class Overview:
    """Names of which all there is to say is asked for, and what that usually is."""

    names: tuple[str, ...]
    relations: tuple[str, ...]


class Drafting:
    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.lex = reader.lex

    # -- drafting ------------------------------------------------------------------------

    def draft(self, given: ToDraft) -> Draft:
        pattern, plan = self._pattern(given.question)
        return Draft(plan=plan, script=_script(pattern), note=NOTE)

    def draft_triples(self, given: ToDraft) -> TripleDraft:
        pattern, plan = self._pattern(given.question)

        def end(n: int) -> str:
            return re.sub(r"[<>]", " ", pattern.nodes[n][0]) or "?"

        triples = [f"<{end(s)}> <{relation}> <{end(o)}>" for s, relation, o in _claims(pattern)]
        return TripleDraft(plan=plan, triples=triples, note=NOTE)

    def _pattern(self, question: str) -> tuple[Pattern, str]:
        pattern = Pattern(self.lex)
        if reason := beyond(question):
            return pattern, reason
        plans = [self._part(pattern, part) for part in self.parts(question)]
        return pattern, "\n".join(filter(None, plans)) or "The question could not be read."

    def _part(self, pattern: Pattern, question: str) -> str:
        """Adds what one question needs; returns that in words."""
        if found := self._overview(question):
            for name in found.names:
                node = pattern.named(name)
                for relation in found.relations:
                    pattern.tie(node, pattern.open(), (relation, "out"))
            return f"What there usually is to say of {' and '.join(found.names)}."
        drafted = []
        for r in self.reader.readings(question, _CLOSE)[:_DRAFTED]:
            before = len(_claims(pattern))
            pattern.draw(r.plan)
            if len(_claims(pattern)) > before:
                drafted.append(reading(r.plan))
        return "; or: ".join(dict.fromkeys(drafted))

    def parts(self, question: str) -> list[str]:
        """ "Who made it, and when was it made?": each question, pronouns replaced by the name."""
        first, *further = _FURTHER.split(question.strip(" ?"))
        if not first or not further:
            return [question]
        mentions = self.reader.mentions(first)
        overview = self._overview(first)
        name = overview.names[0] if overview else mentions[0] if mentions else ""
        if not name:
            return [question]
        told = [_PRONOUN.sub(name, _POSSESSIVE.sub(f"{name}'s", part)) for part in further]
        return [first, *(part for part in told if name in part)] if told else [question]

    def asks_for_text(self, question: str) -> bool:
        """Whether no single value answers: what is known of something, or several questions."""
        several = " and " in question and len(self.parts(question)) > 1
        return several or self._overview(question) is not None

    def _overview(self, question: str) -> Overview | None:
        """The names, when all there is to say of them is asked for."""
        lead = _OVERVIEW.match(question)
        if lead is None:
            who = _WHO.match(question)
            name = who["name"].strip() if who else ""
            known = name[:1].isupper() and fold(name) in map(fold, self.reader.mentions(question))
            described = any(w.islower() and w not in _IN_NAMES for w in name.split())
            if not known or described or is_office_of(name):
                return None  # more than a name, or who bears it
            assert who is not None  # it has the name
            kinds = ["person"] if who["who"].casefold() == "who" else list(_FRAMES)
            return Overview((name,), _frame(kinds))
        rest = re.sub(r"^(?:the )(?=\w)", "", question[lead.end() :].strip(" ?.!,:"))
        about = re.match(r"(?:life|career)(?: and \w+)? of (?:the )?(?P<name>.+)", rest)
        plain = about["name"] if about else rest
        noun, _, name = plain.partition(" ")
        known = self.lex.class_of(singular(noun)) if noun.islower() else None
        if known is not None:
            name = name.removeprefix("of ")
        elif noun.islower():
            return None  # the director of X: that alone is asked for
        else:
            name = plain
        names_ = tuple(part.removeprefix("the ") for part in re.split(r" and (?=[A-Zt])", name))
        kinds = ["person"] if about else [known.what] if known else list(_FRAMES)
        return Overview(tuple(filter(None, names_))[:3], _frame(kinds)) if name else None

    # -- verifying -----------------------------------------------------------------------

    def verify(self, given: ToVerify) -> Verified:
        """Each claim gets the gold facts that fill it; those the question rests on go first."""
        parts = self.parts(given.question)
        strict = all(self._overview(part) for part in parts)
        asked = [part for part in parts if not self._overview(part)]
        needed = set[Statement]().union(*(self._needed(part, given.gold) for part in asked))
        verdicts, used = [], set[int]()
        for number, claim in enumerate(given.claims):
            fits = [i for i, fact in enumerate(given.gold) if self._fits(claim, fact, strict)]
            cited = [i for i in fits if given.gold[i] in needed] or fits
            said = any(agrees(claim, given.gold[i]) for i in cited)
            verdict = "keep" if said else "replace" if cited else "drop"
            verdicts.append(ClaimVerdict(claim=number, verdict=verdict, facts=cited))
            used.update(cited)
        added = [i for i, fact in enumerate(given.gold) if fact in needed and i not in used]
        return Verified(verdicts=verdicts, added=added)

    def _needed(self, question: str, gold: Sequence[Statement]) -> set[Statement]:
        """The facts under the answer that the gold graph alone would give."""
        view = FactsView(gold)
        outcome = self.reader.solve(question, view)
        if isinstance(outcome, str):
            return set()
        return {s for support in view.sets[outcome.found.name].members.values() for s in support}

    def _fits(self, claim: Statement, fact: Statement, strict: bool) -> bool:
        relation = self._same_relation(claim.relation, fact.relation)
        if not relation or (strict and relation > 1):
            return False
        ends = [(fact.subject, fact.object), (fact.object, fact.subject)][:relation]
        return any(
            _stands_for(claim.subject, near) and _stands_for(claim.object, far)
            for near, far in ends
        )

    def _same_relation(self, claimed: Relation, known: Relation) -> int:
        """0: another one, 1: the same by name, 2: by a word for both, so it may run either way."""
        label = fold(claimed.name)
        if label in names(known):
            return 1
        own, other = set(stems(label)), set(stems(known.name))
        if own and (own <= other or other <= own):
            return 2
        entries = self.lex.entries.get(stems(label), ())
        return 2 * any(fold(known.name) in way for e in entries for way in e.relations)

    # -- answering -----------------------------------------------------------------------

    def answer(self, given: FromFixed) -> FactAnswer:
        """What the reader makes of the facts; all of them, when an overview is asked for."""
        parts = self.parts(given.question)
        overview = self._overview(given.question) if len(parts) == 1 else None
        if len(parts) == 1 and overview is None:
            return self._answer_one(given.question, given.facts)
        told = _told(given.facts)
        asked = [part for part in parts if not self._overview(part)]
        replies = [self._answer_one(part, given.facts) for part in asked]
        values = [value for reply in replies for value in reply.values]
        if len(asked) == len(parts) and all(reply.sentences for reply in replies):
            # each part has its answer: what only led there need not be told
            cited = {i for reply in replies for s in reply.sentences for i in s.facts}
            told = _told(given.facts, cited)
            return told.model_copy(update={"values": list(dict.fromkeys(values))})
        return told.model_copy(update={"certain": not asked})

    def _answer_one(self, question: str, facts: Sequence[Statement]) -> FactAnswer:
        reply = self.reader.answer(FromFacts(question=question, facts=list(facts)))
        best = next(iter(self.reader.readings(question)), None)
        sifts = best is not None and any(
            isinstance(part, p.Of | p.From | p.Kind) for part in p.parts(best.plan)
        )
        # which of them are rivers is for facts to say that the pseudo-graph did not ask for
        return reply.model_copy(update={"certain": reply.certain and not sifts})


def _claims(pattern: Pattern) -> list[tuple[int, str, int]]:
    """The edges as claims: of any of several things for each, and by each way once."""
    found: dict[tuple[int, str, int], None] = {}
    for edge in pattern.edges:
        nears, fars = (pattern.several.get(end, [end]) for end in (edge.near, edge.far))
        for near, far, (relation, direction) in product(nears, fars, edge.ways):
            s, o = (near, far) if direction == "out" else (far, near)
            asked = any(claim[:2] == (s, relation) and not pattern.nodes[claim[2]][0]
                        for claim in found)  # fmt: skip
            if not asked or pattern.nodes[o][0]:
                found[s, relation, o] = None
    return list(found)


def _script(pattern: Pattern) -> str:
    """The claims as Cypher; empty where there are none."""
    claims = _claims(pattern)

    def node(n: int) -> str:
        name, kind = pattern.nodes[n]
        label = f":`{kind.replace('`', ' ')}`" if kind else ""
        return f"(n{n}{label}" + (f" {{name: {quoted(name)}}}" if name else "") + ")"

    named = [n for n, (name, _) in enumerate(pattern.nodes) if name]
    lines, seen = [f"CREATE {node(n)}" for n in named], set(named)
    for source, relation, target in claims:
        ends = [f"(n{n})" if n in seen else node(n) for n in (source, target)]
        seen |= {source, target}
        lines.append(f"CREATE {ends[0]}-[:`{relation.replace('`', ' ')}`]->{ends[1]}")
    return "\n".join(lines) if claims else ""


def _frame(kinds: Sequence[str]) -> tuple[str, ...]:
    known = [kind for kind in kinds if kind in _FRAMES] or list(_FRAMES)
    return (*_ALWAYS[:1], *(r for kind in known for r in _FRAMES[kind]), *_ALWAYS[1:])


def _stands_for(claimed: Value, known: Value) -> bool:
    """Whether a gold value may stand where the claim has this: any, where it is open."""
    return is_open(claimed) or alike(claimed, known)


def _told(facts: Sequence[Statement], only: Collection[int] | None = None) -> FactAnswer:
    """A sentence for each subject and relation, with all values and their facts."""
    groups: dict[tuple[str, str], dict[int, Value]] = {}
    about: dict[str, None] = {}
    for i, fact in enumerate(facts):
        if only is None or i in only:
            groups.setdefault((fact.subject.name, fact.relation.name), {})[i] = fact.object
            about.setdefault(fact.subject.name)
    sentences = []
    for (name, relation), values in groups.items():
        said = list(dict.fromkeys(map(verbalise.value, values.values())))
        sentences.append(CitedSentence(text=ended(stated(name, relation, said)), facts=[*values]))
    told = [bare(value) for values in groups.values() for value in values.values()]
    return FactAnswer(
        sentences=sentences,
        values=list(dict.fromkeys(told)),
        reading=f"what the graph says about {listed(about, _NAMED)}",
    )
