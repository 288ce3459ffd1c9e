"""The ways through the graph that a query goes: from each of its entities to what it asks for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_MOST = 3  # hops
_CLASSES = ("P31", "P279")
_TOKEN = re.compile(r"\?\w+|\w+:\w+|<[^>]*>|\"[^\"]*\"(?:@\w+)?|'[^']*'|[{}.;,/|^*+()]|[\w.\-:]+")

Edge = tuple[str, str, str]  # subject, property, object; nodes are Q… or ?…
Step = tuple[str, str]  # property, out or in


@dataclass(frozen=True)
class Query:
    """What a SPARQL query says, as far as it is triples."""

    form: str  # select, ask, count or order
    asked: str  # variable; empty for ASK
    edges: tuple[Edge, ...]
    qualified: bool
    filtered: bool


def parse(text: str) -> Query | None:
    """None for a query with several asked variables, or one that is not understood."""
    body = text[text.find("{") + 1 : text.rfind("}")] if "{" in text else ""
    head = re.sub(r"PREFIX\s+\w*:\s*<[^>]*>", " ", text[: text.find("{")], flags=re.I)
    order = re.search(r"order\s+by", text, re.I) is not None
    count = re.search(r"\bcount\s*\(", head, re.I) is not None
    ask = re.search(r"\bask\b", head, re.I) is not None
    asked = list(
        dict.fromkeys(re.findall(r"\?\w+", re.sub(r"\bas\s+\?\w+", " ", head, flags=re.I)))
    )
    if not body or (not ask and len(asked) != 1):
        return None
    body, filters = _without_filters(body)
    edges, qualified = _edges(body)
    form = "ask" if ask else "count" if count else "order" if order else "select"
    return Query(form, asked[0] if asked else "", tuple(edges), qualified, filters)


def _without_filters(body: str) -> tuple[str, bool]:
    found = False
    while match := re.search(r"\b(?:filter|bind|having)\b[^(]*\(|\bservice\b[^{]*\{", body, re.I):
        opener = body[match.end() - 1]
        closer = {"(": ")", "{": "}"}[opener]
        depth, i = 1, match.end()
        while depth and i < len(body):
            depth += (body[i] == opener) - (body[i] == closer)
            i += 1
        found = found or opener == "("
        body = body[: match.start()] + " . " + body[i:]
    return body, found


def _edges(body: str) -> tuple[list[Edge], bool]:
    statements: dict[str, tuple[str, str]] = {}  # of p:, the subject and property
    raw: list[tuple[str, list[str], str]] = []
    fresh = 0
    for chunk in re.split(r"\s\.(?=\s|$|[{}?w])|[{}]|(?<=[\w\"])\.(?=\s|$)", body):
        subject = ""
        for n, part in enumerate(chunk.split(";")):
            tokens = [t for t in _TOKEN.findall(part) if t not in ".{}" and t.lower() not in _WORDS]
            if n == 0:
                if len(tokens) < 3:
                    break
                subject, tokens = tokens[0], tokens[1:]
            if len(tokens) < 2:
                continue
            at = next((i for i, t in enumerate(tokens) if i and _is_node(t)), None)
            if at is None:
                continue
            objects = [t for t in tokens[at:] if t != ","]
            raw += [(subject, tokens[:at], o) for o in objects]
    edges: list[Edge] = []
    qualified = False
    later: list[tuple[str, str, str]] = []
    for s, path, o in raw:
        if "|" in path:
            path = path[: path.index("|")]
        path = [t for t in path if t not in "*+()"]
        steps = [t for t in path if t not in "/^"]
        node = s
        for i, step in enumerate(steps):
            back = path[max(0, path.index(step) - 1)] == "^"
            prefix, _, name = step.partition(":")
            if i + 1 == len(steps):
                end = o
            else:
                fresh += 1
                end = f"?_{fresh}"
            if prefix == "p":
                statements[end] = (node, name)
            elif prefix == "ps":
                later.append((node, name, end))
            elif prefix == "pq":
                qualified = True
            elif prefix == "wdt" and name not in ("P279",):
                edges.append((end, name, node) if back else (node, name, end))
            elif name == "P279" and node != end:
                later.append(("=", node, end))
            node = end
    same = {a: b for mark, a, b in later if mark == "="}
    for node, name, end in later:
        if node != "=" and node in statements:
            subject, prop = statements[node]
            edges.append((subject, prop or name, end))
    clean = [(_short(same.get(s, s)), p, _short(same.get(o, o))) for s, p, o in edges]
    return [(s, p, o) for s, p, o in clean if s and o], qualified


_WORDS = {"optional", "union", "minus", "values", "distinct", "where", "limit", "graph"}


def _is_node(token: str) -> bool:
    return token.startswith(("?", "wd:", '"', "'")) or token[0].isdigit()


def _short(node: str) -> str:
    return node.removeprefix("wd:") if node.startswith(("wd:", "?")) else ""


def paths(query: Query) -> Iterator[tuple[str, tuple[Step, ...]]]:
    """Each entity of the query with its shortest way to what is asked for.

    Classes that only narrow the answer are left out. ASK: the way from each entity that reaches
    another one.
    """
    nodes = {n for s, _, o in query.edges for n in (s, o)}
    entities = sorted(n for n in nodes if n.startswith("Q"))
    real = [
        e for e in entities
        if any(p not in _CLASSES for s, p, o in query.edges if e in (s, o)) or len(entities) == 1
    ]  # fmt: skip
    for entity in real:
        goals = {query.asked} if query.asked else set(real) - {entity}
        if not goals & nodes:
            continue
        way = _shortest(query.edges, entity, goals)
        if way:
            yield entity, way


def _shortest(edges: tuple[Edge, ...], start: str, goals: set[str]) -> tuple[Step, ...]:
    frontier: list[tuple[str, tuple[Step, ...]]] = [(start, ())]
    seen = {start}
    for _ in range(_MOST):
        after = []
        for node, way in frontier:
            for s, p, o in edges:
                for here, there, direction in ((s, o, "out"), (o, s, "in")):
                    if here != node or there in seen:
                        continue
                    if there in goals:
                        return (*way, (p, direction))
                    seen.add(there)
                    if there.startswith("?"):  # through another name is another way
                        after.append((there, (*way, (p, direction))))
        frontier = after
    return ()
