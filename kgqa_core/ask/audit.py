"""Automatic faithfulness: the answer, claim by claim, against the facts of the graph.

FActScore's idea (Min et al. 2023): split what is said into atomic claims and judge each by
itself. Here the knowledge source is the graph: the facts a sentence cites, then those the run
retrieved, then, if allowed, what the graph says of the names in a claim that is still open.

Departure: three marks instead of two, since a graph can also say otherwise; no penalty for short
answers; a sentence that states a general rule is held against the axioms of the run (R3), and
counts as reasoning, not as a fact.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from typing import Literal as OneOf

from pydantic import BaseModel

from kgqa_core.ask import events, shown, skills
from kgqa_core.ask.events import Answer, Audited, CheckedClaim, Event, Support
from kgqa_core.ask.llm import LLM
from kgqa_core.ask.run import Solve, Steps, Toolkit, drain, heard
from kgqa_core.ask.skill import Skill
from kgqa_core.ask.skills import AtomicClaim, Verdict
from kgqa_core.errors import KGQAError
from kgqa_core.facts import verbalise
from kgqa_core.facts.premises import DESCRIPTION, Judgement
from kgqa_core.facts.sentences import clause
from kgqa_core.facts.terms import STRING, Entity, Literal, Statement
from kgqa_core.text import plain

Auditing = OneOf["off", "reader", "model"]

_VERDICTS = {"true": "Yes, True, Correct", "false": "No, False, Incorrect"}
_CLAIMS = 40  # checked at most; a list of a hundred names is not read name by name
_MENTIONS = 3  # names of a claim that are looked up


@dataclass(frozen=True)
class Auditor:
    """Who splits and judges: `llm` None is the run's own model. `look_up`: may ask the graph."""

    llm: LLM | None = None
    look_up: bool = True

    @property
    def how(self) -> Auditing:
        return "model" if self.llm is None else "reader"


def audited(solve: Solve, auditor: Auditor | None) -> Solve:
    """The method, with an audit of its answer as the last thing before it is given.

    By the run's model it takes one call and one or two for each claim. What has a claim about
    facts that none supports is not certain. An audit that fails is said and leaves the answer as
    it is. Without an auditor the method is left as it is.
    """
    if auditor is None:
        return solve

    def solve_and_audit(question: str, tools: Toolkit, params: BaseModel) -> Steps[Answer]:
        seen: list[Event] = []
        answer: Answer = yield from heard(solve(question, tools, params), seen)
        if isinstance(answer, Answer) and answer.sentences:
            yield events.Step(title="Check the answer claim by claim")
            try:
                checked = yield from audit(question, answer, seen, tools, auditor)
                yield checked
                if checked.support is not None and checked.support < 1:
                    answer = answer.model_copy(update={"certain": False})
            except KGQAError as error:
                yield events.Noted(text=f"The answer was not checked. {error}", level="warning")
        return answer

    return solve_and_audit


def audit(
    question: str,
    answer: Answer,
    seen: Sequence[Event],
    tools: Toolkit,
    auditor: Auditor,
) -> Steps[Audited]:
    """Every claim of the answer with its mark; `seen` is what the run reported before."""
    judge = _Judge(tools, auditor.llm)
    listed = yield from judge.ask_all(
        skills.LIST_CLAIMS,
        [
            {
                "question": question,
                "sentences": [s.text for s in answer.sentences],
                "values": [verbalise.value(v) for v in answer.values],
            }
        ],
    )
    every: list[AtomicClaim] = listed[0].claims
    evidence = _Evidence(question, answer, seen, all_of_them=not judge.reads_all)
    claims = [evidence.marked(claim) for claim in every[:_CLAIMS]]
    if len(every) > len(claims):
        yield events.Noted(text=f"Of {len(every):,} claims the first {_CLAIMS} are checked.")
    marks: dict[int, CheckedClaim] = {}

    def verify(todo: Sequence[int], extra: dict[int, list[Support]]) -> Steps[None]:
        asked = [evidence.of(claims[n], extra.get(n, [])) for n in todo]
        verdicts = yield from judge.ask_all(
            skills.VERIFY_CLAIM,
            [{"question": question, **given} for given in asked],
        )
        for n, given, verdict in zip(todo, asked, verdicts, strict=True):
            before = marks.get(n)
            if before is None or verdict.verdict != "unsupported":
                marks[n] = _checked(claims[n], given, verdict)

    yield from verify(range(len(claims)), {})
    if auditor.look_up:
        todo = [
            n for n, c in enumerate(claims) if marks[n].mark == "unsupported" and not c.reasoning
        ]
        found = yield from _look_up([claims[n] for n in todo], tools)
        extra = {n: facts for n, facts in zip(todo, found, strict=True) if facts}
        yield from verify(list(extra), extra)
    checked = tuple(marks[n] for n in range(len(claims)))
    return Audited(claims=checked, by=judge.name, unread=len(every) - len(claims))


