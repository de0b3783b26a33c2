import type { CompleteUpload, DeletedUpload, NewUpload, Upload, WaitingUpload } from '../api-types.ts'
import { pageOrigin } from '../environment.ts'
import type { SendUploadOptions } from '../files/send-upload.ts'
import { PIECE_BYTES, sendPieces } from '../files/send-upload.ts'
import type { UploadedBlobs } from '../files/uploaded-blobs.ts'
import { ApiPromise } from '../transport/api-promise.ts'
import type { Answer, CallOptions, Transport } from '../transport/transport.ts'
import { send } from '../transport/transport.ts'

/** How a file is uploaded. */
export type UploadOptions = CallOptions & Pick<SendUploadOptions, 'onProgress'>

/** Files of yours that the service keeps for a day. */
export class Uploads {
  readonly #transport: Transport
  readonly #blobs: UploadedBlobs

  constructor(transport: Transport, blobs: UploadedBlobs) {
    this.#transport = transport
    this.#blobs = blobs
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
    if (what instanceof Blob) return new ApiPromise(uploadBlob(this.#transport, what, options))
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
    this.#blobs.forget(id)
    const path = `${PATH}/${encodeURIComponent(id)}`
    return new ApiPromise(send(this.#transport, { ...options, method: 'DELETE', path }))
  }
}

const PATH = '/v1/uploads'

/** Uploads a file: in one call, or in chunks that can be resumed if it is large. */
export async function uploadBlob(
  transport: Transport,
  file: Blob,
  options: UploadOptions,
): Promise<Answer<CompleteUpload>> {
  if (file.size <= PIECE_BYTES) {
    const answer = await send<CompleteUpload>(transport, { ...options, method: 'POST', path: PATH, body: file })
    options.onProgress?.(file.size, file.size)
    return answer
  }
  const origin = pageOrigin()
  const body = { size: file.size, ...(origin === undefined ? {} : { origin }) }
  const { data: begun } = await send<WaitingUpload>(transport, { ...options, method: 'POST', path: PATH, body })
  await sendPieces(transport, begun.upload_url, file, options)
  return await send(transport, { ...options, method: 'GET', path: `${PATH}/${begun.id}` })
}
