"""KGR: an answer drafted by the model alone, retrofitted to the facts of the graph.

Guan et al., Mitigating Large Language Model Hallucinations via Autonomous Knowledge Graph-based
Retrofitting, AAAI 2024 (arXiv:2311.13314): the five components of Figure 2. Claim extraction;
entity detection and retrieval; fact selection; claim verification; retrofitting, round by round.

Departure: a draft whose claims all hold is given with the facts that show it, and what the facts
leave open stands in a sentence without facts, so that the answer shows what of it is grounded.
Departure: the claims of a round are selected for and verified at once. An empty draft ends the
run with an abstention, where the published baseline of R3 loses the question.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal as OneOf

from pydantic import BaseModel, Field

from kgqa_core.ask import events, skills
from kgqa_core.ask.events import Answer, Sentence, Support
from kgqa_core.ask.method import Method
from kgqa_core.ask.run import Steps, Toolkit
from kgqa_core.ask.skill import Skill
from kgqa_core.ask.skills import AtomicClaim, FactAnswer, Verdict
from kgqa_core.facts.terms import Entity, Statement
from kgqa_core.methods import cot, io
from kgqa_core.methods.answering import compose
from kgqa_core.methods.linking import link_mentions
from kgqa_core.text import counted

_BOTH = 20  # facts between entities of a claim that come before all others


class Params(BaseModel):
    draft: OneOf["cot", "io"] = Field("cot", description="how the draft is made")
    rounds: int = Field(2, ge=1, le=5, description="verify-and-retrofit rounds")
    facts: int = Field(2000, ge=10, le=5000, description="statements around each entity")
    answer_linking: bool = Field(True, description="link the answer to entities of the graph")


class ToSelect(BaseModel):
    question: str
    claim: str
    facts: list[Statement]


class Selected(BaseModel):
    indices: list[int] = Field(description="positions of the facts, the most telling first")


SELECT = Skill(
    "select facts",
    "Select the facts that bear on the claim: that show it to be right or wrong. None if none do.",
    ToSelect,
    Selected,
)


class Checked(BaseModel):
    """A claim of the draft with its verdict; `facts` are positions."""

    claim: str
    verdict: events.Mark
    facts: list[int] = []
    why: str = ""


class ToRetrofit(BaseModel):
    question: str
    draft: str
    claims: list[Checked]
    facts: list[Statement]


RETROFIT = Skill(
    "retrofit answer",
    "Rewrite the draft so that it agrees with the facts and still answers the question. What is "
    "contradicted is corrected by its facts; what is supported stays. Every such sentence names "
    "the facts it rests on. What the facts leave open stands, if the answer needs it, in a "
    "sentence of its own without facts. If nothing of the draft is left, give no sentences.",
    ToRetrofit,
    FactAnswer,
)


def solve(question: str, tools: Toolkit, params: Params) -> Steps[Answer]:
    answer = yield from _draft(question, tools, params)
    if not answer.sentences:
        return Answer(reason=f"There is no draft to retrofit. {answer.reason}")
    for n in range(1, params.rounds + 1):
        yield events.Step(title=f"Round {n}: extract the claims")
        listed = yield from tools.ask(
            skills.LIST_CLAIMS, question=question, sentences=[answer.text], values=[]
        )
        claims = [claim for claim in listed.claims if claim.text.strip()]
        if not claims:
            return answer
        yield events.Step(title=f"Round {n}: retrieve facts about {counted(len(claims), 'claim')}")
        around = yield from _retrieve(question, claims, tools, params)
        yield events.Step(title=f"Round {n}: select facts and verify")
        picked = yield from _select(question, claims, around, tools)
        verdicts = yield from tools.ask_all(
            skills.VERIFY_CLAIM,
            [
                {"question": question, "claim": claim.text, "facts": facts}
                for claim, facts in zip(claims, picked, strict=True)
            ],
        )
        facts, checked = _checked(claims, picked, verdicts)
        yield from _told(checked, facts)
        if all(c.verdict == "supported" for c in checked):
            return _grounded(answer, facts, checked)
        yield events.Step(title=f"Round {n}: retrofit the draft")
        reply = yield from tools.ask(
            RETROFIT, question=question, draft=answer.text, claims=checked, facts=facts
        )
        before = answer
        answer = yield from compose(question, reply, facts, tools, link=params.answer_linking)
        if not answer.sentences or answer.text == before.text:
            break
        if all(c.verdict != "contradicted" for c in checked):
            break  # nothing was corrected: another round would find the same
    return answer


def _draft(question: str, tools: Toolkit, params: Params) -> Steps[Answer]:
    if params.draft == "io":
        return (yield from io.solve(question, tools, io.Params()))
    return (yield from cot.solve(question, tools, cot.Params()))


def _retrieve(
    question: str, claims: Sequence[AtomicClaim], tools: Toolkit, params: Params
) -> Steps[list[list[Statement]]]:
    """For each claim the facts around the entities it mentions."""
    mentions = list(dict.fromkeys(m.strip() for c in claims for m in c.mentions if m.strip()))
    linked: dict[str, Entity] = {}
    if mentions:
        linked = dict((yield from link_mentions(question, mentions, tools)))
    entities = list(dict.fromkeys(linked.values()))
    found = (yield from tools.expand(entities, limit=params.facts)) if entities else []
    around = []
    for claim in claims:
        own = {linked[m.strip()] for m in claim.mentions if m.strip() in linked}
        near = [s for s in found if {s.subject, s.object} & own]
        both = [s for s in near if {s.subject, s.object} <= own]
        relevant = tools.relevant(claim.text, list(dict.fromkeys((*both, *near))))
        around.append(list(dict.fromkeys((*both[:_BOTH], *relevant))))
    return around


def _select(
    question: str,
    claims: Sequence[AtomicClaim],
    around: Sequence[list[Statement]],
    tools: Toolkit,
) -> Steps[list[list[Statement]]]:
    """Fact selection, one call a claim, all at once."""
    many = [n for n, facts in enumerate(around) if facts]
    picked = [list(facts) for facts in around]
    if many:
        replies = yield from tools.ask_all(
            SELECT,
            [{"question": question, "claim": claims[n].text, "facts": around[n]} for n in many],
        )
        for n, reply in zip(many, replies, strict=True):
            indices = [i for i in dict.fromkeys(reply.indices) if 0 <= i < len(around[n])]
            picked[n] = [around[n][i] for i in indices]
    return picked


def _checked(
    claims: Sequence[AtomicClaim],
    picked: Sequence[list[Statement]],
    verdicts: Sequence[Verdict],
) -> tuple[list[Statement], list[Checked]]:
    """All facts in one list, and the claims with positions in it.

    A verdict that names no fact decides nothing.
    """
    facts = list(dict.fromkeys(s for some in picked for s in some))
    position = {s: i for i, s in enumerate(facts)}
    checked = []
    for claim, own, verdict in zip(claims, picked, verdicts, strict=True):
        decided = [position[own[i]] for i in verdict.facts if 0 <= i < len(own)]
        mark: events.Mark = verdict.verdict if decided else "unsupported"
        checked.append(Checked(claim=claim.text, verdict=mark, facts=decided, why=verdict.why))
    return facts, checked


def _told(checked: Sequence[Checked], facts: Sequence[Statement]) -> Steps[None]:
    for claim in checked:
        level: OneOf["info", "warning"] = "info" if claim.verdict == "supported" else "warning"
        why = f" ({claim.why})" if claim.why else ""
        yield events.Noted(text=f"{claim.verdict}: {claim.claim}{why}", level=level)
    decided = tuple(dict.fromkeys(facts[i] for claim in checked for i in claim.facts))
    if decided:
        yield events.Chosen(statements=decided, why="these decide the claims")


def _grounded(answer: Answer, facts: Sequence[Support], checked: Sequence[Checked]) -> Answer:
    """The answer as it is, with the facts that its claims rest on."""
    used = list(dict.fromkeys(i for claim in checked for i in claim.facts))
    sentence = Sentence(text=answer.text, cites=tuple(range(len(used))))
    return answer.model_copy(
        update={"sentences": (sentence,), "citations": tuple(facts[i] for i in used)}
    )


METHOD = Method(
    "kgr",
    "KGR",
    solve,
    Params,
    "The model drafts an answer; its claims are checked and corrected by the graph.",
    "Guan et al. 2023",
)
