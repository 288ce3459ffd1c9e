"""What pyproject.toml cannot say: app, pages and assets go into the package, as `program`."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent


class Build(build_py):
    def run(self) -> None:
        super().run()
        if self.editable_mode:  # they are found beside the package
            return
        program = Path(self.build_lib) / "kgqa_core" / "program"
        shutil.rmtree(program, ignore_errors=True)
        for name in ("pages", "assets"):
            shutil.copytree(
                ROOT / name,
                program / name,
                ignore=shutil.ignore_patterns("__pycache__", "screenshots"),
            )
        shutil.copy(ROOT / "app.py", program)
        (program / ".streamlit").mkdir()
        shutil.copy(ROOT / ".streamlit" / "config.toml", program / ".streamlit")


setup(cmdclass={"build_py": Build})
