"""`ask`: one question; the answer with its facts, or the whole run as JSON."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from typing import Any, get_args

from kgqa_core.ask.audit import Auditing
from kgqa_core.ask.events import Record, Step, status_of
from kgqa_core.ask.outcome import (
    answer_of,
    audit_of,
    calls_in_words,
    document,
    total_cost,
    warnings,
)
from kgqa_core.ask.run import run
from kgqa_core.facts import verbalise
from kgqa_core.network import whole_text
from kgqa_core.opening import open_auditor
from kgqa_core.shell import options
from kgqa_core.text import counted


def register(commands: Any) -> None:
    """Adds the command to the shell's."""
    ask = commands.add_parser("ask", help="answer one question")
    ask.add_argument("question", metavar="QUESTION")
    options.add_run_options(ask)
    ask.add_argument("--json", action="store_true", help="print the whole run as JSON")
    ask.add_argument(
        "--audit",
        choices=get_args(Auditing),
        help="who checks the answer claim by claim; otherwise KGQA_AUDIT",
    )
    ask.set_defaults(command=_ask)


def _ask(args: argparse.Namespace) -> int:
    setup = options.opened(args)
    if args.audit:
        setup = replace(setup, auditor=open_auditor(args.audit))
    options.prepare(setup)
    records = []
    question = whole_text(args.question)  # a terminal may send bytes that are no text
    for record in run(question, setup.solve, setup.toolkit(), setup.params):
        records.append(record)
        if not args.json and isinstance(record.event, Step):
            print(f"· {record.event.title}", file=sys.stderr)
    status = status_of(records)
    found = document(question, setup.method.name, records)
    if args.json:
        print(json.dumps(found, ensure_ascii=False, indent=2))
    else:
        _print_answer(records)
    if status == "failed":
        print(f"kgqa: {found['answer']['reason']}", file=sys.stderr)
    return {"failed": 1, "cancelled": 130}.get(status, 0)


def _print_answer(records: list[Record]) -> None:
    answer = answer_of(records)
    if not answer.sentences:
        if answer.reason:
            print(f"I do not know. {answer.reason}")
        return
    for sentence in answer.sentences:
        marks = "".join(f"[{i + 1}]" for i in sentence.cites) or "[ungrounded]"
        print(sentence.text, marks)
    for i, item in enumerate(answer.citations, 1):
        print(f"  [{i}] {verbalise.support(item)}")
    if (checked := audit_of(records)) is not None:
        print(f"Audit by the {checked.by}: {checked.summary}")
        for claim in checked.claims:
            if claim.mark != "supported":
                print(f"  {claim.mark}: {claim.text}" + (f" ({claim.why})" if claim.why else ""))
    if answer.reading and not answer.certain:
        print(f"Not certain. Read as: {answer.reading}")
    for text in warnings(records):
        print(f"Note: {text}")
    cost = total_cost(records)
    print(
        f"{calls_in_words(records).capitalize()}, "
        f"{cost.prompt_tokens + cost.completion_tokens:,} tokens, "
        f"{counted(cost.kg_requests, 'graph request')}, {cost.seconds:.2f} s",
        file=sys.stderr,
    )
