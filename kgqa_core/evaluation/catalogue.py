"""Public question sets: where each is at home, under which licence, and how to get it.

A set that can be fetched names its files at a fixed revision, so that everybody measures on the
same questions. The others say where a person gets them. Nothing is fetched unless asked for.

`network.fetch` gives whole answers from memory; these are files that go on where they broke off,
from addresses that stand here and that nobody types. What it guards against holds here too: a limit
of bytes, and a time between two pieces.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import requests
from filelock import FileLock, Timeout

from kgqa_core.ask.run import StopToken
from kgqa_core.errors import SourceError, SourceRejected, SourceUnavailable, Stopped
from kgqa_core.evaluation.datasets.base import DatasetError
from kgqa_core.kg.polite import user_agent

_GITHUB = "https://raw.githubusercontent.com"
_TRIES = 3  # of a transfer that breaks off; each goes on where the last one ended
_TIMEOUT_S = (10, 30)  # to connect, and between two pieces
_MOST_BYTES = 1 << 30  # of one file
_PIECE = 1 << 13  # what is lost at most when a transfer breaks off
_SIZE = re.compile(r"[0-9]{1,15}")
_RECORD = "record.json"


@dataclass(frozen=True)
class Entry:
    """A question set. `url` empty: it has to be fetched by hand, as `by_hand` says.

    `bytes` and `sha256` None: not known beforehand; the first download is recorded, and later
    ones must be the same file.
    """

    name: str
    title: str
    home: str
    licence: str
    questions: int
    format: str
    about: str
    url: str = ""
    by_hand: str = ""
    bytes: int | None = None
    sha256: str | None = None
    graph: str = "Wikidata"

    @property
    def file(self) -> str:
        return self.url.rsplit("/", 1)[-1]


def _github(repository: str, revision: str, path: str) -> str:
    return f"{_GITHUB}/{repository}/{revision}/{path}"


_UNSTATED = "not stated"
_RRR = "12217dcfe1924249d6077d220ecb826cec11abf1"
_SIMPLE = "d58754c481fb4c084bf4f7e73c82a78be1fa9c08"
_WWQ = "b9b8f237efa5bc9dcfcdf1859f308f42cd6f3d71"

CATALOGUE: dict[str, Entry] = {
    entry.name: entry
    for entry in (
        Entry(
            "qald-10",
            "QALD-10, test",
            "https://github.com/KGQA/QALD-10",
            "MIT",
            394,
            "qald",
            "Usbeck et al. 2023: complex questions with SPARQL, half of them need a set operation. "
            "The frozen answers hold errors; many counts are 0.",
            _github(
                "KGQA/QALD-10",
                "5c51e5b1951db1f6cba25f154216934401d60aff",
                "data/qald_10/qald_10.json",
            ),
        ),
        Entry(
            "qald-9-plus",
            "QALD-9-plus",
            "https://github.com/KGQA/QALD_9_plus",
            "CC BY 4.0",
            371,
            "qald",
            "Perevalov et al. 2022: QALD-9 in more languages, with SPARQL over Wikidata.",
            by_hand="Take a file for Wikidata from the folder `data`.",
        ),
        Entry(
            "metaqa",
            "MetaQA",
            "https://github.com/yuyuz/MetaQA",
            "CC BY 3.0",
            39_093,
            "metaqa",
            "Zhang et al. 2018: films, one to three hops, over a graph of its own.",
            by_hand="Its page links to the files: `kb.txt` is the graph, `qa_test.txt` has the "
            "questions. Load the graph on the Knowledge graphs page.",
            graph="MetaQA's film graph",
        ),
        Entry(
            "webqsp",
            "WebQuestionsSP",
            "https://www.microsoft.com/en-us/download/details.aspx?id=52763",
            "Microsoft's own, research use",
            1_639,
            "webqsp",
            "Yih et al. 2016: questions of web users, over Freebase.",
            by_hand="You have to accept a licence there first.",
            graph="Freebase",
        ),
        Entry(
            "wikiwebquestions",
            "WikiWebQuestions, dev",
            "https://github.com/stanford-oval/wikidata-emnlp23",
            _UNSTATED,
            454,
            "webqsp",
            "Xu et al. 2023: WebQuestionsSP, annotated anew over Wikidata.",
            _github("stanford-oval/wikidata-emnlp23", _WWQ, "WikiWebQuestions/dev.json"),
        ),
        Entry(
            "simplequestions",
            "SimpleQuestions over Wikidata, answerable, test",
            "https://github.com/askplatypus/wikidata-simplequestions",
            "CC BY 3.0",
            5_622,
            "simplequestions",
            "Bordes et al. 2015, mapped by Diefenbach et al. 2017: one fact each.",
            _github(
                "askplatypus/wikidata-simplequestions",
                _SIMPLE,
                "annotated_wd_data_test_answerable.txt",
            ),
        ),
        Entry(
            "lc-quad-2",
            "LC-QuAD 2.0",
            "https://github.com/AskNowQA/LC-QuAD2.0",
            "CC BY 4.0",
            30_000,
            "lcquad2",
            "Dubey et al. 2019: generated questions, put into words by people.",
            by_hand="Its page links to the files.",
        ),
        Entry(
            "cr-lt-claims",
            "CR-LT, claims",
            "https://github.com/D3Mlab/cr-lt-kgqa",
            _UNSTATED,
            150,
            "crlt",
            "Guo et al. 2024: commonsense claims about long-tail entities.",
            _github(
                "D3Mlab/cr-lt-kgqa",
                "b21ab7eb57c36447114bbd4c545aa49a97ec554b",
                "CR-LT-ClaimVerification.json",
            ),
        ),
        Entry(
            "r3-questions",
            "R3, yes/no questions",
            "https://github.com/atoroghi/RRR-release",
            _UNSTATED,
            200,
            "r3",
            "Toroghi et al. 2024: StrategyQA, original and long-tail; CR-LT's questions.",
            _github("atoroghi/RRR-release", _RRR, "data/StrategyQA/StrategyQA_Modified_new.csv"),
        ),
        Entry(
            "r3-claims",
            "R3, claims",
            "https://github.com/atoroghi/RRR-release",
            _UNSTATED,
            150,
            "r3",
            "Toroghi et al. 2024: CREAK, original and long-tail.",
            _github("atoroghi/RRR-release", _RRR, "data/Creak/Creak_Modified_new.csv"),
        ),
        Entry(
            "recipe-mpr",
            "Recipe-MPR",
            "https://github.com/D3Mlab/Recipe-MPR",
            "Apache-2.0",
            500,
            "recipe-mpr",
            "Zhang et al. 2023: which of five recipes fits a request.",
            _github(
                "D3Mlab/Recipe-MPR",
                "a097b23964204826c92a6a766b15057a3c0b9607",
                "data/500QA.json",
            ),
            graph="recipes",
        ),
        Entry(
            "recipe-mpr-personas",
            "Recipe-MPR with personas",
            "https://github.com/atoroghi/RRR-release",
            _UNSTATED,
            100,
            "recipe-mpr",
            "Toroghi et al. 2024: the choice depends on facts about who asks.",
            _github("atoroghi/RRR-release", _RRR, "data/Recipe-MPR/commonsense_dict_final.json"),
            graph="recipes",
        ),
        Entry(
            "strategyqa",
            "StrategyQA",
            "https://allenai.org/data/strategyqa",
            "MIT",
            2_290,
            "strategyqa",
            "Geva et al. 2021: yes/no questions whose steps are not in their words.",
            by_hand="Its page links to an archive: unpack it and take `strategyqa_train.json`.",
        ),
        Entry(
            "creak",
            "CREAK, dev",
            "https://github.com/yasumasaonoe/creak",
            "MIT",
            1_371,
            "creak",
            "Onoe et al. 2021: commonsense claims about entities.",
            _github(
                "yasumasaonoe/creak",
                "a871bf0f133275564efa56bafb47d7dbe02d0c00",
                "data/creak/dev.json",
            ),
        ),
        Entry(
            "tog-webquestions",
            "WebQuestions as ToG asks it",
            "https://github.com/IDEA-FinAI/ToG",
            "Apache-2.0 by its README, no licence file",
            2_032,
            "webqsp",
            "Sun et al. 2024: with the topic entities ToG was given.",
            _github(
                "IDEA-FinAI/ToG",
                "8e40d5d967e4d74bf891e968e5b78763ba35205b",
                "data/WebQuestions.json",
            ),
        ),
    )
}


@dataclass(frozen=True)
class Progress:
    """`of` None: the server does not say how much it is."""

    bytes: int
    of: int | None


@dataclass(frozen=True)
class Download:
    """A set that is here. `sha256` is that of the file as it was first fetched."""

    path: Path
    sha256: str
    bytes: int
    checked: bool  # against a checksum that was known before


def folder_of(data_dir: Path) -> Path:
    return data_dir / "benchmarks" / "sets"


def downloaded(entry: Entry, folder: Path) -> Download | None:
    """The set, where it was fetched into `folder` before."""
    path, record = folder / entry.name / entry.file, _record(entry, folder)
    if not entry.url or record is None or not path.is_file():
        return None
    return Download(path, *record, entry.sha256 is not None)


def download(
    entry: Entry,
    folder: Path,
    *,
    on_progress: Callable[[Progress], None] = lambda progress: None,
    stop: StopToken | None = None,
    most: int = _MOST_BYTES,
) -> Download:
    """Fetches a set; one that broke off, or was stopped, goes on where it was.

    Raises DatasetError for a set that has to be fetched by hand, SourceRejected for a file that
    is gone, does not end, or is another one than is known, SourceUnavailable when the transfer
    keeps breaking off, and Stopped.
    """
    if not entry.url:
        raise DatasetError(
            f"{entry.title} has to be fetched by hand from {entry.home}. {entry.by_hand}"
        )
    here = folder / entry.name
    try:
        here.mkdir(parents=True, exist_ok=True)
        with FileLock(here / ".lock", timeout=0):
            return _fetch(entry, folder, on_progress, stop or StopToken(), most)
    except Timeout:
        raise SourceUnavailable(
            f"{entry.title} is being downloaded already.", source=entry.home
        ) from None
    except OSError as error:
        if isinstance(error, requests.RequestException):
            raise
        raise SourceUnavailable(
            f"{entry.title} cannot be written to {here} ({error.strerror}): make room, or set "
            "KGQA_DATA_DIR to another folder.",
            source=str(here),
        ) from error


def remove(entry: Entry, folder: Path) -> None:
    """Deletes the file; its checksum stays on record."""
    (folder / entry.name / entry.file).unlink(missing_ok=True)


def _fetch(
    entry: Entry,
    folder: Path,
    on_progress: Callable[[Progress], None],
    stop: StopToken,
    most: int,
) -> Download:
    part = folder / entry.name / f"{entry.file}.part"
    for left in reversed(range(_TRIES)):
        try:
            _transfer(entry, part, on_progress, stop, most)
            break
        except SourceUnavailable:
            if not left:
                raise
    found = _sha256(part)
    record = _record(entry, folder)
    known = entry.sha256 or (record[0] if record else None)
    if known and found != known:
        part.unlink()
        raise SourceRejected(
            f"{entry.title}: the file from {entry.url} is not the one that is known (its SHA-256 "
            f"is {found[:12]}…, not {known[:12]}…). It was not kept.",
            source=entry.home,
        )
    size = part.stat().st_size
    written = {
        "sha256": found,
        "bytes": size,
        "url": entry.url,
        "downloaded_at": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    (folder / entry.name / _RECORD).write_text(json.dumps(written, indent=1) + "\n")
    path = folder / entry.name / entry.file
    os.replace(part, path)
    return Download(path, found, size, known is not None)


def _transfer(
    entry: Entry,
    part: Path,
    on_progress: Callable[[Progress], None],
    stop: StopToken,
    most: int,
) -> None:
    """The rest of the file, added to what is there. Raises SourceUnavailable when it breaks off."""
    have = part.stat().st_size if part.is_file() else 0
    of: int | None = None
    headers = {
        "User-Agent": user_agent(f"requests/{requests.__version__}"),
        "Accept-Encoding": "identity",
    }
    if have:
        headers["Range"] = f"bytes={have}-"
    try:
        with requests.get(entry.url, headers=headers, stream=True, timeout=_TIMEOUT_S) as reply:
            if reply.status_code == 416:  # all of it is here, or the file has changed
                if have == _total(reply, 0):
                    return
                part.unlink()
                raise SourceUnavailable("It has changed meanwhile.", source=entry.home)
            _refuse(entry, reply)
            if reply.status_code != 206:
                have = 0  # this server cannot go on in the middle
            of = _total(reply, have)
            with part.open("ab" if have else "wb") as out:
                for piece in reply.iter_content(_PIECE):
                    if stop.pressed:
                        raise Stopped("Stopped by the user; the next download goes on from here.")
                    have += len(piece)
                    if have > most:
                        part.unlink()
                        raise SourceRejected(
                            f"{entry.title}: the file from {entry.url} has more than "
                            f"{most >> 20} MB. It was not kept.",
                            source=entry.home,
                        )
                    out.write(piece)
                    on_progress(Progress(have, of))
    except requests.exceptions.ChunkedEncodingError:
        pass  # it ended too early: said below
    except requests.RequestException as error:
        raise SourceUnavailable(
            f"{entry.title} cannot be reached at {entry.home} ({type(error).__name__}). Try again "
            "later: the download goes on where it was.",
            source=entry.home,
        ) from error
    else:
        if of is None or have >= of:
            return
    said = f" of {of:,}" if of is not None else ""
    raise SourceUnavailable(
        f"{entry.title} broke off after {have:,}{said} bytes. Try again: the download goes on "
        "from there.",
        source=entry.home,
    )


def _refuse(entry: Entry, reply: requests.Response) -> None:
    status = reply.status_code
    if status < 300:
        return
    kind: type[SourceError] = SourceRejected
    advice = f"The file may have moved: look at {entry.home}."
    if status == 429 or status >= 500:
        kind, advice = SourceUnavailable, "Try again later."
    raise kind(f"{entry.url} answers with status {status}. {advice}", source=entry.home)


def _total(reply: requests.Response, have: int) -> int | None:
    """The size of the whole file, as far as the server says."""
    span = reply.headers.get("Content-Range", "").rpartition("/")[2]
    if _SIZE.fullmatch(span):
        return int(span)
    length = reply.headers.get("Content-Length", "")
    return have + int(length) if _SIZE.fullmatch(length) and reply.status_code == 200 else None


def _record(entry: Entry, folder: Path) -> tuple[str, int] | None:
    """Checksum and size of the first download."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        found = json.loads((folder / entry.name / _RECORD).read_text())
        return str(found["sha256"]), int(found["bytes"])
    return None


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
