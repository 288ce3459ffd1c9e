"""What the reader does for each skill: the question is parsed anew every time.

Parsing is cheap and a walk's notebook holds all that was done, so no handler keeps state and
the same input always gets the same reply.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pydantic import BaseModel
from rapidfuzz import fuzz

from kgqa_core.ask import skills
from kgqa_core.ask.skills import (
    Candidate,
    Draft,
    EntityChoice,
    EntityChoices,
    FactAnswer,
    FromFacts,
    Mentions,
    Question,
    WhichEntities,
    WhichEntity,
)
from kgqa_core.errors import SettingsError
from kgqa_core.facts import relations
from kgqa_core.facts.terms import BOOLEAN, TIMES, Entity, Literal, Passage, Statement, Value
from kgqa_core.methods.react import NEXT_ACTION, Notebook
from kgqa_core.methods.walk import Action, Later, Move
from kgqa_core.reader import plan as p
from kgqa_core.reader.acting import Found, View
from kgqa_core.reader.evaluate import Evaluator
from kgqa_core.reader.evidence import fitted, wrongness
from kgqa_core.reader.grammar import AUX, DEADLY, FILLER, PREPOSITIONS
from kgqa_core.reader.lexicon import Lexicon, lexicon
from kgqa_core.reader.names import mark, singulars, spans
from kgqa_core.reader.parse import parse
from kgqa_core.reader.plan import Plan, Reading, parts
from kgqa_core.reader.quote import quote
from kgqa_core.reader.ranker import Ranker, Read
from kgqa_core.reader.resolve import Encoder, Resolver
from kgqa_core.reader.rewording import core, plain
from kgqa_core.reader.views import (
    FactsView,
    Need,
    NotebookView,
    Unforeseen,
    foreseen,
    is_to_be_seen,
)
from kgqa_core.reader.wording import bare, reading, sentences
from kgqa_core.reader.words import ORDINALS, tokenise
from kgqa_core.text import fold, singular, stem

_MENTIONS = 5  # names proposed at most
_NEAR = 1.6  # cost above the best reading at which a reading still proposes names
_PLANS = 12  # readings tried
_AHEAD = 6  # actions planned after the next one
_SAY = "{{{}}}."  # the members of a set alone
_SURER = 0.2  # by so much the ranker is surer than the rules where it answers in their place
_GUESS = 3.5  # cost from which every reading is a guess
_SPELT = 85  # of 100: a surname in another spelling
_PLAYING = frozenset(stem(w) for w in "play portray voice".split())
_FIT = 0.6  # of an entity's score: that its relations could answer
_MEASURED = 0.9  # how well one fits that has what is compared
_CLOSE = 1.0  # cost above the best reading up to which a guess or a "no" is checked against it
_WORSE = 2.2  # cost above the best reading at which a reading is not tried
_DOUBT = 1.5  # cost above the best reading from which an answer counts as a guess
IN_PART = ", as far as the graph goes: it need not have all"
OUTDATED = ", as far as the graph goes: it may be so no more"
_NO_GRAPH = (
    "The built-in reader knows nothing by itself: it only reads a graph. Choose a method that "
    "reads the graph (1-hop, ReAct), or connect a language model in Settings."
)
_ENGLISH = "The built-in reader reads English questions only. Ask in English, or connect a model."
_SCOPE = (
    "The built-in reader looks facts up, compares and counts; it cannot answer questions for "
    "reasons, advice or opinions. Connect a language model for those."
)
_CONTENTLESS = frozenset(
    "the a an of in on at to for from by with and or is are was were be been do does did has have "
    "had what which who whom whose where when how why many much long old there that this these "
    "those it its his her their he she they him them me my you your i we us our as than then "
    "also ever else still exactly please tell give show list name names find all any some every "
    "each both only just one ones not no can could would will shall should may might about into "
    "people person thing things kind type sort number amount total value called named known many "
    "most more less least other another different same first time times year years date place "
    "located born happen happened take took place during between before after since until now "
    "today current currently actually really so if whether know want need like would get got "
    "two three four five six seven eight nine ten s 's t go went going come came make made used "
    "use been being having whose during whole "
    "entire world earth alive living age ago lot lots few together jointly out up cover covers "
    "himself herself themselves own".split()
)
_EMPTY_STEMS = {stem(w) for w in _CONTENTLESS | FILLER}
_OPINION = frozenset(
    "best worst greatest beautiful prettiest nicest coolest funniest better worse favourite "
    "favorite interesting boring should".split()
)
_FOREIGN = frozenset(
    "wer wie wann wo welche welcher welches warum ist sind der die das und qui quel quelle quand "
    "où ou est-ce combien dónde donde quién quien cuándo cuando cuál cual qué cómo como cuántos "
    "chi quando dove quale perché wat waar wanneer hoeveel vem vad när var quem onde qual hvem "
    "hvor wurde hat hatte ist für von los las les des est una uno il".split()
)


_ORDERS = frozenset({p.Nth, p.Compare, p.Gap, p.Between})
_AMOUNTS = _ORDERS | {p.Limit, p.Against}
_COMPARING = frozenset("more less fewer most least fewest".split())
_WEIGHTY: dict[str, frozenset[type]] = {  # words that some part of the plan must stand for
    **dict.fromkeys("first last second third latest earliest".split(), _ORDERS),
    **dict.fromkeys("more less fewer most least fewest".split(), _AMOUNTS | {p.Is}),
    **dict.fromkeys(("before", "after"), _ORDERS | {p.Limit, p.Age, p.Neighbour, p.Alive}),
    **dict.fromkeys("old young new".split(), _ORDERS | {p.Age, p.Measure}),
    **dict.fromkeys("together combined altogether average".split(), frozenset({p.Total})),
    **dict.fromkeys("different same only single former".split(), frozenset()),
    **dict.fromkeys(("else", "other", "another"), frozenset({p.Join, p.Nth, p.Count})),
}
_SECOND = re.compile(
    r"[?;]\s+\w+|[a-z]{3}\.\s+(?:who|what|when|where|how|which|is|are|did)\b"
    r"|\b(?:and|but) (?:who|whom|when|where|why|how|what|which)"
    r" (?:is|are|was|were|do|does|did|has|have|can|will|many|much|old|long)\b",
    re.IGNORECASE,
)


class Reader:
    """Answers skills by parsing, with a lexicon and, where they are given, an encoder and a ranker.

    The ranker is asked what no rule could answer.
    """

    def __init__(
        self,
        encoder: Encoder | None = None,
        lex: Lexicon | None = None,
        ranker: Ranker | None = None,
    ) -> None:
        self.lex = lex or lexicon()
        self.ranker = ranker
        self.resolver = Resolver(self.lex, encoder)
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

    def extract(self, given: Question) -> Mentions:
        return Mentions(mentions=self.mentions(given.question))

    def readings(self, question: str) -> Sequence[Reading]:
        """What the question may mean, the likeliest first."""
        return self._read(question)

    def mentions(self, question: str) -> list[str]:
        """Names the likely readings rest on, those of the best reading first."""
        readings = self._read(question)
        if not readings or beyond(question) not in {"", _CONJECTURE}:  # R3 goes on from names
            return []
        best = readings[0].cost
        found: dict[str, None] = {}
        for r in readings:
            if r.cost > best + _NEAR:
                break
            for name in self._names(r.plan):
                if len(found) < _MENTIONS:
                    found.setdefault(name)
        for name in (*spans(question, self.lex), *singulars(found)):
            if fold(name) not in {fold(f) for f in found}:
                found.setdefault(name)
        wish = _WISH.match(question) is not None  # “I want” names nothing
        return [n for n in found if not (wish and _WISHED & set(fold(n).split()))]

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

    def choose_entity(self, given: WhichEntity) -> EntityChoice:
        """By name, by what the question says of it, and by whether its relations could answer."""
        above = [
            (r.cost, part)
            for r in self._read(given.question)[:6]
            for part in parts(r.plan)
            if isinstance(part, p.Hop)
            and any(fold(a.text) == fold(given.mention) for a in _listed(part.source))
        ]
        above += [
            (r.cost, p.Hop(part.other, part.phrase, part.form))
            for r in self._read(given.question)[:6]
            for part in parts(r.plan)
            if isinstance(part, p.Where)
            and isinstance(part.other, p.Anchor)
            and fold(part.other.text) == fold(given.mention)
        ]
        scales = {
            label
            for r in self._read(given.question)[:3]
            for part in parts(r.plan)
            if isinstance(part, p.Nth | p.Compare | p.Gap | p.Measure)
            and any(fold(a.text) == fold(given.mention) for a in p.anchors(part))
            for label in self._scale(part.by)
        }
        plays = any(
            isinstance(part, p.Hop)
            and isinstance(part.beside, p.Anchor)
            and fold(part.beside.text) == fold(given.mention)
            and stem(part.phrase) in _PLAYING
            for r in self._read(given.question)[:6]
            for part in parts(r.plan)
        )
        nouns = {
            part.noun
            for r in self._read(given.question)[:6]
            for part in parts(r.plan)
            if isinstance(part, p.Anchor) and part.noun and fold(part.text) == fold(given.mention)
        }
        base = min((cost for cost, _ in above), default=0.0)
        who = _WHO.match(core(given.question)) is not None and any(
            hop.phrase == "description" for _, hop in above
        )
        scored = []
        for n, candidate in enumerate(given.candidates):
            hit = candidate.hit
            score = hit.score - 0.02 * n
            if _plain(hit.entity.label) == _plain(given.mention):
                score += 0.05
            fit = 0.0
            for cost, hop in above:
                found = self.resolver.candidates(
                    hop.phrase, hop.form, candidate.relations, want=hop.want, prep=hop.prep
                )
                if found:
                    fit = max(fit, found[0].score - 0.3 * (cost - base))
            if scales & {fold(u.relation.name) for u in candidate.relations}:
                fit = max(fit, _MEASURED)
            score += _FIT * max(0.0, fit)
            about = fold(f"{hit.entity.description} {hit.entity.label}")
            kinds = {
                fold(e)
                for u in candidate.relations
                if (relations.belongs(u.relation, "class") or fold(u.relation.name) == "occupation")
                and u.direction == "out"
                for e in u.examples
            }
            for noun in nouns:
                known = self.lex.class_of(noun)
                labels = {fold(x) for x in (noun, *(known.labels if known else ()))}
                if labels & kinds or fold(noun) in about:
                    score += 0.4
            if who and any(k in _BEINGS or k.endswith("character") for k in kinds):
                score += 0.5  # who is X: somebody, rather than the film about them
            if plays and any("character" in k or "fictional" in k for k in kinds):
                score += 0.5  # who played X: a role
            if not likely(given.mention, hit.entity):
                score -= 10
            score += min(0.08, sum(u.count for u in candidate.relations) / 2000)
            score -= 0.5 * (not candidate.relations)  # nothing is known of it
            scored.append((score, hit.score, -n))
        if not scored:
            return EntityChoice(index=-1, why="nothing bears this name")
        best = max(scored)
        if best[0] < 0:
            return EntityChoice(index=-1, why=f"nothing is called “{given.mention}”")
        index = -best[2]
        chosen = given.candidates[index].hit.entity
        why = "its name and relations fit the question best"
        if len(scored) == 1:
            why = "the only entity with such a name"
        elif chosen.description:
            why = f"{chosen.description}: this fits the question best"
        return EntityChoice(index=index, why=why)

    def choose_entities(self, given: WhichEntities) -> EntityChoices:
        """Each name by itself."""
        by_mention: dict[str, list[int]] = {}
        for n, one in enumerate(given.candidates):
            by_mention.setdefault(one.mention, []).append(n)
        chosen = []
        for mention, positions in by_mention.items():
            own = [given.candidates[n] for n in positions]
            candidates = [Candidate(hit=one.hit, relations=one.relations) for one in own]
            choice = self.choose_entity(
                WhichEntity(question=given.question, mention=mention, candidates=candidates)
            )
            if choice.index >= 0:
                chosen.append(choice.model_copy(update={"index": positions[choice.index]}))
        return EntityChoices(chosen=chosen)

    def _scale(self, by: str) -> tuple[str, ...]:
        """Relations that a comparison by these words would look up."""
        head, _, rest = by.partition(" ")
        measure = self.lex.adjectives.get(head)
        return (*self.lex.dated_by(rest), *(measure.relations if measure and not rest else ()))

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
            if last.tool == "give up" or (
                is_to_be_seen(view) and not (last.tool == "answer" and last.certain)
            ):
                break
            then.append(Later(**last.model_dump()))
        return Move(**first.model_dump(), then=then)

    def next_action(self, given: Notebook) -> Action:
        question = given.question
        if reason := beyond(question) or conjecture(question):
            return Action(thought="I cannot read this.", tool="give up", reason=reason)
        view, marked = self._view(given)
        try:
            outcome = self.solve(question, view, marked)
        except Need as need:
            if given.actions_left > 2 or (need.settled is None and given.actions_left > 1):
                return need.action
            outcome = need.settled or "This needs more steps than allowed. Ask something narrower."
            if isinstance(outcome, str) and need.reasons:
                outcome = self._why_not(need.reasons)
        if isinstance(outcome, str):
            return self._by_rank(given, view, outcome)
        certain = outcome.certain and not wanting(question, outcome)
        wrong = self._wrong(given, view, outcome, guess=not certain)
        if wrong > fitted().doubt:
            certain = False
            least = 1 - wrong + _SURER
            other = self._by_rank(given, view, "", least, outcome.found.members)
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
        known: tuple[Value, ...] = (),
    ) -> Action:
        """The next step where the rules cannot go on, as `refused` says, or are likely wrong.

        Gives up where the ranker is less sure than `least`, or finds what is `known`.
        """
        read: Read | str = ""
        try:
            if self.ranker is not None:
                mentions = _linked(given)
                read = self.ranker.solve(given.question, mentions, view, self.resolver)
        except Need as need:
            if given.actions_left > 1:
                return need.action
            read = "This needs more steps than allowed. Ask something narrower."
        except SettingsError as error:
            read = str(error)
        if not isinstance(read, str) and not _answers(given.question, read.found):
            read = (
                f"The nearest reading, {read.program.reading()}, is no answer to such a question."
            )
        if isinstance(read, str) or read.sure < least or set(read.found.members) == set(known):
            reason = f"{refused} {read}".strip() if isinstance(read, str) else refused
            return Action(thought="There is no way on.", tool="give up", reason=reason)
        nearest = f"The nearest in the graph: {read.program.reading()}."
        return Action(
            thought=f"{'No rule reads this.' if refused else 'No rule fits well.'} {nearest}",
            tool="answer",
            of=read.found.name,
            say=_SAY.format(read.found.name),
            certain=False,
            reading=read.program.reading(),
        )

    def _reading(self, question: str, outcome: Outcome) -> str:
        """How the question was understood, and that the graph may not have everything asked for."""
        note = OUTDATED if outcome.found.missing == "now" else IN_PART
        return reading(outcome.plan) + (note if wanting(question, outcome) else "")

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
            return f"The graph has nothing to tell which is “{unknown}”."
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
            if len(unread := self.unread(question, r.plan)) > 1 or (
                unread and isinstance(r.plan, p.Hop) and r.plan.phrase == "description"
            ):
                continue
            evaluator = Evaluator(view, self.lex, self.resolver, question)
            for found in _noting(evaluator.values(r.plan), lambda: first, reasons):  # noqa: B023
                certain = (
                    found.certain
                    and r.cost < min(_GUESS, best + _DOUBT)
                    and not (n and r.cost > best + 0.8)
                    and not unread
                )
                if not _answers(question, found) or (
                    unread and _denied(found) and isinstance(r.plan, p.Is | p.IsA)
                ):
                    continue  # what ignores a word of the question denies nothing
                certain = certain and not self.unweighed(question, r.plan)
                if itself := _itself(r.plan, found, view):
                    if found.size == 1:
                        continue
                    found = found.doubted(itself)
                    certain = False
                outcome = Outcome(r.plan, found, certain)
                if found.certain and not _denied(found) and not first:
                    return outcome
                if first is None:
                    first = outcome
                elif found.certain and certain and not (_denied(found) and _denied(first.found)):
                    return outcome
                tries += 1
                if tries >= 3:
                    return first
            reasons += evaluator.reasons
            if first is not None and n + 1 < len(readings) and readings[n + 1].cost > best + _CLOSE:
                return first
        return first or self._why_not(reasons)

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
            unread = self.unread(question, r.plan)
            cost += 0.12 * len(unread) + 1.5 * any(w[:1].isdigit() for w in unread)
            out.append(Reading(cost, r.plan))
        return sorted(out, key=lambda r: r.cost)

    def _why_not(self, reasons: list[str]) -> str:
        if not reasons:
            return "The graph does not contain the answer."
        return reasons[0]

    def unread(self, question: str, plan: Plan) -> set[str]:
        """Content words of the question that the plan does not use."""
        left = _asked(question) - _used(plan)
        if {"not", "never", "without"} & {t.low for t in tokenise(plain(question))}:
            negated = any(
                (isinstance(x, p.Join) and x.how == "minus") or getattr(x, "negated", False)
                for x in parts(plan)
            )
            left |= set() if negated else {"not", "never"} - _used(plan)
        return {w for w in left if w in {"not", "never"} or w not in _EMPTY_STEMS}

    def unweighed(self, question: str, plan: Plan) -> bool:
        """Whether a small word that changes the meaning has no part in the plan.

        "the *old* stadium", "the *only* son", or a second question in the same sentence.
        """
        tokens = tokenise(plain(question))
        if _SECOND.search(core(question)):
            return True
        said: set[str] = set()
        for part in parts(plan):
            noun = part.noun.split() if isinstance(part, p.Anchor) else []
            if noun and self.lex.class_of(noun[-1]) is None:
                return True  # the “andean” region: what nobody knows as a kind of thing
            for name in ("text", "noun", "phrase", "by", "adjective", "heard", "prep"):
                said |= set(re.findall(r"\w+", fold(str(getattr(part, name, "")))))
        said -= _COMPARING  # that a phrase has the word is no comparison
        kinds = {type(part) for part in parts(plan)}
        timed = any(getattr(part, "want", "") == "time" for part in parts(plan))
        for n, t in enumerate(tokens):
            if t.name or t.span or t.low in said or t.low not in _WEIGHTY:
                continue
            if tokens[n - 1].low == "how" and n:
                continue
            if t.low == "first" and timed:
                continue
            if not _WEIGHTY[t.low] & kinds:
                return True
        return False

    # -- answering -----------------------------------------------------------------------

    def answer(self, given: FromFacts) -> FactAnswer:
        if given.found is not None:
            readings = self._read(given.question)
            plan = readings[0].plan if readings else None
            return FactAnswer(
                sentences=sentences(plan, given.found, given.facts),
                values=[bare(f.value) for f in given.found],
            )
        if reason := beyond(given.question) or conjecture(given.question):
            return FactAnswer(sentences=[], values=[], reason=reason)
        position = {f: i for i, f in enumerate(given.facts) if isinstance(f, Statement)}
        if not position:
            passages = [(i, f) for i, f in enumerate(given.facts) if isinstance(f, Passage)]
            return quote(given.question, passages)
        view = FactsView(list(position))
        outcome = self.solve(given.question, view)
        if isinstance(outcome, str):
            return FactAnswer(sentences=[], values=[], reason=outcome)
        members = view.sets[outcome.found.name].members
        found = [
            skills.Found(value=v, facts=[position[s] for s in support if s in position])
            for v, support in members.items()
        ]
        return FactAnswer(
            sentences=sentences(outcome.plan, found, given.facts),
            values=[bare(f.value) for f in found],
            certain=outcome.certain and not wanting(given.question, outcome),
            reading=self._reading(given.question, outcome),
        )

    def without_graph(self, given: Question) -> Draft:
        return Draft(text="", values=[], reason=_NO_GRAPH)


def _linked(given: Notebook) -> list[str]:
    return [v.mention for v in given.sets if v.mention and v.members]


@lru_cache(maxsize=1_000)
def _asked(question: str) -> frozenset[str]:
    """The stems of the question's content words, and its times."""
    asked = {
        stem(w)
        for t in tokenise(plain(question))
        if t.span is None
        for w in re.findall(r"\w+", fold(f"{t.text} "))  # one word, also with capitals inside
        if w not in _CONTENTLESS and not w.isdigit()
    }
    for t in tokenise(question):
        if t.span is not None:
            asked |= set(re.findall(r"\w+", t.span.value))
    return frozenset(asked)


