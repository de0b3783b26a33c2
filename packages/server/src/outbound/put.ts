import type { Readable, Writable } from 'node:stream'
import { Deadline } from '../lib/time/deadline.ts'
import { FETCH_LIMITS } from './fetch/fetch.ts'
import { checkUrl } from './guard/check-url.ts'
import type { Network } from './network.ts'
import { send } from './send.ts'

export type PutOptions = {
  network: Network
  headers: Record<string, string>
  size: number
  /** The content of the file. It is read only as fast as the receiver accepts the bytes. `put` destroys this stream. */
  body: Readable
  signal: AbortSignal
  deadlineMs: number
  /** The time limit for each chunk and for the response. Default: 30 s (destinations.attempts.3). */
  stallMs?: number
}

export type PutOutcome = { status: number } | { reason: string; cause?: unknown }

const STALL_MS = 30_000

/** Sends a file with one PUT to checked addresses. Throws the signal's reason, or an error from reading the file. */
export async function put(url: string, options: PutOptions): Promise<PutOutcome> {
  const { body, network, signal, stallMs = STALL_MS } = options
  try {
    // security check: a destination at a private address
    const target = await checkUrl(url, network, { timeoutMs: FETCH_LIMITS.dnsMs, signal })
    if (!target.ok) return { reason: inSentence(target.message), cause: target.cause }
    // security check: a destination that reads a file forever
    using deadline = new Deadline(
      signal,
      options.deadlineMs,
      () => new Error('the upload to the destination timed out'),
    )
    // security check: a destination that stops reading a file
    using stall = new Deadline(deadline.signal, stallMs, () => new Error('the destination stalled'))
    const writer = new FileWriter(body, options.size, stall)
    const outcome = await send(target, network, {
      method: 'PUT',
      headers: { ...options.headers, 'content-length': String(options.size) },
      body: (request) => writer.into(request),
      signal: stall.signal,
      connectMs: FETCH_LIMITS.connectMs,
      headersMs: options.deadlineMs,
    })
    if (outcome.ok) outcome.body.destroy()
    signal.throwIfAborted()
    if (writer.fileError !== undefined) throw writer.fileError
    if (outcome.ok) return toOutcome(outcome.response.statusCode ?? 0, writer)
    if (!stall.signal.aborted) return { reason: `its server ${outcome.reason}`, cause: outcome.cause }
    const slow = deadline.signal.aborted
      ? 'took too long'
      : writer.isDone
        ? 'did not respond in time'
        : 'stopped reading it'
    return { reason: `its server ${slow}`, cause: outcome.cause }
  } finally {
    body.destroy()
  }
}

function toOutcome(status: number, writer: FileWriter): PutOutcome {
  // security check: a response before the file was received
  if (status >= 200 && status < 300 && !writer.isDone)
    return { reason: 'its server responded before it received the whole file' }
  return { status }
}

const inSentence = (message: string) => message.slice(0, 1).toLowerCase() + message.slice(1).replace(/\.$/, '')

class FileWriter {
  readonly #body: Readable
  readonly #stall: Deadline
  readonly #size: number
  #handedOn = 0
  fileError: Error | undefined

  constructor(body: Readable, size: number, stall: Deadline) {
    this.#body = body
    this.#size = size
    this.#stall = stall
  }

  /** Whether the whole file was written. The response may arrive earlier. */
  get isDone(): boolean {
    return this.#handedOn >= this.#size
  }

  into(request: Writable): void {
    request.once('finish', () => this.#stall.restart())
    this.#write(request).catch((error: Error) => {
      if (request.destroyed) return
      this.fileError = error
      request.destroy(error)
    })
  }

  async #write(request: Writable): Promise<void> {
    let wake = () => {}
    request.on('drain', () => wake())
    request.once('close', () => wake())
    for await (const piece of this.#body) {
      this.#stall.restart()
      if (request.destroyed) return
      this.#handedOn += (piece as Buffer).length
      if (!request.write(piece)) await new Promise<void>((resolve) => (wake = resolve))
    }
    request.end()
  }
}
