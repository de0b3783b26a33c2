import type { Curve, LookStep, Rgb, Rows, SolidBlend } from '@mediamill/contract/drawing/look'

/** Changes a color in place. Channels are 0 to 1. */
type ColorChange = (color: [number, number, number]) => void

const clamp = (value: number) => Math.min(1, Math.max(0, value))

export function colorChange(step: LookStep): ColorChange {
  switch (step.step) {
    case 'curves':
      return curves(step.all, [step.red, step.green, step.blue])
    case 'matrix':
      return matrix(step.rows)
    case 'brightness':
      return eachPart((value) => value * step.amount)
    case 'contrast':
      return eachPart((value) => (value - 0.5) * step.amount + 0.5)
    case 'saturate':
      return matrix(mixRows(LUMINANCE_ROWS, step.amount))
    case 'sepia':
      return matrix(mixRows(SEPIA_ROWS, 1 - step.amount))
    case 'hue-rotate':
      return matrix(hueRows(step.degrees))
    case 'solid':
      return solid(step.color, step.opacity, step.blend)
  }
}

// The luminance weights and the sepia matrix of W3C Filter Effects 1.
const LUMINANCE: Rgb = [0.213, 0.715, 0.072]
const LUMINANCE_ROWS: Rows = [LUMINANCE, LUMINANCE, LUMINANCE]
const SEPIA_ROWS: Rows = [
  [0.393, 0.769, 0.189],
  [0.349, 0.686, 0.168],
  [0.272, 0.534, 0.131],
]
const IDENTITY: Rows = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
]

/** Mixes `rows` with the identity matrix: `kept` is the share of the identity; above 1, extrapolates. */
function mixRows(rows: Rows, kept: number): Rows {
  const part = (row: 0 | 1 | 2, column: 0 | 1 | 2) => rows[row][column] * (1 - kept) + IDENTITY[row][column] * kept
  const line = (row: 0 | 1 | 2): Rgb => [part(row, 0), part(row, 1), part(row, 2)]
  return [line(0), line(1), line(2)]
}

function hueRows(degrees: number): Rows {
  const cos = Math.cos((degrees * Math.PI) / 180)
  const sin = Math.sin((degrees * Math.PI) / 180)
  return [
    [0.213 + cos * 0.787 - sin * 0.213, 0.715 - cos * 0.715 - sin * 0.715, 0.072 - cos * 0.072 + sin * 0.928],
    [0.213 - cos * 0.213 + sin * 0.143, 0.715 + cos * 0.285 + sin * 0.14, 0.072 - cos * 0.072 - sin * 0.283],
    [0.213 - cos * 0.213 - sin * 0.787, 0.715 - cos * 0.715 + sin * 0.715, 0.072 + cos * 0.928 + sin * 0.072],
  ]
}

function matrix([red, green, blue]: Rows): ColorChange {
  return (color) => {
    const [r, g, b] = color
    color[0] = clamp(red[0] * r + red[1] * g + red[2] * b)
    color[1] = clamp(green[0] * r + green[1] * g + green[2] * b)
    color[2] = clamp(blue[0] * r + blue[1] * g + blue[2] * b)
  }
}

function eachPart(change: (value: number) => number): ColorChange {
  return (color) => {
    color[0] = clamp(change(color[0]))
    color[1] = clamp(change(color[1]))
    color[2] = clamp(change(color[2]))
  }
}

function curves(all: Curve | undefined, parts: readonly (Curve | undefined)[]): ColorChange {
  const whole = curveThrough(all)
  const [red, green, blue] = parts.map(curveThrough)
  return (color) => {
    color[0] = clamp(red?.(whole(color[0])) ?? 0)
    color[1] = clamp(green?.(whole(color[1])) ?? 0)
    color[2] = clamp(blue?.(whole(color[2])) ?? 0)
  }
}

const CURVE_INPUTS = [0, 64, 128, 192, 255]

