"""What is shown of a graph, the way back, what is drawn and taken away."""

import csv
import io
from dataclasses import replace

import pyoxigraph as ox
import pytest

from kgqa_core.facts.terms import DATE, DECIMAL, Entity, Literal, Qualifier, Relation, Statement
from kgqa_core.kg.base import Table
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.render.graph import MOST_NODES
from kgqa_core.screens.explore import walk as exploration
from kgqa_core.screens.explore.walk import Exploration, Filter, Shown

WD = "http://www.wikidata.org/entity/"
FILM = Entity(WD + "Q1", "Written on the Wind", "film")
LATER = Entity(WD + "Q2", "Imitation of Life")
SIRK = Entity(WD + "Q3", "Douglas Sirk", "director")
HOSTILE = Entity(WD + "Q4", '=HYPERLINK("http://evil.example")<script>')
DIRECTOR = Relation(WD + "P57", "director")
AUTHOR = Relation(WD + "P50", "author")
DATE_OF = Relation(WD + "P577", "publication date")
POINT = Relation(WD + "P585", "point in time")
BY = Statement(FILM, DIRECTOR, SIRK)
LATER_BY = Statement(LATER, DIRECTOR, SIRK)
WRITTEN = Statement(FILM, AUTHOR, SIRK)
RELEASED = Statement(FILM, DATE_OF, Literal("1956-12-25", DATE))


def ids(view):
    return {node.id for node in view.nodes}


def test_every_step_can_be_undone_and_done_again():
    begun = Exploration().go(Shown().with_root(FILM))
    wider = begun.go(begun.now.with_facts([BY], [FILM.id]))
    assert wider.undo().now == begun.now
    assert wider.undo().undo().now == Shown()
    assert wider.undo().redo().now == wider.now
    assert wider.undo().undo().redo().redo() == wider


def test_a_new_step_forgets_what_was_undone():
    walk = Exploration().go(Shown().with_root(FILM)).undo().go(Shown().with_root(SIRK))
    assert walk.redo() == walk
    assert walk.now.roots == (SIRK,)


def test_nothing_changed_is_no_step():
    walk = Exploration().go(Shown().with_root(FILM))
    assert walk.go(walk.now.with_root(FILM)) is walk
    assert Exploration().undo() == Exploration() == Exploration().redo()


def test_an_entity_goes_with_what_only_it_led_to():
    shown = Shown().with_root(FILM).with_facts([BY, RELEASED, LATER_BY], [FILM.id])
    left = shown.without(FILM.id)
    assert left.facts == (LATER_BY,)
    assert set(left.entities) == {LATER.id, SIRK.id}
    assert left.opened == ()


def test_facts_are_counted_and_shown_once():
    shown = Shown().with_facts([BY, LATER_BY]).with_facts([BY, WRITTEN])
    assert shown.facts == (BY, LATER_BY, WRITTEN)
    assert exploration.relations_of(shown.facts) == [(DIRECTOR, 2), (AUTHOR, 1)]
    assert exploration.shown_of(shown.facts, SIRK.id, DIRECTOR, "in") == 2
    assert exploration.shown_of(shown.facts, SIRK.id, DIRECTOR, "out") == 0


@pytest.mark.parametrize(
    ("wanted", "passing"),
    [
        (Filter(), [BY, WRITTEN, RELEASED, LATER_BY]),
        (Filter((AUTHOR.id,)), [WRITTEN]),
        (Filter((), "out", FILM.id), [BY, WRITTEN, RELEASED]),
        (Filter((), "in", SIRK.id), [BY, WRITTEN, LATER_BY]),
        (Filter((DIRECTOR.id,), "out", FILM.id), [BY]),
        (Filter((), "in", ""), [BY, WRITTEN, RELEASED, LATER_BY]),
    ],
)
def test_a_filter_passes_relations_and_directions(wanted, passing):
    assert [fact for fact in (BY, WRITTEN, RELEASED, LATER_BY) if wanted(fact)] == passing


def test_nodes_hang_where_they_were_reached_from():
    shown = Shown().with_root(SIRK).with_facts([BY, RELEASED], [SIRK.id, FILM.id])
    view = exploration.view(shown)
    nodes = {node.label: node for node in view.nodes}
    assert nodes["Douglas Sirk"].anchor
    assert nodes["Written on the Wind"].parent == SIRK.id
    assert nodes["Written on the Wind"].state == "path"
    assert nodes["25 December 1956"].kind == "literal"
    assert nodes["25 December 1956"].depth == 2
    assert [edge.source for edge in view.edges] == [FILM.id, FILM.id]


def test_a_filter_hides_and_takes_nothing_away():
    shown = Shown().with_root(FILM).with_facts([BY, RELEASED])
    assert ids(exploration.view(shown, Filter((DIRECTOR.id,)))) == {FILM.id, SIRK.id}
    assert len(exploration.view(shown).edges) == 2


def test_no_more_is_drawn_than_there_is_room_for():
    many = [Statement(Entity(f"{WD}Q{n}"), DIRECTOR, SIRK) for n in range(10, 2000)]
    view = exploration.view(Shown().with_root(SIRK).with_facts(many))
    assert len(view.nodes) == MOST_NODES
    assert {end for e in view.edges for end in (e.source, e.target)} <= ids(view)


def test_a_result_is_drawn_with_the_facts_its_rows_speak_of():
    table = Table(("film", "date", "who"), ((FILM, Literal("1956-12-25", DATE), SIRK),))
    other = Statement(FILM, DATE_OF, Literal("1957", DATE))
    assert exploration.entities_in(table, 9) == [FILM, SIRK]
    assert exploration.facts_in(table, [BY, RELEASED, other, LATER_BY]) == [BY, RELEASED, LATER_BY]


