"""Question sets: each format reads its sample, and bad files say what is wrong."""

import gzip
import json

import pytest

from kgqa_core.evaluation.datasets import FORMATS, DatasetError, load
from kgqa_core.evaluation.datasets.base import Gold
from kgqa_core.evaluation.datasets.sparql import kinds
from tests.places import DATA

WD = "http://www.wikidata.org/entity/"


def bindings(**cells):
    return [{name: {"type": "uri", "value": value} for name, value in cells.items()}]


QALD = {
    "questions": [
        {
            "id": 7,
            "question": [
                {"language": "de", "string": "Nach wem?"},
                {"language": "en", "string": "After whom?"},
            ],
            "query": {"sparql": "SELECT ?r WHERE { wd:Q761383 wdt:P138 ?r. }"},
            "answers": [{"head": {}, "results": {"bindings": bindings(r=WD + "Q42299")}}],
        },
        {
            "id": 8,
            "question": [{"language": "en", "string": "Is it?"}],
            "query": {"sparql": "PREFIX wd: <http://x/> ASK { wd:Q1 wdt:P31 wd:Q2 }"},
            "answers": [{"head": {}, "boolean": False}],
        },
        {"id": 9, "question": "Without answers?", "query": {}},
    ]
}
OFFLINE = {
    "id": 0,
    "question": "After whom is it named?",
    "type": "SELECT",
    "sparql": "SELECT ?r WHERE { wd:Q761383 wdt:P138 ?r. }",
    "topic_entities": {"Q761383": "Riemannian geometry"},
    "gold": ["Q42299"],
    "gold_2024": [],
    "answer_labels": {"Q42299": "Bernhard Riemann"},
    "answer_aliases": {"Q42299": ["Georg Riemann"]},
    "offline": {"trivial_on_empty_kg": False, "f1_slice_no_gold": 1.0},
}
LCQUAD = {
    "uid": 19719,
    "question": "What magazine?",
    "sparql_wikidata": "select ?o where { wd:Q188920 wdt:P2813 ?o . ?o wdt:P31 wd:Q1 }",
    "answer": [WD + "Q3486420"],
    "solved_answer": [["Sky", "Sky Magazine"]],
}
CRLT = {
    "id": "C1",
    "query": "Naďa lived as a bachelor.",
    "answer": False,
    "KG Entities": {"Naďa": "Q12772348"},
    "Reasoning Strategy": ["definition"],
}
RECIPE = {
    "query": "Something warm",
    "query_type": {"Specific": 0, "Commonsense": 1},
    "options": {"08c": "Oyster soup", "5b9": "Crackers"},
    "answer": "08c",
    "triples": ["(user, religion, Islam)", "(user,likes, tea, hot)"],
}


def write(folder, name, content):
    path = folder / name
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return path


def first(folder, name, content, format_name):
    return load(write(folder, name, content), format_name).examples[0]


# -- each format ---------------------------------------------------------------------------


def test_every_format_shows_a_sample_in_its_docstring():
    for form in FORMATS.values():
        module = __import__(form.examples.__module__, fromlist=["__doc__"])
        assert "    " in module.__doc__, form.name


def test_qald(tmp_path):
    data = load(write(tmp_path, "q.json.gz", QALD), "qald")
    one, two = data.examples
    assert (one.id, one.question, one.topic) == ("7", "After whom?", {"Q761383": ""})
    assert one.gold == {"gold": (Gold("Q42299"),)}
    assert one.classes == ("look-up", "1 hop")
    assert (two.gold, two.classes, two.trivial) == (
        {"gold": (Gold(names=("false",)),)},
        ("yes/no",),
        True,
    )
    assert [(s.id, s.reason) for s in data.skipped] == [("9", "no gold answer")]


def test_kgqa_jsonl_has_alternative_gold_sets(tmp_path):
    found = first(tmp_path, "q.jsonl", OFFLINE, "kgqa-jsonl")
    riemann = Gold("Q42299", ("Bernhard Riemann", "Georg Riemann"))
    assert found.gold == {"gold": (riemann,)}  # an empty set beside a filled one: not known
    assert found.topic == {"Q761383": "Riemannian geometry"}
    assert found.fields["f1_slice_no_gold"] == "1.0"


def test_kgqa_jsonl_needs_a_question_and_gold_only(tmp_path):
    found = first(tmp_path, "q.jsonl", '{"question": "Who?", "gold": "Sirk"}\n', "kgqa-jsonl")
    assert (found.id, found.gold) == ("1", {"gold": (Gold(names=("Sirk",)),)})


