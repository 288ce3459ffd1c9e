"""Recorded runs that come with the program: watched without a key, a network or waiting.

`assets/runs/` holds a file for each row of the table below (`run_file.py`, compact), made by really
running it with the built-in reader: `make gallery` makes them again and writes those that changed.

    NAME.json          the built-in reader; NAME is the row's method and the first of its words
    LABEL/NAME.json    another model, by its label: `kgqa gallery --llm openai --label LABEL`

Files recorded elsewhere go into such a folder, and are shown like these.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgqa_core.ask.events import Answered, Asked, Cost, Record
from kgqa_core.ask.header import Edits, Header
from kgqa_core.ask.outcome import total_cost
from kgqa_core.ask.run import run
from kgqa_core.ask.setup import Setup
from kgqa_core.background import Once
from kgqa_core.errors import KGQAError, SettingsError
from kgqa_core.facts.terms import Statement
from kgqa_core.history.fork import Replaying
from kgqa_core.history.run_file import exported, imported
from kgqa_core.kg import kinds
from kgqa_core.kg.base import KnowledgeGraph
from kgqa_core.methods import METHODS
from kgqa_core.places import ASSETS
from kgqa_core.text import counted

if TYPE_CHECKING:
    from kgqa_core.ask.llm import LLM

FOLDER = ASSETS / "runs"
_PREFIX = "example-"


def _free(_: Cost) -> float | None:
    return None


@dataclass(frozen=True)
class Example:
    """A question on which a method shows what it is for, and why this one.

    `by_hand`: replies written by hand for skills that need a model which knows something, by the
    name of the skill; the trace marks them as such, and so must `why`. They are for the built-in
    reader. `model_only`: it knows nothing that this method could begin with.
    """

    method: str
    question: str
    why: str
    params: dict[str, Any] = field(default_factory=dict)
    by_hand: dict[str, dict[str, Any]] = field(default_factory=dict)
    graph: str = "known"
    model_only: bool = False

    @property
    def id(self) -> str:
        words = re.findall(r"[a-z0-9]+", self.question.lower())
        return "-".join([f"{_PREFIX}{self.method}", *words[:6]])


EVERYBODY = "Where was the director of Inception born?"  # two hops, put to every method
_METHODS = (
    *("compass", "react", "tog", "tog-r", "structgpt", "oda", "one-hop", "kaping", "rag-triples"),
    *("rag-hybrid", "rag", "r3", "pgakv", "kgr", "keqing", "kb-binder", "io"),
)
_MODEL_ONLY = ("cot", "cot-few-shot", "sc")
_TO_EVERYBODY = "The question that every method is asked: who walks both hops, who stops at one."

EXAMPLES = (
    Example(
        "react",
        "What else did the director of Written on the Wind make?",
        "Two hops, one of them backwards: to the director, then to his other films.",
    ),
    Example(
        "keqing",
        "What else did the director of Written on the Wind make?",
        "Learned templates split the question; their chains lead to the director and his films.",
    ),
    Example(
        "compass",
        "How many grandchildren did Jacques Cousteau have?",
        "One plan, whose steps fill in as facts bind them; it counts without asking again.",
    ),
    Example(
        "react",
        "Which films did Alfred Hitchcock direct before 1950?",
        "The films of one director, kept by their year: a set, and a test on each of its members.",
    ),
    Example(
        "compass",
        "Which is longer, the Amazon or the Nile?",
        "Two values that the plan asks for and compares; both lengths are cited.",
    ),
    Example(
        "r3",
        "Was Jacques Cousteau alive when World War II ended?",
        "An axiom about being alive turns the question into premises that facts can settle.",
    ),
    Example(
        "r3",
        "Could Albert Einstein have met Isaac Newton?",
        "Nobody meets whose lives do not overlap: common sense first, then two dates.",
    ),
    Example(
        "pgakv",
        "Who wrote Don Quixote?",
        "A pseudo-graph of what might be true is checked triple by triple against the graph.",
    ),
    Example(
        "tog",
        "What is the population of the capital of Germany?",
        "A beam of paths is explored and pruned until one of them answers.",
    ),
    Example(
        "tog-r",
        "What currency is used in Japan?",
        "Chains of relations are ranked instead of entities: fewer questions to the model.",
    ),
    Example(
        "oda",
        "Who composed The Magic Flute?",
        "Observe, act, reflect: the subgraph around the entities steers the next action.",
        {"hops": 1},
    ),
    Example(
        "structgpt",
        "Which countries border Switzerland?",
        "Two interfaces, relations and then triples, are enough for one hop with many answers.",
    ),
    Example(
        "kb-binder",
        "Who was the mayor of Hamburg in 1985?",
        "A drafted logical form is bound to the graph's names and run as a query.",
    ),
    Example(
        "one-hop",
        "What is the chemical symbol of gold?",
        "One entity, one fact: nothing more than this is needed.",
    ),
    Example(
        "one-hop",
        "Who won the 1966 FIFA World Cup?",
        "All that is stated of one thing is read, and one of the facts answers.",
    ),
    Example(
        "kaping",
        "When did Francesco Totti marry Ilary Blasi?",
        "The ten facts nearest in meaning hold the marriage, with its dates.",
    ),
    Example(
        "kaping",
        "How high is Mont Blanc?",
        "“High” is nowhere in the graph: the elevation is near it in meaning.",
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
        "react",
        "Is Sydney the capital of Australia?",
        "A “no” that rests on a fact, not on silence: the capital is another city.",
    ),
    Example(
        "structgpt",
        "Which films did Christopher Nolan direct after 2010?",
        "One director and his films: their dates tell which of them are meant.",
    ),
    Example(
        "keqing",
        "Which countries border both Germany and Italy?",
        "Two sub-questions whose answers meet: an intersection, with both of its sides cited.",
    ),
    Example(
        "io",
        "Is Berlin the capital of Germany?",
        "Without a graph and without a model there is nothing to know: it says so.",
    ),
    *(Example(method, EVERYBODY, _TO_EVERYBODY) for method in _METHODS),
    *(Example(method, EVERYBODY, _TO_EVERYBODY, model_only=True) for method in _MODEL_ONLY),
)


def recorded() -> dict[str, tuple[Header, list[Record]]]:
    """The recorded runs by id: the built-in reader's in the order of the table, then each model's.

    Files that cannot be read are left out; `problems` says why.
    """
    return dict(_looked()[0])


def problems() -> tuple[str, ...]:
    """Why files are left out, a sentence each."""
    return _looked()[1]


def forget() -> None:
    """Reads them anew at the next look."""
    _looked.forget()


_Runs = tuple[tuple[str, tuple[Header, list[Record]]], ...]


@Once
def _looked() -> tuple[_Runs, tuple[str, ...]]:
    runs: list[tuple[str, tuple[Header, list[Record]]]] = []
    told: list[str] = []
    places = [(example.id, _file(example)) for example in EXAMPLES]
    for folder in sorted(place for place in FOLDER.glob("*") if place.is_dir()):
        found = {file.stem: file for file in sorted(folder.glob("*.json"))}
        order = dict.fromkeys([*(_stem(example) for example in EXAMPLES), *found])
        places += [
            (f"{_PREFIX}{slug(folder.name)}-{stem}", found[stem]) for stem in order if stem in found
        ]
    for run_id, file in places:
        if file.is_file():
            try:
                runs.append((run_id, _read(run_id, file)))
            except (KGQAError, OSError) as error:
                told.append(f"{file.relative_to(FOLDER)} is left out: {error}")
    return tuple(runs), tuple(told)


def read(example: Example, folder: Path | None = None) -> tuple[Header, list[Record]]:
    """Raises DocumentError when the file is not what `write` made."""
    return _read(example.id, _file(example, folder))


def _read(run_id: str, file: Path) -> tuple[Header, list[Record]]:
    header, records = imported(file.read_bytes())
    return header.model_copy(update={"id": run_id, "origin": "recorded"}), records


def slug(label: str) -> str:
    """A model's label as the name of a folder. Raises SettingsError for one without letters."""
    found = "-".join(re.findall(r"[a-z0-9.]+", label.lower()))[:60].strip(".-")
    if not found:
        raise SettingsError(f"--label: “{label}” has no letter or digit to name a folder by.")
    return found


