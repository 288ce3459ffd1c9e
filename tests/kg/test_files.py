"""Graph files of every kind, whole and broken, into a folder and back."""

import bz2
import gzip
import json
from pathlib import Path

import pytest

from kgqa_core.errors import SourceRejected, SourceUnavailable
from kgqa_core.facts.terms import DATE, DECIMAL, YEAR, Entity, Literal, Relation
from kgqa_core.kg import layout
from kgqa_core.kg.base import WD
from kgqa_core.kg.folder import FolderGraph, open_folder
from kgqa_core.kg.lines import Options
from kgqa_core.kg.load import Progress, load, part_of
from tests.kg.conformance import (
    ENTITIES,
    RELATIONS,
    STATEMENTS,
    Conformance,
    QueryConformance,
    entity,
)
from tests.places import DATA
from tests.servers.wikidata_json import entity_json

EX = "http://example.org/"


def n_triples(*, preferred_only: bool = True) -> str:
    """The fixture as N-Triples; truthy triples only where nothing is preferred over them."""
    best = {(s.subject, s.relation) for s in STATEMENTS if s.rank == "preferred"}
    lines = [line for e in ENTITIES for line in layout.write_entity(e)]
    lines += [line for r in RELATIONS for line in layout.write_relation(r)]
    for s in STATEMENTS:
        truthy = s.rank == "preferred" or (s.subject, s.relation) not in best
        lines += layout.write_statement(s, truthy=truthy)
    return "".join(lines)


class TestLoadedRdf(Conformance, QueryConformance):
    @pytest.fixture(scope="class")
    @classmethod
    def kg(cls, tmp_path_factory):
        folder = tmp_path_factory.mktemp("rdf")
        file = folder / "world.nt.gz"
        file.write_bytes(gzip.compress(n_triples().encode("utf-8", "replace")))
        load([file], folder / "graph")
        return open_folder(folder / "graph", "world")


class TestLoadedDump(Conformance, QueryConformance):
    @pytest.fixture(scope="class")
    @classmethod
    def kg(cls, tmp_path_factory):
        folder = tmp_path_factory.mktemp("dump")
        found = [entity_json(one, STATEMENTS) for one in [*ENTITIES, *RELATIONS]]
        lines = ",\n".join(json.dumps(one) for one in found)
        file = folder / "world.json.bz2"
        file.write_bytes(bz2.compress(f"[\n{lines}\n]\n".encode()))
        load([file], folder / "graph")
        return open_folder(folder / "graph", "world")


def loaded(tmp_path: Path, name: str, content: str | bytes, **options):
    file = tmp_path / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    done = load([file], tmp_path / "graph", options=Options(**options))
    return open_folder(done.folder), done


def edges(graph, subject: str) -> set[tuple[str, str]]:
    return {
        (s.relation.name, s.object.name)
        for s in graph.statements([Entity(subject)], direction="out")[0]
    }


TURTLE = """@prefix : <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:a rdfs:label "Anna" ; :knows :b , [ rdfs:label "somebody" ] .
:b rdfs:label "Ben" .
:knows rdfs:label "knows" .
"""
N_TRIPLES = f"""<{EX}a> <{layout.LABEL}> "Anna" .
<{EX}a> <{EX}knows> <{EX}b> .
<{EX}a> <{EX}knows> _:x .
_:x <{layout.LABEL}> "somebody" .
<{EX}b> <{layout.LABEL}> "Ben" .
"""
RDF_XML = f"""<?xml version="1.0"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
         xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#" xmlns="{EX}">
  <rdf:Description rdf:about="{EX}a"><rdfs:label>Anna</rdfs:label>
    <knows><rdf:Description rdf:about="{EX}b"><rdfs:label>Ben</rdfs:label></rdf:Description></knows>
    <knows><rdf:Description><rdfs:label>somebody</rdfs:label></rdf:Description></knows>
  </rdf:Description>
</rdf:RDF>
"""
JSON_LD = json.dumps(
    {
        "@context": {"label": layout.LABEL, "knows": EX + "knows"},
        "@id": EX + "a",
        "label": "Anna",
        "knows": [{"@id": EX + "b", "label": "Ben"}, {"label": "somebody"}],
    }
)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("g.ttl", TURTLE),
        ("g.ttl.gz", gzip.compress(TURTLE.encode(), mtime=0)),
        ("upload", TURTLE),
        ("g.nt", N_TRIPLES),
        ("g.nt.bz2", bz2.compress(N_TRIPLES.encode())),
        ("g.txt", N_TRIPLES),
        ("g.nt", N_TRIPLES.rstrip("\n")),
        ("g.rdf", RDF_XML),
        ("g.xml", RDF_XML),
        ("g.jsonld", JSON_LD),
        ("g.json", JSON_LD),
        ("g.json", json.dumps(json.loads(JSON_LD), indent=2)),
        ("g.nq", N_TRIPLES.replace(" .\n", f" <{EX}graph> .\n")),
    ],
    ids=lambda v: v if isinstance(v, str) and len(v) < 12 else "",
)
def test_rdf_in_every_form(tmp_path, name, content):
    graph, done = loaded(tmp_path, name, content)
    assert edges(graph, EX + "a") == {("knows", "Ben"), ("knows", "somebody")}
    assert graph.search(["anna"])[0][0].entity == Entity(EX + "a")
    assert (done.statements, done.bad) == (2, 0)


