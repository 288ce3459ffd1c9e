"""ODA as its paper tells it: observe, act, reflect."""

import pytest

from kgqa_core.ask import events, shown
from kgqa_core.ask.run import Toolkit, drain
from kgqa_core.ask.skills import CitedSentence, FactAnswer, Mentions
from kgqa_core.facts.terms import Entity, Relation, Statement
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.llm import prompt
from kgqa_core.llm.offline import Offline
from kgqa_core.methods import oda
from kgqa_core.methods.oda import ACT, REFLECT, Decision, Kept, Params
from kgqa_core.search.index import Scored
from tests.fakes import ScriptedLLM, kinds
from tests.servers.chroma import word_encoder
from tests.small_graph import DIRECTOR, FILM, LATER, SIRK, TURNER, small_graph

QUESTION = "What else did the director of Written on the Wind make?"


class InOrder:
    """An index that finds what comes first nearest, and remembers how many were asked for."""

    def __init__(self):
        self.asked, self.compared = [], []

    def rank(self, texts, items, k):
        self.asked.append(k)
        self.compared.append(len(items))
        return [[Scored(item, 0.5) for item in items[:k]] for _ in texts]


@pytest.fixture(scope="module")
def kg():
    return small_graph()


def choose(action, *names):
    """Decides for the entities with these names, whatever their positions."""

    def reply(given):
        listed = [e.name for e in given.entities]
        return Decision(action=action, entities=[listed.index(n) for n in names])

    return reply


def keep(relation):
    def reply(given):
        named = [i for i, s in enumerate(given.outcome) if s.relation.name == relation]
        return Kept(indices=named)

    return reply


def says(text, relation):
    def reply(given):
        cited = [i for i, s in enumerate(given.facts) if s.relation.name == relation]
        return FactAnswer(sentences=[CitedSentence(text=text, facts=cited)], values=[text])

    return reply


def solve(kg, llm, question=QUESTION, index=None, **params):
    index = index or InOrder()
    return drain(oda.solve(question, Toolkit(kg, llm, index=index), Params(**params)))


def test_it_observes_acts_reflects_and_answers_from_what_it_kept(kg):
    def last(given):
        assert [s.object for s in given.facts[: given.kept]][:1] == [SIRK]
        assert FILM in given.explored
        return Decision(action="answer")

    llm = ScriptedLLM(
        Mentions(mentions=["Written on the Wind"]),
        choose("explore", "Written on the Wind"),
        keep("director"),
        last,
        says("Imitation of Life", "director"),
    )
    answer, seen = solve(kg, llm, hops=2)
    assert answer.values[0].name == "Imitation of Life"
    assert answer.grounding == "grounded"
    assert {c.relation.name for c in answer.citations} == {"director"}
    assert kinds(seen).startswith(
        "step asked linked anchored step expanded retrieved expanded retrieved asked "
        "step expanded asked chosen pruned step expanded"
    )
    assert kinds(seen).endswith("asked step asked linked asked anchored pruned chosen") or kinds(
        seen
    ).endswith("asked step asked chosen")


def test_what_is_in_memory_is_not_shown_as_observed_once_more():
    known, new = Statement(FILM, DIRECTOR, SIRK), Statement(LATER, DIRECTOR, SIRK)
    given = ACT.given(question="q?", entities=[FILM], facts=[known, new], kept=1, rounds_left=2)
    text = prompt.rendered(given)
    assert [text.count(FILM.name), text.count(LATER.name)] == [2, 1]  # once as an entity
    assert "kept: 1" in text


def test_who_says_that_it_can_answer_answers_in_the_same_reply(kg):
    def answered(given):
        cited = [i for i, s in enumerate(given.facts) if s.relation.name == "director"]
        said = [CitedSentence(text="By Douglas Sirk.", facts=cited[:1])]
        return Decision(action="answer", sentences=said, values=["Douglas Sirk"])

    llm = ScriptedLLM(Mentions(mentions=["Written on the Wind"]), answered)
    answer, seen = solve(kg, llm, "Who directed Written on the Wind?", hops=1)
    assert answer.values == (SIRK,)
    assert answer.grounding == "grounded"
    assert any(isinstance(event, events.Chosen) for event in seen)
    assert not llm.left


