from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import expect

from kgqa_core.ask.events import Answer
from kgqa_core.render.graph import GraphView, snapshot
from kgqa_core.render.standalone import player_html, standalone_html
from kgqa_core.render.steps import steps
from tests.history.test_store import header
from tests.screens.graph_story import hostile, pseudo_graph, recorded, story


def exported(tale) -> str:
    answer = getattr(tale[-1], "answer", None)
    answer = answer if isinstance(answer, Answer) else None
    return standalone_html(snapshot(recorded(tale)), title="What <b>else</b>?", answer=answer)


def test_question_answer_citations_and_facts_are_in_the_page():
    page = exported(story())
    assert "<h1>What &lt;b&gt;else&lt;/b&gt;?</h1>" in page
    assert "Douglas Sirk also made Imitation of Life.<span class='muted'> [1] [2]</span>" in page
    assert "<li>Written on the Wind — director — Douglas Sirk</li>" in page
    assert page.count("<tr>") > 20
    assert "the walk starts here" in page


def test_corrections_are_explained():
    assert "Corrected to: Douglas Sirk — place of birth — Hamburg" in exported(pseudo_graph())


def test_nothing_is_loaded_from_anywhere():
    page = exported(story())
    assert not re.search(r"<(?:script|link|img)[^>]*(?:src|href)=", page)
    assert "default-src 'none'" in page


def test_hostile_labels_stay_text():
    page = exported(hostile())
    body = page.rpartition("<body>")[2]
    assert "<img" not in body
    tags = re.findall(r"<[a-z][^>]*>", body)
    assert not [tag for tag in tags if re.search(r"\son\w+=", re.sub(r'"[^"]*"', "", tag))]
    assert body.count("<script") == body.count("</script") == 0


def test_an_endless_label_is_cut_in_the_picture_and_in_pages():
    tale = hostile("x" * 1_000_000)
    view = snapshot(recorded(tale))
    assert any("xxx" in node.title for node in view.nodes)
    assert all(len(one.title) < 20_000 for one in (*view.nodes, *view.edges))
    without = len(exported(hostile()))
    assert len(exported(tale)) < without + 200_000
    assert len(played(tale)) < without + 400_000


@pytest.mark.parametrize("answer", [None, Answer(reason="Nothing & nobody.")])
def test_a_run_without_a_graph_or_an_answer(answer):
    page = standalone_html(GraphView(), title="Who?", answer=answer)
    assert ("Nothing &amp; nobody." in page) == (answer is not None)


@pytest.mark.browser
def test_the_file_opens_without_a_network_and_draws(visit, tmp_path):
    for name, tale in (("walk", story()), ("hostile", hostile())):
        file = tmp_path / f"{name}.html"
        file.write_text(exported(tale), encoding="utf-8")
        visitor = visit(offline=True)
        refused: list[str] = []
        visitor.page.on("console", lambda message, seen=refused: seen.append(message.text))
        visitor.page.goto(file.as_uri())
        assert visitor.page.locator(".frame .node").count() >= 2
        assert visitor.page.locator(".frame .node").first.bounding_box()["width"] > 40
        assert visitor.page.evaluate("window.pwned") is None
        assert refused == []


def played(tale) -> str:
    return player_html(header().model_copy(update={"question": "<b>Who?</b>"}), recorded(tale))


def test_the_player_has_every_step_and_stays_text():
    page = played(hostile())
    body = page.rpartition("<body>")[2]
    assert "<b>Who?</b>" not in page
    assert "<img" not in body
    data = re.search(r'id="run-steps">(.*?)</script>', page)[1]
    told = json.loads(data)
    assert [f["title"] for f in told] == [s.title for s in steps(recorded(hostile()))]


@pytest.mark.browser
@pytest.mark.parametrize("tale", [story, hostile])
def test_the_player_goes_through_the_steps_from_a_file_without_a_network(visit, tmp_path, tale):
    file = tmp_path / "run.html"
    file.write_text(played(tale()), encoding="utf-8")
    count = len(steps(recorded(tale())))
    visitor = visit(offline=True)
    refused: list[str] = []
    visitor.page.on("console", lambda message: refused.append(message.text))
    page = visitor.page
    page.goto(file.as_uri())
    where = page.locator("#player-where")
    expect(where).to_contain_text(f"Step {count} of {count}")
    drawn = "document.querySelectorAll('.frame:not([hidden]) .node').length"
    all_of_them = page.evaluate(drawn)
    page.get_by_label("To the beginning").click()
    expect(where).to_contain_text(f"Step 1 of {count}")
    assert page.locator(".frame:visible").count() == 1
    page.get_by_label("speed").select_option("4")
    page.get_by_label("Play").click()
    expect(where).to_contain_text(f"Step {count} of {count}")
    assert page.evaluate(drawn) == all_of_them
    page.get_by_label("Step", exact=True).fill("1")
    expect(where).to_contain_text(f"Step 2 of {count}")
    assert page.evaluate("window.pwned") is None
    assert refused == []
