"""The question in a text, with what is asked for at its beginning.

People ask in any order (“Ann lives in which town?”), after what they tell (“Ann has a sister. What
is she called?”), with a blank at the end (“Faust was written by”), and with talk around it. Each
form has a table row or a short function here; none knows a name, a relation or a graph.
"""

from __future__ import annotations

import re
from functools import lru_cache

_AUX = r"(?:is|are|was|were|has|have|had|do|does|did|can|could|will|would|should|may|might|must)"
_ASKING = r"(?:which|what|whose|how many|how much)"
_WHO = r"(?:who|whom|what|where|when)"
_BEGINS = re.compile(
    rf"(?:(?:in|on|at|by|for|from|of|to|since|until|under|into|after|before|with|along) )?"
    rf"(?:{_ASKING}|{_WHO}|why|how|if|{_AUX})\b"
    r"|(?:name|list|count|give|show|tell|find|true or false|besides|apart from|of|between)\b",
    re.IGNORECASE,
)

_LONGEST = 600  # characters; a longer text stays as it is: to look through it would take long
_LINKS = r"(?:but|and|so|now|then|well|just|oh|yet)\b,? "
LINK = re.compile(rf"^{_LINKS}", re.IGNORECASE)
# who asks, and no ruler's number: World War I, Elizabeth I
SELF = r"(?:^|[^\w\s]\s+|\b(?:[a-z]+|And|But|So|If|When|As|Since)\s+)I(?:['’]\w+)?(?=,|\s+[a-z])"

# -- talk around a question ------------------------------------------------------------------

_TALK = frozenset(
    "a about again an and answer any anybody anyone approx approximately argument asked asking "
    "asks at average be bet blanking boyfriend brother but can can't cannot checking cheers class "
    "crossword curiosity curious dad date daughter do does doing easy er erm essay exactly exam "
    "family fine first for forget forgot forgotten friend friends full fun game girlfriend got "
    "guess guys haha hard have hello help helping hey hi hm hmm homework husband i i'm if im in "
    "interest interested it it's just keep kid kids know last list lol me mind mom mum my name "
    "names need needs night now number of oh ok okay on one only or our out please precisely "
    "project pub puzzle question questions quick quickly quiz random really remember reminding "
    "roughly school serious settle settling silly simple sister so somebody someone son sorry "
    "stuck stupid surname surnames ta teacher test thank thanks that the there thinking this to "
    "today tonight trivia trying um us we well wife will with wondering year you".split()
)
_SAYS = re.compile(
    r"[?!.;,]+\s*(?:but )?(?:my|our|his|her|a|the|some|they|everyone|he|she|somebody|someone)"
    r"(?: \w+)? (?:says?|said|thinks?|thought|reckons?|claims?|insists?|told)\b[^?]*$",
    re.IGNORECASE,
)
_FIRST_PART = re.compile(r"^(?P<talk>[^,:;!?.–—\"“”-]+)(?:[,:;!?.–—]+|\s-)\s+(?P<rest>.+)$")
_LAST_PART = re.compile(r"^(?P<rest>.+?)(?:[,:;!?.–—]+|\s-)\s+(?P<talk>[^,:;!?.–—\"“”]+)[\s?!.]*$")


def _is_talk(part: str) -> bool:
    words = re.findall(r"[\w'’]+", part.lower().replace("’", "'"))
    return bool(words) and all(w in _TALK for w in words) and not _OF_IT.fullmatch(part.strip())


def without_talk(text: str) -> str:
    """Without what says nothing of what is asked: “for a quiz:”, “, just the year please”."""
    if len(text) > _LONGEST:
        return text
    while (found := _FIRST_PART.match(text)) and _is_talk(found["talk"]) and " " in found["rest"]:
        text = found["rest"]
    while (found := _LAST_PART.match(text)) and _is_talk(found["talk"]) and " " in found["rest"]:
        text = found["rest"]
    return _SAYS.sub("", text) or text


# -- what politeness wraps -------------------------------------------------------------------

