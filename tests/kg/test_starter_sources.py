"""The tool that compares a graph's files with their sources, on sources of its own."""

from __future__ import annotations

import json
from pathlib import Path

from tests.measure.starter_sources import (
    Claim,
    Descriptions,
    Films,
    Passage,
    Source,
    Texts,
    descriptions,
    digest,
    disagreements,
    extracts,
    normal,
    papers,
    passages,
    rules,
    sentences,
)

LABELS = {"Q1": "Ulm", "Q2": "Germany", "Q3": "Ada Falk", "Q4": "Eve Falk"}


def test_what_no_source_states_is_named_with_its_place():
    source = Source(
        "a list",
        lambda key: key[0] == "Q1",
        lambda key, qualifier: qualifier == ("P580", "1949"),
        lambda key, label: key != "Q3",
    )
    claims = [
        Claim("a.tsv:2", ("Q1", "P17", "Q2"), (("P580", "1949"), ("P582", "1990"))),
        Claim("a.tsv:3", ("Q3", "P40", "Q4")),
    ]
    assert disagreements(claims, LABELS, [source]) == [
        "a.tsv:2: no source gives Q1 P17 Q2 the qualifier P582=1990",
        "a.tsv:3: no source states Q3 P40 Q4",
        "Q3: no source calls it Ada Falk",
    ]
    anything = Source("all", lambda *_: True, lambda *_: True, lambda *_: True)
    assert disagreements(claims, LABELS, [source, anything]) == []


