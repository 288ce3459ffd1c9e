"""Entity documents as Wikidata has them too: each loads, and what is odd in it is visible."""

import json

import pytest

from kgqa_core.ask import events, shown, skills
from kgqa_core.ask.events import Answer, Sentence
from kgqa_core.ask.run import Toolkit, drain, run
from kgqa_core.facts import kinds, timeline, verbalise
from kgqa_core.facts.terms import (
    NO_VALUE,
    UNKNOWN,
    Entity,
    Qualifier,
    Relation,
    Statement,
    is_known,
)
from kgqa_core.kg import layout
from kgqa_core.kg.base import WD
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.kg.folder import open_folder
from kgqa_core.kg.load import load
from kgqa_core.kg.window import store_of
from kgqa_core.llm import prompt
from kgqa_core.methods import react, walk
from kgqa_core.methods.walk import Action, NodeSet
from tests.fakes import ScriptedLLM


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
        "P8": [
            claim(snak("P8", "string", "right"), P7=[snak("P7", "", "", "time", of="somevalue")]),
            claim(snak("P8", "string", "wrong"), rank="deprecated"),
        ],
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


def test_unknown_values_and_deprecated_ones_are_seen_as_what_they_are(kg):
    (uses,) = kg.relations_of(kg.describe(["Q1"]))
    shown_as = {u.relation.name: u.examples for u in uses}  # without labels: their ids
    assert shown_as == {
        "P1": ("Q2",),
        "P2": ("unknown value",),
        "P3": ("no value",),
        "P4": ("wrong (deprecated)",),
        "P5": ("n12",),
        "P8": ("right",),
    }
    (facts,) = kg.statements(kg.describe(["Q1"]))
    told = [verbalise.statement(s) for s in facts]
    assert "名前 — P2 — unknown value" in told
    assert "名前 — P3 — no value" in told
    assert "名前 — P4 — wrong (deprecated)" in told
    assert "名前 — P8 — right (P7: unknown value)" in told
    assert all(is_known(s.object) and s.rank != "deprecated" for s in kg.all_statements())


@pytest.mark.parametrize(("pid", "seen"), [("P2", UNKNOWN), ("P3", NO_VALUE)])
def test_an_unknown_value_is_no_member_of_a_set_but_shown(kg, pid, seen):
    start = NodeSet(dict.fromkeys(kg.describe(["Q1"]), ()))
    action = Action(thought="", tool="follow", of="S1", relation=pid)
    found, _ = drain(walk.follow(action, start, Toolkit(kg, ScriptedLLM()), 10))
    assert found.members == {}
    assert found.looked_at == (seen,)
    has = action.model_copy(update={"tool": "keep", "test": "has"})
    kept, _ = drain(walk.keep(has, start, Toolkit(kg, ScriptedLLM()), 10))
    assert bool(kept.members) == (seen == UNKNOWN)


def test_what_rests_on_a_deprecated_statement_is_doubtful(kg):
    start = NodeSet(dict.fromkeys(kg.describe(["Q1"]), ()))
    action = Action(thought="", tool="follow", of="S1", relation="P4")
    found, _ = drain(walk.follow(action, start, Toolkit(kg, ScriptedLLM()), 10))
    assert found.doubtful
    cited = Answer(sentences=(Sentence(text="Wrong.", cites=(0,)),), citations=found.because)

    def solve(question, tools, params):
        yield events.Step(title="Answer")
        return cited

    *_, last = run("What?", solve, Toolkit(kg, ScriptedLLM()), react.Params())
    assert not last.event.answer.certain


@pytest.mark.parametrize(("value", "ended"), [(UNKNOWN, True), (NO_VALUE, False)])
def test_an_office_with_an_unknown_end_has_ended(value, ended):
    end = Qualifier(Relation("http://www.wikidata.org/entity/P582", "end time"), value)
    held = Statement(Entity("x:1"), Relation("x:p"), Entity("x:2"), (end,))
    assert timeline.current([held]) == ([] if ended else [held])


def test_a_window_reads_no_value_as_wikidata_writes_it():
    wd, st = "http://www.wikidata.org/entity/", "http://www.wikidata.org/entity/statement/s1"
    lines = [
        f"<{wd}Q1> <http://www.wikidata.org/prop/P40> <{st}> .\n",
        f"<{st}> <{layout.TYPE}> <http://www.wikidata.org/prop/novalue/P40> .\n",
        f"<{st}> <{layout.RANK}> <{layout.WIKIBASE}NormalRank> .\n",
    ]
    graph = EmbeddedGraph("window", store_of(lines))
    ((fact,),) = graph.statements([Entity(wd + "Q1")], direction="out")
    assert fact.object == NO_VALUE


def test_a_document_says_what_its_properties_lead_to(kg):
    assert kinds.kind(kg.relation("P5")) == "identifier"
    assert kinds.kind(kg.relation("P1")) == "item"


