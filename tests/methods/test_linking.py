"""Which entities a mention may mean, and what is asked about an answer that is text."""

import pytest

from kgqa_core.ask import skills
from kgqa_core.ask.run import Toolkit, checked, drain
from kgqa_core.ask.skills import EntityChoice, EntityChoices, FactAnswer
from kgqa_core.facts.terms import DATE, DECIMAL, YEAR, Entity, Literal, Relation, Statement
from kgqa_core.kg import label_store
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.kg.labels import Name
from kgqa_core.kg.union import from_rows
from kgqa_core.llm import prompt
from kgqa_core.llm.offline import Offline
from kgqa_core.methods.answering import as_terms, compose, whole_lists
from kgqa_core.methods.linking import link_mentions, link_question
from tests.fakes import ScriptedLLM

WD = "http://www.wikidata.org/entity/"
VENEZUELA = Entity(WD + "Q717", "Venezuela", "country", ("VEN",))
BIG_FISH = Entity(WD + "Q1", "Big Fish", "film of 2003")
CITY, NOVEL = Entity(WD + "Q2", "Emma", "town"), Entity(WD + "Q3", "Emma", "novel")
NAMELESS = Entity(WD + "Q4")
BORN, AUTHOR = Relation(WD + "P569", "date of birth"), Relation(WD + "P50", "author")
FACTS = [
    Statement(one, BORN, Literal("1952-03-11", DATE)) for one in (VENEZUELA, BIG_FISH, CITY, NOVEL)
]


@pytest.fixture(scope="module")
def kg():
    return EmbeddedGraph.build("names", [VENEZUELA, BIG_FISH, CITY, NOVEL], [BORN], FACTS)


def found(kg, mention, question, *replies):
    tools = Toolkit(kg, ScriptedLLM(*replies))
    return [e for _, e in drain(link_mentions(question, [mention], tools))[0]]


def test_an_oven_is_not_a_country(kg):
    assert kg.search(["oven"]) == [[]]
    assert kg.search(["Venezeula"])[0][0].entity == VENEZUELA


def test_a_common_word_is_no_part_of_a_title(kg):
    assert found(kg, "fish", "Which fish lives in the Nile?") == []
    first = EntityChoice(index=0)
    assert found(kg, "fish", "who made fish", first) == [BIG_FISH]
    assert found(kg, "Fish", "Who made Fish?", first) == [BIG_FISH]


@pytest.mark.parametrize(
    ("question", "mentions"),
    [
        ("Who was born before Venezuela and Big Fish?", ["Venezuela and Big Fish"]),
        ("Who directed Big Fish?", ["Fish"]),
    ],
)
def test_words_of_exact_names_are_not_asked_about_again(kg, question, mentions):
    tools = Toolkit(kg, ScriptedLLM())
    names = [name for name in ("Venezuela", "Big Fish") if name in question]
    assert all(kg.search(mentions)), "they resemble a name"
    linked, _ = drain(link_mentions(question, [*mentions, *names], tools))
    assert [mention for mention, _ in linked] == names


def test_a_part_of_a_name_that_also_stands_alone_is_asked_about(kg):
    question, llm = "Is Fish the sequel to Big Fish?", ScriptedLLM(EntityChoice(index=-1))
    linked, _ = drain(link_mentions(question, ["Big Fish", "Fish"], Toolkit(kg, llm)))
    assert (linked, llm.skills) == ([("Big Fish", BIG_FISH)], [skills.CHOOSE_ENTITY.name])


def test_answers_that_share_words_are_all_linked(kg):
    llm = ScriptedLLM(EntityChoice(index=0))
    values = ["Big Fish", "Fish"]
    linked, _ = drain(link_mentions("What is it?", values, Toolkit(kg, llm), skills.CHOOSE_ANSWER))
    assert [mention for mention, _ in linked] == values


def test_an_index_on_disk_agrees_about_the_oven(tmp_path):
    names = [Name(e.id, text, i > 0) for e in (VENEZUELA, BIG_FISH)
             for i, text in enumerate((e.label, *e.aliases))]  # fmt: skip
    label_store.build(tmp_path / "labels.sqlite", names)
    disk = label_store.DiskLabels(tmp_path / "labels.sqlite")
    assert disk.find("oven") == []
    assert disk.find("Vene\u200bzuela")[0].score == 1.0


