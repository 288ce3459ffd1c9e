"""KB-BINDER as its paper tells it: drafts, binding, execution, vote."""

import subprocess
import sys

import pytest

from kgqa_core.ask import events
from kgqa_core.ask.run import Toolkit, drain
from kgqa_core.errors import SourceRejected
from kgqa_core.facts.terms import (
    CENTURY,
    DATE,
    DECADE,
    YEAR,
    Entity,
    Literal,
    Qualifier,
    Relation,
    Statement,
)
from kgqa_core.kg.base import WD
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.methods import kb_binder
from kgqa_core.methods.kb_binder import (
    DRAFT,
    Bm25,
    DraftReply,
    NotAQuery,
    Params,
    _bound_text,
    read_draft,
)
from kgqa_core.search.index import Index
from tests.fakes import ScriptedLLM, kinds
from tests.servers.chroma import real_encoder
from tests.small_graph import FILM, LATER, SIRK, STATEMENTS, small_graph

ELSE = (
    "SELECT DISTINCT ?f WHERE { <entity:Written_on_the_Wind> <relation:directed_by> ?d . "
    "?f <relation:directed_by> ?d FILTER(?f != <entity:Written_on_the_Wind>) }"
)


@pytest.fixture(scope="module")
def kg():
    return small_graph()


def ask(kg, *drafts, question="What else did the director of Written on the Wind make?", **params):
    llm = ScriptedLLM(DraftReply(queries=list(drafts)))
    tools = Toolkit(kg, llm)
    return drain(kb_binder.solve(question, tools, Params(drafts=len(drafts), **params)))


def of_kind(seen, kind):
    return [e for e in seen if isinstance(e, kind)]


def test_names_are_bound_executed_and_the_answer_cites_its_facts(kg):
    answer, seen = ask(kg, ELSE)
    assert answer.values == (LATER,)
    assert answer.grounding == "grounded"
    assert answer.certain
    assert {(c.subject, c.object) for c in answer.citations} == {(FILM, SIRK), (LATER, SIRK)}
    assert kinds(seen) == (
        "step asked linked surveyed expanded surveyed step queried step noted expanded expanded"
    )
    (query,) = of_kind(seen, events.Queried)
    assert "http://www.wikidata.org/prop/direct/P57" in query.sparql
    assert "entity:" not in query.sparql


def test_the_direction_of_a_relation_is_tried_both_ways(kg):
    answer, seen = ask(
        kg, "SELECT ?d WHERE { ?d <relation:director> <entity:Written_on_the_Wind> }"
    )
    assert answer.values == (SIRK,)
    assert "^<" in of_kind(seen, events.Queried)[0].sparql


@pytest.mark.parametrize(
    "body",
    [
        "<entity:Ulm> <relation:borders> ?v . "
        "?v <relation:instance_of>/<relation:subclass_of>* <entity:country> . ",
        "<entity:Ulm> <relation:borders> ?v . ?v a_kind <entity:country>",
        "?v a_kind <entity:country> ; ^<relation:borders> <entity:Ulm>",
        "?v ^<relation:borders> <entity:Ulm> ; a_kind <entity:country> FILTER(?v != <entity:Ulm>)",
    ],
)
def test_a_kind_that_is_hardly_stated_leaves_out_nothing_whose_kind_is_not_known(body):
    """Of four neighbours one is stated to be a country, one to be a river, and of two nothing."""
    ulm, country, river = (
        Entity(f"{WD}Q{n}", name) for n, name in enumerate(("Ulm", "country", "river"), 1)
    )
    near = [Entity(f"{WD}Q{n}", f"neighbour {n}") for n in range(11, 15)]
    borders, is_a = Relation(f"{WD}P47", "borders"), Relation(f"{WD}P31", "instance of")
    facts = [Statement(ulm, borders, one) for one in near]
    facts += [Statement(near[0], is_a, country), Statement(near[1], is_a, river)]
    lands = EmbeddedGraph.build("lands", [ulm, country, river, *near], [borders, is_a], facts)
    body = body.replace("a_kind", "<relation:instance_of>")
    draft = f"SELECT DISTINCT ?v WHERE {{ {body} }}"
    answer, seen = ask(lands, draft, question="Which countries border Ulm?")
    assert set(answer.values) == {near[0], *near[2:]}
    assert not answer.certain
    told = [e.text for e in of_kind(seen, events.Noted)]
    assert any(text.startswith("No kind is stated of neighbour 1") for text in told)