class _Judge:
    """Asks the run's model, visibly and metered; or the reader, which costs nothing."""

    def __init__(self, tools: Toolkit, llm: LLM | None) -> None:
        self._visible = llm is None
        self._tools = tools if llm is None else tools.beside(llm)
        self.name = self._tools.llm.name

    @property
    def reads_all(self) -> bool:
        """Whether it is the reader, which no prompt cuts short."""
        return self._tools.reads_all

    def ask_all(self, skill: Skill[Any], many: Sequence[dict[str, Any]]) -> Steps[list[Any]]:
        asking = self._tools.ask_all(skill, many)
        if self._visible:
            return (yield from asking)
        return drain(asking)[0]


class _Evidence:
    """What may decide a claim: facts that came from the graph, never what the model proposed."""

    def __init__(
        self, question: str, answer: Answer, seen: Sequence[Event], *, all_of_them: bool
    ) -> None:
        self._all = all_of_them
        retrieved: dict[Support, None] = {}
        self.computed: list[str] = []
        self.axioms: list[str] = []
        judged: tuple[Judgement, ...] = ()
        for event in seen:
            match event:
                case events.Expanded():
                    retrieved.update(dict.fromkeys(event.statements))
                    retrieved.update(dict.fromkeys(_described(event)))
                case events.Retrieved():
                    retrieved.update(dict.fromkeys(event.found))
                case events.Computed() if event.result:
                    result = ", ".join(verbalise.value(v) for v in event.result)
                    of_what = " and ".join(event.arguments)
                    self.computed.append(f"{event.operation} of {of_what} = {result}")
                case events.Axiom():
                    self.axioms.append(event.text)
                case events.Judged():
                    judged = event.judgements
                case events.Verdict() if event.verdict != "undetermined":
                    # A verdict follows from an axiom if the facts that decided are the graph's.
                    decided = {s for j in judged if j.state != "open" for s in j.because}
                    if decided and decided <= retrieved.keys():
                        result = _VERDICTS[event.verdict]
                        self.computed.append(f"the axiom's premises = {result}")
                case _:
                    pass
        retrieved.update(dict.fromkeys(s for s in answer.citations if _asked(s, question)))
        self.cited = [
            [answer.citations[i] for i in s.cites if answer.citations[i] in retrieved]
            for s in answer.sentences
        ]
        self._about: dict[str, list[Support]] = {}  # facts by the folded names of their ends
        for fact in retrieved:
            for name in _names(fact):
                self._about.setdefault(name, []).append(fact)

    def marked(self, claim: AtomicClaim) -> AtomicClaim:
        """The same; what tells a cited fact in a sentence is no reasoning."""
        facts = (f for f in self._cited_by(claim) if isinstance(f, Statement))
        told = (text for f in facts for text in (clause(f), f"{f.subject.name} {_value(f)}"))
        if claim.reasoning and plain(claim.text) in map(plain, told):
            return claim.model_copy(update={"reasoning": False})
        return claim

    def _cited_by(self, claim: AtomicClaim) -> list[Support]:
        return self.cited[claim.sentence] if 0 <= claim.sentence < len(self.cited) else []

    def of(self, claim: AtomicClaim, looked_up: Sequence[Support]) -> dict[str, Any]:
        """The typed input of VERIFY_CLAIM, but for the question."""
        cited = self._cited_by(claim)
        text = f" {plain(claim.text)} "
        others: dict[Support, int] = {}
        for name, facts in self._about.items():
            if f" {name} " in text:
                for fact in facts:
                    others[fact] = others.get(fact, 0) + 1
                    others[fact] += isinstance(fact, Statement) and _speaks(fact, text)
        nearest = sorted(others, key=lambda f: -others[f])  # both ends named before one
        facts = list(dict.fromkeys((*cited, *looked_up, *nearest)))
        # the reader reads as much as a prompt has room for; a prompt says what it has none for
        read = len(facts) if self._all else max(shown.fitting(facts), len(cited))
        return {
            "claim": claim.text,
            "facts": facts[:read],
            "cited": len(cited),
            "answer": claim.answer,
            "computed": self.computed[-10:],
            "axioms": self.axioms if claim.reasoning else [],
        }


