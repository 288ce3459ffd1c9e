"""What once went wrong in front of people, one by one, as they meet it."""

import re

import pytest
from playwright.sync_api import expect

from kgqa_core.screens.start import EXAMPLE
from tests.screens.browser import at_rest, settled
from tests.servers.openai import OpenAIServer

pytestmark = pytest.mark.browser
GRAPH = ".graph.grows"
GRANDCHILDREN = "How many grandchildren did Jacques Cousteau have?"
COUNTED = """graph => [...graph.querySelectorAll(".scene > .line.computed")].flatMap(
    line => JSON.parse(line.dataset.ends).map(([from]) => graph.querySelector(
        `.node[data-id="${from}"]`).textContent.trim()))"""


@pytest.fixture
def app(shared_app):
    return shared_app


def opened(app, visit, path="/", **options):
    page = visit(**options).page
    page.goto(app.url + path)
    settled(page)
    return page


def box(page):
    return page.get_by_role("textbox", name="Question", exact=True)


def ask(page, question, **boxes):
    """Asks, and waits until the run is over and drawn; `boxes`: what is chosen in which."""
    for name, wanted in boxes.items():
        page.get_by_role("combobox", name=name.capitalize(), exact=True).click()
        page.get_by_role("option", name=wanted, exact=True).click()
        settled(page)
    before = page.url
    box(page).fill(question)
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: "run=" in url and url != before)
    over(page)


def over(page):
    run_id = re.search(r"run=([\w-]+)", page.url)[1]
    page.locator(f'[class*="st-key-play-{run_id}"]').first.wait_for()
    settled(page)


def test_without_a_fact_the_right_ones_are_counted_and_the_count_starts_at_them(app, visit):
    page = opened(app, visit)
    ask(page, GRANDCHILDREN)
    at_rest(page.locator(GRAPH))
    assert len(set(page.locator(GRAPH).evaluate(COUNTED))) == 4
    page.get_by_text("6 facts it rests on").click()
    first = page.locator("[class*=st-key-without-]").first.get_by_role("button")
    first.click()
    before = page.url
    page.get_by_role("button", name="Ask again without it").click()
    page.wait_for_url(lambda url: "run=" in url and url != before)
    over(page)
    told = page.locator("[class*=st-key-hero]").inner_text()
    assert re.match(r"2: \w+ Cousteau and \w+ Cousteau", told)
    at_rest(page.locator(GRAPH))
    counted = set(page.locator(GRAPH).evaluate(COUNTED))
    assert len(counted) == 2
    assert all(name in told for name in counted)  # neither Jacques nor his sons


def test_things_of_a_kind_are_counted_and_not_the_kinds(app, visit):
    page = opened(app, visit)
    ask(page, "How many countries border China?", method="ReAct", graph="well-known things")
    at_rest(page.locator(GRAPH))
    (several,) = set(page.locator(GRAPH).evaluate(COUNTED))
    assert several.startswith("14 places")
    assert page.locator(f"{GRAPH} .node[data-id]").count() == 3


def test_who_asks_before_the_index_is_there_waits_for_nothing(serve, visit, tmp_path):
    """The index is built beside it, and the page says how far it is."""
    app = serve("app.py", KGQA_DATA_DIR=str(tmp_path), OPENAI_API_KEY="", OPENAI_BASE_URL="")
    page = opened(app, visit)
    ask(page, "Who directed Inception?", method="PG&AKV", graph="well-known things")
    expect(page.locator("[class*=st-key-hero]")).to_contain_text("Christopher Nolan")
    ask(page, "Who directed Inception?", method="Text RAG", graph="starter")
    expect(page.locator("[class*=st-key-answer]").first).to_be_visible()  # whatever it found
    assert not page.get_by_role("alert").count()


def test_who_has_the_rest_indexed_sees_at_once_how_far_that_is(serve, visit, tmp_path):
    app = serve("app.py", KGQA_DATA_DIR=str(tmp_path), OPENAI_API_KEY="", OPENAI_BASE_URL="")
    page = opened(app, visit)
    ask(page, "Who directed Inception?", method="PG&AKV", graph="well-known things")
    page.get_by_role("button", name=re.compile("^Index all")).click()
    bar = page.get_by_test_id("stProgress")
    expect(bar).to_have_count(1)
    expect(bar).to_contain_text(re.compile(r"[\d,]+ of [\d,]{7} triples"))
    assert bar.bounding_box()["y"] < 400
    page.goto(app.url + "/graphs")
    settled(page)
    page.get_by_text("Questions, passages and index").first.click()
    expect(bar.first).to_contain_text(re.compile(r"[\d,]+ of [\d,]{7} triples"))
    page.get_by_role("button", name="Stop").click()
    page.get_by_text("building goes on where it stopped").first.wait_for()


