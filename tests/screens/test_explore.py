"""The Explore page under AppTest, nothing patched."""

import json
import re
from urllib.parse import parse_qsl
from xml.etree import ElementTree

import pytest
from streamlit.testing.v1 import AppTest

from kgqa_core.kg.load import load
from kgqa_core.kg.registry import Registry
from kgqa_core.screens import session
from tests.patience import PATIENCE_S
from tests.places import APP
from tests.screens.test_pages import graph_data, text

SIRK = "L1001"


@pytest.fixture
def start(tmp_path, monkeypatch):
    monkeypatch.setenv("KGQA_DATA_DIR", str(tmp_path))
    session.environment.clear()
    session.runs.clear()

    def opened(**query):
        at = AppTest.from_file(APP, default_timeout=PATIENCE_S)
        at.switch_page("pages/explore.py")
        for name, value in query.items():
            at.query_params[name] = value
        at.run()
        at.session_state["stayed"] = True  # from now on the page runs without the app around it
        return at

    yield opened
    session.runs.clear()
    session.environment.clear()


@pytest.fixture
def sirk(start):
    at = start(graph="starter", entity=SIRK)
    assert not at.exception
    return at


def key(name):
    return f"explore:starter:{name}"


def click(at, name):
    at.button(key=key(name)).click().run()
    assert not at.exception
    return at


def address(at):
    """The query that the page puts into the browser's address."""
    (found,) = (
        e.proto for e in at.get("bidi_component") if e.proto.component_name == "kgqa_address"
    )
    return dict(parse_qsl(json.loads(found.json)[0].removeprefix("?")))


def shown(at):
    picture = ElementTree.fromstring(json.loads(graph_data(at))[0]["svg"])
    classes = [(e, set(e.get("class", "").split())) for e in picture.iter()]
    found = [e for e, names in classes if names & {"node", "row"} and "list" not in names]
    return {e.get("data-title").split("\n")[0] for e in found if e.get("data-title")}


def relation(at, name):
    return next(b for b in at.button if ":use:" in (b.key or "") and f"**{name}**" in b.label)


def test_an_empty_desk_says_what_to_do(start):
    at = start()
    assert not at.exception
    assert "Begin with an entity" in text(at)
    at.button(key=key("start:Albert Einstein")).click().run()
    assert shown(at) == {"Albert Einstein"}


def test_an_entity_is_found_in_spite_of_typing_errors(start):
    at = start()
    at.text_input(key=key("find")).set_value("Duglas Sirk").run()
    assert "Douglas Sirk" in at.button(key=key("hit:0")).label
    click(at, "hit:0")
    assert shown(at) == {"Douglas Sirk"}
    assert at.text_input(key=key("find")).value == ""
    assert address(at)["entity"] == SIRK


@pytest.mark.parametrize("name", ["Zzyzzyx Qwertz", "🤔", "<script>alert(1)</script>", "x" * 5000])
def test_what_is_not_there_gets_a_sentence(start, name):
    at = start()
    at.text_input(key=key("find")).set_value(name).run()
    assert not at.exception
    assert "Nothing in this graph is called" in text(at)


def test_a_relation_is_opened_with_counts_up_to_the_limit(sirk):
    at = sirk
    at.selectbox(key=key("limit")).set_value(10).run()
    assert "13" in relation(at, "director").label
    relation(at, "director").click().run()
    assert len(shown(at)) == 11
    assert "10 of 13" in relation(at, "director").label
    relation(at, "director").click().run()
    assert len(shown(at)) == 14
    assert relation(at, "director").disabled


def test_relations_are_narrowed_by_name_and_direction(sirk):
    at = sirk
    at.segmented_control(key=key("side")).set_value("→").run()
    uses = [b.label for b in at.button if ":use:" in (b.key or "")]
    assert uses
    assert all(label.startswith("→") for label in uses)
    at.text_input(key=key("part")).set_value("occup").run()
    assert [b for b in at.button if ":use:" in (b.key or "")] == [relation(at, "occupation")]


def test_undo_redo_clear_and_remove(sirk):
    at = click(sirk, "all")
    many = shown(at)
    assert len(many) > 10
    assert shown(click(at, "undo")) == {"Douglas Sirk"}
    assert shown(click(at, "redo")) == many
    click(at, "clear")
    assert "Begin with an entity" in text(at)
    assert shown(click(at, "undo")) == many
    at.selectbox(key=key("chosen")).set_value("http://www.wikidata.org/entity/Q5").run()
    click(at, "remove")
    assert shown(at) == many - {"human"}


