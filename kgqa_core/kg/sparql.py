"""Any SPARQL 1.1 endpoint as a knowledge graph.

The neighbourhood of up to fifty entities comes with one query, the names of everything in it with
one more. Both go into a small store in this process, and `EmbeddedGraph` reads that: statements,
ranks, qualifiers, order and counts are the same code as for a graph of our own. Queries are
portable SPARQL, written from checked terms only. What was looked up stays in the cache.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from itertools import islice
from typing import Any, TypeVar
from urllib.parse import urlsplit

import pyoxigraph as ox

from kgqa_core.errors import SourceRejected, SourceUnavailable
from kgqa_core.facts.terms import (
    BOOLEAN,
    Direction,
    Entity,
    Hit,
    Literal,
    Relation,
    RelationUse,
    Statement,
    Value,
)
from kgqa_core.kg import layout, literals
from kgqa_core.kg.base import WD, WDT, GraphInfo, Table
from kgqa_core.kg.cache import DiskCache
from kgqa_core.kg.embedded import EmbeddedGraph, readable
from kgqa_core.kg.endpoint import Endpoint, Results, Term, understood
from kgqa_core.kg.labels import LabelIndex, Match, Name, bare_words
from kgqa_core.kg.nodes import ANY, matching
from kgqa_core.kg.order import LOOK
from kgqa_core.kg.polite import Line, Meter, Reach
from kgqa_core.kg.profiles import Layout, Profile, profile_for
from kgqa_core.kg.query_text import (
    each,
    iri,
    listed,
    literal,
    named_node,
    one_of,
    spellings_of,
    strange_dataset,
    with_limit,
    with_prefixes,
)
from kgqa_core.kg.selection import Writer
from kgqa_core.kg.window import (
    REDIRECT,
    edge_of,
    extend,
    followed,
    inside,
    line_of,
    quietly,
    redirects_in,
    store_of,
)

T = TypeVar("T")

BATCH = 50  # entities whose neighbourhood comes with one request
_READ = 1_000  # statements read around few entities and direction to choose `limit` from
_FEW = 5
_READ_OF_EACH = 100  # around each of many: few have more relations
_COUNTED = 300_000  # statements around an entity that are counted by the way: a country's people
_FEWER_COUNTED = 20_000  # where so many take too long; and of so many the relations are named
_MOST_COUNTED = 5_000_000  # facts; who has more is not told how many
_NAMED = 4_000  # things whose names come with one request
_ALL_NAMES = 50_000  # a graph with no more names is searched here, with all its names
_CANDIDATES = 200
_CUT = 1_000  # cells of a table that get labels

_VALUES = (
    layout.TIME_VALUE,
    layout.TIME_PRECISION,
    layout.TIME_CALENDAR,
    layout.AMOUNT,
    layout.UNIT,
)
_CLAIMS, _STATEMENT = layout.PREFIXES["p"] + "P", layout.PREFIXES["ps"] + "P"
_DEPRECATED = layout.WIKIBASE + "DeprecatedRank"
_SAME = "http://www.w3.org/2002/07/owl#sameAs"  # Wikidata: from a redirect to where it leads
_ABOUT = (
    layout.LABEL,
    layout.ALIAS,
    layout.DESCRIPTION,
    "http://www.w3.org/2004/02/skos/core#prefLabel",
    "http://schema.org/name",
    _SAME,
)


_Units = dict[tuple[str, Direction], dict[str, Any]]  # an entity and a direction: what is there
_NONE = Results((), [])
_DERIVED = iri("http://www.w3.org/ns/prov#wasDerivedFrom")  # where a statement is from
_STATED = (  # parts of values one by one: of a hub that is the value all edges would be looked at
    f"?st ?p2 ?o2 FILTER(?p2 != {_DERIVED}) "
    f"OPTIONAL {{ VALUES ?p3 {{ {' '.join(map(iri, _VALUES))} }} ?o2 ?p3 ?o3 }}"
)


def _property_of(predicate: str) -> str:
    """Part of a query: the relation that a predicate of a statement stands for, as ?ns."""
    return f'BIND(IRI(CONCAT("{WD}", REPLACE(STR({predicate}), "^.*/", ""))) AS ?ns)'


def _plain_property(predicate: str) -> str:
    """The same of a predicate between things."""
    return (
        f'BIND(IF(STRSTARTS(STR({predicate}), "{WDT}"), '
        f'IRI(CONCAT("{WD}", STRAFTER(STR({predicate}), "{WDT}"))), {predicate}) AS ?ns)'
    )


# what the statements at ?st name: values and qualifiers, units, relations
_NAMED_BY_STATEMENTS = (
    f"?st ?p2 ?ns FILTER(?p2 != {_DERIVED})",
    f"?st ?p2 ?o2 . ?o2 {iri(layout.UNIT)} ?ns",
    f'?st ?p2 ?any FILTER(STRSTARTS(STR(?p2), "{layout.PREFIXES["p"]}")) {_property_of("?p2")}',
)


@dataclass(frozen=True)
class _Edges:
    """A part of a query: what it reads, the edges alone, and how what they name becomes ?ns."""

    read: str
    edges: str
    named: tuple[str, ...]


class _Unsure(threading.local):
    """Answers that a thread had to do with though something was missing."""

    count = 0


class SparqlGraph:
    """A knowledge graph behind a SPARQL endpoint."""

    def __init__(
        self,
        url: str,
        *,
        name: str = "",
        profile: Profile | None = None,
        cache: DiskCache | None = None,
        reach: Reach | None = None,
    ) -> None:
        self.profile = profile or profile_for(url)
        self.name = name or (urlsplit(url).hostname or url)
        self._endpoint = Endpoint(
            url.partition("#")[0],
            self.name,
            parallel=self.profile.parallel,
            reach=reach or Reach(),
        )
        self._cache = cache or DiskCache(None)
        self._key = url
        self._known: dict[str, Any] = {}
        self._lock = threading.RLock()
        self._unsure = _Unsure()

    @property
    def meter(self) -> Meter:
        """What went to the endpoint's host, from this graph and others there."""
        return self._endpoint.line.meter

    def ping(self) -> float:
        """Seconds that a first answer takes; raises what is wrong."""
        started = time.monotonic()
        self._send("ASK { ?s ?p ?o }")
        return time.monotonic() - started

    def forget(self) -> None:
        """Empties the cache, for facts that changed."""
        self._cache.clear()
        with self._lock:
            self._known.clear()

    # -- the verbs -------------------------------------------------------------------------

    @understood
    def info(self) -> GraphInfo:
        """Counts facts, up to a limit, where that is any use and the endpoint answers in time."""
        statements = self._once("count", self._count) if self.profile.counted else None
        mark = blake2b(f"{self._key} {statements}".encode(), digest_size=16).hexdigest()
        return GraphInfo(self.name, None, statements, None, mark)

    @understood
    def search(self, mentions: Sequence[str], limit: int = 10) -> list[list[Hit]]:
        if not mentions:
            return []
        index = self._index(mentions)
        found = [index.find(mention, most=max(50, 2 * limit)) for mention in mentions]
        degrees = self._degrees(found)
        best = [
            sorted(matches, key=lambda m: (-m.score, -degrees.get(m.id, 0), m.id))[:limit]
            for matches in found
        ]
        entities = self._entities([match.id for matches in best for match in matches])
        return [[Hit(entities[m.id], m.score, m.text) for m in matches] for matches in best]

    @understood
    def describe(self, ids: Sequence[str]) -> list[Entity | None]:
        wanted = [layout.full_id(one) for one in ids]
        nodes = [one for one in dict.fromkeys(wanted) if named_node(one)]
        lines = self._names_of(nodes)
        unnamed = [one for one in nodes if not lines[one]]
        known = {one for one in nodes if lines[one]} | self._existing(unnamed)
        entities = self._entities(known)
        return [entities.get(one) for one in wanted]

    @understood
    def relations_of(self, entities: Sequence[Entity]) -> list[list[RelationUse]]:
        if not entities:
            return []
        window, found = self._around(entities, ("out", "in"), None, _READ)
        with quietly():
            uses = window.relations_of(entities)
        cut = [unit for unit, entry in found.items() if entry["cut"]]
        if not cut:
            return uses
        counts = {unit: found[unit]["counts"] for unit in cut}
        most = self._counted()
        uncounted = [unit for unit in cut if not 0 < sum(counts[unit].values()) < most]
        if uncounted:
            counts |= self._counts(uncounted)
            used = dict.fromkeys(r for unit in uncounted for r in counts.get(unit, ()))
            extend(window._store, list(_flat(self._names_of(list(used)).values())))
        return [_recounted(e, use, counts, window) for e, use in zip(entities, uses, strict=True)]

    @understood
    def statements(
        self,
        entities: Sequence[Entity],
        *,
        direction: Direction | None = None,
        relation: Relation | None = None,
        limit: int = 500,
    ) -> list[list[Statement]]:
        if not entities or limit <= 0:
            return [[] for _ in entities]
        directions: tuple[Direction, ...] = (direction,) if direction else ("out", "in")
        window, _ = self._around(entities, directions, relation, limit)
        with quietly():
            return window.statements(entities, direction=direction, relation=relation, limit=limit)

    @understood
    def relation(self, id_or_label: str) -> Relation | None:
        with quietly():
            return self._relations().relation(id_or_label)

    @understood
    def query(self, sparql: str, limit: int = 1000) -> Table:
        """Rows of a SELECT, or one row with the boolean of an ASK, as the endpoint answers.

        Raises SourceRejected for anything that is not a readable SELECT or ASK, unsent.
        """
        text = self._whole(sparql)
        if strange := strange_dataset(text):
            raise SourceRejected(
                f"“{strange[:100]}” names no graph: FROM takes an address with http://, https:// "
                "or urn:.",
                source=self.name,
                request=sparql,
            )
        readable(self.name, text)
        return self.query_of_ours(sparql, limit)

    @understood
    def query_of_ours(self, sparql: str, limit: int = 1000) -> Table:
        """The same, of what is written by this program: it is not read before it is sent."""
        text = self._whole(sparql)
        results = self._send(with_limit(text, limit + 1))
        if results.boolean is not None:
            answer = Literal("true" if results.boolean else "false", BOOLEAN)
            return Table(("result",), ((answer,),))
        rows = results.rows[:limit]
        ids = {t.value for row in rows for t in row.values() if isinstance(t, ox.NamedNode)}
        lines = self._names_of(sorted(ids)[:_CUT])
        moved = redirects_in(_flat(lines.values()))
        if moved:
            lines |= self._names_of(list(moved.values()))
        window = self._window([*_flat(lines.values()), *self._layout_marks(())])

        def cell(term: Term | None) -> Value | None:
            if isinstance(term, ox.NamedNode) and term.value in moved:
                term = ox.NamedNode(moved[term.value])
            return window._cell(term)

        cells = tuple(tuple(cell(row.get(column)) for column in results.columns) for row in rows)
        return Table(results.columns, cells, more=len(results.rows) > limit or results.partial)

    def _whole(self, sparql: str) -> str:
        return with_prefixes(sparql, layout.PREFIXES | dict(self.profile.prefixes))

    @understood
    def writer(self) -> Writer:
        names = (*self.profile.labels, *self.profile.aliases)
        return Writer(self._layout(), names, self.profile.languages)

    # -- neighbourhoods --------------------------------------------------------------------

    def _around(
        self,
        entities: Sequence[Entity],
        directions: Sequence[Direction],
        relation: Relation | None,
        limit: int,
    ) -> tuple[EmbeddedGraph, dict[tuple[str, Direction], dict[str, Any]]]:
        """All there is around some entities, and of each what is known beside the statements:
        whether there are more than were read (`cut`), and how many of each relation (`counts`).

        Of few entities everything comes with one request: statements, names, counts.
        """
        ids = [i for i in dict.fromkeys(layout.full_id(e.id) for e in entities) if named_node(i)]
        wanted = [(one, direction) for one in ids for direction in directions]
        found = self._cached_around(wanted, relation, limit)
        missing = [one for one in ids if any((one, d) not in found for d in directions)]
        few = len(missing) <= _FEW
        most = max(limit, _READ) if few else limit
        if limit >= LOOK and relation is None:  # so that of no relation nothing comes
            most = max(most, _READ_OF_EACH)
        named: dict[str, list[str]] = {}  # what came along with the statements
        for batch in _chunks(missing, BATCH):
            asked = [(one, d) for one in batch for d in directions if (one, d) not in found]
            read = self._read_whole if few else self._read_around
            fresh, told = read(asked, relation, most)
            found |= fresh
            named |= told or {}
        lines = list(_flat(entry["lines"] for entry in found.values()))
        store = store_of(lines)
        there = inside(store)
        if there.relations and not any(one in named for one in there.relations):
            # Virtuoso, for one, gives names of things only
            named = {one: told for one, told in named.items() if told}
        self._keep_names(named)
        counted = (entry["counts"] for entry in found.values() if entry["cut"])
        wanted_names = dict.fromkeys([*ids, *there.relations, *there.things, *_flat(counted)])
        came = {one: named[one] for one in wanted_names if one in named}
        named = came | self._names_of([one for one in wanted_names if one not in came])
        if moved := redirects_in(_flat(named.values())):
            store = store_of([followed(line, moved) for line in lines])
            named |= self._names_of(list(moved.values()))
        extend(store, [*_flat(named.values()), *self._layout_marks(there.properties)])
        return EmbeddedGraph(self.name, store), found

    def _cached_around(
        self, wanted: Sequence[tuple[str, Direction]], relation: Relation | None, limit: int
    ) -> dict[tuple[str, Direction], dict[str, Any]]:
        """What is known already: for this relation, or completely for all of them."""
        keys = {unit: self._around_key(unit, relation) for unit in wanted}
        all_keys = {unit: self._around_key(unit, None) for unit in wanted}
        stored = self._cache.get([*{*keys.values(), *all_keys.values()}])
        found = {}
        for unit in wanted:
            own, everything = stored.get(keys[unit]), stored.get(all_keys[unit])
            if own and (not own["cut"] or own["most"] >= limit):
                found[unit] = own
            elif everything and not everything["cut"]:
                found[unit] = everything
        self._endpoint.line.hit(len(found))
        return found

    def _around_key(self, unit: tuple[str, Direction], relation: Relation | None) -> str:
        return "\0".join((self._key, "near", unit[1], relation.id if relation else "", unit[0]))

    def _read_whole(
        self, units: Sequence[tuple[str, Direction]], relation: Relation | None, most: int
    ) -> tuple[_Units, dict[str, list[str]] | None]:
        """With one request; with fewer counted, and then step by step, at an endpoint that has
        failed at it."""
        if self._known.get("step by step"):
            return self._read_around(units, relation, most)
        try:
            return self._read_around(units, relation, most, whole=True)
        except (SourceRejected, SourceUnavailable) as error:
            if isinstance(error, SourceUnavailable):
                if error.retry_after_s is not None:
                    raise
                if relation is None and self._counted() > _FEWER_COUNTED:
                    self._known["counted"] = _FEWER_COUNTED
                    return self._read_whole(units, relation, most)
            found, _ = self._read_around(units, relation, most)
            self._known["step by step"] = True
            self.meter.warn(
                f"“{self.name}” cannot give statements and names at once: it is asked for one "
                "after the other."
            )
            return found, None

    def _read_around(
        self,
        units: Sequence[tuple[str, Direction]],
        relation: Relation | None,
        most: int,
        *,
        whole: bool = False,
    ) -> tuple[_Units, dict[str, list[str]] | None]:
        """What is known of each unit. `whole`: with the names of all that is there, and counts
        where all relations are read. Names that may be missing in part are None.
        """
        edges = self._edges(units, relation, most + 1)
        blocks = [edge.read for edge in edges]
        if whole and edges:
            blocks.append(self._names_block(units, edges, all_relations=relation is None))
            blocks += self._count_blocks(units, self._counted()) if relation is None else []
        results = self._send(f"SELECT * {{ {' UNION '.join(blocks)} }}") if blocks else _NONE
        lines: dict[tuple[str, Direction], dict[str, None]] = {unit: {} for unit in units}
        seen: dict[tuple[str, Direction], set[object]] = {unit: set() for unit in units}
        names: dict[str, list[str]] = {}
        counts: dict[tuple[str, Direction], dict[str, int]] = {unit: {} for unit in units}
        odd = {row["st"] for row in results.odd if "st" in row}
        for row in results.rows:
            if odd and row.get("st") in odd:  # without a part a statement says something else
                continue
            if "ns" in row:
                self._take_name(row, names)
            elif "cn" in row:
                _take_count(row, counts)
            else:
                unit, edge, written = edge_of(row)
                if unit in lines:
                    seen[unit].add(edge)
                    for line in written:
                        lines[unit][line] = None
        found = {
            unit: {
                "lines": list(lines[unit]),
                "cut": len(seen[unit]) > most,
                "most": most,
                "counts": counts[unit],
            }
            for unit in units
        }
        if results.partial:  # next time there may be more
            return found, None
        self._cache.put({self._around_key(unit, relation): found[unit] for unit in units})
        return found, names if whole else None

    def _take_name(self, row: Mapping[str, Term], names: dict[str, list[str]]) -> None:
        """A name, or that there is none."""
        known = names.setdefault(row["ns"].value, [])
        if "np" in row and "no" in row:
            known += self._name_line(row["ns"], row["np"], row["no"])

    def _keep_names(self, names: Mapping[str, list[str]]) -> None:
        self._cache.put({self._name_key(i): lines for i, lines in names.items() if named_node(i)})

    def _edges(
        self, units: Sequence[tuple[str, Direction]], relation: Relation | None, most: int
    ) -> list[_Edges]:
        """Parts of a query: edges with and without statement nodes, leaving and entering."""
        if relation and named_node(relation.id) is None:
            return []
        pid = layout.property_id(relation.id) if relation else ""
        out = [iri(one) for one, direction in units if direction == "out"]
        into = [iri(one) for one, direction in units if direction == "in"]
        parts = []
        if self._layout() == "statements":
            if relation is None or pid:
                edge = one_of("?p", _CLAIMS, iri(layout.PREFIXES["p"] + pid) if pid else "")
                back = one_of("?q", _STATEMENT, iri(layout.PREFIXES["ps"] + pid) if pid else "")
                if out:
                    edges = each("?e ?p ?st", "?e", out, edge, most)
                    parts.append(_Edges(f"{{ {edges} {_STATED} }}", edges, _NAMED_BY_STATEMENTS))
                if into:
                    edges = each("?e ?q ?st", "?e", into, back, most, pattern="?st ?q ?e")
                    far = f'?s ?p ?st FILTER(STRSTARTS(STR(?p), "{_CLAIMS}"))'
                    by = (*_NAMED_BY_STATEMENTS, "?ns ?p ?st")
                    parts.append(_Edges(f"{{ {edges} {far} {_STATED} }}", edges, by))
            if not self.profile.also_plain or pid:
                return parts
        if pid:
            only = f"FILTER(?p = {iri(WDT + pid)})"
        elif relation:
            only = f"FILTER(?p = {iri(relation.id)})"
        else:
            only = self._plain_only()
        if out:
            edges = each("?e ?p ?o", "?e", out, only, most)
            label = f"OPTIONAL {{ ?o {iri(self.profile.labels[0])} ?ol FILTER(isBlank(?o)) }}"
            by_ends = ("BIND(?o AS ?ns)", _plain_property("?p"))
            parts.append(_Edges(f"{{ {edges} {label} }}", edges, by_ends))
        if into:
            # what enters is told from what leaves by the names of its variables
            edges = each("?e ?p ?s0", "?e", into, only, most, pattern="?s0 ?p ?e")
            parts.append(
                _Edges(f"{{ {edges} }}", edges, ("BIND(?s0 AS ?ns)", _plain_property("?p")))
            )
        return parts

    def _names_block(
        self,
        units: Sequence[tuple[str, Direction]],
        edges: Sequence[_Edges],
        *,
        all_relations: bool,
    ) -> str:
        """The names of these, of all that their edges lead to, and of the relations they are;
        `all_relations`: of those, too, whose edges are counted alone. What has no name has a row.
        """
        ids = dict.fromkeys(one for one, _ in units)
        parts = [f"{{ VALUES ?ns {{ {' '.join(map(iri, ids))} }} }}"]
        parts += [f"{{ {one.edges} {named} }}" for one in edges for named in one.named]
        if all_relations:
            which = _property_of if self._layout() == "statements" else _plain_property
            for unit in units:
                used = self._counted_edges(unit, _FEWER_COUNTED)
                parts.append(f"{{ {{ SELECT DISTINCT ?cp {{ {used} }} }} {which('?cp')} }}")
        things = f"{{ SELECT DISTINCT ?ns {{ {' UNION '.join(parts)} FILTER(isIRI(?ns)) }} }}"
        # as pairs, so that each is looked up: with VALUES within, some read all names there are
        row = f"FILTER(BOUND(?no) || ?np = {iri(self.profile.labels[0])})"
        return (
            f"{{ {things} VALUES ?np {{ {self._name_predicates()} }} "
            f"OPTIONAL {{ ?ns ?np ?no {self._good_names('?no')} }} {row} }}"
        )

    def _plain_only(self, variable: str = "?p") -> str:
        """Leaves out labels, bookkeeping and what belongs to statement nodes."""
        about = listed({*_ABOUT, *self.profile.labels, *self.profile.descriptions})
        only = f"FILTER({variable} NOT IN ({about}))"
        if self._layout() == "statements":
            for prefix in ("http://www.wikidata.org/prop/", layout.WIKIBASE):
                only += f' FILTER(!STRSTARTS(STR({variable}), "{prefix}"))'
        return only

    def _counted(self) -> int:
        """How many statements around an entity are counted by the way."""
        most: int = self._known.get("counted", _COUNTED)
        return most

    def _count_blocks(self, units: Sequence[tuple[str, Direction]], most: int | None) -> list[str]:
        """Parts of a query: how many statements of each relation, of the first so many."""
        blocks = []
        for unit in units:
            inner = f'{self._counted_edges(unit, most)} BIND("{unit[1]}" AS ?cd)'
            blocks.append(
                f"{{ SELECT ?ce ?cd ?cp (COUNT(*) AS ?cn) {{ {inner} }} GROUP BY ?ce ?cd ?cp }}"
            )
        return blocks

    def _counted_edges(self, unit: tuple[str, Direction], most: int | None) -> str:
        one, direction = unit
        edge = "?ce ?cp ?st" if direction == "out" else "?st ?cp ?ce"
        if self._layout() == "statements":
            starts = _CLAIMS if direction == "out" else _STATEMENT
            good = f"FILTER NOT EXISTS {{ ?st {iri(layout.RANK)} {iri(_DEPRECATED)} }}"
            where = f'{edge} FILTER(STRSTARTS(STR(?cp), "{starts}")) {good}'
        else:
            where = f"{edge} {self._plain_only('?cp')}"
        where = f"VALUES ?ce {{ {iri(one)} }} {where}"
        return where if most is None else f"{{ SELECT ?ce ?cp ?st {{ {where} }} LIMIT {most} }}"

    def _counts(
        self, units: Sequence[tuple[str, Direction]]
    ) -> dict[tuple[str, Direction], dict[str, int]]:
        """How many statements there are of each relation, however many."""
        counts: dict[tuple[str, Direction], dict[str, int]] = {unit: {} for unit in units}
        blocks = self._count_blocks(units, None)
        try:
            rows = self._send(f"SELECT * {{ {' UNION '.join(blocks)} }}").rows
        except SourceUnavailable:
            self.meter.warn(f"“{self.name}” cannot count so much: some counts are lower bounds.")
            return {}
        for row in rows:
            _take_count(row, counts)
        return counts

    # -- names -----------------------------------------------------------------------------

    def _entities(self, ids: Iterable[str]) -> dict[str, Entity]:
        """Entities with their names."""
        wanted = [one for one in dict.fromkeys(ids) if named_node(one)]
        lines = self._names_of(wanted)
        # an entity without any name is known all the same
        marks = [f"{iri(one)} {iri(layout.TYPE)} {iri(layout.TYPE)} .\n" for one in wanted]
        window = self._window([*_flat(lines.values()), *marks])
        with quietly():
            found = window.describe(wanted)
        return {one: e for one, e in zip(wanted, found, strict=True) if e is not None}

    def _names_of(self, ids: Sequence[str]) -> dict[str, list[str]]:
        """Labels, aliases and descriptions of each id, as lines of N-Triples."""
        keys = {one: self._name_key(one) for one in ids if named_node(one)}
        stored = self._cache.get(list(keys.values()))
        found = {one: stored[key] for one, key in keys.items() if key in stored}
        self._endpoint.line.hit(len(found))
        missing = [one for one in keys if one not in found]
        for batch in _chunks(missing, _NAMED):
            fresh: dict[str, list[str]] = {one: [] for one in batch}
            which = f"VALUES ?s {{ {' '.join(map(iri, batch))} }}"
            results = self._send(self._names_query(which))
            for row in results.rows:
                if line := self._name_line(*map(row.get, "spo")):
                    fresh.setdefault(row["s"].value, []).extend(line)
            if not results.partial:
                self._cache.put({keys[one]: lines for one, lines in fresh.items() if one in keys})
            found |= fresh
        return found

    def _name_key(self, one: str) -> str:
        return f"{self._key}\0names, types, redirects\0{one}"

    def _names_query(self, which: str) -> str:
        which = f"{which} VALUES ?p {{ {self._name_predicates()} }}"
        return f"SELECT ?s ?p ?o {{ {which} ?s ?p ?o {self._good_names('?o')} }}"

    def _good_names(self, variable: str) -> str:
        languages = ", ".join(f'"{code}"' for code in ("", *self.profile.languages))
        return f"FILTER(isIRI({variable}) || LANG({variable}) IN ({languages}))"

    def _name_predicates(self) -> str:
        p = self.profile
        known = (*p.labels, *p.aliases, *p.descriptions, layout.DIRECT_CLAIM, layout.PROPERTY_TYPE)
        if p.form == "statements":
            known += (_SAME,)
        return " ".join(map(iri, dict.fromkeys(known)))

    def _name_line(
        self, subject: Term | None, predicate: Term | None, name: Term | None
    ) -> list[str]:
        """A name in our own terms: whatever is a label there is rdfs:label here."""
        return line_of(subject, self._own_terms.get(predicate, predicate), name)

    @cached_property
    def _own_terms(self) -> Mapping[Term | None, Term]:
        """How our own windows write what an endpoint says of names."""
        p, own = self.profile, {_SAME: REDIRECT}
        own |= dict.fromkeys(p.descriptions, layout.DESCRIPTION)
        own |= dict.fromkeys(p.aliases, layout.ALIAS) | dict.fromkeys(p.labels, layout.LABEL)
        return {ox.NamedNode(theirs): ox.NamedNode(ours) for theirs, ours in own.items()}

    def _existing(self, ids: Sequence[str]) -> set[str]:
        """Those that are subject or object of anything."""
        found: set[str] = set()
        for batch in _chunks(list(ids), _NAMED):
            values = " ".join(map(iri, batch))
            rows = self._send(
                f"SELECT DISTINCT ?s {{ VALUES ?s {{ {values} }} "
                "FILTER(EXISTS { ?s ?p ?o } || EXISTS { ?s2 ?p2 ?s }) }"
            ).rows
            found |= {row["s"].value for row in rows if "s" in row}
        return found

    # -- finding by name -------------------------------------------------------------------

    def _index(self, mentions: Sequence[str]) -> LabelIndex:
        """All names of a small graph; of a large one, those like the mentions."""
        if self.profile.names == "all":
            every = self._once("all names", self._all_names)
            if every is not None:
                with self._lock:
                    if "index" not in self._known:
                        self._known["index"] = LabelIndex(Name(*name) for name in every)
                    index: LabelIndex = self._known["index"]
                return index
        return LabelIndex(self._names_like(mentions))

    def _all_names(self) -> list[tuple[str, str, bool]] | None:
        """None: too many, or more than the endpoint gives at once."""
        predicates = " ".join(map(iri, (*self.profile.labels, *self.profile.aliases)))
        results = self._send(
            f"SELECT ?s ?p ?o {{ VALUES ?p {{ {predicates} }} ?s ?p ?o }} LIMIT {_ALL_NAMES + 1}"
        )
        if results.partial or len(results.rows) > _ALL_NAMES:
            return None
        relations = self._relation_ids()
        return [name for name in map(self._name, results.rows) if name and name[0] not in relations]

    def _name(self, row: Mapping[str, Term]) -> tuple[str, str, bool] | None:
        subject, name = row.get("s"), row.get("o")
        if not isinstance(subject, ox.NamedNode) or not isinstance(name, ox.Literal):
            return None
        if (name.language or "") not in ("", *self.profile.languages):
            return None
        alias = "p" not in row or row["p"].value not in self.profile.labels
        return subject.value, name.value, alias

    def _names_like(self, mentions: Sequence[str]) -> list[Name]:
        """Names equal to a mention in some usual spelling; then names that hold its words."""
        exact = self._once_each("exact", mentions, self._exactly)
        names = {mention: exact[mention] for mention in mentions}
        if self.profile.names != "exact":
            others = [mention for mention in mentions if not names[mention]]
            names |= self._once_each("like", others, self._holding)
        return [Name(*name) for found in names.values() for name in found]

    def _exactly(self, mentions: Sequence[str]) -> dict[str, list[Any]]:
        predicates = " ".join(map(iri, (*self.profile.labels, *self.profile.aliases)))
        spellings = {mention: spellings_of(mention) for mention in mentions}
        texts = dict.fromkeys(text for found in spellings.values() for text in found)
        values = " ".join(
            literal(text, code) for text in texts for code in ("", *self.profile.languages)
        )
        if not values:
            return {mention: [] for mention in mentions}
        rows = self._send(
            f"SELECT ?s ?p ?o {{ VALUES ?o {{ {values} }} VALUES ?p {{ {predicates} }} ?s ?p ?o }} "
            f"LIMIT {_CANDIDATES * len(mentions)}"
        ).rows
        names = [name for name in map(self._name, rows) if name]
        return {
            mention: [name for name in names if name[1] in spellings[mention]]
            for mention in mentions
        }

    def _holding(self, mentions: Sequence[str]) -> dict[str, list[Any]]:
        """The slow way: every label is looked at."""
        found: dict[str, list[Any]] = {}
        predicates = " ".join(map(iri, (*self.profile.labels, *self.profile.aliases)))
        for mention in mentions:
            words = sorted(bare_words(mention), key=len, reverse=True)[:2]
            tests = " || ".join(
                f"CONTAINS(LCASE(STR(?o)), {literal(w)})" for w in words if len(w) > 3
            )
            rows: list[dict[str, Term]] = []
            if tests:
                rows = self._send(
                    f"SELECT ?s ?p ?o {{ VALUES ?p {{ {predicates} }} ?s ?p ?o FILTER({tests}) }} "
                    f"LIMIT {_CANDIDATES}"
                ).rows
            found[mention] = [name for name in map(self._name, rows) if name]
        return found

    def _degrees(self, found: Sequence[Sequence[Match]]) -> dict[str, int]:
        """How many statements namesakes have, catalogue numbers and pictures aside; nothing where
        no two are equally good.
        """
        ids: dict[str, None] = {}
        for matches in found:
            scores = [match.score for match in matches]
            ids |= dict.fromkeys(m.id for m in matches if scores.count(m.score) > 1)
        wanted = [one for one in islice(ids, _CANDIDATES) if named_node(one)]
        keys = {one: f"{self._key}\0degree\0{one}" for one in wanted}
        stored = self._cache.get(list(keys.values()))
        known = {one: int(stored[key]) for one, key in keys.items() if key in stored}
        missing = [one for one in wanted if one not in known]
        if missing:
            known |= self._count_around(missing)
            self._cache.put({keys[one]: known.get(one, 0) for one in missing})
        return known

    def _count_around(self, ids: Sequence[str]) -> dict[str, int]:
        edges = "?e ?p ?x", "?x ?p ?e"
        if self._layout() == "statements":
            tests = [f'FILTER(STRSTARTS(STR(?p), "{start}"))' for start in (_CLAIMS, _STATEMENT)]
        else:
            tests = [self._plain_only()] * 2
        values = f"VALUES ?e {{ {' '.join(map(iri, ids))} }}"
        both = " UNION ".join(
            f"{{ {values} {edge} {test} }}" for edge, test in zip(edges, tests, strict=True)
        )
        query = f"SELECT ?e (COUNT(*) AS ?n) {{ {both} }} GROUP BY ?e"
        if self._layout() == "statements":  # numbers and pictures of catalogues connect nothing
            by = f"SELECT ?e ?p (COUNT(*) AS ?m) {{ {both} }} GROUP BY ?e ?p"
            aside = listed(layout.WIKIBASE + kind for kind in ("ExternalId", "CommonsMedia"))
            leads = f"?ns {iri(layout.PROPERTY_TYPE)} ?kind FILTER(?kind IN ({aside}))"
            own = f"{{ {by} }} {_property_of('?p')} OPTIONAL {{ {leads} }} FILTER(!BOUND(?kind))"
            query = f"SELECT ?e (SUM(?m) AS ?n) {{ {own} }} GROUP BY ?e"
        try:
            rows = self._send(query).rows
        except SourceUnavailable:
            return {}
        told = (
            (row["e"].value, literals.count(row["n"].value))
            for row in rows
            if {"e", "n"} <= row.keys()
        )
        return {one: many for one, many in told if many is not None}

    # -- relations -------------------------------------------------------------------------

    def _relations(self) -> EmbeddedGraph:
        """A small store with every relation and its names."""
        with self._lock:
            if "relations, read" not in self._known:
                lines = self._once("relations", self._read_relations)
                self._known["relations, read"] = self._window(lines)
            found: EmbeddedGraph = self._known["relations, read"]
            return found

    def _relation_ids(self) -> set[str]:
        store = self._relations()._store
        plain = {quad.predicate.value for quad in store}
        claims = matching(store, ANY, ox.NamedNode(layout.DIRECT_CLAIM), ANY)
        return plain | {q.subject.value for q in claims if isinstance(q.subject, ox.NamedNode)}

    def _read_relations(self) -> list[str]:
        claims = f"?s {iri(layout.DIRECT_CLAIM)} ?claim"
        rows = self._send(self._names_query(claims)).rows
        lines = [line for row in rows for line in self._name_line(*map(row.get, "spo"))]
        if self._layout() == "statements" and not self.profile.also_plain:
            return lines
        used = self._send("SELECT DISTINCT ?p { ?s ?p ?o }").rows
        ids = [row["p"].value for row in used if isinstance(row.get("p"), ox.NamedNode)]
        plain = [one for one in ids if layout.role(one)[0] in ("plain", "wdt")]
        lines += _flat(self._names_of([p for p in plain if layout.role(p)[0] == "plain"]).values())
        return lines + [f"_:s {iri(one)} _:o .\n" for one in plain]

    # -- asking ----------------------------------------------------------------------------

    def _layout(self) -> Layout:
        if self.profile.form:
            return self.profile.form
        asked: Layout = self._once("layout", self._find_layout)
        return asked

    def _find_layout(self) -> Layout:
        found = self._send(f"ASK {{ ?s {iri(layout.RANK)} ?r }}").boolean
        return "statements" if found else "plain"

    def _count(self) -> int | None:
        what = f"?s {iri(layout.RANK)} ?o" if self._layout() == "statements" else "?s ?p ?o"
        bounded = f"{{ SELECT ?s ?o {{ {what} }} LIMIT {_MOST_COUNTED + 1} }}"
        try:
            results = self._send(f"SELECT (COUNT(*) AS ?n) {{ {bounded} }}")
        except SourceUnavailable:
            self._unsure.count += 1
            return None
        count = int(results.rows[0]["n"].value) if results.rows and "n" in results.rows[0] else None
        return None if count is None or count > _MOST_COUNTED or results.partial else count

    def _send(self, query: str) -> Results:
        results = self._endpoint.send(query)
        self._unsure.count += results.partial
        return results

    def _once(self, what: str, ask: Callable[[], T]) -> T:
        """What is asked once: remembered here and in the cache."""
        with self._lock:
            if what not in self._known:
                key = f"{self._key}\0{what}"
                stored = self._cache.get([key])
                if key not in stored:
                    before = self._unsure.count
                    stored[key] = ask()
                    if self._unsure.count == before:  # next time there may be more
                        self._cache.put({key: stored[key]})
                self._known[what] = stored[key]
            known: T = self._known[what]
            return known

    def _once_each(
        self,
        what: str,
        inputs: Sequence[str],
        ask: Callable[[Sequence[str]], dict[str, list[Any]]],
        line: Line | None = None,
    ) -> dict[str, list[Any]]:
        keys = {one: f"{self._key}\0{what}\0{one}" for one in inputs}
        stored = self._cache.get(list(keys.values()))
        found = {one: stored[key] for one, key in keys.items() if key in stored}
        (line or self._endpoint.line).hit(len(found))
        missing = [one for one in keys if one not in found]
        if missing:
            before = self._unsure.count
            fresh = ask(missing)
            if self._unsure.count == before:
                self._cache.put({keys[one]: names for one, names in fresh.items()})
            found |= fresh
        return found

    def _window(self, lines: Sequence[str]) -> EmbeddedGraph:
        return EmbeddedGraph(self.name, store_of(lines))

    def _layout_marks(self, pids: Iterable[str]) -> list[str]:
        """What tells `EmbeddedGraph` that this is Wikidata's layout."""
        known = {*pids, "P31"} if self._layout() == "statements" else {*pids}
        return [f"{iri(WD + p)} {iri(layout.DIRECT_CLAIM)} {iri(WDT + p)} .\n" for p in known]


