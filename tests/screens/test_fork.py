"""Forks from the Ask page under AppTest, nothing patched."""

from types import NoneType
from typing import Any, Literal, get_args, get_origin

import pytest
from pydantic import BaseModel
from streamlit.testing.v1 import AppTest

from kgqa_core.ask import events
from kgqa_core.ask.events import Abstained, Answer, Asked, Cost, Noted, Record, Step
from kgqa_core.ask.skill import Choice, registered
from kgqa_core.facts.terms import Hit
from kgqa_core.history.run_file import exported, imported
from kgqa_core.screens import session, widgets
from kgqa_core.screens.fork import choices, first_seen, verdict
from kgqa_core.screens.reply_form import numbered_facts
from tests.history.test_store import full_run, header
from tests.patience import PATIENCE_S
from tests.small_graph import BOOK, LATER, STATEMENTS

QUESTION = "Who directed Inception?"


def text(app):
    kinds = (app.markdown, app.caption, app.error, app.warning)
    return "\n".join(e.value for kind in kinds for e in kind)


def shown(app):
    """The run the page shows, ended."""
    run = session.runs().get(app.query_params["run"])
    assert run.wait(PATIENCE_S), "the run does not end"
    app.run()
    assert not app.exception
    return run


def ask(app):
    app.selectbox(key="method").set_value("react")  # whose steps these tests change
    app.text_input(key="question").set_value(QUESTION)
    app.button(key="ask_button").click().run()
    return shown(app)


def test_without_a_cited_fact_the_answer_is_another_and_the_parent_is_a_click_away(app):
    parent = ask(app)
    assert parent.records[-1].event.answer.text == "Christopher Nolan."
    app.button(key=f"without:{parent.header.id}:0:sure").click().run()
    child = shown(app)
    assert child.header.parent == parent.header.id
    assert child.header.edits.without == (parent.records[-1].event.answer.citations[0],)
    assert "The answer depended on it" in text(app)
    assert app.text_input(key="question").value == QUESTION
    app.button(key=f"parent:{child.header.id}").click().run()
    assert app.query_params["run"] == parent.header.id


def opened(app, run, record) -> str:
    """Opens a call of the model; the key of the form under its reply."""
    app.session_state[f"p:{run.header.id}:{record.seq}"] = True
    app.run()
    return f"edit:{run.header.id}:{record.seq}"


def test_a_prompt_is_drawn_once_it_is_looked_at(app):
    run = ask(app)
    record = next(r for r in run.records if isinstance(r.event, Asked))
    assert record.event.prompt not in [code.value for code in app.code]
    opened(app, run, record)
    assert record.event.prompt in [code.value for code in app.code]


def test_a_reply_is_shown_without_the_values_that_say_nothing(app):
    run = ask(app)
    record = next(
        r for r in run.records if isinstance(r.event, Asked) and r.event.parsed.get("then")
    )
    key = opened(app, run, record)
    (reply,) = [code.value for code in app.code if code.value.startswith("{")]
    assert '"tool": "answer"' in reply
    assert '""' not in reply
    app.toggle(key=f"{key}:on").set_value(True).run()
    app.toggle(key=f"{key}:raw").set_value(True).run()
    whole = app.text_area(key=f"{key}:json").value
    assert '"tool": "answer"' in whole


def test_a_reply_is_changed_in_a_form_and_the_run_goes_on_from_there(app):
    parent = ask(app)
    record = next(r for r in parent.records if isinstance(r.event, Asked))
    key = opened(app, parent, record)
    app.toggle(key=f"{key}:on").set_value(True).run()
    app.text_area(key=f"{key}:mentions").set_value("The Matrix")
    app.button(key=f"{key}:go").click().run()
    child = shown(app)
    assert child.header.edits.replies == {record.seq: {"mentions": ["The Matrix"]}}
    assert "another reply to “extract entities”" in text(app)


