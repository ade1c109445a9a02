// Messages to the user: errors and notes, also announced to screen readers.

import { make } from "./dom";
import type { Studio } from "./studio";

/** Display time, ms. */
const DURATION = { note: 3000, error: 8000 };

export function buildToasts(studio: Studio): HTMLElement {
  const home = make("div", { class: "toasts", role: "status", "aria-live": "polite" });
  studio.notify = (message, kind) => {
    // file names keep their case
    const isName = /^\S+\.\w/.test(message);
    const text = isName ? message : message.charAt(0).toUpperCase() + message.slice(1);
    const old = [...home.children].find((t) => t.textContent === text);
    old?.remove();
    const toast = make("div", { class: `toast ${kind}` }, text);
    if (kind === "error") toast.setAttribute("role", "alert");
    toast.addEventListener("click", () => toast.remove());
    home.append(toast);
    while (home.children.length > 3) home.firstElementChild?.remove();
    setTimeout(() => toast.remove(), DURATION[kind]);
  };
  return home;
}
