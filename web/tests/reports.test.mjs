// HTML reports: the player, its view, and the cursor in all plots.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { start } from "./browser.mjs";

const OUT = new URL("./out/", import.meta.url).pathname;
const COMMAND = process.env.ANTHROPI ?? new URL("../../target/release/anthropi", import.meta.url).pathname;
const skip = !existsSync(COMMAND) && "the program is not built";
const KINDS = { filter: ["filter", "keyed-walk"], certify: ["certify", "keyed-walk"], walk: ["walk", "--steps", "2"] };

let s, folder;
before(async () => {
  if (skip) return;
  folder = mkdtempSync(join(tmpdir(), "reports-"));
  for (const [name, words] of Object.entries(KINDS)) {
    execFileSync(COMMAND, [...words, "--report", join(folder, `${name}.html`)], { stdio: "ignore" });
  }
  s = await start();
});
after(() => s?.end());

/** Opens a report; returns its player. */
async function open(name) {
  await s.page.goto(`file://${join(folder, `${name}.html`)}`);
  return s.page.locator(".player");
}

/** Number of pixels near a colour. */
function pixels(player, colour) {
  return player.locator("canvas").evaluate((canvas, [r, g, b]) => {
    const all = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
    let count = 0;
    for (let i = 0; i < all.length; i += 4) {
      if (Math.hypot(all[i] - r, all[i + 1] - g, all[i + 2] - b) < 12 && all[i + 3] > 200) count++;
    }
    return count;
  }, colour);
}

for (const name of Object.keys(KINDS)) {
  test(`the motion plays in the report of ${name}`, { skip }, async () => {
    const player = await open(name), seconds = async () => parseFloat(await player.locator("output").innerText());
    assert.equal(await seconds(), 0);
    const [left, right] = [await pixels(player, [0x45, 0x78, 0xb3]), await pixels(player, [0xdb, 0x80, 0x4d])];
    assert.ok(left > 500 && right > 500, `left limbs ${left}, right limbs ${right}`);
    await player.getByRole("button", { name: "Play" }).click();
    await s.page.waitForFunction(() => parseFloat(document.querySelector(".player output").textContent) > 0.3);
    await player.getByRole("button", { name: "Pause" }).click();
    const marked = await s.page.locator("svg .cursor").evaluateAll((all) => all.filter((it) => it.style.display !== "none").length);
    assert.ok(marked > 2, `${marked} plots have the instant`);
    const before = await pixels(player, [0xdb, 0x80, 0x4d]);
    const box = await player.locator("canvas").boundingBox();
    await s.page.mouse.move(box.x + 200, box.y + 100);
    await s.page.mouse.down();
    await s.page.mouse.move(box.x + 500, box.y + 120, { steps: 5 });
    await s.page.mouse.up();
    assert.notEqual(await pixels(player, [0xdb, 0x80, 0x4d]), before);
    await player.screenshot({ path: join(OUT, `player-${name}.png`) });
    assert.deepEqual(s.errors, []);
  });
}

test("contact forces and the reference are drawn, and plots move the cursor", { skip }, async () => {
  const player = await open("filter");
  await player.locator("input[type=range]").fill("0.5");
  assert.ok((await pixels(player, [0, 0x9e, 0x73])) > 100, "green arrows");
  const grey = () => player.locator("canvas").evaluate((canvas) => canvas.toDataURL());
  const with_it = await grey();
  await player.locator("input[type=checkbox]").uncheck();
  assert.notEqual(await grey(), with_it);
  const plot = s.page.locator("figure:not(.cycle) svg[data-x]").first();
  await plot.scrollIntoViewIfNeeded();
  const box = await plot.boundingBox(), before = await player.locator("output").innerText();
  await s.page.mouse.move(box.x + 0.8 * box.width, box.y + 0.5 * box.height);
  assert.notEqual(await player.locator("output").innerText(), before);
});
