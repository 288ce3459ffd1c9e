"""KB-BINDER: drafts of a logical form, bound to the graph, executed, put to a vote.

Li et al., Few-shot In-context Learning for Knowledge Base Question Answering, ACL 2023
(arXiv:2305.01750): a model drafts a query from a few worked examples, in names it makes up; a
binder replaces entity and relation names by candidates of the graph (BM25, beside it embeddings);
candidates are executed until one has a result; the drafts vote. The paper's “-R” is about the
worked examples: those most like the question are retrieved (BM25) instead of the same for all.

Departure: the logical form is SPARQL, not an S-expression, so that any graph that speaks SPARQL
will do, and comparisons and dates need no operators of their own.
Departure: the six drafts come in one reply, the likeliest first and each different, instead of six
samples: a sixth of the prompts, and no endpoint needs to be able to sample several at once. Where
as many drafts agree, the likelier one wins.
Departure: a count of zero and a “no” are answers, where no other binding has a better one; the
released code goes on until something is neither empty nor zero.
Departure: hop count and topic entity are not given. The answer cites the facts it rests on.
"""

from __future__ import annotations

import math
import re
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import islice, pairwise, product
from typing import Any, ClassVar
from typing import Literal as OneOf

import networkx as nx
from pydantic import BaseModel, Field

from kgqa_core.ask import bounds, events
from kgqa_core.ask.by_id import ids_in
from kgqa_core.ask.events import Answer
from kgqa_core.ask.method import Method
from kgqa_core.ask.run import KEPT, LEFT_OUT, Steps, Toolkit
from kgqa_core.ask.shown import ONE_RELATION
from kgqa_core.ask.skill import Skill
from kgqa_core.ask.skills import Question
from kgqa_core.errors import SourceRejected
from kgqa_core.facts import verbalise
from kgqa_core.facts.relations import belongs
from kgqa_core.facts.terms import (
    BOOLEAN,
    DATE,
    TIMES,
    XSD,
    Entity,
    Literal,
    Relation,
    RelationUse,
    Statement,
    Value,
    is_known,
    short_id,
)
from kgqa_core.kg.base import WDT, no_sparql
from kgqa_core.kg.layout import PREFIXES, property_id, to_datetime
from kgqa_core.kg.query_text import iri
from kgqa_core.methods.answering import listed
from kgqa_core.text import enumerated, stems

_K1, _B = 0.9, 0.4  # of BM25, as in the paper's retriever
KINDS = ("kind", "class", "sort", "category")  # what else asks what kind a thing is
_LEAST = 0.15  # score below which a relation is no candidate for a name
_SURE = 0.6  # score of every name from which a binding is no guess
_ENUMERATED = 3000  # combinations of candidates that are ranked
_LEVELS = 4  # of a path that repeats a relation, read for citing


class Params(BaseModel):
    drafts: int = Field(6, ge=1, le=20, description="logical forms drafted, in one reply")
    demonstrations: OneOf["retrieved", "fixed"] = Field(
        "retrieved", description="worked examples: those most like the question (-R), or the first"
    )
    shots: int = Field(6, ge=0, le=12, description="worked examples before the question")
    entities: int = Field(5, ge=1, le=15, description="candidates for each entity name")
    relations: int = Field(5, ge=1, le=20, description="candidates for each relation name")
    tries: int = Field(12, ge=1, le=200, description="bindings of a draft that are executed")


class ToDraft(Question):
    most: int = Field(description="so many queries may be written")


class DraftReply(BaseModel):
    block: ClassVar[str] = "queries"
    thought: str = Field("", description="which things and relations the question is about")
    queries: list[str] = Field(
        description="different queries, the likeliest first: other names, another direction or "
        "another reading; empty when the question asks for no facts"
    )


def _shot(question: str, *queries: str) -> tuple[ToDraft, DraftReply]:
    return ToDraft(question=question, most=len(queries)), DraftReply(queries=list(queries))


