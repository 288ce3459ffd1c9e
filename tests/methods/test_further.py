"""Relations that a prompt has no room for can be asked for, with two further calls at most."""

import tempfile

import pytest

from kgqa_core.ask import events, shown
from kgqa_core.ask.run import Toolkit, drain
from kgqa_core.ask.skills import (
    AnswerIfEnough,
    AnswerOrGoOn,
    CitedSentence,
    FactAnswer,
    Mentions,
    Picks,
    ScoredPick,
)
from kgqa_core.facts.terms import Entity, Relation, Statement
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.llm import prompt
from kgqa_core.llm.offline import Offline
from kgqa_core.methods import METHODS, compass, kaping, react, structgpt, tog
from kgqa_core.methods.compass.plan import Plan, PlanStep
from kgqa_core.methods.pgakv import algorithm as pgakv
from kgqa_core.search.encoder import Encoder
from kgqa_core.search.index import Index
from kgqa_core.settings import load_settings
from tests.fakes import ScriptedLLM

LAND, TOWN = Entity("urn:land", "Land"), Entity("urn:town", "Town")
LEADS = Relation("urn:leads", "capital")
MANY = 45
WAYS = [Relation(f"urn:r{n}", f"matter {n}") for n in range(MANY)]
ENDS = [Entity(f"urn:e{n}", f"End {n}") for n in range(MANY)]
QUESTION = "What is it about Land that nobody asks?"


@pytest.fixture(scope="module")
def kg():
    facts = [
        Statement(of, relation, end)
        for of in (LAND, TOWN)
        for relation, end in zip(WAYS, ENDS, strict=True)
    ]
    facts.append(Statement(LAND, LEADS, TOWN))
    return EmbeddedGraph.build("many", [LAND, TOWN, *ENDS], [LEADS, *WAYS], facts)


class Late:
    """Takes nothing of what is shown at first, and then the last of what there is."""

    def __init__(self, nothing):
        self.first, self.then, self._nothing = None, None, nothing

    def refuses(self, given):
        self.first = given
        return self._nothing

    def takes(self, given):
        self.then = given
        return Picks(picked=[ScoredPick(index=len(given.relations) - 1)])

    def holds(self):
        """The second list goes on where the first, as it was printed, had ended."""
        before, after = ([u.relation for u in g.relations] for g in (self.first, self.then))
        seen = sum(shown.printed())
        assert len(before) > seen
        assert after == before[seen:]
        first, then = (prompt.rendered(given) for given in (self.first, self.then))
        assert f"({len(before) - seen} more not shown)" in first
        assert all(relation.name in then for relation in after)
        assert not any(f"{relation.name}\n" in then for relation in before[:seen])


def found(given):
    (fact,) = [s for s in given.facts if s.object in ENDS]
    at = list(given.facts).index(fact)
    return AnswerIfEnough(
        sufficient=True,
        sentences=[CitedSentence(text=fact.object.name, facts=[at])],
        values=[fact.object.name],
    )


def solved(kg, solve, params, *replies):
    llm = ScriptedLLM(Mentions(mentions=["Land"]), *replies)
    answer, seen = drain(solve(QUESTION, Toolkit(kg, llm), params))
    titles = [e.title for e in seen if isinstance(e, events.Step)]
    return answer, [title for title in titles if title.startswith("Read on: ")]


@pytest.mark.parametrize(
    ("solve", "params"),
    [
        (tog.solve, tog.Params(depth=1)),
        (structgpt.solve, structgpt.Params()),
        (react.solve, react.Params(walk="hops")),
    ],
)
def test_who_takes_no_relation_that_is_shown_is_shown_the_next(kg, solve, params):
    late = Late(Picks(picked=[]))
    answer, told = solved(kg, solve, params, late.refuses, late.takes, found)
    late.holds()
    assert answer.values == (ENDS[WAYS.index(late.then.relations[-1].relation)],)
    assert told == [f"Read on: {len(late.then.relations)} further relations"]


def test_so_it_is_further_from_the_question_too(kg):
    late = Late(AnswerOrGoOn(sufficient=False, sentences=[], values=[]))

    def town(given):
        at = [use.relation for use in given.relations].index(LEADS)
        return Picks(picked=[ScoredPick(index=at)])

    answer, _ = solved(kg, tog.solve, tog.Params(depth=2), town, late.refuses, late.takes, found)
    late.holds()
    assert answer.values == (ENDS[WAYS.index(late.then.relations[-1].relation)],)


