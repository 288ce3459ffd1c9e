"""A graph behind an endpoint is the graph; and every fault is one sentence."""

import json
import os
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from dataclasses import replace

import pyoxigraph as ox
import pytest

from kgqa_core import network
from kgqa_core.errors import SettingsError, SourceError, SourceRejected, SourceUnavailable
from kgqa_core.facts import compute, kinds, verbalise
from kgqa_core.facts.terms import URL, Entity, Literal, Relation
from kgqa_core.kg import layout, polite, sparql
from kgqa_core.kg.base import WD, _on_request
from kgqa_core.kg.cache import DiskCache
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.kg.kinds import open_graph
from kgqa_core.kg.layout import PREFIXES
from kgqa_core.kg.polite import Reach
from kgqa_core.kg.profiles import PROFILES, Profile, profile_for
from kgqa_core.kg.query_text import with_limit, with_prefixes
from kgqa_core.kg.sparql import SparqlGraph
from kgqa_core.settings import Settings
from tests.faults.endpoints import FAULTS
from tests.kg.conformance import (
    BERLIN,
    CAESAR,
    DIRECTOR,
    ENTITIES,
    FILM,
    HUMAN,
    INSTANCE,
    RELATIONS,
    STATEMENTS,
    Conformance,
    QueryConformance,
    entity,
    fact,
    races,
    relation,
)
from tests.patience import PATIENCE_S
from tests.servers.sparql import (
    RESULTS,
    SparqlServer,
    drip,
    drip_headers,
    flood,
    good,
    hang,
    partial,
    rows,
    status,
)


def world() -> ox.Store:
    return EmbeddedGraph.build("world", ENTITIES, RELATIONS, STATEMENTS)._store


@pytest.fixture(scope="module")
def server():
    with SparqlServer(world()) as running:
        yield running


@pytest.fixture
def own():
    """A server to be bad with, and a line without memory of another one at the same port."""
    polite._lines.clear()
    with SparqlServer(world()) as running:
        yield running


def counted(work) -> int:
    seen: list[int] = []
    token = _on_request.set(seen.append)
    try:
        work()
    finally:
        _on_request.reset(token)
    return sum(seen)


class Remote(Conformance):
    def test_requests_are_reported(self, kg):
        kg.forget()  # what is in the cache is no request
        super().test_requests_are_reported(kg)


class TestOverHttp(Remote, QueryConformance):
    @pytest.fixture(scope="class")
    @classmethod
    def kg(cls, server):
        return SparqlGraph(server.url, name="world")


class TestAsWikidata(Remote, QueryConformance):
    """The profile for Wikidata's layout, with the search of a small graph."""

    @pytest.fixture(scope="class")
    @classmethod
    def kg(cls, server):
        profile = Profile("test", "statements", also_plain=False, parallel=1)
        return SparqlGraph(server.url, name="world", profile=profile)


class TestTooManyNamesToFetch(Remote):
    """Search by exact spelling and by words, as on an endpoint with millions of names."""

    @pytest.fixture(scope="class")
    @classmethod
    def kg(cls, server):
        profile = Profile("test", "statements", names="scan")
        return SparqlGraph(server.url, name="world", profile=profile)

    BEYOND = frozenset(
        {"Spiderman", "spider man", "US", "Sao Paulo", "Michael Muller", "Immitation of Lief"}
    )

    @pytest.fixture(autouse=True)
    def _beyond(self, request):
        """What portable SPARQL cannot ask for: no spaces, no accents, an error in every word."""
        spec = request.node.callspec.params if hasattr(request.node, "callspec") else {}
        if spec.get("mention") in self.BEYOND:
            pytest.skip("needs all names at hand")


# -- round trips -----------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "most"), [(1, 2), (50, 2), (51, 3), (120, 4)])
def test_one_hop_takes_one_request_in_fifty_and_one_for_the_names(own, n, most):
    graph = SparqlGraph(own.url, profile=Profile("test", "statements"))
    entities = [*ENTITIES, *(entity(90_000 + i, "") for i in range(200))][:n]
    assert counted(lambda: graph.statements(entities)) <= most
    assert len(own.requests) <= most
    assert counted(lambda: graph.statements(entities)) == 0
    assert counted(lambda: graph.relations_of(entities)) == 0
    assert counted(lambda: graph.statements(entities[:1], relation=INSTANCE)) == 0


def test_all_facts_of_an_entity_with_300_values_take_one_request():
    hub = entity(1, "hub")
    values = [entity(1_000 + i, f"value {i}", "one of many") for i in range(300)]
    made = [relation(1_000 + i, f"relation {i}") for i in range(30)]
    facts = [fact(hub, made[i % 30], value) for i, value in enumerate(values)]
    store = EmbeddedGraph.build("hub", [hub, *values], made, facts)._store
    with SparqlServer(store) as running:
        graph = SparqlGraph(running.url, profile=Profile("test", "statements"))
        found = graph.statements([hub], direction="out")[0]
        assert len(found) == 300
        assert all(s.object.label and s.relation.label for s in found)
        assert len(running.requests) == 1


@pytest.mark.parametrize("profile", [PROFILES["wikidata"], Profile("plain", "plain")])
def test_the_relations_of_an_entity_with_2000_statements_take_one_request(profile):
    hub = entity(1, "hub")
    values = [entity(1_000 + i, f"value {i}", "one of many") for i in range(2_000)]
    made = [relation(1_000 + i, f"relation {i}") for i in range(100)]
    facts = [fact(hub, made[i % 100], value) for i, value in enumerate(values)]
    if profile.form == "plain":
        made = [replace(r, id=f"http://example.org/{r.label[9:]}") for r in made]
        facts = [fact(hub, made[i % 100], value) for i, value in enumerate(values)]
    store = EmbeddedGraph.build("hub", [hub, *values], made, facts)._store
    with SparqlServer(store) as running:
        (uses,) = SparqlGraph(running.url, profile=profile).relations_of([hub])
        assert len(running.requests) == 1
    assert {use.relation.name for use in uses} == {r.label for r in made}
    assert all(use.count == 20 and len(use.examples) == 3 for use in uses)
    assert all(name.startswith("value ") for use in uses for name in use.examples)


