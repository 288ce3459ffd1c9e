"""Explore and Knowledge graphs as a person meets them."""

import re
from contextlib import suppress

import pytest
from playwright.sync_api import TimeoutError as PlaywrightTimeout
from playwright.sync_api import expect

from tests.screens.browser import at_rest, settled

pytestmark = pytest.mark.browser
GRAPH = ".graph.has-nodes"
LISTED = """(said) => document.body.innerText.includes(said) && [
    ...document.querySelectorAll("button")
].filter((button) => /Explore$/.test(button.innerText)).length"""
HOSTILE = "<img src=x onerror=alert(1)> **Ada** [link](http://evil.example) " + "long " * 30


@pytest.fixture
def app(shared_app):
    return shared_app


def test_a_first_visit_by_link_is_walked_asked_and_come_back_to(app, visit):
    page = visit().page
    page.goto(f"{app.url}/explore?graph=starter&entity=L1001")
    page.get_by_text("1 entity · 0 facts").wait_for()
    at_rest(page.locator(GRAPH))
    page.get_by_role("button", name=re.compile("← director")).click()
    page.get_by_text("14 entities · 13 facts").wait_for()
    expect(page.get_by_role("link", name="Ask")).to_be_visible()
    at_rest(page.locator(GRAPH))
    page.get_by_label("Find a node in the graph").fill("Lured")
    page.get_by_label("Find a node in the graph").press("Enter")  # scrolls the list to it
    page.locator(".row", has_text="Lured").click()
    page.wait_for_url("**entity=L1002&**")
    with page.expect_download() as file:
        page.get_by_role("button", name="Export").click()
        page.get_by_role("button", name="Facts as N-Triples").click()
    assert file.value.path().read_text().count("P57") >= 13
    page.keyboard.press("Escape")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("button", name="Ask about this").click()
    expect(page.get_by_label("Question")).to_have_value("What is the … of Lured?")
    settled(page)
    page.get_by_role("link", name="Explore").click()
    page.get_by_text("14 entities · 13 facts").wait_for()


def test_an_upload_with_hostile_labels_is_loaded_and_explored(app, visit, tmp_path):
    file = tmp_path / "people.tsv"
    others = "".join(f"Thing {n}\tfollows\tThing {n + 1}\n" for n in range(20_000))
    file.write_text(f"Grace\tknows\t{HOSTILE}\n{others}")  # many, so that loading is seen
    page = visit(color_scheme="dark").page
    page.goto(f"{app.url}/graphs")
    page.get_by_role("tab", name="Upload").click()
    settled(page)
    page.locator("input[type=file]").set_input_files(file)
    page.get_by_text("people.tsv").wait_for()
    listed = page.get_by_role("button", name="Explore").count()
    page.get_by_role("button", name="Load", exact=True).first.click()
    there = page.wait_for_function(LISTED, arg="people is loaded: 20,001 facts.")
    assert there.json_value() == listed + 1  # as soon as it is said to be loaded
    page.get_by_role("button", name="Explore").last.click()
    page.get_by_text("Begin with an entity").wait_for()
    settled(page)
    box = page.get_by_label("Find an entity")
    box.fill("Grace")
    box.press("Enter")
    page.get_by_role("button", name=re.compile("^Grace|add_circle Grace")).first.click()
    page.get_by_text("1 entity · 0 facts").wait_for()
    settled(page)  # the list of hits is gone, and what was below it has moved
    page.get_by_role("button", name=re.compile("→ knows")).click()
    page.get_by_text("2 entities · 1 fact").wait_for()
    assert page.locator("img[src=x]").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_back_leaves_at_once_for_the_page_before(app, visit):
    page = visit().page
    page.goto(app.url)
    page.get_by_text("Or watch a recorded run").wait_for()
    settled(page)
    start = page.get_by_role("button", name="Douglas Sirk")
    for patience in (30_000, 60_000, 300_000):  # on a busy machine a click may come too early
        page.get_by_role("link", name="Explore").click()
        with suppress(PlaywrightTimeout):
            start.wait_for(timeout=patience)
            break
    expect(start).to_be_visible()
    settled(page)
    start.click()
    page.get_by_text("1 entity · 0 facts").wait_for()
    page.wait_for_url("**entity=*&walk=*")
    at_rest(page.locator(GRAPH))
    page.get_by_role("button", name=re.compile("← director")).click()
    page.get_by_text(re.compile(r"\d entities · \d+ facts")).wait_for()
    walked = page.url
    settled(page)
    page.reload()
    page.get_by_text(re.compile(r"\d entities · \d+ facts")).wait_for()
    page.wait_for_function("walked => location.href !== walked", arg=walked)  # a walk of its own
    settled(page)
    page.go_back()
    page.get_by_text("Or watch a recorded run").wait_for()
    assert "/explore" not in page.url
    page.go_forward()
    page.get_by_text(re.compile(r"\d entities · \d+ facts")).wait_for()
