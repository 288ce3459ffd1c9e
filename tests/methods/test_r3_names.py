"""Relation names as models write them in axioms, against what the starter states of a node."""

import pytest

from kgqa_core.facts.terms import short_id
from kgqa_core.kg.starter import starter_graph
from kgqa_core.methods.r3.names import relation_called

NAMES = {
    "Leonard Cohen": {
        **{"religion": "P140", "faith": "P140", "job": "P106", "profession": "P106"},
        **{"nationality": "P27", "died in": "P20", "buried at": "P119", "alma mater": "P69"},
        **{"university attended": "P69", "plays instrument": "P1303", "gender": "P21"},
        **{"awards": "P166", "allergy": ""},
    },
    "Kobe Bryant": {
        **{"birthplace": "P19", "birth date": "P569", "year of death": "P570", "lifespan": ""},
    },
    "Lauren Bacall": {"married to": "P26", "husband": "P26", "cause of her death": "P509"},
    "Hungary": {
        **{"capital city": "P36", "language spoken": "P37", "neighbouring countries": "P47"},
        **{"number of inhabitants": "P1082", "diet": "", "used language": "P37"},
        **{"religion practised": "P140", "weapon used": "", "used by": "", "used": ""},
    },
    "Bolivia": {"currency used": "P38", "money used": "P38", "language spoken": "P37"},
    "Makalu": {"height": "P2044", "elevation": "P2044", "weight": ""},
    "Psycho": {
        **{"release date": "P577", "starring": "P161", "filmmaker": "P57", "film maker": "P57"},
        **{"songwriter": "P86", "director": "P57", "writer": "P50", "novelist": "P50", "baker": ""},
    },
}


@pytest.fixture(scope="module")
def kg():
    return starter_graph()


@pytest.mark.parametrize(("node", "name"), [(n, name) for n, own in NAMES.items() for name in own])
def test_a_name_that_a_model_would_write_is_a_relation_of_the_node_or_is_not_guessed(
    kg, node, name
):
    ((hit, *_),) = kg.search([node], 1)
    (uses,) = kg.relations_of([hit.entity])
    found = relation_called(name, [use.relation for use in uses], kg.relation)
    assert (short_id(found.id) if found else "") == NAMES[node][name]
