"""The built-in reader drafts what has to be known, and verification fills it in."""

from __future__ import annotations

import pytest

from kgqa_core.ask import events
from kgqa_core.ask.run import Toolkit, drain
from kgqa_core.facts import verbalise
from kgqa_core.facts.terms import is_open
from kgqa_core.llm.offline import Offline
from kgqa_core.methods.pgakv.algorithm import Params, solve
from kgqa_core.methods.pgakv.cypher import from_lines, from_script
from kgqa_core.methods.pgakv.skills import DRAFT, DRAFT_TRIPLES
from kgqa_core.reader.pgakv import Drafting
from kgqa_core.reader.reader import Reader
from kgqa_core.search.index import Index
from tests.servers.chroma import real_encoder
from tests.small_graph import small_graph


@pytest.fixture(scope="module")
def reader():
    return Offline()


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    return Index(small_graph(), real_encoder(), tmp_path_factory.mktemp("index"))


def drafted(reader, question):
    draft = reader.ask(DRAFT, DRAFT.given(question=question)).result().value
    return [verbalise.statement(s) for s in from_script(draft.script).statements]


@pytest.mark.parametrize(
    ("question", "shape"),
    [
        ("Who directed Inception?", ["Inception — director — ?"]),
        ("Which films did Sofia Coppola direct?", ["? — director — Sofia Coppola"]),
        (
            "Where was the author of Emma born?",
            ["Emma — author — ?", "? — place of birth — ?"],
        ),
        ("Was Ada Lovelace born in London?", ["Ada Lovelace — place of birth — London"]),
        (
            "Is the Nile longer than the Rhine?",
            ["Nile — length — ?", "Rhine — length — ?"],
        ),
        (
            "Which is larger by area, Ostland or Nordland?",
            ["Ostland — area — ?", "Nordland — area — ?"],
        ),
        ("Who is older, Ann Lee or Bob Ray?", ["Bob Ray — date of birth — ?"]),
        ("Which was founded first, Orvel College or Quill Hall?", ["Quill Hall — inception — ?"]),
        ("Which currency does Quenia use?", ["Quenia — currency — ?"]),
    ],
)
def test_the_draft_has_the_shape_of_the_question(reader, question, shape):
    said = drafted(reader, question)
    assert set(shape) <= set(said)


def test_an_overview_is_drafted_by_what_there_usually_is_to_say(reader):
    said = drafted(reader, "Describe the film Inception.")
    assert "Inception — director — ?" in said
    assert "Inception — population — ?" not in said
    both = drafted(reader, "Tell me about Rome and Paris.")
    assert {"Rome — country — ?", "Paris — country — ?"} <= set(both)


@pytest.mark.parametrize(
    "question", ["Who is the president of France?", "Tell me about the director of Inception."]
)
def test_a_question_for_one_thing_is_no_overview(reader, question):
    assert not any("population" in said for said in drafted(reader, question))


def test_who_bears_a_description_is_no_overview():
    drafting = Drafting(Reader())
    assert drafting.asks_for_text("Who is Ann van der Lee?")
    assert not drafting.asks_for_text("Who is the Norse god of the sea?")


def test_what_tells_a_time_is_no_further_question():
    drafting = Drafting(Reader())
    how_old = "How old was Ann Lee when she died?"
    assert drafting.parts(how_old) == [how_old]
    assert not drafting.asks_for_text(how_old)
    assert len(drafting.parts("Who wrote Emma, and when was it written?")) == 2


def test_what_it_cannot_read_gives_no_script(reader):
    draft = reader.ask(DRAFT, DRAFT.given(question="Warum ist der Himmel blau?")).result().value
    assert draft.script == ""
    assert draft.plan


def test_hostile_names_come_through_as_names(reader):
    said = drafted(reader, "Who directed \"O'Brien'}) DETACH DELETE (n\"?")
    assert {one.split(" — ")[0] for one in said} == {"O'Brien'}) DETACH DELETE (n"}


def test_direct_triples_have_the_same_shape(reader):
    given = DRAFT_TRIPLES.given(question="Who directed Inception?")
    draft = reader.ask(DRAFT_TRIPLES, given).result().value
    statement, *_ = from_lines(draft.triples).statements
    assert (statement.subject.name, statement.relation.name) == ("Inception", "director")
    assert is_open(statement.object)


@pytest.mark.parametrize(
    ("question", "answer", "outcomes"),
    [
        ("Who directed Written on the Wind?", ["Douglas Sirk"], ["replaced"]),
        ("Was Written on the Wind directed by Douglas Sirk?", ["true"], ["kept"]),
        ("What is the population of Ulm?", ["126790"], ["replaced"]),
    ],
)
def test_whole_runs_without_a_model(index, question, answer, outcomes):
    kg = small_graph()
    tools = Toolkit(kg, Offline(real_encoder()), index=index)
    found, seen = drain(solve(question, tools, Params()))
    assert found.grounding == "grounded"
    assert [getattr(v, "value", None) or v.name for v in found.values] == answer
    corrected = [e.outcome for e in seen if isinstance(e, events.Corrected)]
    assert [o for o in corrected if o in ("kept", "replaced")][:1] == outcomes
    assert any("no beliefs of its own" in e.text for e in seen if e.kind == "noted")


def test_an_overview_cites_every_item(index):
    tools = Toolkit(small_graph(), Offline(real_encoder()), index=index)
    found, _ = drain(solve("Describe the film Imitation of Life.", tools, Params()))
    assert found.grounding == "grounded"
    assert {"Douglas Sirk", "Lana Turner"} <= {v.name for v in found.values}
    assert all(sentence.cites for sentence in found.sentences)


@pytest.mark.parametrize(
    ("question", "shape"),
    [
        ("Which lakes are the Great Lakes?", ["Great Lakes — has part(s) — ?"]),
        ("Which lakes belong to the Great Lakes?", ["? — part of — Great Lakes"]),
    ],
)
def test_a_group_is_drafted_by_its_parts_either_way(reader, question, shape):
    assert set(shape) <= set(drafted(reader, question))


def test_a_relation_of_its_own_is_no_part(reader):
    assert "France — has part(s) — ?" not in drafted(reader, "What is the capital of France?")
