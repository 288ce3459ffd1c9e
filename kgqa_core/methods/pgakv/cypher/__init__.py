"""Cypher from a model: read, mended where it is broken, interpreted, never trusted.

scan.py       a reply → the parts of its script: prose, fences and comments aside
mend.py       a broken part, read loosely and written strictly
grammar.py    the openCypher grammar, by its parser
tree.py       the grammar's trees: names, constants, and what is refused
interpret.py  the write subset of openCypher → a property graph (networkx)
bolt.py       the same by a real database, when one is configured (optional)
pseudo.py     the property graph → statements: the pseudo-graph (PG&AKV, §III-A)
"""

from kgqa_core.methods.pgakv.cypher.interpret import PROSE, CypherError, Remark
from kgqa_core.methods.pgakv.cypher.pseudo import PseudoGraph, from_graph, from_lines, from_script

__all__ = [
    "PROSE",
    "CypherError",
    "PseudoGraph",
    "Remark",
    "from_graph",
    "from_lines",
    "from_script",
]
