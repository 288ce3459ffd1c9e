"""What axe-core finds on the pages, by people who cannot see, tell colours apart or use a mouse."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest
from playwright.sync_api import expect

from tests.screens.browser import at_rest, settled

pytestmark = pytest.mark.browser
AXE = files("axe_playwright_python") / "axe.min.js"
RUN = "/?run=example-r3-was-jacques-cousteau-alive-when-world"
PAGES = (
    *("Compare", "Runs", "Knowledge graphs", "Explore", "Benchmarks", "Templates"),
    *("Preferences", "Settings"),
)


@pytest.fixture
def app(shared_app):
    return shared_app


def serious(page):
    """What axe-core calls serious or worse, with where it stands."""
    settled(page)
    if not page.evaluate("Boolean(globalThis.axe)"):  # half a megabyte, once a document
        page.evaluate("(text) => void (0, eval)(text)", AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        (rule["id"], node["html"][:200], [check["message"] for check in node["any"]][:1])
        for rule in found["violations"]
        if rule["impact"] in ("serious", "critical")
        for node in rule["nodes"]
    ]


def test_keys_alone_lead_to_an_answer_and_into_its_graph(app, visit):
    """First: the table of runs has a row then, when axe looks."""
    page = visit().page
    page.goto(app.url)
    settled(page)
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    link = page.get_by_role("link", name="Ask", exact=True)
    expect(link).to_be_focused()
    expect(link).to_have_css("outline-style", "solid")  # and seen to be
    box = page.get_by_label("Question")
    box.focus()
    page.keyboard.type("Who directed Inception?")
    page.keyboard.press("Enter")
    page.get_by_text("From the graph").first.wait_for()
    settled(page)
    page.get_by_role("button", name="List", exact=True).focus()
    page.keyboard.press("Enter")
    page.locator("button.word", has_text="Inception — director — Christopher Nolan").focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Close").wait_for()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_has_what_axe_calls_serious(app, visit, scheme):
    page = visit(color_scheme=scheme).page
    page.goto(app.url + RUN)
    at_rest(page.locator(".graph[data-mount]"))
    found = {"Ask": serious(page)}
    page.get_by_role("button", name="New question").click()
    page.get_by_text("Or watch a recorded run").wait_for()
    found["first"] = serious(page)
    for name in PAGES:
        page.get_by_role("link", name=name, exact=True).click()
        settled(page)
        found[name] = serious(page)
    page.get_by_role("link", name="Compare", exact=True).click()
    settled(page)
    page.get_by_role("textbox", name="Question", exact=True).fill("Who directed Inception?")
    page.keyboard.press("Enter")
    page.get_by_text(re.compile("agree: Christopher Nolan")).wait_for()
    found["Compare with results"] = serious(page)
    assert {name: some for name, some in found.items() if some} == {}