@pytest.mark.parametrize("profile", [PROFILES["wikidata"], Profile("plain", "plain")])
def test_what_is_beyond_the_first_statements_or_has_no_name_takes_no_other_request(profile):
    hub = entity(1, "hub")
    values = [entity(1_000 + i, "" if i % 2 else f"value {i}") for i in range(2_400)]
    made = [relation(1_000 + i, f"relation {i}") for i in range(1_200)]
    if profile.form == "plain":
        made = [replace(r, id=f"http://example.org/{r.label[9:]}") for r in made]
    facts = [fact(hub, made[i % 1_200], value) for i, value in enumerate(values)]
    store = EmbeddedGraph.build("hub", [hub, *values], made, facts)._store
    with SparqlServer(store) as running:
        (uses,) = SparqlGraph(running.url, profile=profile).relations_of([hub])
        assert len(running.requests) == 1
    assert {use.relation.name: use.count for use in uses} == {r.label: 2 for r in made}


@pytest.mark.scale
def test_the_relations_of_a_hub_take_one_request():
    """More than 20,000 edges lead to it; of its members none is read for being one."""
    hub, things = entity(1, "hub"), [entity(1_000 + i, f"thing {i}") for i in range(21_000)]
    made = [relation(1_000 + i, f"relation {i}") for i in range(30)]
    facts = [fact(thing, made[i % 30], hub) for i, thing in enumerate(things)]
    facts += [fact(hub, made[i % 30], thing) for i, thing in enumerate(things[:2_000])]
    store = EmbeddedGraph.build("hub", [hub, *things], made, facts)._store
    with SparqlServer(store) as running:
        (uses,) = SparqlGraph(running.url, profile=PROFILES["wikidata"]).relations_of([hub])
        assert len(running.requests) == 1
    into = [use for use in uses if use.direction == "in"]
    assert [use.count for use in into] == [700] * 30
    assert {use.relation.name for use in into} == {r.label for r in made}


def test_where_counting_takes_too_long_fewer_are_counted(own):
    graph = SparqlGraph(own.url, profile=Profile("test", "statements"))
    own.will(status(504))
    (uses,) = graph.relations_of([BERLIN])
    assert uses
    assert "LIMIT 300000" in own.requests[0].query
    assert "LIMIT 20000 " in own.requests[1].query
    assert not any("one after the other" in warning for warning in graph.meter.warnings)


def test_an_endpoint_that_cannot_give_all_at_once_is_asked_step_by_step(own):
    graph = SparqlGraph(own.url, profile=Profile("test", "statements"))
    complex_ = status(500, "Virtuoso S1T00 Error: too complex")
    own.will(complex_, complex_)  # the second: with fewer statements counted
    (found,) = graph.statements([BERLIN], direction="out")
    assert any(s.object.name for s in found)
    assert any("one after the other" in warning for warning in graph.meter.warnings)
    asked = len(own.requests)
    graph.statements([FILM], direction="out")
    assert len(own.requests) <= asked + 2


def test_an_endpoint_says_what_its_properties_lead_to():
    catalogue = Relation(WD + "P345", "Some catalogue", datatype="externalid")
    facts = [fact(FILM, catalogue, Literal("a text like any other")), fact(FILM, DIRECTOR, HUMAN)]
    store = EmbeddedGraph.build("kinds", [FILM, HUMAN], [catalogue, DIRECTOR], facts)._store
    with SparqlServer(store) as server:
        (uses,) = SparqlGraph(server.url).relations_of([FILM])
    kinds_of = {use.relation.label: kinds.kind(use.relation) for use in uses}
    assert kinds_of == {"Some catalogue": "identifier", "director": "item"}


def test_what_was_asked_is_remembered_on_disk(own, tmp_path):
    file = tmp_path / "cache.sqlite"
    first = SparqlGraph(own.url, cache=DiskCache(file)).statements([BERLIN])
    asked = len(own.requests)
    again = SparqlGraph(own.url, cache=DiskCache(file))
    assert again.statements([BERLIN]) == first
    assert len(own.requests) == asked
    assert again.meter.from_cache > 0
    old = SparqlGraph(own.url, cache=DiskCache(file, days=0))
    assert old.statements([BERLIN]) == first
    assert len(own.requests) > asked


def test_a_hub_is_cut_and_counted(own):
    crowd = [entity(10_000 + i, f"one {i}") for i in range(1_500)]
    own.store = EmbeddedGraph.build(
        "hub", [HUMAN, *crowd], [INSTANCE], [fact(one, INSTANCE, HUMAN) for one in crowd]
    )._store
    graph = SparqlGraph(own.url)
    assert len(graph.statements([HUMAN], limit=500)[0]) == 500
    assert graph.relations_of([HUMAN])[0][0].count == 1_500
    assert len(graph.statements([HUMAN], limit=1_400)[0]) == 1_400


