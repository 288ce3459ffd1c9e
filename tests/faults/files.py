"""Files of strangers: graphs to load, runs to import, each read whole or refused in a sentence.

A graph file that is refused leaves nothing behind; a run that is read can be shown and exported.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

from kgqa_core.errors import KGQAError
from kgqa_core.history.run_file import exported, imported
from kgqa_core.kg.folder import open_folder
from kgqa_core.kg.load import load
from kgqa_core.render.graph import snapshot
from kgqa_core.render.standalone import player_html
from kgqa_core.render.steps import facts, steps
from kgqa_core.render.texts import csv_steps, markdown, ntriples
from tests.faults.cells import Cell, sentence_wrong
from tests.history.stores import full_run, header
from tests.kg.test_bad_documents import DOCUMENT
from tests.kg.test_files import HEAVY_XML, REFUSED, rdf_xml
from tests.test_parsers import GRAPHS

_BROKEN = 40  # documents of each kind, each broken in its own way
_MOST_MB = 600  # of memory, for a file of 100 MB that is one text
_WILD: dict[str, Any] = {
    "null": None,
    "empty": "",
    "negative": -1,
    "huge": 10**40,
    "endless": float("inf"),
    "half a character": "\ud800",
    "long": "x" * 30_000,
    "markup": "<img src=x onerror=pwned()>",
    "path": "../../etc/passwd",
    "list": [],
    "deep": [[[[[{}]]]]],
    "object": {"kind": "answered"},
    "true": True,
}


def cells(folder: Path, broken: int = _BROKEN, step: int = 1) -> list[Cell]:
    """`broken` documents of each kind; of the places in a run file every `step`-th is changed."""
    return [*graphs(folder / "graphs", broken), *runs(step)]


# -- graphs --------------------------------------------------------------------------------------


def graphs(folder: Path, broken: int = _BROKEN) -> list[Cell]:
    documents: list[tuple[str, str, bytes]] = []
    for name, given, _ in REFUSED:
        content = given() if callable(given) else given
        whole = content if isinstance(content, bytes) else content.encode()
        documents.append(("graph file, hostile", name, whole))
    documents += [("graph file, hostile", f"{n}.rdf", x.encode()) for n, x in HEAVY_XML.items()]
    documents.append(("graph file, hostile", "odd.jsonl", json.dumps(DOCUMENT).encode()))
    chance = random.Random(7)
    for kind, document in GRAPHS.items():
        for n in range(broken):
            name = f"{n}.{kind}"
            documents.append((f"graph file, broken {kind}", name, _broken(document, chance)))
    return [partial(_load, folder / str(n), *one)() for n, one in enumerate(documents)]


def _broken(document: bytes, chance: random.Random) -> bytes:
    """A document after a few accidents: something is cut out, doubled, replaced or put in."""
    for _ in range(chance.randint(1, 3)):
        start = chance.randrange(len(document) + 1)
        end = start + chance.randint(0, 20)
        put = chance.choice(
            [
                b"",
                document[start:end] * 2,
                chance.randbytes(4),
                b"<",
                b'"',
                b"\x00",
                b"\xed\xa0\x80",
            ]
        )
        document = document[:start] + put + document[end:]
    return document


def _load(folder: Path, row: str, name: str, content: bytes) -> Cell:
    folder.mkdir(parents=True)
    file = folder / name
    file.write_bytes(content)
    began = time.monotonic()
    wrong, there = "", [name]
    try:
        done = load([file], folder / "graph")
        there.append("graph")
        told = list(open_folder(done.folder).all_statements())
        if done.statements and not told:
            wrong = "is loaded, and says nothing"
    except KGQAError as error:
        wrong = sentence_wrong(str(error))
    except Exception as error:
        wrong = f"ended as {type(error).__name__}: {error}"[:300]
    left = sorted(path.name for path in folder.iterdir())
    if not wrong and left != sorted(there):
        wrong = f"left {', '.join(left)}"
    return Cell(row, name, wrong, seconds=time.monotonic() - began)


def large(folder: Path, size: int = 100 << 20) -> list[Cell]:
    """Files that are one endless text, each loaded by a process of its own that is watched."""
    text = "x" * size
    value = f'<http://a/s> <http://a/p> "{text}" .\n'
    deep = "<e:p><rdf:Description>" * (size // 500)
    endless: dict[str, Callable[[], str]] = {
        "text.nt": lambda: value,
        "text.ttl": lambda: value,
        "text.nq": lambda: value,
        "text.jsonld": lambda: f'{{"@id": "http://a/s", "http://a/p": ["{text}"]}}',
        "text.rdf": lambda: rdf_xml(f"<e:p>{text}</e:p>"),
        "data.rdf": lambda: rdf_xml(f"<e:p><![CDATA[{'<x' * (size // 2)}]]></e:p>"),
        "markup.rdf": lambda: rdf_xml(
            f'<e:p rdf:parseType="Literal">{"<b>x</b>" * (size // 8)}</e:p>'
        ),
        "attribute.rdf": lambda: rdf_xml(f'<e:p rdf:resource="{text}"/>'),
        "deep.rdf": lambda: rdf_xml(deep),
        "cell.tsv": lambda: f"Anna\tsays\tso\nAnna\tsays\t{text}\nBen\tsays\tso\n",
        "line.jsonl": lambda: f'{{"s": "Q1", "p": "P1", "o": "{text}"}}\n',
    }
    folder.mkdir(parents=True)
    return [_watched(folder, name, made) for name, made in endless.items()]


_LOAD = """
import sys
from pathlib import Path
from kgqa_core.errors import KGQAError
from kgqa_core.kg.load import load
try:
    load([Path(sys.argv[1])], Path(sys.argv[2]))
