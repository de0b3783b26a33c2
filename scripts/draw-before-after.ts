/**
 * Makes `docs/assets/before.jpg` and `docs/assets/after.jpg` for README: `node_modules/.bin/node scripts/draw-before-after.ts`.
 *
 * Both come out of the service itself, from the demonstration's drawn landscape stored as a phone stores a photograph:
 * lying on its side, with the turn noted in its EXIF.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { downloadResult, finishRequest } from '@mediamill/server/commands/try/follow-request'
import { serveFiles } from '@mediamill/server/commands/try/loopback-files'
import { startTemporaryService } from '@mediamill/server/commands/try/temporary-service'
import sharp from 'sharp'

const project = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))

/** EXIF's value for an image that is shown rotated by 90° clockwise. */
const RIGHT_TOP = 6

await using stack = new AsyncDisposableStack()
const folder = await mkdtemp(join(tmpdir(), 'mediamill-pictures-'))
stack.defer(() => rm(folder, { recursive: true }))
const [photo, logo] = [join(folder, 'photo.jpg'), join(folder, 'logo.png')]
await sharp(project('packages/server/src/commands/demo/landscape.jpg'))
  .rotate(270)
  .withMetadata({ orientation: RIGHT_TOP })
  .jpeg({ quality: 95 })
  .toFile(photo)
await sharp(project('packages/server/src/commands/demo/logo.png')).resize(72).toFile(logo)

const files = stack.use(await serveFiles([photo, logo]))
const service = stack.use(await startTemporaryService(files.host))
const client = { ...service, signal: new AbortController().signal }

/** README shows this list next to the images. */
const pictures = {
  'docs/assets/before.jpg': [{ type: 'resize', width: 360, height: 360 }],
  'docs/assets/after.jpg': [
    { type: 'orient' },
    { type: 'resize', width: 480, height: 344, crop_center: true },
    { type: 'filter', name: 'valencia', strength: 60 },
    { type: 'watermark', image_url: files.urlOf(logo), x: 392, y: 256 },
    { type: 'border', top: 8, bottom: 8, left: 8, right: 8, color: '#ffffff' },
  ],
}
for (const [path, operations] of Object.entries(pictures)) {
  const body = { source: files.urlOf(photo), operations }
  const request = await finishRequest(client, 'images/process', body, () => undefined)
  const [file] = request.result?.files ?? []
  if (file === undefined) throw new Error(`${path}: the request made no file`)
  await downloadResult(client, file.url, project(path), { replace: true })
  process.stdout.write(`${path}: ${JSON.stringify(request.result?.data)}\n`)
}
