import { createHash } from 'node:crypto'
import { accessSync, constants, lstatSync, mkdirSync, realpathSync, rmSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { OperatorError } from '@mediamill/contract/domain/errors'

/** A Unix socket's address holds 103 bytes on macOS and 107 on Linux, PostgreSQL's own file name of 13 included. */
const LONGEST_SOCKET_PATH = 100
const POSTGRES_SOCKET = '.s.PGSQL.5432'

/**
 * The folder where Node.js keeps code stripped of types and compiled. Processes that start this project again use it:
 * without its type stripper in memory each is some 27 MB smaller and starts in half the time. A folder of the
 * installation, since whoever can write it decides what is run; where it cannot be written there is no cache.
 */
export const COMPILE_CACHE = fileURLToPath(new URL('../../../../../node_modules/.cache/mediamill', import.meta.url))

/** A message of the keeper to everyone who uses its database, one JSON line each. */
export type KeeperMessage =
  | { type: 'ready'; url: string; adopted: boolean }
  | { type: 'log'; line: string }
  | { type: 'failed'; message: string }

/** How one embedded database is run; `temporary` trades durability for speed and leaves nothing behind. */
export type KeeperOptions = { temporary: boolean }

/** Where the keeper of one data folder is found, by everyone who knows the folder. */
export type KeeperPaths = { lock: string; socket: string }

export function keeperPaths(dataDir: string): KeeperPaths {
  const inside = join(dataDir, 'postgres.sock')
  const socket = Buffer.byteLength(inside) <= LONGEST_SOCKET_PATH ? inside : join(shortFolder(dataDir), 'keeper.sock')
  return { lock: join(dataDir, 'postgres.lock'), socket }
}

/**
 * Returns the folder for PostgreSQL's own socket. It is in its home, or a short one when that path is too long for a
 * socket.
 */
export function postgresSocketFolder(dataDir: string, home: string): string {
  const inside = join(home, 'run')
  const fits = Buffer.byteLength(join(inside, POSTGRES_SOCKET)) <= LONGEST_SOCKET_PATH
  return fits ? inside : join(shortFolder(dataDir), 'run')
}

export const postgresSocket = (folder: string) => join(folder, POSTGRES_SOCKET)

/** The address of the database behind a socket folder, as libpq writes it. */
export const databaseUrlOf = (folder: string) =>
  `postgres://mediamill@localhost/postgres?host=${encodeURIComponent(folder)}`

/**
 * Makes the data folder if it is not there and returns its real path.
 *
 * Root lets other accounts pass through it, but not look into it: PostgreSQL refuses to run as root, and its account
 * must reach its own folder below. Throws `OperatorError` when the folder cannot be made or written.
 */
export function prepareDataDir(dataDir: string): string {
  try {
    makeFolders(resolve(dataDir), process.getuid?.() === 0 ? 0o711 : 0o700)
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
    return realpathSync(dataDir)
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
    throw new OperatorError(`The data folder ${dataDir} cannot be made or written${reason}: choose another DATA_DIR.`, {
      cause: error,
    })
  }
}

/** As `mkdir -p`. Node's own never returns where a file system refuses new folders as if their parent were missing: /proc. */
function makeFolders(path: string, mode: number): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return
  if (dirname(path) !== path) makeFolders(dirname(path), mode)
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    // Another process that starts now may have made it meanwhile.
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) throw error
  }
}

/**
 * A folder with a short name for a data folder with a long one.
 *
 * Not the system's temporary folder, which is long on macOS and another one for each `TMPDIR`: everyone who shares
 * the data folder must find the same.
 */
function shortFolder(dataDir: string): string {
  return `/tmp/mediamill-${ownUid()}-${createHash('sha256').update(dataDir).digest('hex').slice(0, 12)}`
}

const ownUid = () => process.getuid?.() ?? 0

/** Makes the short folder if the path lies in it. Throws `OperatorError` when another account was there first. */
export function makeShortFolderOf(dataDir: string, path: string): void {
  const folder = shortFolder(dataDir)
  if (!path.startsWith(`${folder}/`)) return
  mkdirSync(folder, { recursive: true, mode: 0o711 })
  // Anybody may write to /tmp: a folder of somebody else must not hold our sockets.
  const found = lstatSync(folder)
  if (found.isDirectory() && found.uid === ownUid()) return
  throw new OperatorError(`${folder} belongs to another account: remove it, or choose a DATA_DIR with a shorter path.`)
}

/** Removes the short folder, if there is one. */
export function removeShortFolder(dataDir: string): void {
  rmSync(shortFolder(dataDir), { recursive: true, force: true })
}
