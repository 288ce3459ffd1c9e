"""R3: commonsense as axioms whose premises the graph satisfies, violates or leaves open.

Toroghi et al., Right for Right Reasons: Large Language Models for Verifiable Commonsense
Knowledge Graph Question Answering, EMNLP 2024 (§3 and appendix D). A tree-structured search:
every branch is opened by an axiom; at each depth its premises are checked on the facts; as long
as one is open, the missing evidence is named and the facts of the next entity are read.

Departure: an axiom is kept both as a sentence and as premises over graph terms (equations 2–3).
Premises so written are computed on all facts read (no context window limits that), and what the
graph decides overrides the model; those in words alone are judged by the model from the pruned
facts, and a judgement that cites no fact leaves its premise open. The published code prunes by
truncation only and carries one branch's depth over to the next; here each branch starts at 0.
Departure: a plain question of fact is walked to in the graph (as in ReAct) before any axiom.
Departure: the options of a multiple choice are tried in the order in which they suit the query.
Departure: extraction, whether a question is plain, and the axiom are one reply; all that is open
about all options is judged in one; an entity that a computed premise lacks is read at once.

Names are no proof that things differ: where the values of a relation are others than the axiom
says, kinds and wholes are climbed, then the premise is judged, and never by the graph alone.

What the model is asked is in `skills.py`, how a query is read in `query.py` and `anchors.py`, how
names of axioms are those of the graph in `names.py`, how premises are computed and put to the
model in `checking.py`, what they come to in `judging.py`.
"""

from __future__ import annotations

from collections.abc import Sequence

from kgqa_core.ask import events
from kgqa_core.ask.events import Answer
from kgqa_core.ask.method import Method
from kgqa_core.ask.run import Steps, Toolkit
from kgqa_core.facts import compute
from kgqa_core.facts.completeness import stated
from kgqa_core.facts.premises import Judgement
from kgqa_core.facts.terms import BOOLEAN, STRING, Entity, Literal, Statement, Value
from kgqa_core.methods import react
from kgqa_core.methods.linking import link_mentions
from kgqa_core.methods.r3 import checking, judging
from kgqa_core.methods.r3.anchors import anchor, common_anchors, further_anchors, read
from kgqa_core.methods.r3.checking import computed, is_settled, judge, nearest, unread
from kgqa_core.methods.r3.query import between, inside, read_query, unfit
from kgqa_core.methods.r3.search import (
    Branch,
    Params,
    Premises,
    Search,
    Standing,
    Unopposed,
    few,
    of_person,
)
from kgqa_core.methods.r3.skills import (
    ANOTHER_AXIOM,
    AXIOM,
    MISSING,
    WALKED,
    StatedAxiom,
    Tried,
)


# -- the algorithm ---------------------------------------------------------------------------
def solve(question: str, tools: Toolkit, params: Params) -> Steps[Answer]:
    in_words = between(question) is not None
    put_as = "preference" if in_words and params.task == "auto" else params.task
    search = Search(read_query(question, put_as), tools, params)
    if problem := unfit(search.query):
        return Answer(reason=problem)
    for line in filter(None, map(str.strip, params.rejected.split("|"))):
        search.tried.append(Tried(rule=line, why="who asks does not want it"))
    yield from anchor(search)
    why_open: list[str] = []
    number = 0
    while number < params.breadth and not (search.called_out or (number and search.spent)):
        axiom = yield from _surface(search, number)
        if axiom is None:
            break
        if axiom.plain and params.plain and not axiom.premises:
            answer = yield from _plain(search)
            if answer is not None:
                return answer
            continue
        branch = Branch(number, axiom, search.facts.copy())
        answer, why = yield from _search_branch(search, branch)
        if answer is not None:
            denied = compute.boolean(False) in answer.values
            if denied and not branch.facts.read.isdisjoint(tools.cut_short):
                return answer.model_copy(update={"certain": False})  # it may be among the rest
            return answer
        search.tried.append(Tried(rule=axiom.rule, why=why))
        why_open.append(why)
        number += 1
    if search.spent:
        yield events.Noted(
            text="Nothing further is tried: that might take more than the calls or tokens left.",
            level="warning",
        )
    if in_words and tools.reads_all:  # it may be none of them
        return Answer(
            reason="Undetermined because nothing that was read of the options comes near."
        )
    if (left := search.unopposed) is not None:
        answer = yield from choose(search, left.branch, left.depth, left.standing, left.option)
        if answer is not None:
            return answer.model_copy(update={"certain": False})
    if not search.anchors:
        return Answer(
            reason="Undetermined because no entity of the query was found in the graph. Name one "
            "that is there, or choose another graph."
        )
    because = " ".join(dict.fromkeys(why_open)) or "no rule was found that would decide it."
    if search.unknown:
        unheard_of = ", ".join(f"“{name}”" for name in search.unknown)
        because = f"the graph has nothing called {unheard_of}, and {because}"
    return Answer(reason=f"Undetermined because {because}")


