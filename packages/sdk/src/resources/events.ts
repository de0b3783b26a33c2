import type { ListEventsQuery, ListedEvent } from '../api-types.ts'
import type { Downloadable } from '../files/result-file.ts'
import { withFiles } from '../files/result-file.ts'
import { rateLimitOf } from '../transport/rate-limit.ts'
import type { ApiResponse, CallOptions, Transport } from '../transport/transport.ts'
import { MAX_HOLD_SECONDS, pollDelayMs } from '../waiting/pace.ts'
import type { Page } from './pages.ts'
import { Pages, sendPage } from './pages.ts'

/** An event about a finished request. Its result files have download methods. */
export type AnyEvent = ListedEvent extends infer Event
  ? Event extends { data: infer Request }
    ? Omit<Event, 'data'> & { id: string; data: Downloadable<Request> }
    : never
  : never

/** Options of `events.list()`. */
export type ListEventsOptions = CallOptions & {
  /** The maximum time that the call waits for an event, in seconds; by default 0. */
  waitSeconds?: number | undefined
}

/** Options of `events.follow()`. */
export type FollowOptions = Pick<CallOptions, 'signal'>

/** Events about finished requests of the account, in order. */
export class Events {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Lists events, oldest first. Await the list for one page, or iterate over it for all existing events.
   * @example const { data } = await mediamill.events.list({ after: lastId, limit: 100 }, { waitSeconds: 25 })
   */
  list(query: ListEventsQuery = {}, { waitSeconds, ...options }: ListEventsOptions = {}): Pages<AnyEvent> {
    return new Pages<AnyEvent>(async (after) => {
      const sent = after === undefined ? query : { ...query, after }
      return await this.#page(sent, { ...options, holdSeconds: waitSeconds })
    })
  }

  /**
   * Yields the existing events after the event with the id `after`, and then each new event, until `signal` aborts.
   * Store the id of the last processed event, and pass the id as `after` when your program restarts.
   * @example for await (const event of mediamill.events.follow({ after: lastId }, { signal })) console.log(event.type)
   */
  async *follow(query: ListEventsQuery = {}, { signal }: FollowOptions = {}): AsyncGenerator<AnyEvent, never> {
    let { after } = query
    for (let idle = 0; ; ) {
      const options = { signal, holdSeconds: MAX_HOLD_SECONDS, maxRetries: Number.POSITIVE_INFINITY }
      const { data: page, response } = await this.#page({ ...query, after }, options)
      for (const event of page.data) {
        yield event
        after = event.id
      }
      idle = page.data.length > 0 || response.headers.has('preference-applied') ? 0 : idle + 1
      if (idle > 0) await this.#transport.clock.sleep(pollDelayMs(idle, rateLimitOf(response.headers)), signal)
    }
  }

  async #page(query: ListEventsQuery, options: CallOptions & { holdSeconds?: number | undefined }) {
    const call = { ...options, method: 'GET', path: '/v1/events', query } as const
    const response = await sendPage<ListedEvent>(this.#transport, call)
    for (const event of response.data.data) withFiles(this.#transport, event.data)
    return response as ApiResponse<unknown> as ApiResponse<Page<AnyEvent>>
  }
}
