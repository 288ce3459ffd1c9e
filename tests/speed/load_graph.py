"""How loading and looking up grow with the graph: `python -m tests.speed.load_graph 1e4 1e7`.

Synthetic facts (n of them, n/5 named things, some of them hubs), as N-Triples, each size in a
process of its own. Prints load time, peak memory, one-hop look-up and label search.
"""

from __future__ import annotations

import json
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from kgqa_core.facts.terms import Entity
from kgqa_core.kg.folder import open_folder
from kgqa_core.kg.layout import LABEL
from kgqa_core.kg.load import load

_EX = "http://example.org/"
_LOOKUPS = 300


def words(count: int, seed: int = 5) -> list[str]:
    """Made-up words, as many as a graph of this size would have."""
    r = random.Random(seed)
    parts = [
        c + v for c in "bcdfghjklmnprstvwz" for v in ("a", "e", "i", "o", "u", "an", "er", "is")
    ]
    made = {"".join(r.choices(parts, k=r.randint(2, 5))) for _ in range(count)}
    return sorted(made)


def name_of(number: int, vocabulary: list[str]) -> str:
    r = random.Random(number)
    chosen = [vocabulary[int(len(vocabulary) * r.random() ** 3)] for _ in range(r.randint(1, 3))]
    return " ".join(chosen).title()


def write(file: Path, facts: int) -> int:
    """Writes the graph; returns how many things have a name."""
    things = max(10, facts // 5)
    vocabulary = words(max(500, things // 8))
    r = random.Random(1)
    with file.open("w", encoding="utf-8") as out:
        for number in range(things):
            name = name_of(number, vocabulary)
            out.write(f'<{_EX}e{number}> <{LABEL}> "{name}"@en .\n')
        for _ in range(facts):
            subject, relation = r.randrange(things), int(60 * r.random() ** 2)
            value = int(things * r.random() ** 2)  # some are much better known than others
            out.write(f"<{_EX}e{subject}> <{_EX}p{relation}> <{_EX}e{value}> .\n")
    return things


def misspelt(name: str, r: random.Random) -> str:
    at = r.randrange(1, len(name))
    return name[:at] + name[at + 1 :]


def mentions(things: int, facts: int) -> Iterator[str]:
    """Half whole names, the rest parts of names, other spellings and misspelt ones."""
    vocabulary = words(max(500, things // 8))
    r = random.Random(9)
    for i in range(_LOOKUPS):
        name = name_of(r.randrange(things), vocabulary)
        kind = i % 8
        if kind < 4:
            yield name
        elif kind == 4:
            yield name.lower()
        elif kind == 5:
            yield name.split()[0]
        else:
            yield misspelt(name, r)


def percentile(work: Callable[[int], object], count: int) -> tuple[float, float]:
    """Median and 95th percentile in milliseconds."""
    taken = []
    for i in range(count):
        started = time.perf_counter()
        work(i)
        taken.append(1e3 * (time.perf_counter() - started))
    cuts = statistics.quantiles(taken, n=20)
    return statistics.median(taken), cuts[18]


def measure(facts: int, folder: Path) -> dict[str, float]:
    file = folder / "graph.nt"
    things = write(file, facts)
    started = time.perf_counter()
    done = load([file], folder / "graph")
    loading = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    file.unlink()

    started = time.perf_counter()
    graph = open_folder(folder / "graph")
    graph.search(["anything"])
    opening = time.perf_counter() - started
    r = random.Random(3)
    near = [Entity(f"{_EX}e{r.randrange(things)}") for _ in range(_LOOKUPS)]
    hop = percentile(lambda i: graph.statements([near[i]], direction="out"), _LOOKUPS)
    both = percentile(lambda i: graph.statements([near[-1 - i]]), _LOOKUPS)
    asked = list(mentions(things, facts))
    search = percentile(lambda i: graph.search([asked[i]]), len(asked))
    found = sum(bool(graph.search([mention])[0]) for mention in asked)
    return {
        "facts": done.statements or 0,
        "names": things,
        "load_s": loading,
        "peak_mb": peak,
        "folder_mb": sum(f.stat().st_size for f in (folder / "graph").rglob("*")) / 2**20,
        "open_s": opening,
        "out_p50_ms": hop[0],
        "out_p95_ms": hop[1],
        "both_p50_ms": both[0],
        "both_p95_ms": both[1],
        "search_p50_ms": search[0],
        "search_p95_ms": search[1],
        "found": found / len(asked),
    }


def in_own_process(facts: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "tests.speed.load_graph", "--one", str(facts), folder]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
        return found


def main(sizes: list[str]) -> None:
    first, last = (int(float(size)) for size in (sizes or ["1e4", "1e6"])[:2])
    shown = False
    facts = first
    while facts <= last:
        row = in_own_process(facts)
        if not shown:
            print("  ".join(f"{name:>14}" for name in row))
            shown = True
        print("  ".join(f"{value:>14,.2f}" for value in row.values()), flush=True)
        facts *= 10


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(measure(int(sys.argv[2]), Path(sys.argv[3]))))
        shutil.rmtree(Path(sys.argv[3]) / "graph", ignore_errors=True)
    else:
        main(sys.argv[1:])
