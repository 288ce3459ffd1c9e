"""Scripts of models: what is read, what is mended, what is refused, and that nothing else happens.

`cypher/corpus.txt`: each script under `=== kind: title`, after `---` the triples it says. Kinds:
well (legal Cypher), mended (all that was meant is read), partly (the rest is lost), nothing.
"""

from __future__ import annotations

import re
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as some

from kgqa_core.facts import verbalise
from kgqa_core.facts.terms import DATE, DECIMAL, YEAR, Literal, is_open
from kgqa_core.methods.pgakv.cypher import (
    CypherError,
    PseudoGraph,
    from_lines,
    from_script,
    interpret,
)
from kgqa_core.methods.pgakv.cypher.mend import quoted
from kgqa_core.methods.pgakv.cypher.pseudo import from_graph
from kgqa_core.methods.pgakv.cypher.tree import Property
from tests.places import TESTS
from tests.properties import MANY

_CORPUS = TESTS / "cypher" / "corpus.txt"


def _scripts() -> list[tuple[str, str, str, list[str]]]:
    found = []
    for block in re.split(r"^=== ", _CORPUS.read_text(encoding="utf-8"), flags=re.M)[1:]:
        head, _, rest = block.partition("\n")
        script, _, triples = rest.partition("---\n")
        kind, _, title = head.partition(": ")
        found.append((kind, title, script.removesuffix("\n"), triples.splitlines()))
    return found


SCRIPTS = _scripts()


def _said(graph: PseudoGraph) -> list[str]:
    return [verbalise.statement(s) for s in graph.statements]


def test_the_corpus_is_large_enough():
    assert len(SCRIPTS) >= 100
    assert len({title for _, title, _, _ in SCRIPTS}) == len(SCRIPTS)


@pytest.mark.parametrize(
    ("kind", "script", "triples"),
    [pytest.param(kind, script, said, id=title) for kind, title, script, said in SCRIPTS],
)
def test_corpus(kind: str, script: str, triples: list[str]):
    if kind == "nothing":
        with pytest.raises(CypherError, match=r"^[A-Z].*\.$"):
            from_script(script)
        return
    graph = from_script(script)
    assert _said(graph) == triples
    assert bool(graph.lost) == (kind == "partly")
    if kind == "well":
        assert not graph.mended
    if kind == "mended":
        assert graph.mended


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("LOAD CSV FROM 'file:///x' AS row", "LOAD CSV reads files"),
        ("CALL apoc.load.json('http://x')", "CALL runs procedures"),
        ("DETACH DELETE a", "DELETE removes data"),
        ("DROP DATABASE neo4j", "DROP removes data"),
        ("CREATE USER mallory SET PASSWORD 'x'", "it changes the schema or the users"),
        ("CREATE (b {name: $p})", "a value is not a constant"),
        ("CREATE (b $props)", "a parameter has no value here"),
        ("CREATE (b {name: apoc.text.random(3)})", "it calls the function apoc.text.random"),
        ("CREATE (b)-[:R*1..9]->(c)", "a path of variable length cannot be created"),
        ("CREATE shortestPath((a)-[:R]->(b))", "functions are not called"),
        ("CREATE (b {n: 1e999})", "a number is too large"),
        ("CREATE (b {n: 1 / 0})", "a value cannot be computed"),
    ],
)
def test_what_is_refused_says_why_and_leaves_the_rest(script: str, why: str):
    graph = from_script(f"CREATE (a:Lake {{name: 'Erie', area: 25700}});\n{script};")
    assert _said(graph) == ["Erie — area — 25,700"]
    (lost,) = graph.lost
    assert lost.line == 2
    assert why in str(lost)


def test_a_refusal_halfway_leaves_no_half_of_a_part():
    graph = from_script("CREATE (a {name: 'Erie', area: 1})\nCREATE (b {name: 'Huron'})-[:R]->($x)")
    assert [n["properties"]["name"] for _, n in graph.graph.nodes(data=True)] == ["Erie"]


