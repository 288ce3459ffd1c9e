"""The live graph as a Streamlit component; the only file that knows the components API.

Streamlit sends a component's code with every change of its data. vis-network (from the
installed pyvis) and our own module are half a megabyte, so they travel in a component of their
own whose data never changes, and are sent once; the one that shows the graph waits for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files

import streamlit as st

from kgqa_core.places import ASSETS
from kgqa_core.render.graph import GraphView

_WAIT = """
const slot = (globalThis.kgqaGraph ??= {});
slot.ready ??= new Promise((resolve) => (slot.resolve = resolve));
export default async function (component) {
  const show = await slot.ready;
  return show(component);
}
"""


def vis_network() -> str:
    """The source of vis-network that pyvis brings."""
    library = files("pyvis") / "templates" / "lib" / "vis-9.1.2" / "vis-network.min.js"
    # the source map is not shipped: developer tools would ask the server for it
    return library.read_text(encoding="utf-8").partition("//# sourceMappingURL=")[0]


def _module() -> str:
    # vis-network exports to `exports` when it finds one: nothing becomes global
    return (
        "const vis = ((exports, module, define) => {\n"
        f"{vis_network()}\nreturn exports;\n}})({{}}, {{}});\n"
        + (ASSETS / "graph_view.js").read_text(encoding="utf-8")
    )


_library = st.components.v2.component("kgqa_graph_library", js=_module())
_graph = st.components.v2.component(
    "kgqa_graph",
    html='<div class="graph">\n</div>',
    css=(ASSETS / "graph_view.css").read_text(encoding="utf-8"),
    js=_WAIT,
)


def graph_library() -> None:
    """Sends what draws graphs, once for a page with many `graph_view(…, library=False)`."""
    _library(key="graph:library")


def graph_view(
    view: GraphView,
    *,
    key: str,
    run_id: str,
    height: int = 480,
    highlight: Sequence[str] = (),
    selected: str | None = None,
    positions: str | None = None,
    library: bool = True,
    empty: str = "",
    address: str = "",
) -> str | None:
    """Shows a graph; returns the id of the node or edge just clicked, "" for a click beside.

    Zoom is kept by `run_id`, the places of nodes by `positions` (default: `run_id`): graphs
    side by side that share it put the same node in the same place. `highlight` takes statement
    keys; `selected` marks a node or an edge ("": none; None: leave it to the user). `library`
    false: the page calls `graph_library`. `empty` stands where there is nothing to draw.
    `address` is the page's query where it has none, without an entry of the history.
    """
    key = key.replace("_", "~")  # Streamlit refuses keys with two underscores side by side
    with st.container(gap=None):
        if library:
            _library(key=f"{key}:library")
        result = _graph(
            key=key,
            data={
                "view": view.as_data(),
                "run": run_id,
                "positions": positions or run_id,
                "height": height,
                "highlight": list(highlight),
                "selected": selected,
                "empty": empty,
                "address": address,
            },
            height=height,
            on_picked_change=lambda: None,
        )
    picked: str | None = result.picked
    return picked