def test_a_question_is_begun():
    assert exploration.question_about(SIRK) == "What is the … of Douglas Sirk?"
    assert exploration.question_about(SIRK, Relation("urn:r", "price in euros")) == (
        "What is the price in euros of Douglas Sirk?"
    )
    spoken = Relation("urn:r", "colours of old")
    assert exploration.question_about(SIRK, Relation("urn:r", "languages")) == (
        "What are the languages of Douglas Sirk?"
    )
    assert exploration.question_about(SIRK, spoken, many=True).startswith(
        "What are the colours of old"
    )
    asked = ("date of birth", "occupation", "sex or gender", "position held", "instance of", "")
    well = [exploration.asks_well(Relation("e:r", name)) for name in asked]
    assert well == [True, True, False, False, False, False]
    asked = ("speed", "applies to jurisdiction", "follows", "crew member(s)", "for work", "capital")
    well = [exploration.asks_well(Relation("e:r", name)) for name in asked]
    assert well == [True, False, False, False, False, True]
    columns = ("born", "place born", "owns", "owner", "languages")  # of tables of one's own
    well = [exploration.asks_well(Relation("e:r", name)) for name in columns]
    assert well == [False, False, False, True, True]
    assert (
        exploration.question_about(FILM, BY.relation)
        == "Who is the director of Written on the Wind?"
    )
    cast = Relation(WD + "P161", "cast member")
    assert (
        exploration.question_about(FILM, cast, many=True)
        == "Who are the cast members of Written on the Wind?"
    )
    origin = Relation(WD + "P495", "country of origin")
    assert (
        exploration.question_about(FILM, origin, many=True)
        == "What are the countries of origin of Written on the Wind?"
    )


def test_csv_has_names_and_ids_and_no_formulas():
    low = Statement(FILM, Relation(WD + "P1", "elevation"), Literal("-12", DECIMAL))
    text = exploration.csv_of([BY, Statement(HOSTILE, DIRECTOR, SIRK), low])
    rows = list(csv.DictReader(io.StringIO(text)))
    assert rows[0]["subject id"] == FILM.id
    assert rows[0]["object"] == "Douglas Sirk"
    assert rows[1]["subject"].startswith("'=")
    assert rows[2]["object"] == "-12"


def test_csv_has_every_detail_and_says_what_is_deprecated():
    year = Relation(WD + "P2", "year of release")
    details = tuple(Qualifier(year, Literal(str(1950 + n), DECIMAL)) for n in range(20))
    wrong = Statement(FILM, year, Literal("1955", DECIMAL), details, rank="deprecated")
    (row,) = csv.DictReader(io.StringIO(exploration.csv_of([wrong])))
    assert row["object"] == "1955"
    assert row["qualifiers"].startswith("deprecated; year of release: 1950; ")
    assert row["qualifiers"].endswith("year of release: 1969")


def test_a_table_as_csv_has_ids_beside_names():
    table = Table(("film", "n"), ((FILM, Literal("3", DECIMAL)), (None, None)))
    assert exploration.table_csv(table).splitlines() == [
        "film,film id,n",
        f"Written on the Wind,{FILM.id},3",
        ",,",
    ]


def test_ntriples_can_be_loaded_again_with_qualifiers_and_names():
    when = Qualifier(POINT, Literal("1956-01-01", DATE))
    facts = [Statement(FILM, DIRECTOR, SIRK, (when,)), Statement(HOSTILE, DIRECTOR, SIRK)]
    store = ox.Store()
    store.load(input=exploration.ntriples_of(facts).encode(), format=ox.RdfFormat.N_TRIPLES)
    again = EmbeddedGraph("again", store)
    assert set(again.statements([SIRK])[0]) == {
        Statement(FILM, DIRECTOR, SIRK, (when,)),
        Statement(HOSTILE, DIRECTOR, SIRK),
    }
    assert again.describe([HOSTILE.id])[0].label == HOSTILE.label


@pytest.mark.parametrize(
    "odd", ["http://x/a#b#c", "no scheme", "http://[::1/", "_:a b", "x:\ud800"]
)
def test_what_an_endpoint_names_otherwise_than_by_an_iri_is_exported_all_the_same(odd):
    unit = Literal("3", DECIMAL, Entity(odd + "u", "unit"))
    when = Qualifier(Relation(odd + "q", "when"), unit)
    fact = Statement(Entity(odd, "thing"), Relation(odd + "r", "says"), Entity(odd + "o"), (when,))
    store = ox.Store()
    lines = exploration.ntriples_of([fact, replace(fact, object=unit)])
    store.load(input=lines.encode(), format=ox.RdfFormat.N_TRIPLES)
    again = EmbeddedGraph("again", store)
    ((hit,),) = again.search(["thing"])
    told = [(s.relation.name, s.object.name) for s in again.statements([hit.entity])[0]]
    assert ("says", "3") in told
    assert len(told) == 2


def test_a_name_of_several_lines_is_one_line_of_what_is_told_about_it():
    long = Entity(WD + "Q9", "first\n\nsecond", "about\nit")
    view = exploration.view(Shown().with_root(long), Filter())
    assert view.nodes[0].title.split("\n") == ["first second", "Q9", "about it"]


def test_a_value_that_is_not_what_it_says_is_still_exported():
    broken = Statement(FILM, DATE_OF, Literal("soon", DECIMAL))
    assert '"soon"' in exploration.ntriples_of([broken])
