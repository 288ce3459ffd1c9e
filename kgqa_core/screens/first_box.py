"""The question box of a new page, there before Streamlit's is: half a second instead of two.

A browser takes a second to read Streamlit's scripts and to draw with them. What is served in place
of its empty page has a box of its own, which one can type into meanwhile; as soon as the page has
its box, what was typed goes over into it, and is asked where it was sent.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from html import escape
from pathlib import Path
from string import Template

import streamlit
from starlette.middleware import Middleware
from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit import config
from streamlit.starlette import App

from kgqa_core.errors import KGQAError
from kgqa_core.kg import kinds
from kgqa_core.places import ASSETS
from kgqa_core.settings import load_settings

NAME = "KGQA Explorer"
SENTENCE = (
    "Ask a question, pick a method, and watch it walk a knowledge graph to an answer whose every "
    "fact you can check."
)
HINT = "Ask about people, places, films, companies, science, sport or history"
HINT_ELSEWHERE = "Ask what this graph knows"  # a graph of one's own, before anybody looked at it
_WAITS = "It will be asked as soon as the page is there."
_COLOURS = (
    "backgroundColor",
    "borderColor",
    "primaryColor",
    "secondaryBackgroundColor",
    "textColor",
)
_EMPTY = Path(streamlit.__file__).parent / "static" / "index.html"
_ROOT = '<div id="root"></div>'


def serve(script: Path, **options: object) -> None:
    """Serves the app of a script until it is stopped; `options` are Streamlit's of `server`."""
    app = App(script, middleware=[Middleware(FirstPage)])
    app.run(config={f"server.{name}": value for name, value in options.items()})


class FirstPage:
    """Answers who asks for the first page; everything else is Streamlit's."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = self._app
        if scope["type"] == "http" and scope["method"] == "GET" and scope["path"] == _at():
            app = HTMLResponse(_page(), headers={"Cache-Control": "no-cache"})
        await app(scope, receive, send)


def _at() -> str:
    base: str = config.get_option("server.baseUrlPath").strip("/")
    return f"/{base}/" if base else "/"


@cache
def _page() -> str:
    return first_page(_EMPTY.read_text(encoding="utf-8"))


def first_page(empty: str) -> str:
    """Streamlit's page with the box before the place that it draws into."""
    colours = {
        f"{theme}_{name}": config.get_option(f"theme.{theme}.{name}")
        for theme in ("light", "dark")
        for name in _COLOURS
    }
    words = {"name": NAME, "sentence": SENTENCE, "hint": _hint(), "waits": _WAITS}
    box = Template((ASSETS / "first_box.html").read_text(encoding="utf-8"))
    filled = box.substitute({k: escape(v) for k, v in {**colours, **words}.items()})
    return empty.replace(_ROOT, f"{_ROOT}\n{filled}", 1)


def _hint() -> str:
    with suppress(KGQAError):  # the page says it
        if kinds.written(load_settings().graph) in kinds.BUILT_IN:
            return HINT
    return HINT_ELSEWHERE
