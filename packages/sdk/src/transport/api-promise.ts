import { recordCaller } from '../errors/caller.ts'
import type { ApiResponse } from './transport.ts'

export type WithResponse<T> = { data: T; response: Response; requestId: string | undefined }

/** A promise of the parsed body of a response. It also gives access to the HTTP response. */
export class ApiPromise<T> extends Promise<T> {
  readonly #response: Promise<ApiResponse<T>>

  /** `then` returns an ordinary promise, because its value is no longer a response body. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise
  }

  constructor(response: Promise<ApiResponse<T>>) {
    const withCaller = recordCaller()
    super((resolve, reject) => {
      response.then(
        ({ data }) => resolve(data),
        (error: unknown) => reject(withCaller(error)),
      )
    })
    this.#response = response
  }

  /** Returns the parsed body with the HTTP response: its status, its headers, and the call's id. */
  async withResponse(): Promise<WithResponse<T>> {
    this.catch(() => {})
    const { data, response, requestId } = await this.#response
    return { data, response, requestId }
  }
}
