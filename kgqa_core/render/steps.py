"""Events as a list of steps, in words: a pure fold over any prefix of a run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from kgqa_core.ask import events
from kgqa_core.ask.audit import summary
from kgqa_core.ask.events import Cost, Event, Record, Support
from kgqa_core.facts import verbalise
from kgqa_core.facts.terms import Statement, short_id

_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+\-.!|~<>$:&])")


@dataclass
class StepView:
    """One step: what was thought, what happened, what it took."""

    title: str
    thought: str = ""
    records: list[Record] = field(default_factory=list)
    cost: Cost = field(default_factory=Cost)


def steps(records: Iterable[Record]) -> list[StepView]:
    """Events before the first step, and the terminal event, stand in steps of their own."""
    found: list[StepView] = []
    for record in records:
        event = record.event
        if isinstance(event, events.Step):
            found.append(StepView(event.title, event.thought))
        elif event.terminal:
            found.append(StepView(_TERMINAL[type(event)]))
        elif not found:
            found.append(StepView("Begin"))
        found[-1].records.append(record)
        found[-1].cost = found[-1].cost + record.cost
    return found


_TERMINAL: dict[type[Event], str] = {
    events.Answered: "Answer",
    events.Abstained: "No answer",
    events.Failed: "Failed",
    events.Cancelled: "Stopped",
}


def facts(records: Iterable[Record]) -> list[Support]:
    """Everything retrieved so far, each once, in order of appearance."""
    seen: dict[Support, None] = {}
    for record in records:
        event = record.event
        if isinstance(event, events.Expanded):
            seen.update(dict.fromkeys(event.statements))
        elif isinstance(event, events.Retrieved):
            seen.update(dict.fromkeys(event.found))
    return list(seen)


def escape(text: str) -> str:
    """Any text as itself in Markdown: no link, image, formula, directive or tag."""
    plain = _MARKDOWN.sub(r"\\\1", " ".join(text.split()))
    # bare addresses become links even when escaped; a word joiner, unseen, keeps them text
    return plain.replace("\\:/", "\\:\u2060/").replace("www\\.", "www\u2060\\.")


def describe(event: Event) -> str:
    """One event in one line of plain text; empty for those shown otherwise."""
    match event:
        case events.Asked():
            note = f": {event.problem}" if event.problem else ""
            return f"Model: {event.skill}{note}"
        case events.Linked():
            parts = [
                f"“{mention}”: " + (_names(h.entity.name for h in hits) or "nothing found")
                for mention, hits in zip(event.mentions, event.candidates, strict=True)
            ]
            return "Looked up " + "; ".join(parts) if parts else "No name to look up"
        case events.Anchored():
            why = f" ({event.why})" if event.why else ""
            entity = event.entity
            about = f", {entity.description}" if entity.description else ""
            return f"“{event.mention}” is {entity.name}, {short_id(entity.id)}{about}{why}"
        case events.Surveyed():
            names = _names(verbalise.relation_use(u) for u in event.relations[:6])
            return f"{len(event.relations)} relations to choose from: {names}"
        case events.Expanded():
            about = f" by “{event.relation.name}”" if event.relation else ""
            cut = ", more were left out" if event.truncated else ""
            count = f"{len(event.statements):,} fact{'s' * (len(event.statements) != 1)}"
            return f"{count}{about} around {_names(e.name for e in event.entities)}{cut}"
        case events.Retrieved():
            return f"{len(event.found)} nearest to “{event.query}”"
        case events.Queried():
            return f"{len(event.rows)} rows from SPARQL"
        case events.Chosen():
            names = _names((e.name for e in event.entities), 8)
            return f"Went on with {names or _count(event.statements)}"
        case events.Pruned():
            names = _names(e.name for e in event.entities)
            return f"Left {names or _count(event.statements)}: {event.why}"
        case events.DeadEnd():
            return f"Dead end at {_names(e.name for e in event.entities)}: {event.why}"
        case events.Computed():
            result = ", ".join(verbalise.value(v) for v in event.result[:5])
            return f"{event.operation} of {' and '.join(event.arguments)} = {result or 'nothing'}"
        case events.Decomposed():
            return "; ".join(
                f"{p.id + 1}. {p.operation or p.text}"
                + (f" (from {', '.join(str(n + 1) for n in p.needs)})" if p.needs else "")
                for p in event.parts
            )
        case events.Matched():
            found = (
                f"“{text}” {score:.2f}, {' or '.join(chains)}"
                for text, score, chains in zip(
                    event.templates, event.scores, event.chains, strict=True
                )
            )
            return f"Like {_names(found)}" if event.templates else "Like no template"
        case events.Followed():
            ends = _names((verbalise.value(v) for v in event.ends), 3)
            return (
                f"{event.chain} led to {event.count:,}: {ends}"
                if ends
                else (f"{event.chain} led nowhere")
            )
        case events.Solved():
            values = _names((verbalise.value(v) for v in event.values), 8)
            cut = f"; not {_names(verbalise.value(v) for v in event.cut)}" if event.cut else ""
            return f"Answer {event.part + 1}: {values or 'none'}{cut}"
        case events.Proposed():
            return f"The model proposed {_count(event.statements)}"
        case events.Corrected():
            was = verbalise.statement(event.claimed) if event.claimed else "nothing"
            now = verbalise.statement(event.found) if event.found else "unsupported"
            why = f" ({event.why})" if event.why else ""
            return f"{event.outcome.capitalize()}: {was} → {now}{why}".removeprefix(": ")
        case events.Weighed():
            sure = (f"{w.entity.name} {w.confidence:.2f}" for w in event.weights if not w.cut)
            kept = _names(sure, 6) or "no subject"
            return f"Gold graph, {_count(event.statements)}: {kept} of {len(event.weights)}"
        case events.Fixed():
            return f"Fixed graph: {_count(event.statements)}"
        case events.Axiom():
            return f"Axiom: {event.text}"
        case events.Judged():
            marks = {"satisfied": "holds", "violated": "fails", "open": "is open"}
            told = [f"{j.premise.text} {marks[j.state]}" for j in event.judgements]
            return "; ".join(f"“{text}”" for text in told)
        case events.MissingEvidence():
            then = f"read {event.entity.name} next" if event.entity else "nothing to read"
            return f"Missing: {event.text}; {then}"
        case events.Verdict():
            said = f"{event.verdict}: {event.option}" if event.option else event.verdict
            return f"Verdict of branch {event.branch + 1}: {said}"
        case events.Audited():
            return f"Audit by the {event.by}: {summary(event)}"
        case events.Noted():
            return event.text
        case events.Failed():
            return event.message
        case events.Cancelled():
            return event.reason
        case events.Abstained():
            return event.answer.reason
        case _:
            return ""


def hops(citations: Sequence[Support]) -> int:
    """The longest shortest path between two entities of the cited facts."""
    import networkx as nx

    graph: nx.Graph = nx.Graph()
    for c in citations:
        if isinstance(c, Statement):
            graph.add_edge(c.subject, c.object)
    parts = (graph.subgraph(part) for part in nx.connected_components(graph))
    return max((nx.diameter(part) for part in parts), default=0)


def _names(names: Iterable[str], most: int = 4) -> str:
    listed = list(dict.fromkeys(names))
    more = f" and {len(listed) - most} more" if len(listed) > most else ""
    return ", ".join(listed[:most]) + more


def _count(statements: Sequence[Statement]) -> str:
    if len(statements) == 1:
        return verbalise.statement(statements[0])
    return f"{len(statements)} facts"
