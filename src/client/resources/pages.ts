import { ApiPromise } from '../transport/api-promise.ts'
import type { Answer } from '../transport/transport.ts'

/** One page of a list. */
export type Page<T> = { object: 'list'; data: T[]; has_more: boolean }

/** A list: awaited it is its first page, iterated it is every item of all pages. */
export class Pages<T> extends ApiPromise<Page<T>> implements AsyncIterable<T> {
  readonly #first: Promise<Answer<Page<T>>>
  readonly #page: (before: number | undefined) => Promise<Answer<Page<T>>>
  readonly #idOf: (item: T) => number

  constructor(page: (before: number | undefined) => Promise<Answer<Page<T>>>, idOf: (item: T) => number) {
    const first = page(undefined)
    super(first)
    this.#first = first
    this.#page = page
    this.#idOf = idOf
  }

  /** Goes through all items; the next page is fetched when the one before is used up. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T, undefined> {
    this.catch(() => {})
    for (let page = await this.#first; ; ) {
      const { data, has_more: hasMore } = page.data
      yield* data
      const last = data.at(-1)
      if (!hasMore || last === undefined) return undefined
      page = await this.#page(this.#idOf(last))
    }
  }
}
