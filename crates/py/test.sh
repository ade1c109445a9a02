#!/bin/sh
# Builds and installs the Python package, checks its types, runs its tests and examples: crates/py/test.sh [PYTEST ARGS]
# Makes target/python-venv (once for each requirements.txt). Python 3.10 or later. PROFILE=dev compiles without full optimisation.
set -eu
cd "$(dirname "$0")/../.."
target=${CARGO_TARGET_DIR:-$PWD/target}
export CARGO_TARGET_DIR="$target"
venv=$target/python-venv
if ! cmp -s crates/py/requirements.txt "$venv/installed.txt"; then
    rm -rf "$venv"
    mkdir -p "$target"
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check -r crates/py/requirements.txt
    cp crates/py/requirements.txt "$venv/installed.txt"
fi
VIRTUAL_ENV=$(cd "$venv" && pwd)
PATH=$VIRTUAL_ENV/bin:$PATH
export VIRTUAL_ENV PATH
# as people install it; what cargo has built already is used
pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps --force-reinstall \
    --config-settings=build-args="--profile ${PROFILE:-release}" .
mypy crates/py/python/anthropi crates/py/examples
# what the stubs say is what the module has
MYPYPATH=crates/py/python python -m mypy.stubtest anthropi._anthropi --ignore-disjoint-bases
pytest --quiet "$@"
