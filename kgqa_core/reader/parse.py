"""Question → readings, cheapest first.

A question is brought to the noun phrase it asks for ("Who directed Psycho?" → who directed
Psycho), and the phrase is parsed by a small grammar over spans of tokens. Nothing is decided
here that the graph can decide better: a span may be a name as a whole or fall into parts, and
both readings are kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Literal as OneOf

from kgqa_core.reader.lexicon import Lexicon, lexicon
from kgqa_core.reader.plan import (
    Against,
    Age,
    Alive,
    Anchor,
    Between,
    Compare,
    Count,
    Form,
    From,
    Gap,
    Hole,
    Hop,
    Is,
    IsA,
    Join,
    Kind,
    Lasting,
    Limit,
    Measure,
    Named,
    Nth,
    Of,
    Plan,
    Reading,
    Some,
    Where,
    anchors,
    fill,
    has_hole,
    parts,
)
from kgqa_core.reader.words import (
    NUMBER_WORDS,
    ORDINALS,
    Span,
    number_at,
    singular,
    stem,
    tokenise,
    words,
)

Order = OneOf["highest", "lowest"]
Parses = list[Reading]

LONGEST = 36  # tokens; a longer text is hardly one question
_KEEP = 6  # readings kept of each span
_LEAD = re.compile(
    r"^(?:(?:hi|hello|hey|please|so|ok|okay|and|but|well|now)[\s,]+)*"
    r"(?:(?:(?:can|could|would|will) you (?:please )?(?:tell|give|show|list|name|find)(?: me| us)?"
    r"|(?:do|would|might) you (?:happen to )?know|does anyone know|any idea"
    r"|(?:i|we)(?:['’]d| would)? (?:really )?(?:like|love|want|need|wanted|wish)(?: to)?"
    r" (?:know|find out|learn|hear|ask)"
    r"|(?:i am|i['’]m|i was|we are) (?:curious(?: about)?|wondering|looking for|interested in)"
    r"|i wonder|find out|look up|let me know|tell me about|just curious"
    r"|(?:please )?(?:tell|give|show|list|name|find|provide|return|enumerate|mention|get|state"
    r"|identify|search for|look for|compute|calculate|determine)(?: me| us| out)?)"
    r"(?:[\s,:]+(?:please|if|whether))*[\s,:]+)?",
    re.IGNORECASE,
)
_TRAIL = re.compile(
    r"(?:[\s,]+(?:please|thanks|thank you|thx|by any chance|by the way|do you know|again|anyway"
    r"|for me|if you know|in your opinion|according to (?:the|this) (?:graph|data)))+[\s?!.]*$",
    re.IGNORECASE,
)
_SAME = (  # wordings → the one that is parsed
    (r"^(?:a |the )?(?:complete |full )?list of (?:all )?(?:of )?(?:the )?", ""),
    (r"\b(?:the )?(?:full )?names? of (?!(?:a|the) \w+$)", ""),
    (r"(?<=\w)['’]s names?$", ""),
    (r"\b(is|are|was|were) (?:listed|credited|known) as\b(?! \w+$)", r"\1"),
    (r"^(what|which) (.+?) (?:is|are|was|were) there\b", r"\1 \2"),
    (r"^(what|how) (is|are|was|were) (.+?) (?:called|named)$", r"what \2 \3"),
    (r"\b,? as well as\b|\band also\b|\band additionally\b", " and"),
    (r"^(?:since|from|until) when (has|have|had|is|are|was|were|did|does)\b", r"when \1"),
    (r"^(?:at )?what age (was|were|is) (.+?) (?:at|upon) (?:his|her|their) (\w+)$",
     r"how old \1 \2 when they \3"),
    (r"^(?:at|by) (?:what|which) age (?:did|does) (.+?) (\w+)( .*)?$", r"how old was \1 when they \2\3"),
    (r"^(?:at )?what age (was|were|is) ", r"how old \1 "),
    (r"^what (?:is|was) (?:the age of (.+?)|(.+?)['’]s age) (at|when)\b", r"how old was \1\2 \3"),
    (r"^by how many years (is|was)\b", r"how many years \1"),
    (r"^how many (years?|days?) (older|younger) (is|was) (.+?) than ", r"how many \1 \3 \4 \2 than "),
    (r"^(?:what is |what's )?(?:the )?(?:total )?number of (?=\w+ed\b|\w+s\b)", "how many "),
    (r"^(.+) in (?:total|all)$", r"\1"),
)  # fmt: skip
_WORLD = (
    r"\s+(?:(?:in|on|of|around) (?:the )?(?:whole |entire |all the )?(?:world|earth|planet)"
    r"|worldwide|of all time|in (?:all of )?(?:human )?history)(?=[\s,?]|$)"
)
_DETERMINERS = frozenset(
    "the a an all any some every each his her its their my our this these those".split()
)
_LEADING = _DETERMINERS | {"of"}
_PREPOSITIONS = frozenset(
    "of in on at from by with for to about into through over near under within across along "
    "against between among around inside outside during as without out".split()
)
_BE = frozenset("is are was were be been being am".split())
_DO = frozenset("do does did".split())
_HAVE = frozenset("has have had having".split())
_MODAL = frozenset("can could would will shall should might may must".split())
_AUX = _BE | _DO | _HAVE | _MODAL
_RELATIVE = frozenset("who that which whom whose where".split())
_WH = frozenset("who whom whose what which where when how why".split())
_FILLER = frozenset(
    "also ever else exactly actually really still just please originally first currently now "
    "already both together both once only yet then all mainly mostly usually officially "
    "commonly primarily today".split()
)
_BESIDES = frozenset("other another different many famous more else also various several".split())
_NO_VERB = (
    _AUX | (_PREPOSITIONS - {"from", "about", "in"}) | _DETERMINERS | {"'s", "and", "or", ",", ""}
)
_SOMEONE = frozenset("people they you we one i citizens inhabitants someone".split())
_THING_NOUNS = frozenset("thing things stuff something anything one ones".split())
_BUT = (("other", "than"), ("apart", "from"), ("aside", "from"), ("except", "for"), ("except",),
        ("besides",), ("excluding",), ("not", "counting"), ("beside",),
        ("in", "addition", "to"))  # fmt: skip
_OFFICES = frozenset(
    "president minister chancellor king queen emperor mayor governor pope senator secretary "
    "speaker monarch premier ambassador chairman judge bishop archbishop sultan tsar shah "
    "director chief head leader duke prince princess".split()
) | {stem(w) for w in "minister chancellor emperor mayor governor director speaker".split()}
_PLACE_NOUNS = frozenset(
    "place location city town country village state continent region area".split()
)
_MORTALS = frozenset("people lives soldiers men civilians".split())
_MORTALS_1 = frozenset(singular(w) for w in _MORTALS) | {"live", "life"}
_DEADLY = frozenset(stem(w) for w in "die kill perish lose claim cost take".split())
_TITLES = frozenset(
    "city town state island country kingdom republic province county village planet".split()
)
_GENRES = frozenset("music film movie book novel literature art painting song game".split())
_TIME_NOUNS = frozenset("year date day month time decade century".split())


@dataclass(frozen=True)
class Head:
    """A noun with what stands before it: "the three largest German cities"."""

    noun: str
    by: str = ""  # an adjective or noun that orders
    order: Order = "highest"
    position: int = 1
    adjectives: tuple[str, ...] = ()
    cost: float = 0.0
    sort: str = ""  # "kind", when the kind of the noun is asked for


def parse(question: str, lex: Lexicon | None = None) -> list[Reading]:
    """All readings of a question, cheapest first; none when nothing in it can be asked for."""
    return _Parser(question, lex or lexicon()).readings()


def core(question: str) -> str:
    """The question without greetings, "please tell me" and end marks."""
    text = re.sub(r"(?<=\d),(?=\d{3})", "", question.strip().rstrip("?!. "))
    text = _TRAIL.sub("", text) or text
    lead = _LEAD.match(text)
    return (text[lead.end() :] if lead else "") or text


class _Parser:
    def __init__(self, question: str, lex: Lexicon) -> None:
        self.lex = lex
        text = core(question)
        for wording, plain in _SAME:
            text = re.sub(wording, plain, text, flags=re.IGNORECASE)
        text = re.sub(_WORLD, "", text, flags=re.IGNORECASE)
        self.tokens = tokenise(text)
        self.cased = any(t.cap for t in self.tokens[1:])
        self._np: dict[tuple[int, int], Parses] = {}
        self._vp: dict[tuple[int, int], Parses] = {}
        self._modifiers: dict[tuple[int, int, str], Parses] = {}
        self._gaps: dict[tuple[int, int, str, str], Parses] = {}
        self._predicates: dict[tuple[int, int, str, str, bool], Parses] = {}

    # -- small helpers -------------------------------------------------------------------

    def low(self, i: int) -> str:
        return self.tokens[i].low if 0 <= i < len(self.tokens) and not self.tokens[i].name else ""

    def text(self, i: int, j: int) -> str:
        return words(self.tokens[i:j])

    def lows(self, i: int, j: int) -> str:
        return " ".join(t.low for t in self.tokens[i:j])

    def skip(self, i: int, j: int, what: frozenset[str]) -> int:
        while i < j and self.low(i) in what:
            i += 1
        return i

    # -- the whole question --------------------------------------------------------------

    def readings(self) -> list[Reading]:
        n = len(self.tokens)
        if not 0 < n <= LONGEST:
            return []
        found: Parses = []
        i = 0
        fronted = ""
        if self.low(0) in _PREPOSITIONS and self.low(1) in _WH:
            fronted, i = self.low(0), 1
        low = self.low(i)
        if low == "how":
            found += self.how(i + 1, n, fronted)
        elif low in _WH:
            found += self.wh(i, n, fronted)
        elif low in _AUX:
            found += self.yes_no(0, n)
        if not found or (low not in _AUX and low not in _WH):
            found += self.embedded(0, n)
        if low not in _AUX and low not in _WH:
            found += self.noun_phrase(0, n)
            found += [Reading(r.cost + 0.6, r.plan) for r in self.statement(0, n)]
        found += [Reading(r.cost + 4.0, r.plan) for r in self.keywords(0, n)]
        found = [Reading(r.cost, self._once(_distribute(r.plan))) for r in found]
        if any(t.low in {"else", "other", "another"} for t in self.tokens):
            found = [Reading(r.cost, self.others(r.plan)) for r in found]
        found = [
            Reading(r.cost, Hop(r.plan, "description", "role")) if isinstance(r.plan, Anchor) else r
            for r in found
            if not has_hole(r.plan)
        ]
        return _best([r for r in found if not _trivial(r.plan)], 24)

    def _once(self, plan: Plan) -> Plan:
        """ "the composer of X's music", "the author of X's text": one relation, named twice"""
        if isinstance(plan, Join | Hole | Kind | Anchor):
            return plan
        changes = {
            name: self._once(value)
            for name in ("source", "left", "right", "other")
            if isinstance(value := getattr(plan, name, None), Plan)
        }
        plan = replace(plan, **changes) if changes else plan  # type: ignore[arg-type]
        if not (isinstance(plan, Hop) and plan.form == "role" and isinstance(plan.source, Hop)):
            return plan
        inner = plan.source
        said = [
            {e.relations[0] for e in self.lex.find(_key(h.phrase), "noun") if e.kind == "noun"}
            for h in (plan, inner)
        ]
        made = inner.form == "role" and inner.when is None and plan.phrase != inner.phrase
        if made and said[0] & said[1]:
            return replace(plan, source=inner.source, heard=f"{plan.heard} {inner.phrase}".strip())
        return plan

    def others(self, plan: Plan) -> Plan:
        """Without what the question names itself ("What else did the director of X make?")."""
        if isinstance(plan, Count):
            return Count(self.others(plan.source))
        if isinstance(plan, Join | Is | IsA | Some | Compare | Anchor | Between):
            return plan
        named = anchors(plan)
        return Join(plan, named[-1], "minus") if named else plan

    # -- wh-questions --------------------------------------------------------------------

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
                if any(t.low in _AUX or t.low in _WH for t in self.tokens[i + 1 : k]):
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
                if self.low(m) in _AUX or self.lex.is_verb(self.low(m)):
                    for r in self.noun_phrase(i + 1, m):
                        if isinstance(r.plan, Kind | Anchor):
                            continue
                        for v in self.verb_phrase(m, n):
                            plan = (
                                fill(v.plan, r.plan) if has_hole(v.plan) else _both(r.plan, v.plan)
                            )
                            out.append(Reading(r.cost + v.cost + 0.2, plan))
            for k in range(i + 3, n - 1):  # which Christopher Nolan films is X in
                if self.low(k) in _AUX and self.head(i + 1, k) is None:
                    noun = singular(self.low(k - 1))
                    if self.lex.class_of(noun) is None:
                        continue
                    asked = self.asked(k, n, Head(noun), self._want(noun), fronted)
                    for r in self.noun_phrase(i + 1, k)[:3]:
                        if not isinstance(r.plan, Kind | Anchor):
                            out += [
                                Reading(r.cost + a.cost, _onto(a.plan, Kind(noun), r.plan))
                                for a in asked[:4]
                            ]
            out += self.comparison(i + 1, n)
            head_and_rest = self.noun_phrase(i + 1, n)  # "what countries in Africa"
            if not any(t.low in _AUX for t in self.tokens[i + 1 : n]):
                out += [Reading(r.cost + 0.5, r.plan) for r in head_and_rest]
        else:
            want = {"who": "person", "whom": "person", "where": "place", "when": "time"}.get(
                low, ""
            )
            if low == "why":
                return []
            out += self.asked(i + 1, n, Head(""), want, fronted)
            if low == "who":
                out += self.comparison(i + 1, n)
        return out

    def _can_end_head(self, i: int, k: int) -> bool:
        """Whether the noun of "which NOUN" may end before token k."""
        if any(self.tokens[m].name or self.low(m) in {",", "'s"} for m in range(i, k)):
            return False
        last = self.low(k - 1)
        if last in _PREPOSITIONS or last in _DETERMINERS:
            return False
        return self.low(k) not in {"of", "'s"} or True

    def whose(self, i: int, n: int) -> Parses:
        """whose NOUN is NP"""
        out: Parses = []
        for k in range(i + 1, n):
            if self.low(k) in _BE:
                for r in self.noun_phrase(k + 1, n):
                    out.append(Reading(r.cost + 0.3, Hop(r.plan, self.lows(i, k), "holder")))
        return out

    def asked(self, i: int, n: int, head: Head, want: str, fronted: str) -> Parses:
        """After the question word and its noun; the head says what is asked for."""
        i = self.skip(i, n, frozenset({"exactly", "all", "else", "the"}) - {"the"})
        want = want or self._want(head.noun)
        out: Parses = []
        low = self.low(i)
        if i >= n:
            return out
        if low in _BE | _DO | _MODAL and head.noun and not fronted:
            out += self.anyone(i + 1, n, singular(head.noun), want)
            head = replace(head, noun=singular(head.noun)) if not out else head
        if low in _BE:
            out += self.after_be(i + 1, n, head, want, fronted)
        if low in _DO | _HAVE | _MODAL:
            out += self.object_gap(i + 1, n, want, fronted)
            if head.sort and not fronted:
                kinds = self.sorts(i + 1, n, head)
                if kinds:
                    return kinds
        if not fronted and not (low in _DO and want != "person"):
            extra = 0.4 if low in _DO else 0.0
            subject = [Reading(r.cost + extra, r.plan) for r in self.verb_phrase(i, n)]
            if head.noun or want not in {"place", "time"}:
                out += [
                    Reading(r.cost, fill(r.plan, self._base(head, want)))
                    for r in subject
                    if not (has_hole(r.plan) and not head.noun)
                ]
        if low not in _AUX:
            out += [Reading(r.cost + 1.0, r.plan) for r in self.object_gap(i, n, want, fronted)]
        known = self.lex.class_of(head.noun) if head.noun else None
        if known is not None and known.what == "work":  # which films is X in
            out = [Reading(r.cost, _taking_part(r.plan)) for r in out]
        return [Reading(r.cost, self._dress(r.plan, head)) for r in out]

    def sorts(self, i: int, n: int, head: Head) -> Parses:
        """(what kind of music does) X play: its genre; of currency: the currency"""
        known = self.lex.class_of(head.noun)
        made = head.noun in _GENRES or (known is not None and known.what == "work")
        noun = head.sort if made or not self.lex.is_noun(head.noun) else head.noun
        return [
            Reading(r.cost + 0.1, Hop(r.plan, noun, "role", heard=self.lows(i - 4, n)))
            for m in range(i + 1, n)
            if self.lex.is_verb(self.low(m)) and n - m <= 2
            for r in self.noun_phrase(i, m)
        ]

    def _base(self, head: Head, want: str) -> Plan:
        return Kind(head.noun) if head.noun else Hole()

    def _want(self, noun: str) -> str:
        if not noun:
            return ""
        last = singular(noun.split()[-1])
        if last in _TIME_NOUNS:
            return "time"
        if last in _PLACE_NOUNS:
            return "place"
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
                plan = _class(plan, noun)
        for adjective in head.adjectives:
            plan = From(plan, adjective)
        if head.by:
            plan = Nth(plan, head.by, head.order, head.position)
        return plan

    def _generic(self, noun: str) -> bool:
        one = singular(noun)
        return one in _TIME_NOUNS or one in _THING_NOUNS or one in {"place", "location", "name"}

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
                plan = r.plan
                out.append(Reading(r.cost + 0.2, Hop(plan, "date", "role", want)))
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
                out.append(Reading(r.cost, _wanting(plan, want)))
            out += [
                Reading(r.cost + 0.1, fill(r.plan, self._base(head, want)))
                for r in self.verb_phrase(i, n)
                if not (has_hole(r.plan) and not head.noun)
            ]
        if fronted:
            for r in self.noun_phrase(i, n):  # on which continent is X
                phrase = head.noun if head.noun and not self._generic(head.noun) else "locate"
                form: Form = "role" if phrase != "locate" else "agent"
                out.append(Reading(r.cost + 0.2, Hop(r.plan, phrase, form, want, prep=fronted)))
        dangling = self.low(n - 1) in _PREPOSITIONS and n - 1 > i
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
                    out.append(Reading(r.cost + p.cost, fill(p.plan, r.plan)))
        return out

    def anyone(self, i: int, n: int, noun: str, want: str) -> Parses:
        """(what language do) people speak in X · (what money is) used in X: the noun says it"""
        out: Parses = []
        if not self.lex.is_noun(noun):
            return out
        for m in range(i, min(n, i + 4)):
            if self.low(m) in {"in", "of", "at", "on", "by"} and m + 1 < n:
                lead = [
                    w for w in self.lows(i, m).split() if w not in _AUX | _FILLER | _DETERMINERS
                ]
                if all(
                    w in _SOMEONE
                    or (self.lex.is_verb(w) and self._kind(w) != "person")
                    or w == "there"
                    for w in lead
                ):
                    for r in self.noun_phrase(m + 1, n):
                        if not isinstance(r.plan, Kind):
                            cost = 0.1 if set(lead) & _SOMEONE else 0.2
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
                        out.append(Reading(r.cost + p.cost, fill(p.plan, r.plan)))
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
        m = self.skip(m, n, _FILLER | {"been", "be", "not", "have", "being"} - {"first"})
        if want == "time":  # (when has X) been a member of Y
            out_ = self.being(m, n)
            if out_:
                return out_
        if m >= n or (self.low(m) in _NO_VERB and not (self.low(m) == "do" and m == n - 1)):
            return []
        span: Span | None = None
        end = n
        while end > m and (
            self.tokens[end - 1].span or self.low(end - 1) in _FILLER | {"for"} - {"for"}
        ):
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
        out: Parses = []
        # the verb with what belongs to it, up to the end of the question
        rest = [self.low(k) for k in range(m, end)]
        if "" in rest or len(rest) > 5 or {"and", "or", ","} & set(rest):
            pass
        else:
            phrase = " ".join(w for w in rest if w not in _DETERMINERS and w not in _FILLER)
            phrase_with = f"{phrase} {fronted}" if fronted not in (*rest, "") else phrase
            form: Form = "agent"
            if phrase_with.endswith(" by"):
                form, phrase_with = "patient", phrase_with.removesuffix(" by")
            if phrase_with:
                out.append(
                    Reading(
                        cost
                        + 0.25 * (len(rest) - 1) * (not self.lex.entries.get(_key(phrase_with))),
                        Hop(Hole(), phrase_with, form, want, prep=fronted, when=span),
                    )
                )
                if passive and participle and form == "agent" and want == "place":
                    spoken = Hop(Hole(), phrase_with, "patient", want, prep=fronted, when=span)
                    out.append(Reading(cost + 0.15, spoken))  # where Arabic is spoken
        for sep in range(m + 1, end - 1):  # write and direct
            if self.low(sep) == "and" and self.lex.is_verb(self.low(sep + 1)):
                for a in self.predicate(m, sep, want, fronted, passive)[:1]:
                    for b in self.predicate(sep + 1, n, want, fronted, passive)[:1]:
                        both = Join(a.plan, b.plan, "intersection")
                        out.append(Reading(a.cost + b.cost - 0.2, both))
        out += self.together_with(m, end, Hole(), cost)
        # a second participant: "play in Cheers", "marry Mary", "become president of France"
        for k in range(m + 1, end):
            if self.low(k) in _PREPOSITIONS - {"of"} and k + 1 < end:
                lead = self.lows(m, k)
                for r in self.noun_phrase(k + 1, end)[:3]:
                    out.append(
                        Reading(
                            cost + r.cost + 0.4,
                            Hop(Hole(), lead, "agent", want, self.low(k), span, r.plan),
                        )
                    )
                break
        if m + 1 < end and self.low(m + 1) not in _PREPOSITIONS:
            for r in self.participants(m + 1, end):
                out.append(
                    Reading(cost + r.cost + 0.3, Hop(Hole(), verb, "agent", want, "", span, r.plan))
                )
        return out

    def being(self, m: int, n: int) -> Parses:
        """a member of Y · president of Y: what somebody was, as part of a dated statement"""
        start = self.skip(m, n, _DETERMINERS)
        out: Parses = []
        for k in range(start + 1, min(n - 1, start + 4)):
            if self.low(k) not in {"of", "in", "at", "for"}:
                continue
            noun = self.lows(start, k)
            if not (noun and self.lex.is_noun(singular(noun))):
                continue
            phrase = f"be {singular(noun)}"
            if self.lex.entries.get(_key(phrase)):
                for r in self.noun_phrase(k + 1, n)[:3]:
                    hop = Hop(Hole(), phrase, "agent", "time", self.low(k), None, r.plan)
                    out.append(Reading(r.cost, hop))
            elif stem(noun.split()[-1]) in _OFFICES:
                for r in self.participants(start, n):
                    if isinstance(r.plan, Anchor):
                        hop = Hop(Hole(), "hold", "agent", "time", "", None, r.plan)
                        out.append(Reading(r.cost, hop))
        return out

    def roles(self, m: int, n: int, fronted: str = "") -> Parses:
        """(which films was X) an actor in · the writer of: X is the noun of what is wanted"""
        m = self.skip(m, n, _DETERMINERS | _FILLER - {"first"})
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
            elif not isinstance(plan, Kind) or stem(plan.noun.split()[-1]) in _OFFICES:
                out.append(r)
        return _best(out, 3)

    def together_with(self, m: int, end: int, one: Plan, cost: float) -> Parses:
        """act with · co-write films with: who else took part in the same works"""
        if self.low(end - 1) != "with" or end - m > 6 or not self._backwards(self.low(m)):
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
            if self.low(k) not in _WH or self.low(k) == "how":
                continue
            before = k - 1 if self.low(k - 1) in _PREPOSITIONS and k - 1 > i else k
            noun_start = k + 1
            head = self.head(noun_start, n) if noun_start < n else Head("")
            if head is None:
                continue
            prep = self.low(before) if before < k else ""
            want = {"who": "person", "where": "place", "when": "time"}.get(self.low(k), "")
            want = want or self._want(head.noun)
            for m in range(i + 1, before + 1):
                if self.low(m) in _BE and prep:
                    for p in self.roles(m + 1, before + 1):
                        for r in self.noun_phrase(i, m):
                            plan = self._dress(fill(p.plan, r.plan), head)
                            out.append(Reading(r.cost + p.cost, plan))
                if m < before and self.low(m) in _AUX and m + 1 <= before:
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
        if low in _BE and n - 1 > i:  # "the director of X was"
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
                        if t.low not in _AUX | _WH | _DETERMINERS | _PREPOSITIONS | _FILLER
                        and not t.span
                        and t.low not in {"'s", ",", "and", "not"}
                    ]
                    if rest and len(rest) <= 4:
                        phrase = " ".join(rest)
                        plan: Plan = Hop(name.plan, phrase, "role")
                        out.append(Reading(name.cost + 0.5 + 0.3 * len(rest), plan))
        return _best(out, 4)

    def _namelike(self, a: int, b: int) -> bool:
        if not self.cased:
            return b - a <= 5
        first, last = self.tokens[a], self.tokens[b - 1]
        return first.cap and last.cap and not (a == 0 and first.low in _WH | _AUX)

    # -- how -----------------------------------------------------------------------------

    def how(self, i: int, n: int, fronted: str) -> Parses:
        low = self.low(i)
        out: Parses = []
        if low in {"many", "much"} or (low == "often"):
            out += self.how_many(i, n, fronted)
        if low == "old":
            out += self.how_old(i + 1, n)
        if low == "long":
            out += self.how_long(i + 1, n)
        if low in _BE | _DO and n > i + 1:
            # how did X die; how is X called
            want = ""
            for m in range(i + 2, n):
                for p in self.predicate(m, n, want, "", passive=low in _BE):
                    if isinstance(p.plan, Hop) and stem(p.plan.phrase.split()[0]) == "die":
                        p = Reading(p.cost, replace(p.plan, phrase="cause of death", form="role"))
                    for r in self.noun_phrase(i + 1, m):
                        out.append(Reading(r.cost + p.cost + 0.5, fill(p.plan, r.plan)))
            return out
        if low in self.lex.adjectives or low in {"far", "heavy", "populous", "big"}:
            for k in range(i + 1, n):
                if self.low(k) in _BE | _DO:
                    for r in self.noun_phrase(k + 1, n):
                        plan = r.plan
                        if (
                            isinstance(plan, Hop)
                            and self.lex.is_noun(plan.phrase)
                            and low
                            in {
                                "big",
                                "large",
                                "high",
                                "long",
                                "great",
                                "much",
                            }
                            and self._measured(plan.phrase)
                        ):
                            out.append(Reading(r.cost, plan))  # how high is the population of X
                        out.append(Reading(r.cost + 0.2, Measure(plan, low)))
                    break
        return out

    def _measured(self, phrase: str) -> bool:
        return self._kind(phrase) == "number"

    def _kind(self, phrase: str) -> str:
        """What the values of a relation noun are: person, place, time, number."""
        for e in self.lex.find(_key(phrase), "noun"):
            if e.kind == "noun":
                return self.lex.kinds.get(e.relations[0][0], "")
        return ""

    def how_many(self, i: int, n: int, fronted: str) -> Parses:
        out: Parses = []
        if self.low(i) == "often":
            for m in range(i + 3, n):
                for p in self.predicate(m, n, "", "", passive=True):
                    for r in self.noun_phrase(i + 2, m):
                        out.append(Reading(r.cost + p.cost, Count(fill(p.plan, r.plan))))
            return out
        start = i + 1
        low = self.low(start)
        if low in {"years", "days", "months"}:
            out += self.between(start, n)
        for k in range(start + 1, n - 2):  # how many years is A older than B · how much taller …
            than = next((x for x in range(k + 2, n) if self.low(x) == "than"), None)
            if self.low(k) not in _BE | _DO | _HAVE or than is None:
                continue
            for m in range(k + 2, than):
                if self.low(m) not in self.lex.adjectives or m + 1 != than:
                    continue
                out += self.gap((k + 1, m), (than + 1, n), self.low(m), low)
            if self.low(k - 1) in self.lex.adjectives:
                out += self.gap((k + 1, than), (than + 1, n), self.low(k - 1), low)
        if low == "times":
            head: Head | None = Head("")
            for r in self.asked(start + 1, n, Head(""), "", fronted):
                out.append(Reading(r.cost + 0.1, Count(r.plan)))
            for k in range(start + 2, n):
                for p in self.predicate(k, n, "", "", passive=True):
                    for r in self.noun_phrase(start + 2, k):
                        out.append(Reading(r.cost + p.cost, Count(fill(p.plan, r.plan))))
            return out
        if self.low(i) == "much" and low in _BE | _DO:
            for r in self.noun_phrase(start + 1, n):
                out.append(Reading(r.cost + 0.1, _wanting(r.plan, "number")))
            out += self.object_gap(start + 1, n, "number", fronted)
            return out
        if low == "of":  # how many of X's films star Y
            for m in range(start + 2, n):
                for v in self.verb_phrase(m, n):
                    for r in self.noun_phrase(start + 1, m)[:3]:
                        plan = fill(v.plan, r.plan) if has_hole(v.plan) else _both(r.plan, v.plan)
                        out.append(Reading(r.cost + v.cost, Count(plan)))
            return out
        for k in range(start + 1, min(n, start + 7)):
            if any(t.low in _AUX for t in self.tokens[start:k]):
                break
            head = self.head(start, k)
            if head is None or self.low(k) in {"of", "'s"}:
                continue
            if self.low(k) in _AUX or self.lex.is_verb(self.low(k)) or fronted:
                noun = head.noun
                end = n - 1 if self.tokens[n - 1].span else n
                when = self.tokens[n - 1].span if end < n else None
                if self.low(k) in _DO | _HAVE and self.low(end - 1) in _HAVE and end - 1 > k:
                    for r in self.noun_phrase(k + 1, end - 1):
                        owned = self._dress2(Hop(r.plan, noun, "role", when=when), head)
                        out.append(Reading(r.cost, Count(owned)))
                if self.low(k) in _HAVE | _DO | _BE:
                    subject = self.low(k) in _HAVE
                    for r in self.noun_phrase(k + 1, n - (self.low(n - 1) in _HAVE)):
                        if subject and not isinstance(r.plan, Kind):
                            out.append(
                                Reading(
                                    r.cost + 0.5,
                                    Count(self._dress2(Hop(r.plan, noun, "role"), head)),
                                )
                            )
                if self.low(k) in _BE and self.low(k + 1) == "there":
                    rest = k + 2
                    base = Kind(noun)
                    if rest >= n:
                        out.append(Reading(0.3, Count(self._dress(base, head))))
                    for r in self.modifiers(rest, n, noun):
                        out.append(Reading(r.cost, Count(self._dress(fill(r.plan, base), head))))
                    continue
                if singular(noun) in {"person", "inhabitant", "resident"} and self.low(k) in {
                    "live", "lives", "lived", "living", "reside", "inhabit", "are",
                }:  # fmt: skip
                    rest = self.skip(k + 1, n, frozenset({"in", "living", "there", "the"}))
                    for r in self.noun_phrase(rest, n):
                        out.append(
                            Reading(r.cost - 0.2, Hop(r.plan, "population", "role", "number"))
                        )
                verb = k if self.low(k) not in _AUX else k + 1
                if head.noun in _MORTALS_1 and stem(self.low(verb)) in _DEADLY:
                    rest = verb + 1  # how many people died in X
                    if rest < n and self.low(rest) in {"in", "during", "by", "from", "because"}:
                        rest += 1
                    for r in self.noun_phrase(rest, n):
                        deaths = Hop(r.plan, "death toll", "role", "number", heard=self.lows(k, rest))
                        out.append(Reading(r.cost - 0.2, deaths))
                out += self.beside_count(k, n, noun, fronted)
                if head.noun in {"year", "day", "month"} and fronted not in {"in", "on"}:
                    continue  # how long, not how often
                for r in self.asked(k, n, head, "", fronted):
                    out.append(Reading(r.cost + 0.1, Count(r.plan)))
                for r in self.verb_phrase(k, n):
                    plan = fill(r.plan, Kind(noun))
                    out.append(Reading(r.cost + 0.1, Count(self._dress(plan, head))))
        for r in self.noun_phrase(start, n):
            if not any(t.low in _AUX for t in self.tokens[start:n]):
                out.append(Reading(r.cost + 0.4, Count(r.plan)))
        for k in range(start + 1, n - 2):  # how many Oscars for Best Director did X win
            if self.low(k) in _DO | _HAVE and any(t.cap for t in self.tokens[start:k]):
                name = singular(self.text(start, k))
                for m in range(k + 2, n):
                    for q in self.predicate(m, n, "", "", passive=False):
                        for r in self.noun_phrase(k + 1, m)[:2]:
                            named = Named(fill(q.plan, r.plan), name)
                            out.append(Reading(r.cost + q.cost + 0.3, Count(named)))
        return out

    def gap(self, a: tuple[int, int], b: tuple[int, int], by: str, unit: str) -> Parses:
        """By how much A is taller than B; what A is called counts for B ("Oxford University")."""
        last = self.low(a[1] - 1)
        noun = last if self.tokens[a[1] - 1].cap and self.lex.class_of(last) else ""
        return [
            Reading(x.cost + y.cost, Gap(x.plan, _called(y.plan, noun), by, unit))
            for x in self.noun_phrase(*a)[:3]
            for y in self.noun_phrase(*b)[:3]
        ]

    def beside_count(self, k: int, n: int, noun: str, fronted: str) -> Parses:
        """(how many goals did) X score for Y · (in how many years did) X win Y"""
        times = singular(noun) in {"year", "time"}
        if times and fronted not in {"in", "on", "at"}:
            return []
        if self.low(k) not in _AUX or not (times or self.lex.qualifiers_of(noun)):
            return []
        want = "time" if times else "number"
        out: Parses = []
        for m in range(k + 2, n):
            for q in self.predicate(m, n, want, "", passive=self.low(k) in _BE):
                if not (isinstance(q.plan, Hop) and q.plan.beside is not None):
                    continue
                plan = replace(q.plan, noun="" if times else singular(noun), heard=noun)
                for r in self.noun_phrase(k + 1, m)[:2]:
                    filled = fill(plan, r.plan)
                    cost = r.cost + q.cost - 0.3
                    out.append(Reading(cost, Count(filled) if times else filled))
            if times and self.low(k) in _BE and self.low(m) in {"on", "in", "a", "an"}:
                for r in self.noun_phrase(k + 1, m)[:2]:
                    for b in self.noun_phrase(m + 1, n)[:1]:
                        hop = Hop(r.plan, "win", "agent", "time", beside=b.plan, heard=noun)
                        out.append(Reading(r.cost + b.cost + 0.2, Count(hop)))
        return out

    def _dress2(self, plan: Plan, head: Head) -> Plan:
        for adjective in head.adjectives:
            plan = From(plan, adjective)
        return plan

    def between(self, i: int, n: int) -> Parses:
        """years between A and B · years after A did B"""
        unit: OneOf["years", "days"] = "days" if self.low(i) == "days" else "years"
        out: Parses = []
        low = [self.low(k) for k in range(n)]
        start = next(
            (k for k in range(i, n) if low[k] in {"between", "after", "before", "from"}), None
        )
        if start is None:
            return self.how_long(i + 1, n)
        for r in self.noun_phrase(start + 1, n):  # between the births of A and B
            if isinstance(r.plan, Hop) and isinstance(r.plan.source, Join):
                pair = r.plan.source
                ends = [replace(r.plan, source=x, want="time") for x in (pair.left, pair.right)]
                out.append(Reading(r.cost - 0.6, Between(ends[0], ends[1], unit)))
        sep = {"and", "to", "until", "was", "did", "were", "is", "the"}
        for m in range(start + 2, n - 0):
            if low[m] in sep:
                lefts = self.event(start + 1, m)
                rights = self.event(m + 1 if low[m] != "the" else m, n)
                out += [
                    Reading(a.cost + b.cost, Between(a.plan, b.plan, unit))
                    for a in lefts[:3]
                    for b in rights[:3]
                ]
        return out

    def event(self, i: int, n: int) -> Parses:
        """Something that has a date: "the birth of X", "X was born", "X died", "the film X"."""
        out: Parses = []
        span = self.tokens[i].span if i < n else None
        if i >= n:
            return out
        if span and n == i + 1:
            return out
        for r in self.noun_phrase(i, n):
            plan = r.plan
            if isinstance(plan, Hop) and plan.form == "role":
                out.append(Reading(r.cost, replace(plan, want="time")))
            else:
                out.append(Reading(r.cost + 0.2, Hop(plan, "date", "role", "time")))
        for m in range(i + 1, n):
            k = m + 1 if self.low(m) in _AUX else m
            if k < n:
                for p in self.predicate(k, n, "time", "", passive=True):
                    for r in self.noun_phrase(i, m):
                        out.append(Reading(r.cost + p.cost, fill(p.plan, r.plan)))
        return _best(out, _KEEP)

    def how_old(self, i: int, n: int) -> Parses:
        out: Parses = []
        if self.low(i) not in _BE:
            return out
        when = next((k for k in range(i + 1, n) if self.low(k) in {"when", "at", "as"}), None)
        for person in self.noun_phrase(i + 1, when if when else n):
            if when is None:
                out.append(Reading(person.cost, Age(person.plan, None)))
                continue
            k = when + 1
            if self.low(k) in {"he", "she", "they", "it"}:
                for p in self.predicate(self.skip(k + 1, n, _AUX), n, "time", "", passive=False):
                    event = fill(p.plan, person.plan)
                    out.append(Reading(person.cost + p.cost, Age(person.plan, event)))
            else:
                for e in self.event(k, n):
                    out.append(Reading(person.cost + e.cost + 0.1, Age(person.plan, e.plan)))
            for e in self.event(when + 1, n) if self.low(when) == "at" else []:
                out.append(Reading(person.cost + e.cost, Age(person.plan, e.plan)))
        return out

    def how_long(self, i: int, n: int) -> Parses:
        out: Parses = []
        low = self.low(i)
        if low in {"between", "after", "before"}:
            return self.between(i - 1, n)
        if low in _BE | _DO | _HAVE:
            for m in range(i + 2, n):
                for p in self.predicate(m, n, "", "", passive=True):
                    for r in self.noun_phrase(i + 1, m):
                        plan = p.plan
                        if isinstance(plan, Hop) and isinstance(r.plan, Join):
                            pair = Lasting(r.plan.left, plan.phrase, r.plan.right, plan.prep)
                            out.append(Reading(r.cost + p.cost - 0.5, pair))
                        elif isinstance(plan, Hop):
                            extra = 0.0 if plan.beside else 0.3
                            out.append(
                                Reading(
                                    r.cost + p.cost + extra,
                                    Lasting(r.plan, plan.phrase, plan.beside, plan.prep),
                                )
                            )
                # X president of Y: how long was X president of the US
                for r in self.noun_phrase(i + 1, m):
                    for office in self.participants(m, n):
                        if isinstance(office.plan, Anchor) and isinstance(r.plan, Anchor):
                            out.append(
                                Reading(
                                    r.cost + office.cost + 0.6,
                                    Lasting(r.plan, "hold", office.plan, ""),
                                )
                            )
            for r in self.noun_phrase(i + 1, n):
                out.append(Reading(r.cost + 0.1, Measure(r.plan, "long")))
        return out

    # -- comparison ----------------------------------------------------------------------

    def comparison(self, i: int, n: int) -> Parses:
        """(which) (N) is longer, A or B · (which) of A and B is longer"""
        out: Parses = []
        split = next((k for k in range(n - 2, i, -1) if self.low(k) == "or"), None)
        if split is not None:
            scale, noun, start = self._scale(i, split)
            if scale:
                for begin in start:
                    if begin >= split:
                        continue
                    out += self._choose(scale, (begin, split), (split + 1, n), noun)
        if self.low(i) == "of" or (n > i + 1 and self.low(i + 1) == "of"):
            begin = i + 1 if self.low(i) == "of" else i + 2
            begin = self.skip(begin, n, frozenset({"the", "these", "two"}) - {"the"})
            for sep in range(begin + 1, n):
                if self.low(sep) not in {"and", "or"}:
                    continue
                for end in range(sep + 2, n):
                    if self.low(end) in _BE | _HAVE | _DO or self.lex.is_verb(self.low(end)):
                        scale, _, start = self._scale(end, n)
                        if scale:
                            out += self._choose(scale, (begin, sep), (sep + 1, end))
        return out

    def _choose(
        self, scale: tuple[str, Order], a: tuple[int, int], b: tuple[int, int], noun: str = ""
    ) -> Parses:
        def named(plan: Plan) -> Plan:
            return replace(plan, noun=noun) if isinstance(plan, Anchor) and noun else plan

        return [
            Reading(
                x.cost + y.cost + 0.1,
                Nth(Join(named(x.plan), named(y.plan), "union"), scale[0], scale[1]),
            )
            for x in self.noun_phrase(*a)[:3]
            for y in self.noun_phrase(*b)[:3]
        ]

    def _scale(self, i: int, j: int) -> tuple[tuple[str, Order] | None, str, list[int]]:
        """The scale named in a span: (what, which end), the noun before it, where it ends."""
        measure: tuple[str, Order] | None = None
        noun = ""
        ends: list[int] = []
        k = i
        verb = ""
        while k < j:
            low = self.low(k)
            nxt = self.low(k + 1)
            order: Order
            if low in {"more", "most", "fewer", "fewest", "less", "least", "larger", "higher",
                       "bigger", "greater", "lower", "smaller", "highest",
                       "largest"} and nxt and k + 1 < j:  # fmt: skip
                order = (
                    "lowest"
                    if low in {"fewer", "fewest", "less", "least", "lower", "smaller"}
                    else "highest"
                )
                if nxt in self.lex.adjectives:
                    base = self.lex.adjectives[nxt].order
                    order = base if order == "highest" else _other(base)  # type: ignore[assignment, arg-type]
                    measure, ends = (nxt, order), [k + 2]
                    break
                if nxt in _MORTALS and stem(self.low(k - 1)) in _DEADLY:
                    measure, ends = ("death toll", order), [k + 2]
                    break
                if self.lex.is_noun(nxt) or (nxt.endswith("s") and not self.tokens[k + 1].cap):
                    end = k + 2
                    measure, ends = (self.lows(k + 1, end), order), [end]
                    break
            if low in {"earlier", "first", "earliest"} and not measure:
                measure, ends = (f"first {verb}".strip(), "lowest"), [k + 1]
                if not verb and nxt and (self.lex.is_verb(nxt)):
                    measure, ends = (f"first {nxt}", "lowest"), [k + 2]
                break
            if low in {"later", "last", "latest"}:
                measure, ends = (f"first {verb}".strip(), "highest"), [k + 1]
                break
            if low in {"longer", "longest"} and stem(self.low(k - 1)) == stem("live"):
                measure, ends = ("lifespan", "highest"), [k + 1]
                break
            if low in self.lex.adjectives and not self.tokens[k].span:
                found = self.lex.adjectives[low]
                measure, ends = (low, found.order), [k + 1]  # type: ignore[assignment]
                break
            if low not in _AUX and self.lex.is_verb(low) and self.lex.dated_by(low):
                verb = low
            if low in _AUX and not noun and k > i:
                noun = singular(self.lows(i, k))
            k += 1
        if measure:
            ends = [
                self.skip(
                    e,
                    j,
                    frozenset(
                        {
                            ",",
                            "between",
                            "is",
                            ":",
                            "in",
                            "the",
                            "by",
                            "size",
                            "area",
                            "population",
                            "age",
                            "height",
                            "length",
                        }
                    )
                    - {"the"},
                )
                for e in ends
            ]
        return measure, noun, ends

    # -- yes/no --------------------------------------------------------------------------

    def yes_no(self, i: int, n: int) -> Parses:
        aux = self.low(i)
        start = self.skip(i + 1, n, frozenset({"not", "there"}))
        out: Parses = []
        if self.low(i + 1) == "there" or (start < n and self.low(i + 1) == "any"):
            return [Reading(r.cost, Some(r.plan)) for r in self.noun_phrase(start, n)]
        if any(self.low(k) == "or" for k in range(start, n)) and aux in _BE | _DO:
            out += self.either(start, n)
        for m in range(start + 1, n):
            subjects = self.noun_phrase(start, m)[:4]
            subjects = [s for s in subjects if not isinstance(s.plan, Kind)]
            if not subjects:
                continue
            for rest in self.truth(m, n, aux):
                for s in subjects:
                    out.append(Reading(s.cost + rest.cost, fill(rest.plan, s.plan)))
        out += self.together(start, n, aux)
        if self.low(start) in _SOMEONE and self.lex.is_verb(self.low(start + 1)):
            for k in range(start + 3, n - 1):  # do they use the euro in Finland
                if self.low(k) in {"in", "at", "on"}:
                    for thing in self.noun_phrase(start + 2, k)[:2]:
                        for place in self.noun_phrase(k + 1, n)[:2]:
                            hop = Hop(place.plan, self.low(start + 1), "agent")
                            cost = thing.cost + place.cost - 0.2
                            out.append(Reading(cost, Is(hop, thing.plan)))
        return out

    def truth(self, m: int, n: int, aux: str) -> Parses:
        """What is claimed of a subject (the hole)."""
        negated = self.low(m) == "not"
        m = self.skip(m, n, _FILLER | {"not", "been", "be"} - {"first", "only"})
        out: Parses = []
        if m >= n:
            return out
        low = self.low(m)
        out += self.compared(m, n)
        if low in {"alive", "living"} and m == n - 1:
            out.append(Reading(0.0, Alive(Hole())))
        elif low in {"dead", "deceased"} and m == n - 1:
            out.append(Reading(0.0, Some(Hop(Hole(), "die", "agent", "time"))))
        if aux in _BE:
            for r in self.noun_phrase(m, n):
                plan = r.plan
                if isinstance(plan, Kind):
                    out.append(Reading(r.cost - 1.2, IsA(Hole(), plan.noun)))
                elif isinstance(plan, From) and isinstance(plan.source, Kind):
                    out.append(Reading(r.cost - 1.0, IsA(Hole(), plan.source.noun)))
                elif isinstance(plan, Hop) and plan.phrase == "officeholder":
                    held = Hop(Hole(), "hold", "agent", when=plan.when)
                    out.append(Reading(r.cost, Is(held, plan.source, negated)))
                elif isinstance(plan, Anchor):
                    out.append(Reading(r.cost + 0.6, Is(Hop(Hole(), "be", "agent"), plan)))
                else:
                    out.append(Reading(r.cost, Is(plan, Hole(), negated)))
        if (aux in _DO | _HAVE and low in _HAVE) or (aux in _HAVE and low not in _HAVE):
            k = m + 1 if low in _HAVE else m
            limit = self.tokens[k].span if k < n else None
            if limit:  # have more than 3 children
                out.append(Reading(0.1, Against(Hole(), self.lows(k + 1, n), limit)))
            elif low in _HAVE:
                k = self.skip(k, n, _DETERMINERS)
                last = n - 1 if self.tokens[n - 1].span else n
                noun = self.lows(k, last)
                if 0 < last - k <= 3 and "" not in noun.split():
                    out.append(Reading(0.3, Some(Hop(Hole(), noun, "role"))))
                for sep in range(k + 1, n):
                    if self.low(sep) in {"of", "as", "called", "named"}:
                        for r in self.noun_phrase(sep + 1, n)[:2]:
                            noun = self.lows(k, sep)
                            out.append(Reading(r.cost + 0.4, Is(Hop(Hole(), noun, "role"), r.plan)))
        # SUBJECT (be) VERB (prep) OBJECT
        verb_at = m
        if not self.tokens[m].cap or not self.cased:
            known = self.lex.is_verb(low)
            participle = low.endswith(("ed", "en", "ing"))
            cost = 0.0 if known else 0.8
            thing = (
                self.head(verb_at + 1, n) if self.low(verb_at + 1) in {"a", "an", "any"} else None
            )
            if thing is not None and (known or participle):  # directed a film
                some = _class(Hop(Hole(), low, "agent"), thing.noun)
                return [*out, Reading(cost + 0.1, Some(some, negated))]
            for k in range(verb_at + 1, min(n, verb_at + 5)):
                lead = [self.low(x) for x in range(verb_at, k)]
                if "" in lead or not (known or participle or aux in _DO):
                    break
                if set(lead) & {"before", "after", "than"}:
                    break
                if any(self.tokens[x].cap for x in range(verb_at + 1, k)) and self.cased:
                    break
                phrase = " ".join(w for w in lead if w not in _DETERMINERS)
                span = self.tokens[k].span
                if span and k == n - 1:
                    out.append(Reading(cost + 0.1, Against(Hole(), _strip_prep(phrase), span)))
                    continue
                end = n
                when = None
                if self.tokens[n - 1].span and n - 1 > k:
                    end, when = n - 1, self.tokens[n - 1].span
                form: Form = "agent"
                spoken = phrase
                if phrase.endswith(" by"):
                    form, spoken = "patient", phrase.removesuffix(" by")
                extra = 0.3 * (not self.lex.entries.get(_key(phrase))) * (
                    k
                    - verb_at
                    - 1
                    - phrase.endswith((" in", " by", " to", " of", " for", " at", " from"))
                )
                for r in self.noun_phrase(k, end)[:4]:
                    if isinstance(r.plan, Kind):
                        continue
                    plan = Is(Hop(Hole(), spoken, form, when=when), r.plan, negated)
                    out.append(Reading(cost + extra + r.cost, plan))
                    back: Form = "patient" if form == "agent" else "agent"
                    first = -0.02 if form == "agent" and self._backwards(spoken) else 0.05
                    plan = Is(Hop(r.plan, spoken, back, when=when), Hole(), negated)
                    out.append(Reading(cost + extra + r.cost + first, plan))
            if m == n - 1 and (known or participle):
                out.append(Reading(cost + 0.3, Some(Hop(Hole(), low, "agent"), negated)))
        if low in {"in", "on", "at", "from", "part", "near"}:
            k = m + 2 if low == "part" else m + 1
            phrase = {"from": "from", "part": "part of"}.get(low, "locate")
            for r in self.noun_phrase(k, n)[:4] if low in {"in", "on"} else []:
                hop = Hop(Hole(), f"be {low}", "agent")  # an actor in a film
                out.append(Reading(r.cost + 0.12, Is(hop, r.plan, negated)))
            for r in self.noun_phrase(k, n)[:4]:
                out.append(Reading(r.cost + 0.1, Is(Hop(Hole(), phrase, "agent"), r.plan, negated)))
        span = self.tokens[m].span
        if span and m + 1 < n:  # over 1000 km long
            out.append(Reading(0.1, Against(Hole(), self.lows(m + 1, n), span)))
        if low in self.lex.adjectives and m + 1 == n - 1 and self.tokens[n - 1].span:
            out.append(Reading(0.1, Against(Hole(), low, self.tokens[n - 1].span)))  # type: ignore[arg-type]
        if low in self.lex.demonyms and m == n - 1:
            out.append(Reading(0.1, Is(Hop(Hole(), "from", "agent"), Anchor(low), negated)))
        return out

    def _backwards(self, verb: str) -> bool:
        """Whether the verb's relation leads from its object: "direct" and `director`."""
        found = [e for e in self.lex.entries.get(_key(verb), []) if e.kind == "verb"]
        return bool(found) and found[0].runs == "-"

    def compared(self, m: int, n: int) -> Parses:
        """… taller than B · die before B · founded earlier than B · have more children than B"""
        out: Parses = []
        for k in range(m + 1, n - 0):
            low = self.low(k)
            if low in {"than", "before", "after"} and k + 1 < n:
                if low == "than":
                    scale, _, _ = self._scale(m, k)
                    if scale is None:
                        continue
                    by, order = scale
                else:
                    verb = self.low(m) if self.lex.is_verb(self.low(m)) else ""
                    if not verb:
                        continue
                    by, order = f"first {verb}", "lowest" if low == "before" else "highest"
                begin = self.skip(k + 1, n, frozenset({"that", "those"}))
                end = n
                while end > begin + 1 and self.low(end - 1) in _AUX | {"does"}:
                    end -= 1
                for r in self.noun_phrase(begin, end)[:3]:
                    out.append(Reading(r.cost, Compare(Hole(), r.plan, by, order)))
                break
        if self.low(m) == "as" or any(self.low(k) == "same" for k in range(m, n)):
            pass
        return out

    def either(self, i: int, n: int) -> Parses:
        """is A or B longer · does A or B have more N"""
        split = next((k for k in range(i + 1, n) if self.low(k) == "or"), None)
        out: Parses = []
        if split is None:
            return out
        for end in range(split + 2, n):
            scale, _, _ = self._scale(end, n)
            if scale and (
                self.low(end) in self.lex.adjectives
                or self.low(end) in _HAVE | {"more", "less", "born", "founded", "the"}
                or self.lex.is_verb(self.low(end))
            ):
                out += self._choose(scale, (i, split), (split + 1, end))
        return out

    def together(self, i: int, n: int, aux: str) -> Parses:
        """A and B … the same N · A and B both …"""
        out: Parses = []
        for sep in range(i + 1, n):
            if self.low(sep) != "and":
                continue
            begin = self.skip(i, sep, frozenset({"both"}))
            for end in range(sep + 2, n):
                low = self.low(end)
                lefts = self.noun_phrase(begin, sep)[:2]
                rest = [self.low(k) for k in range(end, n)]
                pairs = [
                    (a, b) for a in lefts for b in self.noun_phrase(sep + 1, end)[:2]
                    if not isinstance(a.plan, Kind) and not isinstance(b.plan, Kind)
                ]  # fmt: skip
                if not pairs:
                    continue
                neighbours = {"border", "borders", "neighbours", "neighbors", "neighbouring"}
                if neighbours & set(rest):
                    for a, b in pairs:
                        hop = Hop(a.plan, "border", "patient", heard=" ".join(rest))
                        out.append(Reading(a.cost + b.cost - 0.1, Is(hop, b.plan)))
                    continue
                if rest[0] == "married" or "each" in rest:
                    for a, b in pairs:
                        hop = Hop(a.plan, rest[0], "patient", heard=" ".join(rest))
                        out.append(Reading(a.cost + b.cost, Is(hop, b.plan)))
                    continue
                if "same" in rest or low in {"share", "shares"}:
                    at = rest.index("same") + end if "same" in rest else end
                    noun = self.lows(at + 1, n)
                    lead = [
                        w
                        for w in rest[: max(0, at - end)]
                        if w not in _DETERMINERS | _HAVE | {"share"}
                    ]
                    phrase = " ".join(
                        w for w in (*lead, *noun.split()) if w not in _DETERMINERS | _FILLER
                    )
                    verb = lead[0] if lead and self.lex.is_verb(lead[0]) else ""
                    verb = "" if verb in _PREPOSITIONS else verb
                    for a, b in pairs:
                        hops = [
                            Hop(
                                p.plan,
                                verb or noun,
                                "agent" if verb else "role",
                                self._want(noun) if verb else "",
                                heard=phrase,
                            )
                            for p in (a, b)
                        ]
                        out.append(Reading(a.cost + b.cost, Is(hops[0], hops[1])))
                    continue
                for t in self.truth(end, n, aux):
                    if isinstance(t.plan, Is):
                        for a, b in pairs:
                            first = fill(t.plan.left, a.plan)
                            if not has_hole(t.plan.left):
                                continue
                            second = fill(t.plan.left, b.plan)
                            both = Join(first, second, "intersection")
                            out.append(
                                Reading(a.cost + b.cost + t.cost + 0.1, Is(both, t.plan.right))
                            )
        return out

    # -- noun phrases --------------------------------------------------------------------

    def noun_phrase(self, i: int, j: int) -> Parses:
        if i >= j:
            return []
        key = (i, j)
        if key not in self._np:
            self._np[key] = []  # no left recursion
            found = _best(list(self._noun_phrases(i, j)), _KEEP)
            self._np[key] = found + [r for r in self.mention(i, j) if r not in found]
        return self._np[key]

    def _noun_phrases(self, i: int, j: int) -> Iterator[Reading]:
        yield from self.mention(i, j)
        yield from self.office(i, j)
        if self.low(i) in {"first", "last", "latest"} and self.low(i + 1) == "to":
            at: Order = "lowest" if self.low(i) == "first" else "highest"  # the last to join
            for r in self.verb_phrase(i + 2, j):
                if not has_hole(r.plan):
                    yield Reading(r.cost, Nth(r.plan, "first", at))
        if self.low(i) == "number" and self.low(i + 1) == "of":
            for r in self.noun_phrase(i + 2, j):
                yield Reading(r.cost - 0.4, Count(r.plan))
        bare = self.skip(i, j, _LEADING | {"both"})
        if bare > i:
            if bare < j:
                named = self.cased and i > 0 and self.tokens[i].cap  # The Beatles
                for r in self.noun_phrase(bare, j):
                    yield Reading(r.cost + 0.03 * named, r.plan)
                if named:
                    yield from self._coordinated(i, j)
            return
        if self.low(j - 1) in {","} | _FILLER - {"first"}:
            yield from self.noun_phrase(i, j - 1)
            return
        span = self.tokens[j - 1].span
        if span and j - 1 > i:
            for r in self.noun_phrase(i, j - 1):
                yield Reading(r.cost + 0.05, _at(r.plan, span))
        for k in range(i + 2, j - 1):  # the largest country by population
            if self.low(k) in {"by", "in"} and j - k <= 3 and self._measured(self.lows(k + 1, j)):
                for r in self.noun_phrase(i, k):
                    if isinstance(r.plan, Nth):
                        yield Reading(r.cost - 0.3, replace(r.plan, by=self.lows(k + 1, j)))
        for phrase in _BUT:
            for k in range(i + 1, j - len(phrase)):
                if tuple(self.low(k + x) for x in range(len(phrase))) == phrase:
                    for a in self.noun_phrase(i, k):
                        for b in self.noun_phrase(k + len(phrase), j)[:2]:
                            yield Reading(a.cost + b.cost, Join(a.plan, b.plan, "minus"))
        for k in range(i + 1, j - 1):  # X's N
            if self.low(k) == "'s":
                head = self.head(k + 1, j)
                if head:
                    for r in self.noun_phrase(i, k):
                        if not isinstance(r.plan, Kind):
                            yield Reading(
                                r.cost + head.cost + 0.1 + self._unfamiliar(head.noun),
                                self._owned(r.plan, head),
                            )
                else:  # X's N with modifiers: "X's films from 1990"
                    for h in range(k + 2, j):
                        head = self.head(k + 1, h)
                        if head is None:
                            continue
                        for m in self.modifiers(h, j, head.noun):
                            if not has_hole(m.plan):
                                continue
                            for r in self.noun_phrase(i, k)[:2]:
                                yield Reading(
                                    r.cost + m.cost + 0.3, fill(m.plan, self._owned(r.plan, head))
                                )
        for h in range(i + 1, j + 1):  # HEAD modifiers
            head = self.head(i, h)
            if head is None:
                continue
            if h == j and (holders := self.holders(head)):
                yield Reading(0.1, holders)
            if h == j:
                known = self.lex.class_of(head.noun) is not None
                cost = 1.4 + head.cost + 0.4 * (not known) + 0.3 * (h - i - 1)
                if head.by or head.adjectives:
                    cost -= 0.6
                yield Reading(cost, self._finish(Kind(head.noun), head))
                continue
            if self.low(h) in _PREPOSITIONS and self.low(h) != "with":
                prep = self.low(h)
                for r in self.noun_phrase(h + 1, j):
                    if isinstance(r.plan, Kind) and prep != "of":
                        continue
                    if (
                        r.plan == Kind("world")
                        or r.plan == Kind("earth")
                        or (
                            isinstance(r.plan, Anchor)
                            and r.plan.text.casefold()
                            in {"the world", "world", "earth", "the earth", "the planet"}
                        )
                    ):
                        yield Reading(head.cost + 0.2, self._finish(Kind(head.noun), head))
                        continue
                    if prep == "of" and isinstance(r.plan, Anchor) and not head.by:
                        if head.noun.split()[-1] in _TITLES:  # the city of Paris
                            noun = " ".join((*head.adjectives, head.noun))
                            yield Reading(r.cost + head.cost + 0.05, _called(r.plan, noun))
                    plan: Plan = Hop(r.plan, head.noun, "role", prep=prep if prep != "of" else "")
                    cost = r.cost + head.cost + 0.1 + self._unfamiliar(head.noun)
                    yield Reading(cost, self._finish(plan, head))
            if (
                self.lex.is_noun(head.noun)
                and self.low(h + 1) in {"in", "by", "at", "of", "for", "on"}
                and h + 2 < j
                and (self.lex.is_verb(self.low(h)) or self.low(h).endswith("ed"))
            ):  # the language spoken in X
                for r in self.noun_phrase(h + 2, j):
                    if not isinstance(r.plan, Kind):
                        owned = Hop(r.plan, head.noun, "role", heard=self.low(h))
                        yield Reading(r.cost + head.cost + 0.15, self._finish(owned, head))
            for m in self.modifiers(h, j, head.noun):
                base = Kind(head.noun)
                if has_hole(m.plan):
                    plan = fill(m.plan, base)
                elif self.lex.class_of(head.noun) is None and self._generic(head.noun):
                    plan = m.plan
                else:
                    plan = _class(m.plan, head.noun)
                yield Reading(m.cost + head.cost + 0.1, self._finish(plan, head))
        for k in range(i + 2, j - 1):  # presidents of the US who were members of …
            if self.low(k) in {"who", "that", "which", "whose"} or (
                not self.tokens[k].cap
                and self.low(k).endswith(("ed", "ing"))
                and self.lex.is_verb(self.low(k))
            ):
                for m in self.modifiers(k, j, "")[:3]:
                    for r in self.noun_phrase(i, k)[:3]:
                        if isinstance(r.plan, Kind | Anchor):
                            continue
                        plan = fill(m.plan, r.plan) if has_hole(m.plan) else _both(r.plan, m.plan)
                        yield Reading(r.cost + m.cost + 0.2, plan)
        yield from self._compound(i, j)
        yield from self._coordinated(i, j)

    def _coordinated(self, i: int, j: int) -> Iterator[Reading]:
        for k in range(i + 1, j - 1):  # A and B
            both = i > 0 and self.low(i - 1) == "both"
            how: OneOf["union", "intersection"] = "intersection" if both else "union"
            if self.low(k) in {"and", "or", ","}:
                end = k + 1
                if self.low(k) == "," and self.low(k + 1) in {"and", "or"}:
                    end = k + 2
                for a in self.noun_phrase(i, k)[:2]:
                    for b in self.noun_phrase(end, j)[:2]:
                        if isinstance(a.plan, Kind) or isinstance(b.plan, Kind):
                            continue
                        yield Reading(a.cost + b.cost + 0.5, Join(a.plan, b.plan, how))

    def holders(self, head: Head) -> Plan | None:
        """US presidents, British prime ministers: those who held the office of that name."""
        places = [a for a in head.adjectives if a in self.lex.demonyms]
        if not places or stem(head.noun.split()[-1]) not in _OFFICES:
            return None
        country = self.lex.demonyms[places[0]][0]
        office = Anchor(f"{head.noun} of {country}")
        many = any(t.low == f"{head.noun.split()[-1]}s" for t in self.tokens)
        heard = f"{places[0]} {head.noun}"
        plan: Plan = Hop(office, "officeholder", "role", noun="all" if many else "", heard=heard)
        rest = tuple(a for a in head.adjectives if a != places[0])
        return self._finish(plan, replace(head, adjectives=rest))

    def _unfamiliar(self, noun: str) -> float:
        if self.lex.is_noun(noun):
            return 0.0
        return 0.25 if self.lex.class_of(noun) else 0.5 + 0.2 * len(noun.split())

    def _owned(self, owner: Plan, head: Head) -> Plan:
        return self._finish(Hop(owner, head.noun, "role"), head)

    def _finish(self, plan: Plan, head: Head) -> Plan:
        for adjective in head.adjectives:
            plan = From(plan, adjective)
        if head.by:
            return Nth(plan, head.by, head.order, head.position)
        return plan

    def _compound(self, i: int, j: int) -> Iterator[Reading]:
        """Names next to nouns: "actor Tom Hanks", "Einstein birthplace", "Sirk directed films"."""
        for k in range(i + 1, j):
            left, right = self.head(i, k), self.head(k, j)
            if self.low(k) in _LEADING:
                right = None  # "Barcelona the capital" is no compound
            if left and not left.by:
                for r in self.mention(k, j):
                    if (self.cased and self.tokens[k].cap) or not self.cased:
                        known = self.lex.class_of(left.noun) is not None
                        extra = 0.1 if known and self.cased else 0.9 if known else 1.2
                        yield Reading(r.cost + left.cost + extra, Anchor(r.plan.text, left.noun))  # type: ignore[union-attr]
                    if self.lex.is_noun(left.noun):
                        yield Reading(r.cost + 1.0, Hop(r.plan, left.noun, "role"))
            if right and self.low(k - 1) != "'s":
                for r in self.mention(i, k):
                    if self.lex.is_noun(right.noun) or self.lex.class_of(right.noun):
                        cost = 0.6 if self.lex.is_noun(right.noun) else 0.9
                        cost -= 0.5 * self.tokens[k - 1].name
                        yield Reading(r.cost + right.cost + cost, self._owned(r.plan, right))
            for p in range(k + 1, j):  # NAME VERBed NOUN
                noun = self.head(p, j)
                if noun and self.lex.is_verb(self.low(k)) and p == k + 1:
                    for r in self.mention(i, k):
                        hop = Hop(r.plan, self.low(k), "agent")
                        cost = 0.1 if self.tokens[k - 1].name else 0.3
                        yield Reading(r.cost + cost, self._finish(_class(hop, noun.noun), noun))

    def office(self, i: int, j: int) -> Iterator[Reading]:
        """An office by its whole name stands for its holders: "the president of the US"."""
        i = self.skip(i, j, _DETERMINERS)
        for h in range(i + 1, j - 1):
            if self.low(h) not in {"of", "to"}:
                continue
            head = self.head(i, h)
            if head is None or stem(head.noun.split()[-1]) not in _OFFICES:
                continue
            k = next(
                k
                for k in range(i, h)
                if self.text(k, h).casefold().startswith(head.noun.split()[0])
            )
            for r in self.mention(h + 1, j):
                name = self.text(k, j)
                plan: Plan = Hop(Anchor(name), "officeholder", "role")
                yield Reading(r.cost + head.cost + 0.25, self._finish(plan, head))
            return

    def mention(self, i: int, j: int) -> Parses:
        """The span as one name; a likely name costs little."""
        tokens = self.tokens[i:j]
        if not tokens:
            return []
        if len(tokens) == 1 and tokens[0].name:
            return [Reading(-0.4, Anchor(tokens[0].text))]
        start = i
        if tokens[0].low in {"the", "a", "an"}:
            start = i + 1
        core = self.tokens[start:j]
        if not core or any(t.name or t.low == "," for t in core[:1]) or any(t.name for t in core):
            return []
        if core[0].low in _AUX | _PREPOSITIONS and not core[0].cap and self.cased:
            return []
        if core[0].low in {"before", "after", "since", "until", "than", "not", "never"}:
            return []
        if (
            core[-1].low in _PREPOSITIONS | _DETERMINERS | {"'s", ",", "and", "or"}
            and not core[-1].cap
        ):
            return []
        little = _AUX | _WH | _PREPOSITIONS | _DETERMINERS | _FILLER
        named = self.cased and start > i > 0 and core[0].cap  # The Who
        if all(t.low in little for t in core) and not named:
            return []
        cost = 0.0
        for pos, t in enumerate(core):
            inner = 0 < pos < len(core) - 1
            if t.cap and not (start + pos == 0 and not self.cased):
                cost += 0.02
            elif t.span and t.span.test == "during" and re.search(r"\d", t.text):
                cost += 0.3 if t.text[0].isdigit() else 0.8
            elif t.span:
                cost += 2.5
            elif t.low in self.lex.superlatives or t.low in _BESIDES:
                cost += 1.2
            elif t.low == "'s":
                cost += 0.45
            elif t.low in {",", "and", "or"}:
                cost += 0.6
            elif t.low in _PREPOSITIONS | _DETERMINERS and inner:
                cost += 0.2 if self.cased else 0.3
            elif t.low in _AUX | _RELATIVE | {"than", "before", "after"}:
                cost += 1.2
            elif t.low[:1].isdigit():
                cost += 0.1
            elif self.lex.knows(t.low):
                cost += 1.3 if self.cased else 0.6
            else:
                cost += 0.7 if self.cased else 0.15
        if self.cased and core[0].cap and core[-1].cap:
            pass
        elif self.cased and not any(t.cap for t in core):
            cost += 0.3
        elif self.cased:
            cost += 0.8
        if len(core) == 1 and core[0].low in self.lex.demonyms:
            cost += 0.6
        cost += self._torn(start, j)
        text = words(core)
        if start > i and tokens[0].cap and i > 0:
            text = words(tokens)
        return [Reading(cost, Anchor(text))]

    def _torn(self, i: int, j: int) -> float:
        """How much a name is cut out of a longer one: "Wind" of "Written on the Wind"."""

        def cap(k: int) -> bool:
            return 0 < k < len(self.tokens) and self.tokens[k].cap and not self.tokens[k].name

        if not self.cased:
            return 0.0
        before = i - 1
        while before > 0 and self.low(before) in {"of", "on", "in", "the", "to", "at"}:
            before -= 1
        torn = 0.0
        if cap(i) and cap(before):
            torn += 0.4 if before == i - 1 else 0.2
        if cap(j - 1) and cap(j):
            torn += 0.4
        return torn

    def head(self, i: int, j: int) -> Head | None:
        """Adjectives and a noun, nothing else; None when the span is anything else."""
        i = self.skip(i, j, _LEADING | _BESIDES)
        if i >= j or j - i > 6:
            return None
        by, order, position = "", "highest", 1
        adjectives: list[str] = []
        cost = 0.0
        k = i
        while k < j - 0:
            low = self.low(k)
            nxt = self.low(k + 1) if k + 1 < j else ""
            if low in ORDINALS or re.fullmatch(r"\d+(?:st|nd|rd|th)", low):
                position = ORDINALS.get(low) or int(low[:-2])
                if nxt in {"most"} and k + 2 < j:
                    k += 1
                    continue
                if nxt not in self.lex.superlatives:
                    by, order = "first", "lowest"
                k += 1
            elif low in {"last", "latest", "final", "newest", "most"} and nxt == "recent":
                by, order = "first", "highest"
                k += 2
            elif low in {"last", "latest", "final"} and nxt:
                by, order = "first", "highest"
                k += 1
            elif low in {"most", "least"} and nxt and k + 2 < j + 0:
                by = nxt
                found = self.lex.adjectives.get(nxt)
                order = found.order if found else "highest"
                if low == "least":
                    order = _other(order)  # type: ignore[arg-type]
                k += 2
            elif k + 1 < j and self.lex.is_noun(self.lows(k, j)) and (" " in self.lows(k, j)):
                break
            elif low in self.lex.superlatives and (nxt or False):
                by, order = low, self.lex.adjectives[low].order
                k += 1
            elif low in self.lex.demonyms and nxt:
                adjectives.append(low)
                k += 1
            elif f"{low} {nxt}" in self.lex.demonyms and k + 2 < j:
                adjectives.append(f"{low} {nxt}")
                k += 2
            elif low in NUMBER_WORDS and low != "one" and nxt:
                k += 1
            elif low in {"current", "present", "incumbent"} and nxt:
                adjectives.append("current")
                k += 1
            elif (
                low in {"former", "famous", "main", "major", "important", "whole", "entire"} and nxt
            ):
                k += 1
            else:
                break
        rest = self.tokens[k:j]
        if not rest or len(rest) > 4:
            return None
        whole = self.lows(k, j)
        if len(rest) > 1 and not any(t.name or t.span for t in rest) and self._noun_of_words(whole):
            return Head(singular(whole), by, order, position, tuple(adjectives))  # type: ignore[arg-type]
        for pos, t in enumerate(rest):
            if (
                t.name
                or t.span
                or t.low in {"'s", ",", "and", "or", "not"} | _AUX | _WH | {"than", "there", "it"}
            ):
                return None
            inner_of = t.low == "of" and 0 < pos < len(rest) - 1
            if t.low in _DETERMINERS | _PREPOSITIONS and not inner_of:
                return None
            titled = pos == 0 and self.lex.is_noun(t.low)
            if t.cap and self.cased and k + pos > 0 and not titled:
                return None  # part of a name
        sort = ""
        if any(t.low == "of" for t in rest):
            whole = self.lows(k, j)
            if rest[0].low.rstrip("s") in {
                "kind",
                "type",
                "sort",
                "form",
                "genre",
            } or self.lex.is_noun(whole):
                if rest[0].low.rstrip("s") in {"kind", "type", "sort", "genre"} and len(rest) > 2:
                    sort, rest = rest[0].low, rest[2:]
            else:
                return None
        noun = singular(" ".join(t.low for t in rest))
        if rest[0].cap and self.cased and k > 0:
            cost += 0.4
        if len(rest) == 1 and (noun in self.lex.superlatives or noun in self.lex.demonyms):
            return None
        known = self.lex.is_noun(noun) or self.lex.class_of(noun) is not None
        if not known and len(rest) == 1 and self.lex.is_verb(noun):
            cost += 1.5
        if len(rest) > 1 and not known:
            cost += 0.3 * (len(rest) - 1)
            if self.lex.is_verb(rest[-1].low) and not self.lex.is_noun(rest[-1].low):
                cost += 2.0
        return Head(noun, by, order, position, tuple(adjectives), cost, sort)  # type: ignore[arg-type]

    def _noun_of_words(self, phrase: str) -> bool:
        """A noun that the lexicon knows as a whole: "person in charge", "cause of death"."""
        inner = phrase.split()[1:-1]
        return bool(_PREPOSITIONS & set(inner)) and self.lex.is_noun(phrase)

    def modifiers(self, i: int, j: int, noun: str) -> Parses:
        """What follows a noun and narrows it: relative clauses, participles, "with …"."""
        if i >= j:
            return []
        key = (i, j, noun)
        if key not in self._modifiers:
            self._modifiers[key] = self._narrowing(i, j, noun)
        return self._modifiers[key]

    def _narrowing(self, i: int, j: int, noun: str) -> Parses:
        low = self.low(i)
        out: Parses = []
        if low == "," and i + 1 < j:
            return self.modifiers(i + 1, j, noun)
        if low == "to" and (self.lex.is_verb(self.low(i + 1)) or self.low(i + 1) == "be"):
            out += [r for r in self.verb_phrase(i + 1, j) if not has_hole(r.plan)]
        if low in {"that", "who", "which", "whom"}:
            k = i + 1
            out += self.verb_phrase(k, j)
            out += self.gap_clause(k, j)
        elif low == "whose":
            for k in range(i + 2, j):
                if self.low(k) in _BE | {"have", "has"} or self.lex.is_verb(self.low(k)):
                    noun2 = self.lows(i + 1, k)
                    if self.tokens[min(k + 1, j - 1)].span and self.low(k) in _BE:
                        out.append(Reading(0.1, Limit(Hole(), noun2, self.tokens[k + 1].span)))  # type: ignore[arg-type]
                        continue
                    if self.low(k) in _BE:
                        for r in self.noun_phrase(k + 1, j):
                            out.append(Reading(r.cost + 0.1, Hop(r.plan, noun2, "holder")))
                    for r in self.verb_phrase(k, j):  # films whose directors also directed X
                        if not has_hole(r.plan):
                            out.append(Reading(r.cost + 0.2, Hop(r.plan, noun2, "holder")))
        elif low == "where" or (low in _PREPOSITIONS and self.low(i + 1) in {"which", "whom"}):
            k = i + 1 if low == "where" else i + 2
            for r in self.gap_clause(
                k, j, want="place" if low == "where" else "", prep="" if low == "where" else low
            ):
                out.append(r)
        elif low == "with" or low == "having":
            out += self.having(i + 1, j)
            out += self.sharing(i + 1, j)
        elif self.tokens[i].span:
            span = self.tokens[i].span
            assert span is not None
            if i + 1 == j:
                out.append(Reading(0.1, Limit(Hole(), noun, span)))
            elif span.test in {"more than", "less than", "is"}:
                out.append(Reading(0.2, Limit(Hole(), self.lows(i + 1, j), span)))
        elif low in self.lex.adjectives and i + 2 == j and self.tokens[i + 1].span:
            out.append(Reading(0.1, Limit(Hole(), low, self.tokens[i + 1].span)))  # type: ignore[arg-type]
        elif low in {"called", "named"}:
            for r in self.mention(i + 1, j):
                out.append(Reading(r.cost, r.plan))
        else:
            if low not in _AUX:
                out += self.verb_phrase(i, j, reduced=True)
            out += [Reading(r.cost + 0.3, r.plan) for r in self.gap_clause(i, j)]
        for k in range(i + 1, j - 1):  # two restrictions joined by "and", or just two in a row
            if self.low(k) in {"and", ",", "but"}:
                start = k + 2 if self.low(k) == "," and self.low(k + 1) == "and" else k + 1
                for a in self.modifiers(i, k, noun)[:2]:
                    for b in self.modifiers(start, j, noun)[:2]:
                        out.append(Reading(a.cost + b.cost + 0.1, _both(a.plan, b.plan)))
            elif self.low(k) in {"that", "which", "who", "with", "in", "from", "by"} and k > i + 1:
                if low in {"in", "with", "from", "by"}:
                    continue
                for a in self.modifiers(i, k, noun)[:1]:
                    for b in self.modifiers(k, j, noun)[:1]:
                        out.append(Reading(a.cost + b.cost + 0.5, _both(a.plan, b.plan)))
        if low in _PREPOSITIONS and low not in {"with", "of"}:
            for r in self.noun_phrase(i + 1, j):
                if not isinstance(r.plan, Kind):
                    out.append(Reading(r.cost + 0.2, Where(Hole(), low, "patient", r.plan, low)))
        return _best(out, _KEEP)

    def having(self, i: int, j: int) -> Parses:
        """(with) more than 3 children · the most inhabitants · a population over 3 million · NP"""
        out: Parses = []
        i = self.skip(i, j, _DETERMINERS)
        if i >= j:
            return out
        span = self.tokens[i].span
        low = self.low(i)
        if span and i + 1 < j:
            out.append(Reading(0.0, Limit(Hole(), self.lows(i + 1, j), span)))
        for k in range(i + 1, j):
            inner = self.tokens[k].span
            if inner and k == j - 1 and k - i <= 3:
                noun = " ".join(w for w in self.lows(i, k).split() if w not in {"of"})
                out.append(Reading(0.1, Limit(Hole(), noun, inner)))
        found = number_at(self.tokens, i)
        if found and i + found[1] < j:
            limit = Span("is", found[0])
            out.append(Reading(0.2, Limit(Hole(), self.lows(i + found[1], j), limit)))
        if low in {"most", "fewest", "least", "highest", "largest", "biggest", "greatest", "lowest",
                   "smallest", "longest", "shortest", "best", "oldest",
                   "youngest"} and i + 1 < j:  # fmt: skip
            order: Order = (
                "lowest"
                if low in {"fewest", "least", "lowest", "smallest", "shortest"}
                else "highest"
            )
            end = j
            noun = self.lows(i + 1, end)
            if "" not in noun.split() and len(noun.split()) <= 3:
                out.append(Reading(0.0, Nth(Hole(), noun, order)))
            for k in range(i + 2, j):  # the most inhabitants in Europe
                if self.low(k) == "in":
                    for r in self.noun_phrase(k + 1, j)[:2]:
                        base = Where(Hole(), "in", "patient", r.plan, "in")
                        out.append(Reading(r.cost, Nth(base, self.lows(i + 1, k), order)))
        for k in range(i + 1, j):
            if self.low(k) == "as":  # Spanish as official language
                noun = self.lows(self.skip(k + 1, j, _DETERMINERS), j)
                for r in self.noun_phrase(i, k)[:2]:
                    out.append(Reading(r.cost, Hop(r.plan, singular(noun), "holder")))
            if self.low(k) in {"called", "named", "of"}:
                for r in self.noun_phrase(k + 1, j)[:2]:
                    out.append(Reading(r.cost + 0.2, Hop(r.plan, self.lows(i, k), "holder")))
        for r in self.noun_phrase(i, j):
            if isinstance(r.plan, Anchor):
                out.append(Reading(r.cost + 0.2, Hop(r.plan, "with", "patient", prep="with")))
                as_noun = [k for k in range(i + 1, j) if self.low(k) == "as"]
                del as_noun
            elif isinstance(r.plan, Hop) and r.plan.form == "role":
                # films with the same director as X; "countries with the capital of …"
                out.append(Reading(r.cost + 0.6, Hop(r.plan, r.plan.phrase, "holder")))
        return out

    # -- verb phrases --------------------------------------------------------------------

    def verb_phrase(self, i: int, j: int, reduced: bool = False) -> Parses:
        """What the verb phrase says of its subject, as the set of subjects; may have a hole."""
        if i >= j:
            return []
        key = (i, j)
        if key not in self._vp:
            self._vp[key] = []
            self._vp[key] = _best(list(self._verb_phrases(i, j)), _KEEP)
        return self._vp[key]

    def _verb_phrases(self, i: int, j: int) -> Iterator[Reading]:
        first = self.low(i)
        k = self.skip(i, j, _AUX | _FILLER - {"first"} | {"been"})
        be = any(self.low(x) in _BE for x in range(i, k))
        if self.low(k) in {"not", "never"} and k > i:
            for r in self.verb_phrase(k + 1, j):
                yield Reading(r.cost + 0.05, Join(Hole(), r.plan, "minus"))
            if be and self.low(k + 1) in _PREPOSITIONS:
                for r in self.noun_phrase(k + 2, j):
                    inside = Where(Hole(), self.low(k + 1), "patient", r.plan, self.low(k + 1))
                    yield Reading(r.cost + 0.1, Join(Hole(), inside, "minus"))
            return
        be = any(self.low(x) in _BE for x in range(i, k))
        have = any(self.low(x) in _HAVE for x in range(i, k))
        if k >= j:
            return
        for sep in range(i + 1, j - 1):  # VP and VP
            if self.low(sep) in {"and", "but"} or (
                self.low(sep) == "," and self.low(sep + 1) == "and"
            ):
                start = sep + (2 if self.low(sep) == "," else 1)
                start = self.skip(start, j, frozenset({"who", "that", "which", "also"}))
                for a in self.verb_phrase(i, sep)[:2]:
                    for b in self.verb_phrase(start, j)[:2]:
                        yield Reading(a.cost + b.cost + 0.1, _both(a.plan, b.plan))
        for sep in range(i + 1, j):  # succeeded X as president
            role = self.head(sep + 1, j) if self.low(sep) == "as" else None
            if role is not None and not (have or self.lex.class_of(role.noun) is None):
                for r in self.verb_phrase(i, sep)[:2]:
                    if isinstance(r.plan, Hop):
                        yield Reading(r.cost + 0.1, replace(r.plan, heard=role.noun))
        if (
            self.lex.is_verb(self.low(k))
            and self.low(k + 1) == "and"
            and self.lex.is_verb(self.low(k + 2))
            and k + 3 < j
        ):  # directed and written by X · wrote and directed X
            by = self.low(k + 3) == "by"
            voice: Form = "agent" if by else "patient"
            for r in self.noun_phrase(k + 4 if by else k + 3, j)[:3]:
                if not isinstance(r.plan, Kind):
                    both = [Hop(r.plan, self.low(v), voice) for v in (k, k + 2)]
                    yield Reading(r.cost - 0.1, Join(both[0], both[1], "intersection"))
        if have or first == "with":
            yield from self.having(k, j)
            yield from self.sharing(i, j)
        if be:
            if self.low(k) in _PREPOSITIONS - {"of"}:
                for r in self.noun_phrase(k + 1, j):
                    if not isinstance(r.plan, Kind):
                        yield Reading(
                            r.cost + 0.2, Where(Hole(), self.low(k), "patient", r.plan, self.low(k))
                        )
            span = self.tokens[k].span
            if span and k + 1 < j:  # is over 1000 km long
                yield Reading(0.1, Limit(Hole(), self.lows(k + 1, j), span))
            if self.low(k) in self.lex.adjectives and k + 2 == j and self.tokens[k + 1].span:
                yield Reading(0.1, Limit(Hole(), self.low(k), self.tokens[k + 1].span))  # type: ignore[arg-type]
            if self.low(k) in self.lex.adjectives and self.low(k + 1) == "than":
                for r in self.noun_phrase(k + 2, j)[:2]:
                    yield Reading(
                        r.cost + 0.2,
                        Limit(
                            Hole(),
                            self.low(k),
                            Span("more than", f"\0{words(self.tokens[k + 2 : j])}"),
                        ),
                    )
            for r in self.noun_phrase(k, j):
                yield Reading(r.cost + 0.05, r.plan)
            at = self.skip(k, j, _DETERMINERS)
            if self.low(at) in {"most", "least"} and at + 2 == j:
                found = self.lex.adjectives.get(self.low(at + 1))
                if found is not None:
                    end = found.order if self.low(at) == "most" else _other(found.order)  # type: ignore[arg-type]
                    yield Reading(0.0, Nth(Hole(), self.low(at + 1), end))  # type: ignore[arg-type]
            superlative = self.low(at)
            if superlative in self.lex.superlatives and j - k <= 2:
                yield Reading(0.0, Nth(Hole(), superlative, self.lex.adjectives[superlative].order))  # type: ignore[arg-type]
        low = self.low(k)
        if not low or (self.tokens[k].cap and self.cased) or low in _PREPOSITIONS | _DETERMINERS:
            return
        known = self.lex.is_verb(low)
        verbish = known or low.endswith(("ed", "ing", "en")) or stem(low) != low
        if not verbish and j - k > 6:
            return
        base = 0.0 if known else 0.7 if verbish else 1.1
        end = j
        when = self.tokens[j - 1].span if j - 1 > k else None
        if when is not None:
            end = j - 1
            if when.test in {"more than", "less than", "is"} and end - k <= 3:
                yield Reading(base, Limit(Hole(), self.lows(k, end), when))
            elif end - k <= 2:
                yield Reading(base, Limit(Hole(), _strip_prep(self.lows(k, end)), when))
        if self.tokens[k + 1].span if k + 1 < j else None:
            # born in 1950 in Paris
            inner = self.tokens[k + 1].span
            if k + 2 < j and inner:
                for r in self._verb_phrases_at(k, k + 2, j, base):
                    yield Reading(r.cost, _both(Limit(Hole(), low, inner), r.plan))
        yield from self.sharing(k, end)
        for m in range(k + 1, min(end - 1, k + 6)):
            if self.low(m) == "with":
                for r in self.noun_phrase(m + 1, end)[:2]:
                    yield from self.together_with(k, m + 1, r.plan, base + r.cost)
        most = self.low(k + 1) if k + 1 < j else ""
        if most in {"the"}:
            most = self.low(k + 2)
        if most in {"most", "fewest"} and end - k <= 5:
            noun_at = k + (3 if self.low(k + 1) == "the" else 2)
            noun = self.lows(noun_at, end)
            if noun:
                order: Order = "highest" if most == "most" else "lowest"
                yield Reading(base + 0.1, Nth(Hole(), f"{low} {noun}", order))
        for m in range(k + 1, min(end, k + 5)):
            lead = [self.low(x) for x in range(k, m)]
            if "" in lead or any(self.tokens[x].cap and self.cased for x in range(k, m)):
                break
            if any(w in {"'s", ",", "and", "or", "before", "after", "than"} | _AUX for w in lead):
                break
            phrase = " ".join(w for w in lead if w not in _DETERMINERS)
            spoken, form = phrase, "patient"
            if phrase.endswith(" by") and not self.lex.entries.get(_key(phrase)):
                spoken, form = phrase.removesuffix(" by"), "agent"
            listed = self.lex.entries.get(_key(spoken))
            extra = (0.0 if listed else 0.35) * (len(spoken.split()) - 1)
            if not be and not reduced_passive(low) and form == "agent":
                extra += 0.1
            for r in self.noun_phrase(m, end):
                if isinstance(r.plan, Kind) and not (isinstance(r.plan, Kind) and m == k + 1):
                    continue
                cost = base + extra + r.cost + (0.8 if isinstance(r.plan, Kind) else 0.0)
                yield Reading(cost, _dated(Hop(r.plan, spoken, form), when))  # type: ignore[arg-type]
        for m in range(k + 2, end - 1):  # played Gus Fring in Breaking Bad
            if self.low(m) in {"in", "on", "for", "at", "with", "from", "to"}:
                for a in self.noun_phrase(k + 1, m)[:2]:
                    if not isinstance(a.plan, Anchor):
                        continue
                    for b in self.noun_phrase(m + 1, end)[:2]:
                        hop = Hop(b.plan, low, "patient", prep=self.low(m), beside=a.plan)
                        yield Reading(base + a.cost + b.cost + 0.2, _dated(hop, when))
                        if stem(low) not in {"play", "portray", "voic"}:
                            continue  # the role may know who played it where
                        hop = Hop(a.plan, low, "patient", prep=self.low(m), beside=b.plan)
                        yield Reading(base + a.cost + b.cost + 0.25, _dated(hop, when))

    def sharing(self, k: int, end: int) -> Iterator[Reading]:
        """share actors with X · have the same director as X"""
        verbs = frozenset({"share", "shares", "have", "has", "had", "shared"})
        start = self.skip(k, end, verbs)
        same = self.skip(start, end, _DETERMINERS | {"same"})
        stated = "same" in self.lows(k, same).split()
        if not stated and not {"share", "shares", "shared"} & set(self.lows(k, start).split()):
            return
        for m in range(same + 1, min(end, same + 4)):
            if self.low(m) in {"with", "as", "of"}:
                noun = singular(self.lows(same, m))
                if not self.lex.is_noun(noun) or noun == "border":
                    continue
                for r in self.noun_phrase(m + 1, end)[:3]:
                    if isinstance(r.plan, Anchor | Hop):
                        hop = Hop(Hop(r.plan, noun, "role"), noun, "holder", heard="share same")
                        yield Reading(r.cost - 0.1, Join(hop, r.plan, "minus"))

    def _verb_phrases_at(self, verb: int, i: int, j: int, base: float) -> Iterator[Reading]:
        """The verb again with what follows later in the phrase."""
        k = i + 1 if self.low(i) in _PREPOSITIONS else i
        phrase = self.low(verb) + (f" {self.low(i)}" if k > i else "")
        for r in self.noun_phrase(k, j)[:3]:
            yield Reading(base + r.cost + 0.2, Hop(r.plan, phrase, "patient"))

    def gap_clause(self, i: int, j: int, want: str = "", prep: str = "") -> Parses:
        """(the films) Sirk directed · (the city) where Einstein was born"""
        key = (i, j, want, prep)
        if key not in self._gaps:
            self._gaps[key] = self._gap_clause(i, j, want, prep)
        return self._gaps[key]

    def _gap_clause(self, i: int, j: int, want: str, prep: str) -> Parses:
        out: Parses = []
        for m in range(i + 1, j):
            k = self.skip(m, j, _AUX)
            for p in self.predicate(k, j, want, prep, passive=k > m):
                for r in self.noun_phrase(i, m)[:3]:
                    if not isinstance(r.plan, Kind):
                        out.append(Reading(r.cost + p.cost + 0.1, fill(p.plan, r.plan)))
        return _best(out, _KEEP)


