"""What speaks against an answer: words left unread, the wrong kind of value, what no graph says."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache

from kgqa_core.facts import relations
from kgqa_core.facts.completeness import stated
from kgqa_core.facts.terms import BOOLEAN, TIMES
from kgqa_core.methods.react import SetView
from kgqa_core.reader import plan as p
from kgqa_core.reader.acting import Found, View, kinds_of
from kgqa_core.reader.classes import BUT_NONE
from kgqa_core.reader.grammar import AUX, BE, CONTENTLESS, DEADLY, DO, FILLER, PREPOSITIONS, WH
from kgqa_core.reader.lexicon import Lexicon, lexicon, word_list
from kgqa_core.reader.plan import Plan, parts
from kgqa_core.reader.rewording import core, direct, plain
from kgqa_core.reader.views import Need
from kgqa_core.reader.words import NONE, NUMBER_WORDS, ORDINALS, tokenise
from kgqa_core.text import fold, singular, stem, stems

_KINDS = frozenset(("kind", "sort", "type"))
_ENGLISH = "The built-in reader reads English questions only. Ask in English, or connect a model."
_SCOPE = (
    "The built-in reader looks facts up, compares and counts; it cannot answer questions for "
    "reasons, advice or opinions. Connect a language model for those."
)
_EMPTY_STEMS = {stem(w) for w in CONTENTLESS | FILLER}
_OPINION = word_list("of opinions")
_FOREIGN, _ARTICLES = word_list("of other languages"), word_list("articles of other languages")


_ORDERS = frozenset({p.Nth, p.Compare, p.Between})
_AMOUNTS = _ORDERS | {p.Limit, p.Against}
_ORDERING = frozenset(  # what an order among things stands for
    "larg big high great small low large highest largest longer taller length size".split()
).union(map(stem, "last latest recent first earliest final longest earlier later sooner".split()))
_COMPARING = frozenset("more less fewer most least fewest".split())
_WEIGHTY: dict[str, frozenset[type]] = {  # words that some part of the plan must stand for
    **dict.fromkeys("first last second third latest earliest".split(), _ORDERS),
    **dict.fromkeys(_COMPARING, _AMOUNTS | {p.Is}),
    **dict.fromkeys(("before", "after"), _ORDERS | {p.Limit, p.Age, p.Neighbour, p.Alive}),
    **dict.fromkeys("old young new".split(), _ORDERS | {p.Age, p.Measure}),
    **dict.fromkeys(
        "together combined altogether average different only single former same".split(),
        frozenset(),
    ),
    **dict.fromkeys(("else", "other", "another"), frozenset({p.Join, p.Nth, p.Count, p.Limit})),
}
_SECOND = re.compile(
    r"[?;]\s+\w+|[a-z]{3}\.\s+(?:who|what|when|where|how|which|is|are|did)\b"
    r"|\b(?:and|but) (?:who|whom|when|where|why|how|what|which)"
    r" (?:is|are|was|were|do|does|did|has|have|can|will|many|much|old|long)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Outcome:
    """A plan that led to values."""

    plan: Plan
    found: Found
    certain: bool


_WAYS = ("cause", "manner", "method", "name", "material", "powered")  # what tells how
_YEAR = re.compile(r"\b\d{4}\b")


def unread(question: str, plan: Plan) -> set[str]:
    """Content words of the question that the plan does not use."""
    left = _asked(question) - _used(plan)
    if {"not", "never", "without"} & {t.low for t in tokenise(plain(question))}:
        negated = any(
            (isinstance(x, p.Join) and x.how == "minus")
            or getattr(x, "negated", False)
            or (isinstance(x, p.Limit) and x.span == NONE)
            for x in parts(plan)
        )
        left |= set() if negated else {"not", "never"} - _used(plan)
    return {w for w in left if w in {"not", "never"} or w not in _EMPTY_STEMS}


def undated(question: str, plan: Plan) -> bool:
    """Whether a year of the question has no part in the plan: of 1985 is not of any time."""
    return bool(set(_YEAR.findall(plain(question))) - set(_YEAR.findall(repr(plan))))


def of_another_year(question: str, plan: Plan, view: View) -> bool:
    """Whether nothing tells that what is named is from the year it is told apart by: a film."""
    years = set(_YEAR.findall(question)) - set(_YEAR.findall(plain(question)))
    told = ""
    for a in p.anchors(plan) if years else ():
        with suppress(Need):
            named = view.anchor(a.text, a.noun)
            about = [m.description for m in named.things] if named else []
            dates = [e for use in named.uses for e in use.examples] if named else []
            told += " ".join((*about, *dates))
    return not years <= set(_YEAR.findall(f"{told} {plan}"))


def unweighed(question: str, plan: Plan, lex: Lexicon) -> bool:
    """Whether a small word that changes the meaning has no part in the plan.

    "the *old* stadium", "the *only* son", or a second question in the same sentence.
    """
    tokens = tokenise(plain(question))
    if _SECOND.search(core(question)):
        return True
    said: set[str] = set()
    for part in parts(plan):
        noun = part.noun.split() if isinstance(part, p.Anchor) else []
        if noun and lex.class_of(noun[-1]) is None:
            return True  # the “andean” region: what nobody knows as a kind of thing
        for name in ("text", "noun", "phrase", "by", "adjective", "heard", "prep"):
            said |= set(re.findall(r"\w+", fold(str(getattr(part, name, "")))))
    said -= _COMPARING  # that a phrase has the word is no comparison
    kinds = {type(part) for part in parts(plan)}
    timed = any(getattr(part, "want", "") == "time" for part in parts(plan))
    for n, t in enumerate(tokens):
        if t.name or t.span or t.low in said or t.low not in _WEIGHTY:
            continue
        if (n and tokens[n - 1].low == "how") or (t.low == "first" and timed):
            continue
        if not _WEIGHTY[t.low] & kinds:
            return True
    return False


@lru_cache(maxsize=1_000)
def _asked(question: str) -> frozenset[str]:
    """The stems of the question's content words, and its times."""
    asked = {
        stem(w)
        for t in tokenise(plain(question))
        if t.span is None
        for w in re.findall(r"\w+", fold(f"{t.text} "))  # one word, also with capitals inside
        if w not in CONTENTLESS and not w.isdigit()
    }
    for t in tokenise(plain(question)):
        if t.span is not None:
            asked |= set(re.findall(r"\w+", t.span.value))
    return frozenset(asked)


