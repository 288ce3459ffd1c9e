"""What is said of a subject, and what a verb leads to from it."""

import pytest

from tests.reader.shapes import likeliest


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("[Carlton Albright] directed which movies", "film[directed:agent(Carlton Albright)]"),
        ("the film [Psycho] was directed by who", "directed:patient(Psycho)"),
        ("Cairo is the capital of which country?", "country[capital:holder(Cairo)]"),
        (
            "the movies directed by the director of [Jaws] starred who",
            "starred:agent(film[directed:agent(director:role(Jaws))])",
        ),
        (
            "Which countries border Germany and use the euro?",
            "country[border:patient(Germany) intersection use:patient(euro)]",
        ),
        (
            "Which countries border both France and Germany?",
            "country[border:patient(France) intersection border:patient(Germany)]",
        ),
        (
            "Which countries bordering Germany do not use the euro?",
            "country[bordering:patient(Germany)] minus use:patient(euro)",
        ),
        (
            "Which films did James Cameron both write and direct?",
            "film[write:agent(James Cameron) intersection direct:agent(James Cameron)]",
        ),
        (
            "Which movies did Tim Burton direct and Danny Elfman score?",
            "film[direct:agent(Tim Burton) intersection score:agent(Danny Elfman)]",
        ),
        (
            "Which films share a director with Jaws?",
            "film[director:holder(director:role(Jaws)) minus Jaws]",
        ),
        ("When did the reign of Ann Roth end?", "hold:agent(Ann Roth)"),
        ("When did Bill Clinton's presidency end?", "hold:agent(Bill Clinton & president)"),
        ("What else did the director of Jaws make?", "make:agent(director:role(Jaws)) minus Jaws"),
        ("Where was Albert Einstein born?", "born:agent(Albert Einstein)"),
        ("When did Marie Curie die?", "die:agent(Marie Curie)"),
        ("Who won the first Ulm Prize?", "won first:patient(Ulm Prize)"),
        ("Who won the first Ulm Cup?", "won:patient(first Ulm Cup)"),
        ("Which country won the first Ulm Cup?", "country[won:patient(first Ulm Cup)]"),
    ],
)
def test_a_verb_phrase_is_read(question: str, expected: str) -> None:
    assert expected in likeliest(question)
