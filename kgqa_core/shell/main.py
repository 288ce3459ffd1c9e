"""The same runs from a shell. JSON goes to stdout, errors to stderr in one line.

Exit code 0: answered or abstained; 1: failed; 2: bad usage; 130: stopped.
"""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import NoReturn

from kgqa_core import __version__
from kgqa_core.errors import KGQAError, SettingsError

_COMMANDS = (  # the files of this folder that are commands; only the one that is called is read
    "app",
    "ask",
    "methods",
    "bench",
    "datasets",
    "load",
    "index",
    "check",
    "passages",
    "learn",
    "gallery",
    "prepare",
)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise SettingsError(f"{message}. See `{self.prog} --help`.")


def main(argv: Sequence[str] | None = None) -> int:
    argv = sys.argv[1:] if argv is None else argv
    try:
        with _unsearched():
            parser = _arguments(argv[0] if argv else "")
        args = parser.parse_args(argv)
        if argv[0] != "app":  # its pages tell
            from kgqa_core.opening import extension_problems

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


def _arguments(called: str) -> argparse.ArgumentParser:
    parser = _Parser(prog=_called(), description="Ask a knowledge graph questions.")
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=_Parser)
    for command in (called,) if called in _COMMANDS else _COMMANDS:
        import_module(f"kgqa_core.shell.{command}").register(commands)
    return parser


@contextmanager
def _unsearched() -> Iterator[None]:
    """What is imported stays: to look through it for garbage takes a fifth of the time to start."""
    on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if on:
            gc.enable()


def _called() -> str:
    """How the shell was started, for its help."""
    return "kgqa" if Path(sys.argv[0]).stem == "kgqa" else "python -m kgqa_core"


def _fail(error: KGQAError, code: int) -> int:
    print(f"kgqa: {' '.join(str(error).split())}", file=sys.stderr)
    return code
