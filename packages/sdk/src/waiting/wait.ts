import type { MediaRequest } from '../api-types.ts'
import { ApiError } from '../errors/api-error.ts'
import { ConnectionError } from '../errors/connection-error.ts'
import { RequestAbortedError, RequestFailedError, WaitTimeoutError } from '../errors/request-errors.ts'
import { isFileList, withFiles } from '../files/result-file.ts'
import { rateLimitOf } from '../transport/rate-limit.ts'
import type { StopSignal } from '../transport/stop-signal.ts'
import { createStop } from '../transport/stop-signal.ts'
import type { ApiResponse, Call, Transport } from '../transport/transport.ts'
import { send } from '../transport/transport.ts'
import { holdSeconds, pollDelayMs } from './pace.ts'

/** Options of `wait()`. */
export type WaitOptions<R> = {
  /** The maximum wait in milliseconds. Default: 10 minutes; 4 hours for videos and `requests.wait()`. */
  timeoutMs?: number | undefined
  /** Called with each new state of the request, first with the accepted state. Causes additional calls. */
  onProgress?: ((request: R) => void) | undefined
  /** Stops the wait. */
  signal?: AbortSignal | undefined
}

type Poll = (how: Pick<Call, 'signal' | 'holdSeconds' | 'maxRetries'>) => Promise<ApiResponse<MediaRequest>>

/** The call that started a request, its response, and a function that sends the call again. */
export type StartCall = { first: ApiResponse<MediaRequest>; idempotencyKey: string; repeat: Poll }

/** The retries of each poll, enough for a restart of the service. */
const POLL_RETRIES = 10

/** The time after the deadline in which the client still waits for the last response. */
const GRACE_MS = 2000

export class Wait {
  readonly #transport: Transport
  readonly #options: WaitOptions<never>
  readonly #timeoutMs: number
  #endsAt: number | undefined
  readonly #stop: StopSignal
  #seen = ''
  request: MediaRequest | undefined

  constructor(transport: Transport, options: WaitOptions<never>, defaultTimeoutMs: number, signal?: AbortSignal) {
    this.#transport = transport
    this.#options = options
    this.#timeoutMs = options.timeoutMs ?? defaultTimeoutMs
    this.#stop = createStop(transport.clock, [options.signal, signal], this.#timeoutMs + GRACE_MS)
    this.#stop.pause()
  }

  /** Starts the timeout. Time in which the call waited in a queue of the client does not count. */
  begin(): void {
    this.#endsAt = this.#transport.clock.now() + this.#timeoutMs
    this.#stop.resume()
  }

  pause(): void {
    this.#endsAt = undefined
    this.#stop.pause()
  }

  /** A signal that aborts when the caller's signal aborts, or two seconds after the deadline. */
  get signal(): AbortSignal {
    return this.#stop.signal
  }

  /** Returns the seconds of the first long poll. With `onProgress`, returns 0, to report the accepted state first. */
  firstHoldSeconds(): number {
    return this.#options.onProgress === undefined ? holdSeconds(this.#remainingMs(), false, undefined) : 0
  }

  #holdSeconds(headers: Headers | undefined): number {
    const wantsProgress = this.#options.onProgress !== undefined
    return holdSeconds(this.#remainingMs(), wantsProgress, headers && rateLimitOf(headers))
  }

  /** Polls until the request has succeeded. `start` is the call that started the request, if this client made it. */
  async run(id: number, start?: StartCall): Promise<ApiResponse<MediaRequest>> {
    if (this.#endsAt === undefined) this.begin()
    let response = start?.first
    let poll: Poll = async (how) => {
      const found = await send<MediaRequest>(this.#transport, { ...how, method: 'GET', path: `/v1/requests/${id}` })
      withFiles(this.#transport, found.data)
      return found
    }
    for (let polls = 0; ; ) {
      if (response !== undefined) {
        if (this.#check(response.data)) return response
        if (this.#remainingMs() <= 0) throw this.timeoutError(start?.idempotencyKey)
        if (!response.response.headers.has('preference-applied')) {
          polls += 1
          const delayMs = pollDelayMs(polls, rateLimitOf(response.response.headers))
          // The first response may not be the end of a long poll, so the next call follows without a pause.
          if (polls > 1) await this.#transport.clock.sleep(Math.min(delayMs, this.#remainingMs()), this.signal)
        }
      }
      const how = {
        signal: this.signal,
        holdSeconds: this.#holdSeconds(response?.response.headers),
        maxRetries: Math.max(POLL_RETRIES, this.#transport.maxRetries),
      }
      response = await poll(how).catch(async (error: unknown) => {
        if (start === undefined || poll === start.repeat || !isRestricted(error)) throw error
        // The key cannot read requests. The same call with its idempotency key returns the request.
        poll = start.repeat
        return await poll(how)
      })
    }
  }

  get timedOut(): boolean {
    return this.#stop.timedOut
  }

  get stopped(): boolean {
    return this.signal.aborted && !this.timedOut
  }

  timeoutError(idempotencyKey: string | undefined): WaitTimeoutError {
    return new WaitTimeoutError(this.#timeoutMs, this.request, idempotencyKey)
  }

  end(): void {
    this.#stop.dispose()
  }

  #remainingMs(): number {
    return this.#endsAt === undefined ? this.#timeoutMs : this.#endsAt - this.#transport.clock.now()
  }

  /** Reports a new state. Returns whether the request succeeded, and throws if it failed or was aborted. */
  #check(request: MediaRequest): boolean {
    this.request = request
    const state = `${request.status} ${request.status === 'processing' ? request.progress : ''}`
    if (state !== this.#seen) this.#options.onProgress?.(request as never)
    this.#seen = state
    if (request.status === 'failed') throw new RequestFailedError(request)
    if (request.status === 'aborted') throw new RequestAbortedError(request)
    if (request.status !== 'succeeded') return false
    if (hasResult(request)) return true
    throw new ConnectionError(`Request ${request.id} succeeded, but the response has no result: check the base URL.`)
  }
}

/** Returns whether a response has a valid result. The response of a server that is not Mediamill may have no result. */
function hasResult({ result }: { result?: { files?: unknown } }): boolean {
  return typeof result === 'object' && result !== null && isFileList(result.files ?? [])
}

export const isEnded = ({ status }: MediaRequest): boolean =>
  status === 'succeeded' || status === 'failed' || status === 'aborted'

export const isRestricted = (error: unknown): boolean => error instanceof ApiError && error.code === 'key_restricted'

export const isFinished = (error: unknown): boolean => error instanceof ApiError && error.code === 'request_finished'
