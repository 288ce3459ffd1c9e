"""The same runs from a shell. JSON goes to stdout, errors to stderr in one line.

Exit code 0: answered or abstained; 1: failed; 2: bad usage; 130: stopped.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from kgqa_core import __version__
from kgqa_core.errors import KGQAError, SettingsError
from kgqa_core.opening import extension_problems
from kgqa_core.shell import (
    app,
    ask,
    bench,
    check,
    datasets,
    gallery,
    index,
    learn,
    load,
    methods,
    passages,
)

_COMMANDS = (app, ask, methods, bench, datasets, load, index, check, passages, learn, gallery)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise SettingsError(f"{message}. See `{self.prog} --help`.")


def main(argv: Sequence[str] | None = None) -> int:
    try:
        args = _arguments().parse_args(argv)
        for problem in extension_problems():
            print(f"kgqa: {problem}", file=sys.stderr)
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
    parser = _Parser(prog=_called(), description="Ask a knowledge graph questions.")
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=_Parser)
    for command in _COMMANDS:
        command.register(commands)
    return parser


def _called() -> str:
    """How the shell was started, for its help."""
    return "kgqa" if Path(sys.argv[0]).stem == "kgqa" else "python -m kgqa_core"


def _fail(error: KGQAError, code: int) -> int:
    print(f"kgqa: {' '.join(str(error).split())}", file=sys.stderr)
    return code