def _distribute(plan: Plan) -> Plan:
    """ "border both A and B": what borders A and also borders B"""
    if isinstance(plan, Join | Hole | Kind | Anchor):
        return plan
    changes: dict[str, Plan] = {}
    for name in ("source", "left", "right", "other"):
        value = getattr(plan, name, None)
        if isinstance(value, Plan):
            changes[name] = _distribute(value)
    plan = replace(plan, **changes) if changes else plan  # type: ignore[arg-type]
    if isinstance(plan, Hop) and isinstance(plan.source, Join) and plan.beside is None:
        pair = plan.source
        verb = plan.form in ("agent", "patient")
        if pair.how == "intersection" or (pair.how == "union" and verb):
            left, right = replace(plan, source=pair.left), replace(plan, source=pair.right)
            return Join(left, right, "intersection")
    return plan


def _onto(plan: Plan, kind: Kind, base: Plan) -> Plan:
    """The plan with a set in place of the whole class, else for its members only."""
    if kind not in parts(plan):
        return Join(base, plan, "intersection")
    if plan == kind:
        return base
    changes = {
        f.name: _onto(value, kind, base)
        for f in fields(plan)
        if isinstance(value := getattr(plan, f.name), Plan) and kind in parts(value)
    }
    return replace(plan, **changes)  # type: ignore[arg-type]