def test_several_that_are_named_are_explored_together(kg):
    """When each of a few films came out takes one round, not one for each."""

    def last(given):
        assert {FILM, LATER} <= set(given.explored)
        dates = [i for i, s in enumerate(given.facts) if s.relation.name == "publication date"]
        sentence = CitedSentence(text="In 1956 and 1959.", facts=dates)
        return Decision(action="answer", sentences=[sentence], values=["1956", "1959"])

    both = choose("explore", FILM.name, LATER.name)
    names = Mentions(mentions=["Douglas Sirk"])
    llm = ScriptedLLM(names, both, keep("publication date"), last)
    answer, seen = solve(kg, llm, "When did the films of Douglas Sirk come out?")
    assert {c.subject for c in answer.citations} == {FILM, LATER}
    titles = [e.title for e in seen if isinstance(e, events.Step)]
    assert "Explore the neighbours of Written on the Wind, Imitation of Life" in titles


def test_a_path_between_two_entities_is_found(kg):
    llm = ScriptedLLM(
        Mentions(mentions=["Written on the Wind", "Lana Turner"]),
        choose("path", "Written on the Wind", "Lana Turner"),
        Decision(action="answer"),
        FactAnswer(sentences=[CitedSentence(text="By its director.", facts=[0, 1, 2])], values=[]),
    )
    answer, seen = solve(kg, llm, "How is Lana Turner connected with Written on the Wind?")
    chosen = next(e for e in seen if isinstance(e, events.Chosen))
    ends = {end for s in chosen.statements for end in (s.subject, s.object)}
    assert {FILM, TURNER} <= ends
    assert len(chosen.statements) in (2, 3)
    assert answer.grounding == "grounded"
    assert LATER in ends


def test_the_observation_grows_by_a_tenth_each_round(kg):
    index = InOrder()
    llm = ScriptedLLM(
        Mentions(mentions=["Ulm"]),
        choose("explore", "Ulm"),
        Kept(indices=[]),
        choose("explore", "Germany"),
        Kept(indices=[]),
        FactAnswer(sentences=[], values=[], reason="Nothing."),
    )
    answer, _ = solve(
        kg, llm, "Why is Ulm so pretty?", index, rounds=2, hops=1, observed=10, growth=0.1
    )
    assert index.asked == [10, 11]
    assert answer.reason == "Nothing."
    assert not llm.left  # after the last round it answers or abstains


