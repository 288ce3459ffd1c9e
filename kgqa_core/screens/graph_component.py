"""The live graph as a Streamlit component: what of a graph is drawn, and what a click says."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from kgqa_core.render.focus import MOST_ALIKE, focused
from kgqa_core.render.graph import GraphView, alike
from kgqa_core.render.layout import arranged, most_abreast
from kgqa_core.render.svg import as_list, legend, side_icon, svg
from kgqa_core.screens.browser_files import fetching, serve_files

_graph = st.components.v2.component(
    "kgqa_graph",
    html='<div class="graph"></div>',
    css="""
.graph:empty { height: 300px; border: 1px solid var(--st-border-color);
  border-radius: var(--st-base-radius); box-sizing: border-box; }
""",  # until its own are there
    js=fetching("graph_view.js", "graph_view.css", "graph.css"),
)


def graph_view(
    view: GraphView,
    *,
    key: str,
    run_id: str,
    height: int = 480,
    grows: bool = False,
    highlight: Sequence[str] = (),
    selected: str | None = None,
    like: Sequence[GraphView] = (),
    over: bool = True,
    whole: bool = False,
    address: str = "",
    sides: Sequence[tuple[str, str]] = (),
) -> str | None:
    """Shows a graph; returns the id of the node or edge just clicked, "" for a click beside.

    Drawn is the path of the answer, or while the run goes on (`over` false) its frontier; the
    rest can be opened (`whole`: it is drawn from the start). What is also in a view of `like`
    stands and looks as it does there. Zoom is kept by `run_id`. `highlight` takes statement keys;
    `selected` marks a node or an edge ("": none; None: leave it to the user). `address` is the
    page's query where it has none, without an entry of the history. `height` in pixels; where it
    `grows`, that is the least, and a high window gives more. `sides`: whose lines they are, as
    (side, name), for the legend.

    Where there is little width the browser says so, and the walk goes from the top down.
    """
    key = allowed(key)
    opened: list[str] = st.session_state.setdefault(f"opened:{run_id}", [])
    everything = f"all:{run_id}"

    def picked() -> None:
        clicked = str(getattr(st.session_state[key], "picked", "") or "")
        what, _, rest = clicked.partition(":")
        if what == "fold":
            opened.remove(rest) if rest in opened else opened.append(rest)
        elif what == "all":
            st.session_state[everything] = not st.session_state.get(everything, False)
        elif what == "narrow":
            st.session_state[f"tall:{key}"] = bool(rest)
            st.session_state["phone"] = rest == "phone"
        else:
            st.session_state[_clicked(key)] = clicked

    all_of_it = bool(st.session_state.get(everything))
    tall = bool(st.session_state.get(f"tall:{key}", st.session_state.get("phone")))
    focus = partial(
        focused, alike(view, like), over=over, opened=opened, everything=all_of_it or whole
    )
    most = most_abreast(lambda n: focus(most=n)) if tall else MOST_ALIKE
    drawn = focus(most=most)
    places = tuple(focused(v, opened=opened, everything=all_of_it, most=most) for v in like)
    folds = all_of_it or bool(opened) or len(drawn.nodes) < len(view.nodes)
    with st.container(gap=None):
        serve_files()
        _graph(
            key=key,
            # In a list: the values of a dict would be looked through for tables, with pandas
            data=[
                {
                    "svg": svg(
                        drawn, arranged(*places, drawn, tall=tall), over=over, faded=all_of_it
                    )
                    if drawn.nodes
                    else "",
                    "tall": tall,
                    "legend": [
                        *((side_icon(s), name) for s, name in sides),
                        *legend(drawn, over=over),
                    ],
                    "list": as_list(drawn),
                    "summary": drawn.summary,
                    "all": all_of_it if folds and not whole else None,
                    "run": run_id,
                    "height": height,
                    "grows": grows,
                    "highlight": list(highlight),
                    "selected": selected,
                    "empty": "This run has walked no graph." if over else "",
                    "address": address,
                }
            ],
            height="content" if grows or tall else height,
            on_picked_change=picked,
        )
    found: str | None = st.session_state.pop(_clicked(key), None)
    return found


def just_clicked(key: str) -> str | None:
    """What the next `graph_view` of this key will return, for those who must know before."""
    found: str | None = st.session_state.get(_clicked(allowed(key)))
    return found


def allowed(key: str) -> str:
    """Streamlit refuses keys with two underscores side by side."""
    return key.replace("_", "~")


def _clicked(key: str) -> str:
    """Where a click waits: the look that it began may be cut short by a newer one."""
    return f"clicked:{key}"
