"""Templates: Keqing's libraries of question templates, to look through, edit, learn and share."""

import re
import tempfile
from dataclasses import replace
from pathlib import Path

import streamlit as st

from kgqa_core.errors import KGQAError
from kgqa_core.evaluation import learning
from kgqa_core.evaluation.datasets import FORMATS, load
from kgqa_core.methods.keqing import templates
from kgqa_core.methods.keqing.templates import MASK, Library
from kgqa_core.render.steps import escape
from kgqa_core.screens import session, visitor, widgets
from kgqa_core.text import counted

session.guard()
st.markdown("#### Question templates")
st.caption(
    "The method Keqing splits a question into sub-questions by these templates and follows their "
    "logical chains in the graph: → along a relation, ← against it."
)
settings = session.environment()
folder = templates.own_folder(settings)


def keep(library: Library, name: str, said: str) -> None:
    """Saves a library of one's own; one that ships is left as it is, and copied."""
    templates.save(library, folder / f"{name}{templates.SUFFIX}")
    st.session_state["templates:saved"] = said


def name_of(text: str) -> str:
    """A name as that of a file."""
    return re.sub(r"[^\w-]+", "-", Path(text).stem.casefold()).strip("-") or "library"


if said := st.session_state.pop("templates:saved", ""):
    st.toast(escape(said), icon=":material/check:")

known = templates.available(settings)
if linked := st.query_params.get("library"):  # from a panel, where a template was kept
    st.session_state["templates:open"] = linked
    st.session_state["templates:first"] = st.query_params.get("template", "")
    st.query_params.clear()
wanted = st.session_state.pop("templates:open", None)
if wanted in known:
    st.session_state["library"] = wanted
elif st.session_state.get("library") not in known:
    st.session_state["library"] = "starter" if "starter" in known else next(iter(known))
left, right = st.columns(2, vertical_alignment="bottom")
with left:
    name = st.selectbox("Library", list(known), key="library", persist_state="session")
with right:
    source = widgets.graph_box()
try:
    library = templates.load(known[name])
except KGQAError as error:
    st.error(escape(str(error)))
    library = Library()
own = known[name].parent == folder

size = (
    f"{counted(len(library.templates), 'template')} in {counted(len(library.by_text), 'wording')}"
)
made = "Yours" if own else "It comes with the app; editing makes a copy of your own"
st.caption(f"{size}. {made}. {escape(library.about)}")
try:
    missing = templates.Relations(session.graph(source).relation).missing(library.relations)
    if missing:
        st.warning(
            f"The chosen graph lacks {len(missing)} of the {len(library.relations)} relations of "
            f"this library: {escape(', '.join(missing[:8]))}{' …' if len(missing) > 8 else ''}.",
            icon=":material/link_off:",
        )
except KGQAError as error:
    st.error(escape(str(error)))

# -- the library -----------------------------------------------------------------------------

sought = st.text_input(
    "Find a template",
    key="templates:find",
    placeholder="Words of a template, or a whole question",
    label_visibility="collapsed",
)
shown = list(library.templates)
if sought:
    read = library.read(sought)
    if read:
        mentions = ", ".join(f"“{m}”" for m in read[0].mentions)
        st.caption(
            f"As a question, it is read by the first template below, about {escape(mentions)}."
        )
    words = sought.casefold().split()
    held = [t for t in shown if all(w in " ".join(t.texts).casefold() for w in words)]
    shown = list(dict.fromkeys([m.template for m in read] + held))
else:
    first = st.session_state.get("templates:first", "")
    shown.sort(key=lambda t: t.text != first)
if not shown:
    st.info("No template has these words. Add one below, or learn templates from questions.")
entries = [
    {
        "template": t.text,
        "chains": "; ".join(map(str, t.chains)),
        "support": t.support or None,
        "precision": t.chains[0].precision if t.support else None,
        "wordings": len(t.texts),
        "sub-questions": " · ".join(part.text for part in t.parts),
        "example": t.example,
    }
    for t in shown
]
table = st.dataframe(
    entries,
    # a library written by hand has no support, one without compositions no sub-questions
    column_order=[c for c in entries[0] if any(e[c] for e in entries)] if entries else None,
    hide_index=True,
    height=min(420, 38 + 35 * max(1, len(shown))),
    on_select="rerun",
    selection_mode="multi-row",
    key=f"templates:table:{name}:{len(library.templates)}:{sought}",
    column_config={
        "support": st.column_config.NumberColumn(help="questions it answered when learned"),
        "precision": st.column_config.NumberColumn(
            help="share of right values in what the first chain returned", format="%.2f"
        ),
        "template": st.column_config.TextColumn(width="large"),
    },
    alt="The templates of the library",
)
rows = [i for i in table["selection"]["rows"] if i < len(shown)]
chosen = [shown[i] for i in rows]

if not visitor.is_operator(settings):  # what one visitor keeps would answer all others
    st.caption(visitor.FOR_ALL)
    st.stop()
if not chosen and shown:
    st.caption("Select a row to edit or delete it, several to merge them.")
if len(chosen) == 1:
    before = chosen[0]
    with st.form(f"edit:{name}:{before.text}"):
        text = st.text_area(
            "Template",
            templates.block(before),
            height=260,
            key=f"block:{name}:{before.text}",
            help="Chains begin with → or ←; then “also:”, “like:” and “step 1:” lines",
        )
        if st.form_submit_button("Save", icon=":material/save:", key="templates:save"):
            try:
                edited = templates.parse(text, "The template")
                if len(edited.templates) != 1:
                    raise templates.LibraryError("There is more than one template in the box.")
                keep(library.put(edited.templates[0], before.text), name, "Saved.")
                session.redraw()
            except KGQAError as error:
                st.error(escape(str(error)))
