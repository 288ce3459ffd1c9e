"""Step 5: answers that need no model to be told; and steps in words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from kgqa_core.ask import bounds
from kgqa_core.ask.events import Answer, Sentence
from kgqa_core.ask.run import Toolkit
from kgqa_core.facts import compute, timeline, verbalise
from kgqa_core.facts.sentences import stopped, verdict
from kgqa_core.facts.terms import BOOLEAN, Literal, Statement, Value
from kgqa_core.methods.answering import listed
from kgqa_core.methods.compass.plan import PlanStep
from kgqa_core.methods.walk import NodeSet, told
from kgqa_core.text import enumerated, shortened

_IN_TIME = {"highest": "latest", "lowest": "earliest"}
HANDLE = re.compile(r"\b[ns][1-9]\d?\b")  # of a start or a step


def tell(found: NodeSet, counted: Sequence[Value] = ()) -> Answer:
    """The values of a set, each with the facts it rests on; yes or no and counts with why.

    `counted`: what a number is the number of.
    """
    if len(found.members) == 1:
        ((value, facts),) = found.members.items()
        if isinstance(value, Literal) and value.datatype == BOOLEAN:
            return _one(verdict(value.value == "true", facts, bounds.TOLD), value, facts)
        if counted and isinstance(value, Literal):
            names = [verbalise.value(v) for v in counted[: bounds.COUNTED]]
            rest = len(counted) - len(names)
            told = f"{', '.join(names)} and {rest} more" if rest else enumerated(names)
            return _one(stopped(f"{verbalise.value(value)}: {told}"), value, facts)
        return _one(stopped(verbalise.led_to(value, facts)), value, facts)
    return listed(found.members)


def _one(text: str, value: Value, facts: Sequence[Statement]) -> Answer:
    cited = tuple(dict.fromkeys(facts))
    sentence = Sentence(text=text, cites=tuple(range(len(cited))))
    return Answer(sentences=(sentence,), values=(value,), citations=cited)


def undated(found: NodeSet) -> list[str]:
    """That an amount is told which changes, where nothing says of when it is."""
    last = [support[-1] for support in found.members.values() if support]
    stated = [s for s in last if s.object in found.members and verbalise.measured(s)]
    names = dict.fromkeys(s.relation.name for s in stated if timeline.when_of(s) is None)
    return [f"the {name} changes, and nothing says of when this is" for name in names]


def in_sentences(answer: Answer) -> Answer:
    """The same, with a capital at the beginning of every sentence and a stop at its end."""
    told = tuple(
        s.model_copy(update={"text": stopped(s.text[:1].upper() + s.text[1:])})
        for s in answer.sentences
    )
    return answer.model_copy(update={"sentences": told})


def shown(found: NodeSet) -> str:
    return compute.describe(list(found.members), 2)


# -- steps in words --------------------------------------------------------------------------


def step_in_words(step: PlanStep, tools: Toolkit) -> str:
    """What a step is to do, as short as a node of a diagram."""
    known = tools.relation(step.relation) if step.relation else None
    second = step.per or step.less
    by = tools.relation(second) if second else None
    joined = f" {'per' if step.per else 'less'} {by.name if by else second}" if second else ""
    what = shortened(f"{known.name if known else step.relation}{joined}", 40)
    value = told(step.value, tools)
    back = "← " if step.direction == "in" else ""
    match step.do:
        case "find":
            return f"find “{step.mention}”"
        case "follow":
            at = "today" if step.at == "now" else step.at
            extra = f" ({value})" if value else f" ({at})" if at else ""
            return f"{back}{what}{extra}"
        case "keep":
            return f"{back}{what} {step.test} {value or step.with_set}".strip()
        case "rank":
            which = f"{step.position}. " if step.position > 1 else ""
            if step.with_set:
                return f"{which}{step.order} of {step.with_set}"
            if not (step.qualifier or what):
                return f"{which}{_IN_TIME.get(step.order, step.order)}"
            return f"{which}{step.order} {step.qualifier or what}"
        case "group":
            return f"shared {what}"
        case _:
            if second:
                bare = step.operation in ("quotient", "difference")
                what = what if bare else f"{step.operation} {what}"
                return what.replace("_", " ")
            extra = f" {value}" if value else ""
            return f"{step.operation.replace('_', ' ')}{extra}"


def by_names(text: str, names: Mapping[str, str]) -> str:
    """What is said of sets by their handles, as people read it."""
    return HANDLE.sub(lambda handle: names.get(handle[0], handle[0]), text)
