"""What every knowledge graph must do, in code: subclass, provide a `kg` fixture, run.

    class TestMyGraph(Conformance):
        @pytest.fixture(scope="class")
        @classmethod
        def kg(cls): return my_graph(ENTITIES, RELATIONS, STATEMENTS)

The world below is small, but has what goes wrong elsewhere: ranks, qualifiers, units, dates of
every precision, namesakes, a hub, and names that look like code.
"""

from collections.abc import Sequence

import pytest

from kgqa_core.errors import SourceRejected
from kgqa_core.facts import kinds, timeline
from kgqa_core.facts.terms import (
    BOOLEAN,
    DATE,
    DECIMAL,
    MONTH,
    STRING,
    URL,
    YEAR,
    Entity,
    Literal,
    Qualifier,
    Relation,
    Statement,
    far_end,
)
from kgqa_core.kg.base import KnowledgeGraph, Queryable, _on_request
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.kg.layout import PREFIXES

WD = "http://www.wikidata.org/entity/"


def entity(number: int, label: str, description: str = "", *aliases: str) -> Entity:
    return Entity(f"{WD}Q{number}", label, description, aliases)


def relation(number: int, label: str, *aliases: str) -> Relation:
    return Relation(f"{WD}P{number}", label, f"what “{label}” says", aliases)


def fact(
    subject: Entity, relation: Relation, value: Entity | Literal, *qualifiers: Qualifier, rank=""
) -> Statement:
    return Statement(subject, relation, value, qualifiers, rank or "normal")


def time(text: str) -> Literal:
    return Literal(text, (YEAR, MONTH, DATE)[text.lstrip("-").count("-")])


def number(text: str, unit: Entity | None = None) -> Literal:
    return Literal(text, DECIMAL, unit)


SIRK = entity(76716, "Douglas Sirk", "film director (1897–1987)", "Detlef Sierck", "Sirk, Douglas")
FILM = entity(1, "Written on the Wind", "American film of 1956")
SONG = entity(2, "Written on the Wind", "song by Roger Daltrey")
LATER = entity(3, "Imitation of Life", "American film of 1959", "Solange es Menschen gibt")
TOTTI = entity(104, "Francesco Totti", "Italian footballer", "The King of Rome")
BLASI = entity(105, "Ilary Blasi", "Italian presenter")
BERLIN = entity(64, "Berlin", "capital of Germany")
GERMANY = entity(183, "Germany", "country in Europe", "FRG", "Deutschland")
USA = entity(30, "United States", "country in America", "USA", "U.S.")
WOWEREIT = entity(501, "Klaus Wowereit", "German politician")
GIFFEY = entity(502, "Franziska Giffey", "German politician")
MULLER = entity(503, "Michael Müller", "German politician")
DIEPGEN = entity(504, "Eberhard Diepgen", "German politician")
CAESAR = entity(1048, "Julius Caesar", "Roman general", "Gaius Julius Caesar")
BRUTUS = entity(1049, "Brutus", "Roman senator")
PARIS = entity(90, "Paris", "capital of France", "City of Light")
TROJAN = entity(91, "Paris", "son of Priam")
FRANCE = entity(142, "France", "country in Europe")
SAO_PAULO = entity(174, "São Paulo", "city in Brazil")
SPIDER = entity(79037, "Spider-Man", "comic hero")
BEATLES = entity(1299, "The Beatles", "English band", "Fab Four")
HUMAN = entity(5, "human", "being")
KM2 = entity(712226, "square kilometre", "unit of area", "km²")
QUOTES = entity(601, 'The "Air Quotes" } UNION {', "a name with quotation marks \\ and braces")
MARKUP = entity(602, "<script>alert('x')</script> **bold**", "a name with markup")
EMOJI = entity(603, "🎬🐍", "a name without letters")
RTL = entity(604, "القاهرة", "a name from right to left")
TWO_LINES = entity(605, "first\nsecond\ttabbed", "a name on two lines")
NAMELESS = entity(606, "")
LONELY = entity(607, "Tristan Lonely", "nothing is known about it")
CROWD = [entity(700 + i, f"Extra {i:02}", "one of many") for i in range(15)]

