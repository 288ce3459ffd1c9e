"""Question → readings, cheapest first.

A question is brought to the noun phrase it asks for ("Who directed Psycho?" → who directed
Psycho), and the phrase is parsed by a small grammar over spans of tokens. Nothing is decided
here that the graph can decide better: a span may be a name as a whole or fall into parts, and
both readings are kept.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise, product

from kgqa_core.reader import plan as p
from kgqa_core.reader.claims import Claims, Comparisons
from kgqa_core.reader.grammar import AUX, CODES, PREPOSITIONS, WH, Parses, best_of, key_of
from kgqa_core.reader.heads import Heads
from kgqa_core.reader.how import How
from kgqa_core.reader.lexicon import Lexicon, lexicon
from kgqa_core.reader.nouns import Nouns
from kgqa_core.reader.plan import ENDS, Plan, Reading, anchors, has_hole, mapped, parts
from kgqa_core.reader.questions import Loose, Wh
from kgqa_core.reader.rewording import claim, plain
from kgqa_core.reader.verbs import Predicates, Verbs
from kgqa_core.text import asks_for_a_kind, singular, stem

_FRONTED = re.compile(
    r"(?:besides|apart from|aside from|except for|except|other than|excluding) "
    r"(?P<out>.+?), (?P<asked>(?:\w+ )?(?:who|what|which|how)\b.+)$",
    re.IGNORECASE,
)
_NO_NAME = 1.5  # cost from which a run of words is hardly a list of names
_LIKELY = 1.2  # cost above the best reading at which another one means something else
_NAME_THEM = re.compile(
    r"\W*(?:please |what (?:are|were) )?(?:the )?(?:names?|list|enumerate|give|show)\b"
    r"|(?!.*\b(?:of|in|by|from|who|what|how)\b)(?:[a-z-]+ ){1,3}[a-z]+s list\W*$",
    re.IGNORECASE,
)
_CLAUSES = frozenset("when while until whose why".split())
_BARE_OF = 1.5  # cost where “of” alone is taken for what links two things
LONGEST = 36  # tokens; a longer text is hardly one question


def _links_by_of(plan: Plan) -> bool:
    """Whether it asks if something is “of” another: the capital of Sydney is of Australia."""
    return isinstance(plan, p.Is) and any(
        isinstance(x, p.Hop) and x.phrase == "of" and x.form != "role" for x in parts(plan)
    )


def _does(plan: Plan) -> bool:
    return isinstance(plan, p.Hop) and plan.form == "agent" and not plan.want


def parse(question: str, lex: Lexicon | None = None) -> list[Reading]:
    """All readings of a question, cheapest first; none when nothing in it can be asked for."""
    return _Parser(question, lex or lexicon()).readings()


class _Parser(Wh, Loose, Predicates, How, Claims, Comparisons, Nouns, Heads, Verbs):
    def __init__(self, question: str, lex: Lexicon) -> None:
        super().__init__(plain(question), lex)
        self.question = question
        self.claimed = bool(claim(question))

    def readings(self) -> list[Reading]:
        n = len(self.tokens)
        if not 0 < n <= LONGEST:
            return []
        if found := self._apart():
            return found
        i, fronted = 0, ""
        if self.low(0) in PREPOSITIONS | {"after", "until", "till"} and self.low(1) in WH:
            fronted, i = self.low(0), 1
        low = self.low(i)
        if self.claimed:
            return best_of(self.statement_of_fact(0, n), 24)
        if low == "how":
            found += self.how(i + 1, n, fronted)
        elif low in WH:
            found += self.wh(i, n, fronted)
        elif low in AUX:
            found += self.yes_no(0, n)
        if low not in AUX and low not in WH:
            found += [*self.noun_phrase(0, n), *self.record(0, n)]
        either = any(t.low == "or" and not t.name for t in self.tokens)
        found += [Reading(r.cost + 4.0, r.plan) for r in self.keywords(0, n)]
        found += [
            Reading(r.cost + (0.4 if isinstance(each, p.Hop) else -0.1), each)
            for r in found
            if (each := _editions(r.plan)) != r.plan
        ]
        found = [Reading(r.cost, self._once(_distribute(r.plan, either))) for r in found]
        others = {"else", "other", "another"} | ({"also"} if low in {"what", "which"} else set())
        if any(t.low in others and not t.name for t in self.tokens):
            found = [Reading(r.cost, self.others(r.plan)) for r in found]
        if _NAME_THEM.match(self.question):  # list the Great Lakes
            found = [
                Reading(r.cost, p.Kind(r.plan.text))
                if isinstance(r.plan, p.Anchor)
                and singular(many := r.plan.text.lower().split(" of ")[0]) != many
                else r
                for r in found
            ]
        found = [self._what_it_is(r) for r in found if not has_hole(r.plan)]
        found = [r for r in found if not self._names_a_relation(r.plan)]
        found = [Reading(r.cost + _BARE_OF * _links_by_of(r.plan), r.plan) for r in found]
        if self.low(n - 2) in {"is", "are", "was", "were"}:  # what was founded founded nothing
            found = [r for r in found if not _does(r.plan)]
        found = [r for r in found if not (_trivial(r.plan) or _mixed(r.plan))]
        meant = asks_for_a_kind(self.question)  # what a bridge is, not which bridges there are
        return best_of([r for r in found if not (meant and isinstance(r.plan, p.Kind))], 24)

    def _once(self, plan: Plan) -> Plan:
        """ "the composer of X's music", "the author of X's text": one relation, named twice"""
        if isinstance(plan, p.Join | p.Hole | p.Kind | p.Anchor):
            return plan
        plan = mapped(plan, self._once, ENDS)
        if not (isinstance(plan, p.Hop) and plan.form == "role" and isinstance(plan.source, p.Hop)):
            return plan
        inner = plan.source
        said = [
            {e.relations[0] for e in self.lex.find(key_of(h.phrase), "noun") if e.kind == "noun"}
            for h in (plan, inner)
        ]
        made = inner.form == "role" and inner.when is None and plan.phrase != inner.phrase
        if made and said[0] & said[1]:
            return replace(plan, source=inner.source, heard=f"{plan.heard} {inner.phrase}".strip())
        return plan

    def _what_it_is(self, r: Reading) -> Reading:
        """A name alone asks what it is; hardly so with a noun that is no class: “population Ulm”"""
        plan = p.Hop(r.plan, "description", "role") if isinstance(r.plan, p.Anchor) else r.plan
        match plan:
            case p.Hop(phrase="description", source=p.Anchor(noun=noun)) if noun:
                return Reading(r.cost + 3.0 * (self.lex.class_of(noun) is None), plan)
        return Reading(r.cost, plan)

    def _names_a_relation(self, plan: Plan) -> bool:
        """Whether a name of the question, or one thing or another, is read as a relation."""
        said = [x.phrase.split() for x in parts(plan) if isinstance(x, p.Hop)]
        names = [
            {a.low, b.low} for a, b in pairwise(self.tokens[1:])
            if a.cap and b.cap and b.low not in CODES
            and not (self.lex.knows(a.low) or self.lex.knows(b.low))
        ]  # fmt: skip
        led = (words for words in said if _CLAUSES & set(words[:1]))  # when the war ended
        if any(not self.lex.find(key_of(" ".join(words)), "verb") for words in led):
            return True
        return any("or" in words or any(name <= set(words) for name in names) for words in said)

    def _apart(self) -> Parses:
        """ "besides A, who …": without those that are named so"""
        said = _FRONTED.match(plain(self.question))
        if said is None:
            return []
        names, asked = _Parser(said["out"], self.lex), _Parser(said["asked"], self.lex)
        named = names.noun_phrase(0, len(names.tokens))
        without = [r for r in named if _trivial(r.plan) and r.cost < _NO_NAME][:2]
        out = [
            Reading(a.cost + b.cost + 0.1, _without(a.plan, b.plan))
            for a, b in product(asked.readings()[:6], without)
            if not isinstance(a.plan, p.Is | p.IsA | p.Both | p.Some | p.Compare)
        ]
        likely = min((r.cost for r in out), default=0.0) + _LIKELY
        return [r for r in best_of(out, 24) if r.cost < likely]

    def others(self, plan: Plan) -> Plan:
        """Without what the question names itself ("What else did the director of X make?")."""
        if isinstance(
            plan, p.Join | p.Is | p.IsA | p.Both | p.Some | p.Compare | p.Anchor | p.Between
        ):
            return plan
        named = anchors(plan)
        return p.Join(plan, named[-1], "minus") if named else plan


def _without(plan: Plan, out: Plan) -> Plan:
    """What is left out is not counted either, nor does it come first."""
    if isinstance(plan, p.Count | p.Nth):
        return replace(plan, source=_without(plan.source, out))
    return p.Join(plan, out, "minus")


def _editions(plan: Plan) -> Plan:
    """Won the World Cup: the World Cup of a year, and each other that is called so"""
    if isinstance(plan, p.Join | p.Hole | p.Kind | p.Anchor):
        return plan
    match plan:
        case p.Hop(source=p.Anchor(), want="time", beside=p.Anchor(text=name)):
            each = p.Named(replace(plan, want="", beside=None), name, dated=True)
            return p.Hop(each, "point in time", "role", "time")
        case (
            p.Count(source=p.Hop(source=p.Anchor(), beside=p.Anchor(text=name)) as won)
            | p.Nth(source=p.Hop(source=p.Anchor(), beside=p.Anchor(text=name)) as won)
        ):
            return replace(plan, source=p.Named(replace(won, beside=None), name))
    return mapped(plan, _editions, ENDS)


def _distribute(plan: Plan, either: bool = False) -> Plan:
    """ "border both A and B": what borders A and also borders B"""
    if isinstance(plan, p.Join | p.Hole | p.Kind | p.Anchor):
        return plan
    plan = mapped(plan, lambda part: _distribute(part, either), ENDS)
    if isinstance(plan, p.Hop) and isinstance(plan.source, p.Join) and plan.beside is None:
        pair = plan.source
        verb = plan.form != "role" or stem(plan.phrase) == "member"
        if pair.how == "intersection" or (pair.how == "union" and verb and not either):
            left, right = replace(plan, source=pair.left), replace(plan, source=pair.right)
            return p.Join(left, right, "intersection")
    return plan


def _mixed(plan: Plan) -> bool:
    """What is asked for beside a name: "films that star A", and B."""
    if isinstance(plan, p.Of | p.Count):
        return _mixed(plan.source)
    if not (isinstance(plan, p.Join) and plan.how == "union"):
        return False
    return _trivial(plan.left) != _trivial(plan.right)


def _trivial(plan: Plan) -> bool:
    """Names alone ask for nothing."""
    return all(isinstance(part, p.Join | p.Anchor) for part in parts(plan))
