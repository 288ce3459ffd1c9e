"""A build in the background, and the end of the process while it goes on."""

import subprocess
import sys

from tests.places import ROOT

ENDING = """
import threading, time
from kgqa_core.search.build import Build

begun = threading.Event()


class Index:
    def open(self):
        begun.set()
        time.sleep(0.3)  # as a library that loads: to end meanwhile would be an abort

    def build(self, on_progress, **_):
        raise AssertionError("the build was called off")


class Told(Build):
    def do(self):
        try:
            super().do()
        finally:
            print("called off", flush=True)


Told(Index())
begun.wait()
"""


def test_a_process_that_ends_calls_a_build_off_and_waits_for_it():
    done = subprocess.run(
        [sys.executable, "-c", ENDING], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "called off\n"), done.stderr
    assert not done.stderr
