"""150 hostile texts through every surface of the app, in a real browser: they stay text.

A cell is a text on a surface. It holds when nothing of it ran, nothing was asked for, no element
or attribute was made of it, and it stands there as it is wherever it is shown.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyoxigraph as ox
from markdown_it import MarkdownIt
from playwright.sync_api import Browser, Error, Page, expect

from kgqa_core.ask import preferences
from kgqa_core.ask.setup import Setup
from kgqa_core.evaluation import jobs, own
from kgqa_core.evaluation.benchmark import Options, run_benchmark
from kgqa_core.evaluation.datasets import Dataset, Example
from kgqa_core.evaluation.datasets.base import answer
from kgqa_core.history.run_file import exported
from kgqa_core.history.store import RunStore
from kgqa_core.kg import layout
from kgqa_core.llm.offline import Offline
from kgqa_core.methods import METHODS
from kgqa_core.render.graph import snapshot
from kgqa_core.render.pyvis_page import interactive_html
from kgqa_core.render.standalone import player_html, standalone_html
from kgqa_core.render.texts import csv_steps, markdown, ntriples
from kgqa_core.screens.explore import walk
from tests.faults import hostile_runs
from tests.faults.cells import Cell
from tests.faults.hostile import ALL, HOSTILE, TEXTS, TRACE, broken, packed, present
from tests.faults.hostile_runs import SINGLY, SOME, Told
from tests.screens.browser import App, Visitor, at_rest, settled
from tests.servers.openai import OpenAIServer, ok, status
from tests.small_graph import small_graph

_EVERY = frozenset(range(len(HOSTILE)))
_SOME = frozenset(present(SOME))
_IN_A_ROW = 110  # characters of a question that a row of the list shows
FILE = "a [b](javascript:pwned(1)) <img src=x onerror=pwned(1)>"  # at most 60: its graph's title
# Text and values of a page with what hangs in shadow roots, and what was made of a text that is
# more than text. Scripts of a page of ours may hold texts as data; what they do is seen elsewhere.
_READ = r"""() => {
  const trace = /pwned\(|evil\.example|zz\d{3}/;
  const texts = [], bad = [];
  const addressed = new Set(["href", "src", "action", "formaction", "srcdoc", "data", "poster",
    "background", "style", "ping", "srcset", "xlink:href", "content"]);
  const ours = (value) => {
    const at = new URL(value, location.href);
    return at.origin === location.origin && /^https?:$/.test(at.protocol) &&
      /^\/(explore|compare|runs|$)/.test(at.pathname) || value.startsWith("#");
  };
  const visit = (root) => {
    for (const node of root.childNodes) {
      if (node.nodeType === 3) texts.push(node.data);
      if (node.nodeType !== 1) continue;
      const tag = node.localName;
      for (const { name, value } of node.attributes) {
        if (!trace.test(value)) continue;
        if (name.startsWith("on")) bad.push([`${tag} ${name}`, value]);
        else if (addressed.has(name)) {
          let fine = false;
          try { fine = tag === "a" && name === "href" && ours(value); } catch {}
          if (!fine) bad.push([`${tag} ${name}`, value]);
        } else if (/^(title|aria-label|placeholder|alt|data-title)$/.test(name))
          texts.push("\n", value, "\n");
      }
      if (/^(iframe|object|embed|base|math|marquee|foreignobject)$/i.test(tag))
        if (trace.test(node.outerHTML)) bad.push([tag, node.outerHTML.slice(0, 300)]);
      if (node.classList.contains("katex")) bad.push(["formula", node.textContent]);
      if (tag === "style" && trace.test(node.textContent)) bad.push([tag, node.textContent]);
      if (/^(script|style|noscript)$/.test(tag)) continue;
      if (/^(input|textarea)$/.test(tag)) texts.push("\n", node.value, "\n");
      if (tag === "template") visit(node.content);
      if (node.shadowRoot) visit(node.shadowRoot);
      visit(node);
    }
  };
  visit(document);
  return { text: texts.join(""), bad };
}"""


@dataclass
class Surface:
    """Where texts are shown, and what was wrong with which."""

    name: str
    wrong: dict[int, str] = field(default_factory=dict)
    amiss: list[str] = field(default_factory=list)  # with the page, whatever text it was

    def note(self, number: int | None, what: str) -> None:
        if number is None:
            self.amiss.append(what)
        else:
            self.wrong.setdefault(number, what)

    def cells(self) -> Iterable[Cell]:
        for one in HOSTILE:
            yield Cell(self.name, f"{one.kind} {one.number}", self.wrong.get(one.number, ""))
        yield Cell(self.name, "the page", "; ".join(self.amiss)[:500])


class Witness:
    """A browser's page, the texts that are told on it, and all that they bring about."""

    def __init__(self, browser: Browser, told: Told) -> None:
        self.told = told
        context = browser.new_context(
            viewport={"width": 1280, "height": 800}, reduced_motion="reduce"
        )
        self.called: list[object] = []
        context.expose_function("pwned", lambda number=None: self.called.append(number))
        self._visitor = Visitor(context.new_page())
        self.page: Page = self._visitor.page
        self._asked: list[str] = []
        self.page.on("request", self._request)
        self.surfaces: list[Surface] = []

    def _request(self, request: Any) -> None:
        if TRACE.search(request.url) or request.url.endswith("/x"):
            self._asked.append(request.url)

    def close(self) -> None:
        self.page.context.close()

    def look(self, name: str, shows: Iterable[int] = (), *, loosely: bool = False) -> Surface:
        """Reads the page as it stands. What ran since the last look is put down to this one.

        `loosely`: texts may be cut anywhere, and may lose their tags, as what endpoints say does.
        """
        surface = next((one for one in self.surfaces if one.name == name), None)
        if surface is None:
            self.surfaces.append(surface := Surface(name))
        read: Any = self.page.evaluate(_READ)
        judge(surface, read["text"], shows, loosely=loosely)
        for what, value in read["bad"]:
            surface.note(_number(value), f"became {what}: {value[:120]}")
        for number in self.called:
            surface.note(int(str(number)) if str(number).isdecimal() else None, "ran")
        for url in (*self._asked, *self._visitor.outside.urls):
            surface.note(_number(url), f"was asked for: {url[:120]}")
        surface.amiss += self._visitor.errors
        if self.page.locator("[data-testid=stException]").count():
            surface.amiss.append(self.page.locator("[data-testid=stException]").first.inner_text())
        for told in (self.called, self._asked, self._visitor.outside.urls, self._visitor.errors):
            told.clear()
        return surface

    def through(self, name: str, part: Callable[[], None]) -> None:
        """A part of the way; where the page does not get there, that is a cell, and we go on."""
        try:
            part()
        except (Error, AssertionError) as error:  # of a step, or of what is expected to come
            surface = Surface(name)
            surface.amiss.append(f"the page does not get on: {str(error)[:400]}")
            self.surfaces.append(surface)

    def open(self, address: str) -> None:
        self.page.goto(address)
        settled(self.page)


def judge(surface: Surface, text: str, shows: Iterable[int] = (), *, loosely: bool = False) -> None:
    """Whether each text stands there as it is, and those it `shows` are there."""
    for number, instead in ({} if loosely else broken(text)).items():
        surface.note(number, f"stands there as {instead[-160:]!r}")
    for number in set(shows) - present(text):
        surface.note(number, "is not shown")


def _number(text: str) -> int | None:
    found = TRACE.search(text)
    return int(next(filter(None, found.groups()))) if found else None


# -- what there is to see ------------------------------------------------------------------------


def stored(folder: Path, told: Told) -> None:
    """The runs that the app will find."""
    store = RunStore(folder)
    for one in HOSTILE if told is SINGLY else packed(_IN_A_ROW):
        header, said = hostile_runs.listed(one)
        store.begin(header)
        store.append(header.id, said, "answered")
        store.annotate(header.id, note=one.text, thumb=1, tags=[one.text])
    for name, (method, _) in hostile_runs.STORIES.items():
        store.begin(hostile_runs.header(name, SOME, method, SOME))
        store.append(name, hostile_runs.records(name, told), "answered")
    assert not store.problem
    store.close()


def measured(folder: Path) -> None:
    """Questions of one's own, and a benchmark of them."""
    own.add(folder, *(own.typed(one.text, one.text, one.text) for one in HOSTILE))
    method = METHODS["io"]
    asked = [
        Example(one.word, one.text, {"gold": (answer(one.text),)}, classes=(one.text,))
        for one in HOSTILE
    ]
    run_benchmark(
        Dataset(SOME, "csv", asked),
        Setup(method, method.params(), small_graph(), Offline()),
        jobs.folder_of(folder) / "mine",
        Options(title=SOME, dataset_sha256="a" * 64),
        traces=True,
    )


def facts_file(folder: Path) -> Path:
    """A personal graph; its cells are as long as they may be."""
    texts = [_line(one.text)[:300] for one in HOSTILE if not one.text.startswith("http")]
    rows = [("user", text, text) for text in texts]  # an address has to be one, or is refused
    file = folder / "facts.csv"
    file.write_text(preferences.as_csv(rows), encoding="utf-8", newline="")
    return file


def graph_file(folder: Path) -> Path:
    """A hub with all texts as names of relations and things; and all of them as values."""
    lines = []

    def say(subject: str, relation: str, value: object) -> None:
        lines.append(f"<urn:x:{subject}> <{relation}> {value} .\n")

    for one in HOSTILE:
        n = one.number
        say("hub", f"urn:x:r{n}", f"<urn:x:e{n}>")
        say("values", f"urn:x:v{n}", ox.Literal(one.text))
        for name in (f"r{n}", f"e{n}"):
            say(name, layout.LABEL, ox.Literal(one.text))
    file = folder / f"{FILE}.nt"
    file.write_text("".join(lines), encoding="utf-8")
    return file


def templates_file(folder: Path) -> None:
    """A library of one's own, as hostile as its form allows."""
    lines = ["# Keqing templates, format 1", f"# {_line(ALL)}"]
    for one in HOSTILE:
        text = _line(one.text)[:400]
        lines += ["", f"what about [mask] {text}", f"    → says {one.number}", f"    like: {text}"]
    (folder / "templates").mkdir(parents=True)
    (folder / "templates" / "own.txt").write_text("\n".join(lines), encoding="utf-8")


def _line(text: str) -> str:
    return " ".join(text.split())


# -- the surfaces --------------------------------------------------------------------------------


def cells(
    folder: Path, browser: Browser, parts: Sequence[str] = (), told: Told = SINGLY
) -> list[Cell]:
    """`parts` of `PARTS`, or all, with an app and a model of their own.

    `told`: how the texts stand in runs, each in every place by itself or several in one. Nothing
    outside `folder` is written.
    """
    data = folder / "data"
    stored(data, told)
    measured(data)
    templates_file(data)
    witness = Witness(browser, told)
    with OpenAIServer(models=TEXTS) as model:
        app = App(
            "app.py",
            folder / "app.log",
            KGQA_DATA_DIR=str(data),
            KGQA_GRAPH="starter",
            KGQA_BUILD_INDEX="0",
            KGQA_MODEL=SOME,
            OPENAI_API_KEY="sk-test",
            OPENAI_BASE_URL=model.url,
        )
        try:
            for name in parts or PARTS:
                witness.through(name, partial(PARTS[name], witness, app.url, folder, model))
        finally:
            app.stop()
            witness.close()
    return [cell for surface in witness.surfaces for cell in surface.cells()]


def _graphs(witness: Witness, url: str, folder: Path, model: OpenAIServer) -> None:
    """An upload, and what is told about it."""
    page = witness.page
    witness.open(f"{url}/graphs")
    page.get_by_role("tab", name="Upload").click()
    settled(page)
    page.locator("input[type=file]").set_input_files(graph_file(folder))
    page.get_by_test_id("stFileChipName").first.wait_for()
    page.get_by_role("button", name="Load", exact=True).first.click()
    page.get_by_text("is loaded: ").wait_for()
    settled(page)
    surface = witness.look("Knowledge graphs")
    if page.get_by_text(f"{FILE} is loaded").count() == 0:
        surface.amiss.append("the file's name is not shown as it is")
    page.get_by_role("button", name="Ask", exact=True).last.click()
    page.get_by_label("Question").wait_for()
    settled(page)
    witness.look("Ask, questions to try")


def _explore(witness: Witness, url: str, folder: Path, model: OpenAIServer) -> None:
    page = witness.page
    page.goto(f"{url}/explore?graph={quote(FILE)}&entity=urn:x:hub")
    page.get_by_text("1 entity · 0 facts").wait_for()
    page.get_by_role("combobox", name=re.compile("At most")).click()
    page.get_by_role("option", name="500").click()
    settled(page)
    page.get_by_role("button", name="Expand all").click()
    page.get_by_text("150 facts").first.wait_for()
    at_rest(page.locator(".graph.has-nodes"))
    witness.look("Explore, graph", _EVERY)
    page.locator(".node").nth(3).click()
    settled(page)
    witness.look("Explore, graph")
    page.get_by_role("tab", name="Facts").click()
    settled(page)
    witness.look("Explore, graph")
    page.get_by_label("Download the picture").click()
    with page.expect_download() as picture:
        page.get_by_role("button", name="SVG").click()
    page.goto(picture.value.path().rename(folder / "walk.svg").as_uri())
    witness.look("Export, SVG", _EVERY)


def _runs(witness: Witness, url: str, folder: Path, model: OpenAIServer) -> None:
    page = witness.page
    witness.open(f"{url}/runs")
    rows = page.locator("[class*=st-key-runs_row]")
    page.get_by_role("button", name="Show more").wait_for()
    while page.get_by_role("button", name="Show more").count():
        there = rows.count()
        page.get_by_role("button", name="Show more").click()
        expect(rows.nth(there)).to_be_attached()
        settled(page)
    witness.look("Runs, list", _EVERY)
    rows.last.locator("label").first.click()
    page.get_by_text("1 selected of").wait_for()
    settled(page)
    witness.look("Runs, notes and tags")


def _opened(witness: Witness, url: str, folder: Path, model: OpenAIServer) -> None:
    page = witness.page
    for name in sorted(hostile_runs.STORIES, key="walked".__eq__):  # it stays open
        witness.open(f"{url}/?run={name}")
        witness.look(f"Ask, {name}", _EVERY)
    page.get_by_role("button", name=re.compile("claims supported")).click()
    page.get_by_text("claim by claim").wait_for()
    settled(page)
    witness.look("Ask, claims", _EVERY)
    page.keyboard.press("Escape")
    page.locator(".node").first.click()
    page.get_by_role("button", name="Ask about this").wait_for()
    settled(page)
    witness.look("Ask, a node's card", _EVERY)


def _asked(witness: Witness, url: str, folder: Path, model: OpenAIServer) -> None:
    """What is typed, and what a model replies to it."""
    page = witness.page
    witness.open(url)
    for label, choice in (("Method", METHODS["cot"].title), ("Model", None)):
        page.get_by_label(label, exact=True).click()
        options = page.get_by_role("option", name=choice, exact=True)
        options.last.click()
        settled(page)
    replied = {"thought": ALL, "text": ALL, "values": list(TEXTS[:9]), "reason": ALL}
    model.will(ok(replied))
    page.get_by_label("Question").fill(SOME)
    page.keyboard.press("Enter")
    page.wait_for_url("**run=*")
    page.get_by_text("From the model alone").first.wait_for()  # the answer's last line
    for going in ("Stop", "Skip"):
        expect(page.get_by_role("button", name=going)).to_have_count(0)
    settled(page)
    witness.look("Ask, typed and replied", _EVERY)
    model.will(*[status(400, ALL)] * 8)
    page.get_by_label("Question").fill(SOME[::-1])
    page.keyboard.press("Enter")
    page.get_by_role("alert").first.wait_for()
    settled(page)
    witness.look("Ask, typed and replied", loosely=True)
    model._queue.clear()


def _preferences(witness: Witness, url: str, folder: Path, model: OpenAIServer) -> None:
    page = witness.page
    witness.open(f"{url}/preferences")
    page.get_by_role("button", name="Import").click()
    page.locator("input[type=file]").set_input_files(facts_file(folder))
    page.get_by_text(re.compile(r"^1\d\d facts")).wait_for()
    settled(page)
    page.keyboard.press("Escape")
    numbered = re.compile(r"\(\d+\)")  # as options are in a question: names lose it
    options = [one for one in HOSTILE[38:] if not numbered.search(one.text)][:20]
    page.get_by_label("What is wanted").fill(SOME[:400])
    page.get_by_label("Options, one a line").fill("\n".join(_line(one.text) for one in options))
    page.keyboard.press("Control+Enter")
    settled(page)
    page.get_by_role("button", name="Choose").click()
    page.get_by_role("link", name=re.compile("All steps")).wait_for()
    settled(page)
    witness.look("Preferences", {one.number for one in options})


def _benchmarks(witness: Witness, url: str, folder: Path, model: OpenAIServer) -> None:
    page = witness.page
    witness.open(f"{url}/benchmarks")
    witness.look("Benchmarks", _SOME)
    for tab in ("Questions", "New benchmark", "Question sets"):
        page.get_by_role("tab", name=tab, exact=True).click()
        settled(page)
        witness.look("Benchmarks")
    page.get_by_role("tab", name="Questions", exact=True).click()
    settled(page)
    page.get_by_role("combobox", name="Question set").click()
    page.get_by_role("option").filter(has_text=TRACE).first.click()
    settled(page)
    box = page.get_by_role("combobox", name="Open a question")
    box.click()
    page.get_by_role("option").first.wait_for()
    box.press("Enter")  # a list of hundreds may be laid out anew below a pointer
    settled(page)
    witness.look("Benchmarks", {0})


def _imported(witness: Witness, url: str, folder: Path, model: OpenAIServer) -> None:
    """A run file of somebody else."""
    page = witness.page
    header = hostile_runs.header("elsewhere", SOME, "react", SOME)
    file = folder / "run.json"
    file.write_bytes(
        exported(header, hostile_runs.records("stepped", witness.told)).encode("utf-8", "replace")
    )
    witness.open(f"{url}/runs")
    page.locator("input[type=file]").set_input_files(file)
    page.get_by_role("button", name="Open it").click()
    page.get_by_text("Imported from a file").first.wait_for()
    settled(page)
    witness.look("Runs, imported", _EVERY)


def _compare(witness: Witness, url: str, folder: Path, model: OpenAIServer) -> None:
    page = witness.page
    witness.open(f"{url}/compare?runs=walked,plan,axioms,listed-9")
    for view in ("Answers", "Facts", "Where they part", "One graph", "Numbers"):
        page.get_by_role("radio", name=view).click()
        settled(page)
        witness.look("Compare")


def _templates(witness: Witness, url: str, folder: Path, model: OpenAIServer) -> None:
    page = witness.page
    witness.open(f"{url}/templates")
    page.get_by_role("combobox", name="Library").click()
    page.get_by_role("option", name="own").click()
    page.get_by_text("150 templates in").wait_for()
    settled(page)
    witness.look("Templates", _EVERY)
    box = page.get_by_placeholder("Words of a template")
    box.fill(_line(ALL))
    box.press("Enter")
    settled(page)
    witness.look("Templates", _EVERY)


def _settings(witness: Witness, url: str, folder: Path, model: OpenAIServer) -> None:
    """What is typed in, and what an endpoint answers."""
    page = witness.page
    witness.open(f"{url}/settings")
    page.get_by_role("combobox", name=re.compile("Model name")).wait_for()
    page.get_by_role("button", name="Connect and test").wait_for()
    settled(page)
    witness.look("Settings", _SOME)
    page.get_by_role("button", name="List models").click()
    settled(page)
    page.get_by_role("combobox", name=re.compile("Model name")).click()
    page.get_by_role("option").nth(2).wait_for()
    witness.look("Settings")
    page.keyboard.press("Escape")
    for behaviour in (status(400, ALL), ok(ALL), ok({"text": ALL}, finish=None)):
        model.will(*[behaviour] * 8)
        page.get_by_role("button", name="Connect and test").click()
        settled(page)
        witness.look("Settings, what the endpoint says", loosely=True)
        model._queue.clear()
    page.get_by_role("textbox", name="Endpoint").fill(ALL)
    page.get_by_role("textbox", name="Throw-away database").fill(ALL)
    page.get_by_role("textbox", name="File and function").fill(ALL)
    page.get_by_role("button", name="Connect and test").click()
    settled(page)
    witness.look("Settings", _EVERY)
    page.get_by_role("button", name="Read").click()
    settled(page)
    witness.look("Settings", _EVERY)


def _exports(witness: Witness, url: str, folder: Path, model: OpenAIServer) -> None:
    """Each file opened where such files are opened."""
    header = hostile_runs.header("x-1", ALL, "react", ALL)
    told = hostile_runs.records("walked", SINGLY)
    shown = walk.Shown((hostile_runs.HUB,), (*SINGLY.facts, *SINGLY.literals))
    view = snapshot(told)
    text = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    pages = {
        "Export, player": player_html(header, told),
        "Export, page": standalone_html(view, title=ALL, answer=SINGLY.answer),
        "Export, pyvis": interactive_html(walk.view(shown, walk.Filter())),
        "Export, Markdown": text.render(markdown(header, told)),
    }
    for name, page in pages.items():
        file = folder / "export.html"
        if "<meta" not in page:
            page = f'<!DOCTYPE html><meta charset="utf-8">{page}'
        file.write_text(page, encoding="utf-8", errors="replace")
        witness.page.goto(file.as_uri())
        witness.look(name, () if name == "Export, pyvis" else _EVERY)
    witness.surfaces += [_csv(told, shown), _ntriples(shown)]


def _csv(told: Any, shown: walk.Shown) -> Surface:
    """Both tables: every cell is text, and no spreadsheet takes one for a formula."""
    surface = Surface("Export, CSV")
    tables = (csv_steps(told), walk.csv_of(shown.facts))
    cells = [cell for table in tables for row in csv.reader(io.StringIO(table)) for cell in row]
    for cell in cells:
        if cell.startswith(tuple("=+-@\t\r")) and TRACE.search(cell):
            surface.note(_number(cell), f"is a formula: {cell[:60]!r}")
    judge(surface, " ".join(cells), _EVERY)
    return surface


def _ntriples(shown: walk.Shown) -> Surface:
    surface = Surface("Export, N-Triples")
    for name, made in (("run", ntriples), ("walk", walk.ntriples_of)):
        lines = made(shown.facts)
        try:
            quads = list(ox.parse(lines.encode("utf-8"), format=ox.RdfFormat.N_TRIPLES))
        except SyntaxError as error:
            surface.amiss.append(f"{name}: {error}")
            continue
        values = {quad.object.value for quad in quads if isinstance(quad.object, ox.Literal)}
        for one in HOSTILE:
            if one.text not in values:
                surface.note(one.number, "is not the value it was")
    return surface


# In this order: what is explored was uploaded before.
PARTS: dict[str, Callable[[Witness, str, Path, OpenAIServer], None]] = {
    "graphs": _graphs,
    "explore": _explore,
    "exports": _exports,
    "runs": _runs,
    "opened": _opened,
    "asked": _asked,
    "imported": _imported,
    "preferences": _preferences,
    "benchmarks": _benchmarks,
    "compare": _compare,
    "templates": _templates,
    "settings": _settings,
}
