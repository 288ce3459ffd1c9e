"""How the reader splits an answer into claims and judges them: by names, numbers, dates, relations.

It does not understand prose; it looks for what a fact would have to leave in a sentence that
states it: both ends, and a word for the relation. What it cannot pin down is unsupported.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from itertools import combinations
from typing import Any

from pydantic import BaseModel

from kgqa_core import compute, timeline, verbalise
from kgqa_core.normalise import literal
from kgqa_core.reader.lexicon import lexicon
from kgqa_core.reader.words import MONTHS, NUMBER_WORDS, fold, stem
from kgqa_core.skills import (
    LIST_CLAIMS,
    VERIFY_CLAIM,
    AtomicClaim,
    Claims,
    Said,
    ToVerify,
    Verdict,
)
from kgqa_core.terms import NUMBERS, TIMES, YEAR, Entity, Literal, Passage, Statement, Value

# -- listing ---------------------------------------------------------------------------------

_VERDICT = re.compile(r"(Yes|No|True|False|Correct|Incorrect)(?:[:,.]\s*|$)")
_COUNTED = re.compile(r"([\d,.]+)(?::\s.*|\.)?$")
_LOGGED = re.compile(r"“(?P<question>.+)” gave (?P<names>.+?)\.?$")
_MORE = re.compile(r" \(and \d+ more\)|,? and \d+ more(?=[.;]|$)")
_JOINED = re.compile(r"\s*(?:;|,? and|,? but)\s+(?=(?:he|she|it|they)\b)|\s*;\s*")
_SAME_SUBJECT = re.compile(
    r",? and (?=(?:is|was|are|were|has|had|died|lived|won|wrote|made|became|received|directed|"
    r"played|starred|married|founded|located|born)\b)"
)
_VERBS = frozenset(
    "is was are were has have had did does do died lived won wrote made became received directed "
    "played starred married founded can could will would may might must".split()
)
_PRONOUN = re.compile(r"\b(?:he|she|it|they|his|her|its|their|who|which|this|that)\b")
_NAME = re.compile(
    r"(?:[A-ZÀ-Þ][\w'’.&-]*|\d+(?=\s+[A-Z]))(?:\s+(?:(?:of|on|the|de|van|von|da|del|la|le|for|in)"
    r"\s+)*[A-ZÀ-Þ][\w'’.&-]*)*"
)
_NOT_NAMES = frozenset(
    "the a an in on at by for from of to with and or but if as yes no he she it they his her its "
    "their this that these those there both all some most many when where who what which how "
    "since because therefore thus so after before during however also answer people person someone "
    "anyone everyone nobody every each any only one two none living dead".split()
)


def list_claims(given: Said) -> Claims:
    """Bare answers one by one; told facts at their separators; prose at its joints."""
    claims: list[AtomicClaim] = []
    for n, sentence in enumerate(given.sentences):
        claims += [
            claim.model_copy(update={"sentence": n}) for claim in _claims_in(sentence, given.values)
        ]
    return Claims(claims=claims)


def _claims_in(sentence: str, values: Sequence[str]) -> Iterator[AtomicClaim]:
    text = sentence.strip()
    if logged := _LOGGED.match(text):
        question = logged["question"].rstrip("? ")
        names = re.sub(r",? and [\d,]+ more$|^nothing$", "", logged["names"])
        for name in re.split(r", | and ", names):
            if name:
                yield _answer(name, question)
        return
    if verdict := _VERDICT.match(text):
        text = text[verdict.end() :]
        yield _answer(verdict[1]).model_copy(update={"reasoning": bool(text)})
    elif (counted := _COUNTED.match(text)) and any(_same_text(counted[1], v) for v in values):
        yield _answer(counted[1].rstrip("."))
        return
    elif named := _only_values(text, values):
        yield from map(_answer, named)
        return
    for clause in _clauses(_MORE.sub("", text)):
        if re.search(r"\w", clause):
            mentions = _mentions(clause)
            detailed = bool(_numbers(clause) or _dates(clause))
            told = " – " in clause or " — " in clause
            yield AtomicClaim(
                text=clause,
                mentions=mentions,
                reasoning=not (mentions or detailed or told) and len(clause.split()) > 2,
            )


def _answer(name: str, question: str = "The answer") -> AtomicClaim:
    mentions = [] if literal(name) else [name]
    return AtomicClaim(text=f"{question}: {name}", answer=name, mentions=mentions)


def _only_values(text: str, values: Sequence[str]) -> list[str]:
    """The values a bare list names; empty when it says more than that."""
    rest, named = f" {_plain(text)} ", []
    for value in sorted(values, key=len, reverse=True):
        if (wanted := f" {_plain(value)} ") in rest and wanted.strip():
            rest = rest.replace(wanted, "  ", 1)
            named.append(value)
    left = set(rest.split()) - {"and", "the", "more", "or"}
    return [] if any(not w.isdigit() for w in left) else [v for v in values if v in named]


def _clauses(text: str) -> Iterator[str]:
    """Sentences, and in them the parts that stand alone; a verb without subject gets it back."""
    for sentence in re.split(r"(?<=[.!?])\s+(?=[A-ZÀ-Þ“\"(0-9])", text):
        for part in _JOINED.split(sentence):
            first, *more = _SAME_SUBJECT.split(part)
            yield first.strip().rstrip(".")
            words = first.split()
            end = next((i for i, w in enumerate(words) if w.casefold() in _VERBS), 0)
            subject = " ".join(words[:end])
            for clause in more:
                yield f"{subject} {clause}".strip().rstrip(".")


def _mentions(*texts: str) -> list[str]:
    found: dict[str, None] = {}
    for text in texts:
        for match in _NAME.finditer(text):
            words = match[0].split()
            while words and words[0].casefold().strip(".") in _NOT_NAMES:
                words = words[1:]
            name = " ".join(words).strip(".,")
            if name and name.casefold() not in MONTHS and not name.isdigit():
                found.setdefault(re.sub(r"['’]s$", "", name))
    return list(found)


# -- judging ---------------------------------------------------------------------------------

_NEGATED = re.compile(r"\b(?:not|never|no|none|neither|nor)\b|n't\b")
_ROUGHLY = re.compile(r"\b(?:about|around|approximately|nearly|almost|roughly|some|circa|c\.)\s")
_MUTUAL = frozenset({"spouse", "sibling", "partner", "relative", "shares border with", "twin"})
_SEVERAL = 4  # facts named for one claim
_COMPARED = 12  # dates or numbers among which a difference is looked for
_ALIKE = 0.6  # of a rule's words that an axiom has to share


def verify(given: ToVerify) -> Verdict:
    statements = [(i, f) for i, f in enumerate(given.facts) if isinstance(f, Statement)]
    if given.answer:
        return _is_answer(given, statements)
    if not given.facts and given.axioms:
        return _is_axiom(given)
    said = _plain(given.claim)
    for i, fact in enumerate(given.facts):
        if isinstance(fact, Passage) and f" {said} " in f" {_plain(fact.text)} ":
            return Verdict(verdict="supported", facts=[i], why="the passage says so")
    if given.axioms and (found := _is_axiom(given)).verdict == "supported":
        return found
    return _is_told(given, statements)


def _is_axiom(given: ToVerify) -> Verdict:
    words = _content(given.claim)
    for axiom in given.axioms:
        theirs = _content(axiom)
        if words and len(words & theirs) >= _ALIKE * min(len(words), len(theirs)):
            return Verdict(verdict="supported", why="an axiom of the run states it")
    return Verdict(verdict="unsupported", why="no axiom of the run states it")


def _is_answer(given: ToVerify, statements: Sequence[tuple[int, Statement]]) -> Verdict:
    """Whether facts lead from a name in the question to the value, or it was computed of them."""
    cited = [(i, s) for i, s in statements if i < given.cited]
    naming = [(i, s) for i, s in statements if any(_is(v, given.answer) for v in _ends(s))]
    if not naming:
        for line in given.computed:
            operation, _, result = line.rpartition(" = ")
            if cited and any(_same_text(given.answer, part) for part in result.split(", ")):
                deciding = [i for i, _ in cited][:_SEVERAL]
                return Verdict(verdict="supported", facts=deciding, why=operation)
        if how := _derived(given.answer, [s for _, s in cited]):
            return Verdict(verdict="supported", facts=[i for i, _ in cited][:_SEVERAL], why=how)
        if given.answer == "Yes" and (linking := _linking(given.question, cited)):
            return Verdict(verdict="supported", facts=linking[:_SEVERAL])
        passages = [
            i
            for i, f in enumerate(given.facts)
            if isinstance(f, Passage) and f" {_plain(given.answer)} " in f" {_plain(f.text)} "
        ]
        if passages:
            return Verdict(verdict="supported", facts=passages[:1], why="the passage names it")
        return Verdict(verdict="unsupported", why="no fact names it")
    asked = f" {_plain(given.question)} {_plain(given.claim.rpartition(': ')[0])} "
    anchors = {v for _, s in statements for v in _entities(s) if _named(v, asked)}
    if not anchors:
        return Verdict(verdict="supported", facts=[i for i, _ in naming][:_SEVERAL])
    path = _path(given.answer, anchors, cited)
    if path is None:  # an answer may list more than it cites
        path = _path(given.answer, anchors, statements)
    if path is None:
        return Verdict(verdict="unsupported", why="no fact connects it to what was asked about")
    return Verdict(verdict="supported", facts=path)


def _path(
    answer: str, anchors: set[Value], statements: Sequence[tuple[int, Statement]]
) -> list[int] | None:
    """Positions of the facts on a shortest way from the answer to an anchor."""
    about = {v: i for i, s in statements for v in _ends(s) if _is(v, answer)}
    for value, position in about.items():
        if value in anchors:  # the question names the answer: any fact about it will do
            return [position]
    came: dict[Value, list[int]] = {value: [] for value in about}
    frontier = list(came)
    while frontier:
        reached: list[Value] = []
        for here in frontier:
            for i, s in statements:
                ends = _ends(s)
                if here not in ends:
                    continue
                for there in ends:
                    if there in anchors:
                        return [*came[here], i]
                    if there not in came:
                        came[there] = [*came[here], i]
                        reached.append(there)
        frontier = reached
    return None


def _linking(question: str, statements: Sequence[tuple[int, Statement]]) -> list[int]:
    """Facts both ends of which the question names: they state what it asks about."""
    asked = f" {_plain(question)} "
    return [
        i
        for i, s in statements
        if _named(s.subject, asked) and _in(s.object, asked, [*_dates(question)])
    ]


def _derived(answer: str, statements: Sequence[Statement]) -> str:
    """How a number follows from the facts: a count, years between two, a sum or a difference."""
    number = answer.replace(",", "").split(" ")[0]
    if not re.fullmatch(r"\d+(?:\.\d+)?", number):
        return ""
    wanted = Decimal(number)
    if wanted in {len({s.subject for s in statements}), len({s.object for s in statements})}:
        return "counted"
    values = [v for s in statements for v in _ends(s) if compute.comparable(v)]
    for kind in (TIMES, NUMBERS):
        alike = list(dict.fromkeys(v for v in values if _literal_of(v, kind)))[:_COMPARED]
        for a, b in combinations(alike, 2):
            operation: compute.Operation
            for operation in ("years_between", "difference"):
                try:
                    found = compute.apply(operation, [a], [b])
                except compute.NotComputable:
                    continue
                if any(_same_text(verbalise.value(v), answer) for v in found):
                    return operation.replace("_", " ")
    if len(values) > 1 and all(_literal_of(v, NUMBERS) for v in values):
        try:
            total = compute.apply("sum", values)
        except compute.NotComputable:
            return ""
        return "added up" if any(_same_text(verbalise.value(v), answer) for v in total) else ""
    return ""


def _literal_of(value: Value, kind: frozenset[str]) -> bool:
    return isinstance(value, Literal) and value.datatype in kind


@dataclass(frozen=True)
class _Detail:
    """A number or time that a claim states, with the amounts it may mean."""

    text: str
    low: Decimal
    high: Decimal
    time: bool


def _is_told(given: ToVerify, statements: Sequence[tuple[int, Statement]]) -> Verdict:
    """A fact states the claim when both its ends and its relation are found in it."""
    claim = f" {_plain(given.claim)} "
    asked = f" {_plain(given.question)} " if _PRONOUN.search(given.claim.casefold()) else " "
    words = _content(given.claim)
    details = [*_dates(given.claim), *_numbers(given.claim)]
    for i, s in statements:
        if f" {_plain(verbalise.statement(s))} " in claim:  # told word for word
            return Verdict(verdict="supported", facts=[i])
    stating: list[tuple[int, Statement]] = []
    against: list[tuple[int, Statement]] = []
    for i, s in statements:
        if not (_named(s.subject, claim) or _named(s.subject, asked)):
            continue
        spoken = _speaks(words, s)
        if _in(s.object, claim, details) and (spoken or i < given.cited):
            swapped = _swapped(given.claim, s)
            (against if swapped else stating).append((i, s))
        elif spoken:
            against.append((i, s))
    covered = {d for d in details for _, s in stating if _covers(s, d)}
    open_ = [d for d in details if d not in covered]
    positions = [i for i, _ in stating][:_SEVERAL]
    if _NEGATED.search(given.claim.casefold()):
        if stating and not open_:
            return Verdict(verdict="contradicted", facts=positions, why="the graph has it so")
        return Verdict(verdict="unsupported", why="a graph seldom says what is not")
    if stating and not open_:
        return Verdict(verdict="supported", facts=positions)
    if denied := _denied(given.claim, claim, stating, against, open_):
        why = f"the graph has {verbalise.value(denied[1].object)}"
        return Verdict(verdict="contradicted", facts=[denied[0]], why=why)
    if open_ and stating:
        names = ", ".join(d.text for d in open_)
        return Verdict(verdict="unsupported", why=f"no fact says {names}")
    return Verdict(verdict="unsupported", why="no fact states it")


def _denied(
    claim: str,
    plain: str,
    stating: Sequence[tuple[int, Statement]],
    against: Sequence[tuple[int, Statement]],
    details: Sequence[_Detail],
) -> tuple[int, Statement] | None:
    """A fact of the relation the claim speaks of that has another value, and the only one."""
    for i, s in against:
        if _swapped(claim, s):
            return i, s
        rivals = {
            o.object for _, o in against if (o.subject, o.relation) == (s.subject, s.relation)
        }
        if isinstance(s.object, Literal):
            same_kind = [d for d in details if d.time == (s.object.datatype in TIMES)]
            if same_kind and len(rivals) == 1:
                return i, s
        elif len(rivals) == 1 and not stating:
            rest = plain
            for known in (s.subject.name, s.relation.name, *s.subject.aliases):
                rest = rest.replace(f" {_plain(known)} ", "  ")
            if any(f" {_plain(name)} " in rest for name in _mentions(claim)):
                return i, s
    return None


def _swapped(claim: str, s: Statement) -> bool:
    """ "Ulm is the mother of Einstein" told of: Ulm — mother — Einstein."""
    if s.relation.name in _MUTUAL or not isinstance(s.object, Entity):
        return False
    said = (
        rf"\b{re.escape(fold(s.subject.name))} (?:is|was|are|were) (?:the |a |an |one )?"
        rf"(?:\w+ )?{re.escape(fold(s.relation.name))} of (?:the )?{re.escape(fold(s.object.name))}"
    )
    return re.search(said, fold(claim)) is not None


def _speaks(words: frozenset[str], s: Statement) -> bool:
    """Whether the words name the relation: by its label, an alias, or a phrase of the lexicon."""
    return any(words >= way for way in _ways(s.relation.name, s.relation.aliases))


@lru_cache(maxsize=4_000)
def _ways(label: str, aliases: tuple[str, ...]) -> tuple[frozenset[str], ...]:
    names = {fold(label), *map(fold, aliases)}
    ways = {_content(name) for name in names}
    for phrase, entries in lexicon().entries.items():
        if any(fold(label) in way for e in entries for way in e.relations):
            ways.add(frozenset(phrase) - _LITTLE)
    return tuple(way for way in ways if way)


_LITTLE = frozenset(
    stem(w) for w in "of by in at to for from the a an is was are were be been on as with".split()
)


def _content(text: str) -> frozenset[str]:
    return frozenset(map(stem, _plain(text).split())) - _LITTLE


# -- names, numbers, times -------------------------------------------------------------------


@lru_cache(maxsize=20_000)
def _plain(text: str) -> str:
    """Words alone: folded, without punctuation."""
    spaced = f"{text} "  # with a blank no word is taken for an identifier and cut at its capitals
    return " ".join("".join(c if c.isalnum() else " " for c in fold(spaced)).split())


def _ends(s: Statement) -> list[Value]:
    return [s.subject, s.object, *(q.value for q in s.qualifiers)]


def _entities(s: Statement) -> list[Value]:
    return [v for v in _ends(s) if isinstance(v, Entity)]


def _named(value: Value, text: str) -> bool:
    """Whether a text (plain, with blanks around) names an entity; surnames of people count."""
    if not isinstance(value, Entity):
        return False
    names = [n for n in map(_plain, (value.name, *value.aliases)) if len(n) > 1]
    if any(f" {n} " in text for n in names):
        return True
    *first, last = value.name.split() or [""]
    return bool(first) and len(last) > 3 and last[:1].isupper() and f" {_plain(last)} " in text


def _is(value: Value, text: str) -> bool:
    if isinstance(value, Entity):
        return _plain(text) in map(_plain, (value.name, *value.aliases))
    return _same_text(verbalise.value(value), text) or _same_text(value.value, text)


def _same_text(a: str, b: str) -> bool:
    return _plain(a.replace(",", "")) == _plain(b.replace(",", ""))


def _in(value: Value, claim: str, details: Sequence[_Detail]) -> bool:
    if isinstance(value, Entity):
        return _named(value, claim)
    if any(_means(value, d) for d in details):
        return True
    return len(_plain(value.value)) > 1 and f" {_plain(value.value)} " in claim


def _covers(s: Statement, detail: _Detail) -> bool:
    """Whether a fact says the number or time, as a value or within a name ("Apollo 11")."""
    ends = _ends(s)
    return any(
        _means(v, detail) if isinstance(v, Literal) else f" {detail.text} " in f" {_plain(v.name)} "
        for v in ends
    )


def _means(value: Literal, detail: _Detail) -> bool:
    try:
        if value.datatype in TIMES:
            first, last = timeline.span(value)
            return detail.time and detail.low <= first and last <= detail.high
        if value.datatype in NUMBERS:
            return not detail.time and detail.low <= Decimal(value.value) <= detail.high
    except (ArithmeticError, ValueError):
        return False
    return False


_DATE = re.compile(
    rf"\b(?:\d{{1,2}} (?:{'|'.join(MONTHS)}) \d{{3,4}}|(?:{'|'.join(MONTHS)}) \d{{1,2}},? \d{{3,4}}"
    rf"|(?:{'|'.join(MONTHS)}) \d{{4}}|\d{{4}}-\d\d(?:-\d\d)?|\d{{1,4}} BCE?"
    r"|(?<![\d,.])[12]\d{3}(?![\d,]|\.\d))\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    rf"(?<![\w.,])(?:\d[\d,]*(?:\.\d+)?|{'|'.join(w for w in NUMBER_WORDS if w != 'one')})"
    r"(?:\s+(?:thousand|million|billion|trillion))?(?![\w])",
    re.IGNORECASE,
)
_SCALE = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}


def _dates(text: str) -> list[_Detail]:
    found = []
    for match in _DATE.finditer(text):
        written = re.sub(r"(\d) (?=\w+ \d{4}$)", r"\1 ", match[0].title())
        before = re.fullmatch(r"(\d{1,4}) Bce?", written)
        when = (
            Literal(f"-{before[1]:0>4}", YEAR)
            if before
            else Literal(written, YEAR)
            if re.fullmatch(r"\d{4}", written)
            else literal(written)
        )
        if when is not None and when.datatype in TIMES:
            low, high = timeline.span(when)
            found.append(_Detail(_plain(match[0]), low, high, True))
    return found


def _numbers(text: str) -> list[_Detail]:
    """Numbers that are no dates, with the slack their last digit leaves."""
    rest = _DATE.sub(lambda m: " " * len(m[0]), text)
    found = []
    for match in _NUMBER.finditer(rest):
        figure, _, scale = match[0].casefold().replace(",", "").partition(" ")
        word = NUMBER_WORDS.get(figure)
        number = Decimal(figure if word is None else word) * _SCALE.get(scale.strip(), 1)
        slack = Decimal(0)
        if scale:
            digits = len(figure.partition(".")[2])
            slack = Decimal(_SCALE[scale.strip()]) / 2 / 10**digits
        if _ROUGHLY.search(rest[max(0, match.start() - 15) : match.start()].casefold()):
            slack = max(slack, number * Decimal("0.05"))
        found.append(_Detail(_plain(match[0]), number - slack, number + slack, False))
    return found


HANDLERS: dict[str, Callable[[Any], BaseModel]] = {
    LIST_CLAIMS.name: list_claims,
    VERIFY_CLAIM.name: verify,
}
