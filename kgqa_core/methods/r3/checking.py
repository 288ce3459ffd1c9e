"""R3's premises checked: computed on the facts, pruned facts for the model, its judgement."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from textwrap import wrap

from kgqa_core.ask import events, shown
from kgqa_core.ask.run import Steps, Toolkit
from kgqa_core.facts.decide import LEVELS, WIDER, evaluate, reach
from kgqa_core.facts.premises import Facts, Judgement, Premise
from kgqa_core.facts.terms import Entity, Literal, Relation, Statement
from kgqa_core.methods.r3 import judging, names
from kgqa_core.methods.r3.anchors import EXACT, read
from kgqa_core.methods.r3.search import Branch, Premises, Search, few, of_person
from kgqa_core.methods.r3.skills import JUDGE, PICK, Unsettled

_AT_ONCE = 12  # entities that are read together, or of which kinds and wholes are
_PIECE = 240  # letters of a long text that stand in one line of a prompt


def _prune(search: Search, branch: Branch) -> Steps[list[Statement]]:
    """T_q: the facts nearest to the axiom, and those the model picks (§3.2.3, equation 4).

    Nothing is picked where a prompt has room for all there is.
    """
    params, tools = search.params, search.tools
    facts, k = branch.facts.statements, params.top_k
    if len(facts) <= k:
        return list(facts)
    if params.pruning == "truncate":
        return list(facts[:k])
    if params.pruning == "union" and shown.fitting(facts) == len(facts):
        return list(facts)
    (nearest,) = yield from tools.nearest_triples([branch.axiom.rule], k, among=facts)
    kept = [scored.item for scored in nearest]
    if params.pruning == "union":
        rest = [s for s in few(search, facts) if s not in set(kept)]
        picked = yield from tools.ask(
            PICK, question=search.query.question, axiom=branch.axiom.rule, facts=rest
        )
        kept += [rest[i] for i in dict.fromkeys(picked.indices) if 0 <= i < len(rest)]
    yield events.Chosen(statements=tuple(kept), why="near to the axiom")
    return kept


def computed(search: Search, branch: Branch) -> Steps[Premises]:
    """Every premise of every option as far as computing goes.

    Names in it that were never read are looked up first. Where names differ, the kinds and wholes
    of the values are read, and it is computed anew.
    """
    options: list[Entity | None] = list(search.options) or [None]
    facts, look_up = branch.facts, search.tools.relation
    premises = [
        (option, [judging.about(p, option) for p in branch.axiom.premises]) for option in options
    ]
    yield from _look_up_names(search, branch, [p for _, own in premises for p in own])
    standing = [
        (option, [evaluate(names.resolved(p, facts, look_up), facts) for p in own])
        for option, own in premises
    ]
    differing = differ((j for _, judged in standing for j in judged), facts)
    if (yield from climb(differing, facts, branch.axiom.rule, search.tools)):
        standing = [
            (option, [evaluate(names.resolved(p, facts, look_up), facts) for p in own])
            for option, own in premises
        ]
    return standing


def _look_up_names(search: Search, branch: Branch, premises: Sequence[Premise]) -> Steps[None]:
    """Reads the entities that an axiom names and nobody linked yet."""
    facts = branch.facts
    strange = [n for n in names.entities_of(premises) if n and facts.called(n) is None]
    if not strange:
        return
    hits = yield from search.tools.link(strange, limit=3)
    found = {}
    for name, near in zip(strange, hits, strict=True):
        if near and near[0].score >= EXACT:
            found[near[0].entity] = name
            facts.name(near[0].entity, name)
            yield events.Anchored(mention=name, entity=near[0].entity, why="the axiom names it")
    if found:
        yield from read(facts, list(found), search.tools)


def differ(judged: Iterable[Judgement], facts: Facts) -> list[Entity]:
    """The things whose names are not those that a premise has, and which may be kinds of them."""
    values = (
        value
        for j in judged
        if j.by_names and j.premise.left is not None
        for value in reach(j.premise.left, facts).values
    )
    return [v for v in dict.fromkeys(values) if isinstance(v, Entity) and v.id.startswith("http")]


def climb(values: Sequence[Entity], facts: Facts, rule: str, tools: Toolkit) -> Steps[bool]:
    """Reads of what kinds and wholes values are, level by level; whether there are any."""
    edge = yield from nearest(values, facts, rule, tools, "climbed from")
    relations = [r for name in WIDER.split("|") if (r := _relation(name, tools)) is not None]
    before = len(facts.statements)
    seen: set[Entity] = set()
    for _ in range(LEVELS):
        if not edge:
            break
        fresh = [v for v in edge if v not in seen and v not in facts.read]
        seen.update(edge)
        for relation in relations if fresh else ():
            found = yield from tools.expand(fresh, relation=relation, direction="out")
            facts.add(found)
        up = (s.object for v in edge for s in facts.out(v, WIDER))
        above = list(dict.fromkeys(v for v in up if isinstance(v, Entity) and v not in seen))
        edge = yield from nearest(above, facts, rule, tools, "climbed from")
    return len(facts.statements) > before


def _relation(name: str, tools: Toolkit) -> Relation | None:
    """`subclass of P279` as a relation of the graph, by its label or id."""
    label, _, pid = name.rpartition(" ")
    known = tools.relation(label) if label else None
    return known if known is not None else tools.relation(pid)


def unread(standing: Premises, branch: Branch) -> list[Entity]:
    """Entities that open premises lead through, and whose facts nobody has read."""
    about = (e for _, judged in standing for j in judged if j.state == "open" for e in j.about)
    fresh = (e for e in dict.fromkeys(about) if e not in branch.facts.read)
    return [e for e in fresh if not e.id.startswith("urn:kg:option/")]


def nearest(
    ends: Sequence[Entity], facts: Facts, rule: str, tools: Toolkit, done: str
) -> Steps[list[Entity]]:
    """As many as are read together, those nearest to the axiom first; what is left is told of."""
    return (yield from tools.nearest_ends(rule, ends, facts.statements, _AT_ONCE, done))


def is_settled(standing: Premises, branch: Branch) -> bool:
    """Whether computing alone decides the axiom, of all options there are."""
    return all(judging.truth(judging.firm_only(js), branch.axiom) is not None for _, js in standing)


def lacking(standing: Premises) -> list[str]:
    return list(dict.fromkeys(text for _, js in standing for text in judging.lacking(js)))


def judge(search: Search, branch: Branch, standing: Premises) -> Steps[None]:
    """What computing leaves open, read by the model: of all options in one reply.

    Options are shared out to several replies only where a prompt has no room for all that is
    known of them: what an option is made of is never cut.
    """
    open_ones: list[tuple[list[Judgement], int, Entity | None]] = []
    for option, judged in standing:
        settled = judging.truth(judging.firm_only(judged), branch.axiom) is not None
        for n, judgement in enumerate(judged):
            if not settled and (judgement.state == "open" or judgement.by_names):
                open_ones.append((judged, n, option))
            elif judgement.by_names:
                judged[n] = judging.left_open(judgement)
    if not search.options and all(j[n].premise.kind == "meaning" for j, n, _ in open_ones):
        for judged, n, _ in open_ones:  # the model stated it as known to everybody
            judged[n] = judging.as_stated(judged[n])
        return
    if not open_ones:
        return
    common = of_person(search)
    if not search.options:
        common = yield from _prune(search, branch)
    options = list(dict.fromkeys(option for *_, option in open_ones))
    asked = _sharing(options, common, branch)
    given = []
    for some, facts in asked:
        cells = [cell for cell in open_ones if cell[2] in some]
        cited = [s for judged, n, _ in cells for s in judged[n].because]
        shown_facts, origin = _in_pieces(
            [*facts, *(s for s in dict.fromkeys(cited) if s not in facts)]
        )
        position = {s: i for i, s in reversed(list(enumerate(origin)))}
        premises = [
            Unsettled(
                premise=judged[n].premise.text,
                option=option.name if option else "",
                meaning=judged[n].premise.kind == "meaning",
                computed=judged[n].state if judged[n].premise.left is not None else None,
                by_names=judged[n].state if judged[n].by_names else None,
                facts=[position[s] for s in judged[n].because],
            )
            for judged, n, option in cells
        ]
        given.append(
            (
                cells,
                origin,
                {
                    "question": search.query.question,
                    "axiom": branch.axiom.rule,
                    "premises": premises,
                    "facts": shown_facts,
                    "assume": search.params.assumptions != "none",
                },
            )
        )
    replies = yield from search.tools.ask_all(JUDGE, [inputs for *_, inputs in given])
    for (cells, origin, _), reply in zip(given, replies, strict=True):
        for at, (judged, n, _) in enumerate(cells):
            verdict = judging.of_premise(reply.verdicts, at)
            judged[n] = judging.read_by_model(
                judged[n], verdict, origin, search.params.assumptions != "none"
            )


def _sharing(
    options: Sequence[Entity | None], common: Sequence[Statement], branch: Branch
) -> list[tuple[list[Entity | None], list[Statement]]]:
    """The options in as few groups as have room in a prompt, each with its facts."""
    groups: list[tuple[list[Entity | None], list[Statement]]] = []
    for option in options:
        own = branch.facts.about(option) if option is not None else []
        if groups:
            some, facts = groups[-1]
            both = list(dict.fromkeys((*facts, *own)))
            if shown.fitting(_in_pieces(both)[0]) == len(_in_pieces(both)[0]):
                groups[-1] = ([*some, option], both)
                continue
        groups.append(([option], list(dict.fromkeys((*common, *own)))))
    return groups


def _in_pieces(facts: Sequence[Statement]) -> tuple[list[Statement], list[Statement]]:
    """Facts as a prompt can print them whole, a long text as several, and what each is of."""
    pieces: list[Statement] = []
    origin: list[Statement] = []
    for s in facts:
        texts = [s.object]
        if isinstance(s.object, Literal) and len(s.object.value) > _PIECE:
            lines = wrap(s.object.value, _PIECE, break_long_words=True)
            texts = [replace(s.object, value=line) for line in lines]
        pieces += [replace(s, object=text) for text in texts]
        origin += [s] * len(texts)
    return pieces, origin
