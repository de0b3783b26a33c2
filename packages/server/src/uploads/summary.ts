import type { Hash } from 'node:crypto'
import { createHash } from 'node:crypto'

const HEAD_BYTES = 64 * 1024

export class FileSummary {
  bytes = 0
  readonly #hash: Hash = createHash('sha256')
  readonly #head: Buffer[] = []

  add(chunk: Buffer): void {
    if (this.bytes < HEAD_BYTES) this.#head.push(Buffer.from(chunk.subarray(0, HEAD_BYTES - this.bytes)))
    this.bytes += chunk.length
    this.#hash.update(chunk)
  }

  head(): Buffer {
    return Buffer.concat(this.#head)
  }

  /** Returns the digest of all bytes. Call this method only once, after the last byte. */
  sha256(): string {
    return this.#hash.digest('hex')
  }
}