_KNOWING = (
    r"(?:(?:tell|telling|remind|show|give|inform|enlighten) (?:me|us)|know|knowing|wonder(?:ing)?|"
    r"ask(?:ing)?|say|learn|hear|find out|look up|check|trouble you for|list(?: for)?(?: me| us)?|"
    r"name|help me)"
)
_PREPOSED = r"(?:in|on|upon|at|by|for|from|of|to|into|under|since|until|with|after|along|through)"
_OPENS = (
    r"(?:please|if|i|we|i['’]\w+|could|can|would|will|may|might|do|does|have|so|but|and|now|then|"
    r"should|must|my|our|when|as an?|maybe|perhaps|well|not|one|out|just|oh|it)\b"
)
_WRAPPED = re.compile(
    rf"(?={_OPENS})(?P<lead>(?:(?!\b(?:{_ASKING}|{_WHO})\b).)*\b{_KNOWING}\b)"
    rf"(?P<gap>(?:(?!\b(?:{_ASKING}|{_WHO})\b).)*?)[\s:]"
    rf"(?P<asked>(?:{_PREPOSED} )?(?:{_ASKING}|{_WHO}|how)\b.+)$",
    re.IGNORECASE,
)
_THING_WRAPPED = re.compile(
    rf"(?={_OPENS})(?P<lead>.*?\b{_KNOWING})(?:,? (?:please|for me|if you would|if i may))?,? "
    r"(?P<asked>(?:the|all|its|his|her|their|an?)\b.+)$",
    re.IGNORECASE,
)
_WHEN = re.compile(r"the (?:year|date|day) (?:in|on) which (?=\w)", re.IGNORECASE)
_TO_US = re.compile(r"\b(?:you|i|me|us|we)\b", re.IGNORECASE)
_INVERTED = re.compile(
    rf"(?P<asked>who|whom|what|where|when|how \w+|{_ASKING}(?: [a-z]+)?) (?P<who>(?!{_AUX}\b).+?) "
    r"(?P<aux>is|are|was|were)"
    r"(?P<rest> (?:called|named|born|made of|located|found|from|for|in|on))?$",
    re.IGNORECASE,
)
_CLAUSE = r"(?P<who>(?:(?i:the|an?|his|her|its)\b|[A-Z]).+)$"
_INDIRECT = (  # with a preposition the clause follows for certain, else after one noun
    re.compile(
        rf"(?P<prep>{_PREPOSED}) (?P<asked>(?:which|what|how many|how much)(?: [a-z]+){{1,3}}?)"
        r"(?:, [^,]+,)? (?P<who>(?:the|an?|his|her|its)\b.+)$"
    ),
    re.compile(
        rf"(?P<prep>{_PREPOSED}) (?P<asked>(?:which|what|how many|how much)(?: [A-Za-z]+){{1,3}}?)"
        rf"(?:, [^,]+,)? {_CLAUSE}"
    ),
    re.compile(
        rf"(?P<prep>)(?P<asked>(?:which|what|how many|how much) (?!{_AUX}\b|of\b)[a-z]+) {_CLAUSE}"
    ),
)


_ANNOUNCED = re.compile(
    rf"(?={_OPENS})(?P<lead>[^:]+): (?P<asked>(?:{_AUX}|{_ASKING}|{_WHO}|how)\b[^:]+)$",
    re.IGNORECASE,
)


_HELD = re.compile(
    r".*?\b(?:claims?|claimed|says?|said|thinks?|thought|maintains?|maintained|insists?|insisted|"
    r"believes?|believed|reckons?|swears?|swore|told (?:me|us)|heard|read)(?: that)? "
    r"(?P<held>[^.?!;:]+)(?:[.;,:!]|\s[–—-])\s*(?:(?:is|was|are|were) (?:he|she|that|this|it|they) "
    r"(?:right|correct|true|so|telling the truth)|(?:can|could|would) you (?:please )?confirm "
    r"(?:that|this|it)|true or false|right or wrong)[\s?.!]*$",
    re.IGNORECASE,
)


def held(text: str) -> str:
    """“She says that Ann sings. Is that so?”: is it true that Ann sings; empty for others."""
    found = _HELD.match(text) if len(text) <= _LONGEST else None
    return f"Is it true that {found['held'].strip()}?" if found else ""


