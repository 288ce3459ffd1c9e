"""A reply of the model as a form: a widget for each field, also of the steps and facts in it.

What stands in lists (further steps, sentences, verdicts, premises) is edited item by item, and
items can be added and left out. JSON is there for those who ask for it, and it is the same reply.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin
from typing import Literal as OneOf

import streamlit as st
from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from kgqa_core.ask import events
from kgqa_core.ask.events import Asked, Record
from kgqa_core.ask.skill import Choice, Skill, registered
from kgqa_core.errors import misfit
from kgqa_core.render.steps import escape
from kgqa_core.text import shortened

_MOST_SHOWN = 120  # characters of a fact in a line

_LABELS = {  # where a field's own name says little
    "of": "Of which set",
    "with_set": "With which other set",
    "at": "At what time",
    "added": "Facts added",
    "indices": "Those chosen",
    "mentions": "Names in the question",
    "index": "Number of the chosen one",
    "then": "Further steps",
    "do": "What to do",
    "dep": "Needs the sub-questions",
    "path": "Along the relations",
    "less": "Less the relation",
    "per": "Per relation",
    "otherwise": "Only where the step before found nothing",
}
_ONE = {  # what one item of a list is called
    "then": "Further step",
    "steps": "Step",
    "parts": "Sub-question",
    "axioms": "Rule",
    "path": "Relation",
    "picked": "Choice",
    "chosen": "Choice",
}


def lean(event: Asked) -> dict[str, Any]:
    """What a reply says beyond the usual values, also of the further steps in it."""
    skill = registered().get(event.skill)
    parsed = event.parsed or {}
    try:
        reply = skill.reply.model_validate(parsed) if skill else None
    except ValidationError:  # of a run that an older version kept: as it was said
        reply = None
    return parsed if reply is None else reply.model_dump(mode="json", exclude_defaults=True)


class ReplyForm:
    """The form of one reply. `key`: what the keys of its widgets begin with.

    What is added to or left out of lists is kept in the session under `KEY:lists`; a reply that
    was written as JSON, from which the form begins anew, under `KEY:said`.
    """

    def __init__(self, skill: Skill[Any], records: Sequence[Record], at: int, key: str) -> None:
        event = records[at].event
        assert isinstance(event, Asked)
        self._reply: type[BaseModel] = skill.reply
        self._key = key
        self._relations = _relations(records, at)
        self._facts = numbered_facts(event.prompt)
        kept: dict[str, Any] | None = st.session_state.get(f"{key}:said")
        self._said: dict[str, Any] = lean(event) if kept is None else kept

    def draw(self) -> None:
        """The widgets, or one box of JSON."""
        if st.session_state.get(f"{self._key}:raw"):
            st.text_area("Reply as JSON", key=f"{self._key}:json", height=240)
        else:
            self._model(self._reply, self._said, self._key)
        st.toggle(
            "Raw",
            key=f"{self._key}:raw",
            on_change=self._switch,
            help="The whole reply as JSON",
        )
        problem = st.session_state.pop(f"{self._key}:problem", "")
        if problem:
            st.warning(escape(problem))

    def given(self) -> dict[str, Any]:
        """The reply as it stands there. Raises ValueError for what cannot be read."""
        if not st.session_state.get(f"{self._key}:raw"):
            return self._read(self._reply, self._said, self._key, whole=True)
        reply = json.loads(st.session_state[f"{self._key}:json"])
        if not isinstance(reply, dict):
            raise ValueError("it is to be one object, in braces")
        return reply

    def _switch(self) -> None:
        """A callback: what stood in one view stands in the other."""
        state, raw = st.session_state, st.session_state[f"{self._key}:raw"]
        state[f"{self._key}:raw"] = not raw  # it is the other view that is read
        try:
            reply = self.given()
            if not raw:
                self._reply.model_validate(reply)
        except ValueError as error:  # half-written: nothing of it is lost
            why = misfit(error) if isinstance(error, ValidationError) else str(error)
            state[f"{self._key}:problem"] = f"This cannot be shown yet: {why}."
            state[f"{self._key}:raw"] = not raw
            return
        state[f"{self._key}:raw"] = raw
        state[f"{self._key}:said"] = reply
        state.pop(f"{self._key}:lists", None)
        if raw:
            state[f"{self._key}:json"] = json.dumps(reply, ensure_ascii=False, indent=1)

    # -- drawing -------------------------------------------------------------------------------

    def _model(self, model: type[BaseModel], said: Mapping[str, Any], key: str) -> None:
        """The fields of a model; those that say nothing here, out of the way."""
        if issubclass(model, Choice):
            for name in _tool(model, said, key):
                self._field(model, name, said, key)
            return
        fields = model.model_fields
        top = model is self._reply
        first = [
            name
            for name, info in fields.items()
            if top or info.is_required() or name in said or name == "facts"
        ]
        others = [name for name in fields if name not in first]
        for name in first:
            self._field(model, name, said, key)
        if others:
            with st.expander("More fields", type="compact", key=f"{key}:others"):
                for name in others:
                    self._field(model, name, said, key)

    def _field(self, model: type[BaseModel], name: str, said: Mapping[str, Any], key: str) -> None:
        """A widget for one field, by its type."""
        info, widget = model.model_fields[name], f"{key}:{name}"
        kind, value, label, about = info.annotation, _value(info, said, name), _label(name), info
        item, most = _items(kind)
        if item is int:
            self._numbers(name, value or [], widget, about.description)
        elif item is str:
            lines = "\n".join(map(str, value or []))
            st.text_area(
                f"{label}, one a line", lines, key=widget, height=90, help=about.description
            )
        elif item is not None:
            self._list(name, item, value or [], most, widget)
        elif kind is bool:
            st.checkbox(label, bool(value), key=widget, help=about.description)
        elif kind in (int, float):
            st.number_input(label, value=kind(value or 0), key=widget, help=about.description)
        elif get_origin(kind) is OneOf:
            known = list(get_args(kind))
            at = known.index(value) if value in known else 0
            st.selectbox(
                label,
                known,
                at,
                key=widget,
                format_func=lambda one: str(one).replace("_", " ") or "–",
                help=about.description,
            )
        elif name == "relation" and self._relations:
            self._relation(label, str(value or ""), widget)
        else:
            st.text_input(label, str(value or ""), key=widget, help=about.description)

    def _relation(self, label: str, said: str, widget: str) -> None:
        named = self._relations.get(said, said)
        others = [name for name in dict.fromkeys(self._relations.values()) if name != named]
        st.selectbox(
            label,
            [said, *others],
            0,
            key=widget,
            format_func=lambda name: named if name == said else name,
            accept_new_options=True,
            help="As the step saw them; another one can be typed",
        )

    def _numbers(self, name: str, said: Sequence[int], widget: str, about: str | None) -> None:
        """Facts by their words where the prompt has them; other numbers as numbers."""
        facts = self._facts if name in ("facts", "added", "indices") else {}
        if facts:
            st.multiselect(
                _label(name),
                [*facts, *(i for i in said if i not in facts)],
                [*said],
                key=widget,
                format_func=lambda i: f"[{i}] {facts.get(i, '')}",
                help="As the prompt below numbers them",
            )
        else:
            st.text_input(
                f"{_label(name)}, by their numbers",
                ", ".join(map(str, said)),
                key=widget,
                help=f"{about or 'Numbers'}; with commas between them",
            )

    def _list(
        self, name: str, item: type[BaseModel], said: Sequence[Any], most: int | None, key: str
    ) -> None:
        one = _ONE.get(name, _label(name).removesuffix("s"))
        there = self._there(key, len(said))
        for number, i in enumerate(there, 1):
            with st.container(border=True, gap="small", key=f"{key}:{i}:box"):
                with st.container(horizontal=True, vertical_alignment="center"):
                    title = one if most == 1 else f"{one} {number}"
                    st.markdown(f"**{escape(title)}**")
                    st.button(
                        "Leave out",
                        key=f"{key}:{i}:out",
                        icon=":material/close:",
                        type="tertiary",
                        on_click=there.remove,
                        args=(i,),
                    )
                self._model(item, _item(said, i), f"{key}:{i}")
        if most is None or len(there) < most:
            st.button(
                f"Add a {one[0].lower()}{one[1:]}",
                key=f"{key}:add",
                icon=":material/add:",
                type="tertiary",
                on_click=lambda: there.append(max([len(said) - 1, *self._made(key)]) + 1),
            )

    def _there(self, key: str, said: int) -> list[int]:
        """Which items of a list are there: those said by their positions, then new ones."""
        lists = st.session_state.setdefault(f"{self._key}:lists", {})
        there: list[int] = lists.setdefault(key, list(range(said)))
        self._made(key).update(there)
        return there

    def _made(self, key: str) -> set[int]:
        """All numbers that items of a list ever had: one left out is not had again."""
        lists = st.session_state.setdefault(f"{self._key}:lists", {})
        made: set[int] = lists.setdefault(f"{key}:made", set())
        return made

    # -- reading -------------------------------------------------------------------------------

    def _read(
        self, model: type[BaseModel], said: Mapping[str, Any], key: str, *, whole: bool = False
    ) -> dict[str, Any]:
        """What the widgets hold. `whole`: also what is as usual and was not said."""
        names = list(model.model_fields)
        found: dict[str, Any] = {}
        if issubclass(model, Choice):
            chosen = str(st.session_state[f"{key}:tool"])
            names = _takes(model, chosen)
            found["tool"] = model.tools[chosen].form_of or chosen
        for name in names:
            info = model.model_fields[name]
            given = self._given(info.annotation, name, _value(info, said, name), f"{key}:{name}")
            usual = not info.is_required() and given == _usual(info)
            if whole or name in said or not usual:
                found[name] = given
        return found

    def _given(self, kind: Any, name: str, said: Any, widget: str) -> Any:
        item, most = _items(kind)
        if item is not None and item not in (int, str):
            items = [
                self._read(item, _item(said or [], i), f"{widget}:{i}")
                for i in self._there(widget, len(said or []))
            ]
            return items if most is None else next(iter(items), None)
        value = st.session_state.get(widget, said)  # not drawn: as it was said
        if item is str and isinstance(value, str):
            return [line.strip() for line in value.splitlines() if line.strip()]
        if item is int and isinstance(value, str):
            numbers = [part.strip() for part in value.split(",") if part.strip()]
            wrong = next((n for n in numbers if not re.fullmatch(r"-?\d{1,9}", n)), None)
            if wrong is not None:
                raise ValueError(f"“{_label(name)}” has “{wrong[:20]}” where a number is to stand")
            return [int(n) for n in numbers]
        return value


def _value(info: FieldInfo, said: Mapping[str, Any], name: str) -> Any:
    """What a field says; an only item as a list of one."""
    value = said.get(name, _usual(info))
    _, most = _items(info.annotation)
    if most == 1:
        return [] if value is None else [value]
    return value


def _usual(info: FieldInfo) -> Any:
    usual = None if info.is_required() else info.get_default(call_default_factory=True)
    return list(usual) if isinstance(usual, tuple) else usual


def _item(said: Sequence[Any], i: int) -> Mapping[str, Any]:
    one = said[i] if i < len(said) else {}
    return one if isinstance(one, Mapping) else {}


def _items(kind: Any) -> tuple[Any, int | None]:
    """What a field is a list of, and how many at most; a model that stands alone is a list of one.

    (None, None): no list.
    """
    if get_origin(kind) in (list, tuple):
        return get_args(kind)[0], None
    if get_origin(kind) in (Union, UnionType):
        kind = next(one for one in get_args(kind) if one is not NoneType)
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return kind, 1
    return None, None


def _tool(reply: type[Choice], said: Mapping[str, Any], key: str) -> list[str]:
    """What to do, chosen from words; the fields that this takes, the needed first."""
    names = list(reply.tools)
    tool = said.get("tool", "")
    form = [n for n in names if reply.tools[n].form_of == tool and _says(said, reply, n)]
    at = names.index(form[0] if form else tool) if tool in names or form else 0
    chosen = st.selectbox(
        "What to do",
        names,
        at,
        key=f"{key}:tool",
        format_func=lambda name: f"{name}: {reply.tools[name].meaning}",
    )
    return _takes(reply, chosen)


def _takes(reply: type[Choice], chosen: str) -> list[str]:
    tool = reply.tools[chosen]
    thought = ["thought"] if "then" in reply.beside or not reply.beside else []
    return [*thought, *tool.takes, *tool.may_take, *reply.beside]


def _says(said: Mapping[str, Any], reply: type[Choice], name: str) -> bool:
    """Whether the reply uses a field that only this form of a tool may take."""
    return any(said.get(field) for field in reply.tools[name].may_take)


def _label(name: str) -> str:
    return _LABELS.get(name, name.replace("_", " ").capitalize())


def _relations(records: Sequence[Record], before: int) -> dict[str, str]:
    """The relations there were to choose from, by id, as the latest look around named them."""
    surveyed = [r.event for r in records[:before] if isinstance(r.event, events.Surveyed)]
    return {use.relation.id: use.relation.name for e in surveyed[-5:] for use in e.relations}


_VALUE = re.compile(r"\[(\d{1,5})\] (.*?)(?=; \[\d{1,5}\] |; \d[\d,]* older$|$)")


def numbered_facts(prompt: str) -> dict[int, str]:
    """The facts that a prompt numbers, in a line each; empty where it shows none.

    They stand in its last block of data, under “facts” or “gold”, by subject and relation.
    """
    block = prompt.rpartition("<data>")[2].partition("</data>")[0]
    found: dict[int, str] = {}
    inside, head = False, ""
    for line in block.splitlines():
        if not line.startswith(" "):
            inside = line.strip() in ("facts:", "gold:")
        elif inside and not (values := _VALUE.findall(line)):
            head = line.strip()
        elif inside:
            before = line.partition("[")[0].strip().removesuffix(":")
            start = f"{head} — {before} — " if before else ""
            for number, text in values:
                found[int(number)] = shortened(f"{start}{text}", _MOST_SHOWN)
    return found
