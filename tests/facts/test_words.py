"""Values and statements in words, and back into normal form."""

from dataclasses import replace

import pytest

from kgqa_core.facts import verbalise
from kgqa_core.facts.normalise import literal
from kgqa_core.facts.terms import (
    BOOLEAN,
    DATE,
    DECIMAL,
    MONTH,
    STRING,
    YEAR,
    Entity,
    Literal,
    Qualifier,
    Relation,
    RelationUse,
    Statement,
)

TOTTI, BLASI = Entity("wd:Q1", "Francesco Totti"), Entity("wd:Q2", "Ilary Blasi")
SPOUSE, START = Relation("p:26", "spouse"), Relation("p:580", "start time")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (Literal("1912-04-15", DATE), "15 April 1912"),
        (Literal("1912-04", MONTH), "April 1912"),
        (Literal("1912", YEAR), "1912"),
        (Literal("-0044-03-15", DATE), "15 March 44 BC"),
        (Literal("0079", YEAR), "AD 79"),
        (Literal("4167", DECIMAL, Entity("u", "kilometre")), "4,167 km"),
        (Literal("309.60", DECIMAL), "309.6"),
        (Literal("-1234567.5", DECIMAL), "-1,234,567.5"),
        (Literal("-0.5", DECIMAL), "-0.5"),
        (Literal("true", BOOLEAN), "Yes"),
        (Literal("1912-13", "other"), "1912-13"),
        (TOTTI, "Francesco Totti"),
        (Entity("http://www.wikidata.org/entity/Q42"), "Q42"),
    ],
)
def test_value_in_words(value, words):
    assert verbalise.value(value) == words


def test_statement_in_words_keeps_its_qualifiers():
    wedding = Qualifier(START, Literal("2005-06-19", DATE))
    said = verbalise.statement(Statement(TOTTI, SPOUSE, BLASI, (wedding,)))
    assert said == "Francesco Totti — spouse — Ilary Blasi (start time: 19 June 2005)"


def test_relation_in_words_shows_direction_and_that_there_is_more():
    use = RelationUse(SPOUSE, "in", 3, ("Ilary Blasi",))
    assert verbalise.relation_use(use) == "spouse ← Ilary Blasi, … (3)"
    unnamed = RelationUse(SPOUSE, "out", 7, ("", ""))
    assert verbalise.relation_use(unnamed) == "spouse → (7, not named here)"
    whole = RelationUse(SPOUSE, "out", 2, ("Ilary Blasi", "Noemi Bocchi"))
    assert verbalise.relation_use(whole) == "spouse → Ilary Blasi, Noemi Bocchi"
    comma = RelationUse(SPOUSE, "out", 1, ("Ilary, of Rome",))
    assert verbalise.relation_use(comma) == "spouse → Ilary, of Rome (1)"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Yes", Literal("true", BOOLEAN)),
        ("incorrect.", Literal("false", BOOLEAN)),
        ("1,234.50", Literal("1234.50", DECIMAL)),
        ("42", Literal("42", DECIMAL)),
        ("15 April 1912", Literal("1912-04-15", DATE)),
        ("April 15, 1912", Literal("1912-04-15", DATE)),
        ("1912-04-15T00:00:00Z", Literal("1912-04-15", DATE)),
        ("1912-04", Literal("1912-04", MONTH)),
        ("1912-00-00", Literal("1912", YEAR)),
        ("April 1912", Literal("1912-04", MONTH)),
        ("Salt Lake City", None),
    ],
)
def test_answers_in_normal_form(text, expected):
    assert literal(text) == expected


def test_other_text_becomes_a_string_only_when_asked():
    assert literal(" Salt Lake City ", text_too=True) == Literal("Salt Lake City", STRING)


@pytest.mark.parametrize(
    ("label", "datatype", "text", "words"),
    [
        ("release year", "", "1880", "1880"),
        ("inception", "time", "1880", "1880"),
        ("population", "quantity", "1880", "1,880"),
        ("VIAF ID", "externalid", "113230702", "113230702"),
        ("population", "", "113230702", "113,230,702"),
    ],
)
def test_years_and_identifiers_are_no_quantities(label, datatype, text, words):
    relation = Relation("urn:r", label, datatype=datatype)
    fact = Statement(Entity("urn:a", "A"), relation, Literal(text, DECIMAL))
    assert verbalise.statement(fact) == f"A — {label} — {words}"


METRE = Entity("http://www.wikidata.org/entity/Q11573")
CENTIMETRE = Entity("http://www.wikidata.org/entity/Q174728", "centimetre")
THEIRS = Entity("http://other.example/entity/Q11573")


