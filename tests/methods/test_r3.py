"""R3 as its paper tells it: axioms, premises, deeper for missing evidence, or it does not know."""

import pytest

from kgqa_core.ask import events
from kgqa_core.ask.events import status_of
from kgqa_core.ask.run import Budget, Toolkit, drain, run
from kgqa_core.facts.premises import Hop, Premise, Term
from kgqa_core.facts.terms import DATE, STRING, YEAR, Entity, Literal, Relation, Statement
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.kg.union import overlay, personal
from kgqa_core.llm import prompt
from kgqa_core.llm.offline import Offline
from kgqa_core.methods import METHODS, presets
from kgqa_core.methods.presets import OURS, PUBLISHED
from kgqa_core.methods.r3 import algorithm as r3
from kgqa_core.methods.r3.anchors import is_word
from kgqa_core.methods.r3.names import relation_called
from kgqa_core.methods.r3.query import read_query, spans, unfit
from kgqa_core.methods.r3.search import Params
from kgqa_core.methods.r3.skills import (
    WALKED,
    MissingFact,
    PickedFacts,
    PremiseVerdict,
    PremiseVerdicts,
    Query,
    StatedAxiom,
    ToJudge,
    ToName,
)
from kgqa_core.methods.walk import Move
from kgqa_core.screens.panels.axioms import without_axioms
from kgqa_core.search.index import Index
from tests.fakes import ScriptedLLM, kinds
from tests.servers.chroma import real_encoder

WD = "http://www.wikidata.org/entity/"


def entity(qid, label, description=""):
    return Entity(WD + qid, label, description)


def relation(pid, label):
    return Relation(WD + pid, label)


ADA, BEA, CAL = entity("Q1", "Ada Berg"), entity("Q2", "Bea Stone"), entity("Q3", "Cal Roe")
SINGER, COOK, BRIDGE = (entity("Q4", "singer"), entity("Q5", "cook"), entity("Q6", "Long Bridge"))
JUDAISM = entity("Q9268", "Judaism")
SPOUSE, JOB, CHILD = (
    relation("P26", "spouse"),
    relation("P106", "occupation"),
    relation("P40", "child"),
)
BORN, DIED, BEGUN = (
    relation("P569", "date of birth"),
    relation("P570", "date of death"),
    relation("P571", "inception"),
)
FAITH = relation("P140", "religion or worldview")
STATEMENTS = [
    Statement(ADA, SPOUSE, BEA),
    Statement(ADA, JOB, COOK),
    Statement(ADA, BORN, Literal("1890-02-01", DATE)),
    Statement(ADA, DIED, Literal("1950", YEAR)),
    Statement(BEA, JOB, SINGER),
    Statement(BEA, FAITH, JUDAISM),
    Statement(CAL, JOB, COOK),
    Statement(BRIDGE, BEGUN, Literal("1960", YEAR)),
]


@pytest.fixture(scope="module")
def kg():
    entities = [ADA, BEA, CAL, SINGER, COOK, BRIDGE, JUDAISM]
    relations = [SPOUSE, JOB, CHILD, BORN, DIED, BEGUN, FAITH]
    return EmbeddedGraph.build("people", entities, relations, STATEMENTS)


@pytest.fixture
def ask(kg):
    """Asks with a scripted model."""

    def asked(question, *replies, graph=None, index=None, **params):
        llm = ScriptedLLM(*replies)
        tools = Toolkit(graph or kg, llm, index=index)
        answer, seen = drain(r3.solve(question, tools, Params(**params)))
        assert not llm.left, "the script is not used up"
        return answer, seen, llm

    return asked


def path(*relations):
    return tuple(Hop(relation=name) for name in relations)


def is_a(name, job, *before):
    return Premise(
        text=f"{name} is a {job}",
        left=Term(entity=name, path=path(*before, "occupation")),
        right=Term(constants=(job,)),
    )


def over_70(name):
    return Premise(
        text=f"{name} lived for more than 70 years",
        left=Term(entity=name, function="age"),
        operator=">",
        right=Term(constants=("70",)),
    )


def axiom(*premises, rule="Who cooks must be a cook.", **more):
    return StatedAxiom(rule=rule, premises=list(premises), **more)


def as_compared(given):
    """A judge to whom different names are different things, and the rest is open."""
    return PremiseVerdicts(
        verdicts=[
            PremiseVerdict(premise=n, state=p.by_names or "open", facts=p.facts)
            for n, p in enumerate(given.premises)
        ]
    )


def of_kind(seen, kind):
    return [e for e in seen if isinstance(e, kind)]


HEAD = "step linked anchored expanded step asked axiom "


def test_premises_that_hold_answer_yes(ask):
    answer, seen, llm = ask("Can Ada Berg cook?", axiom(is_a("Ada Berg", "cook")))
    assert answer.values == (Literal("true", "http://www.w3.org/2001/XMLSchema#boolean"),)
    assert answer.text.startswith("Yes: ")
    assert answer.grounding == "grounded"
    assert answer.citations == (Statement(ADA, JOB, COOK),)
    assert kinds(seen) == HEAD + "step judged verdict chosen"
    assert llm.skills == ["state axiom"]


