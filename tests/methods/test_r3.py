"""R3 as its paper tells it: axioms, premises, deeper for missing evidence, or it does not know."""

import pytest

from kgqa_core.ask import events
from kgqa_core.ask.run import Toolkit, drain, run
from kgqa_core.ask.skills import Mentions
from kgqa_core.facts.premises import Hop, Premise, Term
from kgqa_core.facts.terms import DATE, YEAR, Entity, Literal, Relation, Statement
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.kg.union import overlay, personal
from kgqa_core.llm.offline import Offline
from kgqa_core.methods.r3 import algorithm as r3
from kgqa_core.methods.r3.algorithm import Params
from kgqa_core.methods.r3.skills import (
    MissingFact,
    NextEntity,
    PickedFacts,
    Plainness,
    PremiseVerdict,
    PremiseVerdicts,
    Ranking,
    StatedAxiom,
)
from kgqa_core.methods.walk import Action
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
    """Asks with a scripted model; `mentions` is what it extracts."""

    def asked(question, *replies, mentions=(), graph=None, index=None, **params):
        llm = ScriptedLLM(Mentions(mentions=list(mentions)), *replies)
        tools = Toolkit(graph or kg, llm, index=index)
        answer, seen = drain(r3.solve(question, tools, Params(**{"plain": False, **params})))
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


def axiom(*premises, rule="Who cooks must be a cook.", **more):
    return StatedAxiom(rule=rule, premises=list(premises), **more)


def of_kind(seen, kind):
    return [e for e in seen if isinstance(e, kind)]


HEAD = "step linked anchored asked expanded step asked axiom "


def test_premises_that_hold_answer_yes(ask):
    answer, seen, llm = ask("Can Ada Berg cook?", axiom(is_a("Ada Berg", "cook")))
    assert answer.values == (Literal("true", "http://www.w3.org/2001/XMLSchema#boolean"),)
    assert answer.text.startswith("Yes: ")
    assert answer.grounding == "grounded"
    assert answer.citations == (Statement(ADA, JOB, COOK),)
    assert kinds(seen) == HEAD + "step judged verdict chosen"
    assert llm.skills == ["extract entities", "state axiom"]


def test_a_violated_premise_answers_no_and_is_named(ask):
    answer, seen, _ = ask("Can Ada Berg sing?", axiom(is_a("Ada Berg", "singer")))
    assert answer.text.startswith("No: ")
    (judged,) = of_kind(seen, events.Judged)
    assert [j.state for j in judged.judgements] == ["violated"]
    assert judged.judgements[0].because == (Statement(ADA, JOB, COOK),)
    assert kinds(seen) == HEAD + "step judged verdict chosen"


def test_a_claim_is_correct_or_incorrect(ask):
    answer, _, _ = ask("True or false: Ada Berg cooked.", axiom(is_a("Ada Berg", "cook")))
    assert answer.text.startswith("Correct: ")
    answer, _, _ = ask("Ada Berg sang.", axiom(is_a("Ada Berg", "singer")))
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
        "step linked anchored anchored asked expanded step asked axiom "
        "step computed judged verdict chosen"
    )


def test_missing_evidence_is_read_from_an_entity_of_the_facts(ask):
    answer, seen, llm = ask(
        "Does Ada Berg's wife sing?",
        axiom(is_a("Ada Berg", "singer", "spouse")),
        MissingFact(text="the occupation of Bea Stone"),
        NextEntity(name="Bea Stone"),
    )
    assert answer.text.startswith("Yes: ")
    assert set(answer.citations) == {Statement(ADA, SPOUSE, BEA), Statement(BEA, JOB, SINGER)}
    assert kinds(seen) == (
        HEAD + "step judged asked asked missing_evidence expanded step judged verdict chosen"
    )
    (missing,) = of_kind(seen, events.MissingEvidence)
    assert (missing.entity, missing.known, missing.depth) == (BEA, True, 0)
    assert llm.inputs[2].lacking == ["the occupation of Bea Stone"]


def test_missing_evidence_may_take_an_entity_that_is_looked_up(ask):
    answer, seen, _ = ask(
        "Is the boss of Ada Berg a cook?",
        axiom(is_a("Cal Roe", "cook")),
        MissingFact(text="the occupation of Cal Roe"),
        NextEntity(name="Cal Roe"),
    )
    assert answer.text.startswith("Yes: ")
    assert kinds(seen) == (
        HEAD + "step judged asked asked linked anchored missing_evidence expanded "
        "step judged verdict chosen"
    )
    assert of_kind(seen, events.MissingEvidence)[0].known is False


