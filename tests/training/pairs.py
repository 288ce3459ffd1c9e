"""Pairs of a question, its linked name masked, and the way that answers it, in words."""

from __future__ import annotations

import csv
import gzip
import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from rapidfuzz import fuzz

from kgqa_core.reader.paths import MASK, Hop, words
from kgqa_core.text import fold
from tests.training import sources
from tests.training.sparql import Step, parse, paths

_MOST = 100  # pairs of one way
_SIMPLE = 80  # of one relation, from SimpleQuestions
_UNMASKED = 0.15
_ALIKE = 86  # of 100, for a name written another way
_METAQA = {
    ("movie", "actor"): "starred actors", ("movie", "director"): "directed by",
    ("movie", "writer"): "written by", ("movie", "genre"): "has genre",
    ("movie", "year"): "release year", ("movie", "language"): "in language",
    ("movie", "tags"): "has tags", ("movie", "imdbrating"): "has imdb rating",
    ("movie", "imdbvotes"): "has imdb votes", ("tag", "movie"): "has tags",
}  # fmt: skip
_ASKED = {
    "out": ("what is the {} of X", "{} of X", "X's {}", "who or what is X's {}"),
    "in": ("what has X as its {}", "those with {} X", "whose {} is X"),
}


@dataclass(frozen=True)
class Pair:
    """`others`: ways that begin at the same name, or at one like it, and do not answer."""

    question: str
    way: str
    others: tuple[str, ...]


def build(seed: int = 17) -> list[Pair]:
    rng = random.Random(seed)
    labels, names, around = _properties(), _names(), _around()
    alike = defaultdict(list)  # by relation, some names that have it
    for entity, steps in around.items():
        for step in steps:
            if len(alike[step]) < 200:
                alike[step].append(entity)
    used: Counter[tuple[Step, ...]] = Counter()
    out = []
    rows = [r for r in sources.rows() if r.part == "encoder"]
    rng.shuffle(rows)
    for row in rows:
        query = parse(row.sparql)
        if query is None or query.form == "order":
            continue
        for entity, way in paths(query):
            most = _SIMPLE if row.source == "sq" else _MOST
            if used[way] >= most or any(p not in labels for p, _ in way):
                continue
            masked = _masked(row.question, names.get(entity, ()), rng)
            if masked is None and (row.source == "sq" or rng.random() > _UNMASKED * 2):
                continue
            used[way] += 1
            others = _others(way, entity, around, alike, rng)
            texts = tuple(_say(o, labels) for o in others if all(p in labels for p, _ in o))
            out.append(Pair(masked or row.question, _say(way, labels), texts))
    out += _films(rng)
    out += _aliases(labels, alike, rng)
    rng.shuffle(out)
    return out


def _films(rng: random.Random) -> Iterator[Pair]:
    found = [(q, kinds) for q, _, kinds, part in sources.metaqa() if part == "encoder"]
    rng.shuffle(found)
    used: Counter[tuple[str, ...]] = Counter()
    every = {kinds: words(_film_way(kinds)) for _, kinds in found}
    for question, kinds in found:
        used[kinds] += 1
        if used[kinds] <= _MOST // 2:
            near = [w for k, w in every.items() if k[0] == kinds[0] and k != kinds]
            yield Pair(question, every[kinds], tuple(rng.sample(near, min(3, len(near)))))


def _aliases(
    labels: dict[str, str], alike: dict[Step, list[str]], rng: random.Random
) -> Iterator[Pair]:
    """What Wikidata itself calls its relations, in the simplest questions."""
    others = _properties_called()
    for name in sorted(p for p, d in alike if d == "out" and p in labels):
        called = sorted(others.get(name, ()))
        for alias in rng.sample(called, min(3, len(called))):
            direction = "in" if rng.random() < 0.3 and (name, "in") in alike else "out"
            way = ((name, direction),)
            text = rng.choice(_ASKED[direction]).format(alias)
            wrong = (((name, "in" if direction == "out" else "out"),),)
            yield Pair(text, _say(way, labels), tuple(_say(w, labels) for w in wrong))


def _film_way(kinds: tuple[str, ...]) -> list[Hop]:
    hops = []
    for a, b in pairwise(kinds):
        out = a == "movie"
        relation = _METAQA.get((a, b)) or _METAQA[(b, a)]
        hops.append(Hop(relation, "out" if out else "in"))
    return hops


