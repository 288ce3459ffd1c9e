"""Template libraries: the file, its errors, and how a question finds its template."""

import pytest

from kgqa_core.kg.starter import starter_graph
from kgqa_core.methods.keqing import templates
from kgqa_core.methods.keqing.skills import OPERATIONS
from kgqa_core.methods.keqing.templates import (
    MASK,
    Chain,
    Hop,
    Library,
    LibraryError,
    Part,
    Template,
)
from kgqa_core.settings import Settings, load_settings

FILE = """# Keqing templates, format 1
# graph: films
# Written for a test.

who directed [mask]
    → directed by | support 665 | precision 0.97
    also: who's the director of [mask]
    also: the film [mask] was directed by whom
    like: who directed Jaws

which films did [mask] direct
    ← directed by | support 540 | precision 1

which films share a director with [mask]
    → directed by ← directed by | support 592 | precision 1
    step 1: who directed [mask]
    step 2 from 1: which films did [mask] direct

which films did both [mask] and [mask] direct
    step 1: which films did [mask] direct
    step 2: which films did [mask] direct
    step 3 from 1, 2: intersection
"""


@pytest.fixture
def library() -> Library:
    return templates.parse(FILE)


def test_a_file_says_what_it_holds(library):
    assert library.graph == "films"
    assert library.about == "Written for a test."
    first, _, third, last = library.templates
    assert first.chains == (Chain((Hop("directed by"),), 665, 0.97),)
    assert first.example == "who directed Jaws"
    assert third.chains[0].hops == (Hop("directed by"), Hop("directed by", "in"))
    assert third.parts[1] == Part("which films did [mask] direct", (1,))
    assert last.parts[2] == Part("intersection", (1, 2))
    assert library.relations == ("directed by",)


def test_a_file_that_is_read_and_written_stays_the_same(library):
    assert templates.dump(library) == FILE
    assert templates.parse(templates.dump(library)) == library


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("who directed it\n", 1, "has none"),
        ("who directed [mask]\n    directed by\n", 2, "is not a chain"),
        ("who directed [mask]\n    → \n", 2, "names a relation"),
        ("who directed [mask]\n    → a | support many\n", 2, "whole number"),
        ("who directed [mask]\n    also: who\n", 2, "[mask]"),
        ("who directed [mask]\n    step 2: who\n", 2, "step 1 should"),
        ("who directed [mask]\n    step 1 from 1: who\n", 2, "does not come before"),
        ("a [mask]\n\n\na [mask]\n", 4, "line 1"),
        ("    → directed by\n", 1, "no template stands above"),
    ],
)
def test_a_wrong_line_is_named_with_the_reason(text, line, why):
    with pytest.raises(LibraryError) as error:
        templates.parse(text, "mine.txt")
    assert f"mine.txt, line {line}" in str(error.value)
    assert why in str(error.value)


def test_an_empty_or_binary_file_is_no_library(tmp_path):
    with pytest.raises(LibraryError, match="no template"):
        templates.parse("")
    path = tmp_path / "x.txt"
    path.write_bytes(b"\x89PNG\xff\xfe")
    with pytest.raises(LibraryError, match="not text"):
        templates.load(path)
    with pytest.raises(LibraryError, match="cannot be read"):
        templates.load(tmp_path / "none.txt")


def test_a_changed_file_is_read_again(tmp_path, library):
    path = tmp_path / "x.txt"
    templates.save(library, path)
    assert len(templates.load(path).templates) == 4
    templates.save(library.without("who directed [mask]"), path)
    assert len(templates.load(path).templates) == 3


@pytest.mark.parametrize(
    ("question", "template", "mentions"),
    [
        ("Who directed Written on the Wind?", "who directed [mask]", ("Written on the Wind",)),
        ("who’s the director of  JAWS ?", "who directed [mask]", ("JAWS",)),
        ("The film [Jaws] was directed by whom", "who directed [mask]", ("Jaws",)),
        ("which films share a director with E.T.", "which films share a director with [mask]", ()),
        (
            "Which films did both Joel Coen and Ethan Coen direct?",
            "which films did both [mask] and [mask] direct",
            ("Joel Coen", "Ethan Coen"),
        ),
    ],
)
def test_a_known_wording_tells_template_and_name(library, question, template, mentions):
    match = library.read(question)[0]
    assert match.template.text == template
    assert match.score == 1.0
    assert not mentions or match.mentions == mentions


def test_the_most_telling_wording_comes_first():
    library = templates.parse("who made [mask]\n    → a\n\nwho made the film [mask]\n    → b\n")
    found = library.read("who made the film Jaws")
    assert [m.mentions for m in found] == [("Jaws",), ("the film Jaws",)]


def test_an_unknown_question_is_not_read(library):
    assert library.read("how high is Everest") == []
    assert library.read("") == []


def test_a_mention_is_masked_as_a_whole_word_only():
    assert templates.masked("Is Gigi in Gigi?", "Gigi") == [
        "Is [mask] in Gigi?",
        "Is Gigi in [mask]?",
    ]
    assert templates.masked("who directed the artist", "art") == []
    assert templates.masked("who directed jaws", "Jaws") == [f"who directed {MASK}"]


def test_an_unknown_wording_is_heard_by_its_words(library):
    """Without an encoder; hops known from other templates speak for a chain, too."""
    nearest = library.nearest("the director of [mask] is who", 2, None)
    assert nearest[0].template.text == "who directed [mask]"
    assert 0 < nearest[0].score < 1
    assert library.nearest("who directed [mask]", 5, None)[0].score == 1.0
    assert len(library.nearest("who directed [mask]", 5, None)) == 1


