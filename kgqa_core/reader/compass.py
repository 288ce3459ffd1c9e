"""What the built-in reader does for Compass: it writes the plan of its own reading, step by step.

Its walk over sets is ReAct's, its rules and verdicts are R3's. It keeps no state: what was carried
out stands in the input.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic import BaseModel

from kgqa_core.ask.skills import Candidate, WhichEntity
from kgqa_core.facts import relations
from kgqa_core.methods.asking import begins_as_question
from kgqa_core.methods.compass.plan import PlanStep
from kgqa_core.methods.compass.skills import (
    CHOOSE,
    LOOK,
    PLAN,
    PLAN_RULES,
    REPAIR,
    REPAIR_RULES,
    Choosing,
    Look,
    OptionVerdict,
    ReasonedRepair,
    Start,
    ToChoose,
    ToPlan,
    ToRepair,
)
from kgqa_core.methods.r3.query import inside
from kgqa_core.methods.r3.skills import OPTION, ToJudge, ToSurface, Tried, Unsettled
from kgqa_core.methods.react import Notebook, SetView
from kgqa_core.methods.walk import Action
from kgqa_core.reader.doubts import beyond, conjecture, unread
from kgqa_core.reader.grammar import AUX, PREPOSITIONS
from kgqa_core.reader.interpret import Encoder
from kgqa_core.reader.pgakv import Drafting
from kgqa_core.reader.plan import Against, Alive, Anchor, Both, Compare, Is, IsA, Some
from kgqa_core.reader.r3 import Judge, Surface
from kgqa_core.reader.reader import Reader
from kgqa_core.reader.table import ROW
from kgqa_core.reader.verdicts import stated_otherwise
from kgqa_core.reader.words import tokenise
from kgqa_core.text import enumerated, fold, singular

_ACTIONS = 12  # as many as a walk of ReAct has
_BREADTH = 3  # rules that are tried, as in R3
_EXACT = 0.99
_WRITTEN_SO = 0.96  # score of a label or an alias as written, but for case
_TRUTHS = (Is, IsA, Both, Some, Compare, Against, Alive)
_ORDINALS = frozenset("first second third last next".split())
_OFFERED = 4  # relations that an abstention names
# What it planned, the reader has seen; only what a known wording led to is put to it.
_NOT_ITS_OWN = "A known wording led there, and it is not plain that it is meant."


class Planner:
    def __init__(self, reader: Reader, encoder: Encoder | None) -> None:
        self.reader = reader
        self.judge = Judge(encoder)
        self.surface = Surface(reader, self.judge)
        self.drafting = Drafting(reader)

    # -- facts ---------------------------------------------------------------------------

    def by_facts(self, given: ToPlan) -> ReasonedRepair:
        """The next step of the walk, or its end."""
        if fresh := self._names(given):
            return fresh
        done = _sets(given)
        mentions = [] if given.given else self.reader.mentions(given.question)
        walked = [v for v in done if v.by is None or v.by.tool != "find"]
        notebook = Notebook(
            question=given.question,
            sets=[*self._anchors(given, mentions), *walked],
            actions_left=max(1, _ACTIONS - len(walked)),
        )
        action = self.reader.next_action(notebook)
        if action.tool == "give up":
            reason = f"{action.reason} {_instead(given)}".strip()
            return ReasonedRepair(steps=[], reason=reason, thought=action.thought)
        if action.tool == "answer":
            return ReasonedRepair(
                thought=action.thought,
                steps=[],
                answer=action.of,
                certain=action.certain,
                reading=action.reading,
            )
        return ReasonedRepair(thought=action.thought, steps=[_step(action, f"s{len(done) + 1}")])

    def _names(self, given: ToPlan) -> ReasonedRepair | None:
        """Steps that look up what of the question's names was not; None: all were."""
        looked_up = {start.mention for start in given.starts} | set(given.unknown)
        mentions = [] if given.given else self.reader.mentions(given.question)
        first = len(_sets(given)) + 1
        fresh = [mention for mention in mentions if mention not in looked_up]
        if not fresh:
            return None
        steps = [PlanStep(id=f"s{n}", do="find", mention=m) for n, m in enumerate(fresh, first)]
        return ReasonedRepair(thought="I look up the names.", steps=steps)

    def _anchors(self, given: ToPlan, mentions: list[str]) -> list[SetView]:
        """The starts as the sets a walk begins with: for each name what it means.

        What the graph has as written goes before what the grammar cut out around it or of it.
        """
        by_mention = _by_mention(given)
        exact = [m for m, starts in by_mention.items() if _as_written(starts)]
        torn = [m for m in mentions if _is_torn(m, by_mention, exact, mentions)]
        longest = [m for m in exact if not inside(m, (o for o in exact if o != m))]
        new = [m for m in longest if m not in mentions]
        whole = [m for m in new if any(inside(m, [t]) or inside(t, [m]) for t in torn)]
        order = [m for m in mentions if m in by_mention and m not in torn]
        named = [m for m in by_mention if m not in (*mentions, *whole)]
        steps = [v.by for v in _sets(given)]  # what one looked up, the walk came to
        seen = {by.mention for by in steps if by and by.tool == "find"}
        found = [*whole, *(m for m in named if given.given or m in seen)]
        views = [_as_set(start, None, ROW) for start in by_mention.pop(ROW, [])]
        for mention in [m for m in (*order, *found) if m != ROW]:
            meant = self._meant(given.question, mention, by_mention[mention])
            later = mention in found and not given.given
            by = Action(thought="", tool="find", mention=mention) if later else None
            views.append(_as_set(meant, by, mention))
        return views + [_as_set(None, None, mention) for mention in given.unknown]

    def _meant(self, question: str, mention: str, starts: list[Start]) -> Start | None:
        if len(starts) == 1 and starts[0].candidate.score >= _EXACT:
            return starts[0]
        candidates = [Candidate(hit=s.candidate, relations=s.relations) for s in starts]
        choice = self.reader.choose_entity(
            WhichEntity(question=question, mention=mention, candidates=candidates)
        )
        return starts[choice.index] if 0 <= choice.index < len(starts) else None

    # -- rules ---------------------------------------------------------------------------

    def by_rules(self, given: ToPlan) -> ReasonedRepair:
        """A plain question is walked to; one that takes common sense is decided by a rule."""
        rules = given.rules if isinstance(given, ToRepair) else []
        # keywords claim nothing, unless they are put as a claim
        keywords = given.task == "question" and not self._says_something(given.question)
        if keywords or beyond(given.question):
            return self.by_facts(given)
        if not rules and self._looks_up(given):
            reply = self.by_facts(given)
            if reply.steps or reply.answer:
                return reply
        if fresh := self._names(given):
            return fresh
        walks = given.task == "question" and not conjecture(given.question)
        if not rules and walks and self.surface.is_plain(given.question):
            reply = self.by_facts(given)
            if reply.steps or reply.answer or stated_otherwise(reply.reason):
                return reply  # what the graph itself states of it, no rule knows better
        if isinstance(given, ToRepair) and rules:
            reply = self._on_with(given)
        else:
            reply = self._surfaced(given, [])
        if reply.axioms or reply.verdicts or reply.more or not walks:
            return reply
        return self.by_facts(given)

    def _looks_up(self, given: ToPlan) -> bool:
        """Whether it reads, word for word, as a question for values: no rule decides that."""
        question = given.question
        readings = self.reader.readings(question)
        if given.task != "question" or not readings or conjecture(question):
            return False
        best = readings[0].plan
        return not isinstance(best, _TRUTHS) and not unread(question, best)

    def _says_something(self, text: str) -> bool:
        """Whether it asks, or there is a verb in it, other than at its beginning or behind “to”."""
        if begins_as_question(text):
            return True
        low = [t.low for t in tokenise(text)]
        pairs = list(zip(["", *low], low, strict=False))
        verb, no_verb = self.reader.lex.is_verb, PREPOSITIONS | _ORDINALS
        return any(w in AUX or (b not in {"", "to"} and w not in no_verb and verb(w))
                   for b, w in pairs)  # fmt: skip

    def _on_with(self, given: ToRepair) -> ReasonedRepair:
        """Judges what is in words; else states another rule."""
        cited = max((i + 1 for one in given.worded for i in one.facts), default=0)
        if given.worded and not given.judged:
            judged = self.judge.judge(
                ToJudge(
                    question=given.question,
                    axiom=given.rules[-1].rule,
                    premises=given.worded,
                    facts=given.facts[: max(given.near, cited)],
                )
            )
            return ReasonedRepair(steps=[], verdicts=judged.verdicts)
        return self._surfaced(given, [rule.rule for rule in given.rules])

    def _surfaced(self, given: ToPlan, tried: list[str]) -> ReasonedRepair:
        if len(tried) >= _BREADTH or self._of_nobody(given):
            return ReasonedRepair(steps=[])
        by_mention = _by_mention(given)
        meant = [self._meant(given.question, mention, ss) for mention, ss in by_mention.items()]
        entities = dict.fromkeys(start.candidate.entity for start in meant if start is not None)
        axiom = self.surface.rule(
            ToSurface(
                question=given.question,
                task=given.task,
                anchors=[entity.name for entity in entities],
                facts=given.facts,
                tried=[Tried(rule=rule, why="") for rule in tried],
            )
        )
        return ReasonedRepair(steps=[], axioms=[axiom] if axiom.premises else [])

    def _of_nobody(self, given: ToPlan) -> bool:
        """Whether a number is asked of a thing that the graph lacks: no rule about legs tells how
        many a bee has."""
        best = next((r.plan for r in self.reader.readings(given.question)), None)
        of = best.source if isinstance(best, Against) else None
        if not isinstance(of, Anchor):
            return False
        called = {fold(of.text), fold(singular(of.text))}
        return not any(
            _as_written(starts)
            for name, starts in _by_mention(given).items()
            if fold(name) in called
        )

    # -- choices -------------------------------------------------------------------------

    def choose(self, given: ToChoose) -> Choosing:
        """R3's rule for the choice, with a verdict on every premise of every option."""
        asked = ToSurface(
            question=given.question,
            task="preference",
            options=given.options,
            anchors=[given.user],
            facts=given.facts,
            user=given.user,
        )
        axiom = self.surface.rule(asked)
        cells = [
            (at, n, premise.text.replace(OPTION, option), option, premise.kind == "meaning")
            for at, option in enumerate(given.options)
            for n, premise in enumerate(axiom.premises)
        ]
        judged = self.judge.judge(
            ToJudge(
                question=given.question,
                axiom=axiom.rule,
                premises=[
                    Unsettled(premise=text, option=option, meaning=meaning)
                    for *_, text, option, meaning in cells
                ],
                facts=given.facts,
                assume=True,
            )
        )
        return Choosing(
            order=axiom.order,
            rule=axiom.rule,
            premises=[premise.text for premise in axiom.premises],
            verdicts=[
                OptionVerdict(option=at, premise=n, **verdict.model_dump(exclude={"premise"}))
                for (at, n, *_), verdict in zip(cells, judged.verdicts, strict=True)
            ],
        )


