"""A visitor without a browser: Streamlit's protocol, and the page kept as a browser keeps it.

`Client.faults` names each message that a browser could not put in its place ("Cannot set a node
at a delta path"): there the page would stay dead until it is reloaded.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

_ANSWER_S = 300.0  # only so that a server that answers nothing ends a test
_ROOMS = ("main", "sidebar", "event", "bottom")


@dataclass(frozen=True)
class Widget:
    """Something to press or to fill in."""

    id: str
    kind: str  # the element's: button, text_input, slider, …
    fragment: str
    element: Any


@dataclass
class Node:
    """One thing of the page: an element, or (with `children`) a block of them."""

    run: str = ""
    fragment: str = ""
    script: str = ""
    type: str = ""
    children: list[Node] | None = None
    fleeting: bool = False  # as a spinner is; what stood there before comes back after it
    before: Node | None = None
    widget: tuple[str, Widget] | None = None  # by the key it has in the app

    def widgets(self) -> Iterator[tuple[str, Widget]]:
        if self.widget is not None:
            yield self.widget
        for child in self.children or ():
            yield from child.widgets()
        if self.before is not None:
            yield from self.before.widgets()


class PageFault(Exception):
    """A message that has no place on the page."""


@dataclass
class Tree:
    """The page as Streamlit's browser side has it: set by paths, swept when a script has ended."""

    root: list[Node] = field(default_factory=lambda: [Node(children=[]) for _ in _ROOMS])

    def at(self, path: list[int]) -> Node | None:
        node: Node | None = Node(children=self.root)
        for index in path:
            if node is not None and node.fleeting:
                node = node.before
            if node is None or node.children is None or index >= len(node.children):
                return None
            node = node.children[index]
        return node

    def put(self, path: list[int], node: Node) -> None:
        """Raises PageFault where the place does not exist."""
        *above, last = path
        block = self.at(above)
        if block is not None and block.fleeting:
            block = block.before
        if block is None or block.children is None:
            raise PageFault(f"Cannot set a node at a delta path: {path}")
        if not 0 <= last <= len(block.children):
            raise PageFault(f"Bad delta path index {last} of {len(block.children)}: {path}")
        for depth in range(1, len(path)):  # a block that something is put into is of this run
            if (one := self.at(path[:depth])) is not None:
                one.run = node.run
        if last == len(block.children):
            block.children.append(node)
            return
        if node.fleeting:
            there = block.children[last]
            node.before = there.before if there.fleeting else there
        block.children[last] = node

    def sweep(self, run: str, fragments: list[str]) -> None:
        """Takes away what this run has not drawn; after fragments, only what is theirs."""
        self.root = [
            self._swept(node, run, fragments, "") or Node(children=[]) for node in self.root
        ]

    def _swept(self, node: Node, run: str, fragments: list[str], inside: str) -> Node | None:
        if node.fleeting:
            return self._swept(node.before, run, fragments, inside) if node.before else None
        mine = node.run == run
        if node.children is None:
            old = not mine and (not fragments or (node.fragment and inside))
            return None if old and node.type != "toast" else node
        if fragments:
            if inside and not mine:
                return None
            if mine and node.fragment in fragments:
                inside = node.fragment
        elif not mine:
            return None
        kept = (self._swept(child, run, fragments, inside) for child in node.children)
        node.children = [child for child in kept if child is not None]
        node.run = run
        return node

    def settle(self, fragments: list[str]) -> None:
        """What was fleeting goes, as a script begins anew."""

        def settled(node: Node) -> Node | None:
            if node.fleeting:
                return node.before
            foreign = fragments and node.fragment and node.fragment not in fragments
            if node.children is not None and not foreign:
                kept = (settled(child) for child in node.children)
                node.children = [child for child in kept if child is not None]
            return node

        for room in self.root:
            settled(room)

    def turn(self, script: str) -> None:
        """Another page: what the frame around all pages has drawn stays."""

        def of_frame(node: Node) -> Node | None:
            if node.script != script:
                return None
            if node.children is not None:
                kept = (of_frame(child) for child in node.children)
                node.children = [child for child in kept if child is not None]
            return node

        for room in self.root:
            kept = (of_frame(child) for child in room.children or ())
            room.children = [child for child in kept if child is not None]


