"""What a run took and how far its facts lead, in words and hops."""

from kgqa_core.ask.events import Asked, Cost, Expanded, Record, Step
from kgqa_core.ask.outcome import calls_in_words
from kgqa_core.facts.terms import YEAR, Entity, Literal, Relation
from kgqa_core.render.steps import hops, steps, unread
from tests.screens.graph_story import FILM, SIRK, SONG, entity, fact

FILMS = (FILM, SONG, entity(501, "Another film"))
MADE = [fact(film, "director", SIRK) for film in FILMS]
DATED = [fact(f, "publication date", Literal(str(1950 + n), YEAR)) for n, f in enumerate(FILMS)]


def test_hops_are_counted_from_what_the_question_names():
    assert hops(MADE, [SIRK]) == 1
    assert hops([*MADE, *DATED], [SIRK]) == 2
    assert hops(MADE[:2], [FILM]) == 2
    assert hops(MADE, [entity(502, "Elsewhere")]) == hops(MADE) == 2  # from end to end
    assert hops([]) == 0
    kinds = [fact(s.subject, "instance of", entity(504, "film")) for s in MADE]
    wider = fact(kinds[0].object, "subclass of", entity(505, "work"))
    assert hops([*MADE, *kinds, wider], [SIRK]) == 1  # what kind they are of is no step further
    assert hops([*kinds, wider], [kinds[0].subject]) == 2


def test_the_built_in_reader_is_no_model():
    def calls(rung: str) -> str:
        event = Asked(skill="answer", prompt="?", rung=rung)
        cost = Cost(llm_calls=3)
        return calls_in_words([Record(seq=0, step=0, at_s=0, cost=cost, event=event)])

    assert calls("json_schema") == "3 model calls"
    assert calls("reader") == "no model call (3 to the built-in reader)"
    assert calls_in_words([]) == "no model call"
    assert Asked(skill="answer", prompt="?", rung="reader").line == "Reader: answer"


def test_what_was_read_in_part_is_told_until_the_rest_is_read():
    ann, ben, knows = Entity("e:ann", "Ann"), Entity("e:ben", "Ben"), Relation("e:knows", "knows")

    def read(of, relation, cut):
        return Expanded(entities=of, statements=(), relation=relation, truncated=cut)

    told = [
        read((ann,), knows, True),
        read((ben,), None, True),
        read((ann, ben), knows, False),
        read((ann,), knows, False),
    ]
    records = [Record(seq=n, step=1, at_s=0.0, cost=Cost(), event=e) for n, e in enumerate(told)]
    assert unread(records[:1]) == ["“knows” of Ann"]
    assert unread(records[:3]) == ["“knows” of Ann", "Ben"]
    assert unread(records) == ["Ben"]


def test_what_decides_on_a_step_stands_in_it():
    told = [
        Step(title="Find the entities"),
        Asked(skill="extract entities", prompt="?"),
        Asked(skill="next action", prompt="What next?"),
        Step(title="Follow “director”"),
        Asked(skill="answer from facts", prompt="?"),
        Step(title="Answer"),
    ]
    cost = Cost(llm_calls=1)
    records = [Record(seq=n, step=1, at_s=0.0, cost=cost, event=e) for n, e in enumerate(told)]
    found = steps(records)
    assert [[r.seq for r in step.records] for step in found] == [[0, 1], [2, 3, 4], [5]]
    assert [step.cost.llm_calls for step in found] == [2, 3, 1]
    begun = steps(records[2:])
    assert [step.title for step in begun] == ["Follow “director”", "Answer"]  # none that is empty
    assert [step.title for step in steps(records[:3])] == ["Find the entities"]
