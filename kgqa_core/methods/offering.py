"""Which of ReAct's actions a question may need, by its words: those that its prompts explain.

Ranking, grouping and reckoning take a third of what there is to explain, and most questions need
none of it. What is not explained can be asked for; a question in words that are not known here, as
one in another language, may need all.
"""

from __future__ import annotations

import re

RANKING, RECKONING = frozenset({"rank", "group"}), frozenset({"compute"})

_KNOWN = re.compile(r"\b(?:who|whom|whose|what|which|where|when|why|how|of|by|in|list|name)\b")
_TOGETHER = (  # of several things
    "and|or|nor|both|either|neither|same|common|shared?|each|every|all|several|per|than|between|"
    "together|else|others?|well as|more|fewer|less|older|younger"
)
_ORDER = re.compile(
    rf"\b(?:{_TOGETHER}|(?!\w*(?:forest|everest|west|priest|interest|guest|contest|arrest)\b)\w{{3,}}est|"
    r"most|least|best|worst|top|record|first|second|third|fourth|fifth|sixth|tenth|\d+(?:st|nd|rd|th)|"
    r"last|final|original|number)\b"
)
_AMOUNT = re.compile(
    rf"\d|\b(?:{_TOGETHER}|how (?:many|much|old|long|often|far)|numbers?|counts?|totals?|sums?|"
    r"averages?|combined|differ\w*|ratio|density|percentage|half|twice|times|years?|days?|months?|"
    r"ages?|ago|not|no|without|but|except|while|before|after|since|until|still|ever)\b"
)
_POLAR = re.compile(
    r"^(?:is|are|was|were|am|do|does|did|has|have|had|can|could|will|would|shall|should|may|might|"
    r"must|true|false)\b"
)


def needless(question: str, named: int = 1) -> frozenset[str]:
    """The actions that nothing in a question asks for that names so many things."""
    text = " ".join(question.casefold().split())
    if not _KNOWN.search(text):
        return frozenset()
    ranked = _ORDER.search(text)
    reckoned = named > 1 or _POLAR.match(text) or _AMOUNT.search(text)
    return (frozenset() if ranked else RANKING) | (frozenset() if reckoned else RECKONING)
