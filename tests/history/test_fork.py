"""A fork asks only what is new, and says where a change could not be made."""

import pytest

from kgqa_core.ask import events
from kgqa_core.ask.events import Answer, Asked
from kgqa_core.ask.header import Edits
from kgqa_core.ask.run import Toolkit, run
from kgqa_core.ask.skill import registered
from kgqa_core.ask.skills import CitedSentence, FactAnswer, Mentions
from kgqa_core.errors import SettingsError
from kgqa_core.facts.terms import Passage, Relation, Statement
from kgqa_core.history.fork import Replaying, check, solving
from kgqa_core.history.gallery import recorded
from kgqa_core.history.runs import Run, Runs
from kgqa_core.history.store import RunStore
from kgqa_core.kg.base import Queryable
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.kg.starter import starter_graph
from kgqa_core.kg.without import Hidden, without
from kgqa_core.llm.offline import Offline
from kgqa_core.search.index import Index, Scored
from kgqa_core.search.without import IndexWithout
from tests.fakes import ScriptedLLM, kinds, setup_of
from tests.kg import conformance as world
from tests.patience import PATIENCE_S
from tests.small_graph import (
    DIRECTOR,
    FILM,
    GERMANY,
    LATER,
    PEOPLE,
    SIRK,
    STATEMENTS,
    ULM,
    small_graph,
)


def again(runs, parent, edits, kg, llm):
    return runs.fork(parent, edits, setup_of(parent.header.method, kg, llm))


@pytest.fixture(scope="module")
def kg():
    return small_graph()


@pytest.fixture(scope="module")
def starter():
    return starter_graph()


@pytest.fixture
def runs(tmp_path):
    registry = Runs(RunStore(tmp_path), workers=2)
    yield registry
    registry.close()


def answer(text, *values):
    return FactAnswer(sentences=[CitedSentence(text=text, facts=[0])], values=list(values))


@pytest.fixture
def parent(runs, kg):
    """One-hop: `extract entities` is event 1, `answer from facts` event 6."""
    llm = ScriptedLLM(Mentions(mentions=["Ulm"]), answer("In Germany.", "Germany"))
    return ended(runs.start("Where is Ulm?", setup_of("one-hop", kg, llm)))


def ended(this):
    assert this.wait(PATIENCE_S)
    return this


def asked(run):
    return [r.event for r in run.records if isinstance(r.event, Asked)]


def seqs(run):
    return [r.seq for r in run.records if isinstance(r.event, Asked)]


# -- replies --------------------------------------------------------------------------------


def test_what_the_parent_asked_before_the_change_costs_nothing(runs, kg, parent):
    first, last = seqs(parent)
    llm = ScriptedLLM(answer("It lies in Germany.", "Germany"))
    child = ended(again(runs, parent, Edits(at=last), kg, llm))
    assert llm.skills == ["answer from facts"]
    assert [e.reused for e in asked(child)] == [True, False]
    assert asked(child)[0].reply == parent.records[first].event.reply
    assert kinds(child.records) == kinds(parent.records)
    assert sum(r.cost.llm_calls for r in child.records) == 1
    assert sum(r.cost.prompt_tokens for r in child.records) == 10


def test_an_edited_reply_takes_the_place_of_the_models(runs, kg, parent):
    first, _ = seqs(parent)
    llm = ScriptedLLM(answer("83,155,031 people.", "83155031"))
    edits = Edits(at=first, replies={first: {"mentions": ["Germany"]}})
    child = ended(again(runs, parent, edits, kg, llm))
    assert asked(child)[0].parsed == {"mentions": ["Germany"]}
    assert asked(child)[0].rung == "edited by hand"
    assert llm.inputs[0].facts[0].subject in (GERMANY, ULM)
    assert child.status == "answered"


def test_what_the_reader_said_of_things_with_many_relations_is_kept(runs, starter):
    question = "Was Jacques Cousteau alive when World War II ended?"
    first = ended(runs.start(question, setup_of("compass", starter, Offline())))
    asked = [record for record in first.records if isinstance(record.event, Asked)]
    child = ended(again(runs, first, Edits(at=len(first.records)), starter, Offline()))
    kept = [record.event for record in child.records if isinstance(record.event, Asked)]
    assert len(kept) == len(asked)
    assert all(event.reused for event in kept)


