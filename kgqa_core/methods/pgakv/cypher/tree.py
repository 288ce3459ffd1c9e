"""The openCypher grammar's trees: one clause → names, constants and conditions.

Only what a constant can say is read: a value that would have to be looked up or computed from
something else is refused with its reason. A name is what it says without backticks; no name
that leaves here has a backtick or a backslash in it, so it can be written between backticks.
"""

from __future__ import annotations

import re
from typing import Any

from kgqa_core.facts.terms import Literal
from kgqa_core.facts.timeline import parse_time

Scalar = str | int | float | bool | Literal
Property = Scalar | list[Scalar]

_TEMPORAL = frozenset({"date", "datetime", "localdatetime", "time", "localtime"})
_EQUAL = re.compile(
    r"\s*(`[^`]+`|\w+)\s*\.\s*(`[^`]+`|\w+)\s*=\s*('(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|-?\d+(?:\.\d+)?)\s*"
)
_DECIMAL = re.compile(r"-?\d+\.\d*")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


class Refused(Exception):
    """Cypher, but not what is interpreted; the message says why."""


class NotCypher(Exception):
    """The grammar does not accept it; the message says where."""


def parse(text: str, rule: str) -> Any:
    """The tree of one clause, by the openCypher grammar. Raises NotCypher."""
    from kgqa_core.methods.pgakv.cypher import grammar  # its import takes a third of a second

    tree, wrong = grammar.parsed(text, rule)
    if wrong:
        raise NotCypher(wrong)
    return tree


def checked(text: str, rule: str) -> Any:
    """The tree, after every name and value in it was read once: a part is carried out as a whole
    or not at all. Raises NotCypher and Refused."""
    tree = parse(text, rule)
    check(tree)
    return tree


def check(tree: Any) -> None:
    kind = type(tree).__name__
    if kind == "MapLitContext":
        properties_of(tree)
        return
    if kind == "RelationshipPatternContext":
        type_of(tree.relationDetail())
    elif kind == "PropertiesContext" and tree.mapLit() is None:
        raise Refused("a parameter has no value here")
    elif kind == "PatternElemContext" and tree.functionInvocation() is not None:
        raise Refused("functions are not called")
    elif kind == "SetItemContext" and tree.expression() is not None:
        keys = tree.propertyExpression().name() if tree.propertyExpression() else []
        if len(keys) > 1:
            raise Refused("only properties of a node can be set")
        if keys:
            value_of(tree.expression())
            return
        if map_of(tree.expression()) is None:
            raise Refused("only a map can be set as all properties of a node")
    for child in tree.getChildren() if tree.getChildCount() else ():
        if child.getChildCount():
            check(child)


def symbol(symbol: Any) -> str:
    if symbol is None:
        return ""
    return _plain(symbol.getText())


def _plain(name: str) -> str:
    return re.sub(r"[`\\\x00-\x1f]+", " ", name).strip()


def labels_of(labels: Any) -> tuple[str, ...]:
    names = map(symbol, labels.name()) if labels is not None else ()
    return tuple(name for name in names if name)


def type_of(detail: Any) -> str:
    if detail is None:
        raise Refused("a relation has no type")
    if detail.rangeLit() is not None:
        raise Refused("a path of variable length cannot be created")
    types = detail.relationshipTypes()
    name = symbol(detail.symbol() if types is None else types.name(0))  # [KNOWS] for [:KNOWS]
    if not name:
        raise Refused("a relation has no type")
    return name


def properties_of(literal: Any) -> dict[str, Property]:
    pairs = ((symbol(p.name()), value_of(p.expression())) for p in literal.mapPair())
    return {key: value for key, value in pairs if key and value not in (None, "", [])}


def _only(tree: Any) -> Any:
    """Down to where a tree branches, spaces aside."""
    while True:
        children = [c for c in tree.getChildren() if not _is_blank(c)]
        if len(children) != 1 or _is_leaf(children[0]):
            return tree
        (tree,) = children
        if type(tree).__name__ in ("MapLitContext", "ListLitContext", "FunctionInvocationContext"):
            return tree


def _is_leaf(tree: Any) -> bool:
    return hasattr(tree, "getSymbol")  # a token; what the grammar names has children


def _is_blank(tree: Any) -> bool:
    return _is_leaf(tree) and not tree.getText().strip()


def map_of(expression: Any) -> Any:
    found = _only(expression)
    return found if type(found).__name__ == "MapLitContext" else None


