"""Each method as its paper tells it, with a scripted model over a small real graph."""

import json

import pytest

from kgqa_core.ask import invented as x
from kgqa_core.ask import skills
from kgqa_core.ask.run import Toolkit, drain
from kgqa_core.ask.skills import (
    CitedSentence,
    Draft,
    EntityChoice,
    EntityChoices,
    FactAnswer,
    Mentions,
)
from kgqa_core.facts import verbalise
from kgqa_core.facts.terms import BOOLEAN, Entity, Literal
from kgqa_core.llm import prompt
from kgqa_core.methods import METHODS, cot, io, one_hop, react
from kgqa_core.methods.linking import link_mentions
from kgqa_core.methods.react import NEXT_ACTION
from kgqa_core.methods.walk import Later, Move
from tests.fakes import ScriptedLLM, kinds
from tests.small_graph import BOOK, FILM, GERMANY, LATER, SIRK, ULM, small_graph


@pytest.fixture(scope="module")
def kg():
    return small_graph()


def answered(text, *facts, values=()):
    return FactAnswer(sentences=[CitedSentence(text=text, facts=list(facts))], values=list(values))


def act(tool, **fields):
    return Move(thought="so", tool=tool, **fields)


def test_io_asks_once_and_is_never_grounded(kg):
    llm = ScriptedLLM(Draft(text="Douglas Sirk.", values=["Douglas Sirk"]))
    answer, seen = drain(io.solve("Who?", Toolkit(kg, llm), io.Params()))
    assert answer.text == "Douglas Sirk."
    assert answer.grounding == "ungrounded"
    assert kinds(seen) == "step asked"


@pytest.mark.parametrize(
    ("question", "told"),
    [("In which year was it founded?", "1066"), ("How many live there?", "1,066")],
)
def test_a_year_from_memory_is_a_year(kg, question, told):
    llm = ScriptedLLM(Draft(text="So.", values=["1066"]))
    answer, _ = drain(io.solve(question, Toolkit(kg, llm), io.Params()))
    assert [verbalise.value(value) for value in answer.values] == [told]


def test_io_links_its_answer_when_asked_to(kg):
    llm = ScriptedLLM(Draft(text="Douglas Sirk.", values=["Douglas Sirk"]))
    answer, _ = drain(io.solve("Who?", Toolkit(kg, llm), io.Params(answer_linking=True)))
    assert answer.values == (SIRK,)
    assert answer.grounding == "ungrounded"


def test_a_model_that_does_not_know_abstains(kg):
    llm = ScriptedLLM(Draft(text="", values=[], reason="Never heard of it."))
    answer, _ = drain(cot.solve("Who?", Toolkit(kg, llm), cot.Params()))
    assert answer.grounding == "abstained"
    assert answer.reason == "Never heard of it."


@pytest.mark.parametrize("method", ["io", "cot", "cot-few-shot", "sc"])
def test_the_model_alone_looks_at_no_graph_whatever_is_in_it(method):
    class Unread:
        name = "never read"

        def __getattr__(self, verb):
            raise AssertionError(f"the graph was asked: {verb}")

    chosen = METHODS[method]
    llm = ScriptedLLM(*[Draft(text="It is Ulm.", values=["Ulm"])] * 3)
    answer, _ = drain(chosen.solve("Which city?", Toolkit(Unread(), llm), chosen.params()))
    assert answer.text == "It is Ulm."
    assert answer.grounding == "ungrounded"


def test_worked_examples_are_about_the_invented_world():
    """Names of real things in them might be those that a benchmark asks about."""
    invented = {value.label for value in vars(x).values() if isinstance(value, Entity)}
    for question, draft in cot.SHOTS:
        assert any(name in question.question for name in invented)
        assert any(name in draft.text or name in draft.thought for name in invented)


@pytest.mark.parametrize("shots", [0, 3, 6])
def test_chain_of_thought_shows_as_many_examples_as_asked(kg, shots):
    llm = ScriptedLLM(Draft(text="x", values=[]))
    drain(cot.solve("Who?", Toolkit(kg, llm), cot.Params(shots=shots)))
    skill, _ = llm.asked[0]
    assert len(skill.examples) == shots


