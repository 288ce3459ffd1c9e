"""A Chroma server of our own on a loopback port, and encoders for tests of the index."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache, lru_cache
from pathlib import Path

import numpy as np
import requests

from kgqa_core.search.encoder import Encoder
from kgqa_core.settings import Settings
from tests.patience import PATIENCE_S, wait_until
from tests.ports import free_port


@contextmanager
def chroma_server(folder: Path) -> Iterator[str]:
    """Yields the URL of a server over the folder; it is gone afterwards."""
    port = free_port()
    command = [str(Path(sys.executable).parent / "chroma"), "run", "--path", str(folder)]
    server = subprocess.Popen(
        [*command, "--host", "127.0.0.1", "--port", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    url = f"http://127.0.0.1:{port}"
    try:
        wait_until(lambda: server.poll() is not None or _answers(url), "it did not start")
        assert server.poll() is None, "the Chroma server did not start"
        yield url
    finally:
        server.kill()
        server.wait()


def _answers(url: str) -> bool:
    try:
        return requests.get(f"{url}/api/v2/heartbeat", timeout=PATIENCE_S).ok
    except requests.RequestException:
        return False


class WordHash:
    """Texts that share words are near to each other. Instant, and the same in every process."""

    version = "1"

    def __init__(self, dim: int = 64, salt: str = "") -> None:
        self.dim = dim
        self._salt = salt

    def encode(self, texts: Sequence[str], query: bool = False) -> np.ndarray:
        vectors = np.zeros((len(texts), self.dim), dtype=np.float32)
        for row, text in zip(vectors, texts, strict=True):
            for word in re.findall(r"\w+", text.casefold()) or [""]:
                row += _direction(self._salt + word, self.dim)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@lru_cache(maxsize=20_000)
def _direction(word: str, dim: int) -> np.ndarray:
    seed = hashlib.blake2b(word.encode(), digest_size=4).digest()
    return np.random.default_rng(int.from_bytes(seed, "big")).normal(size=dim)


def word_encoder(folder: Path, model: WordHash | None = None, name: str = "words") -> Encoder:
    settings = Settings(data_dir=folder, encoder=name)
    return Encoder(settings, load=lambda _: model or WordHash())


@cache
def real_encoder() -> Encoder:
    """MiniLM, loaded once for all tests of a session."""
    return Encoder(Settings(data_dir=Path(tempfile.mkdtemp(prefix="kgqa-vectors-"))))
