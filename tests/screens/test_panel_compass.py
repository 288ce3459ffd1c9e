"""Compass's panel: the plan as it fills in, and what was not needed."""

import pytest

from kgqa_core.ask import events
from kgqa_core.ask.events import Answer, PlanNode, Record, Sentence
from kgqa_core.facts.terms import STRING, Entity, Literal, Relation, Statement
from kgqa_core.methods.compass import learning
from kgqa_core.render.plan import course_of, picture, without_plan
from kgqa_core.screens.panels.compass import _restated
from tests.screens.test_pages import ask, finish, text

SIRK = Entity("e:sirk", "Douglas Sirk")
DIRECTOR = Relation("r:director", "director")
START = PlanNode(id="n1", text='Written "on" the Wind')
FIRST = PlanNode(id="s1", text="directed by", needs=("n1",), believed=("Billy Wilder",))
SECOND = PlanNode(id="s2", text="← director", needs=("s1",))
PLANNED = events.Planned(starts=(START,), steps=(FIRST, SECOND), answer="s2")
BOUND = events.Bound(
    step="s1", asked="directed by", relation=DIRECTOR, direction="out", how="alias"
)
FILLED = events.Filled(step="s1", state="done", values=(SIRK,), count=1)
REPLACED = events.Believed(step="s1", text="Billy Wilder", outcome="replaced", found=(SIRK,))


def records(*story):
    return [Record(seq=i, step=0, at_s=0, event=e) for i, e in enumerate(story)]


def cards(*story):
    """What is drawn of each start, step and rule, by its id."""
    return {card["id"]: card for row in picture(course_of(records(*story)))["rows"] for card in row}


def test_steps_fill_in_as_the_run_goes_on():
    story = (PLANNED, events.Step(title="Follow"), BOUND, FILLED, REPLACED)
    states = [course_of(records(*story[:n])).steps["s1"].state for n in (1, 3, 5)]
    assert states == ["planned", "bound", "done"]
    view = course_of(records(*story))
    assert view.steps["s2"].state == "planned"
    assert view.steps["s1"].at == 1
    assert [b.outcome for b in view.steps["s1"].beliefs] == ["replaced"]


def test_a_repair_marks_what_it_changed_and_keeps_the_rest():
    other = PlanNode(id="s2", text="films", needs=("s1",))
    mended = events.Planned(starts=(START,), steps=(FIRST, other), answer="s2", by="repair")
    drawn = cards(PLANNED, BOUND, FILLED, mended)
    assert (drawn["s1"]["state"], drawn["s1"]["mended"]) == ("done", False)
    assert (drawn["s2"]["state"], drawn["s2"]["mended"]) == ("planned", True)


def test_without_a_step_it_is_said_what_happened():
    found = events.Anchored(mention="Sirk", entity=SIRK)
    described = Statement(SIRK, Relation("r:says", "described as"), Literal("a director", STRING))
    answered = events.Answered(
        answer=Answer(sentences=(Sentence(text="A director.", cites=(0,)),), citations=(described,))
    )
    abstained = events.Abstained(answer=Answer(reason="No."))
    failed = events.Failed(error="NoRoom", message="Full.")
    planned = events.Planned(starts=(), steps=(), answer="")
    for story, said in [
        ((found, planned, answered), "No plan was needed: what the graph says of Douglas Sirk in"),
        ((found, found, planned, abstained), "No plan was made: Douglas Sirk could be found, but"),
        ((planned, abstained), "No plan was made: nothing that the question names was found"),
        ((found, failed), "The run ended before there was a plan."),
    ]:
        assert without_plan(records(*story)).startswith(said)


def test_steps_are_numbered_as_they_are_shown_whatever_they_were_replaced_by():
    looked = PlanNode(id="s1", text="find “Sirk”")
    born = PlanNode(id="s2", text="date of birth", needs=("n1",))
    dead = PlanNode(id="s4", text="date of death", needs=("n1",))
    last = PlanNode(id="s5", text="highest of s2|s4, not n1", needs=("s2", "s4"))
    planned = events.Planned(starts=(START,), steps=(looked, born, dead, last), answer="s5")
    view = course_of(records(planned))
    assert view.numbers == {"s2": 1, "s4": 2, "s5": 3}
    assert view.in_words(last.text) == 'highest of step 1 and step 2, not Written "on" the Wind'
    rows = picture(view)["rows"]
    assert [[card["id"] for card in row] for row in rows] == [["n1"], ["s2", "s4"], ["s5"]]
    assert rows[2][0]["title"].startswith("highest of step 1 and step 2")


