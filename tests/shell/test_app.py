"""`app`, as far as it is more than Streamlit's server; that it serves: `screens/test_stop.py`."""

import gc
import importlib.metadata
import importlib.util
import os
import socket
import subprocess
import sys

import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.components.v2.component_manager import BidiComponentManager

from kgqa_core.screens import mended
from kgqa_core.shell import app
from tests.places import ROOT
from tests.ports import free_port

FIRST_PAGE = """
import sys
from streamlit.testing.v1 import AppTest
page = AppTest.from_file("app.py", default_timeout=300).run()
assert not page.exception and page.text_input(key="question")
print(*{"pandas", "pyarrow", "torch", "chromadb", "altair", "pyvis"} & set(sys.modules))
"""


@pytest.fixture
def imported(monkeypatch):
    """What is imported ahead, in order, while no garbage is looked for."""
    names = []
    monkeypatch.setattr(app, "import_module", lambda name: names.append((name, gc.isenabled())))
    monkeypatch.setattr(app, "_LOOKS", 2)
    gc.disable()
    yield names
    gc.unfreeze()
    gc.enable()


def test_garbage_is_looked_for_again_once_all_is_imported(imported):
    with socket.create_server(("localhost", 0)) as server:
        app._read_ahead(server.getsockname())
    assert imported[0] == ("kgqa_core.screens.session", False)
    assert gc.isenabled()


def test_garbage_is_looked_for_where_no_server_comes(imported):
    app._read_ahead(("localhost", free_port()))
    assert imported == []
    assert gc.isenabled()


def test_installed_packages_are_not_looked_through_for_components(monkeypatch):
    looks = []
    monkeypatch.setattr(importlib.metadata, "distributions", lambda: looks.append(1) or [])
    anew = importlib.util.module_from_spec(
        manifest_scanner.__spec__
    )  # an app may have run here before
    manifest_scanner.__spec__.loader.exec_module(anew)
    scan = anew.scan_component_manifests
    monkeypatch.setattr(manifest_scanner, "scan_component_manifests", scan)
    BidiComponentManager().discover_and_register_components(start_file_watching=False)
    assert looks == [1]
    mended.look_for_no_components()
    BidiComponentManager().discover_and_register_components(start_file_watching=False)
    assert looks == [1]


def test_the_first_page_waits_for_no_library_it_does_not_need(tmp_path):
    found = subprocess.run(
        [sys.executable, "-c", FIRST_PAGE],
        cwd=ROOT,
        env={**os.environ, "KGQA_DATA_DIR": str(tmp_path), "KGQA_BUILD_INDEX": "0"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout.split() == []
