import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { JoinedChunks } from '../../lib/joined-chunks.ts'
import type { ChunkThrottle } from '../chunk-throttle.ts'

/** A body may have one chunk for each of this many bytes without a pause. Ordinary servers send far larger chunks. */
const FREE_PIECE_BYTES = 256
/** The number of tiny chunks at the start or end of a body that cause no pause. */
const GRACE_PIECES = 256
/** Pauses let more bytes accumulate, because a read of one byte costs as much as a read of 64 KiB. */
const MIN_PAUSE_MS = 20
const MAX_PAUSE_MS = 10_000

/** The maximum ratio of framing (HTTP chunks and TLS records) to content. */
const MAX_FRAMING = 32
const FREE_FRAMING_BYTES = 1024 * 1024

/** The body costs far more work to read than its size justifies. */
export class InefficientBodyError extends Error {
  override name = 'InefficientBodyError'
}

/**
 * A body with its small chunks joined. Create it in the event that announces the response: later, the response already
 * holds tiny chunks. It is destroyed with `InefficientBodyError` if its pauses get too long or its framing too large.
 */
export class JoinedBody extends Readable {
  readonly #response: IncomingMessage
  readonly #throttle: ChunkThrottle
  readonly #leave: (message: IncomingMessage) => void
  readonly #joined = new JoinedChunks()
  /** Chunks in the current turn of the event loop. One read of the socket is one turn. */
  #pieces = 0
  #owed = -GRACE_PIECES
  #bytes = 0
  #isWanted = false
  #pausing: NodeJS.Timeout | undefined
  #onBytes: ((bytes: number) => void) | undefined
  /** Bytes that the connection had read before this body. The connection may have carried other bodies. */
  readonly #readBefore: number

  /** `leave` disposes of the message when the body is destroyed. By default the message is destroyed too. */
  constructor(
    response: IncomingMessage,
    throttle: ChunkThrottle,
    leave: (message: IncomingMessage) => void = (message) => void message.destroy(),
  ) {
    // Without a reader it buffers only one read.
    super({ highWaterMark: 1 })
    this.#response = response
    this.#throttle = throttle
    this.#leave = leave
    this.#readBefore = response.socket.bytesRead
    response.on('data', (chunk: Buffer) => this.#receive(chunk))
    response.once('end', () => this.#end())
    response.on('error', (error) => this.destroy(error))
    response.once('close', () => void (this.readableEnded || response.readableEnded || this.destroy()))
    // A reader adds its own listener. Before that, the destroyed state reports the error.
    this.on('error', () => {})
    // From here on chunks are passed on as they are parsed. Before a first read the response would keep them.
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
    if (this.#pieces === 0) process.nextTick(() => this.#endTurn())
    this.#pieces += 1
    this.#bytes += chunk.length
    this.#joined.add(chunk)
    this.#onBytes?.(chunk.length)
  }

  #endTurn(): void {
    const pieces = this.#pieces
    const bytes = this.#joined.bytes
    this.#handOn()
    if (this.destroyed || this.#response.readableEnded) return
    this.#owed = Math.max(-GRACE_PIECES, this.#owed + pieces - bytes / FREE_PIECE_BYTES)
    // security check: single bytes that are read as fast as they arrive
    if (this.#isInefficient()) this.destroy(new InefficientBodyError('a body with too much framing'))
    else if (this.#owed > 0) this.#pause()
    if (this.#pausing !== undefined || !this.#isWanted) this.#hold()
  }

  #handOn(): void {
    this.#pieces = 0
    for (const chunk of this.#joined.take()) if (!this.destroyed) this.#isWanted = this.push(chunk) && this.#isWanted
  }

  #end(): void {
    this.#handOn()
    this.push(null)
  }

  #isInefficient(): boolean {
    const read = this.#response.socket.bytesRead - this.#readBefore
    // security check: framing without a body
    return read > FREE_FRAMING_BYTES + MAX_FRAMING * this.#bytes
  }

  #pause(): void {
    const pauseMs = Math.max(MIN_PAUSE_MS, this.#throttle.pauseMs(this.#owed))
    this.#owed = 0
    // Bytes that were read before the socket stopped count too.
    clearTimeout(this.#pausing)
    // security check: an endless pause
    if (pauseMs > MAX_PAUSE_MS)
      return void this.destroy(new InefficientBodyError('a body in tiny chunks while others wait'))
    this.#pausing = setTimeout(() => {
      this.#pausing = undefined
      if (this.#isWanted) this.#release()
    }, pauseMs)
  }

  /** Pauses the socket in the next tick: the response resumes it in this tick, and would buffer tiny chunks itself. */
  #hold(): void {
    process.nextTick(() => {
      // The connection may serve another call by now.
      if (this.#response.readableEnded) return
      // security check: reads during a pause
      if (this.#pausing !== undefined || !this.#isWanted) this.#response.socket.pause()
    })
  }

  #release(): void {
    if (this.#pausing === undefined && !this.#response.readableEnded) this.#response.socket.resume()
  }
}
