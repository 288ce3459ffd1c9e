"""Verbs for methods (`Toolkit`), and `run()`: clock, meter, budget, failure.

A method is a generator of events that returns an Answer. Its verbs block while they wait, and
every wait can be stopped; that is what makes a run cancellable inside a model call.
"""

from __future__ import annotations

import contextvars
import logging
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar
from typing import Literal as OneOf
from weakref import WeakKeyDictionary

from pydantic import BaseModel

from kgqa_core.ask import bare, bounds, events, namesakes, people, shown
from kgqa_core.ask.asked_unit import in_asked_unit
from kgqa_core.ask.blank import Blanks
from kgqa_core.ask.by_id import ByIds, ids_in
from kgqa_core.ask.described import Glosses
from kgqa_core.ask.events import Answer, Cost, Event, Record
from kgqa_core.ask.llm import LLM, Complaint, Reply
from kgqa_core.ask.skill import Skill, digest
from kgqa_core.errors import (
    BudgetExceeded,
    KGQAError,
    ReplyError,
    SettingsError,
    SourceError,
    Stopped,
)
from kgqa_core.facts import compute, relations, verbalise
from kgqa_core.facts.completeness import differing
from kgqa_core.facts.kinds import narrowing
from kgqa_core.facts.terms import (
    Direction,
    Entity,
    Hit,
    Literal,
    Passage,
    Qualifier,
    Relation,
    RelationUse,
    Statement,
    Value,
    far_end,
    short_id,
)
from kgqa_core.kg import base as kg_base
from kgqa_core.kg import kinds
from kgqa_core.kg.base import KnowledgeGraph, Queryable, Table
from kgqa_core.kg.selection import Order, Selecting, Selection, Writer
from kgqa_core.text import counted, listed, stems, visible

if TYPE_CHECKING:
    from kgqa_core.search.encoder import Encoder, Vectors
    from kgqa_core.search.index import Index, Reach, Scored

T = TypeVar("T")
R = TypeVar("R", bound=BaseModel)
Found = TypeVar("Found", Statement, Passage)
Steps = Generator[Event, None, T]
Solve = Callable[..., Steps[Answer]]

_FINER = 2  # times as many facts are compared in meaning as are kept: the nearest relations
KEPT = "kept, though perhaps not meant"  # among the members of a set, or in an answer
LEFT_OUT = "left out, though perhaps meant"
_BARE = 50  # things without a name that are asked about at once
_READING = 100  # statements; fewer are a glimpse unless they were chosen for the question
_NAMED = 2  # things of which more is stated than was read
MAX_QUESTION = 2_000  # characters; longer input is a document, not a question
_log = logging.getLogger(__name__)
_calls = ThreadPoolExecutor(max_workers=32, thread_name_prefix="kgqa-verb")


class StopToken:
    """Pressed once, seen by every wait of a run."""

    def __init__(self) -> None:
        self._pressed: Future[None] = Future()
        self._lock = threading.Lock()

    def press(self) -> None:
        with self._lock:
            if not self._pressed.done():
                self._pressed.set_result(None)

    @property
    def pressed(self) -> bool:
        return self._pressed.done()

    def wait(self, futures: Sequence[Future[T]], timeout_s: float | None = None) -> list[T]:
        """All results, in order. Raises Stopped or TimeoutError and cancels what still runs."""
        until = None if timeout_s is None else time.monotonic() + timeout_s
        pending: set[Future[Any]] = set(futures)
        try:
            while pending:
                if self.pressed:
                    raise Stopped("Stopped by the user.")
                left = None if until is None else until - time.monotonic()
                if left is not None and left <= 0:
                    raise TimeoutError
                done, _ = wait({*pending, self._pressed}, left, FIRST_COMPLETED)
                pending -= done
                for future in done & set(futures):
                    if not future.cancelled() and (error := future.exception()):
                        raise error
            return [future.result() for future in futures]
        except BaseException:
            for future in pending:
                future.cancel()
            raise


@dataclass(frozen=True)
class Budget:
    """What a run may use; the run fails with a sentence when it needs more."""

    llm_calls: int = 60
    tokens: int = 200_000
    seconds: float = 300.0