def test_metaqa_with_hops_from_the_file_beside_it(tmp_path):
    write(tmp_path, "qa_dev_qtype.txt", "actor_to_movie_to_genre\n")
    line = "what [Temuera Morrison] act in\tTracker|River Queen|Tracker\n"
    found = first(tmp_path, "qa_dev.txt", line, "metaqa")
    assert found.question == "what Temuera Morrison act in"
    assert [g.name for g in found.gold["gold"]] == ["Tracker", "River Queen"]
    assert found.topic == {"Temuera Morrison": "Temuera Morrison"}
    assert found.classes == ("2 hops", "actor_to_movie_to_genre")


def test_webqsp_parses_are_alternative_gold_sets(tmp_path):
    def parse(mid, name):
        entity = {"AnswerType": "Entity", "AnswerArgument": mid, "EntityName": name}
        return {"TopicEntityMid": "m.1", "TopicEntityName": "Jamaica", "Answers": [entity]}

    item = {
        "QuestionId": "WebQTest-0",
        "RawQuestion": "what do they speak?",
        "Parses": [parse("m.2", "Patois"), parse("m.3", "English")],
    }
    found = first(tmp_path, "w.json", {"Questions": [item]}, "webqsp")
    assert found.gold["parse 2"] == (Gold("m.3", ("English",)),)
    assert found.topic == {"m.1": "Jamaica"}


def test_wikiwebquestions_and_togs_webquestions(tmp_path):
    wiki = {
        "id": "WebQTrn-1",
        "question": "what?",
        "sparql": "SELECT ?x { wd:Q414 wdt:P122 ?x }",
        "info": {"results": bindings(x=WD + "Q512187")},
    }
    two = "\n".join(json.dumps({**wiki, "id": i}) for i in "ab")
    assert len(load(write(tmp_path, "w.jsonl", two), "webqsp").examples) == 2
    tog = {"question": "what?", "answers": ["English"], "qid_topic_entity": {"Q766": "Jamaica"}}
    assert first(tmp_path, "t.json", [tog], "webqsp").topic == {"Q766": "Jamaica"}


def test_simplequestions_with_and_without_header(tmp_path):
    plain = first(tmp_path, "s.tsv", "Q1\tR57\tQ2\twhat film\n", "simplequestions")
    assert (plain.topic, plain.gold) == ({"Q1": ""}, {"gold": (Gold("Q2"),)})
    headed = (
        "split\tsubject\tsubject_label\tproperty\tobject\tobject_label\tquestion\n"
        "test\tQ1\tEllen\tP27\tQ30\tUnited States\twhat nationality?\n"
    )
    named = first(tmp_path, "h.tsv", headed, "simplequestions")
    assert named.gold == {"gold": (Gold("Q30", ("United States",)),)}
    assert named.fields == {"split": "test"}


def test_lcquad2(tmp_path):
    found = first(tmp_path, "l.json", [LCQUAD], "lcquad2")
    assert found.gold == {"gold": (Gold("Q3486420", ("Sky", "Sky Magazine")),)}
    assert found.classes == ("look-up", "2 hops")


def test_crlt_claims_are_asked_as_claims(tmp_path):
    found = first(tmp_path, "c.json", [CRLT], "crlt")
    assert found.asked == "True or false: Naďa lived as a bachelor."
    assert (found.topic, found.classes) == ({"Q12772348": "Naďa"}, ("claim", "definition"))


def test_r3_gives_the_original_and_the_long_tail_question(tmp_path):
    table = (
        "ID,StrategyQA Question,Modified Question,Answer,Answer Original Question,"
        "KG Entities (Labels and QIDs)\n"
        'S1,Old?,New?,TRUE,FALSE,"Horsens (Q190235), Ikast (Q1021277)"\n'
        ",,,,,\n"
    )
    new, old = load(write(tmp_path, "r.csv", table), "r3").examples
    assert (new.id, new.gold["gold"][0].name, old.gold["gold"][0].name) == (
        "S1/long-tail",
        "true",
        "false",
    )
    assert new.topic == {"Q190235": "Horsens", "Q1021277": "Ikast"}
    assert old.classes == ("original", "yes/no")


def test_recipe_mpr_with_a_persona(tmp_path):
    found = first(tmp_path, "r.json", [RECIPE], "recipe-mpr")
    assert found.asked == "Something warm Choose one of: (1) Oyster soup; (2) Crackers"
    assert found.gold == {"gold": (Gold("08c", ("Oyster soup", "1")),)}
    assert found.facts == (("user", "religion", "Islam"), ("user", "likes", "tea, hot"))
    assert found.classes == ("persona", "Commonsense")


