"""Operations on sets: what is most, what did not pass, what was compared."""

import re
from dataclasses import replace
from typing import get_args

import pytest

from kgqa_core.ask import events, skills
from kgqa_core.ask.run import Toolkit, drain
from kgqa_core.ask.shown import MEMBERS
from kgqa_core.facts import compute, verbalise
from kgqa_core.facts.terms import (
    DATE,
    DECIMAL,
    YEAR,
    Entity,
    Literal,
    Qualifier,
    Relation,
    RelationUse,
    Statement,
)
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.llm import prompt
from kgqa_core.methods import react, walk
from kgqa_core.methods.compass.plan import PlanStep
from kgqa_core.methods.compass.telling import step_in_words
from kgqa_core.methods.react import NEXT_ACTION, Notebook, SetView
from kgqa_core.methods.walk import Action, ActionError, NodeSet
from tests.fakes import ScriptedLLM

WD = "http://www.wikidata.org/entity/"
ANN, BOB, CAL = (Entity(WD + f"Q{n}", name) for n, name in enumerate(("Ann", "Bob", "Cal"), 1))
CHILDREN = [Entity(WD + f"Q{n}", f"child {n}") for n in range(11, 15)]
CHILD, HEIGHT = Relation(WD + "P40", "child"), Relation(WD + "P2048", "height")
SCHOOL, BORN = Relation(WD + "P69", "educated at"), Relation(WD + "P569", "date of birth")
YALE, PRAGUE = Entity(WD + "Q21", "Yale"), Entity(WD + "Q22", "Prague")


def tall(who, metres):
    return Statement(who, HEIGHT, Literal(metres, DECIMAL))


KIND, PERSON = Relation(WD + "P31", "instance of"), Entity(WD + "Q5", "human")
FACTS = [
    Statement(CHILDREN[0], KIND, PERSON),
    *(Statement(ANN, CHILD, c) for c in CHILDREN[:3]),
    Statement(BOB, CHILD, CHILDREN[3]),
    tall(ANN, "1.7"),
    tall(BOB, "1.9"),
    Statement(ANN, SCHOOL, YALE),
    Statement(BOB, SCHOOL, YALE),
    Statement(CAL, SCHOOL, PRAGUE),
    Statement(ANN, BORN, Literal("1901-12-30", DATE)),
    Statement(BOB, BORN, Literal("1950-11-20", DATE)),
    Statement(CAL, BORN, Literal("1960", YEAR)),
]
SET = NodeSet({ANN: (), BOB: (), CAL: ()})


@pytest.fixture(scope="module")
def tools():
    everyone = [ANN, BOB, CAL, *CHILDREN, YALE, PRAGUE, PERSON]
    kg = EmbeddedGraph.build("family", everyone, [CHILD, HEIGHT, SCHOOL, BORN, KIND], FACTS)
    return Toolkit(kg, ScriptedLLM())


def act(tool, relation, **more):
    return Action(thought="", tool=tool, of="S1", relation=relation, **more)


@pytest.mark.parametrize(("order", "who"), [("most", ANN), ("fewest", BOB)])
def test_rank_by_the_number_of_values(tools, order, who):
    found, _ = drain(walk.rank(act("rank", "P40", order=order), SET, tools, 10))
    assert list(found.members) == [who]


OTHER_WAY = "“child” leads the other way there: 3 facts with direction “out” (child 1"


@pytest.mark.parametrize("uses", [(), (RelationUse(CHILD, "out", 3, ("child 11", "child 12")),)])
def test_a_follow_in_the_wrong_direction_says_where_the_relation_leads(tools, uses):
    source = NodeSet({ANN: ()}, uses=uses)
    found, _ = drain(walk.follow(act("follow", "P40", direction="in"), source, tools, 10))
    assert not found.members
    assert found.why.startswith(OTHER_WAY)


@pytest.mark.parametrize(
    ("tool", "more"), [("rank", {"order": "most"}), ("keep", {"value": "Ann"}), ("group", {})]
)
def test_what_is_tested_in_the_wrong_direction_says_so_too(tools, tool, more):
    action = act(tool, "P40", direction="in", **more)
    with pytest.raises(ActionError) as error:
        drain(walk.act(action, NodeSet({ANN: ()}), {}, tools, 10))
    assert str(error.value).startswith(OTHER_WAY)


def test_where_neither_direction_has_anything_nothing_is_said_of_the_other(tools):
    found, _ = drain(walk.follow(act("follow", "P69"), NodeSet({CHILDREN[0]: ()}), tools, 10))
    assert (found.members, found.why) == ({}, "")
    none = act("keep", "P40", test="is not", value="Ann", direction="in")
    kept, _ = drain(walk.act(none, NodeSet({ANN: ()}), {}, tools, 10))
    assert list(kept.members) == [ANN]  # whose child she is, nobody says


def test_a_set_without_the_relation_stands_for_itself_where_sharing_is_asked(tools):
    """Whether she was at Yale: a school was at no school."""
    yale = NodeSet({YALE: ()})
    for known, school in ((NodeSet({ANN: ()}), "true"), (NodeSet({CAL: ()}), "false")):
        same = Action(tool="compute", operation="same", of="S1", with_set="S2", relation="P69")
        found, _ = drain(walk.compute_sets(same, known, yale, tools, 10))
        assert [v.value for v in found.members] == [school]
        found, _ = drain(walk.compute_sets(same, yale, known, tools, 10))
        assert [v.value for v in found.members] == [school]


@pytest.mark.parametrize(
    ("names", "known"),
    [("S1", "S1"), ("Ann", "S1"), ("ann|BOB", "S1|S2"), ("S1|Bob", "S1|S2"), ("Cal", "Cal")],
)
def test_a_set_may_be_named_by_its_only_member(names, known):
    sets = {"S1": NodeSet({ANN: ()}), "S2": NodeSet({BOB: ()}), "S3": NodeSet({CAL: (), BOB: ()})}
    assert walk.set_names(names, sets) == known
    action = Action(tool="compute", of=names, with_set="Bob").on_named(sets)
    assert (action.of, action.with_set) == (known, "S2")


def test_of_several_measurements_the_one_that_the_graph_prefers_is_taken():
    """Of things, those of other ranks are as true in their time."""
    old, new = tall(ANN, "1.6"), replace(tall(ANN, "1.7"), rank="preferred")
    first, now = Statement(ANN, SCHOOL, YALE), Statement(ANN, SCHOOL, PRAGUE, rank="preferred")
    kg = EmbeddedGraph.build(
        "ranks", [ANN, YALE, PRAGUE], [HEIGHT, SCHOOL], [old, new, tall(BOB, "1.9"), first, now]
    )
    tools = Toolkit(kg, ScriptedLLM())
    found, seen = drain(walk.follow(act("follow", "P2048"), SET, tools, 10))
    assert [m.value for m in found.members] == ["1.7", "1.9"]
    (left,) = [e for e in seen if isinstance(e, events.Pruned)]
    assert left.statements == (old,)
    found, _ = drain(walk.follow(act("follow", "P69"), SET, tools, 10))
    assert set(found.members) == {YALE, PRAGUE}


@pytest.mark.parametrize(("order", "who"), [("most", BOB), ("fewest", ANN)])
def test_the_most_of_an_amount_is_the_highest(tools, order, who):
    found, _ = drain(walk.rank(act("rank", "P2048", order=order), SET, tools, 10))
    assert list(found.members) == [who]


