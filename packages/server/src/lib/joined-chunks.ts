const SLAB_BYTES = 64 * 1024

/** A chunk of at least this size is kept without a copy. It uses at most twice its size in memory. */
const KEPT_BYTES = SLAB_BYTES / 2

/**
 * Collects chunks in about as much memory as their bytes. A one-byte chunk keeps the 64 KiB buffer of its read, so a
 * client that sends byte by byte could exhaust the memory.
 */
export class JoinedChunks {
  #chunks: Buffer[] = []
  #bytes = 0
  #slab: Buffer = Buffer.alloc(0)
  /** The start of the bytes in the slab that are not yet in `#chunks`. */
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

  /** Returns all chunks in order, and removes them from this object. Later chunks do not change them. */
  take(): Buffer[] {
    this.#seal()
    const taken = this.#chunks
    this.#chunks = []
    this.#bytes = 0
    return taken
  }

  #copy(chunk: Buffer): void {
    for (let copied = 0; copied < chunk.length; ) {
      // If the caller freed the slab, its length is 0.
      if (this.#to >= this.#slab.length) this.#renew()
      const count = chunk.copy(this.#slab, this.#to, copied)
      copied += count
      this.#to += count
    }
  }

  /** Adds the slab's new bytes to the chunks. Later chunks use its rest, so that a single byte needs no whole slab. */
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

/** Frees a chunk at once if it owns its buffer, for few garbage collections. Do not use the chunk afterward. */
export function freeChunk(chunk: Buffer): void {
  const { buffer } = chunk
  if (buffer instanceof ArrayBuffer && buffer.byteLength === chunk.length) buffer.transfer(0)
}
