/**
 * What the service's statements cost with few requests in the database, and with many: `node bench/rows.ts [requests]`,
 * ten million unless told otherwise (20 GB under the temporary folder for half an hour). Rows are generated; the costs
 * are those of the service's own functions, on the embedded PostgreSQL as it is shipped.
 */
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbedded } from '../src/app/postgres/embedded.ts'
import { connect } from '../src/db/connection/connect.ts'
import { migrate } from '../src/db/migrate.ts'
import { microUsd } from '../src/domain/money.ts'
import { openAccount } from '../test/support/line.ts'
import { measureAll } from './rows-cases.ts'
import type { Cost } from './rows-cost.ts'
import { fill } from './rows-fill.ts'

const requests = Number(process.argv[2] ?? 10_000_000)
const SMALL = 20_000
const ACCOUNTS = 200

const folder = await mkdtemp(join(tmpdir(), 'mediamill-rows-'))
try {
  await using database = await startEmbedded(folder, { log: (line) => process.stderr.write(`${line}\n`) })
  await migrate(database.url)
  const pool = connect(database.url, { connections: 4, applicationName: 'bench' })
  const accounts = []
  for (let count = 0; count < ACCOUNTS; count += 1) accounts.push(await openAccount(pool, microUsd(1e12)))
  await pool`update accounts set concurrent_requests = 1000000, requests_per_minute = 100000`
  const costs: Map<string, Cost>[] = []
  const few = 'few'
  for (const [what, count] of [
    [few, SMALL],
    ['many', requests],
  ] as const) {
    const start = performance.now()
    const tick = (done: number) => process.stderr.write(`\r${what}: ${done} of ${count}`)
    await fill(
      database.url,
      accounts.map(({ id }) => id),
      count,
      tick,
    )
    process.stderr.write(`\r${what}: filled in ${Math.round((performance.now() - start) / 1000)} s\n`)
    costs.push(await measureAll(database.url, pool, accounts, randomUUID()))
  }
  report(costs[0] ?? new Map(), costs[1] ?? new Map())
  await pool`select pg_stat_force_next_flush()`
  for (const row of await pool<{ name: string; updates: number; hot: number }[]>`
    select relname as name, n_tup_upd as updates, n_tup_hot_upd as hot from pg_stat_user_tables
    where n_tup_upd > 0 order by n_tup_upd desc`)
    process.stdout.write(
      `${row.name.padEnd(28)} ${row.updates} updates, ${Math.round((100 * row.hot) / row.updates)} % in their page\n`,
    )
  for (const { name, size } of await pool<{ name: string; size: string }[]>`
    select relname as name, pg_size_pretty(pg_relation_size(oid)) as size from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'i') and pg_relation_size(oid) > 1e6
    order by pg_relation_size(oid) desc`)
    process.stdout.write(`${name.padEnd(28)} ${size}\n`)
  await pool.end({ timeout: 5 })
} finally {
  await rm(folder, { recursive: true, force: true })
}

function report(few: Map<string, Cost>, many: Map<string, Cost>): void {
  const column = (text: string) => text.padStart(10)
  const cells = (cost: Cost) => [
    cost.ms.toFixed(2),
    cost.cpuMs.toFixed(3),
    cost.pages.toFixed(1),
    cost.pagesRead.toFixed(1),
  ]
  const heads = ['ms', 'CPU ms', 'pages', 'read']
  process.stdout.write(`${requests} requests against ${SMALL}; load ${loadavg()[0]?.toFixed(1)}\n`)
  process.stdout.write(`${''.padEnd(28)}${[...heads, ...heads, 'x ms', 'x CPU', 'x pages'].map(column).join('')}\n`)
  for (const [name, little] of few) {
    const much = many.get(name)
    if (much === undefined) continue
    const times = [much.ms / little.ms, much.cpuMs / little.cpuMs, much.pages / little.pages].map((x) => x.toFixed(2))
    process.stdout.write(`${name.padEnd(28)}${[...cells(little), ...cells(much), ...times].map(column).join('')}\n`)
  }
}
