import pytest

from kgqa_core.text import counted, enumerated, listed, plural


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
