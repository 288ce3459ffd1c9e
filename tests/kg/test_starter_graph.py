"""Integrity of the bundled starter graph (assets/starter).

Whether its sources state what it says: `python -m tests.measure.starter_sources`.
"""

from __future__ import annotations

import re
from collections import defaultdict

import pytest

from kgqa_core.facts.terms import short_id
from kgqa_core.kg.layout import LOCAL
from kgqa_core.kg.starter import starter_graph
from tests.starter_rows import (
    DATE,
    ENTITY,
    PROPERTY,
    QUANTITY,
    STARTER,
    TEXT,
    URL,
    Fact,
    derived_humans,
    entities,
    entity_cells,
    facts,
    objects,
    properties,
    qualifier_pairs,
    table,
)

SIRK = "L1001"
TIME_QUALIFIERS = ("P580", "P585", "P582")


def test_sizes():
    assert len(entities()) >= 900
    assert len(facts()) >= 5000
    assert len({f.p for f in facts()}) >= 100
    assert sum(1 for f in facts() if f.qualifiers) >= 150
    dated = [f for f in facts() if DATE.fullmatch(f.value)]
    assert len(dated) >= 150


def test_headers():
    heads = {
        "entities.tsv": "id\tlabel\tdescription\taliases",
        "properties.tsv": "id\tlabel\tdescription\taliases\tdatatype",
        "sources.tsv": "id\tname\tlicence\taddress\tdescription",
    }
    for path in STARTER.glob("*.tsv"):
        expected = heads.get(path.name, "subject\tproperty\tvalue\tqualifiers\trank\tsource")
        assert path.read_text(encoding="utf-8").split("\n", 1)[0] == expected


@pytest.mark.parametrize(("name", "kind"), [("entities.tsv", "QL"), ("properties.tsv", "P")])
def test_ids_are_unique_ordered_labelled_and_described(name: str, kind: str):
    ids = [row[0] for row in table(name)]
    assert all(re.fullmatch(f"[{kind}]" + r"[1-9]\d*", i) for i in ids)
    assert len(ids) == len(set(ids))
    assert ids == sorted(ids, key=lambda i: (i[0] == "L", int(i[1:])))  # local ids last
    assert not [row[0] for row in table(name) if not row[1].strip() or not row[2].strip()]


def test_no_stray_characters():
    for path in STARTER.glob("*.tsv"):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for cell in line.split("\t"):
                assert cell == cell.strip(), f"{path.name}:{number}"
                assert "  " not in cell, f"{path.name}:{number}"


def test_aliases():
    for rows in (entities(), properties()):
        for key, row in rows.items():
            names = [a.casefold() for a in row[2].split(" | ")] if row[2] else []
            assert len(names) == len(set(names)), key
            assert "" not in names, key
            assert row[0].casefold() not in names, key


def test_same_label_has_different_descriptions():
    seen: dict[tuple[str, str], str] = {}
    for key, (label, description, _) in entities().items():
        pair = (label.casefold(), description.casefold())
        assert pair not in seen, (key, seen.get(pair))
        seen[pair] = key


def test_entity_cells_agree_with_the_entity_table():
    wrong = [
        (where, key, label)
        for where, key, label in entity_cells()
        if key not in entities() or entities()[key][0] != label
    ]
    assert not wrong


def test_every_entity_is_used():
    assert set(entities()) == {key for _, key, _ in entity_cells()}


def test_property_cells_agree_with_the_property_table():
    used = set()
    for fact in facts():
        for cell in [fact.prop, *(p for p, _ in qualifier_pairs(fact.qualifiers))]:
            match = PROPERTY.fullmatch(cell)
            assert match, (fact.where, cell)
            assert match[1] in properties(), (fact.where, cell)
            assert properties()[match[1]][0] == match[2], (fact.where, cell)
            used.add(match[1])
    assert used == set(properties())


def value_problem(prop: str, cell: str) -> str:
    """Empty when the value parses and suits the property's datatype."""
    datatype = properties()[prop.split(" ", 1)[0]][3]
    shape = {
        "wikibase-item": ENTITY,
        "time": DATE,
        "quantity": QUANTITY,
        "url": URL,
        "commonsMedia": URL,
    }.get(datatype, TEXT)
    return "" if shape.fullmatch(cell) else f"{cell!r} is no {datatype}"


def test_values_parse():
    wrong = [(f.where, problem) for f in facts() if (problem := value_problem(f.prop, f.value))]
    assert not wrong


