"""The same graph in a real Virtuoso (Debian's package, installed by tests/setup.sh)."""

import pytest

from kgqa_core.kg.sparql import SparqlGraph
from tests.kg.conformance import ENTITIES, QueryConformance
from tests.kg.test_files import n_triples
from tests.kg.test_sparql import Remote, counted
from tests.servers.virtuoso import ISQL, SERVER, Virtuoso

pytestmark = [
    pytest.mark.server,
    pytest.mark.skipif(not (SERVER and ISQL), reason="Virtuoso is not installed: tests/setup.sh"),
]


@pytest.fixture(scope="module")
def virtuoso(tmp_path_factory):
    with Virtuoso(tmp_path_factory.mktemp("virtuoso"), n_triples()) as running:
        yield running


class TestVirtuoso(Remote, QueryConformance):
    @pytest.fixture(scope="class")
    @classmethod
    def kg(cls, virtuoso):
        return SparqlGraph(virtuoso.url, name="virtuoso")


def test_many_names_take_one_request(virtuoso):
    graph = SparqlGraph(virtuoso.url)
    ids = [f"http://www.wikidata.org/entity/Q{n}" for n in range(1, 4_001)]
    assert sum(bool(lines) for lines in graph._names_of(ids).values()) > 30
    assert counted(lambda: graph.statements(ENTITIES)) <= len(ENTITIES) // 50 + 3  # and ASK once
