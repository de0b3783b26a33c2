import type { ResultFile } from '@mediamill/contract/domain/request'
import type { Runner } from './connection/connect.ts'

/** Makes a transaction read-only with one snapshot. Must be called before the first query. */
export async function readOnly(tx: Runner): Promise<void> {
  await tx`set transaction isolation level repeatable read, read only`
}

export async function listNewestFiles(sql: Runner, results: number): Promise<{ id: number; files: ResultFile[] }[]> {
  return await sql<{ id: number; files: ResultFile[] }[]>`
    select id, files from requests
    where status = 'succeeded' and sweep_at is not null and deleted_at > now() and json_array_length(files) > 0
    order by id desc limit ${results}`
}

export type Restored = { lastRequestAt: Date | null; lastEntryAt: Date | null; openRequests: number; dueEvents: number }

export async function readRestored(sql: Runner): Promise<Restored> {
  const [row] = await sql<Restored[]>`
    select (select created_at from requests order by id desc limit 1) as "lastRequestAt",
      (select created_at from ledger order by id desc limit 1) as "lastEntryAt",
      (select count(*) from jobs)::integer as "openRequests",
      (select count(*) from events where due_at is not null)::integer as "dueEvents"`
  return row ?? { lastRequestAt: null, lastEntryAt: null, openRequests: 0, dueEvents: 0 }
}