def test_of_several_things_no_relation_is_left_without_a_place(own):
    crowd = [entity(10_000 + i, f"one {i}") for i in range(8)]
    matters = [relation(5_000 + i, f"matter {i}") for i in range(40)]
    facts = [fact(one, r, HUMAN) for one in crowd for r in matters]
    own.store = EmbeddedGraph.build("many", [HUMAN, *crowd], matters, facts)._store
    for graph in (SparqlGraph(own.url), EmbeddedGraph("many", own.store)):
        for found in graph.statements(crowd, limit=20):
            assert {s.relation.id for s in found} == {r.id for r in matters}
        assert [len(found) for found in graph.statements(crowd, limit=6)] == [6] * len(crowd)


def test_plain_rdf_with_blank_nodes(own):
    own.store = ox.Store()
    own.store.load(
        input="""
        @prefix : <http://example.org/> .
        @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        :anna a :Person , :Artist ; rdfs:label "Anna" ; :knows :ben , [ rdfs:label "somebody" ] .
        :ben rdfs:label "Ben"@fr , "Benjamin"@en ; :knows :anna .
        :knows rdfs:label "knows" .
        """,
        format=ox.RdfFormat.TURTLE,
    )
    graph = SparqlGraph(own.url)
    anna = graph.search(["Anna"])[0][0].entity
    out = graph.statements([anna], direction="out")[0]
    assert {s.object.label for s in out if s.relation.label == "knows"} == {"Benjamin", "somebody"}
    assert len([s for s in out if s.relation.name == "type"]) == 2
    assert [s.subject.label for s in graph.statements([anna], direction="in")[0]] == ["Benjamin"]
    assert graph.relation("knows") == Relation("http://example.org/knows")
    [nobody] = [s.object for s in out if s.object.label == "somebody"]
    assert graph.statements([nobody]) == graph.relations_of([nobody]) == [[]]
    assert graph.info().statements == 10


# -- queries ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "limited"),
    [
        ("SELECT ?s { ?s ?p ?o }", True),
        ("SELECT ?s { ?s ?p ?o } # LIMIT", True),
        ("SELECT ?s { { SELECT ?s { ?s ?p ?o } LIMIT 3 } }", True),
        ("SELECT ?limit { ?limit ?p ' } LIMIT 1' }", True),
        ("SELECT ?s { ?s ?p ?o } limit 3", False),
        ("SELECT ?s { ?s ?p ?o } VALUES ?s { wd:Q1 }", False),
        ("ASK { ?s ?p ?o }", False),
    ],
)
def test_a_limit_is_added_where_there_is_none(query, limited):
    assert with_limit(query, 7).endswith("\nLIMIT 7") == limited


def test_a_write_never_leaves_this_process(own):
    graph = SparqlGraph(own.url)
    for update in (
        "INSERT DATA { wd:Q1 wdt:P1 wd:Q2 }",
        "DROP ALL",
        "SELECT * { ?s ?p ?o }; CLEAR ALL",
    ):
        with pytest.raises(SourceRejected):
            graph.query(update)
    assert own.requests == []


def test_query_text_is_written_from_checked_terms(own):
    graph = SparqlGraph(own.url)
    hostile = 'x> ?p ?o } ; DROP ALL #"\\'
    graph.search([hostile])
    graph.describe([hostile, WD + hostile])
    graph.statements([Entity(hostile)], relation=Relation(hostile))
    graph.statements([BERLIN], relation=Relation(hostile))
    assert all("DROP" not in request.query for request in own.requests)


def test_requests_say_who_asks(own):
    SparqlGraph(
        own.url + "?default-graph-uri=http%3A%2F%2Fg%2F", reach=Reach(contact="me@example.org")
    ).info()
    agent = own.requests[0].headers["User-Agent"]
    assert agent.startswith("KGQA-Explorer/")
    assert "(me@example.org)" in agent
    assert own.requests[0].parameters["default-graph-uri"] == ["http://g/"]


def test_a_login_in_the_address_is_sent_and_not_shown(own):
    url = own.url.replace("http://", "http://ann:s3cret@")
    graph = SparqlGraph(url)
    own.will(status(403))
    with pytest.raises(SourceRejected) as refused:
        graph.describe([BERLIN.id])
    assert own.requests[0].headers["Authorization"].startswith("Basic ")
    assert "s3cret" not in str(refused.value) + graph.name


@pytest.mark.parametrize("before", [0, 7_994])
def test_what_an_endpoint_repeats_of_a_login_is_not_shown(own, before):
    url = own.url.replace("http://", "http://ann:s3cret-word@") + "?apikey=K0123456789"
    own.will(
        status(400, " " * before + "YW5uOnMzY3JldC13b3Jk, s3cret-word or K0123456789 is wrong")
    )
    with pytest.raises(SourceRejected) as refused:
        SparqlGraph(url).describe([BERLIN.id])
    said = str(refused.value)
    assert before or "[login], [login] or [login] is wrong" in said
    assert not any(part in said for part in ("YW5uO", "s3cret", "K01234"))


@pytest.mark.parametrize(
    ("url", "profile"),
    [
        ("https://query.wikidata.org/sparql", "wikidata"),
        ("https://qlever.dev/api/wikidata", "qlever"),
        ("https://dbpedia.org/sparql", "dbpedia"),
        ("https://live.dbpedia.org/sparql", "dbpedia"),
        ("http://localhost:8890/sparql#virtuoso", "virtuoso"),
        ("http://localhost:3030/ds/sparql#fuseki", "fuseki"),
        ("http://example.org/sparql", "generic"),
    ],
)
def test_known_endpoints_have_a_profile(url, profile):
    assert profile_for(url) == PROFILES[profile]


