"""Step 7: an answer that was certain and holds claim by claim becomes a template of its graph.

Kept beside Keqing's libraries, in one of its own for each graph; the next question in this wording
asks no model. Whoever keeps a template may take it back.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from kgqa_core.ask import events
from kgqa_core.ask.events import Answer
from kgqa_core.ask.run import Steps, Toolkit
from kgqa_core.methods.keqing import templates
from kgqa_core.methods.keqing.templates import Chain, Hop, Library, Template
from kgqa_core.settings import Settings, load_settings

if TYPE_CHECKING:
    from kgqa_core.methods.compass.course import Params


def learns(
    question: str, seen: Sequence[events.Event], answer: Answer, tools: Toolkit, params: Params
) -> Steps[None]:
    """With `learn`, keeps what can be kept of a run that read all there is; never where visitors
    share a data folder.
    """
    settings = load_settings()
    if not params.learn or settings.hosted or tools.is_incomplete:
        return
    if tools.undecided(question, answer.citations):  # of whom it was answered, is not certain
        return
    template = learned_from(question, (*seen, events.Answered(answer=answer)))
    if template is None or kept_for(tools.graph, settings).exact(template.text) is not None:
        return
    keep(template, tools.graph, settings)
    yield events.Noted(
        text=f"Remembered as “{template.text}”: the next such question asks no model. The plan "
        "has a button that forgets it.",
        level="info",
    )


def learned_from(question: str, seen: Sequence[events.Event]) -> Template | None:
    """The template of a run: its question masked, and the hops that its answer rests on.

    None for an answer that is not certain, that was not checked or does not hold in every claim,
    or whose plan is no chain from one name.
    """
    answered = next((e.answer for e in seen if isinstance(e, events.Answered)), None)
    checked = next((e for e in reversed(seen) if isinstance(e, events.Audited)), None)
    if answered is None or not answered.certain or checked is None or checked.support != 1:
        return None
    plans = [e for e in seen if isinstance(e, events.Planned)]
    if not plans or plans[-1].by == "template":
        return None
    bound = {e.step: e for e in seen if isinstance(e, events.Bound)}
    steps = {node.id: node for node in plans[-1].steps}
    starts = {node.id: node for node in plans[-1].starts}
    hops: list[Hop] = []
    apart: set[str] = set()
    here = plans[-1].answer
    while here in steps:
        node, taken = steps[here], bound.get(here)
        if taken is None or not node.plain or len(node.needs) != 1 or len(hops) > len(steps):
            return None
        hops.insert(0, Hop(templates.written(taken.relation), taken.direction))
        apart.update(node.apart)
        here = node.needs[0]
    masked = templates.masked(question, starts[here].mention) if here in starts else []
    if not hops or len(masked) != 1 or not apart <= {here}:
        return None  # a template leaves out what the question names, and nothing else
    text = masked[0].rstrip(" ?.!")
    return Template(text, (Chain(tuple(hops), support=1),), example=question)


def kept_for(graph: str, settings: Settings | None = None) -> Library:
    """What was kept for a graph; empty where nothing was."""
    path = _path(graph, settings or load_settings())
    return templates.load(path) if path.is_file() else Library()


def keep(template: Template, graph: str, settings: Settings) -> None:
    kept = kept_for(graph, settings)
    known = kept if kept else replace(kept, graph=graph, about="Kept from answers of Compass.")
    templates.save(known.put(template), _path(graph, settings))


def forget(text: str, graph: str, settings: Settings) -> None:
    """Takes a template back; the last one takes the library with it."""
    left = kept_for(graph, settings).without(text)
    if left:
        templates.save(left, _path(graph, settings))
    else:
        _path(graph, settings).unlink(missing_ok=True)


def own_templates(graph: str, settings: Settings) -> str:
    """What the library is called in which answers about a graph are kept."""
    return _path(graph, settings).stem


def _path(graph: str, settings: Settings) -> Path:
    name = re.sub(r"\W+", "-", graph).strip("-").casefold()[:60] or "graph"
    return templates.own_folder(settings) / f"{templates.KEPT}{name}{templates.SUFFIX}"
