"""The catalogue against a real server on loopback: resume, wrong checksum, gone, broken off."""

import hashlib
import json
from collections.abc import Iterator
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest

from kgqa_core.ask.run import StopToken
from kgqa_core.errors import SourceRejected, SourceUnavailable, Stopped
from kgqa_core.evaluation import catalogue, sets
from kgqa_core.evaluation.catalogue import CATALOGUE, Entry, download, downloaded
from kgqa_core.evaluation.datasets import FORMATS, DatasetError
from tests.servers.loopback import Loopback, Quiet

BODY = b'{"question": "Who directed Inception?", "gold": ["Q25191"]}\n' * 4000
SHA = hashlib.sha256(BODY).hexdigest()


class Handler(Quiet):
    """`/whole` knows no ranges, `/range` does, `/cut` breaks off in the middle each time."""

    def do_GET(self):
        path = urlsplit(self.path).path.rsplit("/", 1)[0]
        self.server.asked.append((path, self.headers.get("Range")))
        if path == "/gone":
            return self.send_error(404)
        if path == "/busy":
            return self.send_error(503)
        body, start = self.server.body, 0
        span = self.headers.get("Range")
        if span and path != "/whole":
            start = int(span.removeprefix("bytes=").rstrip("-"))
            if start >= len(body):
                self.send_response(416)
                self.send_header("Content-Range", f"bytes */{len(body)}")
                self.send_header("Content-Length", "0")
                self.end_headers()
                return None
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
        else:
            self.send_response(200)
        self.send_header("Content-Length", str(len(body) - start))
        self.end_headers()
        end = len(body)
        if path == "/cut" or (path == "/once" and not span):
            end = start + (end - start) // 2
        self.wfile.write(body[start:end])
        return None


@pytest.fixture
def server() -> Iterator[Loopback]:
    with Loopback(Handler) as found:
        found.body, found.asked = BODY, []
        yield found


@pytest.fixture
def entry(server):
    def made(kind="range", **fields):
        url = f"http://127.0.0.1:{server.server_port}/{kind}/set.jsonl"
        return Entry("set", "A set", "http://home", "MIT", 4000, "kgqa-jsonl", "", url, **fields)

    return made


def test_a_set_is_fetched_and_its_checksum_recorded(entry, tmp_path):
    assert downloaded(entry(), tmp_path) is None
    seen = []
    found = download(entry(), tmp_path, on_progress=seen.append)
    assert found.path.read_bytes() == BODY
    assert (found.sha256, found.bytes, found.checked) == (SHA, len(BODY), False)
    assert (seen[-1].bytes, seen[-1].of) == (len(BODY), len(BODY))
    assert [p.bytes for p in seen] == sorted(p.bytes for p in seen)
    assert downloaded(entry(), tmp_path) == found
    record = json.loads((tmp_path / "set" / "record.json").read_text())
    assert record["sha256"] == SHA
    assert download(entry(), tmp_path).checked  # against the record of the first time


def test_a_transfer_that_breaks_off_goes_on_where_it_was(server, entry, tmp_path):
    assert download(entry("once", sha256=SHA), tmp_path).path.read_bytes() == BODY
    (_, first), (_, second) = server.asked
    assert first is None
    assert 0 < int(second.removeprefix("bytes=").rstrip("-")) <= len(BODY) // 2


def test_one_that_keeps_breaking_off_says_how_far_it_came(server, entry, tmp_path):
    with pytest.raises(SourceUnavailable, match=rf"broke off after .* of {len(BODY):,} bytes"):
        download(entry("cut"), tmp_path)
    have = (tmp_path / "set" / "set.jsonl.part").stat().st_size
    assert len(BODY) // 2 < have < len(BODY)
    assert len(server.asked) == 3
    assert download(entry("range"), tmp_path).path.read_bytes() == BODY  # the next try has the rest
    assert server.asked[-1] == ("/range", f"bytes={have}-")


def test_a_server_without_ranges_starts_over(server, entry, tmp_path):
    part = tmp_path / "set" / "set.jsonl.part"
    part.parent.mkdir()
    part.write_bytes(b"x" * 100)
    assert download(entry("whole"), tmp_path).path.read_bytes() == BODY