def why(header: Header) -> str:
    """What a recorded run shows, by its method and its question."""
    asked = (header.method, header.question)
    return next((e.why for e in EXAMPLES if (e.method, e.question) == asked), "")


def made(header: Header, records: Sequence[Record]) -> str:
    """By which model it was recorded, when, and for how much."""
    if header.model_source == "offline":
        return f"the {header.model}, {header.started_at[:10]}"
    cost = total_cost(records)
    tokens = f"{cost.prompt_tokens + cost.completion_tokens:,} tokens"
    price = "" if header.dollars is None else f", ${header.dollars:.4f}"
    day = header.started_at[:10]
    return f"{header.model}, {day}: {counted(cost.llm_calls, 'call')}, {tokens}{price}"


def record(
    example: Example, setup: Setup, label: str = "", price: Callable[[Cost], float | None] = _free
) -> tuple[Header, list[Record]]:
    """Runs it on its graph, with its method's setup.

    `label`: what the model is called, if not by its own name; `price`: US dollars for what it used.
    """
    header = setup.header(example.question).model_copy(
        update={
            "id": example.id,
            "graph_fingerprint": kinds.fingerprint(setup.graph_source)
            or setup.kg.info().fingerprint,
            "model": label or setup.llm.name,
        }
    )

    def walk(llm: LLM) -> list[Record]:
        tools = replace(setup, llm=llm).toolkit()
        return list(run(example.question, setup.method.solve, tools, setup.params))

    records = walk(setup.llm)
    if example.by_hand and not label:
        asked = [(r.seq, r.event.skill) for r in records if isinstance(r.event, Asked)]
        replies = {seq: example.by_hand[skill] for seq, skill in asked if skill in example.by_hand}
        records = walk(Replaying(setup.llm, records, Edits(replies=replies)))
    return header.model_copy(update={"dollars": price(total_cost(records))}), records


