"""The preferences page and R3's axiom cards under AppTest, nothing patched."""

import pytest

from kgqa_core.ask import events, preferences
from kgqa_core.ask.events import Record
from kgqa_core.ask.header import Edits, Header
from kgqa_core.ask.outcome import answer_of
from kgqa_core.errors import SettingsError
from kgqa_core.history.run_file import DocumentError, exported, imported
from kgqa_core.methods import METHODS, presets
from kgqa_core.methods.r3.search import Params
from kgqa_core.screens import session, widgets
from kgqa_core.screens.panels import axioms
from tests.patience import PATIENCE_S

QUESTION = "Could Napoleon have used a smartphone?"


def text(app):
    kinds = (app.markdown, app.caption, app.error, app.warning)
    return "\n".join(e.value for kind in kinds for e in kind)


def ended(run_id):
    run = session.runs().get(run_id)
    assert run.wait(PATIENCE_S), "the run does not end"
    return run


def choose(app):
    app.button(key="choose").click().run()
    ended(app.session_state["preference_run"])
    app.run()
    assert not app.exception


def test_the_option_without_a_restriction_is_chosen(app):
    page = app.switch_page("pages/preferences.py").run()
    choose(page)
    assert "#### Creamy oyster soup" in text(page)
    said = text(page)
    assert "user — religion or worldview — Islam" in said or "religion — Islam" in said
    assert "dry white wine" in said
    answer = answer_of(session.runs().get(page.session_state["preference_run"]).records)
    told = [sentence.text for sentence in answer.sentences]
    assert len(told) == len(set(told))
    nothing = "Creamy oyster soup — description — Creamy oyster soup"
    assert nothing not in said + " ".join(told)
    marks = {e.label.partition(" ")[2]: e.label for e in page.expander}
    assert "cancel" in marks["Oyster soup with white wine"]  # its wine is told against it


def test_a_choice_is_made_as_published_where_that_is_wished(app):
    page = app.switch_page("pages/preferences.py").run()
    page.segmented_control(key="preference_preset").set_value("as published").run()
    choose(page)
    run = session.runs().get(page.session_state["preference_run"])
    method = METHODS["r3"]
    params = Params(**(presets.values(method, presets.PUBLISHED) | {"task": "preference"}))
    assert run.header.params == params.model_dump()
    assert "#### Creamy oyster soup" in text(page)


def test_a_run_says_by_its_usual_name_on_which_graph_it_was():
    titles = {"known": "well-known things"}
    assert widgets.graph_title("personal on known", titles) == (
        "well-known things, with one’s own facts"
    )
    assert widgets.graph_title("known", titles) == "well-known things"
    assert widgets.graph_title("Notes on birds", titles) == "Notes on birds"


def test_an_empty_personal_graph_still_chooses(app):
    page = app.switch_page("pages/preferences.py").run()
    page.button(key="preference_empty").click().run()
    assert "0 facts" in text(page)
    choose(page)
    assert "Oyster soup" in text(page)


def test_identical_options_cannot_be_compared(app):
    page = app.switch_page("pages/preferences.py").run()
    page.text_area(key="preference_options").set_value("Soup\nsoup").run()
    assert "is there twice" in text(page)
    assert page.button(key="choose").disabled


def test_a_person_who_is_not_in_the_table_has_no_restrictions(app):
    page = app.switch_page("pages/preferences.py").run()
    page.text_input(key="preference_person").set_value("somebody else").run()
    choose(page)
    assert "####" in text(page)
    assert "Islam" not in text(page)


def test_markup_in_the_table_stays_text(app):
    page = app.switch_page("pages/preferences.py").run()
    nasty = "[x](http://evil.example) :red[boo] <b>bold</b>"
    page.text_area(key="preference_options").set_value(f"{nasty}\nCreamy oyster soup").run()
    choose(page)
    assert "](http" not in text(page).replace("\\]\\(", "")


def test_facts_survive_export_and_import():
    rows = [("user", "likes", "tea, hot"), ("user", "says", 'so "far"')]
    assert preferences.parse(preferences.as_csv(rows)) == rows
    assert preferences.parse("a | b | c\n# note\n\nd\te\tf") == [("a", "b", "c"), ("d", "e", "f")]


@pytest.mark.parametrize("line", ["only two | cells", "a | b |", "a,b,c,d"])
def test_a_line_that_is_no_fact_is_named(line):
    with pytest.raises(SettingsError, match="Line 2 is not a fact"):
        preferences.parse(f"a | b | c\n{line}")


def test_too_many_facts_are_refused():
    with pytest.raises(SettingsError, match="at most 1,000"):
        preferences.parse("a | b | c\n" * (preferences.MOST_ROWS + 1))


def test_an_option_cannot_pass_for_two():
    asked = preferences.question_of("Soup?", ["(1) a (2) b", "c"])
    assert asked == "Soup? Choose one of: (1) 1 a 2 b; (2) c"


# -- going on from a choice ------------------------------------------------------------------


def fact_of(run, relation):
    shown = [s for r in run.records if r.event.kind == "expanded" for s in r.event.statements]
    return next(s for s in shown if s.subject.name == "user" and relation in s.relation.name)


