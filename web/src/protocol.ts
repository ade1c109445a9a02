// What the page and the engine say to each other. The engine's side is `crates/studio/src/{command,stage,page}.rs`.

export type Vec3 = [number, number, number];

export interface Item {
  kind: "stroll" | "scene" | "motion" | "filter" | "walk" | "figure";
  name: string;
  what: string;
}

export interface Place {
  at: Vec3;
  /** x, y, z, w */
  turn: [number, number, number, number];
}

export type Shape =
  | { kind: "box"; half: Vec3 }
  | { kind: "sphere"; radius: number }
  | { kind: "ellipsoid"; half: Vec3 }
  | { kind: "capsule"; radius: number; half_length: number }
  | { kind: "cylinder"; radius: number; half_length: number }
  | { kind: "convex"; points: Vec3[] };

export type Placed<T> = T & { place: Place };

export type Ground = Shape | { kind: "plane" } | { kind: "heights"; spacing: [number, number]; rows: number[][] };

export interface Link {
  name: string;
  mass: number;
  parent: string | null;
  joint: string;
  shapes: Placed<Shape>[];
}

export interface Dof {
  range: [number, number] | null;
  locked: boolean;
}

export interface Joint {
  name: string;
  kind: string;
  link: string;
  order: string;
  dofs: Dof[];
  actuated: boolean;
}

/** Two links, or a link and the world, that hold each other. */
export interface Connection {
  name: string;
  kind: string;
  a: string | null;
  b: string | null;
  /** in the axes of `a` */
  at: Vec3;
}

/** What changes only with the structure. */
export interface Structure {
  source: string;
  mode: "scene" | "filter" | "walk";
  revision: number;
  mass: number;
  dt: number;
  links: Link[];
  joints: Joint[];
  connections: Connection[];
  /** of the floor, as a motion came with it */
  friction: number | null;
  /** names of what the scene waits for */
  signals: string[];
  /** of somebody who walks */
  gaits: Gaits | null;
  scenery: Placed<Ground & { name: string }>[];
}

/** A gait that is asked for; what is not said is as usual in the style. */
export interface Asked {
  speed?: number;
  step_length?: number;
  step_frequency?: number;
  style: string;
  runs?: boolean;
  turn_deg?: number;
  determinants?: Record<string, number>;
}

/** What can be asked for. */
export interface Gaits {
  styles: { name: string; what: string }[];
  determinants: { name: string; most: number }[];
}

export interface Arrow {
  kind: "contact" | "connection" | "hand";
  at: Vec3;
  force: Vec3;
}

export interface Measure {
  name: string;
  unit: string;
  value: number;
}

/** What changes with every step. */
export interface Frame {
  step: number;
  earliest: number;
  time: number;
  revision: number;
  /** seven numbers a link: place, then x, y, z, w */
  poses: number[];
  ghost: number[] | null;
  center: Vec3;
  pressure: Vec3 | null;
  arrows: Arrow[];
  hand: Vec3 | null;
  angles: number[];
  measures: Measure[];
  told: string[];
  /** of somebody who walks */
  gait: { asked: Asked; means: { speed: number; length: number } | null; is_planning: boolean } | null;
  edits: number;
  digest: string;
  /** which structure it belongs to; given by the worker */
  structure: number;
}

export type Command =
  | { do: "drag"; link: string; at: Vec3; to: Vec3 }
  | { do: "let_go" }
  | { do: "push"; link: string; at: Vec3; force: Vec3; seconds: number }
  | { do: "force"; link: string; force: Vec3 }
  | { do: "torque"; joint: string; dof: number; size: number }
  | { do: "pin"; link: string; at: Vec3 }
  | { do: "connect"; link: string; at: Vec3; to: string }
  | { do: "cut"; joint: string }
  | { do: "lock"; joint: string; dof: number }
  | { do: "unlock"; joint: string; dof: number }
  | { do: "put"; joint: string; dof: number; value: number; order?: string }
  | { do: "root"; link: string }
  | { do: "signal"; name: string }
  | ({ do: "gait" } & Asked)
  | { do: "filter"; is_on: boolean; friction: number; gains: Gains };

/** How a figure goes after a motion; 1 each is usual. */
export interface Gains {
  strength: number;
  following: number;
  damping: number;
  balance: number;
}

/** A file that was dropped or chosen. */
export interface Dropped {
  name: string;
  bytes: Uint8Array;
}

/** To the worker. `call` names a method of the engine; its answer comes back under the same `id`. */
export type Request =
  | { do: "open"; id: number; name: string; files?: Dropped[] }
  | { do: "call"; id: number; method: string; arguments: (string | number)[] }
  | { do: "play"; playing: boolean }
  | { do: "pace"; pace: number }
  | { do: "taken" };

/** From the worker. */
export type Report =
  | { is: "ready"; items: Item[] }
  | { is: "structure"; id: number; text: string }
  | { is: "frame"; structure: number; text: string; cost: number; reached: number; jump: boolean }
  | { is: "answer"; id: number; value: unknown }
  | { is: "refused"; id: number; sentence: string }
  | { is: "stopped"; sentence: string };
