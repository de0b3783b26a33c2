import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { gif } from '@mediamill/lab/hostile/image-bombs'
import type { Json } from '@mediamill/lab/support/service'
import { startService } from '@mediamill/lab/support/service'
import { startSourceServer } from '@mediamill/lab/support/source-server'
import sharp from 'sharp'

const drawn = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#345678' } })
const server = await startSourceServer({
  '/picture.jpg': await drawn(400, 300).jpeg().toBuffer(),
  '/animation.gif': gif({ canvas: 500, frame: 1, frames: 200 }),
  '/mark.png': await drawn(64, 48).png().toBuffer(),
  '/large-mark.png': await drawn(4_000, 4_000).png().toBuffer(),
})
const service = await startService({ allowed: [server.host] })
after(async () => {
  await service[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

const twenty = (operation: object) => Array.from({ length: 20 }, () => operation)
const watermark = (mark: string, tiling: object) => ({
  type: 'watermark',
  image_url: server.url(mark),
  x: 0,
  y: 0,
  ...tiling,
})
const process = (operations: object[], format = 'jpg', source = '/picture.jpg') =>
  service.finish('/v1/images/process', { source: server.url(source), operations, output: { format } })

function assertRefused({ status, error }: Json, operation: number, words: readonly string[]): void {
  assert.deepEqual([status, error?.code, error?.operation], ['failed', 'processing_failed', operation], error?.message)
  for (const word of words) assert.ok(error.message.includes(word), `${word}: ${error.message}`)
}

test('twenty rotations by 45 degrees fail at the first above the size limit, with the limit and the value [limits.media.1]', async () => {
  const turned = await process(twenty({ type: 'rotate', degrees: 45 }))
  assertRefused(turned, 9, ['operations[9] (rotate)', '11201 × 11201 pixels', '100 megapixels'])
})

test('twenty borders of 2,000 pixels fail at the first above the size limit [limits.media.1]', async () => {
  const border = { type: 'border', top: 2000, bottom: 2000, left: 2000, right: 2000, color: '#fff' }
  assertRefused(await process(twenty(border)), 2, ['operations[2] (border)', '12400 × 12300 pixels', '100 megapixels'])
})

test('rejects operations with the largest parameters if the frame becomes too large [limits.media.1]', async () => {
  const stretched = { type: 'resize', width: 20_000, height: 20_000, preserve_aspect_ratio: false }
  assertRefused(await process([stretched]), 0, ['20000 × 20000 pixels', '400 megapixels', '100 megapixels'])
})

test('a result too large for its format fails with the limit of the format [limits.media.4]', async () => {
  const wide = { type: 'resize', width: 20_000, height: 100, preserve_aspect_ratio: false }
  assertRefused(await process([wide], 'webp'), 0, ['20000 × 100 pixels', 'webp', '16,383'])
})

test('the error of a crop outside the image gives the image size [operations.crop.1]', async () => {
  const crop = { type: 'crop', x: 400, y: 0, width: 10, height: 10 }
  assertRefused(await process([{ type: 'grayscale' }, crop]), 1, ['400 × 300 pixels', 'x below 400'])
})

test('all frames of an animation count toward the limits of one operation and of all operations [limits.media.2]', async () => {
  const once = await process([{ type: 'resize', width: 2000, height: 2000 }], 'gif', '/animation.gif')
  assertRefused(once, 0, ['200 frames of 2000 × 2000 pixels', '800 megapixels', '400 megapixels'])
  const often = await process(twenty({ type: 'resize', width: 1000, height: 1000 }), 'gif', '/animation.gif')
  assertRefused(often, 5, ['operations[5] (resize)', '2400 megapixels', 'count twice', '2000 megapixels'])
})

test('tiles with a spacing of 0, 0.001, and 1 pixel all finish with an image of the right size [operations.watermark.2]', async () => {
  for (const step of [0, 1e-300, 0.001, 0.5, 1]) {
    const tiling = { tile_spacing_x: step, tile_spacing_y: step }
    const { status, result } = await process([watermark('/mark.png', { x: -20_000, y: -20_000, ...tiling })])
    assert.deepEqual([status, result?.data.width, result?.data.height], ['succeeded', 400, 300], String(step))
  }
})

test('tiles that would overlap millions of times are rejected with a fix [limits.media.3]', async () => {
  const tiled = watermark('/large-mark.png', { tile_spacing_x: 1.5, tile_spacing_y: 1.5 })
  assertRefused(await process([tiled]), 0, ['operations[0] (watermark)', '2000 megapixels', 'wider tile spacing'])
})