INSTANCE = relation(31, "instance of", "is a")
COUNTRY = relation(17, "country", "state")
DIRECTOR = relation(57, "director", "directed by")
PERFORMER = relation(175, "performer")
SPOUSE = relation(26, "spouse", "married to", "partner")
PARTNER = relation(451, "unmarried partner", "partner")
MAYOR = relation(6, "head of government", "mayor")
AREA = relation(2046, "area")
PEOPLE = relation(1082, "population")
RELEASED = relation(577, "publication date")
BORN = relation(569, "date of birth")
DIED = relation(570, "date of death")
KILLER = relation(157, "killed by")
SITE = relation(856, "official website")
NATIVE = relation(1705, "native label")
START = relation(580, "start time")
END = relation(582, "end time")
POINT = relation(585, "point in time")
ROLE = relation(2868, "subject has role")
SAME = relation(1889, "different from")

ENTITIES: list[Entity] = [value for value in list(globals().values()) if isinstance(value, Entity)]
ENTITIES += CROWD
RELATIONS: list[Relation] = [v for v in list(globals().values()) if isinstance(v, Relation)]
NAMES_LIKE_CODE = [QUOTES, MARKUP, EMOJI, RTL, TWO_LINES]

MARRIAGE = fact(
    TOTTI,
    SPOUSE,
    BLASI,
    Qualifier(START, time("2005-06-19")),
    Qualifier(END, time("2022")),
)
MAYORS = [  # as they come back: preferred first, then by start, the undated last
    fact(BERLIN, MAYOR, GIFFEY, Qualifier(START, time("2021-12-21")), rank="preferred"),
    fact(
        BERLIN,
        MAYOR,
        DIEPGEN,
        Qualifier(START, time("1984-02-09")),
        Qualifier(END, time("1989-03")),
    ),
    fact(BERLIN, MAYOR, WOWEREIT, Qualifier(START, time("2001")), Qualifier(END, time("2014"))),
    fact(BERLIN, MAYOR, MULLER),
]
WRONG = fact(BERLIN, MAYOR, TOTTI, rank="deprecated")
POPULATIONS = [
    fact(BERLIN, PEOPLE, number("3755251"), Qualifier(POINT, time("2022-12")), rank="preferred"),
    fact(BERLIN, PEOPLE, number("3382169"), Qualifier(POINT, time("2000"))),
    fact(BERLIN, PEOPLE, number("3460725"), Qualifier(POINT, time("2010"))),
]
SIZE = fact(BERLIN, AREA, number("891.7", KM2))
IDES = fact(CAESAR, DIED, time("-0044-03-15"))
KILLED = fact(
    CAESAR,
    KILLER,
    BRUTUS,
    Qualifier(ROLE, HUMAN),
    Qualifier(ROLE, LONELY),
    Qualifier(POINT, time("-0044-03")),
    Qualifier(PEOPLE, number("23")),
)
STATEMENTS: list[Statement] = [
    MARRIAGE,
    fact(BLASI, SPOUSE, TOTTI),
    *reversed(MAYORS),
    WRONG,
    *reversed(POPULATIONS),
    SIZE,
    IDES,
    KILLED,
    fact(CAESAR, BORN, time("-0100")),
    fact(SIRK, BORN, time("1897-04-26")),
    fact(FILM, RELEASED, time("1956-12")),
    fact(LATER, RELEASED, time("1959")),
    fact(FILM, DIRECTOR, SIRK),
    fact(LATER, DIRECTOR, SIRK),
    fact(SONG, PERFORMER, BEATLES),
    fact(BERLIN, COUNTRY, GERMANY),
    fact(BERLIN, SITE, Literal("https://www.berlin.de/?a=b", URL)),
    fact(BERLIN, NATIVE, Literal("Berlin", STRING, language="de")),
    fact(GERMANY, NATIVE, Literal('Deutsch"land\n')),
    fact(PARIS, COUNTRY, FRANCE),
    fact(PARIS, PEOPLE, number("2145906")),
    fact(PARIS, AREA, number("105.4", KM2)),
    fact(TROJAN, INSTANCE, HUMAN),
    fact(SAO_PAULO, SAME, SAO_PAULO),
    fact(SPIDER, SAME, TOTTI),
    *(fact(one, SAME, HUMAN) for one in NAMES_LIKE_CODE),
    fact(NAMELESS, COUNTRY, GERMANY),
    fact(USA, SAME, GERMANY),
    *(fact(one, INSTANCE, HUMAN) for one in CROWD),
]

