#!/bin/sh
# What pip cannot install, on a fresh Debian or Ubuntu: `setup.sh venv DIR`, `setup.sh browser DIR`.
set -eu

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"
    elif command -v sudo >/dev/null; then sudo "$@"
    else echo "This step needs root: $*" >&2; return 1; fi
}

install() {
    as_root apt-get update -qq && as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

case "$1" in
venv)
    python=${PYTHON:-python3}
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
        echo "KGQA Explorer needs Python 3.11 or newer: make run PYTHON=/path/to/python3.11" >&2; exit 1; }
    [ -x "$2/bin/pip" ] || "$python" -m venv "$2" 2>/dev/null || { install python3-venv; "$python" -m venv "$2"; }
    ;;
browser)
    command -v chromium >/dev/null || command -v google-chrome >/dev/null ||
        install chromium fonts-dejavu-core || "$2/bin/playwright" install --with-deps chromium
    # a real triple store for the tests of SPARQL endpoints; they say so when they go without
    command -v virtuoso-t >/dev/null || install virtuoso-opensource-7-bin ||
        echo "Virtuoso could not be installed: its tests will be skipped." >&2
    # and a real database for runs that servers share; its tests say so when they go without
    ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || install postgresql ||
        echo "PostgreSQL could not be installed: its tests will be skipped." >&2
    ;;
esac
