#!/bin/sh
# Tests the page in a browser: web/test.sh. Builds it first; installs Debian's chromium where it can.
set -eu
cd "$(dirname "$0")"
command -v node >/dev/null && command -v npm >/dev/null || { echo "web: skipped, node is not installed"; exit 0; }
if [ ! -x "${CHROMIUM:=/usr/bin/chromium}" ]; then
    { apt-get update && apt-get install -y chromium; } >/dev/null 2>&1 || true
fi
[ -x "$CHROMIUM" ] || { echo "web: skipped, $CHROMIUM is not installed and cannot be"; exit 0; }
export CHROMIUM
./build.sh
out=$(cd "${CARGO_TARGET_DIR:-../target}" && pwd)
CARGO_TARGET_DIR="$out" cargo build --release --quiet --manifest-path ../Cargo.toml --workspace --bin studio-digest
# the program with the page in it, as the Makefile builds it
CARGO_TARGET_DIR="$out" cargo build --release --quiet --manifest-path ../Cargo.toml --workspace --bin anthropi
export ANTHROPI="$out/release/anthropi"
export DIGEST="$out/release/studio-digest"
mkdir -p tests/out
node --test --test-concurrency=1 --test-timeout=240000 tests/*.test.mjs
