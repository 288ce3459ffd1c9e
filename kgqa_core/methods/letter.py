"""The question in a text of any length, as it would be put alone.

A text is cut into parts at its marks; the last of them that asks is the question. What wraps it
goes (`recast.py`), what it points back to (“it”, “there”, “that tower”, “which ones”) takes its
place, and what was told besides is left out. Where it is not clear what is meant, the text stays
as it is. Nothing here knows a name, a relation or a graph.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from kgqa_core.methods.recast import (
    ASKING,
    AUX,
    KNOWS,
    LONGEST,
    PAST,
    PREPOSED,
    QUESTION,
    SELF,
    SHORT,
    STRONG,
    TAG,
    US,
    WHO,
    held,
    is_phrase,
    moved,
    turned,
    unwrapped,
)

# -- the parts of a text, and talk among them --------------------------------------------------

LINK = re.compile(r"^(?:but|and|so|now|then|well|just|oh|yet|whatever|okay|ok)\b,? ", re.I)
_MARK = re.compile(
    r"(?<!\b[A-Z])(?<!\bSt)(?<!\bDr)(?<!\bM[rs])(?<!\bMrs)(?<!\bNo)(?<!\bvs)"
    r"(?:[.!?…]+\s+|;\s+|:\s+|\s[—–-]\s|—)"
)
_QUOTED = re.compile(r"“[^”]*”|\"[^\"]*\"|«[^»]*»|\([^()]*\)")
_TALK = frozenset(
    "a about again an and another answer any anybody anyone approx approximately argument asked "
    "asking asks at average be bet blanking boyfriend brother but can can't cannot checking cheers "
    "class crossword curiosity curious dad date daughter do does doing doubtless easy er erm essay "
    "exactly exam family fine first for forget forgot forgotten frankly friend friends full fun "
    "game girlfriend got guess guys haha hard have hello help helping here hey hi hm hmm homework "
    "honestly honesty husband i i'm idle if im in interest interested it it's just keep kid kids "
    "know last list lol me mind mom mum my name names need needs night now number of oh ok okay on "
    "one only or our out please pray precisely project pub pure puzzle question questions quick "
    "quickly quiz random really remember reminding roughly say school serious settle settling "
    "sheer silly simple sister so somebody someone son sorry stuck stupid surname surnames ta "
    "teacher tell test thank thanks that the there thinking this to today tonight trivia trying um "
    "us we well wife will with wondering year you".split()
)
_PHATIC = re.compile(
    r"(?:can|could|would|will) (?:you|anybody|anyone) (?:please |kindly )?(?:help|know|"
    r"happen to know|tell|remind|enlighten)(?: me| us)?|"
    r"do you know|does any(?:one|body) know|any ideas?|"
    r"(?:can|could) you (?:check|look) (?:it|that)(?: up)?"
    r"|dear .{2,20}|(?:(?:kind|best|warm)(?:est)? (?:regards|wishes)|yours \w+|many thanks|cheers)"
    r"(?:,? \w+)?",
    re.IGNORECASE,
)
_INSERTED = re.compile(r",\s+([^,]{2,40}),(?=\s)")
_BESIDE = re.compile(rf"(?:it|he|she|they) |{AUX}n['’]t (?:it|he|she|they)$")
_THROWN_IN = re.compile(r"(?:if|as|pray|to be) [^A-Z\d]+$")


def parts_of(text: str) -> list[tuple[str, str]]:
    """The parts between marks, each with the mark behind it; what is quoted stays whole."""
    whole = [m.span() for m in _QUOTED.finditer(text)]
    out, start = [], 0
    for mark in _MARK.finditer(text):
        before, after = text[: mark.start() + 1], text[mark.end() :]
        titled = re.search(r"\b[A-Z]\w*:$", before) and re.match(r"(?!Wh|How)[A-Z]", after)
        if not titled and not any(a < mark.start() < b - 1 for a, b in whole):
            out.append((text[start : mark.start()].strip(), mark[0].strip()))
            start = mark.end()
    rest = text[start:].strip()
    bare = rest.rstrip("?!.… ")
    return [(p, m) for p, m in (*out, (bare, rest[len(bare) :])) if p and not _is_talk(p)]


def _is_talk(part: str) -> bool:
    words = re.findall(r"[\w'’]+", part.lower().replace("’", "'"))
    talk = bool(words) and all(w in _TALK for w in words) and not _OF_IT.fullmatch(part.strip())
    return talk or _PHATIC.fullmatch(part.strip()) is not None


def _named(text: str) -> bool:
    return re.search(r"[A-Z]|\d", re.sub(SELF, " i ", text.strip())[1:]) is not None


def _says_nothing(part: str) -> bool:
    """Whether it is talk, or of who asks or is asked, and names nothing."""
    ours = US.search(part) or re.match(r"(?:speaking|talking) of\b", part, re.IGNORECASE)
    return _is_talk(part) or (not _named(part) and ours is not None)


def _trimmed(part: str) -> str:
    """Without what is thrown in, or said after it: “, if I may ask,”, “, the one we know”."""
    part = _INSERTED.sub(
        lambda m: (
            "," * bool(LINK.match(m.string[m.end() + 1 :]))
            if _THROWN_IN.match(m[1]) or _says_nothing(m[1])
            else m[0]
        ),
        part,
    )
    part = re.sub(
        r"(?<=\w) (?:actually|really|exactly)(?= (?!is$|was$))|,? (?:then|again)$", "", part
    )
    lead, _, rest = part.partition(", ")
    but = rest.startswith("but ") and not _ASKS.search(lead) and _says_nothing(lead)
    part = LINK.sub("", rest) if (but or _is_talk(lead)) and " " in rest else part
    while found := re.match(r"(?P<rest>.+ .+),\s+(?P<said>[^,\"]+)$", part):
        said = found["said"]
        more = LINK.match(f"{said} ") is not None and KNOWS.search(said) is not None
        asks = _ASKS.search(said)
        told = re.match(r"(?:which|who|where) (?!\w+$|.*\bI\b)", said) is not None
        told = told and not _ORDERED.match(said)
        if asks and told and QUESTION.match(part) and _named(found["rest"]):
            asks = None  # who painted Faust, which hangs there
        elif not (
            _says_nothing(said)
            or re.match("the one |because ", said)
            or (QUESTION.match(part) and _BESIDE.match(said))
        ):
            break
        if more or asks:
            break
        part = found["rest"]
    return part


# -- which part asks -------------------------------------------------------------------------

_ORDERED = re.compile(
    rf"(?:{PREPOSED} )?(?:{WHO}|how \w+|{ASKING}(?: \w+){{0,2}})(?:['’](?:s|re)\b| {AUX}\b)", re.I
)
_WHETHER = re.compile(rf"{AUX}\b(?! me\b)", re.IGNORECASE)
_ASKS = re.compile(rf"\b(?:{ASKING}|{WHO}|how)\b", re.IGNORECASE)
_CLEFT = re.compile(
    rf"^(?:({WHO}|{ASKING} \w+) (?:is|was) it (?:that|who)|"
    r"(?:is|was) it [^,]+ or [^,]+? who)(?= \w)",
    re.IGNORECASE,
)
_TAGGED = re.compile(rf",? (?:right|correct|{AUX}n['’]t (?:it|he|she|they))$", re.IGNORECASE)
_OUR_WISH = re.compile(r",? (?:and|but|so) (?:I|we)\b[^,]*$")
_TAG = re.compile(rf"(?:{TAG})\b(?! that\b)", re.IGNORECASE)
_GIVEN = re.compile(r"(?:if|when|as|since|before|after|while|suppose|imagine|say|now)\b", re.I)
_IF = re.compile(r"(?:if (?!you (?:please|can|know|could|would|do)|i may|it)|when|suppose)\b", re.I)
_ABOUT = re.compile(rf"(?:{PREPOSED}|besides|apart|between|among|amongst|out|except)\b", re.I)


def asking_in(part: str, *, marked: bool, last: bool) -> tuple[str, str]:
    """What a part tells before it asks, and what it asks; the latter empty: it only tells.

    `marked`: with a question mark behind it; `last`: nothing comes after it.
    """
    part = _trimmed(LINK.sub("", part))
    part = _CLEFT.sub(lambda m: m[1] or "who", part)
    begins = QUESTION.match(part) and (_ORDERED.match(part) or not _GIVEN.match(part))
    begins = begins and not re.match(r"what (?:i|we)\b", part, re.IGNORECASE)
    if not begins:
        lead, asked = unwrapped(part)
        lead = _OUR_WISH.sub("", lead)
        if asked and QUESTION.match(asked):
            return lead, asked
        for comma in re.finditer(r",\s+", part):
            before, rest = part[: comma.start()], part[comma.end() :]
            if _opens(before, rest, marked=marked):
                rest = _CLEFT.sub(lambda m: m[1] or "who", LINK.sub("", rest))
                return before, unwrapped(rest)[1] or rest
        if asked:
            return lead, asked
    asks = marked or (begins and last and _ORDERED.match(part)) or _OF_IT.fullmatch(part)
    return "", part if asks else ""


def _opens(before: str, rest: str, *, marked: bool) -> bool:
    """Whether a question begins behind a comma, and no clause that tells more of what is named."""
    asked = LINK.sub("", rest)
    nothing, given = _says_nothing(before) and not _IF.match(before), _GIVEN.match(before)
    sure = nothing or asked != rest
    if _TAG.match(asked) or (_ABOUT.match(before) and not nothing):
        return False  # in Faust, who …: that belongs to it
    if sure and marked:
        return bool(QUESTION.match(asked) or _WHETHER.match(asked))
    forms = (_OF_IT, _WHOSE, _HOW_MANY, _EXACTLY)
    if not given and any(form.fullmatch(asked) for form in forms):
        return True
    form = _ORDERED if "," in asked or not marked else QUESTION
    pointing = US.search(before) if given else any(f.search(asked) for f in _POINTERS)
    return bool(form.match(asked) and (sure or pointing))


# -- what was told, as the question that is asked of it ----------------------------------------

_IT = r"(?:it|he|she|they|that|this|those|these|him|her|them|i)"
_NAMES = r"(?:its|his|her|their|the) (?:first |last |full |real )?(?:name|title)s?"
_OF_IT = re.compile(
    rf"(?:what|who)(?:['’]s|['’]re| is| was| are| were) (?:{_NAMES}|{_IT})"
    r"(?: (?:called|named|known as|about|for it))?(?: (?:again|really))?"
    r"|what (?:do (?:you|we|they|people)|would you) call (?:it|them|him|her|that)"
    rf"|(?:can you )?name (?:it|him|her|them)|{_NAMES}|who|what|what would you say"
    r"|who am i thinking of|where (?:do|should|would) i go"
    r"|(?:what|which)(?: one| [a-z]+)? (?:is|was|are|were|would) "
    r"(?:that|this|it|those|they)(?: be)?(?: again| really)?"
    r"|(?:can|could|would) you (?:please )?(?:list|name) (?:them|it)(?: all)?(?: for me)?"
    r"|what(?: is|['’]s) the (?:word|name|term) for (?:it|that|them)"
    r"|forgot (?:its|his|her) name",
    re.IGNORECASE,
)
_WHOSE = re.compile(
    rf"(?P<asked>whose(?: \w+)?|what \w+|which \w+|where|when) (?P<aux>is|was|are|were) {_IT}"
    r"(?: again| really)?",
    re.IGNORECASE,
)
_HOW_MANY = re.compile(r"how many(?: (?:is|are|was|were) (?:it|there|they))?", re.IGNORECASE)
_WHICH = re.compile(
    r"(?:which|what|who)(?: ones?| two| three| of (?:them|these|those)|(?P<noun> [a-z]+))?"
    r"(?: (?:is|are|was|were|would) (?:it|they|that|those|these|this)(?: be)?)?",
    re.IGNORECASE,
)
_ALONE = re.compile(
    rf"(?:and )?(?P<asked>(?:{PREPOSED} )?(?:(?:which|what) [a-z]+|where|whom)|when)"
    r"(?: exactly| precisely)?(?: (?:did|does|do) (?:that|this|it) (?:happen|take place|occur))?",
    re.IGNORECASE,
)
_EXACTLY = re.compile(
    r"(?:(?:what|which) (?:is|was) the (?:exact|precise|actual|full) "
    r"|on (?:which|what) (?:exact )?)"
    r"(?P<noun>date|day|year|place|spot)(?: exactly| precisely| again)?",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"^(?:[^,;]{0,40}?\b(?:has it|heard|hear|read|told(?: me| us)?|recall|remember|mentioned|says?|"
    r"insists?|claims?|maintains?|swears?|know|believed?|learnt|learned|think|thought|understand|"
    r"supposed?)(?: somewhere| once)?(?: that)?|apparently|"
    r"(?:as|if) [^,]{3,30},)"
    r",? (?=(?-i:[A-Z])|(?:an?|the|there|one)\b)",
    re.IGNORECASE,
)
_CAPITALS = r"[A-Z][\w'’.-]*\w"
_WHO_DID = re.compile(rf"^.*?({_CAPITALS}(?: {_CAPITALS})*), who ")
_OWNER = rf"(?P<owner>(?:(?!\b{AUX}\b).)+?)"
_FORMS = tuple(  # of what was told, and what it is that was told of
    (re.compile(form), words)
    for form, words in (
        (
            r"(?P<owner>.+? and .+?) (?:have|had|shared?) the same (?P<thing>[a-z ]+)$",
            "{who} the {thing} of {owner}",
        ),
        (r"this (?P<thing>[a-z]+ .+)$", "which {thing}"),
        (
            r"(?i:there(?:['’]s| is| are| was| were) (?:only )?(?:an?|one|two|some|that|this)) "
            r"(?P<thing>.+)$",
            "{who} {thing}",
        ),
        (
            rf"{_OWNER} (?:has|have|had) (?:an?|one|two|three) (?P<thing>(?:[a-z]+ )?[a-z]+)"
            r"(?P<more> (?:who|that|which|called|in|from|of)\b.*)?$",
            "{who} the {thing} of {owner}{more}",
        ),
        (
            rf"{_OWNER} (?P<verb>[a-z]+ed|wrote|made|built|won|led|sang|drew)"
            r" (?:an?|one|another) (?P<thing>.+)$",
            "which {thing} did {owner} {verb}",
        ),
    )
)
_THE_ONE = re.compile(
    r".*?\bthe (?:same )?(?P<thing>(?!name)(?:[a-z]+ ){0,2}[a-z]+ (?:(?:of|to) "
    rf"(?:(?! (?:him|her|it|them|{AUX[3:-1]})\b)[^,])+|(?:that|who|which|where) "
    r"(?:(?! (?:him|her|it|them)\b)[^,])+))"
)
_MANY = re.compile(r"\b(?:they|them|those|these|ones)\b", re.IGNORECASE)
_SOME = (  # of what was told, the thing that is not named
    r"(?P<before>.*?)\b(?i:one of|only one|one|an?|two|three|four|some|several|many|various) "
    r"(?P<thing>the [A-Z]\w+ [A-Z]\w+|(?:[A-Za-z-]+ ){{0,2}}?{noun})(?P<after>"
    rf" (?:in|of|with|on|from|to|after|before|by|at|that|who|which|{AUX[3:-1]})\b.*)?$"
)


_CORRECTED = re.compile(
    r"(?:which|what|who)(?: [a-z]+)? (?:(?:is|was) (?:it|that) )?(?:really|actually)(?: is| was)?",
    re.I,
)
_FROM_WHERE = re.compile(
    rf"(?P<prep>{PREPOSED}) (?P<asked>(?:which|what) [a-z]+(?: or [a-z ]+?)?) (?:is|was|are|were)"
    rf" {_IT}(?: really| actually)?",
    re.IGNORECASE,
)
_NOUN_OF = re.compile(
    r"(?:what|who)(?:['’]s| is| was| are| were) (?:the|that|this) (?P<noun>[a-z]+)"
    r"(?:['’]s? (?:first |last |full )?name| called)",
    re.IGNORECASE,
)


def _of_told(told: str, tail: str) -> str:
    """What is told as the question that its tail asks; empty where this is not seen."""
    told = _REPORTED.sub("", _trimmed(told.rstrip(".")), count=1)
    if _HOW_MANY.fullmatch(tail):
        return f"how many {told}" if is_phrase(told) else ""
    if (found := _WHOSE.fullmatch(tail)) and is_phrase(told):
        return f"{found['asked']} {found['aux']} {told}"
    if found := _CORRECTED.fullmatch(tail):
        so = re.search(r"\b(?:is|was|are|were) (?P<it>the [a-z]+ of [A-Z].*?)(?:,|$)", told)
        if so:
            return f"what is {so['it']}"
    if (found := _FROM_WHERE.fullmatch(tail)) and (
        so := re.match(rf"(?P<so>.+) {found['prep']} (?:the )?[A-Z][\w ]*(?:,.*)?$", told, re.I)
    ):
        return turned(found["asked"], so["so"], found["prep"].lower())
    if found := _NOUN_OF.fullmatch(tail):
        return _picked(told, found["noun"])
    identity, which = _OF_IT.fullmatch(tail), _WHICH.fullmatch(tail)
    if identity:
        who = "who is" if re.search(r"\b(?:who|he|she|his|her|him)\b", tail, re.I) else "what is"
        if whole := _identified(told, who):
            return whole
    elif which and (asked := asking_in(told, marked=False, last=False)[1]):
        return asked
    if identity or which:
        one = _picked(told, (which["noun"] or "").strip() if which else "")
        if tail.lower().startswith("who"):
            one = re.sub(r"^which .*?(?= (?:was|were|is|are|did|does)\b)", "who", one)
        if one and not (_MANY.search(tail) and re.match(r"which \w+[^s\W] ", one)):
            return one
    if (found := _EXACTLY.fullmatch(tail)) and PAST.search(told):
        noun = found["noun"].lower()
        told = re.sub(r" in \d{4}$", "", told) if noun in {"date", "day"} else told
        at = {"date": "on", "day": "on", "year": "in"}.get(noun, "at")
        return moved(f"{told} {at} what {noun}", marked=True)
    if (found := _ALONE.fullmatch(tail)) and PAST.search(told):
        return moved(f"{told} {found['asked'].lower()}", marked=True)
    return ""


def _identified(told: str, who: str) -> str:
    """What or who it is that was told of."""
    asked = asking_in(told, marked=False, last=False)[1]
    if asked:  # nobody knows which town it is. Which is it?
        return asked if QUESTION.match(asked) else f"{who} {asked}"
    told = _WHO_DID.sub(r"\1 ", told)
    for form, words in _FORMS:
        if found := form.match(told):
            given = {name: text or "" for name, text in found.groupdict().items()}
            ours = US.search(given.get("owner", ""))
            return ("{who} the {thing}" if ours else words).format(who=who, **given)
    if is_phrase(told):
        return f"{who} {told}"
    found = _THE_ONE.match(told)
    return f"{who} the {found['thing']}" if found else ""


def _picked(told: str, noun: str) -> str:
    """“Ann plays two harps. Which?”: which harps does Ann play."""
    found = re.match(_SOME.format(noun=f"{noun[:-1]}\\w*" if noun else "[a-z-]+"), told)
    if found is None:
        return ""
    one = f"which {found['thing']}".replace("which the", "which of the")
    before = _WHO_DID.sub(r"\1 ", found["before"].strip())
    after = (found["after"] or "").strip()
    if US.search(before) or not before:
        return f"{one} {after}".strip() if not _OWNED.search(after) else ""
    return turned(one, before, after) if not re.search(r"[,;:]", before) else ""


# -- what it points back to --------------------------------------------------------------------

_NAME = re.compile(
    rf"{_CAPITALS}(?: (?:(?:of|the|and|de|la|da|van|von|der|al) )*(?:{_CAPITALS}|\d+))*"
)
_PLACE_OF = re.compile(r"\s(?:in|of|at|near|on)(?: the)?\s")
_AT = re.compile(
    r"\b(?:in|at|to|from|near|between|through|around|down|across|into)(?: the)? $", re.I
)
_LONG_NAME = 6  # words
_NO_NAME = frozenset(
    "a an the i i'm i've i'd i'll we we're my our his her its their this that these those there "
    "here it he she they you your so but and or if in on at of to for from by with as when while "
    "since could can would will might please do does did is are was were have has had let let's "
    "what who which where how hi hello hey thanks thank ok okay well also today tomorrow yesterday "
    "everybody everyone somebody someone people speaking talking thinking reading watching about "
    "regarding concerning considering remember imagine suppose say one some many long ages being "
    "me something surely going walking never all whenever right oh whether among before after "
    "between two apparently grandpa grandma dad mum mom easter christmas january february march "
    "april may june july august september october november december monday tuesday wednesday "
    "thursday friday saturday sunday".split()
)
_DESCRIBED = re.compile(  # the man who sang it; the singer of Faust
    r"(?i:the [^,]+ (?:who|that|which)|an? [^,]+ who) "
    r"|[Tt]he (?!name)[a-z]+(?: [a-z]+)? (?:of|behind) (?!(?:the )?[a-z]+$)"
)
_OWNED = re.compile(r"\b(?:his|its|their|her(?= [a-z]))\b(?! own\b)", re.IGNORECASE)
_STANDS = re.compile(
    r"\b(?:(?<!time is )it(?! (?:take|rain|snow|true|possible)\b)|(?:this|that) one|that$|"
    r"the (?:thing|man|woman)(?=$| [a-z]+$)|the two$|"
    r"(?:^|(?<=['’]s\s)|(?<=\b(?:is|in|on|of|to|by|at)\s)|(?<=\b(?:was|are|did|has|had)\s)|"
    r"(?<=\b(?:does|from)\s)|(?<=[et]d\s)|(?<=te\s))(?:this|that) "
    rf"(?!{AUX}\b|happen|occur|take place|go\b|come\b|morning|year|week|time|day|way)[a-z]+)\b",
    re.IGNORECASE,
)
_SOMEONE = re.compile(r"\b(?:he|she|him|her(?! [a-z]))\b", re.IGNORECASE)
_THEY = re.compile(r"\b(?:they|them)\b", re.IGNORECASE)
_THERE = re.compile(
    rf"(?<!\bis )(?<!\bwas )(?<!\bare )(?<!\bwere )\bthere\b(?! {AUX}\b)", re.IGNORECASE
)
_POINTERS = (_OWNED, _STANDS, _SOMEONE, _THERE, _THEY)
_SUPPOSED = re.compile(r"\b(?:I|you|we|one)\b")
_GOES_TO = re.compile(
    r"(?P<asked>(?:which|what) \w+) (?:do|would|should|must|will) (?:I|you|we|one) "
    r"(?:have to |need to )?(?:go|travel|fly)(?: to)?",
    re.IGNORECASE,
)
_NAME_OF = re.compile(r"(?:the names? of )?(?:its|his|her|their) (?=\w)", re.IGNORECASE)
_BRIDGED = re.compile(  # who composed the music
    r"\bthe (?!\w+(?:est|most|st|nd|rd|th)\b|last\b|only\b|same\b)[a-z'’]+(?: (?:of the )?[a-z]+)?$"
)
_OF_A_PLACE = re.compile(r"(?:this|that) (?:city|town|village|country|island|state|place)", re.I)
_OF_A_PEOPLE = re.compile(r"\b(which|what) [A-Z]\w*(?:an|ish|ese|ch|man|woman)\b")


def _pointed(tail: str, told: Sequence[str]) -> str:
    """The question with what it points back to in its place; empty: it is not clear what is meant.

    Who supposes to be somewhere (“if I went to Ulm”) stands for that place in the question.
    """
    for one in reversed(told):
        if whole := _of_told(one, tail):
            at = _OWNED.search(whole)
            own = at is None or re.search(r" [A-Z]", whole[: at.start()])
            return whole if own or at is None else _put(whole, told, at, own=False) or whole
    if _OF_IT.fullmatch(tail) or _TAG.match(tail) or re.search(rf", {AUX}(?:n['’]t)? {_IT}$", tail):
        return ""
    own = re.search(r"[\s“\"][A-Z]\w|\d", _OF_A_PEOPLE.sub(lambda m: m[0].lower(), tail))
    here = tail[: own.start()] if own else tail
    pointers = [_THERE.search(tail), _STANDS.search(tail), _OWNED.search(here)]
    pointers += [_SOMEONE.search(here), _THEY.search(here)]
    pointers += [] if own else [_SUPPOSED.search(tail)]
    at = next(filter(None, pointers), None)
    if at is not None and len(tail.split()) >= SHORT:
        return _put(tail, told, at, own=own is not None)
    named = any(_named(one) for one in told)
    if named and not own and _BRIDGED.search(tail) and (name := _one_name(told, placed=False)):
        return f"{tail} of {name}"
    return tail if (own or not named) and len(tail.split()) >= SHORT else ""


def _put(tail: str, told: Sequence[str], at: re.Match[str], *, own: bool) -> str:
    """With a name in place of what points back to it. `own`: the question has one of its own."""
    that = at.re is _STANDS and " " in at[0]
    noun = at[0].split()[-1]
    if that and re.search(rf"\ban? (?:\w+ )?{noun}\b", " ".join(told)):
        return ""  # a tower stood in Ulm: that tower
    place = _OF_A_PLACE.fullmatch(at[0]) is not None
    strange = that and not place and re.search(r"\ban? [a-z]", " ".join(told)) is not None
    given = any(_GIVEN.match(one) and US.search(one) for one in told)
    placed = place or at.re in (_THERE, _SUPPOSED)
    name = _one_name(told, placed=placed, sure=strange or (at.re is _SUPPOSED and not given))
    if not name:
        return tail if at.re is _THEY or (own and at.re is _STANDS) else ""
    if at.re is _SUPPOSED and (found := _GOES_TO.fullmatch(tail)):
        return f"{found['asked']} is {name} in"
    owner = f"{name}'" if name.endswith("s") else f"{name}'s"
    if _NAME_OF.match(tail):
        return _NAME_OF.sub(f"what is {owner} ", tail)
    put = {_THERE: f"in {name}", _OWNED: owner}.get(at.re, name)
    rest = re.sub(r"^['’]s (?=[a-z])", " is ", tail[at.end() :])
    return f"{tail[: at.start()]}{put}{rest}"


def _one_name(told: Sequence[str], *, placed: bool, sure: bool = False) -> str:
    """The one name of what was told that may be meant, the nearest; empty: it is not clear which.

    `placed`: where something is, or happens, and not what is there; `sure`: nothing else will do.
    """
    spare = ""
    for one in reversed(told):
        names = _names(one)
        if names and names[0][1] == "first" and not placed:
            return names[0][0]
        fitting = list(dict.fromkeys(name for name, how in names if (how == "at") == placed))
        does = list(dict.fromkeys(name for name, how in names if how == "does"))
        fitting = does if len(fitting) > 1 and not placed else fitting
        if fitting:
            return fitting[0] if len(fitting) == 1 else ""
        if len(names) > 1:
            return ""
        if len({name for name, _ in names}) == 1 and not sure:
            spare = spare or names[0][0]
    things = re.findall(rf"\ban? [a-z]+\b(?= {AUX}\b|[.,]|$)", " ".join(told))
    return spare or (things[0] if len(things) == 1 and not placed and not sure else "")


def _names(told: str) -> list[tuple[str, str]]:
    """Its names, each with how it stands there: first, at a place, or else."""
    told = re.split(r", (?:who|which|where)\b", told)[0]
    if (topic := re.match(r"([^,]+), (?:he|she|it|they)\b", told)) and is_phrase(topic[1]):
        return [(topic[1], "first")]
    if is_phrase(told) and not US.search(told):
        if _DESCRIBED.match(told):
            return [(re.sub(r"^T(?=he )", "t", told), "first")]
        words = told.split()
        while words and (words[0].lower() in _NO_NAME or (told.islower() and words[0] in _TALK)):
            del words[0]
        if 0 < len(words) <= _LONG_NAME and (words[0][:1].isupper() or told.islower()):
            return [(" ".join(words), "first")]
    out: list[tuple[str, str]] = []
    end = -1
    for found in _NAME.finditer(told):
        words = found[0].split()
        while words and re.sub(r"['’]s$", "", words[0].lower().replace("’", "'")) in _NO_NAME:
            del words[0]
        name, start = " ".join(words), found.end() - len(" ".join(words))
        inside = end >= 0 and _PLACE_OF.fullmatch(told, end, found.start())  # the Red Tower in Ulm
        after = told[found.end() :]
        verb = re.match(rf",? (?:{AUX}|[a-z]+(?:s|ed|nt)|{STRONG})\b|\W*$", after)
        if (
            inside
            or not re.search(r"[^\W\d]", name)
            or (start == 0 and " " not in name and not verb)
        ):
            continue
        end = found.end()
        first = all(word in _NO_NAME for word in told[:start].lower().split())
        how = "at" if _AT.search(told[:start]) else "first" if first else "else"
        how = "does" if how == "else" and verb and after.strip(" .") else how
        before = re.sub(r"[Tt]he $", "", told[:start])
        apart = before.endswith((", ", " called ")) and after[:1] in {",", ".", ""}
        out.insert(
            0 if apart else len(out), (re.sub(r"['’]s$", "", name), "first" if apart else how)
        )
    return out


# -- all of it -------------------------------------------------------------------------------


@lru_cache(maxsize=1_000)
def question_of(text: str) -> str:
    """The question that a text asks, as it would be put alone.

    “I read about Ulm. Where is it?”: where is Ulm? The text as it is, where it is one already, or
    where it is not clear what is meant.
    """
    text = text.strip()
    if len(text) > LONGEST:
        return text
    asked = held(text) or _asked_in(text)
    if asked == text.rstrip("?!.… "):
        return text
    asks = QUESTION.match(asked) or _WHETHER.match(asked)
    return f"{asked}?" if asks and not asked.endswith("?") else asked


def _asked_in(text: str) -> str:
    parts = parts_of(text)
    for n in reversed(range(len(parts))):
        part, mark = parts[n]
        lead, asked = asking_in(part, marked="?" in mark, last=n == len(parts) - 1)
        if not asked:
            continue
        before, mark = parts[n - 1] if n else ("", "")
        led = mark in {":", "-", "–", "—"} and (_ASKS.search(before) or not _says_nothing(before))
        bare = asked == part and not (QUESTION.match(asked) or _WHETHER.match(asked))
        of_two = led and asked == part and " or " in before  # A or B: which is older?
        if of_two or (bare and (led or (n and _ABOUT.match(asked)))):
            return text  # which is older: A or B?
        told = [p for p, _ in parts[n + 1 :]]
        told += [_TAGGED.sub("", p) + "." * (m[:1] in {".", "!", "?"}) for p, m in parts[:n]]
        told += [lead] if lead and not _is_talk(lead) else []
        return (_pointed(asked, told) if told else asked) or text
    said = [part for part, _ in parts if not _says_nothing(part)]
    return _trimmed(said[0]) if len(said) == 1 else text


@lru_cache(maxsize=1_000)
def asked_first(text: str) -> str:
    """The question of a text, with what it asks for at its beginning.

    “Ann lives in which town”: “which town does Ann live in”. Empty where it stands there already,
    or is not seen.
    """
    if len(text) > LONGEST:
        return ""
    asked = question_of(text)
    changed = asked.rstrip("?!. ") if asked != text.strip() else ""
    return moved(asked, marked=text.rstrip().endswith("?")) or changed
