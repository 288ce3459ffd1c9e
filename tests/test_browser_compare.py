"""Compare and Runs as a person meets them: real app, real browser, no way outside."""

import re

import pytest
from playwright.sync_api import expect

from tests.openai_server import OpenAIServer, hang

pytestmark = pytest.mark.browser
QUESTION = "Who directed Inception?"
NOLAN = "http://www.wikidata.org/entity/Q25191"
PATIENCE = 60_000  # milliseconds


@pytest.fixture(scope="module")
def app(serve, tmp_path_factory):
    data = tmp_path_factory.mktemp("data")
    return serve("app.py", KGQA_DATA_DIR=str(data), OPENAI_API_KEY="", OPENAI_BASE_URL="")


def opened(app, visit, path="/compare"):
    page = visit().page
    page.set_default_timeout(PATIENCE)
    page.goto(app.url + path)
    return page


def compare(page):
    page.get_by_label("Question").fill(QUESTION)
    page.keyboard.press("Enter")


def test_two_methods_side_by_side_and_again_from_the_link(app, visit):
    page = opened(app, visit)
    compare(page)
    page.get_by_text("All 2 agree: Christopher Nolan").wait_for()
    graphs = page.locator(".graph")
    place = "(all, id) => all.map((g) => JSON.stringify(g.pane?.network?.getPosition(id) ?? null))"
    for _ in range(40):  # until both are drawn and have come to rest
        page.wait_for_timeout(500)
        places = graphs.evaluate_all(place, NOLAN)
        if len(places) == 2 and "null" not in places and places[0] == places[1]:
            break
    else:
        pytest.fail(f"not in the same place: {places}")
    page.wait_for_timeout(1_000)
    assert graphs.count() == 2
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_text("Facts", exact=True).click()
    page.locator(
        "[data-testid=stVegaLiteChart] canvas, [data-testid=stVegaLiteChart] svg"
    ).wait_for()
    other = opened(app, visit, page.url.removeprefix(app.url))
    other.get_by_text("All 2 agree: Christopher Nolan").wait_for()
    expect(other.get_by_label("Question")).to_have_value(QUESTION)
    other.get_by_role("link", name="Settings").click()
    other.get_by_text("Budgets of a run").wait_for()
    other.get_by_role("link", name="Compare").click()
    other.get_by_text("All 2 agree: Christopher Nolan").wait_for()


def test_a_hanging_method_holds_nobody_up_and_is_stopped_alone(serve, visit, tmp_path):
    with OpenAIServer() as server:
        server.will(hang(120))
        app = serve(
            "app.py",
            KGQA_DATA_DIR=str(tmp_path),
            OPENAI_API_KEY="sk-test",
            OPENAI_BASE_URL=server.url,
            KGQA_MODEL="test-model",
        )
        page = opened(app, visit)
        page.locator(".st-key-tune-1 button").first.click()
        page.get_by_label("Model", exact=True).click()
        page.get_by_role("option", name="test-model").click()
        page.keyboard.press("Escape")
        compare(page)
        page.get_by_text(re.compile("Christopher Nolan")).first.wait_for()
        page.get_by_text(re.compile(r"\bgrounded$")).first.wait_for()
        stop = page.get_by_role("button", name="Stop")
        stop.wait_for()
        assert stop.count() == 1
        page.wait_for_timeout(1_000)
        stop.click()
        page.get_by_text("Only ReAct").wait_for()
        stop.wait_for(state="detached")
        assert "sk-test" not in page.content()


def test_a_stored_run_is_found_deleted_brought_back_and_replayed(app, visit):
    page = opened(app, visit, "/")
    page.get_by_label("Question").fill(QUESTION)
    page.keyboard.press("Enter")
    page.wait_for_url("**run=*")
    page.get_by_role("link", name="Runs").click()
    table = page.get_by_test_id("stDataFrame")
    table.wait_for()
    count = page.get_by_text(re.compile(r"^\d+ runs?"))
    before = count.inner_text()

    def tick():
        page.wait_for_timeout(1_500)  # until the table is drawn
        box = table.bounding_box()
        page.mouse.click(box["x"] + 18, box["y"] + 38 + 17)
        page.get_by_text(re.compile("^1 selected")).wait_for()

    tick()
    page.get_by_role("button", name="Delete", exact=True).click()
    page.get_by_role("button", name="Undo").click()
    page.get_by_text(before).wait_for()
    tick()
    page.locator(".st-key-runs_open button").first.click()
    page.wait_for_url("**run=*")
    page.get_by_text(re.compile(r"\bgrounded$")).first.wait_for()
    expect(page.get_by_label("Question")).to_have_value(QUESTION)
