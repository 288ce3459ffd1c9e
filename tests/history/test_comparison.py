"""What runs have in common: values rather than strings, whose facts, and where they part."""

import pytest

from kgqa_core.ask import events
from kgqa_core.ask.events import Answer, Cost, Record, Sentence
from kgqa_core.ask.header import Edits, Header
from kgqa_core.facts.terms import YEAR, Entity, Literal, Relation, Statement
from kgqa_core.history import comparison
from kgqa_core.history.comparison import Values

ULM, GERMANY = Entity("e:ulm", "Ulm"), Entity("e:de", "Germany", aliases=("Deutschland",))
EINSTEIN, BERLIN = Entity("e:einstein", "Albert Einstein"), Entity("e:berlin", "Berlin")
COUNTRY, BORN = Relation("r:country", "country"), Relation("r:born", "place of birth")
IN_GERMANY = Statement(ULM, COUNTRY, GERMANY)
BORN_IN_ULM = Statement(EINSTEIN, BORN, ULM)
BORN_IN_1879 = Statement(EINSTEIN, Relation("r:year", "born"), Literal("1879", YEAR))


def header(method="react", params=None, graph="starter", model="m", question="Where?"):
    return Header(
        id="x",
        question=question,
        method=method,
        params=params or {},
        graph=graph,
        graph_fingerprint="",
        model=model,
        started_at="",
        version="0",
    )


def records(*story, calls=0):
    cost = Cost(llm_calls=calls)
    return [Record(seq=i, step=0, at_s=i / 10, cost=cost, event=e) for i, e in enumerate(story)]


def answered(*values, cites=(IN_GERMANY,), text="So it is."):
    sentences = (Sentence(text=text, cites=tuple(range(len(cites)))),)
    return events.Answered(answer=Answer(sentences=sentences, values=values, citations=cites))


def abstained():
    return events.Abstained(answer=Answer(reason="Nothing found."))


def test_runs_of_the_same_making_are_repetitions():
    heads = [header(), header("one-hop"), header(), header(params={"steps": 3})]
    assert comparison.sides(heads) == [[0, 2], [1], [3]]


def test_names_say_only_what_sets_sides_apart():
    heads = [header(params={"steps": 3, "width": 1}), header(params={"steps": 5, "width": 1})]
    assert comparison.names(heads) == ["ReAct (steps 3)", "ReAct (steps 5)"]
    assert comparison.names([header(), header("one-hop")]) == ["ReAct", "1-hop"]
    assert comparison.names([header(), header(model="gpt")]) == [
        "ReAct (model m)",
        "ReAct (model gpt)",
    ]
    assert comparison.names([header("gone"), header("gone")]) == ["gone", "gone #2"]


def test_a_fork_is_a_side_of_its_own():
    fact = Statement(Entity("a", "A"), Relation("r", "of"), Entity("b", "B"))
    heads = [header(), header().model_copy(update={"edits": Edits(without=(fact,))}),
             header().model_copy(update={"edits": Edits(at=3)})]  # fmt: skip
    assert comparison.sides(heads) == [[0], [1], [2]]
    assert comparison.names(heads) == ["ReAct", "ReAct (without “A — of — B”)", "ReAct (fork)"]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (GERMANY, Literal("germany"), True),
        (GERMANY, Literal("Deutschland."), True),
        (GERMANY, Entity("e:other", "Germany"), False),
        (Literal("1879", YEAR), Literal("1879"), False),
        (
            Literal("8849.0", "http://www.w3.org/2001/XMLSchema#decimal"),
            Literal("8849", YEAR),
            True,
        ),
        (GERMANY, ULM, False),
    ],
)
def test_answers_agree_by_value(one, other, same):
    groups = comparison.agreement([records(answered(one)), records(answered(other))])
    assert (len(groups) == 1) is same


