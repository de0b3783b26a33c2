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

/** How many summaries are kept. When an upload without a summary completes, it is read from the store. */
const MAX_KEPT = 200

/** The summaries of uploads of which this process has received all bytes so far. */
export class Summaries {
  readonly #kept = new Map<string, FileSummary>()

  /**
   * Takes the summary of the first `received` bytes of an upload. Returns `undefined` if another process received some
   * of them, or if newer summaries replaced it.
   */
  take(uploadId: string, received: number): FileSummary | undefined {
    if (received === 0) return new FileSummary()
    const kept = this.#kept.get(uploadId)
    this.#kept.delete(uploadId)
    return kept?.bytes === received ? kept : undefined
  }

  keep(uploadId: string, summary: FileSummary): void {
    this.#kept.set(uploadId, summary)
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest)
  }
}