# -- faults ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "fault", "error", "said"), FAULTS, ids=[f[0] for f in FAULTS])
def test_a_fault_is_one_sentence_and_leaves_the_graph_usable(own, name, fault, error, said):
    timeout_s = 0.3 if "0.3 s" in said else PATIENCE_S  # only what never ends may run into it
    graph = SparqlGraph(own.url, name="world", reach=Reach(timeout_s=timeout_s))
    own.will(fault)
    with pytest.raises(error) as raised:
        graph.describe([BERLIN.id])
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)
    assert len(str(raised.value)) < 400
    assert raised.value.source == "world"
    again = SparqlGraph(own.url, name="world")
    assert again.describe([BERLIN.id]) == [BERLIN]


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://127.0.0.1:9/sparql", "Nothing answers"),
        ("http://nowhere.invalid/sparql", "no host"),
    ],
)
def test_a_wrong_address_is_told(url, said):
    with pytest.raises(SourceUnavailable, match=said):
        SparqlGraph(url).info()


@pytest.mark.parametrize(
    "url",
    ["ftp://example.org/", "example.org/sparql", "http://", "file:///x", "http://x:65536/"],
)
def test_what_is_no_address(url):
    with pytest.raises(SettingsError, match="http"):
        SparqlGraph(url)


def test_a_short_wait_is_waited(own):
    own.will(status(429, retry_after="0.2"), status(503, Retry_After="0.2"))
    started = time.monotonic()
    graph = SparqlGraph(own.url)
    assert graph.describe([BERLIN.id]) == [BERLIN]
    assert time.monotonic() - started >= 0.3
    assert graph.meter.gap_s > 0  # slower from now on, for a while


@pytest.mark.parametrize("code", [429, 503])
def test_a_long_wait_is_told_and_nothing_is_sent_meanwhile(own, code):
    own.will(status(code, Retry_After="120"))
    graph = SparqlGraph(own.url, name="world")
    for _ in range(3):
        with pytest.raises(SourceUnavailable, match=r"asks to wait 1[12]") as busy:
            graph.describe([BERLIN.id])
        assert 110 < busy.value.retry_after_s <= 120
    assert len(own.requests) == 1


@pytest.mark.parametrize(
    ("wish", "told"),
    [("inf", "60 s"), ("9" * 400, "86400 s"), ("Tue, 99 Foo 99999 00:00:00", "60 s")],
)
def test_a_strange_wish_to_wait_is_told(own, wish, told):
    own.will(status(429, Retry_After=wish))
    with pytest.raises(SourceUnavailable, match=f"asks to wait {told}"):
        SparqlGraph(own.url).describe([BERLIN.id])


def test_429_without_a_time_means_a_minute(own):
    own.will(status(429))
    with pytest.raises(SourceUnavailable, match="60 s"):
        SparqlGraph(own.url).describe([BERLIN.id])


def test_partial_results_are_marked(own):
    graph = SparqlGraph(own.url, profile=Profile("test", "statements"))
    own.will(partial)
    table = graph.query("SELECT ?x { ?x wdt:P31 wd:Q5 }")
    assert table.more
    assert "may be incomplete" in graph.meter.warnings[-1]


def test_partial_results_are_not_remembered(own):
    graph = SparqlGraph(own.url, profile=Profile("test", "statements"))
    own.will(partial, partial)
    graph.statements([BERLIN])
    assert counted(lambda: graph.statements([BERLIN])) == 1
    assert counted(lambda: graph.statements([BERLIN])) == 0
    assert counted(lambda: graph.statements([BERLIN])) == 0


def test_ping_says_how_long_an_answer_takes(own):
    graph = SparqlGraph(own.url)
    assert 0 < graph.ping() < 5
    own.will(status(404))
    with pytest.raises(SourceRejected):
        graph.ping()


def test_huge_literals_are_cut(own):
    own.will(rows({"x": {"type": "literal", "value": "x" * 1_000_000}}, columns=("x",)))
    graph = SparqlGraph(own.url, profile=Profile("test", "statements"))
    [[cell]] = graph.query("SELECT ?x { ?s ?p ?x }").rows
    assert isinstance(cell, Literal)
    assert len(cell.value) < 20_000


def test_one_odd_row_among_names_and_counts_is_left_out(own):
    """It once made the graph unreadable until the program was started anew."""

    def odd(exchange):
        found = json.loads(exchange.answer())
        if "results" not in found:  # of an ASK
            return good(exchange)
        some = found["results"]["bindings"]
        told = {"type": "literal", "value": "odd"}
        more = [{**some[0], name: told} for name in some[0]] if some else []
        more += (
            [{k: v for k, v in some[0].items() if k != name} for name in some[0]] if some else []
        )
        found["results"]["bindings"] = [*more, *some]
        exchange.send(200, json.dumps(found).encode(), RESULTS)

    own.will(*[odd] * 200)
    graph = SparqlGraph(own.url)
    plain = SparqlGraph(own.url)
    hits = [[hit.entity for hit in found] for found in graph.search(["Berlin", "Paris"])]
    assert BERLIN in hits[0]
    found = graph.statements([BERLIN])
    uses = graph.relations_of([BERLIN])
    assert graph.relation("population")
    own.recover()
    assert set(plain.statements([BERLIN])[0]) <= set(found[0])
    assert {use.relation for use in plain.relations_of([BERLIN])[0]} <= {
        u.relation for u in uses[0]
    }


def test_a_graph_with_all_names_too_many_is_searched_by_spelling(own, monkeypatch):
    monkeypatch.setattr(sparql, "_ALL_NAMES", 10)
    graph = SparqlGraph(own.url)
    assert graph.search(["Totti", "Paris"])[1][0].score == 1.0