@lru_cache(maxsize=10_000)
def _used(plan: Plan) -> frozenset[str]:
    """The stems of the words that a plan stands for."""
    used: set[str] = set()
    for part in parts(plan):
        for name in ("text", "noun", "phrase", "by", "adjective", "prep", "heard", "unit"):
            value = getattr(part, name, "")
            if isinstance(value, str):
                used |= {stem(w) for w in re.findall(r"\w+", fold(f"{value} "))}
        if isinstance(part, p.Nth):
            used |= {stem(w) for w, n in ORDINALS.items() if n == part.position}
        if getattr(part, "by", "") == "death toll":
            used |= DEADLY
        for name in ("when", "span"):
            span = getattr(part, name, None)
            if span is not None:
                used |= set(re.findall(r"\w+", f"{span.value} {span.until}"))
    if any(isinstance(x, p.Nth | p.Compare | p.Gap) for x in parts(plan)):
        used |= {stem(w) for w in "last latest recent first earliest final longest".split()}
        used |= {"larg", "big", "high", "great", "small", "low", "large", "highest", "largest"}
        used |= {"longer", "taller", "length", "size"}
        used |= {stem(w) for w in "earlier later sooner".split()}
    if any(isinstance(x, p.Hop) and x.want == "place" for x in parts(plan)):
        used |= {stem(w) for w in "lie locate situate".split()}
    return frozenset(used)