def unwrapped(text: str) -> str:
    """“Could you please tell me which …”: which …; “I wonder what the … is”: what is the …."""
    if len(text) > _LONGEST:
        return text
    if asked := held(text):
        return asked
    if asked := _about_what_was_told(text):
        return asked
    announced = _ANNOUNCED.match(text)
    if announced and _TO_US.search(announced["lead"]):
        return announced["asked"]
    if asked := _led_up_to(text):
        return _unwrapped(asked)
    asked = _unwrapped(text)
    dangling = _OWNED.search(asked) and not re.search(r"[A-Z]", asked)
    return text if dangling else asked  # whose that is, is told before


def _unwrapped(text: str) -> str:
    found = _WRAPPED.match(text)
    if found and re.search(r"\b(?:the|all|its|if|whether|that)\b|[A-Z]\w", found["gap"]):
        found = None
    found = found or _THING_WRAPPED.match(text)
    if found is None or not _TO_US.search(found["lead"]):
        return text
    asked = _WHEN.sub("when did ", found["asked"].strip())
    asked = re.sub(r" it is (?:that|which|who) ", " ", asked.rstrip("?!. "))
    if turned := _INVERTED.match(asked):
        return f"{turned['asked']} {turned['aux']} {turned['who']}{turned['rest'] or ''}"
    turned = next(filter(None, (form.match(asked) for form in _INDIRECT)), None)
    return _turned(turned["asked"], turned["who"], turned["prep"]) if turned else asked


def _turned(asked: str, clause: str, prep: str) -> str:
    """What is asked for, and a clause in the order of statements, as a question."""
    if found := re.match(rf"(?P<who>.+) (?P<aux>{_AUX})(?P<mid>(?: \S+)*)$", clause):
        return f"{asked} {found['aux']} {found['who']}{found['mid']} {prep}".strip()
    if _PAST.search(clause):
        return f"{asked} did {clause} {prep}".strip()
    return f"{asked} does {_uninflected(clause)} {prep}".strip()


# -- what is asked about what was told -------------------------------------------------------

_TOLD = re.compile(
    r"(?P<told>.+?)(?:\s?[,;:.?!]+|\s[–—-]|…)\s+(?:and |so |but )?(?P<tail>[^,;:.?!–—]+)$"
)
_IT = r"(?:it|he|she|they|that|this|those|these|him|her|them|i)"
_THERE = re.compile(
    r"there(?:['’]s| is| are| was| were) (?:only )?(?:an?|one|two|some) (?P<thing>.+)$", re.I
)
_HAS = re.compile(
    rf"(?P<owner>(?:(?!\b{_AUX}\b).)+?) (?:has|have|had) (?:an?|one|two|three) "
    r"(?P<thing>(?:[a-z]+ )?[a-z]+)(?P<more> (?:who|that|which|called|in|from|of)\b.*)?$"
)
_MADE = re.compile(
    rf"(?P<maker>(?:(?!\b{_AUX}\b).)+?) (?P<verb>[a-z]+ed|wrote|made|built|won|led|sang|drew) "
    r"(?:an?|one|another) (?P<thing>.+)$"
)
_OF_IT = re.compile(
    rf"(?:what|who)(?:['’]s| is| was| are| were) (?:(?:its|his|her|their|the) name|{_IT})"
    r"(?: (?:called|named|known as|about|for it))?(?: again)?"
    r"|what do (?:you|we|they|people) call (?:it|them|him|her)"
    r"|(?:can you )?name (?:it|him|her|them)|(?:its|his|her|their) name|who|what"
    r"|who am i thinking of|(?:what|which) (?:is|was) (?:that|this)"
    r"|(?:what is|what['’]s) the (?:word|name|term) for (?:it|that|them)"
    r"|forgot (?:its|his|her) name",
    re.IGNORECASE,
)
_WHOSE = re.compile(
    rf"(?P<asked>whose(?: \w+)?|what \w+|which \w+|where|when) (?P<aux>is|was|are|were) {_IT}"
    r"(?: again| really)?",
    re.IGNORECASE,
)
_HOW_MANY = re.compile(r"how many(?: (?:is|are|was|were) (?:it|there|they))?", re.IGNORECASE)


