"""Takes the pictures of README and docs from the running app: `make screenshots`."""

from __future__ import annotations

import io
import re
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from tests.screens.browser import FLAGS, PATIENCE_MS, ROOT, App, installed_browser

FOLDER = ROOT / "docs" / "pictures"
QUESTION = "What else did the director of Written on the Wind make?"
WALK = "example-react-which-films-did-alfred-hitchcock-direct"
RUN = f"/?run={WALK}"
MOVING = "example-react-where-was-the-director-of-inception"
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
FRAME_MS, LAST_MS = 1100, 4000
WALK_SIZE, WALK_WIDE = {"width": 1200, "height": 728}, 1000
ONLY_THE_RUN = """
[data-testid=stHeader], [data-testid=stHorizontalBlock]:has([class*=st-key-tune]) { display: none }
[data-testid=stMainBlockContainer] { padding-top: 1rem !important }
"""


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
            shoot_walk(browser, app.url)
            shoot_compare(browser, app.url)
            shoot_fork(browser, app.url)
            shoot_plan(browser, app.url)
            for name, path in PAGES.items():
                keep(opened(browser, app.url + path), name)
            keep(opened(browser, app.url + RUN, color_scheme="dark"), "ask-dark")
            phone = {"width": 420, "height": 860}
            keep(opened(browser, app.url + RUN, viewport=phone), "phone")
            shoot_explore(browser, app.url)
            shoot_league(browser, app.url)
        finally:
            browser.close()
            app.stop()


def opened(browser: Browser, url: str, **options: object) -> Page:
    usual = {"viewport": {"width": 1280, "height": 800}, "reduced_motion": "reduce"}
    page = browser.new_page(**{**usual, **options})  # type: ignore[arg-type]
    page.set_default_timeout(PATIENCE_MS)
    page.goto(url)
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
    return page


def keep(page: Page, name: str) -> None:
    page.mouse.move(2, 2)
    page.wait_for_timeout(6_000)  # the encoder is ready, the graph at rest
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    in_few_colours(picture).save(FOLDER / f"{name}.png", optimize=True)
    page.close()


def in_few_colours(picture: Image.Image, most: int = 128) -> Image.Image:
    """With a palette; what there is most of, such as every background, keeps its very colour."""
    pixels = np.asarray(picture).reshape(-1, 3)
    colours, at, counts = np.unique(pixels, axis=0, return_inverse=True, return_counts=True)
    often = colours[np.argsort(-counts)[: most // 2]]
    covering = picture.quantize(most - len(often), Image.Quantize.MAXCOVERAGE).getpalette() or []
    palette = np.vstack([often, np.array(covering, np.uint8).reshape(-1, 3)])
    far = ((colours[:, None].astype(int) - palette[None].astype(int)) ** 2).sum(axis=2)
    nearest = far.argmin(axis=1).astype(np.uint8)[at.reshape(-1)]
    small = Image.fromarray(nearest.reshape(picture.height, picture.width))
    small.putpalette(palette.tobytes())
    return small


def shoot_fork(browser: Browser, url: str) -> None:
    """The answer again, without the fact that it rests on."""
    page = opened(browser, url)
    ask(page, "Who directed Inception?")
    page.get_by_text("From the graph").first.wait_for(timeout=60_000)
    page.get_by_role("button", name="leave out").first.click()
    page.get_by_role("button", name="Ask again without it").click()
    page.get_by_text("The answer depended on it").wait_for(timeout=60_000)
    keep(page, "fork")


def shoot_plan(browser: Browser, url: str) -> None:
    """What Compass planned, whole beside the graph."""
    page = opened(browser, url, viewport={"width": 1280, "height": 1060})
    ask(page, "How many grandchildren did Jacques Cousteau have?")
    page.get_by_text("From the graph").first.wait_for(timeout=60_000)
    keep(page, "compass")


def shoot_compare(browser: Browser, url: str) -> None:
    page = opened(browser, f"{url}/compare")
    ask(page, QUESTION)
    ended = r"^((All \d+|Both) agree|Only .+ has|None of|\d+ (of|different))"  # no answer begins so
    page.get_by_text(re.compile(ended)).first.wait_for(timeout=60_000)
    keep(page, "compare")


def shoot_league(browser: Browser, url: str) -> None:
    """All methods on one question, while the slow ones still go on."""
    page = opened(browser, f"{url}/compare")
    page.get_by_text("Try one of these").wait_for()
    page.get_by_role("radio", name="A league of many").click()
    page.get_by_label("Model", exact=True).wait_for()
    ask(page, QUESTION)
    page.get_by_text(re.compile("agree")).first.wait_for(timeout=120_000)
    page.get_by_role("columnheader", name="Method").evaluate(
        "e => { e.style.scrollMarginTop = '70px'; e.scrollIntoView(); }"  # below the menu
    )
    keep(page, "league")


def shoot_explore(browser: Browser, url: str) -> None:
    page = opened(browser, f"{url}/explore?graph=starter&entity=L1001")
    page.get_by_role("button", name=re.compile("← director")).click()
    keep(page, "explore")


def ask(page: Page, question: str) -> None:
    page.get_by_label("Question").fill(question)
    page.keyboard.press("Enter")


def shoot_walk(browser: Browser, url: str) -> None:
    """A run step by step on the Ask page, as one short moving picture."""
    page = opened(browser, f"{url}/?run={MOVING}&step=1", viewport=WALK_SIZE)
    page.add_style_tag(content=ONLY_THE_RUN)
    step = page.get_by_text(re.compile(r"^step \d+ of \d+"))
    count = int(step.inner_text().split()[3])
    page.get_by_text(re.compile("^Indexing|Search by meaning is being")).wait_for(state="hidden")
    frames = []
    for at in range(1, count + 1):
        stands = at == count - 1  # what the answer says is chosen, and nothing new is there to see
        page.get_by_text(re.compile(rf"^step {at} of {count}")).wait_for()
        page.mouse.move(2, 2)
        page.wait_for_timeout(4_000)  # the graph at rest, no hint over a button
        frame = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
        size = (WALK_WIDE, WALK_WIDE * frame.height // frame.width)
        small = frame.resize(size, Image.Resampling.LANCZOS)
        if not stands:
            frames.append(in_few_colours(small))
        if at < count:
            page.get_by_role("button", name="chevron_right").click()
    page.close()
    frames[0].save(
        FOLDER / "walk.gif",
        save_all=True,
        append_images=frames[1:],
        duration=[FRAME_MS] * (len(frames) - 1) + [LAST_MS],
        loop=0,
        optimize=True,
    )


if __name__ == "__main__":
    main()
