"""The same search by name as `labels.LabelIndex`, over millions of names on disk (SQLite).

Candidates come from the disk: whole names by their folded spelling, parts of names from a
full-text index whose rows are sorted by length (the first rows are the best ones), misspelt words
from the vocabulary. A small `LabelIndex` over the candidates then scores them, so both indexes
judge alike.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path

from rapidfuzz.distance import OSA
from rapidfuzz.process import extract

from kgqa_core.kg.labels import (
    LITTLE,
    LONG,
    SHORT,
    LabelIndex,
    Match,
    Name,
    allowed_edits,
    bare_words,
    fold,
    squeezed,
)

_MOST = 300  # names of each kind looked at
_ALIKE = 12  # spellings tried for a word
_WORDS = 12  # words of a mention that are looked up; a longer one matches whole or not at all
_SHORT_WORD = 8  # letters; up to here every spelling with one letter missing is stored
_ENDS = 3  # letters at either end by which longer words are found
_ROWS = 50_000

_TABLES = """
CREATE TABLE unsorted (entity TEXT, text TEXT, alias INTEGER, folded TEXT, spelt TEXT, bare TEXT);
CREATE TABLE name (
    n INTEGER PRIMARY KEY, entity TEXT, text TEXT, alias INTEGER, spelt TEXT, bare TEXT
);
CREATE VIRTUAL TABLE holding USING fts5(
    folded, content='', columnsize=0, tokenize='unicode61 remove_diacritics 0'
);
CREATE VIRTUAL TABLE vocabulary USING fts5vocab(holding, 'row');
CREATE TABLE near (spelling TEXT, word TEXT, PRIMARY KEY (spelling, word)) WITHOUT ROWID;
CREATE TABLE long (word TEXT PRIMARY KEY, first TEXT, last TEXT, letters INTEGER) WITHOUT ROWID;
"""
_SORT = """
INSERT INTO name SELECT row_number() OVER (ORDER BY length(spelt), rowid), entity, text, alias,
    spelt, bare FROM unsorted;
INSERT INTO holding (rowid, folded)
    SELECT row_number() OVER (ORDER BY length(spelt), rowid), folded FROM unsorted;
