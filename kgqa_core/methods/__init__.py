"""The methods, a file or a folder each, and the one table that names them.

A method is a generator and a row: see `docs/extending.md`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from kgqa_core.ask.method import Method
from kgqa_core.errors import SettingsError
from kgqa_core.extensions import Extensions
from kgqa_core.methods import (
    cot,
    io,
    kaping,
    kb_binder,
    kgr,
    oda,
    one_hop,
    others,
    rag,
    rag_hybrid,
    rag_triples,
    react,
    sc,
    structgpt,
    tog,
)
from kgqa_core.methods.compass import algorithm as compass
from kgqa_core.methods.double import asking_both
from kgqa_core.methods.keqing import algorithm as keqing
from kgqa_core.methods.pgakv import algorithm as pgakv
from kgqa_core.methods.r3 import algorithm as r3

_TABLE = (  # the first is what is asked where nobody chose
    compass.METHOD,
    react.METHOD,
    one_hop.METHOD,
    kaping.METHOD,
    rag_triples.METHOD,
    rag_hybrid.METHOD,
    rag.METHOD,
    keqing.METHOD,
    pgakv.METHOD,
    r3.METHOD,
    kb_binder.METHOD,
    structgpt.METHOD,
    tog.METHOD,
    tog.TOG_R,
    oda.METHOD,
    kgr.METHOD,
    io.METHOD,
    cot.METHOD,
    cot.FEW_SHOT,
    sc.METHOD,
)


class Methods(Mapping[str, Method]):
    """All methods by name: those of the table, those of other packages, those read from files."""

    def __init__(self, table: Sequence[Method]) -> None:
        self._table = {method.name: asking_both(method) for method in table}
        self._packages = Extensions("kgqa_explorer.methods", self._made)
        self._files: dict[str, Method] = {}

    def __getitem__(self, name: str) -> Method:
        # strangers are looked for last: it takes a while, once
        return self._table[name] if name in self._table else self._all[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)

    @property
    def _all(self) -> dict[str, Method]:
        packages = {method.name: method for method in self._packages.found}
        files = {method.name: method for method in self._files.values()}
        return self._table | packages | files

    @property
    def problems(self) -> tuple[str, ...]:
        """Why methods of other packages could not be used, a sentence each."""
        return self._packages.problems

    @property
    def files(self) -> tuple[str, ...]:
        """What `read` was given: a worker process reads them, too."""
        return tuple(self._files)

    def read(self, name: str) -> Method:
        """The method in a file, `path/to/file.py:solve`, from now on one of these; read anew.

        Raises SettingsError for a file that has none.
        """
        method = self._checked(others.from_file(name))
        if method.name in {m.name for m in self._packages.found}:
            raise SettingsError(f"A package brings a method “{method.name}”: rename yours.")
        self._files = {n: m for n, m in self._files.items() if m.name != method.name}
        self._files[name] = method
        return method

    def _made(self, thing: object, name: str) -> Method:
        return self._checked(others.as_method(thing, name))

    def _checked(self, method: Method) -> Method:
        if method.name in self._table:
            raise SettingsError(f"There is a method “{method.name}” already: rename yours.")
        return asking_both(method)


METHODS = Methods(_TABLE)
DEFAULT = _TABLE[0].name
