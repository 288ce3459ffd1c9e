"""Any OpenAI-compatible endpoint: hosted, vLLM, Ollama, llama.cpp and their like.

All calls run as tasks on one background event loop: cancelling a task closes its connection
at once, which a blocking client cannot do. Endpoints differ in what they accept; a refused
parameter is left out from then on, and structured output steps down a ladder (`prompt.RUNGS`).
"""

from __future__ import annotations

import asyncio
import atexit
import itertools
import json
import random
import re
import socket
import threading
import time
import weakref
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures import Future
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx2
import openai
from openai.types.chat import ChatCompletion
from pydantic import BaseModel

from kgqa_core import network
from kgqa_core.ask.llm import Complaint, Reply
from kgqa_core.ask.skill import Skill
from kgqa_core.errors import KGQAError, SettingsError, SourceRejected, SourceUnavailable
from kgqa_core.llm import prompt
from kgqa_core.network import read_json, whole_text
from kgqa_core.settings import OPENAI, Settings, checked_key, given_endpoint

if find_spec("httpx"):  # openai looks into it once it is there: half of it, while a thread loads it
    import_module("httpx")

R = TypeVar("R", bound=BaseModel)
T = TypeVar("T")

_NO_KEY = "none"  # the SDK insists on a key; local servers ignore it
_KEY_LENGTH = 12  # shorter ones are words that local servers are given, and may be said
_AT_ONCE = 8  # calls in flight per client; the rest wait their turn
_MOST_WAIT_S = 60.0  # all waits between the attempts of one call together
_TEXT_EVERY_S = 0.1
_MOST_STREAMED, _MOST_WHOLE = 16 << 20, 4 << 20  # bytes of a reply: in events, in one document
_PIECE = 1 << 13  # bytes of a reply that are read before other calls have their turn
_MOST_TEXT = 1 << 20  # characters of a reply, and of what a model says before it
_PASSING = frozenset({408, 409, 425, 429})  # 4xx that another attempt may turn


