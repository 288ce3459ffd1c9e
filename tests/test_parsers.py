"""Every parser, on whatever comes: it reads, or says in one sentence why not.

Documents are real ones that somebody broke (bytes cut out, doubled, replaced), JSON of any shape
with the right names in it, and plain noise. `make fuzz` tries 10,000 of each.
"""

import gzip
import json
from contextlib import suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as some

from kgqa_core import network
from kgqa_core.ask import preferences, skills
from kgqa_core.errors import KGQAError
from kgqa_core.evaluation import datasets
from kgqa_core.evaluation.datasets import FORMATS
from kgqa_core.evaluation.own import typed
from kgqa_core.history import run_file
from kgqa_core.kg import files, lines, query_text, wikibase
from kgqa_core.llm import prompt
from kgqa_core.methods.keqing import templates
from kgqa_core.methods.walk import Action
from tests.faults.cells import sentence_wrong
from tests.history.stores import full_run, header
from tests.properties import ANYTHING

pytestmark = pytest.mark.scale  # half a minute of examples

NAMES = some.sampled_from(
    "id question answer answers sparql text tool head vars results bindings type value datatype "
    "labels claims mainsnak qualifiers string query boolean format version header records event "
    "kind seq cost en language sentences facts values relation of where".split()
)
LEAVES = some.one_of(
    some.none(),
    some.booleans(),
    some.integers(-(10**20), 10**20),
    some.floats(),
    ANYTHING,
    some.sampled_from(["Q42", "P31", "item", "time", "+1952-00-00T00:00:00Z", "1e999", ""]),
)
JSON = some.recursive(
    LEAVES,
    lambda inner: some.lists(inner, max_size=4) | some.dictionaries(NAMES, inner, max_size=5),
    max_leaves=12,
)
JSON_TEXTS = JSON.map(lambda value: json.dumps(value).encode())


@some.composite
def broken(draw, document: bytes):
    """A document after a few accidents."""
    for _ in range(draw(some.integers(0, 4))):
        start = draw(some.integers(0, len(document)))
        end = start + draw(some.integers(0, 40))
        put = draw(
            some.one_of(
                some.binary(max_size=6),
                some.just(document[start:end] * 2),
                ANYTHING.map(lambda text: text.encode("utf-8", "surrogatepass")),
            )
        )
        document = document[:start] + put + document[end:]
    return document


def any_document(document: bytes):
    return some.one_of(broken(document), broken(document), JSON_TEXTS, some.binary(max_size=60))


def reads_or_says(parse, *arguments):
    said = ""
    try:
        parse(*arguments)
    except KGQAError as error:
        said = str(error)
    assert not said or not sentence_wrong(said)


RUN = run_file.exported(header(), full_run()).encode()
TEMPLATES = b"""template: who directed [film]
  part: who directed [film] -> director
[book] was written by whom
"""
PREFERENCES = b"person,relation,value\nAnna,likes,cheese\nAnna;eats;fish\n"
DATASETS = {
    name: {
        "qald": b'{"questions": [{"id": "1", "question": [{"language": "en", "string": "Who?"}], '
        b'"query": {"sparql": "SELECT ?x { wd:Q1 wdt:P1 ?x }"}, "answers": [{"head": {"vars": '
        b'["x"]}, "results": {"bindings": [{"x": {"type": "uri", "value": "http://x/Q1"}}]}}]}]}',
        "metaqa": b"who directed [Sirk]\tA|B\n",
        "simplequestions": b"Q1\tP1\tQ2\twho is it\n",
    }.get(name, b'[{"id": 1, "question": "Who?", "answer": "yes", "query": "x", "options": []}]')
    for name in FORMATS
}
GRAPHS = {
    "nt": b'<http://x/a> <http://x/p> "b"@en .\n<http://x/a> <http://x/q> <http://x/c> .\n',
    "ttl": b'@prefix x: <http://x/> .\nx:a x:p "b" ; x:q x:c, 5 .\n',
    "tsv": b"Anna\tborn in\tUlm\nAnna\tworks with\tFoo [2005]\n",
    "csv": b"subject,relation,object\nAnna,born in,Ulm\n",
    "rdf": b'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:x="http://x/">'
    b'<rdf:Description rdf:about="http://x/a"><x:p>b</x:p></rdf:Description></rdf:RDF>',
    "jsonl": b'{"s": "Q1", "p": "P1", "o": "Q2", "q": [["P2", "2008-05-07T00:00:00Z"]]}\n',
    "json": b'{"id": "Q1", "type": "item", "labels": {"en": {"value": "a"}}, "claims": {}}\n',
}


