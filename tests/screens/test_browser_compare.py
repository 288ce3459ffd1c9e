"""Compare and Runs as a person meets them: real app, real browser, no way outside."""

import re
from zipfile import ZipFile

import pytest
from playwright.sync_api import expect

from kgqa_core.history import gallery
from kgqa_core.history.run_file import exported, imported
from tests.screens.browser import at_rest, settled
from tests.servers.openai import OpenAIServer, hang

pytestmark = pytest.mark.browser
QUESTION = "Who directed Inception?"
NOLAN = "http://www.wikidata.org/entity/Q25191"


@pytest.fixture
def app(shared_app):
    return shared_app


def opened(app, visit, path="/compare", *, alone=False):
    page = visit(alone=alone).page
    page.goto(app.url + path)
    return page


def compare(page):
    page.get_by_label("Question").fill(QUESTION)
    page.keyboard.press("Enter")


def ask(page, question=QUESTION):
    """Asks on the Ask page; back when the answer is there and nothing moves any more."""
    page.get_by_label("Question").fill(question)
    page.keyboard.press("Enter")
    expect(page.get_by_text(re.compile("from the graph", re.IGNORECASE)).first).to_be_visible()
    page.wait_for_url("**run=*")
    settled(page)


def test_three_methods_side_by_side_and_again_from_the_link(app, visit):
    page = opened(app, visit)
    page.locator(".st-key-compare_add button").first.click()
    page.get_by_label("Method 3").wait_for()
    settled(page)
    compare(page)
    page.get_by_text("All 3 agree: Christopher Nolan").wait_for()
    graphs = page.locator(".graph")
    settled(page)
    assert graphs.count() == 3
    for each in graphs.all():
        at_rest(each)
    # In a narrow place boxes begin at the same height; what else a run looked at makes one higher.
    tops = graphs.evaluate_all(
        """(all, id) => all.map((g) => {
            const box = g.querySelector(`.node[data-id="${id}"] rect.box`);
            const [x, y] = g.pane.places()[id];
            return JSON.stringify([x, y + Number(box.getAttribute("y"))]);
        })""",
        NOLAN,
    )
    assert len(set(tops)) == 1, tops
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("radio", name="Facts").click()
    page.locator(
        "[data-testid=stVegaLiteChart] canvas, [data-testid=stVegaLiteChart] svg"
    ).wait_for()
    other = opened(app, visit, page.url.removeprefix(app.url))
    other.get_by_text("All 3 agree: Christopher Nolan").wait_for()
    expect(other.get_by_label("Question")).to_have_value(QUESTION)
    settled(other)
    other.get_by_role("link", name="Settings").click()
    other.get_by_text("Budgets of a run").wait_for()
    settled(other)
    other.get_by_role("link", name="Compare").click()
    other.get_by_text("All 3 agree: Christopher Nolan").wait_for()
    settled(other)
    other.set_viewport_size({"width": 420, "height": 860})
    lines = other.locator("[class*=st-key-compare_lines]").bounding_box()
    told = other.get_by_role("cell", name="Christopher Nolan").first.bounding_box()
    assert lines["y"] < 260
    assert told["width"] > 300  # an answer has the whole width
    asked_by = other.locator("[class*=st-key-compare_what]").bounding_box()
    assert asked_by["y"] > lines["y"] + lines["height"]  # below what came of it
    views = other.get_by_role("radiogroup", name="Compare by")
    assert views.evaluate("box => box.scrollWidth <= box.clientWidth")  # none is out of sight
    assert other.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_hanging_method_holds_nobody_up_and_is_stopped_alone(serve, visit, tmp_path):
    with OpenAIServer() as server:
        server.will(hang(3600))
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
        settled(page)
        compare(page)
        page.get_by_text(re.compile("Christopher Nolan")).first.wait_for()
        page.get_by_text(re.compile("from the graph", re.IGNORECASE)).first.wait_for()
        stop = page.get_by_role("button", name="Stop")
        expect(stop).to_have_count(1)
        stop.click()
        page.get_by_text("Only Compass").wait_for()
        stop.wait_for(state="detached")
        assert "sk-test" not in page.content()


