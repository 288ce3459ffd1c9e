import random
import threading
from collections import Counter

import pyoxigraph as ox
import pytest

from kgqa_core.errors import SourceRejected, SourceUnavailable
from kgqa_core.facts import verbalise
from kgqa_core.facts.terms import (
    BOOLEAN,
    DATE,
    DECIMAL,
    STRING,
    XSD,
    YEAR,
    Entity,
    Literal,
    Qualifier,
    Relation,
    Statement,
)
from kgqa_core.kg import layout
from kgqa_core.kg.base import WD
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.kg.layout import PREFIXES
from kgqa_core.kg.order import shares
from tests.kg.conformance import (
    BERLIN,
    BORN,
    ENTITIES,
    FILM,
    GERMANY,
    HUMAN,
    INSTANCE,
    RELATIONS,
    SIRK,
    SITE,
    START,
    STATEMENTS,
    Conformance,
    QueryConformance,
    entity,
    fact,
    races,
)

EX = "http://example.org/"


def build(statements=STATEMENTS, **kwargs):
    return EmbeddedGraph.build("world", ENTITIES, RELATIONS, statements, **kwargs)


class TestInMemory(Conformance, QueryConformance):
    @pytest.fixture(scope="class")
    @classmethod
    def kg(cls):
        return build()


class TestOnDisk(Conformance, QueryConformance):
    @pytest.fixture(scope="class")
    @classmethod
    def kg(cls, tmp_path_factory):
        folder = tmp_path_factory.mktemp("graph") / "store"
        build(path=folder)
        return EmbeddedGraph.open("world", folder)


@pytest.fixture(scope="module")
def world():
    return build()


def plain_rdf() -> EmbeddedGraph:
    store = ox.Store()
    store.load(
        input="""
        @prefix : <http://example.org/> .
        @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        :anna a :Person ; rdfs:label "Anna" ; :knows :ben , [ rdfs:label "somebody" ] ;
              :age 41 ; :born "1984-05-01"^^<http://www.w3.org/2001/XMLSchema#date> .
        :ben rdfs:label "Ben"@fr , "Benjamin"@en .
        :knows rdfs:label "knows" .
        """,
        format=ox.RdfFormat.TURTLE,
    )
    return EmbeddedGraph("plain", store)


def test_info_counts_what_is_there(world):
    info = world.info()
    kept = [s for s in STATEMENTS if s.rank != "deprecated"]
    assert info.statements == len(kept)
    assert info.relations == len({s.relation for s in kept})
    assert info.entities == len(ENTITIES)


def test_the_fingerprint_depends_on_the_facts_and_not_on_their_order(world):
    shuffled = random.Random(7).sample(STATEMENTS, len(STATEMENTS))
    assert build(shuffled).info().fingerprint == world.info().fingerprint
    assert build(STATEMENTS[1:]).info().fingerprint != world.info().fingerprint


def test_a_later_preferred_statement_outdoes_the_truthy_triple_of_an_earlier_one():
    one, two = entity(1, "one"), entity(2, "two")
    graph = build([fact(BERLIN, INSTANCE, one), fact(BERLIN, INSTANCE, two, rank="preferred")])
    assert graph.query("SELECT ?x { wd:Q64 wdt:P31 ?x }").rows == ((two,),)


def test_a_film_with_a_cast_does_not_come_before_what_it_is_called_like():
    """Things that everybody knows were numbered early; a film has more statements than they."""
    painting, film = entity(12418, "Mona Lisa"), entity(574057, "Mona Lisa")
    unknown = entity(112418, "Ulm"), entity(112419, "Ulm")
    told = [fact(painting, INSTANCE, BERLIN)]
    told += [fact(film, INSTANCE, entity(900 + n, f"kind {n}")) for n in range(4)]
    told += [fact(unknown[0], INSTANCE, BERLIN)]
    told += [fact(unknown[1], INSTANCE, entity(950 + n, f"sort {n}")) for n in range(3)]
    named = [painting, film, *unknown, *(s.object for s in told)]
    graph = EmbeddedGraph.build("world", list(dict.fromkeys(named)), RELATIONS, told)
    found = graph.search(["Mona Lisa", "Ulm"])
    assert [[hit.entity.id for hit in hits] for hits in found] == [
        [painting.id, film.id],
        [unknown[1].id, unknown[0].id],
    ]


