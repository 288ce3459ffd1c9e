"""The live graph in a real browser."""

from __future__ import annotations

import re

import pytest

from tests.screens.browser import at_rest
from tests.screens.graph_story import ABOUT_SIRK, FILM, SIRK

pytestmark = pytest.mark.browser

GRAPH = ".graph.has-nodes"


@pytest.fixture
def demo(serve, visit):
    app = serve("tests/screens/graph_demo_app.py")

    def opened(query: str = "", **options):
        page = visit(**options).page
        page.goto(f"{app.url}/?{query}")
        page.wait_for_selector(".graph[data-mount]")
        return page

    return opened


def step_to(page, number):
    page.get_by_role("button", name="Next", exact=True).click()
    page.get_by_text(f"step {number}", exact=True).wait_for()


def state(page):
    """Places, zoom and mount of the graph, once it has come to rest."""
    at_rest(page.locator(GRAPH))
    return page.locator(GRAPH).evaluate(
        """(graph) => ({
            mount: graph.dataset.mount,
            scale: graph.pane.view.scale,
            view: { x: graph.pane.view.x, y: graph.pane.view.y },
            places: graph.pane.places(),
        })"""
    )


def part(page, node_id):
    return page.locator(f'.node[data-id="{node_id}"], .row[data-id="{node_id}"]')


def test_it_says_what_will_appear(demo):
    page = demo("step=0")
    assert page.get_by_text("The graph appears here as the method walks it.").is_visible()


def test_many_updates_are_one_mount_and_what_is_chosen_stays_in_its_row(demo):
    page = demo("step=5", reduced_motion="no-preference")
    page.wait_for_selector(GRAPH)
    first = state(page)
    for number in range(6, 9):
        step_to(page, number)
    then = state(page)
    assert then["mount"] == first["mount"]
    assert then["places"][FILM.id][0] == first["places"][FILM.id][0]


def test_the_zoom_the_user_chose_is_kept(demo):
    page = demo("step=5")
    page.wait_for_selector(GRAPH)
    state(page)
    for _ in range(2):
        page.get_by_role("button", name="Zoom in").click()
    zoomed = state(page)
    for number in range(6, 10):
        step_to(page, number)
    page.get_by_text("Light the director up").click()
    then = state(page)
    assert then["scale"] == pytest.approx(zoomed["scale"])
    page.get_by_role("button", name="Fit the graph").click()
    assert state(page)["scale"] != pytest.approx(zoomed["scale"])


def test_places_and_zoom_outlive_the_component(demo):
    page = demo("step=9")
    page.wait_for_selector(GRAPH)
    page.get_by_role("button", name="Zoom in").click()
    before = state(page)
    page.get_by_text("Take the graph off the page").click()
    page.locator(".graph").wait_for(state="detached")
    page.get_by_text("Take the graph off the page").click()
    page.wait_for_selector(GRAPH)
    after = state(page)
    assert after["mount"] != before["mount"]
    assert after["places"] == before["places"]
    assert after["scale"] == pytest.approx(before["scale"])
    assert after["view"] == pytest.approx(before["view"], abs=1)


def test_hundreds_of_nodes_are_drawn_at_once(demo):
    page = demo("story=crowd&step=82")
    page.wait_for_selector(GRAPH)
    state(page)
    assert page.locator(".row").count() + page.locator(".node").count() > 100


def test_a_click_reaches_python_and_moves_nothing(demo):
    page = demo("step=9")
    page.wait_for_selector(GRAPH)
    before = state(page)
    part(page, SIRK.id).click()
    page.get_by_text(f"picked {SIRK.id}").wait_for()
    assert page.get_by_text(f"facts {len(ABOUT_SIRK)}").is_visible()
    after = state(page)
    assert after == before
    box = part(page, FILM.id).locator(".box").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 6)
    page.mouse.down()
    page.locator(GRAPH).evaluate("(graph) => graph.pane.draw(graph.pane.text)")  # newer data
    page.mouse.up()
    page.get_by_text(f"picked {FILM.id}").wait_for()


