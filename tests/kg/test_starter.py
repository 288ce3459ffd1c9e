import json
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from kgqa_core.errors import SourceError
from kgqa_core.facts.check import findings
from kgqa_core.facts.terms import DATE, DECIMAL, MONTH, STRING, URL, YEAR, Literal, short_id
from kgqa_core.kg import kinds, starter
from kgqa_core.kg.folder import ABOUT, HOW_MANY, MOST_STATED
from kgqa_core.kg.kinds import known
from kgqa_core.kg.labels import fold
from kgqa_core.kg.starter import (
    FOLDER,
    begin_starter,
    load_starter,
    open_starter,
    starter_graph,
)
from kgqa_core.places import ASSETS
from kgqa_core.settings import Settings
from kgqa_core.shell.main import main

FILES = {
    "entities.tsv": """\
id	label	description	aliases
Q64	Berlin	capital of Germany	Spree-Athen | Berlin, Germany
Q183	Germany	country	
Q828224	kilometre	unit	km
Q501	Klaus Wowereit	politician
""",
    "properties.tsv": """\
id	label	description	aliases	datatype
P6	head of government	who governs	mayor	wikibase-item
P580	start time	since when		time
P582	end time	until when		time
P571	inception	when it began		time
P1082	population	how many live there		quantity
P2043	length	how long	long	quantity
P856	official website	address	homepage	url
P1705	native label	its own name		monolingualtext
""",
    "facts_places.tsv": """\
subject	property	value	qualifiers	rank
Q64 Berlin	P6 head of government	Q501 Klaus Wowereit	P580=2001-06; P582=2014	preferred
Q64 Berlin	P6 head of government	Q183 Germany		deprecated
Q64	P571 inception	1237-10-28
Q64 Berlin	P1082 population	1897	P580 start time=1712; P1705 native label="a; b=c"

Q64 Berlin	P2043 length	45.5 Q828224 kilometre
Q64 Berlin	P856 official website	<https://berlin.de>
Q64 Berlin	P1705 native label	"Berlin"@de
Q183 Germany	P1705 native label	"say ""x"" or not"
""",
    "facts_time.tsv": """\
subject	property	value	qualifiers	rank
Q183 Germany	P571 inception	-0044-03-15		
Q183 Germany	P571 inception	-0044		
Q183 Germany	P571 inception	1871-01		
""",
}  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def values(kg, subject, relation):
    [statements] = kg.statements(
        kg.describe([subject]), direction="out", relation=kg.relation(relation)
    )
    return [s.object for s in statements]


def test_entities_and_properties(folder):
    kg = load_starter(folder)
    assert kg.name == "starter"
    [berlin] = kg.describe(["Q64"])
    assert (berlin.label, berlin.description) == ("Berlin", "capital of Germany")
    assert berlin.aliases == ("Berlin, Germany", "Spree-Athen")
    assert kg.relation("mayor").label == "head of government"
    assert kg.info().statements == 10


def test_values_of_every_kind(folder):
    kg = load_starter(folder)
    assert values(kg, "Q64", "P571") == [Literal("1237-10-28", DATE)]
    assert values(kg, "Q64", "P1082") == [Literal("1897", DECIMAL)]
    [length] = values(kg, "Q64", "P2043")
    assert (length.value, length.unit.label) == ("45.5", "kilometre")
    assert values(kg, "Q64", "P856") == [Literal("https://berlin.de", URL)]
    [native] = values(kg, "Q64", "P1705")
    assert (native.value, native.datatype, native.language) == ("Berlin", STRING, "de")
    assert values(kg, "Q183", "P1705") == [Literal('say ""x"" or not')]
    assert set(values(kg, "Q183", "P571")) == {
        Literal("-0044-03-15", DATE),
        Literal("-0044", YEAR),
        Literal("1871-01", MONTH),
    }


def test_qualifiers_and_ranks(folder):
    kg = load_starter(folder)
    [mayor] = kg.statements(kg.describe(["Q64"]), relation=kg.relation("P6"))[0]
    assert mayor.rank == "preferred"
    assert mayor.source == "starter"
    assert [(short_id(q.relation.id), q.value) for q in mayor.qualifiers] == [
        ("P580", Literal("2001-06", MONTH)),
        ("P582", Literal("2014", YEAR)),
    ]
    [people] = kg.statements(kg.describe(["Q64"]), relation=kg.relation("population"))[0]
    assert [q.value for q in people.qualifiers] == [
        Literal("1712", YEAR),
        Literal("a; b=c"),
    ]


