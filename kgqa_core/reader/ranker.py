"""The ranker: what a question means is looked for among what the graph offers, not in rules.

Programs around the names of the question are listed, scored by a log-linear model over two dozen
features (meaning.py gives the first, how near the question is to the way in words), and the best
is carried out. How sure that is, is a second small model: below a threshold the ranker abstains.
A third gives a second opinion on what the rules read. Models and thresholds are in
`assets/ranker`, made by `make train`; docs/ranker.md says from what.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from kgqa_core.facts import relations
from kgqa_core.facts.terms import RelationUse, Value, short_id
from kgqa_core.methods.asking import which_of_two
from kgqa_core.methods.react import SetView
from kgqa_core.methods.walk import Action
from kgqa_core.reader import evidence, programs
from kgqa_core.reader.acting import Found, View, changes, denied
from kgqa_core.reader.doubts import answers, of_kind
from kgqa_core.reader.evidence import LITTLE, Asked, Ranked, fitted, shares, sureness, unread
from kgqa_core.reader.grammar import AUX
from kgqa_core.reader.meaning import Meaning
from kgqa_core.reader.paths import words
from kgqa_core.reader.programs import Name, Program, carried_out, longer, one_hop
from kgqa_core.reader.resolve import Resolver, names
from kgqa_core.reader.rewording import direct
from kgqa_core.reader.views import Foreseen, NotebookView, Unforeseen
from kgqa_core.reader.words import tokenise
from kgqa_core.text import fold

NO_NAMES = "The graph has none of the names in the question."
BEAM = 3  # first hops that are followed to see what lies behind
_STATED = 6  # first hops of which statements with a second name are looked at
_SHORTLIST = 60  # two-hop programs kept of all
_LOOKED_UP = 4  # stretches of words, where no name was found
_WORTH = 0.6  # of the chance that is answered from, below which nothing is carried out
_ENOUGH = 0.8  # of one hop, when two are not looked at
_NUMBER = re.compile(r"[-+]?[\d.,]+(?: .*)?")

Given = tuple[str, Sequence[str], NotebookView, str, Resolver]


@dataclass(frozen=True)
class Read:
    """What the ranker came to: the program, what it found, and how sure that is: never certain."""

    program: Program
    found: Found
    sure: float


class Ranker:
    """Answers from a view of a graph; reads its weights at the first question.

    `weights`: one for each of FEATURES, in place of those that ship.
    """

    def __init__(
        self, meaning: Meaning | None = None, weights: tuple[float, ...] | None = None
    ) -> None:
        self.meaning = meaning or Meaning()
        self.weights = weights

    def solve(
        self,
        question: str,
        mentions: Sequence[str],
        view: View,
        resolver: Resolver,
        least: float = 0.0,
        *,
        deep: bool = True,
    ) -> Read | str:
        """The likeliest program that leads to values, or why there is none.

        None is carried out that is hardly as sure as `least`; without `deep`, programs of a hop.

        Raises Need for a step that the walk has not taken yet, and SettingsError without weights.
        """
        question = direct(question)
        nouns = [m for m in mentions if not resolver.lex.is_verb(m.casefold())]
        asked = Asked(question, resolver, named(question, nouns, view))
        if not asked.called:
            return NO_NAMES
        ranked = self.every(asked, view, deep=deep)
        if not ranked:
            return "What was read has nothing around the names in the question."
        return self.settled(asked, ranked, view, max(least, fitted().answer))

    def every(self, asked: Asked, view: View, *, deep: bool = True) -> list[Ranked]:
        """All programs, the likeliest first; of longer ones only where those of a hop will not do.

        Where the likeliest hop is too far from the question to be carried out, nothing behind it
        is nearer. A question for yes or no has programs of its own.
        """
        if asked.yes_no:
            return self.scored(asked, list(programs.whether(asked.called)))
        ranked = self.ranked(asked)
        if not (deep and ranked) or too_far(asked, ranked, fitted().answer):
            return ranked
        if shares(ranked)[0] < _ENOUGH or unread(asked, ranked[0].program):
            ranked = self.deeper(asked, ranked, view)
        return ranked

    def settled(
        self, asked: Asked, ranked: Sequence[Ranked], view: View, least: float
    ) -> Read | str:
        best = ranked[0].program
        if too_far(asked, ranked, least) or stays_unsure(asked, ranked):
            return f"The nearest reading, {best.reading()}, is too far from the question."
        best, found = self.finished(asked, best, view)
        first = replace(ranked[0], program=best)
        sure = sureness(asked, [first, *ranked[1:]], found.size)
        if sure < fitted().answer:
            return f"The nearest reading, {best.reading()}, is too far from the question."
        return unfit(asked, first, found) or Read(best, found, sure)

    @staticmethod
    def finished(asked: Asked, program: Program, view: View) -> tuple[Program, Found]:
        """The program carried out, with the kind, order, count or time that the question asks for.

        Raises Need for a step that the walk has not taken yet.
        """
        when = asked.when if evidence.times(asked, program) else ""
        if not when and asked.now and changes(program.last):
            when = "now"
        program = replace(program, when=when)
        found = carried_out(program, view)
        if program.operator == "is" or not found.size:
            return program, found
        noun, scale = asked.noun if not asked.want else "", evidence.scale(asked)
        program, found = programs.narrowed(program, found, noun, scale, view, asked.lex)
        if asked.count and found.size and not _numbers(program.last):
            return replace(program, operator="count"), programs.counted(found, view)
        return program, found

    def ranked(self, asked: Asked) -> list[Ranked]:
        """All programs of one hop, the likeliest first."""
        every = (p for n in asked.called for p in one_hop(n))
        return self.scored(asked, [p for p in every if not evidence.already_said(asked, p)])

    def deeper(self, asked: Asked, ranked: Sequence[Ranked], view: View) -> list[Ranked]:
        """With the programs of two hops and two names behind the likeliest first hops."""
        details = evidence.wanted_details(asked)
        more: list[Program] = []
        for r in ranked[:_STATED]:
            more += programs.stated(r.program, asked.called, details)
        beam = [r.program for r in ranked if not _literal(r.program)][:BEAM]
        # each is followed before any is gone on from: a plan can name them all
        ends = [programs.follow(p.name.found, p.last, view, p.name.text) for p in beam]
        for program, found in zip(beam, ends, strict=True):
            more += longer(program, found, asked.called)
        if len(more) > _SHORTLIST:
            more = [r.program for r in self.scored(asked, more)[:_SHORTLIST]]
        return self.scored(asked, [*(r.program for r in ranked), *more])

    def scored(self, asked: Asked, found: Sequence[Program]) -> list[Ranked]:
        if not found:
            return []
        near = self.nearness(found)
        best = max(near)
        weights = self.weights or fitted().features
        out = []
        for program, cosine in zip(found, near, strict=True):
            f = evidence.features(asked, program, cosine, best)
            out.append(Ranked(program, f, sum(w * x for w, x in zip(weights, f, strict=True))))
        return sorted(out, key=lambda r: -r.score)

    def nearness(self, found: Sequence[Program]) -> list[float]:
        """How near each program is to the question; with two names, as near as both on average."""
        cosines: dict[tuple[str, str], float] = {}
        pairs: dict[str, list[str]] = {}
        for p in found:
            pairs.setdefault(p.name.asked, []).append(p.way)
            if p.beside and p.by:
                pairs.setdefault(p.beside.asked, []).append(_by(p))
        for asked, ways in pairs.items():
            ways = list(dict.fromkeys(ways))
            for way, c in zip(ways, self.meaning.cosines(asked, ways), strict=True):
                cosines[asked, way] = c
        out = []
        for p in found:
            near = cosines[p.name.asked, p.way]
            if p.beside and p.by:
                near = (near + cosines[p.beside.asked, _by(p)]) / 2
            out.append(near)
        return out

    def opinion(self, *given: *Given, guess: bool) -> tuple[float, ...] | None:
        """One number for each of OPINION, on the way that the rules went to a set: as `heard`."""
        heard = self.heard(*given, guess=guess)
        if heard is None:
            return None
        asked, mine, ranked, more = heard
        return evidence.opinion(asked, mine, ranked, more=more, guess=guess)

    def heard(
        self,
        question: str,
        mentions: Sequence[str],
        view: NotebookView,
        name: str,
        resolver: Resolver,
        *,
        guess: bool,
    ) -> tuple[Asked, Ranked, list[Ranked], bool] | None:
        """What an opinion is of: the question, the way taken among all, whether more was done.

        None where they followed nothing from a name of the question, and where they are sure and
        it says in so many words what they followed: “who directed …”. Raises SettingsError without
        weights.
        """
        question = direct(question)
        asked, way = Asked(question, resolver), way_to(view.sets, name)
        asked.called = linked(question, mentions, view) if way and not asked.yes_no else []
        start = next((v for v in view.sets if way and v.mention == way[0] and v.members), None)
        if start is None or way is None:
            return None
        own = next((n for n in asked.called if n.found.members[0] == start.members[0]), None)
        if own is None:
            return None
        taken = Program(own, tuple(way[1]))
        if not guess and not way[2] and evidence.in_words(asked, taken):
            return None  # nor are the weights read for it
        others = [one for n in asked.called for one in one_hop(n) if one != taken]
        ranked = self.scored(asked, [taken, *others])
        return asked, next(r for r in ranked if r.program == taken), ranked, way[2]


def stays_unsure(asked: Asked, ranked: Sequence[Ranked]) -> bool:
    """Whether the likeliest program is one hop, and no answer however many things it finds.

    Not where the question may pick some of them, or count them: it is surer then.
    """
    best = ranked[0].program
    picks = asked.count or evidence.scale(asked) or (asked.noun and not asked.want)
    if picks or len(best.uses) > 1 or evidence.times(asked, best):
        return False
    sizes = (1, max(1, best.last.count))
    return max(sureness(asked, ranked, n) for n in sizes) < fitted().answer


def too_far(asked: Asked, ranked: Sequence[Ranked], least: float) -> bool:
    """Whether the likeliest program is so unlikely that it is not even carried out."""
    return sureness(asked, ranked) < _WORTH * least


def unfit(asked: Asked, ranked: Ranked, found: Found) -> str:
    """Why what a program found is no answer, however likely it is."""
    best = ranked.program
    differs = ranked.features[evidence.FEATURES.index("kind differs")]
    differs = differs and asked.want in {"place", "time"}
    if best.operator != "is" and (differs or evidence.another(asked, best)):
        return f"The nearest reading, {best.reading()}, gives no such {asked.want or 'thing'}."
    if (
        evidence.backwards(best)
        or evidence.of_who_asks(asked, best)
        or which_of_two(asked.question)
        or (best.operator == "is" and "or" in asked.low)
        or echoes(asked, best, found)
    ):
        return f"The nearest reading, {best.reading()}, is no answer to such a question."
    word = evidence.overlooked(asked, best)
    if word := word or (evidence.nameless(asked, best) if found.size > 1 else ""):
        return f"The nearest reading, {best.reading()}, leaves out “{word}”."
    place = best.last.direction == "in" and relations.belongs(best.last.relation, "place within")
    if best.operator == "count" and place and not best.kind:  # no such states, but all there is
        return f"The nearest reading, {best.reading()}, counts whatever is there."
    if not found.size:
        return f"Read as {best.reading()}: what was read has nothing there."
    if best.when not in {"", "now"} and not found.certain:
        return f"Read as {best.reading()}: what was read does not say when."
    if best.operator == "is" and denied(found):
        return f"Read as {best.reading()}: what was read does not say so."
    use = best.last
    told = replace(found, via=fold(use.relation.name), back=use.direction == "in")
    if not (
        answers(asked.question, told)
        and of_kind(asked.question, told, names(use.relation), asked.lex)
    ):
        return f"The nearest reading, {best.reading()}, is no answer to such a question."
    return ""


def echoes(asked: Asked, program: Program, found: Found) -> bool:
    """Whether all that was found stands in the question as something else than its start.

    Who “gave the statue to Orvel” is not Orvel; the capital of Luxembourg may be called so.
    """
    if program.operator == "is" or program.beside or asked.yes_no:
        return False
    rest = fold(asked.question).replace(fold(program.name.text), " ")
    named = [re.search(rf"\b{re.escape(fold(m.name))}\b", rest) for m in found.things]
    return bool(named) and all(named) and not found.literals


def way_to(sets: Sequence[SetView], name: str) -> tuple[str, list[RelationUse], bool] | None:
    """The name a set was reached from, the relations followed, and whether more was done.

    None where no relation was followed from a name of the question, and where something was
    counted, ranked or computed: of that the rules know more. Raises Unforeseen for relations of
    a set that is still to come.
    """
    by_name = {view.name: view for view in sets}
    hops: list[RelationUse] = []
    more = False
    view = by_name.get(name)
    while view is not None and view.by is not None and view.by.tool != "find":
        action, source = view.by, by_name.get(view.by.of)
        if action.tool not in {"follow", "keep"}:
            return None
        if isinstance(source, Foreseen) and not source.relations:
            raise Unforeseen
        if action.tool == "follow" and source is not None:
            use = next((u for u in source.relations if _along(u, action)), None)
            if use is None:
                return None
            hops.insert(0, use)
        more = more or action.tool != "follow" or bool(action.qualifier or action.value)
        view = source
    return (view.mention, hops, more) if view and view.mention and hops else None


def _along(use: RelationUse, action: Action) -> bool:
    ids = {use.relation.id, short_id(use.relation.id)}
    return action.relation in ids and use.direction == action.direction


def _by(p: Program) -> str:
    assert p.by is not None
    return words([programs.hop(p.by)])


def named(question: str, mentions: Sequence[str], view: View) -> list[Name]:
    """The names of the question that the graph has, each with the question seen from it.

    Where it has none of those that were looked up, parts of the question are.
    """
    return linked(question, mentions, view) or linked(question, spans(question), view)


def linked(question: str, mentions: Sequence[str], view: View) -> list[Name]:
    """The mentions that the graph has; of several for one thing, its name, or the longest."""
    out: dict[str, Name] = {}
    for mention in mentions:
        found = view.anchor(mention, "")
        if found is not None and found.size:
            text = mention.strip(" ?.,!")
            out.setdefault(text, Name(text, found, programs.masked(question, text)))
    best: dict[Value, Name] = {}
    for name in sorted(out.values(), key=lambda n: (evidence.exact(n), len(n.text)), reverse=True):
        best.setdefault(name.found.members[0], name)
    return [name for name in out.values() if name in best.values()]


def spans(question: str) -> list[str]:
    """Stretches of words that may be a name, longest first: with capitals, if there are any."""
    low = question[1:] == question[1:].lower()
    runs: list[list[str]] = [[]]
    for n, t in enumerate(tokenise(question)):
        fits = t.low not in LITTLE and t.span is None if low else t.cap and t.low not in LITTLE
        if fits and (n or low or t.low not in AUX):
            runs[-1].append(t.text)
        elif runs[-1]:
            runs.append([])
    found = [
        " ".join(run[i:j])
        for run in runs
        for i in range(len(run))
        for j in range(i + 1, min(len(run), i + 4) + 1)
    ]
    return sorted(dict.fromkeys(found), key=lambda text: -len(text.split()))[:_LOOKED_UP]


def _literal(program: Program) -> bool:
    """Whether it leads to numbers or times."""
    told = program.last.examples if program.last.direction == "out" else ()
    return bool(told) and all(re.match(r"[-+]?\d", example) for example in told)


def _numbers(use: RelationUse) -> bool:
    """Whether it leads to numbers: these are an answer to “how many”, not to be counted."""
    return bool(use.examples) and all(_NUMBER.fullmatch(e) for e in use.examples)
