"""Runs on disk: nothing is lost, and nothing that is wrong with the disk stops anybody."""

import socket
import sqlite3
from pathlib import Path

import pytest

from kgqa_core.ask import events
from kgqa_core.history import store as store_module
from kgqa_core.history.store import INTERRUPTED, SCHEMA, RunStore, Search
from tests.history.stores import Verbs, full_run, header, ids, kept, record
from tests.patience import wait_until


@pytest.fixture
def store(tmp_path):
    opened = RunStore(tmp_path / "data")
    yield opened
    opened.close()


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


def test_a_full_disk_is_named_and_what_waits_is_written_once_there_is_room(store):
    store.begin(header())
    store._db.execute("PRAGMA max_page_count=1")  # SQLite's own way to run out of room
    big = [record(0, events.Noted(text="x" * 100_000)), *full_run()[1:]]
    store.append("r1", big[:1], "running")
    assert "full" in store.problem
    store.append("r1", big[1:], "answered")
    assert store.load("r1")[1] == []
    store._db.execute("PRAGMA max_page_count=1000000")
    wait_until(lambda: not store.problem)
    assert store.load("r1")[1] == big


def test_a_locked_file_is_waited_for_without_holding_anyone_up(store, monkeypatch):
    store.begin(header())
    store._db.execute("PRAGMA busy_timeout=50")
    other = sqlite3.connect(store.path)
    other.execute("BEGIN EXCLUSIVE")
    store.append("r1", full_run()[:1], "running")
    store.append("r1", full_run()[1:], "answered")
    assert "database is locked" in store.problem
    assert store.find(Search())[1] == 1  # reading goes on
    other.rollback()
    wait_until(lambda: not store.problem)
    assert store.load("r1") == (header(), full_run())
    other.close()


def test_a_file_that_is_no_database_is_set_aside(tmp_path):
    (tmp_path / "runs.sqlite").write_bytes(b"no database at all" * 100)
    store = RunStore(tmp_path)
    assert "not a database" in store.problem
    assert "0 runs of it could be read" in store.problem
    store.begin(header())
    store.append("r1", full_run(), "answered")
    assert store.load("r1")[1] == full_run()
    (aside,) = tmp_path.glob("runs.damaged-*.sqlite")
    assert aside.read_bytes().startswith(b"no database")
    assert aside.name in store.problem
    store.close()


def test_of_a_damaged_file_is_kept_what_can_be_read_and_the_rest_is_said(tmp_path):
    first = RunStore(tmp_path)
    for i in range(60):
        first.begin(header(f"r{i:02}"))
        first.append(
            f"r{i:02}", [*full_run()[:2], record(2, events.Noted(text="x" * 900))], "running"
        )
        first.append(f"r{i:02}", [record(3, full_run()[-1].event)], "answered")
    first.annotate("r07", note="keep", thumb=1, tags=["t"])
    first.close()
    path = tmp_path / "runs.sqlite"
    data = bytearray(path.read_bytes())
    size = 4096
    middle = len(data) // size // 2 * size
    data[middle : middle + 3 * size] = b"\xff" * (3 * size)
    path.write_bytes(data)
    store = RunStore(tmp_path)
    for i in range(60):
        store.load(f"r{i:02}")  # somewhere it meets the damage
    assert "was damaged" in store.problem
    found, count = store.find(Search(), 100)
    assert 40 <= count <= 60
    whole = [one for one in found if one.status == "answered"]
    assert len(whole) >= 30
    assert all(len(store.load(one.id)[1]) == 4 for one in whole)
    cut = [one for one in found if one.status != "answered"]
    assert all("damaged" in one.answer for one in cut)
    assert {one.id: one.note for one in found}.get("r07", "keep") == "keep"
    store.begin(header("new"))
    assert store.load("new")
    store.close()


