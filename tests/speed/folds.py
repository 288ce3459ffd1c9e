"""What every look at a run costs: the graph folded from its events, and names looked up.

`python -m tests.speed.folds`; fails when the fold stops being linear in the events.
"""

from __future__ import annotations

import random
import time

from kgqa_core.ask import events
from kgqa_core.ask.events import Event
from kgqa_core.kg.labels import LabelIndex, Name
from kgqa_core.render.graph import snapshot
from tests.screens.graph_story import entity, fact, recorded

MOST_GROWTH = 8.0  # four times the events take at most so many times as long


def told(count: int) -> list[Event]:
    """So many events: a hub is expanded by ten facts, nine of them are pruned."""
    out: list[Event] = []
    for i in range(count // 2):
        hub = entity(i % 97, "hub")
        facts = tuple(fact(hub, f"r{j}", entity(1000 + 7 * i + j, "n")) for j in range(10))
        out += [events.Expanded(entities=(hub,), statements=facts)]
        out += [events.Pruned(statements=facts[1:])]
    return out


def folding(count: int) -> float:
    """Seconds to fold so many events, the best of three."""
    records = recorded(told(count))
    best = float("inf")
    for _ in range(3):
        started = time.perf_counter()
        snapshot(records)
        best = min(best, time.perf_counter() - started)
    return best


def looking_up(size: int) -> float:
    """Seconds to look up one name among so many, half of them with a typing error."""
    rng = random.Random(3)
    words = [
        "".join(rng.choices("abcdefghijklmnoprstuvw", k=rng.randint(4, 9))) for _ in range(size)
    ]
    texts = [" ".join(rng.choices(words, k=rng.randint(1, 4))) for _ in range(size)]
    index = LabelIndex(Name(str(i), text, alias=False) for i, text in enumerate(texts))
    mentions = rng.sample(texts, 40)
    misspelt = [text[:3] + "x" + text[4:] for text in mentions]
    started = time.perf_counter()
    for mention in mentions + misspelt:
        index.find(mention)
    return (time.perf_counter() - started) / 80


def main() -> int:
    times = {count: folding(count) for count in (500, 2_000)}
    for count, seconds in times.items():
        print(f"graph of a run of {count:5,} events  {seconds * 1000:8.1f} ms")
    for size in (2_000, 100_000):
        print(f"one name among {size:9,}       {looking_up(size) * 1000:8.2f} ms")
    if times[2_000] > MOST_GROWTH * times[500]:
        print("folding is no longer linear in the number of events")
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