except KGQAError as error:
    print(error)
said = Path("/proc/self/status").read_text()
print(int(said.partition("VmHWM:")[2].split()[0]) >> 10)
"""


def _watched(folder: Path, name: str, made: Callable[[], str]) -> Cell:
    began = time.monotonic()
    file, into = folder / name, folder / "graph"
    file.write_text(made())
    done = subprocess.run(
        [sys.executable, "-c", _LOAD, str(file), str(into)], capture_output=True, text=True
    )
    file.unlink()
    *said, megabytes = done.stdout.splitlines() or [f"status {done.returncode}"]
    wrong = sentence_wrong(said[0]) if said else ""
    if done.returncode or done.stderr:
        wrong = f"ended with {done.returncode}: {done.stderr[-200:]}"
    elif int(megabytes) > _MOST_MB:
        wrong = f"took {megabytes} MB"
    elif any(path.name.endswith(".part") for path in folder.iterdir()):
        wrong = "left a .part"
    if into.exists():
        into.rename(folder / f"{name}.graph")
    return Cell("graph file, endless", name, wrong, seconds=time.monotonic() - began)


# -- runs ----------------------------------------------------------------------------------------


def runs(step: int = 1) -> list[Cell]:
    """The document of a run with each of its places changed to each wild value, or taken out."""
    document = json.loads(exported(header(), full_run()))
    places = list(_places(document))[::step]
    changed = [
        _import(".".join(map(str, place)), name, _with(document, place, value))
        for place, (name, value) in product(places, _WILD.items())
    ]
    without = [_import(".".join(map(str, p)), "left out", _without(document, p)) for p in places]
    whole = json.dumps(document).encode()
    cut = [_import("the whole", f"cut at {n}", whole[:n]) for n in range(0, len(whole), 40 * step)]
    return [*changed, *without, *cut]


def _places(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if way:
        yield way
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _places(inner, (*way, key))
    elif isinstance(value, list):
        for n, inner in enumerate(value):
            yield from _places(inner, (*way, n))


def _with(document: Any, way: tuple[Any, ...], value: Any) -> bytes:
    copy = json.loads(json.dumps(document))
    place = copy
    for key in way[:-1]:
        place = place[key]
    place[way[-1]] = value
    return json.dumps(copy).encode()


def _without(document: Any, way: tuple[Any, ...]) -> bytes:
    copy = json.loads(json.dumps(document))
    place = copy
    for key in way[:-1]:
        place = place[key]
    del place[way[-1]]
    return json.dumps(copy).encode()


def _import(place: str, change: str, data: bytes) -> Cell:
    began, wrong = time.monotonic(), ""
    try:
        this, records = imported(data)
        again, same = imported(exported(this, records).encode("utf-8", "replace"))
        list(map(str, steps(records)))
        texts = [markdown(this, records), csv_steps(records), player_html(this, records)]
        ntriples(facts(records))
        snapshot(records)
        if not all(texts) or len(same) != len(records) or again.id != this.id:
            wrong = "is not the same after a journey"
    except KGQAError as error:
        wrong = sentence_wrong(str(error))
    except Exception as error:
        wrong = f"ended as {type(error).__name__}: {error}"[:300]
    seconds = time.monotonic() - began
    return Cell(
        f"run file, {change.partition(' at ')[0]}", f"{place}, {change}", wrong, "", seconds
    )
