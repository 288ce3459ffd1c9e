"""The log-linear layer and the layer that says how sure: assets/ranker/weights.json.

    python -m tests.training.weights [--graph FOLDER]

Questions of the part `weights` rank, those of the part `thresholds` say how sure, in five folds;
nobody trained the encoder on either. A program is right when it finds what the question's query
gives on this graph.
"""

from __future__ import annotations

import argparse
import json
import math
import pickle
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict

from kgqa_core.ask.run import Toolkit, drain
from kgqa_core.errors import KGQAError
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.kg.folder import open_folder
from kgqa_core.kg.lines import Options
from kgqa_core.kg.load import load as load_graph
from kgqa_core.llm.offline import Offline
from kgqa_core.methods.linking import link_question
from kgqa_core.reader import ranker as r
from kgqa_core.reader.lexicon import lexicon
from kgqa_core.reader.meaning import FOLDER, Meaning
from kgqa_core.reader.programs import carried_out
from kgqa_core.reader.views import GraphView
from kgqa_core.settings import load_settings
from tests.measure.public_questions import questions
from tests.measure.starter_questions import _key
from tests.training import sources

_TRIED = 8  # programs carried out to find the right one
_WIDTH = 60  # members of a set that are gone on from
_EMPTY = 30  # questions without an answer for every hundred with one
_FLOOR = 0.48  # below it, starter questions without an answer were answered
_LEAST = 8  # answers, for a threshold to rest on
_RIGHT = 0.99
_STRENGTH = 2.0  # of the pull towards zero
_CERTAIN, _WRONG = 0.03, 0.33  # wrong among the certain and among all answers, at most


@dataclass
class Example:
    """A question's programs: their features, and the F1 of what each finds."""

    source: str
    question: str
    answerable: bool
    features: np.ndarray  # type: ignore[type-arg]
    f1: np.ndarray  # type: ignore[type-arg]
    asked: Any
    called: Any
    ranked: Any


def examples(
    kg: EmbeddedGraph, part: str, most: int, meaning: Meaning, shard: tuple[int, int] = (0, 1)
) -> Iterator[Example]:
    """Of every question of a part, or of one in so many; a question that takes long is left out."""
    llm, ranker = Offline(None), r.Ranker(meaning)
    every = questions(kg, part, set(), most, _EMPTY if part == "thresholds" else 0)
    for row, gold in every[shard[0] :: shard[1]]:
        try:
            yield from _example(kg, row, gold, ranker, llm)
        except KGQAError as error:
            print(f"{row.question}: {error}", file=sys.stderr)


def _example(
    kg: EmbeddedGraph, row: sources.Row, gold: frozenset[str], ranker: r.Ranker, llm: Offline
) -> Iterator[Example]:
    anchors, _ = drain(link_question(row.question, Toolkit(kg, llm)))
    view, resolver = GraphView(kg, _WIDTH), llm.reader.resolver
    for mention, entity in anchors:
        view.know(mention, entity)
    asked = r.Asked(row.question)
    nouns = [m for m, _ in anchors if not resolver.lex.is_verb(m.casefold())]
    called = r.named(row.question, nouns, view)
    ranked = ranker.ranked(asked, called, resolver)
    if not ranked or asked.yes_no:
        return
    ranked = ranker.deeper(asked, called, ranked, view, resolver)
    f1 = []
    for one in ranked[:_TRIED]:
        found = carried_out(ranker.finished(asked, one.program), view)
        members = view.sets[found.name].members if found.name else ()
        values = frozenset(map(_key, members))
        both = len(values & gold)
        f1.append(2 * both / (len(values) + len(gold)) if values and gold else 0.0)
    features = np.array([one.features for one in ranked[: len(f1)]])
    yield Example(
        row.source, row.question, bool(gold), features, np.array(f1), asked, called, ranked
    )


def fit(found: list[Example], start: np.ndarray) -> np.ndarray:  # type: ignore[type-arg]
    """Maximum likelihood of the right programs among all, by gradient steps."""
    use = [e for e in found if e.answerable and e.f1.max(initial=0) >= 0.5]
    w = start.copy()
    for step in range(400):
        slope = -_STRENGTH * (w - start)
        for e in use:
            gold = (e.f1 >= max(0.5, e.f1.max() - 1e-9)).astype(float)
            s = e.features @ w
            p = np.exp(s - s.max())
            p /= p.sum()
            q = p * gold
            q /= q.sum()
            slope += e.features.T @ (q - p)
        w += 2.0 / (1 + step / 50) * slope / max(1, len(use))
    return w


START = dict.fromkeys(r.FEATURES, 0.0) | {
    "cosine": 20.0, "words shared": 0.5, "words unread": -0.5, "hops": -1.0, "joined": -1.0,
    "kind fits": 0.5, "kind differs": -2.0, "name words": 1.0, "name exact": 0.5,
    "name within": -1.0,
}  # fmt: skip


def rescored(e: Example, w: np.ndarray) -> Example:  # type: ignore[type-arg]
    """The programs in the order of the new weights; those not carried out count as wrong."""
    every = np.array([x.features for x in e.ranked])
    score = every @ w
    order = np.argsort(-score)
    f1 = np.zeros(len(every))
    f1[: len(e.f1)] = e.f1
    ranked = [r.Ranked(e.ranked[i].program, e.ranked[i].features, float(score[i])) for i in order]
    return replace(e, features=every[order], f1=f1[order], ranked=ranked)


