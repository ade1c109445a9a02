// What the tools do to a link, by mouse or by keyboard.

import type { Vec3 } from "./protocol";
import type { Studio, Tool } from "./studio";

/** Pushes a link along the view, horizontally. */
export function push(studio: Studio, link: string, at: Vec3): Promise<boolean> {
  const { newtons, seconds } = studio.push;
  const [x, y] = studio.viewDirection();
  return studio.obey({ do: "push", link, at, force: [x * newtons, y * newtons, 0], seconds });
}

/** The first link is kept in mind; the second is connected to it. */
async function connect(studio: Studio, link: string, at: Vec3) {
  const { first } = studio;
  if (!first || first.link === link) {
    studio.first = { link, at };
    studio.say(`Now choose the link that ${words(link)} holds on to.`, "note");
    studio.emit("tool");
    return;
  }
  studio.first = null;
  if (await studio.obey({ do: "connect", link: first.link, at: first.at, to: link })) {
    studio.say(`${words(first.link)} holds on to ${words(link)}.`, "note");
  }
  studio.emit("tool");
}

/** Locks all degrees of freedom of the joint, or frees them when all are locked. */
async function lock(studio: Studio, link: string) {
  const joint = studio.joint(studio.link(link)?.joint ?? "");
  if (!joint || joint.dofs.length === 0) {
    studio.say(`The joint of ${words(link)} has nothing to lock.`, "error");
    return;
  }
  const isLocked = joint.dofs.every((d) => d.locked);
  for (let dof = 0; dof < joint.dofs.length; dof++) {
    if (joint.dofs[dof]!.locked !== isLocked) continue;
    if (!(await studio.obey({ do: isLocked ? "unlock" : "lock", joint: joint.name, dof }))) return;
  }
  studio.say(`${words(joint.name)} is ${isLocked ? "free again" : "locked"}.`, "note");
}

async function cut(studio: Studio, link: string) {
  const joint = studio.link(link)?.joint ?? "";
  if (await studio.obey({ do: "cut", joint })) studio.say(`${words(joint)} is cut.`, "note");
}

/** Opens a connection. */
export async function release(studio: Studio, connection: string) {
  if (await studio.obey({ do: "cut", joint: connection })) studio.say(`${words(connection)} is released.`, "note");
}

/** Uses a tool on a point of a link. */
export async function use(studio: Studio, tool: Tool, link: string, at: Vec3) {
  switch (tool) {
    case "push":
      await push(studio, link, at);
      return;
    case "pin":
      if (await studio.obey({ do: "pin", link, at })) studio.say(`${words(link)} is pinned here.`, "note");
      return;
    case "connect":
      return connect(studio, link, at);
    case "lock":
      return lock(studio, link);
    case "cut":
      return cut(studio, link);
    case "root":
      if (await studio.obey({ do: "root", link })) studio.say(`${words(link)} is the root.`, "note");
      return;
    case "drag":
      return;
  }
}

/** A name of the engine as people write it. */
export function words(name: string): string {
  const text = name.replaceAll("_", " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}
