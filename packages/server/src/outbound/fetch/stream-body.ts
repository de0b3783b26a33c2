import type { Readable } from 'node:stream'
import { RequestFailure } from '@mediamill/contract/domain/errors'
import { formatBytes } from '@mediamill/contract/lib/format-text'
import { JoinedChunks } from '../../lib/joined-chunks.ts'
import type { ReceivedResponse } from '../send.ts'
import { decodedBody } from './content-encoding.ts'
import type { FetchOptions } from './fetch.ts'
import { FETCH_LIMITS, unreachable } from './fetch.ts'
import { InefficientBodyError } from './joined-body.ts'
import { watchSpeed } from './watch-speed.ts'

export type StreamOptions = FetchOptions & {
  maxBytes: number
  /** Counts the received bytes for the usage: before decompression, and also for failed transfers. */
  received?: { bytes: number }
}

/** The size of a batch. Each write goes through the thread pool, so large batches are cheaper. */
const BATCH_BYTES = 1024 * 1024
const MAX_WAITING_BYTES = 4 * BATCH_BYTES

type WriteBatch = (batch: Buffer[]) => Promise<void>

export function checkLength({ response }: ReceivedResponse, options: StreamOptions): void {
  const declared = Number(response.headers['content-length'] ?? 0)
  // security check: a Content-Length over the limit
  if (declared <= options.maxBytes) return
  response.destroy()
  throw tooLarge(options, declared)
}

/**
 * Passes the decompressed body to `take` in batches, and returns its size. `maxBytes` limits both the received and the
 * decompressed bytes.
 */
export function streamBody(response: ReceivedResponse, options: StreamOptions, take: WriteBatch): Promise<number> {
  // security check: an unsupported compression
  const body = decodedBody(response)
  if (body === undefined) {
    response.body.destroy()
    return Promise.reject(unreachable(options, 'its server compressed it in a way that is not supported'))
  }
  return new Promise((resolve, reject) => new Transfer(response, body, options, take, { resolve, reject }).start())
}

type Settle = { resolve: (bytes: number) => void; reject: (error: unknown) => void }

class Transfer {
  readonly #response: ReceivedResponse
  readonly #body: Readable
  readonly #options: StreamOptions
  readonly #take: WriteBatch
  readonly #settle: Settle
  readonly #abort = () => this.#stop(this.#options.signal.reason)
  #pace: Disposable | undefined
  #wireBytes = 0
  #bytes = 0
  readonly #waiting = new JoinedChunks()
  #isTaking = false
  #isEnded = false
  #isStopped = false

  constructor(response: ReceivedResponse, body: Readable, options: StreamOptions, take: WriteBatch, settle: Settle) {
    this.#response = response
    this.#body = body
    this.#options = options
    this.#take = take
    this.#settle = settle
  }

  start(): void {
    const { signal } = this.#options
    this.#pace = watchSpeed(() => (this.#body.isPaused() ? undefined : this.#wireBytes), {
      limits: { ...FETCH_LIMITS, ...this.#options.limits },
      onSlow: (how) => this.#fail(`its server ${how}`),
    })
    this.#body.on('data', (chunk: Buffer) => this.#collect(chunk))
    this.#body.once('end', () => this.#end())
    this.#body.on('error', (cause) => this.#fail(reasonOf(cause), cause))
    this.#body.once('close', () => this.#isEnded || this.#fail('its server interrupted the transfer'))
    signal.addEventListener('abort', this.#abort, { once: true })
    // The body may have failed before there was a listener.
    // security check: a response that ended before it was read
    if (signal.aborted) this.#abort()
    else if (this.#response.body.destroyed) this.#fail(reasonOf(this.#response.body.errored))
    else this.#response.body.countBytes((bytes) => this.#count(bytes))
  }

  #count(bytes: number): void {
    this.#wireBytes += bytes
    if (this.#options.received !== undefined) this.#options.received.bytes += bytes
    // security check: received bytes over the limit
    if (this.#wireBytes > this.#options.maxBytes) this.#stop(tooLarge(this.#options))
  }

  #collect(chunk: Buffer): void {
    if (this.#isStopped) return
    this.#bytes += chunk.length
    // security check: decompressed bytes over the limit
    if (this.#bytes > this.#options.maxBytes) return this.#stop(tooLarge(this.#options))
    this.#waiting.add(chunk)
    if (this.#waiting.bytes >= BATCH_BYTES) this.#hand()
    if (this.#waiting.bytes >= MAX_WAITING_BYTES) this.#body.pause()
  }

  #end(): void {
    // security check: a compressed body whose response is cut off
    if (!this.#response.response.complete) return this.#fail('its server closed the connection early')
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
    this.#response.body.destroy()
    settle()
  }
}

function reasonOf(cause: unknown): string {
  if (cause instanceof InefficientBodyError) return 'its server sends it in chunks that are too small'
  return 'its server interrupted the transfer'
}

/** `size`: the size of the file, if it is known before the file is read. */
export function tooLarge(options: Pick<StreamOptions, 'subject' | 'maxBytes'>, size?: number): RequestFailure {
  const limit = formatBytes(options.maxBytes)
  if (options.subject !== 'watermark image') {
    return new RequestFailure('source_too_large', `The source is larger than ${limit}, the limit.`)
  }
  const inFull = (bytes: number) => `${bytes.toLocaleString('en')} bytes`
  return new RequestFailure(
    'processing_failed',
    size === undefined
      ? `The watermark image is larger than ${limit}, the limit.`
      : `The watermark image has ${inFull(size)}; the limit is ${limit} (${inFull(options.maxBytes)}).`,
  )
}