def _as_written(starts: list[Start]) -> bool:
    return any(start.candidate.score >= _WRITTEN_SO for start in starts)


def _is_torn(
    mention: str, starts: dict[str, list[Start]], exact: list[str], mentions: list[str]
) -> bool:
    """Whether a name that is there has it as a part that means several things, or was missed."""
    longer = inside(mention, (e for e in exact if e != mention))
    missed = (e for e in exact if e not in mentions)
    return (longer and len(starts.get(mention, ())) > 1) or (
        mention not in exact and any(inside(e, [mention]) for e in missed)
    )


def _instead(given: ToPlan) -> str:
    """What the graph does state of what the question is about, the nearest first."""
    meant = (s for s in given.starts if s.candidate.score >= _WRITTEN_SO and s.mention != ROW)
    named = [s for s in meant if s.relations]
    if not named:
        return ""
    about = max(named, key=lambda s: (len(s.mention.split()), len(s.relations)))
    uses = [u.relation for u in about.relations if u.direction == "out"]
    said = [r.name for r in uses if not relations.belongs(r, "class", "subclass")][:_OFFERED]
    return f"Of {about.candidate.entity.name} it has: {enumerated(said)}." if said else ""


def _as_set(start: Start | None, by: Action | None, mention: str) -> SetView:
    if start is None:
        return SetView(name="none", by=by, mention=mention)
    return SetView(
        name=start.name,
        by=by,
        mention=mention,
        members=[start.candidate.entity],
        size=1,
        relations=start.relations,
    )


