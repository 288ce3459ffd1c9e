"""The last two layers of MiniLM, trained on questions and ways: assets/ranker/layers.safetensors.

The lower four layers stay as they are, so what they make of every text is computed once. Each
question is told from the ways of its batch, from other ways around the same name, and from some
drawn at random. One seed; on a processor the same machine gives the same weights.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import time
from pathlib import Path

import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from kgqa_core.search.minilm import HEADS, LAYERS, WIDTH, MiniLM, bundled
from tests.places import ROOT
from tests.training import pairs

LOWER = LAYERS - 2
BATCH, RANDOM, SCALE, RATE, SEED = 96, 24, 20.0, 2e-4, 17
OUT = ROOT / "assets" / "ranker" / "layers.safetensors"
_EPSILON = 1e-12
_TOGETHER = 48  # texts in one pass
_LENGTH = 40  # tokens of a question or way


class Layer(nn.Module):
    """One layer of BERT, by the names that its published weights have."""

    def __init__(self, weights: dict[str, Tensor], at: str) -> None:
        super().__init__()
        own = {k.removeprefix(at): v.clone() for k, v in weights.items() if k.startswith(at)}
        self.names = {k.replace(".", "_"): at + k for k in own}
        for name, value in own.items():
            setattr(self, name.replace(".", "_"), nn.Parameter(value.float()))

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        def linear(name: str, y: Tensor) -> Tensor:
            return F.linear(y, getattr(self, f"{name}_weight"), getattr(self, f"{name}_bias"))

        def norm(name: str, y: Tensor) -> Tensor:
            weight, bias = getattr(self, f"{name}_weight"), getattr(self, f"{name}_bias")
            return F.layer_norm(y, (WIDTH,), weight, bias, _EPSILON)

        n, length, _ = x.shape
        q, k, v = (
            linear(f"attention_self_{part}", x).view(n, length, HEADS, -1).transpose(1, 2)
            for part in ("query", "key", "value")
        )
        seen = F.scaled_dot_product_attention(q, k, v, attn_mask=mask.to(q.dtype))
        seen = seen.transpose(1, 2).reshape(n, length, WIDTH)
        x = norm("attention_output_LayerNorm", x + linear("attention_output_dense", seen))
        inner = F.gelu(linear("intermediate_dense", x))
        return norm("output_LayerNorm", x + linear("output_dense", inner))


class Upper(nn.Module):
    def __init__(self, weights: dict[str, Tensor]) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            Layer(weights, f"encoder.layer.{i}.") for i in range(LOWER, LAYERS)
        )

    def forward(self, x: Tensor, real: Tensor) -> Tensor:
        mask = torch.zeros(real.shape, device=x.device).masked_fill(~real, float("-inf"))
        mask = mask[:, None, None, :]
        for layer in self.layers:
            x = layer(x, mask)
        return F.normalize((x.float() * real[..., None]).sum(1), dim=1)

    def weights(self) -> dict[str, Tensor]:
        return {
            layer.names[k]: v.detach().cpu().half().contiguous()  # type: ignore[index]
            for layer in self.layers
            for k, v in layer.named_parameters()
        }


class Below:
    """What the lower layers make of each text, computed once."""

    def __init__(self, texts: list[str]) -> None:
        model = MiniLM()
        tokens = [ids[:_LENGTH] for ids in model.tokens(texts)]
        self.place: dict[str, Tensor] = {}
        order = sorted(range(len(texts)), key=lambda i: len(tokens[i]))
        with torch.inference_mode():
            for start in range(0, len(order), 64):
                some = order[start : start + 64]
                x, real = model.states([tokens[i] for i in some], LOWER)
                for i, row, there in zip(some, x, real, strict=True):
                    self.place[texts[i]] = row[there].half().clone()

    def vectors(self, upper: Upper, texts: list[str]) -> Tensor:
        """A unit vector a text; texts of a length go together, so that little is padding."""
        device = next(upper.parameters()).device
        order = sorted(range(len(texts)), key=lambda i: len(self.place[texts[i]]))
        rows: list[Tensor] = []
        for start in range(0, len(order), _TOGETHER):
            some = [texts[i] for i in order[start : start + _TOGETHER]]
            rows.append(upper(*(t.to(device) for t in self.batch(some))))
        back = torch.tensor(sorted(range(len(order)), key=order.__getitem__), device=device)
        return torch.cat(rows)[back]

    def batch(self, texts: list[str]) -> tuple[Tensor, Tensor]:
        rows = [self.place[t] for t in texts]
        x = nn.utils.rnn.pad_sequence(rows, batch_first=True).float()
        lengths = torch.tensor([len(r) for r in rows])
        return x, torch.arange(x.shape[1])[None] < lengths[:, None]


def train(epochs: float, stop: int, out: Path, seed: int = SEED) -> None:
    """`stop`: the step after which it ends, though the rate was to fall for all epochs."""
    rng = random.Random(seed)
    torch.manual_seed(seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    found = pairs.build()
    held, found = found[:500], found[500:]
    ways = sorted({p.way for p in found} | {o for p in found for o in p.others})
    texts = sorted({p.question for p in (*found, *held)} | set(ways) | {p.way for p in held})
    texts = sorted({*texts, *(o for p in held for o in p.others)})
    print(f"{len(found)} pairs, {len(ways)} ways, {len(texts)} texts", flush=True)
    below = Below(texts)
    upper = Upper(load_file(bundled() / "model.safetensors")).to(device)
    steps = int(epochs * len(found) / BATCH)
    best = torch.optim.AdamW(upper.parameters(), lr=RATE, weight_decay=0.01)
    warm = max(1, steps // 20)
    slope = torch.optim.lr_scheduler.LambdaLR(
        best, lambda n: min((n + 1) / warm, max(0.02, 1 - n / steps))
    )
    began, losses = time.monotonic(), []
    queue: list[list[pairs.Pair]] = []
    print(f"before: {check(upper, below, held):.3f}", flush=True)
    for step in range(min(steps, stop)):
        queue = queue or _batches(found, rng)
        batch = queue.pop()
        hard = [rng.choice(p.others) for p in batch if p.others]
        answers = list(dict.fromkeys([*(p.way for p in batch), *hard, *rng.sample(ways, RANDOM)]))
        gold = torch.tensor([answers.index(p.way) for p in batch], device=device)
        with torch.autocast(device, dtype=torch.bfloat16):
            asked = below.vectors(upper, [p.question for p in batch])
            told = below.vectors(upper, answers)
        loss = F.cross_entropy(SCALE * asked.float() @ told.float().T, gold)
        best.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(upper.parameters(), 1.0)
        best.step()
        slope.step()
        losses.append(float(loss.detach()))
        if step % 25 == 24:
            took = time.monotonic() - began
            print(f"{step + 1} of {steps}: {sum(losses[-25:]) / 25:.3f}, {took:.0f} s", flush=True)
        if step % 100 == 99:
            save(upper, out)
    print(f"after: {check(upper, below, held):.3f}", flush=True)
    save(upper, out)


def _batches(found: list[pairs.Pair], rng: random.Random) -> list[list[pairs.Pair]]:
    """All pairs once, questions of about one length together, in any order."""
    order = sorted(found, key=lambda p: len(p.question) * rng.uniform(0.7, 1.3))
    cut = range(0, len(order) - BATCH + 1, BATCH)
    batches = [order[start : start + BATCH] for start in cut]
    rng.shuffle(batches)
    return batches


@torch.inference_mode()
def check(upper: Upper, below: Below, held: list[pairs.Pair]) -> float:
    """How often the way is nearer than the others around the same name."""
    right = 0
    for p in held:
        vectors = below.vectors(upper, [p.question, p.way, *p.others])
        right += int((vectors[1:] @ vectors[0]).argmax()) == 0
    return right / len(held)


def save(upper: Upper, out: Path) -> None:
    out.parent.mkdir(parents=True, exist_ok=True)
    save_file(upper.weights(), out)
    digest = hashlib.sha256(out.read_bytes()).hexdigest()
    out.with_suffix(".json").write_text(json.dumps({"sha256": digest}) + "\n", encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=float, default=3.0)
    parser.add_argument("--stop", type=int, default=200, help="steps; those that ship had 200")
    parser.add_argument("--out", type=Path, default=OUT)
    args = parser.parse_args()
    train(args.epochs, args.stop, args.out)
