// Mouse and keyboard on the figure: picks links, drags them in the plane that faces the camera, applies tools.

import * as THREE from "three";
import { applyTool, push, release } from "./actions";
import type { Studio, Vec3 } from "./studio";
import type { Viewport } from "./view/viewport";

/** Shorter drags are clicks, pixels. */
const CLICK = 5;

interface Hit {
  link: string;
  point: THREE.Vector3;
  at: Vec3;
}

export class Interaction {
  private ray = new THREE.Raycaster();
  private mouse = new THREE.Vector2();
  private pressed: { hit: Hit; x: number; y: number; isDragging: boolean } | null = null;
  private plane = new THREE.Plane();
  private target = new THREE.Vector3();
  private isSending = false;
  private next: Vec3 | null = null;
  /** link dragged by keyboard */
  private held: { link: string; to: THREE.Vector3 } | null = null;

  constructor(private studio: Studio, private viewport: Viewport, private canvas: HTMLCanvasElement) {
    // before the camera controls
    canvas.addEventListener("pointerdown", (e) => this.down(e), { capture: true });
    canvas.addEventListener("pointermove", (e) => this.move(e));
    window.addEventListener("pointerup", (e) => this.up(e));
    window.addEventListener("pointercancel", () => this.letGo());
    window.addEventListener("blur", () => this.letGo());
    studio.on("opened", () => ([this.pressed, this.held, this.next] = [null, null, null]));
  }

  private aim(event: PointerEvent) {
    const box = this.canvas.getBoundingClientRect();
    this.mouse.set(((event.clientX - box.left) / box.width) * 2 - 1, 1 - ((event.clientY - box.top) / box.height) * 2);
    this.ray.setFromCamera(this.mouse, this.viewport.camera);
  }

  private pick(): Hit | null {
    const hit = this.ray.intersectObjects(this.viewport.figure.pickable, true)[0];
    const link = hit?.object.userData.link as string | undefined;
    const group = link && this.viewport.figure.of(link);
    if (!hit || !link || !group) return null;
    const at = group.worldToLocal(hit.point.clone()).toArray();
    return { link, point: hit.point, at };
  }

  private pickConnection(): string | null {
    const marks = this.viewport.markers.connections;
    if (!marks.visible) return null;
    const hit = this.ray.intersectObjects(marks.children.filter((m) => m.visible), false)[0];
    return (hit?.object.userData.connection as string | undefined) ?? null;
  }

  private down(event: PointerEvent) {
    if (event.button !== 0) return;
    this.aim(event);
    const connection = this.pickConnection();
    const hit = connection ? null : this.pick();
    if (!connection && !hit) return;
    this.viewport.controls.enabled = false;
    if (connection) {
      void release(this.studio, connection);
      return;
    }
    if (!hit) return;
    this.canvas.setPointerCapture(event.pointerId);
    this.studio.select(hit.link);
    if (event.shiftKey) void push(this.studio, hit.link, hit.at);
    else if (this.studio.tool !== "drag") void applyTool(this.studio, this.studio.tool, hit.link, hit.at);
    else this.pressed = { hit, x: event.clientX, y: event.clientY, isDragging: false };
  }

  private move(event: PointerEvent) {
    this.aim(event);
    const { pressed } = this;
    if (!pressed) {
      if (event.buttons === 0) this.hover();
      return;
    }
    if (!pressed.isDragging) {
      if (Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) < CLICK) return;
      pressed.isDragging = true;
      const facing = this.viewport.camera.getWorldDirection(new THREE.Vector3());
      this.plane.setFromNormalAndCoplanarPoint(facing, pressed.hit.point);
      if (!this.studio.playing) this.studio.notify("The simulation is paused. Press Space to see the effect.", "note");
    }
    if (this.ray.ray.intersectPlane(this.plane, this.target)) this.drag(pressed.hit.link, pressed.hit.at, this.target);
  }

  /** Sends one drag at a time; targets in between are dropped. */
  private drag(link: string, at: Vec3, to: THREE.Vector3) {
    this.next = to.toArray();
    if (this.isSending) return;
    this.isSending = true;
    const send = async () => {
      while (this.next) {
        const to = this.next;
        this.next = null;
        if (!(await this.studio.apply({ do: "drag", link, at, to }))) break;
      }
      this.isSending = false;
    };
    void send();
  }

  private up(event: PointerEvent) {
    this.viewport.controls.enabled = true;
    if (this.pressed && event.button === 0) this.letGo();
  }

  private letGo() {
    this.viewport.controls.enabled = true;
    const wasDragging = this.pressed?.isDragging;
    this.pressed = null;
    this.next = null;
    if (wasDragging) void this.studio.apply({ do: "let_go" });
  }

  private hover() {
    const connection = this.pickConnection();
    const link = connection ? null : this.pick()?.link;
    this.canvas.style.cursor = connection ? "pointer" : link ? (this.studio.tool === "drag" ? "grab" : "crosshair") : "";
    const title = connection ? `Release ${connection}` : link ? link.replaceAll("_", " ") : "";
    if (this.canvas.title !== title) this.canvas.title = title;
  }

  // --- by keyboard -------------------------------------------------------------------------------------------------

  /** Starts or ends dragging the selected link. */
  toggleHold() {
    if (this.held) {
      this.release();
      return;
    }
    const link = this.studio.selected;
    const group = link && this.viewport.figure.of(link);
    if (!link || !group) {
      this.studio.notify("Select a link first: use the arrow keys or click it.", "note");
      return;
    }
    this.held = { link, to: group.position.clone() };
    this.studio.notify("Dragging: the arrow keys move the target, D lets go.", "note");
    this.drag(link, [0, 0, 0], this.held.to);
  }

  get isHolding(): boolean {
    return this.held !== null;
  }

  /** Moves the drag target right and up on the screen, m. */
  nudge(right: number, up: number) {
    if (!this.held) return;
    const axis = new THREE.Vector3().setFromMatrixColumn(this.viewport.camera.matrixWorld, 0);
    this.held.to.addScaledVector(axis, right);
    this.held.to.z += up;
    this.drag(this.held.link, [0, 0, 0], this.held.to);
  }

  release() {
    if (!this.held) return;
    this.held = null;
    this.next = null;
    void this.studio.apply({ do: "let_go" });
  }
}