@pytest.mark.parametrize(
    ("file", "old", "new", "complaint"),
    [
        ("facts_time.tsv", "-0044-03-15", "44 BC", "line 2: “44 BC” is not a date"),
        ("facts_time.tsv", "1871-01", "1871-13", "line 4: “1871-13” is not a date"),
        ("facts_time.tsv", "-0044\t", "0000\t", "line 3: “0000” is not a date"),
        ("facts_time.tsv", "P571", "P999", "line 2: P999 is not in properties.tsv"),
        ("facts_time.tsv", "Q183", "Q99", "line 2: Q99 is not in entities.tsv"),
        ("facts_time.tsv", "Q183 Germany", "Germany", "line 2: “Germany” does not begin"),
        ("facts_time.tsv", "\trank", "\tgrade", "line 1: the heading must be"),
        ("facts_time.tsv", "-0044\t\t\n", "-0044\t\tgood\n", "line 3: “good” is not a rank"),
        ("facts_time.tsv", "-0044\t\t\n", "-0044\t\t\tx\n", "line 3: 6 cells instead of 5"),
        ("facts_places.tsv", "P582=", "P582 ", "line 2: the qualifier “P582 2014”"),
        ("facts_places.tsv", '"Berlin"@de', "Berlin", "line 9: “Berlin” is not a value"),
        ("facts_places.tsv", "Q828224", "Q828225", "line 7: Q828225 is not in entities.tsv"),
        ("entities.tsv", "Q183", "183", "line 3: “183” does not begin with an id"),
        ("properties.tsv", "P582", "", "line 4: “” does not begin with an id"),
    ],
)  # fmt: skip
def test_a_broken_line_is_named(folder, file, old, new, complaint):
    text = FILES[file]
    assert old in text
    (folder / file).write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(SourceError) as error:
        load_starter(folder)
    assert str(error.value).startswith(f"{file}, {complaint}")
    assert "install the app again" in str(error.value)
    assert "\n" not in str(error.value)


def test_bytes_that_are_no_text(folder):
    (folder / "facts_time.tsv").write_bytes(b"subject\tproperty\n\xff\xfe")
    with pytest.raises(SourceError, match=r"facts_time\.tsv, line \d: not UTF-8 text"):
        load_starter(folder)


def test_a_missing_file_is_named(folder):
    (folder / "properties.tsv").unlink()
    with pytest.raises(SourceError, match=r"properties\.tsv cannot be read .*install"):
        load_starter(folder)


def test_windows_line_ends_and_byte_order_mark(folder):
    for name, text in FILES.items():
        (folder / name).write_bytes(("\ufeff" + text.replace("\n", "\r\n")).encode())
    assert load_starter(folder).info().statements == 10


@pytest.mark.skipif(not list(FOLDER.glob("facts_*.tsv")), reason="no starter graph yet")
def test_the_starter_graph_is_there():
    kg = starter_graph()
    assert kg.info().statements > 1_000
    assert Path(FOLDER).is_dir()


def test_each_fact_says_where_it_is_from(folder):
    head = "id\tname\tlicence\taddress\tdescription\n"
    (folder / "sources.tsv").write_text(f"{head}book\ttextbook\tCC0\t\tknown\n", encoding="utf-8")
    for file in folder.glob("facts_*.tsv"):
        first, *rows = FILES[file.name].splitlines()
        rows = ["\t".join([*(row.split("\t") + [""] * 4)[:5], "book"]) for row in rows if row]
        file.write_text("\n".join([f"{first}\tsource", *rows]), encoding="utf-8")
    kg = load_starter(folder)
    assert {s.origin for s in kg.all_statements()} == {"textbook"}
    text = (folder / "facts_time.tsv").read_text(encoding="utf-8")
    (folder / "facts_time.tsv").write_text(text.replace("book", "boook", 1), encoding="utf-8")
    with pytest.raises(SourceError, match=r"line 2: “boook” is not in sources\.tsv"):
        load_starter(folder)


def rows_of(kg):
    return {(s, s.rank, s.origin) for s in kg.all_statements()}


