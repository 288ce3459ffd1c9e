"""`learn`: a template library for Keqing from questions with their topic entity and answers.

Exit code 0: a library was written; 1: nothing could be learned; 2: bad usage.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgqa_core.errors import KGQAError, SettingsError
from kgqa_core.settings import load_settings

if TYPE_CHECKING:
    from kgqa_core.evaluation.learning import Progress


def register(commands: Any) -> None:
    """Adds the command to the shell's."""
    learn = commands.add_parser(
        "learn",
        help="learn Keqing's question templates",
        description="Masks the topic entity of each question, searches the graph for the chains "
        "that lead to its answers, and writes the templates with their chains to a text file "
        "that can be read and edited.",
    )
    learn.add_argument("--dataset", required=True, nargs="+", type=Path, metavar="FILE")
    learn.add_argument("--format", required=True, metavar="NAME", help="metaqa, qald, webqsp, …")
    learn.add_argument("--graph", required=True, metavar="NAME", help="a graph, as for `ask`")
    learn.add_argument("--into", required=True, type=Path, metavar="FILE", help="a new text file")
    learn.add_argument("--hops", type=int, default=3, metavar="N", help="longest chain (3)")
    learn.add_argument("--limit", type=int, metavar="N", help="questions taken from each file")
    learn.add_argument(
        "--part",
        default="1/1",
        metavar="I/N",
        help="every Nth question of each file, from the Ith on; the others stay unseen",
    )
    learn.add_argument(
        "--no-examples",
        action="store_true",
        help="leave out the example question of each template",
    )
    learn.add_argument(
        "--pairs",
        type=Path,
        metavar="FILE",
        help="write each question with its sub-questions too, a JSON line each, to fine-tune a "
        "model that splits",
    )
    learn.add_argument("--json", action="store_true", help="print what was learned as JSON")
    learn.set_defaults(command=_learn)


def _learn(args: argparse.Namespace) -> int:
    from kgqa_core.evaluation import learning
    from kgqa_core.evaluation.datasets import load
    from kgqa_core.methods.keqing import recall, templates
    from kgqa_core.opening import open_graph

    first, every = parse_part(args.part)
    if not 1 <= args.hops <= 4:
        raise SettingsError(f"--hops {args.hops}: chains of 1 to 4 hops can be searched.")
    examples = []
    for path in args.dataset:
        examples += load(path, args.format, limit=args.limit).examples[first - 1 :: every]
    kg = open_graph(args.graph, load_settings())
    shown = sys.stderr.isatty()

    def tell(progress: Progress) -> None:
        if shown:
            line = f"\r{progress.doing}: {progress.done:,} of {progress.total:,}   "
            print(line, end="", file=sys.stderr, flush=True)

    learned = learning.learn(
        examples, kg, hops=args.hops, keep_examples=not args.no_examples, on_progress=tell
    )
    if shown:
        print(file=sys.stderr)
    if not learned.collection:
        why = "; ".join(f"{count:,} × {reason}" for reason, count in learned.skipped.items())
        raise KGQAError(
            f"Nothing could be learned from {len(examples):,} questions on the graph “{kg.name}”: "
            f"{why or 'no chain leads to the answers'}."
        )
    templates.save(learned.collection, args.into)
    if args.pairs is not None:
        pairs = (recall.pair(example.question, learned.collection) for example in examples)
        lines = [json.dumps(one, ensure_ascii=False) for one in pairs if one is not None]
        args.pairs.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    found = {
        "into": str(args.into),
        "questions": learned.questions,
        "templates": len(learned.collection.templates),
        "wordings": len(learned.collection.by_text),
        "chains": sum(len(t.chains) for t in learned.collection.templates),
        "decomposed": sum(bool(t.parts) for t in learned.collection.templates),
        "skipped": dict(learned.skipped),
        "unexplained": learned.unexplained,
    }
    if args.json:
        print(json.dumps(found, ensure_ascii=False, indent=2))
    else:
        print(
            f"{found['templates']:,} templates in {found['wordings']:,} wordings, "
            f"{found['decomposed']:,} of them decomposed, from {found['questions']:,} questions: "
            f"{args.into}"
        )
        for reason, count in learned.skipped.items():
            print(f"skipped {count:,}: {reason}", file=sys.stderr)
        for text in learned.unexplained[:20]:
            print(f"no chain found for: {text}", file=sys.stderr)
    return 0


def parse_part(text: str) -> tuple[int, int]:
    """`2/3`: from the second question on, every third."""
    first, _, every = text.partition("/")
    if first.isdigit() and every.isdigit() and 1 <= int(first) <= int(every):
        return int(first), int(every)
    raise SettingsError(f"--part {text}: write I/N, such as 1/2 for every second question.")
