import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RequestFailure } from '@mediamill/contract/domain/errors'
import sharp from 'sharp'
import type { TestFile } from './process-fixture.ts'
import { difference, pixelsOf, png, processed, processedOutputs, rawOf } from './process-fixture.ts'

const smooth = (width: number, height: number) => (x: number, y: number) => [
  Math.round((x * 255) / width),
  Math.round((y * 255) / height),
  (Math.round((x * 4) / width) % 2) * 120 + 60,
]

async function jpeg(width: number, height: number): Promise<TestFile> {
  const bytes = await rawOf(width, height, smooth(width, height)).jpeg({ quality: 95 }).toBuffer()
  return { bytes, format: 'JPEG' }
}

const box = (side: number) => ({ type: 'resize', width: side, height: side })

/** In each body, the outputs start to differ at another step. */
const BODIES: { operations?: object[]; outputs: { operations?: object[]; format?: string }[] }[] = [
  { outputs: [{ operations: [box(120)] }, { operations: [box(60)], format: 'png' }, { format: 'webp' }] },
  { operations: [{ type: 'orient' }], outputs: [{ operations: [box(200)] }, { operations: [box(90)] }] },
  {
    operations: [{ type: 'rotate', degrees: 90 }, box(150)],
    outputs: [{ operations: [{ type: 'grayscale' }], format: 'png' }, { operations: [box(50)], format: 'webp' }, {}],
  },
  {
    operations: [{ type: 'crop', x: 40, y: 20, width: 200, height: 150 }],
    outputs: [{ operations: [box(100)] }, { operations: [{ ...box(40), crop_center: true }], format: 'png' }],
  },
  {
    operations: [{ type: 'sepia', threshold: 60 }],
    outputs: [
      { operations: [{ type: 'flip', horizontal: true }], format: 'png' },
      { format: 'tif' },
      { format: 'gif' },
    ],
  },
  {
    operations: [{ type: 'filter', name: 'lomo' }],
    outputs: [
      { operations: [{ type: 'exposure', brightness: 20 }], format: 'png' },
      { operations: [{ type: 'exposure', brightness: -20 }], format: 'png' },
    ],
  },
  { outputs: [{ operations: [{ ...box(400), preserve_aspect_ratio: false }] }, { operations: [box(80)] }] },
  {
    outputs: [
      {
        operations: [
          { ...box(90), crop_center: true },
          { type: 'rotate', degrees: 270 },
        ],
        format: 'png',
      },
      { operations: [{ type: 'border', top: 3, bottom: 3, left: 9, right: 9, color: '#f00' }], format: 'png' },
      { operations: [{ type: 'rotate', degrees: 30 }, box(70)] },
    ],
  },
]

test('each output equals the result of a separate request with the same operations, and files are in the order of outputs [outputs.operations.1, outputs.files.1]', async () => {
  const source = await jpeg(320, 240)
  for (const body of BODIES) {
    const { bytes, files, data, units } = await processedOutputs(source, body)
    assert.equal(bytes.length, body.outputs.length)
    assert.equal(units, body.outputs.length)
    for (const [index, output] of body.outputs.entries()) {
      const operations = [...(body.operations ?? []), ...(output.operations ?? []), { type: 'compress', quality: 90 }]
      const format = (output.format ?? 'jpg') as 'jpg'
      const alone = await processed(source, operations, { output: format })
      const what = JSON.stringify([body.operations, output])
      const made = files[index]
      assert.deepEqual(
        [made?.format, made?.width, made?.height],
        [format, alone.data['width'], alone.data['height']],
        what,
      )
      if (index === 0) assert.deepEqual({ ...alone.data, size: 0 }, { ...data, size: 0 }, what)
      // The smaller outputs are resized from the largest one, and jpg and webp lose a little.
      const { mean: off } = await difference(bytes[index] ?? Buffer.alloc(0), alone.bytes)
      assert.ok(off < 3, `${what}: ${off}`)
    }
  }
})

test('the pixels of the largest output equal the result of a request with only this output', async () => {
  const source = await jpeg(640, 480)
  const { bytes } = await processedOutputs(source, {
    outputs: [
      { operations: [box(100)], format: 'png' },
      { operations: [box(320)], format: 'png' },
    ],
  })
  const alone = await processed(source, [box(320)], { output: 'png' })
  assert.equal((await difference(bytes[1] ?? Buffer.alloc(0), alone.bytes)).max, 0)
})

test('transparent pixels stay transparent in png, webp, and avif outputs, and become white in a jpg output of the same request [outputs.avif.2, images.process.2]', async () => {
  const source = await png(40, 40, (x) => (x < 20 ? [0, 0, 255, 0] : [0, 0, 255, 255]))
  const formats = ['png', 'jpg', 'webp', 'avif']
  const { bytes } = await processedOutputs(source, { outputs: formats.map((format) => ({ format })) })
  for (const [index, format] of formats.entries()) {
    const { at } = await pixelsOf(bytes[index] ?? Buffer.alloc(0))
    const [r = 0, , b = 0, alpha] = at(5, 5)
    assert.equal(alpha, format === 'jpg' ? 255 : 0, format)
    if (format === 'jpg') assert.ok(r > 250 && b > 250, format)
    const [red = 0, , blue = 0] = at(34, 20)
    assert.ok(red < 12 && blue > 243, `${format}: ${red} ${blue}`)
  }
})