@lru_cache(maxsize=10_000)
def _used(plan: Plan) -> frozenset[str]:
    """The stems of the words that a plan stands for."""
    used: set[str] = set()
    for part in parts(plan):
        for name in ("text", "noun", "phrase", "by", "adjective", "prep", "heard", "unit"):
            value = getattr(part, name, "")
            if isinstance(value, str):
                used |= {stem(w) for w in re.findall(r"\w+", fold(f"{value} "))}
        if isinstance(part, p.Nth):
            used |= {stem(w) for w, n in ORDINALS.items() if n == part.position}
        if getattr(part, "by", "") == "death toll":
            used |= DEADLY
        for name in ("when", "span"):
            span = getattr(part, name, None)
            if span is not None:
                used |= set(re.findall(r"\w+", f"{span.value} {span.until}"))
    if any(isinstance(x, p.Nth | p.Compare) for x in parts(plan)):
        used |= _ORDERING
    if any(isinstance(x, p.Hop) and x.want == "place" for x in parts(plan)):
        used |= {stem(w) for w in "lie locate situate".split()}
    return frozenset(used)


def wanting(question: str, outcome: Outcome) -> bool:
    """Whether the answer speaks of all of something of which the graph may give only a part.

    One value is enough for a question in the singular ("which film", "the daughter of") or for a
    place.
    """
    plan, found = outcome.plan, outcome.found
    noun = singular(_asked_for(plan)).split()[-1:]
    heard = [w for w in re.findall(r"\w+", fold(question)) if [singular(w)] == noun]
    many = any(w != singular(w) for w in heard)
    told = relations.about(found.via)
    some = told is not None and told.number == "many" and told.stated != "full"
    alone = many and found.size == 1 and some
    if isinstance(plan, p.Of) and plan.noun == "river" and "between" in question.split():
        return True  # one that is in both need not lie between them
    if alone or found.missing in {"now", "source"}:  # of several that are asked for, one
        return True
    if not found.missing or (isinstance(plan, p.Hop) and plan.want == "place"):
        return False
    if many or isinstance(plan, p.Count | p.Nth | p.Compare):
        return True
    loosely = _KINDS & set(fold(question).split())  # what kind of music: one of them will do
    mostly_one = told is not None and told.number == "mostly one"
    if found.size > 1 and (mostly_one or stated(found.via) == "partial") and not loosely:
        return True  # one was asked for, and some are given: it may be one that is not there
    return not (heard or loosely) and found.missing != "several"


