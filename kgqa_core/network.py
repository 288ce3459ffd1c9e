"""Asking other machines: where a request may go, how long it takes, how much comes back.

Graphs, texts and embeddings are fetched here (`fetch`); the model's client is asynchronous and
takes the same pieces (`places_of`, `Unpacked`, `read_json`). What others send is never trusted:
its size, its time, its redirects, its JSON and its texts.
"""

from __future__ import annotations

import http.client
import io
import ipaddress
import json
import platform
import re
import socket
import ssl
import string
import threading
import time
import urllib.error
import urllib.request
import zlib
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import partial
from typing import Any
from typing import Literal as OneOf
from urllib.parse import quote, urljoin, urlsplit

import certifi

from kgqa_core.errors import SourceError, SourceRejected, SourceUnavailable

LIBRARY = "python-urllib/" + platform.python_version()  # for who wants to know what asks
MOST_BYTES = 64 << 20  # of one answer, unpacked
_CHUNK = 1 << 16
_REDIRECTS = 5
_LONGEST_WAIT_S = 86_400.0  # nobody is asked to come back later than tomorrow
_TELL = 160  # characters of somebody else's message


@dataclass(frozen=True)
class Reply:
    """An HTTP answer. `lagging_s`: the server asks to come back later, whatever the status."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    url: str = ""
    lagging_s: float | None = None


class PrivatePlace(OSError):
    """An address that is not on the public internet."""


class TooMuch(OSError):
    """An answer that does not end."""


class Damaged(OSError):
    """An answer that broke off or cannot be unpacked."""


class NoAddress(OSError):
    """An address, typed or redirected to, that is none."""


class Elsewhere(OSError):
    """A redirect to another host of a request that carries a login."""


Redirects = OneOf["none", "home", "anywhere"]


# -- one request ---------------------------------------------------------------------------


def fetch(
    request: urllib.request.Request,
    name: str,
    *,
    timeout_s: float,
    public: bool = False,
    most: int = MOST_BYTES,
    redirects: Redirects = "none",
    setting: str = "KGQA_GRAPH_TIMEOUT_S",
) -> Reply:
    """The whole answer, whatever its status, within `timeout_s` and `most` bytes.

    `public`: strangers choose the address, so it leads nowhere inside this network, also not by
    a redirect, and nothing that the other side says is quoted. `redirects` are followed with
    method and body, so only by requests that do no more than read; with a login, only at `home`.
    `name` is for sentences, `setting` allows more time.
    Raises SourceUnavailable or SourceRejected.
    """
    until = time.monotonic() + timeout_s
    try:
        for _ in range(_REDIRECTS + 1):
            reply = _exchange(request, until, public, most)
            target = header(reply.headers, "location") if 300 <= reply.status < 400 else ""
            if redirects == "none" or not target:
                return reply
            request = _redirected(request, target, redirects)
        raise NoAddress("it redirects in a circle")
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise _in_words(error, request, name, timeout_s, public, most, setting) from error


def _exchange(request: urllib.request.Request, until: float, public: bool, most: int) -> Reply:
    opener = urllib.request.OpenerDirector()  # without redirects and without errors by status
    opener.add_handler(_HTTP(until, public))
    opener.add_handler(_HTTPS(until, public))
    if not public:  # a proxy would hide where the connection goes
        opener.add_handler(urllib.request.ProxyHandler())
    response: Any = opener.open(request, timeout=max(0.01, until - time.monotonic()))
    if response is None:
        raise NoAddress("only http:// and https:// are opened")
    with closing(response):
        headers = dict(response.headers.items())
        unpacked = Unpacked(header(headers, "content-encoding"), most)
        parts = []
        received = 0
        while chunk := response.read1(_CHUNK):
            received += len(chunk)
            parts.append(unpacked.take(chunk))
        promised = header(headers, "content-length")
        if promised.isdigit() and received < int(promised[:20]):
            raise Damaged
        unpacked.end()
        return Reply(response.status, headers, b"".join(parts), request.full_url)


def _redirected(
    request: urllib.request.Request, target: str, redirects: Redirects
) -> urllib.request.Request:
    url = urljoin(request.full_url, quote(target, encoding="iso-8859-1", safe=string.punctuation))
    old, new = origin(request.full_url), origin(url)
    kept = dict(request.header_items())
    at_home = new in (old, ("https", old[1], 443))
    if not at_home and (redirects == "home" or "Authorization" in kept):
        raise Elsewhere
    kept.pop("Host", None)
    return urllib.request.Request(url, data=request.data, headers=kept)


def origin(url: str) -> tuple[str, str, int]:
    """Scheme, host and port of an address. Raises NoAddress for one that is none."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise NoAddress("it is not an address") from None
    usual = {"http": 80, "https": 443}.get(parts.scheme)
    if usual is None or not parts.hostname or port == 0:
        raise NoAddress("only http:// and https:// are opened")
    return parts.scheme, parts.hostname, port or usual


