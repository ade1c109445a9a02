// Colours of the viewport; those with a meaning are the same as in reports (crates/app/src/palette.rs). The colours of the
// page are in style.css.

export interface Palette {
  background: number;
  floor: string;
  line: string;
  strongLine: string;
  trunk: number;
  left: number;
  right: number;
  other: number;
  ghost: number;
  selected: number;
  sun: number;
  sky: number;
}

const LIMBS = { trunk: 0x8c919e, left: 0x4578b3, right: 0xdb804d, selected: 0xf5b301 };

export const LIGHT: Palette = {
  background: 0xe9edf2, floor: "#dfe4ea", line: "#c9d0d9", strongLine: "#aeb8c4",
  ...LIMBS, other: 0xb08d63, ghost: 0x64748b,
  sun: 2.6, sky: 1.25,
};

export const DARK: Palette = {
  background: 0x171b22, floor: "#2c323a", line: "#3b434e", strongLine: "#566070",
  ...LIMBS, other: 0x9c7b55, ghost: 0xb6c2d1,
  sun: 2.0, sky: 1.0,
};

/** Forces and markers, in both themes; style.css repeats them for the legend. */
export const FORCE = { contact: 0x009e73, connection: 0x9333ea, user: 0xea580c };
export const CENTER = 0xfacc15;
export const PRESSURE = 0xdc2626;

/** Curves of the plots. */
export const SERIES = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00"];

/** A colour for CSS and canvas. */
export function css(colour: number): string {
  return `#${colour.toString(16).padStart(6, "0")}`;
}
