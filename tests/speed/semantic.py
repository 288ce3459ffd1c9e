"""Speed and quality of search by meaning: `python -m tests.speed.semantic [PART …]`.

Parts: `encoder` (against sentence-transformers), `starter` (index of the starter graph),
`slice` (index of 280,000 triples, and how often it finds a question's gold facts), and `large`
(index of 1.2 million made-up triples, under vectors that take no time: what the index alone
costs; half an hour, so only when asked for). The slice and the questions are read from
../shared/data; without them these parts are left out.
"""

from __future__ import annotations

import csv
import gzip
import json
import random
import re
import resource
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from kgqa_core.facts import verbalise
from kgqa_core.facts.terms import DATETIME, DECIMAL, Entity, Literal, Relation, Statement, Value
from kgqa_core.kg.base import WD, WDT, GraphInfo
from kgqa_core.kg.starter import load_starter
from kgqa_core.search.encoder import Encoder
from kgqa_core.search.index import Index, Progress, rank
from kgqa_core.settings import Settings
from tests.places import DATA
from tests.servers.chroma import WordHash, word_encoder
from tests.speed.load_graph import name_of, words

MINILM_DIM = 384
PROMISES: list[tuple[str, bool]] = []


def promise(text: str, kept: bool) -> None:
    PROMISES.append((text, kept))
    print(f"  {'holds' if kept else 'BROKEN'}: {text}")


# -- encoder -----------------------------------------------------------------------------


def encoder() -> None:
    """Texts a second against plain `encode`, in turns, and the ten nearest against fp32."""
    import torch
    from sentence_transformers import SentenceTransformer

    from kgqa_core.search.minilm import MiniLM, bundled, has_bf16

    cores = torch.get_num_threads()
    started = time.monotonic()
    ours = MiniLM()
    loaded = time.monotonic() - started
    plain = SentenceTransformer(str(bundled()), device="cpu", local_files_only=True)
    texts = sorted({verbalise.statement(s) for s in load_starter().all_statements()})
    texts = random.Random(1).sample(texts, 1000)
    some = texts[:50]

    def batched(x: list[str], threads: int = 1) -> np.ndarray:
        torch.set_num_threads(threads)
        found = plain.encode(x, normalize_embeddings=True, show_progress_bar=False)
        torch.set_num_threads(1)
        return found

    runs = {
        "plain, one at a time": lambda: [batched([text], cores) for text in some],
        "plain, batched": lambda: batched(texts, cores),
        "plain, batched, one thread": lambda: batched(texts),
        "ours, one at a time": lambda: [ours.encode([text]) for text in some],
        "ours, batched": lambda: ours.encode(texts),
    }
    best: dict[str, float] = defaultdict(float)
    for _ in range(3):
        for name, work in runs.items():
            started = time.monotonic()
            work()
            count = len(some) if "at a time" in name else len(texts)
            best[name] = max(best[name], count / (time.monotonic() - started))
    exact, fast = batched(texts), ours.encode(texts)
    share = overlap(exact, fast, exact, fast)
    kind = "bf16" if has_bf16() else "fp32"
    print(f"encoder: MiniLM in {kind}, loaded in {loaded:.1f} s; best of 3, {len(texts):,} triples")
    for name, rate in best.items():
        print(f"  {name:26} {rate:7,.0f} texts/s")
    single = best["ours, one at a time"] / best["plain, one at a time"]
    many = best["ours, batched"] / max(rate for n, rate in best.items() if "plain, b" in n)
    print(f"  faster: {single:.1f}× one at a time, {many:.1f}× batched")
    promise("at least twice the texts of plain encode", many >= 2)
    promise(f"top-10 overlap with fp32 is {share:.4f}, at least 0.99", share >= 0.99)


def overlap(exact: np.ndarray, fast: np.ndarray, q1: np.ndarray, q2: np.ndarray) -> float:
    first, second = (np.argsort(-(q @ v.T), axis=1)[:, :10] for q, v in ((q1, exact), (q2, fast)))
    return float(np.mean([len({*a} & {*b}) / 10 for a, b in zip(first, second, strict=True)]))


# -- index -------------------------------------------------------------------------------


