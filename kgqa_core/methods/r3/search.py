"""What R3 carries through a run: its parameters, the query with what was read, a branch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal as OneOf

from pydantic import BaseModel, Field

from kgqa_core.ask.run import Toolkit
from kgqa_core.facts.premises import Facts, Judgement
from kgqa_core.facts.terms import Entity, Statement
from kgqa_core.methods.r3 import judging
from kgqa_core.methods.r3.skills import Query, StatedAxiom, Tried


class Params(BaseModel):
    task: OneOf["auto", "question", "claim", "preference"] = Field(
        "auto", description="what is asked: a question, a claim, or options to choose from"
    )
    depth: int = Field(2, ge=0, le=3, description="hops a branch may go on for missing evidence")
    breadth: int = Field(3, ge=1, le=3, description="axioms tried, a branch each")
    entities: OneOf["linker", "model", "union"] = Field(
        "union", description="who finds the anchor entities (appendix A)"
    )
    pruning: OneOf["truncate", "dense", "union"] = Field(
        "union", description="facts kept for the model: the first, the nearest, or also its pick"
    )
    top_k: int = Field(20, ge=1, le=200, description="facts kept by truncation or by nearness")
    plain: bool = Field(
        True, description="settle a plain question of fact by walking the graph, without an axiom"
    )
    assumptions: judging.Assumptions = Field(
        "marked",
        description="general knowledge in place of a fact: never, as a guess, or as good as a fact",
    )
    calls: int = Field(
        0, ge=0, le=40, description="calls after which nothing further is tried; 0: no limit"
    )
    user: str = Field("user", description="what the personal graph calls the person")
    rejected: str = Field("", description="axioms that must not be used, separated by |")


# How the premises stand, of each option; of a query without options there is one, None.
Premises = list[tuple[Entity | None, list[Judgement]]]
Standing = Sequence[tuple[Entity, list[Judgement]]]


@dataclass(frozen=True)
class Unopposed:
    """An option that nothing speaks against, though not everything for it, and how all stood."""

    option: Entity
    standing: Standing
    branch: Branch
    depth: int


@dataclass
class Search:
    """One query with what was read for it; branches work on copies of the facts."""

    query: Query
    tools: Toolkit
    params: Params
    anchors: list[Entity] = field(default_factory=list)
    mentions: dict[Entity, str] = field(default_factory=dict)  # how the query names the anchors
    looked_up: list[str] = field(default_factory=list)  # names that the model asked for
    facts: Facts = field(default_factory=Facts)
    options: list[Entity] = field(default_factory=list)  # in the order they are tried
    tried: list[Tried] = field(default_factory=list)
    read_on: list[Entity] = field(default_factory=list)  # whose further facts were read
    unknown: list[str] = field(default_factory=list)  # names of the query that the graph lacks
    unopposed: Unopposed | None = None

    @property
    def spent(self) -> bool:
        """Whether nothing further is tried: the calls are used up, or the run's budget has no room.

        Replies of the built-in reader are no calls of the method's own.
        """
        return self.called_out or not self.tools.affords(self._round)

    @property
    def called_out(self) -> bool:
        """Whether the calls that the method may have are made."""
        most, tools = self.params.calls, self.tools
        return 0 < most <= tools.meter.total.llm_calls and not tools.reads_all

    @property
    def _round(self) -> int:
        """Calls that reading further may take: what is missing, its name, an axiom stated twice,
        and two judgements, each in as many replies as there are options, with the facts picked."""
        return 4 + 2 * (1 + max(1, len(self.query.options)))


@dataclass(frozen=True)
class Branch:
    """An axiom, its number and the facts its search has read."""

    number: int
    axiom: StatedAxiom
    facts: Facts


def of_person(search: Search) -> list[Statement]:
    """All facts of the person who chooses: any of them may be a restriction."""
    person = search.facts.called(search.params.user) if search.options else None
    return [s for s in search.facts.about(person) if s.subject == person] if person else []


def few(search: Search, statements: Sequence[Statement]) -> list[Statement]:
    """In the order in which they bear on the query: a prompt holds the beginning."""
    return search.tools.relevant(search.query.question, statements)