def test_a_comparison_cites_both_sides(tools):
    found, _ = drain(walk.rank(act("rank", "P2048"), SET, tools, 10))
    assert found.members[BOB] == (tall(BOB, "1.9"), tall(ANN, "1.7"))


def test_an_empty_keep_shows_what_it_looked_at(tools):
    test = act("keep", "P40", test="is", value="Nobody")
    found, _ = drain(walk.keep(test, SET, tools, 10))
    assert found.members == {}
    assert set(found.looked_at) == set(CHILDREN)
    view = SetView(name="S2", by=test, looked_at=list(found.looked_at))
    given = NEXT_ACTION.given(question="?", sets=[view], actions_left=1)
    assert "looked_at: child 11; child 12" in prompt.rendered(given)


@pytest.mark.parametrize(
    ("relation", "test", "against", "who"),
    [
        ("P2048", "more than", {ANN: ()}, [BOB]),
        ("P2048", "less than", {BOB: ()}, [ANN]),
        ("P2048", "more than", {Literal("1.8", DECIMAL): ()}, [BOB]),
        ("P569", "before", {BOB: (), CAL: ()}, [ANN]),
        ("P69", "is", {YALE: ()}, [ANN, BOB]),
        ("P69", "is not", {YALE: (), Entity(WD + "Q9", "Oxford"): ()}, [CAL]),
    ],
)
def test_keep_tests_against_another_set(tools, relation, test, against, who):
    action = act("keep", relation, test=test, with_set="S2")
    found, _ = drain(walk.keep(action, SET, tools, 10, NodeSet(against)))
    assert list(found.members) == who


def test_what_others_were_held_against_is_cited(tools):
    action = act("keep", "P2048", test="more than", with_set="S2")
    found, _ = drain(walk.keep(action, SET, tools, 10, NodeSet({ANN: ()})))
    assert found.members[BOB] == (tall(BOB, "1.9"), tall(ANN, "1.7"))


def test_what_has_no_such_value_is_no_standard(tools):
    action = act("keep", "P2048", test="more than", with_set="S2")
    with pytest.raises(ActionError, match="S2 has no “height” that others could be held against"):
        drain(walk.keep(action, SET, tools, 10, NodeSet({CAL: ()})))


def test_things_are_no_amounts(tools):
    with pytest.raises(ActionError, match="The values of “educated at” are neither numbers nor"):
        drain(walk.keep(act("keep", "P69", test="more than", value="3"), SET, tools, 10))


def test_all_members_are_tested_so_many_at_once(tools):
    found, seen = drain(walk.keep(act("keep", "P69", test="is", value="Prague"), SET, tools, 1))
    assert (list(found.members), found.doubtful) == ([CAL], False)
    assert sum(isinstance(event, events.Expanded) for event in seen) == 3


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (YALE.id, "is Yale"),
        (f"{YALE.id} | {PRAGUE.id}", "is Yale or Prague"),
        ("AC/DC", "is AC/DC"),
        ("urn:kg:Road%20Runner", "is Road Runner"),  # of a graph that has only names
    ],
)
def test_what_a_test_names_by_ids_is_told_by_names(tools, value, told):
    assert walk.title(act("keep", "P69", test="is", value=value), tools).endswith(told)
    step = PlanStep(do="keep", id="s1", of="n1", relation="P69", test="is", value=value)
    assert step_in_words(step, tools) == f"educated at {told}"


def test_a_set_named_as_a_value_is_a_set(tools):
    sets = {"S1": SET, "S2": NodeSet({ANN: ()})}
    action, other = walk.tested(act("keep", "P2048", test="more than", value="S2"), sets)
    assert (action.value, action.with_set, other) == ("", "S2", sets["S2"])
    assert walk.title(action, tools, sets).endswith("whose height is more than that of Ann")


def test_a_kind_that_a_follow_names_is_kept(tools):
    found, _ = drain(walk.follow(act("follow", "P40", value="human"), SET, tools, 10))
    assert list(found.members) == [CHILDREN[0]]
    assert Statement(ANN, CHILD, CHILDREN[0]) in found.members[CHILDREN[0]]


def many(of):
    """A set of things, each led to by a statement of its own."""
    things = [Entity(f"{WD}Q{n}", f"thing {n}") for n in range(5000, 5000 + of)]
    return NodeSet({thing: (Statement(ANN, CHILD, thing),) for thing in things})


def test_what_of_a_set_is_shown_and_read_is_nearest_to_the_question(tools):
    ordered = walk.nearest_first("Is thing 5033 a child of Ann?", many(40), tools)
    assert next(iter(ordered.members)).name == "thing 5033"
    assert set(ordered.members) == set(many(40).members)
    small = walk.nearest_first("Is thing 5003 a child of Ann?", many(5), tools)
    assert list(small.members) == list(many(5).members)


def test_a_set_that_is_shown_in_part_says_how_large_it_is():
    members = list(many(40).members)
    shown = SetView(name="S2", mention="things", members=members[:MEMBERS], size=40)
    text = prompt.rendered(Notebook(question="?", sets=[shown], actions_left=1))
    assert "thing 5019" in text
    assert "thing 5020" not in text
    assert "size: 40" in text
    assert "more" not in text


def test_members_that_are_not_read_are_told_of(tools):
    found, seen = drain(walk.follow(act("follow", "P40"), many(40), tools, 10))
    assert found.doubtful
    assert [e.text for e in seen if e.kind == "noted"] == [
        "Of 40 members of S1 the first 10 are read."
    ]


def test_what_states_no_kind_may_be_of_it(tools):
    """Of two children nothing says what they are: they stay, and are told apart."""
    tools = tools.beside(tools.llm)  # each is told of once in a run
    family = NodeSet(dict.fromkeys(CHILDREN[:3], ()))
    kept, seen = drain(walk.keep(act("keep", "P31", value="human"), family, tools, 10))
    assert list(kept.members) == CHILDREN[:3]
    assert kept.unstated == tuple(CHILDREN[1:3])
    assert kept.doubtful
    (note,) = [e for e in seen if isinstance(e, events.Noted)]
    names = ", ".join(child.name for child in CHILDREN[1:3])
    assert note.text == f"No kind is stated of {names}: kept, though perhaps not meant."
    most = NodeSet(dict.fromkeys([CHILDREN[0], ANN, CHILDREN[1]], ()))
    kinds = [Statement(ANN, KIND, PERSON)]
    graph = EmbeddedGraph.build("kinds", [PERSON, ANN, *CHILDREN], [KIND], [FACTS[0], *kinds])
    told = Toolkit(graph, ScriptedLLM())
    kept, seen = drain(walk.keep(act("keep", "P31", value="human"), most, told, 10))
    assert set(kept.members) == {CHILDREN[0], ANN}  # where kinds are stated, what has none is none
    assert kept.unstated == (CHILDREN[1],)
    assert "left out" in next(e.text for e in seen if isinstance(e, events.Noted))
    others = walk.keep(act("keep", "P2048", test="more than", value="1.8"), SET, tools, 10)
    assert not drain(others)[0].doubtful  # Cal has no height: that is said of heights elsewhere


