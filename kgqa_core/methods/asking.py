"""What a text asks for: yes or no, or values; and which of two, in whatever words."""

from __future__ import annotations

import re

from kgqa_core.methods.letter import LINK, asked_first, question_of
from kgqa_core.methods.recast import SELF, is_phrase

_ASKS = re.compile(
    r"(?:is|are|was|were|do|does|did|can|could|would|will|should|has|have|had|may|might|must|who|"
    r"whom|what|which|whose|where|when|why|how|if|at|in|on|for|given|suppose)\b",
    re.IGNORECASE,
)
_VALUES = re.compile(
    r"(?:(?:in|on|at|by|for|from|of|since|to|into|with|under|after|before|until|through|along) )?"
    r"(?:who|whom|whose|what|which|where|when|why|how|number of|"
    r"(?:count|list|name|give|show|tell|find|identify|enumerate)\s+"  # but not Count Dracula
    r"(?:(?:me|us)\s+(?!if\b|whether\b)\w+|all|the|every|each|any|some|an?|\d+|one|two|three|[a-z]+s))\b"
    # what is chosen from, or left out, stands first: “besides her, who …”
    r"|(?:of|between|among|amongst|out of|besides?|apart from|aside from|other than|except|"
    r"excluding|leaving|(?:not )?counting|in addition to)\b.*,\s*(?:\w+\s)?"
    r"(?:who|whom|whose|what|which|where|when|how)\b"
    # the word that asks stands last: “he is the hero of which game?”
    r"|.*\b(?:of|in|on|at|to|into|from|by|with|for|under)\s+(?:which|what|whom?)\b"
    r"(?:[^,]*\?|(?:\s\w+){0,2})$",
    re.IGNORECASE,
)
_THING = re.compile(r"(?:the|all|an?|its|his|her|their)\b", re.IGNORECASE)
_WHETHER = re.compile(
    r"(?:is|are|was|were|do(?! me\b)|does|did|has|have|had|can|could|would|will|should|may|"
    r"might|must|true or false|claim)\b",
    re.IGNORECASE,
)
_SPEAKS = re.compile(  # “we” and “you” may be everybody, and My Fair Lady is a title
    rf"{SELF}|\b[Mm]y (?=[a-z])"
    r"|\b(?:[Tt]ell|[Gg]ive|[Ss]how|[Rr]emind|[Hh]elp|[Dd]o|let|asks?|asked|told|for) me\b"
)
_NEED = re.compile(r"(?:do|will|would) I need (?:an?|any|my)\b", re.IGNORECASE)
_QUOTED = re.compile(r"“[^”]*”|\"[^\"]*\"|«[^»]*»|(?<!\w)['‘][^'’]+['’](?!\w)")
_BELIEVES = re.compile(
    r"\b(?:if|whether|thinks?|thought|believed?s?|heard?|hears|read|told|says?|said|claims?|claimed|"
    r"reckons?|guess|suppose|assume|bet|sure|swear|insists?|insisted|maintains?|maintained|true|right|correct|"
    r"false|confirm|is (?:that|this|it) so)\b",
    re.IGNORECASE,
)
_FINITE = re.compile(
    r"\b(?:is|are|was|were|be|been|do|does|did|has|have|had|can|could|would|will|should|may|might|"
    r"must|[a-z]{2,}ed|[a-z]{2,}(?<!s)s|wrote|went|came|made|built|won|led|fought|gave|took|got|ran|"
    r"began|sang|drew|held|met|fell|became|found|saw|shot|spoke|sold|flew|grew|knew|lost|left|paid|"
    r"rose|sent|stood|swam|taught|threw|wore|lie|live|border|share|have|own|speak)\b"
)
_AMID = re.compile(
    r"\bor (?!(?:not|no|what|so|false|wrong|false|untrue)\b)[^,.;:]+\?\s*$|"
    r"\b(?:who|what|where) else\b|\b(?:is|are|was|were)(?: (?:in|on|by|from|of|at))? (?:which|what|"
    r"how many|how much|whose)\b|\bwhich ones?\b",
    re.IGNORECASE,
)
_MORE_OF = re.compile(  # are there more lakes in A or in B?
    r"(?:is|are|was|were|do|does|did|has|have|had) (?:there )?(?:more|fewer|less) (?!than\b|or\b)"
    r"(?:(?!\bthan\b).)+ or (?!not\b|no\b)(?:(?!\bthan\b).)+$",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"(?:which|who|where|when)\b[^?]*,|(?:how|what) about\b", re.IGNORECASE)
