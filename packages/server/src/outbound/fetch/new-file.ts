import type { FileHandle } from 'node:fs/promises'
import { open, rm } from 'node:fs/promises'
import { freeChunk } from '../../lib/joined-chunks.ts'

const MODE = 0o600

/** Writes a new file. `finish` keeps the file, and `discard` deletes it. `write` frees the memory of its chunks. */
export class NewFile {
  readonly #path: string
  #handle: FileHandle | undefined

  constructor(path: string) {
    this.#path = path
  }

  async write(batch: Buffer[]): Promise<void> {
    await this.#open()
    await this.#append(batch)
    for (const chunk of batch) freeChunk(chunk)
  }

  async finish(): Promise<void> {
    await this.#open()
    await this.#handle?.close()
  }

  async discard(): Promise<void> {
    await this.#handle?.close().catch(() => {})
    if (this.#handle !== undefined) await rm(this.#path, { force: true })
  }

  async #open(): Promise<void> {
    if (this.#handle !== undefined) return
    // security check: an existing file that is overwritten
    this.#handle = await open(this.#path, 'wx', MODE)
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

/** Returns the bytes of a batch that were not written. A full disk or a signal can end a write before all bytes. */
export function missingOf(batch: readonly Buffer[], bytesWritten: number): Buffer | undefined {
  const size = batch.reduce((sum, chunk) => sum + chunk.length, 0)
  return bytesWritten < size ? Buffer.concat(batch).subarray(bytesWritten) : undefined
}
