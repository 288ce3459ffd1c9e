"""What stands in a graph's files and in none of its sources: statements, qualifiers, names.

    python -m tests.measure.starter_sources [--data DIR] [--papers DIR]

`disagreements` compares any table of claims with any list of sources. The rest are the sources of
the starter graph: Wikidata's extracts and short descriptions, MetaQA, passages of papers and
sentences of question sets (`starter_passages.tsv`), and rules. They lie in ../shared, which is no
part of the repository. Prints a line for each disagreement, and ends with 1 when there is one.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import re
import sys
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, NamedTuple

from tests import starter_rows as rows
from tests.places import DATA, TESTS

PASSAGES = TESTS / "measure" / "starter_passages.tsv"
PAPERS = DATA.parent / "papers"

Key = tuple[str, str, str]  # subject, property, value: ids, or the value as the files write it
Qualifier = tuple[str, str]  # property, value


class Claim(NamedTuple):
    """A statement of the files, and where it stands."""

    where: str
    key: Key
    qualifiers: tuple[Qualifier, ...] = ()


def _nothing(*_: object) -> bool:
    return False


@dataclass(frozen=True)
class Source:
    """What one source states; of what it does not speak, it states nothing."""

    name: str
    states: Callable[[Key], bool] = _nothing
    qualifies: Callable[[Key, Qualifier], bool] = _nothing
    names: Callable[[str, str], bool] = _nothing  # an id and its label


def disagreements(
    claims: Iterable[Claim], labels: Mapping[str, str], sources: Sequence[Source]
) -> list[str]:
    """A line for each statement, qualifier and label that no source states."""
    found = []
    for claim in claims:
        told = " ".join(claim.key)
        if not any(source.states(claim.key) for source in sources):
            found.append(f"{claim.where}: no source states {told}")
        found += [
            f"{claim.where}: no source gives {told} the qualifier {'='.join(qualifier)}"
            for qualifier in claim.qualifiers
            if not any(source.qualifies(claim.key, qualifier) for source in sources)
        ]
    found += [
        f"{key}: no source calls it {label}"
        for key, label in labels.items()
        if not any(source.names(key, label) for source in sources)
    ]
    return found


# --- statements as they stand, and their mirror images ------------------------------------------

MIRROR = {
    "P26": {"P26"},
    "P47": {"P47"},
    "P3373": {"P3373"},
    "P36": {"P1376"},
    "P1376": {"P36"},
    "P361": {"P527"},
    "P527": {"P361"},
    "P40": {"P22", "P25"},
    "P22": {"P40"},  # only for a man, P25 only for a woman: tests/kg/test_starter_graph.py
    "P25": {"P40"},
    "P355": {"P749"},
    "P749": {"P355"},
    "P155": {"P156"},
    "P156": {"P155"},
    "P184": {"P185"},
    "P185": {"P184"},
    "P802": {"P1066"},
    "P1066": {"P802"},
}


def forms(key: Key) -> set[Key]:
    """The statement as it stands and its mirror images."""
    subject, prop, value = key
    return {key} | {(value, other, subject) for other in MIRROR.get(prop, ())}


# --- Wikidata's extracts ------------------------------------------------------------------------

# One thing under two ids there: a misspelt name ("Ilary Blast"), a second Harvard.
SAME = {"L35": "Q287186", "Q58124203": "Q13371"}

# Units are not part of the extracts (bare numbers there); these have no label in them.
UNITS = {"Q11573": "metre", "Q712226": "square kilometre", "Q828224": "kilometre"}


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


@dataclass(frozen=True)
class Extracts:
    """Statements, their qualifiers, and names, of the things that are asked for."""

    wanted: Collection[str]
    known: set[Key] = field(default_factory=set)
    qualifiers: dict[Key, set[Qualifier]] = field(default_factory=lambda: defaultdict(set))
    names: set[str] = field(default_factory=set)  # id and label

    def add(self, s: str, p: str, o: str, qualifiers: Iterable[Sequence[str]] = ()) -> None:
        s = SAME.get(s, s)
        if s in self.wanted:
            key = (s, p, normal(SAME.get(o, o)))
            self.known.add(key)
            self.qualifiers[key] |= {(name, normal(value)) for name, value in qualifiers}

    def call(self, key: str, label: str) -> None:
        if key in self.wanted and label:
            label = label.replace('"', "").casefold()
            self.names.update((f"{key} {label}", f"{key} " + re.sub(r" \([^)]*\)$", "", label)))

    def source(self) -> Source:
        def qualifies(key: Key, qualifier: Qualifier) -> bool:
            prop, value = qualifier
            told = set().union(*(self.qualifiers.get(form, ()) for form in forms(key)))
            return bool({(prop, value), (prop, value.strip('"'))} & told)

        return Source(
            "extracts",
            lambda key: not forms(key).isdisjoint(self.known),
            qualifies,
            lambda key, label: f"{key} {label.casefold()}" in self.names or UNITS.get(key) == label,
        )


def extracts(data: Path, wanted: Collection[str]) -> Extracts:
    """What the slice, CR-LT-KGQA's graph, CoDEx and WD50K have of the wanted things."""
    found = Extracts(wanted)
    for folder in (data / "wikidata_slice", data / "cr_lt_kgqa" / "graph"):
        for line in lines(folder / "triples.tsv"):
            found.add(*line.split("\t")[:3])
        for line in lines(folder / "qualified_statements.jsonl"):
            row = json.loads(line)
            found.add(row["s"], row["p"], row["o"], row["q"])
        for line in lines(folder / "entities.tsv"):
            found.call(*line.split("\t")[:2])
    codex = data / "codex"
    for path in [*codex.glob("codex-[sm]/t*.txt.gz"), *codex.glob("codex-*/[vt]*.txt.gz")]:
        if "negatives" not in path.name:
            for line in lines(path):
                found.add(*line.split())
    for key, kinds in json.loads("".join(lines(codex / "entity2types.json"))).items():
        for kind in kinds:
            found.add(key, "P31", kind)
    for key, row in json.loads("".join(lines(codex / "types_en.json"))).items():
        found.call(key, row["label"])
    for path in (data / "wd50k").glob("*.csv.gz"):
        for line in lines(path):
            s, p, o, *rest = line.strip().split(",")
            found.add(s, p, o, list(zip(rest[::2], rest[1::2], strict=True)))
    return found


