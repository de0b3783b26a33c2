import { setTimeout as delay } from 'node:timers/promises'
import type { Sql } from '@mediamill/server/db/connection/connect'
import { connect } from '@mediamill/server/db/connection/connect'
import { readIndexProgress } from '@mediamill/server/db/index-progress'
import type { Run } from '../support/process.ts'
import { freePort, run, until } from '../support/process.ts'
import type { Environment } from './environment.ts'

/** The percentage of its first index build at which the first `mediamill migrate` is killed. */
const KILL_AT = 50
const LOOK_EVERY_MS = 20
const RUNNING = 700
/** How long the transaction that locks `accounts` stays open after `rush` has finished. */
const READ_MS = 5_000

/**
 * Runs `mediamill migrate` in bad conditions: kills it once, runs it twice in parallel, starts an API server, and locks
 * `accounts` in a long transaction. While the migration waits for the lock, calls `rush`, which makes many calls, and
 * assigns some of the new requests to a dead worker.
 */
export async function migrateUnderCalls(
  { settings, sql, database }: Environment,
  { rush, say }: { rush: () => Promise<unknown>; say: (line: string) => void },
): Promise<void> {
  const migrating = () => {
    const started = run(['migrate'], settings)
    for (const output of [started.child.stdout, started.child.stderr])
      output?.on('data', (text: string) => say(`migrate: ${text.trim().replaceAll('\n', '\n         ')}`))
    return started
  }
  const plan = run(['migrate', '--plan'], settings)
  await plan.ended
  say(plan.out())
  const before = await sizes(sql)
  const startedAt = performance.now()
  await using watch = watchLocks(database.ownUrl)
  await using reader = readAccounts(database.ownUrl)

  const first = migrating()
  await until(async () => ((await readIndexProgress(sql))?.percent ?? 0) >= KILL_AT || first.child.exitCode !== null)
  first.child.kill('SIGKILL')
  say(`migration killed, exit code ${await first.ended}`)

  const both = [migrating(), migrating()]
  await using api = await startApi(settings, say)
  await until(async () => (await isBlocked(sql)) || areOver(both))
  await rush()
  await loseWorker(sql)
  await delay(READ_MS)
  await reader.close()
  say(`both migrations exited with ${(await Promise.all(both.map(({ ended }) => ended))).join(' and ')}`)
  const took = (performance.now() - startedAt) / 1_000
  const after = await sizes(sql)
  const megabytes = (name: keyof Sizes) => `${Math.round((after[name] - before[name]) / 1e6)} MB`
  say(`migrated in ${took.toFixed(1)} s: ${megabytes('wal')} of WAL, database + ${megabytes('database')}`)
  say(`longest lock wait of a call: ${watch.longestMs().toFixed(0)} ms`)
  await api.close()
}

const areOver = (runs: readonly Run[]) => runs.every(({ child }) => child.exitCode !== null)

/** Returns whether a migration waits for the lock of `accounts`. A migration requests the lock briefly each second. */
async function isBlocked(sql: Sql): Promise<boolean> {
  const waiting = await sql`
    select from pg_locks l join pg_stat_activity a using (pid)
    where not l.granted and l.relation = 'accounts'::regclass and a.application_name ~ '^mediamill (migrate|index)'`
  return waiting.length > 0
}

type Sizes = { wal: number; database: number }

async function sizes(sql: Sql): Promise<Sizes> {
  const [row] = await sql<Sizes[]>`
    select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint as wal, pg_database_size(current_database()) as database`
  return row ?? { wal: 0, database: 0 }
}

/** Assigns queued requests to a dead worker. Updates `requests`, because the old version has no table `jobs`. */
async function loseWorker(sql: Sql): Promise<void> {
  await sql`
    with lost as (insert into workers (id, host) values (gen_random_uuid(), 'lost') returning id)
    update requests set worker_id = lost.id, status = 'processing', attempt = 1, started_at = now() from lost
    where requests.id in (
      select id from requests where status = 'queued' and lane = 'image' order by id desc limit ${RUNNING} for update skip locked)`
}

/** Locks `accounts` in a transaction that stays open until `close`, like a report. */
function readAccounts(url: string): AsyncDisposable & { close: () => Promise<void> } {
  const sql = connect(url, { connections: 1, applicationName: 'reader', patient: true })
  const over = Promise.withResolvers<void>()
  const reading = sql.begin(async (tx) => {
    await tx`lock table accounts in access share mode`
    await over.promise
  })
  const close = async () => {
    over.resolve()
    await reading
    await sql.end({ timeout: 5 })
  }
  return { close, [Symbol.asyncDispose]: close }
}

/** Measures how long statements of the service wait for locks of migrations, by polling pg_locks. */
function watchLocks(url: string): AsyncDisposable & { longestMs: () => number } {
  const sql = connect(url, { connections: 1, applicationName: 'eyes' })
  let longest = 0
  let isOver = false
  const looking = (async () => {
    for (; !isOver; await delay(LOOK_EVERY_MS)) {
      const [row] = await sql<{ ms: number | null }[]>`
        select (max(extract(epoch from clock_timestamp() - l.waitstart)) * 1000)::float8 as ms
        from pg_locks l join pg_stat_activity a on a.pid = l.pid
        where not l.granted and l.waitstart is not null and a.application_name ~ '^mediamill (api|worker|webhooks)' and exists (
          select from pg_stat_activity b where b.pid = any(pg_blocking_pids(l.pid)) and b.application_name ~ '^mediamill (migrate|index)')`
      longest = Math.max(longest, row?.ms ?? 0)
    }
  })()
  return {
    longestMs: () => longest,
    async [Symbol.asyncDispose]() {
      isOver = true
      await looking
      await sql.end({ timeout: 5 })
    },
  }
}

/** Starts a new API server, which waits for the migration. Prints each new response of `/livez` and `/readyz`. */
async function startApi(
  settings: Record<string, string>,
  say: (line: string) => void,
): Promise<AsyncDisposable & { close: () => Promise<void> }> {
  const port = await freePort()
  const api = run(['api'], { ...settings, PORT: String(port) })
  const seen = new Set<string>()
  let isOver = false
  const probing = (async () => {
    for (; !isOver; await delay(250))
      for (const path of ['/livez', '/readyz']) {
        const response = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined)
        const text = `new API: ${path} ${response?.status ?? 'no response'} ${(await response?.text()) ?? ''}`
        const kind = text.replaceAll(/\d+,|\d+\}/g, '')
        if (!seen.has(kind)) say(text)
        seen.add(kind)
      }
  })()
  const close = async () => {
    if (isOver) return
    isOver = true
    await probing
    api.child.kill('SIGTERM')
    say(`new API exited with ${await api.ended}`)
  }
  return { close, [Symbol.asyncDispose]: close }
}