SHOTS = (
    _shot(
        "Who composed the music of the films that Tomas Wendeler directed?",
        "SELECT DISTINCT ?who WHERE { ?film <relation:director> <entity:Tomas_Wendeler> . "
        "?film <relation:composer> ?who }",
    ),
    _shot(
        "How many bridges cross the Marn in Norhaven?",
        "SELECT (COUNT(DISTINCT ?b) AS ?n) WHERE { ?b <relation:instance_of> <entity:bridge> "
        ". ?b <relation:crosses> <entity:Marn> . ?b <relation:located_in> "
        "<entity:Norhaven> }",
    ),
    _shot(
        "Is Lake Orm deeper than Lake Imber?",
        "ASK { <entity:Lake_Orm> <relation:depth> ?a . <entity:Lake_Imber> <relation:depth> "
        "?b FILTER(?a > ?b) }",
    ),
    _shot(
        "What is the tallest building in Port Quill?",
        "SELECT ?b WHERE { ?b <relation:instance_of> <entity:building> . ?b "
        "<relation:located_in> <entity:Port_Quill> . ?b <relation:height> ?h } ORDER BY DESC(?h) "
        "LIMIT 1",
    ),
    _shot(
        "When did Gerda Ruhl become chancellor?",
        "SELECT ?when WHERE { <entity:Gerda_Ruhl> <statement:position_held> ?s . ?s "
        "<value:position_held> <entity:Chancellor_of_Norland> . ?s "
        "<qualifier:start_time> ?when }",
    ),
    _shot(
        "Which other novels did the author of Grey Tide write?",
        "SELECT DISTINCT ?n WHERE { <entity:Grey_Tide> <relation:author> ?a . ?n <relation:author> "
        "?a FILTER(?n != <entity:Grey_Tide>) }",
    ),
    _shot(
        "Who was mayor of Norhaven in 1910?",
        "SELECT ?m WHERE { ?m <statement:position_held> ?s . ?s <value:position_held> "
        "<entity:Mayor_of_Norhaven> . ?s <qualifier:start_time> ?a . OPTIONAL { ?s "
        "<qualifier:end_time> ?b } FILTER(YEAR(?a) <= 1910 && (!BOUND(?b) || YEAR(?b) >= "
        "1910)) }",
    ),
    _shot(
        "Which operas by Edda Lorn were first performed after 1920?",
        "SELECT DISTINCT ?o WHERE { ?o <relation:composer> <entity:Edda_Lorn> . ?o "
        "<relation:date_of_first_performance> ?d FILTER(YEAR(?d) > 1920) }",
        "SELECT DISTINCT ?o WHERE { <entity:Edda_Lorn> <relation:notable_work> ?o . ?o "
        "<relation:publication_date> ?d FILTER(YEAR(?d) > 1920) }",
    ),
    _shot(
        "Is Norhaven the capital of Norland?",
        "ASK { <entity:Norland> <relation:capital> <entity:Norhaven> }",
        "ASK { <entity:Norhaven> <relation:capital_of> <entity:Norland> }",
    ),
    _shot(
        "Which languages are spoken both in Norland and in Sudland?",
        "SELECT DISTINCT ?l WHERE { <entity:Norland> <relation:language_used> ?l . "
        "<entity:Sudland> <relation:language_used> ?l }",
        "SELECT DISTINCT ?l WHERE { <entity:Norland> <relation:official_language> ?l . "
        "<entity:Sudland> <relation:official_language> ?l }",
    ),
    _shot(
        "Which river has the most tributaries, the Marn or the Ilm Beck?",
        "SELECT ?r WHERE { VALUES ?r { <entity:Marn> <entity:Ilm_Beck> } ?r "
        "<relation:tributary> ?t } GROUP BY ?r ORDER BY DESC(COUNT(?t)) LIMIT 1",
    ),
    _shot(
        "Where was the wife of Tomas Ruhl born?",
        "SELECT ?p WHERE { <entity:Tomas_Ruhl> <relation:spouse> ?w . ?w "
        "<relation:place_of_birth> ?p }",
    ),
)


DRAFT = Skill(
    "draft logical form",
    "Write SPARQL queries (SELECT or ASK) that answer the question. You do not know the graph's "
    "identifiers: write <entity:NAME> for a thing and <relation:NAME> for a relation, with the "
    "name you would expect it to have and _ for blanks. For details of a statement, such as when "
    "it began: ?a <statement:NAME> ?s . ?s <value:NAME> ?b . ?s <qualifier:NAME> ?c . Use no "
    "prefixes and no other identifiers. Select one variable.",
    ToDraft,
    DraftReply,
    examples=SHOTS[:6],
    temperature=0.7,
)


def _demonstrations(question: str, params: Params) -> tuple[tuple[ToDraft, DraftReply], ...]:
    """The worked examples most like the question, the most alike last; else the first ones."""
    if params.demonstrations == "fixed" or params.shots >= len(SHOTS):
        return SHOTS[: params.shots]
    likeness = Bm25([stems(shot.question) for shot, _ in SHOTS]).scores(stems(question))
    ranked = sorted(range(len(SHOTS)), key=lambda n: (-likeness[n], n))[: params.shots]
    return tuple(SHOTS[n] for n in reversed(ranked))


