"""Integrity of the bundled starter graph (assets/starter)."""

from __future__ import annotations

import functools
import gzip
import hashlib
import json
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, NamedTuple

import pytest

from kgqa_core.facts.terms import short_id
from kgqa_core.kg.layout import LOCAL
from kgqa_core.kg.starter import load_starter
from tests.places import ROOT, TESTS

STARTER = ROOT / "assets" / "starter"
DATA = ROOT.parent / "shared" / "data"

PAPERS = ROOT.parent / "shared" / "papers"

ENTITY = re.compile(r"([QL][1-9]\d*) (\S.*)")
PROPERTY = re.compile(r"(P[1-9]\d*) (\S.*)")
DATE = re.compile(r"-?\d{4,}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?")
QUANTITY = re.compile(r"([+-]?\d+(?:\.\d+)?)(?: (Q[1-9]\d*) (\S.*))?")
TEXT = re.compile(r'"[^"]*"(@[a-z-]+)?')
QUOTE = '"'
URL = re.compile(r"<https://[^ <>]+>")
TIME_QUALIFIERS = ("P580", "P585", "P582")

# Units are not part of the extracts (bare numbers there); this one has no label in them.
UNITS = {"Q11573": "metre", "Q712226": "square kilometre", "Q828224": "kilometre"}

# One thing under two ids in the extracts: a misspelt name ("Ilary Blast"), a second Harvard.
SAME = {"L35": "Q287186", "Q58124203": "Q13371"}

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
    "P22": {"P40"},  # only for a man: test_fathers_and_mothers
    "P25": {"P40"},  # only for a woman
    "P355": {"P749"},
    "P749": {"P355"},
    "P155": {"P156"},
    "P156": {"P155"},
    "P184": {"P185"},
    "P185": {"P184"},
    "P802": {"P1066"},
    "P1066": {"P802"},
}

