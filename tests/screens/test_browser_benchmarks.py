"""The Benchmarks page in a real browser: a benchmark runs, a click opens the run, and back."""

import re

import pytest
from playwright.sync_api import expect

from kgqa_core.evaluation import jobs, own
from tests.screens.browser import settled
from tests.screens.test_benchmarks import measured

pytestmark = pytest.mark.browser
ROW, HEAD = 35, 38  # pixels of the grid


@pytest.fixture(scope="module")
def app(serve, tmp_path_factory):
    data = tmp_path_factory.mktemp("bench")
    home = jobs.folder_of(data)
    measured(home / "a", "right", "wrong", "unknown", traces=True)
    measured(home / "b", "right", "right", "unknown", traces=True, lucky=0.9)
    own.add(data, own.typed("Who directed Inception?", "Q25191"))
    return serve("app.py", KGQA_DATA_DIR=str(data), OPENAI_API_KEY="", OPENAI_BASE_URL="")


@pytest.fixture
def page(app, visit):
    found = visit().page
    found.goto(app.url + "/benchmarks")
    found.get_by_role("tab", name="Results").wait_for()
    settled(found)
    return found


def choose(page, box, option):
    page.get_by_role("combobox", name=box).click()
    page.get_by_role("option", name=option).click()


def click_outcome(page, row, column, says):
    """Clicks into the last column of the grid, which is a canvas.

    What it holds is also there for screen readers, as a table inside the canvas, renewed when it
    is drawn: once that has the text, the rows lie where they are clicked.
    """
    grid = page.get_by_test_id("stDataFrame")
    expect(grid.get_by_test_id(f"glide-cell-{column}-{row}")).to_have_text(says)
    right = grid.bounding_box()["width"] - 40
    grid.click(position={"x": right, "y": HEAD + ROW * (row + 0.5)})


def test_a_click_on_an_outcome_opens_its_run_and_back_leads_to_the_grid(page):
    page.get_by_role("tab", name="Questions").click()
    choose(page, "Question set", "Numbers")
    page.get_by_text("3 of 3 questions").wait_for()
    page.get_by_text("Only where methods differ").click()
    page.get_by_text("1 of 3 questions").wait_for()
    settled(page)
    click_outcome(page, row=0, column=3, says="relation choice")
    page.wait_for_url(re.compile("run="))
    asked = page.get_by_label("Question", exact=True)
    expect(asked).to_have_value("wrong 1")
    settled(page)
    page.get_by_role("link", name="Benchmarks").click()
    page.get_by_text("1 of 3 questions").wait_for()
    expect(page.get_by_role("tab", name="Questions")).to_have_attribute("aria-selected", "true")


def test_a_benchmark_runs_on_the_page_and_its_result_appears(page):
    page.get_by_role("tab", name="New benchmark").click()
    choose(page, "Question set", "Your own questions")
    page.get_by_role("button", name="Start").click()
    page.get_by_text(re.compile(r"1 of 1 · 1 right")).wait_for()
    page.get_by_role("tab", name="Results").click()
    page.get_by_text(re.compile("Your own questions")).nth(1).wait_for()
    with page.expect_download() as picture:
        page.get_by_role("button", name="PNG", exact=True).click()
    assert picture.value.path().read_bytes().startswith(b"\x89PNG")
    with page.expect_download() as table:
        page.get_by_role("button", name="CSV", exact=True).click()
    assert "Your own questions,Compass" in table.value.path().read_text()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