def test_a_crowded_neighbourhood_is_read_and_compared_in_part(tmp_path):
    land, near = Entity("urn:l", "Land"), [Entity(f"urn:n{i}", f"near {i}") for i in range(30)]
    border, part = Relation("urn:b", "border"), Relation("urn:p", "part")
    far = [Entity(f"urn:f{i}", f"far {i}") for i in range(900)]
    facts = [Statement(land, border, one) for one in near]
    facts += [Statement(near[i // 30], part, one) for i, one in enumerate(far)]
    crowd = EmbeddedGraph.build("crowd", [land, *near, *far], [border, part], facts)
    index = InOrder()
    index.encoder = word_encoder(tmp_path)
    nothing = FactAnswer(sentences=[], values=[], reason="Nothing.")
    llm = ScriptedLLM(Mentions(mentions=["Land"]), choose("answer"), *([nothing] * 3))
    _, seen = solve(crowd, llm, "What lies around Land?", index, hops=2, observed=10)
    first, second = (e for e in seen if isinstance(e, events.Expanded))
    assert len(first.statements) == 30
    assert len(second.entities) == 10
    assert len(second.statements) == 310  # 900 facts are near, and what leads to them
    assert index.compared == [20, 20]
    beyond = llm.inputs[1].beyond
    assert beyond == "290 more of part (urn:p), 20 more of border (urn:b)"
    assert f"beyond: {beyond}" in prompt.rendered(llm.inputs[1])
    told = [e.text for e in seen if isinstance(e, events.Noted)]
    assert "Not among the 10 nearest: 20 more of border (urn:b)." in told
    assert len(llm.inputs[2].facts) == 330  # what was not observed can be read on
    assert set(llm.inputs[3].facts) < set(llm.inputs[2].facts)


def test_an_outcome_is_read_on_until_something_of_it_is_kept(tmp_path):
    land, border = Entity("urn:l", "Land"), Relation("urn:b", "border")
    near = [Entity(f"urn:n{i}", f"a neighbour far away with the number {i}") for i in range(200)]
    crowd = EmbeddedGraph.build(
        "crowd", [land, *near], [border], [Statement(land, border, one) for one in near]
    )
    llm = ScriptedLLM(
        Mentions(mentions=["Land"]),
        choose("explore", "Land"),
        Kept(indices=[]),
        Kept(indices=[0]),
        Decision(action="answer"),
        says("That one", "border"),
    )
    index = InOrder()
    index.encoder = word_encoder(tmp_path)
    answer, _ = solve(crowd, llm, "Which one is it?", index, hops=1, observed=5)
    first, second = llm.inputs[2].outcome, llm.inputs[3].outcome
    assert second == first[shown.fitting(first) :]
    assert llm.inputs[4].facts[: llm.inputs[4].kept] == second[:1]
    assert not answer.certain  # the prompt has no room for all neighbours


def test_a_list_that_was_observed_in_part_is_answered_whole(tmp_path):
    """What was read beside of the same list is shown before anything is counted."""
    land, border = Entity("urn:l", "Land"), Relation("urn:b", "border")
    near = [Entity(f"urn:n{i}", f"n{i}") for i in range(25)]
    lands = EmbeddedGraph.build(
        "lands", [land, *near], [border], [Statement(land, border, one) for one in near]
    )
    index = InOrder()
    index.encoder = word_encoder(tmp_path)

    def counted(n, kind, **more):
        said = [CitedSentence(text=f"{n}.", facts=list(range(n)))]
        return kind(sentences=said, values=[str(n)], **more)

    llm = ScriptedLLM(
        Mentions(mentions=["Land"]),
        counted(5, Decision, action="answer"),
        counted(25, FactAnswer),
    )
    answer, _ = solve(lands, llm, "How many does Land border?", index, hops=1, observed=5)
    assert [v.name for v in answer.values] == ["25"]
    assert answer.certain
    assert len(llm.inputs[1].facts) == 5
    assert len(llm.inputs[2].facts) == 25

    llm = ScriptedLLM(
        Mentions(mentions=["Land"]),
        counted(5, Decision, action="answer"),
        counted(5, FactAnswer),
    )
    answer, _ = solve(lands, llm, "How many does Land border?", index, hops=1, observed=5)
    assert answer.certain  # it was shown all of them


def test_two_rounds_that_bring_nothing_end_the_walk(kg):
    llm = ScriptedLLM(
        Mentions(mentions=["Ulm"]),
        choose("explore", "Ulm"),
        Kept(indices=[]),
        choose("explore", "Ulm"),
        Kept(indices=[]),
        FactAnswer(sentences=[], values=[], reason="Nothing."),
    )
    assert solve(kg, llm, "Why is Ulm so pretty?", rounds=8)[0].reason == "Nothing."
    assert not llm.left


def test_it_may_say_that_the_graph_cannot_tell(kg):
    llm = ScriptedLLM(
        Mentions(mentions=["Written on the Wind"]),
        Decision(thought="No composer is stated of it.", action="give up"),
    )
    answer, seen = solve(kg, llm, "Who composed Written on the Wind?")
    assert not answer.sentences
    assert answer.reason == "No composer is stated of it."
    assert any(isinstance(event, events.DeadEnd) for event in seen)


def test_an_action_on_nothing_ends_the_walk(kg):
    llm = ScriptedLLM(
        Mentions(mentions=["Ulm"]),
        Decision(action="explore", entities=[99]),
        FactAnswer(sentences=[], values=[], reason="I do not see it."),
    )
    assert solve(kg, llm, "Why is Ulm so pretty?")[0].reason == "I do not see it."


def test_what_a_prompt_has_no_room_for_makes_an_answer_uncertain(kg, tmp_path):
    llm = ScriptedLLM(
        Mentions(mentions=["Douglas Sirk"]),
        Decision(action="answer"),
        says("Written on the Wind", "director"),
    )
    answer, _ = solve(kg, llm, "What did Douglas Sirk direct?", hops=1, observed=5)
    assert answer.certain

    crowd = [Entity(f"urn:f{i}", f"a film with quite a long title, part {i}") for i in range(200)]
    films = [Statement(one, DIRECTOR, SIRK) for one in crowd]
    many = EmbeddedGraph.build("many", [SIRK, *crowd], [DIRECTOR], films)
    llm = ScriptedLLM(
        Mentions(mentions=["Douglas Sirk"]),
        Decision(action="answer"),
        says("a film with quite a long title, part 1", "director"),
    )
    index = InOrder()
    index.encoder = word_encoder(tmp_path)
    answer, _ = solve(many, llm, "What did Douglas Sirk direct?", index, hops=1)
    assert not answer.certain  # a prompt has no room for all that was read


def test_without_an_index_it_compares_what_is_linked_and_says_so(kg):
    llm = ScriptedLLM(
        Mentions(mentions=["Written on the Wind"]),
        Decision(action="answer"),
        says("Douglas Sirk", "director"),
    )
    params = Params(hops=1, observed=5)
    answer, seen = drain(oda.solve("Who directed it?", Toolkit(kg, llm), params))
    assert answer.grounding == "grounded"
    (told,) = [e.text for e in seen if isinstance(e, events.Noted) and "index" in e.text]
    assert told == "There is no index of “small”: only what is linked is compared in meaning."


def test_without_an_entity_nothing_is_observed(kg):
    answer, _ = solve(kg, ScriptedLLM(Mentions(mentions=[])), "Who are you?")
    assert answer.grounding == "abstained"


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Who directed Written on the Wind?", {"Douglas Sirk"}),
        (QUESTION, {"Imitation of Life"}),
        ("Which country is Ulm in?", {"Germany"}),
    ],
)
def test_the_reader_explores_what_its_plan_reaches(kg, question, names):
    llm = Offline()
    assert llm.can(ACT.name)
    assert llm.can(REFLECT.name)
    answer, _ = solve(kg, llm, question, hops=1)
    assert {v.name for v in answer.values} == names
    assert answer.grounding == "grounded"


def test_what_points_to_things_on_the_way_is_observed_too(kg):
    """A film says who is in it, not the other way round: Sirk's other film is found from this."""
    films = []

    def read(given):
        films.extend(f.subject for f in given.facts if f.relation.name == "director")
        return FactAnswer(sentences=[], values=[], reason="Nothing.")

    llm = ScriptedLLM(Mentions(mentions=["Written on the Wind"]), choose("answer"), read)
    solve(kg, llm, "What else did its director make?", hops=2)
    assert set(films) == {FILM, LATER}


def test_what_was_observed_before_an_action_is_still_there_to_answer_from(kg):
    """The walk went on to Germany; the answer may need what was seen around the film."""
    seen = []

    def read(given):
        seen.extend(f.subject for f in given.facts)
        return FactAnswer(sentences=[], values=[], reason="Nothing.")

    def last(given):
        return Kept(indices=[len(given.outcome) - 1])

    llm = ScriptedLLM(
        Mentions(mentions=["Written on the Wind", "Ulm"]),
        choose("explore", "Germany"),
        last,
        choose("answer"),
        read,
    )
    solve(kg, llm, "Was Written on the Wind made in Ulm?", rounds=2, hops=1)
    assert FILM in seen
