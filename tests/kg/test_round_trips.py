"""Whatever a name is made of: what goes into a graph comes out of it, and nothing else does."""

import tempfile
from pathlib import Path
from urllib.parse import unquote

import pyoxigraph as ox
import pytest
from hypothesis import assume, given
from hypothesis import strategies as some

from kgqa_core.ask import preferences
from kgqa_core.errors import SettingsError, SourceRejected
from kgqa_core.facts.terms import STRING, Entity, Literal, Relation, Statement
from kgqa_core.kg import layout, lines
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.kg.folder import open_folder
from kgqa_core.kg.labels import squeezed
from kgqa_core.kg.load import load
from kgqa_core.kg.union import UnionGraph, from_rows, overlay
from kgqa_core.render.texts import ntriples
from tests.properties import ANYTHING, FEWER, TEXTS
from tests.small_graph import small_graph

FIRST = ("Anna", "born in", "Goodtown")
MOST = 5_000


def is_name(text):
    """A text that stands for a thing of that name, and for nothing else."""
    made = lines.value_of_cell(text)
    return isinstance(made, Entity) and made.label == text


def named(texts):
    starts = some.sampled_from(["", "", "", "relation:", "urn:kg:", "pseudo:", "_:"])
    kept = some.builds(str.__add__, starts, texts).map(str.strip)
    return kept.filter(bool).filter(readable).filter(is_name)


def readable(text):
    try:
        lines.value_of_cell(text)
        return bool(text.replace("_", " ").strip())
    except ValueError:
        return False


NAMES = named(
    TEXTS.map(lambda t: t.replace("\t", "").replace("\n", "").replace("|", "").strip("\ufeff"))
)
ROWS = some.lists(some.tuples(NAMES, NAMES, NAMES), min_size=1, max_size=6)
MANY_ROWS = some.lists(some.tuples(NAMES, NAMES, NAMES), min_size=8, max_size=16)
ANY_ROWS = some.lists(some.tuples(*[named(ANYTHING)] * 3), min_size=1, max_size=6)


def relation_name(cell):
    return " ".join(cell.replace("_", " ").split())


def shown(text):
    """As a store keeps it: half a character is none."""
    return text.encode("utf-8", "replace").decode()


def facts_of(rows):
    return {(shown(s), shown(relation_name(r)), shown(o)) for s, r, o in rows}


def cell_of(iri, prefix=lines.NAMES):
    return unquote(iri.removeprefix(prefix), errors="surrogatepass")


def row_of(s):
    relation = cell_of(s.relation.id, f"{lines.NAMES}relation:")
    return cell_of(s.subject.id), relation, cell_of(s.object.id)


def around_everything(kg, statements):
    """What the graph says around each thing, by asking as methods ask."""
    things = list({end for s in statements for end in (s.subject, s.object)})
    found = kg.statements(things, limit=MOST)
    for thing, own in zip(things, found, strict=True):
        assert all(thing in (s.subject, s.object) for s in own)
        assert set(own) == {s for s in statements if thing in (s.subject, s.object)}
        out = kg.statements([thing], direction="out", limit=MOST)[0]
        for use in kg.relations_of([thing])[0]:
            if use.direction == "out":
                assert use.count == sum(s.relation == use.relation for s in out)
    return {s for own in found for s in own}


def holds_exactly(kg, rows):
    """The rows, all of them, and nothing else; every name finds its thing."""
    expected = {lines_fact(row) for row in rows}
    found = around_everything(kg, expected)
    assert found == expected
    assert {row_of(s) for s in found} == set(rows)
    assert {(s.subject.name, s.relation.name, s.object.name) for s in found} == facts_of(rows)


def lines_fact(row):
    s, r, o = row
    return Statement(lines.entity_of_cell(s), lines.relation_of_cell(r), lines.entity_of_cell(o))


def loaded(content, name, folder):
    file = Path(folder, name)
    file.write_bytes(content.encode())
    done = load([file], Path(folder, "graph"))
    return open_folder(done.folder), done