def test_of_things_alike_by_name_catalogues_do_not_say_which_is_better_known():
    found = [
        [hit.entity.label for hit in races(catalogued=many).search(["Tour of Nowhere"], 3)[0]]
        for many in (0, 9)
    ]
    assert found[0][0] == "1995 Tour of Nowhere"
    assert found[1] == found[0]


def test_a_query_that_streams_stops_at_the_limit(world):
    table = world.query("SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }", limit=5)
    assert len(table.rows) == 5
    assert table.more


def test_a_slow_query_does_not_hold_up_other_threads(world):
    slow = "ASK { ?a ?b ?c . ?d ?e ?f FILTER(STRLEN(CONCAT(STR(?c), STR(?f))) = 99999) }"
    thread = threading.Thread(target=world.query, args=(slow,))
    thread.start()
    world.statements([BERLIN])
    assert thread.is_alive()
    thread.join()


def test_many_threads_read_the_same(world):
    expected = world.statements(ENTITIES)
    seen = []
    threads = [
        threading.Thread(target=lambda: seen.append(build_and_read(world))) for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [expected] * 6


def build_and_read(graph):
    graph.search(["Berlin", "Duglas Sirk"])
    return graph.statements(ENTITIES)


def test_rdf_without_wikidata_layout():
    graph = plain_rdf()
    anna, knows = "http://example.org/anna", "http://example.org/knows"
    [hit] = graph.search(["anna"])[0]
    assert hit.entity == Entity(anna)
    out = graph.statements([hit.entity], direction="out")[0]
    objects = {s.object for s in out if s.relation == Relation(knows)}
    assert Entity("http://example.org/ben") in objects
    assert {o.label for o in objects} == {"Benjamin", "somebody"}
    assert Literal("41", XSD + "integer") in {s.object for s in out}
    assert Literal("1984-05-01", XSD + "date") in {s.object for s in out}
    [into] = graph.statements([Entity("http://example.org/ben")], direction="in")[0]
    assert into == Statement(Entity(anna), Relation(knows), Entity("http://example.org/ben"))
    assert graph.relation("knows") == graph.relation(knows) == Relation(knows)
    assert graph.relation("age") == Relation("http://example.org/age")
    assert graph.relation("rdf-schema#label") is None
    nobody = next(o for o in objects if o.label == "somebody")
    assert len(graph.statements([nobody])[0]) == 1
    counts = {(u.relation.name, u.direction): u.count for u in graph.relations_of([hit.entity])[0]}
    assert counts == {
        ("knows", "out"): 2,
        ("type", "out"): 1,
        ("age", "out"): 1,
        ("born", "out"): 1,
    }


def test_truthy_triples_alone_are_statements():
    store = ox.Store()
    store.load(
        input="""
        @prefix wd: <http://www.wikidata.org/entity/> .
        @prefix wdt: <http://www.wikidata.org/prop/direct/> .
        @prefix wikibase: <http://wikiba.se/ontology#> .
        @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        wd:P31 wikibase:directClaim wdt:P31 ; rdfs:label "instance of"@en .
        wd:Q64 wdt:P31 wd:Q515 , [] .
        """,
        format=ox.RdfFormat.TURTLE,
    )
    graph = EmbeddedGraph("truthy", store)
    expected = [Statement(BERLIN, INSTANCE, Entity("http://www.wikidata.org/entity/Q515"))]
    assert graph.statements([BERLIN]) == [expected]
    assert graph.statements([BERLIN], relation=INSTANCE) == [expected]
    assert graph.statements([expected[0].object], direction="in") == [expected]
    assert graph.relations_of([BERLIN])[0][0].relation.label == "instance of"


def test_a_relation_outside_wikidata_becomes_a_plain_triple():
    likes = Relation("http://example.org/likes", "likes")
    liked = Statement(BERLIN, likes, GERMANY)
    graph = EmbeddedGraph.build("mine", [BERLIN, GERMANY], [likes], [liked])
    assert graph.statements([BERLIN]) == [[liked]]
    assert graph.relation("likes") == likes


def test_plain_values_keep_their_type():
    open_ = Relation("http://example.org/open", "open")
    told = Statement(BERLIN, open_, Literal("true", BOOLEAN))
    graph = EmbeddedGraph.build("mine", [BERLIN], [open_], [told])
    assert graph.statements([BERLIN]) == [[told]]


def test_an_id_that_is_no_iri_is_refused():
    with pytest.raises(SourceRejected, match="is not a full IRI"):
        EmbeddedGraph.build("bad", [Entity("not an iri", "x")], [], [])


def test_a_missing_folder_is_unavailable(tmp_path):
    with pytest.raises(SourceUnavailable, match="cannot be opened"):
        EmbeddedGraph.open("gone", tmp_path / "gone")


def test_a_folder_is_written_once_and_read_by_many(tmp_path):
    first, second = build(path=tmp_path / "store"), EmbeddedGraph.open("again", tmp_path / "store")
    assert first.statements(ENTITIES) == second.statements(ENTITIES)
    assert first.info().fingerprint == second.info().fingerprint == build().info().fingerprint
    with pytest.raises(SourceRejected, match="not empty"):
        build(path=tmp_path / "store")


def test_a_folder_that_cannot_be_made_is_unavailable(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(SourceUnavailable, match="Check the folder"):
        build(path=tmp_path / "file" / "store")


def test_a_large_hub_is_cut_and_counted():
    crowd = [entity(10_000 + i, f"one {i}") for i in range(6_000)]
    graph = EmbeddedGraph.build(
        "hub", [HUMAN, *crowd], [INSTANCE], [fact(one, INSTANCE, HUMAN) for one in crowd]
    )
    assert len(graph.statements([HUMAN], limit=500)[0]) == 500
    assert len(graph.statements([HUMAN], limit=5_500)[0]) == 5_500
    assert graph.relations_of([HUMAN])[0][0].count == 6_000


def test_identifiers_are_read_where_others_leave_room():
    catalogues = [Relation(f"{WD}P{n}", f"c {n}", datatype="externalid") for n in range(900, 940)]
    facts = [fact(SIRK, INSTANCE, entity(20_000 + i, f"kind {i}")) for i in range(30)]
    ids = [fact(SIRK, r, Literal("x1")) for r in catalogues]
    ends = [s.object for s in facts]
    graph = EmbeddedGraph.build("ids", [SIRK, *ends], [INSTANCE, *catalogues], [*ids, *facts])
    for limit, others, left in [(10, 10, 0), (30, 30, 0), (50, 30, 20), (500, 30, 40)]:
        (found,) = graph.statements([SIRK], direction="out", limit=limit)
        assert len([s for s in found if s.relation == INSTANCE]) == others
        assert len(found) == others + left


@pytest.mark.parametrize(
    ("sizes", "total", "given"),
    [
        ([], 5, []),
        ([3, 2], 10, [3, 2]),
        ([100, 3, 100], 23, [10, 3, 10]),
        ([5, 5, 5], 2, [1, 1, 0]),
        ([4], 0, [0]),
    ],
)
def test_places_are_shared_evenly(sizes, total, given):
    assert shares(sizes, total) == given


def test_quantities_in_any_notation():
    area = Relation("http://www.wikidata.org/entity/P2046", "area")
    graph = build([fact(BERLIN, area, Literal("+1.5e3", XSD + "double"))])
    assert graph.statements([BERLIN])[0][0].object == Literal("1500", DECIMAL)


def test_what_cannot_be_asked_for_is_not_taken_for_everything():
    """Ids that got into a store before they were checked, and terms that are no nodes."""
    anna, label = f"<{EX}anna>", f"<{layout.LABEL}>"
    data = f"""
        <{EX}Foo[2005]> <{EX}in> <{EX}bad> .
        {anna} <{EX}in> <{EX}good> .
        {anna} <{EX}with> <{EX}Foo[2005]> .
        {anna} <{EX}said> <<( {anna} <{EX}in> <{EX}bad> )>> .
        {anna} {label} "Anna" .
    """
    store = ox.Store()
    store.extend(ox.parse(input=data.encode(), format=ox.RdfFormat.N_TRIPLES, lenient=True))
    kg = EmbeddedGraph("old", store)
    (found,) = kg.statements([Entity(f"{EX}bad")])[0]
    assert (found.subject.id, found.subject.label) == (f"{EX}Foo[2005]", "")
    assert kg.statements([found.subject]) == [[]]
    assert kg.relations_of([found.subject]) == [[]]
    assert kg.describe([found.subject.id]) == [None]
    assert {s.object.name for s in kg.statements([Entity(f"{EX}anna")])[0]} == {
        "good", "Foo[2005]", f"{anna} <{EX}in> <{EX}bad>"
    }  # fmt: skip
    assert {s.subject.name for s in kg.all_statements()} == {"Anna", "Foo[2005]"}


def test_a_value_that_leads_nowhere_has_no_date_of_another():
    """Text where Wikidata's layout has a node: nothing hangs on it."""
    fact = Statement(SIRK, BORN, Literal("1897", YEAR))
    kg = EmbeddedGraph.build("one", [SIRK, FILM], [BORN, SITE], [fact])
    node = ox.NamedNode(f"{PREFIXES['wds']}odd")
    site = ox.NamedNode(PREFIXES["p"] + "P856")
    film = ox.NamedNode(FILM.id)
    kg._store.add(ox.Quad(film, site, node))
    kg._store.add(ox.Quad(node, ox.NamedNode(PREFIXES["ps"] + "P856"), ox.Literal("a b")))
    kg._store.add(ox.Quad(node, ox.NamedNode(PREFIXES["psv"] + "P856"), ox.Literal("a b")))
    kg._store.add(ox.Quad(film, site, ox.Literal("no node")))
    assert [s.object for s in kg.statements([FILM])[0]] == [Literal("a b")]


def test_parts_that_hold_a_separator_make_no_two_statements_one():
    """Statement nodes are named by their content."""
    near = ("x", STRING, "", "", "P580", "y")
    one = Statement(FILM, SITE, Literal("x"), (Qualifier(START, Literal("y")),))
    other = Statement(FILM, SITE, Literal("\0".join(near)))
    kg = EmbeddedGraph.build("one", [FILM], [SITE, START], [one, other])
    assert set(kg.statements([FILM])[0]) == {one, other}


def test_a_day_that_was_given_in_the_julian_calendar_is_told_in_it():
    caesar, died = Entity(f"{WD}Q1048", "Caesar"), Relation(f"{WD}P570", "date of death")
    day = Statement(caesar, died, Literal("-0044-03-13", DATE))  # as RDF counts it over
    lines = "".join(layout.write_statement(day))
    (node,) = {line.split()[2] for line in lines.splitlines() if "/value/P570" in line}
    store = ox.Store()
    calendar = f"{node} <{layout.TIME_CALENDAR}> <{layout.JULIAN}> .\n"
    store.load(input=(lines + calendar).encode(), format=ox.RdfFormat.N_TRIPLES)
    ((found,),) = EmbeddedGraph("old", store).statements([caesar])
    assert verbalise.statement(found).endswith("15 March 44 BC")


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ((-43, 3, 13), (-43, 3, 15)),
        ((1582, 10, 15), (1582, 10, 5)),
        ((1473, 2, 28), (1473, 2, 19)),
        ((1600, 3, 1), (1600, 2, 20)),
        ((1, 1, 1), (1, 1, 3)),
    ],
)
def test_days_of_the_two_calendars(ours, theirs):
    assert layout.to_julian(*ours) == theirs


def test_most_is_stated_of_what_most_facts_lead_away_from_whatever_names_it_has():
    """Ties go by id, as many as are asked for."""
    relation = Relation(WD + "P1", "has")
    many, names = 40, tuple(f"name {n}" for n in range(50))
    things = [Entity(f"{WD}Q{n}", f"thing {n}", "", names[: n % 50]) for n in range(1, many)]
    facts = [
        Statement(thing, relation, things[k])
        for n, thing in enumerate(things)
        for k in range(n % 7)
    ]
    kg = EmbeddedGraph.build("many", things, [relation], facts)
    names_of = {layout.LABEL, layout.ALIAS, layout.DESCRIPTION}
    counted = Counter(
        quad.subject.value
        for quad in kg._store.quads_for_pattern(None, None, None)
        if isinstance(quad.subject, ox.NamedNode) and quad.predicate.value not in names_of
    )
    expected = sorted(counted.items(), key=lambda one: (-one[1], one[0]))
    for most in (0, 1, 5, 6, 20, 10_000):
        assert [(e.id, n) for e, n in kg.most_stated(most)] == expected[:most]
