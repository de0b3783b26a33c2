import type { Runner, Sql } from '@mediamill/server/db/connection/connect'

/** Counts the table rows that `work` reads. An index lookup reads few rows, and a scan reads all rows. */
export async function countRowsRead(sql: Sql, work: (tx: Runner) => Promise<unknown>): Promise<number> {
  return await sql.begin(async (tx) => {
    const read = async () => {
      const [row] = await tx<{ rows: number }[]>`
        select coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0)::bigint as rows from pg_stat_xact_user_tables`
      return row?.rows ?? Number.NaN
    }
    const before = await read()
    await work(tx)
    return (await read()) - before
  })
}
