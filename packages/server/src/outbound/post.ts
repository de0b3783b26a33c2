import type { Readable } from 'node:stream'
import { Deadline } from '../lib/time/deadline.ts'
import { checkUrl } from './guard/check-url.ts'
import type { Network } from './network.ts'
import { send } from './send.ts'

export type PostOptions = {
  network: Network
  headers: Record<string, string>
  body: Buffer
  signal: AbortSignal
  /** The time limit from the connection to the headers of the response (webhooks.deliveries.2). */
  deadlineMs: number
  dnsMs?: number
}

export type PostOutcome = {
  durationMs: number
} & ({ ok: true; status: number; bodyStart: Buffer } | { ok: false; reason: string; cause?: unknown })

const RESPONSE_BYTES = 1024
/** The time limit for the body of the response. A slow body is cut off, because only the status matters. */
const RESPONSE_MS = 2000

/** Sends one POST to checked addresses. Does not follow redirects. Throws only if `signal` aborts. */
export async function post(url: string, options: PostOptions): Promise<PostOutcome> {
  const start = performance.now()
  const durationMs = () => Math.round(performance.now() - start)
  // security check: a webhook to a private address
  const target = await checkUrl(url, options.network, { timeoutMs: options.dnsMs ?? 5000, signal: options.signal })
  if (!target.ok) return { ok: false, reason: target.message, cause: target.cause, durationMs: durationMs() }
  using deadline = new Deadline(options.signal, options.deadlineMs, () => new Error('the delivery timed out'))
  const outcome = await send(target, options.network, {
    method: 'POST',
    headers: { ...options.headers, 'content-length': String(options.body.length) },
    body: options.body,
    signal: deadline.signal,
    connectMs: options.deadlineMs,
    headersMs: options.deadlineMs,
  })
  const took = durationMs()
  if (options.signal.aborted && outcome.ok) outcome.response.destroy()
  options.signal.throwIfAborted()
  if (!outcome.ok) {
    const reason = deadline.signal.aborted ? 'did not respond in time' : outcome.reason
    return { ok: false, reason: `The server ${reason}.`, cause: outcome.cause, durationMs: took }
  }
  const response = await beginningOf(outcome.body)
  return { ok: true, status: outcome.response.statusCode ?? 0, bodyStart: response, durationMs: took }
}

function beginningOf(body: Readable): Promise<Buffer> {
  return new Promise((resolve) => {
    // A copy, because a chunk of one byte would keep its 64 KiB buffer in memory.
    // security check: a response of any size
    const beginning = Buffer.alloc(RESPONSE_BYTES)
    let bytes = 0
    const finish = () => {
      clearTimeout(timer)
      body.destroy()
      resolve(beginning.subarray(0, bytes))
    }
    // security check: a response that never ends
    const timer = setTimeout(finish, RESPONSE_MS)
    body.on('data', (chunk: Buffer) => {
      bytes += chunk.copy(beginning, bytes)
      if (bytes >= RESPONSE_BYTES) finish()
    })
    body.once('end', finish)
    body.on('error', finish)
    body.once('close', finish)
    if (body.destroyed) finish()
  })
}
