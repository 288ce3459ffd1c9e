"""The plan of Compass in a browser: cards that fill in as the run goes on, and their lines."""

import re

import pytest
from playwright.sync_api import expect

from tests.screens.browser import settled

pytestmark = pytest.mark.browser

COUNTED = "example-compass-how-many-grandchildren-did-jacques-cousteau"


def test_a_plan_stands_as_cards_with_lines_between_them_and_fills_in(visit, shared_app):
    page = visit().page
    page.goto(f"{shared_app.url}/?run={COUNTED}")
    settled(page)
    cards = page.locator(".plan .card")
    expect(cards).to_have_count(4)
    expect(page.locator(".plan .tip")).to_have_count(3)
    expect(cards.first).to_have_text("Jacques Cousteau")
    expect(cards.last).to_contain_text("count")
    expect(cards.last).to_have_class("card step done answer")
    expect(page.locator(".plan .made, .plan .none")).to_have_text("No model call")
    page.goto(f"{shared_app.url}/?run={COUNTED}&step=2")
    settled(page)
    expect(page.locator(".plan .planned")).not_to_have_count(0)
    for _ in range(3):
        page.get_by_role("button", name="chevron_right").click()
        settled(page)
    expect(page.locator(".plan .planned")).to_have_count(0)
    expect(page.locator(".plan .done")).not_to_have_count(0)


def test_a_way_that_was_kept_is_one_press_away(visit, shared_app):
    page = visit().page
    page.goto(shared_app.url)
    page.get_by_label("Question").fill("Who is the architect of the Eiffel Tower?")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Remember this way").click()
    page.get_by_role("link", name="See it among the templates").click()
    expect(page.get_by_text("1 template in 1 wording.")).to_be_visible()
    cell = page.locator("[data-testid=stDataFrame] [role=gridcell]")
    expect(cell.filter(has_text=re.compile("architect of.*mask"))).to_have_count(1)
    page.get_by_role("tab", name="Import and export").click()
    page.get_by_role("button", name="Delete this library").click()
    expect(page.get_by_text("1 template in 1 wording.")).to_have_count(0)
