"""Scripts carried out by a real graph database, over Bolt; nothing of them stays there.

PG&AKV (§III-A) executes what the model wrote in Neo4j and decodes the result. Here that is
optional, and a model's script is untrusted: what is sent are the clauses that the interpreter
wrote down again (CREATE, MERGE and SET; values as parameters), into a database that the user
named as throw-away and that is empty, in a transaction that is read back and rolled back. Labels,
types and property names may stay known to the database; no node and no relation does.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import networkx as nx
from pydantic import SecretStr

from kgqa_core.errors import KGQAError, SettingsError, SourceRejected, SourceUnavailable
from kgqa_core.facts.terms import Literal
from kgqa_core.methods.pgakv.cypher.interpret import MAX_NODES, CypherError, Graph, interpret
from kgqa_core.methods.pgakv.cypher.tree import Property, Scalar
from kgqa_core.settings import Settings

if TYPE_CHECKING:
    from neo4j import AsyncSession, AsyncTransaction

MAX_CLAUSES = 500  # in the one statement that a script becomes
_MAX_RELATIONS = 4 * MAX_NODES
_SCHEMES = ("bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc")
_PROBE = "CREATE (:Probe {name: 'probe'})-[:ENDS_AT]->(:Probe {name: 'end'})"
_NUMBER = re.compile(r"(\d+)")
_CLOSING_S = 2.0  # what ending a connection may take beyond the time of the script


@dataclass(frozen=True)
class Scratch:
    """A throw-away database. `timeout_s` bounds all that is done for one script."""

    url: str
    database: str
    user: str = ""
    password: SecretStr | None = None
    timeout_s: float = 30.0

    @classmethod
    def from_settings(cls, settings: Settings) -> Scratch | None:
        """None when no database is configured: scripts are then interpreted here."""
        if not settings.bolt_url:
            return None
        return cls(
            settings.bolt_url,
            settings.bolt_database,
            settings.bolt_user,
            settings.bolt_password,
            settings.bolt_timeout_s,
        )

    @property
    def name(self) -> str:
        return f"“{self.database}” at {urlsplit(self.url).netloc}"

    def carry_out(self, script: Graph) -> Graph:
        """The property graph that the database made of a script.

        Raises CypherError when it refuses the script, SettingsError for settings that are not
        complete, SourceRejected for a wrong password or a database that is not there, not empty,
        or does not roll back, and SourceUnavailable when it cannot be reached or takes too long.
        """
        self._check(script)
        try:
            return asyncio.run(self._bounded(script))
        except KGQAError:
            raise
        except TimeoutError as error:
            raise self._unavailable(f"took more than {self.timeout_s:g} seconds") from error
        except Exception as error:
            raise self._translated(error) from error

    def probe(self) -> str:
        """What answers there, after it carried out a small script and forgot it again."""
        read = self.carry_out(interpret(_PROBE))
        return (
            f"{self.name} carried out a script and rolled it back: {len(read.graph)} nodes, "
            f"{read.graph.number_of_edges()} relation."
        )

    def _check(self, script: Graph) -> None:
        address = urlsplit(self.url)
        try:
            complete = address.scheme in _SCHEMES and address.hostname and address.port != 0
        except ValueError:  # the port is no number, or too large
            complete = False
        if not complete:
            raise SettingsError(
                f"KGQA_BOLT_URL is not the address of a database: it begins with one of "
                f"{', '.join(f'{s}://' for s in _SCHEMES)}."
            )
        if address.username is not None or address.password is not None:
            raise SettingsError(
                "KGQA_BOLT_URL has a user in it: set KGQA_BOLT_USER and KGQA_BOLT_PASSWORD."
            )
        if not self.database:
            raise SettingsError(
                "Name the throw-away database that scripts may be sent to: KGQA_BOLT_DATABASE."
            )
        if len(script.clauses) > MAX_CLAUSES:
            raise CypherError(
                f"The script has {len(script.clauses):,} clauses; a database is sent at most "
                f"{MAX_CLAUSES}."
            )
        try:
            import neo4j  # noqa: F401
        except ImportError as error:
            raise SettingsError(
                "KGQA_BOLT_URL needs the package `neo4j`: install it (pip install neo4j), or "
                "unset the address."
            ) from error

    # -- one script ----------------------------------------------------------------------

    async def _bounded(self, script: Graph) -> Graph:
        # the driver waits for a silent server without end: the time is kept here
        task = asyncio.ensure_future(self._connected(script))
        done, _ = await asyncio.wait({task}, timeout=self.timeout_s)
        if not done:
            task.cancel()
            await asyncio.wait({task}, timeout=_CLOSING_S)
            raise TimeoutError
        return task.result()

    async def _connected(self, script: Graph) -> Graph:
        from neo4j import AsyncGraphDatabase, basic_auth

        password = self.password.get_secret_value() if self.password else ""
        auth = basic_auth(self.user, password) if self.user else None
        async with (
            AsyncGraphDatabase.driver(
                self.url,
                auth=auth,
                connection_timeout=2 * self.timeout_s,  # the time is kept in `_bounded`
                connection_acquisition_timeout=2 * self.timeout_s,
                max_connection_pool_size=1,
                telemetry_disabled=True,
            ) as driver,
            driver.session(database=self.database) as session,
        ):
            transaction = await session.begin_transaction(timeout=self.timeout_s)
            try:
                if await _found(transaction):
                    raise self._refused(
                        "is not empty: scripts are sent only to an empty, throw-away database"
                    )
                read = await self._sent(transaction, script)
            finally:
                await transaction.close()  # rolls back
            if await _found(session):
                raise self._refused(
                    "kept what was rolled back: empty it, and use one that has transactions"
                )
            return read

    async def _sent(self, transaction: AsyncTransaction, script: Graph) -> Graph:
        from neo4j.exceptions import ClientError

        made = ", ".join(script.bound)
        statement = "\n".join([*script.clauses, f"RETURN {made}"])
        values = {name: _sendable(value) for name, value in script.values.items()}
        try:
            rows = await (await transaction.run(statement, values)).fetch(1)
        except ClientError as error:
            raise CypherError(f"The database refused the script: {_said(error)}") from error
        nodes = await _all(transaction, "MATCH (n) RETURN n AS found", MAX_NODES)
        relations = await _all(transaction, "MATCH ()-[r]->() RETURN r AS found", _MAX_RELATIONS)
        return _decoded(script, dict(rows[0]) if rows else {}, nodes, relations)

    # -- what went wrong -----------------------------------------------------------------

    def _refused(self, what: str) -> SourceRejected:
        return SourceRejected(f"The database {self.name} {what}.", source=self.url)

    def _unavailable(self, what: str) -> SourceUnavailable:
        return SourceUnavailable(f"The database {self.name} {what}.", source=self.url)

    def _translated(self, error: Exception) -> KGQAError:
        from neo4j.exceptions import AuthError, ClientError, ConfigurationError, Forbidden

        if isinstance(error, AuthError | Forbidden):
            return self._refused(
                "does not accept the user and password: set KGQA_BOLT_USER and KGQA_BOLT_PASSWORD"
            )
        if isinstance(error, ClientError):
            return self._refused(f"refused: {_said(error)}".rstrip("."))
        if isinstance(error, ConfigurationError):
            return SettingsError(f"KGQA_BOLT_URL does not fit: {_said(error)}")
        return self._unavailable(f"cannot be reached: {_said(error)}".rstrip("."))


async def _found(where: AsyncSession | AsyncTransaction) -> bool:
    """Whether there is anything in the database."""
    return bool(await (await where.run("MATCH (n) RETURN n LIMIT 1")).fetch(1))


async def _all(transaction: AsyncTransaction, query: str, most: int) -> list[Any]:
    rows = await (await transaction.run(f"{query} LIMIT {most + 1}")).fetch(most + 1)
    if len(rows) > most:
        raise CypherError(f"The database made more than {most:,} things of the script.")
    return [row["found"] for row in rows]


def _decoded(script: Graph, made: dict[str, Any], nodes: list[Any], relations: list[Any]) -> Graph:
    """The database's nodes and relations, numbered and ordered as the script has them.

    A database forgets variables, what comes first, and what a moment was written as: that much
    is known from the script.
    """
    numbers: dict[str, int] = {}
    for variable, node in made.items():
        if script.bound[variable] not in numbers.values():
            numbers.setdefault(node.element_id, script.bound[variable])
    for node in sorted(nodes, key=lambda n: _natural(n.element_id)):
        numbers.setdefault(node.element_id, len(script.graph) + len(numbers))
    moments = {v.value: v for v in _scalars(script) if isinstance(v, Literal)}

    def properties(thing: Any, known: Mapping[str, Any]) -> dict[str, Property]:
        order = list(known)
        keys = sorted(
            thing.keys(), key=lambda k: (k not in known, k in known and order.index(k), k)
        )
        return {key: _received(thing[key], moments) for key in keys}

    graph: nx.MultiDiGraph = nx.MultiDiGraph()
    nothing: dict[str, Any] = {"variable": "", "labels": (), "properties": {}}
    for node in sorted(nodes, key=lambda n: numbers[n.element_id]):
        number = numbers[node.element_id]
        known = script.graph.nodes.get(number, nothing)
        labels = [label for label in known["labels"] if label in node.labels]
        labels += sorted(set(node.labels) - set(labels))
        graph.add_node(
            number,
            variable=known["variable"],
            labels=tuple(labels),
            properties=properties(node, known["properties"]),
        )
    asked = {
        (source, target, edge["type"]): (place, edge["properties"])
        for place, (source, target, edge) in enumerate(script.graph.edges(data=True))
    }
    read = []
    for relation in sorted(relations, key=lambda r: _natural(r.element_id)):
        source, target = (numbers[end.element_id] for end in relation.nodes)
        place, wanted = asked.get((source, target, relation.type), (len(asked), {}))
        read.append((place, source, target, relation.type, properties(relation, wanted)))
    for _, source, target, kind, values in sorted(read, key=lambda found: found[0]):
        graph.add_edge(source, target, type=kind, properties=values)
    return replace(script, graph=graph)


def _natural(element_id: str) -> list[tuple[int, str]]:
    """Ids in the order of their numbers: `#9:0` before `#10:0`."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in _NUMBER.split(element_id)]


def _scalars(script: Graph) -> Iterator[Scalar]:
    for value in script.values.values():
        yield from value if isinstance(value, list) else [value]


def _sendable(value: Property) -> Any:
    """A value as a database can store it: a list holds one type, a moment is a text."""
    if not isinstance(value, list):
        return value.value if isinstance(value, Literal) else value
    plain = [_sendable(item) for item in value]
    if len({type(item) for item in plain}) < 2:
        return plain
    if all(isinstance(item, int | float) and not isinstance(item, bool) for item in plain):
        return [float(item) for item in plain]
    return [str(item).lower() if isinstance(item, bool) else str(item) for item in plain]


def _received(value: Any, moments: Mapping[str, Literal]) -> Property:
    if isinstance(value, list):
        return [_scalar(item, moments) for item in value]
    return _scalar(value, moments)


def _scalar(value: Any, moments: Mapping[str, Literal]) -> Scalar:
    if isinstance(value, str):
        return moments.get(value, value)
    return value if isinstance(value, bool | int | float) else str(value)


def _said(error: Exception) -> str:
    """The first line of a message from elsewhere, cut."""
    text = getattr(error, "message", None) or str(error) or type(error).__name__
    return " ".join(str(text).split())[:300].rstrip(".") + "."
