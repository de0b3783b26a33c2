import type { Answer } from './transport.ts'

/** What `withResponse()` gives: the parsed body, and the response it came in. */
export type WithResponse<T> = { data: T; response: Response; requestId: string | undefined }

/** A promise of what a call is answered with, which knows the HTTP response too. */
export class ApiPromise<T> extends Promise<T> {
  readonly #answer: Promise<Answer<T>>

  /** What `then` returns is an ordinary promise. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise
  }

  constructor(answer: Promise<Answer<T>>) {
    super((resolve, reject) => {
      answer.then(({ data }) => resolve(data), reject)
    })
    this.#answer = answer
  }

  /** Returns the parsed body with the HTTP response: its status, headers and the call's id. */
  async withResponse(): Promise<WithResponse<T>> {
    this.catch(() => {})
    const { data, response, requestId } = await this.#answer
    return { data, response, requestId }
  }
}