def test_a_stored_run_is_found_deleted_brought_back_and_replayed(app, visit):
    page = opened(app, visit, "/")
    ask(page)
    page.get_by_role("link", name="Runs").click()
    rows = page.locator("[class*=st-key-runs_row]")
    expect(rows.first).to_be_visible()
    page.set_viewport_size({"width": 420, "height": 860})
    head = page.locator("[class*=st-key-runs_head] button p").all()
    assert all(one.evaluate("it => it.scrollWidth <= it.clientWidth + 1") for one in head)  # uncut
    page.set_viewport_size({"width": 1280, "height": 800})
    before = page.get_by_text(re.compile(r"^\d+ runs?$")).inner_text()
    rows.first.locator("label").click()
    expect(page.get_by_text(re.compile("^1 selected"))).to_be_visible()
    page.get_by_role("button", name="Delete", exact=True).click()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text(before, exact=True)).to_be_visible()
    rows.first.get_by_role("button", name=QUESTION).click()
    page.wait_for_url("**run=*")
    expect(page.get_by_text(re.compile("from the graph", re.IGNORECASE)).first).to_be_visible()
    expect(page.get_by_label("Question")).to_have_value(QUESTION)


def test_a_run_is_forked_without_a_fact_and_compared_with_its_parent(app, visit):
    page = opened(app, visit, "/")
    ask(page)
    parent = re.search("run=([^&]+)", page.url)[1]
    page.get_by_role("button", name="leave out").first.click()
    page.get_by_role("button", name="Ask again without it").first.click()
    expect(page.get_by_text("The answer depended on it")).to_be_visible()
    assert parent not in page.url
    settled(page)
    page.get_by_role("link", name="Compare the two").click()
    expect(page.get_by_text(re.compile("Only Compass"))).to_be_visible()
    settled(page)
    page.go_back()
    page.get_by_role("button", name="The run before").click()
    page.wait_for_url(f"**run={parent}*")


def test_a_run_from_a_file_is_imported_and_opened(app, visit, tmp_path):
    header, records = gallery.recorded()["example-react-what-else-did-the-director-of"]
    file = tmp_path / "run.json"
    file.write_text(exported(header.model_copy(update={"id": "elsewhere"}), records))
    page = opened(app, visit, "/runs")
    page.locator("input[type=file]").set_input_files(file)
    page.get_by_role("button", name="Open it").click()
    expect(page.get_by_text("Imported from a file")).to_be_visible()
    expect(page.get_by_text(re.compile("from the graph", re.IGNORECASE)).first).to_be_visible()
    expect(page.get_by_label("Question")).to_have_value(header.question)


def test_several_runs_are_exported_in_one_file(app, visit):
    asked = ("Who directed Vertigo?", "Who directed Marnie?")
    page = opened(app, visit, "/")
    for question in asked:
        ask(page, question)
        page.get_by_role("button", name="New question").click()
        settled(page)
    page.get_by_role("link", name="Runs").click()
    page.get_by_label("Search").first.wait_for()
    for n, name in enumerate(("Vertigo", "Marnie"), 1):
        page.locator("[class*=st-key-runs_row]", has_text=name).locator("label").first.click()
        expect(page.get_by_text(re.compile(f"^{n} selected"))).to_be_visible()
        settled(page)
    with page.expect_download() as file:
        page.get_by_test_id("stDownloadButton").get_by_role("button", name="Export").click()
    assert file.value.suggested_filename == "runs.zip"
    with ZipFile(file.value.path()) as archive:
        kept = [imported(archive.read(name)) for name in archive.namelist()]
    assert {header.question for header, _ in kept} == set(asked)
    assert all(records for _, records in kept)


def test_two_browsers_see_the_same_run_and_the_same_deletion(app, visit):
    first = opened(app, visit, "/")
    ask(first, "Who directed Psycho?")
    second = opened(app, visit, first.url.removeprefix(app.url), alone=True)
    expect(second.get_by_label("Question")).to_have_value("Who directed Psycho?")
    settled(second)
    for page in (first, second):
        page.get_by_role("link", name="Runs").click()
        row = page.locator("[class*=st-key-runs_row]", has_text="Psycho")
        row.locator("label").click()
        expect(page.get_by_text(re.compile("^1 selected"))).to_be_visible()
    for page in (first, second):
        page.get_by_role("button", name="Delete", exact=True).click()
        expect(page.locator("[class*=st-key-runs_row]", has_text="Psycho")).to_have_count(0)
