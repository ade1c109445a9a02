// The filter: on or off, friction of the floor, tracking gains.

import { make } from "../dom";
import type { Gains } from "../protocol";
import { defaultFilter } from "../studio";
import type { Panel } from "./panel";
import { row } from "./panel";
import { type Scale, Slider, linear } from "./slider";

const GAINS: [keyof Gains, string, string][] = [
  ["strength", "Strength", "Joint torque limits, relative to human strength"],
  ["following", "Following", "How fast limbs and trunk return to the motion: low is slack, high is stiff"],
  ["damping", "Damping", "Damping of that return: low overshoots, high creeps"],
  ["balance", "Balance", "How fast the centre of mass returns to that of the motion"],
];
/** Sliders show the logarithm of a gain, so that the default is in the middle; they range from a third to three times. */
const MAX_LOG = 1.1;
/** Values nearer to the default snap to it. */
const SNAP = 0.03;

const FRICTION = linear([0.05, 1.5, 0.05], (v) => v.toFixed(2));
const TIMES: Scale = {
  range: [-MAX_LOG, MAX_LOG, 0.01],
  value: (x) => (Math.abs(x) < SNAP ? 1 : Number(Math.exp(x).toFixed(2))),
  position: Math.log,
  text: (v) => `${v.toFixed(2)}×`,
};

export const filterPanel: Panel = {
  id: "filter",
  title: "Filter",
  isOpen: true,
  isFor: (structure) => structure.mode !== "scene",
  build(studio) {
    const isOn = make("input", { type: "checkbox", id: "filter-on" });
    const send = () => {
      const gains = Object.fromEntries(sliders.map(([name, slider]) => [name, slider.value])) as unknown as Gains;
      studio.filter = { isOn: isOn.checked, friction: friction.value, gains };
      void studio.apply({ do: "filter", is_on: isOn.checked, friction: friction.value, gains });
    };
    const friction = new Slider("Friction", "Friction of the floor", "Default 0.8; ice has about 0.05", FRICTION, send);
    const sliders = GAINS.map(([name, label, what]) =>
      [name, new Slider(label, label, `${what}. The middle is the default.`, TIMES, send)] as const);
    const show = () => {
      isOn.checked = studio.filter.isOn;
      friction.value = studio.filter.friction;
      for (const [name, slider] of sliders) slider.value = studio.filter.gains[name];
    };
    const reset = () => {
      studio.filter = { ...defaultFilter(studio.structure), isOn: isOn.checked };
      show();
      send();
    };
    isOn.addEventListener("change", send);
    studio.on("opened", show);
    return make(
      "div", {},
      make("p", { class: "quiet" }, "The figure follows the motion with its own joint torques. Push it and see whether it recovers."),
      row("Filter", isOn), friction.element, ...sliders.map(([, slider]) => slider.element),
      make("button", { type: "button", class: "act", id: "filter-reset", onclick: reset }, "Reset"),
    );
  },
};
