import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, statSync, symlinkSync } from 'node:fs'
import { getCompileCacheDir } from 'node:module'
import { dirname, join, sep } from 'node:path'
import { CODE_CACHE_ROOT } from './isolation/command.ts'

/** Whom Node takes itself for inside a user namespace: `nobody`, or its root. It keeps each one's code apart. */
const USERS_INSIDE = [65_534, 0]
const FILL_DEADLINE_MS = 30_000
const WRITABLE_BY_OTHERS = 0o022

/**
 * The folder where this process keeps compiled code, filled with what the engines load. With it an engine starts with a
 * third of the processor time, and without the type stripper it is some 27 MB smaller. `undefined` where this process
 * keeps none.
 *
 * What lies there is run, so it must be a folder of the installation that nobody else can write to; engines get it
 * only behind walls that keep it from being written, and let it be read: Node keeps it for its user alone. It is filled
 * by engines that have no job and meet no stranger.
 */
export async function openCodeCache(entries: readonly string[]): Promise<string | undefined> {
  const folder = ownFolder()
  if (folder === undefined) return undefined
  await Promise.all(entries.map((entry) => fill(entry, folder)))
  return openFilledCodeCache()
}

/** The same, of a folder that was filled before. Node sees by itself which of the code in it is still today's. */
export function openFilledCodeCache(): string | undefined {
  const folder = ownFolder()
  if (folder === undefined) return undefined
  const parts = readdirSync(folder, { withFileTypes: true }).filter((part) => part.isDirectory())
  // wall: compiled code that others can write
  if ([folder, ...parts.map(({ name }) => join(folder, name))].some(isWritableByOthers)) return undefined
  for (const { name } of parts) {
    for (const uid of USERS_INSIDE) link(name, join(folder, name.replace(/(?<!\d)\d+$/, String(uid))))
  }
  return folder
}

function ownFolder(): string | undefined {
  const own = getCompileCacheDir()
  // wall: compiled code from outside the installation
  if (own === undefined || !own.startsWith(CODE_CACHE_ROOT + sep)) return undefined
  return dirname(own)
}

const isWritableByOthers = (path: string) => (statSync(path).mode & WRITABLE_BY_OTHERS) !== 0

function link(target: string, path: string): void {
  try {
    symlinkSync(target, path)
  } catch {
    // It is there, or cannot be: then engines start without.
  }
}

/** Loads an engine once, without a channel to anyone: it has nothing to do, ends, and Node writes what it compiled. */
async function fill(entry: string, folder: string): Promise<void> {
  const environment = { NODE_COMPILE_CACHE: folder }
  const loader = spawn(process.execPath, [entry], { env: environment, stdio: 'ignore', timeout: FILL_DEADLINE_MS })
  await once(loader, 'close').catch(() => undefined)
}