# Facts that only the text of a paper states: the beginning of its file name and its words.
# Words are compared without spaces, punctuation, accents and case.
_SIEMENS = "Swiss Stock Exchange (Q661834), Xetra (Q819468)"
_OBAMA = (
    '(Q76, P141, Q15070048) instead of by their labels ("Barack Obama", "child", "Sasha Obama")'
)
_DIRECTOR = "Vlad Iovita is the director of Demitri Cantemir"
_KAKA = "is, Brazilian footballer, born 1982"
_GAUSS = "(Carl Friedrich Gauss, is, German mathematician and physicist (1777"
_ALCOTT = "Louisa May Alcott was born in 1832 and died in 1888"
_VAUGHAN = "Fact (Vaughan, is, city in Ontario, Canada)"
_MODEL = "Olga Kurylenkos professions include model, actor, film actor, and voice actor"
_LAKES = {
    "Q1066": ("superior :Lake {name: 'Lake Superior'", "<Lake Superior> <area> <82350>"),
    "Q1169": ("michigan :Lake {name: 'Lake Michigan'", "<Lake Michigan> <area> <57750>"),
    "Q1383": ("huron :Lake {name: 'Lake Huron'", "<Lake Huron> <area> <59600>"),
    "Q1062": ("ontario :Lake {name: 'Lake Ontario'", "<Lake Ontario> <area> <18529>"),
    "Q5492": ("erie :Lake {name: 'Lake Erie'", "<Lake Erie> <area> <25700>"),
}
PAPER_FACTS = {
    ("Q81230", "P414", "Q819468"): ("001", _SIEMENS),
    ("Q76", "P40", "Q15070048"): ("001", _OBAMA),
    ("Q15709917", "P31", "Q11424"): ("002", "the likelihood of the director of a film fasting"),
    ("L51", "P31", "Q5"): ("002", "Since Vlad Iovita does not follow the Islamic faith"),
    ("L51", "P106", "Q2526255"): ("002", _DIRECTOR),
    ("Q28587", "P17", "Q794"): ("002", "Alaviyan Dome is located in Hamadan, Iran"),
    ("L208", "P17", "Q794"): ("002", "Dome of Soltaniyeh is also located in Soltaniyeh, Iran"),
    ("Q1113547", "P69", "L1033"): (
        "002",
        "educated at, Budapest University of Technology and Economics; end time, 1947",
    ),
    ("Q113781", "P31", "Q5"): ("002", "Since Mina Ahadi is an atheist"),
    ("Q12810805", "P106", "Q177220"): ("002", "Melahat Pars is a Turkish singer"),
    ("Q7166879", "P31", "Q198"): ("002", "people during the Perak War"),
    ("Q7166879", "P582", "1876"): ("002", "Fact (Perak War, end time, 1876)"),
    ("Q13042955", "P291", "Q19689"): (
        "002",
        "Fact (Mjegull, publication date, 2009; place of publication, Tirana)",
    ),
    ("Q13042955", "P31", "Q8261"): ("002", "states that the novel Mjegull was published in 2009"),
    ("Q42415919", "P19", "L1034"): ("002", "(Chiara Guerra, place of birth, Camposampiero)"),
    ("Q947952", "P39", "L1035"): (
        "002",
        "(Ulrik Anton Motzfeldt, position held, Justice in the Supreme Court of Norway)",
    ),
    ("Q44013", "P17", "Q16"): ("002", _VAUGHAN),
    ("Q44013", "P131", "Q1904"): ("002", _VAUGHAN),
    ("Q599057", "P571", "0300"): ("002", "(Xuanxue, inception, 0300)"),
    ("Q1703639", "P571", "1916"): ("002", "(Jordan Motor Car Company, inception, 1916)"),
    ("Q531814", "P27", "Q155"): ("002", _KAKA),
    ("Q531814", "P106", "Q937857"): ("002", _KAKA),
    ("L1036", "P19", "Q1022"): ("002", "Fact (Dorothea Wendling, place of birth, Stuttgart)"),
    ("L1037", "P740", "Q1022"): ("002", "Fact (Porsche, location of formation, Stuttgart)"),
    ("L1038", "P27", "Q30"): (
        "002",
        "(Evander Holyfield, country of citizenship, United States of America)",
    ),
    ("L1038", "P1344", "Q8456"): (
        "002",
        "(Evander Holyfield, participant in, 1984 Summer Olympics)",
    ),
    ("L1039", "P106", "L1040"): ("002", "(Melania Trump, occupation, jewelry designer)"),
    ("L1039", "P106", "Q4610556"): ("002", "(Melania Trump, occupation, model)"),
    ("L1039", "P106", "Q211236"): ("002", "(Melania Trump, occupation, celebrity)"),
    ("L1039", "P106", "Q43845"): ("002", "(Melania Trump, occupation, businessperson)"),
    ("L1041", "P106", "Q33999"): ("002", _MODEL),
    ("L1041", "P106", "Q10800557"): ("002", _MODEL),
    ("L1041", "P106", "Q4610556"): ("002", _MODEL),
    ("L1041", "P106", "Q2405480"): ("002", _MODEL),
    ("Q185696", "P569", "1832"): ("002", _ALCOTT),
    ("Q185696", "P570", "1888"): ("002", _ALCOTT),
    ("L1042", "P585", "1865"): (
        "002",
        "The Thirteenth Amendment to the United States Constitution was ratified in 1865",
    ),
    ("Q6722", "P569", "1777"): ("002", _GAUSS),
    ("Q6722", "P570", "1855"): ("002", _GAUSS + "1855)"),
    ("Q5456", "P17", "Q298"): ("003", "(andes)-[:COVERS]->(chile:Country"),
    ("Q5456", "P17", "Q750"): ("003", "(andes)-[:COVERS]->(bolivia:Country"),
    ("Q5456", "P17", "Q736"): ("003", "(andes)-[:COVERS]->(ecuador:Country"),
    ("Q5456", "P17", "Q739"): ("003", "(andes)-[:COVERS]->(colombia:Country"),
    ("Q5456", "P17", "Q717"): ("003", "(andes)-[:COVERS]->(venezuela:Country"),
    ("Q5492", "P2043", "388"): ("003", "<Lake Erie> <length> <388>"),
    ("Q1169", "P361", "Q1377732"): ("003", "<Lake Michigan> <part of> <Lake Michigan-Huron>"),
    ("Q1066", "P2789", "L1043"): ("003", "<Lake Superior> <connects with> <Keweenaw Waterway>"),
    ("Q1062", "P200", "L1044"): ("003", "<Lake Ontario> <inflows> <Niagara River>"),
    ("Q1062", "P200", "L1045"): ("003", "<Lake Ontario> <inflows> <Hillhaven Creek>"),
    ("Q1062", "P200", "L1046"): ("003", "<Lake Ontario> <inflows> <Black River>"),
    ("L1047", "P2046", "4350"): ("003", "<Dongting Lake> <area> <4350>"),
    ("Q148", "P1082", "1375198619"): ("003", "<China> <population> <1375198619>"),
    ("Q148", "P1082", "1443497378"): ("003", "the population of China is {1443497378}"),
}
for _lake, (_name, _area) in _LAKES.items():
    PAPER_FACTS |= {
        (_lake, "P31", "Q23397"): ("003", _name),
        (_lake, "P361", "Q7347"): ("003", _name),
        ("Q7347", "P527", _lake): ("003", _name),
        (_lake, "P2046", _area.rstrip(">").rpartition("<")[2]): ("003", _area),
    }
