"""Passages: chunks, files, a Wikipedia of our own on loopback, statements as text."""

import json
import re
from itertools import pairwise
from urllib.parse import parse_qs, urlsplit

import pytest

from kgqa_core.errors import SettingsError, SourceRejected, SourceUnavailable
from kgqa_core.facts import verbalise
from kgqa_core.facts.terms import Entity
from kgqa_core.kg.base import WD
from kgqa_core.search.passages import (
    STARTER,
    Article,
    Wikipedia,
    chunks,
    from_statements,
    read_file,
    read_folder,
    read_folders,
    starter_passages,
    write_file,
)
from tests.servers.loopback import Loopback, Quiet
from tests.small_graph import STATEMENTS, ULM

SENTENCES = [f"Sentence {i} has exactly eight words in it." for i in range(100)]


def test_chunks_end_with_sentences_and_overlap():
    pieces = chunks(" ".join(SENTENCES))
    assert all(100 <= len(piece.split()) <= 200 for piece in pieces)
    assert all(piece.endswith("in it.") for piece in pieces)
    for before, after in pairwise(pieces[:-1]):
        assert before.split()[-8:] == after.split()[16:24]  # three sentences are told twice
    assert all(any(sentence in piece for piece in pieces) for sentence in SENTENCES)


def test_a_last_piece_is_filled_up():
    pieces = chunks(" ".join(SENTENCES[:27]))  # 216 words: 200 and a rest
    assert [len(piece.split()) for piece in pieces] == [200, 104]
    assert pieces[1].endswith(SENTENCES[26])


@pytest.mark.parametrize(
    ("text", "count"),
    [("", 0), (" \n ", 0), ("One short sentence.", 1), ("no sentence at all", 1)],
)
def test_short_texts(text, count):
    assert len(chunks(text)) == count


def test_abbreviations_and_initials_end_no_sentence():
    text = "Dr. J. R. Smith met George W. Bush at St. Mary. " + " ".join(SENTENCES[:24])
    first, second = chunks(text, least=20, most=30, overlap=0)[:2]
    assert first.startswith("Dr. J. R. Smith met George W. Bush at St. Mary.")
    assert second.startswith("Sentence")


def test_a_long_article_is_cut_completely():
    words = [f"w{i}" for i in range(100_000)]  # not one full stop
    pieces = chunks(" ".join(words))
    assert {word for piece in pieces for word in piece.split()} == set(words)
    assert all(len(piece.split()) <= 200 for piece in pieces)
    many = " ".join(SENTENCES * 125)  # 100,000 words in sentences
    assert 500 < len(chunks(many)) < 800


def test_chunks_carry_title_description_and_a_lasting_id():
    article = Article("Ulm", " ".join(SENTENCES), "ulm.md", "city on the Danube", ULM)
    first, second, *_ = article.passages()
    assert (first.id, second.id) == ("ulm.md#1", "ulm.md#2")
    assert first.title == "Ulm (city on the Danube)"
    assert first.source == "ulm.md"
    assert first.entity == ULM


# -- files -------------------------------------------------------------------------------


def test_a_file_with_a_header_is_read_and_written_back(tmp_path):
    article = Article("Ulm", "Ulm lies on the Danube.", "https://x/Ulm", "a city", ULM)
    assert read_file(write_file(article, tmp_path)) == article


def test_markdown_loses_its_marks(tmp_path):
    file = tmp_path / "note.md"
    file.write_text(
        "# A title\n\n- **Bold** [link](http://x) in `code`\n![i](x.png) 2 * 3", "utf-8"
    )
    article = read_file(file)
    assert article.title == "A title"
    assert article.text.split() == "Bold link in code 2 * 3".split()


def test_a_folder_with_unreadable_files(tmp_path):
    (tmp_path / "a.txt").write_text("A text.", "utf-8")
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "c.md").write_bytes(b"\xef\xbb\xbf# C\n\nWith a mark.")
    (tmp_path / "d.txt").write_bytes("In another encoding: café".encode("latin-1"))
    (tmp_path / "e.txt").write_bytes(b"\x00\x01\x02")
    (tmp_path / "f.txt").write_bytes("Ünïcode of sixteen bits.".encode("utf-16"))
    (tmp_path / "g.txt").write_bytes(b"")
    (tmp_path / "h.pdf").write_bytes(b"%PDF")
    articles, problems = read_folder(tmp_path)
    assert [a.title for a in articles] == ["a", "C", "f", "g"]
    assert [a.source for a in articles][1] == "b/c.md"
    assert articles[2].text == "Ünïcode of sixteen bits."
    assert [len(a.passages()) for a in articles] == [1, 1, 1, 0]
    assert len(problems) == 2
    assert "d.txt is not text in UTF-8 (byte 24). Save it as UTF-8." in problems[0]
    assert "e.txt is not a text file" in problems[1]


