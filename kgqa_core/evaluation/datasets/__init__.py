"""Question sets: one file for each format, and the one table that names them."""

from __future__ import annotations

import csv
import hashlib
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

from kgqa_core.errors import SettingsError
from kgqa_core.evaluation.datasets import (
    creak,
    crlt,
    kgqa_jsonl,
    lcquad2,
    metaqa,
    qald,
    r3,
    recipe_mpr,
    simplequestions,
    strategyqa,
    table,
    webqsp,
)
from kgqa_core.evaluation.datasets.base import DatasetError, Example, Format, Gold
from kgqa_core.text import shortened

__all__ = ["FORMATS", "Dataset", "DatasetError", "Example", "Format", "Gold", "load"]

FORMATS: dict[str, Format] = {
    module.FORMAT.name: module.FORMAT
    for module in (
        qald,
        kgqa_jsonl,
        metaqa,
        webqsp,
        simplequestions,
        lcquad2,
        crlt,
        r3,
        recipe_mpr,
        strategyqa,
        creak,
        table,
    )
}
_WRONG_FORM = (KeyError, TypeError, ValueError, IndexError, AttributeError, csv.Error)
_TRIED = 20  # items that must not all be of another form


@dataclass(frozen=True)
class Skipped:
    """An item that is not asked, and why."""

    id: str
    reason: str


@dataclass
class Dataset:
    """Questions with gold, in file order, and what was left out of the file."""

    name: str
    format: str
    examples: list[Example] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def load(
    path: Path,
    format_name: str,
    *,
    limit: int | None = None,
    sample: int | None = None,
    seed: int = 0,
    where: Mapping[str, str] | None = None,
) -> Dataset:
    """The first `limit` questions with gold, or `sample` of them drawn with `seed`.

    `where` keeps the questions whose field (`id`, `class`, `trivial`, or one of the format's
    own) has a value. Raises DatasetError for a file of another format, or without any gold.
    """
    if format_name not in FORMATS:
        raise DatasetError(
            f"There is no format “{format_name}”. Choose one of: {', '.join(FORMATS)}."
        )
    form = FORMATS[format_name]
    data = Dataset(path.name, format_name)
    with_gold = _with_gold(_told_apart(_read(path, form, data), data), data)
    kept = (e for e in with_gold if _fits(e, where or {}, path))
    if sample is not None:
        data.examples = _drawn(kept, sample, seed)
    else:
        data.examples = list(islice(kept, limit))
    if not data.examples:
        raise DatasetError(_why_none(path, form, data, where))
    return data


def fingerprint(path: Path) -> str:
    """The SHA-256 of the file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _read(path: Path, form: Format, data: Dataset) -> Iterator[Example]:
    understood = False
    for number, item in enumerate(_items(path, form), 1):
        try:
            yield from list(form.examples(item, number))
            understood = True
        except _WRONG_FORM as error:
            why = f"item {number} is not in the form of {form.name} ({_said(error)})"
            data.skipped.append(Skipped(str(number), why))
            if not understood and number >= _TRIED:
                raise DatasetError(_other_format(path, form, why)) from error


def _items(path: Path, form: Format) -> Iterator[Any]:
    try:
        yield from form.items(path)
    except _WRONG_FORM as error:
        raise DatasetError(_other_format(path, form, _said(error))) from error


def _said(error: Exception) -> str:
    return shortened(f"no {error}" if isinstance(error, KeyError) else str(error), 200)


def _told_apart(examples: Iterable[Example], data: Dataset) -> Iterator[Example]:
    """A second question with the same id becomes `id#2`, so that no result is lost."""
    seen: dict[str, int] = {}
    for example in examples:
        times = seen[example.id] = seen.get(example.id, 0) + 1
        if times > 1:
            data.notes.append(f"The id {example.id} occurs again: {example.id}#{times}.")
            example = replace(example, id=f"{example.id}#{times}")
        yield example


def _with_gold(examples: Iterable[Example], data: Dataset) -> Iterator[Example]:
    for example in examples:
        if example.gold:
            yield example
        else:
            data.skipped.append(Skipped(example.id, "no gold answer"))


def _fits(example: Example, where: Mapping[str, str], path: Path) -> bool:
    if not where:
        return True
    own: dict[str, Sequence[str]] = {
        "id": (example.id,),
        "class": example.classes,
        "trivial": (str(example.trivial).lower(),),
    }
    for name, wanted in where.items():
        if name not in own and name not in example.fields:
            known = ", ".join([*own, *example.fields])
            raise DatasetError(f"{path.name} has no field “{name}”. Choose one of: {known}.")
        values = own.get(name) or (example.fields.get(name, ""),)
        if not any(_same(value, wanted) for value in values):
            return False
    return True


def _same(value: str, wanted: str) -> bool:
    try:
        return float(value) == float(wanted)
    except ValueError:
        return value.casefold() == wanted.casefold()


def _drawn(examples: Iterable[Example], count: int, seed: int) -> list[Example]:
    """A reservoir: `count` at random, in file order, without keeping the rest."""
    chance, held = random.Random(seed), []
    for position, example in enumerate(examples):
        if position < count:
            held.append((position, example))
        elif (slot := chance.randint(0, position)) < count:
            held[slot] = (position, example)
    return [example for _, example in sorted(held, key=lambda pair: pair[0])]


def _why_none(path: Path, form: Format, data: Dataset, where: Mapping[str, str] | None) -> str:
    without_gold = sum(s.reason == "no gold answer" for s in data.skipped)
    if without_gold:
        return (
            f"None of the {without_gold:,} questions in {path.name} has a gold answer. "
            "Choose the file that has answers."
        )
    if data.skipped:
        return _other_format(path, form, data.skipped[0].reason)
    if where:
        return f"No question in {path.name} has the fields asked for by --where."
    return f"There is no question in {path.name}."


def _other_format(path: Path, form: Format, why: str) -> str:
    likely = _guess(path, form)
    advice = f"It looks like --format {likely}." if likely else "Choose another --format."
    return f"{path.name} is not a file of the format {form.name}: {why}. {advice}"


def _guess(path: Path, wrong: Format) -> str:
    for form in FORMATS.values():
        if form is wrong:
            continue
        try:
            items = list(islice(form.items(path), 3))
            found = [e for n, item in enumerate(items, 1) for e in form.examples(item, n)]
        except (DatasetError, *_WRONG_FORM):
            continue
        if any(e.gold and e.question for e in found):
            return form.name
    return ""


def parse_where(pairs: list[str]) -> dict[str, str]:
    """`FIELD=VALUE` pairs as `load` takes them. Raises SettingsError for others."""
    found = dict(pair.partition("=")[::2] for pair in pairs)
    if "" in found or "" in found.values():
        raise SettingsError(f"--where {' '.join(pairs)}: write FIELD=VALUE, like class=count.")
    return found
