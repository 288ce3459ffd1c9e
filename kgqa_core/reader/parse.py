"""Question → readings, cheapest first.

A question is brought to the noun phrase it asks for ("Who directed Psycho?" → who directed
Psycho), and the phrase is parsed by a small grammar over spans of tokens. Nothing is decided
here that the graph can decide better: a span may be a name as a whole or fall into parts, and
both readings are kept.
"""

from __future__ import annotations

import re
from dataclasses import replace

from kgqa_core.reader.claims import Claims
from kgqa_core.reader.grammar import AUX, PREPOSITIONS, WH, Parses, best_of, key_of
from kgqa_core.reader.how import How
from kgqa_core.reader.lexicon import Lexicon, lexicon
from kgqa_core.reader.nouns import Nouns
from kgqa_core.reader.plan import (
    Anchor,
    Between,
    Compare,
    Count,
    Hole,
    Hop,
    Is,
    IsA,
    Join,
    Kind,
    Of,
    Plan,
    Reading,
    Some,
    anchors,
    has_hole,
)
from kgqa_core.reader.questions import Wh
from kgqa_core.reader.verbs import Verbs
from kgqa_core.reader.words import stem

LONGEST = 36  # tokens; a longer text is hardly one question

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
    (r"^count (?:up )?(?:all )?(?:of )?(?:the )?(?=\w)", "how many "),
    (r"^(how many .+?) (?:are|were) there$", r"\1"),
    (r"\b(?:the )?brothers (?:and|or) (?:the )?sisters\b", "siblings"),
    (r"\b(?:the )?sons (?:and|or) (?:the )?daughters\b", "children"),
    (r"\b(?:the )?(?:mother and father|father and mother)\b", "parents"),
    (r"\b(at|in|for|with|by|from|on) ((?!the year\b)[\w .]{2,40}?) and (?:also )?\1 "
     r"(?=[A-Z]|the [A-Z])", r"\1 \2 and "),
    (r"^(.*?)\b([A-Za-z]+)-speaking (\w+)((?: (?:in|of|on) .+)?)$", r"\1\3\4 that speak \2"),
    (r" (?:as expressed |measured |given |expressed )?in (?:square |cubic )?"
     r"(?:kilomet(?:re|er)s?|met(?:re|er)s?|miles|feet|foot|inches|km2?|km²|kilograms?|hectares"
     r"|acres|minutes|pages)$", ""),
    (r"^(?:what|which) age did (.+?) (?:reach|attain|live to|get to)$",
     r"how old was \1 when they die"),
    (r"^when did (.+?) (was|were) ", r"when \2 \1 "),
    (r"\bat least one\b", "a"),
    (r"^((?:which|what) \w+ (?:have|has|had|feature|features) .+) in (?:them|it)$", r"\1"),
    (r"^(where (?:is|are|was|were) .+?) (?:located|situated)$", r"\1"),
    (r"^where (is|are|was|were) (?:located|situated) ", r"where \1 "),
    (r" (?:right|just) now$", " now"),
    (r"\bvery (?=first|last)", ""),
    (r"\b(states?) (?:of|in) the (?:US|USA|United States(?: of America)?|U\.S\.(?:A\.)?)(?=\W|$)",
     r"US \1"),
    (r"^what (?:caused|was the reason for) (?:the )?(?:death of (.+)|(.+?)['’]s death)$",
     r"what was the cause of death of \1\2"),
    (r"^what (?:is|was) the title of (?:the|a) (.+ (?:in|that|which|who|with|by)\b)", r"which \1"),
    (r"^in (?:what|which) (?:manner|way) did (.+?) die$", r"what was the manner of death of \1"),
    (r"^(do|did) (more|less|fewer) than ([\d.,]+(?: [a-z]+illion)?) people (speak|live in) (.+)$",
     r"does \5 have \2 than \3 \4ers"),
    (r"\blive iners$", "inhabitants"),
    (r"\bspeakers$", "speakers"),
    (r"^(when|where) (?!(?:is|are|was|were|do|does|did|has|have|had|will|can|could|would|should)\b)"
     r"(.+?) (was|were|is|are|did|does) (\w+)$", r"\1 \3 \2 \4"),
    (r"^(?:since|from) when (has|have|had|is|are|was|were|did|does)\b", r"when \1"),
    (r"\bat the (?:very )?(?:end|beginning|start|turn) of (?=\d{4})", "in "),
    (r"\b(is|are|was|were) (.+?) one of the (\w+?)s (in|of|on|from|at) ", r"\1 \2 a \3 \4 "),
    (r"\b(in|at|on|for|from) (.+?) or \1 (?=[A-Z]|the [A-Z])", r"\1 \2 or "),
    (r"^(?:at )?what age (was|were|is) (.+?) (?:at|upon) (?:his|her|their) (\w+)$",
     r"how old \1 \2 when they \3"),
    (r"^(?:at|by) (?:what|which) age (?:did|does) (.+?) (die|pass away|marry|become|win|join|begin"
     r"|start|retire|leave|found|receive|take|get|write|direct|publish|release|move|make|give|earn"
     r"|graduate|perish|debut)\b(.*)$", r"how old was \1 when they \2\3"),
    (r"^(?:at|by) (?:what|which) age (?:did|does) (.+?) (\w+)( .*)?$",
     r"how old was \1 when they \2\3"),
    (r"^(?:at )?what age (was|were|is) ", r"how old \1 "),
    (r"^what (?:is|was) (?:the age of (.+?)|(.+?)['’]s age) (at|when)\b", r"how old was \1\2 \3"),
    (r"\b(?:in terms of|as measured by|measured by|ranked by|when it comes to|with regard to"
     r"|as for|going by|with respect to)(?: the| its| their)?\b", "by"),
    (r"^(who|which \w+) (?:took over|came in|came to power|took office|followed) as\b",
     r"\1 became"),
    (r"^(?:are there|do) (more|fewer|less) (?:people|inhabitants)"
     r" (?:living |who live |that live |live )?in (.+?) than in ",
     r"does \2 have \1 inhabitants than "),
    (r"^how many years (?:separates?|are there between|passed between|elapsed between) ",
     "how many years between "),
    (r"^(who \w+) the (\d{4}) (?!\w+ing\b)(.+)$", r"\1 the \3 in \2"),
    (r"\b(literature|physics|chemistry|medicine|economics) nobel(?: prize)?\b",
     r"Nobel Prize in \1"),
    (r"\bpeace nobel(?: prize)?\b", "Nobel Peace Prize"),
    (r"^((?:when|where|in what year|in which year) (?:was|were|did)) (the [\w ]+?)"
     r" (founded|born|established|built|formed|released|created|published|end|start|begin)"
     r" ((?:that|which|who|where|whose|in which|for which|on which)\b.+)$", r"\1 \2 \4 \3"),
    (r"^for how (long|many years) (was|were|is|did|has|have)\b", r"how \1 \2"),
    (r"^by how many years (is|was)\b", r"how many years \1"),
    (r"^how many (years?|days?) (older|younger) (is|was) (.+?) than ",
     r"how many \1 \3 \4 \2 than "),
    (r"^(?:what is |what's )?(?:the )?(?:total )?number of (?=\w+ed\b|\w+s\b)", "how many "),
    (r"^(.+) in (?:total|all)$", r"\1"),
    (r"^where (?:can|could|do|may|would|might) (?:i|you|one|we|people|they) (?:go to )?"
     r"(?:find|see|visit|look at|admire) ", "where is "),
    (r"\b(?:the )?(year|date|place|day|time|cause|city|country) of (?!the\b)([^?]+?)['’]s"
     r" (birth|death)$", r"\2's \1 of \3"),
    (r"^how long ago (is|was|did)\b", r"how many years ago \1"),
)  # fmt: skip