@pytest.mark.parametrize(
    "compared",
    ['?d > 1957', '?d>"1957"', '?d >= "1958-01-01"', "?d > '1957-12-31'^^xsd:date",
     'YEAR(?d) > 1957', '?d > "1957-12-31T00:00:00"^^xsd:dateTime'],
)  # fmt: skip
def test_dates_are_compared_with_years_and_days_however_these_are_written(kg, compared):
    """A graph finds no date among numbers and texts, and says nothing of it."""
    films = "?f <relation:director> <entity:Douglas_Sirk> ; <relation:publication_date> ?d"
    answer, _ = ask(kg, f"SELECT ?f WHERE {{ {films} FILTER({compared}) }}")
    assert answer.values == (LATER,)
    asked, _ = ask(kg, f"ASK {{ {films} FILTER({compared}) }}")
    assert [v.value for v in asked.values] == ["true"]


def test_numbers_are_compared_as_they_are(kg):
    read = kb_binder._by_dates("ASK { ?a <relation:x> ?n FILTER(?n > 1234.5 && ?n < 12000) }")
    assert read == "ASK { ?a <relation:x> ?n FILTER(?n > 1234.5 && ?n < 12000) }"


def test_of_two_things_of_one_name_the_one_that_has_the_relation_is_bound(kg):
    answer, _ = ask(kg, "SELECT ?d WHERE { <entity:Imitation_of_Life> <relation:author> ?d }")
    assert [v.name for v in answer.values] == ["Fannie Hurst"]