if chosen:
    merge, delete, _ = st.columns([2, 2, 6])
    if len(chosen) > 1 and merge.button(
        "Merge",
        key="templates:merge",
        icon=":material/merge:",
        help="The others become wordings of the first one, their chains are joined to its own",
    ):
        keep(library.merged(chosen[0].text, *(t.text for t in chosen[1:])), name, "Merged.")
        session.redraw()
    if delete.button("Delete", key="templates:delete", icon=":material/delete:"):
        remaining = library.without(*(t.text for t in chosen))
        if remaining:
            keep(remaining, name, f"Deleted {len(chosen)}.")
            session.redraw()
        st.error("A library keeps at least one template.")

# -- add, learn, share -----------------------------------------------------------------------

add, learn, share = st.tabs(["Add a template", "Learn from questions", "Import and export"])
with add, st.form("templates:add", clear_on_submit=False):
    text = st.text_area(
        "New template",
        key="templates:new",
        height=150,
        placeholder=f"who wrote the songs of {MASK}\n    → performer (P175) → composer (P86)\n"
        f"    also: by whom are the songs of {MASK}",
    )
    if st.form_submit_button("Add", icon=":material/add:", key="templates:add_button"):
        try:
            new = templates.parse(text, "The template")
            taken = [t.text for t in new.templates if t.text in {o.text for o in library.templates}]
            if taken:
                raise templates.LibraryError(f"There is a template “{taken[0]}” already.")
            bare = [t.text for t in new.templates if not t.chains and not t.parts]
            if bare:
                raise templates.LibraryError(f"“{bare[0]}” has neither a chain nor steps.")
            unknown = templates.Relations(session.graph(source).relation).missing(new.relations)
            if unknown:
                raise templates.LibraryError(
                    f"The chosen graph has no relation “{unknown[0]}”: see the Explore page for "
                    "its relations."
                )
            grown = replace(
                library, templates=(*library.templates, *new.templates), path=None, _ears={}
            )
            keep(grown, name, "Added.")
            st.session_state["templates:first"] = new.templates[0].text
            session.redraw()
        except KGQAError as error:
            st.error(escape(str(error)))

with learn:
    st.caption(
        "From questions whose topic entity and answers are given: the entity is masked, and the "
        "chosen graph is searched for chains that lead to the answers."
    )
    upload = st.file_uploader("Questions", key="templates:questions", max_upload_size=50)
    form, called, hops, most = st.columns(4)
    format_name = form.selectbox("Format", list(FORMATS), key="templates:format")
    new_name = called.text_input("Name of the library", "learned", key="templates:name")
    longest = hops.number_input("Longest chain", 1, 4, 2, key="templates:hops")
    limit = most.number_input("Questions at most", 10, 100_000, 2000, key="templates:limit")
    if st.button("Learn", icon=":material/school:", key="templates:learn", disabled=upload is None):
        assert upload is not None
        bar = st.progress(0.0, "Reading the questions …")
        try:
            with tempfile.TemporaryDirectory() as here:
                path = Path(here) / Path(upload.name).name
                path.write_bytes(upload.getvalue())
                data = load(path, format_name, limit=int(limit))

            def tell(now: learning.Progress) -> None:
                part = now.done / max(1, now.total)
                bar.progress(part, f"{now.doing}: {now.done:,} of {now.total:,}")

            learned = learning.learn(
                data.examples, session.graph(source), hops=int(longest), on_progress=tell
            )
            skipped = [f"{n:,} skipped: {why}" for why, n in learned.skipped.items()]
            if not learned.collection:
                raise KGQAError(
                    "Nothing could be learned: no chain in this graph leads to the answers. "
                    + "; ".join(skipped)
                )
            found = len(learned.collection.templates)
            called_now = name_of(new_name)
            keep(
                learned.collection,
                called_now,
                f"Learned {found:,} templates from {learned.questions:,} questions.",
            )
            st.session_state["templates:open"] = called_now
            session.redraw()
        except KGQAError as error:
            st.error(escape(str(error)))

with share:
    st.download_button(
        "Export this library",
        data=templates.dump(library),
        file_name=f"{name}{templates.SUFFIX}",
        mime="text/plain",
        icon=":material/download:",
        on_click="ignore",
        key="templates:export",
    )
    given = st.file_uploader("Import a library", key="templates:import", max_upload_size=20)
    if given is not None and st.button("Import", key="templates:import_button"):
        try:
            text = given.getvalue().decode("utf-8", "strict")
            keep(templates.parse(text, given.name), name_of(given.name), "Imported.")
            st.session_state["templates:open"] = name_of(given.name)
            session.redraw()
        except UnicodeDecodeError:
            st.error(f"{escape(given.name)} is not text, so it is not a template library.")
        except KGQAError as error:
            st.error(escape(str(error)))
    if own and st.button(
        "Delete this library",
        key="templates:remove",
        icon=":material/delete_forever:",
        help="Your copy; what comes with the app stays",
    ):
        known[name].unlink(missing_ok=True)
        st.session_state["templates:saved"] = "Deleted."
        st.session_state.pop("library", None)
        session.redraw()
