/**
 * Makes `docs/assets/before.jpg` and `docs/assets/after.jpg` for README: `node_modules/.bin/node
 * scripts/draw-before-after.ts`.
 *
 * The service makes both images from the landscape of the demo. Phones store a photo rotated by 90°, with its
 * orientation in EXIF, so the source is stored the same way.
 */
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { startService } from '@mediamill/lab/support/service'
import { startSourceServer } from '@mediamill/lab/support/source-server'
import sharp from 'sharp'

const project = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))

/** The EXIF value for an image that viewers must rotate by 90° clockwise. */
const RIGHT_TOP = 6

await using stack = new AsyncDisposableStack()
const photo = await sharp(project('packages/server/src/commands/demo/landscape.jpg'))
  .rotate(270)
  .withMetadata({ orientation: RIGHT_TOP })
  .jpeg({ quality: 95 })
  .toBuffer()
const logo = await sharp(project('packages/server/src/commands/demo/logo.png')).resize(72).toBuffer()

const files = stack.use(await startSourceServer({ '/photo.jpg': photo, '/logo.png': logo }))
const service = stack.use(await startService({ allowed: [files.host] }))

/** The operations of each image. README prints the operations of the second image. */
const pictures = {
  'docs/assets/before.jpg': [{ type: 'resize', width: 360, height: 360 }],
  'docs/assets/after.jpg': [
    { type: 'orient' },
    { type: 'resize', width: 480, height: 344, crop_center: true },
    { type: 'filter', name: 'valencia', strength: 60 },
    { type: 'watermark', image_url: files.url('/logo.png'), x: 392, y: 256 },
    { type: 'border', top: 8, bottom: 8, left: 8, right: 8, color: '#ffffff' },
  ],
}
for (const [path, operations] of Object.entries(pictures)) {
  const body = { source: files.url('/photo.jpg'), operations }
  const request = await service.finish('/v1/images/process', body)
  const [file] = request.result?.files ?? []
  if (file === undefined) throw new Error(`${path}: the request made no file`)
  await writeFile(project(path), Buffer.from(await (await fetch(file.url)).arrayBuffer()))
  process.stdout.write(`${path}: ${JSON.stringify(request.result?.data)}\n`)
}
