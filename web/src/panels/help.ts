// The help dialog: mouse and keyboard.

import { iconButton, make } from "../dom";
import { KEYS } from "../shortcuts";

const MOUSE: [string, string][] = [
  ["Drag a limb", "pulls it with a spring; the arrow shows the force"],
  ["Shift-click a limb", "pushes it away from the camera"],
  ["Click a violet point", "releases a connection"],
  ["Drag the background", "rotates the view; the right button pans, the wheel zooms"],
  ["Timeline", "looks back; acting there discards what came after"],
];

export function buildHelp(): HTMLDialogElement {
  const list = (rows: [string, string][], tag: "kbd" | "b") =>
    make("dl", {}, ...rows.flatMap(([key, what]) => [make("dt", {}, make(tag, {}, key)), make("dd", {}, what)]));
  const dialog = make("dialog", { class: "help", id: "help", "aria-labelledby": "help-title" });
  const close = iconButton("close", "Close", () => dialog.close(), "Esc");
  dialog.append(
    make("header", {}, make("h2", { id: "help-title" }, "Help"), close),
    list(MOUSE, "b"),
    make("h3", {}, "Keyboard"),
    list(KEYS, "kbd"),
  );
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  return dialog;
}