@pytest.mark.parametrize(
    ("kind", "these", "kept"),
    [
        ("human", CHILDREN[:3], CHILDREN[:3]),  # of one it is stated, of two nothing is
        ("human", CHILDREN[1:3], []),  # of none: then nothing says that it is this kind at all
        ("town", CHILDREN[:3], []),
        ("human", [*CHILDREN[:3], PERSON], [CHILDREN[0]]),  # another is of another kind
    ],
)
def test_the_reader_keeps_what_states_no_kind_beside_what_is_of_it(tools, kind, these, kept):
    sorts = Statement(PERSON, KIND, Entity("urn:kind", "kind"))
    graph = EmbeddedGraph.build("kinds", [PERSON, *CHILDREN], [KIND], [FACTS[0], sorts])
    reads = Toolkit(graph, ScriptedLLM())
    reads.reads_all = True
    family = NodeSet(dict.fromkeys(these, ()))
    found, _ = drain(walk.keep(act("keep", "P31", value=kind), family, reads, 10))
    assert list(found.members) == kept
    assert found.doubtful == (len(kept) > 1)


def test_group_gives_what_several_members_share(tools):
    found, seen = drain(walk.group(act("group", "P69"), SET, tools, 10))
    assert list(found.members) == [YALE]
    assert found.shared_by == (2,)
    assert {s.subject for s in found.members[YALE]} == {ANN, BOB}
    assert any(isinstance(e, events.Computed) for e in seen)


def test_group_by_more_members_than_any_value_has_shows_the_values(tools):
    found, _ = drain(walk.group(act("group", "P69", value="3"), SET, tools, 10))
    assert found.members == {}
    assert set(found.looked_at) == {YALE, PRAGUE}


@pytest.mark.parametrize(("order", "school"), [("most", YALE), ("fewest", PRAGUE)])
def test_group_takes_the_values_that_the_most_members_share(tools, order, school):
    found, _ = drain(walk.group(act("group", "P69", order=order), SET, tools, 10))
    assert list(found.members) == [school]


@pytest.mark.parametrize(
    ("value", "who"), [("01-02", ANN), ("12-01", BOB), ("1948", BOB), ("1902-01-01", ANN)]
)
def test_rank_by_the_nearest_date_or_day_of_the_year(tools, value, who):
    nearest = act("rank", "P569", order="nearest", value=value)
    found, _ = drain(walk.rank(nearest, SET, tools, 10))
    assert list(found.members) == [who]


@pytest.mark.parametrize("value", ["02-30", "soon", ""])
def test_nearest_to_what_is_no_day_says_so(tools, value):
    with pytest.raises(ActionError, match=r"day of the year|neither a number nor a date"):
        drain(walk.rank(act("rank", "P569", order="nearest", value=value), SET, tools, 10))


def test_the_same_relation_of_two_sets_is_compared_in_one_action(tools):
    compare = act("compute", "P2048", operation="more", with_set="S2")
    ann, bob = NodeSet({ANN: ()}), NodeSet({BOB: ()})
    found, _ = drain(walk.compute_sets(compare, ann, bob, tools, 10))
    assert [v.value for v in found.members] == ["false"]
    assert set(found.because) == {tall(ANN, "1.7"), tall(BOB, "1.9")}


def test_an_uncounted_set_is_compared_with_a_number_by_its_size(tools):
    children, _ = drain(walk.follow(act("follow", "P40"), NodeSet({ANN: ()}), tools, 10))
    for operation, value, truth in [
        ("more", "2", "true"), ("equal", "3", "true"), ("fewer", "3", "false")
    ]:  # fmt: skip
        compare = act("compute", "", operation=operation, value=value)
        found, _ = drain(walk.compute_sets(compare, children, None, tools, 10))
        assert [v.value for v in found.members] == [truth]
        assert len(found.because) == 3


def test_two_sets_of_things_are_compared_by_their_sizes_but_never_called_equal(tools):
    ann, bob = (
        drain(walk.follow(act("follow", "P40"), NodeSet({who: ()}), tools, 10))[0]
        for who in (ANN, BOB)
    )
    found, _ = drain(walk.compute_sets(act("compute", "", operation="more"), ann, bob, tools, 10))
    assert [v.value for v in found.members] == ["true"]
    with pytest.raises(ActionError, match="neither a number nor a date"):
        drain(walk.compute_sets(act("compute", "", operation="equal"), ann, bob, tools, 10))


@pytest.mark.parametrize("amount", [Literal("1950-02-03", DATE), Literal("2", unit=BOB)])
@pytest.mark.parametrize("operation", ["more", "fewer", "earlier", "equal"])
def test_how_many_things_there_are_is_no_date_and_no_height(tools, amount, operation):
    children, _ = drain(walk.follow(act("follow", "P40"), NodeSet({ANN: ()}), tools, 10))
    other = NodeSet({amount: ()})
    assert children.size
    for one, two in ((children, other), (other, children)):
        with pytest.raises(ActionError, match="cannot be compared with how many"):
            drain(walk.compute_sets(act("compute", "", operation=operation), one, two, tools, 10))


def test_several_sets_are_worked_on_as_one(tools):
    both = walk.named("S1 | S2", {"S1": NodeSet({ANN: ()}), "S2": NodeSet({BOB: ()})})
    assert both is not None
    found, _ = drain(walk.rank(act("rank", "P2048"), both, tools, 10))
    assert list(found.members) == [BOB]
    assert walk.named("S7", {}) is None


def test_an_anchor_that_is_the_answer_has_facts_to_cite(tools):
    llm = ScriptedLLM(
        skills.EXTRACT.reply(mentions=["Ann"]),
        NEXT_ACTION.reply(thought="It is Ann.", tool="answer", of="S1"),
        skills.ANSWER.reply(sentences=[{"text": "Ann.", "facts": [0]}], values=["Ann"]),
    )
    kit = Toolkit(tools._kg, llm)
    answer, _ = drain(react.solve("Who had children?", kit, react.Params()))
    assert answer.values == (ANN,)
    assert answer.citations
    assert all(ANN in (s.subject, s.object) for s in answer.citations)


def test_a_keep_that_leaves_few_of_a_kind_shows_the_kinds_there_are():
    firms = [Entity(WD + f"Q{n}", f"firm {n}") for n in range(41, 61)]
    company, enterprise = Entity(WD + "Q61", "company"), Entity(WD + "Q62", "enterprise")
    facts = [Statement(f, KIND, enterprise if n else company) for n, f in enumerate(firms)]
    kg = EmbeddedGraph.build("firms", [*firms, company, enterprise], [KIND], facts)
    kit = Toolkit(kg, ScriptedLLM())
    found, _ = drain(
        walk.keep(act("keep", "P31", value="company"), NodeSet(dict.fromkeys(firms, ())), kit, 50)
    )
    assert list(found.members) == [firms[0]]
    assert found.looked_at == (enterprise, company)
    many, _ = drain(
        walk.keep(
            act("keep", "P31", value="enterprise"), NodeSet(dict.fromkeys(firms, ())), kit, 50
        )
    )
    assert many.looked_at == ()


def test_all_but_one_by_its_name(tools):
    action = act("compute", "", operation="minus", value="bob")
    found, _ = drain(walk.compute_sets(action, SET, None, tools, 10))
    assert list(found.members) == [ANN, CAL]
    with pytest.raises(ActionError, match="No member of S1 is called “Zed”"):
        drain(
            walk.compute_sets(
                act("compute", "", operation="minus", value="Zed"), SET, None, tools, 9
            )
        )