@pytest.mark.scale
@FEWER
@given(MANY_ROWS, some.sampled_from(["\t", "|"]))
def test_a_file_of_names(rows, between):
    assume("label" not in {cell.lower() for row in rows for cell in row})
    content = "".join(between.join(row) + "\n" for row in [FIRST, *rows])
    with tempfile.TemporaryDirectory() as folder:
        kg, done = loaded(content, "facts.txt", folder)
        assert done.bad == 0, done.examples
        holds_exactly(kg, [FIRST, *rows])
        for name in {cell for row in rows for cell in (row[0], row[2])}:
            hit = kg.search([name], 1)[0][0]
            assert squeezed(hit.entity.label) == squeezed(name)
        del kg


FORMS = {
    "facts.nt": ox.RdfFormat.N_TRIPLES,
    "facts.ttl": ox.RdfFormat.TURTLE,
    "facts.jsonld": ox.RdfFormat.JSON_LD,
}


@pytest.mark.scale
@FEWER
@given(MANY_ROWS, some.sampled_from(list(FORMS)))
def test_the_same_facts_as_rdf(rows, name):
    store = from_rows(rows)._store
    triples = [ox.Triple(q.subject, q.predicate, q.object) for q in store]
    content = ox.serialize(triples, format=FORMS[name]).decode()
    with tempfile.TemporaryDirectory() as folder:
        kg, done = loaded(content, name, folder)
        assert done.bad == 0, done.examples
        holds_exactly(kg, rows)
        del kg


@pytest.mark.scale
@given(ANY_ROWS, ANY_ROWS)
def test_a_personal_graph_and_its_union_with_another(mine, theirs):
    base, own = from_rows(theirs, name="theirs"), from_rows(mine)
    holds_exactly(base, theirs)
    holds_exactly(own, mine)
    both = overlay(own, base)
    expected = {lines_fact(row) for row in (*mine, *theirs)}
    assert around_everything(both, expected) == expected


@pytest.mark.scale
@given(ANY_ROWS)
def test_facts_about_what_the_base_knows_join_it(rows):
    """Rows that are read with a base say the same of the same things."""
    base = from_rows(rows, name="theirs")
    again = from_rows(rows, base, "mine")
    said = {s for own in again.statements([e for s in all_of(again) for e in (s.subject, s.object)])
            for s in own}  # fmt: skip
    known = {(s.subject.name, s.relation.name, s.object.name) for s in all_of(base)}
    assert {(s.subject.name, s.relation.name, s.object.name) for s in said} <= known


def all_of(kg):
    return list(kg.all_statements())


@given(ANY_ROWS)
def test_evidence_as_n_triples(rows):
    facts = [lines_fact(row) for row in rows]
    text = ntriples(facts)
    found = {
        Statement(Entity(t.subject.value), Relation(t.predicate.value), Entity(t.object.value))
        for t in ox.parse(text.encode(), format=ox.RdfFormat.N_TRIPLES)
    }
    assert found == set(facts)


@given(some.lists(ANYTHING, min_size=1, max_size=4, unique=True), ANYTHING)
def test_evidence_of_anything_is_one_triple_each(ids, value):
    facts = [Statement(Entity(one), Relation(one), Literal(value)) for one in ids]
    found = list(ox.parse(ntriples(facts).encode(), format=ox.RdfFormat.N_TRIPLES))
    assert {t.object.value for t in found} == {shown(value)}
    assert len(found) <= len(ids)


WORLD = from_rows(
    [FIRST, ("Foo [2005]", "born in", "Badtown"), ("Anna", "works with", "Foo [2005]")]
)
KNOWN = {s.subject.id for s in all_of(WORLD)} | {s.object.id for s in all_of(WORLD)}
WORLDS = [WORLD, UnionGraph([WORLD, small_graph()]), small_graph()]
RELATIONS = {s.relation for kg in (WORLD, small_graph()) for s in all_of(kg)}