_FEW = 5  # words that are no sentence: “Day and month?”
_VERBS_AND_TAGS = frozenset(
    "is are was were do does did has have had can could would will should may might must isn't "
    "aren't wasn't weren't don't doesn't didn't hasn't haven't right true false correct yes no not "
    "really so ok okay sure agreed fact surely huh eh".split()
)
_COMPARATIVE = (
    r"older|younger|newer|bigger|larger|smaller|taller|higher|longer|shorter|deeper|heavier|lighter|"
    r"wider|hotter|colder|faster|richer|denser|poorer"
)
_LESS_OR_MORE = (
    rf"more|fewer|less|most|first|last|earlier|later|{_COMPARATIVE}|lower|further|farther|"
    r"closer|nearer|cheaper|slower|greater"
)
_IS_ONE = re.compile(
    r"(?P<verb>is|are|was|were|do|does|did|has|have|had)\s+"
    r"(?P<pair>(?!there\b)[^,?]+?\sor\s(?:the\s)?"
    r"(?!(?:(?:more|less)\b|[a-z]{3,}er(?:\sthan\b|[\s?.]*$)))[^,?]+?)\s+"
    r"(?P<asked>(?:have\s|had\s)?(?:an?\s|the\s)?(?:(?:born|built|die|[a-z]+ed)\s)?"
    rf"(?:{_LESS_OR_MORE})\b(?!.*\bthan\b).*?)(?:\sone)?[\s?.]*$",
    re.IGNORECASE,
)
_IS_IT = re.compile(  # is it A or B that …, but not: is it true or false that A …
    r"(?:is|was) it (?!true|false|right|wrong|correct|good|bad|\d"
    r"|(?:in|on|at|by|from|during|for)\b)"
    r"(?P<one>[^,?]+?),? or (?P<other>[^,?]+?),? (?:that|who|which) "
    r"(?P<asked>(?!(?:the|an?|this|it|he|she|they|there)\b)(?-i:[a-z])[^,?]+)$",
    re.IGNORECASE,
)
_SOME_OTHER = re.compile(r"(?:(?:some|any) other|another|a different|some) (\w+)$", re.IGNORECASE)
_NAMED_FIRST = re.compile(
    r"(?P<pair>(?!(?:is|are|was|were|do|does|did|who|which|what|where|when|how)\b)"
    r"(?:the )?[^,]+? or [^,]+?)"
    rf"(?:[,:;.]| [–—-]|(?= (?:who|which)\b.*\b(?:{_LESS_OR_MORE})\b))"
    r" (?P<asked>(?:who|which|what)\b.+)$",
    re.IGNORECASE,
)
_OUT_OF = re.compile(
    r"(?:of|out of|between|among|amongst) (?P<list>(?:the )?[^,?]+?(?:, [^,?]+?)*?),?"
    r" (?:and|or) (?P<last>[^,]+?),? (?P<asked>(?:who|which|what)\b.+)$",
    re.IGNORECASE,
)
_VERSUS = re.compile(r"\s(?:vs?\.?|versus)\s", re.IGNORECASE)
_MORE_FIRST = re.compile(  # taller: A or B
    rf"(?P<more>{_COMPARATIVE})[,:]? (?P<pair>(?!than\b)[^,?]+? or [^,?]+)$", re.IGNORECASE
)
_MORE_LAST = re.compile(  # A or B, older
    r"(?!.*\b(?:is|are|was|were|do|does|did|has|have|who|which|what|where|when|how)\b)"
    rf"(?P<pair>[^,?]+? or [^,?]+?),? (?P<more>{_COMPARATIVE})$",
    re.IGNORECASE,
)
_OF_THEM = re.compile(r"^(\w+)(?: one| of them| of the two)?\b(['’]s\b)?", re.IGNORECASE)


