"""Takes the README's pictures from the running app: `make screenshots`."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from tests.screens.browser import FLAGS, ROOT, App, installed_browser

FOLDER = ROOT / "assets" / "screenshots"
QUESTION = "What else did the director of Written on the Wind make?"


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
            shoot(browser, app.url, "ask", "light")
            shoot(browser, app.url, "ask-dark", "dark")
            shoot_fork(browser, app.url)
            shoot_compare(browser, app.url)
            shoot_runs(browser, app.url)
        finally:
            browser.close()
            app.stop()


def shoot(browser: Browser, url: str, name: str, scheme: str) -> None:
    page = browser.new_page(
        viewport={"width": 1280, "height": 800},
        color_scheme=scheme,  # type: ignore[arg-type]
    )
    page.goto(url)
    page.get_by_label("Question").fill(QUESTION)
    page.keyboard.press("Enter")
    page.get_by_text(re.compile("(?i)from the graph")).first.wait_for(timeout=60_000)
    page.get_by_text(re.compile("^step ")).wait_for()
    page.mouse.click(1100, 30)  # no field in focus
    page.wait_for_timeout(8_000)  # the encoder is ready, the graph at rest
    page.screenshot(path=FOLDER / f"{name}.png")
    page.close()


def shoot_fork(browser: Browser, url: str) -> None:
    """The answer again, without the fact that it rests on."""
    page = asked(browser, url, "", "Who directed Inception?")
    page.get_by_text(re.compile("(?i)from the graph")).first.wait_for(timeout=60_000)
    page.locator("[class*=st-key-without-] button").first.click()
    page.get_by_text("The answer depended on it").wait_for(timeout=60_000)
    keep(page, "fork")


def shoot_compare(browser: Browser, url: str) -> None:
    page = asked(browser, url, "/compare", QUESTION)
    page.get_by_text(re.compile("agree|Only|different answers")).first.wait_for(timeout=60_000)
    keep(page, "compare")


def shoot_runs(browser: Browser, url: str) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(f"{url}/runs")
    page.get_by_text("Recorded examples").wait_for(timeout=60_000)
    keep(page, "runs")


def asked(browser: Browser, url: str, path: str, question: str) -> Page:
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(url + path)
    page.get_by_label("Question").fill(question)
    page.keyboard.press("Enter")
    return page


def keep(page: Page, name: str) -> None:
    page.mouse.click(1100, 30)  # no field in focus
    page.wait_for_timeout(8_000)
    page.screenshot(path=FOLDER / f"{name}.png")
    page.close()


if __name__ == "__main__":
    main()