def test_a_run_of_a_process_that_is_gone_is_marked_and_one_that_goes_on_is_not(tmp_path):
    first = RunStore(tmp_path)
    for run_id in ("gone", "going"):
        first.begin(header(run_id))
        first.append(run_id, full_run()[:2], "running")
    first._db.execute(
        "UPDATE runs SET owner = ? WHERE id = 'gone'", (f"{socket.gethostname()}:999999999",)
    )
    first._db.commit()
    again = RunStore(tmp_path)
    found = {one.id: (one.status, one.answer) for one in again.find(Search())[0]}
    assert found == {"gone": ("cancelled", INTERRUPTED), "going": ("running", "")}
    records = again.load("gone")[1]
    assert records[:2] == full_run()[:2]
    assert isinstance(records[2].event, events.Cancelled)
    first.close()
    again.close()


def test_records_for_a_run_deleted_for_good_elsewhere_hold_nobody_up(store):
    store.append("never begun", full_run(), "answered")
    assert not store.problem
    store.begin(header())
    assert store.load("r1")


def test_a_newer_schema_is_left_alone(tmp_path):
    db = sqlite3.connect(tmp_path / "runs.sqlite")
    db.execute(f"PRAGMA user_version={SCHEMA + 1}")
    db.close()
    store = RunStore(tmp_path)
    assert "newer version" in store.problem


def first_version(folder):
    """A file as the first version wrote it, with one run that had ended and one that had not."""
    db = sqlite3.connect(folder / "runs.sqlite")
    db.executescript(f"{store_module._TABLES}PRAGMA user_version=1;")
    for run_id, status in (("r1", "answered"), ("r2", "running")):
        this = header(run_id)
        db.execute(
            "INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                this.id,
                this.started_at,
                this.question,
                this.method,
                this.graph,
                this.model,
                status,
                this.model_dump_json(),
            ),
        )
    for one in full_run():
        db.execute("INSERT INTO records VALUES ('r1', ?, ?)", (one.seq, one.model_dump_json()))
    db.commit()
    db.close()


def test_a_file_of_the_first_version_is_brought_up_to_date(tmp_path):
    first_version(tmp_path)
    store = RunStore(tmp_path)
    assert not store.problem
    assert store.load("r1") == (header(), full_run())
    found = {one.id: one for one in store.find(Search())[0]}
    assert (found["r1"].grounding, found["r1"].answer) == ("grounded", "Germany.")
    assert found["r1"].seconds == 0.2
    assert (found["r2"].status, found["r2"].answer) == ("cancelled", INTERRUPTED)
    assert store._db.execute("PRAGMA user_version").fetchone() == (SCHEMA,)
    store.close()
    again = RunStore(tmp_path)
    assert len(again.find(Search())[0]) == 2
    again.close()


def test_a_migration_that_fails_leaves_the_file_as_it_was(tmp_path):
    first_version(tmp_path)
    db = sqlite3.connect(tmp_path / "runs.sqlite")
    db.execute("ALTER TABLE runs ADD COLUMN tags TEXT")  # in the way of the last but one column
    store = RunStore(tmp_path)
    assert "cannot be used" in store.problem
    assert db.execute("PRAGMA user_version").fetchone() == (1,)
    assert len(db.execute("SELECT * FROM runs").fetchone()) == 9
    db.close()


def test_a_run_with_an_unreadable_record_keeps_what_stands_before_it(tmp_path):
    first_version(tmp_path)
    db = sqlite3.connect(tmp_path / "runs.sqlite")
    db.execute("UPDATE records SET record = '{\"broken\": 1}' WHERE seq = 2")
    db.commit()
    db.close()
    store = RunStore(tmp_path)
    assert not store.problem
    assert store.load("r1")[1] == full_run()[:2]
    store.close()


def test_what_was_deleted_goes_for_good_when_the_app_is_opened_again(tmp_path, store):
    kept(store, "a", "b")
    store.delete(["r0"])
    store._db.execute("UPDATE runs SET deleted_at = '2026-01-01' WHERE id = 'r0'")
    store._db.commit()
    store.close()
    again = RunStore(tmp_path / "data")
    again.restore(["r0"])
    assert ids(again) == ["r1"]
    assert again._db.execute("SELECT count(*) FROM records").fetchone() == (3,)
    again.close()


class TestInAFile(Verbs):
    pass
