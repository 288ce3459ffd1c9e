"""Acting on named sets of nodes: what ReAct's actions do to the graph.

Every operation keeps, for each member of its result, the statements the member rests on.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Self
from typing import Literal as OneOf
from urllib.parse import unquote

from pydantic import BeforeValidator, Field, ValidationError, field_validator

from kgqa_core.ask import bounds, events, skill
from kgqa_core.ask.listed import Listed, among, names_of
from kgqa_core.ask.run import KEPT, LEFT_OUT, Steps, Toolkit, merge_uses
from kgqa_core.ask.shown import MEMBERS, ONE_RELATION
from kgqa_core.errors import KGQAError
from kgqa_core.facts import compute, kinds, relations, timeline, units, verbalise
from kgqa_core.facts.terms import (
    DECIMAL,
    NUMBERS,
    STRING,
    TIMES,
    UNKNOWN,
    Direction,
    Entity,
    Literal,
    Relation,
    RelationUse,
    Statement,
    Value,
    far_end,
    is_known,
    short_id,
)
from kgqa_core.kg.selection import Condition, Order, Selection
from kgqa_core.text import counted, fold

Tool = OneOf[
    "find", "follow", "keep", "rank", "group", "compute", "more", "reckon", "answer", "give up"
]
_ENDS = {  # what the descriptions call them, and models write
    "highest": "latest youngest newest last largest longest max maximum desc descending",
    "lowest": "earliest oldest first smallest shortest min minimum asc ascending",
}
_END_OF = {word: end for end, words in _ENDS.items() for word in words.split()}


def _end(order: object) -> object:
    return _END_OF.get(order.strip().casefold(), order) if isinstance(order, str) else order


End = Annotated[OneOf["highest", "lowest", "most", "fewest", "nearest"], BeforeValidator(_end)]

_OPERATIONS = {  # and operations
    "count": "number size total of how_many",
    "average": "mean avg",
    "highest": "max maximum largest latest",
    "lowest": "min minimum smallest earliest",
    "union": "or combine",
    "intersection": "and both shared common intersect",
    "minus": "except without",
    "difference": "subtract",
    "quotient": "divide ratio",
    "product": "multiply times",
    "more": "more_than greater greater_than larger longer higher bigger >",
    "fewer": "fewer_than less less_than smaller shorter lower <",
    "equal": "equals = ==",
    "earlier": "before",
    "later": "after",
    "years_between": "years age year_difference",
    "days_between": "days",
}
_OPERATION_OF = {word: name for name, words in _OPERATIONS.items() for word in words.split()}


def _operation(said: object) -> object:
    if not isinstance(said, str):
        return said
    word = "_".join(said.casefold().replace("-", " ").split())
    return word if word in compute.OPERATIONS else _OPERATION_OF.get(word, said)


Operation = Annotated[OneOf[compute.Operation, ""], BeforeValidator(_operation)]
Test = OneOf["is", "is not", "more than", "less than", "before", "after", "during", "has"]

TOOLS: dict[Tool, str] = {
    "find": "look up a name that no set stands for",
    "follow": "from all members along a relation",
    "keep": "the members whose relation passes a test",
    "rank": "the member with the most extreme, nearest or most values",
    "group": "the values that several members share",
    "compute": "count, compare, reckon with sets, numbers and dates",
    "more": "list further relations, before you give up",
    "reckon": "explains further actions",
    "answer": "its members answer",
    "give up": "say what is missing, or that only a namesake was found",
}
TESTS: dict[Test, str] = {
    "is": "",
    "is not": "",
    "more than": "",
    "less than": "",
    "before": "",
    "after": "",
    "during": "a year, month or day",
    "has": "any value",
}


def _in_words(meanings: Mapping[Any, str]) -> Iterator[tuple[str, str]]:
    """What has one meaning together: `any` and `whether it has members`."""
    for meaning in dict.fromkeys(meanings.values()):
        yield ", ".join(name for name, own in meanings.items() if own == meaning), meaning


_LEVELS = 4  # of subclasses a class test climbs
_OF_A_KIND = 8  # a set that keeps fewer than one in so many by their kind shows the kinds there are
_OF_ANY_VALUE = frozenset({"is", "is not", "has", "during"})  # tests that need no amount
COMPARING = frozenset(
    {"more", "fewer", "earlier", "later", "equal", "difference", "quotient", "product"}
)
_LIKE = COMPARING - {"quotient", "product"}  # a number stands in the unit of the other
_OF_TWO_SETS = frozenset({"minus", "intersection", "same"})
_SECOND = ("per", "less")  # relations whose values that of the first is divided by, or less of
_OF_A_PAIR = {"per": {"quotient"}, "less": {"difference", "years_between", "days_between"}}
_OPERANDS = tuple("direction at value with_set qualifier per less order position".split())
_LASTED = "duration"  # a detail that a statement has by its start and its end
_BARE = re.compile(r"-?[\d,]+(\.\d+)?")
_DAY = re.compile(r"-{0,2}\d\d-\d\d")
_COMPARED = 3  # so few members are compared with each other, and all of them are cited


_TOOL_OF = {"filter": "keep", "finish": "answer", "final answer": "answer", "search": "find"}


def _apart(said: Mapping[str, Any]) -> dict[str, Any]:
    """Of an operation on two, what stands in one field and belongs in two."""
    operation = _operation(said.get("operation"))
    if compute.ARITY.get(str(operation)) != 2 or said.get("value"):
        return {}
    sets = [part.strip() for part in str(said.get("of") or "").split("|")]
    if len(sets) == 2 and not said.get("with_set"):
        return {"of": sets[0], "with_set": sets[1]}
    ways = [part.strip() for part in str(said.get("relation") or "").split("|")]
    second = next((name for name, own in _OF_A_PAIR.items() if operation in own), None)
    if len(ways) == 2 and second and not said.get("with_set") and not said.get(second):
        return {"relation": ways[0], second: ways[1]}
    return {}


class Action(skill.Choice):
    """One action; the fields that its tool does not take stay empty."""

    tools: ClassVar[Mapping[str, skill.Tool]] = {
        "follow": skill.Tool(TOOLS["follow"], ("of", "relation", "direction")),
        "follow only": skill.Tool(
            "what held at a time, has a value, or a detail of it",
            ("of", "relation", "direction"),
            ("at", "value", "qualifier"),
            form_of="follow",
        ),
        "keep": skill.Tool(
            TOOLS["keep"],
            ("of", "relation", "test", "value"),
            ("with_set", "qualifier", "direction"),
        ),
        "rank": skill.Tool(
            TOOLS["rank"],
            ("of", "order"),
            (
                *("relation", "position", "per", "less"),
                *("direction", "qualifier", "value", "with_set"),
            ),
        ),
        "group": skill.Tool(
            TOOLS["group"], ("of", "relation"), ("direction", "order", "position", "value")
        ),
        "compute": skill.Tool(
            TOOLS["compute"],
            ("operation", "of"),
            ("with_set", "value", "relation", "per", "less", "direction", "at"),
        ),
        "find": skill.Tool(TOOLS["find"], ("mention",)),
        "more": skill.Tool(TOOLS["more"], ("of",)),
        "reckon": skill.Tool(
            TOOLS["reckon"], explains=("rank", "group", "compute", "average", "years_between")
        ),
        "answer": skill.Tool(TOOLS["answer"], ("of", "say"), ("certain", "reading")),
        "give up": skill.Tool(TOOLS["give up"], ("reason",)),
    }
    tool: Tool = Field(description="what to do")
    of: Annotated[str, Listed("sets", by="key", several=True)] = Field(
        "", description="a set, or several: S1|S2"
    )
    relation: Annotated[str, Listed("sets.relations", by="key", within="of")] = Field(
        "",
        description="one of that set. rank without: the time of what led there. compute: its "
        "values, not the sets",
    )
    per: Annotated[str, Listed("sets.relations", by="key", within="of", after=True)] = Field(
        "", description="a relation to divide by"
    )
    less: Annotated[str, Listed("sets.relations", by="key", within="of", after=True)] = Field(
        "", description="a relation to take off"
    )
    direction: Direction = Field("out", description="out: → values; in: ← what points to them")
    at: str = Field(
        "",
        description="what held then: YYYY, YYYY-MM-DD, now; what began: from, before or after YYYY",
    )
    qualifier: str = Field(
        "", description="a detail, by name. keep, rank: of what led there, also duration"
    )
    test: Test = Field(
        "is",
        description="; ".join(
            f"{names}: {meaning}" if meaning else names for names, meaning in _in_words(TESTS)
        ),
    )
    value: str = Field(
        "",
        description="a name, number or date; several: a|b. compute: as second set, also now. rank "
        "nearest: also MM-DD. group: fewest members, else 2",
    )
    order: End = Field(
        "highest",
        description="highest, lowest: by value; most, fewest: by how many; nearest: to `value`",
    )
    position: int = Field(1, description="2: the second")
    operation: Operation = Field(
        "",
        description="; ".join(
            f"{names}: {meaning}" for names, meaning in _in_words(compute.MEANINGS)
        ),
    )
    with_set: Annotated[str, Listed("sets", by="key", several=True, after=True)] = Field(
        "", description="the second set. keep: in place of value. rank: a number for each: S3|S4"
    )
    mention: str = Field("", description="a name")
    say: str = Field(
        "",
        description="a sentence with {S2} for what is in S2; empty if yet to be compared",
    )
    certain: bool = Field(True, description="false for a guess")
    reading: str = Field("", description="your reading, if in doubt")
    reason: str = Field("", description="what is missing")

    @classmethod
    def flat(cls, said: Mapping[str, Any]) -> dict[str, Any]:
        """Also where the operation stands for the tool (`count`), two sets or two relations that
        are compared stand in one field (`S1|S2`), and the tool goes by another name.
        """
        inner = said.get("action")
        one = dict(inner) if isinstance(inner, Mapping) else dict(said)
        tool = one.get("tool")
        word = fold(tool.replace("_", " ")) if isinstance(tool, str) else ""
        if word in _TOOL_OF:
            one["tool"] = _TOOL_OF[word]
        elif isinstance(tool, str) and word not in map(fold, cls.tools):
            operation = _operation(tool)
            if operation in compute.OPERATIONS:
                one |= {"tool": "compute", "operation": operation}
        if one.get("tool") == "compute":
            one |= _apart(one)
        return super().flat({**said, "action": one} if isinstance(inner, Mapping) else one)

    @property
    def second(self) -> str:
        """The relation that the first one's values are divided by, or less of."""
        return self.per or self.less

    def on_named(self, sets: Mapping[str, NodeSet]) -> Self:
        """What names no set, but the only member of one, stands for that set.

        So does, of the one set there is, a relation of what is reckoned with: `count` of `child`.
        """
        own = {name: set_names(getattr(self, name), sets) for name in ("of", "with_set")}
        if self.tool == "compute" and not self.relation and len(sets) == 1:
            (only,) = sets
            uses = sets[only].uses
            at = [among(said, [names_of(use) for use in uses]) for said in own.values() if said]
            ids = [uses[n].relation.id for n in at if n is not None]
            second = next((n for n, of in _OF_A_PAIR.items() if self.operation in of), "")
            if own["of"] != only and 0 < len(ids) == len(at) <= 1 + bool(second):
                named = {"of": only, "with_set": "", "relation": ids[0]}
                named |= {"direction": uses[at[0] or 0].direction}
                return self.model_copy(update=named | ({second: ids[1]} if ids[1:] else {}))
        found = self.model_copy(update=own)
        return found.model_copy(update={"direction": found.way(sets)})

    def way(self, sets: Mapping[str, NodeSet]) -> Direction:
        """The direction; where none was said, that in which the relation is there."""
        source = named(self.of, sets)
        if source is None or not self.relation or "direction" in self.model_fields_set:
            return self.direction
        there = {
            use.direction
            for use in source.uses
            if self.relation in (use.relation.id, short_id(use.relation.id))
        }
        return self.direction if self.direction in there or not there else there.pop()

    def instead(self, names: Mapping[str, str]) -> Self:
        """With sets of other names in place of those that came to nothing."""
        own = {name: getattr(self, name) for name in ("of", "with_set")}
        parts = {name: [part.strip() for part in of.split("|")] for name, of in own.items()}
        return self.model_copy(
            update={name: "|".join(names.get(p, p) for p in of) for name, of in parts.items()}
        )

    def printed(self) -> dict[str, str]:
        """A relation by its short id, as the lists of relations have it."""
        return {name: short_id(getattr(self, name)) for name in ("relation", *_SECOND)}


