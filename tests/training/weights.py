"""The log-linear layers: assets/ranker/weights.json.

    python -m tests.training.weights [--kept FOLDER] [--most 200]

Questions of the part `weights` fit the layers: the one that ranks, and, with that fitted in ten
folds, the two that say how sure and give a second opinion on the rules. Questions of the part
`thresholds` set the thresholds. Nobody trained the encoder on either; examples.py says what is
asked, and of which graphs.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from kgqa_core.facts.terms import RelationUse
from kgqa_core.reader import evidence as r
from kgqa_core.reader.lexicon import lexicon
from kgqa_core.reader.meaning import FOLDER
from kgqa_core.reader.resolve import Resolver
from tests.training.examples import START, Example, Ruled, every

Array = Any  # of numpy
_FOLDS = 10
_STRENGTH = 6.0  # of the pull towards START
_FREEDOM = {"sure": 3.0, "opinion": 1.0}  # of the layers that say so
_RIGHT = 0.5  # F1 from which an answer counts as right
_STEEP = np.array([10.0 if name in {"cosine", "below best"} else 1.0 for name in r.FEATURES])
_BARE = 0.25  # what a question counts that was made to have no answer
_SLACK = 2.0  # questions; gains that differ by less are the same
_CERTAIN = 0.022  # wrong but certain, of all questions, at most: on others there will be more


# -- the layer that ranks ------------------------------------------------------------------


def fit(found: Sequence[Example]) -> Array:
    """Maximum likelihood of the right programs among all, not far from START."""
    use = [e for e in found if e.f1.max(initial=0) >= _RIGHT]
    x = np.concatenate([np.array([one.features for one in e.ranked]) for e in use]) * _STEEP
    right = np.concatenate([e.f1 >= e.f1.max() - 1e-9 for e in use])
    many = np.array([len(e.ranked) for e in use])
    first = np.cumsum(many) - many
    start = np.array([START[name] for name in r.FEATURES]) / _STEEP

    def loss(w: Array) -> tuple[float, Array]:
        s = x @ w
        p = np.exp(s - np.repeat(np.maximum.reduceat(s, first), many))
        every_, good = np.add.reduceat(p, first), np.add.reduceat(p * right, first) + 1e-300
        slope = p * right / np.repeat(good, many) - p / np.repeat(every_, many)
        far = w - start
        value = np.log(every_ / good).sum() + _STRENGTH / 2 * (far**2).sum()
        return float(value), _STRENGTH * far - x.T @ slope

    from scipy.optimize import minimize  # imported by those who fit: that takes seconds

    return minimize(loss, start, jac=True, method="L-BFGS-B").x * _STEEP


def rescored(e: Example, w: Array, resolver: Resolver) -> Example:
    """The programs with their features as they are now, in the order of the weights.

    Those that were not carried out count as wrong.
    """
    again = _weighed(e.question, e.called, e.ranked, w, resolver)
    order = sorted(range(len(again)), key=lambda n: -again[n].score)
    done = {n: e.done[i] for n, i in enumerate(order) if i in e.done}
    return replace(e, ranked=[again[i] for i in order], done=done)


def _weighed(
    question: str, called: Any, ranked: Sequence[r.Ranked], w: Array, resolver: Resolver
) -> list[r.Ranked]:
    asked = r.Asked(question, resolver, called)
    near = [x.features[0] for x in ranked]
    out = []
    for x, cosine in zip(ranked, near, strict=True):
        f = r.features(asked, x.program, cosine, max(near))
        out.append(r.Ranked(x.program, f, float(np.array(f) @ w)))
    return out


def folded(found: Sequence[Example], resolver: Resolver) -> list[Weighed]:
    """Each as weights rank it that were fitted on the other folds."""
    out = []
    for fold in range(_FOLDS):
        w = fit([e for e in found if _fold(e) != fold])
        out += [Weighed(rescored(e, w, resolver), w) for e in found if _fold(e) == fold]
    return out


@dataclass(frozen=True)
class Weighed:
    """An example in the order of these weights."""

    example: Example
    w: Array


def _fold(e: Example) -> int:
    """By the question: it may be asked of two graphs."""
    return hashlib.blake2b(e.question.casefold().encode(), digest_size=4).digest()[0] % _FOLDS


def ablated(one: Weighed) -> Weighed | None:
    """As if the graph did not have what was asked for: without the ways that lead there.

    None where they are not known.
    """
    e = one.example
    if e.f1.max(initial=0) < _RIGHT:
        return None
    right = {_along(e.ranked[n].program.last) for n, d in e.done.items() if d.f1 > 0}
    left = [
        n for n, x in enumerate(e.ranked)
        if not (right & {_along(u) for u in r.all_uses(x.program)} or e.f1[n] > 0)
    ]  # fmt: skip
    if not left:
        return None
    done = {n: e.done[i] for n, i in enumerate(left) if i in e.done}
    ranked, silent = [e.ranked[n] for n in left], Ruled(False, False, 0.0, None)
    return Weighed(replace(e, ranked=ranked, done=done, gold=frozenset(), ruled=silent), one.w)


def _along(use: RelationUse) -> tuple[str, str]:
    return use.relation.id, use.direction


# -- how sure ------------------------------------------------------------------------------


class Judged:
    """Examples as columns: what the first program and the rules found, and what speaks for them."""

    def __init__(self, found: Sequence[Weighed], resolver: Resolver) -> None:
        ranked = [one.example for one in found]
        first = [e.done.get(0) for e in ranked]
        self.there = np.array([e.answerable for e in ranked])
        self.f1 = np.array([d.f1 if d else 0.0 for d in first])
        self.may = np.array([d is not None and d.fit for d in first])
        self.best = np.array([e.f1.max(initial=0) for e in ranked])
        self.answered = np.array([e.ruled.answered for e in ranked])
        self.certain = np.array([e.ruled.certain for e in ranked])
        self.ruled = np.array([e.ruled.f1 for e in ranked])
        self.sure = np.array([_evidence(e, resolver) for e in ranked])
        opinions = [_opinion(one, resolver) for one in found]
        self.heard = np.array([o is not None for o in opinions])
        self.opinion = np.array([o or (0.0,) * len(r.OPINION) for o in opinions])


def _evidence(e: Example, resolver: Resolver) -> tuple[float, ...]:
    """Of the first program as it was carried out."""
    asked, done, ranked = r.Asked(e.question, resolver, e.called), e.done.get(0), e.ranked
    if done:
        ranked = [replace(ranked[0], program=done.program), *ranked[1:]]
    return r.evidence(asked, ranked, done.size if done else 1)


def _opinion(one: Weighed, resolver: Resolver) -> tuple[float, ...] | None:
    e, heard = one.example, one.example.ruled.heard
    if heard is None or not e.ruled.answered:
        return None
    every_ = _weighed(e.question, heard.called, heard.ranked, one.w, resolver)
    mine = next(x for x in every_ if x.program == heard.mine.program)
    ranked = sorted(every_, key=lambda x: -x.score)
    asked = r.Asked(e.question, resolver, heard.called)
    return r.opinion(asked, mine, ranked, more=heard.more, guess=heard.guess)


def layer(name: str, x: Array, y: Array, counts: Array | None = None) -> Array:
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=_FREEDOM[name], fit_intercept=False, max_iter=3000)
    return model.fit(x, y, sample_weight=counts).coef_[0]


def chances(x: Array, w: Array) -> Array:
    return 1 / (1 + np.exp(-(x @ w)))


def answer_from(some: Judged, sure: Array, bare: Judged, fooled: Array) -> float:
    """The highest chance from which answering gains most, where the rules refuse.

    Gained is the F1 of what is answered, lost is one for each answer to a question that has none,
    and a quarter where it was made to have none (`bare`, and its chances).
    """
    refused = ~some.answered
    print(f"{len(some.f1)} questions, {refused.sum()} refused by the rules; {len(fooled)} bare")
    print("from | answers | mean F1 | to questions without an answer | to bare ones | gain")
    gains = {}
    for at in np.arange(0.1, 0.95, 0.05):
        told = refused & some.may & (sure >= at)
        empty = int((told & ~some.there).sum())
        lost = int((bare.may & (fooled >= at)).sum())
        gain = gains[float(at)] = float(some.f1[told].sum() - empty - _BARE * lost)
        mean = some.f1[told].mean() if told.any() else 0.0
        print(f"{at:.2f} | {told.sum()} | {mean:.2f} | {empty} | {lost} | {gain:.1f}")
    return max(at for at, gain in gains.items() if gain >= max(gains.values()) - _SLACK)


def doubt_above(some: Judged, wrong: Array) -> float:
    """The chance of being wrong above which a reading of the rules is doubted.

    The highest at which at most _CERTAIN of all questions are wrong but certain.
    """
    bad = some.certain & (some.ruled < _RIGHT)
    print(f"an opinion on {some.heard.sum()} answers of the rules; certain: {some.certain.sum()}")
    print("doubted above | right and still certain | wrong and still certain, of all")
    doubt = 0.1
    for at in np.arange(0.1, 0.65, 0.05):
        doubted = some.heard & (wrong > at)
        left = int((bad & ~doubted).sum())
        print(f"{at:.2f} | {int((some.certain & ~bad & ~doubted).sum())} | {left}")
        if left <= _CERTAIN * len(wrong):
            doubt = float(at)
    return doubt


def surer_by(some: Judged, sure: Array, wrong: Array, answer: float, doubt: float) -> float:
    """By how much the ranker has to be surer than the rules where it answers in their place."""
    print("surer by | answers in place of the rules' | F1 gained")
    gains = {}
    for by in np.arange(-0.2, 0.45, 0.1):
        least = np.maximum(answer, 1 - wrong + by)
        told = some.heard & some.may & (wrong > doubt) & (sure >= least)
        gains[float(by)] = float((some.f1[told] - some.ruled[told])[some.there[told]].sum())
        print(f"{by:.1f} | {told.sum()} | {gains[float(by)]:.1f}")
    return max(by for by, gain in gains.items() if gain >= max(gains.values()) - _SLACK)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, default=200, help="questions of a set in a part")
    parser.add_argument("--kept", type=Path, help="where examples are kept")
    args = parser.parse_args()
    resolver, start = Resolver(lexicon()), np.array([START[name] for name in r.FEATURES])
    made = every(args.most, args.kept)  # those that were kept may have other features
    found = {part: [rescored(e, start, resolver) for e in some] for part, some in made.items()}
    weights = fit(found["weights"])
    learning = folded(found["weights"], resolver)
    again = [Weighed(rescored(e, weights, resolver), weights) for e in found["thresholds"]]
    learned, apart = Judged(learning, resolver), Judged(again, resolver)
    lacking, bare = (
        Judged([one for one in map(ablated, some) if one], resolver) for some in (learning, again)
    )
    for part, some in (("weights, out of fold", learned), ("thresholds", apart)):
        first, best = some.f1[some.there].mean(), some.best[some.there].mean()
        print(f"{part}: first {first:.3f}, best {best:.3f}, {some.there.sum()} + "
              f"{(~some.there).sum()} questions")  # fmt: skip
    sure = layer(
        "sure",
        np.concatenate([learned.sure, lacking.sure]),
        np.concatenate([learned.f1 >= _RIGHT, np.zeros(len(lacking.f1), dtype=bool)]),
        np.array([1.0] * len(learned.f1) + [_BARE] * len(lacking.f1)),
    )
    opinion = layer(
        "opinion", learned.opinion[learned.heard], learned.ruled[learned.heard] < _RIGHT
    )
    right, wrong = chances(apart.sure, sure), chances(apart.opinion, opinion)
    answer = answer_from(apart, right, bare, chances(bare.sure, sure))
    doubt = doubt_above(apart, wrong)
    surer = surer_by(apart, right, wrong, answer, doubt)
    thresholds = {"answer": answer, "likely": answer, "doubt": doubt, "surer": surer}
    _write(weights, sure, opinion, thresholds, FOLDER / "weights.json")


def _write(
    weights: Array, sure: Array, opinion: Array, thresholds: dict[str, float], out: Path
) -> None:
    document = {
        name: {n: round(float(x), 4) for n, x in zip(names, values, strict=True)}
        for name, names, values in (
            ("features", r.FEATURES, weights),
            ("sure", r.SURE, sure),
            ("opinion", r.OPINION, opinion),
        )
    }
    document["thresholds"] = {name: round(x, 3) for name, x in thresholds.items()}
    out.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
