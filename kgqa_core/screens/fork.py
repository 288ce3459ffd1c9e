"""Runs asked again with something changed: from any step, without a fact, with another reply."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import streamlit as st

from kgqa_core.ask import events
from kgqa_core.ask.events import Asked, Record
from kgqa_core.ask.header import Edits, Header
from kgqa_core.ask.outcome import answer_of
from kgqa_core.ask.skill import Skill, registered
from kgqa_core.errors import KGQAError, SettingsError
from kgqa_core.facts import verbalise
from kgqa_core.facts.terms import Entity, Hit, Statement
from kgqa_core.history import comparison, gallery
from kgqa_core.history.runs import Run
from kgqa_core.opening import find_method
from kgqa_core.render.plan import course_of
from kgqa_core.render.steps import escape, facts
from kgqa_core.screens import session, widgets
from kgqa_core.screens.reply_form import ReplyForm
from kgqa_core.text import counted, shortened

_MOST_FACTS = 300  # offered to be left out
_MOST_SHOWN = 120  # characters of a fact or reply in a line


def fork(run: Run, edits: Edits) -> None:
    """A callback: starts the fork and opens it on the Ask page; a problem is shown at the run."""
    try:
        graph = graph_of(run.header)
        model = st.session_state.get("model")
        model = model if model in session.models() else "offline"
        method = find_method(run.header.method)
        setup = session.setup(method, method.params(), graph, model, run.header.personal)
        session.admit(setup)
        child = session.runs().fork(run, edits, setup)
    except KGQAError as error:
        st.session_state[_problem(run)] = str(error)
        return
    open_run(child.header.id)
    follow(child.header.id)


def open_run(run_id: str) -> None:
    """A callback: the Ask page shows this run, its question in the box, from the next look on."""
    st.session_state["run"] = run_id
    st.session_state.pop("question_of", None)
    st.query_params.from_dict({"run": run_id})  # one entry of the history


def follow(run_id: str) -> None:
    """Has a run shown step by step from its start, however fast it is or was.

    Not for those who skipped one before: they play a run when they want to see it.
    """
    if not st.session_state.get("skips"):
        st.session_state[f"follows:{run_id}"] = 0, 0.0


def _problem(run: Run) -> str:
    return f"fork_problem:{run.header.id}"


def graph_of(header: Header) -> str:
    """The source of a run's graph. Raises SettingsError unless it is in the list of graphs.

    A run may have come from elsewhere: what it calls its graph is never opened as an address.
    """
    entries = session.graphs().entries()
    for entry in entries:
        if header.graph_source and entry.address == header.graph_source:
            return entry.source
    for entry in entries:
        if not header.graph_source and entry.title == header.graph:
            return entry.source
    raise SettingsError(
        f"The graph “{header.graph}” of this run is not in the list: add it on the Knowledge "
        "graphs page, or ask the question again on another."
    )


def gallery_box() -> None:
    """The recorded examples, to watch one: no model, no network, no waiting."""
    recorded = gallery.recorded()

    def watch() -> None:
        chosen = st.session_state.get("watch")
        if chosen:
            st.session_state["skips"] = False
            open_run(chosen)
            follow(chosen)

    def title(run_id: str) -> str:
        header = recorded[run_id][0]
        by = "" if header.model_source == "offline" else f" · {header.model}"
        return f"{widgets.method_title(header.method)}: {header.question}{by}"

    st.selectbox(
        "Or watch a recorded run",
        list(recorded),
        index=None,
        key="watch",
        format_func=title,
        on_change=watch,
        placeholder="One for each method; no model and no network needed",
    )


# -- where a run comes from ------------------------------------------------------------------


def banner(run: Run) -> None:
    """Above a run: a problem with a fork, whose fork it is, and where it was made."""
    problem = st.session_state.pop(_problem(run), None)
    if problem:
        st.error(escape(problem))
    header = run.header
    if header.origin == "recorded":
        said = [f"Recorded with {gallery.made(header, run.records)}.", gallery.why(header)]
        said.append(_since(run))
        with st.container(key=f"recorded:{header.id}"):
            st.caption(f":material/movie: {escape(' '.join(filter(None, said)))}")
    elif header.origin == "imported":
        st.caption(":material/upload_file: Imported from a file; made elsewhere.")
    if header.personal:
        st.caption(f":material/person: With {counted(len(header.personal), 'fact')} of one's own.")
    if header.parent:
        _parentage(run)


def _since(run: Run) -> str:
    """What has become of a recorded run's facts, where its graph is another one by now."""
    changed, key = gallery.changed(run.header), f"since:{run.header.id}"
    if changed and key not in st.session_state:
        with suppress(KGQAError):
            kg = session.graph(run.header.graph_source)
            changed = gallery.still_stated(run.records, kg)
        st.session_state[key] = changed
    return str(st.session_state[key]) if changed else ""


