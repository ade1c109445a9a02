// The filter of a motion: on or off, how slippery the floor is, and how the figure goes after the motion.

import { make } from "../dom";
import type { Gains } from "../protocol";
import { usualFilter } from "../studio";
import type { Panel } from "./panel";
import { row } from "./panel";
import { type Scale, Slider, plain } from "./slider";

const GAINS: [keyof Gains, string, string][] = [
  ["strength", "Strength", "Torques that its joints can give, times those of people"],
  ["following", "Following", "How fast limbs and trunk come back to the motion: low is slack, high is stiff"],
  ["damping", "Damping", "How much that is damped: low swings over, high creeps"],
  ["balance", "Balance", "How fast it brings its centre of mass back to where the motion has it"],
];
/** Gains go from a third of the usual to three times; sliders have their logarithm, so that usual is in the middle... */
const MOST = 1.1;
/** ...and what is nearer to it than this is usual. */
const NEAR = 0.03;

const FRICTION = plain([0.05, 1.5, 0.05], (v) => v.toFixed(2));
const TIMES: Scale = {
  range: [-MOST, MOST, 0.01],
  value: (x) => (Math.abs(x) < NEAR ? 1 : Number(Math.exp(x).toFixed(2))),
  place: Math.log,
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
      void studio.obey({ do: "filter", is_on: isOn.checked, friction: friction.value, gains });
    };
    const friction = new Slider("Friction", "Friction of the floor", "0.8 is usual, ice has 0.05", FRICTION, send);
    const sliders = GAINS.map(([name, label, what]) =>
      [name, new Slider(label, label, `${what}. The middle is usual.`, TIMES, send)] as const);
    const show = () => {
      isOn.checked = studio.filter.isOn;
      friction.value = studio.filter.friction;
      for (const [name, slider] of sliders) slider.value = studio.filter.gains[name];
    };
    const usual = () => {
      studio.filter = { ...usualFilter(studio.structure), isOn: isOn.checked };
      show();
      send();
    };
    isOn.addEventListener("change", send);
    studio.on("opened", show);
    return make(
      "div", {},
      make("p", { class: "quiet" }, "The figure follows the motion by its own strength. Push it, and it finds its feet again, or not."),
      row("Filter", isOn), friction.element, ...sliders.map(([, slider]) => slider.element),
      make("button", { type: "button", class: "act", id: "filter-usual", onclick: usual }, "As usual"),
    );
  },
};
