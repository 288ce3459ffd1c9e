"""ReAct over a knowledge graph: think, act on the graph, observe, until it can answer.

Cuéllar et al., Knowledge Graph Information Retrieval and Complex Question Answering, §3.6:
link the question's entities, then let the model pick the relations to follow.

Departure: the published system stops after two hops, follows outgoing statements of one main
entity only, and answers from the bare model when the walk fails. Here the model works with
named sets of nodes: any number of hops, both directions, several anchors; and it abstains.
Extension: keeping, ranking and computing over sets (half of QALD-10 needs them).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pydantic import BaseModel, Field

from kgqa_core.ask import events, skills
from kgqa_core.ask.events import Answer
from kgqa_core.ask.method import Method
from kgqa_core.ask.run import Steps, Toolkit
from kgqa_core.ask.shown import NAMES, RELATIONS
from kgqa_core.ask.skill import Skill
from kgqa_core.facts.terms import RelationUse, Statement, Value
from kgqa_core.methods import walk
from kgqa_core.methods.answering import compose
from kgqa_core.methods.linking import link_mentions, link_question
from kgqa_core.methods.walk import Action, ActionError, NodeSet

_EARLIER = 8  # relations shown of a set that another one came after
_CITED = 5  # facts that stand for an anchor that is the answer
_PRINTED = 30  # members of a set
_FEW = 3  # a larger set is not glimpsed around


class Params(BaseModel):
    steps: int = Field(12, ge=1, le=40, description="actions before it gives up")
    width: int = Field(300, ge=1, le=5000, description="entities of a set that are expanded")
    glimpse: int = Field(
        6, ge=0, le=50, description="facts looked at around a new node before a relation is chosen"
    )
    answer_linking: bool = Field(
        True, description="link answers given as text to entities of the graph (KGIR §3.7)"
    )


class SetView(BaseModel):
    """A named set of nodes or values, and how it came about.

    `by` None: an anchor linked from the question (`mention`). `doubtful`: made from some of a
    larger set's members only, or undated where a time was asked for. `problem`: the action
    failed. An empty set was looked for and not found. `relations` are in order of nearness to the
    question; `shown` of them are printed, the others can be asked for. `looked_at`: values that
    did not pass the test of an empty set. `shared_by`: by how many of the set before each member
    of a grouped one is shared.
    """

    name: str
    by: Action | None = None
    mention: str = ""
    members: list[Value] = []
    size: int = 0
    relations: list[RelationUse] = []
    shown: int = RELATIONS
    looked_at: list[Value] = []
    shared_by: list[int] = []
    doubtful: bool = False
    problem: str = ""


class Notebook(BaseModel):
    question: str
    sets: list[SetView]
    actions_left: int


NEXT_ACTION = Skill(
    "next action",
    "You answer a question by walking a knowledge graph. You see the sets found so far, each "
    "with the relations that leave (→) and enter (←) it. Choose the next action:\n"
    + "".join(f"{tool}: {meaning}.\n" for tool, meaning in walk.TOOLS.items())
    + "Use only relations listed for the set. Never use knowledge that no set shows. Do not give "
    "up while a set that matters has further relations.",
    Notebook,
    Action,
)


def solve(question: str, tools: Toolkit, params: Params) -> Steps[Answer]:
    anchors = yield from link_question(question, tools)
    sets: dict[str, NodeSet] = {}
    views: list[SetView] = []
    undecided: dict[str, list[Statement]] = {}  # glimpsed facts, by the set they surround

    def add(found: NodeSet, by: Action | None = None, mention: str = "") -> Steps[SetView]:
        name = f"S{len(views) + 1}"
        sets[name] = found
        relations: list[RelationUse] = []
        if found.entities:
            relations = yield from tools.survey(found.entities[: params.width], about=question)
            sets[name] = replace(found, uses=tuple(relations))
        if params.glimpse and 0 < len(found.entities) <= _FEW:
            undecided[name] = yield from tools.expand(found.entities, limit=params.glimpse)
        view = SetView(
            name=name,
            by=by,
            mention=mention,
            members=list(found.members)[:_PRINTED],
            size=found.size,
            relations=relations,
            doubtful=found.doubtful,
            looked_at=list(found.looked_at),
            shared_by=list(found.shared_by[:_PRINTED]),
        )
        views.append(view)
        return view

    for mention, entity in anchors:
        yield from add(NodeSet({entity: ()}), mention=mention)

    for left in range(params.steps, 0, -1):
        tools.check()
        notebook = {"question": question, "sets": _printed(views), "actions_left": left}
        action = yield from tools.ask(NEXT_ACTION, **notebook)
        yield events.Step(title=walk.title(action, tools, sets), thought=action.thought)
        if action.tool == "answer" and (final := walk.named(action.of, sets)) is not None:
            yield from _leave(*undecided.values(), why="not needed for the answer")
            final = yield from _grounded(question, final, list(sets.values()), tools)
            return (yield from _answer(question, action, final, tools, params))
        if action.tool == "give up":
            return Answer(reason=action.reason or "The graph does not contain the answer.")
        if action.tool == "more" and (n := _position(action.of, views)) is not None:
            views[n] = views[n].model_copy(update={"shown": views[n].shown + NAMES})
            continue
        try:
            found = yield from _act(question, action, sets, tools, params)
        except ActionError as error:
            yield events.Noted(text=str(error), level="warning")
            views.append(SetView(name=f"S{len(views) + 1}", by=action, problem=str(error)))
            continue
        yield from _leave(undecided.pop(action.of, []), why="another relation was chosen")
        yield from add(found, by=action, mention=action.mention)
    return Answer(
        reason=f"No answer within {params.steps} actions. Allow more, or ask something narrower."
    )


def _position(name: str, views: Sequence[SetView]) -> int | None:
    """Of the set of that name, if it has relations that were not shown."""
    at = (n for n, v in enumerate(views) if v.name == name and v.shown < len(v.relations))
    return next(at, None)


def _printed(views: Sequence[SetView]) -> list[SetView]:
    """The sets as the prompt shows them: the last with all it may, those before with less."""
    last = max((n for n, view in enumerate(views) if view.relations), default=0)
    return [
        view if n == last or view.shown > RELATIONS else view.model_copy(update={"shown": _EARLIER})
        for n, view in enumerate(views)
    ]


def _leave(*glimpses: list[Statement], why: str) -> Steps[None]:
    left = tuple(dict.fromkeys(s for glimpse in glimpses for s in glimpse))
    if left:
        yield events.Pruned(statements=left, why=why)


def _act(
    question: str, action: Action, sets: dict[str, NodeSet], tools: Toolkit, params: Params
) -> Steps[NodeSet]:
    if action.tool == "find":
        anchors = yield from link_mentions(question, [action.mention], tools)
        return NodeSet({entity: () for _, entity in anchors})
    source = walk.named(action.of, sets)
    if source is None:
        raise ActionError(f"There is no set “{action.of}” for “{action.tool}”.")
    match action.tool:
        case "follow":
            return (yield from walk.follow(action, source, tools, params.width))
        case "keep":
            return (yield from walk.keep(action, source, tools, params.width))
        case "rank":
            return (yield from walk.rank(action, source, tools, params.width))
        case "group":
            return (yield from walk.group(action, source, tools, params.width))
        case _:
            other = walk.named(action.with_set, sets)
            return (yield from walk.compute_sets(action, source, other, tools, params.width))


def _grounded(
    question: str, found: NodeSet, sets: Sequence[NodeSet], tools: Toolkit
) -> Steps[NodeSet]:
    """The set with facts for its bare members: an anchor that is the answer rests on none yet.

    Facts that join it with other things the walk has seen, else those nearest to the question.
    """
    bare = [m for m in found.entities if not found.members[m]][:_FEW]
    if not bare:
        return found
    around = yield from tools.expand(bare, about=question)
    seen = {m for one in sets for m in one.members}
    members = dict(found.members)
    for member in bare:
        own = [s for s in around if member in (s.subject, s.object)]
        joining = [s for s in own if {s.subject, s.object} - {member} <= seen]
        members[member] = tuple((joining or own)[:_CITED])
    return replace(found, members=members)


def _answer(
    question: str, action: Action, found: NodeSet, tools: Toolkit, params: Params
) -> Steps[Answer]:
    if not found.members:
        return Answer(reason="The walk found nothing that answers the question.")
    facts = list(found.because)
    position = {s: i for i, s in enumerate(facts)}
    reply = yield from tools.ask(
        skills.ANSWER,
        question=question,
        facts=facts,
        found=[
            skills.Found(value=v, facts=[position[s] for s in support])
            for v, support in found.members.items()
        ],
        notes=[action.thought, *_unlisted(found)],
    )
    answer = yield from compose(
        question, reply, facts, tools, found=list(found.members), link=params.answer_linking
    )
    return answer.model_copy(
        update={
            "certain": answer.certain and action.certain and found.hub is None,
            "reading": action.reading or answer.reading,
        }
    )


def _unlisted(found: NodeSet) -> list[str]:
    if found.hub is None:
        return []
    return [f"These are {len(found.members):,} of {found.size:,}: say so."]


METHOD = Method(
    "react",
    "ReAct",
    solve,
    Params,
    "Thinks, acts on the graph, observes, and goes on until it can answer.",
    "KGIR §3.6; Yao et al. 2022",
)
