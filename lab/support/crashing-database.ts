import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbedded } from '@mediamill/server/app/postgres/embedded'
import { awaitDatabase } from '@mediamill/server/db/connection/await-database'
import type { Sql } from '@mediamill/server/db/connection/connect'
import { connect } from '@mediamill/server/db/connection/connect'
import { migrate } from '@mediamill/server/db/migrate'
import { until } from './process.ts'

/** A database server that can crash. A crash loses the data that is not flushed. Linux only. */
export type CrashingDatabase = AsyncDisposable & {
  /** Connections that commit like an API server: without waiting for the disk. */
  sql: Sql
  /** Connections that commit like a worker. */
  ordinary: Sql
  /** Runs `work` without flushing its commits to disk, and then crashes the server. */
  andCrash: <Result>(work: () => Promise<Result>) => Promise<Result>
}

/** Skips a test outside Linux, because crashing a server requires `/proc`. */
export const linuxOnly = { skip: process.platform !== 'linux' }

/** Starts a server. Unlike the server of other tests, it flushes commits to disk. */
export async function startCrashingDatabase(): Promise<CrashingDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'mediamill-crash-'))
  const embedded = await startEmbedded(join(folder, 'data'), { log: () => undefined })
  await migrate(embedded.url)
  const sql = connect(embedded.url, { connections: 2, applicationName: 'test', waitsForDisk: false })
  const ordinary = connect(embedded.url, { connections: 1, applicationName: 'test flush' })
  const serverPid = async () =>
    Number((await readFile(join(folder, 'data/postgres/data/postmaster.pid'), 'utf8')).split('\n')[0])
  return {
    sql,
    ordinary,
    async andCrash(work) {
      const before = await serverPid()
      const processes = await processesOf(before)
      const writers = processes.filter(({ name }) => WRITERS.test(name))
      for (const { pid } of writers) signal(pid, 'SIGSTOP')
      try {
        return await work()
      } finally {
        // Kill the processes after an error too, because a server with stopped writers never ends.
        for (const { pid } of processes) signal(pid, 'SIGKILL')
        await until(async () => (await serverPid().catch(() => before)) !== before)
        await awaitDatabase(embedded.url)
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([sql.end({ timeout: 5 }), ordinary.end({ timeout: 5 })])
      await embedded[Symbol.asyncDispose]()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Processes that write to disk. The server's arguments contain `autovacuum`, but it must keep accepting connections.
 */
const WRITERS = /^postgres: (?:walwriter|checkpointer|background writer|autovacuum)/

/** Sends a signal to a process, unless the process has ended. An autovacuum worker, for example, ends on its own. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Returns the processes of a server: connections and background writers. */
async function processesOf(server: number): Promise<{ pid: number; name: string }[]> {
  const found: { pid: number; name: string }[] = []
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    const stat = await readFile(`/proc/${entry}/stat`, 'utf8').catch(() => '')
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
    if (Number(entry) !== server && parent !== server) continue
    found.push({ pid: Number(entry), name: await readFile(`/proc/${entry}/cmdline`, 'utf8').catch(() => '') })
  }
  return found
}
