// The joint of the selected link: each degree of freedom with value, limits, lock and torque. The angles of a spherical
// joint can be shown and set in any rotation order; limits, locks and torques belong to its own.

import { Euler, Quaternion, type EulerOrder } from "three";
import { displayName } from "../actions";
import { make } from "../dom";
import type { Joint } from "../protocol";
import type { Studio } from "../studio";
import type { Panel } from "./panel";
import { row } from "./panel";

/** Slider range of a joint without limits, rad or m. */
const WIDE = Math.PI;
const ORDERS = ["xyz", "xzy", "yxz", "yzx", "zxy", "zyx"];

export const jointPanel: Panel = {
  id: "joint",
  title: "Joint",
  isOpen: true,
  build(studio, isShown) {
    const home = make("div");
    let key = "";
    let rows: Dof[] = [];
    /** the chosen order and its joint */
    let chosen = { joint: "", order: "" };
    const show = () => {
      const joint = studio.selectedJoint();
      const order = joint && chosen.joint === joint.name ? chosen.order : (joint?.order.toLowerCase() ?? "");
      const next = JSON.stringify([joint, studio.structure?.mode, order]);
      if (next === key) return;
      key = next;
      rows = [];
      home.replaceChildren();
      if (!joint) {
        home.append(make("p", { class: "quiet" }, "Select a link to see its joint."));
        return;
      }
      home.append(make("p", { class: "quiet" }, `${displayName(joint.name)}: ${joint.kind}`));
      if (joint.kind === "spherical") {
        home.append(orderChoice(joint, order, (order) => {
          chosen = { joint: joint.name, order };
          show();
        }));
      }
      if (studio.structure?.mode !== "scene") {
        home.append(make("p", { class: "quiet" }, "The filter moves this joint; its values cannot be set."));
      } else if (joint.dofs.length === 0) {
        home.append(make("p", { class: "quiet" }, "This joint has no values to set."));
      }
      rows = joint.dofs.map((_, dof) => new Dof(studio, joint, dof, order));
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

/** Choice of the rotation order. */
function orderChoice(joint: Joint, order: string, choose: (order: string) => void): HTMLElement {
  const own = joint.order.toLowerCase();
  const choice = make("select", { id: "rotation-order", "aria-label": "Rotation order" });
  for (const o of ORDERS) {
    choice.append(make("option", { value: o }, `${[...o].join(", ")}${o === own ? " (default)" : ""}`));
  }
  choice.value = order;
  choice.disabled = joint.dofs.some((d) => d.locked);
  choice.addEventListener("change", () => choose(choice.value));
  const element = row("Rotation order", choice);
  element.title = "Order of the rotations about the axes. Limits, locks and torques belong to the default order.";
  return element;
}

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
  /** a rotation order other than the joint's own */
  private other: string | undefined;

  constructor(private studio: Studio, private joint: Joint, private dof: number, order: string) {
    const { range, locked } = joint.dofs[dof]!;
    this.other = joint.kind === "spherical" && order !== joint.order.toLowerCase() ? order : undefined;
    // the middle angle ranges over a quarter turn each way
    const wide = this.other && dof === 1 ? WIDE / 2 : WIDE;
    const [lower, upper] = (!this.other && range) || [-wide, wide];
    this.unit = joint.kind.includes("prismatic") ? "m" : "deg";
    const name = joint.kind === "spherical" ? (order[dof] ?? String(dof + 1)) : "value";
    const isFixed = studio.structure?.mode !== "scene";
    this.slider = make("input", {
      type: "range", min: lower, max: upper, step: 0.005, disabled: isFixed || locked, "aria-label": `${joint.name} ${name}`,
    });
    this.value = make("output", { class: "number" });
    const lock = make("button", {
      type: "button", class: "toggle", "aria-pressed": String(locked), disabled: isFixed, title: "Lock at its value",
      onclick: () => void studio.apply({ do: locked ? "unlock" : "lock", joint: joint.name, dof }),
    }, locked ? "Locked" : "Lock");
    const torque = make("input", {
      type: "number", step: 5, value: 0, disabled: isFixed || locked,
      "aria-label": `${joint.name} ${name}, ${this.unit === "m" ? "force in newtons" : "torque in newton metres"}`,
    });
    torque.addEventListener("change", () =>
      void studio.apply({ do: "torque", joint: joint.name, dof, size: Number(torque.value) || 0 }));
    this.slider.addEventListener("input", () => this.put(Number(this.slider.value)));
    this.slider.addEventListener("change", () => void this.end());
    this.element = make("div", { class: "dof" }, make("div", { class: "dof-line" }, make("b", {}, name), this.slider, this.value));
    if (!this.other) {
      this.element.append(make("div", { class: "dof-line limits" }, `${this.text(lower)} to ${this.text(upper)}`, lock,
        make("label", { class: "axis" }, this.unit === "m" ? "N" : "N m", torque)));
    }
    this.show();
  }

  private text(value: number): string {
    return this.unit === "m" ? `${value.toFixed(3)} m` : `${((value * 180) / Math.PI).toFixed(0)}°`;
  }

  show() {
    if (this.isHeld) return;
    const own = angles(this.studio, this.joint);
    const value = own && (this.other ? inOrder(own, this.joint.order, this.other) : own)[this.dof];
    if (value === null || value === undefined) return;
    if (document.activeElement !== this.slider || this.studio.playing) this.slider.value = String(value);
    this.value.textContent = this.text(value);
    this.slider.setAttribute("aria-valuetext", this.text(value));
  }

  /** Moving the slider is one edit: the simulation pauses, and each value replaces the one before. */
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
      if (this.hasPut) await this.studio.call({ method: "undo" }).catch(() => {});
      this.hasPut = await this.studio.apply({ do: "put", joint: this.joint.name, dof: this.dof, value, order: this.other });
    }
    this.isBusy = false;
  }

  private async end() {
    while (this.isBusy) await new Promise((done) => setTimeout(done, 20));
    this.isHeld = false;
    if (this.wasPlaying) await this.studio.play(true);
  }
}

/** Coordinates of a joint in the frame on the screen. */
function angles(studio: Studio, joint: Joint): number[] | null {
  const shown = studio.shown();
  if (!shown) return null;
  let at = 0;
  for (const j of shown.structure.joints) {
    if (j.name === joint.name) return shown.frame.angles.slice(at, at + j.dofs.length);
    at += j.dofs.length;
  }
  return null;
}

/** The same rotation in another order. */
function inOrder(given: number[], from: string, to: string): number[] {
  const about = (axis: string) => given[from.toLowerCase().indexOf(axis)] ?? 0;
  const turn = new Quaternion().setFromEuler(new Euler(about("x"), about("y"), about("z"), from.toUpperCase() as EulerOrder));
  const there = new Euler().setFromQuaternion(turn, to.toUpperCase() as EulerOrder);
  return [...to].map((axis) => there[axis as "x" | "y" | "z"]);
}
