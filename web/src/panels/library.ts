// The library: items with thumbnails, and a search.

import { make } from "../dom";
import type { Item } from "../protocol";
import type { Studio } from "../studio";

const GROUPS: [Item["group"], string][] = [
  ["endless_walk", "Endless walks"], ["motion", "Motions"], ["filter", "Filter scenes"], ["walk", "Walks"], ["scene", "Scenes"],
  ["figure", "Figures"],
];

export function buildLibrary(studio: Studio): { element: HTMLElement; search: HTMLInputElement } {
  const search = make("input", {
    type: "search", id: "library-search", placeholder: "Search (/)", "aria-label": "Search the library", autocomplete: "off",
  });
  const list = make("div", { class: "library-list" });
  const nothing = make("p", { class: "quiet", hidden: true }, "No item matches.");
  const buttons = new Map<string, HTMLButtonElement>();

  const fill = () => {
    list.replaceChildren(nothing);
    buttons.clear();
    for (const [name, head] of GROUPS) {
      const group = make("section", { "aria-label": head }, make("h3", {}, head));
      for (const item of studio.items.filter((i) => i.group === name)) {
        const button = entry(item, () => void studio.open(item.name));
        buttons.set(item.name, button);
        group.append(button);
      }
      list.append(group);
    }
    mark();
    void addThumbnails(buttons);
  };
  const mark = () => {
    for (const [name, button] of buttons) {
      if (name === studio.structure?.source) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    }
  };
  const applySearch = () => {
    const wanted = search.value.trim().toLowerCase();
    let found = 0;
    for (const button of buttons.values()) {
      button.hidden = !button.textContent!.toLowerCase().includes(wanted);
      found += Number(!button.hidden);
    }
    for (const group of list.querySelectorAll("section")) group.hidden = !group.querySelector("button:not([hidden])");
    nothing.hidden = found > 0;
  };
  search.addEventListener("input", applySearch);
  search.addEventListener("keydown", (event) => {
    if (event.key === "Enter") [...buttons.values()].find((b) => !b.hidden)?.click();
    if (event.key === "Escape") search.blur();
  });
  studio.on("items", fill);
  studio.on("opened", mark);
  const element = make("nav", { class: "library", id: "library", "aria-label": "Library" }, search, list);
  return { element, search };
}

function entry(item: Item, open: () => void): HTMLButtonElement {
  return make(
    "button", { type: "button", class: `entry ${item.group}`, title: item.what, onclick: open },
    make("span", { class: "thumb", "aria-hidden": "true" }),
    make("span", { class: "entry-text" }, make("b", {}, item.name), make("small", {}, item.what)),
  );
}

/** Adds the thumbnails. The engine draws them when the page is built; they load after the first view. */
async function addThumbnails(buttons: Map<string, HTMLButtonElement>) {
  const { default: thumbnails } = await import("../engine/thumbnails.json");
  for (const [name, button] of buttons) {
    button.querySelector(".thumb")!.innerHTML = (thumbnails as Record<string, string>)[name] ?? "";
  }
}
