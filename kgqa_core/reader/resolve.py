"""A phrase → the relations of the graph it may mean, best first.

Only relations that are present around the current set are considered, so the graph's own
vocabulary decides: labels and aliases first, the lexicon for what labels do not say, then
parts of labels, typing errors.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from rapidfuzz import fuzz, process
from rapidfuzz.distance import OSA

from kgqa_core.facts import relations
from kgqa_core.facts.terms import Direction, Relation, RelationUse, short_id
from kgqa_core.reader.grammar import PREPOSITIONS
from kgqa_core.reader.lexicon import Entry, Lexicon
from kgqa_core.reader.plan import Form
from kgqa_core.text import fold, stem, stems

_LITTLE = frozenset(
    stem(w) for w in "of by in at to for from the a an has is with on and or be have do get".split()
)
_LINKING = frozenset("in on at from by with of have".split())  # said of whatever belongs together
_OF_WHATEVER = (  # may be said of whatever is there
    "live stay stand sit lie hang grow sleep happen be come go see find keep store hold get turn"
    " show up take spot grown kept found seen stood held went came"
)
_BEING = frozenset(map(stem, _OF_WHATEVER.split()))
_GENERIC = frozenset((stem(w),) for w in "type kind sort class category group size".split())
_BESIDE_NOUNS = frozenset({stem("national")})  # a national bird is no national of a country
_PLACING = frozenset(stem(w) for w in "behind above below next near first together".split())
_ALIKE = 88  # of 100, for typing errors
_SPELLED = 6  # letters from which a word may be a mistyped one
_LETTERS = 2  # that differ at most in a mistyped name of a relation
_LEAST = 0.45  # below this a candidate is dropped
_FOREIGN_ALIAS = 0.74  # of an alias, when the lexicon takes the phrase for other relations
CLEAR = 0.75  # a candidate with this score is no guess
_TIME = re.compile(
    r"^-?\d{3,4}(-\d\d(-\d\d)?.*)?$|"
    r"^(\d{1,2} )?([A-Z][a-z]+ )?(\d{3,4}( BC)?|\d{1,2} BC|AD \d{1,2})$",
    re.ASCII,
)
_A_YEAR = re.compile(r"^(1\d|20)\d\d$", re.ASCII)
_NUMBER = re.compile(r"^-?[\d.,]+( [a-z².]+)*$")


@dataclass(frozen=True)
class Candidate:
    """Relations a phrase may mean, to be followed together; a low score is a guess."""

    uses: tuple[RelationUse, ...]
    score: float

    @property
    def use(self) -> RelationUse:
        return self.uses[0]

    @property
    def guess(self) -> bool:
        return self.score < CLEAR


class Resolver:
    def __init__(self, lex: Lexicon) -> None:
        self.lex = lex

    def candidates(
        self,
        phrase: str,
        form: Form,
        uses: Sequence[RelationUse],
        *,
        want: str = "",
        prep: str = "",
        noun: str = "",
    ) -> list[Candidate]:
        """What the phrase may mean around a set with these relations.

        `noun` is what the question calls the values ("which *sport* does X play").
        """
        hint = set(_content(noun)) if noun else set()
        scored: dict[tuple[RelationUse, ...], float] = {}

        def offer(found: tuple[RelationUse, ...], score: float) -> None:
            score *= min(self._fits(u, want) for u in found)
            if hint and score:
                contents = [set(_content(name)) for u in found for name in names(u.relation)]
                score += 0.2 if hint in contents else 0.1 * any(hint <= c for c in contents)
            if score > _LEAST and score > scored.get(found, 0):
                scored[found] = score

        for entry, trust in self._entries(phrase, prep, form):
            for rank, way in enumerate(entry.relations):
                for direction, faith in _directions(entry, form, want):
                    known = (called(label, direction, uses) for label in way)
                    found = tuple(u for u in known if u is not None)
                    if found:
                        alias = rank > 0 and fold(found[0].relation.name) not in way
                        offer(found, trust * faith * (1 - 0.03 * rank) * (0.74 if alias else 1))
        for use in uses:
            score = self._by_label(phrase, form, use, want)
            if score:
                offer((use,), score)
        if not scored:
            for use in uses:
                offer((use,), self._by_likeness(phrase, use))
        if not scored and len(uses) == 1 and in_own_words(uses[0]):
            said = [w for w in f"{phrase} {prep}".split() if w not in _LINKING]
            thing = want != "place" and not relations.belongs(uses[0].relation, "class")
            if not said or (form != "role" and thing and all(stem(w) in _BEING for w in said)):
                offer((uses[0],), CLEAR)
        ranked = sorted(
            scored.items(),
            key=lambda item: (
                -item[1],
                not _is_called(item[0][0], phrase),  # its capital, and not what is capital of it
                form == "agent" and item[0][0].direction == "in" and in_own_words(item[0][0]),
                -sum(u.count for u in item[0]),
                item[0][0].relation.id,
            ),
        )
        return [Candidate(found, score) for found, score in ranked]

    def schema(
        self, phrase: str, form: Form, *, want: str = "", prep: str = "", most: int = 3
    ) -> list[tuple[str, Direction]]:
        """What the phrase may mean in any graph: names of relations and their direction.

        Empty for a phrase that the lexicon does not have. Names that suit what is wanted first.
        """
        found: dict[tuple[str, Direction], bool] = {}
        for entry, _ in self._entries(phrase, prep, form):
            direction = _directions(entry, form, want)[0][0]
            for label in (label for way in entry.relations for label in way):
                suits = not want or self.lex.kinds.get(label, want) == want
                found.setdefault((label, direction), suits)
        fit = [key for key, suits in found.items() if suits]
        return (fit or list(found))[:most]

    def _entries(self, phrase: str, prep: str, form: Form) -> list[tuple[Entry, float]]:
        """Lexicon entries: of the whole phrase, with its preposition, or of its main word."""
        kind = "noun" if form in ("role", "holder") else "verb"
        whole = stems(phrase)
        bare = tuple(w for w in whole if w not in _LITTLE)
        keys: list[tuple[tuple[str, ...], float]] = [(whole, 1.0)]
        if prep:
            keys.insert(0, ((*whole, prep), 1.0))
        if bare and bare != whole:
            keys.append((bare, 0.96))
        if len(whole) > 1 and whole[-1] in _LITTLE:
            keys.append((whole[:-1], 0.97))
        if len(bare) > 1:
            tails = [k for k in range(1, len(bare)) if bare[k:] not in _GENERIC]
            heads = list(range(len(bare) - 1, 0, -1))
            if kind == "verb":  # the Berlin wall built is no Berlin built
                tails = [k for k in tails if all(map(self._slight, bare[:k]))]
                heads = [k for k in heads if all(map(self._slight, bare[k:]))]
            else:
                heads = [k for k in heads if bare[k - 1] not in _BESIDE_NOUNS]
            keys += [(bare[k:], 0.72) for k in tails] + [(bare[:k], 0.68) for k in heads]
        out: list[tuple[Entry, float]] = []
        for key, trust in keys:
            entries = self.lex.find(key, kind)
            own = [e for e in entries if e.kind == kind]
            out += [(e, trust if e.kind == kind else trust * 0.9) for e in own or entries]
            if out:
                break
        if not out and len(phrase) >= _SPELLED and " " not in phrase:
            known = self.lex.verb_words if kind == "verb" else self.lex.noun_words
            meant = process.extractOne(phrase, sorted(known), scorer=OSA.distance, score_cutoff=1)
            if meant is not None:  # recieve: one letter more, less or other, or two exchanged
                out = [(e, 0.85) for e in self.lex.find(stems(meant[0]), kind) if e.kind == kind]
        return out

    def _slight(self, root: str) -> bool:
        """Whether a word may be left out of a phrase: one with a meaning of its own, no name."""
        return self.lex.has(root) or root in _PLACING

    def _by_label(self, phrase: str, form: Form, use: RelationUse, want: str) -> float:
        """Agreement with label and aliases, less for the unlikely direction."""
        asked = _content(phrase)
        if not asked:
            return 0.0
        best = 0.0
        kind = "noun" if form in ("role", "holder") else "verb"
        entries = [e for e in self.lex.entries.get(stems(phrase), []) if e.kind == kind]
        known = bool(entries)
        label = fold(use.relation.name)
        freely = {stem(w) for w in phrase.split() if w.endswith("ly")}  # secretly directed
        if any(label in way for e in entries for way in e.relations):
            return 0.0  # the lexicon says which way it runs
        for n, name in enumerate(sorted(names(use.relation), key=lambda x: x != label)):
            content = _content(name)
            if not content:
                continue
            if fold(phrase) == name:
                score = 1.0
            elif known and len(stems(phrase)) > 1 and stems(phrase) != stems(name):
                continue  # the lexicon has it with its preposition: to die of is not to die
            elif asked == content:
                score = 0.95
            elif set(asked) == set(content):
                score = 0.9
            elif known and not (want == "time" and self.kind_of(use) == "time"):
                continue  # the lexicon has it: "mother" is no "mother tongue"
            elif set(asked) < set(content):
                score = 0.45 + 0.4 * len(asked) / len(content)
            elif content in _GENERIC or (kind == "noun" and set(content) <= _BESIDE_NOUNS):
                continue  # a blood type is no type
            elif kind == "verb" and not all(map(self._slight, set(asked) - set(content) - freely)):
                continue  # who “plays Zed in” a film is not whoever plays in it
            elif set(content) < set(asked):
                score = 0.4 + 0.4 * len(content) / len(asked)
            else:
                continue
            if n:
                score *= _FOREIGN_ALIAS if known and score > CLEAR else 0.93
            if use.direction != expected(name, form):
                if self.lex.entries.get(stems(phrase)):
                    continue
                score *= 0.75 if want in {"time", "number"} else 0.45 if want == "place" else 0.62
            best = max(best, score)
        if want == "place" and form == "agent" and use.direction == "in":
            best *= 0.5  # whoever plays for a club is no place
        return best

    def _by_likeness(self, phrase: str, use: RelationUse) -> float:
        asked = " ".join(_content(phrase))
        if len(asked) < 4:
            return 0.0
        best = max((fuzz.ratio(fold(phrase), name) for name in names(use.relation)), default=0.0)
        best = max(best, max(fuzz.ratio(asked, " ".join(_content(n))) for n in names(use.relation)))
        far = min(OSA.distance(fold(phrase), name) for name in names(use.relation))
        return 0.6 * best / 100 if _ALIKE - 6 <= best < 100 and far <= _LETTERS else 0.0

    def kind_of(self, use: RelationUse) -> str:
        """person, place, time or number, as far as label or examples say; else empty."""
        if use.direction == "in":
            return ""
        for name in (fold(use.relation.name), fold(relations.code(use.relation.id))):
            if name in self.lex.kinds:
                return self.lex.kinds[name]
        label = fold(use.relation.name)
        if re.search(r"\b(date|time|year)\b", label) and "zone" not in label:
            return "time"
        if re.search(r"\bnumber of\b", label):
            return "number"
        time = _A_YEAR if use.relation.datatype == "quantity" else _TIME  # 210 is a depth
        if use.examples and all(time.match(e) for e in use.examples):
            return "time"
        if use.examples and all(_NUMBER.match(e) for e in use.examples):
            return "number"
        return ""

    def _fits(self, use: RelationUse, want: str) -> float:
        """How well the values suit what is wanted; 0 when they cannot."""
        if not want or want in {"work", "thing"}:
            return 1.0
        kind = self.kind_of(use)
        literal = kind in {"time", "number"}
        if want in {"time", "number"}:
            return 1.0 if kind == want else 0.0 if kind or use.direction == "in" else 0.35
        if literal:
            return 0.0
        if kind == want:
            return 1.0
        return 0.9 if not kind else 0.4


def in_own_words(use: RelationUse) -> bool:
    """Whether whoever made the graph called the relation so: it is no P17 of a wide vocabulary."""
    return not short_id(use.relation.id)[1:].isdigit()


def called(label: str, direction: Direction, uses: Sequence[RelationUse]) -> RelationUse | None:
    """The relation with this label, else the most used one with this alias."""
    near = [u for u in uses if u.direction == direction]
    exact = [u for u in near if fold(u.relation.name) == label]
    return next(iter(exact or [u for u in near if label in names(u.relation)]), None)


def names(relation: Relation) -> frozenset[str]:
    """Label, aliases and short id, folded; of another vocabulary Wikidata's label, too."""
    known = relations.about(relation.name)
    also = known.labels if known is not None and relation.name != known.label else ()
    return _folded((relation.label, *relation.aliases, short_id(relation.id), *also))


