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
  /** The file's bytes from the first on; read at the pace of the receiver, and destroyed in any case. */
  body: Readable
  signal: AbortSignal
  /** For the whole try. */
  deadlineMs: number
  /** Without a byte that is taken, and for the answer after the last one; 30 s unless a test says less (destinations.attempts.3). */
  stallMs?: number
}

/** The end of a try: an answer's status, or why there was none. The reason follows "because". */
export type PutOutcome = { status: number } | { reason: string; cause?: unknown }

const STALL_MS = 30_000

/**
 * Puts a file to a URL and never tries twice. It checks the URL now, connects to no other address than was checked, and
 * follows no redirect. It holds a piece or two of the file at a time.
 *
 * Throws the signal's reason, and an error of the file's own.
 */
export async function put(url: string, options: PutOptions): Promise<PutOutcome> {
  const { body, network, signal, stallMs = STALL_MS } = options
  try {
    // wall: a destination at a private address
    const target = await checkUrl(url, network, { timeoutMs: FETCH_LIMITS.dnsMs, signal })
    if (!target.ok) return { reason: inSentence(target.message), cause: target.cause }
    // wall: a destination that takes a file for ever
    using deadline = new Deadline(signal, options.deadlineMs, () => new Error('the deadline of a destination'))
    using stall = new Stall(deadline.signal, stallMs)
    const pour = new Pour(body, options.size, stall)
    const outcome = await send(target, network, {
      method: 'PUT',
      headers: { ...options.headers, 'content-length': String(options.size) },
      body: (request) => pour.into(request),
      signal: stall.signal,
      connectMs: FETCH_LIMITS.connectMs,
      headersMs: options.deadlineMs,
    })
    if (outcome.ok) outcome.body.destroy()
    signal.throwIfAborted()
    if (pour.fileError !== undefined) throw pour.fileError
    if (outcome.ok) return judge(outcome.response.statusCode ?? 0, pour)
    if (!stall.signal.aborted) return { reason: `its server ${outcome.reason}`, cause: outcome.cause }
    const slow = deadline.signal.aborted
      ? 'took too long'
      : pour.isDone
        ? 'did not answer in time'
        : 'stopped taking it'
    return { reason: `its server ${slow}`, cause: outcome.cause }
  } finally {
    body.destroy()
  }
}

/** A success for half a file is none. */
function judge(status: number, pour: Pour): PutOutcome {
  // wall: an answer before the file was taken
  if (status >= 200 && status < 300 && !pour.isDone) return { reason: 'its server answered before it had taken it' }
  return { status }
}

const inSentence = (message: string) => message.slice(0, 1).toLowerCase() + message.slice(1).replace(/\.$/, '')

/** A signal that ends when nothing has moved for a time. */
class Stall implements Disposable {
  readonly #controller = new AbortController()
  readonly #parent: AbortSignal
  readonly #timer: NodeJS.Timeout
  readonly #follow = () => this.#controller.abort(this.#parent.reason)

  constructor(parent: AbortSignal, ms: number) {
    this.#parent = parent
    // wall: a destination that stops taking a file
    this.#timer = setTimeout(() => this.#controller.abort(new Error('a destination stalled')), ms)
    if (parent.aborted) this.#follow()
    else parent.addEventListener('abort', this.#follow, { once: true })
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  moved(): void {
    if (!this.#controller.signal.aborted) this.#timer.refresh()
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    this.#parent.removeEventListener('abort', this.#follow)
  }
}

/** A file on its way into a call: a piece is read when the one before was taken. */
class Pour {
  readonly #body: Readable
  readonly #stall: Stall
  readonly #size: number
  #handedOn = 0
  /** What went wrong with the file and not with the call. */
  fileError: Error | undefined

  constructor(body: Readable, size: number, stall: Stall) {
    this.#body = body
    this.#size = size
    this.#stall = stall
  }

  /** Whether every byte was handed on. Not the call's own end, before which the answer to the last byte may come. */
  get isDone(): boolean {
    return this.#handedOn >= this.#size
  }

  into(request: Writable): void {
    request.once('finish', () => this.#stall.moved())
    this.#pour(request).catch((error: Error) => {
      // How the call itself ends is told by the call.
      if (request.destroyed) return
      this.fileError = error
      request.destroy(error)
    })
  }

  /** By hand: a pipe hands the call's errors to the file, or lets it flow on for nobody. */
  async #pour(request: Writable): Promise<void> {
    let wake = () => {}
    request.on('drain', () => wake())
    request.once('close', () => wake())
    for await (const piece of this.#body) {
      this.#stall.moved()
      if (request.destroyed) return
      this.#handedOn += (piece as Buffer).length
      if (!request.write(piece)) await new Promise<void>((resolve) => (wake = resolve))
    }
    request.end()
  }
}
