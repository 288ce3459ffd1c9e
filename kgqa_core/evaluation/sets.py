"""The question sets at hand: those that ship, one's own, uploaded ones, and downloaded ones."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import IO

from kgqa_core.errors import SettingsError
from kgqa_core.evaluation import catalogue, own
from kgqa_core.evaluation.catalogue import CATALOGUE
from kgqa_core.evaluation.datasets import FORMATS, load
from kgqa_core.places import ASSETS

SHIPPED = ASSETS / "benchmarks"
_SHIPPED = {  # by file: title, and the graph it is about
    "starter": ("Starter questions", "starter"),
    "open": ("Open questions", "starter"),
}
_PIECE = 1 << 20


@dataclass(frozen=True)
class QuestionSet:
    """A file of questions, ready to be asked. `graph` names the one it is about, if it is known."""

    name: str
    title: str
    path: Path
    format: str
    about: str = ""
    graph: str = ""
    uploaded: bool = False


def available(data_dir: Path) -> dict[str, QuestionSet]:
    """All that can be asked now, by name."""
    found = [*_shipped(), *_own(data_dir), *_uploaded(data_dir), *_downloaded(data_dir)]
    return {one.name: one for one in found}


def get(name: str, data_dir: Path) -> QuestionSet | None:
    """A set by its name; None for a name that is none.

    Raises SettingsError for one of the catalogue that was not downloaded.
    """
    found = available(data_dir).get(name)
    if found is None and (entry := CATALOGUE.get(name)) is not None:
        how = entry.by_hand if not entry.url else ""
        raise SettingsError(
            f"{entry.title} is not here yet: "
            + (
                f"fetch it from {entry.home}. {how}"
                if how
                else f"`python -m kgqa_core datasets {entry.name}` downloads it."
            )
        )
    return found


def keep(data_dir: Path, file_name: str, data: IO[bytes], format_name: str) -> QuestionSet:
    """An uploaded file, kept so that a benchmark over it can go on later.

    Raises DatasetError for a file that is not of the format; nothing is kept then.
    """
    folder = data_dir / "benchmarks" / "uploads"
    clean = re.sub(r"[^\w.-]", "_", Path(file_name).name).lstrip(".")[-80:] or "questions"
    half = folder / f".{os.getpid()}-{clean}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        data.seek(0)
        with half.open("wb") as out:
            shutil.copyfileobj(data, out, _PIECE)
        load(half, format_name, limit=1)
        with half.open("rb") as stream:
            digest = _digest(stream)
        # its own folder: the loader of MetaQA looks at the files beside it
        path = folder / digest / clean
        path.parent.mkdir(exist_ok=True)
        os.replace(half, path)
        (path.parent / "set.json").write_text(json.dumps({"file": clean, "format": format_name}))
    except SettingsError as error:
        raise type(error)(str(error).replace(half.name, file_name)) from error
    except OSError as error:
        raise SettingsError(f"The file cannot be kept in {folder}: {error}.") from error
    finally:
        half.unlink(missing_ok=True)
    return QuestionSet(f"upload-{digest}", _title(clean), path, format_name, uploaded=True)


def forget(data_dir: Path, name: str) -> None:
    """Deletes an uploaded file; results measured with it stay."""
    found = available(data_dir).get(name)
    if found is not None and found.uploaded:
        shutil.rmtree(found.path.parent, ignore_errors=True)


def _shipped() -> Iterator[QuestionSet]:
    for name, (title, graph) in _SHIPPED.items():
        path = SHIPPED / "questions" / f"{name}.jsonl"
        if path.is_file():
            yield QuestionSet(name, title, path, own.FORMAT, "ships with the app", graph)


def _own(data_dir: Path) -> Iterator[QuestionSet]:
    path = own.path_of(data_dir)
    if path.is_file() and path.stat().st_size:
        yield QuestionSet("own", "Your own questions", path, own.FORMAT, "typed or collected")


def _uploaded(data_dir: Path) -> Iterator[QuestionSet]:
    for note in sorted((data_dir / "benchmarks" / "uploads").glob("*/set.json")):
        with suppress(OSError, ValueError, KeyError, TypeError):
            said = json.loads(note.read_text())
            path = note.parent / Path(str(said["file"])).name
            if path.is_file() and said["format"] in FORMATS:
                yield QuestionSet(
                    f"upload-{note.parent.name}",
                    _title(path.name),
                    path,
                    said["format"],
                    "uploaded",
                    uploaded=True,
                )


def _downloaded(data_dir: Path) -> Iterator[QuestionSet]:
    for entry in CATALOGUE.values():
        here = catalogue.downloaded(entry, catalogue.folder_of(data_dir))
        if here is not None:
            yield QuestionSet(
                entry.name, entry.title, here.path, entry.format, entry.licence, entry.graph
            )


def _title(file_name: str) -> str:
    return file_name.removesuffix(".gz").rsplit(".", 1)[0]


def _digest(stream: IO[bytes]) -> str:
    found = sha256()
    while piece := stream.read(_PIECE):
        found.update(piece)
    return found.hexdigest()[:12]