def test_blank_nodes_of_two_files_are_kept_apart(tmp_path):
    for i in (1, 2):
        (tmp_path / f"{i}.nt").write_text(f'<{EX}a> <{EX}p> _:x .\n_:x <{layout.LABEL}> "n{i}" .\n')
    load([tmp_path / "1.nt", tmp_path / "2.nt"], tmp_path / "graph")
    assert edges(open_folder(tmp_path / "graph"), EX + "a") == {("p", "n1"), ("p", "n2")}


def test_names_between_bars_as_in_metaqa(tmp_path):
    graph, done = loaded(
        tmp_path,
        "kb.txt",
        "The Prowler|starred_actors|Evelyn Keyes\nThe Prowler|release_year|1951\n"
        "Face/Off|starred_actors|John Travolta\nThe Prowler|has_imdb_rating|7.1\n",
    )
    prowler = graph.search(["the prowler"])[0][0].entity
    assert prowler.label == "The Prowler"
    found = {s.relation.label: s.object for s in graph.statements([prowler])[0]}
    assert found["release year"] == Literal("1951", YEAR)
    assert found["has imdb rating"] == Literal("7.1", DECIMAL)
    assert found["starred actors"].label == "Evelyn Keyes"
    assert graph.relation("starred_actors") == graph.relation("starred actors") is not None
    assert graph.search(["Face/Off"])[0][0].entity.name == "Face/Off"
    assert (done.statements, done.relations, done.entities) == (4, 3, 4)


def test_ids_between_tabs_are_wikidata(tmp_path):
    graph, _ = loaded(tmp_path, "t.tsv", "head\trelation\ttail\nQ64\tP17\tQ183\nQ64\tP31\tQ515\n")
    assert edges(graph, WD + "Q64") == {("country", "Q183"), ("instance of", "Q515")}
    assert graph.query("ASK { wd:Q64 wdt:P17 wd:Q183 }").rows[0][0].value == "true"
    assert graph.relation("country") == Relation(WD + "P17")


@pytest.fixture
def folder_form(tmp_path):
    folder = tmp_path / "slice"
    folder.mkdir()
    (folder / "README.md").write_text("not a graph")
    (folder / "entities.tsv.gz").write_bytes(
        gzip.compress(
            b"qid\tlabel\tdescription\taliases\tlabel_source\n"
            b"Q64\tBerlin\tcapital\tSpree-Athen|Berlin, Germany\tgrasp\nL1\tlocal thing\t\t\tx\n"
        )
    )
    rows = [
        "subject\tproperty\tobject\tsources",
        "Q64\tP6\tQ502\tgold|trace",
        "Q64\tP1082\t3755251\ttrace",
        "Q64\tP571\t1237-01-01T00:00:00Z\ttrace",
        "Q64\tP577\t-043-03-13T00:00:00Z\ttrace",
        'Q64\tP1448\t"Land Berlin"@de\ttrace',
        "Q64\tP856\t<https://berlin.de>\ttrace",
        "Q64\tP17\tQ183\tx_gold",
        "L1\tP31\tQ64\ttrace",
    ]
    (folder / "triples.tsv").write_text("\n".join(rows) + "\n")
    (folder / "qualified_statements.jsonl").write_text(
        '{"s": "Q64", "p": "P6", "o": "Q502", "q": [["P580", "2021-12-21T00:00:00Z"]], '
        '"src": ["trace"]}\n'
    )
    return folder


