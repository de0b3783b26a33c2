import { rm } from 'node:fs/promises'
import { Deadline } from '../../lib/time/deadline.ts'
import type { Answer } from '../send.ts'
import { openSource, unreachable } from './fetch.ts'
import { NewFile } from './new-file.ts'
import type { PourOptions } from './pour.ts'
import { checkLength, pour, tooLarge } from './pour.ts'
import { copySample } from './samples.ts'

export type DownloadOptions = PourOptions & {
  /** For everything from the first look-up to the last byte (`DOWNLOAD_MS`). */
  deadlineMs: number
}

/** The time a whole download may take (sources.download.1). */
export const DOWNLOAD_MS = { image: 60_000, document: 60_000, video: 600_000 } as const

/** How much of a file's beginning is handed back, for `sniff`. */
export const HEAD_BYTES = 64 * 1024

export type Downloaded = { bytes: number; head: Buffer }

/**
 * Fetches a URL into a new file at `path`, by the rules of downloads (sources.download.1).
 *
 * Nothing is left at `path` when it throws: `RequestFailure` with a code of a failed request, the signal's reason, or an error of the
 * file system.
 */
export async function download(url: string, path: string, options: DownloadOptions): Promise<Downloaded> {
  const sample = options.network.samples?.get(url)
  if (sample !== undefined) return await downloadSample(sample, path, options)
  const seconds = Math.ceil(options.deadlineMs / 1000)
  using deadline = new Deadline(options.signal, options.deadlineMs, () =>
    unreachable(options, `it took longer than ${seconds} seconds`),
  )
  const bounded = { ...options, signal: deadline.signal }
  return await saveBody(await openSource(url, bounded), path, bounded)
}

/** A sample is a source like any other for what is counted and bounded. */
async function downloadSample(sample: URL, path: string, options: DownloadOptions): Promise<Downloaded> {
  const copied = await copySample(sample, path, HEAD_BYTES)
  if (options.received !== undefined) options.received.bytes += copied.bytes
  if (copied.bytes <= options.maxBytes) return copied
  await rm(path)
  throw tooLarge(options)
}

/** Reads an answer's whole body into a new file at `path`, as `download` does. */
export async function saveBody(answer: Answer, path: string, options: PourOptions): Promise<Downloaded> {
  checkLength(answer, options)
  // Opened when the first batch is there: the body flows only once it is read, and must be read from the first tick.
  const file = new NewFile(path)
  let head: Buffer | undefined
  try {
    const bytes = await pour(answer, options, (batch) => {
      head ??= headOf(batch)
      return file.write(batch)
    })
    await file.finish()
    return { bytes, head: head ?? Buffer.alloc(0) }
  } catch (error) {
    await file.discard()
    throw error
  }
}

/** Copies the beginning of a file out of its first batch, which is the whole file or longer than that. */
function headOf(batch: readonly Buffer[]): Buffer {
  const bytes = batch.reduce((sum, chunk) => sum + chunk.length, 0)
  return Buffer.concat(batch, Math.min(bytes, HEAD_BYTES))
}
