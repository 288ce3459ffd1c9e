"""What the reader does for each skill: the question is parsed anew every time.

Parsing is cheap and a walk's notebook holds all that was done, so no handler keeps state and
the same input always gets the same reply.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any

from pydantic import BaseModel

from kgqa_core.ask import skills
from kgqa_core.ask.events import GUESSED
from kgqa_core.errors import SettingsError
from kgqa_core.facts.terms import Passage, Statement
from kgqa_core.methods.react import NEXT_ACTION, Notebook
from kgqa_core.methods.walk import Action, Later, Move
from kgqa_core.reader import doubts, evidence
from kgqa_core.reader import plan as p
from kgqa_core.reader.acting import Found, View, denied
from kgqa_core.reader.choosing import bearing, chosen
from kgqa_core.reader.doubts import CONJECTURE, Outcome
from kgqa_core.reader.evaluate import Evaluator
from kgqa_core.reader.evidence import fitted, wrongness
from kgqa_core.reader.grammar import PREPOSITIONS
from kgqa_core.reader.lexicon import Lexicon, lexicon
from kgqa_core.reader.names import mark, singulars, spans
from kgqa_core.reader.parse import parse
from kgqa_core.reader.plan import Plan, Reading, parts
from kgqa_core.reader.quote import quote
from kgqa_core.reader.ranker import NO_NAMES, Ranker, Read
from kgqa_core.reader.resolve import Resolver
from kgqa_core.reader.rewording import core
from kgqa_core.reader.table import ROW, Rows
from kgqa_core.reader.table_words import of_rows
from kgqa_core.reader.views import (
    FactsView,
    Foreseen,
    Need,
    NotebookView,
    Unforeseen,
    foreseen,
    is_made_up,
    is_sound,
    is_to_be_seen,
)
from kgqa_core.reader.wording import bare, reading, sentences
from kgqa_core.reader.words import tokenise
from kgqa_core.text import fold, singular

_MENTIONS = 5  # names proposed at most, beside those of the best reading
_FEW = 5  # actions left, from which the ranker goes before the rules
_NEAR = 1.6  # cost above the best reading at which a reading still proposes names
_PLANS = 12  # readings tried
_TRIES = 3  # outcomes that are no certainty, or were given up, then the first one is told
_AHEAD = 6  # actions planned after the next one
_NO_GRAPH = (
    "The built-in reader knows nothing by itself: it only reads a graph. Choose a method that "
    "reads the graph (1-hop, ReAct), or connect a language model in Settings."
)
_SAY = "{{{}}}."  # the members of a set alone
_GUESS = 3.5  # cost from which every reading is a guess
_CLOSE = 1.0  # cost above the best reading up to which a guess or a "no" is checked against it
_WORSE = 2.2  # cost above the best reading at which a reading is not tried
_DOUBT = 1.5  # cost above the best reading from which an answer counts as a guess
IN_PART = ", as far as the graph goes: it may not have all of them"
OUTDATED = ", as far as the graph goes: it may be so no more"
_CODE = re.compile(r"[A-Z]{0,3}[-/]?\d[\d-]*")
_PRONOUNS = frozenset("i you we they he she it us them me him her one".split())


class Reader:
    """Answers skills by parsing, with a lexicon and, where it is given, a ranker.

    The ranker is asked what no rule could answer.
    """

    def __init__(self, lex: Lexicon | None = None, ranker: Ranker | None = None) -> None:
        self.lex = lex or lexicon()
        self.ranker = ranker
        self.resolver = Resolver(self.lex)
        self.rows = Rows(self.lex, self.resolver, ranker.meaning if ranker else None)
        self._read = lru_cache(maxsize=256)(lambda question: tuple(parse(question, self.lex)))
        self.handlers: dict[str, Callable[[Any], BaseModel]] = {
            skills.EXTRACT.name: self.extract,
            skills.CHOOSE_ENTITY.name: self.choose_entity,
            skills.CHOOSE_ANSWER.name: self.choose_entity,
            skills.CHOOSE_ENTITIES.name: self.choose_entities,
            skills.CHOOSE_ANSWERS.name: self.choose_entities,
            skills.ANSWER.name: self.answer,
            NEXT_ACTION.name: self.next_move,
            "answer directly": self.without_graph,
            "think step by step": self.without_graph,
        }

    # -- names ---------------------------------------------------------------------------

    def extract(self, given: skills.Question) -> skills.Mentions:
        return skills.Mentions(mentions=self.mentions(given.question))

    def readings(self, question: str, within: float = 99.0) -> Sequence[Reading]:
        """What the question may mean, the likeliest first, and what costs not much more."""
        found = self._read(question)
        return [r for r in found if r.cost <= found[0].cost + within]

    def mentions(self, question: str) -> list[str]:
        """Names the likely readings rest on, those of the best reading first."""
        readings = self._read(question)
        if not readings or doubts.beyond(question) not in {"", CONJECTURE}:  # R3 goes on by names
            return []
        best = readings[0].cost
        found: dict[str, None] = {}
        for r in readings:
            if r.cost > best + _NEAR:
                break
            own = self._names(r.plan)
            for name in own if r is readings[0] else own[: max(0, _MENTIONS - len(found))]:
                found.setdefault(name)
        for name in (*spans(question, self.lex), *singulars(found)):
            if fold(name) not in {fold(f) for f in found}:
                found.setdefault(name)
        return [n for n in found if n not in _PRONOUNS]  # but “It”, the novel

    def _names(self, plan: Plan) -> list[str]:
        names = [a.text for a in reversed(p.anchors(plan))]
        seen = []
        for n in names:
            seen += [n, *self.lex.demonyms.get(n.casefold(), ())[:1]]
        if not names:
            for part in parts(plan):
                if isinstance(part, p.From) and part.adjective in self.lex.demonyms:
                    seen.append(self.lex.demonyms[part.adjective][0])
                if isinstance(part, p.Kind):
                    seen.append(singular(part.noun))
        return seen

    def choose_entity(self, given: skills.WhichEntity) -> skills.EntityChoice:
        """By name, by what the question says of it, and by whether its relations could answer."""
        return chosen(given, self._read(given.question), self.resolver)

    def choose_entities(self, given: skills.WhichEntities) -> skills.EntityChoices:
        """Each name by itself."""
        by_mention: dict[str, list[int]] = {}
        for n, one in enumerate(given.candidates):
            by_mention.setdefault(one.mention, []).append(n)
        chosen = []
        for mention, positions in by_mention.items():
            own = [given.candidates[n] for n in positions]
            candidates = [skills.Candidate(hit=one.hit, relations=one.relations) for one in own]
            choice = self.choose_entity(
                skills.WhichEntity(question=given.question, mention=mention, candidates=candidates)
            )
            if choice.index >= 0:
                chosen.append(choice.model_copy(update={"index": positions[choice.index]}))
        return skills.EntityChoices(chosen=chosen)

    # -- walking -------------------------------------------------------------------------

    def next_move(self, given: Notebook) -> Move:
        """The next action, and those after it as far as its results can be foreseen."""
        first = self.next_action(given)
        then: list[Later] = []
        last, seen = first, given
        while (view := foreseen(last, seen)) is not None and len(then) < _AHEAD:
            seen = seen.model_copy(
                update={"sets": [*seen.sets, view], "actions_left": seen.actions_left - 1}
            )
            try:
                last = self.next_action(seen)
            except Unforeseen:
                break
            if not _may_follow(last, view, seen):
                break
            then.append(Later(**last.model_dump(), otherwise=not view.size))
        return Move(**first.model_dump(), then=then)

    def next_action(self, given: Notebook) -> Action:
        question = given.question
        if reason := doubts.beyond(question) or doubts.conjecture(question):
            return Action(thought="I cannot read this.", tool="give up", reason=reason)
        view, marked = self._view(given)
        try:
            outcome = self.solve(question, view, marked)
        except Need as need:
            left = given.actions_left
            if left > 2 or (need.settled is None and left > 1):
                few = left <= _FEW and need.settled is None
                return self._rather(given, view, need.action) if few else need.action
            outcome = need.settled or "This needs more steps than allowed. Ask something narrower."
            if isinstance(outcome, str) and need.reasons:
                outcome = self._why_not(need.reasons)
        if isinstance(outcome, str):
            by_rank = self._by_rank(given, view, outcome, fitted().likely)
            likely = by_rank.tool != "give up"
            if rows := self._of_rows(given, view, whole=likely and not _who(question)):
                return rows
            return by_rank if likely else self._by_rank(given, view, outcome)
        in_part = doubts.counted_in_part(outcome, self.lex)
        if reason := in_part or doubts.added_in_part(outcome, given.sets):
            return Action(thought="These may not be all of them.", tool="give up", reason=reason)
        certain = outcome.certain and not doubts.wanting(question, outcome)
        asks = _who(question) or isinstance(outcome.plan, p.Some) or _are_codes(outcome.found)
        # it says of things which are not so: perhaps no column was understood to say it
        asks = asks or any(isinstance(x, p.Join) and x.how == "minus" for x in parts(outcome.plan))
        doubted = not certain and (doubts.unread(question, outcome.plan) or asks)
        if doubted and (whole := self._of_rows(given, view, whole=True)):
            return whole
        wrong = self._wrong(given, view, outcome, guess=not certain)
        plain = _told_apart(outcome.plan) or _is_whole(outcome)
        if wrong and wrong > fitted().doubt and not plain:
            certain = False
            least = max(fitted().likely, 1 - wrong + fitted().surer)
            other = self._by_rank(given, view, "", least, outcome)
            if other.tool != "give up":
                return other
        return Action(
            thought="That answers the question.",
            tool="answer",
            of=outcome.found.name,
            say=_SAY.format(outcome.found.name),
            certain=certain,
            reading=self._reading(given.question, outcome),
        )

    def _of_rows(
        self, given: Notebook, view: NotebookView, *, whole: bool = False
    ) -> Action | None:
        """The next step, or the answer, where the question reads as one about rows; else None."""
        try:
            found = of_rows(given.question, view, self.rows, whole=whole)
        except Need as need:
            return need.action if given.actions_left > 1 else None
        if found is None:
            return None
        told = Action(thought=f"No rule reads this. Its words name {found[1]}.", tool="answer")
        named = {"of": found[0].name, "say": _SAY.format(found[0].name), "reading": found[1]}
        return told.model_copy(update=named | {"certain": False})

    def _rather(self, given: Notebook, view: NotebookView, action: Action) -> Action:
        """What the ranker is likely right with, before the actions run out; else what rules do."""
        other = self._by_rank(given, view, "", fitted().likely, deep=False)
        return action if other.tool == "give up" else other

    def _wrong(
        self, given: Notebook, view: NotebookView, outcome: Outcome, *, guess: bool
    ) -> float:
        """The chance that the rules misread the question; 0 where the ranker has no opinion.

        Without its weights it has none: it says so where it is asked for an answer.
        """
        if self.ranker is None:
            return 0.0
        try:
            opinion = self.ranker.opinion(
                given.question, _linked(given), view, outcome.found.name, self.resolver, guess=guess
            )
        except SettingsError:
            return 0.0
        return wrongness(opinion) if opinion else 0.0

    def _by_rank(
        self,
        given: Notebook,
        view: NotebookView,
        refused: str,
        least: float = 0.0,
        known: Outcome | None = None,
        *,
        deep: bool = True,
    ) -> Action:
        """The next step where the rules cannot go on, as `refused` says, or are likely wrong.

        Gives up where the ranker is less sure than `least`, finds what is `known`, or uses fewer
        of the names.
        """
        read: Read | str = ""
        try:
            if self.ranker is not None:
                mentions = _linked(given)
                ask = self.ranker.solve
                read = ask(given.question, mentions, view, self.resolver, least, deep=deep)
        except Need as need:
            if given.actions_left > 1:
                return need.action
            read = "This needs more steps than allowed. Ask something narrower."
        except SettingsError as error:
            read = str(error)
        if isinstance(read, str) or read.sure < least or (known and _no_other(read, known)):
            told = isinstance(read, str) and not (refused and (read == NO_NAMES or read in refused))
            reason = f"{refused} {read}".strip() if told else refused
            return Action(thought="There is no way on.", tool="give up", reason=reason)
        nearest = f"The nearest in the graph: {read.program.reading()}."
        guessed = read.sure < fitted().likely
        return Action(
            thought=f"{'No rule reads this.' if refused else 'No rule fits well.'} {nearest}",
            tool="answer",
            of=read.found.name,
            say=_SAY.format(read.found.name),
            certain=False,
            reading=read.program.reading() + GUESSED.format(round(10 * read.sure)) * guessed,
        )

    def _reading(self, question: str, outcome: Outcome) -> str:
        """How the question was understood, and that the graph may not have everything asked for."""
        note = OUTDATED if outcome.found.missing == "now" else IN_PART
        return reading(outcome.plan) + (note if doubts.wanting(question, outcome) else "")

    def _view(self, given: Notebook) -> tuple[NotebookView, str]:
        """The notebook as a view, and the question with the names it knows in brackets."""
        question = given.question
        own = self.mentions(question)
        linked = {
            v.mention: (v.members[0], v.by is None) for v in given.sets if v.mention and v.members
        }
        if any(first and mention not in own for mention, (_, first) in linked.items()):
            names = {m: (m, *bearing(v)) for m, (v, _) in linked.items()}  # they were handed over
            marked, called = mark(question, names, loosely=True)
            return NotebookView(given, list(linked), called), marked
        exact = {
            m: (m,)
            for m, (v, _) in linked.items()
            if " " in m and fold(m) in {fold(name) for name in bearing(v)}
        }
        marked, called = mark(question, exact, loosely=False)
        return NotebookView(given, own, called), marked

    def solve(self, question: str, view: View, marked: str = "") -> Outcome | str:
        """The first reading that leads to values, or why none does. Raises what the view raises."""
        if unknown := self._unknown_scale(question):
            return f"What was read has nothing to tell which is “{unknown}”."
        readings = self._ranked(question, view, marked or question)
        if not readings:
            return "The built-in reader does not understand the question. Put it more simply."
        reasons: list[str] = []
        first: Outcome | None = None
        tries = 0
        best = readings[0].cost
        for n, r in enumerate(readings[:_PLANS]):
            if r.cost > best + _WORSE:
                break
            left = doubts.unread(question, r.plan)
            if not _heeds(question, r.plan, left, view):
                continue
            surely = (
                r.cost < min(_GUESS, best + _DOUBT)
                and not (n and r.cost > best + 0.8)
                and not left
                and not doubts.unweighed(question, r.plan, self.lex)
            )
            evaluator = Evaluator(view, self.lex, self.resolver, question)
            values, dropped = evaluator.values(r.plan), list[Action]()
            settled = lambda: first  # noqa: B023, E731
            for found in _noting(values, settled, reasons, view, surely, dropped):
                certain = found.certain and surely
                fits = doubts.answers(question, found) and not doubts.sorted_otherwise(
                    question, r.plan, found, self.lex
                )
                if not fits or (left and denied(found) and isinstance(r.plan, p.Is | p.IsA)):
                    continue  # what ignores a word of the question denies nothing
                found = found.doubted(not doubts.as_many(question, found))
                if itself_ := doubts.itself(r.plan, found, view):
                    if found.size == 1:
                        continue
                    found = found.doubted(itself_)
                    certain = False
                outcome = Outcome(r.plan, found, certain)
                if found.certain and not denied(found) and not first:
                    return outcome
                if first is None:
                    first = outcome
                elif found.certain and certain and not (denied(found) and denied(first.found)):
                    return outcome
                tries += 1
                if tries >= _TRIES:
                    return first
            reasons += evaluator.reasons
            tries += len(dropped)
            if first is not None and tries >= _TRIES:
                return first
            if first is not None and n + 1 < len(readings) and readings[n + 1].cost > best + _CLOSE:
                return first
        return first or self._why_not([*self._unknown_name(question, view), *reasons])

    def _unknown_name(self, question: str, view: View) -> list[str]:
        """That the graph lacks a name of several words, where it may have one of the words."""
        best = next((r.plan for r in self._read(question)), p.Hole())
        for a in [] if getattr(best, "phrase", "") == p.RECORD else p.anchors(best):
            said = a.text.split()
            if len(said) < 2 or a.noun or PREPOSITIONS & set(said) or self.lex.class_of(said[-1]):
                continue
            with suppress(Need):
                if view.anchor(a.text, "") is None:
                    return [f"The graph has no entity called “{a.text}”."]
        return []

    def _unknown_scale(self, question: str) -> str:
        """A superlative that nothing in a graph measures: "tastiest"."""
        for t in tokenise(core(question)):
            plain = not t.name and not t.text[:1].isupper() and t.low not in self.lex.adjectives
            if plain and re.fullmatch(r"\w{3,}iest", t.low) and t.low != "priest":
                return t.low
        return ""

    def _ranked(self, question: str, view: View, marked: str) -> list[Reading]:
        """Readings whose names are in the graph first, longer names before shorter ones."""
        out = []
        cheapest: dict[Plan, float] = {}
        for r in (*self._read(marked), *self._read(question)):
            cheapest[r.plan] = min(r.cost, cheapest.get(r.plan, r.cost))
        read = sorted((Reading(c, plan) for plan, c in cheapest.items()), key=lambda r: r.cost)
        for r in read:
            cost = r.cost
            view.may_look = r.cost <= read[0].cost + _NEAR
            for a in p.anchors(r.plan):
                try:
                    found = view.anchor(a.text, a.noun)
                except Need:
                    cost += 0.6
                    continue
                if found is None:
                    known = a.text.casefold() in self.lex.demonyms or self.lex.renamed(a.text)
                    cost += 0.0 if known else 1.0 if a in _loose(r.plan) else 5.0
                elif not found.certain:
                    cost += 0.8 + 2 * (r.cost > read[0].cost + 0.6)
                else:
                    cost -= 0.35 * (len(a.text.split()) - 1)
            left = doubts.unread(question, r.plan)
            cost += 0.12 * len(left) + 1.5 * any(w[:1].isdigit() for w in left)
            out.append(Reading(cost, r.plan))
        return sorted(out, key=lambda r: r.cost)

    def _why_not(self, reasons: list[str]) -> str:
        return reasons[0] if reasons else "What was read does not contain the answer."

    # -- answering -----------------------------------------------------------------------

    def answer(self, given: skills.FromFacts) -> skills.FactAnswer:
        if given.found is not None:
            readings = self._read(given.question)
            plan = readings[0].plan if readings else None
            return skills.FactAnswer(
                sentences=sentences(plan, given.found, given.facts),
                values=[bare(f.value) for f in given.found],
            )
        if reason := doubts.beyond(given.question) or doubts.conjecture(given.question):
            return skills.FactAnswer(sentences=[], values=[], reason=reason)
        position = {f: i for i, f in enumerate(given.facts) if isinstance(f, Statement)}
        if not position:
            passages = [(i, f) for i, f in enumerate(given.facts) if isinstance(f, Passage)]
            return quote(given.question, passages)
        view = FactsView(list(position))
        outcome = self.solve(given.question, view)
        reason = outcome if isinstance(outcome, str) else doubts.counted_in_part(outcome, self.lex)
        if isinstance(outcome, str) or reason:
            return skills.FactAnswer(sentences=[], values=[], reason=reason)
        members = view.sets[outcome.found.name].members
        found = [
            skills.Found(value=v, facts=[position[s] for s in support if s in position])
            for v, support in members.items()
        ]
        return skills.FactAnswer(
            sentences=sentences(outcome.plan, found, given.facts),
            values=[bare(f.value) for f in found],
            certain=outcome.certain and not doubts.wanting(given.question, outcome),
            reading=self._reading(given.question, outcome),
        )

    def without_graph(self, given: skills.Question) -> skills.Draft:
        return skills.Draft(text="", values=[], reason=_NO_GRAPH)


def _may_follow(action: Action, view: Foreseen, seen: Notebook) -> bool:
    """Whether an action can be planned after the one that makes `view`.

    An answer, where its sets will be as they are foreseen; giving up, where nothing is found.
    """
    if is_made_up(action.value, seen.sets):
        return False
    if action.tool == "give up":
        return not any(isinstance(one, Foreseen) and one.size for one in seen.sets)
    if is_to_be_seen(view) and not (action.tool == "answer" and action.certain):
        return False
    own = next((one for one in seen.sets if one.name == action.of), None)
    return not (action.tool == "answer" and isinstance(own, Foreseen) and own.partly)


def _heeds(question: str, plan: Plan, left: set[str], view: View) -> bool:
    """Whether a reading that leaves these words out takes in the times, and nearly all else."""
    if any(word.isdigit() for word in left):
        return False  # who holds it now did not therefore hold it then
    described = isinstance(plan, p.Hop) and plan.phrase == "description"
    if len(left) > 1 or (left and described):
        return False
    return not (doubts.undated(question, plan) or doubts.of_another_year(question, plan, view))


def _no_other(read: Read, known: Outcome) -> bool:
    """Whether a reading leads to what is known, or ignores a name that is read otherwise."""
    fewer = len(evidence.named_in(read.program)) < len(p.anchors(known.plan))
    return fewer or set(read.found.members) == set(known.found.members)


def _told_apart(plan: Plan) -> bool:
    """Whether no way says what is read: one picked by its place in a row, and what is the kind
    of thing that it is called: the city of Ulm."""
    named = isinstance(plan, p.Hop) and plan.phrase == "description" and plan.source
    return (isinstance(named, p.Anchor) and bool(named.noun)) or any(
        isinstance(part, p.Neighbour) or (isinstance(part, p.Nth) and part.position > 1)
        for part in parts(plan)
    )


def _is_whole(outcome: Outcome) -> bool:
    """Whether it lists all that there are of a kind, or of a kind in a place: a way leads there,
    and to other things, too."""
    plan, found = outcome.plan, outcome.found
    within = isinstance(plan, p.Hop) and plan.form == "role" and not found.via  # sorted by kind
    return outcome.certain and not found.missing and (within or isinstance(plan, p.Kind))


def _who(question: str) -> bool:
    return question.casefold().startswith("who")


def _are_codes(found: Found) -> bool:
    """Whether it is of rows that are called C01 and C02: perhaps a column was asked for."""
    names = [m.name for m in found.things]
    return bool(names) and all(_CODE.fullmatch(name) for name in names)


def _linked(given: Notebook) -> list[str]:
    return [v.mention for v in given.sets if v.mention and v.members and v.mention != ROW]


def _loose(plan: Plan) -> list[p.Anchor]:
    """Names that may be a part of one that stands in a statement ("marry Linda")."""
    out = []
    for part in parts(plan):
        second = part.beside if isinstance(part, p.Hop) else None
        if isinstance(part, p.Is) and isinstance(part.left, p.Hop) and part.left.form == "agent":
            second = part.right
        if isinstance(second, p.Anchor):
            out.append(second)
    return out


def _noting(
    found: Iterator[Found],
    settled: Callable[[], Outcome | None],
    reasons: list[str],
    view: View,
    surely: bool,
    dropped: list[Action],
) -> Iterator[Found]:
    """The same results; a Need carries the outcome that would do if there is no time for it.

    Once there is an outcome, only a certain one takes its place: nothing is needed any more for a
    reading that is none `surely`, or from a set that is doubtful. What is not is `dropped`.
    """
    while True:
        try:
            one = next(found)
        except StopIteration:
            return
        except Need as need:
            need.settled = settled()
            if need.settled is not None and not (surely and is_sound(need.action, view)):
                dropped.append(need.action)
                return
            need.reasons = list(reasons)
            raise
        yield one
