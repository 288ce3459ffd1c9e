"""The recorded examples are whole, and still what the program would say today."""

import json
from dataclasses import replace

import pytest

from kgqa_core.ask.events import Answer, Answered, Record
from kgqa_core.ask.outcome import answer_of
from kgqa_core.ask.setup import Setup
from kgqa_core.errors import SettingsError
from kgqa_core.facts.terms import Entity, Statement
from kgqa_core.history import gallery
from kgqa_core.history.gallery import EVERYBODY, EXAMPLES, FOLDER, read, record, recorded, write
from kgqa_core.kg import kinds
from kgqa_core.kg.starter import starter_graph
from kgqa_core.llm.offline import Offline
from kgqa_core.methods import METHODS
from kgqa_core.opening import open_index, open_setup, open_sources
from kgqa_core.render.steps import steps
from kgqa_core.settings import Settings
from tests.small_graph import DIRECTOR, FILM, STATEMENTS, ULM, small_graph

GONE = Statement(FILM, DIRECTOR, ULM)
BY_READER = [example for example in EXAMPLES if not example.model_only]


@pytest.mark.parametrize("example", BY_READER, ids=lambda e: e.id)
def test_an_example_is_readable_and_says_who_made_it(example):
    header, records = read(example)
    assert header.id == example.id
    assert (header.method, header.question) == (example.method, example.question)
    assert header.model == "built-in reader"
    assert (header.origin, header.graph_source) == ("recorded", example.graph)
    assert records[-1].event.terminal
    assert METHODS[header.method].params.model_validate(header.params)


def test_the_titles_of_recorded_steps_are_worded_as_those_of_new_ones():
    told = {step.title for _, records in recorded().values() for step in steps(records)}
    assert not [title for title in told if title.startswith("Compute ")]


class Part:
    """Of a graph, all statements that recorded runs tell, and a few of what else those are about.

    To index all of it takes minutes. What was nearest of all is nearest of a part it lies in.
    """

    def __init__(self, kg):
        told = {one for example in BY_READER for one in _told(read(example)[1])}
        things = [e for e in kg.describe(sorted({subject for subject, *_ in told})) if e]
        found = [s for near in kg.statements(things, direction="out") for s in near]
        self._held = [s for n, s in enumerate(found) if _key(s) in told or n % 40 == 0]
        assert len(told) > 1_000
        assert {_key(s) for s in self._held} >= told
        self.name = kg.name
        self._info = replace(kg.info(), statements=len(self._held))

    def info(self):
        return self._info

    def all_statements(self):
        return iter(self._held)


def _key(statement):
    end = statement.object
    end = end.id if isinstance(end, Entity) else end.value
    return statement.subject.id, statement.relation.id, end


def _told(records):
    """The statements of the graph that events hold, by their ends."""
    waiting = [json.loads(record.event.model_dump_json()) for record in records]
    while waiting:
        match waiting.pop():
            case {"subject": {"id": s}, "relation": {"id": r}, "object": end, "origin": o} if o:
                yield s, r, end.get("id") or end["value"]
            case dict() as inner:
                waiting += inner.values()
            case list() as inner:
                waiting += inner


@pytest.fixture(scope="module")
def sources(tmp_path_factory, known_graph):
    """The graph that the examples are about, a real encoder, and the index of a part of it."""
    settings = Settings(_env_file=None, data_dir=known_graph(tmp_path_factory.mktemp("data")))
    found = open_sources("known", "offline", settings)
    index = open_index(Part(found.kg), found.encoder, settings, "known")
    index.build()
    return found, index, settings


@pytest.mark.scale
@pytest.mark.parametrize("example", BY_READER, ids=lambda e: e.id)
def test_asked_again_it_answers_the_same(example, sources):
    found, index, settings = sources
    method = METHODS[example.method]
    params = method.params(**example.params)
    opened = open_setup(method, params, "known", "offline", settings, sources=found)
    setup = replace(opened, index=index)
    was, now = read(example)[1], record(example, setup)[1]
    assert answer_of(now).values == answer_of(was).values
    assert answer_of(now).grounding == answer_of(was).grounding