def test_one_hop_answers_from_the_facts_around_the_entity(kg):
    def read(given):
        position = next(i for i, f in enumerate(given.facts) if f.relation.label == "director")
        return answered("Douglas Sirk.", position, values=["Douglas Sirk"])

    llm = ScriptedLLM(Mentions(mentions=["Written on the Wind"]), read)
    answer, seen = drain(one_hop.solve("Who directed it?", Toolkit(kg, llm), one_hop.Params()))
    assert answer.values == (SIRK,)
    assert answer.grounding == "grounded"
    assert answer.citations[0].subject == FILM
    assert kinds(seen) == "step asked linked anchored step expanded step asked chosen"


def test_one_hop_does_not_fall_back_to_the_bare_model(kg):
    llm = ScriptedLLM(Mentions(mentions=["Xyzzyplugh"]))
    answer, _ = drain(one_hop.solve("Who is Xyzzyplugh?", Toolkit(kg, llm), one_hop.Params()))
    assert answer.grounding == "abstained"
    assert llm.skills == ["extract entities"]


@pytest.mark.parametrize("method", ["one-hop", "kaping", "tog", "rag", "rag-triples", "rag-hybrid"])
def test_memory_is_off_unless_it_is_asked_for(method):
    assert METHODS[method].params().memory == "off"


def test_one_hop_may_fall_back_to_the_model_and_says_so(kg):
    script = [Mentions(mentions=["Ulm"]), FactAnswer(sentences=[], values=[], reason="Not there.")]
    llm = ScriptedLLM(*script, Draft(text="In 854.", values=["854"]))
    params = one_hop.Params(memory="marked")
    answer, seen = drain(one_hop.solve("When was Ulm first named?", Toolkit(kg, llm), params))
    assert answer.grounding == "ungrounded"
    assert not answer.certain
    assert "memory" in answer.reading
    assert kinds(seen).endswith("step asked")
    knows_nothing = ScriptedLLM(*script, Draft(text="", values=[]))
    answer, _ = drain(one_hop.solve("When?", Toolkit(kg, knows_nothing), params))
    assert answer.reason == "Not there."


def test_one_hop_with_a_pool_links_to_its_entities_only(kg):
    llm = ScriptedLLM(Mentions(mentions=["Written on the Wind"]))
    params = one_hop.Params(linking="pool", pool=["Q3012"])
    answer, _ = drain(one_hop.solve("Who directed it?", Toolkit(kg, llm), params))
    assert answer.grounding == "abstained"


def test_a_pool_decides_between_things_of_one_name(kg):
    """A film and a novel are called so: nobody is asked which, the pool has the novel alone."""
    llm = ScriptedLLM(
        Mentions(mentions=["Imitation of Life"]), answered("Fannie Hurst.", 0, values=["x"])
    )
    params = one_hop.Params(linking="pool", pool=["Q3"], answer_linking=False)
    _, seen = drain(one_hop.solve("Who wrote it?", Toolkit(kg, llm), params))
    assert [e.entity.description for e in seen if e.kind == "anchored"] == ["novel of 1933"]


def test_a_citation_outside_the_facts_is_none(kg):
    llm = ScriptedLLM(Mentions(mentions=["Ulm"]), answered("It is in Germany.", 4711))
    answer, _ = drain(one_hop.solve("Where is Ulm?", Toolkit(kg, llm), one_hop.Params()))
    assert answer.grounding == "ungrounded"
    assert answer.citations == ()


@pytest.mark.parametrize(
    ("name", "direction", "certain"),
    [("Douglas Sirk", "in", False), ("Written on the Wind", "out", True)],
)
def test_react_is_not_certain_of_what_the_graph_may_have_in_part(kg, name, direction, certain):
    llm = ScriptedLLM(
        Mentions(mentions=[name]),
        act("follow", of="S1", relation="P57", direction=direction),
        act("answer", of="S2", say="It is {S2}.", certain=True),
    )
    answer, _ = drain(react.solve(f"{name}?", Toolkit(kg, llm), react.Params()))
    assert answer.certain == certain
    assert ("as far as the graph goes" in answer.reading) == (not certain)


def test_react_walks_two_hops_in_both_directions(kg):
    llm = ScriptedLLM(
        Mentions(mentions=["Written on the Wind"]),
        act("follow", of="S1", relation="P57"),
        act("follow", of="S2", relation="P57", direction="in"),
        act("find", mention="Written on the Wind"),
        act("compute", operation="minus", of="S3", with_set="S4"),
        act("answer", of="S5"),
        lambda given: answered("Imitation of Life.", *range(len(given.facts))),
    )
    answer, seen = drain(react.solve("What else?", Toolkit(kg, llm), react.Params()))
    assert [v.name for v in answer.values] == ["Imitation of Life"]
    assert [c.relation.label for c in answer.citations] == ["director", "director"]
    assert answer.grounding == "grounded"
    followed = [e.relation.label for e in seen if e.kind == "expanded" and e.relation]
    assert followed == ["director", "director"]
    assert "chosen" in kinds(seen)


