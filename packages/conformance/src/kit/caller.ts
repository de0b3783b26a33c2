import { setTimeout as wait } from 'node:timers/promises'
import type { CallResponse } from './call-response.ts'
import type { Json } from './json.ts'
import { Pace } from './pace.ts'
import { checkResponse } from './response-shape.ts'

export type CallOptions = {
  /** The API key. If `null`, the call has no key. If missing, the call has the key of the caller. */
  key?: string | null
  /** Text and bytes are sent unchanged, other values as JSON. */
  body?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal
  /** Sends the call without waiting for the rate limit of the key. */
  isUnpaced?: true
}

/** The timeout of a call, longer than any long poll. */
const TIMEOUT_MS = 90_000

/** The maximum number of retries after a rate limit. Another program may use up the limit of the key. */
const MAX_WAITS = 3

/** Calls the service. Checks every response of `/v1` against the rules for all responses. */
export class Caller {
  calls = 0
  readonly #pace = new Pace()

  readonly baseUrl: string
  readonly key: string

  constructor(baseUrl: string, key: string) {
    this.baseUrl = baseUrl
    this.key = key
  }

  /** Sends a call. Follows no redirects. Repeats the call after a rate limit. `path` may be a full URL. */
  async call(method: string, path: string, options: CallOptions = {}): Promise<CallResponse> {
    for (let waits = 0; ; waits += 1) {
      const response = await this.#send(method, path, options)
      // Other programs can use the key too, so `Pace` alone cannot prevent every 429.
      const isFull = response.body?.error?.code === 'rate_limited'
      if (!isFull || options.isUnpaced === true || waits === MAX_WAITS) return response
      await wait(Number(response.headers.get('retry-after')) * 1000)
    }
  }

  async #send(method: string, path: string, options: CallOptions): Promise<CallResponse> {
    const key = options.key === undefined ? this.key : options.key
    const url = /^https?:/.test(path) ? path : this.baseUrl + path
    if (key !== null && options.isUnpaced !== true) await this.#pace.turn(key)
    this.calls += 1
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      signal: options.signal ?? AbortSignal.timeout(TIMEOUT_MS),
      headers: { ...(key !== null && { authorization: `Bearer ${key}` }), ...typeOf(options.body), ...options.headers },
      ...bodyOf(options.body),
    })
    const bytes = Buffer.from(await response.arrayBuffer())
    const callResponse = { status: response.status, headers: response.headers, body: parse(response, bytes), bytes }
    if (key !== null) this.#pace.note(key, response.headers)
    if (new URL(url).pathname.includes('/v1/'))
      checkResponse(`${method} ${new URL(url).pathname}`, callResponse, key !== null)
    return callResponse
  }
}

const isRaw = (body: unknown) => typeof body === 'string' || body instanceof Uint8Array

function typeOf(body: unknown): Record<string, string> {
  return body === undefined || body instanceof Uint8Array ? {} : { 'content-type': 'application/json' }
}

function bodyOf(body: unknown): { body?: string | Uint8Array<ArrayBuffer> } {
  if (body === undefined) return {}
  if (body instanceof Uint8Array) return { body: new Uint8Array(body) }
  return { body: isRaw(body) ? String(body) : JSON.stringify(body) }
}

function parse({ headers }: Response, bytes: Buffer): Json {
  if (headers.get('content-type')?.startsWith('application/json') !== true) return undefined
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}
