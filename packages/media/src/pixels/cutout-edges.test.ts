import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertNear, pixelsOf, png, processed } from '@mediamill/engines/image/process-fixture'
import { createRandom } from '@mediamill/lab/support/random'
import { cutOut } from './cutout.ts'
import type { RawImage } from './raw-image.ts'

type Color = readonly [number, number, number]

function image(width: number, height: number, color: (x: number, y: number) => Color): RawImage {
  const data = Buffer.alloc(width * height * 3)
  for (let y = 0; y < height; y += 1) for (let x = 0; x < width; x += 1) data.set(color(x, y), (y * width + x) * 3)
  return { data, width, height, channels: 3 }
}

const at = ({ data, width }: RawImage, x: number, y: number) => [
  ...data.subarray((y * width + x) * 4, (y * width + x) * 4 + 4),
]

const mix = (part: number, object: Color, ground: Color): Color => [
  Math.round(object[0] * part + ground[0] * (1 - part)),
  Math.round(object[1] * part + ground[1] * (1 - part)),
  Math.round(object[2] * part + ground[2] * (1 - part)),
]

const GROUNDS: readonly Color[] = [
  [255, 255, 255],
  [31, 180, 60],
  [140, 140, 140],
  [0, 0, 0],
]
const MUG: Color = [220, 60, 190]

test("remove_background makes an edge pixel partly opaque by the object's share of the pixel, in the color of the object [operations.remove_background.5]", () => {
  for (const ground of GROUNDS) {
    for (const part of [0.35, 0.5, 0.75, 0.9]) {
      const drawn = image(40, 20, (x) => (x < 12 ? ground : x === 12 ? mix(part, MUG, ground) : MUG))
      const result = cutOut(drawn, 0.1, 0)
      for (const y of [0, 7, 19]) {
        assert.equal(at(result, 11, y)[3], 0)
        assertNear(at(result, 12, y), [...MUG, part * 255], `${ground} ${part}`, 3)
        assert.deepEqual(
          [at(result, 13, y), at(result, 39, y)],
          [
            [...MUG, 255],
            [...MUG, 255],
          ],
        )
      }
    }
  }
})

test('remove_background removes the background color from an edge that the lens has blurred over three pixels', () => {
  for (const ground of GROUNDS) {
    const parts = [0.35, 0.6, 0.8]
    const drawn = image(40, 20, (x) => (x < 12 ? ground : mix(parts[x - 12] ?? 1, MUG, ground)))
    const result = cutOut(drawn, 0.1, 0)
    for (const [index, part] of parts.entries()) {
      assertNear(at(result, 12 + index, 10), [...MUG, part * 255], `${ground} ${part}`, 4)
    }
  }
})

test('on a line two pixels wide, remove_background makes the pixel that is mixed with the background partly transparent, in the color of the line', () => {
  const [white, ink]: [Color, Color] = [
    [255, 255, 255],
    [20, 20, 20],
  ]
  const drawn = image(30, 20, (x) => (x === 15 ? ink : x === 16 ? mix(0.4, ink, white) : white))
  const result = cutOut(drawn, 0.1, 0)
  assert.deepEqual(at(result, 15, 9), [...ink, 255])
  assertNear(at(result, 16, 9), [...ink, 0.4 * 255], 'the paler half', 3)
})

test('remove_background does not change pixels that are not mixed with the background, such as sharp edges and outlines', () => {
  const ground: Color = [140, 140, 140]
  for (const colors of [
    [MUG],
    // Three pixels of outline in another color, then the object.
    [[30, 60, 200], [30, 60, 200], [30, 60, 200], MUG],
    // Dark ink next to a white label. The gray of the background is between black and white.
    [
      [32, 48, 96],
      [250, 250, 250],
      [250, 250, 250],
      [250, 250, 250],
      [250, 250, 250],
    ],
    [
      [166, 140, 140],
      [167, 140, 140],
      [168, 140, 140],
      [169, 140, 140],
    ],
  ] as const satisfies Color[][]) {
    const colorOf = (x: number): Color => (x < 12 ? ground : (colors[Math.min(x - 12, colors.length - 1)] ?? ground))
    const result = cutOut(
      image(40, 20, (x) => colorOf(x)),
      0.1,
      0,
    )
    for (let x = 12; x < 40; x += 1) assert.deepEqual(at(result, x, 10), [...colorOf(x), 255], `${colors[0]} at ${x}`)
  }
})

test('remove_background turns a soft shadow into transparent black, without a visible edge where the tolerance ends [operations.remove_background.5]', () => {
  for (const ground of [
    [255, 255, 255],
    [40, 200, 90],
  ] as const) {
    const deepest = 0.5
    const shade = (x: number) => Math.min(deepest, Math.max(0, (x - 30) / 120) * deepest)
    const drawn = image(700, 30, (x) => (x < 200 ? mix(1 - shade(x), ground, [0, 0, 0]) : MUG))
    const result = cutOut(drawn, 0.1, 0)
    const begins = (0.1 * 255) / Math.max(...ground)
    for (let x = 0; x < 199; x += 1) {
      const opacity = Math.max(0, (shade(x) - begins) / (1 - begins))
      const [red, green, blue, alpha] = at(result, x, 15)
      assert.ok(Math.abs((alpha ?? 0) - opacity * 255) <= 4, `${ground} at ${x}: ${alpha} for ${opacity * 255}`)
      if (opacity > 0.02) assert.deepEqual([red, green, blue], [0, 0, 0])
    }
  }
})

