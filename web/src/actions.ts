// The tools applied to a link, by mouse or keyboard.

import type { Studio, Tool, Vec3 } from "./studio";

/** Pushes a link horizontally, along the view direction. */
export function push(studio: Studio, link: string, at: Vec3): Promise<boolean> {
  const { newtons, seconds } = studio.push;
  const [x, y] = studio.viewDirection();
  return studio.apply({ do: "push", link, at, force: [x * newtons, y * newtons, 0], seconds });
}

/** Remembers the first link, then connects it to the second. */
async function connect(studio: Studio, link: string, at: Vec3) {
  const first = studio.connectFrom;
  if (!first || first.link === link) {
    studio.connectFrom = { link, at };
    studio.notify(`Now choose the link to connect to ${displayName(link)}.`, "note");
    studio.emit("tool");
    return;
  }
  studio.connectFrom = null;
  if (await studio.apply({ do: "connect", link: first.link, at: first.at, to: link })) {
    studio.notify(`${displayName(first.link)} is connected to ${displayName(link)}.`, "note");
  }
  studio.emit("tool");
}

/** Locks all degrees of freedom of the joint, or unlocks them if all are locked. */
async function lock(studio: Studio, link: string) {
  const joint = studio.joint(studio.link(link)?.joint ?? "");
  if (!joint || joint.dofs.length === 0) {
    studio.notify(`The joint of ${displayName(link)} has no degree of freedom to lock.`, "error");
    return;
  }
  const isLocked = joint.dofs.every((d) => d.locked);
  for (let dof = 0; dof < joint.dofs.length; dof++) {
    if (joint.dofs[dof]!.locked !== isLocked) continue;
    if (!(await studio.apply({ do: isLocked ? "unlock" : "lock", joint: joint.name, dof }))) return;
  }
  studio.notify(`${displayName(joint.name)} is ${isLocked ? "unlocked" : "locked"}.`, "note");
}

async function cut(studio: Studio, link: string) {
  const joint = studio.link(link)?.joint ?? "";
  if (await studio.apply({ do: "cut", joint })) studio.notify(`${displayName(joint)} is cut.`, "note");
}

/** Releases a connection. */
export async function release(studio: Studio, connection: string) {
  if (await studio.apply({ do: "cut", joint: connection })) studio.notify(`${displayName(connection)} is released.`, "note");
}

/** Applies a tool to a point of a link. */
export async function applyTool(studio: Studio, tool: Tool, link: string, at: Vec3) {
  switch (tool) {
    case "push":
      await push(studio, link, at);
      return;
    case "pin":
      if (await studio.apply({ do: "pin", link, at })) studio.notify(`${displayName(link)} is pinned.`, "note");
      return;
    case "connect":
      return connect(studio, link, at);
    case "lock":
      return lock(studio, link);
    case "cut":
      return cut(studio, link);
    case "root":
      if (await studio.apply({ do: "root", link })) studio.notify(`${displayName(link)} is now the root.`, "note");
      return;
    case "drag":
      return;
  }
}

/** A name of the engine as shown in the page. */
export function displayName(name: string): string {
  const text = name.replaceAll("_", " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}
