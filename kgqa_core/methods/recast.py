"""One sentence that asks, whatever wraps it, with what it asks for at its beginning.

People ask in any order (“Ann lives in which town?”), with a blank at the end (“Faust was written
by”), and within other sentences (“I wonder who wrote Faust”). Each form has a table row or a short
function here; none knows a name, a relation or a graph. `letter.py` finds the sentence in a text.
"""

from __future__ import annotations

import re

from kgqa_core.places import ASSETS, rows

AUX = r"(?:is|are|was|were|has|have|had|do|does|did|can|could|will|would|should|may|might|must)"
ASKING = r"(?:which|what|whose|how many|how much)"
WHO = r"(?:who|whom|what|where|when)"
PREPOSED = r"(?:in|on|upon|at|by|for|from|of|to|into|under|since|until|with|after|along|through)"
PARTICIPLES = dict(rows(ASSETS / "reader" / "verbs.tsv"))  # by the past, which has no “ed”
STRONG = "|".join(PARTICIPLES)
PAST = re.compile(rf"\b(?:[a-z]{{2,}}ed|{STRONG})\b")
QUESTION = re.compile(rf"(?:{PREPOSED} )?(?:{ASKING}|{WHO}|how)\b", re.IGNORECASE)
# who asks, and no ruler's number: World War I, Elizabeth I
SELF = (
    r"(?:^|[^\w\s]\s+|\b(?:[a-z]+|And|But|So|If|When|As|Since|May|Might|Can|Could|Should|Do|Must|"
    r"What|Suppose|Imagine|Say)\s+)I(?:['’]\w+)?(?=,|\s+[a-z])"
)
US = re.compile(rf"{SELF}|\b(?:[Mm]y|me|[Ww]e|us|[Oo]ur|[Yy]ou|[Yy]our)\b")
TAG = (
    r"(?:is|was|are|were|am) (?:that|this|it|he|she|they|i) (?:quite |really )?(?:so|true|right|"
    r"correct|telling the truth)|(?:can|could|would) you (?:please )?confirm (?:that|this|it)|"
    r"(?:is it )?(?:true|right|correct|yes)(?: or (?:false|wrong|not|no))?|or not"
)


def is_phrase(text: str) -> bool:
    """Whether it only names something: no verb outside of what begins with “who”, “that” …."""
    head = re.split(r"\b(?:who|that|which|where|whose|when)\b", text, maxsplit=1)[0]
    return head != "" and not re.search(
        rf"\b{AUX}\b|[,;:.?!]|\b(?:{STRONG})\b|{SELF}"
        r"|\b(?:lives|lies|stands|comes|says|(?-i:[A-Z]\w+) [a-z]+ed (?:on|in|at|to|from|with))\b"
        r"|\b[a-z]+ed (?:an?|the|his|her|their|it|him|them|also|two|several|(?-i:[A-Z]\w+))\b",
        head,
        re.IGNORECASE,
    )


# -- what politeness wraps -------------------------------------------------------------------

