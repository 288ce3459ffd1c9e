"""The same runs from a shell. JSON goes to stdout, errors to stderr in one line.

Exit code 0: answered or abstained; 1: failed; 2: bad usage; 130: stopped.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any, NoReturn, get_args

from pydantic import BaseModel

from kgqa_core import __version__
from kgqa_core.ask import audit
from kgqa_core.ask.audit import Auditing, audited
from kgqa_core.ask.document import answer_of, audit_of, document, total_cost, warnings
from kgqa_core.ask.events import Record, Step, status_of
from kgqa_core.ask.run import Toolkit, run
from kgqa_core.errors import KGQAError, SettingsError
from kgqa_core.facts import verbalise
from kgqa_core.history import gallery
from kgqa_core.methods import METHODS
from kgqa_core.settings import load_settings
from kgqa_core.shell import bench
from kgqa_core.shell import datasets as catalogue_command
from kgqa_core.shell import learn as learn_command
from kgqa_core.shell import load as load_command
from kgqa_core.shell import options as shell
from kgqa_core.shell import passages as passages_command


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise SettingsError(f"{message}. See `{self.prog} --help`.")


def main(argv: Sequence[str] | None = None) -> int:
    try:
        args = _arguments().parse_args(argv)
        return int(args.command(args))
    except SettingsError as error:
        return _fail(error, 2)
    except KGQAError as error:
        return _fail(error, 1)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        return 0


def _arguments() -> argparse.ArgumentParser:
    parser = _Parser(prog="python -m kgqa_core", description="Ask a knowledge graph questions.")
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=_Parser)

    ask = commands.add_parser("ask", help="answer one question")
    ask.add_argument("question", metavar="QUESTION")
    shell.add_run_options(ask)
    ask.add_argument("--json", action="store_true", help="print the whole run as JSON")
    ask.add_argument(
        "--audit",
        choices=get_args(Auditing),
        help="who checks the answer claim by claim; otherwise KGQA_AUDIT",
    )
    ask.set_defaults(command=_ask)

    methods = commands.add_parser("methods", help="list the methods and their parameters")
    methods.add_argument("--json", action="store_true")
    methods.set_defaults(command=_methods)

    bench.register(commands)
    catalogue_command.register(commands)
    load_command.register(commands)
    passages_command.register(commands)
    learn_command.register(commands)
    gallery.register(commands)
    return parser


def _ask(args: argparse.Namespace) -> int:
    opened = shell.opened(args)
    tools = Toolkit(
        opened.kg,
        opened.llm,
        index=opened.index,
        budget=opened.budget,
        scratch=opened.scratch,
    )
    records = []
    solve = audited(opened.method.solve, args.audit or load_settings().audit)
    for record in run(args.question, solve, tools, opened.params):
        records.append(record)
        if not args.json and isinstance(record.event, Step):
            print(f"· {record.event.title}", file=sys.stderr)
    status = status_of(records)
    found = document(args.question, opened.method.name, records)
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
        print(f"Audit by the {checked.by}: {audit.summary(checked)}")
        for claim in checked.claims:
            if claim.mark != "supported":
                print(f"  {claim.mark}: {claim.text}" + (f" ({claim.why})" if claim.why else ""))
    if answer.reading and not answer.certain:
        print(f"Not certain. Read as: {answer.reading}")
    for text in warnings(records):
        print(f"Note: {text}")
    cost = total_cost(records)
    print(
        f"{cost.llm_calls} model calls, {cost.prompt_tokens + cost.completion_tokens:,} tokens, "
        f"{cost.kg_requests} graph requests, {cost.seconds:.2f} s",
        file=sys.stderr,
    )


def _methods(args: argparse.Namespace) -> int:
    rows: list[dict[str, Any]] = [
        {
            "name": m.name,
            "title": m.title,
            "about": m.about,
            "paper": m.paper,
            "uses_graph": m.uses_graph,
            "params": _describe(m.params),
        }
        for m in METHODS.values()
    ]
    if args.json:
        print(json.dumps(rows, ensure_ascii=False, indent=2))
        return 0
    for row in rows:
        print(f"{row['name']:<14}{row['about']} ({row['paper']})")
        for p in row["params"]:
            print(f"    {p['name']}={p['default']!s:<10} {p['description']}")
    return 0


def _describe(params: type[BaseModel]) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "default": field.get_default(call_default_factory=True),
            "description": field.description or "",
        }
        for name, field in params.model_fields.items()
    ]


def _fail(error: KGQAError, code: int) -> int:
    print(f"kgqa: {' '.join(str(error).split())}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
