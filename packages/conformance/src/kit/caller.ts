import { setTimeout as wait } from 'node:timers/promises'
import type { CallResponse } from './call-response.ts'
import type { Json } from './json.ts'
import { Pace } from './pace.ts'
import { checkResponse } from './response-shape.ts'

export type CallOptions = {
  /** The key of the call. `null` sends no key. */
  key?: string | null
  /** The body. Text and bytes are sent unchanged, other values as JSON. */
  body?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal
  /** Whether to send the call immediately, even if it exceeds the rate limit of the key. */
  isUnpaced?: true
}

/** The timeout of a call. It is longer than the longest long poll. */
const TIMEOUT_MS = 90_000

/** Another program may use the key, but a service that rejects every call must not block the run. */
const MAX_WAITS = 3

/** Calls a server, and checks the guarantees of every response. */
export class Caller {
  calls = 0
  readonly #pace = new Pace()

  readonly baseUrl: string
  readonly key: string

  constructor(baseUrl: string, key: string) {
    this.baseUrl = baseUrl
    this.key = key
  }

  /** Makes a call, without redirects, and repeats it at the rate limit. `path` may be a complete URL. */
  async call(method: string, path: string, options: CallOptions = {}): Promise<CallResponse> {
    for (let waits = 0; ; waits += 1) {
      const response = await this.#send(method, path, options)
      // The number of remaining calls is only an estimate, so a call can still exceed the limit.
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
