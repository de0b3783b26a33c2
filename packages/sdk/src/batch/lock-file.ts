import { MediamillError } from '../errors/mediamill-error.ts'
import type { NodeFiles } from './node-files.ts'
import { nodeFiles, thisProcess } from './node-files.ts'

/** A process that holds a lock. `started` is its start time, because the system reuses process ids. */
type Owner = { pid: number; started: string; host: string; nonce: string }

/** Locks a path for this process. Returns the function that unlocks it. Throws if another process holds the lock. */
export async function lockFile(path: string): Promise<() => Promise<void>> {
  const files = nodeFiles()
  const me: Owner = { ...(await thisProcess(files)), nonce: crypto.randomUUID() }
  const draft = `${path}.${me.nonce}`
  await files.writeFile(draft, JSON.stringify(me))
  try {
    await acquire(files, path, draft)
  } finally {
    await files.rm(draft, { force: true })
  }
  return async () => await files.rm(path, { force: true })
}

/** Creates the lock file as a hard link to `draft`, so that other processes never read an incomplete lock file. */
async function acquire(files: NodeFiles, path: string, draft: string): Promise<void> {
  for (;;) {
    try {
      await files.link(draft, path)
      return
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'EEXIST') throw error
    }
    const owner = await readOwner(files, path)
    if (owner === undefined) continue
    if (await isRunning(files, owner)) {
      throw new MediamillError(
        `Process ${owner.pid} on ${owner.host} uses this journal. Wait for its end, or use another journal. ` +
          `If that process no longer exists, delete ${path}.`,
      )
    }
    // The owner was killed. Take a second lock, so that only one of the waiting processes replaces the first lock.
    const second = `${path}.${owner.nonce}.next`
    await acquire(files, second, draft)
    if ((await readOwner(files, path))?.nonce === owner.nonce) {
      await files.rename(second, path)
      return
    }
    await files.rm(second, { force: true })
  }
}

async function readOwner(files: NodeFiles, path: string): Promise<Owner | undefined> {
  const text = await files.readFile(path, 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  try {
    return JSON.parse(text) as Owner
  } catch (cause) {
    throw new MediamillError(`${path} is not a lock file of a journal. Delete it, or use another journal.`, { cause })
  }
}

/** Returns whether the owner of a lock is running. A process on another machine always counts as running. */
async function isRunning(files: NodeFiles, owner: Owner): Promise<boolean> {
  const { host } = await thisProcess(files)
  if (owner.host !== host) return true
  return (await thisProcess(files, owner.pid)).started === owner.started
}
