"""What the columns of a table are called, and what else a graph's relations may be called.

“unit_price_eur” and “Unit price (EUR)” are a unit price in euros. Where one relation alone is a
price, “price” is enough for it; a date of purchase is when something was purchased.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from kgqa_core.facts import units
from kgqa_core.facts.units import PER, Unit
from kgqa_core.text import fold, plural

ROW = "entry"  # what a row of any table, and a thing of another graph of one's own, is called too
_APART = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_BRACKETED = re.compile(r"(?P<said>.+?) ?[(\[](?:in )?(?P<unit>[^()\[\]]+)[)\]]")
_BEHIND = re.compile(r"(?P<said>.+) (?P<unit>\S{2,}|[%€$£])")  # weight kg; one letter may mean much
_NAMELESS = frozenset({"%", "percent"})
_WHEN = frozenset({"date", "year", "day", "month", "time", "datum"})
# what many a column ends on, so that it tells none of them
_GENERIC = _WHEN | frozenset(
    "place name number type id count level status value label title note text code total size "
    "kind no nr part list one class group of to in by at for on with from is has and".split()
)
_COSTING = frozenset("price cost fee rate fare charge".split())
_PAID = frozenset({"paid", "amount paid", "spent", "amount spent"})
MEANT = {  # short or special words of headings, and what people ask for
    "dob": "date of birth", "dod": "date of death", "qty": "quantity", "dept": "department",
    "mgr": "manager", "tel": "telephone", "temp": "temperature", "min": "minimum",
    "max": "maximum", "avg": "average", "pop": "population", "addr": "address",
    "dam": "mother", "sire": "father", "mum": "mother", "dad": "father",
}  # fmt: skip
_NO_HEADS = frozenset(  # words that begin names and say nothing alone
    "the old new big great high long short small little north south east west upper lower first "
    "last saint santa grand black white red green blue from with what which when where who".split()
)
_IN = 3  # words of what says only in which kind of place something is
_THINGS = 3_000  # of a graph with more, a word hardly means one
_MOST = 300  # relations; a graph with more has a vocabulary of its own


def in_words(header: str) -> tuple[str, Unit | None]:
    """A column's name in words, without its unit; and the unit, where it names one."""
    text = " ".join(header.replace("_", " ").split())
    written = len(text.split()) < len(_APART.sub(" ", text).split())
    if " " not in text and written:  # weightKg
        text = " ".join(w if w.isupper() else w[:1].lower() + w[1:] for w in _APART.split(text))
    for form in (_BRACKETED, _BEHIND):
        found = form.fullmatch(text)
        unit = units.unit(found["unit"]) if found else None
        in_text = form is _BEHIND and text == header
        if found and unit and not (in_text and not _signs(unit, found["unit"])):
            return _begun(found["said"]), unit
    return _begun(text), None


def _signs(unit: Unit, written: str) -> bool:
    """Whether it is written as nothing but a unit is: kg, €, EUR; “day” and “in” mean much."""
    odd = written.isupper() or not written.isalpha()
    return written == unit.sign != unit.name or (odd and written in unit.also)


def _begun(name: str) -> str:
    return name if name[:2].isupper() else name[:1].lower() + name[1:]


def measured(name: str, unit: Unit) -> str:
    """The name of a column whose numbers are in a unit: “weight in kilograms”."""
    alone = unit.sign in _NAMELESS or PER in unit.name or not unit.name.isascii()
    return f"{name} in {unit.name if alone else plural(unit.name)}"


def further(names: Iterable[str]) -> dict[str, list[str]]:
    """What else each of these relations may be called, where no other may be called so."""
    every = sorted(set(names))
    if len(every) > _MOST:
        return {}
    own = {name: [f for f in _further(name) if f != name] for name in every}
    often = Counter(fold(f) for found in own.values() for f in set(found))
    taken = {fold(name) for name in every}
    return {
        name: [f for f in found if often[fold(f)] == 1 and fold(f) not in taken]
        for name, found in own.items()
        if found
    }


def _further(name: str) -> list[str]:
    said = name.removesuffix(f" in {units.behind(name)}")
    said = re.sub(r" ?[(\[][^()\[\]]*[)\]]$", "", said)
    out = [said]
    words = said.split()
    if len(words) > 1 and len(words[-1]) > 1 and units.unit(words[-1]):  # area km2
        out.append(" ".join(words[:-1]))
    of = next((n for n, word in enumerate(words) if n and word in {"of", "per"}), 0)
    if words[0].casefold() in _WHEN and of == 1:  # date of purchase
        out.append(" ".join(words[2:]))
    elif len(words) > 1 and words[-1].casefold() in _WHEN:
        out += [" ".join(words[:-1]), f"{words[-1]} of {' '.join(words[:-1])}"]
    meant = [MEANT.get(fold(word).strip("."), word) for word in words]
    if meant != words:
        out.append(" ".join(meant))
    if fold(said) in _PAID:
        out += ["price", "cost"]
    head = words[of - 1] if of else words[-1]
    if fold(head) not in _GENERIC and not head[:1].isdigit() and len(head) > 2:
        out.append(head)
        if len(words) > 1 and words[-2].casefold() == "in" and len(words) <= _IN:
            out += [" ".join(words[:-1]), "location"]  # in parish, lies in parish
        if fold(head) == "owner":
            out.append("belongs to")
        if fold(head) in _COSTING:
            out += ["price", "cost"]
    return list(dict.fromkeys(filter(None, out)))


def heads(things: Iterable[str], others: Iterable[str]) -> dict[str, str]:
    """What things are called by a part of their names, where it is in no other name of the graph.

    The kind of thing that stands before its own name, “furnace” of Furnace Ember; the last word of
    what has no own name, “lentils” of Red lentils. `others` are all the other names there are.
    """
    every = sorted(set(things))
    if len(every) > _THINGS:
        return {}
    often = Counter(part for name in {*every, *others} for part in set(_parts(name.split())))
    return {
        name: part
        for name in every
        if (part := _head(name.split())) and often[part.casefold()] == 1
    }


def _parts(words: list[str]) -> Iterator[str]:
    """All runs of the words of a name."""
    low = [word.casefold() for word in words]
    for at in range(len(low)):
        for end in range(at + 1, len(low) + 1):
            yield " ".join(low[at:end])


def _head(words: list[str]) -> str:
    own = next((n for n, word in enumerate(words) if n and not word.islower()), 0)
    head = words[:own] if own else words[-1:] if words[-1:] != words[:1] else []
    told = [w for w in head if w.isalpha() and len(w) > 2 and w.casefold() not in _NO_HEADS]
    return " ".join(head) if head and len(told) == len(head) else ""
