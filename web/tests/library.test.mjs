// Everything in the library opens and plays.

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

test("the search finds by name and description", async () => {
  await s.page.locator("#library-search").fill("gymnast");
  assert.ok(await s.page.locator("button.entry", { hasText: "high-bar" }).isVisible());
  assert.ok(!(await s.page.locator("button.entry", { hasText: "dominoes" }).isVisible()));
  await s.page.locator("#library-search").fill("zzz");
  assert.ok(await s.page.getByText("Nothing has that").isVisible());
});