class Later(Action):
    """A planned action: its sets may be to come, its relation is named as the model knows it.

    `otherwise`: taken only where the one before it found nothing. Models are not told of it, the
    built-in reader plans so.
    """

    beside: ClassVar[tuple[str, ...]] = ("otherwise",)
    otherwise: bool = Field(False, description="only where the one before it found nothing")
    of: str = Field("", description="a set, there or to come")
    with_set: str = Field("", description="the second")
    relation: str = Field("", description="its usual name")
    per: str = Field("", description="its usual name")
    less: str = Field("", description="its usual name")

    def on(self, sets: Mapping[str, NodeSet]) -> Action:
        """The action on the sets that there are now.

        A direction that was said is kept to; one that was not is that in which the relation is
        there. Raises ActionError where it does not fit the sets.
        """
        if self.tool in ("find", "reckon", "give up"):
            return self
        source, other = named(self.of, sets), named(self.with_set, sets)
        if source is None or (self.with_set and other is None):
            lacking = self.of if source is None else self.with_set
            raise ActionError(f"There is no set “{lacking}” for “{self.tool}”.")
        if not self.relation:
            return self
        uses = [*source.uses, *(other.uses if other else ())]
        at = among(self.relation, [names_of(use) for use in uses])
        directions = [use.direction for use in uses if at is not None and _same(use, uses[at])]
        said = "direction" in self.model_fields_set and self.tool == "follow"
        if at is None or (said and self.direction not in directions):
            way = {"out": " that leaves it", "in": " that enters it"}[self.direction]
            raise ActionError(f"{self.of} has no relation “{self.relation}”{way * said}.")
        direction = self.direction if self.direction in directions else directions[0]
        found = {"relation": uses[at].relation.id, "direction": direction}
        for second in _SECOND:
            if wanted := getattr(self, second):
                by = among(wanted, [names_of(use) for use in uses])
                if by is None:
                    raise ActionError(f"{self.of} has no relation “{wanted}”.")
                found[second] = uses[by].relation.id
        return self.model_copy(update=found)


def _same(one: RelationUse, other: RelationUse) -> bool:
    return one.relation == other.relation


class Move(Action):
    """The next action, and those planned to come after it."""

    beside: ClassVar[tuple[str, ...]] = ("then",)
    then: list[Later] = Field(
        [],
        description="list of the actions after it, best up to the answer; each makes the next set; "
        "relations to come by usual names",
    )

    @field_validator("then", mode="before")
    @classmethod
    def _readable(cls, said: Any) -> Any:
        """The plan as far as it can be read."""
        if not isinstance(said, list):
            return said
        plan = []
        for one in said:
            try:
                plan.append(Later.model_validate(one))
            except ValidationError:
                break
        return plan


class ActionError(KGQAError):
    """An action that cannot be carried out; the model is told, and the walk goes on."""


class NoKind(ActionError):
    """A test of kinds among things of which the graph states none."""


@dataclass(frozen=True)
class Hub:
    """A set too large to be read: it is counted, filtered and ranked by the graph.

    `roots`: what its members hang on, with the statements that led there. `tests`: the actions
    that have narrowed it.
    """

    selection: Selection
    size: int
    roots: Mapping[Value, tuple[Statement, ...]]
    tests: tuple[Action, ...] = ()


@dataclass(frozen=True)
class NodeSet:
    """Nodes or values, each with the statements it rests on.

    `uses`: the relations around the members, as far as they were surveyed. `hub`: the whole set,
    where `members` are only some that were read.
    """

    members: dict[Value, tuple[Statement, ...]]
    doubtful: bool = False  # from some of a larger set's members, or undated where a time counts
    looked_at: tuple[Value, ...] = ()  # of an empty set, or nearly so: values that were tested
    shared_by: tuple[int, ...] = ()  # of a grouped set: by how many members each value is shared
    uses: tuple[RelationUse, ...] = ()
    hub: Hub | None = None
    unstated: tuple[Value, ...] = ()  # no kind is stated of them; kept where that is the rule
    why: str = ""  # of an empty set: what is there instead

    @property
    def size(self) -> int:
        return self.hub.size if self.hub else len(self.members)

    @property
    def entities(self) -> list[Entity]:
        return [m for m in self.members if isinstance(m, Entity)]

    @property
    def because(self) -> tuple[Statement, ...]:
        return tuple(dict.fromkeys(s for support in self.members.values() for s in support))


def set_names(names: str, sets: Mapping[str, NodeSet]) -> str:
    """Names of sets, with those of their only members replaced by them."""
    alone = {
        name: only
        for name, one in sets.items()
        if len(one.members) == 1 and isinstance(only := next(iter(one.members)), Entity)
    }
    return "|".join(
        part if part in sets else next((n for n, e in alone.items() if same(e, part)), part)
        for part in map(str.strip, names.split("|"))
    )


def named(names: str, sets: Mapping[str, NodeSet]) -> NodeSet | None:
    """A set by its name, or several by their names with `|` between; None without any."""
    found = [sets[name] for part in names.split("|") if (name := part.strip()) in sets]
    if len(found) < 2:
        return found[0] if found else None
    members: dict[Value, tuple[Statement, ...]] = {}
    for one in found:
        for value, support in one.members.items():
            members[value] = tuple(dict.fromkeys((*members.get(value, ()), *support)))
    return NodeSet(members, any(one.doubtful for one in found))


def nearest_first(question: str, found: NodeSet, tools: Toolkit) -> NodeSet:
    """A set in such an order that any beginning is a fair choice, if it is larger than is shown.

    A grouped one stays in the order of how many share its members.
    """
    if len(found.members) <= MEMBERS or found.shared_by:
        return found
    led = [support[-1] for support in found.members.values() if support]
    ordered = tools.nearest_first(question, list(found.members), led)
    return replace(found, members={m: found.members[m] for m in ordered})


