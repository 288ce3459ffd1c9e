"""What the built-in reader does for KB-BINDER: it writes its readings down as SPARQL.

The best reading comes first, then the next that can be written down, and so on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from pydantic import BaseModel

from kgqa_core.methods.kb_binder import DRAFT, DraftReply, ToDraft
from kgqa_core.reader import plan as p
from kgqa_core.reader.doubts import beyond
from kgqa_core.reader.lexicon import Lexicon, lexicon
from kgqa_core.reader.parse import parse
from kgqa_core.reader.plan import Form, Plan
from kgqa_core.reader.resolve import Resolver, expected
from kgqa_core.reader.words import Span
from kgqa_core.text import singular

_WORSE = 1.0  # cost above the best reading up to which a reading is drafted
_OPERATORS = {"more than": ">", "less than": "<", "after": ">", "before": "<"}


class CannotWrite(Exception):
    """A part of a plan that has no counterpart in a draft."""


def draft(given: ToDraft) -> DraftReply:
    return DraftReply(queries=list(dict.fromkeys(_drafts(given.question)))[: given.most])


def _drafts(question: str) -> Iterator[str]:
    readings = [] if beyond(question) else parse(question, lexicon())
    for reading in readings:
        if reading.cost > readings[0].cost + _WORSE:
            return
        try:
            text = _Writer(lexicon()).query(reading.plan)
        except CannotWrite:
            continue
        if all(year in text for year in re.findall(r"\b\d{3,4}\b", question)):
            yield text


@dataclass
class _Writer:
    """One plan as a query: a group of triples, and the term that stands for its value."""

    lex: Lexicon
    triples: list[str] = field(default_factory=list)
    variables: int = 0

    def query(self, plan: Plan) -> str:
        match plan:
            case p.Count():
                term = self._term(plan.source)
                if not term.startswith("?"):
                    raise CannotWrite
                return f"SELECT (COUNT(DISTINCT {term}) AS ?n) WHERE {{ {self._group()} }}"
            case p.Is():
                self._same(self._term(plan.left), self._term(plan.right))
                return self._ask(plan.negated)
            case p.IsA():
                self._of_class(self._term(plan.source), plan.noun)
                return self._ask()
            case p.Some():
                self._term(plan.source)
                return self._ask(plan.negated)
            case p.Compare() if not plan.verb:
                left, right = (self._measured(side, plan.by) for side in (plan.left, plan.right))
                sign = ">" if plan.order == "highest" else "<"
                self.triples.append(f"FILTER({left} {sign} {right})")
                return self._ask()
            case p.Nth():
                term = self._term(plan.source)
                amount = self._along(term, self._measure(plan.by), out=True)
                order = "DESC" if plan.order == "highest" else "ASC"
                offset = f" OFFSET {plan.position - 1}" if plan.position > 1 else ""
                return (
                    f"SELECT {term} WHERE {{ {self._group()} }} ORDER BY {order}({amount}) "
                    f"LIMIT 1{offset}"
                )
            case _:
                term = self._term(plan)
                if not term.startswith("?"):
                    raise CannotWrite
                return f"SELECT DISTINCT {term} WHERE {{ {self._group()} }}"

    def _ask(self, negated: bool = False) -> str:
        if negated:
            raise CannotWrite
        return f"ASK {{ {self._group()} }}"

    def _group(self) -> str:
        return " ".join(self.triples)

    def _term(self, plan: Plan) -> str:
        match plan:
            case p.Anchor():
                return _entity(plan.text)
            case p.Kind():
                term = self._fresh()
                self._of_class(term, plan.noun)
                return term
            case p.Hop() if plan.beside is None and plan.when is None:
                source = self._term(plan.source)
                return self._hop(source, plan.phrase, plan.form, plan.prep, plan.want)
            case p.Hop(beside=None, when=Span(test="during", value=year, until="")) if (
                year.isdigit()
            ):
                return self._held(self._term(plan.source), plan, year)
            case p.Join(how="union") if all(isinstance(x, p.Anchor) for x in p.united(plan)):
                term = self._fresh()
                names = " ".join(self._term(x) for x in p.united(plan))
                self.triples.append(f"VALUES {term} {{ {names} }}")
                return term
            case p.Measure():
                return self._measured(plan.source, plan.by)
            case p.Of():
                term = self._term(plan.source)
                self._of_class(term, plan.noun)
                return term
            case p.Where():
                term = self._term(plan.source)
                end = self._hop(self._term(plan.other), plan.phrase, plan.form, plan.prep)
                return self._same(end, term)
            case p.Limit() if plan.span.test in _OPERATORS and not plan.span.until:
                term = self._term(plan.source)
                amount = self._along(term, self._measure(plan.phrase), out=True)
                self.triples.append(
                    f"FILTER({amount} {_OPERATORS[plan.span.test]} {_literal(plan.span.value)})"
                )
                return term
            case p.Join(how="intersection"):
                return self._same(self._term(plan.left), self._term(plan.right))
            case p.Join(how="minus") if isinstance(plan.right, p.Anchor):
                term = self._term(plan.left)
                self.triples.append(f"FILTER({term} != {self._term(plan.right)})")
                return term
            case _:
                raise CannotWrite

    def _same(self, left: str, right: str) -> str:
        """One term in place of both."""
        if not left.startswith("?"):
            left, right = right, left
        if not left.startswith("?"):
            raise CannotWrite
        self.triples = [re.sub(rf"{re.escape(left)}\b", right, t) for t in self.triples]
        return right

    def _hop(self, source: str, phrase: str, form: Form, prep: str, want: str = "") -> str:
        name, out = self._relation(phrase, form, prep, want)
        return self._along(source, name, out=out)

    def _along(self, source: str, name: str, *, out: bool) -> str:
        term = self._fresh()
        near, far = (source, term) if out else (term, source)
        self.triples.append(f"{near} <relation:{_name(name)}> {far} .")
        return term

    def _held(self, source: str, hop: p.Hop, year: str) -> str:
        """Along a relation that held in a year: the statement's node carries its times."""
        name, out = self._relation(hop.phrase, hop.form, hop.prep, hop.want)
        term, node, since, until = (self._fresh() for _ in range(4))
        near, far = (source, term) if out else (term, source)
        self.triples += [
            f"{near} <statement:{_name(name)}> {node} . {node} <value:{_name(name)}> {far} .",
            f"{node} <qualifier:start_time> {since} .",
            f"OPTIONAL {{ {node} <qualifier:end_time> {until} }}",
            f"FILTER(YEAR({since}) <= {year} && (!BOUND({until}) || YEAR({until}) >= {year}))",
        ]
        return term

    def _relation(self, phrase: str, form: Form, prep: str, want: str) -> tuple[str, bool]:
        """What a graph may call the phrase, and whether it leads away from the source."""
        if not phrase:
            raise CannotWrite
        known = Resolver(self.lex).schema(phrase, form, want=want, prep=prep, most=1)
        name, direction = known[0] if known else (phrase, expected(phrase, form))
        return name, direction == "out"

    def _measure(self, by: str) -> str:
        known = self.lex.adjectives.get(by)
        return known.relations[0] if known else by

    def _measured(self, source: Plan, by: str) -> str:
        return self._along(self._term(source), self._measure(by), out=True)

    def _of_class(self, term: str, noun: str) -> None:
        known = self.lex.class_of(noun)
        name = known.labels[0] if known else singular(noun)
        path = "<relation:instance_of>/<relation:subclass_of>*"
        self.triples.append(f"{term} {path} {_entity(name)} .")

    def _fresh(self) -> str:
        self.variables += 1
        return f"?v{self.variables}"


def _entity(name: str) -> str:
    return f"<entity:{_name(name)}>"


def _name(name: str) -> str:
    """A name as an IRI may hold it; letters of any alphabet stay readable."""
    spaced = name.strip().replace(" ", "_")
    return "".join(c if c.isalnum() or c in "_-.,'()&:!" else quote(c, safe="") for c in spaced)


def _literal(text: str) -> str:
    if text.replace(".", "", 1).isdigit() and len(text) != 4:
        return text
    if text[:4].isdigit():
        day = "-".join([*text.split("-"), "01", "01"][:3])
        return f'"{day}T00:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>'
    raise CannotWrite


HANDLERS: dict[str, Callable[[Any], BaseModel]] = {DRAFT.name: draft}
