"""The log-linear layers: assets/ranker/weights.json.

    python -m tests.training.weights [--kept FOLDER] [--part PART --shard 0/2]

Questions of the part `weights` rank; those and the part `thresholds` say how sure, in ten folds,
and give the second opinion on the rules. Nobody trained the encoder on either. The graph is the
slice with the facts of these sets' answers (not QALD-10's), so that many of them have an answer
there. A program is right when it finds what the question's query gives on this graph.
"""

from __future__ import annotations

import argparse
import json
import pickle
import random
import sys
import tempfile
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
from kgqa_core.reader import evidence as r
from kgqa_core.reader.lexicon import lexicon
from kgqa_core.reader.meaning import FOLDER, Meaning
from kgqa_core.reader.ranker import Ranker, named
from kgqa_core.reader.resolve import Resolver
from kgqa_core.reader.views import GraphView
from kgqa_core.settings import load_settings
from tests.measure.public_questions import ask, questions
from tests.measure.starter_questions import _key
from tests.training import sources

_TRIED = 8  # programs carried out to find the right one
_KEPT = 150  # programs of a question
_WIDTH = 60  # members of a set that are gone on from
_EMPTY = 30  # questions without an answer for every hundred with one
_STRENGTH = 2.0  # of the pull towards zero
_FREEDOM = 1.0  # of the layers that say how sure
_SLACK = 2.0  # questions; gains that differ by less are the same
_CERTAIN = 0.022  # wrong but certain, of all questions, at most: on others there will be more


@dataclass(frozen=True)
class Ruled:
    """What the rules alone made of a question, and the ranker's opinion on it."""

    answered: bool
    certain: bool
    f1: float
    opinion: tuple[float, ...] | None


class Listening(Ranker):
    """Answers nothing and doubts nothing, but keeps its opinion."""

    heard: tuple[float, ...] | None = None

    def solve(self, *_: Any) -> str:
        return "Not asked."

    def opinion(self, *given: Any, **more: Any) -> None:
        self.heard = super().opinion(*given, **more)


@dataclass
class Example:
    """A question's programs: their features, and what each of the first of them finds.

    `done`: by the place among all programs, the program as it was carried out, its F1 and values.
    """

    source: str
    id: str
    question: str
    gold: frozenset[str]
    called: Any
    ranked: Any
    done: dict[int, tuple[Any, float, frozenset[str]]]
    ruled: Ruled

    @property
    def answerable(self) -> bool:
        return bool(self.gold)

    @property
    def f1(self) -> np.ndarray:  # type: ignore[type-arg]
        found = np.zeros(len(self.ranked))
        for at, (_, score, _) in self.done.items():
            found[at] = score
        return found


def examples(
    kg: EmbeddedGraph, part: str, most: int, meaning: Meaning, shard: tuple[int, int] = (0, 1)
) -> Iterator[Example]:
    """Of every question of a part, or of one in so many; a question that fails is left out."""
    ranker, listening = Ranker(meaning), Listening(meaning)
    llm = Offline(None, listening)
    every = questions(kg, part, set(), most, _EMPTY)
    random.Random(17).shuffle(every)
    for row, gold in every[shard[0] :: shard[1]]:
        try:
            yield from _example(kg, row, gold, ranker, llm, listening)
        except KGQAError as error:
            print(f"{row.question}: {error}", file=sys.stderr)


def ruled(
    kg: EmbeddedGraph, row: sources.Row, gold: frozenset[str], llm: Offline, listening: Listening
) -> Ruled:
    listening.heard = None
    told = ask(kg, llm, row, gold)
    return Ruled(told["answered"], told["certain"], told["f1"], listening.heard)


def _example(
    kg: EmbeddedGraph,
    row: sources.Row,
    gold: frozenset[str],
    ranker: Ranker,
    llm: Offline,
    listening: Listening,
) -> Iterator[Example]:
    anchors, _ = drain(link_question(row.question, Toolkit(kg, llm)))
    view, resolver = GraphView(kg, _WIDTH), llm.reader.resolver
    for mention, entity in anchors:
        view.know(mention, entity)
    asked = r.Asked(row.question)
    nouns = [m for m, _ in anchors if not resolver.lex.is_verb(m.casefold())]
    called = named(row.question, nouns, view)
    ranked = ranker.every(asked, called, view, resolver) if called else []
    if not ranked:
        return
    done = {}
    for at, one in enumerate(ranked[:_TRIED]):
        program, found = ranker.finished(asked, one.program, view, resolver.lex)
        members = view.sets[found.name].members if found.name and found.size else ()
        values = frozenset(map(_key, members))
        both = len(values & gold)
        f1 = 2 * both / (len(values) + len(gold)) if values and gold else 0.0
        done[at] = program, f1, values
    name = f"{row.source} {row.id}"
    told = ruled(kg, row, gold, llm, listening)
    yield Example(row.source, name, row.question, gold, called, ranked[:_KEPT], done, told)


