"""What speaks for a program and against it: features, and the small models that weigh them.

Three log-linear layers, fitted by `make train` (`assets/ranker/weights.json`): one ranks programs,
one says how sure the first of them is, one how likely a reading of the rules is wrong.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import dropwhile, pairwise, takewhile

from kgqa_core.facts import relations
from kgqa_core.facts.terms import Relation, RelationUse
from kgqa_core.reader.grammar import AUX, WANTS, WH
from kgqa_core.reader.lexicon import Lexicon, Measure, lexicon, word_list
from kgqa_core.reader.meaning import FOLDER
from kgqa_core.reader.paths import MASK
from kgqa_core.reader.programs import TIMES, Name, Program
from kgqa_core.reader.resolve import Resolver, names
from kgqa_core.reader.words import tokenise
from kgqa_core.text import fold, singular, stem, stems

LITTLE = word_list("little")
_SUPERLATIVE = word_list("ordering")
_EXTREME = re.compile(r"\w{2,}(?:i|g|h|l|d|t|r)est")
_WORDS = re.compile(r"\w+")
_OWN = re.compile(
    rf"\b(?P<before>\w+) of (?:the |an? |king |queen )?{MASK}\b|\b{MASK}['’]s? (?P<after>\w+)",
    re.IGNORECASE,
)
_JOINING = frozenset({"of", "by", "in", "is", "has"})
_GENERAL = frozenset(stem(w) for w in "name call known example title type kind".split())
_RUN = 5  # words before what the question calls the answer
_BOUNDS = frozenset({"maximum", "minimum"})
_NEGATING = frozenset("not never without else".split())
_WANTED = {
    "year": "time", "date": "time", "day": "time", "person": "person", "place": "place",
    "number": "number", "population": "number", "height": "number", "length": "number",
}  # fmt: skip


@dataclass(frozen=True)
class Ranked:
    program: Program
    features: tuple[float, ...]
    score: float


@dataclass(frozen=True)
class Fitted:
    """The log-linear layer, the layers that say how sure, and their thresholds.

    From a chance of `answer` on the ranker answers, below `likely` as a guess, else as unsure; a
    reading of the rules that is wrong with a chance above `doubt` is marked as unsure, too, and
    replaced where the ranker is surer of its own by `surer`, and it is likely.
    """

    features: tuple[float, ...]
    sure: tuple[float, ...]
    opinion: tuple[float, ...]
    answer: float
    likely: float
    doubt: float
    surer: float


@lru_cache(maxsize=1)
def fitted() -> Fitted:
    """Raises OSError where the file is not there."""
    given = json.loads((FOLDER / "weights.json").read_text(encoding="utf-8"))
    layers = (("features", FEATURES), ("sure", SURE), ("opinion", OPINION))
    columns = {name: tuple(given[name][one] for one in order) for name, order in layers}
    return Fitted(**(given["thresholds"] | columns))


FEATURES = (
    "cosine", "below best", "words shared", "alias shared", "lexicon", "words unread", "hops",
    "backwards", "joined", "stated", "detail", "names unused", "kind fits", "kind differs", "class",
    "log size", "several asked", "one asked", "name words", "name exact", "name within",
    "name common", "other inexact", "other common", "noun is label",
)  # fmt: skip
SURE = (
    "constant", "share", "cosine", "margin", "words unread", "kind fits", "kind differs",
    "words shared", "alias shared", "lexicon", "name exact", "name within", "name common",
    "hops", "backwards",
    "joined", "stated", "kind kept", "ordered", "counted", "other names", "capitals", "orders",
    "foreign words", "times", "said twice", "several found", "strange word",
)  # fmt: skip
OPINION = (
    "constant", "behind", "cosine behind", "cosine", "words unread", "hops", "more than hops",
    "kind differs", "name exact", "other names", "capitals", "orders", "foreign words", "guess",
)  # fmt: skip


class Asked:
    """What the ranker knows of a question; `called`: its names that the graph has."""

    def __init__(
        self, question: str, resolver: Resolver | None = None, called: Sequence[Name] = ()
    ) -> None:
        tokens = tokenise(question)
        low = self.low = [t.low for t in tokens]
        self.question, self.called = question, called
        self.resolver = resolver or Resolver(lexicon())
        self.lex = self.resolver.lex
        self.yes_no = bool(low) and low[0] in AUX
        self.count = "many" in low[:4] and "how" in low[:3]
        self.noun = _noun(low)
        self.several = _several(low)
        self.want = next((WANTS[w] for w in low[:3] if w in WANTS), "")
        if self.count or " ".join(low[:2]) in {"how much", "how tall", "how high", "how far"}:
            self.want = "number"
        self.want = _WANTED.get(self.noun, self.want) if not self.count else self.want
        spans = [t.span for t in tokens if t.span is not None and t.span.test == "during"]
        self.when = spans[0].value if len(spans) == 1 and not spans[0].until else ""
        past = bool({"was", "were", "did", "had"} & set(low))
        self.now = not past or bool({"current", "currently", "now"} & set(low))
        content = re.findall(r"\w+", fold(question))
        self.stems = frozenset(stem(w) for w in content if w not in LITTLE)
        words_ = [stem(w) for w in content if w not in LITTLE]
        self.twice = frozenset(w for w in words_ if words_.count(w) > 1) - set(stems(self.noun))
        self.capitals = [t.low for t in tokens[1:] if t.cap and t.low not in LITTLE]
        self.times = [t.text for t in tokens if t.span is not None]
        self.orders = [w for w in low if w in _SUPERLATIVE or _EXTREME.fullmatch(w)]

    @cached_property
    def meant(self) -> frozenset[str]:
        """Labels of the relations that the lexicon gives words of the question."""
        roots = [stem(word) for word in self.low]
        keys: list[tuple[str, ...]] = [(root,) for root in roots]
        keys += pairwise(roots)
        entries = [e for key in dict.fromkeys(keys) for e in self.lex.entries.get(key, ())]
        return frozenset(label for e in entries for way in e.relations for label in way)


def _noun(low: Sequence[str]) -> str:
    """What the question calls the answer: “which *river* …”, “all Roman *poets* who …”."""
    at = next((n + 1 for n, word in enumerate(low[:3]) if word in {"what", "which"}), -1)
    bare = at < 0 and bool(low) and low[0] not in WH | AUX
    if at >= len(low) or (at < 0 and not bare) or (at > 0 and low[at] in AUX):
        return ""
    rest = low[at:] if at > 0 else list(dropwhile(lambda word: word in LITTLE, low))
    called = [singular(word) for word in takewhile(lambda w: w not in LITTLE | AUX, rest[:_RUN])]
    kinds = [n for n, word in enumerate(called) if lexicon().class_of(word)]
    if not kinds or (kinds[0] == 0 and at > 0):
        return next(iter(called), "") if at > 0 else ""
    last = kinds[-1] if bare else kinds[0]
    whole = " ".join(called[last - 1 : last + 1])  # a computer game
    return whole if last and lexicon().class_of(whole) else called[last]


def _several(low: Sequence[str]) -> bool | None:
    """Whether it asks for several (“which rivers …”) or for one; None where it does not say."""
    if low[:1] and low[0] in {"name", "list", "give"}:
        return any(singular(word) != word for word in low[1:5]) or None
    for word, after in pairwise(low[:4]):
        if word in {"what", "which", "who"}:
            if after in AUX:
                return {"are": True, "were": True, "have": True, "is": False, "was": False}.get(
                    after
                )
            return singular(after) != after if word != "who" and after.isalpha() else None
    return None


def features(asked: Asked, program: Program, cosine: float, best: float) -> tuple[float, ...]:
    """One number for each of FEATURES."""
    last = program.last
    called_so = names(last.relation)
    said = frozenset(stems(" ".join(called_so)))
    label = frozenset(stems(last.relation.name)) - _JOINING
    aliases = [frozenset(stems(name)) - _JOINING for name in called_so]
    kind = (
        asked.resolver.kind_of(last) if not program.detail else "time" * (program.detail == TIMES)
    )
    wanted = asked.want
    mention, other = program.name.text, program.beside
    within = any(o.text != mention and fold(mention) in fold(o.text) for o in asked.called)
    left = unread(asked, program)
    size = math.log1p(last.count / max(1, program.name.found.size))
    return (
        cosine,
        best - cosine,
        len(label & asked.stems) / max(1, len(label)),
        max((len(a & asked.stems) / len(a) for a in aliases if a), default=0.0),
        float(bool(called_so & asked.meant)),
        len(left) / max(1, len(asked.stems)),
        len(program.uses) - 1.0,
        float(last.direction == "in"),
        float(program.by is not None),
        float(program.beside is not None and program.by is None),
        float(bool(program.detail)),
        min(2.0, len(apart(asked, program))),
        float(bool(wanted) and kind == wanted),
        float(bool(wanted) and bool(kind) and kind != wanted),
        float(relations.belongs(last.relation, "class")),
        size,
        size * (asked.several is True),
        size * (asked.several is False),
        len(mention.split()) / 3,
        float(exact(program.name)),
        float(within),
        float(_common(mention, asked.lex)),
        float(other is not None and not exact(other)),
        float(other is not None and _common(other.text, asked.lex)),
        float(bool(asked.noun) and stem(asked.noun) in said),
    )


def already_said(asked: Asked, program: Program) -> bool:
    """Whether the question names all that is there: who asks for something does not know it."""
    told = program.last.examples
    said = frozenset(stems(" ".join(told))) <= asked.stems
    return said and 0 < program.last.count <= len(told) and program.last.direction == "out"


def exact(name: Name) -> bool:
    """Whether what it stands for is called so, in any of its names."""
    member = name.found.members[0]
    return fold(name.text) in {fold(n) for n in (member.name, *getattr(member, "aliases", ()))}


def _common(text: str, lex: Lexicon) -> bool:
    """Whether it is a word for a kind or a relation, as “country” is, and likely no name."""
    word = text.casefold()
    return lex.class_of(word) is not None or lex.is_noun(word)


def unread(asked: Asked, program: Program) -> frozenset[str]:
    """Stems of the question that neither a name nor a relation of the program has."""
    used = set(stems(f"{program.name.text} {program.kind} {program.said}"))
    used |= {stem(word) for detail in program.detail for word in _WORDS.findall(detail)}
    for use in all_uses(program):
        used.update(stems(" ".join(names(use.relation))))
    for name in named_in(program):
        used.update(stems(name.text), name.described)
    return asked.stems - used


def nameless(asked: Asked, program: Program) -> str:
    """A word with a capital that no name of the program has: it may pick one of several.

    Who “played Rose in” a film is not its whole cast.
    """
    left = unread(asked, program)
    return next((word for word in asked.capitals if stem(word) in left), "")


def named_in(program: Program) -> list[Name]:
    return [name for name in (program.name, program.beside) if name is not None]


def times(asked: Asked, program: Program) -> list[str]:
    """Times of the question that are no part of a name: not the 2020 of an election."""
    said = " ".join(name.text for name in named_in(program))
    return [time for time in asked.times if time not in said]


def orders(asked: Asked, program: Program) -> list[str]:
    """Words that order, and are read by nothing: no name, no order, no relation has them.

    “First” only says when something began, where a time is asked for; a relation that orders
    itself (“maximum number of players”) has read the word for it (“at most”).
    """
    said = {*program.said.split(), *program.name.text.casefold().split()}
    said |= {"first"} if asked.want == "time" else set()
    ways = [w for use in all_uses(program) for w in fold(use.relation.name).split()]
    read = any(w in _BOUNDS or _EXTREME.fullmatch(w) for w in ways)
    return [w for w in asked.orders if w in _NEGATING or not (read or w in LITTLE or w in said)]


def in_words(asked: Asked, program: Program) -> bool:
    """Whether the question names every relation of the program, and has no other words."""
    about = asked.stems - set(stems(program.name.text))
    said = all(about & set(stems(" ".join(names(use.relation)))) for use in program.uses)
    return said and not unread(asked, program)


def all_uses(program: Program) -> tuple[RelationUse, ...]:
    return (*program.uses, *([program.by] if program.by else []))


def overlooked(asked: Asked, program: Program) -> str:
    """A word that no answer may leave out, and that the program has no part for.

    One that denies (“not”), orders (“youngest”) or dates, a relative (“husband”), and one said
    twice where there is one hop: the advisor of an advisor.
    """
    dated = program.when or program.detail
    for word in (*orders(asked, program), *([] if dated else times(asked, program))):
        return word
    relatives = {root for root in unread(asked, program) if (root,) in asked.lex.kin}
    short = len(program.uses) == 1 and program.beside is None
    twice = asked.twice - set(stems(program.name.text)) if short else frozenset()
    return next((word for word in asked.low if stem(word) in relatives | twice), "")


def another(asked: Asked, program: Program) -> bool:
    """Whether a word of the question asks for a time or place that is not the program's.

    “When was … born” is not answered with the date of death that happens to be known, nor
    “birthplace” with a date.
    """
    use, kinds = program.last, asked.lex.kinds
    if program.detail:
        return False
    if asked.want not in {"time", "place"}:
        kind = kinds.get(fold(use.relation.name)) if use.direction == "out" else ""
        wanted = {kinds[label] for label in asked.meant if label in kinds}
        return kind == "time" and bool(wanted) and kind not in wanted
    said = {label for label in asked.meant if kinds.get(label) == asked.want}
    return bool(said) and not any(
        names(use.relation) & said or _says(use.relation, asked) for use in all_uses(program)
    )


def _says(relation: Relation, asked: Asked) -> bool:
    """Whether a relation of the graph's own leads to a time and is called as the question says.

    “When was … made”: “year made”.
    """
    called = set(stems(relation.name)) - _JOINING
    return relation.datatype == "time" and bool(called & asked.stems)


def backwards(program: Program) -> bool:
    """Whether the question has the relation as the name's own, and the program goes against it.

    The mother of X is not whom X is the mother of.
    """
    first = program.uses[0]
    if first.direction == "out" or first.relation.name.endswith((" of", " by")):
        return False
    label = set(stems(first.relation.name)) - _JOINING
    return any(
        stem(found["before"] or found["after"]) in label
        for found in _OWN.finditer(program.name.asked)
    )


def of_who_asks(asked: Asked, program: Program) -> bool:
    """Whether the name is only somebody's own (“my postman”), and no thing of the graph."""
    text = re.escape(program.name.text)
    return program.name.text.islower() and bool(
        re.search(rf"\b(?:my|our|your|his|her|their) {text}\b", asked.question, re.IGNORECASE)
    )


