// Display settings, and the legend of colours.

import { make } from "../dom";
import type { Display } from "../studio";
import type { Panel } from "./panel";
import { row } from "./panel";

type Switch = Exclude<keyof Display, "quality">;

const SWITCHES: [Switch, string, string][] = [
  ["forces", "Contact and connection forces", "contact"],
  ["pressure", "Centre of pressure", "pressure"],
  ["center", "Centre of mass", "center"],
  ["ghost", "Reference motion", "ghost"],
  ["connections", "Connections", "connection"],
  ["follow", "Camera follows the figure", ""],
];

export const displayPanel: Panel = {
  id: "display",
  title: "Display",
  isOpen: false,
  build(studio) {
    const boxes = SWITCHES.map(([name, label, colour]) => {
      const box = make("input", { type: "checkbox", id: `show-${name}` });
      box.addEventListener("change", () => studio.setDisplay({ [name]: box.checked }));
      return { name, box, element: row(label, box, make("i", { class: `swatch ${colour}`, "aria-hidden": "true" })) };
    });
    const quality = make("select", { id: "show-quality" });
    for (const value of ["automatic", "high", "low"]) quality.append(make("option", { value }, value));
    quality.addEventListener("change", () => studio.setDisplay({ quality: quality.value as Display["quality"] }));
    const show = () => {
      for (const { name, box } of boxes) box.checked = studio.display[name];
      quality.value = studio.display.quality;
    };
    studio.on("display", show);
    show();
    return make("div", {}, ...boxes.map((b) => b.element), row("Quality", quality));
  },
};
