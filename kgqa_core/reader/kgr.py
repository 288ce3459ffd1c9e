"""What the built-in reader does for KGR: it selects facts and retrofits; it drafts nothing.

Claims and verdicts are those of the audit (`audit.py`). A contradicted claim is put right by
exchanging what the deciding fact has otherwise; where that cannot be told, the fact itself stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from pydantic import BaseModel

from kgqa_core.ask.events import Support
from kgqa_core.ask.skills import CitedSentence, FactAnswer, Said, ToVerify
from kgqa_core.facts import verbalise
from kgqa_core.facts.sentences import sentence
from kgqa_core.facts.terms import TIMES, Literal, Statement
from kgqa_core.methods.kgr import (
    RETROFIT,
    SELECT,
    VERIFY,
    Checked,
    ClaimVerdict,
    Selected,
    ToRetrofit,
    ToSelect,
    ToVerifyAll,
    Verdicts,
)
from kgqa_core.reader.audit import ANSWER, list_claims, verify
from kgqa_core.reader.details import (
    content,
    dates_in,
    ends_of,
    named,
    numbers_in,
    speaks,
    stands_in,
)
from kgqa_core.text import plain

_SELECTED = 20  # facts that bear on one claim
_IN_DAY = re.compile(r"\bin (?=\d{1,2} [A-Z][a-z]+ \d)")


def select(given: ToSelect) -> Selected:
    """Facts about what the claim names, with its relation or its value: both before one.

    Where the claim says a relation's name outright, relations it may hint at do not bear on it;
    words of the subject's own name (“Written on the Wind”) say no relation.
    """
    said = f" {plain(given.claim)} "
    details = [*dates_in(given.claim), *numbers_in(given.claim)]
    about = [(i, s) for i, s in enumerate(given.facts) if named(s.subject, said)]
    subjects = {s.subject.name for _, s in about}
    words = content(given.claim).difference(*map(content, subjects))
    outright = any(_says(words, s) for _, s in about)
    merits = {
        i: (_says(words, s) if outright else speaks(words, s)) + stands_in(s.object, said, details)
        for i, s in about
    }
    telling = sorted((i for i in merits if merits[i]), key=lambda i: -merits[i])
    return Selected(indices=telling[:_SELECTED])


def _says(words: frozenset[str], s: Statement) -> bool:
    names = map(content, (s.relation.name, *s.relation.aliases))
    return any(words >= name for name in names if name)


def verify_all(given: ToVerifyAll) -> Verdicts:
    """Each claim by the facts that bear on it."""
    verdicts = []
    for n, claim in enumerate(given.claims):
        telling = select(ToSelect(question=given.question, claim=claim, facts=given.facts)).indices
        facts: list[Support] = [given.facts[i] for i in telling]
        answer = claim.removeprefix(ANSWER) if claim.startswith(ANSWER) else ""
        if answer:  # what leads to it need not speak of it
            telling, facts = list(range(len(given.facts))), list(given.facts)
        verdict = verify(ToVerify(question=given.question, claim=claim, facts=facts, answer=answer))
        decided = {"facts": [telling[i] for i in verdict.facts]}
        verdicts.append(ClaimVerdict(claim=n, **(verdict.model_dump() | decided)))
    return Verdicts(verdicts=verdicts)


def retrofit(given: ToRetrofit) -> FactAnswer:
    """Claim by claim: what holds with its facts, what does not put right, the rest without."""
    sentences, values = [], dict[str, None]()
    asked = f" {plain(given.question)} "
    for claim in given.claims:
        text = claim.claim
        if claim.verdict == "contradicted":
            text = _corrected(claim, given.facts[claim.facts[0]])
        sentences.append(CitedSentence(text=f"{text.rstrip('.')}.", facts=claim.facts))
        for i in claim.facts:
            ends = ends_of(given.facts[i])[:2]
            values |= dict.fromkeys(verbalise.value(v) for v in ends if not named(v, asked))
    return FactAnswer(sentences=sentences, values=list(values))


def _corrected(claim: Checked, fact: Statement) -> str:
    """The claim with what the fact has in place of what it says; else the fact in words."""
    value = verbalise.value(fact.object)
    if isinstance(fact.object, Literal):
        found = dates_in(claim.claim) if fact.object.datatype in TIMES else numbers_in(claim.claim)
        wrong = [detail.text for detail in found]
    else:
        said = list_claims(Said(question="", sentences=[claim.claim])).claims
        names = [name for one in said for name in one.mentions]
        wrong = [name for name in names if not named(fact.subject, f" {plain(name)} ")]
    if len(wrong) == 1:
        text, count = re.subn(re.escape(wrong[0]), lambda _: value, claim.claim, flags=re.I)
        if count == 1 and text != claim.claim:
            return _IN_DAY.sub("on ", text)
    return sentence(fact)


HANDLERS: dict[str, Callable[[Any], BaseModel]] = {
    SELECT.name: select,
    VERIFY.name: verify_all,
    RETROFIT.name: retrofit,
}
