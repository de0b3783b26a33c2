import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { operationsSchema } from '@mediamill/contract/operations/schema'
import { processImage } from '@mediamill/engines/image/process'
import type { Sharp } from 'sharp'
import sharp from 'sharp'
import { median } from './tool.ts'

/**
 * Compares the CPU time of the image engine with sharp in one process: `node lab/bench/image-floor.ts [rounds]`.
 * The engine and sharp process the same file in turns. A ratio is the median of the rounds' ratios of CPU time (user
 * and system). Other load on the machine affects CPU time less than elapsed time.
 */
const ROUNDS = Number(process.argv[2] ?? 15)
const MIXED_JOBS = Number(process.argv[3] ?? 500)
const LIMITS = { maxFramePixels: 100_000_000, maxSourcePixels: 400_000_000, maxResultBytes: 512 * 1024 * 1024 }
const SCHEMA = operationsSchema('image')
const JPEG = { quality: 80 }

sharp.cache(false)
sharp.concurrency(1)

const folder = await mkdtemp(path.join(tmpdir(), 'mediamill-bench-'))
const photo = path.join(folder, 'photo.jpg')
const logo = path.join(folder, 'logo.png')

/** Writes images of 12 megapixels with a photo's mix of smooth areas, edges, and grain. */
async function makeSources(): Promise<void> {
  const [width, height] = [4000, 3000]
  const pixels = Buffer.alloc(width * height * 3)
  let seed = 1
  for (let y = 0, at = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1, at += 3) {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
      const grain = (seed >>> 16) % 6
      const shape = Math.hypot((x % 700) - 350, (y % 500) - 250) < 180 ? 50 : 0
      pixels[at] = (x / width) * 150 + shape + grain
      pixels[at + 1] = (y / height) * 150 + grain + 20 * Math.sin(x / 40) + 20
      pixels[at + 2] = 180 - (x / width) * 100 - shape + grain
    }
  }
  await sharp(pixels, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 90 })
    .toFile(photo)
  const frame = {
    create: { width: 320, height: 120, channels: 4 as const, background: { r: 32, g: 96, b: 192, alpha: 0.6 } },
  }
  await sharp(frame).png().toFile(logo)
}

async function engine(operations: object[]): Promise<number> {
  const file = async (name: string) => ({ path: name, size: (await stat(name)).size })
  const result = await processImage({
    task: 'images/process',
    input: { ...(await file(photo)), format: 'JPEG' },
    assets: [{ ...(await file(logo)), format: 'PNG', url: 'logo' }],
    parameters: { operations: SCHEMA.parse(operations), output: { format: 'jpg' } },
    scratch: folder,
    limits: LIMITS,
  })
  await rm(path.join(folder, 'result.jpg'))
  return result.files[0]?.size ?? 0
}

const open = async () => sharp(await readFile(photo))
const raw = (image: Sharp) => image.raw().toBuffer({ resolveWithObject: true })
const again = ({ data, info }: Awaited<ReturnType<typeof raw>>) =>
  sharp(data, { raw: { width: info.width, height: info.height, channels: info.channels }, limitInputPixels: false })
const size = async (image: Sharp) => (await image.jpeg(JPEG).toBuffer()).length
const mark = { input: logo, left: 20, top: 20 }
const watermark = { type: 'watermark', image_url: 'logo', x: 20, y: 20 }
const inside = (side: number) => ({ type: 'resize', width: side, height: side })
const fit = { fit: 'inside' as const }
const recomb: [[number, number, number], [number, number, number], [number, number, number]] = [
  [1.1, 0.05, -0.05],
  [0.02, 0.95, 0.03],
  [0, 0.1, 0.85],
]

type Case = { name: string; atMost: number; operations: object[]; floor: () => Promise<number> }

const CASES: Case[] = [
  {
    name: 'resize 800',
    atMost: 1.15,
    operations: [inside(800)],
    floor: async () => size((await open()).resize(800, 800, fit)),
  },
  {
    name: 'thumbnail 200',
    atMost: 1.2,
    operations: [{ type: 'thumbnail', width: 200, height: 200 }],
    floor: async () => size((await open()).resize(200, 200, fit)),
  },
  {
    name: 'resize, watermark',
    atMost: 1.2,
    operations: [inside(800), watermark],
    floor: async () => size((await open()).resize(800, 800, fit).composite([mark])),
  },
  {
    name: 'watermark, resize (two sharp pipelines)',
    atMost: 0.7,
    operations: [watermark, inside(800)],
    floor: async () => size(again(await raw((await open()).composite([mark]))).resize(800, 800, fit)),
  },
  {
    name: 'five operations (raw between sharp pipelines)',
    atMost: 0.8,
    operations: [
      { type: 'crop', x: 200, y: 200, width: 3600, height: 2600 },
      { type: 'rotate', degrees: 15 },
      { type: 'filter', name: 'valencia' },
      watermark,
      { type: 'border', top: 20, bottom: 20, left: 20, right: 20, color: '#f00' },
    ],
    floor: async () => {
      const cropped = await raw((await open()).extract({ left: 200, top: 200, width: 3600, height: 2600 }))
      const turned = await raw(again(cropped).rotate(15, { background: '#fff' }))
      const filtered = await raw(again(turned).recomb(recomb).linear(1.1, -10))
      const marked = await raw(again(filtered).composite([mark]))
      return size(again(marked).flatten().extend({ top: 20, bottom: 20, left: 20, right: 20, background: '#f00' }))
    },
  },
]

async function cpuMs(run: () => Promise<number>): Promise<{ ms: number; bytes: number }> {
  const before = process.cpuUsage()
  const bytes = await run()
  const { user, system } = process.cpuUsage(before)
  return { ms: (user + system) / 1000, bytes }
}

async function compare({ name, atMost, operations, floor }: Case): Promise<void> {
  const rounds = []
  for (let round = -2; round < ROUNDS; round += 1) {
    const ours = await cpuMs(() => engine(operations))
    const theirs = await cpuMs(floor)
    if (round >= 0) rounds.push({ ours, theirs })
  }
  const row = {
    case: name,
    ratio: Number(median(rounds.map(({ ours, theirs }) => ours.ms / theirs.ms)).toFixed(2)),
    atMost,
    engineMs: Number(median(rounds.map(({ ours }) => ours.ms)).toFixed(1)),
    sharpMs: Number(median(rounds.map(({ theirs }) => theirs.ms)).toFixed(1)),
    bytes: Number(((rounds[0]?.ours.bytes ?? 0) / (rounds[0]?.theirs.bytes ?? 1)).toFixed(3)),
  }
  process.stdout.write(`${JSON.stringify(row)}\n`)
}

/** Prints the resident memory after 20, 40, 60, 80, and 100 % of many mixed jobs. The memory must stop growing. */
async function memory(): Promise<void> {
  const resident = []
  for (let job = 1; job <= MIXED_JOBS; job += 1) {
    const chosen = CASES[job % CASES.length]
    if (chosen !== undefined) await engine(chosen.operations)
    if (job % (MIXED_JOBS / 5) === 0) resident.push(Math.round(process.memoryUsage.rss() / 1_000_000))
  }
  process.stdout.write(`${JSON.stringify({ mixedJobs: MIXED_JOBS, residentMb: resident })}\n`)
}

try {
  await makeSources()
  for (const item of CASES) await compare(item)
  if (MIXED_JOBS > 0) await memory()
} finally {
  await rm(folder, { recursive: true })
}
