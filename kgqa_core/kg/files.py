"""Graph files of any known kind, read as N-Triples in batches.

    RDF                    Turtle, N-Triples, RDF/XML, JSON-LD (also N-Quads, TriG, N3)
    triples                three cells a line, between tabs or bars: ids, or names as in MetaQA
    entities               a heading with `label`: id, label, description, aliases (joined by |)
    qualified statements   JSON lines {"s": "Q2", "p": "P610", "o": "Q513", "q": [["P459", "Q1"]]}
    properties             JSON lines {"id": "P69", "label": "educated at", "aliases": [...]}
    Wikidata dump          JSON lines of entities, as in latest-all.json

Each may be gzipped or bzip2-ed; a folder stands for the files in it. A line that cannot be read
is noted by number and skipped. A batch names the line it ends with, so reading can go on there.
"""

from __future__ import annotations

import bz2
import gzip
import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any, cast
from typing import Literal as OneOf

import pyoxigraph as ox

from kgqa_core.errors import SourceRejected
from kgqa_core.kg import layout, wikibase
from kgqa_core.kg.base import WD
from kgqa_core.terms import (
    DATE,
    DATETIME,
    DECIMAL,
    STRING,
    URL,
    YEAR,
    Entity,
    Literal,
    Qualifier,
    Relation,
    Statement,
    Value,
)

Kind = OneOf["entities", "properties", "qualified", "triples", "dump", "lines", "document"]

NAMES = "urn:kg:"  # IRIs of things that only have a name
_LINE = 32 << 20  # bytes of the longest line; dumps have lines of several MB
_BATCH = 100_000  # lines of N-Triples in a batch
_BLOCK = 16 << 20  # bytes of a batch of raw N-Triples
_BOMB, _RATIO = 64 << 20, 250  # from this size on, so much larger than packed is an attack
_BAD_LINES = 20  # kept; more are only counted
_ENTITY_LENGTH = 1_000  # characters an XML entity may stand for
_SEEN = 3_000_000  # names whose label is not written again

_FORMATS = {
    ".nt": ox.RdfFormat.N_TRIPLES,
    ".ttl": ox.RdfFormat.TURTLE,
    ".turtle": ox.RdfFormat.TURTLE,
    ".n3": ox.RdfFormat.N3,
    ".rdf": ox.RdfFormat.RDF_XML,
    ".owl": ox.RdfFormat.RDF_XML,
    ".xml": ox.RdfFormat.RDF_XML,
    ".jsonld": ox.RdfFormat.JSON_LD,
    ".nq": ox.RdfFormat.N_QUADS,
    ".trig": ox.RdfFormat.TRIG,
}
_PACKED = (".gz", ".bz2")
_KNOWN = "Turtle, N-Triples, RDF/XML, JSON-LD, triples between tabs or bars, or Wikidata JSON lines"


class Unreadable(ValueError):
    """What is wrong with a line."""


@dataclass
class Report:
    """What was read and what was not; filled while reading."""

    lines: int = 0
    facts: int = 0
    bad: int = 0
    examples: list[str] = field(default_factory=list)

    def skip(self, file: Path, line: int, why: str) -> None:
        self.bad += 1
        if len(self.examples) < _BAD_LINES:
            self.examples.append(f"{file.name}, line {line}: {why}")

    def take(self, other: Report) -> None:
        """Adds what another report skipped, and empties it."""
        self.bad += other.bad
        self.examples = (self.examples + other.examples)[:_BAD_LINES]
        other.bad, other.examples = 0, []


@dataclass(frozen=True)
class Batch:
    """N-Triples up to and including `line` of the file. `ours`: written here, valid as it is."""

    triples: bytes
    line: int
    part: float  # of the file read so far, 0 to 1
    ours: bool


@dataclass(frozen=True)
class Options:
    """How to read. `leave_out`: patterns of source tags; a fact with no other tag is left out.

    `most_bytes` is how large a file may be unpacked, None: any size.
    """

    leave_out: tuple[str, ...] = ()
    most_bytes: int | None = None


@dataclass(frozen=True)
class GraphFile:
    """A file and what is in it."""

    path: Path
    kind: Kind
    format: ox.RdfFormat | None = None


@dataclass
class Reading:
    """What the files of one load share."""

    options: Options
    report: Report
    statement_nodes: bool  # whether facts become statement nodes, or truthy triples alone
    qualified: set[int] = field(default_factory=set)  # facts that come with qualifiers elsewhere
    named: set[str] = field(default_factory=set)