def follow(action: Action, source: NodeSet, tools: Toolkit, width: int) -> Steps[NodeSet]:
    if (hub := _hub(action, source, tools, width)) is not None:
        yield from _beyond_reach(action, source, width)
        return (yield from _sampled(hub, tools))
    edges = yield from _edges(action, source, tools, width)
    unknown = tuple(dict.fromkeys(v for end, s in edges if not is_known(v := far_end(s, end))))
    edges = _known(edges)
    taken = [s for _, s in edges]
    if action.at:
        taken = _timed(taken, action.at)
        taken = yield from _outlived(taken, action.at, tools)
    elif not action.value and not action.qualifier:
        taken = _of_best_rank(edges)
    members: dict[Value, tuple[Statement, ...]] = {}
    for end, s in edges:
        if s not in taken or (action.value and not _mentions(s, end, action.value)):
            continue
        ends = (
            [q.value for q in s.qualifiers if _is_called(q.relation, action.qualifier)]
            if action.qualifier
            else [far_end(s, end)]
        )
        for value in ends:
            before = members.get(value, source.members[end])
            members[value] = tuple(dict.fromkeys((*before, *source.members[end], s)))
    if action.value and edges and not members and not tools.reads_all:  # it says what it means
        whole: dict[Value, tuple[Statement, ...]] = {}
        for end, s in edges:
            if s in taken:
                whole[far_end(s, end)] = (*source.members[end], s)
        found = yield from _of_kind(action, NodeSet(whole, _partial(source, width)), tools, width)
        if found is not None:
            return found
    yield from _report(action, source, edges, members, tools)
    if not members and action.at:  # it shows which times there are
        times = [when for _, s in edges if (when := timeline.when_of(s)) is not None]
        unknown = (*unknown, *dict.fromkeys(times))
    undated = bool(action.at) and action.at != "now" and not _any_dated([s for _, s in edges])
    read_all = max(Counter(end for end, _ in edges).values(), default=0) < ONE_RELATION
    wrong = any(s.rank == "deprecated" for _, s in edges)
    doubtful = _partial(source, width) or undated or not read_all or wrong
    why = ""
    if not members and not tools.reads_all:
        why = _instead(action, edges) if edges else _other_way(action, source, tools)
    return NodeSet(members, doubtful, () if members else unknown, why=why)


def _instead(action: Action, edges: Sequence[tuple[Entity, Statement]]) -> str:
    """What there is where nothing has the value or the detail that a follow names."""
    statements = list(dict.fromkeys(s for _, s in edges))
    known = not action.value or any(_mentions(s, end, action.value) for end, s in edges)
    if action.qualifier and statements and known:
        details = dict.fromkeys(q.relation.name for s in statements for q in s.qualifiers)
        return f"Its details there: {', '.join(list(details)[: bounds.INSTEAD]) or 'none'}."
    if (action.value or action.at) and statements:
        ends = dict.fromkeys(
            verbalise.value(far_end(s, end)) + verbalise.qualified(s) for end, s in edges
        )
        return f"What is there: {'; '.join(bounds.more([*ends], bounds.INSTEAD))}."
    return ""


def _other_way(action: Action, source: NodeSet, tools: Toolkit) -> str:
    """What there is where a relation has nothing in the direction that an action names."""

    def there(uses: Iterable[RelationUse]) -> list[RelationUse]:
        return [u for u in uses if action.relation in (u.relation.id, short_id(u.relation.id))]

    own, near = there(source.uses), source.entities
    if not own and len(near) <= bounds.GLIMPSED:  # not among those that were listed
        own = there(merge_uses(tools.relations_of(near)))
    if len(own) != 1 or own[0].direction == action.direction:
        return ""
    (use,) = own
    facts = f"{counted(use.count, 'fact')} with direction “{use.direction}”"
    name = f"“{relation_name(action, tools)}”"
    return f"{name} leads the other way there: {facts} ({'; '.join(use.examples)})."


def at_time(text: str, sets: Mapping[str, NodeSet]) -> str:
    """A time as it is written; for a set, its first time, or when what led to it held.

    Raises ActionError for a set without a time.
    """
    how, _, rest = text.rpartition(" ")
    source = sets.get(rest)
    if source is None:
        return text
    for value, support in source.members.items():
        own = value if isinstance(value, Literal) and value.datatype in TIMES else None
        if when := own or (timeline.when_of(support[-1]) if support else None):
            return f"{how} {when.value.partition('T')[0]}".strip()
    raise ActionError(f"{rest} has no time.")


def _of_best_rank(edges: list[tuple[Entity, Statement]]) -> list[Statement]:
    """Of numbers and times of a thing those that the graph prefers, where it prefers any.

    The others are older or poorer measurements of one thing. Of things that are preferred (today's
    capital) those before are as true, in their time.
    """

    def measures(s: Statement) -> bool:
        return isinstance(s.object, Literal) and s.object.datatype in NUMBERS | TIMES

    preferred = {end for end, s in edges if s.rank == "preferred" and measures(s)}
    return [
        s
        for end, s in edges
        if s.rank == "preferred" or end not in preferred or not measures(s) or s.subject != end
    ]


def past(found: NodeSet) -> int:
    """How many of what was found have ended, or are outdone by others that are preferred.

    None where none stands, or where they are measurements at different times.
    """
    last = [support[-1] for support in found.members.values() if support]
    standing = len(timeline.current(last))
    return len(last) - standing if standing and not any(map(timeline.is_measured, last)) else 0


def _of_kind(action: Action, found: NodeSet, tools: Toolkit, width: int) -> Steps[NodeSet | None]:
    """Those of the kind that a follow names where nothing has that value; None: there are none."""
    (by_class,) = relations.in_group("class")
    relation = next((r for r in map(tools.relation, by_class.names) if r), None)
    if relation is None or action.qualifier or not found.entities:
        return None
    kind = Action(
        thought=action.thought, tool="keep", of=action.of, relation=relation.id, value=action.value
    )
    try:
        kept = yield from keep(kind, found, tools, width)
    except NoKind:
        return None
    stated = {m: s for m, s in kept.members.items() if m not in kept.unstated}
    return replace(kept, members=stated, unstated=()) if stated else None


def _known(edges: list[tuple[Entity, Statement]]) -> list[tuple[Entity, Statement]]:
    """Those that lead to a value; an unknown one is no member of anything."""
    return [(end, s) for end, s in edges if is_known(far_end(s, end))]


def _partial(source: NodeSet, width: int) -> bool:
    return source.doubtful or len(source.entities) > width or source.hub is not None


# -- sets too large to be read -------------------------------------------------------------


def _hub(action: Action, source: NodeSet, tools: Toolkit, width: int) -> Hub | None:
    """What a follow leads to, if that is too much to read and the graph can be asked for parts."""
    near = tuple(source.entities[:width])
    relation = tools.relation(action.relation)
    if relation is None or action.at or action.value or action.qualifier or source.hub:
        return None
    size = sum(
        use.count
        for use in source.uses
        if (use.relation, use.direction) == (relation, action.direction)
    )
    if size <= bounds.TESTED or not tools.selects:
        return None
    selection = Selection(near, relation, action.direction)
    return Hub(selection, size, {e: source.members[e] for e in near})


def _sampled(hub: Hub, tools: Toolkit) -> Steps[NodeSet]:
    """The hub with a few of its members, to be looked at."""
    chosen = yield from tools.select(hub.selection, bounds.SAMPLE)
    return replace((yield from _read(hub, chosen, tools)), hub=hub)


def _read(hub: Hub, chosen: Sequence[Entity], tools: Toolkit) -> Steps[NodeSet]:
    """Chosen members of a hub, each with the statements that make it one."""
    back: Direction = "in" if hub.selection.direction == "out" else "out"
    found = yield from tools.expand(chosen, relation=hub.selection.relation, direction=back)
    members: dict[Value, tuple[Statement, ...]] = {}
    for s in found:
        member, root = (s.subject, s.object) if back == "out" else (s.object, s.subject)
        if root in hub.roots and member in chosen:
            before = members.get(member, hub.roots[root])
            members[member] = tuple(dict.fromkeys((*before, s)))
    return NodeSet(members)


def _keep_of_hub(action: Action, hub: Hub, tools: Toolkit, width: int) -> Steps[NodeSet]:
    """The hub narrowed; once its members are few enough, they are read and tested exactly."""
    condition, exact = _condition(action, tools)
    narrowed = replace(hub, selection=hub.selection.where(condition), tests=(*hub.tests, action))
    chosen = yield from tools.select(narrowed.selection, width + 1)
    if not chosen:
        doing = title(action, tools)
        yield events.DeadEnd(entities=hub.selection.near, why=f"{doing}: nothing found")
        return NodeSet({})
    if len(chosen) <= width:
        found = yield from _read(narrowed, chosen, tools)
        for test in narrowed.tests:
            found = yield from keep(test, found, tools, width)
        return found
    if not exact:
        raise ActionError(
            f"{action.of} has too many members to test each: keep some of them by another test."
        )
    size = yield from tools.count_of(narrowed.selection)
    return (yield from _sampled(replace(narrowed, size=size), tools))