def lines(path: Path) -> Iterator[str]:
    """The lines of a text, packed (`.gz` behind its name) or not, without their ends."""
    packed = path if path.suffix == ".gz" else path.with_name(f"{path.name}.gz")
    file: IO[str]
    with (
        gzip.open(packed, "rt", encoding="utf-8")
        if packed.exists()
        else path.open(encoding="utf-8") as file
    ):
        for line in file:
            yield line.rstrip("\n")


# --- Wikidata's short descriptions --------------------------------------------------------------

# Each pattern captures the value: a year, or words that must be the label of the value.
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
TERM = r"[^,;(]*(?:from (\d{4}) to (\d{4})|since (\d{4}))|\((\d{4}[^)]*)\)"


@dataclass(frozen=True)
class Descriptions:
    """What the descriptions of things (by id) say, given the labels of these and other things."""

    texts: Mapping[str, str]
    labels: Mapping[str, str]

    def source(self) -> Source:
        return Source("descriptions", self.states, self.qualifies)

    def states(self, key: Key) -> bool:
        subject, prop, value = key
        text, about = self.texts.get(subject, ""), self.texts.get(value, "")
        label = self.labels.get(value, "")
        own = re.escape(self.labels[subject])
        is_film = re.search(FILM, text) is not None and re.search(NO_FILM, text) is None

        def told(*patterns: str) -> set[str]:
            return {match[1] for pattern in patterns for match in re.finditer(pattern, text)}

        match prop:
            case "P569":
                return value.lstrip("0") in told(*BORN)
            case "P570":
                return value.lstrip("0") in told(*DIED)
            case "P580":
                return value in told(r"^(\d{4})[–-]\d{4} (?:global )?conflict")
            case "P582":
                return value in told(r"^\d{4}[–-](\d{4}) (?:global )?conflict")
            case "P31":
                kinds = {
                    "Q4022": text.startswith("river in "),
                    "Q11424": is_film,
                    "Q8261": re.search(r"\bnovel by [A-Z]", text) is not None,
                    "Q11344": re.search(ELEMENT, text) is not None,
                    "Q634": re.search(r"\bplanet\b.* Sun\b", text) is not None,
                }
                return kinds.get(value, False)
            case "P50":
                return label in told(WRITTEN)
            case "P170":
                return label in told(PAINTED)
            case "P1086":
                return re.search(ELEMENT, text) is not None and value in told(*ATOMIC)
            case "P246":
                return value.strip('"') in told(r"\bsymbol ([A-Z][a-z]?)\b")
            case "P577":
                of_film = is_film and value in told(r"^(\d{4})\b", r"\bfilm (\d{4})$")
                return of_film or value in told(r"^(\d{4}) novel by ")
            case "P57":
                return is_film and label in told(rf"{FILM}(?: directed)? by ([A-Z].*)$")
            case "P36":
                return re.search(CAPITAL.format(own), about) is not None
            case "P1376" | "P17":
                patterns = [CAPITAL, CITY] if prop == "P17" else [CAPITAL]
                places = [pattern.format(re.escape(label)) for pattern in patterns]
                return label != "" and any(re.search(place, text) for place in places)
            case "P37" | "P38":
                kind = "official language" if prop == "P37" else "currency"
                return re.search(rf"\b{kind} of (?:the )?{own}\b", about) is not None
            case "P35":
                return re.search(RULERS.format(own), about) is not None
        return False

    def qualifies(self, key: Key, qualifier: Qualifier) -> bool:
        """Whether the description of a head of state names the year as start or end of a term."""
        (subject, prop, value), (when, year) = key, qualifier
        text = self.texts.get(value, "")
        title = re.search(RULERS.format(re.escape(self.labels[subject])), text)
        if prop != "P35" or title is None:
            return False
        found = re.match(TERM, text[title.end() :].lstrip())
        if found is None:
            return False
        start, end, since, terms = found.groups()
        spans = (
            [span.split("–") for span in terms.split(", ")] if terms else [[start or since, end]]
        )
        return year in {span[0 if when == "P580" else 1] for span in spans}


