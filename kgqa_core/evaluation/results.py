"""A benchmark on disk: a folder with `config.json`, `results.jsonl` and `summary.json`.

Each result is one line, written the moment the question has ended: a benchmark that is killed
loses nothing and goes on where it was. The page reads the same folder, also while it grows.
Results that are kept for good may be packed: `results.jsonl.gz` in place of `results.jsonl`.
"""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import PydanticSerializationError

from kgqa_core.ask.events import Cost, Grounding, Record, Status
from kgqa_core.errors import SettingsError
from kgqa_core.evaluation.datasets.base import Example
from kgqa_core.evaluation.metrics.metric import Certainty

_CONFIG, _RESULTS, _SUMMARY, _TRACES = (
    "config.json",
    "results.jsonl",
    "summary.json",
    "traces.jsonl",
)
_PACKED = "results.jsonl.gz"
_VARIES = {"started_at", "python", "title"}  # what may differ when a benchmark goes on


class Config(BaseModel):
    """All it takes to run the same benchmark again."""

    model_config = ConfigDict(frozen=True)
    dataset: str
    title: str = ""  # what people call the question set; without, its file name
    dataset_sha256: str
    format: str
    questions: int
    limit: int | None = None
    sample: int | None = None
    where: dict[str, str] = {}
    seed: int = 0
    repeat: int = 1
    method: str
    params: dict[str, Any]
    graph: str
    graph_fingerprint: str
    model: str
    gold_entities: bool = False
    audit: str = "off"
    run_budget: dict[str, float] = {}
    environment: dict[str, str] = {}
    version: str
    python: str = ""
    started_at: str = ""

    def differs(self, other: Config) -> list[str]:
        ours, theirs = (c.model_dump(exclude=_VARIES) for c in (self, other))
        return [name for name in ours if ours[name] != theirs[name]]


class Row(BaseModel):
    """What became of one question. `cause` is the class of a failure (`benchmark.cause`)."""

    model_config = ConfigDict(frozen=True)
    id: str
    position: int
    repeat: int = 0
    question: str = ""  # not kept where the set may not be passed on
    classes: tuple[str, ...] = ()
    trivial: bool = False
    status: Status
    verdict: str
    grounding: Grounding
    certainty: Certainty = ""
    text: str = ""
    values: tuple[dict[str, Any], ...] = ()
    gold: dict[str, tuple[dict[str, str], ...]] = {}
    scores: dict[str, float] = {}
    by_gold: dict[str, float] = {}
    cause: str = ""
    error: str = ""
    message: str = ""
    cost: Cost = Cost()

    @property
    def key(self) -> tuple[str, int]:
        return self.id, self.repeat

    @property
    def wrong_but_certain(self) -> bool:
        """An answer that is wrong and was not marked as a guess."""
        return self.verdict == "wrong" and self.certainty == "certain"

    @property
    def source_failed(self) -> bool:
        """The graph or the model was away: the question is asked again when the run goes on."""
        return self.error in ("SourceUnavailable", "SourceRejected")


class Results:
    """An open folder. `rows` has the results so far, the last one for each question."""

    def __init__(self, folder: Path, config: Config, rows: Iterable[Row]) -> None:
        self.folder = folder
        self.config = config
        self.rows: dict[tuple[str, int], Row] = {row.key: row for row in rows}
        self._stream = (folder / _RESULTS).open("a", encoding="utf-8", errors="replace")

    def add(self, row: Row, records: Iterable[Record] = ()) -> None:
        """Written to the operating system before this returns; the trace first."""
        if trace := [r.model_dump(mode="json") for r in records]:
            with (self.folder / _TRACES).open("a", encoding="utf-8", errors="replace") as stream:
                line = {"id": row.id, "repeat": row.repeat, "records": trace}
                stream.write(json.dumps(line, ensure_ascii=False) + "\n")
        try:
            text = row.model_dump_json()
        except PydanticSerializationError:  # half a character
            text = json.dumps(row.model_dump(mode="json"), ensure_ascii=False)
        self._stream.write(text + "\n")
        self._stream.flush()
        self.rows[row.key] = row

    def summarised(self, summary: dict[str, Any]) -> None:
        _write(self.folder / _SUMMARY, summary)

    def close(self) -> None:
        self._stream.close()


