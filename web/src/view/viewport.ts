// The viewport: camera, lights and everything drawn.

import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { Frame, Structure } from "../protocol";
import type { Studio } from "../studio";
import { ArrowsView } from "./arrows";
import { FigureView } from "./figure";
import { GroundView } from "./ground";
import { MarkersView } from "./markers";
import { DARK, LIGHT, type Palette } from "./palette";

/** Rate at which the camera follows, 1/s. */
const FOLLOW = 6;
/** Longer intervals between frames are interpolated, ms. */
const COARSE = 20;
/** Above this time per picture the quality is reduced, ms. */
const SLOW = 40;

export class Viewport {
  readonly camera = new THREE.PerspectiveCamera(38, 1, 0.05, 120);
  readonly controls: OrbitControls;
  readonly figure: FigureView;
  readonly markers = new MarkersView();
  /** time of this thread without drawing, and for drawing, of the last 240 frames, ms */
  readonly times = { work: [] as number[], draw: [] as number[] };
  private renderer: THREE.WebGLRenderer;
  private scene = new THREE.Scene();
  private sun = new THREE.DirectionalLight(0xffffff, 2.5);
  /** from beside the camera, against dark sides */
  private fill = new THREE.DirectionalLight(0xffffff, 0.7);
  private sky = new THREE.HemisphereLight(0xffffff, 0x8a8f98, 1.2);
  readonly ground: GroundView;
  private arrows: ArrowsView;
  private shownStructure: Structure | null = null;
  private last = performance.now();
  private lastPulse = 0;
  private isPulseDue = false;
  private isDirty = true;
  private aim = new THREE.Vector3(0, 0, 0.9);
  private isFramed = false;
  /** radius of the figure around its centre, m */
  private size = 1;
  private quality = { slow: 0, level: 0 };

