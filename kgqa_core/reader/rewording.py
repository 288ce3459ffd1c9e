"""Wordings of one question brought to the one that is parsed.

Greetings and thanks go, contractions and asides too; what people say in several ways is said in
one. Nothing here knows a graph: each rule is about English alone.
"""

from __future__ import annotations

import re
from functools import lru_cache

from kgqa_core.facts import units
from kgqa_core.methods.asking import begins_as_question, which_of_two
from kgqa_core.methods.letter import asked_first, question_of
from kgqa_core.reader.grammar import AUX, PREPOSITIONS, WH
from kgqa_core.reader.lexicon import READER, word_list
from kgqa_core.reader.words import ORDINALS, compiled, expanded

_LEAD = re.compile(
    r"^(?:(?:hi|hello|hey|please|so|ok|okay|and|but|well|now)[\s,]+)*"
    r"(?:(?:(?:can|could|would|will) you (?:please )?find(?: me| us)?|any idea"
    r"|(?:i am|i['’]m|i was|we are) (?:looking for|interested in)|tell me about"
    r"|(?:what (?:are|were) )?(?:the )?(?:full )?names of(?: all)?(?= (?:the )?\w+s\b)"
    r"|(?:tell|give|show|list|name|find|provide|return|enumerate|mention|get"
    r"|state(?! of\b)|identify|search for|look for|compute|calculate|determine)(?: me| us| out)?)"
    r"(?:[\s,:]+(?:please|if|whether))*[\s,:]+)?",
    re.IGNORECASE,
)

_TRAIL = re.compile(
    r"(?:[\s,]+(?:please|or not|yes or no|thanks|thank you|thx|by any chance|by the way|do you know"
    r"|again|anyway"
    r"|for me|if you know|in your opinion|according to (?:the|this) (?:graph|data)))+[\s?!.]*$",
    re.IGNORECASE,
)


_RELATION_ID = re.compile(r"\bP[1-9]\d*(?= (?:of|for)\b)|(?<=['’]s )P[1-9]\d*\b(?! [A-Z])")
_WORLD = (
    r"\s+(?:(?:in|on|of|around) (?:the )?(?:whole |entire |all the )?(?:world|earth|planet)"
    r"|worldwide|of all time|in (?:all of )?(?:human )?history)(?=[\s,?]|$)"
    r"(?! (?:war|cup|bank|trade|health|series|championships?|heritage|wide|records?|religion)\b)"
)
_OF_EARTH = re.compile(r"\s+of (?:the )?(?:earth|planet)$", re.IGNORECASE)
_OF_ALL = re.compile(r"\b(?:most|least|only|first|all|every|many|\w{2,}est)\b", re.IGNORECASE)
_AROUND = re.compile(r"\b(?:sail|fl[eiy]|travel|trip|voyage|journey)\w*$", re.IGNORECASE)


def _unless_meant(where: re.Match[str]) -> str:
    """Nothing, for what is so all over the world; of Earth something may be asked: its age."""
    before = where.string[: where.start()]
    meant = _OF_EARTH.match(where[0]) and not _OF_ALL.search(before)
    return where[0] if meant or _AROUND.search(before) else ""


_CLAIM = re.compile(
    r"^(?:is(?:n['’]t| not)? it (?:really |actually )?(?:true|correct|right|the case|a fact|so)"
    r"(?: to say)? that |(?:is it )?true or false ?[:,-] ?"
    r"|(?:it is|it['’]s) (?:true|correct) that )"
    r"(?P<said>.+)$",
    re.IGNORECASE,
)
_CLEFT = re.compile(  # was it Ann who did B
    r"^(?:is|was) it (?P<who>(?:the )?(?-i:[A-Z])(?:(?! or )[^,])*?),? "
    r"(?:who|that|which) (?P<did>.+)$",
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
    if found := _CLEFT.match(text):
        return f"{found['who']} {found['did']}"
    for form in (_CLAIM, _TAG):
        if found := form.match(text):
            said = found["said"].strip(' ,?.!"“”')
            return "" if begins_as_question(said) else said
    return ""


@lru_cache(maxsize=1)
def rewordings() -> tuple[tuple[str, ...], ...]:
    """The rows of `assets/reader/rewordings.tsv`; blanks at the ends of a cell count."""
    lines = (READER / "rewordings.tsv").read_text(encoding="utf-8").splitlines()
    return tuple(tuple(line.split("\t")) for line in lines if line and not line.startswith("#"))


_RULERS = word_list("names of rulers")
_ROMAN = ("", *"I II III IV V VI VII VIII IX".split())
_RULER = re.compile(  # and no noun behind it: was Ann the first queen
    rf"\b(?P<name>{'|'.join(sorted(_RULERS))}),? "
    r"(?:the (?P<word>" + "|".join(ORDINALS) + r")|(?:the )?(?P<digits>\d\d?)(?P<nth>st|nd|rd|th)?)"
    rf"(?=['’]s?\b|[^\w\s'’-]|$| (?:{'|'.join(sorted(AUX | PREPOSITIONS | WH))}|born|die[ds]?|"
    r"reign(?:ed|s)?|rule[ds]?|lived?|marr(?:y|ied)|bec[ao]me|executed|crowned|killed|wife|wives|husband|children|"
    r"mother|father|birthday|birthplace|death|daughters?|sons?)\b)",
    re.IGNORECASE,
)


def _numbered(found: re.Match[str]) -> str:
    """“Ann the 8th” as it is written: Ann VIII."""
    number = int(found["digits"] or 0) or ORDINALS[found["word"].lower()]
    tens, ones = divmod(number, 10)
    known = 0 < number < 40 and (found["word"] or found["nth"] or number > 1)
    return f"{found['name']} {'X' * tens}{_ROMAN[ones]}" if known else found[0]


@lru_cache(maxsize=1_000)  # a walk reads the same question at every step
def core(question: str) -> str:
    """The question without greetings, "please tell me" and end marks."""
    text = re.sub(r"(?<=\d),(?=\d{3})", "", question_of(question).rstrip("?!. "))
    text = _RULER.sub(_numbered, _TRAIL.sub("", text) or text)
    lead = _LEAD.match(text)
    return (text[lead.end() :] if lead else "") or text


def direct(question: str) -> str:
    """The question alone, with what it asks for at its beginning; its words as they are."""
    text = core(question)
    return asked_first(text + "?" * question.rstrip().endswith("?")) or text


@lru_cache(maxsize=1_000)
def plain(question: str) -> str:
    """The question in the wording that is parsed."""
    # the P22 of somebody: a relation by its id, no name of somebody's
    question = _RELATION_ID.sub(lambda found: found[0].lower(), question)
    said = claim(question) or which_of_two(core(question)) or direct(question)
    text = which_of_two(text := expanded(said)) or text
    if (asked := units.asked(text)) and asked["unit"]:
        text = f"{text[: asked.start()]}{text[asked.end() :]}".strip(", ")
    for wording, parsed, *_ in rewordings():
        text = compiled(wording).sub(parsed, text)
    return re.sub(_WORLD, _unless_meant, text, flags=re.IGNORECASE)
