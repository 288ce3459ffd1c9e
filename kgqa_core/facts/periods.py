"""Times that are stated by the decade, the century, the millennium, or by round ages before.

    in_words(1880, 10)       the 1880s, as people write them: “1880s”
    in_words(1801, 100)      “19th century”
    first_and_last(1880, 10) 1880, 1889

A year is negative before Christ; a source writes any year of the period. A hundred years are
counted as the calendar counts them: 1801 to 1900 are the 19th century.
"""

from __future__ import annotations

import re

DECADE, CENTURY, MILLENNIUM, AGE = 10, 100, 1_000, 10_000  # an age: ten thousand years or more
_ONE_OR_TWO_DIGITS = 100  # a decade of so early a year says its era: “AD 70s” are not the 1970s
_LARGE = ((10**9, "billion"), (10**6, "million"))
_COUNTED = {CENTURY: "century", MILLENNIUM: "millennium"}
WRITTEN = (  # for searching a text; no group but the whole
    r"(?:AD )?\d{1,3}0['’]?s(?: BCE?)?"
    r"|\d{1,2}(?:st|nd|rd|th)[ -](?:century|millennium)(?: AD| CE| BCE?)?"
    r"|(?:about )?\d[\d,]*(?:\.\d+)? [mb]illion BCE?|about \d[\d,]* BCE?"
)
_DECADE = re.compile(r"(?:AD )?(\d{1,3}0|0)['’]?s( BCE?)?", re.IGNORECASE)
_ORDINAL = re.compile(
    r"(\d{1,2})(?:st|nd|rd|th)[ -](century|millennium)(?: AD| CE|( BCE?))?", re.IGNORECASE
)
_AGE = re.compile(r"(?:about )?(\d[\d,]*(?:\.\d+)?)(?: ([mb]illion))? BCE?", re.IGNORECASE)


def in_words(year: int, length: int) -> str:
    """`1880s`, `19th century`, `1st millennium BC`, `about 4.54 billion BC`."""
    era, years = " BC" * (year < 0), abs(year)
    if length == DECADE:
        early = not era and years < _ONE_OR_TWO_DIGITS
        return f"{'AD ' * early}{years // DECADE * DECADE}s{era}"
    if noun := _COUNTED.get(length):
        return f"{ordinal(_number(years, length))} {noun}{era}"
    for size, name in _LARGE:
        if years >= size:
            return f"about {years / size:g} {name}{era}"
    return f"about {years}{era}"


def first_and_last(year: int, length: int) -> tuple[int, int]:
    """The years that it can be; of an age those that round to it."""
    if length == AGE:
        half = _rounded_to(year) // 2
        return year - half, year + half
    years = abs(year)
    if length == DECADE:
        first = years // DECADE * DECADE
        low, high = max(first, 1), first + DECADE - 1
    else:
        high = _number(years, length) * length
        low = high - length + 1
    return (low, high) if year > 0 else (-high, -low)


def rounding(year: int) -> int:
    """Of an age, the digits that are not stated: 4 of ten thousand years, 9 of a billion."""
    return len(str(_rounded_to(year))) - 1


def parse(text: str) -> tuple[int, int] | None:
    """A year of the period and its length, of a text as `in_words` writes it."""
    text = text.strip().removeprefix("the ")
    if not re.fullmatch(WRITTEN, text, re.IGNORECASE):
        return None
    if found := _DECADE.fullmatch(text):
        first = max(1, int(found[1]))
        return (-first if found[2] else first), DECADE
    if found := _ORDINAL.fullmatch(text):
        length = CENTURY if found[2].casefold() == "century" else MILLENNIUM
        last = max(1, int(found[1])) * length
        return (-last if found[3] else last - length + 1), length
    if found := _AGE.fullmatch(text):
        scale = {"million": 10**6, "billion": 10**9}.get((found[2] or "").casefold(), 1)
        return -round(float(found[1].replace(",", "")) * scale), AGE
    return None


def _number(years: int, length: int) -> int:
    return max(1, -(-years // length))


def _rounded_to(year: int) -> int:
    """The largest power of ten that divides it, from ten thousand to a billion."""
    size = AGE
    while size < 10**9 and year and year % (10 * size) == 0:
        size *= 10
    return size


def ordinal(number: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{'th' if 10 < number % 100 < 14 else ending}"