def test_there_is_one_for_every_file_and_a_file_for_every_one():
    by_reader = [run_id for run_id, (h, _) in recorded().items() if h.model_source == "offline"]
    assert by_reader == [example.id for example in BY_READER]
    assert {path.stem for path in FOLDER.glob("*.json")} == {
        example.id.removeprefix("example-") for example in BY_READER
    }
    assert not list(gallery.strangers())
    assert gallery.problems() == ()


def test_every_method_has_one_and_one_question_is_put_to_all():
    assert {example.method for example in EXAMPLES} == set(METHODS)
    assert sorted(e.method for e in EXAMPLES if e.question == EVERYBODY) == sorted(METHODS)
    assert len({example.question for example in EXAMPLES}) == 25
    assert len({example.id for example in EXAMPLES}) == len(EXAMPLES)


def recording(example):
    method = METHODS[example.method]
    return Setup(method, method.params(**example.params), starter_graph(), Offline())


def test_a_file_is_written_again_only_for_more_than_its_clocks(tmp_path, monkeypatch):
    monkeypatch.setattr(gallery, "FOLDER", tmp_path)
    example = EXAMPLES[0]
    assert write(example, *record(example, recording(example)))
    assert not write(example, *record(example, recording(example)))
    header, records = record(example, recording(example))
    assert write(example, header, records[:1] + records[-1:])


@pytest.fixture
def shelf(tmp_path, monkeypatch):
    """A folder of recorded runs that is empty."""
    monkeypatch.setattr(gallery, "FOLDER", tmp_path)
    gallery.forget()
    yield tmp_path
    gallery.forget()


def test_files_recorded_elsewhere_are_shown_beside_the_readers(shelf):
    example = EXAMPLES[0]
    write(example, *record(example, recording(example)))
    write(example, *record(example, recording(example), "Some Model 7B"), shelf / "some-model-7b")
    other, (header, records) = [*recorded().items()][1]
    assert other == f"example-some-model-7b-{example.id.removeprefix('example-')}"
    assert (header.model, header.origin) == ("Some Model 7B", "recorded")
    assert gallery.why(header) == example.why
    assert records[-1].event.terminal


def test_a_file_that_cannot_be_read_is_told(shelf):
    (shelf / "some-model").mkdir()
    (shelf / "some-model" / "torn.json").write_text('{"format"', encoding="utf-8")
    assert recorded() == {}
    assert "some-model/torn.json is left out: The file is not JSON" in gallery.problems()[0]


def test_a_run_whose_graph_has_changed_says_so():
    example = EXAMPLES[0]
    header, _ = record(example, recording(example))
    header = header.model_copy(update={"origin": "recorded", "graph_source": "starter"})
    assert "has changed since" in gallery.changed(header)  # its facts were in memory
    now = kinds.fingerprint("starter")
    assert gallery.changed(header.model_copy(update={"graph_fingerprint": now})) == ""
    assert kinds.fingerprint("https://example.org/sparql") == ""


@pytest.mark.parametrize(
    ("cited", "said"),
    [
        (STATEMENTS[:2], "every fact that its answer cites still stands"),
        (STATEMENTS[:1], "the fact that its answer cites still stands"),
        ((*STATEMENTS[:2], GONE), "2 of the 3 facts that its answer cites still stand"),
    ],
)
def test_it_is_told_how_many_of_the_facts_that_a_recorded_answer_cites_still_stand(cited, said):
    answered = Answered(answer=Answer(citations=tuple(cited)))
    records = [Record(seq=1, step=1, at_s=0, event=answered)]
    told = gallery.still_stated(records, small_graph())
    assert told == f"Recorded over an earlier version of its graph; {said}."


def test_a_recorded_answer_that_cites_nothing_is_of_an_earlier_graph():
    told = gallery.still_stated([], small_graph())
    assert told == "Recorded over an earlier version of its graph."


def test_a_label_is_a_folder_of_that_place_only():
    assert gallery.slug("GPT-4o mini / 2024") == "gpt-4o-mini-2024"
    assert gallery.slug("../../etc") == "etc"
    with pytest.raises(SettingsError, match="--label"):
        gallery.slug("…")