HOSTILE = [
    "Q1> . DELETE WHERE { ?s ?p ?o } #",
    '" } UNION { ?s ?p ?o } #',
    "'''\\",
    "{{{}}}",
    "line\nbreak\r\n\ttab",
    "\0\x1b[31m",
    "%s %d {0}",
    "x" * 10_000,
    "word " * 2_000,
    "",
    "   ",
    "'s",
    "the",
    "\\u0022",
    "\udc80",
]


def labels(hits: Sequence) -> list[str]:
    return [hit.entity.label for hit in hits]


def races(catalogued: int) -> EmbeddedGraph:
    """Six races alike by name, the last with more riders; the first is in so many catalogues."""
    tours = [entity(9000 + n, f"{1990 + n} Tour of Nowhere") for n in range(6)]
    riders = [entity(9100 + n, f"Rider {n}") for n in range(4)]
    took = Relation(f"{WD}P710", "participant", datatype="item")
    codes = [Relation(f"{WD}P{7000 + n}", f"Race {n} ID", datatype="externalid") for n in range(9)]
    ridden = [fact(tours[5], took, rider) for rider in riders]
    ridden += [fact(tour, took, riders[0]) for tour in tours[:5]]
    told = [fact(tours[0], code, Literal(str(n))) for n, code in enumerate(codes[:catalogued])]
    return EmbeddedGraph.build("races", [*tours, *riders], [took, *codes], [*ridden, *told])