def counted_in_part(outcome: Outcome, lex: Lexicon) -> str:
    """Why a number is not told: of such things graphs have some, and nothing says these are all.

    Places within a place, as the states of a country, and what somebody was awarded.
    """
    plan, found = outcome.plan, outcome.found
    if not isinstance(plan, p.Count) or found.missing not in {"class", "set"}:
        return ""
    told = relations.about(found.via)
    some = told is not None and told.number == "some" and told.stated == "partial"
    some = some and not relations.symmetric(found.via)
    if not (some or _lies_within(plan.source, lex)):
        return ""
    return (
        f"What was read lists {found.members[0].name}, and nothing says that these are all: "
        "it does not tell how many there are."
    )


def added_in_part(outcome: Outcome, sets: Sequence[SetView]) -> str:
    """Why a sum or an average is not told: it is of those alone that were read."""
    reckoned = isinstance(outcome.plan, p.Nth) and outcome.plan.order in {"average", "sum"}
    own = next((one for one in sets if one.name == outcome.found.name), None)
    if not reckoned or own is None or not own.doubtful:
        return ""
    return "There are more of them than were read: what all of them come to is not known."


def _lies_within(plan: Plan, lex: Lexicon) -> bool:
    match plan.source if isinstance(plan, p.Of) else plan:
        case p.Hop(phrase=noun, form="role") | p.Where(source=p.Kind(noun=noun)):
            known = lex.class_of(singular(noun).split()[-1])
            return known is not None and known.what == "place" and known.labels[0] != "country"
    return False


def _asked_for(plan: Plan) -> str:
    """What a question for values calls them; empty when it does not, or asks for something else."""
    match plan:
        case p.Kind() | p.Of():
            return plan.noun
        case p.Hop():
            return plan.phrase if plan.form == "role" else plan.noun
        case p.From() | p.Where() | p.Limit() | p.Named():
            return _asked_for(plan.source)
        case p.Join() if plan.how != "union":
            return _asked_for(plan.left)
    return ""


def answers(question: str, found: Found) -> bool:
    """Whether the values are of the kind the question word asks for."""
    low = [t.low for t in tokenise(plain(question))][:3]
    if low and low[0] in PREPOSITIONS:
        low = low[1:]
    asked = " ".join(low[:2])
    literals, times = found.literals, found.times
    truths = [m for m in literals if m.datatype == BOOLEAN]
    if low[:1] == ["where"]:
        if not found.back and lexicon().kinds.get(found.via) == "place":
            return not times and not truths
        kinds = {e.casefold() for u in found.uses if relations.belongs(u.relation, "class")
                 and u.direction == "out" for e in u.examples}  # fmt: skip
        return not times and not truths and kinds != {"human"}
    if low[:1] == ["when"] or asked in {"what year", "which year", "what date", "which date"}:
        return len(literals) == len(found.members)
    if low[:1] in (["who"], ["whom"]):
        return not literals
    named = {"called", "named"} & set(low)
    if low[:1] == ["how"] and low[1:2] and low[1] in AUX and not named:  # how is not when or where
        return not times and (bool(literals) or any(w in found.via for w in _WAYS))
    if low[:1] == ["what"] and low[1:2] and low[1] in DO and times:
        return False  # what somebody died of is no date
    if low[:1] in (["what"], ["which"]) and len(low) > 1 and _dated(low[1], found, lexicon()):
        return False
    if asked in {"how many", "how much", "how old", "how tall", "how high", "how long"}:
        return len(literals) == len(found.members) and not times
    choice = any(t.low == "or" and not t.name for t in tokenise(plain(question)))
    return not (low[:1] and low[0] in AUX) or choice or len(truths) == len(found.members)


def _dated(noun: str, found: Found, lex: Lexicon) -> bool:
    """Whether there are dates where things of a kind are asked for: which company, 2011."""
    known = lex.class_of(noun)
    return bool(found.times) and known is not None and known.what != "time"


_LISTING = re.compile(
    r"(?:(?:name|names|list|give|show)\b.*|(?:what|which) (?:are|were)) ", re.IGNORECASE
)
_ANY_KIND = frozenset("name thing kind sort type one other word term title".split())