def value_of(expression: Any) -> Property | None:
    """A constant. Raises Refused for what would have to be computed from something else."""
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
                raise NotCypher(f"it is not Cypher near “{tree.getText()[:30]}”")
            raise Refused(f"“{tree.getText()[:30]}” is neither quoted nor a number")
        case "PropertyExpressionContext" if _DECIMAL.fullmatch(tree.getText()):
            return _number(tree.getText())  # the grammar reads 3.0 as property 0 of 3
        case "BoolLitContext":
            return tree.getText().casefold() == "true"
        case "LiteralContext":
            return None  # null
        case "ListLitContext":
            chain = tree.expressionChain()
            items = [value_of(e) for e in chain.expression()] if chain is not None else []
            return [
                x
                for item in items
                for x in (item if isinstance(item, list) else [item])
                if x is not None
            ]
        case "MapLitContext":
            raise Refused("a property cannot be a map")
        case "FunctionInvocationContext":
            return _moment(tree)
        case "UnaryAddSubExpressionContext":
            value = value_of(tree.atomicExpression())
            if isinstance(value, int | float) and not isinstance(value, bool):
                return -value if tree.SUB() is not None else value
        case "AddSubExpressionContext" | "MultDivExpressionContext":
            return _computed(tree)
        case "ParenthesizedExpressionContext":
            return value_of(tree.expression())
    raise Refused("a value is not a constant")


def _number(text: str) -> int | float:
    try:
        if re.fullmatch(r"-?\d{1,18}", text):
            return int(text)
        value = float(text)
    except ValueError:
        raise Refused(f"“{text[:20]}” is not a number") from None
    if abs(value) == float("inf"):
        raise Refused("a number is too large")
    return value


def _moment(call: Any) -> Literal:
    name = call.invocationName().getText().casefold()
    chain = call.expressionChain()
    given = (
        [value_of(e) for e in chain.expression()] if chain is not None and name in _TEMPORAL else []
    )
    when = parse_time(given[0]) if len(given) == 1 and isinstance(given[0], str) else None
    if when is None:
        raise Refused(f"it calls the function {name[:40]}")
    return when


def _computed(tree: Any) -> Property:
    """Sums, products and joined texts of constants."""
    values: list[Any] = []
    signs: list[str] = []
    for child in tree.getChildren():
        if child.getChildCount():
            values.append(value_of(child))
        elif child.getText().strip():
            signs.append(child.getText())
    total = values[0]
    try:
        for sign, value in zip(signs, values[1:], strict=True):
            if sign == "+" and isinstance(total, str) and isinstance(value, str | int | float):
                total = total + str(value)
            elif any(isinstance(v, bool) or not isinstance(v, int | float) for v in (total, value)):
                raise Refused("a value is not a constant")
            else:
                total = {
                    "+": lambda a, b: a + b,
                    "-": lambda a, b: a - b,
                    "*": lambda a, b: a * b,
                    "/": lambda a, b: a / b,
                    "%": lambda a, b: a % b,
                }[sign](total, value)
            if not isinstance(total, str) and abs(total) > 1e18:
                raise Refused("a number is too large")
    except (ZeroDivisionError, OverflowError):
        raise Refused("a value cannot be computed") from None
    return total


def _unescaped(text: str) -> str:
    def one(found: re.Match[str]) -> str:
        if found[1]:
            code = int(found[1], 16)
            plain = code < 0xD800 or 0xE000 <= code < 0x110000
            return chr(code) if plain else "\ufffd"
        return _ESCAPES.get(found[2], found[2])

    return re.sub(r"\\(?:u([0-9A-Fa-f]{4})|(.))", one, text, flags=re.DOTALL)


def conditions(where: Any) -> dict[str, dict[str, Property]]:
    """`a.name = 'x' AND b.name = 'y'`. Raises Refused for any other condition."""
    found: dict[str, dict[str, Property]] = {}
    if where is None:
        return found
    text = where.getText()[len("WHERE") :]
    for part in re.split(r"\bAND\b", text, flags=re.IGNORECASE):
        equal = _EQUAL.fullmatch(part)
        if equal is None:
            raise Refused("only conditions like a.name = 'x' are read")
        value: Property = _unescaped(equal[3][1:-1]) if equal[3][0] in "'\"" else _number(equal[3])
        found.setdefault(_plain(equal[1]), {})[_plain(equal[2])] = value
    return found
