"""The index section on a page: its states, a build that is watched and stopped."""

import threading
import time
from pathlib import Path
from types import SimpleNamespace

from streamlit.testing.v1 import AppTest

from kgqa_core.screens import session, widgets
from kgqa_core.search.build import Build
from kgqa_core.search.index import Index
from tests.patience import PATIENCE_S, wait_until
from tests.search.build_index import index_of
from tests.servers.chroma import word_encoder

INDEX: list[Index] = []


def page():
    import streamlit as st

    from kgqa_core.screens.graphs.index import index_panel
    from tests.screens.test_index import INDEX

    st.title("Graphs")
    index_panel(INDEX[0])


def shown(at):
    return " ".join(e.value for e in (*at.markdown, *at.caption, *at.error))


def run_until(at, words):
    def says():
        at.run()
        assert not at.exception
        return words in shown(at)

    wait_until(says, f"never showed {words!r}")


def test_an_index_is_built_from_the_page(tmp_path: Path):
    INDEX[:] = [index_of(tmp_path, 1500)]
    INDEX[0].encoder.encode(["warm"])
    at = AppTest.from_function(page, default_timeout=PATIENCE_S).run()
    assert "**Triples**: 0 of 1,500 (not built)" in shown(at)
    at.button(key="index-build").click().run()
    run_until(at, "**Triples**: 1,500 of 1,500, built ")
    assert at.button(key="index-build").label == "Build anew"
    assert "MB" in shown(at)


def test_a_cold_encoder_does_not_hold_the_page(tmp_path: Path):
    INDEX[:] = [index_of(tmp_path, 5)]
    at = AppTest.from_function(page, default_timeout=PATIENCE_S).run()
    assert "Encoder words: cold" in shown(at)
    assert not at.exception


def test_a_build_that_fails_says_why(tmp_path: Path):
    (tmp_path / "index").write_text("a file in the way")
    INDEX[:] = [index_of(tmp_path, 5)]
    INDEX[0].encoder.encode(["warm"])
    at = AppTest.from_function(page, default_timeout=PATIENCE_S).run()
    assert "delete the folder" in shown(at)


def test_an_endpoint_has_no_index_of_triples(tmp_path: Path):
    class Endpoint:
        name = "wikidata"

    INDEX[:] = [Index(Endpoint(), word_encoder(tmp_path), tmp_path / "index")]
    INDEX[0].encoder.encode(["warm"])
    at = AppTest.from_function(page, default_timeout=PATIENCE_S).run()
    assert "cannot be read whole" in shown(at)
    assert not at.button


def line():
    from kgqa_core.screens import widgets

    widgets.encoder_state()


def test_every_page_shows_how_far_a_build_is(tmp_path: Path):
    index = index_of(tmp_path, 5_000)
    index.encoder.encode(["warm"])
    at = AppTest.from_function(line, default_timeout=PATIENCE_S).run()
    session.encoder().warm()
    run_until_ready(session.encoder())
    build = Build(index)
    session.builds()[index] = build
    try:
        while index.progress is None and build.running:
            time.sleep(0.02)
        at.run()
        (bar,) = at.get("progress")
        assert "of 5,000 triples" in bar.proto.text
        assert "you can already ask" in bar.proto.text
    finally:
        build.stop()
        build.wait(PATIENCE_S)
        session.builds().pop(index, None)


def test_a_build_waits_while_somebody_needs_the_processor(tmp_path: Path):
    index, asked, go = index_of(tmp_path, 3_000), threading.Event(), threading.Event()

    def quiet():
        asked.set()
        return go.is_set()

    build = Build(index, quiet=quiet)
    assert asked.wait(PATIENCE_S)
    assert 0 < index.progress.done < 3_000
    go.set()
    build.wait(PATIENCE_S)
    assert index.has_triples


def run_until_ready(encoder):
    wait_until(lambda: encoder.ready)


def test_nothing_begins_in_the_background_while_somebody_waits_for_a_graph(monkeypatch):
    idle, seen = SimpleNamespace(going=False), []
    making = iter([False, True, False])
    monkeypatch.setattr(session, "_LAST_LOOK", [0.0])
    monkeypatch.setattr(session.kinds_of_graphs, "begin_graph", lambda *_: next(making))
    monkeypatch.setattr(session, "open_graph", lambda *_: seen.append(session.quiet(idle)))
    assert session.quiet(idle)
    assert not session.quiet(idle)  # the graph of a first visit is being made
    session.graph("a graph that is opened here alone")
    assert seen == [False]
    assert not session.quiet(idle)  # what waited for it is drawn
    session._LAST_LOOK[0] = 0.0
    assert session.quiet(idle)


def test_the_index_gets_ready_while_the_encoder_loads(monkeypatch):
    begun = []
    monkeypatch.setattr(session, "begin_index", begun.append)
    monkeypatch.setattr(session, "usual_graph", lambda: "starter")
    for state, count in (("cold", 0), ("failed: no weights", 0), ("warming 1 s", 1), ("ready", 2)):
        now = SimpleNamespace(state=state, ready=state == "ready")
        monkeypatch.setattr(session, "encoder", lambda now=now: now)
        widgets._begin_index()
        assert len(begun) == count


def test_where_nothing_is_done_unasked_the_encoder_waits_until_it_is_needed(monkeypatch):
    def said() -> str:
        cold = SimpleNamespace(state="cold", ready=False)
        monkeypatch.setattr(session, "encoder", lambda: cold)
        at = AppTest.from_function(line, default_timeout=PATIENCE_S).run()
        return shown(at)

    given = session.environment()
    monkeypatch.setattr(
        session, "environment", lambda: given.model_copy(update={"build_index": True})
    )
    assert "Search by meaning is being prepared" in said()
    monkeypatch.setattr(
        session, "environment", lambda: given.model_copy(update={"build_index": False})
    )
    assert "encoder" not in said()
