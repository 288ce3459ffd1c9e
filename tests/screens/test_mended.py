"""What a session holds on to: what is on its page, and not all that ever was."""

import gc
import weakref

from streamlit.testing.v1 import AppTest

from kgqa_core.screens import mended
from tests.patience import PATIENCE_S


class Large:
    """Given to a button's callback, as a run is."""


KEPT: "weakref.WeakSet[Large]" = weakref.WeakSet()


def _page() -> None:
    import streamlit as st

    from tests.screens.test_mended import KEPT, Large

    turn = st.session_state["turn"] = st.session_state.get("turn", 0) + 1
    for n in range(40):
        KEPT.add(given := Large())
        st.button("x", key=f"{turn}:{n}", on_click=lambda given: None, args=(given,))
    st.text_input("name", key="name")


def test_a_session_lets_go_of_widgets_that_left_its_page(monkeypatch):
    monkeypatch.setattr(mended, "_LATE_CLICKS", 100)
    mended.let_widgets_go()
    KEPT.clear()
    app = AppTest.from_function(_page, default_timeout=PATIENCE_S).run()
    app.text_input(key="name").set_value("Ann")
    for _ in range(9):
        app.run()
    assert not app.exception
    assert app.text_input(key="name").value == "Ann"
    gc.collect()
    assert len(KEPT) <= 100 + 2 * 40
    app.button(key="10:7").click().run()
    assert not app.exception


def test_it_is_mended_once():
    mended.let_widgets_go()
    before = mended.WStates.remove_stale_widgets
    mended.let_widgets_go()
    assert mended.WStates.remove_stale_widgets is before
