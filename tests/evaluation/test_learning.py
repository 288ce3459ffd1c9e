"""Learning templates and chains: what is found, and that nothing is made up."""

import json
import random

import pytest

from kgqa_core.evaluation import learning
from kgqa_core.evaluation.datasets import load
from kgqa_core.evaluation.datasets.base import Example, Gold
from kgqa_core.facts.terms import Entity, Relation, Statement
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.methods.keqing import templates
from kgqa_core.methods.keqing.templates import Chain, Hop, Template
from kgqa_core.shell.main import main
from tests.places import DATA

_DATA = DATA / "metaqa"


def thing(name: str) -> Entity:
    return Entity("http://x.org/" + name.replace(" ", "_"), name)


DIRECTED, STARRED = (
    Relation("http://x.org/p/d", "directed by"),
    Relation("http://x.org/p/s", "starred"),
)
FILMS = {
    f"Film {i}": (f"Maker {i % 7}", [f"Star {i % 5}", f"Star {(3 * i) % 11}"]) for i in range(30)
}


@pytest.fixture(scope="module")
def films() -> EmbeddedGraph:
    statements = []
    for film, (maker, stars) in FILMS.items():
        statements.append(Statement(thing(film), DIRECTED, thing(maker)))
        statements += [Statement(thing(film), STARRED, thing(s)) for s in dict.fromkeys(stars)]
    names = {e.label: e for s in statements for e in (s.subject, s.object)}
    return EmbeddedGraph.build("films", names.values(), [DIRECTED, STARRED], statements)


def asked(question: str, topic: str, answers: list[str]) -> Example:
    gold = {"gold": tuple(Gold(names=(a,)) for a in answers)}
    return Example(question, question.replace("[mask]", topic), gold, {topic: topic})


def made_by(maker: str) -> list[str]:
    return [f for f, (m, _) in FILMS.items() if m == maker]


def questions() -> list[Example]:
    found = []
    for n, (film, (maker, _)) in enumerate(FILMS.items()):
        text = "who directed [mask]" if n % 3 else "the director of [mask] is who"
        found.append(asked(text, film, [maker]))
        found.append(asked("[mask] directed which films", maker, made_by(maker)))
        others = [f for f in made_by(maker) if f != film]
        found.append(asked("what else did the director of [mask] make?", film, others))
    return found


def test_templates_chains_and_sub_questions_are_learned(films):
    library = learning.learn(questions(), films, hops=2).collection
    by_chain = {str(t.chains[0]): t for t in library.templates}
    assert set(by_chain) == {"→ directed by", "← directed by", "→ directed by ← directed by"}
    one = by_chain["→ directed by"]
    assert one.text == "who directed [mask]"  # asked more often than the other wording
    assert one.wordings == ("the director of [mask] is who",)
    assert one.chains[0].precision == 1.0
    assert one.support == 30
    both = by_chain["→ directed by ← directed by"]
    assert [(p.text, p.needs) for p in both.parts] == [
        ("who directed [mask]", ()),
        ("[mask] directed which films", (1,)),
    ]
    assert both.text == "what else did the director of [mask] make"


@pytest.mark.parametrize("seed", range(5))
def test_no_chain_is_made_up(films, seed):
    """Whatever the answers are, each chain leads from its topics to some of them."""
    chance = random.Random(seed)
    names = [*FILMS, *(f"Maker {i}" for i in range(7)), *(f"Star {i}" for i in range(11))]
    examples = [
        asked(f"is it {i % 3} of [mask]", chance.choice(names), chance.sample(names, 2))
        for i in range(40)
    ]
    learned = learning.learn(examples, films, hops=2)
    walker = learning.Walker(films)
    for template in learned.collection.templates:
        for chain in template.chains:
            hits = 0
            for e in examples:
                (topic,) = e.topic
                if templates.plain(e.question.replace(topic, "[mask]")) in map(
                    templates.plain, template.texts
                ):
                    ends = walker.follow([thing(topic)], chain.hops)[0]
                    hits += bool({v.name for v in ends} & {g.name for g in e.gold["gold"]})
            assert hits == chain.support > 0


def test_what_cannot_be_used_is_counted(films):
    learned = learning.learn(
        [
            asked("who directed [mask]", "Film 1", ["Maker 1"]),
            asked("who directed [mask]", "No such film", ["Maker 1"]),
            Example("3", "who directed it", {"gold": (Gold(names=("Maker 1",)),)}, {"Film 1": ""}),
            Example("4", "who directed Film 1", {"gold": (Gold(names=("Maker 1",)),)}),
            Example("5", "who directed Film 1", {"gold": ()}, {"Film 1": "Film 1"}),
            asked("who is the mother of [mask]", "Film 1", ["Nobody at all"]),
        ],
        films,
    )
    assert learned.questions == 2
    assert sum(learned.skipped.values()) == 4
    assert learned.unexplained == ["who is the mother of [mask]"]


