import type { Runner } from './connection/connect.ts'

export type IndexProgress = { phase: string; percent: number }

export async function readIndexProgress(sql: Runner): Promise<IndexProgress | undefined> {
  // Each phase counts transactions, tuples, or blocks. The block counts of an earlier phase stay set.
  const [row] = await sql<IndexProgress[]>`
    select phase, coalesce(case
        when phase like 'waiting%' then 100 * lockers_done / nullif(lockers_total, 0)
        when tuples_total > 0 then 100 * tuples_done / tuples_total
        else 100 * blocks_done / nullif(blocks_total, 0)
      end, 0)::integer as percent
    from pg_stat_progress_create_index
    where datname = current_database() and phase is not null
    limit 1`
  return row
}
