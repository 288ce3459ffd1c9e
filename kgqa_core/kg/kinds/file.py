"""A graph file asked as it lies: loaded once into the data folder, and anew when it has changed."""

from __future__ import annotations

import os
import secrets
import shutil
from hashlib import blake2b
from pathlib import Path

from kgqa_core.errors import SettingsError, SourceRejected
from kgqa_core.kg.base import KnowledgeGraph
from kgqa_core.kg.kinds import folder
from kgqa_core.kg.kinds.source import Source
from kgqa_core.settings import Settings

READ_AS = 2  # raised whenever files are read otherwise: what an older version kept is loaded anew
_MOST = 50 << 20  # bytes; what takes longer to load is loaded by a command that shows how far it is


def _open(name: str, settings: Settings) -> KnowledgeGraph:
    from kgqa_core.kg.folder import open_folder

    file = Path(folder.SOURCE.written(name))
    if settings.hosted:
        raise SettingsError(
            f"A hosted app opens only folders in {settings.data_dir}: load it there."
        )
    state = file.stat()
    if state.st_size > _MOST:
        raise SettingsError(
            f"{file.name} is larger than {_MOST >> 20} MB: load it with `python -m kgqa_core load "
            f"{file} --into FOLDER`, which shows how far it is, and ask that folder."
        )
    of_file = blake2b(str(file).encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()
    home = settings.data_dir / "files"
    kept = home / f"{of_file}-{state.st_mtime_ns:x}-{state.st_size:x}-{READ_AS}"
    if not kept.is_dir():
        _load(file, kept)
        for old in home.glob(f"{of_file}-*"):
            if old != kept:
                shutil.rmtree(old, ignore_errors=True)
    return open_folder(kept)


def _load(file: Path, into: Path) -> None:
    """Raises SourceRejected for a file of which something cannot be read; then nothing is kept."""
    from kgqa_core.kg.load import load

    draft = into.with_name(f".{secrets.token_hex(8)}")
    try:
        done = load([file], draft, name=file.name.split(".")[0])
        if done.bad:
            raise SourceRejected(
                f"{done.examples[0]}: correct it, or leave out what cannot be read with `python -m "
                f"kgqa_core load {file} --into FOLDER`, and ask that folder.",
                source=file.name,
            )
        try:
            os.replace(draft, into)
        except OSError:
            if not into.is_dir():  # else another one was faster
                raise
    finally:
        shutil.rmtree(draft, ignore_errors=True)


SOURCE = Source(
    kind="file",
    open=_open,
    word="file",
    icon="description",
    takes=lambda name: Path(name).expanduser().is_file(),
    named="a graph file",
    written=folder.SOURCE.written,
    shared=False,
)
