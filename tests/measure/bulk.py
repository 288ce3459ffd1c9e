"""What bulk does to the methods: identifiers, media and long lists, as live Wikidata has them.

    python -m tests.measure.bulk qald GRAPH [--methods react,one-hop] [--every N] [--show]
    python -m tests.measure.bulk qald GRAPH --methods kgr --memory SLICE …
    python -m tests.measure.bulk plain GRAPH [--methods …] [--every N] [--show]
    python -m tests.measure.bulk further|third GRAPH [--methods …] [--every N] [--show]

`qald` asks the QALD-10 questions whose gold query has its answer on the slice without gold facts;
GRAPH is that slice, loaded, without and with the bulk of `../shared/tools/inflate.py`. `plain` asks
`tests/questions/wikidata.tsv`; GRAPH is `../shared/data/wikidata_entities`, loaded with the tables
of properties and of the slice's entities; `further` and `third` ask `wikidata2.tsv` and
`wikidata3.tsv` there, written before anybody looked. Answers are those of the built-in reader.
Tokens are those of the prompts that a model would have been sent, cut by MiniLM's tokenizer. Both
sets were looked at while the methods were built. What the reader cannot draft by itself it
remembers with `--memory`: the answer of its own walk over the graph that is named there. With
`--into FILE` every question is a line there as soon as it is answered, and the next call goes on
from it.
"""

from __future__ import annotations

import argparse
import csv
import json
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from kgqa_core.ask.events import Answer
from kgqa_core.ask.llm import LLM
from kgqa_core.ask.outcome import answer_of
from kgqa_core.ask.run import Budget, Toolkit, run
from kgqa_core.evaluation import metrics
from kgqa_core.evaluation.datasets import load
from kgqa_core.facts import timeline
from kgqa_core.facts.terms import Entity, Literal, Statement, Value
from kgqa_core.kg.base import KnowledgeGraph
from kgqa_core.llm import prompt
from kgqa_core.methods import METHODS
from kgqa_core.opening import open_graph, open_model
from kgqa_core.search.encoder import Encoder
from kgqa_core.search.index import Index
from kgqa_core.search.minilm import bundled
from kgqa_core.settings import load_settings
from tests.measure.calls import DRAFTS, Memory, drafted, memory_of
from tests.places import DATA, TESTS

QALD = DATA / "qald10" / "qald_10_en_offline.jsonl"
PLAIN = TESTS / "questions" / "wikidata.tsv"
FURTHER = TESTS / "questions" / "wikidata2.tsv"
THIRD = TESTS / "questions" / "wikidata3.tsv"
OWN = {"plain": PLAIN, "further": FURTHER, "third": THIRD}


@dataclass
class Counting:
    """The reader, with the tokens of the prompts that a model would get in its place."""

    llm: LLM
    tokenizer: Any
    memory: Memory | None = None
    tokens: dict[str, list[int]] = field(default_factory=dict)  # by skill
    longest: str = ""
    name: str = "built-in reader"
    sees_prompts: bool = True  # as many relations are listed as for a model

    def ask(self, skill: Any, given: Any, **more: Any) -> Future[Any]:
        text = "\n".join(m["content"] for m in prompt.messages(skill, given))
        count = len(self.tokenizer.encode(text).ids)
        if count > max((n for ns in self.tokens.values() for n in ns), default=0):
            self.longest = text
        self.tokens.setdefault(skill.name, []).append(count)
        if skill.name in DRAFTS and self.memory is not None:
            return drafted(self.memory(given.question))
        return self.llm.ask(skill, given, **more)


_ENOUGH = Budget(llm_calls=1_000, tokens=10**9, seconds=10**6)  # a busy machine is slow
Right = Callable[[Answer], float]


def qald_questions(every: int) -> Iterator[tuple[str, Right]]:
    for example in load(QALD, "kgqa-jsonl").examples:
        if example.trivial or example.fields.get("f1_slice_no_gold") != "1.0":
            continue
        if int(example.id) // 2 % every == 0:
            yield example.asked, lambda a, e=example: metrics.score(e, a)["f1"] or 0.0  # type: ignore[misc]


def plain_questions(kg: KnowledgeGraph, file: Path, every: int) -> Iterator[tuple[str, Right]]:
    """Right: the values are those of the property, all of them or those that hold today.

    What the graph does not state is not asked.
    """
    with file.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    for row in rows[::every]:
        relation = kg.relation(row["property"])
        (subject,) = kg.describe([row["subject"]])
        if relation is None or subject is None:
            continue
        (found,) = kg.statements([subject], relation=relation, direction="out", limit=1000)
        if not found:
            continue
        best = [s for s in found if s.rank == "preferred"] or found
        golds = [_keys(s) for s in (found, best, timeline.current(found))]
        yield (
            row["question"],
            lambda a, g=golds: float(  # type: ignore[misc]
                bool(a.values) and frozenset(map(_key, a.values)) in g
            ),
        )