@pytest.mark.parametrize(("said", "found"), [("builder", []), ("kind", ["boat"])])
def test_what_the_graph_has_no_word_for_is_not_what_kind_a_thing_is(tmp_path, said, found):
    boat, heron, orla = (
        Entity(WD + f"Q{n}", x) for n, x in enumerate(("boat", "Heron", "Orla Venn"))
    )
    kind = Relation("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
    made = Relation("http://guild.example/laid_down_by", "laid down by")
    facts = [Statement(heron, kind, boat), Statement(heron, made, orla)]
    graph = EmbeddedGraph.build("boats", [boat, heron, orla], [kind, made], facts)
    llm = ScriptedLLM(
        DraftReply(queries=[f"SELECT ?x WHERE {{ <entity:Heron> <relation:{said}> ?x }}"])
    )
    tools = Toolkit(graph, llm, index=Index(graph, real_encoder(), tmp_path))
    answer, _ = drain(kb_binder.solve(f"What is the {said} of the Heron?", tools, Params()))
    assert [value.name for value in answer.values] == found


def test_the_drafts_vote(kg):
    wrong = "SELECT ?y WHERE { <entity:Written_on_the_Wind> <relation:publication_date> ?y }"
    answer, seen = ask(kg, wrong, ELSE, ELSE)
    assert answer.values == (LATER,)
    assert answer.certain
    assert any("2 of 3" in e.text for e in of_kind(seen, events.Noted))
    assert len(of_kind(seen, events.Queried)) == 2  # the same draft is executed once
    assert not ask(kg, wrong, ELSE)[0].certain


def test_six_drafts_are_one_request_after_the_examples_most_like_the_question(kg):
    question = "How many films are by Douglas Sirk?"
    llm = ScriptedLLM(DraftReply(queries=[ELSE] * 6), DraftReply(queries=[ELSE]))
    tools = Toolkit(kg, llm)
    drain(kb_binder.solve(question, tools, Params()))
    drain(kb_binder.solve(question, tools, Params(demonstrations="fixed", shots=3)))
    assert llm.skills == [DRAFT.name, DRAFT.name]
    retrieved, fixed = (skill.examples for skill, _ in llm.asked)
    assert llm.asked[0][1].most == 6
    assert len(retrieved) == 6
    assert retrieved[-1][0].question.startswith("How many")
    assert fixed == kb_binder.SHOTS[:3]


def test_a_count_of_zero_is_an_answer_but_only_when_nothing_better_is_found(kg):
    none = "SELECT (COUNT(DISTINCT ?f) AS ?n) WHERE { ?f <relation:author> <entity:Lana_Turner> }"
    answer, _ = ask(kg, none)
    assert [v.value for v in answer.values] == ["0"]
    assert not answer.certain
    count = (
        "SELECT (COUNT(DISTINCT ?f) AS ?n) WHERE { ?f <relation:cast_member> <entity:Lana_Turner> "
        "FILTER(?f = <entity:Written_on_the_Wind>) }"
    )
    answer, _ = ask(kg, count)
    assert [v.value for v in answer.values] == ["0"]
    assert not answer.certain
    some = "SELECT (COUNT(?f) AS ?n) WHERE { ?f <relation:director> <entity:Douglas_Sirk> }"
    answer, _ = ask(kg, some)
    assert [v.value for v in answer.values] == ["2"]
    assert len(answer.citations) == 2


def test_no_is_an_answer(kg):
    answer, _ = ask(
        kg, "ASK { <entity:Imitation_of_Life> <relation:director> <entity:Lana_Turner> }"
    )
    assert [v.value for v in answer.values] == ["false"]
    assert not answer.certain  # the graph may just not know
    answer, _ = ask(
        kg,
        "ASK { <entity:Written_on_the_Wind> <relation:director> ?a . <entity:Imitation_of_Life> "
        "<relation:director> ?b FILTER(?a != ?b) }",
    )
    assert [v.value for v in answer.values] == ["false"]
    answer, _ = ask(
        kg, "ASK { <entity:Written_on_the_Wind> <relation:director> <entity:Douglas_Sirk> }"
    )
    assert [v.value for v in answer.values] == ["true"]
    assert answer.citations == (STATEMENTS[0],)


def test_qualifiers_are_reached_through_the_statement(kg):
    answer, _ = ask(
        kg,
        "SELECT ?n WHERE { <entity:Ulm> <statement:population> ?s . ?s <value:population> ?n . "
        "?s <qualifier:point_in_time> ?t FILTER(YEAR(?t) = 2009) }",
    )
    assert [v.value for v in answer.values] == ["117977"]
    assert answer.grounding == "grounded"


def test_a_chosen_one_of_a_list(kg):
    answer, _ = ask(
        kg,
        "SELECT ?f WHERE { VALUES ?f { <entity:Written_on_the_Wind> <entity:Imitation_of_Life> } "
        "?f <relation:publication_date> ?d } ORDER BY DESC(?d) LIMIT 1",
    )
    assert answer.values == (LATER,)
    assert answer.grounding == "grounded"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("DELETE WHERE { <entity:Ulm> <relation:country> ?x }", "not readable"),
        ("SELECT ?x WHERE { <entity:Ulm> <relation:country> ?x", "not readable"),
        ("I think it is Ulm.", "not readable"),
        ("DESCRIBE <entity:Ulm>", "neither SELECT nor ASK"),
        ("CONSTRUCT { ?a <relation:x> ?b } WHERE { ?a <relation:x> <entity:Ulm> }", "neither"),
        ("SELECT ?x WHERE { SERVICE <http://h> { <entity:U> <relation:c> ?x } }", "another graph"),
        ("SELECT ?x FROM <http://h> WHERE { <entity:Ulm> <relation:c> ?x }", "another graph"),
        ("SELECT ?x WHERE { <entity:Ulm> ?p ?x }", "relation open"),
        ("SELECT ?x WHERE { ?x <relation:country> ?y }", "names no entity"),
        ("SELECT ?x WHERE { <entity:U> <relation:a> ?y . ?x <relation:b> ?z }", "no named thing"),
    ],
)
def test_what_is_no_query_over_named_things_never_reaches_the_graph(kg, text, why):
    with pytest.raises(NotAQuery, match=why):
        read_draft(text)
    answer, seen = ask(kg, text)
    assert not of_kind(seen, events.Queried)
    assert answer.grounding == "abstained"
    assert "No draft" in answer.reason


def test_a_name_cannot_break_out_of_its_place(kg):
    draft = read_draft(
        'SELECT ?x WHERE { <entity:a_)%20.%20?s> <relation:b> ?x FILTER(?x != "<entity:a>") }'
    )
    assert draft.entities == ("a_)%20.%20?s", "a")
    answer, _ = ask(kg, draft.text)
    assert answer.grounding == "abstained"


def test_an_id_that_is_no_iri_is_not_asked_for(kg):
    with pytest.raises(SourceRejected, match="cannot stand in a query"):
        _bound_text("SELECT ?x WHERE { <entity:a> ?p ?x }", {"a": Entity("x:a{b")}, {})


def test_a_graph_without_sparql_is_said(kg):
    class Plain:
        name = "plain"

    with pytest.raises(SourceRejected, match="SPARQL"):
        drain(kb_binder.solve("q", Toolkit(Plain(), ScriptedLLM()), Params()))


