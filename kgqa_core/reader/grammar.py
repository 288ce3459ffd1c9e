"""What all parsing rules share: word lists, spans of tokens, plans from plans."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any
from typing import Literal as OneOf

from kgqa_core.reader import plan as p
from kgqa_core.reader.lexicon import Lexicon, word_list
from kgqa_core.reader.plan import Plan, Reading, fill, has_hole, mapped, parts
from kgqa_core.reader.words import Span, Token, tokenise, words
from kgqa_core.text import singular, stem

Order = OneOf["highest", "lowest", "average", "sum"]
Parses = list[Reading]
Readings = Iterator[Reading]
KEEP = 6  # readings kept of each span
DETERMINERS = word_list("determiners")
LEADING = DETERMINERS | {"of"}
PREPOSITIONS = word_list("prepositions")
CONTENTLESS = word_list("without content")
BE = frozenset("is are was were be been being am".split())
DO = frozenset("do does did".split())
HAVE = frozenset("has have had having".split())
MODAL = frozenset("can could would will shall should might may must".split())
AUX = BE | DO | HAVE | MODAL
RELATIVE = frozenset("who that which whom whose where".split())
WH = frozenset("who whom whose what which where when how why".split())
WANTS = {"who": "person", "whom": "person", "where": "place", "when": "time"}
FILLER = word_list("filler")
BESIDES = frozenset("other another different many famous more else also various several".split())
NO_VERB = (
    AUX | (PREPOSITIONS - {"from", "about", "in"}) | DETERMINERS | {"'s", "and", "or", ",", ""}
)
SOMEONE = frozenset("people they you we one i citizens inhabitants someone".split())
PRONOUNS = frozenset("he she it they him them himself herself itself".split())
THING_NOUNS = frozenset("thing things stuff something anything one ones".split())
BUT = (("other", "than"), ("apart", "from"), ("aside", "from"), ("except", "for"), ("except",),
        ("besides",), ("excluding",), ("not", "counting"), ("beside",),
        ("in", "addition", "to"))  # fmt: skip
OFFICES = frozenset(
    "president minister chancellor king queen emperor mayor governor pope senator secretary "
    "speaker monarch premier ambassador chairman judge bishop archbishop sultan tsar shah "
    "director chief head leader duke prince princess".split()
) | {stem(w) for w in "minister chancellor emperor mayor governor director speaker".split()}
PLACE_NOUNS = word_list("nouns for places")
MORTALS = frozenset("people lives soldiers men civilians".split())
MORTALS_1 = frozenset(singular(w) for w in MORTALS) | {"live", "life"}
DEADLY = frozenset(stem(w) for w in "die kill perish lose claim cost take".split())
TITLES = word_list("titles of places")
NOT_IN_NOUNS = frozenset("than there it before after until since while but he she they".split())
GENERAL = word_list("verbs that say little")
FEW = frozenset("fewer fewest less least".split())
CODES = frozenset("code id identifier number".split())  # the IMDb ID of X
TIME_NOUNS = frozenset("year date day month time decade century".split())


@dataclass(frozen=True)
class Head:
    """A noun with what stands before it: "the three largest German cities"."""

    noun: str
    by: str = ""  # an adjective or noun that orders
    order: Order = "highest"
    position: int = 1
    adjectives: tuple[str, ...] = ()
    cost: float = 0.0
    sort: str = ""  # "kind", when the kind of the noun is asked for


def rule(most: int = 0) -> Callable[[Callable[..., Readings]], Callable[..., Parses]]:
    """Makes a list of what a rule reads, once for each span: all, or the `most` cheapest.

    While it is worked out it is empty: no left recursion.
    """

    def listed(read: Callable[..., Readings]) -> Callable[..., Parses]:
        @wraps(read)
        def parses(self: Spans, *given: Any, **named: Any) -> Parses:
            key = (read.__name__, *given, *named.values())
            if key not in self.parsed:
                self.parsed[key] = []
                found = list(read(self, *given, **named))
                self.parsed[key] = best_of(found, most) if most else found
            return self.parsed[key]

        return parses

    return listed


class Spans:
    """The tokens of a question and what the lexicon says about spans of them.

    The rules are in the subclasses, one file for each kind of phrase; they call each other by
    the names at the end.
    """

    def __init__(self, text: str, lex: Lexicon) -> None:
        self.lex = lex
        self.tokens = tokenise(text)
        self.cased = any(t.cap for t in self.tokens[1:])
        self.spoken_of = _first_name(self.tokens)  # whom a pronoun stands for
        self.parsed: dict[Any, Parses] = {}  # by rule, and what it was given

    def low(self, i: int) -> str:
        return self.tokens[i].low if 0 <= i < len(self.tokens) and not self.tokens[i].name else ""

    def text(self, i: int, j: int) -> str:
        return words(self.tokens[i:j])

    def lows(self, i: int, j: int) -> str:
        return " ".join(t.low for t in self.tokens[i:j])

    def skip(self, i: int, j: int, what: frozenset[str]) -> int:
        while i < j and self.low(i) in what:
            i += 1
        return i

    def end_of(self, word: str) -> Order:
        """Which end of a scale a word points to: most, fewest, lower, youngest."""
        known = self.lex.adjectives.get(word)
        if word in {"average", "sum"}:
            return word  # type: ignore[return-value]
        return "lowest" if word in FEW or (known and known.order == "lowest") else "highest"

    # rules that the files share
    _dress: Callable[[Plan, Head], Plan]
    _generic: Callable[[str], bool]
    _kind: Callable[[str], str]
    _unfamiliar: Callable[[str], float]
    _want: Callable[[str], str]
    _which_of_some: Callable[[int, int, str], Readings]
    so_called: Callable[[int, int], Parses]
    among: Callable[[int, int], Readings]
    asked: Callable[[int, int, Head, str, str], Parses]
    compared: Callable[[int, int], Readings]
    comparison: Callable[[int, int], Readings]
    event: Callable[[int, int], Parses]
    gap_clause: Callable[..., Parses]
    having: Callable[[int, int], Readings]
    head: Callable[[int, int], Head | None]
    holders: Callable[[Head], Plan | None]
    mention: Callable[[int, int], Parses]
    modifiers: Callable[[int, int, str], Parses]
    noun_phrase: Callable[[int, int], Parses]
    object_gap: Callable[[int, int, str, str], Parses]
    of_both: Callable[[Reading, Reading, str], Reading]
    participants: Callable[[int, int], Parses]
    predicate: Callable[..., Parses]  # the last, `passive`, is mostly named
    roles: Callable[..., Parses]
    so_many: Callable[..., Readings]
    terms: Callable[[int, int], Readings]
    verb_phrase: Callable[[int, int], Parses]


def _first_name(tokens: Sequence[Token]) -> str:
    """The first name of a question by its capitals; what follows may call it "he" or "it"."""
    run: list[Token] = []
    for n, token in enumerate(tokens):
        if token.name:
            return token.text
        starts = token.cap and (n or token.low not in AUX | WH | PREPOSITIONS | DETERMINERS)
        if starts or (run and token.low in {"of", "the", "'"}):
            run.append(token)
        elif run:
            break
    while run and not run[-1].cap:
        run.pop()
    return words(run)


def onto(plan: Plan, kind: p.Kind, base: Plan) -> Plan:
    """The plan with a set in place of the whole class, else for its members only."""

    def exchanged(part: Plan) -> Plan:
        return base if part == kind else mapped(part, exchanged)

    return exchanged(plan) if kind in parts(plan) else p.Join(base, plan, "intersection")


def called_so(plan: Plan, noun: str) -> Plan:
    return replace(plan, noun=noun) if isinstance(plan, p.Anchor) and noun else plan


def best_of(readings: Iterable[Reading], most: int) -> Parses:
    cheapest: dict[Plan, float] = {}
    for r in readings:
        if r.cost < cheapest.get(r.plan, 1e9):
            cheapest[r.plan] = r.cost
    ranked = sorted(cheapest.items(), key=lambda item: item[1])
    return [Reading(cost, plan) for plan, cost in ranked[:most] if cost < 9]


def key_of(phrase: str) -> tuple[str, ...]:
    return tuple(stem(w) for w in phrase.split())


def other_end(order: Order) -> Order:
    return "lowest" if order == "highest" else "highest"


def without_prep(phrase: str) -> str:
    *head, last = phrase.split()
    return " ".join(head) if head and last in PREPOSITIONS else phrase


def wanting(plan: Plan, want: str) -> Plan:
    if isinstance(plan, p.Hop) and want and not plan.want:
        return replace(plan, want=want)
    return plan


def inside_class(plan: Plan, noun: str) -> Plan:
    """The class goes inside of an ordering: the longest of the rivers."""
    if isinstance(plan, p.Nth):
        return replace(plan, source=inside_class(plan.source, noun))
    if isinstance(plan, p.Kind):
        return plan
    if isinstance(plan, p.Limit | p.Where) and isinstance(plan.source, p.Kind | p.Limit | p.Where):
        return plan
    return p.Of(plan, noun)


def ending(plan: Plan) -> Plan:
    """A statement's end instead of its beginning."""
    if isinstance(plan, p.Hop) and plan.want == "time" and plan.beside is not None:
        return replace(plan, noun="end")
    return plan