def test_a_part_that_is_the_whole_is_enough(server, entry, tmp_path):
    part = tmp_path / "set" / "set.jsonl.part"
    part.parent.mkdir()
    part.write_bytes(BODY)
    assert download(entry(), tmp_path).sha256 == SHA
    part.write_bytes(BODY + b"more than there is now")
    assert download(entry(), tmp_path).path.read_bytes() == BODY


def test_another_file_than_is_known_is_not_kept(server, entry, tmp_path):
    with pytest.raises(SourceRejected, match="is not the one that is known"):
        download(entry(sha256="0" * 64), tmp_path)
    assert downloaded(entry(), tmp_path) is None
    assert not list((tmp_path / "set").glob("*.part"))
    download(entry(), tmp_path)
    server.body = BODY + b"\n"
    with pytest.raises(SourceRejected, match="is not the one that is known"):
        download(entry(), tmp_path)  # not the file of the first time
    assert downloaded(entry(), tmp_path).path.read_bytes() == BODY


def test_a_file_without_an_end_is_not_kept(entry, tmp_path):
    with pytest.raises(SourceRejected, match="has more than 0 MB"):
        download(entry(), tmp_path, most=len(BODY) - 1)
    assert downloaded(entry(), tmp_path) is None
    assert not list((tmp_path / "set").glob("*.part"))
    assert download(entry(), tmp_path, most=len(BODY)).sha256 == SHA


@pytest.mark.parametrize(
    ("kind", "error", "said"),
    [
        ("gone", SourceRejected, "status 404. The file may have moved: look at http://home"),
        ("busy", SourceUnavailable, "status 503. Try again later"),
    ],
)
def test_what_the_server_refuses_is_said(entry, tmp_path, kind, error, said):
    with pytest.raises(error, match=said):
        download(entry(kind), tmp_path)


def test_nobody_there_and_no_room_are_said(entry, tmp_path, server):
    nobody = Entry("n", "N", "http://home", "", 1, "csv", "", "http://127.0.0.1:9/f.csv")
    with pytest.raises(SourceUnavailable, match="cannot be reached at http://home"):
        download(nobody, tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(SourceUnavailable, match="KGQA_DATA_DIR"):
        download(entry(), tmp_path / "file")


def test_stop_keeps_what_is_there_for_the_next_time(server, entry, tmp_path):
    stop = StopToken()
    with pytest.raises(Stopped, match="goes on from here"):
        download(entry(), tmp_path, on_progress=lambda now: stop.press(), stop=stop)
    have = (tmp_path / "set" / "set.jsonl.part").stat().st_size
    assert 0 < have < len(BODY)
    assert download(entry(), tmp_path).sha256 == SHA
    assert server.asked[-1] == ("/range", f"bytes={have}-")


def test_a_second_download_at_once_is_refused(entry, tmp_path):
    def again(now):
        with pytest.raises(SourceUnavailable, match="being downloaded already"):
            download(entry(), tmp_path)

    download(entry(), tmp_path, on_progress=again)


def test_every_entry_says_where_it_is_at_home_and_what_it_is():
    for name, entry in CATALOGUE.items():
        assert entry.name == name
        assert entry.home.startswith("https://")
        assert entry.licence
        assert entry.format in FORMATS
        assert bool(entry.url) != bool(entry.by_hand)
        assert "/main/" not in entry.url  # a fixed revision
        assert "/master/" not in entry.url
    with pytest.raises(DatasetError, match=r"by hand from https://github\.com/yuyuz/MetaQA"):
        download(CATALOGUE["metaqa"], sets.SHIPPED)


def test_a_removed_file_keeps_its_checksum(entry, tmp_path):
    download(entry(), tmp_path)
    catalogue.remove(entry(), tmp_path)
    assert downloaded(entry(), tmp_path) is None
    assert download(entry(), tmp_path).checked


@pytest.mark.parametrize("size", ["9" * 5_000, "²", "-1", ""])
def test_a_size_that_is_none_is_not_believed(size):
    for headers in ({"Content-Range": f"bytes 0-1/{size}"}, {"Content-Length": size}):
        assert catalogue._total(SimpleNamespace(headers=headers, status_code=200), 0) is None
