"""R3 with one part changed at a time, on CR-LT with the built-in reader (paper, appendix A).

    python -m tests.measure.ablation [--graph FOLDER] [--every N] [--wordings [SLICE]]

Asks the questions and claims in ../shared/data once for each setting, over the starter graph and
the graph of CR-LT, and prints a Markdown table: share right, share abstained, model calls each.
FOLDER is a loaded CR-LT graph (else it is loaded for the time being); N asks every Nth row only.
`--wordings` asks instead the tables of `r3/` as shipped, in their original and in their long-tail
wording; with a loaded SLICE of Wikidata, over that graph too.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kgqa_core.ask.run import Toolkit, run
from kgqa_core.evaluation.benchmark import as_row
from kgqa_core.evaluation.datasets import load
from kgqa_core.evaluation.datasets.base import Example
from kgqa_core.kg.base import KnowledgeGraph
from kgqa_core.kg.load import load as load_graph
from kgqa_core.llm.offline import Offline
from kgqa_core.methods.r3 import algorithm as r3
from kgqa_core.opening import open_graph
from kgqa_core.search.encoder import Encoder
from kgqa_core.search.index import Index
from kgqa_core.settings import Settings, load_settings
from tests.places import DATA

_DATA = DATA / "cr_lt_kgqa"

FILES = ("CR-LT-QA.json", "CR-LT-ClaimVerification.json")
WORDINGS = ("StrategyQA_Modified_new.csv", "Creak_Modified_new.csv")
SETTINGS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("as shipped: union, union, depth 2, breadth 3", {}),
    ("anchors: linker only", {"entities": "linker"}),
    ("anchors: model only", {"entities": "model"}),
    ("pruning: truncate", {"pruning": "truncate"}),
    ("pruning: dense", {"pruning": "dense"}),
    ("depth 0", {"depth": 0}),
    ("depth 1", {"depth": 1}),
    ("depth 3", {"depth": 3}),
    ("breadth 1", {"breadth": 1}),
    ("breadth 2", {"breadth": 2}),
)


def table(graph: str, settings: Settings, every: int) -> str:
    """A row for each setting, a pair of columns for questions and for claims."""
    kg, encoder = open_graph(f"starter,{graph}", settings), Encoder(settings)
    reader = Offline(encoder)
    sets = [load(_DATA / file, "crlt").examples[::every] for file in FILES]
    lines = [
        f"| R3 with the reader | {len(sets[0])} questions | abstained | model calls "
        f"| {len(sets[1])} claims | abstained | model calls |",
        "|---|---|---|---|---|---|---|",
    ]
    with tempfile.TemporaryDirectory() as folder:
        index = Index(kg, encoder, folder)
        for name, changed in SETTINGS:
            cells = [name]
            for examples in sets:
                right, abstained, calls = asked(examples, kg, reader, index, r3.Params(**changed))
                cells += [f"{right:.2f}", f"{abstained:.2f}", f"{calls:.1f}"]
            lines.append(f"| {' | '.join(cells)} |")
            print(name, file=sys.stderr, flush=True)
    return "\n".join(lines)


def wordings(graphs: Sequence[str], settings: Settings, every: int) -> str:
    """A row for each graph and wording of R3's own tables."""
    reader = Offline(encoder := Encoder(settings))
    lines = ["| over | wording | questions | abstained | claims | abstained |", "|---" * 6 + "|"]
    for graph in graphs:
        kg = open_graph(graph, settings)
        for wording in ("original", "long-tail"):
            cells = [kg.name, wording]
            for file in WORDINGS:
                examples = load(_DATA.parent / "r3" / file, "r3", where={"class": wording}).examples
                with tempfile.TemporaryDirectory() as folder:
                    index = Index(kg, encoder, folder)
                    right, abstained, _ = asked(examples[::every], kg, reader, index, r3.Params())
                cells += [f"{right:.2f} of {len(examples[::every])}", f"{abstained:.2f}"]
            lines.append(f"| {' | '.join(cells)} |")
            print(*cells[:2], file=sys.stderr, flush=True)
    return "\n".join(lines)


def asked(
    examples: Sequence[Example],
    kg: KnowledgeGraph,
    reader: Offline,
    index: Index,
    params: r3.Params,
) -> tuple[float, float, float]:
    """The shares right and abstained, and the model calls each."""
    rows, calls = [], 0
    for n, example in enumerate(examples):
        tools = Toolkit(kg, reader, index=index)
        rows.append(as_row(n, example, 0, list(run(example.asked, r3.solve, tools, params))))
        calls += tools.meter.total.llm_calls
    right = sum(row.verdict == "right" for row in rows)
    abstained = sum(row.status == "abstained" for row in rows)
    return right / len(rows), abstained / len(rows), calls / len(rows)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--graph", type=Path, help="a loaded graph of CR-LT")
    parser.add_argument("--every", type=int, default=1, help="ask every Nth row")
    parser.add_argument(
        "--wordings", nargs="?", const="", metavar="SLICE", help="ask the tables of r3/ instead"
    )
    args = parser.parse_args()
    if not _DATA.is_dir():
        parser.error(f"there is no {_DATA}")
    with tempfile.TemporaryDirectory() as folder:
        graph = args.graph or Path(folder) / "cr-lt"
        if args.graph is None:
            load_graph([_DATA / "graph"], graph, name="CR-LT")
        settings, every = load_settings(), max(1, args.every)
        if args.wordings is None:
            print(table(str(graph), settings, every))
        else:
            graphs = [f"starter,{graph}"]
            if args.wordings:
                graphs.append(f"{graphs[0]},{args.wordings}")
            print(wordings(graphs, settings, every))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
