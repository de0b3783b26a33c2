import { readSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { ByteRanges } from '@mediamill/contract/lib/byte-ranges'
import { AVERROR_EIO, AVSEEK_CUR, AVSEEK_END, AVSEEK_FORCE, AVSEEK_SET, AVSEEK_SIZE } from 'node-av/constants'
import { IOContext } from 'node-av/lib'
import type { EngineFile } from '../../protocol/messages.ts'
import type { CallWorker } from '../../protocol/serve.ts'

/** The sizes of the buffer. Sequential reads use the larger buffer, because each read switches threads. */
const BUFFER_BYTES = 64 * 1024
const STEP_BUFFER_BYTES = 512 * 1024

// The bytes to fetch after a seek, which may be for one small box. Each sequential fetch doubles the number.
const FIRST_AHEAD_BYTES = 256 * 1024
const MAX_AHEAD_BYTES = 8 * 1024 * 1024
// Smaller with `isFetchedAhead`, because the next chunk arrives while the current chunk is used.
const STEP_AHEAD_BYTES = 2 * 1024 * 1024

export type ByteSourceOptions = {
  /** The maximum bytes to read, for callers that only inspect a file. Further reads fail. */
  maxReadBytes?: number
  isFetchedAhead?: boolean
}

export type ByteSource = AsyncDisposable & {
  io: IOContext
  expect(bytes: number): void
}

/** Opens a file that may be incomplete. Requests missing bytes with `callWorker`, because the engine has no network. */
export async function openByteSource(
  file: EngineFile,
  callWorker: CallWorker,
  { maxReadBytes = Number.POSITIVE_INFINITY, isFetchedAhead = false }: ByteSourceOptions = {},
): Promise<ByteSource> {
  const handle = await open(file.path)
  const present = new ByteRanges()
  if ((file.presentBytes ?? 0) > 0) present.add(0, file.presentBytes ?? 0)
  let position = 0
  let readBytes = 0
  let lastEnd = file.presentBytes ?? 0
  let ahead = FIRST_AHEAD_BYTES
  let expectedEnd = 0

  const buffer = Buffer.allocUnsafeSlow(isFetchedAhead ? STEP_BUFFER_BYTES : BUFFER_BYTES)
  const maxAhead = isFetchedAhead ? STEP_AHEAD_BYTES : MAX_AHEAD_BYTES
  let pendingRange: { offset: number; end: number; arrived: Promise<void> } | undefined

  function requestRange(offset: number, length: number): void {
    const end = present.gapEnd(offset, Math.min(file.size, offset + Math.max(length, ahead)))
    const arrived = callWorker({ type: 'read', offset, length: end - offset })
    // Prevents an unhandled rejection. `arrive` passes the error to the reader.
    arrived.catch(() => undefined)
    pendingRange = { offset, end, arrived }
  }

  async function arrive(): Promise<void> {
    if (pendingRange === undefined) return
    const { offset, end, arrived } = pendingRange
    pendingRange = undefined
    await arrived
    present.add(offset, end)
    lastEnd = end
  }

  async function fetchRange(offset: number, length: number): Promise<void> {
    await arrive()
    if (present.endFrom(offset) !== undefined) return
    const expected = Math.min(maxAhead, expectedEnd - offset)
    ahead = offset === lastEnd ? Math.min(maxAhead, ahead * 2) : FIRST_AHEAD_BYTES
    // The estimate may be too low, so data after it is fetched in small chunks again.
    if (expected > 0) ahead = FIRST_AHEAD_BYTES / 2
    requestRange(offset, Math.max(length, expected))
    await arrive()
  }

  /** Fetches the next chunk of a sequential read when less than half of a chunk is left. */
  function fetchAhead(): void {
    const isReadThrough = ahead === maxAhead && position <= lastEnd && lastEnd - position < maxAhead / 2
    const isMissing = lastEnd < file.size && present.endFrom(lastEnd) === undefined
    if (isReadThrough && isMissing && pendingRange === undefined) requestRange(lastEnd, 1)
  }

  /** Reads present bytes synchronously, because a promise takes longer than the read. */
  function read(length: number): Buffer | number | null | Promise<Buffer | number> {
    if (position >= file.size) return null
    if (readBytes > maxReadBytes) return AVERROR_EIO
    if (present.endFrom(position) !== undefined) return readPresent(length)
    return fetchRange(position, Math.min(length, BUFFER_BYTES)).then(
      () => readPresent(length),
      () => AVERROR_EIO,
    )
  }

  function readPresent(length: number): Buffer | number {
    const end = Math.min(present.endFrom(position) ?? position, position + Math.min(length, buffer.length))
    try {
      const count = readSync(handle.fd, buffer, 0, end - position, position)
      if (count === 0) return AVERROR_EIO
      position += count
      readBytes += count
      if (isFetchedAhead) fetchAhead()
      return buffer.subarray(0, count)
    } catch {
      return AVERROR_EIO
    }
  }

  function seek(offset: bigint, whence: number): bigint {
    // `AVSEEK_FORCE` allows slow seeks. All seeks here are fast.
    switch (whence & ~AVSEEK_FORCE) {
      case AVSEEK_SIZE:
        return BigInt(file.size)
      case AVSEEK_SET:
        position = Number(offset)
        break
      case AVSEEK_CUR:
        position += Number(offset)
        break
      case AVSEEK_END:
        position = file.size + Number(offset)
    }
    position = Math.max(0, position)
    return BigInt(position)
  }

  const io = new IOContext()
  io.allocContextWithCallbacks(buffer.length, 0, read, null, seek)
  return {
    io,
    expect(bytes) {
      expectedEnd = position + bytes
    },
    async [Symbol.asyncDispose]() {
      // Without waiting for an open request, the next job would receive its reply.
      await arrive().catch(() => undefined)
      io.freeContext()
      await handle.close()
    },
  }
}
