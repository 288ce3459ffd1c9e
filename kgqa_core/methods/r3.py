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
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal as OneOf

from pydantic import BaseModel, Field

from kgqa_core import compute, events, skills, verbalise
from kgqa_core.completeness import stated
from kgqa_core.decide import evaluate
from kgqa_core.events import Answer, Sentence
from kgqa_core.methods import react
from kgqa_core.methods.linking import link_mentions
from kgqa_core.premises import DESCRIPTION, Facts, Judgement, Premise, State, folded, words_of
from kgqa_core.run import Steps, Toolkit
from kgqa_core.skill import Skill
from kgqa_core.terms import BOOLEAN, STRING, Entity, Literal, Statement, Value

Task = OneOf["question", "claim", "preference"]

_EXACT = 0.97  # score of a label as written, but for case
_NAMES = 24  # spans of a question the linker looks up
_WORDS = 8  # of the longest of them
_SHOWN = 60  # facts put before the model when it states an axiom
_LIMIT = 500  # statements read around an entity, in each direction
OPTION = "{option}"


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
    guess: bool = Field(
        False,
        description="where no rule decides, let the built-in reader guess from how near in meaning "
        "the question is to a fact; often wrong, always marked as not certain",
    )
    user: str = Field("user", description="what the personal graph calls the person")
    rejected: str = Field("", description="axioms that must not be used, separated by |")


# -- skills ----------------------------------------------------------------------------------


class Query(BaseModel):
    question: str
    task: Task
    options: list[str] = []


class Plainness(BaseModel):
    plain: bool = Field(description="whether facts answer it as it stands, without common sense")


PLAIN = Skill(
    "tell plain questions",
    "Say whether the question is a plain one of fact: a comparison, a kind, a membership or a "
    "relation that facts of a knowledge graph state as such. It is not if it takes a general rule "
    "that people know, as questions of what could or would be do.",
    Query,
    Plainness,
)


class ToSurface(Query):
    """`anchors`: entities the facts are about. `tried`: axioms that led nowhere.

    `guess`: a rule that only compares meanings is welcome where there is no other.
    """

    anchors: list[str]
    facts: list[Statement]
    user: str = ""
    tried: list[str] = []
    guess: bool = False


class StatedAxiom(BaseModel):
    thought: str = Field("", description="how people would go about the question")
    rule: str = Field(description="the axiom as one sentence, naming the entities it is about")
    premises: list[Premise] = Field(
        description="what has to hold, each a clause that facts of the graph can decide"
    )
    connective: OneOf["all", "any"] = "all"
    answer: bool = Field(True, description="what holds when the premises do: true for yes")
    strict: bool = Field(True, description="false for a rule of thumb, which has exceptions")
    guess: OneOf["yes", "no", ""] = Field("", description="your own belief, if you have one")


AXIOM = Skill(
    "state axiom",
    "State one general rule, known to everybody, by which the query can be decided, and do not "
    "decide it yet. Write the rule as a sentence about the entities of the query, and as premises "
    "that facts of a knowledge graph can show to hold or not: for each an entity, the relations "
    "to follow from it, an operator, and what to compare with (constants, or another entity and "
    "path). Take names of entities and relations from the facts where they occur there. Put "
    "common knowledge into the rule instead of asking the graph for it. With options, write "
    f"{OPTION} for the option in question. Differ from the rules tried already; no premises at "
    "all if you know no other rule.",
    ToSurface,
    StatedAxiom,
)
ANOTHER_AXIOM = replace(AXIOM, temperature=0.7)


class ToPick(BaseModel):
    question: str
    axiom: str
    facts: list[Statement]


class PickedFacts(BaseModel):
    indices: list[int] = Field(description="positions of the facts that bear on the rule")


PICK = Skill(
    "pick triples",
    "Pick the facts that may help to check the rule for the question; none if none do.",
    ToPick,
    PickedFacts,
)


class ToJudge(BaseModel):
    question: str
    axiom: str
    premises: list[str]
    facts: list[Statement]


class PremiseVerdict(BaseModel):
    state: State
    facts: list[int] = Field([], description="positions of the facts that decide it")
    why: str = ""


class PremiseVerdicts(BaseModel):
    verdicts: list[PremiseVerdict] = Field(description="one for each premise, in their order")


JUDGE = Skill(
    "judge premises",
    "Say of each premise whether the numbered facts satisfy or violate it, and which of them "
    "decide that. Rely on facts for whatever is particular, on common sense for what a word "
    "means. Where the facts do not decide, the premise is open: never guess.",
    ToJudge,
    PremiseVerdicts,
)


class ToName(BaseModel):
    question: str
    axiom: str
    lacking: list[str]
    facts: list[Statement]


class MissingFact(BaseModel):
    text: str = Field(description="what has to be known, naming the entity; empty: nothing helps")


