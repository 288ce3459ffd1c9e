"""Entity documents as Wikidata has them too: each loads, and what is odd in it is visible."""

import json

import pytest

from kgqa_core.ask import shown, skills
from kgqa_core.facts import kinds
from kgqa_core.kg.folder import open_folder
from kgqa_core.kg.load import load
from kgqa_core.llm import prompt


def snak(pid, kind, value, datatype="string", of="value"):
    found = {"snaktype": of, "property": pid, "datatype": datatype}
    return found | ({"datavalue": {"type": kind, "value": value}} if of == "value" else {})


def item(number):
    return {"entity-type": "item", "id": f"Q{number}"}


def claim(main, rank="normal", **qualifiers):
    return {"mainsnak": main, "rank": rank, "qualifiers": qualifiers}


MANY = [snak("P1", "wikibase-entityid", item(10_000 + n), "wikibase-item") for n in range(10_000)]
DOCUMENT = {
    "type": "item",
    "id": "Q1",
    "labels": {"ja": {"language": "ja", "value": "名前"}},
    "claims": {
        "P1": [claim(snak("P1", "wikibase-entityid", item(2), "wikibase-item"), P1=MANY)],
        "P2": [claim(snak("P2", "", "", "time", of="somevalue"))],
        "P3": [claim(snak("P3", "", "", "wikibase-item", of="novalue"))],
        "P4": [claim(snak("P4", "string", "wrong"), rank="deprecated")],
        "P5": [claim(snak("P5", "string", "n12", "external-id"))],
    },
}


@pytest.fixture(scope="module")
def kg(tmp_path_factory):
    folder = tmp_path_factory.mktemp("odd")
    file = folder / "entities.jsonl"
    file.write_text(json.dumps(DOCUMENT), encoding="utf-8")
    report = load([file], folder / "graph")
    assert report.bad == 0
    return open_folder(folder / "graph")


def test_a_label_in_another_language_is_better_than_none(kg):
    (found,) = kg.describe(["Q1"])
    assert found.label == "名前"


def test_unknown_values_and_deprecated_ones_are_no_facts_and_harm_nothing(kg):
    (uses,) = kg.relations_of(kg.describe(["Q1"]))
    assert {u.relation.name for u in uses} == {"P1", "P5"}  # without labels: their ids


def test_a_document_says_what_its_properties_lead_to(kg):
    assert kinds.kind(kg.relation("P5")) == "identifier"
    assert kinds.kind(kg.relation("P1")) == "item"


def test_ten_thousand_qualifiers_fit_no_prompt_and_break_none(kg):
    (facts,) = kg.statements(kg.describe(["Q1"]))
    assert max(len(s.qualifiers) for s in facts) == 10_000
    text = prompt.rendered(skills.FromFacts(question="?", facts=facts))
    assert shown.tokens(text) < shown.FACTS
    assert "…" in text
