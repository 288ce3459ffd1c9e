"""People who click on before the page is there: each message still has its place on the page.

"Cannot set a node at a delta path" leaves a browser's page dead until it is reloaded; here the
page is kept as a browser keeps it, and every message is put into it.
"""

from __future__ import annotations

import asyncio
import random
import re
import sys
from pathlib import Path

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue

from kgqa_core.screens import mended
from tests.client import Client, Node, PageFault, Tree, connected

QUESTIONS = ("Who directed Alien?", "Which countries border France?", "How high is Mont Blanc?")
PAGES = ("", "compare", "runs", "explore", "")


async def impatient(port: int, seed: int, clicks: int) -> Client:
    """Asks, stops, steps, slides, turns pages, mostly without waiting for the page."""
    chance = random.Random(seed)
    async with connected(port) as socket:
        client = Client(socket)
        await client.click()
        await client.click({"question": chance.choice(QUESTIONS)}, press="ask_button")
        for _ in range(clicks):
            await one_click(client, chance)
            await client.rest(chance.choice((0.0, 0.0, 0.05, 0.4)))
        await client.turn_to("")
        await client.rest(1.0)
    return client


async def one_click(client: Client, chance: random.Random) -> None:
    kind = chance.random()
    of_runs = [
        name
        for name in client.widgets
        if name.split(":")[0] in ("back", "first", "last", "next", "play", "stop", "skip")
    ]
    sliders = [name for name in client.widgets if name.startswith("slider:")]
    if kind < 0.3 and client.again:
        await client.send(fragment=next(iter(client.again)))
    elif kind < 0.45 and "question" in client.widgets:
        await client.send({"question": chance.choice(QUESTIONS)}, press="ask_button")
    elif kind < 0.6 and of_runs:
        await client.send(press=chance.choice(of_runs))
    elif kind < 0.7 and sliders:
        await client.send({chance.choice(sliders): 1.0})
    elif kind < 0.85:
        client.go_to(chance.choice(PAGES))
        await client.send()
    else:
        await client.send()


@pytest.mark.server
def test_each_message_has_its_place_whatever_is_clicked_meanwhile(serve, tmp_path):
    app = serve(
        "app.py",
        KGQA_DATA_DIR=str(tmp_path),
        KGQA_BUILD_INDEX="0",
        OPENAI_API_KEY="",
        OPENAI_BASE_URL="",
    )
    port = int(app.url.rpartition(":")[2])

    async def all_of_them() -> list[Client]:
        return await asyncio.gather(*(impatient(port, seed, 25) for seed in (1, 2)))

    for client in asyncio.run(all_of_them()):
        assert client.faults == []
        assert client.errors == []
        assert client.ended >= 3


@pytest.mark.server
@pytest.mark.parametrize(
    ("page", "box", "button"),
    [("", "question", "ask_button"), ("compare", "compare_question", "compare_button")],
)
def test_what_was_asked_before_is_gone_as_soon_as_something_else_is_asked(
    serve, tmp_path, page, box, button
):
    app = serve(
        "app.py",
        KGQA_DATA_DIR=str(tmp_path),
        KGQA_BUILD_INDEX="0",
        OPENAI_API_KEY="",
        OPENAI_BASE_URL="",
    )

    def drawn(client: Client) -> set[str]:
        return {name for name in client.widgets if re.match(r"graph:|compare:.*:graph:", name)}

    async def twice() -> list[set[str]]:
        async with connected(int(app.url.rpartition(":")[2])) as socket:
            client = Client(socket)
            await client.click()
            await client.turn_to(page)
            await client.click({box: QUESTIONS[0]}, press=button)
            while client.again:  # until it is over
                await client.click(fragment=next(iter(client.again)))
            before, seen = drawn(client), []
            await client.send({box: QUESTIONS[1]}, press=button)
            while not seen or seen[-1] <= before:
                await client.take()
                seen.append(drawn(client))
            return [some & before for some in seen]

    seen = asyncio.run(twice())
    assert seen[0]
    assert not seen[-1]  # as the first of what is new is there


@pytest.mark.server
@pytest.mark.parametrize("environment", [{"MENDED": "1"}, {}], ids=["mended", "as it comes"])
def test_a_part_is_drawn_again_only_once_the_page_around_it_was_sent(serve, environment):
    app = serve(Path(__file__).parent / "late_app.py", **environment)
    client = asyncio.run(early(int(app.url.rpartition(":")[2])))
    assert bool(client.faults) is not bool(environment)
    assert client.errors == []