@dataclass(frozen=True)
class Outcome:
    """A plan that led to values."""

    plan: Plan
    found: Found
    certain: bool


def wanting(question: str, outcome: Outcome) -> bool:
    """Whether the answer speaks of all of something of which the graph may give only a part.

    One value is enough for a question in the singular ("which film", "the daughter of") or for a
    place.
    """
    plan = outcome.plan
    if outcome.found.missing in {"now", "source"}:
        return True
    if not outcome.found.missing or (isinstance(plan, p.Hop) and plan.want == "place"):
        return False
    noun = singular(_asked_for(plan)).split()[-1:]
    heard = [w for w in re.findall(r"\w+", fold(question)) if [singular(w)] == noun]
    if any(w != singular(w) for w in heard) or isinstance(plan, p.Count | p.Nth | p.Compare):
        return True
    return not heard and outcome.found.missing != "several"


def _asked_for(plan: Plan) -> str:
    """What a question for values calls them; empty when it does not, or asks for something else."""
    match plan:
        case p.Kind() | p.Of():
            return plan.noun
        case p.Hop():
            return plan.phrase if plan.form == "role" else plan.noun
        case p.From() | p.Where() | p.Limit() | p.Named():
            return _asked_for(plan.source)
        case p.Join() if plan.how != "union":
            return _asked_for(plan.left)
    return ""


