/** Red, green and blue, each 0 to 255. */
export type Rgb = readonly [red: number, green: number, blue: number]

/** Red, green and blue out, each out of red, green and blue in. Grey stays grey where a row's sum is 1. */
export type Rows = readonly [Rgb, Rgb, Rgb]

/**
 * A curve by the values that 0, 64, 128, 192 and 255 become. The line through these points is smooth and never
 * overshoots.
 */
export type Curve = readonly [number, number, number, number, number]

/** How a solid colour meets the picture. The names and formulas are those of CSS (W3C Compositing 1, section 10). */
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
 * One change of colour that does not depend on where the pixel lies.
 *
 * `brightness`, `contrast`, `saturate`, `sepia` and `hue-rotate` mean what the CSS filter functions of that name mean
 * (W3C Filter Effects 1, section 13): 1 leaves the first three unchanged, 0 the last two.
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

/** The strength of a radial layer by distance. 0 is the middle of the frame, 1 its corners. */
export type RadialEnd = { at: number; opacity: number }

/**
 * An elliptical layer of one colour over the frame, after the steps. Vignettes use `multiply` or `normal`, glows
 * `screen`.
 *
 * Its opacity goes from `inner` to `outer` without a kink, and stays what it is inside the one and outside the other.
 */
export type RadialLayer = { blend: 'normal' | 'multiply' | 'screen'; color: Rgb; inner: RadialEnd; outer: RadialEnd }

/** The declaration of a named look. It has what is done to every colour, then what is laid over the frame. */
export type Look = { steps: readonly LookStep[]; radials: readonly RadialLayer[] }