# -- rates, and details of statements ---------------------------------------------------------

UPLAND, LOWLAND, CAPITAL = (Entity(WD + f"Q{n}", f"{n}land") for n in (31, 32, 33))
PEOPLE, AREA = Relation(WD + "P1082", "population"), Relation(WD + "P2046", "area")
HEAD, NUMBER = Relation(WD + "P35", "head of state"), Relation(WD + "P1545", "series ordinal")
FROM, POINT = Relation(WD + "P580", "start time"), Relation(WD + "P585", "point in time")
SQUARE = Entity(WD + "Q712226", "square kilometre")


def people(where, many, when):
    return Statement(
        where, PEOPLE, Literal(many, DECIMAL), (Qualifier(POINT, Literal(when, YEAR)),)
    )


def size(where, large):
    return Statement(where, AREA, Literal(large, DECIMAL, SQUARE))


def headed(who, when, number):
    details = Qualifier(FROM, Literal(when, YEAR)), Qualifier(NUMBER, Literal(number))
    return Statement(UPLAND, HEAD, who, details)


LANDS = [
    people(UPLAND, "1000", "1990"),
    people(UPLAND, "4000", "2020"),
    size(UPLAND, "10"),
    people(LOWLAND, "9000", "2020"),
    size(LOWLAND, "100"),
    people(CAPITAL, "99999", "2020"),
    headed(ANN, "1980", "7"),
    headed(BOB, "1984", "8"),
    headed(CAL, "1992", "9"),
    headed(ANN, "1999", "10"),
]
ALL_LANDS = NodeSet({UPLAND: (), LOWLAND: (), CAPITAL: ()})


@pytest.fixture(scope="module")
def lands():
    everything = [UPLAND, LOWLAND, CAPITAL, ANN, BOB, CAL, SQUARE]
    relations = [PEOPLE, AREA, HEAD, NUMBER, FROM, POINT]
    return Toolkit(EmbeddedGraph.build("lands", everything, relations, LANDS), ScriptedLLM())


def numbers(found):
    return [verbalise.value(value) for value in found.members]


def test_a_density_is_a_quotient_of_two_relations_and_cites_both(lands):
    density = act("compute", "P1082", per="P2046", operation="quotient")
    found, seen = drain(walk.compute_sets(density, NodeSet({UPLAND: ()}), None, lands, 10))
    assert numbers(found) == ["400 per km²"]
    assert set(found.because) == {people(UPLAND, "4000", "2020"), size(UPLAND, "10")}
    assert any(
        isinstance(e, events.Computed) and e.operation == "population per area" for e in seen
    )
    assert walk.title(density, lands) == "Compute population per area of S1"
    now, then = (
        Action(tool="follow", of="S1", relation="population", at=at) for at in ("now", "1990")
    )
    assert walk.title(now, lands).endswith("from S1 (today)")
    assert walk.title(then, lands).endswith("from S1 (at 1990)")


def test_rates_of_two_sets_are_compared_and_all_four_facts_cited(lands):
    denser = act("compute", "P1082", per="P2046", operation="more", with_set="S2")
    up, low = NodeSet({UPLAND: ()}), NodeSet({LOWLAND: ()})
    found, _ = drain(walk.compute_sets(denser, up, low, lands, 10))
    assert [v.value for v in found.members] == ["true"]
    assert len(found.because) == 4


@pytest.mark.parametrize(("at", "said"), [("", "400 per km²"), ("1990", "100 per km²")])
def test_a_rate_is_of_today_or_of_the_time_that_is_named(lands, at, said):
    density = act("compute", "P1082", per="P2046", operation="quotient", at=at)
    found, _ = drain(walk.compute_sets(density, NodeSet({UPLAND: ()}), None, lands, 10))
    assert numbers(found) == [said]


def test_members_are_ranked_by_a_rate_and_one_without_is_said_by_doubt(lands):
    densest = act("rank", "P1082", per="P2046")
    found, _ = drain(walk.rank(densest, ALL_LANDS, lands, 10))
    assert list(found.members) == [UPLAND]
    assert found.doubtful  # nothing says how large the third is
    assert {s.subject for s in found.because} == {UPLAND, LOWLAND}


def test_what_has_no_second_number_is_no_rate(lands):
    density = act("compute", "P1082", per="P2046", operation="quotient")
    with pytest.raises(ActionError, match="Nothing there has both “population” and “area”"):
        drain(walk.compute_sets(density, NodeSet({CAPITAL: ()}), None, lands, 10))
    with pytest.raises(ActionError, match="No “population” of S1 has a number per “area”"):
        drain(walk.rank(act("rank", "P1082", per="P2046"), NodeSet({CAPITAL: ()}), lands, 10))


@pytest.mark.parametrize(("value", "truth"), [("50", "true"), ("200", "false")])
def test_a_bare_number_stands_in_the_unit_it_is_held_against(lands, value, truth):
    larger = act("compute", "P2046", operation="more", value=value)
    found, _ = drain(walk.compute_sets(larger, NodeSet({LOWLAND: ()}), None, lands, 10))
    assert [v.value for v in found.members] == [truth]


def heads(lands):
    return drain(walk.follow(act("follow", "P35"), NodeSet({UPLAND: ()}), lands, 10))[0]


@pytest.mark.parametrize(
    ("more", "who"),
    [
        ({"order": "lowest"}, ANN),  # she was the first and the last
        ({"order": "lowest", "position": 2}, BOB),
        ({"order": "highest"}, ANN),
        ({"order": "highest", "position": 2}, CAL),
        ({"order": "nearest", "value": "1985"}, BOB),
        ({"order": "highest", "qualifier": "start time", "position": 2}, CAL),
        ({"order": "lowest", "qualifier": "Start Time", "position": 3}, CAL),
        ({"order": "highest", "qualifier": "series ordinal"}, ANN),  # 10 comes after 9
    ],
)
def test_members_are_ranked_by_when_and_how_they_were_led_to(lands, more, who):
    found, _ = drain(walk.rank(act("rank", "", **more), heads(lands), lands, 10))
    assert list(found.members) == [who]


def test_a_rank_beyond_the_last_says_how_many_there_are(lands):
    with pytest.raises(ActionError, match="carry only 3 times to order them by"):
        drain(walk.rank(act("rank", "", position=4), heads(lands), lands, 10))
    with pytest.raises(ActionError, match="carry no “weight” to order them by"):
        drain(walk.rank(act("rank", "", qualifier="weight"), heads(lands), lands, 10))


@pytest.mark.parametrize(("order", "many"), [("highest", "4,000"), ("lowest", "1,000")])
@pytest.mark.parametrize("relation", ["", "point in time", "P585"])
def test_dated_numbers_are_ranked_by_their_dates(lands, order, many, relation):
    counts, _ = drain(walk.follow(act("follow", "P1082"), NodeSet({UPLAND: ()}), lands, 10))
    found, _ = drain(walk.rank(act("rank", relation, order=order), counts, lands, 10))
    assert numbers(found) == [many]


@pytest.mark.parametrize(
    ("test", "value", "who"),
    [("before", "1985", [ANN, BOB]), ("after", "1990", [ANN, CAL]), ("during", "1984", [BOB])],
)
def test_members_are_kept_by_a_detail_of_what_led_to_them(lands, test, value, who):
    kept = act("keep", "P35", test=test, value=value, qualifier="start time")
    found, _ = drain(walk.keep(kept, heads(lands), lands, 10))
    assert sorted(found.members, key=lambda e: e.name) == who


