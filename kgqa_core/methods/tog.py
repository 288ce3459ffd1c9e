"""Think-on-Graph: a beam of reasoning paths, grown and pruned by the model.

Sun et al., Think-on-Graph: Deep and Responsible Reasoning of Large Language Model on Knowledge
Graph, ICLR 2024 (arXiv:2307.07697). From the topic entities, at each depth: search the relations
of every path's end, keep the best N (relation prune); search the entities they lead to, keep the
best N (entity prune); ask whether the paths suffice. ToG-R (`entities=random`) keeps entities at
random and so saves the calls that score them.

Departure: when the depth is used up the paper answers from the model's memory; here the method
abstains, unless `memory` allows it, marked; so that an answer rests on its paths.
Departure: one call a depth (the paper's 2ND + D + 1 calls are D + 1 here at most): it says whether
the paths suffice and answers, or picks which relations of which ends to follow, so that ends are
pruned by what leads on from them. Ends that have a relation go along it together, so that two
births to be compared, or the years of twenty films, take one place: each end by itself, its kind
and its sex first, left no room for the relation that was needed, and N places for twenty ends. A
branch that leads nowhere costs no place in the beam, and dates and numbers that were found stay
among the facts without taking one.
Departure: a question that says nothing but what relations there are called has these followed
without a call, and where only what things are is stated of them, nobody is asked when or where.
Departure: the beam prunes where to go on, not what a list holds: the answer is given from all that
was read, so that of seven children three are not all. Before the method abstains, what prompts had
no room for is read; the built-in reader, which reads all, says what it would only guess. Of many
ends the relations of those nearest to the question are listed (`ask/shown.py`), and what most of
these have is followed from all of them. In ToG-R a sample is read, seeded by the question; the
released code samples without a seed, and drops relations such as “country” or “instance of” by
name.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any
from typing import Literal as OneOf

from pydantic import BaseModel, Field

from kgqa_core.ask import bounds, events, shown, skills
from kgqa_core.ask.events import Answer
from kgqa_core.ask.method import Method
from kgqa_core.ask.run import Steps, Toolkit, merge_uses
from kgqa_core.ask.shown import RELATIONS, fitting
from kgqa_core.facts.terms import (
    Direction,
    Entity,
    Relation,
    RelationUse,
    Statement,
    Value,
)
from kgqa_core.methods import plain
from kgqa_core.methods.answering import MEMORY, Memory, compose, or_memory, read_on
from kgqa_core.methods.further import or_further
from kgqa_core.methods.linking import link_question, unlinked
from kgqa_core.text import counted

_SPARE = 2  # branches chosen for each place in the beam: some may lead nowhere


class Params(BaseModel):
    width: int = Field(3, ge=1, le=50, description="paths kept in the beam (N)")
    depth: int = Field(3, ge=1, le=6, description="hops a path may have (D)")
    candidates: int = Field(
        20, ge=2, le=500, description="ends read along one relation at random (ToG-R)"
    )
    entities: OneOf["scored", "random"] = Field(
        "scored", description="ends to go on from: by the model (ToG) or at random (ToG-R)"
    )
    answer_linking: bool = Field(True, description="link answers given as text (KGIR §3.7)")
    memory: Memory = MEMORY


class RelationParams(Params):
    entities: OneOf["scored", "random"] = Field(
        "random", description="ends to go on from: by the model (ToG) or at random (ToG-R)"
    )


@dataclass(frozen=True)
class Path:
    """A reasoning path: the statements walked, where they led, and how good that looks."""

    end: Value
    steps: tuple[Statement, ...] = ()
    score: float = 1.0


Way = tuple[tuple[Path, ...], RelationUse]


@dataclass(frozen=True)
class Branch:
    """Paths about to go on along one relation: one, or each of few that have it."""

    paths: tuple[Path, ...]
    use: RelationUse
    score: float

    @property
    def ends(self) -> list[Entity]:
        return [path.end for path in self.paths if isinstance(path.end, Entity)]


def solve(question: str, tools: Toolkit, params: Params) -> Steps[Answer]:
    answer = yield from _from_paths(question, tools, params)
    link = params.answer_linking
    return (yield from or_memory(question, answer, tools, params.memory, link))


def _from_paths(question: str, tools: Toolkit, params: Params) -> Steps[Answer]:
    anchors = yield from link_question(question, tools)
    topic = list(dict.fromkeys(entity for _, entity in anchors))
    if not topic:
        return unlinked(tools)
    yield events.Step(title="Hop 1: choose relations to follow")
    named = [name for mention, entity in anchors for name in (mention, entity.name)]
    branches, worded = yield from _first(question, topic[: params.width], named, tools, params)
    facts: dict[Statement, None] = {}
    known: list[Statement] = []
    needed: list[Statement] = []  # of what was read, by the last reply
    chance = random.Random(question)  # the same question is sampled the same way
    cut = False
    for depth in range(1, params.depth + 1):
        tools.check()
        if not branches:
            break
        yield events.Step(title=f"Hop {depth}: follow them")
        paths, sampled = yield from _grown(branches, list(facts), tools, params, chance)
        if not paths:
            left = tuple(dict.fromkeys(end for branch in branches for end in branch.ends))
            yield events.DeadEnd(entities=left, why="nothing follows along these relations")
            break
        facts.update(dict.fromkeys(s for path in paths for s in path.steps))
        known = tools.relevant(question, list(facts))
        ends: dict[Entity, Path] = {}
        ways: list[Way] = []
        reply: skills.AnswerOrGoOn | skills.AnswerIfEnough
        if worded and depth == 1 < params.depth:
            reply = yield from tools.ask(skills.ANSWER_IF_ENOUGH, question=question, facts=known)
            if _answers(reply):
                return (yield from _told(question, reply, known, paths, sampled, tools, params))
        if depth < params.depth:
            ends = yield from _going(question, paths, tools, params, chance)
            ways = yield from _ways(question, ends, tools, params)
        yield events.Step(title=f"Hop {depth}: see whether this is enough to answer")
        if ways:
            given = _given(question, ways, known, params)
            reply = yield from tools.ask(skills.ANSWER_OR_GO_ON, **given)
        else:
            reply = yield from tools.ask(skills.ANSWER_IF_ENOUGH, question=question, facts=known)
        if _answers(reply):
            some = cut or sampled  # what the beam cut may belong to the answer
            return (yield from _told(question, reply, known, paths, some, tools, params))
        keep = reply.keep if isinstance(reply, skills.AnswerIfEnough) else []
        needed = [known[n] for n in keep if 0 <= n < fitting(known)][: bounds.NEEDED]
        picked: Sequence[skills.ScoredPick] = ()
        if isinstance(reply, skills.AnswerOrGoOn):
            picked = yield from or_further(reply.picked, given, tools)
        branches = _branches(picked, ways, params)
        if params.entities == "scored":
            branches = yield from _from_all(branches, ends, paths)
        on = {s for branch in branches for path in branch.paths for s in path.steps}
        yield from _kept(paths, on, "the search goes on from here")
        several = len({path.end for path in paths if isinstance(path.end, Entity)})
        cut = cut or sampled or several > params.width
    if not facts:
        yield events.DeadEnd(
            entities=tuple(topic), why="no relation that was read here bears on the question"
        )
    elif rest := known if tools.reads_all else known[fitting(known) :]:
        yield events.Step(title=f"Try to answer from the {counted(len(rest), 'fact')} left")
        last, read = yield from read_on(question, [*needed, *rest], tools)
        if last.sentences or last.values:
            answer = yield from compose(question, last, read, tools, link=params.answer_linking)
            return answer.model_copy(update={"certain": False})
    reason = f"The paths do not answer the question within {params.depth} hops."
    return Answer(reason=f"{reason} Allow more depth or width." if facts else reason)


def _answers(reply: skills.AnswerOrGoOn | skills.AnswerIfEnough) -> bool:
    return reply.sufficient and bool(reply.sentences or reply.values)


def _told(
    question: str,
    reply: skills.AnswerOrGoOn | skills.AnswerIfEnough,
    known: Sequence[Statement],
    paths: Sequence[Path],
    some: bool,
    tools: Toolkit,
    params: Params,
) -> Steps[Answer]:
    """The answer that a reply gives; not certain where but `some` was gone on from."""
    answer = yield from compose(question, reply, known, tools, link=params.answer_linking)
    yield from _kept(paths, set(answer.citations), "the answer rests on these")
    return answer.model_copy(update={"certain": answer.certain and not some})


def _first(
    question: str, topic: Sequence[Entity], named: Sequence[str], tools: Toolkit, params: Params
) -> Steps[tuple[list[Branch], bool]]:
    """Relation search and prune around what the question names.

    Also whether the question says in the graph's own words which relations: those are followed
    without being asked about.
    """
    ways = yield from _ways(question, {entity: Path(entity) for entity in topic}, tools, params)
    if len(ways) < 2:
        return [Branch(paths, use, 1.0) for paths, use in ways], False
    uses = [use for _, use in ways]
    said = [] if tools.reads_all else plain.said_by(question, named, uses, params.width)
    if said:
        return [Branch(*ways[n], 1.0) for n in said], True
    given = _given(question, ways, [], params)
    reply = yield from tools.ask(skills.CHOOSE_RELATIONS, **given)
    picked = yield from or_further(reply.picked, given, tools)
    return _branches(picked, ways, params), False


def _given(
    question: str, ways: Sequence[Way], facts: Sequence[Statement], params: Params
) -> dict[str, Any]:
    """What is put to the model that chooses ways."""
    owners = [[path.end for path in paths] for paths, _ in ways]
    entities = list(dict.fromkeys(end for ends in owners for end in ends))
    return {
        "question": question,
        "entities": entities,
        "relations": [use for _, use in ways],
        "whose": owners if len(entities) > 1 else [],
        "facts": facts,
        "most": params.width,
    }


def _going(
    question: str,
    paths: Sequence[Path],
    tools: Toolkit,
    params: Params,
    chance: random.Random,
) -> Steps[dict[Entity, Path]]:
    """The ends that the search may go on from. Paths that meet go on as one, the best of them."""
    best: dict[Entity, Path] = {}
    for path in paths:
        if isinstance(path.end, Entity) and path.score > getattr(best.get(path.end), "score", -1):
            best[path.end] = path
    ends, width = list(best), params.width
    if params.entities == "scored":
        steps = [best[end].steps[-1] for end in ends]
        ends = yield from tools.nearest_ends(question, ends, steps, bounds.ENDS)
    elif len(ends) > width:
        yield events.Noted(text=f"Of {len(ends):,} ends {width} are gone on from: by chance.")
        ends = sorted(chance.sample(ends, width), key=ends.index)
    return {end: best[end] for end in ends}


def _ways(
    question: str, going: Mapping[Entity, Path], tools: Toolkit, params: Params
) -> Steps[list[Way]]:
    """Relation search: those around every end, the nearest to the question first.

    Of several ends in turns, so that each has its nearest where a prompt has room. Those that have
    a relation go along it together: that two were born is one way, when twenty films came out, too.
    """
    if not going:
        return []
    yield from tools.survey(list(going), about=question)
    most = RELATIONS // len(going)  # of those, examples are shown
    uses = tools.relations_of(list(going), about=question, most=most)
    own = [
        [(path, use) for use in of if not _leads_back(path, use)]
        for path, of in zip(going.values(), uses, strict=True)
    ]
    turns = [way for turn in zip_longest(*own) for way in turn if way is not None]
    if plain.leads_nowhere(question, (use for _, use in turns)):
        return []
    together: dict[tuple[Relation, Direction], list[tuple[Path, RelationUse]]] = {}
    for path, use in turns:
        together.setdefault((use.relation, use.direction), []).append((path, use))
    return [
        (tuple(path for path, _ in ways), merge_uses([[use] for _, use in ways])[0])
        for ways in together.values()
    ]


def _leads_back(path: Path, use: RelationUse) -> bool:
    """Whether a relation leads to nothing but what the path came from."""
    last = path.steps[-1] if path.steps else None
    if last is None or use.relation != last.relation or use.count != 1:
        return False
    return use.direction == ("in" if path.end == last.object else "out")


def _branches(
    picked: Sequence[skills.ScoredPick], ways: Sequence[Way], params: Params
) -> list[Branch]:
    """The best of all paths; some more than the beam holds."""
    branches: dict[int, Branch] = {}
    for pick in picked[: _SPARE * params.width]:
        if 0 <= pick.index < len(ways) and pick.score > 0:
            paths, use = ways[pick.index]
            score = max(path.score for path in paths) * pick.score
            branches.setdefault(pick.index, Branch(paths, use, score))
    return sorted(branches.values(), key=lambda b: -b.score)


def _from_all(
    branches: Sequence[Branch], listed: Mapping[Entity, Path], paths: Sequence[Path]
) -> Steps[list[Branch]]:
    """What most of the ends `listed` in a prompt have is followed from the others, too, that were
    reached the same way: a prompt is no longer for it.
    """
    widened = []
    for branch in branches:
        way = _led(branch.paths[0])
        alike = [path for path in listed.values() if _led(path) == way]
        others = {p.end: p for p in paths if _led(p) == way and p.end not in listed}
        if others and 2 * sum(path in alike for path in branch.paths) > len(alike):
            every = (*branch.paths, *others.values())
            branch = replace(branch, paths=every[: bounds.WIDTH])
            many = f"{bounds.WIDTH} of " if len(every) > bounds.WIDTH else "all "
            name = branch.use.relation.name
            yield events.Noted(text=f"“{name}” is followed from {many}{len(every):,} ends.")
        widened.append(branch)
    return widened


def _led(path: Path) -> tuple[Relation, bool] | None:
    """Along which relation a path came to its end, and whether the end is its object."""
    last = path.steps[-1] if path.steps else None
    return (last.relation, path.end == last.object) if last else None


def _grown(
    branches: Sequence[Branch],
    facts: Sequence[Statement],
    tools: Toolkit,
    params: Params,
    chance: random.Random,
) -> Steps[tuple[list[Path], bool]]:
    """Entity search: the paths that the branches lead to, and whether some were left out."""
    grown: list[Path] = []
    sampled, taken = False, 0
    for branch in branches:
        if taken == params.width:
            break
        found = yield from tools.expand(
            branch.ends,
            relation=branch.use.relation,
            direction=branch.use.direction,
        )
        fresh = [s for s in found if s not in facts]
        taken += bool(fresh)
        if params.entities == "random" and len(fresh) > params.candidates:
            some = set(chance.sample(fresh, params.candidates))
            left = shown.left_out([s for s in fresh if s not in some])
            yield events.Noted(text=f"Not in the sample: {left}.")
            fresh = [s for s in fresh if s in some]
            sampled = True
        out = branch.use.direction == "out"
        grown += [
            Path(s.object if out else s.subject, (*path.steps, s), branch.score)
            for path in branch.paths
            for s in fresh
            if path.end == (s.subject if out else s.object)
        ]
    return grown, sampled


def _kept(paths: Sequence[Path], kept: Collection[object], why: str) -> Steps[None]:
    """Entity prune, as it shows: the last steps that are gone on from, and those that are left."""
    steps = {path.steps[-1]: path.end for path in paths}
    on = {s: end for s, end in steps.items() if s in kept}
    if on:
        entities = tuple(dict.fromkeys(e for e in on.values() if isinstance(e, Entity)))
        yield events.Chosen(statements=tuple(on), entities=entities, why=why)
    if left := tuple(s for s in steps if s not in on):
        yield events.Pruned(statements=left, why=f"not needed: {why}" if on else "no way on")


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