def parent_of(header: Header) -> Run | None:
    """The run it was forked from, if that is here and can be: the same question and method."""
    if not header.parent or header.parent == header.id:
        return None
    parent = session.runs().get(header.parent)
    if parent is None or parent.header.method != header.method:
        return None
    return parent if parent.header.question == header.question else None


def _parentage(run: Run) -> None:
    parent = parent_of(run.header)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f":material/fork_right: Asked again: {escape(_changes(run, parent))}")
        if parent is None:
            st.caption("The run it came from is not here.")
            return
        st.button(
            "The run before",
            key=f"parent:{run.header.id}",
            icon=":material/undo:",
            type="tertiary",
            on_click=open_run,
            args=(parent.header.id,),
        )
        st.page_link(
            "pages/compare.py",
            label="Compare the two",
            icon=":material/compare:",
            query_params={"runs": f"{parent.header.id},{run.header.id}"},
        )
    edits = run.header.edits
    if edits is not None and edits.without and run.status != "running":
        st.markdown(verdict(parent, run))


_OF_STEPS = {  # parameters of Compass that are of single steps
    "bound": ("step {} along “{}”", ""),
    "beliefs": ("step {} believed to be “{}”", "step {} without its belief"),
    "taken": ("step {} taken to be “{}”", ""),
}


def _param(name: str, value: object, numbers: Mapping[str, int]) -> list[str]:
    """A parameter in words; of the steps of a plan, by their numbers."""
    if not isinstance(value, dict):
        return [f"{name.replace('_', ' ')} {value}"]
    told, without = _OF_STEPS.get(name, (f"{name.replace('_', ' ')} {{}}: {{}}", ""))
    said = []
    for key, one in value.items():
        text = _short(str(one).replace("|", ", "))
        words = told if text else without
        said.append(words.format(numbers.get(key, key), text))
    return [text for text in said if text]


def _changes(run: Run, parent: Run | None) -> str:
    """What a fork does otherwise, in words."""
    edits = run.header.edits or Edits()
    said = [f"without “{_short(verbalise.statement(s))}”" for s in edits.without]
    for seq in edits.replies:
        event = parent.records[seq].event if parent and seq < len(parent.records) else None
        step = f" to “{event.skill}”" if isinstance(event, Asked) else ""
        said.append(f"another reply{step}")
    numbers = course_of(run.records).numbers if run.header.method == "compass" else {}
    for name, value in edits.params.items():
        said += _param(name, value, numbers)
    said += [f"another instruction for “{skill}”" for skill in edits.instructions]
    for mention, entity_id in edits.entities.items():
        meant = _entity(run.records, entity_id)
        said.append(f"“{_short(mention)}” means {meant.name if meant else 'none of the entities'}")
    return "; ".join(said) or "asked again from one of its steps"


def _bare(text: str) -> str:
    """An answer in the middle of a sentence: without its full stop."""
    return text.removesuffix(".")


def verdict(parent: Run, child: Run) -> str:
    """Whether the parent's answer depended on what the fork does without, as Markdown."""
    if "failed" in (parent.status, child.status) or "cancelled" in (parent.status, child.status):
        return ":gray[Whether the answer depended on it cannot be said: a run did not end.]"
    before, after = answer_of(parent.records), answer_of(child.records)
    values = comparison.Values([before, after])
    if values.of(before) == values.of(after):
        others = "" if set(before.citations) == set(after.citations) else ", and rests on others"
        return f":green[:material/check: The answer is the same without this fact{others}.]"
    now = after.text if after.sentences else "no answer"
    return (
        f":orange[:material/warning: The answer depended on it:] "
        f":small[“{escape(_short(_bare(before.text) or 'no answer'))}” became "
        f"“{escape(_short(_bare(now)))}”]"
    )


