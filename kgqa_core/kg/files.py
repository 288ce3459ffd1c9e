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
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any, cast
from urllib.parse import quote
from xml.parsers import expat

import pyoxigraph as ox

from kgqa_core.errors import SourceRejected
from kgqa_core.facts import kinds
from kgqa_core.facts.terms import (
    Relation,
)
from kgqa_core.kg import layout, tables, wikibase
from kgqa_core.kg.base import WD
from kgqa_core.kg.lines import (
    PARSERS,
    Kind,
    Options,
    Reading,
    Report,
    Unreadable,
    cells_of,
    heading,
    json_of,
    wanted,
)
from kgqa_core.text import shortened

_LINE = 32 << 20  # bytes of the longest line; dumps have lines of several MB
_MOST_SAID = 200  # characters of a parser's complaint, which may quote the file
_TEXT = 16 << 20  # bytes of the longest text, or line of a table; RDF's parser takes no more
_OF_A_TABLE = 5  # columns from which lines of tabs are no triples with what belongs to them
_BATCH = 100_000  # lines of N-Triples in a batch
_BLOCK = 16 << 20  # bytes of a batch of raw N-Triples
_BOMB, _RATIO = 64 << 20, 250  # from this size on, so much larger than packed is an attack
_ENTITY_LENGTH = 1_000  # characters an XML entity may stand for
_MARKUP = 4 << 20  # characters of a value that is XML itself; the parser needs forty times as much
_TAG = 5  # characters of a tag beside its name
_DEPTH = 1_000  # XML elements within each other
_PIECE = 1 << 20  # bytes of XML that are looked at together

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
_KNOWN = (
    "Turtle, N-Triples, RDF/XML, JSON-LD, triples between tabs or bars, a table (CSV) with a thing "
    "in each row, or Wikidata JSON lines"
)


@dataclass(frozen=True)
class Batch:
    """N-Triples up to and including `line` of the file. `ours`: written here, valid as it is."""

    triples: bytes
    line: int
    part: float  # of the file read so far, 0 to 1
    ours: bool


@dataclass(frozen=True)
class GraphFile:
    """A file and what is in it."""

    path: Path
    kind: Kind
    format: ox.RdfFormat | None = None


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
                row = json_of(line) if b'"s"' in line else None
                if isinstance(row, dict) and wanted(row.get("src", ()), options):
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
            "download it again."
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
    except gzip.BadGzipFile as error:
        raise SourceRejected(
            f"{path.name} has a gzip name but is not gzipped: rename it."
        ) from error
    except (EOFError, zlib.error, OSError) as error:
        raise SourceRejected(
            f"{path.name} cannot be read: {getattr(error, 'strerror', None) or error}. "
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
            f"{path.name} is of an unknown kind: expected {_KNOWN}, each also gzipped."
        )
    return known


def _kind_of_json(path: Path, head: list[str]) -> GraphFile | None:
    first = next((line for line in head if line not in ("[", "")), "")
    row = json_of(first.rstrip(",").encode())
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
    if Path(path.name.lower().removesuffix(".gz").removesuffix(".bz2")).suffix == ".csv":
        return GraphFile(path, "table") if head else None
    if "label" in first.lower().split("\t"):
        return GraphFile(path, "entities")
    if re.match(r"(@prefix|@base|PREFIX|BASE)\b", first):
        return GraphFile(path, "document", ox.RdfFormat.TURTLE)
    if re.fullmatch(r"(<[^>]*>|_:\S+)\s+<[^>]*>\s+.*\s*\.", first):
        return GraphFile(path, "lines", ox.RdfFormat.N_TRIPLES)
    rows = [cells_of(line) for line in head]
    if _is_table(first, rows):
        return GraphFile(path, "table")
    if rows and sum(len(row) >= 3 for row in rows) * 2 > len(rows):
        return GraphFile(path, "triples")
    return None


def _is_table(first: str, rows: Sequence[Sequence[str]]) -> bool:
    """Whether lines of tabs are a table with a header, and no triples: more columns than those
    have, each with a name of its own, and lines that fill them."""
    if "\t" not in first or heading(first):
        return False
    names, *others = rows
    named = all(re.match(r"[^\W\d]", name) and ":" not in name for name in names)
    filled = all(len(row) <= len(names) for row in others) and any(
        len(row) == len(names) for row in others
    )
    return len(names) >= _OF_A_TABLE and len({*names}) == len(names) and named and filled


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
    parse = PARSERS.get(file.kind)  # of a table the first line says it
    columns: dict[str, int] = {}
    written: list[str] = []
    number = 0
    most = _LINE if file.kind == "dump" else _TEXT
    with _Unpacked(file.path, reading.options) as stream:
        while line := stream.readline():
            number += 1
            if len(line) > most or (len(line) == _LINE and not line.endswith(b"\n")):
                if not line.endswith(b"\n"):
                    _skip_rest(stream)
                if number > after:
                    reading.report.skip(file.path, number, f"longer than {most >> 20} MB")
                continue
            if parse is None:
                parse = _parser_of_table(line, file.path)
                continue
            if 1 < number <= after:
                continue
            try:
                text = line.decode("utf-8-sig" if number == 1 else "utf-8").strip("\r\n")
                if number == 1 and file.kind in ("entities", "triples"):
                    columns = heading(text)
                    if columns:
                        continue
                if number > after and text.strip():
                    written += parse(text, columns, reading)
                    reading.report.lines += 1
            except UnicodeDecodeError:
                reading.report.skip(file.path, number, "not UTF-8 text")
            except (ValueError, ArithmeticError, KeyError, TypeError, AttributeError) as error:
                reading.report.skip(file.path, number, _why(error))
            for odd in reading.odd:
                reading.report.skip(file.path, number, odd)
            reading.odd.clear()
            if len(written) >= _BATCH:
                yield Batch("".join(written).encode("utf-8", "replace"), number, stream.part, True)
                written = []
    yield Batch("".join(written).encode("utf-8", "replace"), number, 1.0, True)