def test_a_violated_premise_answers_no_and_is_named(ask):
    answer, seen, _ = ask("Was Ada Berg over 70?", axiom(over_70("Ada Berg")))
    assert answer.text.startswith("No: ")
    assert answer.certain
    (judged,) = of_kind(seen, events.Judged)
    assert [j.state for j in judged.judgements] == ["violated"]
    assert kinds(seen) == HEAD + "step computed judged verdict chosen"


def test_names_that_differ_are_judged_and_no_certain_no(ask):
    answer, seen, llm = ask("Can Ada Berg sing?", axiom(is_a("Ada Berg", "singer")), as_compared)
    assert answer.text.startswith("No: ")
    assert not answer.certain
    assert answer.citations == (Statement(ADA, JOB, COOK),)
    (asked,) = llm.inputs[-1].premises
    assert (asked.by_names, asked.computed) == ("violated", "violated")
    assert kinds(seen) == HEAD + "step asked judged verdict chosen"


def test_names_may_differ_and_mean_the_same(ask):
    same = PremiseVerdicts(
        verdicts=[PremiseVerdict(premise=0, state="satisfied", why="A cook makes food.")]
    )
    answer, _, _ = ask("Does Ada Berg make food?", axiom(is_a("Ada Berg", "food maker")), same)
    assert answer.text == "Yes: A cook makes food."
    assert answer.citations == (Statement(ADA, JOB, COOK),)
    assert not answer.certain


def test_names_that_differ_stay_open_where_the_judge_leaves_them(ask):
    unsure = PremiseVerdicts(verdicts=[PremiseVerdict(premise=0, state="open")])
    answer, _, _ = ask(
        "Can Ada Berg sing?", axiom(is_a("Ada Berg", "singer")), unsure, depth=0, breadth=1
    )
    assert answer.reason.startswith("Undetermined")


def test_a_kind_of_what_is_asked_for_is_that(ask):
    """What a value is a kind of, or a part of, is read before names count as different."""
    pastry, chef = entity("Q70", "pastry chef"), entity("Q71", "chef")
    kind_of = relation("P279", "subclass of")
    graph = EmbeddedGraph.build(
        "kinds",
        [ADA, pastry, chef, COOK],
        [JOB, kind_of],
        [
            Statement(ADA, JOB, pastry),
            Statement(pastry, kind_of, chef),
            Statement(chef, kind_of, COOK),
        ],
    )
    answer, _, llm = ask("Can Ada Berg bake?", axiom(is_a("Ada Berg", "cook")), graph=graph)
    assert answer.text.startswith("Yes: ")
    assert answer.certain
    assert len(answer.citations) == 3
    assert llm.skills == ["state axiom"]


def test_a_claim_is_correct_or_incorrect(ask):
    answer, _, _ = ask("True or false: Ada Berg cooked.", axiom(is_a("Ada Berg", "cook")))
    assert answer.text.startswith("Correct: ")
    answer, _, _ = ask("Ada Berg grew old.", axiom(over_70("Ada Berg")))
    assert answer.text.startswith("Incorrect: ")


def test_a_rule_may_speak_for_no(ask):
    said = axiom(is_a("Ada Berg", "cook"), answer=False)
    answer, _, _ = ask("Is Ada Berg bad at cooking?", said)
    assert answer.text.startswith("No: ")


def test_dates_are_computed_and_override_the_model(ask):
    alive = Premise(
        text="Ada Berg lived when the bridge stood",
        left=Term(entity="Ada Berg", function="lifetime"),
        operator="overlaps",
        right=Term(entity="Long Bridge", function="lifetime"),
    )
    answer, seen, _ = ask("Could Ada Berg have crossed Long Bridge?", axiom(alive, guess="yes"))
    assert answer.text.startswith("No: ")
    assert "1960" in answer.text
    (verdict,) = of_kind(seen, events.Verdict)
    assert (verdict.verdict, verdict.believed) == ("false", "yes")
    (computed,) = of_kind(seen, events.Computed)
    assert len(computed.because) == 3
    assert kinds(seen) == (
        "step linked anchored anchored expanded step asked axiom "
        "step computed judged verdict chosen"
    )


def test_missing_evidence_is_read_from_an_entity_of_the_facts(ask):
    answer, seen, llm = ask(
        "Does Ada Berg's wife sing?", axiom(is_a("Ada Berg", "singer", "spouse"))
    )
    assert answer.text.startswith("Yes: ")
    assert set(answer.citations) == {Statement(ADA, SPOUSE, BEA), Statement(BEA, JOB, SINGER)}
    assert kinds(seen) == (
        HEAD + "step judged missing_evidence expanded step judged verdict chosen"
    )
    (missing,) = of_kind(seen, events.MissingEvidence)
    assert (missing.entity, missing.known, missing.depth) == (BEA, True, 0)
    assert missing.text == "the occupation of Bea Stone"
    assert llm.skills == ["state axiom"]  # whose facts are lacking is known, so nobody is asked