def strange(asked: Asked, program: Program) -> str:
    """A word nobody knows that the program leaves out: of several it may name the one."""
    left = unread(asked, program) - _GENERAL - {stem(w) for w in LITTLE | AUX}
    return next((w for w in asked.low if stem(w) in left and not asked.lex.knows(w)), "")


def scale(asked: Asked) -> tuple[str, Measure] | None:
    """The word that orders what is asked for, and what it measures: “youngest”, “most populous”."""
    for word, after in zip(asked.low, [*asked.low[1:], ""], strict=True):
        if word == "most" and after in asked.lex.adjectives:
            return f"most {after}", asked.lex.adjectives[after]
        if word in asked.lex.superlatives and word in asked.lex.adjectives:
            return word, asked.lex.adjectives[word]
    return None


def wanted_details(asked: Asked) -> list[tuple[str, ...]]:
    """Qualifiers that the question may ask for: by a noun that names them, or as a time."""
    nouns = [(stem(word),) for word in dict.fromkeys(asked.low)]
    known = asked.lex.qualifiers
    found = [known[noun] for noun in nouns if noun in known]
    return list(dict.fromkeys([*([TIMES] if asked.want == "time" else []), *found]))


def left_out(asked: Asked, program: Program) -> tuple[float, ...]:
    """How much that changes what is asked the program has no part for.

    Other names, words with capitals, words that order or exclude, words that the lexicon gives
    another relation (“husband”), times, and whether one is said twice where there is one hop.
    """
    left = unread(asked, program)
    others = [
        n for n in apart(asked, program)
        if (" " in n.text or n.text != n.text.lower()) and set(stems(n.text)) & left
    ]  # fmt: skip
    capitals = sum(stem(word) in left for word in asked.capitals)
    ways = frozenset(name for use in all_uses(program) for name in names(use.relation))
    foreign = 0
    for word in left - _GENERAL:
        entries = asked.lex.entries.get((word,), [])
        known = any(ways & set(way) for e in entries for way in e.relations)
        foreign += (bool(entries) and not known) or (word,) in asked.lex.kin
    short = len(program.uses) == 1 and program.beside is None
    twice = short and bool(asked.twice - set(stems(program.name.text)))
    return (
        min(2.0, len(others)),
        min(2.0, capitals),
        min(2.0, len(orders(asked, program))),
        min(2.0, foreign),
        float(bool(times(asked, program)) and not program.when and not program.detail),
        float(twice),
    )


