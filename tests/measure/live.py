"""Questions asked of full documents of real Wikidata, served on loopback as its sites serve them.

    python -m tests.measure.live FILE [--method compass --method react …] [--rows 1-30]
        [--endpoint URL --model NAME] [--workers 8] [--into ANSWERS]

FILE has the columns question, gold and kind; gold as `gold.py` reads it. Or question, subject and
property: then the gold is what the documents state. Names are linked by search, as for whoever
connects Wikidata; no gold entity is given. The built-in reader answers, or a model behind any
endpoint of OpenAI's shape (a key from OPENAI_API_KEY).

Every answer is a line of ANSWERS as soon as it is there. Started again, it goes on from them; what
failed is asked once more. The scores are reckoned anew each time, so a gold that was mistaken can
be corrected afterwards. Prompt tokens are MiniLM's, of what a model is sent or would be.
"""

from __future__ import annotations

import argparse
import gzip
import json
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from kgqa_core.ask.events import status_of
from kgqa_core.ask.llm import LLM
from kgqa_core.ask.outcome import answer_of
from kgqa_core.ask.run import Budget, Toolkit, run
from kgqa_core.facts import timeline
from kgqa_core.facts.terms import Entity, Value
from kgqa_core.kg.base import KnowledgeGraph
from kgqa_core.llm import prompt
from kgqa_core.methods import METHODS
from kgqa_core.opening import open_index, open_model
from kgqa_core.search.encoder import Encoder
from kgqa_core.search.index import Index
from kgqa_core.settings import Settings, load_settings
from tests.measure import gold
from tests.measure.calls import counter
from tests.servers.real_wikidata import DOCUMENTS, RealWikidata

_PATIENT = Budget(llm_calls=200, tokens=10**7, seconds=10**6)  # people may play the model


@dataclass(frozen=True)
class Kept:
    """What became of a question, as ANSWERS has it."""

    method: str
    question: str
    status: str
    values: tuple[Value, ...]
    certain: bool
    said: str
    calls: int
    tokens: int
    seconds: float


_KEPT = TypeAdapter(Kept)


@dataclass
class Weighed:
    """A model, with the calls and tokens that it is asked."""

    llm: LLM
    tokenizer: Any
    calls: int = 0
    tokens: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def name(self) -> str:
        return self.llm.name

    def ask(self, skill: Any, given: Any, *, complaint: Any = None, **more: Any) -> Future[Any]:
        chat = prompt.messages(skill, given, complaint)
        tokens = sum(len(self.tokenizer.encode(m["content"]).ids) for m in chat)
        with self._lock:
            self.calls += 1
            self.tokens += tokens
        return self.llm.ask(skill, given, complaint=complaint, **more)


@dataclass(frozen=True)
class Place:
    """Where questions are asked: the graph, what compares meanings, and which model."""

    kg: KnowledgeGraph
    encoder: Encoder
    index: Index
    settings: Settings
    model: str = "offline"
    tokenizer: Any = field(default_factory=counter)

    def ask(self, method: str, question: str) -> Kept:
        """One question; a client of its own, since each has few places."""
        llm = Weighed(open_model(self.model, self.settings, self.encoder), self.tokenizer)
        chosen = METHODS[method]
        tools = Toolkit(self.kg, llm, index=self.index, budget=_PATIENT)  # type: ignore[arg-type]
        records = list(run(question, chosen.solve, tools, chosen.params()))
        answer, last = answer_of(records), records[-1]
        return Kept(
            method,
            question,
            status_of(records),
            answer.values,
            answer.certain,
            answer.text or answer.reason or getattr(last.event, "message", ""),
            llm.calls,
            llm.tokens,
            round(last.at_s, 1),
        )


@contextmanager
def sites(ids: Sequence[str], settings: Settings, model: str = "offline") -> Iterator[Place]:
    """These documents on loopback; nothing that an earlier run learned or kept is known."""
    with RealWikidata(ids, around=True) as running, tempfile.TemporaryDirectory() as folder:
        kg, encoder = running.graph(), Encoder(settings)
        own = settings.model_copy(update={"data_dir": Path(folder)})
        yield Place(kg, encoder, open_index(kg, encoder, own), settings, model)


def all_ids() -> list[str]:
    with gzip.open(DOCUMENTS, "rt", encoding="utf-8") as lines:
        return [json.loads(line)["id"] for line in lines]


