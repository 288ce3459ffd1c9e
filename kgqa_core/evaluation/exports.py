"""Benchmarks as files: a table as CSV, LaTeX, Markdown and JSON, the grid of questions as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any

from kgqa_core.evaluation.metrics import HEADLINE
from kgqa_core.evaluation.report import LEVEL, Asked, Bench, Cell, pairs, table
from kgqa_core.text import counted


def as_csv(benches: Sequence[Bench], metric: str = HEADLINE, *, trivial: bool = True) -> str:
    """A line for every cell, with all it takes to judge the number."""
    found = table(benches, metric, trivial=trivial)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(
        "dataset,method,model,graph,metric,value,low,high,questions,p_against_best,"
        "abstained,failed,wrong_but_certain,llm_calls,tokens,kg_requests,seconds,seed,"
        "version,started_at".split(",")
    )
    for column in found.columns:
        for row in found.rows:
            if (cell := found.get(row, column)) is None:
                continue
            bench, config = cell.bench, cell.bench.config
            verdicts = [r.verdict for r in bench.rows]
            each = [bench.each(n) for n in ("llm_calls", "tokens", "kg_requests", "seconds")]
            writer.writerow(
                _safe(value)
                for value in (
                    column,
                    row,
                    config.model,
                    config.graph,
                    metric,
                    f"{cell.estimate.value:.4f}",
                    f"{cell.estimate.low:.4f}",
                    f"{cell.estimate.high:.4f}",
                    cell.estimate.n,
                    "" if cell.p is None else f"{cell.p:.4g}",
                    verdicts.count("abstained"),
                    verdicts.count("failed"),
                    sum(r.wrong_but_certain for r in bench.rows),
                    *(f"{value:.3f}" for value in each),
                    config.seed,
                    config.version,
                    config.started_at,
                )
            )
    return out.getvalue()


def questions_csv(asked: Sequence[Asked]) -> str:
    """The grid of questions: a line each, a column for every method."""
    names = list(dict.fromkeys(name for one in asked for name in one.runs))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["id", "question", "class", "gold", *names, *(f"{n}: cause" for n in names)])
    for one in asked:
        runs = [one.runs.get(name, ()) for name in names]
        writer.writerow(
            _safe(value)
            for value in (
                one.id,
                one.question,
                " ".join(one.classes),
                one.gold,
                *("/".join(r.verdict for r in rows) for rows in runs),
                *("/".join(r.cause for r in rows if r.cause) for rows in runs),
            )
        )
    return out.getvalue()


def _safe(value: Any) -> Any:
    """A cell that a spreadsheet would take for a formula becomes text."""
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@") else value


def as_latex(benches: Sequence[Bench], metric: str = HEADLINE, *, trivial: bool = True) -> str:
    """A table for a paper (`booktabs`): the best bold, where it was not seen, the worse marked."""
    found = table(benches, metric, trivial=trivial)
    titles = [_latex(c) + r" (\emph{seen})" * found.seen(c) for c in found.columns]
    head = " & ".join(["Method", *titles])
    body = []
    for row in found.rows:
        cells = [_latex_cell(found.get(row, column)) for column in found.columns]
        body.append(" & ".join([_latex(row), *cells]) + r" \\")
    sizes = {
        column: max(c.estimate.n for (_, at), c in found.cells.items() if at == column)
        for column in found.columns
    }
    asked = "; ".join(f"{_latex(column)}: {counted(n, 'question')}" for column, n in sizes.items())
    return "\n".join(
        [
            r"\begin{tabular}{l" + "c" * len(found.columns) + "}",
            r"\toprule",
            head + r" \\",
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            f"% {_latex(metric)}, 95 % bootstrap intervals. {asked}.",
            f"% Dagger: worse than the best of the column, p < {LEVEL} (McNemar, or paired t for",
            "% graded scores; Holm-corrected).",
            "",
        ]
    )


def _latex_cell(cell: Cell | None) -> str:
    if cell is None:
        return "--"
    value = f"{cell.estimate.value:.3f}"
    value = rf"\textbf{{{value}}}" if cell.bold else value
    mark = r"$^\dagger$" if cell.worse else ""
    return rf"{value}{mark} {{\scriptsize[{cell.estimate.low:.2f}, {cell.estimate.high:.2f}]}}"


_LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        **{mark: f"\\{mark}" for mark in "&%$#_{}"},
    }
)


def _latex(text: str) -> str:
    return " ".join(text.split()).translate(_LATEX)


def as_markdown(benches: Sequence[Bench], metric: str = HEADLINE, *, trivial: bool = True) -> str:
    """The table as the README shows it."""
    found = table(benches, metric, trivial=trivial)
    sizes = [
        max(c.estimate.n for (_, at), c in found.cells.items() if at == column)
        for column in found.columns
    ]
    titles = [
        f"{_bar(c)} ({n:,}{', *seen*' * found.seen(c)})"
        for c, n in zip(found.columns, sizes, strict=True)
    ]
    rows = [
        " | ".join([_bar(row), *(_markdown_cell(found.get(row, c)) for c in found.columns)])
        for row in found.rows
    ]
    head = " | ".join(["method", *titles])
    rule = " | ".join(["---"] * (len(titles) + 1))
    return "\n".join(f"| {line} |" for line in [head, rule, *rows]) + "\n"


def _markdown_cell(cell: Cell | None) -> str:
    if cell is None:
        return ""
    value = f"{cell.estimate.value:.2f}"
    mark = " †" if cell.worse else ""
    shown = f"**{value}**" if cell.bold else value
    return f"{shown}{mark} [{cell.estimate.low:.2f}, {cell.estimate.high:.2f}]"


def _bar(text: str) -> str:
    return " ".join(text.split()).replace("|", "/")


def document(benches: Sequence[Bench], metric: str = HEADLINE) -> dict[str, Any]:
    """What `compare --json` prints."""
    found = table(benches, metric)
    return {
        "metric": metric,
        "cells": [
            {
                "dataset": column,
                "method": row,
                **cell.estimate.document(),
                "best": cell.best,
                "p_against_best": cell.p,
                "complete": cell.bench.complete,
                "folder": str(cell.bench.folder),
            }
            for (row, column), cell in found.cells.items()
        ],
        "pairs": [
            {
                "dataset": pair.column,
                "methods": [pair.ours, pair.theirs],
                "gap": pair.comparison.gap.document(),
                "test": pair.comparison.test,
                "p": pair.comparison.p_value,
                "p_corrected": pair.p,
                "first_only": list(pair.comparison.ours_only),
                "second_only": list(pair.comparison.theirs_only),
            }
            for pair in pairs(benches, metric)
        ],
    }