def find(paths: Iterable[Path]) -> list[GraphFile]:
    """The files meant by paths and folders, those with names and qualifiers first.

    Raises SourceRejected for what does not exist, and for a file of no known kind.
    """
    found: list[GraphFile] = []
    for path in paths:
        if path.is_dir():
            inside = (_kind(p, inside=True) for p in sorted(path.iterdir()) if p.is_file())
            known = [file for file in inside if file]
            if not known:
                raise SourceRejected(
                    f"There is no graph file in the folder {path}: expected {_KNOWN}."
                )
            found += known
        else:
            file = _kind(path, inside=False)
            assert file is not None
            found.append(file)
    order: list[Kind] = ["properties", "entities", "qualified", "triples"]
    return sorted(found, key=lambda f: order.index(f.kind) if f.kind in order else len(order))


def start(files: Sequence[GraphFile], options: Options, report: Report) -> Reading:
    """Facts are truthy triples alone when nothing among the files has qualifiers or ranks."""
    nodes = any(file.kind in ("qualified", "dump", "lines", "document") for file in files)
    reading = Reading(options, report, nodes)
    for file in files:
        if file.kind == "qualified":
            for line in _lines(file.path, options):
                row = _json(line) if b'"s"' in line else None
                if isinstance(row, dict) and _wanted(row.get("src", ()), options):
                    reading.qualified.add(hash((row.get("s"), row.get("p"), row.get("o"))))
    return reading


def read(file: GraphFile, reading: Reading, after: int = 0) -> Iterator[Batch]:
    """The file from the line after `after` on.

    Raises SourceRejected when the file is cut off, a bomb, larger than allowed, or broken where
    nothing after can be read.
    """
    try:
        if file.kind == "document":
            yield from _read_document(file, reading, after)
        elif file.kind == "lines":
            yield from _read_raw(file, reading, after)
        else:
            yield from _read_lines(file, reading, after)
    except (EOFError, zlib.error, gzip.BadGzipFile, OSError) as error:
        raise SourceRejected(
            f"{file.path.name} cannot be read to its end ({error}): it is cut off or damaged; "
            "fetch it again."
        ) from error


# -- what kind of file ---------------------------------------------------------------------


def _kind(path: Path, *, inside: bool) -> GraphFile | None:
    """None for a file that is none of ours, where that is no mistake: in a folder."""
    name = path.name.lower()
    while name.endswith(_PACKED):
        name = name.rpartition(".")[0]
    suffix = Path(name).suffix
    try:
        head = [line for line in islice(_lines(path, Options()), 20) if line.strip()]
    except (EOFError, zlib.error, OSError) as error:
        raise SourceRejected(
            f"{path} cannot be read: {getattr(error, 'strerror', None) or error}. "
            "Check its name and permissions."
        ) from error
    except SourceRejected:
        if inside:
            return None
        raise
    if suffix in _FORMATS:
        kind: Kind = "lines" if suffix == ".nt" else "document"
        return GraphFile(path, kind, _FORMATS[suffix])
    text = [line.decode("utf-8-sig", "replace").strip() for line in head]
    known = _kind_of_json(path, text) if suffix.startswith(".json") else _kind_of_text(path, text)
    if known is None and not inside:
        raise SourceRejected(
            f"{path.name} is of no known kind: expected {_KNOWN}, each also gzipped."
        )
    return known


def _kind_of_json(path: Path, head: list[str]) -> GraphFile | None:
    first = next((line for line in head if line not in ("[", "")), "")
    row = _json(first.rstrip(",").encode())
    if not isinstance(row, dict):
        known = any(word in "".join(head) for word in ('"@context"', '"@id"', '"@graph"'))
        return GraphFile(path, "document", ox.RdfFormat.JSON_LD) if known else None
    if {"s", "p", "o"} <= row.keys():
        return GraphFile(path, "qualified")
    if "claims" in row or "labels" in row:
        return GraphFile(path, "dump")
    if {"id", "label"} <= row.keys():
        return GraphFile(path, "properties")
    if any(key.startswith("@") for key in row):
        return GraphFile(path, "document", ox.RdfFormat.JSON_LD)
    return None


