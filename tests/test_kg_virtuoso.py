"""The same graph in a real Virtuoso (Debian's package, installed by tests/setup.sh)."""

import pytest

from kgqa_core.kg.sparql import SparqlGraph
from tests.kg_conformance import QueryConformance
from tests.test_kg_files import n_triples
from tests.test_kg_sparql import Remote
from tests.virtuoso import ISQL, SERVER, Virtuoso

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
