// The page: loading time and size, help, error messages, no browser errors, no external requests.

import assert from "node:assert/strict";
import { readdirSync, statSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { now, start, until } from "./browser.mjs";

let s;
before(async () => (s = await start()));
after(() => s.end());

/** Longest time to the first walking figure, ms; scaled by the load of the machine. */
const SOON = 3000 * Math.max(1, loadavg()[0] / cpus().length);
const MAX_BYTES = 4_000_000;

test("a figure walks within three seconds", async () => {
  await s.open(); // warm up the browser
  await s.page.goto("about:blank");
  const began = Date.now();
  await s.open();
  await until(s.page, () => window.studio.page.frame.step > 0);
  const took = Date.now() - began;
  console.log(`first figure after ${took} ms, load ${loadavg()[0].toFixed(1)} on ${cpus().length} cores`);
  assert.ok(took < SOON, `${took} ms`);
  assert.equal((await now(s.page)).structure.source, "endless-walk");
});

test("the page is small", () => {
  const dist = new URL("../dist", import.meta.url).pathname;
  const files = readdirSync(dist, { recursive: true }).map((f) => join(dist, f)).filter((f) => statSync(f).isFile());
  const weight = files.reduce((sum, f) => sum + statSync(f).size, 0);
  console.log(`the page has ${(weight / 1e6).toFixed(2)} MB`);
  assert.ok(weight < MAX_BYTES, `${weight}`);
  // one engine, compressed
  assert.deepEqual(files.filter((f) => f.endsWith(".wasm")), []);
  assert.equal(files.filter((f) => f.endsWith(".bin")).length, 1);
});

test("help opens and closes by key", async () => {
  await s.page.locator("canvas.canvas").focus();
  await s.page.keyboard.press("?");
  assert.ok(await s.page.locator("#help").isVisible());
  await s.page.keyboard.press("Escape");
  assert.ok(!(await s.page.locator("#help").isVisible()));
});

test("refused commands show a message", async () => {
  const done = await s.page.evaluate(() => window.studio.apply({ do: "cut", joint: "left_knee" }));
  assert.equal(done, false);
  const toast = s.page.locator(".toast.error").last();
  await toast.waitFor();
  assert.match(await toast.textContent(), /filter/);
});

test("an unknown name shows a message and opens the walk", async () => {
  await s.page.goto("about:blank");
  await s.open("no-such-thing");
  assert.match(await s.page.locator(".toast.error").first().textContent(), /no-such-thing/);
  assert.equal((await now(s.page)).structure.source, "endless-walk");
});

test("all controls have names", async () => {
  const nameless = await s.page.evaluate(() =>
    [...document.querySelectorAll("button, input, select, canvas[tabindex]")]
      .filter((e) => !(e.getAttribute("aria-label") || e.textContent.trim() || e.closest("label")?.textContent.trim() || e.labels?.length))
      .map((e) => e.outerHTML));
  assert.deepEqual(nameless, []);
});

test("no browser errors and no external requests", () => {
  assert.deepEqual(s.errors, []);
  assert.deepEqual(s.outside, []);
});
