"""What a prompt or a picture may hold: one decision, for every method.

First what kind of thing a relation leads to: identifiers, media, categories and upkeep are left
aside unless the question asks for them (`kinds`). Then nearness: relations in order of how near
they are to the question, by the encoder or, without one, by the words they share; of each
relation at least one fact, then more of the nearest. `relevant_uses` and `relevant_facts` bring
everything into that order, so whoever has little room takes the beginning: `fitting` says how
much of it that is, and `left_out` what was left. Ends of facts that a search goes on from, and
members of sets, come in the order of those facts (`nearest_ends`). `reading` says how much is read
to begin with, `ONE_RELATION` and `IN_DEPTH` how much where a part would mislead.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import islice
from typing import Any, Generic, TypeGuard, TypeVar

from pydantic import BaseModel

from kgqa_core.facts import compute, kinds, relations, timeline, verbalise
from kgqa_core.facts.terms import (
    NUMBERS,
    TIMES,
    YEAR,
    Literal,
    Passage,
    Qualifier,
    Relation,
    RelationUse,
    Statement,
    Value,
    short_id,
)
from kgqa_core.text import counted, listed, speaks_of_the_past, stems

Item = TypeVar("Item", RelationUse, Statement)
End = TypeVar("End", bound=Value)
Near = Callable[[str, Sequence[Relation]], Mapping[Relation, float]]

RELATIONS = 8  # relations of a set that are shown with examples
NAMES = 16  # and those after them, by name only
READ = 24  # relations that who reads all is given in any order
_NAMED_OF = 1.6  # for each with examples, where fewer are shown than that
_EARLIER = 3  # by name only, of what was gone on from already
FEW = 4  # with examples: of what has fewer, none is named beside them
FACTS = 1_000  # tokens that the facts of a prompt may take
LINES = 2_500  # and a list of anything else
NAMED = 20  # values that share a line
MEMBERS = 30  # of a set that a model is given
ONE_RELATION = 5_000  # statements of one relation that are read around each thing of a set
IN_DEPTH = 2_000  # statements around a thing where any of them may decide, in each direction
_AROUND = 500  # statements that are read around one entity, in each direction
_TOGETHER, _LEAST = 1_000, 20  # and around several together, but so many around each
_FIRST, _EACH = 6, 12  # the nearest relations, and how many facts of each come before all else
_THEN = 30  # facts of a relation that come before the rest of all
_CATALOGUE, _NEAREST = 3, 2  # kinds named in a sentence, and how many of these for their nearness
_SHORT = 3  # letters of a word that says little: the, by, of
_TEXTS = 5  # names of a relation that are compared with the question
_STEM = 0.3  # what a shared word counts beside a cosine
_FACT = 400  # letters of a fact that are printed
_LETTERS = 3.6  # letters in a token, about
_HOW_MANY = re.compile(r"\b(?:how many|number of)\b", re.IGNORECASE)
_YEAR = re.compile(r"\b(?:1\d|20)\d\d\b")
_LEAST_OF, _MOST_OF, _FIRST_OF, _LAST_OF = (  # by number, by time
    re.compile(rf"\b(?:{words})\b", re.IGNORECASE)
    for words in (
        "smallest|lowest|shortest|least|fewest|lightest|shallowest|narrowest|poorest|coldest|slowest|"
        "cheapest|nearest|closest|minimum",
        "largest|biggest|highest|tallest|longest|most|greatest|heaviest|deepest|widest|richest|"
        "hottest|fastest|busiest|farthest|furthest|maximum",
        "first|earliest|oldest",
        "last|latest|newest|youngest",
    )
)
_ASKS_WHEN = re.compile(  # a time, or which of several was at a time, was first or is older
    r"\b(?:when|years?|dates?|century|decade|how (?:old|long ago)|older|younger|newer|earlier|"
    r"later|first|earliest|oldest|last|latest|newest|youngest|"
    r"(?:before|after|since|until|in|during|from|by) (?:1\d|20)\d\d)\b",
    re.IGNORECASE,
)
_A_TIME = re.compile(r"(?:\d\d? )?(?:[A-Z][a-z]+ )?[12]\d{3}")  # as it is written for people
_OLDER = 3  # measurements before the latest ones: so many are folded
_OF_TIMES = re.compile(  # what may ask for a measurement of another time
    r"\d|\b(?:when|years?|dates?|times?|first|last|then|past|former\w*|previous\w*|earl\w+|old\w*|"
    r"histor\w*|chang\w*|gr[eo]w\w*|ris\w+|rose|f[ae]ll\w*|increas\w*|decreas\w*|shr[aiu]nk\w*|"
    r"since|until|before|after|during|between|average|all|each|every|highest|lowest|record|peak\w*|"
    r"maximum|minimum|century|decades?|doubl\w*|halv\w*|(?-i:[a-z]{2,}ed))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Shown(Generic[Item]):
    """Items in the order in which they are to be read, and what nobody asked for."""

    items: list[Item]
    aside: list[Item]


def relevant_uses(
    question: str,
    uses: Sequence[RelationUse],
    near: Near,
    most: int = RELATIONS,
    *,
    by_examples: bool = False,
) -> Shown[RelationUse]:
    """The relations to choose from, nearest to the question first if there are more than `most`.

    `by_examples`: it counts, too, whether a relation leads to what the question names, or to times
    where it asks for one: for who takes what comes first.
    """
    kept, aside = _asked(question, uses)
    if len(kept) > most:
        nearness = near(question, list(dict.fromkeys(use.relation for use in kept)))
        led = {use: _led(question, use) if by_examples else 0.0 for use in kept}
        kept.sort(key=lambda use: -nearness[use.relation] - led[use])
        kinds_of = [use for use in kept[most:] if relations.belongs(use.relation, "class")]
        if kinds_of:  # which of them are of a kind is asked of nearly every set
            kept = [use for use in kept if use not in kinds_of]
            kept[most:most] = kinds_of
    return Shown(kept, aside)


def _led(question: str, use: RelationUse) -> float:
    """How much what a relation leads to adds to its nearness: times that are asked for, and names
    of the question among its examples."""
    said = frozenset(stems(question))
    timely = _ASKS_WHEN.search(question) and any(map(_A_TIME.fullmatch, use.examples))
    of_a_kind = relations.belongs(use.relation, "class")  # “which films”: all of them are
    examples = () if of_a_kind else use.examples
    named = max((_overlap(example, said) for example in examples), default=0.0)
    return _STEM * (bool(timely) + named)


def relevant_facts(
    question: str, facts: Sequence[Statement], near: Near, room: float = FACTS
) -> Shown[Statement]:
    """The facts to read; if they take more than `room`, so ordered that any beginning is fair.

    Some of each of the nearest relations, then one of every other, then the rest, nearest
    relations first; of one relation first the facts whose values the question names, or that
    held in a year that it names; then, for the most or the least, those at that end.
    """
    kept, aside = _asked(question, facts)
    if fitting(kept, room) < len(kept):
        kept = _in_turns(question, kept, near)
    return Shown(kept, aside)


def nearest_ends(
    question: str, ends: Sequence[End], facts: Sequence[Statement], near: Near
) -> list[End]:
    """Ends of facts in the order in which these facts are to be read; those of none come last."""
    place: dict[Value, int] = {}
    for n, s in enumerate(relevant_facts(question, facts, near, room=0).items):
        for end in (s.object, s.subject, *(q.value for q in s.qualifiers)):
            place.setdefault(end, n)
    return sorted(ends, key=lambda end: place.get(end, len(place)))


def _asked(question: str, items: Iterable[Item]) -> tuple[list[Item], list[Item]]:
    """What may be shown, and what is aside: nothing, where there is nothing else."""
    kept: list[Item] = []
    aside: list[Item] = []
    for item in items:
        left = kinds.is_aside(item.relation) and not kinds.asked_for(item.relation, question)
        (aside if left else kept).append(item)
    return (kept, aside) if kept else (aside, [])


def beside(question: str, facts: Iterable[Statement]) -> list[Qualifier]:
    """What of the facts' own qualifiers no prompt for a question tells."""
    found = []
    for s in facts:
        told = set(kinds.narrowing(s, question))
        found += [q for q in s.qualifiers if q not in told]
    return found