def _of_told(told: str, tail: str) -> str:
    """What is told as the question that its tail asks; empty where this is not seen."""
    if _HOW_MANY.fullmatch(tail):
        return f"how many {told}" if _is_phrase(told) else ""
    if found := _WHOSE.fullmatch(tail):
        return f"{found['asked']} {found['aux']} {told}" if _is_phrase(told) else ""
    if not _OF_IT.fullmatch(tail):
        return ""
    who = "who is" if re.search(r"\b(?:who|he|she|his|her|him)\b", tail, re.I) else "what is"
    if found := _THERE.match(told):
        return f"what is {found['thing']}"
    if found := _HAS.match(told):
        return f"{who} the {found['thing']} of {found['owner']}{found['more'] or ''}"
    if found := _MADE.match(told):
        return f"which {found['thing']} did {found['maker']} {found['verb']}"
    return f"{who} {told}" if _is_phrase(told) else ""


def _is_phrase(text: str) -> bool:
    """Whether it only names something: no verb outside of what begins with “who”, “that” …."""
    head = re.split(r"\b(?:who|that|which|where|whose|when)\b", text, maxsplit=1)[0]
    return not re.search(
        rf"\b{_AUX}\b|[,;:.?!]|\b[a-z]+ed (?:an?|the|his|her|their|it|him|them|also)\b", head, re.I
    )


# -- a question about what a sentence before it names ------------------------------------------

_CAPITALS = r"[A-Z][\w'’.-]*\w"
_NAME = re.compile(rf"{_CAPITALS}(?: (?:(?:of|the|and|de|la|da|van|von|der|al) )*{_CAPITALS})*")
_PLACE_OF = re.compile(r"\s(?:in|of|at|near|on)(?: the)?\s")
_LONG_NAME = 6  # words
_NO_NAME = frozenset(
    "a an the i i'm i've i'd we we're my our his her its their this that these those there here it "
    "he she they you your so but and or if in on at of to for from by with as when while since "
    "could can would will may might please do does did is are was were have has had let tell what "
    "who which where how hi hello hey thanks thank ok okay well also today tomorrow yesterday "
    "everybody everyone somebody someone people speaking talking thinking reading watching about "
    "regarding concerning considering".split()
)
_LATER = re.compile(
    rf"(?P<told>.+?)(?P<mark>[,;:.?!…]+|\s[–—-])\s+(?P<tail>(?:(?!\b{_CAPITALS} [A-Z])[^;:.?!])+)"
    r"(?P<end>[\s.?!]*)$"
)
_QUESTION = re.compile(rf"(?:{_PREPOSED} )?(?:{_ASKING}|{_WHO}|how)\b", re.IGNORECASE)
_ORDERED = re.compile(rf"(?:{_WHO}|how \w+|{_ASKING}(?: \w+)?) {_AUX}\b", re.IGNORECASE)
_OF_WHOM = re.compile(r"(?:the names? of )?(?P<of>(?:its|his|her|their) \w.*)$", re.IGNORECASE)
_OWNED = re.compile(r"\b(?:his|its|their|her(?= [a-z]))\b(?! own\b)", re.IGNORECASE)
_THAT = re.compile(r"\b(?:this|that) ([a-z]+)\b", re.IGNORECASE)
_STANDS = re.compile(
    r"\b(?:it|he|she|they|him|them|her|"
    rf"(?:this|that) (?!{_AUX}\b|happen|occur|take place|go\b|come\b)[a-z]+)\b",
    re.IGNORECASE,
)
_PLACED = re.compile(rf"\bthere\b(?! {_AUX}\b)", re.IGNORECASE)