# Facts that only a sentence states, of StrategyQA's facts or CREAK's true claims: the fact, the
# name of the set, and the digest of the sentence, which stays with the data. Feet become metres.
TEXTS = TESTS / "starter_texts.tsv"
FOOT = 0.3048  # metres
TEXT_NAMES = {"L1057": "1984"}  # as the sentences call it, where the label is longer

# Whose notable works are their own: the property that leads from the work back to them.
MAKERS = {
    "P50": "Q692 Q892 Q1512 Q3335 Q6711 Q7241 Q7243 Q7245 Q30875 Q34660 Q35610 Q38082 Q39212 "
    "Q40640 Q40909 Q43718 Q44306 Q47152 Q5686 Q60025 Q72334 Q79904 Q101638 Q183492 Q215868".split(),
    "P86": ["Q4700"],
    "P170": "Q762 Q5582 Q5593".split(),
}

PAPER_QUALIFIERS = {
    ("Q23766020", "P39", "P642=Q220"): ("002", "end time, 2015/10/30; of, Rome)"),
    ("Q20110", "P26", "P1534=Q93190"): ("002", "start time, 2005; end cause, divorce"),
    ("Q287186", "P26", "P1534=Q93190"): ("002", "start time, 2005; end cause, divorce"),
    ("Q1113547", "P69", "P582=1947"): ("002", "Technology and Economics; end time, 1947"),
}

# Facts about Douglas Sirk's films: the property, and MetaQA's relation for it.
METAQA = {
    "P57": "directed_by",
    "P161": "starred_actors",
    "P58": "written_by",
    "P50": "written_by",
    "P577": "release_year",
    "P136": "has_genre",
}
METAQA_GENRES = {"Q130232": "Drama", "Q645928": "Biography", "Q1054574": "Romance"}
METAQA_JOBS = {
    "Q2526255": "directed_by",
    "Q33999": "starred_actors",
    "Q28389": "written_by",
    "Q36180": "written_by",
}
SIRK = "L1001"
# MetaQA has one node for two films called Imitation of Life: what belongs to that of 1934.
NOT_SIRKS = {"John M. Stahl", "Claudette Colbert", "Warren William", "Rochelle Hudson", "1934"}
NOT_SIRKS |= {"William Hurlbut"}

