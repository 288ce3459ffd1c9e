"""What a prompt holds of an entity with hundreds of statements, and what is said of the rest."""

import ast

import pytest

from kgqa_core.ask import bounds, events, shown, skills
from kgqa_core.ask.run import Toolkit, drain, run
from kgqa_core.ask.skills import FactAnswer
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
from kgqa_core.methods import answering, one_hop, react
from kgqa_core.methods.walk import Action, Move
from kgqa_core.search.index import Scored
from tests.fakes import ScriptedLLM
from tests.places import ROOT
from tests.small_graph import SIRK

WD = "http://www.wikidata.org/entity/"
OF_WORDS = {"naming", "recall", "query", "interpret", "pseudo"}  # they bound words, not a graph
# they cut a text in a message, or the letters of a word
OF_TEXT = {"learning", "templates", "others", "bolt", "grammar", "mend", "tree", "kb_binder"}
ADA = Entity(WD + "Q1", "Ada Nobody", "writer")
BORN = Relation(WD + "P569", "date of birth", aliases=("born", "birth date"), datatype="time")
CHILD = Relation(WD + "P40", "child", aliases=("daughter", "son"), datatype="item")
FRIEND = Relation(WD + "P530", "diplomatic relation", datatype="item")
CATALOGUES = [
    Relation(WD + f"P{1000 + n}", f"Catalogue {n} ID", datatype="externalid") for n in range(300)
]
IMDB = Relation(WD + "P345", "IMDb ID", datatype="externalid")
PHOTO = Relation(WD + "P18", "image", datatype="commonsmedia")
OTHERS = [Relation(WD + f"P{5000 + n}", f"matter {n}", datatype="item") for n in range(90)]
BIRTH = Statement(ADA, BORN, Literal("1952-03-11", DATE))
CHILDREN = [Statement(ADA, CHILD, Entity(WD + f"Q{n}", f"Child {n}")) for n in (11, 12)]
HUB = [Statement(ADA, FRIEND, Entity(WD + f"Q{n}", f"Land {n}")) for n in range(2000, 3000)]
BULK = [
    *(Statement(ADA, r, Literal(f"n{i}")) for i, r in enumerate(CATALOGUES)),
    Statement(ADA, IMDB, Literal("nm0010930")),
    Statement(ADA, PHOTO, Literal("Ada.jpg")),
    *(Statement(ADA, r, Entity(WD + f"Q{i + 5000}", f"thing {i}")) for i, r in enumerate(OTHERS)),
    *HUB,
]
FACTS = [*BULK, BIRTH, *CHILDREN]
WHEN, WHO = "When was Ada Nobody born?", "Who is a child of Ada Nobody?"


def uses(statements):
    counts: dict[Relation, int] = {}
    for s in statements:
        counts[s.relation] = counts.get(s.relation, 0) + 1
    return [RelationUse(r, "out", n) for r, n in sorted(counts.items(), key=lambda c: -c[1])]


@pytest.fixture(scope="module")
def kg():
    ends = {s.object for s in FACTS if isinstance(s.object, Entity)}
    relations = {s.relation for s in FACTS}
    return EmbeddedGraph.build("bulk", [ADA, *ends], relations, FACTS)


def test_of_few_relations_the_nearest_come_first_where_there_is_room_for_fewer():
    few = [RelationUse(r, "out", 1) for r in (*OTHERS[:7], BORN)]
    assert shown.relevant_uses(WHEN, few, shown.by_words).items == few
    assert shown.relevant_uses(WHEN, few, shown.by_words, most=4).items[0].relation == BORN


def test_of_many_holders_of_an_office_those_of_the_year_in_question_come_first():
    held = Relation(WD + "P39", "position held")
    start, end = Relation(WD + "P580", "start time"), Relation(WD + "P582", "end time")
    terms = [
        Statement(
            Entity(WD + f"Q{n}", f"Person {n}"),
            held,
            ADA,
            (Qualifier(start, Literal(str(n), YEAR)), Qualifier(end, Literal(str(n + 3), YEAR))),
        )
        for n in range(1800, 2000, 4)
    ]
    found = shown.relevant_facts("Who held it in 1971?", terms, shown.by_words, room=0).items
    assert [s.subject.label for s in found[:2]] == ["Person 1968", "Person 1800"]
    assert len(found) == len(terms)


