"""Uploads that are too large, or not what they say, as a person meets them."""

import gzip
import zipfile

import pytest

from tests.screens.browser import settled

pytestmark = pytest.mark.browser


@pytest.fixture
def app(shared_app):
    return shared_app


@pytest.fixture
def page(app, visit):
    page = visit().page
    page.goto(f"{app.url}/graphs")
    page.get_by_role("tab", name="Upload").click()
    settled(page)
    return page


def choose(page, file):
    page.locator("input[type=file]").first.set_input_files(file)
    page.get_by_text(file.name).first.wait_for()


def press_load(page):
    page.get_by_role("button", name="Load", exact=True).first.click()


def the_rest_is_unharmed(page):
    page.get_by_role("button", name="Test").first.click()
    page.get_by_text("connected, ").wait_for()


def test_files_that_are_too_large_or_not_what_they_say_are_refused_in_a_sentence(page, tmp_path):
    page.get_by_role("button", name="Explore").first.wait_for(state="attached")
    listed = page.get_by_role("button", name="Explore").count()
    large = tmp_path / "large.nt"
    with large.open("wb") as out:
        out.truncate(210_000_000)
    choose(page, large)
    page.get_by_text("File must be 200.0MB or smaller.").wait_for(state="attached")
    assert page.get_by_text("At most 200 MB per file.").is_visible()
    press_load(page)
    page.get_by_text("Choose at least one file.").wait_for()

    bomb = tmp_path / "bomb.nt.gz"
    bomb.write_bytes(gzip.compress(b"\n" * (1 << 20)) * 110)
    choose(page, bomb)
    press_load(page)
    page.get_by_text("it looks like a zip bomb and is not read.").wait_for()
    the_rest_is_unharmed(page)

    archive = tmp_path / "graph.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("a.nt", "\n" * (1 << 20))
    choose(page, archive)
    page.get_by_text("files are not allowed").wait_for(state="attached")
    sneaky = archive.rename(tmp_path / "sneaky.nt.gz")
    page.reload()
    page.get_by_role("tab", name="Upload").click()
    settled(page)
    choose(page, sneaky)
    press_load(page)
    page.get_by_text("sneaky.nt.gz has a gzip name but is not gzipped").wait_for()
    the_rest_is_unharmed(page)
    assert page.get_by_role("button", name="Explore").count() == listed  # nothing was added
