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
        (
            events.Surveyed(
                entities=(FILM,),
                relations=tuple(
                    RelationUse(Relation(f"e:p{n}", f"way {n}"), "out", 3, ("Ann",))
                    for n in range(9)
                ),
            ),
            "9 relations to choose from: "
            + ", ".join(f"way {n} → Ann, … (3)" for n in range(6))
            + " and 3 more",
        ),
        (events.Queried(sparql="ASK {}", rows=((SIRK,),)), "1 row from SPARQL"),
        (
            events.Queried(sparql="ASK {}", rows=((SIRK,),), more=True),
            "1 row from SPARQL, more were left out",
        ),
        (
            events.Computed(
                operation="intersection",
                arguments=("A", "B"),
                result=tuple(Literal(str(n), DECIMAL) for n in range(8)),
            ),
            "intersection of A and B = 0, 1, 2, 3, 4 and 3 more",
        ),
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
