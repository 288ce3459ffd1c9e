"""When two answers are the same, and how far two sets of them are.

Each is compared in the form the gold has: an id with an id, a number or date at the precision of
the gold, everything else by its name in plain form.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation

from kgqa_core.evaluation.datasets.base import Gold, short, unmarked
from kgqa_core.facts.normalise import literal
from kgqa_core.facts.terms import BOOLEAN, NUMBERS, TIMES, Entity, Value


@dataclass(frozen=True, slots=True)
class Item:
    """One answer in all forms it can be compared in."""

    ids: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    numbers: tuple[Decimal, ...] = ()
    times: tuple[str, ...] = ()
    truth: bool | None = None

    @staticmethod
    def of(ids: Iterable[str] = (), texts: Iterable[str] = ()) -> Item:
        """An answer by its ids and by what it is called; texts may be numbers or dates."""
        numbers: list[Decimal] = []
        times: list[str] = []
        truth: bool | None = None
        texts = [t for t in texts if t]
        for text in texts:
            found = literal(text)
            if found is None:
                continue
            if found.datatype == BOOLEAN:
                truth = found.value == "true"
            elif found.datatype in TIMES:
                times.append(found.value)
            elif (number := _number(found.value)) is not None:
                numbers.append(number)
                if len(found.value) == 4 and found.value.isdigit():
                    times.append(found.value)
        names = frozenset(plain(t) for t in texts)
        return Item(frozenset(map(short, ids)), names, tuple(numbers), tuple(times), truth)


def of_gold(gold: Gold) -> Item:
    """An address is an id, and what a literal says that holds it."""
    address = (gold.id,) if gold.id.startswith(_ADDRESS) else ()
    return Item.of([gold.id] if gold.id else (), (*gold.names, *address))


def of_value(value: Value) -> Item:
    """A predicted answer: an entity by id, label and aliases, a literal by its value."""
    if isinstance(value, Entity):
        names = frozenset(plain(t) for t in (value.label, *value.aliases) if t)
        return Item(frozenset((short(value.id),)), names, *_numeric(value.label))
    item = Item.of(texts=(value.value, value.name))
    if value.datatype in NUMBERS and not item.numbers:  # scientific notation
        number = _number(value.value)
        return Item(item.ids, item.names, (number,) if number is not None else (), item.times)
    return item


def plain(text: str) -> str:
    """Folded case, one kind of dash and quotation mark, no outer punctuation, no leading article.

    Accents and inner punctuation stay: C++ is not C. Coordinates lose their final zeros, an
    address its angle brackets and its last slash.
    """
    text = unmarked(text.strip())
    if text.startswith(_ADDRESS):
        return text.casefold().rstrip("/")
    text = unicodedata.normalize("NFKC", text).translate(_MARKS).casefold()
    text = " ".join(text.split()).strip(" .,;:!?\"'")
    if text.startswith("point("):
        text = _FINAL_ZEROS.sub(r"\1", text)
    return text.removeprefix("the ") or text


def same(predicted: Item, gold: Item) -> bool:
    """Whether the answer is the gold one.

    Ids decide where both have one of the same kind: a namesake is wrong. Else a name is enough,
    a number that rounds to the gold's at its decimals, a date that lies in the gold's year,
    month or day. A gold first of January (or of a month) is met by the bare year (or month) too,
    since Wikidata's results print a year that way.
    """
    if gold.ids and predicted.ids and _kinds(gold.ids) & _kinds(predicted.ids):
        return not gold.ids.isdisjoint(predicted.ids)
    return (
        not gold.names.isdisjoint(predicted.names)
        or (gold.truth is not None and gold.truth == predicted.truth)
        or any(_rounds_to(p, g) for g in gold.numbers for p in predicted.numbers)
        or any(_within(p, g) for g in gold.times for p in predicted.times)
    )


@dataclass(frozen=True, slots=True)
class Overlap:
    """How many answers of two sets pair up, one to one."""

    matched: int
    predicted: int
    gold: int

    @property
    def precision(self) -> float:
        """Matched of predicted; 1 when both sets are empty, 0 when only one is."""
        return _share(self.matched, self.predicted, self.gold)

    @property
    def recall(self) -> float:
        """Matched of gold; 1 when both sets are empty, 0 when only one is."""
        return _share(self.matched, self.gold, self.predicted)

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall, so 2·matched / (predicted + gold).

        Both sets empty: 1 (Usbeck et al., GERBIL, Semantic Web 2019). Averaged over questions it
        is the macro F1 of QALD; over result *rows* it is the row-major F1 of SPINACH (Liu et al.,
        EMNLP 2024 Findings) where the gold has one column.
        """
        together = self.predicted + self.gold
        return 2 * self.matched / together if together else 1.0


