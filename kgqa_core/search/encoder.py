"""Texts to unit vectors, for every place that compares meanings.

`KGQA_ENCODER` names the model: `minilm` (installed with the app), a sentence-transformers model
by name or folder (`QUESTIONS|PASSAGES` for a pair of them, as DPR is), or `openai:MODEL` for
the embeddings endpoint of OPENAI_BASE_URL. No weights are downloaded.

Importing this module is cheap: libraries and weights load in the background, by `warm()`.
"""

from __future__ import annotations

import hashlib
import json
import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from urllib.request import Request

from kgqa_core import network
from kgqa_core.errors import KGQAError, SettingsError, SourceRejected, SourceUnavailable
from kgqa_core.settings import OPENAI as OPENAI_URL
from kgqa_core.settings import Settings, checked_key, given_endpoint

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

MINILM, OPENAI = "minilm", "openai:"
_TRIES, _PATIENCE_S = 3, 10.0  # of one request to an embeddings endpoint
_CHUNK = 512  # texts encoded before another thread gets its turn
_log = logging.getLogger(__name__)


class Model(Protocol):
    """What an encoder needs of a model. `version` tells two models of one name apart."""

    dim: int
    version: str

    def encode(self, texts: Sequence[str], query: bool = False) -> Vectors: ...


class Encoder:
    """One model, loaded once, safe to use from several threads.

    Texts are deduplicated, and vectors kept on disk by text and model, so nothing is encoded
    twice. `encode` blocks until the model is loaded; `ready` and `state` never block.
    """

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        load: Callable[[Settings], Model] | None = None,
    ) -> None:
        self._settings = settings or Settings()
        self._load_model = load or load_model
        self.name = self._settings.encoder
        self._kept = VectorCache(self._settings.data_dir / "vectors.sqlite3")
        self._model: Future[Model] | None = None
        self._since = 0.0
        self._starting = threading.Lock()
        self._encoding = threading.Lock()

    # -- loading -------------------------------------------------------------------------

    def warm(self, then: Callable[[], object] | None = None) -> None:
        """Starts loading in the background, unless that was done. Tries again after a failure.

        `then` is called in the thread that loaded, or tried to.
        """
        with self._starting:
            if self._model and not (self._model.done() and self._model.exception()):
                return
            self._model, self._since = Future(), time.monotonic()
            if then is not None:
                self._model.add_done_callback(lambda _: then())
            threading.Thread(
                target=self._load, args=(self._model,), name="kgqa-encoder", daemon=True
            ).start()

    def _load(self, model: Future[Model]) -> None:
        try:
            model.set_result(self._load_model(self._settings))
        except KGQAError as error:
            model.set_exception(error)
        except Exception as error:
            _log.exception("the encoder cannot be loaded")
            model.set_exception(
                SettingsError(
                    f"The encoder {self.name} cannot be loaded: {error}. Set KGQA_ENCODER to "
                    f"another model, or to {MINILM}."
                )
            )

    @property
    def ready(self) -> bool:
        return bool(self._model and self._model.done() and not self._model.exception())

    @property
    def state(self) -> str:
        """`cold`, `warming 3 s`, `ready` or `failed: …`."""
        if self._model is None:
            return "cold"
        if not self._model.done():
            return f"warming {time.monotonic() - self._since:.0f} s"
        error = self._model.exception()
        return f"failed: {error}" if error else "ready"

    def _loaded(self) -> Model:
        self.warm()
        assert self._model
        return self._model.result()

    # -- using ---------------------------------------------------------------------------

    @property
    def dim(self) -> int:
        return self._loaded().dim

    @property
    def version(self) -> str:
        return self._loaded().version

    @property
    def problem(self) -> str:
        """What is wrong without stopping anything: a cache that cannot be written."""
        return self._kept.problem

    def encode(self, texts: Sequence[str], *, query: bool = False, keep: bool = True) -> Vectors:
        """A float32 array (n, dim) of unit rows, in input order.

        `query` matters to models that encode questions and passages differently. `keep` False
        leaves the cache alone: an index under construction keeps its vectors itself.
        Raises SettingsError, SourceUnavailable or SourceRejected.
        """
        import numpy as np

        model = self._loaded()
        vectors = np.empty((len(texts), model.dim), dtype=np.float32)
        places: dict[str, list[int]] = {}
        for i, text in enumerate(texts):
            places.setdefault(text, []).append(i)
        keys = {text: _key(self.name, model.version, query, text) for text in places}
        known = self._kept.get(list(keys.values())) if keep else {}
        new = []
        for text, at in places.items():
            data = known.get(keys[text])
            if data is not None and len(data) == 4 * model.dim:
                vectors[at] = np.frombuffer(data, dtype=np.float32)
            else:
                new.append(text)
        for start in range(0, len(new), _CHUNK):
            chunk = new[start : start + _CHUNK]
            with self._encoding:
                encoded = model.encode(chunk, query)
            for text, vector in zip(chunk, encoded, strict=True):
                vectors[places[text]] = vector
            if keep:
                rows = zip(chunk, encoded, strict=True)
                self._kept.put({keys[text]: vector.tobytes() for text, vector in rows})
        return vectors


