import type { Sql } from './connect.ts'

/** The major version of PostgreSQL, and its time. */
export type ServerFacts = { version: number; now: Date }

/** Reads what the database server says of itself. */
export async function readServerFacts(sql: Sql): Promise<ServerFacts> {
  const [row] = await sql<{ version: number; now: Date }[]>`
    select current_setting('server_version_num')::int / 10000 as version, clock_timestamp() as now`
  if (row === undefined) throw new Error('the database said nothing of itself')
  return row
}