# Other films whose director Wikidata's extracts do not name: title and director as in MetaQA.
METAQA_FILMS = {
    "Q132863": "Finding Nemo",
    "Q171048": "Toy Story",
    "Q177922": "To Kill a Mockingbird",
}

# Directors whose films are MetaQA's as well, but for those made with others.
METAQA_DIRECTORS = {
    "Q2001": "Stanley Kubrick",
    "Q3772": "Quentin Tarantino",
    "Q7374": "Alfred Hitchcock",
    "Q8877": "Steven Spielberg",
    "Q25191": "Christopher Nolan",
    "Q41148": "Martin Scorsese",
}

# Jacques Cousteau's family: the names are general knowledge, only their number can be checked.
COUSTEAU = "Q83233"
FAMILY = {"L1048": "L1050 L1051", "L1049": "L1052 L1053"}  # child: grandchildren

# Who has no `instance of` is a human (Q5) as the subject of one of these, as the far end of one
# of those, or as a relative of a human.
OF_HUMANS = "P19 P21 P22 P26 P27 P39 P40 P69 P106 P184 P509 P569 P570 P3373".split()
TO_HUMANS = "P6 P35 P50 P57 P58 P86 P161 P184 P185".split()
KINSHIP = "P22 P25 P26 P40 P3373".split()


# What Wikidata's own short descriptions state, which the extracts carry as well. Each pattern
# captures the value: a year, or words that must be the label of the value.
YEARS_OF_LIFE = r"\((?:c\. ?)?{} ?[–−-] ?{}\)"
BORN = [YEARS_OF_LIFE.format(r"(\d{3,4})", r"\d{3,4}"), r"\(born (\d{4})\)"]
DIED = [YEARS_OF_LIFE.format(r"\d{3,4}", r"(\d{3,4})")]
CAPITAL = r"\bcapital\b[^,;]*? of (?:the )?{}(?:\b|$)"
CITY = r"(?i)\b(?:city|town|commune|comune|municipality)\b.*(?:\bin|\bof|,) (?:the )?{}(?=$| and\b)"
FILM = r"\b(?:film|movie)\b"
NO_FILM = r"genre|series|company|cinema|franchise|award|festival"
WRITTEN = r"\b(?:novel|play|poem|short story|book) by ([A-Z].*)$"
PAINTED = r"\bpainting by ([A-Z][^,(]*?)(?:,| \(|$)"
ELEMENT = r"^chemical element\b"
ATOMIC = [r"atomic number(?: of)? (\d+)", r"^chemical element (\d+) "]
# `P35` with its terms, from the description of the monarch or president.
RULERS = r"\b(?:[Kk]ing|[Qq]ueen|[Pp]resident) of the {}\b"


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


def objects(*path: str) -> set[str]:
    """The values at the end of a path through the files: `Q83233`, `P40`, `P40`; `^P57` inverts."""
    found = {path[0]}
    for step in path[1:]:
        if step.startswith("^"):
            found = {f.s for f in facts() if f.p == step[1:] and f.o in found}
        else:
            found = {f.o for f in facts() if f.p == step and f.s in found}
    return found


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


@functools.cache
def derived_humans() -> set[str]:
    """Who is a human by the rule above, whether or not the files say so."""
    classes = defaultdict(set)
    for fact in facts():
        if fact.p == "P31":
            classes[fact.s].add(fact.o)
    other = {key for key, kinds in classes.items() if "Q5" not in kinds}
    found: set[str] = set()
    before = -1
    humans = {key for key, kinds in classes.items() if "Q5" in kinds}
    while len(found) > before:
        before = len(found)
        for fact in facts():
            if fact.p in OF_HUMANS and fact.s not in other:
                found.add(fact.s)
            to = fact.p in TO_HUMANS or (fact.p in KINSHIP and fact.s in humans | found)
            if to and fact.o in entities() and fact.o not in other:
                found.add(fact.o)
    return found


def test_humans_are_called_human():
    humans = {f.s for f in facts() if (f.p, f.o) == ("P31", "Q5")}
    assert sorted(derived_humans() - humans) == []


