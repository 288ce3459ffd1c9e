"""The open questions of our own: fifty, three reference answers each, all of it in the graph."""

from __future__ import annotations

import csv

import pytest

from kgqa_core.ask.events import Answer, Sentence
from kgqa_core.evaluation.datasets import load
from kgqa_core.evaluation.metrics import rouge
from kgqa_core.facts import verbalise
from kgqa_core.kg.starter import starter_graph
from tests.places import TESTS

FILE = TESTS / "questions" / "open.csv"


@pytest.fixture(scope="module")
def rows():
    with FILE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def known():
    return {
        (s.subject.label, s.relation.name, verbalise.value(s.object))
        for s in starter_graph().all_statements()
    }


def facts(row):
    """`A > relation > B / C; D / E > relation > F`: ends with several values stand for each."""
    for cell in row["facts"].split("; "):
        subjects, relation, objects = cell.split(" > ")
        for subject in subjects.split(" / "):
            for value in objects.split(" / "):
                yield subject, relation, value


def test_fifty_questions_with_three_references(rows):
    assert len(rows) == 50
    assert len({row["question"] for row in rows}) == 50
    for row in rows:
        references = row["reference"].split("|")
        assert len(references) == len(set(references)) == 3, row["question"]


def test_the_graph_says_every_fact(rows, known):
    missing = [fact for row in rows for fact in facts(row) if fact not in known]
    assert not missing


def test_the_first_reference_tells_every_fact(rows):
    for row in rows:
        listed = [value for cell in row["facts"].split("; ") for value in _values(cell)]
        assert all(value in row["reference"].split("|")[0] for value in listed), row["question"]


def _values(cell):
    subjects, _, objects = cell.split(" > ")
    several = subjects if " / " in subjects else objects
    return several.split(" / ")


def test_the_benchmark_reads_them_and_takes_the_nearest_reference(rows):
    examples = load(FILE, "csv").examples
    assert len(examples) == 50
    for example, row in zip(examples, rows, strict=True):
        for reference in row["reference"].split("|"):
            answer = Answer(sentences=(Sentence(text=reference),))
            assert rouge.rouge_of(example, answer) == pytest.approx(1)
    assert rouge.rouge_of(examples[0], Answer()) == 0