def _taking_part(plan: Plan) -> Plan:
    """To be in a work is to take part in it."""
    if isinstance(plan, Hop) and plan.phrase in {"in", "locate in"}:
        return replace(plan, phrase="be in", prep="")
    return plan


def _called(plan: Plan, noun: str) -> Plan:
    return replace(plan, noun=noun) if isinstance(plan, Anchor) and noun else plan


def _trivial(plan: Plan) -> bool:
    """Names alone ask for nothing."""
    if isinstance(plan, Join):
        return _trivial(plan.left) and _trivial(plan.right)
    return isinstance(plan, Anchor)


# -- plans from plans --------------------------------------------------------------------


def _best(readings: Parses, most: int) -> Parses:
    cheapest: dict[Plan, float] = {}
    for r in readings:
        if r.cost < cheapest.get(r.plan, 1e9):
            cheapest[r.plan] = r.cost
    ranked = sorted(cheapest.items(), key=lambda item: item[1])
    return [Reading(cost, plan) for plan, cost in ranked[:most] if cost < 9]


def _key(phrase: str) -> tuple[str, ...]:
    return tuple(stem(w) for w in phrase.split())


def _other(order: Order) -> Order:
    return "lowest" if order == "highest" else "highest"


def _strip_prep(phrase: str) -> str:
    *head, last = phrase.split()
    return " ".join(head) if head and last in _PREPOSITIONS else phrase


