"""The interactive file: within it all it needs, and labels that stay text."""

import re

import pytest

from kgqa_core.render.graph import GraphView, snapshot
from kgqa_core.render.pyvis_page import interactive_html
from tests.screens.graph_story import hostile, recorded, story


def test_nothing_is_loaded_from_anywhere_and_nothing_is_let_out():
    page = interactive_html(snapshot(recorded(story())))
    markup = re.sub(r"(<script[^>]*>).*?</script>", r"\\1", page, flags=re.DOTALL)
    assert not re.search(r"<(?:script|link|img)[^>]*(?:src|href)=", markup)
    assert "default-src 'none'" in markup
    assert "Douglas Sirk" in page
    assert "<h1>" not in markup


def test_labels_are_data_of_a_script_that_they_cannot_end():
    page = interactive_html(snapshot(recorded(hostile())))
    assert "<img src=x" not in page
    assert "</script><script>window.pwned" not in page
    assert "popup.innerHTML" not in page  # how pyvis shows a title with a link in it
    assert "onload=window.pwned" not in re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)


def test_an_empty_graph_is_a_page_too():
    assert "vis.Network" in interactive_html(GraphView())


@pytest.mark.browser
def test_hostile_labels_are_inert_where_they_are_drawn_without_a_network(visit, tmp_path):
    file = tmp_path / "graph.html"
    file.write_text(interactive_html(snapshot(recorded(hostile()))), encoding="utf-8")
    visitor = visit(offline=True)
    refused: list[str] = []
    visitor.page.on("console", lambda message: refused.append(message.text))
    page = visitor.page
    page.goto(file.as_uri())
    page.locator("#mynetwork canvas").wait_for()
    count = page.evaluate("network.body.data.nodes.length")
    assert count >= 6
    tip = page.locator(".vis-tooltip")
    box = page.locator("#mynetwork").bounding_box()
    for n in range(60):  # the picture may still be fitted into the window
        at = page.evaluate(
            """() => {
                const id = network.body.data.nodes.getIds()[0];
                return network.canvasToDOM(network.getPositions([id])[id]);
            }"""
        )
        page.mouse.move(box["x"] + at["x"] + n % 3, box["y"] + at["y"])
        page.wait_for_timeout(500)
        if tip.is_visible():
            break
    assert tip.inner_text().startswith("<img src=x onerror=")
    assert page.evaluate("window.pwned") is None
    assert page.locator("#mynetwork img").count() == 0
    assert refused == []
