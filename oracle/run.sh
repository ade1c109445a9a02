#!/bin/sh
# Reads our exported figures with other engines: oracle/run.sh BINARY
# Creates target/oracle-venv (once per requirements.txt) and runs exports.py in it. Python 3.11 or later.
set -eu
[ $# -eq 1 ] || { echo "usage: oracle/run.sh BINARY" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
venv=$here/../target/oracle-venv
if ! cmp -s "$here/requirements.txt" "$venv/installed.txt"; then
    rm -rf "$venv"
    mkdir -p "$here/../target"
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$here/requirements.txt"
    cp "$here/requirements.txt" "$venv/installed.txt"
fi
exec "$venv/bin/python" "$here/exports.py" "$1"