def test_qualifiers_parse():
    for fact in facts():
        for prop, value in qualifier_pairs(fact.qualifiers):
            assert PROPERTY.fullmatch(prop), (fact.where, prop)
            assert not {"=", ";"} & set(value), fact.where
            assert not value_problem(prop, value), (fact.where, value)


def test_ranks():
    assert {f.rank for f in facts()} <= {"", "preferred", "deprecated"}


def test_every_statement_says_where_it_is_from():
    known = {row[0] for row in table("sources.tsv")}
    assert {f.source for f in facts()} == known


def test_no_duplicate_statements():
    seen: dict[tuple[str, ...], str] = {}
    for fact in facts():
        key = (fact.s, fact.p, fact.o, fact.qualifiers)
        assert key not in seen, (fact.where, seen.get(key))
        seen[key] = fact.where


def test_rows_of_one_subject_stand_together_in_one_file():
    home: dict[str, str] = {}
    last = ""
    for fact in facts():
        if fact.s != last:
            assert fact.s not in home, (fact.where, home.get(fact.s))
            home[fact.s] = fact.where
            last = fact.s


def time_key(fact: Fact) -> tuple[int, str] | None:
    """Year and rest of the time a row is about, from its qualifiers or its own value."""
    found = {p.split(" ", 1)[0]: v for p, v in qualifier_pairs(fact.qualifiers)}
    moment = next((found[p] for p in TIME_QUALIFIERS if p in found), None)
    if moment is None and DATE.fullmatch(fact.value) and properties()[fact.p][3] == "time":
        moment = fact.value
    if moment is None:
        return None
    match = re.fullmatch(r"(-?\d+)(.*)", moment)
    return (int(match[1]), match[2]) if match else None


def test_chronological_order():
    rows = defaultdict(list)
    for fact in facts():
        if (key := time_key(fact)) is not None:
            rows[fact.s, fact.p].append((key, fact.where))
    for series in rows.values():
        assert [k for k, _ in series] == sorted(k for k, _ in series), series


def test_periods_do_not_end_before_they_start():
    for fact in facts():
        found = {p.split(" ", 1)[0]: v for p, v in qualifier_pairs(fact.qualifiers)}
        if "P580" in found and "P582" in found and not found["P580"].startswith("-"):
            assert found["P580"][:4] <= found["P582"][:4], fact.where


def test_time_varying_values_are_there():
    """Several dated populations, office periods and yearly figures."""
    dated = defaultdict(int)
    for fact in facts():
        if time_key(fact) is not None:
            dated[fact.p] += 1
    assert dated["P1082"] >= 10
    assert dated["P39"] >= 30
    assert dated["P54"] >= 10


def one(*path: str) -> str:
    (found,) = objects(*path)
    return found


def period(subject: str, prop: str, value: str) -> tuple[str, str]:
    """Start and end of a statement."""
    (fact,) = (f for f in facts() if (f.s, f.p, f.o) == (subject, prop, value))
    found = {p.split(" ", 1)[0]: v for p, v in qualifier_pairs(fact.qualifiers)}
    return found["P580"], found["P582"]


def named(label: str) -> str:
    (key,) = (key for key, row in entities().items() if row[0] == label)
    return key


def areas(whole: str) -> dict[str, int]:
    return {lake: int(one(lake, "P2046")) for lake in objects(whole, "P527")}


def sirk_films() -> set[str]:
    return objects(named("Written on the Wind"), "P57", "^P57")


