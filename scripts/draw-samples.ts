/**
 * Draws the files that a service serves for trying it out: `node_modules/.bin/node scripts/draw-samples.ts`.
 *
 * All of them come from the demonstration's pictures, which `draw-demo.ts` draws from numbers: the project owns every
 * pixel. The photo is stored as a phone held upright stores it, on its side with a note in EXIF.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { PDFDocument, rgb, StandardFonts } from '@cantoo/pdf-lib'
import sharp from 'sharp'
import { makeClip } from '../test/support/video-clip.ts'

const demo = (name: string) => fileURLToPath(new URL(`../src/commands/demo/${name}`, import.meta.url))
const sample = (name: string) => fileURLToPath(new URL(`../src/outbound/fetch/samples/${name}`, import.meta.url))

async function drawPhoto(): Promise<void> {
  const upright = await sharp(demo('landscape.jpg')).resize(1600, 1067).toBuffer()
  await sharp(upright)
    .rotate(-90)
    .withMetadata({ orientation: 6 })
    .jpeg({ quality: 72, mozjpeg: true })
    .toFile(sample('photo.jpg'))
}

/** Three seconds of a slow pan. */
async function drawClip(): Promise<void> {
  const [width, height, frames] = [640, 360, 75]
  const { data, info } = await sharp(demo('landscape.jpg'))
    .resize(790, 527)
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  await makeClip(sample('clip.mp4'), {
    container: 'mp4',
    width,
    height,
    frames,
    rate: 25,
    encoder: { crf: '30', preset: 'slow' },
    muxer: { movflags: '+faststart' },
    paint(x, y, index) {
      const at = ((y + 120) * info.width + x + 2 * index) * 3
      return [data[at] ?? 0, data[at + 1] ?? 0, data[at + 2] ?? 0]
    },
  })
}

async function drawReport(): Promise<void> {
  const file = await PDFDocument.create()
  file.setTitle('A sample report')
  // No time of its own: drawn again it is the same file.
  file.setCreationDate(new Date(0))
  file.setModificationDate(new Date(0))
  const [plain, bold] = [
    await file.embedFont(StandardFonts.Helvetica),
    await file.embedFont(StandardFonts.HelveticaBold),
  ]
  const picture = await file.embedJpg(await sharp(demo('landscape.jpg')).resize(700).jpeg({ quality: 70 }).toBuffer())
  for (const [index, heading] of ['A sample report', 'What was seen', 'What follows'].entries()) {
    const page = file.addPage([595.28, 841.89])
    page.drawText(heading, { x: 56, y: 760, size: 28, font: bold, color: rgb(0.1, 0.13, 0.3) })
    if (index === 0) page.drawImage(picture, { x: 56, y: 400, width: 483, height: 322 })
    const lines = Array.from({ length: index === 0 ? 12 : 26 }, (_, line) => `Line ${line + 1} of page ${index + 1}.`)
    for (const [line, text] of lines.entries()) {
      page.drawText(text, { x: 56, y: (index === 0 ? 360 : 700) - 22 * line, size: 12, font: plain })
    }
  }
  await writeFile(sample('report.pdf'), await file.save())
}

await drawPhoto()
await drawClip()
await drawReport()
await sharp(await readFile(demo('logo.png')))
  .png({ palette: true, compressionLevel: 9 })
  .toFile(sample('logo.png'))
