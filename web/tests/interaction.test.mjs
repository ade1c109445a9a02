// Mouse, tools and panels: their effects on the engine.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { now, start, until } from "./browser.mjs";

let s;
before(async () => {
  s = await start();
  await s.open("stand-28");
});
after(() => s.end());

/** Screen position of a link in the next drawn picture. */
function screen(page, link) {
  return page.evaluate(async (link) => {
    for (let i = 0; i < 2; i++) await new Promise((done) => requestAnimationFrame(done));
    const { viewport } = window.studio;
    const group = viewport.figure.of(link);
    const at = group.children[0].getWorldPosition(group.position.clone()).project(viewport.camera);
    const box = document.querySelector("canvas.canvas").getBoundingClientRect();
    return { x: box.left + ((at.x + 1) / 2) * box.width, y: box.top + ((1 - at.y) / 2) * box.height };
  }, link);
}

async function open(name, play = false) {
  await s.page.evaluate(([name, play]) => window.studio.page.open(name, play), [name, play]);
  await s.page.waitForTimeout(300);
}

async function click(link, modifiers = []) {
  const { x, y } = await screen(s.page, link);
  for (const key of modifiers) await s.page.keyboard.down(key);
  await s.page.mouse.click(x, y);
  for (const key of modifiers) await s.page.keyboard.up(key);
}

const tool = (name) => s.page.locator(`[data-tool="${name}"]`).click();
const log = async () => JSON.parse(await s.page.evaluate(() => window.studio.page.call({ method: "replay" }))).log;
const logged = (what) => until(s.page, async (what) => JSON.parse(await window.studio.page.call({ method: "replay" })).log.some((e) => e.do === what), what);

test("dragging a limb draws the spring force in newtons until it is let go", async () => {
  await open("stand-28", true);
  const { x, y } = await screen(s.page, "chest");
  await s.page.mouse.move(x, y);
  await s.page.mouse.down();
  await s.page.mouse.move(x + 60, y - 20, { steps: 4 });
  await until(s.page, () => window.studio.page.frame.arrows.some((a) => a.kind === "user"));
  await s.page.locator(".force-label:visible").first().waitFor();
  assert.match(await s.page.locator(".force-label").first().textContent(), /^\d+ N$/);
  assert.ok((await now(s.page)).frame.drag_target);
  await s.page.mouse.up();
  await until(s.page, () => window.studio.page.frame.drag_target === null);
  const all = await log();
  assert.equal(all[0].do, "drag");
  assert.equal(all[0].link, "chest");
  assert.equal(all.at(-1).do, "let_go");
});

test("shift-click pushes a walking figure", async () => {
  await open("keyed-walk");
  await click("chest", ["Shift"]);
  await logged("push");
  const [push] = await log();
  assert.equal(push.link, "chest");
  assert.equal(push.seconds, 0.2);
  assert.ok(Math.abs(Math.hypot(...push.force) - 60) < 1e-6 && push.force[2] === 0, JSON.stringify(push));
  await s.page.evaluate(() => window.studio.page.play(true));
  await until(s.page, () => window.studio.page.history.frames.some((f) => f.arrows.some((a) => a.kind === "user")));
});

test("the push tool uses its own force", async () => {
  await open("stand-28");
  await tool("push");
  await s.page.locator(".tool-options input").first().fill("100");
  await s.page.locator(".tool-options input").first().press("Tab");
  await click("chest");
  await logged("push");
  const [push] = await log();
  assert.ok(Math.abs(Math.hypot(...push.force) - 100) < 1e-6);
  await tool("drag");
});