def test_what_was_built_is_kept_and_opened_again(folder, tmp_path):
    kept = tmp_path / "kept"
    kg = open_starter(kept, folder)
    assert open_starter(tmp_path / "elsewhere", folder) is kg  # a process opens it once
    assert rows_of(kg) == rows_of(load_starter(folder))
    told, found = kg.info(), load_starter(folder).info()
    assert (told.entities, told.statements) == (4, found.statements)
    assert kg.search(["Spree-Athen"])[0][0].entity.label == "Berlin"
    about = json.loads((kept / told.fingerprint / ABOUT).read_text(encoding="utf-8"))
    counted = [(entity.id, count) for entity, count in kg.most_stated(HOW_MANY)]
    assert [tuple(one) for one in about[MOST_STATED]] == counted
    assert kg.most_stated(2) == load_starter(folder).most_stated(2)
    assert [place.name for place in kept.iterdir()] == [told.fingerprint]


def test_it_is_built_beside_and_waited_for(folder, tmp_path):
    text = FILES["facts_places.tsv"].replace("2014", "2009")
    (folder / "facts_places.tsv").write_text(text, encoding="utf-8")
    kept = tmp_path / "kept"
    assert begin_starter(kept, folder)
    kg = open_starter(kept, folder)
    assert rows_of(kg) == rows_of(load_starter(folder))
    assert not begin_starter(kept, folder)  # it is there
    assert [place.name for place in kept.iterdir()] == [kg.info().fingerprint]


def test_each_graph_that_comes_with_the_app_is_stored_beside_its_first_start(tmp_path, monkeypatch):
    monkeypatch.setattr(starter, "STORED", tmp_path / "nowhere")
    monkeypatch.setattr(starter, "_OPEN", {})
    monkeypatch.setattr(starter, "_BEGUN", {})
    data = Settings(_env_file=None, data_dir=tmp_path)
    try:
        for name in ("known", "starter"):
            assert kinds.begin_graph(name, data)
    finally:
        for process in starter._BEGUN.values():
            process.terminate()
            process.wait()


def test_what_an_installation_prepared_is_opened_whatever_the_data_folder(
    folder, tmp_path, monkeypatch, capsys
):
    text = FILES["facts_places.tsv"].replace("2014", "2008")
    (folder / "facts_places.tsv").write_text(text, encoding="utf-8")
    (tmp_path / "known").symlink_to(folder)
    monkeypatch.setattr(known, "ASSETS", tmp_path)
    monkeypatch.setattr(starter, "STORED", tmp_path / "stored")
    assert main(["prepare"]) == 0
    prepared = Path(capsys.readouterr().out.strip())
    data = Settings(_env_file=None, data_dir=tmp_path / "data")
    assert not kinds.begin_graph("known", data)
    kg = kinds.open_graph("known", data)
    assert rows_of(kg) == rows_of(load_starter(tmp_path / "known"))
    assert prepared.name == kg.info().fingerprint
    assert not (tmp_path / "data").exists()


def test_what_cannot_be_prepared_is_said(folder, tmp_path, monkeypatch):
    (tmp_path / "stored").write_text("a file")
    monkeypatch.setattr(starter, "STORED", tmp_path / "stored")
    with pytest.raises(SourceError, match="the first start stores it in the data folder"):
        starter.prepare(folder, "small")


def test_what_cannot_be_built_beside_says_why_when_it_is_opened(folder, tmp_path):
    text = FILES["facts_places.tsv"].replace("2014", "P2014")
    (folder / "facts_places.tsv").write_text(text, encoding="utf-8")
    begin_starter(tmp_path / "kept", folder)
    with pytest.raises(SourceError, match=r"facts_places\.tsv, line 2: “P2014” is not a date"):
        open_starter(tmp_path / "kept", folder)


def test_changed_files_are_built_anew_and_the_old_store_goes(folder, tmp_path):
    kept = tmp_path / "kept"
    (kept / "of an earlier version").mkdir(parents=True)

    def opened(year):
        text = FILES["facts_places.tsv"].replace("2014", year)
        (folder / "facts_places.tsv").write_text(text, encoding="utf-8")
        return open_starter(kept, folder)

    before = opened("2011")
    assert [place.name for place in kept.iterdir()] == [before.info().fingerprint]
    after = opened("2013")
    assert before.info().fingerprint != after.info().fingerprint
    # the one that this program still reads, stays for it
    assert before.search(["Spree-Athen"])[0][0].entity.label == "Berlin"
    assert {place.name for place in kept.iterdir()} == {
        before.info().fingerprint, after.info().fingerprint
    }  # fmt: skip