WORKED_EXAMPLES = {
    # 001
    "time zone of Salt Lake City": lambda: objects("Q23337", "P421") == {"Q3134980", "Q2212"},
    "stock exchanges of Siemens": lambda: (
        objects("Q81230", "P414") == {"Q13677", "Q151139", "Q661834", "Q819468"}
    ),
    "grandchildren of Jacques Cousteau": lambda: len(objects("Q83233", "P40", "P40")) == 4,
    "mayor of Berlin": lambda: objects("Q64", "P6") == {"Q102844"},
    "Barack Obama, child, Sasha Obama": lambda: "Q15070048" in objects("Q76", "P40"),
    # 002
    "Vaughan and the Jamjuree Art Gallery are in different countries": lambda: (
        one("Q44013", "P17") != one("Q11310084", "P17")
    ),
    "It's Hyorish is not older than Nasime Vasl": lambda: (
        one("Q11221611", "P577") > one("Q5679852", "P577")
    ),
    "Totti and Blasi were married for less than 25 years": lambda: (
        period("Q20110", "P26", "Q287186") == ("2005", "2022")
    ),
    "religion of the director of Demitri Cantemir": lambda: (
        objects("Q15709917", "P57", "P140") == {"Q35032"}
    ),
    "Dadvar was born in the Afsharid capital": lambda: (
        objects("Q1989119", "P19") == objects("Q63149558", "P36")
    ),
    "Tsutsui's alma mater is older than Newfoundland": lambda: (
        one("Q11603051", "P69", "P571") < one("Q2003", "P571")
    ),
    "Mjegull came out after the Perak War": lambda: (
        one("Q7166879", "P582") < one("Q13042955", "P577")
    ),
    "Shuisky and Frey died of the same": lambda: (
        objects("Q4527412", "P509") == objects("Q4889976", "P509") == {"L120"}
    ),
    "Jordan Motor Car Company ended before Kaká was born": lambda: (
        one("Q1703639", "P576") < one("Q531814", "P569")
    ),
    "Raggi left the council before Liau entered one": lambda: (
        period("Q23766020", "P39", "Q708492")[1] < period("Q65056127", "P39", "L141")[0]
    ),
    "Wendling is from where Porsche was formed": lambda: (
        objects(named("Dorothea Wendling"), "P19") == objects(named("Porsche"), "P740")
    ),
    "Melania Trump and Olga Kurylenko are both models": lambda: (
        objects(named("Melania Trump"), "P106") & objects(named("Olga Kurylenko"), "P106")
        == {"Q4610556"}
    ),
    "Holyfield took part in the games of Los Angeles": lambda: (
        objects(named("Evander Holyfield"), "P1344", "P276") == {"Q65"}
    ),
    "the author of Little Women lived at the 13th Amendment": lambda: (
        one("Q523076", "P50", "P569")
        < one(named("Thirteenth Amendment to the United States Constitution"), "P585")
        < one("Q523076", "P50", "P570")
    ),
    "Melahat Pars is from the country of doner kebab": lambda: (
        objects("Q12810805", "P27") == {"Q43"} and objects("Q20734", "P2012") == {"L242"}
    ),
    "Xuanxue is a philosophical movement of about 300": lambda: (
        (one("Q599057", "P31"), one("Q599057", "P571")) == ("Q2915955", "0300")
    ),
    "the Alaviyan Dome and the Dome of Soltaniyeh are apart": lambda: (
        one("Q5910145", "P276") != one("Q20645774", "P276")
    ),
    "Klatsmányi is a mechanical engineer": lambda: objects("Q1113547", "P106") == {"L213"},
    "Motzfeldt is a judge": lambda: (
        objects("Q947952", "P106") == {"Q16533"} and bool(objects("Q947952", "P39"))
    ),
    "Sandler and Jackson by religion": lambda: (
        (one("Q132952", "P140"), one("Q131324", "P140")) == ("Q9268", "Q483654")
    ),
    # 003
    "the largest of the five Great Lakes": lambda: (
        len(areas("Q7347")) == 5 and max(areas("Q7347"), key=areas("Q7347").get) == "Q1066"
    ),
    "the Andes and the Himalayas cover seven countries each": lambda: (
        len(objects("Q5456", "P17")) == len(objects("Q5451", "P17")) == 7
    ),
    "the last population of China": lambda: (
        [f.o for f in facts() if (f.s, f.p, f.rank) == ("Q148", "P1082", "preferred")]
        == ["1443497378"]
    ),
    "McCarthy and Simon worked on computers": lambda: (
        "Q82594" in objects("Q92739", "P106") & objects("Q181529", "P106")
    ),
    # 004
    "other films of the director of Written on the Wind": lambda: len(sirk_films()) == 13,
    "actors in the films of that director": lambda: (
        {"Rock Hudson", "Lauren Bacall", "Dorothy Malone", "Claudette Colbert", "Sandra Dee"}
        <= {entities()[a][0] for film in sirk_films() for a in objects(film, "P161")}
    ),
}


@pytest.mark.parametrize("example", WORKED_EXAMPLES)
def test_worked_examples_of_the_papers(example: str):
    assert WORKED_EXAMPLES[example]()


def test_humans_are_called_human():
    humans = {f.s for f in facts() if (f.p, f.o) == ("P31", "Q5")}
    assert sorted(derived_humans() - humans) == []


