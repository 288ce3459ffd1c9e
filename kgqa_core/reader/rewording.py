"""Wordings of one question brought to the one that is parsed.

Greetings and thanks go, contractions and asides too; what people say in several ways is said in
one. Nothing here knows a graph: each rule is about English alone.
"""

from __future__ import annotations

import re
from functools import lru_cache

from kgqa_core.reader.words import expanded

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
    r"(?:[\s,]+(?:please|or not|yes or no|thanks|thank you|thx|by any chance|by the way|do you know"
    r"|again|anyway"
    r"|for me|if you know|in your opinion|according to (?:the|this) (?:graph|data)))+[\s?!.]*$",
    re.IGNORECASE,
)

_SAME = (  # wordings → the one that is parsed
    (r"^(?:.*[:,] )?this (\w+) (.+?)[.,;:] (?:who|what|which \w+) (?:is|was) (?:he|she|it|this)$",
     r"which \1 \2"),
    (r"^(?:everyone|everybody|all (?:the )?people|anyone|anybody|all those|those|somebody|someone)"
     r" (?:who|that) ", "who "),
    (r"^(what|which) (\w+) (?:do|should|will|would|must|can) (?:i|you|we|one) "
     r"(?:need|use|take|bring|have to use|pay with)\b.* (?:to|in|around|through|visiting) (.+)$",
     r"\1 \2 is used in \3"),
    (r"\b(?:was|were|is|are|appears?|appeared|played) (?:in|part of|a member of|on) the cast of\b",
     "starred in"),
    (r"^(what|who|where|when|which \w+) (?:is|was) it (?:that|who) ", r"\1 "),
    (r"^(?:in )?(?:what|which) (?:year|day|month) (?:is|was) it when (.+?) turned ",
     r"when did \1 turn "),
    (r"\b(\w+ed) by and (starring|featuring|with|\w+ed by) ((?:the )?[A-Z].*|\w+ \w+)$",
     r"\1 by \3 and \2 \3"),
    (r"^([^:?]+): (who|what|when|where|which [\w ]+|how \w+) ([\w ]*?)\b(?:it|he|she|they|him)\b"
     r"((?:(?! (?:who|what|when|where|which) ).)*)$", r"\2 \3\1\4"),
    (r"\b(with|by|starring|featuring|through|between) both (.+? and )", r"\1 \2"),
    (r" with (?:the )?(capital|currency|president|king|queen|prime minister) (?!of\b)"
     r"(.+?)(?= (?:on|in|at|from|is|lies?|located)\b|$)", r" whose \1 is \2"),
    (r"^what (?:killed|did kill) (.+)$", r"what did \1 die of"),
    (r"^(?:just )?(?:a few|a couple|some|several|any|two|three|all) of (?:the |all )?", ""),
    (r"^of which (\w+) (is|was) (.+?) (?:a )?part$", r"in which \1 \2 \3"),
    (r"^(?:does|do|did|has|have|had) (.+?) (?:ever )?(?:have|had|share|shared) (?:a |any )?"
     r"(?:common |land )?borders? with (.+)$", r"does \1 border \2"),
    (r"^(?:is|are) (.+?) (?:just |exactly )?as long as (.+)$",
     r"do \1 and \2 have the same length"),
    (r"^(?:is|are) (.+?) (?:just |exactly )?as (?:high|tall) as (.+)$",
     r"do \1 and \2 have the same height"),
    (r"^(?:until|till) (?:what|which) (?:year|date|day)\b", "until when"),
    (r"^([^,]+? and [^,]+?|[^,]+?), (is|are|was|were|did|do|does) (?:he|she|they|it|both) (.+)$",
     r"\2 \1 \3"),
    (r"^compare (?:the )?[\w ]+? (?:of|between) (.+?) (?:and|with|to) (.+?) ?[:;,.-] "
     r"(?:which|who|what)(?: one| of them)? (.+)$", r"which \3, \1 or \2"),
    (r"^((?:the )?[^,]+? or [^,]+?)[,:;] (who|which|what)(?: one| of them| of the two)? (.+)$",
     r"\2 \3, \1"),
    (r"^whose life was (longer|shorter) ?[:,]? ?(.+?)(?:['’]s)? or (.+?)(?:['’]s)?$",
     r"who lived \1, \2 or \3"),
    (r"^whose (\w+) (?:is|was) (\w+er) ?[:,]? ?(.+?)(?:['’]s)? or (.+?)(?:['’]s)?$",
     r"which has the \2 \1, \3 or \4"),
    (r"^how many states (?:does|do|has|have) (?:the )?(?:US|USA|United States(?: of America)?"
     r"|U\.S\.(?:A\.)?|America)(?: have| got| consist of)?$", "how many US states"),
    (r"\b(?:the )?world['’]s (?=\w+est\b|most\b|second\b|third\b|first\b)", "the "),
    (r"^(?:how many years|how long) (?:did|has|had) (.+?) (?:live|lived)$",
     r"how old was \1 when they die"),
    (r"^(.+?) (is|was|are|were) how (old|tall|high|long|big|large|far)\b(.*)$", r"how \3 \2 \1\4"),
    (r"\bwhere (\w+) is (?:an? |the )?official(?: language)?\b", r"with \1 as official language"),
    (r"^who (?:ran|led|leads|runs|governed|ruled|headed|heads|served|was in charge of) (.+?) as "
     r"(?:its |the |a )?([a-z]+(?: [a-z]+)?)( (?:in|before|after|since|until|during) .+)?$",
     r"who was the \2 of \1\3"),
    (r"^(is|are|was|were|do|does|did|has|have|had|could|would) not (?=\w)", r"\1 "),
    (r"\bback in (?=\d{4})", "in "),
    (r"\b(\w+est) one\b(?! of)", r"\1"),
    (r",? in (?:full )?years$", ""),
    (r"\bopen(s|ed)? (?:its|their|his|her) doors\b", r"open\1"),
    (r"^(?:of|out of|between|among|amongst) ((?:the )?[^,?]+?(?:, [^,?]+?)*?),? (?:and|or) "
     r"([^,]+?),? (who|which|what)(?: one| of them)? (.+)$", r"\3 \4, \1 or \2"),
    (r"\b(?-i:(First|Second|Third|Fourth)) (or|and) (?:(?:in|during) )?(?:the )?"
     r"(?-i:(Second|Third|Fourth|Fifth) ([A-Z]\w+(?: [A-Z]\w+)*))", r"\1 \4 \2 the \3 \4"),
    (r"\bthe (\w+) of (.+?) and (?:that|the one|those) of (.+)$", r"the \1 of \2 and the \1 of \3"),
    (r"^how (?:far|many years) apart (?:in age )?(?:are|were) (.+?)(?: in age| born)?$",
     r"how many years between the births of \1"),
    (r"^what is the (?:age (?:difference|gap)|difference in age) (between|of) (.+)$",
     r"how many years between the births of \2"),
    (r"^how many years (?:lie|lay|are|were|passed|went by|elapsed|separates?|separated|is it)"
     r"(?: there)?(?: from)? between ", "how many years between "),
    (r"^(who|which \w+) (?:supervised|advised|oversaw|guided|directed) (.+?)['’]s (?:doctorate|"
     r"ph\.?d\.?|doctoral (?:thesis|studies|work|dissertation)|thesis|dissertation)(?: work)?$",
     r"\1 was the doctoral advisor of \2"),
    (r"\b(grandfather|grandmother|grandparents?) of (.+?) on (?:his|her|their|the) "
     r"(?:mother['’]s|maternal) side\b", r"maternal \1 of \2"),
    (r"\b(grandfather|grandmother|grandparents?) of (.+?) on (?:his|her|their|the) "
     r"(?:father['’]s|paternal) side\b", r"paternal \1 of \2"),
    (r"\b(.+?)['’]s (grandfather|grandmother|grandparents?) on (?:his|her|their|the) "
     r"(?:mother['’]s|maternal) side\b", r"\1's maternal \2"),
    (r"\b(.+?)['’]s (grandfather|grandmother|grandparents?) on (?:his|her|their|the) "
     r"(?:father['’]s|paternal) side\b", r"\1's paternal \2"),
    (r"\b(?:country of birth|birth country|country of origin by birth) of (.+)$",
     r"country where \1 was born"),
    (r"\b(?:country of death) of (.+)$", r"country where \1 died"),
    (r"(?:(?<=\bof )|(?<=\bis )|(?<=\bin )|^)((?:(?!\b(?:of|is|in)\b).)+?)['’]s "
     r"(?:country of birth|birth country)\b", r"the country where \1 was born"),
    (r"^(?:a |the )?(?:complete |full )?list of (?:all )?(?:of )?(?:the )?", ""),
    (
        r"(^|\b(?:is|was|are|were|me|us|and|or|by|in|of|to|on|at|for|with|know|what|which|"
        r"find|tell|give|say|state) )(?:the )?(?:full )?names? of (?!(?:a|the) \w+$)",
        r"\1",
    ),  # a birth name is no birth
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
    (r"\bthe ((?:[A-Z]\w+ )*(?:Cup|Olympics|Games|Championships?|Tournament|Elections?)) (?:in|of) "
     r"(\d{4})\b", r"the \2 \1"),
    (r"^(who \w+) the (\d{4}) (?!\w+ing\b|.*\b(?:Cup|Olympics|Games|Championships?|Tournament)\b)"
     r"(.+)$", r"\1 the \3 in \2"),
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


_CLAIM = re.compile(
    r"^(?:is(?:n['’]t| not)? it (?:really |actually )?(?:true|correct|right|the case|a fact|so)"
    r"(?: to say)? that |(?:is it )?true or false ?[:,-] ?"
    r"|(?:it is|it['’]s) (?:true|correct) that )"
    r"(?P<said>.+)$",
    re.IGNORECASE,
)
_TAG = re.compile(
    r"^(?:(?:i|we) (?:think|believe|guess|heard|read|thought|suppose|assume)(?: that)?"
    r"|they say(?: that)?|someone (?:said|told me)(?: that)?|apparently,?)? ?(?P<said>.+?),? ?"
    r"(?:[.,;:–-] ?(?:right|correct|true or false|true|yes|no|or what"
    r"|(?:is that|is this|is it|am i) (?:right|true|correct|so))"
    r"|, (?:is|was|are|were|do|does|did|has|have|had)(?:n['’]t| not)? (?:it|he|she|they))$",
    re.IGNORECASE,
)


def claim(question: str) -> str:
    """What a question claims as a statement ("Is it true that A did B?", "A did B, right?")."""
    text = core(question)
    for form in (_CLAIM, _TAG):
        if found := form.match(text):
            said = found["said"].strip(' ,?.!"“”')
            return "" if _ASKING.match(said) else said
    return ""


_ASKING = re.compile(
    r"(?:who|whom|whose|what|which|where|when|why|how|is|are|was|were|do|does|did|has|have|had|can)\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=1_000)  # a walk reads the same question at every step
def core(question: str) -> str:
    """The question without greetings, "please tell me" and end marks."""
    text = re.sub(r"(?<=\d),(?=\d{3})", "", question.strip().rstrip("?!. "))
    text = _TRAIL.sub("", text) or text
    lead = _LEAD.match(text)
    return (text[lead.end() :] if lead else "") or text


@lru_cache(maxsize=1_000)
def plain(question: str) -> str:
    """The question in the wording that is parsed."""
    text = expanded(claim(question) or core(question))
    for wording, same in _SAME:
        text = re.sub(wording, same, text, flags=re.IGNORECASE)
    return re.sub(_WORLD, "", text, flags=re.IGNORECASE)
