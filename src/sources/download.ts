import { type FileHandle, open, rm } from 'node:fs/promises'
import { Deadline } from './deadline.ts'
import { openSource, unreachable } from './fetch.ts'
import { checkLength, type PourOptions, pour } from './pour.ts'

export type DownloadOptions = PourOptions & {
  /** For everything from the first look-up to the last byte (`DOWNLOAD_MS`). */
  deadlineMs: number
}

/** The time a whole download may take (decisions 9). */
export const DOWNLOAD_MS = { image: 60_000, document: 60_000, video: 600_000 } as const

/** How much of a file's beginning is handed back, for `sniff`. */
export const HEAD_BYTES = 64 * 1024

export type Downloaded = { bytes: number; head: Buffer }

/**
 * Fetches a URL into a new file at `path`, under every rule of decisions 9.
 *
 * Nothing is left at `path` when it throws: `RequestFailure` with a code of Spec 7.2, the signal's reason, or an error of the
 * file system.
 */
export async function download(url: string, path: string, options: DownloadOptions): Promise<Downloaded> {
  const seconds = Math.ceil(options.deadlineMs / 1000)
  using deadline = new Deadline(options.signal, options.deadlineMs, () =>
    unreachable(options, `it took longer than ${seconds} seconds`),
  )
  const bounded = { ...options, signal: deadline.signal }
  const { response } = await openSource(url, bounded)
  checkLength(response, bounded)
  // The body flows only once `pour` reads it; until then the answer waits in the socket.
  const file = await open(path, 'wx', 0o600).catch((error: unknown) => {
    response.destroy()
    throw error
  })
  try {
    const head = new Head()
    const bytes = await pour(response, bounded, async (batch) => {
      head.add(batch)
      await writeAll(file, batch)
    })
    await file.close()
    return { bytes, head: head.bytes() }
  } catch (error) {
    await file.close().catch(() => {})
    await rm(path, { force: true })
    throw error
  }
}

/** Keeps the first chunks of a file as they came. */
class Head {
  readonly #chunks: Buffer[] = []
  #length = 0

  add(batch: readonly Buffer[]): void {
    for (const chunk of batch) {
      if (this.#length >= HEAD_BYTES) return
      this.#chunks.push(chunk)
      this.#length += chunk.length
    }
  }

  bytes(): Buffer {
    return Buffer.concat(this.#chunks, Math.min(this.#length, HEAD_BYTES))
  }
}

async function writeAll(file: FileHandle, batch: Buffer[]): Promise<void> {
  const size = batch.reduce((sum, chunk) => sum + chunk.length, 0)
  const { bytesWritten } = await file.writev(batch)
  // A full disk or a signal can cut a write short; only then is the copy made.
  let missing = bytesWritten < size ? Buffer.concat(batch).subarray(bytesWritten) : undefined
  while (missing !== undefined && missing.length > 0) {
    const written = await file.write(missing)
    missing = missing.subarray(written.bytesWritten)
  }
}
