/**
 * Measures the service's statements with few and with many requests in the database:
 * `node lab/bench/rows.ts [--requests 10000000] [--folder F] [--only lists] [--minutes 9]`.
 * `--folder` keeps both databases (20 GB). If filling takes longer than `--minutes`, the next run continues. `--only
 * calls` measures the statements of a request, `--only checks` statements that read many rows, `--only lists` lists and
 * usage, and `--only fill` nothing.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { AccountId } from '@mediamill/contract/domain/ids'
import { microUsd } from '@mediamill/contract/domain/money'
import { createKey } from '@mediamill/server/accounts/create-key'
import { startEmbedded } from '@mediamill/server/app/postgres/embedded'
import type { Sql } from '@mediamill/server/db/connection/connect'
import { connect } from '@mediamill/server/db/connection/connect'
import { migrate } from '@mediamill/server/db/migrate'
import { openAccount } from '../support/request-rows.ts'
import { measureAll } from './rows-cases.ts'
import type { Cost } from './rows-cost.ts'
import { fill } from './rows-fill.ts'
import type { Filled } from './rows-lists.ts'
import { measureLists } from './rows-lists.ts'
import { reportCosts, reportTables } from './rows-report.ts'

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '10000000' },
    folder: { type: 'string' },
    only: { type: 'string' },
    minutes: { type: 'string', default: '600' },
  },
})
const requests = Number(values.requests)
const until = performance.now() + Number(values.minutes) * 60_000
const SMALL = 20_000
const ACCOUNTS = 200

const folder = values.folder ?? (await mkdtemp(join(tmpdir(), 'mediamill-rows-')))
try {
  const isFull = await within('many', (database) => filled('many', database, requests))
  if (isFull && values.only === 'fill') process.stdout.write('filled\n')
  else if (isFull) {
    await within('few', (database) => filled('few', database, SMALL))
    const few = await within('few', costs)
    const many = await within('many', async (database) => {
      const measured = await costs(database)
      if (values.only === undefined) await reportTables(database.other)
      return measured
    })
    reportCosts(few, many, { requests, few: SMALL })
  } else process.stderr.write('the database is not filled yet: run the command again\n')
} finally {
  if (values.folder === undefined) await rm(folder, { recursive: true, force: true })
}

async function within<Result>(name: string, work: (database: Filled) => Promise<Result>): Promise<Result> {
  const home = join(folder, name)
  await mkdir(home, { recursive: true })
  await using database = await startEmbedded(home, { log: (line) => process.stderr.write(`${line}\n`) })
  const other = connect(database.url, { connections: 4, applicationName: 'bench', patient: true })
  try {
    // Create new indexes only after filling, because updating them for every row is slow.
    const [{ isOpen } = { isOpen: false }] = await other<{ isOpen: boolean }[]>`
      select to_regclass('bench_steps') is not null and to_regclass('requests_account') is null as "isOpen"`
    if (!isOpen) await migrate(database.url)
    return await work({ databaseUrl: database.url, other, accounts: await openAccounts(other) })
  } finally {
    await other.end({ timeout: 5 })
  }
}

async function filled(name: string, { databaseUrl, other, accounts }: Filled, count: number): Promise<boolean> {
  const ids = accounts.map(({ id }) => id)
  const say = (line: string) => void process.stderr.write(`\r${name}: ${line}\u001b[K`)
  return await unsynced(other, () => fill(databaseUrl, ids, count, { say, hasTime: () => performance.now() < until }))
}

function costs(database: Filled): Promise<Map<string, Cost>> {
  if (values.only === 'lists') return measureLists(database)
  return measureAll(database, values.only === 'calls' || values.only === 'checks' ? values.only : undefined)
}

async function openAccounts(sql: Sql) {
  const [{ count } = { count: 0 }] = await sql<{ count: number }[]>`select count(*) from accounts`
  for (let next = count; next < ACCOUNTS; next += 1) await openAccount(sql, microUsd(1e12))
  await sql`update accounts set concurrent_requests = 1000000, requests_per_minute = 100000`
  const accounts = await sql<{ id: AccountId }[]>`select id from accounts order by id`
  const keyed = async (id: AccountId) => {
    const made = await createKey(sql, id, { name: 'bench', mode: 'live' })
    if (made === undefined) throw new Error('the account does not exist')
    return { id, liveKey: made.key }
  }
  return await Promise.all(accounts.map(({ id }) => keyed(id)))
}

/** Runs `work` with fsync off. If PostgreSQL crashes during `work`, the database must be filled again. */
async function unsynced(sql: Sql, work: () => Promise<boolean>): Promise<boolean> {
  const set = async (value: string) => {
    for (const name of ['fsync', 'full_page_writes']) await sql.unsafe(`alter system set ${name} = ${value}`)
    await sql`select pg_reload_conf()`
  }
  await set('off')
  try {
    return await work()
  } finally {
    await set('on')
    await sql`checkpoint`
  }
}
