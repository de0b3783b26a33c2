import { spawnSync } from 'node:child_process'
import { appendFileSync, existsSync } from 'node:fs'
import { chown, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Sql } from '@mediamill/server/db/connection/connect'
import { connect } from '@mediamill/server/db/connection/connect'
import { findPrograms, runProgram, serverUser } from './postgresql-programs.ts'
import { freePort, until } from './process.ts'
import { signalAll } from './processes.ts'
import { skipReason } from './skip-reason.ts'
import { startTcpProxy } from './tcp-proxy.ts'

/** Two database servers on loopback: a primary, and a standby with streaming replication. */
type DatabasePair = AsyncDisposable & {
  url: string
  urls: readonly [string, string]
  primary: () => 0 | 1
  /** Kills (`SIGKILL`) or pauses (`SIGSTOP`) the primary, and promotes the standby. */
  failOver: (how?: 'SIGKILL' | 'SIGSTOP') => Promise<void>
  /** Makes the former primary a standby with a new copy of the data. */
  rebuild: () => Promise<void>
}

export function whyNoPair(): string | undefined {
  return findPrograms() === undefined
    ? skipReason('no PostgreSQL of the system is installed: scripts/install-test-servers.sh')
    : undefined
}

/** The options of a pair. If `synchronous` is true, commits wait for the standby. */
type PairOptions = {
  synchronous: boolean
  /** Additional environment variables of both servers, for example of a settable clock. */
  environment?: Record<string, string>
}

export async function startPair({ synchronous, environment }: PairOptions): Promise<DatabasePair> {
  const programs = findPrograms()
  if (programs === undefined) throw new Error(whyNoPair())
  const owner = serverUser()
  const folder = await mkdtemp(join(tmpdir(), 'mediamill-pair-'))
  if (owner !== undefined) await chown(folder, owner.uid, owner.gid)
  const ports = [await freePort(), await freePort()] as const
  const url = (which: 0 | 1) => `postgres://mediamill@127.0.0.1:${ports[which]}/postgres`
  const dataOf = (which: 0 | 1) => join(folder, `server-${which}`)
  const run = (program: string, ...args: string[]) =>
    runProgram({ programs, folder, ...(program === 'pg_ctl' && environment && { environment }) }, program, ...args)
  const admins = new Map<0 | 1, Sql>()
  const admin = (which: 0 | 1): Sql => {
    const sql = admins.get(which) ?? connect(url(which), { connections: 1, applicationName: 'pair' })
    admins.set(which, sql)
    return sql
  }
  const start = async (which: 0 | 1) => {
    // Write the log to a file, because this process may end before the server.
    await run('pg_ctl', '-D', dataOf(which), '-l', join(folder, `log-${which}`), '-s', '-w', '-t', '60', 'start')
  }
  const configure = (which: 0 | 1, lines: readonly string[]) =>
    appendFileSync(join(dataOf(which), 'postgresql.conf'), `${lines.join('\n')}\n`)
  const pidOf = async (which: 0 | 1) =>
    Number((await readFile(join(dataOf(which), 'postmaster.pid'), 'utf8')).split('\n')[0])
  const waitFor = synchronous ? `synchronous_standby_names = '*'` : `synchronous_standby_names = ''`
  let primary: 0 | 1 = 0

  async function follow(which: 0 | 1): Promise<void> {
    const leader: 0 | 1 = which === 0 ? 1 : 0
    await rm(dataOf(which), { recursive: true, force: true })
    const from = `host=127.0.0.1 port=${ports[leader]} user=mediamill`
    await run('pg_basebackup', '-D', dataOf(which), '-d', from, '-R', '-X', 'stream', '-c', 'fast', '--no-sync')
    configure(which, [`port = ${ports[which]}`, `synchronous_standby_names = ''`])
    await start(which)
    configure(leader, [waitFor])
    await run('pg_ctl', '-D', dataOf(leader), '-s', 'reload')
    await until(() => isInStep(leader))
    // This statement returns when the standby has received everything up to now.
    await admin(leader)`select pg_logical_emit_message(true, 'pair', '')`
  }

  async function isInStep(leader: 0 | 1): Promise<boolean> {
    const [row] = await admin(leader)<{ inStep: boolean }[]>`
      select sync_state = ${synchronous ? 'sync' : 'async'} and state = 'streaming' and flush_lsn >= pg_current_wal_flush_lsn() as "inStep"
      from pg_stat_replication where sync_state is not null`.catch(() => [])
    return row?.inStep === true
  }

  async function childrenOf(which: 0 | 1): Promise<number[]> {
    const pid = await pidOf(which)
    return spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' })
      .stdout.split(/\s+/)
      .filter((text) => text !== '')
      .map(Number)
  }

  /** Sends a signal to all processes of one server, as if its machine failed. */
  async function signal(which: 0 | 1, name: NodeJS.Signals): Promise<void> {
    const pids = [await pidOf(which), ...(await childrenOf(which))]
    signalAll(pids, name)
    if (name === 'SIGKILL') await until(() => pids.every((pid) => !existsSync(`/proc/${pid}`)))
  }

  await run('initdb', '-D', dataOf(0), '-U', 'mediamill', '-A', 'trust', '-E', 'UTF8', '--no-sync')
  configure(0, [
    `port = ${ports[0]}`,
    `listen_addresses = '127.0.0.1'`,
    `unix_socket_directories = ''`,
    'max_connections = 120',
    'shared_buffers = 32MB',
    'wal_keep_size = 256MB',
    'max_wal_size = 512MB',
    'hot_standby = on',
    'max_prepared_transactions = 5',
    'wal_receiver_status_interval = 1',
  ])
  await start(0)
  await follow(1)
  const proxy = await startTcpProxy(ports[0])

  return {
    url: `postgres://mediamill@127.0.0.1:${proxy.port}/postgres`,
    urls: [url(0), url(1)],
    primary: () => primary,
    async failOver(how = 'SIGKILL') {
      await signal(primary, how)
      primary = primary === 0 ? 1 : 0
      await run('pg_ctl', '-D', dataOf(primary), '-s', '-w', 'promote')
      proxy.lead(ports[primary])
    },
    async rebuild() {
      const other: 0 | 1 = primary === 0 ? 1 : 0
      if (existsSync(join(dataOf(other), 'postmaster.pid'))) await signal(other, 'SIGKILL').catch(() => undefined)
      await follow(other)
    },
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]()
      await Promise.all([...admins.values()].map((sql) => sql.end({ timeout: 1 })))
      for (const which of [0, 1] as const) await signal(which, 'SIGKILL').catch(() => undefined)
      await rm(folder, { recursive: true, force: true })
    },
  }
}
