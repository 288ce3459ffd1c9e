"""A model of middle size on loopback: right in the main, careless in form, now and then wrong.

    with SloppyServer(memory=…) as server:
        llm = server.told(OpenAIChat("sloppy", base_url=server.url))

It says what the built-in reader says, the way such models do: relations by name, labels for
positions, fields that nobody asked for, verdicts without a reason, prose around the JSON; one
choice in ten is wrong, one question in twenty is refused when it is put for the first time. All
of it is decided by the seed and the question, so that a run comes out the same each time. It takes
no `response_format`: what keeps a reply in form is our own reading of it.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Protocol, get_args, get_origin

from pydantic import BaseModel

from kgqa_core.ask.listed import Listed, keys_of, names_of
from kgqa_core.ask.llm import Complaint
from kgqa_core.ask.skill import Choice, Skill, digest
from kgqa_core.ask.skills import Draft
from kgqa_core.llm import prompt
from kgqa_core.llm.offline import Offline
from kgqa_core.llm.openai_chat import OpenAIChat
from kgqa_core.methods.compass.plan import Plan
from tests.servers.openai import Exchange, OpenAIServer, ok, status

_DRAFTS = frozenset({"answer directly", "think step by step"})
_REASONS = frozenset({"why", "thought", "reason", "reading"})
_AROUND = (
    "{}",
    "```json\n{}\n```",
    "Sure! Here is the JSON object:\n\n{}\n\nLet me know if you need anything else.",
    "I looked at the data {{carefully}}.\n{}",
)


class Plans(Protocol):
    """What replies to some skills by a plan of its own, and makes a mistake in one."""

    def __call__(self, skill: Skill[Any], given: BaseModel) -> BaseModel | None: ...

    def spoilt(self, plan: BaseModel, given: BaseModel, chance: random.Random) -> BaseModel: ...


@dataclass(frozen=True)
class Manner:
    """How often, of 1: wrong choices, refusals, careless forms."""

    wrong: float = 0.1
    refused: float = 0.05
    careless: float = 0.5


@dataclass
class Told:
    """The client, which tells the server what a prompt was made of: nobody reads it back."""

    client: OpenAIChat
    server: SloppyServer

    @property
    def name(self) -> str:
        return self.client.name

    def ask(
        self,
        skill: Skill[Any],
        given: BaseModel,
        *,
        complaint: Complaint | None = None,
        on_text: Callable[[str], None] | None = None,
    ) -> Future[Any]:
        self.server.expected[_key(skill.instruction, prompt.rendered(given))] = (skill, given)
        return self.client.ask(skill, given, complaint=complaint, on_text=on_text)


def _key(instruction: str, asked: str) -> str:
    return "\n".join((instruction.partition("\n\n")[0], asked))


class SloppyServer(OpenAIServer):
    """`memory` drafts, `plans` plans; `wrong` counts wrong choices by skill, until cleared."""

    def __init__(
        self,
        memory: Callable[[str], Draft] | None = None,
        *,
        plans: Plans | None = None,
        seed: int = 0,
        manner: Manner | None = None,
    ) -> None:
        super().__init__(models=("sloppy",))
        self.memory = memory
        self.plans = plans
        self.seed = seed
        self.manner = manner or Manner()
        self.reader = Offline(None)
        self.expected: dict[str, tuple[Skill[Any], BaseModel]] = {}
        self.wrong: Counter[str] = Counter()
        self.refusals = 0
        self.always = self._say

    def told(self, client: OpenAIChat) -> Told:
        return Told(client, self)

    def _say(self, exchange: Exchange) -> None:
        body = exchange.request.body
        if "response_format" in body:
            return status(400, "Unsupported parameter: response_format")(exchange)
        chat = [message["content"] for message in body["messages"]]
        again = chat[-1].startswith("That reply could not be used")
        skill, given = self.expected[_key(chat[0], chat[-3] if again else chat[-1])]
        chance = random.Random(f"{self.seed}|{skill.name}|{digest(given)}|{again}")
        if not again and chance.random() < self.manner.refused:
            self.refusals += 1
            return ok("I'm sorry, but I can't help with that.")(exchange)
        return ok(self._reply(skill, given, chance), size=4_000)(exchange)

    def _reply(self, skill: Skill[Any], given: BaseModel, chance: random.Random) -> str:
        planned = self.plans(skill, given) if self.plans is not None else None
        if skill.name in _DRAFTS and self.memory is not None:
            value: BaseModel = self.memory(getattr(given, "question", ""))
        elif planned is not None:
            value = planned
        else:
            found = self.reader.reader.handlers[skill.name](given)
            value = skill.reply.model_validate(found, from_attributes=True)
        if chance.random() < self.manner.wrong:
            made = planned is not None and isinstance(value, Plan)
            wrong = self.plans.spoilt if made and self.plans else _wrong
            other = wrong(value, given, chance)
            self.wrong[skill.name] += other != value
            value = other
        said = json.loads(prompt.written(value, given))
        said = carelessly(skill.reply, said, given, chance, self.manner.careless)
        return chance.choice(_AROUND).format(json.dumps(said, ensure_ascii=False))


# -- wrong ---------------------------------------------------------------------------------


def _wrong(value: BaseModel, given: BaseModel, chance: random.Random) -> BaseModel:
    """The reply with one of its choices made otherwise; the same where there is no other."""
    options = []
    for name, info in type(value).model_fields.items():
        mark = next((m for m in info.metadata if isinstance(m, Listed)), None)
        now = getattr(value, name)
        if mark and (others := _others(mark, now, given)):
            options.append((name, others))
        elif isinstance(now, bool):
            options.append((name, [not now]))
        elif name in ("verdict", "state"):
            words = [word for word in get_args(info.annotation) if word != now]
            options.append((name, words or [now]))
        elif isinstance(now, list) and now and all(isinstance(one, BaseModel) for one in now):
            at = chance.randrange(len(now))
            changed = [_wrong(one, given, chance) if n == at else one for n, one in enumerate(now)]
            options.append((name, [changed, now[:at] + now[at + 1 :]]))
        elif isinstance(now, list) and len(now) > 1:
            options.append((name, [now[:-1]]))
    if not options:
        return value
    name, others = chance.choice(options)
    return value.model_copy(update={name: chance.choice(others)})


def _others(mark: Listed, now: Any, given: BaseModel) -> list[Any]:
    if now == "" or now == []:
        return []
    if mark.by == "key":
        return [key for key in keys_of(given, mark.of) if key != now]
    many = range(len(getattr(given, mark.of, ())))
    if isinstance(now, list):
        return [[n] for n in many if n not in now]
    return [n for n in many if n != now]


# -- careless ------------------------------------------------------------------------------


def carelessly(
    model: type[BaseModel],
    said: Mapping[str, Any],
    given: BaseModel,
    chance: random.Random,
    share: float,
) -> dict[str, Any]:
    """The same reply as such models write it: nothing in it means anything else."""

    def often() -> bool:
        return chance.random() < share

    reply = dict(said)
    if issubclass(model, Choice) and isinstance(reply.get("action"), dict):
        reply["action"] = _fields(model, reply["action"], given, chance, share)
        beside = {name: reply[name] for name in model.beside if name in reply}
        if often():
            reply = {"thought": reply.get("thought", ""), **reply["action"], **beside}
            junk = often() and reply.get("tool") not in ("rank", "group", "compute")
            reply |= {"operation": "none", "position": "first"} if junk else {}
    else:
        reply = _fields(model, reply, given, chance, share)
    for name, info in model.model_fields.items():
        said_why = name in _REASONS and name in reply and not info.is_required()
        if said_why and name != "reason" and often():
            del reply[name]
    if "sufficient" in reply and often():
        del reply["sufficient"]  # whether there is an answer says it
    if often():
        reply["confidence"] = "high"
    return reply


def _fields(
    model: type[BaseModel],
    said: Mapping[str, Any],
    given: BaseModel,
    chance: random.Random,
    share: float,
) -> dict[str, Any]:
    reply = dict(said)
    for name, info in model.model_fields.items():
        if name not in reply:
            if not info.is_required() and chance.random() < share / 4:
                reply[name] = None
            continue
        mark = next((m for m in info.metadata if isinstance(m, Listed)), None)
        if mark and chance.random() < share:
            reply[name] = _in_words(mark, reply[name], given, chance)
        elif get_origin(info.annotation) is list:
            (inner,) = get_args(info.annotation)
            if isinstance(inner, type) and issubclass(inner, BaseModel):
                reply[name] = [
                    one if isinstance(one, str) else _fields(inner, one, given, chance, share)
                    for one in reply[name]
                ]
        elif isinstance(reply[name], str) and name == "verdict" and chance.random() < share:
            reply[name] = reply[name].upper()
    return reply


def _in_words(mark: Listed, said: Any, given: BaseModel, chance: random.Random) -> Any:
    """A key by its name or beside it, a position by what stands there if that is clear."""
    if isinstance(said, list):
        return [f"[{n}]" for n in said] if chance.random() < 0.5 else ", ".join(map(str, said))
    if mark.by == "key":
        every = keys_of(given, mark.of)
        if said not in every or mark.of == "sets":
            return said
        names = every[said]
        label = names[2] if len(names) > 2 else said
        if sum(other[2:3] == (label,) for other in every.values()) > 1:
            return f"{names[1]} {label}"
        ways = [label, f"{names[1]} {label}", f"{label} ({names[1]})", _misspelt(label)]
        return chance.choice(ways)
    things: Sequence[Any] = getattr(given, mark.of, ())
    if not (isinstance(said, int) and 0 <= said < len(things)):
        return said
    labels = [names_of(thing)[1:2] or names_of(thing) for thing in things]
    if labels.count(labels[said]) == 1 and chance.random() < 0.5:
        return labels[said][0]
    return f"[{said}]"


def _misspelt(label: str) -> str:
    """Two letters exchanged in the middle of a long name."""
    if len(label) < 9:
        return label
    at = len(label) // 2
    return label[:at] + label[at + 1] + label[at] + label[at + 2 :]
