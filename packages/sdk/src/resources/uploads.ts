import type { CompleteUpload, DeletedUpload, NewUpload, Upload, WaitingUpload } from '../api-types.ts'
import { pageOrigin } from '../environment.ts'
import { MediamillError } from '../errors/mediamill-error.ts'
import type { FileSource } from '../files/media-source.ts'
import { isFileSource, readFileSource } from '../files/media-source.ts'
import type { SendUploadOptions } from '../files/send-upload.ts'
import { PIECE_BYTES, reportOf, sendPieces } from '../files/send-upload.ts'
import { uploadName } from '../files/upload-name.ts'
import type { UploadedBlobs } from '../files/uploaded-blobs.ts'
import { ApiPromise } from '../transport/api-promise.ts'
import type { ApiResponse, CallOptions, Transport } from '../transport/transport.ts'
import { send } from '../transport/transport.ts'

/** Options of an upload. */
export type UploadOptions = CallOptions &
  Pick<SendUploadOptions, 'onProgress'> & {
    /** The displayed file name; by default the name of a `File`. No path separators or control characters. */
    filename?: string | undefined
  }

/** Uploaded files, which the service keeps for a day. */
export class Uploads {
  readonly #transport: Transport
  readonly #blobs: UploadedBlobs

  constructor(transport: Transport, blobs: UploadedBlobs) {
    this.#transport = transport
    this.#blobs = blobs
  }

  /**
   * Uploads a file. With a size instead, creates a signed `upload_url` to which another program sends the file.
   * You can also pass a file directly as a `source`. Use this method if several requests need the file.
   * @example const upload = await mediamill.uploads.create(await openFile('photo.jpg'))
   * @example const { upload_url } = await mediamill.uploads.create({ size: 1_900_000, origin: 'https://app.example' })
   */
  create(file: FileSource | URL | PromiseLike<FileSource>, options?: UploadOptions): ApiPromise<CompleteUpload>
  create(announced: NewUpload, options?: CallOptions): ApiPromise<WaitingUpload>
  create(
    given: FileSource | URL | PromiseLike<FileSource> | NewUpload,
    options: UploadOptions = {},
  ): ApiPromise<CompleteUpload> | ApiPromise<WaitingUpload> {
    if (isFileSource(given) || 'then' in given) {
      const upload = async () => {
        const file = await given
        if (!isFileSource(file)) throw new MediamillError('uploads.create() requires a file, or { size }.')
        return await uploadBlob(this.#transport, await readFileSource(file), options)
      }
      return new ApiPromise(upload())
    }
    const { onProgress: _, filename: __, ...call } = options
    return new ApiPromise(send<WaitingUpload>(this.#transport, { ...call, method: 'POST', path: PATH, body: given }))
  }

  /**
   * Returns the current state of an upload.
   * @example const { status } = await mediamill.uploads.retrieve(upload.id)
   */
  retrieve(id: string, options: CallOptions = {}): ApiPromise<Upload> {
    return new ApiPromise(
      send(this.#transport, { ...options, method: 'GET', path: `${PATH}/${encodeURIComponent(id)}` }),
    )
  }

  /**
   * Deletes an upload before it expires.
   * @example await mediamill.uploads.delete(upload.id)
   */
  delete(id: string, options: CallOptions = {}): ApiPromise<DeletedUpload> {
    this.#blobs.forget(id)
    const path = `${PATH}/${encodeURIComponent(id)}`
    return new ApiPromise(send(this.#transport, { ...options, method: 'DELETE', path }))
  }
}

const PATH = '/v1/uploads'

/** Sends a file of more than 16 MiB in chunks, so that a lost connection does not end the upload. */
export async function uploadBlob(
  transport: Transport,
  file: Blob,
  options: UploadOptions,
): Promise<ApiResponse<CompleteUpload>> {
  const release = await transport.queues?.uploads.take(options.signal)
  try {
    return await uploadNow(transport, file, options)
  } finally {
    release?.()
  }
}

async function uploadNow(
  transport: Transport,
  file: Blob,
  options: UploadOptions,
): Promise<ApiResponse<CompleteUpload>> {
  const filename = options.filename ?? uploadName(nameOf(file))
  if (file.size <= PIECE_BYTES) {
    const call = { ...options, method: 'POST', path: PATH, query: { filename }, body: file } as const
    const report = reportOf(options.onProgress, file.size)
    const response = await send<CompleteUpload>(transport, { ...call, onBytes: report })
    report?.(file.size)
    return response
  }
  const origin = pageOrigin()
  const body = { size: file.size, filename, origin }
  const { data: begun } = await send<WaitingUpload>(transport, { ...options, method: 'POST', path: PATH, body })
  await sendPieces(transport, begun.upload_url, file, options)
  return await send(transport, { ...options, method: 'GET', path: `${PATH}/${begun.id}` })
}

/** Returns the name of a `File`, or the path of a `Bun.file()`. */
function nameOf(file: Blob): string {
  const { name } = file as { name?: unknown }
  return typeof name === 'string' ? name : ''
}
