// Assembles the page: viewport in the middle, library on the left, panels on the right, transport below.

import { icon, iconButton, make } from "./dom";
import { displayName } from "./actions";
import { Interaction } from "./interaction";
import { PANELS } from "./panels";
import { buildFiles, openFiles, openGiven } from "./panels/files";
import { buildHelp } from "./panels/help";
import { buildLibrary } from "./panels/library";
import { buildPanel } from "./panels/panel";
import { buildTools } from "./panels/tools";
import { buildTransport } from "./panels/transport";
import { startShortcuts } from "./shortcuts";
import { Studio } from "./studio";
import { startTheme } from "./theme";
import { buildToasts } from "./toast";
import { Viewport } from "./view/viewport";

/** Opened unless the address names another item. */
const FIRST = "endless-walk";

const app = document.getElementById("app")!;
const studio = new Studio();
app.append(buildToasts(studio));

const canvas = make("canvas", { class: "canvas", tabindex: 0, "aria-label": "The figure. Arrow keys select a link; the question mark shows all shortcuts." });
const labels = make("div", { class: "labels", "aria-hidden": "true" });
const home = make("main", { class: "view" }, canvas, labels);
app.append(home);

let viewport: Viewport;
try {
  viewport = new Viewport(studio, home, canvas, labels);
} catch {
  home.append(make("p", { class: "sorry" }, "The studio needs WebGL 2, which this browser does not support or has disabled."));
  throw new Error("no WebGL");
}

const interaction = new Interaction(studio, viewport, canvas);
const help = buildHelp();
const library = buildLibrary(studio);
const toggleTheme = startTheme((isDark) => viewport.setDark(isDark));

const title = make("h1", { class: "title" });
const about = make("p", { class: "about quiet" });
const panels = make("aside", { class: "panels", id: "panels", "aria-label": "Panels" }, ...PANELS.map((p) => buildPanel(p, studio)));
const undo = iconButton("undo", "Undo the last edit", () => void studio.undo(), "Ctrl Z");
undo.id = "undo";

function side(name: string, label: string, element: HTMLElement): HTMLButtonElement {
  const button = iconButton(name, label, () => {
    element.hidden = !element.hidden;
    button.setAttribute("aria-expanded", String(!element.hidden));
  });
  button.setAttribute("aria-expanded", "true");
  button.setAttribute("aria-controls", element.id);
  return button;
}

const showHelp = () => (help.open ? help.close() : help.showModal());
const top = make(
  "header", { class: "top" },
  side("library", "Library", library.element),
  make("span", { class: "brand" }, "Anthropi"),
  make("div", { class: "titles" }, title, about),
  undo,
  iconButton("aim", "Centre the figure", () => viewport.frameFigure(), "V"),
  ...buildFiles(studio, viewport),
  iconButton("theme", "Light or dark theme", toggleTheme, "T"),
  iconButton("help", "Help and shortcuts", showHelp, "?"),
  side("panels", "Panels", panels),
);

const caption = make("p", { class: "caption", "aria-live": "polite" });
const hint = make("p", { class: "hint" }, icon("drag"), "Drag a limb to pull it, Shift-click to push it. Press ? for help.");
const announced = make("p", { class: "spoken", "aria-live": "polite" });
const loading = make("p", { class: "loading", role: "status" }, "Loading the engine…");
home.append(buildTools(studio), caption, hint, loading);
app.append(top, library.element, panels, buildTransport(studio), help, announced);

// `?quality=low` for machines that draw slowly
const quality = new URLSearchParams(location.search).get("quality");
if (quality === "low" || quality === "high") studio.setDisplay({ quality });

startShortcuts(studio, interaction, {
  help: showHelp,
  escape: () => help.open && help.close(),
  theme: toggleTheme,
  search: () => {
    library.element.hidden = false;
    library.search.focus();
  },
  frameFigure: () => viewport.frameFigure(),
});

studio.on("items", () => {
  const wanted = decodeURIComponent(location.hash.slice(1));
  if (wanted.startsWith("open=")) {
    void openGiven(studio, wanted.slice(5)).then(() => loading.remove());
    return;
  }
  const item = studio.find(wanted);
  if (wanted && !item) studio.notify(`There is no “${wanted}” in the library.`, "error");
  void studio.open(item?.name ?? FIRST).then(() => loading.remove());
});

studio.on("opened", () => {
  const item = studio.find(studio.structure?.source ?? "");
  const name = item?.name ?? studio.structure?.source ?? "";
  title.textContent = name;
  about.textContent = about.title = item?.what ?? "";
  document.title = `${name || "studio"} – Anthropi studio`;
  caption.textContent = "";
});

studio.on("select", () => (announced.textContent = studio.selected ? displayName(studio.selected) : ""));

studio.on("frame", () => {
  const message = studio.frame?.messages.at(-1);
  if (message && !studio.pastFrame) {
    caption.textContent = message;
    caption.getAnimations().forEach((a) => a.cancel());
    caption.animate([{ opacity: 1 }, { opacity: 1, offset: 0.7 }, { opacity: 0 }], { duration: 4000, fill: "forwards" });
  }
});
studio.on("pulse", () => (undo.disabled = (studio.frame?.edits ?? 0) === 0));
canvas.addEventListener("pointerdown", () => setTimeout(() => hint.classList.add("gone"), 1500), { once: true });
setTimeout(() => hint.classList.add("gone"), 20_000);

// a changed address opens its item
window.addEventListener("hashchange", () => {
  const wanted = decodeURIComponent(location.hash.slice(1));
  const item = studio.find(wanted);
  if (item && item.name !== studio.structure?.source) void studio.open(item.name);
});

// files can be dropped anywhere
document.addEventListener("dragover", (event) => event.preventDefault());
document.addEventListener("drop", (event) => {
  event.preventDefault();
  void openFiles(studio, [...(event.dataTransfer?.files ?? [])]);
});

// for tests and the browser console
declare global {
  interface Window {
    studio: { page: Studio; viewport: Viewport; apply: Studio["apply"] };
  }
}
window.studio = { page: studio, viewport, apply: (command) => studio.apply(command) };