def test_what_was_not_needed_is_counted():
    asked = events.Asked(skill="plan", prompt="", rung="json_schema")
    linked = events.Linked(mentions=("x",), candidates=((),))
    story = (linked, asked, PLANNED, FILLED, events.Step(title="Answer with Douglas Sirk"))
    drawn = picture(course_of(records(*story)))
    assert drawn["made"] == "1 model call"
    assert drawn["spared"] == ["finding the names", "choosing 1 step", "wording the answer"]


def test_a_step_that_failed_was_not_spared():
    failed = events.Filled(step="s1", state="failed", why="n1 has no director.")
    drawn = picture(course_of(records(PLANNED, failed)))
    assert drawn["spared"] == []
    assert drawn["rows"][1][0]["why"] == 'Written "on" the Wind has no director.'


def test_a_belief_is_drawn_with_its_verdict_and_the_fact_that_decided_it():
    fact = Statement(Entity("e:wind", "Written on the Wind"), DIRECTOR, SIRK)
    (belief,) = cards(PLANNED, FILLED, REPLACED.model_copy(update={"because": (fact,)}))["s1"][
        "beliefs"
    ]
    assert (belief["outcome"], belief["text"], belief["now"]) == (
        "replaced",
        "Billy Wilder",
        "Douglas Sirk",
    )
    assert belief["facts"] == ["Written on the Wind — director — Douglas Sirk"]


def test_what_was_believed_and_does_not_count_ends_the_picture():
    told = "The model believes: Billy Wilder. No fact of the graph says so: it does not count."
    noted = events.Noted(text=told, level="belief")
    end = cards(PLANNED, FILLED, noted)["end"]
    assert (end["title"], end["why"], end["needs"]) == ("No answer", told, ["s2"])


def test_a_template_that_led_nowhere_is_not_shown_as_the_way():
    recalled = events.Recalled(template="where was the director of [mask] born")
    known = PLANNED.model_copy(update={"by": "template"})
    assert course_of(records(recalled, known)).template
    assert not course_of(records(recalled, known, PLANNED)).template


def test_labels_are_shown_as_one_line_of_text():
    odd = PlanNode(id="n1", text="<B>Ada</B>\x00 &\n" + 100 * "very ")
    drawn = cards(events.Planned(starts=(odd,), steps=(FIRST,)))["n1"]["title"]
    assert drawn.startswith("<B>Ada</B> & very very")
    assert len(drawn) <= 81


def test_what_is_left_out_is_said_in_the_step_and_is_no_way_to_it():
    others = PlanNode(id="s2", text="← director", needs=("s1",), apart=("n1",))
    planned = events.Planned(starts=(START,), steps=(FIRST, others), answer="s2")
    drawn = cards(planned)["s2"]
    assert drawn["apart"] == 'but not Written "on" the Wind'
    assert drawn["needs"] == ["s1"]


def test_what_a_template_leaves_out_anyhow_is_said_where_it_may_come_back():
    born = PlanNode(id="s2", text="place of birth", needs=("s1",), apart=("n1",))
    planned = events.Planned(starts=(START,), steps=(FIRST, born), answer="s2", by="template")
    recalled = events.Recalled(template="where was the director of [mask] born")
    birth = Relation("r:birth", "place of birth")
    other, same = (
        events.Bound(step="s2", asked="", relation=relation, direction="in", how="id")
        for relation in (birth, DIRECTOR)
    )
    story = (recalled, planned, BOUND)
    assert not cards(*story, other)["s2"]["apart"]
    assert cards(*story, same)["s2"]["apart"]


def test_a_phrase_is_drawn_as_the_relation_that_it_was_bound_to():
    drawn = cards(PLANNED, BOUND.model_copy(update={"asked": "maker", "how": "likeness"}))["s1"]
    assert drawn["title"] == "directed by"  # of a step that is more than one hop: its own words
    plain = FIRST.model_copy(update={"plain": True})
    planned = PLANNED.model_copy(update={"steps": (plain, SECOND)})
    back = {"asked": "maker", "how": "likeness", "direction": "in"}
    drawn = cards(planned, BOUND.model_copy(update=back))["s1"]
    assert (drawn["title"], drawn["said"]) == ("← director", "“maker”: by likeness")


