#!/bin/sh
# Tests the page in a browser: web/test.sh for the everyday tests, `web/test.sh long` for the rest. Builds the page first;
# installs Debian's Chromium if possible.
# PROFILE=dev compiles the native programs without full optimisation.
set -eu
cd "$(dirname "$0")"
. ../crates/testkit/skip.sh
command -v node >/dev/null && command -v npm >/dev/null || skip web "node and npm are not installed"
if [ ! -x "${CHROMIUM:=/usr/bin/chromium}" ]; then
    { apt-get update && apt-get install -y chromium; } >/dev/null 2>&1 || true
fi
[ -x "$CHROMIUM" ] || skip web "$CHROMIUM is not installed"
export CHROMIUM
./build.sh
out=$(cd "${CARGO_TARGET_DIR:-../target}" && pwd)
# the program contains the page
profile=${PROFILE:-release}
CARGO_TARGET_DIR="$out" cargo build --profile "$profile" --quiet --manifest-path ../Cargo.toml --workspace --bin anthropi --bin studio-digest
programs=$out/$([ "$profile" = dev ] && echo debug || echo "$profile")
export ANTHROPI="$programs/anthropi" DIGEST="$programs/studio-digest"
mkdir -p tests/out
# alone, since they measure time; every item of the library, pictures, and the bits of long sessions; the others
timed="tests/page.test.mjs tests/speed.test.mjs"
long="tests/library.test.mjs tests/pictures.test.mjs tests/same.test.mjs"
everyday=$(ls tests/*.test.mjs | grep -v -F "$(echo $timed $long | tr ' ' '\n')")
if [ "${1:-everyday}" = long ]; then
    node --test --test-concurrency=2 --test-timeout=240000 $long
else
    node --test --test-concurrency=1 --test-timeout=240000 $timed
    node --test --test-concurrency=2 --test-timeout=240000 $everyday
fi
