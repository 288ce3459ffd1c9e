"""Plans in words (thoughts, readings) and values in sentences, each with its own facts."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kgqa_core.ask import bounds
from kgqa_core.ask.events import Support
from kgqa_core.ask.skills import CitedSentence, Found
from kgqa_core.facts import verbalise
from kgqa_core.facts.sentences import verdict
from kgqa_core.facts.terms import BOOLEAN, Entity, Literal, RelationUse, Statement, Value
from kgqa_core.reader import plan as p
from kgqa_core.reader.grammar import PREPOSITIONS
from kgqa_core.reader.paths import VERB
from kgqa_core.reader.plan import Plan
from kgqa_core.reader.words import Span
from kgqa_core.text import enumerated, plural, singular, third_person

_PAST = frozenset(
    "wrote sang won built found born made led began became ran hung stood held".split()
)
# no verb of theirs
_DONE_TO = {"locate": "is located", "located": "is located", "held": "was held"}
_DONE_TO |= {"based": "is based", "buried": "is buried", "set": "is set", "spoken": "is spoken"}
_WHERE = frozenset("born died die buried live lived located held".split())  # without "in"
_OWNED = re.compile(r"(?:my|your|his|her|its|our|their) ")
_WHO = "who or what"
_ORDINALS = "no first second third fourth fifth sixth seventh eighth ninth tenth".split()
# -- thoughts and readings ---------------------------------------------------------------


def step(use: RelationUse, whose: str) -> str:
    """ "I need the director of Jaws." "I need everything whose director is Douglas Sirk." """
    relation = use.relation.name.replace("_", " ")
    verb = VERB.match(relation)
    if verb and use.direction == "out":
        return f"I look up what {whose} {relation}."
    if verb:
        return f"I need everything that {relation} {whose}."
    joined = relation.split()[-1] in {"of", "by", "at", "in", "to", "after", "for", "with"}
    if use.direction == "out" and joined:
        return f"I look up what {whose} is {relation}."
    if use.direction == "out":
        return f"I need the {relation} of {whose}."
    if joined:
        return f"I need everything that is {relation} {whose}."
    return f"I need everything whose {relation} is {whose}."


def _inner(plan: Plan) -> str:
    text = reading(plan)
    if isinstance(plan, p.Hop) and plan.form == "role" and text.startswith(plan.phrase):
        return text if plan.beside or plan.when else f"the {text}"
    return text if isinstance(plan, p.Anchor | p.Kind | p.Now) else f"({text})"


def _all(plan: Plan) -> str:
    """A set behind "of": "one of the children of Ann", "highest of all mountains in Asia"."""
    match plan:
        case p.Kind():
            several = re.search("[^s]s$", plan.noun)
            return f"all {plan.noun if several else plural(singular(plan.noun))}"
        case p.Where(source=p.Kind()) if plan.phrase in PREPOSITIONS:
            return f"{_all(plan.source)} {plan.phrase} {_inner(plan.other)}"
        case p.Limit(source=p.Kind()):
            return f"({_all(plan.source)}, {plan.phrase} {_span(plan.span)})"
        case p.Hop(form="role", beside=None, when=None) if " of" not in plan.phrase:
            return f"the {plural(plan.phrase)} {plan.prep or 'of'} {_inner(plan.source)}"
    return _inner(plan)


def _ordinal(number: int) -> str:
    return _ORDINALS[number] if number < len(_ORDINALS) else f"number {number}"


def _both(plan: p.Join, called: str) -> str:
    """What two verbs are said of: "countries that border Austria and border Italy"."""
    sides = []
    for side in (plan.left, plan.right):
        if plan.how != "intersection" or not isinstance(side, p.Hop) or side.form != "patient":
            return ""
        sides.append(_hop(side, called).removeprefix(f"{called} "))
    return f"{called} {sides[0]} and {'also ' * (called == _WHO)}{sides[1]}"


# Fields by their names; a part of the plan stands in brackets if it is long. With “=” it stands as
# it is, with “*” as all of a set.
_SAID: dict[type, str] = {
    p.Anchor: "{text}",
    p.Kind: "every {noun}",
    p.From: "{adjective} {=source}",
    p.Where: "{=source}, {phrase} {other}",
    p.Limit: "{=source}, {phrase} {span}",
    p.Count: "number of {*source}",
    p.Measure: "how {by} {source} is",
    p.Between: "{unit} between {left} and {right}",
    p.Named: "{text}: {=source}",
    p.Turning: "when {source} became {years} years old",
    p.Is: "whether {left} is {right}",
    p.Both: "{=left}, and {=right}",
    p.Some: "whether there is {source}",
    p.Compare: "whether {left} is {by} than {right}",
    p.Against: "whether {by} of {source} is {span}",
    p.Hole: "today",
    p.Now: "today",
}


class _Fields(dict[str, str]):
    """What stands in a plan, in words."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    def __missing__(self, name: str) -> str:
        value = getattr(self.plan, name.lstrip("=*"))
        if isinstance(value, Span):
            return _span(value)
        if isinstance(value, Plan):
            return {"=": reading, "*": _all}.get(name[0], _inner)(value)
        return str(value)