def test_ten_thousand_qualifiers_fit_no_prompt_and_break_none(kg):
    (facts,) = kg.statements(kg.describe(["Q1"]))
    assert max(len(s.qualifiers) for s in facts) == 10_000
    text = prompt.rendered(skills.FromFacts(question="?", facts=facts))
    assert shown.tokens(text) < shown.FACTS
    assert "9,988 more" in text


_GOOD = claim(snak("P40", "wikibase-entityid", item(2), "wikibase-item"))
_NO_END = snak("P582", "time", {"precision": 11}, "time")


ODD_CLAIMS = [
    *(None, 5, {}, [], {"mainsnak": None}, {"mainsnak": {}}, {"mainsnak": {"snaktype": []}}),
    {"mainsnak": {"snaktype": "value", "property": "P40"}},
    claim(snak("P40", "wikibase-entityid", {})),
    claim(snak("P40", "wikibase-entityid", "Q5")),
    claim(snak("P40", "wikibase-entityid", {"id": "Q5> <http://x/p> <http://x/o"})),
    claim(snak("P40", "time", {"time": "+1952-03-11T00:00:00Z"})),
    claim(snak("P40", "quantity", {"amount": "+5", "unit": 5})),
    claim(snak("P40", "quantity", {"amount": "+5", "unit": "no unit"})),
    claim(snak("P40", "monolingualtext", {"text": "a"})),
    claim(snak("P40", "monolingualtext", {"text": 5, "language": "en"})),
    claim(snak("P40", "globecoordinate", None)),
    claim(snak("P40", "string", {"value": "a"})),
    claim(snak("P40", "string", "a"), rank="best"),
    claim(snak("P40", "string", "a"), rank=["normal"]),
    claim(snak("P40", "string", "a"), P582=[_NO_END]),
    claim(snak("P40", "string", "a"), P582=[None]),
    claim(snak("P40", "string", "a"), P582=5),
    claim(snak("P40", "string", "a"), qualifier=[snak("P1", "string", "a")]),
    {"mainsnak": snak("P40", "string", "a"), "qualifiers": 5},
]
WHOLE = {
    "type": "item",
    "labels": {"en": {"language": "en", "value": "Anna"}},
    "aliases": {"en": [{"language": "en", "value": "Oddity"}]},
    "claims": {"P22": [_GOOD]},
}
ODD_PARTS = [
    ("labels", {"en": "a text"}),
    ("labels", {"en": {"value": 5}}),
    ("descriptions", {"en": {}}),
    ("aliases", {"en": ["a text", {"language": "en", "value": "Oddity"}]}),
    ("aliases", {"en": 5}),
    ("claims", {"P22": [_GOOD], "P40": 5}),
    ("claims", {"P22": [_GOOD], "P40": {"0": _GOOD}}),
]


@pytest.fixture(scope="module")
def odd(tmp_path_factory):
    """A line for each odd claim, Q1001 and on; for each odd part, Q2001 and on; one without any."""
    folder = tmp_path_factory.mktemp("odd")
    file = folder / "entities.jsonl"
    lines = [
        WHOLE
        | {
            "id": f"Q{1001 + n}",
            "claims": {"P22": [_GOOD], "P40": [_GOOD, one, _GOOD | {"rank": "preferred"}]},
        }
        for n, one in enumerate(ODD_CLAIMS)
    ]
    lines += [WHOLE | {"id": f"Q{2001 + n}", part: one} for n, (part, one) in enumerate(ODD_PARTS)]
    lines += [WHOLE | {"id": "Q3001", "claims": 5}, WHOLE | {"id": "Q3002"}]
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return load([file], folder / "graph"), open_folder(folder / "graph")


def test_what_is_odd_is_told_with_its_line(odd):
    told, _ = odd
    assert told.bad == len(ODD_CLAIMS) + len(ODD_PARTS) + 1
    assert all(
        f"line {n + 1}: P40 of Q{1001 + n}: " in one for n, one in enumerate(told.examples[:20])
    )


@pytest.mark.parametrize("n", range(len(ODD_CLAIMS)))
def test_an_odd_statement_costs_itself_alone(odd, n):
    (facts,) = odd[1].statements([Entity(f"{WD}Q{1001 + n}")], direction="out")
    assert {layout.property_id(s.relation.id) for s in facts} == {"P22", "P40"}
    assert {s.object for s in facts} == {Entity(f"{WD}Q2")}


@pytest.mark.parametrize("n", range(len(ODD_PARTS)))
def test_an_odd_part_costs_itself_alone(odd, n):
    part, value = ODD_PARTS[n]
    (facts,) = odd[1].statements([Entity(f"{WD}Q{2001 + n}")], direction="out")
    (found,) = odd[1].describe([f"Q{2001 + n}"])
    assert [s.object for s in facts] == [Entity(f"{WD}Q2")]
    assert found.label == ("" if part == "labels" else "Anna")
    assert found.aliases == (() if value == {"en": 5} else ("Oddity",))


def test_statements_that_are_odd_as_a_whole_leave_the_name(odd):
    (found, sound) = odd[1].describe(["Q3001", "Q3002"])
    assert found.label == sound.label == "Anna"
