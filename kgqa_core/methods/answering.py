"""From a reply to an Answer: citations, values as graph terms, normal forms (KGIR §3.7)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence, Sized
from decimal import Decimal
from typing import Any
from typing import Literal as OneOf

from pydantic import Field

from kgqa_core.ask import bounds, events, shown, skills
from kgqa_core.ask.events import Answer, Sentence, Support
from kgqa_core.ask.listed import among, names_of
from kgqa_core.ask.run import Steps, Toolkit
from kgqa_core.ask.skill import Skill
from kgqa_core.ask.skills import CitedSentence, Draft, FactAnswer
from kgqa_core.facts import compute, timeline, verbalise
from kgqa_core.facts.completeness import missing, stated
from kgqa_core.facts.normalise import literal
from kgqa_core.facts.relations import about
from kgqa_core.facts.terms import (
    DATE,
    MONTH,
    NUMBERS,
    TIMES,
    YEAR,
    Direction,
    Entity,
    Literal,
    Passage,
    Relation,
    Statement,
    Value,
    short_id,
)
from kgqa_core.methods.asking import asks_for_values
from kgqa_core.methods.linking import link_mentions
from kgqa_core.text import fold
from kgqa_core.text import listed as in_words

IN_PART = ", as far as the graph goes: it may not have all of them"
AS_KNOWN = ", as far as the graph goes"
FROM_MEMORY = "from the model's memory, not from the graph"
_NAMED = 30  # found values up to which a reply is to name all that answer
_NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")
_ID_BEHIND = re.compile(r"\S \(([QPL]\d+)\)$")  # Ilse Marrow (Q12)
_FOUR = re.compile(r"[12]\d{3}")  # what may be a year
_TIME = re.compile(r"\b(?:when|year|dates?|since)\b", re.IGNORECASE)
_A_YEAR = re.compile(r"\W*(?:when|(?:(?:in|since|from) )?(?:what|which) year)\b", re.IGNORECASE)
_IS = re.compile(  # of today: no word of the past, no year
    r"\b(?:is|are|has|have|do|does|shares?|borders?|belongs?|lies?|consists?)\b", re.IGNORECASE
)
_WAS = re.compile(
    r"\b(?:was|were|did|had|been|ever|once|former\w*|previous\w*|past|first|last|history|all|"
    r"until|till|since|before|after|ago|used to|\w{3,}ed|\d{3,4})\b",
    re.IGNORECASE,
)
_COUNTED = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen twenty"
).split()
_HOW = re.compile(r"how (?:many|old|often|long)\b", re.IGNORECASE)
_ORDER = re.compile(
    r"\b(?:first|second|third|last|latest|earliest|previous|most recent)\b", re.IGNORECASE
)
_HOW_MANY = re.compile(r"how many\b", re.IGNORECASE)
_WORD = re.compile(r"\d[\d,]*|[a-z]+", re.IGNORECASE)
_BRACKETED = re.compile(r"[\[(][^\])]*[\])]")
_NO = re.compile(r"no\b(?!\.? ?\d)", re.IGNORECASE)
_READINGS = 3  # prompts that facts are read in before an abstention


def compose(
    question: str,
    reply: FactAnswer,
    facts: Sequence[Support],
    tools: Toolkit,
    *,
    found: Sequence[Value] = (),
    rests_on: Mapping[Value, Sequence[int]] | None = None,
    link: bool = True,
) -> Steps[Answer]:
    """The answer with only the facts it cites, renumbered in order of first use.

    A position outside the facts is no citation: that sentence stays ungrounded. The reply's
    values count: they are matched to those a walk `found`, else to the facts, and, with `link`,
    looked up in the graph. A reply of values alone is an answer, too: found ones cite the facts
    that they rest on (`rests_on`: positions).
    """
    said = [text for text in dict.fromkeys(reply.values) if text.strip()]
    chosen, others = _chosen(said, found)
    if not reply.sentences and not said:
        return Answer(reason=reply.reason or "The facts that were read do not contain the answer.")
    told = reply.sentences or [_bare(said, chosen, rests_on or {})]
    order: dict[int, int] = {}
    sentences = []
    for sentence in told:
        cites = [i for i in dict.fromkeys(sentence.facts) if 0 <= i < len(facts)]
        for i in cites:
            order.setdefault(i, len(order))
        sentences.append(Sentence(text=sentence.text, cites=tuple(order[i] for i in cites)))
    values, remembered = chosen, list[Value]()
    if others:
        cited_first = [*(facts[i] for i in order), *facts]  # of namesakes those that it speaks of
        terms = yield from as_terms(question, others, cited_first, tools, link)
        terms = _how_many(question, terms, reply.sentences)
        values = [*chosen, *terms]
        remembered = [] if tools.reads_all else _in_no_fact(terms, facts)
    if remembered and len(remembered) == len(values):  # what is cited does not say it
        bare = (sentence.model_copy(update={"cites": ()}) for sentence in sentences)
        return Answer(
            sentences=tuple(bare), values=tuple(values), certain=False, reading=FROM_MEMORY
        )
    reading = reply.reading
    if remembered:
        some = in_words([verbalise.value(value) for value in remembered], bounds.EARLIER)
        reading = f"{reading}; " * bool(reading) + f"in no fact that was read: {some}"
    cited = tuple(facts[i] for i in order)
    if open_order := _in_no_order(question, values, cited, facts):
        reading = f"{reading}; " * bool(reading) + open_order
    open_no = "" if tools.reads_all else _open_no(values, sentences, cited)
    if open_no:
        reading = f"{reading}; " * bool(reading) + open_no
    return Answer(
        sentences=tuple(sentences),
        values=tuple(values),
        citations=cited,
        certain=reply.certain and not (remembered or open_order or open_no),
        reading=reading,
    )


def _open_no(
    values: Sequence[Value], sentences: Sequence[Sentence], cited: Sequence[Support]
) -> str:
    """Why a "no" may be one of what is merely not stated; empty where it is none, or rests only on
    relations that a graph states in full. The built-in reader judges that by itself."""
    if values and values != [compute.boolean(False)]:
        return ""
    if not values and not any(_NO.match(sentence.text) for sentence in sentences[:1]):
        return ""
    if not cited:
        return "no fact says no"
    if any(isinstance(fact, Passage) for fact in cited):  # which may say so in words
        return ""
    partly = [
        f.relation for f in cited if isinstance(f, Statement) and stated(f.relation) != "full"
    ]
    names = in_words(list(dict.fromkeys(relation.name for relation in partly)), bounds.EARLIER)
    return f"what the graph gives as {names} need not be all" if partly else ""


def _in_no_order(
    question: str, values: Sequence[Value], cited: Sequence[Support], facts: Sequence[Support]
) -> str:
    """That a first or last one was taken of several of which nothing says when; empty where no
    such one is asked for, or a time is stated of what was cited or of one of the values."""
    asked = _ORDER.search(question)
    every = [fact for fact in facts if isinstance(fact, Statement)]
    stated = [fact for fact in cited if isinstance(fact, Statement)]
    chosen = set(values)
    near = [s for s in every if s.subject in chosen or s.object in chosen or s in stated]
    if not asked or any(asked[0].casefold() in verbalise.statement(s).casefold() for s in near):
        return ""
    if any(map(timeline.when_of, near)):
        return ""
    for one in stated:
        own = [s for s in every if s.relation == one.relation]
        for many in (
            {s.object for s in own if s.subject == one.subject},
            {s.subject for s in own if s.object == one.object},
        ):
            if 0 < len(many & chosen) < len(many):
                return f"which of {len(many)} is the {asked[0].casefold()} is not stated"
    return ""


def _in_no_fact(values: Sequence[Value], facts: Sequence[Support]) -> list[Value]:
    """The things and days among an answer's values that no fact names: the model knew them.

    Numbers may have been counted or reckoned, and texts be words for what a fact says.
    """
    ends = {*_ends(facts), *(fact.subject for fact in facts if isinstance(fact, Statement))}
    if any(isinstance(fact, Passage) for fact in facts):  # which say it in any words
        return []
    days = [e.value for e in ends if isinstance(e, Literal) and e.datatype in TIMES]

    def is_there(value: Value) -> bool:
        if isinstance(value, Literal):
            return value.datatype not in TIMES or any(d.startswith(value.value) for d in days)
        return value in ends

    return [value for value in values if not is_there(value)]


def _how_many(
    question: str, values: list[Value], sentences: Sequence[CitedSentence]
) -> list[Value]:
    """The number, where it is asked how many and the things themselves are named: as many as the
    sentences say, if that is one number, else as many as are named.
    """
    if not _HOW_MANY.match(question.strip()) or not values:
        return values
    if not all(isinstance(value, Entity) for value in values):
        return values
    words = [w for s in sentences for w in _WORD.findall(_BRACKETED.sub("", s.text))]
    said = {n for word in words if (n := _number(word)) is not None}
    return list(said) if len(said) == 1 else [compute.number(len(values))]


def _chosen(said: Sequence[str], found: Sequence[Value]) -> tuple[list[Value], list[str]]:
    """The found values that are named, in the order found, and what names none of them.

    All that was found where nothing is named, or where some of very many are.
    """
    if not said:
        return list(found), []
    names: dict[str, list[Value]] = {}
    for value in found:
        for name in dict.fromkeys((*names_of(value), verbalise.value(value))):
            names.setdefault(fold(name), []).append(value)
    named: set[Value] = set()
    others = []
    for text in said:
        term = literal(text)
        same = names.get(fold(text)) or (names.get(fold(term.value)) if term else None)
        if same is None and term is None and len(found) <= _NAMED:
            at = among(text, [names_of(value) for value in found])
            same = None if at is None else [found[at]]
        named.update(same or ())
        others += [] if same else [text]
    if named and not others and len(found) > _NAMED:
        return list(found), []
    return [value for value in found if value in named], others


def _bare(
    said: Sequence[str], chosen: Sequence[Value], rests_on: Mapping[Value, Sequence[int]]
) -> CitedSentence:
    """Values alone as a sentence, with the facts that all found ones rest on."""
    facts = dict.fromkeys(i for value in chosen for i in rests_on.get(value, ()))
    return CitedSentence(text=f"{', '.join(said)}.", facts=list(facts))


def read_on(
    question: str,
    facts: Sequence[Support],
    tools: Toolkit,
    skill: Skill[FactAnswer] = skills.ANSWER,
    readings: int = _READINGS,
    **more: Any,
) -> Steps[tuple[FactAnswer, list[Support]]]:
    """The reply to as many of the facts as a prompt holds; without one, to the next of them.

    Also the facts it was given, in which its citations count. What no prompt had room for, an
    abstention says by itself.
    """
    rest, reading = list(facts), 1
    if "whole" in skill.inputs.model_fields:
        more["whole"] = whole_lists(question, rest, tools)
    reply = yield from tools.ask(skill, question=question, facts=rest, **more)
    while not reply.sentences and not reply.values and not tools.reads_all:
        read = shown.fitting(rest)
        if read == len(rest) or reading == readings:
            break
        rest, reading = _read_on(rest, read), reading + 1
        yield events.Step(title=f"Read on: {len(rest):,} more facts")
        reply = yield from tools.ask(skill, question=question, facts=rest, **more)
    return reply, rest


def _read_on(facts: Sequence[Support], read: int) -> list[Support]:
    """What comes after so many facts: first the whole of the list that came first, where they end
    within it, as far as a prompt has room for all of it."""
    first, rest = facts[0], list(facts[read:])
    of = (first.subject, first.relation) if isinstance(first, Statement) else None
    own = [s for s in facts if isinstance(s, Statement) and (s.subject, s.relation) == of]
    if not set(own) & set(rest) or shown.fitting(own) < len(own):
        return rest
    return list(dict.fromkeys((*own, *rest)))


def whole_lists(question: str, facts: Sequence[Support], tools: Toolkit) -> list[str]:
    """Where yes or no is asked: which lists among the facts a prompt shows whole, in words.

    Those of relations that graphs do not state in part only, with as many values as there are.
    """
    if asks_for_values(question) or not getattr(tools.llm, "sees_prompts", True):
        return []
    shown_now = facts[: shown.fitting(facts)]
    lists = Counter((s.subject, s.relation) for s in shown_now if isinstance(s, Statement))
    may_be = [one for one in lists if about(one[1]) and stated(one[1]) != "partial"][: bounds.LISTS]
    subjects = list(dict.fromkeys(subject for subject, _ in may_be))
    there = {
        (subject, use.relation): use.count
        for subject, own in zip(subjects, tools.relations_of(subjects), strict=True)
        for use in own
        if use.direction == "out"
    }
    return [
        f"{subject.name}: {relation.name}" + AS_KNOWN * (stated(relation) != "full")
        for subject, relation in may_be
        if there.get((subject, relation)) == lists[subject, relation]
    ]


def ungrounded(question: str, draft: Draft, tools: Toolkit, link: bool) -> Steps[Answer]:
    """An answer from the model alone, marked as such: no sentence has a citation."""
    if not draft.text:
        return Answer(reason=draft.reason or "The model does not know.")
    values = yield from as_terms(question, draft.values, (), tools, link)
    return Answer(sentences=(Sentence(text=draft.text),), values=tuple(values))


def may_lack(relation: Relation, direction: Direction, found: Sized, counted: bool) -> bool:
    """Whether the graph may have but a part of what a hop leads to; of one, where it is counted."""
    lacks = missing(relation, direction, several=len(found) > 1)
    return lacks != "" and (counted or lacks != "several")


_NEAREST, _NEAR = 4, 0.15  # relations nearer to the question, and by how much


def is_far(question: str, relation: Relation, others: Sequence[Relation], tools: Toolkit) -> bool:
    """Whether a relation is hardly what a question says, among `others` that were there.

    Several are nearer to it in meaning, and the nearest much nearer. Measured on 60 questions with
    two models: of 53 steps of right answers that were certain one was so far, of five of wrong
    ones two.
    """
    near = tools.nearness(question, list(dict.fromkeys((relation, *others))))
    if near is None:
        return False
    own = near[relation]
    before = sum(one > own for one in near.values())
    return before > _NEAREST and max(near.values()) - own > _NEAR


Memory = OneOf["off", "marked"]
MEMORY: Any = Field(
    "off",
    description="where the graph gives no answer: abstain, or ask the model, marked ungrounded",
)


def asks_what_is(question: str) -> bool:
    """Whether it says in so many words what is, and nothing of what was."""
    return bool(_IS.search(question)) and not _WAS.search(question)


def or_memory(
    question: str, answer: Answer, tools: Toolkit, memory: Memory, link: bool = True
) -> Steps[Answer]:
    """The answer; in place of an abstention, if so wished, what the model remembers.

    That is never grounded: it cites nothing, and says in its reading where it is from.
    """
    if answer.sentences or memory == "off":
        return answer
    yield events.Step(title="Ask the model's memory", thought=answer.reason)
    draft = yield from tools.ask(skills.RECALL, question=question)
    recalled = yield from ungrounded(question, draft, tools, link)
    if not recalled.sentences:
        return answer
    return recalled.model_copy(update={"certain": False, "reading": FROM_MEMORY})


def listed(found: Mapping[Value, Sequence[Support]]) -> Answer:
    """Values a method arrived at without a model, each with the facts it rests on, as a list."""
    order: dict[Support, int] = {}
    sentences = []
    for n, (value, facts) in enumerate(found.items()):
        for fact in facts:
            order.setdefault(fact, len(order))
        last = n == len(found) - 1
        start = "and " if last and n else ""
        end = "." if last else "," if len(found) > 2 else ""
        text = f"{start}{verbalise.led_to(value, facts)}{end}"
        sentences.append(Sentence(text=text, cites=tuple(order[fact] for fact in facts)))
    return Answer(sentences=tuple(sentences), values=tuple(found), citations=tuple(order))


def as_terms(
    question: str, texts: Sequence[str], facts: Sequence[Support], tools: Toolkit, link: bool
) -> Steps[list[Value]]:
    """Bare answers as graph terms: a term of the facts, a literal, a linked entity, or text."""
    known = _terms(facts)
    values: dict[str, Value] = {}
    for text in texts:
        own = (
            known.get(text.strip().casefold())
            or _with_id(text, known)
            or _measure(text, facts)
            or _year(question, text, facts)
        )
        term = own or literal(text) or (_number(text) if _HOW.match(question.strip()) else None)
        if term is not None:
            values[text] = term
    unknown = [t for t in dict.fromkeys(texts) if t.strip() and t not in values]
    if unknown and link:
        linked = yield from link_mentions(question, unknown, tools, skills.CHOOSE_ANSWER)
        values.update(linked)
    return [values.get(t) or literal(t, text_too=True) for t in dict.fromkeys(texts) if t.strip()]


def _number(text: str) -> Literal | None:
    """`4` and `four` as a number."""
    said = text.strip().casefold().rstrip(".")
    found = compute.number(_COUNTED.index(said)) if said in _COUNTED else literal(said)
    return found if found is not None and found.datatype in NUMBERS else None


def _measure(text: str, facts: Sequence[Support]) -> Literal | None:
    """The one amount in the facts that a text means: 147 m, 198 cm, 8,849 metres, 8.4 million."""
    written = _NUMBER.match(text.strip())
    if written is None:
        return None
    amounts = dict.fromkeys(
        e for e in _ends(facts) if isinstance(e, Literal) and e.datatype in NUMBERS
    )
    apart = {a: _apart(text.strip(), written[0], a) for a in amounts}
    for near in (
        [a for a, by in apart.items() if by == 0],
        [a for a, by in apart.items() if by is not None],
    ):
        if near:
            return near[0] if len(near) == 1 else None
    return None


def _with_id(text: str, known: Mapping[str, Value]) -> Value | None:
    """What a text gives the id of behind its name, as of what a graph has no name for."""
    found = _ID_BEHIND.search(text.strip())
    return known.get(found[1].casefold()) if found else None


def _year(question: str, text: str, facts: Sequence[Support]) -> Literal | None:
    """A number of four digits as the year of a date in the facts, where a time is asked for.

    Without facts, from memory, where a year is all that is asked for.
    """
    if not _FOUR.fullmatch(text.strip()) or not _TIME.search(question):
        return None
    if not facts and _A_YEAR.match(question):
        return Literal(text.strip(), YEAR)
    dates = (e for e in _ends(facts) if isinstance(e, Literal) and e.datatype in (MONTH, DATE))
    in_it = any(date.value.startswith(f"{text.strip()}-") for date in dates)
    return Literal(text.strip(), YEAR) if in_it else None


def _ends(facts: Sequence[Support]) -> list[Value]:
    return [e for f in facts if isinstance(f, Statement) for e in (f.object, *_details(f))]


def _apart(text: str, written: str, amount: Literal) -> Decimal | None:
    """How far an amount is from a text that begins with a number; None: more than by rounding."""
    limits = compute.parse_amount(text, amount)
    number = Decimal(written.replace(",", ""))
    if limits is None or not compute.comparable(amount):
        return None
    by = abs(limits[0] - compute.amount(amount))
    digit = Decimal(1).scaleb(-len(written.partition(".")[2]))
    rounding = abs(limits[0] / number) * digit / 2 if number else Decimal(0)
    return by if by <= rounding else None


def _details(fact: Statement) -> list[Value]:
    return [q.value for q in fact.qualifiers]


def _terms(facts: Sequence[Support]) -> dict[str, Value]:
    """Every name in the facts, in lower case, with the term it stands for.

    A value as it is written comes before an alias: Pt is a symbol where platinum is so called, too.
    """
    ends: dict[Value, None] = {}
    for fact in facts:
        if isinstance(fact, Statement):
            ends |= dict.fromkeys((fact.object, fact.subject, *_details(fact)))
        elif fact.entity:
            ends[fact.entity] = None
    names: dict[str, Value] = {}
    for end in ends:
        names.setdefault((end.label if isinstance(end, Entity) else end.value).casefold(), end)
    for end in ends:
        for name in (*end.aliases, short_id(end.id)) if isinstance(end, Entity) else ():
            names.setdefault(name.casefold(), end)
    names.pop("", None)
    return names
