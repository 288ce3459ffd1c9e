"""How sure the ranker is of questions as people type them: assets/ranker/weights.json, `sure`.

    python -m tests.training.typed

The public questions that `weights.py` learns from are mostly whole sentences. These (`typed*.tsv`
of tests/questions) are what people type into a box, in any order and in few words, with answers
from general knowledge; they are asked of the usual graph. The layer moves from what `weights.py`
fitted as far as they ask for it.
"""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.optimize import minimize

from kgqa_core.ask.run import Toolkit, run
from kgqa_core.llm.offline import Offline
from kgqa_core.methods import METHODS
from kgqa_core.opening import open_graph
from kgqa_core.reader import evidence as r
from kgqa_core.reader import ranker
from kgqa_core.reader.meaning import FOLDER
from kgqa_core.settings import load_settings
from tests.measure import gold
from tests.places import TESTS

_STRENGTH = 30.0  # of the pull towards the layer as it was
_ANSWER = 0.4  # answered from: below, out of ten folds, about as many are wrong as right
_LIKELY = 0.6  # no guess from here: as many are wrong as with the layer as it was
Row = tuple[tuple[float, ...], bool]


class Listening(ranker.Ranker):
    """Carries out every first program, and keeps what speaks for it and what it found."""

    last: tuple[tuple[float, ...], Any] | None = None

    def settled(self, asked: Any, ranked: Any, view: Any, least: Any) -> Any:
        program, found = self.finished(asked, ranked[0].program, view)
        first = replace(ranked[0], program=program)
        given = r.evidence(asked, [first, *ranked[1:]], found.size)
        self.last = given, found
        return super().settled(asked, ranked, view, least)


def rows() -> list[Row]:
    """Of each question that the rules refuse: what speaks for its program, and if it is right."""
    settings, listening, method = load_settings(), Listening(), METHODS["compass"]
    kg = open_graph(settings.graph, settings)
    llm = Offline(None, listening)
    out: list[Row] = []
    for file in sorted((TESTS / "questions").glob("typed*.tsv")):
        with file.open(encoding="utf-8", newline="") as lines:
            for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
                listening.last = None
                list(run(row["question"], method.solve, Toolkit(kg, llm), method.params()))
                if listening.last is not None:
                    given, found = listening.last
                    out.append((given, _right(row["gold"], found)))
    return out


def _right(wanted: str, found: Any) -> bool:
    """Whether all of it is in one of the forms that count as right."""
    if not wanted or not found.size or found.size > len(found.members):
        return False
    forms = wanted.split("|")
    return gold.agrees(wanted, found.members) or all(
        any(gold.agrees(form, [value]) for form in forms) for value in found.members
    )


def moved(start: np.ndarray, some: list[Row]) -> np.ndarray:  # type: ignore[type-arg]
    x, y = np.array([given for given, _ in some]), np.array([right for _, right in some], float)

    def loss(w: np.ndarray) -> tuple[float, np.ndarray]:  # type: ignore[type-arg]
        z, far = x @ w, w - start
        value = np.sum(np.logaddexp(0, z) - y * z) + _STRENGTH / 2 * far @ far
        return float(value), x.T @ (1 / (1 + np.exp(-z)) - y) + _STRENGTH * far

    return minimize(loss, start, jac=True, method="L-BFGS-B").x  # type: ignore[no-any-return]


def main() -> None:
    file = FOLDER / "weights.json"
    document = json.loads(file.read_text(encoding="utf-8"))
    some = rows()
    start = np.array([document["sure"][name] for name in r.SURE])
    sure = moved(start, some)
    document["sure"] = {name: round(float(w), 4) for name, w in zip(r.SURE, sure, strict=True)}
    document["thresholds"] |= {"answer": _ANSWER, "likely": _LIKELY}
    file.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    print(f"{len(some)} questions that the rules refuse, {sum(y for _, y in some)} read rightly")


if __name__ == "__main__":
    main()
