type OpenBody = { bytes: number; reject: () => void }

/**
 * Limits the memory of bodies that are still arriving. Over the limit, rejects the largest bodies first: a stranger can
 * keep thousands of large bodies open without a key, while the bodies of most calls are small.
 */
export class OpenBodies {
  readonly #open = new Set<OpenBody>()
  readonly #maxBytes: number
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Counts the bytes of a new chunk, and rejects bodies until the rest is within the limit. */
  add(body: OpenBody, bytes: number): void {
    this.#open.add(body)
    body.bytes += bytes
    this.#bytes += bytes
    while (this.#bytes > this.#maxBytes) {
      const largest = [...this.#open].reduce((one, other) => (other.bytes > one.bytes ? other : one))
      this.remove(largest)
      largest.reject()
    }
  }

  /** Stops counting a body that is complete, rejected, or interrupted. */
  remove(body: OpenBody): void {
    if (this.#open.delete(body)) this.#bytes -= body.bytes
  }
}
