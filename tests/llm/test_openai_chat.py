"""The OpenAI-compatible client, over HTTP against a server that also misbehaves."""

from __future__ import annotations

import asyncio
import gzip
import itertools
import json
import logging
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, SecretStr

from kgqa_core import network
from kgqa_core.ask.listed import Listed
from kgqa_core.ask.llm import Complaint, Reply
from kgqa_core.ask.skill import Skill
from kgqa_core.errors import SettingsError, SourceError, SourceRejected, SourceUnavailable
from kgqa_core.llm import openai_chat
from kgqa_core.llm.openai_chat import OpenAIChat, list_models, probe
from kgqa_core.settings import Settings
from tests.patience import PATIENCE_S, wait_until
from tests.places import ROOT
from tests.servers.openai import (
    OpenAIServer,
    bytes_in_stream,
    document,
    drip_headers,
    error_in_stream,
    flood,
    garbage,
    hang,
    hang_in_stream,
    ok,
    packed,
    page,
    redirect,
    rejects,
    status,
    unstreamed,
)

KEY = "sk-test-0123456789"


class Asked(BaseModel):
    question: str


class Said(BaseModel):
    text: str
    certain: bool = True


class Free(BaseModel):
    scores: dict[str, int]


SAY = Skill("say it", "Answer.", Asked, Said)
GIVEN = Asked(question="Where is Ulm?")
GERMANY = {"text": "Germany", "certain": True}


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    openai_chat._manners.clear()  # ports are used again, by servers with other manners
    with OpenAIServer() as server:
        yield server


@pytest.fixture
def client(server: OpenAIServer) -> Iterator[Callable[..., OpenAIChat]]:
    made: dict[str, OpenAIChat] = {}

    def make(model: str = "test-model", **options: Any) -> OpenAIChat:
        options = {"api_key": KEY, "base_url": server.url, "timeout_s": 5.0, **options}
        key = f"{model} {options}"
        return made.get(key) or made.setdefault(key, OpenAIChat(model, **options))

    yield make
    for one in made.values():
        one.close()


