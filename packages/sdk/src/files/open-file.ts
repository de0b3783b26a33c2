import { builtinModule } from '../environment.ts'
import { MediamillError } from '../errors/mediamill-error.ts'
import { uploadName } from './upload-name.ts'

type Files = {
  openAsBlob?: (path: string | URL) => Promise<Blob>
  promises: {
    readFile: (path: string | URL) => Promise<Uint8Array>
    stat: (path: string | URL) => Promise<{ isFile: () => boolean }>
  }
}
type WithBun = { Bun?: { file: (path: string | URL) => Blob & { exists: () => Promise<boolean> } } }

/**
 * Opens a file on this machine, to pass as `source` or `image_url`. The bytes are read when the file is sent.
 * Works in Node.js, Bun, and Deno. In a browser, use the `File` from a file input.
 * @example await mediamill.images.read({ source: await openFile('photo.jpg') }).wait()
 */
export async function openFile(path: string | URL): Promise<Blob> {
  const { Bun: bun } = globalThis as unknown as WithBun
  if (bun !== undefined) {
    const file = bun.file(path)
    if (!(await file.exists())) throw new MediamillError(`The file ${String(path)} does not exist.`)
    return file
  }
  const files = builtinModule<Files>('node:fs')
  if (files === undefined)
    throw new MediamillError('openFile() requires a runtime with file access: Node.js, Bun, or Deno.')
  try {
    // Without this check, a folder would fail only when its Blob is sent.
    if (!(await files.promises.stat(path)).isFile()) throw new MediamillError(`${String(path)} is not a file.`)
    const bytes = await (files.openAsBlob?.(path) ?? files.promises.readFile(path))
    const name = uploadName(typeof path === 'string' ? path : decodeURIComponent(path.pathname))
    // Node.js never shares the memory of a file, which the type of its bytes allows.
    const parts = [bytes as Blob | Uint8Array<ArrayBuffer>]
    return name === undefined ? new Blob(parts) : new File(parts, name)
  } catch (cause) {
    if (cause instanceof MediamillError) throw cause
    const code = String((cause as { code?: unknown }).code)
    const reason = code === 'ENOENT' ? 'does not exist' : `cannot be opened (${code})`
    throw new MediamillError(`The file ${String(path)} ${reason}.`, { cause })
  }
}