/** Returns a monotone cubic curve (Fritsch and Carlson, 1980): the curve never falls if the points rise. */
function curveThrough(points: Curve | undefined): (value: number) => number {
  if (points === undefined) return (value) => value
  const knots = points.map((output, index) => ({ x: (CURVE_INPUTS[index] ?? 0) / 255, y: output / 255, tangent: 0 }))
  for (const [index, knot] of knots.entries()) {
    const before = slope(knots[index - 1], knot)
    const after = slope(knot, knots[index + 1])
    if (before === undefined || after === undefined) knot.tangent = before ?? after ?? 0
    else knot.tangent = before * after <= 0 ? 0 : (2 * before * after) / (before + after)
  }
  return (value) => {
    const right = knots.findIndex((knot) => knot.x >= value)
    const to = knots[right === -1 ? knots.length - 1 : right]
    const from = knots[right - 1]
    if (to === undefined) return value
    if (from === undefined) return to.y
    const span = to.x - from.x
    const t = (value - from.x) / span
    const [t2, t3] = [t * t, t * t * t]
    return (
      (2 * t3 - 3 * t2 + 1) * from.y +
      (t3 - 2 * t2 + t) * span * from.tangent +
      (3 * t2 - 2 * t3) * to.y +
      (t3 - t2) * span * to.tangent
    )
  }
}

type Knot = { x: number; y: number }

function slope(from: Knot | undefined, to: Knot | undefined): number | undefined {
  return from === undefined || to === undefined ? undefined : (to.y - from.y) / (to.x - from.x)
}

function solid(layer: Rgb, opacity: number, blend: SolidBlend): ColorChange {
  const top: Rgb = [layer[0] / 255, layer[1] / 255, layer[2] / 255]
  const mix = (under: number, blended: number) => clamp(under + (blended - under) * opacity)
  if (blend === 'color') {
    return (color) => {
      const blended = withLuminance(top, luminance(color))
      color[0] = mix(color[0], blended[0])
      color[1] = mix(color[1], blended[1])
      color[2] = mix(color[2], blended[2])
    }
  }
  const part = SEPARABLE[blend]
  return (color) => {
    color[0] = mix(color[0], part(color[0], top[0]))
    color[1] = mix(color[1], part(color[1], top[1]))
    color[2] = mix(color[2], part(color[2], top[2]))
  }
}

/** The separable blend modes of W3C Compositing 1, section 10.1. `under` is the image, and `top` is the color. */
const SEPARABLE: Record<Exclude<SolidBlend, 'color'>, (under: number, top: number) => number> = {
  normal: (_under, top) => top,
  multiply: (under, top) => under * top,
  screen: (under, top) => under + top - under * top,
  overlay: (under, top) => (under <= 0.5 ? 2 * under * top : 1 - 2 * (1 - under) * (1 - top)),
  'soft-light': (under, top) => {
    if (top <= 0.5) return under - (1 - 2 * top) * under * (1 - under)
    const bright = under <= 0.25 ? ((16 * under - 12) * under + 4) * under : Math.sqrt(under)
    return under + (2 * top - 1) * (bright - under)
  },
  lighten: (under, top) => Math.max(under, top),
  darken: (under, top) => Math.min(under, top),
  exclusion: (under, top) => under + top - 2 * under * top,
  'color-dodge': (under, top) => (under === 0 ? 0 : top >= 1 ? 1 : Math.min(1, under / (1 - top))),
}

const luminance = ([red, green, blue]: Rgb) => 0.3 * red + 0.59 * green + 0.11 * blue

/** Changes the luminance of a color to `target` (`SetLum` and `ClipColor` of W3C Compositing 1, section 10.2). */
function withLuminance(color: Rgb, target: number): Rgb {
  const shift = target - luminance(color)
  const shifted: Rgb = [color[0] + shift, color[1] + shift, color[2] + shift]
  const [min, max] = [Math.min(...shifted), Math.max(...shifted)]
  const clip = (value: number) => {
    if (min < 0) return target + ((value - target) * target) / (target - min)
    if (max > 1) return target + ((value - target) * (1 - target)) / (max - target)
    return value
  }
  return [clip(shifted[0]), clip(shifted[1]), clip(shifted[2])]
}