_WORLD = (
    r"\s+(?:(?:in|on|of|around) (?:the )?(?:whole |entire |all the )?(?:world|earth|planet)"
    r"|worldwide|of all time|in (?:all of )?(?:human )?history)(?=[\s,?]|$)"
    r"(?! (?:war|cup|bank|trade|health|series|championships?|heritage|wide|records?|religion)\b)"
)


def parse(question: str, lex: Lexicon | None = None) -> list[Reading]:
    """All readings of a question, cheapest first; none when nothing in it can be asked for."""
    return _Parser(question, lex or lexicon()).readings()


def core(question: str) -> str:
    """The question without greetings, "please tell me" and end marks."""
    text = re.sub(r"(?<=\d),(?=\d{3})", "", question.strip().rstrip("?!. "))
    text = _TRAIL.sub("", text) or text
    lead = _LEAD.match(text)
    return (text[lead.end() :] if lead else "") or text


def plain(question: str) -> str:
    """The question in the wording that is parsed."""
    text = core(question)
    for wording, same in _SAME:
        text = re.sub(wording, same, text, flags=re.IGNORECASE)
    return re.sub(_WORLD, "", text, flags=re.IGNORECASE)


class _Parser(Wh, How, Claims, Nouns, Verbs):
    """The whole question."""

    def __init__(self, question: str, lex: Lexicon) -> None:
        super().__init__(plain(question), lex)

    def readings(self) -> list[Reading]:
        n = len(self.tokens)
        if not 0 < n <= LONGEST:
            return []
        found: Parses = []
        i = 0
        fronted = ""
        if self.low(0) in PREPOSITIONS | {"after", "until", "till"} and self.low(1) in WH:
            fronted, i = self.low(0), 1
        low = self.low(i)
        if low == "how":
            found += self.how(i + 1, n, fronted)
        elif low in WH:
            found += self.wh(i, n, fronted)
        elif low in AUX:
            found += self.yes_no(0, n)
        if not found or (low not in AUX and low not in WH):
            found += self.embedded(0, n)
        if low not in AUX and low not in WH:
            found += self.noun_phrase(0, n)
            found += [Reading(r.cost + 0.6, r.plan) for r in self.statement(0, n)]
        either = any(t.low == "or" and not t.name for t in self.tokens)
        found += [Reading(r.cost + 4.0, r.plan) for r in self.keywords(0, n)]
        found = [Reading(r.cost, self._once(_distribute(r.plan, either))) for r in found]
        others = {"else", "other", "another"} | ({"also"} if low in {"what", "which"} else set())
        if any(t.low in others and not t.name for t in self.tokens):
            found = [Reading(r.cost, self.others(r.plan)) for r in found]
        found = [
            Reading(r.cost, Hop(r.plan, "description", "role")) if isinstance(r.plan, Anchor) else r
            for r in found
            if not has_hole(r.plan)
        ]
        found = [
            Reading(r.cost + 3.0, r.plan)
            if isinstance(r.plan, Hop)
            and r.plan.phrase == "description"
            and isinstance(r.plan.source, Anchor)
            and r.plan.source.noun
            and self.lex.class_of(r.plan.source.noun) is None
            else r
            for r in found
        ]
        return best_of([r for r in found if not (_trivial(r.plan) or _mixed(r.plan))], 24)

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
            {e.relations[0] for e in self.lex.find(key_of(h.phrase), "noun") if e.kind == "noun"}
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


