import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { JoinedChunks } from '../../lib/joined-chunks.ts'
import type { ChunkThrottle } from '../chunk-throttle.ts'

/** A body with a larger average chunk is never paused. Ordinary servers send far larger chunks. */
const FREE_CHUNK_BYTES = 256
/** How many tiny chunks a body may send before its first pause. After large chunks, it may send this many again. */
const GRACE_CHUNKS = 256
/** The shortest pause. Meanwhile, the kernel joins small chunks, so that one read returns up to 64 KiB. */
const MIN_PAUSE_MS = 20
const MAX_PAUSE_MS = 10_000

/** The maximum ratio of received bytes to content. Received bytes include the overhead of HTTP and TLS. */
const MAX_FRAMING = 32
const FREE_FRAMING_BYTES = 1024 * 1024

export class InefficientBodyError extends Error {
  override name = 'InefficientBodyError'
}

/** A body with joined chunks. Create it in the `response` event, before the response buffers tiny chunks. */
export class JoinedBody extends Readable {
  readonly #response: IncomingMessage
  readonly #throttle: ChunkThrottle
  readonly #leave: (message: IncomingMessage) => void
  readonly #joined = new JoinedChunks()
  /** The number of chunks in this turn of the event loop. A turn reads the socket once. */
  #chunks = 0
  #excessChunks = -GRACE_CHUNKS
  #bytes = 0
  #isWanted = false
  #pausing: NodeJS.Timeout | undefined
  #onBytes: ((bytes: number) => void) | undefined
  readonly #readBefore: number

  constructor(
    response: IncomingMessage,
    throttle: ChunkThrottle,
    leave: (message: IncomingMessage) => void = (message) => void message.destroy(),
  ) {
    // While the body has no reader, buffer only one read.
    super({ highWaterMark: 1 })
    this.#response = response
    this.#throttle = throttle
    this.#leave = leave
    this.#readBefore = response.socket.bytesRead
    response.on('data', (chunk: Buffer) => this.#receive(chunk))
    response.once('end', () => this.#end())
    response.on('error', (error) => this.destroy(error))
    response.once('close', () => void (this.readableEnded || response.readableEnded || this.destroy()))
    // Without this listener, an error before the body has a reader would end the process. Readers check `errored`.
    this.on('error', () => {})
    // After this first read, the response emits each chunk as soon as it is parsed, and buffers no chunks.
    response.read(0)
  }

  countBytes(onBytes: (bytes: number) => void): void {
    this.#onBytes = onBytes
    onBytes(this.#bytes)
  }

  override _read(): void {
    this.#isWanted = true
    this.#release()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearTimeout(this.#pausing)
    this.#pausing = undefined
    this.#leave(this.#response)
    done(error)
  }

  #receive(chunk: Buffer): void {
    if (this.#chunks === 0) process.nextTick(() => this.#endTurn())
    this.#chunks += 1
    this.#bytes += chunk.length
    this.#joined.add(chunk)
    this.#onBytes?.(chunk.length)
  }

  #endTurn(): void {
    const chunks = this.#chunks
    const bytes = this.#joined.bytes
    this.#pushJoined()
    if (this.destroyed || this.#response.readableEnded) return
    this.#excessChunks = Math.max(-GRACE_CHUNKS, this.#excessChunks + chunks - bytes / FREE_CHUNK_BYTES)
    // security check: single bytes that are read as fast as they arrive
    if (this.#isInefficient())
      this.destroy(new InefficientBodyError('the headers of the chunks are too large for the size of the body'))
    else if (this.#excessChunks > 0) this.#pause()
    if (this.#pausing !== undefined || !this.#isWanted) this.#hold()
  }

  #pushJoined(): void {
    this.#chunks = 0
    for (const chunk of this.#joined.take()) if (!this.destroyed) this.#isWanted = this.push(chunk) && this.#isWanted
  }

  #end(): void {
    this.#pushJoined()
    this.push(null)
  }

  #isInefficient(): boolean {
    const read = this.#response.socket.bytesRead - this.#readBefore
    // security check: framing without a body
    return read > FREE_FRAMING_BYTES + MAX_FRAMING * this.#bytes
  }

  #pause(): void {
    const pauseMs = Math.max(MIN_PAUSE_MS, this.#throttle.pauseMs(this.#excessChunks))
    this.#excessChunks = 0
    // Bytes that arrive before the socket stops start a new pause.
    clearTimeout(this.#pausing)
    // security check: an endless pause
    if (pauseMs > MAX_PAUSE_MS)
      return void this.destroy(new InefficientBodyError('the body arrives in tiny chunks while other bodies wait'))
    this.#pausing = setTimeout(() => {
      this.#pausing = undefined
      if (this.#isWanted) this.#release()
    }, pauseMs)
  }

  /** Pauses the socket in the next tick, because in this tick the response still resumes the socket. */
  #hold(): void {
    process.nextTick(() => {
      // The response is complete, so its connection may already serve another call.
      if (this.#response.readableEnded) return
      // security check: reads during a pause
      if (this.#pausing !== undefined || !this.#isWanted) this.#response.socket.pause()
    })
  }

  #release(): void {
    if (this.#pausing === undefined && !this.#response.readableEnded) this.#response.socket.resume()
  }
}
