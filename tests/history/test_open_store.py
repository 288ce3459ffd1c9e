"""Which home of runs the settings name."""

import pytest

from kgqa_core.errors import SettingsError
from kgqa_core.history.store import RunStore, open_store
from kgqa_core.settings import Settings


def test_without_an_address_runs_are_in_a_file(tmp_path):
    store = open_store(Settings(data_dir=tmp_path))
    assert isinstance(store, RunStore)
    store.close()


@pytest.mark.parametrize("url", ["mysql://x/y", "sqlite:///x", "nonsense", "http://me:hush@x/"])
def test_an_address_of_something_else_is_a_setting_to_correct(url):
    with pytest.raises(SettingsError, match="KGQA_RUNS_URL") as caught:
        open_store(Settings(runs_url=url))
    assert "hush" not in str(caught.value)


def test_nobody_there_is_told_and_asking_goes_on():
    store = open_store(Settings(runs_url="postgresql://me:hush@127.0.0.1:9/runs"))
    assert "127.0.0.1/runs" in store.problem
    assert "hush" not in store.problem
    assert store.recent() == []
    store.close()
