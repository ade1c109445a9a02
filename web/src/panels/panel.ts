// Panels. To add one, export a `Panel` from a file here and list it in `index.ts`.

import { make } from "../dom";
import type { Structure } from "../protocol";
import type { Studio } from "../studio";

export interface Panel {
  id: string;
  title: string;
  isOpen: boolean;
  /** Whether it applies to the open item; default: always. */
  isFor?: (structure: Structure) => boolean;
  /** Builds the content, which updates itself. `isShown`: whether the panel is open. */
  build(studio: Studio, isShown: () => boolean): HTMLElement;
}

export function buildPanel(panel: Panel, studio: Studio): HTMLElement {
  const details = make("details", { class: "panel", id: `panel-${panel.id}` }, make("summary", {}, panel.title));
  details.open = panel.isOpen;
  details.append(make("div", { class: "panel-body" }, panel.build(studio, () => details.open)));
  details.addEventListener("toggle", () => details.open && studio.emit("pulse"));
  const { isFor } = panel;
  if (isFor) studio.on("structure", () => (details.hidden = !studio.structure || !isFor(studio.structure)));
  return details;
}

/** A form row: label and control. */
export function row(label: string, control: HTMLElement, after: Node | string = ""): HTMLElement {
  return make("label", { class: "row" }, make("span", { class: "row-label" }, label), control, after);
}

/** A number with three or four digits. */
export function short(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && size < 0.0005) return value.toExponential(1);
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 3);
}
