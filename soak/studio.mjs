// The studio in Chromium, used at random from a seed: library, tools, clicks, drags, keys, sliders, buttons, files good and spoilt.
// Looked at: errors of the console and of the page, a page or worker that dies or does not answer, numbers that are none, and
// the heap of the page at the same place again and again. node studio.mjs --seconds S --seed N --report FILE --work DIR [--data DIR]

import { readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { start } from "../web/tests/browser.mjs";

/** An answer of the engine may take this long, s: steps of some scenes take tenths of a second, walks are planned when opened. */
const PATIENCE = 120;
/** Time between looks at the heap, s; or a tenth of all. */
const LOOKS = 45;
/** Longest time for an act, and for loading the page on a machine that is busy, ms. */
const ACT = 3000;
const LOADING = 60_000;
/** What the page tells when the engine broke. */
const BROKEN = /mistake of ours|could not be loaded|diverged/i;
/** Growth of the heap after the warm-up that counts as flat, bytes. */
const FLAT = 12e6;

const given = Object.fromEntries(process.argv.slice(2).join("\n").split(/^--/m).filter(Boolean).map((pair) => pair.trim().split("\n")));
const seconds = Number(given.seconds);
const began = performance.now();
const left = () => seconds - (performance.now() - began) / 1000;
const report = { seed: Number(given.seed), seconds: 0, counts: {}, faults: [], series: {} };

function count(what) {
  report.counts[what] = (report.counts[what] ?? 0) + 1;
}

function fault(what) {
  if (report.faults.length < 100) report.faults.push(`${what} (after ${Math.round(seconds - left())} s; the last acts: ${last.join(", ")})`);
  console.error(`fault: ${what}`);
}

function note(what, value) {
  (report.series[what] ??= []).push([Math.round(10 * (seconds - left())) / 10, value]);
}

// chance (mulberry32)
let state = report.seed >>> 0;
function chance() {
  state = (state + 0x6d2b79f5) >>> 0;
  let t = state;
  t = Math.imul(t ^ (t >>> 15), t | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}
const below = (n) => Math.floor(chance() * n);
const pick = (list) => list[below(list.length)];

/** The last things that were done, for whoever reads a fault. */
const last = [];
function act(what) {
  last.push(what);
  if (last.length > 6) last.shift();
}

const s = await start({ acceptDownloads: true });
const { page } = s;
page.setDefaultTimeout(ACT);
page.on("crash", () => fault("the page crashed"));
page.on("download", (download) => download.delete().catch(() => {}));
page.on("dialog", (dialog) => dialog.dismiss().catch(() => {}));

/** Resolves with what a promise says, or with nothing after some time. */
const within = (promise, ms) => Promise.race([promise, new Promise((done) => setTimeout(() => done(undefined), ms))]);

async function open(name) {
  page.setDefaultTimeout(LOADING);
  await s.open(name);
  page.setDefaultTimeout(ACT);
  // what is said to the person is heard here, too
  await page.evaluate(() => {
    const studio = window.studio.page;
    if (studio.heard) return;
    studio.heard = [];
    const say = studio.notify;
    studio.notify = (sentence, kind) => {
      studio.heard.push([kind, sentence]);
      say(sentence, kind);
    };
  });
}

/** Whether the engine answers, and with numbers. */
async function look() {
  const answer = await within(page.evaluate(async () => {
    await window.studio.page.call({ method: "replay" });
    const { frame, heard } = window.studio.page;
    const none = JSON.stringify(frame, (_, x) => (typeof x === "number" && !Number.isFinite(x) ? "NONE" : x))?.includes('"NONE"');
    return { heard: heard.splice(0), none, time: frame?.time };
  }), 1000 * PATIENCE);
  if (!answer) {
    fault(`the engine does not answer for ${PATIENCE} s`);
    await page.goto("about:blank");
    await open("stand-28");
    return;
  }
  if (answer.none) fault("a frame has a number that is none");
  for (const [kind, sentence] of answer.heard) {
    count(kind === "error" ? "sentences: errors" : "sentences: notes");
    if (BROKEN.test(sentence)) fault(`the page says: ${sentence}${await kept()}`);
  }
  for (const error of s.errors.splice(0)) fault(`the browser says: ${error}`);
  for (const address of s.outside.splice(0)) fault(`something outside was asked for: ${address}`);
}

/** Keeps the session for whoever looks into a fault; where. */
async function kept() {
  const replay = await within(page.evaluate(() => window.studio.page.call({ method: "replay" })), 5000);
  if (typeof replay !== "string") return "";
  const file = join(given.work, `fault-${report.faults.length + 1}.replay.json`);
  writeFileSync(file, replay);
  return `; replay: ${file}`;
}

/** The heap of the page, always with the same scene open and nothing left to collect. */
async function lookAtHeap() {
  await page.evaluate(() => window.studio.page.open("stand-28", true));
  await page.waitForTimeout(500);
  const line = await page.context().newCDPSession(page);
  await line.send("HeapProfiler.enable");
  await line.send("HeapProfiler.collectGarbage");
  const { usedSize } = await line.send("Runtime.getHeapUsage");
  await line.detach();
  note("heap of the page, bytes", usedSize);
}

// files

const HERE = new URL(".", import.meta.url).pathname;

function all(folder, endings) {
  const found = [];
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) found.push(...all(path, endings));
    else if (endings.test(entry.name) && statSync(path).size < 700_000) found.push({ name: entry.name, text: readFileSync(path, "latin1") });
  }
  return found;
}