def descriptions(data: Path) -> dict[str, str]:
    """Wikidata's description by id."""
    cells = (line.split("\t") for line in lines(data / "wikidata_slice" / "entities.tsv"))
    return {row[0]: row[2].replace("Republic of Macedonia", "North Macedonia") for row in cells}


# --- MetaQA's films -----------------------------------------------------------------------------

SIRK = "L1001"
RELATIONS = {
    "P57": "directed_by",
    "P161": "starred_actors",
    "P58": "written_by",
    "P50": "written_by",
    "P577": "release_year",
    "P136": "has_genre",
}
GENRES = {"Q130232": "Drama", "Q645928": "Biography", "Q1054574": "Romance"}
JOBS = {
    "Q2526255": "directed_by",
    "Q33999": "starred_actors",
    "Q28389": "written_by",
    "Q36180": "written_by",
}
# MetaQA has one node for two films called Imitation of Life: what belongs to that of 1934.
NOT_SIRKS = {"John M. Stahl", "Claudette Colbert", "Warren William", "Rochelle Hudson", "1934"}
NOT_SIRKS |= {"William Hurlbut"}

# Other films whose director Wikidata's extracts do not name.
FILMS = {"Q132863", "Q171048", "Q177922"}

# Directors whose films are MetaQA's as well, but for those made with others.
DIRECTORS = ("Q2001", "Q3772", "Q7374", "Q8877", "Q25191", "Q41148")


