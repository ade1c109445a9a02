// Past frames, to look back without changing anything.

import type { ShownFrame } from "./messages";

/** Frames kept: a minute at 60 per second. */
const CAPACITY = 3600;

export interface Mark {
  step: number;
  message: string;
}

export class History {
  frames: ShownFrame[] = [];
  marks: Mark[] = [];

  add(frame: ShownFrame) {
    this.discardFrom(frame.step);
    this.frames.push(frame);
    if (this.frames.length > CAPACITY) this.frames.splice(0, this.frames.length - CAPACITY);
    for (const message of frame.messages) this.marks.push({ step: frame.step, message });
    const first = this.frames[0]!.step;
    if (this.marks.length > 0 && this.marks[0]!.step < first) this.marks = this.marks.filter((m) => m.step >= first);
  }

  /** Discards a step and everything after it. */
  discardFrom(step: number) {
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

  /** The last frame at or before a step. */
  at(step: number): ShownFrame | undefined {
    let [low, high] = [0, this.frames.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.frames[middle]!.step <= step) low = middle;
      else high = middle - 1;
    }
    return this.frames[low];
  }
}
