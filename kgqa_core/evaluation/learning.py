"""Learning Keqing's templates and chains from questions with their topic entity and answers.

Keqing §3.1: mask the entity of each question, find the logical chains whose ends are its
answers, assign each chain the template that asks for it most often, and reverse the map. Other
wordings of a chain stay with that template. A chain of several hops whose every hop has a
template of its own is decomposed into those.

A chain is never made up: it is walked in the graph, from the topic to the answers.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from kgqa_core.ask.run import merge_uses
from kgqa_core.evaluation.datasets.base import Example
from kgqa_core.facts.terms import Entity, Value, far_end, short_id
from kgqa_core.kg.base import KnowledgeGraph
from kgqa_core.methods.keqing.templates import (
    MASK,
    Chain,
    Hop,
    Library,
    Part,
    Relations,
    Template,
    masked,
    plain,
    written,
)

EXPLORED = 4  # questions of a template around which chains are searched
VERIFIED = 60  # questions of a template on which a chain is tried
WIDEST = 300  # entities a search goes on from; also statements of one relation it follows
_SLICE = 50  # mentions looked up at once
_EXACT = 0.99
_SAME = 0.95  # F1 from which a known chain explains a template, and no other is searched for
_LEAST = 0.1  # share of the questions left that a further chain must answer


@dataclass(frozen=True)
class Question:
    """A question to learn from."""

    text: str
    topic: Entity
    mention: str
    answers: frozenset[str]


@dataclass(frozen=True)
class Progress:
    doing: str
    done: int
    total: int


@dataclass
class Learned:
    """A library, and what could not be used for it."""

    collection: Library = field(default_factory=Library)
    questions: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    unexplained: list[str] = field(default_factory=list)  # templates no chain was found for


Tell = Callable[[Progress], None]


def learn(
    examples: Sequence[Example],
    kg: KnowledgeGraph,
    *,
    hops: int = 3,
    keep_examples: bool = True,
    on_progress: Tell = lambda progress: None,
) -> Learned:
    """Templates, their chains and their decompositions; `hops` is the longest chain searched."""
    learned = Learned()
    questions = list(_linked(examples, kg, learned, on_progress))
    learned.questions = len(questions)
    asked = _by_template(questions, learned)
    graph = Walker(kg)
    chains: dict[str, list[Chain]] = {}
    known: dict[tuple[Hop, ...], None] = {}
    order = sorted(asked, key=lambda t: (_least_answers(asked[t]), -len(asked[t]), t))
    for n, text in enumerate(order):
        on_progress(Progress("searching chains", n, len(order)))
        found = _chains_for(asked[text], graph, list(known), hops)
        if found:
            chains[text] = found
            known.update(dict.fromkeys(chain.hops for chain in found))
        else:
            learned.unexplained.append(text)
    on_progress(Progress("searching chains", len(order), len(order)))
    likes = {t: asked[t][0].text for t in chains} if keep_examples else {}
    templates = reversed_map(chains, {t: len(asked[t]) for t in chains}, likes)
    learned.collection = Library(decomposed(templates), graph=kg.name)
    return learned


# -- questions -----------------------------------------------------------------------------


def _linked(
    examples: Sequence[Example], kg: KnowledgeGraph, learned: Learned, tell: Tell
) -> Iterator[Question]:
    """Questions whose topic is in the graph and in the question, and whose answers are given."""
    topics = {i: label for e in examples for i, label in e.topic.items()}
    entities = _entities(topics, kg, tell)
    for example in examples:
        gold = next(iter(example.gold.values()), ())
        names = frozenset(
            key for g in gold for key in (*map(_key, g.names), short_id(g.id).casefold()) if key
        )
        if not names:
            learned.skipped["no answer is given"] += 1
        elif not example.topic:
            learned.skipped["no topic entity is given"] += 1
        elif not any(topic in entities for topic in example.topic):
            learned.skipped["the topic entity is not in the graph"] += 1
        else:
            for topic, label in example.topic.items():
                entity = entities.get(topic)
                if entity and (mention := _mention(example.question, label or topic, entity)):
                    yield Question(example.question, entity, mention, names)
                    break
            else:
                learned.skipped["the question does not name its topic entity"] += 1


def _entities(topics: Mapping[str, str], kg: KnowledgeGraph, tell: Tell) -> dict[str, Entity]:
    found: dict[str, Entity] = {}
    keys = list(topics)
    for start in range(0, len(keys), _SLICE):
        some = keys[start : start + _SLICE]
        tell(Progress("looking topics up", start, len(keys)))
        by_id = kg.describe(some)
        names = [topics[k] or k for k, entity in zip(some, by_id, strict=True) if entity is None]
        hits = iter(kg.search(names, 1) if names else ())
        for key, entity in zip(some, by_id, strict=True):
            if entity is None:
                best = next(hits)
                entity = best[0].entity if best and best[0].score >= _EXACT else None
            if entity is not None:
                found[key] = entity
    return found


def _mention(question: str, label: str, entity: Entity) -> str:
    """The name by which the question has the entity; empty when it has none."""
    names = dict.fromkeys((label, entity.label, *entity.aliases))
    return next((name for name in names if masked(question, name)), "")


def _by_template(questions: Iterable[Question], learned: Learned) -> dict[str, list[Question]]:
    """By masked text. Where the mention stands twice, the more usual text decides."""
    several: list[tuple[list[str], Question]] = []
    found: dict[str, list[Question]] = defaultdict(list)
    spelt: dict[str, str] = {}  # as first written
    for question in questions:
        texts = masked(question.text, question.mention)
        for text in texts:
            spelt.setdefault(plain(text), _tidy(text))
        if len(texts) == 1:
            found[plain(texts[0])].append(question)
        else:
            several.append(([plain(text) for text in texts], question))
    for texts, question in several:
        found[max(texts, key=lambda t: len(found.get(t, ())))].append(question)
    bare = found.pop(MASK, [])
    if bare:
        learned.skipped["the question is nothing but a name"] += len(bare)
    return {spelt[text]: asked for text, asked in found.items()}


def _tidy(text: str) -> str:
    return " ".join(text.split()).rstrip("?.! ") or text


def _least_answers(questions: Sequence[Question]) -> int:
    """How far the answers are, roughly: nearer ones are learned first."""
    return min(len(q.answers) for q in questions)


# -- chains --------------------------------------------------------------------------------


class Walker:
    """Follows chains in the graph for many starts at once; each look-up is made once."""

    def __init__(self, kg: KnowledgeGraph) -> None:
        self.kg = kg
        self.relations = Relations(kg.relation)
        self._ends: dict[tuple[Hop, Entity], tuple[Value, ...]] = {}
        self._uses: dict[Entity, list] = {}

    def step(self, entities: Iterable[Entity], hop: Hop) -> Mapping[Entity, tuple[Value, ...]]:
        """The far ends of one hop, for each entity."""
        relation = self.relations(hop.relation)
        wanted = list(dict.fromkeys(entities))
        new = [e for e in wanted if (hop, e) not in self._ends]
        if new and relation is not None:
            found = self.kg.statements(
                new, direction=hop.direction, relation=relation, limit=WIDEST * 4
            )
            for entity, statements in zip(new, found, strict=True):
                ends = dict.fromkeys(far_end(s, entity) for s in statements)
                self._ends[hop, entity] = tuple(ends)
        return {e: self._ends.get((hop, e), ()) for e in wanted}

    def follow(self, starts: Sequence[Entity], hops: Sequence[Hop]) -> list[list[Value]]:
        """Where a chain leads from each start, never coming back to the start itself."""
        fronts: list[list[Value]] = [[start] for start in starts]
        for hop in hops:
            ends = self.step((e for f in fronts for e in f if isinstance(e, Entity)), hop)
            fronts = [
                list(
                    dict.fromkeys(
                        end
                        for e in front
                        if isinstance(e, Entity)
                        for end in ends[e]
                        if end != start
                    )
                )
                for start, front in zip(starts, fronts, strict=True)
            ]
        return fronts

    def hops_from(self, entities: Sequence[Entity]) -> list[Hop]:
        """Relations by which to go on from a set, leaving out those that fan out too far."""
        new = [e for e in entities if e not in self._uses]
        if new:
            self._uses.update(zip(new, self.kg.relations_of(new), strict=True))
        uses = merge_uses([self._uses[e] for e in entities])
        return [Hop(written(u.relation), u.direction) for u in uses if u.count <= WIDEST]

    def explore(self, start: Entity, hops: int) -> Iterator[tuple[tuple[Hop, ...], list[Value]]]:
        """Every chain from the start with where it leads, shorter ones first."""
        fronts: list[tuple[tuple[Hop, ...], list[Value]]] = [((), [start])]
        for _ in range(hops):
            wider = []
            for chain, front in fronts:
                entities = [e for e in front if isinstance(e, Entity)]
                if not entities or len(entities) > WIDEST:
                    continue
                for hop in self.hops_from(entities):
                    ends = self.step(entities, hop)
                    reached = dict.fromkeys(v for e in entities for v in ends[e] if v != start)
                    if reached:
                        wider.append(((*chain, hop), list(reached)))
            yield from wider
            fronts = wider


def _chains_for(
    questions: Sequence[Question], graph: Walker, known: Sequence[tuple[Hop, ...]], hops: int
) -> list[Chain]:
    """The chains that answer a template, the best first, each for questions others leave open."""
    some = _spread(questions, VERIFIED)
    probes = sorted(some, key=lambda q: len(q.answers))[:EXPLORED]
    score = _scores(probes, graph, known)
    good = [chain for chain, values in score.items() if fmean(values) >= _SAME]
    if good:  # near by, there and back may look the same: all questions decide
        score = _scores(some, graph, good)
        good = [chain for chain, values in score.items() if fmean(values) >= _SAME]
    if not good:
        lengths: Counter[tuple[Hop, ...]] = Counter()
        for probe in probes:
            best: dict[tuple[Hop, ...], float] = {}
            for chain, values in graph.explore(probe.topic, hops):
                fit = _f1(values, probe.answers)
                if fit > 0:
                    best[chain] = fit
            top = max(best.values(), default=0.0)
            lengths.update(c for c, fit in best.items() if fit >= 0.5 * top)
        good = [chain for chain, _ in lengths.most_common(30)]
    return _cover(some, graph, good)


def _cover(
    questions: Sequence[Question], graph: Walker, candidates: Sequence[tuple[Hop, ...]]
) -> list[Chain]:
    """The best chain, then the best for the questions it leaves open, as long as it is worth it.

    Of two that fit alike the shorter one: a longer one only walks there and back.
    """
    starts = [q.topic for q in questions]
    reached = {chain: graph.follow(starts, chain) for chain in candidates}
    fits = {
        chain: [_f1(values, q.answers) for values, q in zip(ends, questions, strict=True)]
        for chain, ends in reached.items()
    }
    open_ = set(range(len(questions)))
    chosen: list[Chain] = []
    while open_ and len(chosen) < 5:
        best = max(
            fits, key=lambda c: (round(sum(fits[c][i] for i in open_), 3), -len(c)), default=None
        )
        if best is None:
            break
        solved = {i for i in open_ if fits[best][i] >= 0.5}
        gained = sum(fits[best][i] for i in open_)
        if not chosen and gained == 0:
            break
        if chosen and (len(solved) < 2 or len(solved) < _LEAST * len(questions)):
            break
        answered = [i for i, fit in enumerate(fits[best]) if fit > 0]
        precision = fmean(_precision(reached[best][i], questions[i].answers) for i in answered)
        chosen.append(Chain(best, len(answered), round(precision, 4)))
        open_ -= solved
        del fits[best]
    return chosen


def _scores(
    questions: Sequence[Question], graph: Walker, chains: Sequence[tuple[Hop, ...]]
) -> dict[tuple[Hop, ...], list[float]]:
    starts = [q.topic for q in questions]
    return {
        chain: [
            _f1(values, q.answers)
            for values, q in zip(graph.follow(starts, chain), questions, strict=True)
        ]
        for chain in chains
    }


def _spread(questions: Sequence[Question], most: int) -> list[Question]:
    step = max(1, -(-len(questions) // most))
    return list(questions[::step])


# -- comparing with the gold ----------------------------------------------------------------


def _key(text: str) -> str:
    return " ".join(text.split()).casefold()


def _is_gold(value: Value, answers: frozenset[str]) -> bool:
    if isinstance(value, Entity):
        names = (value.label, short_id(value.id), *value.aliases)
    else:
        names = (value.value, value.name)
    return any(_key(name) in answers for name in names)


def _right(values: Sequence[Value], answers: frozenset[str]) -> int:
    return sum(_is_gold(value, answers) for value in values)


def _precision(values: Sequence[Value], answers: frozenset[str]) -> float:
    return _right(values, answers) / len(values) if values else 0.0


def _f1(values: Sequence[Value], answers: frozenset[str]) -> float:
    if not values:
        return 0.0
    right = _right(values, answers)
    return 2 * right / (len(values) + max(len(answers), right))


# -- the library ---------------------------------------------------------------------------


def reversed_map(
    chains: Mapping[str, Sequence[Chain]], asked: Mapping[str, int], likes: Mapping[str, str]
) -> tuple[Template, ...]:
    """Each chain goes to the template that asks for it most often (§3.1).

    A text whose best chain went elsewhere becomes a wording of that template.
    """
    owner: dict[tuple[Hop, ...], str] = {}
    for text in sorted(chains, key=lambda t: (-asked[t], t)):
        owner.setdefault(chains[text][0].hops, text)
    collected: dict[str, dict[tuple[Hop, ...], list[Chain]]] = defaultdict(dict)
    wordings: dict[str, list[str]] = defaultdict(list)
    for text in sorted(chains, key=lambda t: (-asked[t], t)):
        home = owner[chains[text][0].hops]
        scale = asked[text] / max(1, min(asked[text], VERIFIED))
        for chain in chains[text]:
            support = max(chain.support, round(chain.support * scale))
            same = collected[home].setdefault(chain.hops, [])
            same.append(Chain(chain.hops, support, chain.precision))
        if text != home:
            wordings[home].append(text)
    templates = []
    for home, found in collected.items():
        joined = [
            Chain(
                hops,
                total := sum(c.support for c in same),
                round(sum(c.support * c.precision for c in same) / max(1, total), 4),
            )
            for hops, same in found.items()
        ]
        joined.sort(key=lambda c: -c.support)
        most = joined[0].support
        kept = tuple(c for c in joined if c.support >= _LEAST * most)
        templates.append(Template(home, kept, tuple(wordings[home]), example=likes.get(home, "")))
    return tuple(sorted(templates, key=lambda t: (len(t.chains[0].hops), -t.support, t.text)))


def decomposed(templates: Sequence[Template]) -> tuple[Template, ...]:
    """Composed templates with the sub-questions that their best chain is made of."""
    single = {t.chains[0].hops: t.text for t in reversed(templates) if t.chains and not t.parts}
    return tuple(t if t.parts or not t.chains else _with_parts(t, single) for t in templates)


def _with_parts(template: Template, asking: Mapping[tuple[Hop, ...], str]) -> Template:
    hops = template.chains[0].hops
    others = {h: text for h, text in asking.items() if len(h) < len(hops)}
    texts = _split(hops, others)
    if texts is None or len(hops) < 2:
        return template
    parts = tuple(Part(text, (n,) if n else ()) for n, text in enumerate(texts))
    return Template(template.text, template.chains, template.wordings, parts, template.example)


def _split(hops: tuple[Hop, ...], asking: Mapping[tuple[Hop, ...], str]) -> list[str] | None:
    """Templates whose chains, one after the other, are these hops; short ones before long ones."""
    if not hops:
        return []
    for length in range(1, len(hops) + 1):
        text = asking.get(hops[:length])
        if text is not None and (rest := _split(hops[length:], asking)) is not None:
            return [text, *rest]
    return None