def test_a_folder_that_cannot_be_written_is_said(folder, tmp_path, caplog):
    (tmp_path / "kept").write_text("a file")
    text = FILES["facts_places.tsv"].replace("2014", "2012")
    (folder / "facts_places.tsv").write_text(text, encoding="utf-8")
    kg = open_starter(tmp_path / "kept", folder)
    assert len(rows_of(kg)) == 10
    assert "is not kept in" in caplog.text


@pytest.mark.scale
def test_the_larger_graph_has_what_people_ask_about(tmp_path):
    kg = kinds.open_graph("known", Settings(data_dir=tmp_path))
    about = kg.info()
    assert (about.name, about.statements > 60_000, about.entities > 12_000) == ("known", True, True)
    (found,) = kg.search(["Mont Blanc"])
    assert found[0].entity.label == "Mont Blanc"
    (facts,) = kg.statements([found[0].entity], direction="out")
    assert all(fact.origin for fact in facts)
    assert [f.text for f in findings(load_starter(ASSETS / "known").all_statements())] == []


def test_nobody_among_the_well_known_goes_by_the_name_of_another_one():
    rows = [
        line.split("\t")
        for file in sorted((ASSETS / "known").glob("facts_*.tsv"))
        for line in file.read_text(encoding="utf-8").splitlines()
    ]
    human = {row[0].split()[0] for row in rows if row[1:3] == ["P31 instance of", "Q5 human"]}
    lines = (ASSETS / "known" / "entities.tsv").read_text(encoding="utf-8").splitlines()
    people = [cells for line in lines if (cells := line.split("\t"))[0] in human]
    names = {fold(cells[1]) for cells in people}
    assert len(people) > 2_000
    wrong = [
        f"{cells[1]}: {alias}"
        for cells in people
        for alias in cells[3].split(" | ")
        if " " in alias
        and fold(alias) in names
        and not {*fold(alias).split()} & {*fold(cells[1]).split()}
    ]
    assert wrong == []


def test_the_well_known_has_seven_continents_and_countries_that_lie_in_nothing():
    rows = [
        line.split("\t")
        for file in sorted((ASSETS / "known").glob("facts_*.tsv"))
        for line in file.read_text(encoding="utf-8").splitlines()
    ]
    kinds = {(row[0], row[2]) for row in rows if row[1] == "P31 instance of"}
    assert len([of for of, kind in kinds if kind == "Q5107 continent"]) == 7
    countries = {of for of, kind in kinds if kind == "Q6256 country"}
    assert len(countries) > 190
    lies = ("P17 country", "P131 located in the administrative territorial entity")
    assert [row[:3] for row in rows if row[0] in countries and row[1] in lies] == []
    assert sum(row[5] == "textbook" for row in rows) <= 2_000


def test_titles_are_as_many_as_everybody_knows():
    rows = [
        line.split("\t")
        for line in (ASSETS / "known" / "facts_sport.tsv").read_text(encoding="utf-8").splitlines()
    ]
    of = {row[0]: row[2].split(" ", 1)[1] for row in rows if row[1].startswith("P3450 ")}
    won = Counter(
        (of[row[0]], row[2].split(" ", 1)[1])
        for row in rows
        if row[1] == "P1346 winner" and row[0] in of
    )
    for competition, winner, times in (
        ("French Open", "Rafael Nadal", 14),
        ("Wimbledon Championships", "Martina Navratilova", 9),
        ("Wimbledon Championships", "Roger Federer", 8),
        ("Australian Open", "Serena Williams", 7),
        ("Formula One", "Michael Schumacher", 7),
        ("Formula One", "Juan Manuel Fangio", 5),
        ("Tour de France", "Eddy Merckx", 5),
        ("UEFA Champions League", "Real Madrid CF", 14),  # to 2023
        ("UEFA European Championship", "Spain", 4),
        ("Super Bowl", "Pittsburgh Steelers", 6),
        ("Eurovision Song Contest", "Ireland", 7),
        ("World Series", "New York Yankees", 27),
    ):
        assert won[competition, winner] == times, (competition, winner)


