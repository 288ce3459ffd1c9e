"""A method of one's own: names the neighbours of what the question is about."""

from collections.abc import Generator

from pydantic import BaseModel, Field

from kgqa_core.ask import events
from kgqa_core.ask.events import Answer, Event, Sentence
from kgqa_core.ask.run import Toolkit
from kgqa_core.facts import verbalise
from kgqa_core.methods.linking import link_question


class Params(BaseModel):
    """Widgets, flags and documentation are made of these."""

    most: int = Field(3, ge=1, le=50, description="neighbours that are named")


def solve(question: str, tools: Toolkit, params: Params) -> Generator[Event, None, Answer]:
    """Names the neighbours of what the question is about."""
    anchors = yield from link_question(question, tools)
    if not anchors:
        return Answer(reason="Nothing the question names is in the graph.")
    _, entity = anchors[0]
    yield events.Step(title=f"Look around {entity.name}")
    facts = (yield from tools.expand([entity], direction="out"))[: params.most]
    sentences = [
        Sentence(text=f"{verbalise.statement(fact)}.", cites=(i,)) for i, fact in enumerate(facts)
    ]
    return Answer(
        sentences=tuple(sentences),
        values=tuple(fact.object for fact in facts),
        citations=tuple(facts),
    )
