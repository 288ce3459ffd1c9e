"""Wikidata as it is: full documents, served as its sites serve them, and every method on them."""

from functools import cache

import pytest

from kgqa_core.ask.outcome import answer_of
from kgqa_core.ask.run import Toolkit, drain, run
from kgqa_core.errors import SourceUnavailable
from kgqa_core.facts import verbalise
from kgqa_core.facts.terms import Entity, short_id
from kgqa_core.kg.base import WD
from kgqa_core.llm.offline import Offline
from kgqa_core.methods import METHODS, walk
from kgqa_core.search.encoder import Encoder
from kgqa_core.search.index import Index
from kgqa_core.settings import load_settings
from tests.fakes import ScriptedLLM
from tests.measure import live
from tests.servers.real_wikidata import NEEDED, TIMED_OUT, TOO_MANY, RealWikidata
from tests.servers.sparql import partial
from tests.servers.wikidata import LAGGED, says

pytestmark = [
    pytest.mark.scale,
    pytest.mark.skipif(
        not all(path.exists() for path in NEEDED), reason="needs the documents in ../shared/data"
    ),
]

FINDING = "compass react one-hop kaping rag-hybrid structgpt tog tog-r oda".split()
READING = [*FINDING, "rag-triples", "kb-binder", "pgakv", "keqing"]
ADAMS, BERLIN, WARSAW, GONE = "Q42", "Q64", "Q270", "Q999999"


def item(number):
    value = {"entity-type": "item", "id": f"Q{number}"}
    return {"type": "wikibase-entityid", "value": value}


def claim(pid, value=None, kind="value", rank="normal", **qualifiers):
    snak = {"snaktype": kind, "property": pid, "datatype": "wikibase-item"}
    main = snak | ({"datavalue": value} if value else {})
    return {"mainsnak": main, "rank": rank, "qualifiers": qualifiers}


SPOUSES = [
    {"snaktype": "value", "property": "P1", "datavalue": item(10_000 + n)} for n in range(10_000)
]
ODD = {
    "type": "item",
    "id": "Q777777",
    "labels": {"ja": {"language": "ja", "value": "名前"}},
    "descriptions": {},
    "aliases": {"en": [{"language": "en", "value": "Oddity"}]},
    "claims": {
        "P22": [claim("P22", kind="somevalue")],
        "P40": [claim("P40", kind="novalue")],
        "P19": [claim("P19", item(64), rank="deprecated")],
        "P99999": [claim("P99999", item(42))],
        "P50": [claim("P50", item(888888))],
        "P800": [claim("P800", item(999999))],
    },
}
CROWDED = ODD | {
    "id": "Q777778",
    "labels": {"en": {"language": "en", "value": "Crowded"}},
    "aliases": {},
    "claims": {"P26": [claim("P26", item(5), P1=SPOUSES)]},
}


@pytest.fixture(scope="module")
def sites():
    with RealWikidata(
        [ADAMS, BERLIN], more=[ODD, CROWDED], redirects={"Q888888": ADAMS}
    ) as running:
        yield running


@pytest.fixture(scope="module")
def kg(sites):
    return sites.graph()


@pytest.fixture(scope="module")
def ask(kg, tmp_path_factory):
    encoder = Encoder(load_settings())
    llm = Offline(encoder)
    index = Index(kg, encoder, str(tmp_path_factory.mktemp("index")))

    def asked(method, question, graph=kg):
        chosen = METHODS[method]
        tools = Toolkit(graph, llm, index=index)
        return list(run(question, chosen.solve, tools, chosen.params()))

    return cache(asked)  # what several tests ask of one graph is run once


def notes(records):
    return [r.event.text for r in records if r.event.kind == "noted"]


@pytest.mark.parametrize("method", METHODS)
def test_every_method_runs_on_full_documents(ask, method):
    records = ask(method, "When was Douglas Adams born?")
    assert records[-1].event.kind in ("answered", "abstained")


@pytest.mark.parametrize("method", ["react", "one-hop", "kaping", "tog", "structgpt"])
def test_the_best_known_question_is_answered(ask, method):
    answer = answer_of(ask(method, "When was Douglas Adams born?"))
    assert [v.name for v in answer.values] == ["1952-03-11"]


@pytest.fixture(scope="module")
def towns():
    with RealWikidata([BERLIN, WARSAW]) as running:
        yield running.graph()


@pytest.mark.parametrize("method", ["react", "one-hop", "kaping", "tog", "structgpt", "kb-binder"])
def test_what_two_things_share_is_found(towns, ask, method):
    answer = answer_of(ask(method, "Which twin cities do Berlin and Warsaw share?", towns))
    shared = "Q2807 Q406 Q649 Q1781 Q1486 Q1899 Q472"  # Madrid, Istanbul, Moscow, Budapest, …
    assert {short_id(v.id) for v in answer.values} == set(shared.split())


