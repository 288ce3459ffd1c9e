"""The ranker: what a question means is looked for among what the graph offers, not in rules.

Programs around the names of the question are listed, scored by a log-linear model over a dozen
features (meaning.py gives the first, how near the question is to the way in words), and the best
is carried out. How sure that is, is a second small model: below one threshold the ranker
abstains, above another it is certain. Both models and thresholds are in `assets/ranker`, made by
`make train`; docs/ranker.md says from what.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from kgqa_core.facts import relations
from kgqa_core.facts.terms import RelationUse
from kgqa_core.reader import programs
from kgqa_core.reader.acting import Found, View
from kgqa_core.reader.grammar import AUX
from kgqa_core.reader.lexicon import Lexicon
from kgqa_core.reader.meaning import FOLDER, Meaning
from kgqa_core.reader.paths import words
from kgqa_core.reader.programs import Name, Program, carried_out, longer, one_hop
from kgqa_core.reader.resolve import Resolver, names
from kgqa_core.reader.words import tokenise
from kgqa_core.text import fold, singular, stem, stems

BEAM = 3  # first hops that are followed to see what lies behind
_SHORTLIST = 60  # two-hop programs kept of all
_LOOKED_UP = 4  # stretches of words, where no name was found
_ENOUGH = 0.8  # of one hop, when two are not looked at
_LITTLE = frozenset(
    "the a an of in on at to for from by with and or is are was were be been do does did has have "
    "had what which who whom whose where when how many much long that this these those it its "
    "his her their he she they give me list name tell show all any some every there as".split()
)
_SUPERLATIVE = frozenset(
    "most least first last latest earliest oldest youngest second third fewest more less than "
    "before after between together average total same different only not never without other "
    "else another both".split()
)
_NUMBER = re.compile(r"[-+]?[\d.,]+(?: .*)?")
_EXTREME = re.compile(r"\w{2,}(?:i|g|h|l|d|t|r)est")
_GENERAL = frozenset(stem(w) for w in "name call known example title type kind".split())
_NEGATING = frozenset("not never without else".split())
_WANTS = {"who": "person", "whom": "person", "where": "place", "when": "time"}
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
class Read:
    """What the ranker came to: the program, what it found, and how sure that is."""

    program: Program
    found: Found
    sure: float
    certain: bool


@dataclass(frozen=True)
class Fitted:
    """The log-linear layer, the layer that says how sure, and its thresholds."""

    features: tuple[float, ...]
    sure: tuple[float, ...]
    answer: float
    certain: float


@lru_cache(maxsize=1)
def fitted() -> Fitted:
    """Raises OSError where the file is not there."""
    given = json.loads((FOLDER / "weights.json").read_text(encoding="utf-8"))
    return Fitted(
        tuple(given["features"][name] for name in FEATURES),
        tuple(given["sure"][name] for name in SURE),
        given["thresholds"]["answer"],
        given["thresholds"]["certain"],
    )


FEATURES = (
    "cosine", "below best", "words shared", "words unread", "hops", "backwards", "joined",
    "kind fits", "kind differs", "class", "log size", "name words", "name exact", "name within",
    "noun is label",
)  # fmt: skip
SURE = (
    "constant", "share", "cosine", "margin", "words unread", "kind fits", "kind differs",
    "weighty words", "name exact", "hops", "joined", "names unused", "yes or no",
)  # fmt: skip


class Asked:
    """What the ranker knows of a question before it looks at the graph."""

    def __init__(self, question: str) -> None:
        tokens = tokenise(question)
        low = [t.low for t in tokens]
        self.question = question
        self.yes_no = bool(low) and low[0] in AUX
        self.count = "many" in low[:4] and "how" in low[:3]
        self.noun = _noun(low)
        self.want = next((_WANTS[w] for w in low[:3] if w in _WANTS), "")
        if self.count or " ".join(low[:2]) in {"how much", "how tall", "how high", "how far"}:
            self.want = "number"
        self.want = _WANTED.get(self.noun, self.want) if not self.count else self.want
        spans = [t.span for t in tokens if t.span is not None and t.span.test == "during"]
        self.when = spans[0].value if len(spans) == 1 and not spans[0].until else ""
        past = bool({"was", "were", "did", "had"} & set(low))
        self.now = not past or bool({"current", "currently", "now"} & set(low))
        content = re.findall(r"\w+", fold(question))
        self.stems = frozenset(stem(w) for w in content if w not in _LITTLE)
        words_ = [stem(w) for w in content if w not in _LITTLE]
        self.twice = frozenset(w for w in words_ if words_.count(w) > 1)
        self.capitals = [t.low for t in tokens[1:] if t.cap and t.low not in _LITTLE]
        self.times = [t.text for t in tokens if t.span is not None]
        self.orders = [w for w in low if w in _SUPERLATIVE or _EXTREME.fullmatch(w)]
        extreme = any(_EXTREME.fullmatch(w) for w in low)
        self.weighty = len(_SUPERLATIVE & set(low)) + extreme


def _noun(low: Sequence[str]) -> str:
    """What the question calls the answer: “which *river* …”."""
    for at, word in enumerate(low[:3]):
        if word in {"what", "which"} and at + 1 < len(low) and low[at + 1] not in AUX:
            return singular(low[at + 1])
    return ""


class Ranker:
    """Answers from a view of a graph; reads its weights at the first question."""

    def __init__(self, meaning: Meaning | None = None) -> None:
        self.meaning = meaning or Meaning()

    def solve(
        self, question: str, mentions: Sequence[str], view: View, resolver: Resolver
    ) -> Read | str:
        """The likeliest program that leads to values, or why there is none.

        Raises Need for a step that the walk has not taken yet, and SettingsError without weights.
        """
        asked = Asked(question)
        nouns = [m for m in mentions if not resolver.lex.is_verb(m.casefold())]
        called = named(question, nouns, view)
        if not called:
            return "The graph has none of the names in the question."
        ranked = self.ranked(asked, called, resolver)
        if not ranked:
            return "The graph has nothing around the names in the question."
        if shares(ranked)[0] < _ENOUGH or unread(asked, ranked[0].program):
            ranked = self.deeper(asked, called, ranked, view, resolver)
        return self.settled(asked, called, ranked, view, resolver.lex)

    def settled(
        self,
        asked: Asked,
        called: Sequence[Name],
        ranked: Sequence[Ranked],
        view: View,
        lex: Lexicon,
    ) -> Read | str:
        best = self.finished(asked, ranked[0].program)
        sure = sureness(asked, called, ranked)
        if sure < fitted().answer or asked.yes_no:
            return f"The nearest reading, {best.reading()}, is too far from the question."
        if word := overlooked(asked, called, best, lex):
            return f"The nearest reading, {best.reading()}, leaves out “{word}”."
        found = carried_out(best, view)
        if not found.size:
            return f"Read as {best.reading()}: the graph has nothing there."
        if best.when not in {"", "now"} and not found.certain:
            return f"Read as {best.reading()}: the graph does not say when."
        # what points backwards is rarely all there is, and a count needs all of it
        partial = best.operator == "count" and best.last.direction == "in"
        certain = sure >= fitted().certain and found.certain and not partial
        return Read(best, found, sure, certain)

    @staticmethod
    def finished(asked: Asked, program: Program) -> Program:
        """The program with the count or time that the question asks for."""
        last = program.last
        when = asked.when
        if not when and asked.now and _changes(last):
            when = "now"
        counted = asked.count and not _numbers(last)
        return replace(program, operator="count" if counted else "", when=when)

    def ranked(self, asked: Asked, called: Sequence[Name], resolver: Resolver) -> list[Ranked]:
        """All programs of one hop, the likeliest first."""
        return self._scored(asked, called, [p for n in called for p in one_hop(n)], resolver)

    def deeper(
        self,
        asked: Asked,
        called: Sequence[Name],
        ranked: Sequence[Ranked],
        view: View,
        resolver: Resolver,
    ) -> list[Ranked]:
        """With the programs of two hops and two names behind the likeliest first hops."""
        more: list[Program] = []
        for r in self.beam(ranked):
            found = programs.follow(r.program.name.found, r.program.last, view, r.program.name.text)
            more += longer(r.program, found, called)
        if len(more) > _SHORTLIST:
            near = self._scored(asked, called, more, resolver)
            more = [r.program for r in near[:_SHORTLIST]]
        every = [*(r.program for r in ranked), *more]
        return self._scored(asked, called, every, resolver)

    @staticmethod
    def beam(ranked: Sequence[Ranked]) -> list[Ranked]:
        return [r for r in ranked if not _literal(r.program)][:BEAM]

    def _scored(
        self,
        asked: Asked,
        called: Sequence[Name],
        found: Sequence[Program],
        resolver: Resolver,
    ) -> list[Ranked]:
        if not found:
            return []
        near = self.nearness(found)
        best = max(near)
        weights = fitted().features
        out = []
        for program, cosine in zip(found, near, strict=True):
            f = features(asked, called, program, cosine, best, resolver)
            out.append(Ranked(program, f, sum(w * x for w, x in zip(weights, f, strict=True))))
        return sorted(out, key=lambda r: -r.score)

    def nearness(self, found: Sequence[Program]) -> list[float]:
        """How near each program is to the question; with two names, as near as both on average."""
        cosines: dict[tuple[str, str], float] = {}
        pairs: dict[str, list[str]] = {}
        for p in found:
            pairs.setdefault(p.name.asked, []).append(p.way)
            if p.beside and p.by:
                pairs.setdefault(p.beside.asked, []).append(_by(p))
        for asked, ways in pairs.items():
            ways = list(dict.fromkeys(ways))
            for way, c in zip(ways, self.meaning.cosines(asked, ways), strict=True):
                cosines[asked, way] = c
        out = []
        for p in found:
            near = cosines[p.name.asked, p.way]
            if p.beside and p.by:
                near = (near + cosines[p.beside.asked, _by(p)]) / 2
            out.append(near)
        return out


def _by(p: Program) -> str:
    assert p.by is not None
    return words([programs.hop(p.by)])


def named(question: str, mentions: Sequence[str], view: View) -> list[Name]:
    """The names of the question that the graph has, each with the question seen from it.

    Where it has none of those that were looked up, parts of the question are.
    """
    out: dict[str, Name] = {}
    for text in mentions:
        _name(question, text, view, out)
    for text in () if out else spans(question):
        _name(question, text, view, out)
    return list(out.values())


def _name(question: str, text: str, view: View, out: dict[str, Name]) -> None:
    found = view.anchor(text, "")
    if found is not None and found.size:
        text = text.strip(" ?.,!")
        out.setdefault(text, Name(text, found, programs.masked(question, text)))


def spans(question: str) -> list[str]:
    """Stretches of words that may be a name, longest first: with capitals, if there are any."""
    low = question[1:] == question[1:].lower()
    runs: list[list[str]] = [[]]
    for n, t in enumerate(tokenise(question)):
        fits = t.low not in _LITTLE and t.span is None if low else t.cap and t.low not in _LITTLE
        if fits and (n or low or t.low not in AUX):
            runs[-1].append(t.text)
        elif runs[-1]:
            runs.append([])
    found = [
        " ".join(run[i:j])
        for run in runs
        for i in range(len(run))
        for j in range(i + 1, min(len(run), i + 4) + 1)
    ]
    return sorted(dict.fromkeys(found), key=lambda text: -len(text.split()))[:_LOOKED_UP]


def features(
    asked: Asked,
    called: Sequence[Name],
    program: Program,
    cosine: float,
    best: float,
    resolver: Resolver,
) -> tuple[float, ...]:
    """One number for each of FEATURES."""
    last = program.last
    said = frozenset(stems(" ".join(names(last.relation))))
    label = frozenset(stems(last.relation.name)) - {"of", "by", "in", "is", "has"}
    kind = resolver.kind_of(last)
    wanted = asked.want
    mention = program.name.text
    member = program.name.found.members[0]
    exact = fold(mention) in {fold(n) for n in (member.name, *getattr(member, "aliases", ()))}
    within = any(o.text != mention and fold(mention) in fold(o.text) for o in called)
    left = unread(asked, program)
    return (
        cosine,
        best - cosine,
        len(label & asked.stems) / max(1, len(label)),
        len(left) / max(1, len(asked.stems)),
        len(program.uses) - 1.0,
        float(last.direction == "in"),
        float(program.beside is not None),
        float(bool(wanted) and kind == wanted),
        float(bool(wanted) and bool(kind) and kind != wanted),
        float(relations.belongs(last.relation, "class")),
        math.log1p(last.count / max(1, program.name.found.size)),
        len(mention.split()) / 3,
        float(exact),
        float(within),
        float(bool(asked.noun) and stem(asked.noun) in said),
    )


def unread(asked: Asked, program: Program) -> frozenset[str]:
    """Stems of the question that neither a name nor a relation of the program has."""
    used = set(stems(program.name.text))
    for use in _all_uses(program):
        used.update(stems(" ".join(names(use.relation))))
    if program.beside:
        used.update(stems(program.beside.text))
    return asked.stems - used


def _all_uses(program: Program) -> tuple[RelationUse, ...]:
    return (*program.uses, *([program.by] if program.by else []))


def overlooked(asked: Asked, called: Sequence[Name], program: Program, lex: Lexicon) -> str:
    """A word that changes what is asked, and that the program has no part for: “youngest”.

    So does another name, a time, a word that the lexicon gives another relation (“husband”), and
    one said twice where there is one hop: the advisor of an advisor.
    """
    left = unread(asked, program)
    if asked.times and not asked.when:
        return asked.times[0]
    for name in apart(called, program):
        if " " in name.text or name.text != name.text.lower():
            return name.text
    for word in asked.capitals:
        if stem(word) in left:
            return word
    for word in asked.orders:
        if word in _LITTLE or stem(word) in left or word in _NEGATING:
            return word
    ways = frozenset(name for use in _all_uses(program) for name in names(use.relation))
    for word in sorted(left):
        entries = lex.entries.get((word,), []) if word not in _GENERAL else []
        if entries and not any(ways & set(way) for e in entries for way in e.relations):
            return word
        if (word,) in lex.kin:
            return word
    if len(program.uses) == 1 and program.beside is None:
        said = stems(program.name.text)
        return next((w for w in sorted(asked.twice) if w not in said), "")
    return ""


def apart(called: Sequence[Name], program: Program) -> list[Name]:
    """Names of the question that the program has no part for."""
    used = [fold(n.text) for n in (program.name, program.beside) if n is not None]
    return [n for n in called if not any(fold(n.text) in u or u in fold(n.text) for u in used)]


def shares(ranked: Sequence[Ranked]) -> list[float]:
    """How the belief is shared among the programs, in their order; the sum is 1."""
    top = ranked[0].score
    raw = [math.exp(r.score - top) for r in ranked]
    total = sum(raw)
    return [x / total for x in raw]


def doubts(asked: Asked, called: Sequence[Name], ranked: Sequence[Ranked]) -> tuple[float, ...]:
    """One number for each of SURE: what speaks for and against the best program."""
    first, f = ranked[0], dict(zip(FEATURES, ranked[0].features, strict=True))
    gap = first.score - ranked[1].score if len(ranked) > 1 else 5.0
    return (
        1.0,
        shares(ranked)[0],
        f["cosine"],
        min(5.0, gap) / 5,
        f["words unread"],
        f["kind fits"],
        f["kind differs"],
        min(2.0, asked.weighty),
        f["name exact"],
        f["hops"],
        f["joined"],
        float(len(apart(called, first.program))),
        float(asked.yes_no),
    )


def sureness(asked: Asked, called: Sequence[Name], ranked: Sequence[Ranked]) -> float:
    """The chance that the best program is right, as measured on questions held apart."""
    z = sum(w * x for w, x in zip(fitted().sure, doubts(asked, called, ranked), strict=True))
    return 1 / (1 + math.exp(-z))


def _changes(use: RelationUse) -> bool:
    """Whether what holds now is meant by a question in the present."""
    if use.direction == "in":
        return relations.belongs(use.relation, "changes hands")
    return relations.belongs(use.relation, "changes")


def _literal(program: Program) -> bool:
    examples = program.last.examples
    return (
        program.last.direction == "out"
        and bool(examples)
        and all(re.fullmatch(r"[-+]?\d[\d.,\-]*.*", e) is not None for e in examples)
    )


def _numbers(use: RelationUse) -> bool:
    """Whether it leads to numbers: these are an answer to “how many”, not to be counted."""
    return bool(use.examples) and all(_NUMBER.fullmatch(e) for e in use.examples)
