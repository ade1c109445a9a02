// The page by itself: it opens quickly, complains about nothing, asks nobody outside, and shows help and errors.

import assert from "node:assert/strict";
import { readdirSync, statSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { now, start, until } from "./browser.mjs";

let s;
before(async () => (s = await start()));
after(() => s.end());

/** Until somebody walks on the screen, ms; longer where others keep the machine busy. */
const SOON = 3000 * Math.max(1, loadavg()[0] / cpus().length);
const HEAVIEST = 4_000_000;

test("a first visit sees a figure walk within three seconds", async () => {
  await s.open(); // once for the browser to wake up
  await s.page.goto("about:blank");
  const began = Date.now();
  await s.open();
  await until(s.page, () => window.studio.page.frame.step > 0);
  const took = Date.now() - began;
  console.log(`first figure after ${took} ms, load ${loadavg()[0].toFixed(1)} on ${cpus().length} cores`);
  assert.ok(took < SOON, `${took} ms`);
  assert.equal((await now(s.page)).structure.source, "stroll");
});

test("the page is light", () => {
  const dist = new URL("../dist", import.meta.url).pathname;
  const files = readdirSync(dist, { recursive: true }).map((f) => join(dist, f)).filter((f) => statSync(f).isFile());
  const weight = files.reduce((sum, f) => sum + statSync(f).size, 0);
  console.log(`the page weighs ${(weight / 1e6).toFixed(2)} MB`);
  assert.ok(weight < HEAVIEST, `${weight}`);
  // the engine is in it once, packed
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

test("what cannot be done is said in words", async () => {
  const done = await s.page.evaluate(() => window.studio.obey({ do: "cut", joint: "left_knee" }));
  assert.equal(done, false);
  const toast = s.page.locator(".toast.error").last();
  await toast.waitFor();
  assert.match(await toast.textContent(), /filter/);
});

test("a name that is not there is said, and the walk is opened", async () => {
  await s.page.goto("about:blank");
  await s.open("no-such-thing");
  assert.match(await s.page.locator(".toast.error").first().textContent(), /no-such-thing/);
  assert.equal((await now(s.page)).structure.source, "stroll");
});

test("all controls have names", async () => {
  const nameless = await s.page.evaluate(() =>
    [...document.querySelectorAll("button, input, select, canvas[tabindex]")]
      .filter((e) => !(e.getAttribute("aria-label") || e.textContent.trim() || e.closest("label")?.textContent.trim() || e.labels?.length))
      .map((e) => e.outerHTML));
  assert.deepEqual(nameless, []);
});

test("nothing went wrong and nobody outside was asked", () => {
  assert.deepEqual(s.errors, []);
  assert.deepEqual(s.outside, []);
});
