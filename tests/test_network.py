"""Where requests may go, and what becomes of what comes back."""

import json

import pytest

from kgqa_core import network


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