_HEARD = (  # what one knows may be that something is so
    r"knows?|knowing|say|learn|hear|sure|forgot(?:ten)?|remember|recall|understand|understood"
)
_WANTED = (
    r"(?:tell|telling|remind|show|give|inform|enlighten) (?:me|us)|wonder(?:ing|ed)?|"
    r"ask(?:ing|ed)?|find out|look up|check|trouble you for|help me|no idea|no clue|curious|"
    r"(?:list|name|listing|naming|enumerate)(?: for)?(?: me| us)?|"
    r"(?:give|state|identify)(?= the\b)"
)
KNOWS = re.compile(rf"\b(?:{_HEARD}|{_WANTED}|is)\b", re.IGNORECASE)
_WRAPPED = re.compile(
    rf"(?:(?!\b(?:{ASKING}|{WHO}|the|all|an?|its|if|whether|that)\b|(?-i:[A-Z])\w).){{0,40}}?[\s:]"
    rf"(?P<asked>(?:{PREPOSED} )?(?:{ASKING}|{WHO}|how)\b.+)$",
    re.IGNORECASE,
)
_THING_WRAPPED = re.compile(
    rf"(?P<lead>.*?\b(?:(?P<heard>{_HEARD})|{_WANTED}|(?<!you )(?:need|after)))"
    r"(?:,? (?:please|for me|if you would|if i may))?,? "
    r"(?P<asked>(?:the|all|its|his|her|their|an?)\b.+)$",
    re.IGNORECASE,
)
_SOMEBODY = re.compile(
    r"\b(?:wants? to know|please|nobody knows|no one knows)\b|^(?:give|state|identify)\b", re.I
)
_WHEN = re.compile(r"the (?:year|date|day) (?:in|on) which (?=\w)", re.IGNORECASE)
_INVERTED = re.compile(
    rf"(?P<asked>{ASKING} (?!{AUX}\b|the\b|an?\b)(?-i:[a-z]+)(?: of [a-z]+)?|who|whom|what|where|"
    rf"when|how \w+) (?P<who>(?!{AUX}\b).+?) (?P<aux>is|are|was|were)"
    r"(?P<rest> (?:called|named|born|made(?: up)? of|made|located|found|from|for|in|on|like)|"
    r" (?:when|before|after|from|in|of|at) .+)?$",
    re.IGNORECASE,
)
_CLAUSE = r"(?P<who>(?:(?i:the|an?|his|her|its)\b|[A-Z]).+)$"
_NOUNS = r"(?P<asked>(?:which|what|how many|how much)"
_INDIRECT = (  # with a preposition the clause follows for certain, else after one noun
    re.compile(
        rf"(?P<prep>{PREPOSED}) {_NOUNS}(?: [a-z]+){{1,3}}?)"
        r"(?:, [^,]+,)? (?P<who>(?:the|an?|his|her|its)\b.+)$"
    ),
    re.compile(rf"(?P<prep>{PREPOSED}) {_NOUNS}(?: [A-Za-z]+){{1,3}}?)(?:, [^,]+,)? {_CLAUSE}"),
    re.compile(
        rf"(?P<prep>){_NOUNS} (?!{AUX}\b|of\b|(?:{STRONG})\b|\w+ed\b)[a-z]+|where|when)"
        rf" (?:exactly )?{_CLAUSE}"
    ),
)
_HELD = re.compile(
    r".*?\b(?:claims?|claimed|says?|said|thinks?|thought|maintains?|maintained|insists?|insisted|"
    r"believes?|believed|reckons?|swears?|swore|told (?:me|us)|heard|read)(?: that)? "
    rf"(?P<held>[^.?!;:]+)(?:[.;,:!]|\s[–—-])\s*(?:{TAG})[\s?.!]*$",
    re.IGNORECASE,
)
LONGEST = 600  # characters; a longer text stays as it is: to look through it would take long


def held(text: str) -> str:
    """“She says that Ann sings. Is that so?”: is it true that Ann sings; empty for others."""
    found = _HELD.match(text) if len(text) <= LONGEST else None
    return f"Is it true that {found['held'].strip()}?" if found else ""


def unwrapped(part: str) -> tuple[str, str]:
    """“I wonder what the … is”: what leads up to it, and what is the …; both empty for others."""
    for known in KNOWS.finditer(part):
        lead = part[: known.end()]
        found = _WRAPPED.match(part, known.end())
        if found and (US.search(lead) or _SOMEBODY.search(lead)):
            return lead, _straight(found["asked"])
    found = _THING_WRAPPED.match(part)
    if found is None or not (US.search(found["lead"]) or _SOMEBODY.search(found["lead"])):
        return "", ""
    if found["heard"] and not is_phrase(found["asked"]):
        return "", ""  # what one knows may be that something is so
    return found["lead"], _straight(found["asked"])


def _straight(asked: str) -> str:
    """What is told as a part of a sentence, as it is asked alone."""
    asked = re.sub(r" it (?:is|was) (?:that|which|who) ", " ", asked.strip().rstrip("?!. "))
    if day := _WHEN.match(asked):
        return turned("when", asked[day.end() :], "")
    if found := _INVERTED.match(asked):
        return f"{found['asked']} {found['aux']} {found['who']}{found['rest'] or ''}"
    found = next(filter(None, (form.match(asked) for form in _INDIRECT)), None)
    return turned(found["asked"], found["who"], found["prep"]) if found else asked


_VERB_AMID = re.compile(
    r"(?P<who>(?:[Tt]he )?(?:(?!The )[A-Z0-9]\S* )+)(?P<verb>[a-z]+s)(?P<rest> .+)$"
)


def turned(asked: str, clause: str, prep: str) -> str:
    """What is asked for, and a clause in the order of statements, as a question."""
    if found := re.match(rf"(?P<who>.+) (?P<aux>{AUX})(?P<mid>(?: \S+)*)$", clause):
        aux, who = found["aux"], found["who"]
        if aux in {"has", "have", "had"} and found["mid"] in {"", " got"}:
            return f"{asked} {'did' if aux == 'had' else 'does'} {who} have {prep}".strip()
        return f"{asked} {aux} {who}{found['mid']} {prep}".strip()
    if PAST.search(clause):
        return f"{asked} did {clause} {prep}".strip()
    if found := _VERB_AMID.match(clause):
        return f"{asked} does {found['who']}{_plain(found['verb'])}{found['rest']} {prep}".strip()
    return f"{asked} does {_plain(clause)} {prep}".strip()


