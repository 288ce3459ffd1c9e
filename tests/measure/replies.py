"""What a strict schema makes a model write: reply tokens by skill, over the worked examples.

    python -m tests.measure.replies [--tokenizer FILE]

Every field that the schema demands is written, with null or an empty list where the example says
nothing there, as an endpoint that enforces the schema has it. Told apart: what stands in the field
that comes first and thinks, fields that say nothing (with their names), and all the rest. Cut by
the tokenizer of FILE, a `tokenizer.json` such as models come with; without one by MiniLM's, which
counts every quote and bracket of JSON.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from pydantic import BaseModel
from tokenizers import Tokenizer

import kgqa_core.methods  # noqa: F401  which registers the skills
from kgqa_core.ask.skill import AsPut, Skill, registered
from kgqa_core.llm import prompt
from tests.measure.calls import counter

THINKS = frozenset({"thought", "why", "reasoning"})  # what comes before a choice


def enforced(schema: Mapping[str, Any], said: Any, root: Mapping[str, Any] | None = None) -> Any:
    """`said` with all that a schema demands beside it."""
    root = root or schema
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[-1]
        return enforced(root["$defs"][name], said, root)
    if options := schema.get("anyOf"):
        fitting = [form for form in options if _fits(form, said, root)]
        return min((enforced(f, said, root) for f in fitting), key=_length) if fitting else said
    if schema.get("type") == "object" and isinstance(said, Mapping):
        return {n: enforced(p, said.get(n), root) for n, p in schema["properties"].items()}
    if schema.get("type") == "array":
        return [enforced(schema["items"], one, root) for one in said or ()]
    return said


def _length(value: Any) -> int:
    return len(json.dumps(value))


def _fits(form: Mapping[str, Any], said: Any, root: Mapping[str, Any]) -> bool:
    if "$ref" in form:
        return _fits(root["$defs"][form["$ref"].rsplit("/", 1)[-1]], said, root)
    if form.get("type") == "object":
        of = form["properties"]
        known = isinstance(said, Mapping) and said.keys() <= of.keys()
        return known and all(v in of[k].get("enum", [v]) for k, v in said.items())
    if form.get("type") == "null":
        return said is None
    return said is not None and not isinstance(said, Mapping)


def empty(value: Any) -> Iterator[tuple[str, Any]]:
    """The fields, at any depth, that say nothing."""
    for name, part in value.items() if isinstance(value, Mapping) else ():
        if part is None or part == []:
            yield name, part
        yield from empty(part)
    for part in value if isinstance(value, list) else ():
        yield from empty(part)


def replies(skill: Skill[Any]) -> Iterator[dict[str, Any]]:
    """Each worked example's reply as a strict schema has it written; none where there is none."""
    for given, reply in skill.examples:
        schema = prompt.reply_schema(skill.reply, None if isinstance(given, AsPut) else given)
        if schema is not None and isinstance(reply, BaseModel):
            yield enforced(schema, json.loads(prompt.written(reply, given, enforced=True)))


def tokens(tokenizer: Any, value: Any) -> int:
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return len(tokenizer.encode(text, add_special_tokens=False).ids)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--tokenizer", metavar="FILE", default="")
    file = parser.parse_args().tokenizer
    count = partial(tokens, Tokenizer.from_file(file) if file else counter())
    print("skill | reply tokens | thinks | says nothing | the rest | empty fields")
    for name, skill in sorted(registered().items()):
        found = list(replies(skill))
        if not found:
            continue
        n = len(found)
        whole = sum(map(count, found)) / n
        thinks = sum(count({k: v}) for f in found for k, v in f.items() if k in THINKS) / n
        nothing = [pair for f in found for pair in empty(f)]
        spent = sum(count({k: v}) - 1 for k, v in nothing) / n  # without the braces, with a comma
        names = ", ".join(dict.fromkeys(k for k, _ in nothing))
        rest = whole - thinks - spent
        print(f"{name} | {whole:.0f} | {thinks:.0f} | {spent:.0f} | {rest:.0f} | {names}")


if __name__ == "__main__":
    main()
