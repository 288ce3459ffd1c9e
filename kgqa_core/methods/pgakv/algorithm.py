"""PG&AKV: draft a pseudo-graph, correct it by the facts nearest to it, answer from the result.

Liu et al., Enhancing Large Language Models with Pseudo- and Multisource-Knowledge Graphs for
Open-ended Question Answering (arXiv:2402.09911). Pseudo-graph generation §III-A: the model plans
which knowledge it needs and writes it as a Cypher script. Atomic knowledge verification §III-B:
every pseudo-triple is looked up by meaning, two-step pruning leaves the gold graph, and the
model corrects the pseudo-graph by it. Answer generation §III-C. No code was published.
What the model is asked is in `skills.py`, what makes two triples alike in `claims.py`.

Departures, each for a reason:
- The model judges its triples by the positions of gold triples instead of writing the fixed
  graph as text, so the fixed graph holds nothing that the graph does not. A triple that it keeps
  against the gold graph is replaced or dropped, as its instructions say.
- Without a gold triple the paper's model answers from memory. Here that has to be allowed
  (`ungrounded`), and the answer is marked.
- Nothing was said on scripts that do not execute: they are mended, and asked for once more.
Extension: a script may leave ends open (nodes without a name). A triple with two open ends waits
until verification has filled one (`rounds`); an open subject stands for as many as are found.
What an open end holds in the graph is not compared: the cosine is that of the claim with what
the graph's triple says in the places that the claim fills. A triple without open ends is
compared whole, as in the paper.
Departure: a confidence of 0.7 belongs to the paper's encoder. Here it is a share of the best
triple's cosine, twice the drafted subjects are kept, and a triple may stay for its object, if
a claim names that; a subject that is called as drafted is not cut for having few triples. What is
stated of a claim's subject and relation is compared however far it is in meaning (`stated`). The
whole graph and the facts around the drafted names are searched together.
Departure: claims that a gold triple says word for word are kept without asking the model, and an
open end is filled without it where the graph has one value of that very relation; where it has
several, all of them are compared (`stated`). A list of which the draft names several is read to its
end, and what is claimed beyond it is dropped. Where claims are left to be judged, the model says
whether the rest belongs to it; where none is, the rest is added without a call, if the prompt for
the answer has room for it: that call says what of it answers. Before an abstention a model reads
what was found beside the corrected draft (`beside`), once.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import zip_longest
from typing import TYPE_CHECKING
from typing import Literal as OneOf

from pydantic import BaseModel, Field

from kgqa_core.ask import bounds, events, shown
from kgqa_core.ask.events import Answer, Outcome, Weight
from kgqa_core.ask.method import Method
from kgqa_core.ask.run import Steps, Toolkit
from kgqa_core.ask.shown import IN_DEPTH
from kgqa_core.ask.skills import Question
from kgqa_core.facts import relations, timeline
from kgqa_core.facts.terms import (
    PSEUDO,
    Direction,
    Entity,
    Relation,
    Statement,
    Value,
    is_open,
)
from kgqa_core.methods.answering import IN_PART, compose, read_on, ungrounded
from kgqa_core.methods.io import RECALL
from kgqa_core.methods.naming import names_in
from kgqa_core.methods.pgakv import cypher
from kgqa_core.methods.pgakv.claims import (
    agrees,
    alike,
    closed_by,
    ends,
    filled_by,
    has_relation,
    less_precise,
    nameless,
    opened_like,
    said_by,
    stated,
    words,
)
from kgqa_core.methods.pgakv.cypher import CypherError, PseudoGraph
from kgqa_core.methods.pgakv.cypher.interpret import Graph, interpret
from kgqa_core.methods.pgakv.skills import ANSWER, DRAFT, DRAFT_TRIPLES, VERIFY, Verified
from kgqa_core.settings import Settings
from kgqa_core.text import counted, fold

if TYPE_CHECKING:
    from kgqa_core.methods.pgakv.cypher.bolt import Scratch
    from kgqa_core.search.index import Scored

_NEAR_NAME = 0.9  # of the best hit's score: what a name of the pseudo-graph may also mean
_KIND = 0.2  # cosine that a thing's kind may fall behind the best one of its name
_FLOOR = 0.3  # cosine below which nothing is said of the same thing
_SURE = 0.85  # share of the best cosine from which a triple stays for its object
_APPENDED = 0.8  # share of the gold graph that was added when nothing was corrected


class Params(BaseModel):
    draft: OneOf["cypher", "triples"] = Field(
        "cypher", description="how the pseudo-graph is written; triples: the paper's ablation"
    )
    nearest: int = Field(10, ge=1, le=100, description="graph triples for each pseudo-triple")
    subjects: int = Field(
        0, ge=0, le=200, description="subjects kept by their count; 0: by what it drafted"
    )
    for_each: int = Field(
        2, ge=1, le=10, description="subjects kept for each that it drafted (paper: 1)"
    )
    confidence: float = Field(
        0.7, ge=0, le=1, description="least mean cosine of a subject (see relative)"
    )
    relative: bool = Field(
        True,
        description="confidence is a share of the best triple, and what is called as drafted is "
        "not cut for few triples; no: a cosine (paper)",
    )
    search: OneOf["both", "graph", "linked"] = Field(
        "both",
        description="search the whole graph, the facts around the names it drafted, or both",
    )
    offered: bool = Field(
        True, description="tell the draft which relations the graph has near the question"
    )
    stated: bool = Field(
        True,
        description="compare with all that is stated of a claim's subject and relation, however "
        "far in meaning (paper: the nearest alone)",
    )
    whole: bool = Field(
        False, description="complete the gold graph: all values of the relations found"
    )
    rounds: int = Field(3, ge=1, le=6, description="rounds, for triples with two open ends")
    reference: OneOf["fixed", "pseudo"] = Field(
        "fixed", description="answer from the fixed graph; pseudo: unverified, the ablation"
    )
    beside: bool = Field(
        True,
        description="before it abstains, read what was found beside the corrected draft",
    )
    ungrounded: bool = Field(False, description="without gold triples, let the model answer alone")
    answer_linking: bool = Field(True, description="link answers given as text (KGIR §3.7)")


def solve(question: str, tools: Toolkit, params: Params) -> Steps[Answer]:
    pseudo = yield from _draft(question, tools, params)
    if pseudo is None:
        return (
            yield from _without_graph(question, "No pseudo-graph could be read.", tools, params)
        )
    if params.reference == "pseudo":
        return (yield from _from_pseudo(question, pseudo, tools))
    claims, fixed, gold = list(pseudo.statements), Fixes(), dict[Statement, None]()
    read: dict[Statement, None] = {}
    for number in range(params.rounds):
        ready = [c for c in claims if not (is_open(c.subject) and is_open(c.object))]
        if not ready:
            break
        found = yield from _query(question, ready, number, tools, params)
        kept = yield from _prune(ready, found, tools, params)
        if kept:
            lists = yield from _lists(ready, kept, found, fixed, tools)
            kept = list(dict.fromkeys([*(s for one in lists for s in one.rest), *kept]))
            gold.update(dict.fromkeys(kept))
            yield from _verify(question, ready, kept, found, lists, fixed, tools)
            fixed.cut = fixed.cut or _is_cut(ready, kept, fixed, found, params)
        else:
            for claim in ready:
                yield fixed.drop(claim, "no triple of the graph comes near enough")
        read.update(dict.fromkeys((*found.read, *found.best)))
        claims = _filled([c for c in claims if c not in ready], fixed.filled)
    for claim in claims:
        yield fixed.drop(claim, "neither end could be filled in")
    if not gold:
        why = f"No triple of “{tools.graph}” comes near enough to the pseudo-graph"
        why += f" (a cosine of {_FLOOR:g} or more)."
        return (yield from _without_graph(question, why, tools, params))
    yield events.Fixed(statements=fixed.statements, appended=fixed.appended(len(gold)))
    if fixed.appended(len(gold)):
        yield events.Noted(
            text="The model appended the gold graph instead of correcting its own: it kept what "
            "the graph contradicts or does not know. Those triples were taken out.",
            level="warning",
        )
    answer = Answer(reason="None of the facts near the pseudo-graph answers.")
    if fixed.statements:
        answer = yield from _answer(question, fixed, tools, params)
    left = [s for s in read if s not in fixed.facts]
    if params.beside and left and not answer.sentences and not tools.reads_all:
        answer = yield from _from_beside(question, left, answer.reason, tools, params)
    if fixed.cut and answer.sentences:
        yield events.Noted(
            text="The triples that were compared, or that pruning left, may not be all that fill "
            "an open end: compare with more, or have the gold graph completed."
        )
        answer = answer.model_copy(update={"certain": False})
    if part := _part(answer, read) or (yield from _counts_part(answer, tools)):
        of_all = f", {part} in the graph, which may not have all of them"
        reading = f"{answer.reading.removesuffix(IN_PART)}{of_all}".removeprefix(", ")
        answer = answer.model_copy(update={"certain": False, "reading": reading})
    return answer


def _part(answer: Answer, read: Collection[Statement]) -> str:
    """Where the graph has further values of today for what an answer lists: how many it has, of
    how many; else empty.

    What it lists are values at one end of the facts it cites; the other end and the relation are
    what they have in common.
    """
    values = set(answer.values)
    lists: dict[tuple[Relation, Direction, Value], list[Statement]] = {}
    for s in answer.citations:
        if isinstance(s, Statement) and s.object in values and s.subject not in values:
            lists[s.relation, "out", s.subject] = []
        elif isinstance(s, Statement) and s.subject in values and s.object not in values:
            lists[s.relation, "in", s.object] = []
    for s in read:
        for key in ((s.relation, "out", s.subject), (s.relation, "in", s.object)):
            if key in lists:
                lists[key].append(s)
    for (_, direction, _), own in lists.items():
        every = {s.object if direction == "out" else s.subject for s in timeline.current(own)}
        if not every <= values:
            return _of(len(every & values), len(every))
    return ""


def _counts_part(answer: Answer, tools: Toolkit) -> Steps[str]:
    """The same, where the answer is the number of facts of a list that the graph has more of."""
    facts = [s for s in answer.citations if isinstance(s, Statement)]
    if len(facts) < 2 or [value.name for value in answer.values] != [str(len(facts))]:
        return ""
    first, ways = facts[0], (("out", "subject"), ("in", "object"))
    for direction, end in ways:
        shared: set[tuple[Relation, Value]] = {(s.relation, getattr(s, end)) for s in facts}
        if len(shared) == 1 and isinstance(one := getattr(first, end), Entity):
            every = yield from tools.expand(
                [one],
                relation=first.relation,
                direction="out" if direction == "out" else "in",
                limit=bounds.IN_LIST + 1,
            )
            today = len(timeline.current(every))
            return _of(len(facts), today) if today > len(facts) else ""
    return ""


def _of(some: int, every: int) -> str:
    many = f"more than {bounds.IN_LIST}" if every > bounds.IN_LIST else f"the {every:,}"
    return f"{some:,} of {many}"


def _draft(question: str, tools: Toolkit, params: Params) -> Steps[PseudoGraph | None]:
    """§III-A; a script of which nothing can be read is asked for once more."""
    yield events.Step(title="Draft the facts that an answer needs")
    problem = ""
    near = (yield from _near_relations(question, tools)) if params.offered else []
    relations, beyond = near[: bounds.OFFERED], max(0, len(near) - bounds.OFFERED)
    if beyond:
        left = counted(beyond, "more relation")
        yield events.Noted(text=f"{left} of what is named, further from the question: not offered.")
    for _ in range(2):
        if params.draft == "cypher":
            script_draft = yield from tools.ask(
                DRAFT, question=question, relations=relations, beyond=beyond, problem=problem
            )
            plan, note, script = script_draft.plan, script_draft.note, script_draft.script
        else:
            triple_draft = yield from tools.ask(
                DRAFT_TRIPLES,
                question=question,
                relations=relations,
                beyond=beyond,
                problem=problem,
            )
            plan, note = triple_draft.plan, triple_draft.note
            script = "\n".join(triple_draft.triples)
        try:
            if params.draft == "cypher":
                read = yield from _carried_out(interpret(script), tools)
                pseudo = cypher.from_graph(read)
            else:
                pseudo = cypher.from_lines(script.splitlines())
        except CypherError as error:
            problem = str(error)
            yield events.Noted(text=problem, level="warning")
            continue
        yield events.Proposed(
            statements=pseudo.statements,
            script=script,
            plan=plan,
            mended=tuple(map(str, pseudo.mended)),
            lost=tuple(map(str, pseudo.lost)),
        )
        if pseudo.lost:
            parts = f"{len(pseudo.lost)} of {pseudo.parts} parts of the script"
            yield events.Noted(text=f"{parts} could not be used.", level="warning")
        if note:
            yield events.Noted(text=note)
        return pseudo
    return None


def _near_relations(question: str, tools: Toolkit) -> Steps[list[str]]:
    """How the graph calls what may be asked for: relations of what the question names, the
    nearest to it first, of each name in turn."""
    exact, near = yield from names_in(question, tools)
    entities = [hits[0].entity for hits in (near | exact).values()]
    if not entities:
        return []
    each = tools.relations_of(list(dict.fromkeys(entities)), about=question)
    turns = [use for row in zip_longest(*each) for use in row if use]
    yield events.Surveyed(
        entities=tuple(dict.fromkeys(entities)), relations=tuple(dict.fromkeys(turns))
    )
    return list(dict.fromkeys(use.relation.name for use in turns))


@dataclass
class Nearest:
    """The statements found for each claim with their cosines, and the best one of each.

    `stated`: what says the claim, or has its subject and relation, wherever it stands in meaning;
    `read`: all that was looked at around what is linked; `whole`: claims of which `stated` has all.
    """

    by_claim: dict[Statement, dict[Statement, float]] = field(default_factory=dict)
    stated: dict[Statement, list[Statement]] = field(default_factory=dict)
    read: Sequence[Statement] = ()
    whole: Collection[Statement] = ()

    @cached_property
    def named(self) -> frozenset[str]:
        """What the things are called that were read, by their own names, folded."""
        ends = (end for s in (*self.read, *self.best) for end in (s.subject, s.object))
        return frozenset(fold(end.name) for end in ends if isinstance(end, Entity))

    @property
    def best(self) -> dict[Statement, float]:
        best: dict[Statement, float] = {}
        for scored in self.by_claim.values():
            for statement, score in scored.items():
                best[statement] = max(score, best.get(statement, -1.0))
        return best


def _query(
    question: str, claims: Sequence[Statement], number: int, tools: Toolkit, params: Params
) -> Steps[Nearest]:
    """Semantic query (§III-B a): the triples nearest to each pseudo-triple, all at once."""
    again = " that were open before" if number else ""
    drafted = counted(len(claims), "drafted fact")
    yield events.Step(title=f"Find the facts nearest to {drafted}{again}")
    texts = [words(c) for c in claims]
    whole = params.search != "linked"
    reach = (yield from tools.reach("triples", about=question)) if whole else "none"
    found: list[list[Scored[Statement]]] = [[] for _ in claims]
    also: dict[Statement, list[Statement]] = {}
    around: list[Statement] = []
    complete = set[Statement]()
    if reach != "none":
        found = yield from tools.nearest_triples(texts, params.nearest)
    if reach != "all" or params.search != "graph":
        around = yield from _around(question, claims, tools)
        also = stated(claims, around, params.nearest) if params.stated else {}
        complete = yield from _read_whole(also, tools)
        known = {scored.item for one in found for scored in one}
        fresh = [fact for fact in around if fact not in known]
        if fresh:
            near = yield from tools.nearest_triples(texts, params.nearest, among=fresh)
            found = [
                sorted((*one, *other), key=lambda scored: -scored.score)[: params.nearest]
                for one, other in zip(found, near, strict=True)
            ]
    by_claim = {
        claim: {s.item: s.score for s in scored}
        for claim, scored in zip(claims, found, strict=True)
    }
    return Nearest(_without_what_is_open(by_claim, tools), also, around, complete)


def _read_whole(found: dict[Statement, list[Statement]], tools: Toolkit) -> Steps[set[Statement]]:
    """The claims that leave their value open, and of which all values are among what was found.

    Of a thing of which more is stated than was read, the list is read by itself.
    """
    whole = set()
    for claim, facts in found.items():
        if not is_open(claim.object) or not facts:
            continue
        cut = [s for s in dict.fromkeys(f.subject for f in facts) if s in tools.cut_short]
        if cut:
            more = yield from tools.expand(
                cut, relation=facts[0].relation, direction="out", limit=bounds.IN_LIST + 1
            )
            found[claim] = facts = list(dict.fromkeys((*facts, *more)))
        if len(facts) <= bounds.IN_LIST:
            whole.add(claim)
    return whole


def _without_what_is_open(
    by_claim: dict[Statement, dict[Statement, float]], tools: Toolkit
) -> dict[Statement, dict[Statement, float]]:
    """The same triples; those of a claim with an open end by the cosine of what it states."""
    pairs = [(c, fact) for c, scored in by_claim.items() if _open_ends(c) for fact in scored]
    texts = [(words(c), words(opened_like(c, fact))) for c, fact in pairs]
    cosines = tools.cosines(texts)
    anew: dict[Statement, dict[Statement, float]] = {c: {} for c, _ in pairs}
    nearest = sorted(zip(pairs, cosines, strict=True), key=lambda one: -one[1])
    for (claim, fact), cosine in nearest:
        anew[claim][fact] = cosine
    return {**by_claim, **anew}


def _open_ends(claim: Statement) -> bool:
    return is_open(claim.subject) or is_open(claim.object)


def _around(question: str, claims: Sequence[Statement], tools: Toolkit) -> Steps[list[Statement]]:
    """The facts of every entity that a name of the pseudo-graph may mean.

    The paper searches a subset of the graph for each question; this one needs no gold entities.
    """
    known = [e for c in claims for e in (c.subject, c.object) if isinstance(e, Entity)]
    drafted = {e.name: e for e in known if e.id.startswith(PSEUDO) and not is_open(e)}
    meant = [e for e in known if not e.id.startswith(PSEUDO)]
    found = yield from tools.link(list(drafted))
    for thing, hits in zip(drafted.values(), found, strict=True):
        near = [h.entity for h in hits[: bounds.MEANT] if h.score >= _NEAR_NAME * hits[0].score]
        meant += _of_its_kind(thing, near, tools)
    entities = list(dict.fromkeys(meant))
    return (yield from tools.expand(entities, limit=IN_DEPTH, about=question)) if entities else []


def _of_its_kind(thing: Entity, found: Sequence[Entity], tools: Toolkit) -> list[Entity]:
    """Of entities with one name those whose description is nearest to the kind that was drafted."""
    if len(found) < 2 or not thing.description:
        return list(found)
    asked = tools.encode([thing.description], query=True)[0]
    cosines = [float(v @ asked) for v in tools.encode([e.description or e.name for e in found])]
    return [e for e, c in zip(found, cosines, strict=True) if c >= max(cosines) - _KIND]


def _prune(
    claims: Sequence[Statement], found: Nearest, tools: Toolkit, params: Params
) -> Steps[list[Statement]]:
    """Two-step pruning (§III-B a); returns the gold graph in the order of the prompt."""
    scores = found.best
    if not scores:
        yield events.Weighed(weights=(), statements=(), most=0, least=_FLOOR)
        return []
    subjects = {c.subject for c in claims}
    drafted = sum(params.nearest if is_open(s) else 1 for s in subjects)
    most = params.subjects or params.for_each * drafted
    best = max(scores.values()) if params.relative else 1.0
    least = round(max(_FLOOR, params.confidence * best), 4)
    ours = params.relative and not params.subjects
    weights = weigh(scores, most, least, [c.subject for c in claims] if ours else ())
    yield events.Step(title="Keep the facts that bear on the draft")
    for step, why in (
        (1, f"step 1: not among the {most} subjects with the most triples"),
        (2, f"step 2: confidence below {least:.2f}"),
    ):
        cut = {w.entity for w in weights if w.cut == step}
        if cut:
            left = tuple(s for s in scores if s.subject in cut)
            yield events.Pruned(
                statements=left, entities=tuple(cut_in_order(weights, step)), why=why
            )
    kept = [w for w in weights if not w.cut]
    stays = {w.entity for w in kept}
    gold = [s for s in scores if s.subject in stays]
    named = [e for c in claims for e in (c.subject, c.object) if isinstance(e, Entity)]
    sure = _SURE * max(scores.values())  # what a claim names may be the object as well
    turned = [
        s
        for s, score in scores.items()
        if s.subject not in stays and score >= sure and any(alike(s.object, e) for e in named)
    ]
    near = [
        said_by(c, [*found.by_claim.get(c, ()), *found.stated.get(c, ())], found.named)
        for c in claims
    ]
    said = [s for s in near if s is not None and s.subject not in stays]
    bearers: dict[str, set[Entity]] = defaultdict(set)
    for s in (*found.read, *scores):
        bearers[fold(s.subject.name)].add(s.subject)
    also = [  # of things of one name those that stay; what alone is called so is what is meant
        s
        for facts in found.stated.values()
        for s in facts
        if s.subject in stays or len(bearers[fold(s.subject.name)]) == 1
    ]
    gold = list(dict.fromkeys((*gold, *turned, *said, *also)))
    if params.whole and gold:
        asked = {(s.subject, s.relation) for s in gold}
        more = yield from tools.expand([w.entity for w in kept], direction="out")
        gold += [s for s in more if (s.subject, s.relation) in asked and s not in scores]
    ordered = in_prompt_order(gold, kept)
    yield events.Weighed(weights=tuple(weights), statements=tuple(ordered), most=most, least=least)
    if ordered:
        yield events.Chosen(statements=tuple(ordered), why="the gold graph")
    return ordered


@dataclass(frozen=True)
class Listing:
    """What one end and one relation have in common, of which the draft names a part."""

    relation: Relation
    direction: Direction
    end: Entity
    named: int
    rest: tuple[Statement, ...]

    @property
    def line(self) -> str:
        arrow = "→" if self.direction == "out" else "←"
        every = self.named + len(self.rest)
        return f"{self.end.name} {arrow} {self.relation.name}: {self.named} of {every}"

    def lacks(self, claim: Statement) -> bool:
        """Whether a claim that it does not have is one that it would have to have.

        Not where something in it has no name: that may be what is claimed.
        """
        ends = (claim.subject, claim.object)
        here, there = ends if self.direction == "out" else reversed(ends)
        far = (s.object if self.direction == "out" else s.subject for s in self.rest)
        whole = all(not isinstance(end, Entity) or end.label for end in far)
        same = alike(here, self.end) and not is_open(there)
        return whole and same and has_relation(claim, self.relation)


def _lists(
    claims: Sequence[Statement],
    gold: Sequence[Statement],
    nearest: Nearest,
    fixed: Fixes,
    tools: Toolkit,
) -> Steps[list[Listing]]:
    """Every list of which the graph says two claims or more, with what else is stated of it.

    What something is an instance of is no list, and a list too long to be read leaves the answer
    uncertain.
    """
    said = [fact for c in claims if (fact := said_by(c, gold, nearest.named)) is not None]
    ends: dict[tuple[Relation, Direction, Value], dict[Statement, None]] = {}
    for fact in said:
        if not relations.belongs(fact.relation, "class"):
            ends.setdefault((fact.relation, "in", fact.object), {})[fact] = None
            ends.setdefault((fact.relation, "out", fact.subject), {})[fact] = None
    found = []
    for (relation, direction, end), named in ends.items():
        if len(named) < 2 or not isinstance(end, Entity):
            continue
        read = yield from tools.expand(
            [end], relation=relation, direction=direction, limit=bounds.IN_LIST + 1
        )
        if len(read) > bounds.IN_LIST:
            fixed.cut = True
            continue
        rest = tuple(s for s in read if s not in named)
        found.append(Listing(relation, direction, end, len(named), rest))
    return found


def weigh(
    scores: dict[Statement, float], most: int, least: float, named: Sequence[Entity] = ()
) -> list[Weight]:
    """Every subject, ranked by the number of triples it appears in, and which step cuts it.

    Step 1 keeps the first `most` and those that are `named`, of however little is stated; step 2
    those of them whose mean cosine is at least `least`.
    """
    appears: Counter[Value] = Counter()
    cosines: defaultdict[Entity, list[float]] = defaultdict(list)
    for statement, score in scores.items():
        appears.update({statement.subject, statement.object})
        cosines[statement.subject].append(score)
    mean = {s: sum(values) / len(values) for s, values in cosines.items()}
    ranked = sorted(mean, key=lambda s: (-appears[s], -mean[s]))

    def cut(place: int, subject: Entity) -> int:
        if place >= most and not any(alike(subject, name) for name in named):
            return 1
        return 2 if mean[subject] < least else 0

    return [
        Weight(
            entity=subject,
            triples=appears[subject],
            confidence=round(mean[subject], 4),
            cut=cut(place, subject),
        )
        for place, subject in enumerate(ranked)
    ]


def cut_in_order(weights: Iterable[Weight], step: int) -> list[Entity]:
    return [w.entity for w in weights if w.cut == step]


def in_prompt_order(gold: Sequence[Statement], kept: Sequence[Weight]) -> list[Statement]:
    """The surest subject last, next to the pseudo-graph; values of a relation by time, so that
    the latest is the last (§III-B b). What is undated comes before what is dated."""
    surest: dict[Value, float] = {w.entity: w.confidence for w in kept}
    first = {key: n for n, key in reversed(list(enumerate((s.subject, s.relation) for s in gold)))}

    def key(s: Statement) -> tuple[object, ...]:
        undated, day = timeline.chronological(s)
        sure = surest.get(s.subject, surest.get(s.object, 0.0))
        return (sure, s.subject.id, first[s.subject, s.relation], not undated, day)

    return sorted(gold, key=key)


@dataclass
class Fixes:
    """What became of every claim; the fixed graph as it grows."""

    facts: dict[Statement, None] = field(default_factory=dict)
    filled: dict[Entity, dict[Entity, None]] = field(default_factory=dict)
    anchors: set[Entity] = field(default_factory=set)
    told: set[Statement] = field(default_factory=set)  # facts with a correction of their own
    added: int = 0
    corrected: int = 0
    against: int = 0  # claims the model kept against the gold graph
    drafted: dict[Entity, str] = field(default_factory=dict)  # by its id alone: the claim's name
    likely: set[Statement] = field(default_factory=set)  # kept, but nothing says that it is so
    cut: bool = False  # a list may be longer than the triples that were compared

    @property
    def statements(self) -> tuple[Statement, ...]:
        return tuple(self.facts)

    def appended(self, gold: int) -> bool:
        """The main failure the paper reports: see `events.Fixed`."""
        rest = gold - (len(self.facts) - self.added)
        some = self.added >= max(2, _APPENDED * rest)
        return bool(self.against) and not self.corrected and some

    def drop(self, claim: Statement, why: str) -> events.Corrected:
        return events.Corrected(claimed=claim, found=None, outcome="dropped", why=why)

    def settle(
        self, claim: Statement | None, found: Sequence[Statement], scores: dict[Statement, float],
        outcome: Outcome, why: str = "",
    ) -> events.Corrected:  # fmt: skip
        first = found[0]
        self.told.add(first)
        if claim is not None and (named := nameless(claim, found)):
            self.drafted.setdefault(*named)
            why = "; ".join(filter(None, (why, f"the graph has the id alone of {named[1]}")))
        self.facts.update(dict.fromkeys(found))
        for mine, theirs in ends(claim, found):
            if is_open(mine) and isinstance(mine, Entity) and isinstance(theirs, Entity):
                self.filled.setdefault(mine, {})[theirs] = None
        score = scores.get(first)
        return events.Corrected(
            claimed=claim,
            found=first,
            because=tuple(found),
            similarity=None if score is None else round(score, 4),
            outcome=outcome,
            why=why,
        )


def _verify(
    question: str,
    claims: Sequence[Statement],
    gold: Sequence[Statement],
    found: Nearest,
    lists: Sequence[Listing],
    fixed: Fixes,
    tools: Toolkit,
) -> Steps[None]:
    """Pseudo-graph verification (§III-B b): the model judges, and its judgement is checked."""
    drafted = counted(len(claims), "drafted fact")
    yield events.Step(title=f"Check {drafted} by {counted(len(gold), 'fact')} of the graph")
    settled = {c: fact for c in claims if (fact := said_by(c, gold, found.named)) is not None}
    filled = {c: fact for c in claims if (fact := filled_by(c, gold)) is not None}
    settled = {**_said_of_filled(claims, filled, gold), **settled}
    asked = [c for c in claims if c not in settled and c not in filled]
    far = {c for c in asked if not _has_near(c, gold, found)}
    beyond = {c for c in asked if any(one.lacks(c) for one in lists)}
    asked = [c for c in asked if c not in far and c not in beyond]
    lists = [one for one in lists if one.rest]
    known = [c for c in claims if c in settled or c in filled]
    moot = bool(asked) and all(_is_other_word(c, known, gold, found) for c in asked)
    if moot:
        asked = []
    reply, every = Verified(verdicts=[]), gold
    sure = {*settled.values(), *filled.values()}
    rest = list(dict.fromkeys(s for one in lists for s in one.rest))
    every_one = not asked and shown.fitting([*sure, *rest]) == len(sure) + len(rest)
    if asked or (lists and not every_one):
        gold = yield from _in_view(asked, every, lists, found, sure, tools)
        things = _described(asked, gold)
        parts = [one.line for one in lists]
        reply = yield from tools.ask(
            VERIFY,
            question=question,
            gold=list(gold),
            claims=asked,
            kept=[at for at, fact in enumerate(gold) if fact in sure],
            things=things,
            lists=parts,
        )
        wanted = {*rest, *_listed(asked, every, found)}
        fixed.cut |= not wanted <= {*gold}
    at = {c: n for n, c in enumerate(asked)}
    judged = {v.claim: v for v in reversed(reply.verdicts)}
    later = []
    for claim in claims:
        scores = found.by_claim.get(claim, {})
        if claim in settled:
            yield from _anchor(claim, settled[claim], fixed)
            whole = not _open_ends(claim)
            why = f"the graph says {'the same' if whole else 'it of what fills it'}, word for word"
            yield fixed.settle(claim, [settled[claim]], scores, "kept", why)
            continue
        if claim in filled:
            yield from _anchor(claim, filled[claim], fixed)
            why = "the graph has one value for what it leaves open"
            yield fixed.settle(claim, [filled[claim]], scores, "replaced", why)
            continue
        if claim in far:
            yield fixed.drop(claim, "no gold triple is near it, or of what it names")
            continue
        if claim in beyond:
            yield fixed.drop(claim, "the whole list was read, and it is not in it")
            continue
        if moot:
            yield fixed.drop(claim, "the graph has no such relation; what it asks for is filled")
            continue
        verdict = judged.get(at[claim])
        cited = [
            gold[i] for i in dict.fromkeys(verdict.facts if verdict else ()) if 0 <= i < len(gold)
        ]
        if verdict is None or verdict.verdict == "drop":
            fixed.corrected += verdict is not None
            yield fixed.drop(claim, "the model did not judge it" if verdict is None else "")
            continue
        same = [fact for fact in cited if agrees(claim, fact) or less_precise(claim, fact)]
        keeps = verdict.verdict in ("keep", "probably")
        if keeps and not same and not nameless(claim, cited):
            same = [fact for fact in every if agrees(claim, fact)]
            fixed.against += not same
        if same and keeps:
            yield from _anchor(claim, same[0], fixed)
            why = "" if agrees(claim, same[0]) else "the graph says it more precisely"
            yield fixed.settle(claim, same[:1], scores, "kept", why)
            one = (same[0].subject, same[0].relation)
            later += [(f, scores) for f in cited if f != same[0] and (f.subject, f.relation) == one]
            continue
        if cited and _is_elsewhere(claim, cited, every):
            fixed.corrected += verdict.verdict == "replace"
            yield fixed.drop(claim, "the gold triples that were named are about other things")
            continue
        if not cited:
            why = "the model kept it, but no gold triple says so" if keeps else ""
            fixed.corrected += verdict.verdict == "replace"
            yield fixed.drop(claim, why)
            continue
        if verdict.verdict == "probably" and nameless(claim, cited):
            yield from _anchor(claim, cited[0], fixed)
            fixed.likely.add(cited[0])
            yield fixed.settle(claim, cited[:1], scores, "kept", "probably so")
            continue
        fixed.corrected += verdict.verdict == "replace"
        why = "the model kept it, but the gold triple says otherwise"
        yield from _anchor(claim, cited[0], fixed)
        outcome: Outcome = "kept" if agrees(claim, cited[0]) else "replaced"
        yield fixed.settle(claim, cited, scores, outcome, why if keeps else "")
        later += [(fact, scores) for fact in cited[1:]]
    for fact, scores in later:
        if fact in fixed.told:
            continue
        yield fixed.settle(None, [fact], scores, "added", "a further value of a claim")
    for i in dict.fromkeys(reply.added):
        if 0 <= i < len(gold) and gold[i] not in fixed.told:
            fixed.added += 1
            yield fixed.settle(None, [gold[i]], {}, "added")
    for fact in rest if every_one else ():
        if fact not in fixed.told:
            why = "the rest of a list of which the draft names several"
            yield fixed.settle(None, [fact], {}, "added", why)


def _is_elsewhere(claim: Statement, cited: Sequence[Statement], gold: Sequence[Statement]) -> bool:
    """Whether facts are about neither end of a claim, although there are some about its subject."""

    def about(facts: Sequence[Statement], *ends: Value) -> bool:
        return any(alike(end, at) for s in facts for at in (s.subject, s.object) for end in ends)

    return about(gold, claim.subject) and not about(cited, claim.subject, claim.object)


def _said_of_filled(
    claims: Sequence[Statement], filled: Mapping[Statement, Statement], gold: Sequence[Statement]
) -> dict[Statement, Statement]:
    """What else is claimed of an open end that the graph fills, where the graph says that, too, and
    of nothing else."""
    known: dict[Value, set[Value]] = {}
    for mine, theirs in (pair for claim, fact in filled.items() for pair in ends(claim, [fact])):
        if is_open(mine):
            known.setdefault(mine, set()).add(theirs)
    found = {}
    for claim in claims if known else ():
        if claim in filled or not _open_ends(claim):
            continue
        said = [fact for fact in gold if said_by(closed_by(claim, fact), [fact]) is not None]
        pairs = [(claim.subject, f.subject) for f in said] + [
            (claim.object, f.object) for f in said
        ]
        if said and all(end in known.get(mine, ()) for mine, end in pairs if is_open(mine)):
            found[claim] = said[0]
    return found


def _is_other_word(
    claim: Statement, known: Sequence[Statement], gold: Sequence[Statement], found: Nearest
) -> bool:
    """Whether a claim asks for what another one of the same two ends has, by a relation that
    nothing of its subject has; where all that was read of it was looked through.

    Of such alternatives a model could only drop those that the graph lacks.
    """
    same = any((c.subject, c.object) == (claim.subject, claim.object) for c in known)
    if not same or is_open(claim.subject):
        return False
    read = [fact for fact in found.read if alike(claim.subject, fact.subject)]
    return bool(read) and not stated([claim], [*read, *gold], 1)[claim]


def _has_near(claim: Statement, gold: Sequence[Statement], found: Nearest) -> bool:
    """Whether a gold triple was found for a claim, or is of something that it names.

    Where none is, a model could only drop it.
    """
    near = {*found.by_claim.get(claim, ()), *found.stated.get(claim, ())}
    named = (claim.subject, claim.object)
    return any(
        s in near or any(alike(mine, theirs) for mine in named for theirs in (s.subject, s.object))
        for s in gold
    )


def _listed(
    claims: Sequence[Statement], gold: Sequence[Statement], found: Nearest
) -> set[Statement]:
    """What the gold graph has of the lists that claims leave open."""
    every = {s for c in claims if is_open(c.object) for s in found.stated.get(c, ())}
    return every & {*gold}


def _in_view(
    asked: Sequence[Statement],
    gold: Sequence[Statement],
    lists: Sequence[Listing],
    found: Nearest,
    sure: Collection[Statement],
    tools: Toolkit,
) -> Steps[list[Statement]]:
    """The gold triples that a prompt has room for, in their order.

    First those that agree with a claim that is asked about, then lists that are asked for and the
    rest of others, then the nearest; those that have settled a claim come last.
    """
    if tools.reads_all:
        return list(gold)
    rest = {*_listed(asked, gold, found), *(s for one in lists for s in one.rest)}
    best = found.best

    def key(s: Statement) -> tuple[object, ...]:
        agreed = any(agrees(c, s) or less_precise(c, s) for c in asked)
        return (not agreed, s not in rest, s in sure, -best.get(s, 0.0))

    ranked = sorted(gold, key=key)
    kept = set(ranked[: shown.fitting(ranked)])
    view = [s for s in gold if s in kept]
    if left := [s for s in gold if s not in kept]:
        yield events.Noted(text=f"No room in the prompt for {shown.left_out(left)}.")
    return view[: shown.fitting(view)]


def _described(claims: Sequence[Statement], gold: Sequence[Statement]) -> list[str]:
    """What the things are that the gold triples and the claims call alike: one name may be a race
    and a city."""
    ends = [end for c in claims for end in (c.subject, c.object)]
    found = dict.fromkeys(
        thing
        for fact in gold
        for thing in (fact.subject, fact.object)
        if isinstance(thing, Entity) and thing.description and any(alike(thing, e) for e in ends)
    )
    return [f"{thing.name}: {thing.description}" for thing in found][: bounds.DESCRIBED]


def _is_cut(
    claims: Sequence[Statement],
    gold: Sequence[Statement],
    fixed: Fixes,
    found: Nearest,
    params: Params,
) -> bool:
    """Whether a list that fills an open end may be longer: all triples compared with the claim
    are of it, or pruning cut one that is."""
    for claim in claims if not params.whole else ():
        near = list(dict.fromkeys((*found.by_claim[claim], *found.stated.get(claim, ()))))
        used = next((s for s in near if s in fixed.facts), None)
        if used is None or not _open_ends(claim):
            continue
        for end in (lambda s: s.subject, lambda s: s.object):
            listed = [s for s in near if (s.relation, end(s)) == (used.relation, end(used))]
            full = len(listed) >= params.nearest > 1 and claim not in found.whole
            if full or (len(listed) > 1 and not set(listed) <= set(gold)):
                return True
    return False


def _anchor(claim: Statement, fact: Statement, fixed: Fixes) -> Steps[None]:
    """What a name of the pseudo-graph is in the graph: known once a fact was found for it."""
    for mine, theirs in ends(claim, [fact]):
        named = isinstance(mine, Entity) and not is_open(mine) and mine.id.startswith(PSEUDO)
        new = isinstance(theirs, Entity) and theirs not in fixed.anchors
        if named and new and isinstance(theirs, Entity) and alike(mine, theirs):
            fixed.anchors.add(theirs)
            why = "its facts come nearest to the pseudo-graph"
            yield events.Anchored(mention=mine.name, entity=theirs, why=why)


def _filled(
    claims: Sequence[Statement], filled: dict[Entity, dict[Entity, None]]
) -> list[Statement]:
    """The claims with every open end that has values now, once for each value."""

    def values(end: Value) -> list[Value]:
        known = filled.get(end, {}) if isinstance(end, Entity) else {}
        return [*list(known)[: bounds.FILLED]] or [end]

    return [
        replace(claim, subject=subject, object=value)
        for claim in claims
        for subject in values(claim.subject)
        for value in values(claim.object)
        if isinstance(subject, Entity)
    ]


def _answer(question: str, fixed: Fixes, tools: Toolkit, params: Params) -> Steps[Answer]:
    """Answer generation (§III-C). What has no name may be named as drafted, and means its id."""
    fixed_facts = fixed.statements
    yield events.Step(title=f"Answer from the corrected draft, {counted(len(fixed_facts), 'fact')}")
    told = [f"{thing.name}: {name}" for thing, name in fixed.drafted.items()]
    near = tools.relevant(question, fixed_facts)
    reply, facts = yield from read_on(question, near, tools, ANSWER, drafted=told)
    ids = {fold(name): thing.name for thing, name in fixed.drafted.items()}
    values = [ids.get(fold(text), text) for text in reply.values]
    reply = reply.model_copy(update={"values": values})
    answer = yield from compose(question, reply, facts, tools, link=params.answer_linking)
    cited = tuple(c for c in answer.citations if isinstance(c, Statement))
    if cited:
        yield events.Chosen(statements=cited, why="the answer rests on these")
    if not fixed.likely.isdisjoint(cited):
        return answer.model_copy(update={"certain": False})
    return answer


def _from_beside(
    question: str, facts: Sequence[Statement], why: str, tools: Toolkit, params: Params
) -> Steps[Answer]:
    """What was compared and not taken over, nearest to the question first: in one prompt.

    A claim that the draft got wrong may be corrected by none of the facts near to it, and yet
    another one of them answers. Not certain: nothing in the draft led to it.
    """
    near = tools.relevant(question, facts)
    yield events.Step(title=f"Read {counted(len(near), 'further fact')}", thought=why)
    reply, read = yield from read_on(question, near, tools, ANSWER, readings=1)
    answer = yield from compose(question, reply, read, tools, link=params.answer_linking)
    cited = tuple(c for c in answer.citations if isinstance(c, Statement))
    if cited:
        yield events.Chosen(statements=cited, why="the answer rests on these")
    return answer.model_copy(update={"certain": False})


def _carried_out(script: Graph, tools: Toolkit) -> Steps[Graph]:
    """The script carried out by the throw-away database; as it was interpreted, without one.

    Raises CypherError when the database refuses it.
    """
    database: Scratch | None = tools.equipment
    if database is None:
        return script
    made = tools.call(database.carry_out, script)
    yield events.Noted(
        text=f"The database {database.name} carried the script out, then rolled it back."
    )
    return made


def _from_pseudo(question: str, pseudo: PseudoGraph, tools: Toolkit) -> Steps[Answer]:
    """The ablation of Tables IV and V: nothing was checked, so nothing is cited."""
    yield events.Step(title="Answer from the draft, unchecked")
    told = [s for s in pseudo.statements if not (is_open(s.subject) or is_open(s.object))]
    reply = yield from tools.ask(ANSWER, question=question, facts=told)
    bare = [s.model_copy(update={"facts": []}) for s in reply.sentences]
    said = reply.model_copy(update={"sentences": bare})
    return (yield from compose(question, said, (), tools, link=False))


def _without_graph(question: str, why: str, tools: Toolkit, params: Params) -> Steps[Answer]:
    if not params.ungrounded:
        return Answer(reason=why)
    yield events.Noted(text=f"{why} The model answers from memory.", level="warning")
    draft = yield from tools.ask(RECALL, **Question(question=question).model_dump())
    return (yield from ungrounded(question, draft, tools, params.answer_linking))


def _database(settings: Settings) -> Scratch | None:
    from kgqa_core.methods.pgakv.cypher.bolt import Scratch

    return Scratch.from_settings(settings)


METHOD = Method(
    "pgakv",
    "PG&AKV",
    solve,
    Params,
    "Drafts a graph from memory, corrects it by the facts nearest to it, answers from it.",
    "Liu et al. 2024",
    searches="triples",
    equip=_database,
)
