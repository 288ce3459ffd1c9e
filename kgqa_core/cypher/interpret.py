"""The write subset of openCypher, interpreted into a property graph.

PG&AKV (§III-A) lets a database execute what the model wrote. Here a script is read by the
openCypher grammar (`antlr4-cypher`), and only CREATE, MERGE and SET are carried out, on a graph
in memory: nothing it says can reach a file, a network or a database. Everything else is refused
with its reason. What the grammar does not accept is mended part by part; each mending and each
loss is kept, with its line.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import networkx as nx
from antlr4 import CommonTokenStream, InputStream, PredictionMode
from antlr4.error.ErrorListener import ErrorListener
from antlr4.tree.Tree import TerminalNode
from antlr4_cypher import CypherLexer, CypherParser

from kgqa_core.cypher.mend import Unreadable, mend, quoted
from kgqa_core.cypher.scan import Part, depth_of, parts, script_of
from kgqa_core.errors import KGQAError
from kgqa_core.terms import Literal
from kgqa_core.timeline import parse_time

MAX_CHARS = 200_000
MAX_PARTS = 1_000
MAX_PART_CHARS = 20_000
MAX_NODES = 5_000
MAX_DEPTH = 16  # brackets within brackets
MAX_SECONDS = 10.0
NAMES = ("name", "title", "fullname", "full_name", "label")  # the property that names a node

Scalar = str | int | float | bool | Literal
Property = Scalar | list[Scalar]

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
_TEMPORAL = frozenset({"date", "datetime", "localdatetime", "time", "localtime"})
_PASSED_ON = re.compile(r"WITH\s+(?:\*|\w+(?:\s*,\s*\w+)*)\s*", re.IGNORECASE)
_EQUAL = re.compile(
    r"\s*(`[^`]+`|\w+)\s*\.\s*(`[^`]+`|\w+)\s*=\s*('(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|-?\d+(?:\.\d+)?)\s*"
)
_DECIMAL = re.compile(r"-?\d+\.\d*")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


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
    """A property graph and how it came about. `parts` counts those of the script."""

    graph: nx.MultiDiGraph = field(default_factory=nx.MultiDiGraph)
    mended: list[Remark] = field(default_factory=list)
    lost: list[Remark] = field(default_factory=list)
    accepted: list[str] = field(default_factory=list)
    parts: int = 0


class _Refused(Exception):
    """Cypher, but not what is interpreted; the message says why."""


class _NotCypher(Exception):
    """The grammar does not accept it; the message says where."""


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
    until = time.monotonic() + MAX_SECONDS
    read = _Interpreter(until).run(parts(script))
    if len(read.accepted) < read.parts or read.mended:
        again = _Interpreter(until).run(parts(script, by_lines=True))
        if (len(again.accepted), again.parts) > (len(read.accepted), read.parts):
            read = again
    if prose:
        read.mended.insert(0, Remark(1, "", "The prose around the script was left out"))
    if cut:
        read.lost.append(Remark(0, "", f"The script was cut after {MAX_CHARS:,} characters"))
    if not read.graph:
        why = f" {read.lost[0]}" if read.lost else ""
        raise CypherError(
            f"No statement of the script could be read.{why}", (*read.mended, *read.lost)
        )
    return read


class _Interpreter:
    def __init__(self, until: float) -> None:
        self.until = until
        self.made = Graph()
        self.graph = self.made.graph
        self.variables: dict[str, tuple[int, int]] = {}  # name → node, statement that bound it
        self.part = Part("", "", 0)
        self.edges = 0

    def run(self, found: Iterator[Part]) -> Graph:
        for part in found:
            self.part = part
            if self._is_over():
                break
            self.made.parts += 1
            try:
                self._read(part)
            except _Refused as refusal:
                self._lose(f"refused, {refusal}")
            except _NotCypher as error:
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
        elif time.monotonic() > self.until:
            why = f"Reading took {MAX_SECONDS:g} seconds; the rest was left out"
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
            raise _Refused(_REFUSED.get(part.verb, f"{part.verb} is not interpreted"))
        if len(part.text) > MAX_PART_CHARS:
            raise _Refused(f"it is longer than {MAX_PART_CHARS:,} characters")
        if depth_of(part.text) > MAX_DEPTH:
            raise _Refused(f"brackets are nested more than {MAX_DEPTH} deep")
        if part.verb in ("MATCH", "OPTIONAL"):
            self._match(part)
            return
        rule = {"CREATE": "createSt", "MERGE": "mergeSt", "SET": "setSt"}[part.verb]
        text = part.text
        try:
            tree = _checked(text, rule)
        except _NotCypher as error:
            try:
                text = mend(part.verb, part.text)
            except Unreadable:
                raise error from None
            tree = _checked(text, rule)
            self._mend(f"read as {text}")
        self._carry_out(part.verb, tree)
        self.made.accepted.append(text)

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
        near = self._node(element.nodePattern(), merge)
        for chain in element.patternElemChain():
            far = self._node(chain.nodePattern(), merge)
            self._relate(near, far, chain.relationshipPattern(), merge)
            near = far
        return before != (len(self.graph), self.edges)

    def _node(self, node: Any, merge: bool) -> int:
        variable = _symbol(node.symbol())
        labels = _labels(node.nodeLabels())
        properties = _map(node.properties().mapLit()) if node.properties() else {}
        known = self.variables.get(variable) if variable else None
        if known is not None:
            number, statement = known
            same = self._same_name(number, properties)
            if not labels and not properties:
                if statement != self.part.statement:
                    self._mend(f"“{variable}” was taken as the node of an earlier statement")
                return number
            if same and (statement == self.part.statement or merge or not properties):
                self._mend(f"“{variable}” is declared twice; taken as one node")
                self._dress(number, labels, properties)
                return number
            if statement == self.part.statement:
                self._mend(f"“{variable}” is declared twice; from here it is another node")
        if merge and known is None and (labels or properties):
            found = self._find(labels, properties)
            if found is not None:
                self._bind(variable, found)
                return found
        number = len(self.graph)
        self.graph.add_node(number, variable=variable, labels=(), properties={})
        self._dress(number, labels, properties)
        self._bind(variable, number)
        return number

    def _bind(self, variable: str, number: int) -> None:
        if variable:
            self.variables[variable] = (number, self.part.statement)

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

    def _relate(self, near: int, far: int, relation: Any, merge: bool) -> None:
        detail = relation.relationDetail()
        types = _types(detail)
        properties = _map(detail.properties().mapLit()) if detail.properties() else {}
        left, right = relation.LT() is not None, relation.GT() is not None
        if left == right:
            self._mend("a relation without one direction was read from left to right")
        source, target = (far, near) if left and not right else (near, far)
        if merge:
            known: dict[Any, dict[str, Any]] = self.graph.get_edge_data(source, target, default={})
            for edge in known.values():
                if edge["type"] == types and _has(edge["properties"], properties):
                    return
        self.graph.add_edge(source, target, type=types, properties=properties)
        self.edges += 1

    # -- MATCH and SET -------------------------------------------------------------------

    def _match(self, part: Part) -> None:
        """Nodes to go on from: found in what the script made so far, or made."""
        text = re.sub(r"^OPTIONAL\s+", "", part.text, flags=re.IGNORECASE)
        tree = _parse(text, "matchSt")
        pattern = tree.patternWhere()
        wanted = _conditions(pattern.where())
        nodes = []
        for path in pattern.pattern().patternPart():
            element = path.patternElem()
            nodes += [element.nodePattern(), *(c.nodePattern() for c in element.patternElemChain())]
        for node in nodes:
            _check(node)
            variable = _symbol(node.symbol())
            if not variable or (variable in self.variables and not node.properties()):
                continue
            properties = _map(node.properties().mapLit()) if node.properties() else {}
            properties |= wanted.get(variable, {})
            if not name_of(properties):
                raise _Refused("there is no graph to match it in")
            labels = _labels(node.nodeLabels())
            number = self._find(labels, properties)
            if number is None:
                number = len(self.graph)
                self.graph.add_node(number, variable=variable, labels=(), properties={})
                self._dress(number, labels, properties)
                self.made.accepted.append(_as_merge(labels, properties))
            self._bind(variable, number)
        self._mend("there is no graph to match in, so MATCH was taken as MERGE of its nodes")

    def _set(self, tree: Any) -> None:
        for item in tree.setItem():
            expression = item.propertyExpression()
            values: dict[str, Property | None] = {}
            keys = expression.name() if expression is not None else []
            variable = _symbol(expression.atom().symbol() if expression else item.symbol())
            if keys:
                values = {_symbol(keys[0]): _value(item.expression())}
            else:
                if item.expression() is not None:
                    mapped = _map_of(item.expression())
                    if mapped is None:
                        raise _Refused("only a map can be set as all properties of a node")
                    values = {**_map(mapped)}
            if variable not in self.variables:
                raise _Refused(f"it sets a property of “{variable}”, which was not created")
            number, statement = self.variables[variable]
            if statement != self.part.statement:
                self._mend(f"“{variable}” was taken as the node of an earlier statement")
            properties = self.graph.nodes[number]["properties"]
            if not keys and item.ASSIGN() is not None and values:
                properties.clear()
            for key, value in values.items():
                if value is None:
                    properties.pop(key, None)
                else:
                    properties[key] = value
            self._dress(number, _labels(item.nodeLabels()), {})


# -- reading the tree ------------------------------------------------------------------------


class _Errors(ErrorListener):
    def __init__(self) -> None:
        self.first = ""

    def syntaxError(
        self, recognizer: Any, symbol: Any, line: int, column: int, msg: str, e: Any
    ) -> None:
        if not self.first:
            near = getattr(symbol, "text", None)
            said = f"near “{near[:30]}”" if near and near != "<EOF>" else "at its end"
            self.first = f"it is not Cypher {said}"


def _parse(text: str, rule: str) -> Any:
    """The tree of one clause, by the openCypher grammar. Raises _NotCypher."""
    errors = _Errors()
    lexer = CypherLexer(InputStream(text))
    lexer.removeErrorListeners()
    lexer.addErrorListener(errors)
    stream = CommonTokenStream(lexer)
    parser = CypherParser(stream)
    parser.removeErrorListeners()
    parser.addErrorListener(errors)
    parser._interp.predictionMode = PredictionMode.SLL  # a third of the time; as strict here
    tree = getattr(parser, rule)()
    blank = (CypherLexer.SP, CypherLexer.WHITESPACE, CypherLexer.Comment)
    while stream.LT(1).type in blank:
        stream.consume()
    if not errors.first and stream.LT(1).type != -1:
        errors.first = f"it is not Cypher near “{stream.LT(1).text[:30]}”"
    if errors.first:
        raise _NotCypher(errors.first)
    return tree


def _checked(text: str, rule: str) -> Any:
    """The tree, after every name and value in it was read once: a part is carried out as a whole
    or not at all. Raises _NotCypher and _Refused."""
    tree = _parse(text, rule)
    _check(tree)
    return tree


def _check(tree: Any) -> None:
    kind = type(tree).__name__
    if kind == "MapLitContext":
        _map(tree)
        return
    if kind == "RelationshipPatternContext":
        _types(tree.relationDetail())
    elif kind == "PropertiesContext" and tree.mapLit() is None:
        raise _Refused("a parameter has no value here")
    elif kind == "PatternElemContext" and tree.functionInvocation() is not None:
        raise _Refused("functions are not called")
    elif kind == "SetItemContext" and tree.expression() is not None:
        keys = tree.propertyExpression().name() if tree.propertyExpression() else []
        if len(keys) > 1:
            raise _Refused("only properties of a node can be set")
        if keys:
            _value(tree.expression())
            return
        if _map_of(tree.expression()) is None:
            raise _Refused("only a map can be set as all properties of a node")
    for child in tree.getChildren() if tree.getChildCount() else ():
        if child.getChildCount():
            _check(child)


def _symbol(symbol: Any) -> str:
    if symbol is None:
        return ""
    text = symbol.getText().strip()
    return text[1:-1] if text[:1] == "`" == text[-1:] and len(text) > 1 else text


def _labels(labels: Any) -> tuple[str, ...]:
    return tuple(_symbol(name) for name in labels.name()) if labels is not None else ()


def _types(detail: Any) -> str:
    if detail is None:
        raise _Refused("a relation has no type")
    if detail.rangeLit() is not None:
        raise _Refused("a path of variable length cannot be created")
    if detail.relationshipTypes() is None:
        name = _symbol(detail.symbol())  # [KNOWS] for [:KNOWS]
        if not name:
            raise _Refused("a relation has no type")
        return name
    return _symbol(detail.relationshipTypes().name(0))


def _map(literal: Any) -> dict[str, Property]:
    pairs = ((_symbol(p.name()), _value(p.expression())) for p in literal.mapPair())
    return {key: value for key, value in pairs if value not in (None, "", [])}


def _only(tree: Any) -> Any:
    """Down to where a tree branches, spaces aside."""
    while True:
        children = [c for c in tree.getChildren() if not _is_blank(c)]
        if len(children) != 1 or isinstance(children[0], TerminalNode):
            return tree
        (tree,) = children
        if type(tree).__name__ in ("MapLitContext", "ListLitContext", "FunctionInvocationContext"):
            return tree


def _is_blank(tree: Any) -> bool:
    return isinstance(tree, TerminalNode) and not tree.getText().strip()


def _map_of(expression: Any) -> Any:
    found = _only(expression)
    return found if type(found).__name__ == "MapLitContext" else None


def _value(expression: Any) -> Property | None:
    """A constant. Raises _Refused for what would have to be computed from something else."""
    tree = _only(expression)
    match type(tree).__name__:
        case "CharLitContext" | "StringLitContext":
            return _unescaped(tree.getText()[1:-1])
        case "NumLitContext":
            return _number(tree.getText())
        case "SymbolContext":  # the grammar takes a whole number for a name
            if tree.getText()[:1].isdigit():
                return _number(tree.getText())
            if not tree.getText().isidentifier():  # “curly quotation marks”
                raise _NotCypher(f"it is not Cypher near “{tree.getText()[:30]}”")
            raise _Refused(f"“{tree.getText()[:30]}” is neither quoted nor a number")
        case "PropertyExpressionContext" if _DECIMAL.fullmatch(tree.getText()):
            return _number(tree.getText())  # the grammar reads 3.0 as property 0 of 3
        case "BoolLitContext":
            return tree.getText().casefold() == "true"
        case "LiteralContext":
            return None  # null
        case "ListLitContext":
            chain = tree.expressionChain()
            items = [_value(e) for e in chain.expression()] if chain is not None else []
            return [
                x
                for item in items
                for x in (item if isinstance(item, list) else [item])
                if x is not None
            ]
        case "MapLitContext":
            raise _Refused("a property cannot be a map")
        case "FunctionInvocationContext":
            return _moment(tree)
        case "UnaryAddSubExpressionContext":
            value = _value(tree.atomicExpression())
            if isinstance(value, int | float) and not isinstance(value, bool):
                return -value if tree.SUB() is not None else value
        case "AddSubExpressionContext" | "MultDivExpressionContext":
            return _computed(tree)
        case "ParenthesizedExpressionContext":
            return _value(tree.expression())
    raise _Refused("a value is not a constant")


def _number(text: str) -> int | float:
    try:
        if re.fullmatch(r"-?\d{1,18}", text):
            return int(text)
        value = float(text)
    except ValueError:
        raise _Refused(f"“{text[:20]}” is no number") from None
    if abs(value) == float("inf"):
        raise _Refused("a number is too large")
    return value


def _moment(call: Any) -> Literal:
    name = call.invocationName().getText().casefold()
    chain = call.expressionChain()
    given = (
        [_value(e) for e in chain.expression()] if chain is not None and name in _TEMPORAL else []
    )
    when = parse_time(given[0]) if len(given) == 1 and isinstance(given[0], str) else None
    if when is None:
        raise _Refused(f"it calls the function {name[:40]}")
    return when


def _computed(tree: Any) -> Property:
    """Sums, products and joined texts of constants."""
    values: list[Any] = []
    signs: list[str] = []
    for child in tree.getChildren():
        if child.getChildCount():
            values.append(_value(child))
        elif child.getText().strip():
            signs.append(child.getText())
    total = values[0]
    try:
        for sign, value in zip(signs, values[1:], strict=True):
            if sign == "+" and isinstance(total, str) and isinstance(value, str | int | float):
                total = total + str(value)
            elif any(isinstance(v, bool) or not isinstance(v, int | float) for v in (total, value)):
                raise _Refused("a value is not a constant")
            else:
                total = {
                    "+": lambda a, b: a + b,
                    "-": lambda a, b: a - b,
                    "*": lambda a, b: a * b,
                    "/": lambda a, b: a / b,
                    "%": lambda a, b: a % b,
                }[sign](total, value)
            if not isinstance(total, str) and abs(total) > 1e18:
                raise _Refused("a number is too large")
    except (ZeroDivisionError, OverflowError):
        raise _Refused("a value cannot be computed") from None
    return total


def _unescaped(text: str) -> str:
    def one(found: re.Match[str]) -> str:
        if found[1]:
            code = int(found[1], 16)
            plain = code < 0xD800 or 0xE000 <= code < 0x110000
            return chr(code) if plain else "\ufffd"
        return _ESCAPES.get(found[2], found[2])

    return re.sub(r"\\(?:u([0-9A-Fa-f]{4})|(.))", one, text, flags=re.DOTALL)


def _conditions(where: Any) -> dict[str, dict[str, Property]]:
    """`a.name = 'x' AND b.name = 'y'`. Raises _Refused for any other condition."""
    found: dict[str, dict[str, Property]] = {}
    if where is None:
        return found
    text = where.getText()[len("WHERE") :]
    for part in re.split(r"\bAND\b", text, flags=re.IGNORECASE):
        equal = _EQUAL.fullmatch(part)
        if equal is None:
            raise _Refused("only conditions like a.name = 'x' are read")
        value: Property = _unescaped(equal[3][1:-1]) if equal[3][0] in "'\"" else _number(equal[3])
        found.setdefault(equal[1].strip("`"), {})[equal[2].strip("`")] = value
    return found


def _has(known: dict[str, Property], wanted: dict[str, Property]) -> bool:
    return all(key in known and known[key] == value for key, value in wanted.items())


def _as_merge(labels: tuple[str, ...], properties: dict[str, Property]) -> str:
    inside = ", ".join(f"`{k}`: {quoted(str(v))}" for k, v in properties.items())
    return f"MERGE ({''.join(f':`{x}`' for x in labels)} {{{inside}}})"


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