def _plain(clause: str) -> str:
    """Its last word as after “does”: “Ann goes” is “Ann go”."""
    clause = re.sub(r"(?<=[a-z]{2})ies$", "y", clause)
    return re.sub(r"(?<=[a-z]o)es$|(?<=(?:sh|ch|ss|zz))es$|(?<=[a-z][^su])s$", "", clause)


# -- what is asked for stands last -----------------------------------------------------------

_BEGINS = re.compile(
    rf"(?:(?:{PREPOSED}|before) )?(?:{ASKING}|{WHO}|why|how|if|{AUX})\b"
    r"|(?:name|list|count|give|show|tell|find|true or false|besides|apart from|of|between)\b",
    re.IGNORECASE,
)
_BY_AUX = re.compile(
    rf"(?P<who>.+)\s(?P<aux>{AUX})(?P<mid>(?:\s(?!which\b|what\b|who\b)\S+)*?)\s"
    rf"(?P<asked>{ASKING}(?: (?!{AUX}\b)\S+)+|how many|{WHO})$",
    re.IGNORECASE,
)
_BY_VERB = re.compile(
    rf"(?P<who>(?!{AUX}\b)\S.*?)(?:\s(?P<prep>in|on|at|by|from|to|for|of|with|into|round|around|"
    r"through|during|under|over|between|after))?"
    rf"\s(?P<asked>{ASKING}(?: (?!{AUX}\b)\S+)+|whom?|what|where)$",
    re.IGNORECASE,
)
_BLANK = re.compile(
    r"(?P<who>.+)\s(?P<aux>is|are|was|were)(?P<mid>(?:\s\S+)*?)"
    r"(?:\s(?P<end>by|of|in|from|on|after|for|called|named|known as|as)(?:\s(?:a|an|the))?)?$",
    re.IGNORECASE,
)
_THIS = re.compile(
    r"\b(?P<prep>in|on|of|by|at|with|from|for|to|during) this (?P<noun>[a-z]+)$", re.I
)
_APPOSED = re.compile(r", (?!(?:and|or) )[a-z][^,]+,(?=\s(?!and\b|or\b))")  # “Ann, the poet, …”
_TOPIC = re.compile(rf"(?P<who>[^,;:.?!]+): (?:which|what) (?P<asked>(?!{AUX}\b)[a-z]+)$", re.I)
_CLEFT = re.compile(
    r"it (?:is|was) (?P<asked>(?:which|what) .+?|who) (?:who|that) (?P<did>.+)$", re.I
)
SHORT = 3  # words of what is asked for in a text that has no question mark


def moved(text: str, *, marked: bool) -> str:
    """A sentence with what it asks for last, as a question; empty for others.

    `marked`: with a question mark; what claims something may end in “… in which many died”.
    """
    text = re.sub(r"(?:\s*(?:\.\.\.|…))+$", "", text.rstrip("?!. ")).strip()
    text = _APPOSED.sub("", re.sub(r"(?<=\w)['’]s got\b", " has", text))
    if found := _TOPIC.match(text):
        return f"what is the {found['asked']} of {found['who']}"
    if found := _CLEFT.match(text):
        return f"{found['asked']} {found['did']}"
    text = re.sub(rf": (?=[^:]*\b(?:{ASKING}|{WHO})$)", " ", text)
    if _BEGINS.match(text) or re.search(r"[,;:.?!–—]\s|\s-\s", text):
        return ""
    if found := _THIS.search(text):
        text = f"{text[: found.start()]}{found['prep']} which {found['noun']}"
    return _asked_last(text, marked=marked) or _blank_last(text)


def _asked_last(text: str, *, marked: bool) -> str:
    if found := _BY_AUX.match(text):
        who, aux, mid = found["who"], found["aux"], found["mid"]
        open_ = re.search(rf"\b(?:{ASKING}|whom?)$", who)
        return "" if open_ else turned(found["asked"], f"{who} {aux}{mid}", "")
    found = _BY_VERB.match(text)
    if found and " " in found["who"] and (marked or len(found["asked"].split()) <= SHORT):
        return turned(found["asked"], found["who"], found["prep"] or "")
    return ""


_LACKS_VERB = re.compile(  # the country where Ulm is: it is no blank that the verb waits for
    r"\bwhere (?!.*\b(?:is|was|are|were|has|had|lies?|lives?|stands?|died|did|does|\w+ed)\b)",
    re.IGNORECASE,
)


def _blank_last(text: str) -> str:
    found = _BLANK.match(text)
    if found is None or not (found["end"] or not found["mid"]):
        return ""
    who, aux, mid, end = found["who"], found["aux"], found["mid"] or "", found["end"] or ""
    if not end and _LACKS_VERB.search(who):
        return ""
    asked = "who" if end == "by" else "what"
    return f"{asked} {aux} {who}{mid} {end}".strip()
