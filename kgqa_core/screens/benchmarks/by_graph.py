"""Benchmarks: the same questions over several graphs, side by side (PG&AKV, Table III)."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from kgqa_core.evaluation import report
from kgqa_core.evaluation.by_graph import ByGraph, by_graph
from kgqa_core.evaluation.report import Bench
from kgqa_core.render.steps import escape


def graphs_view(benches: Sequence[Bench], metric: str, trivial: bool) -> None:
    """A table for each question set that was asked over several graphs; nothing without one."""
    found = by_graph(benches, metric, trivial=trivial)
    if not found:
        return
    st.markdown("**The same questions over other graphs**")
    for one in found:
        st.table(_rows(one), width="stretch", border="horizontal", alt=f"{one.title} by graph")
    st.caption(_legend(found))


def _rows(one: ByGraph) -> dict[str, list[str]]:
    """Columns of Markdown; what is not ours in it is escaped."""
    rows = {escape(one.title): [f"**{escape(method)}**" for method in one.methods]}
    for graph in one.graphs:
        rows[f"on {escape(graph)}"] = [_cell(one, method, graph) for method in one.methods]
    return rows


def _cell(one: ByGraph, method: str, graph: str) -> str:
    cell = one.cells.get((method, graph))
    if cell is None:
        return ":gray[–]"
    e = cell.estimate
    value = f"**{e.value:.2f}**" if cell.best else f"{e.value:.2f}"
    mark = " †" if cell.worse else ""
    gain = one.gain(method, graph)
    more = "" if gain is None else f" :small[{gain:+.2f}]"
    span = f"{e.low:.2f}\u2060–\u2060{e.high:.2f}"  # word joiners: it stays on one line
    left = "" if cell.bench.complete else f" :orange[{len(cell.bench.rows):,} so far]"
    return f"{value}{mark}{more} :small[:gray[{span}]]{left}"


def _legend(found: Sequence[ByGraph]) -> str:
    said = "Methods that were asked the same questions over two graphs or more; **bold**: where a "
    said += "method does best."
    if any(cell.worse for one in found for cell in one.cells.values()):
        said += f" †: worse than there, p < {report.LEVEL} (paired, Holm-corrected)."
    alone = dict.fromkeys(one.baseline[0] for one in found if one.baseline is not None)
    if alone:
        said += f" Signed numbers: the gain over {' and '.join(alone)}, the model alone."
    return said