@contextmanager
def opened(folder: Path, config: Config, *, resume: bool = True) -> Iterator[Results]:
    """The folder, to be written by this process alone.

    Raises SettingsError when another process writes to it, or when it holds the results of
    another benchmark and `resume` is asked for; without, they are thrown away.
    """
    lock = _locked(folder)
    try:
        before = _config(folder)
        if before is None or not resume:
            for name in (_RESULTS, _SUMMARY, _TRACES):
                (folder / name).unlink(missing_ok=True)
            _write(folder / _CONFIG, config.model_dump(mode="json"))
        elif changed := before.differs(config):
            raise SettingsError(
                f"{folder} holds another benchmark: {', '.join(changed)} differ. "
                "Choose another --out, or throw its results away with --no-resume."
            )
        for name in (_RESULTS, _TRACES):
            _mend(folder / name)
        results = Results(folder, before if before and resume else config, _rows(folder))
        try:
            yield results
        finally:
            results.close()
    finally:
        lock.release()


def read(folder: Path) -> tuple[Config, list[Row]]:
    """A benchmark's configuration and results, in the order of the question set.

    Raises SettingsError for a folder that holds none.
    """
    config = _config(folder)
    if config is None:
        raise _no_benchmark(folder)
    last = {row.key: row for row in _rows(folder)}
    return config, _in_order(last.values())


def find(folder: Path, depth: int = 3) -> list[Path]:
    """The folders with a benchmark: this one or, up to `depth` levels down, those in it."""
    if (folder / _CONFIG).is_file():
        return [folder]
    if not depth or not folder.is_dir():
        return []
    inside = sorted(p for p in folder.iterdir() if p.is_dir() and not p.name.startswith("."))
    return [found for one in inside for found in find(one, depth - 1)]