STARTS = ["", "_:", lines.NAMES, f"{lines.NAMES}relation:", "http://www.wikidata.org/prop/direct/"]


@given(some.builds(str.__add__, some.sampled_from(STARTS), ANYTHING))
def test_around_an_id_that_is_not_there_is_nothing(text):
    assume(text not in KNOWN and not layout.full_id(text).startswith(layout.LOCAL))
    assume(not layout.property_id(layout.full_id(text)))
    thing = Entity(text)
    for kg in WORLDS:
        if kg.describe([text]) != [None]:
            continue  # one of the small graph's own
        assert kg.statements([thing]) == [[]]
        assert kg.relations_of([thing]) == [[]]
    for kg in WORLDS:
        (anna,) = kg.search(["Anna"], 1)[0] or [None]
        if anna:
            assert kg.statements([anna.entity], relation=Relation(text)) == [[]]
        assert kg.relation(text) in (None, *RELATIONS)
        hits = kg.search([text])[0]
        assert all(kg.describe([hit.entity.id])[0] for hit in hits)


@given(ANYTHING)
def test_a_malformed_relation_leads_nowhere(text):
    for start in ("", "http://www.wikidata.org/prop/direct/", "http://www.wikidata.org/prop/"):
        relation = Relation(start + text)
        assume(relation.id not in {s.relation.id for s in all_of(WORLD)})
        assert WORLD.statements([Entity(next(iter(KNOWN)))], relation=relation) == [[]]


CELLS = ANYTHING.map(str.strip).filter(bool)


@given(some.lists(some.tuples(CELLS, CELLS, CELLS), max_size=5))
def test_personal_facts_survive_export_and_import_or_are_refused(rows):
    assume(tuple(cell.casefold() for cell in (rows or [()])[0]) != preferences.COLUMNS)
    written = preferences.as_csv(rows)
    if any(len(cell) > 300 for row in rows for cell in row):
        with pytest.raises(SettingsError, match=r"^Line \d+ is too long"):
            preferences.parse(written)
    else:
        assert preferences.parse(written) == rows


@given(ANYTHING)
def test_any_file_of_personal_facts_is_read_or_refused(text):
    try:
        rows = preferences.parse(text)
        kg = preferences.graph_of(rows, small_graph())
    except (SettingsError, SourceRejected):
        return
    assert len(all_of(kg.graphs[0])) <= len(rows)


@given(some.lists(some.tuples(ANYTHING, ANYTHING, ANYTHING), min_size=1, max_size=4))
def test_rows_of_anything_become_facts_or_are_refused(rows):
    try:
        kg = from_rows(rows)
    except SourceRejected:
        return
    found = all_of(kg)
    assert 0 < len(found) <= len(rows)
    for s in found:
        assert s in kg.statements([s.subject], direction="out")[0]


@given(ANYTHING, ANYTHING)
def test_values_written_by_others_stay_one_value(text, language):
    """A label's language, or an address, is no way to write further triples."""
    at = Entity("x:a")
    for value in (Literal(text, STRING, language=language), Literal(text, layout.URL)):
        fact = Statement(at, Relation("http://www.wikidata.org/entity/P1705"), value)
        kg = EmbeddedGraph.build("one", [], [fact.relation], [fact])
        (found,) = all_of(kg)
        assert found.subject == at
        end = found.object
        assert (end.value if isinstance(end, Literal) else end.id) == shown(text)


@pytest.mark.parametrize("fact", [("[REC]", "likes", "[tea"), ("a", "born [in]", "b")])
def test_brackets_are_names_like_others(fact):
    kg = preferences.graph_of([fact], small_graph())
    (found,) = all_of(kg.graphs[0])
    assert (found.subject.name, found.relation.name, found.object.name) == fact


def test_a_fact_that_cannot_be_one_is_named():
    with pytest.raises(SourceRejected, match=r"Fact 2 .*http://a:b.* is not a full IRI"):
        from_rows([FIRST, ("http://a:b", "b", "c")])
