"""The methods that retrieve by meaning, with a scripted model, MiniLM and a small real graph."""

import pytest

from kgqa_core.ask import skills
from kgqa_core.ask.run import Toolkit, drain
from kgqa_core.ask.skills import CitedSentence, Draft, FactAnswer, Mentions
from kgqa_core.facts.terms import Entity, Literal, Passage, Relation, Statement
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.methods import kaping, rag, rag_hybrid, rag_triples
from kgqa_core.search.index import SMALL, Index
from tests.fakes import ScriptedLLM, kinds
from tests.search.build_index import MadeUp
from tests.servers.chroma import real_encoder, word_encoder
from tests.small_graph import FILM, LATER, SIRK, STATEMENTS, ULM, small_graph

PASSAGES = [
    Passage("p1", "Sirk left Germany in 1937 and made melodramas.", "Douglas Sirk", "a.md", SIRK),
    Passage("p2", "The Danube flows through the old town.", "Ulm", "b.md", ULM),
    Passage("p3", "Nobody in particular is meant here.", "A note", "c.md"),
]


@pytest.fixture(scope="module")
def kg():
    return small_graph()


@pytest.fixture(scope="module")
def index(kg, tmp_path_factory):
    return Index(kg, real_encoder(), tmp_path_factory.mktemp("index"), PASSAGES)


def answer_with(wanted):
    """Answers from the first fact that `wanted` accepts."""

    def read(given):
        at = next(i for i, fact in enumerate(given.facts) if wanted(fact))
        return FactAnswer(sentences=[CitedSentence(text="So.", facts=[at])], values=[])

    return read


def about(entity, relation):
    return lambda fact: (
        isinstance(fact, Statement)
        and fact.relation.name == relation
        and entity in (fact.subject, fact.object)
    )


def test_text_rag_answers_from_the_nearest_passages(kg, index):
    llm = ScriptedLLM(answer_with(lambda fact: fact.id == "p1"))
    question = "When did the director leave Germany?"
    tools = Toolkit(kg, llm, index=index)
    answer, seen = drain(rag.solve(question, tools, rag.Params(passages=2)))
    assert answer.grounding == "grounded"
    assert answer.citations == (PASSAGES[0],)
    assert kinds(seen) == "step retrieved step asked"
    assert seen[1].found[0].id == "p1"
    assert len(seen[1].found) == len(seen[1].scores) == 2
    assert llm.inputs[0].facts == list(seen[1].found)


def test_text_rag_without_passages_abstains(kg, tmp_path):
    tools = Toolkit(kg, ScriptedLLM(), index=Index(kg, real_encoder(), tmp_path))
    answer, _ = drain(rag.solve("Who?", tools, rag.Params()))
    assert answer.grounding == "abstained"
    assert "no passages" in answer.reason


def test_hybrid_without_passages_says_so_and_reads_the_triples(kg, tmp_path):
    llm = ScriptedLLM(Mentions(mentions=["Ulm"]), answer_with(about(ULM, "population")))
    tools = Toolkit(kg, llm, index=Index(kg, real_encoder(), tmp_path))
    answer, seen = drain(rag_hybrid.solve("How many live in Ulm?", tools, rag_hybrid.Params()))
    assert answer.grounding == "grounded"
    (note,) = [e for e in seen if e.kind == "noted"]
    assert "Add text files" in note.text


def test_triple_rag_searches_the_whole_graph(kg, index):
    llm = ScriptedLLM(answer_with(about(FILM, "director")))
    tools = Toolkit(kg, llm, index=index)
    question = "Who is the director of Written on the Wind?"
    answer, seen = drain(rag_triples.solve(question, tools, rag_triples.Params(triples=3)))
    assert answer.citations[0].object == SIRK
    assert kinds(seen) == "step retrieved step asked chosen"
    assert len(seen[1].found) == 3


