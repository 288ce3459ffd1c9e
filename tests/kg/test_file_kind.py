"""A graph file asked as it lies."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from kgqa_core.errors import SettingsError, SourceRejected
from kgqa_core.kg import kinds
from kgqa_core.kg.base import KnowledgeGraph
from kgqa_core.settings import Settings


def opened(file: Path, tmp_path: Path, **more: object) -> KnowledgeGraph:
    return kinds.open_graph(str(file), Settings(data_dir=tmp_path / "data", **more))  # type: ignore[arg-type]


def told(kg: KnowledgeGraph) -> set[tuple[str, str, str]]:
    return {(s.subject.name, s.relation.name, s.object.name) for s in kg.all_statements()}  # type: ignore[attr-defined]


def test_a_file_is_asked_as_it_lies_and_anew_when_it_has_changed(tmp_path: Path) -> None:
    file = tmp_path / "boats.csv"
    file.write_text("name,harbour\nMoewe,Kiel\n")
    kg = opened(file, tmp_path)
    assert kg.name == "boats"
    assert ("Moewe", "harbour", "Kiel") in told(kg)
    kept = list((tmp_path / "data" / "files").iterdir())
    opened(file, tmp_path)
    assert list((tmp_path / "data" / "files").iterdir()) == kept
    del kg
    file.write_text("name,harbour\nMoewe,Emden\n")
    os.utime(file, ns=(1, 1))
    assert ("Moewe", "harbour", "Emden") in told(opened(file, tmp_path))
    assert len(list((tmp_path / "data" / "files").iterdir())) == 1


def test_what_cannot_be_read_of_it_is_told_and_nothing_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "boats.tsv"
    file.write_text("Moewe\tharbour\tKiel\nMoewe\tharbour\nLerche\tharbour\tKiel\n")
    with pytest.raises(SourceRejected, match=r"boats\.tsv, line 2.*kgqa_core load"):
        opened(file, tmp_path)
    assert not list((tmp_path / "data" / "files").iterdir())


def test_two_at_once_are_asked_one_graph(tmp_path: Path) -> None:
    file = tmp_path / "boats.csv"
    file.write_text("name,harbour\n" + "".join(f"Boat {n},Kiel\n" for n in range(300)))
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: opened(file, tmp_path), range(4)))
    assert len(list((tmp_path / "data" / "files").iterdir())) == 1


def test_a_hosted_app_opens_no_file_and_a_large_one_is_loaded_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "boats.csv"
    file.write_text("name,harbour\nMoewe,Kiel\n")
    with pytest.raises(SettingsError, match="hosted"):
        opened(file, tmp_path, hosted=True)
    monkeypatch.setattr("kgqa_core.kg.kinds.file._MOST", 5)
    with pytest.raises(SettingsError, match="kgqa_core load"):
        opened(file, tmp_path)
