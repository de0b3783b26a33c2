import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { gifOf } from './gif-fixture.ts'
import { assertNear, pixelsOf, png, processed, rawOf } from './process-fixture.ts'

const [WIDTH, HEIGHT, FRAMES] = [24, 16, 5]
const DELAYS = [100, 50, 300, 40, 70]
const COLORS = [
  [255, 0, 0],
  [0, 255, 0],
  [0, 0, 255],
  [255, 255, 0],
  [0, 255, 255],
] as const

/**
 * Returns an animation. Each frame has its own color and a black top left quarter, to identify frame and orientation.
 */
async function animation(format: 'GIF' | 'WEBP') {
  const data = Buffer.alloc(WIDTH * HEIGHT * FRAMES * 4, 255)
  for (let y = 0, at = 0; y < HEIGHT * FRAMES; y += 1) {
    for (let x = 0; x < WIDTH; x += 1, at += 4) {
      const marked = x < WIDTH / 2 && y % HEIGHT < HEIGHT / 2
      data.set(marked ? [0, 0, 0] : (COLORS[Math.floor(y / HEIGHT)] ?? []), at)
    }
  }
  const strip = sharp(data, {
    raw: { width: WIDTH, height: HEIGHT * FRAMES, channels: 4, pageHeight: HEIGHT },
    animated: true,
  })
  const bytes = await (format === 'GIF'
    ? strip.gif({ delay: DELAYS, loop: 3 })
    : strip.webp({ delay: DELAYS, loop: 3, lossless: true })
  ).toBuffer()
  return { bytes, format }
}

const OPERATIONS: [object, number, number][] = [
  [{ type: 'watermark', image_url: 'm', x: 20, y: -2, tile_spacing_y: 9, diagonal_lines_color: '#888' }, 24, 16],
  [{ type: 'border', top: 1, bottom: 2, left: 3, right: 4, color: '#fff' }, 31, 19],
  [{ type: 'resize', width: 48, height: 48 }, 48, 32],
  [{ type: 'resize', width: 10, height: 14, crop_center: true }, 10, 14],
  [{ type: 'resize', width: 48, height: 12, preserve_aspect_ratio: false }, 48, 12],
  [{ type: 'crop', x: 6, y: 4, width: 12, height: 8 }, 12, 8],
  [{ type: 'thumbnail', width: 12, quality: 90 }, 12, 8],
  [{ type: 'rotate', degrees: 90 }, 16, 24],
  [{ type: 'rotate', degrees: 180, flip_horizontal: true }, 24, 16],
  [{ type: 'rotate', degrees: 10 }, 26, 20],
  [{ type: 'flip', vertical: true }, 24, 16],
  [{ type: 'flip', horizontal: true }, 24, 16],
  [{ type: 'orient' }, 24, 16],
  [{ type: 'grayscale' }, 24, 16],
  [{ type: 'sepia', threshold: 60 }, 24, 16],
  [{ type: 'exposure', brightness: 10, contrast: -20 }, 24, 16],
  [{ type: 'filter', name: 'lomo' }, 24, 16],
  [{ type: 'remove_background', tolerance: 5, blur: 1 }, 24, 16],
  [{ type: 'compress', quality: 60 }, 24, 16],
]

test('an animation keeps its frames, delays, and loop through every operation [images.process.3]', async () => {
  const mark = await png(4, 4, () => [255, 0, 255, 255])
  for (const format of ['GIF', 'WEBP'] as const) {
    const source = await animation(format)
    for (const output of ['gif', 'webp'] as const) {
      for (const [operation, width, height] of OPERATIONS) {
        const { bytes, data } = await processed(source, [operation], { output, marks: { m: mark } })
        const header = await sharp(bytes, { animated: true }).metadata()
        const what = `${format} to ${output}: ${JSON.stringify(operation)}`
        assert.deepEqual(
          [data['width'], data['height'], header.width, header.pageHeight],
          [width, height, width, height],
          what,
        )
        assert.deepEqual([header.pages, header.delay, header.loop], [FRAMES, DELAYS, 3], what)
      }
    }
  }
})

