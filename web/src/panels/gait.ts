// Gait of an endless walk: speed, step length, turn, style and the six determinants. Changes are planned while the
// figure walks on and take effect a few steps later.

import { displayName } from "../actions";
import { make } from "../dom";
import type { GaitChoices, GaitCommand } from "../protocol";
import type { Panel } from "./panel";
import { Slider, linear } from "./slider";

const SPEED = linear([0, 3, 0.05], (v) => (v === 0 ? "standing" : `${v.toFixed(2)} m/s`));
const LENGTH = linear([0.2, 1, 0.01], (v) => `${v.toFixed(2)} m`);
const TURN = linear([-20, 20, 1], (v) => `${v.toFixed(0)}°`);
/** Above this speed the figure runs, m/s. */
const RUN_SPEED = 2.2;
/** Everything else from the style. */
const DEFAULT: GaitCommand = { style: "neutral" };

export const gaitPanel: Panel = {
  id: "gait",
  title: "Gait",
  isOpen: true,
  isFor: (structure) => structure.mode === "walk",
  build(studio, isShown) {
    let command: GaitCommand = { ...DEFAULT };
    const styles = make("div", { class: "words", role: "radiogroup", "aria-label": "Style" });
    const measured = make("p", { class: "quiet", id: "gait-measured", "aria-live": "off" });
    const determinants = make("details", {}, make("summary", {}, "Determinants"));
    let sliders: [string, Slider][] = [];

    const send = (change: Partial<GaitCommand>) => {
      command = { ...command, ...change };
      for (const key of Object.keys(command) as (keyof GaitCommand)[]) if (command[key] === undefined) delete command[key];
      command.runs = (command.speed ?? 0) > RUN_SPEED || undefined;
      if (!command.runs) delete command.runs;
      show();
      void studio.apply({ do: "gait", ...command }).then((done) => {
        if (!done) adopt();
      });
    };
    const speed = new Slider("Speed", "Speed", `Zero is standing; above ${RUN_SPEED} m/s the figure runs`, SPEED, () =>
      send({ speed: speed.value, step_length: speed.value > RUN_SPEED ? undefined : command.step_length }));
    const length = new Slider("Step", "Step length", "With the speed it determines the cadence", LENGTH, () =>
      send({ step_length: length.value, speed: command.speed || speed.value || 1.3 }));
    const turn = new Slider("Turn", "Turn per step", "Left turn per step", TURN, () => send({ turn_deg: turn.value }));
    const reset = () => send({ speed: undefined, step_length: undefined, turn_deg: undefined, determinants: undefined });

    /** Adopts the gait of the engine: after opening, or when a command was refused. */
    const adopt = () => {
      const now = studio.frame?.gait?.command;
      if (!now) return;
      command = { ...now };
      show();
    };
    const show = () => {
      const target = studio.frame?.gait?.target;
      speed.value = command.speed ?? target?.speed ?? 1.3;
      length.value = command.step_length ?? target?.length ?? 0.7;
      turn.value = command.turn_deg ?? 0;
      for (const button of styles.querySelectorAll("button")) {
        button.setAttribute("aria-checked", String(button.value === command.style));
      }
      for (const [name, slider] of sliders) slider.value = command.determinants?.[name] ?? 1;
    };
    const fill = (gaits: GaitChoices) => {
      styles.replaceChildren(...gaits.styles.map(({ name, what }) =>
        make("button", { type: "button", role: "radio", class: "word", value: name, title: what, onclick: () => send({ style: name }) }, name)));
      sliders = gaits.determinants.map(({ name, most }) => {
        const slider: Slider = new Slider(displayName(name), displayName(name), "Amplitude relative to the style: 1 is the default, 0 is off", linear([0, most, 0.05], (v) => v.toFixed(2)), () =>
          send({ determinants: { ...command.determinants, [name]: slider.value } }));
        return [name, slider];
      });
      determinants.replaceChildren(determinants.firstChild!, ...sliders.map(([, slider]) => slider.element));
    };
    studio.on("opened", () => {
      if (studio.structure?.gaits) fill(studio.structure.gaits);
      adopt();
    });
    let seen = "";
    studio.on("pulse", () => {
      const frame = studio.shown()?.frame;
      if (!isShown() || !frame?.gait) return;
      const of = (name: string) => frame.measures.find((m) => m.name === name)?.value ?? 0;
      measured.textContent = frame.gait.is_planning
        ? "Planning the next steps…"
        : `${of("speed").toFixed(2)} m/s, ${of("step length").toFixed(2)} m, ${of("cadence").toFixed(0)} steps/min`;
      // sliders that are not set show the values of the style
      const key = JSON.stringify(frame.gait.target);
      if (key !== seen && !styles.parentElement!.querySelector("input:active")) {
        seen = key;
        show();
      }
    });
    return make(
      "div", {}, measured, speed.element, length.element, turn.element, styles, determinants,
      make("button", { type: "button", class: "act", id: "gait-reset", title: "Speed, step length, turn and determinants of the style", onclick: reset }, "Reset"),
    );
  },
};
