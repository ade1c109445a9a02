// The mouse on the figure: picks a link, drags it in the plane that faces the camera, and uses the tools.

import * as THREE from "three";
import { push, release, use } from "./deeds";
import type { Vec3 } from "./protocol";
import type { Studio } from "./studio";
import type { Stage } from "./view/stage";

/** A press that moves less is a click, pixels. */
const CLICK = 5;

interface Hit {
  link: string;
  point: THREE.Vector3;
  at: Vec3;
}

export class Hands {
  private ray = new THREE.Raycaster();
  private mouse = new THREE.Vector2();
  private pressed: { hit: Hit; x: number; y: number; isDragging: boolean } | null = null;
  private plane = new THREE.Plane();
  private target = new THREE.Vector3();
  private isSending = false;
  private next: Vec3 | null = null;
  /** a hand of the keyboard */
  private held: { link: string; to: THREE.Vector3 } | null = null;

  constructor(private studio: Studio, private stage: Stage, private canvas: HTMLCanvasElement) {
    // before the orbit of the camera hears of it
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
    this.ray.setFromCamera(this.mouse, this.stage.camera);
  }

  private pick(): Hit | null {
    const hit = this.ray.intersectObjects(this.stage.figure.pickable, true)[0];
    const link = hit?.object.userData.link as string | undefined;
    const group = link && this.stage.figure.of(link);
    if (!hit || !link || !group) return null;
    const at = group.worldToLocal(hit.point.clone()).toArray();
    return { link, point: hit.point, at };
  }

  private pickConnection(): string | null {
    const marks = this.stage.markers.connections;
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
    this.stage.controls.enabled = false;
    if (connection) {
      void release(this.studio, connection);
      return;
    }
    if (!hit) return;
    this.canvas.setPointerCapture(event.pointerId);
    this.studio.select(hit.link);
    if (event.shiftKey) void push(this.studio, hit.link, hit.at);
    else if (this.studio.tool !== "drag") void use(this.studio, this.studio.tool, hit.link, hit.at);
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
      const facing = this.stage.camera.getWorldDirection(new THREE.Vector3());
      this.plane.setFromNormalAndCoplanarPoint(facing, pressed.hit.point);
      if (!this.studio.playing) this.studio.say("Time stands still. Press Space to feel the pull.", "note");
    }
    if (this.ray.ray.intersectPlane(this.plane, this.target)) this.pull(pressed.hit.link, pressed.hit.at, this.target);
  }

  /** One message at a time; where the hand was meanwhile does not matter. */
  private pull(link: string, at: Vec3, to: THREE.Vector3) {
    this.next = to.toArray();
    if (this.isSending) return;
    this.isSending = true;
    const send = async () => {
      while (this.next) {
        const to = this.next;
        this.next = null;
        if (!(await this.studio.obey({ do: "drag", link, at, to }))) break;
      }
      this.isSending = false;
    };
    void send();
  }

  private up(event: PointerEvent) {
    this.stage.controls.enabled = true;
    if (this.pressed && event.button === 0) this.letGo();
  }

  private letGo() {
    this.stage.controls.enabled = true;
    const wasDragging = this.pressed?.isDragging;
    this.pressed = null;
    this.next = null;
    if (wasDragging) void this.studio.obey({ do: "let_go" });
  }

  private hover() {
    const connection = this.pickConnection();
    const link = connection ? null : this.pick()?.link;
    this.canvas.style.cursor = connection ? "pointer" : link ? (this.studio.tool === "drag" ? "grab" : "crosshair") : "";
    const title = connection ? `Release ${connection}` : link ? link.replaceAll("_", " ") : "";
    if (this.canvas.title !== title) this.canvas.title = title;
  }

  // --- the same by keyboard --------------------------------------------------------------------------------------

  /** Takes hold of the selected link, or lets go of it. */
  toggleHold() {
    if (this.held) {
      this.release();
      return;
    }
    const link = this.studio.selected;
    const group = link && this.stage.figure.of(link);
    if (!link || !group) {
      this.studio.say("Select a link first, with the arrow keys.", "note");
      return;
    }
    this.held = { link, to: group.position.clone() };
    this.studio.say("You hold it. The arrow keys move your hand; D lets go.", "note");
    this.pull(link, [0, 0, 0], this.held.to);
  }

  get isHolding(): boolean {
    return this.held !== null;
  }

  /** Moves the keyboard's hand to the right and up on the screen, m. */
  nudge(right: number, up: number) {
    if (!this.held) return;
    const axis = new THREE.Vector3().setFromMatrixColumn(this.stage.camera.matrixWorld, 0);
    this.held.to.addScaledVector(axis, right);
    this.held.to.z += up;
    this.pull(this.held.link, [0, 0, 0], this.held.to);
  }

  release() {
    if (!this.held) return;
    this.held = null;
    this.next = null;
    void this.studio.obey({ do: "let_go" });
  }
}
