// A slider with label and value.

import { make } from "../dom";
import { row } from "./panel";

/** Range and mapping of a slider. */
export interface Scale {
  range: [least: number, most: number, step: number];
  /** value of a slider position, and its inverse */
  value(position: number): number;
  position(value: number): number;
  text(value: number): string;
}

/** A linear scale. */
export function linear(range: Scale["range"], text: (value: number) => string): Scale {
  return { range, value: (x) => x, position: (v) => v, text };
}

export class Slider {
  readonly element: HTMLElement;
  private input: HTMLInputElement;
  private output = make("output", { class: "number" });

  constructor(label: string, name: string, help: string, private scale: Scale, changed: () => void) {
    const [min, max, step] = scale.range;
    this.input = make("input", { type: "range", min, max, step, "aria-label": name });
    this.input.addEventListener("input", () => this.show());
    this.input.addEventListener("change", changed);
    this.element = row(label, this.input, this.output);
    this.element.title = help;
  }

  get value(): number {
    return this.scale.value(Number(this.input.value));
  }

  set value(value: number) {
    this.input.value = String(this.scale.position(value));
    this.show();
  }

  private show() {
    this.output.textContent = this.scale.text(this.value);
    this.input.setAttribute("aria-valuetext", this.scale.text(this.value));
  }
}
