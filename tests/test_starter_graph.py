"""Integrity of the bundled starter graph (assets/starter)."""

from __future__ import annotations

import functools
import gzip
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[1]
STARTER = ROOT / "assets" / "starter"
DATA = ROOT.parent / "shared" / "data"

ENTITY = re.compile(r"(Q[1-9]\d*) (\S.*)")
PROPERTY = re.compile(r"(P[1-9]\d*) (\S.*)")
DATE = re.compile(r"-?\d{4,}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?")
QUANTITY = re.compile(r"([+-]?\d+(?:\.\d+)?)(?: (Q[1-9]\d*) (\S.*))?")
TEXT = re.compile(r'"[^"]*"(@[a-z-]+)?')
QUOTE = '"'
URL = re.compile(r"<https://[^ <>]+>")
TIME_QUALIFIERS = ("P580", "P585", "P582")

# Units are not part of the extracts (bare numbers there); this one has no label in them.
UNITS = {"Q11573": "metre", "Q712226": "square kilometre", "Q828224": "kilometre"}

# A person under a misspelt name in the extracts ("Ilary Blast").
SAME = {"L35": "Q287186"}

# A statement also counts as found when its mirror image is.
MIRROR = {
    "P26": {"P26"},
    "P47": {"P47"},
    "P3373": {"P3373"},
    "P36": {"P1376"},
    "P1376": {"P36"},
    "P361": {"P527"},
    "P527": {"P361"},
    "P40": {"P22", "P25"},
    "P355": {"P749"},
    "P749": {"P355"},
    "P155": {"P156"},
    "P156": {"P155"},
    "P184": {"P185"},
    "P185": {"P184"},
    "P802": {"P1066"},
    "P1066": {"P802"},
}

PAPER_EXAMPLES = [
    # subject, property, value (the paper's example)
    ("Q23337", "P421", "Q3134980"),  # time zone of Salt Lake City
    ("Q23337", "P421", "Q2212"),
    ("Q81230", "P414", "Q13677"),  # stock exchanges of Siemens
    ("Q81230", "P414", "Q151139"),
    ("Q81230", "P414", "Q661834"),
    ("Q1066", "P361", "Q7347"),  # Great Lakes
    ("Q1169", "P361", "Q7347"),
    ("Q5492", "P361", "Q7347"),
    ("Q5451", "P17", "Q668"),  # countries of the Himalayas
    ("Q5451", "P17", "Q148"),
    ("Q5451", "P17", "Q837"),
    ("Q5451", "P17", "Q917"),
    ("Q5451", "P17", "Q836"),
    ("Q5451", "P17", "Q843"),
    ("Q5451", "P17", "Q889"),
    ("Q5456", "P17", "Q414"),  # countries of the Andes
    ("Q5456", "P17", "Q419"),
    ("Q148", "P1082", "1442965000"),  # population of China
    ("Q20110", "P26", "Q287186"),  # Totti and Blasi
    ("Q1989119", "P19", "Q121157"),  # Darya Dadvar and the Afsharid capital
    ("Q63149558", "P36", "Q121157"),
    ("Q23766020", "P39", "Q708492"),  # Raggi as council member
    ("Q11310084", "P17", "Q869"),  # Jamjuree Art Gallery
    ("Q599057", "P31", "Q2915955"),  # Xuanxue
    ("Q11221611", "P577", "2008"),  # It's Hyorish and Nasime Vasl
    ("Q5679852", "P577", "2003-05-21"),
    ("Q1703639", "P576", "1931-04"),  # Jordan Motor Car Company
    ("Q531814", "P569", "1982-04-22"),  # Kaká
    ("Q132952", "P140", "Q9268"),  # Adam Sandler
    ("Q4889976", "P106", "Q10871364"),  # Benny Frey
    ("Q83233", "P106", "Q11900058"),  # Jacques Cousteau
    ("Q92739", "P106", "Q82594"),  # AI pioneers
    ("Q181529", "P106", "Q82594"),
]


class Fact(NamedTuple):
    """One row of a facts file."""

    where: str
    subject: str
    prop: str
    value: str
    qualifiers: str
    rank: str

    @property
    def s(self) -> str:
        return self.subject.split(" ", 1)[0]

    @property
    def p(self) -> str:
        return self.prop.split(" ", 1)[0]

    @property
    def o(self) -> str:
        return plain(self.value)