def test_local_ids():
    """The graph gives them an address of their own, and finds, describes and queries them."""
    graph = load_starter()
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


# --- comparison with the extracts -----------------------------------------------------------


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


def forms(fact: Fact) -> set[tuple[str, str, str]]:
    """The statement as it stands and its mirror images."""
    mirrored = {(fact.o, p, fact.s) for p in MIRROR.get(fact.p, ())}
    return {(fact.s, fact.p, fact.o)} | mirrored


@functools.cache
def descriptions() -> dict[str, str]:
    """Wikidata's description per id."""
    if not DATA.is_dir():
        pytest.skip("needs ../shared/data (benchmark data), not part of the repository")
    with read(DATA / "wikidata_slice" / "entities.tsv.gz") as file:
        rows = (line.split("\t") for line in file)
        return {row[0]: row[2].replace("Republic of Macedonia", "North Macedonia") for row in rows}


def described(pattern: str | list[str], key: str) -> set[str]:
    """What the pattern captures in the description."""
    patterns = [pattern] if isinstance(pattern, str) else pattern
    return {m[1] for p in patterns for m in re.finditer(p, descriptions().get(key, ""))}


def in_description(fact: Fact) -> bool:
    text = descriptions().get(fact.s, "")
    about = descriptions().get(fact.o, "")
    is_film = re.search(FILM, text) is not None and re.search(NO_FILM, text) is None
    label = entities()[fact.o][0] if fact.o in entities() else ""
    own = re.escape(entities()[fact.s][0])
    match fact.p:
        case "P569":
            return fact.o.lstrip("0") in described(BORN, fact.s)
        case "P570":
            return fact.o.lstrip("0") in described(DIED, fact.s)
        case "P580":
            return fact.o in described(r"^(\d{4})[–-]\d{4} (?:global )?conflict", fact.s)
        case "P582":
            return fact.o in described(r"^\d{4}[–-](\d{4}) (?:global )?conflict", fact.s)
        case "P31":
            kinds = {
                "Q4022": text.startswith("river in "),
                "Q11424": is_film,
                "Q8261": re.search(r"\bnovel by [A-Z]", text) is not None,
                "Q11344": re.search(ELEMENT, text) is not None,
                "Q634": re.search(r"\bplanet\b.* Sun\b", text) is not None,
            }
            return kinds.get(fact.o, False)
        case "P50":
            return label in described(WRITTEN, fact.s)
        case "P170":
            return label in described(PAINTED, fact.s)
        case "P1086":
            return re.search(ELEMENT, text) is not None and fact.o in described(ATOMIC, fact.s)
        case "P246":
            return fact.o.strip(QUOTE) in described(r"\bsymbol ([A-Z][a-z]?)\b", fact.s)
        case "P577":
            years = [r"^(\d{4})\b", r"\bfilm (\d{4})$"]
            return (is_film and fact.o in described(years, fact.s)) or (
                fact.o in described(r"^(\d{4}) novel by ", fact.s)
            )
        case "P57":
            return is_film and label in described(rf"{FILM}(?: directed)? by ([A-Z].*)$", fact.s)
        case "P36":
            return re.search(CAPITAL.format(own), about) is not None
        case "P1376" | "P17":
            patterns = [CAPITAL, CITY] if fact.p == "P17" else [CAPITAL]
            return label != "" and any(
                re.search(p.format(re.escape(label)), text) for p in patterns
            )
        case "P37" | "P38":
            kind = "official language" if fact.p == "P37" else "currency"
            return re.search(rf"\b{kind} of (?:the )?{own}\b", about) is not None
        case "P35":
            return re.search(RULERS.format(own), about) is not None
    return False