def reading(plan: Plan) -> str:
    """A short paraphrase: "films that the director of Written on the Wind makes"."""
    match plan:
        case p.Kind() if _OWNED.match(plan.noun) or singular(plan.noun) != plan.noun:
            return _all(plan)
        case p.Hop():
            return _hop(plan)
        case p.Of():
            if isinstance(plan.source, p.Hop) and plan.source.form in ("agent", "patient"):
                return _hop(plan.source, f"{plural(plan.noun)} that")
            if isinstance(plan.source, p.Join) and (
                text := _both(plan.source, f"{plural(plan.noun)} that")
            ):
                return text
            return f"{plan.noun}: {reading(plan.source)}"
        case p.Nth():
            by = "" if plan.by == "first" else f" {plan.by}"
            by = {"average": " average", "sum": " total"}.get(plan.order, "") + by
            which = f"{_ordinal(plan.position)}{by}" if plan.position > 1 else by.strip() or plan.by
            return f"{which} of {_all(plan.source)}"
        case p.Join():
            if text := _both(plan, _WHO):
                return text
            if plan.how == "union":
                first, *rest = p.united(plan)
                return enumerated([reading(first), *map(_inner, rest)])
            word = "and also" if plan.how == "intersection" else "other than"
            return f"{reading(plan.left)} {word} {_inner(plan.right)}"
        case p.Age() | p.Lasting() | p.Office() | p.Neighbour() | p.IsA() | p.Alive():
            return _of_somebody(plan)
        case p.Against() if plan.span.test == "is":
            return f"whether {_inner(plan.source)} has {plan.span.value} {plan.by}"
        case p.Compare() if plan.by.startswith("first"):
            side = "before" if plan.order == "lowest" else "after"
            verb = plan.by.removeprefix("first").strip()
            happened = f" ({verb})" if verb in _PAST else ""
            return f"whether {_inner(plan.left)} comes {side} {_inner(plan.right)}{happened}"
    return _SAID[type(plan)].format_map(_Fields(plan))


def _of_somebody(plan: p.Age | p.Lasting | p.Office | p.Neighbour | p.IsA | p.Alive) -> str:
    match plan:
        case p.Age():
            when = reading(plan.event) if plan.event else ""
            event = f" {when}" if when.startswith("when ") else f" at {when}" if when else ""
            return f"age of {_inner(plan.source)}{event}"
        case p.Lasting():
            other = f" {_inner(plan.other)}" if plan.other else ""
            return f"how long {_inner(plan.source)} {_verb(plan.phrase)}{other}"
        case p.Office():
            return f"office of {plan.title or 'ruler'} of {_inner(plan.source)}"
        case p.Neighbour():
            side = plan.side if plan.side == "when" else f"right {plan.side}"
            return f"{reading(plan.hop)} {side} {_inner(plan.other)}"
        case p.IsA():
            words = ("a" if plan.noun else "", plan.adjective, plan.noun)
            if _several(plan.source):
                said = f"{plan.adjective} {plural(plan.noun)}".strip()
                return f"whether {_inner(plan.source)} are {said}"
            return f"whether {_inner(plan.source)} is {' '.join(w for w in words if w)}"
        case p.Alive():
            when = _inner(plan.event) if plan.event else _span(plan.span) if plan.span else ""
            return f"whether {_inner(plan.source)} is alive" + (f" ({when})" if when else "")