def test_editing_gives_another_library(library):
    new = Template("who shot [mask]", (Chain((Hop("camera"),)),))
    assert library.put(new).templates[-1] == new
    assert library.put(new, "who directed [mask]").templates[0] == new
    assert len(library.templates) == 4
    assert library.without("who directed [mask]").exact("who directed [mask]") is None


def test_merging_keeps_wordings_and_adds_support_up():
    library = templates.parse(
        "a [mask]\n    → r | support 30 | precision 1\n    also: b [mask]\n\n"
        "c [mask]\n    → r | support 10 | precision 0.6\n    → s | support 5 | precision 1\n"
    )
    (merged,) = library.merged("a [mask]", "c [mask]").templates
    assert merged.wordings == ("b [mask]", "c [mask]")
    assert merged.chains == (Chain((Hop("r"),), 40, 0.9), Chain((Hop("s"),), 5, 1.0))


def find(name, settings):
    kg = starter_graph()
    return templates.find(name, kg.name, templates.Relations(kg.relation), settings)


def test_the_library_that_fits_the_graph_is_found():
    assert find("", Settings()).graph == "starter"
    assert find("metaqa", Settings()).graph == "MetaQA"


def test_a_library_of_another_graph_is_refused_with_what_is_missing(tmp_path):
    path = tmp_path / "other.txt"
    path.write_text("who ate [mask]\n    ← eaten by | support 1 | precision 1\n", encoding="utf-8")
    with pytest.raises(LibraryError, match=r"eaten by.*Choose another"):
        find(str(path), Settings())


def test_a_hosted_app_opens_no_files_of_the_server(tmp_path):
    path = tmp_path / "x.txt"
    path.write_text(FILE, encoding="utf-8")
    with pytest.raises(LibraryError, match="starter"):
        find(str(path), Settings(hosted=True, data_dir=tmp_path))


def test_the_starter_library_fits_its_graph_and_its_steps_are_templates():
    library = templates.load(templates.SHIPPED / "starter.txt")
    assert templates.Relations(starter_graph().relation).missing(library.relations) == []
    for template in library.templates:
        assert template.chains or template.parts, template.text
        for part in template.parts:
            known = library.exact(part.text) is not None
            assert known or part.text in OPERATIONS, (template.text, part.text)


def test_no_two_templates_of_a_shipped_library_have_one_wording():
    for path in templates.SHIPPED.glob("*.txt"):
        library = templates.load(path)
        texts = [templates.plain(t) for x in library.templates for t in x.texts]
        assert len(texts) == len(set(texts)), path


@pytest.mark.parametrize(
    ("a", "b", "alike"),
    [
        ("how many languages does [mask] have", "what languages does [mask] have", False),
        ("is [mask] a language", "what language is [mask]", False),
        ("who was the first king of [mask]", "who was king of [mask]", False),
        ("who ruled [mask] in 1912", "who ruled [mask]", False),
        ("How many tongues are spoken in [mask]?", "count the languages of [mask]", True),
        ("who is the writer of [mask]", "who wrote [mask]", True),
        ("can you list the songs of [mask]", "what are the songs of [mask]", True),
        ("can you please tell me how many live in [mask]", "how many live in [mask]", True),
        ("can you say whether [mask] is a lake", "where is [mask]", False),
        ("can you tell me if anybody lives in [mask]", "who lives in [mask]", False),
        ("can you swim in [mask]", "who swims in [mask]", False),
        ("can they name [mask]", "who named [mask]", False),
        ("who is the mother of [mask]'s mother", "who is the mother of [mask]", False),
        ("who is [mask]'s mother's mother", "who is [mask]'s mother", False),
        ("who is the mother of the mother of [mask]", "who is the mother of [mask]", False),
        ("who is [mask]'s mother", "who is the mother of [mask]", True),
        ("who is the head of state of [mask]", "who is the president of [mask]", True),
    ],
)
def test_what_a_wording_demands(a, b, alike):
    assert (templates.demands(a) == templates.demands(b)) is alike


def test_a_wording_that_demands_something_else_is_no_fit(tmp_path):
    """However near it is in meaning: counting is another question."""
    wordings = ["what languages are spoken in [mask]", "what currency is used in [mask]"]
    chain = Chain((Hop("official language"),))
    collection = Library(tuple(Template(text, (chain,)) for text in wordings))
    (best, *_) = collection.nearest("how many languages are spoken in [mask]", 2, None)
    assert best.template.text == wordings[0]
    assert best.score <= 0.85


def test_what_compass_keeps_is_no_library_of_keqings_and_a_copy_of_ones_own_is(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("KGQA_DATA_DIR", str(tmp_path))
    settings, relations = load_settings(), templates.Relations(starter_graph().relation)
    known: dict[str, Library] = {}
    ships = templates.fitting("", "starter", relations, known)
    one = Template("who made [mask]", (Chain((Hop("director (P57)"),)),))
    templates.save(Library((one,)), tmp_path / "templates" / f"{templates.KEPT}starter.txt")
    assert templates.find("", "starter", relations, settings) is ships
    templates.save(ships.put(one), tmp_path / "templates" / "starter.txt")
    assert templates.fitting("", "starter", relations, known).exact(one.text) == one


def test_the_library_that_fits_best_is_not_the_smallest():
    """Of a part of Wikidata: most of one library's relations are there, few of the other's."""
    settings = load_settings()
    known = {stem: templates.load(path) for stem, path in templates.available(settings).items()}
    lacking = {*known["metaqa"].relations[:7], *known["starter"].relations[:20]}

    class Part(templates.Relations):
        def missing(self, names):
            return [name for name in names if name in lacking]

    part = Part(starter_graph().relation)
    assert templates.find("", "Wikidata", part, settings) is known["starter"]