def test_a_changed_instruction_reaches_the_model_from_the_change_on(runs, kg, parent):
    _, last = seqs(parent)
    llm = ScriptedLLM(answer("Germany.", "Germany"))
    edits = Edits(at=last, instructions={"answer from facts": "Answer in one word."})
    ended(again(runs, parent, edits, kg, llm))
    assert llm.asked[0][0].instruction == "Answer in one word."


@pytest.mark.parametrize(
    ("edits", "said"),
    [
        (
            {"replies": {1: {"mentions": 7}}},
            "“extract entities” does not fit: “mentions” must be a list",
        ),
        ({"replies": {1: {}}}, "does not fit: “mentions” is missing"),
        ({"replies": {0: {"mentions": []}}}, "Event 0 of the run is not a question"),
        ({"replies": {99: {}}}, "Event 99 of the run is not a question"),
        ({"at": 99}, "cannot part at 99"),
        ({"params": {"facts": 1}}, "The parameters do not fit: “facts” must be at least"),
        ({"params": {"depth": 1}}, "The method has no parameter “depth”"),
    ],
)
def test_edits_that_do_not_fit_are_one_sentence_and_start_nothing(runs, kg, parent, edits, said):
    with pytest.raises(SettingsError) as error:
        runs.fork(
            parent, Edits.model_validate(edits), setup_of(parent.header.method, kg, ScriptedLLM())
        )
    assert said in str(error.value)
    assert len(runs.store.recent()) == 1


def test_a_run_without_notes_of_what_it_was_given_cannot_be_reused(parent):
    old = [
        r.model_copy(update={"event": r.event.model_copy(update={"given": ""})})
        if isinstance(r.event, Asked)
        else r
        for r in parent.records
    ]
    with pytest.raises(SettingsError, match="earlier version"):
        check(old, Edits(at=3))
    check(old, Edits())  # asks everything anew


def test_an_edit_that_comes_to_nothing_is_said(runs, kg, parent):
    first, last = seqs(parent)
    edits = Edits(
        at=first, replies={first: {"mentions": ["Ulm"]}, last: answer("x").model_dump()},
        without=tuple(s for s in STATEMENTS if s.subject == ULM),
    )  # fmt: skip
    llm = ScriptedLLM(FactAnswer(sentences=[], values=[], reason="nothing there"))
    child = ended(again(runs, parent, edits, kg, llm))
    noted = [r.event.text for r in child.records if isinstance(r.event, events.Noted)]
    assert "The step that was edited did not come up again" in noted[-1]
    assert child.status == "abstained"


def link_seq(run):
    return next(r.seq for r in run.records if isinstance(r.event, events.Linked))


def notes(run):
    return [r.event.text for r in run.records if isinstance(r.event, events.Noted)]


def anchored(run):
    return [r.event.entity for r in run.records if isinstance(r.event, events.Anchored)]


def test_another_entity_is_chosen_where_the_linker_alone_chose(runs, kg, parent):
    at = link_seq(parent)
    assert anchored(parent) == [ULM]
    llm = ScriptedLLM(answer("83,155,031 people.", "83155031"))
    child = ended(
        runs.fork(
            parent,
            Edits(at=at, entities={"Ulm": GERMANY.id}),
            setup_of(parent.header.method, kg, llm),
        )
    )
    assert anchored(child) == [GERMANY]
    assert llm.skills == ["answer from facts"]
    assert notes(child) == ["“Ulm” means Germany: chosen by hand."]
    (hits,) = child.records[link_seq(child)].event.candidates
    assert [hit.entity for hit in hits] == [GERMANY]


def test_a_name_may_mean_nothing_or_something_the_graph_has_not(runs, kg, parent):
    at = link_seq(parent)
    for entity_id, said in (("", "means no entity"), ("http://x/none", "is not in this graph")):
        edits = Edits(at=at, entities={"Ulm": entity_id})
        child = ended(again(runs, parent, edits, kg, ScriptedLLM()))
        assert said in notes(child)[0]
        assert child.status == "abstained"


