"""Think-on-Graph as its paper tells it: relation prune, entity prune, do the paths suffice."""

import pytest

from kgqa_core.ask import events
from kgqa_core.ask.run import Toolkit, drain
from kgqa_core.ask.skills import (
    AnswerIfEnough,
    CitedSentence,
    Draft,
    Mentions,
    Picks,
    ScoredEnd,
    ScoredEnds,
    ScoredPick,
)
from kgqa_core.kg.starter import starter_graph
from kgqa_core.llm.offline import Offline
from kgqa_core.methods import METHODS, tog
from kgqa_core.methods.tog import Params, RelationParams
from tests.fakes import ScriptedLLM, kinds
from tests.small_graph import FILM, LATER, SIRK, small_graph

QUESTION = "What else did the director of Written on the Wind make?"


@pytest.fixture(scope="module")
def kg():
    return small_graph()


@pytest.fixture(scope="module")
def starter():
    return starter_graph()


def pick(*wanted):
    """Picks (name, direction, score), whatever the positions."""

    def reply(given):
        found = [(use.relation.name, use.direction) for use in given.relations]
        return Picks(picked=[ScoredPick(index=found.index((n, d)), score=s) for n, d, s in wanted])

    return reply


def says(text, *positions):
    return AnswerIfEnough(
        sufficient=True,
        sentences=[CitedSentence(text=text, facts=list(positions))],
        values=[text],
    )


NOT_YET = AnswerIfEnough(thought="more is needed", sentences=[], values=[])


def scores(*numbers):
    return ScoredEnds(picked=[ScoredEnd(index=i, score=n) for i, n in enumerate(numbers)])


def solve(kg, llm, question=QUESTION, params=None):
    return drain(tog.solve(question, Toolkit(kg, llm), params or Params()))


def test_a_beam_of_paths_is_grown_until_it_suffices(kg):
    def score(given):
        assert {c.way.object for c in given.candidates} == {SIRK}
        return scores(*(0.9 if c.end == LATER else 0.1 for c in given.candidates))

    llm = ScriptedLLM(
        Mentions(mentions=["Written on the Wind"]),
        pick(("director", "out", 0.8)),
        NOT_YET,
        says("Imitation of Life", 0, 1),  # of his one relation nobody asks whether to follow it
    )
    answer, seen = solve(kg, llm, params=Params())
    assert answer.values == (LATER,)
    assert answer.certain  # one end is left after the step back, so nothing is cut
    assert {(c.subject, c.object) for c in answer.citations} == {(FILM, SIRK), (LATER, SIRK)}
    assert kinds(seen) == (
        "step asked linked anchored "
        "step surveyed asked step expanded chosen step asked "
        "step surveyed step expanded chosen step asked"
    )
    llm = ScriptedLLM(
        Mentions(mentions=["Douglas Sirk"]),
        score,
        says("Imitation of Life", 0),
    )
    answer, seen = solve(kg, llm, "What did Douglas Sirk make last?", Params(width=1))
    assert answer.values == (LATER,)
    assert answer.certain  # the film that the beam cut was beside it when it was answered
    given = llm.asked[-1][1]
    assert {s.subject for s in given.facts} == {FILM, LATER}
    assert kinds(seen).count("pruned") == 1


def test_each_depth_takes_three_calls_at_most(kg):
    """However wide the beam: relations, entities, and whether the paths suffice."""
    llm = ScriptedLLM(
        Mentions(mentions=["Douglas Sirk"]),
        NOT_YET,  # both films fit into the beam: nothing to score
        pick(("publication date", "out", 0.9), ("cast member", "out", 0.8)),
        NOT_YET,
    )
    answer, _ = solve(kg, llm, "Who died?", Params(width=2, depth=2))
    assert answer.grounding == "abstained"
    assert "within 2 hops" in answer.reason
    assert {e for owners in llm.inputs[2].whose for e in owners} == {FILM, LATER}
    read = [s.relation.name for s in llm.inputs[-1].facts]
    assert "publication date" in read  # a date takes no place in the beam, and stays


