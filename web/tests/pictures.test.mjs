// Screenshots for review and for docs/studio.md, in tests/out.

import { after, before, test } from "node:test";
import { start, until } from "./browser.mjs";

const out = (name) => new URL(`out/${name}.png`, import.meta.url).pathname;

let s;
before(async () => {
  s = await start({ viewport: { width: 1280, height: 800 } });
  await s.open("", "high");
});
after(() => s.end());

test("first view", async () => {
  await until(s.page, () => window.studio.page.frame.time > 1.2);
  await s.page.screenshot({ path: out("first") });
});

test("every panel of a walk", async () => {
  await s.page.getByText("Determinants").click();
  await s.page.evaluate(() => window.studio.page.select("left_thigh"));
  await s.page.waitForTimeout(600);
  for (const panel of await s.page.locator("details.panel:not([hidden])").all()) {
    await panel.evaluate((element) => (element.open = true));
    await panel.screenshot({ path: out(`panel-${(await panel.getAttribute("id")).replace("panel-", "")}`) });
  }
  await s.page.getByRole("button", { name: /^Save the motion/ }).click();
  await s.page.screenshot({ path: out("save") });
  await s.page.keyboard.press("Escape");
});

test("a drag, with panels open", async () => {
  await s.page.evaluate(() => window.studio.page.open("monkey-swing"));
  await until(s.page, () => window.studio.page.frame.time > 0.5);
  await s.page.evaluate(() => {
    const { page } = window.studio;
    page.select("left_thigh");
    const { camera, controls } = window.studio.viewport;
    camera.position.lerp(controls.target, 0.25);
    const i = page.structure.links.findIndex((l) => l.name === "left_thigh");
    const [x, y, z] = page.frame.poses.slice(7 * i);
    return page.apply({ do: "drag", link: "left_thigh", at: [0, 0, -0.3], to: [x + 0.6, y - 0.5, z + 0.1] });
  });
  await s.page.waitForTimeout(2500);
  await s.page.screenshot({ path: out("panels") });
});

test("dark", async () => {
  await s.page.keyboard.press("t");
  await s.page.evaluate(() => window.studio.page.open("fall-28"));
  await until(s.page, () => window.studio.page.frame.time > 1.2);
  await s.page.waitForTimeout(500);
  await s.page.screenshot({ path: out("dark") });
});

test("help", async () => {
  await s.page.evaluate(() => document.activeElement?.blur());
  await s.page.keyboard.press("?");
  await s.page.screenshot({ path: out("help") });
});