def overlap(predicted: Sequence[Item], gold: Sequence[Item]) -> Overlap:
    """The largest one-to-one pairing of two sets; doubles within a set count once."""
    ours, theirs = list(dict.fromkeys(predicted)), list(dict.fromkeys(gold))
    candidates = _candidates(ours, theirs)
    partner: dict[int, int] = {}  # of ours, the gold it is paired with

    def pair(g: int, tried: set[int]) -> bool:
        for p in candidates[g]:
            if p not in tried:
                tried.add(p)
                if p not in partner or pair(partner[p], tried):
                    partner[p] = g
                    return True
        return False

    matched = sum(pair(g, set()) for g in range(len(theirs)))
    return Overlap(matched, len(ours), len(theirs))


def _candidates(ours: Sequence[Item], theirs: Sequence[Item]) -> list[list[int]]:
    """For each gold answer, which of ours are the same; looked up, not compared one by one."""
    if len(ours) * len(theirs) <= 64:
        return [[p for p, item in enumerate(ours) if same(item, g)] for g in theirs]
    by_key: dict[str, list[int]] = {}
    loose = []  # numbers, dates and truths have no key
    for p, item in enumerate(ours):
        for key in item.ids | item.names:
            by_key.setdefault(key, []).append(p)
        if item.numbers or item.times or item.truth is not None:
            loose.append(p)
    found = []
    for g in theirs:
        near = {p for key in g.ids | g.names for p in by_key.get(key, ())}
        near.update(loose if g.numbers or g.times or g.truth is not None else ())
        found.append([p for p in sorted(near) if same(ours[p], g)])
    return found


def _share(part: int, whole: int, other: int) -> float:
    return part / whole if whole else float(other == 0)


_MARKS = str.maketrans(
    dict.fromkeys("‐‑‒–—−", "-") | dict.fromkeys("‘’ʼ`´", "'") | dict.fromkeys("“”„", '"')
)
_FINAL_ZEROS = re.compile(r"\.0+\b|(?<=\.)(\d*[1-9])0+\b")
_ADDRESS = ("http://", "https://")
_QID = re.compile(r"[QLP]\d+")


def _kinds(ids: Iterable[str]) -> set[str]:
    """`wikidata`, or the namespace of an IRI."""
    return {"wikidata" if _QID.fullmatch(i) else re.split(r"[^/#]*$", i)[0] for i in ids}


def _numeric(label: str) -> tuple[tuple[Decimal, ...], tuple[str, ...]]:
    """An entity that is called 1998 is a number too."""
    if not label[:1].isdigit():
        return (), ()
    item = Item.of(texts=(label,))
    return item.numbers, item.times


def _number(text: str) -> Decimal | None:
    try:
        return Decimal(text)
    except InvalidOperation:
        return None


def _rounds_to(predicted: Decimal, gold: Decimal) -> bool:
    if predicted == gold:
        return True
    exponent = gold.as_tuple().exponent
    if not isinstance(exponent, int) or not predicted.is_finite():
        return False
    try:
        return predicted.quantize(Decimal(1).scaleb(min(exponent, 0)), ROUND_HALF_UP) == gold
    except InvalidOperation:
        return False


def _within(predicted: str, gold: str) -> bool:
    if predicted == gold or predicted.startswith(f"{gold}-"):
        return True
    shorter = gold.removesuffix("-01")
    return predicted in {shorter, shorter.removesuffix("-01")} and len(predicted) >= 4