# -- how long ---------------------------------------------------------------------------------

DIED = Relation(WD + "P570", "date of death")
SPENT, EARNED = Relation(WD + "P2403", "cost"), Relation(WD + "P2139", "revenue")
UNTIL = Relation(WD + "P582", "end time")


def life(who, born, died=""):
    kind = {4: YEAR, 10: DATE}
    told = [(BORN, born), (DIED, died)]
    return [Statement(who, r, Literal(day, kind[len(day)])) for r, day in told if day]


def lived(*facts):
    relations = [BORN, DIED, SPENT, EARNED, HEAD, FROM, UNTIL]
    kg = EmbeddedGraph.build("lives", [ANN, BOB, CAL, UPLAND], relations, facts)
    return Toolkit(kg, ScriptedLLM())


LIVES = [*life(ANN, "1800-05-01", "1850-04-30"), *life(BOB, "1900-01-01", "1990-01-01")]
BOTH = NodeSet({ANN: (), BOB: ()})


def test_members_are_ranked_by_one_relation_less_another_and_all_of_it_is_cited():
    longest = act("rank", "P570", less="P569")
    found, seen = drain(walk.rank(longest, BOTH, lived(*LIVES), 10))
    assert list(found.members) == [BOB]
    assert set(found.because) == set(LIVES)
    assert not found.doubtful
    (reckoned,) = [e for e in seen if isinstance(e, events.Computed)]
    assert reckoned.operation == "highest date of death less date of birth"
    title = "Take the one with the highest date of death less date of birth of S1"
    assert walk.title(longest, lived(*LIVES)) == title


@pytest.mark.parametrize(
    ("born", "died", "doubtful"),
    [
        ("1900", "1990", False),  # by forty years, whatever the days
        ("1900", "1950", True),  # by days, if at all
        ("1900-01-01", "", True),  # who lives may live longer
    ],
)
def test_which_of_two_spans_is_longer_is_doubtful_where_days_are_not_known(born, died, doubtful):
    kit = lived(*life(ANN, "1800-05-01", "1850-04-30"), *life(BOB, born, died))
    found, _ = drain(walk.rank(act("rank", "P570", less="P569"), BOTH, kit, 10))
    assert found.doubtful == doubtful


def test_what_is_taken_off_may_be_more():
    def money(who, revenue, cost):
        values = Literal(revenue, DECIMAL), Literal(cost, DECIMAL)
        return [Statement(who, EARNED, values[0]), Statement(who, SPENT, values[1])]

    kit = lived(*money(ANN, "10", "90"), *money(BOB, "30", "20"))
    profit = act("rank", "P2139", less="P2403")
    assert list(drain(walk.rank(profit, BOTH, kit, 10))[0].members) == [BOB]
    alone = act("compute", "P2139", less="P2403", operation="difference")
    assert numbers(drain(walk.compute_sets(alone, NodeSet({ANN: ()}), None, kit, 10))[0]) == ["-80"]


@pytest.mark.parametrize(("operation", "said"), [("difference", "18,261"), ("years_between", "49")])
def test_how_long_one_lived_in_days_or_years(operation, said):
    long = act("compute", "P570", less="P569", operation=operation)
    found, _ = drain(walk.compute_sets(long, NodeSet({ANN: ()}), None, lived(*LIVES), 10))
    assert numbers(found) == [said]
    assert set(found.because) == set(LIVES[:2])


def test_whether_one_lived_longer_than_another():
    longer = act("compute", "P570", less="P569", operation="more", with_set="S2")
    found, _ = drain(
        walk.compute_sets(longer, NodeSet({ANN: ()}), NodeSet({BOB: ()}), lived(*LIVES), 10)
    )
    assert [v.value for v in found.members] == ["false"]
    assert set(found.because) == set(LIVES)


def computed(value, *facts):
    return NodeSet({Literal(value, DECIMAL): facts})


WINS = {
    "S1": NodeSet({ANN: ()}),
    "S2": NodeSet({BOB: ()}),
    "S3": computed("49", *LIVES[:2]),
    "S4": computed("90", *LIVES[2:]),
}


@pytest.mark.parametrize(
    ("more", "who"),
    [({}, BOB), ({"order": "lowest"}, ANN), ({"position": 2}, ANN),
     ({"order": "nearest", "value": "50"}, ANN)],
)  # fmt: skip
def test_the_owner_of_a_computed_number_is_picked_and_all_are_cited(more, who):
    action = Action(tool="rank", of="S1|S2", with_set="S3|S4", **more)
    found, seen = drain(walk.rank_by(action, WINS))
    assert list(found.members) == [who]
    assert set(found.because) == set(LIVES)
    (reckoned,) = [e for e in seen if isinstance(e, events.Computed)]
    assert reckoned.arguments == ("49", "90")
    title = walk.title(Action(tool="rank", of="S1|S2", with_set="S3|S4"), lived(), WINS)
    assert title == "Take the one of Ann, Bob with the highest of 49, 90"


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"of": "S1|S2", "with_set": "S3"}, "one number for each of several sets: S1|S2 by S3"),
        ({"of": "S1|S2", "with_set": "S3|S9"}, "no set “S9” to rank"),
        ({"of": "S3|S4", "with_set": "S1|S2"}, "S1 is not one number or date"),
        ({"of": "S1|S2", "with_set": "S3|S3", "position": 2}, "only 1 different numbers"),
    ],
)
def test_what_does_not_go_together_is_not_ranked(fields, problem):
    with pytest.raises(ActionError, match=re.escape(problem)):
        drain(walk.rank_by(Action(tool="rank", **fields), WINS))


def test_a_date_less_a_number_is_nothing():
    kit = lived(*LIVES, Statement(ANN, SPENT, Literal("7", DECIMAL)))
    less = act("compute", "P570", less="P2403", operation="difference")
    with pytest.raises(ActionError, match="both “date of death” and “cost” as numbers or dates"):
        drain(walk.compute_sets(less, NodeSet({ANN: ()}), None, kit, 10))


def test_members_are_ranked_by_how_long_what_led_to_them_held():
    def head(who, *years):
        times = [Literal(year, YEAR) for year in years]
        details = zip((FROM, UNTIL), times, strict=False)
        return Statement(UPLAND, HEAD, who, tuple(Qualifier(r, t) for r, t in details))

    kit = lived(head(ANN, "1980", "1984"), head(BOB, "1984", "1999"), head(CAL, "1999"))
    found, _ = drain(walk.follow(act("follow", "P35"), NodeSet({UPLAND: ()}), kit, 10))
    longest, _ = drain(walk.rank(act("rank", "", qualifier="duration"), found, kit, 10))
    assert list(longest.members) == [BOB]
    assert longest.doubtful  # nobody says how long Cal stays


def test_a_keep_by_a_detail_that_is_not_there_says_so(lands):
    counts, _ = drain(walk.follow(act("follow", "P2046"), NodeSet({UPLAND: ()}), lands, 10))
    with pytest.raises(ActionError, match="carry no time"):
        drain(walk.keep(act("keep", "", test="before", value="1990"), counts, lands, 10))