test('an animation with the largest delay and loop count of GIF keeps its frames, and long frames are shortened [images.process.4]', async () => {
  const { bytes, format } = await animation('GIF')
  bytes.writeUInt16LE(65_535, bytes.indexOf('NETSCAPE2.0') + 13)
  bytes.writeUInt16LE(65_535, bytes.indexOf(Buffer.from([0x21, 0xf9, 4])) + 4)
  for (const output of ['gif', 'webp'] as const) {
    const { bytes: result } = await processed({ bytes, format }, [{ type: 'grayscale' }], { output })
    const { pages, delay, loop } = await sharp(result, { animated: true }).metadata()
    const [first = 0, ...others] = delay ?? []
    assert.deepEqual([pages, others, loop], [FRAMES, DELAYS.slice(1), 65_535], output)
    assert.ok(first >= 65_000 && first < 66_000, `${first}`)
  }
})

test('operations draw on each frame of an animation separately, and each frame keeps its duration [images.process.3]', async () => {
  const source = await animation('GIF')
  const frameColors = async (operations: object[], x: number, y: number) => {
    const { bytes, data } = await processed(source, operations, { output: 'gif' })
    const { at } = await pixelsOf(bytes)
    const height = Number(data['height'])
    return Array.from({ length: FRAMES }, (_, frame) => at(x, frame * height + y).slice(0, 3))
  }
  const black = Array.from({ length: FRAMES }, () => [0, 0, 0])
  const colors = COLORS.map((color) => [...color])
  const down = [{ type: 'flip', vertical: true }]
  assert.deepEqual(await frameColors(down, 2, 2), colors)
  assert.deepEqual(await frameColors(down, 2, 13), black)
  const half = [{ type: 'rotate', degrees: 180 }]
  assert.deepEqual(await frameColors(half, 21, 13), black)
  assert.deepEqual(await frameColors(half, 2, 13), colors)
  const quarter = [{ type: 'rotate', degrees: 90 }]
  assert.deepEqual(await frameColors(quarter, 13, 2), black)
  assert.deepEqual(await frameColors(quarter, 2, 2), colors)
  const cropped = [
    { type: 'flip', horizontal: true },
    { type: 'crop', x: 12, y: 0, width: 6, height: 8 },
  ]
  assert.deepEqual(await frameColors(cropped, 0, 0), black)
  const bordered = [{ type: 'border', top: 3, bottom: 0, left: 0, right: 0, color: '#0000ff' }]
  assert.deepEqual(
    await frameColors(bordered, 20, 1),
    Array.from({ length: FRAMES }, () => [0, 0, 255]),
  )
  assert.deepEqual(await frameColors(bordered, 20, 4), colors)
})

test('a result in a format without animation, such as tif, shows the first frame [images.process.3]', async () => {
  const source = await animation('GIF')
  for (const output of ['jpg', 'png', 'tif'] as const) {
    const { bytes } = await processed(source, [{ type: 'flip', vertical: true }], { output })
    const { width, height, at } = await pixelsOf(bytes)
    assert.deepEqual([width, height], [24, 16])
    const [r = 0, g = 0, b = 0] = at(20, 8)
    assert.ok(r > 250 && g < 5 && b < 5, `${output}: ${[r, g, b].join()}`)
  }
})

test('an animation keeps its duration if an operation makes some of its frames identical [images.process.4]', async () => {
  const source = await animation('GIF')
  const operations = [{ type: 'crop', x: 0, y: 0, width: 8, height: 6 }]
  for (const output of ['gif', 'webp'] as const) {
    const { bytes } = await processed(source, operations, { output })
    const { delay = [], loop } = await sharp(bytes, { animated: true }).metadata()
    assert.equal(
      delay.reduce((sum, milliseconds) => sum + milliseconds, 0),
      560,
      output,
    )
    assert.equal(loop, 3)
  }
})

test('the image engine rejects an animation that ends within a frame, and accepts a missing trailer [sources.formats.3]', async () => {
  const frames = Buffer.concat([20, 120, 220].map((gray) => Buffer.alloc(16 * 16 * 3, gray)))
  const strip = sharp(frames, { raw: { width: 16, height: 48, channels: 3, pageHeight: 16 } })
  const whole = await strip.gif({ delay: 50 }).toBuffer()
  const flip = [{ type: 'flip', vertical: true }]
  const source = (bytes: Buffer) => ({ bytes, format: 'GIF' }) as const
  await assert.rejects(processed(source(whole.subarray(0, -6)), flip, { output: 'gif' }), /damaged or incomplete/)
  const { bytes } = await processed(source(whole.subarray(0, -1)), flip, { output: 'gif' })
  assert.equal((await pixelsOf(bytes)).height, 48)
})