def _condition(action: Action, tools: Toolkit) -> tuple[Condition, bool]:
    """A test as a condition of a query, and whether it says the same or lets more pass."""
    relation = tools.relation(action.relation)
    if relation is None:
        raise ActionError(f"The graph has no relation “{action.relation}”.")
    any_value = Condition(relation, action.direction)
    kind = kinds.kind(relation)
    if action.test in ("is", "is not"):
        measured = kind not in ("item", "") or _is_measure(action.value)
        if measured or not action.value.strip():
            return any_value, False
        (subclass,) = relations.in_group("subclass")
        above = next((r for r in map(tools.relation, subclass.names) if r), None)
        values = tuple(part.strip() for part in action.value.split("|") if part.strip())
        climbed = (
            above if action.test == "is" and _belongs(action.relation, tools, "class") else None
        )
        holds = action.test == "is"
        return replace(any_value, values=values, along=climbed, holds=holds), True
    if action.test == "has":
        return any_value, True
    low, high = _bounds(action, kind)
    exact = bool(low or high)
    return replace(any_value, low=low, high=high, strictly=action.test != "during"), exact


def _is_measure(text: str) -> bool:
    try:
        _stated(text)
    except ActionError:
        return False
    return True


def _bounds(action: Action, kind: str) -> tuple[str, str]:
    """The numbers or dateTimes between which values pass; empty where a query cannot tell."""
    if kind == "time":
        when = timeline.parse_time(action.value)
        if when is None:
            raise ActionError(f"“{action.value}” is not a date: write YYYY, YYYY-MM or YYYY-MM-DD.")
        first, last = (f"{day}T00:00:00Z" for day in timeline.first_and_last(when))
        if action.test in ("more than", "after"):
            return last, ""
        return ("", first) if action.test in ("less than", "before") else (first, last)
    plain = action.value.replace(",", "").strip()
    if action.test == "during" or not re.fullmatch(r"-?\d+(\.\d+)?", plain):
        return "", ""  # units differ from value to value
    return (plain, "") if action.test == "more than" else ("", plain)


def _rank_of_hub(action: Action, hub: Hub, tools: Toolkit, width: int) -> Steps[NodeSet]:
    """The graph brings the first of the order; of these the rank is taken exactly."""
    relation = tools.relation(action.relation)
    if relation is None or action.order == "nearest" or action.second or action.qualifier:
        raise ActionError(
            f"{action.of} has {hub.size:,} members, too many for this: keep some of them first."
        )
    by_number = action.order in ("most", "fewest") or kinds.kind(relation) in ("item", "")
    order = Order(
        relation,
        action.direction,
        "number" if by_number else "value",
        action.order in ("highest", "most"),
    )
    chosen = yield from tools.select(hub.selection, bounds.SAMPLE + action.position, order)
    found = yield from _read(hub, chosen, tools)
    best = yield from rank(action, found, tools, width)
    tied = len(best.members) >= len(chosen) > 1  # others may share the place
    return replace(best, doubtful=best.doubtful or tied)


def _unread(operation: str, sets: list[NodeSet], tools: Toolkit) -> Steps[list[NodeSet]]:
    """The sets as an operation takes them: a hub by its number, or as far as another set goes.

    Raises ActionError where only reading all of it would do.
    """
    if operation in ("any", "none"):
        return sets
    done: list[NodeSet] = []
    for one in sets:
        small = next((other for other in sets if other.hub is None), None)
        if one.hub is None:
            done.append(one)
        elif operation in COMPARING:
            size = yield from tools.count_of(one.hub.selection)
            done.append(NodeSet({compute.number(size): one.because}, one.doubtful))
        elif small is not None and (
            operation in ("intersection", "same") or (operation == "minus" and one is sets[1])
        ):
            among = replace(one.hub.selection, among=tuple(small.entities))
            chosen = (yield from tools.select(among, len(small.members))) if small.entities else []
            done.append((yield from _read(one.hub, chosen, tools)))
        else:
            raise ActionError(
                f"A set of {one.hub.size:,} members is not read as a whole, as “{operation}” needs "
                "it: keep some of them first."
            )
    return done


def _counted(source: NodeSet, hub: Hub, tools: Toolkit) -> Steps[NodeSet]:
    size = compute.number((yield from tools.count_of(hub.selection)))
    yield events.Computed(
        operation="count",
        arguments=(compute.describe(list(source.members)),),
        result=(size,),
        because=source.because,
        of=tuple(source.members),
    )
    return NodeSet({size: source.because}, source.doubtful)


# -- operations, continued -----------------------------------------------------------------


def _mentions(statement: Statement, near: Entity, text: str) -> bool:
    """Whether a statement has a value at its far end or in a qualifier."""
    ends = (far_end(statement, near), *(q.value for q in statement.qualifiers))
    return any(same(end, text) for end in ends)


def _any_dated(statements: list[Statement]) -> bool:
    return any(timeline.when_of(s) is not None for s in statements)


_WHEN = {  # what people call the times of a statement
    **dict.fromkeys(("start date", "start", "since", "from", "began", "start year"), "start time"),
    **dict.fromkeys(("end date", "end", "until", "ended", "end year"), "end time"),
    **dict.fromkeys(("date", "year", "time", "when"), "point in time"),
}


def _is_called(detail: Relation, text: str) -> bool:
    """Whether a qualifier is meant: by its id or one of its names, as people write them."""
    names = {detail.label, *detail.aliases}
    said = {fold(text), _WHEN.get(fold(text), "")} - {""}
    return text in (detail.id, short_id(detail.id)) or not said.isdisjoint(map(fold, names))


def _timed(statements: list[Statement], at: str) -> list[Statement]:
    """Those that held at a time; or that began in, before or after it.

    Raises ActionError for what is no time.
    """
    how, _, rest = at.partition(" ")
    when = timeline.parse_time(rest if how in ("from", "before", "after") else at)
    if when is None:
        raise ActionError(f"“{at}” is not a date: write YYYY, YYYY-MM, YYYY-MM-DD or now.")
    if how == "from":
        return [s for s in statements if timeline.began_in(s, when)]
    if how in ("before", "after"):
        first, last = timeline.span(when)
        began = [(timeline.began(s), s) for s in statements]
        dated = [(timeline.span(day), s) for day, s in began if day is not None]
        if how == "before":
            return [s for (_, latest), s in dated if latest < first]
        return [s for (earliest, _), s in dated if earliest > last]
    return _at(statements, when, now=at == "now")


def _at(statements: list[Statement], when: Literal, *, now: bool) -> list[Statement]:
    """Statements that held at a time; undated ones only when nothing is dated."""
    if now:
        standing: set[Statement] = set()
        for subject in dict.fromkeys(s.subject for s in statements):
            standing.update(timeline.current([s for s in statements if s.subject == subject]))
        return [s for s in statements if s in standing]
    dated = [s for s in statements if timeline.held_at(s, when) is not None]
    return [s for s in dated if timeline.held_at(s, when)] if dated else statements


def _outlived(statements: list[Statement], at: str, tools: Toolkit) -> Steps[list[Statement]]:
    """Those without an end whose people were alive then: no office outlasts its holder."""
    when = timeline.parse_time(at)  # None: what began from, before or after a time
    open_ended = [s for s in statements if timeline.is_open(s)] if when else []
    death = tools.relation(relations.row("date of death").key) if open_ended else None
    if death is None or when is None:
        return statements
    ends = dict.fromkeys(e for s in open_ended for e in (s.subject, s.object))
    people = [e for e in ends if isinstance(e, Entity)]
    found = yield from tools.expand(people, relation=death, direction="out")
    first, _ = timeline.span(when)
    gone = {
        s.subject
        for s in found
        if isinstance(s.object, Literal) and s.object.datatype in TIMES
        and timeline.span(s.object)[1] < first
    }  # fmt: skip
    return [s for s in statements if s not in open_ended or not gone & {s.subject, s.object}]


@dataclass(frozen=True)
class _Standard:
    """What members are tested against, from another set, and the statements it rests on."""

    values: frozenset[Value]
    limits: tuple[Decimal, Decimal] | None
    because: tuple[Statement, ...]
    text: str


def tested(action: Action, sets: Mapping[str, NodeSet]) -> tuple[Action, NodeSet | None]:
    """The action and the set it tests against, also where its name stands as the value."""
    other = named(action.with_set, sets)
    if other is None and action.value and (other := named(action.value, sets)) is not None:
        action = action.model_copy(update={"value": "", "with_set": action.value})
    return action, other


def _standard(action: Action, other: NodeSet, tools: Toolkit, width: int) -> Steps[_Standard]:
    """Its members; of things, for a test of more or less, their values of the same relation.

    Raises ActionError where there are none to compare with.
    """
    compares = action.test not in ("is", "is not", "has")
    if compares and other.entities:
        back = action.model_copy(update={"tool": "follow", "of": action.with_set, "value": ""})
        other = yield from follow(back.model_copy(update={"at": "now"}), other, tools, width)
    spans = []
    for value in other.members if compares else ():
        if isinstance(value, Literal) and compute.comparable(value):
            own = compute.amount(value)
            spans.append(timeline.span(value) if value.datatype in TIMES else (own, own))
    if not other.members or (compares and not spans):
        name = relation_name(action, tools)
        raise ActionError(f"{action.with_set} has no “{name}” that others could be held against.")
    return _Standard(
        frozenset(other.members),
        (min(low for low, _ in spans), max(high for _, high in spans)) if spans else None,
        other.because,
        "|".join(v.id if isinstance(v, Entity) else v.value for v in other.members),
    )


