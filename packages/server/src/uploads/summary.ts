import type { Hash } from 'node:crypto'
import { createHash } from 'node:crypto'

/** As much of a file's beginning as `sniff` needs. */
const HEAD_BYTES = 64 * 1024

/** Sums up a file while its bytes come. It finds the digest, the beginning and the size. */
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

  /** In hex, of all bytes. The summary ends with it. */
  sha256(): string {
    return this.#hash.digest('hex')
  }
}
