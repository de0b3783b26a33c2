import { MediamillError } from '../errors/mediamill-error.ts'
import type { FileSource } from './media-source.ts'
import { isFileSource } from './media-source.ts'

/** Receives the number of bytes sent so far, and the size of the file in bytes. */
export type OnUpload = (sent: number, size: number) => void

export type UploadFile = (
  file: FileSource | URL,
  signal: AbortSignal | undefined,
  onUpload?: OnUpload,
) => Promise<string>

type Unresolved = {
  source: unknown
  operations?: readonly { image_url?: unknown }[]
  outputs?: readonly { operations?: readonly { image_url?: unknown }[] }[]
}

export type ResolveOptions = { signal?: AbortSignal | undefined; onUpload?: OnUpload | undefined }

/** Replaces each file in a body with the `source` of its upload. Uploads each file once. */
export async function resolveSources(
  body: object,
  upload: UploadFile,
  { signal, onUpload }: ResolveOptions = {},
): Promise<object> {
  const sent = new Map<unknown, Promise<string>>()
  const nameOf = async (given: unknown): Promise<unknown> => {
    const value = await given
    if (!isFileSource(value)) return textOf(value)
    const uploading = sent.get(value) ?? upload(value, signal, onUpload)
    sent.set(value, uploading)
    return await uploading
  }
  return await mapSources(body, nameOf)
}

/**
 * Keeps the program running if the promise of a source rejects before it is awaited. The error is not lost:
 * `resolveSources` throws it.
 */
export function awaitLater(body: object): void {
  const { source, operations, outputs } = body as Partial<Unresolved>
  const lists = Array.isArray(outputs) ? [operations, ...outputs.map((output) => output?.operations)] : [operations]
  const overlays = lists.flatMap((list) => (Array.isArray(list) ? list.map((operation) => operation?.image_url) : []))
  for (const value of [source, ...overlays]) if (value instanceof Promise) value.catch(() => {})
}

/** Replaces each value of a body that can name a file: `source`, and `image_url` in each list of operations. */
export async function mapSources(body: object, replace: (value: unknown) => Promise<unknown>): Promise<object> {
  const { source, operations, outputs } = body as Unresolved
  return {
    ...body,
    source: await replace(source),
    ...(await resolveOperations(operations)),
    ...(Array.isArray(outputs) ? { outputs: await Promise.all(outputs.map(resolveOutput)) } : {}),
  }

  async function resolveOutput(output: unknown): Promise<unknown> {
    if (typeof output !== 'object' || output === null || !('operations' in output)) return output
    return { ...output, ...(await resolveOperations(output.operations)) }
  }

  async function resolveOperations(list: unknown): Promise<{ operations?: unknown[] }> {
    return Array.isArray(list) ? { operations: await Promise.all(list.map(resolveOperation)) } : {}
  }

  async function resolveOperation(operation: unknown): Promise<unknown> {
    if (typeof operation !== 'object' || operation === null || !('image_url' in operation)) return operation
    return { ...operation, image_url: await replace(operation.image_url) }
  }
}

/** Returns the JSON value of a source that needs no upload. Throws for a local path or an unsupported value. */
function textOf(value: unknown): unknown {
  if (value instanceof URL) return value.href
  if (typeof value === 'string') {
    if (value.includes(':')) return value
    throw new MediamillError(`"${value.slice(0, 40)}" is not a URL. Open a local file with openFile("photo.jpg").`)
  }
  if (typeof value !== 'object' || value === null) return value
  if ('source' in value) return value.source
  throw new MediamillError('A source must be a URL, an upload, a Blob, bytes, a stream, or a Response.')
}
