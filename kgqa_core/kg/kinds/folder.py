"""Folders that `load` made, and bare Oxigraph stores; those of uploads are kept by the app."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from kgqa_core.errors import SettingsError
from kgqa_core.kg.base import KnowledgeGraph
from kgqa_core.kg.kinds.source import Source
from kgqa_core.settings import Settings


def _open(name: str, settings: Settings) -> KnowledgeGraph:
    from kgqa_core.kg.folder import open_folder

    folder = Path(name).expanduser()
    if settings.hosted and not folder.resolve().is_relative_to(settings.data_dir.resolve()):
        raise SettingsError(
            f"A hosted app opens only folders in {settings.data_dir}: load the graph there."
        )
    return open_folder(folder)


def _takes(name: str) -> bool:
    return "/" in name or os.sep in name or Path(name).expanduser().is_dir()


def _written(name: str) -> str:
    return str(Path(name).expanduser().absolute())


SOURCE = Source(
    kind="folder",
    open=_open,
    word="folder",
    icon="folder",
    takes=_takes,
    named="a folder made by `python -m kgqa_core load`",
    written=_written,
    shared=False,
)
LOADED = replace(
    SOURCE,
    kind="loaded",
    word="uploaded",
    icon="upload_file",
    about="Loaded from files, kept in the data folder.",
    takes=lambda name: False,  # its name is that of a folder
    named="",
)