def test_a_rule_is_drawn_with_premises_facts_and_verdict(compass_app):
    run = ask(compass_app, "Was Jacques Cousteau alive when World War II ended?")
    view = course_of(run.records)
    card = next(c for row in picture(view)["rows"] for c in row if c["kind"] == "rule")
    assert (card["state"], card["verdict"]) == ("done", "Yes")
    assert {premise["state"] for premise in card["premises"]} == {"satisfied"}
    assert all(premise["facts"] for premise in card["premises"])


def test_the_panel_reads_in_words(compass_app):
    app = compass_app
    run = ask(app, "Where was the director of Inception born?")
    assert "Solved before" in text(app)
    assert "where was the director of … born" in text(app)
    assert "mask" not in text(app)
    drawn = picture(course_of(run.records))
    assert drawn["made"] == "No model call"
    titles = [[card["title"] for card in row] for row in drawn["rows"]]
    assert titles == [["Inception"], ["director"], ["place of birth"]]
    sent = [c.proto.json for c in app.get("bidi_component")]
    assert any('"No model call"' in (data or "") for data in sent)


def test_steps_that_led_nowhere_leave_the_picture_when_there_are_many():
    lost = [PlanNode(id=f"s{n}", text=f"lost {n}", needs=("n1",)) for n in range(3, 13)]
    many = events.Planned(starts=(START,), steps=(FIRST, SECOND, *lost), answer="s2")
    assert set(cards(many)) == {"n1", "s1", "s2"}


# -- forks -----------------------------------------------------------------------------------

QUESTION = "Who directed Inception?"
MENU = "I am allergic to nuts. Which cake? Choose one of: (1) walnut cake; (2) apple cake"


def of_kind(run, kind):
    return [r.event for r in run.records if isinstance(r.event, kind)]


def asked(app, question=QUESTION):
    app.checkbox(key="ask:compass:templates").set_value(False)  # the reader plans by itself
    return ask(app, question)


@pytest.fixture
def compass_app(app):
    app.selectbox(key="method").set_value("compass").run()
    return app


def test_a_step_is_bound_to_another_relation_and_the_run_goes_on_from_there(compass_app):
    app = compass_app
    run = asked(app)
    key = f"compass:{run.header.id}:s1"
    assert "cast member" in app.selectbox(key=f"{key}:relation").options
    app.selectbox(key=f"{key}:relation").set_value("cast member").run()
    app.button(key=f"{key}:go").click().run()
    child = finish(app)
    assert child.header.parent == run.header.id
    assert child.header.params["bound"] == {"s1": "cast member"}
    assert of_kind(child, events.Bound)[0].relation.name == "cast member"
    before, after = (of_kind(one, events.Filled)[0].values for one in (run, child))
    assert not set(before) & set(after)
    assert "Asked again: step 1 along “cast member”" in text(app).replace("\\", "")
    assert "Follow “cast member” from Inception" in {s.title for s in of_kind(child, events.Step)}
    drawn = {c.get("title") for row in picture(course_of(child.records))["rows"] for c in row}
    assert "cast member" in drawn


def test_a_belief_is_put_in_and_taken_out_and_each_time_the_run_goes_on(compass_app):
    app = compass_app
    run = asked(app)
    key = f"compass:{run.header.id}:s1"
    app.text_input(key=f"{key}:belief").set_value("Billy Wilder").run()
    app.button(key=f"{key}:go").click().run()
    child = finish(app)
    assert [b.outcome for b in of_kind(child, events.Believed)] == ["replaced"]
    assert child.records[-1].event.answer.values == run.records[-1].event.answer.values
    assert "Billy Wilder" in text(app)
    app.button(key=f"compass:{child.header.id}:s1:doubt").click().run()
    last = finish(app)
    assert last.header.parent == child.header.id
    assert last.header.params["beliefs"] == {"s1": ""}
    assert "Asked again: step 1 without its belief" in text(app).replace("\\", "")
    assert not of_kind(last, events.Believed)