def _kind_of_text(path: Path, head: list[str]) -> GraphFile | None:
    first = head[0] if head else ""
    if "label" in first.lower().split("\t"):
        return GraphFile(path, "entities")
    if re.match(r"(@prefix|@base|PREFIX|BASE)\b", first):
        return GraphFile(path, "document", ox.RdfFormat.TURTLE)
    if re.fullmatch(r"(<[^>]*>|_:\S+)\s+<[^>]*>\s+.*\s*\.", first):
        return GraphFile(path, "lines", ox.RdfFormat.N_TRIPLES)
    rows = [_cells(line) for line in head]
    if rows and sum(len(row) >= 3 for row in rows) * 2 > len(rows):
        return GraphFile(path, "triples")
    return None


# -- lines ---------------------------------------------------------------------------------


class _Unpacked:
    """A file read unpacked, watching how far it is and that it is no bomb."""

    def __init__(self, path: Path, options: Options) -> None:
        self._path, self._options = path, options
        self._size = max(1, path.stat().st_size)
        self._raw: IO[bytes] = path.open("rb")
        self._stream: IO[bytes] = self._raw
        name = path.name.lower()
        if name.endswith(".gz"):
            self._stream = cast(IO[bytes], gzip.GzipFile(fileobj=self._raw))
        elif name.endswith(".bz2"):
            self._stream = bz2.BZ2File(self._raw)
        self._read = 0

    def __enter__(self) -> _Unpacked:
        return self

    def __exit__(self, *_: object) -> None:
        self._stream.close()
        self._raw.close()

    @property
    def part(self) -> float:
        return min(1.0, self._raw.tell() / self._size)

    def readline(self) -> bytes:
        line = self._stream.readline(_LINE)
        self._watch(len(line))
        return line

    def read(self, size: int = _BLOCK) -> bytes:
        data = self._stream.read(size if 0 < size < _BLOCK else _BLOCK)
        self._watch(len(data))
        return data

    def _watch(self, count: int) -> None:
        self._read += count
        most = self._options.most_bytes
        if most is not None and self._read > most:
            raise SourceRejected(
                f"{self._path.name} is larger than {most >> 20:,} MB unpacked: load it in the "
                "shell with `python -m kgqa_core load`, or take a part of it."
            )
        if self._read > _BOMB and self._read > _RATIO * self._size:
            raise SourceRejected(
                f"{self._path.name} unpacks to more than {_RATIO} times its size: it looks like "
                "a zip bomb and is not read. Unpack it yourself if it is sound."
            )


def _lines(path: Path, options: Options) -> Iterator[bytes]:
    with _Unpacked(path, options) as stream:
        while line := stream.readline():
            yield line


def _read_lines(file: GraphFile, reading: Reading, after: int) -> Iterator[Batch]:
    """Lines that we parse, one by one."""
    parse = _PARSERS[file.kind]
    columns: dict[str, int] = {}
    written: list[str] = []
    number = 0
    with _Unpacked(file.path, reading.options) as stream:
        while line := stream.readline():
            number += 1
            if not line.endswith(b"\n") and len(line) >= _LINE:
                _skip_rest(stream)
                if number > after:
                    reading.report.skip(file.path, number, f"longer than {_LINE >> 20} MB")
                continue
            if 1 < number <= after:
                continue
            try:
                text = line.decode("utf-8-sig" if number == 1 else "utf-8").strip("\r\n")
                if number == 1 and file.kind in ("entities", "triples"):
                    columns = _heading(text)
                    if columns:
                        continue
                if number > after and text.strip():
                    written += parse(text, columns, reading)
                    reading.report.lines += 1
            except UnicodeDecodeError:
                reading.report.skip(file.path, number, "not UTF-8 text")
            except (Unreadable, ValueError, KeyError, TypeError, AttributeError) as error:
                reading.report.skip(file.path, number, _why(error))
            if len(written) >= _BATCH:
                yield Batch("".join(written).encode("utf-8", "replace"), number, stream.part, True)
                written = []
    yield Batch("".join(written).encode("utf-8", "replace"), number, 1.0, True)


def _why(error: Exception) -> str:
    if isinstance(error, Unreadable):
        return str(error)
    if isinstance(error, json.JSONDecodeError):
        return "no JSON"
    if isinstance(error, KeyError):
        return f"{error} is missing"
    return str(error) or "of an unexpected shape"


def _skip_rest(stream: _Unpacked) -> None:
    while (rest := stream.readline()) and not rest.endswith(b"\n"):
        pass