def write(weights: np.ndarray, sure: np.ndarray, answer: float, certain: float, out: Path) -> None:  # type: ignore[type-arg]
    document = {
        "features": {n: round(float(x), 4) for n, x in zip(r.FEATURES, weights, strict=True)},
        "sure": {n: round(float(x), 4) for n, x in zip(r.SURE, sure, strict=True)},
        "thresholds": {"answer": round(answer, 3), "certain": round(certain, 3)},
    }
    out.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    r.fitted.cache_clear()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--graph", type=Path, help="a loaded graph; without it, the slice")
    parser.add_argument("--most", type=int, default=60)
    parser.add_argument("--part", default="", help="only make the examples of this part")
    parser.add_argument("--shard", default="0/1", help="one in so many: 0/2, 1/2")
    parser.add_argument("--kept", type=Path, help="where examples are kept")
    parser.add_argument("--refused", type=Path, help="what the rules alone made of `thresholds`")
    args = parser.parse_args()
    out = FOLDER / "weights.json"
    start = np.array([START[n] for n in r.FEATURES])
    if not out.is_file():
        write(start, np.zeros(len(r.SURE)), 0.5, 0.9, out)
    parts = [args.part] if args.part else ["weights", "thresholds"]
    learnt, held = ([], *(_examples(part, args) for part in parts))[-2:]
    if args.part:
        return
    weights = fit(learnt, start)
    for name, some in (("weights", learnt), ("thresholds", held)):
        for label, w in (("start", start), ("fitted", weights)):
            there = [rescored(e, w) for e in some if e.answerable]
            top = sum(e.f1[0] for e in there) / len(there)
            best = sum(e.f1.max() for e in there) / len(there)
            print(f"{name}, {label}: first {top:.3f}, best {best:.3f}, {len(there)} questions")
    random.seed(17)
    refused = _refused(args.refused)
    again = [rescored(e, weights) for e in held]
    x = np.array([r.doubts(e.asked, e.called, e.ranked) for e in again])
    y = np.array([e.f1[0] >= _RIGHT for e in again])
    model = LogisticRegression(C=1.0, fit_intercept=False, max_iter=1000)
    chance = cross_val_predict(model, x, y, cv=5, method="predict_proba")[:, 1]
    sure = model.fit(x, y).coef_[0]
    asked = np.array([(not refused or e.question in refused) and _whole(e) for e in again])
    chance, again = chance[asked], [e for e, one in zip(again, asked, strict=True) if one]
    wrong = np.array([e.f1[0] < 0.5 for e in again])
    print(f"{len(held)} say how sure, {len(again)} of them set the thresholds")
    certain = _threshold(chance, wrong, _CERTAIN)
    answer = min(certain, max(_FLOOR, _threshold(chance, wrong, _WRONG)))
    for at in (0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.7, answer, certain):
        some = chance >= at
        f1 = np.array([e.f1[0] for e in again])
        wrong = int((f1[some] < 0.5).sum())
        print(f"from {at:.2f}: {int(some.sum())} answers, F1 {f1[some].mean():.3f}, {wrong} wrong")
    write(weights, sure, answer, certain, out)


def _examples(part: str, args: argparse.Namespace) -> list[Example]:
    kept = sorted(args.kept.glob(f"{part}*.pickle")) if args.kept else []
    if kept and not args.part:
        return list({e.question: e for file in kept for e in _unpickled(file)}.values())
    graph = open_folder(args.graph or _slice())
    found = []
    at, of = map(int, args.shard.split("/"))
    for n, e in enumerate(examples(graph, part, args.most, Meaning(), (at, of))):
        found.append(e)
        if n % 10 == 9:
            print(part, n + 1, file=sys.stderr, flush=True)
        if args.kept and n % 10 == 9:
            args.kept.mkdir(parents=True, exist_ok=True)
            (args.kept / f"{part}{at}.pickle").write_bytes(pickle.dumps(found))
    return found


def _unpickled(file: Path) -> list[Example]:
    return list(pickle.loads(file.read_bytes()))


def _whole(e: Example) -> bool:
    """Whether the likeliest program leaves nothing of weight out, so that it may be answered."""
    program = e.ranked[0].program
    verb = lexicon().is_verb(program.name.text.casefold())
    return not verb and not r.overlooked(r.Asked(e.question), e.called, program, lexicon())


def _refused(file: Path | None) -> set[str]:
    """The questions that the rules did not answer, by a file of `public_questions`."""
    lines = file.read_text(encoding="utf-8").splitlines() if file else []
    return {row["question"] for row in map(json.loads, lines) if not row["answered"]}


def _slice() -> Path:
    """The slice of Wikidata without what was read from any question set's answers."""
    folder = load_settings().data_dir / "benchmarks" / "shipping" / "graphs" / "slice"
    names = sources.DATA / "wikidata_properties" / "properties.jsonl.gz"
    if not folder.is_dir():
        files = [sources.DATA / "wikidata_slice", names]
        load_graph(files, folder, name="Wikidata slice", options=Options(leave_out=("*_gold",)))
    return folder


def _threshold(chance: np.ndarray, wrong: np.ndarray, most: float) -> float:  # type: ignore[type-arg]
    """The least chance from which at most such a share is wrong; above 1 when there is none."""
    best = 1.01
    for at in sorted(set(chance), reverse=True):
        some = chance >= at
        if some.sum() >= _LEAST and wrong[some].mean() <= most:
            best = float(at)
    return min(best, 1.01) if not math.isnan(best) else 1.01


if __name__ == "__main__":
    main()
