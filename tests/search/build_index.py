"""Builds an index of many made-up statements: `python -m tests.search.build_index DIR N`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from kgqa_core.facts.terms import Entity, Relation, Statement
from kgqa_core.kg.base import GraphInfo
from kgqa_core.search.index import Index
from tests.servers.chroma import word_encoder


class MadeUp:
    """A graph of `size` statements that can be read whole, and does nothing else."""

    name = "made up"

    def __init__(self, size: int, fingerprint: str = "f") -> None:
        self.size = size
        self.fingerprint = fingerprint

    def info(self) -> GraphInfo:
        return GraphInfo(self.name, self.size, self.size, 1, f"{self.fingerprint}{self.size}")

    def all_statements(self) -> Iterator[Statement]:
        relation = Relation("http://x/r", "follows")
        for i in range(self.size):
            near, far = (Entity(f"http://x/{n}", f"thing {n}") for n in (i, i + 1))
            yield Statement(near, relation, far, source=self.name)


def index_of(folder: Path, size: int, where: Path | str = "", **kwargs) -> Index:
    return Index(MadeUp(size, **kwargs), word_encoder(folder), where or folder / "index")


if __name__ == "__main__":
    folder, size = Path(sys.argv[1]), int(sys.argv[2])
    index = index_of(folder, size)
    print("start", flush=True)
    index.build(lambda progress: print(progress.done, flush=True))
    print("end", flush=True)
