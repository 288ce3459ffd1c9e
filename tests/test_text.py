"""Words counted and listed, what is shown of a long text, and a parser's complaint in words."""

import pytest

from kgqa_core.errors import SourceRejected
from kgqa_core.text import (
    counted,
    enumerated,
    is_last_name,
    listed,
    plural,
    shortened,
    singular,
    speaks_of_the_past,
    stem,
    stems,
    third_person,
)
from tests.small_graph import small_graph


@pytest.mark.parametrize(
    ("noun", "several"),
    [
        ("fact", "facts"),
        ("entity", "entities"),
        ("key", "keys"),
        ("church", "churches"),
        ("box", "boxes"),
        ("child", "children"),
        ("more fact", "more facts"),
    ],
)
def test_a_noun_is_written_of_several(noun, several):
    assert plural(noun) == several
    assert counted(1, noun) == f"1 {noun}"
    assert counted(0, noun) == f"0 {several}"


@pytest.mark.parametrize(
    ("verb", "theirs"),
    [("direct", "directs"), ("live in", "lives in"), ("marry", "marries"), ("be in", "is in")],
)
def test_a_verb_is_written_of_one(verb, theirs):
    assert third_person(verb) == theirs


def test_large_counts_have_their_thousands_apart():
    assert counted(1204, "fact") == "1,204 facts"


def test_the_first_are_listed_and_the_rest_is_counted():
    assert listed("abcdef", 2) == "a, b and 4 more"
    assert listed("ab", 2) == "a, b"
    assert listed([], 2) == ""
    assert listed("ab", 5, of=5) == "a, b and 3 more"  # not all are at hand
    assert listed((letter for letter in "abc"), 2, between="; ") == "a; b and 1 more"
    assert listed(map(str, range(2005)), 5).endswith(" and 2,000 more")


def test_all_are_enumerated():
    assert enumerated([]) == ""
    assert enumerated(["a"]) == "a"
    assert enumerated(["a", "b", "c"]) == "a, b and c"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("All That Heaven Allows", "All That Heaven Allows"),
        ("All That Heaven Allows, Written on the Wind", "All That Heaven Allows…"),
        ("x" * 40, "x" * 27 + "…"),
        ("All That Heaven Allows. " + "x" * 40, "All That Heaven Allows.…"),
    ],
)
def test_a_long_text_is_cut_between_words(text, shown):
    assert shortened(text, 28) == shown


@pytest.mark.parametrize(
    ("sparql", "why"),
    [
        (
            "SELECT ?x { ?x wdt:P31 }",
            r"line 1, column 24 cannot be read: expected “\$”, .* or others",
        ),
        ("SELECT ?x { ?x wdt:P31 ?y", r"line 1, column 26 cannot be read: expected “,”, “\.”, “;”"),
        ("SELECT ?x { ?x nope:P31 ?y }", "cannot be read: the prefix is not known"),
        ("SELECT ?x {\n ?x ?y ?z }}", r"line 2, column 13 cannot be read\.$"),
    ],
)
def test_a_query_that_cannot_be_read_gets_no_grammar(sparql, why):
    with pytest.raises(SourceRejected, match=why) as told:
        small_graph().query(sparql)
    assert "u{" not in str(told.value)
    assert "[" not in str(told.value)


@pytest.mark.parametrize(
    ("word", "name", "is_last"),
    [
        ("lee", "Ann Lee", True),
        ("Ann", "Ann Lee", False),
        ("Lee", "Lee", False),
        ("Lee", "Ann Lees", False),
    ],
)
def test_the_last_of_several_names(word, name, is_last):
    assert is_last_name(word, name) is is_last


@pytest.mark.parametrize(
    ("question", "past"),
    [
        ("Who is mayor of Ulm?", False),
        ("Who was mayor of Ulm?", True),
        ("Who has ever been mayor of Ulm?", True),
        ("Who runs Didam?", False),
    ],
)
def test_the_past_is_spoken_of_in_words_of_their_own(question, past):
    assert speaks_of_the_past(question) is past


def test_words_of_one_family_share_a_stem() -> None:
    assert len({stem(w) for w in ("direct", "directs", "directed", "director", "directing")}) == 1
    assert len({stem(w) for w in ("write", "wrote", "written", "writer", "writers")}) == 1
    for verb in ("murder", "discover", "border", "order", "conquer"):
        assert len({stem(f"{verb}{end}") for end in ("", "s", "ed", "ing")}) == 1
    assert stems("founded by") == stems("founder by")
    assert singular("mountain ranges") == "mountain range"
    assert singular("countries") == "country"