def begins_as_question(text: str) -> bool:
    """Whether the first word asks, or introduces what is asked."""
    return _ASKS.match(text) is not None


def asks_for_values(text: str) -> bool:
    """Whether a text asks who, which, how many …, or which of two: not for yes or no."""
    if _NEED.match(text):
        return False  # “Do I need a passport in Ulm?”
    asked = asked_first(text) or question_of(text)
    if which_of_two(asked) or _MORE_OF.match(asked):
        return True
    if _WHETHER.match(asked):
        return False
    if _VALUES.match(asked):
        return True
    if asked != text.strip() and _THING.match(asked) and is_phrase(asked.split(",")[0]):
        return True  # I need the age of Ann
    if _AMID.search(text) or _names_only(text) or _speaks_of_itself(text):
        return True
    *told, last = re.split(r"(?<=[\w)\"”’'])(?:[.!?;:,]+|\s[–—-])\s+", text.strip())
    last = LINK.sub("", last)
    if not told or not last.endswith("?"):
        return False
    if _VALUES.match(last):  # “in Ulm, who sings?”, but not “Ulm, which lies in Chad, is old?”
        return _CLAUSE.match(last) is None
    alone = re.search(r"[.!?]\s", text) is not None and len(last.split()) <= _FEW
    words = set(re.findall(r"[a-z']+", last.lower()))
    return alone and not words & _VERBS_AND_TAGS


def _names_only(text: str) -> bool:
    """Whether a question has no verb, so that it claims nothing: “Ann's home town?”"""
    bare = re.sub(r"(?<=\w)['’]s?\b", "", text.strip())
    words = bare.rstrip("?!. ").split()
    return bare.endswith("?") and len(words) > 1 and not _FINITE.search(" ".join(words[1:]))


def _speaks_of_itself(text: str) -> bool:
    """Whether who asks speaks of what they want, and not of what they hold to be so."""
    said = _QUOTED.sub("", text)
    return bool(_SPEAKS.search(said)) and not _BELIEVES.search(said)


def which_of_two(text: str) -> str:
    """Which of several is asked for, in one wording; empty: something else is.

    "Is A or B older", "A or B: which is older" and "of A and B, which one is older" all ask “which
    is older, A or B”.
    """
    if found := _IS_IT.match(text.rstrip("?. ")):
        asked = found["asked"]
        other = _SOME_OTHER.match(found["other"])
        weighed = re.search(rf"\b(?:{_LESS_OR_MORE}|[a-z]{{3,}}est)\b", asked)
        which = f"which {other[1]}" if other and other[1] not in {"one", "else"} else "which"
        return f"{which} {asked}" + f", {found['one']} or {found['other']}" * bool(weighed)
    if found := _IS_ONE.match(text):
        verb, asked = found["verb"].lower(), found["asked"].removeprefix("the ")
        verb = {"are": "is", "were": "was", "have": "has"}.get(verb, verb)
        if had := re.match(r"ha(?:ve|d)\s", asked):
            verb, asked = ("had" if verb == "did" else "has"), asked[had.end() :]
        return f"which {verb} {asked}, {found['pair']}"
    if re.search(rf"\b(?:{_LESS_OR_MORE})\b", text):
        text = _VERSUS.sub(" or ", text)
    bare = text.rstrip("?. ")
    if found := _MORE_FIRST.match(bare) or _MORE_LAST.match(bare):
        return f"which is {found['more'].lower()}, {found['pair']}"
    found = _NAMED_FIRST.match(text) or _OUT_OF.match(text)
    if found is None:
        return ""
    asked = _OF_THEM.sub(lambda m: f"{m[1]} is" if m[2] else m[1], found["asked"])
    pair = " or ".join(found.groups()[:-1])
    return f"{asked}, {pair}"