def _say(way: tuple[Step, ...], labels: dict[str, str]) -> str:
    return words([Hop(labels[p], "out" if d == "out" else "in") for p, d in way])


def _others(
    way: tuple[Step, ...],
    entity: str,
    around: dict[str, set[Step]],
    alike: dict[Step, list[str]],
    rng: random.Random,
) -> list[tuple[Step, ...]]:
    """Up to three: another relation of the name, and for longer ways one hop less or other."""
    own = sorted(around.get(entity, set()) - {way[0]})
    if len(own) < 2 and alike[way[0]]:
        own = sorted(around[rng.choice(alike[way[0]])] - {way[0]})
    found: list[tuple[Step, ...]] = [(s,) for s in rng.sample(own, min(2, len(own)))]
    if len(way) > 1:
        found = [*found[:1], way[:1]]
        if alike[way[-1]]:
            near = sorted(around[rng.choice(alike[way[-1]])] - {way[-1]})
            if near:
                found.append((*way[:-1], rng.choice(near)))
    elif own and alike[way[-1]]:
        step = rng.choice(own)
        found.append((*way, step) if rng.random() < 0.5 else (step, *way))
    back = tuple((p, "in" if d == "out" else "out") for p, d in way)
    if rng.random() < 0.3:
        found.append(back)
    return [f for f in found if f != way]


def _masked(question: str, names: tuple[str, ...], rng: random.Random) -> str | None:
    """The question with the name as X; None where the name is not in it."""
    span = find(question, names)
    if span is None:
        return None
    if rng.random() < _UNMASKED:
        return question
    return f"{question[: span[0]]}{MASK}{question[span[1] :]}"


def find(question: str, names: tuple[str, ...]) -> tuple[int, int] | None:
    """Where the longest of the names stands in a question, also written a little differently."""
    low = question.casefold()
    for name in sorted(names, key=len, reverse=True):
        if len(name) > 1 and (m := re.search(rf"(?<!\w){re.escape(name.casefold())}(?!\w)", low)):
            return m.span()
    if not names:
        return None
    pieces = [m.span() for m in re.finditer(r"[\w&+*.'’-]*\w", question)]
    best: tuple[float, tuple[int, int]] = (0, (0, 0))
    wanted = fold(names[0])
    size = len(wanted.split())
    for n in range(max(1, size - 1), size + 2):
        for i in range(len(pieces) - n + 1):
            span = (pieces[i][0], pieces[i + n - 1][1])
            best = max(best, (fuzz.ratio(fold(question[span[0] : span[1]]), wanted), span))
    return best[1] if best[0] >= _ALIKE else None


@lru_cache(maxsize=1)
def _properties() -> dict[str, str]:
    path = sources.DATA / "wikidata_properties" / "properties.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return {r["id"]: r["label"] for r in map(json.loads, lines) if r.get("label")}


@lru_cache(maxsize=1)
def _properties_called() -> dict[str, list[str]]:
    path = sources.DATA / "wikidata_properties" / "properties.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return {r["id"]: list(r.get("aliases") or ()) for r in map(json.loads, lines)}


@lru_cache(maxsize=1)
def _names() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for folder, key, label in (("common_facts", 0, 1), ("wikidata_slice", 0, 1)):
        path = sources.DATA / folder / "entities.tsv.gz"
        with gzip.open(path, "rt", encoding="utf-8", newline="") as lines:
            rows = csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
            head = next(rows)
            alias = head.index("aliases")
            for r in rows:
                if len(r) > alias and r[label]:
                    more = [a for a in r[alias].split("|") if a]
                    found[r[key]] = tuple(dict.fromkeys([r[label], *more]))
    with gzip.open(sources.DATA / "codex" / "entity_labels_en.tsv.gz", "rt") as lines:
        for line in lines:
            parts = line.rstrip("\n").split("\t")
            if len(parts) > 1:
                found.setdefault(parts[0], (parts[1],))
    return found


@lru_cache(maxsize=1)
def _around() -> dict[str, set[Step]]:
    """Which relations leave and enter each entity of the slice, and of the questions' queries."""
    found: dict[str, set[Step]] = defaultdict(set)
    path = sources.DATA / "wikidata_slice" / "triples.tsv.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        next(lines)
        for line in lines:
            s, p, o, origin = line.rstrip("\n").split("\t")
            if all(tag.endswith("_gold") for tag in origin.split("|")):
                continue
            found[s].add((p, "out"))
            if o.startswith("Q"):
                found[o].add((p, "in"))
    return found
