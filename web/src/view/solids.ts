// Geometry of the solids that links and scenery are made of.

import * as THREE from "three";
import { ConvexGeometry } from "three/examples/jsm/geometries/ConvexGeometry.js";
import { RoundedBoxGeometry } from "three/examples/jsm/geometries/RoundedBoxGeometry.js";
import type { Place, Shape } from "../protocol";

/** Part of the smallest half side by which edges of boxes are rounded, and the most, m. Only for the eye. */
const ROUNDING = { part: 0.3, most: 0.03 };

/** Cylinders and capsules of three.js lie along y, ours along z. */
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
  }
}

export function put(object: THREE.Object3D, place: Place) {
  object.position.set(...place.at);
  object.quaternion.set(...place.turn);
}
