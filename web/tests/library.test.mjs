// Every library item opens and plays.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { now, start, until } from "./browser.mjs";

let s;
before(async () => {
  s = await start();
  await s.open();
});
after(() => s.end());

test("every item opens, moves and is drawn", async () => {
  const items = await s.page.evaluate(() => window.studio.page.items);
  assert.ok(items.length > 20, `${items.length}`);
  for (const { name } of items) {
    await s.page.locator("button.entry", { has: s.page.locator(`b:text-is("${name}")`) }).click();
    await until(s.page, (name) => window.studio.page.structure?.source === name && window.studio.page.frame?.step > 8, name)
      .catch(() => assert.fail(`${name} does not play`));
    const { frame, structure } = await now(s.page);
    assert.equal(frame.poses.length, 7 * structure.links.length, name);
    assert.ok(frame.poses.every(Number.isFinite), name);
    assert.equal(await s.page.locator(".toast.error").count(), 0, name);
  }
  assert.deepEqual(s.errors, []);
});

test("every item has a thumbnail, hidden from screen readers", async () => {
  await until(s.page, () => document.querySelectorAll(".entry .thumb svg").length === window.studio.page.items.length);
  const pictures = await s.page.evaluate(() => [...document.querySelectorAll(".entry")].map((e) => {
    const { width, height } = e.querySelector("svg").getBoundingClientRect();
    const drawn = [...e.querySelectorAll("svg path")].map((path) => path.getBBox()).filter((b) => b.width > 1 || b.height > 1);
    return {
      name: e.querySelector("b").textContent, isHidden: e.querySelector(".thumb").getAttribute("aria-hidden") === "true",
      size: Math.min(width, height), parts: drawn.length, text: e.querySelector("svg").innerHTML,
    };
  }));
  for (const { name, isHidden, size, parts } of pictures) assert.ok(isHidden && size >= 32 && parts > 0, name);
  // a filter scene may look like its motion; all others differ
  assert.ok(new Set(pictures.map((p) => p.text)).size >= pictures.length - 4);
});

test("the search finds by name and description", async () => {
  await s.page.locator("#library-search").fill("gymnast");
  assert.ok(await s.page.locator("button.entry", { hasText: "high-bar" }).isVisible());
  assert.ok(!(await s.page.locator("button.entry", { hasText: "dominoes" }).isVisible()));
  await s.page.locator("#library-search").fill("zzz");
  assert.ok(await s.page.getByText("No item matches").isVisible());
});