def term_in_description(fact: Fact, prop: str, year: str) -> bool:
    """Whether the description of a head of state names the year as start or end of a term."""
    own = re.escape(entities()[fact.s][0])
    text = descriptions().get(fact.o, "")
    title = re.search(RULERS.format(own), text)
    if fact.p != "P35" or title is None:
        return False
    years = r"[^,;(]*(?:from (\d{4}) to (\d{4})|since (\d{4}))|\((\d{4}[^)]*)\)"
    found = re.match(years, text[title.end() :].lstrip())
    if found is None:
        return False
    start, end, since, terms = found.groups()
    spans = [s.split("–") for s in terms.split(", ")] if terms else [[start or since, end]]
    return year in {span[0 if prop == "P580" else 1] for span in spans}


def in_extracts(fact: Fact) -> set[str]:
    """Keys under which the statement is found: as it stands or mirrored."""
    known, _, _ = extracts()
    return {" ".join(option) for option in forms(fact) & known}


@functools.cache
def papers() -> dict[str, str]:
    """The papers' texts by the beginning of the file name, letters and digits only."""
    if not PAPERS.is_dir():
        pytest.skip("needs ../shared/papers (texts of the papers), not part of the repository")
    return {file.name[:3]: squeezed(file.read_text("utf-8")) for file in PAPERS.glob("*.txt")}


def squeezed(text: str) -> str:
    plain_text = unicodedata.normalize("NFKD", text.casefold()).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]", "", plain_text)


def stated(paper: str, words: str) -> bool:
    return squeezed(words) in papers()[paper]


@functools.cache
def metaqa() -> frozenset[tuple[str, ...]]:
    if not DATA.is_dir():
        pytest.skip("needs ../shared/data (benchmark data), not part of the repository")
    with read(DATA / "metaqa" / "kb.txt.gz") as file:
        return frozenset(tuple(line.rstrip("\n").split("|")) for line in file)


@functools.cache
def metaqa_ends() -> frozenset[tuple[str, str]]:
    return frozenset((relation, end) for _, relation, end in metaqa())


@functools.cache
def metaqa_index() -> dict[tuple[str, str], set[str]]:
    found = defaultdict(set)
    for subject, relation, value in metaqa():
        found[subject, relation].add(value)
    return dict(found)


def metaqa_values(subject: str, relation: str) -> set[str]:
    return metaqa_index().get((subject, relation), set())


@functools.cache
def listed_directors() -> dict[str, tuple[str, ...]]:
    """Those of METAQA_DIRECTORS that our files give each film."""
    found = defaultdict(list)
    for fact in facts():
        if fact.p == "P57" and fact.o in METAQA_DIRECTORS:
            found[fact.s].append(METAQA_DIRECTORS[fact.o])
    return {film: tuple(names) for film, names in found.items()}


def in_filmography(fact: Fact) -> bool:
    """Director, year or kind of a film that MetaQA gives to one of the listed directors."""
    title = entities()[fact.s][0]
    directors = metaqa_values(title, "directed_by")
    if fact.s not in listed_directors() or not directors & set(listed_directors()[fact.s]):
        return False
    if fact.p == "P57":
        return METAQA_DIRECTORS.get(fact.o) in directors
    if fact.p == "P577":  # two years: two films of one title
        return metaqa_values(title, "release_year") == {fact.o}
    return (fact.p, fact.o) == ("P31", "Q11424")


def in_metaqa(fact: Fact) -> bool:
    """A fact about a film of Sirk's, or the job of someone who took part in one."""
    if in_filmography(fact):
        return True
    subject, value = (entities()[i][0] if i in entities() else i for i in (fact.s, fact.o))
    if fact.s in objects(SIRK, "^P57"):
        if (fact.p, fact.o) == ("P31", "Q11424"):
            return (subject, "directed_by", "Douglas Sirk") in metaqa()
        if subject == "Imitation of Life" and value in NOT_SIRKS:
            return False
        value = METAQA_GENRES.get(fact.o, value)
        return (subject, METAQA.get(fact.p, ""), value) in metaqa()
    if fact.s in METAQA_FILMS:
        return (
            subject == METAQA_FILMS[fact.s]
            and fact.p == "P57"
            and (subject, "directed_by", value) in metaqa()
        )
    if fact.s.startswith("L") and (fact.p, fact.o) == ("P31", "Q5"):
        return any((relation, subject) in metaqa_ends() for relation in METAQA_JOBS.values())
    if fact.s.startswith("L") and fact.p == "P106":
        return (METAQA_JOBS.get(fact.o, ""), subject) in metaqa_ends()
    return False


