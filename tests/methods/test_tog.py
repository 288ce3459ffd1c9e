"""Think-on-Graph as its paper tells it: relation prune, entity prune, do the paths suffice."""

import pytest

from kgqa_core.ask import events, shown
from kgqa_core.ask.outcome import answer_of
from kgqa_core.ask.run import Toolkit, drain, run
from kgqa_core.ask.skills import (
    AnswerIfEnough,
    AnswerOrGoOn,
    CitedSentence,
    Draft,
    FactAnswer,
    Mentions,
    Picks,
    ScoredPick,
    ToFollow,
)
from kgqa_core.facts.terms import YEAR, Entity, Literal, Relation, RelationUse, Statement
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.kg.starter import starter_graph
from kgqa_core.kg.union import from_rows
from kgqa_core.llm import prompt
from kgqa_core.llm.offline import Offline
from kgqa_core.methods import METHODS, tog
from kgqa_core.methods.tog import Params, RelationParams
from tests.fakes import ScriptedLLM, kinds
from tests.small_graph import DIRECTOR, FILM, LATER, SIRK, small_graph

QUESTION = "What else did the director of Written on the Wind make?"


@pytest.fixture(scope="module")
def kg():
    return small_graph()


@pytest.fixture(scope="module")
def starter():
    return starter_graph()


def pick(*wanted):
    """Picks (name, direction, score), whatever the positions."""

    def reply(given):
        found = [(use.relation.name, use.direction) for use in given.relations]
        picked = [ScoredPick(index=found.index((n, d)), score=s) for n, d, s in wanted]
        if given.facts:
            return AnswerOrGoOn(sufficient=False, sentences=[], values=[], picked=picked)
        return Picks(picked=picked)

    return reply


def says(text, *positions, last=False):
    kind = AnswerIfEnough if last else AnswerOrGoOn
    return kind(
        sufficient=True,
        sentences=[CitedSentence(text=text, facts=list(positions))],
        values=[text],
    )


NOTHING_HERE = AnswerOrGoOn(sufficient=False, sentences=[], values=[])
NOT_YET = AnswerIfEnough(sufficient=False, sentences=[], values=[])


def solve(kg, llm, question=QUESTION, params=None):
    return drain(tog.solve(question, Toolkit(kg, llm), params or Params()))


def test_a_beam_of_paths_is_grown_until_it_suffices(kg):
    llm = ScriptedLLM(
        Mentions(mentions=["Written on the Wind"]),
        pick(("director", "out", 0.8)),
        pick(("director", "in", 0.9)),
        says("Imitation of Life", 0, 1),
    )
    answer, seen = solve(kg, llm, params=Params())
    assert answer.values == (LATER,)
    assert answer.certain  # one end is left after the step back, so nothing is cut
    assert {(c.subject, c.object) for c in answer.citations} == {(FILM, SIRK), (LATER, SIRK)}
    assert kinds(seen) == (
        "step asked linked anchored step surveyed asked "
        "step expanded surveyed step asked chosen "
        "step expanded surveyed step asked chosen"
    )


def test_what_the_beam_has_no_place_for_is_read_all_the_same(kg):
    """The answer may be any end that was read, also of those that nobody would go on from."""
    llm = ScriptedLLM(Mentions(mentions=["Douglas Sirk"]), says("Imitation of Life", 0))
    answer, seen = solve(kg, llm, "Which film of Douglas Sirk is a remake?", Params(width=1))
    assert answer.values == (LATER,)
    assert answer.certain
    assert {s.subject for s in llm.inputs[-1].facts} == {FILM, LATER}
    assert kinds(seen).count("pruned") == 1


def test_each_depth_takes_one_call(kg):
    """However wide the beam: does it suffice, and if not, which relation of what to follow."""
    llm = ScriptedLLM(
        Mentions(mentions=["Douglas Sirk"]),  # of his one relation nobody asks whether to follow it
        pick(("publication date", "out", 0.9), ("cast member", "out", 0.8)),
        NOT_YET,
    )
    answer, _ = solve(kg, llm, "Who died?", Params(width=2, depth=2))
    assert answer.grounding == "abstained"
    assert "within 2 hops" in answer.reason
    assert llm.skills == ["extract entities", "answer or go on", "answer if enough"]
    assert {e for owners in llm.inputs[1].whose for e in owners} == {FILM, LATER}
    read = [s.relation.name for s in llm.inputs[-1].facts]
    assert "publication date" in read  # a date takes no place in the beam, and stays


