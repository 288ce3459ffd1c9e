"""The whole table, as `SECURITY.md` quotes it."""

import sys
import tempfile
import time
from pathlib import Path

from tests.faults import graphs, models
from tests.faults.cells import table

if __name__ == "__main__":
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        found = models.cells(Path(folder), tuple(sys.argv[1:]))
    print(table("Models", found))
    print(table("Graphs", graphs.cells()))
    print(f"{time.monotonic() - began:.0f} s")