def _about_what_was_told(text: str) -> str:
    """“I read about Ulm. Where is it?”: where is Ulm; empty where it is not clear what is meant.

    Clear is one name, the one that the text begins with, or the one that is in the other.
    """
    found = None if _BEGINS.match(text) else _LATER.match(text.strip())
    if found is None or _of_told(found["told"].strip(), found["tail"].strip()):
        return ""
    tail = without_talk(LINK.sub("", found["tail"].strip()))
    if _OF_IT.fullmatch(tail):  # a man stood on the Moon; who was he?
        return ""
    ordered = _ORDERED.match(tail) or unwrapped(tail) != tail
    if not ("?" in found["end"] or set(found["mark"]) & set(".!?;") or ordered):
        return ""
    tail = _unwrapped(tail) if not _QUESTION.match(tail) else tail
    if turned := _INVERTED.match(tail):
        tail = f"{turned['asked']} {turned['aux']} {turned['who']}{turned['rest'] or ''}"
    whole = not set(found["mark"]) & set(".!?") and _is_phrase(found["told"])
    whole = whole and not _OURSELVES.search(found["told"])
    whole = whole and not _PAST.search(re.split(r"\b(?:who|that|which)\b", found["told"])[0])
    name = _one_name(found["told"], whole=whole)
    if sought := _OF_WHOM.match(tail):
        tail = f"what is {sought['of']}"
    if not name or not _QUESTION.match(tail):
        return ""
    if _PLACED.search(tail):
        return _PLACED.sub(f"in {name}", tail)
    if (noun := _THAT.search(tail)) and re.search(rf"\ban? (?:\w+ )?{noun[1]}\b", found["told"]):
        return ""  # a tower stood in Ulm: that tower
    owner = f"{name}'" if name.endswith("s") else f"{name}'s"
    asked = _STANDS.sub(name, _OWNED.sub(owner, tail, count=1), count=1)
    return asked if asked != tail else ""


def _one_name(told: str, *, whole: bool) -> str:
    """The one name of what was told, or the one that it begins with; empty: it is not clear.

    `whole`: nothing but a name was told, and a little before it.
    """
    if whole and not told.islower():
        words = told.split()
        while words and words[0].lower() in _NO_NAME:
            del words[0]
        if words and words[0][:1].isupper():
            return " ".join(words) if len(words) <= _LONG_NAME else ""
    names: list[tuple[int, str]] = []
    for found in _NAME.finditer(told):
        words = found[0].split()
        small = 0
        while small < len(words) and words[small].lower().replace("’", "'") in _NO_NAME:
            small += 1
        if names and _PLACE_OF.fullmatch(told, names[-1][0] + len(names[-1][1]), found.start()):
            continue  # the Red Tower in Ulm
        follows = re.match(r"\W*(\w+)", told[found.end() :])
        fronted = len(words) == 1 and follows and follows[1].lower() in {"i", "we", "my", "our"}
        if small < len(words) and not (found.start() == 0 and fronted):
            name = " ".join(words[small:])
            names.append((found.end() - len(name), name))
    if not names and told.islower():  # “so einstein, when …”
        words = told.split()
        while words and (words[0] in _NO_NAME or words[0] in _TALK):
            del words[0]
        short = len(words) <= _SHORT and not re.search(rf"\b{_AUX}\b|[.!?,]", " ".join(words))
        return " ".join(words) if short else ""
    known = {name for _, name in names}
    first = bool(names) and not told[: names[0][0]].lower().removeprefix("the ").strip()
    return names[0][1] if len(known) == 1 or first else ""


# -- a question that what goes before only leads up to -----------------------------------------

_MARK = re.compile(rf"(?P<mark>[,;:.?!…]+|\s[–—-])\s+(?P<link>{_LINKS})?")
_ASKED_SO = re.compile(rf"(?:(?:{_PREPOSED} )?(?:{_ASKING}|{_WHO}|how)|{_AUX})\b", re.IGNORECASE)
_OURSELVES = re.compile(rf"{SELF}|\b(?:[Mm]y|me|[Ww]e|us|[Oo]ur|[Yy]ou|[Yy]our)\b")
_MEANT_BEFORE = re.compile(
    r"\b(?:it|its|he|she|they|him|them|her|his|their|there|that|this|those|these|one|ones)\b", re.I
)


def _led_up_to(text: str) -> str:
    """“It's for a quiz I write: who sang in Ulm?”: who sang in Ulm; empty where more was told.

    What goes before is left out if it names nothing, speaks of who asks, or is a sentence of its
    own, and if nothing in the question points back to it.
    """
    if _BEGINS.match(text) and not re.match(r"(?:tell|show|give) (?:me|us)\b", text, re.IGNORECASE):
        return ""
    for found in _MARK.finditer(text):
        told, tail = text[: found.start()], text[found.end() :].rstrip("?!. ")
        if not _ASKED_SO.match(tail) or _MEANT_BEFORE.search(tail) or _MARK.search(tail):
            continue
        named = re.search(r"[A-Z]|\d", tail[1:]) is not None
        about_us = _OURSELVES.search(told) is not None
        apart = found["mark"] != "," and named
        plain = not re.search(r"[A-Z]|\d", told[1:].replace(" I", " i"))
        if (apart or about_us or found["link"]) and (plain or named) and len(tail.split()) > 2:
            return tail
    return ""