def in_paper(fact: Fact) -> bool:
    return any(key in PAPER_FACTS and stated(*PAPER_FACTS[key]) for key in forms(fact))


def in_family(fact: Fact) -> bool:
    """Checked by number only: test_number_of_grandchildren."""
    members = {*FAMILY, *" ".join(FAMILY.values()).split()}
    return (fact.s in members or fact.s == COUSTEAU) and (
        (fact.p, fact.o) == ("P31", "Q5")
        or (fact.p == "P40" and fact.o in (FAMILY.get(fact.s, "").split() or FAMILY))
        or (fact.p == "P22" and (fact.s in FAMILY or fact.s in FAMILY[fact.o].split()))
    )


def is_derived(fact: Fact) -> bool:
    return (fact.p, fact.o) == ("P31", "Q5") and fact.s in derived_humans()


class Sentence(NamedTuple):
    """One row of the list of facts that sentences state."""

    subject: str
    prop: str
    value: str
    source: str
    sentence: str  # its digest

    @property
    def key(self) -> tuple[str, str, str]:
        return self.subject.split(" ", 1)[0], self.prop.split(" ", 1)[0], plain(self.value)


@functools.cache
def sentences() -> tuple[Sentence, ...]:
    lines = TEXTS.read_text(encoding="utf-8").splitlines()[1:]
    return tuple(Sentence(*line.split("\t")) for line in lines)


@functools.cache
def texts_by_digest() -> dict[tuple[str, str], str]:
    return {
        (source, hashlib.sha256(text.encode()).hexdigest()[:20]): text
        for source, texts in true_texts().items()
        for text in texts
    }


@functools.cache
def true_texts() -> dict[str, tuple[str, ...]]:
    """StrategyQA's facts and CREAK's true claims, of the parts to train with."""
    if not DATA.is_dir():
        pytest.skip("needs ../shared/data (benchmark data), not part of the repository")
    with read(DATA / "strategyqa" / "train.json.gz") as file:
        given = [fact for row in json.load(file) for fact in row["facts"]]
    with read(DATA / "creak" / "train.json.gz") as file:
        rows = [json.loads(line) for line in file]
    claims = [row["sentence"] for row in rows if row["label"] == "true"]
    return {"strategyqa": tuple(given), "creak": tuple(claims)}


def in_sentence(fact: Fact) -> bool:
    return any(row.key in forms(fact) for row in sentences())


def by_maker(fact: Fact) -> bool:
    """The maker of a work, known as its maker's notable work."""
    known, _, _ = extracts()
    return fact.o in MAKERS.get(fact.p, ()) and (fact.o, "P800", fact.s) in known


SOURCES = (
    in_extracts,
    in_description,
    in_metaqa,
    in_paper,
    in_sentence,
    by_maker,
    in_family,
    is_derived,
)


@pytest.mark.data
def test_every_statement_has_its_source():
    missing = [
        (f.where, f.subject, f.prop, f.value)
        for f in facts()
        if not any(source(f) for source in SOURCES)
    ]
    assert not missing


@pytest.mark.data
def test_every_passage_is_in_its_paper_and_used():
    rows = {(f.s, f.p, f.o) for f in facts()}
    assert [key for key in PAPER_FACTS if key not in rows] == []
    assert [key for key, source in PAPER_FACTS.items() if not stated(*source)] == []


def test_what_sentences_state_is_in_the_files():
    rows = {(f.s, f.p, f.o): f for f in facts()}
    for row in sentences():
        assert row.key in rows, row
        assert (rows[row.key].subject, rows[row.key].value) == (row.subject, row.value)


