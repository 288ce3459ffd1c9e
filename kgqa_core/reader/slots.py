"""What fills the open places of families: tables of words, and what they stand for.

Each reader of a place looks at the question around X (and Y) and gives what it found, the
longest first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from kgqa_core.facts import relations
from kgqa_core.facts.common import common
from kgqa_core.facts.premises import contains, folded, names_of
from kgqa_core.reader.commonsense import Country, Era, said
from kgqa_core.reader.families import within
from kgqa_core.reader.lexicon import word_list
from kgqa_core.reader.surfacer import GROUP_WORDS, Subject, Surfacer
from kgqa_core.reader.words import NUMBER_WORDS, compiled
from kgqa_core.text import singular, stems


@dataclass(frozen=True)
class Fill:
    """What fills a place: its words in the rule, and what stands in the premise."""

    words: str
    constants: tuple[str, ...] = ()
    operator: str = ""
    group: str = ""
    other: str = ""  # group of Y, where it is another one
    also: Fill | None = None  # a second bound
    weight: float = 0.0  # added to the score
    said: str = ""  # words of the question that it takes in and does not repeat


Reader = Callable[[Surfacer, Subject, "Subject | None"], Iterator[Fill]]

# -- times -----------------------------------------------------------------------------------

_BEGINNINGS = relations.row("start time"), relations.row("inception")
_BOUNDS = {
    "began": "|".join(known.spelled for known in _BEGINNINGS),
    "ended": "|".join(relations.row(known.end).spelled for known in _BEGINNINGS),
}


def _which(q: Surfacer) -> str:
    """Whether it is asked who was alive when something `began` or `ended`."""
    if not said("alive").search(q.plain):
        return ""
    return next((which for which in _BOUNDS if said(which).search(q.plain)), "")


def moment(q: Surfacer, x: Subject, y: Subject | None) -> Iterator[Fill]:
    """When Y began or ended, where the facts date it."""
    which = _which(q)
    if which and y and not q.is_person(y) and q.facts.out(y.entity, _BOUNDS[which]):
        yield Fill(which, group=_BOUNDS[which], said=_uses(q.plain, "alive", which))


def era(q: Surfacer, x: Subject, y: Subject | None) -> Iterator[Fill]:
    """Times that the question writes, and those in which there was what it names.

    Of what the graph dates itself, and of X, no table tells.
    """
    if any(q.is_person(s) and s.place < x.place for s in q.subjects):
        return  # of whom somebody made a film need not have seen one
    which = _which(q)
    ended = said("saw the end").search(folded(x.asked)) is not None
    for found in _eras(q, x):
        if any(_is(s, found) for s in q.subjects if s == x or (which and not q.is_person(s))):
            continue
        ends = (found.since, found.until) if found.until else (found.since,)
        words, operator = f"{_as_asked(q, found)} ({found.since}", "overlaps"
        words += f"–{found.until})" if found.until else " and after)"
        if which and (when := found.since if which == "began" else found.until):
            ends, words = (when,), f"{_as_asked(q, found)} {which} ({when})"
        elif not found.until:
            operator = "≥"
        elif ended:
            ends, operator = (found.until,), "≥"
            words = f"the end of {_as_asked(q, found)} ({found.until})"
        yield Fill(words, ends, operator, said=_uses(q.plain, *filter(None, ("alive", which))))


def _uses(text: str, *names: str) -> str:
    """What a text says of the words that stand under these names in `words.tsv`."""
    return " ".join(found[0] for name in names if (found := said(name).search(text)))


def year(q: Surfacer, x: Subject, y: Subject | None) -> Iterator[Fill]:
    """Years, decades and centuries as the question writes them."""
    for found in _written(q, x):
        ends = (found.since, found.until) if found.until else (found.since,)
        yield Fill(found.name, ends, "overlaps" if found.until else "≥")


def _is(subject: Subject, found: Era) -> bool:
    return within(stems(subject.entity.name), stems(found.name))


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
        if not said("gone").search(q.plain) and re.search(
            rf"\b(?:before|prior to|ahead of) (?:the )?{re.escape(folded(era.name))}", q.plain
        ):
            yield Era(f"before {era.name}", "0001", era.since)
        else:
            yield era


def _written(q: Surfacer, x: Subject) -> Iterator[Era]:
    if found := re.search(r"\b(\d{1,2})(?:st|nd|rd|th)[- ]century", q.plain):
        first = 100 * (int(found[1]) - 1)
        yield Era(found[0], f"{first + 1:04d}", f"{first + 100:04d}")
    if found := re.search(r"\b(\d{3})0s\b", q.plain):
        yield Era(found[0], f"{found[1]}0", f"{found[1]}9")
    asked = folded(x.asked)
    names = " ".join(folded(s.entity.name) for s in q.subjects)
    for found in re.finditer(r"\b(1[0-9]{3}|20[0-9]{2})\b", asked):
        if found[1] not in names:
            before = re.search(rf"\b(?:before|until) {found[1]}", asked)
            after = re.search(rf"\b(?:after|since) {found[1]}", asked)
            yield Era(found[1], "0001" if before else found[1], "" if after else found[1])


def turn(q: Surfacer, x: Subject, y: Subject | None) -> Iterator[Fill]:
    """What is said to have happened to X at a time, and the relations that date it."""
    asked, person = folded(x.asked), q.is_person(x)
    for words, of_person, what, group in q.rules.turns:
        if of_person == person and (found := words.search(asked)):
            if q.may_say(x, q.rules.relations(group)):
                yield Fill(what, group=group, said=found[0])
            return


# -- amounts ---------------------------------------------------------------------------------


def countable(q: Surfacer, x: Subject, y: Subject | None) -> Iterator[Fill]:
    """What may be counted: children, clubs, languages."""
    for nouns, group in q.rules.countables:
        named = [
            n
            for n in nouns
            if n.split()[-1] in q.words or f"more than one {singular(n)}" in q.plain
        ]
        if named and (named != ["married"] or said("so often").search(q.plain)):
            yield Fill(nouns[0], group=group, said=" ".join(named))


def more(q: Surfacer, x: Subject, y: Subject | None) -> Iterator[Fill]:
    """Which of two has more, as the question has it."""
    if said("fewer than").search(q.plain):
        yield Fill("fewer", operator="<", said="less smaller than")
    elif said("more than").search(q.plain):
        yield Fill("more", operator=">", said="bigger larger greater than")


def number(q: Surfacer, x: Subject, y: Subject | None) -> Iterator[Fill]:
    """The number that a question compares with, said as such or as a thing that has so many."""
    operator = "≥"
    if re.search(r"\b(?:more than|exceeds?|over|surpass)\b", q.plain):
        operator = ">"
    elif re.search(r"\b(?:fewer than|less than|under|below)\b", q.plain):
        operator = "<"
    for nouns, _ in q.rules.countables:
        told = (
            rf"\b(?<!than )(?<!least )(?<!most )({'|'.join(NUMBER_WORDS)}) (?:{'|'.join(nouns)})\b"
        )
        if (of_all := re.search(told, folded(x.asked))) is not None:
            yield Fill("the question", (str(NUMBER_WORDS[of_all[1]]),), "=", said=of_all[0])
    things = [(len(p), *told) for p, told in q.rules.counts.items() if within(q.stems, p)]
    if things and said("enough").search(q.plain):
        _, name, count = max(things)
        often = "more than" in name  # “more than once” is at least twice
        yield Fill(f"a {name}", (str(count),), "≥" if often else operator)
    asked = folded(x.asked)
    for stated in re.findall(r"(?:minus |(?<!\w)-)?\b\d[\d,]*\b", asked):
        count = int(stated.replace(",", "").replace("minus ", "-"))
        if "," in stated or not 1000 <= count <= 2100:  # else a year
            yield Fill("the question", (str(count),), operator, said=stated)
    if re.search(r"\b(?:more than (?:one|once)|several|multiple)\b", asked):
        yield Fill("the question", ("2",), "≥", said="several multiple")
    for word, count in (NUMBER_WORDS | {"twice": 2, "thrice": 3}).items():
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
        found = compiled(words.replace("N", COUNT)).search(asked)
        if found and said("lived out").search(q.plain):
            yield Fill(found[0], (str(_count(found[1])),), operator)
            return
    if found := re.search(r"\bin (?:his|her|their) (\d0|\w+?)(?:ie)?s\b", asked):
        first = _count(found[1] if found[1].isdigit() else f"{found[1]}y")
        if first:
            yield Fill(found[0], (str(first),), "≥", also=Fill("", (str(first + 10),), "<"))


_TENS = {w: 10 * n for n, w in enumerate(
    "ten twenty thirty forty fifty sixty seventy eighty ninety hundred".split(), 1
)}  # fmt: skip
_TENTHS = {f"{w[:-1]}ie" * w.endswith("y") + w * (not w.endswith("y")) + "th": n
           for w, n in _TENS.items()}  # fmt: skip
COUNT = rf"(\d{{1,3}}(?:st|nd|rd|th)?|{'|'.join((*_TENTHS, *NUMBER_WORDS, *_TENS))})"


def _count(text: str) -> int:
    """A number in figures or words: 50th, fiftieth, fifty; 0 for what is none."""
    if found := re.match(r"\d+", text):
        return int(found[0])
    return (_TENS | _TENTHS | NUMBER_WORDS).get(text, 0)


def age(q: Surfacer, x: Subject, y: Subject | None) -> Iterator[Fill]:
    """The longest phrase of the question that goes with an age, with its bounds."""
    asked = stems(x.asked)
    found = [(len(phrase), span) for phrase, span in q.rules.ages.items() if within(asked, phrase)]
    for _, (name, low, high) in sorted(found, key=lambda pair: -pair[0])[:1]:
        bounds = [Fill(name, (str(n),), o) for n, o in ((low, "≥"), (high, "≤")) if n]
        yield replace(bounds[0], also=bounds[1] if len(bounds) > 1 else None)


def start(q: Surfacer, x: Subject, y: Subject | None) -> Iterator[Fill]:
    """What people do only from some age on: the longest phrase of it."""
    found = [(len(p), told) for p, told in q.rules.starts.items() if within(stems(x.asked), p)]
    for _, (name, years) in sorted(found)[-1:]:
        yield Fill(name, (years,))


def impairment(q: Surfacer, x: Subject, y: Subject | None) -> Iterator[Fill]:
    """An illness or a loss, and the professions that it is in the way of."""
    asked = set(q.stems)
    found = [(len(p), row) for p, row in q.rules.impairments.items() if set(p) <= asked]
    if found:
        name, needs, values = max(found)[1]
        yield Fill(f"{name} ({needs})", values)


def profession(q: Surfacer, x: Subject, y: Subject | None) -> Iterator[Fill]:
    """What X is said to work as: “is a judge”; not “knows a judge”."""
    asked = q.unnamed(x.asked)
    words = stems(asked)
    named = [p for p in q.rules.professions if within(words, p)]
    named = [p for p in named if _predicated(folded(asked), q.rules.professions[p])]
    if named:
        longest = max(named, key=len)
        name = q.rules.professions[longest]
        yield Fill(name, (name, *q.rules.classes.get(name, ())), weight=0.35 * len(longest))


def _predicated(asked: str, name: str) -> bool:
    before = re.search(rf"((?:\S+ ){{0,4}})\S*{re.escape(folded(name)[:-1])}", asked)
    if before is None or not said("as").search(before[1]):
        return False
    lead = asked[: before.start() + len(before[1])]
    return said("works as").search(asked[: before.end()]) is not None and not re.search(
        rf"{said('is with').pattern} (?:an?|the) (?:\S+ ){{0,2}}$", lead
    )


def prize(q: Surfacer, x: Subject, y: Subject | None) -> Iterator[Fill]:
    """An award that the question names, by itself or as one of its subjects."""
    asked = stems(q.question)
    found = [(len(p), name) for p, name in q.rules.prizes.items() if within(asked, p)]
    named = [
        o.entity.name
        for o in q.subjects
        if o != x
        and not o.common
        and not q.is_person(o)
        and any(contains(o.entity.name, w) for w in ("award", "prize", "medal", "order"))
    ]
    for name in named or [name for _, name in sorted(found)[-1:]]:
        if name != x.entity.name:
            yield Fill(name, (name,))
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
    if q.is_person(x) and any(said(word).search(text) for word in ("died", "lived")):
        return
    for name in dict.fromkeys(name for land in q.rules.lands for name in land.continents):
        if found := re.search(rf"\b{name.lower()}(?:n|ns|an|ans)?\b(?! union)", text):
            yield Fill(name, q.lands("continents", name), said=found[0])


def land(q: Surfacer, x: Subject, y: Subject | None) -> Iterator[Fill]:
    """The one country that X is said to be from, or in."""
    text = folded(q.unnamed(x.asked))
    if q.is_person(x) and any(said(word).search(text) for word in ("died", "lived")):
        return
    own = q.country(x)
    if own is not None and own[1]:
        text = text.replace(folded(x.entity.name), " ")
    if said("citizen").search(text) and not re.search(r"\b(?:capital|same)\b", text):
        lands = [c for c in q.rules.lands if _from(q, c, text)]
        if len(lands) == 1:
            people = " ".join((*q.rules.called(lands[0]), *lands[0].people))
            said_so = f"{people} {_uses(text, 'citizen')}"
            yield Fill(lands[0].name, q.rules.called(lands[0]), said=said_so)


def _verb(asked: str) -> str:
    """The first word after X that says something: “Can … easily fly” flies."""
    after = stems(asked.partition("…")[2])
    return next((word for word in after if word not in _AUXILIARY), "")


def tongue(q: Surfacer, x: Subject, y: Subject | None) -> Iterator[Fill]:
    """A language that is named: what X speaks, or the countries where it is spoken."""
    named = {n for c in q.rules.lands for n in c.languages if folded(n) in q.words}
    for name in () if x.path else sorted(named):
        if q.may_say(x, q.rules.relations("language")):
            yield Fill(name, (name,), group="language")
        yield Fill(name, q.lands("languages", name), group="homeland")


def money(q: Surfacer, x: Subject, y: Subject | None) -> Iterator[Fill]:
    """A currency that is named: the countries where one pays in it."""
    for name in sorted({n for c in q.rules.lands for n in c.currencies if stems(n)[0] in q.stems}):
        yield Fill(f"the {name}", q.lands("currencies", name))


def coast(q: Surfacer, x: Subject, y: Subject | None) -> Iterator[Fill]:
    """The countries by the sea: a state or town in one may lie inland, in none there is no sea."""
    if x.path or ((home := q.country(x)) and (home[1] or home[0].coast == "landlocked")):
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


def _from(q: Surfacer, country: Country, text: str) -> bool:
    """“From Turkey”, “a Turkish passport”, “is a Turk”; not “the Turkish Airlines Open”."""
    names = "|".join(re.escape(n) for n, c in q.rules.countries.items() if c is country)
    people = "|".join(re.escape(folded(n)) for n in country.people) or names
    things = said("of a people").pattern
    return any(
        compiled(pattern).search(text)
        for pattern in (
            rf"\b(?:from|in|of|within|inside|leave|left) (?:the )?(?:{names})\b",
            rf"\b(?:{people})s?[ -]{things}",
            rf"\b(?:is|was|are|be|been|as|an?|the) (?:{people})s?\W*(?:$|by )",
        )
    )


def governed(q: Surfacer, x: Subject, y: Subject | None) -> Iterator[Fill]:
    """The one country that X is said to have governed, where an office of X names a country."""
    asked = folded(x.asked)
    named = [
        c
        for c in q.rules.lands
        if any(
            compiled(rf"(?<!\w){re.escape(folded(n))}s?(?!\w)").search(asked)
            for n in (*q.rules.called(c, capitals=False), *c.people)
        )
    ]
    held = q.facts.out(x.entity, q.rules.relations("office"))
    offices = [n for s in held for n in names_of(s.object)]
    of_a_country = any(contains(n, c) for n in offices for c in q.rules.countries)
    if len(named) == 1 and of_a_country:
        names = (*q.rules.called(named[0], capitals=False), *named[0].people)
        yield Fill(named[0].name, names, said=" ".join(names))


# -- kinds and sameness ----------------------------------------------------------------------

_NOUN = r"((?:(?!(?:of|in|for|that|which|who|with|from|by|on|to|at|and|or|than)\b)[\w'-]+ ?){1,4})"
_IS_A = re.compile(
    r"\b(?:is|was|are|were|be|been|being|becom\w+|became|called|considered|as)\s+"
    r"(?:an? (?:kind|type|form|example|sort) of|one of the|some|an?|the)\s+" + _NOUN
)
_IS_ASKED = re.compile(r"^(?:is|was|are|were)\b.*?…\s*(?:really |actually )?(?:an?|the)\s+" + _NOUN)
_MORE = re.compile(r"\s*(?:of|for|that|which|who|with|from)\b")  # “a race for horses”
_LESS = -1.9  # of a kind that is only part of what is said


def kind(q: Surfacer, x: Subject, y: Subject | None) -> Iterator[Fill]:
    """“X is a planet”: the noun, and the kinds that it stands for."""
    asked = folded(x.asked)
    found = _IS_A.search(asked) or _IS_ASKED.search(asked)
    if found is None or q.is_common(x):  # of common things `known` tells
        return
    words = stems(found[1])
    name = next(
        (q.rules.kinds[words[i:]] for i in range(len(words)) if words[i:] in q.rules.kinds), ""
    )
    if name:
        values = tuple(dict.fromkeys((name, *q.rules.classes.get(name, ()))))
        yield Fill(name, values, weight=_LESS if _MORE.match(asked[found.end() :]) else 0.0)


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
        and (q.facts.out(x.entity, relation) or (relation in _TOLD and q.usual(x, relation)))
        for n, value in common().said(asked, relation)
        if not own >= set(stems(value)) and (cue is not None or n > 1 or verb == stems(value)[0])
    ]
    yield from (fill for _, fill in sorted(found, key=lambda pair: -pair[0])[:2])


_TOLD = frozenset({"works with", "needs"})  # what an occupation tells of somebody
_AUXILIARY = frozenset(stems(" ".join(word_list("auxiliaries and adverbs beside them"))))

SLOTS: Mapping[str, Reader] = {
    reader.__name__: reader
    for reader in (
        *(moment, era, year, turn, countable, more, number, measure, years, age, impairment),
        *(profession, prize, season, continent, land, governed),
        *(kind, shared, known, tongue, money, coast, overseas, overland, start),
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