def keep(
    action: Action, source: NodeSet, tools: Toolkit, width: int, other: NodeSet | None = None
) -> Steps[NodeSet]:
    """The members of which a value passes the test: against a text, or against `other`."""
    standard = None
    if other is not None and not action.value:
        standard = yield from _standard(action, other, tools, width)
    if source.hub is not None:
        if standard is not None:  # as text: the graph tests it
            action = action.model_copy(update={"value": standard.text, "with_set": ""})
        return (yield from _keep_of_hub(action, source.hub, tools, width))
    if (by := by_detail(action, source)) is not None:
        return (yield from _keep_by_detail(by, source, tools, standard))
    edges = yield from _edges(action, source, tools, width, bounds.TESTED)
    above: dict[Value, list[tuple[Statement, ...]]] = {}
    by_class = _belongs(action.relation, tools, "class")
    if by_class and not edges and not tools.reads_all and source.entities:
        raise NoKind(f"What kind of thing they are is stated of none of {action.of}.")
    if by_class:
        above = yield from _above([far_end(s, end) for end, s in edges], tools, "subclass")
    elif action.test == "is" and _belongs(
        action.relation, tools, "life place"
    ):  # in Ohio: in a town of it
        beside = [v for end, s in edges if not _passes(action, v := far_end(s, end), s, standard)]
        above = yield from _above(beside, tools, "place within")
    members: dict[Value, tuple[Statement, ...]] = {}
    for end, s in edges:
        value = far_end(s, end)
        ways = (() if _passes(action, value, s, standard) else None, *above.get(value, ()))
        reached = next(
            (w for w in ways if w == () or (w and _passes(action, w[-1].object, s, standard))), None
        )
        if reached is not None:
            because = standard.because if standard else ()
            members[end] = tuple(
                dict.fromkeys((*members.get(end, source.members[end]), s, *reached, *because))
            )
    if action.test == "is not":  # no statement at all passes as well; one that matches fails
        matching = action.model_copy(update={"test": "is"})
        failing = {e for e, s in edges if _passes(matching, far_end(s, e), s, standard)}
        members = {
            m: members.get(m, source.members[m])
            for m in source.members
            if m not in failing and isinstance(m, Entity)
        }
    ends = tuple(dict.fromkeys(far_end(s, end) for end, s in edges))
    if action.test not in _OF_ANY_VALUE and ends and not any(map(compute.comparable, ends)):
        name = relation_name(action, tools)
        raise ActionError(f"The values of “{name}” are neither numbers nor dates.")
    yield from _report(action, source, edges, members, tools)
    stated = {end for end, _ in edges}
    unknown = tuple(e for e in source.entities if by_class and e not in stated)
    rule = 2 * len(unknown) >= len(source.entities)  # kinds are hardly stated at all
    alike = rule and action.test == "is" and bool(stated) and stated <= members.keys()
    if tools.reads_all and not alike:  # it weighs by itself what they may be
        unknown = ()
    if unknown and action.test == "is":  # whether they are of the kind, nobody knows
        if rule:
            members |= {e: source.members[e] for e in unknown}
        yield from tools.note_no_kind(unknown, KEPT if rule else LEFT_OUT)
    few = by_class and len(members) * _OF_A_KIND < len(source.members)  # others are near in kind
    tested = _most_frequent(edges) if few else () if members else ends
    return NodeSet(
        members, _partial(source, bounds.TESTED) or bool(unknown), tested, unstated=unknown
    )


def _most_frequent(edges: Sequence[tuple[Entity, Statement]]) -> tuple[Value, ...]:
    counted = Counter(far_end(s, end) for end, s in edges)
    return tuple(value for value, _ in counted.most_common())


def rank(action: Action, source: NodeSet, tools: Toolkit, width: int) -> Steps[NodeSet]:
    if source.hub is not None:
        return (yield from _rank_of_hub(action, source.hub, tools, width))
    if (by := by_detail(action, source)) is not None:
        return (yield from _rank_by_detail(by, source))
    measure = _distance(action.value) if action.order == "nearest" else compute.amount
    edges = _known((yield from _edges(action, source, tools, width, bounds.TESTED)))
    per_member: dict[Entity, list[Statement]] = {}
    for end, s in edges:
        per_member.setdefault(end, []).append(s)
    # “the fewest people” is the lowest population, not the fewest statements of one
    by_count = action.order in ("most", "fewest") and not all(
        compute.comparable(far_end(s, end)) for end, s in edges
    )
    measured: list[tuple[Value, Entity, tuple[Statement, ...]]] = []
    if action.second:
        measured = yield from _paired(action, source, tools, width)
    elif not by_count:
        measured = [
            (value, member, (s,))
            for member, statements in per_member.items()
            for s in (
                statements if action.qualifier else timeline.current(statements) or statements
            )
            for value in _ranked_by(action, s, member)
        ]
    scored = []
    for value, member, support in measured:
        try:
            scored.append((measure(value), member, support))
        except compute.NotComputable:  # one that is not known to the day, for example
            continue
    if not scored and (action.second or action.qualifier):
        second = f"“{_called(action.second, tools)}”"
        how = f"per {second}" if action.per else f"less {second}" if action.less else ""
        how = how or f"by “{action.qualifier}”"
        raise ActionError(f"No “{relation_name(action, tools)}” of {action.of} has a number {how}.")
    if not scored and action.order == "nearest":
        raise ActionError(f"No “{action.relation}” of {action.of} can be near {action.value}.")
    if not scored:
        # nothing measurable: the number of statements decides ("most children")
        scored = [(Decimal(len(ss)), m, tuple(ss)) for m, ss in per_member.items()]
    levels = sorted({a for a, _, _ in scored}, reverse=action.order in ("highest", "most"))
    if len(levels) < action.position:
        raise ActionError(f"No member of {action.of} has the relation “{action.relation}”.")
    best = levels[action.position - 1]
    members: dict[Value, tuple[Statement, ...]] = {}
    for amount, member, support in scored:
        if amount == best:
            before = members.get(member, source.members[member])
            members[member] = tuple(dict.fromkeys((*before, *support)))
    if len(per_member) <= _COMPARED:  # the others are what it was compared with
        others = [s for _, member, support in scored if member not in members for s in support]
        members = {m: tuple(dict.fromkeys((*ss, *others))) for m, ss in members.items()}
    yield events.Computed(
        operation=f"{action.order} {_amount_in_words(action, tools)}",
        arguments=(compute.describe(list(source.members)),),
        result=tuple(members),
        because=tuple(s for _, _, support in scored for s in support),
    )
    yield from _report(action, source, edges, members, tools)
    known = len({member for _, member, _ in measured}) if action.second else len(per_member)
    some = known < len(source.entities)  # the others may be higher
    close = bool(action.less) and _may_be_turned(best, scored, set(members))
    return NodeSet(members, _partial(source, bounds.TESTED) or some or close)


def rank_by(action: Action, sets: Mapping[str, NodeSet]) -> Steps[NodeSet]:
    """What has the most extreme of several numbers or dates that were computed for it.

    `of` names the sets, `with_set` in the same order a number for each. Raises ActionError where
    they do not go together.
    """
    owners, numbers = (
        [name for part in names.split("|") if (name := part.strip())]
        for names in (action.of, action.with_set)
    )
    if len(owners) != len(numbers) or len(owners) < 2:
        raise ActionError(
            f"rank takes one number for each of several sets: {action.of} by {action.with_set}."
        )
    if missing := next((name for name in (*owners, *numbers) if name not in sets), ""):
        raise ActionError(f"There is no set “{missing}” to rank.")
    measure = _distance(action.value) if action.order == "nearest" else compute.amount
    marks: list[Decimal] = []
    for name in numbers:
        values = list(sets[name].members)
        if len(values) != 1 or not compute.comparable(values[0]):
            raise ActionError(f"{name} is not one number or date.")
        marks.append(measure(values[0]))
    levels = sorted(set(marks), reverse=action.order in ("highest", "most"))
    if len(levels) < action.position:
        raise ActionError(f"There are only {len(levels)} different numbers to rank by.")
    best = levels[action.position - 1]
    because = tuple(dict.fromkeys(s for name in numbers for s in sets[name].because))
    members = {
        member: tuple(dict.fromkeys((*support, *because)))
        for name, mark in zip(owners, marks, strict=True)
        if mark == best
        for member, support in sets[name].members.items()
    }
    yield events.Computed(
        operation=f"{action.order} of what was computed",
        arguments=tuple(compute.describe(list(sets[name].members)) for name in numbers),
        result=tuple(members),
        because=because,
    )
    return NodeSet(members, any(sets[name].doubtful for name in (*owners, *numbers)))


def _may_be_turned(
    best: Decimal,
    scored: Sequence[tuple[Decimal, Entity, tuple[Statement, ...]]],
    chosen: Collection[Value],
) -> bool:
    """Whether dates that are not known to the day leave open which of two spans is the longer."""

    def slack(support: Sequence[Statement]) -> Decimal:
        times = [s.object for s in support if isinstance(s.object, Literal)]
        spans = [timeline.span(when) for when in times if when.datatype in TIMES]
        return sum((last - first for first, last in spans), Decimal(0))

    own = max(slack(support) for _, member, support in scored if member in chosen)
    return any(
        abs(amount - best) <= own + slack(support)
        for amount, member, support in scored
        if member not in chosen
    )


