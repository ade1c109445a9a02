// State and actions of the page: open item, frames, selection, playback.

import { EngineClient } from "./engine";
import { History } from "./history";
import type { Answer, Call, FrameInfo, OpenedFile, ShownFrame } from "./messages";
import type { Command, Frame, Gains, Item, Joint, Link, Structure } from "./protocol";

export type Vec3 = [number, number, number];

export type Tool = "drag" | "push" | "pin" | "connect" | "lock" | "cut" | "root";

/** Display settings. */
export interface Display {
  forces: boolean;
  pressure: boolean;
  center: boolean;
  ghost: boolean;
  connections: boolean;
  follow: boolean;
  quality: "automatic" | "high" | "low";
}

interface Events {
  items: void;
  structure: void;
  /** a new frame, or another past frame is shown */
  frame: void;
  /** at most ten times per second, for texts and plots */
  pulse: void;
  select: void;
  tool: void;
  play: void;
  display: void;
  opened: void;
}

/** A notice appears when opening takes longer, ms. */
const PATIENCE = 1500;

/** Filter settings of a newly opened item. */
export function defaultFilter(structure: Structure | null): { isOn: boolean; friction: number; gains: Gains } {
  return { isOn: true, friction: structure?.friction ?? 0.8, gains: { strength: 1, following: 1, damping: 1, balance: 1 } };
}

export class Studio {
  items: Item[] = [];
  structure: Structure | null = null;
  /** the newest frame, and the one before it */
  frame: ShownFrame | null = null;
  previous: ShownFrame | null = null;
  /** arrival of the newest frame, ms */
  receivedAt = 0;
  /** the past frame on the screen, when looking back */
  pastFrame: ShownFrame | null = null;
  history = new History();
  selected: string | null = null;
  /** the first of two links to connect, and its point */
  connectFrom: { link: string; at: Vec3 } | null = null;
  tool: Tool = "drag";
  push = { newtons: 60, seconds: 0.2 };
  playing = false;
  pace = 1;
  /** engine time per simulated second, ms; simulated seconds per second */
  cost = 0;
  speed = 0;
  filter = defaultFilter(null);
  display: Display = {
    forces: true, pressure: true, center: true, ghost: true, connections: true, follow: true, quality: "automatic",
  };
  /** shows a message */
  notify: (message: string, kind: "error" | "note") => void = () => {};
  /** horizontal view direction */
  viewDirection: () => Vec3 = () => [1, 0, 0];

  /** called with the first frame of a newly opened item */
  private onFirstFrame: (() => void) | null = null;
  private structures = new Map<number, Structure>();
  private listeners = new Map<keyof Events, (() => void)[]>();
  private engine = new EngineClient({
    ready: (items) => {
      this.items = items;
      this.emit("items");
    },
    structure: (id, structure) => this.takeStructure(id, structure),
    frame: (frame, info) => this.takeFrame(frame, info),
    stopped: (message) => {
      this.notify(message, "error");
      this.playing = false;
      this.emit("play");
    },
  });

  on(event: keyof Events, then: () => void) {
    this.listeners.set(event, [...(this.listeners.get(event) ?? []), then]);
  }

  emit(event: keyof Events) {
    for (const then of this.listeners.get(event) ?? []) then();
  }

  private takeStructure(id: number, structure: Structure) {
    this.structures.set(id, structure);
    if (this.structures.size > 200) this.structures.delete(this.structures.keys().next().value!);
    this.structure = structure;
    if (this.selected && !this.link(this.selected)) this.selected = null;
    this.emit("structure");
  }

  private takeFrame(frame: Frame, { structure, cost, speed, isJump }: FrameInfo) {
    this.previous = isJump || !this.frame || frame.step <= this.frame.step ? null : this.frame;
    this.frame = { ...frame, structure };
    this.receivedAt = performance.now();
    [this.cost, this.speed] = [cost, speed];
    if (isJump) this.pastFrame = null;
    this.history.add(this.frame);
    this.emit("frame");
    this.onFirstFrame?.();
    this.onFirstFrame = null;
  }

