export type Rgb = readonly [red: number, green: number, blue: number]

/** A color matrix. Gray stays gray if the sum of each row is 1. */
export type Rows = readonly [Rgb, Rgb, Rgb]

/** The values of a tone curve at 0, 64, 128, 192, and 255. The smooth interpolation never overshoots. */
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
 * One color change: CSS filter functions (W3C Filter Effects 1, section 13), where 1, 1, 1, 0, and 0 change nothing.
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

/** A radial layer's opacity at a distance from the center: 0 is the center of the frame, and 1 its corners. */
export type RadialEnd = { at: number; opacity: number }

/** An elliptical layer over the frame, after the steps of a look. Its opacity changes from `inner` to `outer`. */
export type RadialLayer = { blend: 'normal' | 'multiply' | 'screen'; color: Rgb; inner: RadialEnd; outer: RadialEnd }

export type Look = { steps: readonly LookStep[]; radials: readonly RadialLayer[] }