@lru_cache(maxsize=5_000)
def _folded(texts: tuple[str, ...]) -> frozenset[str]:
    return frozenset(fold(text) for text in texts if text)


@lru_cache(maxsize=20_000)
def _content(text: str) -> tuple[str, ...]:
    found = stems(text)
    return tuple(w for w in found if w not in _LITTLE) or found


def _is_called(use: RelationUse, phrase: str) -> bool:
    return use.direction == "out" and fold(use.relation.name) == fold(phrase)


def _directions(entry: Entry, form: Form, want: str) -> list[tuple[Direction, float]]:
    if entry.runs == "*":
        return [("out", 1.0), ("in", 0.98)]
    forward = form in ("role", "agent")
    direct: Direction = "out" if (entry.runs == "+") == forward else "in"
    done_to = entry.kind == "verb" and form == "agent" and direct == "in"
    if done_to and want in {"time", "place", "number"}:
        return [("out", 0.9), ("in", 0.9)]  # "when was it built": an adjunct, not the builder
    return [(direct, 1.0)]


def expected(name: str, form: Form) -> Direction:
    """Which way a relation named like this is followed, for a noun or a verb."""
    last = name.split()[-1]
    if form in ("role", "holder"):
        back = last == "of"
    else:
        back = last in {"by", "after"} or (
            re.search(r"(er|or|ist|ian)s?$", last) is not None and last not in PREPOSITIONS
        )
    forward = form in ("role", "agent")
    return "in" if back == forward else "out"
