"""Benchmarks on the page: what goes on, and the results as table, charts and exports."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Any, TypeVar

import streamlit as st

from kgqa_core.ask.setup import Setup
from kgqa_core.errors import KGQAError, SettingsError
from kgqa_core.evaluation import exports, jobs, report, results
from kgqa_core.evaluation.jobs import Job, Plan
from kgqa_core.evaluation.metrics import HEADLINE, METRICS
from kgqa_core.evaluation.report import Bench, Shelf
from kgqa_core.evaluation.sets import SHIPPED
from kgqa_core.methods import METHODS
from kgqa_core.render import charts
from kgqa_core.render.steps import escape
from kgqa_core.screens import session, visitor, widgets
from kgqa_core.screens.benchmarks.by_graph import graphs_view
from kgqa_core.text import counted

Made = TypeVar("Made")
_MOST_MADE = 64  # tables and charts that are kept
_TICK_S = 1.0  # between two looks at a benchmark that goes on
_LOOK_S = 5.0  # between two looks at the results of one
_MOST_METHODS = 4  # in the bars by class, unless somebody asks for more


@st.cache_resource
def all_jobs() -> list[Job]:
    """Every benchmark of this process: it goes on, whoever looks."""
    return []


@st.cache_resource
def shelf() -> Shelf:
    """The results that were opened; each look reads only what was added."""
    return Shelf()


@st.cache_resource
def _made() -> dict[tuple[object, ...], tuple[tuple[Bench, ...], Any]]:
    """What was made of benchmarks, with those it was made of."""
    return {}


def once(benches: Iterable[Bench], what: tuple[object, ...], make: Callable[[], Made]) -> Made:
    """What `make` makes of these benchmarks, made once until something is added to one of them.

    A benchmark is the same object until then, see `Shelf`. To compare them and to describe charts
    takes ten times as long as all the rest of the page.
    """
    made, of = _made(), tuple(benches)
    key = (*what, *map(id, of))
    if key not in made or any(a is not b for a, b in zip(made[key][0], of, strict=True)):
        while len(made) >= _MOST_MADE:
            with suppress(KeyError, RuntimeError, StopIteration):  # another visitor was quicker
                del made[next(iter(made))]
        made[key] = of, make()
    found: Made = made[key][1]
    return found


def _chart(
    benches: Iterable[Bench],
    what: tuple[object, ...],
    make: Callable[[], charts.Chart],
    *,
    key: str,
    alt: str,
) -> None:
    spec = once(benches, what, lambda: make().to_json(indent=None))
    st.vega_lite_chart(spec=json.loads(spec), key=key, alt=alt)  # it writes into what it is given


def running() -> bool:
    return any(job.running for job in all_jobs())


# -- what goes on --------------------------------------------------------------------------


def start(plan: Plan, out: Path) -> None:
    """Begins or goes on with a benchmark. Raises SettingsError for what cannot be begun."""
    opener = _opener(plan)
    _make_way(out)
    all_jobs().insert(0, Job(plan, out, opener, session.settings()))


def start_all(plans: Sequence[tuple[Plan, Path]]) -> None:
    """Benchmarks one after the other; one that is stopped ends the series. Raises as `start`."""
    ready = [(plan, out, _opener(plan)) for plan, out in plans]
    for _, out in plans:
        _make_way(out)
    jobs_there, settings = all_jobs(), session.settings()

    def one(place: int) -> Job:
        plan, out, opener = ready[place]
        job = Job(plan, out, opener, settings)
        jobs_there.insert(0, job)
        return job

    def rest(job: Job) -> None:
        for place in range(1, len(ready)):
            job.wait()
            if job.stopped:
                return
            job = one(place)

    if ready:
        Thread(target=rest, args=(one(0),), name="kgqa-series", daemon=True).start()


def _opener(plan: Plan) -> Callable[[str], Setup]:
    """The setup of each method, open. Raises SettingsError for what this visitor may not ask."""
    if plan.llm == "openai" and not visitor.is_operator(session.environment()):
        raise SettingsError(
            "On this app only the operator measures methods with a model: choose the built-in "
            "reader, or run the app yourself."
        )
    params = {name: jobs.params_of(name, values) for name, values in plan.methods.items()}
    setups = {m: session.setup(METHODS[m], params[m], plan.graph, plan.llm) for m in plan.methods}
    return setups.__getitem__


def _make_way(out: Path) -> None:
    """An earlier card of the same benchmark goes. Raises SettingsError while it is running."""
    if any(job.running and job.out == out for job in all_jobs()):
        raise SettingsError("This benchmark is running already.")
    all_jobs()[:] = [job for job in all_jobs() if job.out != out]


def jobs_view() -> None:
    """A card for each benchmark that goes on or has just ended, and those that were broken off."""
    here = list(all_jobs())  # a series puts its next one into the list at any time
    for job in here:
        _card(job)
    known = {job.out for job in here}
    left = [
        (out, plan)
        for out, plan in jobs.unfinished(session.environment().data_dir)
        if out not in known and out not in st.session_state.get("bench:hidden", ())
    ]
    for out, plan in left[:3]:
        _broken_off(out, plan)


def _card(job: Job) -> None:
    every = _TICK_S if job.running else None

    @st.fragment(run_every=every, key=f"bench:job:{_key(job)}")
    def draw() -> None:
        if every and not job.running:
            session.redraw()  # nothing is called done before its results are there
        with st.container(border=True, gap="small"):
            _progress(job)

    draw()


def _key(job: Job) -> str:
    """Rows of two recipes may have one name, in folders of two names."""
    return f"{job.out.parent.name}/{job.out.name}"


def _progress(job: Job) -> None:
    key, now = _key(job), job.progress
    methods = list(job.plan.methods)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"**{escape(_name(job.plan))}**", width="content")
        if job.running:
            at = f" {methods.index(job.method) + 1} of {len(methods)}" if len(methods) > 1 else ""
            st.badge(f"{widgets.method_title(job.method)}{at}", color="blue")
        elif job.stopped:
            st.badge("stopped", icon=":material/stop_circle:", color="orange")
        else:
            st.badge("done", icon=":material/check:", color="green")
        if job.running:
            st.button(
                "Stopping …" if job.stopping else "Stop",
                key=f"bench:stop:{key}",
                icon=":material/stop_circle:",
                on_click=job.stop,
                disabled=job.stopping,
            )
        else:
            if job.stopped and st.button(
                "Go on", key=f"bench:again:{key}", icon=":material/play_arrow:"
            ):
                _go_on(job.out, job.plan)
            if st.button("Hide", key=f"bench:hide:{key}", icon=":material/close:"):
                all_jobs()[:] = [one for one in all_jobs() if one is not job]
                st.session_state.setdefault("bench:hidden", set()).add(job.out)
                session.redraw()
    if now is None:
        if job.running:
            st.progress(0.0, "Reading the questions …")
    else:
        st.progress(min(1.0, now.done / max(1, now.planned)), _line(job))
    if job.stopped:
        st.warning(escape(job.stopped), icon=":material/info:")
    if job.notes:
        st.caption(" ".join(map(escape, list(dict.fromkeys(job.notes))[:4])))


def _line(job: Job) -> str:
    now = job.progress
    assert now is not None
    tokens = now.cost.prompt_tokens + now.cost.completion_tokens
    parts = [
        f"{now.done:,} of {now.planned:,}",
        f"{now.right:,} right, {now.abstained:,} abstained, {now.failed:,} failed",
        f"{counted(now.cost.llm_calls, 'model call')}, {tokens:,} tokens",
    ]
    if job.running and now.seconds_left is not None:
        parts.insert(1, f"{now.rate:.1f}/s, {_clock(now.seconds_left)} left")
    return " · ".join(parts)


def _clock(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def _broken_off(out: Path, plan: Plan) -> None:
    with st.container(border=True, horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"**{escape(_name(plan))}**", width="content")
        st.badge("not finished", icon=":material/pause_circle:", color="orange")
        names = ", ".join(widgets.method_title(name) for name in plan.methods)
        st.caption(f"{escape(names)} on “{escape(plan.graph)}”")
        if st.button("Go on", key=f"bench:resume:{out.name}", icon=":material/play_arrow:"):
            _go_on(out, plan)
        if st.button("Hide", key=f"bench:forget:{out.name}", icon=":material/close:"):
            st.session_state.setdefault("bench:hidden", set()).add(out)
            session.redraw()


def _go_on(out: Path, plan: Plan) -> None:
    try:
        start(plan, out)
    except KGQAError as error:
        st.error(escape(str(error)))
        return
    session.redraw()


def _name(plan: Plan) -> str:
    return plan.title or plan.dataset.name


# -- which results -------------------------------------------------------------------------


def found_results() -> list[Bench]:
    """The benchmarks of the sources that are switched on; says what cannot be read."""
    data_dir = session.environment().data_dir
    sources: dict[str, Path] = {
        "Ships with the app": SHIPPED / "results",
        "Yours": jobs.folder_of(data_dir),
    }
    for path in st.session_state.get("bench:folders", ()):
        sources[Path(path).name or path] = Path(path)
    there = {name: folders for name, at in sources.items() if (folders := results.find(at))}
    chosen = list(there)
    if len(there) > 1:
        chosen = st.pills(
            "Results",
            list(there),
            selection_mode="multi",
            default=list(there),
            format_func=escape,
            key=f"bench:sources:{len(there)}",
            label_visibility="collapsed",
        )
    benches = []
    for folder in (folder for name in chosen for folder in there[name]):
        try:
            benches.append(shelf().open(folder))
        except SettingsError as error:
            st.error(escape(str(error)))
    return [bench for bench in benches if bench.rows]


def folder_box() -> None:
    """Opens any folder that `bench` made."""
    settings = session.environment()
    text = st.text_input(
        "Folder with results",
        key="bench:folder",
        placeholder="as given to `bench --out`",
        help="Made by `python -m kgqa_core bench`; one with several folders in it opens them all",
    )
    if st.button("Open", key="bench:open", icon=":material/folder_open:") and text.strip():
        path = Path(text.strip()).expanduser()
        inside = path.resolve().is_relative_to(settings.data_dir.resolve())
        if settings.hosted and not inside:
            st.error("A hosted app opens only folders in its data folder.")
        elif not results.find(path):
            st.error(f"{escape(str(path))} holds no benchmark. Choose a folder made by `bench`.")
        else:
            opened = st.session_state.setdefault("bench:folders", [])
            if str(path) not in opened:
                opened.append(str(path))
            session.redraw()


# -- the results ---------------------------------------------------------------------------


def results_view() -> None:
    """Redrawn by itself while a benchmark goes on."""

    @st.fragment(run_every=_LOOK_S if running() else None, key="bench:results")
    def draw() -> None:
        if benches := found_results():
            _results(report.newest(benches))
        else:
            nothing_yet()
        with st.expander("Open results of the shell", key="bench:open-folder"):
            folder_box()

    draw()


def _results(benches: list[Bench]) -> None:
    names = report.columns(benches)
    left, middle, right = st.columns([5, 3, 3], vertical_alignment="bottom")
    picked = left.multiselect(
        "Question sets", list(names.values()), key="bench:sets", placeholder="all", default=None
    )
    if picked:
        benches = [bench for bench in benches if names[bench.what] in picked]
    measured = [m for m in METRICS if any(m in r.scores for b in benches for r in b.rows)]
    if st.session_state.get("bench:metric") not in measured:
        st.session_state["bench:metric"] = HEADLINE if HEADLINE in measured else measured[0]
    metric = middle.selectbox(
        "Metric", measured, key="bench:metric", format_func=_words, help=_metrics_help()
    )
    trivial = True
    if any(row.trivial for bench in benches for row in bench.rows):
        trivial = not right.toggle(
            "Without trivial questions",
            key="bench:trivial",
            help="Leaves out the questions that an empty graph would answer right: "
            "no to every yes/no question, 0 to every count",
        )
    table = once(
        benches,
        ("table", metric, trivial),
        lambda: report.table(benches, metric, trivial=trivial),
    )
    if not table.rows:
        st.info("Nothing is left: every question of these sets is trivial.")
        return
    st.caption(_lead(table))
    with st.container(key="bench_scores"):
        st.table(
            _table_rows(table), width="stretch", border="horizontal", alt="Methods and their scores"
        )
    st.caption(_legend(table))
    _exports(benches, table, trivial)
    column = table.columns[0]
    if len(table.columns) > 1:
        column = st.segmented_control(
            "Question set",
            list(table.columns),
            default=column,
            required=True,
            key=f"bench:column:{hash(table.columns)}",
            label_visibility="collapsed",
        )
    _charts(table, column, metric, trivial)
    graphs_view(benches, metric, trivial)
    _published(benches, column)
    _tests(benches, metric, trivial)
    _how(benches)


def _table_rows(table: report.Table) -> dict[str, list[str]]:
    """Columns of Markdown; what is not ours in it is escaped."""
    rows: dict[str, list[str]] = {" ": [f"**{escape(row)}**" for row in table.rows]}
    for column in table.columns:
        cells = [table.get(row, column) for row in table.rows]
        n = max(cell.estimate.n for cell in cells if cell is not None)
        seen = ", seen" * table.seen(column)
        rows[f"{escape(column)} :small[:gray[({n:,}{seen})]]"] = [_cell(cell) for cell in cells]
    return rows


def _cell(cell: report.Cell | None) -> str:
    if cell is None:
        return ":gray[–]"
    e = cell.estimate
    value = f"**{e.value:.2f}**" if cell.bold else f"{e.value:.2f}"
    mark = " †" if cell.worse else ""
    left = "" if cell.bench.complete else f" :orange[{len(cell.bench.rows):,} so far]"
    span = f"{e.low:.2f}\u2060–\u2060{e.high:.2f}"  # word joiners: it stays on one line
    return f"{value}{mark} :small[:gray[{span}]]{left}"


def _lead(table: report.Table) -> str:
    """What the figures are, before they come: the metric, and which model read the questions."""
    about = METRICS[table.metric].about
    models = sorted({cell.bench.config.model for cell in table.cells.values()})
    absent = " –: not measured." if len(table.cells) < len(table.rows) * len(table.columns) else ""
    return (
        f"{_words(table.metric).capitalize()}: {about}. Read by: {escape(', '.join(models))}."
        f"{absent}"
    )


def _legend(table: report.Table) -> str:
    said = (
        "In brackets the number of questions; grey: 95 % interval (bootstrap); "
        "**bold**: best of the column."
    )
    if any(map(table.seen, table.columns)):
        said += (
            " Seen: the built-in reader was made with these questions, so its scores say that "
            "nothing broke, not how good it is on yours; nothing of it is bold."
        )
    if any(cell.worse for cell in table.cells.values()):
        said += (
            f" †: worse than the best, p < {report.LEVEL} (McNemar, or paired t for graded "
            "scores; Holm-corrected)."
        )
    return said


def _exports(benches: Sequence[Bench], table: report.Table, trivial: bool) -> None:
    metric = table.metric
    with st.container(horizontal=True, gap="small"):
        for title, icon, name, mime, data in (
            (
                "CSV",
                "table_view",
                "csv",
                "text/csv",
                lambda: exports.as_csv(benches, metric, trivial=trivial),
            ),
            (
                "LaTeX",
                "function",
                "tex",
                "text/plain",
                lambda: exports.as_latex(benches, metric, trivial=trivial),
            ),
            ("PNG", "image", "png", "image/png", lambda: charts.png(charts.overview(table))),
        ):
            st.download_button(
                title,
                data=data,
                file_name=f"benchmarks-{metric}.{name}",
                mime=mime,
                key=f"bench:export:{name}",
                icon=f":material/{icon}:",
                on_click="ignore",
            )


def _charts(table: report.Table, column: str, metric: str, trivial: bool) -> None:
    shown = {row: cell.bench for row in table.rows if (cell := table.get(row, column)) is not None}
    dark = st.context.theme.type == "dark"
    among = (metric, column, trivial, dark, *shown)
    left, right = st.columns(2, gap="medium")
    with left:
        st.markdown("**Accuracy against time**")
        _chart(
            shown.values(),
            ("seconds", *among),
            lambda: charts.against(table, column, "seconds", dark=dark),
            key="bench:time",
            alt=f"{_words(metric)} of each method against seconds per question",
        )
    with right:
        costs = [
            name
            for name in charts.COSTS
            if name != "seconds" and any(bench.each(name) for bench in shown.values())
        ]
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown("**Accuracy against cost**", width="content")
            cost = st.segmented_control(
                "Cost",
                costs,
                default=costs[0] if costs else None,
                required=bool(costs),
                format_func=_cost_word,
                key=f"bench:cost:{len(costs)}",
                label_visibility="collapsed",
            )
        if cost:
            _chart(
                shown.values(),
                (cost, *among),
                lambda: charts.against(table, column, cost, dark=dark),
                key="bench:cost-chart",
                alt=f"{_words(metric)} of each method against {charts.COSTS[cost]}",
            )
        else:
            st.caption("These methods asked neither a model nor a graph.")
    st.markdown("**How the questions ended**")
    _chart(
        shown.values(),
        ("ends", *shown),
        lambda: charts.endings(shown),
        key="bench:ends",
        alt="Right, abstained, and each class of failure",
    )
    if any(row.classes for bench in shown.values() for row in bench.rows):
        _classes(shown, metric)


def _classes(shown: dict[str, Bench], metric: str) -> None:
    names = list(shown)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown("**By class of question**", width="content")
        chosen = st.multiselect(
            "Methods",
            names,
            default=names[:_MOST_METHODS],
            key=f"bench:class-methods:{hash(tuple(names))}",
            label_visibility="collapsed",
            max_selections=len(charts.most_shown(names)),
        )
    if chosen:
        some = {name: shown[name] for name in chosen}
        _chart(
            some.values(),
            ("classes", metric, *some),
            lambda: charts.classes(some, metric),
            key="bench:classes",
            alt=f"{_words(metric)} by class of question and method",
        )


def _published(benches: Sequence[Bench], column: str) -> None:
    rows = report.beside(benches, column)
    if not rows:
        return
    st.markdown(f"**Published numbers on {escape(rows[0].figure.dataset)}**")
    st.caption(
        "As printed, with the base each was measured on; beside them ours for the same method, in "
        "the nearest metric. Other bases, gold answers, graphs and models: none of them can be "
        "ranked with ours."
    )
    st.dataframe(
        [
            {
                "system": one.figure.system,
                "model": one.figure.model,
                "metric": one.figure.metric,
                "published": one.figure.value,
                "ours": one.ours.value if one.ours else None,
                "interval": f"{one.ours.low:.3f} … {one.ours.high:.3f}" if one.ours else None,
                "base": one.figure.base,
                "source": one.figure.place,
            }
            for one in rows
        ],
        hide_index=True,
        height=min(38 + 35 * len(rows), 320),
        key="bench:published",
        placeholder="–",
        column_config={
            "system": st.column_config.TextColumn(width=220),
            "published": st.column_config.NumberColumn(format="%.3f", width=80),
            "ours": st.column_config.NumberColumn(format="%.3f", width=70),
            "base": st.column_config.TextColumn(width=260),
        },
        alt="Published numbers and their bases",
    )


def _tests(benches: Sequence[Bench], metric: str, trivial: bool) -> None:
    box = st.expander("Tests between every two methods", key="bench:tests", on_change="rerun")
    if not box.open:
        return
    found = report.pairs(benches, metric, trivial=trivial)
    with box:
        if not found:
            st.caption("A test needs two methods that were asked the same questions.")
            return
        st.dataframe(
            [
                {
                    "question set": pair.column,
                    "first": pair.ours,
                    "second": pair.theirs,
                    "difference": pair.comparison.gap.value,
                    "low": pair.comparison.gap.low,
                    "high": pair.comparison.gap.high,
                    "test": pair.comparison.test,
                    "p (Holm)": pair.p,
                    "only the first right": len(pair.comparison.ours_only),
                    "only the second right": len(pair.comparison.theirs_only),
                }
                for pair in found
            ],
            hide_index=True,
            height=min(38 + 35 * len(found), 400),
            key="bench:pairs",
            column_config={
                name: st.column_config.NumberColumn(format="%.3f")
                for name in ("difference", "low", "high", "p (Holm)")
            },
            alt="Paired tests",
        )


def _how(benches: Sequence[Bench]) -> None:
    box = st.expander("How each was measured", key="bench:how", on_change="rerun")
    if not box.open:
        return
    names, methods = report.columns(benches), report.lines(benches)
    with box:
        st.dataframe(
            [
                {
                    "question set": names[bench.what],
                    "method": methods[bench.who],
                    "model": (c := bench.config).model,
                    "graph": c.graph,
                    "fingerprint": c.graph_fingerprint[:12],
                    "asked": len(bench.rows),
                    "of": bench.planned,
                    "repeats": c.repeat,
                    "seed": c.seed,
                    "gold entities": c.gold_entities,
                    "only": ", ".join(f"{k}={v}" for k, v in c.where.items()),
                    "parameters": ", ".join(f"{k}={v}" for k, v in c.params.items()),
                    "version": c.version,
                    "when (UTC)": c.started_at[:16].replace("T", " "),
                    "file": c.dataset,
                    "SHA-256": c.dataset_sha256[:12],
                    "folder": str(bench.folder),
                }
                for bench in benches
            ],
            hide_index=True,
            height=min(38 + 35 * len(benches), 400),
            key="bench:configs",
            alt="Seed, versions, graph and parameters of each benchmark",
        )


def _words(metric: str) -> str:
    return {"f1": "macro F1", "rouge_l": "ROUGE-L"}.get(metric, metric.replace("_", " "))


def _cost_word(name: str) -> str:
    return charts.COSTS[name].removesuffix(" per question")


def _metrics_help() -> str:
    return "\n\n".join(f"**{_words(name)}**: {metric.about}" for name, metric in METRICS.items())


def nothing_yet() -> None:
    st.markdown("No results yet. A benchmark asks methods every question of a set and scores them.")
    st.caption("Start one under “New benchmark”, or open a folder that `bench` made in a shell.")