def test_one_query_at_a_time_where_that_is_asked(own):
    graph = SparqlGraph(own.url, profile=Profile("test", "statements", parallel=1))

    lock, at_once, most = threading.Lock(), 0, 0

    def slow(exchange):
        nonlocal at_once, most
        with lock:
            at_once += 1
            most = max(most, at_once)
        time.sleep(0.05)
        with lock:  # before the reply: with it the next one may come
            at_once -= 1
        good(exchange)

    own.will(*[slow] * 4)
    threads = [
        threading.Thread(target=graph.describe, args=([one.id],)) for one in (BERLIN, CAESAR, FILM)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1
    assert graph.meter.sent == 3
    assert graph.meter.waiting == 0


# -- redirects -------------------------------------------------------------------------------


@pytest.mark.parametrize("code", [301, 302, 307, 308])
def test_a_redirect_keeps_the_query_and_is_remembered(own, server, code):
    own.will(status(code, Location=server.url))
    graph = SparqlGraph(own.url)
    assert graph.describe([BERLIN.id]) == [BERLIN]
    graph.describe([CAESAR.id])
    assert len(own.requests) == 1


def test_redirects_in_a_circle_end(own):
    own.will(*[status(302, Location="/sparql")] * 20)
    with pytest.raises(SourceError):
        SparqlGraph(own.url).describe([BERLIN.id])
    assert len(own.requests) < 10


def test_a_hosted_app_opens_no_private_address(own):
    with pytest.raises(SourceRejected, match="inside this network"):
        SparqlGraph(own.url, reach=Reach(hosted=True)).describe([BERLIN.id])
    assert own.requests == []


def test_a_hosted_app_opens_the_private_address_that_its_operator_named(own, tmp_path):
    settings = Settings(_env_file=None, hosted=True, graph=f"starter, {own.url}", data_dir=tmp_path)
    assert open_graph(own.url, settings).describe([BERLIN.id]) == [BERLIN]
    for other in (own.url + "?x=1", own.url.replace("127.0.0.1", "localhost")):
        with pytest.raises(SourceRejected, match="inside this network"):
            open_graph(other, settings).describe([BERLIN.id])
    assert len(own.requests) == 1


def test_a_hosted_app_connects_to_the_very_address_it_checked(own, monkeypatch):
    """A name that is public when it is looked up and private a moment later: 127.0.0.1 stands
    for the internet here, 127.0.0.2 for the inside."""
    monkeypatch.setattr(network, "is_public", lambda address: address == "127.0.0.1")
    looked_up = []

    def resolver(host, port, *args, **options):
        looked_up.append(host)
        place = "127.0.0.1" if looked_up.count(host) == 1 else "127.0.0.2"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (place, port))]

    monkeypatch.setattr(socket, "getaddrinfo", resolver)
    url = own.url.replace("127.0.0.1", "moves.example")
    graph = SparqlGraph(url, reach=Reach(hosted=True))
    assert graph.describe([BERLIN.id]) == [BERLIN]
    assert looked_up == ["moves.example"]
    assert own.requests[0].headers["Host"].startswith("moves.example:")
    with pytest.raises(SourceRejected, match="inside this network"):
        graph.describe([CAESAR.id])
    assert len(own.requests) == 1


def test_a_hosted_app_follows_no_redirect_into_its_network(own, monkeypatch):
    """127.0.0.1 stands for the public internet here, 127.0.0.2 for the inside."""
    monkeypatch.setattr(network, "is_public", lambda address: address == "127.0.0.1")
    inside = f"http://127.0.0.2:{own._http.server_port}/secrets"
    graph = SparqlGraph(own.url, reach=Reach(hosted=True))
    assert graph.describe([BERLIN.id]) == [BERLIN]
    for code in (301, 302, 303, 307, 308):
        own.will(status(code, Location=inside))
        with pytest.raises(SourceRejected, match="inside this network"):
            graph.describe([CAESAR.id])
    assert all(request.path != "/secrets" for request in own.requests)


@pytest.mark.parametrize("code", [400, 418, 500])
def test_a_hosted_app_does_not_pass_on_what_an_endpoint_says(own, monkeypatch, code):
    monkeypatch.setattr(network, "is_public", lambda address: True)
    own.will(status(code, "secret of the inside"))
    with pytest.raises(SourceError) as caught:
        SparqlGraph(own.url, reach=Reach(hosted=True)).describe([BERLIN.id])
    assert "secret" not in str(caught.value)


def test_a_login_stays_with_the_host_it_was_given_for(own, server):
    before = len(server.requests)
    for url in (own.url.replace("http://", "http://ann:s3cret@"), own.url + "?key=s3cret"):
        own.will(status(307, Location=server.url.replace("127.0.0.1", "localhost")))
        with pytest.raises(SourceRejected, match="enter the other address"):
            SparqlGraph(url).describe([BERLIN.id])
        own.will(status(307, Location="/sparql"))
        assert SparqlGraph(url).describe([BERLIN.id]) == [BERLIN]
    assert len(server.requests) == before


def test_a_proxy_of_the_environment_is_used_unless_strangers_choose(own, monkeypatch):
    monkeypatch.setenv("http_proxy", own.url.removesuffix("/sparql"))
    graph = SparqlGraph("http://far.example/sparql")
    assert graph.describe([BERLIN.id]) == [BERLIN]
    assert own.requests[0].path == "http://far.example/sparql"
    before = len(own.requests)
    with pytest.raises(SourceError):
        SparqlGraph("http://nowhere.invalid/sparql", reach=Reach(hosted=True)).info()
    assert len(own.requests) == before


def test_no_more_is_read_than_can_be_used(own):
    own.will(flood)
    with pytest.raises(SourceRejected, match="more than 64 MB"):
        SparqlGraph(own.url).describe([BERLIN.id])