def test_a_file_as_large_as_a_library_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr("kgqa_core.search.passages.MOST_BYTES", 1000)
    (tmp_path / "a.txt").write_text("word " * 201, "utf-8")
    articles, problems = read_folder(tmp_path)
    assert articles == []
    assert "a.txt has more than" in problems[0]


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(SourceRejected, match="no folder"):
        read_folder(tmp_path / "nowhere")
    with pytest.raises(SourceUnavailable, match="cannot be read"):
        read_file(tmp_path / "nowhere.md")


def test_where_there_is_no_text_the_statements_are_told():
    article = from_statements(ULM, STATEMENTS, "small")
    (passage,) = article.passages()
    assert passage.text == (
        "Ulm — population: 117,977 (point in time: 2009); 126,790 (point in time: 2019). "
        "Ulm — country: Germany. Ulm — instance of: city."
    )
    assert passage.title == "Ulm (city on the Danube)"


def test_articles_of_entities_that_are_called_alike_are_kept_apart(tmp_path):
    one, two = Entity("urn:kg:A%20b", "A b"), Entity("urn:kg:A_b", "A b")
    for entity in (one, two):
        write_file(Article("A b", "Text with _marks_ and\n# signs.", "g", "", entity), tmp_path)
    articles, problems = read_folder(tmp_path)
    assert {a.entity for a in articles} == {one, two}
    assert problems == []
    assert all(a.text == "Text with _marks_ and\n# signs." for a in articles)


def test_files_of_one_name_in_two_folders_are_two_passages(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "note.txt").write_text(f"Text {name}.", "utf-8")
    found = read_folders([tmp_path / "one", tmp_path / "two"])
    assert [p.text for p in found] == ["Text one.", "Text two."]
    assert len(set(found)) == 2
    with pytest.raises(SourceRejected, match="no folder"):
        read_folders([tmp_path / "three"])


def test_the_starter_passages_are_short_and_about_its_entities():
    from kgqa_core.kg.starter import starter_graph

    kg = starter_graph()
    articles, problems = read_folder(STARTER)
    assert problems == []
    assert len(articles) >= 50
    known = kg.describe([a.entity.id for a in articles])
    for article, entity in zip(articles, known, strict=True):
        assert entity is not None, article.source
        assert article.title == entity.label
        assert 60 <= len(article.text.split()) <= 200, article.source
        assert len(article.passages()) == 1
    assert len(starter_passages()) == len(articles)


ADJECTIVES = set("american anglican awards catholic egyptian french lutheran prizes".split())


def test_the_starter_passages_name_nothing_that_the_graph_does_not():
    """Names inside sentences and years occur in the facts of the entity or of its neighbours."""
    from kgqa_core.kg.starter import starter_graph

    def words(text):
        return set(re.findall(r"\w+", text.casefold()))

    kg = starter_graph()
    for article in read_folder(STARTER)[0]:
        (facts,) = kg.statements([article.entity], limit=3000)
        told = words(article.description) | ADJECTIVES
        told = told.union(*(words(verbalise.statement(fact)) for fact in facts))
        named = set(re.findall(r"(?<=[a-z,] )[A-Z][\w’']+|\b\d{4}\b(?!s)", article.text))
        further = {end for s in facts for end in (s.subject, s.object) if isinstance(end, Entity)}
        for entity in sorted(further, key=lambda e: e.id):
            named -= {name for name in named if words(name) <= told}
            if not named:
                break
            (facts,) = kg.statements([entity], limit=60)
            told = told.union(*(words(verbalise.statement(fact)) for fact in facts))
        assert {name for name in named if not words(name) <= told} == set(), article.source


# -- Wikipedia ---------------------------------------------------------------------------

PAGES = {
    "Ulm": "Ulm is a city.\n\n\n== History ==\nIt is old.",
    "Danube": "The Danube is a river.",
}
LINKS = {"Q3012": "Ulm", "Q1653": "Danube", "Q5": "Gone page"}


class MediaWiki(Quiet):
    """Answers as the MediaWiki API does: errors come with status 200."""

    troubles: list  # given out first, one a request
    requests: list

    def do_GET(self):
        ask = {key: value[0] for key, value in parse_qs(urlsplit(self.path).query).items()}
        self.requests.append((ask, self.headers["User-Agent"]))
        if self.troubles:
            status, headers, body = self.troubles.pop(0)
            return self.reply(body, status, headers)
        if ask["action"] == "wbgetentities":
            ids = ask["ids"].split("|")
            if len(ids) > 50:
                return self.reply({"error": {"code": "toomanyvalues", "info": "At most 50."}})
            links = {
                i: {"enwiki": {"site": "enwiki", "title": LINKS[i]}} if i in LINKS else {}
                for i in ids
            }
            entities = {i: {"id": i, "sitelinks": link} for i, link in links.items()}
            return self.reply({"entities": entities, "success": 1})
        title = ask["titles"]
        page = {"title": title, "missing": True}
        if title in PAGES:
            page = {"title": title, "extract": PAGES[title], "description": f"about {title}"}
        return self.reply({"query": {"pages": [page]}})

    def reply(self, body, status=200, headers=None):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {**(headers or {}), "Content-Length": str(len(data))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)


