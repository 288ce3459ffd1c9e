"""Names as people give them (`starter`, `offline`, …) opened as graphs, models and setups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel

from kgqa_core.ask.audit import Auditing, Auditor
from kgqa_core.ask.llm import LLM
from kgqa_core.ask.method import Method
from kgqa_core.ask.run import Budget
from kgqa_core.ask.setup import Setup
from kgqa_core.background import Once
from kgqa_core.errors import SettingsError
from kgqa_core.facts.terms import Passage
from kgqa_core.kg import kinds
from kgqa_core.kg.base import KnowledgeGraph
from kgqa_core.kg.kinds import open_graph as open_graph  # by its name
from kgqa_core.llm.kinds import PACKAGES, models
from kgqa_core.methods import METHODS
from kgqa_core.methods.others import is_file
from kgqa_core.settings import Settings

if TYPE_CHECKING:
    from kgqa_core.search.encoder import Encoder
    from kgqa_core.search.index import Index


def open_index(
    kg: KnowledgeGraph,
    encoder: Encoder,
    settings: Settings,
    source: str = "",
    folders: Sequence[Path] | None = None,
) -> Index:
    """The vector index of a graph, in the data folder or on a Chroma server. Nothing is built.

    `source` is what `open_graph` took. Passages are read from `folders`; without any, from the
    texts that the list of graphs names for this one, and those that come with the app's own.
    """
    from kgqa_core.kg.registry import Registry
    from kgqa_core.search.index import Index
    from kgqa_core.search.passages import read_folders, starter_passages

    source = kinds.written(source) if source else kg.name
    own = folders is None
    if folders is None:
        folders = [t.folder for t in Registry(settings.data_dir).texts(source)]
    texts = list(folders)

    def passages() -> list[Passage]:
        strange = [t for t in texts if not t.resolve().is_relative_to(settings.data_dir.resolve())]
        if settings.hosted and strange:
            raise SettingsError(
                f"A hosted app opens only folders in {settings.data_dir}: upload the texts."
            )
        comes_with = starter_passages() if own and kinds.BUILT_IN & {*kinds.parts(source)} else []
        return [*comes_with, *read_folders(texts)]

    return Index(
        kg,
        encoder,
        index_place(settings),
        passages,
        source=source,
        texts="" if own else ",".join(str(folder.absolute()) for folder in texts),
    )


def index_place(settings: Settings) -> Path | str:
    """Where vectors are kept: a folder, or the address of a server."""
    return settings.chroma_url or settings.data_dir / "index"


def open_model(name: str, settings: Settings, encoder: Encoder | None = None) -> LLM:
    """Raises SettingsError for a name that is none, or for a model without key and endpoint."""
    found = models()
    if name not in found:
        raise SettingsError(f"There is no model “{name}”. Choose one of: {', '.join(found)}.")
    return found[name].open(settings, encoder)


def open_auditor(how: Auditing) -> Auditor | None:
    """Who checks the answers of runs: nobody, the built-in reader, or the model of each run."""
    if how == "off":
        return None
    return Auditor(_reading() if how == "reader" else None)


@Once
def _reading() -> LLM:
    from kgqa_core.llm.offline import Offline

    return Offline()


def find_method(name: str) -> Method:
    """By its name, or `path/to/file.py:solve`. Raises SettingsError for what names none."""
    if is_file(name):
        return METHODS.read(name)
    if name not in METHODS:
        raise SettingsError(
            f"There is no method “{name}”. Choose one of: {', '.join(METHODS)}, or "
            "write path/to/file.py:solve for one of your own."
        )
    return METHODS[name]


def extension_problems() -> list[str]:
    """Why what other packages bring could not be used, a sentence each."""
    return [*METHODS.problems, *kinds.PACKAGES.problems, *PACKAGES.problems]


def open_setup(
    method: Method,
    params: BaseModel,
    graph: str,
    llm: str,
    settings: Settings,
    *,
    passages: Sequence[Path] | None = None,
    sources: Sources | None = None,
) -> Setup:
    """All that a method needs, opened by names. `sources` are those that are open already."""
    sources = sources or open_sources(graph, llm, settings)
    return Setup(
        method,
        params,
        sources.kg,
        sources.llm,
        budget_of(settings),
        open_index(sources.kg, sources.encoder, settings, graph, passages),
        open_auditor(settings.audit),
        method.equip(settings) if method.equip else None,
        graph_source=kinds.without_login(graph),
        model_source=llm,
    )


@dataclass(frozen=True)
class Sources:
    """A graph, a model and an encoder, which several methods may share."""

    kg: KnowledgeGraph
    llm: LLM
    encoder: Encoder


def open_sources(graph: str, llm: str, settings: Settings) -> Sources:
    from kgqa_core.search.encoder import Encoder

    encoder = Encoder(settings)
    return Sources(open_graph(graph, settings), open_model(llm, settings, encoder), encoder)


def budget_of(settings: Settings) -> Budget:
    """What one run may use."""
    return Budget(settings.max_llm_calls, settings.max_tokens, settings.max_seconds)
