"""Things found by what a graph says of them in words, where no relation leads to them."""

import pytest

from kgqa_core.ask.described import sought
from kgqa_core.ask.events import Answer, Sentence
from kgqa_core.ask.outcome import answer_of
from kgqa_core.ask.run import Toolkit, drain, run
from kgqa_core.facts.terms import STRING, Entity, Literal, Relation, Statement
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.llm.offline import Offline
from kgqa_core.methods import METHODS
from kgqa_core.methods.described import by_description, followed_by

WD = "http://www.wikidata.org/entity/"
GLOSS = Relation(f"{WD}P1683", "described as", "", (), "text")
INSTANCE, BORN = Relation(f"{WD}P31", "instance of"), Relation(f"{WD}P19", "place of birth")
HUMAN, TOWN = Entity(f"{WD}Q5", "human"), Entity(f"{WD}Q7", "Tarvel")
PEOPLE = {
    "Mira Oln": "Tarvellian rider who was the first person to cross the Glass Desert on a camel",
    "Ida Oln": "first woman to cross the Glass Desert in a balloon",
    "Sten Vask": "physician who explained the tides of marrow; he later kept bees",
    "Ulf Brand": "tall drummer for the Lanterns",
    "Olga Brand": "fiddler for the Lanterns",
}
THINGS = {
    "gulosis": "a morbid fear of bells",
    "marrowlore": "the branch of medicine that deals with the tides of marrow",
    "Sollen": "the second longest river in Orvel; flows past Tarvel",
    "Grue": "the longest river in Orvel",
    "tidometer": "an instrument that measures the tides of marrow",
}


def _graph():
    said = PEOPLE | THINGS
    said |= {f"filler {n}": f"a vessel of make {n} with handle {n} for grain" for n in range(700)}
    named = {name: Entity(f"{WD}Q{1000 + n}", name) for n, name in enumerate(said)}
    facts = [Statement(named[n], GLOSS, Literal(text, STRING)) for n, text in said.items()]
    facts += [Statement(named[name], INSTANCE, HUMAN) for name in PEOPLE]
    facts.append(Statement(named["Ulf Brand"], BORN, TOWN))
    return EmbeddedGraph.build(
        "glosses", [*named.values(), HUMAN, TOWN], [GLOSS, INSTANCE, BORN], facts
    )


@pytest.fixture(scope="module")
def kg():
    return _graph()


def found(kg, question, **how):
    answer, _ = drain(by_description(question, Toolkit(kg, Offline()), **how))
    return answer.values[0].label if answer else None


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Who was the first person to cross the Glass Desert on a camel?", "Mira Oln"),
        ("I'd like to know who first crossed the Glass Desert on a camel.", "Mira Oln"),
        ("Who was the first woman to cross the Glass Desert?", "Ida Oln"),
        ("What is the fear of bells called?", "gulosis"),
        ("the Lanterns drummer", "Ulf Brand"),
        ("which instrument measures the tides of marrow?", "tidometer"),
        ("What is the longest river in Orvel?", "Grue"),
        ("What is the second longest river in Orvel?", "Sollen"),
        ("Which river flows past Tarvel and is the second longest in Orvel?", None),  # two clauses
    ],
)
def test_what_is_described_in_the_words_of_a_question_is_found(kg, question, name):
    assert found(kg, question) == name


def test_for_who_only_somebody_is_found_and_a_deed_may_be_called_otherwise(kg):
    assert found(kg, "Who discovered the tides of marrow?") == "Sten Vask"
    assert found(kg, "What is the study of the tides of marrow?") == "marrowlore"


@pytest.mark.parametrize(
    "question",
    [
        "Who was the first man to swim the Glass Desert?",  # nobody swam
        "What is the height of the longest river in Orvel?",  # that is no height
        "When did Mira Oln first cross the Glass Desert on a camel?",
        "Was the longest river in Orvel dry?",
        "Where is the longest river in Orvel?",
        "Which drummer did Ulf Brand hear for the Lanterns?",  # he is named: it is somebody else
        "Who plays for the Lanterns?",  # two of them
        "",
        "who",
    ],
)
def test_what_is_told_otherwise_of_several_or_not_at_all_is_not_found(kg, question):
    assert found(kg, question) is None


def test_whole_is_only_what_says_all_that_the_question_says(kg):
    assert found(kg, "Who discovered the tides of marrow?", whole=True) is None
    assert found(kg, "Who explained the tides of marrow?", whole=True) == "Sten Vask"


def test_compass_answers_by_a_description_before_it_abstains_and_cites_it(kg):
    method = METHODS["compass"]
    question = "Who was the first person to cross the Glass Desert on a camel?"
    records = list(run(question, method.solve, Toolkit(kg, Offline()), method.params()))
    answer = answer_of(records)
    assert answer.text == "Mira Oln."
    assert not answer.certain
    (cited,) = answer.citations
    assert cited.relation == GLOSS
    assert "Glass Desert" in cited.object.value