test('pixels of one animation frame never appear in the next frame after a resize [images.process.3]', async () => {
  const [width, height] = [40, 30]
  const shades = [0, 255, 0]
  const data = Buffer.concat(shades.map((shade) => Buffer.alloc(width * height * 3, shade)))
  const raw = { width, height: height * shades.length, channels: 3, pageHeight: height } as const
  const strip = sharp(data, { raw, animated: true })
  const sources = [
    { bytes: await strip.clone().gif({ delay: 100 }).toBuffer(), format: 'GIF' },
    { bytes: await strip.clone().webp({ delay: 100, lossless: true }).toBuffer(), format: 'WEBP' },
  ] as const
  const crop = { type: 'crop', x: 0, y: 0, width: 40, height: 28 }
  for (const source of sources) {
    for (const operations of [
      [{ type: 'resize', width: 80, height: 80 }],
      [{ type: 'resize', width: 20, height: 20 }],
      [{ type: 'resize', width: 20, height: 20, crop_center: true }],
      [{ type: 'resize', width: 40, height: 11, preserve_aspect_ratio: false }],
      [crop, { type: 'thumbnail', width: 17 }],
      [{ type: 'grayscale' }, { type: 'resize', width: 33, height: 33 }],
    ]) {
      const found = await pixelsOf((await processed(source, operations, { output: 'gif' })).bytes)
      const frame = found.height / shades.length
      shades.forEach((shade, index) => {
        for (const y of [index * frame, (index + 1) * frame - 1]) {
          const what = `${source.format} ${JSON.stringify(operations)}, frame ${index} at ${y}`
          assert.deepEqual(found.at(5, y), [shade, shade, shade, 255], what)
        }
      })
    }
  }
})

function onScreen(gif: Buffer, width: number, height: number, left = 0): Buffer {
  const moved = Buffer.from(gif)
  const first = moved.indexOf(Buffer.from([0x2c, 0, 0, 0, 0, WIDTH, 0, HEIGHT, 0]))
  moved.writeUInt16LE(width, 6)
  moved.writeUInt16LE(height, 8)
  for (let at = first + 1; ; at += 1) {
    at = moved.indexOf(Buffer.from([0x2c, 0, 0, 0, 0, WIDTH, 0, HEIGHT, 0]), at)
    if (at < 0) return moved
    moved.writeUInt16LE(left, at + 1)
  }
}

test('a GIF has the size of its logical screen, and is transparent outside its frames [limits.media.2]', async () => {
  const { bytes } = await animation('GIF')
  // libnsgif replaces some screen sizes that match monitors, and any size above 2,048.
  for (const [width, height] of [
    [640, 480],
    [800, 600],
    [3000, 20],
  ] as const) {
    const file = { bytes: onScreen(bytes, width, height), format: 'GIF' } as const
    for (const output of ['gif', 'webp', 'png', 'jpg'] as const) {
      const { data, bytes: result } = await processed(file, [{ type: 'flip', vertical: true }], { output })
      assert.deepEqual([data['width'], data['height']], [width, height], output)
      const found = await pixelsOf(result)
      assert.equal(found.height, height * (output === 'gif' || output === 'webp' ? FRAMES : 1), output)
      assert.deepEqual(found.at(width - 1, 0), output === 'jpg' ? [255, 255, 255, 255] : [0, 0, 0, 0], output)
      assert.ok((found.at(WIDTH - 4, height - 4)[0] ?? 0) > 240, output)
    }
  }
})

test('a GIF without a transparent color is transparent outside its frames, and keeps its frames', async () => {
  const still = await rawOf(WIDTH, HEIGHT, () => [250, 0, 0])
    .gif()
    .toBuffer()
  const firstBlock = still.indexOf(Buffer.from([0x21, 0xf9, 4]))
  still.writeUInt8(0, firstBlock + 3)
  const twice = Buffer.concat([still.subarray(0, -1), still.subarray(firstBlock)])
  for (const [file, frames] of [
    [still, 1],
    [twice, 2],
  ] as const) {
    assert.equal((await sharp(file).metadata()).hasAlpha, false)
    const source = { bytes: onScreen(file, 40, 30), format: 'GIF' } as const
    for (const output of ['gif', 'png', 'jpg'] as const) {
      const { bytes } = await processed(source, [{ type: 'flip' }], { output })
      const found = await pixelsOf(bytes)
      assert.equal(found.height, 30 * (output === 'gif' ? frames : 1), output)
      for (const [x, y] of [
        [30, 2],
        [38, found.height - 1],
      ] as const)
        assertNear(found.at(x, y), output === 'jpg' ? [255, 255, 255, 255] : [0, 0, 0, 0], output, 2)
      assertNear(found.at(10, 8), [250, 0, 0, 255], output, 2)
    }
  }
})