def test_a_dead_end_opens_a_new_branch_whose_depth_begins_anew(ask):
    answer, seen, llm = ask(
        "Does Ada Berg make food?",
        axiom(is_a("Nobody", "cook"), rule="Somebody must cook."),
        MissingFact(text="who Ada Berg is"),
        NextEntity(name="Ada Berg"),
        axiom(is_a("Ada Berg", "cook")),
        depth=1,
        breadth=2,
    )
    assert answer.text.startswith("Yes: ")
    assert kinds(seen) == (
        HEAD + "step judged asked asked dead_end missing_evidence verdict "
        "step asked axiom step judged verdict chosen"
    )
    assert [(e.branch, e.depth) for e in of_kind(seen, events.Judged)] == [(0, 0), (1, 0)]
    assert llm.inputs[4].tried == ["Somebody must cook."]
    assert llm.asked[4][0].temperature == 0.7
    assert of_kind(seen, events.MissingEvidence)[0].entity is None


def test_without_missing_evidence_the_branch_ends(ask):
    answer, seen, llm = ask(
        "Does Ada Berg dance?", axiom(is_a("Nobody", "dancer")), MissingFact(text=""), breadth=1
    )
    assert answer.reason.startswith("Undetermined because ")
    assert "Nobody" in answer.reason
    assert kinds(seen) == HEAD + "step judged asked missing_evidence verdict"
    assert "next entity" not in llm.skills


@pytest.mark.parametrize("depth", [0, 3])
def test_depth_bounds_the_cost(ask, depth):
    """Each depth costs two replies, however often the model finds something to read."""
    names = ["Bea Stone", "Cal Roe", "singer"]
    replies = [
        r for n in names[:depth] for r in (MissingFact(text=n), NextEntity(name=n))
    ]  # fmt: skip
    said = axiom(is_a("Nobody", "cook"))
    answer, seen, llm = ask("Does Ada Berg dance?", said, *replies, depth=depth, breadth=1)
    assert answer.reason.startswith("Undetermined")
    assert len(llm.asked) == 2 + 2 * depth
    assert [e.depth for e in of_kind(seen, events.Judged)] == list(range(depth + 1))


def test_a_model_without_a_further_rule_ends_the_search(ask):
    answer, seen, _ = ask("Does Ada Berg dance?", StatedAxiom(rule="", premises=[]))
    assert kinds(seen) == "step linked anchored asked expanded step asked noted"
    assert answer.reason == "Undetermined because no rule was found that would decide it."


def test_a_disjunction_holds_with_one_of_its_premises(ask):
    said = axiom(is_a("Ada Berg", "singer"), is_a("Ada Berg", "cook"), connective="any")
    answer, _, _ = ask("Does Ada Berg work with her hands?", said)
    assert answer.text.startswith("Yes: ")
    assert len(answer.sentences) == 1


def test_premises_in_words_are_judged_from_the_facts(ask):
    said = axiom(Premise(text="Ada Berg has a job with knives"))
    at = [0]

    def judge(given):
        assert given.premises == ["Ada Berg has a job with knives"]
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
    said = axiom(is_a("Ada Berg", "singer"), Premise(text="Ada Berg is nice"))
    answer, _, llm = ask("Is Ada Berg a nice singer?", said)
    assert answer.text.startswith("No: ")
    assert "judge premises" not in llm.skills


# -- anchors and pruning ---------------------------------------------------------------------


def test_anchors_are_those_of_the_linker_and_of_the_model(ask):
    said = axiom(is_a("Cal Roe", "cook"))
    _, seen, _ = ask("Does Ada Berg know a cook?", said, mentions=["Cal Roe", "Ada Berg"])
    assert [e.entity for e in of_kind(seen, events.Anchored)] == [ADA, CAL]
    assert kinds(seen).startswith("step linked anchored asked linked anchored expanded")


def test_the_linker_alone_asks_no_model(kg):
    llm = ScriptedLLM(axiom(is_a("Ada Berg", "cook")))
    drain(r3.solve("Can Ada Berg cook?", Toolkit(kg, llm), Params(entities="linker", plain=False)))
    assert llm.skills == ["state axiom"]


def test_the_model_alone_looks_up_no_spans(ask):
    said = axiom(is_a("Ada Berg", "cook"))
    _, seen, _ = ask("Can Ada Berg cook?", said, mentions=["Ada Berg"], entities="model")
    assert kinds(seen).startswith("step asked linked anchored expanded")


