"""The box that a new page has before Streamlit has drawn anything, and how the page takes over."""

from contextlib import contextmanager
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import expect

from kgqa_core.screens.first_box import first_page
from tests.patience import PATIENCE_S
from tests.screens.browser import settled
from tests.screens.test_browser_access import AXE

pytestmark = pytest.mark.browser
EARLY = "#first-box"
QUESTION = "Who directed Inception?"


@pytest.fixture
def app(shared_app):
    return shared_app


@contextmanager
def without_scripts(page):
    """Streamlit's scripts come when the block is left."""
    held = []
    page.route("**/static/js/index.*.js", lambda route: held.append(route))
    yield
    for route in held:
        route.continue_()
    page.unroute("**/static/js/index.*.js")


def box(page):
    return page.get_by_role("textbox", name="Question", exact=True)


def test_what_is_typed_goes_over_with_focus_and_caret(app, visit):
    page = visit(alone=True).page
    with without_scripts(page):
        page.goto(app.url, wait_until="commit")
        box(page).press_sequentially(QUESTION)
        for _ in "Inception?":
            page.keyboard.press("ArrowLeft")
    page.locator(EARLY).wait_for(state="detached")
    settled(page)
    expect(box(page)).to_be_focused()
    page.keyboard.type("Dune and ")
    expect(box(page)).to_have_value("Who directed Dune and Inception?")
    assert "run=" not in page.url


def test_what_is_sent_is_asked_once_the_page_is_there(app, visit):
    page = visit(alone=True).page
    with without_scripts(page):
        page.goto(app.url, wait_until="commit")
        box(page).fill(QUESTION)
        page.get_by_role("button", name="Ask", exact=True).click()
        expect(page.get_by_role("status")).to_have_text(
            "It will be asked as soon as the page is there."
        )
    page.get_by_text("From the graph").first.wait_for()
    settled(page)
    expect(box(page)).to_have_value(QUESTION)
    assert page.locator(EARLY).count() == 0


def test_nothing_is_asked_where_nothing_was_typed(app, visit):
    page = visit(alone=True).page
    with without_scripts(page):
        page.goto(app.url, wait_until="commit")
        box(page).press("Enter")
        expect(page.get_by_role("status")).to_have_text("")
    settled(page)
    page.get_by_text("Which method?").wait_for()
    assert "run=" not in page.url


def test_the_box_stands_where_the_page_has_its_own(app, visit):
    for size in ({"width": 1280, "height": 800}, {"width": 420, "height": 860}):
        page = visit(alone=True, viewport=size).page
        with without_scripts(page):
            page.goto(app.url, wait_until="commit")
            early = box(page).bounding_box(), page.get_by_role("button").bounding_box()
        page.locator(EARLY).wait_for(state="detached")
        settled(page)
        field = page.locator("[data-testid=stTextInputRootElement]").first
        button = page.get_by_role("button", name="Ask", exact=True)
        for was, now in zip(early, (field.bounding_box(), button.bounding_box()), strict=True):
            assert was == {side: pytest.approx(now[side], abs=1) for side in now}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_looks_like_the_page_and_axe_finds_nothing_serious(app, visit, scheme):
    page = visit(alone=True, color_scheme=scheme).page
    looks = "at => [getComputedStyle(at).color, getComputedStyle(at).backgroundColor]"
    with without_scripts(page):
        page.goto(app.url, wait_until="commit")
        early = page.locator(EARLY).evaluate(looks)
        page.evaluate("(text) => void (0, eval)(text)", AXE.read_text(encoding="utf-8"))
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
        assert [rule["id"] for rule in found if rule["impact"] in ("serious", "critical")] == []
    page.locator(EARLY).wait_for(state="detached")
    settled(page)
    assert page.locator("[data-testid=stApp]").evaluate(looks) == early


def test_the_theme_that_was_chosen_is_kept(app, visit):
    page = visit(alone=True, color_scheme="light").page
    page.add_init_script("localStorage.setItem('stActiveTheme-/-v2', '\"Dark\"')")
    with without_scripts(page):
        page.goto(app.url, wait_until="commit")
        expect(page.locator(EARLY)).to_have_class("dark")


def test_a_run_or_another_page_begins_without_it(app, visit):
    page = visit(alone=True).page
    for path in ("/?run=example-r3-was-jacques-cousteau-alive-when-world", "/settings"):
        with without_scripts(page):
            page.goto(app.url + path, wait_until="commit")
            page.wait_for_function("document.readyState !== 'loading'")
            assert page.locator(EARLY).count() == 0


def test_what_went_wrong_instead_is_seen(app, visit):
    page = visit(alone=True).page
    page.route("**/_stcore/**", lambda route: route.abort())
    page.goto(app.url, wait_until="commit")
    page.locator(EARLY).wait_for()
    page.get_by_role("dialog").wait_for()
    page.locator(EARLY).wait_for(state="detached")


def test_of_a_graph_of_ones_own_no_more_is_promised_than_is_known(monkeypatch):
    hint = 'placeholder="Ask about people, places'
    assert hint in first_page('<div id="root"></div>')
    monkeypatch.setenv("KGQA_GRAPH", "file:own.ttl")
    own = first_page('<div id="root"></div>')
    assert hint not in own
    assert 'placeholder="Ask what this graph knows"' in own


def test_settings_that_cannot_be_read_leave_it_to_the_page_to_say_so(monkeypatch):
    monkeypatch.setenv("KGQA_GRAPH_TIMEOUT_S", "soon")
    assert 'placeholder="Ask what this graph knows"' in first_page('<div id="root"></div>')


def test_only_who_gets_the_first_page_gets_it(app):
    def answer(path, method="GET"):
        asked = Request(app.url + path, method=method)
        with urlopen(asked, timeout=PATIENCE_S) as got:
            return got.status, got.headers["Cache-Control"], b"first-box" in got.read()

    assert answer("/") == (200, "no-cache", True)
    assert answer("/compare") == (200, "no-cache", False)
    assert answer("/", "HEAD") == (200, "no-cache", False)
    assert answer("/_stcore/health")[::2] == (200, False)
