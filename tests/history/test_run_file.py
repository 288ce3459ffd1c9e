"""Runs out of one place and into another: nothing is lost, and nothing hostile comes along."""

import json
from typing import Any

import pytest

from kgqa_core.ask import events
from kgqa_core.ask.events import Record
from kgqa_core.ask.header import Edits
from kgqa_core.history.gallery import EVERYBODY, EXAMPLES, read
from kgqa_core.history.run_file import MOST_BYTES, VERSION, DocumentError, exported, imported
from kgqa_core.history.runs import Runs
from kgqa_core.history.store import RunStore
from kgqa_core.llm.openai_chat import OpenAIChat
from kgqa_core.methods import METHODS
from kgqa_core.render.graph import snapshot
from kgqa_core.render.standalone import player_html
from kgqa_core.render.steps import facts, steps
from kgqa_core.render.texts import csv_steps, markdown, ntriples
from tests.fakes import setup_of
from tests.history.test_store import full_run, header
from tests.patience import PATIENCE_S
from tests.screens.graph_story import hostile, recorded, story
from tests.servers.openai import OpenAIServer, status
from tests.small_graph import small_graph

KEY = "sk-secret-0123456789"


@pytest.fixture
def runs(tmp_path):
    registry = Runs(RunStore(tmp_path))
    yield registry
    registry.close()


def seen(records):
    """All that a person sees of a run."""
    listed = [(s.title, s.thought, [r.event.line for r in s.records]) for s in steps(records)]
    return snapshot(records), listed, facts(records), [r.cost for r in records]


ONE_EACH = [e for e in EXAMPLES if e.question == EVERYBODY and not e.model_only]


@pytest.mark.parametrize("example", ONE_EACH, ids=lambda e: e.id)
@pytest.mark.parametrize("compact", [True, False])
def test_a_run_of_every_method_is_the_same_after_the_journey(example, compact):
    this, records = read(example)
    again, found = imported(exported(this, records, compact=compact).encode())
    assert found == records
    assert seen(found) == seen(records)
    assert again == this.model_copy(update={"origin": "imported"})


def test_a_fork_keeps_its_parent_and_what_was_changed():
    edits = Edits(at=2, replies={1: {"a": 1}}, without=(full_run()[1].event.statements[0],))
    child = header("r2").model_copy(update={"parent": "r1", "forked_at": 2, "edits": edits})
    again, _ = imported(exported(child, full_run()).encode())
    assert (again.parent, again.forked_at, again.edits) == ("r1", 2, edits)


@pytest.mark.parametrize("tale", [story, hostile])
def test_labels_that_look_like_code_are_the_same_text_afterwards(tale):
    records = ended(recorded(tale()))
    _, found = imported(exported(header(), records).encode())
    assert found == records


def ended(records: list[Record]) -> list[Record]:
    if records[-1].event.terminal:
        return records
    end = Record(seq=len(records), step=records[-1].step, at_s=records[-1].at_s,
                 event=events.Cancelled())  # fmt: skip
    return [*records, end]


def test_a_folder_of_this_machine_is_not_told():
    this = header().model_copy(update={"graph_source": "/home/somebody/graphs/films"})
    assert "somebody" not in exported(this, full_run())
    kept = header().model_copy(update={"graph_source": "starter, https://example.org/sparql"})
    assert "https://example.org/sparql" in exported(kept, full_run())


