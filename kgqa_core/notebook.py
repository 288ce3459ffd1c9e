"""For notebooks and scripts: `from kgqa_core import ask, compare, open_graph`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from kgqa_core import opening
from kgqa_core.ask.events import Answer, Cost, Event, Failed, Record, Status, Support, status_of
from kgqa_core.ask.header import Header
from kgqa_core.ask.llm import LLM
from kgqa_core.ask.method import Method
from kgqa_core.ask.outcome import answer_of, calls_in_words, total_cost
from kgqa_core.ask.run import run
from kgqa_core.errors import SettingsError, misfit
from kgqa_core.facts import verbalise
from kgqa_core.facts.terms import short_id
from kgqa_core.kg.base import KnowledgeGraph
from kgqa_core.methods import DEFAULT
from kgqa_core.methods.others import as_method
from kgqa_core.render import steps
from kgqa_core.render.fold import Fold
from kgqa_core.settings import Settings, load_settings
from kgqa_core.text import counted

if TYPE_CHECKING:
    import networkx as nx

_DETAIL = 20  # neighbours of a node that get a place in the picture


@dataclass(frozen=True)
class Run:
    """A question that was asked. In Jupyter it shows its answer with the facts under it."""

    header: Header
    records: tuple[Record, ...]

    @property
    def question(self) -> str:
        return self.header.question

    @property
    def status(self) -> Status:
        return status_of(list(self.records))

    @property
    def answer(self) -> Answer:
        """`.text`, `.values` and more; of a failed run empty, with the reason."""
        last = self.records[-1].event
        if isinstance(last, Failed):
            return Answer(reason=last.message)
        return answer_of(list(self.records))

    @property
    def facts(self) -> tuple[Support, ...]:
        """The statements and passages that the answer cites."""
        return self.answer.citations

    @property
    def retrieved(self) -> tuple[Support, ...]:
        """Everything that was read on the way."""
        return tuple(steps.facts(self.records))

    @property
    def events(self) -> tuple[Event, ...]:
        """All that happened, in order."""
        return tuple(record.event for record in self.records)

    @property
    def cost(self) -> Cost:
        return total_cost(list(self.records))

    @property
    def graph(self) -> nx.MultiDiGraph:
        """The graph that was walked: nodes are entities and values, edges are statements.

        Nodes have a `label` and `said` (`anchor`, `answer`, `path`, …; None: seen in passing),
        edges a `label` and a `state`; the key of an edge is the id of its relation.
        """
        import networkx as nx

        fold = Fold(_DETAIL)
        for record in self.records:
            fold.add(record)
        found: nx.MultiDiGraph = nx.MultiDiGraph()
        for node in fold.nodes.values():
            said = "answer" if node.answer else "anchor" if node.anchor else node.said
            found.add_node(short_id(node.entity.id), label=node.entity.name, said=said)
        for edge in fold.edges.values():
            s = edge.statement
            told = verbalise.value(s.object, s.relation)
            start, end = short_id(s.subject.id), told
            if edge.ends[1:]:
                end = short_id(edge.ends[1])
            for name, label in ((start, s.subject.name), (end, told)):
                if name not in found:
                    found.add_node(name, label=label, said=None)
            relation = s.relation
            found.add_edge(start, end, short_id(relation.id), label=relation.name, state=edge.state)
        return found

    def __str__(self) -> str:
        if self.status == "failed":
            return f"Failed. {self.answer.reason}"
        return self.answer.text or f"I do not know. {self.answer.reason}".strip()

    def __repr__(self) -> str:
        return f"Run({self.question!r}, {self.header.method!r}, {self.status!r}, {str(self)!r})"

    def _repr_html_(self) -> str:
        """Everything from graph and model is text here."""
        head = f"<b>{escape(self.question)}</b> <small>{escape(self.header.method)}</small>"
        body = [_sentence(s.text, s.cites) for s in self.answer.sentences] or [escape(str(self))]
        facts = [f"<li>{escape(verbalise.support(fact))}</li>" for fact in self.facts]
        cost = self.cost
        foot = (
            f"{escape(self.status)} · {counted(len(self.records), 'event')} · "
            f"{calls_in_words(self.records)} · "
            f"{counted(cost.kg_requests, 'graph request')} · {cost.seconds:.2f} s"
        )
        listed = f"<ol>{''.join(facts)}</ol>" if facts else ""
        return f"<div>{head}<p>{' '.join(body)}</p>{listed}<small>{foot}</small></div>"


@dataclass(frozen=True)
class Comparison(Sequence[Run]):
    """The runs of one question by several methods; in Jupyter a table."""

    runs: tuple[Run, ...]

    def __getitem__(self, at: Any) -> Any:
        return self.runs[at]

    def __len__(self) -> int:
        return len(self.runs)

    def __iter__(self) -> Iterator[Run]:
        return iter(self.runs)

    def _repr_html_(self) -> str:
        rows = [
            f"<tr><td>{escape(run.header.method)}</td><td>{escape(str(run))}</td>"
            f"<td>{escape(run.answer.grounding)}</td><td>{len(run.facts)}</td>"
            f"<td>{run.cost.seconds:.2f}</td></tr>"
            for run in self.runs
        ]
        head = "".join(f"<th>{h}</th>" for h in ("method", "answer", "rests", "facts", "s"))
        return f"<table><tr>{head}</tr>{''.join(rows)}</table>"


def _sentence(text: str, cites: Sequence[int]) -> str:
    marks = "".join(f"[{i + 1}]" for i in cites)
    return f"{escape(text)} <small>{marks or '[ungrounded]'}</small>"


def open_graph(name: str = "") -> KnowledgeGraph:
    """A graph by its name, as `--graph` takes it; without one, that of the settings.

    Raises SettingsError for a name that is none, SourceError for a graph that is broken.
    """
    settings = load_settings()
    return opening.open_graph(name or settings.graph, settings)


def ask(
    question: str,
    method: str | Method | Callable[..., Any] = DEFAULT,
    *,
    graph: str | KnowledgeGraph = "",
    model: str | LLM = "offline",
    **params: Any,
) -> Run:
    """Asks a question and waits for the end of the run; a run that failed is returned, too.

    `method`: a name, `path/to/file.py:solve`, or a function or class of one's own; `params` are
    its parameters. Graph and model by their names, or as they are; without a graph, that of the
    settings. Raises SettingsError for what names nothing, SourceError for a graph that cannot be
    opened.
    """
    settings = load_settings()
    graph = graph or settings.graph
    chosen = _method(method)
    try:
        given = chosen.params.model_validate(params)
    except ValidationError as error:
        raise SettingsError(
            f"The parameters of {chosen.title} do not fit: {misfit(error)}."
        ) from error
    if unknown := params.keys() - chosen.params.model_fields.keys():
        raise SettingsError(
            f"{chosen.title} has no parameter {min(unknown)}; it has "
            f"{', '.join(chosen.params.model_fields) or 'none'}."
        )
    names = graph if isinstance(graph, str) else "", model if isinstance(model, str) else ""
    sources = opening.Sources(
        _graph(graph, settings) if isinstance(graph, str) else graph,
        _model(model, settings) if isinstance(model, str) else model,
        _encoder(settings),
    )
    setup = opening.open_setup(chosen, given, *names, settings, sources=sources)
    records = run(question, setup.solve, setup.toolkit(), setup.params)
    return Run(setup.header(question), tuple(records))


def compare(
    question: str,
    methods: Sequence[str | Method | Callable[..., Any]] = ("react", "one-hop", "kaping"),
    *,
    graph: str | KnowledgeGraph = "",
    model: str | LLM = "offline",
) -> Comparison:
    """The same question to several methods, one after the other, as `ask` does."""
    return Comparison(tuple(ask(question, m, graph=graph, model=model) for m in methods))


def _method(method: str | Method | Callable[..., Any]) -> Method:
    if isinstance(method, str):
        return opening.find_method(method)
    return as_method(method, getattr(method, "__name__", "own"))


@lru_cache(maxsize=4)
def _graph(name: str, settings: Settings) -> KnowledgeGraph:
    return opening.open_graph(name, settings)


@lru_cache(maxsize=4)
def _model(name: str, settings: Settings) -> LLM:
    return opening.open_model(name, settings, _encoder(settings))


@lru_cache(maxsize=1)
def _encoder(settings: Settings) -> Any:
    from kgqa_core.search.encoder import Encoder

    return Encoder(settings)
