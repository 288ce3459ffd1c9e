"""Think-on-Graph: a beam of reasoning paths, grown and pruned by the model.

Sun et al., Think-on-Graph: Deep and Responsible Reasoning of Large Language Model on Knowledge
Graph, ICLR 2024 (arXiv:2307.07697). From the topic entities, at each depth: search the relations
of every path's end, keep the best N (relation prune); search the entities they lead to, keep the
best N (entity prune); ask whether the paths suffice. ToG-R (`entities=random`) keeps entities at
random and so saves the calls that score them.

Departure: when the depth is used up the paper answers from the model's memory; here the method
abstains, so that an answer always rests on its paths.
Departure: the released code scores each of N relations of each of N paths (more calls than the
paper's 2ND + D + 1), samples candidates without a seed, and drops relations such as “country” or
“instance of” by name; here the beam is N wide at every step, sampling is seeded by the question,
and no relation is dropped.
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
from kgqa_core.facts.terms import Entity, RelationUse, Statement, Value
from kgqa_core.methods.answering import compose
from kgqa_core.methods.linking import link_question

_LIMIT = 500  # statements read for one relation of one entity


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


def solve(question: str, tools: Toolkit, params: Params) -> Steps[Answer]:
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
        branches = yield from _relations(question, beam, tools, params)
        if not branches:
            ends = tuple(p.end for p in beam if isinstance(p.end, Entity))
            yield events.DeadEnd(entities=ends, why="no relation here bears on the question")
            break
        yield events.Step(title=f"Depth {depth}: search and prune entities")
        grown, pruned = yield from _entities(question, branches, tools, params)
        if not grown:
            yield events.DeadEnd(
                entities=tuple(b.path.end for b in branches if isinstance(b.path.end, Entity)),
                why="nothing follows along these relations",
            )
            break
        cut = cut or pruned
        beam = grown
        facts.update(dict.fromkeys(s for path in beam for s in path.steps))
        yield events.Step(title=f"Depth {depth}: do the paths suffice?")
        enough = yield from tools.ask(skills.CAN_ANSWER, question=question, facts=list(facts))
        if enough.sufficient:
            return (yield from _answer(question, list(facts), cut, tools, params))
    reason = f"The paths do not answer the question within {params.depth} hops."
    return Answer(reason=f"{reason} Allow more depth or width." if facts else reason)


def _relations(
    question: str, beam: Sequence[Path], tools: Toolkit, params: Params
) -> Steps[list[Branch]]:
    """Relation search and prune: the best N over all paths, one call a path, all at once."""
    going = [path for path in beam if isinstance(path.end, Entity)]
    if not going:
        return []
    ends = [path.end for path in going if isinstance(path.end, Entity)]
    yield from tools.survey(ends, about=question)
    uses = tools.relations_of(ends, about=question)
    replies = yield from tools.ask_all(
        skills.CHOOSE_RELATIONS,
        [
            {
                "question": question,
                "entities": [path.end],
                "relations": found,
                "facts": list(path.steps),
                "most": params.width,
            }
            for path, found in zip(going, uses, strict=True)
        ],
    )
    branches: dict[tuple[Value, int], Branch] = {}
    for path, found, reply in zip(going, uses, replies, strict=True):
        for pick in reply.picked[: params.width]:
            if 0 <= pick.index < len(found) and pick.score > 0:
                branch = Branch(path, found[pick.index], path.score * pick.score)
                branches.setdefault((path.end, pick.index), branch)
    return sorted(branches.values(), key=lambda b: -b.score)[: params.width]


def _entities(
    question: str, branches: Sequence[Branch], tools: Toolkit, params: Params
) -> Steps[tuple[list[Path], bool]]:
    """Entity search and prune: the best N ends of all branches, and whether any was cut."""
    grown: list[list[Path]] = []
    sampled = False
    chance = random.Random(question)  # the same question is sampled the same way
    for branch in branches:
        assert isinstance(branch.path.end, Entity)
        found = yield from tools.expand(
            [branch.path.end],
            relation=branch.use.relation,
            direction=branch.use.direction,
            limit=_LIMIT,
        )
        fresh = [s for s in found if s not in branch.path.steps]
        if len(fresh) > params.candidates:
            fresh = sorted(chance.sample(fresh, params.candidates), key=fresh.index)
            sampled = True
        out = branch.use.direction == "out"
        grown.append(
            [
                Path(s.object if out else s.subject, (*branch.path.steps, s), branch.score)
                for s in fresh
            ]
        )
    paths = yield from _scored(question, branches, grown, tools, params, chance)
    kept = sorted(paths, key=lambda p: -p.score)[: params.width]
    left = tuple(p.steps[-1] for p in paths if p not in kept)
    if kept:
        yield events.Chosen(
            statements=tuple(p.steps[-1] for p in kept),
            entities=tuple(p.end for p in kept if isinstance(p.end, Entity)),
            why=f"the best {len(kept)} of {len(paths)} paths",
        )
    if left:
        yield events.Pruned(statements=left, why=f"the beam is {params.width} wide")
    return kept, sampled or bool(left)


def _scored(
    question: str,
    branches: Sequence[Branch],
    grown: Sequence[list[Path]],
    tools: Toolkit,
    params: Params,
    chance: random.Random,
) -> Steps[list[Path]]:
    """The paths with the scores of their ends: from the model, or by chance (ToG-R).

    A branch that leads to one end only needs no call.
    """
    weights = {n: [1.0] for n, paths in enumerate(grown) if len(paths) == 1}
    open_ = [n for n, paths in enumerate(grown) if len(paths) > 1]
    if params.entities == "random":
        weights |= {n: [chance.random() for _ in grown[n]] for n in open_}
    elif open_:
        replies = yield from tools.ask_all(
            skills.SCORE_ENTITIES,
            [
                {
                    "question": question,
                    "source": branches[n].path.end,
                    "relation": branches[n].use.relation,
                    "candidates": [path.end for path in grown[n]],
                    "facts": list(branches[n].path.steps),
                }
                for n in open_
            ],
        )
        for n, reply in zip(open_, replies, strict=True):
            missing = [0.0] * (len(grown[n]) - len(reply.scores))
            weights[n] = [*reply.scores, *missing]
    return [
        Path(path.end, path.steps, path.score * weight)
        for n, paths in enumerate(grown)
        for path, weight in zip(paths, weights.get(n, ()), strict=False)
        if weight > 0
    ]


def _answer(
    question: str, facts: list[Statement], cut: bool, tools: Toolkit, params: Params
) -> Steps[Answer]:
    """From the paths alone. What the beam cut may belong to the answer, so it is not certain."""
    yield events.Step(title=f"Answer from {len(facts)} facts")
    reply = yield from tools.ask(skills.ANSWER, question=question, facts=facts)
    answer = yield from compose(question, reply, facts, tools, link=params.answer_linking)
    return answer.model_copy(update={"certain": answer.certain and not cut})


METHOD = Method(
    "tog",
    "Think-on-Graph",
    solve,
    Params,
    "Grows a beam of paths: prunes relations, then entities, until the paths suffice.",
    "Sun et al. 2024",
)


RELATIONS = Method(
    "tog-r",
    "Think-on-Graph, relations",
    solve,
    RelationParams,
    "Think-on-Graph that prunes relations by the model and entities at random.",
    "Sun et al. 2024",
)
