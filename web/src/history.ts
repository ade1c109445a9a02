// The frames that were shown, for looking back without changing anything.

import type { Frame } from "./protocol";

/** A minute at 60 frames a second. */
const KEPT = 3600;

export interface Mark {
  step: number;
  what: string;
}

export class History {
  frames: Frame[] = [];
  marks: Mark[] = [];

  add(frame: Frame) {
    this.forgetFrom(frame.step);
    this.frames.push(frame);
    if (this.frames.length > KEPT) this.frames.splice(0, this.frames.length - KEPT);
    for (const what of frame.told) this.marks.push({ step: frame.step, what });
    const first = this.frames[0]!.step;
    if (this.marks.length > 0 && this.marks[0]!.step < first) this.marks = this.marks.filter((m) => m.step >= first);
  }

  /** Drops all from a step on. */
  forgetFrom(step: number) {
    while (this.frames.length > 0 && this.frames[this.frames.length - 1]!.step >= step) this.frames.pop();
    while (this.marks.length > 0 && this.marks[this.marks.length - 1]!.step >= step) this.marks.pop();
  }

  clear() {
    this.frames = [];
    this.marks = [];
  }

  first(): number {
    return this.frames[0]?.step ?? 0;
  }

  /** The last frame that is not after a step. */
  at(step: number): Frame | undefined {
    let [low, high] = [0, this.frames.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.frames[middle]!.step <= step) low = middle;
      else high = middle - 1;
    }
    return this.frames[low];
  }
}