def test_the_kind_that_a_question_gives_what_it_names_is_no_description_of_something_else():
    kinds = [Entity(f"{WD}Q{800 + n}", name) for n, name in enumerate(("city", "big city"))]
    other = Entity(f"{WD}Q9", "Rem")
    facts = [
        *(Statement(TOWN, INSTANCE, kind) for kind in kinds),
        Statement(other, GLOSS, Literal("a city east of Tarvel", STRING)),
        *(
            Statement(Entity(f"{WD}Q{100 + n}", f"pot {n}"), GLOSS, Literal(f"pot {n}", STRING))
            for n in range(700)
        ),
    ]
    names = dict.fromkeys([*(s.subject for s in facts), *kinds])
    graph = EmbeddedGraph.build("one city", list(names), [GLOSS, INSTANCE], facts)
    method = METHODS["compass"]
    records = run("the city of Tarvel", method.solve, Toolkit(graph, Offline()), method.params())
    assert set(answer_of(list(records)).values) == set(kinds)


def test_what_something_is_said_to_be_is_told_where_nothing_else_is_known(kg):
    method = METHODS["compass"]

    def asked(question):
        return answer_of(list(run(question, method.solve, Toolkit(kg, Offline()), method.params())))

    answer = asked("What is a tidometer?")
    assert answer.text == "Tidometer: an instrument that measures the tides of marrow."
    assert answer.certain
    assert asked("Who is Mira Oln?").text == f"Mira Oln: {PEOPLE['Mira Oln']}."
    assert not asked("What is a tidometer made of?").sentences
    assert not asked("What is a zorb?").sentences


def _things(*facts: tuple[str, Relation, str]) -> EmbeddedGraph:
    """A graph of these facts, beside 700 vessels; a gloss is a text, all else a thing."""
    names = dict.fromkeys(x for s, r, o in facts for x in ([s] if r == GLOSS else [s, o]))
    of = {name: Entity(f"{WD}Q{2000 + n}", name) for n, name in enumerate(names)}
    said = [Statement(of[s], r, Literal(o, STRING) if r == GLOSS else of[o]) for s, r, o in facts]
    pots = [Entity(f"{WD}Q{3000 + n}", f"pot {n}") for n in range(700)]
    said += [Statement(pot, GLOSS, Literal(f"a vessel, {pot.label}", STRING)) for pot in pots]
    used = dict.fromkeys((*(r for _, r, _ in facts), GLOSS))
    return EmbeddedGraph.build("things", [*of.values(), *pots], list(used), said)


def test_what_something_is_said_to_be_comes_before_a_guess_at_it():
    graph = _things(
        ("brenze", GLOSS, "alloy of iron and carbon"),
        ("brenze", Relation(f"{WD}P186", "made from material"), "iron"),
        ("brenze", Relation(f"{WD}P186", "made from material"), "carbon"),
        ("zorbium", GLOSS, "a soft metal that floats"),
        ("zorbium", INSTANCE, "chemical element"),
    )
    method = METHODS["compass"]

    def asked(question):
        return answer_of(
            list(run(question, method.solve, Toolkit(graph, Offline()), method.params()))
        )

    assert asked("What is brenze?").text == "Brenze: alloy of iron and carbon."
    assert [v.label for v in asked("What is zorbium?").values] == ["chemical element"]


def test_what_a_thing_is_said_to_be_comes_first_and_each_sentence_keeps_its_facts():
    service = Entity(f"{WD}Q4000", "Tubarel")
    gloss = Statement(service, GLOSS, Literal("video service of Orvel", STRING))
    lies, born = (Statement(service, relation, TOWN) for relation in (INSTANCE, BORN))
    said = Answer(
        sentences=(Sentence(text="Tubarel: video service of Orvel.", cites=(0,)),),
        values=(gloss.object,),
        citations=(gloss,),
    )
    facts = Answer(
        sentences=(Sentence(text="One.", cites=(0,)), Sentence(text="Two.", cites=(1,))),
        values=(TOWN,),
        citations=(lies, born),
        certain=False,
        reading="what the graph says about Tubarel",
    )
    both = followed_by(said, facts)
    told = [(s.text, [both.citations[n] for n in s.cites]) for s in both.sentences]
    assert told == [(said.text, [gloss]), ("One.", [lies]), ("Two.", [born])]
    assert (both.values, both.certain) == ((gloss.object, TOWN), False)
    assert both.reading == facts.reading


def test_a_graph_that_describes_nothing_is_not_read_through(kg):
    bare = EmbeddedGraph.build("bare", [HUMAN], [], [])
    assert Toolkit(bare, Offline()).glosses() is None
    assert found(bare, "Who was the first person to cross the Glass Desert?") is None


def test_a_question_says_what_it_calls_the_thing_and_whether_it_is_somebody():
    assert sought("Which six-sided polygon is it?").noun == sought("What polygon is it?").noun
    assert sought("Who explained the tides?").person
    assert sought("How high is the Grue?") is None
    assert sought("Whom was the Hall built for?") is None  # it asks for what is left open
