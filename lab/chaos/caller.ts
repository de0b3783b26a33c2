import { setTimeout as delay } from 'node:timers/promises'

/** How calls were answered: by status, and `network` for those that were not. */
export type Tally = {
  answers: Map<string, number>
  /** What was wrong with answers, where they are held against a contract. */
  breaches: string[]
  /** When calls were answered with a fault of the service, in milliseconds of Unix time, and whether they bring files. */
  faults: { at: number; isUpload: boolean }[]
}

/** An answer, whose body a client believes. */
// oxlint-disable-next-line typescript/no-explicit-any -- a client of the interface knows no types either
export type Answer = { status: number; headers: Headers; body: any }

export type Sent = {
  /** The key of an account; a signed URL needs none. */
  key?: string
  body?: object | Buffer
  headers?: Record<string, string>
}

/** Says what is wrong with an answer; `undefined` when it is as the contract has it. */
export type Checked = (method: string, path: string, answer: { status: number; body: unknown }) => string | undefined

export type Caller = {
  /** Makes one call, at the next interface; `undefined` when it is not answered in time, or at all. */
  once: (method: string, path: string, sent: Sent) => Promise<Answer | undefined>
  /** Repeats a call until it is answered for good. */
  untilAnswered: (method: string, path: string, sent: Sent) => Promise<Answer>
  /** The pause before a call is made again: what `answer` asks for, and no less than a moment. */
  pause: (answer: Answer | undefined) => Promise<void>
}

/** One call may hang so long before its client takes it for lost. */
export const CALL_MS = 15_000
const PAUSE_MS = 250

/** Makes calls to all interfaces in turn, as a good client does; `signal` ends all waiting. */
export function createCaller(urls: readonly string[], tally: Tally, signal: AbortSignal, checked?: Checked): Caller {
  let turn = 0
  const count = (what: string) => tally.answers.set(what, (tally.answers.get(what) ?? 0) + 1)

  const once: Caller['once'] = async (method, path, { key, body, headers }) => {
    const url = urls[turn++ % urls.length] ?? ''
    const isFile = Buffer.isBuffer(body)
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
      // A process that still applies migrations returns 503 with Retry-After; the call is made again.
      const isStarting = response.status === 503 && response.headers.has('retry-after')
      if (response.status >= 500 && !isStarting)
        tally.faults.push({ at: Date.now(), isUpload: path.startsWith('/v1/uploads') })
      const said = text === '' ? undefined : JSON.parse(text)
      const breach = checked?.(method, path, { status: response.status, body: said })
      if (breach !== undefined) tally.breaches.push(breach)
      return { status: response.status, headers: response.headers, body: said ?? {} }
    } catch (error) {
      count(error instanceof Error && error.name === 'TimeoutError' ? 'no answer in time' : 'network')
      return undefined
    }
  }

  const pause: Caller['pause'] = async (answer) => {
    const told = Number(answer?.headers.get('retry-after') ?? 0) * 1_000
    await delay(Math.max(told, PAUSE_MS * (0.5 + Math.random())), undefined, { signal })
  }

  return {
    once,
    pause,
    async untilAnswered(method, path, sent) {
      for (;;) {
        const answer = await once(method, path, sent)
        if (answer !== undefined && answer.status < 500 && !isPassing(answer)) return answer
        await pause(answer)
      }
    },
  }
}

/** Whether the call may be made again as it is. */
export const isPassing = ({ status, body }: Answer) =>
  status === 429 || (status === 409 && body.error?.code === 'idempotency_key_in_use')
