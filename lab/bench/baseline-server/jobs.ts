import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { photograph } from '../photograph.ts'

type HandJob = {
  path: string
  body: (url: (name: string) => string, number: number) => object
  count: number
  atOnce: number
}

const SMALL = {
  'upright.jpg': () => photograph(600, 450).jpeg({ quality: 88 }),
  'turned.jpg': () => photograph(450, 600).withMetadata({ orientation: 6 }).jpeg({ quality: 88 }),
  'flipped.jpg': () => photograph(600, 450).withMetadata({ orientation: 4 }).jpeg({ quality: 88 }),
  'clear.png': () => photograph(2048, 1536, { grain: 1 }).ensureAlpha(0.7).png(),
  'lossy.webp': () => photograph(1024, 772).webp(),
  'moving.webp': () => photograph(80, 80, { frames: 4 }).webp(),
  'moving.gif': () => photograph(370, 285, { frames: 3 }).gif(),
  'larger.gif': () => photograph(800, 533, { frames: 2 }).gif(),
  'plain.tiff': () => photograph(246, 345).tiff({ compression: 'none' }),
  'tiny.tiff': () => photograph(21, 21).greyscale().tiff({ compression: 'none' }),
}
const SMALL_NAMES = Object.keys(SMALL)

export async function makeImages(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const large = photograph(4000, 3000, { grain: 8 }).jpeg({ quality: 90 })
  const logo = sharp({ create: { width: 320, height: 120, channels: 4, background: '#2060c099' } }).png()
  const dot = sharp({ create: { width: 1, height: 1, channels: 3, background: '#000' } }).png()
  const made = { 'large.jpg': large, 'logo.png': logo, 'dot.png': dot }
  for (const [name, image] of Object.entries(made)) await writeFile(join(folder, name), await image.toBuffer())
  for (const [name, make] of Object.entries(SMALL)) await writeFile(join(folder, name), await make().toBuffer())
}

const compress = { type: 'compress', quality: 80 }
const resize = (side: number) => ({ type: 'resize', width: side, height: side })
const watermark = (image_url: string) => ({ type: 'watermark', image_url, x: 20, y: 20 })
const output = { format: 'jpg' }
const large = { path: '/images/process', count: 20, atOnce: 1 }

export const BASELINE_JOBS = {
  noop: { path: '/images/read', count: 100, atOnce: 1, body: (url) => ({ source: url('dot.png') }) },
  small10: {
    path: '/images/process',
    count: 100,
    atOnce: 8,
    body: (url, number) => ({
      source: url(SMALL_NAMES[number % SMALL_NAMES.length] ?? ''),
      operations: [resize(320), compress],
      output,
    }),
  },
  img800: { ...large, body: (url) => ({ source: url('large.jpg'), operations: [resize(800), compress], output }) },
  thumb200: {
    ...large,
    body: (url) => ({
      source: url('large.jpg'),
      operations: [{ type: 'thumbnail', width: 200, height: 200, quality: 80 }],
      output,
    }),
  },
  resize_wm: {
    ...large,
    body: (url) => ({
      source: url('large.jpg'),
      operations: [resize(800), watermark(url('logo.png')), compress],
      output,
    }),
  },
  image_read: { path: '/images/read', count: 40, atOnce: 1, body: (url) => ({ source: url('large.jpg') }) },
} satisfies Record<string, HandJob>
