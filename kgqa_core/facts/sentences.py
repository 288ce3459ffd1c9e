"""Statements as sentences, for people: “The capital of Australia is Canberra.”

`verbalise.statement` is for lists, prompts and indexes; what is told as an answer, as a verdict or
as why is told in these.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kgqa_core.facts import verbalise
from kgqa_core.facts.common import SOURCE, common
from kgqa_core.facts.terms import Statement
from kgqa_core.text import enumerated, plural, singular, third_person

# What is said between a thing and a value, where no rule below puts it well.
_SAID = {
    "subclass of": "is a kind of",
    "part of": "is part of",
    "member of": "is a member of",
    "capital of": "is the capital of",
    "owner of": "is the owner of",
    "student of": "was a student of",
    "educated at": "was educated at",
    "convicted of": "was convicted of",
    "founded by": "was founded by",
    "killed by": "was killed by",
    "participant in": "took part in",
    "member of political party": "is a member of the party",
    "member of sports team": "is or was in the team",
    "located in the administrative territorial entity": "is located in",
    "located in time zone": "is in the time zone",
    "located in/on physical feature": "is located in or on",
    "located in or next to body of water": "is located in or next to",
    "contains the administrative territorial entity": "contains",
    "made from material": "is made from",
    "present in work": "is in the work",
    "lyrics by": "has lyrics by",
    "description": "is described as",
    "described as": "is described as",
    "label": "is called",
    "eaten": "is eaten",
}
_VERBS = frozenset(
    "shares follows replaces has contains connects depicts crosses uses applies carries needs eats "
    "works grows".split()
)
_BEFORE = frozenset("in on at by from to with".split())  # a value
_JOINING = _BEFORE | frozenset("of for after as".split())
_AFTER_NOUN = frozenset("of for in received held worked or".split())
_BODY = frozenset("legs sides corners wheels strings fingers eyes hearts teeth".split())
_OF_MANY = {"is": "are", "was": "were", "has": "have", "carries": "carry", "applies": "apply"}
_OF_MANY |= {"crosses": "cross", "took": "took"}
_WITH_THE = re.compile(
    r"(?:United |.*(?: Republic| Empire| Islands| Kingdom| Union| Ocean| Sea| Alps)$)"
    r"|(?:Netherlands|Philippines|Bahamas|Maldives|Alps|Andes|Himalayas)$"
)


def sentence(s: Statement) -> str:
    """`The spouse of Totti is Ilary Blasi (start time: 19 June 2005).`"""
    return ended(clause(s))


def clause(s: Statement) -> str:
    """The same within a sentence: `the spouse of Totti is Ilary Blasi (…)`."""
    who, many = verbalise.name(s.subject), False
    if several := common().several(who):
        many = s.source == SOURCE or several == who
        who = several if many else f"{_article(who)} {who}"
    value = verbalise.value(s.object, s.relation)
    return stated(who, s.relation.name, [value], many=many) + verbalise.qualified(s)


def verdict(truth: bool, facts: Sequence[Statement], most: int) -> str:
    """`No: The country of Ulm is Germany; Ulm is a city (and 2 more).`

    A yes is told by the last two facts, where a way ends.
    """
    word = "Yes" if truth else "No"
    facts = facts[-2:] if truth and len(facts) > 2 else facts
    told = _capital("; ".join(map(clause, facts[:most])))
    more = f" (and {len(facts) - most} more)" if len(facts) > most else ""
    return stopped(f"{word}: {told}{more}" if told else word)


def ended(text: str) -> str:
    """With a capital and a stop."""
    return stopped(_capital(text))


def _capital(text: str) -> str:
    first = text.partition(" ")[0]
    own = first != first.lower()  # eBay is spelt in its own way
    return text if own else text[:1].upper() + text[1:]


def stopped(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


def stated(who: str, relation: str, values: Sequence[str], *, many: bool = False) -> str:
    """One thing and all its values: `the cast members of Alien are A, B and C`.

    `many`: `who` are several (penguins).
    """
    words = relation.replace("_", " ").split() or ["relation"]
    value, label = enumerated(values), " ".join(words)
    who = f"the {who}" if _WITH_THE.match(who) else who
    is_or_are = "are" if len(values) > 1 else "is"
    if label in ("instance of", "is a"):
        return f"{who} {'are' if many else f'is {_article(value)}'} {value}"
    if label == "does":
        does = [re.sub(r"^be\b", "are", v) if many else third_person(v) for v in values]
        return f"{who} {enumerated(does)}"
    if label in _BODY and value.isdigit():
        return f"{who} {_verb('has', many)} {value} {singular(label) if value == '1' else label}"
    if label.endswith(" part(s)"):
        return f"{'parts' if len(values) > 1 else 'a part'} of {who} {is_or_are} {value}"
    if value in ("yes", "no", "true", "false"):
        return f"“{label}” is {value} for {who}"
    words[-1] = words[-1].removesuffix("(s)")  # crew member(s)
    if said := _SAID.get(label) or _joined(words):
        verb, _, rest = said.partition(" ")
        return " ".join(filter(None, (who, _verb(verb, many), rest, value)))
    of = "by" if words[-1] in ("held", "received") else "of"
    noun = _several(words) if len(values) > 1 else " ".join(words)
    return f"the {noun} {of} {who} {is_or_are} {value}"


def _joined(words: Sequence[str]) -> str:
    """A relation that is a verb, or what is said after one: `shares border with`, `owned by`."""
    own_verb = len(words) == 2 and re.fullmatch(r"[a-z]+[^s\W]s", words[0])  # lives in, plays for
    if words[0] in _VERBS or (own_verb and words[1] in _JOINING | {"into"} - {"of"}):
        return " ".join(words)
    if words[-1] in _JOINING or words[0] in _BEFORE:
        return f"is {' '.join(words)}"
    return ""


def _verb(verb: str, many: bool) -> str:
    return _OF_MANY.get(verb, verb.removesuffix("s")) if many else verb


def _article(noun: str) -> str:
    return "an" if noun[:1].casefold() in {*"aeiou"} else "a"


def _several(words: Sequence[str]) -> str:
    """`cast members`, `countries of citizenship`, `awards received`."""
    after = next((i for i, word in enumerate(words) if i and word in _AFTER_NOUN), len(words))
    noun = words[after - 1]
    several = noun if noun.endswith("s") else plural(noun)
    return " ".join([*words[: after - 1], several, *words[after:]])