def _answers(question: str, found: Found) -> bool:
    """Whether the values are of the kind the question word asks for."""
    low = [t.low for t in tokenise(plain(question))][:3]
    if low and low[0] in PREPOSITIONS:
        low = low[1:]
    asked = " ".join(low[:2])
    literals = [m for m in found.members if isinstance(m, Literal)]
    times = [m for m in literals if m.datatype in TIMES]
    truths = [m for m in literals if m.datatype == BOOLEAN]
    if low[:1] == ["where"]:
        kinds = {e.casefold() for u in found.uses if relations.belongs(u.relation, "class")
                 and u.direction == "out" for e in u.examples}  # fmt: skip
        return not times and not truths and kinds != {"human"}
    if low[:1] == ["when"] or asked in {"what year", "which year", "what date", "which date"}:
        return len(literals) == len(found.members)
    if low[:1] in (["who"], ["whom"]):
        return not literals
    if asked in {"how many", "how much", "how old", "how tall", "how high", "how long"}:
        return len(literals) == len(found.members) and not times
    choice = any(t.low == "or" and not t.name for t in tokenise(plain(question)))
    return not (low[:1] and low[0] in AUX) or choice or len(truths) == len(found.members)


def _itself(plan: Plan, found: Found, view: View) -> bool:
    """Whether what the question names is in the answer, though it asks for another thing."""
    for part in parts(plan):
        if isinstance(part, p.Compare | p.Named):
            return False
        if isinstance(part, p.Join) and part.how != "intersection":
            return False
    if not isinstance(plan, p.Hop | p.Of | p.Where | p.Limit):
        return False
    for a in p.anchors(plan):
        try:
            named = view.anchor(a.text, a.noun)
        except Need:
            continue
        if named is not None and set(found.members) & set(named.members):
            return True
    return False