class Endpoint:
    """The verbs of a graph, without a way to read it whole."""

    name = "endpoint"

    def __init__(self, kg):
        self.search, self.describe, self.relations_of = kg.search, kg.describe, kg.relations_of
        self.statements, self.relation, self.info = kg.statements, kg.relation, kg.info


def test_triple_rag_links_first_where_the_graph_cannot_be_read_whole(kg, tmp_path):
    endpoint = Endpoint(kg)
    llm = ScriptedLLM(
        Mentions(mentions=["Written on the Wind"]), answer_with(about(FILM, "director"))
    )
    tools = Toolkit(endpoint, llm, index=Index(endpoint, real_encoder(), tmp_path))
    question = "Who is the director of Written on the Wind?"
    answer, seen = drain(rag_triples.solve(question, tools, rag_triples.Params()))
    assert answer.grounding == "grounded"
    assert kinds(seen).startswith("noted step asked linked anchored step expanded retrieved")


def crowded_graph(where, count):
    """The small graph among `count` other facts, and its index, not built yet."""
    crowd = list(MadeUp(count).all_statements())
    facts = [*STATEMENTS, *crowd]
    ends = dict.fromkeys(e for s in facts for e in (s.subject, s.object) if isinstance(e, Entity))
    relations = dict.fromkeys(s.relation for s in facts)
    kg = EmbeddedGraph.build("crowded", ends, relations, facts)
    about = [Passage(f"c{i}", s.subject.name, "", "c", s.subject) for i, s in enumerate(crowd)]
    return kg, Index(kg, word_encoder(where), where / "index", [*PASSAGES, *about[:50]])


def test_without_its_index_triple_rag_searches_what_is_linked_and_says_so(tmp_path):
    crowded, index = crowded_graph(tmp_path, SMALL)
    llm = ScriptedLLM(
        Mentions(mentions=["Written on the Wind"]), answer_with(about(FILM, "director"))
    )
    tools = Toolkit(crowded, llm, index=index)
    question = "Who is the director of Written on the Wind?"
    answer, seen = drain(rag_triples.solve(question, tools, rag_triples.Params()))
    assert answer.citations[0].object == SIRK
    assert kinds(seen).startswith("noted step asked linked anchored step expanded retrieved")
    assert seen[0].text == (
        "The index of triples of “crowded” is not built: only the triples around linked entities "
        "are compared."
    )
    assert index.triples_reach()[0] == "none"  # nobody waited for it


def test_of_a_half_built_index_what_is_there_is_searched_too(tmp_path):
    crowded, index = crowded_graph(tmp_path, 2 * SMALL)
    llm = ScriptedLLM(
        Mentions(mentions=["Written on the Wind"]), answer_with(about(FILM, "director"))
    )
    tools = Toolkit(crowded, llm, index=index)
    question = "Who is the director of Written on the Wind, thing 7?"
    params = rag_triples.Params(triples=30)
    runs = []

    def meanwhile(progress):
        if progress.what == "triples" and not runs:
            runs.append(drain(rag_triples.solve(question, tools, params)))

    index.build(meanwhile)
    ((answer, seen),) = runs
    assert answer.citations[0].object == SIRK
    assert kinds(seen).startswith("noted step retrieved step asked linked anchored step expanded")
    assert "what is in it, and the triples around linked entities" in seen[0].text


def test_text_rag_finds_nothing_where_no_indexed_passage_is_about_what_is_named(tmp_path):
    crowded, index = crowded_graph(tmp_path, SMALL)
    llm = ScriptedLLM(Mentions(mentions=["Germany"]))
    tools = Toolkit(crowded, llm, index=index)
    answer, _ = drain(rag.solve("Where is Germany?", tools, rag.Params()))
    assert answer.reason == rag.NONE_NEAR


