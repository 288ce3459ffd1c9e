"""Graphs of strangers whose values are none, asked by every method: as a file, behind an endpoint.

Times beyond every calendar, numbers that are none, units that are texts, places on no globe, ids
that are hardly any, whole pages where a word belongs; and an endpoint whose rows are not what was
asked for. What methods reckon with is asked about, by the built-in reader and by a careless model.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from pathlib import Path

import pyoxigraph as ox

from kgqa_core.ask.llm import LLM
from kgqa_core.ask.run import Budget
from kgqa_core.ask.setup import Setup
from kgqa_core.facts.terms import XSD
from kgqa_core.kg import layout
from kgqa_core.kg.base import KnowledgeGraph
from kgqa_core.kg.folder import open_folder
from kgqa_core.kg.load import load
from kgqa_core.kg.polite import Reach
from kgqa_core.kg.profiles import PROFILES
from kgqa_core.kg.sparql import SparqlGraph
from kgqa_core.kg.wikibase import WKT
from kgqa_core.llm.offline import Offline
from kgqa_core.llm.openai_chat import OpenAIChat
from kgqa_core.methods import METHODS
from kgqa_core.opening import open_index
from kgqa_core.search.encoder import Encoder
from kgqa_core.search.index import Index
from kgqa_core.settings import Settings
from tests.faults.cells import Cell, carried_out, judged
from tests.faults.hostile import HOSTILE
from tests.servers import sparql
from tests.servers.sloppy import SloppyServer

BUDGET = Budget(seconds=60.0)
_WD, _P = layout.PREFIXES["wd"], "http://www.wikidata.org/prop/"
_MANY = "9" * 6_000
_TIMES = [
    *("99999999999-01-01", "-13798000000-00-00T00:00:00Z", "0000-01-01", "2023-02-30T25:61:61Z"),
    *("1950-99-01T00:00:00Z", "1999-01-01T00:00:00-99:99", "--05-17", "1950-", "-", "12:00", "P1Y"),
    *("٣-01-01", "²", "10000-01-01", "+-1950-01-01", "1e9", _MANY, f"-{_MANY}-01-01", "today", ""),
]
_NUMBERS = [
    *("NaN", "sNaN", "-INF", "Infinity", "1e400", "1e-400", "1e999999999", "9.99e299", _MANY, "-0"),
    *("0x10", "1,000", "٣", "½", "1_000", "", " 12 ", ".", "1e", "--1", "9" * 40, "1/2", "0e500"),
]
_PLACES = [
    *("Point(NaN NaN)", "Point(1e400 5)", "Point()", "Point(181 -95)", "Point(. .)", "Point(- -)"),
    *(
        "Point(1.2.3 4.5.6)",
        f"Point({_MANY} 2)",
        "12°99′N, 999°E",
        f"12°N, {_MANY}°E",
        "POINT EMPTY",
    ),
]
_LONG = [one * 50_000 for one in ("9", "a", "-", "(", " ", "9°", "1 ", "A ", "of ", "\u0301", '"')]
_ODD = [*_TIMES, *_NUMBERS, *_PLACES, *_LONG, *(one.text for one in HOSTILE)]
_IDS = [
    *("http://x/", "http://x/#", "urn:x:", f"{_WD}P31", f"{_WD}Q0", f"{_WD}Q{'9' * 40}", f"{_WD}P"),
    *(f"{_P}direct/", f"{_P}P", f"{_WD}statement/Q1-x", layout.NONE, layout.LABEL, "pseudo:open/x"),
    *(
        "http://x/" + "a" * 3_000,
        "http://x/東🎬\u0301",
        "file:///etc/passwd",
        "javascript:alert(1)",
    ),
]
_TYPES = [f"{XSD}{name}" for name in "string boolean decimal double gYear date dateTime".split()]
_TYPES += [WKT, "http://x/odd", layout.WIKIBASE + "special"]
_GOOD = {
    "time": (["1950-05-17T00:00:00Z", "1920-02-29T00:00:00Z"], _TIMES, f"{XSD}dateTime"),
    "quantity": (["180", "83000", "1.75"], _NUMBERS, f"{XSD}decimal"),
    "place": (["Point(9.99 48.4)", "Point(13.4 52.5)"], _PLACES, WKT),
}
_NAMES = {
    **{"Q1001": "Anna Berg", "Q1002": "Bert Kahn", "Q1003": "Carla Lind", "Q1011": "Ulmstadt"},
    **{"Q1012": "Bergdorf", "Q1021": "Long Way", "Q1022": "Short Stay", "Q1031": "mayor"},
    **{"Q5": "human", "Q515": "city", "Q11424": "film", "Q11573": "metre"},
}
_RELATIONS = {
    **{"P569": ("date of birth", "time"), "P570": ("date of death", "time")},
    **{"P2048": ("height", "quantity"), "P1082": ("population", "quantity")},
    **{"P2142": ("box office", "quantity"), "P625": ("coordinate location", "place")},
    **{"P577": ("publication date", "time"), "P31": ("instance of", ""), "P26": ("spouse", "")},
    **{"P39": ("position held", ""), "P57": ("director", ""), "P19": ("place of birth", "")},
    **{"P580": ("start time", "time"), "P582": ("end time", "time"), "P585": ("on", "time")},
}
_KINDS = {
    "Q5": ("Q1001", "Q1002", "Q1003"),
    "Q515": ("Q1011", "Q1012"),
    "Q11424": ("Q1021", "Q1022"),
}
_OF = {
    "Q5": ("P569", "P570", "P2048", "P26", "P39", "P19"),
    "Q515": ("P1082", "P625"),
    "Q11424": ("P577", "P2142", "P57"),
}
QUESTIONS = (
    "How tall is Anna Berg?",
    "When was Anna Berg born?",
    "How old was Bert Kahn when he died?",
    "Who was born first, Anna Berg or Bert Kahn?",
    "Is Anna Berg older than Bert Kahn?",
    "Which person is the tallest?",
    "What is the average height of Anna Berg and Bert Kahn?",
    "How many people live in Ulmstadt and Bergdorf together?",
    "Is Ulmstadt north of Bergdorf?",
    "Which film was released after 1950?",
    "How much more did Long Way earn than Short Stay?",
    "Who was the mayor in 1950?",
    "How long was Anna Berg married?",
    "Could Anna Berg have met Bert Kahn?",
    "How many days before Bert Kahn was Anna Berg born?",
    "Tell me about Ulmstadt.",
)


class World:
    """The triples of one seed; `odd` is how many of ten values are none."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.odd = self.chance.choice((2, 5, 8))
        self.triples = [f"<{_WD}{one}> <{layout.LABEL}> {_text(n)}@en" for one, n in _NAMES.items()]
        for pid, (name, _) in _RELATIONS.items():
            self.triples += [f"<{_WD}{pid}> <{layout.LABEL}> {_text(name)}@en"]
            self.triples += [f"<{_WD}{pid}> <{layout.DIRECT_CLAIM}> <{_P}direct/{pid}>"]
        for kind, things in _KINDS.items():
            for one in things:
                self.state(f"<{_WD}{one}>", "P31", f"<{_WD}{kind}>")
                for pid in _OF[kind] * 2:
                    if self.chance.random() < 0.7:
                        self.state(f"<{_WD}{one}>", pid)
        for _ in range(6):
            self.state(self.thing(), self.chance.choice(list(_RELATIONS)))
            self.triples.append(f"<{_WD}Q1001> <{self.chance.choice(_IDS)}> {self.anything()}")
            texts = (layout.LABEL, layout.DESCRIPTION, layout.ALIAS)
            some = _text(self.chance.choice(_ODD))
            self.triples.append(f"<{_WD}Q1011> <{self.chance.choice(texts)}> {some}")

    def lines(self) -> bytes:
        return "".join(f"{triple} .\n" for triple in self.triples).encode()

    def thing(self) -> str:
        return f"<{self.chance.choice(_IDS)}>" if self.chance.random() < 0.7 else "_:b"

    def anything(self) -> str:
        if self.chance.random() < 0.3:
            return self.thing()
        return f"{_text(self.chance.choice(_ODD))}^^<{self.chance.choice(_TYPES)}>"

    def value(self, pid: str) -> str:
        kind = _RELATIONS[pid][1]
        if self.chance.random() < 0.1:
            return self.anything()
        odd = self.chance.randrange(10) < self.odd
        if kind:
            good, bad, datatype = _GOOD[kind]
            return f"{_text(self.chance.choice(bad if odd else good))}^^<{datatype}>"
        known = "Q1031" if pid == "P39" else self.chance.choice(list(_NAMES))
        return self.thing() if odd else f"<{_WD}{known}>"

    def state(self, subject: str, pid: str, value: str = "") -> None:
        """A statement node with its exact value and its qualifiers, and the plain triple."""
        value = value or self.value(pid)
        node = f"<{_WD}statement/{len(self.triples)}>"
        self.triples += [
            f"{subject} <{_P}{pid}> {node}",
            f"{subject} <{_P}direct/{pid}> {value}",
            f"{node} <{_P}statement/{pid}> {value}",
        ]
        self.exactly(node, "statement", pid, value)
        for of in ("P580", "P582", "P585", "P2048"):
            if self.chance.random() < 0.3:
                more = self.value(of)
                self.triples.append(f"{node} <{_P}qualifier/{of}> {more}")
                self.exactly(node, "qualifier", of, more)

    def exactly(self, node: str, role: str, pid: str, value: str) -> None:
        kind, at = _RELATIONS[pid][1], f"<http://x/value/{len(self.triples)}>"
        if kind not in ("time", "quantity") or self.chance.random() < 0.2:
            return
        self.triples.append(f"{node} <{_P}{role}/value/{pid}> {at}")
        value = value if self.chance.random() < 0.8 else self.anything()
        known = self.chance.randrange(10) >= self.odd
        if kind == "time":
            precision = '"11"' if known else self.anything()
            self.triples.append(f"{at} <{layout.TIME_VALUE}> {value}")
            self.triples.append(f"{at} <{layout.TIME_PRECISION}> {precision}")
        else:
            unit = f"<{_WD}Q11573>" if known else self.anything()
            self.triples.append(f"{at} <{layout.AMOUNT}> {value}")
            self.triples.append(f"{at} <{layout.UNIT}> {unit}")