def test_strategyqa_and_creak(tmp_path):
    item = {"qid": "e0", "term": "Albany", "question": "Will it?", "answer": False}
    assert first(tmp_path, "s.json", [item], "strategyqa").topic == {"Albany": "Albany"}
    claim = {"ex_id": "dev_0", "sentence": "Soup is solid.", "label": "false", "entity": "Soup"}
    assert first(tmp_path, "c.json", claim, "creak").asked == "True or false: Soup is solid."


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_a_table_of_your_own(tmp_path, mark):
    rows = [
        ["Question", "Answers", "Entities", "Class"],
        ["Which films?", '"Q1|Imitation of Life"', "Q76716", "look-up"],
        ["Who else?", "(none)", "", ""],
        ["Unknown?", "", "", ""],
    ]
    data = load(write(tmp_path, "own.csv", "\n".join(mark.join(r) for r in rows)), "csv")
    films, nobody = data.examples
    assert films.gold == {"gold": (Gold("Q1"), Gold(names=("Imitation of Life",)))}
    assert (films.topic, films.classes) == ({"Q76716": "Q76716"}, ("look-up",))
    assert nobody.gold == {"gold": ()}
    assert len(data.skipped) == 1


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT ?x { wd:Q1 wdt:P57 ?x }", ("look-up", "1 hop")),
        (
            "SELECT ?x { wd:Q1 p:P39 ?s . ?s ps:P39 ?x ; pq:P580 ?t }",
            ("look-up", "qualifier", "1 hop"),
        ),
        ("SELECT ?x { wd:Q1 wdt:P57/wdt:P19/wdt:P17 ?x }", ("look-up", "3 or more hops")),
        ("SELECT (COUNT(?x) AS ?n) { ?x wdt:P57 wd:Q1 }", ("count",)),
        ("ASK { wd:Q1 wdt:P57 wd:Q2 }", ("yes/no",)),
        ("SELECT ?x { ?x wdt:P2044 ?h } ORDER BY DESC(?h) LIMIT 1", ("extremum",)),
        ("SELECT ?x { ?x wdt:P2044 ?h FILTER(?h > 3) }", ("filter",)),
    ],
)
def test_classes_are_read_off_the_query(query, expected):
    assert kinds(query) == expected


# -- choosing ------------------------------------------------------------------------------


def many(folder, count=200):
    lines = [
        {"id": i, "question": f"Q{i}?", "gold": [str(i)], "class": "count" if i % 2 else "look-up"}
        for i in range(count)
    ]
    return write(folder, "many.jsonl", "\n".join(map(json.dumps, lines)))


def ids(data):
    return [e.id for e in data.examples]


def test_limit_takes_the_first_and_sample_draws_with_the_seed(tmp_path):
    path = many(tmp_path)
    assert ids(load(path, "kgqa-jsonl", limit=3)) == ["0", "1", "2"]
    drawn = ids(load(path, "kgqa-jsonl", sample=5, seed=1))
    assert drawn == ids(load(path, "kgqa-jsonl", sample=5, seed=1))
    assert drawn == sorted(drawn, key=int)
    assert drawn != ids(load(path, "kgqa-jsonl", sample=5, seed=2))


def test_where_tests_a_field(tmp_path):
    path = many(tmp_path)
    assert ids(load(path, "kgqa-jsonl", where={"class": "count"}, limit=2)) == ["1", "3"]
    solvable = write(tmp_path, "q.jsonl", OFFLINE)
    assert load(solvable, "kgqa-jsonl", where={"trivial": "false", "f1_slice_no_gold": "1"})
    with pytest.raises(DatasetError, match="no field “size”"):
        load(path, "kgqa-jsonl", where={"size": "1"})
    with pytest.raises(DatasetError, match="--where"):
        load(path, "kgqa-jsonl", where={"class": "extremum"})


# -- bad input -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "given", "likely"),
    [
        ("a.txt", "who is [Ulm]\tUlm\n", "kgqa-jsonl", "metaqa"),
        ("b.jsonl", OFFLINE, "metaqa", "kgqa-jsonl"),
        ("c.json", QALD, "csv", "qald"),
        ("d.json", [CRLT], "qald", "crlt"),
        ("e.json", [RECIPE], "strategyqa", "recipe-mpr"),
        ("f.csv", "question,answers\nWho?,Sirk\n", "r3", "csv"),
    ],
)
def test_a_wrong_format_is_refused_with_the_likely_one(tmp_path, name, content, given, likely):
    path = write(tmp_path, name, content)
    with pytest.raises(DatasetError, match=f"It looks like --format {likely}"):
        load(path, given)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "no question"),
        ("not a table", "no column “question”"),
        ('[{"question": "Who?", ', "breaks off"),
    ],
)
def test_empty_and_broken_files_say_so(tmp_path, content, message):
    form = "qald" if content.startswith("[") else "csv"
    path = write(tmp_path, "bad", content)
    with pytest.raises(DatasetError, match=message if content else "csv|question"):
        load(path, form)


