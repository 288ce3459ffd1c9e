"""Pages under AppTest, nothing patched: the real app, graph, reader and store."""

import time
from urllib.parse import quote

import pytest
from streamlit.testing.v1 import AppTest

from kgqa_core.ask.events import Answer, Sentence
from kgqa_core.facts.terms import Entity
from kgqa_core.history import gallery
from kgqa_core.kg.kinds import starter
from kgqa_core.kg.registry import Registry
from kgqa_core.methods import METHODS
from kgqa_core.render.graph import snapshot
from kgqa_core.screens import run as run_view
from kgqa_core.screens import session, start, widgets
from tests.patience import PATIENCE_S
from tests.screens.pages import APP
from tests.servers.openai import OpenAIServer

QUESTION = "Who directed Inception?"


def ask(app, question, **choices):
    for key, value in choices.items():
        app.selectbox(key=key).set_value(value)
    app.text_input(key="question").set_value(question)
    app.button(key="ask_button").click()
    app.run()
    assert not app.exception
    assert "run" in app.session_state, [e.value for e in app.error]
    return finish(app)


def finish(app):
    run = session.runs().get(app.session_state["run"])
    assert run.wait(PATIENCE_S), "the run does not end"
    app.run()
    assert not app.exception
    return run


def text(app):
    return "\n".join(e.value for e in (*app.markdown, *app.caption, *app.error, *app.warning))


def graph_data(app):
    sent = [c.proto.json for c in app.get("bidi_component") if '"svg"' in (c.proto.json or "")]
    return sent[-1]


@pytest.mark.parametrize("refused", ["🤔", "x" * 3_000, "What is the … of Ulm?"])
def test_an_answer_below_a_question_that_is_refused_says_what_it_answers(app, refused):
    line = f"Below is what was asked before: “{QUESTION}”"
    ask(app, QUESTION)
    assert line not in text(app)
    app.text_input(key="question").set_value(refused)
    app.button(key="ask_button").click().run()
    assert app.error or app.warning
    assert line in text(app)
    ask(app, f"{QUESTION}\u200b")
    assert line not in text(app)


def test_the_first_page_says_what_to_do(app):
    assert not app.exception
    assert "works without a key" in text(app)
    assert app.pills[0].options


def test_the_first_page_names_itself_plays_an_example_and_says_which_method(app):
    said = text(app)
    assert "KGQA Explorer" in said
    assert "step 1 of" in said
    assert "Several hops" in said
    assert {b.key for b in app.button} >= {f"choose:{name}" for name in METHODS}
    app.button(key="choose:keqing").click().run()
    assert app.selectbox(key="method").value == "keqing"
    assert app.pills(key="example").options[0] == starter.EXAMPLES[0]


def test_a_new_question_clears_the_page_and_a_further_one_carries_the_names(app):
    ask(app, QUESTION)
    assert "Asked as" not in text(app)
    run = ask(app, "And where was he born?")
    assert run.header.question == "Where was Christopher Nolan born?"
    assert "Asked as: Where was Christopher Nolan born?" in text(app)
    ask(app, "Where was the director of Inception born?")
    run = ask(app, "and where was he educated?")  # not where London was
    assert run.header.question == "Where was Christopher Nolan educated?"
    app.button(key="new_question").click().run()
    assert app.text_input(key="question").value == ""
    assert "run" not in app.query_params
    assert "KGQA Explorer" in text(app)


def test_after_i_do_not_know_it_says_what_the_graph_does_say(app):
    run = ask(app, "What is the shoe size of Christopher Nolan?")
    assert run.status == "abstained"
    offered = app.pills(key=f"instead:{run.header.id}").options
    assert all("Christopher Nolan" in question for question in offered)
    run = ask(app, "What is the shoe size of Angela Merkel?")  # Compass ends where it looked up
    assert run.status == "abstained"
    offered = app.pills(key=f"instead:{run.header.id}").options
    assert offered
    assert all("Angela Merkel" in question for question in offered)


def test_a_node_of_the_graph_has_a_card_with_ways_on(app):
    run = ask(app, QUESTION)
    app.session_state[f"node:{run.header.id}"] = "http://www.wikidata.org/entity/Q25191"
    app.run()
    assert "**Christopher Nolan**" in text(app)
    app.button(key=f"about:{run.header.id}").click().run()
    assert "Christopher Nolan" in app.text_input(key="question").value
    app.button(key="ask_button").click().run()  # before it says what is asked for
    assert "in place of “…”" in app.warning[0].value
    assert app.query_params["run"] == run.header.id
    app.button(key=f"close:{run.header.id}").click().run()
    assert "**Christopher Nolan**" not in text(app)


