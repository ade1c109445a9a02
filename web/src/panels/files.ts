// Opening files, and saving the motion, certificate, replay and picture.

import { download, iconButton, make } from "../dom";
import type { Answer, Call, OpenedFile } from "../messages";
import type { Studio } from "../studio";
import type { Viewport } from "../view/viewport";

/** Largest file, bytes. */
const MAX_BYTES = 64 << 20;

/** Opens files that were dropped or chosen: one, or an .amc with its .asf. */
export async function openFiles(studio: Studio, files: File[]) {
  const large = files.find((f) => f.size > MAX_BYTES);
  if (large) studio.notify(`${large.name} has ${Math.round(large.size / 1e6)} MB; the limit is 64 MB.`, "error");
  if (files.length === 0 || large) return;
  const read = async (file: File): Promise<OpenedFile> => ({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) });
  await studio.open(files[0]!.name, true, await Promise.all(files.map(read)));
}

/** Opens the file named on the command line. */
export async function openGiven(studio: Studio, name: string) {
  try {
    const answer = await fetch(`given/${encodeURIComponent(name)}`);
    if (!answer.ok) throw new Error(await answer.text());
    await studio.open(name, true, [{ name, bytes: new Uint8Array(await answer.arrayBuffer()) }]);
  } catch (error) {
    studio.notify(`${name} could not be opened: ${(error as Error).message}`, "error");
  }
}

export function buildFiles(studio: Studio, viewport: Viewport): HTMLElement[] {
  const name = () => (studio.structure?.source ?? "studio").replace(/\.[a-z0-9]+$/i, "");
  const chosen = make("input", { type: "file", multiple: true, hidden: true, id: "files", "aria-label": "Files to open" });
  chosen.addEventListener("change", () => {
    void openFiles(studio, [...(chosen.files ?? [])]);
    chosen.value = "";
  });
  const save = async (what: string, extension: string, call: Call) => {
    try {
      const data: Answer = await studio.call(call);
      download(`${name()}.${extension}`, new Blob([data ?? ""]));
      studio.notify(`${what} saved.`, "note");
    } catch (error) {
      studio.notify(`${what} could not be saved: ${(error as Error).message}`, "error");
    }
  };
  const saveMotion = (extension: string) => save("The motion", extension, { method: "export", extension });
  const picture = async () => {
    const image = await viewport.picture();
    if (image) download(`${name()}.png`, image);
    else studio.notify("The picture could not be saved.", "error");
  };
  const kinds: [string, () => Promise<void>][] = [
    ["Motion as BVH", () => saveMotion("bvh")],
    ["Motion as GLB, for 3D programs", () => saveMotion("glb")],
    ["Motion as CSV", () => saveMotion("csv")],
    ["Motion with its figure (JSON)", () => saveMotion("json")],
    ["Certificate of the whole motion", () => save("The certificate", "certificate.json", { method: "certificate" })],
    ["Replay of the session", () => save("The replay", "replay.json", { method: "replay" })],
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
  const saving = iconButton("file", "Save the motion, the replay or a picture", () => menu.togglePopover());
  saving.setAttribute("aria-haspopup", "true");
  return [
    iconButton("open", "Open files: motions, figures, scenes, replays", () => chosen.click()),
    saving,
    menu,
    chosen,
  ];
}
