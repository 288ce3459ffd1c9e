"""KGR: an answer drafted by the model alone, retrofitted to the facts of the graph.

Guan et al., Mitigating Large Language Model Hallucinations via Autonomous Knowledge Graph-based
Retrofitting, AAAI 2024 (arXiv:2311.13314): the five components of Figure 2. Claim extraction;
entity detection and retrieval; fact selection; claim verification; retrofitting, round by round.

Departure: a draft whose claims all hold is given with the facts that show it, and what the facts
leave open stands in a sentence without facts, so that the answer shows what of it is grounded.
Departure: the facts of a claim are selected by their nearness to it (`selection`), all claims of a
round are verified in one call (what they leave open in a further one, where more is stated than a
prompt holds), and what the graph says nothing about is asked of nobody. An empty draft ends the run
with an abstention, where the published baseline of R3 loses the question. A conclusion that no fact
states stands where all that it follows from does, and is not certain.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Annotated
from typing import Literal as OneOf

from pydantic import BaseModel, Field

from kgqa_core.ask import bounds, events, shown, skills
from kgqa_core.ask import invented as x
from kgqa_core.ask.events import Answer, Sentence, Support
from kgqa_core.ask.listed import Listed
from kgqa_core.ask.method import Method
from kgqa_core.ask.run import Steps, Toolkit
from kgqa_core.ask.skill import Skill
from kgqa_core.ask.skills import AtomicClaim, CitedSentence, FactAnswer
from kgqa_core.facts import verbalise
from kgqa_core.facts.terms import Entity, Statement, Value
from kgqa_core.methods import cot, io
from kgqa_core.methods.answering import as_terms, compose
from kgqa_core.methods.linking import link_mentions
from kgqa_core.text import counted, plain


class Params(BaseModel):
    draft: OneOf["cot", "io"] = Field("cot", description="how the draft is made")
    rounds: int = Field(2, ge=1, le=5, description="verify-and-retrofit rounds")
    selection: OneOf["nearness", "model"] = Field(
        "nearness", description="fact selection: by words and meaning, or one call for each claim"
    )
    facts: int = Field(2000, ge=10, le=5000, description="statements around each entity")
    answer_linking: bool = Field(True, description="link the answer to entities of the graph")


class ToSelect(BaseModel):
    question: str
    claim: str = Field(description="what is to be checked")
    facts: list[Statement] = Field(description="what the graph says, numbered")


class Selected(BaseModel):
    thought: str = Field("", description="half a sentence: what would show it, or show it wrong")
    indices: Annotated[list[int], Listed("facts")] = Field(
        description="positions of the facts, the most telling first"
    )


SELECT = Skill(
    "select facts",
    "Select the facts that bear on the claim: that show it to be right or wrong. None if none do.",
    ToSelect,
    Selected,
    examples=(
        (
            ToSelect(
                question="Where was Ilse Marrow born?",
                claim="Ilse Marrow was born on Orvel.",
                facts=[x.NORAS, x.BIRTHPLACE, x.BIRTH, x.ON_ORVEL],
            ),
            Selected(thought="her birthplace, and where that lies", indices=[1, 3]),
        ),
        (
            ToSelect(
                question="Is Nora Marrow married?",
                claim="Nora Marrow was married.",
                facts=[x.NORAS, x.BIRTH],
            ),
            Selected(thought="a spouse: no fact names one", indices=[]),
        ),
    ),
)


class ToVerifyAll(BaseModel):
    question: str
    claims: list[str] = Field(description="what was said in answer to it, claim by claim")
    facts: list[Statement] = Field(description="what the graph says, numbered")


class ClaimVerdict(BaseModel):
    claim: Annotated[int, Listed("claims")] = Field(description="position of the claim")
    why: str = Field("", description="half a sentence: what the facts say of it")
    facts: Annotated[list[int], Listed("facts")] = Field(
        [], description="positions of the facts that decide"
    )
    verdict: events.Mark = Field(
        description="supported: the facts state it or it follows from them; contradicted: they "
        "say otherwise; unsupported: they leave it open"
    )


class Verdicts(BaseModel):
    verdicts: list[ClaimVerdict] = Field(description="one for every claim")


VERIFY = Skill(
    "verify claims",
    f"Judge each claim by the numbered facts alone, not from memory. {skills.HOW_TO_JUDGE}",
    ToVerifyAll,
    Verdicts,
    examples=(
        (
            ToVerifyAll(
                question="Where was Ilse Marrow born, and to whom was she married?",
                claims=[
                    "Ilse Marrow was born on Orvel.",
                    "Ilse Marrow was born in 1904.",
                    "Ilse Marrow was married to a sailor.",
                ],
                facts=[x.BIRTH, x.BIRTHPLACE, x.ON_ORVEL, x.JONS],
            ),
            Verdicts(
                verdicts=[
                    ClaimVerdict(
                        claim=0,
                        why="born in Port Quill, which lies on Orvel",
                        facts=[1, 2],
                        verdict="supported",
                    ),
                    ClaimVerdict(claim=1, why="it was 1902", facts=[0], verdict="contradicted"),
                    ClaimVerdict(
                        claim=2, why="nothing is said of a marriage", verdict="unsupported"
                    ),
                ]
            ),
        ),
        (
            ToVerifyAll(
                question="Who directed The Salt Lantern?",
                claims=["Ilse Marrow directed The Salt Lantern.", "The film is after her novel."],
                facts=[x.DIRECTED, x.FILMED, x.WROTE],
            ),
            Verdicts(
                verdicts=[
                    ClaimVerdict(
                        claim=0,
                        why="Tomas Wendeler directed it",
                        facts=[0],
                        verdict="contradicted",
                    ),
                    ClaimVerdict(
                        claim=1,
                        why="based on the novel, which is by her",
                        facts=[1, 2],
                        verdict="supported",
                    ),
                ]
            ),
        ),
    ),
)


class Checked(BaseModel):
    """A claim of the draft with its verdict; `facts` are positions."""

    claim: str
    verdict: events.Mark
    facts: list[int] = []
    why: str = ""


class ToRetrofit(BaseModel):
    question: str
    draft: str = Field(description="an answer from memory")
    claims: list[Checked] = Field(
        description="what it says, with the verdict of the facts and the positions of those"
    )
    facts: list[Statement] = Field(description="what the graph says, numbered")


RETROFIT = Skill(
    "retrofit answer",
    "Rewrite the draft so that it agrees with the facts and still answers the question. What is "
    "contradicted is corrected by its facts; what is supported stays. Every such sentence names "
    "the facts it rests on. What the facts leave open stands, if the answer needs it, in a "
    "sentence of its own without facts. `values` are all answers that the sentences give: those "
    "the facts state, and of the draft those they leave open; then it is not certain. If nothing "
    "of the draft is left, give no sentences.",
    ToRetrofit,
    FactAnswer,
    examples=(
        (
            ToRetrofit(
                question="When and where was Ilse Marrow born?",
                draft="Ilse Marrow was born in 1904 in Port Quill.",
                claims=[
                    Checked(
                        claim="Ilse Marrow was born in 1904.", verdict="contradicted", facts=[0]
                    ),
                    Checked(
                        claim="Ilse Marrow was born in Port Quill.", verdict="supported", facts=[1]
                    ),
                ],
                facts=[x.BIRTH, x.BIRTHPLACE],
            ),
            FactAnswer(
                thought="The year is wrong, the place is right.",
                sentences=[
                    CitedSentence(
                        text="Ilse Marrow was born on 14 March 1902 in Port Quill.", facts=[0, 1]
                    )
                ],
                values=["1902-03-14", "Port Quill"],
            ),
        ),
        (
            ToRetrofit(
                question="Who filmed The Salt Lantern, and with whom?",
                draft="Jon Marrow filmed The Salt Lantern with Ada Pell.",
                claims=[
                    Checked(
                        claim="Jon Marrow filmed The Salt Lantern.",
                        verdict="contradicted",
                        facts=[0],
                    ),
                    Checked(
                        claim="Ada Pell was in the film The Salt Lantern.", verdict="unsupported"
                    ),
                ],
                facts=[x.DIRECTED],
            ),
            FactAnswer(
                thought="[0] names the director; of the cast nothing is known.",
                sentences=[
                    CitedSentence(text="Tomas Wendeler filmed The Salt Lantern.", facts=[0]),
                    CitedSentence(text="Ada Pell may have been in it.", facts=[]),
                ],
                values=["Tomas Wendeler", "Ada Pell"],
                certain=False,
            ),
        ),
    ),
)


def solve(question: str, tools: Toolkit, params: Params) -> Steps[Answer]:
    answer = yield from _retrofitted(question, tools, params)
    blank = tools.stated_blank(question)
    if answer.citations or not answer.sentences or not blank:
        return answer
    # a memory that nothing bears out, where the graph states that there is nothing to bear out
    reason = " ".join(filter(None, (blank, answer.reason)))
    return answer.model_copy(update={"certain": False, "reason": reason})


def _retrofitted(question: str, tools: Toolkit, params: Params) -> Steps[Answer]:
    answer = yield from _draft(question, tools, params)
    if not answer.sentences:
        return Answer(reason=f"There is no draft to retrofit. {answer.reason}")
    for n in range(1, params.rounds + 1):
        yield events.Step(title=f"Round {n}: list the claims of the draft")
        listed = yield from tools.ask(
            skills.LIST_CLAIMS,
            question=question,
            sentences=[answer.text],
            values=[_named(value) for value in answer.values],
        )
        claims = [claim for claim in listed.claims if claim.text.strip()]
        if not claims:
            return answer
        yield events.Step(title=f"Round {n}: look up facts about {counted(len(claims), 'claim')}")
        around = yield from _retrieve(question, claims, tools, params)
        yield events.Step(title=f"Round {n}: check the claims by the facts")
        if params.selection == "model":
            around = yield from _select(question, claims, around, tools)
        checked, facts = yield from _verified(question, claims, around, tools)
        yield from _told(checked, facts)
        if not facts:
            return answer  # there is nothing to check it by, so it stays as ungrounded as it is
        stated = [c for c, claim in zip(checked, claims, strict=True) if not _follows(c, claim)]
        if stated and all(c.verdict == "supported" for c in stated):
            held = yield from _grounded(question, answer, facts, checked, tools, params)
            return held.model_copy(update={"certain": held.certain and stated == checked})
        yield events.Step(title=f"Round {n}: correct the draft")
        reply = yield from tools.ask(
            RETROFIT, question=question, draft=answer.text, claims=checked, facts=facts
        )
        before = answer
        answer = yield from compose(question, reply, facts, tools, link=params.answer_linking)
        if answer.sentences and not answer.values:
            kept = [name for v in before.values if _says(answer.text, name := _named(v))]
            values = yield from as_terms(question, kept, facts, tools, params.answer_linking)
            answer = answer.model_copy(update={"values": tuple(values)})
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
        both = [s for s in found if {s.subject, s.object} <= own]
        near = (_near(claim.text, e, found, tools) for e in entities if e in own)
        turns = [s for row in zip_longest(*near) for s in row if s]
        around.append(list(dict.fromkeys((*both[: bounds.BETWEEN], *turns))))
    return around


def _near(
    claim: str, entity: Entity, found: Sequence[Statement], tools: Toolkit
) -> list[Statement]:
    """The facts of an entity, the nearest to a claim first if some have to be left out."""
    own = [s for s in found if entity in (s.subject, s.object)]
    return tools.relevant(claim, own, room=0) if len(own) > bounds.BESIDE_CLAIM // 2 else own


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


def _beside(around: Sequence[list[Statement]]) -> list[Statement]:
    """The nearest facts of all claims in one list, those of each in turn."""
    turns = [
        s
        for row in zip_longest(*(facts[: bounds.BESIDE_CLAIM] for facts in around))
        for s in row
        if s
    ]
    return list(dict.fromkeys(turns))


def _verified(
    question: str,
    claims: Sequence[AtomicClaim],
    around: Sequence[list[Statement]],
    tools: Toolkit,
) -> Steps[tuple[list[Checked], list[Statement]]]:
    """All claims with their verdicts, and the facts in which these count.

    What the facts of a prompt leave open is held against the next ones: one further call, of
    whoever has not read them all.
    """
    facts = _beside(around)
    checked = yield from _verify(question, claims, facts, tools)
    seen = set(facts[: shown.fitting(facts)]) if facts else set[Statement]()
    left_open = [n for n, claim in enumerate(checked) if claim.verdict == "unsupported"]
    rest = _beside([[s for s in around[n] if s not in seen] for n in left_open])
    if tools.reads_all or not rest:
        return checked, facts
    yield events.Step(title=f"Read on: {counted(len(rest), 'further fact')}")
    again = yield from _verify(question, [claims[n] for n in left_open], rest, tools)
    cited = [facts[i] for claim in checked for i in claim.facts]
    cited += [rest[i] for claim in again for i in claim.facts]
    whole = list(dict.fromkeys([*cited, *facts]))
    at = {fact: n for n, fact in enumerate(whole)}
    decided = dict(zip(left_open, again, strict=True))
    for n, first in enumerate(checked):
        later = decided.get(n)
        verdict, of = (first, facts) if later is None or not later.facts else (later, rest)
        own = [at[of[i]] for i in verdict.facts]
        checked[n] = verdict.model_copy(update={"facts": own})
    return checked, whole


def _verify(
    question: str, claims: Sequence[AtomicClaim], facts: list[Statement], tools: Toolkit
) -> Steps[list[Checked]]:
    """All claims with their verdicts, in one call.

    A verdict that names no fact decides nothing, and neither does one that is missing.
    """
    found: dict[int, ClaimVerdict] = {}
    if facts:
        reply = yield from tools.ask(
            VERIFY, question=question, claims=[claim.text for claim in claims], facts=facts
        )
        found = {verdict.claim: verdict for verdict in reversed(reply.verdicts)}
    checked = []
    for n, claim in enumerate(claims):
        verdict = found.get(n)
        decided = [i for i in verdict.facts if 0 <= i < len(facts)] if verdict else []
        mark: events.Mark = verdict.verdict if verdict and decided else "unsupported"
        why = verdict.why if verdict else "" if facts else "nothing was read about it"
        checked.append(Checked(claim=claim.text, verdict=mark, facts=decided, why=why))
    return checked


def _told(checked: Sequence[Checked], facts: Sequence[Statement]) -> Steps[None]:
    for claim in checked:
        level: OneOf["info", "warning"] = "info" if claim.verdict == "supported" else "warning"
        why = f" ({claim.why})" if claim.why else ""
        yield events.Noted(text=f"{claim.verdict}: {claim.claim}{why}", level=level)
    decided = tuple(dict.fromkeys(facts[i] for claim in checked for i in claim.facts))
    if decided:
        yield events.Chosen(statements=decided, why="these decide the claims")


def _grounded(
    question: str,
    answer: Answer,
    facts: Sequence[Support],
    checked: Sequence[Checked],
    tools: Toolkit,
    params: Params,
) -> Steps[Answer]:
    """The answer as it is, with the facts that its claims rest on, and its values as theirs."""
    used = [facts[i] for i in dict.fromkeys(i for claim in checked for i in claim.facts)]
    sentence = Sentence(text=answer.text, cites=tuple(range(len(used))))
    values = yield from as_terms(
        question, list(map(_named, answer.values)), used, tools, params.answer_linking
    )
    return answer.model_copy(
        update={"sentences": (sentence,), "citations": tuple(used), "values": tuple(values)}
    )


def _named(value: Value) -> str:
    return value.label if isinstance(value, Entity) else verbalise.value(value)


def _says(text: str, name: str) -> bool:
    return f" {plain(name)} " in f" {plain(text)} "


def _follows(checked: Checked, claim: AtomicClaim) -> bool:
    """Whether a claim is a conclusion that no fact says: it stands or falls with the others."""
    return claim.reasoning and checked.verdict == "unsupported"


METHOD = Method(
    "kgr",
    "KGR",
    solve,
    Params,
    "The model drafts an answer; its claims are checked and corrected by the graph.",
    "Guan et al. 2023",
)