def test_values_have_types():
    graph = from_script(
        "CREATE (a {name: 'x', born: 1879, year: '1905', members: 1900, died: date('1955-04-18')})"
    )
    assert [(s.object.value, s.object.datatype) for s in graph.statements] == [
        ("1879", YEAR),
        ("1905", YEAR),
        ("1900", DECIMAL),
        ("1955-04-18", DATE),
    ]


def test_the_property_graph_is_kept():
    graph = from_script("CREATE (a:Person:Writer {name: 'Poe'})-[:WROTE {in: 1845}]->(b:Poem)")
    assert graph.graph.nodes[0]["labels"] == ("Person", "Writer")
    assert list(graph.graph.edges(data="type")) == [(0, 1, "WROTE")]
    assert is_open(graph.statements[0].object)
    assert graph.statements[0].object.description == "poem"


def _literal(value: Property) -> str:
    match value:
        case list():
            return f"[{', '.join(map(_literal, value))}]"
        case bool():
            return str(value).lower()
        case Literal():
            return f"date('{value.value}')"
        case str():
            return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
    return f"{value:f}" if isinstance(value, float) else str(value)


@pytest.mark.parametrize(
    "script",
    [pytest.param(script, id=title) for kind, title, script, _ in SCRIPTS if kind[0] != "n"],
)
def test_what_is_written_for_a_database_says_the_same_in_strict_cypher(script: str):
    read = interpret.interpret(script)
    values = {name: _literal(value) for name, value in read.values.items()}
    written = re.sub(r"\$(p\d+)", lambda m: values[m[1]], "\n".join(read.clauses))
    again = interpret.interpret(written)
    assert not again.mended
    assert not again.lost
    assert again.clauses == read.clauses  # each variable is bound once, each path has a direction
    for written, number in again.bound.items():
        known = read.graph.nodes[read.bound[written]]
        again.graph.nodes[number]["variable"] = known["variable"]
    assert sorted(_said(from_graph(again))) == sorted(_said(from_script(script)))
    assert set(read.bound.values()) == set(read.graph)


@pytest.mark.parametrize("name", ["x`) DETACH DELETE n //", "\\u0060", "a\\", "a\nb"])
def test_no_name_leaves_its_backticks(name: str):
    """Databases read `\\u0060` as a backtick before they parse."""
    ticked = f"`{name.replace('`', '')}`"
    read = interpret.interpret(f"CREATE (a:{ticked} {{name: 'x', {ticked}: 1}})-[:{ticked}]->(b)")
    (clause,) = read.clauses
    assert "\\" not in clause
    assert re.fullmatch(r"[^`]*(?:`[^`\n]+`[^`]*)+", clause)
    assert re.sub(r"`[^`]+`", "_", clause) == "CREATE (n0:_ {_: $p0, _: $p1})-[:_]->(n1)"


def test_setting_several_properties_is_done_as_a_whole_or_not_at_all():
    graph = from_script("CREATE (a {name: 'Erie', area: 1})\nSET a.depth = 64, b.depth = 3")
    assert _said(graph) == ["Erie — area — 1"]
    assert len(graph.lost) == 1


def test_lines_of_what_went_wrong_are_those_of_the_reply():
    graph = from_script("Look:\n```\nCREATE (a {name: 'x', k: 1})\n\nCALL x()\n```")
    assert [r.line for r in graph.lost] == [5]


def test_ten_thousand_nodes_are_cut_and_that_is_said():
    script = "\n".join(f"CREATE (n{i}:Node {{name: 'N{i}', size: {i}}})" for i in range(10_000))
    graph = from_script(script)
    assert len(graph.statements) == interpret.MAX_PARTS
    assert [str(r) for r in graph.lost] == [
        "The script goes on after 1,000 parts; the rest was left out.",
        "The script was cut after 200,000 characters.",
    ]


@pytest.mark.parametrize(
    "script",
    [
        "CREATE (a {x: " + "[" * 500 + "]" * 500 + "})",
        "CREATE (a {x: " + "(" * 5000 + "1",
        "CREATE (a)" + "-[:R]->()" * 5000,
        "CREATE (a {x: " + "+".join(["1"] * 9000) + "})",
        "CREATE (a {x: '" + "\\'" * 9000,
        "CREATE (a {" + "b " * 9000 + "})",
        "CREATE " + "(a)," * 4000,
        "'\\'" * 60_000,
        "CREATE (a {name: '" + "x" * 300_000 + "'})",
        "MERGE (a {k: 1}) " * 900,
    ],
)
def test_hostile_scripts_end_soon_with_our_error_or_a_graph(script: str):
    _reads(script)