def is_office(noun: str) -> bool:
    """Whether a noun is a title that people hold: senator, prime minister."""
    last = noun.split()[-1]
    return last in OFFICES or stem(last) in OFFICES


def is_office_of(name: str) -> bool:
    """Whether a name is that of an office, of something or in one word: the pope. Who that is asks
    for its holder."""
    title, of, _ = name.casefold().removeprefix("the ").partition(" of ")
    return bool(title.strip()) and is_office(title) and (bool(of) or " " not in title)


def coming_from(plan: Plan, adjective: str) -> Plan:
    """A nationality goes inside of an ordering: the smallest of the African countries."""
    if isinstance(plan, p.Nth):
        return replace(plan, source=coming_from(plan.source, adjective))
    return p.From(plan, adjective)


def at_time(plan: Plan, span: Span) -> Plan:
    if isinstance(plan, p.Hop) and plan.when is None and span.test in {"during", "before", "after"}:
        return replace(plan, when=span)
    if isinstance(plan, p.Of | p.Nth | p.From):
        return replace(plan, source=at_time(plan.source, span))
    if isinstance(plan, p.Kind):
        return p.Limit(plan, plan.noun, span)
    return plan


def both_hold(a: Plan, b: Plan) -> Plan:
    """Two restrictions on one set."""
    if has_hole(b):
        return fill(b, a)
    if has_hole(a):
        return fill(a, b)
    return p.Join(a, b, "intersection")