def solve(question: str, tools: Toolkit, params: Params) -> Steps[Answer]:
    if not tools.speaks_sparql:
        raise no_sparql(tools.graph)
    yield events.Step(title="Draft queries to the graph")
    skill = replace(DRAFT, examples=_demonstrations(question, params))
    reply = yield from tools.ask(skill, question=question, most=params.drafts)
    queries = reply.queries[: params.drafts]
    votes = Counter(" ".join(query.split()) for query in queries if query.strip())
    drafts = yield from _readable(votes)
    if not drafts:
        return Answer(reason="No draft of a query could be read.")
    binder = yield from _binder(drafts, tools, params)
    if unknown := _unknown(question, binder, tools):
        return Answer(reason=unknown)

    executed: list[tuple[int, Executed]] = []
    for n, draft in enumerate(drafts, 1):
        yield events.Step(title=f"Try draft {n} of {len(drafts)} on the graph")
        result = yield from _execute(draft, binder, tools, params)
        if result is not None:
            executed.append((votes[draft.text], result))
    if not executed:
        return Answer(reason="No binding of the drafted queries has a result in the graph.")

    yield events.Step(title="Take the answer that most drafts give")
    tally: Counter[frozenset[Value]] = Counter()
    for count, result in executed:
        tally[result.values] += count
    winner = max((result for _, result in executed), key=lambda r: (tally[r.values], not r.nothing))
    total = tally.total()
    yield events.Noted(text=f"{tally[winner.values]} of {total} drafts with a result agree.")
    found = yield from _evidence(question, winner, tools)
    answer = listed(found)
    vague = [day for day in _first_days(found) if not any(day in _told(s) for s in found[day])]
    if vague:
        days = enumerated([verbalise.value(day) for day in vague])
        yield events.Noted(text=f"That the graph knows the day is not said of {days}.")
    sure = tally[winner.values] * 2 > total and winner.sure and not vague
    return answer.model_copy(update={"certain": sure, "reading": winner.draft.text})


def _unknown(question: str, binder: Binder, tools: Toolkit) -> str:
    """That a relation which the question calls by its id is none of these things."""
    around = {short_id(use.id) for own in binder.uses.values() for use, _ in own}
    things = list(dict.fromkeys(found[0][0].name for found in binder.entities.values() if found))
    for one in ids_in(question, "P"):
        if things and one not in around and tools.relation(one) is None:
            return f"What was read says nothing about “{one}” of {enumerated(things)}."
    return ""


# -- drafts --------------------------------------------------------------------------------

_PROPERTY = re.compile(r"P[1-9]\d*", re.IGNORECASE)
_NAME = re.compile(r"<(entity|relation|statement|value|qualifier):([^<>]+)>")
_SPACES = {"statement": "p", "value": "ps", "qualifier": "pq"}
_VALUES = re.compile(r"\bVALUES\s+(\?\w+)\s*\{([^{}]*)\}", re.IGNORECASE)
_COUNTED = re.compile(
    r"SELECT\s*\(\s*COUNT\s*\(\s*(?:DISTINCT\s+)?(\?\w+)\s*\)\s*AS\s+\?\w+\s*\)", re.IGNORECASE
)


_COMPARED = re.compile(
    r"""(?P<of>\?\w+)\s*(?P<by><=|>=|<|>|=)\s*"""
    r"""(?:["']?(?P<year>[12]\d{3})["']?(?![\w.-])|["'](?P<day>[12]\d{3}-\d\d-\d\d)["'T][^\s)&|]*)"""
)


class NotAQuery(SourceRejected):
    """A draft that is no query, or one that is not let near a graph."""


@dataclass(frozen=True)
class Pattern:
    """A triple pattern of a draft: names of entities, or variables (`?x`)."""

    subject: str
    relation: str
    object: str


@dataclass(frozen=True)
class Draft:
    """A query that was parsed. Names stand in it as the model wrote them."""

    text: str
    entities: tuple[str, ...]
    relations: tuple[str, ...]
    patterns: tuple[Pattern, ...]
    given: tuple[tuple[str, tuple[str, ...]], ...] = ()  # names listed for a variable

    @property
    def counts(self) -> bool:
        return _COUNTED.search(self.text) is not None

    @property
    def decides(self) -> bool:
        """Whether nothing found is an answer: zero, or no."""
        return self.counts or self.text.upper().startswith("ASK")


_READING = threading.Lock()  # the grammar of rdflib is one for all threads, and keeps its place


def _parsed(text: str) -> Any:
    from rdflib.plugins.sparql.algebra import translateQuery
    from rdflib.plugins.sparql.parser import parseQuery

    with _READING:
        return translateQuery(parseQuery(text))