@pytest.mark.parametrize(
    ("reply", "values"),
    [
        (FactAnswer(sentences=[], values=["Written on the Wind"]), ["Written on the Wind"]),
        (answered("Only one.", 0, values=["imitation of life"]), ["Imitation of Life"]),
        (answered("Both.", 0, 1), ["Written on the Wind", "Imitation of Life"]),
        (answered("Yes, two.", 0, 1, values=["true"]), ["true"]),
    ],
)
def test_an_answer_chooses_among_what_was_found(kg, reply, values):
    llm = ScriptedLLM(
        Mentions(mentions=["Douglas Sirk"]),
        act("follow", of="S1", relation="P57", direction="in"),
        act("answer", of="S2"),
        reply,
    )
    answer, _ = drain(react.solve("What did he make?", Toolkit(kg, llm), react.Params()))
    names = [getattr(v, "name", "") or v.value for v in answer.values]
    assert sorted(names) == sorted(values)
    assert answer.grounding == "grounded"


def test_what_was_only_glimpsed_was_not_turned_down(kg):
    llm = ScriptedLLM(
        Mentions(mentions=["Written on the Wind"]),
        act("follow", of="S1", relation="P57"),
        act("give up", reason="enough"),
    )
    _, seen = drain(react.solve("Who made it?", Toolkit(kg, llm), react.Params()))
    whys = [e.why for e in seen if e.kind == "pruned"]
    assert whys == ["looked at, not walked along"]


def test_react_shows_the_model_what_it_found_so_far(kg):
    llm = ScriptedLLM(
        Mentions(mentions=["Ulm"]),
        act("follow", of="S1", relation="P17"),
        act("give up", reason="enough"),
    )
    answer, _ = drain(react.solve("Where is Ulm?", Toolkit(kg, llm), react.Params()))
    first, second = llm.inputs[1], llm.inputs[2]
    assert [s.name for s in first.sets] == ["S1"]
    assert {u.relation.label for u in first.sets[0].relations} >= {"country"}
    assert [m.name for m in second.sets[1].members] == ["Germany"]
    assert answer.reason == "enough"


@pytest.mark.parametrize(
    ("action", "complaint"),
    [
        (act("follow", of="S9", relation="P17"), "no set “S9”"),
        (act("follow", of="S1", relation="P999999"), "no relation “P999999”"),
        (act("follow", of="S1", relation="P17", at="yesterday"), "is not a date"),
        (act("compute", of="S1"), "needs an operation"),
        (act("compute", of="S1", operation="sum"), "neither a number nor a date"),
        (act("more", of="S1"), "S1 has no further relations"),
    ],
)
def test_react_tells_the_model_what_cannot_be_done_and_goes_on(kg, action, complaint):
    llm = ScriptedLLM(Mentions(mentions=["Ulm"]), action, act("give up", reason="no"))
    answer, seen = drain(react.solve("Where is Ulm?", Toolkit(kg, llm), react.Params()))
    assert complaint in llm.inputs[2].sets[1].problem
    assert "noted" in kinds(seen)
    assert answer.grounding == "abstained"


def planned(*then, **first):
    return act(then=[Later(**action) for action in then], **first)


def test_a_named_thing_that_nothing_was_walked_from_is_no_certain_answer(kg):
    """It is what the model says; a fact whose value it says is what is cited."""
    said = act("answer", of="S1", say="{S1} was released on 25 December 1956.", certain=True)
    llm = ScriptedLLM(Mentions(mentions=["Written on the Wind"]), said)
    answer, _ = drain(react.solve("When was it released?", Toolkit(kg, llm), react.Params()))
    assert not answer.certain
    assert [s.relation.label for s in answer.citations] == ["publication date"]


FILMS = {"tool": "follow", "of": "S1", "relation": "P57", "direction": "in"}
OLDEST = {"tool": "rank", "of": "S2", "relation": "publication date", "order": "lowest"}