def test_missing_evidence_may_take_an_entity_that_is_looked_up(ask):
    cooks = PremiseVerdict(premise=0, state="satisfied", why="Cal Roe is a cook.", facts=[0])
    answer, seen, llm = ask(
        "Is the boss of Ada Berg a cook?",
        axiom(Premise(text="the boss of Ada Berg is a cook")),
        as_compared,
        MissingFact(text="the occupation of Cal Roe", name="Cal Roe"),
        PremiseVerdicts(verdicts=[cooks]),
    )
    assert answer.text.startswith("Yes: ")
    assert kinds(seen) == (
        HEAD + "step asked judged asked linked anchored missing_evidence expanded "
        "step asked judged verdict chosen"
    )
    assert of_kind(seen, events.MissingEvidence)[0].known is False
    assert llm.inputs[2].read == ["Ada Berg"]


@pytest.fixture(scope="module")
def crowd():
    club, member = entity("Q100", "Rowing Club"), relation("P463", "member")
    people = [entity(f"Q{10_000 + n}", f"rower {n:04}") for n in range(2_100)]
    facts = [Statement(club, member, one) for one in people]
    return EmbeddedGraph.build("club", [club, *people], [member], facts)


IN_THE_CLUB = Premise(
    text="rower 2099 is in the Rowing Club",
    left=Term(entity="Rowing Club", path=path("member")),
    right=Term(constants=("rower 2099",)),
)


def judged_as(state):
    return PremiseVerdicts(verdicts=[PremiseVerdict(premise=0, state=state, facts=[0])])


ROWS = "Does the Rowing Club row with rower 2099?"


def test_of_an_entity_with_more_facts_than_were_read_the_next_ones_are(ask, crowd):
    more = MissingFact(text="further members", name="Rowing Club")
    replies = axiom(IN_THE_CLUB), judged_as("open"), more
    answer, seen, _ = ask(ROWS, *replies, graph=crowd, pruning="truncate")
    assert answer.text.startswith("Yes: ")
    assert answer.certain
    first, second = (e for e in of_kind(seen, events.Expanded) if len(e.statements) > 1)
    assert (len(first.statements), first.truncated) == (2_000, True)
    assert (len(second.statements), second.truncated) == (2_100, False)


def test_a_no_from_some_of_the_facts_is_not_certain(ask, crowd):
    replies = axiom(IN_THE_CLUB), judged_as("violated")
    answer, _, _ = ask(ROWS, *replies, graph=crowd, pruning="truncate")
    assert answer.text.startswith("No")
    assert not answer.certain


def test_an_entity_that_the_axiom_names_is_read_at_once(ask):
    answer, seen, llm = ask("Is the boss of Ada Berg a cook?", axiom(is_a("Cal Roe", "cook")))
    assert answer.text.startswith("Yes: ")
    assert llm.skills == ["state axiom"]
    assert of_kind(seen, events.Anchored)[-1].why == "the axiom names it"


def test_a_dead_end_opens_a_new_branch_whose_depth_begins_anew(ask):
    answer, seen, llm = ask(
        "Does Ada Berg make food?",
        axiom(is_a("Nobody", "cook"), rule="Somebody must cook."),
        as_compared,
        MissingFact(text="who Ada Berg is", name="Ada Berg"),
        axiom(is_a("Ada Berg", "cook")),
        depth=1,
        breadth=2,
    )
    assert answer.text.startswith("Yes: ")
    assert kinds(seen) == (
        HEAD + "linked step asked judged asked dead_end missing_evidence verdict "
        "step asked axiom step judged verdict chosen"
    ).replace("linked step", "step linked", 1)
    assert [(e.branch, e.depth) for e in of_kind(seen, events.Judged)] == [(0, 0), (1, 0)]
    (failed,) = llm.inputs[3].tried
    assert failed.rule == "Somebody must cook."
    assert failed.why == "an entity called “Nobody” could not be found."
    assert llm.asked[3][0].temperature == 0.7
    assert of_kind(seen, events.MissingEvidence)[0].entity is None


def test_without_missing_evidence_the_branch_ends(ask):
    answer, seen, _ = ask(
        "Does Ada Berg dance?",
        axiom(is_a("Nobody", "dancer")),
        as_compared,
        MissingFact(text=""),
        breadth=1,
    )
    assert answer.reason.startswith("Undetermined because ")
    assert "Nobody" in answer.reason
    assert kinds(seen) == HEAD + "step linked asked judged asked missing_evidence verdict"


@pytest.mark.parametrize("depth", [0, 3])
def test_depth_bounds_the_cost(ask, depth):
    """Each depth costs two replies, however often the model finds something to read."""
    names = ["Bea Stone", "Cal Roe", "singer"]
    replies = [r for n in names[:depth] for r in (as_compared, MissingFact(text=n, name=n))]
    said = axiom(Premise(text="Ada Berg dances"))
    answer, seen, llm = ask(
        "Does Ada Berg dance?", said, *replies, as_compared, depth=depth, breadth=1
    )
    assert answer.reason.startswith("Undetermined")
    assert len(llm.asked) == 2 + 2 * depth
    assert [e.depth for e in of_kind(seen, events.Judged)] == list(range(depth + 1))