def test_a_question_with_what_cannot_be_seen_is_read_without_it(kg):
    asked = checked("When was Vene\u200bzuela \ufeffborn?")
    assert asked == "When was Venezuela born?"


def test_a_concept_may_be_a_mention(kg):
    assert "surrealism" in skills.EXTRACT.instruction
    art = Entity(WD + "Q5", "surrealism", "movement")
    other = EmbeddedGraph.build("art", [art], [BORN], [Statement(art, BORN, FACTS[0].object)])
    assert found(other, "surrealism", "Who founded surrealism?") == [art]
    reply = Offline().ask(skills.EXTRACT, skills.Question(question="Who founded surrealism?"))
    assert "surrealism" in reply.result().value.mentions


@pytest.mark.parametrize(
    ("mention", "linked"),
    [
        ("head of government of Venezuela", [VENEZUELA]),
        ("makers of the Big Fish", [BIG_FISH]),
        ("Venezuela", [VENEZUELA]),
        ("head of government", []),
    ],
)
def test_a_name_within_a_mention_that_nothing_bears_is_looked_up(kg, mention, linked):
    assert found(kg, mention, f"Who was the {mention}?") == linked
    reader = Toolkit(kg, Offline())  # which names what it means itself
    _, seen = drain(link_question(f"Who was the {mention}?", reader))
    assert [e.kind for e in seen].count("linked") == 1


def test_of_two_of_one_name_the_better_connected_comes_first():
    little, much = (Entity(WD + f"Q{n}", "Springfield") for n in (10, 11))
    places = [Entity(WD + f"Q{n}", f"place {n}") for n in range(20, 24)]
    part = Relation(WD + "P361", "part of")
    facts = [Statement(little, part, places[0]), *(Statement(one, part, much) for one in places)]
    graph = EmbeddedGraph.build("towns", [little, much, *places], [part], facts)
    assert [hit.entity for hit in graph.search(["Springfield"])[0]] == [much, little]


def test_what_cannot_be_seen_keeps_no_name_from_being_found(kg):
    assert kg.search(["Vene\u200bzuela"])[0][0].score == 1.0
    assert kg.search(["\ufeffBig\u00ad Fish"])[0][0].entity == BIG_FISH


def test_an_answer_that_is_text_is_linked_with_its_own_question(kg):
    llm = ScriptedLLM(EntityChoice(index=1))
    question = "Which novel did she write?"
    values, _ = drain(as_terms(question, ["Emma"], (), Toolkit(kg, llm), link=True))
    assert llm.skills == [skills.CHOOSE_ANSWER.name]
    assert values[0] in (CITY, NOVEL)


def test_an_answer_may_be_the_bare_id_of_a_thing_without_a_label(kg):
    fact = Statement(BIG_FISH, AUTHOR, NAMELESS)
    sentence = skills.CitedSentence(text="It is Q4.", facts=[0])
    reply = FactAnswer(sentences=[sentence], values=["Q4"])
    answer, _ = drain(compose("Who wrote it?", reply, [fact], Toolkit(kg, ScriptedLLM())))
    assert answer.values == (NAMELESS,)


def test_of_namesakes_in_the_facts_an_answer_means_the_one_that_is_cited(kg):
    parish = Entity(WD + "Q5", "Emma", "parish")
    lies = Statement(CITY, Relation(WD + "P131", "located in"), parish)
    size = Statement(CITY, Relation(WD + "P1082", "population"), Literal("4100", DECIMAL))
    sentence = skills.CitedSentence(text="Emma.", facts=[1])
    reply = FactAnswer(sentences=[sentence], values=["Emma"])
    tools = Toolkit(kg, ScriptedLLM())
    answer, _ = drain(compose("Which town is larger?", reply, [lies, size], tools))
    assert answer.values == (CITY,)


def test_an_answer_may_be_a_name_with_the_id_of_a_thing_without_a_label_behind_it(kg):
    fact = Statement(BIG_FISH, AUTHOR, NAMELESS)
    tools = Toolkit(kg, ScriptedLLM())
    values, _ = drain(as_terms("Who wrote it?", ["Ann Lee (Q4)"], [fact], tools, link=False))
    assert values == [NAMELESS]