def _listed(plan: Plan) -> list[p.Anchor]:
    """The names a phrase is said of, alone or as a list: the births of A and B."""
    if isinstance(plan, p.Join):
        return [*_listed(plan.left), *_listed(plan.right)]
    return [plan] if isinstance(plan, p.Anchor) else []


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


def likely(mention: str, entity: Entity) -> bool:
    """Whether a name may stand for the entity: the same, mistyped, or a part that is enough.

    Part of a longer name ("Einstein") counts for capitalised mentions or people only.
    """
    asked = _plain(mention)
    for name in (entity.label, *entity.aliases):
        known = _plain(name)
        if asked == known or singular(asked) == singular(known):
            return True
        if name != entity.label:
            continue
        if len(asked) >= 5 and fuzz.ratio(asked, known) >= 84 and not _other_word(asked, known):
            return True
        words_, whole = asked.split(), known.split()
        surname = words_[0] == whole[-1] and len(whole) <= 3
        if len(words_) == 1 and 1 < len(whole) <= 3 and min(len(asked), len(whole[-1])) >= 6:
            surname = surname or fuzz.ratio(asked, whole[-1]) >= _SPELT  # Trotzky
            if surname and named_(entity):
                return True
        named = not entity.label[:1].islower()
        if set(words_) < set(whole) and named and (len(words_) > 1 or surname):
            return True
    return False


