"""Public questions with their queries, each in one part only: encoder, weights, thresholds, report.

A question's part is a hash of its words, so the same question in two sets is in one part. What is
in `report`, and QALD-10, is in no other: it is read once, at the end.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kgqa_core.text import fold
from tests.places import ROOT

DATA = ROOT.parent / "shared" / "data"
PARTS = ("encoder", "weights", "thresholds", "report")
_WD = (
    "PREFIX wd: <http://www.wikidata.org/entity/> "
    "PREFIX wdt: <http://www.wikidata.org/prop/direct/> "
)


@dataclass(frozen=True)
class Row:
    source: str
    id: str
    question: str
    sparql: str
    part: str


def rows() -> Iterator[Row]:
    """All Wikidata questions, in a fixed order. Raises OSError where the data is not there."""
    kept = {_plain(r.question) for r in _raw() if r.part == "report"} | qald10()
    for r in _raw():
        if r.part == "report" or _plain(r.question) not in kept:
            yield r


def qald10() -> set[str]:
    path = DATA / "qald10" / "qald_10_en_offline.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines()
    return {_plain(json.loads(line)["question"]) for line in lines}


def _raw() -> Iterator[Row]:
    for r in _lines(DATA / "lcquad2" / "test.jsonl.gz"):
        part = _part(r["question"], report=True)
        for n, text in enumerate([r["question"], *r.get("paraphrases", ())]):
            if text and len(text.split()) > 2 and (n == 0 or part == "encoder"):
                yield Row("lcquad2", f"{r['id']}.{n}", text, r["sparql"], part)
    with gzip.open(DATA / "lcquad2" / "train_1k_with_answers.json.gz", "rt", encoding="utf-8") as f:
        for r in json.load(f):
            if r.get("question") and len(str(r["question"]).split()) > 2:
                query = _WD + r["sparql_wikidata"]
                yield Row("lcquad2-1k", str(r["uid"]), r["question"], query, "encoder")
    for r in _lines(DATA / "wikiwebquestions" / "train.jsonl.gz"):
        yield Row("wwq", r["id"], r["question"], r["sparql"], _part(r["question"]))
    for r in _lines(DATA / "wikiwebquestions" / "val.jsonl.gz"):
        yield Row("wwq-val", r["id"], r["question"], r["sparql"], "report")
    for name in ("train", "test"):
        lines = (DATA / "qald7" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
        for r in map(json.loads, lines):
            yield Row("qald7", r["id"], r["question"], r["sparql"], _part(r["question"]))
        file = DATA / "qald9plus" / f"{name}_en_sparql.json"
        for r in json.loads(file.read_text(encoding="utf-8")):
            yield Row("qald9", r["id"], r["question"], r["sparql"], _part(r["question"]))
    for name, source in (("train", "sq"), ("valid", "sq-valid")):
        path = DATA / "simplequestions_wikidata" / f"{name}_answerable.tsv.gz"
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for n, line in enumerate(lines):
                subject, prop, _, question = line.rstrip("\n").split("\t")
                triple = f"wd:{subject} wdt:{prop} ?x"
                if prop.startswith("R"):
                    triple = f"?x wdt:P{prop[1:]} wd:{subject}"
                query = f"{_WD}SELECT DISTINCT ?x WHERE {{ {triple} . }}"
                part = "report" if source == "sq-valid" else _part(question)
                yield Row(source, f"{name}-{n}", question, query, part)


def metaqa() -> Iterator[tuple[str, str, tuple[str, ...], str]]:
    """(question with the name masked, name, the kinds of nodes along the way, part).

    Every other line of the development questions: the half that templates are learned from, not
    the one that is measured.
    """
    for hops in (1, 2, 3):
        home = DATA / "metaqa" / f"{hops}-hop"
        texts, kinds = (
            gzip.decompress((home / name).read_bytes()).decode().splitlines()
            for name in ("qa_dev.txt.gz", "qa_dev_qtype.txt.gz")
        )
        for text, kind in list(zip(texts, kinds, strict=True))[::2]:
            question = text.split("\t")[0]
            name = question[question.index("[") + 1 : question.index("]")]
            masked = question.replace(f"[{name}]", "X")
            yield masked, name, tuple(kind.strip().split("_to_")), _part(masked)


def simple_triples() -> Iterator[str]:
    """Lines of triples: those of SimpleQuestions' training questions that no encoder has learned
    from, where both ends have a name in the slice."""
    with gzip.open(DATA / "wikidata_slice" / "entities.tsv.gz", "rt", encoding="utf-8") as lines:
        next(lines)
        named = {cells[0] for line in lines if (cells := line.split("\t"))[1]}
    path = DATA / "simplequestions_wikidata" / "train_answerable.tsv.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            subject, prop, value, question = line.rstrip("\n").split("\t")
            if _part(question) != "encoder" and {subject, value} <= named:
                if prop.startswith("R"):
                    subject, prop, value = value, f"P{prop[1:]}", subject
                yield f"{subject}\t{prop}\t{value}\tsq_gold\n"


def _lines(path: Path) -> Iterator[dict]:  # type: ignore[type-arg]
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def _plain(question: str) -> str:
    return " ".join(fold(question).rstrip("?. ").split())


def _part(question: str, *, report: bool = False) -> str:
    """7 of 10 to the encoder, 1 each to weights and thresholds, 1 to report or to the weights."""
    place = hashlib.blake2b(_plain(question).encode(), digest_size=4).digest()
    at = int.from_bytes(place, "big") % 10
    if at < 7:
        return "encoder"
    return {7: "weights", 8: "thresholds", 9: "report" if report else "weights"}[at]