def test_the_folder_form(folder_form, tmp_path):
    load([folder_form], tmp_path / "graph", options=Options(leave_out=("*gold",)))
    graph = open_folder(tmp_path / "graph")
    found = graph.statements([Entity(WD + "Q64")], direction="out")[0]
    by_relation = {s.relation.id.removeprefix(WD): s for s in found}
    assert len(found) == len(by_relation) == 6  # the qualified one once, the gold one not at all
    [since] = by_relation["P6"].qualifiers
    assert since.value == Literal("2021-12-21", DATE)
    assert by_relation["P1082"].object == Literal("3755251", DECIMAL)
    assert by_relation["P571"].object == Literal("1237", YEAR)
    assert by_relation["P577"].object == Literal("-0044-03-13", DATE)
    assert by_relation["P1448"].object.language == "de"
    assert by_relation["P856"].object.value == "https://berlin.de"
    [berlin] = graph.describe(["Q64"])
    assert berlin.aliases == ("Berlin, Germany", "Spree-Athen")
    local = graph.search(["local thing"])[0][0].entity
    assert local.id == layout.LOCAL + "L1"
    assert edges(graph, local.id) == {("instance of", "Berlin")}


def test_properties_bring_their_names(tmp_path):
    (tmp_path / "p.jsonl").write_text(
        '{"id": "P9999", "label": "odd thing", "description": "d", "aliases": ["strange"]}\n'
    )
    (tmp_path / "t.tsv").write_text("Q1\tP9999\tQ2\n")
    load([tmp_path / "t.tsv", tmp_path / "p.jsonl"], tmp_path / "graph")
    graph = open_folder(tmp_path / "graph")
    assert graph.relation("strange") == graph.relation("odd thing") == Relation(WD + "P9999")


def test_other_labels_stand_in_where_there_is_no_rdfs_label(tmp_path):
    skos = "http://www.w3.org/2004/02/skos/core#prefLabel"
    graph, _ = loaded(
        tmp_path, "g.nt", f'<{EX}a> <{skos}> "Anna"@en .\n<{EX}a> <{EX}p> <{EX}b> .\n'
    )
    assert graph.search(["Anna"])[0][0].entity == Entity(EX + "a")


# -- bad lines -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "lines", "said"),
    [
        ("t.tsv", ["Q1\tP1\tQ2", "Q1\tP1", "Q2\tP1\tQ3"], "2 cells instead of 3"),
        ("t.tsv", ["Q1\tP1\tQ2", "Q1\t\tQ5", "Q2\tP1\tQ3"], "an empty cell"),
        ("t.tsv", [b"Q1\tP1\tQ2", b"Q1\tP1\t\xff", b"Q2\tP1\tQ3"], "not UTF-8"),
        (
            "t.nt",
            [f"<{EX}a> <{EX}p> <{EX}b> .", "rubbish", f"<{EX}b> <{EX}p> <{EX}c> ."],
            "subject",
        ),
        (
            "q.jsonl",
            ['{"s": "Q1", "p": "P1", "o": "Q2"}', "{", '{"s": "Q2", "p": "P1", "o": "Q3"}'],
            "not JSON",
        ),
        (
            "q.jsonl",
            ['{"s": "Q1", "p": "P1", "o": "Q2"}', '{"s": 1}', '{"s": "Q2", "p": "P1", "o": "Q3"}'],
            "missing",
        ),
        (
            "t.ttl",
            [f"<{EX}a> <{EX}p> <{EX}b> .", f"<{EX}a> <{EX}p> bad .", f"<{EX}b> <{EX}p> <{EX}c> ."],
            "object",
        ),
    ],
)
def test_a_bad_line_is_named_by_number_and_skipped(tmp_path, name, lines, said):
    content = b"\n".join(s if isinstance(s, bytes) else s.encode() for s in lines) + b"\n"
    _, done = loaded(tmp_path, name, content)
    assert (done.statements, done.bad) == (2, 1)
    assert f"{name}, line 2: " in done.examples[0]
    assert said in done.examples[0]


