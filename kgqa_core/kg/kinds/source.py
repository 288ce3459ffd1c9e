"""What a kind of graph is to everybody but itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kgqa_core.kg.base import KnowledgeGraph
from kgqa_core.settings import Settings


def _no(*_: str) -> bool:
    return False


def _as_it_is(name: str) -> str:
    return name


def _unknown() -> str:
    return ""


def _at_once(_: Settings) -> bool:
    return False


@dataclass(frozen=True)
class Source:
    """A kind of graph: what names one, how it is opened, and what pages say of it.

    A kind that is one graph has a `name`, which opens it, and a `title`: it is in the list from
    the start. Others open each name that `takes` says yes to. `open` raises SettingsError for
    what cannot be opened here, SourceError for a graph that is broken. Where the first time takes
    long, `begin` begins with it in the background and says whether it goes on; `open` waits.
    """

    kind: str  # kept with each graph of the list
    open: Callable[[str, Settings], KnowledgeGraph]
    word: str  # on its card
    icon: str  # of Material Symbols
    about: str = ""  # one sentence; empty: the card shows the address
    name: str = ""
    title: str = ""
    takes: Callable[[str], bool] = _no
    named: str = ""  # how one is named, for the shell's help
    asks_for: str = ""  # label of a field on the page that takes such a name; empty: no field
    written: Callable[[str], str] = _as_it_is  # a name in the one way it is kept
    shared: bool = True  # whether a name means the same graph on another machine
    host_of: Callable[[str, str], bool] = _no  # (name, host): whether requests go to that host
    examples: tuple[str, ...] = ()  # questions to try
    starts: tuple[str, ...] = ()  # entities to walk from
    texts: bool = False  # whether passages come with it
    fingerprint: Callable[[], str] = _unknown  # of the one graph it is, without opening it
    begin: Callable[[Settings], bool] = _at_once
