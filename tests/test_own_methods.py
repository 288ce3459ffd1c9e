"""What others bring: methods, graphs and models, in packages, in files and in notebooks."""

import ast
import json
import shutil
import subprocess
import sys

import pytest

from kgqa_core import ask, compare, open_graph
from kgqa_core.ask.events import Answer, Sentence
from kgqa_core.errors import SettingsError
from kgqa_core.methods import METHODS, others
from kgqa_core.methods.others import as_method
from kgqa_core.opening import find_method
from kgqa_core.screens import session
from kgqa_core.shell.main import main
from tests.installed import Installed
from tests.places import ROOT
from tests.small_graph import small_graph

EXAMPLE = ROOT / "docs" / "own_method"
ECHO = '''
from pydantic import BaseModel
from kgqa_core.ask import events

class Params(BaseModel):
    times: int = 1

def solve(question, tools, params: Params):
    """Says the question again. It needs no graph."""
    yield events.Step(title="Say it again")
    return " ".join([question] * params.times)

class Loud:
    title = "Loud echo"

    def solve(self, question, tools):
        return question.upper()

nothing = 7
def wrong(question):
    return ""
'''


@pytest.fixture
def echo(tmp_path, monkeypatch):
    """A file with methods; what is read from it is forgotten afterwards."""
    monkeypatch.setattr(METHODS, "_files", {})
    monkeypatch.setenv("KGQA_DATA_DIR", str(tmp_path / "data"))
    file = tmp_path / "echo.py"
    file.write_text(ECHO)
    return file


# -- in a file ---------------------------------------------------------------------------------


def test_a_function_in_a_file_is_a_method(echo, capsys):
    assert main(["ask", "Ho?", "--method", f"{echo}:solve", "--param", "times=2"]) == 0
    assert capsys.readouterr().out.startswith("Ho? Ho? [ungrounded]")
    method = METHODS["echo"]
    assert method.about == "Says the question again. It needs no graph."
    assert (method.title, list(method.params.model_fields)) == ("Echo", ["times"])


def test_a_class_is_one_too_and_a_file_alone_names_its_solve(echo):
    assert find_method(str(echo)).name == "echo"
    loud = find_method(f"{echo}:Loud")
    assert (loud.name, loud.title) == ("loud", "Loud echo")
    assert ask("Ho?", f"{echo}:Loud", graph=small_graph()).answer.text == "HO?"
    assert {"echo", "loud"} <= set(METHODS)


