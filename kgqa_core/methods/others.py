"""Methods that others wrote: a function, a class or a `Method`, in a package or in a file."""

from __future__ import annotations

import importlib.util
import inspect
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, get_type_hints

from pydantic import BaseModel

from kgqa_core.ask.events import Answer, Sentence
from kgqa_core.ask.method import Method
from kgqa_core.ask.run import Solve, Steps, Toolkit
from kgqa_core.errors import SettingsError

_NAME = re.compile(r"[a-z0-9-]{1,40}")


class NoParams(BaseModel):
    """Of a method without parameters."""


def is_file(name: str) -> bool:
    """Whether a name of a method is that of a file: `path/to/file.py`, `path/to/file.py:solve`."""
    return name.partition(".py")[2][:1] in ("", ":") and ".py" in name


def from_file(name: str) -> Method:
    """The method in a file. Raises SettingsError for one that cannot be read or has none."""
    place, _, attribute = name.rpartition(".py")
    path = Path(f"{place}.py").expanduser().absolute()
    wanted = attribute.removeprefix(":")
    module = _module(path)
    found = [wanted] if wanted else [n for n in ("METHOD", "solve") if hasattr(module, n)]
    if not found or not hasattr(module, found[0]):
        raise SettingsError(
            f"There is no {wanted or 'METHOD or solve'} in {path}: write FILE.py:NAME with the "
            "name of a function, a class or a Method."
        )
    called = path.stem if found[0] in ("METHOD", "solve") else found[0]
    return as_method(getattr(module, found[0]), called)


def _module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"kgqa_method_{path.stem}", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise SettingsError(f"There is no file {path}: --method takes FILE.py:NAME.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module  # where annotations are looked up
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))  # it may import what lies beside it
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # whatever strange code may raise
        why = " ".join(f"{type(error).__name__}: {error}".split())[:300]
        raise SettingsError(f"{path} cannot be run ({why}): correct it.") from error
    return module


def as_method(thing: object, name: str) -> Method:
    """A `Method` as it is; a class by its `solve`; a function of question, tools and parameters.

    The third argument's annotation says which parameters there are; without one, there are none.
    A function that is no generator returns its answer at once; text is an answer without facts.
    A class or function may have `title`, `about` and `paper`. Raises SettingsError for anything
    else.
    """
    if isinstance(thing, Method):
        return thing
    about = inspect.getdoc(thing) or ""
    solve = thing
    if inspect.isclass(thing):
        try:
            solve = getattr(thing(), "solve", None)
        except TypeError as error:
            raise SettingsError(f"The class of “{name}” needs arguments: give it none.") from error
    if not callable(solve):
        raise SettingsError(f"“{name}” is not a method: give a function, a class or a Method.")
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    if not _NAME.fullmatch(slug):
        raise SettingsError(f"A method cannot be called “{name}”: use letters, digits and hyphens.")
    params = _params_of(solve, name)
    return Method(
        slug,
        str(getattr(thing, "title", "") or name.replace("_", " ").replace("-", " ").capitalize()),
        _generator(solve, takes_params=params is not NoParams),
        params,
        str(getattr(thing, "about", "") or " ".join(about.split("\n\n")[0].split()) or "Your own."),
        str(getattr(thing, "paper", "") or "your own"),
    )


def _params_of(solve: Callable[..., Any], name: str) -> type[BaseModel]:
    try:
        takes = list(inspect.signature(solve).parameters)
        hints = get_type_hints(solve if inspect.isroutine(solve) else type(solve).__call__)
    except (TypeError, ValueError, NameError) as error:
        raise SettingsError(f"“{name}” cannot be read as a method: {error}.") from error
    if len(takes) == 2:
        return NoParams
    params = hints.get(takes[2]) if len(takes) == 3 else None
    if not (isinstance(params, type) and issubclass(params, BaseModel)):
        raise SettingsError(
            f"“{name}” takes ({', '.join(takes)}): write (question, tools) or (question, tools, "
            "params: Params) with a pydantic model."
        )
    return params


def _generator(solve: Callable[..., Any], takes_params: bool) -> Solve:
    def steps(question: str, tools: Toolkit, params: BaseModel) -> Steps[Answer]:
        given = (question, tools, params) if takes_params else (question, tools)
        result = solve(*given)
        if inspect.isgenerator(result):
            result = yield from result
        if isinstance(result, str):
            return Answer(sentences=(Sentence(text=result),) if result.strip() else ())
        if not isinstance(result, Answer):
            raise SettingsError(
                f"The method returned {type(result).__name__}: return an Answer, or text."
            )
        return result

    return steps
