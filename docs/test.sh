#!/bin/sh
# The book and the README: their commands run, what they show is what comes, links and spelling. docs/test.sh [--write] [PAGE ...]
# Needs the program (cargo build --release -p anthropi) and Python 3.10 or later.
set -eu
exec python3 -B "$(dirname "$0")/test/main.py" "$@"
