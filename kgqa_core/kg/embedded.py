"""The graph in this process: an Oxigraph store in Wikidata's RDF layout, and the verbs on it.

Also serves RDF without that layout: any predicate that is no bookkeeping is a relation.
The store may be read from many threads at once; they do not wait for each other.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from hashlib import blake2b
from heapq import heappush, heappushpop, nsmallest
from itertools import chain, islice
from pathlib import Path

import pyoxigraph as ox

from kgqa_core.errors import SourceRejected, SourceUnavailable
from kgqa_core.facts import kinds
from kgqa_core.facts.terms import (
    BOOLEAN,
    DATETIME,
    DECIMAL,
    NO_VALUE,
    STRING,
    UNKNOWN,
    URL,
    Direction,
    Entity,
    Hit,
    Literal,
    Qualifier,
    Rank,
    Relation,
    RelationUse,
    Statement,
    Value,
    is_known,
    words_apart,
)
from kgqa_core.kg import layout, literals
from kgqa_core.kg.apart import Rows, TooMuchAsked, answered
from kgqa_core.kg.base import WD, GraphInfo, Table, requested
from kgqa_core.kg.labels import LabelIndex, Labels, Name
from kgqa_core.kg.layout import PREFIXES
from kgqa_core.kg.nodes import ANY, Anything, Term, matching, node_of
from kgqa_core.kg.order import arranged, quotas_of
from kgqa_core.kg.query_text import keywords
from kgqa_core.kg.selection import Writer
from kgqa_core.text import syntax_error

_MOST_READ = 5_000  # statements read around one entity and direction to choose `limit` from
_CHOICE = 10  # times `limit` of what points to it: of a hub thousands are read for nothing else
_GLIMPSE = 20  # so few statements around an entity are kept for the next look
_UNSTATED = 0.6  # of the score of an entity of which nothing is stated
_ITEM = re.compile(re.escape(WD) + r"Q(?P<number>\d{1,12})")
_UNNUMBERED = 1_000_000  # a name of the graph's own stands among items of about that number
_MOST_COUNTED = 1_000  # statements counted to tell the better known of two namesakes
_MOST_LOOKED_AT = 5_000  # triples among which they are counted
_LINES = 150_000  # triples per bulk load
_EXAMPLES = 3
_OF_A_DAY = "11"  # the precision of a time that states none
_INSPECTED = 20  # values from which it is guessed what a relation leads to
_ORDER = {"en": 0, "mul": 1, "": 2}  # languages: whose label is shown, best first

_LABEL, _ALIAS = ox.NamedNode(layout.LABEL), ox.NamedNode(layout.ALIAS)
_DESCRIPTION = ox.NamedNode(layout.DESCRIPTION)
_NAMES = (_LABEL, _ALIAS, _DESCRIPTION)
_PROPERTY_TYPE = ox.NamedNode(layout.PROPERTY_TYPE)
_STATED_IN = ox.NamedNode(layout.STATED_IN)
_RANK, _DIRECT_CLAIM = ox.NamedNode(layout.RANK), ox.NamedNode(layout.DIRECT_CLAIM)
_NONE = ox.NamedNode(layout.NONE)
_RANKS = {rank: ox.NamedNode(iri) for iri, rank in layout.RANKS.items()}


@dataclass(frozen=True, slots=True)
class Edge:
    """One way on from an entity, not yet read.

    `at` is the statement node, or the far end of a triple that has none (`plain`).
    """

    relation: str
    at: Term
    plain: bool


class EmbeddedGraph:
    """A knowledge graph in an Oxigraph store, in memory or in a folder."""

    def __init__(self, name: str, store: ox.Store, place: Path | None = None) -> None:
        """`place`: the folder of a store that other processes may read, too."""
        self.name = name
        self._store = store
        self._place = place

    @classmethod
    def build(
        cls,
        name: str,
        entities: Iterable[Entity],
        relations: Iterable[Relation],
        statements: Iterable[Statement],
        path: Path | None = None,
    ) -> EmbeddedGraph:
        """A graph of these facts, in memory or in the new folder `path`.

        Reads the iterables once, in batches: they may be larger than memory.
        Raises SourceRejected for ids that are no IRIs and for a folder with something in it,
        SourceUnavailable for one that cannot be written.
        """
        graph = cls(name, _new_store(name, path))
        outdone: set[tuple[str, str]] = set()
        sources: set[str] = set()

        def lines() -> Iterator[str]:
            yield from chain.from_iterable(map(layout.write_entity, entities))
            yield from chain.from_iterable(map(layout.write_relation, relations))
            for s in statements:
                if s.rank == "preferred":
                    outdone.add((s.subject.id, layout.property_id(s.relation.id)))
                yield from layout.write_statement(s, sources=sources)

        try:
            graph._load(lines())
        except (SyntaxError, ValueError) as error:
            raise SourceRejected(
                f"The facts for “{name}” cannot be stored: {_one_line(error)}. "
                "Correct it, or leave it out.",
                source=name,
            ) from error
        graph._keep_best(outdone)
        if path is None:
            return graph
        graph._store.flush()
        del graph  # lets go of the folder's lock
        return cls.open(name, path)

    @classmethod
    def open(cls, name: str, path: Path) -> EmbeddedGraph:
        """A graph that `build` left in a folder, to read only: several programs may at once.

        Raises SourceUnavailable when there is none.
        """
        try:
            return cls(name, ox.Store.read_only(str(path)), path)
        except OSError as error:
            raise _unavailable(name, path, error) from error

    def _load(self, lines: Iterator[str]) -> None:
        """One batch is loaded while the next one is written: loading leaves Python alone."""
        with ThreadPoolExecutor(1, thread_name_prefix="kgqa-load") as beside:
            loading: Future[None] | None = None
            while batch := "".join(islice(lines, _LINES)):
                if loading is not None:
                    loading.result()
                loading = beside.submit(self._load_batch, batch)
            if loading is not None:
                loading.result()

    def _load_batch(self, batch: str) -> None:
        data = batch.encode("utf-8", "replace")
        if "_:" in batch:  # bulk_load gives blank nodes new names in every batch
            self._store.bulk_extend(ox.parse(input=data, format=ox.RdfFormat.N_TRIPLES))
        else:
            # `layout` writes nothing that a strict parser refuses: a tenth is saved
            self._store.bulk_load(input=data, format=ox.RdfFormat.N_TRIPLES, lenient=True)

    def _keep_best(self, outdone: Iterable[tuple[str, str]]) -> None:
        """Truthy triples are those of the preferred statements, where there are any."""
        for subject_id, pid in outdone:
            subject, direct = node_of(layout.stored_id(subject_id)), _prop("wdt", pid)
            if subject is None:
                continue
            for quad in list(self._quads(subject, direct, ANY)):
                self._store.remove(quad)
            for quad in list(self._quads(subject, _prop("p", pid), ANY)):
                if self._has(quad.object, _RANK, _RANKS["preferred"]):
                    for value in self._objects(quad.object, _prop("ps", pid)):
                        self._store.add(ox.Quad(subject, direct, value))

    # -- the verbs -------------------------------------------------------------------------

    def info(self) -> GraphInfo:
        requested()
        return self._info

    def search(self, mentions: Sequence[str], limit: int = 10) -> list[list[Hit]]:
        requested()
        return [self._find(mention, limit) for mention in mentions]

    def describe(self, ids: Sequence[str]) -> list[Entity | None]:
        requested()
        nodes = [(layout.full_id(i), node_of(i)) for i in ids]
        return [self._entity(i) if node and self._knows(node) else None for i, node in nodes]

    def relations_of(self, entities: Sequence[Entity]) -> list[list[RelationUse]]:
        requested()
        return [list(self._uses(entity.id)) for entity in entities]

    def statements(
        self,
        entities: Sequence[Entity],
        *,
        direction: Direction | None = None,
        relation: Relation | None = None,
        limit: int = 500,
    ) -> list[list[Statement]]:
        requested()
        directions: tuple[Direction, ...] = (direction,) if direction else ("out", "in")
        return [
            # a loop leaves and enters the same entity
            list(dict.fromkeys(s for d in directions for s in self._around(e, d, relation, limit)))
            for e in entities
        ]

    def all_statements(self) -> Iterator[Statement]:
        """Every statement of a known value that is not deprecated, each once, in any order."""
        requested()
        for quad in self._quads(ANY, ANY, ANY):
            if edge := self._edge(quad, "out"):
                found = self._statement(self._entity(_id(quad.subject)), edge, "out")
                if found is not None and is_known(found.object):
                    yield found

    def most_stated(self, most: int) -> list[tuple[Entity, int]]:
        """What most triples lead away from, the most first, and how many each has.

        Names and descriptions are not counted. Takes less than a tenth of the time in which all
        statements are read.
        """
        requested()
        # that test of each triple, in the query, takes thirty times as long as the counting
        rows = self._store.query(
            "SELECT ?it (COUNT(*) AS ?n) WHERE { ?it ?p ?value } GROUP BY ?it ORDER BY DESC(?n)"
        )
        assert isinstance(rows, ox.QuerySolutions)
        found: list[tuple[int, str]] = []
        counts: list[int] = []  # the highest so far, the least of them first
        for row in rows:
            it, count = row["it"], int(_id(row["n"]))
            if counts and len(counts) == most and count < counts[0]:
                break  # without its names it has no more
            if not isinstance(it, ox.NamedNode):
                continue
            count -= sum(1 for one in _NAMES for _ in self._quads(it, one, ANY))
            if count:
                found.append((-count, it.value))
                (heappush if len(counts) < most else heappushpop)(counts, count)
        return [(self._entity(id_), -less) for less, id_ in nsmallest(most, found)]

    def relation(self, id_or_label: str) -> Relation | None:
        text = " ".join(id_or_label.split())
        iri = layout.full_id(text)
        node = node_of(iri)
        if isinstance(node, ox.NamedNode) and (found := self._relation_by_iri(node)):
            return found
        return self._relation_names.get(text.casefold())

    def query(self, sparql: str, limit: int = 1000) -> Table:
        """Rows of a SELECT, or one row with the boolean of an ASK.

        A dateTime at midnight comes back as the date it stands for. Of a graph in a folder a
        process of its own answers it, within a minute. Raises SourceRejected for anything that is
        not a readable SELECT or ASK within this graph.
        """
        return self._queried(sparql, limit, self._apart if self._place else self._here)

    def query_of_ours(self, sparql: str, limit: int = 1000) -> Table:
        """The same without a process of its own, for what is written by this program."""
        return self._queried(sparql, limit, self._here)

    def _queried(self, sparql: str, limit: int, rows_of: Callable[..., bool | Rows]) -> Table:
        requested()
        words = keywords(sparql)
        if "SERVICE" in words:
            raise self._rejected(
                "SERVICE is not available here: ask for labels with rdfs:label and leave other "
                "endpoints out",
                sparql,
            )
        if not words & {"SELECT", "ASK"} or words & {"CONSTRUCT", "DESCRIBE"}:
            raise self._rejected("only SELECT and ASK queries are answered", sparql)
        try:
            found = rows_of(sparql, limit + 1)
        except SyntaxError as error:
            raise self._rejected(syntax_error(_one_line(error)), sparql) from error
        except TooMuchAsked as error:
            raise self._rejected(str(error), sparql) from error
        except (OSError, RuntimeError, ValueError) as error:
            raise self._rejected(f"it failed: {_one_line(error)}", sparql) from error
        if isinstance(found, bool):
            return Table(("result",), ((Literal("true" if found else "false", BOOLEAN),),))
        columns, rows = found
        cells = tuple(tuple(map(self._cell, row)) for row in rows[:limit])
        return Table(tuple(columns), cells, more=len(rows) > limit)

    def _apart(self, sparql: str, most: int) -> bool | Rows:
        return answered(self._place, sparql, most, PREFIXES)

    def _here(self, sparql: str, most: int) -> bool | Rows:
        found = self._store.query(sparql, prefixes=PREFIXES)
        if isinstance(found, ox.QueryBoolean):
            return bool(found)
        assert isinstance(found, ox.QuerySolutions)
        names = [variable.value for variable in found.variables]
        return names, [tuple(row) for row in islice(found, most)]

    def writer(self) -> Writer:
        return Writer("statements" if self._has_statement_nodes else "plain")

    def _rejected(self, why: str, sparql: str) -> SourceRejected:
        return SourceRejected(
            f"“{self.name}” refused the query: {why}.", source=self.name, request=sparql
        )

    # -- names -----------------------------------------------------------------------------

    def _find(self, mention: str, limit: int) -> list[Hit]:
        """Matches of the index; among equal scores the better-known entity first: the one with
        more statements, catalogue numbers and pictures aside, and with a lower number at Wikidata,
        where things are numbered as they were thought of: the painting before the film that is
        called like it, though that has a cast.

        A name of which nothing is stated counts less than a part of a known entity's name.
        """
        matches = [
            match if self._stated(match.id) else replace(match, score=_UNSTATED * match.score)
            for match in self._index.find(mention, most=max(50, 2 * limit))
        ]
        namesakes = Counter(match.score for match in matches)
        ranked = sorted(
            matches,
            key=lambda m: (-m.score, -self._known(m.id) if namesakes[m.score] > 1 else 0, m.id),
        )
        return [Hit(self._entity(m.id), m.score, m.text) for m in ranked[:limit]]

    @cached_property
    def _index(self) -> Labels:
        properties = {_id(q.subject) for q in self._quads(ANY, _DIRECT_CLAIM, ANY)}
        return LabelIndex(
            Name(_id(quad.subject), _id(quad.object), alias)
            for predicate, alias in ((_LABEL, False), (_ALIAS, True))
            for quad in self._quads(ANY, predicate, ANY)
            if _id(quad.subject) not in properties
        )

    def _known(self, entity_id: str) -> float:
        item = _ITEM.fullmatch(entity_id)
        number = int(item["number"]) if item else _UNNUMBERED
        ways = self._predicates_at(entity_id)
        counted = (islice(filter(self._connects, way), _MOST_COUNTED) for way in ways)
        return float(sum(1 for way in counted for _ in way) / max(1, number) ** 0.5)

    def _stated(self, entity_id: str) -> bool:
        return any(self._is_edge(p) for way in self._predicates_at(entity_id) for p in way)

    def _predicates_at(self, entity_id: str) -> Iterator[Iterator[str]]:
        """The predicates of the triples from an entity, then to it; of a large number the first."""
        node = node_of(entity_id)
        if node is None:
            return
        for quads in (self._quads(node, ANY, ANY), self._quads(ANY, ANY, node)):
            yield (quad.predicate.value for quad in islice(quads, _MOST_LOOKED_AT))

    def _is_edge(self, predicate: str) -> bool:
        edges = ("p", "ps", "plain") if self._has_statement_nodes else ("wdt", "plain")
        return layout.role(predicate)[0] in edges

    @cached_property
    def _connects(self) -> Callable[[str], bool]:
        """Whether a predicate is a statement's, and more than a number or picture in a catalogue:
        of those an entity may have hundreds, by which nothing else is connected with it."""

        def connects(predicate: str) -> bool:
            pid = layout.property_id(predicate)
            relation = self._relation(WD + pid if pid else predicate)
            return self._is_edge(predicate) and kinds.kind(relation) not in ("identifier", "media")

        return lru_cache(maxsize=20_000)(connects)

    def _read_entity(self, entity_id: str) -> Entity:
        node = node_of(entity_id)
        if node is None:
            return Entity(entity_id)
        found = self._objects(node, _ALIAS)
        aliases = {literals.shortened(v.value) for v in found if isinstance(v, ox.Literal)}
        return Entity(
            entity_id,
            self._text(node, _LABEL),
            self._text(node, _DESCRIPTION),
            tuple(sorted(aliases)),
        )

    def _text(self, node: Term, predicate: ox.NamedNode) -> str:
        """The text in the best language; empty when there is none."""
        texts = [v for v in self._objects(node, predicate) if isinstance(v, ox.Literal)]
        if not texts:
            return ""
        best = min(texts, key=_by_language) if len(texts) > 1 else texts[0]
        return literals.shortened(best.value)

    # -- relations -------------------------------------------------------------------------

    def _read_relation(self, relation_id: str) -> Relation:
        """A relation by its IRI; in Wikidata's layout the property entity carries the names."""
        pid = layout.property_id(relation_id)
        iri = WD + pid if pid else relation_id
        entity = self._entity(iri)
        datatype = self._datatype(iri, pid)
        label = entity.label or words_apart(iri)
        return Relation(iri, label, entity.description, entity.aliases, datatype)

    def _datatype(self, iri: str, pid: str) -> str:
        """What it leads to, as the source says; else as the first values look."""
        node = node_of(iri)
        if not isinstance(node, ox.NamedNode):
            return ""
        for value in self._objects(node, _PROPERTY_TYPE):
            return kinds.datatype(_id(value))
        role = "ps" if self._has_statement_nodes else "wdt"
        edges = self._quads(ANY, _prop(role, pid) if pid else node, ANY)
        values = (self._value(quad.object) for quad in islice(edges, _INSPECTED))
        return kinds.guessed(value for value in values if value is not None and is_known(value))

    def _relation_by_iri(self, node: ox.NamedNode) -> Relation | None:
        iri = node.value
        if pid := layout.property_id(iri):
            known = self._has(ox.NamedNode(WD + pid), _DIRECT_CLAIM, ANY) or any(
                self._has(ANY, _prop(prefix, pid), ANY) for prefix in ("p", "wdt", "pq")
            )
            return self._relation(WD + pid) if known else None
        plain = layout.role(iri)[0] == "plain" and self._has(ANY, node, ANY)
        return self._relation(iri) if plain else None

    @cached_property
    def _relation_names(self) -> dict[str, Relation]:
        """Case-folded labels, and the aliases and short ids that name one relation only."""
        claims = self._quads(ANY, _DIRECT_CLAIM, ANY)
        ids = [WD + layout.property_id(_id(quad.subject)) for quad in claims]
        if not self._has_layout:
            rows = self._store.query("SELECT DISTINCT ?p { ?s ?p ?o }")
            assert isinstance(rows, ox.QuerySolutions)
            used = (row["p"] for row in rows)
            roles = [(p.value, *layout.role(p.value)) for p in used]
            ids += [WD + pid for _, role, pid in roles if role == "wdt"]
            ids += [iri for iri, role, _ in roles if role == "plain"]
        relations = [self._relation(i) for i in sorted(ids, key=layout.natural)]
        names: dict[str, Relation] = {}
        for relation in reversed(relations):  # of two with one label the lower id wins
            names[relation.name.casefold()] = relation
        others: dict[str, set[Relation]] = {}
        for relation in relations:
            for alias in (*relation.aliases, Relation(relation.id).name):
                others.setdefault(alias.casefold(), set()).add(relation)
        return {a: next(iter(rs)) for a, rs in others.items() if len(rs) == 1} | names

    @cached_property
    def _has_layout(self) -> bool:
        return self._has(ANY, _DIRECT_CLAIM, ANY)

    @cached_property
    def _has_statement_nodes(self) -> bool:
        return self._has(ANY, _RANK, ANY)

    # -- edges -----------------------------------------------------------------------------

    def _around(
        self, entity: Entity, direction: Direction, relation: Relation | None, limit: int
    ) -> Sequence[Statement]:
        read = self._glimpse if limit <= _GLIMPSE else self._read_around
        return read(entity.id, direction, relation, limit)

    def _read_around(
        self, entity_id: str, direction: Direction, relation: Relation | None, limit: int
    ) -> tuple[Statement, ...]:
        node = node_of(entity_id)
        if node is None or limit <= 0:
            return ()
        edges = self._edges(node, direction, relation)
        aside = {
            relation_id for relation_id in edges if kinds.is_aside(self._relation(relation_id))
        }
        others = sum(len(group) for key, group in edges.items() if key not in aside)
        groups = [  # identifiers and the like take what others leave: often nothing
            (key in aside, 0 if key in aside and others >= limit else len(group))
            for key, group in edges.items()
        ]
        most = _MOST_READ if direction == "out" else min(_MOST_READ, _CHOICE * limit)
        quotas = quotas_of(groups, max(limit, most))
        here = self._entity(_id(node))
        found = (
            self._statement(here, edge, direction)
            for group, quota in zip(edges.values(), quotas, strict=True)
            for edge in group[:quota]
        )
        return tuple(arranged((s for s in found if s is not None), limit))

    def _read_uses(self, entity_id: str) -> tuple[RelationUse, ...]:
        node = node_of(entity_id)
        if node is None:
            return ()
        uses = []
        directions: tuple[Direction, ...] = ("out", "in")
        for direction in directions:
            for relation_id, edges in self._edges(node, direction, None).items():
                relation = self._relation(relation_id)
                ends = (self._far_end(edge, direction) for edge in edges)
                wrong = " (deprecated)" if edges[0].at in self._deprecated else ""
                names: dict[str, None] = {}
                for end in islice(ends, 2 * _EXAMPLES):
                    if end is not None:
                        names[end.name + wrong] = None
                    if len(names) == _EXAMPLES:  # names of ends are read, so no more than needed
                        break
                uses.append(RelationUse(relation, direction, len(edges), tuple(names)))
        return tuple(sorted(uses, key=lambda u: (-u.count, u.relation.name, u.direction)))

    def _edges(
        self, node: Term, direction: Direction, relation: Relation | None
    ) -> dict[str, list[Edge]]:
        """Edges of an entity by relation, deprecated ones left out where there are others."""
        found: dict[str, list[Edge]] = {}
        deprecated: dict[str, list[Edge]] = {}
        for predicate in self._predicates(relation, direction):
            quads = (
                self._quads(node, predicate, ANY)
                if direction == "out"
                else self._quads(ANY, predicate, node)
            )
            for quad in quads:
                if edge := self._edge(quad, direction):
                    found.setdefault(edge.relation, []).append(edge)
                elif direction == "out" and quad.object in self._deprecated:
                    role, pid = layout.role(quad.predicate.value)
                    if role == "p":
                        edge = Edge(WD + pid, quad.object, plain=False)
                        deprecated.setdefault(edge.relation, []).append(edge)
        return deprecated | found

    def _predicates(
        self, relation: Relation | None, direction: Direction
    ) -> list[ox.NamedNode | Anything]:
        """Which predicates to look up; none for a relation whose id is no IRI."""
        if relation is None:
            return [ANY]
        predicate = node_of(relation.id)
        if not isinstance(predicate, ox.NamedNode):
            return []
        if pid := layout.property_id(predicate.value):
            prefix = "wdt" if not self._has_statement_nodes else "p" if direction == "out" else "ps"
            return [_prop(prefix, pid)]
        return [predicate]

    def _edge(self, quad: ox.Quad, direction: Direction) -> Edge | None:
        predicate = quad.predicate.value
        role, pid = layout.role(predicate)
        far = quad.object if direction == "out" else quad.subject
        if role == ("p" if direction == "out" else "ps"):
            return None if far in self._deprecated else Edge(WD + pid, far, plain=False)
        if role == "wdt" and not self._has_statement_nodes:
            return Edge(WD + pid, far, plain=True)
        if role == "plain" and not _id(far).startswith(layout.WIKIBASE):
            return Edge(predicate, far, plain=True)
        return None

    @cached_property
    def _deprecated(self) -> frozenset[Term]:
        quads = self._quads(ANY, _RANK, _RANKS["deprecated"])
        return frozenset(quad.subject for quad in quads)

    def _far_end(self, edge: Edge, direction: Direction) -> Value | None:
        if edge.plain:
            return self._value(edge.at)
        pid = layout.property_id(edge.relation)
        if direction == "out":
            main = self._objects(edge.at, _prop("ps", pid))
            if len(main) == 1 and isinstance(main[0], ox.NamedNode):  # it has no other form
                return self._value(main[0])
            statement = self._read_statement(Entity(""), edge.at, pid)
            return statement.object if statement else None
        return self._subject(edge.at, pid)

    def _subject(self, node: Term, pid: str) -> Entity | None:
        quad = next(self._quads(ANY, _prop("p", pid), node), None)
        return self._entity(_id(quad.subject)) if quad else None

    # -- statements ------------------------------------------------------------------------

    def _statement(self, here: Entity, edge: Edge, direction: Direction) -> Statement | None:
        if edge.plain:
            there = self._value(edge.at)
            relation = self._relation(edge.relation)
            if direction == "out":
                return None if there is None else Statement(here, relation, there, source=self.name)
            if isinstance(there, Entity):
                return Statement(there, relation, here, source=self.name)
            return None
        return self._said(edge.at, layout.property_id(edge.relation))

    def _read_said(self, node: Term, pid: str) -> Statement | None:
        """What a statement node says, and of whom; None without a value or subject."""
        subject = self._subject(node, pid)
        return self._read_statement(subject, node, pid) if subject else None

    def _read_statement(self, subject: Entity, node: Term, pid: str) -> Statement | None:
        """What hangs on a statement node; None without a value."""
        simple: dict[str, list[Term]] = {}
        exact: dict[str, list[Term]] = {}
        main: list[Term] = []
        main_exact: list[Term] = []
        none: list[Term] = []
        rank: Rank = "normal"
        origin = ""
        for quad in self._quads(node, ANY, ANY):
            predicate = quad.predicate.value
            role, of = layout.role(predicate)
            if role == "pq":
                simple.setdefault(of, []).append(quad.object)
            elif role == "pqv":
                exact.setdefault(of, []).append(quad.object)
            elif role == "ps" and of == pid:
                main.append(quad.object)
            elif role == "psv" and of == pid:
                main_exact.append(quad.object)
            elif predicate == layout.RANK:
                rank = layout.RANKS.get(_id(quad.object), "normal")
            elif predicate == layout.ORIGIN:
                origin = origin or self._origin(quad.object)
            elif _id(quad.object).startswith(layout.NO_VALUE):
                of = _id(quad.object).removeprefix(layout.NO_VALUE)
                (none if of == pid else simple.setdefault(of, [])).append(_NONE)
        values = self._values(main or none, main_exact)
        if not values:
            return None
        return Statement(
            subject,
            self._relation(WD + pid),
            values[0],
            layout.in_order(
                Qualifier(self._relation(WD + of), value)
                for of, terms in simple.items()
                for value in self._values(terms, exact.get(of, ()))
            ),
            rank,
            self.name,
            origin,
        )

    def _read_origin(self, reference: Term) -> str:
        """Where a statement is from, in words; empty for a reference that names no work."""
        for value in self._objects(reference, _STATED_IN):
            return value.value if isinstance(value, ox.Literal) else self._entity(_id(value)).label
        return ""

    def _values(self, simple: Sequence[Term], exact: Sequence[Term] = ()) -> list[Value]:
        """Values of one property: the exact forms stand in for bare times and amounts."""
        measured = [v for node in exact if (v := self._measured(node)) is not None]
        plain = (
            UNKNOWN if isinstance(v, ox.BlankNode) and self._has_layout else self._value(v)
            for v in simple
            if not (measured and _is_measure(v))
        )
        return [*measured, *(v for v in plain if v is not None)]

    def _read_measured(self, node: Term) -> Literal | None:
        """The time or quantity of a value node; None for coordinates and the like."""
        facts = {quad.predicate.value: quad.object for quad in self._quads(node, ANY, ANY)}
        told = {predicate: _id(term) for predicate, term in facts.items()}
        if layout.TIME_VALUE in facts:
            precision = told.get(layout.TIME_PRECISION, _OF_A_DAY)
            julian = told.get(layout.TIME_CALENDAR) == layout.JULIAN
            return literals.time(told[layout.TIME_VALUE], precision, julian=julian)
        if layout.AMOUNT in facts:
            unit = facts.get(layout.UNIT)
            iri = unit.value if isinstance(unit, ox.NamedNode) else layout.NO_UNIT
            of = None if iri == layout.NO_UNIT else self._entity(iri)
            return literals.of(told[layout.AMOUNT].removeprefix("+"), DECIMAL, of)
        return None

    def _value(self, term: Term) -> Value | None:
        """A term as a value; None for a blank node beside Wikidata's layout."""
        if isinstance(term, ox.Literal):
            return _literal(term)
        if isinstance(term, ox.Triple):
            return Literal(str(term))
        if isinstance(term, ox.BlankNode) and self._has_layout:
            return None
        return self._node(_id(term))

    def _read_node(self, iri: str) -> Value | None:
        if layout.UNKNOWN in iri:
            return UNKNOWN
        if iri == layout.NONE:
            return NO_VALUE
        if pid := layout.property_id(iri):
            return Entity(iri, self._entity(WD + pid).label)
        if not self._has_layout or iri.startswith(WD):
            return self._entity(iri)
        node = node_of(iri)
        leads_on = node is not None and self._has(node, ANY, ANY)
        return self._entity(iri) if leads_on else Literal(iri, URL)

    def _cell(self, term: Term | None) -> Value | None:
        if term is None or isinstance(term, ox.Literal):
            return _literal(term) if term else None
        if isinstance(term, ox.Triple):
            return Literal(str(term))
        return Entity(_id(term)) if isinstance(term, ox.BlankNode) else self._node(term.value)

    # -- caches: an entity is read once ----------------------------------------------------

    @cached_property
    def _entity(self) -> Callable[[str], Entity]:
        return lru_cache(maxsize=200_000)(self._read_entity)

    @cached_property
    def _node(self) -> Callable[[str], Value | None]:
        return lru_cache(maxsize=200_000)(self._read_node)

    @cached_property
    def _said(self) -> Callable[[Term, str], Statement | None]:
        """One question looks at a thing, and at what points to it, again and again."""
        return lru_cache(maxsize=50_000)(self._read_said)

    @cached_property
    def _measured(self) -> Callable[[Term], Literal | None]:
        return lru_cache(maxsize=50_000)(self._read_measured)

    @cached_property
    def _origin(self) -> Callable[[Term], str]:
        return lru_cache(maxsize=50_000)(self._read_origin)

    @cached_property
    def _uses(self) -> Callable[[str], tuple[RelationUse, ...]]:
        """Walks come back to the same hubs, whose edges take long to count."""
        return lru_cache(maxsize=10_000)(self._read_uses)

    @cached_property
    def _glimpse(
        self,
    ) -> Callable[[str, Direction, Relation | None, int], tuple[Statement, ...]]:
        """And a few of a hub's statements are chosen from thousands."""
        return lru_cache(maxsize=10_000)(self._read_around)

    @cached_property
    def _relation(self) -> Callable[[str], Relation]:
        return lru_cache(maxsize=20_000)(self._read_relation)

    # -- the store -------------------------------------------------------------------------

    def _quads(
        self,
        subject: Term | Anything,
        predicate: ox.NamedNode | Anything,
        value: Term | Anything,
    ) -> Iterator[ox.Quad]:
        return matching(self._store, subject, predicate, value)

    def _objects(self, subject: Term, predicate: ox.NamedNode) -> list[Term]:
        return [quad.object for quad in self._quads(subject, predicate, ANY)]

    def _has(
        self,
        subject: Term | Anything,
        predicate: ox.NamedNode | Anything,
        value: Term | Anything,
    ) -> bool:
        return next(self._quads(subject, predicate, value), None) is not None

    def _knows(self, node: Term) -> bool:
        return self._has(node, ANY, ANY) or self._has(ANY, ANY, node)

    @cached_property
    def _info(self) -> GraphInfo:
        """One pass over the store. The fingerprint is a sum, so order does not matter."""
        entities: set[str] = set()
        properties: set[str] = set()
        relations: set[str] = set()
        statements = total = 0
        for quad in self._quads(ANY, ANY, ANY):
            line = f"{quad.subject} {quad.predicate} {quad.object}".encode()
            total += int.from_bytes(blake2b(line, digest_size=16).digest(), "big")
            predicate = quad.predicate.value
            if predicate == layout.DIRECT_CLAIM:
                properties.add(_id(quad.subject))
            elif predicate == layout.LABEL:
                entities.add(_id(quad.subject))
            elif edge := self._edge(quad, "out"):
                statements += 1
                relations.add(edge.relation)
                entities.add(_id(quad.subject))
                if edge.plain and isinstance(self._value(edge.at), Entity):
                    entities.add(_id(edge.at))
            elif self._edge(quad, "in") and isinstance(self._value(quad.object), Entity):
                entities.add(_id(quad.object))
        return GraphInfo(
            self.name,
            entities=len(entities - properties - relations),
            statements=statements,
            relations=len(relations),
            fingerprint=f"{total % 2**128:032x}",
        )