def plain(cell: str) -> str:
    """The cell without its label: an id, a bare number, a date, a text or a URL."""
    if ENTITY.fullmatch(cell) or QUANTITY.fullmatch(cell):
        return cell.split(" ", 1)[0]
    return cell


def qualifier_pairs(cell: str) -> list[tuple[str, str]]:
    """Split a qualifiers cell into (property cell, value cell)."""
    pairs = []
    for part in cell.split("; ") if cell else []:
        prop, _, value = part.partition("=")
        pairs.append((prop, value))
    return pairs


def table(name: str) -> list[list[str]]:
    """Rows of a file, without the header, checked for the right number of cells."""
    lines = (STARTER / name).read_text(encoding="utf-8").splitlines()
    width = len(lines[0].split("\t"))
    rows = [line.split("\t") for line in lines[1:]]
    assert all(len(row) == width for row in rows), name
    return rows


@functools.cache
def entities() -> dict[str, list[str]]:
    return {row[0]: row[1:] for row in table("entities.tsv")}


@functools.cache
def properties() -> dict[str, list[str]]:
    return {row[0]: row[1:] for row in table("properties.tsv")}


@functools.cache
def facts() -> tuple[Fact, ...]:
    files = sorted(STARTER.glob("facts_*.tsv"))
    return tuple(
        Fact(f"{f.name}:{n}", *row) for f in files for n, row in enumerate(table(f.name), 2)
    )


def cells(fact: Fact) -> Iterator[str]:
    """Subject, value and qualifier values of a row."""
    yield fact.subject
    yield fact.value
    for _, value in qualifier_pairs(fact.qualifiers):
        yield value


def entity_cells() -> Iterator[tuple[str, str, str]]:
    """(place, id, label) of each entity named in the facts, units included."""
    for fact in facts():
        for cell in cells(fact):
            if match := ENTITY.fullmatch(cell):
                yield fact.where, match[1], match[2]
            elif (match := QUANTITY.fullmatch(cell)) and match[2]:
                yield fact.where, match[2], match[3]


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
    }
    for path in STARTER.glob("*.tsv"):
        expected = heads.get(path.name, "subject\tproperty\tvalue\tqualifiers\trank")
        assert path.read_text(encoding="utf-8").split("\n", 1)[0] == expected


@pytest.mark.parametrize(("name", "kind"), [("entities.tsv", "Q"), ("properties.tsv", "P")])
def test_ids_are_unique_ordered_labelled_and_described(name: str, kind: str):
    ids = [row[0] for row in table(name)]
    assert all(re.fullmatch(kind + r"[1-9]\d*", i) for i in ids)
    assert len(ids) == len(set(ids))
    assert ids == sorted(ids, key=lambda i: int(i[1:]))
    assert not [row[0] for row in table(name) if not row[1].strip() or not row[2].strip()]


def test_no_stray_characters():
    for path in STARTER.glob("*.tsv"):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for cell in line.split("\t"):
                assert cell == cell.strip() and "  " not in cell, f"{path.name}:{number}"


def test_aliases():
    for rows in (entities(), properties()):
        for key, row in rows.items():
            names = [a.casefold() for a in row[2].split(" | ")] if row[2] else []
            assert len(names) == len(set(names)) and "" not in names, key
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
            assert match and match[1] in properties(), (fact.where, cell)
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
            assert "=" not in value and ";" not in value, fact.where
            assert not value_problem(prop, value), (fact.where, value)


def test_ranks():
    assert {f.rank for f in facts()} <= {"", "preferred", "deprecated"}


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
    if moment is None and DATE.fullmatch(fact.value) and "time" == properties()[fact.p][3]:
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
    assert dated["P1082"] >= 10 and dated["P39"] >= 30 and dated["P54"] >= 10


@pytest.mark.parametrize(("subject", "prop", "value"), PAPER_EXAMPLES)
def test_paper_examples(subject: str, prop: str, value: str):
    assert any((f.s, f.p, f.o) == (subject, prop, value) for f in facts())


# --- comparison with the extracts -----------------------------------------------------------


def read(path: Path) -> IO[str]:
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8")
    return path.open(encoding="utf-8")


