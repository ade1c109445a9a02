// The engine in its own thread: steps in real time (times the pace), frames for the page, answers to its calls.

import init, { Engine, Shelf, items } from "./engine/anthropi_studio.js";
import packed from "./engine/engine.bin?url";
import type { Dropped, Report, Request } from "./protocol";

/** Time between looks at the clock, ms. */
const TICK = 16;
/** Most time for steps in one tick, ms: beyond it the figure goes slower than asked, and the hands stay quick. */
const BUDGET = 28;
/** Frames on their way that the page has not taken yet: some seconds of them, while it is busy. */
const AHEAD = 240;
/** Calls that cannot have changed the structure. */
const LIGHT = /^\{"do":"(drag|let_go|push|force|torque|signal|filter|gait)"/;

let engine: Engine | null = null;
let source: { name: string; files: Dropped[] } | null = null;
let playing = false;
let pace = 1;
let dt = 0.001;
let last = performance.now();
/** simulated time that is owed, s */
let debt = 0;
let flying = 0;
let structure = { id: 0, text: "", revision: "" };
const spent = { ms: 0, simulated: 0, since: performance.now(), cost: 0, reached: 0 };

function post(report: Report) {
  self.postMessage(report);
}

function sentence(error: unknown): string {
  if (error instanceof WebAssembly.RuntimeError) return "The engine stopped on a mistake of ours. It begins anew.";
  return error instanceof Error ? error.message : String(error);
}

/** The structure, if it is another one than the page has. */
function postStructure(always: boolean) {
  if (!engine) return;
  const text = engine.structure();
  if (!always && text === structure.text) return;
  const { dt: step, revision } = JSON.parse(text) as { dt: number; revision: number };
  structure = { id: structure.id + 1, text, revision: String(revision) };
  dt = step;
  post({ is: "structure", id: structure.id, text });
}

function postFrame(jump: boolean) {
  if (!engine) return;
  const text = engine.frame();
  const revision = /"revision":(\d+)/.exec(text)?.[1];
  if (revision !== structure.revision) postStructure(false);
  flying += 1;
  post({ is: "frame", structure: structure.id, text, cost: spent.cost, reached: spent.reached, jump });
}

/** Opens something; what was open stays when that fails. `done` is called before the page hears of it. */
function open(name: string, files: Dropped[], done: () => void) {
  const opened = files.length > 0 ? Engine.from_files(shelved(files)) : new Engine(name);
  engine?.free();
  engine = opened;
  source = { name, files };
  debt = 0;
  done();
  postStructure(true);
  postFrame(true);
}

function shelved(files: Dropped[]): Shelf {
  const shelf = new Shelf();
  for (const { name, bytes } of files) shelf.put(name, bytes);
  return shelf;
}

/** A new engine after one that broke. */
function recover(error: unknown) {
  if (!(error instanceof WebAssembly.RuntimeError)) return;
  engine = null; // its memory cannot be trusted, not even to be freed
  if (source) open(source.name, source.files, () => {});
}

function call(method: string, given: (string | number)[]): unknown {
  if (!engine) throw new Error("Nothing is open yet.");
  const act = (engine as unknown as Record<string, unknown>)[method];
  if (typeof act !== "function") throw new Error(`The engine has no \`${method}\`.`);
  return act.apply(engine, given);
}

/** Makes the steps that are due; how many. */
function steps(now: number): number {
  if (!engine) return 0;
  let made = 0;
  debt += (Math.min(now - last, 100) / 1000) * pace;
  const start = performance.now();
  const batch = Math.max(1, Math.floor(0.004 / dt));
  while (debt >= dt && performance.now() - start < BUDGET) {
    const n = Math.min(batch, Math.floor(debt / dt));
    engine.advance(n);
    debt -= n * dt;
    made += n;
  }
  spent.simulated += made * dt;
  if (debt >= dt) debt = 0; // too much for this machine: time that is lost is not made up for
  spent.ms += performance.now() - start;
  if (now - spent.since > 500) {
    const wall = (now - spent.since) / 1000;
    spent.cost = spent.simulated > 0 ? spent.ms / spent.simulated : 0;
    spent.reached = spent.simulated / wall;
    Object.assign(spent, { ms: 0, simulated: 0, since: now });
  }
  return made;
}

function tick() {
  const now = performance.now();
  if (playing && engine) {
    try {
      if (steps(now) > 0 && flying < AHEAD) postFrame(false);
    } catch (error) {
      playing = false;
      post({ is: "stopped", sentence: sentence(error) });
      recover(error);
      postFrame(true);
    }
  }
  last = now;
  setTimeout(tick, Math.max(0, TICK - (performance.now() - now)));
}

function hear(request: Request) {
  switch (request.do) {
    case "taken":
      flying = Math.max(0, flying - 1);
      return;
    case "play":
      playing = request.playing;
      debt = 0;
      Object.assign(spent, { ms: 0, simulated: 0, since: performance.now() });
      return;
    case "pace":
      pace = request.pace;
      return;
    case "open":
      open(request.name, request.files ?? [], () => post({ is: "answer", id: request.id, value: null }));
      return;
    case "call": {
      const value = call(request.method, request.arguments);
      const first = request.arguments[0];
      const isLight = request.method === "obey" && typeof first === "string" && LIGHT.test(first);
      const isRead = ["replay", "export", "certificate"].includes(request.method);
      if (!isLight && !isRead) postStructure(false);
      if (!isRead && !(isLight && playing)) postFrame(request.method === "rewind" || request.method === "undo");
      post({ is: "answer", id: request.id, value });
    }
  }
}

self.onmessage = (message: MessageEvent<Request>) => {
  try {
    hear(message.data);
  } catch (error) {
    const id = "id" in message.data ? message.data.id : -1;
    post({ is: "refused", id, sentence: sentence(error) });
    recover(error);
  }
};

/** The engine is packed by `build.sh`, so that it is light on every host; it is compiled while it is unpacked. */
async function unpacked(): Promise<Response> {
  const answer = await fetch(packed);
  if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
  // all of it first: Chromium may call a body that is unpacked while it arrives a failed request at its end
  const body = (await answer.blob()).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(body, { headers: { "content-type": "application/wasm" } });
}

init({ module_or_path: unpacked() }).then(
  () => {
    post({ is: "ready", items: JSON.parse(items()) });
    tick();
  },
  (error) => post({ is: "stopped", sentence: `The engine could not be loaded: ${sentence(error)}` }),
);
