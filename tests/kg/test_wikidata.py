"""Live Wikidata's two sites, on loopback: polite, in few requests, and never silent on faults."""

from dataclasses import replace

import pytest

from kgqa_core.errors import SourceError, SourceRejected, SourceUnavailable
from kgqa_core.facts.terms import Entity
from kgqa_core.kg import polite
from kgqa_core.kg.base import WD, _on_incomplete
from kgqa_core.kg.polite import Reach
from kgqa_core.kg.profiles import PROFILES
from kgqa_core.kg.wikidata import WikidataGraph, has_wikidata
from tests.kg.conformance import (
    BERLIN,
    ENTITIES,
    RELATIONS,
    SIRK,
    STATEMENTS,
    QueryConformance,
)
from tests.kg.test_sparql import Remote, counted, world
from tests.servers.sparql import SparqlServer
from tests.servers.wikidata import LAGGED, WikidataServer, says


@pytest.fixture(scope="module")
def service():
    with SparqlServer(world()) as running:
        yield running


@pytest.fixture
def api():
    polite._lines.clear()
    with WikidataServer(ENTITIES, RELATIONS, STATEMENTS) as running:
        yield running


def live(service, api, **reach) -> WikidataGraph:
    profile = PROFILES["wikidata"]
    return WikidataGraph(service.url, api=api.url, profile=profile, reach=Reach(**reach))


class TestWikidata(Remote, QueryConformance):
    @pytest.fixture(scope="class")
    @classmethod
    def kg(cls, service):
        with WikidataServer(ENTITIES, RELATIONS, STATEMENTS) as running:
            yield live(service, running)


def test_one_hop_takes_one_request_in_fifty_and_one_for_the_names(service, api):
    graph = live(service, api)
    assert counted(lambda: graph.statements(ENTITIES)) <= len(ENTITIES) // 50 + 2
    assert counted(lambda: graph.statements(ENTITIES)) == 0


def test_names_come_fifty_at_a_time(service, api):
    graph = live(service, api)
    ids = [f"Q{n}" for n in range(1, 121)]
    assert counted(lambda: graph.describe(ids)) == 3
    assert all(len(asked["ids"].split("|")) <= 50 for asked, _ in api.requests)
    assert counted(lambda: graph.describe(ids)) == 0


def test_a_search_takes_a_request_and_one_for_the_names(service, api):
    graph = live(service, api)
    assert counted(lambda: graph.search(["Berlin", "Douglas Sirk"])) == 3
    assert counted(lambda: graph.search(["Berlin"])) == 0


def test_a_page_is_no_candidate_beside_a_thing(service):
    """Mercury is a planet, an element, and a “Wikimedia disambiguation page”."""
    pages = ("Wikimedia disambiguation page", "Wikimedia permanent duplicate item")
    orvel, *others = (
        Entity(f"{WD}Q{n}", "Orvel", about)
        for n, about in enumerate(("island", *pages, "Wikimedia Foundation's island"), 901)
    )
    polite._lines.clear()
    with WikidataServer([*others, orvel], [], []) as api:
        (hits,) = live(service, api).search(["Orvel"])
    assert {hit.entity.description for hit in hits} == {"island", "Wikimedia Foundation's island"}
    polite._lines.clear()
    with WikidataServer(others[:2], [], []) as api:
        (hits,) = live(service, api).search(["Orvel"])
    assert len(hits) == 2


def test_requests_name_us_and_mind_the_lag(service, api):
    live(service, api, contact="me@example.org").describe(["Q64"])
    asked, headers = api.requests[0]
    assert headers["User-Agent"].startswith("KGQA-Explorer/")
    assert "me@example.org" in headers["User-Agent"]
    assert asked["maxlag"] == "5"


def test_a_lagging_site_is_waited_for(service, api):
    api.will(says(LAGGED, Retry_After="0.1"), says("", 429, Retry_After="0.1"))
    assert live(service, api).describe(["Q64"]) == [BERLIN]
    assert len(api.requests) == 3


def test_an_id_that_never_was_does_not_spoil_the_others(service, api):
    found = live(service, api).describe(["Q64", "Q99999999999", "Q76716"])
    assert found == [BERLIN, None, SIRK]


def test_a_redirect_leads_on_and_what_was_deleted_is_nobody(service):
    polite._lines.clear()
    redirects = {"Q888888": "Q64"}
    with WikidataServer(ENTITIES, RELATIONS, STATEMENTS, redirects=redirects) as api:
        assert live(service, api).describe(["Q888888", "Q999999"]) == [BERLIN, None]