@pytest.mark.parametrize(
    ("question", "term"),
    [
        ("In which year did it open?", Literal("1880", YEAR)),
        ("How many?", Literal("1880", DECIMAL)),
    ],
)
def test_a_year_is_one_where_a_time_is_asked_for_and_a_date_has_it(kg, question, term):
    opened = Statement(CITY, Relation(WD + "P1619", "opening"), Literal("1880-05-04", DATE))
    tools = Toolkit(kg, ScriptedLLM())
    values, _ = drain(as_terms(question, ["1880"], [opened], tools, link=False))
    assert values == [term]


@pytest.mark.parametrize(
    ("question", "facts", "whole"),
    [
        ("Is Ann a mother of Bea?", 2, ["Emma: child, as far as the graph goes"]),
        ("Is Ann a mother of Bea?", 1, []),  # one of two
        ("Who are the children?", 2, []),
    ],
)
def test_a_prompt_says_where_a_list_is_whole_if_yes_or_no_is_asked(question, facts, whole):
    child, job = Relation(WD + "P40", "child"), Relation(WD + "P106", "occupation")
    ends = [Entity(WD + f"Q{n}", name) for n, name in enumerate(("Bea", "Cal", "cook"), 10)]
    every = [Statement(CITY, r, e) for r, e in zip((child, child, job), ends, strict=True)]
    graph = EmbeddedGraph.build("family", [CITY, *ends], [child, job], every)
    shown = [*every[:facts], every[2]]  # of occupations a graph has but some
    assert whole_lists(question, shown, Toolkit(graph, ScriptedLLM())) == whole


def test_a_value_of_the_facts_comes_before_an_alias_of_what_they_are_about(kg):
    metal = Entity(WD + "Q880", "platinum", aliases=("Pt",))
    symbol = Statement(metal, Relation(WD + "P246", "element symbol"), Literal("Pt"))
    tools = Toolkit(kg, ScriptedLLM())
    values, _ = drain(as_terms("What is its symbol?", ["Pt"], [symbol], tools, link=True))
    assert values == [symbol.object]


METRE = Entity(WD + "Q11573", "metre")
HEIGHT, PEOPLE = Relation(WD + "P2048", "height"), Relation(WD + "P1082", "population")
MEASURED = [
    Statement(BIG_FISH, HEIGHT, Literal("8848.86", DECIMAL, unit=METRE)),
    Statement(CITY, HEIGHT, Literal("1.98", DECIMAL, unit=METRE)),
    Statement(CITY, PEOPLE, Literal("8423000", DECIMAL)),
]


@pytest.mark.parametrize(
    ("said", "n"),
    [
        ("1.98 m", 1),
        ("1.98", 1),
        ("198 cm", 1),
        ("8,848.86 metres", 0),
        ("8,849 m", 0),
        ("8.4 million", 2),
        ("8423000", 2),
    ],
)
def test_an_amount_in_a_reply_is_the_one_in_the_facts(kg, said, n):
    tools = Toolkit(kg, ScriptedLLM())
    values, _ = drain(as_terms("How high is it?", [said], MEASURED, tools, link=True))
    assert values == [MEASURED[n].object]


@pytest.mark.parametrize("said", ["1.97 m", "2 million", "8,850 m"])
def test_another_amount_is_not(kg, said):
    values, _ = drain(as_terms("How high?", [said], MEASURED, Toolkit(kg, ScriptedLLM()), False))
    assert values[0] not in [fact.object for fact in MEASURED]


@pytest.mark.parametrize(
    ("mention", "question"),
    [
        ("Venezeula", "When was Venezeula born?"),
        ("VÉNEZUELA", "When was VÉNEZUELA born?"),
        ("venezuela", "when was venezuela born"),
        ("the big fish", "who made the big fish"),
    ],
)
def test_another_spelling_of_the_only_name_like_it_is_not_asked_about(kg, mention, question):
    llm = ScriptedLLM()
    linked, seen = drain(link_mentions(question, [mention], Toolkit(kg, llm)))
    ((_, entity),) = linked
    assert entity in (VENEZUELA, BIG_FISH)
    (why,) = [e.why for e in seen if e.kind == "anchored"]
    assert why == f"the only name like it: {entity.label}"


