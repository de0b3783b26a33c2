/** Small chunks are copied together in pieces of this size. */
const SLAB_BYTES = 64 * 1024

/** A chunk this large is kept as it came: what it pins in memory is at most twice its size. */
const KEPT_BYTES = SLAB_BYTES / 2

/**
 * Chunks of bytes in memory of about their size, however small they come.
 *
 * A chunk of one byte costs an object of a hundred bytes and more, and keeps alive the 64 KiB that it was read in: a
 * megabyte that a stranger sends byte by byte would take half a gigabyte.
 */
export class JoinedChunks {
  #chunks: Buffer[] = []
  #bytes = 0
  #slab: Buffer = Buffer.alloc(0)
  /** The bytes of the slab that are not among the chunks yet. */
  #from = 0
  #to = 0

  /** How much is held. */
  get bytes(): number {
    return this.#bytes
  }

  add(chunk: Buffer): void {
    this.#bytes += chunk.length
    if (chunk.length < KEPT_BYTES) return this.#copy(chunk)
    this.#seal()
    this.#chunks.push(chunk)
  }

  /** Hands over all that is held, in order, as bytes that are never touched again. */
  take(): Buffer[] {
    this.#seal()
    const taken = this.#chunks
    this.#chunks = []
    this.#bytes = 0
    return taken
  }

  #copy(chunk: Buffer): void {
    for (let copied = 0; copied < chunk.length; ) {
      // One that was handed over whole may have been freed: then it has no length.
      if (this.#to >= this.#slab.length) this.#renew()
      const count = chunk.copy(this.#slab, this.#to, copied)
      copied += count
      this.#to += count
    }
  }

  /** What is left of the slab stays in use: else a byte between two large chunks would cost a slab. */
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

/**
 * Frees the memory of a chunk at once, if nothing shares it. Nobody may look at the chunk afterwards.
 *
 * Left to the collector, every 64 MB of chunks would have it mark the whole heap: a quarter to a half of the processor
 * time of a transfer, and 40 MB of memory.
 */
export function freeChunk(chunk: Buffer): void {
  const { buffer } = chunk
  if (buffer instanceof ArrayBuffer && buffer.byteLength === chunk.length) buffer.transfer(0)
}