def test_direct_triples_of_the_ablation():
    graph = from_lines(
        ["<Lake Erie> <area> <25700>", "2. <Lake Erie> <outflow> <Niagara River>.", "Erie, big"]
    )
    assert _said(graph) == ["Lake Erie — area — 25,700", "Lake Erie — outflow — Niagara River"]
    assert [str(r) for r in graph.lost] == [
        "Line 3, Erie, big: it is not <subject> <relation> <object>."
    ]
    with pytest.raises(CypherError, match="No triple could be read"):
        from_lines(["<a> <b>", "<a> <> <c>"])


# -- nothing but our error, whatever a model writes -------------------------------------------

_PIECES = some.sampled_from(
    "CREATE MERGE SET MATCH ( ) [ ] { } -[: ]-> <-[ ' \" ` ; , : = += . - > < | * $p // /* */ \\ "
    "name a b:Lake 'x' 1 2.5 true null date( [1,2] {name:'x'} \n ``` 🍕 \ud800 \x00 ON WHERE AND "
    "RETURN WITH UNWIND CALL LOAD".split(" ")
)


def _reads(script: str) -> None:
    try:
        graph = from_script(script)
    except CypherError:
        return
    assert graph.statements
    for s in graph.statements:
        verbalise.statement(s).encode()  # no half of a surrogate pair gets through
    assert len(graph.lost) <= graph.parts + 3


@MANY
@given(some.text(max_size=300))
def test_any_text(text: str):
    _reads(text)


@MANY
@given(some.lists(_PIECES, max_size=60).map(" ".join))
def test_any_pieces_of_cypher(script: str):
    _reads(f"CREATE (a:Lake {{name: 'x'}}) {script}")


@MANY
@given(some.data())
def test_any_damage_to_a_script(data: some.DataObject):
    _, _, script, _ = data.draw(some.sampled_from(SCRIPTS))
    for _ in range(data.draw(some.integers(1, 4))):
        at = data.draw(some.integers(0, len(script)))
        cut = data.draw(some.integers(0, 6))
        script = (
            script[:at]
            + data.draw(some.sampled_from(list("'\"`()[]{}:,;\n ")))
            + script[at + cut :]
        )
    _reads(script)


@MANY
@given(some.lists(some.text(alphabet="<>ab 1\n\ud800.", max_size=40), max_size=8))
def test_any_lines(lines: list[str]):
    with suppress(CypherError):
        assert from_lines(lines).statements


# a name and a value that a property can have, whatever characters it is made of
_NAME = some.text(
    alphabet=some.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=20
)


@MANY
@given(_NAME.filter(str.strip), _NAME.filter(str.strip))
def test_legal_texts_come_through_as_they_are(name: str, value: str):
    graph = from_script(f"CREATE (a {{name: {quoted(name)}, note: {quoted('“' + value + '”')}}})")
    (statement,) = graph.statements
    assert statement.subject.name == " ".join(name.split())
    assert statement.object.value == " ".join(f"“{value}”".split())


def test_how_much_of_a_script_is_read_is_counted_and_hangs_on_no_clock(monkeypatch):
    assert interpret.MAX_WORDS == 50_000
    monkeypatch.setattr(interpret, "MAX_WORDS", 5_000)  # as many take three seconds
    sums = "\n".join(f"CREATE (n{i} {{name: 'a', v: {'+'.join('1' * 200)}}})" for i in range(20))
    read = interpret.interpret(sums)
    assert read.parts == read.read == 5_000 // 411
    assert str(read.lost[-1]) == (
        "The script goes on after 5,000 words and signs; the rest was left out."
    )


def test_a_part_of_too_many_words_is_refused():
    with pytest.raises(CypherError, match="more than 5,000 words and signs"):
        interpret.interpret(f"CREATE (n {{name: 'a', v: [{','.join('1' * 3_000)}]}})")
