"""The pages as a person meets them: real app, real browser, real servers, no way outside."""

import json
import re
from pathlib import PurePath
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.screens.browser import at_rest, settled
from tests.servers.openai import OpenAIServer, hang, ok

pytestmark = pytest.mark.browser
QUESTION = "Who directed Inception?"
NOLAN = "http://www.wikidata.org/entity/Q25191"
GRAPH = ".graph.grows"  # a run's; the first page has another
MOUNTED = "g => g.dataset.mount"  # how many the page has had so far


@pytest.fixture
def app(shared_app):
    return shared_app


@pytest.fixture
def open_app(app, visit):
    def opened(path="", **options):
        page = visit(**options).page
        page.goto(app.url + path)
        page.get_by_role("button", name="Ask", exact=True).wait_for()
        return page

    return opened


def ask(page, question=QUESTION):
    page.get_by_label("Question").fill(question)
    page.keyboard.press("Enter")


def answered(page):
    page.get_by_text(re.compile("from the graph", re.IGNORECASE)).first.wait_for()
    page.wait_for_url("**run=*")
    settled(page)


def graph(page, script, *args):
    at_rest(page.locator(GRAPH))
    return page.locator(GRAPH).evaluate(script, *args)


def test_a_question_is_answered_in_sight_and_its_address_leads_back_to_it(open_app, visit):
    page = open_app()
    pills = page.locator("[data-testid=stButtonGroup] button[data-variant=pills]")
    pills.first.wait_for()
    assert max(pill.bounding_box()["width"] for pill in pills.all()) < 480  # none is stretched
    ask(page)
    answered(page)
    box = page.get_by_text(re.compile(r"Christopher Nolan")).first.bounding_box()
    assert box["y"] + box["height"] < 800
    assert page.locator(GRAPH).bounding_box()["y"] < 300
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.go_back()
    page.get_by_text("Or watch a recorded run").wait_for()
    page.go_forward()
    answered(page)
    address = page.url
    page.reload()
    answered(page)
    assert page.url == address
    other = visit(alone=True).page
    other.goto(address + "&step=2")
    other.get_by_text(re.compile("^step 2 of")).wait_for()
    expect(other.get_by_role("slider")).to_have_value("2")
    expect(other.get_by_label("Question")).to_have_value(QUESTION)


def test_a_mark_of_several_facts_says_them_and_lights_them_all_up(open_app):
    page = open_app("/?run=example-compass-how-many-grandchildren-did-jacques-cousteau&step=99")
    if (skip := page.get_by_role("button", name="Skip")).count():
        skip.click()
    mark = page.locator('a[href^="#cite-"]').filter(has_text="[1–6]")
    mark.wait_for()
    settled(page)
    said = mark.get_attribute("title")
    assert "Jacques Cousteau — child" in said
    assert "Fabien Cousteau" in said
    mark.click()
    page.get_by_text("6 facts lit up in the graph").wait_for()
    assert graph(page, "g => new Set(g.pane.lit).size") == 7
    mark.click()
    page.get_by_text("6 facts lit up in the graph").wait_for(state="detached")


def test_facts_nodes_files_and_zoom_of_a_run_are_at_hand(open_app, visit, tmp_path):
    page = open_app()
    ask(page)
    answered(page)
    page.locator('a[href^="#cite-"]').first.click()
    page.get_by_text(re.compile(r"^\[1\] Inception — director")).first.wait_for()
    page.locator(".scene > .line.lit").first.wait_for(state="attached")
    assert graph(page, "g => g.pane.litEdges.length") == 1
    assert "#" not in page.url
    page.locator(f'.node[data-id="{NOLAN}"]').click()
    page.get_by_text("Q25191").first.wait_for()
    page.get_by_role("button", name="Ask about this").click()
    expect(page.get_by_label("Question")).to_have_value("What is the … of Christopher Nolan?")
    page.set_viewport_size({"width": 360, "height": 800})
    out = page.get_by_role("button", name="leave out").bounding_box()
    assert out["x"] + out["width"] < 350  # beside a fact that takes two lines, and not cut
    page.set_viewport_size({"width": 1280, "height": 800})
    page.get_by_role("tab", name="Share").click()
    page.get_by_text(page.url, exact=True).wait_for()
    with page.expect_download() as html:
        page.get_by_role("button", name="Player (HTML)").click()
    with page.expect_download() as run:
        page.get_by_role("button", name="Run (JSON)").click()
    found = json.loads(run.value.path().read_text())
    assert found["status"] == "answered"
    file = tmp_path / "run.html"
    file.write_bytes(html.value.path().read_bytes())
    alone = visit().page
    alone.goto(file.as_uri())
    alone.locator(".frame .node").last.wait_for()
    assert "Christopher Nolan" in alone.content()
    zoom = "g => g.pane.view.scale"
    before = graph(page, zoom)
    page.get_by_role("button", name="Zoom in").click()
    closer = graph(page, zoom)
    assert closer > before
    page.get_by_role("link", name="Settings").click()
    page.get_by_text("Budgets of a run").wait_for()
    settled(page)
    page.get_by_role("link", name="Ask").click()
    answered(page)
    assert graph(page, zoom) == pytest.approx(closer, rel=0.01)
    page.get_by_label("Question").fill("What is the shoe size of Christopher Nolan?")
    page.keyboard.press("Enter")
    page.get_by_text("What the graph does say").wait_for()
    settled(page)
    page.locator("[class*=st-key-instead] button").first.click()  # asked at once
    page.get_by_text("What the graph does say").wait_for(state="detached")
    expect(page.get_by_label("Question")).not_to_have_value(re.compile("shoe size"))
    answered(page)


