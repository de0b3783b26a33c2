import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { ImageSourceFormat, OUTPUT_FORMATS, SourceFormat } from '@mediamill/contract/domain/media'
import { imagesProcess } from '@mediamill/contract/endpoints/images-process'
import type { Sharp } from 'sharp'
import sharp from 'sharp'
import type { EngineDone, EngineJob } from '../protocol/messages.ts'
import { processImage } from './process.ts'

type AnyFile = { bytes: Buffer; format: SourceFormat }

export type TestFile = AnyFile & { format: ImageSourceFormat }

export type TestFormat = (typeof OUTPUT_FORMATS.image)[number]

type TestOptions = {
  output?: TestFormat
  marks?: Record<string, TestFile>
  limits?: Partial<EngineJob['limits']>
}

const LIMITS: EngineJob['limits'] = {
  maxFramePixels: 100_000_000,
  maxSourcePixels: 400_000_000,
  maxResultBytes: 512 * 1024 * 1024,
}

export async function processed(
  source: TestFile,
  operations: object[],
  { output = 'png', ...options }: TestOptions = {},
): Promise<EngineDone & { bytes: Buffer }> {
  const { done, files } = await run(source, { operations, output: { format: output } }, options)
  return { ...done, bytes: files[0] ?? Buffer.alloc(0) }
}

export async function processedOutputs(
  source: TestFile,
  body: { operations?: object[]; outputs: object[] },
  options: Omit<TestOptions, 'output'> = {},
): Promise<EngineDone & { bytes: Buffer[] }> {
  const { done, files } = await run(source, body, options)
  return { ...done, bytes: files }
}

async function run(source: TestFile, body: object, options: Omit<TestOptions, 'output'>) {
  const parameters = imagesProcess.body.parse(body)
  return runOn(source, options, (job) => processImage({ ...job, task: 'images/process', parameters }))
}

export type JobWithoutWork = Omit<EngineJob, 'task' | 'parameters'>

/** Runs an engine on files in a new folder, and reads the files that it makes. */
export async function runOn(
  source: AnyFile,
  { marks = {}, limits = {} }: { marks?: Record<string, AnyFile>; limits?: Partial<EngineJob['limits']> },
  work: (job: JobWithoutWork) => Promise<EngineDone>,
): Promise<{ done: EngineDone; files: Buffer[] }> {
  const scratch = await mkdtemp(path.join(tmpdir(), 'mediamill-test-'))
  try {
    const input = await put(scratch, 'source', source)
    const assets = await Promise.all(
      Object.entries(marks).map(async ([url, file], index) => ({
        url,
        ...(await put(scratch, `mark-${index}`, file)),
      })),
    )
    const done = await work({ input, assets, scratch, limits: { ...LIMITS, ...limits } })
    return { done, files: await Promise.all(done.files.map((file) => readFile(file.path))) }
  } finally {
    // The job blocked the loaders that its files do not need.
    sharp.unblock({ operation: ['VipsForeignLoad'] })
    await rm(scratch, { recursive: true })
  }
}

async function put(folder: string, name: string, { bytes, format }: AnyFile) {
  const file = path.join(folder, name)
  await writeFile(file, bytes)
  return { path: file, format, size: bytes.length }
}

/** Decodes an image. Frames are stacked vertically. */
export async function pixelsOf(bytes: Buffer) {
  const { data, info } = await sharp(bytes, { animated: true })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  const at = (x: number, y: number) => [...data.subarray((y * info.width + x) * 4, (y * info.width + x) * 4 + 4)]
  return { data, width: info.width, height: info.height, at }
}

/** Returns whether each channel of `expected` differs by at most `tolerance`. */
export const isNear = (found: readonly number[], expected: readonly number[], tolerance = 12): boolean =>
  expected.every((value, channel) => Math.abs(value - (found[channel] ?? 0)) <= tolerance)

export function assertNear(
  found: readonly number[],
  expected: readonly number[],
  subject: string,
  tolerance?: number,
): void {
  assert.ok(isNear(found, expected, tolerance), `${subject}: ${found.join()}, not ${expected.join()}`)
}

/** Returns how far the channels of two images of the same size are apart, on average and at most. */
export async function difference(one: Buffer, other: Buffer): Promise<{ mean: number; max: number }> {
  const [a, b] = [await pixelsOf(one), await pixelsOf(other)]
  assert.deepEqual([a.width, a.height], [b.width, b.height])
  const differences = Array.from(a.data, (value, at) => Math.abs(value - (b.data[at] ?? 0)))
  const max = differences.reduce((highest, value) => Math.max(highest, value), 0)
  return { mean: differences.reduce((sum, value) => sum + value, 0) / differences.length, max }
}

export async function png(
  width: number,
  height: number,
  color: (x: number, y: number) => readonly number[],
): Promise<TestFile> {
  return { bytes: await rawOf(width, height, color).png().toBuffer(), format: 'PNG' }
}

export function rawOf(width: number, height: number, color: (x: number, y: number) => readonly number[]): Sharp {
  const pixels: number[] = []
  for (let y = 0; y < height; y += 1) for (let x = 0; x < width; x += 1) pixels.push(...color(x, y))
  const channels = pixels.length / (width * height) === 4 ? 4 : 3
  return sharp(Buffer.from(pixels), { raw: { width, height, channels } })
}
