// The page served by `anthropi studio`: strict headers, and a file named on the command line.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { now, save, start, until } from "./browser.mjs";

const OUT = new URL("./out/", import.meta.url).pathname;
const COMMAND = process.env.ANTHROPI ?? new URL("../../target/release/anthropi", import.meta.url).pathname;
const skip = !existsSync(COMMAND) && "the program is not built";

/** Starts the program; resolves with its address. */
function served(file) {
  const child = spawn(COMMAND, ["studio", ...(file ? [file] : []), "--no-open", "--port", "0", "--json"]);
  return new Promise((done, failed) => {
    let text = "";
    child.stderr.on("data", (data) => failed(new Error(String(data))));
    child.stdout.on("data", (data) => {
      text += data;
      if (!text.includes("}")) return;
      const { address, port } = JSON.parse(text);
      done({ address: address.split("#")[0], hash: address.split("#")[1] ?? "", port, end: () => child.kill() });
    });
  });
}

/** Status code of a response. */
function status(port, method, path, host) {
  return new Promise((done, failed) => {
    const asked = request({ host: "127.0.0.1", port, method, path, headers: { host } }, (answer) => done(answer.statusCode));
    asked.on("error", failed);
    asked.end();
  });
}

let server, s;
before(async () => {
  if (skip) return;
  server = await served();
  s = await start({}, server);
});
after(() => s?.end());

test("the page works with the headers of the server", { skip }, async () => {
  await s.open();
  await until(s.page, () => window.studio.page.frame.step > 10);
  assert.deepEqual([s.errors, s.outside], [[], []]);
});

test("other hosts, methods and paths are refused", { skip }, async () => {
  const own = `127.0.0.1:${server.port}`;
  assert.equal(await status(server.port, "GET", "/", own), 200);
  assert.equal(await status(server.port, "GET", "/", "evil.example"), 403);
  assert.equal(await status(server.port, "POST", "/", own), 405);
  assert.equal(await status(server.port, "GET", "/../Cargo.toml", own), 404);
  assert.equal(await status(server.port, "GET", "/given/Cargo.toml", own), 404);
});

test("the named file opens", { skip }, async () => {
  const [download] = await Promise.all([s.page.waitForEvent("download"), save(s.page, "Motion with its figure (JSON)")]);
  const file = join(OUT, "my walk.json");
  await download.saveAs(file);
  writeFileSync(file, readFileSync(file));
  const other = await served(file);
  try {
    await s.page.goto("about:blank");
    await s.page.goto(`${other.address}?quality=low#${other.hash}`);
    await until(s.page, () => window.studio?.page.frame?.step > 5);
    const { structure } = await now(s.page);
    assert.equal(structure.source, "my_walk.json");
    assert.deepEqual(s.errors, []);
  } finally {
    other.end();
  }
});