@pytest.fixture(scope="module")
def wide():
    relations = [Relation(f"urn:w{n}", f"affair {n}") for n in range(200)]
    ends = [Entity(f"urn:f{n}", f"Thing {n}") for n in range(200)]
    facts = [Statement(LAND, r, end) for r, end in zip(relations, ends, strict=True)]
    return EmbeddedGraph.build("wide", [LAND, *ends], relations, facts)


def refused(lists):
    def refuses(given):
        lists.append(given)
        return Picks(picked=[])

    return refuses


@pytest.mark.parametrize(
    ("solve", "params"),
    [
        (tog.solve, tog.Params(depth=1)),
        (structgpt.solve, structgpt.Params()),
        (react.solve, react.Params(walk="hops")),
    ],
)
def test_no_relation_is_out_of_reach_however_many_there_are(wide, solve, params):
    lists = []

    def takes(given):
        lists.append(given)
        return Picks(picked=[ScoredPick(index=len(given.relations) - 1)])

    def tells(given):
        (fact,) = given.facts
        cited = CitedSentence(text=fact.object.name, facts=[0])
        return AnswerIfEnough(sufficient=True, sentences=[cited], values=[fact.object.name])

    answer, told = solved(wide, solve, params, refused(lists), refused(lists), takes, tells)
    every, each = lists[0].relations, sum(shown.printed())
    assert len(every) == 200
    assert [len(given.relations) for given in lists] == [200, 200 - each, 200 - 2 * each]
    texts = [prompt.rendered(given) for given in lists]
    assert all(any(use.relation.name in text for text in texts) for use in every)
    assert "not shown" not in texts[-1]
    assert shown.tokens(texts[-1]) < 2_000
    assert [v.name for v in answer.values] == [every[-1].examples[0]]
    assert len(told) == 2


def test_react_lists_further_relations_until_there_are_none(wide):
    params, lists = react.Params(), []

    def more(given):
        lists.append(prompt.rendered(given))
        if "not shown" in lists[-1]:
            return react.Move(thought="", tool="more", of="S1")
        return react.Move(thought="", tool="give up", reason="Enough.")

    llm = ScriptedLLM(Mentions(mentions=["Land"]), *[more] * 20)
    drain(react.solve(QUESTION, Toolkit(wide, llm), params))
    assert 2 < len(lists) <= params.steps
    assert all(f"affair {n}" in lists[-1] for n in range(200))


def test_there_is_one_further_call_where_that_shows_the_rest(kg):
    none = Picks(picked=[])
    answer, told = solved(kg, structgpt.solve, structgpt.Params(), none, none)
    assert len(told) == 1
    assert not answer.sentences


@pytest.mark.parametrize("name", ["tog", "structgpt"])
def test_the_reader_has_read_them_all(kg, name):
    method = METHODS[name]
    _, seen = drain(method.solve(QUESTION, Toolkit(kg, Offline()), method.params()))
    assert not any(isinstance(e, events.Step) and "further relation" in e.title for e in seen)


def _not_enough(given):
    return AnswerIfEnough(sentences=[], values=[])


_LEADS = Picks(picked=[ScoredPick(index=0)])


@pytest.mark.parametrize(
    ("solve", "params", "replies"),
    [
        (react.solve, react.Params(walk="hops", hops=1), [_LEADS, _not_enough]),
        (structgpt.solve, structgpt.Params(rounds=1), [_not_enough]),
        (tog.solve, tog.Params(depth=1), [_not_enough]),
        (
            compass.solve,
            compass.Params(templates=False, repairs=0),
            [
                Plan(
                    steps=[
                        PlanStep(id="s1", do="follow", of="n1", relation="capital"),
                        PlanStep(id="s2", do="follow", of="s1", relation="mayor"),
                    ],
                    answer="s2",
                ),
                _not_enough,
            ],
        ),
    ],
)
def test_the_facts_that_a_prompt_had_no_room_for_are_read_before_it_abstains(
    solve, params, replies
):
    """Nothing that was shown answers: what is left is read."""
    many = [Entity(f"x:end{n}", f"something of a rather long name {n:03}") for n in range(400)]
    graph = EmbeddedGraph.build("many", [LAND, *many], [LEADS], [
        Statement(LAND, LEADS, end) for end in many
    ])  # fmt: skip
    first = []

    def not_enough(given):
        first.extend(given.facts[: shown.fitting(given.facts)])
        assert f"(not shown: {len(many) - len(first)} more of capital" in prompt.rendered(given)
        return AnswerIfEnough(sentences=[], values=[])

    def reads(given):
        assert first
        assert not set(given.facts) & set(first)
        end = given.facts[0].object.name
        return FactAnswer(sentences=[CitedSentence(text=end, facts=[0])], values=[end])

    given = [not_enough if reply is _not_enough else reply for reply in replies]
    extracted = [] if solve is compass.solve else [Mentions(mentions=["Land"])]
    llm = ScriptedLLM(*extracted, *given, reads)
    answer, _ = drain(solve(QUESTION, Toolkit(graph, llm), params))
    assert not llm.left
    assert answer.values