def _write(path: Path, *lines: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def test_extracts_state_what_stands_in_them_or_its_mirror_image(tmp_path: Path):
    for folder in ("wikidata_slice", "cr_lt_kgqa/graph"):
        for name in ("triples.tsv", "qualified_statements.jsonl", "entities.tsv"):
            _write(tmp_path / folder / name)
    _write(tmp_path / "wikidata_slice" / "triples.tsv", "Q1\tP17\tQ2\tx", "Q9\tP17\tQ2\tx")
    row = {"s": "Q3", "p": "P40", "o": "Q4", "q": [["P580", "1949-05-23T00:00:00Z"]]}
    _write(tmp_path / "cr_lt_kgqa/graph/qualified_statements.jsonl", json.dumps(row))
    _write(
        tmp_path / "wikidata_slice/entities.tsv", "Q1\tUlm (city)\ton the Danube", "Q2\tGERMANY\t"
    )
    _write(tmp_path / "codex" / "entity2types.json", json.dumps({"Q3": ["Q5"]}))
    _write(tmp_path / "codex" / "types_en.json", json.dumps({"Q4": {"label": "Eve Falk"}}))
    found = extracts(tmp_path, LABELS)
    assert found.known == {("Q1", "P17", "Q2"), ("Q3", "P40", "Q4"), ("Q3", "P31", "Q5")}
    source = found.source()
    assert source.states(("Q4", "P25", "Q3"))
    assert not source.states(("Q2", "P17", "Q1"))
    assert source.qualifies(("Q3", "P40", "Q4"), ("P580", "1949-05-23"))
    assert not source.qualifies(("Q3", "P40", "Q4"), ("P580", "1949"))
    called = [source.names(key, label) for key, label in LABELS.items()]
    assert called == [True, True, False, True]
    assert descriptions(tmp_path)["Q1"] == "on the Danube"


def test_values_of_the_extracts_take_the_form_of_the_files():
    assert normal("1910-06-07T00:00:00Z") == "1910-06-07"
    assert normal("1910-01-01T00:00:00Z") == "1910"  # a year is written as its first day
    assert normal("-0043-03-15T00:00:00Z") == "-0044"
    assert normal('"Ulm (de)"') == '"Ulm"@de'
    assert normal("+12.5") == "12.5"


def test_descriptions_state_years_of_life_makers_and_places():
    labels = {**LABELS, "Q5": "Night", "Q6": "Lund"}
    texts = {
        "Q3": "painter (1809–1882)",
        "Q5": "painting by Ada Falk, 1850",
        "Q6": "city in Bavaria, Germany",
        "Q4": "King of the Ulm from 1901 to 1910",
    }
    source = Descriptions(texts, labels).source()
    stated = [("Q3", "P569", "1809"), ("Q3", "P570", "1882"), ("Q5", "P170", "Q3")]
    assert all(source.states(key) for key in [*stated, ("Q6", "P17", "Q2"), ("Q1", "P35", "Q4")])
    assert not any(source.states(key) for key in [("Q3", "P569", "1882"), ("Q5", "P170", "Q4")])
    assert source.qualifies(("Q1", "P35", "Q4"), ("P582", "1910"))
    assert not source.qualifies(("Q1", "P35", "Q4"), ("P580", "1910"))


def test_films_are_those_of_their_directors():
    labels = {"Q2001": "Ada Falk", "Q7": "Night", "Q8": "Day", "L1001": "Sirk"}
    labels |= dict.fromkeys(("Q3772", "Q7374", "Q8877", "Q25191", "Q41148"), "somebody else")
    claims = [Claim("f:2", ("Q7", "P57", "Q2001")), Claim("f:3", ("Q8", "P57", "Q2001"))]
    kb = [
        ("Night", "directed_by", "Ada Falk"),
        ("Night", "release_year", "1950"),
        ("Dusk", "directed_by", "Ada Falk"),
    ]
    films = Films(kb, claims, labels)
    states = films.source().states
    assert states(("Q7", "P57", "Q2001"))
    assert states(("Q7", "P577", "1950"))
    assert not states(("Q7", "P577", "1951"))
    assert not states(("Q8", "P57", "Q2001"))  # the files say so, MetaQA does not
    assert films.gaps() == ["Ada Falk: MetaQA's film Dusk is not in the files"]


def test_passages_are_in_their_texts(tmp_path: Path):
    _write(tmp_path / "papers" / "001 A paper.txt", "Ulm lies in Ger-", "many (Q2).")
    asked = [{"facts": ["It is 100 feet high."]}]
    _write(tmp_path / "strategyqa" / "train.json", json.dumps(asked))
    told = {"label": "true", "sentence": "Ada was born in 1809."}
    false = {"label": "false", "sentence": "Ada was born in 1810."}
    _write(tmp_path / "creak" / "train.json", json.dumps(told), json.dumps(false))
    listed = [
        Passage("001", ("Q1", "P17", "Q2"), "Q2 Germany", None, "Ulm lies in Germany"),
        Passage("001", ("Q1", "P36", "Q2"), "Q2 Germany", None, "capital of Germany"),
        Passage(
            "strategyqa",
            ("Q1", "P2048", "30"),
            "30 Q11573 metre",
            None,
            digest(asked[0]["facts"][0]),
        ),
        Passage("creak", ("Q3", "P569", "1809"), "1809", None, digest(told["sentence"])),
        Passage("creak", ("Q3", "P570", "1882"), "1882", None, digest(told["sentence"])),
        Passage("creak", ("Q3", "P569", "1810"), "1810", None, digest(false["sentence"])),
    ]
    texts = Texts(listed, papers(tmp_path / "papers"), sentences(tmp_path))
    assert [texts.source().states(passage.key) for passage in listed] == [
        True,
        False,
        True,
        True,
        False,
        False,
    ]
    assert texts.problems([Claim("a:2", passage.key) for passage in listed[1:]]) == [
        "starter_passages.tsv: Q1 P17 Q2: no such statement is in the files",
        "starter_passages.tsv: Q1 P36 Q2: these words are not in the paper",
        "starter_passages.tsv: Q3 P570 1882: the sentence does not name the year",
        "starter_passages.tsv: Q3 P569 1810: its sentence is not in the set",
    ]


def test_rules_know_humans_and_the_makers_of_their_notable_works():
    source = rules({("Q692", "P800", "Q5")}, {"Q3"})
    assert source.states(("Q3", "P31", "Q5"))
    assert not source.states(("Q4", "P31", "Q5"))
    assert source.states(("Q5", "P50", "Q692"))
    assert not source.states(("Q6", "P50", "Q692"))


def test_the_listed_passages_can_be_read():
    listed = passages()
    assert {passage.source for passage in listed} > {"001", "002", "003", "creak", "strategyqa"}
    assert all(passage.words and all(passage.key) for passage in listed)