def test_of_one_s_own_graph_the_way_to_explore_names_the_whole_thing(app, tmp_path):
    """Its short id (`ada`) would lead nowhere there."""
    file = tmp_path / "people.nt"
    rdfs, ada = "http://www.w3.org/2000/01/rdf-schema#label", "http://example.org/id/ada"
    file.write_text(
        f'<{ada}> <{rdfs}> "Ada" .\n<{ada}> <http://example.org/born> "1815" .\n', "utf-8"
    )
    source = Registry(tmp_path).add(str(file), "file", "people").source
    app.run()
    run = ask(app, "Ada born", graph=source)
    app.session_state[f"node:{run.header.id}"] = ada
    app.run()
    ways = [w.proto for w in app.get("page_link") if w.proto.label == "Explore from here"]
    assert f"entity={quote(ada, safe='')}" in ways[0].query_string


def test_a_question_is_answered_with_its_facts_and_its_graph(app):
    run = ask(app, QUESTION)
    assert run.status == "answered"
    assert "Christopher Nolan" in text(app)
    assert "Christopher Nolan" in graph_data(app)
    assert app.query_params["run"] == run.header.id
    assert any("director" in b.label for b in app.button)


@pytest.mark.parametrize(
    ("step", "run"),
    [("9" * 5_000, ""), ("²", ""), ("-1", ""), ("1.5", ""), ("1", "\x00"), ("1", "../../" * 9_000)],
)
def test_whatever_an_address_says_a_page_comes(app, step, run):
    example = next(iter(gallery.recorded()))
    app.query_params["run"], app.query_params["step"] = run or example, step
    app.run()
    assert not app.exception
    assert bool(app.text_input(key="question").value) is not bool(run)


def test_an_example_is_asked_with_one_click(app):
    app.pills(key="example").set_value(starter.EXAMPLES[0])
    app.run()
    run = finish(app)
    assert run.header.question == starter.EXAMPLES[0]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Wer ist der Regisseur von In den Wind geschrieben?", "English"),
        ("Who directed Zzyzzyx Qwertz?", "I do not know"),
        ("<script>alert(1)</script> [x](http://evil.example)?", ""),
    ],
)
def test_bad_input_gives_a_sentence_and_the_run_is_kept(app, question, said):
    run = ask(app, question)
    assert run.status in ("failed", "abstained")
    assert said in text(app)
    assert session.runs().store.load(run.header.id) is not None


@pytest.mark.parametrize(
    ("question", "said"),
    [("", "Type one"), ("x" * 20_000, "Shorten it"), ("🤔🤔🤔", "Type one")],
)
def test_what_is_no_question_gives_a_sentence_and_no_run(app, question, said):
    app.text_input(key="question").set_value(question)
    app.button(key="ask_button").click().run()
    assert said in text(app)
    assert "run" not in app.session_state
    assert session.runs().store.recent() == []


def test_a_run_is_followed_step_by_step_until_its_answer_or_a_skip(app, monkeypatch):
    monkeypatch.setattr(run_view, "_FOLLOW_S", 1e6)  # the clock is turned below
    app.session_state["skips"] = False
    app.text_input(key="question").set_value(QUESTION)
    app.button(key="ask_button").click().run()
    run = session.runs().get(app.query_params["run"])
    assert run.wait(PATIENCE_S)
    seen = []
    while f"follows:{run.header.id}" in app.session_state:
        assert "supported" not in text(app)  # the answer comes at the end
        seen.append(graph_data(app))
        shown, since = app.session_state[f"follows:{run.header.id}"]
        app.session_state[f"follows:{run.header.id}"] = shown, since - 1e6
        app.run()
    assert "supported" in text(app)
    assert len(set(seen)) >= 3
    assert app.button(key=f"play:{run.header.id}")
    app.button(key="ask_button").click().run()
    again = app.query_params["run"]
    assert session.runs().get(again).wait(PATIENCE_S)
    app.button(key=f"skip:{again}").click().run()
    assert "supported" in text(app)


