import { readSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { Spans } from '@mediamill/contract/lib/spans'
import { AVERROR_EIO, AVSEEK_CUR, AVSEEK_END, AVSEEK_FORCE, AVSEEK_SET, AVSEEK_SIZE } from 'node-av/constants'
import { IOContext } from 'node-av/lib'
import type { EngineFile } from '../../protocol/messages.ts'
import type { AskWorker } from '../../protocol/serve.ts'

/** libav asks in pieces of this size. Who reads on and on gets larger ones: each is a hop between two threads. */
const BUFFER_BYTES = 64 * 1024
const STEP_BUFFER_BYTES = 512 * 1024

// A jump is answered with a little, for it may be for one box of an index; reading on doubles what is fetched ahead, so
// that a file that has to be read through costs few calls.
const FIRST_AHEAD_BYTES = 256 * 1024
const MAX_AHEAD_BYTES = 8 * 1024 * 1024
// Who works while it reads fetches less at once, and the next before it is needed.
const STEP_AHEAD_BYTES = 2 * 1024 * 1024

export type ByteSourceOptions = {
  /** After so many bytes it gives no more: for who looks around in a file, and shall not read all of it. */
  maxReadBytes?: number
  /** Whether what follows is fetched while a part before it is worked on. */
  isFetchedAhead?: boolean
}

/** A file for libav that is there only in parts. The worker fetches what is missing as it is needed. */
export type ByteSource = AsyncDisposable & {
  io: IOContext
  /** Says that about so many bytes are read on from here: they are fetched in one call, and not in growing steps. */
  expect(bytes: number): void
}

/**
 * Opens it. Every read runs through `ask`, so that the engine itself opens no socket.
 */
export async function openByteSource(
  file: EngineFile,
  ask: AskWorker,
  { maxReadBytes = Number.POSITIVE_INFINITY, isFetchedAhead = false }: ByteSourceOptions = {},
): Promise<ByteSource> {
  const handle = await open(file.path)
  const present = new Spans()
  if ((file.presentBytes ?? 0) > 0) present.add(0, file.presentBytes ?? 0)
  let position = 0
  let readBytes = 0
  let lastEnd = file.presentBytes ?? 0
  let ahead = FIRST_AHEAD_BYTES
  let expectedEnd = 0

  const buffer = Buffer.allocUnsafeSlow(isFetchedAhead ? STEP_BUFFER_BYTES : BUFFER_BYTES)
  const maxAhead = isFetchedAhead ? STEP_AHEAD_BYTES : MAX_AHEAD_BYTES
  let coming: { offset: number; end: number; arrived: Promise<void> } | undefined

  function askFor(offset: number, length: number): void {
    const end = present.gapEnd(offset, Math.min(file.size, offset + Math.max(length, ahead)))
    const arrived = ask({ type: 'read', offset, length: end - offset })
    // What goes wrong is told to who waits for these bytes.
    arrived.catch(() => undefined)
    coming = { offset, end, arrived }
  }

  async function arrive(): Promise<void> {
    if (coming === undefined) return
    const { offset, end, arrived } = coming
    coming = undefined
    await arrived
    present.add(offset, end)
    lastEnd = end
  }

  async function bring(offset: number, length: number): Promise<void> {
    await arrive()
    if (present.endFrom(offset) !== undefined) return
    const expected = Math.min(maxAhead, expectedEnd - offset)
    ahead = offset === lastEnd ? Math.min(maxAhead, ahead * 2) : FIRST_AHEAD_BYTES
    // It may be wrong by a little: what follows is fetched in small steps again.
    if (expected > 0) ahead = FIRST_AHEAD_BYTES / 2
    askFor(offset, Math.max(length, expected))
    await arrive()
  }

  /** Fetches what follows, once the file is read through and half of what is there was read. */
  function fetchAhead(): void {
    const isReadThrough = ahead === maxAhead && position <= lastEnd && lastEnd - position < maxAhead / 2
    const isMissing = lastEnd < file.size && present.endFrom(lastEnd) === undefined
    if (isReadThrough && isMissing && coming === undefined) askFor(lastEnd, 1)
  }

  /** What is there comes at once: a promise of it would cost more than the bytes do. libav copies it right away. */
  function read(length: number): Buffer | number | null | Promise<Buffer | number> {
    if (position >= file.size) return null
    if (readBytes > maxReadBytes) return AVERROR_EIO
    if (present.endFrom(position) !== undefined) return give(length)
    return bring(position, Math.min(length, BUFFER_BYTES)).then(
      () => give(length),
      () => AVERROR_EIO,
    )
  }

  function give(length: number): Buffer | number {
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
    // A libav constant, which asks to seek although it may be slow.
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
      // An answer that comes after the job would be taken for the next one's.
      await arrive().catch(() => undefined)
      io.freeContext()
      await handle.close()
    },
  }
}
