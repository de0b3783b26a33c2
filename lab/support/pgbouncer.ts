import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serverUser } from './postgresql-programs.ts'
import { freePort, listens, until } from './process.ts'

/** PgBouncer in front of a test's database, on loopback. A test can stop it, and start it at the same address. */
type PgBouncer = AsyncDisposable & {
  url: string
  stop: () => Promise<void>
  start: () => Promise<void>
  /** Holds all transactions until `resume`. */
  pause: () => void
  resume: () => void
  /** Connects PgBouncer to another server, as after the promotion of a standby. */
  repoint: (databaseUrl: string) => Promise<void>
}

/** The number of PgBouncer's connections to PostgreSQL. A service opens more connections to PgBouncer. */
const SERVERS = 3

/** Starts PgBouncer in transaction mode. `databaseUrl` contains the folder of a Unix socket, or a port. */
export async function startPgBouncer(databaseUrl: string, { servers = SERVERS } = {}): Promise<PgBouncer> {
  const database = new URL(databaseUrl)
  const socketFolder = database.searchParams.get('host')
  const folder = await mkdtemp(join(tmpdir(), 'mediamill-pgbouncer-'))
  const port = await freePort()
  const settings = (server: string) => [
    '[databases]',
    `* = ${server}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = trust',
    `auth_file = ${folder}/users`,
    'pool_mode = transaction',
    `default_pool_size = ${servers}`,
    'server_login_retry = 1',
    `stats_users = ${database.username}`,
  ]
  await writeFile(join(folder, 'users'), `"${database.username}" ""\n`)
  const write = (server: string) => writeFile(join(folder, 'settings'), `${settings(server).join('\n')}\n`)
  await write(serverOf(databaseUrl))
  // PgBouncer must not run as root, and needs access to the socket, so run it as the owner of the socket's folder.
  const { uid, gid } = (socketFolder === null && serverUser()) || (await stat(socketFolder ?? folder))
  for (const path of [folder, join(folder, 'users'), join(folder, 'settings')]) await chown(path, uid, gid)
  let child: ChildProcess | undefined
  const start = async () => {
    child = spawn('pgbouncer', ['--quiet', join(folder, 'settings')], { uid, gid, stdio: 'ignore' })
    await until(() => listens(port))
  }
  const stop = async () => {
    if (child === undefined) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
    child = undefined
  }
  await start()
  return {
    url: `postgres://${database.username}@127.0.0.1:${port}${database.pathname}`,
    start,
    stop,
    pause: () => child?.kill('SIGUSR1'),
    resume: () => child?.kill('SIGUSR2'),
    async repoint(to) {
      await write(serverOf(to))
      child?.kill('SIGHUP')
    },
    async [Symbol.asyncDispose]() {
      await stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function serverOf(databaseUrl: string): string {
  const { hostname, port, searchParams } = new URL(databaseUrl)
  const socketFolder = searchParams.get('host')
  return socketFolder === null ? `host=${hostname} port=${port}` : `host=${socketFolder}`
}
