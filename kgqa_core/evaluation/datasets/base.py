"""What every question set comes down to, and how its file is cut into items.

Files are read as a stream: plain or gzipped, UTF-8 or UTF-16, with single lines in Windows-1252
where somebody mixed the two.
"""

from __future__ import annotations

import gzip
import io
import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from typing import Literal as OneOf

from kgqa_core.errors import SettingsError
from kgqa_core.text import shortened

_GZIP = b"\x1f\x8b"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_CHUNK = 1 << 18
_ENTITY = re.compile(r"(?:.*[/:])?([QLP]\d+)")
_MARKED = re.compile(r"<((?:https?://|urn:)[^<>\s]+)>|\"([^\"]+)\"(?:@[\w-]+|\^\^\S+)?")


class DatasetError(SettingsError):
    """The file is not what was said of it; the message says what to try."""


@dataclass(frozen=True, slots=True)
class Gold:
    """One correct answer: an id (QID or IRI), what it is called, or both."""

    id: str = ""
    names: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.names[0] if self.names else self.id


@dataclass(frozen=True, slots=True)
class Example:
    """A question with what counts as right.

    `gold` holds alternative sets of answers by name (`gold`, `gold_2024`); an empty set means
    that nothing is the right answer, no set at all that the file has no gold for it. `topic`
    maps ids (or labels, where a set has no ids) to labels, main entity first.
    """

    id: str
    question: str
    gold: Mapping[str, tuple[Gold, ...]]
    topic: Mapping[str, str] = field(default_factory=dict)
    form: OneOf["question", "claim", "choice"] = "question"
    choices: tuple[Gold, ...] = ()
    classes: tuple[str, ...] = ()
    trivial: bool = False  # an empty graph would give the gold answer too
    reference: str = ""  # the answer as a text, for ROUGE
    facts: tuple[
        tuple[str, str, str], ...
    ] = ()  # of the person who asks and the options (Recipe-MPR)
    reasons: tuple[tuple[str, str, str], ...] = ()  # of those, what decides
    fields: Mapping[str, str] = field(default_factory=dict)  # what `--where` may test
    sparql: str = ""  # the gold query

    @property
    def asked(self) -> str:
        """The words put to a method: a claim and a choice say what is wanted."""
        if self.form == "claim":
            return f"True or false: {self.question}"
        if self.form == "choice":
            options = "; ".join(f"({i}) {c.name}" for i, c in enumerate(self.choices, 1))
            return f"{self.question} Choose one of: {options}"
        return self.question


@dataclass(frozen=True)
class Format:
    """How one kind of file is read: cut into items, each item into questions.

    Both raise KeyError, TypeError, ValueError, IndexError or AttributeError for what is of
    another form; the second argument of `examples` is the item's position, from 1.
    """

    name: str
    about: str
    items: Callable[[Path], Iterator[Any]]
    examples: Callable[[Any, int], Iterable[Example]]
    graph: str = "Wikidata"  # the graph its questions are about


def short(id_or_iri: str) -> str:
    """`http://www.wikidata.org/entity/Q42`, `wd:Q42` and `Q42` alike as `Q42`; others as is."""
    found = _ENTITY.fullmatch(id_or_iri.strip())
    return found[1] if found else id_or_iri.strip()


def answer(value: Any, labels: Iterable[str] = ()) -> Gold:
    """A gold answer from what files hold: an IRI, a QID, a number, a boolean or a name."""
    names = tuple(dict.fromkeys(str(n) for n in labels if str(n)))
    if isinstance(value, bool):
        return Gold(names=("true" if value else "false",))
    text = unmarked(str(value).strip())
    if text.startswith(("http://", "https://", "urn:")) or _ENTITY.fullmatch(text):
        return Gold(short(text), names)
    return Gold(names=tuple(dict.fromkeys((text, *names))))


def unmarked(text: str) -> str:
    """An address or a text as RDF writes it, without its marks: `<https://…>`, `"Ulm"@de`."""
    found = _MARKED.fullmatch(text)
    return (found[1] or found[2]) if found else text


