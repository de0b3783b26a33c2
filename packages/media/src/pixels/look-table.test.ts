import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Look } from '@mediamill/contract/drawing/look'
import type { LookName } from '@mediamill/contract/drawing/looks'
import { LOOK_NAMES, LOOKS } from '@mediamill/contract/drawing/looks'
import { rawNoise } from '@mediamill/lab/support/images'
import { colorChange } from './look-color.ts'
import { applyLook, bakeLook } from './look-table.ts'
import type { RawImage } from './raw-image.ts'

const copy = (from: RawImage): RawImage => ({ ...from, data: Buffer.from(from.data) })

function looked(from: RawImage, look: Look, strength = 1): RawImage {
  const result = copy(from)
  applyLook(result, bakeLook(look, strength))
  return result
}

function exactly(look: Look, red: number, green: number, blue: number): [number, number, number] {
  const color: [number, number, number] = [red / 255, green / 255, blue / 255]
  for (const step of look.steps) colorChange(step)(color)
  return [color[0] * 255, color[1] * 255, color[2] * 255]
}

test('every filter at strength 0 changes no byte [operations.filter.1]', () => {
  const original = rawNoise(40, 30)
  for (const name of LOOK_NAMES) assert.ok(looked(original, LOOKS[name], 0).data.equals(original.data), name)
})

test('interpolation of an identity color table returns every channel value exactly', () => {
  const original = rawNoise(256, 256)
  for (let value = 0; value < 256; value += 1) original.data.fill(value, value * 3, value * 3 + 3)
  assert.ok(looked(original, { steps: [], radials: [] }).data.equals(original.data))
})

test('the color table of a filter differs from the exact recipe by at most 1.5 levels on average [operations.filter.2]', () => {
  const original = rawNoise(64, 64)
  for (const name of LOOK_NAMES) {
    const look: Look = { steps: LOOKS[name].steps, radials: [] }
    const { data } = looked(original, look)
    let difference = 0
    for (let at = 0; at < data.length; at += 3) {
      const [red, green, blue] = original.data.subarray(at, at + 3)
      const expected = exactly(look, red ?? 0, green ?? 0, blue ?? 0)
      for (const channel of [0, 1, 2] as const) difference += Math.abs(expected[channel] - (data[at + channel] ?? 0))
    }
    assert.ok(difference / data.length < 1.5, `${name}: ${difference / data.length}`)
  }
})

test('interpolation in all six tetrahedra of the color table is within half a level of a linear recipe', () => {
  const rows = [
    [0.5, 0.3, 0.2],
    [0.1, 0.8, 0.1],
    [0.25, 0.25, 0.5],
  ] as const
  const original = rawNoise(90, 90)
  const { data } = looked(original, { steps: [{ step: 'matrix', rows }], radials: [] })
  for (let at = 0; at < data.length; at += 3) {
    const [red = 0, green = 0, blue = 0] = original.data.subarray(at, at + 3)
    for (const [channel, row] of rows.entries()) {
      const expected = row[0] * red + row[1] * green + row[2] * blue
      assert.ok(Math.abs((data[at + channel] ?? 0) - expected) <= 0.55, `${red} ${green} ${blue}`)
    }
  }
})

test('a filter at strength 40 makes 40 % of its full change, even in its radial layers [operations.filter.1]', () => {
  const original = rawNoise(50, 40)
  for (const name of LOOK_NAMES) {
    const full = looked(original, LOOKS[name]).data
    const part = looked(original, LOOKS[name], 0.4).data
    for (const [at, value] of original.data.entries()) {
      const expected = value + ((full[at] ?? 0) - value) * 0.4
      assert.ok(Math.abs((part[at] ?? 0) - expected) <= 1.5, `${name} at ${at}: ${part[at]} for ${expected}`)
    }
  }
})

