"""`requirements.lock`, every package with its hashes, and `docs/licences.md`: `make lock`.

PyTorch and its CUDA packages are left out of the lock: `Dockerfile` takes the CPU build from
PyTorch's own index, which is a tenth of the size.
"""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

from tests.places import ROOT

LOCK = ROOT / "requirements.lock"
LICENCES = ROOT / "docs" / "licences.md"
_ELSEWHERE = re.compile(r"(torch|triton|nvidia-|cuda-)")
_HEADING = (
    "# Written by `make lock`. PyTorch, which is not here, comes from its own index (Dockerfile).\n"
)


def locked() -> dict[str, str]:
    """Version by package."""
    return dict(re.findall(r"^([A-Za-z0-9_.-]+)(?:\[[^]]*\])?==([^ \\]+)", LOCK.read_text(), re.M))


def wanted() -> dict[str, str]:
    """The same, of `requirements.txt`, without what the lock leaves out."""
    lines = (ROOT / "requirements.txt").read_text()
    found = re.findall(r"^([A-Za-z0-9_.-]+)(?:\[[^]]*\])?==(\S+)", lines, re.M)
    return {name.lower(): version for name, version in found if not _ELSEWHERE.match(name)}


def write(uv: str) -> None:
    command = [uv, "pip", "compile", "requirements.txt", "--generate-hashes", "--no-header"]
    command += ["--python-version", "3.11", "--no-annotate", "--quiet"]
    text = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    blocks = re.split(r"(?m)^(?=[A-Za-z0-9])", text)
    LOCK.write_text(_HEADING + "".join(b for b in blocks if not _ELSEWHERE.match(b)))
    LICENCES.write_text(licences())


def licences() -> str:
    """Each package that is installed with the app, and under which licence."""
    lines = ["# Licences of what is installed with it", ""]
    lines += ["Written by `make lock` from what the packages say of themselves.", ""]
    lines += ["| package | version | licence |", "|---|---|---|"]
    for name, version in sorted((locked() | {"torch": "2.13.0"}).items()):
        lines.append(f"| {name} | {version} | {_licence(name)} |")
    return "\n".join(lines) + "\n"


def _licence(name: str) -> str:
    try:
        about = metadata.metadata(name)
    except metadata.PackageNotFoundError:
        return "not installed on this system"
    said = about.get("License-Expression") or ""
    if not said:
        marks = [c for c in about.get_all("Classifier") or () if c.startswith("License ::")]
        said = ", ".join(mark.rpartition(" :: ")[2] for mark in marks)
    said = said or (about.get("License") or "").strip().partition("\n")[0][:60]
    return said.replace("|", "/") or "not said"


if __name__ == "__main__":
    write(str(Path(sys.executable).parent / "uv"))