@pytest.mark.parametrize(
    ("unit", "words"), [(METRE, "157 m"), (CENTIMETRE, "157 cm"), (THEIRS, "157 Q11573")]
)
def test_a_unit_has_its_sign_where_a_graph_has_no_name_for_it(unit, words):
    assert verbalise.value(Literal("157", DECIMAL, unit)) == words


@pytest.mark.parametrize(
    ("datatype", "text", "words"),
    [
        ("time", "1732-02-22", "22 February 1732"),
        ("time", "1599-06", "June 1599"),
        ("time", "-0044-03-15", "15 March 44 BC"),
        ("time", "-4540000000", "4540000000 BC"),
        ("time", "1752 (deprecated)", "1752 (deprecated)"),
        ("time", "unknown value", "unknown value"),
        ("quantity", "147095000 Q828224", "147,095,000 km"),
        ("quantity", "6371 kilometre", "6,371 km"),
        ("quantity", "0", "0"),
        ("item", "1984", "1984"),
        ("externalid", "113230702", "113230702"),
    ],
)
def test_a_list_of_relations_has_values_as_everywhere(datatype, text, words):
    relation = Relation("urn:r", "matter", datatype=datatype)
    assert (
        verbalise.relation_use(RelationUse(relation, "out", 1, (text,)))
        == f"matter → {words}{' (1)' * (',' in words)}"
    )
    back = RelationUse(relation, "in", 1, (text,))
    assert verbalise.relation_use(back) == f"matter ← {text}"


def test_a_value_is_told_as_the_facts_that_lead_to_it_tell_it():
    year, people = Relation("urn:r", "release year"), Relation("urn:p", "population")
    one, value = Entity("urn:a", "A"), Literal("1880", DECIMAL)
    assert verbalise.led_to(value, [Statement(one, year, value)]) == "1880"
    assert verbalise.led_to(value, [Statement(one, people, value)]) == "1,880"
    assert verbalise.led_to(value, []) == "1,880"


def test_an_amount_that_changes_is_told_with_its_date():
    point, people = Relation("urn:t", "point in time"), Relation("urn:p", "population")
    one, value = Entity("urn:a", "A"), Literal("1880", DECIMAL)
    dated = Statement(one, people, value, (Qualifier(point, Literal("2024", YEAR)),))
    assert verbalise.led_to(value, [dated]) == "1,880 (as of 2024)"
    high = Relation("urn:h", "height")
    assert verbalise.led_to(value, [replace(dated, relation=high)]) == "1,880"


def test_details_of_a_statement_say_that_it_is_deprecated_and_how_many_are_left():
    of = Relation("urn:q", "of")
    many = tuple(Qualifier(of, Entity(f"urn:{n}", f"n{n}")) for n in range(20))
    wrong = Statement(Entity("urn:a", "A"), of, Entity("urn:b", "B"), many, rank="deprecated")
    assert verbalise.details(wrong).startswith("deprecated; of: n0; of: n1")
    assert verbalise.details(wrong).endswith("of: n11; 8 more")
    assert verbalise.details(wrong, None).endswith("of: n19")


def test_what_a_catalogue_notes_of_a_statement_is_told_who_asks_for_it():
    at, day = "http://www.wikidata.org/prop/qualifier/", Literal("2019-05-04", DATE)
    added = (
        (Relation(f"{at}P580", "start time", "", (), "time"), Literal("1851", YEAR)),
        (Relation(f"{at}P813", "retrieved", "", (), "time"), day),
        (Relation(f"{at}P1810", "subject named as", "", ("credited as",)), Literal("L. Marn")),
        (Relation(f"{at}P6552", "Harbour ID", "", (), "externalid"), Literal("hb-81")),
        (Relation("urn:q", "category", "", (), "item"), Entity("urn:b", "Best Mast")),
    )
    many = tuple(Qualifier(r, v) for r, v in added)
    lighthouse, keeper = Entity("urn:l", "Sund Light"), Entity("urn:k", "Lene Marn")
    s = Statement(lighthouse, Relation("urn:p", "keeper"), keeper, many)
    assert verbalise.details(s) == "start time: 1851; category: Best Mast"
    asked = verbalise.details(s, question="As what is the keeper of Sund Light credited?")
    assert asked == "start time: 1851; subject named as: L. Marn; category: Best Mast"
    assert "retrieved: 4 May 2019" in verbalise.details(s, None)
    picture = Statement(lighthouse, Relation("urn:i", "image"), Literal("Sund.jpg"), many[1:2])
    assert verbalise.details(picture) == "retrieved: 4 May 2019"