test('a filter keeps alpha, and produces the same colors with and without alpha', () => {
  const original = rawNoise(20, 20, 4)
  const withAlpha = looked(original, LOOKS.xpro2).data
  const opaque = Buffer.from(original.data.filter((_, at) => at % 4 !== 3))
  const without = looked({ data: opaque, width: 20, height: 20, channels: 3 }, LOOKS.xpro2).data
  assert.deepEqual(
    withAlpha.filter((_, at) => at % 4 === 3),
    original.data.filter((_, at) => at % 4 === 3),
  )
  assert.deepEqual(Buffer.from(withAlpha.filter((_, at) => at % 4 !== 3)), without)
})

test('every filter supports an image of one pixel', () => {
  for (const name of LOOK_NAMES) assert.equal(looked(rawNoise(1, 1), LOOKS[name]).data.length, 3)
})

const gray = (value: number): RawImage => ({
  data: Buffer.alloc(61 * 61 * 3, value),
  width: 61,
  height: 61,
  channels: 3,
})
const middle = (30 * 61 + 30) * 3

function average(data: Buffer, channel: number): number {
  let sum = 0
  for (let at = channel; at < data.length; at += 3) sum += data[at] ?? 0
  return sum / (data.length / 3)
}

test('the filter inkwell makes an image black and white: its channels are equal and keep the order of brightness [operations.filter.2]', () => {
  const { data } = looked(rawNoise(40, 40), LOOKS.inkwell)
  for (let at = 0; at < data.length; at += 3) assert.ok(data[at] === data[at + 1] && data[at] === data[at + 2])
  const ramp: RawImage = { data: Buffer.alloc(768), width: 256, height: 1, channels: 3 }
  for (let value = 0; value < 256; value += 1) ramp.data.fill(value, value * 3, value * 3 + 3)
  const steps = Array.from(looked(ramp, LOOKS.inkwell).data.filter((_, at) => at % 3 === 0))
  assert.deepEqual(
    steps,
    steps.toSorted((a, b) => a - b),
  )
})

test('filters are warm or cool, darken the corners, or lighten black, like the filters that they are named after [operations.filter.2]', () => {
  const warmth = (name: LookName) =>
    average(looked(gray(128), LOOKS[name]).data, 0) - average(looked(gray(128), LOOKS[name]).data, 2)
  for (const name of ['earlybird', 'kelvin', 'rise', 'toaster', 'valencia', 'hefe'] as const)
    assert.ok(warmth(name) > 25, `${name} is warm`)
  for (const name of ['gotham', 'walden'] as const) assert.ok(warmth(name) < 0, `${name} is cool`)
  for (const name of ['lomo', 'earlybird', 'hefe', 'xpro2', 'toaster', 'amaro'] as const) {
    const { data } = looked(gray(160), LOOKS[name])
    assert.ok((data[0] ?? 0) < 0.75 * (data[middle] ?? 0), `${name} darkens its corners`)
  }
  for (const name of ['nashville', 'sierra', 'apollo', 'willow'] as const) {
    assert.ok((looked(gray(0), LOOKS[name]).data[middle + 1] ?? 0) > 12, `${name} lifts black`)
  }
})

test('each filter differs visibly from the image and from every other filter [operations.filter.2]', () => {
  const original = rawNoise(32, 32)
  const all = [
    { name: 'original', data: original.data },
    ...LOOK_NAMES.map((name) => ({ name, data: looked(original, LOOKS[name]).data })),
  ]
  for (const [index, one] of all.entries()) {
    for (const other of all.slice(index + 1)) {
      let difference = 0
      for (const [at, value] of one.data.entries()) difference += Math.abs(value - (other.data[at] ?? 0))
      assert.ok(difference / one.data.length > 7, `${one.name} and ${other.name}: ${difference / one.data.length}`)
    }
  }
})