def test_the_graph_stays_in_sight_beside_a_long_list_of_steps(open_app):
    page = open_app("/?run=example-react-which-films-did-alfred-hitchcock-direct")
    answered(page)
    for step in page.locator("[class*=st-key-step] details").all()[:2]:
        step.locator("summary").first.click()
        expect(step).to_have_attribute("open", "")
        settled(page)
    call = page.get_by_text("Reader: next action").first
    call.scroll_into_view_if_needed()
    page.get_by_text(re.compile("^Keep those")).first.evaluate("e => e.scrollIntoView()")
    assert page.locator("[data-testid=stMain]").evaluate("e => e.scrollTop") > 400
    assert page.locator(GRAPH).bounding_box()["y"] > 50  # below the row of pages
    call.evaluate("e => e.scrollIntoView({block: 'center'})")
    call.click()
    page.get_by_text("Edit this step and go on").wait_for()
    said = page.locator("[data-testid=stCode]").last.inner_text()
    assert '"tool": "follow"' in said
    assert '"per"' not in said  # what a reply leaves as it is, is not told


def test_a_recorded_run_plays_from_its_start(open_app):
    page = open_app()
    box = page.get_by_role("combobox", name="Or watch a recorded run")
    box.scroll_into_view_if_needed()  # a list that opens while the page scrolls closes again
    settled(page)
    box.click()
    page.get_by_role("option", name=re.compile("^ReAct: What else")).click()
    page.get_by_role("button", name="Skip").wait_for()
    page.get_by_role("slider").wait_for()


FILES = "**/bidi-components/**"


def test_what_draws_is_fetched_once_and_kept_by_the_browser(app, visit):
    """Neither a question nor a second visit is sent code or styles again, only data."""
    page = visit(alone=True).page
    components, fetched = [], []

    def take(frame):
        message = ForwardMsg.FromString(frame)
        if message.delta.new_element.HasField("bidi_component"):
            components.append(message.delta.new_element.bidi_component)

    def watch(page):
        page.on("websocket", lambda socket: socket.on("framereceived", take))
        page.on("response", lambda reply: fetched.append(reply) if "/kgqa." in reply.url else None)
        page.goto(app.url)
        ask(page)
        answered(page)
        page.locator(f"{GRAPH} svg.kg .node").last.wait_for()
        page.get_by_role("tab", name="Plan").click()
        page.locator(".plan .card").last.wait_for()

    watch(page)
    assert sorted(PurePath(urlsplit(reply.url).path).name for reply in fetched) == [
        *("graph.css", "graph_view.css", "graph_view.js", "plan.css", "plan.js")
    ]
    drawn = [one for one in components if one.component_name in ("kgqa_graph", "kgqa_plan")]
    assert len(drawn) > 2
    assert max(len(one.js_content) + len(one.css_content) for one in drawn) < 2_500
    again = page.context.new_page()
    page.close()
    fetched.clear()
    watch(again)
    sizes = again.evaluate(
        """performance.getEntriesByType("resource")
            .filter((each) => each.name.includes("/kgqa.")).map((each) => each.transferSize)"""
    )
    assert sizes == [0] * 5  # all of them were had already


def test_of_a_graph_whose_code_does_not_arrive_the_page_says_so(app, visit):
    page = visit(alone=True).page
    page.route(FILES, lambda route: route.abort())
    page.goto(app.url)
    page.get_by_text("Reload the page").first.wait_for()


def test_a_run_asked_stepped_and_played_is_one_mount_and_moves_no_row(app, visit):
    """Also when what draws it arrives late, and newer data overtakes older on the way."""
    page = visit(alone=True).page

    def late(route):
        page.wait_for_timeout(4_000)
        route.continue_()

    page.route(FILES, late)
    page.goto(app.url)
    ask(page)
    answered(page)
    page.locator(f"{GRAPH}[data-mount]").wait_for()
    places = "g => g.pane.places()"
    before, mounted = graph(page, places), graph(page, MOUNTED)
    page.get_by_role("button", name="first_page").click()
    page.get_by_text(re.compile("^step 1 of")).wait_for()
    page.get_by_role("button", name="play_arrow").click()
    page.get_by_text(re.compile(r"^step (\d+) of \1")).wait_for()
    after = graph(page, places)
    assert set(after) == set(before)
    assert all(after[node] == pytest.approx(before[node], abs=1) for node in before)
    assert graph(page, MOUNTED) == mounted