def _in_words(
    error: Exception,
    request: urllib.request.Request,
    name: str,
    timeout_s: float,
    public: bool,
    most: int,
    setting: str,
) -> SourceError:
    reason = getattr(error, "reason", None)
    cause = reason if isinstance(reason, Exception) else error
    host = host_of(request.full_url)
    match cause:
        case PrivatePlace():
            return inside(name)
        case Elsewhere():
            return SourceRejected(
                f"“{name}” sends requests on to another host, which does not get the login and "
                "the parameters given for this one: enter the other address, with its own.",
                source=name,
            )
        case TooMuch():
            return SourceRejected(
                f"“{name}” sends more than {most >> 20} MB for one request. Ask for fewer "
                "entities or a smaller limit.",
                source=name,
            )
        case TimeoutError():
            said = (
                f"“{name}” did not answer within {timeout_s:g} s. Try again, ask for less, or "
                f"raise {setting}."
            )
        case Damaged() | http.client.IncompleteRead() | http.client.RemoteDisconnected():
            said = f"The answer of “{name}” broke off or is damaged. Try again."
        case socket.gaierror():
            said = f"There is no host {host}: check the address of “{name}” and the network."
        case ConnectionRefusedError():
            said = f"Nothing answers at {host}: start the server there, or check its address."
        case ssl.SSLError():
            said = f"{host} has no valid certificate: check the address of “{name}”."
        case _ if public:
            said = f"“{name}” cannot be reached. Check the address."
        case _:
            said = f"“{name}” cannot be reached ({short(str(cause))}). Check the address."
    return SourceUnavailable(said, source=name)


def inside(name: str) -> SourceRejected:
    return SourceRejected(
        f"“{name}” is or leads to an address inside this network, which this hosted app does "
        "not open. Use a public endpoint, or run the app yourself.",
        source=name,
    )


def told(url: str) -> str:
    """An address that is none, for a sentence: not where it may hold a login or a key."""
    return "What was given" if {"@", "?"} & set(url) else f"“{short(url)}”"


def host_of(url: str) -> str:
    """`host:port` as it is written, without a login; for sentences."""
    return url.partition("://")[2].partition("/")[0].rpartition("@")[2].lower()


# -- where requests may go -------------------------------------------------------------------

_GLOBAL = ipaddress.ip_network("2000::/3")
_IN_NUMBERS = frozenset("0123456789.")
_NAT64 = ipaddress.ip_network("64:ff9b::/96")


