"""Statements and passages found by meaning: one vector index, in Chroma.

Chroma runs in this process over a folder, or as a server by URL. A collection's name and
metadata carry the encoder, the graph and its fingerprint; one that does not fit is rebuilt,
never trusted. Vectors have unit length, so cosine, inner product and Euclidean distance rank
alike (KGIR §3.3).

Graphs that cannot be read whole, such as endpoints, have no index: `rank` embeds and compares
the statements around the linked entities on demand.

Building takes minutes, so nothing waits for it: popular facts are indexed first, what is there is
searched, and `reach` says how much of the graph that is. Identifiers, media and what else nobody
wants unasked (`kinds`) are not indexed: on Wikidata they are most of all statements.
"""

from __future__ import annotations

import hashlib
import json
import logging
import math
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable
from typing import Literal as OneOf

from pydantic import TypeAdapter

from kgqa_core.errors import SourceRejected, SourceUnavailable
from kgqa_core.facts import kinds, verbalise
from kgqa_core.facts.terms import (
    Direction,
    Entity,
    Passage,
    Qualifier,
    Relation,
    Statement,
    Value,
    is_known,
)
from kgqa_core.kg import kinds as kinds_of_graphs
from kgqa_core.kg.base import GraphInfo, KnowledgeGraph
from kgqa_core.search.chroma import ChromaStore, Damaged, one_line
from kgqa_core.search.encoder import Encoder
from kgqa_core.text import listed

T = TypeVar("T")
Item = TypeVar("Item", Statement, Passage)

APP = "kgqa-explorer"
FORMATS = {"triples": 2, "passages": 1}  # raised when stored items or their wording change
SMALL = 200  # triples that are indexed at the first search: that takes less than a second
SMALL_TEXT = 20  # passages: ten times as long, and more
UNASKED = 100_000  # triples and passages that are indexed in the background, unasked
RANKED = 1_000_000  # triples among which the best known are looked for
FIRST = 4_000  # of the best-known facts that are indexed before the graph is read whole
_POPULAR, _AT_ONCE = 500, 20  # things that are the best known, and those read together
_BATCH = 1_000
_FIRST_BATCH = 250  # of the popular facts, which can be searched soonest
_SAME = 0.999  # cosine of the probe's vectors when two models are one
_PROBE = "Which river flows through Ulm, the city where Albert Einstein was born in 1879?"
_log = logging.getLogger(__name__)

State = OneOf["missing", "first", "partial", "ready", "outdated"]  # first: the best-known facts
Reach = OneOf["all", "some", "none"]  # how much of what there is can be searched by meaning


@dataclass(frozen=True)
class Scored(Generic[T]):
    """An item with its cosine to the query, in [-1, 1]."""

    item: T
    score: float


@dataclass(frozen=True)
class Progress:
    """How far a build is. `done` counts what was there before; `rate` does not."""

    what: str
    done: int
    total: int
    rate: float  # items a second
    left_s: float


@dataclass(frozen=True)
class ShelfInfo:
    """What is indexed, of how much. `note` says what happened when it was opened or built."""

    kind: str
    state: State
    count: int
    total: int
    built: datetime | None = None
    note: str = ""


@dataclass(frozen=True)
class IndexInfo:
    """`size_bytes` is the folder's, with all that lies in it; None for a server."""

    graph: str
    encoder: str
    where: str
    triples: ShelfInfo | None  # None: the graph cannot be read whole
    passages: ShelfInfo
    size_bytes: int | None
    problem: str = ""


@runtime_checkable
class Enumerable(Protocol):
    """A graph that can be read whole."""

    def all_statements(self) -> Iterator[Statement]: ...

    def info(self) -> GraphInfo: ...


@runtime_checkable
class Ranked(Enumerable, Protocol):
    """One that knows its most popular things before it is read whole."""

    def most_stated(self, most: int) -> list[tuple[Entity, int]]: ...

    def statements(
        self, entities: Sequence[Entity], *, direction: Direction | None = None, limit: int = 500
    ) -> list[list[Statement]]: ...


