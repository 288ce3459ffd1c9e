"""The methods, one file each, and the one table that names them."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel

from kgqa_core.ask.run import Solve
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


@dataclass(frozen=True)
class Method:
    """A row of the table; widgets, flags and documentation derive from `params`.

    `panels` names what the run view shows for this method alone (`panels/`).
    """

    name: str
    title: str
    solve: Solve
    params: type[BaseModel]
    about: str
    paper: str
    uses_graph: bool = True
    panels: tuple[str, ...] = ()


METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method(
            "react",
            "ReAct",
            react.solve,
            react.Params,
            "Thinks, acts on the graph, observes, and goes on until it can answer.",
            "KGIR §3.6; Yao et al. 2022",
        ),
        Method(
            "one-hop",
            "1-hop",
            one_hop.solve,
            one_hop.Params,
            "Reads every fact one hop from the question's entities.",
            "KGIR §3.4–3.5",
        ),
        Method(
            "kaping",
            "KAPING",
            kaping.solve,
            kaping.Params,
            "Reads the ten facts of the question's entities that are nearest to it in meaning.",
            "Baek et al. 2023",
        ),
        Method(
            "rag-triples",
            "Triple RAG",
            rag_triples.solve,
            rag_triples.Params,
            "Reads the facts of the whole graph that are nearest to the question in meaning.",
            "KGIR §3.3",
        ),
        Method(
            "rag-hybrid",
            "Hybrid RAG",
            rag_hybrid.solve,
            rag_hybrid.Params,
            "Reads passages beside the facts of the entities they are about.",
            "KGIR §5.1",
        ),
        Method(
            "rag",
            "Text RAG",
            rag.solve,
            rag.Params,
            "Reads the passages of text that are nearest to the question in meaning.",
            "KGIR §3.3",
        ),
        Method(
            "keqing",
            "Keqing",
            keqing.solve,
            keqing.Params,
            "Splits the question by learned templates and follows their chains in the graph.",
            "Wang et al. 2024",
            panels=("chains",),
        ),
        Method(
            "pgakv",
            "PG&AKV",
            pgakv.solve,
            pgakv.Params,
            "Drafts a graph from memory, corrects it by the facts nearest to it, answers from it.",
            "Liu et al. 2024",
            panels=("corrections",),
        ),
        Method(
            "r3",
            "R3",
            r3.solve,
            r3.Params,
            "Surfaces commonsense as axioms and checks each premise on the graph, or says it "
            "does not know.",
            "Toroghi et al. 2024",
            panels=("axioms",),
        ),
        Method(
            "kb-binder",
            "KB-BINDER",
            kb_binder.solve,
            kb_binder.Params,
            "Drafts queries in made-up names, binds them to the graph, executes them and votes.",
            "Li et al. 2023",
        ),
        Method(
            "structgpt",
            "StructGPT",
            structgpt.solve,
            structgpt.Params,
            "Reads relations, then triples, again and again, until the triples answer.",
            "Jiang et al. 2023",
        ),
        Method(
            "tog",
            "Think-on-Graph",
            tog.solve,
            tog.Params,
            "Grows a beam of paths: prunes relations, then entities, until the paths suffice.",
            "Sun et al. 2024",
        ),
        Method(
            "tog-r",
            "Think-on-Graph, relations",
            tog.solve,
            tog.RelationParams,
            "Think-on-Graph that prunes relations by the model and entities at random.",
            "Sun et al. 2024",
        ),
        Method(
            "oda",
            "ODA",
            oda.solve,
            oda.Params,
            "Observes the facts nearest to the question, acts on the graph, reflects.",
            "Sun et al. 2024",
        ),
        Method(
            "kgr",
            "KGR",
            kgr.solve,
            kgr.Params,
            "The model drafts an answer; its claims are checked and corrected by the graph.",
            "Guan et al. 2023",
        ),
        Method(
            "io",
            "IO",
            io.solve,
            io.Params,
            "The model alone: no graph, so never grounded.",
            "baseline",
            uses_graph=False,
        ),
        Method(
            "cot",
            "Chain of thought",
            cot.solve,
            cot.Params,
            "The model alone, thinking step by step.",
            "Kojima et al. 2022",
            uses_graph=False,
        ),
        Method(
            "cot-few-shot",
            "Chain of thought, few-shot",
            cot.solve,
            cot.FewShotParams,
            "The model alone, thinking step by step after worked examples.",
            "Wei et al. 2022",
            uses_graph=False,
        ),
        Method(
            "sc",
            "Self-consistency",
            sc.solve,
            sc.Params,
            "The model alone, several chains of thought at once, and a vote.",
            "Wang et al. 2023",
            uses_graph=False,
        ),
    )
}
