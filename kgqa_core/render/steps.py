"""Events as a list of steps, in words: a pure fold over any prefix of a run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from kgqa_core.ask import events
from kgqa_core.ask.events import Cost, Record, Support
from kgqa_core.ask.skill import Choice, registered
from kgqa_core.facts import relations
from kgqa_core.facts.terms import Entity, Statement
from kgqa_core.text import listed

_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+\-.!|~<>$:&])")
_DRAWN = re.compile(r"\\:(?=material/|streamlit\\:)|(?:\\[-<>~]|=)(?=\\?[-=<>~])")


@dataclass
class StepView:
    """One step: what was thought, what happened, what it took."""

    title: str
    thought: str = ""
    records: list[Record] = field(default_factory=list)
    cost: Cost = field(default_factory=Cost)


def steps(records: Iterable[Record]) -> list[StepView]:
    """Events before the first step, and the terminal event, stand in steps of their own.

    What a model was asked for the next action stands in the step that it decided.
    """
    found: list[StepView] = []
    for record in records:
        event = record.event
        if isinstance(event, events.Step):
            decided = [found[-1].records.pop()] if found and _decides(found[-1].records) else []
            if found and not found[-1].records:
                found.pop()
            found.append(StepView(event.title, event.thought, decided))
        elif event.terminal:
            found.append(StepView(event.heading))
        elif not found:
            found.append(StepView("Begin"))
        found[-1].records.append(record)
    for step in found:
        step.cost = sum((record.cost for record in step.records), Cost())
    return found


def _decides(so_far: Sequence[Record]) -> bool:
    """Whether the last that happened is the choice of a next action."""
    last = so_far[-1].event if so_far else None
    skill = registered().get(last.skill) if isinstance(last, events.Asked) else None
    return skill is not None and issubclass(skill.reply, Choice)


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


def unread(records: Iterable[Record]) -> list[str]:
    """Of what the graph has more than was read: a thing, or a relation of it, in words."""
    left: dict[tuple[Any, ...], str] = {}
    for event in (record.event for record in records):
        if isinstance(event, events.Expanded):
            this = event.entities, event.relation, event.direction
            left.pop(this, None)
            if event.truncated:
                of = listed((e.name for e in event.entities), 2)
                left[this] = f"“{event.relation.name}” of {of}" if event.relation else of
    return list(dict.fromkeys(left.values()))


def escape(text: str) -> str:
    """Any text as itself in Markdown: no link, image, formula, directive or tag."""
    plain = _MARKDOWN.sub(r"\\\1", " ".join(text.split()))
    # Bare addresses become links even when escaped; within a directive, icons and arrows do what
    # they do too. A word joiner, unseen, keeps them text.
    plain = plain.replace("\\:/", "\\:\u2060/").replace("@", "@\u2060")
    return _DRAWN.sub("\\g<0>\u2060", plain.replace("www\\.", "www\u2060\\."))


def hops(citations: Sequence[Support], starts: Sequence[Entity] = ()) -> int:
    """How far the cited facts lead: from the starts among them, else from end to end.

    What kind the things are of is no step further, unless that is all that is cited.
    """
    import networkx as nx

    cited = [c for c in citations if isinstance(c, Statement)]
    led = [c for c in cited if not relations.belongs(c.relation, "class", "subclass")]
    graph: nx.Graph = nx.Graph()
    graph.add_edges_from((c.subject, c.object) for c in led or cited)
    ways: list[float] = []
    for part in nx.connected_components(graph):
        if begin := {start for start in starts if start in part}:
            ways += nx.multi_source_dijkstra_path_length(graph, begin).values()
        else:
            ways.append(nx.diameter(graph.subgraph(part)))
    return max(map(int, ways), default=0)