def _text(text: str) -> str:
    return str(ox.Literal(text.encode("utf-8", "replace").decode()))


@contextmanager
def _file(seed: int, folder: Path) -> Iterator[KnowledgeGraph]:
    file = folder / f"{seed}.nt"
    file.write_bytes(World(seed).lines())
    yield open_folder(load([file], folder / str(seed)).folder)


@contextmanager
def _endpoint(seed: int, _: Path, *, odd: bool = False) -> Iterator[KnowledgeGraph]:
    store = ox.Store()
    store.bulk_load(World(seed).lines(), format=ox.RdfFormat.N_TRIPLES, lenient=True)
    with sparql.SparqlServer(store) as server:
        if odd:
            server.will(*[partial(_odd_rows, random.Random(seed))] * 9_999)
        profile = PROFILES["wikidata" if seed % 2 else "generic"]
        yield SparqlGraph(server.url, name="odd", profile=profile, reach=Reach(timeout_s=30))


def _odd_rows(chance: random.Random, exchange: sparql.Exchange) -> None:
    """One cell in fifty is another: of another kind, of no kind, or not there."""
    found = json.loads(exchange.answer())
    for row in found.get("results", {}).get("bindings", []):
        for name in [name for name in row if chance.random() < 0.02]:
            value = chance.choice([*_ODD, *_IDS])
            row[name] = chance.choice(
                [
                    {"type": chance.choice(["uri", "bnode", "literal"]), "value": value},
                    {"type": "literal", "value": value, "datatype": chance.choice([*_TYPES, ""])},
                    {
                        "type": "literal",
                        "value": value,
                        "xml:lang": chance.choice(["en", "x y", ""]),
                    },
                    chance.choice([None, 5, {"value": value}, {"type": "uri", "value": None}]),
                ]
            )
    exchange.send(200, json.dumps(found).encode(), sparql.RESULTS)