@pytest.mark.parametrize("method", [rag, rag_hybrid])
def test_without_its_index_text_rag_reads_about_what_is_linked_and_says_so(tmp_path, method):
    crowded, index = crowded_graph(tmp_path, SMALL)
    named = Mentions(mentions=["Douglas Sirk"])
    read = answer_with(lambda fact: isinstance(fact, Passage))
    llm = ScriptedLLM(named, read)  # names are asked for once
    question = "When did Douglas Sirk leave Germany?"
    tools = Toolkit(crowded, llm, index=index)
    answer, seen = drain(method.solve(question, tools, method.Params()))
    assert answer.citations == (PASSAGES[0],)
    (note,) = [e for e in seen if e.kind == "noted"]
    assert "index of passages of “crowded” is not built: only the passages around" in note.text


def test_kaping_ranks_the_triples_of_the_linked_entities(kg, index):
    llm = ScriptedLLM(Mentions(mentions=["Ulm"]), answer_with(about(ULM, "population")))
    tools = Toolkit(kg, llm, index=index)
    question = "What is the population of Ulm?"
    answer, seen = drain(kaping.solve(question, tools, kaping.Params(triples=2)))
    assert answer.grounding == "grounded"
    assert kinds(seen) == (
        "step asked linked anchored step expanded retrieved noted step asked chosen"
    )
    retrieved, left = seen[6:8]
    assert left.text.startswith("Not among the 2 nearest: ")
    assert "population" not in left.text
    (given,) = [given for skill, given in llm.asked if skill.name == "answer from facts"]
    assert given.notes[0].startswith("these are the 2 facts nearest to the question, of ")
    assert len(retrieved.found) == 2
    assert {s.relation.name for s in retrieved.found} == {"population"}
    assert all(ULM in (s.subject, s.object) for s in retrieved.found)


@pytest.mark.parametrize(("mention", "level"), [("tallest", "info"), ("Atlantis", "warning")])
def test_only_a_name_that_is_missing_is_a_warning(kg, index, mention, level):
    llm = ScriptedLLM(Mentions(mentions=[mention]))
    _, seen = drain(kaping.solve("What?", Toolkit(kg, llm, index=index), kaping.Params()))
    (note,) = [e for e in seen if e.kind == "noted"]
    assert note.level == level


def test_kaping_without_an_entity_abstains(kg, index):
    llm = ScriptedLLM(Mentions(mentions=["Atlantis"]))
    answer, _ = drain(kaping.solve("Where?", Toolkit(kg, llm, index=index), kaping.Params()))
    assert answer.grounding == "abstained"
    assert llm.skills == [skills.EXTRACT.name]


def test_hybrid_links_an_entity_that_only_a_passage_names(kg, index):
    llm = ScriptedLLM(Mentions(mentions=[]), answer_with(about(LATER, "director")))
    tools = Toolkit(kg, llm, index=index)
    question = "What did the maker of melodramas who left Germany in 1937 direct?"
    answer, seen = drain(rag_hybrid.solve(question, tools, rag_hybrid.Params(passages=1)))
    assert answer.grounding == "grounded"
    anchored = [e for e in seen if e.kind == "anchored"]
    assert [a.entity for a in anchored] == [SIRK]
    assert "does not name it" in anchored[0].why
    facts = llm.inputs[-1].facts
    assert facts[0] == PASSAGES[0]  # a passage, then the triples of its entity
    assert all(SIRK in (s.subject, s.object) for s in facts[1:])
    assert len(facts) > 1


def test_hybrid_reads_each_linked_entitys_own_article(kg, index):
    llm = ScriptedLLM(Mentions(mentions=["Ulm"]), answer_with(lambda fact: fact.id == "p2"))
    tools = Toolkit(kg, llm, index=index)
    params = rag_hybrid.Params(passages=1, triples=0)
    answer, _ = drain(rag_hybrid.solve("When did Sirk leave Germany for Ulm?", tools, params))
    assert answer.citations == (PASSAGES[1],)  # the nearest passage is another one