def _in_turns(question: str, facts: Sequence[Statement], near: Near) -> list[Statement]:
    groups: dict[Relation, list[Statement]] = {}
    for s in facts:
        groups.setdefault(s.relation, []).append(s)
    nearness = near(question, list(groups))
    said = frozenset(stems(question))
    years = [Literal(year, YEAR) for year in _YEAR.findall(question)]
    ordered = [
        sorted(
            _from_the_end(question, groups[r]),
            key=lambda s: (-_named(s, said, years), -_shared(s, said)),
        )
        for r in sorted(groups, key=lambda r: -nearness[r])
    ]
    first = [s for group in ordered[:_FIRST] for s in group[:_EACH]]
    if _HOW_MANY.search(question):  # a part of a list tells no number
        first = list(dict.fromkeys((*ordered[0][:_THEN], *first)))
    one = [s for group in ordered[_FIRST:] for s in group[:1]]
    more = [s for group in ordered for s in group[:_THEN]]
    return list(dict.fromkeys((*first, *one, *more, *(s for group in ordered for s in group))))


def _from_the_end(question: str, facts: Sequence[Statement]) -> list[Statement]:
    """Numbers or dates from the end that a superlative asks for; others as they are."""
    for of, least, most in ((NUMBERS - TIMES, _LEAST_OF, _MOST_OF), (TIMES, _FIRST_OF, _LAST_OF)):
        asks = [form.search(question) is not None for form in (least, most)]
        literals = [s.object for s in facts if isinstance(s.object, Literal)]
        if any(asks) and len(literals) == len(facts) and all(v.datatype in of for v in literals):
            some = [s for s in facts if compute.comparable(s.object)]
            some.sort(key=lambda s: compute.amount(s.object), reverse=asks[1])
            return list(dict.fromkeys((*some, *facts)))
    return list(facts)