@dataclass
class Meter:
    """What a run has used so far. Counted from several threads."""

    total: Cost = field(default_factory=Cost)
    _fresh: Cost = field(default_factory=Cost, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def add(self, cost: Cost) -> None:
        with self._lock:
            self.total = self.total + cost
            self._fresh = self._fresh + cost

    def take(self) -> Cost:
        """What was used since the last take."""
        with self._lock:
            fresh, self._fresh = self._fresh, Cost()
        return fresh

    def kg_requests(self, count: int) -> None:
        self.add(Cost(kg_requests=count))


class Toolkit:
    """The verbs. Each yields what happened as events, then returns its result.

    A toolkit belongs to one run: it carries that run's budget, meter and stop token.
    `anchors`: entities that were given with the question, by what they are called.
    """

    anchors: Mapping[str, Entity] = {}

    def __init__(
        self,
        kg: KnowledgeGraph,
        llm: LLM,
        *,
        index: Index | None = None,
        budget: Budget | None = None,
        equipment: Any = None,
        stop: StopToken | None = None,
        on_text: Callable[[str], None] | None = None,
    ) -> None:
        self._kg = kg
        self.llm = llm
        self._vectors = index
        self.budget = budget or Budget()
        self.equipment = equipment
        self.stop = stop or StopToken()
        self.meter = Meter()
        self._on_text = on_text
        self._started = time.monotonic()
        self._incomplete: dict[str, bool] = {}  # what sources left out, and whether it was told
        self._relations: dict[str, Relation | None] = {}
        self.reads_all = False  # whether the last reply was the built-in reader's
        self._aside: set[Relation] = set()  # what a question does not ask for, and was told of
        self._cut_short: dict[Entity, None] = {}  # of which more is stated than was read
        self._cut: set[str] = set()  # what prompts had no room for, and was told of
        self._unseen: dict[shown.Thing, None] = {}  # what no prompt had room for so far
        self._seen: set[shown.Thing] = set()
        self._said: set[str] = set()  # why not all can be searched by meaning
        self._kinds: dict[str, str] = {}  # of things without a name, by short id: what they are
        self._linked: dict[str, list[Hit]] = {}  # what names that were looked up may mean
        self._blanks = Blanks()
        self._by_ids = ByIds()
        self._of_no_kind: set[Value] = set()  # members without a stated kind, that were told of

    # -- language model ------------------------------------------------------------------

    def ask(self, skill: Skill[R], **inputs: Any) -> Steps[R]:
        """One reply. Raises ReplyError when the second reply does not fit either."""
        replies = yield from self.ask_all(skill, [inputs])
        return replies[0]

    def ask_all(self, skill: Skill[R], many: Sequence[dict[str, Any]]) -> Steps[list[R]]:
        """Independent questions at once; replies in input order."""
        given = self._with_kinds([skill.given(**inputs) for inputs in many])
        replies = self._complete(skill, given, [None] * len(given))
        for one, reply in zip(given, replies, strict=True):
            yield _asked(skill, one, reply)
            yield from self._no_room(one, reply)
        bad = [i for i, reply in enumerate(replies) if reply.value is None]
        if bad:
            complaints = [Complaint(replies[i].text, replies[i].problem) for i in bad]
            again = self._complete(skill, [given[i] for i in bad], complaints)
            for i, reply in zip(bad, again, strict=True):
                yield _asked(skill, given[i], reply)
                replies[i] = reply
        values = []
        for reply in replies:
            if reply.value is None:
                raise ReplyError(
                    f"{self.llm.name} gave no usable reply to the step “{skill.name}”: "
                    f"{reply.problem} Try again, or choose another model.",
                    reply=reply.text,
                )
            values.append(reply.value)
        return values

    def _with_kinds(self, given: Sequence[BaseModel]) -> list[BaseModel]:
        """What a prompt shows, with what things are of which the graph has the id alone.

        One request for all that are new; a graph that does not say is not asked about them again.
        """
        if not getattr(self.llm, "sees_prompts", True):
            return list(given)
        new = [e for e in bare.bare_in(list(given)) if short_id(e.id) not in self._kinds]
        if new := new[:_BARE]:
            self._kinds.update((short_id(e.id), "") for e in new)
            with suppress(SourceError):
                if relation := self.relation(relations.in_group("class")[0].label):
                    found = self._call(
                        self._kg.statements, new, direction="out", relation=relation, limit=1
                    )
                    self._kinds.update(
                        (short_id(s.subject.id), verbalise.value(s.object))
                        for s in chain.from_iterable(found)
                        if isinstance(s.object, Entity) and s.object.label
                    )
        return [bare.told(one, self._kinds) for one in given]

    def _no_room(self, given: BaseModel, reply: Reply[Any]) -> Iterator[events.Noted]:
        """What a prompt left out, each sentence once in a run; the built-in reader reads all."""
        self.reads_all = reply.rung == "reader"
        if self.reads_all:
            return
        held, cut = shown.parted(given)
        self._seen.update(held)
        self._unseen.update(dict.fromkeys(cut))
        for what, text in shown.cuts(given).items():
            if what not in self._cut:
                self._cut.add(what)
                yield events.Noted(text=f"No room in the prompt for {text}.")

    def _complete(
        self, skill: Skill[R], given: Sequence[BaseModel], complaints: Sequence[Complaint | None]
    ) -> list[Reply[R]]:
        used = self.meter.total
        if used.llm_calls + len(given) > self.budget.llm_calls:
            raise BudgetExceeded(
                f"The run needs more than its {counted(self.budget.llm_calls, 'model call')}. "
                "Raise the budget in Settings, or lower the method's breadth or depth."
            )
        if used.prompt_tokens + used.completion_tokens >= self.budget.tokens:
            raise BudgetExceeded(
                f"The run used up its {counted(self.budget.tokens, 'token')}. Raise the budget in "
                "Settings."
            )
        on_text = self._on_text if len(given) == 1 else None
        futures = [
            self.llm.ask(skill, one, complaint=complaint, on_text=on_text)
            for one, complaint in zip(given, complaints, strict=True)
        ]
        self.meter.add(Cost(llm_calls=sum(not _reused(future) for future in futures)))
        replies = self._wait(futures)
        for reply in replies:
            self.meter.add(
                Cost(
                    prompt_tokens=reply.prompt_tokens,
                    completion_tokens=reply.completion_tokens,
                    estimated=reply.estimated,
                )
            )
        return replies

    # -- knowledge graph -----------------------------------------------------------------

    def link(self, mentions: Sequence[str], limit: int = 8) -> Steps[list[list[Hit]]]:
        """Candidate entities for each mention, best first; none for those of which no more are
        looked up at once."""
        every = list(dict.fromkeys(mentions))
        asked = every[: bounds.LINKED]
        found = dict(zip(asked, self._look_up(asked, limit) if asked else [], strict=True))
        for mention in [m for m in asked if people.is_anybody(m) and not found[m]]:
            found[mention] = people.as_people(self._look_up(list(people.KINDS), 1), mention)
        for mention, hits in found.items():
            if len(hits) >= len(self._linked.get(mention, ())):
                self._linked[mention] = hits
        yield events.Linked(mentions=tuple(asked), candidates=tuple(map(tuple, found.values())))
        if len(every) > len(asked):
            yield events.Noted(
                text=f"Of {len(every):,} names the first {len(asked):,} are looked up."
            )
        yield from self.left_out()
        return [found.get(mention, []) for mention in mentions]

    @property
    def looked_up(self) -> bool:
        """Whether any name was looked up in this run."""
        return bool(self._linked)

    def undecided(self, question: str, cited: Sequence[object]) -> list[namesakes.Taken]:
        """Names of the question that mean one of several things in what is cited: which, it does
        not say. None where the graph cannot be asked any more."""
        try:
            return namesakes.undecided(question, cited, self._linked, self.relations_of)
        except KGQAError:
            return []

    @property
    def graph(self) -> str:
        """What the graph is called."""
        return self._kg.name

    @property
    def speaks_sparql(self) -> bool:
        return isinstance(self._kg, Queryable)

    def relation(self, id_or_label: str) -> Relation | None:
        """A relation of the graph by id or exact label; None when it has none such."""
        if id_or_label not in self._relations:
            self._relations[id_or_label] = self._call(self._kg.relation, id_or_label)
        return self._relations[id_or_label]

    def remembered(self, key: str) -> dict[Any, Any]:
        """What was worked out about this graph in any run, for as long as it is open."""
        return remembered(self._kg, key)

    def beside(self, llm: LLM) -> Toolkit:
        """The same graph and stop token with another model, whose calls cost this run nothing."""
        return Toolkit(self._kg, llm, budget=Budget(llm_calls=10_000), stop=self.stop)

    def glosses(self) -> Glosses | None:
        """What the graph says of its things in words, read once; None where it says nothing so."""
        kept = self.remembered("glosses")
        if "all" not in kept:
            kept["all"] = self._call(_read_glosses, self._kg)
        found: Glosses | None = kept["all"]
        return found

    def nothing_but_ids(self, values: Sequence[Value]) -> list[Entity]:
        """Those of which the graph has the id alone, as of what was deleted from Wikidata.

        None where the graph cannot be asked any more.
        """
        unnamed = bare.bare_in(list(values))[:_BARE]
        try:
            there = self.described([e.id for e in unnamed])
            unsaid = [
                e
                for e, known in zip(unnamed, there, strict=True)
                if known is None or not (known.label or known.description)
            ]
            uses = self.relations_of(unsaid)
        except KGQAError:
            return []
        return [
            e
            for e, own in zip(unsaid, uses, strict=True)
            if not any(use.direction == "out" for use in own)
        ]

    def note_no_kind(self, members: Sequence[Entity], done: str) -> Iterator[events.Noted]:
        """Of which members no kind is stated, each told of once in a run, and what is `done`."""
        new = [e for e in members if e not in self._of_no_kind]
        self._of_no_kind.update(new)
        if new:
            names = listed([e.name for e in new], bounds.EARLIER)
            yield events.Noted(text=f"No kind is stated of {names}: {done}.")

    def of_no_kind(
        self, question: str, values: Sequence[Value], led: Sequence[Relation] = ()
    ) -> list[Entity]:
        """Those without a stated kind, where the question names a kind that others are of.

        None where a relation that `led` there says it (“member of political party”), nor where the
        graph cannot be asked any more.
        """
        members = [v for v in values if isinstance(v, Entity)][:_BARE]
        if len(members) < 2:
            return []
        try:
            if (relation := self.relation(relations.in_group("class")[0].label)) is None:
                return []
            found = self._call(self._kg.statements, members, direction="out", relation=relation)
        except KGQAError:
            return []
        said = set(stems(question)).difference(*(stems(one.name) for one in led))
        kinds_stated = {stems(s.object.name) for s in chain.from_iterable(found)}
        if not any(kind and set(kind) <= said for kind in kinds_stated):
            return []
        return [e for e, own in zip(members, found, strict=True) if not own]

    def described(self, ids: Sequence[str]) -> list[Entity | None]:
        """The entities with label, description and aliases; None for an id that is not there."""
        return self._call(self._kg.describe, ids) if ids else []

    def call(self, verb: Callable[..., T], *args: Any, **kwargs: Any) -> T:
        """Has the method's own equipment do something: metered, and stopped with the run."""
        return self._call(verb, *args, **kwargs)

    def _look_up(self, mentions: list[str], limit: int) -> list[list[Hit]]:
        found = self._call(self._kg.search, mentions, limit)
        hits = dict(zip(mentions, found, strict=True))
        return self._by_ids.found(mentions, hits, self.described)

    def by_names(self, question: str) -> Steps[str]:
        """The question with names for the ids in it, after it was said what they lead to.

        Itself where there are none, and of a graph that cannot be asked.
        """
        if ids := ids_in(question)[: bounds.LINKED]:
            with suppress(SourceError):
                self._look_up(ids, 1)
            for text in self._by_ids.sentences(kinds.title(self.graph)):
                yield events.Noted(text=text)
        return self._by_ids.in_names(question)

    @property
    def lost(self) -> list[str]:
        """What ids lead nowhere, a sentence each."""
        return self._by_ids.lost(kinds.title(self.graph))

    def survey(self, entities: Sequence[Entity], *, about: str = "") -> Steps[list[RelationUse]]:
        """Which relations leave and enter the set, counts added up, most used first.

        `about` a question: those that may be shown for it, in that order (`shown.py`).
        """
        uses = merge_uses(self.relations_of(entities))
        found = shown.Shown(uses, [])
        if about:
            found = self._relevant(about, uses, shown.RELATIONS)
        yield events.Surveyed(
            entities=tuple(entities),
            relations=tuple(found.items),
            aside=self._newly_aside(found.aside),
        )
        yield from self.left_out()
        return found.items

    def relations_of(
        self, entities: Sequence[Entity], *, about: str = "", most: int = shown.RELATIONS
    ) -> list[list[RelationUse]]:
        """The same per entity, without an event: to describe candidates to a model.

        Those of one that has more than `most` are in order of nearness to the question.
        """
        found = self._call(self._kg.relations_of, list(entities)) if entities else []
        for use in chain.from_iterable(found):  # what is listed can be followed, named or not
            if self._relations.get(use.relation.id) is None:
                self._relations[use.relation.id] = use.relation
        if not about:
            return found
        return [self._relevant(about, uses, most).items for uses in found]

    def nearest_uses(self, about: str, uses: Sequence[RelationUse]) -> list[RelationUse]:
        """Those that may be shown for a question, or for some words of it, the nearest first."""
        reads = getattr(self.llm, "sees_prompts", True)
        return shown.relevant_uses(about, uses, self._near, 1, by_examples=reads).items

    def _relevant(
        self, about: str, uses: Sequence[RelationUse], most: int
    ) -> shown.Shown[RelationUse]:
        """In order where there are more than `most`; where there are many, for who reads all: to
        compare them takes the encoder."""
        reads = getattr(self.llm, "sees_prompts", True)
        most = most if reads else max(most, shown.READ)
        return shown.relevant_uses(about, uses, self._near, most, by_examples=reads)

    def details_of(
        self, entities: Sequence[Entity]
    ) -> list[dict[tuple[Relation, Direction], list[str]]]:
        """Per entity, by relation, what its statements say of themselves: start time, replaced by.

        The most frequent first. Without an event, and from what `relations_of` has read.
        """
        found = []
        for own in self._by_relation(entities):
            names = {u: Counter(q.relation.name for s in c for q in narrowing(s)) for u, c in own}
            found.append({use: [name for name, _ in n.most_common()] for use, n in names.items()})
        return found

    def ends_of(
        self, entities: Sequence[Entity], of_each: int = 0
    ) -> list[dict[tuple[Relation, Direction], list[Entity]]]:
        """Per entity, by relation, the things that it leads to; read as `details_of` reads.

        `of_each`: not more statements than that, so that no hub is read or counted whole.
        """
        found = []
        for entity, own in zip(entities, self._by_relation(entities, of_each), strict=True):
            ends = {use: [far_end(s, entity) for s in facts] for use, facts in own}
            found.append({u: [e for e in far if isinstance(e, Entity)] for u, far in ends.items()})
        return found

    def _by_relation(
        self, entities: Sequence[Entity], of_each: int = 0
    ) -> list[list[tuple[tuple[Relation, Direction], list[Statement]]]]:
        if not entities:
            return []
        limit = of_each or shown.reading(1)
        around = self._call(self._kg.statements, list(entities), limit=limit)
        found = []
        for entity, own in zip(entities, around, strict=True):
            groups: dict[tuple[Relation, Direction], list[Statement]] = {}
            for s in own:
                way: Direction = "out" if s.subject == entity else "in"
                groups.setdefault((s.relation, way), []).append(s)
            found.append(list(groups.items()))
        return found

    def expand(
        self,
        entities: Sequence[Entity],
        *,
        relation: Relation | None = None,
        direction: Direction | None = None,
        limit: int | None = None,
        about: str = "",
    ) -> Steps[list[Statement]]:
        """Statements around the entities, each once; `limit` per entity and direction.

        Without a limit as many as are read around so many entities (`shown.reading`), of a given
        relation as many as around one.

        `about` a question: those that may be shown for it, in such an order that any beginning
        is a fair choice (`shown.py`).
        """
        if limit is None:
            limit = shown.reading(1 if relation else len(entities))
        per_entity = (
            self._call(
                self._kg.statements,
                list(entities),
                relation=relation,
                direction=direction,
                limit=limit,
            )
            if entities
            else []
        )
        cut = [
            e
            for e, own in zip(entities, per_entity, strict=True)
            if len(own) >= limit and _fills(limit, e, own)
        ]
        if about or relation or limit >= _READING:
            self._cut_short.update(dict.fromkeys(cut))
            if not relation and not direction:
                for e in set(entities) - set(cut):
                    self._cut_short.pop(e, None)
        every = list(dict.fromkeys(s for statements in per_entity for s in statements))
        self._blanks.read(every)
        found = shown.relevant_facts(about, every, self._near) if about else shown.Shown(every, [])
        beside = shown.beside(about, found.items) if about else []
        yield events.Expanded(
            entities=tuple(entities),
            statements=tuple(found.items),
            relation=relation,
            direction=direction,
            truncated=bool(cut),
            aside=self._newly_aside([*found.aside, *beside]),
        )
        yield from self.left_out()
        return found.items

    def relevant(
        self, about: str, facts: Sequence[Statement], room: float = shown.FACTS
    ) -> list[Statement]:
        """Facts at hand, as `expand` would give them for a question."""
        return shown.relevant_facts(about, facts, self._near, room).items

    def nearest(self, about: str, facts: Sequence[Statement], most: int) -> Steps[list[Statement]]:
        """The `most` facts nearest to a question: relations first (`shown.py`), then values.

        Of the facts of the nearest relations those whose words are nearest in meaning. What is left
        is told of.
        """
        finer = _FINER * most
        ordered = self.relevant(about, facts, room=0) if len(facts) > finer else list(facts)
        (scored,) = yield from self.nearest_triples([about], most, among=ordered[:finer])
        kept = [one.item for one in scored]
        among = set(kept)
        if left := [s for s in ordered if s not in among]:
            yield events.Noted(text=f"Not among the {most} nearest: {shown.left_out(left)}.")
        return kept

    def nearest_ends(
        self,
        about: str,
        ends: Sequence[shown.End],
        facts: Sequence[Statement],
        most: int,
        done: str = "gone on from",
    ) -> Steps[list[shown.End]]:
        """At most so many ends of facts, the nearest to a question first where some are left.

        That some are left is told, with what is `done` with the others.
        """
        if len(ends) <= most:
            return list(ends)
        yield events.Noted(
            text=f"Of {len(ends):,} ends the {most:,} nearest to the question are {done}."
        )
        return self.nearest_first(about, ends, facts)[:most]

    def nearest_first(
        self, about: str, ends: Sequence[shown.End], facts: Sequence[Statement]
    ) -> list[shown.End]:
        """All of them in that order."""
        return shown.nearest_ends(about, ends, facts, self._near)

    def nearness(
        self, question: str, relations: Sequence[Relation]
    ) -> Mapping[Relation, float] | None:
        """How near relations are to a question in meaning; None where nothing compares meanings."""
        return self._near(question, relations) if self.has_index else None

    def _near(self, question: str, relations: Sequence[Relation]) -> Mapping[Relation, float]:
        """By the encoder that compares meanings in this run; by words where there is none."""
        if self._vectors is None:
            return shown.by_words(question, relations)
        try:
            return shown.by_meaning(question, relations, self._cosines_with)
        except (SettingsError, SourceError):
            return shown.by_words(question, relations)

    def _cosines_with(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        (asked,) = self.encode([question], query=True)
        cosines: list[float] = (self.encode(texts) @ asked).tolist()
        return cosines

    def _newly_aside(self, items: Sequence[RelationUse | Statement | Qualifier]) -> str:
        """What was left aside, in words; each relation is told of once in a run."""
        new = [item for item in items if item.relation not in self._aside]
        self._aside.update(item.relation for item in new)
        return shown.aside_in_words(new)

    def query(self, sparql: str, limit: int = 1000) -> Steps[Table]:
        """Rows of a read-only query. Raises SourceRejected when the graph has no SPARQL."""
        if not isinstance(self._kg, Queryable):
            raise kg_base.no_sparql(self._kg.name)
        return (yield from self._queried(self._kg.query, sparql, limit))

    def _queried(self, verb: Callable[..., Table], sparql: str, limit: int) -> Steps[Table]:
        table = self._call(verb, sparql, limit)
        yield events.Queried(sparql=sparql, columns=table.columns, rows=table.rows, more=table.more)
        yield from self.left_out()
        return table

    @property
    def selects(self) -> bool:
        """Whether the graph can be asked for things by what is stated of them."""
        return isinstance(self._kg, Selecting)

    def select(
        self, selection: Selection, most: int, order: Order | None = None
    ) -> Steps[list[Entity]]:
        """Members of a selection, by one query; with an order, the first of these."""
        table = yield from self._written(self._writer().choosing(selection, most, order), most)
        return [row[0] for row in table.rows if row and isinstance(row[0], Entity)]

    def count_of(self, selection: Selection) -> Steps[int]:
        """How many members a selection has, by one query."""
        table = yield from self._written(self._writer().counting(selection))
        count = table.rows[0][0] if table.rows else None
        return int(count.value) if isinstance(count, Literal) else 0

    def _written(self, sparql: str, limit: int = 1000) -> Steps[Table]:
        """Rows of a query that a `Writer` wrote."""
        if not isinstance(self._kg, Queryable):
            raise kg_base.no_sparql(self._kg.name)
        return (yield from self._queried(_as_ours(self._kg), sparql, limit))

    def _writer(self) -> Writer:
        if not isinstance(self._kg, Selecting):
            raise kg_base.no_sparql(self._kg.name)
        return self._call(self._kg.writer)

    @property
    def is_incomplete(self) -> bool:
        """Whether a source left something out of what this run asked for."""
        return bool(self._incomplete)

    @property
    def cut_short(self) -> list[Entity]:
        """Entities of which more is stated than was read."""
        return list(self._cut_short)

    def why_none(self, question: str, reason: str) -> str:
        """Why there is no answer: by the method, by the graph, and for what was not read."""
        for one in ids_in(question, "P"):  # as the question writes it
            reason = reason.replace(f"“{one.lower()}”", f"“{one}”")
        nowhere = [*self.lost, *self._no_relations(question)]
        reason = " ".join([*nowhere, self._blanks.told(question, reason, self._near)]).strip()
        names = listed((e.name for e in self._cut_short), _NAMED)
        unread = f"Not all that is stated of {names} was read." if names else ""
        return " ".join(filter(None, (reason, self.never_shown, unread)))

    def _no_relations(self, question: str) -> list[str]:
        """Which relations, called by their ids, the graph does not have, a sentence each."""
        with suppress(SourceError):
            return [
                f"“{kinds.title(self.graph)}” has no relation {one}."
                for one in ids_in(question, "P")[: bounds.LINKED]
                if self.relation(one) is None
                and not any(hit.score >= 1 for hit in self._call(self._kg.search, [one], 1)[0])
            ]
        return []

    def stated_blank(self, question: str) -> str:
        """What the graph states to be unknown, not to be, or wrong, of what is asked for."""
        return self._blanks.told(question, "", self._near)

    @property
    def never_shown(self) -> str:
        """What was read and no prompt had room for, in a sentence; empty where that is nothing."""
        return shown.no_room(thing for thing in self._unseen if thing not in self._seen)

    def left_out(self) -> Iterator[events.Noted]:
        """What sources left out, each sentence once in a run."""
        for text in [text for text, told in self._incomplete.items() if not told]:
            self._incomplete[text] = True
            yield events.Noted(text=text, level="warning")

    def compute(
        self,
        operation: compute.Operation,
        *sets: Sequence[Value],
        because: Iterable[Statement] = (),
    ) -> Steps[list[Value]]:
        """A set operation (`compute.py`), exact and visible."""
        result = compute.apply(operation, *sets)
        yield events.Computed(
            operation=operation,
            arguments=tuple(compute.describe(values) for values in sets),
            result=tuple(result),
            because=tuple(because),
            of=tuple(sets[0]) if operation == "count" else (),
        )
        return result

    # -- meaning -------------------------------------------------------------------------

    def reach(self, what: OneOf["triples", "passages"], *, about: str = "") -> Steps[Reach]:
        """How much of the graph's triples or passages can be searched by meaning at this moment.

        Where that is not all, it says why, and that what is linked is compared instead. `about` a
        question: not all, either, if it asks for triples that are not indexed.
        """
        if (index := self._vectors) is None:
            yield from self._note_no_index()
            return "none"
        if what == "triples":
            reach, why = self._call(index.triples_reach, about)
        else:
            reach, why = self._call(index.passages_reach)
        if reach != "all" and why not in self._said:
            self._said.add(why)
            also = "what is in it, and " if reach == "some" else "only "
            yield events.Noted(text=f"{why}: {also}the {what} around linked entities are compared.")
        return reach

    def nearest_triples(
        self, texts: Sequence[str], k: int, *, among: Sequence[Statement] | None = None
    ) -> Steps[list[list[Scored[Statement]]]]:
        """The `k` statements nearest to each text: of the whole graph, or `among` some.

        Of the whole graph only where it can be searched (`reach`).
        """
        if among is None:
            found = self._call(self._index().nearest_triples, list(texts), k)
            yield from _retrieved(texts, found)
            return found
        return (yield from self._ranked(texts, among, k))

    @property
    def has_passages(self) -> bool:
        """Whether there is any text about the graph."""
        return self.has_index and self._call(lambda: self._index().has_passages)

    def passages_about(self, entities: Sequence[Entity]) -> list[Passage]:
        """The passages about some entities."""
        return self._call(self._index().passages_about, list(entities)) if self.has_index else []

    def nearest_passages(
        self, texts: Sequence[str], k: int, *, among: Sequence[Passage] | None = None
    ) -> Steps[list[list[Scored[Passage]]]]:
        """The same of passages."""
        if among is None:
            found = self._call(self._index().nearest_passages, list(texts), k)
            yield from _retrieved(texts, found)
            return found
        return (yield from self._ranked(texts, among, k))

    def _ranked(
        self, texts: Sequence[str], items: Sequence[Found], k: int
    ) -> Steps[list[list[Scored[Found]]]]:
        """Some items, nearest first; without an index by the encoder of the run's own."""
        if self._vectors is not None:
            found = self._call(self._vectors.rank, list(texts), list(items), k)
        else:
            from kgqa_core.search.index import rank

            if items:
                yield from self._note_no_index()
            found = self._call(rank, self._encoder(), list(texts), list(items), k)
        yield from _retrieved(texts, found)
        return found

    def _note_no_index(self) -> Iterator[events.Noted]:
        """That there is none, once in a run."""
        why = f"There is no index of “{kinds.title(self.graph)}”"
        if why not in self._said:
            self._said.add(why)
            yield events.Noted(text=f"{why}: only what is linked is compared in meaning.")

    def cosines(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """How near the two texts of each pair are in meaning, from -1 to 1."""
        if not pairs:
            return []
        if self._vectors is not None:
            return self._call(self._vectors.cosines, list(pairs))
        from kgqa_core.search.index import cosines

        return self._call(cosines, self._encoder(), list(pairs))

    @property
    def encoder_name(self) -> str:
        """Which model compares meanings."""
        return self._encoder().name

    def encode(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """Unit vectors, float32, a row for each text; `query` for what is looked for."""
        return self._call(self._encoder().encode, list(texts), query=query)

    def _encoder(self) -> Encoder:
        return _own_encoder() if self._vectors is None else self._vectors.encoder

    @property
    def has_index(self) -> bool:
        """Whether meanings can be compared with those of the graph."""
        return self._vectors is not None

    def _index(self) -> Index:
        if self._vectors is None:
            raise SettingsError(
                f"There is no index of “{kinds.title(self.graph)}” to search. Choose a method that "
                "links what a question names."
            )
        return self._vectors

    # -- waiting -------------------------------------------------------------------------

    def check(self) -> None:
        """Raises Stopped or BudgetExceeded; long loops without verbs call it."""
        if self.stop.pressed:
            raise Stopped("Stopped by the user.")
        if self._left() <= 0:
            raise self._too_slow()

    def affords(self, calls: int) -> bool:
        """Whether the budget has room for so many more calls, each as long as those so far."""
        used = self.meter.total
        each = (used.prompt_tokens + used.completion_tokens) / max(1, used.llm_calls)
        return (
            used.llm_calls + calls <= self.budget.llm_calls
            and each * (used.llm_calls + calls) <= self.budget.tokens
        )

    def _left(self) -> float:
        return self.budget.seconds - (time.monotonic() - self._started)

    def _too_slow(self) -> BudgetExceeded:
        return BudgetExceeded(
            f"The run used up its {self.budget.seconds:g} seconds. Raise the budget in Settings."
        )

    def _wait(self, futures: Sequence[Future[T]]) -> list[T]:
        try:
            return self.stop.wait(futures, max(0.0, self._left()))
        except TimeoutError:
            if self._left() > 0:  # the time-out was the call's own, not the budget's
                raise
            raise self._too_slow() from None

    def _call(self, verb: Callable[..., T], *args: Any, **kwargs: Any) -> T:
        context = contextvars.copy_context()

        def metered() -> T:
            kg_base._on_request.set(self.meter.kg_requests)
            kg_base._on_incomplete.set(lambda text: self._incomplete.setdefault(text, False))
            return verb(*args, **kwargs)

        return self._wait([_calls.submit(context.run, metered)])[0]


def _as_ours(kg: Queryable) -> Callable[..., Table]:
    """How a query that the program wrote itself is asked: it needs no process of its own."""
    verb: Callable[..., Table] = getattr(kg, "query_of_ours", kg.query)
    return verb


_GLOSS = f"{kg_base.WD}P1683"  # quotation: “excerpt from the source describing the topic”
_GLOSSES = 50_000


def _read_glosses(kg: KnowledgeGraph) -> Glosses | None:
    """None of a graph that is too large to be counted: it is not read through."""
    relation = kg.relation(_GLOSS)
    if relation is None or not isinstance(kg, Queryable) or kg.info().statements is None:
        return None
    table = _as_ours(kg)(
        f"SELECT (STR(?s) AS ?thing) ?text WHERE {{ ?s <{kg_base.WDT}P1683> ?text }}", _GLOSSES
    )
    cells = [[c.value for c in row if isinstance(c, Literal)] for row in table.rows]
    return Glosses(relation, [(c[0], c[1]) for c in cells if len(c) == 2])


_remembered: WeakKeyDictionary[KnowledgeGraph, dict[str, dict[Any, Any]]] = WeakKeyDictionary()


def remembered(kg: KnowledgeGraph, key: str) -> dict[Any, Any]:
    """A dict that belongs to a graph and goes with it."""
    return _remembered.setdefault(kg, {}).setdefault(key, {})


@lru_cache(maxsize=1)
def _own_encoder() -> Encoder:
    """For a toolkit without an index."""
    from kgqa_core.search.encoder import Encoder
    from kgqa_core.settings import load_settings

    return Encoder(load_settings())


def _fills(limit: int, entity: Entity, statements: Sequence[Statement]) -> bool:
    """Whether there may be more in one direction than the `limit` that was asked for."""
    out = sum(s.subject == entity for s in statements)
    return max(out, len(statements) - out) >= limit


def merge_uses(per_entity: Sequence[Sequence[RelationUse]]) -> list[RelationUse]:
    """Relation uses of a set: counts added up, examples joined, most used first."""
    merged: dict[tuple[Relation, Direction], RelationUse] = {}
    for uses in per_entity:
        for use in uses:
            key = (use.relation, use.direction)
            before = merged.get(key)
            merged[key] = (
                use
                if before is None
                else RelationUse(
                    before.relation,
                    use.direction,
                    before.count + use.count,
                    tuple(dict.fromkeys((*before.examples, *use.examples)))[:3],
                )
            )
    return sorted(merged.values(), key=lambda u: (-u.count, u.relation.name, u.direction))


def _retrieved(
    texts: Sequence[str], found: Sequence[Sequence[Scored[Any]]]
) -> Iterator[events.Retrieved]:
    for text, scored in zip(texts, found, strict=True):
        yield events.Retrieved(
            query=text,
            found=tuple(s.item for s in scored),
            scores=tuple(s.score for s in scored),
        )


def _reused(future: Future[Reply[Any]]) -> bool:
    """Whether the reply was there without a call; one that is still to come never is."""
    ready = future.done() and not future.cancelled() and future.exception() is None
    return ready and future.result().reused


def _asked(skill: Skill[Any], given: BaseModel, reply: Reply[Any]) -> events.Asked:
    return events.Asked(
        skill=skill.name,
        prompt=reply.prompt,
        reply=reply.text,
        parsed=None if reply.value is None else reply.value.model_dump(mode="json"),
        problem=reply.problem,
        rung=reply.rung,
        tokens_estimated=reply.estimated,
        reasoning=reply.reasoning,
        given=digest(given),
        reused=reply.reused,
    )


def run(question: str, solve: Solve, tools: Toolkit, params: BaseModel) -> Iterator[Record]:
    """Drains a method, stamping and metering its events; always ends in one terminal event.

    Closing the iterator closes the method. Nothing is raised: errors become `Failed`.
    """
    started = last = time.monotonic()
    step = 0
    for seq, event in enumerate(_events(question, solve, tools, params)):
        now = time.monotonic()
        step += isinstance(event, events.Step)
        yield Record(
            seq=seq,
            step=step,
            at_s=round(now - started, 4),
            cost=tools.meter.take() + Cost(seconds=round(now - last, 4)),
            event=event,
        )
        last = now


def _events(
    question: str, solve: Solve, tools: Toolkit, params: BaseModel
) -> Generator[Event, None, None]:
    try:
        question = checked(question)
        tools.check()
        question = yield from tools.by_names(question)
        answer = yield from solve(question, tools, params)
        if not isinstance(answer, Answer):
            raise TypeError(f"a method returns an Answer, this one a {type(answer).__name__}")
        yield from tools.left_out()
        wrong = any(isinstance(c, Statement) and c.rank == "deprecated" for c in answer.citations)
        if unlike := differing(answer.values, answer.citations):
            told = f"{unlike[0].subject.name} has several values of {unlike[0].relation.name}"
            yield events.Noted(text=f"{told}, where there is one: sources differ.")
        torn = tools.undecided(question, answer.citations)
        for taken in torn:
            yield events.Noted(text=taken.line)
        # what was left out might change it
        if tools.is_incomplete or wrong or unlike or torn or tools.lost:
            answer = answer.model_copy(update={"certain": False})
        led = [cited.relation for cited in answer.citations if isinstance(cited, Statement)]
        if unsorted := tools.of_no_kind(question, answer.values, led):
            yield from tools.note_no_kind(unsorted, KEPT)
            answer = answer.model_copy(update={"certain": False})
        answer = bare.with_nothing_said(answer, tools.nothing_but_ids(answer.values))
        answer = in_asked_unit(question, answer)
        if not answer.sentences:
            reason = tools.why_none(question, answer.reason)
            answer = answer.model_copy(update={"reason": reason})
    except Stopped:
        yield events.Cancelled()
    except KGQAError as error:
        yield events.Failed(error=type(error).__name__, message=str(error))
    except Exception as error:
        _log.exception("run failed")
        yield events.Failed(
            error=type(error).__name__,
            message=f"The method stopped at an unexpected {type(error).__name__}: {error}. "
            "This is a defect: please report it with the exported run.",
        )
    else:
        if answer.sentences:
            yield events.Answered(answer=answer)
        else:
            yield events.Abstained(answer=_of_what_graph(answer, tools.graph))


def _of_what_graph(answer: Answer, graph: str) -> Answer:
    """An abstention that says of which graph something was read, or is not there."""
    graph = kinds.title(graph)
    named = f"What was read of “{graph}”"
    reason = re.sub(r"^What was read\b(?! of “)", lambda _: named, answer.reason)
    reason = re.sub(
        r"^No entity of the question was found in the graph\b",
        lambda _: f"No entity of the question was found in “{graph}”",
        reason,
    )
    return answer if reason == answer.reason else answer.model_copy(update={"reason": reason})


def checked(question: str) -> str:
    """The question, trimmed, without what cannot be seen.

    Raises KGQAError for one that cannot be read.
    """
    question = " ".join(visible(question).split())
    if not any(ch.isalnum() for ch in question):
        raise KGQAError("There is no question here. Type one, in words.")
    if len(question) > MAX_QUESTION:
        raise KGQAError(
            f"The question has {len(question):,} characters; at most {MAX_QUESTION:,} can be "
            "read. Shorten it to what you want to know."
        )
    return question


def heard(steps: Steps[T], seen: list[Event]) -> Steps[T]:
    """The same steps, each kept in `seen` as it passes."""
    try:
        while True:
            event = next(steps)
            seen.append(event)
            yield event
    except StopIteration as stop:
        result: T = stop.value
        return result
    finally:
        steps.close()


def drain(steps: Steps[T]) -> tuple[T, list[Event]]:
    """The result of a generator of steps, and its events (for tests and scripts)."""
    seen: list[Event] = []
    while True:
        try:
            seen.append(next(steps))
        except StopIteration as stop:
            return stop.value, seen
