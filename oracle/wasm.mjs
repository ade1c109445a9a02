// Prints the digests of the WebAssembly module, one per line: node oracle/wasm.mjs MODULE.wasm
import { readFileSync } from "node:fs";

const { instance } = await WebAssembly.instantiate(readFileSync(process.argv[2]), {});
const { count, digest } = instance.exports;
for (let i = 0; i < count(); i++) {
  console.log(BigInt.asUintN(64, digest(i)).toString(16).padStart(16, "0"));
}
