"""Who is asking, on an app that is open to strangers: whose runs are shown, and how many more.

A visitor is known by a random mark in a cookie, or by the name that a reverse proxy gives in a
header. Runs carry a digest of it, so that neither the mark nor the name is in any file. An app
that is not hosted has one visitor, who sees all.
"""

from __future__ import annotations

import hmac
import secrets
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from datetime import UTC, datetime, timedelta
from functools import partial
from hashlib import blake2b
from typing import TypeVar

import streamlit as st
from pydantic import BaseModel

from kgqa_core.ask.llm import LLM, Complaint, Reply
from kgqa_core.ask.skill import Skill
from kgqa_core.errors import SettingsError
from kgqa_core.history.runs import Runs
from kgqa_core.settings import Settings
from kgqa_core.text import counted

R = TypeVar("R", bound=BaseModel)
_COOKIE = "kgqa_visitor"
FOR_ALL = (
    "Graphs, their texts and templates are the same for all visitors: the operator keeps them."
)
_YEAR_S = 365 * 86_400
_guessing = threading.Lock()

_keeper = st.components.v2.component(
    "kgqa_visitor",
    js=f"""
export default function ({{ data }}) {{
  const safe = location.protocol === "https:" ? "; Secure" : "";
  document.cookie = `{_COOKIE}=${{data}}; Path=/; Max-Age={_YEAR_S}; SameSite=Lax${{safe}}`;
}}
""",
)


def visitor(settings: Settings) -> str:
    """A digest of who is asking; empty for the only one of an app that is not hosted."""
    if not settings.hosted:
        return ""
    name = _named(settings)
    return _digest(f"name:{name}" if name else f"mark:{_mark()}")


def is_operator(settings: Settings) -> bool:
    """Whether this session sees everybody's runs, without limits."""
    if not settings.hosted or st.session_state.get("is_operator") is True:
        return True
    operators = {part.strip() for part in settings.operators.split(",") if part.strip()}
    return _named(settings) in operators


def become_operator(password: str, settings: Settings) -> bool:
    """Whether it is the operator's password; this session is the operator's from then on."""
    wanted = settings.operator_password
    with _guessing:  # one guess a second, whoever guesses
        right = wanted is not None and hmac.compare_digest(
            password.encode(), wanted.get_secret_value().encode()
        )
        if not right:
            time.sleep(1)
    if right:
        st.session_state["is_operator"] = True
    return right


def remember(settings: Settings) -> None:
    """Leaves the mark with the browser, so that a visitor who comes back is the same one."""
    if settings.hosted and not _named(settings) and _cookie() != _mark():
        _keeper(data=_mark(), key="kgqa:visitor")


def admit(settings: Settings, runs: Runs, own_model: bool) -> None:
    """Raises SettingsError when a visitor has asked too much, or all of them together have.

    `own_model`: the model is paid for by the visitor, or costs nothing.
    """
    if is_operator(settings):
        return
    me, now = visitor(settings), datetime.now(UTC)
    hour = runs.store.used((now - timedelta(hours=1)).isoformat(timespec="milliseconds"), me)
    if hour.runs >= settings.visitor_runs:
        raise SettingsError(
            f"You have asked {counted(hour.runs, 'question')} within an hour, as many as this app "
            "allows: "
            "come back later, or run it yourself."
        )
    if not own_model:
        _check_tokens(settings, runs, me)


def _check_tokens(settings: Settings, runs: Runs, me: str) -> None:
    """Raises SettingsError when a day's tokens are used up; what goes on counts, too."""
    day = (datetime.now(UTC) - timedelta(days=1)).isoformat(timespec="milliseconds")
    for who, limit, whose in (
        (me, settings.visitor_tokens, "Your questions"),
        (None, settings.visitors_tokens, "The questions of all visitors"),
    ):
        if runs.store.used(day, who).tokens + runs.spent(who) >= limit:
            raise SettingsError(
                f"{whose} have used the {limit:,} tokens that this app allows a day: choose the "
                "built-in reader, connect a model of your own, or come back tomorrow."
            )


class Metered:
    """LLM protocol: the operator's model, for a visitor, as long as a day's tokens last.

    Sixty questions that are asked within a second are let in before any of them has cost a token.
    """

    def __init__(self, llm: LLM, settings: Settings, runs: Runs) -> None:
        self.name = llm.name
        self._llm = llm
        self._check = partial(_check_tokens, settings, runs, visitor(settings))

    def ask(
        self,
        skill: Skill[R],
        given: BaseModel,
        *,
        complaint: Complaint | None = None,
        on_text: Callable[[str], None] | None = None,
    ) -> Future[Reply[R]]:
        try:
            self._check()
        except SettingsError as error:
            refused: Future[Reply[R]] = Future()
            refused.set_exception(error)
            return refused
        return self._llm.ask(skill, given, complaint=complaint, on_text=on_text)


def who_sees(settings: Settings) -> str:
    """Who sees whose runs, in a sentence; empty where there is but one visitor."""
    if not settings.hosted:
        return ""
    if is_operator(settings):
        return "You are the operator: these are the runs of all visitors."
    return (
        "These are your runs. Nobody else has them listed, but for the operator of this app; "
        "whoever has the link of a run can open it."
    )


def _named(settings: Settings) -> str:
    """Whom the reverse proxy says it is; empty without one."""
    if not settings.visitor_header:
        return ""
    return (st.context.headers.get(settings.visitor_header) or "").strip()[:200]


def _mark() -> str:
    """What tells this browser from others."""
    if "visitor" not in st.session_state:
        st.session_state["visitor"] = _cookie() or secrets.token_urlsafe(18)
    return str(st.session_state["visitor"])


def _cookie() -> str:
    found = str(st.context.cookies.get(_COOKIE, ""))
    plain = found.replace("-", "").replace("_", "")
    return found if len(found) == 24 and plain.isalnum() and plain.isascii() else ""


def _digest(text: str) -> str:
    return blake2b(text.encode(), digest_size=12, person=b"kgqa visitor").hexdigest()
