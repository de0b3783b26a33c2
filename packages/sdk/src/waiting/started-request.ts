import type { MediaRequest } from '../api-types.ts'
import { ApiPromise } from '../transport/api-promise.ts'
import { createStop } from '../transport/stop-signal.ts'
import type { Answer, Transport } from '../transport/transport.ts'
import { send } from '../transport/transport.ts'
import type { WaitOptions } from './wait.ts'
import { Wait } from './wait.ts'

/** How a request is waited for by whoever made it. */
export type StartWaitOptions<R> = WaitOptions<R> & {
  /** What becomes of the request when `signal` ends the wait: it is aborted, or left to go on. */
  onSignal?: 'abort' | 'leave' | undefined
}

/** How the call is made. The wait is known before it goes out, so that it can be held. */
export type Start = {
  idempotencyKey: string
  /** Whether the caller chose the key: then another program may have made the request. */
  isKeyGiven: boolean
  defaultTimeoutMs: number
  signal: AbortSignal | undefined
  /** Sends the call, held for so many seconds. `onSend` is told once files are uploaded and it goes out. */
  send: (how: Sending) => Promise<Answer<MediaRequest>>
}

export type Sending = {
  holdSeconds?: number | undefined
  signal?: AbortSignal | undefined
  onSend?: (() => void) | undefined
}

/** How long the abort of a request that nobody waits for any more may take. */
const ABORT_TIMEOUT_MS = 5000

type Plan = { wait: Wait | undefined; isSent: boolean; answer: Promise<Answer<MediaRequest>> }

/**
 * A request that is being made. Awaited, it is the queued record; `.wait()` gives the finished one.
 *
 * The call goes out at the end of the current step of the program, whether or not anything is awaited.
 */
export class StartedRequest<R, S> extends ApiPromise<R> {
  readonly #transport: Transport
  readonly #start: Start
  readonly #plan: Plan

  constructor(transport: Transport, start: Start) {
    const plan: Plan = { wait: undefined, isSent: false, answer: undefined as never }
    plan.answer = Promise.resolve().then(async () => {
      const onSend = () => {
        plan.isSent = true
      }
      return await start.send({ signal: plan.wait?.signal, holdSeconds: plan.wait?.firstHoldSeconds(), onSend })
    })
    super(plan.answer as Promise<Answer<R>>)
    this.#transport = transport
    this.#start = start
    this.#plan = plan
  }

  /**
   * Waits until the request has succeeded, and returns it.
   *
   * Throws `RequestFailedError`, `RequestAbortedError` or `WaitTimeoutError`. When `signal` ends the wait the request is
   * aborted, unless `onSignal` is `leave`.
   *
   * @example const { result } = await mediamill.images.read({ source }).wait({ timeoutMs: 60_000 })
   */
  async wait(options: StartWaitOptions<R> = {}): Promise<S> {
    // What goes wrong is told by this wait: it is not unhandled when nobody looks at the promise itself.
    this.catch(() => {})
    const plan = this.#plan
    const wait = new Wait(this.#transport, options, this.#start.defaultTimeoutMs, this.#start.signal)
    if (!plan.isSent) plan.wait ??= wait
    const { idempotencyKey } = this.#start
    let first: Answer<MediaRequest> | undefined
    try {
      first = await plan.answer
      const { id } = first.data
      return (await wait.run(() => id, first, idempotencyKey)).data as S
    } catch (error) {
      if (wait.stopped && options.onSignal !== 'leave') await this.#abort(first)
      if (wait.timedOut) throw wait.timeoutError(idempotencyKey)
      throw error
    } finally {
      wait.end()
    }
  }

  /** Aborts what was made. When the call was cut short, it is sent again with its key, to learn what it made. */
  async #abort(first: Answer<MediaRequest> | undefined): Promise<void> {
    const isReplay = first?.response.headers.has('idempotent-replayed') === true && !first.retried
    if (!this.#plan.isSent || (isReplay && this.#start.isKeyGiven)) return
    const { signal, dispose } = createStop(this.#transport.clock, [], ABORT_TIMEOUT_MS)
    try {
      const { data } = first ?? (await this.#start.send({ signal }))
      await send(this.#transport, { method: 'POST', path: `/v1/requests/${data.id}/abort`, signal })
    } catch {
      // It has ended by itself, or the service cannot be reached: the caller hears of the signal either way.
    } finally {
      dispose()
    }
  }
}