@pytest.mark.parametrize("method", ["one-hop", "react", "pgakv"])
def test_a_list_of_a_great_city_is_counted_to_its_end(towns, ask, method):
    answer = answer_of(ask(method, "How many twin cities does Berlin have?", towns))
    assert ([v.name for v in answer.values], len(answer.citations)) == (["25"], 25)


def test_a_busy_service_and_a_lagging_api_are_waited_for(sites, ask):
    sites.service.will(TOO_MANY)
    sites.api.will(says(LAGGED, Retry_After="0"))
    answer = answer_of(ask("react", "Where was Douglas Adams born?", sites.graph()))
    assert [v.name for v in answer.values] == ["Cambridge"]


def test_a_service_that_runs_out_of_time_is_asked_for_less_or_tells(sites):
    graph = sites.graph()
    sites.service.will(TIMED_OUT)
    ((fact, *_),) = graph.statements([Entity(WD + ADAMS)], direction="out")
    assert fact.subject.id == WD + ADAMS
    fresh = sites.graph()
    sites.service.will(TIMED_OUT, TIMED_OUT, TIMED_OUT)  # all, fewer counted, no names along
    with pytest.raises(SourceUnavailable, match="Try again"):
        fresh.relations_of([Entity(WD + ADAMS)])


def test_a_row_window_is_told_and_makes_an_answer_uncertain(sites, ask):
    sites.service.will(partial, partial, partial, partial)
    records = ask("one-hop", "Where was Douglas Adams born?", sites.graph())
    assert any(r.event.kind == "noted" and r.event.level == "warning" for r in records)
    assert not answer_of(records).certain


def test_whatever_has_a_name_is_shown_by_it(sites, kg):
    names = {e.id: e.label for e in sites.names if e.label}
    (adams,) = kg.describe([ADAMS])
    (facts,) = kg.statements([adams])
    shown = [e for s in facts for e in (s.subject, s.object, *(q.value for q in s.qualifiers))]
    things = {e for e in shown if isinstance(e, Entity) and e.id in names}
    assert len(things) > 30
    assert all(e.name == names[e.id] for e in things)
    bare = {one.removeprefix(WD) for one in names}
    (uses,) = kg.relations_of([adams])
    assert not bare & {name for use in uses for name in use.examples}
    table = kg.query(f"SELECT ?o WHERE {{ wd:{ADAMS} wdt:P106 ?o }}")
    assert len(table.rows) > 3
    assert not bare & {cell.name for row in table.rows for cell in row}


def test_redirects_lead_on_and_what_was_deleted_keeps_its_id(kg):
    redirected, deleted = kg.describe(["Q888888", GONE])
    assert redirected.id == WD + ADAMS
    assert deleted is None
    (facts,) = kg.statements([Entity(WD + ODD["id"])], direction="out")
    told = {s.relation.id.removeprefix(WD): s for s in facts}
    assert told["P50"].object.name == "Douglas Adams"
    assert told["P50"].object.id == WD + ADAMS
    assert told["P800"].object.name == GONE
    table = kg.query(f"SELECT ?who ?what {{ wd:{ODD['id']} wdt:P50 ?who; wdt:P800 ?what }}")
    assert [(cell.id, cell.name) for cell in table.rows[0]] == [
        (WD + ADAMS, "Douglas Adams"),
        (WD + GONE, GONE),
    ]


@pytest.mark.parametrize("method", READING)
def test_what_was_deleted_is_no_certain_answer(ask, method):
    answer = answer_of(ask(method, "What is a notable work of Oddity?"))
    assert [v.name for v in answer.values] == [GONE]
    told = f"Of {GONE} the graph has nothing but the id: what it names may have been deleted."
    assert told in answer.text
    assert not answer.certain
    redirected = answer_of(ask(method, "Who is the author of Oddity?"))
    assert redirected.text == "Douglas Adams."


@pytest.mark.parametrize("method", METHODS)
def test_an_id_in_the_question_that_was_deleted_or_leads_on_is_told(ask, method):
    deleted = ask(method, f"Who is the father of {GONE}?")
    gone = f"“Wikidata” has nothing under {GONE}: what it named was deleted, or never was."
    assert notes(deleted).count(gone) == 1
    assert gone in answer_of(deleted).reason
    moved = ask(method, "Who is the father of Q888888?")
    assert "“Wikidata” has Q888888 no more: it leads on to Douglas Adams (Q42)." in notes(moved)


@pytest.mark.parametrize("method", FINDING)
def test_what_a_question_calls_by_its_id_is_found(ask, method):
    for one in (ADAMS, "Q888888"):
        assert "11 March 1952" in answer_of(ask(method, f"When was {one} born?")).text