def read_draft(text: str) -> Draft:
    """Raises NotAQuery, in a sentence, for text that is no SELECT or ASK over named things."""
    from pyparsing import ParseBaseException

    try:
        algebra = _parsed(text).algebra
    except (ParseBaseException, Exception) as error:  # rdflib raises bare exceptions as well
        raise NotAQuery(f"A draft is not readable as SPARQL: {_short(error)}.") from error
    if algebra.name not in ("SelectQuery", "AskQuery"):
        raise NotAQuery("A draft is neither SELECT nor ASK.")
    nodes = list(_nodes(algebra))
    if any(getattr(node, "name", "") == "ServiceGraphPattern" for node in nodes) or dict.get(
        algebra, "datasetClause"
    ):
        raise NotAQuery("A draft asks another graph.")
    patterns = []
    for node in nodes:
        for group in dict.get(node, "triples", ()):
            terms = [_written(term) for term in group]
            for s, r, o in zip(terms[::3], terms[1::3], terms[2::3], strict=True):
                if r.startswith("?"):
                    raise NotAQuery("A draft leaves a relation open.")
                patterns.append(Pattern(s, r, o))
    names = list(dict.fromkeys(_NAME.findall(text)))
    entities = tuple(name for kind, name in names if kind == "entity")
    if not entities:
        raise NotAQuery("A draft names no entity, so it would read the whole graph.")
    given = {m[1]: tuple(n for _, n in _NAME.findall(m[2])) for m in _VALUES.finditer(text)}
    _connected(patterns, {variable for variable, things in given.items() if things})
    relations = tuple(dict.fromkeys(name for kind, name in names if kind != "entity"))
    return Draft(text, entities, relations, tuple(patterns), tuple(given.items()))


def _short(error: BaseException) -> str:
    return (" ".join(str(error).split()) or type(error).__name__)[:160].rstrip(".")


def _nodes(node: Any) -> Iterator[Any]:
    """Every part of rdflib's algebra, which nests dictionaries, lists and tuples."""
    if isinstance(node, dict):
        yield node
        for part in node.values():
            yield from _nodes(part)
    elif isinstance(node, list | tuple):
        for part in node:
            yield from _nodes(part)


def _written(term: Any) -> str:
    from rdflib.paths import Path
    from rdflib.term import URIRef, Variable

    if isinstance(term, Variable):
        return f"?{term}"
    if isinstance(term, Path):  # only the relations on it are of interest
        return "path:" + "|".join(re.findall(r"relation:([^<>/|^*+?!() ]+)", str(term)))
    return str(term) if isinstance(term, URIRef) else repr(term)


def _connected(patterns: Sequence[Pattern], listed: Set[str]) -> None:
    """Every triple has to hang together with a named thing: no scan of the whole graph."""
    reached = {end for p in patterns for end in (p.subject, p.object) if _is_name(end)} | listed
    while new := {
        end
        for p in patterns
        for end in (p.subject, p.object)
        if {p.subject, p.object} & reached and end not in reached
    }:
        reached |= new
    if any(p.subject not in reached for p in patterns):
        raise NotAQuery("A part of a draft hangs together with no named thing.")


def _is_name(end: str) -> bool:
    return end.startswith("entity:")


def _readable(votes: Counter[str]) -> Steps[list[Draft]]:
    drafts = []
    for text in votes:
        try:
            drafts.append(read_draft(text))
        except NotAQuery as error:
            yield events.Noted(text=str(error), level="warning")
    return drafts


# -- binding -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Bound:
    """A relation of the graph for a name, and whether it is followed backwards."""

    relation: Relation
    inverse: bool
    score: float


@dataclass
class Binder:
    """Candidates for the names of all drafts."""

    entities: dict[str, list[tuple[Entity, float]]] = field(default_factory=dict)
    relations: dict[str, list[Bound]] = field(default_factory=dict)
    uses: dict[Entity, set[tuple[Relation, str]]] = field(default_factory=dict)


class Bm25:
    """Okapi BM25 over bags of words."""

    # Not rank-bm25: no release since 2022, no faster (300 names: 1.1 ms, here 1.6 ms), and a word
    # that most names have counts against them. bm25s is alive; for so few names it is slower
    # (6.7 ms), and its import takes half a second.

    def __init__(self, documents: Sequence[Sequence[str]]) -> None:
        self._counts = [Counter(words) for words in documents]
        self._lengths = [len(words) for words in documents]
        self._mean = sum(self._lengths) / max(1, len(documents)) or 1.0
        holding = Counter(word for counts in self._counts for word in counts)
        n = len(documents)
        self._idf = {w: math.log(1 + (n - k + 0.5) / (k + 0.5)) for w, k in holding.items()}

    def scores(self, query: Sequence[str]) -> list[float]:
        """One score a document, as a share of the most that any document could reach."""
        words = dict.fromkeys(query)
        rarest = max(self._idf.values(), default=1.0)
        most = sum(self._idf.get(w, rarest) for w in words) * (_K1 + 1) or 1.0
        return [
            sum(
                self._idf[w]
                * counts[w]
                * (_K1 + 1)
                / (counts[w] + _K1 * (1 - _B + _B * length / self._mean))
                for w in words
                if counts[w]
            )
            / most
            for counts, length in zip(self._counts, self._lengths, strict=True)
        ]