def test_hostile_labels_are_inert(demo):
    page = demo("story=hostile&step=3")
    page.wait_for_selector(GRAPH)
    state(page)
    for one in page.locator(".node").all():
        one.hover(force=True)
    part(page, "http://www.wikidata.org/entity/Q1").first.hover()
    tip = page.locator(".tip")
    tip.wait_for()
    assert "<img src=x onerror=" in tip.inner_text()
    assert page.evaluate("window.pwned") is None
    assert page.locator(".graph img").count() == 0


def test_those_who_prefer_less_motion_see_no_animation(demo):
    page = demo("step=4")
    step_to(page, 5)
    page.wait_for_selector(GRAPH)
    assert page.locator(GRAPH).evaluate("(graph) => !graph.pane.inMotion")


def test_half_the_width_still_holds_everything(demo):
    page = demo("step=16", viewport={"width": 640, "height": 400})  # 1280 × 800 at 200 %
    page.wait_for_selector(GRAPH)
    state(page)
    graph = page.locator(GRAPH).bounding_box()
    for name in ("Full screen", "Fit the graph", "Zoom in"):
        box = page.get_by_role("button", name=name).bounding_box()
        assert box["x"] + box["width"] <= graph["x"] + graph["width"]


def test_on_a_phone_the_legend_covers_no_node(demo):
    page = demo("step=16", viewport={"width": 420, "height": 860})
    page.wait_for_selector(GRAPH)
    state(page)
    legend, stage = page.locator(f"{GRAPH} .legend"), page.locator(f"{GRAPH} .stage")
    for _ in ("closed", "open"):
        seen, drawn = legend.bounding_box(), stage.bounding_box()
        assert seen["y"] >= drawn["y"] + drawn["height"] - 1
        legend.locator("summary").click()


def test_on_a_phone_every_name_can_be_read_and_a_finger_moves_the_graph(demo):
    page = demo("step=16", viewport={"width": 420, "height": 860}, has_touch=True)
    page.locator(f"{GRAPH}.tall").wait_for()
    state(page)
    smallest = """(g) => Math.min(...[...g.querySelectorAll('.stage text')]
        .filter((text) => text.getBoundingClientRect().height)
        .map((text) => parseFloat(getComputedStyle(text).fontSize) * g.pane.view.scale))"""
    assert page.locator(GRAPH).evaluate(smallest) >= 11
    places = state(page)["places"]
    assert places[FILM.id][1] < places[SIRK.id][1]  # from the top down
    picture, stage = page.locator(f"{GRAPH} .scene"), page.locator(f"{GRAPH} .stage")
    assert picture.bounding_box()["height"] <= stage.bounding_box()["height"] + 1
    fingers = """(stage, moves) => moves.forEach(([type, id, x, y]) =>
        stage.dispatchEvent(new PointerEvent(type, {
            pointerId: id, clientX: x, clientY: y, pointerType: "touch",
                bubbles: true, composed: true,
        })))"""
    before = state(page)
    one = [
        ["pointerdown", 1, 200, 300],
        ["pointermove", 1, 240, 300],
        ["pointercancel", 1, 240, 300],
    ]
    stage.evaluate(fingers, one)
    assert state(page)["view"]["x"] == pytest.approx(before["view"]["x"] + 40, abs=1)
    stage.evaluate(fingers, [["pointermove", 1, 300, 300]])  # lifted
    assert state(page)["view"]["x"] == pytest.approx(before["view"]["x"] + 40, abs=1)
    two = [
        *(["pointerdown", 1, 200, 300], ["pointerdown", 2, 240, 300]),
        *(["pointermove", 2, 280, 300], ["pointerup", 1, 200, 300], ["pointerup", 2, 280, 300]),
    ]
    stage.evaluate(fingers, two)
    assert state(page)["scale"] == pytest.approx(2 * before["scale"], rel=0.01)


