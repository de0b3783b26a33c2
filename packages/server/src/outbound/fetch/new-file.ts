import { closeSync, openSync, writevSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { open, rm } from 'node:fs/promises'
import { freeChunk } from '../../lib/joined-chunks.ts'

const MODE = 0o600

/**
 * A file that grows by batches and is there whole or not at all. `finish` or `discard` it. Its chunks are used up: nobody
 * may look at one that was written.
 *
 * A file of one batch is written in place, without the thread pool: its four hops (open, write, close and their wake-ups)
 * cost more than copying a mebibyte into the page cache.
 */
export class NewFile {
  readonly #path: string
  #handle: FileHandle | undefined
  #created = false

  constructor(path: string) {
    this.#path = path
  }

  async write(batch: Buffer[], isLast: boolean): Promise<void> {
    if (isLast && !this.#created) {
      this.#writeAtOnce(batch)
    } else {
      await this.#open()
      await this.#append(batch)
    }
    for (const chunk of batch) freeChunk(chunk)
  }

  async finish(): Promise<void> {
    if (!this.#created) this.#writeAtOnce([])
    await this.#handle?.close()
  }

  /** Leaves nothing behind, but a file that was there before. */
  async discard(): Promise<void> {
    await this.#handle?.close().catch(() => {})
    if (this.#created) await rm(this.#path, { force: true })
  }

  #writeAtOnce(batch: Buffer[]): void {
    // wall: a small file over one that is there
    const file = openSync(this.#path, 'wx', MODE)
    this.#created = true
    try {
      const missing = missingOf(batch, writevSync(file, batch))
      if (missing !== undefined) throw new Error('the disk took only a part of a file')
    } finally {
      closeSync(file)
    }
  }

  async #open(): Promise<void> {
    if (this.#handle !== undefined) return
    // wall: a large file over one that is there
    this.#handle = await open(this.#path, 'wx', MODE)
    this.#created = true
  }

  async #append(batch: Buffer[]): Promise<void> {
    const { bytesWritten } = (await this.#handle?.writev(batch)) ?? { bytesWritten: 0 }
    let missing = missingOf(batch, bytesWritten)
    while (missing !== undefined && missing.length > 0) {
      const written = await this.#handle?.write(missing)
      missing = missing.subarray(written?.bytesWritten)
    }
  }
}

/**
 * What of a batch is not written yet; `undefined` when all of it is.
 *
 * A full disk or a signal can cut a write short; only then is the rest copied together.
 */
export function missingOf(batch: readonly Buffer[], bytesWritten: number): Buffer | undefined {
  const size = batch.reduce((sum, chunk) => sum + chunk.length, 0)
  return bytesWritten < size ? Buffer.concat(batch).subarray(bytesWritten) : undefined
}
