import type { FileHandle } from 'node:fs/promises'
import { open, rm } from 'node:fs/promises'
import type { ReceivedResponse } from '../send.ts'
import { openDeadline, openSource } from './fetch.ts'
import type { SparseFile } from './source-file.ts'
import { copySource, HEAD_BYTES, wholeFile } from './source-file.ts'
import type { StreamOptions } from './stream-body.ts'
import { checkLength, streamBody, tooLarge } from './stream-body.ts'

export type DownloadOptions = StreamOptions & {
  /** The time limit from the DNS lookup to the last byte. */
  deadlineMs: number
}

/** The maximum duration of a download (sources.download.1). */
export const DOWNLOAD_MS = { image: 60_000, document: 60_000, video: 600_000 } as const

/** Downloads a source to `path`. If it throws a `RequestFailure`, no file remains. */
export async function download(url: string, path: string, options: DownloadOptions): Promise<SparseFile> {
  const sample = options.network.samples?.get(url)
  if (sample !== undefined) return await downloadSample(sample, path, options)
  using deadline = openDeadline(options)
  const bounded = { ...options, signal: deadline.signal }
  return await saveBody(await openSource(url, bounded), path, bounded)
}

async function downloadSample(sample: URL, path: string, options: DownloadOptions): Promise<SparseFile> {
  const copied = await copySource(sample, path)
  if (options.received !== undefined) options.received.bytes += copied.size
  if (copied.size <= options.maxBytes) return copied
  await rm(path)
  throw tooLarge(options, copied.size)
}

export async function saveBody(response: ReceivedResponse, path: string, options: StreamOptions): Promise<SparseFile> {
  checkLength(response, options)
  let head: Buffer = Buffer.alloc(0)
  let file: FileHandle | undefined
  // security check: an existing file that is overwritten
  const openFile = () => open(path, 'wx', 0o600)
  try {
    // The body must be read in this tick, so the file is opened later, with the first batch.
    const bytes = await streamBody(response, options, async (batch) => {
      const joined = Buffer.concat(batch)
      if (head.length === 0) head = Buffer.from(joined.subarray(0, HEAD_BYTES))
      file ??= await openFile()
      await file.appendFile(joined)
    })
    file ??= await openFile()
    await file.close()
    return wholeFile(bytes, head)
  } catch (error) {
    await file?.close().catch(() => {})
    if (file !== undefined) await rm(path, { force: true })
    throw error
  }
}
