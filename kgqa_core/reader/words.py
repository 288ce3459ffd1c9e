"""Words of a question: tokens, stems, number words, points in time."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal as OneOf

from kgqa_core.facts import lifetimes, units
from kgqa_core.places import rows
from kgqa_core.reader.lexicon import READER

_WORD = re.compile(
    r"\[(?P<bracket>[^\]]+)\]|[\"“”«»](?P<quote>[^\"“”«»]+)[\"“”«»]"
    r"|(?P<poss>[’'](?:s|S)?(?=\s|$|[?,.!;]))"
    r"|(?P<word>(?:[A-Z]\.){2,}(?=[\s?!,]|$)|[^\W_](?:[\w.&’'/+*-]*[\w+*])?(?:\.(?=\s+[A-Z]))?!?)|(?P<comma>[,;:–—])"
)
NUMBER_WORDS = {
    w: n
    for n, w in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
        "fifteen sixteen seventeen eighteen nineteen twenty".split()
    )
} | {"thirty": 30, "forty": 40, "fifty": 50, "hundred": 100, "dozen": 12}
_UNITS = "first second third fourth fifth sixth seventh eighth ninth".split()
_TENS = "twent thirt fort fift sixt sevent eight ninet".split()
ORDINALS = {
    w: n
    for n, w in enumerate(
        [
            *(*_UNITS, "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth"),
            *("sixteenth", "seventeenth", "eighteenth", "nineteenth"),
            *(w for t in _TENS for w in (f"{t}ieth", *(f"{t}y-{u}" for u in _UNITS))),
        ],
        1,
    )
}
MONTHS = {month: n for n, month in enumerate(lifetimes.MONTHS, 1)}
SCALES = {"thousand", "million", "billion", "trillion", "millions", "billions"}


@dataclass(frozen=True)
class Span:
    """A stretch of time or a limit: `during 1990`, `before 1990`, `more than 3 million`."""

    test: OneOf["during", "before", "after", "more than", "less than", "is"]
    value: str
    until: str = ""  # the end of a longer stretch


NONE = Span("is", "0")


@dataclass(frozen=True)
class Token:
    """One word; `span` for a recognised time or amount, `name` for a quoted or bracketed one."""

    text: str
    low: str
    name: bool = False
    span: Span | None = None

    @property
    def cap(self) -> bool:
        return self.name or (self.text[:1].isupper() and self.low != "i")


@lru_cache(maxsize=1)
def contractions() -> tuple[tuple[str, ...], ...]:
    return tuple(map(tuple, rows(READER / "contractions.tsv")))


@lru_cache(maxsize=4096)
def compiled(pattern: str) -> re.Pattern[str]:
    """A pattern of a table, whatever its capitals; `re` itself remembers 512 of all there are."""
    return re.compile(pattern, re.IGNORECASE)


def expanded(text: str) -> str:
    """What is run together written in full: "what's" → "what is"; common slips mended."""
    for pattern, plain, *_ in contractions():
        text = compiled(pattern).sub(plain, text)
    return text


def tokenise(question: str) -> list[Token]:
    """Words, possessive marks and commas; times and amounts become one token each."""
    return list(_tokenised(question))


@lru_cache(maxsize=1_000)  # a walk reads the same question at every step
def _tokenised(question: str) -> tuple[Token, ...]:
    text = question.replace("？", "?").replace("`", "'")
    text = expanded(text)
    text = re.sub(r"(?<=\w)[’']s\b(?![^\[]*\])", " 's", text)
    text = re.sub(r"(?:(?<=\s)|^)'([^']+)'(?=\s|$|[?.,!])", r'"\1"', text)
    tokens: list[Token] = []
    for match in _WORD.finditer(text):
        name = match["bracket"] or match["quote"]
        if name:
            tokens.append(Token(name.strip(), name.strip().casefold(), name=True))
        elif match["poss"]:
            many = tokens and not tokens[-1].name and tokens[-1].low.endswith("s")
            if len(match["poss"]) > 1 or (many and re.match(r"\s", text[match.end() :])):
                tokens.append(Token(match["poss"][:1].replace("’", "'") + match["poss"][1:], "'s"))
        else:
            raw = match[0]
            tokens.append(Token(raw, raw.casefold().replace("’", "'")))
    return tuple(_amounts(_times(tokens)))


def words(tokens: list[Token]) -> str:
    """The text of tokens; a possessive mark stands at its word: Ann's, the Smiths'."""
    marked = (t.text if t.low in {"'s", ","} else f" {t.text}" for t in tokens)
    return "".join(marked).strip()


def _year(token: Token) -> str | None:
    return token.low if re.fullmatch(r"[12]\d{3}|[5-9]\d{2}", token.low) else None


def _date(tokens: list[Token], at: int) -> tuple[str, int] | None:
    """A date starting here and the tokens it takes: `15 April 1912`, `April 1912`, `1912`."""
    lows = [t.low.rstrip(".") for t in tokens[at : at + 4] if not t.name]
    if not lows:
        return None
    if iso := re.fullmatch(r"\d{4}-\d{2}(-\d{2})?", lows[0]):
        return iso[0], 1
    bare = [w for w in lows if w not in {",", "of"}]
    skipped = len(lows) - len(bare)

    def day(word: str) -> int | None:
        found = re.fullmatch(r"(\d{1,2})(?:st|nd|rd|th)?", word)
        return int(found[1]) if found else None

    if len(bare) >= 3 and re.fullmatch(r"\d{3,4}", bare[2]):
        for month, date in ((bare[0], bare[1]), (bare[1], bare[0])):
            if month in MONTHS and (d := day(date)):
                return f"{bare[2]:0>4}-{MONTHS[month]:02}-{d:02}", 3 + skipped
    if len(bare) >= 2 and bare[0] in MONTHS and re.fullmatch(r"\d{4}", bare[1]):
        return f"{bare[1]}-{MONTHS[bare[0]]:02}", 2 + (lows[1] != bare[1])
    if year := _year(tokens[at]):
        following = lows[1] if len(lows) > 1 else ""
        return (f"-{year:0>4}", 2) if following in {"bc", "bce"} else (year, 1)
    return None


def _stretch(tokens: list[Token], at: int) -> tuple[Span, int] | None:
    """`the 1990s`, `the 19th century` and the tokens they take."""
    start = at + (at < len(tokens) and tokens[at].low == "the")
    if start >= len(tokens):
        return None
    low = tokens[start].low.replace("'", "")
    if decade := re.fullmatch(r"(\d{3}0)s", low):
        first = int(decade[1])
        return Span("during", str(first), str(first + 9)), start + 1 - at
    century = re.fullmatch(r"(\d{1,2})(?:st|nd|rd|th)(-century)?", low)
    number = int(century[1]) if century else ORDINALS.get(low)
    after = tokens[start + 1].low if start + 1 < len(tokens) else ""
    if number and (after == "century" or (century and century[2])):
        first = (number - 1) * 100 + 1
        return Span("during", f"{first:04}", f"{first + 99:04}"), start + 2 - at
    return None


_BEFORE = {"before", "until", "till", "prior", "by"}
_AFTER = {"after", "since"}
_IN = {"in", "on", "during", "at", "of", "year", "as"}


def _times(tokens: list[Token]) -> list[Token]:
    out: list[Token] = []
    i = 0
    while i < len(tokens):
        taken = _time_at(tokens, i, out[-1] if out else None)
        if taken is None:
            out.append(tokens[i])
            i += 1
        else:
            span, used = taken
            text = words(tokens[i : i + used])
            out.append(Token(text, text.casefold(), span=span))
            i += used
    return out


def _time_at(tokens: list[Token], i: int, last: Token | None) -> tuple[Span, int] | None:
    low = tokens[i].low
    if tokens[i].name:
        return None
    nxt = tokens[i + 1].low if i + 1 < len(tokens) else ""
    if low in {"between", "from"} and (first := _date(tokens, i + 1)):
        j = i + 1 + first[1]
        goes_on = j < len(tokens) and tokens[j].low in {"and", "to", "until", "till", "-", "–"}
        if goes_on and (second := _date(tokens, j + 1)):
            return Span("during", first[0], second[0]), j + 1 + second[1] - i
    if low in {"currently", "now", "nowadays", "today", "presently"}:
        return Span("during", "now"), 1
    j = i
    test: OneOf["during", "before", "after"] = "during"
    if low in _BEFORE:
        test, j = "before", i + 1
        if low == "prior" and nxt == "to":
            j = i + 2
    elif low in _AFTER:
        test, j = "after", i + 1
    elif low in _IN:
        j = i + 1
    while j < len(tokens) and tokens[j].low in {"the", "year", "of"} and j > i:
        j += 1
    if j >= len(tokens):
        return None
    if (j > i or low in {"the"}) and (stretch := _stretch(tokens, j)):
        span, used = stretch
        ends = {"before": span.value, "after": span.until}
        return Span(test, ends[test]) if test in ends else span, j + used - i
    found = _date(tokens, j)
    if found is None:
        return None
    if j == i and (last is not None and last.cap) and not last.span:
        return None  # part of a name: Apollo 1300
    year = found[0]
    if test == "before" and low == "by":
        return None
    return Span(test, year), j + found[1] - i


_BEYOND = "longer taller older deeper wider heavier faster hotter".split()
_WITHIN = "shorter lighter slower colder cheaper".split()
_MORE = (
    (("more", "than"), "more than"), (("greater", "than"), "more than"),
    (("larger", "than"), "more than"), (("bigger", "than"), "more than"),
    (("higher", "than"), "more than"), (("over",), "more than"), (("above",), "more than"),
    (("exceeding",), "more than"), (("at", "least"), "at least"),
    (("less", "than"), "less than"), (("fewer", "than"), "less than"),
    (("smaller", "than"), "less than"), (("lower", "than"), "less than"),
    (("under",), "less than"), (("below",), "less than"), (("at", "most"), "at most"),
    (("exactly",), "is"), (("no", "more", "than"), "at most"), (("no", "less", "than"), "at least"),
    *(((word, "than"), "more than") for word in _BEYOND),
    *(((word, "than"), "less than") for word in _WITHIN),
)  # fmt: skip
_MEASURING = {*_BEYOND, *_WITHIN}
_COMPARATIVES = _MEASURING | {"higher", "larger", "bigger", "smaller", "lower"}


def _amounts(tokens: list[Token]) -> list[Token]:
    out: list[Token] = []
    i = 0
    while i < len(tokens):
        for phrase, test in _MORE:
            k = len(phrase)
            if tuple(t.low for t in tokens[i : i + k]) == phrase:
                found = number_at(tokens, i + k)
                if found:
                    value, used = found
                    last = i + k + used >= len(tokens)
                    bare = phrase[0] in _COMPARATIVES and (last or phrase[0] in _MEASURING)
                    keeps = k - 1 if bare else k
                    if keeps < k:
                        out.append(tokens[i])  # the adjective says what is measured
                    text = words(tokens[i : i + k + used])
                    out.append(Token(text, text.casefold(), span=_limit(test, value)))
                    i += k + used
                    break
        else:
            out.append(tokens[i])
            i += 1
    return out


def _limit(test: str, value: str) -> Span:
    """Whole numbers only: at least 3 is more than 2."""
    if test in {"at least", "at most"}:
        number, _, rest = value.partition(" ")
        step = -1 if test == "at least" else 1
        if not rest and number.isdigit():
            value = str(int(number) + step)
        test = "more than" if test == "at least" else "less than"
    return Span(test, value)  # type: ignore[arg-type]


def number_at(tokens: list[Token], i: int) -> tuple[str, int] | None:
    """A number with its scale and unit (`3 million`, `1000 km`) and the tokens it takes."""
    if i >= len(tokens) or tokens[i].name:
        return None
    low = tokens[i].low.replace(",", "").lstrip("$€£")
    if low in {"a", "an"} and i + 1 < len(tokens) and tokens[i + 1].low in SCALES:
        low = "one"  # a million
    if low in NUMBER_WORDS:
        value = str(NUMBER_WORDS[low])
    elif re.fullmatch(r"\d+(\.\d+)?", low):
        value = low
    else:
        return None
    used = 1
    nxt = tokens[i + 1].low if i + 1 < len(tokens) else ""
    if nxt in SCALES:
        value, used = f"{value} {nxt.rstrip('s')}", 2
        nxt = tokens[i + 2].low if i + 2 < len(tokens) else ""
    if nxt in units.spellings():
        value, used = f"{value} {nxt}", used + 1
    return value, used
