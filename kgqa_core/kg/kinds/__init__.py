"""The kinds of graphs, a file each, and the one table that names them.

A kind is how a name becomes a graph, and a row: see `docs/extending.md`.
"""

from __future__ import annotations

from urllib.parse import urlsplit, urlunsplit

from kgqa_core.errors import SettingsError
from kgqa_core.extensions import Extensions
from kgqa_core.kg.base import KnowledgeGraph
from kgqa_core.kg.kinds import endpoint, file, folder, known, starter, union, wikidata
from kgqa_core.kg.kinds.source import Source
from kgqa_core.settings import Settings

_TABLE = (  # the first that takes a name opens it
    known.SOURCE,
    starter.SOURCE,
    wikidata.SOURCE,
    union.SOURCE,
    endpoint.SOURCE,
    file.SOURCE,
    folder.SOURCE,
    folder.LOADED,
)
BUILT_IN = frozenset({known.SOURCE.name, starter.SOURCE.name})  # need no key and no network
_PARAMETERS = frozenset({"default-graph-uri", "named-graph-uri"})  # of the protocol: no secrets
_GONE = Source("", folder.SOURCE.open, "of a kind that is not installed", "help")


def _made(thing: object, name: str) -> Source:
    if not isinstance(thing, Source):
        raise SettingsError("give a kgqa_core.kg.kinds.source.Source.")
    if thing.kind in {source.kind for source in _TABLE}:
        raise SettingsError(f"there is a kind of graph “{thing.kind}” already, rename yours.")
    return thing


PACKAGES = Extensions("kgqa_explorer.graphs", _made)


def kinds() -> tuple[Source, ...]:
    """Those of the table and those other packages bring, which come before any address or path."""
    at = _TABLE.index(endpoint.SOURCE)
    return (*_TABLE[:at], *PACKAGES.found, *_TABLE[at:])


def of_kind(kind: str) -> Source:
    """By what is kept with a graph of the list; a stand-in for a kind that is gone."""
    return next((source for source in kinds() if source.kind == kind), _GONE)


def of_name(name: str) -> Source | None:
    """Who opens a name; None: nobody."""
    named = next((source for source in kinds() if name and source.name == name), None)
    return named or next((source for source in kinds() if name and source.takes(name)), None)


def open_graph(name: str, settings: Settings) -> KnowledgeGraph:
    """A graph by its name, several by theirs with commas between them: their union.

    Raises SettingsError for a name that is none, SourceError for a graph that is broken.
    """
    name = ",".join(parts(name))
    source = of_name(name)
    if source is None:
        *most, last = names()
        raise SettingsError(
            f"There is no graph “{name}”. Choose one of: {', '.join(most)}, or {last}."
        )
    return source.open(name, settings)


def begin_graph(name: str, settings: Settings) -> bool:
    """Begins to get a graph ready where its first opening takes long; whether that goes on."""
    return any(source.begin(settings) for source in map(of_name, parts(name)) if source)


def parts(name: str) -> list[str]:
    """The names in a name."""
    return [part.strip() for part in name.split(",") if part.strip()]


def fingerprint(name: str) -> str:
    """Of a graph that comes with the app, without opening it; empty for any other."""
    source = of_name(name)
    return source.fingerprint() if source is not None else ""


def names() -> list[str]:
    """How graphs are named, for people."""
    return [source.name or source.named for source in kinds() if source.name or source.named]


def title(name: str) -> str:
    """What a graph is called before people: by its usual name, or as it is written."""
    named = {source.name: source.title for source in kinds() if source.name and source.title}
    return ", ".join(named.get(one, one) for one in parts(name)) or name


def written(name: str) -> str:
    """The one way to write what names a graph: paths in full."""
    sources = ((one, of_name(one) or folder.SOURCE) for one in parts(name))
    return ",".join(source.written(one) for one, source in sources)


def without_login(name: str) -> str:
    """What names a graph, for people and files: of addresses no password, and no parameter that may
    be a key."""
    return ",".join(map(_public, name.split(",")))


def _public(part: str) -> str:
    if "://" not in part:
        return part
    try:
        address = urlsplit(part)
    except ValueError:
        return part.partition("://")[0] + "://"
    kept = [one for one in address.query.split("&") if one.partition("=")[0] in _PARAMETERS]
    host = address.netloc.rpartition("@")[2]
    return urlunsplit(address._replace(netloc=host, query="&".join(kept), fragment=""))


def shared(name: str) -> bool:
    """Whether a name means the same graph on another machine."""
    return all((of_name(one) or folder.SOURCE).shared for one in parts(name))