def test_missing_and_damaged_files_say_so(tmp_path):
    with pytest.raises(DatasetError, match="Check the path"):
        load(tmp_path / "none.json", "qald")
    cut = tmp_path / "cut.json.gz"
    cut.write_bytes(gzip.compress(json.dumps(QALD).encode())[:-20])
    with pytest.raises(DatasetError, match="cut off or damaged"):
        load(cut, "qald")
    with pytest.raises(DatasetError, match="Choose one of"):
        load(cut, "squad")
    with pytest.raises(DatasetError, match="cannot be read"):
        load(tmp_path, "qald")


def test_no_gold_at_all_is_an_error(tmp_path):
    path = write(tmp_path, "q.jsonl", '{"question": "Who?", "gold": null}\n')
    with pytest.raises(DatasetError, match=r"None of the 1 questions.* has a gold answer"):
        load(path, "kgqa-jsonl")


def test_a_bad_line_is_left_out_and_reported(tmp_path):
    lines = ['{"question": "A?", "gold": ["a"]}', "{broken", '{"question": "B?", "gold": ["b"]}']
    data = load(write(tmp_path, "q.jsonl", "\n".join(lines)), "kgqa-jsonl")
    assert [e.question for e in data.examples] == ["A?", "B?"]
    assert data.skipped[0].reason.startswith("item 2 is not in the form")


def test_duplicate_ids_are_told_apart(tmp_path):
    line = '{"id": 5, "question": "A?", "gold": ["a"]}\n'
    data = load(write(tmp_path, "q.jsonl", line * 3), "kgqa-jsonl")
    assert ids(data) == ["5", "5#2", "5#3"]
    assert data.notes == ["The id 5 occurs again: 5#2.", "The id 5 occurs again: 5#3."]


def test_encodings_may_be_mixed(tmp_path):
    path = tmp_path / "q.csv"
    path.write_bytes(
        "﻿question,answers\nWo ist Köln?,Köln\n".encode() + "Wo ist Ürzig?,Ürzig\n".encode("cp1252")
    )
    assert [e.gold["gold"][0].name for e in load(path, "csv").examples] == ["Köln", "Ürzig"]
    path.write_bytes("question,answers\nWo ist Köln?,Köln\n".encode("utf-16"))
    assert load(path, "csv").examples[0].question == "Wo ist Köln?"


def test_a_large_list_is_decoded_piece_by_piece(tmp_path):
    items = [
        {"qid": f"e{i}", "question": "Is it? " + "x" * 900, "answer": True} for i in range(900)
    ]
    path = write(tmp_path, "s.json", json.dumps(items, indent=1))
    assert len(load(path, "strategyqa").examples) == 900


@pytest.mark.scale
def test_many_lines_are_streamed(tmp_path):
    path = tmp_path / "qa.txt"
    with path.open("w") as stream:
        for i in range(200_000):
            stream.write(f"what is [thing {i}]\tthing {i}|other\n")
    assert len(load(path, "metaqa", limit=10).examples) == 10
    assert len(load(path, "metaqa", sample=100).examples) == 100


# -- the real files ------------------------------------------------------------------------


@pytest.mark.data
@pytest.mark.skipif(not DATA.is_dir(), reason=f"the public question sets are not at {DATA}")
@pytest.mark.parametrize(
    ("file", "form", "count"),
    [
        ("qald10/qald_10_en_offline.jsonl", "kgqa-jsonl", 197),
        ("qald10/qald_10.json.gz", "qald", 197),
        ("qald7/qald-7-test-en-wikidata.json.gz", "qald", 50),
        ("qald10/qald_10_test_updated_answers.json.gz", "lcquad2", 197),
        ("lcquad2/train_1k_with_answers.json.gz", "lcquad2", 1312),
        ("metaqa/3-hop/qa_dev.txt.gz", "metaqa", 14274),
        ("wikiwebquestions/val.jsonl.gz", "webqsp", 454),
        ("tog_eval/WebQuestions.json.gz", "webqsp", 2032),
        ("simplequestions_wikidata/label_complete.tsv", "simplequestions", 1211),
        ("tog_eval/SimpleQA.json.gz", "simplequestions", 1000),
        ("cr_lt_kgqa/CR-LT-QA.json", "crlt", 100),
        ("cr_lt_kgqa/CR-LT-ClaimVerification.json", "crlt", 75),
        ("r3/Creak_Modified_new.csv", "r3", 150),
        ("recipe_mpr/500QA.json.gz", "recipe-mpr", 500),
        ("recipe_mpr/commonsense_dict_final.json.gz", "recipe-mpr", 50),
        ("strategyqa/dev.json.gz", "strategyqa", 229),
        ("creak/dev.json.gz", "creak", 1371),
    ],
)
def test_the_published_files_are_read_whole(file, form, count):
    data = load(DATA / file, form)
    assert len(data.examples) == count
    assert not data.skipped
