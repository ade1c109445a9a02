// The selected link: mass and joint, tools, a constant force, connections.

import { applyTool, displayName, release } from "../actions";
import { icon, make } from "../dom";
import type { Studio, Tool, Vec3 } from "../studio";
import type { Panel } from "./panel";
import { short } from "./panel";

const ACTS: [Tool, string][] = [
  ["push", "Push"], ["pin", "Pin"], ["connect", "Connect"], ["lock", "Lock"], ["cut", "Cut"], ["root", "Root"],
];

export const linkPanel: Panel = {
  id: "link",
  title: "Link",
  isOpen: true,
  build(studio) {
    const choice = make("select", { "aria-label": "Selected link", id: "link-choice" });
    choice.addEventListener("change", () => studio.select(choice.value || null));
    const facts = make("p", { class: "quiet" });
    const acts = make("div", { class: "acts" });
    for (const [tool, label] of ACTS) {
      const act = () => studio.selected && void applyTool(studio, tool, studio.selected, [0, 0, 0]);
      acts.append(make("button", { type: "button", class: "act", onclick: () => void act() }, icon(tool), label));
    }
    const force = forceFields(studio);
    const connections = make("ul", { class: "connections", "aria-label": "Connections" });
    const body = make("div", {}, facts, acts, force);
    const none = make("p", { class: "quiet" }, "Click a limb or choose a link here.");

    const show = () => {
      const links = studio.structure?.links ?? [];
      choice.replaceChildren(make("option", { value: "" }, "none"));
      for (const l of links) choice.append(make("option", { value: l.name }, displayName(l.name)));
      choice.value = studio.selected ?? "";
      const link = studio.link(studio.selected);
      [body.hidden, none.hidden] = [!link, Boolean(link)];
      if (link) {
        const on = link.parent ? `child of ${displayName(link.parent).toLowerCase()}` : "root";
        facts.textContent = `${short(link.mass)} kg, ${on}, joint ${displayName(link.joint).toLowerCase()}`;
      }
      connections.replaceChildren(...(studio.structure?.connections ?? []).map((c) => {
        const title = `${displayName(c.a ?? "world")} – ${c.b ? displayName(c.b).toLowerCase() : "world"}`;
        const button = make("button", { type: "button", onclick: () => void release(studio, c.name) }, "Release");
        button.setAttribute("aria-label", `Release ${c.name}`);
        return make("li", {}, make("span", { title: c.name }, title), button);
      }));
      connections.hidden = connections.children.length === 0;
    };
    studio.on("structure", show);
    studio.on("select", show);
    return make("div", {}, choice, none, body, connections);
  },
};

/** A constant force along x, y and z. */
function forceFields(studio: Studio): HTMLElement {
  const fields = (["x", "y", "z"] as const).map((axis) =>
    make("input", { type: "number", step: 10, value: 0, "aria-label": `Force along ${axis}, newtons` }));
  const given = new Map<string, Vec3>();
  const send = () => {
    if (!studio.selected) return;
    const force = fields.map((f) => Number(f.value) || 0) as Vec3;
    given.set(studio.selected, force);
    void studio.apply({ do: "force", link: studio.selected, force });
  };
  for (const field of fields) field.addEventListener("change", send);
  studio.on("select", () => {
    const force = given.get(studio.selected ?? "") ?? [0, 0, 0];
    fields.forEach((field, i) => (field.value = String(force[i])));
  });
  studio.on("opened", () => given.clear());
  const cell = (axis: string, i: number) => make("label", { class: "axis" }, axis, fields[i]!);
  return make(
    "fieldset", { class: "forces" }, make("legend", {}, "Constant force, N"), cell("x", 0), cell("y", 1), cell("z", 2),
  );
}
