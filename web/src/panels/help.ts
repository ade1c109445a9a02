// The help over the page: what the mouse does, and the keys.

import { iconButton, make } from "../dom";
import { KEYS } from "../shortcuts";

const MOUSE: [string, string][] = [
  ["Drag a limb", "pulls it by a spring; the arrow shows the force"],
  ["Shift-click a limb", "pushes it along the view"],
  ["Click a violet point", "releases a connection"],
  ["Drag beside the figure", "turns the view; right button moves it, the wheel zooms"],
  ["Time line", "looks back; what you do there begins a new future"],
];

export function buildHelp(): HTMLDialogElement {
  const list = (rows: [string, string][], tag: "kbd" | "b") =>
    make("dl", {}, ...rows.flatMap(([key, what]) => [make("dt", {}, make(tag, {}, key)), make("dd", {}, what)]));
  const dialog = make("dialog", { class: "help", id: "help", "aria-labelledby": "help-title" });
  const close = iconButton("close", "Close", () => dialog.close(), "Esc");
  dialog.append(
    make("header", {}, make("h2", { id: "help-title" }, "Hands on"), close),
    list(MOUSE, "b"),
    make("h3", {}, "Keys"),
    list(KEYS, "kbd"),
  );
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  return dialog;
}