def measure(index: Index, encoder: Encoder, texts: list[str], *, promised: bool = True) -> None:
    """Build with its rate; single queries and a batch, both after encoding."""
    shown = [0.0]

    def show(progress: Progress) -> None:
        if time.monotonic() - shown[0] > 10:
            shown[0] = time.monotonic()
            print(
                f"    {progress.done:,} of {progress.total:,} {progress.what}, "
                f"{progress.rate:,.0f}/s, {progress.left_s:,.0f} s left",
                flush=True,
            )

    started = time.monotonic()
    info = index.build(show)
    took = time.monotonic() - started
    count, size = info.triples.count, info.size_bytes / 1e6
    print(f"  built {count:,} triples in {took:.0f} s ({count / took:,.0f}/s), {size:,.0f} MB")
    encoder.encode(texts, query=True)  # from here on the vectors come out of memory
    times = []
    for text in texts:
        started = time.monotonic()
        index.nearest_triples([text], 10)
        times.append(1000 * (time.monotonic() - started))
    batches = []
    for _ in range(5):
        started = time.monotonic()
        index.nearest_triples(texts[:100], 10)
        batches.append(1000 * (time.monotonic() - started))
    p50, p95 = np.percentile(times, [50, 95])
    print(f"  query p50 {p50:.1f} ms, p95 {p95:.1f} ms; batch of 100 {np.median(batches):.0f} ms")
    if not promised:
        return
    promise(f"query p95 {p95:.1f} ms is under 15 ms", p95 < 15)
    promise(
        f"batch of 100 in {np.median(batches):.0f} ms is under 300 ms", np.median(batches) < 300
    )


def starter(encoder: Encoder, folder: Path) -> None:
    kg = load_starter()
    print("starter graph:")
    statements = random.Random(3).sample(sorted(map(verbalise.statement, kg.all_statements())), 200)
    measure(Index(kg, encoder, folder), encoder, statements)


class Slice:
    """The Wikidata slice, as far as an index needs a graph."""

    name = "slice"

    def __init__(self) -> None:
        self.rows = list(slice_statements())

    def info(self) -> GraphInfo:
        return GraphInfo(self.name, None, len(self.rows), None, "slice")

    def all_statements(self) -> Iterator[Statement]:
        return (statement for statement, _ in self.rows)


def slice_statements() -> Iterator[tuple[Statement, bool]]:
    """Every triple of the slice; True: read from the gold answers of a question set alone."""
    folder = DATA / "wikidata_slice"
    entities: dict[str, Entity] = {}
    for row in rows(folder / "entities.tsv.gz"):
        entities[row[0]] = Entity(WD + row[0], row[1], row[2])
    relations = {}
    with gzip.open(DATA / "wikidata_properties" / "properties.jsonl.gz", "rt") as lines:
        for one in map(json.loads, lines):
            relations[one["id"]] = Relation(WDT + one["id"], one["label"])
    for subject, relation, value, sources in rows(folder / "triples.tsv.gz"):
        yield (
            Statement(
                entities.get(subject) or Entity(WD + subject),
                relations.get(relation) or Relation(WDT + relation),
                term(value, entities),
            ),
            all(source.endswith("_gold") for source in sources.split("|")),
        )


def rows(file: Path) -> Iterator[list[str]]:
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        yield from list(csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]


def term(text: str, entities: dict[str, Entity]) -> Value:
    if re.fullmatch(r"Q\d+", text):
        return entities.get(text) or Entity(WD + text)
    if re.fullmatch(r"[+-]?\d+-\d\d-\d\dT.*", text):
        return Literal(text, DATETIME)
    if re.fullmatch(r"[+-]?[\d.]+", text):
        return Literal(text, DECIMAL)
    return Literal(re.sub(r'^"(.*)"(@\w+)?$', r"\1", text).strip("<>"))