async def early(port: int) -> Client:
    """Asks for a part of the page again before the page was sent."""
    async with connected(port) as socket:
        client = Client(socket)
        await client.click()
        part = next(iter(client.again))
        await client.click()  # an empty page
        await client.send()
        await client.send(fragment=part)
        while client.ended < 4 and not client.faults:
            await client.take()
    return client


class Sent:
    """A socket that has what a server's queue let through."""

    def __init__(self, messages):
        self._messages = iter(messages)

    async def recv(self):
        return next(self._messages).SerializeToString()


def begun(run, *fragments):
    message = ForwardMsg()
    message.new_session.main_script_hash = "main"
    message.metadata.run.script_run_id = run
    message.metadata.run.fragment_ids.extend(fragments)
    return message


def ended(run, *fragments):
    message = begun(run, *fragments)
    whole = ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY
    message.script_finished = whole if fragments else ForwardMsg.FINISHED_SUCCESSFULLY
    return message


def block(*path, part=""):
    message = ForwardMsg()
    message.delta.add_block.flex_container.SetInParent()
    message.delta.fragment_id = part
    message.metadata.delta_path.extend(path)
    return message


def text(*path, part="", again=False):
    """`again`: what the browser has already, only named."""
    message = ForwardMsg()
    if again:
        message.ref_hash = "known"
    else:
        message.delta.new_element.markdown.body = "a text"
        message.delta.fragment_id = part
        message.hash = "known"
    message.metadata.delta_path.extend(path)
    return message


@pytest.mark.parametrize("above", [0, 1])
@pytest.mark.parametrize("is_mended", [True, False])
def test_a_part_drawn_again_before_it_was_sent_has_its_place(monkeypatch, is_mended, above):
    """Of a page with less on it before: the part, and what stands after it, are new."""
    mended.let_parts_arrive()
    if not is_mended:
        as_it_comes = ForwardMsgQueue.clear.as_it_comes
        monkeypatch.setattr(ForwardMsgQueue, "clear", as_it_comes)
    queue = ForwardMsgQueue()

    def drawn(run, *fragments):
        queue.clear(retain_lifecycle_msgs=True, fragment_ids_this_run=list(fragments) or None)
        queue.enqueue(begun(run, *fragments))
        if not fragments:
            queue.enqueue(text(0, 0))
        queue.enqueue(block(0, 1, part="part"))
        queue.enqueue(text(0, 1, 0, part="part", again=True))
        if not fragments and above:
            queue.enqueue(block(0, 2, part="another part"))
        queue.enqueue(ended(run, *fragments))

    for message in (begun("first"), text(0, 0), ended("first")):
        queue.enqueue(message)
    sent = queue.flush()
    drawn("whole page")
    drawn("once more", "part")
    drawn("twice more", "part")
    sent += queue.flush()

    async def taken():
        client = Client(Sent(sent))
        for _ in sent:
            await client.take()
        return client

    client = asyncio.run(taken())
    assert bool(client.faults) is not is_mended
    assert client._tree.at([0, 1, 0]) or not is_mended


def test_a_message_that_has_no_place_is_noticed():
    tree = Tree()
    tree.put([0, 0], Node("a", children=[]))
    tree.put([0, 0, 0], Node("a"))
    with pytest.raises(PageFault, match="delta path: "):
        tree.put([0, 1, 0], Node("a"))
    with pytest.raises(PageFault, match="index 2 of 1"):
        tree.put([0, 2], Node("a"))


def test_what_a_run_has_not_drawn_again_goes():
    tree = Tree()
    for index in range(3):
        tree.put([0, index], Node("a"))
    tree.put([0, 0], Node("b"))
    tree.sweep("b", [])
    assert tree.at([0, 0])
    assert not tree.at([0, 1])


if __name__ == "__main__":  # PORT VISITORS CLICKS: for longer, against an app that runs
    port, visitors, clicks = map(int, sys.argv[1:])

    async def longer() -> None:
        for client in await asyncio.gather(
            *(impatient(port, seed, clicks) for seed in range(visitors))
        ):
            print(client.ended, client.faults[:3], client.errors[:3])

    asyncio.run(longer())
