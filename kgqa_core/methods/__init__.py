"""The methods, a file or a folder each, and the one table that names them.

A method is a generator and a row: see `docs/extending.md`.
"""

from __future__ import annotations

from kgqa_core.ask.method import Method
from kgqa_core.methods import (
    cot,
    io,
    kaping,
    kb_binder,
    kgr,
    oda,
    one_hop,
    rag,
    rag_hybrid,
    rag_triples,
    react,
    sc,
    structgpt,
    tog,
)
from kgqa_core.methods.keqing import algorithm as keqing
from kgqa_core.methods.pgakv import algorithm as pgakv
from kgqa_core.methods.r3 import algorithm as r3

_TABLE = (
    react.METHOD,
    one_hop.METHOD,
    kaping.METHOD,
    rag_triples.METHOD,
    rag_hybrid.METHOD,
    rag.METHOD,
    keqing.METHOD,
    pgakv.METHOD,
    r3.METHOD,
    kb_binder.METHOD,
    structgpt.METHOD,
    tog.METHOD,
    tog.RELATIONS,
    oda.METHOD,
    kgr.METHOD,
    io.METHOD,
    cot.METHOD,
    cot.FEW_SHOT,
    sc.METHOD,
)
METHODS: dict[str, Method] = {method.name: method for method in _TABLE}
