"""R3's premises, judged: about one option, by the model, and what they come to (§3.2.4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal as OneOf

from kgqa_core.ask.events import Answer, Sentence
from kgqa_core.facts.common import SOURCE
from kgqa_core.facts.premises import DESCRIPTION, Judgement, Premise
from kgqa_core.facts.sentences import sentence
from kgqa_core.facts.terms import Entity, Statement, Value
from kgqa_core.methods.r3.query import inside, left_out
from kgqa_core.methods.r3.skills import OPTION, PremiseVerdict, StatedAxiom

Assumptions = OneOf["none", "marked", "allowed"]


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


def of_premise(verdicts: Sequence[PremiseVerdict], at: int) -> PremiseVerdict:
    """The verdict on the premise at a position: by the number it gives, else by its place."""
    numbered = {v.premise: v for v in reversed(verdicts) if v.premise >= 0}
    if at in numbered:
        return numbered[at]
    if at < len(verdicts) and verdicts[at].premise < 0:
        return verdicts[at]
    return PremiseVerdict(state="open")


def read_by_model(
    judgement: Judgement, verdict: PremiseVerdict, shown: Sequence[Statement], assume: bool
) -> Judgement:
    """What the model says of a premise: open unless it cites a fact, or none is needed.

    A premise of meaning takes no fact, one that compares names has its own. `assume`: what the
    model says that it assumes counts, marked as such, whatever facts it is about.
    """
    cited = tuple(dict.fromkeys(shown[i] for i in verdict.facts if 0 <= i < len(shown)))
    free = judgement.premise.kind == "meaning"
    assumed = not free and verdict.assumed and assume and verdict.state != "open"
    if not cited and judgement.by_names:
        cited = judgement.because
    state = verdict.state if cited or free or assumed else "open"
    why = verdict.why or ("" if cited or verdict.state == "open" else "It cites no fact.")
    return judgement.model_copy(
        update={
            "state": state,
            "because": cited,
            "why": why,
            "by": "model",
            "lacks": (judgement.lacks or (judgement.premise.text,)) if state == "open" else (),
            "believed": verdict.state if state != verdict.state else None,
            "by_names": False,
            "assumed": assumed,
        }
    )


def as_stated(judgement: Judgement) -> Judgement:
    """A premise of meaning as the axiom states it: it is part of the rule, and takes no fact."""
    return judgement.model_copy(
        update={"state": "satisfied", "by": "model", "lacks": (), "why": judgement.premise.text}
    )


def left_open(judgement: Judgement) -> Judgement:
    """One that rests on names that differ, and that nobody was asked about."""
    return judgement.model_copy(
        update={"state": "open", "by_names": False, "lacks": (judgement.premise.text,)}
    )


def firm_only(judged: Sequence[Judgement]) -> list[Judgement]:
    """The same, open where names alone decided."""
    return [left_open(j) if j.by_names else j for j in judged]


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


def certain(
    axiom: StatedAxiom,
    deciding: Iterable[Judgement],
    judged: Sequence[Judgement],
    question: str,
    named: Iterable[tuple[str, Entity]],
) -> bool:
    """When yes or no is told as certain, whoever stated the rule.

    By the graph alone (`by_graph`), and nothing that the question names is left unspoken of
    (`passed_over`). What the model believes (`guess`) and how sure it sounds have no part in it.
    """
    return by_graph(axiom, deciding) and not passed_over(question, named, axiom, judged)


def by_graph(axiom: StatedAxiom, deciding: Iterable[Judgement]) -> bool:
    """Whether the rule has no exception (`strict`), and `firm` are all premises that decide."""
    return axiom.strict and all(map(firm, deciding))


def firm(judgement: Judgement) -> bool:
    """Whether the graph alone decided it, by statements."""
    return (
        judgement.by == "graph"
        and not judgement.missing
        and not judgement.by_names
        and not _worded(judgement)
        and not any(s.source == SOURCE for s in judgement.because)  # what is usual has exceptions
    )


def _worded(judgement: Judgement) -> bool:
    """Whether a premise rests on the words of descriptions alone."""
    return bool(judgement.because) and all(
        s.relation == DESCRIPTION and s.source == "description" for s in judgement.because
    )


def passed_over(
    question: str,
    named: Iterable[tuple[str, Entity]],
    axiom: StatedAxiom,
    judged: Sequence[Judgement],
) -> list[str]:
    """What the question names, and neither a premise nor a fact under one speaks of.

    That somebody was married does not say to whom. `named`: the names that were linked; of one
    that several things bear, any of them may be spoken of. The sentence of the rule speaks for
    names that nobody linked.
    """
    ends = {end for j in judged for s in j.because for end in _ends(s)}
    texts = [text for p in axiom.premises for text in _texts(p)] + [j.why for j in judged]
    spoken: dict[str, bool] = {}
    for mention, entity in named:
        names = (mention, entity.label, *entity.aliases)
        told = entity in ends or any(inside(name, texts) for name in names if name)
        spoken[mention] = spoken.get(mention, False) or told
    heard = [mention for mention, told in spoken.items() if told]
    silent = [m for m, told in spoken.items() if not told and not inside(m, heard)]
    return [*silent, *left_out(question, (*spoken, axiom.rule, *texts))]


def _ends(statement: Statement) -> Iterator[Value]:
    yield from (statement.subject, statement.object, *(q.value for q in statement.qualifiers))


def _texts(premise: Premise) -> Iterator[str]:
    """A premise in words, and what its terms name."""
    yield premise.text
    given = premise.given.right if premise.given else None
    for term in (premise.left, premise.right, given):
        if term is not None:
            yield from (term.entity, *term.constants, *(hop.only for hop in term.path))


def deciding(judged: Sequence[Judgement], axiom: StatedAxiom, truth: bool) -> list[Judgement]:
    """One premise may be enough to break a conjunction or to fulfil a disjunction.

    One that no fact decides comes with those that facts do: it is about them.
    """
    held = truth == axiom.answer
    single = {("all", False): "violated", ("any", True): "satisfied"}.get((axiom.connective, held))
    if single:
        fitting = [j for j in judged if j.state == single]
        best = min(fitting, key=lambda j: (not firm(j), not j.because))
        about = () if best.because else (j for j in judged if j.because and j.state != "open")
        return [best, *about]
    return list(judged)


def answer(
    verdict: str,
    judged: Sequence[Judgement],
    values: list[Value],
    axiom: str,
    assumptions: Assumptions = "marked",
) -> Answer:
    """One sentence for each deciding premise, each citing its facts; the verdict leads.

    What was assumed is said to be: in a sentence without a fact, which leaves the answer
    ungrounded, or (`allowed`) in the reading.
    """
    order: dict[Statement, int] = {}
    sentences: list[tuple[str, tuple[int, ...]]] = []
    taken = [(j.why or j.premise.text).rstrip(".") for j in judged if j.assumed]
    if taken and assumptions == "allowed":
        axiom = f"{axiom} Assumed, as no fact says it: {'; '.join(taken)}."
    for judgement in judged:
        if not judgement.because:
            continue
        for s in judgement.because:
            order.setdefault(s, len(order))
        told = "" if judgement.assumed else judgement.why
        said = told or sentence(judgement.because[0])
        cited = tuple(sorted(order[s] for s in judgement.because))
        if (said, cited) not in sentences:  # two restrictions may follow from one fact
            sentences.append((said, cited))
    if not sentences:
        return Answer(reason="Undetermined because no fact that was read decides it.")
    if assumptions == "marked":
        sentences += [(f"Assumed, as no fact says it: {text}.", ()) for text in taken]
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
