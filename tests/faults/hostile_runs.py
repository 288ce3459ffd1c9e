"""Runs whose every text is hostile: one a method's panel, and one a text for the list of runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from kgqa_core.ask import events
from kgqa_core.ask.events import (
    Answer,
    CheckedClaim,
    Event,
    PlanNode,
    Record,
    Sentence,
    SubQuestion,
    Weight,
)
from kgqa_core.ask.header import Header
from kgqa_core.facts.premises import Judgement, Premise
from kgqa_core.facts.terms import Entity, Hit, Literal, Passage, Qualifier, Relation, Statement
from tests.faults.hostile import ALL, FIRST_OF_KIND, HOSTILE, WORD, Hostile, packed

_ODD = "http://x.example/"  # before ids that are no IRIs: a run file may hold any
HUB = Entity(_ODD + "hub", "Hub", ALL)
FEW = tuple(one.text for one in FIRST_OF_KIND if one.kind != "lengths")
SOME = " ".join(" ".join(FEW[:9]).split())  # for names, which no page shows all of


def odd_id(one: Hostile) -> str:
    """An id as hostile as the text, without its words: ids are shown in part."""
    return _ODD + WORD.sub(str(one.number), one.text)[:300]


def _end(one: Hostile) -> Entity:
    return Entity(odd_id(one), one.text, one.text)


def _fact(one: Hostile) -> Statement:
    return Statement(
        HUB,
        Relation(odd_id(one) + "/r", one.text),
        _end(one),
        (Qualifier(Relation(f"{_ODD}q{one.number}", one.text), Literal(one.text)),),
        source=one.text,
        origin=one.text,
    )


class Told:
    """Values made of texts, for runs that tell them: one of each kind for each text."""

    def __init__(self, those: Sequence[Hostile]) -> None:
        self.those = tuple(those)
        self.texts = tuple(one.text for one in those)
        self.ends = tuple(map(_end, those))
        self.facts = tuple(map(_fact, those))
        self.literals = tuple(
            Statement(
                HUB, Relation(f"{_ODD}l{one.number}", f"says {one.number}"), Literal(one.text)
            )
            for one in those
        )
        self.answer = Answer(
            sentences=tuple(Sentence(text=text, cites=(n,)) for n, text in enumerate(self.texts)),
            values=(*self.ends[:20], Literal(ALL)),
            citations=self.facts,
            reading=ALL,
            certain=False,
        )


SINGLY = Told(HOSTILE)
PACKED = Told(packed(300))  # a page draws a quarter of the elements

_MARKED = ("Markdown", "directives", "LaTeX", "SVG and MathML", "templates")
# The questions that are offered after “I do not know” are made of a few facts.
_ASKED_INSTEAD = tuple(
    Statement(Entity(f"{_ODD}s{one.number}", one.text), _fact(one).relation, _end(one))
    for one in FIRST_OF_KIND
    if one.kind in _MARKED
)


def _walked(told: Told) -> Iterator[Event]:
    yield events.Step(title="Begin", thought=ALL)
    hits = tuple((Hit(end, 0.9, end.label),) for end in told.ends)
    yield events.Linked(mentions=told.texts, candidates=hits)
    yield events.Anchored(mention=ALL, entity=HUB, why=ALL)
    yield events.Expanded(entities=(HUB,), statements=(*told.facts, *told.literals), aside=ALL)
    yield events.Asked(skill=FEW[0], prompt=ALL, reply=ALL, problem=ALL, rung=FEW[1], reasoning=ALL)
    yield events.Chosen(statements=told.facts[:20], entities=told.ends[:20], why=ALL)
    yield events.Pruned(entities=told.ends[20:40], why=ALL)
    yield events.DeadEnd(entities=told.ends[-2:], why=ALL)
    yield events.Computed(
        operation=SOME, arguments=FEW, result=(Literal(ALL),), because=told.facts[:3]
    )
    yield events.Queried(sparql=ALL, columns=FEW, rows=((Literal(ALL), told.ends[3]),))
    found = Passage(odd_id(told.those[5]), ALL, FEW[2], FEW[3], told.ends[4])
    yield events.Retrieved(query=ALL, found=(found, *told.facts[:2]), scores=(0.9, 0.8, 0.7))
    for text in told.texts[:60]:
        yield events.Noted(text=text)
    yield events.Noted(text=ALL, level="warning")
    claims = tuple(
        CheckedClaim(text=text, mark="contradicted", why=text, facts=(told.facts[n],), axiom=text)
        for n, text in enumerate(told.texts)
    )
    yield events.Audited(claims=claims, by=FEW[0])
    yield events.Answered(answer=told.answer)


def _stepped(told: Told) -> Iterator[Event]:
    for fact in _ASKED_INSTEAD:
        yield events.Anchored(mention=fact.relation.label, entity=fact.subject)
    yield events.Expanded(entities=(HUB,), statements=_ASKED_INSTEAD)
    for one in told.those:
        yield events.Step(title=one.text, thought=one.text)
        yield events.DeadEnd(entities=(_end(one),), why=one.text)
    yield events.Abstained(answer=Answer(reason=ALL))


def _axioms(told: Told) -> Iterator[Event]:
    yield events.Step(title="Axioms")
    for n, text in enumerate(told.texts):
        premise = Premise(text=text)
        yield events.Axiom(text=text, entities=(HUB,), branch=n, premises=(premise,), guess=text)
        judged = Judgement(
            premise=premise, state="open", why=text, because=(told.facts[n],), lacks=(text,)
        )
        yield events.Judged(branch=n, depth=1, judgements=(judged,))
        yield events.MissingEvidence(branch=n, depth=1, text=text, entity=told.ends[n])
        verdict: Any = "true" if n % 2 else "undetermined"
        yield events.Verdict(branch=n, depth=1, verdict=verdict, why=text, believed=text)
    yield events.Failed(error="SourceRejected", message=ALL)


def _pseudo_graph(told: Told) -> Iterator[Event]:
    claimed = tuple(
        Statement(Entity(f"pseudo:s{n}", text), Relation(f"pseudo:r{n}", text), Literal(text))
        for n, text in enumerate(told.texts)
    )
    yield events.Step(title="Draft")
    yield events.Proposed(
        statements=claimed, script=ALL, plan=ALL, mended=told.texts, lost=told.texts
    )
    weights = tuple(Weight(entity=end, triples=1, confidence=0.5) for end in told.ends)
    yield events.Weighed(weights=weights, statements=told.facts, most=5, least=0.7)
    for n, one in enumerate(claimed):
        yield events.Corrected(
            claimed=one, found=told.facts[n], because=(told.facts[n],), similarity=0.5,
            outcome="replaced", why=told.texts[n],
        )  # fmt: skip
    yield events.Fixed(statements=told.facts, appended=True)
    yield events.Answered(answer=told.answer)


def _chains(told: Told) -> Iterator[Event]:
    parts = tuple(
        SubQuestion(id=n, text=text, needs=(n - 1,) if n else (), seeds=(text,))
        for n, text in enumerate(told.texts)
    )
    yield events.Decomposed(parts=parts)
    for n, text in enumerate(told.texts):
        yield events.Step(title=f"{n + 1}. {text}", thought=text)
        yield events.Matched(
            part=n, text=text, templates=(text,), scores=(0.5,), chains=((f"→ {text}",),)
        )
        ends = (Literal(text),)
        yield events.Followed(part=n, template=text, chain=f"→ {text}", count=1, ends=ends)
        yield events.Solved(part=n, values=ends, cut=(told.ends[n],))
    yield events.Answered(answer=told.answer)


def _plan(told: Told) -> Iterator[Event]:
    starts = tuple(PlanNode(id=f"S{n}", text=text, mention=text) for n, text in enumerate(FEW))
    steps = tuple(
        PlanNode(id=f"T{n}", text=text, needs=("S0",), believed=(text,))
        for n, text in enumerate(told.texts)
    )
    yield events.Step(title="Plan")
    yield events.Planned(starts=starts, steps=steps, answer="T1", thought=ALL)
    yield events.Recalled(template=ALL)
    for n, text in enumerate(told.texts):
        yield events.Bound(
            step=f"T{n}", asked=text, relation=told.facts[n].relation, direction="out", how="name",
            rivals=(text,), path=(text, text),
        )  # fmt: skip
        yield events.Filled(step=f"T{n}", state="failed", values=(Literal(text),), why=text)
        yield events.Believed(step=f"T{n}", text=text, outcome="replaced", found=(told.ends[n],))
    yield events.Answered(answer=told.answer)


STORIES = {
    "walked": ("react", _walked),
    "stepped": ("tog", _stepped),
    "axioms": ("r3", _axioms),
    "pseudo-graph": ("pgakv", _pseudo_graph),
    "chains": ("keqing", _chains),
    "plan": ("compass", _plan),
}


def records(name: str, told: Told) -> list[Record]:
    found, step = [], 0
    for seq, event in enumerate(STORIES[name][1](told)):
        step += isinstance(event, events.Step)
        found.append(Record(seq=seq, step=step, at_s=seq / 10, event=event))
    return found


def header(run_id: str, question: str, method: str, named: str, at: int = 0) -> Header:
    return Header(
        id=run_id,
        question=question,
        method=method,
        params={},
        graph=named,
        graph_fingerprint="f",
        model=named,
        started_at=f"2026-01-01T00:00:00.{at:06}",
        version="0",
        graph_source=named,
        model_source="offline",
    )


def listed(one: Hostile) -> tuple[Header, Sequence[Record]]:
    """A short run for the list: question, graph, model and answer are the text."""
    answer = Answer(sentences=(Sentence(text=one.text),), values=(Literal(one.text),))
    end = Record(seq=0, step=0, at_s=0.1, event=events.Answered(answer=answer))
    return header(f"listed-{one.number}", one.text, "io", one.text, one.number), [end]
