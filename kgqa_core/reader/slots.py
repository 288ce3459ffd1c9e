"""What fills the open places of families: tables of words, and what they stand for.

Each reader of a place looks at the question around X (and Y) and gives what it found, the
longest first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from kgqa_core.facts.common import common
from kgqa_core.facts.premises import folded
from kgqa_core.reader.commonsense import Era, said
from kgqa_core.reader.families import within
from kgqa_core.reader.lexicon import word_list
from kgqa_core.reader.surfacer import GROUP_WORDS, Subject, Surfacer
from kgqa_core.reader.words import NUMBER_WORDS
from kgqa_core.text import stems


@dataclass(frozen=True)
class Fill:
    """What fills a place: its words in the rule, and what stands in the premise."""

    words: str
    constants: tuple[str, ...] = ()
    operator: str = ""
    group: str = ""
    other: str = ""  # group of Y, where it is another one
    weight: float = 0.0  # added to the score
    said: str = ""  # words of the question that it takes in and does not repeat


Reader = Callable[[Surfacer, Subject, "Subject | None"], Iterator[Fill]]

# -- times -----------------------------------------------------------------------------------


def era(q: Surfacer, x: Subject, y: Subject | None) -> Iterator[Fill]:
    """Times that the question writes, and those in which there was what it names.

    Of what the graph dates itself, and of X, no table tells.
    """
    if any(q.is_person(s) and s.place < x.place for s in q.subjects):
        return  # of whom somebody made a film need not have seen one
    for found in _eras(q, x):
        if within(stems(x.entity.name), stems(found.name)):
            continue
        ends = (found.since, found.until) if found.until else (found.since,)
        words = f"{_as_asked(q, found)} ({found.since}"
        words += f"–{found.until})" if found.until else " and after)"
        operator = "overlaps" if found.until else "≥"
        yield Fill(words, ends, operator, said=_uses(q.plain, "alive"))


def _uses(text: str, *names: str) -> str:
    """What a text says of the words that stand under these names in `words.tsv`."""
    return " ".join(found[0] for name in names if (found := said(name).search(text)))


def _as_asked(q: Surfacer, found: Era) -> str:
    """What names an era, as the question writes it: “the Eiffel Tower”, “a telephone”."""
    name = re.escape(found.name)
    asked = re.search(rf"\b(?:(?:the|an?) )?{name}\b", q.question, re.IGNORECASE)
    return asked[0] if asked else found.name


def _eras(q: Surfacer, x: Subject) -> Iterator[Era]:
    yield from _written(q, x)
    asked = stems(q.unnamed(q.question))
    found = [(len(phrase), era) for phrase, era in q.rules.eras.items() if within(asked, phrase)]
    for _, era in sorted(found, key=lambda pair: -pair[0])[:2]:
        before = rf"\b(?:before|prior to) (?:the )?{re.escape(folded(era.name))}"
        if said("gone").search(q.plain) or not re.search(before, q.plain):
            yield era


def _written(q: Surfacer, x: Subject) -> Iterator[Era]:
    if found := re.search(r"\b(\d{1,2})(?:st|nd|rd|th)[- ]century", q.plain):
        first = 100 * (int(found[1]) - 1)
        yield Era(found[0], f"{first + 1:04d}", f"{first + 100:04d}")
    asked = folded(x.asked)
    names = " ".join(folded(s.entity.name) for s in q.subjects)
    for found in re.finditer(r"\b(1[0-9]{3}|20[0-9]{2})\b", asked):
        if found[1] not in names:
            before = re.search(rf"\b(?:before|until) {found[1]}", asked)
            after = re.search(rf"\b(?:after|since) {found[1]}", asked)
            yield Era(found[1], "0001" if before else found[1], "" if after else found[1])


# -- amounts ---------------------------------------------------------------------------------


def countable(q: Surfacer, x: Subject, y: Subject | None) -> Iterator[Fill]:
    """What may be counted: children, clubs, languages."""
    for nouns, group in q.rules.countables:
        if named := [n for n in nouns if n.split()[-1] in q.words]:
            yield Fill(nouns[0], group=group, said=" ".join(named))


def more(q: Surfacer, x: Subject, y: Subject | None) -> Iterator[Fill]:
    """Which of two has more, as the question has it."""
    if said("fewer than").search(q.plain):
        yield Fill("fewer", operator="<", said="less smaller than")
    elif said("more than").search(q.plain):
        yield Fill("more", operator=">", said="bigger larger greater than")


_NUMBERS = "|".join(NUMBER_WORDS)


def number(q: Surfacer, x: Subject, y: Subject | None) -> Iterator[Fill]:
    """The number that a question compares with, said as such or as a thing that has so many."""
    operator = "≥"
    if re.search(r"\b(?:more than|exceeds?|over|surpass)\b", q.plain):
        operator = ">"
    elif re.search(r"\b(?:fewer than|less than|under|below)\b", q.plain):
        operator = "<"
    for nouns, _ in q.rules.countables:
        told = rf"\b(?<!than )(?<!least )(?<!most )({_NUMBERS}) (?:{'|'.join(nouns)})\b"
        if (of_all := re.search(told, folded(x.asked))) is not None:
            yield Fill("the question", (str(NUMBER_WORDS[of_all[1]]),), "=", said=of_all[0])
    things = [(len(p), *told) for p, told in q.rules.counts.items() if within(q.stems, p)]
    if things and said("enough").search(q.plain):
        _, name, count = max(things)
        yield Fill(f"a {name}", (str(count),), operator)
    asked = folded(x.asked)
    for stated in re.findall(r"(?:minus |(?<!\w)-)?\b\d[\d,]*\b", asked):
        count = int(stated.replace(",", "").replace("minus ", "-"))
        if "," in stated or not 1000 <= count <= 2100:  # else a year
            yield Fill("the question", (str(count),), operator, said=stated)
    for word, count in NUMBER_WORDS.items():
        if count > 1 and re.search(rf"\b(?:least|than|exactly|over|to) (?:a )?{word}\b", asked):
            yield Fill("the question", (str(count),), operator, said=word)


def measure(q: Surfacer, x: Subject, y: Subject | None) -> Iterator[Fill]:
    """What a comparative compares: of “taller” the height, the longest words first."""
    asked = stems(q.unnamed(q.question, things=True))  # the Great Pyramid is not greater
    found = [row for row in q.rules.measures if within(asked, row[0])]
    whole = [
        row for row in found if not any(row[0] != o[0] and within(o[0], row[0]) for o in found)
    ]
    for row, is_more, groups in sorted(whole, key=lambda row: -len(row[0])):
        for group in groups:
            words = f"{'more' if is_more else 'less'} {group}"
            yield Fill(words, (), "><"[not is_more], group, said=" ".join(row))


# -- people ----------------------------------------------------------------------------------


def years(q: Surfacer, x: Subject, y: Subject | None) -> Iterator[Fill]:
    """So many years of age, as the question writes them."""
    asked = folded(x.asked)
    for words, operator in q.rules.spans:
        found = re.search(words.replace("N", r"(\d{1,3})(?:st|nd|rd|th)?"), asked)
        if found and said("lived out").search(q.plain):
            yield Fill(found[0], (found[1],), operator)
            return


# -- places ----------------------------------------------------------------------------------


def _side(words: str) -> Reader:
    """Which of two sides is said: north or south of, east or west of, a hemisphere."""

    def read(q: Surfacer, x: Subject, y: Subject | None) -> Iterator[Fill]:
        if found := re.search(words, q.plain):
            yield Fill(found[1], operator="<>"[found[1] in {"north", "east"}], said=found[0])

    return read


def season(q: Surfacer, x: Subject, y: Subject | None) -> Iterator[Fill]:
    """July is in summer north of the equator, in winter south of it; April in spring or autumn."""
    months = [(n, m) for n, m in enumerate(_MONTHS, 1) if re.search(rf"\b(?:{m})\b", q.plain)]
    named = [n for n, (_, word) in enumerate(_SEASONS) if said(word).search(q.plain)]
    if len(months) == len(named) == 1:
        apart, now = (months[0][0] // 3 - named[0]) % 4, _SEASONS[named[0]]
        if apart % 2 == 0:
            side, told = ("south" if apart else "north"), _uses(q.plain, now[1])
            words = f"{side} of the equator, where it is {now[0]} then"
            yield Fill(words, operator="><"[side == "south"], said=f"{months[0][1]} {told}")


def continent(q: Surfacer, x: Subject, y: Subject | None) -> Iterator[Fill]:
    """A continent that the question names: all its countries."""
    text = folded(q.unnamed(x.asked))
    for name in dict.fromkeys(name for land in q.rules.lands for name in land.continents):
        if found := re.search(rf"\b{name.lower()}(?:n|ns|an|ans)?\b(?! union)", text):
            yield Fill(name, q.lands("continents", name), said=found[0])


def _verb(asked: str) -> str:
    """The first word after X that says something: “Can … easily fly” flies."""
    after = stems(asked.partition("…")[2])
    return next((word for word in after if word not in _AUXILIARY), "")


def tongue(q: Surfacer, x: Subject, y: Subject | None) -> Iterator[Fill]:
    """A language that is named: what X speaks, or the countries where it is spoken."""
    named = {n for c in q.rules.lands for n in c.languages if folded(n) in q.words}
    for name in sorted(named):
        yield Fill(name, q.lands("languages", name), group="homeland")


def money(q: Surfacer, x: Subject, y: Subject | None) -> Iterator[Fill]:
    """A currency that is named: the countries where one pays in it."""
    named = {n for c in q.rules.lands for n in c.currencies if stems(n)[0] in q.stems}
    for name in sorted(named):
        yield Fill(f"the {name}", q.lands("currencies", name))


def coast(q: Surfacer, x: Subject, y: Subject | None) -> Iterator[Fill]:
    """The countries by the sea."""
    yield Fill("the sea", q.lands("coast", "coast", "island"))


def overseas(q: Surfacer, x: Subject, y: Subject | None) -> Iterator[Fill]:
    """The countries on islands, for two places that are in different countries."""
    homes = {home[0].name for s in (x, y) if s is not None and (home := q.country(s))}
    tunnel = "United Kingdom" in homes and q.words & {"train", "trains", "rail"}
    if len(homes) == 2 and not tunnel:
        yield Fill("an island", q.lands("coast", "island"))


def overland(q: Surfacer, x: Subject, y: Subject | None) -> Iterator[Fill]:
    """The countries that one reaches from Y's without a sea."""
    home = q.country(y) if y is not None else None
    own = set(home[0].continents) if home is not None and home[0].coast != "island" else set()
    for mainland in _MAINLANDS if q.country(x) else ():
        if own & mainland:
            land = (
                c for c in q.rules.lands if mainland & set(c.continents) and c.coast != "island"
            )
            names = tuple(name for c in land for name in q.rules.called(c))
            yield Fill("land", names, said="without crossing sea ferry boat water whole way all")