def test_identifiers_and_media_are_left_aside_unless_they_are_asked_for():
    found = shown.relevant_uses(WHEN, uses(FACTS), shown.by_words)
    assert {u.relation for u in found.aside} == {*CATALOGUES, IMDB, PHOTO}
    assert found.items[0].relation == BORN
    asked = shown.relevant_uses("What is the IMDb ID of Ada Nobody?", uses(FACTS), shown.by_words)
    assert asked.items[0].relation == IMDB


def test_where_there_is_nothing_else_what_is_aside_is_shown():
    found = shown.relevant_uses(WHEN, [RelationUse(IMDB, "out", 1)], shown.by_words)
    assert [u.relation for u in found.items] == [IMDB]


def test_any_beginning_of_the_facts_is_a_fair_choice():
    facts = shown.relevant_facts(WHO, FACTS, shown.by_words).items
    assert set(facts) == {*HUB, BIRTH, *CHILDREN, *BULK} - {
        s for s in BULK if s.relation in {*CATALOGUES, IMDB, PHOTO}
    }
    assert facts[:2] == CHILDREN
    read = facts[: shown.fitting(facts)]
    assert {s.relation for s in read} == {BORN, CHILD, FRIEND, *OTHERS}
    assert len(read) < len(facts)


def test_a_value_that_the_question_names_comes_first_of_its_relation():
    question = "Does Ada Nobody have a diplomatic relation with Land 2345?"
    facts = shown.relevant_facts(question, FACTS, shown.by_words).items
    own = [s for s in facts if s.relation == FRIEND]
    assert own[0].object.name == "Land 2345"


def test_of_one_relation_what_shares_words_with_the_question_comes_before_the_rest():
    names = ["Alder House", "Birch House", "Cedar Mill", "Dale Mill by the river"]
    facts = [Statement(ADA, CHILD, Entity(WD + f"Q{n}", name)) for n, name in enumerate(names)]
    found = shown.relevant_facts("Which mill of Ada is by the sea?", facts, shown.by_words, room=0)
    assert [s.object.name for s in found.items][:2] == ["Cedar Mill", "Dale Mill by the river"]


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("Which is the smallest land by area?", "3"),
        ("Which is the largest land by area?", "402"),
        ("Which lands have an area?", "10"),
    ],
)
def test_where_the_most_or_least_is_asked_for_that_end_of_a_long_list_comes_first(question, first):
    area = Relation(WD + "P2046", "area")
    facts = [
        Statement(Entity(f"urn:{n}", f"Isle {chr(97 + n % 26)}"), area, Literal(f"{n}", DECIMAL))
        for n in (*range(10, 403), *range(3, 10))
    ]
    found = shown.relevant_facts(question, facts, shown.by_words).items
    assert found[0].object.value == first


@pytest.mark.parametrize(("of", "year"), [("earliest", "1500"), ("latest", "1899")])
def test_the_same_of_dates(of, year):
    facts = [
        Statement(Entity(f"urn:{n}", "Isle"), BORN, Literal(f"{1500 + n * 7 % 400}", YEAR))
        for n in range(400)
    ]
    found = shown.relevant_facts(f"Whose birth was the {of}?", facts, shown.by_words).items
    assert found[0].object.value == year


@pytest.mark.parametrize(("entities", "each"), [(0, 500), (1, 500), (10, 100), (1_000, 20)])
def test_around_many_entities_less_is_read_of_each(entities, each):
    assert shown.reading(entities) == each


def test_what_is_not_among_the_nearest_is_told(kg):
    class Index:
        def rank(self, texts, items, k):
            return [[Scored(item, 0.5) for item in items[:k]] for _ in texts]

    class Words(Toolkit):
        def _near(self, question, relations):
            return shown.by_words(question, relations)

    tools = Words(kg, ScriptedLLM(), index=Index())
    kept, seen = drain(tools.nearest(WHO, [*HUB[:40], BIRTH, *CHILDREN], 4))
    assert kept[:2] == CHILDREN
    assert len(kept) == 4
    assert seen[-1].text.startswith("Not among the 4 nearest: 39 more of diplomatic relation")


