// The gait panel of an endless walk.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { start, until } from "./browser.mjs";

let s;
before(async () => (s = await start()));
after(() => s.end());

const measured = (name) => s.page.evaluate((n) => window.studio.page.frame.measures.find((m) => m.name === n).value, name);
/** Waits until a measure is near a value and the gait is planned. */
const near = (name, wanted, within) => until(s.page, ([n, w, d]) => {
  const { frame } = window.studio.page;
  return !frame.gait.is_planning && Math.abs(frame.measures.find((m) => m.name === n).value - w) < d;
}, [name, wanted, within]);

async function slide(label, value) {
  const slider = s.page.getByLabel(label, { exact: true });
  await slider.fill(String(value));
  await slider.dispatchEvent("change");
}

test("sliders change the measured speed", async () => {
  await s.open();
  await near("speed", 1.3, 0.02);
  await slide("Speed", 0.8);
  await near("speed", 0.8, 0.01);
  await slide("Step length", 0.5);
  await near("step length", 0.5, 0.01);
  assert.ok(Math.abs((await measured("cadence")) - 96) < 1);
  await s.page.getByRole("button", { name: "Reset" }).first().click();
  await near("speed", 1.3, 0.02);
  assert.match(await s.page.locator("#gait-measured").textContent(), /1\.\d+ m\/s/);
});

test("style and turn change while walking", async () => {
  await s.page.getByRole("radio", { name: "sadly" }).click();
  assert.equal(await s.page.getByRole("radio", { name: "sadly" }).getAttribute("aria-checked"), "true");
  await until(s.page, () => window.studio.page.frame.gait.command.style === "sadly" && !window.studio.page.frame.gait.is_planning);
  await slide("Turn per step", 12);
  const facing = () => s.page.evaluate(() => {
    const [, , , x, y, z, w] = window.studio.page.frame.poses;
    return Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z));
  });
  const before = await facing();
  await until(s.page, (from) => {
    const [, , , x, y, z, w] = window.studio.page.frame.poses;
    return Math.abs(Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)) - from) > 0.8;
  }, before);
  await s.page.screenshot({ path: "tests/out/gait.png" });
});

test("zero speed is standing, and a push moves the figure", async () => {
  await slide("Turn per step", 0);
  await slide("Speed", 0);
  await near("speed", 0, 0.01);
  await slide("Speed", 1.2);
  await near("speed", 1.2, 0.02);
  const before = await s.page.evaluate(() => window.studio.page.frame.center);
  await s.page.evaluate(() => window.studio.apply({ do: "push", link: "chest", at: [0, 0, 0], force: [0, 60, 0], seconds: 0.2 }));
  await until(s.page, (c) => Math.hypot(...window.studio.page.frame.center.map((x, i) => x - c[i])) > 1, before);
  assert.equal(await s.page.locator(".toast.error").count(), 0);
});

test("an impossible gait is refused, and the sliders go back", async () => {
  const speed = () => s.page.getByLabel("Speed", { exact: true }).inputValue();
  const done = await s.page.evaluate(() => window.studio.apply({ do: "gait", speed: 9, style: "neutral" }));
  assert.equal(done, false);
  assert.match(await s.page.locator(".toast.error").last().textContent(), /steps/);
  assert.ok(Number(await speed()) < 3);
  assert.deepEqual(s.errors, []);
});
