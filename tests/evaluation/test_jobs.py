"""Plans and jobs: several methods, one budget, in the background, and on after a break."""

import io
import json
import pickle
from functools import partial

import pytest

from kgqa_core.ask.events import Answer, Sentence
from kgqa_core.ask.run import StopToken
from kgqa_core.errors import SettingsError
from kgqa_core.evaluation import jobs, own, results, sets
from kgqa_core.evaluation.datasets import DatasetError, load
from kgqa_core.evaluation.jobs import Job, Plan, run_plan
from kgqa_core.facts.terms import Entity, Literal
from kgqa_core.kg.load import load as load_graph
from kgqa_core.methods import METHODS
from kgqa_core.opening import open_graph, open_index
from kgqa_core.search.encoder import Encoder
from kgqa_core.settings import Settings
from tests.evaluation.test_benchmark import setup
from tests.patience import PATIENCE_S, wait_until

TABLE = "question,answers\n" + "".join(f"right {i},{i}\n" for i in range(30))


@pytest.fixture
def asked(tmp_path, monkeypatch):
    """A file of thirty questions, settings of its own, and two method names that are known."""
    path = tmp_path / "numbers.csv"
    path.write_text(TABLE)
    return path


def plan(path, **fields):
    base = {"dataset": path, "format": "csv", "methods": {"react": {}, "one-hop": {}}}
    base |= {"graph": "starter"}
    return Plan.model_validate(base | fields)


def opener(method):
    return setup()


def slow(method):
    return setup(pause_s=0.05)


def settings(tmp_path):
    return Settings(data_dir=tmp_path / "data", workers=2)


def test_methods_of_a_plan_have_a_folder_each_and_share_the_budget(asked, tmp_path):
    found = run_plan(plan(asked, calls=70, workers=1), tmp_path / "out", opener, settings(tmp_path))
    first, second = found.values()
    assert (first["n"], first["stopped"]) == (30, "")
    assert second["stopped"] == "The budget of 70 model calls is used up."
    assert second["n"] == 5  # 60 of the 70 calls were the first method's
    assert {p.name for p in (tmp_path / "out").iterdir()} == {"react", "one-hop"}


def test_a_single_method_needs_no_folder_in_between(asked, tmp_path):
    run_plan(plan(asked, methods={"react": {}}), tmp_path / "out", opener, settings(tmp_path))
    assert (tmp_path / "out" / "config.json").is_file()


def test_a_stopped_plan_goes_on_with_what_is_left(asked, tmp_path):
    stop = StopToken()

    def press(method, now):
        if now.done >= 3:
            stop.press()

    found = run_plan(
        plan(asked, workers=1),
        tmp_path / "out",
        opener,
        settings(tmp_path),
        on_progress=press,
        stop=stop,
    )
    assert list(found) == ["react"]
    assert found["react"]["stopped"] == "Stopped by the user."
    rest = run_plan(plan(asked), tmp_path / "out", opener, settings(tmp_path))
    assert [s["complete"] for s in rest.values()] == [True, True]


def test_a_job_runs_in_the_background_and_tells_how_far_it_is(asked, tmp_path):
    job = Job(plan(asked), tmp_path / "out", opener, settings(tmp_path))
    assert job.wait(PATIENCE_S)
    assert (job.error, job.stopped, job.running) == ("", "", False)
    assert job.method == "one-hop"
    assert (job.progress.done, job.progress.right) == (30, 30)
    assert jobs.stored_plan(tmp_path / "out") == plan(asked)


def test_a_job_that_is_stopped_can_go_on(asked, tmp_path):
    out = jobs.new_folder(settings(tmp_path).data_dir, "Numbers & more")
    job = Job(plan(asked), out, slow, settings(tmp_path))
    wait_until(lambda: job.progress is not None and job.progress.done >= 2)
    job.stop()
    assert job.wait(PATIENCE_S)
    assert job.stopped == "Stopped by the user."
    ((where, stored),) = jobs.unfinished(settings(tmp_path).data_dir)
    assert (where, stored) == (out, plan(asked))
    before = (out / "react" / "results.jsonl").read_bytes()
    again = Job(stored, out, slow, settings(tmp_path))
    assert again.wait(PATIENCE_S)
    assert again.error == ""
    assert (out / "react" / "results.jsonl").read_bytes().startswith(before)
    assert not list(jobs.unfinished(settings(tmp_path).data_dir))


def test_what_goes_wrong_in_the_background_is_said(asked, tmp_path):
    def broken(method):
        raise RuntimeError("no such thing")

    job = Job(plan(asked), tmp_path / "out", broken, settings(tmp_path))
    assert job.wait(PATIENCE_S)
    assert job.stopped == "The benchmark broke off (RuntimeError: no such thing)."
    missing = Job(plan(tmp_path / "gone.csv"), tmp_path / "b", opener, settings(tmp_path))
    assert missing.wait(PATIENCE_S)
    assert "There is no file" in missing.stopped
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(SettingsError, match="cannot be written"):
        Job(plan(asked), blocked, opener, settings(tmp_path))


def test_two_jobs_at_once_do_not_share_a_folder(asked, tmp_path):
    first = Job(plan(asked), tmp_path / "out", slow, settings(tmp_path))
    wait_until(lambda: first.progress is not None)
    second = Job(plan(asked), tmp_path / "out", slow, settings(tmp_path))
    assert second.wait(PATIENCE_S)
    assert "Another benchmark is writing" in second.stopped
    assert first.wait(PATIENCE_S)
    assert first.stopped == ""
    assert len(results.read(tmp_path / "out" / "react")[1]) == 30