test("pin, then release by a click on its marker", async () => {
  await open("stand-28");
  await tool("pin");
  await click("head");
  await until(s.page, () => window.studio.page.structure.connections.length === 1);
  const pin = (await now(s.page)).structure.connections[0];
  assert.equal(pin.a ?? pin.b, "head");
  await tool("drag");
  await s.page.waitForTimeout(300);
  const at = await s.page.evaluate(() => {
    const { viewport } = window.studio;
    const mark = viewport.markers.connections.children[0].position.clone().project(viewport.camera);
    const box = document.querySelector("canvas.canvas").getBoundingClientRect();
    return { x: box.left + ((mark.x + 1) / 2) * box.width, y: box.top + ((1 - mark.y) / 2) * box.height };
  });
  await s.page.mouse.click(at.x, at.y);
  await until(s.page, () => window.studio.page.structure.connections.length === 0);
});

test("connect two links, and undo", async () => {
  await open("stand-28");
  await tool("connect");
  await click("head");
  await click("chest");
  await until(s.page, () => window.studio.page.structure.connections.length === 1);
  const { a, b } = (await now(s.page)).structure.connections[0];
  assert.deepEqual([a, b].sort(), ["chest", "head"]);
  await tool("drag");
  await s.page.locator("canvas.canvas").focus();
  await s.page.keyboard.press("Control+z");
  await until(s.page, () => window.studio.page.structure.connections.length === 0);
  assert.deepEqual(await log(), []);
});

test("cut, lock, root", async () => {
  await open("stand-28");
  await tool("lock");
  await click("chest");
  await until(s.page, () => window.studio.page.joint("waist").dofs.every((d) => d.locked));
  await tool("root");
  await click("chest");
  await until(s.page, () => window.studio.page.link("chest").parent === null);
  await tool("cut");
  await click("head");
  await until(s.page, () => window.studio.page.link("head").parent === null);
  assert.equal((await now(s.page)).frame.edits >= 3, true);
  await tool("drag");
  for (let i = 0; i < 6 && (await now(s.page)).frame.edits > 0; i++) await s.page.evaluate(() => window.studio.page.undo());
  const { structure } = await now(s.page);
  assert.equal(structure.links.find((l) => l.name === "head").parent, "chest");
  assert.equal(structure.links.find((l) => l.name === "chest").parent, "pelvis");
});

test("moving a joint slider is one edit", async () => {
  await open("stand-28");
  await s.page.evaluate(() => window.studio.page.select("left_shank"));
  const slider = s.page.locator("#panel-joint input[type=range]").first();
  const wanted = await slider.evaluate((e) => {
    for (const value of [0.3, 0.5, 0.7]) {
      e.value = String(value);
      e.dispatchEvent(new Event("input", { bubbles: true }));
    }
    e.dispatchEvent(new Event("change", { bubbles: true }));
    return Number(e.value);
  });
  assert.ok(Math.abs(wanted - 0.7) < 0.01, `${wanted}`);
  await until(s.page, (wanted) => window.studio.page.frame.angles.some((a) => Math.abs(a - wanted) < 1e-5), wanted);
  assert.equal((await now(s.page)).frame.edits, 1);
  const lock = s.page.locator("#panel-joint .toggle").first();
  await lock.click();
  await until(s.page, () => window.studio.page.joint("left_knee").dofs[0].locked);
  await s.page.locator("#panel-joint .toggle").first().click();
  await until(s.page, () => !window.studio.page.joint("left_knee").dofs[0].locked);
});

test("constant forces and torques", async () => {
  await open("stand-28");
  await s.page.evaluate(() => window.studio.page.select("chest"));
  const field = s.page.getByLabel("Force along x, newtons");
  await field.fill("25");
  await field.press("Tab");
  await logged("force");
  await s.page.evaluate(() => window.studio.page.select("left_shank"));
  const torque = s.page.getByLabel(/torque in newton metres/).first();
  await torque.fill("10");
  await torque.press("Tab");
  await logged("torque");
  assert.deepEqual((await log()).map((e) => e.do), ["force", "torque"]);
});