def test_of_many_ends_the_nearest_to_the_question_are_gone_on_from_which_is_told(kg):
    tools = Toolkit(kg, ScriptedLLM())
    lands = [s.object for s in HUB]
    question = "Does Ada Nobody have a diplomatic relation with Land 2345?"
    few, silent = drain(tools.nearest_ends(question, lands[:3], HUB, 3))
    assert (few, silent) == (lands[:3], [])
    near, (told,) = drain(tools.nearest_ends(question, [*lands, ADA, SIRK], HUB, 2))
    assert [e.name for e in near] == ["Land 2345", "Ada Nobody"]
    assert told.text == "Of 1,002 ends the 2 nearest to the question are gone on from."
    every, _ = drain(tools.nearest_ends(question, [SIRK, *lands], HUB, 1_000, "cited"))
    assert SIRK not in every  # no fact leads to it


def test_few_facts_keep_their_order():
    facts = [BIRTH, *CHILDREN]
    assert shown.relevant_facts(WHO, facts, shown.by_words).items == facts


def test_the_prompt_says_what_it_has_no_room_for():
    facts = shown.relevant_facts(WHO, FACTS, shown.by_words).items
    given = skills.FromFacts(question=WHO, facts=facts)
    text = prompt.rendered(given)
    assert "child: [0] Child 11; [1] Child 12" in text
    (cut,) = shown.cuts(given)
    assert "more of diplomatic relation (P530)" in cut
    assert f"(not shown: {cut})" in text
    assert shown.tokens(text) < 1.2 * shown.FACTS


TWIN = Relation(WD + "P190", "twinned administrative body", datatype="item")
TOWNS = [Statement(ADA, TWIN, Entity(WD + f"Q{n}", f"Town {n}")) for n in range(700, 725)]
COUNTED = "How many twinned administrative bodies has Ada Nobody?"


def test_of_what_has_no_room_the_list_that_is_asked_for_is_named():
    question = "To which towns was Ada twinned, as an administrative body?"
    far = [Entity(WD + f"Q{n}", f"Town {n} with a long name beyond the hills") for n in range(60)]
    things = [
        Statement(ADA, r, Entity(WD + f"Q{n}", f"x{n}")) for r in OTHERS[:3] for n in range(99)
    ]
    facts = [*BULK, *things, *(Statement(ADA, TWIN, town) for town in far)]
    read = shown.relevant_facts(question, facts, shown.by_words).items
    text = prompt.rendered(skills.FromFacts(question=question, facts=read))
    left = 60 - text.count("Town ")
    assert f"{left} more of twinned administrative body (P190)" in text
    assert " more of diplomatic relation (P530)" in text


def test_what_is_to_be_counted_is_shown_whole():
    facts = shown.relevant_facts(COUNTED, [*BULK, *TOWNS], shown.by_words).items
    text = prompt.rendered(skills.FromFacts(question=COUNTED, facts=facts))
    assert text.count("Town ") == len(TOWNS)


def test_who_reads_on_sees_the_whole_of_the_list_that_came_first():
    facts = [*TOWNS[:12], *BULK[302:392], *TOWNS[12:], *HUB]
    read = shown.fitting(facts, 300)
    on = answering._read_on(facts, read)
    assert on[:25] == TOWNS
    assert set(on) == {*facts[read:], *TOWNS}
    hub = [*HUB[:500], BIRTH, *HUB[500:]]
    assert answering._read_on(hub, 100) == hub[100:]  # no prompt has room for all of it


def test_no_prompt_is_longer_than_a_model_may_take():
    facts = [Statement(ADA, CHILD, Literal(f"{n} " + "x" * 390)) for n in range(100)]
    given = answering.skills.FromFacts(question=WHO, facts=facts, notes=["y" * 300] * 200)
    assert shown.tokens(prompt.rendered(given)) < 7_000


def test_of_what_points_to_a_thing_the_other_ends_take_the_room():
    long = [Entity(f"urn:{n}", f"{n} " + "long name " * 20) for n in range(100)]
    facts = [Statement(one, CHILD, ADA) for one in long]
    room = shown.fitting(facts)
    assert 15 < room < 22
    assert shown.fitting([Statement(ADA, CHILD, one) for one in long]) == pytest.approx(room, abs=1)


