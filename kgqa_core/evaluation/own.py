"""Questions of one's own: typed on the page, or collected from runs.

They are kept as JSON lines in the form `kgqa-jsonl`, so the shell reads the same file:

    bench --dataset DATA/benchmarks/own.jsonl --format kgqa-jsonl
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from filelock import FileLock
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from kgqa_core.ask.events import Answer
from kgqa_core.ask.run import MAX_QUESTION
from kgqa_core.errors import SettingsError
from kgqa_core.evaluation.datasets.table import NOTHING
from kgqa_core.facts.terms import Entity, short_id
from kgqa_core.network import whole_text

FORMAT = "kgqa-jsonl"


class Question(BaseModel):
    """One of them. `gold` holds ids (QIDs or IRIs) or names; `run` is where it came from.

    An empty `gold` means that nothing is the right answer.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")
    id: str = Field(default_factory=lambda: secrets.token_hex(4))
    question: str = Field(min_length=1, max_length=MAX_QUESTION)
    gold: tuple[str, ...]
    answer_labels: dict[str, str] = {}
    kind: str = Field("", alias="class", serialization_alias="class")
    graph: str = ""
    run: str = ""
    added_at: str = ""


def path_of(data_dir: Path) -> Path:
    return data_dir / "benchmarks" / "own.jsonl"


def typed(question: str, answers: str, kind: str = "", graph: str = "") -> Question:
    """As typed on the page: answers with `|` between them, `(none)` for nothing.

    Raises SettingsError for a question without words or without answers.
    """
    text = _line_of(question)
    gold = [a for a in map(_line_of, answers.split("|")) if a]
    if not text:
        raise SettingsError("Type the question.")
    if len(text) > MAX_QUESTION:
        raise SettingsError(f"A question has at most {MAX_QUESTION:,} characters.")
    if not gold:
        raise SettingsError(f"Type the right answer, or {NOTHING} if nothing is.")
    kept = () if gold == [NOTHING] else tuple(dict.fromkeys(gold))
    return Question(
        question=text,
        gold=kept,
        graph=graph,
        added_at=_now(),
        **{"class": _line_of(kind)},
    )


def _line_of(text: str) -> str:
    return " ".join(whole_text(text).split())


def collected(question: str, answer: Answer, *, graph: str = "", run: str = "") -> Question:
    """A run's question, with its answer as the right one: for a person who has checked it."""
    labels = {short_id(v.id): v.name for v in answer.values if isinstance(v, Entity)}
    gold = [short_id(v.id) if isinstance(v, Entity) else v.value for v in answer.values]
    return Question(
        question=question,
        gold=tuple(dict.fromkeys(gold)),
        answer_labels=labels,
        graph=graph,
        run=run,
        added_at=_now(),
    )


def read(data_dir: Path) -> list[Question]:
    """All of them, oldest first. Raises SettingsError naming the line that is damaged."""
    path = path_of(data_dir)
    if not path.is_file():
        return []
    found = []
    with path.open(encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                found.append(Question.model_validate_json(line))
            except ValidationError as error:
                raise SettingsError(
                    f"{path} is damaged in line {number}: correct or delete that line."
                ) from error
    return found


def add(data_dir: Path, *questions: Question) -> None:
    """Appends; one that is there already, word for word and with the same answers, is not."""
    with _lock(data_dir):
        there = {(q.question, q.gold) for q in read(data_dir)}
        new = [q for q in questions if (q.question, q.gold) not in there]
        with path_of(data_dir).open("a", encoding="utf-8") as out:
            out.writelines(_line(q) for q in new)


def replace(data_dir: Path, questions: Sequence[Question]) -> None:
    """These instead of what was there: after some were edited or deleted."""
    path = path_of(data_dir)
    with _lock(data_dir):
        half = path.with_suffix(".part")
        half.write_text("".join(map(_line, questions)), encoding="utf-8")
        os.replace(half, path)


def _line(question: Question) -> str:
    kept: dict[str, Any] = question.model_dump(mode="json", by_alias=True)
    return (
        json.dumps({k: v for k, v in kept.items() if v or k == "gold"}, ensure_ascii=False) + "\n"
    )


@contextmanager
def _lock(data_dir: Path) -> Iterator[None]:
    path = path_of(data_dir)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(path.with_suffix(".lock"), timeout=10):
            yield
    except OSError as error:
        raise SettingsError(f"Questions cannot be written to {path}: {error}.") from error


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