def test_an_end_that_was_not_gone_on_from_makes_the_answer_uncertain(kg):
    llm = ScriptedLLM(
        Mentions(mentions=["Douglas Sirk"]),
        pick(("publication date", "out", 0.9)),
        says("in 1959", 2, last=True),
    )
    answer, seen = solve(kg, llm, "When was it?", Params(width=1))
    assert not answer.certain
    (pruned,) = [e for e in seen if isinstance(e, events.Pruned)][:1]
    assert len(pruned.statements) == 1


def test_two_things_to_compare_go_along_one_relation_together():
    """Whose lives are compared need two relations, not four; each is listed once."""
    rows = [
        (who, what, f"{who}'s {what}")
        for who in ("Reed", "Fen")
        for what in ("birth", "death", "work")
    ]

    def births(given):
        assert len(given.relations) == 3
        assert [len(owners) for owners in given.whose] == [2, 2, 2]
        told = prompt.rendered(given)
        assert told.count("of Reed, Fen:") == 1
        assert told.count("birth → ") == 1
        return Picks(
            picked=[
                ScoredPick(index=n)
                for n, u in enumerate(given.relations)
                if u.relation.name == "birth"
            ]
        )

    llm = ScriptedLLM(Mentions(mentions=["Reed", "Fen"]), births, says("Reed", 0, 1, last=True))
    graph = from_rows(rows, name="lands")
    answer, _ = solve(graph, llm, "Is Reed older than Fen?", Params(width=2))
    assert {s.object.name for s in answer.citations} == {"Reed's birth", "Fen's birth"}


def test_relations_of_more_ends_than_the_beam_holds_stand_under_each(kg):
    given = ToFollow(
        question="?",
        entities=[FILM, LATER],
        relations=[RelationUse(DIRECTOR, "out", 1, ("Sirk",)), RelationUse(DIRECTOR, "in", 1)] * 2,
        whose=[[FILM], [FILM], [LATER], [LATER]],
        most=3,
    )
    told = prompt.rendered(given)
    assert told.count(f"of {FILM.name}:") == told.count(f"of {LATER.name}:") == 1
    assert [told.index(f"[{n}] ") for n in range(4)] == sorted(
        told.index(f"[{n}] ") for n in range(4)
    )


def test_a_branch_that_leads_nowhere_takes_no_place_in_the_beam():
    """Both that lie near Moss are known; its size and its age have the two places."""
    rows = [("Reed", "near", "Moss"), ("Fen", "near", "Moss"), ("Moss", "size", "big")]
    rows += [("Moss", "age", "old")]

    def old(given):
        return says("old", [s.relation.name for s in given.facts].index("age"), last=True)

    llm = ScriptedLLM(
        Mentions(mentions=["Reed", "Fen"]),  # what both are near is one way, and not asked about
        pick(("near", "in", 0.9), ("size", "out", 0.8), ("age", "out", 0.7)),
        old,
    )
    graph = from_rows(rows, name="lands")
    answer, _ = solve(graph, llm, "How old is what is near Reed?", Params(width=2))
    assert answer.citations[0].relation.name == "age"


def test_memory_answers_only_where_allowed_and_is_marked(kg):
    script = [Mentions(mentions=["Ulm"]), Picks(picked=[])]
    assert solve(kg, ScriptedLLM(*script), "Why?")[0].grounding == "abstained"
    llm = ScriptedLLM(*script, Draft(text="Because of the Danube.", values=["Danube"]))
    answer, _ = solve(kg, llm, "Why?", Params(memory="marked"))
    assert answer.grounding == "ungrounded"
    assert "memory" in answer.reading
    assert not answer.certain


def test_tog_r_keeps_entities_at_random_and_asks_no_scores(kg):
    def script():
        return ScriptedLLM(
            Mentions(mentions=["Douglas Sirk"]),
            says("x", 0),
        )

    params = RelationParams(width=1)
    first, seen = solve(kg, script(), "What did Douglas Sirk make?", params)
    again, _ = solve(kg, script(), "What did Douglas Sirk make?", params)
    assert first == again  # the question seeds the choice
    assert len([e for e in seen if isinstance(e, events.Pruned)]) == 1
    assert METHODS["tog-r"].params().entities == "random"
    assert METHODS["tog"].params().entities == "scored"


def test_many_candidates_are_sampled_the_same_way_each_time(starter):
    def run():
        llm = ScriptedLLM(
            Mentions(mentions=["China"]),
            pick(("shares border with", "out", 1.0)),
            says("many", 0),
        )
        question = "Which countries border China?"
        answer, seen = solve(starter, llm, question, Params(candidates=5, entities="random"))
        assert not answer.certain
        assert any(text.startswith("Not in the sample: ") for text in noted(seen))
        return llm.inputs[-1].facts

    one, two = run(), run()
    assert one == two
    assert len(one) == 5