def test_many_relations_are_shown_by_name_and_the_rest_is_counted():
    found = shown.relevant_uses(WHEN, uses(FACTS), shown.by_words).items
    text = prompt.rendered(skills.ToFollow(question=WHEN, entities=[ADA], relations=found, most=3))
    assert "[0] date of birth → " in text
    assert f"[{shown.RELATIONS}] " in text.split("also ")[1]
    left = len(found) - shown.RELATIONS - shown.NAMES
    assert f"({left} more not shown)" in text


def test_relations_of_several_things_are_cut_as_those_of_one():
    found = [RelationUse(r, "out", 1, ("an example",)) for r in (*OTHERS, BORN)]
    whose = [[ADA] for _ in found]
    given = skills.ToFollow(question=WHEN, entities=[ADA], relations=found, whose=whose, most=3)
    text = prompt.rendered(given)
    assert text.count("an example") == shown.RELATIONS
    last = shown.RELATIONS + shown.NAMES - 1
    assert f"[{last}] matter {last}" in text
    assert f"[{last + 1}]" not in text
    assert f"({len(found) - last - 1} more not shown)" in text


def test_what_is_left_aside_is_told_once_in_a_run(kg):
    tools = Toolkit(kg, ScriptedLLM())
    _, first = drain(tools.survey([ADA], about=WHEN))
    _, second = drain(tools.expand([ADA], about=WHEN))
    assert "301 identifiers, 1 picture or sound" in first[0].aside
    assert "left aside: 301 identifiers" in first[0].line
    assert second[0].aside == ""
    assert not {s.relation for s in second[0].statements} & {*CATALOGUES, IMDB, PHOTO}


def test_what_is_noted_of_a_statement_is_in_no_prompt_and_told_once_in_the_trace():
    noted = [
        Qualifier(Relation(f"{WD}P{n + 1}", name), Literal(f"note {n}"))
        for n, name in enumerate(("retrieved", "object named as"))
    ]
    since = Qualifier(Relation(WD + "P580", "start time"), Literal("1851", YEAR))
    kept = Relation(WD + "P99", "keeper")
    keepers = [Entity(f"{WD}Q{n}", f"Keeper {n}") for n in range(31, 34)]
    facts = [Statement(ADA, kept, who, (since, *noted)) for who in keepers]
    named = [kept, since.relation, *(q.relation for q in noted)]
    kg = EmbeddedGraph.build("small", [ADA, *keepers], named, facts)
    question = "Who are the keepers of Ada Nobody?"
    read, (told,) = drain(Toolkit(kg, ScriptedLLM()).expand([ADA], about=question))
    assert "6 notes of upkeep" in told.aside
    text = prompt.rendered(skills.FromFacts(question=question, facts=read))
    assert "start time: 1851" in text
    assert "note" not in text
    asked = prompt.rendered(skills.FromFacts(question="Retrieved when, her keepers?", facts=read))
    assert "retrieved: note 0" in asked
    assert "note 1" not in asked


def test_one_hop_reads_on_before_it_abstains(kg):
    nothing = FactAnswer(sentences=[], values=[], reason="No land is named so.")
    llm = ScriptedLLM(skills.Mentions(mentions=["Ada Nobody"]), nothing, nothing, nothing)
    tools = Toolkit(kg, llm)
    answer, seen = drain(one_hop.solve("Who is Ada Nobody?", tools, one_hop.Params()))
    read = [given.facts for given in llm.inputs[1:]]
    assert len(read) == 3
    assert read[1] == read[0][shown.fitting(read[0]) :]
    assert answer.reason == "No land is named so."
    left = read[2][shown.fitting(read[2]) :]
    assert tools.never_shown == f"No prompt had room for {shown.left_out(left)}."
    notes = [e.text for e in seen if isinstance(e, events.Noted)]
    assert any("No room in the prompt for" in text and "P530" in text for text in notes)


