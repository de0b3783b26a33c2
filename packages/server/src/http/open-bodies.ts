type OpenBody = { bytes: number; reject: () => void }

/**
 * Limits the total memory of bodies that are still arriving. If they exceed the limit, rejects the largest bodies
 * first. Bodies of most calls are small, but a stranger without a key can send thousands of large bodies.
 */
export class OpenBodies {
  readonly #open = new Set<OpenBody>()
  readonly #maxBytes: number
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Adds the bytes of a new chunk to the total. Rejects the largest bodies until the total is within the limit. */
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

  /** Stops counting a body, because it is complete, rejected, or interrupted. */
  remove(body: OpenBody): void {
    if (this.#open.delete(body)) this.#bytes -= body.bytes
  }
}