def test_a_file_is_read_anew(echo):
    find_method(str(echo))
    echo.write_text(ECHO.replace("Says the question again.", "Repeats it."))
    find_method(str(echo))
    assert METHODS["echo"].about.startswith("Repeats it.")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("gone.py:solve", "There is no file"),
        ("echo.py:gone", "There is no gone in"),
        ("echo.py:nothing", "“nothing” is not a method"),
        ("echo.py:wrong", "“wrong” takes (question)"),
        ("broken.py:solve", "cannot be run (ZeroDivisionError: division by zero)"),
        ("leaves.py:solve", "cannot be run (SystemExit: 3)"),
        ("react.py:solve", "There is a method “react” already"),
    ],
)
def test_a_file_without_a_method_is_told_about_in_one_sentence(echo, capsys, name, said):
    folder = echo.parent
    (folder / "broken.py").write_text("1 / 0")
    (folder / "leaves.py").write_text("raise SystemExit(3)")
    (folder / "react.py").write_text(ECHO)
    assert main(["ask", "Ho?", "--method", str(folder / name)]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_a_wrong_answer_of_a_method_is_a_failed_run(echo):
    run = ask("Ho?", lambda question, tools: 7, graph=small_graph())
    assert run.status == "failed"
    assert "return an Answer, or text" in run.answer.reason
    assert "return an Answer, or text" in run._repr_html_()


@pytest.mark.server
def test_a_benchmark_in_worker_processes_knows_a_file(echo, tmp_path):
    command = ["bench", "--method", f"{echo}:solve,io", "--dataset", "starter", "--limit", "20"]
    done = subprocess.run(
        [sys.executable, "-m", "kgqa_core", *command, "--workers", "2", "--out", tmp_path / "out"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    summary = json.loads((tmp_path / "out" / "echo" / "summary.json").read_text())
    assert (summary["answered"], summary["failed"]) == (20, 0)


def test_a_page_reads_a_file(echo, app):
    app.switch_page("pages/settings.py").run()
    field = next(box for box in app.text_input if box.label == "File and function")
    field.set_value(f"{echo}:solve")
    next(b for b in app.button if b.label == "Read").click().run()
    assert "Echo" in app.success[0].value
    app.switch_page("pages/ask.py").run()
    assert "Echo" in app.selectbox(key="method").options


def test_a_hosted_page_reads_none(app, monkeypatch):
    monkeypatch.setenv("KGQA_HOSTED", "true")
    session.environment.clear()
    app.switch_page("pages/settings.py").run()
    assert not app.exception
    assert "File and function" not in [box.label for box in app.text_input]


# -- in a notebook -----------------------------------------------------------------------------


def test_a_run_in_a_notebook_has_all_of_it():
    run = ask("Who directed Written on the Wind?", "one-hop", graph=small_graph(), facts=20)
    assert run.answer.text == str(run) == "Douglas Sirk."
    assert [fact.object.name for fact in run.facts] == ["Douglas Sirk"]
    assert set(run.facts) <= set(run.retrieved)
    assert run.events[-1].kind == run.status == "answered"
    edge = run.graph.edges["Q1", "Q76716", "P57"]
    assert edge == {"label": "director", "state": "cited"}
    assert run.graph.nodes["Q76716"] == {"label": "Douglas Sirk", "said": "answer"}


def test_what_jupyter_shows_is_text_whatever_it_says():
    def mean(question, tools):
        """<i>"""
        return Answer(sentences=(Sentence(text="<script>alert(1)</script>"),))

    hostile = "<img src=x onerror=alert(1)>"
    runs = compare(hostile, [mean], graph=small_graph())
    for shown in (runs[0]._repr_html_(), runs._repr_html_()):
        assert "<script" not in shown
        assert "<img" not in shown
        assert "&lt;script&gt;" in shown


def test_what_does_not_fit_is_said():
    graph = small_graph()
    with pytest.raises(SettingsError, match="1-hop has no parameter stepz; it has linking"):
        ask("Who?", "one-hop", graph=graph, stepz=2)
    with pytest.raises(SettingsError, match="of 1-hop do not fit: “facts” must be at least 10"):
        ask("Who?", "one-hop", graph=graph, facts=0)
    with pytest.raises(SettingsError, match="There is no graph “gone”"):
        open_graph("gone")
    with pytest.raises(SettingsError, match="write \\(question, tools\\)"):
        as_method(lambda a, b, c: "", "three")
    with pytest.raises(SettingsError, match="is not a method"):
        as_method(others, "solve")


def test_the_room_is_still_a_room():
    import kgqa_core.ask.events as room

    assert room is sys.modules["kgqa_core.ask.events"]
    assert ask.events is room


def test_the_notebook_of_the_docs_runs(tmp_path, monkeypatch):
    monkeypatch.setenv("KGQA_DATA_DIR", str(tmp_path))
    notebook = json.loads((ROOT / "docs" / "notebook.ipynb").read_text(encoding="utf-8"))
    names, shown = {}, []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            shown.append(last_value("".join(cell["source"]), names))
    assert "Imitation of Life" in shown[0]._repr_html_()
    assert shown[1][0]
    assert "Imitation of Life" in str(shown[3])
    assert [run.answer.text for run in shown[4]] == ["Douglas Sirk."] * 3
    assert shown[5].status == "answered"
    assert shown[6].answer.text.startswith("Douglas Sirk: film director")


def last_value(source, names):
    """What a cell shows: its last line's value."""
    tree = ast.parse(source)
    last = tree.body.pop()
    exec(compile(tree, "cell", "exec"), names)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names)


# -- in a package ------------------------------------------------------------------------------

BROUGHT = """
from kgqa_core.kg.kinds.source import Source
from kgqa_core.llm.kinds import Model

def _graph(name, settings):
    from kgqa_core.kg.union import from_rows
    return from_rows([["Ada", "mother", "Eve"]], name="family")

def _model(settings, encoder):
    from kgqa_core.llm.offline import Offline
    return Offline(encoder)

FAMILY = Source("family", _graph, "mine", "home", "Mine.", name="family", title="My family")
TWIN = Model("twin", _model, lambda settings: "the reader's twin")
"""
POINTS = """
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"
[project]
name = "brought"
version = "1"
[project.entry-points."kgqa_explorer.graphs"]
family = "brought:FAMILY"
[project.entry-points."kgqa_explorer.models"]
twin = "brought:TWIN"
[project.entry-points."kgqa_explorer.methods"]
broken = "brought_broken:solve"
react = "brought:TWIN"
[tool.setuptools]
py-modules = ["brought", "brought_broken"]
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory, known_graph):
    """The program with the example of the docs, and a package that brings good and bad things."""
    home = tmp_path_factory.mktemp("installed")
    found = Installed(home)
    known_graph(home / "data")
    shutil.copytree(EXAMPLE, home / "own_method")
    found.add(home / "own_method")
    package = home / "brought"
    package.mkdir()
    (package / "pyproject.toml").write_text(POINTS)
    (package / "brought.py").write_text(BROUGHT)
    (package / "brought_broken.py").write_text("import a_library_that_is_not_here")
    found.add(package)
    return found


def test_the_example_is_short():
    files = [EXAMPLE / "own_method.py", EXAMPLE / "pyproject.toml"]
    assert sum(len(file.read_text().splitlines()) for file in files) < 60


@pytest.mark.scale
def test_the_example_package_brings_its_method(installed):
    listed = json.loads(installed.run("kgqa", "methods", "--json").stdout)
    (method,) = [m for m in listed if m["name"] == "neighbours"]
    assert method["title"] == "Neighbours"
    assert method["params"][0] == {
        "name": "most",
        "default": 3,
        "published": None,
        "description": "neighbours that are named",
    }
    command = ["ask", "Who is Douglas Sirk?", "--method", "neighbours", "--param", "most=2"]
    said = installed.run("kgqa", *command).stdout
    assert "[2]" in said
    assert "[3]" not in said


@pytest.mark.scale
def test_graphs_and_models_come_the_same_way(installed):
    command = ["ask", "Who is the mother of Ada?", "--graph", "family", "--llm", "twin"]
    assert "Eve" in installed.run("kgqa", *command).stdout


@pytest.mark.scale
def test_what_cannot_be_used_is_said_in_a_sentence_each_and_breaks_nothing(installed):
    done = installed.run("kgqa", "methods", "--json")
    first, second = done.stderr.splitlines()
    assert first.startswith("kgqa: “broken” of the package brought cannot be imported")
    assert "a_library_that_is_not_here" in first
    assert second.startswith("kgqa: “react” of the package brought is left out")
    assert json.loads(done.stdout)


PAGES = """
import threading
from kgqa_core.places import PROGRAM
from streamlit.testing.v1 import AppTest

if __name__ == "__main__":
    app = AppTest.from_file(str(PROGRAM / "app.py"), default_timeout=300).run()
    print(app.selectbox(key="method").options, app.selectbox(key="graph").options)
    print([text.value for text in app.caption][:2])
    app.selectbox(key="method").set_value("neighbours").run()
    print([box.label for box in app.number_input])
    app.session_state["bench:last"] = "New benchmark"
    for page in ("compare", "benchmarks"):
        app.switch_page(f"pages/{page}.py").run()
        print([box.options for box in [*app.selectbox, *app.multiselect]], len(app.exception))
    for thread in threading.enumerate():  # ending while the encoder loads would be an abort
        if thread.name == "kgqa-encoder":
            thread.join()
"""


@pytest.mark.scale
def test_the_pages_offer_what_packages_bring(installed):
    (installed.elsewhere / "pages.py").write_text(PAGES)
    lines = installed.run("python", "pages.py").stdout.splitlines()
    boxes, captions, params, *pages = lines
    assert "Neighbours" in boxes
    assert "My family" in boxes
    assert "broken" in captions
    assert "Most" in params
    for page in pages:
        assert "Neighbours" in page
        assert page.endswith(" 0")
    assert len(pages) == 2