def test_a_model_without_a_further_rule_ends_the_search(ask):
    answer, seen, _ = ask("Does Ada Berg dance?", StatedAxiom(rule="", premises=[]))
    assert kinds(seen) == "step linked anchored expanded step asked noted"
    assert answer.reason == "Undetermined because no rule was found that would decide it."


# -- names in axioms -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("religion", FAITH),
        ("Religion or worldview", FAITH),
        ("birth date", BORN),
        ("date of brith", BORN),
        ("P106", JOB),
        ("P140 religion or worldview", FAITH),
        ("occupation (P106)", JOB),
        ("job", None),
        ("date", None),
        ("colour", None),
    ],
)
def test_relations_are_those_of_the_graph_whatever_they_are_called(said, meant):
    present = [SPOUSE, JOB, BORN, DIED, FAITH]
    assert relation_called(said, present, lambda name: None) == meant


def test_a_relation_in_other_words_is_followed(ask):
    said = Premise(
        text="Ada Berg's wife is of the Jewish faith",
        left=Term(entity="Ada Berg", path=path("partner in marriage|spouse", "religion")),
        right=Term(constants=("Judaism",)),
    )
    answer, _, llm = ask("Would Ada Berg's wife keep Passover?", axiom(said))
    assert answer.text.startswith("Yes: ")
    assert llm.skills == ["state axiom"]


def test_a_disjunction_holds_with_one_of_its_premises(ask):
    said = axiom(is_a("Ada Berg", "singer"), is_a("Ada Berg", "cook"), connective="any")
    answer, _, _ = ask("Does Ada Berg work with her hands?", said)
    assert answer.text.startswith("Yes: ")
    assert len(answer.sentences) == 1


def test_premises_in_words_are_judged_from_the_facts(ask):
    said = axiom(Premise(text="Ada Berg has a job with knives"))
    at = [0]

    def judge(given):
        assert [p.premise for p in given.premises] == ["Ada Berg has a job with knives"]
        at[0] = next(i for i, s in enumerate(given.facts) if s.relation == JOB)
        return PremiseVerdicts(verdicts=[PremiseVerdict(state="satisfied", facts=[at[0]])])

    answer, seen, _ = ask("Does Ada Berg own knives?", said, judge)
    assert answer.citations == (Statement(ADA, JOB, COOK),)
    assert not answer.certain
    assert kinds(seen) == HEAD + "step asked judged verdict chosen"


def test_a_judgement_without_a_fact_leaves_the_premise_open(ask):
    said = axiom(Premise(text="Ada Berg is nice"))
    judged = PremiseVerdicts(verdicts=[PremiseVerdict(state="satisfied", facts=[99])])
    answer, seen, _ = ask("Is Ada Berg nice?", said, judged, depth=0, breadth=1)
    assert answer.reason.startswith("Undetermined")
    (event,) = of_kind(seen, events.Judged)
    assert event.judgements[0].state == "open"
    assert event.judgements[0].believed == "satisfied"


def test_too_few_verdicts_leave_the_rest_open(ask):
    said = axiom(Premise(text="Ada Berg is nice"))
    answer, _, _ = ask("Is Ada Berg nice?", said, PremiseVerdicts(verdicts=[]), depth=0, breadth=1)
    assert answer.reason.startswith("Undetermined")


def test_the_graph_is_asked_before_the_model(ask):
    """A conjunction that a computed premise breaks needs no reading."""
    said = axiom(over_70("Ada Berg"), Premise(text="Ada Berg is nice"))
    answer, _, llm = ask("Is Ada Berg a nice old woman?", said)
    assert answer.text.startswith("No: ")
    assert "judge premises" not in llm.skills


# -- anchors and pruning ---------------------------------------------------------------------


def test_anchors_are_those_of_the_linker_and_of_the_model(ask):
    said = axiom(is_a("Cal Roe", "cook"), mentions=["Cal Roe", "Ada Berg"])
    _, seen, llm = ask("Does Ada Berg know a cook?", said)
    assert [e.entity for e in of_kind(seen, events.Anchored)] == [ADA, CAL]
    assert kinds(seen).startswith("step linked anchored expanded step asked linked anchored")
    assert llm.inputs[0].looked_up == ["Ada Berg"]


def test_a_model_may_ask_for_a_name_before_it_states_a_rule(ask):
    answer, _, llm = ask(
        "Does Ada Berg know a cook?",
        StatedAxiom(mentions=["Cal Roe"]),
        axiom(is_a("Cal Roe", "cook")),
    )
    assert answer.text.startswith("Yes: ")
    first, second = llm.inputs
    assert Statement(CAL, JOB, COOK) not in first.facts
    assert Statement(CAL, JOB, COOK) in second.facts
    assert second.looked_up == ["Ada Berg", "Cal Roe"]


def test_the_linker_alone_takes_no_names_of_the_model(ask):
    said = axiom(is_a("Ada Berg", "cook"), mentions=["Cal Roe"])
    _, seen, _ = ask("Can Ada Berg cook?", said, entities="linker")
    assert [e.entity for e in of_kind(seen, events.Anchored)] == [ADA]


