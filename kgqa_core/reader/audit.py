"""How the reader splits an answer into claims and judges them: by names, numbers, dates, relations.

It does not understand prose; it looks for what a fact would have to leave in a sentence that
states it: both ends, and a word for the relation. What it cannot pin down is unsupported.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from itertools import combinations, pairwise
from typing import Any

import networkx as nx
from pydantic import BaseModel

from kgqa_core.ask.events import Support
from kgqa_core.ask.skills import (
    LIST_CLAIMS,
    VERIFY_CLAIM,
    AtomicClaim,
    Claims,
    Said,
    ToVerify,
    Verdict,
)
from kgqa_core.facts import compute, relations, sentences, verbalise
from kgqa_core.facts.normalise import literal
from kgqa_core.facts.terms import TIMES, Entity, Literal, Passage, Statement, Value
from kgqa_core.reader import reckoning
from kgqa_core.reader.details import (
    Detail,
    content,
    covers,
    dates_in,
    ends_of,
    entities_of,
    is_called,
    named,
    numbers_in,
    same_text,
    speaks,
    stands_in,
)
from kgqa_core.reader.lexicon import word_list
from kgqa_core.reader.reckoning import Numbered
from kgqa_core.reader.words import MONTHS
from kgqa_core.text import fold, plain

# -- listing ---------------------------------------------------------------------------------

ANSWER = "The answer: "  # how a claim begins that says no more than what the answer is
_VERDICT = re.compile(r"(Yes|No|True|False|Correct|Incorrect)(?:[:,.]\s*|$)")
_COUNTED = re.compile(r"([\d,.]+)(?::\s.*|\.)?$")
_DATED = re.compile(r" \(as of [^()]*\)")  # behind an amount that changes
_LOGGED = re.compile(r"“(?P<question>.+)” gave (?P<names>.+?)\.?$")
_MORE = re.compile(r" \(and \d+ more\)|,? and \d+ more(?=[.;]|$)")
_JOINED = re.compile(r"\s*(?:;|,? and|,? but)\s+(?=(?:he|she|it|they)\b)|\s*;\s*")
_INSIDE = re.compile(r"\([^()]*\)")  # nothing is cut in brackets: _HELD holds it together
_HELD = "\x00"
_SAME_SUBJECT = re.compile(
    r",? and (?=(?:is|was|are|were|has|had|died|lived|won|wrote|made|became|received|directed|"
    r"played|starred|married|founded|located|born)\b)"
)
_VERBS = word_list("verbs of clauses")
_PRONOUN = re.compile(r"\b(?:he|she|it|they|his|her|its|their|who|which|this|that)\b")
_NAME = re.compile(
    r"(?:[A-ZÀ-Þ][\w'’.&-]*|\d+(?=\s+[A-Z]))(?:\s+(?:(?:of|on|the|de|van|von|da|del|la|le|for|in)"
    r"\s+)*[A-ZÀ-Þ][\w'’.&-]*)*"
)
_NOT_NAMES = word_list("no names")


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
        for name in _named_one_by_one(names, values):
            yield _answer(name, question)
        return
    if verdict := _VERDICT.match(text):
        text = text[verdict.end() :]
        yield _answer(verdict[1]).model_copy(update={"reasoning": bool(text)})
    elif (counted := _COUNTED.match(text)) and any(same_text(counted[1], v) for v in values):
        yield _answer(counted[1].rstrip("."))
        return
    elif listed := _only_values(_DATED.sub("", text), values):
        for value in listed:
            dated = re.search(re.escape(value) + f"({_DATED.pattern})", text)
            yield _answer(value, when=dated[1] if dated else "")
        return
    for clause in _clauses(_MORE.sub("", text)):
        if re.search(r"\w", clause):
            mentions = _mentions(clause)
            detailed = bool(numbers_in(clause) or dates_in(clause))
            told = " – " in clause or " — " in clause
            yield AtomicClaim(
                text=clause,
                mentions=mentions,
                reasoning=not (mentions or detailed or told) and len(clause.split()) > 2,
            )


def _named_one_by_one(names: str, values: Sequence[str]) -> Iterator[str]:
    """The names of a list. One that holds a comma or an “and” itself stays whole if it is known."""
    known = sorted(filter(None, values), key=len, reverse=True)
    at = 0
    while at < len(names):
        rest = names[at:]
        name = next((v for v in known if re.match(rf"{re.escape(v)}(?:, |,? and |$)", rest)), None)
        if name is None:
            name = re.split(r", |,? and (?![a-z])", rest, maxsplit=1)[0]
        yield name
        at += len(name)
        between = re.match(r",? and |, ", names[at:])
        at += len(between[0]) if between else 0
        if not between:
            return


def _answer(name: str, question: str = "", when: str = "") -> AtomicClaim:
    mentions = [] if literal(name) else [name]
    text = f"{question}: {name}" if question else f"{ANSWER}{name}{when}"
    return AtomicClaim(text=text, answer=name, mentions=mentions)


def _only_values(text: str, values: Sequence[str]) -> list[str]:
    """The values a bare list names; empty when it says more than that."""
    rest, found = f" {plain(text)} ", []
    for value in sorted(values, key=len, reverse=True):
        if (wanted := f" {plain(value)} ") in rest and wanted.strip():
            rest = rest.replace(wanted, "  ", 1)
            found.append(value)
    left = set(rest.split()) - {"and", "the", "more", "or"}
    return [] if any(not w.isdigit() for w in left) else [v for v in values if v in found]


def _clauses(text: str) -> Iterator[str]:
    """Sentences, and in them the parts that stand alone; a verb without subject gets it back."""
    whole = _INSIDE.sub(lambda m: m[0].replace(";", _HELD).replace(" and ", f" {_HELD}and "), text)
    for sentence in re.split(r"(?<=[.!?])\s+(?=[A-ZÀ-Þ“\"(0-9])", whole):
        for held in _JOINED.split(sentence):
            part = held.replace(f" {_HELD}and ", " and ").replace(_HELD, ";")
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
_SEVERAL = 4  # facts named for one claim
_COMPARED = 12  # dates among which a difference is looked for
_ALIKE = 0.6  # of a rule's words that an axiom has to share


def verify(given: ToVerify) -> Verdict:
    statements = [(i, f) for i, f in enumerate(given.facts) if isinstance(f, Statement)]
    if given.answer:
        return _is_answer(given, statements)
    if not given.facts and given.axioms:
        return _is_axiom(given)
    if passages := _quoting(given.claim, given.facts):
        return Verdict(verdict="supported", facts=passages[:1], why="the passage says so")
    if given.axioms and (found := _is_axiom(given)).verdict == "supported":
        return found
    return _is_told(given, statements)


def _quoting(text: str, facts: Sequence[Support]) -> list[int]:
    """Positions of the passages that have a text, word for word."""
    said = f" {plain(text)} "
    read = ((i, f" {plain(f.text)} ") for i, f in enumerate(facts) if isinstance(f, Passage))
    return [i for i, passage in read if said in passage]


def _is_axiom(given: ToVerify) -> Verdict:
    words = content(given.claim)
    for axiom in given.axioms:
        theirs = content(axiom)
        if words and len(words & theirs) >= _ALIKE * min(len(words), len(theirs)):
            return Verdict(verdict="supported", why="an axiom of the run states it")
    return Verdict(verdict="unsupported", why="no axiom of the run states it")


def _is_answer(given: ToVerify, statements: Numbered) -> Verdict:
    """Whether facts lead from a name in the question to the value, or it was computed of them."""
    cited = [(i, s) for i, s in statements if i < given.cited]
    when = dates_in("".join(_DATED.findall(given.claim)))
    then = [(i, s) for i, s in statements if all(covers(s, d) for d in when)]
    naming = [(i, s) for i, s in then if any(is_called(v, given.answer) for v in ends_of(s))]
    if not naming:
        lines = (line.rpartition(" = ") for line in given.computed if cited)
        how = (op for op, _, r in lines if any(same_text(given.answer, v) for v in r.split(", ")))
        if of := next(how, "") or _derived(given.answer, [s for _, s in cited]):
            return Verdict(verdict="supported", facts=[i for i, _ in cited][:_SEVERAL], why=of)
        if given.answer == "Yes" and (linking := _linking(given.question, cited)):
            return Verdict(verdict="supported", facts=linking[:_SEVERAL])
        if passages := _quoting(given.answer, given.facts):
            return Verdict(verdict="supported", facts=passages[:1], why="the passage names it")
        return Verdict(verdict="unsupported", why="no fact names it")
    asked = f" {plain(given.question)} {plain(given.claim.rpartition(': ')[0])} "
    anchors = {v for _, s in statements for v in entities_of(s) if named(v, asked)}
    if not anchors:
        return Verdict(verdict="supported", facts=[i for i, _ in naming][:_SEVERAL])
    path = _path(given.answer, anchors, cited)
    if path is None:  # an answer may list more than it cites
        path = _path(given.answer, anchors, statements)
    if path is None:
        return Verdict(verdict="unsupported", why="no fact connects it to what was asked about")
    return Verdict(verdict="supported", facts=path)


def _path(answer: str, anchors: set[Value], statements: Numbered) -> list[int] | None:
    """Positions of the facts on a shortest way from the answer to an anchor."""
    about = {v: i for i, s in statements for v in ends_of(s) if is_called(v, answer)}
    for value, position in about.items():
        if value in anchors:  # the question names the answer: any fact about it will do
            return [position]
    graph: nx.Graph = nx.Graph()
    graph.add_edges_from(("answer", value) for value in about)
    graph.add_edges_from((anchor, "question") for anchor in anchors)
    for i, s in statements:
        for near, far in combinations(ends_of(s), 2):
            graph.add_edge(near, far)
            graph[near][far].setdefault("fact", i)
    try:
        way = nx.shortest_path(graph, "answer", "question")
    except (nx.NodeNotFound, nx.NetworkXNoPath):
        return None
    return [graph[near][far]["fact"] for near, far in pairwise(way[1:-1])]


def _linking(question: str, statements: Numbered) -> list[int]:
    """Facts both ends of which the question names: they state what it asks about."""
    asked = f" {plain(question)} "
    return [
        i
        for i, s in statements
        if named(s.subject, asked) and stands_in(s.object, asked, [*dates_in(question)])
    ]


def _derived(answer: str, statements: Sequence[Statement]) -> str:
    """How a number follows from the facts: a count, or years between two."""
    number = answer.replace(",", "").split(" ")[0]
    if not re.fullmatch(r"\d+(?:\.\d+)?", number):
        return ""
    wanted = Decimal(number)
    if wanted in {len({s.subject for s in statements}), len({s.object for s in statements})}:
        return "counted"
    values = dict.fromkeys(v for s in statements for v in ends_of(s) if isinstance(v, Literal))
    times = [v for v in values if v.datatype in TIMES and compute.comparable(v)][:_COMPARED]
    years = (v for a, b in combinations(times, 2) for v in compute.apply("years_between", [a], [b]))
    return "years between" * any(same_text(verbalise.value(v), answer) for v in years)


def _is_told(given: ToVerify, statements: Numbered) -> Verdict:
    """A fact states the claim when both its ends and its relation are found in it."""
    claim = f" {plain(given.claim)} "
    asked = f" {plain(given.question)} " if _PRONOUN.search(given.claim.casefold()) else " "
    words = content(given.claim)
    details = [*dates_in(given.claim), *numbers_in(given.claim)]
    for i, s in statements:  # told word for word
        told = (sentences.clause(s), verbalise.statement(s))
        if any(f" {plain(text)} " in claim for text in told):
            return Verdict(verdict="supported", facts=[i])
    known = " ".join((given.question, *given.computed, *given.axioms))
    if found := reckoning.check(given.claim, statements, given.cited, known):
        return found
    stating: list[tuple[int, Statement]] = []
    against: list[tuple[int, Statement]] = []
    for i, s in statements:
        if not (named(s.subject, claim) or named(s.subject, asked)):
            continue
        spoken = speaks(words, s)
        if stands_in(s.object, claim, details) and (spoken or i < given.cited):
            swapped = _swapped(given.claim, s)
            (against if swapped else stating).append((i, s))
        elif spoken:
            against.append((i, s))
    covered = {d for d in details for _, s in stating if covers(s, d)}
    open_ = [d for d in details if d not in covered]
    own = [(i, s) for i, s in statements if i < given.cited]
    how = _computed(open_, given.computed) if open_ else ""
    bare = own and not _mentions(given.claim)  # “Together that is 236.”
    if how and (stating or bare or any(named(v, claim) for _, s in own for v in entities_of(s))):
        chosen = list(dict.fromkeys(i for i, _ in (*stating, *own)))
        return Verdict(verdict="supported", facts=chosen[:_SEVERAL], why=how)
    negative = _NEGATED.search(given.claim.casefold()) is not None
    chain = [] if stating or details or negative else _chained(given.claim, own, words)
    if chain:
        return Verdict(verdict="supported", facts=chain, why="together they lead there")
    positions = [i for i, _ in stating][:_SEVERAL]
    if negative:
        if stating and not open_:
            return Verdict(verdict="contradicted", facts=positions, why="the graph has it so")
        return Verdict(verdict="unsupported", why="a graph seldom says what is not")
    if stating and not open_:
        return Verdict(verdict="supported", facts=positions)
    if denied := _denied(given.claim, stating, against, open_, [s for _, s in own]):
        why = f"the graph has {verbalise.value(denied[1].object)}"
        return Verdict(verdict="contradicted", facts=[denied[0]], why=why)
    if open_ and stating:
        names = ", ".join(d.text for d in open_)
        return Verdict(verdict="unsupported", why=f"no fact says {names}")
    return Verdict(verdict="unsupported", why="no fact states it")


def _computed(details: Sequence[Detail], lines: Sequence[str]) -> str:
    """How the run computed all these numbers, from a line such as `count of a and b = 4`."""
    for line in lines:
        operation, _, result = line.rpartition(" = ")
        parts = result.split(", ")
        found = {(d.low, d.high) for p in parts for d in (*numbers_in(p), *dates_in(p))}
        if operation and all((d.low, d.high) in found for d in details):
            return operation
    return ""


def _chained(claim: str, cited: Numbered, words: frozenset[str]) -> list[int]:
    """The cited facts, where they lead from one name of the claim to another, each on the way.

    The claim has to speak of one of their relations at least: “Blasi's husband played for Roma”.
    """
    said = f" {plain(claim)} "
    if not 2 <= len(cited) <= _SEVERAL or not any(speaks(words, s) for _, s in cited):
        return []
    ends = Counter(v for _, s in cited for v in dict.fromkeys(entities_of(s)))
    loose = [value for value, count in ends.items() if count == 1]
    graph: nx.Graph = nx.Graph(pair for _, s in cited for pair in combinations(entities_of(s), 2))
    graph.add_nodes_from(ends)
    whole = len(loose) == 2 and nx.is_connected(graph) and all(named(v, said) for v in loose)
    return [i for i, _ in cited] if whole else []


def _denied(
    claim: str, stating: Numbered, against: Numbered, open_: Sequence[Detail], own: list[Statement]
) -> tuple[int, Statement] | None:
    """A fact of the relation the claim speaks of that has another value, and the only one."""
    for i, s in against:
        if _swapped(claim, s):
            return i, s
        rivals = {
            o.object for _, o in against if (o.subject, o.relation) == (s.subject, s.relation)
        }
        if isinstance(s.object, Literal):
            same_kind = [d for d in open_ if d.time == (s.object.datatype in TIMES)]
            if same_kind and len(rivals) == 1:
                return i, s
        elif len(rivals) == 1 and not stating:
            if any(speaks(content(claim), o) for o in own if o.subject == s.object):
                continue  # what is said is said of the one this fact leads to
            rest = f" {plain(claim)} "
            for known in (s.subject.name, s.relation.name, *s.subject.aliases):
                rest = rest.replace(f" {plain(known)} ", "  ")
            if any(f" {plain(name)} " in rest for name in _mentions(claim)):
                return i, s
    return None


def _swapped(claim: str, s: Statement) -> bool:
    """ "Ulm is the mother of Einstein" told of: Ulm — mother — Einstein."""
    if relations.symmetric(s.relation) or not isinstance(s.object, Entity):
        return False
    said = (
        rf"\b{re.escape(fold(s.subject.name))} (?:is|was|are|were) (?:the |a |an |one )?"
        rf"(?:\w+ )?{re.escape(fold(s.relation.name))} of (?:the )?{re.escape(fold(s.object.name))}"
    )
    return re.search(said, fold(claim)) is not None


HANDLERS: dict[str, Callable[[Any], BaseModel]] = {
    LIST_CLAIMS.name: list_claims,
    VERIFY_CLAIM.name: verify,
}
