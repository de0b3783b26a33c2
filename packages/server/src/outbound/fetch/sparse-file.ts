import { open } from 'node:fs/promises'
import { ByteRanges } from '@mediamill/contract/lib/byte-ranges'
import { writeAt } from '../../lib/write-at.ts'
import type { ReceivedResponse } from '../send.ts'
import { saveBody } from './download.ts'
import { openDeadline, unreachable } from './fetch.ts'
import type { FileVersion } from './range.ts'
import { fetchRange } from './range.ts'
import type { SparseFile } from './source-file.ts'
import { fetchMissing, HEAD_BYTES } from './source-file.ts'
import type { StreamOptions } from './stream-body.ts'

export type SparseFileOptions = StreamOptions & {
  deadlineMs: number
  firstBytes: number
  /** The required version. For another version, or without range support, throws `source_unreachable`. */
  of?: FileVersion
}

// Small ranges are extended, because a call costs more than the additional bytes.
const MIN_BYTES = 64 * 1024

/** Opens a source and fetches only requested ranges (sources.download.1), or everything without range support. */
export async function openSparseFile(url: string, path: string, options: SparseFileOptions): Promise<SparseFile> {
  const closing = new AbortController()
  const clock = new FetchClock({ ...options, signal: AbortSignal.any([options.signal, closing.signal]) })
  const { firstBytes, of } = options
  const beginning = { offset: 0, length: firstBytes, ...(of !== undefined && { of }) }
  const first = await clock.run((bounds) => fetchRange(url, beginning, bounds))
  if (first.kind === 'whole') {
    if (of !== undefined) throw noParts(first.received, options)
    return await clock.run((bounds) => saveWhole(first.received, path, bounds))
  }
  const { data, version } = first
  const file = await open(path, 'wx+', 0o600)
  try {
    await file.truncate(version.total)
    await writeAt(file, data, 0)
  } catch (error) {
    await file.close()
    throw error
  }
  const present = new ByteRanges()
  present.add(0, data.length)
  let last: Promise<unknown> = Promise.resolve()

  /** Fetches one range at a time, so that two readers do not fetch the same bytes twice. */
  function fetch(offset: number, length: number): Promise<void> {
    const wanted = { offset, length, size: version.total, minBytes: MIN_BYTES }
    const next = last.then(() => fetchMissing(present, wanted, fetchGap))
    last = next.catch(() => undefined)
    return next
  }

  async function fetchGap(from: number, to: number): Promise<void> {
    let at = from
    const write = async (batch: readonly Buffer[]) => {
      const bytes = Buffer.concat(batch)
      await writeAt(file, bytes, at)
      at += bytes.length
    }
    const part = { offset: from, length: to - from, of: version, write }
    const response = await clock.run((bounds) => fetchRange(url, part, bounds))
    if (response.kind === 'whole') throw noParts(response.received, options)
    if (response.length === 0) throw unreachable(options, 'it changed while it was read')
    present.add(from, from + response.length)
  }

  return {
    size: version.total,
    // The head is a copy. A view would keep the whole first fetch in memory.
    head: Buffer.from(data.subarray(0, HEAD_BYTES)),
    presentBytes: data.length,
    version,
    fetch,
    async read(offset, length) {
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, offset)
      if (bytesRead < length) throw new RangeError('the range is outside the source')
      return buffer
    },
    async [Symbol.asyncDispose]() {
      // A crashed engine may have left a range in transfer. `close` waits for running reads and writes.
      // security check: a range that arrives after its file was closed
      closing.abort(new Error('the source is closed'))
      await file.close()
    },
  }
}

/** Limits the total time of all fetches of a file. Time between fetches does not count. */
class FetchClock {
  readonly #options: SparseFileOptions
  #leftMs: number

  constructor(options: SparseFileOptions) {
    this.#options = options
    this.#leftMs = options.deadlineMs
  }

  async run<T>(fetch: (bounds: SparseFileOptions) => Promise<T>): Promise<T> {
    const startedAt = performance.now()
    try {
      return await fetch({ ...this.#options, deadlineMs: Math.max(1, Math.ceil(this.#leftMs)) })
    } finally {
      this.#leftMs -= performance.now() - startedAt
    }
  }
}

function noParts({ body }: ReceivedResponse, options: SparseFileOptions): Error {
  body.destroy()
  return unreachable(options, 'its server stopped supporting ranges')
}

async function saveWhole(response: ReceivedResponse, path: string, options: SparseFileOptions) {
  using deadline = openDeadline(options)
  return await saveBody(response, path, { ...options, signal: deadline.signal })
}