@pytest.mark.parametrize(("who", "more"), [("Ada Nobody", True), ("Land 2000", False)])
def test_what_was_not_read_is_not_called_absent(kg, who, more):
    nothing = FactAnswer(sentences=[], values=[], reason="No.")
    llm = ScriptedLLM(skills.Mentions(mentions=[who]), nothing, nothing, nothing)
    params = one_hop.Params(facts=100)
    *_, last = run(f"Who is {who}?", one_hop.solve, Toolkit(kg, llm), params)
    note = "Not all that is stated of Ada Nobody was read."
    assert last.event.answer.reason.endswith(note) is more


def test_an_abstention_says_what_no_prompt_had_room_for(kg):
    def told(*moves):
        done = Move(thought="", tool="give up", reason="It is not there.")
        llm = ScriptedLLM(skills.Mentions(mentions=["Ada Nobody"]), *moves, done)
        *_, last = run(WHEN, react.solve, Toolkit(kg, llm), react.Params())
        return last.event.answer.reason

    whole = shown.relevant_uses(WHEN, uses(FACTS), shown.by_words).items
    left = len(whole) - sum(shown.printed())
    more = Move(thought="", tool="more", of="S1")
    assert f"It is not there. No prompt had room for {left} relations (" in told()
    assert f"No prompt had room for {left - shown.NAMES} relations (" in told(more)
    assert told(*[more] * (1 + left // shown.NAMES)) == "It is not there."


def test_react_is_shown_the_relation_it_needs_and_can_ask_for_more(kg):
    answer = Move(thought="", tool="give up", reason="enough")
    more = Move(thought="", tool="more", of="S1")
    llm = ScriptedLLM(skills.Mentions(mentions=["Ada Nobody"]), more, answer)
    drain(react.solve(WHEN, Toolkit(kg, llm), react.Params()))
    first, second = (prompt.rendered(given) for given in llm.inputs[1:])
    assert "date of birth" in first
    assert "IMDb ID" not in first
    assert " more not shown)" in first
    assert len(second) > len(first)


def test_relations_that_a_prompt_has_no_room_for_are_told_of_once_a_set(kg):
    found = shown.relevant_uses(WHEN, uses(FACTS), shown.by_words).items
    left = len(found) - shown.RELATIONS - shown.NAMES
    given = skills.ToFollow(question=WHEN, entities=[ADA], relations=found, most=3)
    assert shown.cuts(given) == {"relations": f"{left} more relations"}
    more = Move(thought="", tool="more", of="S1")
    done = Move(thought="", tool="give up", reason="enough")
    llm = ScriptedLLM(skills.Mentions(mentions=["Ada Nobody"]), more, done)
    _, seen = drain(react.solve(WHEN, Toolkit(kg, llm), react.Params()))
    notes = [e.text for e in seen if e.kind == "noted"]
    assert notes == [f"No room in the prompt for {left} more relations of S1."]


def test_the_walk_is_told_not_to_give_up_while_there_is_more():
    assert "list further relations" in Action.tools["more"].meaning


def test_no_method_has_its_own_cut():
    """What is read, shown and told of a graph is bounded in one place, by name."""
    own = []
    for file in sorted((ROOT / "kgqa_core" / "methods").rglob("*.py")):
        if file.stem in OF_WORDS:
            continue
        tree = ast.parse(file.read_text(encoding="utf-8"))
        numbers = {
            name.id
            for node in tree.body
            if isinstance(node, ast.Assign)
            for target in node.targets
            for name in ast.walk(target)
            if isinstance(name, ast.Name) and _holds_number(node.value)
        }
        own += [
            f"{file.stem}: {node.upper.id}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Slice)
            and isinstance(node.upper, ast.Name)
            and node.upper.id in numbers
        ]
        own += [
            f"{file.stem}: {node.upper.value}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Slice)
            and file.stem not in OF_TEXT
            and isinstance(node.upper, ast.Constant)
            and node.upper.value > 3
        ]
    assert own == []


def _holds_number(value: ast.expr) -> bool:
    return any(isinstance(n, ast.Constant) and isinstance(n.value, int) for n in ast.walk(value))


def test_names_beyond_a_bound_are_counted():
    assert bounds.more(["a", "b", "c"], 2) == ["a", "b", "1 more"]
    assert bounds.more(["a", "b"], 2) == ["a", "b"]