def gold_of(row: Mapping[str, str], kg: KnowledgeGraph) -> str:
    """Of a property: what holds today has to be there, and what else is stated may be."""
    if "gold" in row:
        return row["gold"]
    relation = kg.relation(row["property"])
    (subject,) = kg.describe([row["subject"]])
    if relation is None or subject is None:
        return ""
    (found,) = kg.statements([subject], relation=relation, direction="out", limit=1000)
    best = [s for s in found if s.rank == "preferred"] or found
    today = dict.fromkeys(_spelt(s.object) for s in timeline.current(best) or best)
    others = dict.fromkeys(_spelt(s.object) for s in found)
    return " | ".join([*today, *(f"?{name}" for name in others if name not in today)])


def _spelt(value: Value) -> str:
    return value.name if isinstance(value, Entity) else value.value


def dumped(one: Kept) -> str:
    """As a line of ANSWERS."""
    return _KEPT.dump_json(one).decode()


def kept(file: Path) -> dict[tuple[str, str], Kept]:
    """What ANSWERS holds, without a line that was cut off and without what failed."""
    found = {}
    for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else ():
        try:
            one = _KEPT.validate_json(line)
        except ValidationError:
            continue
        if one.status != "failed":
            found[one.method, one.question] = one
    return found


def ask_all(
    place: Place, methods: Sequence[str], questions: Sequence[str], into: Path, workers: int
) -> dict[tuple[str, str], Kept]:
    """Asks what ANSWERS lacks, several at once, and writes each answer as it comes."""
    done, lock = kept(into), threading.Lock()

    def one(method: str, question: str) -> None:
        answer = place.ask(method, question)
        with lock, into.open("a", encoding="utf-8") as lines:
            lines.write(dumped(answer) + "\n")
            done[method, question] = answer

    pool = ThreadPoolExecutor(workers)
    try:
        left = [(m, q) for m in methods for q in questions if (m, q) not in done]
        for future in [pool.submit(one, *pair) for pair in left]:
            future.result()
    finally:
        pool.shutdown(cancel_futures=True)
    return done


def report(
    methods: Sequence[str], golds: Mapping[str, str], done: Mapping[tuple[str, str], Kept]
) -> str:
    """What was not right, by method, then a line each with the score, calls and tokens."""
    missed, lines = [], ["method | right | abstained | wrong | wrong but certain | calls | tokens"]
    for method in methods:
        counts: Counter[str] = Counter()
        for question, wanted in golds.items():
            one = done[method, question]
            verdict = gold.verdict(wanted, one.values, one.certain)
            counts["failed" if one.status == "failed" else verdict] += 1
            if verdict != "right" or one.status == "failed":
                said = " | ".join(v.name for v in one.values) or f"({one.said})"
                shown = f"{question}  {said[:160]}  [{wanted}]"
                missed.append(f"{method:10} {one.status:9} {verdict:18} {shown}")
        mine = [done[method, question] for question in golds]
        calls, tokens = (sum(getattr(k, a) for k in mine) / len(mine) for a in ("calls", "tokens"))
        cells = [counts[v] for v in ("right", "abstained", "wrong", "wrong but certain")]
        failed = f" ({counts['failed']} failed)" * bool(counts["failed"])
        cells = [method, *map(str, cells), f"{calls:.1f}", f"{tokens:,.0f}{failed}"]
        lines.append(" | ".join(cells))
    return "\n".join([*missed, *lines])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("file", type=Path)
    parser.add_argument("--method", action="append", choices=METHODS, metavar="NAME")
    parser.add_argument("--rows", default="", metavar="FROM-TO", help="the first is 1")
    parser.add_argument("--endpoint", default="", metavar="URL", help="a model instead of ours")
    parser.add_argument("--model", default="gpt-4o-mini", metavar="NAME", help="its name there")
    parser.add_argument("--workers", type=int, default=2, help="questions at once")
    parser.add_argument("--into", type=Path, metavar="ANSWERS", help="default: FILE.answers.jsonl")
    args = parser.parse_args()
    settings = load_settings()
    if args.endpoint:
        changes = {"openai_base_url": args.endpoint, "model": args.model}
        settings = settings.model_copy(update=changes)
    first, _, last = args.rows.partition("-")
    asked = gold.rows(args.file)[int(first or 1) - 1 : int(last) if last else None]
    methods = args.method or ["compass", "react"]
    into = args.into or Path(f"{args.file}.answers.jsonl")
    with sites(all_ids(), settings, "openai" if args.endpoint else "offline") as place:
        golds = {row["question"]: gold_of(row, place.kg) for row in asked}
        done = ask_all(place, methods, list(golds), into, args.workers)
    print(report(methods, golds, done))


if __name__ == "__main__":
    main()
