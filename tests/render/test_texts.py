"""Markdown, N-Triples and CSV: read back by their own readers, with nothing hostile in effect."""

import csv
import io

import pyoxigraph
import pytest

from kgqa_core.facts.terms import DATE, Entity, Literal, Passage, Qualifier, Relation, Statement
from kgqa_core.kg.load import load
from kgqa_core.render.steps import facts, steps
from kgqa_core.render.texts import csv_steps, markdown, ntriples
from tests.history.test_store import full_run, header
from tests.screens.graph_story import hostile, recorded, story
from tests.small_graph import DIRECTOR, FILM, SIRK, STATEMENTS, ULM


def triples(text):
    return list(pyoxigraph.parse(text.encode(), format=pyoxigraph.RdfFormat.N_TRIPLES))


def test_markdown_has_question_answer_facts_steps_and_who_read():
    text = markdown(header(), full_run())
    assert text.startswith("## Where is Ulm?\n")
    assert "**Answer** (grounded): Germany\\. \\[1\\]" in text
    assert "1. Ulm — country — Germany" in text
    assert "**Look**" in text
    assert "built\\-in reader" in text


def test_markdown_takes_labels_as_text():
    text = markdown(header().model_copy(update={"question": "[x](javascript:y) @all"}),
                    recorded(hostile()))  # fmt: skip
    assert "<script" not in text
    assert "<img" not in text
    assert "\\[x\\]\\(javascript\\:y\\) \\@all" in text


def test_an_endless_label_is_cut():
    anchored, seen, last = hostile("x" * 1_000_000)
    anchored = anchored.model_copy(update={"mention": "x" * 1_000_000})
    cited = last.answer.model_copy(update={"citations": seen.statements, "reading": "x" * 10**6})
    tale = recorded([anchored, seen, last.model_copy(update={"answer": cited})])
    for text in (markdown(header(), tale), csv_steps(tale)):
        assert "xxx" in text
        assert len(text) < 200_000


def test_evidence_is_read_back_by_any_reader_and_by_our_own(tmp_path):
    text = ntriples([*STATEMENTS, *STATEMENTS, Passage("p1", "text")])
    plain = {(t.subject.value, t.predicate.value) for t in triples(text)
             if isinstance(t.subject, pyoxigraph.NamedNode)}  # fmt: skip
    assert (FILM.id, "http://www.wikidata.org/prop/direct/P57") in plain
    assert len([t for t in triples(text) if t.predicate.value.endswith("#subject")]) == 3
    file = tmp_path / "evidence.nt"
    file.write_text(text, encoding="utf-8")
    done = load([file], tmp_path / "graph", name="evidence")
    assert done.statements >= len(STATEMENTS)


@pytest.mark.parametrize(
    "label", ['"', "a\nb\rc\t", "\\", "> <x:y> <x:z> .\n<e", "\ud800", "\0", "é 東京 🎬", ""]
)
def test_hostile_values_are_one_triple_each(label):
    fact = Statement(Entity(label or "x:"), Relation("r " + label), Literal(label))
    dated = Statement(ULM, DIRECTOR, Literal(label, DATE), (Qualifier(DIRECTOR, SIRK),))
    (one,) = triples(ntriples([fact]))
    assert one.object.value == label.encode("utf-8", "replace").decode()
    assert len(triples(ntriples([dated]))) == 6


def test_steps_as_a_table():
    rows = list(csv.DictReader(io.StringIO(csv_steps(recorded(story())))))
    assert len(rows) == len(recorded(story()))
    assert {row["step"] for row in rows} == {
        str(n + 1) for n in range(len(steps(recorded(story()))))
    }
    assert rows[0]["event"] == "1"


def test_no_cell_is_a_formula():
    rows = list(csv.reader(io.StringIO(csv_steps(recorded(hostile())))))
    assert not any(cell[:1] in ("=", "+", "-", "@") for row in rows for cell in row)
    assert facts(recorded(hostile()))
