"""Worked examples from one's own right runs: which, and what a model sees of them."""

import json
from dataclasses import replace

import pytest

from kgqa_core.ask import skills
from kgqa_core.ask.run import Toolkit, run
from kgqa_core.ask.skill import AsPut, registered
from kgqa_core.ask.skills import CitedSentence, Draft, FactAnswer, Mentions
from kgqa_core.history.own_examples import Taught
from kgqa_core.history.store import RunStore
from kgqa_core.llm import prompt
from kgqa_core.llm.offline import Offline
from kgqa_core.methods import METHODS
from kgqa_core.methods.compass.plan import Plan, PlanStep
from kgqa_core.settings import Settings
from kgqa_core.shell.main import main
from tests.fakes import ScriptedLLM
from tests.history.stores import header
from tests.servers.openai import OpenAIServer
from tests.small_graph import small_graph

ASKED = "Who directed Written on the Wind?"
LIKE_IT = "Who directed Imitation of Life?"


@pytest.fixture
def store(tmp_path):
    opened = RunStore(tmp_path)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def kg():
    return small_graph()


def keep(store, kg, name, question, llm, thumb=1, visitor="", method="one-hop", **params):
    this = header(name).model_copy(update={"question": question, "visitor": visitor})
    chosen = METHODS[method]
    records = list(run(question, chosen.solve, Toolkit(kg, llm), chosen.params(**params)))
    store.begin(this)
    store.append(name, records, "answered")
    store.annotate(name, note="", thumb=thumb, tags=[])


def said(name):
    answer = FactAnswer(sentences=[CitedSentence(text=f"{name}.", facts=[0])], values=[name])
    return ScriptedLLM(Mentions(mentions=["Written on the Wind"]), answer)


def taught(store, question, **more):
    llm = ScriptedLLM(Mentions(mentions=[]))
    model = Taught(llm, store, more.pop("most", 2), **more)
    model.ask(skills.EXTRACT, skills.Question(question=question)).result()
    return [e for e in llm.asked[0][0].examples if isinstance(e[0], AsPut)]


def test_what_was_put_in_a_right_run_joins_the_examples(store, kg):
    keep(store, kg, "r1", ASKED, said("Douglas Sirk"))
    ((put, reply),) = taught(store, LIKE_IT)
    assert put.text == f"question: {ASKED}"
    assert reply == Mentions(mentions=["Written on the Wind"])
    llm = ScriptedLLM(Mentions(mentions=[]))
    Taught(llm, store, 1).ask(skills.EXTRACT, skills.Question(question=LIKE_IT)).result()
    skill, given = llm.asked[0]
    chat = prompt.messages(skill, given)
    assert chat[-3]["content"] == put.text
    assert chat[-1]["content"] == f"question: {LIKE_IT}"
    assert len(skill.examples) == len(skills.EXTRACT.examples) + 1


SHOWN = [(skill, given) for skill in registered().values() for given, _ in skill.examples]


@pytest.mark.parametrize(("skill", "given"), SHOWN, ids=lambda one: getattr(one, "name", ""))
def test_an_own_example_is_shown_whatever_the_state_of_the_input(skill, given):
    own = (AsPut(text="question: my own"), skill.examples[0][1])
    chat = prompt.messages(replace(skill, examples=(*skill.examples, own)), given)
    told = [message["content"] for message in chat]
    assert told.count("question: my own") == 1
    assert len(told) == 2 * len(skill.fitting(given)) + 4


PLANNED = Plan(steps=[PlanStep(id="s1", do="follow", of="n1", relation="P57")], answer="s1")
DRAFTED = Draft(thought="Sirk made it.", text="Douglas Sirk.", values=["Douglas Sirk"])


@pytest.mark.parametrize(
    ("method", "reply", "params"),
    [
        ("compass", PLANNED, {"templates": False}),
        ("io", DRAFTED, {}),
        ("cot", DRAFTED, {}),
        ("cot-few-shot", DRAFTED, {}),
    ],
)
def test_methods_without_worked_examples_of_a_graph_take_them_from_ones_own_runs(
    store, kg, method, reply, params
):
    keep(store, kg, "r1", ASKED, ScriptedLLM(reply), method=method, **params)
    model = ScriptedLLM(reply)
    tools = Toolkit(kg, Taught(model, store, 2))
    next_to_it = "What is Written on the Wind?"
    list(run(next_to_it, METHODS[method].solve, tools, METHODS[method].params(**params)))
    skill, _ = model.asked[0]
    own = [(put, said) for put, said in skill.examples if isinstance(put, AsPut)]
    assert [said for _, said in own] == [reply]
    assert f"question: {ASKED}" in own[0][0].text


def test_only_runs_rated_right_of_other_questions_and_ones_own(store, kg):
    keep(store, kg, "wrong", "Who directed Written on the Moon?", said("x"), thumb=0)
    keep(store, kg, "unrated", "Who directed Written on the Sun?", said("x"), thumb=None)
    keep(store, kg, "same", LIKE_IT, said("x"))
    keep(store, kg, "strange", "Where is Ulm?", said("x"))
    keep(store, kg, "hers", "Who directed Written on the Sea?", said("x"), visitor="v2")
    assert taught(store, LIKE_IT, visitor="v1") == []
    assert len(taught(store, LIKE_IT, visitor="v2")) == 1


def test_no_more_than_wished_for_the_likest_first(store, kg):
    for n, question in enumerate(("Who directed it?", ASKED, "Which film was directed first?")):
        keep(store, kg, f"r{n}", question, said("x"))
    found = taught(store, "Who directed Written on the Water?", most=2)
    assert found[0][0].text == f"question: {ASKED}"
    assert len(found) == 2


def test_what_the_reader_read_without_a_prompt_is_no_example(store, kg):
    keep(store, kg, "r1", ASKED, Offline())
    assert taught(store, LIKE_IT) == []


def test_the_shell_and_its_benchmarks_show_them_where_they_are_asked_for(
    store, kg, tmp_path, monkeypatch, capsys
):
    keep(store, kg, "r1", ASKED, said("Douglas Sirk"))
    store.close()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KGQA_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    (tmp_path / "own.csv").write_text(f"question,answers\n{LIKE_IT},Douglas Sirk\n")
    flags = ["--llm", "openai", "--method", "one-hop", "--graph", "starter"]
    bench = ["bench", "--dataset", "own.csv", "--format", "csv", *flags]
    put = f"question: {ASKED}"
    with OpenAIServer() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)

        def shown(arguments):
            server.requests.clear()
            main(arguments)
            chats = [request.body["messages"] for request in server.requests]
            return any(message["content"] == put for chat in chats for message in chat)

        assert not shown(["ask", LIKE_IT, *flags])
        assert shown(["ask", LIKE_IT, *flags, "--own-examples", "2"])
        assert shown([*bench, "--own-examples", "1", "--out", "with"])
        monkeypatch.setenv("KGQA_OWN_EXAMPLES", "2")
        assert shown(["ask", LIKE_IT, *flags])
        assert not shown([*bench, "--own-examples", "0", "--out", "without"])
    settings = [
        json.loads((tmp_path / out / "config.json").read_text()) for out in ("with", "without")
    ]
    assert [config["environment"].get("own examples") for config in settings] == ["1", None]
    capsys.readouterr()
    assert main(["ask", LIKE_IT, "--own-examples", "1"]) == 2
    assert "name a model" in capsys.readouterr().err


def test_it_is_off_unless_it_is_asked_for():
    assert Settings(_env_file=None).own_examples == 0
