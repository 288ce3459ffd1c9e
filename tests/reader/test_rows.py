"""Who came next, who held an office when, who plays which part in a group, and what is measured."""

import pytest

from kgqa_core.ask.events import Answer
from kgqa_core.ask.outcome import answer_of
from kgqa_core.ask.run import Toolkit, run
from kgqa_core.facts.compute import number
from kgqa_core.facts.terms import (
    DATE,
    DECIMAL,
    YEAR,
    Entity,
    Literal,
    Qualifier,
    Relation,
    Statement,
)
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.llm.offline import Offline
from kgqa_core.methods import react
from tests.reader.small import WD as _WD
from tests.reader.small import fact as _fact
from tests.reader.small import thing as _thing


def _ask(question: str, *statements: Statement) -> Answer:
    ends = [e for s in statements for e in (s.subject, s.object) if isinstance(e, Entity)]
    relations = {r for s in statements for r in (s.relation, *(q.relation for q in s.qualifiers))}
    ordered = sorted(relations, key=lambda r: r.id)
    graph = EmbeddedGraph.build("small", dict.fromkeys(ends), ordered, list(statements))
    return answer_of(list(run(question, react.solve, Toolkit(graph, Offline()), react.Params())))


ANN, BEN, CAT = _thing(1, "Ann Roth"), _thing(2, "Ben Ask"), _thing(3, "Cat Lund")
OFFICE = _thing(10, "President of Norland")
GUILD = _thing(11, "treasurer of the guild")
BAND, DRUMMER, SINGER = _thing(20, "Loud Herons"), _thing(21, "drummer"), _thing(22, "singer")
ALBUM, SONGS = _thing(23, "Grey Feathers"), _thing(24, "album")
NIGHT, ULM = _thing(42, "Night Hill"), _thing(43, "Ulm")
STORM, FROST = _thing(30, "stormite"), _thing(31, "frostite")


def _held(who: Entity, office: Entity, start: int, end: int) -> Statement:
    begins, ends = Relation(_WD + "P580", "start time"), Relation(_WD + "P582", "end time")
    return _fact(
        who,
        "P39",
        "position held",
        office,
        Qualifier(begins, Literal(f"{start}-03-04", DATE)),
        Qualifier(ends, Literal(f"{end}-03-04", DATE)),
    )


TERMS = [
    _held(ANN, OFFICE, 1901, 1905),
    _held(BEN, OFFICE, 1905, 1909),
    _held(CAT, OFFICE, 1909, 1911),
    _held(BEN, GUILD, 1890, 1891),
]


@pytest.mark.parametrize(
    ("question", "who"),
    [
        ("Who was president after Ben Ask?", CAT),
        ("Who was the president before Ben Ask?", ANN),
        ("Who succeeded Ann Roth?", BEN),
        ("Who was the predecessor of Cat Lund?", BEN),
    ],
)
def test_who_came_next_in_an_office_that_is_not_named_in_full(question: str, who: Entity) -> None:
    assert _ask(question, *TERMS).values == (who,)


def test_when_somebody_was_president_is_told_from_its_beginning_to_its_end() -> None:
    answer = _ask("When was Ben Ask president?", *TERMS)
    assert answer.text == "4 March 1905 and 4 March 1909."


BAND_FACTS = [
    _fact(BAND, "P31", "instance of", _thing(25, "musical group")),
    _fact(BAND, "P527", "has part(s)", ANN),
    _fact(BAND, "P527", "has part(s)", BEN),
    _fact(ANN, "P106", "occupation", DRUMMER),
    _fact(BEN, "P106", "occupation", SINGER),
    _fact(ALBUM, "P175", "performer", BAND),
    _fact(ALBUM, "P31", "instance of", SONGS),
]


def test_the_drummer_of_a_band_is_the_member_who_is_one() -> None:
    assert _ask("Who is the drummer of Loud Herons?", *BAND_FACTS).values == (ANN,)
    assert _ask("Who is the lead singer of Loud Herons?", *BAND_FACTS).values == (BEN,)


def test_who_asks_for_somebody_gets_no_album() -> None:
    without = [f for f in BAND_FACTS if f.object != SINGER]
    assert _ask("Who is the lead singer of Loud Herons?", *without).values == ()


def test_as_many_are_told_as_the_question_says_there_are() -> None:
    left = _fact(CAT, "P463", "member of", BAND)
    said = [_fact(who, "P463", "member of", BAND) for who in (ANN, BEN)]
    answer = _ask("Who were the two members of Loud Herons?", *BAND_FACTS, *said, left)
    assert set(answer.values) == {ANN, BEN}


@pytest.mark.parametrize(
    ("question", "which"),
    [
        ("Which has the higher melting point, stormite or frostite?", STORM),
        ("Which has a lower melting point, stormite or frostite?", FROST),
    ],
)
def test_two_are_compared_by_a_measure_of_several_words(question: str, which: Entity) -> None:
    points = [
        _fact(what, "P2101", "melting point", Literal(degrees, DECIMAL))
        for what, degrees in ((STORM, "900"), (FROST, "12"))
    ]
    assert _ask(question, *points).values == (which,)


