"""The openCypher grammar: the one file that knows its parser (`antlr4-cypher`)."""

from __future__ import annotations

from typing import Any

from antlr4 import CommonTokenStream, InputStream, PredictionMode
from antlr4.error.ErrorListener import ErrorListener
from antlr4_cypher import CypherLexer, CypherParser


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


def parsed(text: str, rule: str) -> tuple[Any, str]:
    """The tree of one clause, and where the grammar does not accept it: empty where it does."""
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
    return tree, errors.first
