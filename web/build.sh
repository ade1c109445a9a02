#!/bin/sh
# Builds the studio page into web/dist, for any static host. Needs cargo with rustup, and node 20 or newer with npm.
set -eu
cd "$(dirname "$0")"
target=wasm32-unknown-unknown
out=${CARGO_TARGET_DIR:-../target}
command -v cargo >/dev/null || { echo "web: cargo is not installed: https://rustup.rs" >&2; exit 2; }
command -v node >/dev/null && command -v npm >/dev/null || { echo "web: node 20 or newer and npm are required" >&2; exit 2; }
[ "$(node -p 'process.versions.node.split(".")[0]')" -ge 20 ] || { echo "web: node is $(node --version), 20 or newer is required" >&2; exit 2; }
rustup target list --installed 2>/dev/null | grep -q "^$target$" || rustup target add "$target" || {
    echo "web: target $target is not installed and cannot be added" >&2
    exit 2
}
out=$(mkdir -p "$out" && cd "$out" && pwd)
export CARGO_TARGET_DIR="$out"
echo "web: the engine"
cargo build --release --quiet --manifest-path ../Cargo.toml -p anthropi-studio --lib --target "$target"
echo "web: JavaScript bindings"
cargo build --release --quiet --locked --manifest-path bindgen/Cargo.toml
mkdir -p src/engine
"$out/release/anthropi-bindgen" "$out/$target/release/anthropi_studio.wasm" src/engine
# compressed, with an extension that no server decompresses on the way
node -e 'const fs = require("fs"), [from, to] = process.argv.slice(1);
fs.writeFileSync(to, require("zlib").gzipSync(fs.readFileSync(from), { level: 9 }));' src/engine/anthropi_studio_bg.wasm src/engine/engine.bin
echo "web: thumbnails"
profile=${PROFILE:-release}
cargo build --profile "$profile" --quiet --manifest-path ../Cargo.toml --workspace --bin studio-thumbnails
"$out/$([ "$profile" = dev ] && echo debug || echo "$profile")/studio-thumbnails" >src/engine/thumbnails.json
echo "web: the page"
# `npm ci` refuses the lock file where a mirror lacks packages for other machines
[ package-lock.json -ot node_modules/.package-lock.json ] || npm ci --no-audit --no-fund --loglevel=silent ||
    npm install --no-save --no-audit --no-fund --loglevel=error
npx tsc --noEmit
npx vite build --logLevel warn --outDir dist.new --emptyOutDir
# an unchanged page is left alone: programs that contain it may be compiling
if diff -rq dist dist.new >/dev/null 2>&1; then rm -rf dist.new; else rm -rf dist && mv dist.new dist; fi
weight=$(find dist -type f -exec cat {} + | wc -c)
echo "web: web/dist has $((weight / 1024)) KiB"
[ "$weight" -le 4000000 ] || { echo "web: the page is larger than 4 MB" >&2; exit 1; }
