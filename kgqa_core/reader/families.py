"""Families of axioms: rows of `assets/axioms/families.txt`, general rules with open places.

A row says what brings the rule up (words, or sentences that mean nearly the same), whom it is
about, which tables fill its open places, and its premises: a path from X or Y, an operator, and
what it is compared with. `interpret.py` fills a row from a question and the facts at hand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import get_args

from kgqa_core.errors import SettingsError
from kgqa_core.facts.premises import Function, Operator, folded
from kgqa_core.text import stems

Stems = tuple[str, ...]
OPERATORS: tuple[str, ...] = get_args(Operator)
FUNCTIONS: tuple[str, ...] = get_args(Function)
KINDS = frozenset({"any", "person", "thing"})
DECIDES = frozenset({"both", "no", "yes", "could"})
_SIDE = re.compile(r"(?P<who>[XY])(?P<path>(?:/[^./]+)*)(?:\.(?P<function>\w+))?")
_SLOT = re.compile(r"\{([a-z ]+)\}")


@dataclass(frozen=True)
class Words:
    """Phrases, compared by stems, and patterns of `words.tsv`: what a text may say."""

    phrases: tuple[Stems, ...] = ()
    patterns: tuple[re.Pattern[str], ...] = ()

    def length(self, text: str) -> int:
        """How many words the longest phrase has that the text says; 0: it says none."""
        said = stems(text)
        found = [len(phrase) for phrase in self.phrases if within(said, phrase)]
        plain = folded(text)
        found += [1 for pattern in self.patterns if pattern.search(plain)]
        return max(found, default=0)

    def says(self, text: str) -> bool:
        return self.length(text) > 0

    def used(self, text: str) -> set[str]:
        """The stems of a text that are theirs."""
        said, plain = stems(text), folded(text)
        found = [phrase for phrase in self.phrases if within(said, phrase)]
        found += [stems(match[0]) for one in self.patterns for match in one.finditer(plain)]
        return {word for words in found for word in words}

    def odd(self, text: str) -> bool:
        """Whether a text says them an odd number of times: two denials are none."""
        return sum(len(p.findall(folded(text))) for p in self.patterns) % 2 == 1


@dataclass(frozen=True)
class Side:
    """One side of a premise: from X or Y along groups of relations, or constants.

    A group or the constants in braces come from a table that fills the place.
    """

    who: str = ""
    path: tuple[str, ...] = ()
    function: Function = "values"
    constants: tuple[str, ...] = ()
    slot: str = ""


@dataclass(frozen=True)
class Clause:
    """A premise with open places; `operator` may be one, too."""

    left: Side
    operator: str
    right: Side | None


@dataclass(frozen=True)
class Family:
    """One row. `decides`: both verdicts, only a “no” (what is necessary is not enough), or both
    where it is asked what could be.
    """

    name: str
    who: tuple[str, ...]
    cues: tuple[str, ...]
    words: Words | None
    unless: Words | None
    flips: Words | None
    slots: tuple[str, ...]
    clauses: tuple[Clause, ...]
    rule: str
    decides: str = "both"
    score: float = 8.0
    weak: float = 0.0  # where the facts do not settle it
    answer: bool = True
    strict: bool = True
    closed: bool = False
    alone: Words | None = None  # no other family is asked where a question says these
    swaps: bool = False  # X and Y may stand the other way round
    denial: bool = False  # whatever denies flips the answer
    tight: bool = False  # it tells nothing where the question says anything else
    besides: Words | None = None  # what may be said as well and changes nothing

    def used(self, text: str) -> set[str]:
        """The stems of a question that the row takes in, but for what fills its places."""
        said = (self.words, self.alone, self.flips, self.besides)
        return set(stems(" ".join(self.cues))).union(*(one.used(text) for one in said if one))


_KEYS = frozenset(
    "who cues words unless flips slot premise rule decides score weak answer strict closed alone "
    "swaps besides tight".split()
)
_FLAGS = ("answer", "strict", "closed", "swaps", "tight")


def read(path: Path, said: Mapping[str, re.Pattern[str]]) -> Iterator[Family]:
    """The rows of a file. `said`: patterns that `<name>` stands for.

    Raises SettingsError for a line that cannot be read, naming file and line.
    """
    row: dict[str, list[str]] = {}
    name, start = "", 0
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("["):
            if name:
                yield _family(name, row, said, f"{path.name}, line {start}")
            name, start, row = line.strip("[] "), number, {}
            continue
        key, _, value = line.partition(":")
        if not name or key not in _KEYS or not value.strip():
            raise SettingsError(f"{path.name}, line {number}: “{key}” is no key of a family.")
        row.setdefault(key, []).append(value.strip())
    if name:
        yield _family(name, row, said, f"{path.name}, line {start}")


def _family(
    name: str, row: Mapping[str, list[str]], said: Mapping[str, re.Pattern[str]], where: str
) -> Family:
    def words(key: str) -> Words | None:
        listed = split(" | ".join(row.get(key, ())))
        if not listed:
            return None
        named = [part.strip("<>") for part in listed if part.startswith("<")]
        for one in named:
            if one not in said:
                raise SettingsError(f"{where}: words.tsv has no <{one}>.")
        phrases = tuple(stems(part) for part in listed if not part.startswith("<"))
        return Words(phrases, tuple(said[one] for one in named))

    who = split(" | ".join(row.get("who", ("any",))).replace(",", "|"))
    decides = row.get("decides", ["both"])[0]
    if not set(who) <= KINDS or len(who) > 2 or decides not in DECIDES:
        raise SettingsError(
            f"{where}: who is one or two of {', '.join(sorted(KINDS))}, decides one of "
            f"{', '.join(sorted(DECIDES))}."
        )
    if not row.get("premise") or not row.get("rule"):
        raise SettingsError(f"{where}: a family takes `premise: …` and `rule: …`.")
    flags = {key: row[key][0] == "yes" for key in _FLAGS if key in row}
    score = float(row.get("score", ["8"])[0])
    return Family(
        name,
        who,
        split(" | ".join(row.get("cues", ()))),
        words("words"),
        words("unless"),
        words("flips") if row.get("flips") != ["denial"] else None,
        split(" | ".join(row.get("slot", ())).replace(",", "|")),
        tuple(clause(text, where) for text in row["premise"]),
        row["rule"][0],
        decides,
        score,
        float(row.get("weak", [str(score)])[0]),
        alone=words("alone"),
        denial=row.get("flips") == ["denial"],
        besides=words("besides"),
        **flags,
    )


def clause(text: str, where: str = "") -> Clause:
    """`X/spouse absent`, `X.lifetime overlaps Y.lifetime`, `X/award = {prize}`."""
    found = re.fullmatch(r"(\S+) (\S+|\{[a-z ]+\})(?: (.+))?", text)
    left = _side(found[1]) if found else None
    if not found or left is None or not left.who:
        raise SettingsError(f"{where}: “{text}” is no premise; write `X/group = values`.")
    operator = found[2]
    if operator not in OPERATORS and not _SLOT.fullmatch(operator):
        raise SettingsError(f"{where}: “{operator}” is no operator of a premise.")
    return Clause(left, operator, _side(found[3]) if found[3] else None)


def _side(text: str) -> Side:
    text = text.strip()
    if slot := _SLOT.fullmatch(text):
        return Side(slot=slot[1])
    if (slot := re.fullmatch(r"\{([a-z ]+)\}\.(\w+)", text)) and slot[2] in FUNCTIONS:
        return Side(slot=slot[1], function=slot[2])  # type: ignore[arg-type]
    if (number := re.fullmatch(r"(-?\d+)\.(\w+)", text)) and number[2] in FUNCTIONS:
        return Side(constants=(number[1],), function=number[2])  # type: ignore[arg-type]
    found = _SIDE.fullmatch(text.replace("_", " "))
    if found and (found["function"] or "values") in FUNCTIONS:
        path = tuple(part for part in found["path"].split("/") if part)
        return Side(found["who"], path, found["function"] or "values")  # type: ignore[arg-type]
    return Side(constants=split(text))


def slot_of(text: str) -> str:
    """The place in braces that a group or an operator is; empty: it is itself."""
    found = _SLOT.fullmatch(text)
    return found[1] if found else ""


def within(inside: Stems, phrase: Stems) -> bool:
    if not (width := len(phrase)) or phrase[0] not in inside:  # mostly: thousands are sought
        return not width
    return any(inside[i : i + width] == phrase for i in range(len(inside) - width + 1))


@lru_cache(maxsize=4096)
def split(listed: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in listed.split("|") if part.strip())