def rank(
    encoder: Encoder, texts: Sequence[str], items: Sequence[Item], k: int
) -> list[list[Scored[Item]]]:
    """The `k` items nearest to each text, nearest first, compared one by one (KAPING)."""
    if not items or not texts or k <= 0:
        return [[] for _ in texts]
    cosines = encoder.encode(texts, query=True) @ encoder.encode([_words(i) for i in items]).T
    # equal cosines keep the order of the items
    order = (-cosines).argsort(axis=1, kind="stable")[:, :k]
    return [
        [Scored(items[i], _cosine(row[i])) for i in best]
        for row, best in zip(cosines, order, strict=True)
    ]


def cosines(encoder: Encoder, pairs: Sequence[tuple[str, str]]) -> list[float]:
    """How near the two texts of each pair are, the first one as a query."""
    asked = encoder.encode([a for a, _ in pairs], query=True)
    told = encoder.encode([b for _, b in pairs])
    return [_cosine(x) for x in (asked * told).sum(axis=1)]


class Index:
    """The statements of a graph and the passages about it. Safe to use from several threads.

    `where` is a folder, or the URL of a Chroma server
    (`http://host:8000`, with `?tenant=…&database=…` if it has several). `source` is where the
    graph comes from, which tells graphs of one name apart; `texts` names a set of passages
    beside the graph's own. Passages may be given by a function, which is called when they are
    needed.
    """

    def __init__(
        self,
        kg: KnowledgeGraph,
        encoder: Encoder,
        where: Path | str,
        passages: Sequence[Passage] | Callable[[], Sequence[Passage]] = (),
        *,
        source: str = "",
        texts: str = "",
    ) -> None:
        self.kg = kg
        self.source = source
        self.encoder = encoder
        self.store = ChromaStore(where)
        self.progress: Progress | None = None
        self.queued = False  # to be built, behind another one in the same store
        self.searched = 0  # triples of a build that goes on which can be searched already
        self._triples: Shelf[Statement] | None = (
            Shelf(
                "triples",
                self,
                STATEMENT,
                items=partial(_popular_first, kg),
                first=_best_known_of(kg),
                total=lambda: kg.info().statements or 0,
                fingerprint=lambda: kg.info().fingerprint,
                small=SMALL,
            )
            if isinstance(kg, Enumerable)
            else None
        )
        self._given = passages
        self._passages: Shelf[Passage] = Shelf(
            "passages",
            self,
            PASSAGE,
            items=lambda: iter(self._texts),
            total=lambda: len(self._texts),
            fingerprint=lambda: self._texts_fingerprint,
            small=SMALL_TEXT,
            texts=texts,
        )

    @cached_property
    def _texts(self) -> Sequence[Passage]:
        return self._given() if callable(self._given) else list(self._given)

    @cached_property
    def _texts_fingerprint(self) -> str:
        return _digest(*(part for p in self._texts for part in (p.id, _words(p))))

    @property
    def title(self) -> str:
        """What the graph is called before people."""
        return kinds_of_graphs.title(self.kg.name)

    @property
    def has_triples(self) -> bool:
        """Whether all statements can be searched; if not, rank those around an entity."""
        return self._triples is not None

    @property
    def has_passages(self) -> bool:
        return self._passages.total() > 0

    def nearest_triples(self, texts: Sequence[str], k: int) -> list[list[Scored[Statement]]]:
        """The `k` statements nearest to each text, nearest first; a small graph gives fewer.

        Of an index that is being built, what is there is searched; a small one is built first.
        Raises SourceUnavailable when there is nothing yet (`triples_reach`), and SourceRejected
        for a graph that cannot be read whole.
        """
        if self._triples is None:
            raise SourceRejected(
                f"The graph “{self.title}” is too large to be indexed whole. Use a method that "
                "links entities first, such as KAPING.",
                source=self.kg.name,
            )
        return self._triples.nearest(texts, k)

    def nearest_passages(self, texts: Sequence[str], k: int) -> list[list[Scored[Passage]]]:
        """The `k` passages nearest to each text, nearest first; else as `nearest_triples`."""
        return self._passages.nearest(texts, k)

    def triples_reach(self, question: str = "") -> tuple[Reach, str]:
        """How much of the graph can be searched by meaning now; and why not all of it.

        Not all, either, if the question asks for what is not indexed.
        """
        if self._triples is None:
            return "none", f"“{self.title}” is too large to be indexed whole"
        reach, why = self._triples.reach()
        if reach != "all" or not question:
            return reach, why
        asked = [r.name for r in self._triples.left_aside() if kinds.asked_for(r, question)]
        if asked:
            return "some", f"The index of triples of “{self.title}” is without {listed(asked, 3)}"
        return reach, why

    def first_count(self) -> int:
        """How many triples are indexed, where these are the best known alone; else 0."""
        shelf = self._triples.info() if self._triples else None
        return shelf.count if shelf and shelf.state == "first" else 0

    def passages_reach(self) -> tuple[Reach, str]:
        """The same of the passages."""
        return self._passages.reach()

    def passages_about(self, entities: Collection[Entity]) -> list[Passage]:
        """The passages about some entities, without any stored index."""
        return [passage for passage in self._texts if passage.entity in entities]

    def rank(self, texts: Sequence[str], items: Sequence[Item], k: int) -> list[list[Scored[Item]]]:
        """The `k` of these items nearest to each text, without any stored index."""
        return rank(self.encoder, texts, items, k)

    def cosines(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """How near the two texts of each pair are, the first one as a query."""
        return cosines(self.encoder, pairs)

    def build(
        self,
        on_progress: Callable[[Progress], None] | None = None,
        *,
        anew: bool = False,
        most: int | None = None,
        first: bool = False,
        only: str = "",
    ) -> IndexInfo:
        """Builds what is missing, goes on where a build was interrupted, replaces what is old.

        An exception from `on_progress` interrupts the build. `anew` starts from nothing; `most`
        leaves triples or passages alone of which there are more, but for the best-known facts of a
        large graph if those are wished for `first`; `only` leaves alone the other kind of them.
        Raises SourceUnavailable when the store cannot be written or another process writes it.
        """
        wanted: list[tuple[Shelf[Any], bool]] = []
        for shelf in self._shelves():
            whole = most is None or shelf.total() <= most
            if only in ("", shelf.kind) and (whole or (first and shelf.has_first())):
                wanted.append((shelf, whole))
        with self._turn(), ExitStack() as ends:
            going = [
                ends.enter_context(closing(shelf.filled(on_progress, anew, whole)))
                for shelf, whole in wanted
            ]
            ends.callback(self._told_nothing)
            for batches in reversed(going):  # the most popular facts, then all texts, then the rest
                next(batches, None)
            for batches in going:
                for _ in batches:
                    pass
        return self.info()

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Writes to the store, as soon as nobody else does."""
        self.queued = True
        try:
            with self.store.writing():
                self.queued = False
                yield
        finally:
            self.queued = False

    def _told_nothing(self) -> None:
        self.progress, self.searched = None, 0

    def open(self) -> None:
        """Loads the library of the store, which takes a second, and opens it."""
        with self.store.errors("opened"):
            self.store.client()

    def info(self) -> IndexInfo:
        """What is indexed, its size and age. Waits for the encoder."""
        where = self.store.where
        return IndexInfo(
            graph=self.kg.name,
            encoder=self.encoder.name,
            where=str(where),
            triples=self._triples.info() if self._triples else None,
            passages=self._passages.info(),
            size_bytes=_size(where) if isinstance(where, Path) else None,
            problem=self.encoder.problem,
        )

    def _shelves(self) -> list[Shelf[Any]]:
        shelves: list[Shelf[Any]] = [self._passages] if self.has_passages else []
        return [*shelves, self._triples] if self._triples else shelves


def forget(where: Path | str, source: str) -> None:
    """Drops all that is indexed of the graph from `source`, under any model, and its passages.

    Raises SourceUnavailable while somebody writes to the store, and when it cannot be reached.
    """
    store = ChromaStore(where)
    if isinstance(store.where, Path) and not store.where.is_dir():
        return
    with store.writing(wait=False), store.errors("tidied"):
        for collection in list(store.collections()):
            said = collection.metadata or {}
            if said.get("app") == APP and said.get("source") == source:
                store.drop(collection.name)
        store.tidy()


# -- one kind of item --------------------------------------------------------------------


STATEMENT: TypeAdapter[Statement] = TypeAdapter(Statement)
PASSAGE: TypeAdapter[Passage] = TypeAdapter(Passage)
_RELATIONS: TypeAdapter[list[Relation]] = TypeAdapter(list[Relation])


class Shelf(Generic[Item]):
    """One collection of the store: items of one kind under one encoder."""

    def __init__(
        self,
        kind: str,
        index: Index,
        adapter: TypeAdapter[Item],
        *,
        items: Callable[[], Iterator[Item]],
        total: Callable[[], int],
        fingerprint: Callable[[], str],
        small: int,
        first: Callable[[], Iterator[Item]] | None = None,
        texts: str = "",
    ) -> None:
        self.kind = kind
        self._index = index
        self._adapter: TypeAdapter[Item] = adapter
        self._items: Callable[[], Iterator[Item]] = items
        self._first: Callable[[], Iterator[Item]] | None = first
        self.total = total
        self._fingerprint = fingerprint
        self._small = small
        self._texts = texts
        self._trusted: Any = None  # the collection, once it was found to fit
        self._growing: Any = None  # the collection that is being filled, once something is in it
        self._note = ""
        self._building = threading.Lock()
        self._aside: set[Relation] = set()  # whose statements are not indexed
        self._left = 0  # how many these are

    @property
    def _label(self) -> dict[str, Any]:
        """What a collection must say of itself to be trusted."""
        encoder = self._index.encoder
        return {
            "app": APP,
            "format": FORMATS[self.kind],
            "kind": self.kind,
            "graph": self._index.kg.name,
            "source": self._index.source,
            "texts": self._texts,
            "encoder": encoder.name,
            "encoder_version": encoder.version,
            "fingerprint": self._fingerprint(),
        }

    @property
    def _name(self) -> str:
        slug = re.sub(r"[^a-z0-9]+", "-", self._index.kg.name.lower()).strip("-")[:40]
        return f"{self.kind}-{slug or 'graph'}-{_digest(*map(str, self._label.values()))}"

    # -- reading -------------------------------------------------------------------------

    def nearest(self, texts: Sequence[str], k: int) -> list[list[Scored[Item]]]:
        if not texts or k <= 0 or self.total() == 0:
            return [[] for _ in texts]
        vectors = self._index.encoder.encode(texts, query=True)
        collection = self._searchable()
        try:
            with self._index.store.errors("searched"):
                return self._search(collection, vectors, k)
        except SourceUnavailable:
            self._trusted = None  # it may have been replaced: look again next time
            raise

    def _search(self, collection: Any, vectors: Any, k: int) -> list[list[Scored[Item]]]:
        found: list[list[Scored[Item]]] = []
        most = min(k, self.total())  # counting the stored ones takes longer than the search
        for start in range(0, len(vectors), 100):
            reply = collection.query(
                query_embeddings=vectors[start : start + 100],
                n_results=most,
                include=["metadatas", "distances"],
            )
            for items, distances in zip(reply["metadatas"], reply["distances"], strict=True):
                found.append(
                    [
                        Scored(self._adapter.validate_json(item["item"]), _cosine(1 - distance))
                        for item, distance in zip(items, distances, strict=True)
                    ]
                )
        return found

    def _searchable(self) -> Any:
        """The collection, or what there is of it. Builds it if that is quick."""
        if self._trusted is not None or self._growing is not None:
            return self._trusted or self._growing
        state, collection, _ = self._look()
        if state == "ready":
            self._trusted = collection
        elif state == "first":
            self._growing = collection
            return collection
        elif self.total() <= self._small and not self._building.locked():
            self.build()
        else:  # what an earlier process left half done is looked at by who builds on
            raise SourceUnavailable(
                f"{self._why(state)}. Build it under Knowledge graphs ({self.total():,} "
                f"{self.kind}).",
                source=self._index.store.name,
            )
        return self._trusted

    def left_aside(self) -> list[Relation]:
        """Relations that are not indexed, by name. Builds the index first if that is quick."""
        if self._trusted is None and self.total():
            self._searchable()
        return sorted(self._aside, key=lambda r: r.name)

    def reach(self) -> tuple[Reach, str]:
        if self._trusted is not None or self.total() <= self._small:
            return "all", ""
        state, collection, _ = self._look()
        if state == "ready":
            return "all", ""
        if state == "first" and self._growing is None:
            self._growing = collection
        return ("none" if self._growing is None else "some"), self._why(state)

    def _why(self, state: State) -> str:
        progress = self._index.progress
        if self._building.locked() and progress and progress.what == self.kind:
            why = f"is being built ({progress.done:,} of {progress.total:,})"
        elif self._building.locked():
            why = "is being built"
        elif self._index.queued:
            why = "waits until another one is built"
        else:
            older = "is of older facts" if self.kind == "triples" else "is of other texts"
            most = f"holds the best known of {self.total():,}"
            unfinished = {"first": most, "partial": "is not complete", "outdated": older}
            why = unfinished.get(state, "is not built")
        return f"The index of {self.kind} of “{self._index.title}” {why}"

    def _count(self, collection: Any) -> int:
        with self._index.store.errors("opened"):
            return int(collection.count())

    def _look(self) -> tuple[State, Any, dict[str, Any]]:
        """How the stored collection stands, the collection, and what it says of itself."""
        store = self._index.store
        with store.errors("opened"):
            collection = store.collection(self._name)
        if collection is None:
            older = any(True for _ in self._older())
            return ("outdated" if older else "missing"), None, {}
        said = dict(collection.metadata or {})
        if any(said.get(key) != value for key, value in self._label.items()):
            return "outdated", collection, said
        if not self._same_model(said.get("probe")):
            self._note = f"It was built with another model called {self._index.encoder.name}."
            return "outdated", collection, said
        with store.errors("opened"):
            count = collection.count()
        complete = said.get("complete") and count == said.get("count")
        if complete:
            self._aside = set(_RELATIONS.validate_json(said.get("aside", "[]")))
            self._left = int(said.get("left", 0))
            return "ready", collection, said
        return ("first" if count == said.get("first") else "partial"), collection, said

    def _same_model(self, probe: Any) -> bool:
        """A name can be given to two models; the vector of one text tells them apart."""
        try:
            stored = json.loads(probe)
            (own,) = self._index.encoder.encode([_PROBE]).tolist()
            return sum(a * b for a, b in zip(stored, own, strict=True)) >= _SAME
        except (TypeError, ValueError):
            return False

    def _older(self) -> Iterator[str]:
        """Collections of this kind, graph and encoder over other facts or in another format."""
        label, name = self._label, self._name
        same = ("app", "kind", "graph", "source", "texts", "encoder")
        with self._index.store.errors("opened"):
            for other in self._index.store.collections():
                said = {"source": label["source"], "texts": "", **(other.metadata or {})}
                if other.name != name and all(said.get(key) == label[key] for key in same):
                    yield other.name

    def info(self) -> ShelfInfo:
        state, collection, said = self._look()
        count = 0 if collection is None else self._count(collection)
        built = said.get("built")
        return ShelfInfo(
            kind=self.kind,
            state=state,
            count=count,
            total=self.total() - (self._left if state == "ready" else 0),
            built=datetime.fromisoformat(built) if built and state == "ready" else None,
            note=self._note,
        )

    # -- writing -------------------------------------------------------------------------

    def build(self) -> None:
        with self._index.store.writing(), closing(self.filled(None)) as batches:
            for _ in batches:
                pass
        self._index.progress = None

    def has_first(self) -> bool:
        """Whether some of it can be told to be the best known without reading all."""
        return self._first is not None and SMALL < self.total() <= RANKED

    def filled(
        self,
        on_progress: Callable[[Progress], None] | None,
        anew: bool = False,
        whole: bool = True,
    ) -> Generator[None, None, None]:
        """Builds it, batch by batch, for who is `writing`; ends when it is whole.

        Or, if not `whole`, when the best-known items are there.
        """
        with self._building:
            state, collection, _ = self._look()
            if state == "ready" and not anew:
                self._trusted = collection
                return
            if state == "first" and not whole and not anew:
                return
            self._trusted = None
            try:
                given = None if anew else collection
                self._trusted = yield from self._fill(given, state, on_progress, whole)
            except Damaged as damage:
                self._say(f"The index was damaged ({damage}) and is built anew.")
                self._trusted = yield from self._fill(None, "outdated", on_progress, whole)
            finally:
                self._growing = None
            with self._index.store.errors("tidied"):
                older = list(self._older())
                for name in older:
                    self._index.store.drop(name)
                if older or anew:
                    self._index.store.tidy()

    def _fill(
        self,
        collection: Any,
        state: State,
        on_progress: Callable[[Progress], None] | None,
        whole: bool,
    ) -> Generator[None, None, Any]:
        store, encoder = self._index.store, self._index.encoder
        resumed = 0
        if state in ("first", "partial") and collection is not None:
            resumed = self._sound(collection)
            self._growing = collection if resumed else None
            if state == "partial":
                before = f"{resumed:,} {self.kind} were there already"
                self._say(f"An interrupted build went on: {before}.")
        else:
            if state == "outdated":
                self._say(self._note or "The index was of other facts and is built anew.")
            with store.errors("written"):
                (probe,) = encoder.encode([_PROBE]).tolist()
                vector = json.dumps([round(x, 5) for x in probe])
                collection = store.create(self._name, {**self._label, "probe": vector})
        meter = _Meter(self.kind, resumed, self.total() if whole else min(FIRST, self.total()))
        self._index.progress = meter.after(0, 0)
        seen: set[str] = set()
        self._aside, self._left = set(), 0
        # one thread encodes the next batch while Chroma files this one
        with ThreadPoolExecutor(1, thread_name_prefix="kgqa-index") as ahead:
            waiting: tuple[dict[str, Item], Future[Any]] | None = None
            for batch in self._batches(seen, whole):
                if resumed:
                    with store.errors("opened"):
                        there = set(collection.get(ids=list(batch), include=[])["ids"])
                    batch = {key: item for key, item in batch.items() if key not in there}
                    self._growing = collection
                following = None
                if batch:
                    words = [_words(item) for item in batch.values()]
                    following = batch, ahead.submit(encoder.encode, words, keep=False)
                if self._growing is None:  # the first are searched before more is read
                    waiting, following = following, None
                if waiting:
                    self._add(collection, *waiting)
                    self._report(meter.after(len(waiting[0]), self._left), on_progress)
                    yield
                waiting = following
            if waiting:
                self._add(collection, *waiting)
                self._report(meter.after(len(waiting[0]), self._left), on_progress)
        with store.errors("written"):
            count = collection.count()
            if not whole:
                collection.modify(metadata={**(collection.metadata or {}), "first": count})
                return None
            if count != len(seen):
                raise Damaged(f"{count:,} of {len(seen):,} entries")
            now = datetime.now(UTC).isoformat(timespec="seconds")
            said = {**(collection.metadata or {}), "complete": True, "count": count, "built": now}
            if self._left:
                aside = _RELATIONS.dump_json([replace(r, description="") for r in self._aside])
                said |= {"aside": aside.decode(), "left": self._left}
            collection.modify(metadata=said)
        if resumed:
            self._sound(collection)
        return collection

    def _batches(self, seen: set[str], whole: bool) -> Iterator[dict[str, Item]]:
        """Items by id, each id once, without those that are left aside."""
        batch: dict[str, Item] = {}
        for item in self._items() if whole or self._first is None else self._first():
            if isinstance(item, Statement) and kinds.is_aside(item.relation):
                self._aside.add(item.relation)
                self._left += 1
                continue
            key = _digest(_words(item), *_ids(item))
            if key in seen:
                continue
            seen.add(key)
            batch[key] = item
            if len(batch) == (_FIRST_BATCH if len(seen) <= 2 * _FIRST_BATCH else _BATCH):
                yield batch
                batch = {}
        if batch:
            yield batch

    def _add(self, collection: Any, batch: dict[str, Item], vectors: Future[Any]) -> None:
        with self._index.store.errors("written"):
            collection.add(
                ids=list(batch),
                embeddings=vectors.result(),
                metadatas=[
                    {"item": self._adapter.dump_json(_lean(i), exclude_defaults=True).decode()}
                    for i in batch.values()
                ],
            )
        self._growing = collection

    def _report(self, progress: Progress, on_progress: Callable[[Progress], None] | None) -> None:
        self._index.progress = progress
        if self.kind == "triples":
            self._index.searched = progress.done
        if on_progress:
            on_progress(progress)

    def _sound(self, collection: Any) -> int:
        """How many entries an interrupted build left. Raises Damaged if they cannot be found."""
        self._index.store.survives(collection.name)
        try:
            some = collection.get(limit=20, include=["embeddings"])
            if some["ids"]:
                reply = collection.query(
                    query_embeddings=some["embeddings"], n_results=1, include=["distances"]
                )
                if any(not d or d[0] > 1 - _SAME for d in reply["distances"]):
                    raise Damaged("entries without vectors")
            return int(collection.count())
        except Damaged:
            raise
        except Exception as error:
            raise Damaged(one_line(error)) from error

    def _say(self, note: str) -> None:
        self._note = note
        _log.info("%s of %s: %s", self.kind, self._index.kg.name, note)


def _popular_first(kg: Enumerable) -> Iterator[Statement]:
    """The statements of a graph, those between popular things first; the best known may come twice.

    Popular is of what much is stated: a class that much belongs to is not.
    """
    total = kg.info().statements or 0
    if SMALL < total <= RANKED and (first := _best_known_of(kg)):
        yield from first()
    if total > UNASKED:
        yield from kg.all_statements()
        return
    found = list(kg.all_statements())
    stated = Counter(s.subject for s in found)

    def popularity(s: Statement) -> int:
        own = stated[s.subject]
        return min(own, stated[s.object]) if isinstance(s.object, Entity) else own

    yield from sorted(found, key=popularity, reverse=True)


def _best_known_of(kg: Enumerable) -> Callable[[], Iterator[Statement]] | None:
    return partial(_best_known, kg) if isinstance(kg, Ranked) else None


def _best_known(kg: Ranked) -> Iterator[Statement]:
    """The facts of the things of which most is stated, before the graph is read whole."""
    stated = dict(kg.most_stated(_POPULAR))
    things, told = list(stated), 0
    for start in range(0, len(things), _AT_ONCE):
        around = kg.statements(things[start : start + _AT_ONCE], direction="out")
        found = [
            s
            for statements in around
            for s in statements
            if not kinds.is_aside(s.relation)
            and is_known(s.object)
            and (not isinstance(s.object, Entity) or s.object in stated)
        ]
        yield from found[: FIRST - told]
        told += len(found)
        if told >= FIRST:
            return


@dataclass
class _Meter:
    """Counts items and guesses the time left."""

    what: str
    before: int
    total: int
    new: int = 0
    started: float = field(default_factory=time.monotonic)

    def after(self, more: int, left: int) -> Progress:
        """With so many more, and so many left aside so far."""
        self.new += more
        rate = self.new / max(time.monotonic() - self.started, 1e-6)
        done = self.before + self.new + left
        total = max(self.total, done)
        return Progress(self.what, done, total, rate, (total - done) / rate if rate else math.inf)


def _words(item: Statement | Passage) -> str:
    return verbalise.support(item)


def _ids(item: Statement | Passage) -> tuple[str, ...]:
    """What makes an item itself besides its words."""
    if isinstance(item, Passage):
        return (item.id,)
    ends = (item.object, *(q.value for q in item.qualifiers))
    named = (end.id for end in ends if isinstance(end, Entity))
    return (item.subject.id, item.relation.id, *named)


def _lean(item: Item) -> Item:
    """Without aliases: they may be long, and a citation does not need them."""

    def bare(value: Value) -> Value:
        return replace(value, aliases=()) if isinstance(value, Entity) else value

    if isinstance(item, Passage):
        return replace(item, entity=replace(item.entity, aliases=()) if item.entity else None)
    return replace(
        item,
        subject=replace(item.subject, aliases=()),
        relation=replace(item.relation, aliases=(), description=""),
        object=bare(item.object),
        qualifiers=tuple(
            Qualifier(replace(q.relation, aliases=(), description=""), bare(q.value))
            for q in item.qualifiers
        ),
    )


def _digest(*parts: str) -> str:
    return hashlib.blake2b("\0".join(parts).encode("utf-8", "replace"), digest_size=12).hexdigest()


def _size(folder: Path) -> int:
    """Bytes of all files below; journals come and go while somebody writes."""
    total = 0
    for file in folder.rglob("*"):
        with suppress(FileNotFoundError):
            total += file.stat().st_size
    return total


def _cosine(x: Any) -> float:
    return max(-1.0, min(1.0, round(float(x), 6)))
