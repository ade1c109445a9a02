// Messages between the page and the worker that runs the engine.

import type { Command, Frame, Item } from "./protocol";

/** A file that was dropped or chosen. */
export interface OpenedFile {
  name: string;
  bytes: Uint8Array;
}

/** A call of the engine. */
export type Call =
  | { method: "open"; name: string; files: OpenedFile[] }
  | { method: "apply"; command: Command }
  | { method: "advance"; steps: number }
  | { method: "rewind"; step: number }
  | { method: "undo" }
  | { method: "export"; extension: string }
  | { method: "certificate" }
  | { method: "replay" };

export type Answer = string | Uint8Array<ArrayBuffer> | null;

/** To the worker; the answer to a call comes back with the same `id`. */
export type Request =
  | { kind: "call"; id: number; call: Call }
  | { kind: "play"; playing: boolean }
  | { kind: "pace"; pace: number }
  | { kind: "frame_received" };

/** What a frame message carries besides the frame. */
export interface FrameInfo {
  /** id of its structure */
  structure: number;
  /** engine time per simulated second, ms */
  cost: number;
  /** simulated seconds per second */
  speed: number;
  /** whether the frame does not follow the one before: opened, rewound, undone */
  isJump: boolean;
}

/** From the worker. `json` is a `Structure` or `Frame`, parsed by the page. */
export type Report =
  | { kind: "ready"; items: Item[] }
  | { kind: "structure"; id: number; json: string }
  | { kind: "frame"; json: string; info: FrameInfo }
  | { kind: "answer"; id: number; value: Answer }
  | { kind: "refused"; id: number; message: string }
  | { kind: "stopped"; message: string };

/** A frame with the id of its structure. */
export type ShownFrame = Frame & { structure: number };
