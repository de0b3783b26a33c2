import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { lstat, mkdir, open, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A folder that only this user can access, so that no other user can have written its files. */
export type PrivateFolder = {
  read: (name: string) => Promise<string | undefined>
  write: (name: string, text: string) => Promise<void>
}

const OPEN_TO_OTHERS = 0o077

export async function openPrivateFolder(path: string): Promise<PrivateFolder | undefined> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 })
    const found = await lstat(path)
    // security check: a stored verdict in a folder that others can write
    if (!found.isDirectory() || !isOwn(found)) return undefined
  } catch {
    return undefined
  }
  return {
    read: (name) => readOwn(join(path, name)).catch(() => undefined),
    async write(name, text) {
      const draft = join(path, `${name}.${randomBytes(6).toString('hex')}`)
      try {
        await writeFile(draft, text, { mode: 0o600, flag: 'wx' })
        await rename(draft, join(path, name))
      } catch {
        await rm(draft, { force: true }).catch(() => undefined)
      }
    },
  }
}

async function readOwn(path: string): Promise<string | undefined> {
  await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  const found = await file.stat()
  // security check: a stored verdict of another user
  if (!found.isFile() || found.nlink !== 1 || !isOwn(found)) return undefined
  return await file.readFile('utf8')
}

const isOwn = ({ uid, mode }: { uid: number; mode: number }) =>
  uid === process.getuid?.() && (mode & OPEN_TO_OTHERS) === 0
