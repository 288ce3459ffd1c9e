"""The Knowledge graphs page under AppTest, nothing patched: real stores, servers on loopback."""

import io
import threading
from hashlib import blake2b
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from kgqa_core.kg.load import load
from kgqa_core.kg.registry import Loading
from kgqa_core.screens import session
from kgqa_core.screens.graphs import manage, texts
from kgqa_core.search.gathering import FileGathering, home_in
from tests.patience import PATIENCE_S, wait_until
from tests.places import APP
from tests.screens.test_explore import address
from tests.screens.test_pages import text
from tests.servers.sparql import SparqlServer, says, status
from tests.small_graph import small_graph


@pytest.fixture
def page(tmp_path, monkeypatch):
    monkeypatch.setenv("KGQA_DATA_DIR", str(tmp_path))
    session.environment.clear()
    session.runs.clear()
    manage.all_loads.clear()
    texts.all_gatherings.clear()
    at = AppTest.from_file(APP, default_timeout=PATIENCE_S).switch_page("pages/graphs.py").run()
    assert not at.exception
    yield at
    session.runs.clear()
    session.environment.clear()


def key(source, name):
    return f"graph:{blake2b(source.encode(), digest_size=6).hexdigest()}:{name}"


def click(at, name):
    at.button(key=name).click().run()
    assert not at.exception
    return at


def add_endpoint(at, url, name=""):
    at.text_input(key="graphs:url").set_value(url)
    at.text_input(key="graphs:name").set_value(name)
    return click(at, "graphs:add_endpoint")


def load_typed(at, facts, name="mine"):
    at.text_area(key="graphs:facts").set_value(facts)
    at.text_input(key="graphs:typed_name").set_value(name)
    click(at, "graphs:load_typed")
    wait_until(lambda: all(b.label != "Cancel" for b in at.run().button))
    assert not at.exception
    return at


def test_that_ones_own_graph_is_loaded_is_said_wherever_one_has_scrolled_to(page):
    load_typed(page, "Ada | mother | Eve", name="mine")
    assert [t.value for t in page.toast] == ["“mine” is in the list."]
    page.run()
    assert not page.toast


def held(kind):
    """Such work goes on once it is let go."""

    class Held(kind):
        def __init__(self, *given):
            self.go = threading.Event()
            super().__init__(*given)

        def do(self):
            self.go.wait(PATIENCE_S)
            super().do()

    return Held


def test_a_load_that_ends_while_the_list_is_drawn_is_in_the_list(page, monkeypatch):
    files = [("facts.tsv", io.BytesIO(b"Ada\tmother\tEve"))]
    load = held(Loading)(session.graphs(), "mine", files)
    manage.all_loads().append(load)
    draw = manage.graph_list

    def drawn():
        draw()
        load.go.set()
        load.wait(PATIENCE_S)

    monkeypatch.setattr(manage, "graph_list", drawn)
    page.run()
    assert "is loaded: 1 fact" in page.success[0].value
    assert page.button(key=key(load.entry.source, "explore"))
    next(button for button in page.button if button.label == "Try a question").click().run()
    assert page.session_state["graph"] == load.entry.source
    assert not page.exception


def test_of_ones_own_graph_the_first_page_offers_questions_that_it_answers(page):
    load_typed(page, "Ada | mother | Eve\nAda | part of | crew\nBen | mother | Zoe")
    page.session_state["graph"] = sources()[-1]
    page.session_state["skips"] = True
    page.switch_page("pages/ask.py").run()
    assert not page.exception
    (offered,) = page.pills(key="example").options
    assert offered in ("Who is the mother of Ada?", "Who is the mother of Ben?")
    assert page.text_input(key="question").placeholder == f"For example: {offered}"


def test_questions_about_ones_own_graph_are_about_several_things_and_ask_of_no_tick(page):
    rows = [("Ada", "Ulm", "3.20"), ("Ben", "Lindau", "2.00"), ("Cal", "Ulm", "9.00")]
    facts = [f"{n} | city | {c}\n{n} | price in euros | {e}\n{n} | vegan | no" for n, c, e in rows]
    load_typed(page, "\n".join(facts))
    page.session_state["graph"] = sources()[-1]
    page.session_state["skips"] = True
    page.switch_page("pages/ask.py").run()
    assert not page.exception
    asked = [question.rpartition(" of ") for question in page.pills(key="example").options]
    assert {what for what, _, _ in asked} == {"What is the city", "What is the price in euros"}
    assert len({whom for _, _, whom in asked}) == 2


def sources():
    return [entry.source for entry in session.graphs().entries()]


def test_the_starter_graph_is_there_and_answers(page):
    click(page, key("starter", "test"))
    assert "connected" in text(page)
    assert "in use" in "".join(str(b.proto.body) for b in page.get("markdown"))


