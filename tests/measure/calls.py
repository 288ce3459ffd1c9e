"""What each method asks of a model: calls and prompt tokens per question, over starter questions.

    python -m tests.measure.calls [--every N] [--methods react,tog]
    python -m tests.measure.calls --crlt GRAPH --methods r3 [--every N]

Or over the questions and claims of CR-LT in ../shared/data (*seen*: rules were made with them),
which ask for common sense; GRAPH is its graph, loaded.
The built-in reader plays the model, and what it cannot draft by itself it remembers: the answer of
its own walk, and for Compass the plan of its own run (`planning.py`). Tokens are those of the
prompts that a model would get, cut by MiniLM's tokenizer.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from functools import cache
from statistics import median
from typing import Any

from pydantic import BaseModel
from tokenizers import Tokenizer

from kgqa_core.ask.events import status_of
from kgqa_core.ask.llm import Reply
from kgqa_core.ask.outcome import answer_of
from kgqa_core.ask.run import Toolkit, run
from kgqa_core.ask.skills import Draft
from kgqa_core.evaluation.datasets import load
from kgqa_core.evaluation.datasets.base import Example
from kgqa_core.facts import verbalise
from kgqa_core.facts.terms import Entity
from kgqa_core.kg.base import KnowledgeGraph
from kgqa_core.kg.starter import load_starter
from kgqa_core.llm import prompt
from kgqa_core.llm.offline import Offline
from kgqa_core.methods import METHODS
from kgqa_core.opening import open_graph, open_index
from kgqa_core.search.encoder import Encoder
from kgqa_core.settings import load_settings
from tests.measure.planning import Planner
from tests.measure.starter_questions import FILE
from tests.places import DATA
from tests.servers.sloppy import Plans

DRAFTS = frozenset({"answer directly", "think step by step"})
Memory = Callable[[str], Draft]


def memory_of(kg: KnowledgeGraph) -> Memory:
    """What a model that knows the graph by heart would say: the answer of the reader's own walk."""
    known: dict[str, Draft] = {}

    def remember(question: str) -> Draft:
        if question not in known:
            react = METHODS["react"]
            records = list(run(question, react.solve, Toolkit(kg, Offline(None)), react.params()))
            answer = answer_of(records)
            values = [
                v.name if isinstance(v, Entity) else verbalise.value(v) for v in answer.values
            ]
            known[question] = Draft(text=answer.text, values=values, reason=answer.reason)
        return known[question]

    return remember


@dataclass
class Played:
    """The reader in the place of a model, with what a model would have been sent."""

    memory: Memory
    reader: Offline
    tokenizer: Any
    plans: Plans | None = None
    name: str = "reader as a model"
    prompts: list[int] = field(default_factory=list)  # tokens of each
    skills: list[str] = field(default_factory=list)

    @property
    def calls(self) -> int:
        return len(self.prompts)

    @property
    def tokens(self) -> int:
        return sum(self.prompts)

    def ask(self, skill: Any, given: Any, **more: Any) -> Future[Any]:
        chat = prompt.messages(skill, given)
        self.skills.append(skill.name)
        self.prompts.append(sum(len(self.tokenizer.encode(m["content"]).ids) for m in chat))
        if skill.name in DRAFTS:
            return drafted(self.memory(given.question))
        planned = self.plans(skill, given) if self.plans is not None else None
        if planned is not None:
            return drafted(planned)
        future: Future[Any] = Future()
        reply = self.reader.ask(skill, given, **more).result()
        future.set_result(replace(reply, rung="played"))
        return future


@cache
def counter() -> Any:
    """MiniLM's tokenizer, which cuts no text short."""
    from kgqa_core.search.minilm import bundled  # which takes seconds to import

    tokenizer = Tokenizer.from_file(str(bundled() / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def drafted(value: BaseModel) -> Future[Any]:
    """A reply that is there already."""
    future: Future[Any] = Future()
    future.set_result(Reply(prompt="", text=value.model_dump_json(), value=value))
    return future


def questions(every: int) -> list[str]:
    with FILE.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [row["question"] for row in rows[::every]]


def crlt_examples(every: int) -> list[Example]:
    files = ("CR-LT-QA.json", "CR-LT-ClaimVerification.json")
    rows = [load(DATA / "cr_lt_kgqa" / file, "crlt").examples[::every] for file in files]
    return [example for examples in rows for example in examples]


def table(kg: KnowledgeGraph, methods: Sequence[str], asked: Sequence[str]) -> str:
    settings = load_settings()
    encoder = Encoder(settings)
    index = open_index(kg, encoder, settings)
    tokenizer = counter()
    memory, plans = memory_of(kg), Planner(kg)
    lines = ["method | calls | median | most | prompt tokens | failed"]
    for name in methods:
        method = METHODS[name]
        calls, tokens, failed = [], 0, 0
        for question in asked:
            llm = Played(memory, Offline(None), tokenizer, plans)
            tools = Toolkit(kg, llm, index=index)  # type: ignore[arg-type]
            records = list(run(question, method.solve, tools, method.params()))
            failed += status_of(records) == "failed"
            calls.append(llm.calls)
            tokens += llm.tokens
        mean, each = sum(calls) / len(calls), tokens / len(calls)
        usual = median(calls)
        lines.append(f"{name} | {mean:.1f} | {usual:g} | {max(calls)} | {each:,.0f} | {failed}")
        print(lines[-1], flush=True)
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--every", type=int, default=8, help="ask every Nth question")
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--crlt", metavar="GRAPH", default="")
    args = parser.parse_args()
    if args.crlt:
        kg: KnowledgeGraph = open_graph(f"starter,{args.crlt}", load_settings())
        asked = [example.asked for example in crlt_examples(args.every)]
    else:
        kg, asked = load_starter(), questions(args.every)
    table(kg, args.methods.split(","), asked)


if __name__ == "__main__":
    main()
