"""A key belongs to the endpoint that it was given for."""

from collections.abc import Iterator

import pytest
from pydantic import SecretStr
from streamlit.testing.v1 import AppTest

from kgqa_core.screens import session
from kgqa_core.settings import Settings, given_endpoint
from tests.patience import PATIENCE_S
from tests.places import APP
from tests.servers.openai import OpenAIServer, status

KEY, TYPED = "sk-of-the-operator", "sk-of-the-visitor"


@pytest.fixture
def servers() -> Iterator[tuple[OpenAIServer, OpenAIServer]]:
    with OpenAIServer() as one, OpenAIServer() as other:
        yield one, other


@pytest.fixture
def page(servers, tmp_path, monkeypatch) -> Iterator[AppTest]:
    """The Settings page, with an endpoint and its key in the environment."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", servers[0].url)
    monkeypatch.setenv("KGQA_DATA_DIR", str(tmp_path))
    session.environment.clear()
    session.runs.clear()
    app = AppTest.from_file(APP, default_timeout=PATIENCE_S).run()
    yield app.switch_page("pages/settings.py").run()
    session.runs.clear()
    session.environment.clear()


def connect(page: AppTest, url: str, key: str = "", button: str = "connect") -> None:
    box = {box.label: box for box in page.text_input}
    box["Endpoint"].set_value(url)
    if key:
        box["Key"].set_value(key)
    page.button(key=button).click().run()
    assert not page.exception


def keys(server: OpenAIServer) -> list[str]:
    """What came with the requests since the last look."""
    found = [request.headers["authorization"] for request in server.requests]
    server.requests.clear()
    return found


def test_forget_goes_back_to_the_environment(page, servers):
    own, other = servers
    connect(page, other.url, TYPED)
    page.button(key="forget").click().run()
    assert {box.label: box.value for box in page.text_input}["Endpoint"] == own.url
    connect(page, own.url)
    assert keys(own) == [f"Bearer {KEY}"]


@pytest.mark.parametrize("button", ["connect", "list_models"])
def test_another_endpoint_gets_no_key_of_the_first(page, servers, button):
    own, other = servers
    connect(page, own.url, button=button)
    assert keys(own) == [f"Bearer {KEY}"]
    connect(page, other.url, button=button)
    assert keys(other) == ["Bearer none"]
    if button == "connect":
        assert "not sent to this one" in page.info[0].value
    connect(page, own.url + "/", button=button)
    assert keys(own) == [f"Bearer {KEY}"]


def test_a_typed_key_stays_with_its_endpoint_too(page, servers):
    own, other = servers
    connect(page, other.url, TYPED)
    connect(page, other.url)
    assert keys(other) == [f"Bearer {TYPED}"] * 2
    assert [box.value for box in page.text_input if box.label == "Key"] == [""]
    connect(page, own.url)
    assert keys(own) == [f"Bearer {KEY}"]
    connect(page, other.url)
    assert keys(other) == ["Bearer none"]


def test_a_refused_key_is_not_called_kept_and_one_that_is_taken_is(page, servers):
    def key_box():
        return next(box.placeholder for box in page.text_input if box.label == "Key")

    own, _ = servers
    own.will(status(401))
    connect(page, own.url, "sk-wrong")
    assert "refused the key" in page.error[0].value
    assert key_box() == "refused by this address: type another one"
    connect(page, own.url, "sk-right")
    assert "answered in" in page.success[0].value
    assert key_box() == "kept for this address"
    own.will(status(401))
    connect(page, own.url, "sk-wrong", button="list_models")
    assert key_box() == "refused by this address: type another one"


def test_a_hosted_app_sends_nothing_into_its_network(page, servers, monkeypatch):
    own, other = servers
    monkeypatch.setenv("KGQA_HOSTED", "1")
    session.environment.clear()
    connect(page, other.url)
    assert "inside this network" in page.error[0].value
    assert keys(other) == []
    connect(page, own.url)  # the operator's own endpoint may be inside
    assert keys(own) == [f"Bearer {KEY}"]


def test_a_database_gets_no_password_of_another(page, monkeypatch):
    monkeypatch.setenv("KGQA_BOLT_URL", "bolt://127.0.0.1:9")
    monkeypatch.setenv("KGQA_BOLT_PASSWORD", KEY)
    session.environment.clear()
    page.run()
    box = {box.label: box for box in page.text_input}
    box["Address"].set_value("bolt://127.0.0.2:9")
    page.button(key="try_bolt").click().run()
    assert not page.exception
    assert "not sent to this one" in page.info[0].value


def test_settings_with_another_address_have_no_secret_of_the_first():
    first = Settings(
        _env_file=None,
        openai_base_url="https://a.example/v1",
        openai_api_key=SecretStr(KEY),
        bolt_url="bolt://a",
        bolt_password=SecretStr(KEY),
    )
    for same in ("https://a.example/v1/", "HTTPS://A.example/v1"):
        assert first.model_copy(update={"openai_base_url": same}).openai_api_key is not None
    for other in (None, "https://b.example/v1", "http://a.example/v1", "https://a.example/v2", "["):
        changed = first.model_copy(update={"openai_base_url": other})
        assert changed.openai_api_key is None
        assert changed.bolt_password is not None
    assert first.model_copy(update={"bolt_url": "bolt://b"}).bolt_password is None
    both = {"openai_base_url": "https://b", "openai_api_key": SecretStr(TYPED)}
    assert first.model_copy(update=both).openai_api_key == SecretStr(TYPED)


def test_no_address_is_that_of_openai(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    now = Settings(_env_file=None)
    spelled = now.model_copy(update={"openai_base_url": "https://api.openai.com/v1/"})
    assert spelled.openai_api_key == now.openai_api_key
    assert given_endpoint(spelled)
    assert not given_endpoint(now.model_copy(update={"openai_base_url": "https://b.example"}))
