"""The program as a wheel, installed where it sees this environment's packages, and nothing else."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

from tests.places import ROOT

_SOURCES = ("kgqa_core", "pages", "assets", ".streamlit")
_FILES = ("app.py", "setup.py", "pyproject.toml", "requirements.txt", "README.md", "LICENSE")


class Installed:
    """An environment of its own below `home`, and the folder `elsewhere` to run it from."""

    def __init__(self, home: Path) -> None:
        self.elsewhere = home / "elsewhere"
        self.elsewhere.mkdir()
        self._home = home
        venv.create(home / "venv", with_pip=False, symlinks=True)
        self.python = home / "venv" / "bin" / "python"
        found = subprocess.run(
            [self.python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
            capture_output=True,
            text=True,
            check=True,
        )
        self.packages = Path(found.stdout.strip())
        (self.packages / "these.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
        checkout = home / "checkout"
        for name in _SOURCES:
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / name, checkout / name, ignore=ignored)
        for name in _FILES:
            shutil.copy(ROOT / name, checkout)
        self.add(checkout)
        shutil.rmtree(checkout)  # what is installed finds nothing there

    def add(self, source: Path) -> None:
        """Builds a wheel of a folder and installs it, without its dependencies."""
        built = self._home / f"wheels-{source.name}"
        self._pip("wheel", "--no-build-isolation", "--wheel-dir", str(built), str(source))
        (wheel,) = built.glob("*.whl")
        self._pip("--python", str(self.python), "install", str(wheel))

    def _pip(self, *arguments: str) -> None:
        subprocess.run(
            [sys.executable, "-m", "pip", "--quiet", *arguments, "--no-deps", "--no-index"],
            check=True,
        )

    @property
    def environment(self) -> dict[str, str]:
        left_out = ("KGQA_", "OPENAI_", "PYTHON")
        kept = {n: v for n, v in os.environ.items() if not n.startswith(left_out)}
        return {**kept, "KGQA_DATA_DIR": str(self._home / "data")}

    def run(self, *command: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        """`kgqa …` or `python …`, from another folder."""
        done = subprocess.run(
            [str(self.python.with_name(command[0])), *command[1:]],
            cwd=self.elsewhere,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, done.stderr
        return done
