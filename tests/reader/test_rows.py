"""Who came next, who held an office when, who plays which part in a group, and what is measured."""

import pytest

from kgqa_core.ask.events import Answer
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
from tests.reader.small import WD, ask, fact, held, of, thing


def _ask(question: str, *statements: Statement) -> Answer:
    return ask(of(statements), question)


ANN, BEN, CAT = thing(1, "Ann Roth"), thing(2, "Ben Ask"), thing(3, "Cat Lund")
OFFICE = thing(10, "President of Norland")
GUILD = thing(11, "treasurer of the guild")
BAND, DRUMMER, SINGER = thing(20, "Loud Herons"), thing(21, "drummer"), thing(22, "singer")
ALBUM, SONGS = thing(23, "Grey Feathers"), thing(24, "album")
NIGHT, ULM = thing(42, "Night Hill"), thing(43, "Ulm")
STORM, FROST = thing(30, "stormite"), thing(31, "frostite")


TERMS = [
    held(ANN, OFFICE, 1901, 1905),
    held(BEN, OFFICE, 1905, 1909),
    held(CAT, OFFICE, 1909, 1911),
    held(BEN, GUILD, 1890, 1891),
]


def test_when_somebody_was_president_is_told_from_its_beginning_to_its_end() -> None:
    answer = _ask("When was Ben Ask president?", *TERMS)
    assert answer.text == "4 March 1905 and 4 March 1909."


BAND_FACTS = [
    fact(BAND, "P31", "instance of", thing(25, "musical group")),
    fact(BAND, "P527", "has part(s)", ANN),
    fact(BAND, "P527", "has part(s)", BEN),
    fact(ANN, "P106", "occupation", DRUMMER),
    fact(BEN, "P106", "occupation", SINGER),
    fact(ALBUM, "P175", "performer", BAND),
    fact(ALBUM, "P31", "instance of", SONGS),
]


def test_the_drummer_of_a_band_is_the_member_who_is_one() -> None:
    assert _ask("Who is the drummer of Loud Herons?", *BAND_FACTS).values == (ANN,)
    assert _ask("Who is the lead singer of Loud Herons?", *BAND_FACTS).values == (BEN,)


def test_who_asks_for_somebody_gets_no_album() -> None:
    without = [f for f in BAND_FACTS if f.object != SINGER]
    assert _ask("Who is the lead singer of Loud Herons?", *without).values == ()


@pytest.mark.parametrize(
    ("question", "which"),
    [
        ("Which has the higher melting point, stormite or frostite?", STORM),
        ("Which has a lower melting point, stormite or frostite?", FROST),
    ],
)
def test_two_are_compared_by_a_measure_of_several_words(question: str, which: Entity) -> None:
    points = [
        fact(what, "P2101", "melting point", Literal(degrees, DECIMAL))
        for what, degrees in ((STORM, "900"), (FROST, "12"))
    ]
    assert _ask(question, *points).values == (which,)


def test_a_national_bird_is_no_national_of_a_country() -> None:
    citizen = fact(ANN, "P27", "country of citizenship", thing(40, "Norland"))
    assert _ask("What is the national bird of Norland?", citizen).values == ()


def test_what_something_is_called_is_its_name() -> None:
    cub = thing(50, "leveret", "young hare", "baby hare")
    facts = [fact(cub, "P279", "subclass of", thing(51, "hare"))]
    for question in ("What is a baby hare called?", "What do you call a young hare?"):
        assert _ask(question, *facts).values == (cub,)


# -- at another time ---------------------------------------------------------------------------

NORLAND = thing(60, "Norland", "the Norland")
HEADS = [fact(NORLAND, "P35", "head of state", who) for who in (ANN, BEN)]


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
    since = Qualifier(Relation(WD + "P580", "start time"), Literal("1911-03-04", DATE))
    now = fact(ANN, "P39", "position held", OFFICE, since)
    assert _ask("Who is the President of Norland?", *TERMS, now).values == (ANN,)


def test_who_the_pope_is_is_nobody_of_that_last_name_nor_an_office() -> None:
    pope, poet = thing(80, "pope", "The Pope"), thing(81, "Alexander Pope", "Pope")
    human, works = thing(82, "human"), thing(83, "occupation")
    facts = [
        fact(poet, "P31", "instance of", human),
        fact(poet, "P106", "occupation", thing(84, "poet")),
        fact(pope, "P31", "instance of", works),
    ]
    assert _ask("Who is the Pope?", *facts).values == ()
    since = Qualifier(Relation(WD + "P580", "start time"), Literal("2001-03-04", DATE))
    held = fact(ANN, "P39", "position held", pope, since)
    assert _ask("Who is the Pope?", *facts, held).values == (ANN,)


def test_a_war_in_a_country_is_no_king_of_it() -> None:
    facts = [
        fact(thing(90, "Norland Civil War"), "P276", "location", NORLAND),
        fact(ANN, "P39", "position held", thing(91, "monarch")),
    ]
    assert _ask("Who is the king of Norland?", *facts).values == ()


def test_games_of_another_year_were_not_held_in_that_year() -> None:
    games, then = thing(61, "Norland Games"), thing(62, "1984 Norland Games")
    town = thing(63, "Oldtown")
    facts = [
        fact(then, "P31", "instance of", games),
        fact(then, "P276", "location", town),
        fact(town, "P31", "instance of", thing(64, "city")),
        fact(then, "P580", "start time", Literal("1984", YEAR)),
        fact(then, "P582", "end time", Literal("1984", YEAR)),
    ]
    assert _ask("Which city hosted the Norland Games in 1992?", *facts).values == ()
    assert _ask("Which city hosted the Norland Games in 1984?", *facts).text == "Oldtown."


def test_of_two_who_are_compared_by_age_neither_is_a_town() -> None:
    roth, town = thing(70, "Dora Lund", "Lund"), thing(71, "Lund")
    facts = [
        fact(ANN, "P569", "date of birth", Literal("1850-01-02", DATE)),
        fact(roth, "P569", "date of birth", Literal("1840-01-02", DATE)),
        fact(town, "P17", "country", NORLAND),
        fact(BEN, "P19", "place of birth", town),
    ]
    assert _ask("Who was born first, Ann Roth or Lund?", *facts).values == (roth,)


def test_a_film_is_told_by_its_year_and_not_answered_for_another_year() -> None:
    facts = [
        fact(NIGHT, "P57", "director", ANN),
        fact(NIGHT, "P577", "publication date", Literal("1960", YEAR)),
    ]
    facts.append(fact(ANN, "P19", "place of birth", ULM))
    asked = "Where was the director of the {} film Night Hill born?"
    assert _ask(asked.format(1960), *facts).values == (ULM,)
    other = _ask(asked.format(1970), *facts)
    assert not (other.values and other.certain)


def test_as_many_are_told_as_the_question_says_there_are() -> None:
    left = fact(CAT, "P463", "member of", BAND)
    said = [fact(who, "P463", "member of", BAND) for who in (ANN, BEN)]
    answer = _ask("Who were the two members of Loud Herons?", *BAND_FACTS, *said, left)
    assert set(answer.values) == {ANN, BEN}
