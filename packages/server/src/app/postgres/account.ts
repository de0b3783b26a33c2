import { spawnSync } from 'node:child_process'

/** How a program of PostgreSQL is started. It has what stands before it, and the account it runs as. */
export type Launch = {
  prefix: readonly string[]
  credentials: { uid?: number; gid?: number }
  /** Who must own what PostgreSQL writes; a missing value is the account that runs this process. */
  owner: { uid: number; gid: number } | undefined
}

export type Account = { name: string; uid: number; gid: number }

/** The environment of PostgreSQL's programs: it has no settings and no secrets of ours. */
export const PLAIN_ENVIRONMENT = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
}

/** An ordinary process starts PostgreSQL as itself. */
export const SAME_ACCOUNT: Launch = { prefix: [], credentials: {}, owner: undefined }

/** Root starts PostgreSQL, which refuses to be root, as an ordinary account. */
export function asAccount({ uid, gid }: Account): Launch {
  return { prefix: [], credentials: { uid, gid }, owner: { uid, gid } }
}

/**
 * Root in a user namespace, where it has another account's number. PostgreSQL does not see root, and opens what root
 * may open, so that it works below a closed folder such as /root.
 */
export function inUserNamespace({ uid, gid }: Account): Launch {
  return {
    prefix: ['unshare', '--user', `--map-user=${uid}`, `--map-group=${gid}`, '--'],
    credentials: {},
    owner: { uid: 0, gid: 0 },
  }
}

/** The ordinary account that root runs PostgreSQL as. Initdb wants one that the system knows by name. */
export function ordinaryAccount(): Account | undefined {
  for (const name of ['postgres', 'nobody']) {
    const number = (flag: string) => spawnSync('id', [flag, name], { encoding: 'utf8', env: PLAIN_ENVIRONMENT }).stdout
    const uid = Number.parseInt(number('-u'), 10)
    const gid = Number.parseInt(number('-g'), 10)
    if (uid > 0 && gid >= 0) return { name, uid, gid }
  }
  return undefined
}

/** Tells whether a program started this way can enter the folder and run the file. */
export function canReach(launch: Launch, folder: string, file: string): boolean {
  const [command, ...args] = commandOf(launch, ['sh', '-c', 'cd "$1" && test -x "$2"', 'sh', folder, file])
  return spawnSync(command, args, { ...launch.credentials, cwd: '/', env: PLAIN_ENVIRONMENT }).status === 0
}

/** A command with what stands before it. */
export function commandOf(launch: Launch, command: readonly [string, ...string[]]): [string, ...string[]] {
  const [first, ...rest] = launch.prefix
  return first === undefined ? [...command] : [first, ...rest, ...command]
}
