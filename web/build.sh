#!/bin/sh
# Builds the page of the studio: web/build.sh. What comes out, web/dist, works from any static host.
# Needs cargo with rustup, and node 20 or newer with npm.
set -eu
cd "$(dirname "$0")"
target=wasm32-unknown-unknown
out=${CARGO_TARGET_DIR:-../target}
command -v cargo >/dev/null || { echo "web: cargo is not installed: https://rustup.rs" >&2; exit 2; }
command -v node >/dev/null && command -v npm >/dev/null || { echo "web: node and npm are not installed; version 20 or newer is needed" >&2; exit 2; }
[ "$(node -p 'process.versions.node.split(".")[0]')" -ge 20 ] || { echo "web: node is $(node --version), version 20 or newer is needed" >&2; exit 2; }
rustup target list --installed 2>/dev/null | grep -q "^$target$" || rustup target add "$target" || {
    echo "web: target $target is not installed and cannot be added" >&2
    exit 2
}
out=$(mkdir -p "$out" && cd "$out" && pwd)
export CARGO_TARGET_DIR="$out"
echo "web: the engine"
cargo build --release --quiet --manifest-path ../Cargo.toml -p anthropi-studio --lib --target "$target"
echo "web: its JavaScript side"
cargo build --release --quiet --locked --manifest-path bindgen/Cargo.toml
mkdir -p src/engine
"$out/release/anthropi-bindgen" "$out/$target/release/anthropi_studio.wasm" src/engine
# packed, under a name that no server takes for something to be unpacked on its way
node -e 'const fs = require("fs"), [from, to] = process.argv.slice(1);
fs.writeFileSync(to, require("zlib").gzipSync(fs.readFileSync(from), { level: 9 }));' src/engine/anthropi_studio_bg.wasm src/engine/engine.bin
echo "web: pictures of the library"
cargo build --release --quiet --manifest-path ../Cargo.toml --workspace --bin studio-thumbnails
"$out/release/studio-thumbnails" >src/engine/thumbnails.json
echo "web: the page"
# mirrors that lack packages for other machines make `npm ci` refuse a lock that is right for this one
[ package-lock.json -ot node_modules/.package-lock.json ] || npm ci --no-audit --no-fund --loglevel=silent ||
    npm install --no-save --no-audit --no-fund --loglevel=error
npx tsc --noEmit
npx vite build --logLevel warn
weight=$(find dist -type f -exec cat {} + | wc -c)
echo "web: web/dist has $((weight / 1024)) KiB"
[ "$weight" -le 4000000 ] || { echo "web: the page is heavier than 4 MB" >&2; exit 1; }
