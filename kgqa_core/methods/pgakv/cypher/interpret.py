"""The write subset of openCypher, interpreted into a property graph.

PG&AKV (§III-A) lets a database execute what the model wrote. Here a script is read by the
openCypher grammar (`antlr4-cypher`), and only CREATE, MERGE and SET are carried out, on a graph
in memory: nothing it says can reach a file, a network or a database. Everything else is refused
with its reason. What the grammar does not accept is mended part by part; each mending and each
loss is kept, with its line. What was carried out is written down again in plain clauses, with
variables of our own, names between backticks, and values as parameters: that, and nothing else,
a real database may be sent (`bolt.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import networkx as nx

from kgqa_core.errors import KGQAError
from kgqa_core.methods.pgakv.cypher.mend import Unreadable, mend
from kgqa_core.methods.pgakv.cypher.scan import Part, depth_of, parts, script_of
from kgqa_core.methods.pgakv.cypher.tree import (
    NotCypher,
    Property,
    Refused,
    check,
    checked,
    conditions,
    labels_of,
    map_of,
    parse,
    properties_of,
    symbol,
    type_of,
    value_of,
)

PROSE = "The prose around the script was left out"
MAX_CHARS = 200_000
MAX_PARTS = 1_000
MAX_PART_CHARS = 20_000
MAX_NODES = 5_000
MAX_DEPTH = 16  # brackets within brackets
MAX_WORDS = 50_000  # and signs, of the whole script; reading them takes some seconds
MAX_PART_WORDS = 5_000
_WORDS = re.compile(r"\w+|[^\w\s]")
NAMES = ("name", "title", "fullname", "full_name", "label")  # the property that names a node

_REFUSED = {
    "LOAD": "LOAD CSV reads files",
    "CALL": "CALL runs procedures",
    "DELETE": "DELETE removes data",
    "DETACH": "DELETE removes data",
    "REMOVE": "REMOVE takes data away",
    "DROP": "DROP removes data",
    "SCHEMA": "it changes the schema or the users of a database",
    "FOREACH": "loops are not interpreted",
    "UNWIND": "loops are not interpreted",
    "WITH": "WITH computes; only plain variables could be passed on",
    "UNION": "UNION combines queries",
}
_ENDS = frozenset({"RETURN", "BEGIN", "COMMIT", "EXPLAIN", "PROFILE"})
_PASSED_ON = re.compile(r"WITH\s+(?:\*|\w+(?:\s*,\s*\w+)*)\s*", re.IGNORECASE)


class CypherError(KGQAError):
    """No statement of a script could be read; `remarks` say why for each part."""

    def __init__(self, message: str, remarks: tuple[Remark, ...] = ()) -> None:
        super().__init__(message)
        self.remarks = remarks


@dataclass(frozen=True)
class Remark:
    """What happened to a part of a script, and why."""

    line: int
    text: str
    why: str

    def __str__(self) -> str:
        shown = " ".join(self.text.split())
        shown = shown if len(shown) <= 90 else shown[:89].rstrip() + "…"
        return f"Line {self.line}, {shown}: {self.why}." if shown else f"{self.why}."


@dataclass
class Graph:
    """A property graph and how it came about.

    `parts` counts those of the script, `read` those that were carried out. `clauses` are the same
    as one statement for a database: `values` its parameters, `bound` its variables with the nodes
    they stand for here.
    """

    graph: nx.MultiDiGraph = field(default_factory=nx.MultiDiGraph)
    mended: list[Remark] = field(default_factory=list)
    lost: list[Remark] = field(default_factory=list)
    parts: int = 0
    read: int = 0
    clauses: list[str] = field(default_factory=list)
    values: dict[str, Property] = field(default_factory=dict)
    bound: dict[str, int] = field(default_factory=dict)


def interpret(reply: str) -> Graph:
    """The property graph that a reply's script creates. Raises CypherError when it is empty.

    A script in which a quotation mark was forgotten reads better line by line: both readings
    are tried, and the one that makes more of it is kept.
    """
    text = reply.encode("utf-8", "replace").decode("utf-8")
    cut = len(text) > MAX_CHARS
    if cut:
        text = text[:MAX_CHARS]
    script, prose = script_of(text)
    if not script:
        raise CypherError(
            "The script is empty: no CREATE or MERGE was found in it."
            if text.strip()
            else "The script is empty."
        )
    read = _Interpreter().run(parts(script))
    if read.read < read.parts or read.mended:
        again = _Interpreter().run(parts(script, by_lines=True))
        if (again.read, again.parts) > (read.read, read.parts):
            read = again
    if prose:
        read.mended.insert(0, Remark(1, "", PROSE))
    if cut:
        read.lost.append(Remark(0, "", f"The script was cut after {MAX_CHARS:,} characters"))
    if not read.graph:
        why = f" {read.lost[0]}" if read.lost else ""
        raise CypherError(
            f"No statement of the script could be read.{why}", (*read.mended, *read.lost)
        )
    return read


class _Interpreter:
    def __init__(self) -> None:
        self.words = 0  # read so far
        self.made = Graph()
        self.graph = self.made.graph
        self.variables: dict[str, tuple[int, int]] = {}  # name → node, statement that bound it
        self.written: dict[str, str] = {}  # name → variable in what is written
        self.part = Part("", "", 0)
        self.edges = 0

    def run(self, found: Iterator[Part]) -> Graph:
        for part in found:
            self.part = part
            words = sum(1 for _ in _WORDS.finditer(part.text))
            self.words += words
            if self._is_over():
                break
            self.made.parts += 1
            if words > MAX_PART_WORDS:
                self._lose(f"refused, it has more than {MAX_PART_WORDS:,} words and signs")
                continue
            try:
                self._read(part)
            except Refused as refusal:
                self._lose(f"refused, {refusal}")
            except NotCypher as error:
                self._lose(str(error))
            except RecursionError:
                self._lose("it is nested too deeply")
        return self.made

    def _is_over(self) -> bool:
        why = ""
        if self.made.parts >= MAX_PARTS:
            why = f"The script goes on after {MAX_PARTS:,} parts; the rest was left out"
        elif len(self.graph) >= MAX_NODES:
            why = f"The script has more than {MAX_NODES:,} nodes; the rest was left out"
        elif self.words > MAX_WORDS:
            why = f"The script goes on after {MAX_WORDS:,} words and signs; the rest was left out"
        if why:
            self.made.lost.append(Remark(self.part.line, "", why))
        return bool(why)

    def _mend(self, why: str) -> None:
        self.made.mended.append(Remark(self.part.line, self.part.text, why))

    def _lose(self, why: str) -> None:
        self.made.lost.append(Remark(self.part.line, self.part.text, why))

    def _read(self, part: Part) -> None:
        if part.verb in _ENDS:
            if part.verb == "RETURN":
                self._mend("nothing is returned, so it was left out")
            return
        if part.verb == "WITH" and _PASSED_ON.fullmatch(part.text):
            self._mend("variables stay known, so it was left out")
            return
        if part.verb not in ("CREATE", "MERGE", "SET", "MATCH", "OPTIONAL"):
            raise Refused(_REFUSED.get(part.verb, f"{part.verb} is not interpreted"))
        if len(part.text) > MAX_PART_CHARS:
            raise Refused(f"it is longer than {MAX_PART_CHARS:,} characters")
        if depth_of(part.text) > MAX_DEPTH:
            raise Refused(f"brackets are nested more than {MAX_DEPTH} deep")
        if part.verb in ("MATCH", "OPTIONAL"):
            self._match(part)
            self.made.read += 1
            return
        rule = {"CREATE": "createSt", "MERGE": "mergeSt", "SET": "setSt"}[part.verb]
        text = part.text
        try:
            tree = checked(text, rule)
        except NotCypher as error:
            try:
                text = mend(part.verb, part.text)
            except Unreadable:
                raise error from None
            tree = checked(text, rule)
            self._mend(f"read as {text}")
        self._carry_out(part.verb, tree)
        self.made.read += 1

    def _carry_out(self, verb: str, tree: Any) -> None:
        if verb == "SET":
            self._set(tree)
        elif verb == "CREATE":
            for path in tree.pattern().patternPart():
                self._path(path, merge=False)
        else:
            fresh = self._path(tree.patternPart(), merge=True)
            for action in tree.mergeAction():
                if (action.CREATE() is not None) == fresh:
                    self._set(action.setSt())

    # -- paths ---------------------------------------------------------------------------

    def _path(self, path: Any, *, merge: bool) -> bool:
        """Whether anything new came of it."""
        before = (len(self.graph), self.edges)
        element = path.patternElem()
        while element.patternElem() is not None:  # CREATE ((a)-[:R]->(b))
            element = element.patternElem()
        later: list[str] = []
        near, written = self._node(element.nodePattern(), merge, later)
        last = written
        for chain in element.patternElemChain():
            far, end = self._node(chain.nodePattern(), merge, later)
            relation = self._relate(near, far, chain.relationshipPattern(), merge)
            if merge:  # of a whole path a database would create all that is not there as a whole
                self.made.clauses.append(f"MERGE {last}{relation}{end}")
            written += f"{relation}{end}"
            near, last = far, end
        fresh = before != (len(self.graph), self.edges)
        if fresh and not merge:
            self.made.clauses.append(f"CREATE {written}")
        self.made.clauses += later
        return fresh

    def _node(self, node: Any, merge: bool, later: list[str]) -> tuple[int, str]:
        """The node of a pattern, and how a path names it; `later` is to be set after the path."""
        variable = symbol(node.symbol())
        labels = labels_of(node.nodeLabels())
        properties = properties_of(node.properties().mapLit()) if node.properties() else {}
        known = self.variables.get(variable) if variable else None
        if known is not None:
            number, statement = known
            same = self._same_name(number, properties)
            if not labels and not properties:
                if statement != self.part.statement:
                    self._mend(f"“{variable}” was taken as the node of an earlier statement")
                return number, f"({self.written[variable]})"
            if same and (statement == self.part.statement or merge or not properties):
                self._mend(f"“{variable}” is declared twice; taken as one node")
                self._dress(number, labels, properties)
                called = self.written[variable]
                later += [f"SET {called}{_written(labels)}"] if labels else []
                later += [f"SET {called} += {self._map(properties)}"] if properties else []
                return number, f"({called})"
            if statement == self.part.statement:
                self._mend(f"“{variable}” is declared twice; from here it is another node")
        found = None
        merge_it = merge and known is None and bool(labels or properties)
        if merge_it:
            found = self._find(labels, properties)
        number = self._add(variable, labels, properties) if found is None else found
        called = self._bind(variable, number)
        pattern = f"({called}{self._described(labels, properties)})"
        if not merge:
            return number, pattern
        self.made.clauses.append(f"{'MERGE' if merge_it else 'CREATE'} {pattern}")
        return number, f"({called})"

    def _add(self, variable: str, labels: tuple[str, ...], properties: dict[str, Property]) -> int:
        number = len(self.graph)
        self.graph.add_node(number, variable=variable, labels=(), properties={})
        self._dress(number, labels, properties)
        return number

    def _bind(self, variable: str, number: int) -> str:
        """The variable that stands for the node in what is written: one of ours, bound once."""
        written = f"n{len(self.made.bound)}"
        self.made.bound[written] = number
        if variable:
            self.variables[variable] = (number, self.part.statement)
            self.written[variable] = written
        return written

    def _same_name(self, number: int, properties: dict[str, Property]) -> bool:
        said = name_of(properties)
        return not said or said == name_of(self.graph.nodes[number]["properties"])

    def _find(self, labels: tuple[str, ...], properties: dict[str, Property]) -> int | None:
        for number, node in self.graph.nodes(data=True):
            if set(labels) <= set(node["labels"]) and _has(node["properties"], properties):
                return int(number)
        return None

    def _dress(self, number: int, labels: tuple[str, ...], properties: dict[str, Property]) -> None:
        node = self.graph.nodes[number]
        node["labels"] = tuple(dict.fromkeys((*node["labels"], *labels)))
        node["properties"].update(properties)

    def _relate(self, near: int, far: int, relation: Any, merge: bool) -> str:
        """Adds the relation, unless it is there to be merged with; returns how a path has it."""
        detail = relation.relationDetail()
        kind = type_of(detail)
        properties = properties_of(detail.properties().mapLit()) if detail.properties() else {}
        left, right = relation.LT() is not None, relation.GT() is not None
        if left == right:
            self._mend("a relation without one direction was read from left to right")
        turned = left and not right
        source, target = (far, near) if turned else (near, far)
        written = f"[{self._described((kind,), properties)}]"
        written = f"<-{written}-" if turned else f"-{written}->"
        if merge:
            known: dict[Any, dict[str, Any]] = self.graph.get_edge_data(source, target, default={})
            for edge in known.values():
                if edge["type"] == kind and _has(edge["properties"], properties):
                    return written
        self.graph.add_edge(source, target, type=kind, properties=properties)
        self.edges += 1
        return written

    # -- writing -------------------------------------------------------------------------

    def _described(self, labels: tuple[str, ...], properties: dict[str, Property]) -> str:
        return _written(labels) + (f" {self._map(properties)}" if properties else "")

    def _map(self, properties: dict[str, Property]) -> str:
        pairs = (f"`{key}`: {self._parameter(value)}" for key, value in properties.items())
        return f"{{{', '.join(pairs)}}}"

    def _parameter(self, value: Property) -> str:
        name = f"p{len(self.made.values)}"
        self.made.values[name] = value
        return f"${name}"

    # -- MATCH and SET -------------------------------------------------------------------

    def _match(self, part: Part) -> None:
        """Nodes to go on from: found in what the script made so far, or made."""
        text = re.sub(r"^OPTIONAL\s+", "", part.text, flags=re.IGNORECASE)
        tree = parse(text, "matchSt")
        pattern = tree.patternWhere()
        wanted = conditions(pattern.where())
        nodes = []
        for path in pattern.pattern().patternPart():
            element = path.patternElem()
            nodes += [element.nodePattern(), *(c.nodePattern() for c in element.patternElemChain())]
        for node in nodes:
            check(node)
            variable = symbol(node.symbol())
            if not variable or (variable in self.variables and not node.properties()):
                continue
            properties = properties_of(node.properties().mapLit()) if node.properties() else {}
            properties |= wanted.get(variable, {})
            if not name_of(properties):
                raise Refused("there is no graph to match it in")
            labels = labels_of(node.nodeLabels())
            number = self._find(labels, properties)
            if number is None:
                number = self._add(variable, labels, properties)
            called = self._bind(variable, number)
            self.made.clauses.append(f"MERGE ({called}{self._described(labels, properties)})")
        self._mend("there is no graph to match in, so MATCH was taken as MERGE of its nodes")

    def _set(self, tree: Any) -> None:
        items = [(self._owner(item), item) for item in tree.setItem()]  # all of them or none
        for variable, item in items:
            expression = item.propertyExpression()
            keys = expression.name() if expression is not None else []
            number, statement = self.variables[variable]
            if statement != self.part.statement:
                self._mend(f"“{variable}” was taken as the node of an earlier statement")
            called = self.written[variable]
            properties = self.graph.nodes[number]["properties"]
            if keys:
                key, value = symbol(keys[0]), value_of(item.expression())
                if value is None:
                    properties.pop(key, None)
                else:
                    properties[key] = value
                to = "NULL" if value is None else self._parameter(value)
                self.made.clauses.append(f"SET {called}.`{key}` = {to}")
            elif item.expression() is not None:
                values = properties_of(map_of(item.expression()))
                alone = item.ASSIGN() is not None and bool(values)
                if alone:
                    properties.clear()
                properties.update(values)
                sign = "=" if alone else "+="
                self.made.clauses.append(f"SET {called} {sign} {self._map(values)}")
            labels = labels_of(item.nodeLabels())
            if labels:
                self._dress(number, labels, {})
                self.made.clauses.append(f"SET {called}{_written(labels)}")

    def _owner(self, item: Any) -> str:
        expression = item.propertyExpression()
        variable = symbol(expression.atom().symbol() if expression else item.symbol())
        if variable not in self.variables:
            raise Refused(f"it sets a property of “{variable}”, which was not created")
        return variable


def _written(names: tuple[str, ...]) -> str:
    return "".join(f":`{name}`" for name in names)


def _has(known: dict[str, Property], wanted: dict[str, Property]) -> bool:
    return all(key in known and known[key] == value for key, value in wanted.items())


def name_of(properties: dict[str, Property]) -> str:
    """What a node is called, empty when no property says so."""
    folded = {key.casefold().replace(" ", "_"): value for key, value in properties.items()}
    for key in NAMES:
        value = folded.get(key)
        if (
            isinstance(value, str | int | float)
            and not isinstance(value, bool)
            and str(value).strip()
        ):
            return " ".join(str(value).split())
    return ""