test("looking back changes nothing until the next action", async () => {
  await open("keyed-walk", true);
  await until(s.page, () => window.studio.page.frame.time > 1);
  await s.page.evaluate(() => window.studio.page.play(false));
  await s.page.waitForTimeout(200);
  const last = (await now(s.page)).frame.step;
  const there = await s.page.evaluate(() => {
    const { page } = window.studio;
    page.showStep(Math.floor(page.frame.step / 2));
    return { step: page.pastFrame.step, digest: page.pastFrame.digest };
  });
  assert.equal((await now(s.page)).frame.step, last);
  await click("chest", ["Shift"]);
  await logged("push");
  const { frame } = await now(s.page);
  assert.equal(frame.step, there.step, `ended at ${last}`);
  assert.equal(frame.digest, there.digest);
});

test("the filter can be switched off, and the friction set", async () => {
  await open("keyed-walk", true);
  await until(s.page, () => window.studio.page.frame.ghost !== null);
  await s.page.locator("#filter-on").click();
  await until(s.page, () => window.studio.page.frame.ghost === null);
  await s.page.locator("#filter-on").click();
  await s.page.getByLabel("Friction of the floor").fill("0.3");
  await until(s.page, async () => JSON.parse(await window.studio.page.call({ method: "replay" })).log.at(-1).friction === 0.3);
});

test("gains change the motion, and reset restores them", async () => {
  await open("keyed-jump");
  const advance = async (n) => {
    await s.page.evaluate((n) => window.studio.page.call({ method: "advance", steps: n }), n);
    return (await now(s.page)).frame.digest;
  };
  const byDefault = await advance(140);
  for (const label of ["Strength", "Following", "Damping", "Balance"]) {
    await open("keyed-jump");
    const slider = s.page.getByLabel(label, { exact: true });
    assert.equal(await slider.getAttribute("aria-valuetext"), "1.00×");
    await slider.fill("-1.1");
    await until(s.page, async (name) => JSON.parse(await window.studio.page.call({ method: "replay" })).log.at(-1)?.gains?.[name] === 0.33, label.toLowerCase());
    assert.notEqual(await advance(140), byDefault, label);
  }
  await s.page.locator("#filter-reset").click();
  await until(s.page, async () => JSON.parse(await window.studio.page.call({ method: "replay" })).log.at(-1).gains === undefined);
  assert.equal(await s.page.getByLabel("Balance", { exact: true }).getAttribute("aria-valuetext"), "1.00×");
});

test("angles are shown and set in another rotation order", async () => {
  await open("stand-28");
  await s.page.evaluate(() => window.studio.page.select("left_thigh"));
  const sliders = s.page.locator("#panel-joint input[type=range]");
  await s.page.locator("#rotation-order").selectOption("zyx");
  assert.deepEqual(await s.page.locator("#panel-joint .dof b").allTextContents(), ["z", "y", "x"]);
  await sliders.nth(0).evaluate((e) => {
    e.value = "0.4";
    e.dispatchEvent(new Event("input", { bubbles: true }));
    e.dispatchEvent(new Event("change", { bubbles: true }));
  });
  await logged("put");
  const [put] = await log();
  assert.deepEqual([put.order, put.dof, put.joint], ["zyx", 0, "left_hip"]);
  // the slider shows the value set, converted from the engine's angles
  await until(s.page, (x) => Math.abs(Number(document.querySelector("#panel-joint input[type=range]").value) - x) < 0.006, 0.4);
  await s.page.locator("#rotation-order").selectOption({ label: "y, x, z (default)" });
  assert.equal(await s.page.locator("#panel-joint .toggle").count(), 3);
});

test("a signal releases a hand", async () => {
  await open("monkey-swing", true);
  const before = (await now(s.page)).structure.connections.length;
  await s.page.locator("#panel-signals button").first().click();
  await until(s.page, (before) => window.studio.page.structure.connections.length < before, before);
  assert.ok(await s.page.locator("#panel-filter").isHidden());
});

test("no browser errors", () => assert.deepEqual(s.errors, []));
