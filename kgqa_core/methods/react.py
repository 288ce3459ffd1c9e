"""ReAct over a knowledge graph: think, act on the graph, observe, until it can answer.

Cuéllar et al., Knowledge Graph Information Retrieval and Complex Question Answering, §3.6:
link the question's entities, then let the model pick the relations to follow.

Departure: the published system stops after two hops, follows outgoing statements of one main
entity only, and answers from the bare model when the walk fails. Here the model works with
named sets of nodes: any number of hops, both directions, several anchors; and it abstains. Theirs
is `walk=hops` with `memory=marked`, in `hops.py`.
Extension: keeping, ranking and computing over sets (half of QALD-10 needs them).
Extension: a reply may plan several actions. They are taken one by one, each a step of its own,
until one comes out otherwise than planned; then the model sees what there is and thinks again. What
the built-in reader plans for the case that nothing is found, is taken then alone.
What a plan ends with is told without another call, where the members of a set are the answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, TypeVar
from typing import Literal as OneOf

from pydantic import BaseModel, Field

from kgqa_core.ask import bounds, events, skills
from kgqa_core.ask import invented as x
from kgqa_core.ask.events import Answer
from kgqa_core.ask.method import Method
from kgqa_core.ask.run import Steps, Toolkit
from kgqa_core.ask.shown import MEMBERS, NAMED, NAMES, RELATIONS, printed
from kgqa_core.ask.skill import Skill
from kgqa_core.facts import compute, verbalise
from kgqa_core.facts.terms import (
    TIMES,
    Entity,
    Literal,
    RelationUse,
    Statement,
    Value,
    far_end,
)
from kgqa_core.methods import hops, walk
from kgqa_core.methods.answering import (
    IN_PART,
    MEMORY,
    Memory,
    asks_what_is,
    compose,
    is_far,
    may_lack,
    or_memory,
)
from kgqa_core.methods.compass.telling import tell
from kgqa_core.methods.keqing import templates
from kgqa_core.methods.linking import link_mentions, link_question
from kgqa_core.methods.offering import needless
from kgqa_core.methods.walk import Action, ActionError, Later, Move, NodeSet
from kgqa_core.text import fold

ActionT = TypeVar("ActionT", bound=Action)
_LAST = 4  # sets of which some relations are named
_FEW_LEFT = 3  # actions: then it is told
_FRAME = re.compile(r"(?P<before>[^{}]*)\{[^{}]*\}(?P<after>[^{}]*)$")


class Params(BaseModel):
    steps: int = Field(12, ge=1, le=40, description="actions before it gives up")
    width: int = Field(300, ge=1, le=5000, description="entities of a set that are expanded")
    glimpse: int = Field(
        6, ge=0, le=50, description="facts looked at around a new node before a relation is chosen"
    )
    answer_linking: bool = Field(
        True, description="link answers given as text to entities of the graph (KGIR §3.7)"
    )
    walk: OneOf["sets", "hops"] = Field(
        "sets", description="named sets and operations on them; hops: as published (`hops.py`)"
    )
    hops: int = Field(2, ge=1, le=4, description="how far, for walk=hops")
    memory: Memory = MEMORY


class SetView(BaseModel):
    """A named set of nodes or values, and how it came about.

    `by` None: an anchor linked from the question (`mention`); `told` says it in a line. `size`: how
    many, if not all are shown; `out_of` how many were tested. `relations` are in order of nearness
    to the question; `shown` of them are printed, the others can be asked for. `doubtful`: from a
    part, or undated; `unstated`: of no stated kind; `ended`: how many are no more. `like`: another
    set that has the very same. `mention` is the name it stands for, `problem` why it is
    empty, `failed`: it was never made.
    """

    titled_by: ClassVar[str] = "name"

    name: str
    by: Action | None = None
    told: str = ""
    mention: str = ""
    members: list[Value] = []
    size: int = 0
    out_of: int = 0
    relations: list[RelationUse] = []
    shown: int = RELATIONS
    looked_at: list[Value] = []  # values that were tested
    shared_by: list[int] = []
    doubtful: bool = False
    unstated: list[Value] = []
    ended: int = 0
    like: str = ""
    problem: str = ""
    failed: bool = False

    def printed(self) -> dict[str, Any]:
        """What led to it in a line; as many members as share one, “none” of an empty set; their
        number where not all are shown or some were tested in vain, and the name it stands for
        where that is not the member's own. What another set has is not said again. What is seldom
        there says itself what it means.
        """
        first = self.members[0].name if len(self.members) == 1 else ""
        named = self.members[: NAMED if self.shown > 0 else bounds.EARLIER]
        size = f"{self.size:,} in all" if self.size != len(named) else ""
        if self.out_of > self.size:
            size = f"{self.size:,} of {self.out_of:,} passed"
        as_there: dict[str, Any] = {"relations": f"those of {self.like}"} if self.like else {}
        if self.like and len(named) > 1:
            as_there |= {"members": f"those of {self.like}", "size": 0}
        return {
            "by": self.told or (self.by and walk.in_short(self.by)),
            "told": None,
            "members": named or ([] if self.problem else "none"),
            "size": size or 0,
            "out_of": 0,
            "shared_by": self.shared_by[: len(named)],
            "doubtful": self.doubtful and "from a part, or undated",
            "unstated": self._of_no_kind() or [],
            "ended": self.ended and f"{self.ended} of them, or others are preferred",
            "like": "",
            "failed": False,
            "mention": "" if fold(self.mention) == fold(first) else self.mention,
            **as_there,
        }

    def _of_no_kind(self) -> str:
        """Of how many no kind is stated, which, and whether they are among the members."""
        if not self.unstated:
            return ""
        kept = self.unstated[0] in self.members
        some = "; ".join(value.name for value in self.unstated[: bounds.EARLIER])
        more = len(self.unstated) - bounds.EARLIER
        many = f"{some}; {more:,} more" if more > 0 else some
        return f"no kind is stated of {many}: {'kept' if kept else 'left out'} all the same"


class Notebook(BaseModel):
    question: str
    sets: list[SetView]
    next_set: str = ""
    actions_left: int
    planned: str = ""
    reckons: bool = False

    def needless(self) -> frozenset[str]:
        """The actions that are not explained; once they were asked for, all are, but for `more`
        where nothing more is there.
        """
        own = {view.mention.casefold(): view for view in self.sets if view.by is None}
        whole = [view for name, view in own.items() if not any(name in n for n in own if n != name)]
        named = len({member for view in whole for member in view.members})
        hidden = frozenset() if self.reckons else needless(self.question, named)
        there = any(sum(printed(view.shown)) < len(view.relations) for view in self.sets)
        return (hidden or frozenset({"reckon"})).union(() if there else ("more",))

    def printed(self) -> dict[str, Any]:
        """Sets are counted on: which is next is seen. That few actions are left is said."""
        few = self.actions_left <= _FEW_LEFT
        left = self.actions_left if few else None
        return {"next_set": None, "actions_left": left, "reckons": None}


def _has_begun(given: BaseModel) -> bool:
    return any(view.by is not None for view in getattr(given, "sets", ()))


_ANCHOR = SetView(
    name="S1",
    mention="Ilse Marrow",
    members=[x.MARROW],
    size=1,
    relations=[
        x.use(x.AUTHOR, "in", 2, "The Salt Lantern", "Grey Tide"),
        x.use(x.CHILD, "out", 1, "Jon Marrow"),
    ],
)
_SAILED = [
    SetView(
        name="S1",
        mention="Jon Marrow",
        members=[x.JON],
        size=1,
    ),
    SetView(
        name="S2",
        by=Action(tool="follow", of="S1", relation=x.WORKS_FOR.label, at="1955"),
        members=[x.VELM],
        size=1,
        relations=[x.use(x.ISLAND, "out", 1, "Orvel")],
    ),
]
NEXT_ACTION = Skill(
    "next action",
    "Answer a question by walking a knowledge graph: choose the next action by the sets found so "
    "far, and plan those after it. What no set shows is no answer. Answer as soon as a set is the "
    "answer.",
    Notebook,
    Move,
    state=_has_begun,
    examples=(
        (
            Notebook(
                question="Which novels did Ilse Marrow write?", sets=[_ANCHOR], actions_left=12
            ),
            Move(
                thought="Her works, of these the novels.",
                tool="follow",
                of="S1",
                relation=x.AUTHOR.id,
                direction="in",
                then=[
                    Later(tool="keep", of="S2", relation="instance of", value="novel"),
                    Later(tool="answer", of="S3", say="She wrote {S3}."),
                ],
            ),
        ),
        (
            Notebook(
                question="On which island is the company that Jon Marrow sailed for in 1955?",
                sets=_SAILED,
                actions_left=11,
            ),
            Move(
                thought="S2 is the company; now its island.",
                tool="follow",
                of="S2",
                relation=x.ISLAND.id,
                then=[Later(tool="answer", of="S3", say="It is on {S3}.")],
            ),
        ),
    ),
)


def solve(question: str, tools: Toolkit, params: Params) -> Steps[Answer]:
    link = params.answer_linking
    if params.walk == "hops":
        answer = yield from hops.walked(question, tools, params.hops, link)
    else:
        anchors = yield from link_question(question, tools)
        answer = yield from walked(question, anchors, tools, params)
    return (yield from or_memory(question, answer, tools, params.memory, link))


def walked(
    question: str, anchors: Sequence[tuple[str, Entity]], tools: Toolkit, params: Params
) -> Steps[Answer]:
    """The walk from anchors, each with the name that the question has for it."""
    sets: dict[str, NodeSet] = {}
    views: list[SetView] = []
    undecided: dict[str, list[Statement]] = {}  # glimpsed facts, by the set they surround

    def add(found: NodeSet, by: Action | None = None, mention: str = "") -> Steps[SetView]:
        name = f"S{len(views) + 1}"
        found = sets[name] = walk.nearest_first(question, found, tools)
        relations: list[RelationUse] = []
        if found.entities:
            relations = yield from tools.survey(found.entities[: params.width], about=question)
            sets[name] = replace(found, uses=tuple(relations))
        if params.glimpse and 0 < len(found.entities) <= bounds.GLIMPSED:
            undecided[name] = yield from tools.expand(found.entities, limit=params.glimpse)
        view = SetView(
            name=name,
            by=by,
            told=walk.in_short(by, tools) if by is not None else "",
            mention=mention,
            members=list(found.members)[:MEMBERS],
            size=found.size,
            out_of=sets[by.of].size
            if by is not None and by.tool == "keep" and by.of in sets
            else 0,
            relations=relations,
            doubtful=found.doubtful,
            looked_at=list(found.looked_at),
            shared_by=list(found.shared_by[:MEMBERS]),
            unstated=list(found.unstated),
            ended=walk.past(found) if by is not None and not by.at else 0,
            problem=found.why,
        )
        views.append(view)
        return view

    for mention, entity in anchors:
        yield from add(NodeSet({entity: ()}), mention=mention)

    left, held, reckons = params.steps, "", False
    while left:
        tools.check()
        move = yield from tools.ask(
            NEXT_ACTION,
            question=question,
            sets=_printed(views),
            next_set=f"S{len(views) + 1}",
            actions_left=left,
            planned=held,
            reckons=reckons,
        )
        held = ""
        empty = False
        later = _counted_on(move, views)
        for n, planned in enumerate([move, *move.then][:left]):
            if isinstance(planned, Later) and planned.otherwise != empty:
                break
            names = later if n else {}
            planned = planned.instead({**_stand_ins(views), **names}).on_named(sets)
            planned = _on_the_last(planned, views)
            try:
                action = planned.on(sets) if isinstance(planned, Later) else planned
            except ActionError as error:
                yield events.Noted(text=f"What was found is not what was planned for: {error}")
                views.append(_failed(planned, str(error), views))
                break
            over = asks_what_is(question) and not tools.reads_all and _has_past(action.of, views)
            odd = over or _is_odd(action, views, sets, anchors)
            if n and action.tool == "answer" and odd:
                held = f"{action.of}, which is {_told(action.of, sets)}"
                yield events.Noted(text=f"Before it is the answer, it is looked at: {held}.")
                held = f"answer with {held}: do so if it holds"
                break
            left -= 1
            doubtful = any(view.doubtful for view in views)
            yield events.Step(title=walk.title(action, tools, sets), thought=action.thought)
            if action.tool == "answer" and (final := walk.named(action.of, sets)) is not None:
                yield from _leave(*undecided.values())
                walked = tools.reads_all or all(final.members[one] for one in final.entities)
                final = yield from _grounded(question, action.say, final, sets, tools)
                counted = _counted(action.of, views, sets)
                answer = yield from _answer(question, action, final, counted, tools, params)
                answer = _doubted(question, answer, action.of, final, views, sets, tools)
                # what was named and never walked from is the model's word
                return answer.model_copy(update={"certain": answer.certain and walked})
            if action.tool == "give up":
                return Answer(reason=action.reason or "What was read does not contain the answer.")
            if action.tool == "more" and (at := _position(action.of, views)) is not None:
                further = max(NAMES, views[at].shown)  # twice as many each time
                views[at] = views[at].model_copy(update={"shown": views[at].shown + further})
                break
            if action.tool == "more":
                said = f"{action.of} has no further relations: all are listed."
                yield events.Noted(text=said, level="warning")
                views.append(_failed(action, said, views))
                break
            if action.tool == "reckon":
                reckons = True
                break
            try:
                found = yield from _act(question, action, sets, tools, params)
            except ActionError as error:
                yield events.Noted(text=str(error), level="warning")
                views.append(_failed(action, str(error), views))
                empty = True
                continue
            yield from _leave(undecided.pop(action.of, []))
            yield from add(found, by=action, mention=action.mention)
            empty = not found.members
            if found.doubtful and not doubtful and not empty:
                break
    return Answer(
        reason=f"No answer within {params.steps} actions. Allow more, or ask something narrower."
    )


def _is_odd(
    action: Action,
    views: Sequence[SetView],
    sets: Mapping[str, NodeSet],
    anchors: Sequence[tuple[str, Entity]],
) -> bool:
    """Whether a set is not what anybody would answer with unseen: too large, what the question
    named, or a “no”, which may only mean that the graph does not show it.

    What was ranked was named to be chosen from, and numbers that were compared were both there.
    """
    found = walk.named(action.of, sets)
    if found is None or found.hub is not None:
        return True
    by = next((view.by for view in views if view.name == action.of), None)
    odd: set[Value] = set()
    if by is None or by.tool != "rank":
        odd |= {entity for _, entity in anchors}
    if by is None or by.operation not in walk.COMPARING:
        odd.add(compute.boolean(False))
    return not odd.isdisjoint(found.members)


def _has_past(name: str, views: Sequence[SetView]) -> bool:
    """Whether some of a set, or of what it is the number of, are no more."""
    by = next((view.by for view in views if view.name == name), None)
    counted = {by.of} if by is not None and by.operation == "count" else set()
    return any(view.ended for view in views if view.name in {name, *counted})


def _told(name: str, sets: Mapping[str, NodeSet]) -> str:
    found = walk.named(name, sets)
    return "not there" if found is None else compute.describe(list(found.members))


def _failed(by: Action, why: str, views: Sequence[SetView]) -> SetView:
    return SetView(name=f"S{len(views) + 1}", by=by, problem=why, failed=True)


def _stand_ins(views: Sequence[SetView]) -> dict[str, str]:
    """By the name of what failed, the set that came next: plans count what is there alone."""
    found: dict[str, str] = {}
    later = ""
    for view in reversed(views):
        if not view.failed:
            later = view.name
        elif later:
            found[view.name] = later
    return found


def _counted_on(move: Move, views: Sequence[SetView]) -> dict[str, str]:
    """By the names that a plan has for its sets, those they will have, where it reckons that the
    last ones, which came to nothing, do not count.
    """
    there = len(views)
    while there and views[there - 1].failed:
        there -= 1
    said = {name.strip() for one in move.then for name in f"{one.of}|{one.with_set}".split("|")}
    off = [n for n in range(there + 1, len(views) + 1) if f"S{n}" in said]
    if not off:
        return {}
    by = len(views) + 1 - off[0]
    return {f"S{n}": f"S{n + by}" for n in range(off[0], off[0] + 1 + len(move.then))}


def _on_the_last(planned: ActionT, views: Sequence[SetView]) -> ActionT:
    """An action that says no set is on the one made last, or on the only one there is."""
    if planned.of or planned.tool in ("find", "reckon", "give up"):
        return planned
    made = [view.name for view in views if not view.failed and view.by is not None]
    there = made or [view.name for view in views]
    if made or len(there) == 1:
        return planned.model_copy(update={"of": there[-1]})
    return planned


def _counted(name: str, views: Sequence[SetView], sets: Mapping[str, NodeSet]) -> Sequence[Value]:
    """What a set with a number is the number of."""
    by = next((view.by for view in views if view.name == name), None)
    if by is None or by.operation != "count" or by.relation:
        return ()
    source = walk.named(by.of, sets)
    return () if source is None or source.hub else list(source.members)


def _position(name: str, views: Sequence[SetView]) -> int | None:
    """Of the set of that name, if it has relations that were not shown."""
    seen = _printed(views)
    at = (n for n, view in enumerate(seen) if view.name == name)
    return next((n for n in at if sum(printed(seen[n].shown)) < len(seen[n].relations)), None)


def _printed(views: Sequence[SetView]) -> list[SetView]:
    """The sets as the prompt shows them: what is new in full, what was seen in a line or two.

    New are the last that can be gone on from, and anchors from which nothing has come yet. Of the
    others, as far as they are anchors or of the last, a few relations by name: more of them can be
    asked for.
    """
    tried = {
        name.strip()
        for view in views
        if view.by is not None
        for name in f"{view.by.of}|{view.by.with_set}".split("|")
    }
    new = {n for n, view in enumerate(views) if view.by is None and view.name not in tried}
    new.add(max((n for n, view in enumerate(views) if view.relations), default=0))
    each = RELATIONS if len(new) == 1 else max(bounds.LEAST, bounds.TOGETHER // len(new))

    def room(n: int, view: SetView) -> int:
        if n in new:
            return each
        return 0 if view.by is None or n >= len(views) - _LAST else -1

    like = alike(views)
    rooms = [
        view.shown if view.shown > RELATIONS else room(n, view) for n, view in enumerate(views)
    ]
    for n, first in like.items():
        rooms[first] = max(rooms[first], rooms[n])
    return [
        view.model_copy(
            update={"shown": rooms[n], "like": views[like[n]].name if n in like else ""}
        )
        for n, view in enumerate(views)
    ]


def alike(views: Sequence[SetView]) -> dict[int, int]:
    """Of sets that have the very same as an earlier one, which that is; both by their positions."""
    first: dict[tuple[Any, ...], int] = {}
    found = {}
    for n, view in enumerate(views):
        if view.relations:
            has = (view.size, *view.members, *view.relations)
            if (one := first.setdefault(has, n)) != n:
                found[n] = one
    return found


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
    if action.at:
        action = action.model_copy(update={"at": walk.at_time(action.at, sets)})
    return (yield from walk.act(action, source, sets, tools, params.width))


def _grounded(
    question: str, say: str, found: NodeSet, sets: Mapping[str, NodeSet], tools: Toolkit
) -> Steps[NodeSet]:
    """The set with facts for its bare members: an anchor that is the answer rests on none yet.

    Facts whose value the model says, or that join it with other things the walk has seen, else
    those nearest to the question.
    """
    bare = [m for m in found.entities if not found.members[m]][: bounds.GLIMPSED]
    if not bare:
        return found
    around = yield from tools.expand(bare, about=question)
    seen = {m for one in sets.values() for m in one.members}
    members = dict(found.members)
    for member in bare:
        own = [s for s in around if member in (s.subject, s.object)]
        own = tools.relevant(question, own, room=0)
        joining = [s for s in own if {s.subject, s.object} - {member} <= seen]
        said = [s for s in own if verbalise.value(far_end(s, member)).casefold() in say.casefold()]
        members[member] = tuple((said or joining or own)[: bounds.FOR_ITSELF])
    return replace(found, members=members)


def _answer(
    question: str,
    action: Action,
    found: NodeSet,
    counted: Sequence[Value],
    tools: Toolkit,
    params: Params,
) -> Steps[Answer]:
    """The answer in the sentence that the action has for it, else in the model's words."""
    if not found.members:
        return Answer(reason="The walk found nothing that answers the question.")
    if found.hub is None and (frame := _FRAME.match(action.say)):
        told = _framed(tell(found, counted), frame["before"], frame["after"])
        return told.model_copy(update={"certain": action.certain, "reading": action.reading})
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


