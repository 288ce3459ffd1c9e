"""All that a question is asked with, in one bundle: page, shell, benchmark and notebook fill it."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from kgqa_core import __version__
from kgqa_core.ask.audit import Auditing, Auditor, audited
from kgqa_core.ask.header import Header
from kgqa_core.ask.llm import LLM
from kgqa_core.ask.method import Method, learning
from kgqa_core.ask.run import Budget, Solve, Toolkit
from kgqa_core.errors import SourceError
from kgqa_core.kg.base import KnowledgeGraph
from kgqa_core.kg.embedded import EmbeddedGraph

if TYPE_CHECKING:
    from kgqa_core.search.index import Index, Progress


@dataclass(frozen=True)
class Setup:
    """A method with its parameters, on a graph, with a model, and what a run may use.

    `index` compares meanings; `auditor` checks the answer claim by claim; `equipment` is what
    `method.equip` opened. `graph_source` and `model_source` open the graph and the model again
    (`opening.py`), without a login; `personal` are the facts that were laid over that graph.
    """

    method: Method
    params: BaseModel
    kg: KnowledgeGraph
    llm: LLM
    budget: Budget = field(default_factory=Budget)
    index: Index | None = None
    auditor: Auditor | None = None
    equipment: Any = None
    graph_source: str = ""
    model_source: str = ""
    personal: tuple[tuple[str, str, str], ...] = ()
    visitor: str = ""  # who asks, on a hosted app

    @property
    def audit(self) -> Auditing:
        return "off" if self.auditor is None else self.auditor.how

    @property
    def solve(self) -> Solve:
        """The method, audited; what it may learn of a run it learns at its end."""
        return learning(audited(self.method.solve, self.auditor), self.method.learns)

    def toolkit(self, kind: Callable[..., Toolkit] = Toolkit, **more: Any) -> Toolkit:
        """The verbs of one run, whose clock starts here."""
        return kind(
            self.kg,
            self.llm,
            index=self.index,
            budget=self.budget,
            equipment=self.equipment,
            **more,
        )

    def prepare(self, on_progress: Callable[[Progress], None] | None = None) -> None:
        """Builds the index that the method searches, outside every budget, where that is unasked.

        For those who can wait: a run on a page asks nobody to. What keeps it from being built
        is left to the run to say.
        """
        if self.method.searches and self.index is not None:
            from kgqa_core.search.index import UNASKED

            with suppress(SourceError):
                self.index.build(on_progress, most=UNASKED, only=self.method.searches)

    def header(self, question: str) -> Header:
        """What a run of this question is called and known by."""
        local = isinstance(self.kg, EmbeddedGraph)
        return Header(
            id=secrets.token_urlsafe(9),
            question=question,
            method=self.method.name,
            params=self.params.model_dump(mode="json"),
            graph=self.kg.name,
            graph_fingerprint=self.kg.info().fingerprint if local else "",
            model=self.llm.name,
            started_at=datetime.now(UTC).isoformat(timespec="milliseconds"),
            version=__version__,
            graph_source=self.graph_source,
            model_source=self.model_source,
            personal=self.personal,
            visitor=self.visitor,
        )