def _keys(statements: Sequence[Statement]) -> frozenset[str]:
    return frozenset(_key(s.object) for s in statements)


def _key(value: Value) -> str:
    return value.id if isinstance(value, Entity) else value.value if _is(value) else str(value)


def _is(value: Value) -> bool:
    return isinstance(value, Literal)


def measure(
    kg: KnowledgeGraph,
    method: str,
    questions: Sequence[tuple[str, Right]],
    show: bool,
    seconds: float,
    memory: Memory | None = None,
    into: Path | None = None,
) -> dict[str, Any]:
    until = time.monotonic() + seconds
    settings = load_settings()
    encoder = Encoder(settings)
    tokenizer = Tokenizer.from_file(str(bundled() / "tokenizer.json"))
    counting = Counting(open_model("offline", settings, encoder), tokenizer, memory)
    counting.sees_prompts = method != "keqing"  # it shows a model no split of a wording of its own
    counting.tokenizer.no_truncation()
    counting.tokenizer.no_padding()
    done = _answered(into, kg.name, method)
    for one in done.values():
        for skill, ns in one["tokens"].items():
            counting.tokens.setdefault(skill, []).extend(ns)
    with tempfile.TemporaryDirectory() as folder:
        index = Index(kg, encoder, folder)
        for asked, right in questions:
            if asked in done:
                continue
            if time.monotonic() > until:
                break
            before = {skill: len(ns) for skill, ns in counting.tokens.items()}
            tools = Toolkit(kg, counting, index=index, budget=_ENOUGH)  # type: ignore[arg-type]
            chosen = METHODS[method]
            records = list(run(asked, chosen.solve, tools, chosen.params()))
            last = records[-1].event
            wrong = last.kind == "failed"  # type: ignore[attr-defined]
            answer = Answer(reason=getattr(last, "message", "")) if wrong else answer_of(records)
            own = {k: ns[before.get(k, 0) :] for k, ns in counting.tokens.items()}
            done[asked] = {
                "graph": kg.name,
                "method": method,
                "asked": asked,
                "score": right(answer),
                "failed": wrong,
                "said": answer.text or answer.reason,
                "certain": answer.certain,
                "tokens": {k: ns for k, ns in own.items() if ns},
            }
            if into:
                with into.open("a", encoding="utf-8") as lines:
                    lines.write(json.dumps(done[asked]) + "\n")
            if show and done[asked]["score"] < 1:
                print(f"  {done[asked]['score']:.2f} {asked} → {done[asked]['said']}", flush=True)
    scores = [done[asked]["score"] for asked, _ in questions if asked in done]
    failed = sum(one["failed"] for one in done.values())
    all_tokens = [n for ns in counting.tokens.values() for n in ns]
    if show:
        Path(tempfile.gettempdir(), f"longest-{method}.txt").write_text(counting.longest)
    by_skill = {
        name: [round(sum(ns) / len(ns)), max(ns), len(ns)] for name, ns in counting.tokens.items()
    }
    return {
        "method": method,
        "graph": kg.name,
        "questions": len(scores),
        "scores": [round(score, 2) for score in scores],
        "f1": round(sum(scores) / max(1, len(scores)), 4),
        "failed": failed,
        "tokens": round(sum(all_tokens) / max(1, len(all_tokens))),
        "most": max(all_tokens, default=0),
        "skills (mean, most, calls)": by_skill,
    }


def _answered(into: Path | None, graph: str, method: str) -> dict[str, dict[str, Any]]:
    """What earlier calls wrote of this method on this graph, by question."""
    if into is None or not into.exists():
        return {}
    lines = map(json.loads, into.read_text(encoding="utf-8").splitlines())
    return {one["asked"]: one for one in lines if (one["graph"], one["method"]) == (graph, method)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("what", choices=("qald", *OWN))
    parser.add_argument("graph")
    parser.add_argument("--methods", default="react,one-hop")
    parser.add_argument("--every", type=int, default=1, help="ask every Nth question")
    parser.add_argument("--seconds", type=float, default=1e9, help="ask no more after so many")
    parser.add_argument("--into", type=Path, metavar="FILE", help="go on from what it holds")
    parser.add_argument("--memory", metavar="SLICE", default="", help="what drafts come from")
    parser.add_argument("--show", action="store_true", help="print what is wrong")
    args = parser.parse_args()
    if not DATA.is_dir():
        parser.error(f"there is no {DATA}")
    kg = open_graph(args.graph, load_settings())
    memory = memory_of(open_graph(args.memory, load_settings())) if args.memory else None
    for method in args.methods.split(","):
        if args.what == "qald":
            questions = list(qald_questions(args.every))
        else:
            questions = list(plain_questions(kg, OWN[args.what], args.every))
        found = measure(kg, method, questions, args.show, args.seconds, memory, args.into)
        print(json.dumps(found), flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