def test_of_an_action_only_the_fields_of_its_tool_are_asked_for(app):
    parent = ask(app)
    record = next(
        r
        for r in parent.records
        if isinstance(r.event, Asked) and (r.event.parsed or {}).get("tool") == "follow"
    )
    key = opened(app, parent, record)

    def fields():
        boxes = [*app.text_input, *app.selectbox, *app.number_input, *app.checkbox, *app.text_area]
        names = {str(b.key).removeprefix(f"{key}:") for b in boxes if str(b.key).startswith(key)}
        return {name.partition(":")[0] for name in names} - {"text"}

    app.toggle(key=f"{key}:on").set_value(True).run()
    assert fields() == {"tool", "thought", "of", "relation", "direction", "then"}
    relations = app.selectbox(key=f"{key}:relation").options
    assert "director" in relations
    assert not [name for name in relations if "/" in name]  # no address
    app.selectbox(key=f"{key}:tool").set_value("give up").run()
    assert fields() == {"tool", "thought", "reason", "then"}
    app.text_input(key=f"{key}:reason").set_value("Enough.")
    app.button(key=f"{key}:go").click().run()
    given = shown(app).header.edits.replies[record.seq]
    assert (given["tool"], given["reason"]) == ("give up", "Enough.")
    assert "relation" not in given


def look_up(parent):
    return next(r for r in parent.records if isinstance(r.event, events.Linked))


def choose_entity(app, parent, chosen=None, other=""):
    key = f"link:{parent.header.id}:{look_up(parent).seq}"
    app.selectbox(key=f"{key}:0").set_value(chosen)
    app.text_input(key=f"{key}:other").set_value(other).run()
    app.button(key=f"{key}:go").click().run()


def test_another_entity_is_chosen_where_nobody_was_asked(app):
    parent = ask(app)
    assert not any(
        isinstance(r.event, Asked) and r.event.skill == "choose entity" for r in parent.records
    )
    choose_entity(app, parent, other="Psycho")
    child = shown(app)
    ((mention, meant),) = child.header.edits.entities.items()
    assert mention == "Inception"
    assert look_up(child).event.candidates[0][0].entity.id == meant
    assert child.records[-1].event.answer.text == "Alfred Hitchcock."
    assert "“Inception” means Psycho" in text(app)


def test_none_of_the_entities_is_a_choice_too_and_an_unknown_name_none(app):
    parent = ask(app)
    choose_entity(app, parent, other="Qwxyz zzkq")
    assert "no entity for" in app.error[0].value
    assert app.query_params["run"] == parent.header.id
    choose_entity(app, parent, "")
    assert shown(app).status == "abstained"
    assert "means none of the entities" in text(app)


def planned(app):
    """A run, and its first action that plans further steps, opened to be changed."""
    parent = ask(app)
    record = next(
        r for r in parent.records if isinstance(r.event, Asked) and r.event.parsed.get("then")
    )
    key = opened(app, parent, record)
    app.toggle(key=f"{key}:on").set_value(True).run()
    return record, key


def test_further_steps_are_form_fields_each_can_be_changed_left_out_and_added(app):
    record, key = planned(app)
    said = record.event.parsed["then"]
    assert not [box for box in app.text_area if str(box.value).startswith(("{", "["))]
    last = f"{key}:then:{len(said) - 1}"
    assert app.selectbox(key=f"{last}:tool").value == "answer"
    app.selectbox(key=f"{last}:tool").set_value("give up").run()
    app.text_input(key=f"{last}:reason").set_value("Enough.")
    app.button(key=f"{key}:then:add").click().run()
    new = f"{key}:then:{len(said)}"
    app.selectbox(key=f"{new}:tool").set_value("find").run()
    app.text_input(key=f"{new}:mention").set_value("Psycho")
    app.button(key=f"{key}:go").click().run()
    given = shown(app).header.edits.replies[record.seq]["then"]
    assert given[len(said) - 1] == {"tool": "give up", "reason": "Enough."}
    assert given[len(said)] == {"tool": "find", "mention": "Psycho"}


def test_a_further_step_is_left_out_by_a_button(app):
    record, key = planned(app)
    before = len(record.event.parsed["then"])
    app.button(key=f"{key}:then:0:out").click().run()
    app.button(key=f"{key}:go").click().run()
    assert len(shown(app).header.edits.replies[record.seq]["then"]) == before - 1