class Client:
    """One visitor's connection to a running app.

    `again` are the fragments that redraw themselves,
    with their pause in seconds; `chosen` is what stands in boxes, sent along as a browser does.
    """

    def __init__(self, socket: Any) -> None:
        self._socket = socket
        self._messages: dict[str, Any] = {}  # the server names again what it has sent before
        self._tree = Tree()
        self._run, self._main, self._app = "", "", ""
        self.page, self.query = "", ""
        self.pages: dict[str, str] = {}
        self.chosen: dict[str, str] = {}
        self.again: dict[str, float] = {}
        self.ended = 0  # scripts
        self.running = False
        self.faults: list[str] = []
        self.errors: list[str] = []  # what a script raised, as the page shows it

    @property
    def widgets(self) -> dict[str, Widget]:
        """What is on the page now."""
        return {name: widget for room in self._tree.root for name, widget in room.widgets()}

    async def send(
        self, values: Mapping[str, Any] | None = None, *, press: str = "", fragment: str = ""
    ) -> None:
        """One click: what stands in boxes, and the button pressed. Waits for nothing."""
        message = BackMsg()
        state = message.rerun_script
        state.page_script_hash, state.query_string = self.page, self.query
        states, widgets = state.widget_states.widgets, self.widgets
        for name, value in {**self.chosen, **(values or {})}.items():
            if (widget := widgets.get(name)) is None:
                continue
            if widget.kind == "slider":
                states.add(id=widget.id).double_array_value.data.append(value)
            else:
                states.add(id=widget.id, string_value=value)
            fragment = fragment or (widget.fragment if name in (values or {}) else "")
        if press and (button := widgets.get(press)):
            states.add(id=button.id, trigger_value=True)
            fragment = fragment or button.fragment
        state.fragment_id = fragment
        if not fragment:
            self.again.clear()
        await self._socket.send(message.SerializeToString())

    async def click(self, values: Mapping[str, Any] | None = None, **how: str) -> float:
        """`send`, and waits until the page is drawn. Returns seconds."""
        before, began = self.ended, time.monotonic()
        await self.send(values, **how)
        while self.ended == before:
            await self.take()
        return time.monotonic() - began

    def go_to(self, page: str) -> None:
        """The next click is one on this page in the menu."""
        self.page, self.query = self.pages.get(page, ""), ""

    async def turn_to(self, page: str) -> float:
        self.go_to(page)
        return await self.click()

    async def rest(self, seconds: float) -> None:
        """Reads what comes in the meantime, as a page does that is only looked at."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            try:
                await asyncio.wait_for(self.take(), left)
            except TimeoutError:
                return

    async def take(self) -> None:
        """Reads one message."""
        message = ForwardMsg()
        message.ParseFromString(await asyncio.wait_for(self._socket.recv(), _ANSWER_S))
        where = message.metadata
        if message.WhichOneof("type") == "ref_hash":
            message = self._messages[message.ref_hash]
        elif message.hash:
            self._messages[message.hash] = message
        kind = message.WhichOneof("type")
        if kind == "new_session":
            self._begin(message.new_session, where.run)
        elif kind == "delta":
            self._draw(message.delta, where)
        elif kind == "auto_rerun":
            self.again[message.auto_rerun.fragment_id] = message.auto_rerun.interval
        elif kind == "stop_auto_rerun":
            self.again.pop(message.stop_auto_rerun.fragment_id, None)
        elif kind == "navigation":
            for page in message.navigation.app_pages:
                self.pages[page.url_pathname] = page.page_script_hash
            self.page = self.page or message.navigation.page_script_hash
        elif kind == "session_status_changed":
            self.running = message.session_status_changed.script_is_running
        elif kind == "page_info_changed":
            self.query = message.page_info_changed.query_string
        elif kind == "script_finished":
            self._end(message.script_finished, where.run)

    def _begin(self, new: Any, run: Any) -> None:
        self._run, fragments = run.script_run_id, list(run.fragment_ids)
        if not fragments:
            self.again.clear()
            self._main = new.main_script_hash
        app = new.main_script_path + new.page_script_hash
        if app == self._app:
            self._tree.settle(fragments)
        else:
            self._app = app
            self._tree.turn(self._main)

    def _end(self, how: int, run: Any) -> None:
        fragments = list(run.fragment_ids)
        if how == ForwardMsg.FINISHED_EARLY_FOR_RERUN:
            if fragments:
                self.again.clear()  # the page is drawn anew
            return
        compiled = how != ForwardMsg.FINISHED_WITH_COMPILE_ERROR
        if compiled and (fragments or run.script_run_id == self._run):
            self._tree.sweep(run.script_run_id, fragments)
        self.ended += 1

    def _draw(self, delta: Any, where: Any) -> None:
        node = Node(self._run, delta.fragment_id, where.active_script_hash)
        path = list(where.delta_path)
        kind = delta.WhichOneof("type")
        if kind == "add_block":
            node.type, node.children = delta.add_block.WhichOneof("type") or "", []
            old = self._tree.at(path)
            old = old.before if old is not None and old.fleeting else old
            if old is not None and old.children is not None and old.type == node.type:
                node.children = old.children
        elif kind == "new_transient":
            node.fleeting = True
        else:
            node.type = delta.new_element.WhichOneof("type") or ""
            self._meet(node, delta)
        try:
            self._tree.put(path, node)
        except PageFault as fault:
            self.faults.append(str(fault))

    def _meet(self, node: Node, delta: Any) -> None:
        element = getattr(delta.new_element, node.type, None)
        if node.type == "exception":
            self.errors.append(f"{element.type}: {element.message}")
        if found := re.match(r"\$\$ID-[0-9a-f]+-(.*)", getattr(element, "id", "") or ""):
            node.widget = found[1], Widget(element.id, node.type, delta.fragment_id, element)


def connected(port: int) -> Any:
    """An asynchronous context: `async with connected(port) as socket: Client(socket)`."""
    address = f"ws://localhost:{port}/_stcore/stream"
    return websockets.connect(
        address,
        subprotocols=["streamlit"],
        max_size=None,
        open_timeout=_ANSWER_S,
        ping_interval=None,  # no browser asks whether a server that is busy is still there
    )
