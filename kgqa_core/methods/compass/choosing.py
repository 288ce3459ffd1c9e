"""A choice between options: each is held against one rule (R3), within the calls of Compass.

One call states the rule, the order in which options suit the question, and how its premises stand
by the facts it cites: a verdict without a fact is open. Where that leads to no option, or a prompt
has no room for all that is known of them, R3's search goes on with the calls there are for
repairs. The built-in reader, whose replies cost nothing, goes R3's way.
"""

from __future__ import annotations

from kgqa_core.ask import events, shown
from kgqa_core.ask.events import Answer
from kgqa_core.ask.run import Steps, Toolkit
from kgqa_core.facts.decide import evaluate
from kgqa_core.facts.premises import Judgement, Premise
from kgqa_core.facts.terms import Entity
from kgqa_core.methods.compass import telling
from kgqa_core.methods.compass.course import Params
from kgqa_core.methods.compass.skills import CHOOSE, Choosing
from kgqa_core.methods.r3 import algorithm as r3
from kgqa_core.methods.r3 import judging
from kgqa_core.methods.r3.anchors import anchor
from kgqa_core.methods.r3.query import between, read_query, unfit
from kgqa_core.methods.r3.search import Branch, Search, few, of_person
from kgqa_core.methods.r3.search import Params as OfR3
from kgqa_core.methods.r3.skills import PremiseVerdict, StatedAxiom


def choose(question: str, tools: Toolkit, params: Params) -> Steps[Answer]:
    if not params.premises:
        return Answer(
            reason="A choice between options takes a rule of common sense: switch “premises” on."
        )
    of_r3 = OfR3(
        task="preference",
        pruning="dense",
        calls=1 + params.repairs,
        user=params.user,
        rejected=params.rejected,
    )
    search, answer = Search(read_query(question, "preference"), tools, of_r3), None
    if not params.rejected:
        answer = yield from _at_once(search)
    if answer is None:
        answer = yield from r3.solve(question, tools, of_r3)
    forced = not (search.tools.reads_all and between(question))  # else it may be none of them
    left = search.unopposed if forced else None
    if not answer.sentences and left is not None:
        kept = yield from r3.choose(search, left.branch, left.depth, left.standing, left.option)
        answer = answer if kept is None else kept.model_copy(update={"certain": False})
    return telling.in_sentences(answer)


def _at_once(search: Search) -> Steps[Answer | None]:
    """The choice in one call; None: it takes more."""
    if unfit(search.query):
        return None
    yield from anchor(search)
    facts = list(dict.fromkeys((*of_person(search), *few(search, search.facts.statements))))
    if shown.fitting(facts) < len(facts):
        return None
    options = list(search.options)
    reply = yield from search.tools.ask(
        CHOOSE,
        question=search.query.question,
        options=[option.name for option in options],
        facts=facts,
        user=search.params.user,
    )
    premises = [Premise(text=text) for text in reply.premises if text.strip()]
    if search.tools.reads_all or not premises or not reply.rule.strip():
        return None
    axiom = StatedAxiom(rule=reply.rule, premises=premises, strict=False)
    branch = Branch(0, axiom, search.facts.copy())
    yield events.Axiom(text=reply.rule, entities=(), branch=0, premises=tuple(premises))
    standing: list[tuple[Entity | None, list[Judgement]]] = []
    judged_ones = {verdict.option for verdict in reply.verdicts}
    for at in (at for at in _order(reply, len(options)) if at in judged_ones):
        about = (judging.about(premise, options[at]) for premise in premises)
        judged = [
            judging.read_by_model(
                evaluate(premise, branch.facts), _verdict(reply, at, n), facts, assume=True
            )
            for n, premise in enumerate(about)
        ]
        standing.append((options[at], judged))
    search.options = [option for option, _ in standing if option is not None]
    yield from r3.report(standing, branch, 0)
    answer, _ = yield from r3.decide(search, branch, 0, standing)
    return answer


def _order(reply: Choosing, count: int) -> list[int]:
    """Positions of all options, those that suit best first."""
    return list(dict.fromkeys((*(at for at in reply.order if 0 <= at < count), *range(count))))


def _verdict(reply: Choosing, option: int, premise: int) -> PremiseVerdict:
    """What the reply says of a premise of an option; open, where it says nothing."""
    said = next((v for v in reply.verdicts if (v.option, v.premise) == (option, premise)), None)
    if said is None:
        return PremiseVerdict(state="open")
    return PremiseVerdict(why=said.why, facts=said.facts, assumed=said.assumed, state=said.state)
