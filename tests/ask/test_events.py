"""What a run reports, in words."""

import pytest

from kgqa_core.ask import events
from kgqa_core.facts.premises import Judgement, Premise
from kgqa_core.facts.terms import DECIMAL, Entity, Literal, Relation
from kgqa_core.kg.base import RelationUse

FILM, SIRK = Entity("e:film", "Written on the Wind"), Entity("e:sirk", "Douglas Sirk")
DIRECTOR = Relation("http://www.wikidata.org/entity/P57", "director")
USE = RelationUse(DIRECTOR, "out", 1, ("Douglas Sirk",))


def bound(asked, how):
    return events.Bound(step="s1", asked=asked, relation=DIRECTOR, direction="out", how=how)


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (
            events.Surveyed(entities=(FILM,), relations=(USE,)),
            "1 relation to choose from: director → Douglas Sirk",
        ),
        (events.Queried(sparql="ASK {}", rows=((SIRK,),)), "1 row from SPARQL"),
        (bound(DIRECTOR.id, "id"), "s1 takes → director, named by its id"),
        (bound("made by", "likeness"), "“made by” is → director (likeness)"),
        (
            events.Computed(
                operation="minus", arguments=("A, B", "B"), result=(Literal("1", DECIMAL),)
            ),
            "A, B minus B = 1",
        ),
        (
            events.Judged(
                branch=0,
                depth=0,
                judgements=(Judgement(premise=Premise(text="Ann sang"), state="satisfied"),),
            ),
            "“Ann sang” holds",
        ),
    ],
)
def test_an_event_is_told_in_one_line(event, line):
    assert event.line == line
