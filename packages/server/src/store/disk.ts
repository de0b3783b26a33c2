import { closeSync, constants, createWriteStream, fdatasync, fsync, lstatSync, openSync, renameSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { mkdir, open, opendir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { codeOf } from '../lib/error-code.ts'
import { unlessMissing } from '../lib/unless-missing.ts'
import { openResult, READ_BYTES } from './result-file.ts'
import type { Store } from './store.ts'
import { isFileKey, isStoreKey, newStoreKey } from './store.ts'

/** The folder of incomplete files. It is in the store's folder, because renames only work within one file system. */
const INCOMING = 'incoming'

/** The size of a write. Each write goes through the thread pool, so a few large writes are cheaper. */
const BUFFERED_BYTES = 512 * 1024

/** Bytes between syncs. A sync of a whole large file delays the syncs of PostgreSQL on the same disk. */
const UNSYNCED_BYTES = 32 * 1024 * 1024

const datasync = promisify(fdatasync)
const sync = promisify(fsync)

/** Opens a store. Creates all subfolders first, so that a write never has to create and sync a subfolder. */
export async function openDiskStore(folder: string): Promise<Store> {
  await makeFolders(folder)
  const pathOf = (key: string) => {
    if (!isStoreKey(key)) throw new RangeError(`not a key of the store: ${key}`)
    return join(folder, key.slice(0, 1), key.slice(1, 2), key)
  }
  return {
    async put(path, format, requestId) {
      const key = newStoreKey(format, requestId)
      await moveIn(path, pathOf(key), join(folder, INCOMING, key))
      return key
    },
    async write(key, body) {
      await writeIn(body, pathOf(key), join(folder, INCOMING, key))
    },

    async size(key) {
      await using file = await openFile(pathOf(key))
      return file && (await file.handle.stat()).size
    },
    async check() {
      await stat(folder)
    },
    async open(key, range) {
      const file = await openFile(pathOf(key))
      if (file === undefined) return undefined
      try {
        const { size } = await file.handle.stat()
        const { start, end } = range ?? { start: 0, end: Math.max(0, size - 1) }
        const highWaterMark = Math.min(READ_BYTES, Math.max(1, end - start + 1))
        return { body: file.handle.createReadStream({ start, end, highWaterMark }), size }
      } catch (error) {
        await file.handle.close()
        throw error
      }
    },
    async delete(key) {
      await rm(pathOf(key), { force: true })
    },
    async discard(key) {
      await rm(pathOf(key), { force: true })
      await rm(join(folder, INCOMING, key), { force: true })
    },
    link: () => Promise.resolve(undefined),
    keys: (before) => keysIn(folder, before),
    sweep: (before) => sweepFolder(join(folder, INCOMING), before),
  }
}

async function makeFolders(folder: string): Promise<void> {
  await mkdir(join(folder, INCOMING), { recursive: true, mode: 0o700 })
  const made = await Promise.all(
    Array.from({ length: 256 }, (_, index) => {
      const [outer = '', inner = ''] = index.toString(16).padStart(2, '0')
      return mkdir(join(folder, outer, inner), { recursive: true, mode: 0o700 })
    }),
  )
  if (made.every((first) => first === undefined)) return
  for (const outer of '0123456789abcdef') await syncFolder(join(folder, outer))
  await syncFolder(folder)
}

async function openFile(path: string): Promise<({ handle: FileHandle } & AsyncDisposable) | undefined> {
  const handle = await unlessMissing(open(path, constants.O_RDONLY | constants.O_NOFOLLOW))
  return handle && { handle, [Symbol.asyncDispose]: () => handle.close() }
}

async function moveIn(from: string, to: string, incoming: string): Promise<void> {
  using result = openResult(from)
  try {
    await datasync(result.fd)
    renameSync(from, to)
  } catch (error) {
    if (codeOf(error) !== 'EXDEV') throw error
    // The file is on another file system.
    await writeIn(result.read(), to, incoming)
    return await rm(from, { force: true })
  }
  // An engine could have replaced the file before the rename.
  if (lstatSync(to).ino !== result.inode) {
    await rm(to, { force: true })
    throw new Error('the result file was replaced while it was stored')
  }
  await syncFolder(dirname(to))
}

/** Writes a file. Until the file is complete, its path is `incoming`, which nothing reads. */
async function writeIn(body: AsyncIterable<Buffer>, to: string, incoming: string): Promise<void> {
  try {
    await writeNewFile(incoming, body)
    await rename(incoming, to)
  } catch (error) {
    // Another process is writing the same key, which must be the store's marker. Keep the file of that process.
    if (codeOf(error) !== 'EEXIST') await rm(incoming, { force: true })
    throw error
  }
  await syncFolder(dirname(to))
}

export async function writeNewFile(path: string, body: AsyncIterable<Buffer>): Promise<void> {
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true, highWaterMark: BUFFERED_BYTES })
  let opened: number | undefined
  file.once('open', (fd) => {
    opened = fd
  })
  async function* syncing(chunks: AsyncIterable<Buffer>) {
    let unsynced = 0
    for await (const chunk of chunks) {
      yield chunk
      unsynced += chunk.length
      if (unsynced < UNSYNCED_BYTES || opened === undefined) continue
      await datasync(opened)
      unsynced = 0
    }
  }
  await pipeline(body, syncing, file)
}

export async function syncFolder(path: string): Promise<void> {
  const folder = openSync(path, constants.O_RDONLY)
  try {
    await sync(folder)
  } finally {
    closeSync(folder)
  }
}

async function* keysIn(folder: string, before: Date): AsyncIterable<string> {
  for await (const entry of await opendir(folder, { recursive: true })) {
    if (!entry.isFile() || !isFileKey(entry.name) || entry.parentPath.endsWith(INCOMING)) continue
    if (await isOlder(join(entry.parentPath, entry.name), before)) yield entry.name
  }
}

async function sweepFolder(folder: string, before: Date): Promise<number> {
  let swept = 0
  for await (const entry of await opendir(folder)) {
    const path = join(folder, entry.name)
    if (!(await isOlder(path, before))) continue
    await rm(path, { force: true, recursive: true })
    swept += 1
  }
  return swept
}

async function isOlder(path: string, before: Date): Promise<boolean> {
  const found = await unlessMissing(stat(path))
  return found !== undefined && found.mtimeMs < before.getTime()
}