def test_think_on_graph_reads_on_beside_the_facts_that_are_still_needed():
    many = [Entity(f"x:end{n}", f"something of a rather long name {n:03}") for n in range(400)]
    graph = EmbeddedGraph.build("many", [LAND, *many], [LEADS], [
        Statement(LAND, LEADS, end) for end in many
    ])  # fmt: skip
    needed = []

    def keeps(given):
        needed.extend([given.facts[3], given.facts[1]])
        return AnswerIfEnough(sentences=[], values=[], keep=[3, 1, -1, 999])

    def reads(given):
        assert given.facts[:2] == needed
        assert given.facts[2] not in needed
        return FactAnswer(
            sentences=[CitedSentence(text="This.", facts=[0])], values=[needed[0].object.name]
        )

    llm = ScriptedLLM(Mentions(mentions=["Land"]), keeps, reads)
    answer, _ = drain(tog.solve(QUESTION, Toolkit(graph, llm), tog.Params(depth=1)))
    assert answer.citations == (needed[0],)


def test_kaping_reads_what_was_not_among_the_nearest_before_it_abstains():
    facts = [Statement(LAND, way, end) for way, end in zip(WAYS, ENDS, strict=True)]
    graph = EmbeddedGraph.build("many", [LAND, *ENDS], WAYS, facts)
    nearest = []

    def not_enough(given):
        nearest.extend(given.facts)
        return FactAnswer(sentences=[], values=[])

    def reads(given):
        assert len(nearest) == 10
        assert [*given.facts[:10]] == nearest
        assert {s.relation.id for s in given.facts} == {way.id for way in WAYS}
        end = given.facts[0].object.name
        return FactAnswer(sentences=[CitedSentence(text=end, facts=[0])], values=[end])

    llm = ScriptedLLM(Mentions(mentions=["Land"]), not_enough, reads)
    with tempfile.TemporaryDirectory() as folder:
        index = Index(graph, Encoder(load_settings()), folder)
        tools = Toolkit(graph, llm, index=index)
        answer, seen = drain(kaping.solve(QUESTION, tools, kaping.Params(lists=0)))
    assert not llm.left
    assert answer.values
    assert any(e.text.startswith("Not among the 10 nearest: ") for e in seen if e.kind == "noted")


def test_pgakv_reads_what_a_prompt_had_no_room_for_of_its_fixed_graph():
    many = [Entity(f"x:end{n}", f"something of a rather long name {n:03}") for n in range(400)]
    facts = {Statement(LAND, LEADS, end): None for end in many}
    graph = EmbeddedGraph.build("many", [LAND, *many], [LEADS], list(facts))
    first = []

    def not_enough(given):
        first.extend(given.facts[: shown.fitting(given.facts)])
        assert f"(not shown: {len(many) - len(first)} more of capital" in prompt.rendered(given)
        return FactAnswer(sentences=[], values=[])

    def reads(given):
        assert first
        assert not {*given.facts} & {*first}
        end = given.facts[0].object.name
        return FactAnswer(sentences=[CitedSentence(text=end, facts=[0])], values=[end])

    tools = Toolkit(graph, ScriptedLLM(not_enough, reads))
    fixed = pgakv.Fixes(facts=dict(facts))
    answer, seen = drain(pgakv._answer(QUESTION, fixed, tools, pgakv.Params()))
    assert not tools.llm.left
    assert answer.values
    assert any(e.title.startswith("Read on: ") for e in seen if e.kind == "step")
