"""The lists of words in `assets/reader/words.tsv`."""

import re

import pytest

from kgqa_core.reader.lexicon import word_lists
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
