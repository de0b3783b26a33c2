import { spawnSync } from 'node:child_process'

export type Launch = {
  prefix: readonly string[]
  credentials: { uid?: number; gid?: number }
  /** The owner of PostgreSQL's files. If `undefined`, the user of this process owns the files. */
  owner: { uid: number; gid: number } | undefined
}

type Account = { name: string; uid: number; gid: number }

/** The environment of PostgreSQL's programs, without the settings and secrets of the service. */
export const PLAIN_ENVIRONMENT = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
}

export const SAME_USER: Launch = { prefix: [], credentials: {}, owner: undefined }

/** Starts PostgreSQL as an ordinary user, because PostgreSQL rejects root. */
export function asUser({ uid, gid }: Account): Launch {
  return { prefix: [], credentials: { uid, gid }, owner: { uid, gid } }
}

/** Runs PostgreSQL in a user namespace, where it appears as an ordinary user, but keeps root's access to folders. */
export function inUserNamespace({ uid, gid }: Account): Launch {
  return {
    prefix: ['unshare', '--user', `--map-user=${uid}`, `--map-group=${gid}`, '--'],
    credentials: {},
    owner: { uid: 0, gid: 0 },
  }
}

/** Returns an ordinary user for PostgreSQL. The user must have a name, because initdb rejects a user without a name. */
export function ordinaryUser(): Account | undefined {
  for (const name of ['postgres', 'nobody']) {
    const number = (flag: string) => spawnSync('id', [flag, name], { encoding: 'utf8', env: PLAIN_ENVIRONMENT }).stdout
    const uid = Number.parseInt(number('-u'), 10)
    const gid = Number.parseInt(number('-g'), 10)
    if (uid > 0 && gid >= 0) return { name, uid, gid }
  }
  return undefined
}

export function canReach(launch: Launch, folder: string, file: string): boolean {
  const [command, ...args] = commandOf(launch, ['sh', '-c', 'cd "$1" && test -x "$2"', 'sh', folder, file])
  return spawnSync(command, args, { ...launch.credentials, cwd: '/', env: PLAIN_ENVIRONMENT }).status === 0
}

export function commandOf(launch: Launch, command: readonly [string, ...string[]]): [string, ...string[]] {
  const [first, ...rest] = launch.prefix
  return first === undefined ? [...command] : [first, ...rest, ...command]
}
