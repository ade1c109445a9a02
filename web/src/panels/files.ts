// Files: opening those of the person, and what one takes home: the motion, the replay of the session, the picture.

import { download, iconButton, make } from "../dom";
import type { Dropped } from "../protocol";
import type { Studio } from "../studio";
import type { Stage } from "../view/stage";

/** Larger files are not read at all, bytes. */
const LARGEST = 64 << 20;

/** Opens files that were dropped or chosen; an .amc and its .asf go together. */
export async function openFiles(studio: Studio, files: File[]) {
  const large = files.find((f) => f.size > LARGEST);
  if (large) studio.say(`${large.name} has ${Math.round(large.size / 1e6)} MB; the page opens up to 64 MB.`, "error");
  if (files.length === 0 || large) return;
  const read = async (file: File): Promise<Dropped> => ({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) });
  await studio.open(files[0]!.name, true, await Promise.all(files.map(read)));
}

/** Opens the file that was named on the command line. */
export async function openGiven(studio: Studio, name: string) {
  try {
    const answer = await fetch(`given/${encodeURIComponent(name)}`);
    if (!answer.ok) throw new Error(await answer.text());
    await studio.open(name, true, [{ name, bytes: new Uint8Array(await answer.arrayBuffer()) }]);
  } catch (error) {
    studio.say(`${name} could not be opened: ${(error as Error).message}`, "error");
  }
}

export function buildFiles(studio: Studio, stage: Stage): HTMLElement[] {
  const name = () => (studio.structure?.source ?? "studio").replace(/\.[a-z0-9]+$/i, "");
  const chosen = make("input", { type: "file", multiple: true, hidden: true, id: "files", "aria-label": "Files to open" });
  chosen.addEventListener("change", () => {
    void openFiles(studio, [...(chosen.files ?? [])]);
    chosen.value = "";
  });
  const save = async (what: string, method: string, ending: string, given: string[]) => {
    try {
      const data = (await studio.call(method, ...given)) as string | Uint8Array<ArrayBuffer>;
      download(`${name()}.${ending}`, new Blob([data]));
      studio.say(`${what} saved.`, "note");
    } catch (error) {
      studio.say(`${what} could not be saved: ${(error as Error).message}`, "error");
    }
  };
  const picture = async () => {
    const image = await stage.picture();
    if (image) download(`${name()}.png`, image);
    else studio.say("The picture could not be made.", "error");
  };
  const kinds: [string, () => Promise<void>][] = [
    ["Motion as BVH", () => save("The motion", "export", "bvh", ["bvh"])],
    ["Motion as GLB, for 3D programs", () => save("The motion", "export", "glb", ["glb"])],
    ["Motion as CSV", () => save("The motion", "export", "csv", ["csv"])],
    ["Motion with its figure (JSON)", () => save("The motion", "export", "json", ["json"])],
    ["Certificate of the whole motion", () => save("The certificate", "certificate", "certificate.json", [])],
    ["Replay, step by step", () => save("The replay", "replay", "replay.json", [])],
    ["Picture (PNG)", picture],
  ];
  const menu = make("div", { class: "menu", id: "save-menu", popover: "auto" });
  for (const [label, act] of kinds) {
    const button = make("button", { type: "button", class: "menu-item" }, label);
    button.addEventListener("click", () => {
      menu.hidePopover();
      void act();
    });
    menu.append(button);
  }
  const saving = iconButton("file", "Save the motion, the replay or the picture", () => menu.togglePopover());
  saving.setAttribute("aria-haspopup", "true");
  return [
    iconButton("open", "Open files: motions, figures, scenes, replays", () => chosen.click()),
    saving,
    menu,
    chosen,
  ];
}
