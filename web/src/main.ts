// Puts the page together: view in the middle, library at the left, panels at the right, time below.

import { icon, iconButton, make } from "./dom";
import { words } from "./deeds";
import { Hands } from "./hands";
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
import { Stage } from "./view/stage";

/** What a first visit sees: a figure that walks by its own strength. */
const FIRST = "stroll";

const app = document.getElementById("app")!;
const studio = new Studio();
app.append(buildToasts(studio));

const canvas = make("canvas", { class: "canvas", tabindex: 0, "aria-label": "The figure. Arrow keys select a link; the question mark shows all keys." });
const labels = make("div", { class: "labels", "aria-hidden": "true" });
const home = make("main", { class: "view" }, canvas, labels);
app.append(home);

let stage: Stage;
try {
  stage = new Stage(studio, home, canvas, labels);
} catch {
  home.append(make("p", { class: "sorry" }, "This browser cannot draw in three dimensions (WebGL 2). Another browser, or another setting, will."));
  throw new Error("no WebGL");
}

const hands = new Hands(studio, stage, canvas);
const help = buildHelp();
const library = buildLibrary(studio);
const toggleTheme = startTheme((isDark) => stage.setDark(isDark));

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
  iconButton("aim", "Figure into the middle", () => stage.frameFigure(), "V"),
  ...buildFiles(studio, stage),
  iconButton("theme", "Light or dark", toggleTheme, "T"),
  iconButton("help", "Help and keys", showHelp, "?"),
  side("panels", "Panels", panels),
);

const caption = make("p", { class: "caption", "aria-live": "polite" });
const hint = make("p", { class: "hint" }, icon("drag"), "Drag a limb. Shift-click pushes it. ? shows all keys.");
const spoken = make("p", { class: "spoken", "aria-live": "polite" });
const loading = make("p", { class: "loading", role: "status" }, "The engine is loading…");
home.append(buildTools(studio), caption, hint, loading);
app.append(top, library.element, panels, buildTransport(studio), help, spoken);

// `?picture=plain` for machines that draw slowly
const picture = new URLSearchParams(location.search).get("picture");
if (picture === "plain" || picture === "fine") studio.setDisplay({ picture });

startShortcuts(studio, hands, {
  help: showHelp,
  escape: () => help.open && help.close(),
  theme: toggleTheme,
  search: () => {
    library.element.hidden = false;
    library.search.focus();
  },
  frameFigure: () => stage.frameFigure(),
});

studio.on("items", () => {
  const wanted = decodeURIComponent(location.hash.slice(1));
  if (wanted.startsWith("open=")) {
    void openGiven(studio, wanted.slice(5)).then(() => loading.remove());
    return;
  }
  const isThere = studio.items.some((i) => i.name === wanted);
  if (wanted && !isThere) studio.say(`There is no “${wanted}” in the library.`, "error");
  void studio.open(isThere ? wanted : FIRST).then(() => loading.remove());
});

studio.on("opened", () => {
  const item = studio.items.find((i) => i.name === studio.structure?.source);
  const name = item?.name ?? studio.structure?.source ?? "";
  title.textContent = name;
  about.textContent = about.title = item?.what ?? "";
  document.title = `${name || "studio"} – Anthropi studio`;
  caption.textContent = "";
});

studio.on("select", () => (spoken.textContent = studio.selected ? words(studio.selected) : ""));

studio.on("frame", () => {
  const told = studio.frame?.told ?? [];
  if (told.length > 0 && !studio.looking) {
    caption.textContent = told[told.length - 1]!;
    caption.getAnimations().forEach((a) => a.cancel());
    caption.animate([{ opacity: 1 }, { opacity: 1, offset: 0.7 }, { opacity: 0 }], { duration: 4000, fill: "forwards" });
  }
});
studio.on("pulse", () => (undo.disabled = (studio.frame?.edits ?? 0) === 0));
canvas.addEventListener("pointerdown", () => setTimeout(() => hint.classList.add("gone"), 1500), { once: true });
setTimeout(() => hint.classList.add("gone"), 20_000);

// an address that names something else opens it
window.addEventListener("hashchange", () => {
  const wanted = decodeURIComponent(location.hash.slice(1));
  if (studio.items.some((i) => i.name === wanted) && wanted !== studio.structure?.source) void studio.open(wanted);
});

// files may be dropped anywhere
document.addEventListener("dragover", (event) => event.preventDefault());
document.addEventListener("drop", (event) => {
  event.preventDefault();
  void openFiles(studio, [...(event.dataTransfer?.files ?? [])]);
});

// for tests and for the curious
declare global {
  interface Window {
    studio: { page: Studio; stage: Stage; obey: Studio["obey"] };
  }
}
window.studio = { page: studio, stage, obey: (command) => studio.obey(command) };