class Reader:
    """A benchmark that may still be growing: each look reads only what was added since."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._rows: dict[tuple[str, int], Row] = {}
        self._at = 0
        self._began = ""

    @property
    def seen(self) -> tuple[str, int]:
        """Changes whenever a look found something new."""
        return self._began, self._at

    def look(self) -> tuple[Config, list[Row]]:
        """As `read`; raises SettingsError like it."""
        config = _config(self.folder)
        if config is None:
            raise _no_benchmark(self.folder)
        path = self.folder / _RESULTS
        size = path.stat().st_size if path.is_file() else 0
        if config.started_at != self._began or size < self._at:  # it was begun anew
            self._rows, self._at, self._began = {}, 0, config.started_at
        if not size and not self._rows:
            self._rows = {row.key: row for row in _packed_rows(self.folder)}
        elif size > self._at:
            with path.open("rb") as stream:
                stream.seek(self._at)
                for line in stream:
                    if not line.endswith(b"\n"):
                        break  # being written at this moment
                    row = _row(line, path, "after byte " + format(self._at, ","))
                    self._rows[row.key] = row
                    self._at += len(line)
        return config, _in_order(self._rows.values())


def pack(folder: Path, into: Path, *, words: bool = True) -> None:
    """A finished benchmark in little room, without traces.

    Without `words` the questions, answers and gold stay behind, as a question set may ask for
    that is somebody else's: ids, scores and costs remain.
    """
    config, rows = read(folder)
    into.mkdir(parents=True, exist_ok=True)
    drop = set() if words else {"question", "text", "values", "gold", "message"}
    lines = (row.model_dump_json(exclude=drop, exclude_defaults=True) + "\n" for row in rows)
    packed = gzip.compress("".join(lines).encode(), 9, mtime=0)  # the same bytes every time
    (into / _PACKED).write_bytes(packed)
    _write(into / _CONFIG, config.model_dump(mode="json"))
    if (summary := stored_summary(folder)) is not None:
        _write(into / _SUMMARY, summary)


def stored_summary(folder: Path) -> dict[str, Any] | None:
    """What the benchmark came to; None while it has not ended."""
    path = folder / _SUMMARY
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None


def has_traces(folder: Path) -> bool:
    """Whether runs were kept with all their events."""
    return (folder / _TRACES).is_file()


def trace(folder: Path, question_id: str, repeat: int = 0) -> list[Record]:
    """The events of one question; none when traces were not kept."""
    path, found = folder / _TRACES, []
    if path.is_file():
        start = json.dumps({"id": question_id, "repeat": repeat}, ensure_ascii=False)[:-1]
        with path.open(encoding="utf-8") as stream:
            for line in stream:
                if line.startswith(start) and line.endswith("\n"):
                    found = json.loads(line)["records"]
    return [Record.model_validate(record) for record in found]


def gold_of(example: Example) -> dict[str, tuple[dict[str, str], ...]]:
    return {
        name: tuple({"id": g.id, "label": g.name} for g in answers)
        for name, answers in example.gold.items()
    }


def _locked(folder: Path) -> FileLock:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / ".lock")
        lock.acquire(timeout=0)
    except Timeout:
        raise SettingsError(
            f"Another benchmark is writing to {folder}. Wait for it, or choose another --out."
        ) from None
    except OSError as error:
        raise SettingsError(f"Results cannot be written to {folder}: {error}.") from error
    return lock


def _config(folder: Path) -> Config | None:
    path = folder / _CONFIG
    if not path.is_file():
        return None
    try:
        return Config.model_validate_json(path.read_bytes())
    except ValidationError as error:
        raise SettingsError(
            f"{path} is damaged or of another version. Choose another --out, or delete the folder."
        ) from error


def _rows(folder: Path) -> Iterator[Row]:
    path = folder / _RESULTS
    if not path.is_file():
        yield from _packed_rows(folder)
        return
    with path.open("rb") as stream:
        for number, line in enumerate(stream, 1):
            if not line.endswith(b"\n"):
                return  # being written at this moment, or cut off by a kill
            yield _row(line, path, f"in line {number}")


def _row(line: bytes, path: Path, where: str) -> Row:
    try:
        return Row.model_validate_json(line)
    except ValidationError as error:
        raise SettingsError(
            f"{path} is damaged {where}. Delete that line: its question is asked again when the "
            "benchmark goes on."
        ) from error


def _packed_rows(folder: Path) -> Iterator[Row]:
    path = folder / _PACKED
    if not path.is_file():
        return
    try:
        lines = gzip.decompress(path.read_bytes()).splitlines()
    except (OSError, EOFError, zlib.error) as error:
        raise SettingsError(f"{path} is damaged ({error}). Make it again.") from error
    yield from (_row(line, path, f"in line {number}") for number, line in enumerate(lines, 1))


def _in_order(rows: Iterable[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: (row.repeat, row.position))


def _no_benchmark(folder: Path) -> SettingsError:
    return SettingsError(f"{folder} holds no benchmark. Choose a folder made by `bench`.")


def _mend(path: Path) -> None:
    """Takes away a last line that a kill cut off."""
    if not path.is_file():
        return
    with path.open("rb+") as stream:
        size = stream.seek(0, os.SEEK_END)
        end = size
        while end and not _ends_line(stream, end):
            end -= 1
        if end < size:
            stream.truncate(end)


def _ends_line(stream: Any, end: int) -> bool:
    stream.seek(end - 1)
    return bool(stream.read(1) == b"\n")


def _write(path: Path, document: dict[str, Any]) -> None:
    """All of it or nothing: a reader never sees half a file."""
    half = path.with_suffix(".part")
    text = json.dumps(document, ensure_ascii=False, indent=2) + "\n"
    half.write_text(text, encoding="utf-8", errors="replace")
    half.replace(path)
