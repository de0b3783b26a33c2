import { rm } from 'node:fs/promises'
import { Deadline } from '../../lib/time/deadline.ts'
import type { ReceivedResponse } from '../send.ts'
import { openSource, unreachable } from './fetch.ts'
import { NewFile } from './new-file.ts'
import { copySample } from './samples.ts'
import type { StreamOptions } from './stream-body.ts'
import { checkLength, streamBody, tooLarge } from './stream-body.ts'

export type DownloadOptions = StreamOptions & {
  /** The timeout in milliseconds from the DNS lookup to the last byte. The defaults are in `DOWNLOAD_MS`. */
  deadlineMs: number
}

/** The maximum duration of a download, in milliseconds (sources.download.1). */
export const DOWNLOAD_MS = { image: 60_000, document: 60_000, video: 600_000 } as const

export const HEAD_BYTES = 64 * 1024

type Downloaded = { bytes: number; head: Buffer }

/** Downloads a URL to the file `path` (sources.download.1). If it throws a `RequestFailure`, no file remains. */
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

async function downloadSample(sample: URL, path: string, options: DownloadOptions): Promise<Downloaded> {
  const copied = await copySample(sample, path, HEAD_BYTES)
  if (options.received !== undefined) options.received.bytes += copied.bytes
  if (copied.bytes <= options.maxBytes) return copied
  await rm(path)
  throw tooLarge(options)
}

export async function saveBody(response: ReceivedResponse, path: string, options: StreamOptions): Promise<Downloaded> {
  checkLength(response, options)
  // The body must be read in this tick, so the file is opened later, with the first batch.
  const file = new NewFile(path)
  let head: Buffer | undefined
  try {
    const bytes = await streamBody(response, options, (batch) => {
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

function headOf(batch: readonly Buffer[]): Buffer {
  const bytes = batch.reduce((sum, chunk) => sum + chunk.length, 0)
  return Buffer.concat(batch, Math.min(bytes, HEAD_BYTES))
}