# -- what is asked for stands last -----------------------------------------------------------

_BY_AUX = re.compile(
    rf"(?P<who>.+)\s(?P<aux>{_AUX})(?P<mid>(?:\s(?!which\b|what\b|who\b)\S+)*?)\s"
    rf"(?P<asked>{_ASKING}(?: (?!{_AUX}\b)\S+)+|how many|{_WHO})$",
    re.IGNORECASE,
)
_BY_VERB = re.compile(
    rf"(?P<who>(?!{_AUX}\b)\S.*?)(?:\s(?P<prep>in|on|at|by|from|to|for|of|with|into|round|around|"
    r"through|during|under|over|between|after))?"
    rf"\s(?P<asked>{_ASKING}(?: (?!{_AUX}\b)\S+)+|whom?|what|where)$",
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
_SHORT = 3  # words of what is asked for in a text that has no question mark
_PAST = re.compile(
    r"\b(?:[a-z]{2,}ed|went|came|wrote|made|built|won|led|fought|gave|took|got|ran|rose|began|sang|"
    r"drew|held|met|fell|split|became)\b"
)


def _asked_last(text: str, *, marked: bool) -> str:
    """`marked`: as a question; what claims something may end in “… in which many died”."""
    if found := _BY_AUX.match(text):
        who, aux, mid, asked = (found[g].strip() for g in ("who", "aux", "mid", "asked"))
        if re.search(rf"\b(?:{_ASKING}|whom?)$", who):
            return ""
        if aux.lower() in {"has", "have", "had"} and mid in {"", "got"}:
            return f"{asked} {'did' if aux.lower() == 'had' else 'does'} {who} have"
        return f"{asked} {aux} {who} {mid}".strip()
    found = _BY_VERB.match(text)
    if found and (marked or len(found["asked"].split()) <= _SHORT):
        who, prep, asked = found["who"], found["prep"] or "", found["asked"]
        if " " in who:
            return _turned(asked, who, prep)
    return ""


def _uninflected(clause: str) -> str:
    """Its last word as after “does”: “Ann goes” is “Ann go”."""
    clause = re.sub(r"(?<=[a-z]{2})ies$", "y", clause)
    return re.sub(r"(?<=[a-z]o)es$|(?<=(?:sh|ch|ss|zz))es$|(?<=[a-z][^su])s$", "", clause)


def _blank_last(text: str) -> str:
    found = _BLANK.match(text)
    if found is None or not (found["end"] or not found["mid"]):
        return ""
    who, aux, mid, end = found["who"], found["aux"], found["mid"] or "", found["end"] or ""
    asked = "who" if end == "by" else "what"
    return f"{asked} {aux} {who}{mid} {end}".strip()


@lru_cache(maxsize=1_000)
def asked_first(text: str) -> str:
    """The question with what it asks for at its beginning.

    “Ann lives in which town”: “which town does Ann live in”. Empty where it stands there already,
    or is not seen.
    """
    if len(text) > _LONGEST:
        return ""
    marked = text.rstrip().endswith("?")
    if (direct := unwrapped(text.strip())) != text.strip():
        return asked_first(direct) or direct
    text = re.sub(r"(?:\s*(?:\.\.\.|…))+$", "", text.strip().rstrip("?!. ")).strip()
    text = re.sub(r"(?<=\w)['’]s got\b", " has", text)
    if _BEGINS.match(text):
        return ""
    if found := _THIS.search(text):
        text = f"{text[: found.start()]}{found['prep']} which {found['noun']}"
    if found := _TOLD.match(text):
        return _of_told(found["told"].strip(), found["tail"].strip())
    return _asked_last(text, marked=marked) or _blank_last(text)
