"""Texts about a graph on their way in: files, Wikipedia articles, or the graph's facts in words.

Each becomes a folder of text files, which the list of graphs (`graphs.py`) names. It is filled
in a place of its own and moved when it is complete.
"""

from __future__ import annotations

import os
import secrets
import shutil
import threading
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import IO

from kgqa_core.background import Work
from kgqa_core.errors import KGQAError, SourceError, SourceUnavailable, Stopped
from kgqa_core.facts.terms import Entity
from kgqa_core.kg.base import KnowledgeGraph
from kgqa_core.kg.registry import Registry, TextKind, Texts, received, slug
from kgqa_core.search.index import Enumerable
from kgqa_core.search.passages import Article, Wikipedia, from_statements, read_folder, write_file
from kgqa_core.text import listed

MOST = 500  # articles fetched from Wikipedia at once: some minutes
MOST_TOLD = 5_000  # entities told from their facts
FACTS = "Its own facts, in words"
_LOOKED_AT = 1_000_000  # facts looked at to find the entities with most of them
_FACTS = 60  # of one entity, in words
_BATCH = 50

_only_one = threading.Lock()  # whoever asks Wikipedia asks alone
Check = Callable[[], None]  # raises Stopped


def texts_of(folder: Path, title: str, kind: TextKind) -> tuple[Texts, list[str]]:
    """What a folder holds, and a sentence for each file that cannot be read.

    Raises SourceRejected for a folder that is none, and for one without a readable text.
    """
    articles, problems = read_folder(folder)
    count = sum(bool(article.passages()) for article in articles)
    if not count:
        why = f" {problems[0]}" if problems else ""
        raise KGQAError(f"There is no text or Markdown file with words in {title}.{why}")
    made = datetime.now(UTC).replace(microsecond=0)
    return Texts(folder=folder, title=title, kind=kind, articles=count, made=made), problems


# -- which entities --------------------------------------------------------------------------


def named(kg: KnowledgeGraph, names: Sequence[str]) -> tuple[list[Entity], list[str]]:
    """The entities people mean by names and ids; and the names that mean none."""
    wanted = list(dict.fromkeys(" ".join(name.split()) for name in names if name.strip()))
    by_id = kg.describe(wanted)
    others = [name for name, entity in zip(wanted, by_id, strict=True) if entity is None]
    hits = dict(zip(others, kg.search(others, 1), strict=True)) if others else {}
    found: dict[Entity, None] = {}
    unknown = []
    for name, entity in zip(wanted, by_id, strict=True):
        if entity is None and hits[name]:
            entity = hits[name][0].entity
        if entity is None:
            unknown.append(name)
        else:
            found[entity] = None
    return list(found), unknown


def best_known(
    kg: KnowledgeGraph, most: int, check: Check, wanted: Callable[[Entity], bool] = bool
) -> list[Entity]:
    """The entities with most facts, as far as the graph can be read whole."""
    if not isinstance(kg, Enumerable):
        raise KGQAError(
            f"“{kg.name}” is too large to look for its best-known entities: name those you want."
        )
    counts: Counter[str] = Counter()
    entities: dict[str, Entity] = {}
    for number, statement in enumerate(islice(kg.all_statements(), _LOOKED_AT)):
        if number % 1_000 == 0:
            check()
        subject = statement.subject
        if subject.id not in entities:
            entities[subject.id] = subject
        counts[subject.id] += 1
    ranked = sorted(counts, key=lambda one: (-counts[one], one))
    return list(islice((entities[one] for one in ranked if wanted(entities[one])), most))


def told(kg: KnowledgeGraph, entities: Sequence[Entity]) -> Iterator[Article | None]:
    """What the graph states of each entity, as a text; None for one without facts."""
    for start in range(0, len(entities), _BATCH):
        some = entities[start : start + _BATCH]
        for entity, facts in zip(
            some, kg.statements(some, direction="out", limit=_FACTS), strict=True
        ):
            yield from_statements(entity, facts, kg.name) if facts else None


# -- in the background -----------------------------------------------------------------------


@dataclass(frozen=True)
class Home:
    """Where texts go: into a new folder, and from there into the list of graphs, if any."""

    folder: Path
    registry: Registry | None = None
    source: str = ""  # the graph's, in the list


def home_in(registry: Registry, source: str, title: str) -> Home:
    """A folder of our own for a graph of the list."""
    name = f"{slug(title)}-{secrets.token_hex(3)}"
    return Home(registry.data_dir / "texts" / name, registry, source)


