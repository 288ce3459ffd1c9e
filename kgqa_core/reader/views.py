"""Two views of a graph for the evaluator: the notebook of a walk, and a list of facts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from rapidfuzz import fuzz, process

from kgqa_core.ask.run import Toolkit, drain, merge_uses
from kgqa_core.facts import compute, kinds, verbalise
from kgqa_core.facts.terms import (
    DATE,
    MONTH,
    YEAR,
    Direction,
    Entity,
    Hit,
    Literal,
    Relation,
    RelationUse,
    Statement,
    Value,
    short_id,
)
from kgqa_core.kg.base import GraphInfo, KnowledgeGraph
from kgqa_core.methods import walk
from kgqa_core.methods.react import Notebook, SetView, alike
from kgqa_core.methods.walk import Action, ActionError, NodeSet
from kgqa_core.reader.acting import Found, ids_of
from kgqa_core.text import fold, singular

_ALIKE = 90
_AMOUNTS = frozenset({"difference", "quotient", "product", "years_between", "days_between"})
_TRUTHS = frozenset({"same", "any", "none", "more", "fewer", "equal"})
_COMPARED = (
    "tool", "of", "with_set", "relation", "direction", "qualifier", "at", "test", "value",
    "order", "position", "operation", "mention",
)  # fmt: skip


class Need(Exception):
    """An action that has to be taken before the plan can go on."""

    def __init__(self, action: Action) -> None:
        super().__init__(action.thought)
        self.action = action
        self.reasons: list[str] = []
        self.settled: Any = None  # an outcome that will do, if this is not worth its step


class NotebookView:
    """What a walk has found so far; anything else is needed next.

    `tried` are the mentions the walk began with: one that is not in the notebook is not in the
    graph.
    """

    def __init__(
        self, notebook: Notebook, tried: Sequence[str], called: Mapping[str, str] | None = None
    ) -> None:
        self.sets = notebook.sets
        self.like = {
            notebook.sets[n].name: notebook.sets[first].name
            for n, first in alike(notebook.sets).items()
            if not isinstance(notebook.sets[n], Foreseen)
        }
        self.tried = {fold(m) for m in tried}
        self.called = called or {}
        self.may_look = True
        self.in_part = False

    def anchor(self, text: str, noun: str) -> Found | None:
        wanted = fold(text)
        if wanted in self.called:
            named = self._mentioned(fold(self.called[wanted]))
            if named is not None and named.size:
                return self._found(named)
        found = self._mentioned(wanted)
        one = singular(wanted)
        kind = self._mentioned(one) if one != wanted else None
        common = kind and kind.members and kind.members[0].name == one and text.islower()
        if common or not (found and found.members and _named(found.members[0], text)):
            found = kind or found  # sperm whales; dolphins are no Miami Dolphins
        if found is not None:
            return self._found(found, one if found.mention == one else text) if found.size else None
        if wanted in self.tried or not (self.may_look or noun == "class"):
            return None
        raise Need(Action(thought=f"I look up “{text}”.", tool="find", mention=text))

    def known(self, text: str) -> Found | None:
        """The set of a name that was looked up; None of others."""
        view = self._mentioned(fold(text))
        return self._found(view, text) if view is not None and view.size else None

    def entries(self, text: str) -> list[Found]:
        """All the sets that were begun with by this name."""
        named = (v for v in self.sets if v.mention and fold(v.mention) == text and v.members)
        return list({v.members[0]: self._found(v) for v in named}.values())

    def _mentioned(self, wanted: str) -> SetView | None:
        """The set of a name: of one that the question has, or else that what it means has."""
        named = [v for v in self.sets if v.mention and fold(v.mention) == wanted]
        linked = (
            v for v in self.sets if v.by is None and [fold(m.name) for m in v.members] == [wanted]
        )
        return named[0] if named else next(linked, None)

    def _found(self, view: SetView, text: str = "") -> Found:
        unseen = isinstance(view, Foreseen) and view.size > 0 and not view.relations
        found = Found(
            view.name,
            tuple(view.members),
            view.size,
            _Unseen() if unseen else tuple(view.relations),
            certain=not view.doubtful,
            problem=view.problem,
        )
        if text and view.members:
            found = found.doubted(not _named(view.members[0], text))
        return found

    def act(self, thought: str, **action: Any) -> Found:
        wanted = Action(thought=thought, **action)
        for view in self.sets:
            if view.by is not None and _same(view.by, wanted):
                return self._found(view)
        known = self._on_like(wanted)
        for view in self.sets:
            if view.by is not None and _same(self._on_like(view.by), known):
                return self._found(view)
        raise Need(wanted)

    def _on_like(self, action: Action) -> Action:
        """The action on the first of the sets that have the very same: its outcome is the same."""
        own = {name: self.like.get(getattr(action, name)) for name in ("of", "with_set")}
        return action.model_copy(update={name: first for name, first in own.items() if first})


class Unforeseen(Exception):
    """What a plan needs to know of a set that there is not yet."""


class Foreseen(SetView):
    """A set to come. Its members are only of the sort of those that will be there.

    `partly`: how many of several there will be, nobody can say; so it is looked at before it is
    the answer.
    """

    partly: bool = False


class _Unseen(tuple[RelationUse, ...]):
    """Relations that nobody has seen yet: whoever looks at them raises Unforeseen."""

    def _look(self, *_: Any) -> Any:
        raise Unforeseen

    __iter__ = __len__ = __getitem__ = __contains__ = _look


def foreseen(action: Action, given: Notebook) -> Foreseen | None:
    """What an action will make, as far as examples of its relation tell; None: nobody can say.

    Empty, where it likely finds nothing: then what comes next is planned for that.
    """
    if action.tool == "find":
        return _to_come(action, given, [])
    source = next((v for v in given.sets if v.name == action.of), None)
    if source is None or not source.size:
        return None
    members: list[Value] = []
    relations: list[RelationUse] = []
    match action.tool:
        case "follow" if not (action.qualifier or action.value):
            members = _examples(action, source.relations)
        case "keep" if action.test == "is" and not _has(action, source.relations):
            return _to_come(action, given, [])
        case "keep":
            members, relations = source.members, source.relations
        case "rank":
            members, relations = source.members[:1], source.relations
        case "compute" if action.operation == "union":
            members, relations = _joined(source, given.sets, action.with_set)
        case "compute" if action.operation == "intersection":
            members = source.members  # where they share nothing, no plan goes on
        case "compute" if action.operation in _TRUTHS:
            members = [compute.boolean(True)]  # a planned “no” is looked at before it is said
        case "compute" if action.operation in _AMOUNTS or (
            action.operation == "count" and not action.relation
        ):
            members = [compute.number(source.size)]
    if not members:
        return None
    size = source.size if action.tool == "keep" else len(members)
    return _to_come(action, given, members, relations, size)


def _to_come(
    action: Action,
    given: Notebook,
    members: list[Value],
    relations: Sequence[RelationUse] = (),
    size: int = 0,
) -> Foreseen:
    return Foreseen(
        name=f"S{len(given.sets) + 1}",
        by=action,
        mention=action.mention,
        members=members,
        size=size,
        relations=list(relations),
        partly=_is_of_some(action, given),
    )


def _is_of_some(action: Action, given: Notebook) -> bool:
    """Whether it rests on a choice among several, of which nobody can say how many pass."""
    of = {name.strip() for name in f"{action.of}|{action.with_set}".split("|")}
    own = [view for view in given.sets if view.name in of]
    chosen = action.tool == "keep" and action.test == "is" and any(v.size > 1 for v in own)
    return chosen or any(isinstance(view, Foreseen) and view.partly for view in own)


def _has(action: Action, uses: Sequence[RelationUse]) -> bool:
    """Whether examples of a relation have one of the values that are tested for."""
    wanted = {fold(value) for value in action.value.split("|")}
    return any(
        (use.relation.id, use.direction) == (action.relation, action.direction)
        and not wanted.isdisjoint(map(fold, use.examples))
        for use in uses
    )


def _joined(
    source: SetView, sets: Sequence[SetView], others: str
) -> tuple[list[Value], list[RelationUse]]:
    """What sets are together; nothing where not all of their members are in view."""
    names = others.split("|")
    beside = [v for v in sets if v.name in names]
    every = [source, *beside]
    if len(beside) < len(names) or any(len(v.members) != v.size for v in every):
        return [], []
    seen = all(v.relations for v in every)
    uses = merge_uses([v.relations for v in every]) if seen else []
    return list(dict.fromkeys(m for v in every for m in v.members)), uses


def is_sound(action: Action, view: object) -> bool:
    """Whether an action may lead to what is certain: from sets of which none is doubtful."""
    if not isinstance(view, NotebookView):
        return True
    if action.tool == "find":  # a word that the question's names do not need
        return False
    of = {name.strip() for name in f"{action.of}|{action.with_set}".split("|")}
    return not any(one.doubtful for one in view.sets if one.name in of)


def is_to_be_seen(view: SetView) -> bool:
    """Whether a doubt about it may go once it is there: a yes, or what held at a time."""
    return view.by is not None and (view.by.operation in _TRUTHS or view.by.at != "")


def is_made_up(text: str, sets: Sequence[SetView]) -> bool:
    """Whether a value is taken from a set to come: its members are only of the sort of the real."""
    values = {ids_of([m]) for one in sets if isinstance(one, Foreseen) for m in one.members}
    return bool(values & set(text.split(" | ")))


def _time_like(example: str, year: int) -> Literal:
    """Some time, no more and no less precise than the example."""
    if re.search(r"\d-\d\d-\d\d", example):
        return Literal(f"{year}-01-01", DATE)
    month = re.search(r"\d-\d\d$", example)
    return Literal(f"{year}-01", MONTH) if month else Literal(str(year), YEAR)


def _examples(action: Action, uses: Sequence[RelationUse]) -> list[Value]:
    """What the relation of a set leads to, by the examples that were shown."""
    for use in uses:
        if (use.relation.id, use.direction) == (action.relation, action.direction):
            kind = kinds.kind(use.relation)
            match kind:
                case "time":
                    return [_time_like(e, 1900 + n) for n, e in enumerate(use.examples)]
                case "quantity":
                    return [
                        compute.number(Decimal(said.group().replace(",", "")))
                        for example in use.examples
                        if (said := re.match(r"-?\d[\d,]*(\.\d+)?", example))
                    ]
                case "text":
                    return [Literal(example) for example in use.examples]
                case _:
                    return [Entity(f"{action.relation} {e}", e) for e in use.examples]
    return []


class GraphView:
    """A whole graph, walked at once; of a set, `width` members are gone on from."""

    def __init__(self, graph: KnowledgeGraph, width: int = 300) -> None:
        self.graph = graph
        self.width = width
        self.tools = Toolkit(self.graph, _NoModel())
        self.sets: dict[str, NodeSet] = {}
        self.found: dict[str, Found] = {}
        self.may_look = True
        self.in_part = False

    def anchor(self, text: str, noun: str) -> Found | None:
        key = f"anchor {fold(text)}"
        if key not in self.found:
            hits = self.graph.search([text])[0]
            if not hits:
                return None
            entity = hits[0].entity
            found = self._add(NodeSet({entity: ()}))
            self.found[key] = found.doubted(hits[0].score < 1)
        return self.found[key]

    def know(self, text: str, entity: Entity) -> None:
        """From here on a name stands for this entity."""
        self.found[f"anchor {fold(text)}"] = self._add(NodeSet({entity: ()}))

    def act(self, thought: str, **action: Any) -> Found:
        wanted = Action(thought="", **action)
        key = wanted.model_dump_json()
        if key not in self.found:
            source = self.sets.get(wanted.of, NodeSet({}))
            try:
                steps = walk.act(wanted, source, self.sets, self.tools, self.width)
                self.found[key] = self._add(drain(steps)[0])
            except ActionError as error:
                self.found[key] = Found("", (), 0, problem=str(error))
        return self.found[key]

    def _add(self, result: NodeSet) -> Found:
        name = f"S{len(self.sets) + 1}"
        self.sets[name] = result
        uses = merge_uses(self.graph.relations_of(result.entities[: self.width]))
        members = tuple(result.members)
        return Found(name, members, len(members), tuple(uses), certain=not result.doubtful)


class FactsView(GraphView):
    """A list of facts as a small graph of its own."""

    graph: _Facts

    def __init__(self, facts: Sequence[Statement]) -> None:
        super().__init__(_Facts(facts), 5000)
        self.in_part = True


class _NoModel:
    """A walk over facts that are given asks no model; one that does is a defect."""

    name = "none"

    def ask(self, *_: Any, **__: Any) -> Any:
        raise AssertionError("a walk over given facts asked a model")


class _Facts:
    """The facts as a KnowledgeGraph, as far as walking needs one."""

    name = "facts"

    def __init__(self, facts: Sequence[Statement]) -> None:
        self.facts = list(facts)
        self.entities: dict[str, Entity] = {}
        self.by_name: dict[str, list[Entity]] = {}
        self.relations: dict[str, Relation] = {}
        for s in self.facts:
            for name in (s.relation.id, short_id(s.relation.id), s.relation.label):
                self.relations.setdefault(name, s.relation)
            for end in (s.subject, s.object):
                if isinstance(end, Entity) and end.id not in self.entities:
                    self.entities[end.id] = end
                    for label in dict.fromkeys((end.label, *end.aliases, short_id(end.id))):
                        if label:
                            self.by_name.setdefault(fold(label), []).append(end)

    def info(self) -> GraphInfo:
        return GraphInfo("facts", len(self.entities), len(self.facts), len(self.relations), "")

    def search(self, mentions: Sequence[str], limit: int = 10) -> list[list[Hit]]:
        return [self._search(m, limit) for m in mentions]

    def _search(self, mention: str, limit: int) -> list[Hit]:
        wanted = fold(mention)
        exact = self.by_name.get(wanted) or self.by_name.get(wanted.removeprefix("the ")) or []
        if exact:
            degree = {e: sum(e in (s.subject, s.object) for s in self.facts) for e in exact}
            ranked = sorted(exact, key=lambda e: -degree[e])
            return [Hit(e, 1.0, mention) for e in ranked[:limit]]
        near = process.extract(
            wanted, list(self.by_name), scorer=fuzz.ratio, score_cutoff=_ALIKE, limit=limit
        )
        return [Hit(e, score / 100, name) for name, score, _ in near for e in self.by_name[name]]

    def describe(self, ids: Sequence[str]) -> list[Entity | None]:
        return [self.entities.get(i) for i in ids]

    def relations_of(self, entities: Sequence[Entity]) -> list[list[RelationUse]]:
        return [self._uses(e) for e in entities]

    def _uses(self, entity: Entity) -> list[RelationUse]:
        far: dict[tuple[Relation, Direction], list[str]] = {}
        for s in self.facts:
            if s.subject == entity:
                far.setdefault((s.relation, "out"), []).append(verbalise.value(s.object))
            if s.object == entity:
                far.setdefault((s.relation, "in"), []).append(verbalise.value(s.subject))
        return [
            RelationUse(relation, direction, len(ends), tuple(dict.fromkeys(ends))[:3])
            for (relation, direction), ends in far.items()
        ]

    def statements(
        self,
        entities: Sequence[Entity],
        *,
        direction: Direction | None = None,
        relation: Relation | None = None,
        limit: int = 500,
    ) -> list[list[Statement]]:
        return [
            [
                s
                for s in self.facts
                if (relation is None or s.relation == relation)
                and (
                    (direction != "in" and s.subject == e) or (direction != "out" and s.object == e)
                )
            ]
            for e in entities
        ]

    def relation(self, id_or_label: str) -> Relation | None:
        return self.relations.get(id_or_label)


def _same(a: Action, b: Action) -> bool:
    return all(getattr(a, name) == getattr(b, name) for name in _COMPARED)


def _named(value: Value, text: str) -> bool:
    """Whether a value bears a name as the question writes it."""
    if not isinstance(value, Entity):
        return True
    wanted = fold(text).removeprefix("the ").replace(". ", " ").rstrip(".")
    known = {
        fold(n).removeprefix("the ").replace(". ", " ").rstrip(".")
        for n in (value.label, *value.aliases, short_id(value.id))
        if n
    }
    if wanted in known or wanted.rstrip("s") in {k.rstrip("s") for k in known}:
        return True
    if text.isupper() and list(text) == [
        w[0] for w in re.findall(r"\w+", value.label) if w[0].isupper()
    ]:
        return True
    parts = wanted.split()  # "chancellor of Germany" of the Federal Chancellor of Germany
    longer = (k.split() for k in known if len(parts) > 2)
    return any(set(parts) < set(k) and parts[-1] == k[-1] for k in longer)
