"""Where requests may go, and what becomes of what comes back."""

import json
import socket
import threading
import urllib.request

import pytest
from pydantic import BaseModel

from kgqa_core import network
from kgqa_core.ask.skill import Skill
from kgqa_core.errors import SourceRejected, SourceUnavailable
from kgqa_core.llm.openai_chat import OpenAIChat
from tests.patience import PATIENCE_S
from tests.servers.openai import OpenAIServer
from tests.servers.tls import tls_server


class Text(BaseModel):
    text: str


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.0.1", "169.254.169.254", "0.0.0.0"),
        *("100.64.0.1", "192.0.0.1", "198.18.0.1", "224.0.0.1", "239.1.1.1", "240.0.0.1"),
        *("255.255.255.255", "::1", "::", "::7f00:1", "fe80::1%eth0", "fc00::1", "fd12::1"),
        *("ff02::1", "ff0e::1", "fec0::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1"),
        *("64:ff9b::7f00:1", "64:ff9b::a00:1", "64:ff9b:1::1", "2002:7f00:1::", "2002:a00:1::1"),
        *("2001::1", "2001:db8::1", "100::1", "4000::1"),
    ],
)
def test_what_is_not_on_the_internet(address):
    assert not network.is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        *("8.8.8.8", "91.198.174.192", "2620:0:862:ed1a::1", "2a00:1450:4001:80f::200e"),
        *("64:ff9b::808:808", "::ffff:8.8.8.8", "2002:808:808::1"),
    ],
)
def test_what_is(address):
    assert network.is_public(address)


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        ("3", 3),
        ("2.5", 2.5),
        ("inf", None),
        ("nan", None),
        ("-1", None),
        ("1e9", None),
        ("9" * 400, 86_400),
        ("Sun, 06 Nov 1994 08:49:37 GMT", 0),
        ("Sun, 06 Nov 9999 08:49:37 GMT", 86_400),
        ("soon", None),
        ("", None),
    ],
)
def test_how_long_a_server_wants_us_to_wait(said, seconds):
    assert network.retry_after({"retry-after": said}) == seconds


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        "1e309",
        "NaN",
        "-Infinity",
        '{"a": 1e999}',
        b"\xff",
        b'"\xe9"',
        "",
        "9" * 5000,
    ],
)
def test_json_that_is_none(text):
    with pytest.raises(ValueError, match=r".+"):
        network.read_json(text)


def test_texts_in_json_are_whole():
    assert network.read_json('"\\ud83d\\ude00 \\ud83d"') == "😀 \ufffd"
    found = network.read_json(json.dumps({"a\udc00": ["\ud800", {"b": "c"}], "d": 1.5}))
    assert found == {"a\ufffd": ["\ufffd", {"b": "c"}], "d": 1.5}
    assert network.whole_text("\ud83d" + "\ude00") == "😀"


def test_the_checked_address_is_asked_under_the_name(tmp_path, monkeypatch):
    """The certificate is that of the name, though the connection goes to an address."""
    real = socket.getaddrinfo
    made_up = {"right.example", "wrong.example"}

    def resolver(host, port, *args, **options):
        here = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]
        return here if host in made_up else real(host, port, *args, **options)

    def fetched(host: str) -> int:
        request = urllib.request.Request(f"https://{host}:{seen.port}/", b"x")
        return network.fetch(request, "it", timeout_s=10, public=True).status

    def asked(host: str) -> None:
        url = f"https://{host}:{seen.port}/v1"
        model = OpenAIChat("m", base_url=url, hosted=True, max_retries=0)
        model.ask(Skill("x", "x", Text, Text), Text(text="x")).result(PATIENCE_S)

    with tls_server(tmp_path, "right.example") as seen:
        monkeypatch.setenv("SSL_CERT_FILE", str(seen.certificate))
        monkeypatch.setattr(network, "_contexts", [])
        monkeypatch.setattr(network, "is_public", lambda address: True)
        monkeypatch.setattr(socket, "getaddrinfo", resolver)
        assert fetched("right.example") == 404
        with pytest.raises(SourceRejected, match="does not know the model"):
            asked("right.example")
        with pytest.raises(SourceUnavailable, match="no valid certificate"):
            fetched("wrong.example")
        with pytest.raises(SourceUnavailable, match="No connection"):
            asked("wrong.example")
        assert seen.asked == ["right.example"] * 2 + ["wrong.example"] * 2
        assert seen.hosts == [f"right.example:{seen.port}"] * 2


@pytest.mark.parametrize("inside", ["10.0.0.1", "::1", "fe80::1%eth0", "::ffff:169.254.169.254"])
def test_a_name_that_leads_inside_as_well_as_outside_is_not_asked(inside, monkeypatch):
    def resolver(host, port, *args, **options):
        return [
            (socket.AF_INET, socket.SOCK_STREAM, 6, "", (ip, port)) for ip in ("8.8.8.8", inside)
        ]

    monkeypatch.setattr(socket, "getaddrinfo", resolver)
    monkeypatch.setattr(socket, "socket", None)  # nothing is opened
    request = urllib.request.Request("http://both.example/")
    with pytest.raises(SourceRejected, match="inside this network"):
        network.fetch(request, "it", timeout_s=PATIENCE_S, public=True)
    with pytest.raises(network.PrivatePlace):
        network.places_of("both.example", 80, True).result(PATIENCE_S)


def test_a_name_server_that_does_not_answer_holds_nobody_up(monkeypatch):
    """Strangers' names are looked up beside each other and beside those of others."""
    real, answered = socket.getaddrinfo, threading.Event()

    def resolver(host, *args, **options):
        if host == "tarpit.example":
            assert answered.wait(PATIENCE_S)
            raise socket.gaierror(socket.EAI_AGAIN, "")
        return real(host, *args, **options)

    monkeypatch.setattr(socket, "getaddrinfo", resolver)
    question = Skill("x", "x", Text, Text), Text(text="x")
    with OpenAIServer() as server:
        slow = [
            OpenAIChat("m", base_url=f"http://tarpit.example/{n}", hosted=True, max_retries=0)
            for n in range(40)
        ]
        stuck = [one.ask(*question) for one in slow]
        request = urllib.request.Request("http://tarpit.example/")
        with pytest.raises(SourceUnavailable, match=r"did not answer within 0\.2 s"):
            network.fetch(request, "it", timeout_s=0.2)
        local = server.url.replace("127.0.0.1", "localhost")
        ours = OpenAIChat("m", base_url=local, hosted=True, trusted=True)
        assert ours.ask(*question).result(PATIENCE_S).value
        assert not any(call.done() for call in stuck)
        answered.set()
        for call in stuck:
            with pytest.raises(SourceUnavailable, match="No connection"):
                call.result(PATIENCE_S)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("htp://x/sparql", "“htp://x/sparql”"),
        ("htp://me:hush@x/sparql", "What was given"),
        ("http://x:port/sparql?key=hush", "What was given"),
        ("http://x/sparql?mail=a@b.c&key=hush", "What was given"),
    ],
)
def test_an_address_that_is_none_is_told_without_what_is_secret_in_it(url, said):
    assert network.told(url) == said


def test_no_certificates_are_read_for_an_address_without_tls(monkeypatch):
    with OpenAIServer() as server:
        monkeypatch.setattr(network, "_contexts", [])
        request = urllib.request.Request(f"{server.url}/models")
        assert network.fetch(request, "it", timeout_s=PATIENCE_S).status == 200
    assert network._contexts == []