def _plain(search: Search) -> Steps[Answer | None]:
    """What the facts state as such, yes or no; None: it takes more than that."""
    search.tried.append(Tried(rule=WALKED, why="the graph was walked and does not settle it"))
    yield events.Step(title="Walk the graph: this is a plain question of fact")
    anchors = [(mention, entity) for entity, mention in search.mentions.items()]
    answer = yield from react.walked(search.query.question, anchors, search.tools, react.Params())
    truths = [v for v in answer.values if isinstance(v, Literal) and v.datatype == BOOLEAN]
    if not truths or answer.grounding != "grounded":
        return None
    denied = truths[0] == compute.boolean(False)
    cited = [s for s in answer.citations if isinstance(s, Statement)]
    listed = any(stated(s.relation) != "full" for s in cited)
    return answer if answer.certain or (denied and listed) else None


def _search_branch(search: Search, branch: Branch) -> Steps[tuple[Answer | None, str]]:
    """Deeper and deeper until the axiom is decided; without an answer, why it stays open."""
    lacking: list[str] = []
    for depth in range(search.params.depth + 1):
        search.tools.check()
        yield events.Step(
            title=f"Branch {branch.number + 1}: check what the rule requires"
            + (", with more facts" if depth else ""),
            thought=branch.axiom.rule,
        )
        last = depth == search.params.depth or search.spent
        standing = yield from computed(search, branch)
        ahead = [] if last else unread(standing, branch)
        if ahead and not is_settled(standing, branch):
            yield from report(standing, branch, depth)
            lacking = checking.lacking(standing)
            yield events.MissingEvidence(
                branch=branch.number,
                depth=depth,
                text="; ".join(lacking[:2]),
                entity=ahead[0],
                known=True,
            )
            near = yield from nearest(ahead, branch.facts, branch.axiom.rule, search.tools, "read")
            yield from read(branch.facts, near, search.tools)
            continue
        yield from judge(search, branch, standing)
        yield from report(standing, branch, depth)
        answer, lacking = yield from decide(search, branch, depth, standing)
        if answer is not None:
            return answer, ""
        if last or not lacking:
            break
        more = yield from _next_evidence(search, branch, depth, lacking)
        if more is None:
            break
        yield from read(branch.facts, [more], search.tools)
    why = f"{'; '.join(lacking[:2]) or 'the facts'} could not be found"
    if search.options and not lacking:
        why = "every option breaks the rule"
    yield events.Verdict(branch=branch.number, depth=depth, verdict="undetermined", why=why)
    return None, f"{why}."


# -- axioms ----------------------------------------------------------------------------------


