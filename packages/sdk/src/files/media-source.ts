import { MediamillError } from '../errors/mediamill-error.ts'
import { openFile } from './open-file.ts'
import { uploadName } from './upload-name.ts'

export type FileSource =
  | Blob
  | ArrayBufferView
  | ArrayBuffer
  /** A stream is read into memory, so that a failed upload can be repeated. For large files, use `openFile()`. */
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>
  /** A response with a 2xx status. Its body is the file. */
  | Response

/**
 * A URL, an upload, a text watermark, or a file, which is uploaded before the call.
 * Open a local file with `openFile()`, or pass a `file:` URL. A string is never a path, because it may come from an
 * untrusted user.
 */
export type MediaSource = NamedSource | PromiseLike<NamedSource>

type NamedSource = string | URL | FileSource | { readonly source: string }

const tagOf = (value: unknown) => Object.prototype.toString.call(value).slice(8, -1)

/** Returns whether a value is a Blob. Checks the class name too, because test runners may replace the Blob class. */
export const isBlob = (value: unknown): value is Blob => {
  const tag = tagOf(value)
  return value instanceof Blob || tag === 'Blob' || tag === 'File'
}

const isBytes = (value: unknown): value is ArrayBufferView | ArrayBuffer =>
  ArrayBuffer.isView(value) || tagOf(value) === 'ArrayBuffer'

const isResponse = (value: object): value is Response => 'blob' in value && 'ok' in value

const isStream = (value: object): value is ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> =>
  'getReader' in value || Symbol.asyncIterator in value

export function isFileSource(value: unknown): value is FileSource | URL {
  if (typeof value !== 'object' || value === null) return false
  if (value instanceof URL) return value.protocol === 'file:'
  return isBlob(value) || isBytes(value) || isResponse(value) || isStream(value)
}

/** Caches the bytes of streams and responses, which can be read only once. */
const readFiles = new WeakMap<object, Promise<Blob>>()

export async function readFileSource(value: FileSource | URL): Promise<Blob> {
  if (isBlob(value)) return value
  if (value instanceof URL) return await openFile(value)
  if (isBytes(value)) return new Blob([value as ArrayBuffer])
  const reading = readFiles.get(value) ?? (isResponse(value) ? readResponse(value) : readStream(value))
  readFiles.set(value, reading)
  return await reading
}

async function readResponse(response: Response): Promise<Blob> {
  if (response.bodyUsed) throw alreadyRead('Response')
  if (!response.ok) throw new MediamillError(`The source ${response.url} returned status ${response.status}.`)
  const blob = await response.blob()
  const name = URL.canParse(response.url) ? new URL(response.url).pathname : ''
  return withName(blob, name)
}

async function readStream(stream: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>): Promise<Blob> {
  if ('locked' in stream && stream.locked) throw alreadyRead('stream')
  if (Symbol.asyncIterator in stream) {
    const pieces: Uint8Array<ArrayBuffer>[] = []
    for await (const piece of stream) pieces.push(piece as Uint8Array<ArrayBuffer>)
    const { path } = stream as { path?: unknown }
    return withName(new Blob(pieces), typeof path === 'string' ? path : '')
  }
  return await new Response(stream).blob()
}

const alreadyRead = (kind: string) =>
  new MediamillError(`The ${kind} was already read. Pass it as a source before you read it, or pass its bytes.`)

function withName(blob: Blob, path: string): Blob {
  const name = uploadName(path)
  return name === undefined ? blob : new File([blob], name, { type: blob.type })
}