LAND, PORT, OPENED = Entity("urn:l", "Land"), Relation("urn:p", "port"), Relation("urn:o", "opened")
PORTS = [Entity(f"urn:h{n}", f"Harbour number {n} on the coast") for n in range(200)]


@pytest.fixture(scope="module")
def coast():
    facts = [Statement(LAND, PORT, one) for one in PORTS]
    facts += [Statement(one, OPENED, Literal(str(1700 + n), YEAR)) for n, one in enumerate(PORTS)]
    return EmbeddedGraph.build("coast", [LAND, *PORTS], [PORT, OPENED], facts)


def test_of_a_long_list_all_is_read_and_what_a_prompt_lacks_is_read_on(coast):
    read = []

    def at_last(given):
        read.extend(given.facts)
        return FactAnswer(sentences=[CitedSentence(text="The last.", facts=[0])], values=[])

    llm = ScriptedLLM(Mentions(mentions=["Land"]), NOT_YET, at_last)
    answer, seen = solve(coast, llm, "Which port of Land is the prettiest?", Params(depth=1))
    shown_first = llm.inputs[1]
    assert len(shown_first.facts) == len(PORTS)
    (cut,) = shown.cuts(shown_first)
    assert f"(not shown: {cut})" in prompt.rendered(shown_first)
    assert f"No room in the prompt for {cut}." in noted(seen)
    assert read
    assert not set(read) & set(shown_first.facts[: shown.fitting(shown_first.facts)])
    assert (answer.text, answer.certain) == ("The last.", False)


def test_what_the_reader_would_only_guess_is_an_answer_that_is_not_certain():
    tongue, letters = Entity("urn:a", "Orvish"), Entity("urn:r", "Orvish alphabet")
    script, size = Relation("urn:s", "writing system"), Relation("urn:n", "population")
    facts = [Statement(tongue, script, letters), Statement(tongue, size, Literal("300"))]
    one = EmbeddedGraph.build("one", [tongue, letters], [script, size], facts)
    answer, _ = solve(one, Offline(), "What writing system does Orvish use?")
    assert (answer.values, answer.certain, answer.grounding) == ((letters,), False, "grounded")


def test_of_many_ends_those_that_the_question_names_are_gone_on_from(coast):
    llm = ScriptedLLM(Mentions(mentions=["Land"]), *[NOTHING_HERE] * 3)
    question = "When was Harbour number 187 on the coast opened, the port of Land?"
    _, seen = solve(coast, llm, question, Params(depth=2))
    assert llm.inputs[1].whose[0][0] == PORTS[187]
    assert "Of 200 ends the 16 nearest to the question are gone on from." in noted(seen)


def test_what_most_of_the_ends_have_is_followed_from_all_of_them(coast):
    onward = AnswerOrGoOn(sufficient=False, picked=[ScoredPick(index=0)])
    llm = ScriptedLLM(Mentions(mentions=["Land"]), onward, says("1700", 0, last=True))
    _, seen = solve(coast, llm, "When were the ports of Land opened?", Params(depth=2))
    assert len(llm.inputs[1].entities) == 16  # the prompt is no longer
    opened = [s.subject for s in llm.inputs[2].facts if s.relation == OPENED]
    assert sorted(opened, key=PORTS.index) == PORTS
    assert [e.relation for e in seen if isinstance(e, events.Expanded)] == [PORT, OPENED]
    assert "“opened” is followed from all 200 ends." in noted(seen)


def test_what_one_end_has_is_followed_from_this_one():
    warden, ward = Relation("urn:w", "warden"), Entity("urn:ann", "Ann Ott")
    other = Entity("urn:bob", "Bob Ott")
    facts = [Statement(LAND, PORT, one) for one in PORTS[:20]]
    facts += [Statement(one, OPENED, Literal("1700", YEAR)) for one in PORTS[:20]]
    facts += [Statement(PORTS[3], warden, ward), Statement(PORTS[9], warden, other)]
    names = [LAND, *PORTS[:20], ward, other]
    kg = EmbeddedGraph.build("coast", names, [PORT, OPENED, warden], facts)

    def of_three(given):
        (at,) = [n for n, use in enumerate(given.relations) if use.relation == warden]
        assert (given.whose[at], PORTS[9] in given.entities) == ([PORTS[3]], False)
        return AnswerOrGoOn(sufficient=False, picked=[ScoredPick(index=at)])

    llm = ScriptedLLM(Mentions(mentions=["Land"]), of_three, says("Ann Ott", 0, last=True))
    question = "Who is warden of Harbour number 3 on the coast, the port of Land?"
    solve(kg, llm, question, Params(depth=2))
    assert [s.object for s in llm.inputs[2].facts if s.relation == warden] == [ward]


def noted(seen):
    return [e.text for e in seen if isinstance(e, events.Noted)]