def _key(name: str, version: str, query: bool, text: str) -> bytes:
    joined = "\0".join((name, version, "q" if query else "p", text))
    return hashlib.blake2b(joined.encode("utf-8", "replace"), digest_size=16).digest()


class VectorCache:
    """Vectors by key: the latest in memory, more on disk. Never stops anybody.

    A disk that is full, read-only or damaged is mentioned once, and then left alone.
    """

    # Not diskcache: last released in 2023, one query a key (5,000 vectors: 0.16 s to read and
    # 0.44 s to write, here 0.10 s and 0.20 s), and nothing is kept in memory (2 ms).

    in_memory, on_disk = 20_000, 100_000  # vectors

    def __init__(self, file: Path) -> None:
        self.file = file
        self.problem = ""
        self._recent: dict[bytes, bytes] = {}
        self._lock = threading.Lock()
        self._db: sqlite3.Connection | None = None

    def get(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        with self._lock:
            found = {key: self._recent[key] for key in keys if key in self._recent}
            missing = [key for key in keys if key not in found]
            if self.problem:
                return found
            try:
                for start in range(0, len(missing), 500):
                    some = missing[start : start + 500]
                    marks = ",".join("?" * len(some))
                    rows = self._open().execute(
                        f"SELECT key, vector FROM vectors WHERE key IN ({marks})", some
                    )
                    for key, vector in rows:
                        found[key] = vector
                        self._remember(key, vector)
            except (sqlite3.Error, OSError) as error:
                self._give_up(error)
            return found

    def put(self, vectors: dict[bytes, bytes]) -> None:
        with self._lock:
            for key, vector in vectors.items():
                self._remember(key, vector)
            if self.problem:
                return
            try:
                with (db := self._open()):
                    db.executemany(
                        "INSERT OR REPLACE INTO vectors(key, vector) VALUES (?, ?)", vectors.items()
                    )
                    db.execute(
                        "DELETE FROM vectors WHERE rowid <= (SELECT max(rowid) FROM vectors) - ?",
                        (self.on_disk,),
                    )
            except (sqlite3.Error, OSError) as error:
                self._give_up(error)

    def _open(self) -> sqlite3.Connection:
        if self._db is None:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(self.file, timeout=5, check_same_thread=False)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=OFF")  # losing a vector costs a millisecond
            self._db.execute(
                "CREATE TABLE IF NOT EXISTS vectors(key BLOB PRIMARY KEY, vector BLOB)"
            )
        return self._db

    def _remember(self, key: bytes, vector: bytes) -> None:
        self._recent[key] = vector
        while len(self._recent) > self.in_memory:
            del self._recent[next(iter(self._recent))]

    def _give_up(self, error: Exception) -> None:
        self.problem = (
            f"Vectors cannot be kept in {self.file} ({error}); they are computed anew after a "
            "restart. Free some space or set KGQA_DATA_DIR."
        )
        _log.warning(self.problem)
        if self._db is not None:
            self._db.close()
            self._db = None


# -- models ------------------------------------------------------------------------------


def load_model(settings: Settings) -> Model:
    """The model that `settings.encoder` names. Takes seconds; raises SettingsError."""
    name = settings.encoder
    if name == MINILM:
        from kgqa_core.search.minilm import MiniLM

        return MiniLM()
    if name.startswith(OPENAI):
        return OpenAIEmbeddings(name.removeprefix(OPENAI), settings)
    return SentenceTransformers(name)


class SentenceTransformers:
    """Any sentence-transformers model that is on this machine, with its own prompts."""

    def __init__(self, name: str) -> None:
        questions, _, passages = name.partition("|")
        self._questions = _sentence_transformer(questions)
        self._passages = _sentence_transformer(passages) if passages else self._questions
        self.dim = self._passages.get_embedding_dimension()
        self.version = hashlib.sha256(
            "".join(_weights_of(model) for model in (self._questions, self._passages)).encode()
        ).hexdigest()[:12]
        if self._questions.get_embedding_dimension() != self.dim:
            raise SettingsError(
                f"The two models of KGQA_ENCODER={name} have vectors of different length; they "
                "do not belong together."
            )

    def encode(self, texts: Sequence[str], query: bool = False) -> Vectors:
        model = self._questions.encode_query if query else self._passages.encode_document
        return model(list(texts), normalize_embeddings=True, show_progress_bar=False)


def _sentence_transformer(name: str):  # type: ignore[no-untyped-def]
    from sentence_transformers import SentenceTransformer

    try:
        return SentenceTransformer(name, device="cpu", local_files_only=True)
    except (OSError, ValueError) as error:
        raise SettingsError(
            f"The encoder {name} is not on this machine, and nothing is downloaded unasked. Fetch "
            f"it with `hf download {name}`, or set KGQA_ENCODER={MINILM}."
        ) from error


def _weights_of(model) -> str:  # type: ignore[no-untyped-def]
    """A few numbers of every layer: another training, another version."""
    return ",".join(f"{w:.5g}" for p in model.parameters() for w in p.flatten()[:4].tolist())


class OpenAIEmbeddings:
    """The embeddings endpoint of OPENAI_BASE_URL. Texts leave this machine."""

    batch = 256

    def __init__(self, model: str, settings: Settings) -> None:
        if settings.openai_api_key is None and settings.openai_base_url is None:
            raise SettingsError(
                f"KGQA_ENCODER={OPENAI}{model} needs OPENAI_API_KEY, or OPENAI_BASE_URL for a "
                "local server."
            )
        self._model = model
        self._url = (settings.openai_base_url or OPENAI_URL).rstrip("/") + "/embeddings"
        self._where = f"The embeddings endpoint {network.host_of(self._url)}"
        self._key = checked_key(settings.openai_api_key) or "none"
        self._timeout_s = settings.llm_timeout_s
        self._hosted = settings.hosted
        self._public = settings.hosted and not given_endpoint(settings)
        self.version = ""
        self.dim = self.encode(["one text, to learn the length of the vectors"]).shape[1]

    def encode(self, texts: Sequence[str], query: bool = False) -> Vectors:
        import numpy as np

        rows: list[list[float]] = []
        for start in range(0, len(texts), self.batch):
            # an empty text is refused by some servers
            rows += self._rows([text or " " for text in texts[start : start + self.batch]])
        try:
            vectors = np.asarray(rows, dtype=np.float32).reshape(len(texts), -1)
        except (ValueError, TypeError, OverflowError) as error:
            raise self._unreadable() from error
        return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)

    def _rows(self, texts: list[str]) -> list[list[float]]:
        asked = json.dumps({"model": self._model, "input": texts, "encoding_format": "float"})
        for attempt in range(_TRIES):
            reply = network.fetch(
                Request(
                    self._url,
                    asked.encode(),
                    {"Authorization": f"Bearer {self._key}", "Content-Type": "application/json"},
                ),
                self._where,
                timeout_s=self._timeout_s,
                public=self._public,
                setting="KGQA_LLM_TIMEOUT_S",
            )
            wait_s = network.retry_after(reply.headers) or 0.5 * 2**attempt
            passing = reply.status == 429 or reply.status >= 500
            if not passing or wait_s > _PATIENCE_S or attempt == _TRIES - 1:
                break
            time.sleep(wait_s)
        if reply.status != 200:
            said = network.short(reply.body[:1_000].decode("utf-8", "replace"))
            failing = SourceUnavailable if passing else SourceRejected
            raise failing(
                f"{self._where} refused the model {self._model} ({reply.status}"
                f"{'' if self._hosted else f': {said}'}). Check KGQA_ENCODER and OPENAI_API_KEY.",
                source=self._where,
            )
        try:
            data = network.read_json(reply.body)["data"]
            rows = [row["embedding"] for row in sorted(data, key=lambda row: row["index"])]
        except (ValueError, LookupError, TypeError) as error:
            raise self._unreadable() from error
        if len(rows) != len(texts):
            raise SourceUnavailable(
                f"{self._where} sent {len(rows)} vectors for {len(texts)} texts.",
                source=self._where,
            )
        return rows

    def _unreadable(self) -> SourceUnavailable:
        return SourceUnavailable(
            f"{self._where} sent a reply that cannot be read. Try again, or set "
            f"KGQA_ENCODER={MINILM}.",
            source=self._where,
        )
