"""Runs on disk: nothing is lost, and nothing that is wrong with the disk stops anybody."""

import sqlite3
from pathlib import Path

import pytest

from kgqa_core import events
from kgqa_core.events import Answer, Cost, Record, Sentence
from kgqa_core.store import SCHEMA, Header, RunStore
from kgqa_core.terms import DATE, Entity, Literal, Qualifier, Relation, Statement

ULM = Entity("http://www.wikidata.org/entity/Q3012", "Ulm", "city", ("Ulm an der Donau",))
FACT = Statement(
    ULM,
    Relation("p:17", "country"),
    Entity("http://www.wikidata.org/entity/Q183", "Germany"),
    (Qualifier(Relation("p:580", "start time"), Literal("1949-05-23", DATE)),),
)


def header(run_id="r1", started_at="2026-01-01T00:00:00"):
    return Header(
        id=run_id,
        question="Where is Ulm?",
        method="react",
        params={"steps": 3},
        graph="starter",
        graph_fingerprint="f",
        model="built-in reader",
        started_at=started_at,
        version="0",
    )


def record(seq, event, step=0):
    return Record(seq=seq, step=step, at_s=seq / 10, cost=Cost(kg_requests=1), event=event)


def full_run():
    answer = Answer(
        sentences=(Sentence(text="Germany.", cites=(0,)),),
        values=(FACT.object, Literal("12", "x")),
        citations=(FACT,),
    )
    return [
        record(0, events.Step(title="Look", thought="hm")),
        record(1, events.Expanded(entities=(ULM,), statements=(FACT,))),
        record(2, events.Answered(answer=answer)),
    ]


@pytest.fixture
def store(tmp_path):
    opened = RunStore(tmp_path / "data")
    yield opened
    opened.close()


def test_a_run_comes_back_as_it_was(store):
    store.begin(header())
    run = full_run()
    store.append("r1", run[:2], "running")
    store.append("r1", run[2:], "answered")
    found_header, found = store.load("r1")
    assert found_header == header()
    assert found == run
    assert found[1].event.statements[0].subject.aliases == ("Ulm an der Donau",)
    assert store.recent() == [(header(), "answered")]
    assert not store.problem


def test_newest_runs_come_first(store):
    for i in range(3):
        store.begin(header(f"r{i}", f"2026-01-0{i + 1}"))
    assert [h.id for h, _ in store.recent(2)] == ["r2", "r1"]


def test_an_unknown_run_is_none(store):
    assert store.load("'; DROP TABLE runs; --") is None


def test_runs_survive_the_process(tmp_path):
    first = RunStore(tmp_path)
    first.begin(header())
    first.append("r1", full_run(), "answered")
    first.close()
    again = RunStore(tmp_path)
    assert again.load("r1")[1] == full_run()
    again.close()


def test_a_read_only_folder_is_named_and_asking_goes_on():
    store = RunStore(Path("/proc/kgqa"))  # nobody may write there, not even root
    assert "/proc/kgqa cannot be used" in store.problem
    store.begin(header())
    assert store.load("r1") is None


def test_a_file_in_place_of_the_folder_is_named_and_asking_goes_on(tmp_path):
    (tmp_path / "data").write_text("a file")
    store = RunStore(tmp_path / "data")
    assert "KGQA_DATA_DIR" in store.problem
    store.begin(header())
    store.append("r1", full_run(), "answered")
    assert store.load("r1") is None
    assert store.recent() == []


def test_a_full_disk_is_named_and_asking_goes_on(store):
    store.begin(header())
    store._db.execute("PRAGMA max_page_count=1")  # SQLite's own way to run out of room
    big = events.Noted(text="x" * 100_000)
    store.append("r1", [record(0, big)], "running")
    assert "full" in store.problem
    store.append("r1", full_run(), "answered")


def test_a_corrupt_file_is_named(tmp_path):
    (tmp_path / "runs.sqlite").write_bytes(b"no database at all" * 100)
    store = RunStore(tmp_path)
    assert "not a database" in store.problem


def test_a_newer_schema_is_left_alone(tmp_path):
    db = sqlite3.connect(tmp_path / "runs.sqlite")
    db.execute(f"PRAGMA user_version={SCHEMA + 1}")
    db.close()
    store = RunStore(tmp_path)
    assert "newer version" in store.problem
