// Speed: a 28-coordinate figure under the filter in real time, and little work in the page's own thread.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { start, until } from "./browser.mjs";

/** Most work of the page's thread per frame, without drawing, ms. */
const WORK = 8;

let s;
before(async () => (s = await start({ viewport: { width: 900, height: 560 } })));
after(() => s.end());

for (const [name, what] of [["keyed-walk", "steps of a sixtieth of a second"], ["endless-walk-28", "steps of a millisecond"]]) {
  test(`${name} under the filter runs in real time with ${what}`, async () => {
    await s.page.goto("about:blank");
    await s.open(name);
    await s.page.waitForTimeout(1500);
    const [cost, reached] = await s.page.evaluate(async () => {
      const { page } = window.studio;
      const [time, clock] = [page.frame.time, performance.now()];
      await new Promise((done) => setTimeout(done, 4000));
      return [page.cost, ((page.frame.time - time) * 1000) / (performance.now() - clock)];
    });
    console.log(`${name}: ${cost.toFixed(0)} ms of engine time per simulated second; ${reached.toFixed(2)} simulated seconds per second`);
    assert.ok(cost > 0 && cost < 1000, `${cost}`);
    assert.ok(reached > 0.9, `${reached}`); // the ends of the measurement are frames, and the machine is shared
  });
}

test("a frame takes little time in the page", async () => {
  await until(s.page, () => window.studio.viewport.times.work.length >= 30);
  const { work, draw } = await s.page.evaluate(() => window.studio.viewport.times);
  const middle = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
  console.log(`page: ${middle(work).toFixed(2)} ms of work per frame, ${middle(draw).toFixed(1)} ms to submit the drawing`);
  assert.ok(middle(work) < WORK, `${middle(work)}`);
});
