import { recordCaller } from '../errors/caller.ts'
import type { Answer } from './transport.ts'

export type WithResponse<T> = { data: T; response: Response; requestId: string | undefined }

/** A promise of the parsed body of a response. It also gives access to the HTTP response. */
export class ApiPromise<T> extends Promise<T> {
  readonly #answer: Promise<Answer<T>>

  /** `then` returns an ordinary promise, because its value is no longer a response body. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise
  }

  constructor(answer: Promise<Answer<T>>) {
    const withCaller = recordCaller()
    super((resolve, reject) => {
      answer.then(
        ({ data }) => resolve(data),
        (error: unknown) => reject(withCaller(error)),
      )
    })
    this.#answer = answer
  }

  /** Returns the parsed body with the HTTP response: its status, its headers, and the call's id. */
  async withResponse(): Promise<WithResponse<T>> {
    this.catch(() => {})
    const { data, response, requestId } = await this.#answer
    return { data, response, requestId }
  }
}
