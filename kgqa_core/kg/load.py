"""Graph files into a folder that `folder.open_folder` opens.

The graph is built beside its place, in DIR.part, and put there when it is complete: nobody ever
meets half a graph. After an interruption the same call goes on where the last batch ended; after
an error nothing is left.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import unquote

import pyoxigraph as ox

from kgqa_core.errors import SourceError, SourceRejected, SourceUnavailable
from kgqa_core.facts import relations as known
from kgqa_core.facts.terms import short_id, words_apart
from kgqa_core.kg import files, headers, label_store, layout
from kgqa_core.kg.base import WD, GraphInfo
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.kg.files import Batch
from kgqa_core.kg.folder import ABOUT, LABELS, STORE
from kgqa_core.kg.labels import Name
from kgqa_core.kg.lines import Options, Report
from kgqa_core.kg.nodes import ANY, Term, matching
from kgqa_core.text import counted

_PLAN, _DONE = "plan.json", "done.json"
_SORTED = 2_000_000  # triples; a smaller store is quick without being sorted once more
_COUNT_EXACTLY = 100_000  # triples; larger graphs are counted by the store, see `_count`
_FEW = 20_000  # labels of a graph whose things are called by parts of their names, too
_KINDS = 20  # of things; a graph with more is no table of somebody's own
_NAME = 10_000  # characters of a name by which it is found
_LABEL, _ALIAS = ox.NamedNode(layout.LABEL), ox.NamedNode(layout.ALIAS)
_CLAIM = ox.NamedNode(layout.DIRECT_CLAIM)
_CODE = re.compile(
    r"[A-Za-z]{0,2}[-_]?\d[\d-]*|(?=.*\d)[0-9A-Fa-f-]{8,}|"
)  # Q42, 17, a hash: no name
_OTHER_LABELS = (  # what stands for rdfs:label in graphs that have none
    "http://www.w3.org/2004/02/skos/core#prefLabel",
    "http://schema.org/name",
    "https://schema.org/name",
    "http://xmlns.com/foaf/0.1/name",
    "http://purl.org/dc/terms/title",
    "http://purl.org/dc/elements/1.1/title",
)


@dataclass(frozen=True)
class Progress:
    """How far a load is: `part` of everything, 0 to 1."""

    doing: str
    part: float
    triples: int


@dataclass(frozen=True)
class Loaded:
    """A finished load. `examples` are the first lines and statements that could not be read.

    `unnamed` counts what no label names: it is called by the last part of its address.
    """

    folder: Path
    name: str
    entities: int | None
    statements: int | None
    relations: int | None
    lines: int
    bad: int
    examples: tuple[str, ...]
    resumed: bool
    unnamed: int = 0

    @property
    def remark(self) -> str:
        """What whoever loads it should know of its names; empty where all have one."""
        if not self.unnamed:
            return ""
        return (
            f"{counted(self.unnamed, 'thing')} without a label: called by the last part of the "
            "address."
        )


@dataclass
class _Mark:
    """What is safely in the store: files before `file`, and of it the lines up to `line`."""

    file: int = 0
    line: int = 0
    triples: int = 0
    sums: tuple[int, int] = (0, 1)


def load(
    paths: Sequence[Path],
    into: Path,
    *,
    name: str = "",
    options: Options | None = None,
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> Loaded:
    """The graph of these files, in the new folder `into`.

    Whatever `on_progress` raises interrupts the load, which can be continued.
    Raises SourceRejected for files that cannot be used and a folder that is in use,
    SourceUnavailable when the disk does not take it.
    """
    return _Load(paths, into, name or into.name, options or Options(), on_progress).run()


def part_of(into: Path) -> Path:
    """Where an unfinished load of `into` lies."""
    return into.with_name(into.name + ".part")


def discard(into: Path) -> None:
    """Gives up an interrupted load."""
    shutil.rmtree(part_of(into), ignore_errors=True)


class _Load:
    store: ox.Store

    def __init__(
        self,
        paths: Sequence[Path],
        into: Path,
        name: str,
        options: Options,
        on_progress: Callable[[Progress], None],
    ) -> None:
        self.into, self.name, self.options = into, name, options
        self.part = part_of(into)
        self.files = files.find(paths)
        self.report = Report()
        self.mark = _Mark()
        self.resumed = False
        self._on_progress = on_progress
        self._interrupted = False
        self._sizes = [max(1, file.path.stat().st_size) for file in self.files]

    def run(self) -> Loaded:
        if self.into.exists() and (not self.into.is_dir() or any(self.into.iterdir())):
            raise SourceRejected(
                f"The folder {self.into} is not empty: choose a new one, or remove it first.",
                source=self.name,
            )
        try:
            self.store = self._open_store()
            reading = files.start(self.files, self.options, self.report)
            first = self.mark.file
            for number in range(first, len(self.files)):
                after = self.mark.line if number == first else 0
                self._read_file(number, files.read(self.files[number], reading, after))
            return self._finish()
        except SourceError:
            self.__dict__.pop("store", None)  # lets go of the folder
            discard(self.into)
            raise
        except OSError as error:
            raise SourceUnavailable(
                f"The graph cannot be written to {self.part}: {error}. Make room or choose another "
                "folder, and run the same load again: it goes on where it stopped.",
                source=self.name,
            ) from error
        except Exception:
            if not self._interrupted:  # a defect: to go on would meet it again
                self.__dict__.pop("store", None)
                discard(self.into)
            raise
        finally:
            self.__dict__.pop("store", None)

    def _tell(self, progress: Progress) -> None:
        try:
            self._on_progress(progress)
        except BaseException:
            self._interrupted = True
            raise

    def _open_store(self) -> ox.Store:
        """The store of an interrupted load of the same files, or a new one."""
        plan = {
            "name": self.name,
            "files": [
                [str(f.path.resolve()), f.kind, f.path.stat().st_size, f.path.stat().st_mtime_ns]
                for f in self.files
            ],
            "options": [list(self.options.leave_out), self.options.most_bytes],
        }
        if self._read(_PLAN) == plan:
            done = self._read(_DONE)
            if isinstance(done, dict):
                mark = done["mark"]
                self.mark = _Mark(**mark | {"sums": tuple(mark["sums"])})
                self.report = Report(**done["report"])
                self.resumed = self.mark != _Mark()
        else:
            discard(self.into)
            self.part.mkdir(parents=True)
            self._write(_PLAN, plan)
        return ox.Store(str(self.part / STORE))

    def _read_file(self, number: int, batches: Iterator[Batch]) -> None:
        """The store takes a batch while the next one is read."""
        with ThreadPoolExecutor(1) as writer:
            writing: tuple[Batch, str, Future[None]] | None = None
            for batch in batches:
                report = json.dumps(asdict(self.report))
                if writing:
                    self._taken(number, *writing)
                writing = batch, report, writer.submit(self._put, number, batch)
            if writing:
                self._taken(number, *writing)
        self._remember(_Mark(number + 1, 0, self.mark.triples, self.mark.sums))

    def _taken(self, number: int, batch: Batch, report: str, written: Future[None]) -> None:
        written.result()
        count = batch.triples.count(b"\n")
        # sums that go on over any batches: an interruption does not change them
        sums = (
            zlib.crc32(batch.triples, self.mark.sums[0]),
            zlib.adler32(batch.triples, self.mark.sums[1]),
        )
        self._remember(_Mark(number, batch.line, self.mark.triples + count, sums), report)
        read = sum(self._sizes[:number]) + batch.part * self._sizes[number]
        file = self.files[number].path.name
        self._tell(Progress(file, 0.9 * read / sum(self._sizes), self.mark.triples))

    def _put(self, number: int, batch: Batch) -> None:
        if not batch.triples:
            return
        if b"_:" not in batch.triples:  # bulk_load gives blank nodes new names in every batch
            try:
                self.store.bulk_load(
                    input=batch.triples, format=ox.RdfFormat.N_TRIPLES, lenient=batch.ours
                )
                return
            except SyntaxError:
                pass
        first = batch.line - batch.triples.count(b"\n")
        self.store.bulk_extend(self._quads(number, batch.triples, first))

    def _quads(self, number: int, triples: bytes, before: int) -> Iterator[ox.Quad]:
        """What can be read of a batch; blank nodes of several files are kept apart."""
        parser = ox.parse(input=triples, format=ox.RdfFormat.N_TRIPLES)
        path = self.files[number].path
        for quad in files.recovering(parser, path, self.report, before):
            subject, value = quad.subject, quad.object
            if isinstance(subject, ox.BlankNode):
                subject = ox.BlankNode(f"f{number}{subject.value}")
            if isinstance(value, ox.BlankNode):
                value = ox.BlankNode(f"f{number}{value.value}")
            yield ox.Quad(subject, quad.predicate, value)

    # -- finishing -------------------------------------------------------------------------

    def _finish(self) -> Loaded:
        store = self.store
        self._tell(Progress("sorting", 0.9, self.mark.triples))
        uses = _predicates(store)
        if not any(layout.role(p)[0] in ("p", "wdt", "plain") for p in uses):
            raise SourceRejected(self._nothing_found(), source=self.name)
        self._name_properties(store, uses)
        self._copy_labels(store, uses)
        unnamed = self._name_by_address(store, uses)
        self._name_further(store, uses)
        uses = _predicates(store)
        store.flush()
        if self.mark.triples > _SORTED:
            store.optimize()
        self._tell(Progress("indexing names", 0.94, self.mark.triples))
        label_store.build(self.part / LABELS, _names(store, set(uses)))
        self._tell(Progress("counting", 0.98, self.mark.triples))
        info = self._count(store, uses)
        about = {
            "loaded": datetime.now(UTC).isoformat(timespec="seconds"),
            "files": [file.path.name for file in self.files],
        }
        self._write(ABOUT, asdict(info) | about)
        del store, self.store
        for name in (_PLAN, _DONE):
            (self.part / name).unlink(missing_ok=True)
        if self.into.is_dir():
            self.into.rmdir()
        self.into.parent.mkdir(parents=True, exist_ok=True)
        os.replace(self.part, self.into)
        self._tell(Progress("done", 1.0, self.mark.triples))
        return Loaded(
            self.into,
            self.name,
            info.entities,
            info.statements,
            info.relations,
            self.report.lines,
            self.report.bad,
            tuple(self.report.examples),
            self.resumed,
            unnamed,
        )

    def _nothing_found(self) -> str:
        first = f" ({self.report.examples[0]})" if self.report.examples else ""
        names = ", ".join(file.path.name for file in self.files)
        return f"There is no fact in {names}{first}: nothing was loaded. Check the format."

    def _name_properties(self, store: ox.Store, uses: dict[str, int]) -> None:
        """Wikidata's layout is known by its properties, which plain triples do not describe."""
        pids = sorted({pid for p in uses if (pid := layout.role(p)[1])}, key=layout.natural)

        def labelled(pid: str) -> bool:
            found = matching(store, ox.NamedNode(WD + pid), _LABEL, ANY)
            return next(found, None) is not None

        lines = files.property_lines(pids, labelled)
        store.bulk_load(input=lines, format=ox.RdfFormat.N_TRIPLES)

    def _copy_labels(self, store: ox.Store, uses: dict[str, int]) -> None:
        """What has no rdfs:label takes its name from what the graph has instead."""
        for iri in _OTHER_LABELS:
            if iri in uses:
                named = matching(store, ANY, ox.NamedNode(iri), ANY)
                found = [
                    ox.Quad(q.subject, _LABEL, q.object)
                    for q in named
                    if isinstance(q.object, ox.Literal) and not _is_labelled(store, q.subject)
                ]
                store.bulk_extend(found)

    def _name_by_address(self, store: ox.Store, uses: dict[str, int]) -> int:
        """How many things have no name at all: they take the last part of their address for it."""
        named: set[str] = set()
        for predicate in uses:
            if layout.role(predicate)[0] != "plain":
                continue
            for quad in matching(store, ANY, ox.NamedNode(predicate), ANY):
                for node in (quad.subject, quad.object):
                    if (
                        isinstance(node, ox.NamedNode)
                        and node.value not in named
                        and not _CODE.fullmatch(short_id(node.value))
                        and not _is_labelled(store, node)
                    ):
                        named.add(node.value)
        store.bulk_extend(
            ox.Quad(ox.NamedNode(i), _LABEL, ox.Literal(words_apart(i) or unquote(short_id(i))))
            for i in sorted(named)
        )
        return len(named)

    def _name_further(self, store: ox.Store, uses: dict[str, int]) -> None:
        """What else is called by words of its own that somebody named: relations, and things."""
        plain = [ox.NamedNode(p) for p in uses if layout.role(p)[0] == "plain"]
        if not plain or len(plain) < len([p for p in uses if layout.role(p)[0] != "about"]):
            return  # a graph with names of its own beside others
        labels: dict[str, list[ox.NamedNode]] = {}
        for quad in matching(store, ANY, _LABEL, ANY):
            if isinstance(quad.object, ox.Literal) and isinstance(quad.subject, ox.NamedNode):
                labels.setdefault(quad.object.value, []).append(quad.subject)
        relations = {n: [node for node in nodes if node in plain] for n, nodes in labels.items()}
        for node in plain:
            if not any(node in nodes for nodes in relations.values()):
                said = words_apart(node.value) or short_id(node.value)
                relations.setdefault(said, []).append(node)
        things = {
            name: [node for node in nodes if node not in plain and _has_facts(store, node)]
            for name, nodes in (labels.items() if len(labels) <= _FEW else ())
        }
        also: list[tuple[ox.NamedNode, str]] = []
        for name, others in headers.further(n for n in relations if relations[n]).items():
            also += [(node, other) for other in others for node in relations[name]]
        for name, head in headers.heads((n for n in things if things[n]), labels).items():
            also += [(node, head) for node in things[name]]
        if len(labels) <= _FEW:
            also += [(node, headers.ROW) for node in _kinds(store, relations)]
        store.bulk_extend(ox.Quad(n, _ALIAS, ox.Literal(a, language="en")) for n, a in also)

    def _count(self, store: ox.Store, uses: dict[str, int]) -> GraphInfo:
        """Of a large graph, entities that only ever are values and have no label do not count."""
        if self.mark.triples <= _COUNT_EXACTLY:
            return EmbeddedGraph(self.name, store).info()
        edges = "p" if layout.RANK in uses else "wdt"
        facts = {p: n for p, n in uses.items() if layout.role(p)[0] in (edges, "plain")}
        helpers = (layout.RANK, layout.TIME_VALUE, layout.AMOUNT, layout.DIRECT_CLAIM)
        described = _number(store, "*", f"?s <{layout.TYPE}> <{layout.WIKIBASE}Property>")
        if facts.get(layout.TYPE, 0) == described:  # of no entity, only of properties
            facts.pop(layout.TYPE, None)
        else:
            facts[layout.TYPE] -= described
        deprecated = f"?s <{layout.RANK}> <{layout.WIKIBASE}DeprecatedRank>"
        return GraphInfo(
            self.name,
            entities=_number(store, "DISTINCT ?s", "?s ?p ?o")
            - sum(uses.get(p, 0) for p in helpers),
            statements=sum(facts.values()) - _number(store, "*", deprecated),
            relations=len(facts),
            fingerprint="{:08x}{:08x}{:016x}".format(*self.mark.sums, sum(facts.values())),
        )

    # -- the journal -----------------------------------------------------------------------

    def _remember(self, mark: _Mark, report: str = "") -> None:
        self.mark = mark
        known = json.loads(report) if report else asdict(self.report)
        self._write(_DONE, {"mark": asdict(mark), "report": known})

    def _write(self, name: str, value: object) -> None:
        draft = self.part / (name + ".new")
        draft.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
        os.replace(draft, self.part / name)

    def _read(self, name: str) -> object:
        try:
            return json.loads((self.part / name).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None


def _kinds(store: ox.Store, relations: Mapping[str, Sequence[ox.NamedNode]]) -> list[ox.NamedNode]:
    """The kinds of things that a small graph has, those of most things first; of a table none: it
    says itself what its rows are."""
    if next(matching(store, ANY, _ALIAS, ox.Literal(headers.ROW, language="en")), None) is not None:
        return []
    often: Counter[ox.NamedNode] = Counter()
    named = [node for label in known.labels("class") for node in relations.get(label, ())]
    for predicate in dict.fromkeys((ox.NamedNode(layout.TYPE), *named)):
        for quad in matching(store, ANY, predicate, ANY):
            if isinstance(quad.object, ox.NamedNode):
                often[quad.object] += 1
    found = [node for node, _ in often.most_common(_KINDS + 1)]
    return found if len(found) <= _KINDS else []


def _predicates(store: ox.Store) -> dict[str, int]:
    """Every predicate with the number of its triples."""
    rows = store.query("SELECT ?p (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?p")
    assert isinstance(rows, ox.QuerySolutions)
    return {row["p"].value: int(row["n"].value) for row in rows}


def _has_facts(store: ox.Store, node: Term) -> bool:
    facts = (q for q in matching(store, node, ANY, ANY) if q.predicate not in (_LABEL, _ALIAS))
    return next(facts, None) is not None


def _is_labelled(store: ox.Store, node: Term) -> bool:
    return next(matching(store, node, _LABEL, ANY), None) is not None


def _number(store: ox.Store, what: str, where: str) -> int:
    rows = store.query(f"SELECT (COUNT({what}) AS ?n) {{ {where} }}")
    assert isinstance(rows, ox.QuerySolutions)
    return int(next(rows)["n"].value)


def _names(store: ox.Store, relations: set[str]) -> Iterator[Name]:
    properties: set[object] = {q.subject for q in matching(store, ANY, _CLAIM, ANY)}
    properties |= {ox.NamedNode(relation) for relation in relations}
    for predicate, alias in ((_LABEL, False), (_ALIAS, True)):
        for quad in matching(store, ANY, predicate, ANY):
            if quad.subject not in properties and isinstance(quad.object, ox.Literal):
                node = quad.subject
                yield Name(
                    node.value if isinstance(node, ox.NamedNode) else str(node),
                    quad.object.value[:_NAME],
                    alias,
                )
