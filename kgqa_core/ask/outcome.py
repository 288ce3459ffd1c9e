"""What a run came to: answer, audit, warnings, cost, and all of it as one JSON document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kgqa_core.ask.events import (
    Abstained,
    Answer,
    Answered,
    Asked,
    Audited,
    Cost,
    Noted,
    Record,
    Support,
    status_of,
)
from kgqa_core.facts import verbalise
from kgqa_core.facts.terms import Entity, Literal, Statement, Value, short_id
from kgqa_core.settings import Settings
from kgqa_core.text import counted


def document(question: str, method: str, records: Sequence[Record]) -> dict[str, Any]:
    """`question, method, status, answer, citations, events, cost, audit`, as in the README."""
    answer = answer_of(records)
    last = records[-1].event if records else None
    return {
        "question": question,
        "method": method,
        "status": status_of(list(records)),
        "answer": {
            "text": answer.text,
            "values": [term(v) for v in answer.values],
            "grounding": answer.grounding,
            "sentences": [s.model_dump() for s in answer.sentences],
            "certain": answer.certain,
            "reading": answer.reading,
            "reason": answer.reason or getattr(last, "message", "") or getattr(last, "reason", ""),
        },
        "citations": [citation(c) for c in answer.citations],
        "events": [r.model_dump(mode="json") for r in records],
        "cost": total_cost(records).model_dump(),
        "audit": _audit(records),
    }


def audit_of(records: Sequence[Record]) -> Audited | None:
    """The claim-by-claim check of the answer; None for a run without one."""
    return next((r.event for r in reversed(records) if isinstance(r.event, Audited)), None)


def _audit(records: Sequence[Record]) -> dict[str, Any] | None:
    found = audit_of(records)
    if found is None:
        return None
    return {
        "by": found.by,
        "support": found.support,
        "claims": [
            {
                "text": c.text,
                "mark": c.mark,
                "sentence": c.sentence,
                "reasoning": c.reasoning,
                "facts": [citation(f) for f in c.facts],
                "why": c.why,
                "axiom": c.axiom,
            }
            for c in found.claims
        ],
    }


def answer_of(records: Sequence[Record]) -> Answer:
    """The final answer; an empty one for a run that has none."""
    for record in reversed(records):
        if isinstance(record.event, Answered | Abstained):
            return record.event.answer
    return Answer()


def warnings(records: Sequence[Record]) -> list[str]:
    """What the user should know of an answer: incomplete results, steps left out. Each once."""
    return _noted(records, "warning")


def uncounted(records: Sequence[Record]) -> list[str]:
    """What was believed where there is no answer: it does not count."""
    return _noted(records, "belief")


def _noted(records: Sequence[Record], level: str) -> list[str]:
    notes = (record.event for record in records)
    return list(dict.fromkeys(n.text for n in notes if isinstance(n, Noted) and n.level == level))


def total_cost(records: Sequence[Record]) -> Cost:
    total = Cost()
    for record in records:
        total = total + record.cost
    return total.model_copy(update={"seconds": records[-1].at_s if records else 0.0})


def by_reader(records: Sequence[Record]) -> bool:
    """Whether the built-in reader was asked in the place of a model."""
    return any(isinstance(r.event, Asked) and r.event.rung == "reader" for r in records)


def calls_in_words(records: Sequence[Record]) -> str:
    """`3 model calls`; the built-in reader is no model."""
    calls = total_cost(records).llm_calls
    if calls and by_reader(records):
        return f"no model call ({calls:,} to the built-in reader)"
    return counted(calls, "model call") if calls else "no model call"


def dollars(cost: Cost, settings: Settings) -> float | None:
    """What tokens cost, in US dollars; None while the settings name no price."""
    if settings.price_prompt is None and settings.price_completion is None:
        return None
    prompt = cost.prompt_tokens * (settings.price_prompt or 0.0)
    return (prompt + cost.completion_tokens * (settings.price_completion or 0.0)) / 1e6


def term(v: Value) -> dict[str, Any]:
    """An entity as id and label; a literal has id null, and `label` in normal form."""
    if isinstance(v, Entity):
        return {"id": short_id(v.id), "label": v.name, "iri": v.id}
    return {"id": None, "label": v.value, "datatype": short_id(v.datatype), "unit": _unit(v)}


def citation(item: Support) -> dict[str, Any]:
    if not isinstance(item, Statement):
        return {"passage": item.id, "title": item.title, "text": item.text, "source": item.source}
    return {
        "subject": term(item.subject),
        "relation": {"id": short_id(item.relation.id), "label": item.relation.name},
        "object": term(item.object),
        "qualifiers": [
            {
                "relation": {"id": short_id(q.relation.id), "label": q.relation.name},
                "value": term(q.value),
            }
            for q in item.qualifiers
        ],
        "rank": item.rank,
        "source": item.source,
        "text": verbalise.statement(item),
    }


def _unit(v: Literal) -> str | None:
    return v.unit.name if v.unit else None
