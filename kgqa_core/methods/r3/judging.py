"""R3's premises, judged: about one option, by the model, and what they come to (§3.2.4)."""

from __future__ import annotations

from collections.abc import Sequence

from kgqa_core.ask.events import Answer, Sentence
from kgqa_core.facts import verbalise
from kgqa_core.facts.premises import DESCRIPTION, Judgement, Premise
from kgqa_core.facts.terms import Entity, Statement, Value
from kgqa_core.methods.r3.skills import OPTION, PremiseVerdict, StatedAxiom


def about(premise: Premise, option: Entity | None) -> Premise:
    """The premise with the option's name in the option's place."""
    if option is None:
        return premise

    def named(text: str) -> str:
        return text.replace(OPTION, option.name)

    update: dict[str, object] = {"text": named(premise.text)}
    for side in ("left", "right"):
        term = getattr(premise, side)
        if term is not None:
            update[side] = term.model_copy(update={"entity": named(term.entity)})
    return premise.model_copy(update=update)


def read_by_model(
    judgement: Judgement, verdict: PremiseVerdict, shown: Sequence[Statement]
) -> Judgement:
    """What the model says of a premise in words: open, unless it cites a fact."""
    cited = tuple(shown[i] for i in dict.fromkeys(verdict.facts) if 0 <= i < len(shown))
    state = verdict.state if cited else "open"
    why = verdict.why or ("" if cited or verdict.state == "open" else "It cites no fact.")
    return judgement.model_copy(
        update={
            "state": state,
            "because": cited,
            "why": why,
            "by": "model",
            "lacks": (judgement.premise.text,) if state == "open" else (),
            "believed": verdict.state if state != verdict.state else None,
        }
    )


def truth(judged: Sequence[Judgement], axiom: StatedAxiom) -> bool | None:
    """The axiom's answer if its premises hold, the opposite if not, None while that is open."""
    states = [j.state for j in judged]
    decides, otherwise = (
        ("violated", "satisfied") if axiom.connective == "all" else ("satisfied", "violated")
    )
    if decides in states:
        return axiom.answer == (decides == "satisfied")
    if all(state == otherwise for state in states):
        return axiom.answer == (otherwise == "satisfied")
    return None


def lacking(judged: Sequence[Judgement]) -> list[str]:
    """What would have to be known of the open premises."""
    return [text for j in judged if j.state == "open" for text in j.lacks]


def firm(judgement: Judgement) -> bool:
    """Whether the graph alone decided it, by statements."""
    return judgement.by == "graph" and not judgement.missing and not _worded(judgement)


def _worded(judgement: Judgement) -> bool:
    """Whether a premise rests on the words of descriptions alone."""
    return bool(judgement.because) and all(
        s.relation == DESCRIPTION and s.source == "description" for s in judgement.because
    )


def deciding(judged: Sequence[Judgement], axiom: StatedAxiom, truth: bool) -> list[Judgement]:
    """One premise may be enough to break a conjunction or to fulfil a disjunction."""
    held = truth == axiom.answer
    single = {("all", False): "violated", ("any", True): "satisfied"}.get((axiom.connective, held))
    if single:
        return [next(j for j in judged if j.state == single)]
    return list(judged)


def answer(verdict: str, judged: Sequence[Judgement], values: list[Value], axiom: str) -> Answer:
    """One sentence for each deciding premise, each citing its facts; the verdict leads."""
    order: dict[Statement, int] = {}
    sentences = []
    for judgement in judged:
        if not judgement.because:
            continue
        for s in judgement.because:
            order.setdefault(s, len(order))
        said = judgement.why or verbalise.statement(judgement.because[0])
        sentences.append((said, tuple(sorted(order[s] for s in judgement.because))))
    if not sentences:
        return Answer(reason="Undetermined because no fact of the graph decides it.")
    (first, cites), *others = sentences
    return Answer(
        sentences=(
            Sentence(text=f"{verdict}: {first}", cites=cites),
            *(Sentence(text=text, cites=own) for text, own in others),
        ),
        values=tuple(values),
        citations=tuple(order),
        reading=axiom,
    )
