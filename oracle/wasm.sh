#!/bin/sh
# Compares the bits of all built-in simulations, native and WebAssembly: oracle/wasm.sh
# Needs node and the target wasm32-unknown-unknown, which rustup installs.
set -eu
cd "$(dirname "$0")/.."
. crates/testkit/skip.sh
target=wasm32-unknown-unknown
command -v node >/dev/null || skip wasm "node is not installed"
rustup target list --installed 2>/dev/null | grep -q "^$target$" || rustup target add "$target" >/dev/null 2>&1 ||
    skip wasm "target $target is not installed and cannot be added"
cargo build --release --quiet --workspace --bin native-digest
cargo build --release --quiet -p anthropi-wasm-digest --lib --target "$target"
out=target/wasm-digest
mkdir -p "$out"
target/release/native-digest >"$out/native"
node oracle/wasm.mjs "target/$target/release/anthropi_wasm_digest.wasm" >"$out/wasm"
if grep -q '^0000000000000000$' "$out/native"; then
    echo "wasm: a simulation did not run" >&2
    exit 1
fi
cmp "$out/native" "$out/wasm" || { diff "$out/native" "$out/wasm" >&2; exit 1; }
echo "wasm: $(wc -l <"$out/native") simulations have the same bits native and in WebAssembly"
