"""The lists of words in `assets/reader/words.tsv`."""

import re

import pytest

from kgqa_core.reader.lexicon import lexicon, word_lists
from tests.places import ROOT

CODE = "\n".join(
    file.read_text(encoding="utf-8") for file in (ROOT / "kgqa_core" / "reader").rglob("*.py")
)


@pytest.mark.parametrize("kind", word_lists())
def test_a_list_is_read_and_has_single_words_in_small_letters(kind):
    assert CODE.count(f'word_list("{kind}")') == 1
    assert word_lists()[kind]
    assert all(word == word.casefold() and re.search(r"\w", word) for word in word_lists()[kind])


def test_no_list_repeats_another():
    lists = list(word_lists().values())
    assert len(set(lists)) == len(lists)


def test_nouns_and_verbs_are_told_apart():
    lex = lexicon()
    assert lex.is_noun("capital")
    assert lex.is_noun("grandfather")
    assert not lex.is_noun("harpsichord")
    assert lex.is_verb("directed")
    assert not lex.is_verb("actors")  # they act, and are no verb
    assert lex.find(("direct",), "verb")[0].kind == "verb"


def test_a_noun_is_itself_before_what_has_its_stem():
    player, play = (lexicon().class_of(noun) for noun in ("players", "play"))
    assert player is not None
    assert player.what == "person"
    assert play is not None
    assert play.what == "work"
    assert lexicon().class_of("directed") is None


def test_a_short_name_is_written_in_full_but_not_twice():
    (full, *_) = lexicon().renamed("EU")
    assert full == "European Union"
    assert lexicon().renamed("European Union") == ()


@pytest.mark.parametrize(
    ("text", "full"),
    [
        ("WHO", "World Health Organization"),
        ("head of the WHO", "head of the World Health Organization"),
        ("Who Killed Cock Robin", ""),
        ("La Plata", ""),
        ("LA", "Los Angeles"),
        ("Nato", "North Atlantic Treaty Organization"),
    ],
)
def test_a_word_in_a_name_is_no_abbreviation(text, full):
    assert (lexicon().renamed(text) or ("",))[0] == full


def test_the_longest_known_part_of_a_phrase_dates_it():
    assert lexicon().dated_by("the quill and the pot") == ()
    assert lexicon().dated_by("the very old born") == lexicon().dated_by("born") != ()