def _short(text: str) -> str:
    return shortened(text, _MOST_SHOWN)


# -- without a fact --------------------------------------------------------------------------


def without_button(run: Run, fact: Statement, key: str) -> None:
    """Asks the question again on the graph without this fact, when asked to once more."""
    with st.popover(
        "leave out", type="tertiary", key=key, help="Does the answer depend on this fact?"
    ):
        st.caption("Ask the question again on the graph without this fact?")
        st.button(
            "Ask again without it",
            key=f"{key}:sure",
            icon=":material/rule:",
            on_click=_without,
            args=(run, fact),
        )


def without_one(run: Run) -> None:
    """The same for any fact the run retrieved."""
    found = [f for f in facts(run.records) if isinstance(f, Statement)][:_MOST_FACTS]
    if not found:
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.selectbox(
            "Ask again without",
            range(len(found)),
            index=None,
            format_func=lambda i: _short(verbalise.statement(found[i])),
            key=f"without:{run.header.id}",
            placeholder="Ask again without a fact …",
            label_visibility="collapsed",
        )
        st.button(
            "Ask again",
            key=f"without_ask:{run.header.id}",
            disabled=chosen is None,
            on_click=_without,
            args=(run, found[chosen or 0]),
            help="Whether the answer depends on this fact",
        )


def _without(run: Run, fact: Statement) -> None:
    fork(run, Edits(at=first_seen(run.records, fact), without=(fact,)))


def first_seen(records: Sequence[Record], fact: Statement) -> int:
    """The position of the first record that shows a statement; their number if none does."""
    for record in records:
        if fact in _statements(record.event):
            return record.seq
    return len(records)


def _statements(event: events.Event) -> Iterator[Statement]:
    """All statements an event holds, whatever its kind."""
    for name in type(event).model_fields:
        value = getattr(event, name)
        if isinstance(value, Statement):
            yield value
        elif isinstance(value, tuple):
            yield from (item for item in value if isinstance(item, Statement))
        elif isinstance(value, events.Answer):
            yield from (item for item in value.citations if isinstance(item, Statement))


# -- another entity --------------------------------------------------------------------------


def can_choose_entity(run: Run, record: Record) -> bool:
    """Whether a record is a look-up of names in a run that has ended."""
    looked_up = isinstance(record.event, events.Linked) and bool(record.event.mentions)
    return looked_up and run.status != "running"


def entity_editor(run: Run, record: Record) -> None:
    """Under a look-up of names: another entity for one of them, and to go on from there."""
    event = record.event
    if not isinstance(event, events.Linked):
        return
    key = f"link:{run.header.id}:{record.seq}"
    # Names that were found first: a method that tries every part of a question finds few of them.
    found = dict(zip(event.mentions, event.candidates, strict=True))
    names = sorted(found, key=lambda name: not found[name])
    mention = names[0]
    if len(names) > 1:
        mention = st.selectbox("Name", names, key=f"{key}:name", required=True) or mention
    hits = {hit.entity.id: hit for hit in found[mention]}

    chosen = st.selectbox(
        f"What “{escape(_short(mention))}” means",
        [*hits, ""],
        index=None,
        key=f"{key}:{names.index(mention)}",
        format_func=lambda entity_id: _titled(hits[entity_id]) if entity_id else "none of them",
        placeholder="Choose a candidate",
    )
    other = st.text_input("Or what another name means", key=f"{key}:other", max_chars=200)
    st.button(
        "Go on from here with this entity",
        key=f"{key}:go",
        icon=":material/fork_right:",
        disabled=chosen is None and not other,
        on_click=_with_entity,
        args=(run, record, mention, chosen, other),
    )


def _with_entity(run: Run, record: Record, mention: str, chosen: str | None, other: str) -> None:
    """A callback: `chosen` is the id of an entity, empty for none; a name typed goes before it."""
    if other:
        try:
            hits = session.graph(graph_of(run.header)).search([other], 1)[0]
        except KGQAError as error:
            st.session_state[_problem(run)] = str(error)
            return
        if not hits:
            st.session_state[_problem(run)] = f"The graph has no entity for “{other}”."
            return
        chosen = hits[0].entity.id
    fork(run, Edits(at=record.seq, entities={mention: chosen or ""}))


