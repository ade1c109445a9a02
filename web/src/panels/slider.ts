// A slider with its label and its number.

import { make } from "../dom";
import { row } from "./panel";

/** What a slider is of. */
export interface Scale {
  range: [least: number, most: number, step: number];
  /** from where the slider is, and back */
  value(x: number): number;
  place(value: number): number;
  text(value: number): string;
}

/** A scale whose slider has the number itself. */
export function plain(range: Scale["range"], text: (value: number) => string): Scale {
  return { range, value: (x) => x, place: (v) => v, text };
}

export class Slider {
  readonly element: HTMLElement;
  private input: HTMLInputElement;
  private output = make("output", { class: "number" });

  constructor(label: string, name: string, what: string, private scale: Scale, changed: () => void) {
    const [min, max, step] = scale.range;
    this.input = make("input", { type: "range", min, max, step, "aria-label": name });
    this.input.addEventListener("input", () => this.show());
    this.input.addEventListener("change", changed);
    this.element = row(label, this.input, this.output);
    this.element.title = what;
  }

  get value(): number {
    return this.scale.value(Number(this.input.value));
  }

  set value(value: number) {
    this.input.value = String(this.scale.place(value));
    this.show();
  }

  private show() {
    this.output.textContent = this.scale.text(this.value);
    this.input.setAttribute("aria-valuetext", this.scale.text(this.value));
  }
}
