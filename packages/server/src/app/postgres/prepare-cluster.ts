import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readFile, realpath, stat, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { OperatorError } from '@mediamill/contract/domain/errors'
import type { Launch } from './os-user.ts'
import { asUser, canReach, inUserNamespace, ordinaryUser, PLAIN_ENVIRONMENT, SAME_USER } from './os-user.ts'
import type { Program } from './program.ts'
import { binary, copyProgram, findProgram, linkLibraries, POSTGRES_MAJOR } from './program.ts'

export type Cluster = { folder: string; dataFolder: string; program: Program; launch: Launch }

/** The database folder if root starts the service and PostgreSQL's user cannot enter the data folder. */
const OPEN_FOLDER = '/var/lib/mediamill'

/** Chooses PostgreSQL's folder and user, and records both in `DATA_DIR/postgres`. Throws `OperatorError`. */
export async function prepareCluster(dataDir: string, log: (line: string) => void): Promise<Cluster> {
  const program = await findProgram()
  const linked = await linkLibraries(program)
  const entrance = join(dataDir, 'postgres')
  const location =
    process.getuid?.() === 0
      ? await openAsRoot(dataDir, entrance, linked ? program : undefined, log)
      : { folder: entrance, launch: SAME_USER, program: linked ? program : undefined }
  await makeOwnFolder(location.folder, location.launch)
  const dataFolder = join(location.folder, 'data')
  await checkMajorVersion(dataFolder)
  return { ...location, dataFolder, program: location.program ?? (await copyProgram(program, location.folder)) }
}

type ClusterLocation = { folder: string; launch: Launch; program: Program | undefined }

async function openAsRoot(
  dataDir: string,
  entrance: string,
  program: Program | undefined,
  log: (line: string) => void,
): Promise<ClusterLocation> {
  const account = ordinaryUser()
  if (account === undefined) {
    throw new OperatorError(
      'PostgreSQL does not run as root, and this machine has no user `postgres` or `nobody`. Start as another user, or set DATABASE_URL.',
    )
  }
  const existing = await realpath(entrance).catch(() => undefined)
  const ordinary = asUser(account)
  const mapped = inUserNamespace(account)
  const above = existing === undefined ? dataDir : join(existing, '..')
  const file = program === undefined ? '/bin/sh' : binary(program, 'postgres')
  const found = existing ?? entrance
  if (canReach(ordinary, above, file)) return { folder: found, launch: ordinary, program }
  if (canReach(mapped, above, file)) return { folder: found, launch: mapped, program }
  if (await canBeOpened(above, ordinary)) {
    log(`gave the user ${account.name}, which runs PostgreSQL, access to ${above}`)
  }
  if (canReach(ordinary, above, '/bin/sh')) {
    return { folder: found, launch: ordinary, program: canReach(ordinary, above, file) ? program : undefined }
  }
  if (existing !== undefined) {
    throw new OperatorError(
      `The user ${account.name}, which runs PostgreSQL, cannot access the database in ${existing}. Give this user execute permission on the folders above it, or set DATABASE_URL.`,
    )
  }
  const folder = join(OPEN_FOLDER, randomBytes(6).toString('hex'))
  await mkdir(OPEN_FOLDER, { recursive: true, mode: 0o755 })
  await makeOwnFolder(folder, ordinary)
  await symlink(folder, entrance)
  log(
    `the user ${account.name}, which runs PostgreSQL, cannot access ${dataDir}; the database is stored in ${folder} instead`,
  )
  return { folder, launch: ordinary, program: undefined }
}

/** Lets others enter root's data folder, but not list it. Returns `false` if PostgreSQL's user cannot enter it. */
async function canBeOpened(folder: string, launch: Launch): Promise<boolean> {
  const { mode, uid } = await stat(folder)
  if (uid !== 0 || (mode & 0o001) !== 0) return false
  await chmod(folder, mode | 0o011)
  if (canReach(launch, folder, '/bin/sh')) return true
  await chmod(folder, mode)
  return false
}

/** Creates a folder that only PostgreSQL's user can access. Changes the owner of an existing folder. */
export async function makeOwnFolder(folder: string, launch: Launch): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const found = await stat(folder)
  if (launch.owner === undefined) {
    if (found.uid === process.getuid?.()) return
    throw new OperatorError(`${folder} belongs to another user: start as that user, or choose another DATA_DIR.`)
  }
  const { uid, gid } = launch.owner
  if (found.uid === uid) return
  await chmod(folder, 0o700)
  // `chown` changes the folder itself last, so the next start repeats an interrupted change.
  const options = { encoding: 'utf8', env: PLAIN_ENVIRONMENT } as const
  const { status, stderr, error } = spawnSync('chown', ['-R', `${uid}:${gid}`, folder], options)
  if (status !== 0)
    throw new OperatorError(
      `The owner of ${folder} cannot be changed (${error?.message ?? stderr.split('\n', 1)[0]}). Choose another DATA_DIR.`,
      { cause: error },
    )
}

async function checkMajorVersion(dataFolder: string): Promise<void> {
  const version = (await readFile(join(dataFolder, 'PG_VERSION'), 'utf8').catch(() => POSTGRES_MAJOR)).trim()
  if (version === POSTGRES_MAJOR) return
  throw new OperatorError(
    `${dataFolder} was created by PostgreSQL ${version}, and this version includes ${POSTGRES_MAJOR}: migrate the data first (see docs/operate/backup-and-upgrade.md).`,
  )
}
