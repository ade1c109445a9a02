// The filter of a motion: on or off, and how slippery the floor is.

import { make } from "../dom";
import type { Panel } from "./panel";
import { row } from "./panel";

export const filterPanel: Panel = {
  id: "filter",
  title: "Filter",
  isOpen: true,
  isFor: (structure) => structure.mode === "filter",
  build(studio) {
    const isOn = make("input", { type: "checkbox", id: "filter-on" });
    const friction = make("input", { type: "range", min: 0.05, max: 1.5, step: 0.05, "aria-label": "Friction of the floor" });
    const value = make("output", { class: "number" });
    const body = make(
      "div", {},
      make("p", { class: "quiet" }, "The figure follows the motion by its own strength. Push it, and it finds its feet again, or not."),
      row("Filter", isOn), row("Friction", friction, value),
    );
    const send = () => {
      studio.filter = { isOn: isOn.checked, friction: Number(friction.value) };
      value.textContent = studio.filter.friction.toFixed(2);
      void studio.obey({ do: "filter", is_on: studio.filter.isOn, friction: studio.filter.friction });
    };
    isOn.addEventListener("change", send);
    friction.addEventListener("change", send);
    friction.addEventListener("input", () => (value.textContent = Number(friction.value).toFixed(2)));
    const show = () => {
      isOn.checked = studio.filter.isOn;
      friction.value = String(studio.filter.friction);
      value.textContent = studio.filter.friction.toFixed(2);
    };
    studio.on("opened", show);
    return body;
  },
};
