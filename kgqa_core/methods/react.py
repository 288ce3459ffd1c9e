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
from kgqa_core.ask import invented as x
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

    `by` None: an anchor linked from the question (`mention`). `relations` are in order of
    nearness to the question; `shown` of them are printed, the others can be asked for.
    """

    name: str
    by: Action | None = Field(None, description="the action that made the set")
    mention: str = Field("", description="the name in the question that the set stands for")
    members: list[Value] = Field([], description="the first of its members")
    size: int = Field(0, description="how many there are; an empty set was not found")
    relations: list[RelationUse] = Field(
        [],
        description="relations that leave (→) or enter (←) the members, by id and name, with "
        "examples of where they lead",
    )
    shown: int = RELATIONS
    looked_at: list[Value] = Field([], description="of an empty set: values that failed the test")
    shared_by: list[int] = Field(
        [], description="of a grouped set: by how many of the set before each member is shared"
    )
    doubtful: bool = Field(
        False, description="made from a part of a larger set, or undated where a time was asked for"
    )
    problem: str = Field("", description="why the action failed")


class Notebook(BaseModel):
    question: str
    sets: list[SetView] = Field(description="what was found so far")
    actions_left: int = Field(description="so many more are allowed, the answer among them")


_ANCHOR = SetView(
    name="S1",
    mention="Ilse Marrow",
    members=[x.MARROW],
    size=1,
    relations=[
        x.use(x.CHILD, "out", 2, "Nora Marrow", "Jon Marrow"),
        x.use(x.AUTHOR, "in", 2, "The Salt Lantern", "Grey Tide"),
        x.use(x.BORN, "out", 1, "14 March 1902"),
    ],
)
_TO_NOVELS = Action(
    thought="Her novels are what she is the author of; the youngest is asked for.",
    tool="follow",
    of="S1",
    relation=x.AUTHOR.id,
    direction="in",
)
_NOVELS = SetView(
    name="S2",
    by=_TO_NOVELS,
    members=[x.LANTERN, x.GREY_TIDE],
    size=2,
    relations=[x.use(x.PUBLISHED, "out", 2, "1931", "1938")],
)
_TO_YOUNGEST = Action(
    thought="The highest date of publication is the youngest novel's.",
    tool="rank",
    of="S2",
    relation=x.PUBLISHED.id,
    order="highest",
)
_YOUNGEST = SetView(name="S3", by=_TO_YOUNGEST, members=[x.GREY_TIDE], size=1)
_ASKED = "What is the youngest novel by Ilse Marrow?"

NEXT_ACTION = Skill(
    "next action",
    "You answer a question by walking a knowledge graph. You see the sets found so far. Think "
    "what is known and what is needed, then choose the next action. Use only relations listed "
    "for the set; never use knowledge that no set shows. As soon as a set is the answer, answer "
    "with it: what its members say can still be compared or counted in words. Do not give up "
    "while a set that matters has further relations.",
    Notebook,
    Action,
    examples=(
        (Notebook(question=_ASKED, sets=[_ANCHOR], actions_left=12), _TO_NOVELS),
        (
            Notebook(question=_ASKED, sets=[_ANCHOR, _NOVELS, _YOUNGEST], actions_left=10),
            Action(thought="Grey Tide, of 1938, is the youngest.", tool="answer", of="S3"),
        ),
        (
            Notebook(
                question="For whom did Jon Marrow sail in 1955?",
                sets=[
                    SetView(
                        name="S1",
                        mention="Jon Marrow",
                        members=[x.JON],
                        size=1,
                        relations=[x.use(x.WORKS_FOR, "out", 3, "Velm Ferry Company")],
                    )
                ],
                actions_left=12,
            ),
            Action(
                thought="Of his three employers, the one of 1955 is asked for.",
                tool="follow",
                of="S1",
                relation=x.WORKS_FOR.id,
                at="1955",
            ),
        ),
    ),
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
            yield from _leave(*undecided.values())
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
        yield from _leave(undecided.pop(action.of, []))
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


def _leave(*glimpses: list[Statement]) -> Steps[None]:
    """Glimpsed facts are for the picture: no prompt holds them, so nobody turned them down."""
    left = tuple(dict.fromkeys(s for glimpse in glimpses for s in glimpse))
    if left:
        yield events.Pruned(statements=left, why="looked at, not walked along")


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
    rests_on = {v: [position[s] for s in support] for v, support in found.members.items()}
    reply = yield from tools.ask(
        skills.ANSWER,
        question=question,
        facts=facts,
        found=[skills.Found(value=v, facts=own) for v, own in rests_on.items()],
        notes=[action.thought, *_unlisted(found)],
    )
    answer = yield from compose(
        question,
        reply,
        facts,
        tools,
        found=list(rests_on),
        rests_on=rests_on,
        link=params.answer_linking,
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