def test_bindings_are_bounded(kg):
    empty = (
        "SELECT ?x WHERE { ?x <relation:instance_of> ?c . ?c <relation:subclass_of> <entity:film> }"
    )
    _, seen = ask(kg, empty, tries=2)
    assert len(of_kind(seen, events.Queried)) <= 2


def test_bm25_prefers_rare_words_and_short_documents():
    documents = [
        ["date", "of", "birth"],
        ["place", "of", "birth"],
        ["date", "of", "a", "long", "day"],
    ]
    scores = Bm25(documents).scores(["date", "birth"])
    assert max(range(3), key=scores.__getitem__) == 0
    assert Bm25(documents).scores(["nothing"]) == [0, 0, 0]
    assert Bm25([]).scores(["x"]) == []


_AT_ONCE = """
import sys
from concurrent.futures import ThreadPoolExecutor
from kgqa_core.methods.kb_binder import NotAQuery, read_draft

sys.setswitchinterval(1e-6)

def read(n):
    try:
        read_draft(f"SELECT DISTINCT ?w WHERE {{ <entity:A{n}> <relation:notable_work> ?w }}")
    except NotAQuery as error:
        return str(error)

with ThreadPoolExecutor(8) as pool:
    print([problem for problem in pool.map(read, range(40)) if problem])
"""


@pytest.mark.scale
def test_drafts_of_several_runs_are_read_at_the_same_time():
    """In a process of its own: the grammar is only torn while it is first used."""
    done = subprocess.run([sys.executable, "-c", _AT_ONCE], capture_output=True, text=True)
    assert (done.stdout.strip(), done.returncode) == ("[]", 0)


@pytest.mark.parametrize(
    ("stated", "told"),
    [
        (Literal("1801", CENTURY), "19th century."),
        (Literal("1960", DECADE), "1960s."),
        (Literal("1960", YEAR), "1960."),
        (Literal("1960-01-01", DATE), "1 January 1960."),
    ],
)
def test_a_plain_cell_is_told_as_exactly_as_it_is_stated(stated, told):
    bridge = Entity(WD + "Q1", "Old Bridge")
    opened = Relation(WD + "P1619", "date of opening")
    graph = EmbeddedGraph.build("g", [bridge], [opened], [Statement(bridge, opened, stated)])
    draft = "SELECT ?d WHERE { <entity:Old_Bridge> <relation:date_of_opening> ?d }"
    answer, _ = ask(graph, draft, question="When was Old Bridge opened?")
    assert answer.text == told
    assert answer.certain
    assert [s.object for s in answer.citations] == [stated]


def test_a_day_whose_exactness_no_statement_tells_is_not_certain():
    """Two openings, in a year and on its first day: a plain cell has the same day for both."""
    bridge = Entity(WD + "Q1", "Old Bridge")
    opened = Relation(WD + "P1619", "date of opening")
    stated = [Literal("1960", YEAR), Literal("1960", DECADE)]
    facts = [Statement(bridge, opened, value) for value in stated]
    graph = EmbeddedGraph.build("g", [bridge], [opened], facts)
    draft = "SELECT ?d WHERE { <entity:Old_Bridge> <relation:date_of_opening> ?d }"
    answer, seen = ask(graph, draft, question="When was Old Bridge opened?")
    assert answer.text == "1 January 1960."
    assert not answer.certain
    told = "That the graph knows the day is not said of 1 January 1960."
    assert told in [e.text for e in of_kind(seen, events.Noted)]


@pytest.mark.parametrize(
    ("end", "told"),
    [(Literal("2010-06-01", DATE), "1 June 2010."), (Literal("2010", YEAR), "2010.")],
)
def test_a_first_day_that_a_detail_states_is_certain(end, told):
    nora, mayor = Entity(WD + "Q1", "Nora Marrow"), Entity(WD + "Q2", "mayor")
    held, ended = Relation(WD + "P39", "position held"), Relation(WD + "P582", "end time")
    fact = Statement(nora, held, mayor, (Qualifier(ended, end),))
    graph = EmbeddedGraph.build("g", [nora, mayor], [held, ended], [fact])
    draft = (
        "SELECT ?d WHERE { <entity:Nora_Marrow> <statement:position_held> ?s . "
        "?s <value:position_held> <entity:mayor> . ?s <qualifier:end_time> ?d }"
    )
    answer, _ = ask(graph, draft, question="Until when was Nora Marrow mayor?")
    assert answer.text == told
    assert answer.certain
