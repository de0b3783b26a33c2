import type { Readable } from 'node:stream'
import { RequestFailure } from '@mediamill/contract/domain/errors'
import { formatBytes } from '@mediamill/contract/lib/format-text'
import { JoinedChunks } from '../../lib/joined-chunks.ts'
import type { Answer } from '../send.ts'
import { decodedBody } from './content-encoding.ts'
import type { FetchOptions } from './fetch.ts'
import { FETCH_LIMITS, unreachable } from './fetch.ts'
import { WastefulBody } from './joined-body.ts'
import { watchPace } from './pace.ts'

/** What a body may have, and where its bytes are counted. */
export type PourOptions = FetchOptions & {
  maxBytes: number
  /** Counts what came over the wire, also when the transfer fails (usage counts it). */
  received?: { bytes: number }
}

/** A batch this large is handed on: a write of 1 MiB costs about what one of 64 KiB does (a hop to the thread pool). */
const BATCH_BYTES = 1024 * 1024
/** So much may wait for the disk before we stop reading. */
const MAX_WAITING_BYTES = 4 * BATCH_BYTES

/** Takes bytes that are never touched again. */
export type TakeBatch = (batch: Buffer[]) => Promise<void>

/** Throws `source_too_large` when the server says itself that the body is over the cap. */
export function checkLength({ response }: Answer, options: PourOptions): void {
  const declared = Number(response.headers['content-length'] ?? 0)
  // wall: a length that is announced over the cap
  if (declared <= options.maxBytes) return
  response.destroy()
  throw tooLarge(options)
}

/**
 * Reads the whole body and hands it to `take` in batches. It does so one at a time and in order, and resolves with the
 * size.
 *
 * Bytes are counted on the wire and after inflation, both against the cap. Throws `RequestFailure` for a body that is
 * too large, stalls, crawls or ends early, what `take` threw, or the signal's reason.
 */
export function pour(answer: Answer, options: PourOptions, take: TakeBatch): Promise<number> {
  // wall: a compression nobody asked for and we do not know
  const body = decodedBody(answer)
  if (body === undefined) {
    answer.body.destroy()
    return Promise.reject(unreachable(options, 'its server compressed it in a way that is not supported'))
  }
  return new Promise((resolve, reject) => new Transfer(answer, body, options, take, { resolve, reject }).start())
}

type Settle = { resolve: (bytes: number) => void; reject: (error: unknown) => void }

/** One body on its way: from the events of its stream to batches. */
class Transfer {
  readonly #answer: Answer
  readonly #body: Readable
  readonly #options: PourOptions
  readonly #take: TakeBatch
  readonly #settle: Settle
  readonly #abort = () => this.#stop(this.#options.signal.reason)
  #pace: Disposable | undefined
  #wireBytes = 0
  #bytes = 0
  readonly #waiting = new JoinedChunks()
  #isTaking = false
  #isEnded = false
  #isStopped = false

  constructor(answer: Answer, body: Readable, options: PourOptions, take: TakeBatch, settle: Settle) {
    this.#answer = answer
    this.#body = body
    this.#options = options
    this.#take = take
    this.#settle = settle
  }

  start(): void {
    const { signal } = this.#options
    this.#pace = watchPace(() => (this.#body.isPaused() ? undefined : this.#wireBytes), {
      limits: { ...FETCH_LIMITS, ...this.#options.limits },
      onSlow: (how) => this.#fail(`its server ${how}`),
    })
    this.#body.on('data', (chunk: Buffer) => this.#collect(chunk))
    this.#body.once('end', () => this.#end())
    this.#body.on('error', (cause) => this.#fail(reasonOf(cause), cause))
    this.#body.once('close', () => this.#isEnded || this.#fail('its server broke off the transfer'))
    signal.addEventListener('abort', this.#abort, { once: true })
    // Between the headers and now it may have ended badly without anybody listening.
    // wall: an answer that broke off before it was read
    if (signal.aborted) this.#abort()
    else if (this.#answer.body.destroyed) this.#fail(reasonOf(this.#answer.body.errored))
    else this.#answer.body.countBytes((bytes) => this.#count(bytes))
  }

  #count(bytes: number): void {
    this.#wireBytes += bytes
    if (this.#options.received !== undefined) this.#options.received.bytes += bytes
    // wall: bytes on the wire over the cap
    if (this.#wireBytes > this.#options.maxBytes) this.#stop(tooLarge(this.#options))
  }

  #collect(chunk: Buffer): void {
    if (this.#isStopped) return
    this.#bytes += chunk.length
    // wall: inflated bytes over the cap
    if (this.#bytes > this.#options.maxBytes) return this.#stop(tooLarge(this.#options))
    this.#waiting.add(chunk)
    if (this.#waiting.bytes >= BATCH_BYTES) this.#hand()
    if (this.#waiting.bytes >= MAX_WAITING_BYTES) this.#body.pause()
  }

  #end(): void {
    // wall: a compressed body whose answer is cut off
    if (!this.#answer.response.complete) return this.#fail('its server closed the connection early')
    this.#isEnded = true
    this.#hand()
  }

  #hand(): void {
    if (this.#isTaking || this.#isStopped) return
    if (this.#waiting.bytes === 0) {
      if (this.#isEnded) this.#finish(() => this.#settle.resolve(this.#bytes))
      return
    }
    this.#isTaking = true
    this.#take(this.#waiting.take()).then(
      () => {
        this.#isTaking = false
        if (this.#body.isPaused()) this.#body.resume()
        if (this.#isEnded || this.#waiting.bytes >= BATCH_BYTES) this.#hand()
      },
      (error: unknown) => this.#stop(error),
    )
  }

  #fail(why: string, cause?: unknown): void {
    this.#stop(unreachable(this.#options, why, cause))
  }

  #stop(error: unknown): void {
    this.#finish(() => this.#settle.reject(error))
  }

  #finish(settle: () => void): void {
    if (this.#isStopped) return
    this.#isStopped = true
    this.#pace?.[Symbol.dispose]()
    this.#options.signal.removeEventListener('abort', this.#abort)
    this.#body.destroy()
    this.#answer.body.destroy()
    settle()
  }
}

function reasonOf(cause: unknown): string {
  if (cause instanceof WastefulBody) return 'its server sends it in pieces that are too small'
  return 'its server broke off the transfer'
}

/** The failure of a source over its cap. */
export function tooLarge(options: Pick<PourOptions, 'subject' | 'maxBytes'>): RequestFailure {
  const subject = options.subject ?? 'source'
  return new RequestFailure(
    'source_too_large',
    `The ${subject} is larger than ${formatBytes(options.maxBytes)}, the limit.`,
  )
}
