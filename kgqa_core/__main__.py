"""`python -m kgqa_core`: the shell."""

import sys

from kgqa_core.shell.main import main

if __name__ == "__main__":
    sys.exit(main())