function profile(look: Look, distances: readonly number[]): number[] {
  const [width, height] = [2000, 5]
  const sums = distances.map(() => 0)
  for (let value = 130; value < 194; value += 1) {
    const { data } = looked({ data: Buffer.alloc(width * height * 3, value), width, height, channels: 3 }, look)
    for (const [index, distance] of distances.entries()) {
      const y = distance < 0.3 ? 2 : distance < 0.65 ? 1 : 0
      const fromMiddle = Math.sqrt(2 * distance ** 2 - ((2 * (y + 0.5)) / height - 1) ** 2)
      const x = Math.round(((fromMiddle + 1) * width) / 2 - 0.5)
      const at = (y * width + x) * 3
      sums[index] = (sums[index] ?? 0) + ((data[at] ?? 0) + (data[at + 1] ?? 0) + (data[at + 2] ?? 0)) / (3 * 64)
    }
  }
  return sums
}

test('no filter draws a visible oval on a flat background, because brightness changes smoothly from the center to the corners [operations.filter.2]', () => {
  const step = 0.03
  const distances = Array.from({ length: 29 }, (_, index) => 0.03 + index * step)
  for (const name of LOOK_NAMES) {
    const levels = profile(LOOKS[name], distances)
    const bends = levels.slice(2).map((level, at) => Math.abs(level - 2 * (levels[at + 1] ?? 0) + (levels[at] ?? 0)))
    // For comparison: a linear ramp that removes half the light within half the distance bends by 5 at its start.
    assert.ok(Math.max(...bends) < 1.5, `${name}: ${Math.max(...bends)}`)
  }
})

test('the opacity of a radial filter layer follows the smoothstep function 3t² - 2t³ between its start and its end, and is constant outside them', () => {
  const look: Look = {
    steps: [],
    radials: [
      { blend: 'normal', color: [240, 40, 0], inner: { at: 0.2, opacity: 0.1 }, outer: { at: 0.6, opacity: 0.9 } },
    ],
  }
  const size = 1001
  const { data } = looked({ data: Buffer.alloc(size * size * 3, 100), width: size, height: size, channels: 3 }, look)
  for (const [x, y] of [
    [500, 500],
    [600, 500],
    [700, 500],
    [500, 800],
    [720, 720],
    [200, 300],
    [1000, 500],
    [1000, 1000],
  ] as const) {
    const distance = Math.hypot((2 * (x + 0.5)) / size - 1, (2 * (y + 0.5)) / size - 1) / Math.SQRT2
    const t = Math.min(1, Math.max(0, (distance - 0.2) / 0.4))
    const opacity = 0.1 + 0.8 * (3 * t ** 2 - 2 * t ** 3)
    for (const [channel, color] of [240, 40, 0].entries()) {
      const expected = 100 + (color - 100) * opacity
      const level = data[(y * size + x) * 3 + channel] ?? 0
      assert.ok(Math.abs(level - expected) <= 1, `${x},${y}: ${level} for ${expected}`)
    }
  }
})

test('no filter blackens the corners: a light background keeps a fifth of its light in the corners [operations.filter.2]', () => {
  for (const name of LOOK_NAMES) {
    const { data } = looked(gray(200), LOOKS[name])
    const light = (at: number) => (data[at] ?? 0) + (data[at + 1] ?? 0) + (data[at + 2] ?? 0)
    assert.ok(light(0) > 0.2 * light(middle), `${name}: ${light(0)} of ${light(middle)}`)
  }
})

test('the filter walden keeps a blue sky blue: the sky becomes neither green nor more vivid [operations.filter.2]', () => {
  for (const sky of [
    [47, 111, 196],
    [70, 130, 200],
    [100, 160, 230],
    [169, 205, 235],
  ]) {
    const data = Buffer.from(Array.from({ length: 61 * 61 }, () => sky).flat())
    const { data: after } = looked({ data, width: 61, height: 61, channels: 3 }, LOOKS.walden)
    const [red = 0, green = 0, blue = 0] = after.subarray(middle, middle + 3)
    const vividness = Math.max(...sky) - Math.min(...sky)
    assert.ok(green < blue && Math.max(green, blue) - red < vividness, `${sky}: ${red} ${green} ${blue}`)
  }
})
