"""docs/extending.md, followed to the letter in a copy of the program."""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest

from kgqa_core.places import ASSETS
from tests.places import ROOT

pytestmark = pytest.mark.scale  # a copy of the whole program
PAGE = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"`([\w/]+\.py)`")


def blocks():
    """Each block of code: its language, its text, and the file named last before it."""
    for match in _BLOCK.finditer(PAGE):
        named = _FILE.findall(PAGE, 0, match.start())
        yield match[1], match[2], f"kgqa_core/{named[-1]}" if named else ""


def patch(text, diff):
    """The text with a diff applied, whose context must be there exactly once."""
    lines = diff.splitlines()
    before = "".join(f"{line[1:]}\n" for line in lines if line[:1] != "+")
    after = "".join(f"{line[1:]}\n" for line in lines if line[:1] != "-")
    assert text.count(before) == 1, f"the page is out of date here:\n{diff}"
    return text.replace(before, after)


@pytest.fixture(scope="module")
def program(tmp_path_factory, known_graph):
    """A copy in which everything the page adds was added."""
    home = tmp_path_factory.mktemp("program")
    for name in ("kgqa_core", "pages", ".streamlit"):
        shutil.copytree(ROOT / name, home / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "app.py", home)
    (home / "assets").symlink_to(ASSETS)
    known_graph(home / "data")
    (home / "family.txt").write_text("Ada | mother | Eve\nEve | mother | Ruth\n")
    for language, code, file in blocks():
        path = home / file
        if language == "python":
            assert not path.exists(), f"{file} is no new file"
            path.write_text(code, encoding="utf-8")
        elif language == "diff":
            path.write_text(patch(path.read_text(encoding="utf-8"), code), encoding="utf-8")
    return home


def run(program, *command, fails=False):
    keep = {n: v for n, v in os.environ.items() if not n.startswith(("KGQA_", "OPENAI_"))}
    done = subprocess.run(
        [sys.executable, *command],
        cwd=program,
        env={
            **keep,
            "KGQA_BUILD_INDEX": "0",
            "KGQA_DATA_DIR": str(program / "data"),
            "PYTHONPATH": str(program),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert bool(done.returncode) == fails, done.stderr
    return done.stdout


def consoles():
    """Each command that the page shows, with the lines it says are printed."""
    for language, text, _ in blocks():
        if language == "console":
            for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
                command, *lines = part.splitlines()
                yield command, lines


COMMANDS = """
import contextlib, io, json, shlex, sys
from kgqa_core.shell.main import main

said = {}
for command in sys.argv[1:]:
    with contextlib.redirect_stdout(io.StringIO()) as out:
        code = main(shlex.split(command)[1:])
    said[command] = [code, out.getvalue()]
print(json.dumps(said))
"""


@pytest.fixture(scope="module")
def said(program):
    """What each command printed, one after the other in one process."""
    commands = [command for command, _ in consoles()]
    assert all(command.startswith("kgqa ") for command in commands)
    return json.loads(run(program, "-c", COMMANDS, *commands))


@pytest.mark.parametrize(
    ("command", "lines"), [pytest.param(*console, id=console[0]) for console in consoles()]
)
def test_a_command_prints_what_the_page_says(said, command, lines):
    code, printed = said[command]
    assert code == 0
    assert lines
    for line in lines:
        assert line in printed


def test_what_is_added_keeps_the_rules_of_the_house(program):
    new = sorted({file for language, _, file in blocks() if language in ("python", "diff")})
    config = ["--config", str(ROOT / "pyproject.toml")]
    run(program, "-m", "ruff", "check", "--no-cache", *config, *new)
    run(program, "-m", "ruff", "format", "--check", "--no-cache", *config, *new)


EVENT = """
from kgqa_core.ask.run import run
from kgqa_core.methods import METHODS
from kgqa_core.opening import open_setup
from kgqa_core.render.fold import Fold
from kgqa_core.settings import Settings

method = METHODS["first-facts"]
setup = open_setup(method, method.params(), "starter", "offline", Settings())
fold = Fold(20)
for record in run("Who is Douglas Sirk?", setup.solve, setup.toolkit(), setup.params):
    fold.add(record)
    if record.event.kind == "doubted":
        print(record.event.line)
        print([(node.entity.name, node.said) for node in fold.nodes.values()])
"""


def test_the_event_is_told_and_drawn(program):
    told, drawn = run(program, "-c", EVENT).splitlines()
    assert "Doubts about Douglas Sirk: few facts were read" in told
    assert "('Douglas Sirk', 'dead_end')" in drawn


PAGES = """
import threading
from kgqa_core.screens import session
from streamlit.testing.v1 import AppTest

if __name__ == "__main__":
    app = AppTest.from_file("app.py", default_timeout=300)
    app.session_state["skips"] = True  # runs are shown at once
    app.run()
    app.selectbox(key="method").set_value("first-facts").run()
    app.text_input(key="question").set_value("Who is Douglas Sirk?")
    app.button(key="ask_button").click()
    app.run()
    session.runs().get(app.session_state["run"]).wait(300)
    app.run()
    print([tab.label for tab in app.tabs])
    print([text.value.replace(chr(92), "") for text in app.markdown])
    app.switch_page("pages/graphs.py").run()
    print([tab.label for tab in app.tabs])
    app.text_input(key="graphs:bars:asked").set_value("bars:family.txt")
    app.button(key="graphs:bars:add").click().run()
    print([text.value for text in app.markdown])
    print([error.value for error in [*app.error, *app.exception]])
    for thread in threading.enumerate():  # ending while the encoder loads would be an abort
        if thread.name == "kgqa-encoder":
            thread.join()
"""


def test_the_pages_show_what_was_added(program):
    (program / "drive.py").write_text(PAGES)
    tabs, texts, forms, cards, problems = run(program, "drive.py").splitlines()
    assert "'Doubts'" in tabs
    assert "- Doubts about Douglas Sirk: few facts were read" in texts
    assert "'Bars'" in forms
    assert "**family**" in cards
    assert problems == "[]"