def _asked(fact: Support, question: str) -> bool:
    """What the question itself says: an option of a choice, in its own words."""
    if not isinstance(fact, Statement) or fact.relation != DESCRIPTION:
        return False
    told = fact.object.value if isinstance(fact.object, Literal) else ""
    return bool(told) and f" {plain(told)} " in f" {plain(question)} "


def _described(event: events.Expanded) -> Iterator[Statement]:
    """The graph's descriptions of what was read, as facts of their own, as R3 takes them."""
    ends = (e for s in event.statements for e in (s.subject, s.object) if isinstance(e, Entity))
    for entity in dict.fromkeys((*event.entities, *ends)):
        if entity.description:
            text = Literal(entity.description, STRING)
            yield Statement(entity, DESCRIPTION, text, source="description")


def _speaks(fact: Statement, text: str) -> bool:
    return f" {plain(fact.relation.name)} " in text


def _value(fact: Statement) -> str:
    return verbalise.value(fact.object, fact.relation)


def _names(fact: Support) -> list[str]:
    ends = [fact.subject, fact.object] if isinstance(fact, Statement) else [fact.entity]
    return [plain(e.name) for e in ends if isinstance(e, Entity)]


def _look_up(claims: Sequence[AtomicClaim], tools: Toolkit) -> Steps[list[list[Support]]]:
    """For each claim what the graph says of the things it names; exact names only."""
    mentions = [list(dict.fromkeys(c.mentions))[:_MENTIONS] for c in claims]
    wanted = list(dict.fromkeys(m for some in mentions for m in some))
    if not wanted:
        return [[] for _ in claims]
    hits = yield from tools.link(wanted)
    entity = {m: found[0].entity for m, found in zip(wanted, hits, strict=True) if _exact(m, found)}
    if not entity:
        return [[] for _ in claims]
    around = yield from tools.expand(list(dict.fromkeys(entity.values())))
    out: list[list[Support]] = []
    for claim, some in zip(claims, mentions, strict=True):
        text = f" {plain(claim.text)} "
        near = [s for s in around if {s.subject, s.object} & {entity.get(m) for m in some}]
        near = tools.relevant(claim.text, near)
        near.sort(key=lambda s: -sum(f" {name} " in text for name in _names(s)))
        out.append(list(near))
    return out


def _exact(mention: str, hits: Sequence[Any]) -> bool:
    return bool(hits) and plain(hits[0].matched or hits[0].entity.name) == plain(mention)


def _checked(claim: AtomicClaim, given: dict[str, Any], verdict: Verdict) -> CheckedClaim:
    facts: list[Support] = given["facts"]
    decided = tuple(facts[i] for i in dict.fromkeys(verdict.facts) if 0 <= i < len(facts))
    # A model that names no fact has none: its word alone supports nothing.
    grounded = decided or claim.reasoning or verdict.verdict == "unsupported"
    mark = verdict.verdict if grounded else "unsupported"
    why = verdict.why if grounded else "the verdict names no fact"
    return CheckedClaim(
        text=claim.text,
        mark=mark,
        sentence=claim.sentence,
        facts=decided if mark != "unsupported" else (),
        why=why,
        reasoning=claim.reasoning,
        axiom=_axiom(claim, given["axioms"]) if mark == "supported" and not decided else "",
    )


def _axiom(claim: AtomicClaim, axioms: Sequence[str]) -> str:
    """The axiom that shares most words with a rule it supports."""
    words = set(plain(claim.text).split())
    return max(axioms, key=lambda a: len(words & set(plain(a).split())), default="")
