import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { JoinedChunks } from '../../lib/joined-chunks.ts'
import type { Toll } from '../toll.ts'

/** A piece for so many bytes is free: those of servers that mean well are larger by far. */
const FREE_PIECE_BYTES = 256
/** Free in any case, for a body that begins or ends in crumbs. */
const GRACE_PIECES = 256
/** Time for more to come together: a read of one byte costs as much as one of 64 KiB. */
const LEAST_REST_MS = 20
const LONGEST_REST_MS = 10_000

/** Framing may be so many times what it frames, beside what headers and a TLS handshake take. */
const MAX_FRAMING = 32
const FREE_FRAMING_BYTES = 1024 * 1024

/** A body that takes far more work to read than its bytes are worth. */
export class WastefulBody extends Error {
  override name = 'WastefulBody'
}

/**
 * The body of an answer or a call, with its small pieces joined. It is read with rests when it comes in crumbs.
 *
 * It must be made in the event that tells of the answer: what comes with the headers would be kept as crumbs. It is
 * destroyed with `WastefulBody` when the rests get too long or the framing too large.
 */
export class JoinedBody extends Readable {
  readonly #response: IncomingMessage
  readonly #toll: Toll
  readonly #leave: (message: IncomingMessage) => void
  readonly #joined = new JoinedChunks()
  /** Of the turn of the event loop that is under way; what one read of the socket brought is one turn. */
  #pieces = 0
  #owed = -GRACE_PIECES
  #bytes = 0
  #isWanted = false
  #resting: NodeJS.Timeout | undefined
  #onBytes: ((bytes: number) => void) | undefined
  /** What the connection had brought before: it may have carried other bodies. */
  readonly #readBefore: number

  /** `leave` is what becomes of the message when this is destroyed: by itself it is destroyed too. */
  constructor(
    response: IncomingMessage,
    toll: Toll,
    leave: (message: IncomingMessage) => void = (message) => void message.destroy(),
  ) {
    // While nobody reads it holds what was read at once.
    super({ highWaterMark: 1 })
    this.#response = response
    this.#toll = toll
    this.#leave = leave
    this.#readBefore = response.socket.bytesRead
    response.on('data', (chunk: Buffer) => this.#receive(chunk))
    response.once('end', () => this.#end())
    response.on('error', (error) => this.destroy(error))
    response.once('close', () => void (this.readableEnded || response.readableEnded || this.destroy()))
    // Whoever reads listens for himself; before that, what goes wrong is told by its being destroyed.
    this.on('error', () => {})
    // From here on pieces are handed over as they are parsed; before a first read an answer keeps them.
    response.read(0)
  }

  /** Tells of the bytes that came so far, and of those of each piece that comes. */
  countBytes(onBytes: (bytes: number) => void): void {
    this.#onBytes = onBytes
    onBytes(this.#bytes)
  }

  override _read(): void {
    this.#isWanted = true
    this.#release()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearTimeout(this.#resting)
    this.#resting = undefined
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
    // wall: single bytes that are read as fast as they come
    if (this.#isWasteful()) this.destroy(new WastefulBody('a body of little but framing'))
    else if (this.#owed > 0) this.#rest()
    if (this.#resting !== undefined || !this.#isWanted) this.#hold()
  }

  #handOn(): void {
    this.#pieces = 0
    for (const chunk of this.#joined.take()) if (!this.destroyed) this.#isWanted = this.push(chunk) && this.#isWanted
  }

  #end(): void {
    this.#handOn()
    this.push(null)
  }

  #isWasteful(): boolean {
    const read = this.#response.socket.bytesRead - this.#readBefore
    // wall: framing without a body
    return read > FREE_FRAMING_BYTES + MAX_FRAMING * this.#bytes
  }

  #rest(): void {
    const restMs = Math.max(LEAST_REST_MS, this.#toll.restMs(this.#owed))
    this.#owed = 0
    // What was read before the socket stopped is owed for too.
    clearTimeout(this.#resting)
    // wall: a rest without end
    if (restMs > LONGEST_REST_MS) return void this.destroy(new WastefulBody('a body in crumbs, beside others'))
    this.#resting = setTimeout(() => {
      this.#resting = undefined
      if (this.#isWanted) this.#release()
    }, restMs)
  }

  /**
   * Stops the socket and not the answer, which would fill its own buffer with crumbs. A tick later, for the answer itself
   * asks its socket for more at the end of this one.
   */
  #hold(): void {
    process.nextTick(() => {
      // The connection may be somebody else's by now.
      if (this.#response.readableEnded) return
      // wall: a rest in which more is read
      if (this.#resting !== undefined || !this.#isWanted) this.#response.socket.pause()
    })
  }

  #release(): void {
    if (this.#resting === undefined && !this.#response.readableEnded) this.#response.socket.resume()
  }
}