def test_the_model_alone_looks_up_no_spans(ask):
    said = axiom(is_a("Ada Berg", "cook"), mentions=["Ada Berg"])
    _, seen, _ = ask("Can Ada Berg cook?", said, entities="model")
    assert kinds(seen).startswith("step step asked linked anchored expanded")


NOTES = [
    Statement(ADA, relation("P1", "note"), Literal(f"page {n}, " + "and so on " * 35, STRING))
    for n in range(20)
]


@pytest.mark.parametrize(
    ("pruning", "expected"),
    [
        ("truncate", "step asked judged"),
        ("dense", "step retrieved chosen asked judged"),
        ("union", "step retrieved asked chosen asked judged"),
    ],
)
def test_pruning_by_nearness_and_by_the_model(tmp_path, pruning, expected):
    long = EmbeddedGraph.build("long", [ADA, COOK], [JOB], [Statement(ADA, JOB, COOK), *NOTES])
    index = Index(long, real_encoder(), tmp_path)
    said = axiom(Premise(text="Ada Berg can make soup"), rule="Cooks make soup.")
    replies = [said, PremiseVerdicts(verdicts=[PremiseVerdict(state="satisfied", facts=[0])])]
    if pruning == "union":
        replies.insert(1, PickedFacts(indices=[0, 77]))
    llm = ScriptedLLM(*replies)
    params = Params(pruning=pruning, top_k=2, breadth=1)
    answer, seen = drain(r3.solve("Can Ada Berg cook?", Toolkit(long, llm, index=index), params))
    assert answer.grounding == "grounded"
    assert kinds(seen).replace("noted ", "") == HEAD + expected + " verdict chosen"


def test_without_an_index_what_was_read_is_pruned_all_the_same_which_is_said():
    long = EmbeddedGraph.build("long", [ADA, COOK], [JOB], [Statement(ADA, JOB, COOK), *NOTES])
    said = axiom(Premise(text="Ada Berg can make soup"), rule="Cooks make soup.")
    judged = PremiseVerdicts(verdicts=[PremiseVerdict(state="satisfied", facts=[0])])
    llm = ScriptedLLM(said, PickedFacts(indices=[0]), judged)
    answer, seen = drain(
        r3.solve("Can Ada Berg cook?", Toolkit(long, llm), Params(top_k=2, breadth=1))
    )
    assert answer.grounding == "grounded"
    told = [e.text for e in seen if isinstance(e, events.Noted) and "index" in e.text]
    assert told == ["There is no index of “long”: only what is linked is compared in meaning."]


def test_nothing_is_picked_where_there_is_room_for_all(ask):
    said = axiom(Premise(text="Ada Berg can make soup"), rule="Cooks make soup.")
    judged = PremiseVerdicts(verdicts=[PremiseVerdict(state="satisfied", facts=[0])])
    _, _, llm = ask("Can Ada Berg cook?", said, judged, top_k=2, breadth=1)
    assert llm.skills == ["state axiom", "judge premises"]


# -- what no fact says -----------------------------------------------------------------------


def test_a_premise_of_meaning_takes_no_fact(ask):
    said = axiom(
        is_a("Ada Berg", "cook"),
        Premise(text="cooks can make soup", kind="meaning"),
        rule="Who can make soup must be a cook.",
    )
    answer, _, llm = ask("Can Ada Berg make soup?", said)
    assert llm.skills == ["state axiom"]  # what it means is what the axiom says
    assert answer.text.startswith("Yes: ")
    assert answer.grounding == "grounded"
    assert not answer.certain


def test_a_premise_of_meaning_is_judged_beside_others(ask):
    said = axiom(
        Premise(text="Ada Berg can make soup"), Premise(text="soup is food", kind="meaning")
    )
    verdicts = [
        PremiseVerdict(premise=0, state="satisfied", facts=[0]),
        PremiseVerdict(premise=1, state="satisfied"),
    ]
    answer, _, llm = ask("Can Ada Berg make food?", said, PremiseVerdicts(verdicts=verdicts))
    assert [p.meaning for p in llm.inputs[-1].premises] == [False, True]
    assert answer.text.startswith("Yes: ")


@pytest.mark.parametrize(
    ("assumptions", "grounding"),
    [("none", "abstained"), ("marked", "ungrounded"), ("allowed", "grounded")],
)
def test_assumptions_count_as_the_parameter_says_and_are_told(ask, assumptions, grounding):
    said = axiom(is_a("Ada Berg", "cook"), Premise(text="the town of Ada Berg has a market"))
    assumed = PremiseVerdict(
        premise=0, state="violated", assumed=True, why="Such towns have no markets."
    )
    answer, seen, llm = ask(
        "Could Ada Berg sell soup on the market?",
        said,
        PremiseVerdicts(verdicts=[assumed]),
        depth=0,
        breadth=1,
        assumptions=assumptions,
    )
    assert answer.grounding == grounding
    assert llm.inputs[-1].assume is (assumptions != "none")
    if grounding == "abstained":
        return
    assert answer.text.startswith("No: ")
    assert not answer.certain
    assert Statement(ADA, JOB, COOK) in answer.citations
    assert "Assumed, as no fact says it" in answer.text + answer.reading
    assert of_kind(seen, events.Judged)[-1].judgements[1].assumed


