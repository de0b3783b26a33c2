import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Xyz } from '@mediamill/media/formats/icc-profile'
import { SRGB_COLORANTS } from '@mediamill/media/formats/icc-profile'
import type { Matrix } from './chromaticities.ts'
import { colorantsOf, fromWhite, toSrgbLight } from './chromaticities.ts'

const D65 = [0.3127, 0.329] as const
const SRGB = { white: D65, red: [0.64, 0.33], green: [0.3, 0.6], blue: [0.15, 0.06] } as const
const P3 = { white: D65, red: [0.68, 0.32], green: [0.265, 0.69], blue: [0.15, 0.06] } as const

/** The published primaries of Display P3 in XYZ, adapted to D50. */
const P3_COLORANTS: Matrix = [
  [0.51512, 0.2412, -0.00105],
  [0.29198, 0.69225, 0.04189],
  [0.1571, 0.06657, 0.78407],
]

/** The published matrix for linear light. */
const P3_TO_SRGB: Matrix = [
  [1.2249, -0.2247, 0],
  [-0.042, 1.0419, 0],
  [-0.0197, -0.0786, 1.0979],
]

function assertNear(actual: Matrix | undefined, expected: Matrix): void {
  assert.ok(actual)
  const off = actual.flatMap((row, index) => row.map((value, at) => Math.abs(value - (expected[index]?.[at] ?? 9))))
  assert.ok(Math.max(...off) < 0.001, JSON.stringify(actual))
}

const applied = (matrix: Matrix, [x, y, z]: Xyz) => matrix.map(([a, b, c]) => a * x + b * y + c * z)

test('the colorants computed from the primaries and white point of sRGB and Display P3 equal the published colorants', () => {
  assertNear(colorantsOf(SRGB), SRGB_COLORANTS)
  assertNear(colorantsOf(P3), P3_COLORANTS)
})

test('chromaticities without light, on one line, or outside the chromaticity diagram are rejected', () => {
  const invalid = [
    { ...SRGB, green: SRGB.red },
    { ...SRGB, blue: [0.15, 0] as const },
    { ...SRGB, white: [1.1, 0.3] as const },
  ]
  for (const one of invalid) assert.equal(colorantsOf(one), undefined)
})

test('the matrix from linear Display P3 to linear sRGB equals the published matrix', () => {
  assertNear(toSrgbLight(P3_COLORANTS), P3_TO_SRGB)
})

test('each white point becomes white in linear sRGB', () => {
  for (const white of [[0.9642, 1, 0.82491] as const, [0.95047, 1, 1.08883] as const]) {
    const rgb = applied(fromWhite(white), white)
    assert.ok(Math.max(...rgb.map((value) => Math.abs(value - 1))) < 0.001, `${rgb}`)
  }
})
