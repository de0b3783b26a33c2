import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Look } from '../../operations/look.ts'
import type { LookName } from '../../operations/looks.ts'
import { LOOK_NAMES, LOOKS } from '../../operations/looks.ts'
import { colorChange } from './look-color.ts'
import { applyLook, bakeLook } from './look-table.ts'
import type { RawPicture } from './raw-picture.ts'

/** Colours all over the cube, the same on every run, as a picture of `width` pixels a row. */
function picture(width: number, height: number, channels: 3 | 4 = 3): RawPicture {
  const data = Buffer.alloc(width * height * channels)
  let seed = 12_345
  for (let at = 0; at < data.length; at += 1) {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
    data[at] = seed >>> 24
  }
  return { data, width, height, channels }
}

const copy = (from: RawPicture): RawPicture => ({ ...from, data: Buffer.from(from.data) })

function looked(from: RawPicture, look: Look, strength = 1): RawPicture {
  const result = copy(from)
  applyLook(result, bakeLook(look, strength))
  return result
}

/** The part of a recipe that does not depend on the place, computed without a table. */
function exactly(look: Look, red: number, green: number, blue: number): [number, number, number] {
  const color: [number, number, number] = [red / 255, green / 255, blue / 255]
  for (const step of look.steps) colorChange(step)(color)
  return [color[0] * 255, color[1] * 255, color[2] * 255]
}

test('strength 0 leaves every byte of the picture as it is, for every look [4.5]', () => {
  const original = picture(40, 30)
  for (const name of LOOK_NAMES) assert.ok(looked(original, LOOKS[name], 0).data.equals(original.data), name)
})

test('a table of no change gives back every channel value exactly: interpolation adds no error of its own', () => {
  const original = picture(256, 256)
  for (let value = 0; value < 256; value += 1) original.data.fill(value, value * 3, value * 3 + 3)
  assert.ok(looked(original, { steps: [], radials: [] }).data.equals(original.data))
})

test('the baked table follows the recipe: on average within 1.5 levels of computing every pixel [4.5]', () => {
  const original = picture(64, 64)
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

test('a recipe that is linear comes out of every one of the six tetrahedra within half a level', () => {
  const rows = [
    [0.5, 0.3, 0.2],
    [0.1, 0.8, 0.1],
    [0.25, 0.25, 0.5],
  ] as const
  const original = picture(90, 90)
  const { data } = looked(original, { steps: [{ step: 'matrix', rows }], radials: [] })
  for (let at = 0; at < data.length; at += 3) {
    const [red = 0, green = 0, blue = 0] = original.data.subarray(at, at + 3)
    for (const [channel, row] of rows.entries()) {
      const expected = row[0] * red + row[1] * green + row[2] * blue
      assert.ok(Math.abs((data[at + channel] ?? 0) - expected) <= 0.55, `${red} ${green} ${blue}`)
    }
  }
})

test('strength blends with the picture: at 40 every pixel lies 40 % of the way, radial layers included [4.5]', () => {
  const original = picture(50, 40)
  for (const name of LOOK_NAMES) {
    const full = looked(original, LOOKS[name]).data
    const part = looked(original, LOOKS[name], 0.4).data
    for (const [at, value] of original.data.entries()) {
      const expected = value + ((full[at] ?? 0) - value) * 0.4
      assert.ok(Math.abs((part[at] ?? 0) - expected) <= 1.5, `${name} at ${at}: ${part[at]} for ${expected}`)
    }
  }
})

test('alpha is kept, and colours are the same with it as without', () => {
  const original = picture(20, 20, 4)
  const withAlpha = looked(original, LOOKS.xpro2).data
  const colours = Buffer.from(original.data.filter((_, at) => at % 4 !== 3))
  const without = looked({ data: colours, width: 20, height: 20, channels: 3 }, LOOKS.xpro2).data
  assert.deepEqual(
    withAlpha.filter((_, at) => at % 4 === 3),
    original.data.filter((_, at) => at % 4 === 3),
  )
  assert.deepEqual(Buffer.from(withAlpha.filter((_, at) => at % 4 !== 3)), without)
})

test('a frame of a tall animation is looked as if it stood alone, and its neighbours are left alone', () => {
  const tall = picture(24, 60)
  const frame = { ...tall, height: 20, data: Buffer.from(tall.data.subarray(24 * 20 * 3, 24 * 40 * 3)) }
  const result = copy(tall)
  applyLook(result, bakeLook(LOOKS.lomo, 1), { left: 0, top: 20, width: 24, height: 20 })
  assert.deepEqual(result.data.subarray(24 * 20 * 3, 24 * 40 * 3), looked(frame, LOOKS.lomo).data)
  assert.deepEqual(result.data.subarray(0, 24 * 20 * 3), tall.data.subarray(0, 24 * 20 * 3))
  assert.deepEqual(result.data.subarray(24 * 40 * 3), tall.data.subarray(24 * 40 * 3))
})

test('a picture of one pixel takes every look', () => {
  for (const name of LOOK_NAMES) assert.equal(looked(picture(1, 1), LOOKS[name]).data.length, 3)
})

const grey = (value: number): RawPicture => ({
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

test('inkwell is black and white: its channels are equal and keep the order of brightness [4.5]', () => {
  const { data } = looked(picture(40, 40), LOOKS.inkwell)
  for (let at = 0; at < data.length; at += 3) assert.ok(data[at] === data[at + 1] && data[at] === data[at + 2])
  const ramp: RawPicture = { data: Buffer.alloc(768), width: 256, height: 1, channels: 3 }
  for (let value = 0; value < 256; value += 1) ramp.data.fill(value, value * 3, value * 3 + 3)
  const steps = Array.from(looked(ramp, LOOKS.inkwell).data.filter((_, at) => at % 3 === 0))
  assert.deepEqual(
    steps,
    steps.toSorted((a, b) => a - b),
  )
})

test('looks bear the marks of their namesakes [4.5]', () => {
  const warmth = (name: LookName) =>
    average(looked(grey(128), LOOKS[name]).data, 0) - average(looked(grey(128), LOOKS[name]).data, 2)
  for (const name of ['earlybird', 'kelvin', 'rise', 'toaster', 'valencia', 'hefe'] as const)
    assert.ok(warmth(name) > 25, `${name} is warm`)
  for (const name of ['gotham', 'walden'] as const) assert.ok(warmth(name) < 0, `${name} is cool`)
  for (const name of ['lomo', 'earlybird', 'hefe', 'xpro2', 'toaster', 'amaro'] as const) {
    const { data } = looked(grey(160), LOOKS[name])
    assert.ok((data[0] ?? 0) < 0.75 * (data[middle] ?? 0), `${name} darkens its corners`)
  }
  for (const name of ['nashville', 'sierra', 'apollo', 'willow'] as const) {
    assert.ok((looked(grey(0), LOOKS[name]).data[middle + 1] ?? 0) > 12, `${name} lifts black`)
  }
})

test('each look is visibly different from the picture and from every other look [4.5]', () => {
  const original = picture(32, 32)
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
