"""What the built-in reader does for KB-BINDER: it writes its readings down as SPARQL.

The best reading comes first, then the next that can be written down, and so on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote

from pydantic import BaseModel

from kgqa_core.methods.kb_binder import DRAFT, DraftReply, ToDraft
from kgqa_core.reader import plan as p
from kgqa_core.reader.doubts import beyond
from kgqa_core.reader.lexicon import lexicon
from kgqa_core.reader.parse import parse
from kgqa_core.reader.pattern import CLASS, Pattern
from kgqa_core.reader.plan import Plan
from kgqa_core.text import singular

_WORSE = 1.0  # cost above the best reading up to which a reading is drafted


def draft(given: ToDraft) -> DraftReply:
    return DraftReply(queries=list(dict.fromkeys(_drafts(given.question)))[: given.most])


def _drafts(question: str) -> Iterator[str]:
    readings = [] if beyond(question) else parse(question, lexicon())
    for reading in readings:
        if reading.cost > readings[0].cost + _WORSE:
            return
        text = _query(reading.plan)
        if text and all(year in text for year in re.findall(r"\b\d{3,4}\b", question)):
            yield text


def _query(plan: Plan) -> str:
    """A plan as a query; empty where a part of it has no counterpart in one."""
    pattern = Pattern(lexicon())
    inner = plan.source if isinstance(plan, p.Count | p.Some) else plan
    term = _term(pattern, pattern.draw(inner))
    ordered = isinstance(plan, p.Nth)
    if not pattern.whole or len(pattern.order) != ordered or getattr(plan, "negated", False):
        return ""
    group = f"{{ {' '.join(_group(pattern))} }}"
    if isinstance(plan, p.Is | p.IsA | p.Some | p.Compare):
        return f"ASK {group}"
    if not term.startswith("?"):
        return ""
    if isinstance(plan, p.Count):
        return f"SELECT (COUNT(DISTINCT {term}) AS ?n) WHERE {group}"
    if not isinstance(plan, p.Nth):
        return f"SELECT DISTINCT {term} WHERE {group}"
    order = "DESC" if plan.order == "highest" else "ASC"
    offset = f" OFFSET {plan.position - 1}" * (plan.position > 1)
    by = _term(pattern, pattern.order[0][1])
    return f"SELECT {term} WHERE {group} ORDER BY {order}({by}) LIMIT 1{offset}"


def _group(pattern: Pattern) -> Iterator[str]:
    """The triples and filters of a pattern."""
    for n, edge in enumerate(pattern.edges):
        name, direction = edge.ways[0]
        ends = _term(pattern, edge.near), _term(pattern, edge.far)
        near, far = ends if direction == "out" else reversed(ends)
        if edge.ways == CLASS:
            yield _of_class(near, pattern.nodes[edge.far][0])
        elif edge.year:
            yield _held(near, _name(name), far, edge.year, n)
        else:
            yield f"{near} <relation:{_name(name)}> {far} ."
    for node, things in pattern.several.items():
        yield f"VALUES ?v{node} {{ {' '.join(_term(pattern, one) for one in things)} }}"
    for node, sign, value in pattern.tests:
        if sign == "a":
            yield _of_class(_term(pattern, node), str(value))
        else:
            other = _term(pattern, value) if isinstance(value, int) else _literal(value)
            yield f"FILTER({_term(pattern, node)} {sign} {other})"


def _term(pattern: Pattern, node: int) -> str:
    name, _ = pattern.nodes[node]
    return _entity(name) if name else f"?v{node}"


def _of_class(term: str, noun: str) -> str:
    known = lexicon().class_of(noun)
    name = known.labels[0] if known else singular(noun)
    return f"{term} <relation:instance_of>/<relation:subclass_of>* {_entity(name)} ."


def _held(near: str, name: str, far: str, year: str, n: int) -> str:
    """Along a relation that held in a year: the statement's node carries its times."""
    return (
        f"{near} <statement:{name}> ?of{n} . ?of{n} <value:{name}> {far} . "
        f"?of{n} <qualifier:start_time> ?since{n} . "
        f"OPTIONAL {{ ?of{n} <qualifier:end_time> ?until{n} }} "
        f"FILTER(YEAR(?since{n}) <= {year} && (!BOUND(?until{n}) || YEAR(?until{n}) >= {year}))"
    )


def _entity(name: str) -> str:
    return f"<entity:{_name(name)}>"


def _name(name: str) -> str:
    """A name as an IRI may hold it; letters of any alphabet stay readable."""
    spaced = name.strip().replace(" ", "_")
    return "".join(c if c.isalnum() or c in "_-.,'()&:!" else quote(c, safe="") for c in spaced)


def _literal(text: str) -> str:
    """A number, or a time as its first moment."""
    if text.replace(".", "", 1).isdigit() and len(text) != 4:
        return text
    day = "-".join([*text.split("-"), "01", "01"][:3])
    return f'"{day}T00:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>'


HANDLERS: dict[str, Callable[[Any], BaseModel]] = {DRAFT.name: draft}