def test_local_ids():
    """The graph gives them an address of their own, and finds, describes and queries them."""
    graph = starter_graph()
    assert graph.describe([SIRK])[0] == graph.describe([LOCAL + SIRK])[0]
    (sirk,) = graph.describe([f"local:{SIRK}"])
    assert (sirk.id, sirk.name, short_id(sirk.id)) == (LOCAL + SIRK, "Douglas Sirk", SIRK)
    assert graph.describe(["L999999"]) == [None]
    assert graph.search(["Written on the Wind"])[0][0].entity.id.startswith(LOCAL)
    assert len(graph.statements([sirk], direction="in")[0]) == 13
    films = graph.query(f"SELECT ?f {{ ?f wdt:P57 local:{SIRK} ; p:P577/ps:P577 ?d }}")
    assert len(films.rows) == 13
    grandchildren = graph.query(
        "SELECT (COUNT(DISTINCT ?x) AS ?n) { wd:Q83233 wdt:P40/wdt:P40 ?x }"
    )
    assert grandchildren.rows[0][0].value == "4"


def test_fathers_and_mothers():
    """A mirrored parent is of the right sex, and nobody has two fathers or two mothers."""
    for prop, other in (("P22", "Q6581072"), ("P25", "Q6581097")):
        sexes = {(f.s, f.o) for f in facts() if f.p == "P21"}
        assert not [f.where for f in facts() if f.p == prop and (f.o, other) in sexes]
        children = [f.s for f in facts() if f.p == prop]
        assert len(children) == len(set(children))


def test_family_ties_go_both_ways():
    rows = {(f.s, f.p, f.o) for f in facts()}
    humans = objects("Q5", "^P31")
    for fact in facts():
        if fact.p in ("P26", "P3373") and fact.o in entities():
            assert (fact.o, fact.p, fact.s) in rows, fact.where
        if fact.p in ("P22", "P25") and fact.s in humans and fact.s[0] == fact.o[0] == "Q":
            assert (fact.o, "P40", fact.s) in rows, fact.where


def test_measures_have_units():
    measured = ("P2043", "P2044", "P2046", "P2048")
    assert not [f.where for f in facts() if f.p in measured and " " not in f.value]


def test_parts_of_a_country_are_no_countries():
    """So that counting countries by continent is right; each lies on one or two continents."""
    countries = objects("Q6256", "^P31")
    assert not countries & {"Q21", "Q22", "Q25", "Q26", "Q5705", "Q29999"}
    assert {entities()[c][0] for c in objects("Q3336843", "^P31")} == {
        "England",
        "Northern Ireland",
        "Scotland",
        "Wales",
    }
    assert all(1 <= len(objects(c, "P30")) <= 2 for c in countries)
    count = {"Q15": 54, "Q18": 12}
    assert {where: len(countries & objects(where, "^P30")) for where in count} == count


def test_genres_are_no_films():
    assert not objects("Q11424", "^P31") & objects("Q201658", "^P31")


def test_aliases_are_names():
    """No codes of other lists, no web addresses, no lone first names."""
    junk = r"[()\[\]{}]|^ISO |UN/LOCODE|^[A-Z]{2}-[A-Z]{2,3}$|\.(com|edu|org|net)$"
    short = {"UN", "EU", "UK", "US", "SF", "AI", "LA"}
    people = objects("Q5", "^P31")
    mononyms = {"Elvis", "Galileo", "Kobe", "Oprah"}
    for key, (label, _, aliases) in entities().items():
        for alias in aliases.split(" | ") if aliases else []:
            assert not re.search(junk, alias), (key, alias)
            assert len(alias) > 2 or alias in short, (key, alias)
            lone = key in people and alias == label.split()[0]
            assert not lone or alias in mononyms, (key, alias)
    assert "John" not in entities()["Q1299"][2].split(" | ")


def test_latest_values_are_preferred():
    """Where office holders or populations follow each other and the latest is known."""
    for subject, prop, value in [
        ("Q145", "P35", "Q43274"),
        ("Q30", "P35", "Q22686"),
        ("Q30", "P6", "Q22686"),
        ("Q142", "P35", "Q3052772"),
        ("Q1055", "P6", "Q971774"),
        ("Q148", "P35", "Q15031"),
        ("Q159", "P35", "Q7747"),
    ]:
        preferred = [f.o for f in facts() if (f.s, f.p, f.rank) == (subject, prop, "preferred")]
        assert preferred == [value]
    dated = defaultdict(list)
    for fact in facts():
        if fact.p == "P1082" and (key := time_key(fact)) is not None:
            dated[fact.s].append((key, fact.rank))
    for series in dated.values():
        if len(series) > 1:
            assert [rank for _, rank in sorted(series)][-1] == "preferred", series