  constructor(private studio: Studio, private home: HTMLElement, canvas: HTMLCanvasElement, labels: HTMLElement) {
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, powerPreference: "high-performance" });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.renderer.toneMapping = THREE.NeutralToneMapping;
    this.camera.up.set(0, 0, 1);
    this.camera.position.set(2.6, -3.4, 1.5);
    this.controls = new OrbitControls(this.camera, canvas);
    Object.assign(this.controls, { enableDamping: true, dampingFactor: 0.12, minDistance: 0.4, maxDistance: 30 });
    this.controls.target.copy(this.aim);
    this.controls.addEventListener("change", () => (this.isDirty = true));
    this.figure = new FigureView(LIGHT);
    this.ground = new GroundView(LIGHT);
    this.arrows = new ArrowsView(labels);
    this.light();
    this.scene.add(this.figure.group, this.ground.group, this.arrows.group, this.markers.group);
    new ResizeObserver(() => this.resize()).observe(home);
    const dirty = () => (this.isDirty = true);
    for (const event of ["frame", "select", "tool", "display", "structure"] as const) studio.on(event, dirty);
    studio.on("opened", () => (this.isFramed = false));
    studio.on("display", () => this.setQuality());
    studio.viewDirection = () => {
      const direction = this.camera.getWorldDirection(new THREE.Vector3()).setZ(0);
      if (direction.lengthSq() < 1e-6) direction.set(1, 0, 0);
      const { x, y } = direction.normalize();
      return [x, y, 0];
    };
    requestAnimationFrame(() => this.frame());
  }

  private light() {
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    Object.assign(this.sun.shadow.camera, { left: -3, right: 3, top: 3, bottom: -3, near: 0.5, far: 16 });
    this.sun.shadow.bias = -0.0004;
    this.sun.shadow.normalBias = 0.01;
    this.sun.shadow.radius = 3;
    this.sky.position.set(0, 0, 1);
    this.fill.position.set(-0.6, 0.5, 1);
    this.camera.add(this.fill);
    this.scene.add(this.sun, this.sun.target, this.sky, this.camera);
    this.camera.add(this.fill.target);
    this.fill.target.position.set(0, 0, -1);
  }

  setDark(isDark: boolean) {
    const palette: Palette = isDark ? DARK : LIGHT;
    this.scene.background = new THREE.Color(palette.background);
    this.scene.fog = new THREE.Fog(palette.background, 9, 34);
    this.sun.intensity = palette.sun;
    this.sky.intensity = palette.sky;
    this.figure.setPalette(palette);
    this.ground.setPalette(palette);
    this.isDirty = true;
  }

  /** The current picture as PNG. */
  picture(): Promise<Blob | null> {
    this.renderer.render(this.scene, this.camera);
    return new Promise((done) => this.renderer.domElement.toBlob(done, "image/png"));
  }

  /** Resets the view to the figure. */
  frameFigure() {
    this.isFramed = false;
    this.isDirty = true;
  }

  private resize() {
    const { clientWidth: width, clientHeight: height } = this.home;
    if (width === 0 || height === 0) return;
    this.setQuality();
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.isDirty = true;
  }

  private setQuality() {
    const { quality } = this.studio.display;
    const level = quality === "high" ? 0 : quality === "low" ? 3 : this.quality.level;
    const density = Math.min(window.devicePixelRatio, 2);
    this.renderer.setPixelRatio([density, Math.min(density, 1), 1, 0.75][level]!);
    const hasShadows = level < 2;
    if (this.sun.castShadow !== hasShadows) this.sun.castShadow = hasShadows;
    this.isDirty = true;
  }

  private frame() {
    requestAnimationFrame(() => this.frame());
    const now = performance.now();
    const seconds = Math.min(0.5, (now - this.last) / 1000);
    this.adaptQuality(now - this.last);
    this.last = now;
    this.controls.update();
    const isMoving = this.follow(seconds);
    this.pulse(now);
    const hasNews = this.isDirty || isMoving || this.isBetween(now);
    if (!hasNews || !this.studio.shown()) return;
    this.isDirty = false;
    this.update(now);
    const worked = performance.now();
    this.renderer.render(this.scene, this.camera);
    this.note(worked - now, performance.now() - worked);
  }

  /** Updates texts and plots ten times per second and once after the last change. */
  private pulse(now: number) {
    if (!this.isPulseDue || now - this.lastPulse < 100) return;
    [this.isPulseDue, this.lastPulse] = [false, now];
    this.studio.emit("pulse");
  }

  private note(work: number, draw: number) {
    for (const [list, value] of [[this.times.work, work], [this.times.draw, draw]] as const) {
      list.push(value);
      if (list.length > 240) list.shift();
    }
  }

  /** Reduces the quality on a machine that draws too slowly. */
  private adaptQuality(interval: number) {
    if (!this.studio.playing || document.hidden || interval > 500) return;
    this.quality.slow = interval > SLOW ? this.quality.slow + 1 : Math.max(0, this.quality.slow - 2);
    if (this.quality.slow > 40 && this.quality.level < 3) {
      this.quality = { slow: 0, level: this.quality.level + 1 };
      this.setQuality();
    }
  }

  /** Whether there are pictures to interpolate between frames. */
  private isBetween(now: number): boolean {
    const { previous, receivedAt, pastFrame } = this.studio;
    return !pastFrame && previous !== null && this.interval() > COARSE && now - receivedAt < this.interval() + 40;
  }

  /** Wall-clock time between the last two frames, ms. */
  private interval(): number {
    const { previous, frame, pace } = this.studio;
    return previous && frame ? ((frame.time - previous.time) / pace) * 1000 : 0;
  }

  private update(now: number) {
    const shown = this.studio.shown();
    if (!shown) return;
    const { frame, structure } = shown;
    if (structure !== this.shownStructure) this.setStructure(structure, frame);
    const { display, selected, connectFrom } = this.studio;
    const previous = this.studio.pastFrame ? null : this.studio.previous;
    const interval = this.interval();
    const part = interval > COARSE ? Math.min(1, (now - this.studio.receivedAt) / interval) : 1;
    this.figure.paint(selected, connectFrom?.link ?? null);
    this.figure.pose(frame, previous, part, display.ghost);
    const { clientWidth, clientHeight } = this.home;
    this.arrows.set(frame.arrows, display.forces, this.camera, clientWidth, clientHeight);
    this.markers.set(frame, display, this.ground.height);
    this.markers.setConnections(structure.connections, this.figure, display.connections);
    this.isPulseDue = true;
  }

  private setStructure(structure: Structure, frame: Frame) {
    this.shownStructure = structure;
    this.figure.setStructure(structure);
    const heights = structure.links.map((_, i) => frame.poses[7 * i + 2] ?? 0);
    this.ground.setStructure(structure, Math.floor(2 * (Math.min(...heights) - 0.6)) / 2);
  }

  /** Moves the camera with the figure; returns whether it moved. */
  private follow(seconds: number): boolean {
    const shown = this.studio.shown();
    if (!shown) return false;
    const { frame } = shown;
    const [x, y, z] = frame.center;
    if (!this.isFramed) {
      this.isFramed = true;
      this.lookAt(shown.structure, frame);
    } else if (this.studio.display.follow) {
      const part = 1 - Math.exp(-FOLLOW * seconds);
      const step = this.aim.set(x, y, z).sub(this.controls.target);
      // vertically only when it leaves the picture: steps should not shake the view
      const room = 0.4 * this.size;
      step.z = Math.abs(step.z) > room ? step.z - room * Math.sign(step.z) : 0;
      // jump over discontinuities, such as a restart
      if (step.length() < 3) step.multiplyScalar(part);
      if (step.length() < 1e-4) return false;
      this.controls.target.add(step);
      this.camera.position.add(step);
    } else {
      return false;
    }
    const { target } = this.controls;
    this.sun.target.position.copy(target);
    this.sun.position.copy(target).add(this.aim.set(2.2, -1.6, 5));
    this.ground.follow(target.x, target.y);
    return true;
  }

  private lookAt(structure: Structure, frame: Frame) {
    const [x, y, z] = frame.center;
    let size = 0.5;
    structure.links.forEach((_, i) => {
      const k = 7 * i;
      const [a, b, c] = [frame.poses[k] ?? x, frame.poses[k + 1] ?? y, frame.poses[k + 2] ?? z];
      size = Math.max(size, Math.hypot(a - x, b - y, c - z) + 0.25);
    });
    this.size = size;
    this.controls.target.set(x, y, z - 0.06);
    const distance = Math.min(12, (1.15 * size) / Math.tan((this.camera.fov * Math.PI) / 360));
    this.camera.position.set(x, y, z).add(this.aim.set(0.62, -0.76, 0.24).normalize().multiplyScalar(distance));
  }
}
