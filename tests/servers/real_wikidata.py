"""Full entity documents of Wikidata on loopback, as its sites serve them.

    with RealWikidata(["Q42", "Q64"]) as sites:
        graph = sites.graph()
        sites.service.will(TIMED_OUT, TOO_MANY)   # the query service, next
        sites.api.will(says(LAGGED))              # the entity API, next

The documents are those of `../shared/data/wikidata_entities`; what they name has its label from
the tables beside it, and with `around` also what kind of thing it is and where it lies.
"""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import lru_cache
from pathlib import Path
from typing import Any, Self

import pyoxigraph as ox

from kgqa_core.facts import kinds
from kgqa_core.facts.terms import Entity, Relation, Statement, short_id
from kgqa_core.kg import layout, polite, wikibase
from kgqa_core.kg.base import WD
from kgqa_core.kg.polite import Reach
from kgqa_core.kg.profiles import PROFILES
from kgqa_core.kg.wikidata import WikidataGraph
from kgqa_core.kg.window import store_of
from tests.places import DATA
from tests.servers.sparql import SparqlServer, status
from tests.servers.wikidata import WikidataServer

DOCUMENTS = DATA / "wikidata_entities" / "entities.jsonl.gz"
NEEDED = (DOCUMENTS, DATA / "wikidata_properties", DATA / "wikidata_slice")
TIMED_OUT = status(500, "java.util.concurrent.TimeoutException: Query deadline is expired.")
TOO_MANY = status(429, "Too Many Requests", Retry_After="0")
_PLACING = ("P31", "P17", "P131")
_SAME = "http://www.w3.org/2002/07/owl#sameAs"


class RealWikidata:
    """The sites, with these documents; `redirects` from id to id, `deleted` ids nobody has."""

    def __init__(
        self,
        ids: Sequence[str],
        *,
        more: Iterable[Mapping[str, Any]] = (),
        redirects: Mapping[str, str] | None = None,
        around: bool = False,
    ) -> None:
        documents = [*_documents(tuple(ids)), *more]
        self.redirects = dict(redirects or {})
        beside = _beside(documents) if around else []
        entities = self.names = _named(documents, beside)
        relations = _relations(documents)
        self.api = WikidataServer(entities, [], [], documents=documents, redirects=self.redirects)
        store = _store(documents, entities, relations, self.redirects, beside)
        self.service = SparqlServer(store)

    def __enter__(self) -> Self:
        polite._lines.clear()
        with ExitStack() as stack:
            stack.enter_context(self.api)
            stack.enter_context(self.service)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def graph(self, **reach: Any) -> WikidataGraph:
        profile = PROFILES["wikidata"]
        return WikidataGraph(
            self.service.url, api=self.api.url, profile=profile, reach=Reach(**reach)
        )


def store_of_documents(ids: Sequence[str]) -> ox.Store:
    """The same documents in a store of this process."""
    documents = _documents(tuple(ids))
    return _store(documents, _named(documents), _relations(documents), {})


@lru_cache(maxsize=4)
def _documents(ids: tuple[str, ...]) -> tuple[dict[str, Any], ...]:
    wanted = {f'"id": "{one}"': one for one in ids} | {f'"id":"{one}"': one for one in ids}
    found = []
    with gzip.open(DOCUMENTS, "rt", encoding="utf-8") as lines:
        for line in lines:
            if any(mark in line[:200] for mark in wanted):
                document = json.loads(line)
                if document["id"] in ids:
                    found.append(document)
    return tuple(found)


def _mentioned(documents: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Ids of all that the statements name: values, units, properties."""
    for document in documents:
        for s in wikibase.statements_of(document):
            for part in (s.object, *(q.value for q in s.qualifiers)):
                yield part.id if isinstance(part, Entity) else part.unit.id if part.unit else ""
            yield s.relation.id
            yield from (q.relation.id for q in s.qualifiers)


def _outside(documents: Sequence[Mapping[str, Any]]) -> set[str]:
    """Ids of what the documents name and none of them is about."""
    own = {str(document["id"]) for document in documents}
    return {one.removeprefix(WD) for one in _mentioned(documents)} - own


def _named(
    documents: Sequence[Mapping[str, Any]], beside: Sequence[Statement] = ()
) -> list[Entity]:
    """What the documents name, as far as a table has a name for it: the slice's, and `beside`."""
    wanted = _outside(documents)
    wanted |= {short_id(s.object.id) for s in beside if isinstance(s.object, Entity)}
    wanted -= {str(document["id"]) for document in documents}
    found: dict[str, Entity] = {}
    for table in ("wikidata_slice", "common_facts") if beside else ("wikidata_slice",):
        for row in _rows(DATA / table / "entities.tsv.gz"):
            if row[0] in wanted and row[1]:
                found.setdefault(row[0], Entity(WD + row[0], row[1], row[2]))
    return list(found.values())


def _beside(documents: Sequence[Mapping[str, Any]]) -> list[Statement]:
    """What the slice of Wikidata states of those others: kind, country, where it lies."""
    wanted, relations = _outside(documents), {one: Relation(WD + one) for one in _PLACING}
    return [
        Statement(Entity(WD + row[0]), relations[row[1]], Entity(WD + row[2]))
        for row in _rows(DATA / "wikidata_slice" / "triples.tsv.gz")
        if row[1] in relations and row[0] in wanted and row[2].startswith("Q")
    ]


def _rows(file: Path) -> Iterator[list[str]]:
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        yield from csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)


def _relations(documents: Sequence[Mapping[str, Any]]) -> list[Relation]:
    wanted = {one.removeprefix(WD) for one in _mentioned(documents)}
    file = DATA / "wikidata_properties" / "properties.jsonl.gz"
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [
        Relation(
            WD + row["id"],
            row["label"],
            row["description"],
            tuple(row["aliases"]),
            kinds.datatype(row["datatype"]),
        )
        for row in rows
        if row["id"] in wanted
    ]


def _store(
    documents: Sequence[Mapping[str, Any]],
    entities: Sequence[Entity],
    relations: Sequence[Relation],
    redirects: Mapping[str, str],
    beside: Sequence[Statement] = (),
) -> ox.Store:
    lines: list[str] = []
    for document in documents:
        lines += _written(document)
    for entity in entities:
        lines += layout.write_entity(entity)
    for relation in relations:
        lines += layout.write_relation(relation)
    for statement in beside:
        lines += layout.write_statement(statement)
    lines += [f"<{WD}{one}> <{_SAME}> <{WD}{other}> .\n" for one, other in redirects.items()]
    return store_of(lines)


def _written(document: Mapping[str, Any]) -> Iterator[str]:
    """As the query service has it: labels in every language, all statements."""
    iri = WD + str(document["id"])
    for part, predicate in (("labels", layout.LABEL), ("descriptions", layout.DESCRIPTION)):
        for code, text in document[part].items():
            yield f"<{iri}> <{predicate}> {ox.Literal(text['value'], language=code)} .\n"
    for code, texts in document["aliases"].items():
        for text in texts:
            yield f"<{iri}> <{layout.ALIAS}> {ox.Literal(text['value'], language=code)} .\n"
    statements = list(wikibase.statements_of(document))
    outdone = {s.relation for s in statements if s.rank == "preferred"}
    for s in statements:
        truthy = s.rank == "preferred" or s.relation not in outdone
        yield from layout.write_statement(s, truthy=truthy)