def _by_mention(given: ToPlan) -> dict[str, list[Start]]:
    found: dict[str, list[Start]] = {}
    for start in given.starts:
        found.setdefault(start.mention, []).append(start)
    return found


def _sets(given: ToPlan) -> list[SetView]:
    return given.sets if isinstance(given, ToRepair) else []


def _step(action: Action, name: str) -> PlanStep:
    fields = action.model_dump(include=set(PlanStep.model_fields))
    return PlanStep(id=name, do=action.tool, **fields)


def handlers(reader: Reader, encoder: Encoder | None) -> dict[str, Callable[[Any], BaseModel]]:
    planner = Planner(reader, encoder)

    def unless_text(plan: Callable[[ToPlan], ReasonedRepair]) -> Callable[[ToPlan], ReasonedRepair]:
        """Of what asks for a text nothing is planned at first: it is drafted as a whole."""

        def planned(given: ToPlan) -> ReasonedRepair:
            if given.task == "question" and planner.drafting.asks_for_text(given.question):
                return ReasonedRepair(thought="This asks for a text.", steps=[], expects="prose")
            return plan(given)

        return planned

    return {
        PLAN.name: unless_text(planner.by_facts),
        PLAN_RULES.name: unless_text(planner.by_rules),
        REPAIR.name: planner.by_facts,
        REPAIR_RULES.name: planner.by_rules,
        CHOOSE.name: planner.choose,
        LOOK.name: lambda _: Look(verdict="give up", reason=_NOT_ITS_OWN),
    }
