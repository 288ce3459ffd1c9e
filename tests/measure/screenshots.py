"""Takes the pictures of README and docs from the running app: `make screenshots`."""

from __future__ import annotations

import io
import re
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from tests.screens.browser import FLAGS, ROOT, App, installed_browser

FOLDER = ROOT / "docs" / "pictures"
QUESTION = "What else did the director of Written on the Wind make?"
RUN = "/?run=example-react-how-many-grandchildren-did-jacques"
PAGES = {
    "ask": RUN,
    "axioms": "/?run=example-r3-was-jacques-cousteau-alive-when-world",
    "corrections": "/?run=example-pgakv-where-was-the-director-of-inception",
    "first": "/",
    "runs": "/runs",
    "graphs": "/graphs",
    "benchmarks": "/benchmarks",
    "templates": "/templates",
    "preferences": "/preferences",
    "settings": "/settings",
}
FRAME_MS, LAST_MS, WIDE = 1100, 3500, 900


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as data, sync_playwright() as driver:
        app = App(
            "app.py",
            Path(data) / "streamlit.log",
            KGQA_DATA_DIR=data,
            OPENAI_API_KEY="",
            OPENAI_BASE_URL="",
        )
        browser = driver.chromium.launch(executable_path=installed_browser(), args=list(FLAGS))
        try:
            shoot_compare(browser, app.url)
            shoot_fork(browser, app.url)
            for name, path in PAGES.items():
                keep(opened(browser, app.url + path), name)
            keep(opened(browser, app.url + RUN, color_scheme="dark"), "ask-dark")
            phone = {"width": 420, "height": 860}
            keep(opened(browser, app.url + RUN, viewport=phone), "phone")
            shoot_explore(browser, app.url)
            shoot_walk(browser, app.url)
        finally:
            browser.close()
            app.stop()


def opened(browser: Browser, url: str, **options: object) -> Page:
    usual = {"viewport": {"width": 1280, "height": 800}, "reduced_motion": "reduce"}
    page = browser.new_page(**{**usual, **options})  # type: ignore[arg-type]
    page.goto(url)
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
    return page


def keep(page: Page, name: str) -> None:
    page.mouse.move(2, 2)
    page.wait_for_timeout(9_000)  # the encoder is ready, the graph at rest
    picture = Image.open(io.BytesIO(page.screenshot()))
    picture.quantize(128, dither=Image.Dither.NONE).save(FOLDER / f"{name}.png", optimize=True)
    page.close()


def shoot_fork(browser: Browser, url: str) -> None:
    """The answer again, without the fact that it rests on."""
    page = opened(browser, url)
    ask(page, "Who directed Inception?")
    page.get_by_text("From the graph").first.wait_for(timeout=60_000)
    page.get_by_role("button", name="leave out").first.click()
    page.get_by_role("button", name="Ask again without it").click()
    page.get_by_text("The answer depended on it").wait_for(timeout=60_000)
    keep(page, "fork")


def shoot_compare(browser: Browser, url: str) -> None:
    page = opened(browser, f"{url}/compare")
    ask(page, QUESTION)
    page.get_by_text(re.compile("agree|Only|different answers")).first.wait_for(timeout=60_000)
    keep(page, "compare")


def shoot_explore(browser: Browser, url: str) -> None:
    page = opened(browser, f"{url}/explore")
    page.get_by_role("button", name="Albert Einstein").click()
    page.get_by_role("button", name=re.compile("award received")).first.click()
    keep(page, "explore")


def ask(page: Page, question: str) -> None:
    page.get_by_label("Question").fill(question)
    page.keyboard.press("Enter")


def shoot_walk(browser: Browser, url: str) -> None:
    """A run step by step, as one short moving picture."""
    page = opened(browser, url + RUN)
    page.get_by_role("slider").wait_for()
    steps = int(page.get_by_role("slider").get_attribute("aria-valuemax") or 1)
    page.close()
    frames = []
    for step in range(1, steps + 1):
        page = opened(browser, f"{url}{RUN}&step={step}")
        page.locator(".graph.has-nodes .scene").wait_for()
        page.mouse.move(2, 2)
        page.wait_for_timeout(3_000)
        frame = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
        small = frame.resize((WIDE, WIDE * frame.height // frame.width), Image.Resampling.LANCZOS)
        frames.append(small.quantize(96, dither=Image.Dither.NONE))
        page.close()
    times = [FRAME_MS] * (len(frames) - 1) + [LAST_MS]
    frames[0].save(
        FOLDER / "walk.gif",
        save_all=True,
        append_images=frames[1:],
        duration=times,
        loop=0,
        optimize=True,
    )


if __name__ == "__main__":
    main()
