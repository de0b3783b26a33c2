import { builtinModule } from '../environment.ts'
import { MediamillError } from '../errors/mediamill-error.ts'
import type { Bytes } from './download-stream.ts'

type Handle = {
  write: (bytes: Uint8Array, offset: number, length: number) => Promise<{ bytesWritten: number }>
  close: () => Promise<void>
}
type Files = {
  open: (path: string, flags: 'wx') => Promise<Handle>
  rename: (from: string, to: string) => Promise<void>
  stat: (path: string) => Promise<{ isFile: () => boolean }>
  rm: (path: string, options: { force: true }) => Promise<void>
}
type Urls = { fileURLToPath: (url: URL) => string }

/** Writes a stream to a file. The file has a temporary name until it is complete. */
export async function saveStream(path: string | URL, stream: ReadableStream<Bytes>): Promise<void> {
  const files = builtinModule<Files>('node:fs/promises')
  if (files === undefined) {
    await stream.cancel()
    throw new MediamillError('save() requires a runtime with file access. Otherwise use bytes(), blob(), or stream().')
  }
  const target =
    typeof path === 'string' ? path : (builtinModule<Urls>('node:url')?.fileURLToPath(path) ?? path.pathname)
  const there = await files.stat(target).catch(() => undefined)
  if (there !== undefined && !there.isFile()) {
    await stream.cancel()
    throw new MediamillError(`${target} is not a regular file and cannot be overwritten.`)
  }
  const temporary = `${target}.${crypto.randomUUID().slice(0, 8)}.part`
  const handle = await files.open(temporary, 'wx')
  try {
    try {
      await writeAll(handle, stream)
    } finally {
      await handle.close()
    }
    await files.rename(temporary, target)
  } catch (error) {
    await files.rm(temporary, { force: true })
    throw error
  }
}

async function writeAll(handle: Handle, stream: ReadableStream<Bytes>): Promise<void> {
  const reader = stream.getReader()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      for (let at = 0; at < next.value.length; ) {
        at += (await handle.write(next.value, at, next.value.length - at)).bytesWritten
      }
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}