def _surface(search: Search, number: int) -> Steps[StatedAxiom | None]:
    """I_q: a commonsense axiom, another one for each branch (§3.2.2); None: there is no other.

    With the first come the names of the query that the linker missed, the order in which options
    suit it, and whether it takes an axiom at all.
    """
    yield events.Step(title=f"Branch {number + 1}: state a rule of common sense")
    query, first = search.query, number == 0
    axiom = yield from _stated(search, number)
    if first and search.params.entities != "linker":
        yield from further_anchors(search, axiom.mentions)
        if search.anchors and axiom.mentions and not axiom.premises and not axiom.plain:
            axiom = yield from _stated(search, number)
    common = first and search.tools.reads_all and query.task != "preference"
    if common and (yield from common_anchors(search)):
        axiom = yield from _stated(search, number)
    if first and search.options:
        order = [i for i in dict.fromkeys(axiom.order) if 0 <= i < len(search.options)]
        order += [i for i in range(len(search.options)) if i not in order]
        search.options = [search.options[i] for i in order]
    if not search.anchors:
        return None
    if axiom.plain and search.params.plain and query.task == "question" and not axiom.premises:
        return axiom
    if not axiom.premises or not axiom.rule.strip():
        yield events.Noted(text="The model knows no further rule that would help.", level="info")
        return None
    named = [
        entity
        for entity in (*search.anchors, *search.options)
        if any(inside(name, [axiom.rule]) for name in (entity.name, *entity.aliases))
    ]
    yield events.Axiom(
        text=axiom.rule,
        entities=tuple(dict.fromkeys(named)),
        branch=number,
        premises=tuple(axiom.premises),
        connective=axiom.connective,
        answer=axiom.answer,
        guess=axiom.guess,
    )
    return axiom


def _stated(search: Search, number: int) -> Steps[StatedAxiom]:
    query = search.query
    axiom = yield from search.tools.ask(
        ANOTHER_AXIOM if number else AXIOM,
        question=query.question,
        task=query.task,
        options=[option.name for option in search.options] or query.options,
        anchors=[entity.name for entity in search.anchors],
        looked_up=list(dict.fromkeys((*search.mentions.values(), *search.looked_up))),
        facts=list(dict.fromkeys((*of_person(search), *few(search, search.facts.statements)))),
        user=search.params.user if query.task == "preference" else "",
        tried=list(search.tried),
    )
    return axiom


def report(standing: Premises, branch: Branch, depth: int) -> Steps[None]:
    for option, judged in standing:
        for judgement in judged:
            for c in judgement.computed:
                yield events.Computed(
                    operation=c.operation,
                    arguments=c.arguments,
                    result=c.result,
                    because=judgement.because,
                )
        yield events.Judged(
            branch=branch.number,
            depth=depth,
            judgements=tuple(judged),
            option=option.name if option else "",
        )


def decide(
    search: Search,
    branch: Branch,
    depth: int,
    standing: Premises,
) -> Steps[tuple[Answer | None, list[str]]]:
    """The answer, if the premises decide it (§3.2.4); else what is lacking."""
    if not search.options:
        ((_, judged),) = standing
        truth = judging.truth(judged, branch.axiom)
        if truth is None:
            return None, judging.lacking(judged)
        return (yield from _conclude(search, branch, depth, judged, truth)), []
    of_options = [(option, judged) for option, judged in standing if option is not None]
    for option, judged in of_options:
        truth = judging.truth(judged, branch.axiom)
        if truth:
            return (yield from choose(search, branch, depth, of_options, option)), []
        if truth is False:
            why = next((j.why for j in judged if j.state == "violated"), "")
            yield events.Verdict(
                branch=branch.number, depth=depth, verdict="false", option=option.name, why=why
            )
    unopposed = [o for o, judged in of_options if judging.truth(judged, branch.axiom) is None]
    if not unopposed:
        return None, []
    search.unopposed = Unopposed(unopposed[0], of_options, branch, depth)
    return None, checking.lacking(standing)


# -- missing evidence ------------------------------------------------------------------------


