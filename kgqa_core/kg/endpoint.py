"""One SPARQL endpoint over HTTP: a query in, terms out, every fault in one sentence.

SPARQLWrapper writes the request; what it lacks is here: a deadline, a limit of size, redirects
that keep the query, and where those may lead.
"""

from __future__ import annotations

import http.client
import json
import re
import socket
import ssl
import time
import urllib.error
import urllib.request
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from email.message import Message
from itertools import count
from typing import IO, Any
from urllib.parse import parse_qsl, unquote, urljoin, urlsplit, urlunsplit

import pyoxigraph as ox
from SPARQLWrapper import JSON, POST, QueryResult, SPARQLWrapper
from SPARQLWrapper import __version__ as _library

from kgqa_core.errors import SettingsError, SourceRejected, SourceUnavailable
from kgqa_core.kg import polite
from kgqa_core.kg.base import incomplete
from kgqa_core.kg.polite import Line, Reach, Reply

Term = ox.NamedNode | ox.BlankNode | ox.Literal

_MOST_BYTES = 64 << 20  # of one answer, unpacked
_LONGEST = 10_000  # characters of a literal; a longer one is cut
_CHUNK = 1 << 16
_REDIRECTS = 5
_TELL = 160  # characters of an endpoint's own message

_numbers = count()


