"""Which of ReAct's actions a question may need, by its words: those that its prompts explain.

Ranking, grouping and reckoning take a third of what there is to explain, and most questions need
none of it; of reckoning, few need arithmetic or dates. What is not explained can be asked for; a
question in words that are not known here, as one in another language, may need all.
"""

from __future__ import annotations

import re

RANKING, RECKONING = frozenset({"rank", "group"}), frozenset({"compute"})
SECOND = frozenset(
    {"per", "less"}
)  # a relation that another one's values are divided by, or less of
ARITHMETIC = frozenset("sum average difference quotient product".split())
DATING = frozenset("years_between days_between years_later year_of".split())
SINCE = frozenset({"what began"})  # of what a field `at` may be

_KNOWN = re.compile(r"\b(?:who|whom|whose|what|which|where|when|why|how|of|by|in|list|name)\b")
_TOGETHER = (  # of several things
    "and|or|nor|both|either|neither|same|common|shared?|each|every|all|several|per|than|between|"
    "together|else|others?|well as|more|fewer|less|older|younger"
)
_ORDER = re.compile(
    r"\b(?:or|same|common|shared?|each|several|per|together|more|fewer|less|older|"
    r"younger|(?!\w*(?:forest|everest|west|priest|interest|guest|contest|arrest)\b)\w{3,}est|"
    r"most|least|best|worst|top|record|first|second|third|fourth|fifth|sixth|tenth|\d+(?:st|nd|rd|th)|"
    r"last|final|original|number)\b"
)
_AMOUNT = re.compile(
    rf"\d|\b(?:{_TOGETHER}|how (?:many|much|old|long|often|far)|numbers?|counts?|totals?|sums?|"
    r"averages?|combined|differ\w*|ratio|density|percentage|half|twice|times|years?|days?|months?|"
    r"ages?|ago|not|no|without|but|except|while|before|after|since|until|still|ever)\b"
)
_YEAR = r"(?:the (?:years? )?)?(?:1\d|20)\d\d"
_CHOSEN = re.compile(  # what is asked for, or told apart by: nothing to reckon with
    r"\b(?:(?:in |on |by )?(?:what|which) (?:year|month|day|date|decade|century)(?! and\b)|"
    r"(?:named|called) after|after (?:whom?|which|what)(?= is| was| are| were)|"
    rf"(?:(?:before|after|since|until|till|during|prior to|from|in|by|of) )?{_YEAR})\b"
)
_POLAR = re.compile(
    r"^(?:is|are|was|were|am|do|does|did|has|have|had|can|could|will|would|shall|should|may|might|"
    r"must|true|false)\b"
)
_NUMBER = re.compile(
    r"\d|\bhow (?:many|much|long|far)\b.*\b(?:and|or|more|fewer|less)\b|"
    r"\b(?:numbers?|totals?|sums?|averages?|mean|combined|together|altogether|all|differ\w*|ratios?|rates?|density|percent\w*|shares?|proportion|half|"
    r"twice|double|times|than|per|every|each|without|except|but|plus|minus|ages?|old\w*|young\w*|"
    r"years?|months?|days?|between)\b"
)
_TIME = re.compile(
    r"\d|\b(?:how (?:old|long)|years?|months?|weeks?|days?|decades?|centur\w+|dates?|times?|"
    r"ages?|aged|"
    r"old\w*|young\w*|ago|before|after|since|until|while|during|between|"
    r"long\w*|short\w*|anniversar\w+|birthdays?|lifetimes?)\b"
)


def needless(question: str, named: int = 1) -> frozenset[str]:
    """The actions that nothing in a question asks for that names so many things; and of reckoning,
    the operations and fields."""
    asked = " ".join(question.casefold().split())
    text = _CHOSEN.sub(" when ", asked)
    polar = _POLAR.match(text)
    if not polar and not _KNOWN.search(text):
        return frozenset()
    unsaid = set() if _ORDER.search(text) else {*RANKING}
    if not _NUMBER.search(text):
        unsaid |= SECOND
    if not _TIME.search(asked):
        unsaid |= SINCE
    if not (named > 1 or polar or _AMOUNT.search(text)):
        return frozenset(unsaid | RECKONING)
    if not _NUMBER.search(text):
        unsaid |= ARITHMETIC
    if not _TIME.search(text):
        unsaid |= DATING
    return frozenset(unsaid)