def _binder(drafts: Sequence[Draft], tools: Toolkit, params: Params) -> Steps[Binder]:
    """Looks every name up once: entities by their labels, relations among those around them."""
    binder = Binder()
    names = list(dict.fromkeys(name for draft in drafts for name in draft.entities))
    hits = yield from tools.link([_spoken(name) for name in names], params.entities)
    for name, found in zip(names, hits, strict=True):
        binder.entities[name] = [(hit.entity, hit.score) for hit in found]
    anchors = list(dict.fromkeys(e for found in binder.entities.values() for e, _ in found))
    named = " ".join(dict.fromkeys(name for draft in drafts for name in draft.relations))
    uses = yield from tools.survey(anchors, about=named)
    for entity, own in zip(anchors, tools.relations_of(anchors), strict=True):
        binder.uses[entity] = {(use.relation, use.direction) for use in own}
    if any(len(draft.patterns) > 1 for draft in drafts):
        around = yield from tools.expand(anchors, about=named)
        ends = dict.fromkeys(end for s in around for end in (s.subject, s.object))
        beyond = [end for end in ends if isinstance(end, Entity) and end not in binder.uses]
        near = yield from tools.nearest_ends(named, beyond, around, bounds.NEIGHBOURS)
        uses = [*uses, *(yield from tools.survey(near, about=named))]
        uses += _qualifiers(around)
    wanted = list(dict.fromkeys(name for draft in drafts for name in draft.relations))
    ranked = _rank(wanted, uses, tools)
    for name in wanted:
        binder.relations[name] = [
            Bound(relation, inverse, score - 0.05 * inverse)
            for relation, score in ranked[name][: params.relations]
            for inverse in (False, True)
        ]
    return binder


def _qualifiers(found: Sequence[Statement]) -> list[RelationUse]:
    relations = dict.fromkeys(q.relation for s in found for q in s.qualifiers)
    return [RelationUse(relation, "out", 1) for relation in relations]


def _id(name: str) -> str:
    """The id that stands in a draft instead of a relation's name; empty for any name."""
    found = _PROPERTY.fullmatch(_spoken(name))
    return found[0].upper() if found else ""


def _spoken(name: str) -> str:
    from urllib.parse import unquote

    return " ".join(unquote(name).replace("_", " ").split())


def _rank(
    names: Sequence[str], uses: Sequence[RelationUse], tools: Toolkit
) -> dict[str, list[tuple[Relation, float]]]:
    """For each name the relations nearest to it: BM25, and the encoder where there is one.

    What kind a thing is, is near to every name that the graph has no relation for: only its own
    words mean it.
    """
    called = {name: tools.relation(_spoken(name)) for name in names}
    relations = list(
        dict.fromkeys([*(use.relation for use in uses), *filter(None, called.values())])
    )
    if not relations:
        return {name: [] for name in names}
    words = ((r.name, *r.aliases, *(KINDS if belongs(r, "class") else ())) for r in relations)
    lexical = Bm25([stems(" ".join(own)) for own in words])
    vectors = None
    if tools.has_index and names:
        texts = [*map(_spoken, names), *(r.name for r in relations)]
        encoded = tools.encode(texts)
        vectors = encoded[: len(names)] @ encoded[len(names) :].T
    ranked = {}
    for n, name in enumerate(names):
        scores = lexical.scores(stems(_spoken(name)))
        said = _spoken(name).casefold()
        total = []
        for i, relation in enumerate(relations):
            score = scores[i]
            if vectors is not None and not (belongs(relation, "class") and not score):
                score = (score + max(0.0, float(vectors[n][i]))) / 2
            exact = said in (relation.name.casefold(), *map(str.casefold, relation.aliases))
            total.append(
                (relation, score + exact * (1.0 if said == relation.name.casefold() else 0.5))
            )
        if by_id := _id(name):  # near to it is nothing else
            total = [(r, 1.0) for r in relations if short_id(r.id) == by_id]
        kept = [(r, s) for r, s in total if s > _LEAST]
        ranked[name] = sorted(kept, key=lambda item: (-item[1], item[0].id))
    return ranked


