"""What a graph says of its things in words, and which of them a question describes.

A reference work may say of a thing in a sentence what it is: “English runner who was the first
person to run a mile in under 4 minutes”. `Glosses` holds such sentences, clause by clause, and
finds the things of which a question says the same: all words that tell things apart stand in
one clause, and what is asked for is what the clause calls the thing. Nothing here knows a graph.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from kgqa_core.facts.terms import Literal, Relation, Statement
from kgqa_core.text import fold, stem, stems

_LEAST = 0.65  # of what the words of the question tell, by how rare they are
_RARE = 8.0  # and how much that has to be: two words that a fiftieth of the clauses have
_RARE_WHOLE = 6.0  # where nothing is missing
_WORDS = 2  # in common, at least
_NUMBERS = {
    word: str(n)
    for n, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve".split()
    )
}
_ORDINALS = {f"{n}{end}": word for n, end, word in (
    (1, "st", "first"), (2, "nd", "second"), (3, "rd", "third"), (4, "th", "fourth"),
    (5, "th", "fifth"),
)}  # fmt: skip
_LITTLE = frozenset(
    stems(
        "a an the of in on at to for by from with and or as is was are were be been being do does "
        "did has have had who whom whose which what that this these those it its he she they them "
        "his her their i me my we us our you your there can could would will shall please tell so "
        "one also then not any some into out up off about after when while during between world "
        "apart term word name called call known person people someone somebody man thing"
    )
)
_SOFT = frozenset(  # what the other words tell as well: “discovered” for “described”
    stems(
        "discover discovered invent invented inventor describe known make take get use find found "
        "give create created develop developed design designed build become think come keep see "
        "study introduce introduced form feel suffer live work consist contain lie located stand "
        "mean refer type kind sort famous under"
    )
)
_STUDIES = frozenset(stems("study science branch"))
_ASKED = re.compile(r"\b(who|whom|which|what|whose|when|where|how|why)\b", re.IGNORECASE)
_WHETHER = re.compile(
    r"(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|may|might)\b",
    re.IGNORECASE,
)
_HANGING = re.compile(r"\b(?:for|from|with|to|by|of|about|after|in|on|at|like)\s*[?.!]*$")
_END_OF_NOUN = re.compile(
    r"\b(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|of|in|on|at|to|for|by|"
    r"from|with|that|which|who|called|named|we|you|they|people|(?<![-\w])\w+ed|\w{3,}[^su]s|took|gave|made|"
    r"wrote|won|built|found|held|led|began|came|went)\b|[?,.]",
)
_END_OF_GENUS = re.compile(
    r"\b(?:of|in|that|which|who|whom|by|to|for|from|with|on|at|as|used|whose|where|when|into|"
    r"after|between|among|near|against)\b|\("
)
_LESS = re.compile(r"\b(?:\d+(?:st|nd|rd|th)|second|third|fourth|fifth|one of the)\b(?: world's)? ")
_SUPERLATIVE = re.compile(r"\b(?:\w{3,}est|most|first|last|only)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Clause:
    """A part of what is said of a thing, between its semicolons."""

    id: str  # of the thing
    words: frozenset[str]
    genus: frozenset[str]  # what it is called before that is told apart: “English runner”
    text: str


@dataclass(frozen=True)
class Sought:
    """What a question describes: its words, and what it calls the thing; a person for “who”."""

    words: tuple[str, ...]
    noun: str
    person: bool
    text: str


def sought(question: str) -> Sought | None:
    """What a question describes; None where it asks when, where, how, or for yes or no."""
    text = question.strip()
    asked = _ASKED.search(text)
    if _WHETHER.match(text) or _HANGING.search(text):
        return None
    word = asked[1].lower() if asked else ""
    if word in ("when", "where", "how", "why", "whose"):
        return None
    words = tuple(dict.fromkeys(w for w in _stems(text) if w not in _LITTLE))
    noun = ""
    if asked and word in ("which", "what"):
        rest = re.sub(r"^(?:['’]s|is|are|was|were)\b", "", text[asked.end() :].lower().lstrip())
        phrase = re.sub(r"^(?:the|a|an|our|your)\s", "", rest.strip())
        end = _END_OF_NOUN.search(phrase)
        last = (phrase[: end.start()] if end else phrase).split()
        noun = stem(last[-1]) if last else ""
    return Sought(words, noun, word in ("who", "whom"), fold(text)) if words else None


def _stems(text: str) -> list[str]:
    return [_NUMBERS.get(w, _ORDINALS.get(w, w)) for w in stems(text)]


class Glosses:
    """All that a relation says of things in words, looked through by a question's words.

    `said`: ids of things, each with a sentence that the relation states of it.
    """

    def __init__(self, relation: Relation, said: Iterable[tuple[str, str]]) -> None:
        self.relation = relation
        self.clauses = [clause for thing, text in said for clause in _clauses(thing, text)]
        self._with: dict[str, list[int]] = defaultdict(list)
        for at, clause in enumerate(self.clauses):
            for word in clause.words:
                self._with[word].append(at)

    def _tells(self, word: str) -> float:
        """How much a word tells: more, the fewer clauses have it; half, if it may be missing."""
        told = math.log((len(self.clauses) + 1) / (len(self._with.get(word, ())) + 0.5))
        return told / 2 if word in _SOFT else told

    def like(self, wanted: Sought) -> list[tuple[str, float]]:
        """The things that are described as the question does, and how much of it says so.

        Those first of which most is said; the share is that of what the question's words tell.
        """
        total = sum(map(self._tells, wanted.words))
        told: defaultdict[int, float] = defaultdict(float)
        for word in wanted.words:
            for at in self._with.get(word, ()):
                told[at] += self._tells(word)
        best: dict[str, float] = {}
        for at, weight in told.items():
            clause = self.clauses[at]
            rare = _RARE_WHOLE if weight >= total else _RARE
            if weight >= max(_LEAST * total, rare) and _fits(wanted, clause):
                best[clause.id] = max(best.get(clause.id, 0.0), weight / total)
        return sorted(best.items(), key=lambda found: -found[1])

    def says(self, fact: Statement, wanted: Sought) -> bool:
        """Whether it is by this fact that something is described as the question does."""
        text = fact.object.value if isinstance(fact.object, Literal) else ""
        return any(_fits(wanted, clause) for clause in _clauses(fact.subject.id, text))


def _clauses(thing: str, text: str) -> list[Clause]:
    """The parts between semicolons; what the first one calls the thing, the others mean, too."""
    found: list[Clause] = []
    for part in re.split(r"[;:]\s", text):
        bare = re.sub(r"^\([^)]*\)\s*", "", part)
        end = _END_OF_GENUS.search(bare)
        genus = frozenset(_stems(bare[: end.start()] if end else bare))
        if found:
            genus |= found[0].genus
        found.append(Clause(thing, frozenset(_stems(bare)) | genus, genus, bare))
    return found


def _fits(wanted: Sought, clause: Clause) -> bool:
    """Whether nothing that the question says is missing, and it asks for such a thing."""
    if sum(word in clause.words for word in wanted.words) < _WORDS:
        return False
    if any(word not in clause.words and word not in _SOFT for word in wanted.words):
        return False
    nouns = _STUDIES if wanted.noun in _STUDIES else {wanted.noun}
    if wanted.noun and wanted.noun not in _LITTLE and not nouns & clause.genus:
        return False
    if not wanted.person and not wanted.noun and not clause.genus & set(wanted.words):
        return False  # keywords: “telephone inventor”
    return _ranks_alike(wanted, clause)


def _ranks_alike(wanted: Sought, clause: Clause) -> bool:
    """Whether “the first” is first of the same: not the second longest, not the first *woman*."""
    asked = {stem(m[0]) for m in _SUPERLATIVE.finditer(wanted.text)}
    if asked and _LESS.search(clause.text) and not _LESS.search(wanted.text):
        return False
    for found in _SUPERLATIVE.finditer(clause.text):
        behind = re.match(r"\W+([\w']+)", clause.text[found.end() :])
        of = stem(behind[1]) if behind else ""
        if stem(found[0]) in asked and of and of not in {*wanted.words, *_LITTLE, *asked}:
            return False
    return True