def of_kind(question: str, found: Found, said: frozenset[str], lex: Lexicon) -> bool:
    """Whether what the values are fits what the question calls them: “which *alphabet* …”.

    `said`: the names of the relation that led to them: a currency need not be said to be one.
    """
    things, noun = found.things, _kind_asked(question, lex)
    if not noun:
        return True
    if not things:  # a date is no university, a formula no element
        coded = not any(stems(noun)[-1] in stems(text) for text in said) and any(
            re.search(r"[A-Za-z]\d", m.value) for m in found.literals if m.datatype not in TIMES
        )
        known = lex.class_of(noun) if found.times or coded else None
        return known is None or known.what == "time"
    if noun == "who":
        return somebody(question, found, lex)
    known = lex.class_of(noun)
    meant = {e for entry in lex.find(stems(noun), "noun") for way in entry.relations for e in way}
    root = stems(noun)[-1]
    named = bool(said & meant) or any(root in stems(text) for text in said)
    if known is None and named:
        return True  # what they are need not be looked at
    labels = {noun, *(fold(label) for label in (known.labels if known else ()))}
    kinds = kinds_of(found)
    if labels & set(kinds) or any(root in stems(re.sub(rf"{BUT_NONE}.*", "", k)) for k in kinds):
        return True
    if known is not None and kinds:
        return known.what == "person" and not _are_works(kinds, lex)
    texts = [text for m in things for text in (m.name, m.description)]
    told = named or any(root in stems(text) for text in texts)
    return told or (known is not None and not all(m.description for m in things))


_MANY = re.compile(
    r"(?:who|what|which|name|list)\b.*\b(?:the|[’']s|what|which|name|all) "
    r"(?P<many>two|three|four|five|six|seven|eight|nine|ten) (?!most\b|\w+est\b)"
    r"(?:\w+ ){0,2}\w+s\b",
    re.IGNORECASE,
)


def as_many(question: str, found: Found) -> bool:
    """Whether the things are as many as the question says there are: the *four* members of …"""
    said = _MANY.match(core(question))
    many = NUMBER_WORDS[said["many"].lower()] if said else found.size
    return found.size == many or bool(found.literals)


def somebody(question: str, found: Found, lex: Lexicon) -> bool:
    """Whether who asks for somebody does not get works: “who is the singer of …”, its albums."""
    if _kind_asked(question, lex) != "who":
        return True
    if found.back and relations.belongs(found.via, "maker"):
        return False  # what somebody made
    if not found.back and lex.kinds.get(found.via) == "person":
        return True  # whom it leads to need not be looked at
    return not _are_works(kinds_of(found), lex)


def _are_works(kinds: Sequence[str], lex: Lexicon) -> bool:
    return {known.what for k in kinds if (known := lex.class_of(k)) is not None} == {"work"}


def sorted_otherwise(question: str, plan: Plan, found: Found, lex: Lexicon) -> bool:
    """Whether what the question asks for was read as something else, and is not what was found.

    Where a reading speaks of the kind itself, it has sorted the values by it already.
    """
    noun = _kind_asked(question, lex)
    nouns = {singular(fold(getattr(part, "noun", "") or "")) for part in parts(plan)}
    hops = (part for part in parts(plan) if isinstance(part, p.Hop) and part.form == "role")
    roles = {singular(part.phrase) for part in hops}
    role = noun in roles and lex.class_of(noun) is None
    recorded = any(getattr(part, "phrase", "") == p.RECORD for part in parts(plan))
    if noun == "who" or role or recorded or any(noun in n for n in nouns):
        return not somebody(question, found, lex)
    return not of_kind(question, found, frozenset((found.via,)), lex)


