// Markers: centre of mass with its plumb line, centre of pressure, connections, drag target.

import * as THREE from "three";
import type { Connection, Frame } from "../protocol";
import type { Display, Vec3 } from "../studio";
import type { FigureView } from "./figure";
import { CENTER, FORCE, PRESSURE } from "./palette";

export class MarkersView {
  readonly group = new THREE.Group();
  /** one sphere per connection; `userData.connection` is the name */
  readonly connections = new THREE.Group();
  private center = overAll(new THREE.SphereGeometry(0.028, 24, 16), CENTER);
  private plumb: THREE.Line;
  private pressure: THREE.Mesh;
  private dragTarget = overAll(new THREE.SphereGeometry(0.02, 16, 12), FORCE.user);
  private at = new THREE.Vector3();

  constructor() {
    const line = new THREE.BufferGeometry().setFromPoints([new THREE.Vector3(), new THREE.Vector3(0, 0, -1)]);
    this.plumb = new THREE.Line(line, new THREE.LineDashedMaterial({ color: CENTER, dashSize: 0.03, gapSize: 0.02 }));
    this.plumb.computeLineDistances();
    const ring = new THREE.RingGeometry(0.03, 0.05, 32);
    this.pressure = new THREE.Mesh(ring, new THREE.MeshBasicMaterial({ color: PRESSURE, depthTest: false, transparent: true }));
    this.pressure.renderOrder = 3;
    const rim = new THREE.Mesh(new THREE.SphereGeometry(0.034, 24, 16), new THREE.MeshBasicMaterial({ color: 0x1f2937, side: THREE.BackSide, depthTest: false, transparent: true }));
    rim.renderOrder = 2;
    this.center.add(rim);
    this.group.add(this.center, this.plumb, this.pressure, this.dragTarget, this.connections);
  }

  set(frame: Frame, display: Display, floor: number) {
    this.center.visible = this.plumb.visible = display.center;
    this.center.position.fromArray(frame.center);
    this.plumb.position.fromArray(frame.center);
    this.plumb.scale.z = Math.max(0.001, frame.center[2] - floor);
    this.pressure.visible = display.pressure && frame.pressure !== null;
    if (frame.pressure) this.pressure.position.fromArray(frame.pressure).setZ(frame.pressure[2] + 0.002);
    this.dragTarget.visible = frame.drag_target !== null;
    if (frame.drag_target) this.dragTarget.position.fromArray(frame.drag_target);
  }

  setConnections(connections: Connection[], figure: FigureView, isShown: boolean) {
    this.connections.visible = isShown;
    while (this.connections.children.length > connections.length) this.connections.children.pop();
    connections.forEach((connection, i) => {
      let mark = this.connections.children[i] as THREE.Mesh | undefined;
      if (!mark) {
        mark = overAll(new THREE.SphereGeometry(0.032, 20, 14), FORCE.connection);
        this.connections.add(mark);
      }
      mark.userData.connection = connection.name;
      const link = figure.of(connection.a ?? connection.b ?? "");
      mark.visible = link !== undefined;
      if (link) mark.position.copy(this.world(link, connection.at));
    });
  }

  private world(link: THREE.Object3D, at: Vec3): THREE.Vector3 {
    return this.at.fromArray(at).applyQuaternion(link.quaternion).add(link.position);
  }
}

/** A mesh drawn over everything else. */
function overAll(geometry: THREE.BufferGeometry, color: number): THREE.Mesh {
  const mesh = new THREE.Mesh(
    geometry, new THREE.MeshBasicMaterial({ color, depthTest: false, transparent: true, opacity: 0.92 }),
  );
  mesh.renderOrder = 3;
  return mesh;
}
