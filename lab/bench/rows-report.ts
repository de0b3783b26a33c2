import { loadavg } from 'node:os'
import type { Sql } from '@mediamill/server/db/connection/connect'
import type { Cost } from './rows-cost.ts'

export function reportCosts(
  few: Map<string, Cost>,
  many: Map<string, Cost>,
  counts: { requests: number; few: number },
): void {
  const column = (text: string) => text.padStart(10)
  const cells = (cost: Cost) => [
    cost.ms.toFixed(2),
    cost.cpuMs.toFixed(3),
    cost.pages.toFixed(1),
    cost.pagesRead.toFixed(1),
  ]
  const heads = ['ms', 'CPU ms', 'pages', 'read']
  process.stdout.write(`${counts.requests} requests against ${counts.few}; load ${loadavg()[0]?.toFixed(1)}\n`)
  process.stdout.write(
    `${''.padEnd(40)}${[...heads, ...heads, 'x ms', 'x CPU', 'x pages', 'x list'].map(column).join('')}\n`,
  )
  const list = many.get('list')?.ms ?? Number.NaN
  for (const [name, little] of few) {
    const much = many.get(name)
    if (much === undefined) continue
    const times = [much.ms / little.ms, much.cpuMs / little.cpuMs, much.pages / little.pages, much.ms / list]
    const shown = times.map((times) => (Number.isNaN(times) ? '' : times.toFixed(2)))
    process.stdout.write(`${name.padEnd(40)}${[...cells(little), ...cells(much), ...shown].map(column).join('')}\n`)
  }
}

export async function reportTables(sql: Sql): Promise<void> {
  await sql`select pg_stat_force_next_flush()`
  for (const row of await sql<{ name: string; updates: number; hot: number }[]>`
    select relname as name, n_tup_upd as updates, n_tup_hot_upd as hot from pg_stat_user_tables
    where n_tup_upd > 0 order by n_tup_upd desc`)
    process.stdout.write(
      `${row.name.padEnd(28)} ${row.updates} updates, ${Math.round((100 * row.hot) / row.updates)} % in their page\n`,
    )
  for (const { name, size } of await sql<{ name: string; size: string }[]>`
    select relname as name, pg_size_pretty(pg_relation_size(oid)) as size from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'i') and pg_relation_size(oid) > 1e6
    order by pg_relation_size(oid) desc`)
    process.stdout.write(`${name.padEnd(28)} ${size}\n`)
}