  /** What is on the screen: a past frame or the newest. */
  shown(): { frame: ShownFrame; structure: Structure } | null {
    const frame = this.pastFrame ?? this.frame;
    const structure = frame && this.structures.get(frame.structure);
    return frame && structure ? { frame, structure } : null;
  }

  /** The library item of a name or an earlier name. */
  find(name: string): Item | undefined {
    return this.items.find((i) => i.name === name || (i.alias !== null && i.alias === name));
  }

  link(name: string | null): Link | undefined {
    return this.structure?.links.find((l) => l.name === name);
  }

  joint(name: string): Joint | undefined {
    return this.structure?.joints.find((j) => j.name === name);
  }

  /** The joint that carries the selected link. */
  selectedJoint(): Joint | undefined {
    const link = this.link(this.selected);
    return link && this.joint(link.joint);
  }

  // --- actions -------------------------------------------------------------------------------------------------

  /** Opens a library item or files. */
  async open(name: string, play = true, files: OpenedFile[] = []) {
    const wasPlaying = this.playing;
    await this.play(false);
    const patience = setTimeout(() => this.notify(`Preparing ${name}…`, "note"), PATIENCE);
    const isOpen = await this.try(async () => {
      await this.engine.call({ method: "open", name, files });
      // structure and first frame follow
      this.history.clear();
      this.structures.clear();
      [this.selected, this.connectFrom, this.pastFrame, this.previous, this.frame] = [null, null, null, null, null];
      await new Promise<void>((done) => (this.onFirstFrame = done));
      this.filter = defaultFilter(this.structure);
      history.replaceState(null, "", files.length > 0 ? "#" : `#${encodeURIComponent(name)}`);
      this.emit("opened");
      this.emit("select");
    });
    clearTimeout(patience);
    await this.play(isOpen ? play : wasPlaying);
  }

  /** Applies a command to the frame on the screen. Returns false, and shows why, if it is refused. */
  async apply(command: Command): Promise<boolean> {
    return this.try(async () => {
      await this.resumeHere();
      await this.engine.call({ method: "apply", command });
    });
  }

  call(call: Call): Promise<Answer> {
    return this.engine.call(call);
  }

  async undo() {
    const done = await this.try(() => this.engine.call({ method: "undo" }));
    if (done) this.notify("Edit undone.", "note");
  }

  async play(playing: boolean) {
    if (playing) await this.try(() => this.resumeHere());
    this.playing = playing;
    this.engine.play(playing);
    this.emit("play");
  }

  /** Advances by about a sixtieth of a second, at least one step. */
  async step() {
    await this.play(false);
    await this.try(async () => {
      await this.resumeHere();
      const steps = Math.max(1, Math.round(1 / 60 / (this.structure?.dt ?? 0.01)));
      await this.engine.call({ method: "advance", steps });
    });
  }

  setPace(pace: number) {
    this.pace = Math.min(2, Math.max(0.05, pace));
    this.engine.setPace(this.pace);
    this.emit("play");
  }

  /** Shows a past step; the next action rewinds to it. */
  showStep(step: number) {
    if (this.playing) void this.play(false);
    this.pastFrame = step >= (this.frame?.step ?? 0) ? null : (this.history.at(step) ?? null);
    this.emit("frame");
  }

  /** Rewinds to the earliest step kept. */
  async restart() {
    const { playing } = this;
    this.pastFrame = null;
    await this.try(() => this.engine.call({ method: "rewind", step: this.frame?.earliest ?? 0 }));
    if (playing) await this.play(true);
  }

  select(name: string | null) {
    this.selected = name;
    this.emit("select");
  }

  setTool(tool: Tool) {
    [this.tool, this.connectFrom] = [tool, null];
    this.emit("tool");
  }

  setDisplay(change: Partial<Display>) {
    Object.assign(this.display, change);
    this.emit("display");
  }

  /** Rewinds to the past frame on the screen, if any. */
  private async resumeHere() {
    if (!this.pastFrame) return;
    const { step } = this.pastFrame;
    this.pastFrame = null;
    await this.engine.call({ method: "rewind", step });
  }

  private async try(act: () => Promise<unknown>): Promise<boolean> {
    try {
      await act();
      return true;
    } catch (error) {
      this.notify(error instanceof Error ? error.message : String(error), "error");
      return false;
    }
  }
}
