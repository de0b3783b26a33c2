import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RequestFailure } from '@mediamill/contract/domain/errors'
import { createRandom } from '@mediamill/lab/support/random'
import sharp from 'sharp'
import type { TestFile } from './process-fixture.ts'
import { difference, processedOutputs } from './process-fixture.ts'

/** Returns an image of noise on a gradient, which an encoder cannot predict. */
async function noisy(width: number, height: number, { seed = 7, noise = 55, gradient = 200 } = {}): Promise<TestFile> {
  const { number } = createRandom(seed)
  const data = Buffer.from(
    Array.from({ length: width * height * 3 }, (_, at) => ((at / 7) % gradient) + number() * noise),
  )
  return {
    bytes: await sharp(data, { raw: { width, height, channels: 3 } })
      .png()
      .toBuffer(),
    format: 'PNG',
  }
}

const sizesOf = async (source: TestFile, outputs: object[]) => (await processedOutputs(source, { outputs })).files

async function failure(source: TestFile, outputs: object[]): Promise<string> {
  const error = await processedOutputs(source, { outputs }).catch((reason: unknown) => reason)
  assert.ok(error instanceof RequestFailure, String(error))
  return error.message
}

test('max_bytes lowers the quality only as far as necessary for the file to fit [outputs.max_bytes.1]', async () => {
  const source = await noisy(200, 150)
  for (const format of ['jpg', 'webp', 'avif']) {
    const [free, low] = await sizesOf(source, [{ format }, { format, quality: 1 }])
    assert.ok(free !== undefined && low !== undefined)
    const limit = Math.max(1000, Math.round((free.size + low.size) / 2))
    const [fitting, same] = await sizesOf(source, [
      { format, max_bytes: limit },
      { format, max_bytes: free.size },
    ])
    assert.ok(
      fitting !== undefined && fitting.size <= limit && fitting.size > limit * 0.85,
      `${format} ${fitting?.size} ${limit}`,
    )
    assert.deepEqual([fitting.width, fitting.height], [200, 150])
    assert.equal(same?.sha256, free.sha256, 'a file that fits stays as it is')
  }
})

test('if no quality meets max_bytes, the error names the smallest size, and max_bytes_resize makes the image smaller [outputs.max_bytes.2, outputs.max_bytes.3]', async () => {
  const source = await noisy(200, 150)
  const [low] = await sizesOf(source, [{ quality: 1 }])
  const message = await failure(source, [{}, { name: 'tiny', max_bytes: 1000 }])
  assert.equal(
    message,
    `Output "tiny": max_bytes is 1,000, but the smallest jpg file has ${low?.size.toLocaleString('en')} bytes (200 × 150 pixels). Increase max_bytes, make the image smaller, or set max_bytes_resize to true.`,
  )
  assert.match(
    await failure(source, [{ format: 'png', max_bytes: 20_000 }]),
    /the smallest png file has \d\d,\d{3} bytes/,
  )
  for (const format of ['jpg', 'png', 'webp', 'gif', 'tif', 'avif']) {
    for (const max_bytes of [1000, 5000]) {
      const [file] = await sizesOf(source, [{ format, max_bytes, max_bytes_resize: true }])
      assert.ok(file?.width !== undefined && file.height !== undefined)
      assert.ok(file.size <= max_bytes && file.width >= 4 && file.height >= 3, `${format} ${file.size}`)
      assert.ok(Math.abs(file.width / file.height - 4 / 3) < 0.4, `${file.width} × ${file.height}`)
    }
  }
})

test('kept metadata counts toward max_bytes [outputs.max_bytes.4]', async () => {
  const plain = await noisy(120, 90)
  const bytes = await sharp(plain.bytes)
    .withExif({ IFD0: { Copyright: 'A'.repeat(2000) } })
    .png()
    .toBuffer()
  const source: TestFile = { bytes, format: 'PNG' }
  const output = { max_bytes: 4000, max_bytes_resize: true, metadata: 'copyright' }
  const done = await processedOutputs(source, { outputs: [output] })
  assert.ok((done.files[0]?.size ?? 0) <= 4000 && done.bytes[0]?.includes('AAAA'))
  assert.match(
    await failure(source, [{ ...output, max_bytes: 2000 }]),
    /max_bytes is 2,000, but the smallest jpg file has/,
  )
})

test('max_bytes applies to animations and transparent images, and all frames of an animation have the same size [outputs.max_bytes.3]', async () => {
  const frames = await Promise.all([1, 2, 3].map(async (seed) => (await noisy(80, 60, { seed })).bytes))
  const bytes = await sharp(frames, { join: { animated: true } })
    .gif({ delay: [50, 50, 50] })
    .toBuffer()
  const done = await processedOutputs(
    { bytes, format: 'GIF' },
    {
      outputs: [
        { format: 'webp', max_bytes: 3000, max_bytes_resize: true },
        { format: 'gif', max_bytes: 6000, max_bytes_resize: true },
      ],
    },
  )
  for (const [index, file] of done.bytes.entries()) {
    const { pages, pageHeight } = await sharp(file, { animated: true }).metadata()
    assert.deepEqual([pages, pageHeight], [3, done.files[index]?.height])
    assert.ok(file.length <= ([3000, 6000][index] ?? 0))
  }
})

test('quality auto selects a higher quality for a detailed image than for a plain image, in each format [outputs.auto.1]', async () => {
  const detailed = await noisy(160, 120, { noise: 12, gradient: 1 })
  const plain: TestFile = {
    bytes: await sharp({ create: { width: 160, height: 120, channels: 3, background: '#336699' } })
      .png()
      .toBuffer(),
    format: 'PNG',
  }
  for (const format of ['jpg', 'webp', 'avif']) {
    const outputs = [
      { format, quality: 'auto' },
      { format, quality: 40 },
      { format, quality: 95 },
    ]
    const [auto, lowest] = (await sizesOf(plain, outputs)).map(({ size }) => size)
    assert.equal(auto, lowest, `${format}: a plain image has the lowest quality`)
    const { files, bytes } = await processedOutputs(detailed, { outputs })
    const [own = 0, low = 0, high = 0] = files.map(({ size }) => size)
    assert.ok(own > low && own <= high, `${format} ${low} ${own} ${high}`)
    const [near, far] = await Promise.all(bytes.map((file) => difference(file, detailed.bytes)))
    assert.ok(near !== undefined && far !== undefined && near.mean < far.mean, format)
  }
  const [png, tif] = await sizesOf(detailed, [{ format: 'png', quality: 'auto' }, { format: 'png' }])
  assert.equal(png?.sha256, tif?.sha256, 'lossless formats ignore quality')
})

test('the search for a quality counts toward the work limit, which is checked before a pixel is decoded [outputs.limits.1, outputs.limits.2]', async () => {
  const source = await noisy(64, 48)
  const large = {
    operations: [{ type: 'resize', width: 2_400, height: 2_400 }],
    format: 'webp',
    quality: 'auto',
    max_bytes: 1000,
  }
  const message = await failure(
    source,
    Array.from({ length: 20 }, () => large),
  )
  assert.match(
    message,
    /^Output "\d+": This request needs .* Writing 2400 × 1800 pixels in 1 frame as webp needs [\d.]+ megapixels, and the search for max_bytes or quality "auto" needs [\d.]+ megapixels/,
  )
  const small = { ...large, operations: [{ type: 'resize', width: 60, height: 60 }], max_bytes: 1e15 }
  assert.equal(
    (
      await sizesOf(
        source,
        Array.from({ length: 20 }, () => small),
      )
    ).length,
    20,
  )
})