MISSING = Skill(
    "name missing evidence",
    "The facts leave the rule open. Name the one thing that has to be known to decide it, and "
    "about which entity. If the entity stands in the facts, use its name there.",
    ToName,
    MissingFact,
)


class ToGoOn(BaseModel):
    missing: str
    facts: list[Statement]
    read: list[str] = Field(description="entities whose facts are here already")


class NextEntity(BaseModel):
    name: str = Field(description="name of the entity to read next; empty: there is none")


NEXT = Skill(
    "next entity",
    "Name the entity whose facts would give the missing evidence: preferably one that stands in "
    "the facts, and never one that was read already.",
    ToGoOn,
    NextEntity,
)


class ToRank(BaseModel):
    question: str
    options: list[str]
    facts: list[Statement]


class Ranking(BaseModel):
    order: list[int] = Field(description="positions of the options, the best first")


RANK = Skill(
    "rank options",
    "Order the options by how well they are what the query asks for, leaving aside what may be "
    "known of the person who asks.",
    ToRank,
    Ranking,
)


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
    search = Search(read_query(question, params), tools, params)
    if problem := _unfit(search.query):
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

_CLAIM = re.compile(r"(?:true or false|claim|is it true that)\s*[:,]?\s*", re.IGNORECASE)
_CHOICE = re.compile(r"^(?P<query>.*?)\s*Choose one of:\s*(?P<options>.*)$", re.DOTALL)
_ITEM = re.compile(r"\(\d+\)\s*")
_ASKS = re.compile(
    r"(?:is|are|was|were|do|does|did|can|could|would|will|should|has|have|had|may|might|must|who|"
    r"what|which|whose|where|when|why|how|if|at|in|on|for|given|suppose)\b",
    re.IGNORECASE,
)


def read_query(question: str, params: Params) -> Query:
    """The query with its task: `True or false: …` is a claim, `… Choose one of: (1) …` a choice."""
    choice = _CHOICE.match(question)
    if choice and params.task in {"auto", "preference"}:
        items = (item.strip(" ;.") for item in _ITEM.split(choice["options"]))
        options = [item for item in items if item]
        return Query(question=choice["query"], task="preference", options=options)
    marked = _CLAIM.match(question)
    bare = question[marked.end() :] if marked else question
    asks = bare.rstrip().endswith("?") or _ASKS.match(bare) is not None
    task: Task = "claim" if marked or not asks else "question"
    if params.task != "auto":
        task = params.task
    return Query(question=bare, task=task)


_OPEN = re.compile(
    r"(?:(?:can|could|would) you (?:please )?tell me |please |(?:in|on|at|by|for|from|of|since) )?"
    r"(?:who|whom|whose|what|which|where|when|why|how|name|list|give|show|number of)\b",
    re.IGNORECASE,
)


def _unfit(query: Query) -> str:
    if query.task == "question":
        if _OPEN.match(query.question.lstrip()):
            return (
                "R3 decides questions of yes or no, claims, and choices between options. Ask this "
                "as one of those, or choose a method that looks answers up, such as ReAct."
            )
        return ""
    if query.task != "preference":
        return ""
    if not query.options:
        return (
            "Undetermined because there are no options. Write them after the query: "
            "“… Choose one of: (1) …; (2) …”."
        )
    if len({folded(option) for option in query.options}) < len(query.options):
        return "Undetermined because two of the options are the same. Make them differ."
    return ""


def _anchor(search: Search) -> Steps[None]:
    """E_q: the entities that the linker finds in the words, and those the model names (§3.2.1)."""
    yield events.Step(title="Find the anchor entities")
    query, params, tools = search.query, search.params, search.tools
    found: dict[Entity, str] = {}
    if params.entities != "model":
        spans = _spans(query.question)
        for span, entity in (yield from _linked(spans, tools)):
            found.setdefault(entity, span)
    if params.entities != "linker":
        extracted = yield from tools.ask(skills.EXTRACT, question=query.question)
        known = {folded(mention) for mention in found.values()}
        mentions = list(dict.fromkeys(m.strip() for m in extracted.mentions if m.strip()))
        fresh = [m for m in mentions if folded(m) not in known]
        if fresh:
            linked = yield from link_mentions(query.question, fresh, tools)
            for mention, entity in linked:
                if _is_its_name(mention, entity) and not _inside(mention, found.values()):
                    found.setdefault(entity, mention)
        search.unknown = _unheard(mentions, list(found.values()))
    for entity, mention in found.items():
        search.facts.name(entity, mention)
    search.anchors = list(found)
    if query.task == "preference":
        yield from _anchor_choice(search)


def _is_its_name(mention: str, entity: Entity) -> bool:
    """A common noun is a name in full or none; Martin Luther is not Martin Luther King."""
    own, names = words_of(mention), [words_of(n) for n in (entity.label, *entity.aliases)]
    if own in names:
        return True
    longer = len(own) > 1 and any(name[: len(own)] == own for name in names)
    return not mention[:1].islower() and not longer