def apart(asked: Asked, program: Program) -> list[Name]:
    """Names of the question that the program has no part for."""
    used = [fold(n.text) for n in named_in(program)]
    return [
        n for n in asked.called if not any(fold(n.text) in u or u in fold(n.text) for u in used)
    ]


def shares(ranked: Sequence[Ranked]) -> list[float]:
    """How the belief is shared among the programs, in their order; the sum is 1."""
    top = ranked[0].score
    raw = [math.exp(r.score - top) for r in ranked]
    total = sum(raw)
    return [x / total for x in raw]


def evidence(asked: Asked, ranked: Sequence[Ranked], size: int = 1) -> tuple[float, ...]:
    """One number for each of SURE: what speaks for and against the best program.

    `size`: of what it found; one, where it was not carried out yet.
    """
    first, f = ranked[0], dict(zip(FEATURES, ranked[0].features, strict=True))
    gap = first.score - ranked[1].score if len(ranked) > 1 else 5.0
    return (
        1.0,
        shares(ranked)[0],
        f["cosine"],
        min(5.0, gap) / 5,
        len(unread(asked, first.program)) / max(1, len(asked.stems)),
        *(f[name] for name in SURE[5:17]),  # those that the first layer has, too
        float(bool(first.program.kind)),
        float(bool(first.program.order)),
        float(first.program.operator == "count"),
        *left_out(asked, first.program),
        math.log(max(1, size)) / 3,
        float(size > 1 and bool(strange(asked, first.program))),
    )