class Conformance:
    """The verbs of `KnowledgeGraph`."""

    # -- kinds of relations ------------------------------------------------------------------

    @pytest.mark.parametrize(
        ("label", "kind"),
        [("official website", "url"), ("date of birth", "time"), ("country", "item"),
         ("area", "quantity")],
    )  # fmt: skip
    def test_a_relation_knows_what_it_leads_to(self, kg, label, kind):
        around = [use.relation for uses in kg.relations_of(ENTITIES) for use in uses]
        assert kinds.kind(next(r for r in around if r.label == label)) == kind

    # -- search ------------------------------------------------------------------------------

    def test_is_a_knowledge_graph(self, kg: KnowledgeGraph):
        assert isinstance(kg, KnowledgeGraph)
        assert kg.name

    def test_an_exact_label_scores_one_and_comes_with_its_description(self, kg):
        hit = kg.search(["Douglas Sirk"])[0][0]
        assert (hit.entity, hit.score, hit.matched) == (SIRK, 1.0, "Douglas Sirk")
        assert hit.entity.label == SIRK.label
        assert hit.entity.description == SIRK.description

    def test_an_exact_alias_scores_just_below(self, kg):
        hit = kg.search(["Detlef Sierck"])[0][0]
        assert hit.entity == SIRK
        assert hit.matched == "Detlef Sierck"
        assert 0.98 <= hit.score < 1

    @pytest.mark.parametrize(
        ("mention", "found"),
        [
            ("written on the wind", FILM),
            ("DOUGLAS SIRK", SIRK),
            ("Sao Paulo", SAO_PAULO),
            ("são  paulo", SAO_PAULO),
            ("Spiderman", SPIDER),
            ("spider man", SPIDER),
            ("Beatles", BEATLES),
            ("the fab four", BEATLES),
            ("the United States", USA),
            ("usa", USA),
            ("US", USA),
            ("Totti", TOTTI),
            ("Totti's", TOTTI),
            ("Francesco Totti’s", TOTTI),
            ("Caesar", CAESAR),
            ("Sirk Douglas", SIRK),
            ("Duglas Sirk", SIRK),
            ("Douglas Srik", SIRK),
            ("Francesco Toti", TOTTI),
            ("Writen on the Wind", FILM),
            ("Immitation of Lief", LATER),
            ("Michael Muller", MULLER),
            ("the film Imitation of Life", LATER),
        ],
    )
    def test_search_forgives(self, kg, mention, found):
        assert found in [hit.entity for hit in kg.search([mention])[0][:2]]

    def test_the_better_the_match_the_higher_the_score(self, kg):
        mentions = ["Douglas Sirk", "Detlef Sierck", "douglas sirk", "Sirk", "Duglas Sirk"]
        scores = [hits[0].score for hits in kg.search(mentions)]
        assert scores[:3] == sorted(scores[:3], reverse=True)
        assert max(scores[3:]) < scores[2]
        assert all(0 < score <= 1 for score in scores)

    @pytest.mark.parametrize("mention", ["qwertyuiop", "Zanzibar Quux", "Sir", "Tot", "8914321"])
    def test_junk_finds_nothing(self, kg, mention):
        assert kg.search([mention]) == [[]]

    def test_among_namesakes_the_one_with_more_statements_comes_first(self, kg):
        hits = kg.search(["Paris"])[0]
        assert [hit.entity for hit in hits] == [PARIS, TROJAN]
        assert [hit.score for hit in hits] == [1.0, 1.0]

    def test_search_keeps_order_and_shape_of_the_batch(self, kg):
        found = kg.search(["Berlin", "qwertyuiop", "Berlin", "Ilary Blasi"])
        assert [labels(hits)[:1] for hits in found] == [["Berlin"], [], ["Berlin"], ["Ilary Blasi"]]

    def test_search_gives_at_most_the_limit_best_first(self, kg):
        hits = kg.search(["Extra"], limit=4)[0]
        assert len(hits) == 4
        assert [h.score for h in hits] == sorted((h.score for h in hits), reverse=True)
        assert len({h.entity for h in hits}) == 4

    @pytest.mark.parametrize("named", NAMES_LIKE_CODE, ids=lambda e: e.id)
    def test_names_that_look_like_code_are_names(self, kg, named):
        hit = kg.search([named.label])[0][0]
        assert (hit.entity, hit.entity.label) == (named, named.label)

    @pytest.mark.parametrize("mention", HOSTILE, ids=range(len(HOSTILE)))
    def test_hostile_mentions_are_data(self, kg, mention):
        assert isinstance(kg.search([mention])[0], list)
        assert labels(kg.search(["Berlin"])[0])[0] == "Berlin"

    # -- describe ----------------------------------------------------------------------------

    def test_describe_takes_iris_and_short_ids(self, kg):
        found = kg.describe([SIRK.id, "Q76716", "Q999999999", NAMELESS.id])
        assert found == [SIRK, SIRK, None, NAMELESS]
        assert found[0].label == "Douglas Sirk"
        assert found[0].description == SIRK.description
        assert set(found[0].aliases) == set(SIRK.aliases)
        assert found[3].label == ""
        assert found[3].name == "Q606"

    @pytest.mark.parametrize("one", HOSTILE, ids=range(len(HOSTILE)))
    def test_hostile_ids_are_unknown_ids(self, kg, one):
        assert kg.describe([one, WD + one]) == [None, None]
        assert kg.statements([Entity(one)]) == [[]]
        assert kg.relations_of([Entity(WD + one)]) == [[]]
        assert kg.relation(one) is None
        assert kg.describe([BERLIN.id]) == [BERLIN]

    # -- statements --------------------------------------------------------------------------

    def test_a_statement_carries_qualifiers_labels_and_source(self, kg):
        [found] = kg.statements([TOTTI], direction="out", relation=SPOUSE)[0]
        assert found == MARRIAGE
        assert found.source
        assert found.subject.label == "Francesco Totti"
        assert found.object.label == "Ilary Blasi"
        assert found.relation.label == "spouse"
        assert [q.relation.label for q in found.qualifiers] == ["start time", "end time"]

    def test_dates_carry_the_precision_the_source_knows(self, kg):
        assert values(kg, SIRK, BORN) == [time("1897-04-26")]
        assert values(kg, FILM, RELEASED) == [time("1956-12")]
        assert values(kg, LATER, RELEASED) == [time("1959")]

    def test_years_before_christ(self, kg):
        assert values(kg, CAESAR, DIED) == [time("-0044-03-15")]
        assert values(kg, CAESAR, BORN) == [time("-0100")]

    def test_quantities_carry_their_unit(self, kg):
        [size] = values(kg, BERLIN, AREA)
        assert size == number("891.7", KM2)
        assert size.unit.label == "square kilometre"
        assert values(kg, PARIS, PEOPLE) == [number("2145906")]

    def test_texts_and_addresses(self, kg):
        assert values(kg, BERLIN, SITE) == [Literal("https://www.berlin.de/?a=b", URL)]
        [native] = values(kg, BERLIN, NATIVE)
        assert (native, native.language) == (Literal("Berlin"), "de")
        assert values(kg, GERMANY, NATIVE) == [Literal('Deutsch"land\n')]

    def test_several_values_of_one_qualifier(self, kg):
        [killed] = kg.statements([CAESAR], direction="out", relation=KILLER)[0]
        assert set(killed.qualifiers) == set(KILLED.qualifiers)

    def test_preferred_rank_comes_first_then_time_then_the_undated(self, kg):
        mayors = kg.statements([BERLIN], direction="out", relation=MAYOR)[0]
        assert mayors == MAYORS
        assert [s.rank for s in mayors] == ["preferred", "normal", "normal", "normal"]
        assert kg.statements([BERLIN], direction="out", relation=PEOPLE)[0] == POPULATIONS

    def test_deprecated_statements_are_left_out(self, kg):
        assert WRONG not in kg.statements([BERLIN])[0]
        assert WRONG not in kg.statements([TOTTI], direction="in")[0]
        assert MAYOR not in [u.relation for u in kg.relations_of([TOTTI])[0]]

    def test_both_directions(self, kg):
        out, into, both = (
            kg.statements([SIRK], direction="out")[0],
            kg.statements([SIRK], direction="in")[0],
            kg.statements([SIRK])[0],
        )
        assert [s.relation for s in out] == [BORN]
        assert [s.subject for s in into] == [LATER, FILM]  # by name
        assert both == out + into
        assert all(s.subject.label and s.object == SIRK for s in into)

    def test_statements_are_grouped_by_relation(self, kg):
        for group in kg.statements([BERLIN, CAESAR], direction="out"):
            relations = [s.relation for s in group]
            runs = [r for i, r in enumerate(relations) if i == 0 or relations[i - 1] != r]
            assert len(runs) == len(set(relations))

    def test_every_statement_comes_back_as_it_was_given(self, kg):
        for one in ENTITIES:
            expected = {s for s in STATEMENTS if s.subject == one and s.rank != "deprecated"}
            assert {in_any_order(s) for s in kg.statements([one], direction="out")[0]} == {
                in_any_order(s) for s in expected
            }

    def test_every_statement_is_found_from_its_far_end(self, kg):
        found = kg.statements(ENTITIES, direction="in")
        for one, statements in zip(ENTITIES, found, strict=True):
            expected = {s for s in STATEMENTS if s.object == one and s.rank != "deprecated"}
            assert {in_any_order(s) for s in statements} == {in_any_order(s) for s in expected}

    def test_a_loop_is_one_statement(self, kg):
        assert kg.statements([SAO_PAULO])[0] == [fact(SAO_PAULO, SAME, SAO_PAULO)]

    def test_what_a_qualifier_names_is_no_end_of_the_statement(self, kg):
        assert kg.statements([LONELY]) == [[]]

    def test_the_limit_holds_per_entity_and_direction(self, kg):
        human, germany = kg.statements([HUMAN, GERMANY], limit=2)
        assert len(human) == 2
        assert len([s for s in germany if s.object == GERMANY]) == 2
        assert len([s for s in germany if s.subject == GERMANY]) == 1

    def test_a_cut_leaves_something_of_every_relation(self, kg):
        found = kg.statements([HUMAN], direction="in", limit=8)[0]
        assert len(found) == 8
        assert {s.relation for s in found} == {INSTANCE, SAME}

    def test_a_hub_is_complete_within_the_limit(self, kg):
        found = kg.statements([HUMAN], direction="in", relation=INSTANCE)[0]
        assert {s.subject for s in found} == {TROJAN, *CROWD}

    def test_statements_keep_order_and_shape_of_the_batch(self, kg):
        unknown = Entity(WD + "Q999999999", "nobody")
        found = kg.statements([SIRK, unknown, TOTTI, SIRK], direction="out")
        assert [len(group) for group in found] == [1, 0, 1, 1]
        assert found[0] == found[3]

    def test_an_unknown_relation_leads_nowhere(self, kg):
        assert kg.statements([BERLIN], relation=Relation(WD + "P999999999", "nothing")) == [[]]

    # -- relations ---------------------------------------------------------------------------

    def test_relations_with_direction_count_and_examples(self, kg):
        uses = {(u.relation, u.direction): u for u in kg.relations_of([HUMAN])[0]}
        assert {key: use.count for key, use in uses.items()} == {
            (INSTANCE, "in"): 16,
            (SAME, "in"): 5,
        }
        extras = uses[INSTANCE, "in"].examples
        assert len(set(extras)) == 3
        assert set(extras) <= {"Paris", *(one.label for one in CROWD)}

    def test_relations_are_labelled_and_the_most_used_come_first(self, kg):
        uses = kg.relations_of([BERLIN])[0]
        assert [u.count for u in uses] == sorted((u.count for u in uses), reverse=True)
        assert all(u.relation.label for u in uses)
        by_relation = {u.relation: u for u in uses}
        assert by_relation[MAYOR].count == len(MAYORS)
        assert by_relation[AREA].examples == ("891.7 square kilometre",)

    def test_relations_of_keeps_order_and_shape_of_the_batch(self, kg):
        unknown = Entity(WD + "Q999999999", "nobody")
        assert [len(uses) for uses in kg.relations_of([SIRK, unknown, SIRK])] == [2, 0, 2]

    @pytest.mark.parametrize(
        "text",
        [
            "P57",
            WD + "P57",
            PREFIXES["wdt"] + "P57",
            PREFIXES["p"] + "P57",
            "director",
            "Director",
            "directed by",
        ],
    )
    def test_a_relation_by_iri_short_id_label_or_alias(self, kg, text):
        found = kg.relation(text)
        assert found == DIRECTOR
        assert (found.label, found.description) == (DIRECTOR.label, DIRECTOR.description)

    @pytest.mark.parametrize("text", ["P999999999", "no such relation", "", "Q64", "Berlin"])
    def test_what_is_no_relation(self, kg, text):
        assert kg.relation(text) is None

    def test_an_alias_of_two_relations_names_neither(self, kg):
        assert kg.relation("partner") is None
        assert kg.relation("married to") == SPOUSE

    # -- all ---------------------------------------------------------------------------------

    def test_empty_batches(self, kg):
        assert kg.search([]) == kg.describe([]) == kg.statements([]) == kg.relations_of([]) == []

    def test_requests_are_reported(self, kg):
        seen: list[int] = []
        token = _on_request.set(seen.append)
        try:
            kg.search(["Berlin"])
            searched = sum(seen)
            kg.statements([BERLIN])
        finally:
            _on_request.reset(token)
        assert 0 < searched < sum(seen)

    def test_info_names_the_graph_and_is_stable(self, kg):
        info = kg.info()
        assert info.name == kg.name
        assert info.fingerprint == kg.info().fingerprint != ""


