"""What single methods show beside the steps: Compass's plan, R3's axioms, PG&AKV's corrections, …

A panel is a function of the run and the records shown so far, and a row of the table below.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kgqa_core.ask.events import Record
from kgqa_core.history.runs import Run
from kgqa_core.screens.panels import axioms, chains, compass, corrections


@dataclass(frozen=True)
class Panel:
    """A tab of the run view. `draw(run, shown)`: the run, and its records up to the slider."""

    title: str
    draw: Callable[[Run, Sequence[Record]], None]
    methods: frozenset[str]  # whose runs have it


PANELS = (
    Panel("Plan", compass.draw, frozenset({"compass"})),
    Panel("Axioms", axioms.draw, frozenset({"r3"})),
    Panel("Sub-questions", chains.draw, frozenset({"keqing"})),
    Panel("Corrections", corrections.draw, frozenset({"pgakv"})),
)
