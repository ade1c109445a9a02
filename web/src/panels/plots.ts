// Live plots of the measures: ground force, energy, torques.

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { make } from "../dom";
import type { Frame } from "../protocol";
import type { Studio } from "../studio";
import { SERIES } from "../view/palette";
import type { Panel } from "./panel";
import { short } from "./panel";

/** Time span, s. */
const SPAN = 8;
/** Smaller numbers are rounding errors. */
const ROUNDING = 1e-9;

export const plotsPanel: Panel = {
  id: "plots",
  title: "Plots",
  isOpen: true,
  build(studio, isShown) {
    const home = make("div", { class: "plots" });
    let plots: { plot: uPlot; value: HTMLElement }[] = [];
    let key = "";
    const rebuild = (frame: Frame) => {
      const next = JSON.stringify([frame.measures.map((m) => m.name), document.documentElement.dataset.theme]);
      if (next === key) return;
      key = next;
      for (const { plot } of plots) plot.destroy();
      home.replaceChildren();
      plots = frame.measures.map((measure, i) => {
        const value = make("output", { class: "number" });
        const head = make("div", { class: "plot-head" }, make("span", {}, measure.name), value);
        const box = make("div", { class: "plot", role: "img", "aria-label": `${measure.name} over time` }, head);
        home.append(box);
        return { plot: makePlot(box, measure.unit, SERIES[i % SERIES.length]!), value };
      });
    };
    studio.on("pulse", () => {
      const shown = studio.shown();
      if (!shown || !isShown() || home.clientWidth === 0) return;
      rebuild(shown.frame);
      draw(studio, shown.frame, plots);
    });
    new ResizeObserver(() => {
      for (const { plot } of plots) plot.setSize({ width: Math.max(120, home.clientWidth), height: 92 });
    }).observe(home);
    return home;
  },
};

function makePlot(home: HTMLElement, unit: string, colour: string): uPlot {
  const style = getComputedStyle(document.documentElement);
  const [text, line] = [style.getPropertyValue("--quiet").trim(), style.getPropertyValue("--line").trim()];
  const axis = { stroke: text, grid: { stroke: line, width: 1 }, ticks: { show: false }, font: "10px system-ui", gap: 2 };
  const options: uPlot.Options = {
    width: Math.max(120, home.clientWidth), height: 92, legend: { show: false }, cursor: { show: false },
    padding: [6, 6, 0, 0],
    scales: { x: { time: false }, y: { range: (_, low, high) => span(low, high) } },
    axes: [
      { ...axis, size: 22, space: 50, values: (_, all) => all.map((v) => `${v} s`) },
      { ...axis, size: 44, space: 24, values: (_, all) => all.map((v) => compact(v)) },
    ],
    series: [{}, { stroke: colour, width: 1.5, label: unit, points: { show: false } }],
  };
  return new uPlot(options, [[], []], home);
}

/** Bounds of an axis; rounding errors become a flat line. */
function span(low: number | null, high: number | null): [number, number] {
  if (low === null || high === null || Math.max(Math.abs(low), Math.abs(high)) < ROUNDING) return [-1, 1];
  const margin = Math.max(0.08 * (high - low), 1e-6 * Math.max(Math.abs(low), Math.abs(high)));
  return [low === 0 ? 0 : low - margin, high + margin];
}

function compact(value: number): string {
  const size = Math.abs(value);
  if (size >= 10_000) return `${(value / 1000).toFixed(0)}k`;
  if (size !== 0 && size < 0.001) return value.toExponential(0);
  return String(Number(value.toPrecision(4)));
}

function draw(studio: Studio, frame: Frame, plots: { plot: uPlot; value: HTMLElement }[]) {
  const { frames } = studio.history;
  const from = frame.time - SPAN;
  let first = frames.length - 1;
  while (first > 0 && frames[first - 1]!.time >= from) first -= 1;
  const visible = frames.slice(Math.max(0, first)).filter((f) => f.time <= frame.time);
  const times = visible.map((f) => f.time);
  plots.forEach(({ plot, value }, i) => {
    plot.setData([times, visible.map((f) => f.measures[i]?.value ?? null)]);
    const measure = frame.measures[i];
    if (measure) value.textContent = Math.abs(measure.value) < ROUNDING ? `0 ${measure.unit}` : `${short(measure.value)} ${measure.unit}`;
  });
}
