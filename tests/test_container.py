"""The image and the services beside it say what the program, its requirements and they say.

That the image's command serves, is healthy then, and stops in order: `screens/test_stop.py`.
"""

import fnmatch
import re
import tomllib

from sqlalchemy.engine import make_url

from kgqa_core.settings import Settings
from tests.container import APP, COMPOSE, INSTRUCTIONS, command, environment, health_check, last
from tests.measure import lock
from tests.places import ROOT

SERVICES = COMPOSE["services"]
BUILD = " ".join(rest for word, rest in INSTRUCTIONS if word == "RUN")
PORT = last("EXPOSE")


def pinned():
    text = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    return dict(re.findall(r"^([\w-]+)(?:\[\w+\])?==(\S+)", text, re.MULTILINE))


def filled(value, **given):
    """A value of the services' file as it is with these variables, and no other, set."""
    said = re.compile(r"\$\{(\w+)(?::[-?]([^}]*))?\}")
    return said.sub(lambda found: given.get(found[1]) or found[2] or "", value)


def test_the_image_is_built_from_these_requirements():
    assert f"torch=={pinned()['torch']}" in BUILD
    assert "--require-hashes --no-deps -r requirements.lock" in BUILD
    python = re.search(r'requires-python = ">=([\d.]+)"', (ROOT / "pyproject.toml").read_text())
    images = [rest for word, rest in INSTRUCTIONS if word == "FROM"]
    assert images
    assert all(image.startswith(f"python:{python[1]}-") for image in images)
    assert SERVICES["chroma"]["image"] == f"chromadb/chroma:{pinned()['chromadb']}"


def test_the_image_has_what_a_first_start_would_wait_for():
    assert "pip install --no-cache-dir --no-deps . && /opt/kgqa/bin/kgqa prepare" in BUILD


def test_every_package_of_the_lock_has_its_hashes():
    blocks = re.split(r"(?m)^(?=[a-z0-9])", lock.LOCK.read_text(encoding="utf-8"))[1:]
    assert len(blocks) == len(lock.locked()) > 100
    assert all("--hash=sha256:" in block for block in blocks)


def test_what_the_build_copies_is_not_left_out():
    left_out = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    needed = ["requirements.lock", "requirements.txt", "pyproject.toml", "setup.py", "README.md"]
    needed += [
        "LICENSE",
        "app.py",
        "pages/ask.py",
        "assets/relations.tsv",
        ".streamlit/config.toml",
    ]
    for name in needed:
        assert (ROOT / name).is_file(), name
        parts = name.split("/")
        paths = ["/".join(parts[: n + 1]) for n in range(len(parts))]
        assert not any(fnmatch.fnmatch(path, one) for path in paths for one in left_out), name


def test_data_lies_in_a_volume_that_its_user_may_write():
    folder = environment()["KGQA_DATA_DIR"]
    user = last("USER")
    assert last("VOLUME") == folder
    assert f"mkdir {folder} && chown {user} {folder}" in BUILD
    assert APP["volumes"] == [f"data:{folder}"]


def test_one_port_is_served_asked_after_and_published_to_this_machine_alone():
    assert command()[command().index("--port") + 1] == PORT
    assert f"http://127.0.0.1:{PORT}/_stcore/health" in health_check()[-1]
    (published,) = APP["ports"]
    host, ports, inside = published.split(":")
    assert (host, inside) == ("127.0.0.1", PORT)
    first, last_ = map(int, ports.split("-"))
    assert last_ - first + 1 >= 3  # or `--scale app=3` finds the port taken
    assert [name for name, one in SERVICES.items() if "ports" in one] == ["app"]


def test_what_it_is_told_are_settings_and_may_be_left_out(monkeypatch):
    told = {**environment(), **APP["environment"]}
    ours = {f"KGQA_{name.upper()}" for name in Settings.model_fields}
    assert {name for name in told if name.startswith("KGQA_")} <= ours
    for name, value in told.items():
        monkeypatch.setenv(name, filled(value, POSTGRES_PASSWORD="secret7"))
    settings = Settings(_env_file=None)
    assert settings.hosted
    assert settings.graph == Settings.model_fields["graph"].default


def test_a_server_watches_no_files_and_tells_nobody_of_its_visitors():
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert config["server"]["fileWatcherType"] == "none"
    assert config["browser"]["gatherUsageStats"] is False


def test_services_find_each_other():
    runs = make_url(filled(APP["environment"]["KGQA_RUNS_URL"], POSTGRES_PASSWORD="secret7"))
    database = {
        name: filled(value, POSTGRES_PASSWORD="secret7")
        for name, value in SERVICES[runs.host]["environment"].items()
    }
    assert (runs.username, runs.database, runs.password) == tuple(
        database[f"POSTGRES_{name}"] for name in ("USER", "DB", "PASSWORD")
    )
    assert f"pg_isready -U {runs.username}" in SERVICES[runs.host]["healthcheck"]["test"][1]
    chroma = make_url(APP["environment"]["KGQA_CHROMA_URL"])
    assert chroma.host in SERVICES
    assert set(APP["depends_on"]) == {runs.host, chroma.host}
    mounts = {mount.split(":")[0] for one in SERVICES.values() for mount in one.get("volumes", ())}
    assert mounts == set(COMPOSE["volumes"])
    virtuoso = (ROOT / "compose.yaml").read_text(encoding="utf-8")
    named = re.search(r"KGQA_GRAPH=http://(\w+):(\d+)/sparql", virtuoso)
    assert SERVICES[named[1]]["profiles"] == ["graph"]