def test_a_relation_that_leads_only_back_is_not_offered():
    rows = [("Reed", "lies in", "Moss"), ("Moss", "lies in", "Fen"), ("Moss", "mayor", "Ann Ott")]
    llm = ScriptedLLM(Mentions(mentions=["Reed"]), says("Ann Ott", 0))
    solve(from_rows(rows, name="lands"), llm, "Who is mayor of the land around Reed?")
    offered = {(use.relation.name, use.direction) for use in llm.inputs[-1].relations}
    assert offered == {("lies in", "out"), ("mayor", "out")}


def test_one_relation_is_followed_without_a_question():
    one = EmbeddedGraph.build("one", [FILM, SIRK], [DIRECTOR], [Statement(FILM, DIRECTOR, SIRK)])
    llm = ScriptedLLM(
        Mentions(mentions=["Written on the Wind"]),
        says("Douglas Sirk", 0, last=True),  # from him a relation leads only back
    )
    answer, _ = solve(one, llm, "Who directed Written on the Wind?")
    assert (answer.values, llm.skills) == ((SIRK,), ["extract entities", "answer if enough"])


def test_no_relation_left_is_a_dead_end(kg):
    llm = ScriptedLLM(Mentions(mentions=["Ulm"]), Picks(picked=[]))
    answer, seen = solve(kg, llm, "Why is Ulm so pretty?", Params())
    assert answer.grounding == "abstained"
    assert kinds(seen).endswith("step surveyed asked dead_end")


def test_the_search_ends_where_no_relation_helps(kg):
    llm = ScriptedLLM(Mentions(mentions=["Douglas Sirk"]), NOTHING_HERE)
    answer, seen = solve(kg, llm, "What did Douglas Sirk eat?")
    assert answer.grounding == "abstained"
    assert len(llm.asked) == 2
    assert kinds(seen).endswith("asked pruned")


def test_without_an_entity_nothing_is_answered_from_memory(kg):
    answer, _ = solve(kg, ScriptedLLM(Mentions(mentions=[])), "Who are you?", Params())
    assert answer.grounding == "abstained"


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Who directed Inception?", {"Christopher Nolan"}),
        ("Where was the director of A Beautiful Mind born?", {"Duncan"}),
        ("Who directed Nothing at All?", set()),
    ],
)
def test_the_reader_prunes_by_what_its_plan_needs(starter, question, names):
    answer, _ = solve(starter, Offline(), question, Params())
    assert {v.name for v in answer.values} == names


@pytest.mark.parametrize("method", ["tog", "tog-r", "structgpt", "react", "one-hop"])
def test_a_code_is_asked_for_by_its_relation_and_not_among_parts_without_names(method):
    """A port with more parts than a list of relations names, which nobody called a code."""
    wd = "http://www.wikidata.org/entity/"
    port = Entity(f"{wd}Q8731", "Cleeve Port")
    parts = [Entity(f"{wd}Q{n}") for n in range(900, 909)]
    code = Relation(f"{wd}P238", "IATA airport code", "", ("IATA station code",), "string")
    part = Relation(f"{wd}P527", "has part(s)", "", (), "item")
    kg = EmbeddedGraph.build(
        "ports",
        [port],
        [code, part],
        [Statement(port, code, Literal("CLV")), *(Statement(port, part, one) for one in parts)],
    )
    chosen = METHODS[method]
    records = run(
        "What is the IATA code of Cleeve Port?",
        chosen.solve,
        Toolkit(kg, Offline()),
        chosen.params(),
    )
    assert [value.name for value in answer_of(list(records)).values] == ["CLV"]


def test_what_two_ways_lead_to_is_listed_and_gone_on_from_once():
    ann, ben, town, land = (Entity(f"x:{n}", n) for n in ("Ann", "Ben", "Marnby", "Norland"))
    lives, country = Relation("x:lives", "residence"), Relation("x:country", "country")
    facts = [Statement(who, lives, town) for who in (ann, ben)]
    facts.append(Statement(town, country, land))
    kg = EmbeddedGraph.build("two", [ann, ben, town, land], [lives, country], facts)

    def follows(given):
        assert given.entities.count(town) == 1
        assert [(use.relation, use.direction) for use in given.relations].count(
            (country, "out")
        ) == 1
        picked = [ScoredPick(index=[u.relation for u in given.relations].index(country))]
        return AnswerOrGoOn(sufficient=False, sentences=[], values=[], picked=picked)

    llm = ScriptedLLM(Mentions(mentions=["Ann", "Ben"]), follows, says("Norland", 0, last=True))
    answer, _ = solve(kg, llm, "In which land do Ann and Ben live?")
    assert answer.values == (land,)
