"""Graphs of a handful of facts, and what is asked of them by the reader's rules alone."""

from collections.abc import Sequence
from functools import lru_cache

from kgqa_core.ask.events import Answer
from kgqa_core.ask.outcome import answer_of
from kgqa_core.ask.run import Toolkit, run
from kgqa_core.facts.terms import (
    DATE,
    Entity,
    Literal,
    Qualifier,
    Relation,
    RelationUse,
    Statement,
    Value,
)
from kgqa_core.kg.base import KnowledgeGraph
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.llm.offline import Offline
from kgqa_core.methods import react
from kgqa_core.reader import programs
from kgqa_core.reader.acting import Found
from kgqa_core.reader.meaning import Meaning
from kgqa_core.reader.programs import Name, Program
from kgqa_core.reader.views import GraphView

WD = "http://www.wikidata.org/entity/"


def thing(number: int, label: str, *aliases: str) -> Entity:
    return Entity(f"{WD}Q{number}", label, "", aliases)


def fact(subject: Entity, pid: str, label: str, value: Value, *more: Qualifier) -> Statement:
    return Statement(subject, Relation(WD + pid, label), value, more)


def held(who: Entity, office: Entity, start: int, end: int) -> Statement:
    """Somebody's time in an office, from one 4th of March to another."""
    ends = {"P580": ("start time", start), "P582": ("end time", end)}
    dated = (
        Qualifier(Relation(WD + pid, label), Literal(f"{year}-03-04", DATE))
        for pid, (label, year) in ends.items()
    )
    return fact(who, "P39", "position held", office, *dated)


def of(statements: Sequence[Statement], *more: Entity) -> EmbeddedGraph:
    """A graph of these facts; `more` is in it though no fact is about it, as units are."""
    ends = [e for s in statements for e in (s.subject, s.object) if isinstance(e, Entity)]
    ends += [q.value for s in statements for q in s.qualifiers if isinstance(q.value, Entity)]
    relations = {r for s in statements for r in (s.relation, *(q.relation for q in s.qualifiers))}
    ordered = sorted(relations, key=lambda r: r.id)
    return EmbeddedGraph.build("small", dict.fromkeys([*ends, *more]), ordered, statements)


def ask(graph: KnowledgeGraph, question: str) -> Answer:
    return answer_of(list(run(question, react.solve, Toolkit(graph, Offline()), react.Params())))


def named(answer: Answer) -> set[str]:
    return {value.name for value in answer.values}


# -- programs ------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def meaning() -> Meaning:
    return Meaning()


def name(view: GraphView, text: str, entity: Entity, question: str = "") -> Name:
    view.know(text, entity)
    found = view.anchor(text, "")
    assert found is not None
    return Name(text, found, programs.masked(question, text))


def along(found: Found, label: str, direction: str) -> RelationUse:
    return next(u for u in found.uses if (u.relation.label, u.direction) == (label, direction))


def program(view: GraphView, text: str, entity: Entity, *way: tuple[str, str]) -> Program:
    start = name(view, text, entity)
    found, uses = start.found, []
    for label, direction in way:
        use = along(found, label, direction)
        found = programs.follow(found, use, view, text)
        uses.append(use)
    return Program(start, tuple(uses))
