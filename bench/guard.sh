#!/usr/bin/env bash
# Counts the instructions of our core algorithms with callgrind and fails when one takes over 5 % more than in guard.csv:
#   bench/guard.sh            compares
#   bench/guard.sh --update   rewrites guard.csv; explain in the commit why a count grew
# Counts are valid for one compiler and for machines with avx2; it is skipped elsewhere, or without valgrind.
set -euo pipefail
shopt -s inherit_errexit # a failing call must not count as zero
cd "$(dirname "$0")/.."
baseline=bench/guard.csv
target=${CARGO_TARGET_DIR:-target}
out=$target/guard
compiler=$(rustc --version)
say() { echo "guard: $*"; }
. crates/testkit/skip.sh

[ "$(uname -sm)" = "Linux x86_64" ] && grep -qw avx2 /proc/cpuinfo || skip_here guard "not a Linux machine with avx2"
if [ "${1:-}" != --update ]; then
    [ -f $baseline ] || { say "$baseline is missing: bench/guard.sh --update" >&2; exit 2; }
    made_with=$(sed -n 's/^# //p' $baseline)
    [ "$made_with" = "$compiler" ] || skip_here guard "$baseline is for $made_with, this is $compiler"
fi
command -v valgrind >/dev/null || { apt-get install -y valgrind || sudo -n apt-get install -y valgrind; } >/dev/null 2>&1 ||
    skip guard "valgrind is not installed and cannot be"
valgrind=$(command -v valgrind)

cargo build --release --quiet --workspace --bin guard
mkdir -p "$out"
python3 bench/peers/gen_models.py "$out/models" >/dev/null
# without environment variables, which shift the stack and change the count by 0.1 %
count() {
    local calls
    calls=$(env -i "$valgrind" --tool=callgrind --quiet --collect-atstart=no --toggle-collect='*guard*measured*' \
        --callgrind-out-file="$out/$1.out" "$target/release/guard" "$out/models" "$1")
    awk -v calls="$calls" '/^totals:/ { printf "%.1f", $2 / calls }' "$out/$1.out"
}

{
    echo "# $compiler"
    echo "call,instructions"
    for call in $("$target/release/guard" "$out/models"); do
        instructions=$(count "$call")
        echo "$call,$instructions"
    done
} >"$out/now.csv"
if [ "${1:-}" = --update ]; then
    cp "$out/now.csv" $baseline
    say "wrote $baseline"
    exit 0
fi
awk -F, -v limit=1.05 '
    /^#/ || /^call,/ { next }
    NR == FNR { was[$1] = $2; next }
    !($1 in was) { printf "guard: %s is not in the baseline: bench/guard.sh --update\n", $1; bad = 1; next }
    { ratio = $2 / was[$1]
      verdict = ratio > limit ? "GREW" : ratio < 1 / limit ? "fewer: save it with bench/guard.sh --update" : ""
      printf "guard: %-18s %10.1f instructions, %+6.2f %%  %s\n", $1, $2, 100 * (ratio - 1), verdict
      if (ratio > limit) bad = 1; seen[$1] }
    END { for (c in was) if (!(c in seen)) { printf "guard: %s is no longer counted: bench/guard.sh --update\n", c; bad = 1 }
          exit bad }' $baseline "$out/now.csv" || {
    say "if the increase is intended, rewrite the baseline: bench/guard.sh --update" >&2
    exit 1
}