def test_a_fact_of_the_answer_is_read_whole(app, visit):
    """Who held an office, and from when to when, is longer than a line."""
    page = opened(app, visit, "/?run=example-kb-binder-who-was-the-mayor-of-hamburg")
    over(page)
    cited = page.locator("[class*=st-key-cite-] [data-testid=stMarkdownContainer]").first
    expect(cited).to_contain_text("start time")
    assert cited.evaluate("e => e.scrollWidth <= e.clientWidth")
    assert cited.bounding_box()["height"] > 30


def test_a_wrong_endpoint_is_corrected_and_stays_so(app, visit):
    page = opened(app, visit, "/settings")
    endpoint, key = (page.get_by_role("textbox", name=name) for name in ("Endpoint", "Key"))
    with OpenAIServer() as server:
        for _ in range(2):
            endpoint.fill("http://127.0.0.1:9/v1")
            key.fill("sk-first")
            page.get_by_role("button", name="Connect and test").click()
            page.get_by_text("No connection to").wait_for()
            settled(page)
            expect(key).to_have_attribute("placeholder", "kept for this address")
            endpoint.fill(server.url)
            key.fill("sk-second")
            page.get_by_role("button", name="Connect and test").click()
            page.get_by_text(re.compile("answered in")).wait_for()
            settled(page)
            expect(endpoint).to_have_value(server.url)
            expect(key).to_have_attribute("placeholder", "kept for this address")
        sent = {request.headers.get("authorization") for request in server.requests}
        assert sent == {"Bearer sk-second"}


def test_beside_what_has_ended_no_graph_is_announced(app, visit):
    page = opened(app, visit)
    ask(page, "Who directed Inception?")
    at_rest(page.locator(GRAPH))
    assert page.locator(f"{GRAPH} .node[data-id]").count()
    expect(page.get_by_text("The graph appears here")).to_be_hidden()
    ask(page, "Who directed Inception?", method="IO")  # the reader alone knows nothing
    page.get_by_text("I do not know").wait_for()
    page.get_by_text("This run has walked no graph.").wait_for()
    expect(page.get_by_text("The graph appears here")).to_be_hidden()
    run_id = re.search(r"run=([\w-]+)", page.url)[1]
    page.goto(f"{app.url}/compare?runs={run_id},{EXAMPLE}")
    page.get_by_text("This run has walked no graph.").first.wait_for()
    settled(page)
    expect(page.get_by_text("The graph appears here")).to_be_hidden()


def test_an_empty_question_is_said_to_be_none_and_is_no_run(app, visit):
    page = opened(app, visit)
    for nothing in ("", "   "):
        box(page).fill(nothing)
        page.get_by_role("button", name="Ask", exact=True).click()
        page.get_by_text("There is no question here").wait_for()
        settled(page)
        assert "run=" not in page.url
        expect(page.get_by_text("Or watch a recorded run")).to_be_visible()  # all else stays
    ask(page, "Who directed Inception?")
    page.get_by_role("button", name="New question").click()
    settled(page)
    page.go_back()
    over(page)
    page.go_back()  # once from a run to where it was asked
    page.get_by_text("Or watch a recorded run").wait_for()


def test_a_walk_by_hand_outlives_a_reload(app, visit):
    page = opened(app, visit, "/explore?graph=starter&entity=L1001")
    page.get_by_role("button", name=re.compile("← director")).click()
    page.get_by_text("14 entities · 13 facts").wait_for()
    settled(page)
    page.reload()
    page.get_by_text("14 entities · 13 facts").wait_for()


def test_a_title_with_and_in_it_is_one_claim(app, visit):
    page = opened(app, visit)
    ask(page, "What else did the director of Written on the Wind make?", method="ReAct")
    said = page.get_by_role("button", name=re.compile("claims? supported"))
    right, every = re.search(r"(\d+) of (\d+) claims", said.inner_text()).groups()
    assert right == every
    said.click()
    page.get_by_text(re.compile("A Time to Love and a Time to Die")).last.wait_for()
    assert not page.get_by_text(re.compile("^a Time to Die")).count()


def test_nothing_is_warned_of_escaped_or_cut_where_all_is_well(app, visit):
    page = opened(app, visit)
    ask(page, "What is the tallest mountain?")
    told = page.locator("[class*=st-key-answer]").first
    expect(told).to_contain_text("Everest")
    expect(told).not_to_contain_text("no entity")
    page.get_by_role("link", name="Settings", exact=True).click()
    folder = page.locator("[data-testid=stCode]").last
    expect(folder).to_contain_text("/")
    expect(folder).not_to_contain_text("\\")
    page.goto(f"{app.url}/explore?graph=starter&entity=L1001")
    settled(page)
    page.get_by_role("tab", name="SPARQL").click()
    page.get_by_role("textbox", name=re.compile("SPARQL|query", re.IGNORECASE)).fill("SELECT ? {")
    page.get_by_role("button", name="Run", exact=True).click()
    problem = page.get_by_role("alert").last
    expect(problem).to_contain_text("line 1")
    assert not re.search(r"\[[^\]]*-[^\]]*\]", problem.inner_text())  # no classes of characters
