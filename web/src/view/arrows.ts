// Forces as arrows; forces of the user with a label in newtons.

import * as THREE from "three";
import type { Arrow } from "../protocol";
import { FORCE } from "./palette";

/** Length of an arrow, m/N (larger for the weaker forces of the user), and its bounds, m. */
const LENGTH = { contact: 0.0009, connection: 0.0009, user: 0.003, least: 0.05, most: 1.4 };
/** Smaller forces are not drawn, N. */
const MIN_FORCE = 2;

const Z = new THREE.Vector3(0, 0, 1);
const SHAFT = new THREE.CylinderGeometry(1, 1, 1, 12).rotateX(Math.PI / 2).translate(0, 0, 0.5);
const HEAD = new THREE.ConeGeometry(1, 1, 20).rotateX(Math.PI / 2).translate(0, 0, 0.5);

class OneArrow {
  readonly group = new THREE.Group();
  private shaft: THREE.Mesh;
  private head: THREE.Mesh;
  private direction = new THREE.Vector3();
  readonly tip = new THREE.Vector3();

  constructor(material: THREE.Material) {
    this.shaft = new THREE.Mesh(SHAFT, material);
    this.head = new THREE.Mesh(HEAD, material);
    this.group.add(this.shaft, this.head);
    this.shaft.renderOrder = this.head.renderOrder = 2;
  }

  set(arrow: Arrow, material: THREE.Material) {
    const force = this.direction.fromArray(arrow.force);
    const size = force.length();
    const length = Math.min(LENGTH.most, Math.max(LENGTH.least, size * LENGTH[arrow.kind]));
    const head = Math.min(0.09, 0.45 * length);
    this.shaft.material = this.head.material = material;
    const thin = 0.12 * head;
    this.shaft.scale.set(thin, thin, length - head);
    this.head.scale.set(0.33 * head, 0.33 * head, head);
    this.head.position.z = length - head;
    force.divideScalar(size);
    this.group.position.fromArray(arrow.at);
    this.group.quaternion.setFromUnitVectors(Z, force);
    this.tip.fromArray(arrow.at).addScaledVector(force, length);
  }
}

export class ArrowsView {
  readonly group = new THREE.Group();
  private pool: OneArrow[] = [];
  private labels: HTMLElement[] = [];
  private materials = {
    contact: material(FORCE.contact), connection: material(FORCE.connection), user: material(FORCE.user),
  };
  private point = new THREE.Vector3();

  constructor(private labelHome: HTMLElement) {}

  set(arrows: Arrow[], showForces: boolean, camera: THREE.Camera, width: number, height: number) {
    let [n, labels] = [0, 0];
    for (const arrow of arrows) {
      const size = Math.hypot(...arrow.force);
      if (size < MIN_FORCE || (!showForces && arrow.kind !== "user")) continue;
      const one = (this.pool[n] ??= this.make());
      one.set(arrow, this.materials[arrow.kind]);
      one.group.visible = true;
      n += 1;
      if (arrow.kind === "user") this.label(labels++, one.tip, `${size.toFixed(0)} N`, camera, width, height);
    }
    for (; n < this.pool.length; n++) this.pool[n]!.group.visible = false;
    for (; labels < this.labels.length; labels++) this.labels[labels]!.hidden = true;
  }

  private make(): OneArrow {
    const one = new OneArrow(this.materials.contact);
    this.group.add(one.group);
    return one;
  }

  private label(n: number, at: THREE.Vector3, text: string, camera: THREE.Camera, width: number, height: number) {
    let label = this.labels[n];
    if (!label) {
      label = document.createElement("div");
      label.className = "force-label";
      this.labelHome.append(label);
      this.labels.push(label);
    }
    const { x, y, z } = this.point.copy(at).project(camera);
    label.hidden = z > 1;
    if (label.textContent !== text) label.textContent = text;
    label.style.transform = `translate(${((x + 1) / 2) * width + 8}px, ${((1 - y) / 2) * height - 10}px)`;
  }
}

function material(color: number): THREE.Material {
  // drawn over limbs: a force on a foot points up inside the leg
  return new THREE.MeshStandardMaterial({
    color, emissive: color, emissiveIntensity: 0.35, roughness: 0.5, depthTest: false, transparent: true, opacity: 0.95,
  });
}
