// Helpers for DOM elements.

type Attributes = Record<string, string | number | boolean | ((event: Event) => void) | undefined>;

/** Creates an element with attributes, `on...` listeners and children. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Attributes = {}, ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== undefined && value !== false) element.setAttribute(name, String(value));
  }
  element.append(...children);
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

/** SVG paths in a 24 by 24 box. */
const ICONS: Record<string, string> = {
  play: "M7 4v16l13-8z",
  pause: "M6 4h4v16H6zM14 4h4v16h-4z",
  step: "M5 4v16l9-8zM16 4h3v16h-3z",
  restart: "M5 4h3v16H5zM20 4v16l-11-8z",
  undo: "M9 5 4 10l5 5v-3.5h5a3.5 3.5 0 0 1 0 7H8V21h6a6 6 0 0 0 0-12H9z",
  drag: "M11 2h2v6.2l1.5-.2c.9 0 1.5.6 1.5 1.3l1.6-.1c.8.1 1.4.7 1.4 1.5V16c0 3.6-2.2 6-5.6 6h-1.2c-2 0-3.2-.8-4.3-2.3L4.6 15c-.5-.8-.2-1.6.4-2 .7-.5 1.5-.3 2.1.3L9 15.2V4a2 2 0 0 1 2-2z",
  push: "M3 10h10V5l8 7-8 7v-5H3z",
  pin: "M14 2l8 8-2 1-3-.5-4 4 .3 4-1.8 1.5-4.2-4.2L3 20l-1 .9.9-1L7 15l-4.2-4.2L4.3 9l4 .3 4-4-.5-3z",
  connect: "M8 7a5 5 0 0 0 0 10h3v-2.5H8a2.5 2.5 0 0 1 0-5h3V7zM16 7h-3v2.5h3a2.5 2.5 0 0 1 0 5h-3V17h3a5 5 0 0 0 0-10zM8 10.8h8v2.4H8z",
  lock: "M12 2a5 5 0 0 0-5 5v3H5v12h14V10h-2V7a5 5 0 0 0-5-5zm-2.5 8V7a2.5 2.5 0 0 1 5 0v3z",
  cut: "M9.6 8.2A4 4 0 1 0 8.2 9.6L10.6 12l-2.4 2.4a4 4 0 1 0 1.4 1.4L12 13.4l7 7h3v-1zM6 8a2 2 0 1 1 0-4 2 2 0 0 1 0 4zm0 12a2 2 0 1 1 0-4 2 2 0 0 1 0 4zM19 3l-6 6 2 2 7-7V3z",
  root: "M12 2a3 3 0 0 1 1.2 5.8V11H19v5.2a3 3 0 1 1-2 0V13h-4v3.2a3 3 0 1 1-2 0V13H7v3.2a3 3 0 1 1-2 0V11h5.8V7.8A3 3 0 0 1 12 2z",
  theme: "M12 3a9 9 0 1 0 0 18zM12 1a11 11 0 1 1 0 22 11 11 0 0 1 0-22z",
  help: "M12 1a11 11 0 1 0 0 22 11 11 0 0 0 0-22zm-1.2 17v-2.4h2.4V18zm2.4-4.2h-2.4c0-3.3 2.7-3.4 2.7-5.2 0-.9-.7-1.5-1.6-1.5-1 0-1.7.7-1.7 1.8H7.8C7.8 6.4 9.5 4.8 12 4.8c2.4 0 4.2 1.4 4.2 3.7 0 2.7-3 3-3 5.3z",
  file: "M5 2h9l5 5v15H5zm8 1.5V8h4.5zM11 11v5H8.5l3.5 4 3.5-4H13v-5z",
  open: "M2 4h8l2 2h10v14H2zm2 4v10h16V8z",
  picture: "M3 5h4l2-2h6l2 2h4v15H3zm9 3a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zm0 2a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5z",
  library: "M4 4h5v16H4zM10.5 4h4v16h-4zM16 5l3.8-1L22 19l-3.8 1z",
  panels: "M3 4h18v16H3zm2 2v12h8V6zm10 0v3h4V6zm0 5v3h4v-3z",
  aim: "M11 1h2v4.1A7 7 0 0 1 18.9 11H23v2h-4.1A7 7 0 0 1 13 18.9V23h-2v-4.1A7 7 0 0 1 5.1 13H1v-2h4.1A7 7 0 0 1 11 5.1zm1 6a5 5 0 1 0 0 10 5 5 0 0 0 0-10z",
  close: "M5 3.5 12 10.5l7-7L20.5 5l-7 7 7 7-1.5 1.5-7-7-7 7L3.5 19l7-7-7-7z",
};

export function icon(name: string): SVGSVGElement {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("class", "icon");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", ICONS[name] ?? "");
  path.setAttribute("fill-rule", "evenodd");
  svg.append(path);
  return svg;
}

/** A button with an icon; its label is the tooltip and the accessible name. */
export function iconButton(name: string, label: string, act: () => void, key?: string): HTMLButtonElement {
  const title = key ? `${label} (${key})` : label;
  return make("button", { class: "icon-button", type: "button", title, "aria-label": label, onclick: act }, icon(name));
}

/** Downloads a file. */
export function download(name: string, content: Blob) {
  const link = make("a", { href: URL.createObjectURL(content), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
