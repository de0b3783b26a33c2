import type { MediaRequest, ResultFile } from '../api-types.ts'
import { traced } from '../errors/caller.ts'
import type { Transport } from '../transport/transport.ts'
import type { Bytes } from './download-stream.ts'
import { downloadStream } from './download-stream.ts'
import { saveStream } from './save-stream.ts'

/** A file of a result, with methods to download the file. Each method checks the size and the SHA-256 digest. */
export class DownloadableFile implements ResultFile {
  readonly url: string
  readonly url_expires_at: string
  readonly format: ResultFile['format']
  readonly size: number | null
  readonly sha256: string
  /** The name of the output, and its size in pixels. Set only if the request has `outputs`. */
  declare readonly name?: string
  declare readonly width?: number
  declare readonly height?: number
  readonly #transport: Transport

  constructor(transport: Transport, file: ResultFile) {
    Object.assign(this, file)
    this.url = file.url
    this.url_expires_at = file.url_expires_at
    this.format = file.format
    this.size = file.size
    this.sha256 = file.sha256
    this.#transport = transport
  }

  /**
   * Streams the bytes of the file. Resumes after a lost connection. Fails at the end if the digest is wrong.
   * @example return new Response(request.result.files[0].stream())
   */
  stream(options: DownloadOptions = {}): ReadableStream<Bytes> {
    return downloadStream(this.#transport, this, options.signal)
  }

  /**
   * Downloads the file, and returns its bytes.
   * @example const bytes = await request.result.files[0].bytes()
   */
  async bytes(options: DownloadOptions = {}): Promise<Bytes> {
    return await traced(async () => new Uint8Array(await new Response(this.stream(options)).arrayBuffer()))
  }

  /**
   * Downloads the file, and returns it as a Blob with its content type.
   * @example image.src = URL.createObjectURL(await request.result.files[0].blob())
   */
  async blob(options: DownloadOptions = {}): Promise<Blob> {
    return new Blob([await this.bytes(options)], { type: CONTENT_TYPES[this.format] ?? '' })
  }

  /**
   * Downloads the file to a path. Works in Node.js, Bun, and Deno. The path exists only once the file is complete.
   * @example await request.result.files[0].save('photo.webp')
   */
  async save(path: string | URL, options: DownloadOptions = {}): Promise<void> {
    await traced(async () => await saveStream(path, this.stream(options)))
  }
}

export type DownloadOptions = {
  /** Stops the download. */
  signal?: AbortSignal | undefined
}

const CONTENT_TYPES: Record<string, string> = {
  jpg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  avif: 'image/avif',
  gif: 'image/gif',
  tif: 'image/tiff',
  mp4: 'video/mp4',
  pdf: 'application/pdf',
}

/** A request in which the result files have download methods. */
export type Downloadable<R> = R extends { result: { files: unknown[] } } ? ReplaceFiles<R, DownloadableFile[]> : R

/** A request whose result always contains at least one file. The files have download methods. */
export type Made<R> = R extends { result: { files: unknown[] } }
  ? ReplaceFiles<R, [DownloadableFile, ...DownloadableFile[]]>
  : R

type ReplaceFiles<R extends { result: object }, Files> = Omit<R, 'result'> & {
  result: Omit<R['result'], 'files'> & { files: Files }
}

export const isFileList = (files: unknown): files is ResultFile[] =>
  Array.isArray(files) && files.every((file) => typeof file === 'object' && file !== null)

export function withFiles<R extends MediaRequest>(transport: Transport, request: R): Downloadable<R> {
  const result = request.status === 'succeeded' ? (request.result as { files?: ResultFile[] } | null) : undefined
  if (result !== undefined && result !== null && isFileList(result.files))
    result.files = result.files.map((file) => new DownloadableFile(transport, file))
  return request as Downloadable<R>
}
