import type { Curve, Look, LookStep, RadialLayer, Rgb } from './look.ts'

const BLACK: Rgb = [0, 0, 0]

const channels = (red: Curve, green: Curve, blue: Curve): LookStep => ({ step: 'curves', red, green, blue })

const vignette = (from: number, opacity: number, color: Rgb = BLACK): RadialLayer => ({
  blend: 'multiply',
  color,
  inner: { at: from, opacity: 0 },
  outer: { at: 1, opacity },
})

const glow = (color: Rgb, opacity: number, to: number): RadialLayer => ({
  blend: 'screen',
  color,
  inner: { at: 0, opacity },
  outer: { at: to, opacity: 0 },
})

export const LOOK_NAMES = [
  'amaro',
  'apollo',
  'brannan',
  'earlybird',
  'gotham',
  'hefe',
  'inkwell',
  'kelvin',
  'lomo',
  'nashville',
  'poprocket',
  'rise',
  'sierra',
  'toaster',
  'valencia',
  'walden',
  'willow',
  'xpro2',
] as const

export type LookName = (typeof LOOK_NAMES)[number]

export const LOOKS: Readonly<Record<LookName, Look>> = {
  // Bright center, blue in the lifted shadows, vivid colors, darker corners.
  amaro: {
    steps: [
      { step: 'hue-rotate', degrees: -8 },
      { step: 'saturate', amount: 1.35 },
      channels([18, 78, 158, 217, 250], [22, 86, 160, 215, 252], [52, 106, 158, 206, 240]),
    ],
    radials: [glow([255, 250, 235], 0.16, 0.9), vignette(0.12, 0.4, [10, 20, 50])],
  },

  // A bleached print: low contrast, cyan-green shadows, warm highlights.
  apollo: {
    steps: [
      { step: 'saturate', amount: 0.62 },
      channels([24, 74, 140, 200, 240], [46, 97, 158, 210, 248], [50, 90, 138, 182, 214]),
    ],
    radials: [vignette(0.15, 0.36, [0, 50, 45])],
  },

  // Bleach bypass: high contrast, a metallic gray-yellow, little color.
  brannan: {
    steps: [
      { step: 'sepia', amount: 0.35 },
      { step: 'saturate', amount: 0.62 },
      { step: 'contrast', amount: 1.42 },
      { step: 'solid', color: [161, 44, 199], opacity: 0.16, blend: 'lighten' },
      channels([34, 82, 133, 191, 250], [26, 80, 136, 193, 250], [40, 73, 112, 162, 214]),
    ],
    radials: [vignette(0.25, 0.25)],
  },

  // An old postcard: sepia warmth, faded highlights, brown corners.
  earlybird: {
    steps: [
      { step: 'sepia', amount: 0.5 },
      { step: 'contrast', amount: 0.95 },
      channels([30, 92, 152, 204, 252], [18, 73, 128, 182, 236], [20, 59, 100, 147, 196]),
    ],
    radials: [glow([255, 226, 170], 0.14, 0.9), vignette(0.12, 0.68, [52, 18, 8])],
  },

  // A city at night: nearly black and white, hard, cold blue shadows.
  gotham: {
    steps: [
      { step: 'saturate', amount: 0.12 },
      { step: 'contrast', amount: 1.28 },
      { step: 'brightness', amount: 0.94 },
      channels([0, 44, 122, 190, 246], [6, 54, 130, 195, 250], [30, 78, 148, 204, 252]),
    ],
    radials: [vignette(0.12, 0.41)],
  },

  // Golden and saturated, deep shadows, a strong dark frame.
  hefe: {
    steps: [
      { step: 'saturate', amount: 1.4 },
      { step: 'contrast', amount: 1.18 },
      channels([6, 71, 157, 214, 255], [0, 56, 130, 192, 244], [0, 36, 91, 150, 208]),
    ],
    radials: [vignette(0.12, 0.59, [30, 14, 0])],
  },

  // Black and white with deep blacks and clean whites.
  inkwell: {
    steps: [
      {
        step: 'matrix',
        rows: [
          [0.36, 0.5, 0.14],
          [0.36, 0.5, 0.14],
          [0.36, 0.5, 0.14],
        ],
      },
      {
        step: 'curves',
        all: [0, 52, 138, 212, 255],
      },
    ],
    radials: [],
  },

  // A hot afternoon: everything orange and glowing, purple shadows.
  kelvin: {
    steps: [
      { step: 'saturate', amount: 1.25 },
      { step: 'solid', color: [56, 44, 52], opacity: 0.85, blend: 'color-dodge' },
      { step: 'solid', color: [183, 125, 33], opacity: 0.8, blend: 'overlay' },
      channels([40, 122, 190, 226, 255], [12, 74, 134, 186, 234], [34, 63, 92, 121, 150]),
    ],
    radials: [],
  },

  // A plastic camera: oversaturated, high contrast, dark corners.
  lomo: {
    steps: [
      { step: 'saturate', amount: 1.55 },
      channels([0, 38, 138, 226, 255], [0, 46, 140, 220, 255], [14, 58, 126, 190, 240]),
    ],
    radials: [vignette(0.12, 0.63)],
  },

  // A sixties print: soft, pink and peach highlights, blue-violet lifted shadows.
  nashville: {
    steps: [
      { step: 'contrast', amount: 1.08 },
      { step: 'solid', color: [247, 176, 153], opacity: 0.45, blend: 'darken' },
      { step: 'solid', color: [0, 70, 150], opacity: 0.36, blend: 'lighten' },
      channels([38, 112, 176, 218, 255], [22, 83, 142, 193, 240], [74, 110, 146, 184, 222]),
    ],
    radials: [],
  },

  // Pop art: hot pink and cyan, a bright center, blue-violet edges.
  poprocket: {
    steps: [
      { step: 'saturate', amount: 1.45 },
      channels([24, 92, 192, 228, 255], [0, 44, 120, 186, 248], [66, 112, 164, 202, 236]),
    ],
    radials: [glow([255, 120, 150], 0.2, 0.95), vignette(0.12, 0.58, [50, 10, 130])],
  },

  // Candlelight: soft, golden, gentle on skin.
  rise: {
    steps: [
      { step: 'brightness', amount: 1.06 },
      { step: 'sepia', amount: 0.22 },
      { step: 'saturate', amount: 0.95 },
      channels([34, 103, 166, 213, 255], [26, 87, 146, 197, 244], [20, 66, 112, 159, 206]),
    ],
    radials: [glow([255, 214, 140], 0.2, 1), vignette(0.25, 0.27, [90, 40, 10])],
  },

  // Mountain haze: flat and soft, dusty rose highlights over gray-blue shadows.
  sierra: {
    steps: [
      { step: 'saturate', amount: 0.7 },
      { step: 'contrast', amount: 0.8 },
      channels([44, 96, 154, 204, 246], [40, 86, 140, 190, 230], [56, 96, 142, 184, 218]),
    ],
    radials: [glow([255, 235, 225], 0.12, 0.9), vignette(0.15, 0.32, [40, 30, 50])],
  },

  // A burned print: orange center, dark violet edges.
  toaster: {
    steps: [
      { step: 'contrast', amount: 1.3 },
      { step: 'brightness', amount: 0.92 },
      channels([46, 104, 160, 209, 255], [12, 58, 108, 171, 238], [30, 62, 96, 141, 190]),
    ],
    radials: [glow([200, 100, 10], 0.6, 1), vignette(0.12, 0.67, [56, 0, 70])],
  },

  // A faded album: warm, yellowish, lifted blacks.
  valencia: {
    steps: [
      { step: 'sepia', amount: 0.1 },
      { step: 'solid', color: [58, 3, 57], opacity: 0.4, blend: 'exclusion' },
      channels([36, 104, 172, 224, 255], [22, 80, 142, 192, 236], [34, 78, 122, 164, 200]),
    ],
    radials: [],
  },

  // Cool and bright: blue-green shadows, washed-out yellow highlights.
  walden: {
    steps: [
      { step: 'saturate', amount: 0.9 },
      { step: 'solid', color: [0, 68, 204], opacity: 0.18, blend: 'screen' },
      channels([10, 76, 143, 200, 250], [30, 92, 152, 205, 252], [58, 112, 162, 204, 224]),
    ],
    radials: [vignette(0.25, 0.2, [0, 20, 60])],
  },

  // Silver and rose: soft black and white with a touch of violet.
  willow: {
    steps: [
      {
        step: 'matrix',
        rows: [
          [0.25, 0.6, 0.15],
          [0.25, 0.6, 0.15],
          [0.25, 0.6, 0.15],
        ],
      },
      channels([48, 100, 150, 196, 240], [40, 91, 140, 185, 228], [50, 100, 148, 190, 230]),
    ],
    radials: [glow([212, 200, 206], 0.18, 0.95), vignette(0.2, 0.24, [60, 40, 60])],
  },

  // Cross-processed slide film: blue shadows, yellow-green highlights, high contrast, dark corners.
  xpro2: {
    steps: [
      { step: 'saturate', amount: 1.15 },
      channels([0, 42, 146, 224, 255], [6, 54, 146, 220, 250], [62, 88, 124, 156, 188]),
    ],
    radials: [vignette(0.12, 0.61, [20, 16, 60])],
  },
}