@pytest.mark.parametrize("cited", [[], [0]])
def test_what_is_assumed_of_facts_that_were_compared_is_told_as_assumed(ask, cited):
    said = axiom(
        Premise(
            text="Bea Stone has the occupation of Ada Berg",
            left=Term(entity="Bea Stone", path=path("occupation")),
            right=Term(entity="Ada Berg", path=path("occupation")),
        )
    )
    assumed = PremiseVerdict(
        premise=0, state="satisfied", assumed=True, why="She is known to cook.", facts=cited
    )
    answer, seen, _ = ask(
        "Could Bea Stone cook with Ada Berg?", said, PremiseVerdicts(verdicts=[assumed]), breadth=1
    )
    assert of_kind(seen, events.Judged)[-1].judgements[0].assumed
    assert answer.grounding != "grounded"
    assert not answer.certain
    assert answer.text.startswith("Yes: ")
    assert answer.text.endswith("Assumed, as no fact says it: She is known to cook.")


# -- preferences -----------------------------------------------------------------------------

MENU = "I want a warm dish. Choose one of: (1) pork stew; (2) bean stew; (3) cold melon"
MINE = """
user | religion | Judaism
pork stew | has ingredient | pork
bean stew | has ingredient | beans
"""


def no_pork(**more):
    return axiom(
        Premise(
            text="{option} has no pork",
            left=Term(entity="{option}", path=path("has ingredient|description")),
            operator="≠",
            right=Term(constants=("pork",)),
        ),
        rule="Who is Jewish eats no pork.",
        **more,
    )


def test_options_are_tried_until_one_satisfies_all(ask, kg):
    graph = overlay(personal(MINE, kg), kg)
    answer, seen, llm = ask(MENU, no_pork(order=[0, 1, 2]), as_compared, graph=graph)
    assert [v.name for v in answer.values] == ["bean stew"]
    assert answer.grounding == "grounded"
    first, second = of_kind(seen, events.Verdict)
    assert (first.option, first.verdict) == ("pork stew", "false")
    assert (second.option, second.verdict) == ("bean stew", "true")
    assert kinds(seen) == (
        "step linked anchored expanded step asked axiom "
        "step asked judged judged judged verdict verdict chosen"
    )
    assert not answer.certain  # that beans are no pork, names alone do not say
    assert llm.skills == ["state axiom", "judge premises"]  # one judgement for all options
    assert {p.option for p in llm.inputs[1].premises} == {"bean stew", "cold melon"}


def test_the_model_orders_the_options(ask, kg):
    graph = overlay(personal(MINE, kg), kg)
    answer, _, _ = ask(MENU, no_pork(order=[2]), as_compared, graph=graph)
    assert [v.name for v in answer.values] == ["cold melon"]


def test_the_facts_of_the_person_stand_in_every_judgement(ask, kg):
    graph = overlay(personal(MINE, kg), kg)
    said = axiom(Premise(text="{option} suits a Jewish guest"))

    def by_faith(given):
        at = next(i for i, s in enumerate(given.facts) if s.subject.name == "user")
        return PremiseVerdicts(
            verdicts=[
                PremiseVerdict(
                    premise=n, facts=[at], state="violated" if "pork" in p.option else "satisfied"
                )
                for n, p in enumerate(given.premises)
            ]
        )

    answer, _, _ = ask(MENU, said, by_faith, graph=graph)
    assert [v.name for v in answer.values] == ["bean stew"]
    assert [c.subject.name for c in answer.citations] == ["user"]


def test_what_an_option_is_made_of_is_never_cut(ask, kg):
    """Long lists of ingredients are shared out to several judgements, whole."""
    made_of = {
        f"stew {n}": [f"ingredient {n}-{i} of the stew" for i in range(90)] for n in range(6)
    }
    rows = "\n".join(f"{dish} | has ingredient | {x}" for dish, xs in made_of.items() for x in xs)
    graph = overlay(personal(f"user | allergy | nuts\n{rows}", kg), kg)
    seen_of: dict[str, set[str]] = {}

    def judge(given):
        read = prompt.rendered(given)
        for p in given.premises:
            seen_of.setdefault(p.option, set()).update(x for x in made_of[p.option] if x in read)
        states = ["open"] * len(given.premises)
        return PremiseVerdicts(verdicts=[PremiseVerdict(state=s) for s in states])

    question = "Dinner? Choose one of: " + "; ".join(f"({n + 1}) stew {n}" for n in range(6))
    _, _, llm = ask(
        question, axiom(Premise(text="{option} has no nuts")), *[judge] * 6, graph=graph, depth=0,
        breadth=1,
    )  # fmt: skip
    assert seen_of == {dish: set(xs) for dish, xs in made_of.items()}
    assert len(llm.asked) == 7  # one for each, at most