@pytest.mark.parametrize("run_id", list(gallery.recorded()))
def test_a_play_ends_with_the_answer_as_soon_as_the_graph_stands(run_id):
    records = gallery.recorded()[run_id][1]
    stops = run_view._stops(records, ended=True)
    assert stops[-1] == len(records)
    assert stops == sorted(set(stops))
    before = [snapshot(records[:stop]) for stop in stops[:-1]]
    assert len(before) < 2 or before[-1] != before[-2]  # nobody waits for what shows nothing new


def test_a_play_on_a_slow_machine_catches_up(app):
    app.session_state["skips"] = False
    app.text_input(key="question").set_value(QUESTION)
    app.button(key="ask_button").click().run()
    run = session.runs().get(app.query_params["run"])
    assert run.wait(PATIENCE_S)
    app.session_state[f"follows:{run.header.id}"] = 1, time.monotonic() - 60  # a very slow look
    app.run()
    assert f"follows:{run.header.id}" not in app.session_state
    assert "supported" in text(app)


def test_a_recorded_run_plays_from_its_start(app):
    app.selectbox(key="watch").set_value(gallery.EXAMPLES[0].id).run()
    assert app.button(key=f"skip:{gallery.EXAMPLES[0].id}")
    first = graph_data(app)
    app.button(key=f"skip:{gallery.EXAMPLES[0].id}").click().run()
    assert graph_data(app) != first


def test_an_answer_links_its_facts_and_its_address_is_whole(app):
    run = ask(app, QUESTION)
    assert f'[\\[1\\]](#cite-{run.header.id}-0 "Inception — director — Christopher Nolan")' in text(
        app
    )


def test_a_link_shows_the_run_again_at_its_step(app):
    run = ask(app, QUESTION)
    other = AppTest.from_file(APP, default_timeout=PATIENCE_S)
    other.query_params["run"] = run.header.id
    other.query_params["step"] = "3"
    other.run()
    assert not other.exception
    assert other.slider[0].value == 3
    assert "As it stood at step 3 of" in text(other)
    assert not [e.icon for e in other.expander if "progress" in (e.icon or "")]
    assert other.text_input(key="question").value == QUESTION
    other.button(key=f"to_end:{run.header.id}").click().run()
    assert "As it stood" not in text(other)
    assert "Christopher Nolan" in text(other)


def test_a_link_shows_how_the_run_was_asked(app):
    app.selectbox(key="method").select("r3").run()
    app.number_input(key="ask:r3:depth").set_value(1).run()
    run = ask(app, "Could Albert Einstein have met Isaac Newton?")
    other = AppTest.from_file(APP, default_timeout=PATIENCE_S)
    other.query_params["run"] = run.header.id
    other.run()
    assert not other.exception
    assert other.selectbox(key="method").value == "r3"
    assert other.number_input(key="ask:r3:depth").value == 1
    other.selectbox(key="method").select("react").run()  # another question can be put otherwise
    assert other.selectbox(key="method").value == "react"


def test_a_link_to_no_run_says_so(app):
    other = AppTest.from_file(APP, default_timeout=PATIENCE_S)
    other.query_params["run"] = "<b>nothing</b>"
    other.run()
    assert not other.exception
    assert "no run with that id" in text(other)


def test_a_citation_lights_up_in_the_graph(app):
    run = ask(app, QUESTION)
    assert '"highlight":[]' in graph_data(app).replace(" ", "")
    app.button(key=f"cite-{run.header.id}-0").click().run()
    assert '"highlight":[]' not in graph_data(app).replace(" ", "")


def test_the_model_alone_says_that_it_needs_one(app):
    run = ask(app, QUESTION, method="io")
    assert run.status == "abstained"
    assert "Settings" in text(app)


def test_settings_without_a_model_and_a_dead_endpoint(app):
    app.switch_page("pages/settings.py").run()
    assert not app.exception
    app.text_input[0].set_value("http://127.0.0.1:9/v1")
    app.button(key="connect").click().run()
    assert not app.exception
    assert "OPENAI" in app.error[0].value
    app.switch_page("app.py").run()
    app.selectbox(key="model").set_value("openai").run()
    assert ask(app, QUESTION, method="react").status == "failed"
    assert any(link.proto.label == "The model’s settings" for link in app.get("page_link"))


