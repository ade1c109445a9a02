// The page's connection to the engine in its worker.

import type { Answer, Call, FrameInfo, Report, Request } from "./messages";
import type { Frame, Item, Structure } from "./protocol";

export interface EngineListener {
  ready(items: Item[]): void;
  structure(id: number, structure: Structure): void;
  frame(frame: Frame, info: FrameInfo): void;
  stopped(message: string): void;
}

export class EngineClient {
  private worker = new Worker(new URL("./engine.worker.ts", import.meta.url), { type: "module" });
  private pending = new Map<number, { resolve(value: Answer): void; reject(error: Error): void }>();
  private nextId = 1;

  constructor(private listener: EngineListener) {
    this.worker.onmessage = (message: MessageEvent<Report>) => this.receive(message.data);
    this.worker.onerror = (event) => listener.stopped(`The engine could not be started. ${event.message ?? ""}`);
  }

  call(call: Call): Promise<Answer> {
    const id = this.nextId++;
    return new Promise((resolve, reject) => {
      this.pending.set(id, { resolve, reject });
      this.send({ kind: "call", id, call });
    });
  }

  play(playing: boolean) {
    this.send({ kind: "play", playing });
  }

  setPace(pace: number) {
    this.send({ kind: "pace", pace });
  }

  private send(request: Request) {
    this.worker.postMessage(request);
  }

  private receive(report: Report) {
    switch (report.kind) {
      case "ready":
        return this.listener.ready(report.items);
      case "structure":
        return this.listener.structure(report.id, JSON.parse(report.json) as Structure);
      case "frame":
        this.send({ kind: "frame_received" });
        return this.listener.frame(JSON.parse(report.json) as Frame, report.info);
      case "answer":
        this.pending.get(report.id)?.resolve(report.value);
        this.pending.delete(report.id);
        return;
      case "refused":
        this.pending.get(report.id)?.reject(new Error(report.message));
        this.pending.delete(report.id);
        return;
      case "stopped":
        return this.listener.stopped(report.message);
    }
  }
}
