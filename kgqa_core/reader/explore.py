"""How the reader explores step by step: which relations to follow, and whether that is enough.

Its plan of the question says what it needs next. Each part of the plan is tried on the facts
read so far; where it asks for a relation that was not read, that relation is the one to follow.
For ODA it explores what the plan has reached.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from pydantic import BaseModel

from kgqa_core.ask.events import Support
from kgqa_core.ask.run import merge_uses
from kgqa_core.ask.skills import (
    ANSWER_IF_ENOUGH,
    ANSWER_OR_GO_ON,
    CHOOSE_RELATIONS,
    AnswerIfEnough,
    AnswerOrGoOn,
    FactAnswer,
    FromFacts,
    Picks,
    ScoredPick,
    ToFollow,
)
from kgqa_core.background import Once
from kgqa_core.facts.terms import Direction, Entity, Relation, RelationUse, Statement
from kgqa_core.methods.oda import ACT, REFLECT, Decision, Kept, ToAct, ToReflect
from kgqa_core.methods.walk import NodeSet
from kgqa_core.reader import plan as p
from kgqa_core.reader.acting import Found, denied
from kgqa_core.reader.doubts import beyond
from kgqa_core.reader.evaluate import Evaluator
from kgqa_core.reader.plan import Plan, Reading, mapped, parts
from kgqa_core.reader.reader import Reader
from kgqa_core.reader.views import FactsView, Need
from kgqa_core.text import fold

_READINGS = 4  # of the question that are tried
_WORSE = 1.5  # cost above the best reading at which one is not tried
_ALMOST = 0.3  # cost above the best reading at which one is as good
_SECOND = 0.7  # score of what a reading that is not the best needs


@Once
def _reader() -> Reader:
    return Reader()


class FrontierView(FactsView):
    """Facts, and entities whose further relations are known by name only.

    `whose`: for each relation the entities that have it; without it, any of them may.
    """

    def __init__(
        self,
        facts: Sequence[Statement],
        entities: Iterable[Entity],
        uses: Sequence[RelationUse] = (),
        whose: Sequence[Sequence[Entity]] = (),
    ) -> None:
        super().__init__(facts)
        in_order = dict.fromkeys(entities)
        self.frontier = set(in_order)
        self.uses = list(uses)
        self._owners: dict[tuple[Relation, Direction], set[Entity]] = {}
        for n, use in enumerate(uses):
            own = self.frontier.intersection(whose[n]) if whose else self.frontier
            self._owners.setdefault((use.relation, use.direction), set()).update(own)
        for entity in in_order:  # of one name, the first that was given is meant
            self.graph.entities.setdefault(entity.id, entity)
            for label in dict.fromkeys((entity.label, *entity.aliases)):
                known = self.graph.by_name.setdefault(fold(label), [])
                if entity not in known:
                    known.append(entity)
        for use in uses:
            self.graph.relations.setdefault(use.relation.id, use.relation)

    def act(self, thought: str, **action: Any) -> Found:
        source = self.sets.get(action.get("of", ""), NodeSet({}))
        relation = self.graph.relations.get(action.get("relation", ""))
        direction: Direction = action.get("direction", "out")
        if relation is not None:
            owners = self._owners.get((relation, direction), set())
            unread = [
                e for e in source.entities if e in owners and not self._read(e, relation, direction)
            ]
            if unread:
                raise Wanted(relation, direction, tuple(unread))
        return super().act(thought, **action)

    def _read(self, entity: Entity, relation: Relation, direction: Direction) -> bool:
        return any(
            s.relation == relation and (s.subject if direction == "out" else s.object) == entity
            for s in self.graph.facts
        )

    def _add(self, result: NodeSet) -> Found:
        found = super()._add(result)
        here = self.frontier & set(result.entities)
        uses = [u for u in self.uses if self._owners[u.relation, u.direction] & here]
        if uses:
            relations = tuple(merge_uses([list(found.uses), uses]))
            return Found(found.name, found.members, found.size, relations, certain=found.certain)
        return found


class Wanted(Exception):
    """A relation that a plan needs and the facts do not have."""

    def __init__(
        self, relation: Relation, direction: Direction, entities: tuple[Entity, ...]
    ) -> None:
        super().__init__(relation.name)
        self.relation, self.direction, self.entities = relation, direction, entities


def readings(question: str) -> Sequence[Reading]:
    """The likely readings of a question the reader can read, the best first."""
    return () if beyond(question) else _reader().readings(question, _WORSE)[:_READINGS]


def wanted(question: str, view: FrontierView) -> Iterator[tuple[Wanted, float]]:
    """What the readings need next, the most likely first; each part of a plan by itself."""
    for n, part in _parts(question):
        try:
            for _ in [] if isinstance(part, p.Anchor) else _values(part, question, view):
                pass
        except Wanted as need:
            yield need, 1.0 if n == 0 else _SECOND
        except Need:
            continue


def _parts(question: str) -> Iterator[tuple[int, Plan]]:
    """The parts of each reading, with its rank; the last without tests of class."""
    for n, reading in enumerate(readings(question)):
        found = dict.fromkeys((*parts(reading.plan), *parts(_loosened(reading.plan))))
        yield from ((n, part) for part in found if not isinstance(part, p.Hole))


def _values(part: Plan, question: str, view: FrontierView) -> Iterator[Found]:
    return Evaluator(view, _reader().lex, _reader().resolver, question).values(part)


def _loosened(plan: Plan) -> Plan:
    """The plan without tests of class: what it leads to can be read before they are decided."""
    return _loosened(plan.source) if isinstance(plan, p.Of) else mapped(plan, _loosened)


def choose_relations(given: ToFollow) -> Picks:
    view = FrontierView(given.facts, given.entities, given.relations, given.whose)
    scores: dict[int, float] = {}
    for need, score in wanted(given.question, view):
        for i, use in enumerate(given.relations):
            its_own = not given.whose or not {*given.whose[i]}.isdisjoint(need.entities)
            if (use.relation, use.direction) == (need.relation, need.direction) and its_own:
                scores[i] = max(score, scores.get(i, 0.0))
    ranked = sorted(scores.items(), key=lambda item: -item[1])[: given.most]
    return Picks(picked=[ScoredPick(index=i, score=s) for i, s in ranked])


def enough(question: str, facts: Sequence[Support]) -> FactAnswer | str:
    """What the facts answer, or why they do not: what they do not show is no answer yet."""
    statements = [f for f in facts if isinstance(f, Statement)]
    outcome = _reader().solve(question, FactsView(statements)) if statements else ""
    if isinstance(outcome, str):
        return outcome
    best = readings(question)
    meant = any(r.plan == outcome.plan for r in best if r.cost <= best[0].cost + _ALMOST)
    if not (outcome.certain and meant) or denied(outcome.found):
        return "That is a guess."
    return _reader().answer(FromFacts(question=question, facts=list(facts)))


def answer_if_enough(given: FromFacts) -> AnswerIfEnough:
    """All facts are kept: which of them a plan will need is seen when it goes on."""
    told = enough(given.question, given.facts)
    if isinstance(told, str):
        return AnswerIfEnough(thought=told, sufficient=False, sentences=[], values=[])
    return AnswerIfEnough(**told.model_dump(), sufficient=True)


def answer_or_go_on(given: ToFollow) -> AnswerOrGoOn:
    told = enough(given.question, given.facts)
    if isinstance(told, str):
        picked = choose_relations(given).picked
        return AnswerOrGoOn(thought=told, sufficient=False, sentences=[], values=[], picked=picked)
    return AnswerOrGoOn(**told.model_dump(), sufficient=True)


def _evaluated(
    question: str, facts: Sequence[Statement], entities: Sequence[Entity]
) -> Iterator[NodeSet]:
    """What the parts of the readings come to on the facts, the outermost parts first."""
    view = FrontierView(facts, entities)
    for _, part in _parts(question):
        try:
            for found in _values(part, question, view):
                yield view.sets[found.name]
        except Need:
            continue


def reached(question: str, facts: Sequence[Statement], entities: Sequence[Entity]) -> list[Entity]:
    """The entities a plan has come to, those nearest to its end first."""
    found = (e for nodes in _evaluated(question, facts, entities) for e in nodes.entities)
    return list(dict.fromkeys(found))


def supporting(question: str, facts: Sequence[Statement]) -> set[Statement]:
    """The facts that some part of a reading rests on."""
    ends = dict.fromkeys(e for s in facts for e in (s.subject, s.object) if isinstance(e, Entity))
    return {s for nodes in _evaluated(question, facts, list(ends)) for s in nodes.because}


def act(given: ToAct) -> Decision:
    """Answer when that can be done; else explore the last entity the plan leads to."""
    told = enough(given.question, given.facts)
    if not isinstance(told, str):
        return Decision(
            thought="That answers the question.",
            action="answer",
            sentences=told.sentences,
            values=told.values,
            certain=told.certain,
        )
    position = {entity: i for i, entity in enumerate(given.entities)}
    for entity in reached(given.question, given.facts, given.entities):
        if entity in position and entity not in given.explored:
            thought = f"I look at what is around {entity.name}."
            return Decision(thought=thought, action="explore", entities=[position[entity]])
    return Decision(thought=told, action="answer")


def reflect(given: ToReflect) -> Kept:
    """The triples that a part of the plan rests on, with what is in memory."""
    wanted = supporting(given.question, [*given.memory, *given.outcome])
    return Kept(indices=[i for i, s in enumerate(given.outcome) if s in wanted][: given.most])


HANDLERS: dict[str, Callable[[Any], BaseModel]] = {
    CHOOSE_RELATIONS.name: choose_relations,
    ANSWER_IF_ENOUGH.name: answer_if_enough,
    ANSWER_OR_GO_ON.name: answer_or_go_on,
    ACT.name: act,
    REFLECT.name: reflect,
}
