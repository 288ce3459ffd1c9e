"""Preferences: what suits somebody, by a personal graph, and which fact decides."""

import streamlit as st

from kgqa_core.ask import preferences
from kgqa_core.ask.preferences import COLUMNS, OptionView
from kgqa_core.errors import KGQAError
from kgqa_core.facts import verbalise
from kgqa_core.facts.sentences import sentence
from kgqa_core.facts.terms import Statement
from kgqa_core.history.runs import Run
from kgqa_core.methods import METHODS, presets
from kgqa_core.methods.r3.search import Params
from kgqa_core.render.steps import escape
from kgqa_core.screens import session, widgets
from kgqa_core.text import counted

METHOD = METHODS["r3"]
_TICK_S = 0.4
_FACTS = 8  # shown for an option
_SAMPLE = """
user | religion | Islam
user | shown allergy to | peanut butter
Oyster soup with white wine | has ingredient | dry white wine
Oyster soup with white wine | has ingredient | oyster
Creamy oyster soup | has ingredient | oyster
Creamy oyster soup | has ingredient | milk
Thai chicken with satay sauce | has ingredient | peanut
Thai chicken with satay sauce | has ingredient | chicken
"""
_WISH = "I want something warm with oysters"
_OPTIONS = "Oyster soup with white wine\nCreamy oyster soup\nThai chicken with satay sauce"
_STATES = {
    "satisfied": ":green[:material/check_circle:]",
    "violated": ":red[:material/cancel:]",
    "open": ":orange[:material/help:]",
}
_MARKS = {
    "chosen": ":green[:material/check_circle:]",
    "refused": ":red[:material/cancel:]",
    "perhaps": ":orange[:material/help:]",
    "": ":gray[:material/radio_button_unchecked:]",
}

session.guard()
state = st.session_state
state.setdefault("preference_rows", preferences.parse(_SAMPLE))
state.setdefault("preference_table", 0)


def show(rows: list[preferences.Row]) -> None:
    """Puts rows into the table, which takes them only when it is new."""
    state["preference_rows"] = rows
    state["preference_table"] += 1


def take_file() -> None:
    given = state.get("preference_file")
    if given is None:
        return
    try:
        show(preferences.parse(given.getvalue().decode("utf-8")))
    except UnicodeDecodeError:
        state["preference_problem"] = "The file is not text in UTF-8."
    except KGQAError as error:
        state["preference_problem"] = str(error)


def start(query: str, options: list[str], rows: list[preferences.Row]) -> None:
    own = {"task": "preference", "user": person.strip() or "user"}
    params = Params(**(presets.values(METHOD, preset) | own))
    setup = session.setup(METHOD, params, graph_name, model_name, rows)
    run = session.start(preferences.question_of(query, options), setup)
    state["preference_run"] = run.header.id


def verdict(run: Run) -> None:
    """The choice as it is made; what the run says is text."""
    choice = preferences.choice_of(list(run.records))
    with st.container(border=True, key="verdict"):
        if run.status == "running":
            st.caption(":material/progress_activity: Trying the options …")
            st.button("Stop", icon=":material/stop_circle:", on_click=run.stop, key="stop")
        elif run.status == "failed":
            last = run.records[-1].event
            st.error(escape(getattr(last, "message", "The run failed.")))
        elif choice.chosen is None:
            answer = getattr(run.records[-1].event, "answer", None)
            st.markdown(f"**No option.** {escape(answer.reason if answer else 'Stopped.')}")
        else:
            how = "" if choice.chosen.verdict == "chosen" else "Perhaps "
            st.markdown(f"#### {how}{escape(choice.chosen.name)}")
        if choice.rule:
            st.caption(f"By the axiom “{escape(choice.rule)}”")
        for option in choice.options:
            reasons(option)
        if run.status != "running":
            st.page_link(
                "pages/ask.py",
                label="All steps: reject the axiom, leave out a fact",
                icon=":material/account_tree:",
                query_params={"run": run.header.id},
            )