def _bindings(draft: Draft, binder: Binder) -> Iterator[tuple[dict[str, Entity], dict[str, Bound]]]:
    """Combinations of candidates, the best first; those the graph cannot satisfy are left out.

    If it can satisfy none, a count and a yes-no question keep their best one: zero, or no.
    """
    options: list[Sequence[tuple[Any, float]]] = [binder.entities[e] for e in draft.entities]
    options += [[(b, b.score) for b in binder.relations[r]] for r in draft.relations]
    combos = islice(product(*options), _ENUMERATED)
    ranked = sorted(combos, key=lambda combo: -sum(score for _, score in combo))
    best: tuple[dict[str, Entity], dict[str, Bound]] | None = None
    satisfiable = False
    for combo in ranked:
        terms = [term for term, _ in combo]
        entities = dict(zip(draft.entities, terms, strict=False))
        relations = dict(zip(draft.relations, terms[len(draft.entities) :], strict=True))
        if all(_possible(p, entities, relations, binder) for p in draft.patterns):
            satisfiable = True
            yield entities, relations
        elif best is None:
            best = entities, relations
    if best and not satisfiable and draft.decides and _sure(*best, binder):
        yield best


def _possible(
    pattern: Pattern, entities: dict[str, Entity], relations: dict[str, Bound], binder: Binder
) -> bool:
    """Whether the named end of a triple has the relation at all, in this direction."""
    kind, _, name = pattern.relation.partition(":")
    bound = relations.get(name)
    if bound is None or kind not in ("relation", "statement"):
        return bound is None or not bound.inverse  # no way back from a value or a qualifier
    if kind == "statement" and bound.inverse:
        return False
    for end, direction in ((pattern.subject, "out"), (pattern.object, "in")):
        entity = entities.get(end.removeprefix("entity:")) if _is_name(end) else None
        flipped = {"out": "in", "in": "out"}[direction] if bound.inverse else direction
        if entity is not None and (bound.relation, flipped) not in binder.uses[entity]:
            return False
    return True


def _bound_text(text: str, entities: dict[str, Entity], relations: dict[str, Bound]) -> str:
    """The query with identifiers of the graph in place of names; the rest stays as parsed.

    Raises SourceRejected for an identifier that is no IRI: a query must not ask for another.
    """

    def identifier(match: re.Match[str]) -> str:
        kind, name = match[1], match[2]
        if kind == "entity":
            return iri(entities[name].id)
        bound = relations[name]
        pid = property_id(bound.relation.id)
        if kind == "relation":
            return "^" * bound.inverse + iri(WDT + pid if pid else bound.relation.id)
        return iri(PREFIXES[_SPACES[kind]] + pid if pid else bound.relation.id)

    return _NAME.sub(identifier, text)


# -- executing -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Executed:
    """What a bound draft gave. `nothing`: a count of zero, or no. `sure`: no name is a guess."""

    draft: Draft
    entities: dict[str, Entity]
    relations: dict[str, Bound]
    values: frozenset[Value]
    rows: tuple[Value, ...]
    nothing: bool = False
    sure: bool = False


def _execute(
    draft: Draft, binder: Binder, tools: Toolkit, params: Params
) -> Steps[Executed | None]:
    """The first binding with a result; else the best one that counts to zero or says no."""
    nothing: Executed | None = None
    forms = list(dict.fromkeys((draft.text, _by_dates(draft.text))))
    for entities, relations in islice(_bindings(draft, binder), params.tries):
        tools.check()
        for text in forms:
            try:
                table = yield from tools.query(_bound_text(text, entities, relations))
            except SourceRejected as error:
                yield events.Noted(text=str(error), level="warning")
                return nothing
            rows = tuple(dict.fromkeys(row[0] for row in table.rows if row and row[0] is not None))
            if rows and not (len(rows) == 1 and _says_nothing(rows[0], draft)):
                draft = replace(draft, text=text)
                break
        if not rows:
            if _sure(entities, relations, binder) and (
                yield from _blank(entities, relations, tools)
            ):
                return None  # what is asked for is unknown or wrong, not another relation
            continue
        empty = len(rows) == 1 and _says_nothing(rows[0], draft)
        sure = not empty and _sure(entities, relations, binder)
        result = Executed(draft, entities, relations, frozenset(rows), rows, empty, sure)
        if not empty:
            return (yield from _with_no_kind(result, tools))
        nothing = nothing or result
    return nothing


def _by_dates(text: str) -> str:
    """The query with what is compared with a bare year, or with a date in quotes, compared as a
    date: as they stand, a graph finds no date among numbers and texts."""

    def compared(found: re.Match[str]) -> str:
        variable, operator, year, day = found.group("of", "by", "year", "day")
        if year:
            return f"YEAR({variable}) {operator} {year}"
        return f'{variable} {operator} "{day}T00:00:00Z"^^<{XSD}dateTime>'

    return _COMPARED.sub(compared, text)


