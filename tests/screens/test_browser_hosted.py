"""A hosted app: a browser that comes back is the same visitor, another one is not."""

import re

import pytest

from tests.screens.browser import settled

pytestmark = pytest.mark.browser

QUESTION = "Is Berlin the capital of Germany?"


@pytest.fixture
def app(serve, tmp_path_factory):
    data = tmp_path_factory.mktemp("hosted")
    return serve("app.py", KGQA_DATA_DIR=str(data), KGQA_HOSTED="1", OPENAI_API_KEY="")


def test_runs_are_listed_for_the_browser_that_asked(app, visit):
    page = visit().page
    page.goto(app.url)
    page.get_by_label("Question").fill(QUESTION)
    page.get_by_role("button", name="Ask", exact=True).click()
    page.get_by_text(re.compile(r"^step (\d+) of \1")).wait_for()
    settled(page)
    page.goto(f"{app.url}/runs")  # a session of its own, of the same browser
    page.get_by_text("These are your runs.").wait_for()
    page.get_by_text(QUESTION).first.wait_for()
    other = visit(alone=True).page
    other.goto(f"{app.url}/runs")
    other.get_by_text("These are your runs.").wait_for()
    settled(other)
    assert other.get_by_text("1 run", exact=False).count() == 0