def test_a_name_that_stands_twice_is_masked_where_the_wording_is_usual(films):
    examples = [asked("who directed [mask]", f"Film {i}", [f"Maker {i % 7}"]) for i in range(1, 4)]
    examples.append(
        Example("x", "who directed Film 8", {"gold": (Gold(names=("Maker 1",)),)}, {"Film 8": ""})
    )
    (template,) = learning.learn(examples, films, hops=1).collection.templates
    assert template.text == "who directed [mask]"
    assert template.support == 4


def test_a_chain_goes_to_the_template_that_asks_for_it_most():
    d, s = Hop("d"), Hop("s")
    found = learning.reversed_map(
        {
            "often [mask]": [Chain((d,), 9, 1.0)],
            "rarely [mask]": [Chain((d,), 2, 0.5)],
            "other [mask]": [Chain((s,), 3, 1.0), Chain((s, d), 1, 1.0)],
        },
        {"often [mask]": 9, "rarely [mask]": 2, "other [mask]": 3},
        {},
    )
    assert [t.text for t in found] == ["often [mask]", "other [mask]"]
    assert found[0].wordings == ("rarely [mask]",)
    assert found[0].chains == (Chain((d,), 11, round((9 + 1) / 11, 4)),)
    assert found[1].chains == (Chain((s,), 3, 1.0), Chain((s, d), 1, 1.0))


def test_a_hop_without_a_template_leaves_the_question_whole():
    d, s = Hop("d"), Hop("s")
    one = Template("d [mask]", (Chain((d,), 1),))
    two = Template("d s [mask]", (Chain((d, s), 1),))
    assert learning.decomposed([one, two])[1].parts == ()


def test_the_shell_learns_a_library(tmp_path, capsys, films):
    kb = tmp_path / "kb.txt"
    lines = [f"{f}|directed_by|{m}" for f, (m, _) in FILMS.items()]
    kb.write_text("\n".join(lines) + "\n", encoding="utf-8")
    asked_ = tmp_path / "qa.txt"
    rows = [f"who directed [{f}]\t{m}" for f, (m, _) in FILMS.items()]
    asked_.write_text("\n".join(rows) + "\n", encoding="utf-8")
    graph, into = tmp_path / "graph", tmp_path / "lib.txt"
    assert main(["load", str(kb), "--into", str(graph)]) == 0
    capsys.readouterr()
    learn = ["learn", "--dataset", str(asked_), "--format", "metaqa", "--graph", str(graph)]
    assert main([*learn, "--into", str(into), "--part", "1/2", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["questions"] == 15
    assert said["templates"] == 1
    assert "→ directed by | support 15" in into.read_text(encoding="utf-8")
    ask = ["ask", "Who directed Film 4?", "--method", "keqing", "--graph", str(graph)]
    assert main([*ask, "--param", f"templates={into}"]) == 0
    assert "Maker 4" in capsys.readouterr().out


def test_the_shell_says_what_is_wrong(tmp_path, capsys):
    learn = ["learn", "--dataset", "x", "--format", "metaqa", "--graph", "starter", "--into", "y"]
    assert main([*learn, "--part", "3/2"]) == 2
    assert "--part" in capsys.readouterr().err
    assert main([*learn, "--hops", "9"]) == 2
    wrong = tmp_path / "qa.txt"
    wrong.write_text("who directed [Nobody Knows This]\tNobody\n", encoding="utf-8")
    learn[2] = str(wrong)
    learn[-1] = str(tmp_path / "lib.txt")
    assert main(learn) == 1
    assert "topic entity is not in the graph" in capsys.readouterr().err


@pytest.mark.data
@pytest.mark.scale
def test_metaqa_one_hop_is_learned(tmp_path):
    if not _DATA.is_dir():
        pytest.skip("needs ../shared/data/metaqa")
    from kgqa_core.kg.folder import open_folder
    from kgqa_core.kg.load import load as load_graph

    load_graph([_DATA / "kb.txt.gz"], tmp_path / "g", name="MetaQA")
    data = load(_DATA / "1-hop" / "qa_dev.txt.gz", "metaqa")
    learned = learning.learn(data.examples[::20], open_folder(tmp_path / "g"), hops=1)
    chains = {str(c) for t in learned.collection.templates for c in t.chains}
    assert {"→ directed by", "← directed by", "→ starred actors", "← has tags"} <= chains
    assert all(len(t.chains) == 1 for t in learned.collection.templates)
