"""A run as text for other programs: Markdown, N-Triples of the evidence, CSV of the steps."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from html import escape as html_escape

from kgqa_core.ask.events import Record, Support, status_of
from kgqa_core.ask.header import Header
from kgqa_core.ask.outcome import answer_of, calls_in_words, total_cost
from kgqa_core.facts import verbalise
from kgqa_core.facts.terms import STRING, Entity, Literal, Relation, Statement, Value
from kgqa_core.kg import iris
from kgqa_core.kg.base import WD, WDT
from kgqa_core.kg.layout import full_id
from kgqa_core.methods import METHODS
from kgqa_core.render.graph import brief
from kgqa_core.render.steps import steps
from kgqa_core.text import counted

_MARKUP = re.compile(r"([\\`*_{}\[\]()#+\-.!|~>$:@])")


def markdown(header: Header, records: Sequence[Record]) -> str:
    """Question, answer with its facts, and the steps: for a paper, a note or an issue."""
    answer = answer_of(records)
    cost = total_cost(records)
    tokens = cost.prompt_tokens + cost.completion_tokens
    method = METHODS[header.method].title if header.method in METHODS else header.method
    parts = [f"## {_text(header.question)}", ""]
    if answer.sentences:
        said = " ".join(
            _text(s.text) + "".join(f" \\[{i + 1}\\]" for i in s.cites) for s in answer.sentences
        )
        parts += [f"**Answer** ({answer.grounding}): {said}", ""]
    else:
        last = records[-1].event if records else None
        reason = answer.reason or getattr(last, "message", "") or getattr(last, "reason", "")
        parts += [f"**No answer** ({status_of(list(records))}): {_text(reason)}", ""]
    if answer.citations:
        parts += [
            f"{i}. {_text(verbalise.support(fact))}" for i, fact in enumerate(answer.citations, 1)
        ]
        parts.append("")
    parts += ["### Steps", ""]
    for n, step in enumerate(steps(records), 1):
        parts.append(f"{n}. **{_text(step.title)}**")
        if step.thought:
            parts.append(f"   *{_text(step.thought)}*")
        lines = filter(None, (record.event.line for record in step.records))
        parts += [f"   - {_text(line)}" for line in lines]
    parts += [
        "",
        f"{_text(method)} on “{_text(header.graph)}”, read by {_text(header.model)}, "
        f"{header.started_at[:19].replace('T', ' ')} UTC: {calls_in_words(records)}, "
        f"{tokens:,} tokens, {counted(cost.kg_requests, 'graph request')}, {cost.seconds:.2f} s.",
    ]
    return "\n".join(parts) + "\n"


def _text(text: str) -> str:
    """Any text as itself in Markdown that also takes HTML: no link, image, mention or tag."""
    plain = html_escape(" ".join(brief(text).split()), quote=False)
    return _MARKUP.sub(r"\\\1", plain)


def ntriples(facts: Iterable[Support]) -> str:
    """The statements among the facts, one line each; one with qualifiers also as a node of its own.

    That node is a statement in RDF's own reification, with the qualifiers on it, so that any
    reader of N-Triples can take the file. Passages of text are left out.
    """
    lines: list[str] = []
    statements = [fact for fact in dict.fromkeys(facts) if isinstance(fact, Statement)]
    for n, s in enumerate(statements, 1):
        subject, relation, value = _iri(s.subject.id), _predicate(s.relation), _value(s.object)
        lines.append(f"{subject} {relation} {value} .")
        if not s.qualifiers:
            continue
        node = f"_:s{n}"
        rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
        lines += [
            f"{node} <{rdf}type> <{rdf}Statement> .",
            f"{node} <{rdf}subject> {subject} .",
            f"{node} <{rdf}predicate> {relation} .",
            f"{node} <{rdf}object> {value} .",
        ]
        lines += [f"{node} {_predicate(q.relation)} {_value(q.value)} ." for q in s.qualifiers]
    return "".join(line + "\n" for line in dict.fromkeys(lines))


def _predicate(relation: Relation) -> str:
    """A property of Wikidata as its direct predicate, wdt:P57, as in Wikidata's own RDF."""
    if relation.id.startswith(WD):
        return _iri(WDT + relation.id.removeprefix(WD))
    return _iri(relation.id)


def _value(value: Value) -> str:
    if isinstance(value, Entity):
        return _iri(value.id)
    text = _quoted(value)
    if value.datatype == STRING:
        language = re.fullmatch(r"[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*", value.language)
        return f"{text}@{value.language}" if language else text
    return f"{text}^^{_iri(value.datatype)}"


def _quoted(literal: Literal) -> str:
    escaped = literal.value.replace("\\", "\\\\").replace('"', '\\"')
    escaped = escaped.replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
    return '"' + escaped.encode("utf-8", "replace").decode() + '"'


def _iri(name: str) -> str:
    """An id as an IRI; what has none of its own, such as a name in a text file, becomes a URN."""
    try:
        return f"<{iris.made_valid(full_id(name))}>"
    except ValueError:
        return f"<urn:kgqa:{iris.escaped(name)}>"


def csv_steps(records: Sequence[Record]) -> str:
    """One row an event, with its step, what happened, and what it took."""
    out = io.StringIO()
    table = csv.writer(out)
    table.writerow(
        "event,step,title,kind,what,seconds,model calls,prompt tokens,completion tokens,"
        "graph requests".split(",")
    )
    for n, step in enumerate(steps(records), 1):
        for record in step.records:
            cost = record.cost
            table.writerow(
                [
                    record.seq + 1,
                    n,
                    _cell(step.title),
                    record.event.model_dump(include={"kind"})["kind"],
                    _cell(record.event.line),
                    f"{record.at_s:.4f}",
                    cost.llm_calls,
                    cost.prompt_tokens,
                    cost.completion_tokens,
                    cost.kg_requests,
                ]
            )
    return out.getvalue()


def _cell(text: str) -> str:
    """Text that no spreadsheet takes for a formula."""
    text = brief(text)
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text