def test_a_national_bird_is_no_national_of_a_country() -> None:
    citizen = _fact(ANN, "P27", "country of citizenship", _thing(40, "Norland"))
    assert _ask("What is the national bird of Norland?", citizen).values == ()


def test_what_something_is_called_is_its_name() -> None:
    cub = _thing(50, "leveret", "young hare", "baby hare")
    facts = [_fact(cub, "P279", "subclass of", _thing(51, "hare"))]
    for question in ("What is a baby hare called?", "What do you call a young hare?"):
        assert _ask(question, *facts).values == (cub,)


# -- at another time ---------------------------------------------------------------------------

NORLAND = _thing(60, "Norland", "the Norland")
HEADS = [_fact(NORLAND, "P35", "head of state", who) for who in (ANN, BEN)]


@pytest.mark.parametrize("heads", [HEADS, HEADS[:1]])
def test_of_heads_without_a_date_none_is_that_of_a_year(heads: list[Statement]) -> None:
    answer = _ask("Who was president of Norland in 1907?", *heads)
    assert answer.values == ()
    assert "does not say when" in answer.reason


@pytest.mark.parametrize(
    "question",
    ["who was president of norland in 1907", "Who was the President of Norland in 1907?"],
)
def test_who_was_in_office_in_a_year_is_told_from_the_terms(question: str) -> None:
    assert _ask(question, *TERMS, *HEADS).values == (BEN,)


def test_who_an_office_is_asks_for_who_holds_it() -> None:
    since = Qualifier(Relation(_WD + "P580", "start time"), Literal("1911-03-04", DATE))
    now = _fact(ANN, "P39", "position held", OFFICE, since)
    assert _ask("Who is the President of Norland?", *TERMS, now).values == (ANN,)


def test_who_the_pope_is_is_nobody_of_that_last_name_nor_an_office() -> None:
    pope, poet = _thing(80, "pope", "The Pope"), _thing(81, "Alexander Pope", "Pope")
    human, works = _thing(82, "human"), _thing(83, "occupation")
    facts = [
        _fact(poet, "P31", "instance of", human),
        _fact(poet, "P106", "occupation", _thing(84, "poet")),
        _fact(pope, "P31", "instance of", works),
    ]
    assert _ask("Who is the Pope?", *facts).values == ()
    since = Qualifier(Relation(_WD + "P580", "start time"), Literal("2001-03-04", DATE))
    held = _fact(ANN, "P39", "position held", pope, since)
    assert _ask("Who is the Pope?", *facts, held).values == (ANN,)


def test_a_war_in_a_country_is_no_king_of_it() -> None:
    facts = [
        _fact(_thing(90, "Norland Civil War"), "P276", "location", NORLAND),
        _fact(ANN, "P39", "position held", _thing(91, "monarch")),
    ]
    assert _ask("Who is the king of Norland?", *facts).values == ()


def test_games_of_another_year_were_not_held_in_that_year() -> None:
    games, then = _thing(61, "Norland Games"), _thing(62, "1984 Norland Games")
    town = _thing(63, "Oldtown")
    facts = [
        _fact(then, "P31", "instance of", games),
        _fact(then, "P276", "location", town),
        _fact(town, "P31", "instance of", _thing(64, "city")),
        _fact(then, "P580", "start time", Literal("1984", YEAR)),
        _fact(then, "P582", "end time", Literal("1984", YEAR)),
    ]
    assert _ask("Which city hosted the Norland Games in 1992?", *facts).values == ()
    assert _ask("Which city hosted the Norland Games in 1984?", *facts).text == "Oldtown."


def test_of_two_who_are_compared_by_age_neither_is_a_town() -> None:
    roth, town = _thing(70, "Dora Lund", "Lund"), _thing(71, "Lund")
    facts = [
        _fact(ANN, "P569", "date of birth", Literal("1850-01-02", DATE)),
        _fact(roth, "P569", "date of birth", Literal("1840-01-02", DATE)),
        _fact(town, "P17", "country", NORLAND),
        _fact(BEN, "P19", "place of birth", town),
    ]
    assert _ask("Who was born first, Ann Roth or Lund?", *facts).values == (roth,)


def test_a_film_is_told_by_its_year_and_not_answered_for_another_year() -> None:
    facts = [
        _fact(NIGHT, "P57", "director", ANN),
        _fact(NIGHT, "P577", "publication date", Literal("1960", YEAR)),
    ]
    facts.append(_fact(ANN, "P19", "place of birth", ULM))
    asked = "Where was the director of the {} film Night Hill born?"
    assert _ask(asked.format(1960), *facts).values == (ULM,)
    other = _ask(asked.format(1970), *facts)
    assert not (other.values and other.certain)


def test_nobody_is_so_old_at_what_happened_before_their_birth() -> None:
    """The date of a film is not the birth of whom it is called after."""
    film, kennedy = _thing(40, "JFK"), _thing(41, "John F. Kennedy")
    facts = [
        _fact(film, "P577", "publication date", Literal("1991", YEAR)),
        _fact(kennedy, "P569", "date of birth", Literal("1917-05-29", DATE)),
        _fact(kennedy, "P570", "date of death", Literal("1963-11-22", DATE)),
    ]
    (age,) = _ask("How old was JFK when he was shot?", *facts).values
    assert age == number(46)