def _read_raw(file: GraphFile, reading: Reading, after: int) -> Iterator[Batch]:
    """N-Triples go to the store as they are; it judges them."""
    number = 0
    with _Unpacked(file.path, reading.options) as stream:
        rest = b""
        while block := stream.read():
            block = rest + block
            end = block.rfind(b"\n") + 1
            block, rest = block[:end], block[end:]
            if len(rest) > _LINE:
                raise SourceRejected(
                    f"{file.path.name}, line {number + 1} is longer than {_LINE >> 20} MB."
                )
            first, number = number, number + block.count(b"\n")
            if number > after and block:
                keep = block if first >= after else b"".join(_from(block, after - first))
                reading.report.lines += number - max(first, after)
                yield Batch(keep, number, stream.part, False)
        if rest and number >= after:
            reading.report.lines += 1
            yield Batch(rest, number + 1, 1.0, False)


def _from(block: bytes, skip: int) -> list[bytes]:
    return block.splitlines(keepends=True)[skip:]


def _read_document(file: GraphFile, reading: Reading, after: int) -> Iterator[Batch]:
    """RDF that only a parser can cut into triples. The mark is the number of triples."""
    if file.format == ox.RdfFormat.RDF_XML:
        _refuse_large_entities(file.path, reading.options)
    blanks: dict[str, str] = {}
    written: list[str] = []
    number = 0
    skipped = Report()
    with _Unpacked(file.path, reading.options) as stream:
        base = file.path.resolve().as_uri()
        parser = ox.parse(input=stream, format=file.format, base_iri=base)  # type: ignore[arg-type]
        whole = file.format in (ox.RdfFormat.RDF_XML, ox.RdfFormat.JSON_LD)
        for quad in recovering(parser, file.path, skipped, whole=whole):
            number += 1
            reading.report.take(skipped if number > after else Report())
            line = (
                f"{_term(quad.subject, blanks)} {quad.predicate} {_term(quad.object, blanks)} .\n"
            )
            if number > after:
                written.append(line)
                reading.report.lines += 1
            if len(written) >= _BATCH:
                yield Batch("".join(written).encode(), number, stream.part, False)
                written = []
    reading.report.take(skipped)
    yield Batch("".join(written).encode(), number, 1.0, False)


def recovering(
    parser: Iterator[ox.Quad], file: Path, report: Report, before: int = 0, *, whole: bool = False
) -> Iterator[ox.Quad]:
    """What the parser understands; it goes on after an error unless the format is one `whole`."""
    last = -1
    while True:
        try:
            yield next(parser)
        except StopIteration:
            return
        except SyntaxError as error:
            line = error.lineno or 0
            why = " ".join(str(error.msg).split())
            if whole:
                raise SourceRejected(
                    f"{file.name} is broken{f' in line {line}' if line else ''} ({why}), and "
                    "nothing after that can be read: correct the file."
                ) from error
            if line != last or not line:  # one mistake gives several errors
                report.skip(file, before + line, why)
            if not line:
                return
            last = line


def _term(term: Any, blanks: dict[str, str]) -> str:
    """Blank nodes are numbered in the order they appear: the same each time a file is read."""
    if isinstance(term, ox.BlankNode):
        return "_:" + blanks.setdefault(term.value, f"b{len(blanks)}")
    return str(term)


_ENTITY_DECLARED = re.compile(rb"""<!ENTITY\s+(%\s+)?\S+\s+("[^"]*"?|'[^']*'?|\S+)""")


def _refuse_large_entities(path: Path, options: Options) -> None:
    """Entities that stand for entities can blow a small file up to gigabytes."""
    with _Unpacked(path, options) as stream:
        before = b""
        while block := stream.read():
            for match in _ENTITY_DECLARED.finditer(before + block):
                value = match[2]
                if match[1] or b"&" in value or len(value) > _ENTITY_LENGTH:
                    raise SourceRejected(
                        f"{path.name} declares XML entities that expand to other entities or to "
                        "long text: it is not read. Write the file without them."
                    )
            before = block[-2 * _ENTITY_LENGTH :]


# -- cells ---------------------------------------------------------------------------------

_SHORT_ID = re.compile(r"[QL][1-9]\d*")
_PROPERTY_ID = re.compile(r"P[1-9]\d*")
_IRI = re.compile(r'<([A-Za-z][A-Za-z0-9+.-]*:[^\s<>"]*)>')
_BARE_IRI = re.compile(r'(?:https?://|urn:)[^\s<>"]+')
_TEXT = re.compile(r'"(.*)"(?:@([A-Za-z][A-Za-z0-9-]*))?', re.DOTALL)
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_TIME = re.compile(r"([+-]?)(\d+)-(\d\d)-(\d\d)(?:T(\d\d:\d\d:\d\d)Z?)?")


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.split("\t" if "\t" in line else "|")]