def _chunks(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]


def _flat(groups: Iterable[Iterable[T]]) -> Iterator[T]:
    for group in groups:
        yield from group


def _take_count(
    row: Mapping[str, Term], counts: dict[tuple[str, Direction], dict[str, int]]
) -> None:
    if not {"ce", "cd", "cp", "cn"} <= row.keys():
        return
    direction: Direction = "out" if row["cd"].value == "out" else "in"
    pid = layout.property_id(row["cp"].value)
    of = counts.get((row["ce"].value, direction))
    many = literals.count(row["cn"].value)
    if of is not None and many is not None:
        of[WD + pid if pid else row["cp"].value] = many


def _recounted(
    entity: Entity,
    uses: list[RelationUse],
    counts: Mapping[tuple[str, Direction], Mapping[str, int]],
    names: EmbeddedGraph,
) -> list[RelationUse]:
    one = layout.full_id(entity.id)
    own = {(d, r): n for (e, d), by in counts.items() if e == one for r, n in by.items()}
    if not own:
        return uses
    known = {(use.direction, use.relation.id) for use in uses}
    better = [
        replace(use, count=max(use.count, own.get((use.direction, use.relation.id), 0)))
        for use in uses
    ]
    with quietly():
        better += [
            RelationUse(names._relation(r) if named_node(r) else Relation(r), d, n)
            for (d, r), n in own.items()
            if (d, r) not in known
        ]
    return sorted(better, key=lambda u: (-u.count, u.relation.name, u.direction))
