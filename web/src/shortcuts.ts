// Keyboard shortcuts: all main actions work without a mouse. The help lists `KEYS`.

import { applyTool } from "./actions";
import type { Interaction } from "./interaction";
import type { Studio, Tool } from "./studio";

export const KEYS: [string, string][] = [
  ["Space", "play or pause"],
  [".", "single step"],
  [",", "one frame back"],
  ["Home", "back to the start"],
  ["[ and ]", "slower, faster"],
  ["← →", "select the previous or next link"],
  ["↑ ↓", "select the parent or a child"],
  ["D", "drag the link with the arrow keys; D again lets go"],
  ["P", "push away from the camera"],
  ["N", "pin the link in place"],
  ["C", "connect: press on one link, then on another"],
  ["L", "lock or unlock its joint"],
  ["X", "cut its joint"],
  ["R", "make it the root"],
  ["Ctrl Z", "undo the last edit"],
  ["F", "camera follows the figure: on or off"],
  ["V", "centre the figure"],
  ["G", "reference: show or hide"],
  ["/", "search the library"],
  ["T", "light or dark theme"],
  ["?", "this help"],
  ["Esc", "let go, or close"],
];

/** Step of the drag target per key press, m. */
const NUDGE = 0.05;

const TOOL_KEYS: Record<string, Tool> = { p: "push", n: "pin", c: "connect", l: "lock", x: "cut", r: "root" };

export interface PageActions {
  help(): void;
  escape(): void;
  theme(): void;
  search(): void;
  frameFigure(): void;
}

export function startShortcuts(studio: Studio, interaction: Interaction, page: PageActions) {
  window.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || isForControl(event)) return;
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z") {
      event.preventDefault();
      void studio.undo();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    // Escape also closes the browser's own menus and dialogs
    if (act(event.key, studio, interaction, page) && event.key !== "Escape") event.preventDefault();
  });
}

/** Whether the key belongs to the focused control. */
function isForControl(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement;
  if (event.key === "Escape") return false;
  if (target instanceof HTMLInputElement && ["range", "checkbox", "radio"].includes(target.type)) {
    return /^(Arrow|Page|Home|End|Tab| )/.test(event.key);
  }
  if (target instanceof HTMLInputElement || target instanceof HTMLSelectElement || target.isContentEditable) return true;
  // Space presses a button focused by Tab, not one that was clicked
  const isControl = target instanceof HTMLButtonElement || target.tagName === "SUMMARY";
  return isControl && (event.key === "Enter" || (event.key === " " && target.matches(":focus-visible")));
}

/** Runs the action of a key; returns whether there is one. */
function act(key: string, studio: Studio, interaction: Interaction, page: PageActions): boolean {
  const lower = key.toLowerCase();
  if (key.startsWith("Arrow")) {
    arrow(key, studio, interaction);
    return true;
  }
  const tool = TOOL_KEYS[lower];
  if (tool) {
    if (studio.selected) void applyTool(studio, tool, studio.selected, [0, 0, 0]);
    else studio.notify("Select a link first: use the arrow keys or click it.", "note");
    return true;
  }
  const acts: Record<string, () => void> = {
    " ": () => void studio.play(!studio.playing),
    ".": () => void studio.step(),
    ",": () => back(studio),
    home: () => void studio.restart(),
    "[": () => studio.setPace(studio.pace / Math.SQRT2),
    "]": () => studio.setPace(studio.pace * Math.SQRT2),
    d: () => interaction.toggleHold(),
    f: () => studio.setDisplay({ follow: !studio.display.follow }),
    v: () => page.frameFigure(),
    g: () => studio.setDisplay({ ghost: !studio.display.ghost }),
    t: () => page.theme(),
    "/": () => page.search(),
    "?": () => page.help(),
    escape: () => {
      interaction.release();
      studio.connectFrom = null;
      studio.emit("tool");
      page.escape();
    },
  };
  acts[lower]?.();
  return lower in acts;
}

function back(studio: Studio) {
  const shown = studio.shown();
  if (shown) studio.showStep(shown.frame.step - 1);
}

function arrow(key: string, studio: Studio, interaction: Interaction) {
  if (interaction.isHolding) {
    const [right, up] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[key] ?? [0, 0];
    interaction.nudge(right! * NUDGE, up! * NUDGE);
    return;
  }
  const links = studio.structure?.links ?? [];
  if (links.length === 0) return;
  const at = links.findIndex((l) => l.name === studio.selected);
  const link = links[at];
  if (!link) studio.select(links[0]!.name);
  else if (key === "ArrowUp") studio.select(link.parent ?? link.name);
  else if (key === "ArrowDown") studio.select(links.find((l) => l.parent === link.name)?.name ?? link.name);
  else studio.select(links[(at + (key === "ArrowRight" ? 1 : links.length - 1)) % links.length]!.name);
}
