// The state of the page and its verbs: what is open, what is shown, what is selected, and what the person does.

import { EngineLine } from "./engine";
import { History } from "./history";
import type { Command, Dropped, Frame, Gains, Item, Joint, Link, Structure, Vec3 } from "./protocol";

export type Tool = "drag" | "push" | "pin" | "connect" | "lock" | "cut" | "root";

/** What is shown and what is not. */
export interface Display {
  forces: boolean;
  pressure: boolean;
  center: boolean;
  ghost: boolean;
  connections: boolean;
  follow: boolean;
  picture: "automatic" | "fine" | "plain";
}

interface Events {
  items: void;
  structure: void;
  /** a frame came or another one is looked at */
  frame: void;
  /** ten times a second at most, for texts and plots */
  pulse: void;
  select: void;
  tool: void;
  play: void;
  display: void;
  opened: void;
}

/** What takes longer to open is told of, ms. */
const PATIENCE = 1500;

/** The filter as it is when a motion is opened. */
export function usualFilter(structure: Structure | null): { isOn: boolean; friction: number; gains: Gains } {
  return { isOn: true, friction: structure?.friction ?? 0.8, gains: { strength: 1, following: 1, damping: 1, balance: 1 } };
}

export class Studio {
  items: Item[] = [];
  structure: Structure | null = null;
  /** the newest frame of the engine, and the one before it */
  frame: Frame | null = null;
  before: Frame | null = null;
  /** when the newest came, ms */
  came = 0;
  /** the frame of the past that is looked at */
  looking: Frame | null = null;
  history = new History();
  selected: string | null = null;
  /** the first of two links to be connected, and its point */
  first: { link: string; at: Vec3 } | null = null;
  tool: Tool = "drag";
  push = { newtons: 60, seconds: 0.2 };
  playing = false;
  pace = 1;
  /** engine ms a simulated second; simulated seconds a second */
  cost = 0;
  reached = 0;
  filter = usualFilter(null);
  display: Display = {
    forces: true, pressure: true, center: true, ghost: true, connections: true, follow: true, picture: "automatic",
  };
  /** says something to the person */
  say: (sentence: string, kind: "error" | "note") => void = () => {};
  /** direction of the view along the floor */
  viewDirection: () => Vec3 = () => [1, 0, 0];

  /** called with the first frame of what was opened */
  private began: (() => void) | null = null;
  private structures = new Map<number, Structure>();
  private listeners = new Map<keyof Events, (() => void)[]>();
  private line = new EngineLine({
    ready: (items) => {
      this.items = items;
      this.emit("items");
    },
    structure: (id, structure) => this.takeStructure(id, structure),
    frame: (frame, cost, reached, jump) => this.takeFrame(frame, cost, reached, jump),
    stopped: (sentence) => {
      this.say(sentence, "error");
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

  private takeFrame(frame: Frame, cost: number, reached: number, jump: boolean) {
    this.before = jump || !this.frame || frame.step <= this.frame.step ? null : this.frame;
    this.frame = frame;
    this.came = performance.now();
    [this.cost, this.reached] = [cost, reached];
    if (jump) this.looking = null;
    this.history.add(frame);
    this.emit("frame");
    this.began?.();
    this.began = null;
  }

  /** What is on the screen: the past that is looked at, or now. */
  shown(): { frame: Frame; structure: Structure } | null {
    const frame = this.looking ?? this.frame;
    const structure = frame && this.structures.get(frame.structure);
    return frame && structure ? { frame, structure } : null;
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

  // --- verbs ---------------------------------------------------------------------------------------------------

  /** Something of the library, or files that were dropped. */
  async open(name: string, play = true, files: Dropped[] = []) {
    const wasPlaying = this.playing;
    await this.play(false);
    const patience = setTimeout(() => this.say(`${name} is being made…`, "note"), PATIENCE);
    const isOpen = await this.try(async () => {
      await this.line.open(name, files);
      // its structure and first frame come next
      this.history.clear();
      this.structures.clear();
      [this.selected, this.first, this.looking, this.before, this.frame] = [null, null, null, null, null];
      await new Promise<void>((done) => (this.began = done));
      this.filter = usualFilter(this.structure);
      history.replaceState(null, "", files.length > 0 ? "#" : `#${encodeURIComponent(name)}`);
      this.emit("opened");
      this.emit("select");
    });
    clearTimeout(patience);
    await this.play(isOpen ? play : wasPlaying);
  }

  /** Does something, from what is shown on. False, and a sentence to the person, when it cannot be done. */
  async obey(command: Command): Promise<boolean> {
    return this.try(async () => {
      await this.goOnFromHere();
      await this.line.call("obey", JSON.stringify(command));
    });
  }

  /** Calls a method of the engine. */
  call(method: string, ...given: (string | number)[]): Promise<unknown> {
    return this.line.call(method, ...given);
  }

  async undo() {
    const done = await this.try(() => this.line.call("undo"));
    if (done) this.say("Undone.", "note");
  }

  async play(playing: boolean) {
    if (playing) await this.try(() => this.goOnFromHere());
    this.playing = playing;
    this.line.play(playing);
    this.emit("play");
  }

  /** About a sixtieth of a second, or one step where steps are longer. */
  async step() {
    await this.play(false);
    await this.try(async () => {
      await this.goOnFromHere();
      await this.line.call("advance", Math.max(1, Math.round(1 / 60 / (this.structure?.dt ?? 0.01))));
    });
  }

  setPace(pace: number) {
    this.pace = Math.min(2, Math.max(0.05, pace));
    this.line.pace(this.pace);
    this.emit("play");
  }

  /** Shows the past; it is gone back to when something is done there. */
  look(step: number) {
    if (this.playing) void this.play(false);
    this.looking = step >= (this.frame?.step ?? 0) ? null : (this.history.at(step) ?? null);
    this.emit("frame");
  }

  /** To the beginning of what is kept. */
  async restart() {
    const { playing } = this;
    this.looking = null;
    await this.try(() => this.line.call("rewind", this.frame?.earliest ?? 0));
    if (playing) await this.play(true);
  }

  select(name: string | null) {
    this.selected = name;
    this.emit("select");
  }

  setTool(tool: Tool) {
    [this.tool, this.first] = [tool, null];
    this.emit("tool");
  }

  setDisplay(change: Partial<Display>) {
    Object.assign(this.display, change);
    this.emit("display");
  }

  private async goOnFromHere() {
    if (!this.looking) return;
    const { step } = this.looking;
    this.looking = null;
    await this.line.call("rewind", step);
  }

  private async try(act: () => Promise<unknown>): Promise<boolean> {
    try {
      await act();
      return true;
    } catch (error) {
      this.say(error instanceof Error ? error.message : String(error), "error");
      return false;
    }
  }
}