def changed(**fields: Any) -> bytes:
    whole = json.loads(exported(header(), full_run()))
    for path, value in fields.items():
        place = whole
        *way, last = path.split("__")
        for key in way:
            place = place[int(key) if isinstance(place, list) else key]
        place[int(last) if isinstance(place, list) else last] = value
    return json.dumps(whole).encode()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "ends too early"),
        (exported(header(), full_run()).encode()[:-200], "ends too early"),
        (b"\xff\xfe\x00", "not JSON"),
        (b"[" * 100_000, "recursion"),
        (b" " * (MOST_BYTES + 1), "at most 30 MB"),
        (b"[1, 2]", "not a run of KGQA Explorer"),
        (b'{"question": "Where?"}', "not a run of KGQA Explorer"),
        (changed(version=VERSION + 1), "newer version"),
        (changed(version="1"), "does not say which version"),
        (changed(version=True), "does not say which version"),
        (changed(run=None), "cannot be read"),
        (changed(run__id="../../etc/passwd"), "“id” must match"),
        (changed(run__id="a" * 65), "“id” must match"),
        (changed(run__parent="<script>"), "“parent” must match"),
        (changed(run__method="__import__"), "“method” must match"),
        (changed(run__started_at="yesterday"), "started_at"),
        (changed(run__model_source="/etc/passwd"), "model_source"),
        (
            changed(run__params={"steps": 10**9}),
            "parameters of the run do not fit (“steps” must be at most",
        ),
        (changed(run__params={"steps": "x" * 30_000}), "parameters are too long"),
        (changed(run__edits={"at": -1, "command": "rm"}), "edits.command"),
        (changed(events=[]), "has no end"),
        (changed(events__0__event={"kind": "exploit"}), "cannot be read"),
        (changed(events__0__seq=7), "out of order at number 1"),
        (changed(events__1__at_s=-1), "out of order at number 2"),
        (changed(events__2__step=-1), "out of order at number 3"),
        (changed(events__1__cost__llm_calls=-5), "Event 2 cannot have cost"),
        (changed(events__0__event={"kind": "cancelled"}), "ends at event 1, and yet goes on"),
        (changed(events__1__at_s=float("nan")), "not JSON"),
        (changed(run__started_at="9999-12-31T23:59:59-23:59"), "none of the calendar"),
        (changed(run__started_at="0001-01-01T00:00:00+23:59"), "none of the calendar"),
    ],
    ids=range(30),
)
def test_a_file_that_is_no_run_is_refused_in_one_sentence(data, said):
    with pytest.raises(DocumentError) as error:
        imported(data)
    assert said in str(error.value)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 300


def test_what_a_file_claims_about_itself_does_not_count():
    data = changed(answer={"text": "forged"}, cost={"llm_calls": 0}, run__origin="recorded")
    this, records = imported(data)
    assert this.origin == "imported"
    assert records == full_run()


def test_a_method_this_version_lacks_can_still_be_looked_at():
    this, _ = imported(changed(run__method="tomorrow", run__params={"a": [1]}))
    assert (this.method, this.params) == ("tomorrow", {"a": [1]})


def test_an_imported_run_replaces_nothing_that_is_there(runs):
    first = runs.admit(*imported(exported(header(), full_run()).encode()))
    assert first.header.id == "r1"
    assert runs.admit(*imported(exported(header(), full_run()).encode())) is first
    forged = [*full_run()[:-1], full_run()[-1].model_copy(update={"at_s": 9.0})]
    second = runs.admit(*imported(exported(header(), forged).encode()))
    assert second.header.id != "r1"
    assert runs.store.load("r1")[1] == full_run()
    runs.delete(["r1"])
    third = runs.admit(*imported(exported(header(), full_run()).encode()))
    assert third.header.id != "r1"
    assert runs.store.load("r1") is None
    runs.store.restore(["r1"])
    assert runs.store.load("r1")[1] == full_run()


def test_a_run_that_takes_the_name_of_an_example_does_not_hide_it(runs):
    example, records = read(EXAMPLES[0])
    forged = header(example.id)
    assert runs.admit(*imported(exported(forged, full_run()).encode())).header.id != example.id
    assert runs.get(example.id).records == records


@pytest.mark.parametrize("behaviour", [status(401, f"Incorrect API key provided: {KEY}"), None])
def test_no_export_holds_a_key_or_a_header(runs, behaviour):
    with OpenAIServer() as server:
        if behaviour:
            server.will(behaviour, behaviour, behaviour)
        llm = OpenAIChat("m", api_key=KEY, base_url=server.url, timeout_s=5.0)
        params = METHODS["one-hop"].params()
        this = runs.start("Where is Ulm?", setup_of("one-hop", small_graph(), llm, params))
        assert this.wait(PATIENCE_S)
        assert KEY in server.requests[0].headers["authorization"]
        llm.close()
    texts = (
        exported(this.header, this.records),
        markdown(this.header, this.records),
        ntriples(facts(this.records)),
        csv_steps(this.records),
        player_html(this.header, this.records),
    )
    for text in texts:
        assert "secret-0123" not in text
        assert "authorization" not in text.lower().replace("“authorization”", "")
