"""The chapters of `docs/` that repeat what the code says: `make docs` writes them anew.

A test holds them against the code, so none of them is edited by hand.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, get_args, get_origin
from typing import Literal as OneOf

from pydantic.fields import FieldInfo

from kgqa_core.facts import compute
from kgqa_core.methods import METHODS, presets, walk
from kgqa_core.settings import Settings
from tests.places import ROOT

DOCS = ROOT / "docs"
_ROOMS = (
    *("facts", "kg", "search", "ask", "methods", "reader", "llm", "opening", "history"),
    *("evaluation", "render", "shell", "screens", "notebook"),
)
_BASE = ("errors", "settings", "places", "background", "text", "extensions", "network")
_UNDER = "kgqa_core"


def methods() -> str:
    lines = [
        "# Methods and their parameters",
        "",
        "A parameter is set on the page (the sliders beside the method) or with `--param "
        "NAME=VALUE`. “As published”: what its paper has instead, all at once by the preset of "
        "that name, on the page or with `--preset as-published`; where each is said stands in "
        "`assets/presets.tsv`.",
    ]
    for method in METHODS.values():
        module = METHODS[method.name].solve.__module__.replace(".", "/")
        lines += ["", f"## {method.title} (`{method.name}`)", ""]
        paper = method.paper[:1].upper() + method.paper[1:]
        lines += [f"{method.about} {paper}. In `{module}.py`.", ""]
        lines += [
            "| parameter | default | as published | values | meaning |",
            "|---|---|---|---|---|",
        ]
        published = presets.values(method, presets.names(method)[-1])
        for name, field in method.params.model_fields.items():
            default = field.get_default(call_default_factory=True)
            other = published.get(name, default)
            lines.append(
                f"| `{name}` | {_shown(default)} | {'' if other == default else _shown(other)} | "
                f"{_values(field)} | {_cell(field.description or '')} |"
            )
        if method.name == "react":
            lines += _meanings("action", walk.TOOLS) + _meanings("test of keep", walk.TESTS)
            lines += _meanings("operation of compute", compute.MEANINGS)
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    """Text in a table: a bar would end the cell."""
    return text.replace("|", "\\|")


def _meanings(what: str, table: Mapping[Any, str]) -> list[str]:
    rows = [f"| `{name}` | {meaning} |" for name, meaning in table.items()]
    return ["", f"| {what} | meaning |", "|---|---|", *rows]


def settings() -> str:
    lines = [
        "# Settings",
        "",
        "Environment variables; a file `.env` beside the app holds the same. A blank one counts as "
        "unset.",
        "",
        "| variable | default | meaning |",
        "|---|---|---|",
    ]
    for name, field in Settings.model_fields.items():
        variable = name.upper() if name.startswith("openai_") else f"KGQA_{name.upper()}"
        default = "`~/.local/share/kgqa-explorer`" if name == "data_dir" else _shown(field.default)
        lines.append(f"| `{variable}` | {default} | {field.description} |")
    return "\n".join(lines) + "\n"


def rooms() -> str:
    """The rooms from the ground up, with what their files say of themselves."""
    lines = [
        "# Map",
        "",
        "The rooms of `kgqa_core`, from the ground up. Each imports from those above it in this "
        "list, none from those below (`lint-imports` checks it); Streamlit is under `screens/` "
        "alone. `tests/` has a folder for each room.",
        "",
        "## The ground",
        "",
    ]
    lines += [_line(ROOT / _UNDER / f"{name}.py") for name in _BASE]
    for name in _ROOMS:
        place = ROOT / _UNDER / name
        if not place.is_dir():
            lines += ["", f"## {name}", "", _line(place.with_suffix(".py"))]
            continue
        lines += ["", f"## {name}/", "", _said(place / "__init__.py"), ""]
        files = [p for p in sorted(place.rglob("*.py")) if p.name != "__init__.py"]
        lines += [_line(path) for path in files]
    return "\n".join(lines) + "\n"


def _line(path: Path) -> str:
    return f"- `{path.relative_to(ROOT / _UNDER)}`: {_said(path)}"


def _said(path: Path) -> str:
    """The first sentence of a module's docstring."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return " ".join(text.split("\n\n")[0].split())


def _shown(default: object) -> str:
    if default is None or default in ("", [], {}):
        return "–"
    return f"`{default}`"


def _values(field: FieldInfo) -> str:
    if get_origin(field.annotation) is OneOf:
        return ", ".join(f"`{v}`" for v in get_args(field.annotation))
    low = next((m.ge for m in field.metadata if hasattr(m, "ge")), None)
    high = next((m.le for m in field.metadata if hasattr(m, "le")), None)
    if low is None and high is None:
        return ""
    return f"{'' if low is None else low} … {'' if high is None else high}".strip()


CHAPTERS: dict[Path, Callable[[], str]] = {
    DOCS / "methods.md": methods,
    DOCS / "settings.md": settings,
    DOCS / "map.md": rooms,
}

if __name__ == "__main__":
    DOCS.mkdir(exist_ok=True)
    for path, written in CHAPTERS.items():
        path.write_text(written(), encoding="utf-8")
        print(path.relative_to(ROOT))
