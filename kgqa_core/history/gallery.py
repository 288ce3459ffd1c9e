"""Recorded runs that come with the program: watched without a key, a network or waiting.

`assets/runs/` holds one file for each row of the table below (`exchange.py`, compact), made by
really running it: `make gallery` makes them again and writes those that changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgqa_core.ask.events import Asked, Record
from kgqa_core.ask.header import Edits, Header
from kgqa_core.ask.run import run
from kgqa_core.ask.setup import Setup
from kgqa_core.errors import KGQAError
from kgqa_core.history.fork import Replaying
from kgqa_core.history.run_file import exported, imported
from kgqa_core.methods import METHODS
from kgqa_core.places import ASSETS

if TYPE_CHECKING:
    from kgqa_core.ask.llm import LLM

FOLDER = ASSETS / "runs"
_PREFIX = "example-"


@dataclass(frozen=True)
class Example:
    """A question on which a method shows what it is for, and why this one.

    `by_hand`: replies written by hand for skills that need a model which knows something, by the
    name of the skill; the trace marks them as such, and so must `why`.
    """

    method: str
    question: str
    why: str
    params: dict[str, Any] = field(default_factory=dict)
    by_hand: dict[str, dict[str, Any]] = field(default_factory=dict)
    graph: str = "starter"

    @property
    def id(self) -> str:
        words = re.findall(r"[a-z0-9]+", self.question.lower())
        return "-".join([f"{_PREFIX}{self.method}", *words[:6]])


EXAMPLES = (
    Example(
        "compass",
        "How many grandchildren did Jacques Cousteau have?",
        "One plan, whose steps fill in as facts bind them; it counts without asking again.",
    ),
    Example(
        "react",
        "What else did the director of Written on the Wind make?",
        "Two hops, one of them backwards: to the director, then to his other films.",
    ),
    Example(
        "react",
        "How many grandchildren did Jacques Cousteau have?",
        "It walks to children and their children, and then counts.",
    ),
    Example(
        "r3",
        "Was Jacques Cousteau alive when World War II ended?",
        "An axiom about being alive turns the question into premises that facts can settle.",
    ),
    Example(
        "pgakv",
        "Where was the director of Inception born?",
        "A pseudo-graph of what might be true is checked triple by triple against the graph.",
    ),
    Example(
        "keqing",
        "What else did the director of Written on the Wind make?",
        "Learned templates split the question; their chains lead to the director and his films.",
    ),
    Example(
        "tog",
        "What is the population of the capital of Germany?",
        "A beam of paths is explored and pruned until one of them answers.",
    ),
    Example(
        "tog-r",
        "Where was the director of Inception born?",
        "Chains of relations are ranked instead of entities: fewer questions to the model.",
    ),
    Example(
        "oda",
        "Where was the director of Inception born?",
        "Observe, act, reflect: the subgraph around the entities steers the next action.",
        {"hops": 1},
    ),
    Example(
        "structgpt",
        "Which countries does China border?",
        "Two interfaces, relations and then triples, are enough for one hop with many answers.",
    ),
    Example(
        "kb-binder",
        "Who was the mayor of Hamburg in 1985?",
        "A drafted logical form is bound to the graph's names and run as a query.",
    ),
    Example(
        "one-hop",
        "What is the time zone of Salt Lake City?",
        "One entity, one fact: nothing more than this is needed.",
    ),
    Example(
        "kaping",
        "When did Francesco Totti marry Ilary Blasi?",
        "The ten facts nearest in meaning hold the marriage, with its dates.",
    ),
    Example(
        "rag-triples",
        "What is the time zone of Salt Lake City?",
        "The facts are found among all of the graph by their meaning, without linking.",
    ),
    Example(
        "rag-hybrid",
        "When was Albert Einstein born?",
        "A passage finds the man, the facts about him give the day.",
    ),
    Example(
        "rag",
        "Who directed Inception?",
        "The nearest passages are quoted; the reader draws nothing from them.",
    ),
    Example(
        "kgr",
        "Who directed Written on the Wind?",
        "A draft with a mistake, written by hand: the claim is found wrong, and a fact rights it.",
        by_hand={
            "think step by step": {
                "thought": "",
                "text": "Alfred Hitchcock directed Written on the Wind.",
                "values": ["Alfred Hitchcock"],
                "reason": "",
            }
        },
    ),
    Example(
        "io",
        "Is Berlin the capital of Germany?",
        "Without a graph and without a model there is nothing to know: it says so.",
    ),
)


def recorded() -> dict[str, tuple[Header, list[Record]]]:
    """The recorded runs by id, in the order of the table; files that cannot be read are left out.

    A test reads them all, so a damaged file is one that somebody changed.
    """
    return dict(_recorded())


def forget() -> None:
    """Reads them anew at the next look."""
    _recorded.cache_clear()


@lru_cache(maxsize=1)
def _recorded() -> tuple[tuple[str, tuple[Header, list[Record]]], ...]:
    return tuple((example.id, read(example)) for example in EXAMPLES if _file(example).is_file())


def read(example: Example) -> tuple[Header, list[Record]]:
    """Raises DocumentError when the file is not what `write` made."""
    header, records = imported(_file(example).read_bytes())
    return header.model_copy(update={"id": example.id, "origin": "recorded"}), records


def why(run_id: str) -> str:
    """What an example shows."""
    return next((example.why for example in EXAMPLES if example.id == run_id), "")


def record(example: Example, setup: Setup) -> tuple[Header, list[Record]]:
    """Runs it on its graph, with its method's setup."""
    header = setup.header(example.question).model_copy(
        update={"id": example.id, "graph_fingerprint": setup.kg.info().fingerprint}
    )

    def walk(llm: LLM) -> list[Record]:
        tools = replace(setup, llm=llm).toolkit()
        return list(run(example.question, setup.method.solve, tools, setup.params))

    records = walk(setup.llm)
    if example.by_hand:
        asked = [(r.seq, r.event.skill) for r in records if isinstance(r.event, Asked)]
        replies = {seq: example.by_hand[skill] for seq, skill in asked if skill in example.by_hand}
        records = walk(Replaying(setup.llm, records, Edits(replies=replies)))
    return header, records


def without_example() -> list[str]:
    """Titles of the methods that no recorded run shows.

    They ask the model alone, and the built-in reader knows nothing by itself, as the example of
    `io` says; a run with a key would not be made again by everybody.
    """
    shown = {example.method for example in EXAMPLES}
    return [method.title for name, method in METHODS.items() if name not in shown]


def write(example: Example, header: Header, records: list[Record]) -> bool:
    """Whether the file was written: one that differs in its clocks alone is left as it is."""
    path = _file(example)
    if path.is_file():
        try:
            before = read(example)
            if _timeless(*before) == _timeless(header, records):
                return False
        except KGQAError:
            pass  # of an earlier format: made anew
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(exported(header, records, compact=True) + "\n", encoding="utf-8")
    return True


def _timeless(header: Header, records: list[Record]) -> tuple[object, ...]:
    kept = header.model_copy(update={"started_at": "", "origin": ""})
    return kept, [(r.step, r.event, r.cost.model_copy(update={"seconds": 0})) for r in records]


def _file(example: Example) -> Path:
    return FOLDER / f"{example.id.removeprefix(_PREFIX)}.json"


def strangers() -> Iterator[Path]:
    """Files of rows that are no longer in the table."""
    known = {_file(example) for example in EXAMPLES}
    yield from (path for path in sorted(FOLDER.glob("*.json")) if path not in known)