def test_what_was_changed_in_the_form_stands_in_the_raw_reply_and_comes_back(app):
    record, key = planned(app)
    app.text_input(key=f"{key}:thought").set_value("Mine.").run()
    app.toggle(key=f"{key}:raw").set_value(True).run()
    raw = app.text_area(key=f"{key}:json")
    assert '"Mine."' in raw.value
    raw.set_value(raw.value.replace("Mine.", "Yours.")).run()
    app.toggle(key=f"{key}:raw").set_value(False).run()
    assert app.text_input(key=f"{key}:thought").value == "Yours."
    app.button(key=f"{key}:go").click().run()
    given = shown(app).header.edits.replies[record.seq]
    assert given["thought"] == "Yours."
    assert len(given["then"]) == len(record.event.parsed["then"])


def test_a_reply_that_is_not_well_formed_is_one_sentence(app):
    parent = ask(app)
    record = [r for r in parent.records if isinstance(r.event, Asked)][-1]
    assert record.event.skill == "next action"
    key = opened(app, parent, record)
    app.toggle(key=f"{key}:on").set_value(True).run()
    app.toggle(key=f"{key}:raw").set_value(True).run()
    app.text_area(key=f"{key}:json").set_value("[{]").run()
    app.button(key=f"{key}:go").click().run()
    assert "not well formed" in app.error[0].value
    app.text_area(key=f"{key}:json").set_value('{"tool": "answer", "then": 5}').run()
    app.button(key=f"{key}:go").click().run()
    assert "does not fit" in app.error[0].value
    app.toggle(key=f"{key}:raw").set_value(False).run()
    assert "cannot be shown yet" in app.warning[-1].value
    assert app.text_area(key=f"{key}:json").value  # nothing that was typed is lost
    assert app.query_params["run"] == parent.header.id


PROMPT = """<data>
facts:
  [0] An example — is — no fact of this
</data>
<data>
facts:
  Don Quixote
    author: [0] Miguel de Cervantes
    publication date: [1] 1605; [2] 1615
  [3] Madrid — country — Spain
things:
  [0] Don Quixote: novel
</data>
question: Who wrote [5] it?"""


def test_facts_are_chosen_by_their_words_where_the_prompt_numbers_them():
    assert numbered_facts(PROMPT) == {
        0: "Don Quixote — author — Miguel de Cervantes",
        1: "Don Quixote — publication date — 1605",
        2: "Don Quixote — publication date — 1615",
        3: "Madrid — country — Spain",
    }
    assert numbered_facts("Who wrote it?") == {}


def filled(kind: Any) -> Any:
    """A value of a type that says something wherever it can, with one item in each list."""
    if isinstance(kind, type) and issubclass(kind, Choice):
        return {"tool": next(iter(kind.tools))}
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        fields = {name: filled(info.annotation) for name, info in kind.model_fields.items()}
        return fields | ({"dep": [], "operation": ""} if "dep" in fields else {})
    if get_origin(kind) in (list, tuple):
        return [filled(get_args(kind)[0])]
    if get_origin(kind) is Literal:
        return get_args(kind)[-1]
    if NoneType in get_args(kind):
        return filled(get_args(kind)[0])
    return {str: "word of [mask]", int: 2, float: 0.5, bool: True}[kind]


def one_form(skill, event):
    """A script that draws the form of one reply, and reads it."""
    import streamlit as st  # it runs by itself

    from kgqa_core.ask.events import Asked, Record
    from kgqa_core.ask.skill import registered
    from kgqa_core.screens.reply_form import ReplyForm

    record = Record(seq=0, step=0, at_s=0.0, event=Asked.model_validate(event))
    form = ReplyForm(registered()[skill], [record], 0, "form")
    form.draw()
    st.session_state["given"] = form.given()


@pytest.mark.parametrize("name", sorted(registered()))
def test_any_reply_can_be_edited_without_json(app, name):
    """Also rules and their premises, which have terms with paths of relations in them."""
    skill = registered()[name]
    reply = skill.reply.model_validate(filled(skill.reply))
    asked = Asked(skill=name, prompt=PROMPT, parsed=reply.model_dump(mode="json"), rung="reader")
    told = {"skill": name, "event": asked.model_dump(mode="json")}
    script = AppTest.from_function(one_form, kwargs=told).run()
    assert not script.exception
    assert not [box for box in script.text_area if box.value.startswith(("{", "["))]
    given = skill.reply.model_validate(script.session_state["given"])
    assert given == reply