def _next_evidence(
    search: Search, branch: Branch, depth: int, lacking: list[str]
) -> Steps[Entity | None]:
    """What is missing, and the entity to read next: one of the facts, or a new one (§3.2.5)."""
    tools, facts = search.tools, branch.facts
    wanted = yield from tools.ask(
        MISSING,
        question=search.query.question,
        axiom=branch.axiom.rule,
        lacking=list(dict.fromkeys(lacking)),
        facts=few(search, facts.statements),
        read=[e.name for e in facts.read],
    )
    name = wanted.name.strip()
    entity = facts.called(name) if name else None
    known = entity is not None
    if name and entity is None:
        linked = yield from link_mentions(search.query.question, [name], tools)
        entity = linked[0][1] if linked else None
    if entity is not None and entity in facts.read and not _has_more(search, entity):
        yield events.DeadEnd(entities=(entity,), why="its facts were read already")
        entity = None
    yield events.MissingEvidence(
        branch=branch.number,
        depth=depth,
        text=wanted.text.strip() or "; ".join(lacking[:2]),
        entity=entity,
        known=known and entity is not None,
    )
    return entity


def _has_more(search: Search, entity: Entity) -> bool:
    """Whether further facts of an entity can be read: once, and where not all were."""
    if entity in search.read_on or entity not in search.tools.cut_short:
        return False
    search.read_on.append(entity)
    return True


# -- answers ---------------------------------------------------------------------------------

_SAID = {("question", True): "Yes", ("question", False): "No",
         ("claim", True): "Correct", ("claim", False): "Incorrect"}  # fmt: skip


def _conclude(
    search: Search, branch: Branch, depth: int, judged: Sequence[Judgement], truth: bool
) -> Steps[Answer]:
    """The answer, with the premises and facts that decide it; by the graph alone it is certain."""
    deciding = judging.deciding(judged, branch.axiom, truth)
    task = "claim" if search.query.task == "claim" else "question"
    facts = tuple(dict.fromkeys(s for j in deciding for s in j.because))
    guess = branch.axiom.guess
    yield events.Verdict(
        branch=branch.number,
        depth=depth,
        verdict="true" if truth else "false",
        why=" ".join(j.why for j in deciding if j.why),
        believed=guess if guess and (guess == "yes") != truth else "",
    )
    if facts:
        yield events.Chosen(statements=facts, why="the verdict rests on these")
    answer = judging.answer(
        _SAID[task, truth],
        deciding,
        [compute.boolean(truth)],
        branch.axiom.rule,
        search.params.assumptions,
    )
    named = [(mention, entity) for entity, mention in search.mentions.items()]
    certain = judging.certain(branch.axiom, deciding, judged, search.query.question, named)
    return answer.model_copy(update={"certain": certain})


def choose(
    search: Search, branch: Branch, depth: int, standing: Standing, option: Entity
) -> Steps[Answer | None]:
    """The option with what speaks for it, and what spoke against those that suit better."""
    judged = next(judged for o, judged in standing if o == option)
    deciding = [j for j in judged if j.because]
    for other, theirs in standing:
        if other == option:
            break
        deciding += [j for j in theirs if j.state == "violated" and j.because][:1]
    if not deciding:
        return None
    state = judging.truth(judged, branch.axiom)
    yield events.Verdict(
        branch=branch.number,
        depth=depth,
        verdict="true" if state else "undetermined",
        option=option.name,
        why=" ".join(j.why for j in deciding if j.why),
    )
    facts = tuple(dict.fromkeys(s for j in deciding for s in j.because))
    yield events.Chosen(statements=facts, why="the choice rests on these")
    own = option.id.startswith("urn:")  # of the query or a personal graph: its name is the answer
    value: Value = Literal(option.label, STRING) if own else option
    answer = judging.answer(
        option.name, deciding, [value], branch.axiom.rule, search.params.assumptions
    )
    alone = all(
        judging.truth(theirs, branch.axiom) is False for o, theirs in standing if o != option
    )
    certain = bool(state) and alone and judging.by_graph(branch.axiom, deciding)
    return answer.model_copy(update={"certain": certain})  # what suits better is a matter of words


METHOD = Method(
    "r3",
    "R3",
    solve,
    Params,
    "Surfaces commonsense as axioms and checks each premise on the graph, or says it "
    "does not know.",
    "Toroghi et al. 2024",
)