def reduced_passive(verb: str) -> bool:
    return verb.endswith(("ed", "en")) or stem(verb) != verb


def _wanting(plan: Plan, want: str) -> Plan:
    if isinstance(plan, Hop) and want and not plan.want:
        return replace(plan, want=want)
    return plan


def _class(plan: Plan, noun: str) -> Plan:
    """The class goes inside of an ordering: the longest of the rivers."""
    if isinstance(plan, Nth):
        return replace(plan, source=_class(plan.source, noun))
    if isinstance(plan, Kind):
        return plan
    if isinstance(plan, Limit | Where) and isinstance(plan.source, Kind | Limit | Where):
        return plan
    return Of(plan, noun)


def _at(plan: Plan, span: Span) -> Plan:
    if isinstance(plan, Hop) and plan.when is None and span.test in {"during", "before", "after"}:
        return replace(plan, when=span)
    if isinstance(plan, Of | Nth | From):
        return replace(plan, source=_at(plan.source, span))
    if isinstance(plan, Kind):
        return Limit(plan, plan.noun, span)
    return plan


def _dated(hop: Hop, span: Span | None) -> Plan:
    return replace(hop, when=span) if span else hop


def _both(a: Plan, b: Plan) -> Plan:
    """Two restrictions on one set."""
    if has_hole(b):
        return fill(b, a)
    if has_hole(a):
        return fill(a, b)
    return Join(a, b, "intersection")
