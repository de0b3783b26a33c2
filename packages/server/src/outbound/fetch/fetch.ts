import type { IncomingMessage } from 'node:http'
import { RequestFailure } from '@mediamill/contract/domain/errors'
import { Deadline } from '../../lib/time/deadline.ts'
import { pause } from '../../lib/time/retry.ts'
import type { ChunkThrottle } from '../chunk-throttle.ts'
import type { CheckedUrl } from '../guard/check-url.ts'
import { checkUrl } from '../guard/check-url.ts'
import type { OwnConnections } from '../kept-connections.ts'
import type { Network } from '../network.ts'
import type { CallOutcome, ReceivedResponse } from '../send.ts'
import { send } from '../send.ts'

export type FetchLimits = {
  dnsMs: number
  connectMs: number
  headersMs: number
  stallMs: number
  minBytesPerSecond: number
  paceMs: number
  retryAfterMs: number
}

export const FETCH_LIMITS: FetchLimits = {
  dnsMs: 5000,
  connectMs: 5000,
  headersMs: 15_000,
  stallMs: 20_000,
  minBytesPerSecond: 10 * 1024,
  paceMs: 30_000,
  retryAfterMs: 250,
}

const MAX_REDIRECTS = 3

export type FetchSubject = 'source' | 'watermark image'

export type FetchOptions = {
  network: Network
  signal: AbortSignal
  subject?: FetchSubject
  limits?: Partial<FetchLimits>
  headers?: Record<string, string>
  throttle?: ChunkThrottle
  connections?: OwnConnections | undefined
}

/** An open response of a source. The caller must read the body with `streamBody`, or destroy it. */
type OpenSource = ReceivedResponse & {
  url: string
}

export async function openSource(
  url: string,
  options: FetchOptions,
  accept: (status: number) => boolean = (status) => status === 200,
): Promise<OpenSource> {
  const attempts = { left: 2 }
  let next = url
  for (let redirects = 0; ; redirects += 1) {
    const { target, response, body } = await reach(next, redirects > 0, attempts, options)
    const status = response.statusCode ?? 0
    if (accept(status)) return { url: target.url.href, response, body }
    response.destroy()
    if (!REDIRECT_STATUSES.has(status)) throw unreachable(options, `its server returned status ${status}`)
    // security check: endless redirects
    if (redirects === MAX_REDIRECTS) throw unreachable(options, `it redirects more than ${MAX_REDIRECTS} times`)
    next = followed(response, target, options)
  }
}

const REDIRECT_STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

async function reach(
  text: string,
  redirected: boolean,
  attempts: { left: number },
  options: FetchOptions,
): Promise<ReceivedResponse & { target: CheckedUrl }> {
  const limits = { ...FETCH_LIMITS, ...options.limits }
  let { connections } = options
  for (;;) {
    // security check: a redirect to a private address
    const target = await checkUrl(text, options.network, { timeoutMs: limits.dnsMs, signal: options.signal })
    if (!target.ok) throw rejected(target.code, target.message, redirected, target.cause)
    const outcome = await send(target, options.network, {
      method: 'GET',
      headers: { 'user-agent': 'Mediamill/1.0', accept: '*/*', 'accept-encoding': 'identity', ...options.headers },
      signal: options.signal,
      connectMs: limits.connectMs,
      headersMs: limits.headersMs,
      ...(options.throttle !== undefined && { throttle: options.throttle }),
      connections,
    })
    if (options.signal.aborted && outcome.ok) outcome.response.destroy()
    options.signal.throwIfAborted()
    if (!outcome.ok && outcome.isStale) {
      connections = undefined
      continue
    }
    attempts.left -= 1
    // security check: endless retries
    if (attempts.left === 0 || !isWorthAnotherTry(outcome)) {
      if (outcome.ok) return { target, response: outcome.response, body: outcome.body }
      throw unreachable(options, `its server ${outcome.reason}`, outcome.cause)
    }
    if (outcome.ok) outcome.response.destroy()
    await pause(limits.retryAfterMs, options.signal)
  }
}

function isWorthAnotherTry(outcome: CallOutcome): boolean {
  return outcome.ok ? (outcome.response.statusCode ?? 0) >= 500 : !outcome.connected
}

function followed({ headers }: IncomingMessage, target: CheckedUrl, options: FetchOptions): string {
  if (headers.location === undefined) throw unreachable(options, 'it redirects without a Location header')
  const next = followedUrl(headers.location, target.url.href)
  // security check: a malformed redirect that a parser repairs
  if (next === undefined) throw rejected('url_invalid', 'The URL is not a valid http or https URL.', true)
  return next
}

/**
 * Returns the absolute URL of a redirect, or `undefined` if a URL parser would repair the target. Decodes bytes above
 * 127 as UTF-8, like browsers.
 */
function followedUrl(location: string, base: string): string | undefined {
  const text = Buffer.from(location, 'latin1').toString('utf8')
  if (/^[a-z][a-z0-9+.-]*:/i.test(text)) return text
  if (text.startsWith('//')) return `${new URL(base).protocol}${text}`
  // security check: whitespace and backslashes in a redirect
  if (/[\s\\]/.test(text)) return undefined
  return URL.parse(text, base)?.href
}

const HOST = /(?<=\bhost )\S+?(?=\.? )/

function rejected(code: RequestFailure['code'], message: string, redirected: boolean, cause?: unknown): RequestFailure {
  // A redirect can lead to a private host, whose name the caller must not learn.
  const text = redirected ? `A redirect led to a rejected URL. ${message.replace(HOST, 'of the URL')}` : message
  return new RequestFailure(code, text, { cause })
}

export function openDeadline(options: Pick<FetchOptions, 'signal' | 'subject'> & { deadlineMs: number }): Deadline {
  const seconds = Math.ceil(options.deadlineMs / 1000)
  return new Deadline(options.signal, options.deadlineMs, () =>
    unreachable(options, `it took longer than ${seconds} seconds`),
  )
}

export function unreachable(options: { subject?: FetchSubject }, why: string, cause?: unknown): RequestFailure {
  const message = `The ${options.subject ?? 'source'} could not be downloaded: ${why}.`
  return new RequestFailure('source_unreachable', message, { cause })
}