def test_stop_ends_a_hanging_model_and_keeps_the_partial_run(serve, visit, tmp_path):
    with OpenAIServer() as server:
        server.will(ok({"mentions": ["Inception"]}), hang(3600))
        app = serve(
            "app.py",
            KGQA_DATA_DIR=str(tmp_path),
            OPENAI_API_KEY="sk-test",
            OPENAI_BASE_URL=server.url,
            KGQA_MODEL="test-model",
        )
        page = visit().page
        page.goto(app.url)
        page.get_by_label("Method", exact=True).click()
        page.get_by_role("option", name="ReAct", exact=True).click()  # asks for names first
        settled(page)
        page.get_by_label("Model", exact=True).click()
        page.get_by_role("option", name="test-model").click()
        settled(page)
        ask(page)
        page.get_by_role("button", name="Stop").wait_for()
        while len(server.requests) < 2:  # until it hangs in the second call
            page.wait_for_timeout(50)
        page.get_by_text("Find the entities in the question").first.wait_for()
        page.locator(f"{GRAPH}[data-mount]").wait_for()
        mounted = page.locator(GRAPH).evaluate(MOUNTED)
        page.wait_for_timeout(1_500)
        page.get_by_role("button", name="Stop").click()
        page.get_by_text("Stopped by the user").first.wait_for()
        settled(page)
        assert page.locator(GRAPH).evaluate(MOUNTED) == mounted  # however often it was looked at
        assert "Find the entities" in page.content()
        assert "sk-test" not in page.content()


def test_settings_connect_a_model_and_ask_can_use_it(app, visit):
    with OpenAIServer() as server:
        page = visit().page
        page.goto(app.url + "/settings")
        page.get_by_role("textbox", name="Endpoint").fill(server.url)
        page.get_by_role("textbox", name="Key").fill("sk-secret")
        page.get_by_role("button", name="Connect and test").click()
        page.get_by_text(re.compile("answered in")).wait_for()
        settled(page)
        page.get_by_role("link", name="Ask").click()
        page.get_by_role("button", name="Ask", exact=True).wait_for()
        page.get_by_label("Model", exact=True).click()
        page.get_by_role("option", name="gpt-4o-mini").wait_for()
        assert page.get_by_role("option").count() == 2
        assert "sk-secret" not in page.content()


@pytest.mark.parametrize(
    "options",
    [
        {"color_scheme": "dark", "device_scale_factor": 2},
        {"viewport": {"width": 640, "height": 400}},  # 1280 × 800 at 200 %
    ],
)
def test_it_is_readable_in_the_dark_and_enlarged(open_app, options):
    page = open_app("/?run=example-react-what-else-did-the-director-of", **options)
    answered(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("size", [(420, 860), (640, 400)])
def test_what_is_asked_by_is_whole_on_a_small_first_page(open_app, size):
    page = open_app("/", viewport={"width": size[0], "height": size[1]})
    for name in ("method", "graph", "model"):
        box = page.locator(f".st-key-{name}")
        box.wait_for()
        at = box.bounding_box()
        assert at["x"] >= 0
        assert at["x"] + at["width"] <= size[0]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_on_a_phone_the_answer_stands_below_the_question(open_app):
    page = open_app(
        "/?run=example-react-what-else-did-the-director-of", viewport={"width": 420, "height": 860}
    )
    answered(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    button = page.get_by_role("button", name="Ask", exact=True).bounding_box()
    assert button["y"] < page.get_by_label("Question").bounding_box()["y"] + 20  # beside it
    told = page.locator("[class*=st-key-told], [class*=st-key-hero]").bounding_box()
    assert told["y"] < button["y"] + button["height"] + 60  # nothing between question and answer
    for name in ("method", "tune", "graph", "model", "new_question"):  # whole, at the foot
        at = page.locator(f".st-key-{name}").bounding_box()
        assert at["x"] >= 0
        assert at["x"] + at["width"] <= 420
        assert 700 < at["y"] < at["y"] + at["height"] <= 860
    page.get_by_role("button", name="New question").wait_for()
    seen = page.locator(GRAPH).bounding_box()  # then the graph, then the rest
    steps = page.get_by_role("tab", name="Steps").bounding_box()
    assert told["y"] + told["height"] < seen["y"]
    assert seen["y"] + seen["height"] < steps["y"]