class QueryConformance:
    """SPARQL, for sources that speak it."""

    def test_is_queryable(self, kg):
        assert isinstance(kg, Queryable)

    def test_select_gives_labelled_entities(self, kg):
        table = kg.query("SELECT ?film WHERE { ?film wdt:P57 wd:Q76716 } ORDER BY ?film")
        assert table.columns == ("film",)
        assert table.rows == ((FILM,), (LATER,))
        assert table.rows[0][0].label == "Written on the Wind"
        assert not table.more

    def test_ask_gives_one_boolean(self, kg):
        yes = kg.query("ASK { wd:Q104 wdt:P26 wd:Q105 }")
        no = kg.query("ask { wd:Q104 wdt:P26 wd:Q64 }")
        assert (yes.rows, no.rows) == (
            ((Literal("true", BOOLEAN),),),
            ((Literal("false", BOOLEAN),),),
        )

    def test_truthy_triples_are_the_best_rank_only(self, kg):
        assert kg.query("SELECT ?m { wd:Q64 wdt:P6 ?m }").rows == ((GIFFEY,),)
        everyone = kg.query("SELECT ?m { wd:Q64 p:P6/ps:P6 ?m }").rows
        assert {row[0] for row in everyone} == {GIFFEY, DIEPGEN, WOWEREIT, MULLER, TOTTI}

    def test_qualifiers_and_ranks(self, kg):
        table = kg.query(
            """SELECT ?who ?since WHERE {
                 wd:Q64 p:P6 ?s . ?s ps:P6 ?who ; pq:P580 ?since ; wikibase:rank ?rank
                 FILTER(?rank = wikibase:NormalRank)
               } ORDER BY ?since"""
        )
        assert [row[0] for row in table.rows] == [DIEPGEN, WOWEREIT]
        assert timeline.year(table.rows[0][1]) == 1984

    def test_value_nodes_know_precision_and_unit(self, kg):
        precise = kg.query("SELECT ?n { wd:Q1 p:P577/psv:P577/wikibase:timePrecision ?n }").rows
        assert [row[0].value for row in precise] == ["10"]
        table = kg.query(
            "SELECT ?a ?u { wd:Q64 p:P2046/psv:P2046 ?v ."
            " ?v wikibase:quantityAmount ?a ; wikibase:quantityUnit ?u }"
        )
        assert table.rows == ((number("891.7"), KM2),)

    def test_dates_compare(self, kg):
        table = kg.query('SELECT ?d { wd:Q1048 wdt:P570 ?d FILTER(?d < "0001-01-01"^^xsd:date) }')
        before = kg.query("SELECT ?f { ?f wdt:P577 ?d FILTER(YEAR(?d) < 1959) }")
        assert before.rows == ((FILM,),)
        assert not table.rows or timeline.year(table.rows[0][0]) == -44

    def test_labels_in_a_query(self, kg):
        table = kg.query('SELECT ?x ?l { ?x rdfs:label "Secret Service", ?l }')
        assert table.rows == ()
        [[label]] = kg.query("SELECT ?l { wd:Q174 rdfs:label ?l }").rows
        assert (label.value, label.language) == ("São Paulo", "en")

    def test_property_entities_lead_to_their_predicates(self, kg):
        table = kg.query(
            'SELECT ?f { ?p rdfs:label "director"@en ; wikibase:directClaim ?d . ?f ?d wd:Q76716 }'
        )
        assert {row[0] for row in table.rows} == {FILM, LATER}

    def test_unbound_cells_are_none(self, kg):
        table = kg.query("SELECT ?x ?y { VALUES ?x { wd:Q64 } OPTIONAL { ?x wdt:P57 ?y } }")
        assert table.rows == ((BERLIN, None),)

    def test_counting(self, kg):
        table = kg.query("SELECT (COUNT(?x) AS ?n) { ?x wdt:P31 wd:Q5 }")
        assert [cell.value for cell in table.rows[0]] == ["16"]

    def test_own_prefixes_may_be_declared(self, kg):
        own = "PREFIX e: <http://www.wikidata.org/entity/> SELECT ?x { e:Q104 wdt:P26 ?x }"
        assert kg.query(own).rows == ((BLASI,),)

    def test_rows_are_cut_at_the_limit(self, kg):
        every = "SELECT ?x { ?x wdt:P31 wd:Q5 }"
        assert len(kg.query(every, limit=16).rows) == 16
        assert not kg.query(every, limit=16).more
        assert len(kg.query(every, limit=15).rows) == 15
        assert kg.query(every, limit=15).more

    @pytest.mark.parametrize(
        "sparql",
        [
            "INSERT DATA { wd:Q64 wdt:P31 wd:Q5 }",
            "DELETE WHERE { ?s ?p ?o }",
            "LOAD <http://127.0.0.1:9/x>",
            "DROP ALL",
            "CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }",
            "DESCRIBE wd:Q64",
            "SELECT ?s { ?s ?p ?o } ; DELETE WHERE { ?s ?p ?o }",
            "SELECT ?s { SERVICE <http://127.0.0.1:9/sparql> { ?s ?p ?o } }",
            "SELECT ?s { service silent ?x { ?s ?p ?o } }",
            'SELECT ?s { BIND("\\"" AS ?q) SERVICE <http://127.0.0.1:9/> { ?s ?p ?o } }',
            "SELECT ?s { BIND(<http://a/#'> AS ?q) SERVICE <http://127.0.0.1:9/> { ?s ?p ?o } }",
            'SELECT ?s { # "\n SERVICE <http://127.0.0.1:9/> { ?s ?p ?o } }',
            "SELECT ?s { ?s ?p",
            "not a query",
            "",
        ],
    )
    def test_what_is_not_read_only_or_not_readable_is_refused(self, kg, sparql):
        with pytest.raises(SourceRejected) as refused:
            kg.query(sparql)
        assert str(refused.value)
        assert "\n" not in str(refused.value)
        assert refused.value.source == kg.name
        assert kg.query("ASK { wd:Q104 wdt:P26 wd:Q105 }").rows[0][0].value == "true"

    @pytest.mark.parametrize(
        "sparql",
        [
            'SELECT ?service { ?service rdfs:label "Secret Service"@en }',
            "SELECT ?x { ?x wdt:P57 wd:Q1 } # no SERVICE here",
            "PREFIX service: <http://www.wikidata.org/entity/> ASK { service:SERVICE ?p ?o }",
            "SELECT ?x { ?x ?p <http://example.org/SERVICE> }",
            "SELECT ?x { ?x rdfs:label '''it's a \"SERVICE\" ''' }",
        ],
    )
    def test_words_that_only_look_forbidden(self, kg, sparql):
        assert kg.query(sparql).rows in ((), ((Literal("false", BOOLEAN),),))


def values(kg: KnowledgeGraph, subject: Entity, relation: Relation) -> list:
    found = kg.statements([subject], direction="out", relation=relation)[0]
    return [far_end(s, subject) for s in found]


def in_any_order(s: Statement) -> tuple:
    return s.subject, s.relation, s.object, frozenset(s.qualifiers)
