import { createHash } from 'node:crypto'
import { accessSync, constants, lstatSync, mkdirSync, realpathSync, rmSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { OperatorError } from '@mediamill/contract/domain/errors'

/** The maximum length of a socket path in bytes. The operating system allows 103 bytes on macOS, and 107 on Linux. */
const LONGEST_SOCKET_PATH = 100
const POSTGRES_SOCKET = '.s.PGSQL.5432'

/** The cache of compiled code. It is in the installation folder, whose owner also controls the rest of the code. */
export const COMPILE_CACHE = fileURLToPath(new URL('../../../../../node_modules/.cache/mediamill', import.meta.url))

export type SupervisorMessage =
  | { type: 'ready'; url: string; adopted: boolean }
  | { type: 'log'; line: string }
  | { type: 'failed'; message: string }

export type SupervisorOptions = { temporary: boolean }

type SupervisorPaths = { lock: string; socket: string }

export function supervisorPaths(dataDir: string): SupervisorPaths {
  const inside = join(dataDir, 'postgres.sock')
  const socket = Buffer.byteLength(inside) <= LONGEST_SOCKET_PATH ? inside : join(shortFolder(dataDir), 'keeper.sock')
  return { lock: join(dataDir, 'postgres.lock'), socket }
}

export function postgresSocketFolder(dataDir: string, folder: string): string {
  const inside = join(folder, 'run')
  const fits = Buffer.byteLength(join(inside, POSTGRES_SOCKET)) <= LONGEST_SOCKET_PATH
  return fits ? inside : join(shortFolder(dataDir), 'run')
}

export const postgresSocket = (folder: string) => join(folder, POSTGRES_SOCKET)

export const databaseUrlOf = (folder: string) =>
  `postgres://mediamill@localhost/postgres?host=${encodeURIComponent(folder)}`

/** Creates the data folder. If root owns it, PostgreSQL's user can still enter it. Throws `OperatorError`. */
export function prepareDataDir(dataDir: string): string {
  try {
    makeFolders(resolve(dataDir), process.getuid?.() === 0 ? 0o711 : 0o700)
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
    return realpathSync(dataDir)
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
    throw new OperatorError(
      `The data folder ${dataDir} cannot be created or written${reason}: choose another DATA_DIR.`,
      {
        cause: error,
      },
    )
  }
}

/** Creates folders like `mkdir -p`. Node's recursive `mkdir` never returns for a path in /proc. */
function makeFolders(path: string, mode: number): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return
  if (dirname(path) !== path) makeFolders(dirname(path), mode)
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    // Another process may have created the folder in the meantime.
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) throw error
  }
}

/** Returns a short socket folder for a data folder. It ignores `TMPDIR`, so that all processes use the same folder. */
function shortFolder(dataDir: string): string {
  return `/tmp/mediamill-${ownUid()}-${createHash('sha256').update(dataDir).digest('hex').slice(0, 12)}`
}

const ownUid = () => process.getuid?.() ?? 0

/** Creates the short folder if `path` is in it. Throws `OperatorError` if a link or another user's folder is there. */
export function makeShortFolderOf(dataDir: string, path: string): void {
  const folder = shortFolder(dataDir)
  if (!path.startsWith(`${folder}/`)) return
  mkdirSync(folder, { recursive: true, mode: 0o711 })
  // Any user can create this folder in /tmp, and could then replace the socket in it.
  const found = lstatSync(folder)
  if (found.isDirectory() && found.uid === ownUid()) return
  throw new OperatorError(
    `Because the path of DATA_DIR is long, PostgreSQL needs ${folder} for its sockets, but another user owns this path, or it is not a folder. Remove it, or choose a DATA_DIR with a shorter path.`,
  )
}

export function removeShortFolder(dataDir: string): void {
  rmSync(shortFolder(dataDir), { recursive: true, force: true })
}
