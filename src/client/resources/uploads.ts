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
  readonly #known = new WeakMap<Blob, { id: string; source: string; until: number }>()
  readonly #sending = new WeakMap<Blob, { source: Promise<string>; signal: AbortSignal | undefined }>()
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

  /** Uploads a file that a call names, unless this client has already done so, or is about it. */
  async sourceOf(file: Blob, signal: AbortSignal | undefined): Promise<string> {
    signal?.throwIfAborted()
    const known = this.#known.get(file)
    const isUsable = known !== undefined && !this.#deleted.has(known.id) && known.until > this.#transport.clock.now()
    if (isUsable) return known.source
    const other = this.#sending.get(file)
    if (other === undefined) return await this.#sendFor(file, signal)
    try {
      return await orAborted(other.source, signal)
    } catch (error) {
      // Whoever began it may have given it up: then this call does it.
      if (!other.signal?.aborted) throw error
      return await this.sourceOf(file, signal)
    }
  }

  async #sendFor(file: Blob, signal: AbortSignal | undefined): Promise<string> {
    const source = this.#upload(file, { signal }).then(({ data }) => {
      // The service's own times: the clock of this machine may be another.
      const keptMs = Date.parse(data.expires_at) - Date.parse(data.created_at)
      this.#known.set(file, { ...data, until: this.#transport.clock.now() + keptMs - SPARE_MS })
      return data.source
    })
    this.#sending.set(file, { source, signal })
    try {
      return await source
    } finally {
      this.#sending.delete(file)
    }
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

/** What a promise gives, or at once the reason of a signal that ends the wait for it. */
async function orAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await promise
  return await new Promise((resolve, reject) => {
    const end = () => reject(signal.reason as Error)
    signal.addEventListener('abort', end)
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', end))
  })
}
