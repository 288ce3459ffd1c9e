"""A property graph → statements: the pseudo-graph that is checked against the knowledge graph.

Relations become triples, their properties qualifiers; properties of nodes become triples too
(PG&AKV, Figure 4: `area: 82000` is <Lake Superior> <AREA> <82000>). A node without a name is
open: the script says that something is there, not what.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import networkx as nx

from kgqa_core.facts.normalise import literal
from kgqa_core.facts.terms import (
    BOOLEAN,
    DECIMAL,
    PSEUDO,
    YEAR,
    Entity,
    Literal,
    Qualifier,
    Relation,
    Statement,
    is_open,
)
from kgqa_core.methods.pgakv.cypher.interpret import CypherError, Graph, Remark, interpret, name_of
from kgqa_core.methods.pgakv.cypher.tree import Property, Scalar

OPEN = "?"
SOURCE = "the model"
MOST_LINES = 2_000
_LINE = re.compile(r"\s*(?:[-*•]|\d+[.)])?\s*<([^<>]+)>\s*<([^<>]+)>\s*<([^<>]+)>\s*[.,;]?\s*")
_DATED = re.compile(
    r"year|date|born|birth|died|death|founded|released|published|opened|built|since|until|start|"
    r"\bend|point in time|\bwhen|inception|established|discovered|elected|joined|awarded|\bwon"
)
_YEAR = re.compile(r"[12]\d{3}")
_INSTANCE = Relation(f"{PSEUDO}relation/instance of", "instance of")
_FILLER = re.compile(r"[a-z]{1,2}\d*|(?:node|n|v|e|entity|item|x|var)_?\d*", re.IGNORECASE)


@dataclass(frozen=True)
class PseudoGraph:
    """`graph` is what the script built (nodes with labels and properties), `statements` the same
    as triples; `parts` counts those of the script."""

    graph: nx.MultiDiGraph
    statements: tuple[Statement, ...]
    mended: tuple[Remark, ...] = ()
    lost: tuple[Remark, ...] = ()
    parts: int = 0


def from_script(reply: str) -> PseudoGraph:
    """The pseudo-graph of a reply with a Cypher script. Raises CypherError, nothing else."""
    return from_graph(interpret(reply))


def from_graph(read: Graph) -> PseudoGraph:
    """The triples of a property graph. Raises CypherError when it says nothing."""
    statements = tuple(dict.fromkeys(_statements(read.graph)))
    if not statements:
        raise CypherError(
            "The script names things but says nothing about them: no relation, no property.",
            (*read.mended, *read.lost),
        )
    return PseudoGraph(
        read.graph,
        statements,
        tuple(read.mended),
        tuple(read.lost),
        read.parts,
    )


def from_lines(lines: Sequence[str]) -> PseudoGraph:
    """Triples written directly, `<subject> <relation> <object>` each (the paper's ablation).

    Nothing is mended here: what is malformed is lost. Raises CypherError when all is.
    """
    graph: nx.MultiDiGraph = nx.MultiDiGraph()
    numbers: dict[str, int] = {}
    lost = []
    statements = []

    def node(name: str) -> int:
        if name not in numbers:
            numbers[name] = len(numbers)
            graph.add_node(numbers[name], variable="", labels=(), properties={"name": name})
        return numbers[name]

    rows = [row for line in lines for row in line.splitlines() if row.strip()]
    for n, row in enumerate(rows[:MOST_LINES], 1):
        plain = row.encode("utf-8", "replace").decode("utf-8")
        found = _LINE.fullmatch(plain)
        ends = [" ".join(text.split()) for text in found.groups()] if found else []
        if not ends or not all(ends):
            lost.append(Remark(n, plain, "it is not <subject> <relation> <object>"))
            continue
        name, relation, value = ends
        graph.add_edge(node(name), node(value), type=relation, properties={})
        subject, end = (_open_or(text, f"{n}.{i}") for i, text in enumerate((name, value)))
        statements.append(
            Statement(subject, _relation(relation), literal(value) or end, source=SOURCE)
        )
    if len(rows) > MOST_LINES:
        lost.append(Remark(MOST_LINES + 1, "", f"Only {MOST_LINES:,} lines are read"))
    if not statements:
        why = f" {lost[0]}" if lost else ""
        raise CypherError(f"No triple could be read.{why}", tuple(lost))
    return PseudoGraph(graph, tuple(dict.fromkeys(statements)), lost=tuple(lost), parts=len(rows))


def _open_or(name: str, place: str) -> Entity:
    return Entity(f"{PSEUDO}open/{place}", OPEN) if name == OPEN else _entity(name, ())


def _statements(graph: nx.MultiDiGraph) -> list[Statement]:
    entities = _entities(graph)
    found = []
    for number, node in graph.nodes(data=True):
        subject = entities[number]
        told = [
            Statement(subject, _relation(key), _literal(key, value), source=SOURCE)
            for key, values in node["properties"].items()
            if not _is_name(key, values, subject)
            for value in (values if isinstance(values, list) else [values])
        ]
        alone = not told and graph.degree(number) == 0 and not is_open(subject)
        if alone:  # it would say nothing else
            told = [
                Statement(subject, _INSTANCE, _entity(_words(label), ()), source=SOURCE)
                for label in node["labels"]
            ]
        found += told
    for source, target, edge in graph.edges(data=True):
        qualifiers = tuple(
            Qualifier(_relation(key), _literal(key, value))
            for key, values in edge["properties"].items()
            for value in (values if isinstance(values, list) else [values])
        )
        found.append(
            Statement(
                entities[source],
                _relation(edge["type"]),
                entities[target],
                qualifiers,
                source=SOURCE,
            )
        )
    return found


def _entities(graph: nx.MultiDiGraph) -> dict[int, Entity]:
    """Nodes of one name are one entity, unless their labels say that they are different things."""
    kinds: dict[str, list[set[str]]] = {}
    names = {n: _name(node) for n, node in graph.nodes(data=True)}
    for n, node in graph.nodes(data=True):
        labels = set(node["labels"])
        if names[n] and labels:
            groups = kinds.setdefault(names[n], [])
            near = [g for g in groups if g & labels]
            kinds[names[n]] = [g for g in groups if g not in near] + [labels.union(*near)]
    found = {}
    for n, node in graph.nodes(data=True):
        if not names[n]:
            about = " ".join(_words(label) for label in node["labels"])
            found[n] = Entity(f"{PSEUDO}open/{n}", OPEN, about)
            continue
        groups = kinds.get(names[n], [])
        own = next((g for g in groups if g & set(node["labels"])), groups[0] if groups else set())
        several = len(groups) > 1
        found[n] = _entity(names[n], tuple(node["labels"]), min(own) if several else "")
    return found


def _name(node: dict[str, object]) -> str:
    """By its property, else by a variable that is a word: `everest`, `mount_everest`."""
    properties = node["properties"]
    assert isinstance(properties, dict)
    if named := name_of(properties):
        return named
    variable = str(node["variable"])
    if not variable or _FILLER.fullmatch(variable) or not variable[0].isalpha():
        return ""
    words = _words(variable)
    return words if words.isupper() else words.title()


def _is_name(key: str, value: Property, subject: Entity) -> bool:
    return not isinstance(value, list) and name_of({key: value}) == subject.label


def _entity(name: str, labels: tuple[str, ...], kind: str = "") -> Entity:
    about = " ".join(_words(label) for label in labels)
    return Entity(f"{PSEUDO}{kind}/{name}" if kind else f"{PSEUDO}entity/{name}", name, about)


def _relation(name: str) -> Relation:
    words = _words(name)
    return Relation(f"{PSEUDO}relation/{words}", words)


def _words(name: str) -> str:
    """`BORN_IN`, `bornIn`, `MountainRange` as words; others stay as they are written."""
    if " " in name.strip():
        plain = " ".join(name.split())
        return plain.lower() if plain.isupper() else plain
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name).replace("_", " ").replace("-", " ")
    return " ".join(apart.split()).lower() or name


def _literal(key: str, value: Scalar) -> Literal:
    if isinstance(value, Literal):
        return value
    if isinstance(value, bool):
        return Literal("true" if value else "false", BOOLEAN)
    if isinstance(value, str) and not _YEAR.fullmatch(value):
        return literal(value, text_too=True)
    if isinstance(value, str):  # a year in quotes
        value = int(value)
    whole = isinstance(value, int) or value.is_integer()
    text = str(int(value)) if whole and abs(value) < 1e15 else repr(value)
    if whole and 1000 <= abs(value) <= 2100 and _DATED.search(_words(key).casefold()):
        return Literal(text, YEAR)
    return Literal(text, DECIMAL)
