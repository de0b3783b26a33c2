import type { ListRequestsQuery, MediaRequest, RequestList, SucceededRequest } from '../api-types.ts'
import { recordCaller } from '../errors/caller.ts'
import type { Downloadable } from '../files/result-file.ts'
import { withFiles } from '../files/result-file.ts'
import { ApiPromise } from '../transport/api-promise.ts'
import type { ApiResponse, CallOptions, Transport } from '../transport/transport.ts'
import { send } from '../transport/transport.ts'
import { VIDEO_TIMEOUT_MS } from '../waiting/starter.ts'
import type { WaitOptions } from '../waiting/wait.ts'
import { isFinished, Wait } from '../waiting/wait.ts'
import type { Page } from './pages.ts'
import { Pages, sendPage } from './pages.ts'
import { followRequest } from './request-events.ts'

type AnyRequest = Downloadable<MediaRequest>

/** The requests of the account. */
export class Requests {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Lists requests, newest first. Await the list for one page, or iterate over it for all requests.
   * @example for await (const request of mediamill.requests.list({ status: 'failed' })) console.log(request.id)
   */
  list(query: ListRequestsQuery = {}, options: CallOptions = {}): Pages<AnyRequest> {
    const page = async (before: number | undefined): Promise<ApiResponse<Page<AnyRequest>>> => {
      const sent = before === undefined ? query : { ...query, before }
      const call = { ...options, method: 'GET', path: '/v1/requests', query: sent } as const
      const response = await sendPage<RequestList['data'][number]>(this.#transport, call)
      for (const request of response.data.data) withFiles(this.#transport, request)
      return response as ApiResponse<Page<AnyRequest>>
    }
    return new Pages(page)
  }

  /**
   * Returns the current state of a request.
   * @example const request = await mediamill.requests.retrieve(1042)
   */
  retrieve(id: number, options: CallOptions = {}): ApiPromise<AnyRequest> {
    return new ApiPromise(this.#call({ ...options, method: 'GET', path: `/v1/requests/${id}` }))
  }

  /**
   * Waits until a request has succeeded, even if another program started it. The default timeout is four hours.
   * Throws `RequestFailedError`, `RequestAbortedError`, or `WaitTimeoutError`. `signal` stops the wait, not the
   * request.
   * @example const request = await mediamill.requests.wait(1042, { timeoutMs: 3_600_000 })
   */
  async wait(id: number, options: WaitOptions<AnyRequest> = {}): Promise<Downloadable<SucceededRequest>> {
    const withCaller = recordCaller()
    const wait = new Wait(this.#transport, options, VIDEO_TIMEOUT_MS)
    try {
      return (await wait.run(id)).data as Downloadable<SucceededRequest>
    } catch (error) {
      throw withCaller(wait.timedOut ? wait.timeoutError(undefined) : error)
    } finally {
      wait.end()
    }
  }

  /**
   * Aborts an unfinished request, without a charge. For a finished request, throws `ConflictError`.
   * @example await mediamill.requests.abort(1042)
   */
  abort(id: number, options: CallOptions = {}): ApiPromise<AnyRequest> {
    const path = `/v1/requests/${id}`
    const read = async () => await this.#call({ ...options, method: 'GET', path })
    return new ApiPromise(
      this.#call({
        ...options,
        method: 'POST',
        path: `${path}/abort`,
        // If an earlier attempt aborted the request, but its response was lost, return the aborted request.
        async recover(error) {
          const response = isFinished(error) ? await read() : undefined
          if (response?.data.status !== 'aborted') throw error
          return response
        },
      }),
    )
  }

  /**
   * Yields the current state of a request, and each change of its status or progress until it has finished.
   * @example for await (const { status } of mediamill.requests.events(1042)) console.log(status)
   */
  events(id: number, options: Pick<CallOptions, 'signal'> = {}): AsyncGenerator<AnyRequest, undefined> {
    return followRequest(this.#transport, id, options.signal)
  }

  /**
   * Deletes the files of a finished request immediately. The record of the request stays.
   * @example await mediamill.requests.deleteFiles(1042)
   */
  deleteFiles(id: number, options: CallOptions = {}): ApiPromise<AnyRequest> {
    return new ApiPromise(this.#call({ ...options, method: 'DELETE', path: `/v1/requests/${id}/files` }))
  }

  /**
   * Returns a copy of a request, for example from a webhook, with download methods on its files.
   * @example await mediamill.requests.from(event.data).result.files[0]?.save('photo.webp')
   */
  from<R extends MediaRequest>(request: R): Downloadable<R> {
    return withFiles(this.#transport, structuredClone(request))
  }

  async #call(call: Parameters<typeof send>[1]): Promise<ApiResponse<AnyRequest>> {
    const response = await send<MediaRequest>(this.#transport, call)
    withFiles(this.#transport, response.data)
    return response as ApiResponse<AnyRequest>
  }
}