@pytest.mark.parametrize("preset", [OURS, PUBLISHED])
def test_six_options_stay_within_the_budget_of_a_run(kg, preset):
    """Long options, many constraints, and a model that decides nothing: the most there is."""
    menu = [f"stew {n}" for n in range(6)]
    rows = [f"user | avoids | thing {n}" for n in range(12)]
    rows += [
        f"{dish} | has ingredient | ingredient {i} of {dish}" for dish in menu for i in range(90)
    ]
    premises = [Premise(text=f"{{option}} is free of thing {n}") for n in range(3)]

    def undecided(given):
        if isinstance(given, ToJudge):
            return PremiseVerdicts(verdicts=[])
        if isinstance(given, ToName):
            return MissingFact(
                text="what else is in it", name=f"ingredient {len(llm.asked)} of stew 1"
            )
        return axiom(*premises, rule=f"Rule {len(llm.asked)}.")

    budget = Budget()
    llm = ScriptedLLM(*[undecided] * budget.llm_calls)
    tools = Toolkit(overlay(personal("\n".join(rows), kg), kg), llm, budget=budget)
    chosen = METHODS["r3"]
    params = chosen.params(**presets.values(chosen, preset))
    numbered = "; ".join(f"({n + 1}) {dish}" for n, dish in enumerate(menu))
    records = list(run(f"Dinner? Choose one of: {numbered}", chosen.solve, tools, params))
    assert status_of(records) == "abstained"
    assert any(
        "Nothing further is tried" in r.event.text for r in records if r.event.kind == "noted"
    )
    put = [prompt.as_text(prompt.messages(skill, given)) for skill, given in llm.asked]
    assert "judge premises" in llm.skills
    assert sum(map(len, put)) / 3 < budget.tokens
    assert max(map(len, put)) / 3 < 8_000


def test_a_long_text_of_an_option_is_read_to_its_end(ask, kg):
    menu = f"Dinner? Choose one of: (1) {'rice and ' * 60}hazelnuts; (2) soup"

    def judge(given):
        assert "hazelnuts" in prompt.rendered(given).partition("facts:")[2]
        return PremiseVerdicts(verdicts=[])

    ask(menu, axiom(Premise(text="{option} has no nuts")), judge, depth=0, breadth=1)


def test_no_option_is_left(ask, kg):
    question = "Dinner? Choose one of: (1) pork stew; (2) roast pork"
    graph = overlay(personal(MINE, kg), kg)
    answer, _, _ = ask(question, no_pork(), graph=graph, breadth=1)
    assert answer.reason.startswith("Undetermined because every option breaks the rule.")


def test_identical_options_are_refused_before_anything_is_asked(kg):
    llm = ScriptedLLM()
    tools = Toolkit(kg, llm)
    question = "Dinner? Choose one of: (1) stew; (2)  Stew"
    answer, seen = drain(r3.solve(question, tools, Params()))
    assert (
        answer.reason == "Undetermined because two of the options are the same. Make them differ."
    )
    assert seen == []


def test_a_choice_without_options_says_what_to_write(kg):
    answer, _ = drain(r3.solve("Dinner?", Toolkit(kg, ScriptedLLM()), Params(task="preference")))
    assert "Choose one of" in answer.reason


def test_a_rule_of_thumb_is_not_certain(ask):
    said = axiom(over_70("Ada Berg"), strict=False)
    answer, _, _ = ask("Can Ada Berg sing?", said)
    assert answer.text.startswith("Yes") or answer.text.startswith("No")
    assert not answer.certain


def test_the_words_of_a_description_are_not_certain(ask):
    told = entity("Q77", "Dora Fenn", "singer of ballads")
    graph = EmbeddedGraph.build("one", [told, SINGER], [JOB], [Statement(told, JOB, COOK)])
    described = Premise(
        text="Dora Fenn is a singer",
        left=Term(entity="Dora Fenn", path=path("description")),
        right=Term(constants=("singer",)),
    )
    answer, _, _ = ask("Can Dora Fenn sing?", axiom(described), graph=graph)
    assert answer.text.startswith("Yes")
    assert not answer.certain


def test_a_plain_question_is_walked_and_an_axiom_stated_if_that_settles_nothing(ask):
    settled = Move(thought="", tool="give up", reason="nothing there")
    _, _, llm = ask(
        "Is Ada Berg a cook?", StatedAxiom(plain=True), settled, axiom(is_a("Ada Berg", "cook"))
    )
    assert llm.skills == ["state axiom", "next action", "state axiom"]
    assert Statement(ADA, JOB, COOK) in llm.inputs[0].facts  # it sees the facts before it decides
    assert [(v.mention, v.members) for v in llm.inputs[1].sets] == [("Ada Berg", [ADA])]
    assert [one.rule for one in llm.inputs[-1].tried] == [WALKED]


def test_a_plain_question_with_premises_is_not_walked(ask):
    said = axiom(is_a("Ada Berg", "cook"), plain=True)
    answer, _, llm = ask("Is Ada Berg a cook?", said)
    assert answer.text.startswith("Yes: ")
    assert llm.skills == ["state axiom"]


# -- without a model -------------------------------------------------------------------------


