const SLAB_BYTES = 64 * 1024

/** A chunk of at least this size is kept without a copy: its 64 KiB buffer has at most twice the size of the chunk. */
const KEPT_BYTES = SLAB_BYTES / 2

/** Joins chunks. Copies small chunks: otherwise, a client could keep 64 KiB of memory per byte. */
export class JoinedChunks {
  #chunks: Buffer[] = []
  #bytes = 0
  #slab: Buffer = Buffer.alloc(0)
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

  take(): Buffer[] {
    this.#seal()
    const taken = this.#chunks
    this.#chunks = []
    this.#bytes = 0
    return taken
  }

  #copy(chunk: Buffer): void {
    for (let copied = 0; copied < chunk.length; ) {
      if (this.#to === this.#slab.length) this.#renew()
      const count = chunk.copy(this.#slab, this.#to, copied)
      copied += count
      this.#to += count
    }
  }

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
