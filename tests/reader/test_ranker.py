"""The ranker: what no rule reads is looked for among what the graph offers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from kgqa_core.ask.events import Answer
from kgqa_core.ask.run import Toolkit, run
from kgqa_core.errors import SettingsError
from kgqa_core.facts.terms import RelationUse
from kgqa_core.kg.union import from_rows
from kgqa_core.llm.offline import Offline
from kgqa_core.methods import react
from kgqa_core.methods.react import Notebook, SetView
from kgqa_core.methods.walk import Action
from kgqa_core.reader import evidence, ranker
from kgqa_core.reader.acting import View
from kgqa_core.reader.evidence import FEATURES, SURE, Asked, fitted, wrongness
from kgqa_core.reader.lexicon import lexicon
from kgqa_core.reader.meaning import Meaning
from kgqa_core.reader.programs import Name, Program, carried_out, masked, one_hop
from kgqa_core.reader.ranker import Ranker, Read, echoes, named, spans, unfit, way_to
from kgqa_core.reader.reader import Outcome, Reader
from kgqa_core.reader.resolve import Resolver
from kgqa_core.reader.views import Foreseen, GraphView, Need, NotebookView, Unforeseen
from tests.reader.small import meaning, name
from tests.small_graph import (
    BOOK,
    COUNTRY,
    FILM,
    GERMANY,
    HURST,
    INSTANCE,
    LATER,
    SIRK,
    TURNER,
    ULM,
    small_graph,
)


def read(question: str, **known: object) -> Read | str:
    view = GraphView(small_graph())
    for mention, entity in known.items():
        view.know(mention.replace("_", " "), entity)  # type: ignore[arg-type]
    mentions = [m.replace("_", " ") for m in known]
    return Ranker(meaning()).solve(question, mentions, view, Resolver(lexicon()))


def answered(question: str, ranker: Ranker | None) -> Answer:
    tools = Toolkit(small_graph(), Offline(ranker=ranker))
    last = list(run(question, react.solve, tools, react.Params()))[-1].event
    assert last.kind in ("answered", "abstained"), last
    return last.answer  # type: ignore[union-attr]


# -- words ---------------------------------------------------------------------------------


def test_a_name_is_masked_as_it_stands_in_the_question():
    assert masked("Who made jaws?", "Jaws") == "Who made X?"
    assert masked("Who eats sperm whales?", "sperm whale") == "Who eats X?"
    assert masked("Who made Jawsome?", "Jaws") == "Who made Jawsome?"


def test_stretches_that_may_be_names_are_those_with_capitals_where_there_are_any():
    assert spans("In which land does Otto Hahn live?")[0] == "Otto Hahn"
    assert "otto hahn" in spans("where did otto hahn live")
    assert len(spans("where did the young otto hahn live and work and teach")) <= 4


# -- weights -------------------------------------------------------------------------------


# -- reading -------------------------------------------------------------------------------


def test_a_relation_is_found_by_meaning_in_both_directions():
    found = read("how populous is Ulm", Ulm=ULM)
    assert isinstance(found, Read)
    assert found.program.reading() == "population of Ulm"
    assert [m.name for m in found.found.members] == ["126790"]
    back = read("what was penned by Fannie Hurst", Fannie_Hurst=HURST)
    assert isinstance(back, Read)
    assert back.found.members == (BOOK,)


def test_two_hops_are_looked_at_behind_the_likeliest_first_ones():
    view, resolver = GraphView(small_graph()), Resolver(lexicon())
    view.know("Lana Turner", TURNER)
    question = "director of the movies that starred Lana Turner"
    ranker = Ranker(meaning())
    asked = Asked(question, resolver, named(question, ["Lana Turner"], view))
    best, *_ = ranker.deeper(asked, ranker.ranked(asked), view)
    assert best.program.reading() == "director of those whose cast member is Lana Turner"
    assert carried_out(best.program, view).members == (SIRK,)


def test_how_many_counts_what_is_found():
    view = GraphView(small_graph())
    view.know("Douglas Sirk", SIRK)
    [name] = named("how many films were directed by Douglas Sirk", ["Douglas Sirk"], view)
    films = Program(name, tuple(u for u in name.found.uses if u.relation.label == "director"))
    asked = Asked("how many films were directed by Douglas Sirk")
    program, found = Ranker.finished(asked, films, view)
    assert [m.name for m in found.members] == ["2"]
    assert program.reading() == "number of those whose director is Douglas Sirk"


def test_it_answers_only_what_it_is_sure_enough_of():
    found = read("what country does Ulm belong to", Ulm=ULM)
    assert isinstance(found, Read)
    assert fitted().answer <= found.sure < 1


@pytest.mark.parametrize(
    "question",
    [
        "which colour does Douglas Sirk taste like on Tuesdays",
        "how many wheels has Douglas Sirk",
        "did Douglas Sirk ever visit the moon",
        "which spoon did Douglas Sirk lend to the moon",
        "who made the film that the maker of the film Douglas Sirk saw",
    ],
)
def test_nonsense_is_refused(question: str):
    found = read(question, Douglas_Sirk=SIRK)
    assert isinstance(found, str)


def test_the_mother_of_somebody_is_not_whom_they_are_the_mother_of():
    view = GraphView(small_graph())
    view.know("Douglas Sirk", SIRK)
    for question, against in (
        ("Director of Douglas Sirk", True),
        ("Douglas Sirk's director", True),
        ("What is Douglas Sirk director of", False),
        ("Which films have Douglas Sirk for director", False),
    ):
        [name] = named(question, ["Douglas Sirk"], view)
        uses = {(u.relation.label, u.direction): u for u in name.found.uses}
        assert evidence.backwards(Program(name, (uses["director", "in"],))) is against
    assert not any(evidence.backwards(p) for p in one_hop(name) if p.last.direction == "out")


def test_somebodys_own_is_no_name():
    view = GraphView(small_graph())
    view.know("bookworm", SIRK)
    [name] = named("wife of my bookworm", ["bookworm"], view)
    program = next(one_hop(name))
    assert evidence.of_who_asks(Asked("wife of my bookworm"), program)
    assert not evidence.of_who_asks(Asked("wife of the bookworm"), program)


def test_what_two_are_compared_by_is_no_answer_to_which_of_them():
    found = read("Written on the Wind or Faust: which is older?", Written_on_the_Wind=FILM)
    assert isinstance(found, str)


def test_the_youngest_of_what_was_made_is_the_last():
    found = read("which was the youngest film by Douglas Sirk", Douglas_Sirk=SIRK)
    assert isinstance(found, Read)
    assert [m.name for m in found.found.members] == ["Imitation of Life"]
    assert found.program.reading() == "the last or highest of those whose director is Douglas Sirk"


@pytest.mark.parametrize("question", ["where was the director of", "when did the director die of"])
def test_where_and_when_are_not_answered_with_who(question: str):
    """The nearest that is there does not say what was asked."""
    found = read(f"{question} Written on the Wind", Written_on_the_Wind=FILM)
    assert isinstance(found, str)


@pytest.mark.parametrize(
    ("asked", "stated", "found"),
    [
        ("When did Ann Tammik die?", "date of birth", False),
        ("When did Ann Tammik die?", "date of death", True),
        ("When was Ann Tammik born?", "date of death", False),
    ],
)
def test_a_birth_is_no_death(asked: str, stated: str, found: bool):
    graph = from_rows([("Ann Tammik", stated, "1902-03-14"), ("Ann Tammik", "employer", "Velm")])
    ((hit,),) = graph.search(["Ann Tammik"])
    view = GraphView(graph)
    view.know("Ann Tammik", hit.entity)
    read_as = Ranker(meaning()).solve(asked, ["Ann Tammik"], view, Resolver(lexicon()))
    assert isinstance(read_as, Read) is found


def test_what_was_found_is_no_answer_where_it_is_of_another_kind():
    found = read("films by Douglas Sirk", Douglas_Sirk=SIRK)
    assert isinstance(found, Read)

    def refused(question: str) -> str:
        f = (0.0,) * len(FEATURES)
        return unfit(Asked(question), evidence.Ranked(found.program, f, 1.0), found.found)

    assert refused("What is by Douglas Sirk?") == ""
    assert "no answer" in refused("When was it that Douglas Sirk directed?")
    assert "no answer" in refused("singer of Douglas Sirk")
    assert "leaves out" in refused("What is not by Douglas Sirk?")
    assert "leaves out “turner”" in refused("What is by Douglas Sirk with Turner?")


def test_of_what_lies_in_a_place_a_kind_is_counted_or_nothing():
    view = GraphView(small_graph())
    there = name(view, "Germany", GERMANY)
    use = next(u for u in there.found.uses if u.direction == "in" and u.relation == COUNTRY)
    counted = Program(there, (use,), operator="count")
    found, asked = carried_out(counted, view), Asked("How many dukedoms are there in Germany?")
    weights = (0.0,) * len(FEATURES)
    read_as = evidence.Ranked(counted, weights, 1.0)
    assert "counts whatever is there" in unfit(asked, read_as, found)
    of_kind = evidence.Ranked(replace(counted, kind="dukedom"), weights, 1.0)
    assert "counts whatever" not in unfit(asked, of_kind, found)


def test_what_the_question_names_besides_its_start_is_no_answer():
    found = read("who directed Written on the Wind", Written_on_the_Wind=FILM)
    assert isinstance(found, Read), found
    asked = Asked("Who gave Written on the Wind to Douglas Sirk?")
    assert echoes(asked, found.program, found.found)
    assert not echoes(Asked("Who directed Written on the Wind?"), found.program, found.found)


def test_a_time_that_another_word_asks_for_is_no_answer():
    found = read("when was Written on the Wind released", Written_on_the_Wind=FILM)
    assert isinstance(found, Read), found
    assert not evidence.another(Asked("when was it released"), found.program)
    assert evidence.another(Asked("when did it die"), found.program)
    assert not evidence.another(Asked("when was it"), found.program)


def test_of_two_names_for_one_thing_its_own_is_taken():
    view = GraphView(small_graph())
    for mention in ("films by Sirk", "Douglas Sirk", "Sirk"):
        view.know(mention, SIRK)
    view.know("Lana Turner", TURNER)
    mentions = ["Sirk", "films by Sirk", "Douglas Sirk", "Lana Turner"]
    found = named("films by Douglas Sirk with Lana Turner", mentions, view)
    assert [name.text for name in found] == ["Douglas Sirk", "Lana Turner"]


def test_without_any_name_of_the_graph_it_abstains():
    assert "none of the names" in str(read("who wrote Ulysses"))


def test_of_several_none_is_an_answer_where_a_word_that_nobody_knows_may_pick_one():
    found = read("films by Douglas Sirk", Douglas_Sirk=SIRK)
    assert isinstance(found, Read)
    assert found.found.size == 2
    asked = Asked("zorb films by Douglas Sirk")
    assert evidence.strange(asked, found.program) == "zorb"
    assert evidence.strange(Asked("the films by Douglas Sirk"), found.program) == ""
    ranked = [evidence.Ranked(found.program, (0.0,) * len(FEATURES), 1.0)]
    several, one = (evidence.evidence(asked, ranked, size) for size in (2, 1))
    assert (several[SURE.index("strange word")], one[SURE.index("strange word")]) == (1.0, 0.0)


def test_that_a_name_is_not_there_is_said_once():
    reason = answered("Who wrote Ulysses?", Ranker(meaning())).reason
    assert reason == "The graph has no entity called “Ulysses”."


# -- in a walk -----------------------------------------------------------------------------


def test_the_reader_asks_the_ranker_only_what_no_rule_reads():
    question = "What was penned by Fannie Hurst?"
    assert not answered(question, None).sentences
    answer = answered(question, Ranker(meaning()))
    assert [v.name for v in answer.values] == ["Imitation of Life"]
    assert answer.reading == "those whose author is Fannie Hurst"
    plain = answered("Who directed Imitation of Life?", Ranker(Meaning(Path("nowhere"))))
    assert [v.name for v in plain.values] == ["Douglas Sirk"]


class _Never(Reader):
    """Rules that always want one step more."""

    def solve(self, question: str, view: View, marked: str = "") -> Outcome | str:
        raise Need(Action(thought="On.", tool="follow", of="S1", relation="P1", direction="out"))


def test_before_the_actions_run_out_a_likely_hop_is_taken():
    def next_of(question: str, left: int) -> str:
        given = Notebook(question=question, sets=walked(), actions_left=left)
        return _Never(ranker=Ranker(meaning())).next_action(given).relation

    likely = "What did Douglas Sirk direct?"
    assert next_of(likely, 6) == "P1"
    assert next_of(likely, 5).endswith("P57")
    assert next_of("What was dear to Douglas Sirk?", 5) == "P1"


def test_a_reading_that_is_hardly_likely_is_told_as_a_guess(monkeypatch: pytest.MonkeyPatch):
    question = "What was penned by Fannie Hurst?"
    strict = replace(fitted(), likely=0.99)
    monkeypatch.setattr("kgqa_core.reader.reader.fitted", lambda: strict)
    answer = answered(question, Ranker(meaning()))
    assert [v.name for v in answer.values] == ["Imitation of Life"]
    assert re.fullmatch(
        r"those whose author is Fannie Hurst: a guess; of such readings \d in 10 are right",
        answer.reading,
    )
    assert not answer.certain


def test_weights_that_cannot_be_read_are_told_with_the_refusal(tmp_path: Path):
    answer = answered(
        "Who was in charge of filming Written on the Wind?", Ranker(Meaning(tmp_path))
    )
    assert not answer.sentences
    assert "make train" in answer.reason


# -- a second opinion ----------------------------------------------------------------------


def walked(*actions: dict[str, str]) -> list[SetView]:
    """A name of the question and what actions made of it, with the relations around each set."""
    view = GraphView(small_graph())
    view.know("Douglas Sirk", SIRK)
    found = view.anchor("Douglas Sirk", "")
    assert found is not None
    uses = list(found.uses)
    sets = [SetView(name="S1", mention="Douglas Sirk", members=[SIRK], size=1, relations=uses)]
    for action in actions:
        found = view.act("", **action)
        by = Action(thought="", **action)
        members, uses = list(found.members), list(found.uses)
        sets.append(SetView(name=found.name, by=by, members=members, relations=uses))
    return sets


FILMS = {"tool": "follow", "of": "S1", "relation": "P57", "direction": "in"}


def test_the_way_that_the_rules_went_is_read_off_the_walk():
    sets = walked(FILMS, {"tool": "follow", "of": "S2", "relation": "P161", "direction": "out"})
    start, hops, more = way_to(sets, "S3") or ("", [], True)
    assert start == "Douglas Sirk"
    assert [(u.relation.label, u.direction) for u in hops] == [
        ("director", "in"), ("cast member", "out"),
    ]  # fmt: skip
    assert not more
    kept = {"tool": "keep", "of": "S2", "relation": "P161", "test": "has"}
    assert (way_to(walked(FILMS, kept), "S3") or ("", [], False))[2]
    counted = walked(FILMS, {"tool": "compute", "of": "S2", "operation": "count"})
    assert way_to(counted, "S3") is None
    assert way_to(sets, "S1") is None
    assert way_to(sets, "S9") is None


def test_of_a_way_over_a_set_to_come_there_is_no_opinion_yet():
    on = {"tool": "follow", "of": "S2", "relation": "P161", "direction": "out"}
    start, films, cast = walked(FILMS, on)
    to_come = Foreseen(name="S2", by=films.by, members=films.members, size=2)
    with pytest.raises(Unforeseen):
        way_to([start, to_come, cast], "S3")
    assert way_to([start, to_come], "S2") == way_to([start, films], "S2")


def test_a_way_that_another_is_far_ahead_of_is_the_likelier_wrong():
    notebook = Notebook(question="", sets=walked(FILMS), actions_left=3)
    view, ranker = NotebookView(notebook, ["Douglas Sirk"]), Ranker(meaning())

    def wrong(question: str) -> float:
        given = ranker.opinion(
            question, ["Douglas Sirk"], view, "S2", Resolver(lexicon()), guess=False
        )
        assert given is not None
        return wrongness(given)

    assert wrong("Which films did Douglas Sirk direct?") < fitted().doubt
    assert wrong("What does Douglas Sirk weigh on Mars?") > fitted().doubt
    nobody = ranker.opinion("What did he direct?", [], view, "S2", Resolver(lexicon()), guess=True)
    assert nobody is None


class Doubting(Ranker):
    """Is of the opinion that speaks most against any reading, and knows nothing better."""

    def opinion(self, *_: object, **__: object) -> tuple[float, ...]:
        return tuple(9.0 if w > 0 else 0.0 for w in fitted().opinion)

    def solve(self, *_: object, **__: object) -> str:
        return "Nothing better."


class Knowing(Doubting):
    """Knows something else."""

    def solve(
        self,
        question: str,
        mentions: Sequence[str],
        view: View,
        resolver: Resolver,
        *_: object,
        **__: object,
    ) -> Read:
        film = view.anchor(mentions[0], "")
        assert film is not None
        use = next(u for u in film.uses if u.relation.label == "publication date")
        program = Program(Name("Written on the Wind", film), (use,))
        return Read(program, carried_out(program, view), 0.99)


def test_on_what_the_question_says_in_so_many_words_there_is_no_opinion():
    notebook = Notebook(question="", sets=walked(FILMS), actions_left=3)
    view, ranker = NotebookView(notebook, ["Douglas Sirk"]), Ranker(Meaning(Path("nowhere")))

    def opinion(question: str, *, guess: bool) -> tuple[float, ...] | None:
        names = ["Douglas Sirk"]
        return ranker.opinion(question, names, view, "S2", Resolver(lexicon()), guess=guess)

    assert opinion("What was directed by Douglas Sirk?", guess=False) is None
    with pytest.raises(SettingsError):  # the weights would be needed
        opinion("What was directed by Douglas Sirk?", guess=True)
    with pytest.raises(SettingsError):
        opinion("Who is Douglas Sirk?", guess=False)


@pytest.mark.parametrize(("worth", "tool"), [(0.0, "follow"), (None, "give up")])
def test_first_hops_are_looked_behind_together_where_they_are_not_too_far(
    monkeypatch: pytest.MonkeyPatch, worth: float | None, tool: str
):
    """Where nothing counts as too far, both are planned in one reply."""
    if worth is not None:
        monkeypatch.setattr(ranker, "_WORTH", worth)
    uses = [
        RelationUse(COUNTRY, "out", 1, ("Germany",)),
        RelationUse(INSTANCE, "out", 1, ("city",)),
    ]
    ulm = SetView(name="S1", mention="Ulm", members=[ULM], size=1, relations=uses)
    question = "what coin do folk pay with in the land of Ulm"
    reader = Reader(ranker=Ranker(meaning()))
    move = reader.next_move(Notebook(question=question, sets=[ulm], actions_left=9))
    assert move.tool == tool
    if tool == "follow":
        looked = [(one.tool, one.relation) for one in (move, *move.then)]
        assert looked == [("follow", COUNTRY.id), ("follow", INSTANCE.id)]


@pytest.mark.parametrize(
    ("question", "unsure"),
    [
        ("what coin do folk pay with in the land of Ulm", False),
        ("who is there to tell of Ulm and its ways", True),
        ("how many are there to tell of Ulm and its ways", False),
    ],
)
def test_what_stays_unsure_however_many_it_finds_is_not_looked_at(question: str, unsure: bool):
    view = GraphView(small_graph())
    view.know("Ulm", ULM)
    asked = Asked(question, called=named(question, ["Ulm"], view))
    ranked = Ranker(meaning()).ranked(asked)
    assert ranker.stays_unsure(asked, ranked) is unsure


def test_what_the_ranker_doubts_is_answered_as_unsure():
    question = "Who directed Written on the Wind?"
    sure, unsure = answered(question, Ranker(meaning())), answered(question, Doubting(meaning()))
    assert sure.values == unsure.values
    assert (sure.certain, unsure.certain) == (True, False)


def test_what_the_ranker_is_surer_of_than_of_the_rules_is_answered_instead():
    question = "What is the director of Written on the Wind?"
    answer = answered(question, Knowing(meaning()))
    assert answer.reading == "publication date of Written on the Wind"
    assert not answer.certain


def test_what_a_thing_is_called_before_its_name_is_no_relation_of_it():
    answer = answered("the film Written on the Wind", Knowing(meaning()))
    assert [v.name for v in answer.values] == ["film"]


class Ignoring(Doubting):
    """Knows of one name of the question alone."""

    def solve(self, question: str, mentions: Sequence[str], view: View, *_: object, **__: object):
        sirk = view.anchor("Douglas Sirk", "")
        assert sirk is not None
        use = next(u for u in sirk.uses if u.direction == "in")
        program = Program(Name("Douglas Sirk", sirk), (use,))
        return Read(program, carried_out(program, view), 0.99)


def test_what_ignores_a_name_that_the_rules_read_is_not_answered_instead():
    alone = answered("What did Douglas Sirk publish?", Ignoring(meaning()))
    assert len(alone.values) == 2
    question = "Which films did Douglas Sirk direct and Lana Turner star in?"
    assert answered(question, Ignoring(meaning())).values == (LATER,)


def test_which_of_two_a_thing_lies_in_is_not_answered_with_yes():
    assert isinstance(read("Is Ulm in the country Germany?", Ulm=ULM, Germany=GERMANY), Read)
    assert isinstance(read("Is Ulm in the country Germany or Bonn?", Ulm=ULM, Germany=GERMANY), str)