@dataclass(frozen=True)
class Results:
    """Rows of terms; an ASK has one row with `boolean`. `partial`: the endpoint left some out."""

    columns: tuple[str, ...]
    rows: list[dict[str, Term]]
    boolean: bool | None = None
    partial: bool = False


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
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise SettingsError(
                f"“{url}” is no address of an endpoint: write http://… or https://…"
            )
        self.name = name
        self.timeout_s, self.hosted = reach.timeout_s, reach.hosted
        self._agent = polite.user_agent(f"SPARQLWrapper/{_library}", reach.contact)
        self._parameters = parse_qsl(parts.query)
        self._login = (unquote(parts.username or ""), unquote(parts.password or ""))
        self.url = urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
        self.line: Line = polite.line_to(url, parallel)

    def send(self, query: str) -> Results:
        """Raises SourceUnavailable (try again) or SourceRejected (will not help)."""
        reply = self.line.send(lambda: self._post(query), self.name, self.timeout_s)
        self._judge(reply, query)
        return self._read(reply, query)

    # -- sending ---------------------------------------------------------------------------

    def _post(self, query: str) -> Reply:
        if self.hosted:
            polite.refuse_private(self.url, self.name)
        client = _Client(self.url, self._agent, self.timeout_s, _opener(self))
        for name, value in self._parameters:
            client.addParameter(name, value)
        if all(self._login):
            client.setCredentials(*self._login)
        client.setQuery(query)
        until = time.monotonic() + self.timeout_s
        try:
            response = client.query().response
            with response:
                return self._reply(response.status, response.headers, response, until)
        except urllib.error.HTTPError as error:
            with error:
                return self._reply(error.code, error.headers, error, until)
        except (TimeoutError, urllib.error.URLError, http.client.HTTPException, OSError) as error:
            raise self._unreachable(error, query) from error

    def _reply(self, status: int, headers: Message, body: Any, until: float) -> Reply:
        if status < 300:
            self.url = body.geturl().partition("?")[0]
        return Reply(status, dict(headers.items()), self._bytes(body, headers, until))

    def _bytes(self, body: Any, headers: Message, until: float) -> bytes:
        """The whole body, within the deadline, the size and what its header promises."""
        packed = headers.get("Content-Encoding", "").lower() == "gzip"
        unpack = zlib.decompressobj(31) if packed else None
        parts: list[bytes] = []
        size = received = 0
        while chunk := body.read1(_CHUNK):
            received += len(chunk)
            if unpack:
                chunk = unpack.decompress(chunk, _MOST_BYTES - size + 1)
            size += len(chunk)
            parts.append(chunk)
            if size > _MOST_BYTES:
                raise SourceRejected(
                    f"“{self.name}” sends more than {_MOST_BYTES >> 20} MB for one query. Ask "
                    "for fewer entities or a smaller limit.",
                    source=self.name,
                )
            if time.monotonic() > until:
                raise TimeoutError
        promised = headers.get("Content-Length", "")
        if (promised.isdigit() and received < int(promised)) or (unpack and not unpack.eof):
            raise http.client.IncompleteRead(b"")
        return b"".join(parts)

    def _unreachable(self, error: Exception, query: str) -> SourceUnavailable | SourceRejected:
        reason = getattr(error, "reason", None)
        cause = reason if isinstance(reason, Exception) else error
        host = self.line.host
        if isinstance(cause, _Private):
            return polite.private(self.name)
        if isinstance(cause, TimeoutError | socket.timeout):
            said = (
                f"“{self.name}” did not answer within {self.timeout_s:g} s. Try again, ask for "
                "less, or raise KGQA_GRAPH_TIMEOUT_S."
            )
        elif isinstance(cause, http.client.IncompleteRead | http.client.RemoteDisconnected):
            said = f"The answer of “{self.name}” broke off. Try again."
        elif isinstance(cause, socket.gaierror):
            said = f"There is no host {host}: check the address of “{self.name}” and the network."
        elif isinstance(cause, ConnectionRefusedError):
            said = f"Nothing answers at {host}: start the endpoint, or check its address."
        elif isinstance(cause, ssl.SSLError):
            said = f"{host} has no valid certificate: check the address of “{self.name}”."
        else:
            said = f"“{self.name}” cannot be reached ({_short(str(cause))}). Check the address."
        return SourceUnavailable(said, source=self.name, request=query)

    # -- reading ---------------------------------------------------------------------------

    def _judge(self, reply: Reply, query: str) -> None:
        status = reply.status
        if status < 300:
            return
        told = self._told(reply)
        refused: dict[int, str] = {
            400: f"“{self.name}” does not understand the query{told}.",
            401: f"“{self.name}” wants a login: write it into the address, http://name:word@host/….",
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
        """The endpoint's own words, where they are words."""
        text = reply.body[:4_000].decode("utf-8", "replace")
        if "html" in _header(reply.headers, "content-type") or text.lstrip().startswith("<"):
            return ""
        return f": {_short(text)}" if text.strip() else ""

    def _read(self, reply: Reply, query: str) -> Results:
        try:
            found = json.loads(reply.body)
            if "boolean" in found:
                return Results(("result",), [], bool(found["boolean"]))
            columns = tuple(map(str, found["head"]["vars"]))
            bindings = found["results"]["bindings"]
            prefix = f"r{next(_numbers)}"
            if columns == ("__ASK_RETVAL",):  # Virtuoso's way to answer ASK
                yes = bool(bindings) and bindings[0][columns[0]]["value"] not in ("0", "")
                return Results(("result",), [], yes)
            rows = [_row(binding, prefix) for binding in bindings]
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise self._no_results(reply, query) from error
        partial = _is_partial(reply.headers, len(rows))
        if partial:
            said = f"“{self.name}” left out part of an answer: results may be incomplete."
            self.line.meter.warn(said)
            incomplete(said)
        return Results(columns, rows, partial=partial)

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


def _row(binding: Mapping[str, Any], prefix: str) -> dict[str, Term]:
    row = {}
    for name, cell in binding.items():
        term = _term(cell, prefix)
        if term is not None:
            row[name] = term
    return row


def _term(cell: Mapping[str, Any], prefix: str) -> Term | None:
    """None for an IRI that is none; blank nodes of one answer are those of no other."""
    kind, value = cell["type"], str(cell["value"])
    if kind == "bnode":
        return ox.BlankNode(prefix + re.sub(r"[^A-Za-z0-9]", lambda m: f"{ord(m[0]):x}", value))
    try:
        if kind == "uri":
            return ox.NamedNode(value)
        if len(value) > _LONGEST:
            value = value[:_LONGEST] + "…"
        value = value.encode("utf-8", "replace").decode()
        if language := cell.get("xml:lang"):
            return ox.Literal(value, language=language)
        if datatype := cell.get("datatype"):
            return ox.Literal(value, datatype=ox.NamedNode(datatype))
        return ox.Literal(value)
    except ValueError:
        return None if kind == "uri" else ox.Literal(value)


def _is_partial(headers: Mapping[str, str], rows: int) -> bool:
    """Virtuoso answers 200 when it ran out of time, and says so in a header."""
    if _header(headers, "x-sql-state"):
        return True
    most = _header(headers, "x-sparql-maxrows")
    return most.isdigit() and rows >= int(most)


def _header(headers: Mapping[str, str], name: str) -> str:
    return next((v.lower() for k, v in headers.items() if k.lower() == name), "")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _TELL else line[: _TELL - 1] + "…"


# -- urllib, held short ----------------------------------------------------------------------


class _Private(OSError):
    """A connection ended at an address inside the network."""


class _Client(SPARQLWrapper):
    """The library's request, sent through our opener."""

    def __init__(
        self, url: str, agent: str, timeout_s: float, opener: urllib.request.OpenerDirector
    ) -> None:
        super().__init__(url, returnFormat=JSON, agent=agent)
        self._opener, self._timeout_s = opener, timeout_s
        self.setMethod(POST)
        self.setOnlyConneg(True)
        self.addCustomHttpHeader("Accept-Encoding", "gzip")

    def _parseQueryType(self, query: str) -> str:
        return "SELECT"  # what is sent was checked; the library's own search can take very long

    def query(self) -> QueryResult:
        response = self._opener.open(self._createRequest(), timeout=self._timeout_s)
        return QueryResult((response, self.returnFormat))


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Redirects that keep the query: it only reads, so it may be sent again."""

    max_redirections = _REDIRECTS

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: Message,
        newurl: str,
    ) -> urllib.request.Request | None:
        target = urljoin(req.full_url, newurl)
        if urlsplit(target).scheme not in ("http", "https"):
            return None
        if self._endpoint.hosted:
            polite.refuse_private(target, self._endpoint.name)
        kept = dict(req.header_items())
        if urlsplit(target).netloc != urlsplit(req.full_url).netloc:
            kept.pop("Authorization", None)
        kept.pop("Host", None)
        return urllib.request.Request(target, data=req.data, headers=kept)


class _PublicHTTP(http.client.HTTPConnection):
    def connect(self) -> None:
        super().connect()
        _check(self)


class _PublicHTTPS(http.client.HTTPSConnection):
    def connect(self) -> None:
        super().connect()
        _check(self)


def _check(connection: http.client.HTTPConnection) -> None:
    """What a name resolved to when it was looked up may not be where the connection went."""
    if polite.is_private(str(connection.sock.getpeername()[0])):
        connection.close()
        raise _Private


class _HTTP(urllib.request.HTTPHandler):
    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_PublicHTTP, req)


class _HTTPS(urllib.request.HTTPSHandler):
    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_PublicHTTPS, req)


def _opener(endpoint: Endpoint) -> urllib.request.OpenerDirector:
    guards: list[urllib.request.BaseHandler] = [_Redirects(endpoint)]
    if endpoint.hosted:  # a proxy would hide where the connection goes
        guards += [_HTTP(), _HTTPS(), urllib.request.ProxyHandler({})]
    return urllib.request.build_opener(*guards)
