import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { RequestFailure } from '../domain/errors.ts'
import { formatBytes } from '../domain/limits.ts'
import { decodedBody } from './content-encoding.ts'
import { FETCH_LIMITS, type FetchOptions, unreachable } from './fetch.ts'
import { watchPace } from './pace.ts'

/** What a body may have, and where its bytes are counted. */
export type PourOptions = FetchOptions & {
  maxBytes: number
  /** Counts what came over the wire, also when the transfer fails (usage counts it). */
  received?: { bytes: number }
}

/** A batch this large is handed on: a write of 1 MiB costs about what one of 64 KiB does (a hop to the thread pool). */
const BATCH_BYTES = 1024 * 1024
/** A server that sends single bytes may not pile up a million small buffers. */
const BATCH_CHUNKS = 512
/** So much may wait for the disk before we stop reading. */
const MAX_WAITING_BYTES = 4 * BATCH_BYTES

/** Takes bytes that are never touched again; `isLast` when the body ends with them. */
export type TakeBatch = (batch: Buffer[], isLast: boolean) => Promise<void>

/** Throws `source_too_large` when the server says itself that the body is over the cap. */
export function checkLength(response: IncomingMessage, options: PourOptions): void {
  const declared = Number(response.headers['content-length'] ?? 0)
  if (declared <= options.maxBytes) return
  response.destroy()
  throw tooLarge(options)
}

/**
 * Reads the whole body and hands it to `take` in batches, one at a time and in order; resolves with its size.
 *
 * Bytes are counted on the wire and after inflation, both against the cap. Throws `RequestFailure` for a body that is
 * too large, stalls, crawls or ends early, what `take` threw, or the signal's reason.
 */
export function pour(response: IncomingMessage, options: PourOptions, take: TakeBatch): Promise<number> {
  const body = decodedBody(response)
  if (body === undefined) {
    response.destroy()
    return Promise.reject(unreachable(options, 'its server compressed it in a way that is not supported'))
  }
  return transfer(response, body, options, take)
}

function transfer(response: IncomingMessage, body: Readable, options: PourOptions, take: TakeBatch): Promise<number> {
  const received = options.received ?? { bytes: 0 }
  let wireBytes = 0
  let bytes = 0
  let waiting: Buffer[] = []
  let waitingBytes = 0
  let taking = false
  let ended = false

  return new Promise((resolve, reject) => {
    const pace = watchPace(() => (taking && body.isPaused() ? undefined : wireBytes), {
      limits: { ...FETCH_LIMITS, ...options.limits },
      onSlow: (how) => stop(unreachable(options, `its server ${how}`)),
    })
    const abort = () => stop(options.signal.reason)
    function stop(error: unknown): void {
      settle()
      body.destroy()
      response.destroy()
      reject(error)
    }
    function settle(): void {
      pace[Symbol.dispose]()
      options.signal.removeEventListener('abort', abort)
    }
    function hand(): void {
      if (taking) return
      if (waitingBytes === 0) {
        if (!ended) return
        settle()
        return resolve(bytes)
      }
      const batch = waiting
      waiting = []
      waitingBytes = 0
      taking = true
      take(batch, ended).then(() => {
        taking = false
        if (body.isPaused()) body.resume()
        if (ended || isFull()) hand()
      }, stop)
    }
    const isFull = () => waitingBytes >= BATCH_BYTES || waiting.length >= BATCH_CHUNKS

    response.on('data', (chunk: Buffer) => {
      wireBytes += chunk.length
      received.bytes += chunk.length
      if (wireBytes > options.maxBytes) stop(tooLarge(options))
    })
    body.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > options.maxBytes) return stop(tooLarge(options))
      waiting.push(chunk)
      waitingBytes += chunk.length
      if (isFull()) hand()
      if (waitingBytes >= MAX_WAITING_BYTES) body.pause()
    })
    body.once('end', () => {
      if (!response.complete) return stop(unreachable(options, 'its server closed the connection early'))
      ended = true
      hand()
    })
    body.on('error', (cause) => stop(unreachable(options, 'its server broke off the transfer', cause)))
    body.once('close', () => {
      if (!ended) stop(unreachable(options, 'its server broke off the transfer'))
    })
    // Between the headers and now it may have ended badly without anybody listening.
    if (options.signal.aborted) abort()
    else if (response.destroyed) stop(unreachable(options, 'its server broke off the transfer'))
    else options.signal.addEventListener('abort', abort, { once: true })
  })
}

function tooLarge(options: PourOptions): RequestFailure {
  const subject = options.subject ?? 'source'
  return new RequestFailure(
    'source_too_large',
    `The ${subject} is larger than ${formatBytes(options.maxBytes)}, the limit.`,
  )
}