def test_an_endpoint_is_tested_added_chosen_and_removed(page):
    with SparqlServer(small_graph()._store) as server:
        add_endpoint(page, server.url, "My endpoint")
        assert not page.error
        assert "connected" in text(page)
        assert "sent" in text(page)
        assert server.url in sources()
        click(page, key(server.url, "use"))
        assert page.selectbox(key="graph").value == server.url
        assert "Questions to try can be kept" in text(page)
        page.switch_page("pages/graphs.py").run()
        session.graphs().remove(server.url)
        page.switch_page("pages/ask.py").run()
        assert not page.exception
        assert page.selectbox(key="graph").value == "starter"


@pytest.mark.parametrize("url", ["", "dbpedia.org/sparql", "file:///etc/passwd", "javascript:x"])
def test_an_address_that_is_none_is_not_added(page, url):
    add_endpoint(page, url)
    assert "is not the address" in page.error[0].value
    assert page.text_input(key="graphs:url").value == url
    assert sources() == ["known", "starter", "wikidata"]


@pytest.mark.parametrize(
    "behaviour",
    [status(403, "no"), says("<html>Log in</html>", "text/html"), status(500, "oops")],
)
def test_an_endpoint_that_does_not_answer_as_one_is_not_added(page, behaviour):
    with SparqlServer(small_graph()._store) as server:
        server.will(behaviour)
        add_endpoint(page, server.url)
        assert len(page.error) == 1
        assert sources() == ["known", "starter", "wikidata"]
        add_endpoint(page, server.url)  # it has recovered
        assert server.url in sources()


def test_a_dead_endpoint_is_not_added(page):
    add_endpoint(page, "http://127.0.0.1:9/sparql")
    assert "Nothing answers" in page.error[0].value
    assert sources() == ["known", "starter", "wikidata"]


def test_typed_facts_become_a_graph_to_explore(page):
    load_typed(page, "Ada | friend of | Ben\nBen | likes | <b>soup</b>", "My [facts](http://x)")
    assert "is loaded: 2 facts" in page.success[0].value
    entry = session.graphs().entries()[-1]
    click(page, key(entry.source, "explore"))
    page.switch_page("pages/explore.py").run()  # the test does not know that it is there
    page.text_input(key=f"explore:{entry.source}:find").set_value("ada").run()
    click(page, f"explore:{entry.source}:hit:0")
    assert address(page)["graph"] == "My [facts](http://x)"
    click(page, f"explore:{entry.source}:all")
    assert "2 entities" in text(page)


def test_typed_nonsense_leaves_nothing(page):
    load_typed(page, "just some words")
    assert page.error
    assert sources() == ["known", "starter", "wikidata"]


def test_a_folder_that_holds_no_graph(page, tmp_path):
    for path in (str(tmp_path), "/nowhere/at/all", ""):
        page.text_input(key="graphs:path").set_value(path)
        click(page, "graphs:add_folder")
        assert len(page.error) == 1
    assert sources() == ["known", "starter", "wikidata"]


def test_several_graphs_become_one(page):
    load_typed(page, "Albert Einstein | likes | soup", "mine")
    mine = sources()[-1]
    page.multiselect(key="graphs:union").set_value([mine, "starter"])
    click(page, "graphs:add_several")
    assert sources()[-1] == f"{mine},starter"
    click(page, key(sources()[-1], "explore"))
    assert not page.error


def test_a_damaged_list_is_told_and_the_starter_graph_works(page, tmp_path):
    (tmp_path / "graphs.json").write_text("{")
    page.run()
    assert "delete it to begin a new list" in page.error[0].value
    click(page, key("starter", "test"))
    assert "connected" in text(page)


def test_an_endpoint_is_explored_and_a_fault_loses_nothing(page):
    with SparqlServer(small_graph()._store) as server:
        add_endpoint(page, server.url)
        click(page, key(server.url, "explore"))
        page.switch_page("pages/explore.py").run()
        desk = f"explore:{server.url}"
        page.text_input(key=f"{desk}:find").set_value("duglas sirk").run()
        server.will(*[status(500, "oops")] * 9)  # whatever it is asked
        click(page, f"{desk}:hit:0")
        assert len(page.error) == 1
        server.recover()
        click(page, f"{desk}:again")
        assert not page.error
        click(page, f"{desk}:all")
        assert "3 entities" in text(page)
        page.text_area(key=f"{desk}:sparql").set_value("SELECT ?f { ?f wdt:P57 ?d }")
        click(page, f"{desk}:run")
        assert "2 rows" in text(page)
        server.will(says("<html>", "text/html"))
        click(page, f"{desk}:run")
        assert len(page.error) == 1
        assert "2 rows" in text(page)


# -- texts -------------------------------------------------------------------------------------


def open_more(at, source):
    at.session_state[key(source, "more")] = True
    at.run()
    assert not at.exception
    return at


def gathered(at):
    wait_until(lambda: not any(work.running for work in texts.all_gatherings()))
    at.run()
    assert not at.exception
    return at