def _kind_asked(question: str, lex: Lexicon) -> str:
    """The noun a question has for what it asks for; “who” for somebody; empty without one."""
    low = [t.low for t in tokenise(core(question))]
    if low[:1] and low[0] in PREPOSITIONS:
        low = low[1:]
    if low[:1] in (["who"], ["whom"]):
        return "who"
    if {"somebody", "someone"} & set(low[:2]):
        return ""
    role = lex.class_of(singular(low[low.index("of") - 1])) if "of" in low[1:4] else None
    if role and role.what == "person" and low[0] not in WH | AUX:
        return "who"  # drummer of the Beatles
    if _LISTING.match(question):  # what are the X books
        nouns = (w for w in low if singular(w) != w)
        many = (w for w in nouns if lex.class_of(singular(w)) or lex.is_noun(singular(w)))
        return singular(next(many, ""))
    if low[:1] == ["what"] and low[1:2] and low[1] in BE and low[2:3] == ["the"]:
        top, noun = (*low[3:5], "", "")[:2]  # what is the highest court
        return singular(noun) if top in lex.superlatives and noun not in _ANY_KIND else ""
    if low[1:2] and low[1] in NUMBER_WORDS:  # which two towns
        del low[1]
    if low[:1] not in (["what"], ["which"]) or low[1:2] == []:
        return ""
    if low[1] in AUX | PREPOSITIONS | {"else"} or lex.is_verb(low[1]):
        return ""
    ends = (n for n, w in enumerate(low) if n and (w in AUX | PREPOSITIONS or lex.is_verb(w)))
    end = next(ends, 2)
    words = [singular(" ".join(low[1:k])) for k in range(max(2, end), 1, -1)]
    known = [w for w in words if lex.class_of(w) is not None or lex.is_noun(w)]
    noun = next(iter(known), words[0] if len(words) == 1 else "")
    return "" if noun in _ANY_KIND else noun


def itself(plan: Plan, found: Found, view: View) -> bool:
    """Whether what the question names is in the answer, though it asks for another thing."""
    for part in parts(plan):
        if isinstance(part, p.Compare | p.Named):
            return False
        if isinstance(part, p.Join) and part.how != "intersection":
            return False
    if not isinstance(plan, p.Hop | p.Of | p.Where | p.Limit):
        return False
    naming = {x.phrase for x in parts(plan) if isinstance(x, p.Hop)} & p.NAMING
    if naming or (isinstance(plan, p.Hop) and plan.phrase == "description"):
        return False  # by another of its names
    for a in p.anchors(plan):
        with suppress(Need):
            named = view.anchor(a.text, a.noun)
            if named is not None and set(found.members) & set(named.members):
                return True
    return False


_FUTURE = "A graph records what is and was, not what will be. Ask about the present or the past."
_WILL = re.compile(
    r"^(?:will|(?:who|what|when|where|which(?: \w+){1,3}|how \w+(?: \w+){0,2}) will)\b",
    re.IGNORECASE,
)


CONJECTURE = (
    "This asks what could or would be so, which facts alone do not say. The method R3 reasons "
    "about such questions."
)
_BEST = re.compile(  # what is called so: no opinion
    r"\bbest(?=[ -](?:friend|known|man|seller|selling)s?\b)", re.IGNORECASE
)
_AWARD = re.compile(
    r"\b(?:win|wins|won|winner|winning|awards?|oscars?|prize|nominat\w+)\b", re.IGNORECASE
)
_BEST_OF = re.compile(r"\bbest(?= (?:picture|actor|actress|director|song)s?\b)", re.IGNORECASE)
_WHY = re.compile(r"why(?: |$)|how do i|how can i|how to|should i|how should|how come")
_ADVICE = re.compile(r"do you think|your opinion")
_MIGHT = re.compile(r"^(?:would|could|might|should|may|must)\b", re.IGNORECASE)


def conjecture(question: str) -> str:
    """Why facts alone do not tell: the question is for what could or would be so."""
    return CONJECTURE if _MIGHT.match(core(question)) else ""


def beyond(question: str) -> str:
    """Why the reader does not even try: another language, or no question for facts."""
    letters = [c for c in question if c.isalpha()]
    if letters and sum(c.isascii() for c in letters) < 0.6 * len(letters):
        return _ENGLISH
    low = re.findall(r"[\w'-]+", question.casefold())
    foreign = bool(low) and low[0] in _FOREIGN | _ARTICLES
    if foreign and low[0] in _ARTICLES:  # “las Vegas” is English
        foreign = bool(set(low[1:]) & (_FOREIGN | _ARTICLES))
    if foreign and not set(low) & {"the", "of", "is", "who", "what", "was"}:
        return _ENGLISH
    if _WILL.match(core(question)):
        return _FUTURE
    start = " ".join(low[:3])
    judged = _BEST.sub("", direct(question))
    if _AWARD.search(question):
        judged = _BEST_OF.sub("", judged)
    judges = any(t.low in _OPINION and not t.cap for t in tokenise(judged))
    return _SCOPE if judges or _ADVICE.search(question.casefold()) or _WHY.match(start) else ""
