import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

/** A result that is open for reading: what is stored is what was checked, whatever happens to its name. */
export type OpenResult = AsyncDisposable & { handle: FileHandle; inode: number; size: number }

/** Opens a result. Throws for a link, a pipe or a folder in its place: a link would publish whatever it points to. */
export async function openResult(path: string): Promise<OpenResult> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  const stats = await handle.stat()
  if (stats.isFile() && stats.nlink === 1) {
    return { handle, inode: stats.ino, size: stats.size, [Symbol.asyncDispose]: () => handle.close() }
  }
  await handle.close()
  throw new Error('the result is not a plain file')
}
