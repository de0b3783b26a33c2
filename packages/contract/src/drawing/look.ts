export type Rgb = readonly [red: number, green: number, blue: number]

/** A color matrix. Gray stays gray if the sum of each row is 1. */
export type Rows = readonly [Rgb, Rgb, Rgb]

/**
 * The output values of a tone curve for the inputs 0, 64, 128, 192, and 255. The interpolation between them is smooth
 * and never overshoots.
 */
export type Curve = readonly [number, number, number, number, number]

/** The blend mode of a solid color, with the names and formulas of CSS (W3C Compositing 1, section 10). */
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
 * One color change of a look. `brightness`, `contrast`, `saturate`, `sepia`, and `hue-rotate` are CSS filter functions
 * (W3C Filter Effects 1, section 13). No change: 1 for the first three functions, and 0 for the last two.
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

/**
 * The opacity of a radial layer at a distance from the center. `at` is 0 at the center of the frame, and 1 at its
 * corners.
 */
export type RadialEnd = { at: number; opacity: number }

/**
 * An elliptical layer that is drawn over the frame after the steps of a look. Its opacity changes smoothly from `inner`
 * to `outer`.
 */
export type RadialLayer = { blend: 'normal' | 'multiply' | 'screen'; color: Rgb; inner: RadialEnd; outer: RadialEnd }

export type Look = { steps: readonly LookStep[]; radials: readonly RadialLayer[] }
