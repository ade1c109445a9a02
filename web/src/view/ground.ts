// The floor with its grid, and what stands still: solids and uneven ground.

import * as THREE from "three";
import type { Structure } from "../protocol";
import type { Palette } from "./palette";
import { put, solid } from "./solids";

/** Half side of the floor that moves along with the view, m. */
const REACH = 40;

export class GroundView {
  readonly group = new THREE.Group();
  private floor: THREE.Mesh<THREE.PlaneGeometry, THREE.MeshStandardMaterial>;
  private things = new THREE.Group();
  private material = new THREE.MeshStandardMaterial({ roughness: 0.9 });
  private key = "";
  /** whether the floor is level, so that it may move along unseen */
  private isLevel = true;

  constructor(palette: Palette) {
    const material = new THREE.MeshStandardMaterial({ roughness: 0.95, metalness: 0 });
    this.floor = new THREE.Mesh(new THREE.PlaneGeometry(2 * REACH, 2 * REACH), material);
    this.floor.receiveShadow = true;
    this.group.add(this.floor, this.things);
    this.setPalette(palette);
  }

  setPalette(palette: Palette) {
    this.floor.material.map?.dispose();
    this.floor.material.map = grid(palette);
    this.floor.material.needsUpdate = true;
    this.material.color.set(palette.strongLine);
  }

  /** `lowest` is where the floor is drawn when the scene has none. */
  setStructure(structure: Structure, lowest: number) {
    const key = JSON.stringify([structure.source, structure.scenery]);
    if (key === this.key) return;
    this.key = key;
    for (const thing of [...this.things.children]) {
      thing.removeFromParent();
      (thing as THREE.Mesh).geometry.dispose();
    }
    const plane = structure.scenery.find((s) => s.kind === "plane");
    this.floor.position.set(0, 0, structure.mode === "filter" ? 0 : Math.min(0, lowest));
    this.floor.quaternion.identity();
    if (plane) put(this.floor, plane.place);
    const normal = new THREE.Vector3(0, 0, 1).applyQuaternion(this.floor.quaternion);
    this.isLevel = normal.z > 0.9999;
    for (const thing of structure.scenery) {
      if (thing.kind === "plane") continue;
      const geometry = thing.kind === "heights" ? heights(thing.spacing, thing.rows) : solid(thing);
      const mesh = new THREE.Mesh(geometry, this.material);
      mesh.castShadow = mesh.receiveShadow = true;
      put(mesh, thing.place);
      this.things.add(mesh);
    }
  }

  /** The floor goes along with the view in whole metres: it has no end. */
  follow(x: number, y: number) {
    if (this.isLevel) this.floor.position.set(Math.round(x), Math.round(y), this.floor.position.z);
  }

  get height(): number {
    return this.floor.position.z;
  }
}

/** A metre of floor, a line every quarter, repeated. */
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
  texture.repeat.set(2 * REACH, 2 * REACH);
  texture.anisotropy = 8;
  texture.colorSpace = THREE.SRGBColorSpace;
  return texture;
}

/** Uneven ground: a point every `spacing`, rows along y, its middle at the origin. */
function heights([dx, dy]: [number, number], rows: number[][]): THREE.BufferGeometry {
  const columns = rows[0]?.length ?? 0;
  const [left, front] = [-0.5 * (columns - 1) * dx, -0.5 * (rows.length - 1) * dy];
  const points: number[] = [];
  const corners: number[] = [];
  rows.forEach((row, r) => row.forEach((z, c) => points.push(left + c * dx, front + r * dy, z)));
  for (let r = 0; r + 1 < rows.length; r++) {
    for (let c = 0; c + 1 < columns; c++) {
      const i = r * columns + c;
      corners.push(i, i + 1, i + columns, i + 1, i + columns + 1, i + columns);
    }
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
  geometry.setIndex(corners);
  geometry.computeVertexNormals();
  return geometry;
}
