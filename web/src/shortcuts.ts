// The keys. All main actions work without a mouse; `KEYS` is also what the help shows.

import { use } from "./deeds";
import type { Hands } from "./hands";
import type { Studio, Tool } from "./studio";

export const KEYS: [string, string][] = [
  ["Space", "play, pause"],
  [".", "a single step"],
  [",", "look back by one frame"],
  ["Home", "back to the beginning"],
  ["[ and ]", "slower, quicker"],
  ["← →", "select the link before, the next"],
  ["↑ ↓", "select the parent, a child"],
  ["D", "take hold of the link, let go; arrows move the hand"],
  ["P", "push along the view"],
  ["N", "pin the link where it is"],
  ["C", "connect: on one link, then on another"],
  ["L", "lock its joint, unlock"],
  ["X", "cut its joint off"],
  ["R", "make it the root"],
  ["Ctrl Z", "undo the last edit"],
  ["F", "camera follows, or not"],
  ["V", "figure into the middle of the view"],
  ["G", "ghost of the reference"],
  ["/", "search the library"],
  ["T", "light, dark"],
  ["?", "this help"],
  ["Esc", "let go, close"],
];

/** Distance a key moves the hand by, m. */
const NUDGE = 0.05;

const TOOL_KEYS: Record<string, Tool> = { p: "push", n: "pin", c: "connect", l: "lock", x: "cut", r: "root" };

export interface Others {
  help(): void;
  escape(): void;
  theme(): void;
  search(): void;
  frameFigure(): void;
}

export function startShortcuts(studio: Studio, hands: Hands, others: Others) {
  window.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || isWriting(event)) return;
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z") {
      event.preventDefault();
      void studio.undo();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (act(event.key, studio, hands, others)) event.preventDefault();
  });
}

/** Whether the key is for the control that has the focus. */
function isWriting(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement;
  if (event.key === "Escape") return false;
  if (target instanceof HTMLInputElement && ["range", "checkbox", "radio"].includes(target.type)) {
    return /^(Arrow|Page|Home|End|Tab| )/.test(event.key);
  }
  if (target instanceof HTMLInputElement || target instanceof HTMLSelectElement || target.isContentEditable) return true;
  // a button chosen by Tab is pressed by Space; one that was clicked is not
  const isControl = target instanceof HTMLButtonElement || target.tagName === "SUMMARY";
  return isControl && (event.key === "Enter" || (event.key === " " && target.matches(":focus-visible")));
}

/** Does what a key is for; whether it is for something. */
function act(key: string, studio: Studio, hands: Hands, others: Others): boolean {
  const lower = key.toLowerCase();
  if (key.startsWith("Arrow")) {
    arrow(key, studio, hands);
    return true;
  }
  const tool = TOOL_KEYS[lower];
  if (tool) {
    if (studio.selected) void use(studio, tool, studio.selected, [0, 0, 0]);
    else studio.say("Select a link first, with the arrow keys or a click.", "note");
    return true;
  }
  const acts: Record<string, () => void> = {
    " ": () => void studio.play(!studio.playing),
    ".": () => void studio.step(),
    ",": () => back(studio),
    home: () => void studio.restart(),
    "[": () => studio.setPace(studio.pace / Math.SQRT2),
    "]": () => studio.setPace(studio.pace * Math.SQRT2),
    d: () => hands.toggleHold(),
    f: () => studio.setDisplay({ follow: !studio.display.follow }),
    v: () => others.frameFigure(),
    g: () => studio.setDisplay({ ghost: !studio.display.ghost }),
    t: () => others.theme(),
    "/": () => others.search(),
    "?": () => others.help(),
    escape: () => {
      hands.release();
      studio.first = null;
      studio.emit("tool");
      others.escape();
    },
  };
  acts[lower]?.();
  return lower in acts;
}

function back(studio: Studio) {
  const shown = studio.shown();
  if (shown) studio.look(shown.frame.step - 1);
}

function arrow(key: string, studio: Studio, hands: Hands) {
  if (hands.isHolding) {
    const [right, up] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[key] ?? [0, 0];
    hands.nudge(right! * NUDGE, up! * NUDGE);
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