def test_an_empty_personal_graph_leaves_the_query_to_decide(kg):
    tools = Toolkit(overlay(personal("", kg), kg), Offline())
    answer, _ = drain(r3.solve(MENU, tools, Params()))
    assert answer.grounding == "grounded"


def test_a_run_without_an_axiom_says_why(kg):
    tools = Toolkit(kg, Offline())
    records = list(run("Is Ada Berg a cook?", r3.solve, tools, Params()))
    assert without_axioms(records[:3]).startswith("The axioms appear here")
    assert without_axioms(records).startswith("No axiom was needed")
    nobody = list(run("Could Zorp Quux have met anybody?", r3.solve, tools, Params()))
    assert without_axioms(nobody).startswith("The run ended before")


def test_contradictory_facts_are_both_shown(ask, kg):
    """Two dates of birth: the earlier and the later bound the life, and both are cited."""
    twice = EmbeddedGraph.build(
        "twice",
        [ADA],
        [BORN],
        [
            Statement(ADA, BORN, Literal("1890", YEAR)),
            Statement(ADA, BORN, Literal("1895", YEAR)),
        ],
    )
    alive = Premise(
        text="Ada Berg lived in 1850",
        left=Term(entity="Ada Berg", function="lifetime"),
        operator="overlaps",
        right=Term(constants=("1850",), function="lifetime"),
    )
    answer, _, _ = ask("Did Ada Berg see 1850?", axiom(alive), graph=twice)
    assert answer.text.startswith("No: ")
    assert len(answer.citations) == 2


@pytest.mark.parametrize(
    ("question", "decides"),
    [
        ("Count the towns that border Ulm.", False),
        ("Tell me the height of the minster.", False),
        ("Into which sea does the Danube flow?", False),
        ("Of Ulm, Linz and Passau, which is the oldest?", False),
        ("Arthur Dent is the hero of which book?", False),
        ("Does Ulm or Linz have more people?", False),
        ("Was Haydn or Mozart born first?", False),
        ("is ben nevis or snowdon higher", False),
        ("Has Ulm or Linz more people?", False),
        ("Is Ulm bigger or smaller than Linz?", True),
        ("Was Haydn a singer or a friend of Mozart?", True),
        ("Tell me whether Ulm is older than Linz?", True),
        ("Is the town of which Ulm is the twin older than Linz?", True),
        ("Given the river by which Ulm lies, could one sail there?", True),
        ("Does the Danube flow into the sea?", True),
    ],
)
def test_what_asks_for_yes_or_no(question, decides):
    assert (not unfit(Query(question=question, task="question"))) is decides


@pytest.mark.parametrize(
    ("text", "task"),
    [
        ("Count the towns that border Ulm.", "question"),
        ("name three rivers of Germany", "question"),
        ("Count Dracula lives in Ulm.", "claim"),
        ("Ulm lies on the Danube", "claim"),
        ("You can see Ulm from the Danube.", "claim"),
        ("Our sun is a star", "claim"),
    ],
)
def test_what_one_is_told_to_do_is_no_claim(text, task):
    assert read_query(text, "auto").task == task


@pytest.mark.parametrize(
    "text", ["Is it true that Ann sings?", "My aunt says that Ann sings. Is she right?"]
)
def test_what_somebody_holds_is_asked_as_a_question(text):
    query = read_query(text, "auto")
    assert (query.task, query.question) == ("question", "Ann sings, right?")


def test_the_full_stop_of_a_sentence_is_no_part_of_a_name():
    assert spans("Count the towns near Vienna.")[-1] == "Vienna"
    assert "Martin Luther King Jr." in spans("Was it Martin Luther King Jr. who said it?")


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("who's the director of The French Lieutenant's Woman", "The French Lieutenant's Woman"),
        ("Who wrote Rosemary’s Baby?", "Rosemary’s Baby"),
        ("How long is Ulm's Old Bridge?", "Old Bridge"),
        ("How old is Ada Berg's bridge?", "Ada Berg"),
    ],
)
def test_an_apostrophe_within_a_name_is_part_of_it(question, name):
    assert name in spans(question)


def test_no_name_runs_into_the_question_behind_it():
    assert spans("I have read Emma. Who wrote it?") == ["Emma"]
    assert "Ulm" in spans("We drive to Ulm. Where in Europe is it?")
    assert not any("Where" in name for name in spans("We drive to Ulm. Where in Europe is it?"))
    assert "Dr. Who" in spans("I like Dr. Who a lot")


def test_who_is_spoken_to_is_no_series():
    assert "You" not in spans("You may come across kangaroos near Ulm.")
    assert "You" in spans("Who plays in You?")


def test_a_word_in_small_letters_is_no_title_where_names_have_capitals():
    taken = entity("Q90", "Taken", "film of 2008")
    asked = "Could Ann Tammik have had her photograph taken?"
    assert is_word("taken", taken, asked)
    assert not is_word("Taken", taken, asked)
    assert not is_word("taken", taken, "who directed taken")
    assert not is_word("ulm", entity("Q91", "Ulm", "city"), "Has Ann Tammik seen ulm?")