def _with_no_kind(result: Executed, tools: Toolkit) -> Steps[Executed]:
    """With what a test of kinds left out because the graph states no kind of it, where it hardly
    states kinds at all; that was not looked for by a draft that counts or decides."""
    if result.draft.decides or (test := _test_of_kinds(result)) is None:
        return result
    text, relation = test
    try:
        draft = read_draft(text)
        table = yield from tools.query(_bound_text(draft.text, result.entities, result.relations))
    except SourceRejected:  # nothing else hangs together with a named thing
        return result
    rows = dict.fromkeys(row[0] for row in table.rows if row)
    beside = [v for v in rows if isinstance(v, Entity) and v not in result.values]
    found = yield from tools.expand(beside[: bounds.WIDTH], relation=relation, direction="out")
    stated = {s.subject for s in found}
    unknown = [e for e in beside[: bounds.WIDTH] if e not in stated]
    kept = bool(unknown) and 2 * len(unknown) >= len(rows)
    yield from tools.note_no_kind(unknown, KEPT if kept else LEFT_OUT)
    if not kept:
        return result
    every = (*result.rows, *unknown)
    return replace(result, rows=every, values=frozenset(every), sure=False)


def _test_of_kinds(result: Executed) -> tuple[str, Relation] | None:
    """The draft without its test of what it selects for a kind (`?x instance of/subclass of* a
    kind`), and the relation of that test; None where it has none."""
    from rdflib.plugins.sparql.algebra import translateAlgebra

    query = _parsed(result.draft.text)
    for node in _nodes(query.algebra):
        for triple in dict.get(node, "triples", ()):
            first = getattr(triple[1], "args", triple[1:])[0]  # of a path
            bound = result.relations.get(str(first).removeprefix("relation:"))
            of_kind = triple[0] == query.algebra["PV"][0] and _is_name(str(triple[2]))
            if of_kind and bound and belongs(bound.relation, "class"):
                node["triples"] = [one for one in node["triples"] if one is not triple]
                return translateAlgebra(query), bound.relation
    return None


def _sure(entities: dict[str, Entity], relations: dict[str, Bound], binder: Binder) -> bool:
    named = (dict(binder.entities[name])[entity] for name, entity in entities.items())
    return all(b.score >= _SURE for b in relations.values()) and all(s >= 0.9 for s in named)


def _blank(entities: dict[str, Entity], relations: dict[str, Bound], tools: Toolkit) -> Steps[bool]:
    """Whether the graph states of these things no value that is known and not marked as wrong."""
    for bound in relations.values():
        found = yield from tools.expand(list(entities.values()), relation=bound.relation)
        own = [s for s in found if s.subject in entities.values()]
        if own and not any(is_known(s.object) and s.rank != "deprecated" for s in own):
            return True
    return False


def _says_nothing(value: Value, draft: Draft) -> bool:
    if not isinstance(value, Literal):
        return False
    if value.datatype == BOOLEAN:
        return value.value == "false"
    return draft.counts and value.value in ("0", "0.0")


# -- citing --------------------------------------------------------------------------------


def _evidence(
    question: str, result: Executed, tools: Toolkit
) -> Steps[dict[Value, list[Statement]]]:
    """For each value the facts that connect it with the named things of the draft."""
    facts = yield from _facts_of(question, result, tools)
    result = _as_stated(result, facts)
    named = list(result.entities.values())
    literals = {s for s in facts if isinstance(s.object, Literal)}
    counted = yield from _counted(result, tools)
    answered = any(isinstance(v, Entity) for v in result.rows) or counted is not None
    ends = counted if counted is not None else list(result.rows)
    support: dict[Value, list[Statement]] = {}
    if not answered:  # a literal, or yes and no: what lies between the named things
        dated = [s for s in facts if {s.object, *(q.value for q in s.qualifiers)} & result.values]
        ends = [s.subject for s in dated] or list(named)
        literals = set(dated) or literals
    chains = [_chains(anchor, facts) for anchor in named]
    for end in (yield from tools.nearest_ends(question, ends, facts, bounds.CITED, "given facts")):
        own = [s for chain in chains for s in chain.get(end, ())]
        own += [s for s in literals if s.subject == end]
        support[end] = list(dict.fromkeys(own))
    if answered and counted is None:
        return {v: support.get(v, []) for v in result.rows}
    merged = list(dict.fromkeys(s for own in support.values() for s in own))
    merged = merged or tools.relevant(question, facts, room=0)[: bounds.FOR_YES]
    return dict.fromkeys(result.rows, merged)


