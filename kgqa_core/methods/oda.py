"""ODA: observe the graph, act on it, reflect on what came back, until there is an answer.

Sun et al., ODA: Observation-Driven Agent for integrating LLMs and Knowledge Graphs, Findings of
ACL 2024 (arXiv:2404.07677). Observation: around the task entities, hop by hop, the triples
nearest to the question in meaning. Action: explore an entity's neighbours, find a path between
two entities, or answer. Reflection: what of the outcome is kept in memory.

Departure: the agent works on the graph itself, not on subgraphs prepared for each question, and
answers with citations, in the very reply that says that it can. After the last round, or two that
brought nothing, it answers from its memory, all it has observed, and then what it read beside, or
abstains; it may give up before. A path is kept as a whole. Of the triples of a hop those of the
relations nearest to the question are compared in meaning; the prompt says what lies around beyond
them (`ask/shown.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, ClassVar
from typing import Literal as OneOf

from pydantic import BaseModel, Field

from kgqa_core.ask import bounds, events, shown, skills
from kgqa_core.ask import invented as x
from kgqa_core.ask.events import Answer, Support
from kgqa_core.ask.listed import Listed
from kgqa_core.ask.method import Method
from kgqa_core.ask.run import Steps, Toolkit
from kgqa_core.ask.skill import Skill
from kgqa_core.ask.skills import BARE, CitedSentence, FactAnswer
from kgqa_core.facts.terms import Entity, Statement
from kgqa_core.methods.answering import IN_PART, compose, read_on
from kgqa_core.methods.linking import link_question, unlinked
from kgqa_core.text import counted, listed

_FRUITLESS = 2  # rounds in a row that bring nothing new, then it ends
_READINGS = 3  # prompts that an outcome is read in before nothing of it is kept


class Params(BaseModel):
    rounds: int = Field(5, ge=1, le=20, description="rounds of observing, acting, reflecting")
    hops: int = Field(3, ge=1, le=4, description="hops that are observed around an entity")
    observed: int = Field(50, ge=5, le=500, description="triples kept at each hop (N)")
    growth: float = Field(0.1, ge=0, le=1, description="how much N grows each round")
    kept: int = Field(15, ge=1, le=100, description="triples a reflection keeps (K)")
    path: int = Field(3, ge=1, le=5, description="hops a path between two entities may have")
    answer_linking: bool = Field(True, description="link answers given as text (KGIR §3.7)")


class ToAct(BaseModel):
    """`facts` are first those that earlier reflections kept in memory, so many as `kept`, then what
    is observed around the task entities."""

    room: ClassVar[float] = 0.5  # to decide by; where it says nothing more, all is read

    question: str
    entities: list[Entity] = Field(description="what may be explored, numbered")
    facts: list[Statement] = Field(description="what was observed around those in question")
    kept: int = Field(0, description="so many facts, the first ones, were kept of outcomes")
    explored: list[Entity] = Field([], description="whose neighbours were read already")
    beyond: str = Field("", description="what else lies around, to be read by exploring")
    rounds_left: int = Field(description="so many more actions are allowed")


class Decision(BaseModel):
    thought: str = Field("", description="one sentence: what is known, what is needed next")
    action: OneOf["explore", "path", "answer", "give up"] = Field(
        description="explore: read the neighbours of one of the entities; path: search how two of "
        "them are connected; answer: the facts contain the answer; give up: they do not, and "
        "nothing left to explore leads to it"
    )
    entities: Annotated[list[int], Listed("entities")] = Field(
        [], description="positions of the entities: one to explore, two for a path between them"
    )
    sentences: list[CitedSentence] = Field([], description="the answer, in short sentences")
    values: list[str] = Field([], description=f"the bare answers: {BARE}")
    certain: bool = Field(True, description="false when the facts only suggest the answer")


ACT = Skill(
    "act on observation",
    "Decide what to do next to answer the question from the graph. Never use knowledge that the "
    "facts do not show, and explore nothing twice. If the entities are only namesakes of what is "
    "meant, give up. If you answer, give the answer: every sentence "
    "names the facts it rests on, and `values` is what counts.",
    ToAct,
    Decision,
    examples=(
        (
            ToAct(
                question="Who are the children of the author of The Salt Lantern?",
                entities=[x.LANTERN, x.MARROW],
                facts=[x.WROTE, x.FILMED],
                rounds_left=4,
            ),
            Decision(
                thought="The author is Ilse Marrow; her children are not in view.",
                action="explore",
                entities=[1],
            ),
        ),
        (
            ToAct(
                question="Who are the children of the author of The Salt Lantern?",
                entities=[x.LANTERN, x.MARROW, x.NORA, x.JON],
                facts=[x.NORAS, x.JONS, x.WROTE],
                kept=2,
                explored=[x.MARROW],
                rounds_left=3,
            ),
            Decision(
                thought="Author and children are known.",
                action="answer",
                sentences=[
                    CitedSentence(
                        text="Nora and Jon Marrow are children of the author, Ilse Marrow.",
                        facts=[0, 1, 2],
                    )
                ],
                values=["Nora Marrow", "Jon Marrow"],
            ),
        ),
        (
            ToAct(
                question="Which instrument does Jon Marrow play?",
                entities=[x.JON, x.VELM],
                facts=[x.JONS, x.SAILED],
                explored=[x.JON],
                rounds_left=2,
            ),
            Decision(thought="No instrument is stated of him.", action="give up"),
        ),
    ),
)


class ToReflect(BaseModel):
    question: str
    outcome: list[Statement] = Field(description="what the action brought, numbered")
    memory: list[Statement] = Field(description="what was kept of earlier outcomes")
    most: int = Field(description="so many may be kept")


class Kept(BaseModel):
    thought: str = Field("", description="one sentence: what the question still needs")
    indices: Annotated[list[int], Listed("outcome")] = Field(
        description="positions in the outcome, the most useful first; empty: none helps"
    )


REFLECT = Skill(
    "reflect on outcome",
    "Pick from the outcome of the action the triples that lead towards the answer of the "
    "question, together with what is in memory; no more than may be kept, none if none help.",
    ToReflect,
    Kept,
    examples=(
        (
            ToReflect(
                question="Which painter is a child of the author of The Salt Lantern?",
                outcome=[x.BIRTH, x.NORAS, x.BIRTHPLACE, x.JONS],
                memory=[x.WROTE],
                most=15,
            ),
            Kept(thought="Her children, to see who paints.", indices=[1, 3]),
        ),
        (
            ToReflect(
                question="Who directed the film that is based on The Salt Lantern?",
                outcome=[x.BIRTH, x.NORAS, x.JONS],
                memory=[x.FILMED],
                most=15,
            ),
            Kept(thought="The director of the film; her family does not help.", indices=[]),
        ),
    ),
)


_TO_DECIDE = shown.FACTS * ToAct.room


def solve(question: str, tools: Toolkit, params: Params) -> Steps[Answer]:
    anchors = yield from link_question(question, tools)
    task = list(dict.fromkeys(entity for _, entity in anchors))
    if not task:
        return unlinked(tools)
    memory: dict[Statement, None] = {}
    explored: list[Entity] = []
    observed: dict[Statement, None] = {}
    read: dict[Statement, None] = {}  # all that was looked at, also what was not kept
    size, fruitless = float(params.observed), 0
    for left in range(params.rounds, 0, -1):
        tools.check()
        yield events.Step(title=f"Look around {_names(task)}")
        observation = yield from _observe(question, task, round(size), read, tools, params)
        observed.update(dict.fromkeys(observation))
        size *= 1 + params.growth
        entities = _entities(task, observation, memory)
        if not tools.reads_all:
            entities = entities[: bounds.TO_EXPLORE]
        facts = list(dict.fromkeys((*memory, *observation)))
        decision = yield from tools.ask(
            ACT,
            question=question,
            entities=entities,
            facts=facts,
            kept=len(memory),
            explored=explored,
            beyond=shown.left_out([s for s in read if s not in observed and s not in memory]),
            rounds_left=left - 1,
        )
        if decision.action == "give up":
            yield events.DeadEnd(
                entities=tuple(task), why="nothing that was read here leads to an answer"
            )
            return Answer(reason=decision.thought or "What was read does not contain the answer.")
        if decision.action == "answer" and (decision.sentences or decision.values):
            told = FactAnswer.model_validate(decision.model_dump(exclude={"action", "entities"}))
            held = facts if tools.reads_all else facts[: shown.fitting(facts, _TO_DECIDE)]
            return (yield from _told(question, told, facts, held, read, tools, params))
        named = [entities[i] for i in decision.entities if 0 <= i < len(entities)]
        if decision.action == "answer" or not named:
            break
        yield events.Step(title=_title(decision, named), thought=decision.thought)
        whole = decision.action == "path" and len(named) > 1
        if whole:
            outcome = yield from _path(question, named[0], named[1], tools, params)
        else:
            front = list(dict.fromkeys(named))[: bounds.AT_ONCE]
            outcome = yield from tools.expand(front, about=question)
            explored += front
        read.update(dict.fromkeys(outcome))
        fresh = [s for s in outcome if s not in memory]
        if not fresh:
            yield events.DeadEnd(entities=tuple(named[:2]), why="nothing new was found")
        kept = fresh
        if len(fresh) > 1 and not whole:
            kept = yield from _reflect(question, fresh, list(memory), tools, params)
        fruitless = 0 if kept else fruitless + 1
        if kept:
            memory.update(dict.fromkeys(kept))
            ends = dict.fromkeys(e for s in kept for e in (s.object, s.subject))
            task = [e for e in ends if isinstance(e, Entity) and e not in explored] or task
            yield events.Chosen(statements=tuple(kept), entities=tuple(task), why=decision.thought)
        if dropped := tuple(s for s in fresh if s not in memory):
            yield events.Pruned(statements=dropped, why="not kept in memory")
        if fruitless == _FRUITLESS:
            break
    return (yield from _answer(question, memory, observed, read, tools, params))


def _reflect(
    question: str,
    outcome: list[Statement],
    memory: list[Statement],
    tools: Toolkit,
    params: Params,
) -> Steps[list[Statement]]:
    """What of an outcome is kept in memory. Where a prompt had no room for all, it is read on."""
    rest = outcome
    for _ in range(_READINGS):
        reply = yield from tools.ask(
            REFLECT, question=question, outcome=rest, memory=memory, most=params.kept
        )
        kept = [rest[i] for i in dict.fromkeys(reply.indices) if 0 <= i < len(rest)]
        read = shown.fitting(rest)
        if kept or tools.reads_all or read == len(rest):
            break
        rest = rest[read:]
    return kept[: params.kept]


def _observe(
    question: str,
    task: Sequence[Entity],
    most: int,
    read: dict[Statement, None],
    tools: Toolkit,
    params: Params,
) -> Steps[list[Statement]]:
    """Hop by hop the triples nearest to the question; their ends are where the next hop begins."""
    seen: dict[Statement, None] = {}
    front, visited = list(task), set(task)
    for _ in range(params.hops):
        found = yield from tools.expand(front, about=question)
        read.update(dict.fromkeys(found))
        found = [s for s in found if s not in seen]
        if not found:
            break
        kept = yield from tools.nearest(question, found, most)
        seen.update(dict.fromkeys(kept))
        ends = dict.fromkeys(e for s in kept for e in (s.object, s.subject))
        front = [e for e in ends if isinstance(e, Entity) and e not in visited]
        visited.update(front)
        if not front:
            break
    return list(seen)


def _entities(
    task: Sequence[Entity], observation: Sequence[Statement], memory: dict[Statement, None]
) -> list[Entity]:
    """What an action may name: the task entities, then the ends of what is in view."""
    ends = [e for s in (*memory, *observation) for e in (s.subject, s.object)]
    return list(dict.fromkeys([*task, *(e for e in ends if isinstance(e, Entity))]))


def _path(
    question: str, start: Entity, end: Entity, tools: Toolkit, params: Params
) -> Steps[list[Statement]]:
    """A shortest path between two entities, searched hop by hop from the first."""
    # Not networkx: the graph is not here but asked for, a hop at a time.
    came: dict[Entity, list[Statement]] = {start: []}
    front, found = [start], list[Statement]()
    for _ in range(params.path):
        front = yield from tools.nearest_ends(question, front, found, bounds.FRONT)
        found = yield from tools.expand(front, about=question)
        near, front = set(front), []
        for s in found:
            for here, there in ((s.subject, s.object), (s.object, s.subject)):
                if here in near and isinstance(there, Entity) and there not in came:
                    assert isinstance(here, Entity)
                    came[there] = [*came[here], s]
                    front.append(there)
        if end in came:
            return came[end]
        if not front:
            break
    return []


def _title(decision: Decision, named: Sequence[Entity]) -> str:
    if decision.action == "path" and len(named) > 1:
        return f"Look for a path from {named[0].name} to {named[1].name}"
    return f"Explore the neighbours of {_names(list(dict.fromkeys(named))[: bounds.AT_ONCE])}"


def _answer(
    question: str,
    memory: dict[Statement, None],
    observed: dict[Statement, None],
    read: dict[Statement, None],
    tools: Toolkit,
    params: Params,
) -> Steps[Answer]:
    """From memory and all that was observed, then from what was read beside.

    Not certain if more of the same kind was left.
    """
    facts = list(dict.fromkeys((*memory, *observed)))
    if not facts:
        return Answer(
            reason="Nothing that was read around the entities of the question bears on it."
        )
    yield events.Step(title=f"Answer from {counted(len(facts), 'fact')}")
    kept = set(facts)
    beside = tools.relevant(question, [s for s in read if s not in kept], room=0)
    told = [*tools.relevant(question, facts), *beside]
    reply, read_last = yield from read_on(question, told, tools)
    held = read_last if tools.reads_all else read_last[: shown.fitting(read_last)]
    seen = [*facts, *(s for s in held if isinstance(s, Statement))]
    return (yield from _told(question, reply, read_last, seen, read, tools, params))


def _told(
    question: str,
    reply: FactAnswer,
    facts: Sequence[Support],
    seen: Sequence[Statement],
    read: Iterable[Statement],
    tools: Toolkit,
    params: Params,
    *,
    again: bool = True,
) -> Steps[Answer]:
    """The answer of a reply to these facts, of which it has `seen` so much of all that was read.

    Where a list that it rests on was read whole, but not seen whole, it is asked once `again`, if
    a prompt holds it.
    """
    answer = yield from compose(question, reply, facts, tools, link=params.answer_linking)
    cited = tuple(c for c in answer.citations if isinstance(c, Statement))
    if cited:
        yield events.Chosen(statements=cited, why="the answer rests on these")
    known = set(seen)
    rest = _rest(answer, cited, [s for s in read if s not in known])
    whole = list(dict.fromkeys((*cited, *rest, *facts)))
    held = whole if tools.reads_all else whole[: shown.fitting(whole)]
    if rest and again and set(rest) <= set(held):
        yield events.Step(title=f"Answer with {counted(len(rest), 'fact')} more of the same list")
        reply = yield from tools.ask(skills.ANSWER, question=question, facts=whole)
        seen = [*seen, *(s for s in held if isinstance(s, Statement))]
        return (yield from _told(question, reply, whole, seen, read, tools, params, again=False))
    if rest:
        reading = f"{answer.reading}{IN_PART}".removeprefix(", ")
        return answer.model_copy(update={"certain": False, "reading": reading})
    return answer


def _rest(answer: Answer, cited: Sequence[Statement], left: Sequence[Statement]) -> list[Statement]:
    """The statements that were left with what an answer has: a cited one's relation and source.

    The source of a cited statement is the end that is no answer; of one without an answer, either.
    """
    values = set(answer.values)
    out = {(s.relation, s.subject) for s in cited if s.subject not in values}
    back = {(s.relation, s.object) for s in cited if s.object not in values}
    if values & {end for s in cited for end in (s.subject, s.object)}:
        out = {(s.relation, s.subject) for s in cited if s.object in values}
        back = {(s.relation, s.object) for s in cited if s.subject in values}
    return [s for s in left if (s.relation, s.subject) in out or (s.relation, s.object) in back]


def _names(entities: Sequence[Entity]) -> str:
    return listed((e.name for e in entities), 3)


METHOD = Method(
    "oda",
    "ODA",
    solve,
    Params,
    "Observes the facts nearest to the question, acts on the graph, reflects.",
    "Sun et al. 2024",
)
