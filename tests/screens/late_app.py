"""An app whose second run draws nothing, and whose third is sent late.

Namely once a part of the page is asked for again: so late is a server with much else to do.
`MENDED=1` in the environment: as `app.py` is.
"""

import os

import streamlit as st
from streamlit.runtime import get_instance
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner import get_script_run_ctx

from kgqa_core.screens.mended import let_runs_end

_LATE_S = 0.3

if "MENDED" in os.environ:
    let_runs_end()

if not hasattr(AppSession, "held"):
    AppSession.held = None
    plain_soon, plain_rerun = AppSession._call_soon_on_event_loop, AppSession.request_rerun

    def soon(session, callback):
        if session.held is None:
            plain_soon(session, callback)
        else:
            session.held.append(callback)

    def rerun(session, state):
        if not state or not state.fragment_id:
            plain_rerun(session, state)
        elif session.held is None or session._scriptrunner._requests._state.name != "STOP":
            session._event_loop.call_later(0.02, rerun, session, state)  # until all is drawn
        else:
            late, session.held = session.held, None
            plain_rerun(session, state)
            for callback in late:
                session._event_loop.call_later(_LATE_S, callback)

    AppSession._call_soon_on_event_loop, AppSession.request_rerun = soon, rerun

runs = st.session_state["runs"] = st.session_state.get("runs", 0) + 1
if runs == 2:
    st.stop()
if runs == 3:
    visit = get_script_run_ctx().session_id
    get_instance()._session_mgr.get_session_info(visit).session.held = []
st.write("above the part")


@st.fragment(run_every=60)
def part() -> None:
    st.write("a part")


part()
