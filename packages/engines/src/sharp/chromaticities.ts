import type { Colorants, Xyz } from '@mediamill/media/formats/icc-profile'
import { SRGB_COLORANTS } from '@mediamill/media/formats/icc-profile'

type Point = readonly [x: number, y: number]

type Chromaticities = { white: Point; red: Point; green: Point; blue: Point }

export type Matrix = readonly [Xyz, Xyz, Xyz]

/** Converts XYZ to Bradford's cone responses. */
const BRADFORD: Matrix = [
  [0.8951, 0.2664, -0.1614],
  [-0.7502, 1.7135, 0.0367],
  [0.0389, -0.0685, 1.0296],
]

const D50: Xyz = [0.9642, 1, 0.82491]

/**
 * Converts primaries to XYZ, adapted to D50 (Bradford). Returns `undefined` if the primaries are invalid, collinear, or
 * without light.
 */
export function colorantsOf({ white, red, green, blue }: Chromaticities): Colorants | undefined {
  const points = [white, red, green, blue]
  if (!points.every(([x, y]) => x >= 0 && x <= 1 && y > 0 && y <= 1)) return undefined
  const whiteXyz = xyzOf(white)
  const primaries = columns(xyzOf(red), xyzOf(green), xyzOf(blue))
  const unmixed = invert(primaries)
  if (unmixed === undefined) return undefined
  const [r, g, b] = times(unmixed, whiteXyz)
  const toD50 = adaptation(whiteXyz)
  if (toD50 === undefined) return undefined
  const scaled = (point: Point, light: number): Xyz => {
    const [x, y, z] = xyzOf(point)
    return times(toD50, [x * light, y * light, z * light])
  }
  return [scaled(red, r), scaled(green, g), scaled(blue, b)]
}

export const toSrgbLight = (colorants: Colorants): Matrix => product(xyzToSrgb(), columns(...colorants))

export function fromWhite(white: Xyz): Matrix {
  const toD50 = adaptation(white)
  if (toD50 === undefined) throw new RangeError('the white point has no light')
  return product(xyzToSrgb(), toD50)
}

function xyzToSrgb(): Matrix {
  const inverse = invert(columns(...SRGB_COLORANTS))
  if (inverse === undefined) throw new RangeError('the colorants of sRGB are collinear')
  return inverse
}

const xyzOf = ([x, y]: Point): Xyz => [x / y, 1, (1 - x - y) / y]

function adaptation(white: Xyz): Matrix | undefined {
  const back = invert(BRADFORD)
  const seen = times(BRADFORD, white)
  const meant = times(BRADFORD, D50)
  if (back === undefined || seen.some((response) => response === 0)) return undefined
  const gain = (index: 0 | 1 | 2): Xyz => {
    const [l, m, s] = BRADFORD[index]
    const factor = meant[index] / seen[index]
    return [l * factor, m * factor, s * factor]
  }
  return product(back, [gain(0), gain(1), gain(2)])
}

const columns = (a: Xyz, b: Xyz, c: Xyz): Matrix => [
  [a[0], b[0], c[0]],
  [a[1], b[1], c[1]],
  [a[2], b[2], c[2]],
]

const dot = (a: Xyz, b: Xyz) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2]

const times = ([first, second, third]: Matrix, vector: Xyz): Xyz => [
  dot(first, vector),
  dot(second, vector),
  dot(third, vector),
]

function product(left: Matrix, right: Matrix): Matrix {
  const [a, b, c] = columns(...right)
  return columns(times(left, a), times(left, b), times(left, c))
}

const cross = (a: Xyz, b: Xyz): Xyz => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]

function invert([a, b, c]: Matrix): Matrix | undefined {
  const determinant = dot(a, cross(b, c))
  if (Math.abs(determinant) < 1e-9) return undefined
  const scaled = ([x, y, z]: Xyz): Xyz => [x / determinant, y / determinant, z / determinant]
  return columns(scaled(cross(b, c)), scaled(cross(c, a)), scaled(cross(a, b)))
}
