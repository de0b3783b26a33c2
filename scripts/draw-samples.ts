/**
 * Draws the sample files that every service serves: `node_modules/.bin/node scripts/draw-samples.ts [NAME…]`.
 *
 * The samples come from `draw-demo.ts` and `samples/scenes.ts`, so the project owns every pixel. Like a photo of a
 * phone, the sample photo is stored rotated, with an EXIF orientation. ImageMagick (`convert`) encodes the HEIC,
 * because no dependency can.
 */
import { execFile } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { PDFDocument, rgb, StandardFonts } from '@cantoo/pdf-lib'
import type { Sample } from '@mediamill/contract/objects/samples'
import { SAMPLE_NAMES } from '@mediamill/contract/objects/samples'
import { makeClip } from '@mediamill/lab/support/video-clip'
import sharp from 'sharp'
import { ball, FRAMES, portrait, product, scan } from './samples/scenes.ts'

const demo = (name: string) => fileURLToPath(new URL(`../packages/server/src/commands/demo/${name}`, import.meta.url))
const sample = (name: string) =>
  fileURLToPath(new URL(`../packages/server/src/outbound/fetch/samples/${name}`, import.meta.url))

async function drawPhoto(): Promise<void> {
  const upright = await sharp(demo('landscape.jpg')).resize(1600, 1067).toBuffer()
  await sharp(upright)
    .rotate(-90)
    .withMetadata({ orientation: 6 })
    .jpeg({ quality: 72, mozjpeg: true })
    .toFile(sample('photo.jpg'))
}

/** Makes a video of three seconds with a slow pan. */
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
  // Use a fixed creation date, so that each run makes the same file.
  file.setCreationDate(new Date(0))
  file.setModificationDate(new Date(0))
  const [plain, bold] = [
    await file.embedFont(StandardFonts.Helvetica),
    await file.embedFont(StandardFonts.HelveticaBold),
  ]
  const picture = await file.embedJpg(await sharp(demo('landscape.jpg')).resize(700).jpeg({ quality: 70 }).toBuffer())
  // words-ok: headings of the sample PDF, whose bytes other files depend on
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

async function drawLogo(): Promise<void> {
  await sharp(await readFile(demo('logo.png')))
    .png({ palette: true, compressionLevel: 9 })
    .toFile(sample('logo.png'))
}

async function drawAnimation(): Promise<void> {
  const frames = await Promise.all(Array.from({ length: FRAMES }, (_, frame) => sharp(ball(frame)).png().toBuffer()))
  await sharp(frames, { join: { animated: true } })
    .gif({ delay: 70, loop: 0, dither: 1 })
    .toFile(sample('animation.gif'))
}

async function drawHeic(): Promise<void> {
  const picture = await sharp(demo('landscape.jpg'))
    .resize(1400, 933)
    .extract({ left: 250, top: 60, width: 1100, height: 825 })
    .png()
    .toBuffer()
  const drawn = sample('phone.heic.png')
  await writeFile(drawn, picture)
  await promisify(execFile)('convert', [drawn, '-quality', '45', sample('phone.heic')])
  await rm(drawn)
}

const scene = (name: Sample, picture: Buffer, quality: number, rights?: Record<string, string>) => async () => {
  const drawn = sharp(picture).flatten().jpeg({ quality, mozjpeg: true })
  await (rights === undefined ? drawn : drawn.withExif({ IFD0: rights })).toFile(sample(name))
}

const DRAWINGS: Record<Sample, () => Promise<void>> = {
  'photo.jpg': drawPhoto,
  'logo.png': drawLogo,
  'clip.mp4': drawClip,
  'report.pdf': drawReport,
  'product.jpg': scene('product.jpg', product(), 86, { Copyright: '(c) 2026 Jane Doe', Artist: 'Jane Doe' }),
  'portrait.jpg': scene('portrait.jpg', portrait(), 80),
  'scan.jpg': scene('scan.jpg', scan(), 72),
  'phone.heic': drawHeic,
  'animation.gif': drawAnimation,
}

const wanted = process.argv.slice(2)
for (const name of SAMPLE_NAMES) if (wanted.length === 0 || wanted.includes(name)) await DRAWINGS[name]()
