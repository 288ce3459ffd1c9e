"""What the ranker learns from: ways in queries, and parts that do not overlap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from kgqa_core.ask.run import Toolkit, run
from kgqa_core.facts.terms import Entity, Relation, RelationUse
from kgqa_core.llm.offline import Offline
from kgqa_core.methods import react
from kgqa_core.reader.acting import Found
from kgqa_core.reader.evidence import FEATURES, Ranked
from kgqa_core.reader.lexicon import lexicon
from kgqa_core.reader.programs import Name, Program
from kgqa_core.reader.resolve import Resolver
from tests.small_graph import small_graph
from tests.training import sources, weights
from tests.training.examples import START, Done, Example, Listening, Ruled
from tests.training.pairs import find
from tests.training.sparql import parse, paths

REFUSED = Ruled(answered=False, certain=False, f1=0.0, heard=None)
RIGHT = Ruled(answered=True, certain=True, f1=1.0, heard=None)
WRONG = Ruled(answered=True, certain=True, f1=0.0, heard=None)
_WD = "PREFIX wd: <http://www.wikidata.org/entity/> "


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT ?x WHERE { wd:Q1 wdt:P57 ?x . }", [("Q1", (("P57", "out"),))]),
        ("SELECT ?x WHERE { ?x wdt:P57 wd:Q1 }", [("Q1", (("P57", "in"),))]),
        (
            "SELECT DISTINCT ?x WHERE { wd:Q1 wdt:P161 / wdt:P569 ?x . }",
            [("Q1", (("P161", "out"), ("P569", "out")))],
        ),
        (
            "SELECT ?x WHERE { ?x wdt:P31 wd:Q5 ; wdt:P50 wd:Q1 . }",
            [("Q1", (("P50", "in"),))],
        ),
        (
            "SELECT ?x WHERE { wd:Q1 p:P39 ?s . ?s ps:P39 ?x ; pq:P580 ?t . FILTER(YEAR(?t) > 3) }",
            [("Q1", (("P39", "out"),))],
        ),
        (
            "ASK WHERE { wd:Q1 wdt:P57 wd:Q2 }",
            [("Q1", (("P57", "out"),)), ("Q2", (("P57", "in"),))],
        ),
    ],
)
def test_the_way_from_each_entity_to_what_is_asked_is_read_off_a_query(query, expected):
    found = parse(_WD + query)
    assert found is not None
    assert list(paths(found)) == expected


def test_a_query_for_two_things_is_left_out():
    assert parse("SELECT ?x ?y WHERE { wd:Q1 wdt:P1 ?x . wd:Q1 wdt:P2 ?y }") is None


def test_a_name_is_found_as_it_is_written_or_nearly():
    assert find("who is albert einstein's wife", ("Albert Einstein",)) == (7, 22)
    assert find("who is albert einstien", ("Albert Einstein",)) == (7, 22)
    assert find("who is it", ("Albert Einstein",)) is None


def example(question: str, f1: Sequence[float], nearest: int, ruled: Ruled = REFUSED) -> Example:
    """Programs of which one is nearest by words; `f1`: what each of them finds."""
    zero = dict.fromkeys(FEATURES, 0.0)
    hop = RelationUse(Relation("P1", "author"), "out", 1)
    program = Program(Name("X", Found("S1", (Entity("Q1", "X"),), 1)), (hop,))
    ranked = [
        Ranked(program, tuple((zero | {"alias shared": float(n == nearest)}).values()), 0.0)
        for n in range(len(f1))
    ]
    done = {n: Done(program, one, 1, fit=True) for n, one in enumerate(f1)}
    gold = frozenset({"a"} if max(f1) else ())
    return Example("s", question, question, gold, [], ranked, done, ruled)


def test_the_layer_that_ranks_learns_what_the_right_programs_have():
    found = [example(f"q{n}", [0.0, 1.0, 0.0], nearest=1) for n in range(30)]
    known = dict(zip(FEATURES, weights.fit(found), strict=True))
    assert known["alias shared"] > START["alias shared"] + 1
    assert known["hops"] == pytest.approx(START["hops"])  # nothing was to be learned of it
    odd = [example(f"q{n}", [0.0, 1.0, 0.0], nearest=0) for n in range(30)]
    assert dict(zip(FEATURES, weights.fit(odd), strict=True))["alias shared"] < 0


def test_without_the_ways_that_lead_there_a_question_has_no_answer():
    one = weights.Weighed(example("q", [1.0, 0.0], nearest=0), np.zeros(len(FEATURES)))
    assert weights.ablated(one) is None  # all go along that relation
    other = replace(one.example.ranked[1].program.uses[0], direction="in")
    ranked = [one.example.ranked[0], replace(one.example.ranked[1], program=replace(
        one.example.ranked[1].program, uses=(other,)))]  # fmt: skip
    bare = weights.ablated(replace(one, example=replace(one.example, ranked=ranked)))
    assert bare is not None
    assert [x.program.last.direction for x in bare.example.ranked] == ["in"]
    assert not bare.example.answerable
    assert bare.example.done[0].f1 == 0.0


def judged(f1: Sequence[float], there: Sequence[bool], ruled: Sequence[Ruled]) -> weights.Judged:
    some = weights.Judged([], Resolver(lexicon()))
    some.f1, some.there = np.array(f1), np.array(there)
    some.may = np.ones(len(f1), dtype=bool)
    some.answered = np.array([one.answered for one in ruled])
    some.certain = np.array([one.certain for one in ruled])
    some.ruled = np.array([one.f1 for one in ruled])
    some.heard = some.answered
    return some


def test_it_answers_from_where_that_gains_most():
    n = 10
    f1, there = [1.0] * n + [0.0] * n, [True] * n + [False] * n
    chance = np.array([0.72] * n + [0.4] * n)
    some, nobody = judged(f1, there, [REFUSED] * 2 * n), judged(f1, there, [RIGHT] * 2 * n)
    none, bare = judged([], [], []), judged([0.0] * 60, [False] * 60, [REFUSED] * 60)
    fooled, nothing = np.array([0.72] * 60), np.array([])
    assert weights.answer_from(some, chance, none, nothing) == pytest.approx(0.7)  # as much as .45
    assert weights.answer_from(nobody, chance, none, nothing) > 0.7  # the rules refuse nothing
    assert weights.answer_from(some, chance, bare, fooled) > 0.7  # too many that have no answer


def test_it_doubts_no_more_than_it_must_and_gives_way_where_that_gains():
    ruled = [RIGHT] * 90 + [WRONG] * 10
    some = judged([1.0] * 100, [True] * 100, ruled)
    wrong = np.array([0.05] * 90 + [0.42] * 10)
    doubt = weights.doubt_above(some, wrong)
    assert doubt == pytest.approx(0.4)
    sure = np.array([0.9] * 100)
    assert weights.surer_by(some, sure, wrong, 0.5, doubt) == pytest.approx(0.3)  # .9 ≥ .58 + .3


@pytest.mark.data
def test_no_question_is_in_two_parts_and_none_of_those_reported_is_learned_from():
    if not sources.DATA.is_dir():
        pytest.skip("needs ../shared/data")
    parts: dict[str, set[str]] = {}
    for row in sources.rows():
        parts.setdefault(sources._plain(row.question), set()).add(row.part)
    learnt = {"encoder", "weights", "thresholds"}
    assert not [q for q, p in parts.items() if "report" in p and p & learnt]
    assert not sources.qald10() & {q for q, p in parts.items() if p & learnt}


def test_whoever_listens_is_asked_as_the_ranker_is():
    tools = Toolkit(small_graph(), Offline(None, Listening()))
    last = list(run("How loud is Ulm?", react.solve, tools, react.Params()))[-1].event
    assert last.kind == "abstained"
