"""Encoders: MiniLM against sentence-transformers, the cache on disk, models that are not there."""

import subprocess
import sys
import threading

import numpy as np
import pytest

from kgqa_core.errors import SettingsError, SourceRejected, SourceUnavailable
from kgqa_core.search.encoder import Encoder, VectorCache
from kgqa_core.settings import Settings
from tests.servers.chroma import WordHash, real_encoder, word_encoder
from tests.servers.loopback import Loopback, Quiet

TEXTS = [
    "Who directed Written on the Wind?",
    "Douglas Sirk — director of — Imitation of Life",
    "",
    "Ulm",
    "Köln, 北京, Ω, 👑",
    "a word " * 1000,
    "Douglas Sirk — director of — Imitation of Life",
]


@pytest.fixture
def minilm():
    """Imported by who needs it: torch takes seconds."""
    from kgqa_core.search import minilm

    return minilm


def test_importing_it_loads_no_heavy_library():
    code = (
        "import sys, kgqa_core.search.encoder, kgqa_core.search.index, kgqa_core.search.passages\n"
        "print([m for m in ('torch', 'sentence_transformers', 'chromadb') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_it_warms_in_the_background(tmp_path):
    held = threading.Event()

    def slow(_):
        held.wait()
        return WordHash()

    encoder = Encoder(Settings(data_dir=tmp_path), load=slow)
    assert encoder.state == "cold"
    encoder.warm()
    encoder.warm()
    assert encoder.state == "warming 0 s"
    assert not encoder.ready
    held.set()
    assert encoder.encode(["a"]).shape == (1, 64)
    assert encoder.state == "ready"
    assert encoder.ready


def test_a_failure_is_told_and_another_try_is_possible(tmp_path):
    tries = []

    def load(_):
        tries.append(1)
        if len(tries) == 1:
            raise OSError("disk gone")
        return WordHash()

    encoder = Encoder(Settings(data_dir=tmp_path), load=load)
    with pytest.raises(SettingsError, match="disk gone"):
        encoder.encode(["a"])
    assert encoder.state.startswith("failed: The encoder minilm cannot be loaded: disk gone")
    assert len(encoder.encode(["a"])) == 1


def test_vectors_are_unit_rows_in_input_order():
    vectors = real_encoder().encode(TEXTS)
    assert vectors.shape == (7, 384)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert np.array_equal(vectors[1], vectors[6])
    assert real_encoder().encode([]).shape == (0, 384)
    each = np.concatenate([real_encoder().encode([text], keep=False) for text in TEXTS])
    assert ((each * vectors).sum(axis=1) > 0.9995).all()


@pytest.mark.scale  # imports sentence-transformers
def test_minilm_gives_the_vectors_of_sentence_transformers(minilm):
    from sentence_transformers import SentenceTransformer

    folder = minilm.bundled()
    theirs = SentenceTransformer(str(folder), device="cpu", local_files_only=True).encode(
        TEXTS, normalize_embeddings=True, show_progress_bar=False
    )
    exact = minilm.MiniLM(bf16=False).encode(TEXTS)
    assert ((exact * theirs).sum(axis=1) > 0.99999).all()
    assert ((minilm.MiniLM(bf16=True).encode(TEXTS) * theirs).sum(axis=1) > 0.9995).all()


@pytest.mark.scale  # imports sentence-transformers
def test_any_sentence_transformers_model_and_pairs_of_them(minilm, tmp_path):
    folder = minilm.bundled()
    one = Encoder(Settings(data_dir=tmp_path, encoder=str(folder)))
    assert ((one.encode(TEXTS) * real_encoder().encode(TEXTS)).sum(axis=1) > 0.9995).all()
    two = Encoder(Settings(data_dir=tmp_path, encoder=f"{folder}|{folder}"))
    assert np.allclose(two.encode(TEXTS, query=True), one.encode(TEXTS), atol=1e-5)
    gone = Encoder(Settings(data_dir=tmp_path, encoder="nobody/no-such-model"))
    with pytest.raises(SettingsError, match="nothing is downloaded unasked"):
        gone.encode(["a"])


def test_other_weights_are_not_trusted(minilm, tmp_path):
    (tmp_path / "model.safetensors").write_bytes(b"something else")
    with pytest.raises(SettingsError, match="is not the published MiniLM"):
        minilm.MiniLM(tmp_path)
    with pytest.raises(SettingsError, match="cannot be read"):
        minilm.MiniLM(tmp_path / "nowhere")


# -- the cache ---------------------------------------------------------------------------


class Counting(WordHash):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.texts = []

    def encode(self, texts, query=False):
        self.texts += texts
        return super().encode(texts, query)


def test_nothing_is_encoded_twice_not_even_after_a_restart(tmp_path):
    first = Counting()
    vectors = word_encoder(tmp_path, first).encode(["a", "b", "a"])
    assert first.texts == ["a", "b"]
    again = Counting()
    assert np.array_equal(word_encoder(tmp_path, again).encode(["b", "a"]), vectors[[1, 0]])
    assert again.texts == []


def test_models_and_queries_do_not_share_vectors(tmp_path):
    first = Counting()
    encoder = word_encoder(tmp_path, first)
    encoder.encode(["a"])
    encoder.encode(["a"], query=True)
    other = Counting()
    other.version = "2"
    word_encoder(tmp_path, other).encode(["a"])
    longer = Counting(dim=32)
    word_encoder(tmp_path, longer).encode(["a"])
    assert first.texts == ["a", "a"]
    assert other.texts == longer.texts == ["a"]


@pytest.mark.parametrize("damage", ["a folder", "not a database"])
def test_a_cache_that_cannot_be_used_is_told_once_and_stops_nobody(tmp_path, damage, caplog):
    file = tmp_path / "vectors.sqlite3"
    file.mkdir() if damage == "a folder" else file.write_bytes(b"no database at all" * 100)
    encoder = word_encoder(tmp_path, counting := Counting())
    for _ in range(3):
        assert encoder.encode(["a", "b"]).shape == (2, 64)
    assert counting.texts == ["a", "b"]  # memory still serves
    assert "Vectors cannot be kept" in encoder.problem
    assert len(caplog.records) == 1


def test_the_cache_forgets_the_oldest(tmp_path):
    cache = VectorCache(tmp_path / "v.sqlite3")
    cache.in_memory, cache.on_disk = 2, 3
    for i in range(6):
        cache.put({bytes([i]): b"vector"})
    assert set(cache.get([bytes([i]) for i in range(6)])) == {b"\3", b"\4", b"\5"}


def test_many_threads_at_once(tmp_path):
    encoder = word_encoder(tmp_path)
    texts = [f"text {i}" for i in range(200)]
    expected = WordHash().encode(texts)
    results = []
    threads = [
        threading.Thread(target=lambda: results.append(encoder.encode(texts))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 8
    assert all(np.array_equal(result, expected) for result in results)


# -- an embeddings endpoint --------------------------------------------------------------


class Endpoint(Quiet):
    """Speaks as much of /v1/embeddings as the client needs."""

    status = 200
    body = b""
    location = ""

    def do_POST(self):
        import json

        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        rows = WordHash(dim=8).encode(asked["input"]) * 3  # endpoints need not normalise
        body = {
            "object": "list",
            "model": asked["model"],
            "data": [
                {"object": "embedding", "index": i, "embedding": row.tolist()}
                for i, row in reversed(list(enumerate(rows)))
            ],
            "usage": {"prompt_tokens": 1, "total_tokens": 1},
        }
        if self.status != 200:
            body = {"error": {"message": "no such model", "type": "x", "code": None}}
        data = self.body or json.dumps(body).encode()
        self.send_response(self.status)
        if self.location:
            self.send_header("Location", self.location)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


@pytest.fixture
def endpoint():
    with Loopback(Endpoint) as server:
        yield f"{server.url}/v1"
    Endpoint.status = 200


def endpoint_settings(tmp_path, url):
    return Settings(
        data_dir=tmp_path,
        encoder="openai:some-embedding",
        openai_base_url=url,
        openai_api_key="key",
    )


def test_an_embeddings_endpoint(tmp_path, endpoint):
    encoder = Encoder(endpoint_settings(tmp_path, endpoint))
    assert encoder.dim == 8
    texts = [f"text {i}" for i in range(300)]
    assert np.allclose(encoder.encode(texts), WordHash(dim=8).encode(texts), atol=1e-5)


def test_an_endpoint_that_refuses(tmp_path, endpoint):
    Endpoint.status = 404
    with pytest.raises(SourceRejected, match="refused the model some-embedding"):
        Encoder(endpoint_settings(tmp_path, endpoint)).encode(["a"])


def test_an_endpoint_that_is_not_there(tmp_path):
    with pytest.raises(SourceUnavailable, match="Nothing answers"):
        Encoder(endpoint_settings(tmp_path, "http://127.0.0.1:9/v1")).encode(["a"])


@pytest.mark.parametrize(
    "body",
    [
        *(b"[" * 100_000, b"{}", b"[]", b"5", b"\xff", b'{"data": 5}', b'{"data": []}'),
        *(b'{"data": [{"index": 0}]}', b'{"data": [{"index": 0, "embedding": ["x"]}]}'),
        b'{"data": [{"index": 0, "embedding": [1e999]}]}',
    ],
)
def test_vectors_that_cannot_be_read(tmp_path, endpoint, monkeypatch, body):
    monkeypatch.setattr(Endpoint, "body", body)
    with pytest.raises(SourceUnavailable, match=r"cannot be read|0 vectors for 1 texts"):
        Encoder(endpoint_settings(tmp_path, endpoint)).encode(["a"])


def test_a_hosted_app_takes_no_endpoint_inside_its_network(tmp_path, endpoint, monkeypatch):
    foreign = endpoint_settings(tmp_path, endpoint).model_copy(update={"hosted": True})
    with pytest.raises(SourceRejected, match="inside this network"):
        Encoder(foreign).encode(["a"])
    monkeypatch.setenv("OPENAI_BASE_URL", endpoint)  # unless its operator says so
    assert Encoder(foreign).encode(["a"]).shape == (1, 8)


def test_texts_are_not_sent_on_to_another_address(tmp_path, endpoint, monkeypatch):
    monkeypatch.setattr(Endpoint, "status", 307)
    monkeypatch.setattr(Endpoint, "location", endpoint + "/elsewhere")
    with pytest.raises(SourceRejected, match=r"refused the model some-embedding \(307"):
        Encoder(endpoint_settings(tmp_path, endpoint)).encode(["a"])


def test_an_endpoint_without_a_key(tmp_path, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(SettingsError, match="OPENAI_API_KEY"):
        Encoder(Settings(data_dir=tmp_path, encoder="openai:x")).encode(["a"])