def test_a_run_whose_graph_is_not_in_the_list_opens_no_address(app):
    this = header("far").model_copy(
        update={"graph": "far away", "graph_source": "http://127.0.0.1:1/sparql"}
    )
    run = session.runs().admit(*imported(exported(this, full_run()).encode()))
    app.query_params["run"] = run.header.id
    app.run()
    app.button(key=f"without:{run.header.id}:0:sure").click().run()
    assert "is not in the list" in app.error[0].value
    assert app.query_params["run"] == run.header.id


def test_a_forged_parent_is_not_shown(app):
    session.runs().admit(
        header("r1").model_copy(update={"question": "Something else?"}), full_run()
    )
    child = header("r2").model_copy(update={"parent": "r1", "forked_at": 0})
    run = session.runs().admit(*imported(exported(child, full_run()).encode()))
    app.query_params["run"] = run.header.id
    app.run()
    assert "The run it came from is not here" in text(app)


def record(seq, event):
    return Record(seq=seq, step=0, at_s=0.0, event=event)


def test_a_warning_that_speaks_of_a_set_by_its_handle_stands_among_the_steps_alone(app):
    told = [
        Step(title="Walk"),
        Noted(text="s1 has no entities to go on from.", level="warning"),
        Noted(text="The graph was slow.", level="warning"),
        Abstained(answer=Answer(reason="Nothing there.")),
    ]
    run = session.runs().admit(header("w"), [record(i, event) for i, event in enumerate(told)])
    app.query_params["run"] = run.header.id
    app.run()
    under = [e.value for e in app.caption]
    assert any("graph was slow" in line for line in under)
    assert not any("s1 has no entities" in line for line in under)
    assert any("s1 has no entities" in e.value for e in app.markdown)


def test_a_fact_is_first_seen_where_any_event_shows_it():
    assert first_seen(full_run(), full_run()[1].event.statements[0]) == 1
    assert first_seen(full_run(), STATEMENTS[0]) == 3


def asked(parsed=None, skill="choose entity"):
    return Asked(skill=skill, prompt="", parsed=parsed, given="x")


def test_candidates_go_with_their_questions_also_when_one_is_asked_again():
    hits = [(Hit(LATER, 1.0), Hit(BOOK, 1.0)), (Hit(BOOK, 0.9),), (Hit(LATER, 0.5),)]
    linked = events.Linked(mentions=("a", "b", "c"), candidates=tuple(hits))
    clear = events.Anchored(mention="b", entity=BOOK, why="the only match")
    story = [linked, clear, asked(), asked({"index": 0}), asked({"index": 1})]
    found = choices([record(i, e) for i, e in enumerate(story)])
    assert found == {2: hits[0], 3: hits[2], 4: hits[0]}


def test_the_verdict_tells_the_same_answer_from_another(app):
    same = session.runs().admit(header("a"), full_run())
    other = full_run()
    end = events.Abstained(answer=events.Answer(reason="nothing"))
    other[-1] = other[-1].model_copy(update={"event": end})
    gone = session.runs().admit(header("b"), other)
    stopped = [*full_run()[:-1], full_run()[-1].model_copy(update={"event": events.Cancelled()})]
    assert "is the same without" in verdict(same, same)
    assert "depended on it" in verdict(same, gone)
    assert "cannot be said" in verdict(same, session.runs().admit(header("c"), stopped))


def test_a_price_of_tokens_shows_what_a_run_costs(app, monkeypatch):
    cost = Cost(prompt_tokens=2_000_000, completion_tokens=500_000)
    assert widgets.priced(cost) == ""
    monkeypatch.setenv("KGQA_PRICE_PROMPT", "0.15")
    monkeypatch.setenv("KGQA_PRICE_COMPLETION", "0.6")
    session.environment.clear()
    assert session.price(cost) == pytest.approx(0.6)
    ask(app)
    assert "\\$0.0000" in text(app)
