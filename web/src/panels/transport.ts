// Transport: play and pause, single steps, pace, and the timeline with contacts and events.

import { icon, iconButton, make } from "../dom";
import type { Studio } from "../studio";
import { FORCE, css } from "../view/palette";

/** Half the width of the slider thumb, pixels. */
const THUMB = 8;

export function buildTransport(studio: Studio): HTMLElement {
  const play = iconButton("play", "Play", () => void studio.play(!studio.playing), "Space");
  play.id = "play";
  play.classList.add("main");
  const line = make("input", { type: "range", id: "timeline", min: 0, max: 1, value: 1, step: 1, "aria-label": "Timeline" });
  const marks = make("canvas", { class: "marks", "aria-hidden": "true" });
  const clock = make("output", { class: "clock number" });
  const state = make("span", { class: "state quiet" });
  const pace = make("input", {
    type: "range", id: "pace", min: Math.log(0.05), max: Math.log(2), step: 0.01, value: 0, "aria-label": "Pace",
  });
  const paceText = make("output", { class: "number pace-text" });

  line.addEventListener("input", () => studio.showStep(Number(line.value)));
  line.addEventListener("pointermove", (event) => {
    const [first, last] = [Number(line.min), Number(line.max)];
    const step = first + ((event.offsetX - THUMB) / (line.clientWidth - 2 * THUMB)) * (last - first);
    const reach = ((last - first) / line.clientWidth) * 6;
    const near = studio.history.marks.filter((m) => Math.abs(m.step - step) < reach);
    line.title = near.map((m) => m.message).join("\n");
  });
  pace.addEventListener("input", () => {
    const wanted = Math.exp(Number(pace.value));
    studio.setPace(Math.abs(Math.log(wanted)) < 0.06 ? 1 : wanted);
  });

  const showPlay = () => {
    play.replaceChildren(icon(studio.playing ? "pause" : "play"));
    play.setAttribute("aria-label", studio.playing ? "Pause" : "Play");
    pace.value = String(Math.log(studio.pace));
    paceText.textContent = `${studio.pace.toFixed(2)}×`;
    pace.setAttribute("aria-valuetext", `${studio.pace.toFixed(2)} times real time`);
  };
  const showTime = () => {
    const shown = studio.shown();
    if (!shown || !studio.frame) return;
    const [first, last] = [studio.history.first(), studio.frame.step];
    line.min = String(first);
    line.max = String(Math.max(last, first + 1));
    line.value = String(shown.frame.step);
    line.setAttribute("aria-valuetext", `${shown.frame.time.toFixed(2)} seconds`);
    clock.textContent = `${shown.frame.time.toFixed(2)} s`;
    const isSlow = studio.playing && studio.speed > 0 && studio.speed < 0.9 * studio.pace;
    state.textContent = studio.pastFrame ? "looking back" : !studio.playing ? "paused"
      : isSlow ? `actual ${studio.speed.toFixed(2)}×` : "";
    drawMarks(marks, studio, first, Math.max(last, first + 1));
  };
  studio.on("play", () => (showPlay(), showTime()));
  studio.on("pulse", showTime);
  studio.on("opened", showTime);
  showPlay();
  return make(
    "footer", { class: "transport", role: "group", "aria-label": "Transport" },
    iconButton("restart", "Back to the start", () => void studio.restart(), "Home"),
    play,
    iconButton("step", "Single step", () => void studio.step(), "."),
    clock,
    make("div", { class: "timeline" }, marks, line),
    state,
    make("label", { class: "pace" }, make("span", {}, "Pace"), pace, paceText),
  );
}

/** A bar where there is contact, and a tick for each event. */
function drawMarks(canvas: HTMLCanvasElement, studio: Studio, first: number, last: number) {
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  if (width === 0) return;
  const density = Math.min(window.devicePixelRatio, 2);
  canvas.width = width * density;
  canvas.height = height * density;
  const pen = canvas.getContext("2d")!;
  pen.scale(density, density);
  const x = (step: number) => THUMB + ((step - first) / (last - first)) * (width - 2 * THUMB);
  const { frames } = studio.history;
  pen.fillStyle = css(FORCE.contact);
  const stride = Math.max(1, Math.floor(frames.length / width));
  for (let i = 0; i + stride < frames.length; i += stride) {
    const n = frames[i]!.arrows.filter((a) => a.kind === "contact").length;
    if (n === 0) continue;
    pen.globalAlpha = Math.min(1, 0.25 + 0.2 * n);
    const [from, to] = [x(frames[i]!.step), x(frames[i + stride]!.step)];
    pen.fillRect(from, height - 4, Math.max(0.5, to - from), 4);
  }
  pen.globalAlpha = 1;
  pen.fillStyle = css(FORCE.user);
  for (const mark of studio.history.marks) pen.fillRect(x(mark.step) - 1, 0, 2, 8);
}
