import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cutOut } from './cutout.ts'
import type { RawImage } from './raw-image.ts'

type Pixel = readonly number[]

function image(width: number, pixels: readonly Pixel[]): RawImage {
  const channels = pixels[0]?.length
  assert.ok(channels === 3 || channels === 4)
  return { data: Buffer.from(pixels.flat()), width, height: pixels.length / width, channels }
}

const alphas = (from: RawImage) => Array.from(from.data.filter((_, at) => at % 4 === 3))

test('at tolerance 0, remove_background removes every pixel with exactly the color of the top-left pixel [operations.remove_background.1]', () => {
  const result = cutOut(
    image(3, [
      [10, 20, 30],
      [10, 20, 31],
      [9, 20, 30],
      [200, 0, 0],
      [10, 20, 30],
      [10, 21, 30],
    ]),
    0,
    0,
  )
  assert.deepEqual(
    { width: result.width, height: result.height, channels: result.channels },
    { width: 3, height: 2, channels: 4 },
  )
  assert.deepEqual(alphas(result), [0, 255, 255, 255, 0, 255])
  assert.deepEqual([...result.data.subarray(12, 16)], [200, 0, 0, 255])
})

test('remove_background removes pixels whose largest channel difference is at most the tolerance in percent [operations.remove_background.1]', () => {
  const pixels = [
    [100, 100, 100],
    [151, 49, 100],
    [152, 100, 100],
    [100, 100, 48],
    [255, 0, 100],
  ]
  assert.deepEqual(alphas(cutOut(image(5, pixels), 0.2, 0)), [0, 0, 255, 255, 255])
  assert.deepEqual(alphas(cutOut(image(5, pixels), 1, 0)), [0, 0, 0, 0, 0])
  for (let percent = 1; percent <= 100; percent += 1) {
    const most = Math.floor((percent * 255) / 100)
    const ramp = Array.from({ length: 256 }, (_, value) => [value, value, value])
    assert.equal(alphas(cutOut(image(256, ramp), percent / 100, 0)).filter((alpha) => alpha === 0).length, most + 1)
  }
})

test('remove_background keeps the alpha of the pixels that it does not remove [operations.remove_background.2]', () => {
  const pixels = [
    [0, 0, 0, 255],
    [255, 0, 0, 128],
    [0, 0, 0, 90],
    [0, 255, 0, 0],
  ]
  assert.deepEqual(alphas(cutOut(image(2, pixels), 0.1, 0)), [0, 128, 0, 0])
})

test('remove_background removes nothing if the top-left pixel is fully transparent', () => {
  const pixels = [
    [0, 0, 0, 0],
    [0, 0, 0, 255],
    [9, 9, 9, 255],
  ]
  assert.deepEqual(alphas(cutOut(image(3, pixels), 0.5, 3)), [0, 255, 255])
})

function square(size: number, inset: number): RawImage {
  const isInside = (at: number) => at >= inset && at < size - inset
  return image(
    size,
    Array.from({ length: size * size }, (_, at) => {
      const value = isInside(at % size) && isInside(Math.floor(at / size)) ? 0 : 255
      return [value, value, value]
    }),
  )
}

/** Returns the expected opacity of the first `blur` pixels inside an edge: the result of two box blurs in sequence. */
function fadeOf(blur: number): number[] {
  const [first, second] = [Math.ceil(blur / 2), Math.floor(blur / 2)]
  const weights: number[] = []
  for (let one = -first; one <= first; one += 1) {
    for (let other = -second; other <= second; other += 1) weights.push(one + other)
  }
  return Array.from({ length: blur }, (_, depth) => {
    const inside = weights.filter((offset) => offset <= depth).length / weights.length
    return Math.max(0, 2 * inside - 1) * 255
  })
}

test('the blur of remove_background fades the edge of the object inward over the given number of pixels [operations.remove_background.3]', () => {
  for (let blur = 1; blur <= 10; blur += 1) {
    const [size, inset] = [80, 25]
    const row = alphas(cutOut(square(size, inset), 0.1, blur)).slice(40 * size, 41 * size)
    const fade = row.slice(inset, inset + blur)
    assert.ok(
      row.slice(0, inset).every((alpha) => alpha === 0),
      'the background stays cut',
    )
    for (const [depth, expected] of fadeOf(blur).entries()) {
      assert.ok(Math.abs((fade[depth] ?? 0) - expected) <= 3, `${blur}: ${fade.join(' ')}`)
    }
    assert.ok((fade[0] ?? 255) <= 85 && (fade.at(-1) ?? 255) < 255, `${blur}: ${fade.join(' ')}`)
    assert.deepEqual(row, row.toReversed(), 'all edges fade alike')
    assert.ok(
      row.slice(inset + blur, size - inset - blur).every((alpha) => alpha === 255),
      'the inside stays whole',
    )
  }
})

test('the blur of remove_background does not fade the image border, and supports images smaller than the blur', () => {
  const band = image(
    3,
    [255, 255, 255, 0, 0, 0, 0, 0, 0].map((value) => [value, value, value]),
  )
  const result = alphas(cutOut(band, 0, 1))
  assert.deepEqual(result.slice(0, 3), [0, 0, 0])
  // Two thirds of the blur box are inside the object, so the opacity is 2 × 170 - 255.
  assert.deepEqual(result.slice(3), [85, 85, 85, 255, 255, 255])
  assert.deepEqual(alphas(cutOut(image(1, [[5, 5, 5]]), 0, 10)), [0])
})