def test_odd_statements_are_seen_as_what_they_are(kg):
    (odd,) = kg.describe([ODD["id"]])
    (facts,) = kg.statements([odd], direction="out")
    told = {s.relation.id.removeprefix(WD): verbalise.statement(s) for s in facts}
    assert told["P22"].endswith("unknown value")
    assert told["P40"].endswith("no value")
    assert told["P19"].endswith("Berlin (deprecated)")
    assert "P99999" in told["P99999"]  # nobody has named it
    (crowded,) = kg.describe([CROWDED["id"]])
    ((spouse,),) = kg.statements([crowded], direction="out")
    assert verbalise.statement(spouse).endswith("9,988 more)")
    ((hit, *_),) = kg.search(["Oddity"])
    assert hit.entity.name == ODD["id"]  # a label in no wanted language


def test_what_is_listed_without_a_name_can_be_followed(kg):
    tools = Toolkit(kg, ScriptedLLM())
    (odd,) = kg.describe([ODD["id"]])
    uses, _ = drain(tools.survey([odd]))
    nameless = next(u.relation.id for u in uses if u.relation.id.endswith("P99999"))
    go = walk.Action(thought="", tool="follow", of="S1", relation=nameless)
    found, _ = drain(walk.follow(go, walk.NodeSet({odd: ()}), tools, 10))
    assert [m.id for m in found.members] == [WD + ADAMS]


@pytest.mark.parametrize("method", READING)
def test_what_is_stated_to_be_unknown_or_not_to_be_is_told(ask, method):
    father = answer_of(ask(method, "Who is the father of Oddity?"))
    assert father.reason.startswith("The graph states of Q777777 that the “father” is unknown.")
    child = answer_of(ask(method, "Who is a child of Oddity?"))
    assert child.reason.startswith("The graph states of Q777777 that there is no “child”.")


@pytest.mark.parametrize("method", [*FINDING, "rag-triples", "kb-binder"])
def test_a_relation_that_nobody_has_named_is_asked_for_by_its_id(ask, method):
    for question in ("What is the P99999 of Oddity?", "What is Oddity's P99999?"):
        assert [v.name for v in answer_of(ask(method, question)).values] == ["Douglas Adams"]
    unknown = answer_of(ask(method, "What is the P88888 of Oddity?"))
    assert not unknown.values
    assert unknown.reason
    assert "p88888" not in unknown.reason
    if method == "kb-binder":
        told = "What was read says nothing about “P88888” of Q777777."
        assert unknown.reason == f"“Wikidata” has no relation P88888. {told}"


@pytest.mark.parametrize("method", READING)
def test_values_that_are_all_marked_as_wrong_are_no_certain_answer(ask, method):
    answer = answer_of(ask(method, "Where was Oddity born?"))
    assert [v.name for v in answer.values] in ([], ["Berlin"])
    wrong = "What the graph states as “place of birth” of Q777777 is all marked as wrong: Berlin."
    assert not answer.certain or answer.reason.startswith(wrong)


@pytest.mark.parametrize("method", READING)
def test_a_value_with_ten_thousand_qualifiers_is_an_answer_like_another(ask, method):
    answer = answer_of(ask(method, "Who is the spouse of Crowded?"))
    assert [v.name for v in answer.values] == ["human"]


ASKED = {
    "father": "Who is the father of Oddity?",
    "child": "Is Douglas Adams a child of Oddity?",
    "wrong": "Was Oddity born in Berlin?",
    "nameless": "What is the P99999 of Oddity?",
    "many": "Who is the spouse of Crowded?",
}


@pytest.mark.parametrize("question", ASKED.values(), ids=ASKED)
@pytest.mark.parametrize("method", METHODS)
def test_odd_statements_break_no_method(ask, method, question):
    records = ask(method, question)
    assert records[-1].event.kind in ("answered", "abstained")
    answer = answer_of(records)
    assert answer.sentences or answer.reason
    assert "unknown value" not in answer.text
    assert "no value" not in answer.text


def test_questions_are_asked_once_and_what_is_there_is_not_asked_again(tmp_path):
    questions, into = ["When was Douglas Adams born?", "Where was Douglas Adams born?"], tmp_path
    with live.sites([ADAMS], load_settings()) as place:
        first = live.ask_all(place, ["react"], questions[:1], into / "answers", workers=2)
        done = live.ask_all(place, ["react", "one-hop"], questions, into / "answers", workers=2)
        born = {"question": "Born?", "subject": ADAMS, "property": "P569"}
        assert live.gold_of(born, place.kg) == "1952-03-11"
    assert done["react", questions[0]] is not first["react", questions[0]]
    assert done["react", questions[0]] == first["react", questions[0]]
    assert len((into / "answers").read_text(encoding="utf-8").splitlines()) == 4
    golds = dict(zip(questions, ("1952-03-11", "Cambridge"), strict=True))
    lines = live.report(["react", "one-hop"], golds, done).splitlines()
    assert [line.split(" | ")[1] for line in lines[-2:]] == ["2", "2"]
    assert all(one.calls and one.tokens for one in done.values())
