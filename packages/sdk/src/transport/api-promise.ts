import { recordCaller } from '../errors/caller.ts'
import type { ApiResponse } from './transport.ts'

export type WithResponse<T> = { data: T; response: Response; requestId: string | undefined }

/** A promise of the parsed response body. Call `withResponse()` to get the HTTP response too. */
export class ApiPromise<T> extends Promise<T> {
  readonly #response: Promise<ApiResponse<T>>

  /** Makes `then` return an ordinary promise, because the value of that promise is no longer a response body. */
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

  /** Returns the parsed body with the HTTP response, including its status, its headers, and the id of the call. */
  async withResponse(): Promise<WithResponse<T>> {
    this.catch(() => {})
    const { data, response, requestId } = await this.#response
    return { data, response, requestId }
  }
}
