// What one takes home: the replay of the session and the picture.

import { download, iconButton } from "../dom";
import type { Studio } from "../studio";
import type { Stage } from "../view/stage";

export function buildFiles(studio: Studio, stage: Stage): HTMLElement[] {
  const name = () => studio.structure?.source ?? "studio";
  const replay = async () => {
    try {
      const text = (await studio.call("replay")) as string;
      download(`${name()}.replay.json`, new Blob([text], { type: "application/json" }));
      studio.say("Replay saved: what was opened, and all that was done, step by step.", "note");
    } catch (error) {
      studio.say(`The replay could not be made: ${(error as Error).message}`, "error");
    }
  };
  const picture = async () => {
    const image = await stage.picture();
    if (image) download(`${name()}.png`, image);
    else studio.say("The picture could not be made.", "error");
  };
  return [
    iconButton("file", "Save the replay", () => void replay()),
    iconButton("picture", "Save the picture as PNG", () => void picture()),
  ];
}
