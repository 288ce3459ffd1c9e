"""Questions with who, what, which, whose, where, when; and questions without such a word."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal as OneOf

from kgqa_core.reader.grammar import (
    AUX,
    BE,
    DETERMINERS,
    DO,
    FILLER,
    GENERAL,
    GENRES,
    HAVE,
    MODAL,
    MORTALS_1,
    NO_VERB,
    OFFICES,
    PLACE_NOUNS,
    PREPOSITIONS,
    SOMEONE,
    THING_NOUNS,
    TIME_NOUNS,
    WH,
    WORKING,
    Head,
    Parses,
    Spans,
    best_of,
    both_hold,
    coming_from,
    ending,
    inside_class,
    key_of,
    onto,
    taking_part,
    wanting,
)
from kgqa_core.reader.plan import (
    Anchor,
    Compare,
    Form,
    Hole,
    Hop,
    Is,
    IsA,
    Join,
    Kind,
    Limit,
    Neighbour,
    Plan,
    Reading,
    Some,
    Turning,
    Where,
    fill,
    has_hole,
    parts,
)
from kgqa_core.reader.words import Span, number_at
from kgqa_core.text import singular, stem

TERMS = {
    "presidency": "president", "premiership": "prime minister", "chancellorship": "chancellor",
    "papacy": "pope", "pontificate": "pope", "governorship": "governor", "mayoralty": "mayor",
    "reign": "", "term": "", "tenure": "", "rule": "", "administration": "", "office": "",
}  # fmt: skip

_ENDING = frozenset(stem(w) for w in "end finish stop expire conclude".split())

_AGED = frozenset("the age of".split())

_LEAVING = frozenset(stem(w) for w in "leave quit resign".split())

_BEGINNING = frozenset(stem(w) for w in "begin start commence".split())


class Wh(Spans):
    """Questions with who, what, which, whose, where, when; and questions without such a word."""

    def wh(self, i: int, n: int, fronted: str) -> Parses:
        low = self.low(i)
        out: Parses = []
        if low in {"what", "which"}:
            for k in range(i + 1, n - 3):  # which country's capital is Vienna
                if self.low(k) == "'s" and (owner := self.head(i + 1, k)):
                    for r in self.whose(k + 1, n):
                        out.append(Reading(r.cost, self._dress(r.plan, owner)))
        if low in {"what", "which", "whose"}:
            if low == "whose":
                out += self.whose(i + 1, n)
            for k in range(i + 1, min(n, i + 8)):
                if any(t.low in AUX or t.low in WH for t in self.tokens[i + 1 : k]):
                    break
                if k > i + 1 and (k == n or not self._can_end_head(i + 1, k)):
                    continue
                head = self.head(i + 1, k) if k > i + 1 else Head("")
                if head is None:
                    continue
                extra = head.cost + 0.05 * (k - i - 1)
                out += [
                    Reading(r.cost + extra, r.plan) for r in self.asked(k, n, head, "", fronted)
                ]
            for m in range(i + 3, n):  # which country in Africa has …
                if self.low(m) in AUX or self.lex.is_verb(self.low(m)):
                    for r in self.noun_phrase(i + 1, m):
                        if isinstance(r.plan, Kind | Anchor):
                            continue
                        for v in self.verb_phrase(m, n):
                            plan = (
                                fill(v.plan, r.plan)
                                if has_hole(v.plan)
                                else both_hold(r.plan, v.plan)
                            )
                            out.append(Reading(r.cost + v.cost + 0.2, plan))
            for k in range(i + 3, n - 1):  # which Christopher Nolan films is X in
                if self.low(k) in AUX and self.head(i + 1, k) is None:
                    noun = singular(self.low(k - 1))
                    if self.lex.class_of(noun) is None:
                        continue
                    asked = self.asked(k, n, Head(noun), self._want(noun), fronted)
                    for r in self.noun_phrase(i + 1, k)[:3]:
                        if not isinstance(r.plan, Kind | Anchor):
                            out += [
                                Reading(r.cost + a.cost, onto(a.plan, Kind(noun), r.plan))
                                for a in asked[:4]
                            ]
            for k in range(i + 2, n - 1):  # which Great Lake is the largest
                if self.low(k) in BE and all(t.cap for t in self.tokens[i + 1 : k]) and self.cased:
                    group = Kind(self.text(i + 1, k))
                    for v in self.verb_phrase(k, n):
                        if has_hole(v.plan):
                            out.append(Reading(v.cost + 0.3, fill(v.plan, group)))
            out += self.among(i + 1, n)
            out += self.comparison(i + 1, n)
            head_and_rest = self.noun_phrase(i + 1, n)  # "what countries in Africa"
            if not any(t.low in AUX for t in self.tokens[i + 1 : n]):
                out += [Reading(r.cost + 0.5, r.plan) for r in head_and_rest]
        else:
            want = {"who": "person", "whom": "person", "where": "place", "when": "time"}.get(
                low, ""
            )
            if low == "why":
                return []
            out += self.among(i + 1, n)
            if low == "when" and fronted in {"until", "till"}:
                ends = self.asked(i + 1, n, Head(""), want, "")
                return [Reading(r.cost, ending(r.plan)) for r in ends if ending(r.plan) != r.plan]
            out += self.asked(i + 1, n, Head(""), want, fronted)
            if low == "who":
                out += self.comparison(i + 1, n)
                out += self.neighbours(i + 1, n, want)
        return out

    def among(self, i: int, n: int) -> Parses:
        """(who) among NP VERB …: those members the verb phrase is true of"""
        out: Parses = []
        if self.low(i) not in {"among", "amongst", "of"}:
            return out
        for m in range(i + 2, n):
            if self.low(m) not in AUX and not self.lex.is_verb(self.low(m)):
                continue
            for v in self.verb_phrase(m, n):
                for r in self.noun_phrase(i + 1, m)[:3]:
                    base = r.plan
                    if isinstance(base, Anchor) and self.tokens[m - 1].low.endswith("s"):
                        base = Kind(base.text)  # of the Great Lakes: each of them
                    if not isinstance(base, Anchor):
                        plan = fill(v.plan, base) if has_hole(v.plan) else both_hold(base, v.plan)
                        out.append(Reading(r.cost + v.cost + 0.1, plan))
        return out

    def _can_end_head(self, i: int, k: int) -> bool:
        """Whether the noun of "which NOUN" may end before token k."""
        if any(self.tokens[m].name or self.low(m) in {",", "'s"} for m in range(i, k)):
            return False
        last = self.low(k - 1)
        return last not in PREPOSITIONS and last not in DETERMINERS

    def whose(self, i: int, n: int) -> Parses:
        """whose NOUN is NP"""
        out: Parses = []
        for k in range(i + 1, n):
            if self.low(k) in BE:
                for r in self.noun_phrase(k + 1, n):
                    out.append(Reading(r.cost + 0.3, Hop(r.plan, self.lows(i, k), "holder")))
                    if k == i + 1:  # whose student was X: the other way round, never "student of X"
                        return out
        return out

    def asked(self, i: int, n: int, head: Head, want: str, fronted: str) -> Parses:
        """After the question word and its noun; the head says what is asked for."""
        i = self.skip(i, n, frozenset({"exactly", "all", "else"}))
        want = want or self._want(head.noun)
        out: Parses = []
        low = self.low(i)
        if i >= n:
            return out
        if want == "time" and low in DO:
            out += self.turning(i + 1, n)
        if want == "time" and low in DO and not fronted:
            out += self.terms(i + 1, n)
        if low in BE | DO | MODAL and head.noun and not fronted:
            out += self.anyone(i + 1, n, singular(head.noun), want)
            head = replace(head, noun=singular(head.noun)) if not out else head
        if head.noun and low in DO | BE | HAVE:
            out += self.noun_whatever(i + 1, n, singular(head.noun), fronted)
        if low in BE:
            out += self.after_be(i + 1, n, head, want, fronted)
        if fronted and stem(low) in {"lie", "lay", "stand", "sit"}:  # in which country lies X
            out += self.after_be(i + 1, n, head, want, fronted)
        if low in DO | HAVE | MODAL:
            out += self.object_gap(i + 1, n, want, fronted)
            if head.noun and low in DO and self._kind(singular(head.noun)) != "person":
                out += self.noun_of(i + 1, n, singular(head.noun), want)
            if head.noun and low in DO | MODAL:
                out += self.by_people(i + 1, n)
            if head.sort and not fronted:
                kinds = self.sorts(i + 1, n, head)
                if kinds:
                    return kinds
        if not fronted and not (low in DO and want != "person"):
            extra = 0.4 if low in DO else 0.0
            subject = [Reading(r.cost + extra, r.plan) for r in self.verb_phrase(i, n)]
            if head.noun or want not in {"place", "time"}:
                out += [
                    Reading(r.cost, fill(r.plan, self._base(head)))
                    for r in subject
                    if not (has_hole(r.plan) and not head.noun)
                ]
        if low not in AUX:
            out += [Reading(r.cost + 1.0, r.plan) for r in self.object_gap(i, n, want, fronted)]
        known = self.lex.class_of(head.noun) if head.noun else None
        if known is not None and known.what == "work":  # which films is X in
            out = [Reading(r.cost, taking_part(r.plan)) for r in out]
        return [Reading(r.cost, self._dress(r.plan, head)) for r in out]

    def noun_of(self, i: int, n: int, noun: str, want: str) -> Parses:
        """(which league does) X play in: the league of X, when the verb leads nowhere"""
        if not self.lex.is_noun(noun) or want == "time":
            return []
        when = self.tokens[n - 1].span
        end = n - 1 if when else n
        return [
            Reading(r.cost + 0.45, Hop(r.plan, noun, "role", "", "", when, heard=self.lows(m, end)))
            for m in range(max(i + 1, end - 2), end)
            if self.low(m) in GENERAL
            and all(self.low(x) in PREPOSITIONS for x in range(m + 1, end))
            for r in self.noun_phrase(i, m)
            if not isinstance(r.plan, Kind)
        ]

    def noun_whatever(self, i: int, n: int, noun: str, fronted: str) -> Parses:
        """(under which label did) X release records: the label of X, whatever X did under it"""
        if not fronted or self._kind(noun) in {"place", "time", "number"}:
            return []
        if not self.lex.is_noun(noun):
            return []
        return [
            Reading(r.cost + 0.7, Hop(r.plan, noun, "role", heard=self.lows(m, n)))
            for m in range(max(i + 1, n - 3), n)
            if self.lex.is_verb(self.low(m))
            for r in self.noun_phrase(i, m)
            if isinstance(r.plan, Anchor)
        ]

    def by_people(self, i: int, n: int) -> Parses:
        """(in which countries can) you pay with X · do people speak X: those that do it with X"""
        if self.low(i) not in SOMEONE or not self.lex.is_verb(self.low(i + 1)):
            return []
        return [
            Reading(r.cost + 0.1, Hop(r.plan, self.lows(i + 1, m), "patient"))
            for m in range(i + 2, min(n, i + 4))
            for r in self.noun_phrase(m, n)[:3]
            if not isinstance(r.plan, Kind)
        ]

    def turning(self, i: int, n: int) -> Parses:
        """(when did) X turn 30: the year"""
        out: Parses = []
        for m in range(i + 1, n - 1):
            found = number_at(self.tokens, self.skip(m + 1, n, _AGED))
            if self.low(m) in {"turn", "reach", "become"} and found and found[0].isdigit():
                for r in self.noun_phrase(i, m):
                    out.append(Reading(r.cost, Turning(r.plan, int(found[0]), self.lows(m, n))))
        return out

    def neighbours(self, i: int, n: int, want: str) -> Parses:
        """(who) coached A before B · was mayor of A after B: the next in time"""
        out: Parses = []
        for k in range(i + 2, n - 1):
            if self.low(k) not in {"before", "after"} or self.tokens[k].span:
                continue
            others = [r for r in self.noun_phrase(k + 1, n)[:2] if isinstance(r.plan, Anchor)]
            for a in self.asked(i, k, Head(""), want, "") if others else []:
                if isinstance(a.plan, Hop) and a.plan.when is None and a.plan.beside is None:
                    side: OneOf["before", "after"] = (
                        "before" if self.low(k) == "before" else "after"
                    )
                    out += [
                        Reading(a.cost + r.cost + 0.1, Neighbour(a.plan, r.plan, side))
                        for r in others
                    ]
        return best_of(out, 6)

    def sorts(self, i: int, n: int, head: Head) -> Parses:
        """(what kind of music does) X play: its genre; of currency: the currency"""
        known = self.lex.class_of(head.noun)
        made = head.noun in GENRES or (known is not None and known.what == "work")
        noun = head.sort if made or not self.lex.is_noun(head.noun) else head.noun
        return [
            Reading(r.cost + 0.1, Hop(r.plan, noun, "role", heard=self.lows(i - 4, n)))
            for m in range(i + 1, n)
            if self.lex.is_verb(self.low(m)) and n - m <= 2
            for r in self.noun_phrase(i, m)
        ]

    def _base(self, head: Head) -> Plan:
        return Kind(head.noun) if head.noun else Hole()

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
        noun = head.noun
        holders = self.holders(head)
        if holders is not None and not isinstance(plan, Is | IsA | Some | Compare | Anchor):
            if isinstance(plan, Kind) and plan.noun == noun:
                return holders
            if not any(part == Kind(noun) for part in parts(plan)):
                return Join(holders, plan, "intersection")
        if noun and not self._generic(noun) and not isinstance(plan, Is | IsA | Some | Compare):
            inner = plan
            if isinstance(plan, Anchor):
                plan = Hop(plan, noun, "role")
            elif not (isinstance(inner, Kind) and inner.noun == noun):
                plan = inside_class(plan, noun)
        for adjective in head.adjectives:
            plan = coming_from(plan, adjective)
        return plan

    def _generic(self, noun: str) -> bool:
        one = singular(noun)
        return one in TIME_NOUNS or one in THING_NOUNS or one in {"place", "location", "name"}

    def after_be(self, i: int, n: int, head: Head, want: str, fronted: str) -> Parses:
        """who/what/which N is …"""
        i = self.skip(i, n, frozenset({"also", "not", "ever", "there"}))
        out: Parses = []
        if want == "place" and not head.noun:  # where is NP
            for r in self.noun_phrase(i, n):
                if (
                    isinstance(r.plan, Hop)
                    and r.plan.form == "role"
                    and self._kind(r.plan.phrase) == "place"
                ):
                    out.append(Reading(r.cost, replace(r.plan, want="place")))
                    continue
                phrase = "locate"
                out.append(Reading(r.cost + 0.1, Hop(r.plan, phrase, "agent", want)))
        elif want == "time" and not head.noun:
            for r in self.noun_phrase(i, n):
                out.append(Reading(r.cost + 0.2, Hop(r.plan, "date", "role", want)))
        elif not fronted:
            for r in self.noun_phrase(i, n):
                plan = r.plan
                if isinstance(plan, Anchor) and not head.noun:
                    plan = Hop(plan, "description", "role")
                    out.append(Reading(r.cost + 0.3, plan))
                    continue
                if (
                    head.noun
                    and not isinstance(plan, Anchor)
                    and self.lex.is_noun(singular(head.noun))
                ):
                    hop = Hop(plan, singular(head.noun), "role")  # what types are the films by X
                    out.append(Reading(r.cost + 0.2, hop))
                if isinstance(plan, Anchor) or head.sort:  # which type of thing is X
                    plan = Hop(plan, head.sort or head.noun, "role", want, heard=head.noun)
                    out.append(Reading(r.cost + 0.1, plan))
                    continue
                out.append(Reading(r.cost, wanting(plan, want)))
            out += [
                Reading(r.cost + 0.1, fill(r.plan, self._base(head)))
                for r in self.verb_phrase(i, n)
                if not (has_hole(r.plan) and not head.noun)
            ]
        if fronted:
            for r in self.noun_phrase(i, n):  # on which continent is X
                phrase = head.noun if head.noun and not self._generic(head.noun) else "locate"
                form: Form = "role" if phrase != "locate" else "agent"
                out.append(Reading(r.cost + 0.2, Hop(r.plan, phrase, form, want, prep=fronted)))
        dangling = self.low(n - 1) in PREPOSITIONS and n - 1 > i
        if head.noun and dangling and self.lex.is_noun(singular(head.noun)):
            for r in self.noun_phrase(i, n - 1):  # what genre is X in
                hop = Hop(r.plan, singular(head.noun), "role")
                out.append(Reading(r.cost + 0.05, hop))
        for m in range(i + 1, n):  # NP + predicate
            for p in self.roles(m, n, fronted):
                for r in self.noun_phrase(i, m):
                    out.append(Reading(r.cost + p.cost, fill(p.plan, r.plan)))
            for p in self.predicate(m, n, want, fronted, passive=True):
                for r in self.noun_phrase(i, m):
                    out.append(self.of_both(p, r, want))
        return out

    def of_both(self, verb: Reading, subject: Reading, want: str) -> Reading:
        """The verb of its subject; when A and B married: of A, with B"""
        pair, hop = subject.plan, verb.plan
        if (
            isinstance(pair, Join)
            and isinstance(hop, Hop)
            and want
            and stem("marry") in key_of(hop.phrase)
        ):
            one = replace(hop, source=pair.left, beside=pair.right)
            return Reading(subject.cost + verb.cost - 0.4, one)
        return Reading(subject.cost + verb.cost, fill(hop, pair))

    def anyone(self, i: int, n: int, noun: str, want: str) -> Parses:
        """(what language do) people speak in X · (what money is) used in X: the noun says it"""
        out: Parses = []
        if not self.lex.is_noun(noun) or noun in MORTALS_1:
            return out
        for m in range(i, min(n, i + 4)):
            if self.low(m) in {"in", "of", "at", "on", "by"} and m + 1 < n:
                lead = [w for w in self.lows(i, m).split() if w not in AUX | FILLER | DETERMINERS]
                if all(
                    w in SOMEONE
                    or (self.lex.is_verb(w) and self._kind(w) != "person")
                    or w == "there"
                    for w in lead
                ):
                    for r in self.noun_phrase(m + 1, n):
                        if not isinstance(r.plan, Kind):
                            cost = 0.1 if set(lead) & SOMEONE else 0.2
                            hop = Hop(r.plan, noun, "role", want, heard=" ".join(lead))
                            out.append(Reading(r.cost + cost, hop))
        return out

    def object_gap(self, i: int, n: int, want: str, fronted: str) -> Parses:
        """(what did) NP VERB …: what the verb leads to from its subject"""
        out: Parses = []
        i = self.skip(i, n, frozenset({"not", "ever", "also"}))
        for m in range(i + 1, n):
            predicates = self.predicate(m, n, want, fronted, passive=False)
            if predicates:
                for r in self.noun_phrase(i, m):
                    for p in predicates if not isinstance(r.plan, Kind | Limit | Where) else []:
                        out.append(self.of_both(p, r, want))
        for sep in range(i + 2, n - 2):  # A direct and B score
            if self.low(sep) == "and" and not fronted:
                then = self.skip(sep + 1, n, DO)
                for a in self.object_gap(i, sep, want, ""):
                    for b in self.object_gap(then, n, want, "") if a.cost < 1 else []:
                        both = Join(a.plan, b.plan, "intersection")
                        out.append(Reading(a.cost + b.cost + 0.1, both))
        return best_of(out, 12)

    def terms(self, i: int, n: int) -> Parses:
        """(when did) X's presidency end · the reign of X begin: times of holding an office"""
        ends = stem(self.low(n - 1)) in _ENDING
        if not ends and stem(self.low(n - 1)) not in _BEGINNING:
            return []
        out: Parses = []
        noun = self.low(n - 2)
        owner = (i, n - 3) if self.low(n - 3) == "'s" and noun in TERMS else (0, 0)
        for k in range(i, n - 2):
            if self.low(k) in TERMS and self.low(k + 1) == "of":
                noun, owner = self.low(k), (k + 2, n - 1)
                break
        for r in self.noun_phrase(*owner):
            office = Anchor(TERMS[noun]) if TERMS[noun] else None
            hop = Hop(r.plan, "hold", "agent", "time", "", None, office, "end" if ends else "")
            out.append(Reading(r.cost, replace(hop, heard=self.lows(n - 2, n) + " " + noun)))
        return out

    def predicate(self, m: int, n: int, want: str, fronted: str, passive: bool) -> Parses:
        """A verb with a gap for what is wanted; its subject is the hole.

        "directed" · "married to" · "die" · "play in Cheers" · "release in 1990"
        """
        key = (m, n, want, fronted, passive)
        if key not in self._predicates:
            self._predicates[key] = self._predicate(m, n, want, fronted, passive)
        return self._predicates[key]

    def _predicate(self, m: int, n: int, want: str, fronted: str, passive: bool) -> Parses:
        m = self.skip(m, n, FILLER | {"been", "be", "not", "have", "being"} - {"first"})
        if want == "time":  # (when has X) been a member of Y
            out_ = self.being(m, n)
            if out_:
                return out_
        if m >= n or (self.low(m) in NO_VERB and not (self.low(m) == "do" and m == n - 1)):
            return []
        span: Span | None = None
        end = n
        while end > m and (self.tokens[end - 1].span or self.low(end - 1) in FILLER):
            if self.tokens[end - 1].span:
                span = self.tokens[end - 1].span
            end -= 1
        if end == m:
            return []
        verb = self.low(m)
        known = self.lex.is_verb(verb)
        participle = verb.endswith(("ed", "en", "ing")) or stem(verb) != verb
        if not known and not participle and end - m > 2:
            return []
        if self.tokens[m].cap and self.cased:
            return []
        cost = (0.0 if known else 0.9 if participle else 1.4) + (
            0 if passive == participle else 0.1
        )
        if not known and self.lex.is_noun(verb):
            cost += 1.0  # an advisor is no verb
        out: Parses = []
        # the verb with what belongs to it, up to the end of the question
        rest = [self.low(k) for k in range(m, end)]
        if "" in rest or len(rest) > 5 or {"and", "or", ","} & set(rest):
            pass
        else:
            phrase = " ".join(w for w in rest if w not in DETERMINERS and w not in FILLER)
            named = 0.8 * any(t.cap and self.cased for t in self.tokens[m:end])
            verbs = [w for w in rest[1:] if w.endswith("ed") and self.lex.is_verb(w)]
            named += 0.6 * bool(verbs and rest[0] not in {"get", "got", "be", "been"})
            if any(t.cap and self.cased for t in self.tokens[m + 1 : end]):
                named += 1.6  # a verb has no name in it
            phrase_with = f"{phrase} {fronted}" if fronted not in (*rest, "") else phrase
            form: Form = "agent"
            if phrase_with.endswith(" by"):
                form, phrase_with = "patient", phrase_with.removesuffix(" by")
            leaves = stem(verb) in _LEAVING and want == "time"
            if phrase_with and not leaves:
                out.append(
                    Reading(
                        cost
                        + named
                        + 0.25 * (len(rest) - 1) * (not self.lex.entries.get(key_of(phrase_with))),
                        Hop(Hole(), phrase_with, form, want, prep=fronted, when=span),
                    )
                )
                if passive and participle and form == "agent" and want == "place":
                    spoken = Hop(Hole(), phrase_with, "patient", want, prep=fronted, when=span)
                    out.append(Reading(cost + named + 0.15, spoken))  # where Arabic is spoken
        for sep in range(m + 1, end - 1):  # write and direct
            if self.low(sep) == "and" and self.lex.is_verb(self.low(sep + 1)):
                for a in self.predicate(m, sep, want, fronted, passive)[:1]:
                    for b in self.predicate(sep + 1, n, want, fronted, passive)[:1]:
                        # when it began and ended are two dates
                        both = Join(a.plan, b.plan, "union" if want == "time" else "intersection")
                        out.append(Reading(a.cost + b.cost - 0.2, both))
        out += self.together_with(m, end, Hole(), cost)
        # a second participant: "play in Cheers", "marry Mary", "become president of France"
        for k in range(m + 1, end):
            if self.low(k) in PREPOSITIONS - {"of"} and k + 1 < end:
                lead = self.lows(m, k)
                for r in self.noun_phrase(k + 1, end)[:3]:
                    out.append(
                        Reading(
                            cost + r.cost + 0.4,
                            Hop(Hole(), lead, "agent", want, self.low(k), span, r.plan),
                        )
                    )
                break
        if m + 1 < end and self.low(m + 1) not in PREPOSITIONS:
            for r in self.participants(m + 1, end):
                hop = Hop(Hole(), verb, "agent", want, "", span, r.plan)
                if stem(verb) in _LEAVING and want == "time":
                    hop = replace(hop, noun="end")
                out.append(Reading(cost + r.cost + 0.3, hop))
        return out

    def being(self, m: int, n: int) -> Parses:
        """a member of Y · president of Y: what somebody was, as part of a dated statement"""
        start = self.skip(m, n, DETERMINERS)
        out: Parses = []
        named = [] if n - start != 2 else [self.low(start), self.low(start + 1)]
        if named and named[1] in OFFICES and not self._said(start):  # vice president
            office = Anchor(" ".join(named))
            out.append(Reading(0.0, Hop(Hole(), "hold", "agent", "time", beside=office)))
        for k in range(start + 1, min(n - 1, start + 4)):
            if self.low(k) not in {"of", "in", "at", "for"}:
                continue
            noun = self.lows(start, k)
            if not (noun and self.lex.is_noun(singular(noun))):
                continue
            phrase = f"be {singular(noun)}"
            if not self.lex.entries.get(key_of(phrase)) and self._kind(singular(noun)) == "person":
                for r in self.noun_phrase(k + 1, n)[:3]:  # CEO of Y: who it is, in its statement
                    hop = Hop(r.plan, singular(noun), "role", "time", beside=Hole())
                    out.append(Reading(r.cost + 0.1, hop))
            if self.lex.entries.get(key_of(phrase)):
                for r in self.noun_phrase(k + 1, n)[:3]:
                    hop = Hop(Hole(), phrase, "agent", "time", self.low(k), None, r.plan)
                    out.append(Reading(r.cost, hop))
            elif stem(noun.split()[-1]) in OFFICES:
                for r in self.participants(start, n):
                    if isinstance(r.plan, Anchor):
                        hop = Hop(Hole(), "hold", "agent", "time", "", None, r.plan)
                        out.append(Reading(r.cost, hop))
        return out

    def _said(self, k: int) -> bool:
        """Whether a word can be no part of a title: a verb, a name, a little word."""
        low = self.low(k)
        return low in NO_VERB | FILLER or self.lex.is_verb(low) or self.tokens[k].cap

    def roles(self, m: int, n: int, fronted: str = "") -> Parses:
        """(which films was X) an actor in · the writer of: X is the noun of what is wanted"""
        m = self.skip(m, n, DETERMINERS | FILLER - {"first"})
        ends = self.low(n - 1) in {"of", "in", "for", "at", "to", "on"}
        if (n - m >= 2 and ends) or (fronted and n > m):
            noun = self.lows(m, n - 1 if ends else n)
            if self.lex.is_noun(singular(noun)):
                return [Reading(0.1, Hop(Hole(), singular(noun), "holder"))]
        return []

    def participants(self, i: int, j: int) -> Parses:
        """A noun phrase as one thing: an office by its name rather than its holders."""
        out: Parses = []
        for r in self.noun_phrase(i, j):
            plan = r.plan
            if isinstance(plan, Hop) and plan.phrase == "officeholder":
                out.append(Reading(r.cost - 0.3, plan.source))
            elif not isinstance(plan, Kind) or stem(plan.noun.split()[-1]) in OFFICES:
                out.append(r)
        return best_of(out, 3)

    def together_with(self, m: int, end: int, one: Plan, cost: float) -> Parses:
        """act with · co-write films with: who else took part in the same works"""
        if self.low(end - 1) != "with" or end - m > 6:
            return []
        if stem(self.low(m)) in WORKING and end - m <= 3:
            credits = Hop(Hop(one, "credit", "agent"), "credit", "patient", heard=self.lows(m, end))
            return [Reading(cost - 0.05, Join(credits, one, "minus"))]
        if not self._backwards(self.low(m)):
            return []
        if self.lex.class_of(singular(self.low(m))):
            return []
        verb = self.low(m)
        others = Hop(Hop(one, verb, "agent"), verb, "patient", heard=self.lows(m, end))
        return [Reading(cost - 0.05, Join(others, one, "minus"))]

    def embedded(self, i: int, n: int) -> Parses:
        """The question word comes late: "the film X was directed by who"."""
        out: Parses = []
        for k in range(i + 1, n):
            if self.low(k) not in WH or self.low(k) == "how":
                continue
            before = k - 1 if self.low(k - 1) in PREPOSITIONS and k - 1 > i else k
            noun_start = k + 1
            head = self.head(noun_start, n) if noun_start < n else Head("")
            if head is None:
                continue
            prep = self.low(before) if before < k else ""
            want = {"who": "person", "where": "place", "when": "time"}.get(self.low(k), "")
            want = want or self._want(head.noun)
            for m in range(i + 1, before + 1):
                if self.low(m) in BE and prep:
                    for p in self.roles(m + 1, before + 1):
                        for r in self.noun_phrase(i, m):
                            plan = self._dress(fill(p.plan, r.plan), head)
                            out.append(Reading(r.cost + p.cost, plan))
                if m < before and self.low(m) in AUX and m + 1 <= before:
                    for r in self.noun_phrase(i, m):
                        if m + 1 == before:
                            noun = head.noun or prep or "description"
                            plan = Hop(r.plan, noun, "role", want, prep=prep)
                            if noun == "description" and not isinstance(r.plan, Anchor):
                                plan = r.plan
                            out.append(Reading(r.cost + 0.3, plan))
                        for p in self.predicate(m + 1, before, want, prep, passive=True):
                            plan = self._dress(fill(p.plan, r.plan), head)
                            out.append(Reading(r.cost + p.cost + 0.1, plan))
                elif m < before:
                    for p in self.predicate(m, before, want, prep, passive=False):
                        for r in self.noun_phrase(i, m):
                            plan = self._dress(fill(p.plan, r.plan), head)
                            out.append(Reading(r.cost + p.cost + 0.2, plan))
        low = self.low(n - 1)
        if low in BE and n - 1 > i:  # "the director of X was"
            out += self.noun_phrase(i, n - 1)
        return out

    def statement(self, i: int, n: int) -> Parses:
        """NP VERB: "starring Tom Hanks", "directed by X" as a request."""
        return [r for r in self.verb_phrase(i, n) if not has_hole(r.plan)]

    def keywords(self, i: int, n: int) -> Parses:
        """No grammar: a name among words, each word a hop, the nearest first."""
        out: Parses = []
        for a in range(i, n):
            for b in range(a + 1, n + 1):
                if not self._namelike(a, b):
                    continue
                for name in self.mention(a, b):
                    rest = [
                        t.low
                        for t in (*self.tokens[i:a], *self.tokens[b:n])
                        if t.low not in AUX | WH | DETERMINERS | PREPOSITIONS | FILLER
                        and not t.span
                        and t.low not in {"'s", ",", "and", "not"}
                    ]
                    if rest and len(rest) <= 4:
                        phrase = " ".join(rest)
                        plan: Plan = Hop(name.plan, phrase, "role")
                        out.append(Reading(name.cost + 0.5 + 0.3 * len(rest), plan))
        return best_of(out, 4)

    def _namelike(self, a: int, b: int) -> bool:
        if not self.cased:
            return b - a <= 5
        first, last = self.tokens[a], self.tokens[b - 1]
        return first.cap and last.cap and not (a == 0 and first.low in WH | AUX)
