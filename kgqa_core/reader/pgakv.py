"""What the built-in reader does for PG&AKV: it drafts which facts are needed, not what they say.

Its pseudo-graph has the shape of the question: the things it names, the relations its words
mean, and open ends where a language model would put what it believes. So there is nothing to
refute, but everything to fill in: verification fills it with the gold triples that fit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from kgqa_core.ask.skills import CitedSentence, FactAnswer, FromFacts
from kgqa_core.facts import relations, timeline, verbalise
from kgqa_core.facts.sentences import ended, stated
from kgqa_core.facts.terms import Direction, Entity, Relation, Statement, Value, is_open
from kgqa_core.methods.pgakv.claims import agrees
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
from kgqa_core.reader.plan import Plan
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
_WAYS = 3  # relations drafted for one phrase
_ALL_WAYS = 20  # looked through for those between a whole and its parts
_PART_OF, _HAS_PART = "part of", "has part(s)"
_PARTS: tuple[tuple[str, Direction], ...] = ((_HAS_PART, "out"), (_PART_OF, "in"))
_OVERVIEW = re.compile(
    r"^(?:please )?(?:(?:can|could) you )?(?:tell (?:me|us) (?:more |something |all )?about"
    r"|describe|introduce|summari[sz]e|outline|present|profile"
    r"|(?:give|write) (?:me |us )?(?:an? )?(?:short |brief )?"
    r"(?:overview|summary|introduction|portrait|profile|description) (?:of|to|about)"
    r"|what (?:do you|can you|does the graph) (?:know|say|tell me|tell us|tell) (?:about|of)"
    r"|what (?:is|are) (?:known|said|the facts|the main facts|the key facts) (?:about|on|of)"
    r"|what (?:should (?:i|one) know|is there to (?:know|say)) about)\b",
    re.IGNORECASE,
)
_WHO = re.compile(r"^(?P<who>who|what) (?:is|was|are|were) (?:the )?(?P<name>[^?]+?)\s*\??$", re.I)
_LISTED = re.compile(
    r"^(?:please )?(?:(?:can|could) you )?(?:(?:name|list|enumerate)(?: me)?(?: all)?"
    r"|(?:what|which) are (?:all )?the (?:names|members|parts) of|which(?: ones)? are(?: all)?) "
    r"(?:of )?(?:the )?(?P<name>[^?.!]+?)\s*[?.!]*$",
    re.IGNORECASE,
)
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
_ALWAYS = ("instance of", _PART_OF, _HAS_PART)


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
    inward: tuple[str, ...] = ()  # relations that lead to the names


@dataclass
class Sketch:
    """Nodes (a name, or what kind of thing is open) and the relations between them."""

    nodes: list[tuple[str, str]] = field(default_factory=list)  # name, kind; no name: open
    edges: dict[tuple[int, str, int], None] = field(default_factory=dict)

    def named(self, name: str) -> int:
        for number, (known, _) in enumerate(self.nodes):
            if known and fold(known) == fold(name):
                return number
        self.nodes.append((name, ""))
        return len(self.nodes) - 1

    def open(self, kind: str = "") -> int:
        self.nodes.append(("", kind))
        return len(self.nodes) - 1

    def tie(self, source: int, relation: str, target: int) -> None:
        asked = any((s, r) == (source, relation) and not self.nodes[o][0] for s, r, o in self.edges)
        if not asked or self.nodes[target][0]:
            self.edges[source, relation, target] = None

    def script(self) -> str:
        lines = [f"CREATE ({self._node(n)})" for n, (name, _) in enumerate(self.nodes) if name]
        seen = {n for n, (name, _) in enumerate(self.nodes) if name}
        for source, relation, target in self.edges:
            ends = []
            for n in (source, target):
                ends.append(f"(n{n})" if n in seen else f"({self._node(n)})")
                seen.add(n)
            lines.append(f"CREATE {ends[0]}-[:`{relation.replace('`', ' ')}`]->{ends[1]}")
        return "\n".join(lines)

    def triples(self) -> list[str]:
        def end(n: int) -> str:
            return re.sub(r"[<>]", " ", self.nodes[n][0]) or "?"

        return [f"<{end(s)}> <{relation}> <{end(o)}>" for s, relation, o in self.edges]

    def _node(self, n: int) -> str:
        name, kind = self.nodes[n]
        label = f":`{kind.replace('`', ' ')}`" if kind else ""
        return f"n{n}{label}" + (f" {{name: {quoted(name)}}}" if name else "")


class Drafting:
    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.lex = reader.lex

    # -- drafting ------------------------------------------------------------------------

    def draft(self, given: ToDraft) -> Draft:
        sketch, plan = self._sketch(given.question)
        return Draft(plan=plan, script=sketch.script() if sketch.edges else "", note=NOTE)

    def draft_triples(self, given: ToDraft) -> TripleDraft:
        sketch, plan = self._sketch(given.question)
        return TripleDraft(plan=plan, triples=sketch.triples(), note=NOTE)

    def _sketch(self, question: str) -> tuple[Sketch, str]:
        sketch = Sketch()
        if reason := beyond(question):
            return sketch, reason
        plans = [self._part(sketch, part) for part in self.parts(question)]
        return sketch, "\n".join(filter(None, plans)) or "The question could not be read."

    def _part(self, sketch: Sketch, question: str) -> str:
        """Adds what one question needs; returns that in words."""
        if found := self._overview(question):
            for name in found.names:
                node = sketch.named(name)
                for relation in found.relations:
                    sketch.tie(node, relation, sketch.open())
                for relation in found.inward:
                    sketch.tie(sketch.open(), relation, node)
            about = "What belongs to" if found.inward else "What there usually is to say of"
            return f"{about} {' and '.join(found.names)}."
        readings = self.reader._read(question)
        drafted = []
        for r in readings[:_DRAFTED]:
            if r.cost > readings[0].cost + _CLOSE:
                break
            before = len(sketch.edges)
            self._draw(sketch, r.plan)
            if len(sketch.edges) > before:
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
            as_list = _LISTED.match(question)
            who = as_list or _WHO.match(question)
            name = who["name"].strip() if who else ""
            known = name[:1].isupper() and fold(name) in map(fold, self.reader.mentions(question))
            described = any(w.islower() and w not in _IN_NAMES for w in name.split())
            if not known or described or is_office_of(name):
                return None  # more than a name, or who bears it
            if as_list:
                return Overview((name,), (_HAS_PART,), (_PART_OF,))
            assert who is not None  # it has the name
            kinds = ["person"] if who and who["who"].casefold() == "who" else list(_FRAMES)
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

    def _draw(self, sketch: Sketch, plan: Plan) -> int:
        """Adds what a plan needs; returns the node that stands for its values."""
        match plan:
            case p.Anchor():
                return sketch.named(plan.text)
            case p.Kind():
                node = sketch.open(singular(plan.noun))
                sketch.tie(node, "instance of", sketch.named(singular(plan.noun)))
                return node
            case p.Hop():
                node = self._hop(sketch, plan)
                if plan.beside is not None and not isinstance(plan.beside, p.Hole):
                    self._draw(sketch, plan.beside)
                return node
            case p.Where():
                node = self._draw(sketch, plan.source)
                other = self._draw(sketch, plan.other)
                self._tie(sketch, other, node, plan.phrase, plan.form, plan.prep)
                return node
            case p.Of() if isinstance(plan.source, p.Hop):
                node = self._draw(sketch, plan.source)
                if self.lex.is_noun(plan.noun) and self.lex.class_of(plan.noun) is None:
                    # a relation by itself: which currency does X use
                    near = self._draw(sketch, plan.source.source)
                    self._tie(sketch, near, node, plan.noun, "role", "")
                return node
            case p.From():
                node = self._draw(sketch, plan.source)
                for place in self.lex.demonyms.get(plan.adjective, ())[:1]:
                    sketch.tie(node, "country", sketch.named(place))
                return node
            case p.Limit():
                return self._measured(sketch, plan.source, plan.phrase)
            case p.Nth():
                return self._measured(sketch, plan.source, plan.by)
            case p.Measure() | p.Against() if not isinstance(plan.source, p.Join):
                return self._measure(sketch, self._draw(sketch, plan.source), plan.by)
            case p.Measure() | p.Against():
                return self._measured(sketch, plan.source, plan.by)
            case p.Compare():
                self._measured(sketch, plan.left, plan.by)
                return self._measured(sketch, plan.right, plan.by)
            case p.Is():
                return self._claim(sketch, plan.left, plan.right)
            case p.IsA():
                node = self._draw(sketch, plan.source)
                sketch.tie(node, "instance of", sketch.named(singular(plan.noun)))
                return node
            case p.Age() | p.Alive() | p.Lasting():
                node = self._draw(sketch, plan.source)
                for relation in ("date of birth", "date of death"):
                    sketch.tie(node, relation, sketch.open())
                return node
            case _:
                inner = [x for x in _inside(plan) if not isinstance(x, p.Hole)]
                drawn = [self._draw(sketch, x) for x in inner]
                return drawn[0] if drawn else sketch.open()

    def _measured(self, sketch: Sketch, plan: Plan, by: str) -> int:
        """The values of a plan with what measures them; of several that are joined, each."""
        if isinstance(plan, p.Join):
            self._measured(sketch, plan.left, by)
            return self._measured(sketch, plan.right, by)
        node = self._draw(sketch, plan)
        self._measure(sketch, node, by)
        return node

    def _hop(self, sketch: Sketch, plan: p.Hop) -> int:
        source = self._draw(sketch, plan.source)
        if plan.phrase == "description":
            for relation in ("instance of", "occupation"):
                sketch.tie(source, relation, sketch.open())
            return source
        noun = singular(plan.noun) if plan.noun else ""
        node = sketch.open(noun)
        if noun and self.lex.is_noun(noun):  # which instrument does X play
            self._tie(sketch, source, node, noun, "role", "")
        if plan.want == "time":
            for relation in self.lex.dated_by(plan.phrase)[:_WAYS]:
                sketch.tie(source, relation, node)
        self._tie(sketch, source, node, plan.phrase, plan.form, plan.prep, plan.want)
        return node

    def _tie(
        self, sketch: Sketch, near: int, far: int, phrase: str, form: p.Form, prep: str,
        want: str = "",
    ) -> None:  # fmt: skip
        """The relations a phrase may mean, the way they run; the phrase itself if none.

        That something is part of a whole is one of them for a verb that may say so, and for a
        noun that is no relation from here on: what belongs to a group, the lakes of a group.
        """
        known = self.reader.resolver.schema(phrase, form, want=want, prep=prep, most=_ALL_WAYS)
        ways = [way for n, way in enumerate(known) if n < _WAYS or way in _PARTS]
        things = form == "role" and self.lex.class_of(singular(phrase)) is not None
        if things and all(direction == "in" for _, direction in ways):
            ways += [way for way in _PARTS if way not in ways]
        usual: Direction = "out" if form in ("role", "agent") else "in"
        for relation, direction in ways or [(singular(phrase), usual)]:
            ends = (near, far) if direction == "out" else (far, near)
            sketch.tie(ends[0], relation, ends[1])

    def _measure(self, sketch: Sketch, node: int, by: str) -> int:
        value = sketch.open()
        known = self.lex.adjectives.get(by)
        if known is not None:
            for relation in known.relations[:_WAYS]:
                sketch.tie(node, relation, value)
        else:
            for relation in self.lex.dated_by(by)[:_WAYS]:  # founded first: when
                sketch.tie(node, relation, value)
            self._tie(sketch, node, value, by, "role", "")
        return value

    def _claim(self, sketch: Sketch, left: Plan, right: Plan) -> int:
        """ "Was X born in Y?" claims something: the open end is what the question says."""
        if isinstance(left, p.Hop) and isinstance(right, p.Anchor):
            source = self._draw(sketch, left.source)
            node = sketch.named(right.text)
            self._tie(sketch, source, node, left.phrase, left.form, left.prep, left.want)
            return node
        self._draw(sketch, left)
        return self._draw(sketch, right)

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
            cited = [i for i in fits if given.gold[i] in needed] or _latest(fits, given.gold)
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
        straight = _stands_for(claim.subject, fact.subject) and _stands_for(
            claim.object, fact.object
        )
        turned = relation > 1 and (
            _stands_for(claim.subject, fact.object) and _stands_for(claim.object, fact.subject)
        )
        return straight or turned

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
        if overview is not None and overview.inward:
            return _members(given.facts, overview.inward)
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
        best = next(iter(self.reader._read(question)), None)
        sifts = best is not None and any(
            isinstance(part, p.Of | p.From | p.Kind) for part in p.parts(best.plan)
        )
        # which of them are rivers is for facts to say that the pseudo-graph did not ask for
        return reply.model_copy(update={"certain": reply.certain and not sifts})


def _frame(kinds: Sequence[str]) -> tuple[str, ...]:
    known = [kind for kind in kinds if kind in _FRAMES] or list(_FRAMES)
    return (*_ALWAYS[:1], *(r for kind in known for r in _FRAMES[kind]), *_ALWAYS[1:])


def _inside(plan: Plan) -> Iterator[Plan]:
    for name in ("source", "left", "right", "other"):
        value = getattr(plan, name, None)
        if value is not None:
            yield value


def _stands_for(claimed: Value, known: Value) -> bool:
    """Whether a gold value may stand where the claim has this: any, where it is open."""
    if is_open(claimed):
        return True
    wanted = fold(claimed.name if isinstance(claimed, Entity) else verbalise.value(claimed))
    if isinstance(known, Entity):
        called = {fold(n).removeprefix("the ") for n in (known.name, *known.aliases)}
        return claimed == known or wanted.removeprefix("the ") in called
    return wanted in {fold(known.value), fold(verbalise.value(known))}


def _latest(positions: Sequence[int], gold: Sequence[Statement]) -> list[int]:
    """Of values that change over time those that hold now; others as they are."""
    groups: dict[tuple[Entity, Relation], list[int]] = {}
    for i in positions:
        groups.setdefault((gold[i].subject, gold[i].relation), []).append(i)
    kept = []
    for group in groups.values():
        dated = all(timeline.qualifier(gold[i], timeline.POINT) for i in group)
        current = set(timeline.current([gold[i] for i in group])) if dated else set()
        kept += [i for i in group if not dated or gold[i] in current]
    return sorted(kept)


def _told(facts: Sequence[Statement], only: Collection[int] | None = None) -> FactAnswer:
    """A sentence for each subject and relation, with all values and their facts."""
    groups: dict[tuple[Entity, Relation], list[int]] = {}
    for i, fact in enumerate(facts):
        if only is None or i in only:
            groups.setdefault((fact.subject, fact.relation), []).append(i)
    sentences = []
    for (subject, relation), positions in groups.items():
        values = list(dict.fromkeys(verbalise.value(facts[i].object) for i in positions))
        text = ended(stated(subject.name, relation.name, values))
        sentences.append(CitedSentence(text=text, facts=positions))
    told = [facts[i] for positions in groups.values() for i in positions]
    about = dict.fromkeys(subject for subject, _ in groups)
    return FactAnswer(
        sentences=sentences,
        values=list(dict.fromkeys(bare(fact.object) for fact in told)),
        reading=f"what the graph says about {listed((e.name for e in about), _NAMED)}",
    )


def _members(facts: Sequence[Statement], inward: Collection[str]) -> FactAnswer:
    """A sentence for each group, with all that belongs to it, whichever way the facts say so."""
    groups: dict[str, dict[Value, None]] = {}
    cited: dict[str, list[int]] = {}
    for i, fact in enumerate(facts):
        ends: tuple[Value, Value] = (fact.subject, fact.object)
        group, member = reversed(ends) if fact.relation.name in inward else ends
        groups.setdefault(bare(group), {})[member] = None
        cited.setdefault(bare(group), []).append(i)
    sentences = [
        CitedSentence(
            text=ended(stated(group, "has", [verbalise.value(m) for m in members])),
            facts=cited[group],
        )
        for group, members in groups.items()
    ]
    values = dict.fromkeys(bare(member) for members in groups.values() for member in members)
    return FactAnswer(sentences=sentences, values=list(values), reading="what belongs to it")