def without_example() -> list[str]:
    """Titles of the methods that no recorded run shows.

    They ask the model alone, and the built-in reader knows nothing by itself, as the example of
    `io` says.
    """
    shown = {header.method for header, _ in recorded().values()}
    return [method.title for name, method in METHODS.items() if name not in shown]


def write(
    example: Example, header: Header, records: list[Record], folder: Path | None = None
) -> bool:
    """Whether the file was written: one that differs in its clocks alone is left as it is.

    `folder`: of the model; none: the built-in reader's.
    """
    path = _file(example, folder)
    if path.is_file():
        try:
            before = read(example, folder)
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


def there(example: Example, folder: Path | None = None) -> bool:
    """Whether it was recorded."""
    return _file(example, folder).is_file()


def _file(example: Example, folder: Path | None = None) -> Path:
    return (folder or FOLDER) / f"{_stem(example)}.json"


def _stem(example: Example) -> str:
    return example.id.removeprefix(_PREFIX)


def strangers() -> Iterator[Path]:
    """Files of the built-in reader for rows that are no longer in the table."""
    known = {_file(example) for example in EXAMPLES if not example.model_only}
    yield from (path for path in sorted(FOLDER.glob("*.json")) if path not in known)


def changed(header: Header) -> str:
    """What to say of the graph of a recorded run if it is another one by now; empty: nothing."""
    now = kinds.fingerprint(header.graph_source)
    if header.origin != "recorded" or now in ("", header.graph_fingerprint):
        return ""
    return "Its graph has changed since: asked again, the answer may differ."


def still_stated(records: Sequence[Record], kg: KnowledgeGraph) -> str:
    """What of the facts that an answer cites the graph of today states: for who reads an old run.

    Raises what asking the graph raises.
    """
    cited = dict.fromkeys(
        fact
        for record in records
        if isinstance(record.event, Answered)
        for fact in record.event.answer.citations
        if isinstance(fact, Statement)
    )
    subjects = list(dict.fromkeys(fact.subject for fact in cited))
    stated = {
        (s.subject, s.relation, s.object)
        for around in kg.statements(subjects, direction="out")
        for s in around
    }
    kept = sum((s.subject, s.relation, s.object) in stated for s in cited)
    if not cited:
        return "Recorded over an earlier version of its graph."
    if kept == len(cited):
        every = "the fact" if len(cited) == 1 else "every fact"
        still = f"{every} that its answer cites still stands"
    else:
        still = f"{kept} of the {counted(len(cited), 'fact')} that its answer cites still stand"
    return f"Recorded over an earlier version of its graph; {still}."