DROP TABLE unsorted;
CREATE INDEX name_spelt ON name (spelt);
CREATE INDEX name_bare ON name (bare) WHERE bare <> '';
CREATE INDEX name_text ON name (text) WHERE spelt = '';
"""
_INDEXES = """
CREATE INDEX long_first ON long (first, letters);
CREATE INDEX long_last ON long (last, letters);
"""


def build(path: Path, names: Iterable[Name]) -> int:
    """Writes the index into a new file; returns how many names it holds."""
    path.unlink(missing_ok=True)
    db = sqlite3.connect(path, isolation_level=None)
    try:
        for setting in ("journal_mode=OFF", "synchronous=OFF", "cache_size=-200000"):
            db.execute(f"PRAGMA {setting}")
        db.executescript(_TABLES)
        db.execute("BEGIN")
        rows = map(_row, names)
        while batch := list(islice(rows, _ROWS)):
            db.executemany("INSERT INTO unsorted VALUES (?, ?, ?, ?, ?, ?)", batch)
        db.execute("COMMIT")
        db.executescript(_SORT)
        db.execute("BEGIN")
        _write_words(db)
        db.execute("COMMIT")
        db.executescript(_INDEXES)
        return int(db.execute("SELECT count(*) FROM name").fetchone()[0])
    finally:
        db.close()


def _row(name: Name) -> tuple[str, str, bool, str, str, str]:
    text = name.text.encode("utf-8", "replace").decode()
    folded = fold(text)
    spelt, bare = folded.replace(" ", ""), "".join(bare_words(text))
    if not spelt:
        text = squeezed(text)  # by which it is looked up
    return name.id, text, name.alias, folded, spelt, bare if bare != spelt else ""


def _write_words(db: sqlite3.Connection) -> None:
    words = (str(w) for (w,) in db.execute("SELECT term FROM vocabulary"))
    usual = (w for w in words if len(w) >= SHORT - 1 and not any(ch.isdigit() for ch in w))
    while batch := list(islice(usual, _ROWS)):
        short = (w for w in batch if len(w) <= _SHORT_WORD)
        db.executemany(
            "INSERT OR IGNORE INTO near VALUES (?, ?)",
            ((spelling, w) for w in short for spelling in _spellings(w)),
        )
        db.executemany(
            "INSERT OR IGNORE INTO long VALUES (?, ?, ?, ?)",
            ((w, w[:_ENDS], w[-_ENDS:], len(w)) for w in batch if len(w) >= _SHORT_WORD - 2),
        )


def _spellings(word: str) -> set[str]:
    """The word, and the word with one letter missing."""
    return {word, *(word[:i] + word[i + 1 :] for i in range(len(word)))}


class DiskLabels:
    """An index that `build` wrote, to read only; any number of threads may search at once."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._open = threading.local()

    def find(self, mention: str, most: int = 50) -> list[Match]:
        """As `LabelIndex.find`. Words of eight letters and more may hide a second typing error."""
        mention = mention.encode("utf-8", "replace").decode()
        names = dict.fromkeys(self._whole(mention))
        words = bare_words(mention)
        if len(mention) <= LONG and len(words) <= _WORDS and len("".join(words)) >= SHORT:
            names |= dict.fromkeys(self._holding([[w] for w in words], 2 * most))
            if not names:
                names = dict.fromkeys(self._misspelt(words))
        return LabelIndex(names).find(mention, most) if names else []

    def _whole(self, mention: str) -> Iterator[Name]:
        spelt, bare = fold(mention).replace(" ", ""), "".join(bare_words(mention))
        if not spelt:
            yield from self._names("spelt = '' AND text = ?", squeezed(mention))
            return
        for key in dict.fromkeys((spelt, bare) if len(mention) <= LONG else (spelt,)):
            if key:
                yield from self._names("spelt = ?", key)
                yield from self._names("bare <> '' AND bare = ?", key)

    def _misspelt(self, words: Sequence[str]) -> Iterator[Name]:
        telling = [w for w in words if w not in LITTLE]
        alike = [self._alike(w) for w in telling]
        if telling and all(alike):
            yield from self._holding(alike, _MOST)
        if len(telling) > 2:  # one word may be wrong altogether
            for i in range(len(telling)):
                others = alike[:i] + alike[i + 1 :]
                if all(others):
                    yield from self._holding(others, _MOST // len(telling))
        for start in range(len(words)):  # the name and something else
            for end in range(start + 1, len(words) + 1):
                if end - start < len(words):
                    yield from self._names("spelt = ?", "".join(words[start:end]))

    def _alike(self, word: str) -> list[str]:
        """Words of the index within typing distance, nearest first."""
        edits = allowed_edits(word)
        if not edits:
            return [word]
        found: set[str] = set()
        if len(word) <= _SHORT_WORD:
            keys = sorted(_spellings(word))
            marks = ",".join("?" * len(keys))
            found |= set(self._words(f"SELECT word FROM near WHERE spelling IN ({marks})", *keys))
        if len(word) >= _SHORT_WORD:
            lengths = (len(word) - edits, len(word) + edits)
            for column, end in (("first", word[:_ENDS]), ("last", word[-_ENDS:])):
                found |= set(
                    self._words(
                        f"SELECT word FROM long WHERE {column} = ? AND letters BETWEEN ? AND ?",
                        end,
                        *lengths,
                    )
                )
        near = extract(word, sorted(found), scorer=OSA.distance, score_cutoff=edits, limit=_ALIKE)
        return [spelling for spelling, _, _ in near]

    def _holding(self, groups: Sequence[Sequence[str]], most: int) -> Iterator[Name]:
        """The shortest names that hold a word of every group."""
        wanted = " AND ".join(f"({' OR '.join(map(_quoted, group))})" for group in groups)
        yield from self._names(
            "n IN (SELECT rowid FROM holding WHERE holding MATCH ? ORDER BY rowid LIMIT ?)",
            wanted,
            max(most, _MOST),
        )

    def _names(self, where: str, *values: str | int) -> list[Name]:
        rows = self._rows(f"SELECT entity, text, alias FROM name WHERE {where} LIMIT 1000", *values)
        return [Name(entity, text, bool(alias)) for entity, text, alias in rows]

    def _words(self, query: str, *values: str | int) -> Iterator[str]:
        return chain.from_iterable(self._rows(query, *values))

    def _rows(self, query: str, *values: str | int) -> list[tuple]:
        db = getattr(self._open, "db", None)
        if db is None:
            db = sqlite3.connect(f"{self._path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)
            self._open.db = db
        return db.execute(query, values).fetchall()


def _quoted(word: str) -> str:
    return '"' + word.replace('"', '""') + '"'