def test_names_are_hidden_the_wheel_scrolls_keys_zoom_and_a_search_ends_where_it_began(demo):
    page = demo("step=9")
    page.wait_for_selector(GRAPH)
    before = state(page)
    labels = """(g) => [...g.querySelectorAll('.name > text')]
        .filter((text) => getComputedStyle(text).opacity > 0).length"""
    named = page.locator(GRAPH).evaluate(labels)
    assert named > 0
    for shown in (0, named):
        page.get_by_role("button", name="Relations").click()
        state(page)
        assert page.locator(GRAPH).evaluate(labels) == shown

    page.get_by_role("button", name="Zoom out").focus()  # not within the picture
    box = page.locator(".stage").bounding_box()
    x, y = box["x"] + 20, box["y"] + 20
    page.mouse.move(x, y)
    page.mouse.wheel(0, -300)
    assert state(page)["scale"] == before["scale"]  # the page scrolls
    page.mouse.click(x, y)
    page.mouse.wheel(0, -300)
    assert state(page)["scale"] > before["scale"]

    page.locator(".stage").focus()
    page.keyboard.press("0")
    assert state(page)["scale"] == pytest.approx(before["scale"], rel=0.02)
    page.keyboard.press("+")
    assert state(page)["scale"] > before["scale"]
    page.keyboard.press("0")
    before = state(page)

    assert "Written on the Wind" in page.locator(".stage").get_attribute("aria-label")
    box = page.get_by_label("Find a node in the graph")
    box.fill("film")  # stands in the descriptions of nearly all
    calls = "(g) => g.pane.matches.map(e => e.dataset.title.split('\\n')[0].toLowerCase())"
    found = page.locator(GRAPH).evaluate(calls)
    assert found == [name for name in found if "film" in name]
    box.fill("douglas sirk")
    assert page.get_by_text(re.compile(r"^[1-9]\d* found")).is_visible()
    box.press("Enter")
    assert state(page)["view"] != before["view"]
    box.fill("")
    after = state(page)
    assert after["scale"] == pytest.approx(before["scale"], rel=0.02)
    assert after["view"] == pytest.approx(before["view"], abs=2)


def test_what_is_cited_listed_folded_and_downloaded_in_the_dark(demo):
    page = demo("step=16", color_scheme="dark")
    page.wait_for_selector(GRAPH)
    state(page)
    ring = page.locator(".node.anchor .box").first
    assert ring.evaluate("(e) => getComputedStyle(e).stroke") == "rgb(108, 180, 255)"
    wide = page.locator(GRAPH).evaluate("(graph) => graph.pane.extent.w")
    page.get_by_label("Download the picture").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="PNG").click()
    png = download.value.path().read_bytes()
    assert png.startswith(b"\x89PNG")
    assert int.from_bytes(png[16:20], "big") == pytest.approx(2 * wide, abs=2)
    page.get_by_label("Download the picture").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="SVG").click()
    text = download.value.path().read_text()
    assert "Douglas Sirk" in text
    assert ".kg .node" in text

    page.get_by_text("Light the director up").click()
    state(page)
    lit = page.locator(GRAPH).evaluate("(graph) => [...new Set(graph.pane.lit)].sort()")
    assert lit == sorted([FILM.id, SIRK.id])
    page.get_by_role("button", name="List").press("Enter")
    page.get_by_role("button", name="Written on the Wind — director — Douglas Sirk").press("Enter")
    page.get_by_text("picked fact:").wait_for()
    page.get_by_role("button", name="List").press("Enter")

    before = int(page.locator(GRAPH).get_attribute("data-nodes"))
    page.locator(".fold").first.click()
    page.get_by_text("− fold").wait_for()
    assert int(page.locator(GRAPH).get_attribute("data-nodes")) > before
    page.get_by_role("button", name="Show all").click()
    page.locator(".kg.faded").wait_for()