def _unheard(mentions: Sequence[str], found: Sequence[str]) -> list[str]:
    """Names that share no word with one that was found, the longest of nested ones."""
    known = {word for mention in found for word in folded(mention).split()}
    strange = [m for m in mentions if m[:1].isupper() and not known & set(folded(m).split())]
    return [m for m in strange if not _inside(m, (other for other in strange if other != m))]


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
        option = entity or Entity(f"urn:kg:option:{number}", text)
        search.options.append(option)
        search.facts.name(option, text)
        told = Statement(option, DESCRIPTION, Literal(text, STRING), source="the query")
        search.facts.add([told], [] if entity else [option])
        if entity is not None:
            search.anchors.append(entity)
    if not search.anchors:
        search.anchors = list(search.options)  # judged by their words alone


def _linked(spans: Sequence[str], tools: Toolkit) -> Steps[list[tuple[str, Entity]]]:
    """A dictionary linker: spans that are exactly a label or alias; the longest of nested ones."""
    if not spans:
        return []
    hits = yield from tools.link(spans, limit=3)
    anchors: list[tuple[str, Entity]] = []
    for span, found in sorted(zip(spans, hits, strict=True), key=lambda pair: -len(pair[0])):
        if found and found[0].score >= _EXACT and not _inside(span, (m for m, _ in anchors)):
            anchors.append((span, found[0].entity))
            yield events.Anchored(mention=span, entity=found[0].entity, why="its name, as written")
    return anchors


def _inside(mention: str, longer: Iterable[str]) -> bool:
    return any(f" {folded(mention)} " in f" {folded(other)} " for other in longer)


_WORD = re.compile(r"[^\s?!,;:()\"“”]+")
_SMALL = frozenset(
    "a an the of in on at to for and or de la le el al von van der den du da do di y i & bin ibn "
    "is are was were do does did can could would will should has have had if be been it not".split()
)


def _spans(question: str) -> list[str]:
    """Runs of words that begin and end with a name-like word: in capitals, or with a digit."""
    words = [re.sub(r"['’]s?$", "", w) for w in _WORD.findall(question)]
    likely = [i for i, w in enumerate(words) if (w[:1].isupper() or w[:1].isdigit()) and len(w) > 1]
    spans = {}
    for i in likely:
        for j in likely:
            run = words[i : j + 1]
            if not 0 < len(run) <= _WORDS or (len(run) == 1 and folded(run[0]) in _SMALL):
                continue
            if folded(run[0]) in _SMALL and i == 0:
                continue
            spans[" ".join(run)] = j - i
    return sorted(spans, key=lambda span: -spans[span])[:_NAMES]


