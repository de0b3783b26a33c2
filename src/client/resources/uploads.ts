import type { CompleteUpload, DeletedUpload, NewUpload, Upload, WaitingUpload } from '../api-types.ts'
import { pageOrigin } from '../environment.ts'
import type { SendUploadOptions } from '../files/send-upload.ts'
import { PIECE_BYTES, sendPieces } from '../files/send-upload.ts'
import { ApiPromise } from '../transport/api-promise.ts'
import type { Answer, CallOptions, Transport } from '../transport/transport.ts'
import { send } from '../transport/transport.ts'

/** How a file is uploaded. */
export type UploadOptions = CallOptions & Pick<SendUploadOptions, 'onProgress'>

/** Before its end an upload is not used any more: the request that names it must have been accepted by then. */
const SPARE_MS = 60 * 60_000

/** Files of yours that the service keeps for a day. */
export class Uploads {
  readonly #transport: Transport
  readonly #known = new WeakMap<Blob, CompleteUpload>()
  readonly #deleted = new Set<string>()

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Uploads a file, or, given its size, makes a signed `upload_url` that somebody else sends it to.
   *
   * A Blob can be a `source` as it is: this is for one that is used by several requests, or comes from a browser.
   *
   * @example const upload = await mediamill.uploads.create(await openFile('photo.jpg'))
   * @example const { upload_url } = await mediamill.uploads.create({ size: 1_900_000, origin: 'https://app.example.com' })
   */
  create(file: Blob, options?: UploadOptions): ApiPromise<CompleteUpload>
  create(announced: NewUpload, options?: CallOptions): ApiPromise<WaitingUpload>
  create(what: Blob | NewUpload, options: UploadOptions = {}): ApiPromise<CompleteUpload> | ApiPromise<WaitingUpload> {
    if (what instanceof Blob) return new ApiPromise(this.#upload(what, options))
    return new ApiPromise(send<WaitingUpload>(this.#transport, { ...options, method: 'POST', path: PATH, body: what }))
  }

  /**
   * Returns an upload as it is now.
   *
   * @example const { status } = await mediamill.uploads.retrieve(upload.id)
   */
  retrieve(id: string, options: CallOptions = {}): ApiPromise<Upload> {
    return new ApiPromise(
      send(this.#transport, { ...options, method: 'GET', path: `${PATH}/${encodeURIComponent(id)}` }),
    )
  }

  /**
   * Deletes an upload before its day is over.
   *
   * @example await mediamill.uploads.delete(upload.id)
   */
  delete(id: string, options: CallOptions = {}): ApiPromise<DeletedUpload> {
    this.#deleted.add(id)
    const path = `${PATH}/${encodeURIComponent(id)}`
    return new ApiPromise(send(this.#transport, { ...options, method: 'DELETE', path }))
  }

  /** Uploads a file that a call names, unless this client has already done so. */
  async sourceOf(file: Blob, signal: AbortSignal | undefined): Promise<string> {
    const known = this.#known.get(file)
    const isUsable =
      known !== undefined &&
      !this.#deleted.has(known.id) &&
      Date.parse(known.expires_at) - SPARE_MS > this.#transport.clock.now()
    if (isUsable) return known.source
    const { data } = await this.#upload(file, { signal })
    this.#known.set(file, data)
    return data.source
  }

  async #upload(file: Blob, options: UploadOptions): Promise<Answer<CompleteUpload>> {
    // One call is quickest; what takes long is sent so that it can be gone on with.
    if (file.size <= PIECE_BYTES) {
      const answer = await send<CompleteUpload>(this.#transport, { ...options, method: 'POST', path: PATH, body: file })
      options.onProgress?.(file.size, file.size)
      return answer
    }
    const origin = pageOrigin()
    const begun = await this.create({ size: file.size, ...(origin === undefined ? {} : { origin }) }, options)
    await sendPieces(this.#transport, begun.upload_url, file, options)
    return await send(this.#transport, { ...options, method: 'GET', path: `${PATH}/${begun.id}` })
  }
}

const PATH = '/v1/uploads'