def bearing(value: Value) -> tuple[str, ...]:
    """The names of an entity; none of a literal."""
    return (value.label, *value.aliases) if isinstance(value, Entity) else ()


def named_(entity: Entity) -> bool:
    """Whether its label is written as a name."""
    return not entity.label[:1].islower()


def _plain(name: str) -> str:
    """A name without article, the dots of initials and what sets its parts off."""
    bare = re.sub(r"[:,–—]\s|\s[–—]", " ", fold(name)).removeprefix("the ")
    return " ".join(bare.replace(". ", " ").rstrip(".").split())


def _other_word(asked: str, known: str) -> bool:
    """Short words that differ are other words, not typing errors."""
    a, b = asked.split(), known.split()
    if len(a) != len(b):
        return False
    limits = (75 if min(len(x), len(y)) > 4 else 85 for x, y in zip(a, b, strict=True))
    return any(fuzz.ratio(x, y) < least for x, y, least in zip(a, b, limits, strict=True))


def _noting(
    found: Iterator[Found], settled: Callable[[], Outcome | None], reasons: list[str]
) -> Iterator[Found]:
    """The same results; a Need carries the outcome that would do if there is no time for it."""
    while True:
        try:
            one = next(found)
        except StopIteration:
            return
        except Need as need:
            need.settled = settled()
            need.reasons = list(reasons)
            raise
        yield one


