"""An amount in the unit that a question asks for, with the one that is stated beside it."""

from __future__ import annotations

import re
from decimal import Decimal

from kgqa_core.ask.events import Answer, Sentence
from kgqa_core.facts import units, verbalise
from kgqa_core.facts.terms import DECIMAL, Literal

_UNHEARD_OF = re.compile(r" in (?P<unit>[a-z]+s)\W*$")  # in cubits


def in_asked_unit(question: str, answer: Answer) -> Answer:
    """The answer with its amounts in the unit asked for; where nothing tells how, it says so.

    A text that has them in another unit than the graph is left as it is.
    """
    found = units.asked(question) or _UNHEARD_OF.search(question)
    stated = [v for v in answer.values if isinstance(v, Literal) and _measured(v)]
    if found is None or not stated:
        return answer
    asked = " ".join(filter(None, found.groups()))
    sentences = list(answer.sentences)
    for value in stated:
        text = verbalise.value(value)
        told = re.compile(rf"(?<![\w.,]){re.escape(text)}(?!\w)")
        at = next((n for n, s in enumerate(sentences) if told.search(s.text)), None)
        if at is None or _same(value, asked):
            continue
        new = _converted(value, asked)
        if new is None:
            return answer.model_copy(
                update={"sentences": (*sentences, _unknown(asked, sentences[at])), "certain": False}
            )
        instead = told.sub(f"{new} ({text})".replace("\\", ""), sentences[at].text)
        sentences[at] = sentences[at].model_copy(update={"text": instead})
    return answer.model_copy(update={"sentences": tuple(sentences)})


def _unknown(unit: str, beside: Sentence) -> Sentence:
    return Sentence(text=f"What that is in {unit} is not known here.", cites=beside.cites)


def _measured(value: Literal) -> bool:
    return value.unit is not None and bool(units.of(value.unit.name))


def _same(value: Literal, asked: str) -> bool:
    own = units.unit(value.unit.name) if value.unit else None
    return own is not None and own is units.unit(asked)


def _converted(value: Literal, asked: str) -> str | None:
    number = units.converted(Decimal(value.value), value.unit.name if value.unit else "", asked)
    if number is None:
        return None
    known = units.unit(asked)
    named = known.sign if known and known.sign != known.name else asked
    return f"{verbalise.value(Literal(f'{number:f}', DECIMAL))} {named}"
