import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbedded } from '@mediamill/server/app/postgres/embedded'
import { awaitDatabase } from '@mediamill/server/db/connection/await-database'
import type { Sql } from '@mediamill/server/db/connection/connect'
import { connect } from '@mediamill/server/db/connection/connect'
import { migrate } from '@mediamill/server/db/migrate'
import { readTree } from '@mediamill/server/supervisor/engine-tree'
import { until } from './process.ts'
import { commandOf, signalAll } from './processes.ts'

/** A database server that a test can crash. A crash loses the commits that are not on the disk. Linux only. */
type CrashingDatabase = AsyncDisposable & {
  /** Connections whose commits do not wait for the disk, as in an API server. */
  sql: Sql
  /** Connections whose commits wait for the disk, as in a worker. */
  ordinary: Sql
  /** Stops all flushes to disk, runs `work`, and crashes the server, so that unflushed commits are lost. */
  andCrash: <Result>(work: () => Promise<Result>) => Promise<Result>
}

/** Skips a test on other systems, because crashing a server requires `/proc`. */
export const linuxOnly = { skip: process.platform !== 'linux' }

/** Starts a server that flushes commits to disk, unlike the usual server of tests. */
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
      const { pids } = await readTree(before)
      signalAll(
        pids.filter((pid) => WRITERS.test(commandOf(pid))),
        'SIGSTOP',
      )
      try {
        return await work()
      } finally {
        // Kill the server's processes even after an error: while its writers are stopped, the server cannot shut down.
        signalAll(pids, 'SIGKILL')
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

/** Matches processes that write to disk. `postgres:` excludes the server, whose arguments also contain `autovacuum`. */
const WRITERS = /^postgres: (?:walwriter|checkpointer|background writer|autovacuum)/
