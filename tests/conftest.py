"""Fixtures every test may use."""

import gc
import os
import re
import sys
import threading
from collections.abc import Iterator
from functools import lru_cache
from importlib import import_module
from itertools import chain, combinations
from pathlib import Path

import pytest
from _pytest.mark.expression import Expression

os.environ.setdefault("KGQA_BUILD_INDEX", "0")  # what needs an index builds it
os.environ.setdefault("KGQA_GRAPH", "starter")  # the small graph, which is there at once

_FIXTURES = ("tests.screens.browser", "tests.screens.pages", "tests.stored")
_PARTS = ("browser", "server", "scale")  # the marks that `make test` makes its three parts by
_ANY = "|".join(_PARTS)
_MARKED = re.compile(rf"\bmark\.({_ANY})\b")
_WHOLE = re.compile(rf"^pytestmark = pytest\.mark\.({_ANY})\b", re.MULTILINE)
_BY_PARTS = re.compile(rf"(?:\b(?:and|or|not|{_ANY})\b|[\s()])+")


def pytest_configure(config: pytest.Config) -> None:
    """Who only hands tests to other processes needs no fixtures, which take a second to import."""
    if hasattr(config, "workerinput") or not config.getoption("numprocesses", None):
        for name in _FIXTURES:
            config.pluginmanager.register(import_module(name), name)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A file none of whose tests `-m` can mean is not imported: every worker imports the rest."""
    wanted = config.option.markexpr
    if collection_path.suffix != ".py" or not _BY_PARTS.fullmatch(wanted):
        return None
    whole, some = _marks(collection_path)
    meant = Expression.compile(wanted)
    sets = chain.from_iterable(combinations(some, n) for n in range(len(some) + 1))
    return None if any(meant.evaluate({*whole, *one}.__contains__) for one in sets) else True


@lru_cache(maxsize=1_000)
def _marks(file: Path) -> tuple[list[str], list[str]]:
    """Which parts all tests of a file belong to, and which any may."""
    text = file.read_text(encoding="utf-8")
    return _WHOLE.findall(text), sorted({*_MARKED.findall(text)})


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    """What is collected stays to the end: nothing of it is garbage, then or later."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


def pytest_itemcollected(item: pytest.Item) -> None:
    """What a test inherits would not be seen by the look at its file."""
    inherited = {mark.name for mark in item.iter_markers()} & {*_PARTS} - {*_marks(item.path)[1]}
    if inherited:
        raise pytest.UsageError(f"{item.nodeid}: write {', '.join(inherited)} in its own file")


@pytest.fixture(autouse=True)
def main_module() -> Iterator[None]:
    """AppTest leaves a script of its own as `__main__`, which worker processes would then run."""
    before = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = before


def pytest_sessionfinish() -> None:
    """An interpreter that ends while an encoder is loading in the background is aborted."""
    for thread in threading.enumerate():
        if thread.name == "kgqa-encoder":
            thread.join()
