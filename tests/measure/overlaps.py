"""Labels that cover labels and edges that run through nodes, as a browser draws them.

`python -m tests.measure.overlaps` draws 30 graphs, those of the recorded runs and made ones of 5
to 150 nodes: as on a page, with all there is, and as on a phone, and measures the text with the
fonts of this machine. It ends with 1 when a graph of up to 40 nodes has an overlap, or a larger
one more than 2 %.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from functools import partial
from typing import Any

from playwright.sync_api import sync_playwright

from kgqa_core.ask import events
from kgqa_core.ask.events import Answer, Event, Record, Sentence
from kgqa_core.facts.terms import Entity, Relation, Statement
from kgqa_core.history import gallery
from kgqa_core.render.focus import focused
from kgqa_core.render.graph import GraphView, snapshot
from kgqa_core.render.layout import most_abreast, placed
from kgqa_core.render.svg import svg
from tests.screens.browser import FLAGS, installed_browser

MOST_SMALL, SMALL, LARGE = 0.0, 40, 0.02
_WORDS = "river|Adelaide|of|the|Northern|Institute|Wilhelmina|song|castle|an|Ostrander|night"
_MEASURE = """() => {
  const seen = (e) => {
    for (let at = e; at && at.tagName !== "svg"; at = at.parentElement) {
      const style = getComputedStyle(at);
      if (style.display === "none" || Number(style.opacity) === 0) return false;
    }
    return true;
  };
  const texts = [...document.querySelectorAll("text")].filter(seen);
  const boxes = texts.map((e) => e.getBoundingClientRect());
  const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
  let labels = 0;
  boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b) => (labels += meet(a, b))));
  const nodes = [...document.querySelectorAll(".node")].map((e) =>
    [e.dataset.id, e.querySelector(".box").getBoundingClientRect()]);
  let crossed = 0;
  const strokes = document.querySelectorAll(".scene > .line");
  for (const line of strokes) {
    const ends = new Set(JSON.parse(line.dataset.ends).flatMap(([a, b]) => [a, b]));
    const path = line.querySelector(".stroke");
    const to = path.getScreenCTM();
    const others = nodes.filter(([id]) => !ends.has(id)).map(([, box]) => box);
    const long = path.getTotalLength();
    let hit = false;
    for (let at = 0; at <= long && !hit; at += 3) {
      const { x, y } = path.getPointAtLength(at).matrixTransform(to);
      hit = others.some((b) => x > b.left && x < b.right && y > b.top && y < b.bottom);
    }
    crossed += hit;
  }
  return [texts.length, labels, strokes.length, crossed];
}"""


def graphs() -> Iterator[tuple[str, GraphView]]:
    """30 graphs with their names."""
    recorded = [(run_id, records) for run_id, (_, records) in gallery.recorded().items()]
    for run_id, records in recorded[:17]:
        yield run_id, snapshot(records)
    for size in (5, 8, 12, 16, 20, 26, 33, 40, 55, 70, 90, 120, 150):
        yield f"made of {size}", snapshot(list(_made(size)))


def _made(size: int) -> Iterator[Record]:
    """A walk over a graph made by chance, the same each time: a tree with some edges across."""
    chance = random.Random(size)
    words = _WORDS.split("|")
    entities = [
        Entity(
            f"http://example.org/{i}",
            " ".join(chance.choices(words, k=chance.randint(1, 6))),
            chance.choice(["city", "film of 1950", "writer", "company", ""]),
        )
        for i in range(size)
    ]
    relations = [Relation(f"http://example.org/r{i}", f"{w} of") for i, w in enumerate(words)]
    facts = []
    for i in range(1, size):
        other = entities[chance.randint(max(0, i // 5 - 2), i - 1)]
        facts.append(Statement(other, chance.choice(relations), entities[i]))
    for _ in range(size // 6):
        a, b = chance.sample(entities, 2)
        facts.append(Statement(a, chance.choice(relations), b))
    told: list[Event] = [events.Anchored(mention="start", entity=entities[0])]
    told += [events.Expanded(entities=(f.subject,), statements=(f,)) for f in facts]
    told.append(events.Chosen(statements=tuple(facts[::2])))
    sentence = Sentence(text="So.", cites=(0,))
    answer = Answer(sentences=(sentence,), values=(entities[-1],), citations=(facts[-1],))
    told.append(events.Answered(answer=answer))
    for seq, event in enumerate(told):
        yield Record(seq=seq, step=0, at_s=0.0, event=event)


def _abreast(whole: GraphView, most: int) -> GraphView:
    return focused(whole, most=most)


def main() -> int:
    bad = 0
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=installed_browser(), args=list(FLAGS))
        page = browser.new_page()
        print(
            f"{'graph':49} {'nodes':>6} {'labels':>7} {'overlaps':>9} {'edges':>6} {'crossed':>10}"
        )
        for name, whole in graphs():
            for how, view, tall in (
                ("path", focused(whole), False),
                ("all", focused(whole, everything=True), False),
                ("tall", focused(whole, most=most_abreast(partial(_abreast, whole))), True),
            ):
                page.set_content(svg(view, placed(view, tall=tall), alone=True))
                labels, over, lines, crossed = measured(page)
                size = len(whole.nodes)
                most = MOST_SMALL if size <= SMALL else LARGE
                wrong = over > most * labels or crossed > most * lines
                bad += wrong
                print(
                    f"{name[:44]:44} {how:4} {size:6} {labels:7} {over:9} {lines:6} {crossed:10}"
                    f"{'  too many' if wrong else ''}"
                )
        browser.close()
    return int(bool(bad))


def measured(page: Any) -> tuple[int, int, int, int]:
    """Labels seen, pairs of them that overlap, lines, lines that run through a node."""
    labels, over, lines, crossed = page.evaluate(_MEASURE)
    return labels, over, lines, crossed


if __name__ == "__main__":
    sys.exit(main())