def _hop(plan: p.Hop, called: str = "") -> str:
    """`called`: in whose place "what" stands otherwise."""
    source = _inner(plan.source)
    beside = f" with {_inner(plan.beside)}" if plan.beside else ""
    time = _span(plan.when) if plan.when else ""
    if time.startswith("during ") and plan.when and not plan.when.until:
        time = time.replace("during", "in", 1)
    plainly = time.startswith(("in ", "before ", "after "))
    when = f" {time}" if plainly else f" ({time})" if time else ""
    what = called or {"time": "when", "place": "where"}.get(plan.want, "what")
    noun = "what it is" if plan.phrase == "description" else plan.phrase
    if called.endswith(" that") and plan.form == "agent" and plan.phrase in _WHERE:
        what = f"{called.removesuffix(' that')} where"
    verb = plan.phrase if _several(plan.source) else _verb(plan.phrase)
    form = "patient" if plan.form == "role" and _is_verb(plan.phrase) else plan.form
    text = {
        "role": f"{noun} {plan.prep or 'of'} {source}",
        "holder": f"what has {source} as {plan.phrase}",
        "agent": f"{what} {source} {verb}",
        "patient": f"{_said(plan.phrase, called)} {source}",
    }[form]
    return text + beside + when


def _verb(phrase: str) -> str:
    """A verb as it is said of one thing: `direct` → `directs`, `wrote`."""
    first, _, rest = phrase.partition(" ")
    if first == "born":
        return f"was {phrase}"
    if first in _DONE_TO:
        return f"{_DONE_TO[first]} {rest}".strip()
    past = re.search(r"(?:ing|[^s]s)$", first) is not None or _is_verb(phrase)
    return phrase if past or first in PREPOSITIONS else third_person(phrase)


def _is_verb(phrase: str) -> bool:
    """Whether it begins with what was done: `wrote`, `founded`."""
    first = phrase.split(" ")[0]
    return first in _PAST or first.endswith("ed")


def _several(plan: Plan) -> bool:
    """Whether a plain noun stands there for all of its kind: whales."""
    name = plan.text if isinstance(plan, p.Anchor) else ""
    return name.islower() and singular(name) != name


def _said(phrase: str, called: str) -> str:
    """A verb with its subject: "who or what wrote", "rivers that flow", "countries with"."""
    first, blank, rest = phrase.partition(" ")
    if not called.endswith(" that"):
        return f"{called or _WHO} {_verb(phrase)}"
    if first in PREPOSITIONS:
        return f"{called.removesuffix(' that')} {phrase}"
    plural_form = {"is": "are", "was": "were", "has": "have", "does": "do", "born": "were born"}
    several = plural_form.get(first, re.sub(r"([^s])s$", r"\1", first))
    return f"{called} {several}{blank}{rest}"


def _span(span: Span) -> str:
    if span.until:
        return f"{span.value} to {span.until}"
    return f"{span.test} {span.value}"


# -- answers -----------------------------------------------------------------------------


def sentences(
    plan: Plan | None, found: Sequence[Found], facts: Sequence[Support]
) -> list[CitedSentence]:
    """The values as an answer; each value is a fragment with the facts it rests on."""
    if len(found) == 1 and isinstance(found[0].value, Literal):
        value = found[0].value
        if value.datatype == BOOLEAN:
            return [_verdict(value.value == "true", found[0].facts, facts)]
        parts = list(p.parts(plan)) if plan is not None else []
        if found[0].facts and any(isinstance(part, p.Count) for part in parts):
            return [CitedSentence(text=f"{verbalise.value(value)}.", facts=found[0].facts)]
    names = [verbalise.led_to(f.value, [facts[i] for i in f.facts]) for f in found]
    out = []
    for n, (name, one) in enumerate(zip(names, found, strict=True)):
        last = n == len(found) - 1
        start = "and " if last and n else ""
        comma = "," if len(found) > 2 else ""
        end = "." if last else "" if n == len(found) - 2 and not comma else comma
        text = f"{start}{name}{end}"
        if last and name.endswith("."):
            text = f"{start}{name}"
        out.append(CitedSentence(text=text, facts=one.facts))
    return out


def _verdict(truth: bool, cited: list[int], facts: Sequence[Support]) -> CitedSentence:
    """ "Yes: …" or "No: …" with the facts that decide."""
    statements = [f for i in cited if isinstance(f := facts[i], Statement)]
    return CitedSentence(text=verdict(truth, statements, bounds.TOLD), facts=cited)


def bare(value: Value) -> str:
    """A value as `FactAnswer.values` writes it."""
    return value.name if isinstance(value, Entity) else value.value