# -- kinds and sameness ----------------------------------------------------------------------


def shared(q: Surfacer, x: Subject, y: Subject | None) -> Iterator[Fill]:
    """In what two are said to agree: “the same profession”."""
    text = said("shares").sub("same ", q.plain)
    for words, one, other in q.rules.sameness:
        if found := words.search(text):
            told = f"{found[0]} {_uses(q.plain, 'shares')}"
            yield Fill(GROUP_WORDS.get(one, one), group=one, other=other, said=told)


def known(q: Surfacer, x: Subject, y: Subject | None) -> Iterator[Fill]:
    """What is said of a common thing, where something of the sort is known of it.

    Of several, what takes the most words goes first. What is said is said of the first thing.
    """
    if x.place > min(s.place for s in q.subjects):
        return
    asked, own = q.unnamed(x.asked), {*stems(x.words), *stems(x.entity.name)}
    verb = _verb(x.asked)
    found = [
        (n, Fill(words.replace("{value}", value), (value,), group=relation, weight=0.1 * n))
        for relation, cue, words in q.rules.sayings
        if (cue is None or cue.search(folded(asked)))
        and (relation != "eats" or not q.facts.out(x.entity, "forbidden food"))
        and q.facts.out(x.entity, relation)
        for n, value in common().said(asked, relation)
        if not own >= set(stems(value)) and (cue is not None or n > 1 or verb == stems(value)[0])
    ]
    yield from (fill for _, fill in sorted(found, key=lambda pair: -pair[0])[:2])


_AUXILIARY = frozenset(stems(" ".join(word_list("auxiliaries and adverbs beside them"))))

SLOTS: Mapping[str, Reader] = {
    reader.__name__: reader
    for reader in (
        *(era, countable, more, number, measure, years, season, continent),
        *(shared, known, tongue, money, coast, overseas, overland),
    )
} | {
    "northward": _side(r"\b(north|south)(?:ern|wards?)?\b"),
    "eastward": _side(r"\b(east|west)(?:ern|wards?)?\b"),
    "hemisphere": _side(r"\b(north|south)(?:ern hemisphere| of the equator)\b"),
}
_MAINLANDS = ({"Europe", "Asia", "Africa"}, {"North America", "South America"})
_SEASONS = (("winter", "cold"), ("spring", "spring"), ("summer", "warm"), ("autumn", "autumn"))
_MONTHS = (
    "january february|valentine's march april may june july august september october november "
    "december|christmas"
).split()
