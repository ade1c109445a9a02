// A browser with the page in it, for the tests.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { serve } from "./serve.mjs";

const FLAGS = [
  "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
  "--disable-sync", "--enable-unsafe-swiftshader", "--use-gl=angle", "--use-angle=swiftshader",
];

/** Starts a browser; `errors` collects its error messages. */
export async function start(options = {}, server = null) {
  server ??= await serve();
  const context = await chromium.launchPersistentContext(mkdtempSync(join(tmpdir(), "studio-")), {
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", headless: true, args: FLAGS,
    viewport: { width: 1366, height: 768 }, colorScheme: "light", ...options,
  });
  const page = context.pages()[0] ?? (await context.newPage());
  const errors = [];
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("requestfailed", (request) => errors.push(`failed: ${request.url()}`));
  const outside = [];
  page.on("request", (request) => !/^(http:\/\/127|blob:|data:)/.test(request.url()) && outside.push(request.url()));
  // low quality: Chromium draws in software
  const open = async (name = "", quality = "low") => {
    await page.goto(`${server.address}${quality && `?quality=${quality}`}${name && `#${name}`}`);
    await page.waitForFunction(() => window.studio?.page.frame && !document.querySelector(".loading"));
  };
  const end = async () => {
    await context.close();
    server.end();
  };
  return { page, errors, outside, open, end, address: server.address };
}

/** The newest frame and structure from the engine. */
export function now(page) {
  return page.evaluate(() => ({ frame: window.studio.page.frame, structure: window.studio.page.structure }));
}

/** Waits until a function is true in the page. */
export function until(page, test, argument) {
  return page.waitForFunction(test, argument, { timeout: 40_000, polling: 50 });
}

/** Chooses an entry of the save menu. */
export async function save(page, label) {
  await page.getByRole("button", { name: /^Save the motion/ }).click();
  await page.getByRole("button", { name: label, exact: true }).click();
}
