// The floor with its grid, fixed solids and uneven ground.

import * as THREE from "three";
import type { Structure } from "../protocol";
import type { Palette } from "./palette";
import { FLOOR_SIZE, put, solid } from "./solids";

export class GroundView {
  readonly group = new THREE.Group();
  private floor: THREE.Mesh<THREE.BufferGeometry, THREE.MeshStandardMaterial>;
  private solids = new THREE.Group();
  private material = new THREE.MeshStandardMaterial({ roughness: 0.9 });
  private key = "";
  /** whether the floor is level and can move with the view */
  private isLevel = true;

  constructor(palette: Palette) {
    const material = new THREE.MeshStandardMaterial({ roughness: 0.95, metalness: 0 });
    this.floor = new THREE.Mesh(solid({ kind: "plane" }), material);
    this.floor.receiveShadow = true;
    this.group.add(this.floor, this.solids);
    this.setPalette(palette);
  }

  setPalette(palette: Palette) {
    this.floor.material.map?.dispose();
    this.floor.material.map = grid(palette);
    this.floor.material.needsUpdate = true;
    this.material.color.set(palette.strongLine);
  }

  /** `lowest` is the height of the floor in scenes without one. */
  setStructure(structure: Structure, lowest: number) {
    const key = JSON.stringify([structure.source, structure.scenery]);
    if (key === this.key) return;
    this.key = key;
    for (const part of [...this.solids.children]) {
      part.removeFromParent();
      (part as THREE.Mesh).geometry.dispose();
    }
    const plane = structure.scenery.find((s) => s.kind === "plane");
    this.floor.position.set(0, 0, Math.min(0, lowest));
    this.floor.quaternion.identity();
    if (plane) put(this.floor, plane.pose);
    const normal = new THREE.Vector3(0, 0, 1).applyQuaternion(this.floor.quaternion);
    this.isLevel = normal.z > 0.9999;
    for (const part of structure.scenery) {
      if (part.kind === "plane") continue;
      const mesh = new THREE.Mesh(solid(part), this.material);
      mesh.castShadow = mesh.receiveShadow = true;
      put(mesh, part.pose);
      this.solids.add(mesh);
    }
  }

  /** Moves the floor with the view in whole metres, so that it looks endless. */
  follow(x: number, y: number) {
    if (this.isLevel) this.floor.position.set(Math.round(x), Math.round(y), this.floor.position.z);
  }

  get height(): number {
    return this.floor.position.z;
  }
}

/** One metre of floor with a line every quarter, repeated. */
function grid(palette: Palette): THREE.Texture {
  const size = 256;
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = size;
  const pen = canvas.getContext("2d")!;
  pen.fillStyle = palette.floor;
  pen.fillRect(0, 0, size, size);
  pen.strokeStyle = palette.line;
  pen.lineWidth = 1.5;
  pen.globalAlpha = 0.7;
  for (let i = 1; i < 4; i++) {
    const at = (i * size) / 4;
    pen.strokeRect(at, -2, 0, size + 4);
    pen.strokeRect(-2, at, size + 4, 0);
  }
  pen.globalAlpha = 1;
  pen.strokeStyle = palette.strongLine;
  pen.lineWidth = 5;
  pen.strokeRect(0, 0, size, size);
  const texture = new THREE.CanvasTexture(canvas);
  texture.wrapS = texture.wrapT = THREE.RepeatWrapping;
  texture.repeat.set(FLOOR_SIZE, FLOOR_SIZE);
  texture.anisotropy = 8;
  texture.colorSpace = THREE.SRGBColorSpace;
  return texture;
}
