import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { ImageOutputFormat, ImageSourceFormat } from '@mediamill/contract/domain/media'
import { operationsSchema } from '@mediamill/contract/operations/schema'
import type { Sharp } from 'sharp'
import sharp from 'sharp'
import type { EngineDone, EngineJob } from '../protocol/messages.ts'
import { processImage } from './process.ts'

/** A picture file for tests, and the format that it is opened as. */
export type TestFile = { bytes: Buffer; format: ImageSourceFormat }

type TestOptions = {
  output?: ImageOutputFormat
  marks?: Record<string, TestFile>
  limits?: Partial<EngineJob['limits']>
  thumbnail?: boolean
}

const LIMITS: EngineJob['limits'] = {
  maxFramePixels: 100_000_000,
  maxSourcePixels: 400_000_000,
  maxResultBytes: 512 * 1024 * 1024,
}

/**
 * Runs operations on a picture for tests, as a job would, defaults filled in. Gives the answer and the files' bytes.
 */
export async function processed(
  source: TestFile,
  operations: object[],
  { output = 'png', marks = {}, limits = {}, thumbnail = false }: TestOptions = {},
): Promise<EngineDone & { bytes: Buffer; thumbnailBytes?: Buffer }> {
  const scratch = await mkdtemp(path.join(tmpdir(), 'mediamill-test-'))
  try {
    const input = await put(scratch, 'source', source)
    const assets = await Promise.all(
      Object.entries(marks).map(async ([url, file], index) => ({
        url,
        ...(await put(scratch, `mark-${index}`, file)),
      })),
    )
    const parameters = { operations: operationsSchema('image').parse(operations), output: { format: output } }
    const job = {
      task: 'images/process' as const,
      input,
      assets,
      parameters,
      scratch,
      limits: { ...LIMITS, ...limits },
      ...(thumbnail && { thumbnail }),
    }
    const done = await processImage(job)
    const small = done.thumbnail && { thumbnailBytes: await readFile(done.thumbnail.path) }
    return { ...done, bytes: await readFile(done.files[0]?.path ?? ''), ...small }
  } finally {
    await rm(scratch, { recursive: true })
  }
}

async function put(folder: string, name: string, { bytes, format }: TestFile) {
  const file = path.join(folder, name)
  await writeFile(file, bytes)
  return { path: file, format, size: bytes.length }
}

/** Decodes a picture for tests: 4 channels, frames one below the other. */
export async function pixelsOf(bytes: Buffer) {
  // Written by this project's engine, so whatever loader is blocked for the last source is let back in.
  sharp.unblock({ operation: ['VipsForeignLoad'] })
  const { data, info } = await sharp(bytes, { animated: true })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  const at = (x: number, y: number) => [...data.subarray((y * info.width + x) * 4, (y * info.width + x) * 4 + 4)]
  return { data, width: info.width, height: info.height, at }
}

/** Draws a PNG for tests, in 3 or 4 channels. `color` gives the pixel at x, y. */
export async function png(
  width: number,
  height: number,
  color: (x: number, y: number) => readonly number[],
): Promise<TestFile> {
  return { bytes: await rawOf(width, height, color).png().toBuffer(), format: 'PNG' }
}

/** Draws the same pixels as a sharp for tests, for any format. */
export function rawOf(width: number, height: number, color: (x: number, y: number) => readonly number[]): Sharp {
  const pixels: number[] = []
  for (let y = 0; y < height; y += 1) for (let x = 0; x < width; x += 1) pixels.push(...color(x, y))
  const channels = pixels.length / (width * height) === 4 ? 4 : 3
  return sharp(Buffer.from(pixels), { raw: { width, height, channels } })
}
