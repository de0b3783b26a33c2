import type { ErrorDetails } from '../api-types.ts'
import { ApiError, apiErrorOf } from '../errors/api-error.ts'
import { ConnectionError, TimeoutError } from '../errors/connection-error.ts'
import type { Clock } from './clock.ts'
import { retryDelayMs } from './retry.ts'
import { createStop } from './stop-signal.ts'

/** What can be said of every call. */
export type CallOptions = {
  /** Ends the call. */
  signal?: AbortSignal | undefined
  /** How long one try may take; the client's by default. */
  timeoutMs?: number | undefined
  /** Tries after the first one; the client's by default. */
  maxRetries?: number | undefined
}

/** One call of the interface. */
export type Call = CallOptions & {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'HEAD' | 'DELETE'
  /** Below the service, or a whole URL that is signed and takes no key. */
  path: string
  query?: object | undefined
  /** A file is sent as it is, everything else as JSON. */
  body?: unknown
  headers?: Record<string, string | undefined>
  /** For how long the service may hold the answer back. */
  holdSeconds?: number | undefined
  idempotencyKey?: string | undefined
  /** The body is handed on as it comes, and ends with `signal` alone. */
  isStream?: boolean | undefined
  /** Answers for a refusal after a try without an answer, which may have done what was asked. */
  recover?: (error: ApiError) => Promise<Answer<unknown>>
}

/** An answer: what it says, and the HTTP response that said it. */
export type Answer<T> = {
  data: T
  response: Response
  /** Id of the call: quote it when you ask for help. */
  requestId: string | undefined
  /** Whether tries before this one had no answer: they may have done what was asked. */
  retried: boolean
}

/** How calls are made: shared by everything that a client consists of. */
export type Transport = {
  baseUrl: string
  apiKey: string
  userAgent: string | undefined
  fetch: typeof globalThis.fetch
  timeoutMs: number
  maxRetries: number
  clock: Clock
  /** Receives the `Mediamill-Warning` of responses. */
  warn?: ((message: string) => void) | undefined
}

/** Rate at which the service breaks a body off: what is slower has no future. */
const MIN_BYTES_PER_MS = 10

/** What is answered by headers alone. */
const EMPTY: readonly string[] = ['HEAD', 'PATCH']

/** Makes a call, again where that helps, and returns what it is answered with. */
export async function send<T>(transport: Transport, call: Call): Promise<Answer<T>> {
  const maxTries = 1 + (call.maxRetries ?? transport.maxRetries)
  let retried = false
  for (let tries = 1; ; tries++) {
    try {
      return { ...(await attempt<T>(transport, call)), retried }
    } catch (error) {
      call.signal?.throwIfAborted()
      const delayMs = tries < maxTries ? retryDelayMs(error, tries) : undefined
      if (delayMs === undefined) {
        if (!retried || call.recover === undefined || !(error instanceof ApiError)) throw error
        return { ...((await call.recover(error)) as Answer<T>), retried }
      }
      retried ||= error instanceof ConnectionError || (error instanceof ApiError && error.status >= 500)
      await transport.clock.sleep(delayMs, call.signal)
    }
  }
}

async function attempt<T>(transport: Transport, call: Call): Promise<Omit<Answer<T>, 'retried'>> {
  call.signal?.throwIfAborted()
  const file = call.body instanceof Blob ? call.body : undefined
  const timeoutMs =
    (call.timeoutMs ?? transport.timeoutMs) + (call.holdSeconds ?? 0) * 1000 + (file?.size ?? 0) / MIN_BYTES_PER_MS
  const stop = createStop(transport.clock, [call.signal], timeoutMs)
  const { idempotencyKey } = call
  try {
    const response = await transport.fetch(urlOf(transport, call), {
      method: call.method,
      headers: headersOf(transport, call),
      redirect: 'manual',
      signal: call.isStream === true && call.signal !== undefined ? call.signal : stop.signal,
      ...(call.body === undefined ? {} : { body: file ?? JSON.stringify(call.body) }),
    })
    const requestId = response.headers.get('request-id') ?? undefined
    const warning = response.headers.get('mediamill-warning')
    if (warning !== null) transport.warn?.(warning)
    if (call.isStream === true && response.ok) return { data: response.body as T, response, requestId }
    const text = await response.text()
    if (!response.ok) throw refusalOf(response, text, idempotencyKey)
    return { data: (EMPTY.includes(call.method) ? undefined : parse(text)) as T, response, requestId }
  } catch (error) {
    call.signal?.throwIfAborted()
    if (stop.timedOut) throw new TimeoutError(`No answer within ${timeoutMs} ms.`, { cause: error, idempotencyKey })
    if (error instanceof ApiError) throw error
    throw new ConnectionError(connectionMessage(transport, error), { cause: error, idempotencyKey })
  } finally {
    stop.dispose()
  }
}

function urlOf({ baseUrl }: Transport, { path, query }: Call): string {
  const url = path.startsWith('/') ? baseUrl + path : path
  const pairs = Object.entries(query ?? {}).flatMap(([name, value]): [string, string][] => {
    if (value === undefined) return []
    if (typeof value !== 'object' || value === null) return [[name, String(value)]]
    return Object.entries(value).map(([key, text]) => [`${name}[${key}]`, String(text)])
  })
  return pairs.length === 0 ? url : `${url}?${new URLSearchParams(pairs).toString()}`
}

function headersOf({ apiKey, userAgent }: Transport, call: Call): Headers {
  const isOurs = call.path.startsWith('/')
  const headers = new Headers()
  const given = {
    authorization: isOurs ? `Bearer ${apiKey}` : undefined,
    'user-agent': userAgent,
    'idempotency-key': call.idempotencyKey,
    prefer: call.holdSeconds === undefined || call.holdSeconds < 1 ? undefined : `wait=${call.holdSeconds}`,
    'content-type':
      call.body === undefined ? undefined : call.body instanceof Blob ? 'application/octet-stream' : 'application/json',
    ...call.headers,
  }
  for (const [name, value] of Object.entries(given)) if (value !== undefined) headers.set(name, value)
  return headers
}

/** Makes the error of an answer that refuses. The service may have sent it, or something before it. */
export function refusalOf(response: Response, text: string, idempotencyKey?: string): ApiError {
  const { status, headers } = response
  const seconds = secondsOf(headers)
  const location = headers.get('location')
  const moved = location === null ? {} : { message: `The service redirects to ${location}: is the base URL right?` }
  return apiErrorOf({
    status,
    details: { ...moved, ...detailsOf(text) },
    requestId: headers.get('request-id') ?? undefined,
    retryAfterSeconds: seconds,
    idempotencyKey,
  })
}

/** `Retry-After` in seconds. A proxy may name a time, which is of the same clock as the answer's `Date`. */
function secondsOf(headers: Headers): number | undefined {
  const text = headers.get('retry-after')
  if (!text) return undefined
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.parse(headers.get('date') ?? '')) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}

function detailsOf(text: string): Partial<ErrorDetails> {
  try {
    return (JSON.parse(text) as { error?: Partial<ErrorDetails> }).error ?? {}
  } catch {
    return {}
  }
}

function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value
  } catch {
    // A page of something else, or an answer that was cut.
  }
  throw new Error('the answer is not JSON: is the base URL that of the service?')
}

function connectionMessage({ baseUrl }: Transport, error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  return `No answer from ${baseUrl}: ${cause instanceof Error ? cause.message : String(cause)}`
}