def _titled(hit: Hit) -> str:
    about = f", {hit.entity.description}" if hit.entity.description else ""
    return _short(f"{hit.entity.name}{about}")


def _entity(records: Sequence[Record], entity_id: str) -> Entity | None:
    """An entity as a run found it."""
    looked_up = (r.event for r in records if isinstance(r.event, events.Linked))
    hits = (hit for event in looked_up for near in event.candidates for hit in near)
    return next((hit.entity for hit in hits if hit.entity.id == entity_id), None)


# -- another reply ---------------------------------------------------------------------------


def reply_editor(run: Run, record: Record) -> None:
    """Under a reply of the model: a form to change it, and to go on from there."""
    event = record.event
    if not isinstance(event, Asked) or run.status == "running":
        return
    skill = registered().get(event.skill)
    key = f"edit:{run.header.id}:{record.seq}"
    if skill is None or not st.toggle("Edit this step and go on", key=f"{key}:on"):
        return
    hits = choices(run.records).get(record.seq)
    form = ReplyForm(skill, run.records, record.seq, key) if hits is None else None
    if form is not None:
        form.draw()
    else:
        _entity_choice(hits or (), event, key)
    st.button(
        "Go on from here",
        key=f"{key}:go",
        icon=":material/fork_right:",
        type="primary",
        on_click=_with_reply,
        args=(run, record, form, key),
    )
    if st.session_state.get("model", "offline") != "offline":  # the reader takes no instruction
        with st.form(f"{key}:instruction", border=False):
            st.text_area("Instruction", skill.instruction, key=f"{key}:text", height=120)
            st.form_submit_button(
                "Ask again from here with this instruction",
                key=f"{key}:ask",
                icon=":material/fork_right:",
                on_click=_with_instruction,
                args=(run, record, skill, key),
            )


def _with_instruction(run: Run, record: Record, skill: Skill[Any], key: str) -> None:
    text = str(st.session_state[f"{key}:text"]).strip()
    fork(run, Edits(at=record.seq, instructions={skill.name: text}))


def _with_reply(run: Run, record: Record, form: ReplyForm | None, key: str) -> None:
    """A callback: goes on with what the form says, or with the entity chosen from a list."""
    state = st.session_state
    try:
        chosen = {"index": state.get(f"{key}:choice"), "why": "chosen by hand"}
        reply = chosen if form is None else form.given()
    except ValueError as error:
        state[_problem(run)] = f"The reply is not well formed: {error}."
        return
    fork(run, Edits(at=record.seq, replies={record.seq: reply}))


def choices(records: Sequence[Record]) -> dict[int, Sequence[Hit]]:
    """The candidates of each “choose entity”, by the position of the question to the model.

    Such questions come after their look-up, one for each mention that was not clear at once, and
    those with an unreadable reply once more at the end (`methods/linking.py`).
    """
    found: dict[int, Sequence[Hit]] = {}
    lists: list[Sequence[Hit]] = []
    asked: list[int] = []
    clear: set[str] = set()
    looked_up = events.Linked(mentions=(), candidates=())
    for record in records:
        match record.event:
            case events.Linked() as looked_up:
                lists, asked, clear = [], [], set()
            case events.Anchored() as anchored if not asked:
                clear.add(anchored.mention)
            case Asked(skill="choose entity") as event:
                if not asked:
                    pairs = zip(looked_up.mentions, looked_up.candidates, strict=True)
                    lists = [hits for mention, hits in pairs if hits and mention not in clear]
                again = [seq for seq in asked if _unread(records[seq])]
                if len(asked) < len(lists):
                    found[record.seq] = lists[len(asked)]
                elif again:
                    found[record.seq] = found[again[0]]
                    asked.remove(again[0])
                if event.skill:
                    asked.append(record.seq)
    return found


def _unread(record: Record) -> bool:
    return isinstance(record.event, Asked) and record.event.parsed is None


def _entity_choice(hits: Sequence[Hit], event: Asked, key: str) -> None:
    chosen = (event.parsed or {}).get("index", -1)
    options = [*range(len(hits)), -1]

    def name(i: int) -> str:
        return "none of them" if i < 0 else escape(_titled(hits[i]))

    st.radio(
        "Which one is meant",
        options,
        index=options.index(chosen) if chosen in options else len(hits),
        format_func=name,
        key=f"{key}:choice",
    )