URI, TEXT = {"type": "uri", "value": BERLIN.id}, {"type": "literal", "value": "x"}
AMOUNT = "http://www.w3.org/2001/XMLSchema#decimal"
MOMENT = "http://www.w3.org/2001/XMLSchema#dateTime"


@pytest.mark.parametrize(
    "row",
    [
        {"e": URI},
        {"e": TEXT, "p": TEXT, "o": TEXT},
        {"e": URI, "s0": URI},
        {"e": URI, "st": TEXT, "p": URI, "p2": TEXT, "o2": TEXT, "p3": URI, "o3": URI},
        {"e": URI, "p": URI, "o": {"type": "bnode", "value": ""}},
        {"e": URI, "p": URI, "o": {"type": "uri", "value": "a b > <"}},
        {"e": URI, "p": URI, "o": TEXT | {"xml:lang": "not a language!"}},
        {"e": URI, "p": URI, "o": TEXT | {"datatype": "not an address"}},
        {"e": URI, "p": URI, "o": TEXT | {"datatype": MOMENT}},
        *(
            {"e": URI, "p": URI, "o": {"type": "literal", "value": odd, "datatype": kind}}
            for kind in (AMOUNT, MOMENT)
            for odd in ("1e309", "1e999999999", "NaN", "9" * 5_000, "2000-99-99T99:99:99Z", "")
        ),
    ],
)
def test_what_is_odd_in_a_row_is_left_out(own, row):
    graph = SparqlGraph(own.url, profile=Profile("test", "plain"))
    own.will(rows(row, columns=tuple(row)))
    for one in graph.statements([BERLIN])[0]:
        assert len(verbalise.statement(one)) < 6_000
        compute.comparable(one.object)


@pytest.mark.parametrize(
    "count", [TEXT, TEXT | {"value": "1e309"}, {"type": "uri", "value": "x:y"}]
)
def test_an_odd_count_is_told(own, count):
    graph = SparqlGraph(own.url, profile=Profile("test", "plain"))
    own.will(rows({"n": count}, columns=("n",)))
    with pytest.raises(SourceUnavailable, match="cannot be understood"):
        graph.info()


def test_half_a_character_is_replaced(own):
    cell = {"type": "literal", "value": "a\ud800b"}
    own.will(rows({"x\udfff": cell}, columns=("x\udfff",)))
    table = SparqlGraph(own.url, profile=Profile("test", "statements")).query("SELECT ?x { }")
    assert json.dumps([table.columns, str(table.rows)], ensure_ascii=False).encode()
    assert "a\ufffdb" in str(table.rows)


@pytest.mark.parametrize("fault", [drip_headers, drip, hang])
def test_a_process_ends_in_time_whatever_an_endpoint_does(own, tmp_path, fault):
    own.will(*[fault] * 9)
    done = subprocess.run(
        [sys.executable, "-m", "kgqa_core", "ask", "Who is Caesar?", "--graph", own.url],
        env={**os.environ, "KGQA_GRAPH_TIMEOUT_S": "0.5", "KGQA_DATA_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "did not answer within 0.5 s" in done.stderr


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM <file:///etc/passwd> { ?s ?p ?o }",
        "SELECT * FROM NAMED <FILE:/etc/passwd> { ?s ?p ?o }",
        "select * from<file:///etc/passwd> { ?s ?p ?o }",
        "PREFIX f: <file:///etc/> SELECT * FROM f:passwd { ?s ?p ?o }",
        "BASE <file:///etc/> SELECT * FROM <passwd> { ?s ?p ?o }",
        "SELECT * FROM # <http://a>\n <file:///etc/passwd> { ?s ?p ?o }",
        "SELECT * FROM <\\u0066ile:///etc/passwd> { ?s ?p ?o }",
        "SELECT * FROM <passwd> { ?s ?p ?o }",
    ],
)
def test_files_of_the_endpoint_are_not_asked_for(own, query):
    with pytest.raises(SourceRejected, match=r"FROM|IRI"):
        SparqlGraph(own.url).query(query)
    assert own.requests == []


def test_graphs_of_the_endpoint_are_asked_for(own):
    graph = SparqlGraph(own.url)
    for query in (
        "PREFIX g: <http://g/> SELECT * FROM <http://a/b> FROM NAMED g:x { ?s ?p ?o }",
        "SELECT * FROM <urn:x:y> { ?s ?p 'FROM <file:///x>' } # FROM <file:///x>",
        "SELECT ?from { ?from <http://x/from> <file:///x> }",
    ):
        assert graph.query(query).rows == ()


def test_a_request_has_sixty_seconds_unless_it_is_said_otherwise():
    assert Reach().timeout_s == Settings().graph_timeout_s == 60


# -- the cache -------------------------------------------------------------------------------


def test_the_cache_keeps_to_its_size(tmp_path):
    cache = DiskCache(tmp_path / "c.sqlite", most_bytes=20_000)
    noise = [str(hash((i, "x"))) * 20 for i in range(600)]
    for i, text in enumerate(noise):
        cache.put({f"k{i}": text + str(i)})
    cache.shrink()
    assert cache.bytes <= 20_000
    assert cache.get(["k599"]) != {}
    assert cache.get(["k0"]) == {}


def test_the_cache_looks_at_its_size_by_what_was_written(tmp_path):
    cache = DiskCache(tmp_path / "c.sqlite", most_bytes=20_000)
    for n in range(150):
        cache.put({f"k{n}": "x" * 200})
        cache.write()
    assert cache.bytes <= 21_000
    assert cache.get(["k149"]) != {}


def test_what_is_read_stays_longest(tmp_path, monkeypatch):
    monkeypatch.setattr("kgqa_core.kg.cache._USED_S", 0)
    cache = DiskCache(tmp_path / "c.sqlite", most_bytes=5_000)
    for one in "abcdef":
        cache.put({one: one * 900})
        cache.write()
        assert cache.get(["a"])
    assert cache.get([*"abcdef"]).keys() == {*"adef"}