def _ranked_by(action: Action, statement: Statement, member: Entity) -> list[Value]:
    """A statement's value, or those of the detail that the action ranks by."""
    if not action.qualifier:
        return [far_end(statement, member)]
    called = [q for q in statement.qualifiers if _is_called(q.relation, action.qualifier)]
    return [_counting(q.value) for q in called]


def _paired(
    action: Action, source: NodeSet, tools: Toolkit, width: int, years: bool = False
) -> Steps[list[tuple[Value, Entity, tuple[Statement, ...]]]]:
    """For each member its value of the relation divided by that of `per`, or less that of `less`.

    With both statements. Two dates are so many days apart, or full `years`. Of numbers that
    change, those of the time of the action, else of today. Members that lack one of the two are
    left out.
    """
    sides: list[dict[Entity, Statement]] = []
    for relation in (action.relation, action.second):
        one = action.model_copy(update={"relation": relation})
        held: dict[Entity, list[Statement]] = {}
        for end, s in _known((yield from _edges(one, source, tools, width, bounds.TESTED))):
            if compute.comparable(far_end(s, end)):
                held.setdefault(end, []).append(s)
        dated = {e: _timed(ss, action.at) if action.at else ss for e, ss in held.items()}
        sides.append({e: (timeline.current(ss) or ss)[0] for e, ss in dated.items() if ss})
    found: list[tuple[Value, Entity, tuple[Statement, ...]]] = []
    for member, first in sides[0].items():
        if (second := sides[1].get(member)) is None:
            continue
        ends = far_end(first, member), far_end(second, member)
        try:
            value = _reckoned(ends, "quotient" if action.per else "years" if years else "less")
        except compute.NotComputable:  # a date, or nothing to divide by
            continue
        found.append((value, member, (first, second)))
    return found


def _reckoned(ends: tuple[Value, Value], how: OneOf["quotient", "years", "less"]) -> Value:
    """One value of two. Raises NotComputable where they do not go together."""
    a, b = ends
    if how == "quotient":
        return compute.apply("quotient", [a], [b])[0]
    dates = [isinstance(v, Literal) and v.datatype in TIMES for v in ends]
    if dates[0] != dates[1]:
        raise compute.NotComputable("A date and a number are not apart by anything.")
    if how == "years" and dates[0]:
        return compute.apply("years_between", [a], [b])[0]
    (apart,) = compute.apply("difference", [a], [b])
    less = compute.amount(a) < compute.amount(b)
    assert isinstance(apart, Literal)  # as every difference is
    return compute.number(-Decimal(apart.value), apart.unit) if less else apart


def _distance(text: str) -> Callable[[Value], Decimal]:
    """How far values are from a number, a date or a day of the year (MM-DD).

    Raises ActionError for any other text.
    """
    if _DAY.fullmatch(text.strip()):
        try:
            return compute.days_from(text.strip().lstrip("-"))
        except compute.NotComputable as error:
            raise ActionError(str(error)) from error
    date, number = (compute.amount(_stated(text, dated=dated)) for dated in (True, False))

    def distance(value: Value) -> Decimal:
        dated = isinstance(value, Literal) and value.datatype in TIMES
        return abs(compute.amount(value) - (date if dated else number))

    return distance


def group(action: Action, source: NodeSet, tools: Toolkit, width: int) -> Steps[NodeSet]:
    """The values that several members share, the most shared first."""
    if source.hub is not None:
        raise ActionError(
            f"{action.of} has {source.size:,} members, too many to group: keep some of them first."
        )
    edges = _known((yield from _edges(action, source, tools, width, bounds.TESTED)))
    sharing: dict[Value, dict[Value, tuple[Statement, ...]]] = {}
    for end, s in edges:
        by = sharing.setdefault(far_end(s, end), {})
        by[end] = (*by.get(end, source.members[end]), s)
    sizes = {value: len(by) for value, by in sharing.items()}
    if action.order in ("most", "fewest"):
        levels = sorted(set(sizes.values()), reverse=action.order == "most")
        wanted = levels[action.position - 1 : action.position]
        chosen = [value for value, size in sizes.items() if size in wanted]
    else:
        least = compute.amount(_stated(action.value, dated=False)) if action.value else 2
        chosen = sorted((v for v in sizes if sizes[v] >= least), key=lambda v: -sizes[v])
    members = {
        value: tuple(dict.fromkeys(s for support in sharing[value].values() for s in support))
        for value in chosen
    }
    yield events.Computed(
        operation=f"group by {relation_name(action, tools)}",
        arguments=(compute.describe(list(source.members)),),
        result=tuple(members),
        because=tuple(dict.fromkeys(s for support in members.values() for s in support)),
    )
    yield from _report(action, source, edges, members, tools)
    looked_at = () if members else tuple(sizes)
    shared_by = tuple(sizes[value] for value in members)
    return NodeSet(members, _partial(source, bounds.TESTED), looked_at, shared_by)


def _rank_by_detail(action: Action, source: NodeSet) -> Steps[NodeSet]:
    """By a detail of the statements that led to each member: the one named, else their time."""
    what = f"“{action.qualifier}”" if action.qualifier else "times"
    measure = _distance(action.value) if action.order == "nearest" else compute.amount
    marks: dict[Value, tuple[Decimal, list[Statement]]] = {}
    for member, support in source.members.items():
        levels: dict[Decimal, list[Statement]] = {}
        for value, s in _details(action, member, support):
            try:
                levels.setdefault(measure(value), []).append(s)
            except compute.NotComputable:
                continue
        if levels:
            level = max(levels) if action.order == "highest" else min(levels)
            marks[member] = level, levels[level]
    ordered = sorted({level for level, _ in marks.values()}, reverse=action.order == "highest")
    if len(ordered) < action.position:
        some = f"only {len(ordered)}" if ordered else "no"
        raise ActionError(
            f"The statements that led to {action.of} carry {some} {what} to order them by."
        )
    best = ordered[action.position - 1]
    members = {
        m: tuple(dict.fromkeys((*source.members[m], *support)))
        for m, (level, support) in marks.items()
        if level == best
    }
    yield events.Computed(
        operation=_order_in_words(action),
        arguments=(compute.describe(list(source.members)),),
        result=tuple(members),
        because=tuple(dict.fromkeys(s for support in members.values() for s in support)),
    )
    return NodeSet(members, source.doubtful or len(marks) < len(source.members))


def by_detail(action: Action, source: NodeSet, *, unbound: bool = False) -> Action | None:
    """A test or an order by a detail of what led to the members; None: by a relation of theirs.

    Of values, which have no relations, a relation can only mean such a detail; so it may where it
    is `unbound`, none that the members have.
    """
    if not action.relation:
        return action
    if (not action.qualifier and source.entities and not unbound) or action.second:
        return None
    asked = action.model_copy(update={"qualifier": action.qualifier or action.relation})
    led = any(_details(asked, member, support) for member, support in source.members.items())
    return asked.model_copy(update={"relation": ""}) if led else None


def _keep_by_detail(
    action: Action, source: NodeSet, tools: Toolkit, standard: _Standard | None
) -> Steps[NodeSet]:
    """The members that were led to by a statement whose detail, else whose time, passes."""
    because = standard.because if standard else ()
    members: dict[Value, tuple[Statement, ...]] = {}
    dated = False
    for member, support in source.members.items():
        details = _details(action, member, support)
        dated = dated or bool(details)
        if passed := [s for v, s in details if _passes(action, v, s, standard)]:
            members[member] = tuple(dict.fromkeys((*support, *passed, *because)))
    if not dated:
        what = f"“{action.qualifier}”" if action.qualifier else "time"
        raise ActionError(f"The statements that led to {action.of} carry no {what}.")
    left = tuple(s for s in source.because if all(s not in own for own in members.values()))
    if left:
        yield events.Pruned(statements=left, why=_LEFT["keep"])
    if not members:
        why = f"{title(action, tools, {action.of: source})}: nothing found"
        yield events.DeadEnd(entities=tuple(source.entities), why=why)
    return NodeSet(members, source.doubtful)


def _details(
    action: Action, member: Value, support: Sequence[Statement]
) -> list[tuple[Value, Statement]]:
    """What a member is ordered by: of the statements it is part of, else of the last on the way."""

    def of(s: Statement) -> list[tuple[Value, Statement]]:
        if action.qualifier:
            called = [q for q in s.qualifiers if _is_called(q.relation, action.qualifier)]
            lasted = timeline.lasted(s) if fold(action.qualifier) == _LASTED else None
            if not called and lasted is not None:
                return [(compute.number(lasted), s)]
            return [(_counting(q.value), s) for q in called]
        return [(when, s)] if (when := timeline.when_of(s)) is not None else []

    own = [s for s in support if member in (s.subject, s.object, *(q.value for q in s.qualifiers))]
    found = [detail for s in own for detail in of(s)]
    return found or next(filter(None, map(of, reversed(support))), [])


def _counting(value: Value) -> Value:
    """A number that a graph keeps as text, as an ordinal: to be ordered by."""
    text = value.value if isinstance(value, Literal) and value.datatype == STRING else ""
    return compute.number(Decimal(text)) if _BARE.fullmatch(text) and "," not in text else value