def test_a_wrong_endpoint_is_corrected_and_a_key_typed_again(app):
    app.switch_page("pages/settings.py").run()
    app.text_input[0].set_value("http://127.0.0.1:9/v1")
    app.text_input[1].set_value("sk-first")
    app.button(key="connect").click().run()
    assert app.error
    with OpenAIServer() as server:
        app.text_input[0].set_value(server.url)
        app.text_input[1].set_value("sk-second")
        app.button(key="connect").click().run()
        assert "answered in" in app.success[0].value
        assert server.requests[-1].headers["authorization"] == "Bearer sk-second"
    assert app.text_input[0].value == server.url
    app.button(key="forget").click().run()
    assert app.text_input[0].value == ""


def test_a_wrong_setting_is_named_on_the_page(tmp_path, monkeypatch):
    monkeypatch.setenv("KGQA_MAX_SECONDS", "soon")
    session.environment.clear()
    found = AppTest.from_file(APP, default_timeout=PATIENCE_S).run()
    assert not found.exception
    assert "KGQA\\_MAX\\_SECONDS" in found.error[0].value
    session.environment.clear()


def test_the_answer_card_shows_which_claims_hold(app):
    run = ask(app, QUESTION)
    assert [r.event.kind for r in run.records[-2:]] == ["audited", "answered"]
    assert any("supported" in c.value for c in app.markdown)
    assert "Checked by the built\\-in reader" in text(app)


def test_a_run_may_have_any_id_that_ids_are_made_of(app):
    run = ask(app, QUESTION)
    header = run.header.model_copy(update={"id": "__a--__b___"})
    store = session.runs().store
    store.begin(header)
    store.append(header.id, run.records, run.status)
    app.session_state["run"] = header.id
    app.query_params.clear()
    app.run()
    assert not app.exception
    assert "Christopher Nolan" in text(app)


@pytest.mark.parametrize(
    ("reading", "shown"),
    [
        (
            "How many children did Ann have, as far as the graph goes: it may not have all of them",
            "",
        ),
        ("number of children of Ann, as far as the graph goes: it need not have all", ""),
        ("children of Ann, as far as the graph goes: it need not have all", "children of Ann"),
        ("number of sons of Ann", "number of sons of Ann"),
        ("as far as the graph goes: it may not have all of them", ""),
    ],
)
def test_a_reading_is_shown_where_it_says_something_else_than_the_question(reading, shown):
    assert run_view.read_as("how many children did Ann have?", reading) == shown


@pytest.mark.parametrize(
    ("cites", "shown"),
    [((0, 1, 2), "[1][2][3]"), ((0, 1, 2, 3), "[1–4]"), ((0, 2, 3, 4, 5, 7), "[1][3–6][8]")],
)
def test_numbers_that_follow_one_another_are_told_by_their_ends(cites, shown):
    fact = gallery.recorded()["example-react-what-else-did-the-director-of"][1][-1].event
    citations = fact.answer.citations[:8]
    answer = Answer(sentences=(Sentence(text="So.", cites=cites),), citations=citations)
    assert shown in widgets.answer_text(answer).replace("\\", "")


def test_of_many_parts_each_has_one_mark_and_what_stands_under_most_is_named_once():
    fact = gallery.recorded()["example-react-which-films-did-alfred-hitchcock-direct"][1][-1].event
    citations = fact.answer.citations[:25]
    parts = [Sentence(text=f"{n},", cites=(2 * n, 2 * n + 1, 24)) for n in range(12)]
    answer = Answer(sentences=tuple(parts), citations=citations)
    told = widgets.answer_text(answer).replace("\\", "")
    assert "0,\u202f:small[:primary[[1–2]]] 1,\u202f:small[:primary[[3–4]]]" in told
    assert told.count("25") == 1
    assert told.endswith("[23–25]]]")


def test_where_nothing_is_there_to_look_up_other_questions_are_offered_and_asked(app):
    run = ask(app, "Flurb gnarp zindel?")
    offered = app.pills(key=f"instead:{run.header.id}")
    assert offered.options == start.examples(run.header.graph_source, run.header.method)
    offered.set_value(offered.options[0]).run()
    assert app.session_state["run"] != run.header.id
    assert session.runs().get(app.session_state["run"]).header.question == offered.options[0]


def test_what_only_goes_by_a_name_is_not_asked_about_instead():
    blue, club = Entity("e:blue", "blue"), Entity("e:city", "Orvel City F.C.")
    assert run_view.named_first("Why is the sky blue?", [club, blue]) == [blue]
    assert run_view.named_first("Why the Citizens?", [club]) == [club]
