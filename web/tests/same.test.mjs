// Same input, same bits: the page and the native engine, by steps and by replay.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { now, start, until, save } from "./browser.mjs";

const DIGEST = process.env.DIGEST ?? new URL("../../target/release/studio-digest", import.meta.url).pathname;
const native = (...given) => execFileSync(DIGEST, given, { encoding: "utf8" }).trim();
const STEPS = 2000;

let s;
before(async () => {
  s = await start({ acceptDownloads: true });
  await s.open();
});
after(() => s.end());

for (const name of ["high-bar", "stand-28", "monkey-swing"]) {
  test(`${name} has the same digest after ${STEPS} steps`, async () => {
    await s.page.evaluate((name) => window.studio.page.open(name, false), name);
    for (let i = 0; i < 4; i++) await s.page.evaluate((n) => window.studio.page.call({ method: "advance", steps: n }), STEPS / 4);
    await until(s.page, (n) => window.studio.page.frame.step === n, STEPS);
    assert.equal((await now(s.page)).frame.digest, native(name, String(STEPS)));
  });
}

for (const [name, link] of [["keyed-walk", "chest"], ["stand-28", "left_forearm"]]) {
  test(`a replay of ${name} saved by the page has the same digest`, async () => {
    await s.page.evaluate((name) => window.studio.page.open(name, true), name);
    await until(s.page, () => window.studio.page.frame.time > 0.4);
    await s.page.evaluate((link) => window.studio.apply({ do: "push", link, at: [0.01, 0.02, 0.03], force: [30.1, -40.7, 0], seconds: 0.2 }), link);
    await s.page.evaluate((link) => window.studio.apply({ do: "drag", link, at: [0, 0, 0], to: [0.4, 0.6, 1.3] }), link);
    await until(s.page, () => window.studio.page.frame.time > 1);
    await s.page.evaluate(() => window.studio.apply({ do: "let_go" }));
    await until(s.page, () => window.studio.page.frame.time > 1.3);
    await s.page.evaluate(() => window.studio.page.play(false));
    await s.page.waitForTimeout(200);
    const [download] = await Promise.all([
      s.page.waitForEvent("download"), save(s.page, "Replay of the session"),
    ]);
    const file = await download.path();
    const replay = JSON.parse(readFileSync(file, "utf8"));
    assert.ok(replay.log.length >= 3 && replay.steps > 0);
    assert.equal(native("--replay", file), replay.digest);
  });
}

test("a replay of a gait change has the same digest", async () => {
  await s.page.evaluate(() => window.studio.page.open("endless-walk", true));
  await until(s.page, () => window.studio.page.frame.time > 0.5);
  await s.page.evaluate(() => window.studio.apply({ do: "gait", speed: 0.9, style: "happily" }));
  await until(s.page, () => window.studio.page.frame.time > 3);
  await s.page.evaluate(() => window.studio.page.play(false));
  await s.page.waitForTimeout(200);
  const [download] = await Promise.all([
    s.page.waitForEvent("download"), save(s.page, "Replay of the session"),
  ]);
  const file = await download.path();
  assert.equal(native("--replay", file), JSON.parse(readFileSync(file, "utf8")).digest);
});

test("the picture is saved as PNG", async () => {
  const [download] = await Promise.all([
    s.page.waitForEvent("download"), save(s.page, "Picture (PNG)"),
  ]);
  const bytes = readFileSync(await download.path());
  assert.deepEqual([...bytes.subarray(1, 4)], [...Buffer.from("PNG")]);
  assert.ok(bytes.length > 10_000);
});
