// Sentences for the person: errors and notes, read out too.

import { make } from "./dom";
import type { Studio } from "./studio";

/** How long a sentence stays, ms. */
const STAYS = { note: 3000, error: 8000 };

export function buildToasts(studio: Studio): HTMLElement {
  const home = make("div", { class: "toasts", role: "status", "aria-live": "polite" });
  studio.say = (sentence, kind) => {
    // names of files stay as they are
    const isName = /^\S+\.\w/.test(sentence);
    const text = isName ? sentence : sentence.charAt(0).toUpperCase() + sentence.slice(1);
    const old = [...home.children].find((t) => t.textContent === text);
    old?.remove();
    const toast = make("div", { class: `toast ${kind}` }, text);
    if (kind === "error") toast.setAttribute("role", "alert");
    toast.addEventListener("click", () => toast.remove());
    home.append(toast);
    while (home.children.length > 3) home.firstElementChild?.remove();
    setTimeout(() => toast.remove(), STAYS[kind]);
  };
  return home;
}
