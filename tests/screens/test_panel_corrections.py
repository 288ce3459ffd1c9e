"""The corrections of a PG&AKV run as folds over its records, and drawn on a page."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from kgqa_core.ask import events
from kgqa_core.ask.events import Answer, Record, Sentence, Weight
from kgqa_core.ask.header import Header
from kgqa_core.facts.terms import DECIMAL, Entity, Literal, Relation, Statement
from kgqa_core.history.store import RunStore
from kgqa_core.methods.pgakv.cypher import from_script
from kgqa_core.render.graph import snapshot
from kgqa_core.screens import session
from kgqa_core.screens.panels.corrections import _difference, by_source, drafted, elsewhere, layered
from tests.patience import PATIENCE_S

LAKE = Entity("http://www.wikidata.org/entity/Q1066", "Lake Superior", "lake")
ERIE = Entity("http://www.wikidata.org/entity/Q5492", "Lake Erie", "lake")
AREA = Relation("http://www.wikidata.org/entity/P2046", "area")
PART = Relation("http://www.wikidata.org/entity/P361", "part of")
GROUP = Entity("http://www.wikidata.org/entity/Q7347", "Great Lakes")
S82 = Statement(LAKE, AREA, Literal("82350", DECIMAL), source="starter")
E25 = Statement(ERIE, AREA, Literal("25700", DECIMAL), source="other")
IN_GROUP = Statement(LAKE, PART, GROUP, source="starter")
DRAFT = from_script(
    "CREATE (s:Lake {name: 'Lake Superior', area: 82000})-[:PART_OF]->(g {name: 'Great Lakes'})\n"
    "CREATE (x {name: 'Dongting', area: 1})-[:NEAR]->(), (s)-[:INFLOW]->()"
)
CLAIMED = {s.relation.name + s.subject.name: s for s in DRAFT.statements}
OPEN = CLAIMED["inflowLake Superior"]
RIVER = Entity("http://www.wikidata.org/entity/Q9", "Nipigon River")
INFLOW = Statement(LAKE, Relation("http://www.wikidata.org/entity/P200", "inflows"), RIVER)


def told(*more):
    story = [
        events.Proposed(statements=DRAFT.statements, script="CREATE …", plan="lakes", lost=("a",)),
        events.Retrieved(query="x", found=(S82, E25, IN_GROUP), scores=(0.9, 0.8, 0.9)),
        events.Weighed(
            weights=(Weight(entity=LAKE, triples=2, confidence=0.9),
                     Weight(entity=ERIE, triples=1, confidence=0.6, cut=2)),
            statements=(S82, IN_GROUP, INFLOW), most=2, least=0.7,
        ),
        events.Corrected(claimed=CLAIMED["areaLake Superior"], found=S82, because=(S82,),
                         similarity=0.93, outcome="replaced"),
        events.Corrected(claimed=CLAIMED["part ofLake Superior"], found=IN_GROUP, outcome="kept"),
        events.Corrected(claimed=CLAIMED["areaDongting"], found=None, outcome="dropped"),
        events.Corrected(claimed=OPEN, found=INFLOW, outcome="replaced"),
        events.Corrected(claimed=None, found=E25, outcome="added"),
        *more,
    ]  # fmt: skip
    return [Record(seq=i, step=0, at_s=0, event=event) for i, event in enumerate(story)]


FIXED = events.Fixed(statements=(S82, IN_GROUP, E25))
ANSWERED = events.Answered(
    answer=Answer(
        sentences=(Sentence(text="Superior.", cites=(0,)),), values=(LAKE,), citations=(S82,)
    )
)


def test_the_fold_counts_what_became_of_each_triple():
    draft = drafted(told(FIXED))
    assert draft.counts == {"replaced": 2, "kept": 1, "dropped": 1, "added": 1}
    assert draft.gold == (S82, IN_GROUP, INFLOW)
    assert draft.fixed == FIXED
    assert drafted(told()[:2]).corrected == []


def test_which_source_corrected_what():
    table = by_source(drafted(told()))
    assert table["starter"] == {
        "found": 2, "gold": 2, "kept": 1, "replaced": 1, "added": 0,
    }  # fmt: skip
    assert table["other"]["added"] == 1


def edges(records):
    return {(e.title.split("\n")[0], e.provenance) for e in snapshot(records).edges}


@pytest.mark.parametrize(
    ("layer", "count", "provenance"),
    [
        ("pseudo", len(DRAFT.statements), "proposed"),
        ("gold", 3, "retrieved"),
        ("fixed", 3, "retrieved"),
    ],
)
def test_each_graph_can_be_shown_alone(layer, count, provenance):
    shown = edges(layered(told(FIXED, ANSWERED), layer))
    assert len(shown) == count
    assert {p for _, p in shown} == {provenance}


def test_all_of_it_is_the_run_as_it_is():
    records = told(FIXED, ANSWERED)
    assert layered(records, "all") is records
    assert layered(records, None) is records
    assert layered(records, "nonsense") is records


def test_in_the_graph_a_claim_stands_at_what_it_is_about():
    shown = edges(told(FIXED, ANSWERED))
    assert ("Lake Superior — area — 82,000", "corrected") in shown
    assert ("Lake Superior — area — 82,350", "retrieved") in shown
    assert ("Dongting — area — 1", "corrected") in shown
    nodes = snapshot(told(FIXED, ANSWERED)).nodes
    assert [n.id for n in nodes if n.label == "Lake Superior"] == [LAKE.id]
    # what was kept or filled in is drawn once, as the fact that stands for it
    said = [title for title, _ in shown]
    assert said.count("Lake Superior — part of — Great Lakes") == 1
    assert "Lake Superior — inflow — ?" not in said
    assert ("Lake Superior — inflows — Nipigon River", "retrieved") in shown


def test_the_difference_names_what_changed():
    replaced, kept, dropped, _, added = [
        _difference(r.event) for r in told() if isinstance(r.event, events.Corrected)
    ]
    assert "~~82,000~~ → **82,350**" in replaced.replace("\\", "")
    assert "~~" not in kept
    assert "~~Dongting" in dropped
    assert "Lake Erie" in added


def test_labels_stay_text():
    bad = Statement(Entity("pseudo:entity/x", "<b>x</b> [a](javascript:b)"), AREA, Literal("~~1~~"))
    said = _difference(events.Corrected(claimed=bad, found=None, outcome="dropped"))
    assert "<b>" not in said
    assert "](" not in said
    assert said.count("~~") == 2


def test_long_names_are_cut_in_the_diff_but_keep_what_changed():
    long = Entity("pseudo:entity/x", "Treaty " * 30)
    old, new = (Statement(long, AREA, Literal(size, DECIMAL)) for size in ("1", "2"))
    said = _difference(events.Corrected(claimed=old, found=new, outcome="replaced"))
    assert len(said) < 140
    assert "~~1~~ → **2**" in said


def panel(story):
    import streamlit as st

    from kgqa_core.ask.header import Header
    from kgqa_core.screens.panels import corrections
    from tests.screens import test_panel_corrections as own

    class Stub:
        header = Header(
            id="r1", question="q", method="pgakv", params={}, graph="starter",
            graph_fingerprint="", model="m", started_at="2026-01-01T00:00:00", version="1",
        )  # fmt: skip
        records = getattr(own, story)()

    corrections.draw(Stub(), Stub.records)
    st.caption("end")


def whole():
    return told(events.Fixed(statements=(S82,), appended=True))


def begun():
    return told()[:1]


def nothing():
    return []


@pytest.fixture
def other_graphs(monkeypatch):
    rows = [
        {"graph": "a <b>", "gold triples": 3, "kept": 2, "dropped": 1, "answer": "long " * 50},
        {"graph": "b", "gold triples": 0, "answer": ""},
    ]
    monkeypatch.setattr("kgqa_core.screens.panels.corrections.elsewhere", lambda run: rows)


@pytest.mark.usefixtures("other_graphs")
def test_the_panel_is_drawn():
    page = AppTest.from_function(panel, args=("whole",), default_timeout=PATIENCE_S).run()
    assert not page.exception
    assert "appended the gold graph" in page.warning[0].value
    assert [e.label for e in page.expander] == ["Draft · 1 part lost", "Pruning: 1 of 2 subjects"]
    assert len(page.dataframe) == 1  # pruning
    sources, graphs = (table.value.to_dict("list") for table in page.table)
    assert sources["corrections"][1] == ":blue[+\u20601]"
    assert graphs["graph"] == ["a \\<b\\>", "b"]
    assert graphs["corrections"] == [
        ":green[✓\u20602] :red[✕\u20601]",
        "–",
    ]
    assert graphs["answer"][0].endswith("…")
    assert any("~~82" in row.value and "**82" in row.value for row in page.markdown)
    assert sum(button.key.startswith("corrected:r1:") for button in page.button) == 4


@pytest.mark.parametrize(
    ("story", "said"), [("begun", "to be checked"), ("nothing", "appear here")]
)
@pytest.mark.usefixtures("other_graphs")
def test_the_panel_of_a_run_that_has_only_begun(story, said):
    page = AppTest.from_function(panel, args=(story,), default_timeout=PATIENCE_S).run()
    assert not page.exception
    assert any(said in e.value for e in (*page.markdown, *page.caption))


def test_the_same_question_over_other_graphs(tmp_path, monkeypatch):
    store = RunStore(tmp_path)

    def stored(run_id, graph, records, question="Which lake?"):
        header = Header(
            id=run_id, question=question, method="pgakv", params={}, graph=graph,
            graph_fingerprint="", model="m", started_at=f"2026-01-0{run_id}T00:00:00", version="1",
        )  # fmt: skip
        store.begin(header)
        store.append(run_id, records, "answered")
        return SimpleNamespace(header=header, records=records)

    mine = stored("1", "starter", told(FIXED, ANSWERED))
    stored("2", "lakes", told()[:4] + told(FIXED, ANSWERED)[-2:])
    stored("3", "seas", told(FIXED, ANSWERED), question="Which lake is deep?")
    monkeypatch.setattr(session, "runs", lambda: SimpleNamespace(store=store))
    rows = {row["graph"]: row for row in elsewhere(mine)}
    store.close()
    assert list(rows) == ["starter", "lakes"]
    assert (rows["starter"]["replaced"], rows["starter"]["added"]) == (2, 1)
    assert (rows["lakes"]["replaced"], rows["lakes"]["added"]) == (1, 0)
    assert rows["lakes"]["answer"] == "Superior."