def test_many_bad_lines_are_counted(tmp_path):
    _, done = loaded(tmp_path, "t.tsv", "Q1\tP1\tQ2\n" * 30 + "Q1\n" * 25)
    assert (done.bad, len(done.examples)) == (25, 20)


REFUSED = [
    ("t.tsv", "Q1\n", "unknown kind"),
    ("picture.png", b"\x89PNG\r\n\x1a\n" + bytes(500), "unknown kind"),
    ("archive.zip", b"PK\x03\x04" + bytes(500), "unknown kind"),
    ("empty.tsv", "", "unknown kind"),
    ("empty.nt", "", "no fact"),
    ("only.nt", "rubbish\nmore rubbish\n", "line 1"),
    ("cut.nt.gz", gzip.compress(N_TRIPLES.encode() * 50, mtime=0)[:-30], "cut off"),
    ("no.nt.gz", "this is not gzip", "is not gzipped"),
    ("g.rdf", RDF_XML.replace("</knows>", "", 1), "is broken"),
    ("g.jsonld", JSON_LD[:-20] + "}", "is broken"),
    ("latin.rdf", b'<?xml version="1.0" encoding="ISO-8859-1"?><a>\xe9</a>', "is broken in line 1"),
    ("odd.rdf", '<?xml version="1.0" encoding="nonsense"?>' + RDF_XML[21:], "UTF-8"),
    (
        "bomb.rdf",
        '<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>'
        + RDF_XML[21:],
        "entities",
    ),
    ("bomb.nt.gz", gzip.compress(b"\n" * (1 << 20), mtime=0) * 100, "zip bomb"),
    # packed by the test alone: every process of the tests reads this list
    ("bomb.tsv.gz", lambda: gzip.compress(b"Q1\tP1\t" + b"x" * (100 << 20), mtime=0), "zip bomb"),
]


@pytest.mark.parametrize(("name", "content", "said"), REFUSED, ids=[r[0] for r in REFUSED])
def test_what_cannot_be_used_is_refused_in_one_sentence_and_leaves_nothing(
    tmp_path, name, content, said
):
    with pytest.raises(SourceRejected) as refused:
        loaded(tmp_path, name, content() if callable(content) else content)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)
    assert [p.name for p in tmp_path.iterdir()] == [name]


def rdf_xml(inside: str, before: str = "") -> str:
    """A document that says something of http://a/s."""
    names = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e/"'
    about = f'<rdf:Description rdf:about="http://a/s"><e:q>a</e:q>{inside}</rdf:Description>'
    return f"{before}<rdf:RDF {names}>{about}</rdf:RDF>"


ENTITY = f'<!DOCTYPE r [<!ENTITY a "{"a" * 900}">]>'
HEAVY_XML = {
    "text": rdf_xml(f"<e:p>{'x' * 3_000}</e:p>"),
    "data": rdf_xml(f"<e:p><![CDATA[{'<x' * 1_500}]]></e:p>"),
    "markup": rdf_xml(f'<e:p rdf:parseType="Literal">{"<b>x</b>" * 200}</e:p>'),
    "attribute": rdf_xml(f'<e:p rdf:resource="{"x" * 3_000}"/>'),
    "comment": rdf_xml(f"<!--{'x' * 3_000}-->"),
    "entities": rdf_xml(f"<e:p>{'&a;' * 3}</e:p>", ENTITY),
}


@pytest.mark.parametrize("heavy", HEAVY_XML)
def test_what_an_xml_parser_would_hold_whole_is_refused_before_it_does(
    tmp_path, monkeypatch, heavy
):
    for limit, most in (("_TEXT", 2_000), ("_MARKUP", 1_000), ("_PIECE", 100)):
        monkeypatch.setattr(f"kgqa_core.kg.files.{limit}", most)
    with pytest.raises(SourceRejected, match="a text longer than"):
        loaded(tmp_path, "a.rdf", HEAVY_XML[heavy])
    assert [path.name for path in tmp_path.iterdir()] == ["a.rdf"]


