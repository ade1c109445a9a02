// The floor is drawn at the height of the contact points and of the soles: endless walk, filter and scene.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { start, until } from "./browser.mjs";

/** Largest distance from the floor, m: penetration of contact points, and rounded edges of soles. */
const TOLERANCE = 0.015;

let s;
before(async () => (s = await start()));
after(() => s.end());

for (const [name, mode] of [["endless-walk", "walk"], ["keyed-walk", "filter"], ["stand-28", "scene"], ["drop-box", "scene"]]) {
  test(`${name}: the floor is under the feet`, async () => {
    await s.page.goto("about:blank");
    await s.open(name);
    await until(s.page, () => window.studio.page.frame.time > 0.6 && window.studio.page.frame.arrows.some((a) => a.kind === "contact"));
    const seen = await s.page.evaluate(async () => {
      const { page, viewport } = window.studio;
      await page.play(false);
      for (let i = 0; i < 3; i++) await new Promise((done) => requestAnimationFrame(done));
      let sole = Infinity;
      for (const link of viewport.figure.pickable) {
        link.updateWorldMatrix(true, true);
        for (const mesh of link.children) {
          mesh.geometry.computeBoundingBox();
          const { min, max } = mesh.geometry.boundingBox;
          for (const x of [min.x, max.x]) for (const y of [min.y, max.y]) for (const z of [min.z, max.z]) {
            sole = Math.min(sole, min.clone().set(x, y, z).applyMatrix4(mesh.matrixWorld).z);
          }
        }
      }
      const contacts = page.frame.arrows.filter((a) => a.kind === "contact").map((a) => a.at[2]);
      return { mode: page.structure.mode, floor: viewport.ground.height, sole, contacts };
    });
    assert.equal(seen.mode, mode);
    assert.ok(seen.contacts.length > 0, "there is contact");
    for (const z of [seen.sole, ...seen.contacts]) {
      assert.ok(Math.abs(z - seen.floor) < TOLERANCE, `floor at ${seen.floor} m, contact or sole at ${z} m`);
    }
    assert.deepEqual(s.errors, []);
  });
}