def test_hybrid_pairs_each_passage_with_its_entity(kg, index):
    llm = ScriptedLLM(Mentions(mentions=["Ulm"]), answer_with(about(ULM, "country")))
    tools = Toolkit(kg, llm, index=index)
    params = rag_hybrid.Params(passages=3, triples=2, nearness=1)
    drain(rag_hybrid.solve("In which country is Ulm on the Danube?", tools, params))
    facts = llm.inputs[-1].facts
    at = facts.index(PASSAGES[1])
    assert [type(f) for f in facts[at : at + 3]] == [Passage, Statement, Statement]
    assert sum(isinstance(f, Statement) for f in facts) == 2  # none of the passages below nearness


@pytest.mark.parametrize("method", [rag_triples, kaping, rag_hybrid])
def test_without_an_index_what_is_linked_is_compared_and_that_is_said(kg, method):
    def read(given):
        director = next(i for i, s in enumerate(given.facts) if s.relation.name == "director")
        return FactAnswer(
            sentences=[CitedSentence(text="Douglas Sirk.", facts=[director])], values=[]
        )

    llm = ScriptedLLM(Mentions(mentions=["Written on the Wind"]), read)
    answer, seen = drain(method.solve("Who directed it?", Toolkit(kg, llm), method.Params()))
    assert answer.grounding == "grounded"
    told = [e.text for e in seen if e.kind == "noted" and "index" in e.text]
    assert told == ["There is no index of “small”: only what is linked is compared in meaning."]


def test_without_any_passage_no_name_is_asked_for(kg):
    answer, _ = drain(rag.solve("Where is Ulm?", Toolkit(kg, ScriptedLLM()), rag.Params()))
    assert answer.reason == rag.NO_PASSAGES


@pytest.mark.parametrize(
    ("method", "links"), [(kaping, True), (rag, False), (rag_triples, False), (rag_hybrid, True)]
)
def test_memory_answers_only_where_it_is_allowed_and_is_marked(kg, index, method, links):
    missing = FactAnswer(sentences=[], values=[], reason="Its name is missing.")
    read = [Mentions(mentions=["Ulm"])] * links + [missing]

    def solve(*replies, **params):
        llm = ScriptedLLM(*read, *replies)
        tools = Toolkit(kg, llm, index=index)
        answer, _ = drain(method.solve("Who built it?", tools, method.Params(**params)))
        return answer, llm

    answer, _ = solve()
    assert (answer.grounding, answer.reason) == ("abstained", "Its name is missing.")
    answer, llm = solve(
        Draft(text="Ensinger did.", values=["Ensinger"]), memory="marked", answer_linking=False
    )
    assert llm.skills[-2:] == ["answer from facts", "answer directly"]
    assert answer.text == "Ensinger did."
    assert (answer.grounding, answer.certain) == ("ungrounded", False)
    assert "memory" in answer.reading
    answer, _ = solve(Draft(text="", values=[]), memory="marked")
    assert answer.reason == "Its name is missing."


@pytest.mark.parametrize("method", [kaping, rag, rag_triples, rag_hybrid])
def test_memory_is_not_asked_where_the_graph_answers(kg, index, method):
    links = method in (kaping, rag_hybrid)
    llm = ScriptedLLM(
        *[Mentions(mentions=["Ulm"])] * links, answer_with(lambda fact: fact is not None)
    )
    tools = Toolkit(kg, llm, index=index)
    answer, _ = drain(method.solve("Where is Ulm?", tools, method.Params(memory="marked")))
    assert answer.grounding == "grounded"
    assert llm.left == []