class OpenAIChat:
    """An `LLM` behind the Chat Completions API. `timeout_s` is for one attempt at one call.

    `hosted`: nothing that the endpoint says is quoted. `trusted`: the environment names this
    endpoint; another one gets nothing of what the environment holds, and on a hosted app it has to
    be on the public internet.
    """

    def __init__(
        self,
        model: str,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        temperature: float = 0.0,
        timeout_s: float = 60.0,
        max_retries: int = 2,
        hosted: bool = False,
        trusted: bool = False,
    ) -> None:
        self.model = model
        self.base_url = _checked_url(base_url)
        self.host = urlsplit(self.base_url).netloc
        self.name = f"{model} at {self.host}"
        self.temperature = temperature
        self.timeout_s = timeout_s
        self.max_retries = max_retries
        self.hosted = hosted
        self._key = checked_key(api_key) or _NO_KEY
        self._sdk = _sdk(self.base_url, self._key, timeout_s, hosted and not trusted, trusted)
        self._slots = asyncio.Semaphore(_AT_ONCE)
        self._closer = weakref.finalize(self, _run_soon, self._sdk.close)
        self._closer.atexit = False  # the loop ends by then, and its connections with it

    @classmethod
    def from_settings(cls, settings: Settings) -> OpenAIChat:
        key = settings.openai_api_key
        return cls(
            settings.model,
            api_key=key.get_secret_value() if key else None,
            base_url=settings.openai_base_url,
            temperature=settings.temperature,
            timeout_s=settings.llm_timeout_s,
            hosted=settings.hosted,
            trusted=given_endpoint(settings),
        )

    def __repr__(self) -> str:
        return f"OpenAIChat({self.name!r})"

    def close(self) -> None:
        """Closes idle connections; otherwise done when the client is no longer used."""
        self._closer()

    def ask(
        self,
        skill: Skill[R],
        given: BaseModel,
        *,
        complaint: Complaint | None = None,
        on_text: Callable[[str], None] | None = None,
    ) -> Future[Reply[R]]:
        return _start(self._ask(skill, given, complaint, on_text))

    # -- the ladder ----------------------------------------------------------------------

    async def _ask(
        self,
        skill: Skill[R],
        given: BaseModel,
        complaint: Complaint | None,
        on_text: Callable[[str], None] | None,
    ) -> Reply[R]:
        manners = _manners.setdefault((self.base_url, self.model), _Manners())
        start = manners.rung
        reply_model: type[BaseModel] = skill.reply
        if prompt.reply_schema(reply_model) is None:
            start = max(start, prompt.RUNGS.index("json_object"))
        rung = start
        while True:
            chat = prompt.messages(skill, given, complaint, prompt.RUNGS[rung])
            request = self._request(skill, given, chat, prompt.RUNGS[rung], manners)
            try:
                said = await self._persistently(request, on_text)
            except openai.APIStatusError as error:
                # What the endpoint would not take decides what the next attempt leaves out.
                blamed = _blamed(error, request)
                if blamed in ("temperature", "stream_options", "stream"):
                    manners.refused.add(blamed)
                elif blamed == "response_format" and _refers(request) - manners.refused:
                    manners.refused.add(_REFERENCES)
                elif blamed == "response_format":
                    rung += 1
                else:
                    raise self._rejected(error) from None
                continue
            manners.learn(start, rung)
            return self._reply(skill, given, chat, said, prompt.RUNGS[rung])

    def _request(
        self,
        skill: Skill[Any],
        given: BaseModel,
        chat: list[prompt.Message],
        rung: prompt.Rung,
        manners: _Manners,
    ) -> dict[str, Any]:
        request: dict[str, Any] = {
            "model": self.model,
            "messages": chat,
            "temperature": self.temperature if skill.temperature is None else skill.temperature,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if rung == "json_schema":
            reply_model: type[BaseModel] = skill.reply
            request["response_format"] = {
                "type": "json_schema",
                "json_schema": {
                    "name": re.sub(r"\W+", "_", skill.name, flags=re.ASCII)[:64],
                    "strict": True,
                    "schema": prompt.reply_schema(
                        reply_model, given, shared=_REFERENCES not in manners.refused
                    ),
                },
            }
        elif rung == "json_object":
            request["response_format"] = {"type": "json_object"}
        refused = manners.refused | ({"stream_options"} if "stream" in manners.refused else set())
        return {name: value for name, value in request.items() if name not in refused}

    def _reply(
        self,
        skill: Skill[R],
        given: BaseModel,
        chat: list[prompt.Message],
        said: _Said,
        rung: prompt.Rung,
    ) -> Reply[R]:
        text, thoughts = prompt.split_thoughts(said.text)
        asked = prompt.as_text(chat)
        value: R | None = None
        problem = said.problem
        if not problem and not text and (thoughts or said.reasoning):
            problem = "The reply is empty: the model only reasoned and gave no answer."
        if not problem:
            value, problem = prompt.parse(skill.reply, text, given)
        return Reply(
            prompt=asked,
            text=text,
            value=value,
            problem=problem,
            rung=rung,
            prompt_tokens=said.prompt_tokens or _estimate(asked),
            completion_tokens=said.completion_tokens or _estimate(said.text + said.reasoning),
            estimated=not said.counted,
            reasoning="\n".join(part for part in (said.reasoning.strip(), thoughts) if part),
        )

    # -- attempts ------------------------------------------------------------------------

    async def _persistently(
        self, request: dict[str, Any], on_text: Callable[[str], None] | None
    ) -> _Said:
        """One call with retries. Raises SourceUnavailable, or the SDK's refusal for `_ask`."""
        waited = 0.0
        for attempt in itertools.count():
            trouble: SourceUnavailable
            last = attempt >= self.max_retries
            try:
                async with self._slots, asyncio.timeout(self.timeout_s):
                    return await self._attempt(request, on_text)
            except (TimeoutError, openai.APITimeoutError):
                trouble = self._too_slow(self.timeout_s)
                last = last or attempt > 0  # an attempt that took all its time is dear
            except openai.APIStatusError as error:
                if not _may_pass(error, request):
                    raise
                trouble = self._busy(error)
            except openai.APIConnectionError as error:
                trouble = self._dead(error)
            except openai.APIError as error:  # reported inside a stream
                said = f": {self._said(error).rstrip('.')}" if not self.hosted else " in its reply"
                trouble = self._unavailable(
                    f"{self.host} gave up{said}. Try again, or choose another model."
                )
            except SourceUnavailable as cut:
                trouble = cut
            except _UNREADABLE as error:
                trouble = self._unreadable(error)
            pause_s = trouble.retry_after_s
            if pause_s is None:
                pause_s = 0.5 * 2**attempt * random.uniform(0.5, 1.0)
            if last or waited + pause_s > _MOST_WAIT_S:
                raise trouble from None
            await asyncio.sleep(pause_s)
            waited += pause_s
        raise AssertionError  # the loop only ends by return or raise

    async def _attempt(
        self, request: dict[str, Any], on_text: Callable[[str], None] | None
    ) -> _Said:
        said = _Said()
        answer: Any = await self._sdk.chat.completions.create(**request)
        if not isinstance(answer, openai.AsyncStream):
            self._take(said, answer, "message")
        else:
            await self._stream(said, answer, on_text)
        if said.finish is None:
            raise self._cut()
        said.refusal = self._hushed(said.refusal)
        said.text, said.reasoning = self._hushed(said.text), self._hushed(said.reasoning)
        if on_text:
            on_text(prompt.split_thoughts(said.text)[0])
        return said

    async def _stream(
        self, said: _Said, stream: openai.AsyncStream[Any], on_text: Callable[[str], None] | None
    ) -> None:
        shown_at = 0.0
        async with stream:
            content = stream.response.headers.get("content-type", "")
            if content.startswith("text/html"):
                raise SourceRejected(
                    f"{self.host} answers with a web page, not as a model. Check OPENAI_BASE_URL: "
                    "it usually ends in /v1.",
                    source=self.name,
                )
            try:
                if content.startswith("application/json"):
                    return self._take(said, await _unstreamed(stream.response), "message")
                async for chunk in stream:
                    self._take(said, chunk, "delta")
                    now = time.monotonic()
                    if on_text and said.text and now - shown_at >= _TEXT_EVERY_S:
                        shown_at = now
                        on_text(prompt.split_thoughts(self._hushed(said.text), partial=True)[0])
            except (openai.APITimeoutError, openai.APIStatusError):
                raise
            except (openai.APIConnectionError, json.JSONDecodeError, network.Damaged):
                if said.finish is None:  # after it, only the token counts are missing
                    raise self._cut() from None

    def _hushed(self, text: str) -> str:
        """What a model says, as it is kept: an endpoint that repeats the request tells the key."""
        text = whole_text(text)
        return text if len(self._key) < _KEY_LENGTH else text.replace(self._key, "[key]")

    @staticmethod
    def _take(said: _Said, answer: Any, part: str) -> None:
        """Adds a chunk, or a whole reply. The SDK does not validate: any field may be missing."""
        choices = getattr(answer, "choices", None)
        for choice in choices[:1] if isinstance(choices, list) else []:
            body = getattr(choice, part, None)
            said.text += _text(body, "content")
            said.refusal += _text(body, "refusal")
            said.reasoning += _text(body, "reasoning_content") or _text(body, "reasoning")
            said.finish = getattr(choice, "finish_reason", None) or said.finish
            if len(said.text) + len(said.refusal) + len(said.reasoning) > _MOST_TEXT:
                raise network.TooMuch
        if usage := getattr(answer, "usage", None):
            said.prompt_tokens = _tokens(usage, "prompt_tokens")
            said.completion_tokens = _tokens(usage, "completion_tokens")

    # -- trouble in words ----------------------------------------------------------------

    def _unavailable(self, message: str, after_s: float | None = None) -> SourceUnavailable:
        return SourceUnavailable(message, source=self.name, retry_after_s=after_s)

    def _cut(self) -> SourceUnavailable:
        return self._unavailable(
            f"{self.host} broke off in the middle of its reply. Try again; if it happens again, "
            "look at the server."
        )

    def _too_slow(self, timeout_s: float) -> SourceUnavailable:
        return self._unavailable(
            f"{self.host} gave no complete reply within {timeout_s:g} seconds. Try again, or "
            "allow more time (KGQA_LLM_TIMEOUT_S)."
        )

    def _unreadable(self, error: Exception) -> SourceUnavailable:
        """Raises SourceRejected for what another attempt would not change."""
        if isinstance(error, network.PrivatePlace):
            raise network.inside(self.name) from None
        if isinstance(error, network.TooMuch):
            raise SourceRejected(
                f"{self.host} sends a longer reply than can be read. Limit the tokens of a reply "
                "there, or choose another model.",
                source=self.name,
            ) from None
        if isinstance(error, socket.gaierror | network.NoAddress):
            return self._dead(None)
        return self._unavailable(
            f"{self.host} sent a reply that cannot be read. Try again; if it happens again, look "
            "at the server."
        )

    def _dead(self, error: openai.APIConnectionError | None) -> SourceUnavailable:
        cause = " ".join(str(error.__cause__ or "").split())[:120] if error else ""
        cause = "" if self.hosted else cause
        return self._unavailable(
            f"No connection to {self.host}{f' ({cause})' if cause else ''}. Start the server "
            "there, check the network, or correct the endpoint (OPENAI_BASE_URL)."
        )

    def _busy(self, error: openai.APIStatusError) -> SourceUnavailable:
        after_s = _retry_after(error)
        if error.status_code == 429:
            when = f"in {after_s:.0f} seconds" if after_s else "in a minute"
            return self._unavailable(f"{self.host} limits requests. Try again {when}.", after_s)
        return self._unavailable(
            f"{self.host} has a fault of its own ({self._said(error)}). Try again later.", after_s
        )

    def _rejected(self, error: openai.APIStatusError) -> SourceRejected:
        return SourceRejected(self._why(error), source=self.name)

    def _why(self, error: openai.APIStatusError) -> str:
        if error.status_code in (401, 403):
            return _refused_key(self.host)
        if error.status_code == 404:
            return (
                f"{self.host} does not know the model “{self.model}”. Choose another in Settings "
                "(KGQA_MODEL), or correct OPENAI_BASE_URL: it usually ends in /v1."
            )
        if error.status_code == 429:
            return f"The account at {self.host} has no quota left. Check its plan and billing."
        if 300 <= error.status_code < 400:
            return (
                f"{self.host} sends requests on to another address ({error.status_code}), and "
                "questions are not sent on. Set OPENAI_BASE_URL to that address itself."
            )
        return f"{self.host} rejected the request: {self._said(error)}"

    def _said(self, error: openai.APIError) -> str:
        status = getattr(error, "status_code", None)
        return str(status or "no reason given") if self.hosted else _one_line(error, self._key)


def _text(body: Any, name: str) -> str:
    found = getattr(body, name, None)
    if isinstance(found, list):  # parts, of which only the texts are the reply
        found = "".join(str(p["text"]) for p in found if isinstance(p, dict) and "text" in p)
    return found if isinstance(found, str) else ""


def _tokens(usage: Any, name: str) -> int:
    found = getattr(usage, name, None)
    return found if isinstance(found, int) and 0 <= found < 10**9 else 0


async def _unstreamed(response: Any) -> ChatCompletion:
    """The whole reply of a server that does not stream; raises what it reports instead of one."""
    whole = read_json(await response.aread())
    if not isinstance(whole, dict) or not whole.get("choices"):
        error = whole.get("error") if isinstance(whole, dict) else None
        raise openai.APIError("a reply without choices", response.request, body=error)
    return ChatCompletion.construct(**whole)


@dataclass
class _Said:
    """What one attempt brought so far. `finish` None: the reply is not complete."""

    text: str = ""
    reasoning: str = ""
    refusal: str = ""
    finish: str | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0

    @property
    def counted(self) -> bool:
        return bool(self.prompt_tokens and self.completion_tokens)

    @property
    def problem(self) -> str:
        if self.refusal:
            return f"The model refused: {' '.join(self.refusal.split())[:200]}"
        if self.finish == "length":
            return "The reply was cut off at the model's token limit."
        if self.finish == "content_filter":
            return "The endpoint's content filter withheld the reply."
        return ""


@dataclass
class _Manners:
    """What a model at an endpoint turned out to accept; shared by all clients of the process.

    Only the loop's thread touches it.
    """

    rung: int = 0
    proven: bool = False
    refused: set[str] = field(default_factory=set)

    def learn(self, start: int, rung: int) -> None:
        """A rung that has worked once stays: a later refusal is about one skill alone."""
        if rung > start and not self.proven:
            self.rung = rung
        self.proven = self.proven or rung == self.rung


_manners: dict[tuple[str, str], _Manners] = {}


_REFERENCES = "$ref"  # in a schema, to what it says once: not every server follows them


def _refers(request: dict[str, Any]) -> set[str]:
    """The same word, if the schema of a request refers to itself."""
    return {_REFERENCES} if f'"{_REFERENCES}"' in json.dumps(request["response_format"]) else set()


def _blamed(error: openai.APIStatusError, request: dict[str, Any]) -> str | None:
    """The part of the request that the endpoint would not take; None: it cannot do without.

    Few servers fill in `param`, so their words decide; a 400 without a name may still be about
    the response format, and the next rung will show.
    """
    words = f"{error.param or ''} {_message(error)}".casefold()
    formatted = "response_format" in request
    about_format = formatted and re.search(
        r"response.?format|json.?(schema|object|mode)|structured|grammar|guided|schema", words
    )
    if error.status_code >= 500:
        return "response_format" if about_format else None
    if error.status_code not in (400, 422):
        return None
    for name, pattern in (
        ("stream_options", r"stream_options|include_usage"),
        ("temperature", r"temperature"),
        ("stream", r"\bstream(ing)?\b"),
    ):
        if name in request and re.search(pattern, words):
            return name
    if not about_format and re.search(r"context.?(length|window)|too (long|many tokens)", words):
        return None
    return "response_format" if formatted else None


def _may_pass(error: openai.APIStatusError, request: dict[str, Any]) -> bool:
    if error.status_code == 429:
        return "insufficient_quota" not in (error.code, error.type)  # that needs money, not time
    passing = error.status_code >= 500 or error.status_code in _PASSING
    return passing and _blamed(error, request) is None


def _retry_after(error: openai.APIStatusError) -> float | None:
    """The server's wish in seconds: `retry-after-ms`, seconds, or an HTTP date."""
    headers = error.response.headers
    if re.fullmatch(r"\d{1,12}(\.\d*)?", wish := headers.get("retry-after-ms", "")):
        return float(wish) / 1000
    return network.retry_after(headers)


def _message(error: openai.APIError) -> str:
    """The server's own words, whatever shape it gave them."""
    body = error.body
    if isinstance(body, dict):
        inner = body.get("message") or body.get("detail") or body.get("error")
        return str(inner) if inner else error.message
    return body if isinstance(body, str) and body else error.message


def _one_line(error: openai.APIError, key: str) -> str:
    status = getattr(error, "status_code", None)
    text = whole_text(_message(error)[:20_000])
    if key != _NO_KEY:
        text = text.replace(key, "[key]")  # before anything is cut
    text = " ".join(re.sub(r"<[^>]*>", " ", text[:10_000]).split())
    text = text if len(text) <= 200 else text[:199] + "…"
    return f"{status}: {text}" if status and text else text or str(status or "no reason given")


def refuses_key(said: str, host: str) -> bool:
    """Whether what an endpoint came to is that it refused the key."""
    return said == _refused_key(host)


def _refused_key(host: str) -> str:
    return f"The endpoint {host} refused the key. Check OPENAI_API_KEY or the key in Settings."


def _estimate(text: str) -> int:
    """Tokens, for servers that do not count: about four characters each."""
    return -(-len(text) // 4)


# -- endpoints ---------------------------------------------------------------------------


def _checked_url(base_url: str | None) -> str:
    """Blank counts as unset: the SDK would take it literally."""
    url = (base_url or "").strip().rstrip("/") or OPENAI
    try:
        parts = urlsplit(url)
        valid = parts.scheme in ("http", "https") and parts.hostname and (parts.port or 1)
    except ValueError:
        valid = False
    if not valid:
        raise SettingsError(
            "OPENAI_BASE_URL is not a web address: it begins with http:// or https:// and "
            "usually ends in /v1."
        )
    if "@" in parts.netloc or parts.query:  # the HTTP library logs whole addresses
        raise SettingsError(
            "OPENAI_BASE_URL carries a name, password or parameter. A key belongs in "
            "OPENAI_API_KEY; the address ends with its path."
        )
    return url


# -- the connection ----------------------------------------------------------------------

# what reading a reply can end in, besides what the SDK reports: no JSON, no UTF-8, nested too
# deeply, of another shape; too long, broken off, packed badly; nobody there
_UNREADABLE = (ValueError, LookupError, TypeError, RecursionError, OSError, httpx2.HTTPError)
_PLAIN_HEADERS = {
    *("accept", "accept-encoding", "authorization", "connection", "content-length"),
    *("content-type", "host", "user-agent"),
}


def _sdk(
    base_url: str, key: str, timeout_s: float, public: bool, trusted: bool
) -> openai.AsyncOpenAI:
    """The SDK over a connection that follows no redirect and reads no more than it can use.

    `public`: to addresses on the internet alone. Without `trusted`, nothing of the environment
    (OPENAI_ORG_ID, OPENAI_CUSTOM_HEADERS) is sent.
    """

    async def prepare(request: httpx2.Request) -> None:
        request.headers["Accept-Encoding"] = "gzip"
        if not trusted:
            for name in set(request.headers) - _PLAIN_HEADERS:
                del request.headers[name]
            request.headers["Authorization"] = f"Bearer {key}"
        if public:  # connects to the address that was checked, under the name that was asked for
            _, host, port = network.origin(str(request.url))
            places = await asyncio.wrap_future(network.places_of(host, port, True))
            request.extensions["sni_hostname"] = host
            request.url = request.url.copy_with(host=str(places[0][-1][0]))

    async def limit(response: httpx2.Response) -> None:
        streamed = response.headers.get("content-type", "").startswith("text/event-stream")
        encoding = response.headers.pop("content-encoding", "")
        most = _MOST_STREAMED if streamed else _MOST_WHOLE
        response.stream = _Limited(response.stream, network.Unpacked(encoding, most))

    timeout = openai.Timeout(timeout_s, connect=min(10.0, timeout_s))
    client = openai.DefaultAsyncHttpxClient(
        timeout=timeout,
        verify=network.tls(),
        follow_redirects=False,
        trust_env=not public,  # a proxy would hide where the connection goes
        event_hooks={"request": [prepare], "response": [limit]},
    )
    return openai.AsyncOpenAI(
        api_key=key, base_url=base_url, timeout=timeout, max_retries=0, http_client=client
    )


class _Limited(httpx2.AsyncByteStream):
    """The body of a reply, unpacked here: a small one may unpack to gigabytes.

    A piece at a time, for all calls share one loop: what is read of one without a pause, the others
    wait for, and its own time-out too.
    """

    def __init__(self, stream: Any, unpacked: network.Unpacked) -> None:
        self._stream, self._unpacked = stream, unpacked

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._stream:
            unpacked = self._unpacked.take(chunk)
            for start in range(0, len(unpacked), _PIECE):
                yield unpacked[start : start + _PIECE]
                await asyncio.sleep(0)
        self._unpacked.end()

    async def aclose(self) -> None:
        await self._stream.aclose()


def list_models(client: OpenAIChat, timeout_s: float = 10.0) -> list[str]:
    """Model names the endpoint offers, sorted; closes the client. Raises like a call to it."""
    host = client.host

    async def fetch() -> list[str]:
        async with client._sdk as sdk, asyncio.timeout(timeout_s):
            return sorted([whole_text(str(model.id)) async for model in sdk.models.list()])

    no_list = f"{host} offers no list of models"
    try:
        return _start(fetch()).result()
    except (TimeoutError, openai.APITimeoutError):
        raise client._too_slow(timeout_s) from None
    except openai.APIStatusError as error:
        if error.status_code in (401, 403):
            raise SourceRejected(_refused_key(host), source=host) from None
        raise SourceRejected(
            f"{no_list} ({client._said(error)}). Type the model's name.", source=host
        ) from None
    except openai.APIConnectionError as error:
        raise client._dead(error) from None
    except OSError as error:
        raise client._unreadable(error) from None
    except (openai.APIError, AttributeError, *_UNREADABLE):
        raise SourceRejected(
            f"{no_list}. Check OPENAI_BASE_URL: it usually ends in /v1.", source=host
        ) from None


@dataclass(frozen=True)
class Probe:
    """How an endpoint took one small call. No `problem`: it can be used."""

    latency_s: float
    rung: str
    model: str
    problem: str = ""


class _Numbers(BaseModel):
    first: int
    second: int


class _Sum(BaseModel):
    total: int


_ADD = Skill("add", "Add the two numbers.", _Numbers, _Sum)


def probe(client: OpenAIChat, timeout_s: float = 30.0) -> Probe:
    """One small call, for the Settings page. Never raises."""
    started = time.monotonic()
    rung = problem = ""
    call = client.ask(_ADD, _Numbers(first=2, second=3))
    try:
        reply = call.result(timeout_s)
        rung, problem = reply.rung, reply.problem
    except TimeoutError:
        call.cancel()
        problem = f"{client.host} gave no complete reply within {timeout_s:g} seconds."
    except KGQAError as error:
        problem = str(error)
    return Probe(time.monotonic() - started, rung, client.model, problem)


# -- the background loop -----------------------------------------------------------------

_starting = threading.Lock()
_running: asyncio.AbstractEventLoop | None = None


def _loop() -> asyncio.AbstractEventLoop:
    """The process's one loop, in a daemon thread of its own from the first call on."""
    global _running
    with _starting:
        if _running is None:
            ready: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = Future()

            async def serve() -> None:
                over = asyncio.Event()
                ready.set_result((asyncio.get_running_loop(), over))
                await over.wait()

            thread = threading.Thread(
                target=asyncio.run, args=(serve(),), name="kgqa-llm", daemon=True
            )
            thread.start()
            loop, over = ready.result()

            def end() -> None:
                loop.call_soon_threadsafe(over.set)  # `asyncio.run` then cancels what is left
                thread.join(timeout=2.0)

            atexit.register(end)
            _running = loop
        return _running


def _start(call: Coroutine[Any, Any, T]) -> Future[T]:
    return asyncio.run_coroutine_threadsafe(call, _loop())


def _run_soon(call: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Starts a call nobody waits for, unless there was never a loop to need it."""
    if _running is not None and not _running.is_closed():
        asyncio.run_coroutine_threadsafe(call(), _running)
