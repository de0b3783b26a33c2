import type { NewStampParams, Stamp } from '../api-types.ts'
import type { UploadFile } from '../files/resolve-sources.ts'
import { resolveSources } from '../files/resolve-sources.ts'
import { ApiPromise } from '../transport/api-promise.ts'
import type { CallOptions, Transport } from '../transport/transport.ts'
import { send } from '../transport/transport.ts'

/** Watermarks made from text or an image. */
export class Stamps {
  readonly #transport: Transport
  readonly #upload: UploadFile

  constructor(transport: Transport, upload: UploadFile) {
    this.#transport = transport
    this.#upload = upload
  }

  /**
   * Creates a watermark from text or an image. Pass the watermark's `source` as the `image_url` of a `watermark`
   * operation. The call is free. The service keeps the watermark for a day.
   * @example const stamp = await mediamill.stamps.create({ type: 'text', text: '© Jane Doe', size: 32, opacity: 60 })
   */
  create(params: NewStampParams, options: CallOptions = {}): ApiPromise<Stamp> {
    const body = 'source' in params ? resolveSources(params, this.#upload, options) : Promise.resolve(params)
    const call = { ...options, method: 'POST', path: '/v1/stamps' } as const
    return new ApiPromise(
      body.then(async (resolved) => await send<Stamp>(this.#transport, { ...call, body: resolved })),
    )
  }
}
