// Colours of the view, light and dark. The page's own colours are in style.css.

export interface Palette {
  background: number;
  floor: string;
  line: string;
  strongLine: string;
  trunk: number;
  left: number;
  right: number;
  things: number;
  ghost: number;
  selected: number;
  sun: number;
  sky: number;
}

export const LIGHT: Palette = {
  background: 0xe9edf2, floor: "#dfe4ea", line: "#c9d0d9", strongLine: "#aeb8c4",
  trunk: 0xe8d9c5, left: 0x8fb4d8, right: 0xe5a98a, things: 0xb08d63, ghost: 0x3b6fd4, selected: 0xf5b301,
  sun: 2.6, sky: 1.25,
};

export const DARK: Palette = {
  background: 0x171b22, floor: "#2c323a", line: "#3b434e", strongLine: "#566070",
  trunk: 0xd9c9b4, left: 0x7ea6cf, right: 0xd9987a, things: 0x9c7b55, ghost: 0x7fa8ff, selected: 0xf5b301,
  sun: 2.0, sky: 1.0,
};

/** Forces and points, the same by day and by night; style.css has them for the legend. */
export const FORCE = { contact: 0x16a34a, connection: 0x9333ea, hand: 0xea580c };
export const CENTER = 0xfacc15;
export const PRESSURE = 0xdc2626;