def test_a_plan_is_carried_out_without_asking_again_each_action_a_step(kg):
    answer_ = {"tool": "answer", "of": "S3", "say": "Sirk's first film is {S3}, they say."}
    llm = ScriptedLLM(Mentions(mentions=["Douglas Sirk"]), planned(OLDEST, answer_, **FILMS))
    answer, seen = drain(react.solve("His first film?", Toolkit(kg, llm), react.Params()))
    assert llm.skills == ["extract entities", "next action"]
    assert answer.text == "Sirk's first film is Written on the Wind, they say."
    assert answer.values == (FILM,)
    assert answer.grounding == "grounded"
    titles = [e.title.split()[0] for e in seen if e.kind == "step"]
    assert titles == ["Find", "Follow", "Take", "Answer"]


def test_what_was_ranked_is_answered_with_though_the_question_names_it(kg):
    """Which of two it is: one that was named is what is asked for."""
    both = {"tool": "compute", "of": "S1", "operation": "union", "with_set": "S2"}
    then = (
        {"tool": "rank", "of": "S3", "relation": "population", "order": "highest"},
        {"tool": "answer", "of": "S4", "say": "{S4} has more."},
    )
    llm = ScriptedLLM(Mentions(mentions=["Ulm", "Germany"]), planned(*then, **both))
    question = "Which has more people, Ulm or Germany?"
    answer, _ = drain(react.solve(question, Toolkit(kg, llm), react.Params()))
    assert answer.values == (GERMANY,)
    assert llm.skills.count("next action") == 1


@pytest.mark.parametrize(("operation", "asked"), [("more", 1), ("same", 2)])
def test_a_no_is_looked_at_unless_numbers_were_compared(kg, operation, asked):
    """That nothing is shared may only mean that the graph does not show it."""
    then = (
        {"tool": "compute", "of": "S1", "operation": operation, "with_set": "S2"},
        {"tool": "answer", "of": "S3", "say": "{S3}."},
    )
    first = {"tool": "follow", "of": "S1", "relation": "P57"}
    last = [act("answer", of="S3", say="{S3}.")] * (asked - 1)
    llm = ScriptedLLM(Mentions(mentions=["Written on the Wind"]), planned(*then, **first), *last)
    answer, _ = drain(react.solve("Is it more than one?", Toolkit(kg, llm), react.Params()))
    assert answer.values == (Literal("false", BOOLEAN),)
    assert llm.skills.count("next action") == asked
    told = ["", "answer with S3, which is No: do so if it holds"]
    assert [given.planned for given in llm.inputs[1:]] == told[:asked]


def test_a_direction_that_was_planned_is_kept_to(kg):
    """Going back where one came from is not what was planned."""
    back = {"tool": "follow", "of": "S2", "relation": "director", "direction": "out"}
    llm = ScriptedLLM(
        Mentions(mentions=["Written on the Wind"]),
        planned(back, tool="follow", of="S1", relation="P57"),
        act("give up", reason="seen"),
    )
    answer, _ = drain(react.solve("Who directed its director?", Toolkit(kg, llm), react.Params()))
    assert answer.reason == "seen"
    assert llm.inputs[2].sets[2].problem == "S2 has no relation “director” that leaves it."


@pytest.mark.parametrize(
    "surprise",
    [
        {"tool": "rank", "of": "S2", "relation": "shoe size"},
        {"tool": "rank", "of": "S7", "relation": "publication date"},
        {
            "tool": "keep",
            "of": "S2",
            "relation": "publication date",
            "test": "after",
            "value": "soon",
        },
        {"tool": "keep", "of": "S2", "relation": "P577", "test": "after", "value": "2020"},
        {"tool": "answer", "of": "S1", "say": "{S1}."},
    ],
)
def test_a_plan_ends_where_something_is_not_as_it_was_planned(kg, surprise):
    never = {"tool": "answer", "of": "S2", "say": "{S2}."}
    llm = ScriptedLLM(
        Mentions(mentions=["Douglas Sirk"]),
        planned(surprise, never, **FILMS),
        act("give up", reason="seen"),
    )
    answer, _ = drain(react.solve("His first film?", Toolkit(kg, llm), react.Params()))
    assert answer.reason == "seen"
    assert [v.name for v in llm.inputs[2].sets[1].members] == [LATER.name, FILM.name]


NONE_LATER = {"tool": "keep", "of": "S2", "relation": "P577", "test": "after", "value": "2020"}
SOME_LATER = NONE_LATER | {"value": "1957"}
UNREADABLE = NONE_LATER | {"value": "soon"}