@pytest.mark.parametrize(
    ("at", "who"),
    [
        ("from 1984", [BOB]),
        ("before 1984", [ANN]),
        ("after 1984", [CAL, ANN]),
    ],
)
def test_what_began_in_before_or_after_a_time_is_followed(lands, at, who):
    found, _ = drain(walk.follow(act("follow", "P35", at=at), NodeSet({UPLAND: ()}), lands, 10))
    assert list(found.members) == who


def test_a_time_of_which_there_is_nothing_shows_the_times_there_are(lands):
    then = act("follow", "P1082", at="1950")
    found, _ = drain(walk.follow(then, NodeSet({UPLAND: ()}), lands, 10))
    assert [v.value for v in found.looked_at] == ["1990", "2020"]


# -- whole runs, with what a model would reply ----------------------------------------------


def walked(tools, mentions, *moves):
    """The answer of a run whose model links these names and takes these actions; what it saw."""
    replies = [NEXT_ACTION.reply(thought="", **move) for move in moves]
    llm = ScriptedLLM(skills.EXTRACT.reply(mentions=mentions), *replies)
    kit = Toolkit(tools._kg, llm)
    answer, seen = drain(react.solve("Which of them is it?", kit, react.Params(glimpse=0)))
    assert not llm.left
    return answer, list(llm.inputs[1:]), seen


def done(name, say="It is {%s}."):
    return {"tool": "answer", "of": name, "say": say % name}


EVERYBODY, ALL = ["Ann", "Bob", "Cal"], "S1 | S2 | S3"


@pytest.mark.parametrize(
    ("action", "value", "cited"),
    [
        ({"tool": "rank", "relation": "P40", "order": "most"}, "Ann", {ANN, BOB}),
        ({"tool": "rank", "relation": "P2048", "order": "lowest"}, "Ann", {ANN, BOB}),
        (
            {"tool": "rank", "relation": "P569", "order": "nearest", "value": "12-25"},
            "Ann",
            {ANN, BOB},
        ),
        ({"tool": "group", "relation": "P69", "value": "2"}, "Yale", {ANN, BOB}),
        ({"tool": "group", "relation": "P69", "order": "most"}, "Yale", {ANN, BOB}),
    ],
)
def test_an_operation_on_several_anchors_gives_the_answer_and_its_facts(
    tools, action, value, cited
):
    answer, _, _ = walked(tools, EVERYBODY, {**action, "of": ALL}, done("S4"))
    assert [v.name for v in answer.values] == [value]
    assert {s.subject for s in answer.citations} == cited


def test_how_many_share_something_is_grouped_and_then_counted(tools):
    answer, given, _ = walked(
        tools,
        EVERYBODY,
        {"tool": "group", "of": ALL, "relation": "P69", "value": "1"},
        {"tool": "compute", "of": "S4", "operation": "count"},
        done("S5"),
    )
    assert [v.value for v in answer.values] == ["2"]
    assert given[1].sets[3].shared_by == [2, 1]
    assert "shared_by: 2, 1" in prompt.rendered(given[1])


def test_one_relation_of_two_sets_is_compared_in_one_action_and_both_sides_are_cited(tools):
    answer, _, _ = walked(
        tools,
        ["Ann", "Bob"],
        {"tool": "compute", "of": "S2", "with_set": "S1", "relation": "P2048", "operation": "more"},
        done("S3"),
    )
    assert answer.text.startswith("Yes")
    assert set(answer.citations) == {tall(ANN, "1.7"), tall(BOB, "1.9")}


def test_an_uncounted_set_is_held_against_a_number(tools):
    answer, _, _ = walked(
        tools,
        ["Ann"],
        {"tool": "follow", "of": "S1", "relation": "P40"},
        {"tool": "compute", "of": "S2", "operation": "more", "value": "2"},
        done("S3"),
    )
    assert answer.text.startswith("Yes")
    assert len(answer.citations) == 3


def test_after_an_empty_keep_the_model_sees_what_was_looked_at(tools):
    _, given, _ = walked(
        tools,
        ["Ann"],
        {"tool": "keep", "of": "S1", "relation": "P69", "test": "is", "value": "Harvard"},
        {"tool": "give up", "reason": "She was at Yale."},
    )
    assert "looked_at: Yale" in prompt.rendered(given[1])


def test_tools_and_tests_have_their_meaning_in_the_prompt():
    given = NEXT_ACTION.given(question="?", sets=[], actions_left=1)
    system = prompt.messages(NEXT_ACTION, given)[0]["content"]
    assert set(walk.TOOLS) == set(get_args(walk.Tool))
    assert set(walk.TESTS) == set(get_args(walk.Test))
    hidden = ("reckon", "more")  # nothing is left to explain, or to list
    told = {name: meaning for name, meaning in walk.TOOLS.items() if name not in hidden}
    for table in (told, walk.TESTS):
        assert all(name in system and f": {meaning}" in system for name, meaning in table.items())


def test_what_nothing_in_a_question_asks_for_is_explained_once_it_is_asked_for():
    plain, lands = "Who directed Vertigo?", "Which land is larger, Ann or Bob?"
    one = [SetView(name="S1", members=[ANN])]
    two = [SetView(name=f"S{n}", mention=e.name, members=[e]) for n, e in enumerate((ANN, BOB), 1)]
    of_one = SetView(name="S2", mention="Lee", members=[CAL])

    def told(question, sets, *, reckons=False):
        given = NEXT_ACTION.given(question=question, sets=sets, actions_left=9, reckons=reckons)
        schema = prompt.reply_schema(NEXT_ACTION.reply, given)
        forms = schema["properties"]["action"]["anyOf"]
        named = {form["properties"]["tool"]["enum"][0] for form in forms}
        system = prompt.messages(NEXT_ACTION, given)[0]["content"]
        explained = {name for name in named if f"- {name} (" in system or f"- {name}:" in system}
        assert named == explained | {"follow only"}
        whole = set(walk.TOOLS) - {"reckon", "more"}  # what each is for is told, whatever is asked
        assert all(name in system and walk.TOOLS[name] in system for name in whole)
        later = schema["properties"]["then"]["items"]["anyOf"]
        assert {form["properties"]["tool"]["enum"][0] for form in later} == named
        return named & {"rank", "group", "compute", "reckon"}, "years_later" in system

    assert told(plain, one) == ({"reckon"}, False)
    assert told("How high is Mount Everest?", one) == ({"reckon"}, False)
    assert told("What is the highest of them?", one) == ({"rank", "group", "reckon"}, False)
    assert told(plain, two) == ({"compute", "reckon"}, False)  # nothing is said of times
    assert told("Who directed it the year before?", two) == ({"compute", "reckon"}, True)
    ann_lee = one[0].model_copy(update={"mention": "Ann Lee"})
    assert told(plain, [ann_lee, of_one]) == ({"reckon"}, False)  # a part of one name is no other
    assert told(plain, one, reckons=True) == ({"rank", "group", "compute"}, True)
    assert told(lands, one) == ({"rank", "group", "compute", "reckon"}, False)
    assert told("Seit wann?", one) == ({"rank", "group", "compute"}, True)  # in no known words


def test_a_model_can_ask_how_sets_are_reckoned_with(lands):
    llm = ScriptedLLM(
        skills.EXTRACT.reply(mentions=["31land"]),
        NEXT_ACTION.reply(thought="", tool="reckon"),
        NEXT_ACTION.reply(thought="", tool="give up", reason="enough"),
    )
    kit = Toolkit(lands._kg, llm)
    drain(react.solve("What is its capital?", kit, react.Params()))
    first, second = (prompt.messages(NEXT_ACTION, given)[0]["content"] for given in llm.inputs[1:])
    assert "- compute (" not in first
    assert "- compute (" in second