def _distribute(plan: Plan, either: bool = False) -> Plan:
    """ "border both A and B": what borders A and also borders B"""
    if isinstance(plan, Join | Hole | Kind | Anchor):
        return plan
    changes: dict[str, Plan] = {}
    for name in ("source", "left", "right", "other"):
        value = getattr(plan, name, None)
        if isinstance(value, Plan):
            changes[name] = _distribute(value, either)
    plan = replace(plan, **changes) if changes else plan  # type: ignore[arg-type]
    if isinstance(plan, Hop) and isinstance(plan.source, Join) and plan.beside is None:
        pair = plan.source
        verb = plan.form != "role" or stem(plan.phrase) == "member"
        if pair.how == "intersection" or (pair.how == "union" and verb and not either):
            left, right = replace(plan, source=pair.left), replace(plan, source=pair.right)
            return Join(left, right, "intersection")
    return plan


def _mixed(plan: Plan) -> bool:
    """What is asked for beside a name: "films that star A", and B."""
    if isinstance(plan, Of | Count):
        return _mixed(plan.source)
    if not (isinstance(plan, Join) and plan.how == "union"):
        return False
    return _trivial(plan.left) != _trivial(plan.right)


def _trivial(plan: Plan) -> bool:
    """Names alone ask for nothing."""
    if isinstance(plan, Join):
        return _trivial(plan.left) and _trivial(plan.right)
    return isinstance(plan, Anchor)