def _heading(line: str) -> dict[str, int]:
    """Where the columns are; empty when the first line is none but a fact."""
    names = {name.lower(): i for i, name in enumerate(_cells(line))}
    if "label" in names and names.keys() & {"id", "qid"}:
        return names
    known = {"subject", "s", "head"}, {"property", "predicate", "relation", "p"}, {"object", "o"}
    if all(names.keys() & one for one in known[:2]) and len(names) >= 3:
        return names
    return {}


def _parse_entity(line: str, columns: dict[str, int], _: Reading) -> list[str]:
    cells = line.split("\t")

    def cell(*names: str) -> str:
        at = next((columns[name] for name in names if name in columns), len(cells))
        return cells[at].strip() if at < len(cells) else ""

    one = cell("id", "qid")
    aliases = tuple(a.strip() for a in cell("aliases").split("|") if a.strip())
    if _PROPERTY_ID.fullmatch(one):
        relation = Relation(WD + one, cell("label"), cell("description"), aliases)
        return list(layout.write_relation(relation))
    return list(
        layout.write_entity(
            Entity(entity_of_cell(one).id, cell("label"), cell("description"), aliases)
        )
    )


def _parse_property(line: str, _columns: dict[str, int], _: Reading) -> list[str]:
    row = json.loads(line)
    aliases = tuple(map(str, row.get("aliases") or ()))
    about = (row["label"] or "", row.get("description") or "", aliases)
    if _PROPERTY_ID.fullmatch(row["id"]):
        return list(layout.write_relation(Relation(WD + row["id"], *about)))
    return list(layout.write_entity(Entity(entity_of_cell(row["id"]).id, *about)))


def _parse_qualified(line: str, _: dict[str, int], reading: Reading) -> list[str]:
    row = json.loads(line)
    if not _wanted(row.get("src", ()), reading.options):
        return []
    qualifiers = tuple(
        Qualifier(relation_of_cell(p), value_of_cell(v)) for p, v in row.get("q", ())
    )
    return _fact(row["s"], row["p"], row["o"], qualifiers, reading)


def _parse_triple(line: str, columns: dict[str, int], reading: Reading) -> list[str]:
    cells = _cells(line)
    if len(cells) < 3:
        raise Unreadable(f"{len(cells)} cells instead of 3")
    if not all(cells[:3]):
        raise Unreadable("an empty cell")
    at = columns.get("sources")
    tags = cells[at].split("|") if at is not None and at < len(cells) else ()
    if not _wanted(tags, reading.options):
        return []
    if reading.qualified and hash(tuple(cells[:3])) in reading.qualified:
        return []
    return _fact(cells[0], cells[1], cells[2], (), reading)


def _parse_dump(line: str, _: dict[str, int], reading: Reading) -> list[str]:
    text = line.strip().rstrip(",")
    if text in ("[", "]", ""):
        return []
    found = json.loads(text)
    if wikibase.is_property(found):
        return list(layout.write_relation(wikibase.relation_of(found)))
    statements = list(wikibase.statements_of(found))
    outdone = {s.relation for s in statements if s.rank == "preferred"}
    written = [*layout.write_entity(wikibase.entity_of(found))]
    for s in statements:
        truthy = s.rank == "preferred" or s.relation not in outdone
        written += layout.write_statement(s, truthy=truthy)
    reading.report.facts += len(statements)
    return written


_PARSERS: dict[Kind, Callable[[str, dict[str, int], Reading], list[str]]] = {
    "entities": _parse_entity,
    "properties": _parse_property,
    "qualified": _parse_qualified,
    "triples": _parse_triple,
    "dump": _parse_dump,
}


def _wanted(tags: Iterable[str], options: Options) -> bool:
    tags = list(tags)
    if not options.leave_out or not tags:
        return True
    return any(not any(fnmatch(tag, out) for out in options.leave_out) for tag in tags)


def _fact(
    subject: str, relation: str, value: str, qualifiers: tuple[Qualifier, ...], reading: Reading
) -> list[str]:
    reading.report.facts += 1
    known, object_ = relation_of_cell(relation), value_of_cell(value, relation)
    statement = Statement(entity_of_cell(subject), known, object_, qualifiers)
    written: list[str] = []
    for thing in (statement.subject, known, object_):
        written += _label(thing, reading)
    if not reading.statement_nodes:
        return [*written, layout.write_truthy(statement)]
    return [*written, *layout.write_statement(statement)]


