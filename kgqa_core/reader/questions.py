"""Questions with who, what, which, whose, where, when; and those without an order of words."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, product

from kgqa_core.reader import plan as p
from kgqa_core.reader.grammar import (
    AUX,
    BE,
    DETERMINERS,
    DO,
    FILLER,
    GENERAL,
    HAVE,
    MODAL,
    MORTALS_1,
    PLACE_NOUNS,
    PREPOSITIONS,
    SOMEONE,
    THING_NOUNS,
    TIME_NOUNS,
    WANTS,
    WH,
    Head,
    Parses,
    Readings,
    Spans,
    both_hold,
    coming_from,
    ending,
    inside_class,
    is_office,
    onto,
    rule,
    wanting,
)
from kgqa_core.reader.plan import RECORD, Form, Hop, Plan, Reading, fill, has_hole, parts
from kgqa_core.reader.words import ORDINALS, number_at
from kgqa_core.text import singular, stem

_AGED = frozenset("the age of".split())
_LONG_RECORD = 10  # words in the name of a record


class Wh(Spans):
    """Questions with who, what, which, whose, where, when; and questions without such a word."""

    def wh(self, i: int, n: int, fronted: str) -> Readings:
        low = self.low(i)
        if low in {"what", "which", "whose"}:
            yield from self._which(i, n, fronted)
            return
        want = WANTS.get(low, "")
        if low == "why":
            return
        if low == "when" and fronted in {"until", "till"}:
            ends = self.asked(i + 1, n, Head(""), want, "")
            yield from (Reading(r.cost, e) for r in ends if (e := ending(r.plan)) != r.plan)
            return
        yield from self.among(i + 1, n)
        yield from self.asked(i + 1, n, Head(""), want, fronted)
        if low == "who":
            yield from self.comparison(i + 1, n)
            yield from self.neighbours(i + 1, n, want)

    def _which(self, i: int, n: int, fronted: str) -> Readings:
        """what, which, whose: with a noun of its own, or without"""
        if self.low(i) == "whose":
            yield from self.whose(i + 1, n)
        for k in range(i + 1, n - 3):
            if self.low(k) == "'s" and (owner := self.head(i + 1, k)):
                for r in self.whose(k + 1, n):  # which country's capital is Vienna
                    yield Reading(r.cost, self._dress(r.plan, owner))
        for k in range(i + 1, min(n, i + 8)):
            if any(t.low in AUX or t.low in WH for t in self.tokens[i + 1 : k]):
                break
            if k > i + 1 and (k == n or not self._can_end_head(i + 1, k)):
                continue
            head = self.head(i + 1, k) if k > i + 1 else Head("")
            if head is not None:
                extra = head.cost + 0.05 * (k - i - 1)
                asked = self.asked(k, n, head, "", fronted)
                yield from (Reading(r.cost + extra, r.plan) for r in asked)
        yield from self._which_of_some(i, n, fronted)
        yield from self.so_called(i + 1, n)
        yield from self.among(i + 1, n)
        yield from self.comparison(i + 1, n)
        if not any(t.low in AUX for t in self.tokens[i + 1 : n]):  # what countries in Africa
            yield from (Reading(r.cost + 0.5, r.plan) for r in self.noun_phrase(i + 1, n))

    def _which_of_some(self, i: int, n: int, fronted: str) -> Readings:
        """which country in Africa has … · which Spielberg films is X in · which Great Lake is …"""
        for m in range(i + 3, n):
            if self.low(m) in AUX or self.lex.is_verb(self.low(m)):
                for r, v in product(self.noun_phrase(i + 1, m), self.verb_phrase(m, n)):
                    if not isinstance(r.plan, p.Kind | p.Anchor):
                        both = self._so_described(r.plan, v.plan) or both_hold(r.plan, v.plan)
                        yield Reading(r.cost + v.cost + 0.2, both)
        for k in range(i + 3, n - 1):  # which Spielberg films is X in
            noun = singular(self.low(k - 1))
            if self.low(k) not in AUX or self.head(i + 1, k) or self.lex.class_of(noun) is None:
                continue
            asked = self.asked(k, n, Head(noun), self._want(noun), fronted)
            for r, a in product(self.noun_phrase(i + 1, k)[:3], asked[:4]):
                if not isinstance(r.plan, p.Kind | p.Anchor):
                    yield Reading(r.cost + a.cost, onto(a.plan, p.Kind(noun), r.plan))
        for k in range(i + 2, n - 1):
            if self.low(k) in BE and all(t.cap for t in self.tokens[i + 1 : k]) and self.cased:
                group = p.Kind(self.text(i + 1, k))
                verbs = (v for v in self.verb_phrase(k, n) if has_hole(v.plan))
                yield from (Reading(v.cost + 0.3, fill(v.plan, group)) for v in verbs)

    def so_called(self, start: int, n: int) -> Parses:
        """(how many, which) Oscars for Best Director did X win"""
        k = next((k for k in range(start + 1, n - 2) if self.low(k) in AUX), n)
        if self.low(k) not in DO | HAVE or not self._called_so(start, k):
            return []
        name = singular(self.text(start, k))
        return [
            Reading(r.cost + q.cost + 0.3, p.Named(fill(q.plan, r.plan), name))
            for m in range(k + 2, n)
            for q in self.predicate(m, n, "", "", passive=False)
            for r in self.noun_phrase(k + 1, m)[:2]
        ]

    def _called_so(self, i: int, k: int) -> bool:
        """Whether words are a name, or may be one: nobody knows them as a kind of thing."""
        noun = singular(self.lows(i, k))
        plain = k > i + 1 or self.lex.class_of(noun) is not None or self.lex.is_noun(noun)
        return not plain or any(t.cap for t in self.tokens[i:k])

    def _so_described(self, base: Plan, said: Plan) -> Plan | None:
        """(which countries in A) are landlocked: those that are of the kind"""
        known = isinstance(said, p.Kind) and self.lex.class_of(said.noun) is not None
        return p.Of(base, said.noun) if known else None  # type: ignore[attr-defined]

    def among(self, i: int, n: int) -> Readings:
        """(who) among NP VERB …: those members the verb phrase is true of"""
        if self.low(i) not in {"among", "amongst", "of"}:
            return
        for m in range(i + 2, n):
            if self.low(m) not in AUX and not self.lex.is_verb(self.low(m)):
                continue
            for v in self.verb_phrase(m, n):
                for r in self.noun_phrase(i + 1, m)[:3]:
                    base = r.plan
                    if isinstance(base, p.Anchor) and self.tokens[m - 1].low.endswith("s"):
                        base = p.Kind(base.text)  # of the Great Lakes: each of them
                    if not isinstance(base, p.Anchor):
                        plan = fill(v.plan, base) if has_hole(v.plan) else both_hold(base, v.plan)
                        yield Reading(r.cost + v.cost + 0.1, plan)

    def _can_end_head(self, i: int, k: int) -> bool:
        """Whether the noun of "which NOUN" may end before token k."""
        if any(self.tokens[m].name or self.low(m) in {",", "'s"} for m in range(i, k)):
            return False
        last = self.low(k - 1)
        return last not in PREPOSITIONS and last not in DETERMINERS

    def whose(self, i: int, n: int) -> Readings:
        """whose NOUN is NP"""
        for k in range(i + 1, n):
            if self.low(k) in BE:
                for r in self.noun_phrase(k + 1, n):
                    yield Reading(r.cost + 0.3, p.Hop(r.plan, self.lows(i, k), "holder"))
                    yield Reading(r.cost + 0.6, p.Hop(r.plan, "owner", "role"))  # whose cat
                    if k == i + 1:  # whose student was X: the other way round, never "student of X"
                        return

    @rule()
    def asked(self, i: int, n: int, head: Head, want: str, fronted: str) -> Readings:
        """After the question word and its noun; the head says what is asked for."""
        i = self.skip(i, n, frozenset({"exactly", "all", "else"}))
        want = want or self._want(head.noun)
        if want == "time":  # in which year is no other question than when
            fronted = "" if fronted in {"in", "on", "during", "at"} else fronted
            head = Head("") if head == Head(head.noun, cost=head.cost) else head
        low = self.low(i)
        if i >= n:
            return
        out: Parses = []
        if want == "time" and low in DO:
            out += self.turning(i + 1, n)
            out += [] if fronted else self.terms(i + 1, n)
        if low in BE | DO | MODAL and head.noun and not fronted:
            out += self.anyone(i + 1, n, singular(head.noun), want)
            head = replace(head, noun=singular(head.noun)) if not out else head
        if low in BE:
            out += self.after_be(i + 1, n, head, want, fronted)
        if fronted and stem(low) in {"lie", "lay", "stand", "sit"}:  # in which country lies X
            out += self.after_be(i + 1, n, head, want, fronted)
        if low in DO | HAVE | MODAL:
            out += self.object_gap(i + 1, n, want, fronted)
            if head.noun and low in DO and self._kind(singular(head.noun)) != "person":
                out += self.noun_of(i + 1, n, singular(head.noun), want)
        if not fronted and not (low in DO and want != "person"):
            extra = 0.4 if low in DO else 0.0
            subject = [Reading(r.cost + extra, r.plan) for r in self.verb_phrase(i, n)]
            if head.noun or want not in {"place", "time"}:
                whole = [r for r in subject if head.noun or not has_hole(r.plan)]
                out += [Reading(r.cost, fill(r.plan, self._base(head))) for r in whole]
        if low not in AUX:
            out += [Reading(r.cost + 1.0, r.plan) for r in self.object_gap(i, n, want, fronted)]
        yield from (Reading(r.cost, self._dress(r.plan, head)) for r in out)

    def noun_of(self, i: int, n: int, noun: str, want: str) -> Parses:
        """(which league does) X play in: the league of X, when the verb leads nowhere"""
        if want == "time":
            return []
        when = self.tokens[n - 1].span
        end = n - 1 if when else n
        return [
            Reading(
                r.cost + 0.45, p.Hop(r.plan, noun, "role", "", "", when, heard=self.lows(m, end))
            )
            for m in range(max(i + 1, end - 2), end)
            if self.low(m) in GENERAL
            and (self.lex.is_noun(noun) or self.low(m) in {"use", "do"})
            and all(self.low(x) in PREPOSITIONS for x in range(m + 1, end))
            for r in self.noun_phrase(i, m)
            if not isinstance(r.plan, p.Kind)
        ]

    def turning(self, i: int, n: int) -> Readings:
        """(when did) X turn 30: the year"""
        for m in range(i + 1, n - 1):
            found = number_at(self.tokens, self.skip(m + 1, n, _AGED))
            if self.low(m) in {"turn", "reach", "become"} and found and found[0].isdigit():
                for r in self.noun_phrase(i, m):
                    yield Reading(r.cost, p.Turning(r.plan, int(found[0]), self.lows(m, n)))

    @rule(6)
    def neighbours(self, i: int, n: int, want: str) -> Readings:
        """(who) coached A before B · was mayor of A after B · … when B began: by times of A"""
        for k in range(i + 2, n - 1):
            begin = self._during(k, n)
            side = "when" if begin else self.low(k)
            if side not in {"before", "after", "when"} or self.tokens[k].span:
                continue
            others = self._others(begin or k + 1, n, side)
            title = self.lows(self.skip(i + 1, k, DETERMINERS), k) if self.low(i) in BE else ""
            if title and side != "when" and len(title.split()) <= 2 and is_office(title):
                for r in others:  # was president after A: in the same office
                    held = p.Hop(p.Office(r.plan, title), "officeholder", "role")
                    yield Reading(r.cost, p.Neighbour(held, r.plan, side))  # type: ignore[arg-type]
            for a in self.asked(i, k, Head(""), want, "") if others else []:
                told = isinstance(a.plan, p.Hop) and a.plan.phrase != "description"
                if told and a.plan.when is None and a.plan.beside is None:  # type: ignore[attr-defined]
                    yield from [
                        Reading(a.cost + r.cost + 0.1, p.Neighbour(a.plan, r.plan, side))  # type: ignore[arg-type]
                        for r in others
                    ]

    def _others(self, i: int, n: int, side: str) -> Parses:
        """Who came before or after; or when something happened."""
        if side == "when":
            return self.event(i, n)[:4]
        return [r for r in self.noun_phrase(i, n)[:2] if isinstance(r.plan, p.Anchor)]

    def _during(self, k: int, n: int) -> int:
        """Where an event is named, behind "during" or "at the time of"."""
        if self.low(k) == "during":
            return k + 1
        return k + 4 if self.lows(k, k + 4) == "at the time of" and k + 4 < n else 0

    def _base(self, head: Head) -> Plan:
        return p.Kind(head.noun) if head.noun else p.Hole()

    def _want(self, noun: str) -> str:
        if not noun:
            return ""
        last = singular(noun.split()[-1])
        if last in TIME_NOUNS:
            return "time"
        if last in PLACE_NOUNS:
            return "place"
        if self._kind(singular(noun)) == "thing":
            return ""  # a church may be a faith
        known = self.lex.class_of(singular(noun))
        return known.what if known and known.what in {"person", "place"} else ""

    def _dress(self, plan: Plan, head: Head) -> Plan:
        """The plan with what the head demands of its members."""
        noun, holders = head.noun, self.holders(head)
        judged = isinstance(plan, p.Is | p.IsA | p.Some | p.Compare)
        if holders is not None and not judged and not isinstance(plan, p.Anchor):
            if isinstance(plan, p.Kind) and plan.noun == noun:
                return holders
            if not any(part == p.Kind(noun) for part in parts(plan)):
                return p.Join(holders, plan, "intersection")
        if noun and not judged and not self._generic(noun):
            if isinstance(plan, p.Anchor):
                plan = p.Hop(plan, noun, "role")
            elif not (isinstance(plan, p.Kind) and plan.noun == noun):
                plan = inside_class(plan, noun)
        for adjective in head.adjectives:
            plan = coming_from(plan, adjective)
        return plan

    def _generic(self, noun: str) -> bool:
        one = singular(noun)
        return one in TIME_NOUNS or one in THING_NOUNS or one in {"place", "location", "name"}

    def record(self, i: int, n: int) -> Parses:
        """The first man in space, the largest animal: a graph may have records by their names."""
        i = self.skip(i, n, DETERMINERS)
        first = self.low(i)
        if first in ORDINALS and self._outdoes(self.low(i + 1)):
            return []  # the second longest is reckoned
        if not 2 <= n - i <= _LONG_RECORD or not (
            first in {*ORDINALS, "last"} or self._outdoes(first)
        ):
            return []
        return [Reading(0.45, p.Hop(p.Anchor(self.text(i, n)), RECORD, "role"))]

    def _outdoes(self, word: str) -> bool:
        """Whether a word is a superlative, or begins with one: longest-reigning."""
        return word in self.lex.superlatives or word.partition("-")[0].endswith("est")

    def after_be(self, i: int, n: int, head: Head, want: str, fronted: str) -> Readings:
        """who/what/which N is …"""
        i = self.skip(i, n, frozenset({"also", "not", "ever", "there"}))
        if want == "place" and not head.noun:  # where is NP
            for r in self.noun_phrase(i, n):
                role = r.plan if isinstance(r.plan, p.Hop) and r.plan.form == "role" else None
                if role is not None and self._kind(role.phrase) == "place":
                    yield Reading(r.cost, replace(role, want="place"))
                else:
                    yield Reading(r.cost + 0.1, p.Hop(r.plan, "locate", "agent", want))
        elif want == "time" and not head.noun:
            for r in self.noun_phrase(i, n):
                yield Reading(r.cost + 0.2, p.Hop(r.plan, "date", "role", want))
        elif not fronted:
            yield from self._is_what_or_whom(i, n, head, want)
        if fronted:
            for r in self.noun_phrase(i, n):  # on which continent is X
                phrase = head.noun if head.noun and not self._generic(head.noun) else "locate"
                form: Form = "role" if phrase != "locate" else "agent"
                yield Reading(r.cost + 0.2, p.Hop(r.plan, phrase, form, want, prep=fronted))
        dangling = self.low(n - 1) in PREPOSITIONS and n - 1 > i
        if head.noun and dangling and self.lex.is_noun(singular(head.noun)):
            for r in self.noun_phrase(i, n - 1):  # what genre is X in
                hop = p.Hop(r.plan, singular(head.noun), "role")
                yield Reading(r.cost + 0.05, hop)
        for m in range(i + 1, n):  # NP + predicate
            for q, r in product(self.roles(m, n, fronted), self.noun_phrase(i, m)):
                yield Reading(r.cost + q.cost, fill(q.plan, r.plan))
            said = self.predicate(m, n, want, fronted, passive=True)
            yield from (self.of_both(q, r, want) for q, r in product(said, self.noun_phrase(i, m)))

    def _is_what_or_whom(self, i: int, n: int, head: Head, want: str) -> Readings:
        """who/what/which N is NP · VP"""
        yield from self.record(i, n)
        if want == "person" and self.low(i) == "in":  # who was in X: its members, or its cast
            for r, noun in product(self.noun_phrase(i + 1, n), ("member", "actor")):
                cost = r.cost + (0.2 if noun == "member" else 0.3)
                yield Reading(cost, p.Hop(r.plan, noun, "role", heard="in"))
        noun = singular(head.noun)
        for r in self.noun_phrase(i, n):
            name = isinstance(r.plan, p.Anchor)
            if name and not noun:
                yield Reading(r.cost + 0.3, p.Hop(r.plan, "description", "role"))
                continue
            if noun and not name and self.lex.is_noun(noun):  # what types are the films by X
                yield Reading(r.cost + 0.2, p.Hop(r.plan, noun, "role"))
            if name or head.sort:  # which type of thing is X
                hop = p.Hop(r.plan, head.sort or head.noun, "role", want, heard=head.noun)
                yield Reading(r.cost + 0.1, hop)
            else:
                yield Reading(r.cost, wanting(r.plan, want))
        for r in self.verb_phrase(i, n):
            if noun or not has_hole(r.plan):
                yield Reading(r.cost + 0.1, fill(r.plan, self._base(head)))

    def anyone(self, i: int, n: int, noun: str, want: str) -> Readings:
        """(what language do) people speak in X · (what money is) used in X: the noun says it"""
        if not self.lex.is_noun(noun) or noun in MORTALS_1:
            return
        for m in range(i, min(n, i + 4)):
            if self.low(m) in {"in", "of", "at", "on", "by"} and m + 1 < n:
                lead = [w for w in self.lows(i, m).split() if w not in AUX | FILLER | DETERMINERS]
                if all(
                    w in {*SOMEONE, "there"} or (self.lex.is_verb(w) and self._kind(w) != "person")
                    for w in lead
                ):
                    for r in self.noun_phrase(m + 1, n):
                        if not isinstance(r.plan, p.Kind):
                            cost = 0.1 if set(lead) & SOMEONE else 0.2
                            hop = p.Hop(r.plan, noun, "role", want, heard=" ".join(lead))
                            yield Reading(r.cost + cost, hop)


class Loose(Spans):
    """Questions without an order of words: the question word late, a request, keywords."""

    @rule(4)
    def keywords(self, i: int, n: int) -> Readings:
        """No grammar: a name among words, each word a hop, the nearest first."""
        little = AUX | WH | DETERMINERS | PREPOSITIONS | FILLER | {"'s", ",", "and", "not"}
        for a, b in combinations(range(i, n + 1), 2):
            if self._namelike(a, b):
                for name in self.mention(a, b):
                    others = (*self.tokens[i:a], *self.tokens[b:n])
                    rest = [t.low for t in others if t.low not in little and not t.span]
                    if rest and len(rest) <= 4:
                        phrase = " ".join(rest)
                        plan: Plan = Hop(name.plan, phrase, "role")
                        yield Reading(name.cost + 0.5 + 0.3 * len(rest), plan)

    def _namelike(self, a: int, b: int) -> bool:
        if not self.cased:
            return b - a <= 5
        first, last = self.tokens[a], self.tokens[b - 1]
        return first.cap and last.cap and not (a == 0 and first.low in WH | AUX)