def test_what_was_used_just_now_is_read_without_writing(tmp_path):
    file = tmp_path / "c.sqlite"
    cache = DiskCache(file)
    cache.put({"a": 1, "b": 2})
    cache.write()
    with closing(sqlite3.connect(file)) as other:
        before = other.execute("PRAGMA data_version").fetchone()
        assert cache.get(["a", "b"]) == {"a": 1, "b": 2}
        assert other.execute("PRAGMA data_version").fetchone() == before


def test_long_values_are_packed_and_what_was_packed_is_read(tmp_path, monkeypatch):
    cache = DiskCache(tmp_path / "c.sqlite")
    short, long = {"a": ["xyz"]}, {"b": ["xyz" * 10_000]}
    cache.put(short | long)
    assert cache.bytes < 1_000
    monkeypatch.setattr("kgqa_core.kg.cache._SHORT", 0)  # as all of it was once
    cache.put({"c": "x"})
    assert cache.get(["a", "b", "c"]) == short | long | {"c": "x"}


def test_a_damaged_cache_is_begun_anew(tmp_path):
    file = tmp_path / "c.sqlite"
    file.write_bytes(b"not a database" * 1_000)
    cache = DiskCache(file)
    cache.put({"a": [1]})
    assert cache.get(["a", "b"]) == {"a": [1]}
    assert DiskCache(file).get(["a"]) == {"a": [1]}


def test_what_is_put_is_known_at_once_and_written_for_others(tmp_path):
    file = tmp_path / "c.sqlite"
    here, other = DiskCache(file), DiskCache(file)
    here.put({"a": ("x", 1)})
    assert here.get(["a", "b"]) == {"a": ["x", 1]}  # as from disk
    here.write()
    here.put({"a": 2, "c": 3})
    assert other.get(["a", "c"]) == {"a": ["x", 1]}
    assert here.get(["a", "c"]) == {"a": 2, "c": 3}
    assert DiskCache(file).get(["a", "c"]) == {"a": 2, "c": 3}  # opened later
    assert other.get(["a"]) == {"a": 2}


