"""One SPARQL endpoint over HTTP: a query in, terms out, every fault in one sentence.

SPARQLWrapper writes the request, `network` sends it.
"""

from __future__ import annotations

import logging
import re
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from itertools import count
from typing import Any, TypeVar, cast
from urllib.parse import parse_qsl, unquote, urlsplit, urlunsplit

import pyoxigraph as ox
from SPARQLWrapper import JSON, POST, SPARQLWrapper
from SPARQLWrapper import __version__ as _library

from kgqa_core import network
from kgqa_core.errors import SettingsError, SourceError, SourceRejected, SourceUnavailable
from kgqa_core.facts.terms import URL
from kgqa_core.kg import iris, literals, polite
from kgqa_core.kg.base import incomplete
from kgqa_core.kg.polite import Line, Meter, Reach
from kgqa_core.network import Reply

Term = ox.NamedNode | ox.BlankNode | ox.Literal

_SHORTEST_SECRET = 6  # characters; less is a word like others

_log = logging.getLogger(__name__)
_numbers = count()


@dataclass(frozen=True)
class Results:
    """Rows of terms; an ASK has one row with `boolean`. `partial`: some are missing.

    `odd` is what can be read of rows with something that cannot, which are not among `rows`.
    """

    columns: tuple[str, ...]
    rows: list[dict[str, Term]]
    boolean: bool | None = None
    partial: bool = False
    odd: Sequence[dict[str, Term]] = ()


class Endpoint:
    """Where queries go."""

    def __init__(
        self,
        url: str,
        name: str,
        *,
        parallel: int,
        reach: Reach,
    ) -> None:
        try:
            network.origin(url)
        except network.NoAddress:
            raise SettingsError(
                f"{network.told(url)} is not the address of an endpoint: write http://… or https://…"
            ) from None
        parts = urlsplit(url)
        self.name = name
        self.timeout_s, self.hosted = reach.timeout_s, reach.hosted
        self._agent = polite.user_agent(f"SPARQLWrapper/{_library}", reach.contact)
        self._parameters = parse_qsl(parts.query)
        self._login = (unquote(parts.username or ""), unquote(parts.password or ""))
        self._hidden = _hidden(self._login, self._parameters)
        self.url = urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
        self.line: Line = polite.line_to(url, parallel)

    def send(self, query: str) -> Results:
        """Raises SourceUnavailable (try again) or SourceRejected (will not help)."""
        reply = self.line.send(lambda: self._post(query), self.name, self.timeout_s)
        self._judge(reply, query)
        return self._read(reply, query)

    def _post(self, query: str) -> Reply:
        client = _Request(self.url, self._agent)
        for name, value in self._parameters:
            client.addParameter(name, value)
        if all(self._login):
            client.setCredentials(*self._login)
        client.setQuery(query)
        try:
            reply = network.fetch(
                client._createRequest(),
                self.name,
                timeout_s=self.timeout_s,
                public=self.hosted,
                redirects="home" if any(self._login) or self._parameters else "anywhere",
            )
        except SourceError as error:
            error.request = query
            raise
        if reply.status < 300:
            self.url = reply.url.partition("?")[0]
        return reply

    # -- reading ---------------------------------------------------------------------------

    def _judge(self, reply: Reply, query: str) -> None:
        status = reply.status
        if status < 300:
            return
        told = self._told(reply)
        refused: dict[int, str] = {
            400: f"“{self.name}” does not understand the query{told}.",
            401: f"“{self.name}” needs a login: write it into the address, http://name:word@host/….",
            403: f"“{self.name}” refuses access (403): check the address, the login and "
            "KGQA_CONTACT.",
            404: f"There is no endpoint at {self.url} (404): check the address.",
            405: f"{self.url} takes no queries (405): check the address of the endpoint.",
            413: f"The query is too long for “{self.name}”: ask for fewer entities.",
            414: f"The query is too long for “{self.name}”: ask for fewer entities.",
        }
        if status in refused or 300 <= status < 500:
            said = refused.get(status) or f"“{self.name}” refuses the query ({status}){told}."
            raise SourceRejected(said, source=self.name, request=query)
        raise SourceUnavailable(
            f"“{self.name}” failed with error {status}{told}. Try again later, or ask for less.",
            source=self.name,
            request=query,
        )

    def _told(self, reply: Reply) -> str:
        """The endpoint's own words, where they are words, and not for strangers."""
        text = reply.body[:8_000].decode("utf-8", "replace")
        for secret in self._hidden:
            text = text.replace(secret, "[login]")
        text = text[:4_000]  # and no half of a secret at the end
        html = "html" in _header(reply.headers, "content-type") or text.lstrip().startswith("<")
        return f": {network.short(text)}" if text.strip() and not html and not self.hosted else ""

    def _read(self, reply: Reply, query: str) -> Results:
        try:
            found = network.read_json(reply.body)
            if "boolean" in found:
                return Results(("result",), [], bool(found["boolean"]))
            columns = tuple(map(str, found["head"]["vars"]))
            bindings = found["results"]["bindings"]
            prefix = f"r{next(_numbers)}"
            if columns == ("__ASK_RETVAL",):  # Virtuoso's way to answer ASK
                yes = bool(bindings) and bindings[0][columns[0]]["value"] not in ("0", "")
                return Results(("result",), [], yes)
            read = [_row(binding, prefix) for binding in bindings]
            rows = [row for row, whole in read if whole]
            odd = [row for row, whole in read if not whole]
            if odd and not rows:
                raise ValueError
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise self._no_results(reply, query) from error
        partial = _is_partial(reply.headers, len(rows))
        if partial:
            said = f"“{self.name}” left out part of an answer: results may be incomplete."
            self.line.meter.warn(said)
            incomplete(said)
        if odd:
            tell_odd(self.name, self.line.meter)
        return Results(columns, rows, partial=partial or bool(odd), odd=odd)

    def _no_results(self, reply: Reply, query: str) -> SourceUnavailable | SourceRejected:
        start = reply.body[:200].lstrip().lower()
        if start.startswith((b"<!doctype", b"<html")) or "html" in _header(
            reply.headers, "content-type"
        ):
            return SourceRejected(
                f"{self.url} answers with a web page instead of results: enter the address that "
                "takes queries; it often ends in /sparql.",
                source=self.name,
                request=query,
            )
        if start.startswith((b"{", b"[")):
            return SourceUnavailable(
                f"The answer of “{self.name}” broke off or is damaged. Try again, or ask for less.",
                source=self.name,
                request=query,
            )
        return SourceRejected(
            f"{self.url} does not answer with SPARQL results in JSON: check the address.",
            source=self.name,
            request=query,
        )