def _doubted(
    question: str,
    answer: Answer,
    name: str,
    found: NodeSet,
    views: Sequence[SetView],
    sets: Mapping[str, NodeSet],
    tools: Toolkit,
) -> Answer:
    """Less certain than a model says where the graph may lack some; the reader has weighed that."""
    if tools.reads_all or not answer.sentences:
        return answer
    if _is_polar(question) and not set(answer.values) & {compute.boolean(b) for b in (True, False)}:
        return answer.model_copy(update={"certain": False})  # a town, where yes or no was asked
    by = {view.name: view.by for view in views if view.by is not None}
    if _in_part(name, by, sets, tools):
        reading = f"{answer.reading}{IN_PART}".removeprefix(", ")
        return answer.model_copy(update={"certain": False, "reading": reading})
    far = _goes_far(question, name, by, sets, tools)
    return answer.model_copy(update={"certain": answer.certain and not (found.doubtful or far)})


def _is_polar(question: str) -> bool:
    """Whether yes or no is asked, and not which of two."""
    return "yes or no" in templates.demands(question) and " or " not in question


def _goes_far(
    question: str,
    name: str,
    by: Mapping[str, Action],
    sets: Mapping[str, NodeSet],
    tools: Toolkit,
) -> bool:
    """Whether the walk to a set goes along a relation that is hardly what the question says."""
    todo, seen = [name], set[str]()
    while todo:
        part = todo.pop(0)
        action = by.get(part)
        if action is None or part in seen:
            continue
        seen.add(part)
        todo += [n.strip() for n in f"{action.of}|{action.with_set}".split("|") if n.strip()]
        relation = tools.relation(action.relation) if action.relation else None
        if action.tool == "follow" and relation is not None and not action.qualifier:
            uses = [u for n in action.of.split("|") if n in sets for u in sets[n].uses]
            if is_far(question, relation, [use.relation for use in uses], tools):
                return True
    return False


