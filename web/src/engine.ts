// The page's end of the line to the engine: calls with answers, structures and frames as they come.

import type { Dropped, Frame, Item, Report, Request, Structure } from "./protocol";

export interface Hears {
  ready(items: Item[]): void;
  structure(id: number, structure: Structure): void;
  /** `jump`: not the next frame of the one before it */
  frame(frame: Frame, cost: number, reached: number, jump: boolean): void;
  stopped(sentence: string): void;
}

export class EngineLine {
  private worker = new Worker(new URL("./engine.worker.ts", import.meta.url), { type: "module" });
  private waiting = new Map<number, { done(value: unknown): void; failed(error: Error): void }>();
  private next = 1;

  constructor(private hears: Hears) {
    this.worker.onmessage = (message: MessageEvent<Report>) => this.hear(message.data);
    this.worker.onerror = (event) => hears.stopped(`The engine could not be started. ${event.message ?? ""}`);
  }

  /** Something of the library, or files. */
  open(name: string, files: Dropped[] = []): Promise<unknown> {
    return this.ask((id) => ({ do: "open", id, name, files }));
  }

  /** Calls a method of the engine. */
  call(method: string, ...given: (string | number)[]): Promise<unknown> {
    return this.ask((id) => ({ do: "call", id, method, arguments: given }));
  }

  play(playing: boolean) {
    this.tell({ do: "play", playing });
  }

  pace(pace: number) {
    this.tell({ do: "pace", pace });
  }

  private tell(request: Request) {
    this.worker.postMessage(request);
  }

  private ask(request: (id: number) => Request): Promise<unknown> {
    const id = this.next++;
    return new Promise((done, failed) => {
      this.waiting.set(id, { done, failed });
      this.tell(request(id));
    });
  }

  private hear(report: Report) {
    switch (report.is) {
      case "ready":
        return this.hears.ready(report.items);
      case "structure":
        return this.hears.structure(report.id, JSON.parse(report.text) as Structure);
      case "frame": {
        this.tell({ do: "taken" });
        const frame = JSON.parse(report.text) as Frame;
        frame.structure = report.structure;
        return this.hears.frame(frame, report.cost, report.reached, report.jump);
      }
      case "answer":
        this.waiting.get(report.id)?.done(report.value);
        this.waiting.delete(report.id);
        return;
      case "refused":
        this.waiting.get(report.id)?.failed(new Error(report.sentence));
        this.waiting.delete(report.id);
        return;
      case "stopped":
        return this.hears.stopped(report.sentence);
    }
  }
}