def test_a_belief_is_let_stand_and_the_next_steps_go_on_from_it(compass_app):
    app = compass_app
    run = asked(app, "Where was the director of Inception born?")
    first = next(iter(course_of(run.records).told))
    key = f"compass:{run.header.id}:{first}"
    app.text_input(key=f"{key}:belief").set_value("Steven Spielberg").run()
    app.button(key=f"{key}:go").click().run()
    child = finish(app)
    app.button(key=f"compass:{child.header.id}:{first}:trust").click().run()
    last = finish(app)
    assert last.header.params["taken"] == {first: "Steven Spielberg"}
    assert [b.outcome for b in of_kind(last, events.Believed)] == ["taken"]
    assert "step 1 taken to be “Steven Spielberg”" in text(app).replace("\\", "")
    assert "no fact says so" in text(app)
    outcome = last.records[-1].event.answer
    assert not (outcome.values and outcome.certain)
    app.button(key=f"compass:{last.header.id}:{first}:doubt").click().run()
    assert finish(app).header.params["taken"] == {}


def test_a_way_is_remembered_and_forgotten_where_it_was_found_or_used(compass_app):
    app = compass_app
    run = asked(app, "What is the birthplace of the director of Inception?")
    assert run.records[-1].event.answer.certain
    key = f"compass:{run.header.id}:learn"
    assert app.button(key=key).label == "Remember this way"
    app.button(key=key).click().run()
    assert app.button(key=key).label == "Forget this way"
    app.checkbox(key="ask:compass:templates").set_value(True)
    used = ask(app, "What is the birthplace of the director of Written on the Wind?")
    again = ask(app, "What is the birthplace of the director of Inception?")
    assert used.header.id != again.header.id
    assert [e.by for e in of_kind(again, events.Planned)] == ["template"]
    key = f"compass:{again.header.id}:learn"
    assert app.button(key=key).label == "Forget this way"
    app.button(key=key).click().run()
    assert not learning.kept_for(again.header.graph)


def test_a_rule_is_rejected_and_the_run_goes_on_without_it(compass_app):
    app = compass_app
    run = asked(app, "Was Jacques Cousteau alive when World War II ended?")
    rule = of_kind(run, events.Axiom)[0]
    app.button(key=f"compass:{run.header.id}:reject:{rule.branch}").click().run()
    child = finish(app)
    assert child.header.parent == run.header.id
    assert rule.text not in [e.text for e in of_kind(child, events.Axiom)]


def test_a_rule_is_changed_and_the_run_goes_on_with_what_it_says_now(compass_app):
    app = compass_app
    run = asked(app, "Was Jacques Cousteau alive when World War II ended?")
    rule = of_kind(run, events.Axiom)[0]
    assert "Yes" in text(app)
    key = f"rewrite:{run.header.id}:{rule.branch}"
    app.text_area(key=f"{key}:rule").set_value("Whoever lived then was not there.").run()
    app.selectbox(key=f"{key}:answer").set_value("no").run()
    app.button(key=f"{key}:go").click().run()
    child = finish(app)
    assert child.header.parent == run.header.id
    (now,) = of_kind(child, events.Axiom)
    assert now.text == "Whoever lived then was not there."
    assert now.premises == rule.premises
    assert not now.answer
    assert child.records[-1].event.answer.text.startswith("No")


def test_one_rule_of_several_is_changed_in_the_reply_that_stated_it():
    one = {"rule": "Sailors swim.", "premises": [], "guess": "yes"}
    reply = {"thought": "", "steps": [], "axioms": [one, {"rule": "Nobody swims."}]}
    said = {"rule": "Sailors float.", "premises": [{"text": "He is a sailor"}], "answer": False}
    axiom = events.Axiom(text="Sailors swim.", entities=(), branch=0, premises=())
    now = _restated(reply, axiom, said)
    assert now["axioms"] == [{**said, "guess": "yes"}, {"rule": "Nobody swims."}]
    assert reply["axioms"][0] == one
    assert _restated({**one, "plain": False}, axiom, said) == {
        **said,
        "guess": "yes",
        "plain": False,
    }


def test_a_choice_shows_what_each_option_came_to(compass_app):
    app = compass_app
    run = ask(app, MENU)
    assert course_of(run.records).choice
    options = {e.option for e in of_kind(run, events.Judged)}
    assert options == {"walnut cake", "apple cake"}
    assert "apple cake" in text(app)


def test_a_description_shows_the_draft_and_what_the_graph_made_of_it(compass_app):
    run = ask(compass_app, "Tell me about Douglas Sirk.")
    assert of_kind(run, events.Proposed)
    said = text(compass_app)
    assert "This asks for more than one fact." in said
    assert "replaced" in said


def test_where_nothing_could_be_looked_up_the_panel_says_so(compass_app):
    ask(compass_app, "Flurb gnarp zindel?")
    said = text(compass_app)
    assert "nothing that the question names was found" in said
    assert "planned it" not in said
