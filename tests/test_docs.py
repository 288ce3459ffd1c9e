"""What the README and docs/ say of the code is what the code says."""

import re

import pytest

from kgqa_core.methods import METHODS
from kgqa_core.settings import Settings
from tests.measure import lock
from tests.measure.docs import CHAPTERS
from tests.places import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.name)
def test_a_generated_chapter_is_what_the_code_says(path):
    assert path.read_text(encoding="utf-8") == CHAPTERS[path](), "run `make docs`"


def test_the_readme_has_a_line_for_every_method_and_no_other():
    listed = re.findall(r"^\| `([\w-]+)` \|", README, re.MULTILINE)
    assert sorted(set(listed) & set(METHODS)) == sorted(METHODS)


def test_the_readme_names_no_setting_that_is_none():
    named = set(re.findall(r"\b(?:KGQA|OPENAI)_[A-Z_]+\b", README))
    known = {f"KGQA_{name.upper()}" for name in Settings.model_fields}
    assert named <= known | {"OPENAI_API_KEY", "OPENAI_BASE_URL"}


TEXTS = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_links_and_pictures_lead_somewhere(path):
    for target in re.findall(r"\]\(([^)#]+)", path.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (path.parent / target).exists(), target


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_files_that_are_named_exist(path):
    text = path.read_text(encoding="utf-8")
    for name in re.findall(r"`((?:kgqa_core|tests|assets|pages|docs)/[\w./-]+)`", text):
        assert (ROOT / name).exists(), name
    for module in re.findall(r"python -m (tests(?:\.\w+)+)", text):
        place = ROOT / module.replace(".", "/")
        assert place.with_suffix(".py").exists() or (place / "__main__.py").exists(), module


def test_the_lock_is_of_these_requirements():
    locked = lock.locked()
    assert {name: locked.get(name) for name in lock.wanted()} == lock.wanted()
    assert lock.LICENCES.read_text("utf-8").count("| not said |") == 0