def _by_language(text: ox.Literal) -> tuple[int, str]:
    return _ORDER.get(text.language or "", len(_ORDER)), text.value


def readable(name: str, sparql: str) -> None:
    """Raises SourceRejected for what is no readable SELECT or ASK."""
    nothing = EmbeddedGraph(name, ox.Store())
    nothing._queried(sparql, 0, nothing._apart)


def _new_store(name: str, path: Path | None) -> ox.Store:
    try:
        if path is None:
            return ox.Store()
        path.mkdir(parents=True, exist_ok=True)
        if any(path.iterdir()):
            raise SourceRejected(
                f"The folder {path} is not empty: choose a new one for the graph “{name}”.",
                source=name,
            )
        return ox.Store(str(path))
    except OSError as error:
        raise _unavailable(name, path, error) from error


def _unavailable(name: str, path: Path | None, error: OSError) -> SourceUnavailable:
    return SourceUnavailable(
        f"The graph “{name}” cannot be opened in {path}: {_one_line(error)}. "
        "Check the folder, or close the program that uses it.",
        source=name,
    )


def _id(term: Term) -> str:
    return term.value if isinstance(term, ox.NamedNode | ox.Literal) else str(term)


@lru_cache(maxsize=65_536)
def _prop(prefix: str, pid: str) -> ox.NamedNode:
    return ox.NamedNode(PREFIXES[prefix] + pid)


def _literal(term: ox.Literal) -> Literal:
    if term.language:
        return Literal(literals.shortened(term.value), STRING, language=term.language)
    if term.datatype.value == DATETIME:
        return literals.time(term.value)
    return literals.of(term.value, term.datatype.value)


def _is_measure(term: Term) -> bool:
    return isinstance(term, ox.Literal) and term.datatype.value in (DATETIME, DECIMAL)


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split()).rstrip(".")