def truth(value: Any) -> tuple[Gold, ...]:
    """The one gold answer of a yes/no question. Raises ValueError for anything else."""
    text = str(value).strip().casefold()
    if text not in ("true", "false", "yes", "no"):
        raise ValueError(f"“{value}” is neither true nor false")
    return (answer(text in ("true", "yes")),)


def classes(*names: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if name))


def text_lines(path: Path) -> Iterator[str]:
    """Lines with their ends. Raises DatasetError for a file that cannot be read."""
    try:
        with _opened(path) as stream:
            if stream.peek(2)[:2] in _UTF16:
                with io.TextIOWrapper(stream, "utf-16", newline="") as text:
                    yield from text
                return
            for number, line in enumerate(stream):
                yield _decoded(line.removeprefix(b"\xef\xbb\xbf") if number == 0 else line)
    except FileNotFoundError:
        raise DatasetError(f"There is no file {path}. Check the path.") from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DatasetError(f"{path.name} is cut off or damaged ({error}). Get it again.") from error
    except (OSError, UnicodeError) as error:
        raise DatasetError(f"{path} cannot be read: {error}.") from error


def rows(path: Path) -> Iterator[str]:
    """Lines without their ends; blank ones left out."""
    return (line.rstrip("\r\n") for line in text_lines(path) if line.strip())


def json_items(path: Path, under: str = "") -> Iterator[Any]:
    """The objects of a JSON list, of JSON lines, or of the list `under` that name.

    A line of JSON lines that is no JSON comes out as its text. Lists are decoded piece by
    piece, so that a large file needs little memory. Raises ValueError for another kind of file.
    """
    lines = text_lines(path)
    first = next((line for line in lines if line.strip()), "")
    try:
        whole = json.loads(first)
    except ValueError:
        yield from _list_items(_chained(first, lines), under, path)
        return
    if isinstance(whole, list):
        yield from whole
    elif isinstance(whole, dict) and isinstance(whole.get(under), list):
        yield from whole[under]
    else:
        yield whole
        for line in lines:
            if line.strip():
                yield _loads(line)


def _list_items(lines: Iterator[str], under: str, path: Path) -> Iterator[Any]:
    decoder = json.JSONDecoder()
    start = re.compile(rf'\s*\[|[^\[]*?"{under}"\s*:\s*\[' if under else r"\s*\[")
    text, position, inside, wanted = "", 0, False, _CHUNK
    for ended, line in _with_end(lines):
        text += line
        if not ended and len(text) < wanted:
            continue
        if not inside:
            found = start.match(text)
            if found is None:
                raise ValueError("it is neither JSON nor a list of questions")
            inside, position = True, found.end()
        while True:
            position = _skip_commas(text, position)
            if text[position : position + 1] == "]":
                return
            try:
                item, position = decoder.raw_decode(text, position)
            except ValueError:
                break
            yield item
        text, position = text[position:], 0
        wanted = max(_CHUNK, 2 * len(text))
    there = shortened(repr(text[:60].strip()), 120)
    raise DatasetError(f"{path.name} breaks off, or is not JSON, at: {there}.")


def _skip_commas(text: str, position: int) -> int:
    while position < len(text) and text[position] in " \t\r\n,":
        position += 1
    return position


def _with_end(lines: Iterator[str]) -> Iterator[tuple[bool, str]]:
    for line in lines:
        yield False, line
    yield True, ""


def _chained(first: str, lines: Iterator[str]) -> Iterator[str]:
    yield first
    yield from lines


def _loads(line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return line


def _opened(path: Path) -> gzip.GzipFile | io.BufferedReader:
    with path.open("rb") as stream:
        packed = stream.read(2) == _GZIP
    return gzip.GzipFile(path, "rb") if packed else path.open("rb")


def _decoded(line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError:
        return line.decode("cp1252", "replace")
