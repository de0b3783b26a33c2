import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exposure } from './exposure.ts'

function tones(brightness: number, contrast: number): number[] {
  const [step] = exposure.image?.({ brightness, contrast }, { width: 1, height: 1, orientation: 1 }) ?? []
  assert.ok(step?.step === 'tones')
  return [...step.table]
}

const light = (value: number) => (value <= 10 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4)
const stopsBetween = (before: number, after: number) => Math.log2(light(after) / light(before))
/** The sRGB value of middle gray, 18 % of white's light: 255 × (1.055 × 0.18^(1/2.4) - 0.055) = 117.6. */
const MIDDLE = 118

test('a brightness of ±50 moves middle gray by one stop of light, and ±100 by two stops [operations.exposure.1]', () => {
  for (const brightness of [-100, -75, -50, -25, 25, 50, 75, 100]) {
    const stops = stopsBetween(MIDDLE, tones(brightness, 0)[MIDDLE] ?? 0)
    assert.ok(Math.abs(stops - brightness / 50) < 0.04, `${brightness}: ${stops}`)
  }
})

test('brightness changes linear light by a hyperbola that keeps black and white, and moves middle gray [operations.exposure.1]', () => {
  for (const [brightness, factor] of [
    [100, 4],
    [50, 2],
    [-50, 1 / 2],
    [-100, 1 / 4],
  ] as const) {
    // light' = g × light / (1 + (g - 1) × light), with g such that 0.18 becomes factor × 0.18.
    const g = (factor * 0.82) / (1 - factor * 0.18)
    const table = tones(brightness, 0)
    for (const value of [1, 5, 20, 60, 100, 150, 200, 240, 254]) {
      const bent = (g * light(value)) / (1 + (g - 1) * light(value))
      const expected = 255 * (bent <= 0.0031308 ? bent * 12.92 : 1.055 * bent ** (1 / 2.4) - 0.055)
      assert.ok(
        Math.abs((table[value] ?? 0) - expected) <= 0.51,
        `${brightness} at ${value}: ${table[value]}, ${expected}`,
      )
    }
  }
})

test('an exposure operation keeps black, white, and the order of tones at every brightness and contrast', () => {
  for (let brightness = -100; brightness <= 100; brightness += 10) {
    for (let contrast = -100; contrast <= 100; contrast += 10) {
      if (brightness === 0 && contrast === 0) continue
      const table = tones(brightness, contrast)
      assert.deepEqual([table[0], table[255]], [0, 255], `${brightness} ${contrast}`)
      assert.deepEqual(
        table,
        table.toSorted((a, b) => a - b),
      )
    }
  }
})

test('at a brightness or contrast of ±100, a gray ramp keeps at least 100 tones, and tones a quarter of the ramp apart keep a distance of at least 12 levels', () => {
  for (const [brightness, contrast] of [
    [100, 0],
    [-100, 0],
    [0, 100],
    [0, -100],
  ] as const) {
    const table = tones(brightness, contrast)
    assert.ok(new Set(table).size >= 100, `${brightness} ${contrast}: ${new Set(table).size}`)
    for (const [dark, bright] of [
      [32, 96],
      [96, 160],
      [160, 230],
    ] as const) {
      assert.ok((table[bright] ?? 0) - (table[dark] ?? 0) >= 12, `${brightness} ${contrast}: ${dark} to ${bright}`)
    }
  }
})

test('contrast is an S-curve around middle gray: lighter tones rise and darker tones fall [operations.exposure.2]', () => {
  for (const contrast of [20, 50, 100]) {
    const [harder, softer] = [tones(0, contrast), tones(0, -contrast)]
    for (const table of [harder, softer]) assert.ok(Math.abs((table[MIDDLE] ?? 0) - MIDDLE) <= 1, `${contrast}`)
    for (const value of [20, 50, 90]) assert.ok((harder[value] ?? 0) < value && (softer[value] ?? 0) > value)
    for (const value of [150, 190, 235]) assert.ok((harder[value] ?? 0) > value && (softer[value] ?? 0) < value)
  }
  // At contrast 100, the slope at middle gray is 2 / tanh(2) = 2.07. At -100, the slope is the inverse.
  const slope = (table: number[]) => ((table[MIDDLE + 10] ?? 0) - (table[MIDDLE - 10] ?? 0)) / 20
  assert.ok(Math.abs(slope(tones(0, 100)) - 2 / Math.tanh(2)) < 0.1, `${slope(tones(0, 100))}`)
  assert.ok(Math.abs(slope(tones(0, -100)) - Math.tanh(2) / 2) < 0.06, `${slope(tones(0, -100))}`)
})

test('a negative contrast reverses the positive contrast of the same size, except for rounding', () => {
  for (const contrast of [20, 60]) {
    const [harder, softer] = [tones(0, contrast), tones(0, -contrast)]
    for (let value = 0; value < 256; value += 1) {
      const back = harder[softer[value] ?? 0] ?? 0
      assert.ok(Math.abs(back - value) <= 2, `${contrast}: ${value} came back as ${back}`)
    }
  }
})

test('an exposure operation without brightness and contrast does not change the image [operations.exposure.2]', () => {
  assert.deepEqual(exposure.image?.({ brightness: 0, contrast: 0 }, { width: 9, height: 9, orientation: 1 }), [])
})
