/**
 * Measures how long calls wait while a full database of an older release is migrated:
 * `npm run migration-locks [-- --rows 1000000] [--from session-4]`.
 *
 * Three connections do what accepting, settling and delivering do, again and again, while the migrations run beside them.
 * What counts is the time that they waited for a lock, sampled every few milliseconds; the slowest statement is told too.
 */
import { copyFile, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { startEmbedded } from '../src/app/postgres/embedded.ts'
import type { Sql } from '../src/db/connection/connect.ts'
import { connect } from '../src/db/connection/connect.ts'
import { migrate } from '../src/db/migrate.ts'
import type { Release } from './release/migrations.ts'

const MOST_MS = 100
const BLOCK = 100_000
const root = join(import.meta.dirname, '..')

const { values } = parseArgs({
  options: { rows: { type: 'string', default: '1000000' }, from: { type: 'string', default: 'session-4' } },
})
/** Takes a round of calls back. */
class Undone extends Error {}

const print = (line: string) => void process.stdout.write(`${line}\n`)
const releases = JSON.parse(await readFile(join(root, 'test/releases.json'), 'utf8')) as Release[]
const release = releases.find(({ name }) => name === values.from)
if (release === undefined) throw new Error(`there is no release ${values.from}`)

const folder = await mkdtemp(join(tmpdir(), 'mediamill-locks-'))
try {
  const old = join(folder, 'migrations')
  await mkdir(old)
  for (const name of Object.keys(release.migrations)) await copyFile(join(root, 'migrations', name), join(old, name))
  await using database = await startEmbedded(join(folder, 'data'), { log: () => undefined, temporary: true })
  await migrate(database.url, pathToFileURL(`${old}/`))
  const sql = connect(database.url, { connections: 4, applicationName: 'fill', patient: true })
  await fill(sql, Number(values.rows))
  print(`${values.rows} requests with events and charges, at ${release.name}`)
  const seen = await measure(database.url, sql)
  await sql.end({ timeout: 5 })
  print(`${seen.applied.length} migrations in ${seen.seconds} s: ${seen.applied.join(', ')}`)
  print(`${seen.rounds} rounds of calls meanwhile; the slowest ${seen.slowest} ms, in ${seen.before} ms before`)
  print(
    `longest wait for a lock: ${seen.longest} ms (${seen.longest <= MOST_MS ? 'kept' : 'BROKEN'}: at most ${MOST_MS} ms)`,
  )
  process.exitCode = seen.longest <= MOST_MS ? 0 : 1
} finally {
  await rm(folder, { recursive: true, force: true })
}

/** Rows of the tables that grow, as the older release has them. */
async function fill(sql: Sql, count: number): Promise<void> {
  await sql`insert into accounts (name, email) select 'Account ' || n, n || '@example.com' from generate_series(1, 20) n`
  const [{ first } = { first: 1 }] = await sql<{ first: number }[]>`select min(id) as first from accounts`
  for (let from = 0; from < count; from += BLOCK) {
    const until = Math.min(count, from + BLOCK) - 1
    await sql.begin(async (tx) => {
      await tx`set local session_replication_role = replica`
      await tx`
        insert into requests (account_id, livemode, endpoint, lane, status, source, input, turn, attempt, price, customer, created_at, started_at, completed_at)
        select ${first}::bigint + n % 20, true, 'images/process', 'image', 'succeeded', 'https://example.com/' || n || '.jpg',
          '{"operations":[{"type":"resize","width":1200,"height":800}]}', at, 1, 2000, 'customer ' || n % 50, at, at, at
        from (select n, now() - (${count}::bigint - n) * interval '1 second' as at from generate_series(${from}::bigint, ${until}::bigint) n) made`
      await tx`
        insert into ledger (account_id, kind, amount, request_id, created_at)
        select account_id, 'charge', -price, id, completed_at from requests where id > (select max(id) from requests) - ${until - from + 1}::bigint`
      await tx`
        insert into events (id, account_id, request_id, type, status, created_at)
        select 'evt_' || md5(id::text), account_id, id, 'request.succeeded', 'unaddressed', completed_at
        from requests where id > (select max(id) from requests) - ${until - from + 1}::bigint`
    })
  }
  await sql`vacuum (analyze)`
}

/** One round of what the service does most, taken back in the end: its locks are those that count. */
async function round(sql: Sql): Promise<number> {
  const startedAt = performance.now()
  await sql
    .begin(async (tx) => {
      const [{ id, account } = { id: 0, account: 0 }] = await tx<{ id: number; account: number }[]>`
        insert into requests (account_id, livemode, endpoint, lane, source, input, turn)
        select min(id) + floor(random() * 20)::bigint, true, 'images/process', 'image', 'https://example.com', '{}', now() from accounts
        returning id, account_id as account`
      await tx`update requests set status = 'succeeded', price = 2000, completed_at = now() where id = ${id}`
      await tx`insert into ledger (account_id, kind, amount, request_id) values (${account}, 'charge', -2000, ${id})`
      await tx`insert into events (id, account_id, request_id, type, status)
        values (${`evt_${id}_${Math.random()}`}, ${account}, ${id}, 'request.succeeded', 'unaddressed')`
      await tx`select count(*) from (select from requests where account_id = ${account} order by id desc limit 20) last`
      throw new Undone()
    })
    .catch((error: unknown) => {
      if (!(error instanceof Undone)) throw error
    })
  return performance.now() - startedAt
}

async function measure(url: string, sql: Sql) {
  const calls = connect(url, { connections: 3, applicationName: 'calls' })
  let isOver = false
  const slowest = { before: 0, during: 0 }
  let phase: keyof typeof slowest = 'before'
  let rounds = 0
  const working = Promise.all(
    [1, 2, 3].map(async () => {
      while (!isOver) {
        slowest[phase] = Math.max(slowest[phase], Math.round(await round(calls)))
        if (phase === 'during') rounds += 1
      }
    }),
  )
  const waitingSince = new Map<number, number>()
  let longest = 0
  const sampling = (async () => {
    while (!isOver) {
      // What waits for another of the calls is no matter of the migration.
      const rows = await sql<{ pid: number }[]>`
        select a.pid from pg_stat_activity a where application_name = 'calls' and wait_event_type = 'Lock' and exists (
          select from pg_stat_activity b where b.pid = any(pg_blocking_pids(a.pid)) and b.application_name <> 'calls')`
      const now = performance.now()
      const waiting = new Set(rows.map(({ pid }) => pid))
      for (const pid of waitingSince.keys()) if (!waiting.has(pid)) waitingSince.delete(pid)
      for (const pid of waiting) {
        const since = waitingSince.get(pid) ?? now
        waitingSince.set(pid, since)
        longest = Math.max(longest, Math.round(now - since))
      }
      await delay(5)
    }
  })()
  await delay(5_000)
  phase = 'during'
  const startedAt = performance.now()
  const applied = await migrate(url)
  const seconds = Math.round((performance.now() - startedAt) / 100) / 10
  isOver = true
  await Promise.all([working, sampling])
  await calls.end({ timeout: 5 })
  return { applied, seconds, rounds, slowest: slowest.during, before: slowest.before, longest }
}
