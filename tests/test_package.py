"""The package: what it needs is declared, and a wheel of it works from any folder."""

import ast
import re
import subprocess
import sys
import time
from importlib.metadata import packages_distributions, version

import pytest
import requests

from tests.installed import Installed
from tests.patience import PATIENCE_S
from tests.places import ROOT
from tests.ports import free_port

_REQUIREMENT = re.compile(r"^(?:# )?([A-Za-z][\w.-]*)(?:\[\w+\])?==(\S+)\s+# \S", re.MULTILINE)
DECLARED = dict(_REQUIREMENT.findall((ROOT / "requirements.txt").read_text(encoding="utf-8")))


def plain(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def imported():
    """Every module of others that the program imports, anywhere in it, with a file that does."""
    found = {}
    files = [*(ROOT / "kgqa_core").rglob("*.py"), *(ROOT / "pages").glob("*.py"), ROOT / "app.py"]
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module]
            for name in names:
                found.setdefault(name.partition(".")[0], file.relative_to(ROOT))
    ours = {"kgqa_core", *sys.stdlib_module_names}
    return {name: file for name, file in found.items() if name not in ours}


def test_what_is_imported_is_declared():
    declared, distributions = set(map(plain, DECLARED)), packages_distributions()
    missing = {
        name: file
        for name, file in imported().items()
        if declared.isdisjoint(map(plain, distributions.get(name, [name])))
    }
    assert not missing


def test_each_requirement_is_the_version_at_hand_and_says_why_it_is_there():
    text = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    assert len(DECLARED) == len(text.strip().splitlines()) - 1  # the first line is a comment
    for name, pinned in DECLARED.items():
        assert version(name).partition("+")[0] == pinned, name


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    return Installed(tmp_path_factory.mktemp("installed"))


@pytest.mark.scale
def test_a_question_is_answered_from_any_folder(installed):
    said = installed.run("kgqa", "ask", "Who directed Written on the Wind?").stdout
    assert "Douglas Sirk" in said
    assert "[1]" in said


@pytest.mark.scale
def test_the_methods_are_listed_and_the_version_is_told(installed):
    assert "react " in installed.run("kgqa", "methods").stdout
    assert installed.run("kgqa", "--version").stdout.strip() == version_of_the_code()
    told = "from importlib.metadata import version; print(version('kgqa-explorer'))"
    assert installed.run("python", "-c", told).stdout.strip() == version_of_the_code()


def version_of_the_code():
    text = (ROOT / "kgqa_core" / "__init__.py").read_text(encoding="utf-8")
    return re.search(r'__version__ = "(.+)"', text)[1]


@pytest.mark.scale
def test_nothing_of_the_checkout_is_used_and_no_module_lands_beside_the_package(installed):
    where = "import kgqa_core.places as p; print(p.ASSETS)"
    assets = installed.run("python", "-c", where).stdout.strip()
    assert assets == str(installed.packages / "kgqa_core" / "program" / "assets")
    beside = {path.name for path in installed.packages.iterdir() if path.is_dir()}
    assert {name for name in beside if not name.endswith(".dist-info")} == {"kgqa_core"}


@pytest.mark.scale
def test_the_app_starts_from_any_folder(installed):
    port = free_port()
    app = subprocess.Popen(
        [installed.python.with_name("kgqa"), "app", "--port", str(port)],
        cwd=installed.elsewhere,
        env=installed.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        page = fetched(f"http://localhost:{port}/", app)
        assert "<title>Streamlit</title>" in page
    finally:
        app.terminate()
        said, _ = app.communicate(timeout=PATIENCE_S)
    assert app.returncode is not None
    assert f"URL: http://localhost:{port}" in said
    assert "Network URL" not in said  # its own config was read: this machine alone


def fetched(url, app):
    until = time.monotonic() + PATIENCE_S
    while True:
        try:
            answer = requests.get(url, timeout=PATIENCE_S)
            answer.raise_for_status()
            return answer.text
        except requests.RequestException:
            assert app.poll() is None, app.stdout.read()
            assert time.monotonic() < until, "the app does not answer"
            time.sleep(0.3)


PAGES = """
import threading
from kgqa_core.places import PROGRAM
from streamlit.testing.v1 import AppTest

if __name__ == "__main__":
    app = AppTest.from_file(str(PROGRAM / "app.py"), default_timeout=300).run()
    for page in ("ask", "runs", "graphs", "benchmarks", "settings"):
        app.switch_page(f"pages/{page}.py").run()
        print(page, len(app.main), [e.value for e in [*app.exception, *app.error]])
    for thread in threading.enumerate():  # ending while the encoder loads would be an abort
        if thread.name == "kgqa-encoder":
            thread.join()
"""


@pytest.mark.scale
def test_the_pages_of_the_wheel_are_drawn(installed):
    (installed.elsewhere / "pages.py").write_text(PAGES)
    lines = installed.run("python", "pages.py").stdout.splitlines()
    assert len(lines) == 5
    for line in lines:
        assert re.fullmatch(r"\w+ [1-9]\d* \[\]", line)


def test_a_port_that_is_none_is_refused(capsys):
    from kgqa_core.shell.main import main

    assert main(["app", "--port", "0"]) == 2
    assert "--port" in capsys.readouterr().err