_SOURCES: dict[str, Callable[[int, Path], AbstractContextManager[KnowledgeGraph]]] = {
    "values, in a file": _file,
    "values, behind an endpoint": _endpoint,
    "rows of an endpoint": partial(_endpoint, odd=True),
}


def cells(folder: Path, seeds: int = 8) -> list[Cell]:
    """Each source `seeds` times, each time with every method and two questions."""
    found = []
    for row, opened in _SOURCES.items():
        for seed in range(seeds):
            with ExitStack() as open_:
                kg = open_.enter_context(opened(seed, folder))
                index = _indexed(kg, folder / f"{seed} indexed") if opened is _file else None
                careless = open_.enter_context(SloppyServer(seed=seed))
                model = careless.told(OpenAIChat("sloppy", base_url=careless.url, timeout_s=60))
                chance = random.Random(seed)
                found += carried_out(
                    partial(_cell, row, seed, kg, index, method, question, reader)
                    for n, method in enumerate(METHODS)
                    for reader in ((Offline(), model)[(n + seed) % 3 == 0],)
                    for question in chance.sample(QUESTIONS, 2)
                )
    return found


def _indexed(kg: KnowledgeGraph, folder: Path) -> Index:
    index = open_index(kg, Encoder(Settings()), Settings(data_dir=folder), folders=[])
    index.build()
    return index


def _cell(
    row: str,
    seed: int,
    kg: KnowledgeGraph,
    index: Index | None,
    method: str,
    question: str,
    model: LLM,
) -> Cell:
    chosen = METHODS[method]
    setup = Setup(chosen, chosen.params(), kg, model, BUDGET, index)
    return judged(row, f"seed {seed}, {method}, “{question}”", question, setup)
