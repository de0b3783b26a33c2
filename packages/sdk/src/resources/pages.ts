import { ConnectionError } from '../errors/connection-error.ts'
import { ApiPromise } from '../transport/api-promise.ts'
import type { ApiResponse, Call, Transport } from '../transport/transport.ts'
import { send } from '../transport/transport.ts'

/** One page of a list. */
export type Page<T> = { object: 'list'; data: T[]; has_more: boolean }

/** Fetches a page. Throws `ConnectionError` if the response is not a list of objects. */
export async function sendPage<T>(transport: Transport, call: Call): Promise<ApiResponse<Page<T>>> {
  const response = await send<Page<T>>(transport, call)
  const { data } = response.data
  if (Array.isArray(data) && data.every((item) => typeof item === 'object' && item !== null)) return response
  throw new ConnectionError('The response is not a list: check the base URL.')
}

/** Fetches a page. `behind` is the id of the last item of the previous page, or `undefined` for the first page. */
type FetchPage<T extends { id: unknown }> = (behind: T['id'] | undefined) => Promise<ApiResponse<Page<T>>>

/** A list. Await the list for its first page, or iterate over it for the items of all pages. */
export class Pages<T extends { id: number | string }> extends ApiPromise<Page<T>> implements AsyncIterable<T> {
  readonly #first: Promise<ApiResponse<Page<T>>>
  readonly #page: FetchPage<T>

  constructor(page: FetchPage<T>) {
    const first = page(undefined)
    super(first)
    this.#first = first
    this.#page = page
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, undefined> {
    this.catch(() => {})
    for (let page = await this.#first; ; ) {
      const { data, has_more: hasMore } = page.data
      yield* data
      const last = data.at(-1)
      if (!hasMore || last === undefined) return undefined
      page = await this.#page(last.id)
    }
  }
}