def _parser_of_table(heading: bytes, path: Path) -> tables.Parser:
    try:
        return tables.parser(heading.decode("utf-8-sig").strip("\r\n"), path)
    except UnicodeDecodeError as error:
        raise SourceRejected(f"{path.name} is not UTF-8 text: save it as such.") from error
    except Unreadable as error:
        raise SourceRejected(f"{path.name} cannot be read: {error}.") from error


def _why(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return "not JSON"
    return wikibase.why(error)


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
        _judge_xml(file.path, reading.options)
    blanks: dict[str, str] = {}
    written: list[str] = []
    number = 0
    skipped = Report()
    with _Unpacked(file.path, reading.options) as stream:
        # what is named relative to the file: its place on this machine is nobody's business
        base = f"urn:kgqa:file/{quote(file.path.name)}"
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
        except MemoryError as error:
            raise _too_long(file.name, _TEXT) from error
        except SyntaxError as error:
            line = error.lineno or 0
            why = shortened(" ".join(str(error.msg).split()), _MOST_SAID)
            if whole:
                raise _broken(file.name, line, why) from error
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


class _Judge:
    """What RDF/XML may not hold, seen before its parser meets it: that one has no limits.

    Entities that stand for entities blow a small file up to gigabytes, a value is kept whole
    and more than once, and each element within another costs as much as all around it.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._depth = self._text = self._markup = 0
        self._value: int | None = None  # the depth of an element whose markup is its value
        self.parser = expat.ParserCreate("UTF-8")  # as the parser after it, whatever is declared
        self.parser.EntityDeclHandler = self._declared
        self.parser.StartElementHandler = self._begun
        self.parser.EndElementHandler = self._ended
        self.parser.CharacterDataHandler = self._said

    def _declared(self, name: str, parameter: bool, value: str | None, *_: object) -> None:
        if parameter or value is None or "&" in value or len(value) > _ENTITY_LENGTH:
            raise SourceRejected(
                f"{self._name} declares XML entities that expand to other entities or to "
                "long text: it is not read. Write the file without them."
            )

    def _begun(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        self._text = 0
        if self._depth > _DEPTH:
            raise SourceRejected(
                f"{self._name} has more than {_DEPTH:,} elements within each other: it is not "
                "read. Give what is so deep within others an element of its own."
            )
        self._long(sum(map(len, attributes.values())), _TEXT)
        if self._value is not None:
            self._markup += len(name) + sum(map(len, attributes.values())) + _TAG
            self._long(self._markup, _MARKUP)
        elif any(
            key.endswith("parseType") and value not in ("Resource", "Collection")
            for key, value in attributes.items()
        ):
            self._value, self._markup = self._depth, 0

    def _ended(self, name: str) -> None:
        if self._value == self._depth:
            self._value = None
        self._depth -= 1
        self._text = 0

    def _said(self, text: str) -> None:
        self._text += len(text)
        self._long(self._text, _TEXT)
        if self._value is not None:
            self._markup += len(text)
            self._long(self._markup, _MARKUP)

    def _long(self, length: int, most: int) -> None:
        if length > most:
            raise _too_long(self._name, most)


def _judge_xml(path: Path, options: Options) -> None:
    """Raises SourceRejected for RDF/XML that is broken, too deep, or has too long a value."""
    with _Unpacked(path, options) as stream:
        parser = _Judge(path.name).parser
        given = 0
        try:
            while block := stream.read(_PIECE):
                parser.Parse(block)
                given += len(block)
                if given - parser.CurrentByteIndex > _TEXT:  # within one tag or comment
                    raise _too_long(path.name, _TEXT)
            parser.Parse(b"", True)
        except (expat.ExpatError, ValueError) as error:
            line = getattr(error, "lineno", 0)
            raise _broken(path.name, line, str(error).partition(":")[0]) from error


def _too_long(name: str, most: int) -> SourceRejected:
    return SourceRejected(
        f"{name} has a text longer than {most >> 20} MB, and nothing after that can be read: "
        "shorten it."
    )


def _broken(name: str, line: int, why: str) -> SourceRejected:
    return SourceRejected(
        f"{name} is broken{f' in line {line}' if line else ''} ({why}), and nothing after that "
        "can be read: correct the file."
    )


def known_properties() -> dict[str, Relation]:
    """Names of common Wikidata properties, for graphs that come without."""
    from kgqa_core.kg.starter import FOLDER

    found: dict[str, Relation] = {}
    with (FOLDER / "properties.tsv").open(encoding="utf-8-sig") as lines:
        for line in islice(lines, 1, None):
            cells = (line.rstrip("\n").split("\t") + [""] * 5)[:5]
            pid, label, description, aliases, datatype = cells
            names = tuple(a.strip() for a in aliases.split("|") if a.strip())
            found[pid] = Relation(WD + pid, label, description, names, kinds.datatype(datatype))
    return found


def property_lines(pids: Iterable[str], labelled: Callable[[str], bool]) -> bytes:
    """What makes ids of properties known as such, with names where there are none yet."""
    names = known_properties()
    relations = (
        Relation(WD + pid) if labelled(pid) else names.get(pid, Relation(WD + pid)) for pid in pids
    )
    return "".join(chain.from_iterable(map(layout.write_relation, relations))).encode()
