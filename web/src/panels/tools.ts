// The toolbar: what a click on a limb does.

import { icon, make } from "../dom";
import type { Studio, Tool } from "../studio";

const TOOLS: [Tool, string, string][] = [
  ["drag", "Drag", "Pull a limb with a spring"],
  ["push", "Push", "Push away from the camera; with any other tool, Shift-click"],
  ["pin", "Pin", "Pin a point of a limb in place"],
  ["connect", "Connect", "Connect two limbs: click one, then the other"],
  ["lock", "Lock", "Lock or unlock the joint of a limb"],
  ["cut", "Cut", "Cut a limb off at its joint"],
  ["root", "Root", "Make a limb the root of its figure"],
];

export function buildTools(studio: Studio): HTMLElement {
  const bar = make("div", { class: "tools", role: "radiogroup", "aria-label": "Tool" });
  const buttons = TOOLS.map(([tool, label, title]) => {
    const button = make("button", { type: "button", role: "radio", class: "tool", title, onclick: () => studio.setTool(tool) },
      icon(tool), make("span", {}, label));
    button.dataset.tool = tool;
    bar.append(button);
    return button;
  });
  const options = pushOptions(studio);
  const show = () => {
    for (const button of buttons) button.setAttribute("aria-checked", String(button.dataset.tool === studio.tool));
    options.hidden = studio.tool !== "push";
  };
  studio.on("tool", show);
  show();
  return make("div", { class: "tool-box" }, bar, options);
}

/** Force and duration of a push. */
function pushOptions(studio: Studio): HTMLElement {
  const field = (label: string, key: "newtons" | "seconds", step: number, most: number) => {
    const input = make("input", { type: "number", min: step, max: most, step, value: studio.push[key] });
    input.addEventListener("change", () => {
      const value = Math.min(most, Math.max(step, Number(input.value) || studio.push[key]));
      studio.push[key] = value;
      input.value = String(value);
    });
    return make("label", { class: "axis" }, input, label);
  };
  return make("div", { class: "tool-options", hidden: true }, field("N", "newtons", 10, 2000), field("s", "seconds", 0.05, 5));
}
