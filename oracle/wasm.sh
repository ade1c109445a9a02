#!/bin/sh
# Same input, same bits, native and in WebAssembly: oracle/wasm.sh
# Needs node and the target wasm32-unknown-unknown, which rustup adds; says so and passes where either cannot be had.
set -eu
cd "$(dirname "$0")/.."
target=wasm32-unknown-unknown
command -v node >/dev/null || { echo "wasm: skipped, node is not installed"; exit 0; }
rustup target list --installed 2>/dev/null | grep -q "^$target$" || rustup target add "$target" >/dev/null 2>&1 || {
    echo "wasm: skipped, target $target is not installed and cannot be added"
    exit 0
}
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
