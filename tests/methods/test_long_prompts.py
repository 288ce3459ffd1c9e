"""What prompts hold of the largest documents of Wikidata there are, and how long they are.

The reader plays a model that is shown prompts, so that these are cut as a model's are; tokens are
counted by a tokenizer.
"""

import re
from dataclasses import dataclass, field
from statistics import mean

import pytest

from kgqa_core.ask import shown
from kgqa_core.ask.events import status_of
from kgqa_core.ask.run import Toolkit, run
from kgqa_core.ask.skills import Draft
from kgqa_core.facts.terms import Passage
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.llm import prompt
from kgqa_core.llm.offline import Offline
from kgqa_core.methods import METHODS
from kgqa_core.search.encoder import Encoder
from kgqa_core.search.index import Index
from kgqa_core.settings import load_settings
from tests.measure.calls import Played, counter
from tests.measure.planning import Planner
from tests.servers.real_wikidata import NEEDED, store_of_documents

pytestmark = [
    pytest.mark.scale,
    pytest.mark.skipif(
        not all(path.exists() for path in NEEDED), reason="needs the documents in ../shared/data"
    ),
]

LARGEST = ("Q30", "Q16", "Q183", "Q155", "Q15978631", "Q42")  # 300 to 1,500 statements each
WHAT = "What is the capital of Canada?"
WHICH = "Which countries have a diplomatic relation with Brazil?"
WHETHER = "Is the United States of America larger than Canada?"
WHEN = "When was Douglas Adams born?"
CATALOGUES = {"VIAF", "IMDb", "ISNI", "Freebase", "Goodreads", "LibraryThing"}
MOST = 8_000
MEANS = {"react": 3_000, "one-hop": 1_900}
DRAFT = Draft(
    text="Ottawa is the capital of Canada. Canada is larger than the United States of America. "
    "Germany shares a border with Poland. Brazil is a member of the United Nations. Douglas Adams "
    "was born in 1950. The United States of America borders Canada.",
    values=["Ottawa"],
)
PAGE = "The country has many rivers, towns and lakes that nobody has counted so far. " * 40


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    kg = EmbeddedGraph("documents", store_of_documents(LARGEST))
    encoder, reader = Encoder(load_settings()), Offline()
    pages = [
        Passage(f"{one.id}-{n}", PAGE, f"{one.name} {n}", "pages.md", one)
        for one in kg.describe(LARGEST)
        for n in range(20)
    ]
    index = Index(kg, encoder, str(tmp_path_factory.mktemp("index")), pages)
    plans, tokenizer = Planner(kg), counter()

    def play(method, question, kind=Played):
        llm = kind(lambda asked: DRAFT, reader, tokenizer, plans)
        chosen = METHODS[method]
        records = list(run(question, chosen.solve, Toolkit(kg, llm, index=index), chosen.params()))
        assert status_of(records) != "failed", records[-1].event
        if isinstance(llm, Heard):
            llm.notes = [r.event.text for r in records if r.event.kind == "noted"]
        return llm

    return play


@dataclass
class Heard(Played):
    """The same, with what the prompts say and have no room for, and what the trace notes."""

    texts: list[str] = field(default_factory=list)
    cuts: list[dict[str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def ask(self, skill, given, **more):
        self.texts.append(prompt.rendered(given))
        self.cuts.append(shown.cuts(given))
        return super().ask(skill, given, **more)


@pytest.mark.parametrize("method", METHODS)
def test_every_prompt_has_room(played, method):
    prompts = [n for question in (WHAT, WHICH, WHETHER) for n in played(method, question).prompts]
    assert 0 < max(prompts) <= MOST
    assert mean(prompts) <= MEANS.get(method, MOST)


@pytest.mark.parametrize(
    "method",
    ["react", "one-hop", "kaping", "rag-triples", "rag-hybrid", "pgakv", "structgpt", "tog",
     "tog-r", "oda", "kgr", "r3"],
)  # fmt: skip
def test_what_the_question_asks_for_is_shown_and_no_catalogue_is(played, method):
    born = "Was Douglas Adams born before 1960?" if method == "r3" else WHEN
    text = "\n".join(played(method, born, Heard).texts)
    assert "date of birth" in text
    assert not CATALOGUES & set(text.split())


# Asked of the largest documents; the others choose few facts, or read none.
CUTTING = {"react", "one-hop", "kaping", "structgpt", "tog", "tog-r", "oda", "kgr", "compass"}


@pytest.mark.parametrize("method", METHODS)
def test_what_was_cut_is_said_in_the_prompt_and_in_the_trace(played, method):
    """Of the relations of a set the trace says how many are left where they are first cut."""
    told = 0
    for question in (WHICH, WHAT, WHETHER):
        heard = played(method, question, Heard)
        for text, cuts in zip(heard.texts, heard.cuts, strict=True):
            for of, left in cuts.items():
                told += 1
                if of.startswith("relations"):
                    left_of = re.compile(rf"No room in the prompt for [\d,]+ more {of}\.")
                    assert f"({left.split()[0]} more not shown)" in text
                    assert any(map(left_of.fullmatch, heard.notes))
                else:
                    kept_back = "older" if left.endswith("older") else f"(not shown: {left})"
                    assert kept_back in text
                    assert f"No room in the prompt for {left}." in heard.notes
    assert told or method not in CUTTING