def sureness(asked: Asked, ranked: Sequence[Ranked], size: int = 1) -> float:
    """The chance that the best program is right, as measured on questions held apart."""
    return _chance(fitted().sure, evidence(asked, ranked, size))


def opinion(
    asked: Asked, taken: Ranked, ranked: Sequence[Ranked], *, more: bool, guess: bool
) -> tuple[float, ...]:
    """One number for each of OPINION: what speaks against `taken`, the way the rules went.

    `more`: that the rules did more than follow relations; `guess`: that they are unsure.
    """
    f = dict(zip(FEATURES, taken.features, strict=True))
    others, capitals, orders, foreign, *_ = left_out(asked, taken.program)
    return (
        1.0,
        min(8.0, ranked[0].score - taken.score) / 4,
        f["below best"],
        f["cosine"],
        f["words unread"],
        f["hops"],
        float(more),
        f["kind differs"],
        f["name exact"],
        others,
        capitals,
        orders,
        foreign,
        float(guess),
    )


def wrongness(given: Sequence[float]) -> float:
    """The chance that a reading of the rules is wrong, of one number for each of OPINION."""
    return _chance(fitted().opinion, given)


def _chance(weights: Sequence[float], given: Sequence[float]) -> float:
    z = sum(w * x for w, x in zip(weights, given, strict=True))
    return 1 / (1 + math.exp(-z))