@pytest.fixture(autouse=True)
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Back-off without the waiting; tests that measure waits set Retry-After."""
    monkeypatch.setattr(openai_chat.random, "uniform", lambda low, high: 0.01)


def ask(llm: OpenAIChat, skill: Skill[Any] = SAY, **options: Any) -> Reply[Any]:
    return llm.ask(skill, GIVEN, **options).result(timeout=PATIENCE_S)


# -- a good day --------------------------------------------------------------------------


def test_a_reply_is_typed_counted_and_traced(server, client):
    server.will(ok(GERMANY))
    reply = ask(client())
    assert reply.value == Said(text="Germany")
    assert (reply.prompt_tokens, reply.completion_tokens, reply.estimated) == (100, 10, False)
    assert reply.rung == "json_schema"
    assert reply.problem == reply.reasoning == ""
    assert "question: Where is Ulm?" in reply.prompt
    sent = server.requests[0]
    assert sent.headers["authorization"] == f"Bearer {KEY}"
    assert sent.body["model"] == "test-model"
    assert sent.body["temperature"] == 0.0
    assert sent.body["stream_options"] == {"include_usage": True}
    assert sent.schema["name"] == "say_it"
    assert sent.schema["strict"] is True
    assert sent.schema["schema"]["required"] == ["text", "certain"]


def test_text_arrives_while_it_is_written_but_not_too_often(server, client):
    server.will(ok({"text": "word " * 30}, drip_s=0.01, size=3))
    seen: list[tuple[float, str]] = []
    reply = ask(client(), on_text=lambda text: seen.append((time.monotonic(), text)))
    texts = [text for _, text in seen]
    assert 2 <= len(texts) <= 1 + (seen[-1][0] - seen[0][0]) * 10 + 1
    assert all(late.startswith(early) for early, late in itertools.pairwise(texts))
    assert texts[-1] == reply.text


def test_calls_run_at_once_and_the_skill_may_set_its_temperature(server, client):
    together = threading.Barrier(6)

    def answer(exchange):
        together.wait(PATIENCE_S)  # one after the other they would never meet
        ok(GERMANY)(exchange)

    server.always = answer
    llm = client(temperature=0.3)
    warm = Skill("say it", "Answer.", Asked, Said, temperature=0.9)
    futures = [llm.ask(warm if i else SAY, GIVEN) for i in range(6)]
    assert all(f.result(PATIENCE_S).value for f in futures)
    assert sorted(r.body["temperature"] for r in server.requests) == [0.3] + [0.9] * 5


def test_a_complaint_is_shown_to_the_model(server, client):
    server.will(ok(GERMANY))
    ask(client(), complaint=Complaint("Germany!", "The reply contains no JSON object."))
    *_, bad, complaint = server.requests[0].body["messages"]
    assert bad == {"role": "assistant", "content": "Germany!"}
    assert "contains no JSON object" in complaint["content"]


def test_settings_make_a_client_and_a_blank_url_is_unset(monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("KGQA_MODEL", "m1")
    monkeypatch.setenv("KGQA_LLM_TIMEOUT_S", "7")
    llm = OpenAIChat.from_settings(Settings(_env_file=None))
    assert llm.name == "m1 at api.openai.com"
    assert (llm.base_url, llm.timeout_s, llm._key) == (openai_chat.OPENAI, 7.0, KEY)
    local = Settings(_env_file=None).model_copy(
        update={"openai_api_key": SecretStr(" "), "openai_base_url": "http://localhost:11434/v1/"}
    )
    assert OpenAIChat.from_settings(local).name == "m1 at localhost:11434"


def test_local_servers_get_a_placeholder_for_a_key(server, client):
    ask(client(api_key=None))
    assert server.requests[0].headers["authorization"] == "Bearer none"


# -- the ladder --------------------------------------------------------------------------


def test_the_ladder_goes_down_to_the_rung_that_works_and_stays_there(server, client):
    server.always = rejects("response_format.json_schema", ok(GERMANY))
    assert ask(client()).rung == "json_object"
    assert ask(client()).rung == "json_object"
    assert server.rungs == ["json_schema", "json_object", "json_object"]
    server.always = rejects("response_format", ok("Sure: ```json\n" + '{"text": "x"}' + "\n```"))
    assert ask(client("other")).rung == "prompt"
    assert ask(client("other")).value == Said(text="x")
    assert server.rungs[3:] == ["json_schema", "json_object", "prompt", "prompt"]


def test_a_nameless_400_is_blamed_on_the_format_only_if_less_format_works(server, client):
    server.always = rejects("response_format", ok(GERMANY), message="Invalid request.")
    assert ask(client()).rung == "prompt"
    server.always = status(400, "Your messages are ugly.")
    with pytest.raises(SourceRejected, match="rejected the request: 400: Your messages are ugly"):
        ask(client("other"))
    server.always = ok(GERMANY)
    assert ask(client("other")).rung == "json_schema"  # nothing was learned from that


def test_a_rung_that_has_worked_is_not_given_up_for_one_skill(server, client):
    server.will(ok(GERMANY), status(400, "Schema too complex"), ok(GERMANY), ok(GERMANY))
    assert [ask(client()).rung for _ in range(3)] == ["json_schema", "json_object", "json_schema"]


def test_a_server_fault_about_the_grammar_is_a_refusal_of_the_format(server, client):
    server.will(status(500, "failed to parse grammar"), ok(GERMANY))
    assert ask(client()).rung == "json_object"


def test_a_reply_with_free_keys_begins_one_rung_down_for_itself_alone(server, client):
    server.will(ok({"scores": {"a": 1}}), ok(GERMANY))
    assert ask(client(), Skill("free", "Score.", Asked, Free)).rung == "json_object"
    assert ask(client()).rung == "json_schema"


class Chosen(BaseModel):
    best: Annotated[int, Listed("facts")]
    next_best: Annotated[int, Listed("facts")]


class Facts(BaseModel):
    facts: list[str] = ["a", "b", "c", "d"]


CHOOSE_TWO = Skill("choose two", "Choose.", Facts, Chosen)


def test_what_is_listed_twice_is_sent_once_where_the_server_follows_references(server, client):
    reply = client().ask(CHOOSE_TWO, Facts()).result(timeout=PATIENCE_S)
    schema = server.requests[0].schema["schema"]
    assert schema["properties"]["next_best"] == schema["properties"]["best"]
    assert schema["properties"]["best"] == {"$ref": "#/$defs/best"}
    assert schema["$defs"] == {"best": {"type": "integer", "enum": [0, 1, 2, 3]}}
    assert reply.value == Chosen(best=0, next_best=0)


def test_a_server_that_follows_no_references_is_sent_none_and_keeps_the_schema(server, client):
    def strict(exchange):
        if "$ref" in json.dumps(exchange.request.schema):
            return status(400, "Invalid schema for response_format: $ref is not supported")(
                exchange
            )
        return ok({"best": 1, "next_best": 2})(exchange)

    server.always = strict
    for _ in range(2):
        reply = client().ask(CHOOSE_TWO, Facts()).result(timeout=PATIENCE_S)
        assert (reply.value, reply.rung) == (Chosen(best=1, next_best=2), "json_schema")
    assert server.rungs == ["json_schema"] * 3


def test_too_long_a_prompt_is_rejected_at_once(server, client):
    server.will(status(400, "This model's maximum context length is 8192 tokens."))
    with pytest.raises(SourceRejected, match="maximum context length"):
        ask(client())
    assert len(server.requests) == 1


@pytest.mark.parametrize("parameter", ["temperature", "stream_options", "stream"])
def test_a_refused_parameter_is_left_out_from_then_on(server, client, parameter):
    server.always = rejects(parameter, ok(GERMANY))
    assert ask(client()).value == Said(text="Germany")
    assert ask(client()).rung == "json_schema"
    assert [parameter in r.body for r in server.requests] == [True, False, False]


def test_everything_refused_at_once_still_ends_in_a_reply(server, client):
    inner = rejects("temperature", rejects("stream_options", ok(GERMANY)))
    server.always = rejects("response_format", inner)
    reply = ask(client())
    assert (reply.rung, reply.value) == ("prompt", Said(text="Germany"))
    assert len(server.requests) == 5


# -- odd replies -------------------------------------------------------------------------


def test_missing_usage_is_estimated_and_marked(server, client):
    server.will(ok(GERMANY, usage=False))
    reply = ask(client())
    assert reply.estimated
    assert reply.prompt_tokens == pytest.approx(len(reply.prompt) / 4, abs=1)
    assert reply.completion_tokens == pytest.approx(len(reply.text) / 4, abs=1)


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
def test_reasoning_is_kept_apart(server, client, name):
    server.will(ok(GERMANY, reasoning="Ulm, on the Danube.", reasoning_field=name))
    reply = ask(client())
    assert (reply.value, reply.reasoning) == (Said(text="Germany"), "Ulm, on the Danube.")


def test_think_blocks_are_stripped_also_while_streaming(server, client):
    server.will(ok('<think>{"text": "no"}</think>{"text": "yes"}', drip_s=0.03, size=5))
    seen: list[str] = []
    reply = ask(client(), on_text=seen.append)
    assert reply.value == Said(text="yes")
    assert reply.reasoning == '{"text": "no"}'
    assert all('{"text": "yes"}'.startswith(text) for text in seen)


@pytest.mark.parametrize(
    ("behaviour", "problem"),
    [
        (ok(""), "The reply is empty."),
        (ok("<think>hm"), "The reply is empty: the model only reasoned and gave no answer."),
        (ok("", reasoning="hm"), "The reply is empty: the model only reasoned and gave no answer."),
        (ok('{"text": "Germa', finish="length"), "The reply was cut off at the model's token"),
        (ok("", finish="content_filter"), "The endpoint's content filter withheld the reply."),
        (ok("", refusal="I cannot."), "The model refused: I cannot."),
        (ok("It is in Germany."), "The reply contains no JSON object."),
        (ok({"certain": True}), "The reply does not fit: “text” is missing."),
    ],
)
def test_an_unusable_reply_is_no_error_but_a_problem(server, client, behaviour, problem):
    server.will(behaviour)
    reply = ask(client())
    assert reply.value is None
    assert reply.problem.startswith(problem)
    assert len(server.requests) == 1


def test_a_server_that_does_not_stream_is_read_all_the_same(server, client):
    server.will(unstreamed(GERMANY))
    reply = ask(client())
    assert (reply.value, reply.prompt_tokens) == (Said(text="Germany"), 100)


def test_content_in_parts_is_joined(server, client):
    parts = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": '{"text": "x"}'}]
    choice = {"index": 0, "finish_reason": "stop", "message": {"content": parts}}
    server.will(document({"choices": [choice]}))
    assert ask(client()).value == Said(text="x")


# -- trouble that may pass ---------------------------------------------------------------


@pytest.mark.parametrize(
    "trouble",
    [
        status(429, retry_after="0"),
        status(500, "oops"),
        status(503),
        status(408),
        ok(GERMANY, cut_after=1),
        ok(GERMANY, finish=None),
        ok(GERMANY, cut_after=0),
        error_in_stream("engine overloaded"),
        garbage(),
    ],
    ids=["429", "500", "503", "408", "cut", "no-finish", "cut-first", "error-event", "garbage"],
)
def test_passing_trouble_is_tried_again(server, client, trouble):
    server.will(trouble, ok(GERMANY))
    assert ask(client()).value == Said(text="Germany")
    assert server.rungs == ["json_schema", "json_schema"]


@pytest.mark.parametrize(
    ("trouble", "message"),
    [
        (status(429), "limits requests. Try again in a minute."),
        (status(502, "<html>Bad gateway"), "has a fault of its own (502: Bad gateway)."),
        (ok(GERMANY, finish=None), "broke off in the middle of its reply. Try again"),
        (error_in_stream("engine overloaded"), "gave up: engine overloaded"),
        (document({"error": {"message": "no capacity"}}), "gave up: no capacity"),
        (document([]), "gave up: a reply without choices"),
    ],
)
def test_lasting_trouble_ends_in_a_sentence_with_what_to_do(server, client, trouble, message):
    server.always = trouble
    with pytest.raises(SourceUnavailable) as caught:
        ask(client())
    assert message in str(caught.value)
    assert caught.value.source == client().name
    assert len(server.requests) == 3


EVENT = b'data: {"choices": [{"index": 0, "delta": {"content": "%s"}}]}\n\n'


@pytest.mark.parametrize(
    "fault",
    [
        bytes_in_stream(EVENT % b"\xff\xfe"),
        bytes_in_stream(b'data: {"choices": ' + b"[" * 100_000 + b"\n\n"),
        bytes_in_stream(b'data: {"choices": [1, 2]}\n\n', b"data: 5\n\n", b"data: []\n\n"),
        bytes_in_stream(b'data: {"choices": {"a": {"b": 1}}}\n\n'),
        document({"choices": 5}),
        packed(b"not gzip"),
        packed(gzip.compress(b'{"choices": []}' * 999)[:-20]),
        packed(b"{}", "br"),
        packed(b"[" * 100_000, ""),
        packed(b'{"choices": "\xff"}', ""),
        packed(b'{"choices": [1e309]}', ""),
        packed(b'{"choices": ', ""),
        packed(b"not gzip", kind="text/event-stream"),
    ],
    ids="utf-8 deep shape mapping number gzip cut brotli deep-json latin-1 1e309 half sse".split(),
)
def test_what_cannot_be_read_is_a_sentence(server, client, fault):
    server.always = fault
    with pytest.raises(SourceUnavailable, match=r"Try again|gave up") as caught:
        ask(client())
    assert len(str(caught.value)) < 300
    assert len(server.requests) == 3
    server.always = ok(GERMANY)
    assert ask(client()).value == Said(text="Germany")


@pytest.mark.parametrize(
    "fault",
    [
        flood("text/event-stream", b"", EVENT % (b"x" * 10_000)),
        flood("text/event-stream", b"data: ", b"x" * 100_000),
        flood("text/event-stream", b"", b": " + b"x" * 50_000 + b"\n\n"),
        flood("application/json", b"[", b"{}," * 30_000),
        flood("application/json", b'{"error": "', b"x" * 100_000, code=400),
        packed(lambda: gzip.compress(b" " * (20 << 20))),
        packed(lambda: gzip.compress(b": " + b"x" * (20 << 20)), kind="text/event-stream"),
    ],
    ids="text event comments json error bomb bomb-sse".split(),
)
def test_no_more_is_read_than_can_be_used(server, client, fault):
    server.always = fault
    with pytest.raises(SourceRejected, match="sends a longer reply than can be read"):
        ask(client(timeout_s=60.0))
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("line", "times"),
    [(b"data: {}\n\n", 20_000), (b"\n", 2 << 20), (b":\n", 1 << 20), (b"data:\n", 400_000)],
)
def test_a_small_reply_that_unpacks_to_much_work_holds_up_no_other_call(
    server, client, line, times
):
    body = gzip.compress(line * times)
    assert len(body) < 1 << 16  # it arrives at once
    server.always = packed(body, kind="text/event-stream")
    turns: list[float] = []

    async def turn() -> None:
        while True:
            turns.append(time.thread_time())  # the loop's own, however busy the machine is
            await asyncio.sleep(0)

    other = openai_chat._start(turn())
    with pytest.raises(SourceUnavailable, match="broke off"):
        ask(client(timeout_s=PATIENCE_S, max_retries=0))
    other.cancel()
    longest = max(later - before for before, later in itertools.pairwise(turns))
    assert longest < 0.25


def test_the_time_out_is_for_the_whole_reply_however_much_comes(server, client):
    server.always = flood("text/event-stream", b"", EVENT % b"x" * 1_000)
    with pytest.raises(SourceUnavailable, match=r"no complete reply within 0\.3 seconds"):
        ask(client(timeout_s=0.3, max_retries=0))


def test_characters_in_two_halves_are_put_together(server, client):
    halves = [EVENT % rb"{\"text\": \"\ud83d", EVENT % rb"\ude00 \udfff\"}"]
    end = b'data: {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}\n\n'
    server.will(bytes_in_stream(*halves, end))
    seen: list[str] = []
    reply = ask(client(), on_text=seen.append)
    assert reply.value == Said(text="😀 \ufffd")
    assert all(text.encode() for text in [*seen, reply.text])


@pytest.mark.parametrize("text", ['{"text": "a\\ud800"}', '{"text": "a", "certain": "\\ud800"}'])
def test_half_a_character_inside_a_reply(server, client, text):
    server.will(ok(text))
    reply = ask(client())
    assert reply.text.encode()
    assert isinstance(reply.problem.encode(), bytes)
    if reply.value is not None:
        assert reply.value.text == "a\ufffd"


def test_deep_and_endless_objects_in_a_reply(server, client):
    for text in ('{"a":' * 50_000 + "1" + "}" * 50_000, "{}" * 300_000, "{" * 500_000):
        server.will(ok(text, size=50_000))
        assert ask(client(timeout_s=60.0)).value is None


def test_odd_counts_of_tokens_are_estimated(server, client):
    choice = {"index": 0, "finish_reason": "stop", "message": {"content": '{"text": "x"}'}}
    for odd in ("many", -1, 1.5, 10**12):
        usage = {"prompt_tokens": odd, "completion_tokens": odd}
        server.will(document({"choices": [choice], "usage": usage}))
        assert ask(client()).estimated


@pytest.mark.parametrize("wish", ["inf", "nan", "-5", "Tue, 99 Foo 99999 00:00:00"])
def test_a_strange_wish_to_wait_is_none(server, client, wish):
    server.will(status(429, retry_after=wish), ok(GERMANY))
    assert ask(client()).value == Said(text="Germany")


def test_a_wish_to_wait_for_ever_is_told(server, client):
    server.will(status(429, retry_after="9" * 400))
    with pytest.raises(SourceUnavailable, match="Try again in 86400 seconds"):
        ask(client())


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
def test_a_question_is_not_sent_on_elsewhere(server, client, code):
    with OpenAIServer() as other:
        server.always = redirect(code, other.url + "/chat/completions")
        with pytest.raises(SourceRejected, match="sends requests on to another address"):
            ask(client())
        server.will(redirect(code, other.url + "/models"))
        with pytest.raises(SourceRejected, match="offers no list"):
            list_models(OpenAIChat("", api_key=KEY, base_url=server.url))
        assert other.requests == []


def test_a_process_ends_in_time_whatever_an_endpoint_does(server, tmp_path):
    server.always = drip_headers
    env = {"OPENAI_BASE_URL": server.url, "KGQA_LLM_TIMEOUT_S": "0.5", "OPENAI_API_KEY": KEY}
    done = subprocess.run(
        [sys.executable, "-m", "kgqa_core", "ask", "Who is Caesar?", "--llm", "openai"],
        env={**os.environ, **env, "KGQA_DATA_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    assert done.returncode == 1
    assert "no complete reply within 0.5 seconds" in done.stderr


def test_retry_after_is_honoured_in_seconds_milliseconds_and_as_a_date(server, client):
    soon = (datetime.now(UTC) + timedelta(seconds=2)).replace(microsecond=0)
    date = format_datetime(soon, usegmt=True)
    server.will(status(429, retry_after="0.3"), status(503, retry_after=date), ok(GERMANY))
    ask(client())
    first, second, _ = (request.at_s for request in server.requests)
    assert second - first >= 0.3
    assert datetime.now(UTC) >= soon


def test_a_wait_beyond_patience_is_not_begun(server, client):
    server.will(status(429, retry_after="3600"))
    with pytest.raises(SourceUnavailable, match="Try again in 3600 seconds") as caught:
        ask(client())
    assert caught.value.retry_after_s == 3600


@pytest.mark.parametrize(
    "slow", [hang(), hang_in_stream('{"text": '), ok(GERMANY, drip_s=0.2, size=1), drip_headers]
)
def test_a_call_that_takes_too_long_is_tried_once_more(server, client, slow):
    server.always = slow
    with pytest.raises(SourceUnavailable, match=r"no complete reply within 0\.8 seconds"):
        ask(client(timeout_s=0.8))
    assert len(server.requests) == 2


def test_a_dead_endpoint_is_one_clear_sentence(client):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    with pytest.raises(SourceUnavailable) as caught:
        ask(client(base_url=f"http://127.0.0.1:{port}/v1"))
    assert str(caught.value).startswith(f"No connection to 127.0.0.1:{port} (")
    assert "Start the server there" in str(caught.value)


# -- trouble that stays ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("trouble", "message"),
    [
        (
            status(401, f"Incorrect API key provided: {KEY}"),
            "refused the key. Check OPENAI_API_KEY",
        ),
        (status(403), "refused the key. Check OPENAI_API_KEY"),
        (status(404, "no such model"), "does not know the model “test-model”"),
        (status(413, f"Too big for {KEY}. " + "x" * 999), "rejected the request: 413: Too big"),
        (status(429, "You exceeded your quota", code="insufficient_quota"), "no quota left"),
        (page(), "answers with a web page, not as a model"),
        (page(code=405), "rejected the request: 405: Welcome"),
    ],
)
def test_lasting_refusals_are_rejected_without_a_second_try(server, client, trouble, message):
    server.always = trouble
    with pytest.raises(SourceRejected) as caught:
        ask(client())
    assert message in str(caught.value)
    assert KEY not in str(caught.value)
    assert len(str(caught.value)) < 300
    assert len(server.requests) == 1


@pytest.mark.parametrize("url", ["localhost:11434/v1", "ftp://x/v1", "http://", "http://x:port"])
def test_a_base_url_that_is_none_is_a_setting_to_correct(url):
    with pytest.raises(SettingsError, match="OPENAI_BASE_URL is not a web address"):
        OpenAIChat("m", base_url=url)


@pytest.mark.parametrize("url", [f"https://me:{KEY}@x/v1", f"https://x/v1?key={KEY}"])
def test_a_base_url_with_a_secret_in_it_is_refused_because_logs_show_urls(url):
    with pytest.raises(SettingsError, match="belongs in OPENAI_API_KEY") as caught:
        OpenAIChat("m", base_url=url)
    assert KEY not in str(caught.value)


@pytest.mark.parametrize("key", ["sk-“quoted”", "sk 1", "sk\n1"])
def test_a_key_that_cannot_be_one_is_a_setting_to_correct(key):
    with pytest.raises(SettingsError, match="OPENAI_API_KEY") as caught:
        OpenAIChat("m", api_key=key)
    assert key not in str(caught.value)


def test_the_key_shows_nowhere(server, client, caplog):
    caplog.set_level(logging.DEBUG)
    server.will(ok({"text": "x"}), status(500, f"bad key {KEY}"), status(413, f"bad {KEY}"))
    llm = client()
    reply = ask(llm)
    with pytest.raises(SourceRejected) as caught:
        ask(llm)
    shown = (repr(llm), llm.name, repr(reply), str(caught.value), repr(caught.value.__cause__))
    assert not any(KEY in text for text in shown)
    assert KEY not in caplog.text


def test_an_endpoint_that_repeats_the_request_tells_no_key(server, client):
    told = f"You sent Bearer {KEY}"
    server.will(ok({"text": told, "certain": True}, reasoning=told, drip_s=0.12, size=9))
    server.will(ok("", refusal=told), status(413, " " * 9_990 + KEY))
    seen: list[str] = []
    reply = ask(client(), on_text=seen.append)
    assert reply.value == Said(text="You sent Bearer [key]")
    assert "[key]" in reply.reasoning
    refused = ask(client())
    assert "[key]" in refused.problem
    with pytest.raises(SourceRejected) as caught:
        ask(client())
    assert KEY not in f"{reply!r} {refused!r} {seen}"
    assert KEY[:8] not in str(caught.value)


def test_a_key_that_is_a_word_may_be_said(server, client):
    server.will(ok({"text": "ollama", "certain": True}))
    assert ask(client(api_key="ollama")).value == Said(text="ollama")


# -- stopping ----------------------------------------------------------------------------


@pytest.mark.parametrize("slow", [hang(), hang_in_stream('{"text": "Ger'), ok(GERMANY, drip_s=9)])
def test_cancelling_hangs_up_at_once(server, client, slow):
    server.always = slow
    future = client().ask(SAY, GIVEN)
    wait_until(lambda: server.requests)
    time.sleep(0.1)
    assert future.cancel()
    assert server.requests[0].hung_up.wait(PATIENCE_S)
    with pytest.raises(CancelledError):
        future.result(0)


def test_cancelling_ends_the_wait_before_a_retry(server, client):
    server.always = status(429, retry_after="0.1")
    future = client(max_retries=99).ask(SAY, GIVEN)
    wait_until(lambda: server.requests)
    future.cancel()
    asked = len(server.requests)
    time.sleep(0.5)
    assert len(server.requests) <= asked + 1  # one may have been on its way


def test_one_cancelled_call_leaves_the_others_alone(server, client):
    llm = client()
    server.will(hang())
    stuck = llm.ask(SAY, GIVEN)
    wait_until(lambda: server.requests)
    server.will(ok(GERMANY, drip_s=0.05))
    other = llm.ask(SAY, GIVEN)
    stuck.cancel()
    assert other.result(PATIENCE_S).value == Said(text="Germany")


def test_all_clients_share_one_background_thread(server, client):
    for _ in range(3):
        ask(client())
    assert [t.name for t in threading.enumerate()].count("kgqa-llm") == 1


# -- open to strangers -------------------------------------------------------------------


def test_a_hosted_app_asks_no_endpoint_inside_its_network(server, client):
    with pytest.raises(SourceRejected, match="inside this network"):
        ask(client(hosted=True))
    with pytest.raises(SourceRejected, match="inside this network"):
        list_models(OpenAIChat("", base_url=server.url, hosted=True))
    assert server.requests == []


def test_an_endpoint_that_the_environment_names_may_be_inside(server, client):
    server.will(ok(GERMANY))
    assert ask(client(hosted=True, trusted=True)).value == Said(text="Germany")


def test_a_hosted_app_connects_to_the_very_address_it_checked(server, client, monkeypatch):
    """A name that is public when it is looked up and private a moment later: 127.0.0.1 stands
    for the internet here, 127.0.0.2 for the inside."""
    monkeypatch.setattr(network, "is_public", lambda address: address == "127.0.0.1")
    looked_up: list[str] = []
    real = socket.getaddrinfo

    def resolver(host: Any, port: Any, *args: Any, **options: Any) -> Any:
        if host != "moves.example":
            return real(host, port, *args, **options)
        place = "127.0.0.2" if looked_up else "127.0.0.1"
        looked_up.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (place, port))]

    monkeypatch.setattr(socket, "getaddrinfo", resolver)
    server.will(ok(GERMANY))
    llm = client(base_url=server.url.replace("127.0.0.1", "moves.example"), hosted=True)
    assert ask(llm).value == Said(text="Germany")
    assert looked_up == ["moves.example"]
    assert server.requests[0].headers["host"].startswith("moves.example:")
    with pytest.raises(SourceRejected, match="inside this network"):
        ask(llm)


@pytest.mark.parametrize(
    "trouble",
    [
        status(400, "secret of the inside"),
        status(418, "secret of the inside"),
        status(500, "secret of the inside"),
        error_in_stream("secret of the inside"),
    ],
)
def test_a_hosted_app_does_not_pass_on_what_an_endpoint_says(server, client, trouble):
    server.always = trouble
    with pytest.raises(SourceError) as caught:
        ask(client(hosted=True, trusted=True))
    assert "secret" not in str(caught.value)


def test_what_else_the_environment_holds_goes_to_its_own_endpoint_only(server, client, monkeypatch):
    monkeypatch.setenv("OPENAI_ORG_ID", "org-secret")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Gateway: secret\nAuthorization: Bearer secret")
    server.will(ok(GERMANY), ok(GERMANY))
    ask(client(api_key=None))
    ask(client("other", trusted=True))
    foreign, own = (request.headers for request in server.requests)
    assert "secret" not in str(foreign)
    assert foreign["authorization"] == "Bearer none"
    assert own["openai-organization"] == "org-secret"


# -- for the Settings page ---------------------------------------------------------------


def test_models_are_listed_by_name(server):
    assert list_models(OpenAIChat("", api_key=KEY, base_url=server.url)) == ["small", "test-model"]
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    ("trouble", "patience_s", "error", "message"),
    [
        (status(401), PATIENCE_S, SourceRejected, "refused the key"),
        (status(404), PATIENCE_S, SourceRejected, "offers no list of models (404: status 404)"),
        (page(), PATIENCE_S, SourceRejected, "offers no list of models"),
        (hang(), 0.3, SourceUnavailable, "no complete reply within 0.3 seconds"),
    ],
)
def test_listing_fails_in_words(server, trouble, patience_s, error, message):
    server.will(trouble)
    with pytest.raises(error) as caught:
        list_models(OpenAIChat("", api_key=KEY, base_url=server.url), timeout_s=patience_s)
    assert message in str(caught.value)


def test_a_probe_reports_how_the_endpoint_takes_a_small_call(server, client):
    server.will(ok({"total": 5}))
    good = probe(client())
    assert (good.rung, good.model, good.problem) == ("json_schema", "test-model", "")
    assert 0 < good.latency_s < 5
    server.will(ok("five"))
    assert probe(client()).problem == "The reply contains no JSON object."
    server.will(status(401), hang())
    assert "refused the key" in probe(client()).problem
    assert "no complete reply within 0.2 seconds" in probe(client(), timeout_s=0.2).problem


# -- the stand-in ------------------------------------------------------------------------


def test_without_a_script_the_server_stands_in_for_a_model(server, client):
    server.answers = {"say_it": [{"text": "first"}, {"text": "second"}]}
    texts = [ask(client()).value.text for _ in range(3)]
    assert texts == ["first", "second", "second"]
    reply = client().ask(Skill("other", "x", Asked, Said), GIVEN).result(PATIENCE_S)
    assert reply.value == Said(text="a reply from the loopback server")


def test_a_package_that_another_thread_is_still_loading_is_waited_for(tmp_path):
    """Chroma's client brings httpx, which openai asks for its types as soon as it is there."""
    (tmp_path / "httpx.py").write_text(
        "import sys, time\n"
        "while 'openai.types.chat' not in sys.modules: time.sleep(0.01)\n"
        "time.sleep(0.3)\n"
        "Timeout = None\n"
    )
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import importlib, sys, threading\n"
            "threading.Thread(target=importlib.import_module, args=('httpx',)).start()\n"
            "import kgqa_core.llm.openai_chat\n"
            "assert hasattr(sys.modules['httpx'], 'Timeout')\n",
        ],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