def test_xml_that_is_too_deep_is_refused_and_other_xml_is_read(tmp_path):
    deep = "<e:p><rdf:Description>" * 600
    with pytest.raises(SourceRejected, match="more than 1,000 elements within each other"):
        loaded(tmp_path, "deep.rdf", rdf_xml(deep))
    usual = '<e:p rdf:parseType="Literal"><b>x</b></e:p><e:p rdf:parseType="Resource"/>'
    _, done = loaded(tmp_path, "usual.rdf", rdf_xml(usual + "<e:p>&a;</e:p>", ENTITY))
    assert (done.statements, done.bad) == (4, 0)


def test_a_line_that_is_too_long_is_left_out_and_told(tmp_path, monkeypatch):
    monkeypatch.setattr("kgqa_core.kg.files._TEXT", 2_000)
    rows = f"Anna\tknows\tBen\nAnna\tsays\t{'x' * 3_000}\nBen\tknows\tEve\n"
    _, done = loaded(tmp_path, "t.tsv", rows)
    assert (done.statements, done.bad) == (2, 1)
    assert "line 2: longer than" in done.examples[0]


def test_a_name_is_found_by_its_beginning_however_long_it_is(tmp_path):
    graph, _ = loaded(tmp_path, "t.tsv", f"Anna {'x' * 30_000}\tknows\tBen\n")
    ((hit, *_),) = graph.search(["Anna"], 1)
    assert hit.entity.label == f"Anna {'x' * 9_995}…"  # nobody reads more of it


@pytest.mark.scale
@pytest.mark.parametrize(
    "name", ["big.ttl", "big.nt", "big.jsonld", "big.trig", "big.nq", "big.rdf"]
)
def test_an_endless_text_is_refused_and_leaves_nothing(tmp_path, name):
    endless = "x" * (64 << 20)
    file = tmp_path / name
    whole = {
        ".jsonld": f'{{"@id": "http://a/s", "http://a/p": ["{endless}"]}}',
        ".rdf": rdf_xml(f"<e:p>{endless}</e:p>"),
    }
    lines = f'<http://a/s> <http://a/p> "a" .\n<http://a/s> <http://a/p> "{endless}" .\n'
    file.write_text(whole.get(file.suffix, lines))
    with pytest.raises(SourceRejected, match="longer than"):
        load([file], tmp_path / "graph")
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a b.ttl", '<x> <#p> <../y> . <> <p> "z" . </etc/passwd> <//h/p> <> .'),
        ("a b.jsonld", '{"@id": "x", "http://e/p": [{"@id": "../y"}, {"@id": ""}]}'),
        (
            "a b.rdf",
            '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e/">'
            '<rdf:Description rdf:about="x"><e:p rdf:resource="#y"/></rdf:Description></rdf:RDF>',
        ),
    ],
)
def test_relative_addresses_tell_nothing_of_this_machine(tmp_path, name, content):
    graph, done = loaded(tmp_path, name, content)
    found = [str(quad) for quad in graph._store]
    assert found
    assert done.bad == 0
    assert not any(str(tmp_path) in one or "file:" in one for one in found)
    assert any("<urn:kgqa:file/x>" in one for one in found)


def test_an_upload_has_a_limit(tmp_path):
    with pytest.raises(SourceRejected, match="in the shell"):
        loaded(tmp_path, "t.nt", N_TRIPLES * 20_000, most_bytes=1 << 20)
    assert [p.name for p in tmp_path.iterdir()] == ["t.nt"]


def test_missing_files_and_folders_are_named(tmp_path):
    with pytest.raises(SourceRejected, match=r"gone\.nt cannot be read"):
        load([tmp_path / "gone.nt"], tmp_path / "graph")
    (tmp_path / "nothing").mkdir()
    with pytest.raises(SourceRejected, match="no graph file"):
        load([tmp_path / "nothing"], tmp_path / "graph")
    with pytest.raises(SourceUnavailable, match="no folder"):
        open_folder(tmp_path / "graph")
    with pytest.raises(SourceRejected, match="no complete graph"):
        open_folder(tmp_path / "nothing")


