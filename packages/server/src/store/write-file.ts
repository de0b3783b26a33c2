import type { FileHandle } from 'node:fs/promises'
import { open } from 'node:fs/promises'
import { freeChunk } from '../lib/joined-chunks.ts'

const BATCH_BYTES = 512 * 1024

const WRITES_AT_ONCE = 2

/** Each time this many bytes are written, the file is synced in the background. */
const SYNC_BYTES = 32 * 1024 * 1024

let syncing = 0

/** Writes a stream to a new file on disk, and frees the memory of its chunks. Rethrows errors of `body`. */
export async function writeNewFile(path: string, body: AsyncIterable<Buffer>): Promise<void> {
  await using file = await open(path, 'wx', 0o600)
  const batches = new Batches(file)
  try {
    for await (const chunk of body) await batches.add(chunk)
    await batches.finish()
  } finally {
    await batches.settled()
  }
  await file.datasync()
}

class Batches {
  readonly #file: FileHandle
  readonly #writes = new Set<Promise<void>>()
  #sync: Promise<void> | undefined
  #chunks: Buffer[] = []
  #bytes = 0
  #position = 0
  #unsynced = 0
  #failed: { error: unknown } | undefined

  constructor(file: FileHandle) {
    this.#file = file
  }

  async add(chunk: Buffer): Promise<void> {
    this.#chunks.push(chunk)
    this.#bytes += chunk.length
    if (this.#bytes < BATCH_BYTES) return
    this.#write()
    while (this.#writes.size >= WRITES_AT_ONCE) await Promise.race(this.#writes)
    this.#throwIfFailed()
  }

  async finish(): Promise<void> {
    if (this.#bytes > 0) this.#write()
    await this.settled()
    this.#throwIfFailed()
  }

  /** Resolves when no write is running. */
  async settled(): Promise<void> {
    await Promise.all([...this.#writes, this.#sync])
  }

  #write(): void {
    const chunks = this.#chunks
    const write = writeAll(this.#file, chunks, this.#position)
      .catch((error: unknown) => this.#fail(error))
      .finally(() => {
        this.#writes.delete(write)
        for (const chunk of chunks) freeChunk(chunk)
      })
    this.#writes.add(write)
    this.#position += this.#bytes
    this.#unsynced += this.#bytes
    this.#chunks = []
    this.#bytes = 0
    if (this.#unsynced >= SYNC_BYTES && this.#sync === undefined && syncing === 0) this.#keep()
  }

  #keep(): void {
    this.#unsynced = 0
    syncing += 1
    this.#sync = this.#file
      .datasync()
      .catch((error: unknown) => this.#fail(error))
      .finally(() => {
        syncing -= 1
        this.#sync = undefined
      })
  }

  #fail(error: unknown): void {
    this.#failed ??= { error }
  }

  #throwIfFailed(): void {
    if (this.#failed !== undefined) throw this.#failed.error
  }
}

/** Writes all chunks. If a call writes only some bytes, writes the rest. On a full disk, the next call throws. */
async function writeAll(file: FileHandle, chunks: Buffer[], position: number): Promise<void> {
  let rest = chunks
  for (let at = position; rest.length > 0; ) {
    const { bytesWritten } = await file.writev(rest, at)
    at += bytesWritten
    rest = withoutFirst(rest, bytesWritten)
  }
}

function withoutFirst(chunks: Buffer[], bytes: number): Buffer[] {
  let left = bytes
  const whole = chunks.findIndex((chunk) => {
    if (chunk.length > left) return true
    left -= chunk.length
    return false
  })
  const [first, ...others] = whole === -1 ? [] : chunks.slice(whole)
  return first === undefined ? [] : [first.subarray(left), ...others]
}