def _named(s: Statement, said: frozenset[str], years: Sequence[Literal]) -> int:
    """How many of its ends the question names, and of its years in how many it held."""
    ends = (s.subject, s.object, *(q.value for q in s.qualifiers))
    named = sum(bool(words := set(stems(end.name))) and words <= said for end in ends)
    return named + sum(timeline.held_at(s, year) is True for year in years if s.qualifiers)


def _shared(s: Statement, said: frozenset[str]) -> int:
    """How many words of the question its ends have, wholly named or not; short words say little."""
    ends = (s.subject, s.object, *(q.value for q in s.qualifiers))
    return len({stem for end in ends for stem in stems(end.name) if len(stem) > _SHORT} & said)


class Uncited(list[Statement]):
    """Facts that no reply names by their positions: a prompt prints none.

    `most`: tokens that they have room in.
    """

    def __init__(self, facts: Iterable[Statement], most: float = FACTS) -> None:
        super().__init__(facts)
        self.most = most


def room_for(facts: Sequence[Any]) -> float:
    """How many tokens a list of facts has room in, where there is room for all that is usual."""
    most: float = getattr(facts, "most", FACTS)
    return most


# -- nearness ------------------------------------------------------------------------------


def texts_of(relation: Relation) -> tuple[str, ...]:
    """What of a relation is compared with a question."""
    names = dict.fromkeys((relation.name, *relation.aliases[: _TEXTS - 1]))
    return tuple(names)


def by_words(question: str, relations: Sequence[Relation]) -> dict[Relation, float]:
    """Nearness without an encoder: shared stems, rare ones counting more."""
    said = set(stems(question))
    names = {r: set(stems(" ".join((*texts_of(r), r.description)))) for r in relations}
    uses = Counter(stem for own in names.values() for stem in own)
    return {
        r: sum(1 / (1 + math.log(uses[stem])) for stem in own & said) / (1 + len(own) / 20)
        for r, own in names.items()
    }


def by_meaning(
    question: str,
    relations: Sequence[Relation],
    cosines: Callable[[str, Sequence[str]], Sequence[float]],
) -> dict[Relation, float]:
    """The best cosine of a relation's names with the question, and a little for shared words."""
    texts = list(dict.fromkeys(text for r in relations for text in texts_of(r)))
    cosine = dict(zip(texts, cosines(question, texts), strict=True))
    said = set(stems(question))
    return {
        r: max(cosine[text] + _STEM * _overlap(text, said) for text in texts_of(r))
        for r in relations
    }


def _overlap(text: str, said: Set[str]) -> float:
    own = set(stems(text))
    return len(own & said) / len(own) if own else 0.0


# -- how much is read, and how much of it fits ---------------------------------------------