def test_a_folder_in_use_is_not_overwritten(tmp_path):
    loaded(tmp_path, "g.ttl", TURTLE)
    with pytest.raises(SourceRejected, match="not empty"):
        loaded(tmp_path, "g.ttl", TURTLE)


# -- interruption ----------------------------------------------------------------------------


class _Stop(BaseException):
    pass


@pytest.mark.parametrize("name", ["t.tsv", "t.nt", "t.ttl"])
def test_an_interrupted_load_goes_on_where_it_stopped(tmp_path, monkeypatch, name):
    monkeypatch.setattr("kgqa_core.kg.files._BATCH", 50)
    monkeypatch.setattr("kgqa_core.kg.files._BLOCK", 4_000)
    rows = [(f"{EX}s{i}", f"{EX}p", f"{EX}o{i}") for i in range(500)]
    form = "<{}>\t<{}>\t<{}>\n" if name == "t.tsv" else "<{}> <{}> <{}> .\n"
    text = "".join(form.format(*row) for row in rows)
    if name != "t.tsv":
        text += ("rubbish .\n" if name == "t.ttl" else "rubbish\n") + f"_:b <{EX}p> _:b .\n"
    file, into = tmp_path / name, tmp_path / "graph"
    file.write_text(text)
    seen: list[Progress] = []

    def stop_halfway(progress: Progress) -> None:
        seen.append(progress)
        if progress.part > 0.4:
            raise _Stop

    with pytest.raises(_Stop):
        load([file], into, on_progress=stop_halfway)
    assert not into.exists()
    assert part_of(into).exists()
    before = seen[-1].triples
    assert 0 < before < 500

    done = load([file], into, on_progress=seen.append)
    assert done.resumed
    assert done.statements == 500 + (name != "t.tsv")
    assert done.bad == (name != "t.tsv")
    assert done.lines == 500 + {"t.tsv": 0, "t.nt": 2, "t.ttl": 1}[name]
    assert seen[-1].part == 1
    assert not part_of(into).exists()
    after = next(p for p in seen[seen.index(seen[-1]) - 3 :] if p.triples)
    assert after.triples >= before


def test_other_files_start_anew(tmp_path):
    (tmp_path / "a.nt").write_text(N_TRIPLES)

    def stop(progress: Progress) -> None:
        raise _Stop

    with pytest.raises(_Stop):
        load([tmp_path / "a.nt"], tmp_path / "graph", on_progress=stop)
    (tmp_path / "a.nt").write_text(f"<{EX}x> <{EX}p> <{EX}y> .\n")
    done = load([tmp_path / "a.nt"], tmp_path / "graph")
    assert (done.statements, done.resumed) == (1, False)


def test_the_prepared_names_are_used(tmp_path):
    graph, _ = loaded(tmp_path, "g.ttl", TURTLE)
    assert isinstance(graph, FolderGraph)
    assert type(graph._index).__name__ == "DiskLabels"


def test_dump_values_of_every_kind(tmp_path):
    found = entity_json(entity(1, "one"), [])
    snak = {"snaktype": "value", "property": "P625", "datatype": "globe-coordinate"}
    place = {"type": "globecoordinate", "value": {"latitude": 52.5, "longitude": 13.4}}
    odd = [
        {"mainsnak": {**snak, "datavalue": place}, "rank": "normal"},
        {"mainsnak": {"snaktype": "somevalue", "property": "P625"}, "rank": "normal"},
    ]
    found["claims"] = {"P625": odd}
    graph, done = loaded(tmp_path, "d.json", f"[\n{json.dumps(found)}\n]\n")
    assert {value for _, value in edges(graph, WD + "Q1")} == {
        "Point(13.4 52.5)",
        "unknown value",
    }
    assert done.bad == 0


@pytest.mark.scale
@pytest.mark.data
def test_metaqa_is_complete(tmp_path):
    file = DATA / "metaqa" / "kb.txt.gz"
    if not file.exists():
        pytest.skip("needs ../shared/data")
    done = load([file], tmp_path / "graph")
    assert (done.statements, done.relations, done.bad) == (133_582, 9, 0)