def test_a_damaged_plan_is_no_plan(tmp_path):
    folder = jobs.folder_of(tmp_path) / "x"
    folder.mkdir(parents=True)
    (folder / "plan.json").write_text("{")
    assert not list(jobs.unfinished(tmp_path))
    with pytest.raises(SettingsError, match="damaged or of another version"):
        jobs.stored_plan(folder)


def test_parameters_that_do_not_fit_are_named():
    assert jobs.params_of("react", {}) == METHODS["react"].params()
    with pytest.raises(SettingsError, match="The parameters of ReAct do not fit: “steps” "):
        jobs.params_of("react", {"steps": 0})


def test_what_worker_processes_open_survives_pickling(tmp_path):
    opened = partial(jobs.opened, {"react": {}}, "starter", "offline", settings(tmp_path), "react")
    found = pickle.loads(pickle.dumps(opened))()
    assert (found.method.name, found.kg.name, found.llm.name) == (
        "react",
        "starter",
        "built-in reader",
    )


def test_a_graph_in_a_folder_has_one_index_for_questions_and_for_benchmarks(tmp_path):
    """An index that `bench` has built is the one that `ask` and the pages look for."""
    facts = tmp_path / "facts.tsv"
    facts.write_text("Ada\tmet\tCharles\n", encoding="utf-8")
    folder = tmp_path / "graphs" / "small"
    load_graph([facts], folder, name="small")
    known, graph = settings(tmp_path), str(folder)
    asked = open_index(open_graph(graph, known), Encoder(known), known, graph)
    measured = jobs.opened({"react": {}}, graph, "offline", known, "react").index
    assert measured is not None
    assert measured.source == asked.source


# -- question sets -------------------------------------------------------------------------


def test_own_questions_are_typed_edited_and_asked(tmp_path):
    one = own.typed(" Who  directed Inception? ", "Q25191 | Christopher Nolan", "look-up")
    own.add(tmp_path, one, own.typed("Who directed nothing?", "(none)"))
    own.add(tmp_path, own.typed("Who directed Inception?", "Q25191|Christopher Nolan"))  # again
    there = own.read(tmp_path)
    assert [q.question for q in there] == ["Who directed Inception?", "Who directed nothing?"]
    assert there[0] == one
    data = load(own.path_of(tmp_path), own.FORMAT)
    assert [g.id or g.name for g in data.examples[0].gold["gold"]] == [
        "Q25191",
        "Christopher Nolan",
    ]
    assert data.examples[1].gold == {"gold": ()}
    assert data.examples[0].classes == ("look-up",)
    own.replace(tmp_path, there[1:])
    assert own.read(tmp_path) == there[1:]


def test_a_run_becomes_a_question(tmp_path):
    nolan = Entity("http://www.wikidata.org/entity/Q25191", "Christopher Nolan")
    said = Answer(sentences=(Sentence(text="x"),), values=(nolan, Literal("1970")))
    own.add(tmp_path, own.collected("Who?", said, graph="starter", run="abc"))
    (line,) = own.path_of(tmp_path).read_text().splitlines()
    found = json.loads(line)
    assert found["gold"] == ["Q25191", "1970"]
    assert found["answer_labels"] == {"Q25191": "Christopher Nolan"}
    assert (found["graph"], found["run"]) == ("starter", "abc")
    (example,) = load(own.path_of(tmp_path), own.FORMAT).examples
    assert example.gold["gold"][0].names == ("Christopher Nolan",)


@pytest.mark.parametrize(
    ("question", "answers", "said"),
    [
        ("  ", "x", "Type the question"),
        ("Who?", " | ", "Type the right answer"),
        ("x" * 3000, "y", "at most 2,000"),
    ],
)
def test_a_question_needs_words_and_an_answer(question, answers, said):
    with pytest.raises(SettingsError, match=said):
        own.typed(question, answers)


def test_a_damaged_line_of_own_questions_is_named(tmp_path):
    own.add(tmp_path, own.typed("Who?", "x"))
    with own.path_of(tmp_path).open("a") as out:
        out.write("{}\n")
    with pytest.raises(SettingsError, match="damaged in line 2"):
        own.read(tmp_path)


def test_uploads_are_kept_and_forgotten(tmp_path):
    new = sets.keep(tmp_path, "../my set.csv", io.BytesIO(TABLE.encode()), "csv")
    assert sets.available(tmp_path)[new.name].path == new.path
    assert new.path.is_relative_to(tmp_path)
    assert new.title == "my_set"
    assert sets.keep(tmp_path, "my set.csv", io.BytesIO(TABLE.encode()), "csv").path == new.path
    sets.forget(tmp_path, new.name)
    assert new.name not in sets.available(tmp_path)
    assert not new.path.exists()


def test_an_upload_of_another_format_is_refused_by_its_own_name(tmp_path):
    with pytest.raises(DatasetError, match=r"^my\.csv is not a file of the format metaqa.*csv"):
        sets.keep(tmp_path, "my.csv", io.BytesIO(TABLE.encode()), "metaqa")
    assert not list((tmp_path / "benchmarks" / "uploads").iterdir())


def test_sets_have_names(tmp_path):
    assert sets.get("none", tmp_path) is None
    with pytest.raises(SettingsError, match="datasets qald-10` downloads it"):
        sets.get("qald-10", tmp_path)
    with pytest.raises(SettingsError, match=r"fetch it from https://github\.com/yuyuz/MetaQA"):
        sets.get("metaqa", tmp_path)
    own.add(tmp_path, own.typed("Who?", "x"))
    assert sets.get("own", tmp_path).path == own.path_of(tmp_path)


def test_the_starter_questions_ship_and_can_be_asked(tmp_path):
    found = sets.get("starter", tmp_path)
    data = load(found.path, found.format)
    assert len(data.examples) > 200
    assert not data.skipped
    assert found.graph == "starter"