@given(any_document(RUN))
def test_a_run_file(document):
    reads_or_says(run_file.imported, document)


@given(any_document(gzip.compress(RUN)))
def test_a_packed_run_file(document):
    reads_or_says(run_file.imported, document)


@given(any_document(TEMPLATES))
def test_a_library_of_templates(document):
    reads_or_says(templates.parse, document.decode("utf-8", "replace"))


@given(any_document(PREFERENCES))
def test_preferences(document):
    reads_or_says(preferences.parse, document.decode("utf-8", "replace"))


@pytest.mark.parametrize("name", DATASETS)
def test_questions_of_a_benchmark(name, tmp_path):
    path = tmp_path / "set.json"  # one for all: making and removing folders takes longest

    @given(any_document(DATASETS[name]))
    @example(b"[" + "\U00011a48".encode() * 60)  # a character that is written with ten
    @example(b"Q1\t" + b"0" * 900 + b"\tQ2\twho is it\n")
    def property(document):
        path.write_bytes(document)
        reads_or_says(datasets.load, path, name)

    property()


@pytest.mark.parametrize("kind", GRAPHS)
def test_a_graph_file(kind, tmp_path):
    path = tmp_path / f"graph.{kind}"

    @given(any_document(GRAPHS[kind]))
    def property(document):
        path.write_bytes(document)
        reads_or_says(read_graph, path)

    property()


def read_graph(path):
    found = files.find([path])
    reading = files.start(found, lines.Options(), lines.Report())
    for file in found:
        for _ in files.read(file, reading):
            pass


@given(any_document(b'{"thought": "so", "tool": "follow", "relation": "director", "of": 0}'))
def test_a_reply(document):
    text = document.decode("utf-8", "surrogateescape")
    for model in (Action, skills.FactAnswer, skills.Mentions):
        value, problem = prompt.parse(model, text)
        assert (value is None) == bool(problem)


@given(any_document(b'{"head": {"vars": ["x"]}, "results": {"bindings": []}}'))
def test_json_of_an_endpoint(document):
    with suppress(ValueError):  # told by whoever asked: the answer is damaged
        network.read_json(document)


@given(some.dictionaries(some.sampled_from(["Retry-After", "retry-after-ms"]), ANYTHING))
def test_a_wish_to_wait(headers):
    wish = network.retry_after(headers)
    assert wish is None or 0 <= wish < 1e9


@given(JSON)
def test_an_entity_of_wikidata(found):
    """Without an id it is none; whatever else is odd is left out and told."""
    if not isinstance(found, dict):
        return
    with suppress(KeyError, TypeError, ValueError):
        wikibase.entity_of(found)
    for known in (found | {"id": "Q1"}, {"id": "Q1", "claims": {"P1": [found]}}):
        odd: list[str] = []
        facts = list(wikibase.statements_of(known, odd.append))
        assert {s.subject for s in facts} <= {wikibase.entity_of(known, odd.append)}
        wikibase.datatypes_of(known)
    assert len(facts) + len(odd) <= 1


@given(ANYTHING, ANYTHING)
@example("\ud800", "\udfff")
def test_a_question_typed(question, answers):
    reads_or_says(typed, question, answers)


@given(any_document(b'SELECT ?x FROM <http://x/g> WHERE { ?x wdt:P31 "a"@en } # LIMIT 5\nLIMIT 5'))
def test_a_query(document):
    text = document.decode("utf-8", "replace")
    query_text.keywords(text)
    query_text.strange_dataset(text)
    assert query_text.with_limit(text, 10).startswith(text)
