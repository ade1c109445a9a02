// What is shown: also the legend of the colours.

import { make } from "../dom";
import type { Display } from "../studio";
import type { Panel } from "./panel";
import { row } from "./panel";

type Switch = Exclude<keyof Display, "picture">;

const SWITCHES: [Switch, string, string][] = [
  ["forces", "Contact and grip forces", "contact"],
  ["pressure", "Centre of pressure", "pressure"],
  ["center", "Centre of mass", "center"],
  ["ghost", "Ghost of the reference", "ghost"],
  ["connections", "Connections", "connection"],
  ["follow", "Camera follows", ""],
];

export const displayPanel: Panel = {
  id: "display",
  title: "Show",
  isOpen: false,
  build(studio) {
    const boxes = SWITCHES.map(([name, label, colour]) => {
      const box = make("input", { type: "checkbox", id: `show-${name}` });
      box.addEventListener("change", () => studio.setDisplay({ [name]: box.checked }));
      return { name, box, element: row(label, box, make("i", { class: `swatch ${colour}`, "aria-hidden": "true" })) };
    });
    const picture = make("select", { id: "show-picture" });
    for (const value of ["automatic", "fine", "plain"]) picture.append(make("option", { value }, value));
    picture.addEventListener("change", () => studio.setDisplay({ picture: picture.value as Display["picture"] }));
    const show = () => {
      for (const { name, box } of boxes) box.checked = studio.display[name];
      picture.value = studio.display.picture;
    };
    studio.on("display", show);
    show();
    return make("div", {}, ...boxes.map((b) => b.element), row("Picture", picture));
  },
};