def test_a_folder_of_texts_is_added_read_again_and_taken_away(page, tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_text("# Ulm\n\nUlm lies on the Danube.")
    (folder / "bad.txt").write_bytes(b"\xff\xfe\xfd")
    open_more(page, "wikidata")
    assert "None yet. Text RAG and hybrid RAG read passages" in text(page)
    page.text_input(key=key("wikidata", "folder:path")).set_value(str(folder))
    click(page, key("wikidata", "add_folder"))
    assert "1 text ·" in text(page)
    assert session.graphs().texts("wikidata")[0].folder == folder
    assert session.index("wikidata").has_passages
    (folder / "b.txt").write_text("Another one.")
    click(page, key("wikidata", "texts:0:again"))
    assert "2 texts ·" in text(page)
    click(page, key("wikidata", "texts:0:remove"))
    assert session.graphs().texts("wikidata") == ()
    assert (folder / "a.md").exists()
    assert not session.index("wikidata").has_passages


@pytest.mark.parametrize("path", ["", "/nowhere/at/all", "EMPTY"])
def test_a_folder_without_texts_is_told(page, tmp_path, path):
    (tmp_path / "empty").mkdir()
    open_more(page, "starter")
    path = path.replace("EMPTY", str(tmp_path / "empty"))
    page.text_input(key=key("starter", "folder:path")).set_value(path)
    click(page, key("starter", "add_folder"))
    assert len(page.error) == 1
    assert session.graphs().texts("starter") == ()


def test_the_facts_of_an_endpoint_are_told_and_read_by_rag(page):
    with SparqlServer(small_graph()._store) as server:
        add_endpoint(page, server.url, "mine")
        open_more(page, server.url)
        page.text_area(key=key(server.url, "facts:names")).set_value("Ulm\nAtlantis Qwertz")
        click(page, key(server.url, "add_facts"))
        gathered(page)
        assert "1 text added. This graph has nothing called" in page.success[0].value
        (found,) = session.index(server.url).nearest_passages(["population of Ulm"], 5)
        assert "population" in found[0].item.text
        folder = session.graphs().texts(server.url)[0].folder
        click(page, key(server.url, "texts:0:remove"))
        assert not folder.exists()


def test_texts_that_are_added_while_the_list_is_drawn_are_in_the_list(page, monkeypatch):
    files = [("ulm.md", io.BytesIO(b"# Ulm\n\nUlm lies on the Danube."))]
    home = home_in(session.graphs(), "wikidata", "notes")
    work = held(FileGathering)(home, "notes", files)
    texts.all_gatherings().append(work)
    draw = texts._watch

    def drawn(*given):
        work.go.set()
        work.wait(PATIENCE_S)
        draw(*given)

    monkeypatch.setattr(texts, "_watch", drawn)
    open_more(page, "wikidata")
    assert "1 text added" in page.success[0].value
    assert page.button(key=key("wikidata", "texts:0:remove"))


def test_an_endpoint_wants_names_of_entities(page):
    with SparqlServer(small_graph()._store) as server:
        add_endpoint(page, server.url, "mine")
        open_more(page, server.url)
        click(page, key(server.url, "add_facts"))
        gathered(page)
        assert "name those you want" in page.error[0].value
        page.text_input(key=key(server.url, "wikipedia:language")).set_value("../evil")
        click(page, key(server.url, "add_wikipedia"))
        assert any("is not a language" in e.value for e in page.error)


def test_a_removed_graph_leaves_no_texts_and_no_index(page, tmp_path):
    load_typed(page, "Ada | friend of | Ben", "mine")
    source = sources()[-1]
    open_more(page, source)
    click(page, key(source, "add_facts"))
    gathered(page)
    session.index(source).build()
    store = session.index(source).store
    assert len(list(store.collections())) == 2
    texts = session.graphs().texts(source)[0].folder
    click(page, key(source, "remove:yes"))
    assert source not in sources()
    wait_until(lambda: not session.graphs().gone)
    assert list(store.collections()) == []
    assert not Path(source).exists()
    assert not texts.exists()


def test_the_first_graph_may_be_a_folder_and_is_in_the_list_from_then_on(
    page, monkeypatch, tmp_path
):
    (tmp_path / "boats.csv").write_text("name,harbour\nMoewe,Kiel\n")
    load([tmp_path / "boats.csv"], tmp_path / "boats")
    monkeypatch.setenv("KGQA_GRAPH", str(tmp_path / "boats"))
    session.environment.clear()
    at = AppTest.from_file(APP, default_timeout=PATIENCE_S).run()
    assert not at.error
    assert at.selectbox(key="graph").value == str(tmp_path / "boats")
    assert "boats" in at.selectbox(key="graph").options


def test_a_first_graph_that_cannot_be_opened_is_told(page, monkeypatch, tmp_path):
    monkeypatch.setenv("KGQA_GRAPH", str(tmp_path / "nowhere"))
    session.environment.clear()
    at = AppTest.from_file(APP, default_timeout=PATIENCE_S).run()
    assert at.error[0].value.startswith("KGQA_GRAPH names “")
    assert "nowhere" in at.error[0].value