def _in_part(
    name: str, by: Mapping[str, Action], sets: Mapping[str, NodeSet], tools: Toolkit
) -> bool:
    """Whether the graph may have but a part of what is listed, counted or chosen from."""
    counted, todo, seen = False, [name], set[str]()
    while todo:
        part = todo.pop(0)
        action = by.get(part)
        if action is None or part in seen:
            continue
        seen.add(part)
        counted |= action.tool in ("rank", "group", "compute")
        relation = tools.relation(action.relation) if action.relation else None
        own = sets[part].members if part in sets else {}
        if (
            action.tool == "follow"
            and relation
            and may_lack(relation, action.direction, own, counted)
        ):
            return True
        if action.tool != "follow" or counted:  # what a list is kept of, what a number is made of
            todo += [n.strip() for n in f"{action.of}|{action.with_set}".split("|") if n.strip()]
    return False


def _framed(told: Answer, before: str, after: str) -> Answer:
    """The values within a sentence. A yes, a no and a number say themselves what they rest on."""
    (first, *others) = told.values
    if not others and isinstance(first, Literal) and first.datatype not in TIMES:
        return told
    *rest, last = told.sentences
    end = last.text.removesuffix(".")
    sentences = [*rest, last.model_copy(update={"text": f"{end}{after or '.'}"})]
    sentences[0] = sentences[0].model_copy(update={"text": f"{before}{sentences[0].text}"})
    return told.model_copy(update={"sentences": tuple(sentences)})


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