def reasons(option: OptionView) -> None:
    against = any(j.state == "violated" for j in option.judgements)
    title = f"{_MARKS[option.verdict or 'refused' * against]} {escape(option.name)}"
    with st.expander(title, expanded=option.verdict != "", key=f"option:{option.name}"):
        if not option.deciding:
            st.caption("No fact speaks for it or against it.")
        said: set[str] = set()
        told: set[Statement] = set()
        for judgement in option.deciding:
            facts = [sentence(s) for s in judgement.because]
            line = f"{_STATES[judgement.state]} {escape(judgement.premise.text)}"
            if line not in said:  # two restrictions may follow from one fact
                st.markdown(line)
            said.add(line)
            if judgement.why and not any(fact in judgement.why for fact in facts):
                st.markdown(escape(judgement.why))
            for s in judgement.because[:_FACTS]:
                if s not in told and verbalise.value(s.object) != s.subject.name:
                    st.markdown(f":small[:gray[{escape(verbalise.statement(s))}]]")
            told.update(judgement.because)


st.markdown("#### Preferences")
st.caption(
    "Which of several things suits somebody, and which fact decides. "
    f"{METHOD.title} tries them in the order they suit the wish, and takes the first that "
    "breaks none of the person's restrictions. What stands here is an example: write over it."
)
mine, wish = st.columns([3, 2], gap="medium")
with mine:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("**What is known of**")
        person = st.text_input(
            "Person",
            "user",
            key="preference_person",
            max_chars=100,
            label_visibility="collapsed",
            help="What the table calls the person the choice is for",
            width=140,
        )
    edited = st.data_editor(
        [dict(zip(COLUMNS, row, strict=True)) for row in state["preference_rows"]]
        or [dict.fromkeys(COLUMNS, "")],
        num_rows="dynamic",
        hide_index=True,
        height=330,
        key=f"preference_table:{state['preference_table']}",
        column_config={name: st.column_config.TextColumn(name, max_chars=300) for name in COLUMNS},
    )
    rows: list[preferences.Row] = [
        (cells[0], cells[1], cells[2])
        for row in edited
        if all(cells := [str(row.get(name) or "").strip() for name in COLUMNS])
    ]
    hosted = session.environment().hosted
    where = "on the server, for whoever runs it to see" if hosted else "on this computer"
    st.caption(
        f"{counted(len(rows), 'fact')}: about the person, and about the options if you know more "
        "of them. "
        f"They are kept with the run, {where}."
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        with st.popover("Import", icon=":material/upload_file:", key="preference_import"):
            st.file_uploader(
                "Facts, one a line: subject | relation | value",
                type=["csv", "tsv", "txt"],
                key="preference_file",
                on_change=take_file,
                max_upload_size=1,
            )
        st.download_button(
            "Export",
            preferences.as_csv(rows),
            "personal.csv",
            "text/csv",
            icon=":material/download:",
            on_click="ignore",
            key="preference_export",
        )
        st.button(
            "Clear", icon=":material/delete:", key="preference_empty", on_click=show, args=([],)
        )
    if state.get("preference_problem"):
        st.error(escape(state.pop("preference_problem")))

with wish:
    query = st.text_input("What is wanted", _WISH, key="preference_query", max_chars=500)
    listed = st.text_area("Options, one a line", _OPTIONS, key="preference_options", height=120)
    options = [line.strip() for line in listed.splitlines() if line.strip()]
    graph_side, model_side = st.columns(2)
    with graph_side:
        graph_name = widgets.graph_box()
    with model_side:
        model_name = widgets.model_box()
    preset = st.segmented_control(
        "Preset",
        presets.names(METHOD),
        default=presets.OURS,
        required=True,
        key="preference_preset",
        label_visibility="collapsed",
        format_func=widgets.preset_title,
        help="As this app runs it best, or as its paper ran it",
    )
    wrong = preferences.problem(query, options)
    if st.button(
        "Choose", type="primary", icon=":material/balance:", key="choose", disabled=bool(wrong)
    ):
        try:
            start(query, options, rows)
        except KGQAError as error:
            st.error(escape(str(error)))
    if wrong:
        st.caption(escape(wrong))

run = session.runs().get(state["preference_run"]) if "preference_run" in state else None
if run is not None:
    going = run.status == "running"

    @st.fragment(run_every=_TICK_S if going else None)
    def watch(shown: Run) -> None:
        verdict(shown)
        if going and shown.status != "running":
            session.redraw()

    with wish:
        watch(run)
