"""The app under AppTest, nothing of it patched: the real pages, graph, reader and store."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.elements.lib import policies
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.testing.v1 import AppTest, app_test, local_script_runner

from kgqa_core.kg.starter import open_starter
from kgqa_core.screens import session
from tests.patience import PATIENCE_S
from tests.places import APP

# At every redraw AppTest looks for components in all packages that are installed: once will do.
manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)

# It compiles each page anew at every redraw, too; a server does so once, as this does.
app_test.ScriptCache = local_script_runner.ScriptCache = cache(ScriptCache)

# And it looks a thousand times a second whether the script has ended, which then goes on slower.
_gives_up = local_script_runner.require_widgets_deltas


def _wait_for(runner: local_script_runner.LocalScriptRunner, timeout: float = 3) -> None:
    runner._script_thread.join(timeout)
    if not runner.script_stopped():
        _gives_up(runner, 0)


local_script_runner.require_widgets_deltas = _wait_for


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[AppTest]:
    """The Ask page, with a data folder of its own and no model connected."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "KGQA_MODEL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("KGQA_DATA_DIR", str(tmp_path))
    monkeypatch.setattr(policies, "_shown_default_value_warning", False)
    session.environment.clear()
    session.runs.clear()
    open_starter(tmp_path / "starter")  # once in a process: pages are tested with their graph there
    found = AppTest.from_file(APP, default_timeout=PATIENCE_S)
    found.session_state["skips"] = True  # runs are shown at once
    yield found.run()
    session.runs.clear()
    session.environment.clear()
    assert not policies._shown_default_value_warning, "a widget has two values: see the log"