def test_divisions_of_countries_are_there_one_and_all():
    rows = [
        line.split("\t")
        for file in sorted((ASSETS / "known").glob("facts_*.tsv"))
        for line in file.read_text(encoding="utf-8").splitlines()
    ]
    number = {
        (row[0].split(" ", 1)[1], row[2].split(" ", 1)[1]): int(row[3].partition("=")[2])
        for row in rows
        if row[1].startswith("P527 ") and row[3].startswith("P1114 ")
    }
    lies = {(row[0], row[2].split(" ", 1)[1]) for row in rows if row[1].startswith("P131 ")}
    of = defaultdict(set)
    for row in rows:
        if row[1].startswith("P31 ") and " of " in row[2]:
            kind, _, place = row[2].split(" ", 1)[1].partition(" of ")
            of[place.removeprefix("the "), kind.removeprefix("federated ")].add(row[0])
    whole = "Australia Austria Brazil Canada India Italy Japan Mexico Spain Switzerland".split()
    found = {(place, kind) for place, kind in number if place in whole and (place, kind) in of}
    assert {place for place, _ in found} >= {*whole} - {"Austria"}  # a federal state is a state
    for place, kind in found:
        assert len(of[place, kind]) == number[place, kind], (place, kind)
        assert all((thing, place) in lies for thing in of[place, kind]), (place, kind)


def test_states_of_the_us_border_each_other_both_ways():
    rows = [
        line.split("\t")
        for file in sorted((ASSETS / "known").glob("facts_*.tsv"))
        for line in file.read_text(encoding="utf-8").splitlines()
    ]
    states = {row[0] for row in rows if row[1:3] == ["P31 instance of", "Q35657 U.S. state"]}
    borders = {(row[0], row[2]) for row in rows if row[1] == "P47 shares border with"}
    between = {(a, b) for a, b in borders if a in states and b in states}
    assert {a for a, _ in between} >= states - {"Q782 Hawaii", "Q797 Alaska"}
    assert {(b, a) for a, b in between} == between


def test_flags_symbols_and_days_of_countries_are_of_their_kind():
    rows = [
        line.split("\t")
        for file in sorted((ASSETS / "known").glob("facts_*.tsv"))
        for line in file.read_text(encoding="utf-8").splitlines()[1:]
    ]
    kinds = {(s, o) for s, p, o, *_ in rows if p.startswith("P31 ")}
    dated = {s for s, p, *_ in rows if p.startswith("P837 ")}
    coloured = {s for s, p, *_ in rows if p.startswith("P462 ")}
    flags = [o for _, p, o, *_ in rows if p.startswith("P163 ")]
    days = [o for _, p, o, *_ in rows if p.startswith("P832 ")]
    assert len(flags) > 180
    assert len(days) > 150
    assert {f for f in flags if (f, "Q14660 flag") not in kinds} == set()
    assert set(flags) <= coloured
    assert {d for d in days if (d, "Q1197685 public holiday") not in kinds} == set()
    assert set(days) <= dated


def test_what_the_file_of_short_descriptions_states_is_the_description_of_what_has_no_kind():
    """So that “What is …?” has an answer."""
    known = ASSETS / "known"
    said = {
        row[0]: row[2].strip().rstrip(".")
        for row in (line.split("\t") for line in _lines(known / "entities.tsv"))
    }
    kinds = ("P31", "P279", "P106", "P1683")
    others = {
        line.split(" ", 1)[0]
        for file in known.glob("facts_*.tsv")
        if file.name != "facts_short.tsv"
        for line in _lines(file)
        if line.split("\t")[1].split(" ")[0] in kinds
    }
    rows = [line.split("\t") for line in _lines(known / "facts_short.tsv")]
    assert len(rows) > 1_500
    for thing, relation, value, *_, source in rows:
        key = thing.split(" ", 1)[0]
        assert key not in others, thing
        if source == "short":
            assert (relation, value) == ("P1683 described as", f'"{said[key]}"')
        else:
            assert (relation, source) == ("P31 instance of", "description")


def _lines(file: Path) -> list[str]:
    return file.read_text(encoding="utf-8").splitlines()[1:]
