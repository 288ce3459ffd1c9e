"""What of Streamlit is mended here, until it is mended there."""

from __future__ import annotations

from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.app_session import AppSession, AppSessionState
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.scriptrunner import RerunData
from streamlit.runtime.state.session_state import WStates, _is_stale_widget

_LATE_CLICKS = 300  # widgets that left the page last; a click on one of them may be on its way
_SOON_S = 0.02  # until another look at whether all that was drawn is on its way


def look_for_no_components() -> None:
    """Streamlit's server begins with a look through every installed package for components.

    It reads what is told of each four times, which is a quarter of the time until it serves. The
    components of these pages are in no package.
    """
    manifest_scanner.scan_component_manifests = lambda max_workers=None: []


def let_runs_end() -> None:
    """A part of a page that is to be redrawn waits until the page before it has been sent.

    Streamlit 1.67 starts a new thread for it as soon as the script has ended, and drops what the
    script's last messages are if the server was too busy to have sent them: the browser then is
    told to draw into a page that it does not have (“Cannot set a node at a delta path”), and stays
    dead until it is reloaded.
    """
    begin = AppSession._create_scriptrunner
    if hasattr(begin, "waits"):
        return

    def begin_in_turn(session: AppSession, asked: RerunData) -> None:
        before = session._scriptrunner
        if before is None:
            begin(session, asked)
        elif session._state is AppSessionState.SHUTDOWN_REQUESTED:
            return
        elif not before.request_rerun(asked):  # it has ended, and not everybody knows it
            session._event_loop.call_later(_SOON_S, begin_in_turn, session, asked)

    begin_in_turn.waits = True  # type: ignore[attr-defined]
    AppSession._create_scriptrunner = begin_in_turn  # type: ignore[method-assign, assignment]


def let_parts_arrive() -> None:
    """What was drawn of a page is sent, also where a part of it is drawn again before it could be.

    Streamlit 1.67 then drops what it has not sent of that part. Of its messages that name again
    what was sent before (`ref_hash`), it does not see that they belong to the part: they are sent,
    and what they lie in is not. The browser has no place for them (“Cannot set a node at a delta
    path”) and stays dead until it is reloaded; likewise where the place of the part is dropped, and
    what comes after it is sent. A page drawn anew as a whole may drop what it likes.
    """
    clear = ForwardMsgQueue.clear
    if hasattr(clear, "as_it_comes"):
        return

    def clear_for_whole_pages(
        queue: ForwardMsgQueue,
        retain_lifecycle_msgs: bool = False,
        fragment_ids_this_run: list[str] | None = None,
    ) -> None:
        if retain_lifecycle_msgs and fragment_ids_this_run:
            queue._delta_index_map = {}  # what comes is of another run: it replaces nothing
        else:
            clear(queue, retain_lifecycle_msgs, fragment_ids_this_run)

    clear_for_whole_pages.as_it_comes = clear  # type: ignore[attr-defined]
    ForwardMsgQueue.clear = clear_for_whole_pages  # type: ignore[method-assign, assignment]


def let_widgets_go() -> None:
    """A session keeps no widget that left its page long ago.

    Streamlit 1.67 keeps what it knows of every widget a session ever had, and with it all that a
    button's callback was given: each run that was looked at stays in memory for as long as the page
    is open.
    """
    remove = WStates.remove_stale_widgets
    if hasattr(remove, "forgets"):
        return

    def remove_and_forget(
        widgets: WStates, active: frozenset[str], fragments: list[str] | None
    ) -> None:
        remove(widgets, active, fragments)
        known = widgets.widget_metadata
        gone = [k for k, widget in known.items() if _is_stale_widget(widget, active, fragments)]
        for old in gone[:-_LATE_CLICKS]:
            del known[old]

    remove_and_forget.forgets = True  # type: ignore[attr-defined]
    WStates.remove_stale_widgets = remove_and_forget  # type: ignore[method-assign, assignment]
