import { withTimeout } from '../../lib/time/with-timeout.ts'
import type { Sql } from './connect.ts'

const TIMEOUT_MS = 2_000

export async function checkDatabase(sql: Sql): Promise<void> {
  await inTime(sql`select 1 from migrations limit 0 for update`)
}

/** Rejects if the disk of the database is full. Sorts about 1 MB, so that PostgreSQL writes a temporary file. */
export async function checkDiskOfDatabase(sql: Sql): Promise<void> {
  const sorted = sql.begin(async (tx) => {
    await tx`set local work_mem = '64kB'`
    await tx`select count(*) from (select repeat(md5(n::text), 2) from generate_series(1, 16384) n order by 1 offset 0) sorted`
  })
  await inTime(sorted)
}

async function inTime<Result>(work: Promise<Result>): Promise<Result> {
  return await withTimeout(work, TIMEOUT_MS, () => {
    throw new Error(`the database did not respond within ${TIMEOUT_MS} ms`)
  })
}
