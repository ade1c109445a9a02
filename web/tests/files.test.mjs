// Files: saved motions open again, broken files are reported, certificates equal those of the command line.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { after, before, test } from "node:test";
import { now, save, start, until } from "./browser.mjs";

const OUT = new URL("./out/", import.meta.url).pathname;
const COMMAND = process.env.ANTHROPI ?? new URL("../../target/release/anthropi", import.meta.url).pathname;

/** A walk of 2.5 s from the CMU collection, where available. */
const CAPTURED = process.env.CAPTURED ?? new URL("../../../shared/data/bvh/02_02.bvh", import.meta.url).pathname;

let s;
before(async () => (s = await start()));
after(() => s.end());

async function saved(label) {
  const [download] = await Promise.all([s.page.waitForEvent("download"), save(s.page, label)]);
  const file = join(OUT, download.suggestedFilename());
  await download.saveAs(file);
  return file;
}

/** Reloads the page with a library item. */
async function reload(name) {
  await s.page.goto("about:blank");
  await s.open(name);
}

/** Chooses files to open. */
async function choose(files) {
  await s.page.evaluate(() => document.querySelectorAll(".toast").forEach((t) => t.remove()));
  await s.page.locator("#files").setInputFiles(files);
}

/** Drops files on the page. */
async function drop(files) {
  const given = files.map((file) => ({ name: basename(file), text: readFileSync(file, "latin1") }));
  await s.page.evaluate((given) => {
    const data = new DataTransfer();
    for (const { name, text } of given) data.items.add(new File([text], name));
    document.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
  }, given);
}

/** Compares the certificate saved by the page with that of the command line. */
async function compareCertificates(name) {
  const file = await saved("Certificate of the whole motion");
  const native = JSON.parse(execFileSync(COMMAND, ["filter", name, "--json"], { encoding: "utf8", maxBuffer: 1 << 26 }));
  assert.deepEqual(JSON.parse(readFileSync(file, "utf8")), native.output);
}

test("motions are saved and open again", async () => {
  await reload("keyed-kick");
  await until(s.page, () => window.studio.page.frame.time > 1);
  for (const [label, ending] of [["Motion as BVH", "bvh"], ["Motion with its figure (JSON)", "json"]]) {
    const file = await saved(label);
    assert.ok(file.endsWith(ending), file);
    await choose([file]);
    await until(s.page, (name) => window.studio.page.structure?.source === name && window.studio.page.frame?.step > 20, `keyed-kick.${ending}`);
    assert.equal((await now(s.page)).structure.mode, "filter");
    await reload("keyed-kick");
    await until(s.page, () => window.studio.page.frame.time > 0.5);
  }
  for (const [label, least] of [["Motion as GLB, for 3D programs", 2000], ["Motion as CSV", 2000]]) {
    assert.ok(readFileSync(await saved(label)).length > least, label);
  }
  // a replay opens at its end
  const replay = await saved("Replay of the session");
  const { steps } = JSON.parse(readFileSync(replay, "utf8"));
  await choose([replay]);
  await until(s.page, (n) => window.studio.page.frame?.step >= n, steps);
});

for (const name of ["keyed-kick", "push-standing"]) {
  test(`the certificate of ${name} equals that of the command line`, { skip: !existsSync(COMMAND) && "the program is not built" }, async () => {
    await reload(name);
    await s.page.evaluate(() => window.studio.page.play(false));
    await compareCertificates(name);
  });
}

test("a captured walk is dropped, tracked on-line, and certified as by the command line",
  { skip: !existsSync(COMMAND) ? "the program is not built" : !existsSync(CAPTURED) && `${CAPTURED} is not there` }, async () => {
    await reload("pendulum");
    const name = basename(CAPTURED);
    await drop([CAPTURED]);
    await until(s.page, (name) => window.studio.page.structure?.source === name && window.studio.page.frame?.time > 0.8, name);
    const [first, frames] = await s.page.evaluate(() => {
      const { frames } = window.studio.page.history;
      return [frames[0].center, frames.map((f) => ({ center: f.center, force: f.measures.find((m) => m.name === "ground force").value }))];
    });
    const carried = frames.filter((f) => f.force > 100).length;
    assert.ok(carried > frames.length / 2, `${carried} of ${frames.length} frames have a ground force`);
    const last = frames.at(-1).center;
    assert.ok(Math.hypot(last[0] - first[0], last[1] - first[1]) > 0.3, `${first} to ${last}`);
    await s.page.evaluate(() => window.studio.page.play(false));
    await compareCertificates(CAPTURED);
  });

test("broken files are reported, and the page continues", async () => {
  await reload("pendulum");
  const garbage = Buffer.alloc(10_000_000, 0).map((_, i) => (i * 2654435761) >>> 24);
  const claims = `HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n${"JOINT b\n{\nOFFSET 0 0 1\n".repeat(1_000_000)}`;
  for (const [name, bytes] of [["garbage.bvh", garbage], ["garbage.toml", garbage], ["garbage.npz", garbage], ["claims.bvh", claims], ["what.exe", "MZ"]]) {
    const file = join(OUT, name);
    writeFileSync(file, bytes);
    await choose([file]);
    const toast = s.page.locator(".toast.error").last();
    await toast.waitFor({ timeout: 60_000 });
    assert.match(await toast.textContent(), new RegExp(name.replace(".", "\\.")));
    const { frame, structure } = await now(s.page);
    assert.equal(structure.source, "pendulum");
    await until(s.page, (step) => window.studio.page.frame.step > step, frame.step);
  }
});

test("a reloaded page remembers nothing but the theme", async () => {
  await reload("keyed-kick");
  const file = await saved("Motion as BVH");
  await choose([file]);
  await until(s.page, () => window.studio.page.structure.source.endsWith(".bvh"));
  await s.page.evaluate(() => window.studio.apply({ do: "push", link: "chest", at: [0, 0, 0], force: [0, 30, 0], seconds: 0.2 }));
  await s.page.reload();
  await until(s.page, () => window.studio?.page.frame);
  assert.equal((await now(s.page)).structure.source, "endless-walk");
  const kept = await s.page.evaluate(async () => ({
    local: Object.keys(localStorage), session: Object.keys(sessionStorage), cookies: document.cookie,
    bases: (await indexedDB.databases()).length, caches: (await caches.keys()).length,
  }));
  assert.deepEqual({ ...kept, local: kept.local.filter((key) => key !== "anthropi-theme") },
    { local: [], session: [], cookies: "", bases: 0, caches: 0 });
});
