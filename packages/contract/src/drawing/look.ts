export type Rgb = readonly [red: number, green: number, blue: number]

/** A color matrix. Gray stays gray if the sum of each row is 1. */
export type Rows = readonly [Rgb, Rgb, Rgb]

/** The values of a curve at 0, 64, 128, 192, and 255. The interpolation is smooth and never overshoots. */
export type Curve = readonly [number, number, number, number, number]

/** How a solid color blends with the image, with the names and formulas of CSS (W3C Compositing 1, section 10). */
export type SolidBlend =
  | 'normal'
  | 'multiply'
  | 'screen'
  | 'overlay'
  | 'soft-light'
  | 'lighten'
  | 'darken'
  | 'exclusion'
  | 'color-dodge'
  | 'color'

/**
 * A color change. `brightness`, `contrast`, `saturate`, `sepia`, and `hue-rotate` are CSS filter functions (W3C Filter
 * Effects 1, section 13): 1 leaves the first three unchanged, 0 the last two.
 */
export type LookStep =
  | { step: 'curves'; all?: Curve; red?: Curve; green?: Curve; blue?: Curve }
  | { step: 'matrix'; rows: Rows }
  | { step: 'brightness'; amount: number }
  | { step: 'contrast'; amount: number }
  | { step: 'saturate'; amount: number }
  | { step: 'sepia'; amount: number }
  | { step: 'hue-rotate'; degrees: number }
  | { step: 'solid'; color: Rgb; opacity: number; blend: SolidBlend }

/** The strength of a radial layer by distance: 0 is the center of the frame, 1 its corners. */
export type RadialEnd = { at: number; opacity: number }

/** An elliptical layer over the frame, after the steps. Its opacity changes smoothly from `inner` to `outer`. */
export type RadialLayer = { blend: 'normal' | 'multiply' | 'screen'; color: Rgb; inner: RadialEnd; outer: RadialEnd }

export type Look = { steps: readonly LookStep[]; radials: readonly RadialLayer[] }