def test_text_rag_reads_the_same_where_its_things_have_bulk(kg, tmp_path):
    catalogue = [
        Relation(f"http://www.wikidata.org/entity/P{n}", f"n{n} ID") for n in range(9000, 9200)
    ]
    facts = [Statement(SIRK, relation, Literal("x17")) for relation in catalogue]
    bulky = EmbeddedGraph.build("bulky", [SIRK, ULM], catalogue, [*STATEMENTS, *facts])

    def asked(graph, name):
        llm = ScriptedLLM(answer_with(lambda fact: fact.id == "p1"))
        tools = Toolkit(graph, llm, index=Index(graph, real_encoder(), tmp_path / name, PASSAGES))
        question = "When did the director leave Germany?"
        answer, _ = drain(rag.solve(question, tools, rag.Params()))
        return answer, llm.inputs

    assert asked(bulky, "bulky") == asked(kg, "plain")


@pytest.mark.parametrize(("lists", "known"), [(100, 30), (0, 10)])
def test_a_list_is_read_beyond_the_ten_nearest_where_that_is_wanted(tmp_path, lists, known):
    league, member = Entity("urn:league", "Hanse"), Relation("urn:member", "member")
    founded = Relation("urn:founded", "founded")
    towns = [Entity(f"urn:t{n}", f"Town {n}") for n in range(30)]
    facts = [Statement(league, member, town) for town in towns]
    facts += [Statement(league, founded, Literal("1358"))]
    graph = EmbeddedGraph.build("league", [league, *towns], [member, founded], facts)
    llm = ScriptedLLM(Mentions(mentions=["Hanse"]), FactAnswer(sentences=[], values=[], reason="x"))
    tools = Toolkit(graph, llm, index=Index(graph, word_encoder(tmp_path), tmp_path / "index"))
    params = kaping.Params(lists=lists, further=False)
    drain(kaping.solve("Which towns are member of the Hanse?", tools, params))
    members = {f.object for f in llm.inputs[-1].facts if f.relation == member}
    assert len(members) in (known, known - 1)  # the ten may have the other fact among them


@pytest.mark.parametrize("method", [kaping, rag_triples])
def test_what_is_not_among_the_nearest_is_read_before_it_abstains(kg, method, tmp_path):
    nothing = FactAnswer(sentences=[], values=[], reason="Nothing of it.")
    llm = ScriptedLLM(Mentions(mentions=["Ulm"]), nothing, answer_with(about(ULM, "population")))
    endpoint = Endpoint(kg)
    tools = Toolkit(endpoint, llm, index=Index(endpoint, real_encoder(), tmp_path))
    params = method.Params(triples=1)
    answer, seen = drain(method.solve("What is said of Ulm?", tools, params))
    first, second = (set(given.facts) for given in llm.inputs[1:])
    assert len(first) == 1
    assert first < second
    assert answer.grounding == "grounded"
    titles = [e.title for e in seen if e.kind == "step"]
    assert titles[-1] == f"Read on: {len(second) - 1} more facts"


def test_kaping_as_its_paper_has_it_reads_no_further(kg, index):
    nothing = FactAnswer(sentences=[], values=[], reason="Nothing of it.")
    llm = ScriptedLLM(Mentions(mentions=["Ulm"]), nothing)
    params = kaping.Params(triples=1, lists=0, further=False)
    answer, _ = drain(kaping.solve("What of Ulm?", Toolkit(kg, llm, index=index), params))
    assert answer.grounding == "abstained"


def test_hybrid_tells_what_is_not_among_the_nearest_and_reads_it_before_it_abstains(kg, index):
    nothing = FactAnswer(sentences=[], values=[], reason="Nothing of it.")
    llm = ScriptedLLM(Mentions(mentions=["Ulm"]), nothing, answer_with(about(ULM, "population")))
    params = rag_hybrid.Params(passages=1, triples=1)
    tools = Toolkit(kg, llm, index=index)
    answer, seen = drain(rag_hybrid.solve("What is said of Ulm?", tools, params))
    first, second = (set(given.facts) for given in llm.inputs[1:])
    assert first < second
    assert answer.grounding == "grounded"
    assert any(e.text.startswith("Not among the 1 nearest: ") for e in seen if e.kind == "noted")