@pytest.mark.parametrize(
    ("pruning", "expected"),
    [
        ("truncate", "step asked judged"),
        ("dense", "step retrieved chosen asked judged"),
        ("union", "step retrieved asked chosen asked judged"),
    ],
)
def test_pruning_by_nearness_and_by_the_model(kg, tmp_path, pruning, expected):
    index = Index(kg, real_encoder(), tmp_path)
    said = axiom(Premise(text="Ada Berg can make soup"), rule="Cooks make soup.")
    replies = [said, PremiseVerdicts(verdicts=[PremiseVerdict(state="satisfied", facts=[0])])]
    if pruning == "union":
        replies.insert(1, PickedFacts(indices=[0, 77]))
    llm = ScriptedLLM(Mentions(mentions=[]), *replies)
    params = Params(pruning=pruning, top_k=2, breadth=1, plain=False)
    answer, seen = drain(r3.solve("Can Ada Berg cook?", Toolkit(kg, llm, index=index), params))
    assert answer.grounding == "grounded"
    assert kinds(seen) == HEAD + expected + " verdict chosen"
    assert len(llm.inputs[-1].facts) == (3 if pruning == "union" else 2)


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
    answer, seen, _ = ask(MENU, Ranking(order=[0, 1, 2]), no_pork(), graph=graph)
    assert [v.name for v in answer.values] == ["bean stew"]
    assert answer.grounding == "grounded"
    first, second = of_kind(seen, events.Verdict)
    assert (first.option, first.verdict) == ("pork stew", "false")
    assert (second.option, second.verdict) == ("bean stew", "true")
    assert kinds(seen) == (
        "step asked linked anchored expanded step asked step asked axiom "
        "step judged judged judged verdict verdict chosen"
    )
    assert not answer.certain  # the melon is not ruled out: it suits the query less


def test_the_only_option_that_is_left_is_certain(ask, kg):
    question = "Dinner? Choose one of: (1) pork stew; (2) bean stew"
    graph = overlay(personal(MINE, kg), kg)
    answer, _, _ = ask(question, Ranking(order=[0, 1]), no_pork(), graph=graph)
    assert [v.name for v in answer.values] == ["bean stew"]
    assert answer.certain


def test_no_option_is_left(ask, kg):
    question = "Dinner? Choose one of: (1) pork stew; (2) roast pork"
    graph = overlay(personal(MINE, kg), kg)
    answer, _, _ = ask(
        question, Ranking(order=[]), no_pork(), MissingFact(text=""), graph=graph, breadth=1
    )
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
    said = axiom(is_a("Ada Berg", "singer"), strict=False)
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


def test_facts_are_walked_before_an_axiom_is_stated(ask):
    settled = Action(thought="", tool="give up", reason="nothing there")
    more = axiom(is_a("Ada Berg", "cook"))
    _, _, llm = ask(
        "Is Ada Berg a cook?", Plainness(plain=True), Mentions(mentions=[]), settled, more,
        plain=True,
    )  # fmt: skip
    assert llm.skills[1:] == [
        "tell plain questions", "extract entities", "next action", "state axiom"
    ]  # fmt: skip


# -- without a model -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def built_in(kg):
    def asked(question, graph=None, **params):
        tools = Toolkit(graph or kg, Offline())
        return drain(r3.solve(question, tools, Params(**params)))

    return asked


@pytest.mark.parametrize(
    ("question", "verdict"),
    [
        ("Could Ada Berg have crossed Long Bridge?", "No"),
        ("Could Ada Berg have used a smartphone?", "No"),
        ("Does Ada Berg's wife sing for a living?", "Yes"),
        ("Would Ada Berg's wife avoid a dish with ham?", "Yes"),
        ("Do Ada Berg and Cal Roe have the same profession?", "Yes"),
        ("True or false: Ada Berg never married.", "Incorrect"),
        ("True or false: Ada Berg was born in the 19th century.", "Correct"),
        ("True or false: Cal Roe knows how to prepare food.", "Correct"),
    ],
)
def test_the_built_in_reader_knows_common_sense(built_in, question, verdict):
    answer, _ = built_in(question)
    assert answer.text.split(":")[0] == verdict
    assert answer.grounding == "grounded"


@pytest.mark.parametrize(
    "question",
    ["Who directed Inception?", "Since when is Ada a cook?", "Which is older, Ada or Bea?"],
)
def test_a_question_that_is_not_of_yes_or_no_is_refused_at_once(built_in, question):
    answer, seen = built_in(question)
    assert "yes or no" in answer.reason
    assert seen == []


def test_a_question_without_an_entity_is_undetermined(built_in):
    answer, _ = built_in("Could Zorp Quux have met anybody?")
    assert answer.reason.startswith("Undetermined because no entity of the query was found")


def test_an_empty_personal_graph_leaves_the_query_to_decide(built_in, kg):
    graph = overlay(personal("", kg), kg)
    answer, _ = built_in(MENU, graph)
    assert answer.grounding == "grounded"


def test_a_rejected_axiom_is_not_used_again(built_in):
    question = "Could Ada Berg have crossed Long Bridge?"
    _, seen = built_in(question)
    rule = of_kind(seen, events.Axiom)[0].text
    _, other = built_in(question, rejected=rule)
    assert rule not in [e.text for e in of_kind(other, events.Axiom)]


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
