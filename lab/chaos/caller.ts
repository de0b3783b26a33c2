import { setTimeout as delay } from 'node:timers/promises'

/** The results of calls. `responses` counts by status, or by `timeout` or `network` if there was no response. */
export type Tally = {
  responses: Map<string, number>
  breaches: string[]
  /** The 5xx responses, with their times in Unix milliseconds. */
  faults: { at: number; isUpload: boolean }[]
  /** The duration of each call that got a response, in milliseconds. Excludes long polls. */
  tookMs: number[]
}

// oxlint-disable-next-line typescript/no-explicit-any -- each check validates its fields
type CallResponse = { status: number; headers: Headers; body: any }

type Sent = {
  key?: string
  body?: object | Buffer
  headers?: Record<string, string>
}

/** Checks a response. Returns how it violates the contract, or `undefined` if it matches the contract. */
export type Checked = (method: string, path: string, response: { status: number; body: unknown }) => string | undefined

export type Caller = {
  once: (method: string, path: string, sent: Sent) => Promise<CallResponse | undefined>
  /** Repeats a call until its response is final: a retry could not change it. */
  callUntilResponse: (method: string, path: string, sent: Sent) => Promise<CallResponse>
  /** Waits for the time in the `Retry-After` header of `response`, or for a default time. */
  pause: (response: CallResponse | undefined) => Promise<void>
}

/** A call without a response within this time counts as lost. */
export const CALL_MS = 15_000
const PAUSE_MS = 250

/** Creates a caller that uses each API server in turn. When `signal` aborts, every wait ends. */
export function createCaller(urls: readonly string[], tally: Tally, signal: AbortSignal, checked?: Checked): Caller {
  let turn = 0
  const count = (what: string) => tally.responses.set(what, (tally.responses.get(what) ?? 0) + 1)

  const once: Caller['once'] = async (method, path, { key, body, headers }) => {
    const url = urls[turn++ % urls.length] ?? ''
    const isFile = Buffer.isBuffer(body)
    const startedAt = performance.now()
    try {
      const response = await fetch(url + path, {
        method,
        redirect: 'manual',
        signal: AbortSignal.timeout(CALL_MS),
        headers: {
          ...(key !== undefined && { authorization: `Bearer ${key}` }),
          ...(body !== undefined && !isFile && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: isFile ? new Uint8Array(body) : JSON.stringify(body) }),
      })
      const text = await response.text()
      count(String(response.status))
      if (headers?.prefer === undefined) tally.tookMs.push(performance.now() - startedAt)
      // During migrations, a process returns 503 with Retry-After, and the call is retried. This is not an error.
      const isStarting = response.status === 503 && response.headers.has('retry-after')
      if (response.status >= 500 && !isStarting)
        tally.faults.push({ at: Date.now(), isUpload: isFile || path.startsWith('/v1/uploads') })
      const output = text === '' ? undefined : JSON.parse(text)
      const breach = checked?.(method, path, { status: response.status, body: output })
      if (breach !== undefined) tally.breaches.push(breach)
      return { status: response.status, headers: response.headers, body: output ?? {} }
    } catch (error) {
      count(error instanceof Error && error.name === 'TimeoutError' ? 'timeout' : 'network')
      return undefined
    }
  }

  const pause: Caller['pause'] = async (response) => {
    const waitMs = Number(response?.headers.get('retry-after') ?? 0) * 1_000
    await delay(Math.max(waitMs, PAUSE_MS * (0.5 + Math.random())), undefined, { signal })
  }

  return {
    once,
    pause,
    async callUntilResponse(method, path, sent) {
      for (;;) {
        const response = await once(method, path, sent)
        if (response !== undefined && response.status < 500 && !isPassing(response)) return response
        await pause(response)
      }
    },
  }
}

/** Returns whether a response reports a temporary error, after which the unchanged call may succeed. */
export const isPassing = ({ status, body }: CallResponse) =>
  status === 429 || (status === 409 && body.error?.code === 'idempotency_key_in_use')
