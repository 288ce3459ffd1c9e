"""A graph that `load` left in a folder: the store, the index of its names, and what it holds.

    DIR/graph.json      name, counts, fingerprint, when and from what it was loaded; of the graphs
                        that come with the app also of what most is stated
    DIR/labels.sqlite   the index of names
    DIR/store/          the Oxigraph store

A bare Oxigraph store in a folder is opened, too.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import pyoxigraph as ox

from kgqa_core.errors import SourceRejected, SourceUnavailable
from kgqa_core.facts.terms import Entity
from kgqa_core.kg.base import GraphInfo, requested
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.kg.label_store import DiskLabels
from kgqa_core.kg.labels import Labels

ABOUT, LABELS, STORE = "graph.json", "labels.sqlite", "store"
MOST_STATED, HOW_MANY = "most_stated", 500  # in `ABOUT`: ids and how much is stated of each


class FolderGraph(EmbeddedGraph):
    """An embedded graph whose names and counts were prepared when it was loaded."""

    def __init__(
        self,
        name: str,
        store: ox.Store,
        folder: Path,
        about: GraphInfo,
        most_stated: Sequence[tuple[str, int]] = (),
    ) -> None:
        super().__init__(name, store, folder / STORE)
        self._folder = folder
        self._about = about
        self._most_stated = most_stated

    def most_stated(self, most: int) -> list[tuple[Entity, int]]:
        if most > len(self._most_stated):
            return super().most_stated(most)
        requested()
        return [(self._entity(id_), count) for id_, count in self._most_stated[:most]]

    @cached_property
    def _index(self) -> Labels:
        return DiskLabels(self._folder / LABELS)

    @cached_property
    def _info(self) -> GraphInfo:
        return self._about


def open_folder(folder: Path, name: str = "") -> EmbeddedGraph:
    """Raises SourceUnavailable for a folder that is gone, SourceRejected for one without graph."""
    if not folder.is_dir():
        raise SourceUnavailable(
            f"There is no folder {folder}: check its name, or load files into it with "
            f"`python -m kgqa_core load FILE --into {folder}`.",
            source=name or folder.name,
        )
    if (folder / "CURRENT").is_file():
        return EmbeddedGraph.open(name or folder.name, folder)
    try:
        about = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
        info = GraphInfo(
            name or about["name"],
            about["entities"],
            about["statements"],
            about["relations"],
            about["fingerprint"],
        )
        most_stated = [(str(id_), int(count)) for id_, count in about.get(MOST_STATED, ())]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SourceRejected(
            f"There is no complete graph in {folder}: load it again with "
            f"`python -m kgqa_core load FILE --into {folder}`.",
            source=name or folder.name,
        ) from error
    try:
        store = ox.Store.read_only(str(folder / STORE))
    except OSError as error:
        raise SourceUnavailable(
            f"The graph in {folder} cannot be opened ({error}): check the folder's permissions.",
            source=info.name,
        ) from error
    return FolderGraph(info.name, store, folder, info, most_stated)