const good = [
  ...all(join(HERE, "../crates/app/figures"), /\.toml$/), ...all(join(HERE, "../crates/app/scenes"), /\.toml$/),
  ...all(join(HERE, "../crates/app/motions"), /\.toml$/), ...(given.data ? all(given.data, /\.(bvh|urdf|xml)$/) : []),
];

function spoilt({ name, text }) {
  const at = below(text.length);
  switch (below(5)) {
    case 0: return { name, text: text.slice(0, at) };
    case 1: return { name, text: text.slice(0, at) + String.fromCharCode(below(256)) + text.slice(at + 1) };
    case 2: return { name, text: text.replace(/\d+\.\d+/, pick(["nan", "1e308", "-1e9", "0"])) };
    case 3: return { name, text: text.slice(0, at) + text.slice(at + below(2000)) };
    default: return { name: pick(["x.bvh", "x.npz", "x.json", "x.toml", "x.exe", ".bvh", "x.amc"]), text: Array.from({ length: below(3000) }, () => String.fromCharCode(below(256))).join("") };
  }
}

async function drop(files) {
  await page.evaluate((files) => {
    const data = new DataTransfer();
    for (const { name, text } of files) data.items.add(new File([Uint8Array.from(text, (c) => c.charCodeAt(0))], name));
    document.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
  }, files);
}

// what a person may do

const KEYS = [" ", " ", ".", ",", "Home", "[", "]", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "d", "p", "n", "c", "l", "x", "r",
  "Control+z", "Control+z", "f", "v", "g", "t", "/", "?", "Escape", "Escape", "Tab", "Enter"];

async function place() {
  // half of the time where the figure is
  const at = await page.evaluate((which) => {
    const canvas = document.querySelector("canvas.canvas").getBoundingClientRect();
    const { viewport } = window.studio;
    const links = window.studio.page.structure?.links ?? [];
    const link = links[Math.floor(which * links.length)];
    const group = link && viewport.figure.of(link.name);
    if (!group?.children[0]) return null;
    const at = group.children[0].getWorldPosition(group.position.clone()).project(viewport.camera);
    return { x: canvas.left + ((at.x + 1) / 2) * canvas.width, y: canvas.top + ((1 - at.y) / 2) * canvas.height };
  }, chance());
  const { width, height } = page.viewportSize();
  if (at && chance() < 0.7 && at.x > 0 && at.x < width && at.y > 0 && at.y < height) return at;
  return { x: below(width), y: below(height) };
}

