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

What the model is asked is in `r3_skills.py`, how a query is read in `r3_query.py`, what judged
premises come to in `r3_judging.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal as OneOf

from pydantic import BaseModel, Field

from kgqa_core.ask import events, skills
from kgqa_core.ask.events import Answer
from kgqa_core.ask.method import Method
from kgqa_core.ask.run import Steps, Toolkit
from kgqa_core.facts import compute
from kgqa_core.facts.completeness import stated
from kgqa_core.facts.decide import evaluate
from kgqa_core.facts.premises import DESCRIPTION, Facts, Judgement, folded
from kgqa_core.facts.terms import BOOLEAN, STRING, Entity, Literal, Statement, Value
from kgqa_core.methods import react
from kgqa_core.methods.linking import link_mentions
from kgqa_core.methods.r3 import judging
from kgqa_core.methods.r3.query import inside, is_its_name, read_query, spans, unfit, unheard
from kgqa_core.methods.r3.skills import (
    ANOTHER_AXIOM,
    AXIOM,
    JUDGE,
    MISSING,
    NEXT,
    PICK,
    PLAIN,
    RANK,
    Query,
    StatedAxiom,
)

_EXACT = 0.97  # score of a label as written, but for case
_LIMIT = 2_000  # statements read around an entity, in each direction


class Params(BaseModel):
    task: OneOf["auto", "question", "claim", "preference"] = Field(
        "auto", description="what is put: a question, a claim, or options to choose from"
    )
    depth: int = Field(2, ge=0, le=3, description="hops a branch may go on for missing evidence")
    breadth: int = Field(3, ge=1, le=3, description="axioms tried, a branch each")
    entities: OneOf["linker", "model", "union"] = Field(
        "union", description="who finds the anchor entities (appendix A)"
    )
    pruning: OneOf["truncate", "dense", "union"] = Field(
        "union", description="facts kept for the model: the first, the nearest, or also its pick"
    )
    top_k: int = Field(20, ge=1, le=200, description="facts kept by truncation or by nearness")
    plain: bool = Field(
        True, description="settle a plain question of fact by walking the graph, without an axiom"
    )
    user: str = Field("user", description="what the personal graph calls the person")
    rejected: str = Field("", description="axioms that must not be used, separated by |")


# -- the algorithm ---------------------------------------------------------------------------
Standing = Sequence[tuple[Entity, list[Judgement]]]


@dataclass(frozen=True)
class Unopposed:
    """An option that nothing speaks against, though not everything for it, and how all stood."""

    option: Entity
    standing: Standing
    branch: Branch
    depth: int


@dataclass
class Search:
    """One query with what was read for it; branches work on copies of the facts."""

    query: Query
    tools: Toolkit
    params: Params
    anchors: list[Entity] = field(default_factory=list)
    facts: Facts = field(default_factory=Facts)
    options: list[Entity] = field(default_factory=list)  # in the order they are tried
    why_open: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)  # names of the query that the graph lacks
    unopposed: Unopposed | None = None


@dataclass(frozen=True)
class Branch:
    """An axiom, its number and the facts its search has read."""

    number: int
    axiom: StatedAxiom
    facts: Facts


def solve(question: str, tools: Toolkit, params: Params) -> Steps[Answer]:
    search = Search(read_query(question, params.task), tools, params)
    if problem := unfit(search.query):
        return Answer(reason=problem)
    yield from _anchor(search)
    if not search.anchors:
        return Answer(
            reason="Undetermined because no entity of the query was found in the graph. Name one "
            "that is there, or choose another graph."
        )
    if params.plain and search.query.task == "question":
        answer = yield from _plain(search.query, tools)
        if answer is not None:
            return answer
    yield from _read(search.facts, search.anchors, tools)
    yield from _order_options(search)
    tried = [line.strip() for line in params.rejected.split("|") if line.strip()]
    for number in range(params.breadth):
        axiom = yield from _surface(search, number, tried)
        if axiom is None:
            break
        tried.append(axiom.rule)
        answer = yield from _search_branch(search, Branch(number, axiom, search.facts.copy()))
        if answer is not None:
            return answer
    if (left := search.unopposed) is not None:
        answer = yield from _choose(left.branch, left.depth, left.standing, left.option)
        if answer is not None:
            return answer.model_copy(update={"certain": False})
    because = " ".join(dict.fromkeys(search.why_open)) or "no rule was found that would decide it."
    if search.unknown:
        names = ", ".join(f"“{name}”" for name in search.unknown)
        because = f"the graph has nothing called {names}, and {because}"
    return Answer(reason=f"Undetermined because {because}")


def _plain(query: Query, tools: Toolkit) -> Steps[Answer | None]:
    """What the facts state as such, yes or no; None: it takes more than that."""
    told = yield from tools.ask(PLAIN, question=query.question, task=query.task)
    if not told.plain:
        return None
    answer = yield from react.solve(query.question, tools, react.Params())
    truths = [v for v in answer.values if isinstance(v, Literal) and v.datatype == BOOLEAN]
    if not truths or answer.grounding != "grounded":
        return None
    denied = truths[0] == compute.boolean(False)
    cited = [s for s in answer.citations if isinstance(s, Statement)]
    listed = any(stated(s.relation) != "full" for s in cited)
    return answer if answer.certain or (denied and listed) else None


def _search_branch(search: Search, branch: Branch) -> Steps[Answer | None]:
    """Deeper and deeper until the axiom is decided; None: it stays open."""
    for depth in range(search.params.depth + 1):
        search.tools.check()
        yield events.Step(
            title=f"Branch {branch.number + 1}, depth {depth}: check the premises",
            thought=branch.axiom.rule,
        )
        pruned = yield from _prune(search, branch)
        answer, lacking = yield from _decide(search, branch, depth, pruned)
        if answer is not None:
            return answer
        if depth == search.params.depth:
            break
        more = yield from _next_evidence(search, branch, depth, lacking, pruned)
        if more is None:
            break
        yield from _read(branch.facts, [more], search.tools)
    why = f"{'; '.join(lacking[:2]) or 'the facts'} could not be found"
    yield events.Verdict(branch=branch.number, depth=depth, verdict="undetermined", why=why)
    search.why_open.append(f"{why}.")
    return None


# -- query and anchors -----------------------------------------------------------------------


def _anchor(search: Search) -> Steps[None]:
    """E_q: the entities that the linker finds in the words, and those the model names (§3.2.1)."""
    yield events.Step(title="Find the anchor entities")
    query, params, tools = search.query, search.params, search.tools
    found: dict[Entity, str] = {}
    if params.entities != "model":
        for span, entity in (yield from _linked(spans(query.question), tools)):
            found.setdefault(entity, span)
    if params.entities != "linker":
        extracted = yield from tools.ask(skills.EXTRACT, question=query.question)
        known = {folded(mention) for mention in found.values()}
        mentions = list(dict.fromkeys(m.strip() for m in extracted.mentions if m.strip()))
        fresh = [m for m in mentions if folded(m) not in known]
        if fresh:
            linked = yield from link_mentions(query.question, fresh, tools)
            for mention, entity in linked:
                if is_its_name(mention, entity) and not inside(mention, found.values()):
                    found.setdefault(entity, mention)
        search.unknown = unheard(mentions, list(found.values()))
    for entity, mention in found.items():
        search.facts.name(entity, mention)
    search.anchors = list(found)
    if query.task == "preference":
        yield from _anchor_choice(search)


def _linked(names: Sequence[str], tools: Toolkit) -> Steps[list[tuple[str, Entity]]]:
    """A dictionary linker: spans that are exactly a label or alias; the longest of nested ones."""
    if not names:
        return []
    hits = yield from tools.link(names, limit=3)
    anchors: list[tuple[str, Entity]] = []
    for span, found in sorted(zip(names, hits, strict=True), key=lambda pair: -len(pair[0])):
        if found and found[0].score >= _EXACT and not inside(span, (m for m, _ in anchors)):
            anchors.append((span, found[0].entity))
            yield events.Anchored(mention=span, entity=found[0].entity, why="its name, as written")
    return anchors


def _anchor_choice(search: Search) -> Steps[None]:
    """The person, and an entity for each option: the graph's, or one that its words describe."""
    query, tools = search.query, search.tools
    names = [search.params.user, *query.options]
    hits = yield from tools.link(names, limit=3)
    person, *options = (
        next((h.entity for h in found if folded(h.entity.label) == folded(name)), None)
        for name, found in zip(names, hits, strict=True)
    )
    if person is not None:
        yield events.Anchored(mention=search.params.user, entity=person, why="the personal graph")
        search.anchors.insert(0, person)
    for number, (text, entity) in enumerate(zip(query.options, options, strict=True), 1):
        # no name has a bare slash in its id: nothing in a graph is this option
        option = entity or Entity(f"urn:kg:option/{number}", text)
        search.options.append(option)
        search.facts.name(option, text)
        told = Statement(option, DESCRIPTION, Literal(text, STRING), source="the query")
        search.facts.add([told], [] if entity else [option])
        if entity is not None:
            search.anchors.append(entity)
    if not search.anchors:
        search.anchors = list(search.options)  # judged by their words alone


def _read(facts: Facts, entities: Sequence[Entity], tools: Toolkit) -> Steps[None]:
    """K_q: what the graph says of the entities, and how it describes them."""
    found = yield from tools.expand(entities, limit=_LIMIT)
    facts.add(found, entities)
    if not any(facts.about(entity) for entity in entities):
        yield events.DeadEnd(entities=tuple(entities), why="the graph states nothing about them")


def _order_options(search: Search) -> Steps[None]:
    """The options in the order in which they suit the query, whoever asks."""
    if not search.options:
        return
    yield events.Step(title="Order the options by the query")
    facts = [s for option in search.options for s in search.facts.about(option)]
    ranking = yield from search.tools.ask(
        RANK,
        question=search.query.question,
        options=[option.name for option in search.options],
        facts=facts,
    )
    order = [i for i in dict.fromkeys(ranking.order) if 0 <= i < len(search.options)]
    order += [i for i in range(len(search.options)) if i not in order]
    search.options = [search.options[i] for i in order]


# -- axioms ----------------------------------------------------------------------------------


def _surface(search: Search, number: int, tried: Sequence[str]) -> Steps[StatedAxiom | None]:
    """I_q: a commonsense axiom, another one for each branch (§3.2.2); None: there is no other."""
    yield events.Step(title=f"Branch {number + 1}: surface an axiom")
    query = search.query
    axiom = yield from search.tools.ask(
        ANOTHER_AXIOM if number else AXIOM,
        question=query.question,
        task=query.task,
        options=[option.name for option in search.options] or query.options,
        anchors=[entity.name for entity in search.anchors],
        facts=[*_of_person(search), *_few(search, search.facts.statements)],
        user=search.params.user if query.task == "preference" else "",
        tried=list(tried),
    )
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


def _of_person(search: Search) -> list[Statement]:
    """All facts of the person who chooses: any of them may be a restriction."""
    person = search.facts.called(search.params.user) if search.options else None
    return [s for s in search.facts.about(person) if s.subject == person] if person else []


def _few(search: Search, statements: Sequence[Statement]) -> list[Statement]:
    """In the order in which they bear on the query: a prompt holds the beginning."""
    return search.tools.relevant(search.query.question, statements)


# -- pruning and judging ---------------------------------------------------------------------


def _prune(search: Search, branch: Branch) -> Steps[list[Statement]]:
    """T_q: the facts nearest to the axiom, and those the model picks (§3.2.3, equation 4)."""
    params, tools = search.params, search.tools
    facts, k = branch.facts.statements, params.top_k
    if len(facts) <= k:
        return list(facts)
    if params.pruning == "truncate":
        return list(facts[:k])
    (nearest,) = yield from tools.nearest_triples([branch.axiom.rule], k, among=facts)
    kept = [scored.item for scored in nearest]
    if params.pruning == "union":
        rest = [s for s in _few(search, facts) if s not in set(kept)]
        picked = yield from tools.ask(
            PICK, question=search.query.question, axiom=branch.axiom.rule, facts=rest
        )
        kept += [rest[i] for i in dict.fromkeys(picked.indices) if 0 <= i < len(rest)]
    yield events.Chosen(statements=tuple(kept), why="near to the axiom")
    return kept


def _decide(
    search: Search, branch: Branch, depth: int, pruned: list[Statement]
) -> Steps[tuple[Answer | None, list[str]]]:
    """The answer, if the premises decide it (§3.2.4); else what is lacking."""
    if not search.options:
        (judged,) = yield from _judge(search, branch, depth, [None], pruned)
        truth = judging.truth(judged, branch.axiom)
        if truth is None:
            return None, judging.lacking(judged)
        return (yield from _conclude(search, branch, depth, judged, truth)), []
    judgements = yield from _judge(search, branch, depth, list(search.options), pruned)
    standing = list(zip(search.options, judgements, strict=True))
    for option, judged in standing:
        truth = judging.truth(judged, branch.axiom)
        if truth:
            return (yield from _choose(branch, depth, standing, option)), []
        if truth is False:
            why = next((j.why for j in judged if j.state == "violated"), "")
            yield events.Verdict(
                branch=branch.number, depth=depth, verdict="false", option=option.name, why=why
            )
    lacking = [text for _, judged in standing for text in judging.lacking(judged)]
    unopposed = [o for o, judged in standing if judging.truth(judged, branch.axiom) is None]
    if not unopposed:
        search.why_open.append("every option breaks the rule.")
    else:
        search.unopposed = Unopposed(unopposed[0], standing, branch, depth)
    return None, lacking


def _judge(
    search: Search,
    branch: Branch,
    depth: int,
    options: Sequence[Entity | None],
    pruned: list[Statement],
) -> Steps[list[list[Judgement]]]:
    """Every premise's state, of each option: computed, else read by the model, all at once."""
    computed = [
        [evaluate(judging.about(p, option), branch.facts) for p in branch.axiom.premises]
        for option in options
    ]
    asked = [
        (i, [n for n, j in enumerate(judged) if j.premise.left is None])
        for i, judged in enumerate(computed)
        if any(j.premise.left is None for j in judged)
        and not (branch.axiom.connective == "all" and any(j.state == "violated" for j in judged))
    ]
    given = []
    for i, open_ones in asked:
        option = options[i]
        own = branch.facts.about(option) if option else []
        given.append(
            {
                "question": search.query.question,
                "axiom": branch.axiom.rule,
                "premises": [computed[i][n].premise.text for n in open_ones],
                "facts": list(dict.fromkeys((*own, *([] if option else pruned)))),
            }
        )
    replies = (yield from search.tools.ask_all(JUDGE, given)) if given else []
    for (i, open_ones), reply, inputs in zip(asked, replies, given, strict=True):
        shown = inputs["facts"]
        assert isinstance(shown, list)
        for n, verdict in zip(open_ones, reply.verdicts, strict=False):
            computed[i][n] = judging.read_by_model(computed[i][n], verdict, shown)
    for option, judged in zip(options, computed, strict=True):
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
    return computed


# -- missing evidence ------------------------------------------------------------------------


def _next_evidence(
    search: Search, branch: Branch, depth: int, lacking: list[str], pruned: list[Statement]
) -> Steps[Entity | None]:
    """What is missing, and the entity to read next: one of the facts, or a new one (§3.2.5)."""
    tools, facts = search.tools, branch.facts
    wanted = yield from tools.ask(
        MISSING,
        question=search.query.question,
        axiom=branch.axiom.rule,
        lacking=list(dict.fromkeys(lacking)),
        facts=pruned,
    )
    entity, known = None, False
    if wanted.text.strip():
        read = [e.name for e in facts.read]
        reply = yield from tools.ask(NEXT, missing=wanted.text, facts=pruned, read=read)
        name = reply.name.strip()
        entity = facts.called(name) if name else None
        known = entity is not None
        if name and entity is None:
            linked = yield from link_mentions(search.query.question, [name], tools)
            entity = linked[0][1] if linked else None
    if entity is not None and entity in facts.read:
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
        _SAID[task, truth], deciding, [compute.boolean(truth)], branch.axiom.rule
    )
    certain = branch.axiom.strict and all(map(judging.firm, deciding))
    return answer.model_copy(update={"certain": certain})


def _choose(branch: Branch, depth: int, standing: Standing, option: Entity) -> Steps[Answer | None]:
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
    answer = judging.answer(option.name, deciding, [value], branch.axiom.rule)
    alone = all(
        judging.truth(theirs, branch.axiom) is False for o, theirs in standing if o != option
    )
    certain = branch.axiom.strict and bool(state) and alone and all(map(judging.firm, deciding))
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