def test_the_largest_group_comes_first_and_no_answer_last():
    groups = comparison.agreement(
        [
            records(abstained()),
            records(abstained()),
            records(abstained()),
            records(answered(GERMANY)),
            records(answered(GERMANY)),
            records(answered(ULM)),
            records(events.Step(title="still running")),
        ]
    )
    assert [g.says for g in groups] == ["Germany", "Ulm", "no answer"]
    assert groups[0].members == (3, 4)


def test_answers_without_values_are_compared_by_their_words():
    said = [records(answered(text=t)) for t in ("In  Germany.", "in germany", "In Bavaria.")]
    assert [g.members for g in comparison.agreement(said)] == [(0, 1), (2,)]


def test_the_value_table_lists_shared_values_first():
    table = comparison.value_table([records(answered(ULM, GERMANY)), records(answered(GERMANY))])
    assert table == [("Germany", (True, True)), ("Ulm", (True, False))]


def test_stability_counts_the_commonest_answer():
    runs = [records(answered(v), calls=n) for n, v in enumerate((GERMANY, GERMANY, ULM))]
    found = comparison.stability(runs)
    assert (found.ended, found.distinct, found.commonest) == (3, 2, "Germany")
    assert found.share == pytest.approx(2 / 3)
    assert found.calls == (0, 2)
    assert comparison.stability([records(events.Step(title="running"))]) is None


def test_facts_used_are_those_followed_computed_with_or_cited():
    story = records(
        events.Expanded(entities=(ULM,), statements=(IN_GERMANY, BORN_IN_ULM, BORN_IN_1879)),
        events.Chosen(statements=(BORN_IN_ULM,)),
        answered(GERMANY),
    )
    assert comparison.used(story) == [BORN_IN_ULM, IN_GERMANY]


def test_each_fact_stands_in_exactly_one_region():
    found = comparison.regions(
        [[IN_GERMANY, BORN_IN_ULM], [IN_GERMANY], [IN_GERMANY, BORN_IN_1879]]
    )
    assert found == {(0, 1, 2): [IN_GERMANY], (0,): [BORN_IN_ULM], (2,): [BORN_IN_1879]}
    names = ["ReAct", "IO", "R3"]
    assert [comparison.region_name(r, names) for r in found] == [
        "all found",
        "only ReAct",
        "only R3",
    ]
    assert comparison.region_name((0, 2), names) == "ReAct and R3"


def walks(*stories):
    values = Values([])
    return comparison.align([comparison.moves(story, values) for story in stories])


def test_steps_are_aligned_and_part_where_they_first_differ():
    begin = events.Anchored(mention="Ulm", entity=ULM)
    look = events.Expanded(entities=(ULM,), statements=(IN_GERMANY,))
    by = events.Expanded(entities=(ULM,), statements=(IN_GERMANY,), relation=COUNTRY)
    follow = events.Chosen(statements=(IN_GERMANY,), entities=(GERMANY,))
    rows = walks(
        records(events.Step(title="a thought"), begin, look, follow, answered(GERMANY)),
        records(begin, by, follow, answered(GERMANY)),
    )
    assert comparison.parting(rows) == 1
    assert [comparison.together(row) for row in rows] == [True, False, True, True]
    assert rows[1][1].text == "Look up “country” of Ulm"


def test_a_walk_that_is_longer_leaves_the_others_cells_empty():
    begin = events.Anchored(mention="Ulm", entity=ULM)
    rows = walks(records(begin, abstained()), records(abstained()), records(begin))
    assert [[bool(move) for move in row] for row in rows] == [
        [True, False, True],
        [True, True, False],
    ]
    assert comparison.parting(rows) == 0


def test_the_same_walks_never_part():
    story = records(events.Anchored(mention="Ulm", entity=ULM), abstained())
    assert comparison.parting(walks(story, story, story)) is None
    assert walks() == []


def test_numbers_are_there_for_a_run_that_has_hardly_begun():
    assert comparison.numbers([])["status"] == "running"
    row = comparison.numbers(records(answered(GERMANY), calls=2))
    assert (row["answer"], row["grounding"], row["model calls"]) == ("Germany", "grounded", 2)