class MadeUp:
    """So many triples between named things, as `load_graph` makes them up."""

    name = "made up"

    def __init__(self, triples: int) -> None:
        self.triples = triples
        self._vocabulary = words(triples // 40)

    def info(self) -> GraphInfo:
        return GraphInfo(self.name, None, self.triples, None, f"made up {self.triples}")

    def all_statements(self) -> Iterator[Statement]:
        """The same ones each time; every fifth tells of a new thing."""
        r = random.Random(1)
        relations = [
            Relation(f"http://example.org/p{n}", " ".join(r.sample(self._vocabulary, 2)))
            for n in range(60)
        ]
        for number in range(self.triples):
            yield Statement(
                self._thing(number // 5),
                relations[int(60 * r.random() ** 2)],
                self._thing(r.randrange(self.triples // 5)),
            )

    def _thing(self, number: int) -> Entity:
        return Entity(f"http://example.org/e{number}", name_of(number, self._vocabulary))


# -- quality -----------------------------------------------------------------------------


def questions() -> Iterator[tuple[str, str, str, str]]:
    """Set, question, topic entity and relation, where the gold query is one triple pattern."""
    for part in ("train", "val"):
        with gzip.open(DATA / "wikiwebquestions" / f"{part}.jsonl.gz", "rt") as lines:
            for one in map(json.loads, lines):
                if found := pattern(one["sparql"]):
                    yield "WikiWebQuestions", one["question"], *found
    with open(DATA / "qald10" / "qald_10_en_offline.jsonl", encoding="utf-8") as lines:
        for one in map(json.loads, lines):
            if found := pattern(one["sparql"]):
                yield "QALD-10", one["question"], *found


def pattern(sparql: str) -> tuple[str, str] | None:
    sparql = re.sub(r"<http://www.wikidata.org/entity/(Q\d+)>", r"wd:\1", sparql)
    sparql = re.sub(r"<http://www.wikidata.org/prop/direct/(P\d+)>", r"wdt:\1", sparql)
    body = sparql[sparql.find("{") :]
    if len(re.findall(r"\b(?:wdt|p|ps|pq):", body)) != 1:
        return None
    out = re.search(r"wd:(Q\d+)\s+wdt:(P\d+)\s+\?", body)
    back = re.search(r"\?\w+\s+wdt:(P\d+)\s+wd:(Q\d+)", body)
    return (out[1], out[2]) if out else (back[2], back[1]) if back else None


def quality(index: Index, encoder: Encoder, graph: Slice) -> None:
    """How often a gold fact is among the nearest, in the whole graph and around its entity."""
    gold_only = {statement for statement, gold in graph.rows if gold}
    around: dict[str, list[Statement]] = defaultdict(list)
    for statement, gold in graph.rows:
        if not gold:
            ends = {statement.subject.id}
            if isinstance(statement.object, Entity):
                ends.add(statement.object.id)
            for end in ends:
                around[end].append(statement)
    by_set: dict[str, list[tuple[str, str, set[Statement]]]] = defaultdict(list)
    for name, question, topic, relation in questions():
        facts = {s for s in around[WD + topic] if s.relation.id == WDT + relation}
        if facts:
            by_set[name].append((question, WD + topic, facts))
    for name, asked in by_set.items():
        asked = random.Random(5).sample(asked, min(len(asked), 300))
        hits = dict.fromkeys([("plain", 10), ("plain", 50), ("linked", 10), ("linked", 50)], 0)
        found = index.nearest_triples([question for question, _, _ in asked], 100)
        for (question, topic, facts), nearest in zip(asked, found, strict=True):
            plain = [s.item for s in nearest if s.item not in gold_only]
            (linked,) = rank(encoder, [question], around[topic], 50)
            for (how, k), ranked in (
                (key, plain if key[0] == "plain" else [s.item for s in linked]) for key in hits
            ):
                hits[how, k] += not facts.isdisjoint(ranked[:k])
        shares = "; ".join(
            f"{how} top {k}: {100 * n / len(asked):.0f} %" for (how, k), n in hits.items()
        )
        print(f"  {name}, {len(asked)} one-triple questions: {shares}", flush=True)


def whole_slice(encoder: Encoder, folder: Path) -> None:
    if not DATA.is_dir():
        print(f"slice: left out, there is no {DATA}")
        return
    print("slice of Wikidata:", flush=True)
    graph = Slice()
    statements = [verbalise.statement(s) for s, _ in random.Random(3).sample(graph.rows, 200)]
    index = Index(graph, encoder, folder)
    measure(index, encoder, statements)
    quality(index, encoder, graph)


def large(folder: Path, triples: int = 1_200_000) -> None:
    """Build, search and memory of an index of over a million; `encoder` says what texts cost."""
    print(f"{triples:,} made-up triples:", flush=True)
    graph = MadeUp(triples)
    own = set(random.Random(3).sample(range(triples), 300))
    chosen = [s for number, s in enumerate(graph.all_statements()) if number in own]
    texts = [verbalise.statement(statement) for statement in chosen]
    encoder = word_encoder(folder, WordHash(MINILM_DIM))
    index = Index(graph, encoder, folder / "index")
    measure(index, encoder, texts, promised=False)
    found = index.nearest_triples(texts, 1)
    itself = sum(
        verbalise.statement(near[0].item) == t for near, t in zip(found, texts, strict=True)
    )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"  {itself} of {len(texts)} triples are the nearest to their own words")
    print(f"  peak memory {peak:.1f} GB")


def main(parts: list[str]) -> int:
    parts = parts or ["encoder", "starter", "slice"]
    with tempfile.TemporaryDirectory(prefix="kgqa-speed-") as folder:
        shared = Encoder(Settings(data_dir=Path(folder), encoder="minilm"))
        if "encoder" in parts:
            encoder()
        if "starter" in parts:
            starter(shared, Path(folder) / "starter")
        if "slice" in parts:
            whole_slice(shared, Path(folder) / "slice")
        if "large" in parts:
            large(Path(folder) / "large")
    return 0 if all(kept for _, kept in PROMISES) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
