"""R3 with one part changed at a time, on CR-LT with the built-in reader (paper, appendix A).

    python -m tests.ablation [--graph FOLDER] [--every N]

Asks the questions and claims in ../shared/data once for each setting, over the starter graph and
the graph of CR-LT, and prints a Markdown table: share right, share abstained, model calls each.
FOLDER is a loaded CR-LT graph (else it is loaded for the time being); N asks every Nth row only.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

from kgqa_core.encoder import Encoder
from kgqa_core.evaluation.benchmark import as_row
from kgqa_core.evaluation.datasets import load
from kgqa_core.index import Index
from kgqa_core.kg.load import load as load_graph
from kgqa_core.llm.offline import Offline
from kgqa_core.methods import r3
from kgqa_core.run import Toolkit, run
from kgqa_core.settings import Settings, load_settings
from kgqa_core.sources import open_graph

DATA = Path(__file__).parents[2] / "shared" / "data" / "cr_lt_kgqa"
FILES = ("CR-LT-QA.json", "CR-LT-ClaimVerification.json")
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
    sets = [load(DATA / file, "crlt").examples[::every] for file in FILES]
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
                params = r3.Params(**changed)
                rows, calls = [], 0
                for n, example in enumerate(examples):
                    tools = Toolkit(kg, reader, index=index)
                    records = list(run(example.asked, r3.solve, tools, params))
                    rows.append(as_row(n, example, 0, records))
                    calls += tools.meter.total.llm_calls
                for wanted in ("right", "abstained"):
                    share = sum(wanted in (row.verdict, row.status) for row in rows) / len(rows)
                    cells.append(f"{share:.2f}")
                cells.append(f"{calls / len(rows):.1f}")
            lines.append(f"| {' | '.join(cells)} |")
            print(name, file=sys.stderr, flush=True)
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--graph", type=Path, help="a loaded graph of CR-LT")
    parser.add_argument("--every", type=int, default=1, help="ask every Nth row")
    args = parser.parse_args()
    if not DATA.is_dir():
        parser.error(f"there is no {DATA}")
    with tempfile.TemporaryDirectory() as folder:
        graph = args.graph or Path(folder) / "cr-lt"
        if args.graph is None:
            load_graph([DATA / "graph"], graph, name="CR-LT")
        print(table(str(graph), load_settings(), max(1, args.every)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
