# Functions for test scripts that cannot run: . crates/testkit/skip.sh
# Both record the reason in the file ANTHROPI_SKIPS, which make prints at the end of a run, and leave the script.

# skip TEST REASON: something is missing that CI installs, so that with CI=true this is a failure
skip() {
    record_skip "$@"
    [ "${CI:-}" != true ] || { echo "$1: CI must be able to run this" >&2; exit 1; }
    exit 0
}

# skip_here TEST REASON: this machine cannot run it, and no installation helps
skip_here() {
    record_skip "$@"
    exit 0
}

record_skip() {
    echo "SKIPPED $1: $2"
    [ -z "${ANTHROPI_SKIPS:-}" ] || echo "SKIPPED $1: $2" >>"$ANTHROPI_SKIPS"
}
