// Times forward dynamics in WebAssembly as the native benches do: node time.mjs MODULE.wasm FIGURE.txt BATCHES
// Prints  anthropi,FIGURE,forward_dynamics_wasm,NS:  the minimum over batches of about 150 us over all states.
import { readFileSync } from "node:fs";
import { basename } from "node:path";

const [module, figure, batches] = process.argv.slice(2);
const { instance } = await WebAssembly.instantiate(readFileSync(module), {});
const { push, ready, forward_dynamics } = instance.exports;
for (const byte of readFileSync(figure)) push(byte);
const states = ready();
if (!states) throw new Error(`${figure} cannot be read`);

function nsPerCall(rounds) {
  const start = process.hrtime.bigint();
  const sum = forward_dynamics(rounds);
  const ns = Number(process.hrtime.bigint() - start);
  if (!Number.isFinite(sum)) throw new Error("an acceleration is not finite");
  return ns / (rounds * states);
}

nsPerCall(1000); // warm-up of the JIT compiler
const rounds = Math.max(1, Math.floor(150e3 / (nsPerCall(10) * states)));
let best = Infinity;
for (let i = 0; i < Number(batches); i++) best = Math.min(best, nsPerCall(rounds));
console.log(`# node ${process.version}`);
console.log(`anthropi,${basename(figure, ".txt")},forward_dynamics_wasm,${best.toFixed(1)}`);
