import type { MediaRequest } from '../api-types.ts'
import { recordCaller } from '../errors/caller.ts'
import { ApiPromise } from '../transport/api-promise.ts'
import { orAborted } from '../transport/or-aborted.ts'
import { createStop } from '../transport/stop-signal.ts'
import type { ApiResponse, Transport } from '../transport/transport.ts'
import { send } from '../transport/transport.ts'
import type { WaitOptions } from './wait.ts'
import { isEnded, Wait } from './wait.ts'

/** Options of `wait()` on a request that this client started. */
export type StartWaitOptions<R> = WaitOptions<R> & {
  /** Whether `signal` also aborts the request: `abort` (default) aborts the request, `leave` lets it continue. */
  onSignal?: 'abort' | 'leave' | undefined
}

/** A call that starts a request. It is sent in the next microtask, so that `.wait()` can make it a long poll. */
export type Start = {
  idempotencyKey: string
  /** Whether the program set the idempotency key. If so, another program may have started the request with this key. */
  isKeyGiven: boolean
  defaultTimeoutMs: number
  signal: AbortSignal | undefined
  send: (how: Sending) => Promise<ApiResponse<MediaRequest>>
}

export type Sending = {
  holdSeconds?: number | undefined
  maxRetries?: number | undefined
  signal?: AbortSignal | undefined
  onSend?: (() => void) | undefined
  onPause?: (() => void) | undefined
}

const ABORT_TIMEOUT_MS = 5000

type Plan = {
  wait: Wait | undefined
  isSent: boolean
  /** The reason of the signal, if it stopped the wait while the call was in a queue. The call must then not be sent. */
  canceled: { reason: unknown } | undefined
  response: Promise<ApiResponse<MediaRequest>>
  release: () => void
}

/**
 * A request that is being started. Await it for the queued request, or call `.wait()` for the finished request. The
 * call is sent in the next microtask, even if you do not await the request.
 */
export class StartedRequest<R, S> extends ApiPromise<R> {
  readonly #transport: Transport
  readonly #start: Start
  readonly #plan: Plan

  constructor(transport: Transport, start: Start) {
    const plan: Plan = {
      wait: undefined,
      isSent: false,
      canceled: undefined,
      response: undefined as never,
      release: () => {},
    }
    plan.response = Promise.resolve().then(async () => {
      plan.release = (await transport.queues?.starts.take(plan.wait?.signal ?? start.signal)) ?? plan.release
      const { wait, canceled } = plan
      const onSend = () => {
        plan.isSent = true
        wait?.begin()
      }
      try {
        if (canceled !== undefined) throw canceled.reason
        const onPause = () => wait?.pause()
        const holdSeconds = wait?.firstHoldSeconds()
        const response = await start.send({ signal: wait?.signal, holdSeconds, onSend, onPause })
        // No `wait` follows, so the client does not see the request finish.
        if (plan.wait === undefined || isEnded(response.data)) plan.release()
        return response
      } catch (error) {
        plan.release()
        throw error
      }
    })
    super(plan.response as Promise<ApiResponse<R>>)
    this.#transport = transport
    this.#start = start
    this.#plan = plan
  }

  /**
   * Waits until the request has succeeded. `signal` also aborts the request, unless `onSignal` is `leave`.
   * Throws `RequestFailedError`, `RequestAbortedError`, or `WaitTimeoutError`.
   * @example const { result } = await mediamill.images.read({ source }).wait({ timeoutMs: 60_000 })
   */
  async wait(options: StartWaitOptions<R> = {}): Promise<S> {
    // `wait` reports this error, so the promise itself must not cause an unhandled rejection.
    this.catch(() => {})
    const plan = this.#plan
    const wait = new Wait(this.#transport, options, this.#start.defaultTimeoutMs, this.#start.signal)
    if (!plan.isSent) plan.wait ??= wait
    const { idempotencyKey } = this.#start
    const withCaller = recordCaller()
    let first: ApiResponse<MediaRequest> | undefined
    try {
      first = await orAborted(plan.response, plan.wait === wait ? undefined : wait.signal)
      return (await wait.run(first.data.id, { first, idempotencyKey, repeat: this.#start.send })).data as S
    } catch (error) {
      if (wait.stopped && !plan.isSent) plan.canceled ??= { reason: error }
      if (wait.stopped && options.onSignal !== 'leave') await this.#abort(first)
      throw withCaller(wait.timedOut ? wait.timeoutError(idempotencyKey) : error)
    } finally {
      wait.end()
      plan.release()
    }
  }

  /** Aborts the request, unless another program started it. If the first call got no response, repeats it first. */
  async #abort(first: ApiResponse<MediaRequest> | undefined): Promise<void> {
    const isReplay = first?.response.headers.has('idempotent-replayed') === true && !first.retried
    if (!this.#plan.isSent || (isReplay && this.#start.isKeyGiven)) return
    const { signal, dispose } = createStop(this.#transport.clock, [], ABORT_TIMEOUT_MS)
    try {
      const { data } = first ?? (await this.#start.send({ signal }))
      await send(this.#transport, { method: 'POST', path: `/v1/requests/${data.id}/abort`, signal })
    } catch {
      // If the request has finished or the service is unreachable, the wait still fails with the reason of the signal.
    } finally {
      dispose()
    }
  }
}
