"""Recipes on the Benchmarks page: a paper's table with ours beside it, measured from here."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from kgqa_core.errors import KGQAError, SettingsError
from kgqa_core.evaluation import jobs, recipes
from kgqa_core.evaluation.catalogue import CATALOGUE
from kgqa_core.evaluation.recipes import RECIPES, Choices, Column, Recipe, Task
from kgqa_core.methods import presets
from kgqa_core.render.steps import escape
from kgqa_core.screens import session, widgets
from kgqa_core.screens.benchmarks import results
from kgqa_core.text import counted

_NOT_HERE = "questions not here"
_LOOK_S = 5.0  # between two looks at a table that grows


def recipes_view() -> None:
    """Which table, over which questions, at whose settings; below it the table."""
    st.caption(
        "Measures every line of a paper's table anew and sets the result beside the printed figure."
    )
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    name = left.selectbox("Table of a paper", list(RECIPES), key="bench:recipe", format_func=_title)
    preset = right.segmented_control(
        "Parameters",
        [presets.PUBLISHED, presets.OURS],
        default=presets.PUBLISHED,
        required=True,
        format_func=widgets.preset_title,
        key="bench:recipe-preset",
    )
    recipe = RECIPES[name]
    columns = recipes.columns(recipe, session.environment().data_dir, _folder())
    if lacking := [_lacking(column) for column in columns if column.missing]:
        st.info("Questions that are not here yet:\n" + "".join(f"\n- {one}" for one in lacking))
    if any(column.path for column in columns):
        _start(recipe, columns, preset)
    _table(recipe, columns, preset)


def _title(name: str) -> str:
    recipe = RECIPES[name]
    return f"{recipe.source}, {', '.join(recipe.tables)}: {recipe.title}"


def _lacking(column: Column) -> str:
    """Where the questions of a column are to be had, for somebody on the page."""
    source = recipes.SOURCES[column.dataset]
    entry = CATALOGUE.get(source.entry)
    if entry is None:
        return escape(column.missing.replace("the --data folder", "the folder above"))
    if entry.url:
        return f"{escape(column.dataset)}: download {escape(entry.title)} under “Question sets”."
    home = f"[its page]({entry.home})"
    return f"{escape(column.dataset)}: get it from {home}. {entry.by_hand}"


def _folder() -> Path | None:
    text = st.text_input(
        "Folder with question sets",
        key="bench:recipe-data",
        placeholder="a folder on this machine; empty: what was downloaded",
    ).strip()
    if not text:
        return None
    settings, path = session.environment(), Path(text).expanduser()
    if settings.hosted and not path.resolve().is_relative_to(settings.data_dir.resolve()):
        st.error("A hosted app opens only folders in its data folder.")
        return None
    if not path.is_dir():
        st.error(f"There is no folder {escape(text)}.")
        return None
    return path


def _start(recipe: Recipe, columns: list[Column], preset: str) -> None:
    one, two, three, four = st.columns([3, 3, 2, 2], vertical_alignment="bottom")
    with one:
        graph = widgets.graph_box()
    with two:
        model = widgets.model_box()
    count = three.number_input(
        "Questions", 1, None, None, key="bench:recipe-count", placeholder="all"
    )
    regold = four.toggle(
        "Renew the gold",
        key="bench:recipe-regold",
        help="Runs the gold SPARQL on this graph and takes its results as right",
    )
    choices = Choices(
        graph=graph, llm=model, limit=count, traces=True, regold=regold, preset=preset
    )
    try:
        kg = session.graph(graph) if _pooled(recipe) else None
        every = recipes.tasks(recipe, columns, choices, kg)
        made = [task for task in every if not task.plan.encoder]
        bill = recipes.bill(made, _out(recipe, preset))
    except KGQAError as error:
        st.error(escape(str(error)))
        return
    if len(made) < len(every):
        st.caption("Lines that need another encoder are measured from the shell.")
    cost = "it costs nothing with the built-in reader"
    if model != "offline":
        cost = f"about {bill.calls:,} model calls, {sum(bill.tokens):,} tokens, maybe twice as many"
    st.caption(
        f"{counted(len(made), 'line')}, {counted(bill.questions, 'question')} left to ask: "
        f"{cost}. From a shell: "
        f"`kgqa bench --recipe {recipe.name}`"
    )
    if st.button(
        "Start",
        key="bench:recipe-start",
        type="primary",
        icon=":material/play_arrow:",
        disabled=not bill.questions,
    ):
        _begin(made, _out(recipe, preset))


def _begin(made: list[Task], out: Path) -> None:
    try:
        results.start_all([(task.plan, out / task.place) for task in made])
    except SettingsError as error:
        st.error(escape(str(error)))
        return
    session.redraw()


def _pooled(recipe: Recipe) -> bool:
    return any("linking=pool" in line.params for line in recipes.lines(recipe))


def _out(recipe: Recipe, preset: str) -> Path:
    name = f"recipe-{recipe.name}-{preset.replace(' ', '-')}"
    return jobs.folder_of(session.environment().data_dir) / name


def _table(recipe: Recipe, columns: list[Column], preset: str) -> None:
    """Redrawn by itself while something is being measured."""

    @st.fragment(run_every=_LOOK_S if results.running() else None, key="bench:recipe-table")
    def draw() -> None:
        out = _out(recipe, preset)
        rows = recipes.table(recipe, columns, recipes.read(out), preset)
        absent = {column.missing for column in columns if column.missing}
        st.dataframe(
            [
                {
                    "questions": row.figure.dataset,
                    "system": row.figure.system,
                    "model": row.figure.model,
                    "metric": row.figure.metric,
                    "published": row.document()["published"],
                    "ours": row.ours.value if row.ours else None,
                    "interval": f"{row.ours.low:.3f} … {row.ours.high:.3f}" if row.ours else None,
                    "n": row.ours.n if row.ours else None,
                    "note": _NOT_HERE if row.why in absent else row.why or row.figure.base,
                }
                for row in rows
            ],
            hide_index=True,
            height=min(38 + 35 * len(rows), 520),
            key="bench:recipe-rows",
            placeholder="–",
            column_config={
                "system": st.column_config.TextColumn(width=260),
                "published": st.column_config.NumberColumn(format="%.3f", width=80),
                "ours": st.column_config.NumberColumn(format="%.3f", width=70),
            },
            alt="The table of the paper, with ours beside it",
        )
        st.caption(
            "The printed figure, and ours at the same settings with its 95 % interval. Model and "
            "graph differ from the paper's, so compare the order of the lines."
        )

    draw()