@pytest.mark.parametrize(
    ("first", "taken"), [(NONE_LATER, True), (UNREADABLE, True), (SOME_LATER, False)]
)
def test_what_is_planned_for_nothing_found_is_done_where_nothing_is(kg, first, taken):
    instead = {"tool": "rank", "of": "S2", "relation": "publication date", "otherwise": True}
    llm = ScriptedLLM(
        Mentions(mentions=["Douglas Sirk"]),
        planned(first, instead, {"tool": "answer", "of": "S4", "say": "{S4}."}, **FILMS),
        act("give up", reason="seen"),
    )
    answer, _ = drain(react.solve("His films after 2020?", Toolkit(kg, llm), react.Params()))
    assert answer.values == ((LATER,) if taken else ())
    assert llm.skills.count("next action") == (1 if taken else 2)


def test_nothing_found_twice_is_given_up_on_as_it_was_planned(kg):
    stop = {"tool": "give up", "reason": "neither", "otherwise": True}
    plan = (NONE_LATER, NONE_LATER | {"value": "2030", "otherwise": True}, stop)
    llm = ScriptedLLM(Mentions(mentions=["Douglas Sirk"]), planned(*plan, **FILMS))
    answer, _ = drain(react.solve("His films after 2020?", Toolkit(kg, llm), react.Params()))
    assert answer.reason == "neither"


def test_what_is_planned_for_nothing_found_is_read_from_a_reply_as_it_was_recorded():
    plan = planned({"tool": "more", "of": "S1", "otherwise": True}, tool="more", of="S1")
    again = Move.model_validate_json(plan.model_dump_json(exclude_defaults=True))
    assert again == plan
    assert plan.then[0].written()["otherwise"] is True


@pytest.mark.parametrize(("mention", "asked"), [("Douglas Sirk", 2), ("Fannie Hurst", 3)])
def test_a_planned_no_is_looked_at_before_it_is_said(kg, mention, asked):
    same = {"tool": "compute", "operation": "same", "of": "S3", "with_set": "S2"}
    answer_ = {"tool": "answer", "of": "S4", "say": "{S4}."}
    llm = ScriptedLLM(
        Mentions(mentions=["Written on the Wind", mention]),
        planned(same, answer_, tool="follow", of="S1", relation="P57"),
        act("answer", of="S4", say="{S4}."),
    )
    answer, _ = drain(react.solve("Did she direct it?", Toolkit(kg, llm), react.Params()))
    assert len(llm.asked) == asked
    assert answer.text.startswith("Yes" if asked == 2 else "No")


def test_a_plan_takes_no_more_actions_than_are_left(kg):
    more = [{**FILMS} for _ in range(9)]
    llm = ScriptedLLM(Mentions(mentions=["Douglas Sirk"]), planned(*more, **FILMS))
    answer, seen = drain(react.solve("Films?", Toolkit(kg, llm), react.Params(steps=3)))
    assert "within 3 actions" in answer.reason
    assert kinds(seen).count("step") == 1 + 3


def test_a_plan_is_followed_as_far_as_it_can_be_read(kg):
    text = (
        '{"thought": "t", "action": {"tool": "follow", "of": "S1", "relation": "director", '
        '"direction": "in"}, "then": [{"action": {"tool": "rank", "of": "S2", "order": "lowest", '
        '"relation": "P577 publication date"}}, {"tool": "dance"}, {"tool": "answer", "of": "S3"}]}'
    )
    llm = ScriptedLLM(Mentions(mentions=["Douglas Sirk"]), text, act("give up", reason="seen"))
    drain(react.solve("His first film?", Toolkit(kg, llm), react.Params()))
    assert [v.name for v in llm.inputs[2].sets[2].members] == [FILM.name]


def test_an_answer_without_a_sentence_is_put_into_words_by_the_model(kg):
    for say in ("", "It is surely this one."):
        llm = ScriptedLLM(
            Mentions(mentions=["Douglas Sirk"]),
            planned({"tool": "answer", "of": "S2", "say": say}, **FILMS),
            lambda given: answered("Both.", 0, 1),
        )
        answer, _ = drain(react.solve("Films?", Toolkit(kg, llm), react.Params()))
        assert answer.text == "Both."


