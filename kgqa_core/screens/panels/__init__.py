"""What single methods show beside the steps: R3's axioms, PG&AKV's corrections, Keqing's chains.

A panel is a function of the run and the records shown so far; a row of `METHODS` names its panels.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kgqa_core.ask.events import Record
from kgqa_core.history.runs import Run
from kgqa_core.screens.panels import axioms, chains, corrections


@dataclass(frozen=True)
class Panel:
    """A tab of the run view. `draw(run, shown)`: the run, and its records up to the slider."""

    title: str
    draw: Callable[[Run, Sequence[Record]], None]


PANELS: dict[str, Panel] = {
    "axioms": Panel("Axioms", axioms.draw),
    "chains": Panel("Sub-questions", chains.draw),
    "corrections": Panel("Corrections", corrections.draw),
}