def test_sets_that_nothing_has_come_of_share_the_room():
    """A second name of the question takes none of the relations of the first from sight."""
    uses = [RelationUse(Relation(f"{WD}P{n}", f"r{n}"), "out", 1) for n in range(40)]
    one, two = (SetView(name=name, members=[ANN], relations=uses) for name in ("S1", "S2"))
    of_one = SetView(name="S3", by=act("follow", "P40"), members=[BOB], relations=uses)
    assert [view.shown for view in react._printed([one])] == [8]
    two = two.model_copy(update={"members": [BOB]})
    of_one = of_one.model_copy(update={"members": [CAL]})
    assert [view.shown for view in react._printed([one, two])] == [8, 8]
    assert [view.shown for view in react._printed([one, two, of_one])] == [0, 8, 8]
    more = two.model_copy(update={"shown": 64})
    assert [view.shown for view in react._printed([one, more])] == [8, 64]


def test_what_two_sets_have_is_shown_once():
    """What passes a test as a whole is the set before it, and what leads back is where it began."""
    uses = [RelationUse(Relation(f"{WD}P{n}", f"r{n}"), "out", 1, (f"e{n}",)) for n in range(4)]
    people = [Entity(f"{WD}Q{n}", f"Person {n}") for n in range(3)]
    one = SetView(name="S1", members=[ANN], size=1, relations=uses[:2])
    two = SetView(name="S2", by=act("follow", "P40"), members=people, size=3, relations=uses)
    by = act("keep", "P31", value="poet").model_copy(update={"of": "S2"})
    all_of_two = SetView(name="S3", by=by, members=people, size=3, out_of=3, relations=uses)
    back = SetView(name="S4", by=act("follow", "P22"), members=[ANN], size=1, relations=uses[:2])
    given = NEXT_ACTION.given(
        question="?", sets=react._printed([one, two, all_of_two, back]), actions_left=9
    )
    text = prompt.rendered(given)
    assert text.count("Person 0") == 1
    assert "members: those of S2; relations: those of S2" in text
    assert "members: Ann; relations: those of S1" in text
    assert text.count("r0 → e0") == 1  # of what is new, where it stands first
    assert [len(view.relations) for view in given.sets] == [2, 4, 4, 2]  # a reply may name any
    fewer = all_of_two.model_copy(update={"members": people[:2], "size": 2})
    text = prompt.rendered(Notebook(question="?", sets=[fewer], actions_left=9))
    assert "size: 2 of 3 passed" in text


@pytest.mark.parametrize(("kept", "told"), [(True, "kept"), (False, "left out")])
def test_a_prompt_says_what_has_no_stated_kind_and_what_became_of_it(kept, told):
    members = [ANN, BOB] if kept else [ANN]
    view = SetView(name="S1", members=members, size=len(members), unstated=[BOB])
    text = prompt.rendered(Notebook(question="?", sets=[view], actions_left=9))
    assert f"unstated: no kind is stated of Bob: {told} all the same" in text


def test_of_reckoning_a_prompt_explains_what_a_question_may_need():
    """Arithmetic and dates where its words ask for them, else once a model asks; more relations
    where some are not shown."""
    uses = [RelationUse(Relation(f"{WD}P{n}", f"r{n}"), "out", 1, (f"e{n}",)) for n in range(40)]
    one = SetView(name="S1", members=[ANN], relations=uses[:3])

    def told(question, *, reckons=False, view=one):
        given = NEXT_ACTION.given(question=question, sets=[view], actions_left=9, reckons=reckons)
        return prompt.messages(NEXT_ACTION, given)[0]["content"]

    polar = told("Is Ann a poet?")
    assert "same: whether they share any" in polar
    assert "union, intersection, minus: of two" in polar
    assert "quotient" not in polar
    assert "years_later" not in polar
    assert "- per:" not in polar
    assert "reckon: explains further actions: " in polar
    assert "average, years_between" in polar
    of_a_year = told("In which year was Ann named after Bob, and what did she write before 1990?")
    assert "years_later" not in of_a_year
    assert "what began: from, before or after YYYY" in of_a_year
    assert "what began" not in polar
    assert "quotient" not in told("How many poets does Ann know?")
    assert "quotient" in told("How many more poets does Ann know?")
    assert "quotient" in told("Is Ann twice as tall as Bob?")
    assert "years_later" in told("Was Ann born before Bob?")
    assert "quotient" in told("Is Ann a poet?", reckons=True)
    assert "- more (of)" not in polar
    long = one.model_copy(update={"relations": uses})
    assert "- more (of): list further relations" in told("Is Ann a poet?", view=long)


def test_of_what_was_seen_before_a_line_is_shown():
    """What led to it, a few members, and a few relations by name alone."""
    uses = [RelationUse(Relation(f"{WD}P{n}", f"r{n}"), "out", 1, (f"e{n}",)) for n in range(40)]
    people = [Entity(f"{WD}Q{n}", f"Person {n}") for n in range(30)]
    one = SetView(name="S1", members=[ANN], size=1, relations=uses)
    two = SetView(name="S2", by=act("follow", "P40"), members=people, size=30, relations=uses)
    last = SetView(
        name="S3",
        by=act("keep", "P31", value="poet").model_copy(update={"of": "S2"}),
        members=[BOB],
        size=1,
    )
    last = last.model_copy(update={"relations": uses})
    text = prompt.rendered(
        NEXT_ACTION.given(question="?", sets=react._printed([one, two, last]), actions_left=9)
    )
    assert text.splitlines()[2:5] == [
        f"  S1: members: {ANN.name}; relations: r0; r1; r2 (37 more not shown)",
        "  S2: by: follow S1, P40; members: Person 0; Person 1; Person 2; Person 3; "
        "size: 30 in all; relations: r0; r1; r2 (37 more not shown)",
        "  S3: by: keep S2, P31, is, value poet",
    ]
    assert text.count("→ e") == 8  # those that are named alone show none


def test_every_operation_has_its_meaning_in_the_prompt():
    given = NEXT_ACTION.given(question="?", sets=[], actions_left=1)
    system = prompt.messages(NEXT_ACTION, given)[0]["content"]
    assert set(compute.MEANINGS) == set(compute.OPERATIONS)
    for name, meaning in compute.MEANINGS.items():  # those of one meaning stand together
        assert re.search(rf"\b{name}\b(?:, \w+)*: {re.escape(meaning)}", system)


def test_the_second_relation_of_a_rate_is_one_that_is_listed(lands):
    llm = ScriptedLLM(
        skills.EXTRACT.reply(mentions=["31land"]),
        NEXT_ACTION.reply(
            thought="",
            tool="compute",
            of="S1",
            relation="P1082",
            per="P2046",
            operation="quotient",
            then=[{"tool": "answer", "of": "S2", "say": "It has {S2}."}],
        ),
    )
    kit = Toolkit(lands._kg, llm)
    answer, _ = drain(react.solve("How dense is 31land?", kit, react.Params(glimpse=0)))
    assert answer.text == "400 per km²."
    assert len(answer.citations) == 2


