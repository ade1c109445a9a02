// The engine in its own thread: real-time steps (times the pace), frames for the page, answers to its calls.

import init, { Engine, FileSet, items } from "./engine/anthropi_studio.js";
import compressedEngine from "./engine/engine.bin?url";
import type { Answer, Call, OpenedFile, Report, Request } from "./messages";

/** Time between two ticks, ms. */
const TICK = 16;
/** Most time for steps in one tick, ms: beyond it the simulation falls behind, and the worker still answers. */
const BUDGET = 28;
/** Most frames on their way to the page: some seconds of them, while it is busy. */
const MAX_IN_FLIGHT = 240;

let engine: Engine | null = null;
let source: { name: string; files: OpenedFile[] } | null = null;
let playing = false;
let pace = 1;
let last = performance.now();
/** simulated time due, s */
let due = 0;
let framesInFlight = 0;
let structure = { id: 0, revision: -1, dt: 0.001 };
const usage = { ms: 0, simulated: 0, since: performance.now(), cost: 0, speed: 0 };

function post(report: Report) {
  self.postMessage(report);
}

function message(error: unknown): string {
  if (error instanceof WebAssembly.RuntimeError) return "The engine stopped because of an internal error and restarts.";
  return error instanceof Error ? error.message : String(error);
}

function postStructure(engine: Engine) {
  structure = { id: structure.id + 1, revision: engine.revision(), dt: engine.dt() };
  post({ kind: "structure", id: structure.id, json: engine.structure() });
}

/** Posts a frame, after its structure where that has changed. */
function postFrame(engine: Engine, isJump: boolean) {
  if (engine.revision() !== structure.revision) postStructure(engine);
  framesInFlight += 1;
  const { cost, speed } = usage;
  post({ kind: "frame", json: engine.frame(), info: { structure: structure.id, cost, speed, isJump } });
}

/** Opens an item or files; on failure the open item stays. */
function open(name: string, files: OpenedFile[]) {
  const opened = files.length > 0 ? Engine.from_files(fileSet(files)) : new Engine(name);
  engine?.free();
  engine = opened;
  source = { name, files };
  due = 0;
}

function fileSet(files: OpenedFile[]): FileSet {
  const set = new FileSet();
  for (const { name, bytes } of files) set.add(name, bytes);
  return set;
}

/** Starts a new engine after a crash. */
function recover(error: unknown) {
  if (!(error instanceof WebAssembly.RuntimeError)) return;
  engine = null; // its memory cannot be trusted, not even to be freed
  if (!source) return;
  open(source.name, source.files);
  if (engine) postStructure(engine);
}

/** Makes the steps that are due; returns their number. */
function advance(engine: Engine, now: number): number {
  let made = 0;
  const { dt } = structure;
  due += (Math.min(now - last, 100) / 1000) * pace;
  const start = performance.now();
  const batch = Math.max(1, Math.floor(0.004 / dt));
  while (due >= dt && performance.now() - start < BUDGET) {
    const n = Math.min(batch, Math.floor(due / dt));
    engine.advance(n);
    due -= n * dt;
    made += n;
  }
  usage.simulated += made * dt;
  if (due >= dt) due = 0; // this machine is too slow: lost time is not made up for
  usage.ms += performance.now() - start;
  if (now - usage.since > 500) {
    const wall = (now - usage.since) / 1000;
    usage.cost = usage.simulated > 0 ? usage.ms / usage.simulated : 0;
    usage.speed = usage.simulated / wall;
    Object.assign(usage, { ms: 0, simulated: 0, since: now });
  }
  return made;
}

function tick() {
  const now = performance.now();
  if (playing && engine) {
    try {
      if (advance(engine, now) > 0 && framesInFlight < MAX_IN_FLIGHT) postFrame(engine, false);
    } catch (error) {
      playing = false;
      post({ kind: "stopped", message: message(error) });
      recover(error);
      if (engine) postFrame(engine, true);
    }
  }
  last = now;
  setTimeout(tick, Math.max(0, TICK - (performance.now() - now)));
}

/** Runs a call and posts its answer; frames that show its effect come before it. */
function answer(id: number, call: Call) {
  const reply = (value: Answer) => post({ kind: "answer", id, value });
  if (call.method === "open") {
    open(call.name, call.files);
    reply(null); // first: the page clears its history
    if (!engine) return;
    postStructure(engine);
    return postFrame(engine, true);
  }
  if (!engine) throw new Error("Nothing is open yet.");
  switch (call.method) {
    case "apply": {
      engine.apply(JSON.stringify(call.command));
      if (!playing || engine.revision() !== structure.revision) postFrame(engine, false);
      return reply(null);
    }
    case "advance":
      engine.advance(call.steps);
      postFrame(engine, false);
      return reply(null);
    case "rewind":
      engine.rewind(call.step);
      postFrame(engine, true);
      return reply(null);
    case "undo":
      engine.undo();
      postFrame(engine, true);
      return reply(null);
    case "export":
      return reply(engine.export(call.extension) as Uint8Array<ArrayBuffer>);
    case "certificate":
      return reply(engine.certificate());
    case "replay":
      return reply(engine.replay());
    default:
      return call satisfies never;
  }
}

self.onmessage = ({ data: request }: MessageEvent<Request>) => {
  switch (request.kind) {
    case "frame_received":
      framesInFlight = Math.max(0, framesInFlight - 1);
      return;
    case "play":
      playing = request.playing;
      due = 0;
      Object.assign(usage, { ms: 0, simulated: 0, since: performance.now() });
      return;
    case "pace":
      pace = request.pace;
      return;
    case "call":
      try {
        answer(request.id, request.call);
      } catch (error) {
        post({ kind: "refused", id: request.id, message: message(error) });
        recover(error);
      }
      return;
    default:
      return request satisfies never;
  }
};

/** The engine, compressed by `build.sh`; it is compiled while it is decompressed. */
async function decompressed(): Promise<Response> {
  const response = await fetch(compressedEngine);
  if (!response.ok) throw new Error(`the server answered ${response.status}`);
  // all of it first: Chromium may report a body that is decompressed while it arrives as a failed request
  const body = (await response.blob()).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(body, { headers: { "content-type": "application/wasm" } });
}

init({ module_or_path: decompressed() }).then(
  () => {
    post({ kind: "ready", items: JSON.parse(items()) });
    tick();
  },
  (error) => post({ kind: "stopped", message: `The engine could not be loaded: ${message(error)}` }),
);