def test_what_was_put_last_is_in_the_file_when_the_program_ends(tmp_path):
    file = tmp_path / "c.sqlite"
    program = (
        "import pathlib; from kgqa_core.kg.cache import DiskCache; "
        f"DiskCache(pathlib.Path({str(file)!r})).put({{'a': 1}})"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
    assert DiskCache(file).get(["a"]) == {"a": 1}


def test_what_was_put_and_forgotten_is_not_written_after_all(tmp_path):
    file = tmp_path / "c.sqlite"
    cache = DiskCache(file)
    cache.put({"a": 1})
    cache.clear()
    cache.write()
    assert cache.get(["a"]) == DiskCache(file).get(["a"]) == {}


def test_of_a_cache_that_keeps_nothing_nothing_comes_back():
    cache = DiskCache(None, days=0)
    cache.put({"a": 1})
    assert cache.get(["a"]) == {}


def test_what_cannot_be_written_is_told_and_costs_itself_alone(tmp_path, caplog):
    cache = DiskCache(tmp_path / "c.sqlite")
    cache.put({"a": object()})
    cache.write()
    assert "not kept" in caplog.text
    cache.put({"b": 1})
    assert DiskCache(tmp_path / "c.sqlite").get(["a", "b"]) == {"b": 1}


def test_without_a_place_to_write_the_cache_is_in_memory(tmp_path):
    (tmp_path / "file").write_text("")
    cache = DiskCache(tmp_path / "file" / "c.sqlite")
    cache.put({"a": 1})
    assert cache.get(["a"]) == {"a": 1}


def test_prefixes_are_declared_where_they_are_used():
    told = with_prefixes("SELECT ?x { ?x wdt:P31 wd:Q5 . ?x ?p 'rdfs:label' }", PREFIXES)
    assert "PREFIX wdt:" in told
    assert "PREFIX wd:" in told
    assert "PREFIX rdfs:" not in told


def test_a_relation_by_name_is_asked_once(own):
    graph = SparqlGraph(own.url, profile=Profile("test", "statements", also_plain=False))
    assert graph.relation("directed by") == DIRECTOR
    assert counted(lambda: graph.relation("spouse")) == 0


def crooked(*lines: str) -> ox.Store:
    """A store with ids that no strict parser takes, as endpoints have them."""
    store = world()
    data = "".join(lines).encode()
    store.extend(ox.parse(input=data, format=ox.RdfFormat.N_TRIPLES, lenient=True))
    return store


def test_a_subject_that_is_no_iri_is_not_taken_for_the_entity_asked_about():
    p, ps = layout.PREFIXES["p"] + "P57", layout.PREFIXES["ps"] + "P57"
    node = f"<{layout.PREFIXES['wds']}x>"
    store = crooked(
        f"<http://example.org/a[1]> <{p}> {node} .\n",
        f"{node} <{ps}> <{BERLIN.id}> .\n",
        f"{node} <{layout.RANK}> <{layout.WIKIBASE}NormalRank> .\n",
        f"<http://example.org/a[1]> <http://example.org/p> <{BERLIN.id}> .\n",
        f"<{BERLIN.id}> <http://example.org/p> <http://example.org/a[1]> .\n",
    )
    polite._lines.clear()
    with SparqlServer(store) as running:
        kg = SparqlGraph(running.url, name="world")
        before = set(EmbeddedGraph("world", world()).statements([BERLIN])[0])
        (as_text,) = set(kg.statements([BERLIN])[0]) - before
        assert before < set(kg.statements([BERLIN])[0])
        assert as_text.subject == BERLIN
        assert as_text.object == Literal("http://example.org/a[1]", URL)


@pytest.mark.parametrize(
    "text",
    ["", "a b", "[x]", "x:a b", "_:b0", "http://[bad", "x:> ?p ?o } #", "\ud800", "x:\x7f", "x:%zz",
     "http://www.wikidata.org/prop/direct/a b", "http://www.wikidata.org/prop/> <x:y> }"],
)  # fmt: skip
def test_a_malformed_id_leads_nowhere_and_is_not_sent(own, text):
    kg = SparqlGraph(own.url, name="world")
    thing = Entity(text)
    assert kg.describe([text]) == [None]
    assert kg.statements([thing]) == [[]]
    assert kg.relations_of([thing]) == [[]]
    assert kg.statements([BERLIN], relation=Relation(text)) == [[]]
    assert kg.relation(text) is None
    kg.search([text])
    sent = [request.query for request in own.requests]
    assert not text or all(f"<{text}" not in query for query in sent)


LEFT_OUT = "gave something that cannot be read: it was left out."
ODD_CELLS = [
    *(None, 5, "Q64", {}, [], {"value": "Q64"}, {"type": "uri"}, {"type": "uri", "value": None}),
    {"type": "uri", "value": {"value": "Q64"}},
    {"type": "triple", "value": {}},
    {"type": "literal", "value": "a", "datatype": 5},
    {"type": "literal", "value": "a", "xml:lang": ["en"]},
]


def with_odd(cell, column, wanted):
    """A behaviour: in the first row that is wanted, one cell is odd."""

    def behave(exchange):
        found = json.loads(exchange.answer())
        some = found.get("results", {}).get("bindings", [])
        if row := next((one for one in some if wanted(one)), None):
            row[column] = cell
        exchange.send(200, json.dumps(found).encode(), RESULTS)

    return behave


def says_of(row, column, start):
    return row.get(column, {}).get("value", "").startswith(start)


@pytest.mark.parametrize("cell", ODD_CELLS)
@pytest.mark.parametrize("part", ["statement/P", "qualifier/P"])
def test_an_odd_cell_costs_its_statement_alone(own, cell, part):
    """Also where it is that of a qualifier: without its end a statement would hold today."""
    graph = SparqlGraph(own.url, profile=PROFILES["wikidata"])
    ((*whole,),) = graph.statements([BERLIN], direction="out")
    fresh = SparqlGraph(own.url, profile=PROFILES["wikidata"])
    prefix = f"http://www.wikidata.org/prop/{part}"
    own.will(with_odd(cell, "o2", lambda row: says_of(row, "p2", prefix)))
    ((*left,),) = fresh.statements([BERLIN], direction="out")
    assert len(left) == len(whole) - 1
    assert set(left) <= set(whole)
    assert LEFT_OUT in fresh.meter.warnings[-1]
    ((*again,),) = fresh.statements([BERLIN], direction="out")  # what lacked something is not kept
    assert set(again) == set(whole)


@pytest.mark.parametrize("cell", ODD_CELLS)
def test_an_odd_cell_of_a_table_costs_its_row(own, cell):
    graph = SparqlGraph(own.url, profile=PROFILES["wikidata"])
    own.will(with_odd(cell, "x", lambda row: True))
    table = graph.query("SELECT ?x { ?x wdt:P31 wd:Q5 }")
    assert table.more
    assert len(table.rows) == len(graph.query("SELECT ?x { ?x wdt:P31 wd:Q5 }").rows) - 1


@pytest.mark.parametrize("row", [None, 5, "Q64", ["Q64"]])
def test_an_odd_row_costs_itself(own, row):
    def behave(exchange):
        found = json.loads(exchange.answer())
        found["results"]["bindings"].insert(0, row)
        exchange.send(200, json.dumps(found).encode(), RESULTS)

    graph = SparqlGraph(own.url, profile=PROFILES["wikidata"])
    whole = graph.query("SELECT ?x { ?x wdt:P31 wd:Q5 }")
    own.will(behave)
    assert graph.query("SELECT ?x { ?x wdt:P31 wd:Q5 }").rows == whole.rows


def test_rows_that_are_all_odd_are_no_answer(own):
    own.will(rows({"x": None}, {"x": 5}, columns=("x",)))
    with pytest.raises(SourceUnavailable, match="damaged"):
        SparqlGraph(own.url).query("SELECT ?x { ?x wdt:P31 wd:Q5 }")


def test_an_address_that_is_no_iri_stays_a_text(own):
    """Wikidata has pages with brackets in their addresses."""
    url = "http://pages.example/list[1]|a b"
    prefix = "http://www.wikidata.org/prop/statement/P"
    graph = SparqlGraph(own.url, profile=PROFILES["wikidata"])
    cell = {"type": "uri", "value": url}
    own.will(with_odd(cell, "o2", lambda row: says_of(row, "p2", prefix)))
    ((*facts,),) = graph.statements([FILM], direction="out")
    assert Literal(url, URL) in [s.object for s in facts]
    assert not graph.meter.warnings


def test_of_things_alike_by_name_catalogues_do_not_say_which_is_better_known():
    found = []
    for many in (0, 9):
        polite._lines.clear()
        with SparqlServer(races(catalogued=many)._store) as running:
            graph = SparqlGraph(running.url, name="races", profile=PROFILES["generic"])
            found.append([h.entity.label for h in graph.search(["Tour of Nowhere"], 3)[0]])
    assert found[0][0] == "1995 Tour of Nowhere"
    assert found[1] == found[0]
