"""Keqing's panel: the sub-questions as they fill in, and picking another template."""

import pytest

from kgqa_core.ask import events
from kgqa_core.ask.events import Record, SubQuestion
from kgqa_core.facts.terms import Entity, Literal
from kgqa_core.methods.keqing import templates
from kgqa_core.screens import session
from kgqa_core.screens.panels import axioms, chains
from kgqa_core.screens.panels.chains import diagram, parts_of
from kgqa_core.settings import load_settings
from tests.screens.test_pages import ask, finish, text

QUESTION = "What else did the director of Written on the Wind make?"
SIRK = Entity("e:sirk", "Douglas Sirk")
SPLIT = events.Decomposed(
    parts=(
        SubQuestion(id=0, text="who directed [mask]", seeds=("Tom",)),
        SubQuestion(id=1, text="films of [mask]", needs=(0,)),
        SubQuestion(id=2, text="", needs=(1,), operation="count"),
    )
)
MATCHED = events.Matched(
    part=0,
    text="who directed Tom",
    templates=("who directed [mask]",),
    scores=(1.0,),
    chains=(("→ director",),),
)
FOLLOWED = events.Followed(
    part=0, template="who directed [mask]", chain="→ director", count=1, ends=(SIRK,)
)


def records(*story):
    return [Record(seq=i, step=0, at_s=0, event=e) for i, e in enumerate(story)]


def test_sub_questions_fill_in_as_the_run_goes_on():
    story = (
        SPLIT,
        events.Step(title="1. who directed Tom"),
        MATCHED,
        FOLLOWED,
        events.Solved(part=0, values=(SIRK,)),
        events.Step(title="2. films of Douglas Sirk"),
        events.Solved(part=1, values=()),
        events.Step(title="3. count of 2"),
        events.Computed(operation="count", arguments=("x",), result=(Literal("0"),)),
    )
    states = [[v.state for v in parts_of(records(*story[:n]))] for n in (1, 2, 5, 6, 7, 9)]
    assert states == [
        ["waiting"] * 3,
        ["open", "waiting", "waiting"],
        ["solved", "waiting", "waiting"],
        ["solved", "open", "waiting"],
        ["solved", "dead end", "waiting"],
        ["solved", "dead end", "solved"],
    ]
    first, _, last = parts_of(records(*story))
    assert (first.text, first.at, first.values) == ("who directed Tom", 2, (SIRK,))
    assert first.followed == [FOLLOWED]
    assert last.values == (Literal("0"),)


@pytest.mark.parametrize("quoted", [chains._quoted, axioms._quoted])
def test_a_label_of_a_diagram_holds_no_null_and_keeps_its_entities(quoted):
    assert quoted(['a\x00b &lt; "c" \\']) == '"a\ufffdb &amp;lt; \\"c\\" \\\\"'


def test_the_diagram_shows_what_needs_what_and_labels_stay_text():
    hostile = events.Step(title='1. who "; n9 [label=evil]; \\" <b>directed</b>')
    dot = diagram(parts_of(records(SPLIT, hostile)), dark=False)
    assert "n0 -> n1;" in dot
    assert "n1 -> n2;" in dot
    outside = dot.replace("\\\\", "").replace('\\"', "").split('"')[::2]
    assert not any("evil" in piece for piece in outside)


def test_no_sub_questions_before_the_split():
    assert parts_of(records(events.Step(title="Split the question into sub-questions"))) == []


def test_picking_another_template_goes_on_from_there(app):
    run = ask(app, QUESTION, method="keqing")
    shown = text(app)
    assert "who directed" in shown.casefold()
    number = parts_of(run.records)[1].part.id
    key = f"pick:{run.header.id}:{number}"
    known = app.selectbox(key=f"{key}:template").options
    other = next(t for t in known if "born" in t)
    app.selectbox(key=f"{key}:template").set_value(other).run()
    app.button(key=f"{key}:go").click().run()
    assert not app.exception
    fork = finish(app)
    assert fork.header.id != run.header.id
    assert fork.header.parent == run.header.id
    first, second = parts_of(fork.records)[:2]
    assert first.values == parts_of(run.records)[0].values
    assert second.matched.templates == (other,)
    assert session.runs().get(run.header.id).status == "answered"


def test_a_chain_that_no_template_had_is_kept_and_used_from_then_on(app):
    run = ask(app, QUESTION, method="keqing")
    last = parts_of(run.records)[1].part
    key = f"pick:{run.header.id}:{last.id}"
    app.text_input(key=f"{key}:chain").set_value("← director (P57) → cast member (P161)").run()
    app.button(key=f"{key}:go").click().run()
    picked = finish(app)
    keep = f"keep:{picked.header.id}:{last.id}:{last.text}"
    assert app.button(key=keep).label == "Keep as a template"
    app.button(key=keep).click().run()
    assert not app.exception
    assert not [b for b in app.button if b.key == keep]
    library = templates.load(templates.own_folder(load_settings()) / "starter.txt")
    assert "cast member" in str(library.exact(last.text).chains[0])
    assert chains._library(picked).path == library.path
