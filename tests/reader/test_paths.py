"""A way through a graph, in words."""

from __future__ import annotations

import pytest

from kgqa_core.reader.paths import Hop, told, words


def test_a_way_is_put_in_words_from_the_name_outwards():
    assert words([Hop("author", "out")]) == "author of X"
    assert words([Hop("author", "in")]) == "those whose author is X"
    nested = words([Hop("cast_member", "in"), Hop("director", "out")], "Lana Turner")
    assert nested == "director of those whose cast member is Lana Turner"


@pytest.mark.parametrize(
    ("hop", "said"),
    [
        (Hop("author", "out"), "author of Emma"),
        (Hop("owner of", "out"), "what Emma is owner of"),
        (Hop("shares border with", "out"), "what Emma shares border with"),
        (Hop("shares border with", "in"), "what shares border with Emma"),
        (Hop("named after", "in"), "what is named after Emma"),
        (Hop("works at", "out"), "what Emma works at"),
        (Hop("is_located_in", "in"), "what is located in Emma"),
        (Hop("instance of", "out"), "what Emma is"),
        (Hop("instance of", "in"), "all that is called Emma"),
        (Hop("has part(s)", "in"), "what Emma is a part of"),
    ],
)
def test_a_way_is_told_to_people_in_words_that_go_together(hop, said):
    assert told([hop], "Emma") == said