@pytest.mark.parametrize(
    ("fault", "error", "said"),
    [
        (says("<html>", 200), SourceUnavailable, "damaged"),
        (says("[]"), SourceUnavailable, "damaged"),
        (says({"success": 1}), SourceUnavailable, "damaged"),
        (says("no", 403), SourceRejected, "KGQA_CONTACT"),
        (says("no", 404), SourceRejected, "check the address"),
        (says("", 302, Location="http://127.0.0.1/"), SourceRejected, "302"),
        (says("no", 500), SourceUnavailable, "error 500"),
        (says("no", 429, Retry_After="300"), SourceUnavailable, "wait 300 s"),
        (says(LAGGED, Retry_After="90"), SourceUnavailable, "wait 90 s"),
        (says({"error": {"code": "x", "info": "so\nso"}}), SourceRejected, "so so"),
    ],
)
def test_a_fault_is_one_sentence(service, api, fault, error, said):
    api.will(fault)
    with pytest.raises(error, match=said) as raised:
        live(service, api).describe(["Q64"])
    assert "\n" not in str(raised.value)
    assert raised.value.source == "Wikidata"


def test_nobody_there(service, api):
    graph = WikidataGraph(service.url, api="http://127.0.0.1:9/", profile=PROFILES["wikidata"])
    with pytest.raises(SourceUnavailable, match="Nothing answers"):
        graph.search(["Berlin"])


def test_both_sites_are_metered(service, api):
    graph = live(service, api)
    graph.search(["Berlin"])
    graph.search(["Berlin"])
    meter = next(m for host, m in graph.meters.items() if host in api.url)
    assert (meter.sent, meter.waiting, meter.failed) == (2, 0, 0)
    assert meter.from_cache == 2


@pytest.mark.parametrize(
    ("url", "there"),
    [
        ("https://query.wikidata.org/sparql", True),
        ("https://qlever.dev/api/wikidata", True),
        ("https://qlever.dev/api/dblp", False),
        ("https://dbpedia.org/sparql", False),
    ],
)
def test_which_endpoints_hold_wikidata(url, there):
    assert has_wikidata(url) == there


def test_a_hosted_app_checks_the_api_too(service, api):
    with pytest.raises(SourceError, match="inside this network"):
        live(service, api, hosted=True).describe([WD + "Q64"])
    assert api.requests == []


def spoilt(**parts):
    """A behaviour: of Berlin some parts are odd; what is None is the whole of it."""

    def behave(api):
        def answer(asked):
            code, found, headers = api._answer(asked)
            for entity in found.get("entities", {}).values():
                if entity["id"] == "Q64":
                    entity.update(parts)
            return code, found, headers

        return answer

    return behave


@pytest.mark.parametrize(
    ("parts", "left"),
    [
        ({"labels": {"en": "Berlin"}}, replace(BERLIN, label="")),
        ({"labels": {"en": {"value": 5}}}, replace(BERLIN, label="")),
        ({"descriptions": {"en": {"language": "en"}}}, replace(BERLIN, description="")),
        ({"aliases": {"en": [None]}}, replace(BERLIN, aliases=())),
        ({"id": 5}, None),
        ({"id": "Berlin"}, None),
    ],
)
def test_an_odd_part_costs_that_entity_alone(service, api, parts, left):
    graph = live(service, api)
    told = []
    token = _on_incomplete.set(told.append)
    api.will(spoilt(**parts)(api))
    found = graph.describe(["Q64", "Q76716"])
    _on_incomplete.reset(token)
    assert found == [left, SIRK]
    assert found[0] is None or (found[0].label, found[0].description) == (
        left.label,
        left.description,
    )
    assert told == ["“Wikidata” gave something that cannot be read: it was left out."]
    assert graph.describe(["Q64", "Q76716"]) == [BERLIN, SIRK]  # what is odd is not kept


@pytest.mark.parametrize("odd", [None, 5, [], "Q64"])
def test_an_entity_that_is_none_costs_itself_alone(service, api, odd):
    def answer(asked):
        code, found, headers = api._answer(asked)
        found["entities"]["Q64"] = odd
        return code, found, headers

    graph = live(service, api)
    api.will(answer)
    assert graph.describe(["Q64", "Q76716"]) == [None, SIRK]
    assert graph.describe(["Q64"]) == [BERLIN]


@pytest.mark.parametrize("odd", [None, 5, {}, {"id": 5}, "Q64", {"id": "Berlin"}])
def test_an_odd_find_costs_itself_alone(service, api, odd):
    def answer(asked):
        code, found, headers = api._answer(asked)
        found["search"].insert(0, odd)
        return code, found, headers

    graph = live(service, api)
    api.will(answer)
    (hits,) = graph.search(["Berlin"])
    assert BERLIN in [hit.entity for hit in hits]
    assert graph.search(["Berlin"]) == [hits]