def fit(found: list[Example], start: np.ndarray) -> np.ndarray:  # type: ignore[type-arg]
    """Maximum likelihood of the right programs among all, by gradient steps."""
    use = [
        (np.array([x.features for x in e.ranked]), e.f1)
        for e in found
        if e.answerable and e.f1.max(initial=0) >= 0.5
    ]
    w = start.copy()
    for step in range(400):
        slope = -_STRENGTH * (w - start)
        for x, f1 in use:
            s = x @ w
            p = np.exp(s - s.max())
            p /= p.sum()
            q = p * (f1 >= max(0.5, f1.max() - 1e-9))
            q /= q.sum()
            slope += x.T @ (q - p)
        w += 2.0 / (1 + step / 50) * slope / max(1, len(use))
    return w


START = dict.fromkeys(r.FEATURES, 0.0) | {
    "cosine": 20.0, "words shared": 0.5, "alias shared": 0.5, "lexicon": 0.5, "words unread": -0.5,
    "hops": -1.5, "joined": -1.0, "stated": -1.0, "detail": -0.5, "names unused": -1.0,
    "kind fits": 0.5, "kind differs": -1.5, "name words": 1.0, "name exact": 0.5,
    "name within": -1.0,
}  # fmt: skip


def rescored(e: Example, w: np.ndarray, resolver: Resolver) -> Example:  # type: ignore[type-arg]
    """The programs with their features as they are now, in the order of the weights.

    Those that were not carried out count as wrong.
    """
    asked = r.Asked(e.question)
    near = [x.features[0] for x in e.ranked]
    again = [
        r.features(asked, e.called, x.program, c, max(near), resolver)
        for x, c in zip(e.ranked, near, strict=True)
    ]
    score = np.array(again) @ w
    order = np.argsort(-score, kind="stable")
    ranked = [r.Ranked(e.ranked[i].program, again[i], float(score[i])) for i in order]
    done = {n: e.done[int(i)] for n, i in enumerate(order) if int(i) in e.done}
    return replace(e, ranked=ranked, done=done)


