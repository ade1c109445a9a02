// How somebody walks: speed, steps, style, way and the six determinants. What is changed is planned while the figure walks
// on, and seen a few steps later.

import { words } from "../deeds";
import { make } from "../dom";
import type { Asked, Gaits } from "../protocol";
import type { Panel } from "./panel";
import { Slider, plain } from "./slider";

const SPEED = plain([0, 3, 0.05], (v) => (v === 0 ? "stands" : `${v.toFixed(2)} m/s`));
const LENGTH = plain([0.2, 1, 0.01], (v) => `${v.toFixed(2)} m`);
const TURN = plain([-20, 20, 1], (v) => `${v.toFixed(0)}°`);
/** Above it people run, m/s. */
const RUNS = 2.2;
/** What a style says itself. */
const USUAL: Asked = { style: "neutral" };

export const gaitPanel: Panel = {
  id: "gait",
  title: "Gait",
  isOpen: true,
  isFor: (structure) => structure.mode === "walk",
  build(studio, isShown) {
    let asked: Asked = { ...USUAL };
    const styles = make("div", { class: "words", role: "radiogroup", "aria-label": "Style" });
    const measured = make("p", { class: "quiet", id: "gait-measured", "aria-live": "off" });
    const determinants = make("details", {}, make("summary", {}, "Determinants"));
    let sliders: [string, Slider][] = [];

    const ask = (change: Partial<Asked>) => {
      asked = { ...asked, ...change };
      for (const key of Object.keys(asked) as (keyof Asked)[]) if (asked[key] === undefined) delete asked[key];
      asked.runs = (asked.speed ?? 0) > RUNS || undefined;
      if (!asked.runs) delete asked.runs;
      show();
      void studio.obey({ do: "gait", ...asked }).then((done) => {
        if (!done) take();
      });
    };
    const speed = new Slider("Speed", "Speed", `To the left end it stands; from ${RUNS} m/s on it runs`, SPEED, () =>
      ask({ speed: speed.value, step_length: speed.value > RUNS ? undefined : asked.step_length }));
    const length = new Slider("Step", "Step length", "With the speed it gives how often it steps", LENGTH, () =>
      ask({ step_length: length.value, speed: asked.speed || speed.value || 1.3 }));
    const turn = new Slider("Turn", "Turn with each step", "To the left with each step", TURN, () => ask({ turn_deg: turn.value }));
    const usual = () => ask({ speed: undefined, step_length: undefined, turn_deg: undefined, determinants: undefined });

    /** What the engine goes by, after it was opened, rewound or has refused something. */
    const take = () => {
      const now = studio.frame?.gait?.asked;
      if (!now) return;
      asked = { ...now };
      show();
    };
    const show = () => {
      const means = studio.frame?.gait?.means;
      speed.value = asked.speed ?? means?.speed ?? 1.3;
      length.value = asked.step_length ?? means?.length ?? 0.7;
      turn.value = asked.turn_deg ?? 0;
      for (const button of styles.querySelectorAll("button")) {
        button.setAttribute("aria-checked", String(button.value === asked.style));
      }
      for (const [name, slider] of sliders) slider.value = asked.determinants?.[name] ?? 1;
    };
    const fill = (gaits: Gaits) => {
      styles.replaceChildren(...gaits.styles.map(({ name, what }) =>
        make("button", { type: "button", role: "radio", class: "word", value: name, title: what, onclick: () => ask({ style: name }) }, name)));
      sliders = gaits.determinants.map(({ name, most }) => {
        const slider: Slider = new Slider(words(name), words(name), "1 is usual, 0 is none", plain([0, most, 0.05], (v) => v.toFixed(2)), () =>
          ask({ determinants: { ...asked.determinants, [name]: slider.value } }));
        return [name, slider];
      });
      determinants.replaceChildren(determinants.firstChild!, ...sliders.map(([, slider]) => slider.element));
    };
    studio.on("opened", () => {
      if (studio.structure?.gaits) fill(studio.structure.gaits);
      take();
    });
    let seen = "";
    studio.on("pulse", () => {
      const frame = studio.shown()?.frame;
      if (!isShown() || !frame?.gait) return;
      const of = (name: string) => frame.measures.find((m) => m.name === name)?.value ?? 0;
      measured.textContent = frame.gait.is_planning
        ? "The next steps are planned…"
        : `${of("speed").toFixed(2)} m/s, ${of("step length").toFixed(2)} m, ${of("steps a minute").toFixed(0)} a minute`;
      // sliders that nobody has set show what the style has
      const key = JSON.stringify(frame.gait.means);
      if (key !== seen && !styles.parentElement!.querySelector("input:active")) {
        seen = key;
        show();
      }
    });
    return make(
      "div", {}, measured, speed.element, length.element, turn.element, styles, determinants,
      make("button", { type: "button", class: "act", id: "gait-usual", title: "Speed, steps and way as the style has them", onclick: usual }, "As usual"),
    );
  },
};