test('a frame of a GIF that is removed without a transparent color leaves its area transparent', async () => {
  const size = { width: 24, height: 16 }
  const [red, green, blue] = [1, 2, 3]
  const colors = [
    [90, 90, 90],
    [255, 0, 0],
    [0, 255, 0],
    [0, 0, 255],
  ]
  const part = { top: 4, width: 8, height: 6 }
  // Has all 256 colors but one, so that only that color can become transparent.
  const varied = (x: number, y: number) => (y < 4 || (x + y * 24) % 256 === 200 ? red : (x + y * 24) % 256)
  for (const [disposal, marks] of [
    [2, {}],
    [2, { transparent: 0 }],
    // Restores the previous image, which is empty.
    [3, {}],
  ] as const) {
    const bytes = gifOf(size, colors, [
      { ...size, disposal, pixel: varied },
      { ...part, left: 4, disposal, pixel: () => green },
      { ...part, left: 12, pixel: () => blue, ...marks },
    ])
    const { at } = await pixelsOf(
      (await processed({ bytes, format: 'GIF' }, [{ type: 'flip' }], { output: 'gif' })).bytes,
    )
    const colorsOf = (frame: number) => [at(1, 1 + frame * 16), at(5, 5 + frame * 16), at(13, 5 + frame * 16)]
    const none = [0, 0, 0, 0]
    assert.deepEqual(colorsOf(0)[0], [255, 0, 0, 255])
    assert.deepEqual(colorsOf(1), [none, [0, 255, 0, 255], none])
    assert.deepEqual(colorsOf(2), [none, none, [0, 0, 255, 255]])
  }
})

test('a removed frame of a GIF stays removed after a frame that covers it is removed too', async () => {
  const size = { width: 24, height: 16 }
  const part = { top: 4, width: 8, height: 6, left: 4 }
  const colors = [90, 120, 150, 180].map((level) => [level, level, level])
  const bytes = gifOf(size, colors, [
    { ...size, disposal: 1, pixel: () => 1 },
    { ...part, disposal: 2, pixel: () => 2 },
    { ...part, disposal: 3, pixel: () => 3 },
    { ...part, left: 12, pixel: () => 2 },
  ])
  const { at } = await pixelsOf(
    (await processed({ bytes, format: 'GIF' }, [{ type: 'flip' }], { output: 'gif' })).bytes,
  )
  assert.deepEqual(
    [1, 2, 3].map((frame) => at(5, 5 + frame * 16)),
    [
      [150, 150, 150, 255],
      [180, 180, 180, 255],
      [0, 0, 0, 0],
    ],
  )
})

test('the canvas of a GIF is enlarged to fit its first frame, and later frames are clipped to the canvas', async () => {
  const { bytes } = await animation('GIF')
  const wider = { bytes: onScreen(bytes, WIDTH, HEIGHT, 10), format: 'GIF' } as const
  const { data, bytes: result } = await processed(wider, [{ type: 'compress', quality: 80 }], { output: 'gif' })
  assert.deepEqual([data['width'], data['height']], [WIDTH, HEIGHT])
  const found = await pixelsOf(result)
  assert.equal(found.height, HEIGHT * FRAMES)
  // The second frame starts at x = 10. Left of it, the first frame is visible.
  assert.deepEqual(found.at(12, HEIGHT + 12), [0, 255, 0, 255])
  assert.deepEqual(found.at(4, HEIGHT + 12), [255, 0, 0, 255])

  const smaller = { bytes: onScreen(bytes, 8, 6), format: 'GIF' } as const
  const { data: grown } = await processed(smaller, [{ type: 'compress', quality: 80 }], { output: 'png' })
  assert.deepEqual([grown['width'], grown['height']], [WIDTH, HEIGHT])

  const nothing = Buffer.from(onScreen(bytes, 0, 0))
  const first = nothing.indexOf(Buffer.from([0x2c, 0, 0, 0, 0, WIDTH, 0, HEIGHT, 0]))
  nothing.writeUInt16LE(0, first + 5)
  await assert.rejects(
    processed({ bytes: nothing, format: 'GIF' }, [{ type: 'crop', x: 0, y: 0, width: 1, height: 1 }]),
    {
      code: 'processing_failed',
      message: /source image is damaged/,
    },
  )
})
