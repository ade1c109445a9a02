// The main actions by keyboard alone.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { now, start, until } from "./browser.mjs";

let s;
before(async () => {
  s = await start();
  await s.open("stand-28");
});
after(() => s.end());

const press = (key) => s.page.keyboard.press(key);
const selected = () => s.page.evaluate(() => window.studio.page.selected);

test("pause, step, select, push, drag, pin, undo, look back, open", async () => {
  const { page } = s;
  await press("Space");
  await until(page, () => !window.studio.page.playing);
  await page.waitForTimeout(200);
  const { step } = (await now(page)).frame;
  await press(".");
  await until(page, (step) => window.studio.page.frame.step > step, step);

  await press("ArrowRight");
  assert.equal(await selected(), "pelvis");
  await press("ArrowDown");
  assert.equal(await selected(), "chest");
  await press("ArrowUp");
  assert.equal(await selected(), "pelvis");
  await press("ArrowRight");
  assert.equal(await selected(), "chest");

  await press("p");
  await press("n");
  await until(page, () => window.studio.page.structure.connections.length === 1);
  await press("Control+z");
  await until(page, () => window.studio.page.structure.connections.length === 0);

  await press("l");
  await until(page, () => window.studio.page.joint("waist").dofs.every((d) => d.locked));
  await press("l");
  await until(page, () => window.studio.page.joint("waist").dofs.every((d) => !d.locked));

  await press("d");
  for (let i = 0; i < 4; i++) await press("ArrowRight");
  await press("Space");
  await until(page, () => window.studio.page.frame.arrows.some((a) => a.kind === "user"));
  await press("d");
  await until(page, () => window.studio.page.frame.drag_target === null);

  await press("]");
  assert.ok((await page.evaluate(() => window.studio.page.pace)) > 1.3);
  await press("[");
  await press(",");
  await until(page, () => window.studio.page.pastFrame !== null);
  await press("Home");
  await until(page, () => window.studio.page.frame.step < 60);

  await press("/");
  await page.keyboard.type("dominoes");
  await press("Enter");
  await until(page, () => window.studio.page.structure.source === "dominoes");
  await press("Escape");
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
  const before = await theme();
  await press("t");
  assert.notEqual(await theme(), before);
  assert.deepEqual(s.errors, []);
});

test("Tab reaches tools, panels and transport", async () => {
  await s.page.reload();
  await until(s.page, () => window.studio?.page.frame);
  const seen = new Set();
  for (let i = 0; i < 90; i++) {
    await press("Tab");
    seen.add(await s.page.evaluate(() => document.activeElement?.getAttribute("aria-label") || document.activeElement?.textContent?.trim()));
  }
  for (const name of ["Drag", "Push", "Single step", "Timeline", "Pace", "Selected link"]) assert.ok(seen.has(name), `${name}: ${[...seen]}`);
});