def _as_stated(result: Executed, facts: Sequence[Statement]) -> Executed:
    """The result with the years, decades or centuries that its dates stand for in the graph.

    A plain cell gives the first day of any of them; the statements say how exact they are.
    """
    stated: dict[str, set[Literal]] = {}
    for value in (v for s in facts for v in _told(s)):
        if isinstance(value, Literal) and value.datatype in TIMES:
            stated.setdefault(to_datetime(value), set()).add(value)

    def exact(cell: Value) -> Value:
        dated = isinstance(cell, Literal) and cell.datatype == DATE
        found = stated.get(to_datetime(cell), set()) if dated and isinstance(cell, Literal) else ()
        return next(iter(found)) if len(found) == 1 else cell

    rows = tuple(dict.fromkeys(map(exact, result.rows)))
    return replace(result, rows=rows, values=frozenset(rows))


def _told(s: Statement) -> tuple[Value, ...]:
    return s.object, *(q.value for q in s.qualifiers)


def _first_days(values: Iterable[Value]) -> list[Literal]:
    """Dates that may stand for a month, a year or more."""
    dates = (v for v in values if isinstance(v, Literal) and v.datatype == DATE)
    return [v for v in dates if v.value.endswith("-01")]


def _counted(result: Executed, tools: Toolkit) -> Steps[list[Value] | None]:
    """What a count counted; None when the draft counts nothing."""
    if not result.draft.counts or result.nothing:
        return None
    text = _COUNTED.sub(r"SELECT DISTINCT \1", result.draft.text)
    table = yield from tools.query(
        _bound_text(read_draft(text).text, result.entities, result.relations)
    )
    return [row[0] for row in table.rows if row[0] is not None]


def _facts_of(question: str, result: Executed, tools: Toolkit) -> Steps[list[Statement]]:
    """The statements of the draft's triples, read outwards from the named things."""
    known: dict[str, set[Value]] = {
        f"entity:{name}": {entity} for name, entity in result.entities.items()
    }
    for variable, names in result.draft.given:
        known[variable] = {result.entities[name] for name in names}
    facts: dict[Statement, None] = {}
    todo = _edges(result.draft.patterns)
    while ready := [p for p in todo if known.get(p.subject) or known.get(p.object)]:
        edge = ready[0]
        todo.remove(edge)
        near, far = edge.subject, edge.object
        sizes = [len(known.get(end, ())) for end in (near, far)]
        forward = sizes[0] > 0 and not 0 < sizes[1] < sizes[0]  # from the fewer known ones
        if not forward:
            near, far = far, near
        front, seen = known[near], set[Value]()
        bound = [result.relations[n] for n in edge.relation.split("|") if n in result.relations]
        for _ in range(_LEVELS if "|" in edge.relation else 1):
            reached: set[Value] = set()
            for b in bound:
                outward = forward != b.inverse
                ends = sorted((v for v in front if isinstance(v, Entity)), key=lambda e: e.id)
                found = yield from tools.expand(
                    (yield from tools.nearest_ends(question, ends, list(facts), bounds.CITED)),
                    relation=b.relation,
                    direction="out" if outward else "in",
                    limit=ONE_RELATION,
                )
                facts.update(dict.fromkeys(found))
                reached |= {s.object if outward else s.subject for s in found}
            front = reached - seen
            seen |= reached
            if not any(isinstance(v, Entity) for v in front):
                break
        known[far] = known[far] & seen if known.get(far) else seen
    return list(facts)


def _edges(patterns: Sequence[Pattern]) -> list[Pattern]:
    """The triples between things: a statement's node gives way to its value."""
    values = {p.subject: p.object for p in patterns if p.relation.startswith("value:")}
    edges = []
    for p in patterns:
        kind, _, name = p.relation.partition(":")
        if kind in ("relation", "statement", "path"):
            edges.append(Pattern(p.subject, name, values.get(p.object, p.object)))
    return edges


def _chains(start: Value, facts: Sequence[Statement]) -> dict[Value, list[Statement]]:
    """For each value that facts connect with the start, a shortest chain of them back to it."""
    graph: nx.DiGraph = nx.DiGraph()
    for s in facts:
        graph.add_edge(s.subject, s.object)
        graph[s.subject][s.object].setdefault("fact", s)
        if isinstance(s.object, Entity):  # a date that two things share connects nothing
            graph.add_edge(s.object, s.subject)
            graph[s.object][s.subject].setdefault("fact", s)
    ways = nx.single_source_shortest_path(graph, start) if start in graph else {}
    return {
        end: [graph[near][far]["fact"] for near, far in pairwise(way)][::-1]
        for end, way in ways.items()
    }


METHOD = Method(
    "kb-binder",
    "KB-BINDER",
    solve,
    Params,
    "Drafts queries in made-up names, binds them to the graph, executes them and votes.",
    "Li et al. 2023",
)