def refused(run):
    found = preferences.choice_of(list(run.records)).options
    return {o.name for o in found if any(j.state == "violated" for j in o.judgements)}


def test_a_choice_is_made_again_without_a_fact_of_the_person(app):
    page = app.switch_page("pages/preferences.py").run()
    choose(page)
    run = session.runs().get(app.session_state["preference_run"])
    assert "Oyster soup with white wine" in refused(run)
    assert len(run.header.personal) == 8
    child = forked(run, Edits(at=0, without=(fact_of(run, "religion"),)))
    assert refused(child) == {"Thai chicken with satay sauce"}
    again = forked(child, Edits(at=0))  # a fork's fork stands on the same facts
    assert refused(again) == {"Thai chicken with satay sauce"}


def test_the_axiom_of_a_choice_is_rejected(app):
    page = app.switch_page("pages/preferences.py").run()
    choose(page)
    run = session.runs().get(app.session_state["preference_run"])
    (view, *_) = axioms.branches_of(run.records)
    app.session_state["run"] = run.header.id
    app.switch_page("pages/ask.py").run()
    assert "With 8 facts of one's own." in text(app)
    app.button(key=f"reject:{run.header.id}:0").click().run()
    child = ended(app.session_state["run"])
    assert child.header.parent == run.header.id
    assert child.header.personal == run.header.personal
    rules = [r.event.text for r in child.records if isinstance(r.event, events.Axiom)]
    assert view.axiom.text not in rules


def test_a_choice_that_came_from_a_file_keeps_its_facts():
    header = Header(
        id="x", question="Soup?", method="r3", params={}, graph="personal on Starter",
        graph_fingerprint="", model="m", started_at="2024-01-01T00:00:00+00:00", version="1",
        graph_source="starter", personal=(("user", "religion", "Islam"),),
    )  # fmt: skip
    records = [
        Record(seq=0, step=0, at_s=0, event=events.Abstained(answer=events.Answer(reason="?")))
    ]
    assert imported(exported(header, records).encode())[0].personal == header.personal
    long = header.model_copy(update={"personal": (("a", "b", "c" * 301),)})
    with pytest.raises(DocumentError, match="personal"):
        imported(exported(long, records).encode())


def forked(run, edits):
    return ended(
        session.runs()
        .fork(
            run,
            edits,
            session.setup(METHODS["r3"], Params(), "starter", "offline", run.header.personal),
        )
        .header.id
    )


# -- axiom cards -----------------------------------------------------------------------------


def ask(app):
    app.selectbox(key="method").set_value("r3").run()
    app.text_input(key="question").set_value(QUESTION)
    app.button(key="ask_button").click()
    app.run()
    run = ended(app.session_state["run"])
    app.run()
    assert not app.exception
    return run


def test_an_axiom_is_rejected_and_the_run_goes_on_with_another(app):
    run = ask(app)
    (view, *_) = axioms.branches_of(run.records)
    assert "smartphone" in view.axiom.text
    assert "**Verdict: no**" in text(app)
    app.button(key=f"reject:{run.header.id}:0").click().run()
    child = ended(app.session_state["run"])
    app.run()
    assert not app.exception
    assert child.header.parent == run.header.id
    rules = [r.event.text for r in child.records if isinstance(r.event, events.Axiom)]
    assert view.axiom.text not in rules


def test_a_fact_is_dropped_to_see_whether_the_verdict_holds(app):
    run = ask(app)
    drop = next(b for b in app.button if b.key and b.key.startswith(f"drop:{run.header.id}"))
    drop.click().run()
    child = ended(app.session_state["run"])
    assert child.header.edits.without
    dropped = child.header.edits.without[0]
    shown = [s for r in child.records if r.event.kind == "expanded" for s in r.event.statements]
    assert shown
    assert dropped not in shown


def test_an_axiom_is_rewritten_and_the_run_goes_on(app):
    run = ask(app)
    key = f"rewrite:{run.header.id}:0"
    app.text_area(key=f"{key}:rule").set_value("Only the living have smartphones.").run()
    app.button(key=f"{key}:go").click().run()
    child = ended(app.session_state["run"])
    app.run()
    assert not app.exception
    (view, *_) = axioms.branches_of(child.records)
    assert view.axiom.text == "Only the living have smartphones."
    assert view.verdict.verdict == "false"


def test_a_premise_keeps_its_terms_through_the_table():
    from kgqa_core.facts.premises import Hop, Premise, Term

    before = Premise(
        text="Ada is a cook",
        left=Term(entity="Ada", path=(Hop(relation="spouse"), Hop(relation="occupation"))),
        right=Term(constants=("cook", "chef")),
    )
    row = axioms._row(before)
    assert axioms._premises_of([row], [before]) == [before]
    edited = {**row, "compared with": "baker"}
    (after,) = axioms._premises_of([edited, {"premise": ""}], [before])
    assert after.left == before.left
    assert after.right == Term(constants=("baker",))


def test_what_decides_an_option_is_said_once_with_its_mark(app):
    page = app.switch_page("pages/preferences.py").run()
    choose(page)
    said = [m.value for m in page.markdown if "does not suit" in m.value]
    assert said
    assert len(set(said)) == len(said)
    assert all(line.startswith((":green", ":red")) for line in said)