def normal(value: str) -> str:
    """The form that a value of the extracts takes in the starter graph."""
    if match := re.fullmatch(r"(-?)(\d+)-(\d\d)-(\d\d)T.*", value):
        sign, year, month, day = match.groups()
        if sign:  # year 0 is 1 BC in the extracts; only the year is kept
            return f"-{int(year) + 1:04}"
        return f"{int(year):04}" + ("" if (month, day) == ("01", "01") else f"-{month}-{day}")
    if re.fullmatch(r"\+\d+(\.\d+)?", value):
        return value.lstrip("+")
    if match := re.fullmatch(r'"(.*) \(([a-z-]+)\)"', value):
        return f'"{match[1]}"@{match[2]}'
    if value == '"abolished or demolished date, April 1931"':  # a date written out in words
        return "1931-04"
    return value.replace("<http://", "<https://")


@functools.cache
def extracts() -> tuple[set[tuple[str, str, str]], dict[str, set[str]], set[str]]:
    """(statements, qualifier pairs per statement key, labels per id) for our subjects."""
    if not DATA.is_dir():
        pytest.skip("needs ../shared/data (benchmark data), not part of the repository")
    ours = set(entities())
    known: set[tuple[str, str, str]] = set()
    pairs: dict[str, set[str]] = defaultdict(set)
    names: set[str] = set()

    def add(s: str, p: str, o: str, qualifiers: Iterable = ()) -> None:
        s = SAME.get(s, s)
        if s in ours:
            o = normal(SAME.get(o, o))
            known.add((s, p, o))
            for a, b in qualifiers:
                pairs[f"{s} {p} {o}"].add(f"{a}={normal(b)}")

    for folder, end in (("wikidata_slice", ".gz"), ("cr_lt_kgqa/graph", "")):
        with read(DATA / folder / f"triples.tsv{end}") as file:
            for line in file:
                add(*line.rstrip("\n").split("\t")[:3])
        with read(DATA / folder / f"qualified_statements.jsonl{end}") as file:
            for line in file:
                row = json.loads(line)
                add(row["s"], row["p"], row["o"], row["q"])
        with read(DATA / folder / f"entities.tsv{end}") as file:
            for line in file:
                key, label = line.split("\t")[:2]
                if key in ours and label:
                    names.add(f"{key} {label}")
    codex = DATA / "codex"
    for path in [*codex.glob("codex-[sm]/t*.txt.gz"), *codex.glob("codex-*/[vt]*.txt.gz")]:
        if "negatives" not in path.name:
            with read(path) as file:
                for line in file:
                    add(*line.split())
    with read(codex / "entity2types.json.gz") as file:
        for key, kinds in json.load(file).items():
            for kind in kinds:
                add(key, "P31", kind)
    with read(codex / "types_en.json.gz") as file:
        names |= {f"{key} {row['label']}" for key, row in json.load(file).items()}
    for path in (DATA / "wd50k").glob("*.csv.gz"):
        with read(path) as file:
            for line in file:
                s, p, o, *rest = line.strip().split(",")
                add(s, p, o, list(zip(rest[::2], rest[1::2], strict=True)))
    return known, pairs, names


def in_extracts(fact: Fact) -> set[str]:
    """Keys under which the statement is found: as it stands or mirrored."""
    known, _, _ = extracts()
    options = {(fact.s, fact.p, fact.o)}
    options |= {(fact.o, p, fact.s) for p in MIRROR.get(fact.p, ())}
    return {" ".join(option) for option in options & known}


@pytest.mark.data
def test_every_statement_is_in_the_extracts():
    missing = [(f.where, f.subject, f.prop, f.value) for f in facts() if not in_extracts(f)]
    assert not missing


@pytest.mark.data
def test_every_qualifier_is_in_the_extracts():
    _, pairs, _ = extracts()
    missing = []
    for fact in facts():
        known = set().union(*(pairs[key] for key in in_extracts(fact)), set())
        for prop, value in qualifier_pairs(fact.qualifiers):
            number = prop.split(" ", 1)[0]
            if not {f"{number}={plain(value)}", f"{number}={value.strip(QUOTE)}"} & known:
                missing.append((fact.where, prop, value))
    assert not missing


@pytest.mark.data
def test_every_label_is_in_the_extracts():
    _, _, names = extracts()
    loose = {re.sub(r" \([^)]*\)$", "", n.replace('"', "")).casefold() for n in names}
    loose |= {n.replace('"', "").casefold() for n in names}
    missing = [
        (key, row[0])
        for key, row in entities().items()
        if f"{key} {row[0]}".casefold() not in loose and UNITS.get(key) != row[0]
    ]
    assert not missing
