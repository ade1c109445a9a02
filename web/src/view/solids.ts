// Geometry of links and scenery.

import * as THREE from "three";
import { ConvexGeometry } from "three/examples/jsm/geometries/ConvexGeometry.js";
import { RoundedBoxGeometry } from "three/examples/jsm/geometries/RoundedBoxGeometry.js";
import type { Pose, Shape } from "../protocol";

/** Rounding of box edges, as a fraction of the smallest half side, and at most, m. Display only. */
const ROUNDING = { part: 0.3, most: 0.03 };

/** Side of the floor, which moves with the view, m. */
export const FLOOR_SIZE = 80;

/** Cylinders and capsules are along y in three.js, along z here. */
function alongZ(geometry: THREE.BufferGeometry): THREE.BufferGeometry {
  return geometry.rotateX(Math.PI / 2);
}

export function solid(shape: Shape): THREE.BufferGeometry {
  switch (shape.kind) {
    case "box": {
      const [x, y, z] = shape.half;
      const radius = Math.min(ROUNDING.most, ROUNDING.part * Math.min(x, y, z));
      return new RoundedBoxGeometry(2 * x, 2 * y, 2 * z, 3, radius);
    }
    case "sphere":
      return new THREE.SphereGeometry(shape.radius, 32, 20);
    case "ellipsoid":
      return new THREE.SphereGeometry(1, 32, 20).scale(...shape.half);
    case "capsule":
      return alongZ(new THREE.CapsuleGeometry(shape.radius, 2 * shape.half_length, 10, 24));
    case "cylinder":
      return alongZ(new THREE.CylinderGeometry(shape.radius, shape.radius, 2 * shape.half_length, 32));
    case "convex":
      return new ConvexGeometry(shape.points.map((p) => new THREE.Vector3(...p)));
    case "plane":
      return new THREE.PlaneGeometry(FLOOR_SIZE, FLOOR_SIZE);
    case "heights":
      return heights(shape.spacing, shape.rows);
  }
}

export function put(object: THREE.Object3D, pose: Pose) {
  object.position.set(...pose.position);
  object.quaternion.set(...pose.rotation);
}

/** A height field: rows along y, centred at the origin. */
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