def test_who_lived_longer_is_one_planned_action():
    llm = ScriptedLLM(
        skills.EXTRACT.reply(mentions=["Ann", "Bob"]),
        NEXT_ACTION.reply(
            thought="",
            tool="rank",
            of="S1|S2",
            relation="P570",
            less="P569",
            then=[{"tool": "answer", "of": "S3", "say": "{S3} lived longer."}],
        ),
    )
    kit = Toolkit(lived(*LIVES)._kg, llm)
    question = "Who lived longer, Ann or Bob?"
    answer, _ = drain(react.solve(question, kit, react.Params(glimpse=0)))
    assert answer.text == "Bob lived longer."
    assert len(answer.citations) == 4
    assert answer.certain


def test_a_plan_that_takes_the_number_of_what_failed_means_what_came_instead():
    llm = ScriptedLLM(
        skills.EXTRACT.reply(mentions=["Ann", "Bob"]),
        NEXT_ACTION.reply(thought="", tool="compute", of="S9", operation="count"),
        NEXT_ACTION.reply(
            thought="",
            tool="follow",
            of="S1",
            relation="P570",
            then=[{"tool": "answer", "of": "S3", "say": "Ann died on {S3}."}],
        ),
    )
    kit = Toolkit(lived(*LIVES)._kg, llm)
    answer, seen = drain(react.solve("When did Ann die?", kit, react.Params(glimpse=0)))
    assert any("no set “S9”" in e.text for e in seen if isinstance(e, events.Noted))
    assert answer.text.startswith("Ann died on ")


def test_who_was_older_at_something_is_planned_to_its_owner():
    """For each the years between two dates, which belong to no one relation; then who has more."""
    years = {"tool": "compute", "operation": "years_between"}
    follow = {"tool": "follow", "relation": "date of death"}
    llm = ScriptedLLM(
        skills.EXTRACT.reply(mentions=["Ann", "Bob"]),
        NEXT_ACTION.reply(
            thought="",
            tool="follow",
            of="S1",
            relation="P570",
            then=[
                {**follow, "of": "S2"},
                {**years, "of": "S3", "value": "1900"},
                {**years, "of": "S4", "value": "1900"},
                {"tool": "rank", "of": "S1|S2", "with_set": "S5|S6"},
                {"tool": "answer", "of": "S7", "say": "{S7}, by many years."},
            ],
        ),
    )
    kit = Toolkit(lived(*LIVES)._kg, llm)
    question = "Who died further from 1900, Ann or Bob?"
    answer, _ = drain(react.solve(question, kit, react.Params(glimpse=0)))
    assert answer.text == "Bob, by many years."
    assert len(answer.citations) == 2


def test_nothing_without_an_end_goes_on_after_a_death():
    """Ann took office in 1950 and died in 1960; nothing says when her term ended."""
    office, held = Entity(WD + "Q31", "mayor"), Relation(WD + "P39", "position held")
    died, since = Relation(WD + "P570", "date of death"), Relation(WD + "P580", "start time")
    facts = [
        Statement(ANN, held, office, (Qualifier(since, Literal("1950", YEAR)),)),
        Statement(BOB, held, office, (Qualifier(since, Literal("1961", YEAR)),)),
        Statement(ANN, died, Literal("1960", YEAR)),
    ]
    kg = EmbeddedGraph.build("town", [ANN, BOB, office], [held, died, since], facts)
    tools, mayors = Toolkit(kg, ScriptedLLM()), NodeSet({office: ()})
    for year, who in (("1955", {ANN}), ("1962", {BOB}), ("now", {BOB})):
        asked = act("follow", "P39", direction="in", at=year)
        found, _ = drain(walk.follow(asked, mayors, tools, 10))
        assert set(found.members) == who, year


def test_react_takes_what_a_set_holds_for_the_set(tools):
    to_school = react.Move(thought="", tool="follow", of="Ann", relation=SCHOOL.id)
    then = react.Move(thought="", tool="answer", of="Yale", say="At {S2}.")
    schooled = Toolkit(tools._kg, ScriptedLLM(to_school, then))
    asked = react.walked("Where was Ann at school?", [("Ann", ANN)], schooled, react.Params())
    answer, _ = drain(asked)
    assert answer.values == (YALE,)


def test_a_value_is_no_certain_answer_where_yes_or_no_is_asked(tools):
    """But of two that are named one is."""
    born = react.Move(thought="", tool="follow", of="S1", relation=BORN.id)
    then = react.Move(thought="", tool="answer", of="S2", say="{S2}.")
    for asked, certain in (
        ("Was Ann born on 30 December?", False),
        ("Was Ann born in 1901 or 1902?", True),
    ):
        told = Toolkit(tools._kg, ScriptedLLM(born, then))
        answer, _ = drain(react.walked(asked, [("Ann", ANN)], told, react.Params()))
        assert ([v.value for v in answer.values], answer.certain) == (["1901-12-30"], certain)


@pytest.mark.parametrize(
    ("question", "looks"),
    [
        ("Which lands does Ostland border?", True),
        ("Which lands did Ostland border?", False),
    ],
)
def test_what_has_ended_is_seen_before_it_is_the_answer(question, looks):
    east, north, west = (Entity(WD + f"Q{n}", f"land {n}") for n in (901, 902, 903))
    borders, until = Relation(WD + "P47", "shares border with"), Relation(WD + "P582", "end time")
    over = Statement(east, borders, west, (Qualifier(until, Literal("1991", YEAR)),))
    facts = [Statement(east, borders, north), over]
    kg = EmbeddedGraph.build("lands", [east, north, west], [borders, until], facts)
    told = walk.Later(tool="answer", of="S2", say="{S2}.")
    first = react.Move(thought="", tool="follow", of="S1", relation=borders.id, then=[told])
    now = react.Move(
        thought="", tool="follow only", of="S1", relation=borders.id, at="now",
        then=[told.model_copy(update={"of": "S3"})],
    )  # fmt: skip
    llm = ScriptedLLM(first, *([now] if looks else []))
    asked = react.walked(question, [("Ostland", east)], Toolkit(kg, llm), react.Params())
    answer, _ = drain(asked)
    assert set(answer.values) == ({north} if looks else {north, west})
    seen = llm.inputs[-1].sets[-1]
    assert seen.ended == (1 if looks else 0)


def test_who_was_born_in_a_town_was_born_in_what_that_lies_in():
    born, within = (
        Relation(WD + "P19", "place of birth"),
        Relation(WD + "P131", "located in the administrative territorial entity"),
    )
    town, county, shire, other = (
        Entity(WD + f"Q{n}", name)
        for n, name in enumerate(("Dunford", "Dun County", "Dunshire", "Orvel"), 31)
    )
    chain = [Statement(town, within, county), Statement(county, within, shire)]
    births = [Statement(ANN, born, town), Statement(BOB, born, other), Statement(CAL, born, shire)]
    things = dict.fromkeys((ANN, BOB, CAL, town, county, shire, other))
    kg = EmbeddedGraph.build("births", things, [born, within], [*chain, *births])
    sets = {"S1": NodeSet({ANN: (), BOB: (), CAL: ()})}
    act = Action(thought="", tool="keep", of="S1", relation=born.id, test="is", value=shire.id)
    found, _ = drain(walk.keep(act, sets["S1"], Toolkit(kg, ScriptedLLM()), 20))
    assert found.members == {ANN: (births[0], *chain), CAL: (births[2],)}