def _label(thing: Entity | Relation | Literal, reading: Reading) -> list[str]:
    """The label of what only has a name, written once."""
    if isinstance(thing, Literal) or not thing.label or thing.id in reading.named:
        return []
    if len(reading.named) >= _SEEN:
        reading.named.clear()
    reading.named.add(thing.id)
    return list(layout.write_entity(thing))


@lru_cache(maxsize=200_000)
def entity_of_cell(cell: str) -> Entity:
    if _SHORT_ID.fullmatch(cell) or _PROPERTY_ID.fullmatch(cell):
        return Entity(layout.full_id(cell))
    if match := _IRI.fullmatch(cell):
        return Entity(match[1])
    if _BARE_IRI.fullmatch(cell):
        return Entity(cell)
    if not cell:
        raise Unreadable("an empty cell")
    return Entity(NAMES + _escaped(cell), cell)


@lru_cache(maxsize=20_000)
def relation_of_cell(cell: str) -> Relation:
    if _PROPERTY_ID.fullmatch(cell):
        return Relation(WD + cell)
    if match := _IRI.fullmatch(cell):
        return Relation(match[1])
    if _BARE_IRI.fullmatch(cell):
        return Relation(cell)
    name = " ".join(cell.replace("_", " ").split())
    if not name:
        raise Unreadable("a relation without a name")
    aliases = (cell,) if cell != name else ()
    return Relation(f"{NAMES}relation:{_escaped(cell)}", name, "", aliases)


def value_of_cell(cell: str, relation: str = "") -> Value:
    """Ids, times, numbers, quoted text and addresses; anything else is the name of a thing."""
    if _SHORT_ID.fullmatch(cell):
        return entity_of_cell(cell)
    if match := _TEXT.fullmatch(cell):
        return Literal(match[1], STRING, language=match[2] or "")
    if _PROPERTY_ID.fullmatch(relation) and (match := _IRI.fullmatch(cell)):
        return Literal(match[1], URL)
    if match := _TIME.fullmatch(cell):
        return _time(match)
    if _NUMBER.fullmatch(cell):
        if len(cell) == 4 and "year" in relation.lower():
            return Literal(cell, YEAR)
        return Literal(cell.removeprefix("+"), DECIMAL)
    return entity_of_cell(cell)


def _time(match: re.Match[str]) -> Literal:
    """As RDF writes times: years counted astronomically, a year as its first of January."""
    sign, year, month, day, clock = match.groups()
    full = f"{sign.removeprefix('+')}{int(year):04}-{month}-{day}"
    if clock is None:
        return Literal(layout.from_datetime(full, 11).value, DATE)
    if clock != "00:00:00":
        return layout.from_datetime(f"{full}T{clock}Z", 14)
    found = layout.from_datetime(f"{full}T{clock}Z", 9 if (month, day) == ("01", "01") else 11)
    return found if found.datatype != DATETIME else Literal(found.value[:10], DATE)


def _escaped(name: str) -> str:
    return re.sub(r'[\x00-\x20<>"{}|^`\\%/#?]', lambda m: f"%{ord(m[0]):02X}", name)


def _json(line: bytes) -> Any:
    try:
        return json.loads(line.strip().rstrip(b","))
    except ValueError:
        return None


def known_properties() -> dict[str, Relation]:
    """Names of common Wikidata properties, for graphs that come without."""
    from kgqa_core.kg.starter import FOLDER

    found: dict[str, Relation] = {}
    with (FOLDER / "properties.tsv").open(encoding="utf-8-sig") as lines:
        for line in islice(lines, 1, None):
            pid, label, description, aliases = (line.rstrip("\n").split("\t") + [""] * 4)[:4]
            names = tuple(a.strip() for a in aliases.split("|") if a.strip())
            found[pid] = Relation(WD + pid, label, description, names)
    return found


def property_lines(pids: Iterable[str], labelled: Callable[[str], bool]) -> bytes:
    """What makes ids of properties known as such, with names where there are none yet."""
    names = known_properties()
    relations = (
        Relation(WD + pid) if labelled(pid) else names.get(pid, Relation(WD + pid)) for pid in pids
    )
    return "".join(chain.from_iterable(map(layout.write_relation, relations))).encode()