@pytest.fixture
def wiki():
    MediaWiki.troubles, MediaWiki.requests = [], []
    waits = []
    with Loopback(MediaWiki) as server:
        api = f"{server.url}/w/api.php"
        yield Wikipedia(api=api, wikidata=api, wait=waits.append), waits


def test_articles_by_entity(wiki):
    client, _ = wiki
    danube, nobody = Entity(WD + "Q1653", "Danube"), Entity(WD + "Q9", "Nobody")
    gone, foreign = Entity(WD + "Q5"), Entity("urn:kg:Ulm")
    articles = list(client.articles([ULM, danube, nobody, gone, foreign]))
    assert articles[2:] == [None, None, None]
    assert articles[0].text.split() == "Ulm is a city. It is old.".split()
    assert articles[0].description == "about Ulm"
    assert articles[0].source.endswith("/wiki/Ulm")
    assert articles[0].entity == ULM
    assert articles[1].title == "Danube"
    for ask, agent in MediaWiki.requests:
        assert ask["maxlag"] == "5"
        assert agent.startswith("kgqa-explorer/")
        assert "https://" in agent


def test_names_from_wikipedia_need_no_wikidata(wiki):
    client, _ = wiki
    ulm = Entity("http://dbpedia.org/resource/Ulm")
    (article,) = client.articles([ulm])
    assert (article.title, article.entity) == ("Ulm", ulm)
    assert [ask["action"] for ask, _ in MediaWiki.requests] == ["query"]
    assert client.can_have(ulm)
    assert not client.can_have(Entity("urn:kg:Ulm"))


@pytest.mark.parametrize("language", ["", "EN", "e", "en.evil.example/", "en@x", "../x", "en\n"])
def test_a_language_that_is_none_never_becomes_an_address(language):
    with pytest.raises(SettingsError, match="is not a language"):
        Wikipedia(language)


def test_what_came_before_a_fault_is_good(wiki):
    client, _ = wiki
    danube = Entity(WD + "Q1653", "Danube")
    found = client.articles([ULM, danube])
    assert next(found).title == "Ulm"
    MediaWiki.troubles = [(403, {}, b"blocked")]
    with pytest.raises(SourceRejected):
        next(found)


def test_many_entities_are_asked_fifty_at_a_time(wiki):
    client, _ = wiki
    list(client.articles([Entity(f"{WD}Q{i}") for i in range(1000, 1120)]))
    assert len(MediaWiki.requests) == 3


def test_a_busy_server_is_waited_for(wiki):
    client, waits = wiki
    lag = {"error": {"code": "maxlag", "info": "Waiting for a server: 6 seconds lagged."}}
    MediaWiki.troubles = [
        (200, {"Retry-After": "5"}, lag),
        (429, {"Retry-After": "17"}, b"slow down"),
        (503, {}, b""),
    ]
    assert next(client.articles([ULM])).title == "Ulm"
    assert waits == [5, 17, 5]


def test_a_server_that_stays_busy(wiki):
    client, waits = wiki
    MediaWiki.troubles = [(429, {"Retry-After": "9999"}, b"")] * 4
    with pytest.raises(SourceUnavailable, match=r"is busy \(status 429\), after 4 tries"):
        next(client.articles([ULM]))
    assert waits == [120] * 4


@pytest.mark.parametrize(
    ("trouble", "error", "says"),
    [
        ((200, {}, {"error": {"code": "badvalue", "info": "No."}}), SourceRejected, "badvalue: No"),
        ((403, {}, b"blocked"), SourceRejected, "status 403"),
        ((200, {}, b"<html>"), SourceUnavailable, "did not answer in JSON"),
        ((200, {}, []), SourceUnavailable, "did not answer in JSON"),
        ((200, {}, {"entities": 5}), SourceUnavailable, "did not answer in JSON"),
        ((200, {}, b"[" * 100_000), SourceUnavailable, "did not answer in JSON"),
        ((200, {"Content-Encoding": "gzip"}, b"not gzip"), SourceUnavailable, "damaged"),
    ],
)
def test_a_server_that_refuses(wiki, trouble, error, says):
    client, _ = wiki
    MediaWiki.troubles = [trouble]
    with pytest.raises(error, match=says):
        next(client.articles([ULM]))


def test_no_server_at_all():
    nowhere = "http://127.0.0.1:9/w/api.php"
    with pytest.raises(SourceUnavailable, match="Nothing answers"):
        next(Wikipedia(api=nowhere, wikidata=nowhere).articles([ULM]))
