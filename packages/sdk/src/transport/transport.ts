import type { ErrorDetails } from '../api-types.ts'
import { isBrowser, pageOrigin } from '../environment.ts'
import { ApiError, apiErrorOf } from '../errors/api-error.ts'
import { ConnectionError, TimeoutError } from '../errors/connection-error.ts'
import type { Clock } from './clock.ts'
import { fetchFile } from './fetch-file.ts'
import { retryDelayMs } from './retry.ts'
import type { Slots } from './slots.ts'
import { createStop } from './stop-signal.ts'
import type { Throttle } from './throttle.ts'

/** Options of every call. */
export type CallOptions = {
  /** Stops the call. */
  signal?: AbortSignal | undefined
  /** The timeout of one attempt, in milliseconds; by default the timeout of the client. */
  timeoutMs?: number | undefined
  /** The maximum number of retries; by default the `maxRetries` of the client. */
  maxRetries?: number | undefined
  /** Headers to add to the call. */
  headers?: Readonly<Record<string, string | undefined>> | undefined
}

export type CallNotice = {
  method: string
  url: string
  /** The HTTP status; `undefined` if the call had no response. */
  status: number | undefined
  requestId: string | undefined
  /** The time from sending the call to receiving the response headers, in milliseconds. */
  milliseconds: number
}

export type Call = CallOptions & {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'HEAD' | 'DELETE'
  /** A path below the base URL, or a signed URL, which requires no key. */
  path: string
  query?: object | undefined
  /** The body of the call. A file is sent unchanged, and any other value as JSON. */
  body?: unknown
  /** The maximum duration of a long poll, in seconds. */
  holdSeconds?: number | undefined
  idempotencyKey?: string | undefined
  /** Whether to return the response body as a stream. `signal` can stop the stream, but the timeout does not. */
  isStream?: boolean | undefined
  onBytes?: ((sent: number) => void) | undefined
  /** Called when the call is sent for the first time, and again after each wait for a limit. */
  onSend?: (() => void) | undefined
  onPause?: (() => void) | undefined
  /** Called if a retry is rejected, but an earlier attempt may have succeeded. Returns the response, or throws. */
  recover?: (error: ApiError) => Promise<ApiResponse<unknown>>
}

export type ApiResponse<T> = {
  data: T
  response: Response
  /** Id of this call. Include the id when you ask for help. */
  requestId: string | undefined
  /** Whether an earlier attempt got no response or a 5xx response. That attempt may still have succeeded. */
  retried: boolean
}

export type Transport = {
  baseUrl: string
  apiKey: string
  userAgent: string | undefined
  fetch: typeof globalThis.fetch
  headers?: Readonly<Record<string, string>> | undefined
  onCall?: ((notice: CallNotice) => void) | undefined
  timeoutMs: number
  maxRetries: number
  clock: Clock
  /** Called with the header `Mediamill-Warning` of a response, if present. */
  warn?: ((message: string) => void) | undefined
  /** The queues of the client. Without queues, every call is sent immediately. */
  queues?: Queues | undefined
}

export type Queues = { throttle: Throttle; starts: Slots; uploads: Slots }

/** The minimum upload speed, in bytes per millisecond. An upload's timeout is the file's size divided by this speed. */
const MIN_BYTES_PER_MS = 10

/** The methods whose responses have no body. */
const EMPTY: readonly string[] = ['HEAD', 'PATCH']

/** Sends a call with retries. Pauses for limits are not retries, but `maxRetries: 0` prevents these pauses too. */
export async function send<T>(transport: Transport, call: Call): Promise<ApiResponse<T>> {
  const maxTries = 1 + (call.maxRetries ?? transport.maxRetries)
  const throttle = transport.queues?.throttle
  let retried = false
  let rejections = 0
  let hasWaited = true
  for (let tries = 1; ; ) {
    try {
      return { ...(await attempt<T>(transport, call, hasWaited ? call.onSend : undefined)), retried }
    } catch (error) {
      call.signal?.throwIfAborted()
      const pauseMs = maxTries > 1 ? throttle?.pauseAfter(error, rejections + 1) : undefined
      hasWaited = pauseMs !== undefined
      if (pauseMs !== undefined) {
        rejections += 1
        call.onPause?.()
        if (pauseMs > 0) {
          throttle?.notify('concurrency_limit', pauseMs)
          await transport.clock.sleep(pauseMs, call.signal)
        }
        continue
      }
      const delayMs = tries < maxTries ? retryDelayMs(error, tries) : undefined
      tries += 1
      if (delayMs === undefined) {
        if (!retried || call.recover === undefined || !(error instanceof ApiError)) throw error
        return { ...((await call.recover(error)) as ApiResponse<T>), retried }
      }
      retried ||= error instanceof ConnectionError || (error instanceof ApiError && error.status >= 500)
      await transport.clock.sleep(delayMs, call.signal)
    }
  }
}