def _hidden(login: tuple[str, str], parameters: Sequence[tuple[str, str]]) -> list[str]:
    """What an endpoint may repeat of an address, and nobody else is to read."""
    packed = b64encode(":".join(login).encode()).decode()
    values = (value for _, value in parameters)
    return [one for one in (packed, login[1], *values) if len(one) >= _SHORTEST_SECRET]


def tell_odd(name: str, meter: Meter) -> None:
    """What cannot be read costs itself alone, and is told once in a run."""
    said = f"“{name}” gave something that cannot be read: it was left out."
    meter.warn(said)
    incomplete(said)


def _row(binding: Any, prefix: str) -> tuple[dict[str, Term], bool]:
    """What can be read of a row, and whether that is all of it."""
    if not isinstance(binding, Mapping):
        return {}, False
    row, whole = {}, True
    for name, cell in binding.items():
        try:
            row[name] = _term(cell, prefix)
        except (LookupError, TypeError, ValueError):
            whole = False
    return row, whole


def _term(cell: Mapping[str, Any], prefix: str) -> Term:
    """An IRI that is none is a text; blank nodes of one answer are those of no other.

    Raises TypeError, LookupError or ValueError for what is no cell.
    """
    kind, value = cell["type"], cell["value"]
    if kind not in _CELLS or not isinstance(value, str | int | float):
        raise ValueError
    value = str(value)
    if kind == "bnode":
        return ox.BlankNode(prefix + re.sub(r"[^A-Za-z0-9]", lambda m: f"{ord(m[0]):x}", value))
    if kind == "uri" and iris.is_iri(value):
        return ox.NamedNode(value)
    text = literals.shortened(value).encode("utf-8", "replace").decode()
    if kind == "uri":
        return ox.Literal(text, datatype=ox.NamedNode(URL))
    if language := iris.language_tag(cell.get("xml:lang") or ""):
        return ox.Literal(text, language=language)
    datatype = cell.get("datatype") or ""
    if iris.is_iri(datatype) and literals.fits(value, datatype):
        return ox.Literal(text, datatype=ox.NamedNode(datatype))
    return ox.Literal(text)


_CELLS = ("uri", "bnode", "literal", "typed-literal")


Verb = TypeVar("Verb", bound=Callable[..., Any])


def understood(verb: Verb) -> Verb:
    """A verb of a graph, for which whatever is odd in an endpoint's answer is one error."""

    @wraps(verb)
    def call(self: Any, *args: Any, **options: Any) -> Any:
        try:
            return verb(self, *args, **options)
        except _ODD as error:
            _log.exception("an answer of %s", self.name)
            raise SourceUnavailable(
                f"An answer of “{self.name}” cannot be understood ({type(error).__name__}). Check "
                "what kind of endpoint it is, or choose another graph.",
                source=self.name,
            ) from error

    return cast(Verb, call)


_ODD = (
    ArithmeticError, AttributeError, LookupError, RecursionError, SyntaxError, TypeError, ValueError
)  # fmt: skip


def _is_partial(headers: Mapping[str, str], rows: int) -> bool:
    """Virtuoso answers 200 when it ran out of time, and says so in a header."""
    if _header(headers, "x-sql-state"):
        return True
    most = _header(headers, "x-sparql-maxrows")
    return most.isdigit() and rows >= int(most)


def _header(headers: Mapping[str, str], name: str) -> str:
    return network.header(headers, name).lower()


class _Request(SPARQLWrapper):
    """A query as a request, written by the library."""

    def __init__(self, url: str, agent: str) -> None:
        super().__init__(url, returnFormat=JSON, agent=agent)
        self.setMethod(POST)
        self.setOnlyConneg(True)
        self.addCustomHttpHeader("Accept-Encoding", "gzip")

    def _parseQueryType(self, query: str) -> str:
        return "SELECT"  # what is sent was checked; the library's own search can take very long