const acts = {
  async open() {
    const items = await page.evaluate(() => window.studio.page.items.map((i) => i.name));
    const name = pick(items);
    act(`open ${name}`);
    await page.evaluate(([name, play]) => void window.studio.page.open(name, play), [name, chance() < 0.8]);
  },
  async key() {
    const key = pick(KEYS);
    act(`key ${key}`);
    if (chance() < 0.7) await page.locator("canvas.canvas").focus();
    await page.keyboard.press(key);
  },
  async click() {
    const { x, y } = await place();
    act(`click ${Math.round(x)},${Math.round(y)}`);
    if (chance() < 0.2) await page.keyboard.down("Shift");
    await page.mouse.click(x, y, { button: chance() < 0.9 ? "left" : "right", clickCount: chance() < 0.9 ? 1 : 2 });
    await page.keyboard.up("Shift");
  },
  async drag() {
    const from = await place();
    const to = { x: from.x + 400 * (chance() - 0.5), y: from.y + 400 * (chance() - 0.5) };
    act(`drag ${Math.round(from.x)},${Math.round(from.y)} to ${Math.round(to.x)},${Math.round(to.y)}`);
    await page.mouse.move(from.x, from.y);
    await page.mouse.down({ button: chance() < 0.9 ? "left" : "right" });
    await page.mouse.move(to.x, to.y, { steps: 1 + below(8) });
    if (chance() < 0.3) await page.waitForTimeout(below(500));
    await page.mouse.up();
  },
  async wheel() {
    act("wheel");
    await page.mouse.wheel(0, 600 * (chance() - 0.5));
  },
  async tool() {
    const tool = pick(["drag", "push", "pin", "connect", "lock", "cut", "root"]);
    act(`tool ${tool}`);
    await page.locator(`[data-tool="${tool}"]`).click();
    await acts.click();
    if (tool === "connect") await acts.click();
  },
  async slider() {
    const all = page.locator("input[type=range]:visible:enabled");
    const n = await all.count();
    if (n === 0) return;
    const one = all.nth(below(n));
    const [low, high, name] = await one.evaluate((e) => [Number(e.min), Number(e.max), e.ariaLabel]);
    act(`slider ${name}`);
    for (let i = 0; i <= below(4); i++) {
      await one.evaluate((e, value) => {
        e.value = value;
        e.dispatchEvent(new Event("input", { bubbles: true }));
        e.dispatchEvent(new Event("change", { bubbles: true }));
      }, String(low + chance() * (high - low)));
    }
  },
  async field() {
    const all = page.locator("input:not([type=range]):not([type=file]):visible:enabled, select:visible:enabled");
    const n = await all.count();
    if (n === 0) return;
    const one = all.nth(below(n));
    const [tag, type, name] = await one.evaluate((e) => [e.tagName, e.type, e.ariaLabel ?? e.id]);
    act(`field ${name}`);
    if (tag === "SELECT") await one.selectOption({ index: below(await one.locator("option").count()) });
    else if (type === "checkbox" || type === "radio") await one.click();
    else {
      await one.fill(type === "number" ? pick(["0", "1", "-5", "60", "1e9", "0.001", ""]) : pick(["walk", "", "x", "900", "-1", "1e999"]));
      await one.press("Enter");
    }
  },
  async button() {
    const all = page.locator("button:visible:enabled, summary:visible");
    const n = await all.count();
    if (n === 0) return;
    const one = all.nth(below(n));
    act(`button ${(await one.getAttribute("aria-label")) ?? (await one.textContent())?.slice(0, 30)}`);
    await one.click();
  },
  async file() {
    const files = Array.from({ length: chance() < 0.9 ? 1 : 2 }, () => (chance() < 0.5 ? pick(good) : spoilt(pick(good))));
    act(`file ${files.map((f) => f.name)}`);
    await drop(files);
  },
  async replay() {
    const replay = await within(page.evaluate(() => window.studio.page.call({ method: "replay" })), 5000);
    if (typeof replay !== "string") return;
    act("replay");
    const file = { name: "x.replay.json", text: replay };
    await drop([chance() < 0.5 ? file : spoilt(file)]);
  },
  async many() {
    act("many commands at once");
    const links = await page.evaluate(() => window.studio.page.structure?.links.map((l) => l.name) ?? []);
    const commands = Array.from({ length: 20 }, () => pick([
      { do: "push", link: pick(links), force: [100 * (chance() - 0.5), 0, 0], seconds: 0.1 }, { do: "cut", joint: pick(links) },
      { do: "root", link: pick(links) }, { do: "nothing" }, { do: "push", link: "nobody", force: [0, 0, 1], seconds: -1 },
    ]));
    await page.evaluate((commands) => void Promise.all(commands.map((c) => window.studio.page.apply(c))), commands);
  },
  async resize() {
    const size = pick([[1366, 768], [800, 600], [390, 844], [1920, 1080]]);
    act(`size ${size}`);
    await page.setViewportSize({ width: size[0], height: size[1] });
  },
  async reload() {
    act("reload");
    await open(pick(["", "stand-28", "high-bar", "no-such-thing"]) || "endless-walk");
  },
  async rest() {
    await page.waitForTimeout(below(800));
  },
};
const WEIGHTS = { open: 3, key: 12, click: 10, drag: 8, wheel: 2, tool: 8, slider: 6, field: 4, button: 5, file: 3, replay: 1, many: 1, resize: 0.5, reload: 0.3, rest: 6 };
const total = Object.values(WEIGHTS).reduce((a, b) => a + b);

