import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { chmod, mkdir, readdir, realpath, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import type { ScratchOwner } from './scratch-owner.ts'
import { ownScratch, stateOf } from './scratch-owner.ts'

/** A folder that only this user can access. Disposal deletes it. */
export type ScratchFolder = AsyncDisposable & { path: string }

export type Scratch = AsyncDisposable & {
  path: string
  /** A folder that stays empty. Engines mount their files there, in their own mount namespaces. */
  mountPoint: string
  jobFolder(): ScratchFolder
  engineFolder(): ScratchFolder
}

const NAME = /^worker-(\d+)-(\w+)-([0-9a-f]{12})-[0-9a-f]{8}$/

// Each worker touches its folder, so that workers elsewhere can see that the worker is alive.
const TOUCH_MS = 5 * 60_000
const SILENT_MS = 3 * TOUCH_MS

export async function openScratch(folder: string): Promise<Scratch> {
  const owner = await ownScratch()
  const isNew = (await mkdir(folder, { recursive: true })) !== undefined
  // The sandbox requires an absolute path without symbolic links.
  const root = await realpath(folder)
  const path = join(root, folderName(owner))
  await sweepScratch(root, owner)
  await mkdir(path)
  // Engines that run as another user must pass through the folder. They cannot list it, and the folders in it are
  // private.
  // security check: other users’ view of the scratch folder
  for (const passable of isNew ? [root, path] : [path]) await chmod(passable, 0o711)
  await mkdir(join(path, 'jobs'), { mode: 0o700 })
  await mkdir(join(path, 'engines'))
  await chmod(join(path, 'engines'), 0o711)
  const mountPoint = join(path, 'mount')
  await mkdir(mountPoint)

  const touch = setInterval(() => {
    const now = new Date()
    void utimes(path, now, now)
      .then(() => sweepScratch(root, owner))
      .catch(() => {})
  }, TOUCH_MS).unref()

  return {
    path,
    mountPoint,
    jobFolder() {
      const job = join(path, 'jobs', randomBytes(8).toString('hex'))
      // security check: other users in a job folder
      mkdirSync(job, { mode: 0o700 })
      return { path: job, [Symbol.asyncDispose]: () => removeFolder(job) }
    },
    engineFolder() {
      const engine = join(path, 'engines', randomBytes(8).toString('hex'))
      // security check: other users in an engine’s folder
      mkdirSync(engine, { mode: 0o700 })
      return { path: engine, [Symbol.asyncDispose]: () => removeFolder(engine) }
    },
    async [Symbol.asyncDispose]() {
      clearInterval(touch)
      await removeFolder(path)
    },
  }
}

/**
 * Deletes the scratch folders of dead workers. A worker on another machine or in another container counts as dead if it
 * has not touched its folder for 15 min.
 */
async function sweepScratch(root: string, own: ScratchOwner): Promise<void> {
  for (const name of await readdir(root)) {
    const [, pid, started, bootId] = NAME.exec(name) ?? []
    if (pid === undefined || started === undefined || bootId === undefined) continue
    const folder = join(root, name)
    const state = await stateOf({ pid: Number(pid), started, bootId }, own.bootId)
    if (state === 'dead' || (state === 'elsewhere' && (await isSilent(folder)))) await removeFolder(folder)
  }
}

async function isSilent(folder: string): Promise<boolean> {
  const found = await stat(folder).catch(() => undefined)
  return found !== undefined && Date.now() - found.mtimeMs > SILENT_MS
}

/** Deletes a folder, even if an engine has changed its permissions or nested it deeply. */
async function removeFolder(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true, maxRetries: 3 })
  } catch {
    await flatten(path)
    await rm(path, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** Moves all nested folders to `path`. Otherwise, a path could exceed the length limit. */
async function flatten(path: string): Promise<void> {
  await chmod(path, 0o700)
  const waiting = await foldersIn(path)
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    await chmod(next, 0o700)
    for (const inner of await foldersIn(next)) {
      const flat = join(path, randomBytes(8).toString('hex'))
      await chmod(inner, 0o700)
      await rename(inner, flat)
      waiting.push(flat)
    }
  }
}

async function foldersIn(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true })
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(path, name))
}

const folderName = (owner: ScratchOwner): string =>
  `worker-${owner.pid}-${owner.started}-${owner.bootId}-${randomBytes(4).toString('hex')}`
