// The links as solids, and the reference as a ghost.

import * as THREE from "three";
import type { ShownFrame } from "../messages";
import type { Link, Structure } from "../protocol";
import { FORCE, type Palette } from "./palette";
import { put, solid } from "./solids";

export class FigureView {
  readonly group = new THREE.Group();
  private ghosts = new THREE.Group();
  private links: THREE.Group[] = [];
  private ghostLinks: THREE.Group[] = [];
  private key = "";
  private materials: Record<"trunk" | "left" | "right" | "other" | "selected" | "connectFrom", THREE.MeshStandardMaterial>;
  private ghostMaterial = new THREE.MeshStandardMaterial({
    transparent: true, opacity: 0.26, depthWrite: false, polygonOffset: true, polygonOffsetFactor: 4, polygonOffsetUnits: 8,
  });
  private structure: Structure | null = null;
  private turned = [new THREE.Quaternion(), new THREE.Quaternion()] as const;

  constructor(palette: Palette) {
    const material = () => new THREE.MeshStandardMaterial({ roughness: 0.62, metalness: 0.02 });
    this.materials = {
      trunk: material(), left: material(), right: material(), other: material(), selected: material(), connectFrom: material(),
    };
    this.group.add(this.ghosts);
    this.setPalette(palette);
  }

  setPalette(palette: Palette) {
    for (const kind of ["trunk", "left", "right", "other"] as const) this.materials[kind].color.set(palette[kind]);
    this.materials.selected.color.set(palette.selected);
    this.materials.connectFrom.color.set(FORCE.connection);
    this.ghostMaterial.color.set(palette.ghost);
  }

  /** Meshes for picking; `userData.link` is the name. */
  get pickable(): THREE.Object3D[] {
    return this.links;
  }

  /** Makes new meshes if the solids changed. */
  setStructure(structure: Structure) {
    this.structure = structure;
    const key = JSON.stringify(structure.links.map((l) => [l.name, l.shapes]));
    if (key === this.key) return;
    this.key = key;
    this.dispose();
    for (const link of structure.links) {
      const [group, ghost] = [new THREE.Group(), new THREE.Group()];
      group.userData.link = link.name;
      for (const shape of link.shapes) {
        const geometry = solid(shape);
        const mesh = new THREE.Mesh(geometry, this.materials.trunk);
        mesh.castShadow = mesh.receiveShadow = true;
        mesh.userData.link = link.name;
        put(mesh, shape.pose);
        group.add(mesh);
        const pale = new THREE.Mesh(geometry, this.ghostMaterial);
        put(pale, shape.pose);
        ghost.add(pale);
      }
      this.links.push(group);
      this.ghostLinks.push(ghost);
    }
    // one by one: `add()` without arguments is an error, and a figure may have no links
    for (const link of this.links) this.group.add(link);
    for (const link of this.ghostLinks) this.ghosts.add(link);
  }

  private dispose() {
    for (const group of this.links) {
      group.removeFromParent();
      for (const mesh of group.children) (mesh as THREE.Mesh).geometry.dispose();
    }
    for (const ghost of this.ghostLinks) ghost.removeFromParent();
    [this.links, this.ghostLinks] = [[], []];
  }

  /** Colours by side of the body, selection and pending connection. */
  paint(selected: string | null, connectFrom: string | null) {
    this.structure?.links.forEach((link, i) => {
      const kind = link.name === connectFrom ? "connectFrom" : link.name === selected ? "selected" : this.side(link);
      for (const mesh of this.links[i]?.children ?? []) (mesh as THREE.Mesh).material = this.materials[kind];
    });
  }

  private side(link: Link): "trunk" | "left" | "right" | "other" {
    if (/left|(^|_)l_|_l$/.test(link.name)) return "left";
    if (/right|(^|_)r_|_r$/.test(link.name)) return "right";
    return /pelvis|trunk|chest|head|neck|abdomen|torso|waist|thorax|spine/.test(link.name) ? "trunk" : "other";
  }

  /** Poses the links at a fraction `part` of the way from the previous frame to this one. */
  pose(frame: ShownFrame, before: ShownFrame | null, part: number, showGhost: boolean) {
    const from = before && before.structure === frame.structure ? before : null;
    this.place(this.links, frame.poses, from?.poses ?? null, part);
    const ghost = showGhost ? frame.ghost : null;
    this.ghosts.visible = ghost !== null;
    if (ghost) this.place(this.ghostLinks, ghost, from?.ghost ?? null, part);
  }

  private place(groups: THREE.Group[], to: number[], from: number[] | null, part: number) {
    const [a, b] = this.turned;
    groups.forEach((group, i) => {
      const k = 7 * i;
      if (k + 7 > to.length) return;
      group.position.fromArray(to, k);
      b.fromArray(to, k + 3);
      if (from && part < 1) {
        const keep = 1 - part;
        group.position.set(
          to[k]! * part + from[k]! * keep, to[k + 1]! * part + from[k + 1]! * keep, to[k + 2]! * part + from[k + 2]! * keep,
        );
        group.quaternion.copy(a.fromArray(from, k + 3).slerp(b, part));
      } else {
        group.quaternion.copy(b);
      }
    });
  }

  /** The group of a link. */
  of(name: string): THREE.Group | undefined {
    return this.links.find((g) => g.userData.link === name);
  }
}