def _order_in_words(action: Action) -> str:
    if action.qualifier or action.order == "nearest":
        near = f" to {action.value}" if action.order == "nearest" else ""
        return f"{action.order} {action.qualifier or 'time'}{near}"
    return "latest" if action.order == "highest" else "earliest"


_SHARING: frozenset[compute.Operation | str] = frozenset({"same", "intersection"})
_IN_ITS_UNIT = frozenset({"sum", "average"})


def act(
    action: Action, source: NodeSet, sets: Mapping[str, NodeSet], tools: Toolkit, width: int
) -> Steps[NodeSet]:
    """An action carried out from a set; `sets`: what else it may name."""
    match action.tool:
        case "follow":
            return (yield from follow(action, source, tools, width))
        case "keep":
            action, other = tested(action, sets)
            return (yield from keep(action, source, tools, width, other))
        case "rank" if action.with_set:
            return (yield from rank_by(action, sets))
        case "rank":
            return (yield from rank(action, source, tools, width))
        case "group":
            return (yield from group(action, source, tools, width))
        case _:
            other = named(action.with_set, sets)
            return (yield from compute_sets(action, source, other, tools, width))


def compute_sets(
    action: Action, source: NodeSet, other: NodeSet | None, tools: Toolkit, width: int
) -> Steps[NodeSet]:
    """The result of an operation; with a relation, on its values of each set."""
    operation = action.operation
    if not operation:
        raise ActionError("compute needs an operation.")
    sets = [source] if other is None else [source, other]
    if source.hub is not None and operation == "count" and not action.relation:
        return (yield from _counted(source, source.hub, tools))
    if operation == "count" and not action.relation and not source.members:
        raise ActionError("There is nothing to count: none was found, which is no zero.")
    if not action.relation:
        sets = yield from _unread(operation, sets, tools)
    elif action.second:
        alone = other is None and not action.value
        years = alone and operation == "years_between"
        rated = []
        for one in sets:
            rated.append((yield from _rated(action, one, tools, width, years)))
        sets = rated
        if alone and operation in _OF_A_PAIR["per" if action.per else "less"]:  # that is what it is
            return sets[0]
    else:
        # of numbers that change, those of today are compared
        at = action.at or ("now" if operation in COMPARING else "")
        walked = []
        for name, one in zip((action.of, action.with_set), sets, strict=False):
            step = action.model_copy(update={"tool": "follow", "of": name, "value": "", "at": at})
            walked.append((yield from follow(step, one, tools, width)))
        if operation in _SHARING and len(walked) == 2:  # of a prize, which receives none, itself
            first, second = walked
            if first.members and not second.members:
                walked = [first, sets[1]]
            elif second.members and not first.members:
                walked = [sets[0], second]
        sets = walked
    by_name = operation in _OF_TWO_SETS and other is None and sets[0].entities
    if by_name and action.value:
        sets.append(_by_name(action, sets[0]))
    elif other is None and action.value:
        literals = [m for m in sets[0].members if isinstance(m, Literal)]
        said = _stated(action.value, dated=any(m.datatype in TIMES for m in literals))
        if operation in _LIKE and _BARE.fullmatch(action.value.strip()) and literals:
            said = replace(said, unit=literals[0].unit)  # as what it is compared with
        sets.append(NodeSet({said: ()}))
    sets = _measurable(operation, sets)
    because = tuple(dict.fromkeys(s for one in sets for s in one.because))
    try:
        result = yield from tools.compute(
            operation, *(_each(action, one) for one in sets), because=because
        )
    except compute.NotComputable as error:
        raise ActionError(str(error)) from error
    if operation in _IN_ITS_UNIT and action.relation:
        result = [_with_unit(value, relation_name(action, tools)) for value in result]
    shared = set(sets[0].members) & set(sets[-1].members)
    if operation == "same" and shared:  # what decides is what they share
        because = tuple(
            dict.fromkeys(
                s for one in sets for v in one.members if v in shared for s in one.members[v]
            )
        )
    members: dict[Value, tuple[Statement, ...]] = {}
    for value in result:
        own = tuple(s for one in sets for s in one.members.get(value, ()))
        members[value] = tuple(dict.fromkeys(own)) or because
    return NodeSet(members, any(one.doubtful for one in sets))


def _with_unit(value: Value, relation: str) -> Value:
    """What amounts come to, in the unit that their relation is called by: “distance in miles”."""
    unit = units.behind(relation)
    if not unit or not isinstance(value, Literal) or value.unit:
        return value
    return replace(value, unit=Entity(units.WRITTEN + unit, unit))


def _each(action: Action, values: NodeSet) -> list[Value]:
    """The members; what is added up along a relation counts as often as it is stated."""
    if not action.relation or action.operation not in _IN_ITS_UNIT:
        return list(values.members)
    return [
        value
        for value, support in values.members.items()
        for _ in range(max(1, len({s.subject for s in support if s.object == value})))
    ]


def _by_name(action: Action, source: NodeSet) -> NodeSet:
    """The members that a text names: all but one, for example. Raises ActionError if none is."""
    named_so = {m: support for m, support in source.members.items() if same(m, action.value)}
    if not named_so:
        raise ActionError(f"No member of {action.of} is called “{action.value}”.")
    return NodeSet(named_so, source.doubtful)


def _rated(
    action: Action, source: NodeSet, tools: Toolkit, width: int, years: bool
) -> Steps[NodeSet]:
    """What each member of a set has of one relation per what it has of another, or less that."""
    members: dict[Value, tuple[Statement, ...]] = {}
    for rate, member, support in (yield from _paired(action, source, tools, width, years)):
        before = members.get(rate, source.members[member])
        members[rate] = tuple(dict.fromkeys((*before, *support)))
    if not members:
        by, what = _called(action.second, tools), "numbers" if action.per else "numbers or dates"
        name = relation_name(action, tools)
        raise ActionError(f"Nothing there has both “{name}” and “{by}” as {what}.")
    yield events.Computed(
        operation=_amount_in_words(action, tools) + " in years" * years,
        arguments=(compute.describe(list(source.members)),),
        result=tuple(members),
        because=tuple(dict.fromkeys(s for support in members.values() for s in support)),
    )
    return NodeSet(members, source.doubtful)


def _measurable(operation: str, sets: list[NodeSet]) -> list[NodeSet]:
    """A set of things that is compared with a number, or by more and fewer, stands for its size.

    Two sets of things are not called equal for being equally large. Raises ActionError where the
    size would be compared with a date or an amount of something.
    """
    if operation not in COMPARING or (operation == "equal" and all(s.entities for s in sets)):
        return sets
    if any(one.entities for one in sets):
        for value in (value for one in sets if not one.entities for value in one.members):
            if isinstance(value, Literal) and (value.datatype in TIMES or value.unit):
                told = verbalise.value(value)
                raise ActionError(f"“{told}” cannot be compared with how many things there are.")
    return [
        NodeSet({compute.number(len(one.members)): one.because}, one.doubtful)
        if one.entities
        else one
        for one in sets
    ]


def _stated(text: str, *, dated: bool = True) -> Literal:
    """A number or date as an action writes it. Raises ActionError for anything else.

    Four digits are a year where they stand beside dates.
    """
    digits = text.replace(",", "").replace(".", "", 1).lstrip("-")
    if digits.isdigit() and not (dated and len(text) == 4):
        return compute.number(Decimal(text.replace(",", "")))
    when = timeline.parse_time(text)
    if when is not None:
        return when
    exact = compute.parse_amount(text, Literal("0", DECIMAL))
    if exact is None:
        raise ActionError(f"“{text}” is neither a number nor a date.")
    return compute.number(exact[0])


_LEFT: dict[Tool, str] = {  # why a step leaves facts
    "follow": "another time or value than the one asked for, or not the one the graph prefers",
    "keep": "they do not pass the test",
    "rank": "others come before them",
    "group": "too few share them",
}


def _report(
    action: Action,
    source: NodeSet,
    edges: list[tuple[Entity, Statement]],
    members: dict[Value, tuple[Statement, ...]],
    tools: Toolkit,
) -> Steps[None]:
    """What the walk goes on with, what it leaves, where it ends."""
    kept = {s for support in members.values() for s in support}
    chosen = [s for _, s in edges if s in kept]
    left = [s for _, s in edges if s not in kept]
    if chosen:
        yield events.Chosen(
            statements=tuple(chosen),
            entities=tuple(m for m in members if isinstance(m, Entity)),
            why=action.thought,
        )
    doing = title(action, tools, {action.of: source})
    if left:
        yield events.Pruned(statements=tuple(left), why=_LEFT.get(action.tool, "not what is asked"))
    if not members:
        yield events.DeadEnd(entities=tuple(source.entities), why=f"{doing}: nothing found")


def _edges(
    action: Action, source: NodeSet, tools: Toolkit, width: int, most: int = 0
) -> Steps[list[tuple[Entity, Statement]]]:
    """Statements of the action's relation, each with the member of the set it belongs to.

    Of the first `width` members, or of `most` of them, so many at once.
    """
    relation = tools.relation(action.relation)
    if relation is None:
        raise ActionError(f"The graph has no relation “{action.relation}”.")
    near = source.entities[: most or width]
    yield from _beyond_reach(action, source, most or width)
    if not near:
        raise ActionError(f"{action.of} has no entities to go on from.")
    found: list[Statement] = []
    for first in range(0, len(near), width):
        some = near[first : first + width]
        found += yield from tools.expand(
            some, relation=relation, direction=action.direction, limit=ONE_RELATION
        )
    told = found or tools.reads_all or action.tool == "follow" or action.test == "is not"
    if not told and (why := _other_way(action, source, tools)):
        raise ActionError(why)
    members = set(near)
    ends = [(s.subject if action.direction == "out" else s.object, s) for s in found]
    return [(end, s) for end, s in ends if isinstance(end, Entity) and end in members]


