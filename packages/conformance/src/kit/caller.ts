import { setTimeout as wait } from 'node:timers/promises'
import type { Answer } from './answer.ts'
import { checkAnswer } from './answer-shape.ts'
import type { Json } from './json.ts'
import { Pace } from './pace.ts'

export type CallOptions = {
  /** `null`: none. */
  key?: string | null
  /** JSON, or text and bytes as they are. */
  body?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal
  /** Whether the rate of the key is left to the check. */
  isUnpaced?: true
}

/** The timeout of a call. Longer than the longest long poll. */
const PATIENCE_MS = 90_000

/** Others may use a key as well, so that its minute is full; a service that never lets a call in is not waited for. */
const MOST_WAITS = 3

/** Calls a server, and checks every response against sections 2, 4, and 7.1. */
export class Caller {
  calls = 0
  readonly #pace = new Pace()

  readonly baseUrl: string
  readonly key: string

  constructor(baseUrl: string, key: string) {
    this.baseUrl = baseUrl
    this.key = key
  }

  /** Follows no redirect. `path` may be a whole URL. */
  async call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    for (let waits = 0; ; waits += 1) {
      const answer = await this.#send(method, path, options)
      // Between two responses, the remaining calls are only an estimate.
      const isFull = answer.body?.error?.code === 'rate_limited'
      if (!isFull || options.isUnpaced === true || waits === MOST_WAITS) return answer
      await wait(Number(answer.headers.get('retry-after')) * 1000)
    }
  }

  async #send(method: string, path: string, options: CallOptions): Promise<Answer> {
    const key = options.key === undefined ? this.key : options.key
    const url = /^https?:/.test(path) ? path : this.baseUrl + path
    if (key !== null && options.isUnpaced !== true) await this.#pace.turn(key)
    this.calls += 1
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      signal: options.signal ?? AbortSignal.timeout(PATIENCE_MS),
      headers: { ...(key !== null && { authorization: `Bearer ${key}` }), ...typeOf(options.body), ...options.headers },
      ...bodyOf(options.body),
    })
    const bytes = Buffer.from(await response.arrayBuffer())
    const answer = { status: response.status, headers: response.headers, body: parse(response, bytes), bytes }
    if (key !== null) this.#pace.note(key, response.headers)
    if (new URL(url).pathname.includes('/v1/')) checkAnswer(`${method} ${new URL(url).pathname}`, answer, key !== null)
    return answer
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
