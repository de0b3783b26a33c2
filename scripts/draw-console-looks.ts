import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { LOOK_NAMES, LOOKS } from '@mediamill/contract/drawing/looks'
import { applyLook, bakeLook } from '@mediamill/media/pixels/look-table'
import type { RawImage } from '@mediamill/media/pixels/raw-image'
import { sampleFile } from '@mediamill/server/outbound/fetch/samples'
import sharp from 'sharp'

// Draws a preview of each filter for the console: a small version of the sample photo.

const WIDTH = 144
const HEIGHT = 108
const target = join(import.meta.dirname, '../console/src/assets/looks')

mkdirSync(target, { recursive: true })
const photo = await sharp(fileURLToPath(sampleFile('photo.jpg')), { autoOrient: true })
  .resize(WIDTH, HEIGHT, { fit: 'cover' })
  .removeAlpha()
  .raw()
  .toBuffer()
for (const name of LOOK_NAMES) {
  const picture: RawImage = { data: Buffer.from(photo), width: WIDTH, height: HEIGHT, channels: 3 }
  applyLook(picture, bakeLook(LOOKS[name], 1))
  const { data, width, height, channels } = picture
  await sharp(data, { raw: { width, height, channels } })
    .webp({ quality: 62 })
    .toFile(join(target, `${name}.webp`))
}
