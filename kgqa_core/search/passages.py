"""Passages: text in chunks that can be found by meaning and cited like statements.

Cuéllar et al. (KGIR) §3.3: articles cut into chunks of 100–200 words; §3.3.1: chunks overlap,
and carry the title and a description of their article, or they make no sense alone.

Sources: text and Markdown files, Wikipedia by entity, and, where there is no text, the graph's
own statements in words.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import groupby
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlencode
from urllib.request import Request

from kgqa_core import __version__, network
from kgqa_core.errors import SettingsError, SourceError, SourceRejected, SourceUnavailable
from kgqa_core.facts import verbalise
from kgqa_core.facts.terms import URL, Entity, Literal, Passage, Statement, short_id
from kgqa_core.kg.layout import full_id
from kgqa_core.kg.wikibase import WKT
from kgqa_core.places import ASSETS

LEAST, MOST, OVERLAP = 100, 200, 30  # words
VALUES = 8  # of one relation, where an entity is told from its statements
MOST_BYTES = 32 << 20  # of one file: five million words
SUFFIXES = (".md", ".markdown", ".txt")
STARTER = ASSETS / "starter" / "passages"
_SENTENCE = re.compile(r"(?<=[.!?…])[\"'”’)\]]*\s+(?=[\"'“‘(\[]*[A-ZÀ-ÖØ-Þ0-9])|\n{2,}")
_LANGUAGE = re.compile(r"[a-z]{2,12}(?:-[a-z]{2,12}){0,2}")
_ABBREVIATED = re.compile(
    r"(?:\b(?:[A-Z]|Mr|Mrs|Ms|Dr|St|Jr|Sr|Prof|No|Nos|vs|ca|etc|e\.g|i\.e))\.$"
)


@dataclass(frozen=True)
class Article:
    """A text about one thing, not cut yet. `source` is what a citation names."""

    title: str
    text: str
    source: str
    description: str = ""
    entity: Entity | None = None

    def passages(self) -> list[Passage]:
        """Its chunks, each with the title, the description and a lasting id."""
        title = f"{self.title} ({self.description})" if self.description else self.title
        return [
            Passage(f"{self.source}#{n}", chunk, title, self.source, self.entity)
            for n, chunk in enumerate(chunks(self.text), 1)
        ]


# -- chunks ------------------------------------------------------------------------------


def chunks(text: str, least: int = LEAST, most: int = MOST, overlap: int = OVERLAP) -> list[str]:
    """Pieces of `least` to `most` words that end with a sentence; a short text is one piece.

    A piece repeats the last sentences of the one before, up to `overlap` words. Only a sentence
    longer than `most` words is cut inside.
    """
    pieces: list[list[list[str]]] = []  # piece, sentence, word
    piece: list[list[str]] = []
    fresh = 0  # sentences of the piece that no earlier piece has
    for sentence in _sentences(text, most):
        if piece and _words(piece) + len(sentence) > most:
            pieces.append(piece)
            piece, fresh = _tail(piece, min(overlap, most - len(sentence))), 0
        piece.append(sentence)
        fresh += 1
    if fresh:
        if pieces and _words(piece) < least:  # too little for a piece of its own
            piece = _filled(pieces[-1], piece[-fresh:], least)
        pieces.append(piece)
    return [" ".join(word for sentence in piece for word in sentence) for piece in pieces]


def _sentences(text: str, most: int) -> Iterator[list[str]]:
    """Sentences as words; a break after `Dr.` or an initial is none."""
    held: list[str] = []
    for part in _SENTENCE.split(text):
        words = part.split()
        if not words:
            continue
        held += words
        if not _ABBREVIATED.search(words[-1]):
            yield from _cut(held, most)
            held = []
    yield from _cut(held, most)


def _cut(words: list[str], most: int) -> Iterator[list[str]]:
    for start in range(0, len(words), most):
        yield words[start : start + most]


def _words(piece: list[list[str]]) -> int:
    return sum(map(len, piece))


def _tail(piece: list[list[str]], most: int) -> list[list[str]]:
    """The last sentences of a piece, `most` words at the most."""
    tail: list[list[str]] = []
    for sentence in reversed(piece[1:]):
        if _words(tail) + len(sentence) > most:
            break
        tail.insert(0, sentence)
    return tail


def _filled(before: list[list[str]], fresh: list[list[str]], least: int) -> list[list[str]]:
    """The last piece, filled up to `least` words with sentences of the one before."""
    piece = list(fresh)
    for sentence in reversed(before):
        if _words(piece) >= least:
            break
        piece.insert(0, sentence)
    return piece


# -- files -------------------------------------------------------------------------------


def read_file(file: Path, root: Path | None = None) -> Article:
    """A text or Markdown file; a header may name its entity, title, description and source.

    Without one, the title is the first heading or the file's name. Raises SourceRejected for a
    file that is not text, SourceUnavailable for one that cannot be opened.
    """
    name = str(file.relative_to(root)) if root else file.name
    try:
        if file.stat().st_size > MOST_BYTES:
            raise SourceRejected(
                f"The file {file} has more than {MOST_BYTES >> 20} MB. Split it.", source=str(file)
            )
        data = file.read_bytes()
    except OSError as error:
        raise SourceUnavailable(
            f"The file {file} cannot be read: {error.strerror}.", source=str(file)
        ) from error
    try:
        wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))
        text = data.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise SourceRejected(
            f"The file {file} is not text in UTF-8 (byte {error.start:,}). Save it as UTF-8.",
            source=str(file),
        ) from error
    if "\0" in text:
        raise SourceRejected(f"The file {file} is not a text file.", source=str(file))
    head, body = _header(text)
    heading = re.search(r"^#+\s+(.+)$", body, re.MULTILINE) if file.suffix != ".txt" else None
    entity = None
    if known := head.get("entity"):
        entity = Entity(full_id(known), head.get("title", ""), head.get("description", ""))
    return Article(
        title=head.get("title") or (heading.group(1).strip() if heading else file.stem),
        text=body if file.suffix == ".txt" else _plain(body),
        source=head.get("source") or name,
        description=head.get("description", ""),
        entity=entity,
    )


def read_folder(folder: Path) -> tuple[list[Article], list[str]]:
    """All text and Markdown files below a folder, by name; and a sentence per unreadable file."""
    if not folder.is_dir():
        raise SourceRejected(
            f"There is no folder {folder}: check its name, or take it from the graph's texts on "
            "the Knowledge graphs page.",
            source=str(folder),
        )
    articles, problems = [], []
    for file in sorted(f for f in folder.rglob("*") if f.suffix.lower() in SUFFIXES):
        try:
            articles.append(read_file(file, folder))
        except SourceError as error:
            problems.append(str(error))
    return articles, problems


def starter_passages() -> list[Passage]:
    """The passages that come with the app, about things that both of its graphs have."""
    articles, problems = read_folder(STARTER)
    if problems:
        raise SourceRejected(problems[0], source=str(STARTER))
    return [passage for article in articles for passage in article.passages()]


def read_folders(folders: Sequence[Path]) -> list[Passage]:
    """The passages of several folders, each under an id of its own.

    Files that cannot be read are left out: `read_folder` told of them when they were added.
    Raises SourceRejected for a folder that is gone.
    """
    found: dict[str, Passage] = {}
    for folder in folders:
        for article in read_folder(folder)[0]:
            for passage in article.passages():
                if passage.id in found:  # files of one name in two folders
                    passage = replace(passage, id=f"{passage.id} in {folder}")
                found[passage.id] = passage
    return list(found.values())


def write_file(article: Article, folder: Path) -> Path:
    """Keeps an article as a text file that `read_file` reads back."""
    name = short_id(article.entity.id) if article.entity else article.title
    mark = blake2b(
        (article.entity.id if article.entity else article.source).encode(), digest_size=4
    )
    file = folder / f"{re.sub(r'[^A-Za-z0-9.-]+', '_', name)[:80]}-{mark.hexdigest()}.txt"
    head = {
        "entity": article.entity.id if article.entity else "",
        "title": article.title,
        "description": article.description,
        "source": article.source,
    }
    lines = [f"{key}: {' '.join(value.split())}" for key, value in head.items() if value]
    folder.mkdir(parents=True, exist_ok=True)
    file.write_text("---\n" + "\n".join(lines) + "\n---\n\n" + article.text + "\n", "utf-8")
    return file


def _header(text: str) -> tuple[dict[str, str], str]:
    """`key: value` lines between two lines of `---`, and what follows."""
    lines = text.splitlines()
    if not lines or lines[0].strip() != "---" or "---" not in lines[1:]:
        return {}, text
    end = lines.index("---", 1)
    pairs = (line.partition(":") for line in lines[1:end])
    head = {key.strip().casefold(): value.strip() for key, _, value in pairs if value.strip()}
    return head, "\n".join(lines[end + 1 :]).strip()


def _plain(markdown: str) -> str:
    """Markdown without its marks: headings, emphasis, code, links."""
    text = re.sub(r"^#+\s+.*$", "", markdown, flags=re.MULTILINE)
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", text)
    text = re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"^\s*(?:[-*+]|\d+\.)\s+", "", text, flags=re.MULTILINE)
    return re.sub(r"\*\*|__|`|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)", "", text)


# -- the graph's own statements ----------------------------------------------------------


def from_statements(entity: Entity, statements: Sequence[Statement], name: str) -> Article:
    """An entity without a text, told from what the graph `name` states about it.

    What says nothing in words is left out: addresses, places on a map, relations without a name.
    """
    sentences = []
    out = [_in_words(s) for s in statements if s.subject == entity and _is_telling(s)]
    for relation, group in groupby(sorted(out, key=_by_relation), key=lambda s: s.relation):
        values = [verbalise.statement(s).split(" — ", 2)[2] for s in group]
        more = f"; and {len(values) - VALUES:,} more" if len(values) > VALUES else ""
        sentences.append(f"{entity.name} — {relation.name}: {'; '.join(values[:VALUES])}{more}.")
    source = f"{name}/{short_id(entity.id)}"
    return Article(entity.name, "\n\n".join(sentences), source, entity.description, entity)


def _is_telling(statement: Statement) -> bool:
    value = statement.object
    if isinstance(value, Literal) and value.datatype in (URL, WKT):
        return False
    return bool(statement.relation.label) or short_id(statement.relation.id)[:1] != "P"


def _in_words(statement: Statement) -> Statement:
    return replace(statement, qualifiers=tuple(q for q in statement.qualifiers if q.relation.label))


def _by_relation(statement: Statement) -> str:
    return statement.relation.id


# -- Wikipedia ---------------------------------------------------------------------------


class Wikipedia:
    """Articles by entity, through the MediaWiki API: one request at a time, and patient.

    A busy server (429, 503, or `maxlag`) is asked again after the time it names, `patience`
    times in all. `contact` tells the site who runs this.
    """

    def __init__(
        self,
        language: str = "en",
        *,
        api: str = "",
        wikidata: str = "https://www.wikidata.org/w/api.php",
        contact: str = "",
        timeout_s: float = 30,
        patience: int = 4,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        if not _LANGUAGE.fullmatch(language):
            raise SettingsError(
                f"“{language[:40]}” is not a language of Wikipedia: write a code, such as en."
            )
        self.language = language
        self._api = api or f"https://{language}.wikipedia.org/w/api.php"
        self._wikidata = wikidata
        self._timeout_s, self._patience, self._wait = timeout_s, patience, wait
        who = " ".join(contact.split()) or "question answering over knowledge graphs"
        self._agent = (
            f"kgqa-explorer/{__version__} ({who}; https://pypi.org/project/kgqa-explorer) "
            f"{network.LIBRARY}"
        )

    def articles(self, entities: Sequence[Entity]) -> Iterator[Article | None]:
        """The article of each entity; None for one without an article in this language.

        Raises SourceUnavailable or SourceRejected where it happens: what came before is good.
        """
        titles = self._titles(entities)
        for entity in entities:
            title = titles.get(entity.id)
            yield self._article(entity, title) if title else None

    def can_have(self, entity: Entity) -> bool:
        """Whether an article can be looked up: by a Wikidata id, or by a name from Wikipedia."""
        return bool(_is_item(short_id(entity.id)) or self._named(entity.id))

    def _named(self, entity_id: str) -> str:
        """DBpedia's resources and Wikipedia's own pages are named as their articles are."""
        places = [f"https://{self.language}.wikipedia.org/wiki/"]
        if self.language == "en":
            places.append("http://dbpedia.org/resource/")
        place = next((p for p in places if entity_id.startswith(p)), None)
        return unquote(entity_id.removeprefix(place)).replace("_", " ") if place else ""

    def _titles(self, entities: Sequence[Entity]) -> dict[str, str]:
        """By entity id."""
        site = f"{self.language.replace('-', '_')}wiki"
        titles = {e.id: name for e in entities if (name := self._named(e.id))}
        items = {short_id(e.id): e.id for e in entities if _is_item(short_id(e.id))}
        ids = list(items)
        for start in range(0, len(ids), 50):  # the API takes 50 at a time
            some = "|".join(ids[start : start + 50])
            reply = self._get(
                self._wikidata,
                {"action": "wbgetentities", "ids": some, "props": "sitelinks", "sitefilter": site},
            )
            with _understood(self._wikidata):
                for item, about in reply.get("entities", {}).items():
                    if (link := about.get("sitelinks", {}).get(site)) and item in items:
                        titles[items[item]] = str(link["title"])
        return titles

    def _article(self, entity: Entity, title: str) -> Article | None:
        ask = {"action": "query", "prop": "extracts|description", "explaintext": "1"}
        reply = self._get(self._api, ask | {"redirects": "1", "titles": title})
        with _understood(self._api):
            pages = reply.get("query", {}).get("pages", [])
            if not pages or not pages[0].get("extract"):
                return None
            title, extract = str(pages[0]["title"]), str(pages[0]["extract"])
            description = str(pages[0].get("description") or entity.description)
        text = re.sub(r"^=+.*=+\s*$", "", extract, flags=re.MULTILINE)
        source = f"{self._api.removesuffix('/w/api.php')}/wiki/{quote(title.replace(' ', '_'))}"
        return Article(title, text.strip(), source, description, entity)

    def _get(self, api: str, ask: dict[str, str]) -> dict[str, Any]:
        ask = ask | {"format": "json", "formatversion": "2", "maxlag": "5"}
        headers = {"User-Agent": self._agent, "Accept-Encoding": "gzip"}
        problem = ""
        for _ in range(self._patience):
            request = Request(f"{api}?{urlencode(ask)}", headers=headers)
            reply = network.fetch(request, api, timeout_s=self._timeout_s, redirects="anywhere")
            if reply.status in (429, 500, 502, 503, 504):
                problem = f"status {reply.status}"
                self._wait(_patience(reply))
                continue
            if reply.status != 200:
                raise SourceRejected(
                    f"{api} refused the request with status {reply.status}.", source=api
                )
            # MediaWiki reports errors with status 200: the body decides.
            with _understood(api):
                body = network.read_json(reply.body)
                error_of = body.get("error")
            if not isinstance(error_of, dict):
                return body
            problem = f"{error_of.get('code')}: {error_of.get('info')}"
            if error_of.get("code") not in ("maxlag", "ratelimited", "readonly"):
                raise SourceRejected(f"{api} refused the request ({problem}).", source=api)
            self._wait(_patience(reply))
        raise SourceUnavailable(
            f"{api} is busy ({problem}), after {self._patience} tries. Try again later.", source=api
        )


def _is_item(short: str) -> bool:
    return re.fullmatch(r"Q\d+", short) is not None


def _patience(reply: network.Reply) -> float:
    told = network.retry_after(reply.headers)
    return 5.0 if told is None else min(max(told, 1.0), 120.0)


@contextmanager
def _understood(api: str) -> Iterator[None]:
    """Whatever is wrong with the shape of an answer is one error."""
    try:
        yield
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise SourceUnavailable(f"{api} did not answer in JSON as expected.", source=api) from error