def reading(entities: int) -> int:
    """How many statements are read around each of so many entities, in each direction."""
    return max(_LEAST, min(_AROUND, _TOGETHER // max(1, entities)))


def tokens(text: str) -> float:
    """About how many tokens a text takes."""
    return len(text) / _LETTERS


def fitting(facts: Sequence[Statement | Passage], most: float = FACTS) -> int:
    """How many facts, from the first on, have room in so many tokens; one at least.

    Passages are chosen one by one and are not cut up: they have three times the room, beside it.
    """
    used, passages = 0.0, 0.0
    heads: set[tuple[Value, Relation]] = set()
    for n, fact in enumerate(facts):
        if isinstance(fact, Passage):
            passages += tokens(fact.text)
        else:
            out, into = (fact.subject, fact.relation), (fact.object, fact.relation)
            back = into in heads and out not in heads
            told = fact.subject.name + verbalise.qualified(fact) if back else tail(fact)
            used += 3 + tokens(told[:_FACT])
            if not heads & {out, into}:
                used += 2 + tokens(fact.relation.name)
            heads |= {out, into}
        if n and (used > most or passages > 3 * most):
            return n
    return len(facts)


def older(question: str, facts: Sequence[Statement | Passage]) -> frozenset[int]:
    """The positions of old measurements of what was measured later as well, where several are.

    None, where the words of the question may ask for another time.
    """
    if _OF_TIMES.search(question) or speaks_of_the_past(question):
        return frozenset()
    groups: dict[tuple[Value, Relation], list[int]] = {}
    for n, fact in enumerate(facts):
        if isinstance(fact, Statement) and _is_number(fact.object):
            groups.setdefault((fact.subject, fact.relation), []).append(n)
    found: set[int] = set()
    for positions in groups.values():
        own = [fact for n in positions if isinstance(fact := facts[n], Statement)]
        standing = set(timeline.current(own)) if any(map(timeline.is_measured, own)) else set(own)
        before = [n for n in positions if facts[n] not in standing]
        if len(before) >= _OLDER and standing:
            found.update(before)
    return frozenset(found)


def _is_number(value: Value) -> bool:
    return isinstance(value, Literal) and value.datatype in NUMBERS


def lines_fitting(texts: Sequence[str], most: float = LINES) -> int:
    """How many lines of a list, from the first on, have room in so many tokens; one at least."""
    used = 0.0
    for n, text in enumerate(texts):
        used += tokens(text)
        if n and used > most:
            return n
    return len(texts)


def printed(most: int = RELATIONS, room: float = 1.0) -> tuple[int, int]:
    """How many relations a prompt shows with examples, and how many after them by name only.

    `most` 0: of what was gone on from already; less: of what lies further back. More than
    `RELATIONS` were asked for.
    """
    if most <= 0:
        return 0, 0 if most else _EARLIER
    whole = min(most, RELATIONS)
    by_name = NAMES + most - RELATIONS if most >= RELATIONS else _NAMED_OF * most
    by_name *= most >= FEW
    return min(whole, max(4, round(whole * room))), round(by_name * room)


def room_of(given: BaseModel) -> float:
    """How much of the usual room the lists of an input have, to begin with."""
    room: float = getattr(given, "room", 1.0)
    return room


def tail(s: Statement) -> str:
    """What a fact adds to its group: the value with its qualifiers."""
    return verbalise.value(s.object, s.relation) + verbalise.qualified(s)


def left_out(facts: Sequence[Statement]) -> str:
    """`212 more of diplomatic relation (P530), 14 more of twinned with (P190), 8 others`.

    Named are the nearest to the question, for after one of each the facts come in that order, and
    those of which there are most.
    """
    counts: Counter[Relation] = Counter()
    near: dict[Relation, None] = {}
    for s in facts:
        counts[s.relation] += 1
        if counts[s.relation] > 1:
            near[s.relation] = None
    first = dict.fromkeys([*islice(near, _NEAREST), *(r for r, _ in counts.most_common())])
    some = sorted(islice(first, _CATALOGUE), key=lambda r: -counts[r])
    parts = [f"{counts[r]:,} more of {named(r)}" for r in some]
    others = len(facts) - sum(counts[r] for r in some)
    return ", ".join((*parts, *([f"{others:,} others"] if others else [])))


def named(relation: Relation) -> str:
    key = short_id(relation.id)
    return relation.name if key == relation.name else f"{relation.name} ({key})"


def aside_in_words(items: Iterable[RelationUse | Statement | Qualifier]) -> str:
    """`254 identifiers, 9 pictures and sounds (IMDb ID, image, …)`; empty when there are none."""
    counts: Counter[kinds.Kind] = Counter()
    names: dict[str, None] = {}
    for item in items:
        counts[kinds.kind(item.relation)] += item.count if isinstance(item, RelationUse) else 1
        names.setdefault(item.relation.name)
    if not counts:
        return ""
    ranked = sorted(counts, key=lambda kind: (-counts[kind], kind))
    told = ", ".join(kinds.in_words(kind, counts[kind]) for kind in ranked)
    some = [*list(names)[:_CATALOGUE], *(["…"] if len(names) > _CATALOGUE else [])]
    return f"{told} ({', '.join(some)})"


def cuts(given: BaseModel) -> dict[str, str]:
    """What the lists of facts and relations in a skill's input hold that a prompt has no room for.

    By what is to be told once: of the relations of a set, only how many are left at first.
    """
    found: dict[str, str] = {}
    for value in _lists_of_facts(given):
        if is_facts(value):
            read = fitting(value, room_for(value) * room_of(given))
            text = left_out([s for s in value[read:] if isinstance(s, Statement)])
            found |= {text: text} if text else {}
            folded = older(getattr(given, "question", ""), value[:read])
            text = left_out([s for n in folded if isinstance(s := value[n], Statement)])
            found |= {f"{text}, older": f"{text}, older"} if text else {}
    for of, uses, read in _listed(given):
        whose = f"relations of {of}" if of else "relations"
        left = len(uses) - read
        found |= {whose: f"{left:,} more {whose}"} if left > 0 else {}
    return found


Whose = tuple[str, Relation, str]  # a relation of a set of that name, in a direction
Thing = Statement | Whose


def parted(given: BaseModel) -> tuple[list[Thing], list[Thing]]:
    """The facts and relations of a skill's input: those that a prompt holds, and those it does not.

    Relations that only tell what a candidate is are neither.
    """
    held: list[Thing] = []
    cut: list[Thing] = []
    for value in _lists_of_facts(given):
        if is_facts(value):
            read = fitting(value, room_for(value) * room_of(given))
            folded = older(getattr(given, "question", ""), value[:read])
            for n, fact in enumerate(value):
                if isinstance(fact, Statement):
                    (held if n < read and n not in folded else cut).append(fact)
    for whose, uses, read in _listed(given):
        held += [(whose, use.relation, use.direction) for use in uses[:read]]
        cut += [(whose, use.relation, use.direction) for use in uses[read:]]
    return held, cut


def _lists_of_facts(given: BaseModel) -> list[Any]:
    """Its fields as a prompt prints them."""
    other: dict[str, Any] = given.printed() if hasattr(given, "printed") else {}
    return [other.get(name, getattr(given, name)) for name in type(given).model_fields]


def no_room(cut: Iterable[Thing]) -> str:
    """What no prompt had room for, in a sentence; empty where that is nothing."""
    things = list(cut)
    facts = [thing for thing in things if isinstance(thing, Statement)]
    uses = dict.fromkeys(thing[1].name for thing in things if isinstance(thing, tuple))
    parts = [left_out(facts)] if facts else []
    parts += [f"{counted(len(uses), 'relation')} ({listed(uses, _CATALOGUE)})"] if uses else []
    return f"No prompt had room for {'; nor for '.join(parts)}." if parts else ""


def _listed(given: BaseModel) -> Iterator[tuple[str, Sequence[RelationUse], int]]:
    """The lists of relations of a skill's input: whose, which, and how many are printed."""
    parts = [part for name in type(given).model_fields for part in _parts(getattr(given, name))]
    for one in (given, *parts):
        uses: Sequence[RelationUse] = getattr(one, "relations", ())
        if getattr(one, "like", ""):  # what another has is shown there
            continue
        if 0 < getattr(one, "shown", RELATIONS) < FEW:  # of a candidate: these tell what it is
            continue
        if uses and isinstance(uses[0], RelationUse):
            yield getattr(one, "name", ""), uses, sum(printed(getattr(one, "shown", RELATIONS)))


def _parts(value: object) -> list[BaseModel]:
    return [one for one in value if isinstance(one, BaseModel)] if isinstance(value, list) else []


def is_facts(value: object) -> TypeGuard[Sequence[Statement | Passage]]:
    return (
        isinstance(value, list | tuple)
        and bool(value)
        and all(isinstance(item, Statement | Passage) for item in value)
    )