class Films:
    """MetaQA's facts about the films of some directors, and who took part in Sirk's."""

    def __init__(
        self, kb: Iterable[tuple[str, str, str]], claims: Iterable[Claim], labels: Mapping[str, str]
    ) -> None:
        self._values: dict[tuple[str, str], set[str]] = defaultdict(set)
        self._titles: dict[tuple[str, str], set[str]] = defaultdict(set)
        for title, relation, end in kb:
            self._values[title, relation].add(end)
            self._titles[relation, end].add(title)
        self._labels = labels
        self._directed: dict[str, set[str]] = defaultdict(set)  # director: films of the files
        for claim in claims:
            subject, prop, value = claim.key
            if prop == "P57":
                self._directed[value].add(subject)

    def source(self) -> Source:
        return Source("MetaQA", self.states, names=self.names)

    def _listed(self, film: str) -> set[str]:
        """Labels of those of DIRECTORS whom both our files and MetaQA give the film."""
        ours = {self._labels[key] for key in DIRECTORS if film in self._directed[key]}
        return ours & self._values.get((self._labels[film], "directed_by"), set())

    def states(self, key: Key) -> bool:
        subject, prop, value = key
        name = self._labels[subject]
        said = self._values.get((name, RELATIONS.get(prop, "")), set())
        is_film = (prop, value) == ("P31", "Q11424")
        if self._listed(subject):
            if is_film or (prop == "P57" and self._labels[value] in said):
                return True
            if prop == "P577" and said == {value}:  # two years: two films of one title
                return True
        if subject in self._directed[SIRK]:
            label = GENRES.get(value, self._labels.get(value, value))
            if is_film:
                return "Douglas Sirk" in self._values.get((name, "directed_by"), set())
            return label in said and not (name == "Imitation of Life" and label in NOT_SIRKS)
        if subject in FILMS:
            return prop == "P57" and self._labels[value] in said
        if subject.startswith("L") and prop == "P31" and value == "Q5":
            return self._took_part(name)
        return subject.startswith("L") and prop == "P106" and self._took_part(name, value)

    def _took_part(self, name: str, job: str = "") -> bool:
        relations = [JOBS[job]] if job in JOBS else [] if job else JOBS.values()
        return any((relation, name) in self._titles for relation in relations)

    def names(self, key: str, label: str) -> bool:
        if not key.startswith("L"):
            return False
        if any(key in self._directed[director] for director in DIRECTORS):
            return bool(self._listed(key))
        return label in self._titles["directed_by", "Douglas Sirk"] or self._took_part(label)

    def gaps(self) -> list[str]:
        """Films that MetaQA gives to a director alone, which are not in the files."""
        found = []
        for director in (SIRK, *DIRECTORS):
            name = self._labels[director]
            ours = {self._labels[film].casefold() for film in self._directed[director]}
            for title in sorted(self._titles["directed_by", name]):
                alone = director == SIRK or self._values[title, "directed_by"] == {name}
                if alone and title.casefold() not in ours:
                    found.append(f"{name}: MetaQA's film {title} is not in the files")
        return found


# --- passages -----------------------------------------------------------------------------------

FOOT = 0.3048  # metres
TEXT_NAMES = {"L1057": "1984"}  # as the sentences call it, where the label is longer
PRINTED = "Q15070048"  # an id that a paper prints beside the label


class Passage(NamedTuple):
    """A statement or qualifier that a text states: the paper's words, or a sentence's digest."""

    source: str  # a paper's number, a question set, `known` for general knowledge
    key: Key
    value: str  # with its unit
    qualifier: Qualifier | None
    words: str


def passages(path: Path = PASSAGES) -> list[Passage]:
    found = []
    for line in path.read_text(encoding="utf-8").splitlines()[1:]:
        source, subject, prop, value, qualifier, words = line.split("\t")
        key = (subject.split(" ", 1)[0], prop.split(" ", 1)[0], rows.plain(value))
        pair = qualifiers(qualifier)[0] if qualifier else None
        found.append(Passage(source, key, value, pair, words))
    return found


def squeezed(text: str) -> str:
    """Letters and digits only, without accents and case: texts of papers are torn."""
    plain = unicodedata.normalize("NFKD", text.casefold()).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]", "", plain)


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:20]


class Texts:
    """Passages with the texts they are from: papers by number, sentences by set and digest."""

    def __init__(
        self,
        passages: Sequence[Passage],
        papers: Mapping[str, str],
        sentences: Mapping[tuple[str, str], str],
    ) -> None:
        self._passages = passages
        self._papers = papers
        self._sentences = sentences
        self._stated = {
            (passage.key, passage.qualifier): passage
            for passage in passages
            if not self._problem(passage)
        }

    def source(self) -> Source:
        return Source(
            "passages",
            lambda key: any((form, None) in self._stated for form in forms(key)),
            lambda key, qualifier: (key, qualifier) in self._stated,
            self.names,
        )

    def _problem(self, passage: Passage) -> str:
        """Why the text does not state it; empty when it does."""
        if passage.source == "known":
            return ""
        if passage.source in self._papers:
            there = squeezed(passage.words) in self._papers[passage.source]
            return "" if there else "these words are not in the paper"
        text = self._sentences.get((passage.source, passage.words))
        if text is None:
            return "its sentence is not in the set"
        value = passage.value
        if match := re.search(r"\b([\d,]+) feet\b", text):
            metres = round(int(match[1].replace(",", "")) * FOOT)
            return "" if value == f"{metres} Q11573 metre" else f"the sentence says {metres} metres"
        if rows.DATE.fullmatch(value):
            return "" if value[:4] in text else "the sentence does not name the year"
        if rows.QUANTITY.fullmatch(value):
            number = "one" if value == "1" else value
            named = number in re.findall(r"[\w,]+", text)
            return "" if named else "the sentence does not name the number"
        return ""

    def names(self, key: str, label: str) -> bool:
        """A local thing is called as its sentence or any paper calls it."""
        told = [passage for passage in self._passages if key in (passage.key[0], passage.key[2])]
        if any(passage.source == "known" for passage in told):
            return True
        name = squeezed(TEXT_NAMES.get(key, label))
        sentences = [self._sentences.get((p.source, p.words), "") for p in told]
        if any(name in squeezed(sentence) for sentence in sentences):
            return True
        return (key.startswith("L") or key == PRINTED) and any(
            name in paper for paper in self._papers.values()
        )

    def problems(self, claims: Iterable[Claim]) -> list[str]:
        """Passages that are not in their text, or that are listed for no statement."""
        keys = {claim.key for claim in claims}
        found = []
        for passage in self._passages:
            problem = self._problem(passage) or (
                "" if passage.key in keys else "no such statement is in the files"
            )
            if problem:
                found.append(f"{PASSAGES.name}: {' '.join(passage.key)}: {problem}")
        return found