test('a removed background is transparent in a png output, and white in a gif, tif, or jpg output of the same request', async () => {
  const inside = (x: number, y: number) => x >= 16 && x < 32 && y >= 16 && y < 32
  const source = await png(48, 48, (x, y) => (inside(x, y) ? [0, 0, 200] : [40, 200, 40]))
  const formats = ['png', 'gif', 'tif', 'jpg']
  const { bytes } = await processedOutputs(source, {
    operations: [
      { type: 'remove_background', tolerance: 10 },
      { type: 'sepia', threshold: 60 },
    ],
    outputs: formats.map((format) => ({ format, operations: [{ type: 'flip', vertical: true }] })),
  })
  for (const [index, format] of formats.entries()) {
    const { at } = await pixelsOf(bytes[index] ?? Buffer.alloc(0))
    const [r = 0, g = 0, b = 0, alpha] = at(2, 2)
    if (format === 'png') assert.equal(alpha, 0)
    else assert.ok(alpha === 255 && Math.min(r, g, b) > 250, `${format}: ${[r, g, b, alpha].join()}`)
  }
})

test('an animation stays animated in gif and webp outputs, and a jpg output of the same request shows the first frame [images.process.3]', async () => {
  const frames = Buffer.concat(
    [
      [250, 0, 0],
      [0, 250, 0],
      [0, 0, 250],
    ].map((color) => Buffer.from(Array(64).fill(color).flat())),
  )
  const strip = sharp(frames, { raw: { width: 8, height: 24, channels: 3, pageHeight: 8 }, animated: true })
  const source = { bytes: await strip.gif({ delay: [50, 60, 70] }).toBuffer(), format: 'GIF' } as const
  const { bytes, files } = await processedOutputs(source, {
    operations: [{ type: 'flip', horizontal: true }],
    outputs: [{ format: 'jpg' }, { format: 'gif' }, { format: 'webp', operations: [box(4)] }],
  })
  const [still, gif, webp] = await Promise.all(bytes.map((one) => sharp(one, { animated: true }).metadata()))
  assert.equal(still?.pages ?? 1, 1)
  assert.deepEqual([gif?.pages, gif?.delay], [3, [50, 60, 70]])
  assert.deepEqual([webp?.pages, webp?.delay, webp?.pageHeight], [3, [50, 60, 70], 4])
  assert.deepEqual(
    files.map(({ width, height }) => [width, height]),
    [
      [8, 8],
      [8, 8],
      [4, 4],
    ],
  )
  const [red = 0, green = 0] = (await pixelsOf(bytes[0] ?? Buffer.alloc(0))).at(4, 4)
  assert.ok(red > 240 && green < 15)
})

test('a watermark is drawn only on the outputs whose operations include the watermark', async () => {
  const mark = await png(4, 4, () => [255, 0, 255, 255])
  const source = await png(40, 30, () => [10, 20, 30])
  const watermark = { type: 'watermark', image_url: 'm', x: 1, y: 1 }
  const { bytes } = await processedOutputs(
    source,
    {
      outputs: [
        { format: 'png' },
        { format: 'png', operations: [watermark] },
        { format: 'png', operations: [box(20), watermark] },
      ],
    },
    { marks: { m: mark } },
  )
  const corners = await Promise.all(bytes.map(async (one) => (await pixelsOf(one)).at(2, 2)))
  assert.deepEqual(corners, [
    [10, 20, 30, 255],
    [255, 0, 255, 255],
    [255, 0, 255, 255],
  ])
})

test('the quality of an output overrides the quality of compress, and also applies to avif [outputs.quality.1]', async () => {
  const source = await jpeg(320, 240)
  const { files } = await processedOutputs(source, {
    operations: [{ type: 'compress', quality: 90 }],
    outputs: [{}, { quality: 10 }, { format: 'avif' }, { format: 'avif', quality: 5 }],
  })
  const [high = 0, low = 0, avif = 0, worst = 0] = files.map(({ size }) => size)
  assert.ok(low < high, `${low} ${high}`)
  assert.ok(worst < avif, `${worst} ${avif}`)
})

async function failure(source: TestFile, body: { operations?: object[]; outputs: object[] }): Promise<RequestFailure> {
  const error = await processedOutputs(source, body).catch((reason: unknown) => reason)
  assert.ok(error instanceof RequestFailure, String(error))
  return error
}

test('an error in one output names the output and its operation; an error in the shared operations names no output [outputs.failure.1]', async () => {
  const source = await jpeg(64, 48)
  const outside = { type: 'crop', x: 500, y: 500, width: 5, height: 5 }
  const own = await failure(source, { outputs: [{}, { name: 'small', operations: [{ type: 'orient' }, outside] }] })
  assert.deepEqual([own.code, own.output, own.operation], ['processing_failed', 'small', 1])
  assert.match(own.message, /^Output "small": /)
  const shared = await failure(source, { operations: [outside], outputs: [{}, {}] })
  assert.deepEqual([shared.output, shared.operation], [undefined, 0])
})

test('the total work of all outputs is limited, and an avif output is limited to 4,096 pixels per side and 33 megapixels [outputs.limits.1, outputs.avif.1]', async () => {
  const source = await jpeg(64, 48)
  const many = Array.from({ length: 20 }, () => ({
    operations: Array(20).fill({ ...box(4000), preserve_aspect_ratio: false }),
  }))
  assert.match((await failure(source, { outputs: many })).message, /brings the work of all operations to/)
  const wide = {
    format: 'avif',
    operations: [{ type: 'resize', width: 4097, height: 10, preserve_aspect_ratio: false }],
  }
  assert.match((await failure(source, { outputs: [wide] })).message, /an avif file holds at most 4,096 per side/)
  const large = { format: 'avif', operations: [{ type: 'resize', width: 4000, height: 3000 }] }
  assert.match((await failure(source, { outputs: [large, large, large] })).message, /Writing .* as avif/)
})