class Gathering(Work):
    """Texts becoming those of a graph. `kind` and `title` are what the list will say of them."""

    def __init__(self, home: Home, kind: TextKind, title: str) -> None:
        super().__init__("kgqa-gathering")
        self.source, self.kind, self.title = home.source, kind, title
        self.done = self.total = 0
        self.doing = "waiting"
        self.notes: list[str] = []  # what was left out, and why
        self.texts: Texts | None = None
        self._home = home
        self._work = home.folder.parent / ".gathering" / f"{os.getpid()}-{secrets.token_hex(3)}"
        self._files = self._work / "files"

    def do(self) -> None:
        place = self._home.folder
        try:
            self.fill()
            _, problems = texts_of(self._files, self.title, self.kind)
            os.replace(self._files, place)
            found, _ = texts_of(place, self.title, self.kind)
            if self._home.registry:
                self._home.registry.add_texts(self.source, found)
            self.texts = found
            self.notes += [p.replace(f"{self._files}/", "") for p in problems]
        except OSError as error:
            raise SourceUnavailable(
                f"The texts cannot be written to {place} ({error.strerror}): make room, or choose "
                "another place (KGQA_DATA_DIR, --into)."
            ) from error
        except Stopped:
            raise KGQAError("Stopped; nothing was kept.") from None
        finally:
            shutil.rmtree(self._work, ignore_errors=True)
            with suppress(OSError):
                self._work.parent.rmdir()  # unless another one is at it
            if self.texts is None:
                shutil.rmtree(place, ignore_errors=True)

    @abstractmethod
    def fill(self) -> None:
        """Writes the files."""

    def keep(self, entities: Sequence[Entity], articles: Iterator[Article | None]) -> None:
        """Writes the articles as they come. What came before a fault is kept, and that is told."""
        self.doing, self.total = "reading", len(entities)
        self._files.mkdir(parents=True, exist_ok=True)
        without: list[str] = []
        kept = 0
        try:
            for entity, article in zip(entities, articles, strict=False):
                self.check()
                self.done += 1
                if article is None or not article.text.strip():
                    without.append(entity.name)
                    continue
                write_file(article, self._files)
                kept += 1
        except SourceError as error:
            if not kept:
                raise
            left = f"{self.done:,} of {self.total:,} were asked for, the rest was given up."
            self.notes.append(f"{error} {left}")
        if without and not kept:
            raise KGQAError(f"There is no text about {_some(without)}. Name other entities.")
        if without:
            self.notes.append(f"Nothing about {_some(without)}.")


class FileGathering(Gathering):
    """Uploaded text and Markdown files."""

    def __init__(self, home: Home, title: str, files: Sequence[tuple[str, IO[bytes]]]) -> None:
        super().__init__(home, "files", title)
        received(files, self._files)
        self.start()

    def fill(self) -> None:
        self.doing = "reading"


class WikipediaGathering(Gathering):
    """Wikipedia's articles about entities, of the best-known ones when none are named."""

    def __init__(
        self,
        home: Home,
        kg: KnowledgeGraph,
        *,
        names: Sequence[str] = (),
        most: int = 100,
        language: str = "en",
        contact: str = "",
        client: Wikipedia | None = None,
    ) -> None:
        super().__init__(home, "wikipedia", f"Wikipedia ({language})")
        self._client = client or Wikipedia(language, contact=contact, wait=self.pause)
        self._kg, self._names, self._most = kg, names, min(most, MOST)
        self.start()

    def fill(self) -> None:
        entities = self.entities(self._client.can_have)
        self.doing = "waiting for another one"
        while not _only_one.acquire(timeout=0.2):
            self.check()
        try:
            self.keep(entities, self._client.articles(entities))
        finally:
            _only_one.release()

    def entities(self, fit: Callable[[Entity], bool]) -> list[Entity]:
        self.doing = "choosing entities"
        found = chosen(self._kg, self._names, self._most, self.check, self.notes, fit)
        if not found:
            raise KGQAError(
                "None of the entities has a Wikidata id or a name from Wikipedia, so no article "
                "can be looked up: use text files, or the graph's own facts."
            )
        return found


class FactGathering(Gathering):
    """Entities told from what the graph states of them: passages where there is no text."""

    def __init__(
        self,
        home: Home,
        kg: KnowledgeGraph,
        *,
        names: Sequence[str] = (),
        most: int = 1_000,
    ) -> None:
        super().__init__(home, "facts", FACTS)
        self._kg, self._names, self._most = kg, names, min(most, MOST_TOLD)
        self.start()

    def fill(self) -> None:
        self.doing = "choosing entities"
        entities = chosen(self._kg, self._names, self._most, self.check, self.notes)
        self.keep(entities, told(self._kg, entities))


def chosen(
    kg: KnowledgeGraph,
    names: Sequence[str],
    most: int,
    check: Check,
    notes: list[str],
    fit: Callable[[Entity], bool] = bool,
) -> list[Entity]:
    """Those named, or the best known; what is unknown or does not fit is noted."""
    if not any(name.strip() for name in names):
        return best_known(kg, most, check, fit)
    found, unknown = named(kg, names)
    unfit = [entity.name for entity in found if not fit(entity)]
    if unknown:
        notes.append(f"This graph has nothing called {_some(unknown)}.")
    if unfit:
        notes.append(f"No article can be looked up for {_some(unfit)}.")
    fitting = [entity for entity in found if fit(entity)]
    if len(fitting) > most:
        notes.append(f"Only the first {most:,} of {len(fitting):,} were taken.")
    return fitting[:most]


def _some(names: Sequence[str]) -> str:
    return listed((f"“{name[:60]}”" for name in names), 3)