def test_a_count_and_a_verdict_say_what_they_rest_on(kg):
    count = {"tool": "compute", "operation": "count", "of": "S2"}
    answer_ = {"tool": "answer", "of": "S3", "say": "He made {S3} films."}
    llm = ScriptedLLM(Mentions(mentions=["Douglas Sirk"]), planned(count, answer_, **FILMS))
    answer, _ = drain(react.solve("How many films?", Toolkit(kg, llm), react.Params()))
    assert answer.text.startswith("2: ")
    assert FILM.name in answer.text


def test_react_marks_a_dead_end(kg):
    llm = ScriptedLLM(
        Mentions(mentions=["Ulm"]),
        act("follow", of="S1", relation="P57"),
        act("give up", reason="no director"),
    )
    _, seen = drain(react.solve("Who directed Ulm?", Toolkit(kg, llm), react.Params()))
    assert "dead_end" in kinds(seen)


def test_react_gives_up_after_its_steps(kg):
    follow = act("follow", of="S1", relation="P17")
    llm = ScriptedLLM(Mentions(mentions=["Ulm"]), follow, follow)
    answer, _ = drain(react.solve("Where?", Toolkit(kg, llm), react.Params(steps=2)))
    assert "within 2 actions" in answer.reason


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"relation": "P577", "test": "after", "value": "1956"}, ["Imitation of Life"]),
        ({"relation": "P577", "test": "before", "value": "1957"}, ["Written on the Wind"]),
        ({"relation": "P577", "test": "during", "value": "1956"}, ["Written on the Wind"]),
        ({"relation": "P31", "test": "is", "value": "creative work"}, None),
        ({"relation": "P31", "test": "is", "value": "city"}, []),
        ({"relation": "P161", "test": "has"}, ["Imitation of Life"]),
    ],
)
def test_react_keeps_members_by_a_test(kg, fields, expected):
    llm = ScriptedLLM(
        Mentions(mentions=["Douglas Sirk"]),
        act("follow", of="S1", relation="P57", direction="in"),
        act("keep", of="S2", **fields),
        act("give up", reason="seen"),
    )
    drain(react.solve("Films?", Toolkit(kg, llm), react.Params()))
    kept = sorted(m.name for m in llm.inputs[3].sets[2].members)
    assert kept == (["Imitation of Life", "Written on the Wind"] if expected is None else expected)


def test_react_ranks_by_current_values(kg):
    llm = ScriptedLLM(
        Mentions(mentions=["Germany", "Ulm"]),
        act("compute", operation="union", of="S1", with_set="S2"),
        act("rank", of="S3", relation="P1082", order="lowest"),
        act("answer", of="S4"),
        lambda given: answered("Ulm.", 0),
    )
    answer, _ = drain(react.solve("Which is smaller?", Toolkit(kg, llm), react.Params()))
    assert answer.values == (ULM,)


def test_an_ambiguous_mention_is_put_to_the_model_with_relations(kg):
    llm = ScriptedLLM(EntityChoice(index=1, why="the question is about a book"))
    found, seen = drain(
        link_mentions("Who wrote Imitation of Life?", ["Imitation of Life"], Toolkit(kg, llm))
    )
    candidates = llm.inputs[0].candidates
    assert len(candidates) >= 2
    assert all(c.relations for c in candidates[:2])
    assert found[0][1] == candidates[1].hit.entity
    assert kinds(seen) == "linked asked anchored pruned"


def test_several_ambiguous_mentions_are_one_question(kg):
    def chosen(given):
        at = [n for n, one in enumerate(given.candidates) if one.hit.entity in (BOOK, SIRK)]
        return EntityChoices(chosen=[EntityChoice(index=n) for n in (*at, 99)])

    llm = ScriptedLLM(chosen)
    mentions = ["Imitation of Life", "Life", "Sirk"]
    found, _ = drain(link_mentions("Who wrote it?", mentions, Toolkit(kg, llm)))
    assert llm.skills == ["choose entities"]
    assert dict(found)["Imitation of Life"] == BOOK
    assert dict(found)["Sirk"] == SIRK
    schema = json.dumps(prompt.reply_schema(EntityChoices, llm.inputs[0]))
    assert f'"enum": {json.dumps([*range(len(llm.inputs[0].candidates)), -1])}' in schema


def test_every_skill_has_a_name_of_its_own():
    names = [
        s.name
        for s in (*vars(skills).values(), NEXT_ACTION, cot.THINK)
        if hasattr(s, "instruction")
    ]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_the_table_describes_each_method(method):
    assert method.params()  # every parameter has a default
    assert all(f.description for f in method.params.model_fields.values())
    assert method.about.endswith(".")
