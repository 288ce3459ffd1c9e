"""Think-on-Graph: a beam of reasoning paths, grown and pruned by the model.

Sun et al., Think-on-Graph: Deep and Responsible Reasoning of Large Language Model on Knowledge
Graph, ICLR 2024 (arXiv:2307.07697). From the topic entities, at each depth: search the relations
of every path's end, keep the best N (relation prune); search the entities they lead to, keep the
best N (entity prune); ask whether the paths suffice. ToG-R (`entities=random`) keeps entities at
random and so saves the calls that score them.

Departure: when the depth is used up the paper answers from the model's memory; here the method
abstains, unless `memory` allows it, marked; so that an answer rests on its paths.
Departure: one call prunes the relations of all paths, one the entities of all branches, and one
says whether the paths suffice and answers (the paper's 2ND + D + 1 calls are 3D here at most).
What fits into the beam is not scored. A branch that leads nowhere costs no place in it, and dates
and numbers that were found stay among the facts without taking one.
Departure: the beam prunes where to go on, not what a list holds: the answer is given from the
paths and the other ends of the relations that end them, so that of seven children three are not
all. Of many ends those nearest to the question are taken (`ask/shown.py`; in ToG-R a sample, seeded
by the question); the released code samples without a seed, and drops relations such as “country” or
“instance of” by name.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal as OneOf

from pydantic import BaseModel, Field

from kgqa_core.ask import events, skills
from kgqa_core.ask.events import Answer
from kgqa_core.ask.method import Method
from kgqa_core.ask.run import Steps, Toolkit
from kgqa_core.ask.shown import NAMES, RELATIONS
from kgqa_core.facts.terms import Entity, RelationUse, Statement, Value
from kgqa_core.methods.answering import MEMORY, Memory, compose, or_memory
from kgqa_core.methods.linking import link_question

_LIMIT = 500  # statements read for one relation of one entity
_SPARE = 2  # branches chosen for each place in the beam: some may lead nowhere


class Params(BaseModel):
    width: int = Field(3, ge=1, le=50, description="paths kept in the beam (N)")
    depth: int = Field(3, ge=1, le=6, description="hops a path may have (D)")
    candidates: int = Field(
        20, ge=2, le=500, description="entities scored for one relation; of more, a sample"
    )
    entities: OneOf["scored", "random"] = Field(
        "scored", description="entity prune: by the model (ToG) or at random (ToG-R)"
    )
    answer_linking: bool = Field(True, description="link answers given as text (KGIR §3.7)")
    memory: Memory = MEMORY


class RelationParams(Params):
    entities: OneOf["scored", "random"] = Field(
        "random", description="entity prune: by the model (ToG) or at random (ToG-R)"
    )


@dataclass(frozen=True)
class Path:
    """A reasoning path: the statements walked, where they led, and how good that looks."""

    end: Value
    steps: tuple[Statement, ...] = ()
    score: float = 1.0


@dataclass(frozen=True)
class Branch:
    """A path about to go on along one relation."""

    path: Path
    use: RelationUse
    score: float


@dataclass(frozen=True)
class Grown:
    """The beam after a step, and what was read and kept.

    `beside`: all ends of the relations that its paths end with. `pruned`: whether an end was left;
    `lost`: whether one that is not `beside` either.
    """

    paths: list[Path]
    read: list[Statement]
    beside: list[Statement]
    pruned: bool
    lost: bool


def solve(question: str, tools: Toolkit, params: Params) -> Steps[Answer]:
    answer = yield from _from_paths(question, tools, params)
    link = params.answer_linking
    return (yield from or_memory(question, answer, tools, params.memory, link))


def _from_paths(question: str, tools: Toolkit, params: Params) -> Steps[Answer]:
    anchors = yield from link_question(question, tools)
    topic = list(dict.fromkeys(entity for _, entity in anchors))
    if not topic:
        return Answer(reason="No entity of the question was found in the graph.")
    beam = [Path(entity) for entity in topic[: params.width]]
    facts: dict[Statement, None] = {}
    cut = False
    for depth in range(1, params.depth + 1):
        tools.check()
        yield events.Step(title=f"Depth {depth}: search and prune relations")
        branches = yield from _relations(question, beam, list(facts), tools, params)
        if not branches:
            ends = tuple(p.end for p in beam if isinstance(p.end, Entity))
            yield events.DeadEnd(entities=ends, why="no relation here bears on the question")
            break
        yield events.Step(title=f"Depth {depth}: search and prune entities")
        grown = yield from _entities(question, branches, list(facts), tools, params)
        if not grown.read:
            yield events.DeadEnd(
                entities=tuple(b.path.end for b in branches if isinstance(b.path.end, Entity)),
                why="nothing follows along these relations",
            )
            break
        beam = grown.paths
        facts.update(dict.fromkeys(grown.read))
        known = list(dict.fromkeys((*facts, *tools.relevant(question, grown.beside))))
        yield events.Step(title=f"Depth {depth}: do the paths suffice?")
        reply = yield from tools.ask(skills.ANSWER_IF_ENOUGH, question=question, facts=known)
        if reply.sufficient and (reply.sentences or reply.values):
            answer = yield from compose(question, reply, known, tools, link=params.answer_linking)
            # what the beam cut may belong to the answer
            certain = answer.certain and not (cut or grown.lost)
            return answer.model_copy(update={"certain": certain})
        cut = cut or grown.pruned
        if not beam:
            break
    reason = f"The paths do not answer the question within {params.depth} hops."
    return Answer(reason=f"{reason} Allow more depth or width." if facts else reason)


def _relations(
    question: str,
    beam: Sequence[Path],
    facts: Sequence[Statement],
    tools: Toolkit,
    params: Params,
) -> Steps[list[Branch]]:
    """Relation search and prune: the best of all paths, in one call; some more than the beam holds.

    Paths that meet in one entity go on from it as one, the best of them.
    """
    going: dict[Entity, Path] = {}
    for path in beam:
        if isinstance(path.end, Entity) and path.score > getattr(going.get(path.end), "score", -1):
            going[path.end] = path
    if not going:
        return []
    yield from tools.survey(list(going), about=question)
    uses = tools.relations_of(list(going), about=question)
    each = max(RELATIONS // 2, (RELATIONS + NAMES) // len(going))
    ways = [(e, use) for e, found in zip(going, uses, strict=True) for use in found[:each]]
    if len(ways) < 2:
        return [Branch(going[e], use, going[e].score) for e, use in ways]
    reply = yield from tools.ask(
        skills.CHOOSE_RELATIONS,
        question=question,
        entities=list(going),
        relations=[use for _, use in ways],
        whose=[[e] for e, _ in ways] if len(going) > 1 else [],
        facts=facts,
        most=params.width,
    )
    branches: dict[int, Branch] = {}
    for pick in reply.picked[: _SPARE * params.width]:
        if 0 <= pick.index < len(ways) and pick.score > 0:
            entity, use = ways[pick.index]
            path = going[entity]
            branches.setdefault(pick.index, Branch(path, use, path.score * pick.score))
    return sorted(branches.values(), key=lambda b: -b.score)


def _entities(
    question: str,
    branches: Sequence[Branch],
    facts: Sequence[Statement],
    tools: Toolkit,
    params: Params,
) -> Steps[Grown]:
    """Entity search and prune: the best N ends of all branches."""
    grown: list[Path] = []
    values: list[Path] = []
    sampled, taken = False, 0
    chance = random.Random(question)  # the same question is sampled the same way
    for branch in branches:
        if taken == params.width:
            break
        assert isinstance(branch.path.end, Entity)
        found = yield from tools.expand(
            [branch.path.end],
            relation=branch.use.relation,
            direction=branch.use.direction,
            limit=_LIMIT,
        )
        fresh = [s for s in found if s not in facts]
        taken += bool(fresh)
        if len(fresh) > params.candidates:
            if params.entities == "random":
                fresh = sorted(chance.sample(fresh, params.candidates), key=fresh.index)
            else:
                fresh = tools.relevant(question, fresh, room=0)[: params.candidates]
            sampled = True
        out = branch.use.direction == "out"
        for s in fresh:
            end = s.object if out else s.subject
            path = Path(end, (*branch.path.steps, s), branch.score)
            (grown if isinstance(end, Entity) else values).append(path)
    paths = yield from _scored(question, grown, facts, tools, params, chance)
    kept = sorted(paths, key=lambda p: -p.score)[: params.width]
    steps = [p.steps[-1] for p in (*kept, *values)]
    left = tuple(p.steps[-1] for p in grown if p.steps[-1] not in steps)
    if steps:
        yield events.Chosen(
            statements=tuple(dict.fromkeys(steps)),
            entities=tuple(p.end for p in kept if isinstance(p.end, Entity)),
            why=f"the best {len(kept)} of {len(grown)} paths" if grown else "values",
        )
    if left:
        yield events.Pruned(statements=left, why=f"the beam is {params.width} wide")
    read = [s for p in (*kept, *values) for s in p.steps]
    on = {_branch(p) for p in kept}
    beside = [p.steps[-1] for p in grown if _branch(p) in on]
    lost = sampled or not set(left) <= set(beside)
    return Grown(kept, list(dict.fromkeys(read)), beside, sampled or bool(left), lost)


def _branch(path: Path) -> tuple[object, ...]:
    """What paths share that end with one relation of one thing."""
    *before, last = path.steps
    return (*before, last.relation, last.object == path.end)


def _scored(
    question: str,
    grown: Sequence[Path],
    facts: Sequence[Statement],
    tools: Toolkit,
    params: Params,
    chance: random.Random,
) -> Steps[list[Path]]:
    """The paths with the scores of their ends: from the model in one call, or by chance (ToG-R).

    What fits into the beam needs no score, and is kept as it is.
    """
    if len(grown) <= params.width:
        return list(grown)
    if params.entities == "random":
        return [Path(p.end, p.steps, p.score * chance.random()) for p in grown]
    reply = yield from tools.ask(
        skills.SCORE_ENTITIES,
        question=question,
        candidates=[skills.Reached(end=p.end, way=p.steps[-1]) for p in grown],
        facts=facts,
        most=params.width,
    )
    weights = {pick.index: pick.score for pick in reversed(reply.picked)}
    return [
        Path(path.end, path.steps, path.score * weights[n])
        for n, path in enumerate(grown)
        if weights.get(n, 0) > 0
    ]


METHOD = Method(
    "tog",
    "Think-on-Graph",
    solve,
    Params,
    "Grows a beam of paths: prunes relations, then entities, until the paths suffice.",
    "Sun et al. 2024",
)


TOG_R = Method(
    "tog-r",
    "Think-on-Graph, relations",
    solve,
    RelationParams,
    "Think-on-Graph that prunes relations by the model and entities at random.",
    "Sun et al. 2024",
)
