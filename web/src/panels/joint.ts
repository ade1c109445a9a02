// The joint of the selected link: each degree of freedom with value, limits, lock and torque.

import { words } from "../deeds";
import { make } from "../dom";
import type { Joint } from "../protocol";
import type { Studio } from "../studio";
import type { Panel } from "./panel";

/** Where a slider ends when the joint has no limits, rad or m. */
const WIDE = Math.PI;

export const jointPanel: Panel = {
  id: "joint",
  title: "Joint",
  isOpen: true,
  build(studio, isShown) {
    const home = make("div");
    let key = "";
    let rows: Dof[] = [];
    const show = () => {
      const joint = studio.selectedJoint();
      const next = JSON.stringify([joint, studio.structure?.mode]);
      if (next === key) return;
      key = next;
      rows = [];
      home.replaceChildren();
      if (!joint) {
        home.append(make("p", { class: "quiet" }, "Select a link to see its joint."));
        return;
      }
      const order = joint.kind === "spherical" ? `, turns about ${axes(joint).join(", ")} in this order` : "";
      home.append(make("p", { class: "quiet" }, `${words(joint.name)}: ${joint.kind}${order}`));
      if (studio.structure?.mode === "filter") {
        home.append(make("p", { class: "quiet" }, "The filter moves this joint; values are shown as they are."));
      } else if (joint.dofs.length === 0) {
        home.append(make("p", { class: "quiet" }, "It moves freely, or not at all: nothing to set."));
      }
      rows = joint.dofs.map((_, dof) => new Dof(studio, joint, dof));
      for (const dof of rows) home.append(dof.element);
    };
    const refresh = () => {
      if (!isShown() || rows.length === 0) return;
      for (const dof of rows) dof.show();
    };
    for (const event of ["structure", "select", "opened"] as const) studio.on(event, () => (show(), refresh()));
    studio.on("pulse", refresh);
    show();
    return home;
  },
};

/** One degree of freedom. */
class Dof {
  readonly element: HTMLElement;
  private slider: HTMLInputElement;
  private value: HTMLElement;
  private isHeld = false;
  private wasPlaying = false;
  private hasPut = false;
  private wanted: number | null = null;
  private isBusy = false;
  private unit: "deg" | "m";

  constructor(private studio: Studio, private joint: Joint, private dof: number) {
    const { range, locked } = joint.dofs[dof]!;
    const [lower, upper] = range ?? [-WIDE, WIDE];
    this.unit = joint.kind.includes("prismatic") ? "m" : "deg";
    const name = joint.kind === "spherical" ? (axes(joint)[dof] ?? String(dof + 1)) : "value";
    const isFixed = studio.structure?.mode === "filter";
    this.slider = make("input", {
      type: "range", min: lower, max: upper, step: 0.005, disabled: isFixed || locked, "aria-label": `${joint.name} ${name}`,
    });
    this.value = make("output", { class: "number" });
    const lock = make("button", {
      type: "button", class: "toggle", "aria-pressed": String(locked), disabled: isFixed, title: "Keeps its value",
      onclick: () => void studio.obey({ do: locked ? "unlock" : "lock", joint: joint.name, dof }),
    }, locked ? "Locked" : "Lock");
    const torque = make("input", {
      type: "number", step: 5, value: 0, disabled: isFixed || locked,
      "aria-label": `${joint.name} ${name}, ${this.unit === "m" ? "force in newtons" : "torque in newton metres"}`,
    });
    torque.addEventListener("change", () =>
      void studio.obey({ do: "torque", joint: joint.name, dof, size: Number(torque.value) || 0 }));
    this.slider.addEventListener("input", () => this.put(Number(this.slider.value)));
    this.slider.addEventListener("change", () => void this.end());
    this.element = make(
      "div", { class: "dof" },
      make("div", { class: "dof-line" }, make("b", {}, name), this.slider, this.value),
      make("div", { class: "dof-line limits" }, `${this.text(lower)} to ${this.text(upper)}`, lock,
        make("label", { class: "axis" }, this.unit === "m" ? "N" : "N m", torque)),
    );
    this.show();
  }

  private text(value: number): string {
    return this.unit === "m" ? `${value.toFixed(3)} m` : `${((value * 180) / Math.PI).toFixed(0)}°`;
  }

  show() {
    if (this.isHeld) return;
    const value = angle(this.studio, this.joint.name, this.dof);
    if (value === null) return;
    if (document.activeElement !== this.slider || this.studio.playing) this.slider.value = String(value);
    this.value.textContent = this.text(value);
    this.slider.setAttribute("aria-valuetext", this.text(value));
  }

  /** The whole pull at the slider is one edit: time stands still, and each value replaces the one before. */
  private put(value: number) {
    if (!this.isHeld) {
      [this.isHeld, this.wasPlaying, this.hasPut] = [true, this.studio.playing, false];
      if (this.wasPlaying) void this.studio.play(false);
    }
    this.value.textContent = this.text(value);
    this.wanted = value;
    if (!this.isBusy) void this.send();
  }

  private async send() {
    this.isBusy = true;
    while (this.wanted !== null) {
      const value = this.wanted;
      this.wanted = null;
      if (this.hasPut) await this.studio.call("undo").catch(() => {});
      this.hasPut = await this.studio.obey({ do: "put", joint: this.joint.name, dof: this.dof, value });
    }
    this.isBusy = false;
  }

  private async end() {
    while (this.isBusy) await new Promise((done) => setTimeout(done, 20));
    this.isHeld = false;
    if (this.wasPlaying) await this.studio.play(true);
  }
}

/** Axes of a spherical joint in the order of its angles. */
function axes(joint: Joint): string[] {
  return [...joint.order.toLowerCase()];
}

/** What a degree of freedom is at, in the frame that is shown. */
function angle(studio: Studio, joint: string, dof: number): number | null {
  const shown = studio.shown();
  if (!shown) return null;
  let at = 0;
  for (const j of shown.structure.joints) {
    if (j.name === joint) return shown.frame.angles[at + dof] ?? null;
    at += j.dofs.length;
  }
  return null;
}
