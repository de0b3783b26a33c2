import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, statSync, symlinkSync } from 'node:fs'
import { getCompileCacheDir } from 'node:module'
import { dirname, join, sep } from 'node:path'
import { CODE_CACHE_ROOT } from './isolation/command.ts'

/** The user ids that Node sees inside a user namespace: `nobody` or root. Node separates the code of each user. */
const USERS_INSIDE = [65_534, 0]
const FILL_DEADLINE_MS = 30_000
const WRITABLE_BY_OTHERS = 0o022

/**
 * Returns the folder of compiled code for engines, filled by starting each engine once. `undefined` if this process
 * keeps no compiled code. The code in the folder is executed, so only this user may write to the folder. Engines can
 * read it only inside a sandbox that prevents writes.
 */
export async function openCodeCache(entries: readonly string[]): Promise<string | undefined> {
  const folder = ownFolder()
  if (folder === undefined) return undefined
  await Promise.all(entries.map((entry) => fill(entry, folder)))
  return openFilledCodeCache()
}

/** Returns the folder without filling it. Node ignores outdated code in it. */
export function openFilledCodeCache(): string | undefined {
  const folder = ownFolder()
  if (folder === undefined) return undefined
  const parts = readdirSync(folder, { withFileTypes: true }).filter((part) => part.isDirectory())
  // security check: compiled code that others can write
  if ([folder, ...parts.map(({ name }) => join(folder, name))].some(isWritableByOthers)) return undefined
  for (const { name } of parts) {
    for (const uid of USERS_INSIDE) link(name, join(folder, name.replace(/(?<!\d)\d+$/, String(uid))))
  }
  return folder
}

function ownFolder(): string | undefined {
  const own = getCompileCacheDir()
  // security check: compiled code from outside the installation
  if (own === undefined || !own.startsWith(CODE_CACHE_ROOT + sep)) return undefined
  return dirname(own)
}

const isWritableByOthers = (path: string) => (statSync(path).mode & WRITABLE_BY_OTHERS) !== 0

function link(target: string, path: string): void {
  try {
    symlinkSync(target, path)
  } catch {
    // If the link cannot be created, engines start without compiled code.
  }
}

/** Starts an engine once without a channel. It has no job and ends, and Node writes the compiled code. */
async function fill(entry: string, folder: string): Promise<void> {
  const environment = { NODE_COMPILE_CACHE: folder }
  const loader = spawn(process.execPath, [entry], { env: environment, stdio: 'ignore', timeout: FILL_DEADLINE_MS })
  await once(loader, 'close').catch(() => undefined)
}