def test_a_branch_that_leads_nowhere_takes_no_place_in_the_beam(kg):
    def both_ways(given):
        assert ("director", "out") in [(u.relation.name, u.direction) for u in given.relations]
        return pick(("director", "out", 0.9), ("publication date", "out", 0.8))(given)

    llm = ScriptedLLM(
        Mentions(mentions=["Written on the Wind"]),
        pick(("director", "out", 0.9)),
        NOT_YET,
        NOT_YET,
        both_ways,  # the way back was read before
        says("in 1959", 2),
    )
    answer, _ = solve(kg, llm, "When did he make the other one?", Params(width=1))
    assert answer.citations[0].relation.name == "publication date"


def test_memory_answers_only_where_allowed_and_is_marked(kg):
    script = [Mentions(mentions=["Ulm"]), Picks(picked=[])]
    assert solve(kg, ScriptedLLM(*script), "Why?")[0].grounding == "abstained"
    llm = ScriptedLLM(*script, Draft(text="Because of the Danube.", values=["Danube"]))
    answer, _ = solve(kg, llm, "Why?", Params(memory="marked"))
    assert answer.grounding == "ungrounded"
    assert "memory" in answer.reading
    assert not answer.certain


def test_tog_r_keeps_entities_at_random_and_asks_no_scores(kg):
    def script():
        return ScriptedLLM(
            Mentions(mentions=["Douglas Sirk"]),
            says("x", 0),
        )

    params = RelationParams(width=1)
    first, seen = solve(kg, script(), "What did Douglas Sirk make?", params)
    again, _ = solve(kg, script(), "What did Douglas Sirk make?", params)
    assert first == again  # the question seeds the choice
    assert len([e for e in seen if isinstance(e, events.Pruned)]) == 1
    assert METHODS["tog-r"].params().entities == "random"
    assert METHODS["tog"].params().entities == "scored"


def test_many_candidates_are_sampled_the_same_way_each_time(starter):

    def run(seen_candidates):
        def score(given):
            seen_candidates.append(given.candidates)
            return scores(*([1.0] * len(given.candidates)))

        llm = ScriptedLLM(
            Mentions(mentions=["China"]),
            pick(("shares border with", "out", 1.0)),
            score,
            says("many", 0),
        )
        return solve(starter, llm, "Which countries border China?", Params(candidates=5))

    one, two = [], []
    answer, _ = run(one)
    run(two)
    assert one == two
    assert len(one[0]) == 5
    assert not answer.certain


def test_no_relation_left_is_a_dead_end(kg):
    llm = ScriptedLLM(Mentions(mentions=["Ulm"]), Picks(picked=[]))
    answer, seen = solve(kg, llm, "Why is Ulm so pretty?", Params())
    assert answer.grounding == "abstained"
    assert kinds(seen).endswith("step surveyed asked dead_end")


def test_fewer_scores_than_candidates_leave_the_rest_out(kg):
    llm = ScriptedLLM(
        Mentions(mentions=["Douglas Sirk"]),
        scores(1.0),
        says("x", 0),
    )
    _, seen = solve(kg, llm, "What did Douglas Sirk make?", Params(width=1))
    (chosen,) = [e for e in seen if isinstance(e, events.Chosen)]
    assert len(chosen.statements) == 1


def test_without_an_entity_nothing_is_answered_from_memory(kg):
    answer, _ = solve(kg, ScriptedLLM(Mentions(mentions=[])), "Who are you?", Params())
    assert answer.grounding == "abstained"


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Who directed Inception?", {"Christopher Nolan"}),
        ("Where was the director of A Beautiful Mind born?", {"Duncan"}),
        ("Who directed Nothing at All?", set()),
    ],
)
def test_the_reader_prunes_by_what_its_plan_needs(starter, question, names):
    answer, _ = solve(starter, Offline(), question, Params())
    assert {v.name for v in answer.values} == names
