import type { Sql } from './connect.ts'

type ServerInfo = { version: number; now: Date }

export async function readServerInfo(sql: Sql): Promise<ServerInfo> {
  const [row] = await sql<{ version: number; now: Date }[]>`
    select current_setting('server_version_num')::int / 10000 as version, clock_timestamp() as now`
  if (row === undefined) throw new Error('the database returned no version')
  return row
}