def papers(folder: Path) -> dict[str, str]:
    """The papers' texts, squeezed, by the beginning of the file name."""
    return {file.name[:3]: squeezed(file.read_text("utf-8")) for file in folder.glob("*.txt")}


def sentences(data: Path) -> dict[tuple[str, str], str]:
    """StrategyQA's facts and CREAK's true claims, of the parts to train with."""
    asked = json.loads("".join(lines(data / "strategyqa" / "train.json")))
    claimed = [json.loads(line) for line in lines(data / "creak" / "train.json")]
    told = [("strategyqa", fact) for row in asked for fact in row["facts"]]
    told += [("creak", row["sentence"]) for row in claimed if row["label"] == "true"]
    return {(name, digest(text)): text for name, text in told}


# --- rules --------------------------------------------------------------------------------------

# Whose notable works are their own: the property that leads from the work back to them.
MAKERS = {
    "P50": "Q692 Q892 Q1512 Q3335 Q6711 Q7241 Q7243 Q7245 Q30875 Q34660 Q35610 Q38082 Q39212 "
    "Q40640 Q40909 Q43718 Q44306 Q47152 Q5686 Q60025 Q72334 Q79904 Q101638 Q183492 Q215868".split(),
    "P86": ["Q4700"],
    "P170": "Q762 Q5582 Q5593".split(),
}


def rules(known: Collection[Key], humans: Collection[str]) -> Source:
    """Who is human, and the maker of a work, known as its maker's notable work."""

    def states(key: Key) -> bool:
        subject, prop, value = key
        if (prop, value) == ("P31", "Q5"):
            return subject in humans
        return value in MAKERS.get(prop, ()) and (value, "P800", subject) in known

    return Source("rules", states)


# --- the starter graph --------------------------------------------------------------------------


def qualifiers(cell: str) -> tuple[Qualifier, ...]:
    return tuple(
        (prop.split(" ", 1)[0], rows.plain(value)) for prop, value in rows.qualifier_pairs(cell)
    )


def starter() -> tuple[list[Claim], dict[str, str]]:
    """The claims of assets/starter, and the labels of its entities."""
    claims = [
        Claim(fact.where, (fact.s, fact.p, fact.o), qualifiers(fact.qualifiers))
        for fact in rows.facts()
    ]
    return claims, {key: row[0] for key, row in rows.entities().items()}


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, default=DATA, help="the sources' folder")
    parser.add_argument("--papers", type=Path, default=PAPERS, help="texts of the papers")
    given = parser.parse_args(argv)
    for folder in (given.data, given.papers):
        if not folder.is_dir():
            parser.error(f"{folder} is not there: it has the sources, no part of the repository.")
    claims, labels = starter()
    found = extracts(given.data, labels)
    kb = (tuple(line.split("|")) for line in lines(given.data / "metaqa" / "kb.txt"))
    films = Films(kb, claims, labels)
    texts = Texts(passages(), papers(given.papers), sentences(given.data))
    wrong = disagreements(
        claims,
        labels,
        (
            found.source(),
            Descriptions(descriptions(given.data), labels).source(),
            films.source(),
            texts.source(),
            rules(found.known, rows.derived_humans()),
        ),
    )
    wrong += texts.problems(claims) + films.gaps()
    print("\n".join(wrong or [f"{len(claims)} statements, each with its source"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