async function attempt<T>(
  transport: Transport,
  call: Call,
  onSend: (() => void) | undefined,
): Promise<Omit<ApiResponse<T>, 'retried'>> {
  call.signal?.throwIfAborted()
  // Signed URLs have their own rate limit.
  const throttle = call.path.startsWith('/') ? transport.queues?.throttle : undefined
  const number = (await throttle?.enter(call.signal)) ?? 0
  const sentAt = transport.clock.now()
  onSend?.()
  const file = call.body instanceof Blob ? call.body : undefined
  const timeoutMs =
    (call.timeoutMs ?? transport.timeoutMs) + (call.holdSeconds ?? 0) * 1000 + (file?.size ?? 0) / MIN_BYTES_PER_MS
  const stop = createStop(transport.clock, [call.signal], timeoutMs)
  const { idempotencyKey } = call
  try {
    const url = urlOf(transport, call)
    const init: RequestInit = {
      method: call.method,
      headers: headersOf(transport, call),
      redirect: 'manual',
      signal: call.isStream === true && call.signal !== undefined ? call.signal : stop.signal,
      ...(call.body === undefined ? {} : { body: file ?? JSON.stringify(call.body) }),
    }
    const { fetch } = transport
    const notice = { method: call.method, url, status: undefined, requestId: undefined }
    const sent =
      call.onBytes === undefined || file === undefined
        ? fetch(url, init)
        : fetchFile({ fetch, url, init, file }, call.onBytes)
    const response = await sent.catch((error: unknown) => {
      transport.onCall?.({ ...notice, milliseconds: transport.clock.now() - sentAt })
      throw error
    })
    throttle?.update(number, sentAt, response.headers)
    const requestId = response.headers.get('request-id') ?? undefined
    transport.onCall?.({ ...notice, status: response.status, requestId, milliseconds: transport.clock.now() - sentAt })
    const warning = response.headers.get('mediamill-warning')
    // Replace control characters, which could control the terminal that shows the warning.
    if (warning !== null) transport.warn?.(warning.replaceAll(/[^ -~]/g, '?'))
    if (call.isStream === true && response.ok) return { data: response.body as T, response, requestId }
    const text = await response.text()
    if (!response.ok) throw rejectionOf(response, text, idempotencyKey)
    return { data: (EMPTY.includes(call.method) ? undefined : parse(text)) as T, response, requestId }
  } catch (error) {
    call.signal?.throwIfAborted()
    if (stop.timedOut) throw new TimeoutError(`No response within ${timeoutMs} ms.`, { cause: error, idempotencyKey })
    if (error instanceof ApiError) throw error
    throw new ConnectionError(connectionMessage(urlOf(transport, call), call, error), { cause: error, idempotencyKey })
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

function headersOf({ apiKey, userAgent, headers: defaults }: Transport, call: Call): Headers {
  const isOurs = call.path.startsWith('/')
  const headers = new Headers()
  const given: Record<string, string | undefined> = {
    ...(isOurs ? defaults : {}),
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

export function rejectionOf(response: Response, text: string, idempotencyKey?: string): ApiError {
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

/** Returns `Retry-After` in seconds. If a proxy sends a date, the seconds count from the response's `Date`. */
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
    // The response is incomplete, or from another server.
  }
  throw new Error('the response is not JSON: check the base URL')
}

function connectionMessage(url: string, { path }: Call, error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  const message = `No response from ${new URL(url).origin}: ${cause instanceof Error ? cause.message : String(cause)}`
  if (path.startsWith('/') || !isBrowser()) return message
  return `${message}. If the service is reachable, create the upload with origin: "${pageOrigin() ?? ''}".`
}
