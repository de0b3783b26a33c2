export type Rgb = readonly [red: number, green: number, blue: number]

/** A color matrix with a row for each output channel. If the sum of each row is 1, gray stays gray. */
export type Rows = readonly [Rgb, Rgb, Rgb]

/** The outputs of a tone curve for the inputs 0, 64, 128, 192, and 255. The curve is smooth and never overshoots. */
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

/** One color change. Amounts and degrees are as in the CSS filter functions (W3C Filter Effects 1). */
export type LookStep =
  | { step: 'curves'; all?: Curve; red?: Curve; green?: Curve; blue?: Curve }
  | { step: 'matrix'; rows: Rows }
  | { step: 'brightness'; amount: number }
  | { step: 'contrast'; amount: number }
  | { step: 'saturate'; amount: number }
  | { step: 'sepia'; amount: number }
  | { step: 'hue-rotate'; degrees: number }
  | { step: 'solid'; color: Rgb; opacity: number; blend: SolidBlend }

/** An opacity at a distance from the center. Distance 0 is the frame's center, and 1 its corners. */
type RadialEnd = { at: number; opacity: number }

/** An elliptical layer that is drawn after the steps of a filter. Its opacity changes from `inner` to `outer`. */
export type RadialLayer = { blend: 'normal' | 'multiply' | 'screen'; color: Rgb; inner: RadialEnd; outer: RadialEnd }

export type Look = { steps: readonly LookStep[]; radials: readonly RadialLayer[] }