def _beyond_reach(action: Action, source: NodeSet, most: int) -> Steps[None]:
    """Says how many members of a set are not read."""
    if (size := len(source.entities)) > most:
        yield events.Noted(text=f"Of {size:,} members of {action.of} the first {most:,} are read.")


def _above(
    values: list[Value], tools: Toolkit, group: relations.Group
) -> Steps[dict[Value, list[tuple[Statement, ...]]]]:
    """For each class or place, the ways to what is above it, the shortest first."""
    known = [next((r for r in map(tools.relation, row.names) if r), None)
             for row in relations.in_group(group)]  # fmt: skip
    ways = [relation for relation in known if relation is not None]
    classes = [v for v in dict.fromkeys(values) if isinstance(v, Entity)]
    above: dict[Value, list[tuple[Statement, ...]]] = {}
    if not ways:
        return above
    chains: dict[Entity, dict[Entity, tuple[Statement, ...]]] = {c: {c: ()} for c in classes}
    frontier = classes
    parents: dict[Entity, list[Statement]] = {}
    for _ in range(_LEVELS):
        frontier = [c for c in frontier if c not in parents]
        if not frontier:
            break
        found: list[Statement] = []
        for relation in ways:
            found += yield from tools.expand(frontier, relation=relation, direction="out")
        for entity in frontier:
            parents[entity] = [s for s in found if s.subject == entity]
        frontier = list(dict.fromkeys(s.object for s in found if isinstance(s.object, Entity)))
    for cls in classes:
        todo = [cls]
        while todo:
            here = todo.pop(0)
            for s in parents.get(here, []):
                if isinstance(s.object, Entity) and s.object not in chains[cls]:
                    chains[cls][s.object] = (*chains[cls][here], s)
                    todo.append(s.object)
        above[cls] = [chain for chain in chains[cls].values() if chain]
    return above


def _passes(
    action: Action, value: Value, statement: Statement, standard: _Standard | None = None
) -> bool:
    """Whether a value passes the action's test. Raises ActionError for an unusable test."""
    if not is_known(value) and action.test != "is":
        return value == UNKNOWN and action.test == "has"
    if standard is not None and action.test in ("is", "is not"):
        return (value in standard.values) == (action.test == "is")
    if standard is not None and standard.limits is not None:
        return compute.comparable(value) and _lies(action.test, value, standard.limits)
    match action.test:
        case "has":
            return True
        case "is":
            return same(value, action.value)
        case "is not":
            return not same(value, action.value)
        case "during":
            when = timeline.parse_time(action.value)
            if when is None:
                raise ActionError(f"“{action.value}” is not a date.")
            if isinstance(value, Literal) and compute.comparable(value):
                first, last = timeline.span(when)
                return first <= compute.amount(value) <= last
            return bool(timeline.held_at(statement, when))
        case _:
            return _beyond(action, value)


def _beyond(action: Action, value: Value) -> bool:
    if not compute.comparable(value):
        return False
    limit = compute.parse_amount(action.value, value)
    if limit is None:
        raise ActionError(f"“{action.value}” is neither a number nor a date.")
    return _lies(action.test, value, limit)


def _lies(test: Test, value: Value, limits: tuple[Decimal, Decimal]) -> bool:
    low, high = limits
    if test == "during":
        return low <= compute.amount(value) <= high
    return (
        compute.amount(value) > high
        if test in ("more than", "after")
        else (compute.amount(value) < low)
    )


def same(value: Value, text: str) -> bool:
    """Whether a value is what a text names: id, label, alias, or the value as written.

    The text may name several, separated by `|`.
    """
    wanted = {part.strip().casefold() for part in text.split("|")}
    if isinstance(value, Entity):
        names = (value.id, short_id(value.id), value.label, *value.aliases)
        return bool(wanted & {n.casefold() for n in names if n})
    return bool(wanted & {value.value.casefold(), verbalise.value(value).casefold()})


def _belongs(relation: str, tools: Toolkit, group: relations.Group) -> bool:
    found = tools.relation(relation)
    return found is not None and relations.belongs(found, group)


def relation_name(action: Action, tools: Toolkit) -> str:
    return _called(action.relation, tools)


def _amount_in_words(action: Action, tools: Toolkit) -> str:
    """`population per area`, `date of death less date of birth`."""
    name = relation_name(action, tools)
    if not action.second:
        return name
    return f"{name} {'per' if action.per else 'less'} {_called(action.second, tools)}"


def _called(relation: str, tools: Toolkit) -> str:
    found = tools.relation(relation) if relation else None
    return found.name if found else relation


def told(value: str, tools: Toolkit) -> str:
    """What a test names, for people: the first few, ids by the names of what they are of."""
    names = tools.remembered("told")
    ids = [i for i in _parts(value)[: bounds.OF_A_TEST] if _is_id(i) and i not in names]
    for i, entity in zip(ids, tools.described(ids), strict=True):
        names[i] = entity.name if entity is not None else unquote(short_id(i).rpartition(":")[2])
    return _shown(value, names)


def _is_id(text: str) -> bool:
    return re.match(r"(?:urn:|\w+://)", text) is not None


def _parts(value: str) -> list[str]:
    return [part.strip() for part in value.split("|")]


def _shown(value: str, names: Mapping[str, str] | None = None) -> str:
    """What a test names: the first few, ids by `names` or in their short form."""
    known, most = names or {}, bounds.OF_A_TEST
    parts = [known.get(p) or (short_id(p) if _is_id(p) else p) for p in _parts(value)]
    return ", ".join(parts[:most]) + " …" if len(parts) > most else " or ".join(parts)


def in_short(action: Action, tools: Toolkit | None = None) -> str:
    """The action in a line, in the words that a model has for it: `keep S2, instance of, is novel`.

    Relations by their names, as far as the graph is at hand.
    """
    said = {name: str(text) for name, text in action.model_dump(exclude_defaults=True).items()}
    for name in {"relation", *_SECOND} & said.keys():
        meant = tools.relation(said[name]) if tools is not None else None
        said[name] = meant.name if meant is not None else short_id(said[name])
    if action.tool == "keep" and {"value", "with_set"} & said.keys():
        said["test"] = action.test
    parts = [said[name] for name in ("operation", "relation", "test", "mention") if name in said]
    parts += [f"{name} {_shown(said[name])}" for name in _OPERANDS if name in said]
    return ", ".join([f"{action.tool} {action.of}".rstrip(), *parts])


def title(action: Action, tools: Toolkit, sets: Mapping[str, NodeSet] | None = None) -> str:
    """The action in a few words, for the step list; sets by their members when given."""
    relation = relation_name(action, tools)
    amount = _amount_in_words(action, tools)
    of, with_set = (_members(name, sets or {}) for name in (action.of, action.with_set))
    match action.tool:
        case "find":
            return f"Find “{action.mention}”"
        case "follow":
            arrow = "" if action.direction == "out" else " backwards"
            when = "today" if action.at == "now" else f"at {action.at}"
            extra = f" ({when})" if action.at else ""
            extra += f" ({told(action.value, tools)})" if action.value else ""
            return f"Follow “{relation}”{arrow} from {of}{extra}"
        case "keep":
            relation = relation or action.qualifier or "time"
            relation = "kind" if relation == "instance of" else relation
            if action.test == "has":
                return f"Keep those of {of} that have “{relation}”"
            test = {"during": "is in"}.get(action.test, action.test)
            test = test if test.startswith("is") else f"is {test}"
            held = f"that of {with_set}" if with_set else told(action.value, tools)
            return f"Keep those of {of} whose {relation} {test} {held}"
        case "rank":
            if action.with_set:
                return f"Take the one of {of} with the {action.order} of {with_set}"
            if not relation:
                return f"Take the {_order_in_words(action)} of {of}"
            near = f" to {told(action.value, tools)}" if action.order == "nearest" else ""
            by = f" by {action.qualifier}" if action.qualifier else ""
            return f"Take the one with the {action.order} {amount}{by}{near} of {of}"
        case "group":
            if action.order in ("most", "fewest"):
                return f"Take the {relation} that the {action.order} of {of} share"
            return f"Take the {relation} that at least {action.value or 2} of {of} share"
        case "compute":
            other = with_set or told(action.value, tools)
            what = f"{amount} of {of}" if relation else of
            if action.second and not other:
                return f"Compute {what}"
            return compute.deed(action.operation, (what, other) if other else (what,))
        case "more":
            return f"List further relations of {of}"
        case "reckon":
            return "Ask how sets are ranked and reckoned with"
        case "answer":
            return f"Answer with {of}"
        case _:
            return "Give up"


def _members(names: str, sets: Mapping[str, NodeSet]) -> str:
    found = named(names, sets)
    return compute.describe(list(found.members), 2) if found else names