def first(e: Example) -> list[r.Ranked]:
    """The programs, the first as it was carried out."""
    program = e.done[0][0] if 0 in e.done else e.ranked[0].program
    return [replace(e.ranked[0], program=program), *e.ranked[1:]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--graph", type=Path, help="a loaded graph; without it, one is made")
    parser.add_argument("--most", type=int, default=200, help="questions of a set in a part")
    parser.add_argument("--part", default="", help="only make the examples of this part")
    parser.add_argument("--shard", default="0/1", help="one in so many: 0/2, 1/2")
    parser.add_argument("--kept", type=Path, help="where examples are kept")
    args = parser.parse_args()
    resolver = Resolver(lexicon())
    start = np.array([START[n] for n in r.FEATURES])
    out = FOLDER / "weights.json"
    shipped = out.read_text(encoding="utf-8") if out.is_file() else ""
    parts = [args.part] if args.part else ["weights", "thresholds"]
    _write(start, np.zeros(len(r.SURE)), np.zeros(len(r.OPINION)), (0.5, 1.0), out)
    try:  # which programs are carried out must not depend on what was fitted before
        found = {part: _examples(part, args) for part in parts}
    finally:
        out.write_text(shipped, encoding="utf-8")
    if args.part:
        return
    found = {part: [rescored(e, start, resolver) for e in some] for part, some in found.items()}
    weights = fit(found["weights"], start)
    again = {part: [rescored(e, weights, resolver) for e in some] for part, some in found.items()}
    for part in parts:
        for label, some in (("start", found[part]), ("fitted", again[part])):
            there = [e for e in some if e.answerable]
            top = sum(e.f1[0] for e in there) / len(there)
            best = sum(e.f1.max() for e in there) / len(there)
            print(f"{part}, {label}: first {top:.3f}, best {best:.3f}, {len(there)} questions")
    every = [e for some in again.values() for e in some]
    sure, answer = _sure(every)
    opinion, doubt = _opinion(every)
    _write(weights, sure, opinion, (answer, doubt), out)


def _sure(every: list[Example]) -> tuple[np.ndarray, float]:  # type: ignore[type-arg]
    """The layer that says how sure, and the highest chance from which answering gains most.

    Gained is the F1 of what is answered, lost is one for each answer to a question that has none;
    counted where the rules refuse.
    """
    lex = lexicon()
    x = np.array([r.evidence(r.Asked(e.question), e.called, first(e), lex) for e in every])
    f1 = np.array([e.f1[0] for e in every])
    nothing = np.array([not e.answerable for e in every])
    model = LogisticRegression(C=_FREEDOM, fit_intercept=False, max_iter=3000)
    chance = cross_val_predict(model, x, f1 >= 0.5, cv=10, method="predict_proba")[:, 1]
    asked = np.array([not e.ruled.answered and _may(e) for e in every])
    refused = sum(not e.ruled.answered for e in every)
    print(f"{len(every)} questions, {refused} refused by the rules, out of fold:")
    print("from | answers | mean F1 | to questions without an answer | gain")
    gains = {}
    for at in np.arange(0.1, 0.95, 0.05):
        some = asked & (chance >= at)
        gains[float(at)] = float(f1[some].sum() - (some & nothing).sum())
        mean, empty = f1[some].mean() if some.any() else 0.0, int((some & nothing).sum())
        print(f"{at:.2f} | {int(some.sum())} | {mean:.2f} | {empty} | {gains[float(at)]:.1f}")
    best = max(gains.values())
    answer = max(at for at, gain in gains.items() if gain >= best - _SLACK)
    return model.fit(x, f1 >= 0.5).coef_[0], answer


def _may(e: Example) -> bool:
    """Whether the first program may be answered: it found something, and leaves no word out."""
    found = e.done[0][2] if 0 in e.done else frozenset()
    program = first(e)[0].program
    return bool(found - {"false"}) and not r.overlooked(r.Asked(e.question), program, lexicon())


def _opinion(every: list[Example]) -> tuple[np.ndarray, float]:  # type: ignore[type-arg]
    """The layer of the second opinion, and the chance of being wrong above which it doubts.

    The highest at which at most _CERTAIN of all questions are wrong but certain, out of fold.
    """
    some = [e for e in every if e.ruled.answered and e.ruled.opinion is not None]
    x = np.array([e.ruled.opinion for e in some])
    wrong = np.array([e.ruled.f1 < 0.5 for e in some])
    model = LogisticRegression(C=_FREEDOM, fit_intercept=False, max_iter=3000)
    chance = cross_val_predict(model, x, wrong, cv=10, method="predict_proba")[:, 1]
    certain = np.array([e.ruled.certain for e in some])
    missed = sum(e.ruled.certain and e.ruled.f1 < 0.5 for e in every) - (certain & wrong).sum()
    print(f"an opinion on {len(some)} answers of the rules, {certain.sum()} of them certain")
    print("doubted above | right and still certain | wrong and still certain, of all")
    doubt = 0.1
    for at in np.arange(0.1, 0.65, 0.05):
        still = certain & (chance <= at)
        left = int((still & wrong).sum() + missed)
        print(f"{at:.2f} | {int((still & ~wrong).sum())} | {left}")
        if left <= _CERTAIN * len(every):
            doubt = float(at)
    return model.fit(x, wrong).coef_[0], doubt


def _write(
    weights: np.ndarray,  # type: ignore[type-arg]
    sure: np.ndarray,  # type: ignore[type-arg]
    opinion: np.ndarray,  # type: ignore[type-arg]
    thresholds: tuple[float, float],
    out: Path,
) -> None:
    document = {
        name: {n: round(float(x), 4) for n, x in zip(names, values, strict=True)}
        for name, names, values in (
            ("features", r.FEATURES, weights),
            ("sure", r.SURE, sure),
            ("opinion", r.OPINION, opinion),
        )
    }
    answer, doubt = (round(x, 3) for x in thresholds)
    document["thresholds"] = {"answer": answer, "doubt": doubt}
    out.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    r.fitted.cache_clear()


def _examples(part: str, args: argparse.Namespace) -> list[Example]:
    kept = sorted(args.kept.glob(f"{part}*.pickle")) if args.kept else []
    if kept and not args.part:
        return list({e.question: e for file in kept for e in _unpickled(file)}.values())
    graph = open_folder(args.graph or _graph())
    found = []
    at, of = map(int, args.shard.split("/"))
    for n, e in enumerate(examples(graph, part, args.most, Meaning(), (at, of))):
        found.append(e)
        if n % 50 == 49:
            print(part, n + 1, file=sys.stderr, flush=True)
    if args.kept:
        args.kept.mkdir(parents=True, exist_ok=True)
        (args.kept / f"{part}{at}.pickle").write_bytes(pickle.dumps(found))
    return found


def _unpickled(file: Path) -> list[Example]:
    return list(pickle.loads(file.read_bytes()))


def _graph() -> Path:
    """The slice, with what was read from the answers of all sets but QALD-10.

    The triples of SimpleQuestions' training questions are added where both ends have a name.
    """
    folder = load_settings().data_dir / "benchmarks" / "fitting" / "slice"
    if not folder.is_dir():
        names = sources.DATA / "wikidata_properties" / "properties.jsonl.gz"
        with tempfile.TemporaryDirectory() as home:
            simple = Path(home) / "simple.tsv"
            head = "subject\tproperty\tobject\tsources\n"
            simple.write_text(head + "".join(sources.simple_triples()), encoding="utf-8")
            files = [sources.DATA / "wikidata_slice", names, simple]
            options = Options(leave_out=("qald10_gold",))
            load_graph(files, folder, name="Wikidata slice, to fit on", options=options)
    return folder


if __name__ == "__main__":
    main()
