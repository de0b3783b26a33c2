import { MediamillError } from '../errors/mediamill-error.ts'

/** Uploads a file and returns what `source` and `image_url` take. */
export type UploadFile = (file: Blob, signal: AbortSignal | undefined) => Promise<string>

/** A body whose files may still be files. */
export type Unresolved = { source: unknown; operations?: readonly object[] }

/** Replaces the files of a body by the names of their uploads. Each is sent once. */
export async function resolveSources(body: object, upload: UploadFile, signal?: AbortSignal): Promise<object> {
  const { source, operations } = body as Unresolved
  const sent = new Map<Blob, Promise<string>>()
  const nameOf = async (value: unknown): Promise<unknown> => {
    if (!(value instanceof Blob)) return textOf(value)
    const uploading = sent.get(value) ?? upload(value, signal)
    sent.set(value, uploading)
    return await uploading
  }
  return {
    ...body,
    source: await nameOf(source),
    ...(Array.isArray(operations) ? { operations: await Promise.all(operations.map(resolveOperation)) } : {}),
  }

  async function resolveOperation(operation: unknown): Promise<unknown> {
    if (typeof operation !== 'object' || operation === null || !('image_url' in operation)) return operation
    return { ...operation, image_url: await nameOf(operation.image_url) }
  }
}

function textOf(value: unknown): unknown {
  if (value instanceof URL) return value.href
  if (typeof value === 'string') {
    if (value.includes(':')) return value
    throw new MediamillError(
      `"${value.slice(0, 40)}" is not a URL. A file of this machine is opened: openFile("photo.jpg").`,
    )
  }
  if (typeof value !== 'object' || value === null) return value
  if ('source' in value) return value.source
  throw new MediamillError('A source is a URL, an upload or a Blob. Wrap bytes in one: new Blob([bytes]).')
}
