import assert from 'node:assert/strict'
import { test } from 'node:test'
import { componentsOf, scaleOutline } from './outlines.ts'

const words = (...values: number[]) => Buffer.concat(values.map((value) => Buffer.of((value >> 8) & 255, value & 255)))

/** A triangle from (10, 20) to (310, 20) to (10, 220), with short, long, and repeated coordinates. */
const TRIANGLE = Buffer.concat([
  words(1, 10, 20, 310, 220),
  // The last point of the contour, then two bytes of instructions.
  words(2, 2),
  Buffer.of(0xb0, 0x01),
  // Flags of three points. 1: on the curve, x and y are positive bytes. 2: x is a word, y stays. 3: x and y are words.
  Buffer.of(0x01 | 0x02 | 0x10 | 0x04 | 0x20, 0x01 | 0x20, 0x01),
  Buffer.of(10),
  words(300, -300),
  Buffer.of(20),
  words(200),
])

function readSimple(outline: Buffer) {
  const bounds = [2, 4, 6, 8].map((at) => outline.readInt16BE(at))
  assert.deepEqual([outline.readInt16BE(0), outline.readUInt16BE(10), outline.readUInt16BE(12)], [1, 2, 0])
  const word = (index: number) => outline.readInt16BE(17 + 2 * index)
  return {
    bounds,
    flags: [...outline.subarray(14, 17)],
    xs: [0, 1, 2].map(word),
    ys: [3, 4, 5].map(word),
    end: outline.length,
  }
}

test('scaling a glyph outline scales its bounds and every point, and drops its hinting instructions', () => {
  const half = readSimple(scaleOutline(TRIANGLE, 0.5, (glyph) => glyph))
  assert.deepEqual(half, { bounds: [5, 10, 155, 110], flags: [1, 1, 1], xs: [5, 150, -150], ys: [10, 0, 100], end: 29 })
  const same = readSimple(scaleOutline(TRIANGLE, 1, (glyph) => glyph))
  assert.deepEqual(
    [same.xs, same.ys],
    [
      [10, 300, -300],
      [20, 0, 200],
    ],
  )
  assert.deepEqual(componentsOf(TRIANGLE), [])
})

test('scaling a composite glyph scales the offsets of its components, keeps their transformations, and renumbers their glyphs', () => {
  const [WORDS, DISTANCES, SCALE, MORE, TWO_SCALES, INSTRUCTIONS] = [0x01, 0x02, 0x08, 0x20, 0x40, 0x100]
  const composite = Buffer.concat([
    words(-1, 0, 0, 100, 100),
    words(DISTANCES | SCALE | MORE, 7),
    Buffer.of(20, 256 - 40),
    words(0x2000),
    words(WORDS | DISTANCES | TWO_SCALES | MORE | INSTRUCTIONS, 8, 600, -800, 0x4000, 0x1000),
    // The arguments of component 9 are point numbers, not distances.
    words(WORDS, 9, 4, 6),
  ])
  assert.deepEqual(componentsOf(composite), [7, 8, 9])
  assert.deepEqual(
    scaleOutline(composite, 0.5, (glyph) => glyph + 100),
    Buffer.concat([
      words(-1, 0, 0, 50, 50),
      words(WORDS | DISTANCES | SCALE | MORE, 107, 10, -20, 0x2000),
      words(WORDS | DISTANCES | TWO_SCALES | MORE, 108, 300, -400, 0x4000, 0x1000),
      words(WORDS, 109, 4, 6),
    ]),
  )
})

test('an empty glyph outline stays empty after scaling', () => {
  assert.equal(scaleOutline(Buffer.alloc(0), 0.5, (glyph) => glyph).length, 0)
  assert.deepEqual(componentsOf(Buffer.alloc(0)), [])
})