def is_public(address: str) -> bool:
    """Whether an IP address, and the IPv4 address that may be inside it, is on the internet."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        inner = ip.ipv4_mapped or ip.sixtofour
        if inner is None and ip in _NAT64:
            inner = ipaddress.IPv4Address(int(ip) & 0xFFFF_FFFF)
        if inner is not None:
            return is_public(str(inner))
        if ip not in _GLOBAL:
            return False
    return ip.is_global and not ip.is_multicast and not ip.is_reserved


def places_of(host: str, port: int, public: bool) -> Future[list[Any]]:
    """What a name resolves to, once: the connection goes to these addresses and to no other.

    The future raises PrivatePlace when one of them is not for strangers. Who waits for it may stop
    waiting: a name server that does not answer keeps nobody but the thread that asks it.
    """
    found: Future[list[Any]] = Future()
    found.set_running_or_notify_cancel()  # nobody takes it away from the thread

    def look() -> None:
        try:
            found.set_result(_resolved(host, port, public))
        except Exception as error:
            found.set_exception(error)

    if set(host) <= _IN_NUMBERS or ":" in host:  # nobody is asked for these
        look()
    else:
        threading.Thread(target=look, name="kgqa-name", daemon=True).start()
    return found


def _resolved(host: str, port: int, public: bool) -> list[Any]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (UnicodeError, OverflowError):
        raise NoAddress("it is not an address") from None
    if public and any(not is_public(str(place[0])) for *_, place in found):
        raise PrivatePlace
    return found


def _connect(until: float, public: bool, address: tuple[str, int], *_: Any) -> socket.socket:
    trouble: OSError = TimeoutError()
    for family, kind, protocol, _name, place in places_of(*address, public).result(_left(until)):
        connection = socket.socket(family, kind, protocol)
        try:
            connection.settimeout(_left(until))
            connection.connect(place)
            return connection
        except OSError as error:
            connection.close()
            trouble = error
    raise trouble


def _left(until: float) -> float:
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


class _Deadline(io.RawIOBase):
    """What a connection brings, up to one moment: a server that drips has no longer than others."""

    def __init__(self, connection: socket.socket, until: float) -> None:
        self._connection, self._until = connection, until
        self._raw: Any = connection.makefile("rb", buffering=0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        self._connection.settimeout(_left(self._until))
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


class _Response(http.client.HTTPResponse):
    def __init__(self, connection: socket.socket, *args: Any, until: float, **options: Any) -> None:
        super().__init__(connection, *args, **options)
        self.fp.close()
        self.fp = io.BufferedReader(_Deadline(connection, until))


def _prepared(kind: Any, until: float, public: bool, host: str, **options: Any) -> Any:
    """A connection of the standard library that opens and reads as we want it."""
    connection = kind(host, **options)
    connection._create_connection = partial(_connect, until, public)
    connection.response_class = partial(_Response, until=until)
    return connection


class _HTTP(urllib.request.HTTPHandler):
    def __init__(self, until: float, public: bool) -> None:
        super().__init__()
        self._make = partial(_prepared, http.client.HTTPConnection, until, public)

    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(self._make, req)


class _HTTPS(urllib.request.HTTPSHandler):
    def __init__(self, until: float, public: bool) -> None:
        # not its own constructor: certificates are read when the first address needs them
        urllib.request.AbstractHTTPHandler.__init__(self)
        self._make = partial(_prepared, http.client.HTTPSConnection, until, public)

    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(self._make, req, context=tls())


_contexts: list[ssl.SSLContext] = []


def tls() -> ssl.SSLContext:
    """Who is trusted: the machine's certificates, and those that come with Python's libraries."""
    if not _contexts:
        _contexts.append(ssl.create_default_context())
        _contexts[0].load_verify_locations(certifi.where())
    return _contexts[0]


# -- what comes back -------------------------------------------------------------------------


class Unpacked:
    """A body as it arrives: unpacked, and never more than `most` bytes of it.

    Raises TooMuch or Damaged.
    """

    def __init__(self, encoding: str, most: int) -> None:
        kind = encoding.strip().lower()
        if kind not in ("", "identity", "gzip", "x-gzip"):
            raise Damaged
        self._unpack = zlib.decompressobj(31) if "gzip" in kind else None
        self._received, self._left = 0, most
        self._most = most

    def take(self, chunk: bytes) -> bytes:
        self._received += len(chunk)
        if self._unpack:
            try:
                chunk = self._unpack.decompress(chunk, self._left + 1)
            except zlib.error:
                raise Damaged from None
        self._left -= len(chunk)
        if self._left < 0 or self._received > self._most:
            raise TooMuch
        return chunk

    def end(self) -> None:
        """Raises Damaged when a packed body has not come to its end."""
        if self._unpack and self._received and not self._unpack.eof:
            raise Damaged


def header(headers: Mapping[str, str], name: str) -> str:
    return next((str(v) for k, v in headers.items() if k.lower() == name), "").strip()


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait, at most a day, from a number or a date; None when nothing is said."""
    text = header(headers, "retry-after")[:100]
    if re.fullmatch(r"\d+(\.\d*)?", text):
        return min(float(text), _LONGEST_WAIT_S)
    try:
        when = parsedate_to_datetime(text)
        told = (when - datetime.now(UTC if when.tzinfo else None)).total_seconds()
    except (TypeError, ValueError, OverflowError):
        return None
    return min(max(0.0, told), _LONGEST_WAIT_S)


def read_json(data: bytes | str, *, strict: bool = True) -> Any:
    """Somebody else's JSON, its texts without halves of characters.

    Raises ValueError for everything that is none: other bytes than UTF-8, numbers that are no
    finite number, nesting deeper than can be read. `strict` False: line breaks in texts.
    """
    try:
        text = data.decode("utf-8-sig") if isinstance(data, bytes) else data
        found = json.loads(text, strict=strict, parse_float=_finite, parse_constant=_no_number)
        return _whole(found) if _HALF.search(text) else found
    except RecursionError:
        raise ValueError("nested too deeply") from None


_HALF = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")


def _finite(text: str) -> float:
    number = float(text)
    return number if abs(number) < float("inf") else _no_number(text)


def _no_number(text: str) -> float:
    raise ValueError(f"{text[:20]} is not a number")


def _whole(found: Any) -> Any:
    match found:
        case str():
            return whole_text(found)
        case list():
            return [_whole(one) for one in found]
        case dict():
            return {whole_text(key): _whole(value) for key, value in found.items()}
        case _:
            return found


def whole_text(text: str) -> str:
    """The text with halves of characters put together, and lone ones replaced.

    No file, terminal or database takes a lone half.
    """
    if _HALF.search(text) is None:
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def short(text: str) -> str:
    """Somebody else's words on one line."""
    line = " ".join(text.split())
    return line if len(line) <= _TELL else line[: _TELL - 1] + "…"