def test_a_chosen_entity_holds_in_a_fork_of_the_fork_and_says_when_it_was_for_nothing(
    runs, kg, parent
):
    llm = ScriptedLLM(answer("83 million.", "83155031"))
    edits = Edits(at=link_seq(parent), entities={"Ulm": GERMANY.id, "Bonn": ULM.id})
    child = ended(again(runs, parent, edits, kg, llm))
    assert notes(child)[-1].startswith("“Bonn” was not looked up this time")
    llm = ScriptedLLM(answer("83 million.", "83155031"))
    grandchild = ended(again(runs, child, Edits(at=seqs(child)[-1]), kg, llm))
    assert anchored(grandchild) == [GERMANY]


WALKS = ("react", "one-hop", "structgpt", "tog", "tog-r", "oda", "kb-binder", "keqing", "r3")


@pytest.mark.parametrize("name", WALKS)
def test_every_method_takes_the_entity_that_was_chosen_by_hand(runs, starter, name):
    """Recorded runs with the built-in reader, nothing scripted."""
    header, records = next(one for one in recorded().values() if one[0].method == name)
    berlin = starter.search(["Berlin"], 1)[0][0].entity
    at, mention = next(
        (r.seq, mention)
        for r in records
        if isinstance(r.event, events.Linked)
        for mention, hits in zip(r.event.mentions, r.event.candidates, strict=True)
        if hits
    )
    edits = Edits(at=at, entities={mention: berlin.id})
    child = ended(again(runs, Run(header, records), edits, starter, Offline()))
    assert notes(child)[0] == f"“{mention}” means Berlin: chosen by hand."
    parent_anchored = any(
        isinstance(r.event, events.Anchored) and r.event.mention == mention for r in records
    )
    if parent_anchored:
        assert berlin in anchored(child)


def test_parameters_are_merged(runs, kg, parent):
    llm = ScriptedLLM(Mentions(mentions=["Ulm"]), answer("Germany.", "Germany"))
    child = ended(
        runs.fork(
            parent, Edits(params={"incoming": False}), setup_of(parent.header.method, kg, llm)
        )
    )
    assert child.header.params == {**parent.header.params, "incoming": False}


def test_a_fork_of_a_fork_reuses_what_was_written_by_hand(runs, kg, parent):
    first, _ = seqs(parent)
    edits = Edits(at=first, replies={first: {"mentions": ["Germany"]}})
    child = ended(
        runs.fork(
            parent,
            edits,
            setup_of(parent.header.method, kg, ScriptedLLM(answer("83 million.", "83155031"))),
        )
    )
    _, last = seqs(child)
    grandchild = ended(
        runs.fork(
            child,
            Edits(at=last),
            setup_of(child.header.method, kg, ScriptedLLM(answer("Many.", "many"))),
        )
    )
    assert asked(grandchild)[0].parsed == {"mentions": ["Germany"]}
    assert grandchild.header.parent == child.header.id


def test_the_header_says_whose_fork_it_is_also_after_the_process(runs, kg, parent, tmp_path):
    _, last = seqs(parent)
    edits = Edits(at=last, without=(STATEMENTS[0],))
    child = ended(
        runs.fork(
            parent,
            edits,
            setup_of(parent.header.method, kg, ScriptedLLM(answer("Germany.", "Germany"))),
        )
    )
    later = Runs(RunStore(tmp_path))
    header = later.get(child.header.id).header
    assert (header.parent, header.forked_at, header.edits) == (parent.header.id, last, edits)
    later.close()


def test_every_skill_of_every_method_is_known_by_name():
    assert {"extract entities", "next action", "answer from facts"} <= set(registered())


# -- without a fact -------------------------------------------------------------------------


def test_without_the_fact_it_rests_on_the_answer_is_another(runs, kg):
    question = "Who directed Written on the Wind?"
    first = ended(runs.start(question, setup_of("react", kg, Offline())))
    assert first.records[-1].event.answer.values == (SIRK,)
    at = next(
        r.seq
        for r in first.records
        if isinstance(r.event, events.Expanded) and STATEMENTS[0] in r.event.statements
    )
    child = ended(
        runs.fork(
            first,
            Edits(at=at, without=(STATEMENTS[0],)),
            setup_of(first.header.method, kg, Offline()),
        )
    )
    assert child.status == "abstained"
    assert all(
        STATEMENTS[0] not in r.event.statements
        for r in child.records
        if isinstance(r.event, events.Expanded)
    )


