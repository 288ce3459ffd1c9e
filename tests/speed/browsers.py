"""Real browsers among the visitors of `load`: what they see go wrong, and how long a page takes.

Each is a visitor with cookies of its own, who asks by ReAct and a model, watches to the end, steps
and slides along the run, compares two methods, and opens the runs.
"""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections.abc import Awaitable, Callable, Sequence

from playwright.async_api import Browser, ConsoleMessage, Page, async_playwright, expect

from tests.screens.browser import FLAGS, PATIENCE_MS, installed_browser

TOLD = "in a browser, "
_ICONS = (("first_page", r"^step 1 of"), ("chevron_right", r"^step 2 of"))
_RUNS = "() => new URLSearchParams(location.search).get('{name}') ?? ''"


class Visit:
    """One browser's page. `asked` and `ended` are runs, `wrong` is what the page complained of."""

    def __init__(self, page: Page, times: dict[str, list[float]]) -> None:
        self._page, self._times = page, times
        self.asked = self.ended = 0
        self.wrong: list[str] = []
        page.set_default_timeout(PATIENCE_MS)
        page.on("pageerror", lambda error: self.wrong.append(f"script: {error}"[:200]))
        page.on("console", self._heard)

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type == "error" or "delta path" in message.text:
            self.wrong.append(f"console: {message.text}"[:200])

    async def open(self, url: str) -> None:
        await self._page.goto(url)
        await self._page.get_by_label("Question").wait_for()
        await self._choose("Method", "ReAct")
        await self._choose("Model", re.compile("^(?!.*reader)"))

    async def _choose(self, box: str, option: str | re.Pattern[str]) -> None:
        await self._page.get_by_label(box, exact=True).click()
        exact = isinstance(option, str)
        await self._page.get_by_role("option", name=option, exact=exact).first.click()
        await self._rest()

    async def ask(self, question: str) -> None:
        self.asked += 1
        await self._typed("ask", question, "run")
        await self._to_the_end(1)

    async def compare(self, question: str) -> None:
        await self._turn_to("Compare")
        self.asked += 2
        await self._typed("compare", question, "runs")
        await self._to_the_end(2)
        await self._turn_to("Ask")

    async def scrub(self, chance: random.Random) -> None:
        """By buttons and by the slider; a run of one step has neither."""
        page = self._page
        slider = page.get_by_role("slider")
        if not await slider.count():
            return
        for icon, then in _ICONS:
            button = page.get_by_role("button", name=icon)
            if await button.is_enabled():
                await self._timed("step or slide", button.click, self._seen(then))
        for key, then in chance.sample([("Home", r"^step 1 of"), ("End", r"^step (\d+) of \1")], 2):
            await self._timed("step or slide", lambda key=key: slider.press(key), self._seen(then))

    async def look_at_runs(self) -> None:
        await self._turn_to("Runs")
        await self._turn_to("Ask")

    async def judge(self) -> None:
        """What stands on the page and should not."""
        for told in await self._page.locator("[data-testid=stException]").all_inner_texts():
            self.wrong.append(f"page: {told}"[:200])

    async def _typed(self, what: str, question: str, name: str) -> None:
        """A question, until the address names what came of it."""
        before = await self._page.evaluate(_RUNS.format(name=name))
        box = self._page.get_by_label("Question")
        await box.fill(question)
        changed = f"(before) => ![before, ''].includes(({_RUNS.format(name=name)})())"
        await self._timed(
            what,
            lambda: box.press("Enter"),
            lambda: self._page.wait_for_function(changed, arg=before),
        )

    async def _to_the_end(self, runs: int) -> None:
        await self._rest()
        stop = self._page.get_by_role("button", name=re.compile("^Stop|stop$"))
        await expect(stop).to_have_count(0, timeout=PATIENCE_MS)
        await self._rest()
        self.ended += runs

    async def _turn_to(self, name: str) -> None:
        link = self._page.get_by_role("link", name=name, exact=True).first
        path = "" if name == "Ask" else name.lower()
        await self._timed(
            "another page",
            link.click,
            lambda: self._page.wait_for_url(re.compile(rf"//[^/]+/{path}(\?.*)?$")),
        )
        await self._rest()

    async def _rest(self) -> None:
        """Until the server has nothing more to send."""
        await self._page.wait_for_timeout(300)
        await self._page.locator("[data-test-script-state=notRunning]").wait_for()

    def _seen(self, text: str) -> Callable[[], Awaitable[object]]:
        return self._page.get_by_text(re.compile(text)).first.wait_for

    async def _timed(
        self,
        what: str,
        click: Callable[[], Awaitable[object]],
        then: Callable[[], Awaitable[object]],
    ) -> None:
        began = time.monotonic()
        await click()
        await then()
        self._times.setdefault(TOLD + what, []).append(time.monotonic() - began)


async def visits(
    url: str,
    browsers: int,
    until: float,
    questions: Sequence[str],
    think_s: tuple[float, float],
    times: dict[str, list[float]],
) -> list[Visit]:
    """All of them at once, each as long as there is time; what they saw."""
    async with async_playwright() as driver:
        chromium = await driver.chromium.launch(
            executable_path=installed_browser(), args=list(FLAGS), timeout=PATIENCE_MS
        )
        made = [await _made(chromium, times) for _ in range(browsers)]
        await asyncio.gather(
            *(_lived(one, n, url, until, questions, think_s) for n, one in enumerate(made))
        )
        await chromium.close()
    return made


async def _made(chromium: Browser, times: dict[str, list[float]]) -> Visit:
    context = await chromium.new_context(viewport={"width": 1280, "height": 800})
    return Visit(await context.new_page(), times)


async def _lived(
    one: Visit,
    number: int,
    url: str,
    until: float,
    questions: Sequence[str],
    think_s: tuple[float, float],
) -> None:
    chance = random.Random(1_000 + number)

    async def think() -> None:
        await asyncio.sleep(chance.uniform(*think_s))

    try:
        await one.open(url)
        while time.monotonic() < until:
            await one.ask(chance.choice(questions))
            await think()
            await one.scrub(chance)
            await one.judge()
            await think()
            if chance.random() < 0.2:
                await one.look_at_runs()
            if chance.random() < 0.3:
                await one.compare(chance.choice(questions))
                await one.judge()
                await think()
    except Exception as error:
        one.wrong.append(f"{type(error).__name__}: {error}"[:300])