def test_the_filter_hides_and_says_so(sirk):
    at = click(sirk, "all")
    at.multiselect(key=key("relations")).set_value(["http://www.wikidata.org/entity/P57"]).run()
    assert "human" not in shown(at)
    assert "2 hidden by the filter" in text(at)
    at.segmented_control(key=key("shown side")).set_value("→").run()
    assert shown(at) == {"Douglas Sirk"}


def test_the_desk_survives_another_page(sirk):
    at = click(sirk, "all")
    many = shown(at)
    at.switch_page("pages/settings.py").run()
    at.switch_page("pages/explore.py").run()
    assert not at.exception
    assert shown(at) == many
    assert address(at)["entity"] == SIRK


def test_a_reload_keeps_the_walk_and_is_a_walk_of_its_own(sirk, start):
    at = click(sirk, "all")
    many = shown(at)
    again = start(**address(at))
    assert not again.exception
    assert shown(again) == many
    assert address(again)["entity"] == SIRK
    click(again, "clear")
    assert shown(at.run()) == many


def test_a_query_is_run_and_drawn(sirk):
    at = sirk
    at.text_area(key=key("sparql")).set_value(
        "SELECT ?film ?director { ?film wdt:P57 ?director } LIMIT 5"
    )
    click(at, "run")
    assert "5 rows" in text(at)
    click(at, "draw")
    assert len(shown(at)) > 5
    assert shown(click(at, "undo")) == {"Douglas Sirk"}


@pytest.mark.parametrize(
    ("sparql", "said"),
    [
        ("", "Type a query"),
        ("DELETE WHERE { ?s ?p ?o }", "only SELECT and ASK"),
        ("INSERT DATA { <x:a> <x:b> <x:c> }", "only SELECT and ASK"),
        ("SELECT ?x { ?x ?p", "refused the query"),
        ("SELECT * { SERVICE <http://evil.example/> { ?s ?p ?o } }", "SERVICE"),
    ],
)
def test_a_query_that_cannot_be_run_keeps_the_last_results(sirk, sparql, said):
    at = sirk
    at.text_area(key=key("sparql")).set_value("SELECT ?o { wd:Q937 wdt:P106 ?o } LIMIT 3")
    click(at, "run")
    at.text_area(key=key("sparql")).set_value(sparql)
    click(at, "run")
    assert said in text(at).replace("\\", "")
    assert "3 rows" in text(at)


def test_every_example_query_finds_something(sirk):
    at = sirk
    examples = at.selectbox(key=key("example")).options
    assert len(examples) == 6
    for example in examples:
        at.selectbox(key=key("example")).set_value(example).run()
        click(at, "run")
        assert not at.error, example
        found = re.search(r"^(\d+) row", text(at), re.MULTILINE)
        assert found, example
        assert int(found[1]) > 0, example


def test_a_question_is_begun_on_the_ask_page(sirk):
    at = click(sirk, "ask")
    assert at.text_input(key="question").value == "What is the … of Douglas Sirk?"
    # and whole ones, which the graph answers
    assert at.pills(key="example").options == ["What is the occupation of Douglas Sirk?"]


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({"graph": "nowhere"}, "not in the list here"),
        ({"graph": "/etc"}, "not in the list here"),
        ({"graph": "starter", "entity": "Q999999999"}, "find the entity by its name"),
        ({"graph": "starter", "entity": "<b>x</b>"}, "find the entity by its name"),
    ],
)
def test_a_link_that_leads_nowhere_says_so(start, query, said):
    at = start(**query)
    assert not at.exception
    assert said in text(at)


def test_identifiers_and_media_are_folded(start, tmp_path):
    facts = tmp_path / "facts.tsv"
    facts.write_text('Q1\tP345\t"nm0010930"\nQ1\tP18\t"Ada.jpg"\nQ1\tP19\tQ2\n', encoding="utf-8")
    folder = load([facts], tmp_path / "graph").folder
    source = Registry(tmp_path).add(str(folder), "folder", "Ada").source
    at = start(graph=source, entity="Q1")
    assert not at.exception
    (folded,) = (e for e in at.expander if "identifier" in e.label)
    assert folded.label.startswith("1 identifier, 1 picture or sound")
    inside = {b.label for b in folded.button}
    assert len(inside) == 2
    others = {b.label for b in at.button if ":use:" in (b.key or "")} - inside
    assert len(others) == 1