@pytest.mark.parametrize(
    ("mentions", "question"),
    [
        (["Big Fish", "Fish"], "Who made Big Fish?"),  # it stands nowhere else
        (["big fish", "made big fish"], "who made big fish"),  # it can only be the same
    ],
)
def test_what_can_be_nothing_but_a_name_that_is_clear_is_not_asked_about(kg, mentions, question):
    llm = ScriptedLLM()
    linked, _ = drain(link_mentions(question, mentions, Toolkit(kg, llm)))
    assert [entity for _, entity in linked] == [BIG_FISH]


def test_a_short_name_alone_in_a_question_without_capitals_is_not_asked_about():
    graph = from_rows([("Peru", "capital", "Lima")], name="lands")
    llm = ScriptedLLM()
    ((_, entity),), _ = drain(
        link_mentions("what is the capital of peru", ["peru"], Toolkit(graph, llm))
    )
    assert entity.label == "Peru"


@pytest.mark.parametrize(
    ("mention", "known", "asked"),
    [
        ("atomic number", "number", 0),  # of common words a part alone is something else
        ("atomic number", "Atomic number of gold", 0),  # and they are only a part of a name
        ("Atomic Number", "number", 1),  # what is written as a name may be one
    ],
)
def test_common_words_are_not_what_they_are_only_in_part(mention, known, asked):
    graph = from_rows([(known, "kind", "concept")], name="concepts")
    llm = ScriptedLLM(*[EntityChoice(index=-1)] * asked)
    question = f"Which has the higher {mention}, Tin or Gold?"
    linked, _ = drain(link_mentions(question, [mention], Toolkit(graph, llm)))
    assert linked == []
    assert len(llm.skills) == asked


@pytest.mark.parametrize(
    ("mention", "question"),
    [
        ("Fish", "Who made Fish?"),  # a part of the only name like it
        ("venezeula", "when was venezeula born"),  # in small letters, and misspelt
        ("emma", "who wrote emma"),  # two are called so
    ],
)
def test_what_may_be_another_name_is_asked_about(kg, mention, question):
    llm = ScriptedLLM(EntityChoice(index=-1))
    linked, _ = drain(link_mentions(question, [mention], Toolkit(kg, llm)))
    assert linked == []
    assert llm.skills == [skills.CHOOSE_ENTITY.name]


def test_more_words_around_a_name_are_not_asked_about_beside_it(kg):
    given = []

    def second(asked):
        given.append(asked)
        return EntityChoice(index=1)

    mentions = ["Emma", "wrote Emma"]
    linked, _ = drain(link_mentions("Who wrote Emma?", mentions, Toolkit(kg, ScriptedLLM(second))))
    assert [mention for mention, _ in linked] == ["Emma"]
    assert given[0].mention == "Emma"


def test_of_what_only_resembles_a_name_that_others_bear_little_is_shown():
    lakes = [Entity(f"{WD}Q{n}", f"Velm {n}", "lake") for n in range(11, 16)]
    velm = [Entity(f"{WD}Q{n}", "Velm", f"town {n}") for n in (8, 9)]
    facts = [Statement(one, BORN, Literal("1952-03-11", DATE)) for one in (*lakes, *velm)]
    graph = EmbeddedGraph.build("velms", [*lakes, *velm], [BORN], facts)
    llm = ScriptedLLM(EntityChoice(index=1))
    tools = Toolkit(graph, llm)
    drain(link_mentions("Where is Velm?", ["Velm"], tools))
    shown = [one.hit.entity.name for one in llm.inputs[0].candidates]
    assert shown[:2] == ["Velm", "Velm"]
    assert len(shown) == 4


def test_a_candidate_of_several_names_is_described_once_and_each_name_said_once(kg):
    llm = ScriptedLLM(EntityChoices(chosen=[EntityChoice(index=0), EntityChoice(index=3)]))
    question = "Is Emma the town or EMMA the novel?"
    linked, _ = drain(link_mentions(question, ["Emma", "EMMA"], Toolkit(kg, llm)))
    assert len(linked) == 2
    (given,) = llm.inputs
    text = prompt.rendered(given)
    assert text.count("mention: ") == 2
    assert text.count("hit: Emma: ") == 2
    assert [one.like for one in given.candidates] == [None, None, 0, 1]
    assert text.count("hit: Emma, as [0]") == text.count("hit: Emma, as [1]") == 1
