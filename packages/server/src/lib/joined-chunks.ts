/** Small chunks are copied into slabs of this size. */
const SLAB_BYTES = 64 * 1024

/** A chunk of this size is kept without a copy. It holds at most twice its size in memory. */
const KEPT_BYTES = SLAB_BYTES / 2

/**
 * Collects chunks in about as much memory as they have bytes. A chunk of one byte keeps the 64 KiB of its read alive,
 * so a client that sends byte by byte could exhaust the memory.
 */
export class JoinedChunks {
  #chunks: Buffer[] = []
  #bytes = 0
  #slab: Buffer = Buffer.alloc(0)
  /** The start of the slab's bytes that are not in the chunks yet. */
  #from = 0
  #to = 0

  get bytes(): number {
    return this.#bytes
  }

  add(chunk: Buffer): void {
    this.#bytes += chunk.length
    if (chunk.length < KEPT_BYTES) return this.#copy(chunk)
    this.#seal()
    this.#chunks.push(chunk)
  }

  /** Returns all chunks in order, and starts empty. Later chunks do not change them. */
  take(): Buffer[] {
    this.#seal()
    const taken = this.#chunks
    this.#chunks = []
    this.#bytes = 0
    return taken
  }

  #copy(chunk: Buffer): void {
    for (let copied = 0; copied < chunk.length; ) {
      // A slab that the caller freed has length 0.
      if (this.#to >= this.#slab.length) this.#renew()
      const count = chunk.copy(this.#slab, this.#to, copied)
      copied += count
      this.#to += count
    }
  }

  /** The rest of the slab stays in use. Otherwise, a byte between two large chunks would need a whole slab. */
  #seal(): void {
    if (this.#to > this.#from) this.#chunks.push(this.#slab.subarray(this.#from, this.#to))
    this.#from = this.#to
  }

  #renew(): void {
    this.#seal()
    this.#slab = Buffer.allocUnsafeSlow(SLAB_BYTES)
    this.#from = 0
    this.#to = 0
  }
}

/** Frees an unshared chunk at once, so that transfers cause few collections. Do not use the chunk afterwards. */
export function freeChunk(chunk: Buffer): void {
  const { buffer } = chunk
  if (buffer instanceof ArrayBuffer && buffer.byteLength === chunk.length) buffer.transfer(0)
}
