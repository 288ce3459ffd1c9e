import pytest

from kgqa_core.kg.labels import LabelIndex, Name, fold

NAMES = [
    ("sirk", "Douglas Sirk"),
    ("film", "Written on the Wind"),
    ("totti", "Francesco Totti"),
    ("wrights", "Wright brothers"),
    ("orville", "Orville Wright"),
    ("paulo", "São Paulo"),
    ("paul", "Paul"),
    ("beatles", "The Beatles"),
    ("spider", "Spider-Man"),
    ("eleven", "Apollo 11"),
    ("thirteen", "Apollo 13"),
    ("oceans", "Ocean's Eleven"),
    ("acdc", "AC/DC"),
    ("it", "It"),
    ("ulm", "Ulm"),
    ("titanic", "Titanic"),
    ("oxford", "University of Oxford"),
    ("oerstedt", "Hans Christian Ørsted"),
    ("strasse", "Straße"),
    ("cairo", "القاهرة"),
    ("emoji", "🎬🐍"),
]
ALIASES = [("sirk", "Detlef Sierck"), ("beatles", "Fab Four"), ("totti", "The King of Rome")]


@pytest.fixture(scope="module")
def index():
    return LabelIndex(
        [Name(i, text, alias=False) for i, text in NAMES]
        + [Name(i, text, alias=True) for i, text in ALIASES]
    )


def best(index, mention):
    found = index.find(mention)
    return (found[0].id, found[0].score) if found else ("", 0)


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("  São-Paulo’s ", "sao paulos"),
        ("AC/DC", "ac dc"),
        ("Straße Øre", "strasse ore"),
        ("snake_case", "snake case"),
        ("🎬", ""),
        ("القاهرة", "القاهرة"),
    ],
)
def test_fold(text, folded):
    assert fold(text) == folded


@pytest.mark.parametrize(
    ("mention", "entity", "score"),
    [
        ("Douglas Sirk", "sirk", 1.0),
        ("Douglas   Sirk ", "sirk", 1.0),
        ("Detlef Sierck", "sirk", 0.99),
        ("douglas sirk", "sirk", 0.97),
        ("detlef sierck", "sirk", 0.96),
        ("Sao Paulo", "paulo", 0.97),
        ("Orsted, Hans Christian", "oerstedt", 0.92),
        ("Spiderman", "spider", 0.97),
        ("acdc", "acdc", 0.97),
        ("Beatles", "beatles", 0.95),
        ("the Fab Four", "beatles", 0.94),
        ("The Written on the Wind", "film", 0.95),
        ("Douglas Sirk's", "sirk", 0.95),
        ("the Wright brothers’", "wrights", 0.95),
        ("Oceans Eleven", "oceans", 0.97),
        ("IT", "it", 0.97),
        ("ulm", "ulm", 0.97),
        ("STRASSE", "strasse", 0.97),
        ("القاهرة", "cairo", 1.0),
        ("🎬🐍", "emoji", 1.0),
    ],
)
def test_whole_names(index, mention, entity, score):
    assert best(index, mention) == (entity, score)


@pytest.mark.parametrize(
    ("mention", "entity"),
    [
        ("Totti", "totti"),
        ("brothers Wright", "wrights"),
        ("Oxford University", "oxford"),
        ("king of Rome", "totti"),
        ("Duglas Sirk", "sirk"),
        ("Douglas Srik", "sirk"),
        ("DouglasSirk", "sirk"),
        ("Writen on the Wind", "film"),
        ("Written onthe Wind", "film"),
        ("Wright brother", "wrights"),
        ("Francesca Totti", "totti"),
        ("Tottti", "totti"),
        ("Titanci", "titanic"),
        ("the movie Titanic", "titanic"),
        ("film Written on the Wind (1956)", "film"),
    ],
)
def test_parts_and_typing_errors(index, mention, entity):
    found, score = best(index, mention)
    assert found == entity
    assert 0.4 < score <= 0.97


@pytest.mark.parametrize(
    "mention",
    [
        "",
        " ",
        "the",
        "of the",
        "'s",
        "qwertyuiop",
        "Apollo 12",
        "Sir",
        "Ul",
        "Paulus Maximus",
        "wind turbine manufacturer",
        "x" * 10_000,
        "Sirk " * 500,
    ],
)
def test_what_is_like_nothing_finds_nothing(index, mention):
    assert index.find(mention) == []


def test_a_whole_name_beats_a_part_and_a_label_an_alias():
    index = LabelIndex(
        [
            Name("hilton", "Paris Hilton", alias=False),
            Name("city", "Paris", alias=False),
            Name("troy", "Alexander", alias=False),
            Name("troy", "Paris", alias=True),
        ]
    )
    assert [m.id for m in index.find("Paris")] == ["city", "troy", "hilton"]


def test_an_entity_is_found_once_by_its_best_name():
    index = LabelIndex(
        [Name("a", "Ann Lee", False), Name("a", "Ann", True), Name("a", "ANN", True)]
    )
    [match] = index.find("Ann")
    assert (match.text, match.score) == ("Ann", 0.99)


def test_numbers_are_not_misspelt(index):
    assert best(index, "Apolo 11")[0] == "eleven"
    assert best(index, "Apolo 13")[0] == "thirteen"
    assert index.find("Apolo 12") == []


def test_no_names_no_matches():
    assert LabelIndex([]).find("anything") == []