def _read(facts: Facts, entities: Sequence[Entity], tools: Toolkit) -> Steps[None]:
    """K_q: what the graph says of the entities, and how it describes them."""
    found = yield from tools.expand(entities, limit=_LIMIT)
    facts.add(found, entities)
    if not any(facts.about(entity) for entity in entities):
        yield events.DeadEnd(entities=tuple(entities), why="the graph states nothing about them")


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
        facts=[*_of_person(search), *_few(search.facts.statements, search.anchors)],
        user=search.params.user if query.task == "preference" else "",
        tried=list(tried),
        guess=search.params.guess,
    )
    if not axiom.premises or not axiom.rule.strip():
        yield events.Noted(text="The model knows no further rule that would help.", level="info")
        return None
    named = [
        entity
        for entity in (*search.anchors, *search.options)
        if any(_inside(name, [axiom.rule]) for name in (entity.name, *entity.aliases))
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


def _few(statements: Sequence[Statement], entities: Sequence[Entity]) -> list[Statement]:
    """At most _SHOWN facts, the same share of each entity's."""
    if len(statements) <= _SHOWN:
        return list(statements)
    share = max(3, _SHOWN // max(1, len(entities)))
    kept: dict[Statement, None] = {}
    for entity in entities:
        own = [s for s in statements if s.subject == entity]
        own += [s for s in statements if s.object == entity]
        kept.update(dict.fromkeys(own[:share]))
    return list(kept)


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
        rest = [s for s in _few(facts, search.anchors) if s not in set(kept)]
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
        truth = _truth(judged, branch.axiom)
        if truth is None:
            return None, _lacking(judged)
        return (yield from _conclude(search, branch, depth, judged, truth)), []
    judgements = yield from _judge(search, branch, depth, list(search.options), pruned)
    standing = list(zip(search.options, judgements, strict=True))
    for option, judged in standing:
        truth = _truth(judged, branch.axiom)
        if truth:
            return (yield from _choose(branch, depth, standing, option)), []
        if truth is False:
            why = next((j.why for j in judged if j.state == "violated"), "")
            yield events.Verdict(
                branch=branch.number, depth=depth, verdict="false", option=option.name, why=why
            )
    lacking = [text for _, judged in standing for text in _lacking(judged)]
    unopposed = [o for o, judged in standing if _truth(judged, branch.axiom) is None]
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
        [evaluate(_about(p, option), branch.facts) for p in branch.axiom.premises]
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
            computed[i][n] = _read_by_model(computed[i][n], verdict, shown)
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


def _about(premise: Premise, option: Entity | None) -> Premise:
    """The premise with the option's name in the option's place."""
    if option is None:
        return premise

    def named(text: str) -> str:
        return text.replace(OPTION, option.name)

    update: dict[str, object] = {"text": named(premise.text)}
    for side in ("left", "right"):
        term = getattr(premise, side)
        if term is not None:
            update[side] = term.model_copy(update={"entity": named(term.entity)})
    return premise.model_copy(update=update)


def _read_by_model(
    judgement: Judgement, verdict: PremiseVerdict, shown: Sequence[Statement]
) -> Judgement:
    """What the model says of a premise in words: open, unless it cites a fact."""
    cited = tuple(shown[i] for i in dict.fromkeys(verdict.facts) if 0 <= i < len(shown))
    state = verdict.state if cited else "open"
    why = verdict.why or ("" if cited or verdict.state == "open" else "It cites no fact.")
    return judgement.model_copy(
        update={
            "state": state,
            "because": cited,
            "why": why,
            "by": "model",
            "lacks": (judgement.premise.text,) if state == "open" else (),
            "believed": verdict.state if state != verdict.state else None,
        }
    )


def _truth(judged: Sequence[Judgement], axiom: StatedAxiom) -> bool | None:
    """The axiom's answer if its premises hold, the opposite if not, None while that is open."""
    states = [j.state for j in judged]
    decides, otherwise = (
        ("violated", "satisfied") if axiom.connective == "all" else ("satisfied", "violated")
    )
    if decides in states:
        return axiom.answer == (decides == "satisfied")
    if all(state == otherwise for state in states):
        return axiom.answer == (otherwise == "satisfied")
    return None


def _lacking(judged: Sequence[Judgement]) -> list[str]:
    return [text for j in judged if j.state == "open" for text in j.lacks]


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
    deciding = _deciding(judged, branch.axiom, truth)
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
    answer = _answer(_SAID[task, truth], deciding, [compute.boolean(truth)], branch.axiom.rule)
    certain = branch.axiom.strict and all(map(_firm, deciding))
    return answer.model_copy(update={"certain": certain})


def _firm(judgement: Judgement) -> bool:
    return judgement.by == "graph" and not judgement.missing and not _worded(judgement)


def _worded(judgement: Judgement) -> bool:
    """Whether a premise rests on the words of descriptions alone."""
    return bool(judgement.because) and all(
        s.relation == DESCRIPTION and s.source == "description" for s in judgement.because
    )


def _deciding(judged: Sequence[Judgement], axiom: StatedAxiom, truth: bool) -> list[Judgement]:
    """One premise may be enough to break a conjunction or to fulfil a disjunction."""
    held = truth == axiom.answer
    single = {("all", False): "violated", ("any", True): "satisfied"}.get((axiom.connective, held))
    if single:
        return [next(j for j in judged if j.state == single)]
    return list(judged)


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
    state = _truth(judged, branch.axiom)
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
    value: Value = _text(option) if own else option
    answer = _answer(option.name, deciding, [value], branch.axiom.rule)
    alone = all(_truth(theirs, branch.axiom) is False for o, theirs in standing if o != option)
    certain = branch.axiom.strict and bool(state) and alone and all(map(_firm, deciding))
    return answer.model_copy(update={"certain": certain})  # what suits better is a matter of words


def _text(option: Entity) -> Literal:
    return Literal(option.label, STRING)


def _answer(verdict: str, deciding: Sequence[Judgement], values: list[Value], axiom: str) -> Answer:
    """One sentence for each deciding premise, each citing its facts; the verdict leads."""
    order: dict[Statement, int] = {}
    sentences = []
    for judgement in deciding:
        if not judgement.because:
            continue
        for s in judgement.because:
            order.setdefault(s, len(order))
        said = judgement.why or verbalise.statement(judgement.because[0])
        sentences.append((said, tuple(order[s] for s in judgement.because)))
    if not sentences:
        return Answer(reason="Undetermined because no fact of the graph decides it.")
    (first, cites), *others = sentences
    return Answer(
        sentences=(
            Sentence(text=f"{verdict}: {first}", cites=cites),
            *(Sentence(text=text, cites=own) for text, own in others),
        ),
        values=tuple(values),
        citations=tuple(order),
        reading=axiom,
    )


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