function next() {
  let at = chance() * total;
  for (const [name, weight] of Object.entries(WEIGHTS)) if ((at -= weight) < 0) return name;
  return "rest";
}

try {
  await open("endless-walk");
  await lookAtHeap();
  let looked = performance.now();
  while (left() > 0) {
    const name = next();
    count(name);
    try {
      await within(acts[name](), 1000 * PATIENCE);
    } catch (error) {
      // what is covered or gone by then cannot be clicked; all else is told by the browser itself
      count(/Timeout|not visible|detached|intercepts|outside of the viewport/.test(String(error)) ? "acts that could not be done" : `acts that failed: ${String(error).split("\n")[0].slice(0, 90)}`);
    }
    if (chance() < 0.25) await look();
    if (performance.now() - looked > 1000 * Math.min(LOOKS, seconds / 10)) {
      await page.keyboard.press("Escape");
      await look();
      await lookAtHeap();
      looked = performance.now();
    }
  }
  await look();
  const heap = report.series["heap of the page, bytes"].map(([, bytes]) => bytes);
  const warm = heap.slice(Math.floor(heap.length / 3));
  if (warm.length > 3) {
    // a line through all looks after the warm-up
    const mean = warm.reduce((a, b) => a + b) / warm.length, middle = (warm.length - 1) / 2;
    const slope = warm.reduce((sum, y, i) => sum + (i - middle) * (y - mean), 0) / warm.reduce((sum, _, i) => sum + (i - middle) ** 2, 0);
    const growth = slope * (warm.length - 1);
    report.counts["growth of the heap, kB"] = Math.round(growth / 1000);
    if (growth > FLAT) fault(`the heap of the page grows by ${Math.round(growth / 1e6)} MB`);
  }
} catch (error) {
  fault(String(error?.stack ?? error));
} finally {
  report.seconds = Math.round((performance.now() - began) / 100) / 10;
  writeFileSync(given.report, JSON.stringify(report, null, 1));
  await within(s.end(), 20_000);
}
process.exit(report.faults.length > 0 ? 1 : 0);