def test_what_is_hidden_is_in_no_verb(kg):
    view = without(kg, Hidden([STATEMENTS[0]]))  # FILM, DIRECTOR, SIRK
    assert STATEMENTS[0] not in view.statements([FILM])[0]
    assert len(view.statements([FILM])[0]) == len(kg.statements([FILM])[0]) - 1
    assert DIRECTOR not in [use.relation for use in view.relations_of([FILM])[0]]
    (use,) = [u for u in view.relations_of([SIRK])[0] if u.relation == DIRECTOR]
    assert (use.count, use.examples) == (1, (LATER.name,))
    assert view.relations_of([ULM]) == kg.relations_of([ULM])
    assert view.search(["Ulm"]) == kg.search(["Ulm"])
    assert view.info().fingerprint != kg.info().fingerprint


def test_what_is_hidden_takes_no_place_under_a_limit(kg):
    view = without(kg, Hidden([STATEMENTS[0]]))
    assert view.statements([SIRK], relation=DIRECTOR, limit=1) == [[STATEMENTS[1]]]


def test_a_triple_hides_all_its_statements_and_a_statement_only_itself(kg):
    both = [s for s in STATEMENTS if s.relation == PEOPLE and s.subject == ULM]
    view = without(kg, Hidden(both[:1]))
    assert view.statements([ULM], relation=PEOPLE) == [both[1:]]
    bare = Statement(both[0].subject, both[0].relation, both[0].object)
    view = without(kg, Hidden([bare]))
    assert view.statements([ULM], relation=PEOPLE) == [both[1:]]


MORE = Relation(f"{world.WD}P9999", "hidden relation")
EXTRA = [
    Statement(e, MORE, world.HUMAN)
    for e in world.ENTITIES
    if e not in (world.PARIS, world.TROJAN, world.LONELY)
]


class TestAWorldWithoutWhatWasAddedToIt(world.Conformance):
    @pytest.fixture(scope="class")
    @classmethod
    def kg(cls):
        whole = EmbeddedGraph.build(
            "world", world.ENTITIES, [*world.RELATIONS, MORE], [*world.STATEMENTS, *EXTRA]
        )
        return without(whole, Hidden(EXTRA))


class NoSparql:
    """A graph without `query`."""

    name = "plain"

    def info(self): ...
    def search(self, mentions, limit=10): ...
    def describe(self, ids): ...
    def relations_of(self, entities): ...
    def statements(self, entities, *, direction=None, relation=None, limit=500): ...
    def relation(self, id_or_label): ...


def test_the_view_speaks_sparql_exactly_when_its_graph_does(kg):
    assert isinstance(without(kg, Hidden([])), Queryable)
    assert not isinstance(without(NoSparql(), Hidden([])), Queryable)


def test_a_query_and_a_passage_may_still_say_it_and_that_is_said(kg):
    def solve(question, tools, params):
        yield from tools.query("SELECT ?s WHERE { ?s ?p ?o }", 1)
        yield from tools.query("ASK { ?s ?p ?o }", 1)
        yield events.Retrieved(query="q", found=(Passage("p1", "text"),))
        return Answer(reason="done")

    edits = Edits(without=(STATEMENTS[0],))
    view = without(kg, Hidden(edits.without))
    replaying = Replaying(ScriptedLLM(), [], edits)
    found = list(run("Where?", solving(solve, replaying, edits), Toolkit(view, replaying), None))
    assert kinds(found) == "queried noted queried retrieved noted abstained"


def test_search_by_meaning_leaves_it_out_and_still_gives_as_many(kg, tmp_path, monkeypatch):
    near = [Scored(s, 0.9) for s in STATEMENTS]
    monkeypatch.setattr(Index, "nearest_triples", lambda self, texts, k: [near[:k] for _ in texts])
    index = IndexWithout(Index(kg, None, tmp_path), Hidden([STATEMENTS[0]]))
    (found,) = index.nearest_triples(["who"], 3)
    assert [s.item for s in found] == STATEMENTS[1:4]


def test_closing_a_fork_closes_the_method(kg):
    closed = []

    def solve(question, tools, params):
        try:
            yield events.Step(title="one")
            yield events.Step(title="two")
        finally:
            closed.append(True)
        return Answer()

    steps = solving(solve, Replaying(ScriptedLLM(), [], Edits()), Edits())("q", None, None)
    next(steps)
    steps.close()
    assert closed == [True]