test('remove_background removes a soft shadow up to the edge of the image, and ignores the opposite edge', () => {
  const shade = (x: number) => Math.max(0, (100 - x) / 100) * 0.4
  // The first and the last 10 rows have no shadow.
  const share = (y: number) => Math.min(1, Math.max(0, Math.min(y - 10, 79 - y) / 30))
  const drawn = image(700, 90, (x, y) => (x < 650 ? mix(1 - shade(x) * share(y), [255, 255, 255], [0, 0, 0]) : MUG))
  const result = cutOut(drawn, 0.1, 0)
  for (let x = 0; x < 70; x += 1) {
    const opacity = Math.max(0, (shade(x) - 0.1) / 0.9)
    assertNear([at(result, x, 45)[3] ?? 0], [opacity * 255], String(x), 4)
  }
})

test('remove_background keeps a flat color just outside the tolerance, and keeps a background that gradually darkens past the tolerance', () => {
  const flat = cutOut(
    image(60, 30, (x) => (x < 30 ? [250, 250, 250] : [220, 220, 220])),
    0.1,
    0,
  )
  assert.deepEqual(at(flat, 31, 15), [220, 220, 220, 255])
  const backdrop = cutOut(
    image(100, 100, (_x, y) => [255 - y, 255 - y, 255 - y]),
    0.1,
    0,
  )
  assert.deepEqual(at(backdrop, 50, 90), [165, 165, 165, 255])
})

test('remove_background removes the shadow color from an edge pixel between an object and its shadow', () => {
  const shade = (x: number) => Math.max(0, Math.min(0.4, ((x - 10) / 80) * 0.4))
  const under = (x: number) => mix(1 - shade(x), [255, 255, 255], [0, 0, 0])
  const drawn = image(400, 20, (x) => (x < 100 ? under(x) : x === 100 ? mix(0.5, MUG, under(100)) : MUG))
  const result = cutOut(drawn, 0.1, 0)
  // The pixel is half object, half shadow. The tolerance of 0.1 makes the shadow weaker by 0.1.
  const shadow = (0.4 - 0.1) / 0.9
  const opacity = 0.5 + 0.5 * shadow
  assertNear(at(result, 100, 10), [...MUG.map((value) => (value * 0.5) / opacity), opacity * 255], 'the edge', 6)
})

function noiseOf(deviation: number): () => number {
  const { number } = createRandom(4711)
  return () => (number() + number() + number() + number() + number() + number() - 3) * Math.SQRT2 * deviation
}

test('remove_background leaves no specks of sensor noise at tolerance 10, even if the corner pixel is an outlier [operations.remove_background.4]', () => {
  for (const corner of [0, 20, -20]) {
    const noise = noiseOf(8)
    const noisy = (color: Color): Color => [
      Math.round(Math.min(255, Math.max(0, color[0] + noise()))),
      Math.round(Math.min(255, Math.max(0, color[1] + noise()))),
      Math.round(Math.min(255, Math.max(0, color[2] + noise()))),
    ]
    const isMug = (x: number, y: number) => x >= 150 && x < 250 && y >= 100 && y < 200
    const drawn = image(400, 300, (x, y) => noisy(isMug(x, y) ? [176, 32, 32] : [226, 226, 226]))
    drawn.data.fill(226 + corner, 0, 3)
    const result = cutOut(drawn, 0.1, 0)
    let [snow, holes] = [0, 0]
    for (let y = 0; y < 300; y += 1) {
      for (let x = 0; x < 400; x += 1) {
        const alpha = at(result, x, y)[3] ?? 0
        if (isMug(x, y) && alpha < 215) holes += 1
        if (!isMug(x, y) && alpha > 0) snow += 1
      }
    }
    assert.deepEqual([snow, holes], [0, 0], `the corner ${corner} off`)
  }
})

test('remove_background also removes the background color inside an object, and on a noiseless background keeps a single pixel just outside the tolerance [operations.remove_background.1, operations.remove_background.4]', () => {
  const isLabel = (x: number, y: number) => x >= 30 && x < 50 && y >= 30 && y < 50
  const isMug = (x: number, y: number) => x >= 20 && x < 60 && y >= 20 && y < 60
  const drawn = image(80, 80, (x, y) => (isLabel(x, y) ? [240, 240, 240] : isMug(x, y) ? MUG : [250, 250, 250]))
  // A single pixel that differs by 26, one more than the tolerance. The cutout keeps it.
  drawn.data.set([224, 250, 250], (70 * 80 + 70) * 3)
  const result = cutOut(drawn, 0.1, 0)
  assert.equal(at(result, 40, 40)[3], 0, 'the label')
  assert.deepEqual(at(result, 70, 70), [224, 250, 250, 255])
})

test('remove_background composites an edge on white if the output has no transparency [operations.remove_background.2]', async () => {
  const ground: Color = [31, 180, 60]
  const source = await png(40, 20, (x) => (x < 12 ? ground : x === 12 ? mix(0.5, MUG, ground) : MUG))
  for (const output of ['tif', 'jpg'] as const) {
    const { bytes } = await processed(
      source,
      [
        { type: 'remove_background', tolerance: 10 },
        { type: 'compress', quality: 100 },
      ],
      { output },
    )
    const { at: pixel } = await pixelsOf(bytes)
    assert.deepEqual(pixel(2, 10), [255, 255, 255, 255])
    if (output === 'tif') assertNear(pixel(12, 10), [...mix(0.5, MUG, [255, 255, 255]), 255], output, 3)
  }
})