@pytest.mark.data
def test_sentences_name_their_facts():
    """Each listed sentence is in its set, and names the number or year of its fact."""
    for row in sentences():
        text = texts_by_digest().get((row.source, row.sentence))
        assert text is not None, row
        if match := re.search(r"\b([\d,]+) feet\b", text):
            feet = int(match[1].replace(",", ""))
            assert row.value == f"{round(feet * FOOT)} Q11573 metre", row
        elif QUANTITY.fullmatch(row.value) and not DATE.fullmatch(row.value):
            number = "one" if row.value == "1" else row.value
            assert number in re.findall(r"[\w,]+", text), row
        elif DATE.fullmatch(row.value):
            assert row.value[:4] in text, row


@pytest.mark.data
def test_all_films_that_metaqa_gives_to_sirk():
    films = {film for film, relation, end in metaqa() if end == "Douglas Sirk"}
    assert {entities()[film][0] for film in objects(SIRK, "^P57")} == films


@pytest.mark.data
def test_all_films_that_metaqa_gives_to_one_listed_director_alone():
    for key, name in METAQA_DIRECTORS.items():
        ours = {entities()[film][0].casefold() for film in objects(key, "^P57")}
        titles = {film for film, relation, end in metaqa() if end == name}
        alone = {film for film in titles if metaqa_values(film, "directed_by") == {name}}
        assert {film.casefold() for film in alone} - ours == set(), name


@pytest.mark.data
def test_number_of_grandchildren():
    """The names are not in the data, only how many there are."""
    if not DATA.is_dir():
        pytest.skip("needs ../shared/data (benchmark data), not part of the repository")
    with read(DATA / "qald7" / "qald-7-train-en-wikidata.json.gz") as file:
        questions = json.load(file)["questions"]
    (gold,) = (q for q in questions if "wikidata.org/entity/Q83233" in q["query"]["sparql"])
    assert "prop/direct/P40>/<http://www.wikidata.org/prop/direct/P40>" in gold["query"]["sparql"]
    (row,) = gold["answers"][0]["results"]["bindings"]
    assert len(objects(COUSTEAU, "P40", "P40")) == int(row["count"]["value"]) == 4


@pytest.mark.data
def test_every_qualifier_is_in_the_extracts_or_a_paper():
    _, pairs, _ = extracts()
    missing = []
    for fact in facts():
        known = set().union(*(pairs[key] for key in in_extracts(fact)), set())
        for prop, value in qualifier_pairs(fact.qualifiers):
            number = prop.split(" ", 1)[0]
            source = PAPER_QUALIFIERS.get((fact.s, fact.p, f"{number}={plain(value)}"))
            if source is not None and stated(*source):
                continue
            if term_in_description(fact, number, value):
                continue
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
        if f"{key} {row[0]}".casefold() not in loose
        and UNITS.get(key) != row[0]
        and not label_elsewhere(key, row[0])
    ]
    assert not missing


def label_elsewhere(key: str, label: str) -> bool:
    """Labels of local entities from L1001 on, and of one whose id a paper prints."""
    name = squeezed(TEXT_NAMES.get(key, label))
    if any(row.key[0] == key or row.key[2] == key for row in sentences()):
        told = [r for r in sentences() if key in (r.key[0], r.key[2])]
        return any(name in squeezed(texts_by_digest()[r.source, r.sentence]) for r in told)
    if key in {*FAMILY, *" ".join(FAMILY.values()).split()}:
        return True
    if not key.startswith("L") and key != "Q15070048":
        return False
    if listed_directors().get(key):
        return bool(metaqa_values(label, "directed_by") & set(listed_directors()[key]))
    in_kb = (label, "directed_by", "Douglas Sirk") in metaqa() or any(
        (relation, label) in metaqa_ends() for relation in METAQA_JOBS.values()
    )
    return in_kb or any(squeezed(label) in text for text in papers().values())