def _denied(found: Found) -> bool:
    return any(
        isinstance(m, Literal) and m.datatype == BOOLEAN and m.value == "false"
        for m in found.members
    )


_FUTURE = "A graph records what is and was, not what will be. Ask about the present or the past."
_WILL = re.compile(
    r"^(?:will|(?:who|what|when|where|which(?: \w+){1,3}|how \w+(?: \w+){0,2}) will)\b",
    re.IGNORECASE,
)


_WISH = re.compile(r"(?:i|we|my|some(?:thing|body|one)|any(?:thing|body|one))\b", re.IGNORECASE)
_WISHED = frozenset(
    "i i'd i'm i've am we my me want wants need needs would like love looking craving crave feel "
    "fancy prefer something somebody someone anything anybody anyone that is for without".split()
)
_CONJECTURE = (
    "This asks what could or would be so, which facts alone do not say. The method R3 reasons "
    "about such questions."
)
_WHO = re.compile(r"who\b", re.IGNORECASE)
_BEINGS = frozenset({"human", "fictional human", "person", "deity", "group of humans"})
_MIGHT = re.compile(r"^(?:would|could|might|should|may|must)\b", re.IGNORECASE)


def conjecture(question: str) -> str:
    """Why facts alone do not tell: the question is for what could or would be so."""
    return _CONJECTURE if _MIGHT.match(core(question)) else ""


def beyond(question: str) -> str:
    """Why the reader does not even try: another language, or no question for facts."""
    letters = [c for c in question if c.isalpha()]
    if letters and sum(c.isascii() for c in letters) < 0.6 * len(letters):
        return _ENGLISH
    low = re.findall(r"[\w'-]+", question.casefold())
    if low and low[0] in _FOREIGN and not set(low) & {"the", "of", "is", "who", "what", "was"}:
        return _ENGLISH
    if _WILL.match(core(question)):
        return _FUTURE
    start = " ".join(low[:3])
    if any(t.low in _OPINION and not t.cap for t in tokenise(question)):
        return _SCOPE
    if low and (
        low[0] == "why"
        or start.startswith(
            ("how do i", "how can i", "how to", "should i", "how should", "how come")
        )
        or "do you think" in question.casefold()
        or "your opinion" in question.casefold()
    ):
        return _SCOPE
    return ""
