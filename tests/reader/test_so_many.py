"""Members by how many values they have, and without some, over a handful of facts."""

from __future__ import annotations

import pytest

from kgqa_core.ask.events import Answer
from kgqa_core.ask.outcome import answer_of
from kgqa_core.ask.run import Toolkit, run
from kgqa_core.facts.terms import DATE, DECIMAL, Entity, Literal, Statement
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.llm.offline import Offline
from kgqa_core.methods import METHODS
from tests.reader.small import fact, thing

HERONS = thing(1, "Herons")
ANN, BEN, CAT, DAN = (
    thing(10 + n, name) for n, name in enumerate(("Ann Roth", "Ben Ask", "Cat Lund", "Dan Mohr"))
)
EVE = thing(19, "Eve Stein")
HUMAN, TOWN, FEAST = thing(2, "human"), thing(3, "town"), thing(4, "Lamp Feast")
COLLEGE = thing(5, "college")
ULM, BONN, JENA = thing(30, "Ulm"), thing(31, "Bonn"), thing(32, "Jena")
NORLAND, SUDLAND = thing(60, "Norland"), thing(61, "Sudland")
OAK, ELM = thing(40, "Oak College"), thing(41, "Elm College")
DECEMBER = thing(50, "December 25")

BIRTHS = {ANN: "1940-02-03", BEN: "1942-12-20", CAT: "1943-05-05", DAN: "1943-11-30"}
PLACES = {ANN: ULM, BEN: BONN, CAT: ULM, DAN: JENA}
LANDS = {ULM: NORLAND, BONN: SUDLAND, JENA: NORLAND}
PEOPLE = {ULM: "120000", BONN: "330000", JENA: "110000"}
FACTS = [
    *(fact(HERONS, "P527", "has part(s)", who) for who in BIRTHS),
    *(fact(who, "P31", "instance of", HUMAN) for who in (*BIRTHS, EVE)),
    *(fact(who, "P569", "date of birth", Literal(day, DATE)) for who, day in BIRTHS.items()),
    fact(EVE, "P569", "date of birth", Literal("1941-12-01", DATE)),
    *(fact(who, "P19", "place of birth", place) for who, place in PLACES.items()),
    *(fact(who, "P69", "educated at", OAK) for who in (ANN, BEN, CAT)),
    fact(DAN, "P69", "educated at", ELM),
    fact(CAT, "P69", "educated at", ELM),
    *(fact(town, "P31", "instance of", TOWN) for town in PEOPLE),
    *(fact(t, "P1082", "population", Literal(n, DECIMAL)) for t, n in PEOPLE.items()),
    *(fact(one, "P31", "instance of", COLLEGE) for one in (OAK, ELM)),
    *(fact(town, "P17", "country", land) for town, land in LANDS.items()),
    *(fact(town, "P6", "head of government", EVE) for town in (ULM, BONN)),
    fact(ULM, "P9", "bridge", thing(70, "Old Bridge")),
    fact(FEAST, "P837", "day in year", DECEMBER),
]  # fmt: skip


def _ask(question: str, method: str, *facts: Statement) -> Answer:
    ends = [e for s in facts for e in (s.subject, s.object) if isinstance(e, Entity)]
    relations = sorted({s.relation for s in facts}, key=lambda r: r.id)
    graph = EmbeddedGraph.build("small", dict.fromkeys(ends), relations, list(facts))
    how = METHODS[method]
    return answer_of(list(run(question, how.solve, Toolkit(graph, Offline()), how.params())))


@pytest.mark.parametrize("method", ["compass", "react"])
@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("Which of the Herons attended two colleges?", {CAT}),
        ("Which towns have no mayor?", {JENA}),
        ("Besides Ann Roth, who was a member of the Herons?", {BEN, CAT, DAN}),
    ],
)
def test_members_are_those_with_so_many_or_without_some(
    question: str, found: set[Entity], method: str
) -> None:
    assert set(_ask(question, method, *FACTS).values) == found


@pytest.mark.parametrize(
    "question",
    [
        "Which of the Herons share a father?",
        "Which of the Herons is nearest in height to Ben Ask?",
        "Besides Ann Roth and Cat Lund, who was born in Ulm?",
        "Which towns have no bridge?",
        "Which of the Herons attended two colleges?",
        "Which college did at least four of the Herons attend?",
        "Where were most of the Herons born?",
        "What is the most common birthplace of the Herons?",
        "Which of the Herons share a birthplace?",
        "Which two of the Herons were born in the same year?",
        "Which of the Herons is nearest in age to Ben Ask?",
        "Which of the Herons was born closest to the Lamp Feast?",
        "Which town has a population closest to 200,000?",
    ],
)
def test_what_no_fact_tells_is_not_guessed_with_certainty(question: str) -> None:
    answer = _ask(question, "compass", *FACTS)
    assert not answer.values or not answer.certain
